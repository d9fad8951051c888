// Vertices near each other, which move almost alike. How much nearer two points come is bounded by
// how their patches move against each other, not by how far both go.
#ifndef PAL_CONTACT_LAGRANGE_PATCHES_H
#define PAL_CONTACT_LAGRANGE_PATCHES_H

#include "contact/gap/features.h"
#include "contact/surface/cut.h"

// In a step, as expected. A patch that turns is also described by a spin about its centre: any
// serves, and what it does not tell is left over.
typedef struct PalPatchMotion {
    PalVec3 mean;   // of its vertices, or nearly so
    double around;  // none of them, nor of their neighbours, goes otherwise by more
    bool turns;     // the rest is known
    PalVec3 centre, spin;
    double radius;     // all of them are within this of the centre
    double left_over;  // none goes otherwise than by mean and spin by more
    int64_t stamp;     // when this was worked out
    int64_t fitted;    // and when it was last found whether it turns
} PalPatchMotion;

// A number for each patch: the largest that was told of a vertex around it, or 0.
typedef struct PalPatchMost {
    double *items;
    int32_t told_count;
    int32_t *told;  // patches of which it is more
} PalPatchMost;

typedef struct PalPatches {
    PalCut cut;
    int32_t *around_nodes;  // of the vertices around each
    PalVec3 *middle;        // of those of rigid objects, before any motion
    double *radius;         // around it; below 0: soft
    double *edge;           // geometric mean of those of each, where they start
    PalPatchMotion *motions;
    int64_t *placed;     // the step in which all vertices around each were placed
    int64_t stamp;       // of the step
    PalPatchMost less;   // how far a vertex may go because contact pushes less than is expected
    PalPatchMost shift;  // how far a vertex ends from where it was expected
    double rounding;     // of positions, in a step
} PalPatches;

// All vertices around a patch are placed in this step.
void pal_patches_place(PalPatches *patches, PalContactSurface *surface, int32_t patch);
// Vertices are where they start.
PalStatus pal_patches_create(PalPatches *patches, const PalContactSurface *surface,
                             PalError *error);
void pal_patches_clear(PalPatches *patches);

// A step begins: motions are those the surface is shown, and nothing was told.
void pal_patches_begin(PalPatches *patches);
// Ends are others now: shifts are to be told anew.
void pal_patches_correct(PalPatches *patches);

static inline void pal_patches_tell(const PalPatches *patches, PalPatchMost *most, int32_t vertex,
                                    double number)
{
    const PalLists *touching = &patches->cut.touching;
    for (int32_t i = touching->start[vertex]; i < touching->start[vertex + 1]; ++i) {
        double *item = &most->items[touching->items[i]];
        if (number <= *item)
            continue;
        if (*item == 0)
            most->told[most->told_count++] = touching->items[i];
        *item = number;
    }
}

// The patch that a side of a candidate is in.
static inline int32_t pal_patches_of(const PalPatches *patches, const PalFeatures *features,
                                     int side)
{
    const PalCut *cut = &patches->cut;
    if (features->kind == PAL_CONTACT_EDGE_EDGE)
        return cut->edge_of[features->items[side]];
    return side == 0 ? cut->of[features->items[0]] : cut->facet_of[features->items[1]];
}

static inline double pal_patches_most(const PalPatchMost *most, int32_t patch)
{
    return most->items[patch];
}

// How much nearer any point around one comes to any point around the other in this step, at most,
// if all goes as expected.
double pal_patches_nearer(PalPatches *patches, PalContactSurface *surface, int32_t a, int32_t b);

#endif
