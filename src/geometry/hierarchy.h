// A tree of bounding volumes over the triangles of a surface, with cones around their normals.
#ifndef PAL_GEOMETRY_HIERARCHY_H
#define PAL_GEOMETRY_HIERARCHY_H

#include <palpate/contact.h>

// The surface a hierarchy bounds. Borrowed; vertices move, connections stay.
typedef struct PalTriangles {
    int32_t vertex_count;
    int32_t facet_count;
    const int32_t (*facets)[3];   // vertices, counter-clockwise seen from outside
    const int32_t *facet_object;  // which object each facet belongs to
    const PalVec3 *start, *end;   // vertex positions before and after the step
} PalTriangles;

typedef struct PalCone {
    PalVec3 axis;  // unit
    double angle;  // full opening angle, 0 to 2 pi
} PalCone;

// One volume. Children stand next to each other, after their parent.
typedef struct PalVolume {
    PalBounds box;        // aabb: in space; obb: in the frame below
    int32_t parent;       // PAL_NONE at the root
    int32_t first_child;  // PAL_NONE in a leaf
    int32_t child_count;  // 0 in a leaf
    int32_t first_facet;  // its facets are order[first_facet] .. + facet_count - 1
    int32_t facet_count;
    int32_t object;  // of all its facets, or PAL_NONE when they differ
    bool connected;  // its facets hang together by edges
    bool disk;       // and form a disk: one rim, no holes
    PalCone cone;
} PalVolume;

typedef struct PalHierarchy {
    PalHierarchyKind kind;
    PalConeKind cone_kind;
    int32_t volume_count, facet_count;
    PalVolume *volumes;  // the root first
    int32_t *order;      // facets, sorted so that each volume's are consecutive
    int32_t *leaf_of;    // per facet: its leaf
    PalMat3 *frames;     // obb: per volume, rows are the axes; otherwise NULL
    double margin;       // added on every side of a leaf
    int32_t rim_count;   // rims: closed loops around disks, see pal_hierarchy_rim
    int32_t *rim_start;
    int32_t *rim_vertices;
} PalHierarchy;

// Two stages: connected clusters are merged from below, clusters are split from above with
// the cost of johnsen2015, equation 5.
PalStatus pal_hierarchy_create(PalHierarchyKind kind, PalConeKind cone, double margin,
                               const PalTriangles *triangles, PalHierarchy **hierarchy,
                               PalError *error);
void pal_hierarchy_destroy(PalHierarchy *hierarchy);

// Vertices around the rim of a disk, in the order of the surface's orientation. NULL: no disk.
const int32_t *pal_hierarchy_rim(const PalHierarchy *hierarchy, int32_t volume, int32_t *count);

// Cone around two cones.
PalCone pal_cone_merge(PalConeKind kind, const PalCone *a, const PalCone *b);

#endif
