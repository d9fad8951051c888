// Which candidates become rows of the step's problem, and how. A vertex has a row wherever
// its distance to a surface has a local minimum; two edges where theirs has one or may come to
// have one in the step.
// Normals are those of the start of the step.   docs/theory/contact.md
#include "contact/lagrange.h"
#include "geometry/closest.h"
#include "math/range.h"
#include "math/vec3.h"

#include <palpate/geometry.h>
#include <string.h>

#define RECOVERY 0.1   // share of a lost separation that is won back per step
#define STEEP    0.5   // cosine to the normal of the facet around an edge, if that is sharp
#define AT_END   0.02  // of the separation: edges that cross nearer to an end are left to its vertex
#define HOLLOW   0.2   // of the separation: an edge no more hollow than that may touch in the step

// What is found out about a candidate.
typedef struct Closeness {
    double distance;
    int32_t vertices[4];
    double weights[4];  // of the vertices; those of the second side are negative
    PalVec3 apart;      // from the second to the first
    PalVec3 normal;     // its direction, or that of the facet the vertex lies on
    double along;       // distance along the normal
    bool minimum;       // of the distance between the surfaces, as far as can be seen here
} Closeness;

// Around a candidate there may be vertices that nobody has asked for yet.
static inline PalVec3 start_of(const PalContactSurface *surface, int32_t vertex)
{
    pal_contact_surface_need(surface, vertex);
    return surface->start[vertex];
}

static PalVec3 at(const PalVec3 *positions, const int32_t vertices[4], const double weights[4])
{
    PalVec3 sum = pal_vec3_scale(weights[0], positions[vertices[0]]);
    for (int k = 1; k < 4; ++k)
        sum = pal_vec3_add_scaled(sum, weights[k], positions[vertices[k]]);
    return sum;
}

// The weights add up to zero: differences say it best.
static PalVec3 between(const PalVec3 *positions, const int32_t vertices[4], const double weights[4])
{
    PalVec3 sum = {0, 0, 0}, origin = positions[vertices[0]];
    for (int k = 1; k < 4; ++k)
        sum = pal_vec3_add_scaled(sum, weights[k], pal_vec3_sub(positions[vertices[k]], origin));
    return sum;
}

static int32_t opposite(const PalContactSurface *surface, int32_t facet, int32_t edge)
{
    int k = 0;
    while (k < 2 && surface->facet_edges[facet][k] != edge)
        ++k;
    return surface->facets[facet][(k + 2) % 3];
}

// The direction apart; where the two touch exactly, outward from the facet or across the edges.
static void set_normal(const PalContact *contact, const PalCandidate *candidate, Closeness *close)
{
    close->along = close->distance;
    if (close->distance > 1e-9 * contact->separation) {
        close->normal = pal_vec3_scale(1 / close->distance, close->apart);
        return;
    }
    const PalVec3 *x = contact->surface->start;
    const int32_t *v = candidate->vertices;
    bool facet = candidate->kind == PAL_CONTACT_NODE_FACET;
    PalVec3 normal =
        facet ? pal_vec3_cross(pal_vec3_sub(x[v[2]], x[v[1]]), pal_vec3_sub(x[v[3]], x[v[1]]))
              : pal_vec3_cross(pal_vec3_sub(x[v[1]], x[v[0]]), pal_vec3_sub(x[v[3]], x[v[2]]));
    close->normal = pal_vec3_normalise(normal);
}

// ---- vertex and facet -------------------------------------------------------------------

// The closest point lies on an edge: is it closest on the facet across, too?
static bool edge_is_closest(const PalContactSurface *surface, int32_t edge, int32_t facet,
                            PalVec3 point, PalVec3 apart)
{
    if (surface->edge_owner[edge] != facet)
        return false;
    const int32_t *sides = surface->edge_facets[edge];
    int32_t across = sides[0] == facet ? sides[1] : sides[0];
    if (across == PAL_NONE)
        return true;
    PalVec3 inward = pal_vec3_sub(start_of(surface, opposite(surface, across, edge)), point);
    double slope = pal_vec3_dot(inward, apart);
    return slope <= 1e-9 * pal_vec3_dot(inward, inward);
}

// The closest point is a vertex: does every edge lead away?
static bool vertex_is_closest(const PalContactSurface *surface, int32_t corner, int32_t facet,
                              int32_t vertex, PalVec3 apart)
{
    bool same_kind = surface->vertex_owner[vertex] != PAL_NONE;
    if (surface->vertex_owner[corner] != facet || (same_kind && vertex > corner))
        return false;
    const PalLists *edges = &surface->vertex_edges;
    for (int32_t i = edges->start[corner]; i < edges->start[corner + 1]; ++i) {
        const int32_t *ends = surface->edges[edges->items[i]];
        int32_t other = ends[0] == corner ? ends[1] : ends[0];
        PalVec3 outward = pal_vec3_sub(start_of(surface, other), surface->start[corner]);
        if (pal_vec3_dot(outward, apart) > 1e-9 * pal_vec3_dot(outward, outward))
            return false;
    }
    return true;
}

// ---- beside a sharp edge ----------------------------------------------------------------

