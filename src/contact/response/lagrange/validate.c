// What must be true of every candidate once a step is settled, awake or asleep, looked at or not.
// Only builds with assertions look.
#include "base/assert.h"
#include "contact/response/lagrange/lagrange.h"

#include <math.h>

#ifndef NDEBUG

#define ROUNDING 1e-6   // relative, of distances
#define DIGITS   1e-13  // of positions
#define MOST     400    // candidates looked at in a step; of more, now these and now those

typedef struct Distances {
    double start, end;
    double rounding;
} Distances;

static Distances measure(PalContactSurface *surface, const PalLook *look, PalContactKind kind)
{
    PalVec3 start[4], end[4];
    double far = 0;
    for (int k = 0; k < 4; ++k) {
        int32_t v = look->vertices[k];
        pal_contact_surface_need(surface, v);
        start[k] = surface->start[v];
        end[k] = surface->end[v];
        far = pal_max(far, pal_vec3_length(start[k]) + pal_vec3_length(end[k]));
        // nobody goes farther than its block
        double stride = surface->stride[v / PAL_VERTEX_BLOCK];
        PAL_ASSERT(!(pal_vec3_distance(start[k], end[k]) >
                     (1 + ROUNDING) * stride + DIGITS * pal_vec3_length(end[k])));
    }
    return (Distances){.start = pal_vec3_length(pal_shortest_way(kind, start)),
                       .end = pal_vec3_length(pal_shortest_way(kind, end)),
                       .rounding = DIGITS * far};
}

// Nothing passes: the two are as far apart as the guard promises, whether it had to look or not.
// And what a group's odometer shows is true: the two have not come nearer than the room that their
// candidate has left.
static void check(const PalContact *contact, const PalLagrange *lagrange, int32_t c)
{
    const PalLook *look = pal_lagrange_look(lagrange, c);
    Distances far = measure(contact->surface, look, lagrange->now.items[c].features.kind);
    if (!isfinite(far.start) || !isfinite(far.end))
        return;
    double least = pal_min(pal_lagrange_least(contact), far.start / 2);
    PAL_ASSERT(far.end >= (1 - ROUNDING) * least - far.rounding);
    double room = pal_lagrange_room(lagrange, c), margin = pal_look_margin(contact, look);
    PAL_ASSERT(!isfinite(room) || far.end >= (1 - ROUNDING) * (room + margin) - far.rounding);
}

// Those awake are known, wherever lists have put them, and rows know whose they are.
static void check_awake(const PalLagrange *lagrange)
{
    int32_t awake = 0;
    for (int32_t g = 0; g < lagrange->groups.list.count; ++g) {
        const PalCandidateGroup *group = &lagrange->groups.list.items[g];
        for (int32_t c = group->first; c < group->first + group->count; ++c)
            awake += pal_lagrange_look(lagrange, c)->row != PAL_ASLEEP;
    }
    PAL_ASSERT(awake == lagrange->awake_count);
    for (int32_t i = 0; i < lagrange->awake_count; ++i)
        PAL_ASSERT(pal_lagrange_look(lagrange, lagrange->awake[i])->row != PAL_ASLEEP);
    for (int32_t r = 0; r < lagrange->rows.count; ++r)
        PAL_ASSERT(pal_lagrange_look(lagrange, lagrange->rows.items[r].source)->row == r);
}

void pal_lagrange_validate(const PalContact *contact, const PalLagrange *lagrange)
{
    int32_t every = 1 + lagrange->now.count / MOST, turn = lagrange->touched_count % every;
    int32_t listed = 0;
    for (int32_t g = 0; g < lagrange->groups.list.count; ++g) {
        const PalCandidateGroup *group = &lagrange->groups.list.items[g];
        listed += group->count;
        for (int32_t c = group->first; c < group->first + group->count; ++c)
            if (c % every == turn)
                check(contact, lagrange, c);
    }
    PAL_ASSERT(listed == lagrange->lister.listed_count);
    check_awake(lagrange);
}

#else

void pal_lagrange_validate(const PalContact *contact, const PalLagrange *lagrange)
{
    (void)contact, (void)lagrange;
}

#endif
