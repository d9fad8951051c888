#include "solver/method.h"

#include "base/choice.h"

static const PalMethodRow *const rows[] = {
    [PAL_METHOD_EXPLICIT] = &pal_method_explicit,
    [PAL_METHOD_NEWMARK] = &pal_method_newmark,
    [PAL_METHOD_RELAXATION] = &pal_method_relaxation,
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const PalMethodRow *pal_method_row(PalMethod method)
{
    return (int)method >= 0 && (int)method < ROW_COUNT ? rows[method] : NULL;
}

const PalChoice *pal_method_choice(int32_t index)
{
    return index >= 0 && index < ROW_COUNT ? &rows[index]->choice : NULL;
}

PAL_CHOICE_NAMES(method, PalMethod)

bool pal_method_in_time(PalMethod method)
{
    const PalMethodRow *row = pal_method_row(method);
    return row != NULL && row->in_time;
}
