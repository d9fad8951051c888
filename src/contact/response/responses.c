#include "contact/response/response.h"

#include "base/choice.h"
#include "base/memory.h"

#include <string.h>

static const PalResponse *const rows[] = {
    [PAL_RESPONSE_LAGRANGE] = &pal_response_lagrange,
    [PAL_RESPONSE_JOHNSEN2015] = &pal_response_johnsen2015,
    [PAL_RESPONSE_JOHNSEN2012] = &pal_response_johnsen2012,
    [PAL_RESPONSE_BARRIER] = &pal_response_barrier,
    [PAL_RESPONSE_MATERIAL_DEPTH] = &pal_response_material_depth,
    [PAL_RESPONSE_COLLOCATION] = &pal_response_collocation,
};

PAL_CHOICE_ROWS(response, PalResponseKind, PalResponse, rows)

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

bool pal_response_overlaps(PalResponseKind kind)
{
    const PalResponse *row = pal_response_row(kind);
    return row != NULL && row->overlaps;
}

bool pal_response_serves(PalResponseKind kind, bool implicit)
{
    const PalResponse *row = pal_response_row(kind);
    return row != NULL && (implicit ? row->implicit != NULL : row->step != NULL);
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
