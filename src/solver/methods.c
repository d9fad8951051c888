#include "solver/method.h"

#include "base/choice.h"

static const PalMethodRow *const rows[] = {
    [PAL_METHOD_EXPLICIT] = &pal_method_explicit,
    [PAL_METHOD_NEWMARK] = &pal_method_newmark,
    [PAL_METHOD_RELAXATION] = &pal_method_relaxation,
    [PAL_METHOD_IMPLICIT] = &pal_method_implicit,
    [PAL_METHOD_IMPLICIT_STATIC] = &pal_method_implicit_static,
};

PAL_CHOICE_ROWS(method, PalMethod, PalMethodRow, rows)

bool pal_method_in_time(PalMethod method)
{
    const PalMethodRow *row = pal_method_row(method);
    return row != NULL && row->in_time;
}

bool pal_method_is_implicit(PalMethod method)
{
    const PalMethodRow *row = pal_method_row(method);
    return row != NULL && row->implicit;
}
