#include "contact/schedule/schedule.h"

static bool wakes(void *own, const PalSurfaceMotion *motion)
{
    (void)own, (void)motion;
    return true;
}

const PalSchedule pal_schedule_every_step = {
    .choice = {"every-step", "In every step."},
    .wakes = wakes,
};
