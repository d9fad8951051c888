// How near the two sides of a candidate are, where, and whether that is a local minimum of the
// distance between their surfaces, at the start of the step.   docs/theory/contact.md
#include "contact/gap/closest.h"

#include "contact/gap/smooth.h"
#include "geometry/closest.h"
#include "math/range.h"
#include "math/vec3.h"

#include <string.h>

#define STEEP  0.5   // cosine to the normal of the facet around an edge, if that is sharp
#define AT_END 0.02  // of the separation: edges that cross nearer to an end are left to its vertex
#define HOLLOW 0.2   // of the separation: an edge no more hollow than that may touch in the step
#define SHARP  0.5   // of the separation: an edge is sharp if what is behind it falls off by more
#define WARPED 0.25  // of the separation: quadrilaterals that are bent by more are two triangles

// Around a candidate there may be vertices that nobody has asked for yet.
static inline PalVec3 start_of(PalContactSurface *surface, int32_t vertex)
{
    pal_contact_surface_need(surface, vertex);
    return pal_contact_surface_start(surface, vertex);
}

static PalVec3 at(const PalVec3 *positions, const int32_t vertices[4], const double weights[4])
{
    PalVec3 sum = pal_vec3_scale(weights[0], positions[vertices[0]]);
    for (int k = 1; k < 4; ++k)
        sum = pal_vec3_add_scaled(sum, weights[k], positions[vertices[k]]);
    return sum;
}

// The direction apart; where the two touch exactly, outward from the facet or across the edges.
static void set_normal(const PalClosestRule *rule, const PalFeatures *features, PalGap *gap)
{
    gap->along = gap->distance;
    if (gap->distance > 1e-9 * rule->separation) {
        gap->normal = pal_vec3_scale(1 / gap->distance, gap->apart);
        return;
    }
    const PalVec3 *x = rule->surface->start;
    const int32_t *v = features->vertices;
    bool facet = features->kind == PAL_CONTACT_NODE_FACET;
    PalVec3 normal =
        facet ? pal_vec3_cross(pal_vec3_sub(x[v[2]], x[v[1]]), pal_vec3_sub(x[v[3]], x[v[1]]))
              : pal_vec3_cross(pal_vec3_sub(x[v[1]], x[v[0]]), pal_vec3_sub(x[v[3]], x[v[2]]));
    gap->normal = pal_vec3_normalise(normal);
}

// ---- vertex and facet -------------------------------------------------------------------

// The closest point lies on an edge: is it closest on the facet across, too?
static bool edge_is_closest(PalContactSurface *surface, int32_t edge, int32_t facet, PalVec3 point,
                            PalVec3 apart)
{
    if (surface->edge_owner[edge] != facet)
        return false;
    int32_t across = surface->edge_corners[edge][surface->edge_facets[edge][0] == facet];
    if (across == PAL_NONE)
        return true;
    PalVec3 inward = pal_vec3_sub(start_of(surface, across), point);
    double slope = pal_vec3_dot(inward, apart);
    return slope <= 1e-9 * pal_vec3_dot(inward, inward);
}

// The closest point is a vertex: does every edge lead away?
static bool vertex_is_closest(PalContactSurface *surface, int32_t corner, int32_t facet,
                              PalVec3 apart)
{
    if (surface->vertex_owner[corner] != facet)
        return false;
    const PalLists *edges = &surface->vertex_edges;
    for (int32_t i = edges->start[corner]; i < edges->start[corner + 1]; ++i) {
        const int32_t *ends = surface->edges[edges->items[i]];
        int32_t other = ends[0] == corner ? ends[1] : ends[0];
        PalVec3 outward =
            pal_vec3_sub(start_of(surface, other), pal_contact_surface_start(surface, corner));
        if (pal_vec3_dot(outward, apart) > 1e-9 * pal_vec3_dot(outward, outward))
            return false;
    }
    return true;
}

// ---- beside a sharp edge ----------------------------------------------------------------

static PalVec3 facet_normal(PalContactSurface *surface, int32_t facet)
{
    const int32_t *v = surface->facets[facet];
    PalVec3 origin = start_of(surface, v[0]);
    return pal_vec3_normalise(pal_vec3_cross(pal_vec3_sub(start_of(surface, v[1]), origin),
                                             pal_vec3_sub(start_of(surface, v[2]), origin)));
}

// Weights of a triangle's vertices at the foot of a point on its plane, inside it or not.
static void weights_at(const PalVec3 *x, const int32_t v[3], PalVec3 point, double weights[3])
{
    PalVec3 a = pal_vec3_sub(x[v[1]], x[v[0]]), b = pal_vec3_sub(x[v[2]], x[v[0]]);
    PalVec3 c = pal_vec3_sub(point, x[v[0]]), area = pal_vec3_cross(a, b);
    double square = pal_vec3_dot(area, area);
    weights[1] = pal_vec3_dot(area, pal_vec3_cross(c, b)) / square;
    weights[2] = pal_vec3_dot(area, pal_vec3_cross(a, c)) / square;
    weights[0] = 1 - weights[1] - weights[2];
}

