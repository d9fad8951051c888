// What the skins of smooth surfaces push with. Each vertex in the skin of an object is pushed once,
// where it is deepest, so that the force has a potential and no energy comes out of nothing.
// docs/theory/contact.md
#include "contact/response/lagrange/lagrange.h"

#include <math.h>

#define HASTE 0.2  // stiffness of a skin times the square of the step, over mass: no more
#define STIFF 2    // how much stronger skins are when they are pressed flat

// The object whose skin the vertex of a gap is in.
static int32_t object_below(const PalContactSurface *surface, const PalGap *gap)
{
    return surface->vertex_object[gap->vertices[1]];
}

// From 0, outside, to 1, where facets are as near as they may be.
static double depth_of(const PalContact *contact, const PalGap *gap)
{
    return pal_min(1, 1 - (gap->along - contact->separation) / gap->skin);
}

// Is another row of the same vertex deeper in the same object?
static bool is_pushed_elsewhere(const PalContact *contact, const PalLagrange *lagrange, int32_t r)
{
    const PalGap *gap = &lagrange->gaps.items[r];
    int32_t other = lagrange->skin_row[gap->vertices[0]];
    return other != r && object_below(contact->surface, &lagrange->gaps.items[other]) ==
                             object_below(contact->surface, gap);
}

// Each vertex gets the row where it is deepest.
static void choose(const PalContact *contact, PalLagrange *lagrange)
{
    const PalGap *gaps = lagrange->gaps.items;
    for (int32_t r = 0; r < lagrange->rows.count; ++r) {
        int32_t *chosen = &lagrange->skin_row[gaps[r].vertices[0]];
        if (gaps[r].skin > 0 &&
            (*chosen == PAL_NONE ||
             (is_pushed_elsewhere(contact, lagrange, r) &&
              gaps[r].along - gaps[r].skin < gaps[*chosen].along - gaps[*chosen].skin)))
            *chosen = r;
    }
}

// With the depth, d^1.5 as between balls, and much stiffer in the end, so that facets do not meet
// with a jolt: d^1.5 + 2 d^6. What can move as fast as the step allows must not be thrown.
static double push(const PalContact *contact, const PalContactStep *step, const PalRow *row,
                   const PalGap *gap, double length)
{
    double depth = depth_of(contact, gap), strength = gap->strength * length;
    if (!(depth > 0))
        return 0;
    double most = HASTE * gap->skin / (strength * step->gain * step->step * row->response);
    double stiff = pal_max(0, pal_min(STIFF, (most - 1.5) / 6)), cube = depth * depth * depth;
    return step->gain * strength * pal_min(1, most / 1.5) *
           (depth * sqrt(depth) + stiff * cube * cube);
}

void pal_lagrange_push_skins(const PalContact *contact, PalLagrange *lagrange,
                             const PalContactStep *step)
{
    const PalGap *gaps = lagrange->gaps.items;
    choose(contact, lagrange);
    for (int32_t r = 0; r < lagrange->rows.count; ++r) {
        PalRow *row = &lagrange->rows.items[r];
        if (gaps[r].skin > 0 && !is_pushed_elsewhere(contact, lagrange, r))
            row->floor =
                push(contact, step, row, &gaps[r], contact->skin->length[gaps[r].vertices[0]]);
    }
    for (int32_t r = 0; r < lagrange->rows.count; ++r)
        lagrange->skin_row[gaps[r].vertices[0]] = PAL_NONE;
}
