// A tree of bounding volumes over the triangles of a surface, with cones around their normals.
#ifndef PAL_GEOMETRY_HIERARCHY_H
#define PAL_GEOMETRY_HIERARCHY_H

#include "math/float4.h"
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

// Rounded outward. The fourth numbers are zero: a box is two loads of a vector register.
typedef struct PalBox {
    PalFloat4 lower, upper;
} PalBox;

// One volume. Children are next to each other, after their parent.
typedef struct PalVolume {
    int32_t parent;       // PAL_NONE at the root
    int32_t first_child;  // PAL_NONE in a leaf
    int32_t child_count;  // 0 in a leaf
    int32_t first_facet;  // its facets are order[first_facet] .. + facet_count - 1
    int32_t facet_count;  // 1 in a leaf
    int32_t end;          // the volumes inside it are first_child .. end - 1
    int32_t object;       // of all its facets, or PAL_NONE when they differ
    bool connected;       // its facets hang together by edges with two facets of one orientation
    bool disk;            // and form a disk: one rim, no holes
} PalVolume;

// Refitting goes block by block, which stays in the cache, and then over what is above them.
typedef struct PalRefitBlock {
    int32_t first_facet, facet_count;  // places in the order
    int32_t first_inner, inner_count;
    int32_t first_merge, merge_count;
} PalRefitBlock;

// A volume with children.
typedef struct PalInner {
    int32_t volume, first_child, child_count;
} PalInner;

// The cone of `to` becomes that around the cones of a and b.
typedef struct PalConeMerge {
    int32_t to, a, b;
} PalConeMerge;

// Sums over the corners of a volume's facets, for the frame of its box.
typedef struct PalMoments {
    double count;
    PalVec3 first;
    double second[6];  // xx xy xz yy yz zz
} PalMoments;

typedef struct PalHierarchy {
    PalHierarchyKind kind;
    PalConeKind cone_kind;
    bool by_edges;  // sets were split along sharp edges, not in halves
    int32_t volume_count, facet_count;
    PalVolume *volumes;  // the root first; none where there is no facet
    PalBox *boxes;       // per volume; aabb: in space; obb: in its frame
    PalCone *cones;      // per volume, around the normals at the end of the step
    PalMat3 *frames;     // obb: per volume, rows are the axes; otherwise NULL
    int32_t *order;      // facets, sorted so that each volume's are consecutive
    int32_t *leaf_of;    // per facet: its leaf
    int32_t *leaves;     // per place in the order: the leaf of that facet
    PalInner *inner;     // volumes with children, each after all those inside it
    int32_t inner_count;
    int32_t block_count;
    PalRefitBlock *blocks;  // the last has no facets of its own: all above the others
    int32_t merge_count;
    PalConeMerge *merges;  // in groups of PAL_LANES that do not need each other
    double margin;         // added on every side of a leaf
    int32_t *rim_start;    // per volume and one more: see pal_hierarchy_rim
    int32_t *rim_vertices;
    int32_t vertex_count;
    int32_t (*corners)[3];  // per place in the order: vertices of that facet
    PalMoments *moments;    // obb: per volume; otherwise NULL
    PalBox *vertex_boxes;   // scratch: where each vertex is in the step, with the margin
} PalHierarchy;

// Two stages: connected clusters are merged from below, clusters are split from above with
// the cost of johnsen2015, equation 5.
PalStatus pal_hierarchy_create(PalHierarchyKind kind, PalConeKind cone, double margin,
                               const PalTriangles *triangles, PalHierarchy **hierarchy,
                               PalError *error);
// The same, but sets are split along sharp edges where there are any, not in halves.
PalStatus pal_hierarchy_create_by_edges(PalHierarchyKind kind, PalConeKind cone, double margin,
                                        const PalTriangles *triangles, PalHierarchy **hierarchy,
                                        PalError *error);
void pal_hierarchy_destroy(PalHierarchy *hierarchy);
// Whether its volumes are what every search takes them for; says what is broken. Creating one
// asserts it.
PalStatus pal_hierarchy_validate(const PalHierarchy *hierarchy, PalError *error);

// Boxes hold each facet at the start and at the end of the step, cones its normal at the end.
void pal_hierarchy_refit(PalHierarchy *hierarchy, const PalTriangles *triangles);
void pal_hierarchy_refit_boxes(PalHierarchy *hierarchy, const PalTriangles *triangles);
void pal_hierarchy_refit_cones(PalHierarchy *hierarchy, const PalTriangles *triangles);

// Vertices around the rim of a disk, in the order of the surface's orientation. NULL: no disk.
const int32_t *pal_hierarchy_rim(const PalHierarchy *hierarchy, int32_t volume, int32_t *count);
int32_t pal_hierarchy_longest_rim(const PalHierarchy *hierarchy);  // in vertices

// Cone around two cones.
PalCone pal_cone_merge(PalConeKind kind, const PalCone *a, const PalCone *b);

// Cone of one normal, which need not be a unit vector. No direction: all directions.
PalCone pal_cone_of(PalVec3 normal);

static inline bool pal_boxes_overlap(const PalBox *a, const PalBox *b)
{
    return !pal_int4_any((a->lower > b->upper) | (b->lower > a->upper));
}

#endif
