// Which candidates become rows of the step's problem, and how. A vertex has a row wherever
// its distance to a surface has a local minimum; two edges where theirs has one or may come to
// have one in the step.
// Normals are those of the start of the step.   docs/theory/contact.md
#include "base/assert.h"
#include "base/parallel.h"
#include "contact/response/lagrange/lagrange.h"
#include "math/range.h"
#include "math/vec3.h"

#include <math.h>

#define NEVER    1e100  // a rate that no row comes to
#define RECOVERY 0.1    // share of a lost separation that is won back per step

static void touch_carrier(const PalContact *contact, PalLagrange *lagrange, int32_t carrier)
{
    if (!pal_rows_is_touched(&lagrange->rows, carrier))
        pal_rows_touch(&lagrange->rows, carrier,
                       pal_contact_surface_velocity(contact->surface, carrier));
}

// What is prescribed ends where it was to end, whatever touches it.
static void touch_vertex(const PalContact *contact, PalLagrange *lagrange, int32_t vertex)
{
    const PalContactSurface *surface = contact->surface;
    lagrange->vertex_stamp[vertex] = lagrange->rows.stamp;
    if (vertex >= surface->soft_vertex_count &&
        surface->object_free[surface->vertex_object[vertex]] == PAL_NONE)
        return;
    lagrange->touched[lagrange->touched_count++] = vertex;
    lagrange->predicted[vertex] = pal_contact_surface_end(surface, vertex);
}

// What moves one vertex of a free rigid body moves them all.
static void touch_body(PalContact *contact, PalLagrange *lagrange, int32_t number)
{
    PalContactSurface *surface = contact->surface;
    int32_t object = surface->free_object[number];
    contact->bodies[number].touched = true;
    touch_carrier(contact, lagrange, pal_free_carrier(surface, number));
    touch_carrier(contact, lagrange, pal_free_carrier(surface, number) + 1);
    for (int32_t v = surface->object_first_vertex[object];
         v < surface->object_first_vertex[object + 1]; ++v) {
        pal_contact_surface_need(surface, v);
        touch_vertex(contact, lagrange, v);
    }
}

// What else hangs on a node moves with it.
static void touch_hanging(const PalContact *contact, PalLagrange *lagrange, int32_t carrier)
{
    const PalLists *hanging = &contact->surface->node_vertices;
    for (int32_t i = hanging->start[carrier]; i < hanging->start[carrier + 1]; ++i) {
        int32_t v = hanging->items[i];
        if (lagrange->vertex_stamp[v] == lagrange->rows.stamp)
            continue;
        pal_contact_surface_need(contact->surface, v);
        touch_vertex(contact, lagrange, v);
    }
}

static void touch(PalContact *contact, PalLagrange *lagrange, int32_t vertex, bool around)
{
    const PalContactSurface *surface = contact->surface;
    if (lagrange->vertex_stamp[vertex] == lagrange->rows.stamp && surface->plain)
        return;
    int32_t number = surface->object_free[surface->vertex_object[vertex]];
    if (number != PAL_NONE) {
        if (!contact->bodies[number].touched)
            touch_body(contact, lagrange, number);
        return;
    }
    if (lagrange->vertex_stamp[vertex] != lagrange->rows.stamp)
        touch_vertex(contact, lagrange, vertex);
    for (int32_t i = surface->hold_start[vertex]; i < surface->hold_start[vertex + 1]; ++i) {
        if (surface->holds[i].weight == 0 && !around)
            continue;
        touch_carrier(contact, lagrange, surface->holds[i].carrier);
        if (!surface->plain && vertex < surface->soft_vertex_count)
            touch_hanging(contact, lagrange, surface->holds[i].carrier);
    }
}

void pal_lagrange_touch(PalContact *contact, PalLagrange *lagrange, int32_t vertex)
{
    touch(contact, lagrange, vertex, false);
}

void pal_lagrange_touch_around(PalContact *contact, PalLagrange *lagrange, int32_t vertex)
{
    touch(contact, lagrange, vertex, true);
}

