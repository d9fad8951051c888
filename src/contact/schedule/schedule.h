// When contact is looked for: a row of a table, asked first in a step.
#ifndef PAL_CONTACT_SCHEDULE_SCHEDULE_H
#define PAL_CONTACT_SCHEDULE_SCHEDULE_H

#include "contact/surface/pairs.h"

// What a schedule is made for; borrowed, and valid as long as it is.
typedef struct PalScheduleSetup {
    const PalContactDef *def;
    const PalModel *model;
    PalContactSurface *surface;  // where it was last looked at
    const PalPairs *pairs;       // which objects touch
    double reach;                // nearer than this, contact has to know of two surfaces
    bool tells;                  // `foreseen` will be asked for
    double reach_per_travel;     // and by so many times the longest way of a vertex in the step
} PalScheduleSetup;

// What contact has done in a step that was looked at.
typedef struct PalPushes {
    int32_t count;
    const int32_t *carriers;  // those with an impulse
    const PalVec3 *impulse;   // per carrier
    const double (*inverse_mass)[4];
    double step;  // how long the velocities that change act
} PalPushes;

typedef struct PalSchedule {
    PalChoice choice;
    // Makes what it keeps from step to step; NULL: it keeps nothing.
    PalStatus (*create)(const PalScheduleSetup *setup, void **own, PalError *error);
    void (*destroy)(void *own);
    // Is contact to be looked for in this step? If not, no two surfaces that are to be kept apart
    // come within reach of each other in it. The surface is not placed for this step yet.
    bool (*wakes)(void *own, const PalSurfaceMotion *motion);
    // Contact was looked for in the step: the surface is where the step has left it. NULL: it does
    // not matter.
    void (*looked)(void *own, const PalPushes *pushes);
    // Surfaces may be anywhere. NULL: it does not matter.
    void (*forget)(void *own);
    // Contact will not be looked for before this time, as far as can be foreseen after a step.
    // NULL: in the next step.
    double (*next)(const void *own);
    // Times at which something may meet, ascending: those that a closer look in the step has found
    // one after the other. NULL: it does not look ahead.
    const double *(*foreseen)(const void *own, int32_t *count);
} PalSchedule;

extern const PalSchedule pal_schedule_every_step, pal_schedule_trajectory;

// Row of a schedule; NULL: there is none of this number.
const PalSchedule *pal_schedule_row(PalScheduleKind kind);

#endif
