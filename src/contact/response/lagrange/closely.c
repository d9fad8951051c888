// A close look at candidates that are awake: how near they are, where, and whether they need a row.
// Each is looked at by itself, so that several threads can look.   docs/theory/contact.md
#include "base/assert.h"
#include "base/parallel.h"
#include "contact/response/lagrange/looks.h"
#include "math/range.h"
#include "math/vec3.h"

#include <palpate/geometry.h>

#include <math.h>

#define SHARED 96  // candidates awake: from here on they are looked at by several threads

static bool collides(const PalContact *contact, const PalCandidate *candidate, double separation,
                     double *time)
{
    PalVec3 start[4], end[4];
    for (int k = 0; k < 4; ++k) {
        start[k] = pal_contact_surface_start(contact->surface, candidate->features.vertices[k]);
        end[k] = pal_contact_surface_end(contact->surface, candidate->features.vertices[k]);
    }
    return candidate->features.kind == PAL_CONTACT_NODE_FACET
               ? pal_ccd_vertex_face(start, end, separation, time)
               : pal_ccd_edge_edge(start, end, separation, time);
}

// Asked once a step for each edge. Hollow ones are left to the guard.
bool pal_lagrange_is_hollow(const PalContact *contact, PalLagrange *lagrange, int32_t edge)
{
    int64_t stamp = lagrange->rows.stamp;
    int64_t known = __atomic_load_n(&lagrange->edge_stamp[edge], __ATOMIC_RELAXED);
    if (known >> 1 != stamp) {  // two threads would find the same
        PalClosestRule rule = pal_contact_rule(contact);
        known = 2 * stamp + (pal_edge_bend(&rule, edge) == PAL_EDGE_HOLLOW);
        __atomic_store_n(&lagrange->edge_stamp[edge], known, __ATOMIC_RELAXED);
    }
    return known & 1;
}

// Its group is told afterwards.
static void sleep(PalLagrange *lagrange, int32_t candidate, double room)
{
    int32_t group = lagrange->now.looks[candidate].group;
    lagrange->now.wakes[candidate] = lagrange->groups.list.items[group].odometer + room;
}

// How far apart two edges are, and the direction in which they are: for quick looks.
static double look_at_edges(PalContact *contact, PalLagrange *lagrange, int32_t candidate)
{
    PalLook *look = pal_lagrange_look(lagrange, candidate);
    PalVec3 x[4];
    pal_contact_surface_need_four(contact->surface, look->vertices);
    for (int k = 0; k < 4; ++k)
        x[k] = pal_contact_surface_start(contact->surface, look->vertices[k]);
    double margin = pal_look_margin(contact, look);
    double apart = look->flat ? pal_lines_apart(x, &look->direction) : 0;
    if (!((1 - 1e-9) * apart > margin)) {  // they may cross beyond their ends
        PalVec3 way = pal_shortest_way(PAL_CONTACT_EDGE_EDGE, x);
        apart = pal_vec3_length(way);
        look->beside = look->flat && apart > margin;
        look->direction = apart > 0 ? pal_vec3_scale(1 / apart, way) : look->direction;
        look->stale = 0;
    }
    double room = (1 - 1e-9) * apart - margin;
    if (room > pal_lagrange_room(lagrange, candidate))
        sleep(lagrange, candidate, room);
    return room;
}

// May two edges that carry nothing need a row? Hollow ones stay awake until a quick look lets them
// sleep.
static bool edges_may_need_row(PalContact *contact, PalLagrange *lagrange, int32_t candidate)
{
    const int32_t *edges = lagrange->now.items[candidate].features.items;
    PalLook *look = pal_lagrange_look(lagrange, candidate);
    look->hollow = false;
    if (!pal_lagrange_is_hollow(contact, lagrange, edges[0]) &&
        !pal_lagrange_is_hollow(contact, lagrange, edges[1]))
        return true;
    look->hollow = true;
    if (!look->flat && pal_lagrange_room(lagrange, candidate) == -INFINITY)
        look_at_edges(contact, lagrange, candidate);
    return false;
}

// How much nearer the two sides may end because contact pushes less than is expected.
static double less_push(const PalContact *contact, const PalGap *gap, double step)
{
    const PalContactSurface *surface = contact->surface;
    double sum = 0;
    for (int32_t k = 0; k < gap->count; ++k) {
        int32_t vertex = gap->vertices[k];
        for (int32_t i = surface->hold_start[vertex];
             i < surface->hold_start[vertex + 1] && vertex < surface->soft_vertex_count; ++i) {
            PalVec3 push = pal_contact_surface_push(surface, surface->holds[i].carrier);
            sum += gap->weights[k] * surface->holds[i].weight * pal_vec3_dot(gap->normal, push);
        }
    }
    return PAL_LAGRANGE_LESS_PUSH * step * sum;
}

// Is a gap so wide at the expected end that it needs no row, even if some push is gone?
static bool ends_far(const PalContact *contact, const PalGap *gap, double step)
{
    const PalContactSurface *surface = contact->surface;
    double end_gap = pal_vec3_dot(gap->normal, pal_gap_apart(gap, surface->end));
    end_gap += pal_gap_sliding(gap, surface->start, surface->end);
    double near = pal_lagrange_near(contact) + gap->skin;
    return end_gap > near && end_gap - less_push(contact, gap, step) > near;
}