// What a vertex hangs on, with its weight in the gap. Carriers of several vertices add up.
static void hang(const PalContactSurface *surface, PalRow *row, int32_t vertex, double weight)
{
    for (int32_t i = surface->hold_start[vertex]; i < surface->hold_start[vertex + 1]; ++i) {
        PalHold hold = surface->holds[i];
        int32_t k = 0;
        if (hold.weight == 0)
            continue;
        while (k < row->count && row->carriers[k] != hold.carrier)
            ++k;
        PAL_ASSERT(k < PAL_ROW_CARRIERS);
        row->carriers[k] = hold.carrier;
        row->weights[k] = weight * hold.weight + (k < row->count ? row->weights[k] : 0);
        row->count = k == row->count ? k + 1 : row->count;
    }
}

static PalLanes lanes_of(PalVec3 v)
{
    return (PalLanes){v.x, v.y, v.z, 0};
}

// The part of a free rigid body: its arm is the weighted sum of those of its vertices, and what its
// vertices do beyond moving along with its centre belongs to no carrier as long as nothing turns it
// besides.
static void hang_on_body(const PalContact *contact, const PalContactStep *step, PalRow *row,
                         PalTurn turns[PAL_ROW_TURNS], const PalGap *gap, int32_t k)
{
    const PalContactSurface *surface = contact->surface;
    int32_t vertex = gap->vertices[k],
            number = surface->object_free[surface->vertex_object[vertex]];
    double weight = gap->weights[k];
    if (number == PAL_NONE)
        return;
    const PalRigidState *state = &step->rigids[contact->bodies[number].rigid];
    int32_t carrier = pal_free_carrier(surface, number) + 1, t = 0;
    while (t < row->turn_count && turns[t].carrier != carrier)
        ++t;
    PAL_ASSERT(t < PAL_ROW_TURNS);
    if (t == row->turn_count)
        turns[row->turn_count++] = (PalTurn){.carrier = carrier};
    PalVec3 start = pal_contact_surface_start(surface, vertex),
            path = pal_vec3_sub(pal_contact_surface_end(surface, vertex), start);
    PalVec3 along = pal_vec3_scale(1 / step->step, path);
    PalVec3 *arm = &turns[t].arm;
    *arm = pal_vec3_add_scaled(*arm, weight, pal_vec3_sub(start, state->pose.centre));
    row->extra += weight * lanes_of(pal_vec3_sub(along, state->velocity));
}

// Sides of a membrane move with their node, and as their normal turns besides.
static void turn_sides(const PalContactSurface *surface, const PalLagrange *lagrange, double step,
                       PalRow *row, const PalGap *gap)
{
    for (int32_t k = 0; k < gap->count; ++k) {
        int32_t vertex = gap->vertices[k];
        if (surface->objects[surface->vertex_object[vertex]].source->end_of == NULL)
            continue;
        PalVec3 way = pal_vec3_sub(surface->end[vertex], surface->start[vertex]);
        PalVec3 carried = pal_lagrange_carried(surface, &lagrange->rows, vertex);
        row->turning += gap->weights[k] *
                        lanes_of(pal_vec3_add_scaled(pal_vec3_scale(1 / step, way), -1, carried));
    }
    row->extra += row->turning;
}

void pal_lagrange_turn_sides(const PalContact *contact, PalLagrange *lagrange, double step)
{
    for (int32_t r = 0; r < lagrange->rows.count; ++r) {
        PalRow *row = &lagrange->rows.items[r];
        row->extra -= row->turning;
        row->turning = (PalLanes){0, 0, 0, 0};
        turn_sides(contact->surface, lagrange, step, row, &lagrange->gaps.items[r]);
    }
}

// Spin by one of the three numbers moves the end of the arm across.
static void complete_turns(const PalContact *contact, const PalRow *row,
                           PalTurn turns[PAL_ROW_TURNS])
{
    for (int32_t t = 0; t < row->turn_count; ++t) {
        PalTurn *turn = &turns[t];
        int32_t number = (turn->carrier - contact->surface->first_free_carrier) / 2;
        const PalMat3 *root = &contact->bodies[number].root;
        for (int j = 0; j < 3; ++j) {
            PalVec3 spin = pal_vec3(root->m[0][j], root->m[1][j], root->m[2][j]);
            turn->columns[j] = lanes_of(pal_vec3_cross(spin, turn->arm));
        }
    }
}