static PalVec3 facet_normal(const PalContactSurface *surface, int32_t facet)
{
    const int32_t *v = surface->facets[facet];
    PalVec3 origin = start_of(surface, v[0]);
    return pal_vec3_normalise(pal_vec3_cross(pal_vec3_sub(start_of(surface, v[1]), origin),
                                             pal_vec3_sub(start_of(surface, v[2]), origin)));
}

// Weights of a facet's vertices at a point of its plane, inside it or not.
static void weights_at(const PalContactSurface *surface, int32_t facet, PalVec3 point,
                       double weights[3])
{
    const int32_t *v = surface->facets[facet];
    const PalVec3 *x = surface->start;
    PalVec3 a = pal_vec3_sub(x[v[1]], x[v[0]]), b = pal_vec3_sub(x[v[2]], x[v[0]]);
    PalVec3 c = pal_vec3_sub(point, x[v[0]]), area = pal_vec3_cross(a, b);
    double square = pal_vec3_dot(area, area);
    weights[1] = pal_vec3_dot(area, pal_vec3_cross(c, b)) / square;
    weights[2] = pal_vec3_dot(area, pal_vec3_cross(a, c)) / square;
    weights[0] = 1 - weights[1] - weights[2];
}

// A vertex that lies on a facet but for a little beyond a sharp edge of it still lies on that
// facet: pushed off around the edge, blocks of equal size would never rest on each other.
static void extend_facet(const PalContactSurface *surface, const int32_t *around, int32_t count,
                         Closeness *close)
{
    double flattest = 0, steepest = 1;
    int32_t best = PAL_NONE;
    for (int32_t i = 0; i < count; ++i) {
        if (around[i] == PAL_NONE)
            continue;
        double cosine = pal_vec3_dot(facet_normal(surface, around[i]), close->apart);
        cosine /= close->distance;
        if (cosine > flattest) {
            flattest = cosine;
            best = around[i];
        }
        steepest = pal_min(steepest, cosine);
    }
    if (flattest < PAL_LAGRANGE_BESIDE || steepest > STEEP)
        return;
    PalVec3 normal = facet_normal(surface, best);
    double height = flattest * close->distance, weights[3];
    PalVec3 vertex = surface->start[close->vertices[0]];
    weights_at(surface, best, pal_vec3_add_scaled(vertex, -height, normal), weights);
    for (int k = 0; k < 3; ++k) {
        close->vertices[k + 1] = surface->facets[best][k];
        close->weights[k + 1] = -weights[k];
    }
    close->normal = normal;
    close->along = height;
}

static void look_at_vertex_facet(const PalContact *contact, const PalCandidate *candidate,
                                 Closeness *close)
{
    const PalContactSurface *surface = contact->surface;
    const PalVec3 *x = surface->start;
    const int32_t *vertices = candidate->vertices;
    int32_t facet = candidate->items[1];
    PalVec3 triangle[3] = {x[vertices[1]], x[vertices[2]], x[vertices[3]]};
    double weights[3];
    PalFeature feature;
    close->distance = pal_closest_on_triangle(x[vertices[0]], triangle, weights, &feature);
    close->weights[0] = 1;
    for (int k = 0; k < 3; ++k)
        close->weights[k + 1] = -weights[k];
    close->apart = between(x, vertices, close->weights);
    set_normal(contact, candidate, close);
    if (feature == PAL_FEATURE_FACE) {
        close->minimum = true;
    } else if (feature >= PAL_FEATURE_EDGE_0) {
        int32_t edge = surface->facet_edges[facet][feature - PAL_FEATURE_EDGE_0];
        PalVec3 point = pal_vec3_sub(x[vertices[0]], close->apart);
        close->minimum = edge_is_closest(surface, edge, facet, point, close->apart);
        if (close->minimum)
            extend_facet(surface, surface->edge_facets[edge], 2, close);
    } else {
        int32_t corner = vertices[1 + (feature - PAL_FEATURE_VERTEX_0)];
        close->minimum = vertex_is_closest(surface, corner, facet, vertices[0], close->apart);
        const PalLists *around = &surface->vertex_facets;
        if (close->minimum)
            extend_facet(surface, &around->items[around->start[corner]],
                         around->start[corner + 1] - around->start[corner], close);
    }
}

// ---- two edges --------------------------------------------------------------------------

// Does the surface bend outward along this edge, or may it by the end of the step? Flat surfaces
// that lie on each other change from hollow to sharp and back with every breath.
static bool edge_may_touch(const PalContact *contact, PalLagrange *lagrange, int32_t edge)
{
    const PalContactSurface *surface = contact->surface;
    if (lagrange->edge_stamp[edge] >> 1 == lagrange->stamp)
        return lagrange->edge_stamp[edge] & 1;
    const int32_t *sides = surface->edge_facets[edge];
    bool may = true;
    if (sides[1] != PAL_NONE) {
        const int32_t *corners = surface->facets[sides[0]];
        PalVec3 origin = start_of(surface, corners[0]);
        PalVec3 normal = pal_vec3_cross(pal_vec3_sub(start_of(surface, corners[1]), origin),
                                        pal_vec3_sub(start_of(surface, corners[2]), origin));
        PalVec3 across = pal_vec3_sub(start_of(surface, opposite(surface, sides[1], edge)), origin);
        // how far the facet across falls below this one
        may = pal_vec3_dot(normal, across) < HOLLOW * contact->separation * pal_vec3_length(normal);
    }
    lagrange->edge_stamp[edge] = 2 * lagrange->stamp + may;
    return may;
}

