#include "contact/schedule/schedule.h"

#include "base/choice.h"

static const PalSchedule *const rows[] = {
    [PAL_SCHEDULE_EVERY_STEP] = &pal_schedule_every_step,
    [PAL_SCHEDULE_TRAJECTORY] = &pal_schedule_trajectory,
};

PAL_CHOICE_ROWS(schedule, PalScheduleKind, PalSchedule, rows)
