// What must be true of contact after every step. Only builds with assertions look.
#include "contact/contact.h"

#include "base/assert.h"
#include "math/vec3.h"

#include <math.h>

#ifndef NDEBUG

#define ROUNDING 1e-9  // of all impulses together; of a normal, per unit of length

// Pairs of facets in order, each once, of objects that may touch.
static void check_pairs(const PalContact *contact)
{
    const PalContactSurface *surface = contact->surface;
    const PalSearch *search = contact->search;
    for (int32_t p = 0; p < search->pair_count; ++p) {
        PalFacetPair pair = search->pairs[p];
        PAL_ASSERT(pair.a >= 0 && pair.a < pair.b && pair.b < surface->facet_count);
        PAL_ASSERT(pal_contact_friction(contact, surface->facet_object[pair.a],
                                        surface->facet_object[pair.b]) >= 0);
        if (p > 0)
            PAL_ASSERT(search->pairs[p - 1].a < pair.a ||
                       (search->pairs[p - 1].a == pair.a && search->pairs[p - 1].b < pair.b));
    }
}

static void check_points(const PalContact *contact)
{
    for (int32_t i = 0; i < contact->point_count; ++i) {
        const PalContactPoint *point = &contact->points[i];
        PAL_ASSERT(point->objects[0] >= 0 && point->objects[0] <= point->objects[1]);
        PAL_ASSERT(point->objects[1] < contact->surface->object_count);
        PAL_ASSERT(point->normal_force > 0);
        double reach = 1 + pal_vec3_length(point->position[0]);  // its rounding is in the normal
        PAL_ASSERT(fabs(pal_vec3_dot(point->normal, point->normal) - 1) < ROUNDING * reach);
    }
}

// Nothing has an impulse that is not listed. What contact gives adds up to nothing, unless motion
// was cut, or the response takes that lightly.
static void check_impulses(const PalContact *contact, bool balanced)
{
    PalVec3 all = {0, 0, 0}, listed = {0, 0, 0};
    double size = 0;
    for (int32_t c = 0; c < contact->carriers.count; ++c) {
        all = pal_vec3_add(all, contact->impulse[c]);
        size += pal_vec3_length(contact->impulse[c]);
    }
    for (int32_t i = 0; i < contact->changed_count; ++i) {
        int32_t c = contact->changed[i];
        PAL_ASSERT(c >= 0 && c < contact->carriers.count);
        listed = pal_vec3_add(listed, contact->impulse[c]);
    }
    PAL_ASSERT(!isfinite(size) || pal_vec3_distance(all, listed) <= ROUNDING * size);
    PAL_ASSERT(!balanced || !isfinite(size) || pal_vec3_length(all) <= ROUNDING * size);
}

void pal_contact_validate(const PalContact *contact, int64_t rescues)
{
    bool cut = contact->report.rescues != rescues;
    PAL_ASSERT(contact->changed_count >= 0);
    if (!contact->asleep)
        check_pairs(contact);
    check_points(contact);
    check_impulses(contact, contact->response->prevents_crossing && !cut);
}

#else

void pal_contact_validate(const PalContact *contact, int64_t rescues)
{
    (void)contact, (void)rescues;
}

#endif
