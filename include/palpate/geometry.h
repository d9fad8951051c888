// Questions about moving vertices, edges and faces.
#ifndef PALPATE_GEOMETRY_H
#define PALPATE_GEOMETRY_H

#include <palpate/base.h>
#include <palpate/math.h>

#ifdef __cplusplus
extern "C" {
#endif
PAL_API_BEGIN

// Do a vertex (point 0) and a face (points 1 to 3), whose points move straight from `start` to
// `end` in unit time, come as close as `separation` >= 0, or closer? If so, `time` gets a lower
// bound of the first such time, 0 if they start so close. No contact is missed, whatever the
// rounding. If the distance stays above `separation` by less than 4e-12 of the size of the
// configuration, the answer may be yes as well. Where a number is missing or infinite, the answer
// is yes, at time 0. See docs/theory/ccd.md.
bool pal_ccd_vertex_face(const PalVec3 start[4], const PalVec3 end[4], double separation,
                         double *time);

// The same for two edges: from point 0 to 1 and from point 2 to 3.
bool pal_ccd_edge_edge(const PalVec3 start[4], const PalVec3 end[4], double separation,
                       double *time);

// Do two closed triangles share a point? Decided exactly, for touching, coplanar and degenerate
// triangles too, as long as coordinates are equal or differ by 1e-70 to 1e100. Where one is no
// number, or larger than 1e100, the answer is yes.
bool pal_triangles_intersect(const PalVec3 a[3], const PalVec3 b[3]);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
