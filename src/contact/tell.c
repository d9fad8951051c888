#include "contact/tell.h"

#include "base/assert.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>

#define NEGLIGIBLE 1e-9  // of the largest normal force of the step
#define ROUNDING   64    // units in the last place of a position

PalStatus pal_contact_tell_create(PalContact *contact, PalError *error)
{
    const PalContactDef *def = &contact->def;
    const PalContactSurface *surface = contact->surface;
    int64_t n = surface->object_count;
    contact->pairs = pal_alloc((size_t)def->pair_count, sizeof *contact->pairs);
    contact->pair_of = pal_alloc((size_t)(n * n), sizeof *contact->pair_of);
    if (contact->pairs == NULL || contact->pair_of == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    for (int32_t p = 0; p < def->pair_count; ++p) {
        int32_t a = def->pairs[p].objects[0], b = def->pairs[p].objects[1];
        PalContactPairReport *pair = &contact->pairs[p];
        pair->objects[0] = a < b ? a : b;
        pair->objects[1] = a < b ? b : a;
        pair->friction = def->pairs[p].friction;
        contact->pair_of[pair->objects[0] * n + pair->objects[1]] = p;
    }
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        PalVec3 x = surface->start[v];
        contact->extent = fmax(contact->extent, fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))));
    }
    return PAL_OK;
}

void pal_contact_put_friction(PalContact *contact, int32_t pair_index, double friction)
{
    PAL_ASSERT(pair_index >= 0 && pair_index < contact->def.pair_count && friction >= 0);
    PalContactPairReport *pair = &contact->pairs[pair_index];
    int64_t n = contact->surface->object_count, a = pair->objects[0], b = pair->objects[1];
    pair->friction = contact->friction[a * n + b] = contact->friction[b * n + a] = friction;
}

// Least normal force worth telling. What moves no vertex by more than a position is rounded comes
// from the rounding alone.
static double least_force(const PalContact *contact, const PalContactStep *step)
{
    double largest = 0, lightest = 0;
    for (int32_t i = 0; i < contact->point_count; ++i)
        largest = fmax(largest, contact->points[i].normal_force);
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

static void count_point(PalContact *contact, const PalContactPoint *point)
{
    int64_t row = (int64_t)point->objects[0] * contact->surface->object_count;
    PalContactPairReport *pair = &contact->pairs[contact->pair_of[row + point->objects[1]]];
    pair->contact_count++;
    pair->normal_force += point->normal_force;
}

static void note_largest(PalContactPairReport *pair, double time)
{
    pair->touch_steps += pair->contact_count > 0;
    if (pair->normal_force > pair->largest_normal_force) {
        pair->largest_normal_force = pair->normal_force;
        pair->largest_time = time;
    }
}

void pal_contact_tell(PalContact *contact, const PalContactStep *step)
{
    double least = least_force(contact, step);
    int32_t kept = 0;
    for (int32_t p = 0; p < contact->def.pair_count; ++p) {
        contact->pairs[p].contact_count = 0;
        contact->pairs[p].normal_force = 0;
    }
    for (int32_t i = 0; i < contact->point_count; ++i) {
        if (!(contact->points[i].normal_force > least))
            continue;
        contact->points[kept] = contact->points[i];
        put_in_order(&contact->points[kept]);
        count_point(contact, &contact->points[kept++]);
    }
    contact->point_count = kept;
    for (int32_t p = 0; p < contact->def.pair_count; ++p)
        note_largest(&contact->pairs[p], step->end_time);
    PalContactReport *report = &contact->report;
    report->contact_count = kept;
    report->most_contacts = kept > report->most_contacts ? kept : report->most_contacts;
    report->worst_penetration = fmax(report->worst_penetration, report->penetration);
}
