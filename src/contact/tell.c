#include "contact/tell.h"

#include "base/array.h"
#include "base/assert.h"
#include "math/range.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEGLIGIBLE 1e-9  // of the largest normal force of the step
#define ROUNDING   64    // units in the last place of a position

// ---- reports of pairs -----------------------------------------------------------------------

// Where the report of two objects stands among the places, or would.
static int32_t place_of(const PalContact *contact, int32_t low, int32_t high)
{
    int32_t first = 0, end = contact->pair_count;
    while (first < end) {
        int32_t middle = first + (end - first) / 2;
        const PalPairPlace *place = &contact->places[middle];
        bool before = place->low < low || (place->low == low && place->high < high);
        first = before ? middle + 1 : first;
        end = before ? end : middle;
    }
    return first;
}

int32_t pal_contact_find_pair(const PalContact *contact, int32_t a, int32_t b)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a, place = place_of(contact, low, high);
    bool known = place < contact->pair_count && contact->places[place].low == low &&
                 contact->places[place].high == high;
    return known ? contact->places[place].report : PAL_NONE;
}

int32_t pal_contact_add_pair(PalContact *contact, int32_t a, int32_t b, double friction)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a, place = place_of(contact, low, high);
    int32_t count = contact->pair_count;
    if (!pal_array_grow((void **)&contact->pairs, &contact->pair_capacity, count, 1,
                        sizeof *contact->pairs) ||
        !pal_array_grow((void **)&contact->places, &contact->place_capacity, count, 1,
                        sizeof *contact->places))
        return PAL_NONE;
    memmove(&contact->places[place + 1], &contact->places[place],
            (size_t)(count - place) * sizeof *contact->places);
    contact->places[place] = (PalPairPlace){low, high, count};
    contact->pairs[count] = (PalContactPairReport){.objects = {low, high}, .friction = friction};
    contact->pair_count = count + 1;
    return count;
}

static int compare_places(const void *left, const void *right)
{
    const PalPairPlace *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return (a->high > b->high) - (a->high < b->high);
}

void pal_contact_forget_pairs(PalContact *contact)
{
    contact->pair_count = contact->def.pair_count;
    for (int32_t p = 0; p < contact->pair_count; ++p)
        contact->places[p] =
            (PalPairPlace){contact->pairs[p].objects[0], contact->pairs[p].objects[1], p};
    if (contact->pair_count > 0)
        qsort(contact->places, (size_t)contact->pair_count, sizeof *contact->places,
              compare_places);
}

PalStatus pal_contact_tell_create(PalContact *contact, PalError *error)
{
    const PalContactDef *def = &contact->def;
    const PalContactSurface *surface = contact->surface;
    if (!pal_array_grow((void **)&contact->pairs, &contact->pair_capacity, 0,
                        (int64_t)def->pair_count + 1, sizeof *contact->pairs) ||
        !pal_array_grow((void **)&contact->places, &contact->place_capacity, 0,
                        (int64_t)def->pair_count + 1, sizeof *contact->places))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    for (int32_t p = 0; p < def->pair_count; ++p) {
        int32_t a = def->pairs[p].objects[0], b = def->pairs[p].objects[1];
        contact->pairs[p] = (PalContactPairReport){.objects = {a < b ? a : b, a < b ? b : a},
                                                   .friction = def->pairs[p].friction};
    }
    pal_contact_forget_pairs(contact);
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        PalVec3 x = surface->start[v];
        contact->extent = fmax(contact->extent, fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))));
    }
    return PAL_OK;
}

bool pal_contact_put_friction(PalContact *contact, int32_t pair_index, double friction)
{
    PAL_ASSERT(pair_index >= 0 && pair_index < contact->pair_count);
    PalContactPairReport *pair = &contact->pairs[pair_index];
    pair->friction = friction;
    return pal_pairs_set(contact->objects, pair->objects[0], pair->objects[1], friction);
}

// ---- points -----------------------------------------------------------------------------------

// Least normal force worth telling. What moves no vertex by more than a position is rounded comes
// from the rounding alone.
static double least_force(const PalContact *contact, const PalContactStep *step)
{
    double largest = 0, lightest = 0;
    for (int32_t i = 0; i < contact->point_count; ++i)
        largest = pal_max(largest, contact->points[i].normal_force);
    double motion =
        step->step * step->gain * contact->carriers.largest_inverse;  // per unit of force
    if (motion > 0)
        lightest = ROUNDING * DBL_EPSILON * contact->extent / motion;
    return fmax(NEGLIGIBLE * largest, lightest);
}

static void put_in_order(PalContactPoint *point)
{
    if (point->objects[0] <= point->objects[1])
        return;
    int32_t object = point->objects[0];
    PalVec3 position = point->position[0];
    point->objects[0] = point->objects[1];
    point->objects[1] = object;
    point->position[0] = point->position[1];
    point->position[1] = position;
    point->normal = pal_vec3_scale(-1, point->normal);
    point->force = pal_vec3_scale(-1, point->force);
}

// Neighbours are mostly of the same pair as the last. False: no memory.
static bool count_point(PalContact *contact, const PalContactPoint *point, int32_t *last)
{
    int32_t a = point->objects[0], b = point->objects[1], p = *last;
    const PalContactPairReport *guess = p != PAL_NONE ? &contact->pairs[p] : NULL;
    if (guess == NULL || guess->objects[0] != a || guess->objects[1] != b)
        p = pal_contact_find_pair(contact, a, b);
    if (p == PAL_NONE)
        p = pal_contact_add_pair(contact, a, b, pal_contact_friction(contact, a, b));
    if (p == PAL_NONE)
        return false;
    contact->pairs[p].contact_count++;
    contact->pairs[p].normal_force += point->normal_force;
    *last = p;
    return true;
}

static void note_largest(PalContactPairReport *pair, double time)
{
    pair->touch_steps += pair->contact_count > 0;
    if (pair->normal_force > pair->largest_normal_force) {
        pair->largest_normal_force = pair->normal_force;
        pair->largest_time = time;
    }
}

PalStatus pal_contact_tell(PalContact *contact, const PalContactStep *step, PalError *error)
{
    double least = least_force(contact, step);
    int32_t kept = 0, pair = PAL_NONE;
    for (int32_t p = 0; p < contact->pair_count; ++p) {
        contact->pairs[p].contact_count = 0;
        contact->pairs[p].normal_force = 0;
    }
    for (int32_t i = 0; i < contact->point_count; ++i) {
        if (!(contact->points[i].normal_force > least))
            continue;
        if (kept < i)
            contact->points[kept] = contact->points[i];
        put_in_order(&contact->points[kept]);
        if (!count_point(contact, &contact->points[kept++], &pair))
            return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    }
    contact->point_count = kept;
    for (int32_t p = 0; p < contact->pair_count; ++p)
        note_largest(&contact->pairs[p], step->end_time);
    PalContactReport *report = &contact->report;
    report->contact_count = kept;
    report->most_contacts = kept > report->most_contacts ? kept : report->most_contacts;
    report->worst_penetration = fmax(report->worst_penetration, report->penetration);
    return PAL_OK;
}
