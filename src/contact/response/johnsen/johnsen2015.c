// The response of johnsen2015, as printed: each near is resolved at once and by itself, then
// each node's forces become one.  docs/theory/contact-johnsen.md
#include "base/timer.h"
#include "contact/response/johnsen/johnsen.h"

#define RATE_SHARE 0.025  // of the margin: epsilon_r

static double reach(const PalContact *contact)
{
    return contact->def.separation + RATE_SHARE * pal_search_published_margin(contact->surface);
}

static PalStatus create(PalContact *contact, PalError *error)
{
    return pal_johnsen_create(contact, PAL_NORMAL_MEAN, false, RATE_SHARE, error);
}

static PalStatus step_2015(PalContact *contact, const PalContactStep *step, PalMeter *meter,
                           PalError *error)
{
    PalJohnsen *johnsen = contact->own;
    PalPushRule rule = {.separation = contact->separation, .rate_distance = contact->rate_distance};
    PAL_TRY(pal_search_update(contact->search, contact->surface, step->thread_count, meter, error));
    double begin = pal_timer_seconds();
    pal_johnsen_begin(contact);
    PAL_TRY(pal_near_find(&johnsen->finder, contact, PAL_ROLES_BOTH, meter, error));
    double found = pal_timer_seconds();
    meter->profile.contact_search += found - begin;
    PAL_TRY(pal_johnsen_respond(contact, step, &rule, error));
    meter->profile.contact_response += pal_timer_seconds() - found;
    return PAL_OK;
}

const PalResponse pal_response_johnsen2015 = {
    .choice = {"johnsen2015", "As published by Johnsen et al. in 2015: treats each contact by "
                              "itself, and gives each node one force."},
    .reach = reach,
    .sight = pal_johnsen_sight,
    .create = create,
    .destroy = pal_johnsen_destroy,
    .step = step_2015,
};
