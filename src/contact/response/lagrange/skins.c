// What the skins of smooth surfaces push with. Each vertex in the skin of an object is pushed once,
// where it is deepest, so that the force has a potential and no energy comes out of nothing.
// docs/theory/contact.md
#include "contact/gap/account.h"
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

// Rows of a vertex in skins, one after the other. False: no memory.
static bool chain_rows(PalLagrange *lagrange)
{
    const PalGap *gaps = lagrange->gaps.items;
    lagrange->skin_next.count = 0;
    if (lagrange->skin_next.capacity < lagrange->rows.count &&
        !pal_array_reserve(&lagrange->skin_next, lagrange->rows.count))
        return false;
    for (int32_t r = 0; r < lagrange->rows.count; ++r) {
        int32_t *first = &lagrange->skin_row[gaps[r].vertices[0]];
        if (!(gaps[r].skin > 0))
            continue;
        lagrange->skin_next.items[r] = *first;
        *first = r;
    }
    return true;
}

// Is the vertex nowhere deeper in the same object?
static bool is_deepest(const PalContact *contact, const PalLagrange *lagrange, int32_t r)
{
    const PalGap *gaps = lagrange->gaps.items;
    int32_t object = object_below(contact->surface, &gaps[r]);
    double height = gaps[r].along - gaps[r].skin;
    for (int32_t other = lagrange->skin_row[gaps[r].vertices[0]]; other != PAL_NONE;
         other = lagrange->skin_next.items[other]) {
        double its = gaps[other].along - gaps[other].skin;
        if (object_below(contact->surface, &gaps[other]) == object &&
            (its < height || (its == height && other < r)))
            return false;
    }
    return true;
}

// With the depth, and what is held then: d^1.5 as between balls, and much stiffer in the end, so
// that facets do not meet with a jolt: d^1.5 + 2 d^6. What can move as fast as the step allows must
// not be thrown.
static double push(const PalContact *contact, const PalContactStep *step, const PalRow *row,
                   const PalGap *gap, double *held)
{
    double depth = depth_of(contact, gap);
    double strength = gap->strength * contact->skin->length[gap->vertices[0]];
    *held = 0;
    if (!(depth > 0))
        return 0;
    double most = HASTE * gap->skin / (strength * step->gain * step->step * row->response);
    double stiff = pal_max(0, pal_min(STIFF, (most - 1.5) / 6)), cube = depth * depth * depth;
    double root = depth * sqrt(depth);
    strength *= pal_min(1, most / 1.5);
    *held = strength * gap->skin * depth * (root / 2.5 + stiff * cube * cube / 7);
    return step->gain * strength * (root + stiff * cube * cube);
}

// The account of the two objects of a gap in a skin; NULL: no memory.
static PalAccount *account_of(const PalContact *contact, const PalGap *gap)
{
    const int32_t *object = contact->surface->vertex_object, *v = gap->vertices;
    return pal_account_open(contact->skin, object[v[0]], object[v[3]]);
}

void pal_lagrange_push_skins(const PalContact *contact, PalLagrange *lagrange,
                             const PalContactStep *step)
{
    const PalGap *gaps = lagrange->gaps.items;
    if (!chain_rows(lagrange)) {
        lagrange->rows.no_memory = true;
        return;
    }
    pal_accounts_begin(contact->skin);
    for (int32_t r = 0; r < lagrange->rows.count; ++r) {
        PalRow *row = &lagrange->rows.items[r];
        if (!(gaps[r].skin > 0) || !is_deepest(contact, lagrange, r))
            continue;
        PalAccount *account = account_of(contact, &gaps[r]);
        if (account == NULL) {
            lagrange->rows.no_memory = true;
            break;
        }
        double held;
        row->floor = (1 - account->yield) * push(contact, step, row, &gaps[r], &held);
        account->held += held;
    }
    for (int32_t r = 0; r < lagrange->rows.count; ++r)
        lagrange->skin_row[gaps[r].vertices[0]] = PAL_NONE;
}

// What contact does beyond pressing skins and letting them go: all it does along the normal and
// across, less what the skin does as the gap changes.
void pal_lagrange_book_skin(const PalContact *contact, const PalLagrange *lagrange,
                            const PalRow *row, double step)
{
    const PalContactSurface *surface = contact->surface;
    const PalGap *gap = &lagrange->gaps.items[row - lagrange->rows.items];
    const int32_t *object = surface->vertex_object, *v = gap->vertices;
    PalAccount *account = pal_account_find(contact->skin, object[v[0]], object[v[3]]);
    if (account == NULL || !(gap->skin > 0 || gap->sloped))
        return;
    PalVec3 motion = pal_vec3_scale(1 / step, pal_vec3_sub(pal_gap_apart(gap, surface->end),
                                                           pal_gap_apart(gap, surface->start)));
    PalVec3 drag = pal_vec3(row->drag[0], row->drag[1], row->drag[2]);
    double rate = pal_vec3_dot(gap->normal, motion), whole = row->floor / (1 - account->yield);
    double slide = gap->sloped ? pal_vec3_dot(gap->slope, motion) : 0;
    account->given += row->impulse * rate + pal_vec3_dot(drag, motion) - whole * (rate + slide);
}
