// Vertices near each other, which move almost alike. How much nearer two points come is bounded by
// how their patches move against each other, not by how far both go.
#ifndef PAL_CONTACT_LAGRANGE_PATCHES_H
#define PAL_CONTACT_LAGRANGE_PATCHES_H

#include "contact/surface/surface.h"

#include <palpate/mesh.h>

// In a step, or in a part of it.
typedef struct PalPatchMotion {
    PalVec3 mean;   // of its vertices
    double own;     // none of them goes otherwise by more
    double around;  // nor does any vertex up to two edges away
} PalPatchMotion;

// One for each patch, worked out when somebody asks.
typedef struct PalPatchMotions {
    PalPatchMotion *items;
    int64_t *stamps, *around_stamps;  // when each was worked out
    int64_t stamp;
    int64_t *pushed_stamps;  // when it was asked whether one was pushed: twice the stamp, plus 1 if
} PalPatchMotions;

typedef struct PalPatches {
    int32_t count;
    int32_t *of;          // per vertex
    PalLists vertices;    // of each
    PalLists neighbours;  // of each: patches of vertices up to two edges away, and itself
    int32_t *object;      // of each
    PalVec3 *middle;      // of those of rigid objects, before any motion
    double *radius;       // around it; below 0: soft
    int64_t *pushed;      // the step in which one of its vertices was last touched
    PalPatchMotions expected, corrected;
    int64_t step;      // its stamp
    double less_push;  // share of what is expected to push a vertex that may be gone
    double rounding;   // of positions, in a step
} PalPatches;

// Vertices are where they start.
PalStatus pal_patches_create(PalPatches *patches, const PalContactSurface *surface,
                             double less_push, PalError *error);
void pal_patches_clear(PalPatches *patches);

// The step of this stamp begins: motions are those the surface is shown.
void pal_patches_begin(PalPatches *patches, int64_t stamp);
// Ends are others now: those of the vertices that were touched in the step of this stamp.
void pal_patches_correct(PalPatches *patches);

static inline void pal_patches_touch(PalPatches *patches, int32_t vertex, int64_t stamp)
{
    patches->pushed[patches->of[vertex]] = stamp;
}

// Was a vertex of this patch, or up to two edges away, touched in the step of this stamp? Asked
// after pal_patches_correct.
bool pal_patches_pushed(PalPatches *patches, int64_t stamp, int32_t patch);

// How much nearer any point of one comes to any point of the other in this step, at most: as
// expected, or as corrected, where vertices touched in the step of this stamp have their ends.
double pal_patches_expected(PalPatches *patches, PalContactSurface *surface, int32_t a, int32_t b);
double pal_patches_corrected(PalPatches *patches, PalContactSurface *surface, int64_t stamp,
                             int32_t a, int32_t b);

#endif