// The least rate the row allows: the gap may close but not be crossed, and approach slows down
// just before; a separation that was lost is won back little by little.
static double least_rate(const PalContact *contact, double gap, double rate, double step)
{
    if (gap < 0)
        return -RECOVERY * gap / step;
    double closing = -gap / step;
    if (rate < 0 && gap < contact->rate_distance)
        closing = pal_max(closing, rate * gap / contact->rate_distance);
    return closing;
}

static PalLanes across(PalVec3 drag, PalLanes normal)
{
    PalLanes whole = {drag.x, drag.y, drag.z, 0};
    PalLanes product = whole * normal;
    return whole - (product[0] + product[1] + product[2]) * normal;
}

static void touch_each(const PalContact *contact, PalLagrange *lagrange, const PalGap *gap)
{
    for (int32_t k = 0; k < gap->count; ++k) {
        int32_t vertex = gap->vertices[k];
        if (lagrange->vertex_stamp[vertex] == lagrange->rows.stamp)
            continue;
        touch_vertex(contact, lagrange, vertex);
        touch_carrier(contact, lagrange, pal_lagrange_carrier(contact->surface, vertex));
    }
}

static void hang_each(const PalContactSurface *surface, PalRow *row, const PalGap *gap)
{
    row->count = gap->count;
    for (int32_t k = 0; k < gap->count; ++k) {
        row->carriers[k] = pal_lagrange_carrier(surface, gap->vertices[k]);
        row->weights[k] = gap->weights[k];
    }
}

static void hang_all(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                     PalRow *row, const PalGap *gap)
{
    const PalContactSurface *surface = contact->surface;
    if (pal_lagrange_hangs_on_one(surface)) {
        touch_each(contact, lagrange, gap);
        hang_each(surface, row, gap);
        return;
    }
    PalTurn *turns = pal_rows_turns(&lagrange->rows, row);
    for (int32_t k = 0; k < gap->count; ++k) {
        pal_lagrange_touch(contact, lagrange, gap->vertices[k]);
        hang(surface, row, gap->vertices[k], gap->weights[k]);
        hang_on_body(contact, step, row, turns, gap, k);
    }
    complete_turns(contact, row, turns);
}

// Where the gap of one more row is to be put; NULL: no memory.
static PalGap *next_gap(PalLagrange *lagrange)
{
    lagrange->gaps.count = lagrange->rows.count;
    if (lagrange->gaps.count < lagrange->gaps.capacity || pal_array_reserve(&lagrange->gaps, 1))
        return &lagrange->gaps.items[lagrange->gaps.count];
    lagrange->rows.no_memory = true;
    return NULL;
}

// How much the predicted velocities change the gap by sliding along what is inclined to its normal,
// per time.
static double predicted_sliding(const PalContact *contact, const PalLagrange *lagrange,
                                const PalGap *gap, double step)
{
    const PalContactSurface *surface = contact->surface;
    PalVec3 motion = {0, 0, 0};
    for (int32_t k = 0; k < gap->count; ++k) {
        int32_t vertex = gap->vertices[k];
        PalVec3 velocity = vertex < surface->soft_vertex_count
                               ? pal_lagrange_carried(surface, &lagrange->rows, vertex)
                               : pal_vec3_scale(1 / step, pal_vec3_sub(surface->end[vertex],
                                                                       surface->start[vertex]));
        motion = pal_vec3_add_scaled(motion, gap->weights[k], velocity);
    }
    return pal_vec3_dot(gap->slope, motion);
}

// What a row has of its candidate.
static void begin_row(PalRow *row, const PalLagrange *lagrange, int32_t candidate,
                      const PalGap *gap)
{
    const PalCandidate *from = &lagrange->now.items[candidate];
    row->normal = (PalLanes){gap->normal.x, gap->normal.y, gap->normal.z, 0};
    row->friction = from->friction;
    row->source = candidate;
    row->impulse = gap->soft ? 0 : from->impulse;
    if (from->friction > 0)
        row->drag = across(from->drag, row->normal);
}