// Is a candidate so far apart all the time that a quick look might have found it to need no row?
// Whether it needs one must not depend on who has looked.
static bool stays_far(const PalContact *contact, const PalLagrange *lagrange, int32_t index,
                      double distance)
{
    const PalCandidate *candidate = &lagrange->now.items[index];
    const PalLook *look = pal_lagrange_look(lagrange, index);
    double margin = pal_look_margin(contact, look), time;
    if (look->flat || !(distance > margin))
        return false;
    PalVec3 end[4];
    for (int k = 0; k < 4; ++k)
        end[k] = pal_contact_surface_end(contact->surface, look->vertices[k]);
    double apart = pal_vec3_length(pal_shortest_way(candidate->features.kind, end));
    return apart - pal_lagrange_less(lagrange, look) > margin &&
           !collides(contact, candidate, margin, &time);
}

// One candidate that is awake: does it need a row, for which gap? Edges that lie flat on each other
// and carry nothing sleep if a look lets them: rows of vertices hold most of them apart.
static bool needs_row(PalContact *contact, PalLagrange *lagrange, double step, int32_t index,
                      PalGap *gap)
{
    PalLook *look = pal_lagrange_look(lagrange, index);
    PalCandidate *candidate = &lagrange->now.items[index];
    bool idle_edges =
        look->split == 2 && (!look->carried || (candidate->impulse == 0 && !candidate->found));
    if (idle_edges && look->flat && look_at_edges(contact, lagrange, index) > 0)
        return false;
    PAL_ASSERT(look->carried || (candidate->impulse == 0 && !candidate->found));
    if (idle_edges && !edges_may_need_row(contact, lagrange, index))
        return false;
    pal_contact_surface_need_four(contact->surface, candidate->features.vertices);
    PalClosestRule rule = pal_contact_rule(contact);
    pal_gap_closest(&rule, &candidate->features, gap);
    look->beside = gap->beside;
    sleep(lagrange, index, gap->distance - pal_look_margin(contact, look));
    if (gap->distance > 0)
        look->direction = pal_vec3_normalise(gap->apart);
    look->stale = 0;
    if (gap->distance > pal_lagrange_listed(contact, (double)look->skin))
        pal_candidate_forget(candidate);  // another list may not have it any more
    if ((!gap->minimum && !candidate->found) ||
        (idle_edges && look->flat && gap->distance > pal_lagrange_kept_by_edges(contact)))
        return false;
    if (candidate->impulse == 0 && ends_far(contact, gap, step))
        return false;
    double time;
    if (gap->distance > pal_lagrange_listed(contact, (double)look->skin) &&
        !collides(contact, candidate, pal_lagrange_near(contact) + gap->skin, &time))
        return false;  // it only passes by, and need not be in another list
    return candidate->impulse != 0 || !stays_far(contact, lagrange, index, gap->distance);
}

bool pal_lagrange_look_closely(PalContact *contact, PalLagrange *lagrange, double step,
                               int32_t place, PalGap *gap)
{
    int32_t candidate = lagrange->awake[place];
    pal_lagrange_fetch(lagrange, place);
    PalLook *look = pal_lagrange_look(lagrange, candidate);
    look->row = PAL_NONE;
    if (!(lagrange->now.wakes[candidate] > -INFINITY))  // others read it to fetch ahead
        __atomic_store_n(&look->carried, true, __ATOMIC_RELAXED);
    return needs_row(contact, lagrange, step, candidate, gap);
}

// ---- by several threads -----------------------------------------------------------------

typedef struct Looking {
    PalContact *contact;
    PalLagrange *lagrange;
    double step;
} Looking;

// Can something in the row of a gap give way? As pal_row_complete would say; every vertex hangs on
// a carrier of its own.
static bool gives_way(const PalContact *contact, const PalGap *gap)
{
    const PalContactSurface *surface = contact->surface;
    PalVec3 n = gap->normal;
    const double squares[3] = {n.x * n.x, n.y * n.y, n.z * n.z};
    double response = 0;
    for (int32_t k = 0; k < gap->count; ++k)
        response +=
            pal_row_response(&contact->carriers, pal_lagrange_carrier(surface, gap->vertices[k]),
                             gap->weights[k], squares);
    return response > 0;
}

static void look_at_some(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Looking *looking = context;
    PalLagrange *lagrange = looking->lagrange;
    PalNeeds *needs = &lagrange->needs.items[index];
    int32_t first = index * PAL_NEEDS_AWAKE, left = lagrange->awake_count - first, count = 0;
    bool known = pal_lagrange_hangs_on_one(looking->contact->surface);
    for (int32_t k = 0; k < PAL_NEEDS_AWAKE && k < left; ++k) {
        bool needed = pal_lagrange_look_closely(looking->contact, lagrange, looking->step,
                                                first + k, &needs->gaps[count]);
        needs->gap_of[k] = needed ? count : PAL_NONE;
        if (needed)
            needs->row_of[count] =
                known && !gives_way(looking->contact, &needs->gaps[count]) ? PAL_NONE : 0;
        count += needed;
    }
    needs->count = count;
}

bool pal_lagrange_look_together(PalContact *contact, PalLagrange *lagrange, double step)
{
    Looking looking = {contact, lagrange, step};
    int32_t count = (lagrange->awake_count + PAL_NEEDS_AWAKE - 1) / PAL_NEEDS_AWAKE;
    lagrange->needs.count = 0;
    if (lagrange->thread_count < 2 || lagrange->awake_count < SHARED || !contact->surface->plain ||
        !pal_array_reserve(&lagrange->needs, count))
        return false;
    lagrange->needs.count = count;
    contact->surface->shared = true;
    pal_parallel_for(lagrange->thread_count, count, look_at_some, &looking);
    contact->surface->shared = false;
    return true;
}
