// The shapes that an implicit method tries in a step. Vertices of soft bodies are where
// displacements have them. Instruments go straight from where they are at the start of the step to
// where they are at its end: with each correction the rest of their way, or the part of it that is
// free.
#ifndef PAL_CONTACT_RESPONSE_TRIAL_H
#define PAL_CONTACT_RESPONSE_TRIAL_H

#include "contact/response/response.h"

typedef struct PalTrial {
    const PalModel *model;
    const PalState *state;  // its displacements are those of the present shape
    double time;            // at the end of the step
    double *stiffness;      // per object: what meets a force on one of its nodes; infinite: rigid
    PalVec3 *first;         // per vertex: at the start of the step
    PalVec3 *last;          // per vertex of instruments: at its end
    PalVec3 *place;         // per vertex: in the present shape
    double went, goes;      // part of the instruments' way, before the correction and now
    double limit;           // part of the correction from surface->start to surface->end
    bool leads;             // instruments move in this step
    bool waits;             // but stay where they are in this correction
    int32_t thread_count;
    PalMeter *meter;
} PalTrial;

// What a try is about: rigid bodies have the poses of its start and end.
typedef struct PalTrialDef {
    const PalModel *model;
    const PalState *state;
    const double *stiffness;  // per object
    double end_time;
    int32_t thread_count;
    PalMeter *meter;
} PalTrialDef;

PalStatus pal_trial_create(PalContact *contact, PalError *error);
void pal_trial_destroy(PalContact *contact);

// A step is to be searched for. PAL_SIM_FAILED: an instrument turns too far in it.
PalStatus pal_trial_begin(PalContact *contact, const PalTrialDef *def, PalError *error);

// A correction is to be taken from these displacements on; NULL: none, only the shape counts.
PalStatus pal_trial_aim(PalContact *contact, const PalVec3 *displacement, const PalVec3 *motion,
                        PalError *error);
// Goes part of the correction, up to the limit.
void pal_trial_go(PalContact *contact, double part);

// Nothing is left of the try.
void pal_trial_give_up(const PalModel *model, PalContact *contact, const PalState *state);

// The step is over.
PalStatus pal_trial_accept(PalContact *contact, PalError *error);

static inline bool pal_trial_is_soft(const PalContact *contact, int32_t vertex)
{
    return vertex < contact->surface->soft_vertex_count;
}

// The rest of the way of a vertex of an instrument.
PalVec3 pal_trial_rest(const PalContact *contact, int32_t vertex);

#endif
