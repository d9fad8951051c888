// Which candidates become rows of the step's problem, and how. A vertex has a row wherever
// its distance to a surface has a local minimum; two edges where theirs has one or may come to
// have one in the step.
// Normals are those of the start of the step.   docs/theory/contact.md
#include "contact/look.h"
#include "math/range.h"
#include "math/vec3.h"

#include <palpate/geometry.h>

#define RECOVERY 0.1  // share of a lost separation that is won back per step

void pal_lagrange_touch(const PalContact *contact, PalLagrange *lagrange, int32_t vertex)
{
    if (lagrange->vertex_stamp[vertex] == lagrange->stamp)
        return;
    lagrange->vertex_stamp[vertex] = lagrange->stamp;
    lagrange->touched[lagrange->touched_count++] = vertex;
    PalVec3 predicted = pal_contact_surface_velocity(contact->surface, vertex);
    double *velocity = lagrange->velocity[vertex];
    velocity[0] = predicted.x;
    velocity[1] = predicted.y;
    velocity[2] = predicted.z;
    lagrange->predicted[vertex] = contact->surface->end[vertex];
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

static void add_row(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                    int32_t candidate, const PalCloseness *close)
{
    PalCandidate *from = &lagrange->now.items[candidate];
    PalVec3 normal = close->normal;
    double response = 0, tangent = 0, rate = 0;
    int count = pal_row_vertex_count(close->wide);
    for (int k = 0; k < count; ++k) {
        int32_t v = close->vertices[k];
        pal_lagrange_touch(contact, lagrange, v);
        const double *m = contact->inverse_mass[v], *u = lagrange->velocity[v];
        double w = close->weights[k];
        response +=
            w * w *
            (normal.x * normal.x * m[0] + normal.y * normal.y * m[1] + normal.z * normal.z * m[2]);
        tangent += w * w * pal_max(m[0], pal_max(m[1], m[2]));
        rate += w * (normal.x * u[0] + normal.y * u[1] + normal.z * u[2]);
    }
    if (!(response > 0))
        return;  // nothing here can give way
    double gap = close->along - contact->separation;
    PalRow *row = &lagrange->rows[lagrange->row_count];
    lagrange->now.row[candidate] = lagrange->row_count++;
    *row = (PalRow){
        .normal = {normal.x, normal.y, normal.z, 0},
        .bias = least_rate(contact, gap, rate, step->step),
        .response = response,
        .inverse = 1 / response,
        .tangent_inverse = from->friction > 0 ? 1 / tangent : 0,
        .friction = from->friction,
        .candidate = candidate,
        .wide = close->wide,
        .impulse = from->impulse,
    };
    if (from->friction > 0)
        row->drag = across(from->drag, row->normal);
    for (int k = 0; k < count; ++k) {
        row->weights[k] = close->weights[k];
        row->vertices[k] = close->vertices[k];
    }
}

static bool collides(const PalContact *contact, const PalCandidate *candidate, double separation,
                     double *time)
{
    PalVec3 start[4], end[4];
    for (int k = 0; k < 4; ++k) {
        start[k] = contact->surface->start[candidate->vertices[k]];
        end[k] = contact->surface->end[candidate->vertices[k]];
    }
    return candidate->kind == PAL_CONTACT_NODE_FACET
               ? pal_ccd_vertex_face(start, end, separation, time)
               : pal_ccd_edge_edge(start, end, separation, time);
}

// Evaluates one candidate that is awake.
static void evaluate(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                     int32_t index)
{
    PalCandidate *candidate = &lagrange->now.items[index];
    for (int k = 0; k < 4; ++k)
        pal_contact_surface_need(contact->surface, candidate->vertices[k]);
    if (candidate->kind == PAL_CONTACT_EDGE_EDGE && candidate->impulse == 0 &&
        !(pal_look_edge_may_touch(contact, lagrange, candidate->items[0]) &&
          pal_look_edge_may_touch(contact, lagrange, candidate->items[1])))
        return;  // the guard looks after it
    PalCloseness close;
    pal_look(contact, candidate, &close);
    double near = pal_lagrange_near(contact);
    bool beside = candidate->kind == PAL_CONTACT_NODE_FACET;  // nearer along a normal, perhaps
    lagrange->now.wake[index] =
        lagrange->odometer + close.distance - (beside ? near / PAL_LAGRANGE_BESIDE : near);
    if (close.distance > 0)
        candidate->direction = pal_vec3_normalise(close.apart);
    candidate->apart = close.distance;
    candidate->stamp = lagrange->stamp;
    if (close.distance > PAL_LAGRANGE_EARLY * contact->edge)
        pal_candidate_forget(candidate);  // another list may not have it any more
    if (!close.minimum && !candidate->found)
        return;
    double end_gap = pal_vec3_dot(close.normal, pal_look_apart(contact->surface->end, &close));
    if (end_gap > near && candidate->impulse == 0)
        return;
    double time;
    if (close.distance > PAL_LAGRANGE_EARLY * contact->edge &&
        !collides(contact, candidate, near, &time))
        return;  // it only passes by, and need not be in another list
    add_row(contact, lagrange, step, index, &close);
}

static bool on_same_object(const PalContactSurface *surface, const PalCandidate *a,
                           const PalCandidate *b)
{
    return surface->facet_object[a->items[1]] == surface->facet_object[b->items[1]];
}

// Gathers what rows that are gone carried, per vertex; returns how many there are.
static int32_t find_orphans(const PalContactSurface *surface, PalLagrange *lagrange)
{
    PalCandidate *items = lagrange->now.items;
    int32_t count = 0;
    for (int32_t i = 0; i < lagrange->awake_count; ++i) {
        int32_t c = lagrange->awake[i];
        if (items[c].kind != PAL_CONTACT_NODE_FACET || !(items[c].impulse > 0) ||
            lagrange->now.row[c] != PAL_NONE)
            continue;
        int32_t *orphan = &lagrange->orphans[items[c].items[0]];
        const PalCandidate *other = *orphan > 0 ? &items[*orphan - 1] : NULL;
        if (other != NULL && on_same_object(surface, other, &items[c])) {
            items[c].impulse += other->impulse;
            items[c].drag = pal_vec3_add(items[c].drag, other->drag);
        }
        *orphan = c + 1;
        ++count;
    }
    return count;
}

// A vertex that has moved from one facet to the next takes its impulse with it: rows that are gone
// leave theirs to a row of the same vertex, whether that is new or has carried its share before. At
// the edge of two facets a vertex has one row or two, by rounding, and what it carries must not
// depend on that: flat blocks would never come to rest.
static void inherit(const PalContactSurface *surface, PalLagrange *lagrange)
{
    const PalCandidate *items = lagrange->now.items;
    if (find_orphans(surface, lagrange) == 0)
        return;
    for (int32_t r = 0; r < lagrange->row_count; ++r) {
        PalRow *row = &lagrange->rows[r];
        const PalCandidate *heir = &items[row->candidate];
        if (heir->kind != PAL_CONTACT_NODE_FACET)
            continue;
        int32_t *orphan = &lagrange->orphans[heir->items[0]];
        if (*orphan == 0 || !on_same_object(surface, &items[*orphan - 1], heir))
            continue;
        row->impulse += items[*orphan - 1].impulse;
        row->drag += across(items[*orphan - 1].drag, row->normal);
        *orphan = 0;
    }
    for (int32_t i = 0; i < lagrange->awake_count; ++i)
        if (items[lagrange->awake[i]].kind == PAL_CONTACT_NODE_FACET)
            lagrange->orphans[items[lagrange->awake[i]].items[0]] = 0;
}

void pal_lagrange_evaluate(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                           double reach, PalMeter *meter)
{
    lagrange->row_count = lagrange->awake_count = lagrange->touched_count = 0;
    ++lagrange->stamp;
    double bound = lagrange->odometer + 2 * reach;
    for (int32_t c = 0; c < lagrange->now.count; ++c) {
        lagrange->now.row[c] = PAL_ASLEEP;
        if (lagrange->now.wake[c] > bound)
            continue;
        lagrange->now.row[c] = PAL_NONE;
        lagrange->awake[lagrange->awake_count++] = c;
        evaluate(contact, lagrange, step, c);
    }
    inherit(contact->surface, lagrange);
    for (int32_t r = 0; r < lagrange->row_count; ++r) {
        bool edges = lagrange->now.items[lagrange->rows[r].candidate].kind == PAL_CONTACT_EDGE_EDGE;
        meter->counters.node_facet += !edges;
        meter->counters.edge_edge += edges;
    }
}

// As far as the predicted motion goes, they need no row; the guard looks after them.
void pal_lagrange_wake(const PalContact *contact, PalLagrange *lagrange, double reach)
{
    double bound = lagrange->odometer + 2 * reach;
    lagrange->awake_count = 0;
    for (int32_t c = 0; c < lagrange->now.count; ++c) {
        if (lagrange->now.row[c] == PAL_ASLEEP && lagrange->now.wake[c] <= bound) {
            lagrange->now.row[c] = PAL_NONE;
            for (int k = 0; k < 4; ++k)
                pal_contact_surface_need(contact->surface, lagrange->now.items[c].vertices[k]);
        }
        if (lagrange->now.row[c] != PAL_ASLEEP)
            lagrange->awake[lagrange->awake_count++] = c;
    }
}

void pal_lagrange_add_hit(PalContact *contact, PalLagrange *lagrange, const PalContactStep *step,
                          int32_t index)
{
    PalCandidate *candidate = &lagrange->now.items[index];
    PalCloseness close;
    pal_look(contact, candidate, &close);
    candidate->found = !close.minimum;
    add_row(contact, lagrange, step, index, &close);
}
