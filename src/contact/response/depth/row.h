// What both responses by depths have in common.
#ifndef PAL_CONTACT_RESPONSE_DEPTH_ROW_H
#define PAL_CONTACT_RESPONSE_DEPTH_ROW_H

#include "contact/response/depth/depth.h"
#include "contact/response/response.h"

typedef struct PalDepthOwn {
    PalDepth *depth;
    int64_t renewals;  // of fields, since the start
    // ---- implicit methods
    PalVec3 *first;   // per model node: displacement at the start of the step
    PalVec3 *motion;  // and the way from there
    double *settled;  // per vertex: the multiplier as the last step has left it
    int32_t rounds;   // of multipliers and friction in this step
    bool soft;        // multipliers are less than that
} PalDepthOwn;

static inline PalDepthOwn *pal_depth_own(const PalContact *contact)
{
    return contact->own;
}

extern const PalImplicitRow pal_depth_implicit;

PalStatus pal_depth_row_create(PalContact *contact, bool at_vertices, PalError *error);
void pal_depth_row_destroy(PalContact *contact);
double pal_depth_row_reach(const PalContact *contact);

// Explicit methods: forces of the shape at the start of the step.
PalStatus pal_depth_row_step(PalContact *contact, const PalContactStep *step, PalMeter *meter,
                             PalError *error);

// Leaves points and the report's penetration, of items as they were found. `motion`: of nodes in
// the step, for friction; NULL: friction is what grips did in a step of an explicit method.
PalStatus pal_depth_row_tell(PalContact *contact, const PalVec3 *motion, PalError *error);

// The part of a correction, from surface->start to surface->end, in which nothing gets past the
// middle of anything. The search has its pairs of facets.
double pal_depth_guard(const PalContact *contact);

// ---- checkpoints
int32_t pal_depth_row_kept_count(const PalContact *contact);
void pal_depth_row_keep(const PalContact *contact, PalKept *rows);
PalStatus pal_depth_row_restore(PalContact *contact, const PalKept *rows, int32_t count);

#endif
