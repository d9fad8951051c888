#include "solver/method.h"

#include "base/choice.h"

static const PalMethodRow *const rows[] = {
    [PAL_METHOD_EXPLICIT] = &pal_method_explicit,
    [PAL_METHOD_NEWMARK] = &pal_method_newmark,
    [PAL_METHOD_RELAXATION] = &pal_method_relaxation,
};

PAL_CHOICE_ROWS(method, PalMethod, PalMethodRow, rows)

bool pal_method_in_time(PalMethod method)
{
    const PalMethodRow *row = pal_method_row(method);
    return row != NULL && row->in_time;
}
