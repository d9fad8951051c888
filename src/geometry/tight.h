// Volumes that fit tighter than a sphere, made where they are needed: boxes along the axes, boxes
// along axes of inertia, and slabs in 7, 9 or 13 directions. Aragon and Molinari (2014), 3.2.
#ifndef PAL_GEOMETRY_TIGHT_H
#define PAL_GEOMETRY_TIGHT_H

#include "math/float4.h"
#include "math/vec3.h"
#include <palpate/contact.h>

#define PAL_TIGHT_SLABS 13

// Bounds of the points along each of its directions, rounded outward, four to a register. What is
// left over is 0.
typedef struct PalSlabs {
    PalFloat4 lower[4], upper[4];
} PalSlabs;

// A box with axes of its own.
typedef struct PalTightBox {
    PalVec3 centre, axes[3], half;  // axes are unit vectors
} PalTightBox;

// Directions of a kind: 3, 7, 9 or 13; 0 for spheres and boxes of inertia, which have none.
int pal_slab_count(PalLeafKind kind);

// Around some points, with a margin on every side.
void pal_slabs_fit(PalLeafKind kind, const PalVec3 *points, int count, double margin,
                   PalSlabs *slabs);
void pal_tight_box_fit(const PalVec3 *points, int count, double margin, PalTightBox *box);

// No point is in both: there is a slab that tells.
static inline bool pal_slabs_apart(const PalSlabs *a, const PalSlabs *b, int count)
{
    PalInt4 apart = {0, 0, 0, 0};
    for (int k = 0; 4 * k < count; ++k)
        apart |= (a->lower[k] > b->upper[k]) | (b->lower[k] > a->upper[k]);
    return pal_int4_any(apart);
}

// By the six axes of both: two boxes that only a pair of edges keeps apart count as together.
bool pal_tight_boxes_apart(const PalTightBox *a, const PalTightBox *b);

// Whether two sets of points, each with a margin, are told apart by such volumes.
bool pal_tight_apart(PalLeafKind kind, const PalVec3 *a, const PalVec3 *b, int count,
                     double margin);

#endif
