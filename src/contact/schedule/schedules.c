#include "contact/schedule/schedule.h"

#include "base/choice.h"

static const PalSchedule *const rows[] = {
    [PAL_SCHEDULE_EVERY_STEP] = &pal_schedule_every_step,
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const PalSchedule *pal_schedule_row(PalScheduleKind kind)
{
    return (int)kind >= 0 && (int)kind < ROW_COUNT ? rows[kind] : NULL;
}

const PalChoice *pal_schedule_choice(int32_t index)
{
    return index >= 0 && index < ROW_COUNT ? &rows[index]->choice : NULL;
}

PAL_CHOICE_NAMES(schedule, PalScheduleKind)
