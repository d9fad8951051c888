// Questions about vertices, edges and faces, moving and at rest.
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

// Faces of elements by their nodes: corners first, counter-clockwise, then the middle of the edge
// from each corner to the next. Natural coordinates of triangles are xi, eta >= 0, xi + eta <= 1,
// with corners at (0, 0), (1, 0), (0, 1); those of quadrilaterals lie in [-1, 1], from (-1, -1).
typedef enum PalFaceKind {
    PAL_FACE_TRI3,   // flat
    PAL_FACE_TRI6,   // quadratic
    PAL_FACE_QUAD4,  // bilinear
    PAL_FACE_QUAD8,  // quadratic, without a node in the middle
} PalFaceKind;

#define PAL_FACE_NODE_MAX 8

// A point of a face.
typedef struct PalFacePoint {
    double natural[2];                  // xi, eta
    double weights[PAL_FACE_NODE_MAX];  // shape functions there; 0 beyond the face's nodes
    PalVec3 position;
    double distance;  // to the point asked for
} PalFacePoint;

int32_t pal_face_node_count(PalFaceKind kind);  // 0: there is no such kind

// The point of a face that is closest to another point, by minimising the distance over the face,
// its edges and corners included: no projection along a normal has to exist. Where several points
// are equally close, the answer is one of them, always the same. Faces may be folded, of no area,
// or a single point. False: the kind is none, or a number is missing, infinite or beyond 1e100. See
// docs/theory/levels.md.
bool pal_closest_on_face(PalFaceKind kind, const PalVec3 *nodes, PalVec3 point,
                         PalFacePoint *closest);

// The same over several faces of one kind, whose nodes follow each other. The index of the closest,
// the lowest of several that are equally close; PAL_NONE where there is none, or as above.
int32_t pal_closest_on_faces(PalFaceKind kind, const PalVec3 *nodes, int32_t face_count,
                             PalVec3 point, PalFacePoint *closest);

PAL_API_END
#ifdef __cplusplus
}
#endif

#endif
