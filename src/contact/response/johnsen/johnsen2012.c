// The response of johnsen2012: master and slave change roles until nothing intersects.
// Algorithm 1 there; docs/theory/contact-johnsen.md
#include "base/timer.h"
#include "contact/response/johnsen/johnsen.h"

#include <math.h>

#define RATE_SHARE 0.5   // of the margin: Delta_close
#define ROUNDS     20    // at most
#define RESOLVED   1e-3  // an overlap below this part of the margin is none

static double reach(const PalContact *contact)
{
    return contact->def.separation + RATE_SHARE * pal_search_published_margin(contact->surface);
}

static PalStatus create(PalContact *contact, PalError *error)
{
    return pal_johnsen_create(contact, PAL_NORMAL_ANGLE, true, RATE_SHARE, error);
}

static int32_t count_overlaps(const PalContact *contact)
{
    const PalJohnsen *johnsen = contact->own;
    int32_t count = 0;
    for (int32_t t = 0; t < johnsen->finder.found.count; ++t)
        count += johnsen->finder.found.items[t].gap.along - contact->separation <
                 -RESOLVED * johnsen->margin;
    return count;
}

// One round with one distribution of roles; `overlaps`: how many there were.
static PalStatus respond(PalContact *contact, const PalContactStep *step, int round,
                         PalMeter *meter, int32_t *overlaps, PalError *error)
{
    PalJohnsen *johnsen = contact->own;
    PalRoles roles = round % 2 == 0 ? PAL_ROLES_HIGH_LEADS : PAL_ROLES_LOW_LEADS;
    PalPushRule rule = {
        .separation = contact->separation,
        .rate_distance = round < 2 ? contact->rate_distance : 0,  // once in each role
        .even_split = true,
    };
    PAL_TRY(pal_near_find(&johnsen->finder, contact, roles, meter, error));
    *overlaps = count_overlaps(contact);
    return pal_johnsen_respond(contact, step, &rule, error);
}

// Both roles must have found nothing, one after the other.
static PalStatus step_2012(PalContact *contact, const PalContactStep *step, PalMeter *meter,
                           PalError *error)
{
    pal_johnsen_begin(contact);
    int32_t overlaps = 0, quiet = 0;
    double deepest = 0;
    for (int round = 0; round < ROUNDS && quiet < 2; ++round) {
        if (round == 0 || !pal_search_covers(contact->search, contact->surface, NULL,
                                             contact->surface->vertex_count))
            PAL_TRY(pal_search_update(contact->search, contact->surface, step->thread_count, meter,
                                      error));
        double begin = pal_timer_seconds(), last = contact->report.penetration;
        PAL_TRY(respond(contact, step, round, meter, &overlaps, error));
        deepest = fmax(last, contact->report.penetration);
        quiet = overlaps == 0 ? quiet + 1 : 0;
        meter->profile.contact_response += pal_timer_seconds() - begin;
    }
    contact->report.penetration = deepest;
    contact->report.rescues += overlaps;
    return PAL_OK;
}

const PalResponse pal_response_johnsen2012 = {
    .choice = {"johnsen2012", "As published by Johnsen et al. in 2012: the two surfaces take turns "
                              "as the master until they no longer overlap."},
    .reach = reach,
    .sight = pal_johnsen_sight,
    .create = create,
    .destroy = pal_johnsen_destroy,
    .step = step_2012,
};