static void put_on_skin(const PalClosestRule *rule, const int32_t *around, int32_t count,
                        PalGap *gap)
{
    if (rule->skin != NULL)
        pal_gap_add_skin(rule, gap);
    if (!rule->shortest)
        pal_gap_smoothen_facet(rule, around, count, gap);
}

// A vertex that lies on a facet but for a little beyond a sharp edge of it still lies on that
// facet: pushed off around the edge, blocks of equal size would never rest on each other.
static void extend_facet(const PalClosestRule *rule, const int32_t *around, int32_t count,
                         PalGap *gap)
{
    PalContactSurface *surface = rule->surface;
    double flattest = 0, steepest = 1;
    int32_t best = PAL_NONE;
    for (int32_t i = 0; i < count; ++i) {
        if (around[i] == PAL_NONE)
            continue;
        double cosine = pal_vec3_dot(facet_normal(surface, around[i]), gap->apart);
        cosine /= gap->distance;
        if (cosine > flattest) {
            flattest = cosine;
            best = around[i];
        }
        steepest = pal_min(steepest, cosine);
    }
    if (steepest > STEEP)
        put_on_skin(rule, around, count, gap);
    if (flattest < PAL_GAP_BESIDE || steepest > STEEP)
        return;
    PalVec3 normal = facet_normal(surface, best);
    double height = flattest * gap->distance, weights[3];
    PalVec3 vertex = pal_contact_surface_start(surface, gap->vertices[0]);
    weights_at(surface->start, surface->facets[best], vertex, weights);
    for (int k = 0; k < 3; ++k) {
        gap->vertices[k + 1] = surface->facets[best][k];
        gap->weights[k + 1] = -weights[k];
    }
    gap->normal = normal;
    gap->along = height;
}

// ---- quadrilaterals ---------------------------------------------------------------------

// Which corners of a quadrilateral its two halves have, and those if it were cut the other way.
static const int halves[2][3] = {{0, 1, 2}, {0, 2, 3}}, others[2][3] = {{0, 1, 3}, {1, 2, 3}};

// Part of the force goes to where it would if the quadrilateral were cut the other way, so that all
// four corners have what is theirs by the shape functions of the element behind. In a
// parallelogram, with w the weights in the half the foot lies in, o those the other way and a the
// corner that only o's half has of the two on the cut, N = (1 - w_a) w + w_a o.
// docs/theory/contact.md
static void spread_over_quad(const PalClosestRule *rule, int32_t facet, PalGap *gap)
{
    PalContactSurface *surface = rule->surface;
    int32_t twin = surface->facet_twin[facet];
    if (twin == PAL_NONE || gap->distance < rule->separation / 2)
        return;
    int half = facet > twin;
    const int32_t *first = surface->facets[half ? twin : facet];
    int32_t quad[4] = {first[0], first[1], first[2], surface->facets[half ? facet : twin][2]};
    double weights[4] = {0, 0, 0, 0}, other[3];
    for (int k = 0; k < 3; ++k)
        weights[halves[half][k]] = -gap->weights[k + 1];
    for (int k = 0; k < 4; ++k) {
        if (quad[k] == gap->vertices[0])
            return;
        pal_contact_surface_need(surface, quad[k]);
    }
    const PalVec3 *x = surface->start;
    PalVec3 foot = pal_vec3_sub(x[gap->vertices[0]], gap->apart), elsewhere = {0, 0, 0};
    weights_at(x, (int32_t[]){quad[0], quad[1], quad[3]}, foot, other);
    int across = other[0] < 0;
    const int *corners = others[across];
    if (across)
        weights_at(x, (int32_t[]){quad[1], quad[2], quad[3]}, foot, other);
    for (int k = 0; k < 3; ++k)
        elsewhere =
            pal_vec3_add_scaled(elsewhere, other[k], pal_vec3_sub(x[quad[corners[k]]], foot));
    double bent = pal_vec3_length(elsewhere) / (WARPED * rule->separation);
    if (!(bent < 2))  // or its other half has no area
        return;
    double share = weights[across ? 2 : 0] * pal_min(1, 2 - bent);
    for (int k = 0; k < 4; ++k) {
        gap->vertices[k + 1] = quad[k];
        gap->weights[k + 1] = -(1 - share) * weights[k];
    }
    for (int k = 0; k < 3; ++k)
        gap->weights[corners[k] + 1] -= share * other[k];
    gap->count = PAL_GAP_VERTICES;
    PalVec3 apart = pal_gap_apart(gap, x);
    gap->along = pal_vec3_length(apart);
    gap->normal = pal_vec3_normalise(apart);
}