// No facet of the edge leads nearer to the other one, by more than may change in the step.
static bool edge_leads_away(const PalContact *contact, int32_t edge, PalVec3 point, PalVec3 toward)
{
    const PalContactSurface *surface = contact->surface;
    double slack = HOLLOW * contact->separation * pal_vec3_length(toward);
    for (int i = 0; i < 2; ++i) {
        int32_t facet = surface->edge_facets[edge][i];
        if (facet == PAL_NONE)
            continue;
        PalVec3 inward = pal_vec3_sub(start_of(surface, opposite(surface, facet, edge)), point);
        if (pal_vec3_dot(inward, toward) > slack)
            return false;
    }
    return true;
}

// Do two edges side by side part by less than the separation, end to end? Their vertices tell as
// much, and where they cross means little.
static bool are_parallel(const PalContact *contact, const PalVec3 *x, const int32_t v[4])
{
    PalVec3 a = pal_vec3_sub(x[v[1]], x[v[0]]), b = pal_vec3_sub(x[v[3]], x[v[2]]);
    PalVec3 turn = pal_vec3_cross(a, b);
    double longer = pal_max(pal_vec3_dot(a, a), pal_vec3_dot(b, b));
    return pal_vec3_dot(turn, turn) < contact->separation * contact->separation * longer;
}

// Do they cross so near to an end that its vertex tells as much? Where a vertex lies on an edge,
// rows would come and go by rounding.
static bool is_at_end(const PalContact *contact, const PalVec3 *x, const int32_t v[4],
                      const double along[2])
{
    for (int i = 0; i < 2; ++i) {
        double length = pal_vec3_distance(x[v[2 * i]], x[v[2 * i + 1]]);
        if (pal_min(along[i], 1 - along[i]) * length < AT_END * contact->separation)
            return true;
    }
    return false;
}

static void look_at_edges(const PalContact *contact, const PalCandidate *candidate,
                          Closeness *close)
{
    const PalContactSurface *surface = contact->surface;
    const PalVec3 *x = surface->start;
    const int32_t *vertices = candidate->vertices;
    double along[2];
    bool interior[2];
    close->distance = pal_closest_on_edges(x[vertices[0]], x[vertices[1]], x[vertices[2]],
                                           x[vertices[3]], along, interior);
    close->weights[0] = 1 - along[0];
    close->weights[1] = along[0];
    close->weights[2] = along[1] - 1;
    close->weights[3] = -along[1];
    close->apart = between(x, vertices, close->weights);
    set_normal(contact, candidate, close);
    close->minimum = interior[0] && interior[1] && !are_parallel(contact, x, vertices) &&
                     !is_at_end(contact, x, vertices, along);
    if (!close->minimum)
        return;
    double first[4] = {close->weights[0], close->weights[1], 0, 0};
    PalVec3 point = at(x, vertices, first), other = pal_vec3_sub(point, close->apart);
    close->minimum =
        edge_leads_away(contact, candidate->items[0], point, pal_vec3_scale(-1, close->apart)) &&
        edge_leads_away(contact, candidate->items[1], other, close->apart);
}

// ---- rows -------------------------------------------------------------------------------

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
                    int32_t candidate, const Closeness *close)
{
    PalCandidate *from = &lagrange->now.items[candidate];
    PalVec3 normal = close->normal;
    double response = 0, tangent = 0, rate = 0;
    for (int k = 0; k < 4; ++k) {
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
        .impulse = from->impulse,
    };
    if (from->friction > 0)
        row->drag = across(from->drag, row->normal);
    for (int k = 0; k < 4; ++k) {
        row->weights[k] = close->weights[k];
        row->vertices[k] = close->vertices[k];
    }
}

static void look(PalContact *contact, const PalCandidate *candidate, Closeness *close)
{
    memcpy(close->vertices, candidate->vertices, sizeof close->vertices);
    if (candidate->kind == PAL_CONTACT_NODE_FACET)
        look_at_vertex_facet(contact, candidate, close);
    else
        look_at_edges(contact, candidate, close);
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
        !(edge_may_touch(contact, lagrange, candidate->items[0]) &&
          edge_may_touch(contact, lagrange, candidate->items[1])))
        return;  // the guard looks after it
    Closeness close;
    look(contact, candidate, &close);
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
    double end_gap =
        pal_vec3_dot(close.normal, between(contact->surface->end, close.vertices, close.weights));
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
                           double reach, PalCounters *counters)
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
        counters->node_facet += !edges;
        counters->edge_edge += edges;
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
    Closeness close;
    look(contact, candidate, &close);
    candidate->found = !close.minimum;
    add_row(contact, lagrange, step, index, &close);
}
