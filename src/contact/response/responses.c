#include "contact/response/response.h"

#include "base/choice.h"
#include "base/memory.h"

#include <string.h>

static const PalResponse *const rows[] = {
    [PAL_RESPONSE_LAGRANGE] = &pal_response_lagrange,
    [PAL_RESPONSE_JOHNSEN2015] = &pal_response_johnsen2015,
    [PAL_RESPONSE_JOHNSEN2012] = &pal_response_johnsen2012,
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const PalResponse *pal_response_row(PalResponseKind kind)
{
    return (int)kind >= 0 && (int)kind < ROW_COUNT ? rows[kind] : NULL;
}

const PalChoice *pal_response_choice(int32_t index)
{
    return index >= 0 && index < ROW_COUNT ? &rows[index]->choice : NULL;
}

PAL_CHOICE_NAMES(response, PalResponseKind)

bool pal_response_rests(PalResponseKind kind)
{
    const PalResponse *row = pal_response_row(kind);
    return row != NULL && row->rests;
}

bool pal_response_prevents_crossing(PalResponseKind kind)
{
    const PalResponse *row = pal_response_row(kind);
    return row != NULL && row->prevents_crossing;
}

PalContactPoint *pal_contact_add_point(PalContact *contact)
{
    if (contact->point_count == contact->point_capacity) {
        int32_t capacity = 2 * contact->point_capacity + 64;
        PalContactPoint *points = pal_alloc((size_t)capacity, sizeof *points);
        if (points == NULL)
            return NULL;
        if (contact->point_count > 0)
            memcpy(points, contact->points, (size_t)contact->point_count * sizeof *points);
        pal_free(contact->points);
        contact->points = points;
        contact->point_capacity = capacity;
    }
    return &contact->points[contact->point_count++];
}