static void end_row(const PalContact *contact, const PalLagrange *lagrange, double step,
                    PalRow *row, const PalGap *gap)
{
    double slide = gap->sloped ? predicted_sliding(contact, lagrange, gap, step) : 0;
    if (row->friction > 0)
        slide = pal_min(slide, 0);  // it may stop
    double kept = gap->kind == PAL_CONTACT_EDGE_EDGE ? pal_lagrange_kept_by_edges(contact)
                                                     : contact->separation;
    row->bias = gap->soft ? -NEVER
                          : least_rate(contact, gap->along - kept, row->rate + slide, step) - slide;
}

// For the gap that was put last.
static void add_row(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                    int32_t candidate)
{
    const PalGap *gap = &lagrange->gaps.items[lagrange->rows.count];
    PalRow *row = pal_rows_next(&lagrange->rows);
    if (row == NULL)
        return;
    begin_row(row, lagrange, candidate, gap);
    hang_all(contact, lagrange, step, row, gap);
    if (!pal_rows_complete(&lagrange->rows))
        return;
    pal_lagrange_look(lagrange, candidate)->row = lagrange->rows.count - 1;
    end_row(contact, lagrange, step->step, row, gap);
}

static bool on_same_object(const PalContactSurface *surface, const PalCandidate *a,
                           const PalCandidate *b)
{
    return surface->facet_object[a->features.items[1]] ==
           surface->facet_object[b->features.items[1]];
}

// Gathers what rows that are gone carried, per vertex.
static void find_orphans(const PalContactSurface *surface, PalLagrange *lagrange)
{
    PalCandidate *items = lagrange->now.items;
    for (int32_t i = 0; i < lagrange->awake_count; ++i) {
        int32_t c = lagrange->awake[i];
        if (items[c].features.kind != PAL_CONTACT_NODE_FACET || !(items[c].impulse > 0) ||
            pal_lagrange_look(lagrange, c)->row != PAL_NONE)
            continue;
        int32_t *orphan = &lagrange->orphans[items[c].features.items[0]];
        const PalCandidate *other = *orphan > 0 ? &items[*orphan - 1] : NULL;
        if (other != NULL && on_same_object(surface, other, &items[c])) {
            items[c].impulse += other->impulse;
            items[c].drag = pal_vec3_add(items[c].drag, other->drag);
        }
        *orphan = c + 1;
    }
}

// A vertex that has moved from one facet to the next takes its impulse with it: rows that are gone
// leave theirs to a row of the same vertex, whether that is new or has carried its share before. At
// the edge of two facets a vertex has one row or two, by rounding, and what it carries must not
// depend on that: flat blocks would never come to rest.
static void inherit(const PalContactSurface *surface, PalLagrange *lagrange)
{
    const PalCandidate *items = lagrange->now.items;
    find_orphans(surface, lagrange);
    for (int32_t r = 0; r < lagrange->rows.count; ++r) {
        PalRow *row = &lagrange->rows.items[r];
        const PalCandidate *heir = &items[row->source];
        if (heir->features.kind != PAL_CONTACT_NODE_FACET)
            continue;
        int32_t *orphan = &lagrange->orphans[heir->features.items[0]];
        if (*orphan == 0 || !on_same_object(surface, &items[*orphan - 1], heir))
            continue;
        row->impulse += items[*orphan - 1].impulse;
        row->drag += across(items[*orphan - 1].drag, row->normal);
        *orphan = 0;
    }
    for (int32_t i = 0; i < lagrange->awake_count; ++i)
        if (items[lagrange->awake[i]].features.kind == PAL_CONTACT_NODE_FACET)
            lagrange->orphans[items[lagrange->awake[i]].features.items[0]] = 0;
}

// How far a vertex may go besides because contact pushes it less than is expected.
static void note_less(const PalContactSurface *surface, PalLagrange *lagrange, int32_t vertex)
{
    double sum = 0;
    for (int32_t i = surface->hold_start[vertex]; i < surface->hold_start[vertex + 1]; ++i)
        sum += fabs(surface->holds[i].weight) *
               pal_vec3_length(pal_contact_surface_push(surface, surface->holds[i].carrier));
    double less = lagrange->less[vertex] = PAL_LAGRANGE_LESS_PUSH * surface->motion.step * sum;
    pal_patches_tell(&lagrange->patches, &lagrange->patches.less, vertex, less);
}