static bool is_cut(PalContactSurface *surface, int32_t facet, int32_t edge)
{
    const int32_t *sides = surface->edge_facets[edge];
    int32_t twin = surface->facet_twin[facet];
    return twin != PAL_NONE && (sides[0] == twin || sides[1] == twin);
}

static void look_at_vertex_facet(const PalClosestRule *rule, const PalFeatures *features,
                                 PalGap *gap)
{
    PalContactSurface *surface = rule->surface;
    const PalVec3 *x = surface->start;
    const int32_t *vertices = features->vertices;
    int32_t facet = features->items[1];
    PalVec3 triangle[3] = {x[vertices[1]], x[vertices[2]], x[vertices[3]]};
    double weights[3];
    PalFeature feature;
    gap->distance = pal_closest_on_triangle(x[vertices[0]], triangle, weights, &feature);
    gap->weights[0] = 1;
    for (int k = 0; k < 3; ++k)
        gap->weights[k + 1] = -weights[k];
    gap->apart = pal_gap_apart(gap, x);
    set_normal(rule, features, gap);
    if (feature == PAL_FEATURE_FACE) {
        gap->minimum = true;
        if (surface->facet_twin[facet] != PAL_NONE)
            spread_over_quad(rule, facet, gap);
        else
            put_on_skin(rule, &facet, 1, gap);
    } else if (feature >= PAL_FEATURE_EDGE_0) {
        int32_t edge = surface->facet_edges[facet][feature - PAL_FEATURE_EDGE_0];
        PalVec3 point = pal_vec3_sub(x[vertices[0]], gap->apart);
        gap->minimum = edge_is_closest(surface, edge, facet, point, gap->apart);
        gap->beside = surface->edge_owner[edge] != facet;
        if (gap->minimum && is_cut(surface, facet, edge))
            spread_over_quad(rule, facet, gap);
        else if (gap->minimum)
            extend_facet(rule, surface->edge_facets[edge], 2, gap);
    } else {
        int32_t corner = vertices[1 + (feature - PAL_FEATURE_VERTEX_0)];
        bool second = surface->vertex_owner[vertices[0]] != PAL_NONE && vertices[0] > corner;
        gap->minimum = (!second || rule->skin != NULL) &&
                       vertex_is_closest(surface, corner, facet, gap->apart);
        gap->beside = surface->vertex_owner[corner] != facet;
        const PalLists *around = &surface->vertex_facets;
        if (gap->minimum)
            extend_facet(rule, &around->items[around->start[corner]],
                         around->start[corner + 1] - around->start[corner], gap);
        gap->soft = gap->minimum && second;  // the other way round, they have a gap already
        gap->minimum = gap->minimum && (!second || gap->skin > 0);
    }
}

uint8_t pal_facet_owned(const PalContactSurface *surface, int32_t facet)
{
    unsigned owned = 0;
    for (int k = 0; k < 3; ++k) {
        owned |= (unsigned)(surface->vertex_owner[surface->facets[facet][k]] == facet)
                 << (PAL_FEATURE_VERTEX_0 + k);
        owned |= (unsigned)(surface->edge_owner[surface->facet_edges[facet][k]] == facet)
                 << (PAL_FEATURE_EDGE_0 + k);
    }
    return (uint8_t)owned;
}

// ---- two edges --------------------------------------------------------------------------

PalEdgeBend pal_edge_bend(const PalClosestRule *rule, int32_t edge)
{
    PalContactSurface *surface = rule->surface;
    const int32_t *sides = surface->edge_facets[edge];
    if (sides[1] == PAL_NONE)
        return PAL_EDGE_SHARP;
    const int32_t *corners = surface->facets[sides[0]];
    PalVec3 origin = start_of(surface, corners[0]);
    PalVec3 normal = pal_vec3_cross(pal_vec3_sub(start_of(surface, corners[1]), origin),
                                    pal_vec3_sub(start_of(surface, corners[2]), origin));
    PalVec3 across = pal_vec3_sub(start_of(surface, surface->edge_corners[edge][1]), origin);
    // how far the facet across rises above this one
    double rise = pal_vec3_dot(normal, across);
    double unit = rule->separation * pal_vec3_length(normal);
    return rise < -SHARP * unit   ? PAL_EDGE_SHARP
           : rise < HOLLOW * unit ? PAL_EDGE_FLAT
                                  : PAL_EDGE_HOLLOW;
}

