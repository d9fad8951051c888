// Contact in one step of a solver: when, where, how far, how hard.
#ifndef PAL_CONTACT_CONTACT_H
#define PAL_CONTACT_CONTACT_H

#include "contact/response/response.h"

// What contact is made of. What is NULL is taken as the definition has it.
typedef struct PalContactSetup {
    const PalContactDef *def;
    const PalSchedule *schedule;
    const PalResponse *response;
    PalContactSurface *surface;  // the model's objects by other sources; from then on contact's own
    bool tells;                  // pal_contact_foreseen will be asked
    bool to_rest;                // an equilibrium is sought, not a motion
} PalContactSetup;

// Surfaces are where the state has them. Only where pal_contact_def_touches(def).
PalStatus pal_contact_create(const PalContactSetup *setup, const PalModel *model,
                             const PalState *state, PalContact **contact, PalError *error);
void pal_contact_destroy(PalContact *contact);

// Model nodes that contact may push, ascending.
const int32_t *pal_contact_nodes(const PalContact *contact, int32_t *count);

// Takes over inverse masses, per component of each model node; held components become immovable.
void pal_contact_set_mass(PalContact *contact, const PalModel *model, const double *inverse_mass);

// From now on gaps that change by more than this in a step matter, as do those that usually do.
void pal_contact_set_exactness(PalContact *contact, double change);

// Another friction of two objects that touch, for the steps to come. False: no memory.
bool pal_contact_set_friction(PalContact *contact, int32_t a, int32_t b, double friction);

// Gives the nodes that contact pushed in the last step the velocities they will have if it pushes
// them as much again: contact looks at what is near in that motion. `gain` as in the step; speeds
// are of chunks, and need not know of these nodes. pal_contact_predicted takes it back.
void pal_contact_expect(PalContact *contact, const PalVec3 *force, double gain, PalVec3 *velocity,
                        double *speeds);
void pal_contact_predicted(PalContact *contact, PalVec3 *velocity);
// Does it do so at all?
bool pal_contact_expects(const PalContact *contact);

// Finds the impulses that correct the predicted motion so that nothing passes through anything.
PalStatus pal_contact_step(const PalModel *model, PalContact *contact, const PalContactStep *step,
                           PalMeter *meter, PalError *error);

// Contact will not be looked for before this time, as far as the schedule foresees after a step.
double pal_contact_next_look(const PalContact *contact, double now);

// Times at which something may meet that a closer look in the last step has found one after the
// other, ascending. Valid until the next step.
const double *pal_contact_foreseen(const PalContact *contact, int32_t *count);

// Does nothing but stop where contact contradicts itself after a step. `rescues`: as reported
// before the step.
void pal_contact_validate(const PalContact *contact, int64_t rescues);

// Brings surfaces to a state restored from a checkpoint.
void pal_contact_restored(const PalModel *model, PalContact *contact, const PalState *state);

// Brings surfaces back to where they were before a step that is not to count.
void pal_contact_step_back(const PalModel *model, PalContact *contact, const PalState *state);

#endif