// What was expected to be pushed moves as predicted, unless rows push it.
static void touch_expected(PalContact *contact, PalLagrange *lagrange)
{
    PalContactSurface *surface = contact->surface;
    for (int32_t i = 0; i < surface->expected_count; ++i) {
        int32_t carrier = surface->expected[i];
        touch_carrier(contact, lagrange, carrier);
        if (!surface->plain) {
            touch_hanging(contact, lagrange, carrier);
            continue;
        }
        int32_t vertex = lagrange->carrier_vertex[carrier];
        pal_contact_surface_need(surface, vertex);
        if (lagrange->vertex_stamp[vertex] != lagrange->rows.stamp)
            touch_vertex(contact, lagrange, vertex);
    }
    for (int32_t i = 0; i < lagrange->touched_count; ++i)
        note_less(surface, lagrange, lagrange->touched[i]);
}

static PalCandidateGroup *group_of(const PalLagrange *lagrange, const PalLook *look)
{
    return &lagrange->groups.list.items[look->group];
}

// The gap of a candidate as a thread has found it; NULL: it needs no row.
static const PalGap *gap_needed(const PalLagrange *lagrange, int32_t place)
{
    const PalNeeds *needs = &lagrange->needs.items[place / PAL_NEEDS_AWAKE];
    int32_t k = needs->gap_of[place % PAL_NEEDS_AWAKE];
    return k != PAL_NONE ? &needs->gaps[k] : NULL;
}

// A row for the candidate at this place among those awake, if it needs one. `together`: threads
// have looked at it already.
static void add_if_needed(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                          int32_t place, bool together)
{
    const PalGap *found = together ? gap_needed(lagrange, place) : NULL;
    PalGap *gap = together && found == NULL ? NULL : next_gap(lagrange);
    if (gap == NULL) {
        pal_lagrange_look(lagrange, lagrange->awake[place])->row = PAL_NONE;
        return;
    }
    if (together)
        *gap = *found;
    else if (!pal_lagrange_look_closely(contact, lagrange, step->step, place, gap))
        return;
    add_row(contact, lagrange, step, lagrange->awake[place]);
}

// ---- rows by several threads ------------------------------------------------------------

typedef struct Filling {
    const PalContact *contact;
    PalLagrange *lagrange;
    double step;
} Filling;

// Fills the rows of some candidates that are awake. They have numbers, and their carriers are
// touched.
static void fill_some(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    const Filling *filling = context;
    PalLagrange *lagrange = filling->lagrange;
    const PalNeeds *needs = &lagrange->needs.items[index];
    int32_t first = index * PAL_NEEDS_AWAKE, left = lagrange->awake_count - first;
    for (int32_t k = 0; k < PAL_NEEDS_AWAKE && k < left; ++k) {
        int32_t g = needs->gap_of[k], r = g != PAL_NONE ? needs->row_of[g] : PAL_NONE;
        if (r == PAL_NONE)
            continue;
        const PalGap *gap = &needs->gaps[g];
        PalRow *row = &lagrange->rows.items[r];
        pal_row_clear(row);
        lagrange->gaps.items[r] = *gap;
        begin_row(row, lagrange, lagrange->awake[first + k], gap);
        hang_each(filling->contact->surface, row, gap);
        bool good = pal_row_complete(&lagrange->rows, row);
        PAL_ASSERT(good);
        (void)good;
        end_row(filling->contact, lagrange, filling->step, row, gap);
    }
}

// Room for all rows that may be needed; false: no memory.
static bool reserve_rows(PalLagrange *lagrange)
{
    int32_t count = 0;
    for (int32_t i = 0; i < lagrange->needs.count; ++i)
        count += lagrange->needs.items[i].count;
    lagrange->gaps.count = 0;
    if (lagrange->gaps.capacity < count && !pal_array_reserve(&lagrange->gaps, count))
        return false;
    while (lagrange->rows.capacity < count)
        if (!pal_rows_grow(&lagrange->rows))
            return false;
    return true;
}