// No facet of the edge leads nearer to the other one, by more than may change in the step.
static bool edge_leads_away(const PalClosestRule *rule, int32_t edge, PalVec3 point, PalVec3 toward)
{
    PalContactSurface *surface = rule->surface;
    double slack = HOLLOW * rule->separation * pal_vec3_length(toward);
    for (int i = 0; i < 2; ++i) {
        int32_t corner = surface->edge_corners[edge][i];
        if (corner == PAL_NONE)
            continue;
        PalVec3 inward = pal_vec3_sub(start_of(surface, corner), point);
        if (pal_vec3_dot(inward, toward) > slack)
            return false;
    }
    return true;
}

// Do they cross so near to an end that its vertex tells as much? Where a vertex lies on an edge,
// rows would come and go by rounding.
static bool is_at_end(const PalClosestRule *rule, const PalVec3 *x, const int32_t v[4],
                      const double along[2])
{
    for (int i = 0; i < 2; ++i) {
        double length = pal_vec3_distance(x[v[2 * i]], x[v[2 * i + 1]]);
        if (pal_min(along[i], 1 - along[i]) * length < AT_END * rule->separation)
            return true;
    }
    return false;
}

// Do two edges side by side part by less than the separation, end to end? Their vertices tell as
// much, and where they cross means little.
static bool are_parallel(PalVec3 a, PalVec3 b, double separation)
{
    PalVec3 turn = pal_vec3_cross(a, b);
    double a2 = pal_vec3_dot(a, a), b2 = pal_vec3_dot(b, b);
    return pal_vec3_dot(turn, turn) < separation * separation * (a2 > b2 ? a2 : b2);
}

static void look_at_edges(const PalClosestRule *rule, const PalFeatures *features, PalGap *gap)
{
    PalContactSurface *surface = rule->surface;
    const PalVec3 *x = surface->start;
    const int32_t *vertices = features->vertices;
    PalVec3 a = pal_vec3_sub(x[vertices[1]], x[vertices[0]]),
            b = pal_vec3_sub(x[vertices[3]], x[vertices[2]]);
    double along[2];
    bool interior[2];
    gap->distance = pal_closest_on_edges(x[vertices[0]], x[vertices[1]], x[vertices[2]],
                                         x[vertices[3]], along, interior);
    gap->weights[0] = 1 - along[0];
    gap->weights[1] = along[0];
    gap->weights[2] = along[1] - 1;
    gap->weights[3] = -along[1];
    gap->apart = pal_gap_apart(gap, x);
    set_normal(rule, features, gap);
    gap->beside = !interior[0] || !interior[1] || are_parallel(a, b, rule->separation);
    gap->minimum = !gap->beside && !is_at_end(rule, x, vertices, along);
    if (!gap->minimum)
        return;
    double first[4] = {gap->weights[0], gap->weights[1], 0, 0};
    PalVec3 point = at(x, vertices, first), other = pal_vec3_sub(point, gap->apart);
    gap->minimum =
        edge_leads_away(rule, features->items[0], point, pal_vec3_scale(-1, gap->apart)) &&
        edge_leads_away(rule, features->items[1], other, gap->apart);
    if (gap->minimum && !rule->shortest)
        pal_gap_smoothen_edges(rule, gap);
}

// ---- both -------------------------------------------------------------------------------

// Is the closest point of a facet to a vertex on an edge or a corner that another facet answers
// for? Then the two have no minimum: pal_gap_closest would find the same.
static bool facet_is_beside(const PalVec3 *x, const int32_t v[4], uint8_t owned)
{
    PalVec3 triangle[3] = {x[v[1]], x[v[2]], x[v[3]]};
    double weights[3];
    PalFeature feature;
    return pal_closest_weights(x[v[0]], triangle, weights, &feature) &&
           feature != PAL_FEATURE_FACE && !(owned >> feature & 1);
}

// Do two edges not cross, or nearly along each other? They have no minimum either.
static bool edges_are_beside(const PalVec3 *x, const int32_t v[4], double separation)
{
    PalVec3 a = pal_vec3_sub(x[v[1]], x[v[0]]), b = pal_vec3_sub(x[v[3]], x[v[2]]);
    return are_parallel(a, b, separation) ||
           pal_closest_is_at_end(a, b, pal_vec3_sub(x[v[0]], x[v[2]]));
}

bool pal_gap_is_beside(const PalVec3 *x, const int32_t vertices[4], int split, uint8_t owned,
                       double separation)
{
    return split == 1 ? facet_is_beside(x, vertices, owned)
                      : edges_are_beside(x, vertices, separation);
}

void pal_gap_closest(const PalClosestRule *rule, const PalFeatures *features, PalGap *gap)
{
    memcpy(gap->vertices, features->vertices, sizeof features->vertices);
    gap->kind = features->kind;
    gap->count = 4;
    gap->sloped = false;
    gap->skin = gap->strength = 0;
    gap->soft = gap->beside = false;
    if (features->kind == PAL_CONTACT_NODE_FACET)
        look_at_vertex_facet(rule, features, gap);
    else
        look_at_edges(rule, features, gap);
}