typedef struct Added {
    int64_t count[2];  // rows of a vertex and a facet, of two edges
    bool orphans;      // some row is gone that carried
} Added;

// A candidate that is awake has its row, or needs none.
static void note_awake(PalLagrange *lagrange, int32_t candidate, Added *added)
{
    const PalLook *look = pal_lagrange_look(lagrange, candidate);
    double wake = lagrange->now.wakes[candidate], *soonest = &group_of(lagrange, look)->soonest;
    *soonest = wake > -INFINITY ? pal_min(*soonest, wake) : *soonest;
    if (look->row != PAL_NONE)
        ++added->count[look->split != 1];
    else if (look->carried && lagrange->now.items[candidate].impulse > 0)
        added->orphans = true;
}

// Rows of candidates at which threads have looked: they get their numbers, and touch carriers, one
// after the other, and are filled side by side. False: nothing is done.
static bool add_together(const PalContact *contact, PalLagrange *lagrange, double step,
                         Added *added)
{
    PalRows *rows = &lagrange->rows;
    if (!pal_lagrange_hangs_on_one(contact->surface) || !reserve_rows(lagrange))
        return false;
    for (int32_t i = 0; i < lagrange->awake_count; ++i) {
        PalNeeds *needs = &lagrange->needs.items[i / PAL_NEEDS_AWAKE];
        int32_t g = needs->gap_of[i % PAL_NEEDS_AWAKE];
        if (i + 8 < lagrange->awake_count) {
            __builtin_prefetch(&lagrange->now.looks[lagrange->awake[i + 8]]);
            __builtin_prefetch(&lagrange->now.wakes[lagrange->awake[i + 8]]);
        }
        if (g != PAL_NONE) {
            touch_each(contact, lagrange, &needs->gaps[g]);
            needs->row_of[g] = needs->row_of[g] != PAL_NONE ? rows->count++ : PAL_NONE;
            pal_lagrange_look(lagrange, lagrange->awake[i])->row = needs->row_of[g];
        }
        note_awake(lagrange, lagrange->awake[i], added);
    }
    lagrange->gaps.count = rows->count;
    Filling filling = {contact, lagrange, step};
    pal_parallel_for(lagrange->thread_count, lagrange->needs.count, fill_some, &filling);
    return true;
}

// ---- all --------------------------------------------------------------------------------

void pal_lagrange_evaluate(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                           PalMeter *meter)
{
    Added added = {{0, 0}, false};
    for (int32_t i = 0; i < lagrange->touched_count; ++i)
        lagrange->less[lagrange->touched[i]] = 0;
    lagrange->touched_count = 0;
    pal_rows_begin(&lagrange->rows);
    pal_patches_begin(&lagrange->patches);
    touch_expected(contact, lagrange);
    pal_groups_mark_expected(contact, lagrange);
    lagrange->awake_count = pal_groups_list(lagrange, lagrange->awake);
    bool together = pal_lagrange_look_together(contact, lagrange, step->step);
    if (!together || !add_together(contact, lagrange, step->step, &added))
        for (int32_t i = 0; i < lagrange->awake_count; ++i) {
            add_if_needed(contact, lagrange, step, i, together);
            note_awake(lagrange, lagrange->awake[i], &added);
        }
    meter->counters.node_facet += added.count[0];
    meter->counters.edge_edge += added.count[1];
    if (added.orphans)
        inherit(contact->surface, lagrange);
    if (contact->skin != NULL)
        pal_lagrange_push_skins(contact, lagrange, step);
}

void pal_lagrange_add_hit(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                          int32_t index)
{
    PalCandidate *candidate = &lagrange->now.items[index];
    PalGap *gap = next_gap(lagrange);
    if (gap == NULL)
        return;
    PalClosestRule rule = pal_contact_rule(contact);
    pal_gap_closest(&rule, &candidate->features, gap);
    candidate->found = !gap->minimum;
    pal_lagrange_look(lagrange, index)->carried = true;
    add_row(contact, lagrange, step, index);
}
