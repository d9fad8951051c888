// johnsen2015, equations 7 and 8; johnsen2012, section 2.2.  docs/theory/contact-johnsen.md
#include "contact/narrow.h"

#include "base/memory.h"
#include "geometry/closest.h"
#include "math/vec3.h"

#include <palpate/geometry.h>

#define BESIDE       0.25   // how far beside a facet, in its own coordinates, to look further
#define ON_RIM       1e-6   // less than this beside a facet is on it
#define PROJECTIONS  30     // at most
#define STILL        1e-12  // the projection rests when its coordinates change by less
#define STEEPEST     0.1    // least cosine between continuous and plain normal
#define EDGE_ALIGNED 0.5    // least cosine between an edge contact's direction and its normal

PalStatus pal_narrow_init(PalNarrow *narrow, PalNormalKind kind, const PalNarrowRule *rule,
                          const PalContactSurface *surface, PalError *error)
{
    *narrow = (PalNarrow){.rule = *rule};
    PAL_TRY(pal_normals_init(&narrow->normals, kind, surface, error));
    size_t vertices = (size_t)surface->vertex_count;
    narrow->nearest = pal_alloc(vertices, sizeof *narrow->nearest);
    narrow->nearest_stamp = pal_alloc(vertices, sizeof *narrow->nearest_stamp);
    if (narrow->nearest != NULL && narrow->nearest_stamp != NULL)
        return PAL_OK;
    pal_narrow_clear(narrow);
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for contacts");
}

void pal_narrow_clear(PalNarrow *narrow)
{
    pal_normals_clear(&narrow->normals);
    pal_array_clear(&narrow->spots);
    pal_free(narrow->nearest);
    pal_free(narrow->nearest_stamp);
    *narrow = (PalNarrow){0};
}

PalVec3 pal_spot_difference(const PalSpot *spot, const PalVec3 *vectors)
{
    PalVec3 sum = {0, 0, 0};
    for (int a = 0; a < 4; ++a) {
        double weight = a < spot->slave_count ? spot->weights[a] : -spot->weights[a];
        sum = pal_vec3_add_scaled(sum, weight, vectors[spot->vertices[a]]);
    }
    return sum;
}

// ---- node and facet ---------------------------------------------------------------------

static void set_weights(double weights[3], double xi, double eta)
{
    weights[0] = 1 - xi - eta;
    weights[1] = xi;
    weights[2] = eta;
}

static bool lies_on(double weights[3])
{
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
        if (!(weights[a] >= -ON_RIM))
            return false;
        weights[a] = fmax(weights[a], 0);
        sum += weights[a];
    }
    for (int a = 0; a < 3; ++a)
        weights[a] /= sum;
    return true;
}

// The gap along the continuous normal is never less than the one along the plain normal: it is
// that one divided by the cosine between the two. So the first look can rule a facet out.
bool pal_narrow_project(PalNormals *normals, int32_t facet, PalVec3 point, double limit,
                        PalProjection *projection)
{
    const PalFacetFrame *frame = pal_normals_frame(normals, facet);
    const int32_t *corners = normals->surface->facets[facet];
    PalVec3 from = pal_vec3_sub(point, frame->origin);
    double height = pal_vec3_dot(frame->normal, from);
    double xi = pal_vec3_dot(frame->xi, from), eta = pal_vec3_dot(frame->eta, from);
    if (!(fabs(height) < limit) || !(xi >= -BESIDE) || !(eta >= -BESIDE) ||
        !(xi + eta <= 1 + BESIDE) || !(frame->area_twice > 0))
        return false;
    double *weights = projection->weights;
    set_weights(weights, xi, eta);
    for (int i = 0; i < PROJECTIONS; ++i) {
        PalVec3 normal = pal_normals_blend(normals, corners, weights, 3);
        double cosine = pal_vec3_dot(normal, frame->normal);
        if (!(cosine > STEEPEST))
            return false;
        PalVec3 foot = pal_vec3_add_scaled(from, -height / cosine, normal);
        double old_xi = xi, old_eta = eta;
        xi = pal_vec3_dot(frame->xi, foot);
        eta = pal_vec3_dot(frame->eta, foot);
        set_weights(weights, xi, eta);
        if (fabs(xi - old_xi) + fabs(eta - old_eta) <= STILL)
            break;
    }
    if (!lies_on(weights))
        return false;
    projection->normal = pal_normals_blend(normals, corners, weights, 3);
    PalVec3 arm = from;
    for (int a = 1; a < 3; ++a) {
        PalVec3 side = pal_vec3_sub(normals->surface->end[corners[a]], frame->origin);
        arm = pal_vec3_add_scaled(arm, -weights[a], side);
    }
    projection->gap = pal_vec3_dot(projection->normal, arm);
    return fabs(projection->gap) < limit;
}

static double largest_motion(const PalContactSurface *surface, const int32_t *vertices, int count)
{
    double largest = 0;
    for (int a = 0; a < count; ++a)
        largest = fmax(largest,
                       pal_vec3_distance(surface->start[vertices[a]], surface->end[vertices[a]]));
    return largest;
}

// Nothing overlaps by more than what was left of earlier steps and what this one has moved.
static bool plausible(const PalNarrow *narrow, const int32_t vertices[4], double gap)
{
    return gap >= -narrow->rule.margin ||
           gap >= -narrow->rule.margin - 2 * largest_motion(narrow->normals.surface, vertices, 4);
}

static PalStatus keep(PalNarrow *narrow, const PalSpot *spot, PalError *error)
{
    if (pal_array_push(&narrow->spots, *spot))
        return PAL_OK;
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for contacts");
}

static PalStatus try_node_facet(PalNarrow *narrow, const PalContact *contact, int32_t vertex,
                                int32_t facet, PalError *error)
{
    const PalContactSurface *surface = narrow->normals.surface;
    const int32_t *corners = surface->facets[facet];
    if (vertex == corners[0] || vertex == corners[1] || vertex == corners[2])
        return PAL_OK;
    bool known = narrow->nearest_stamp[vertex] == narrow->stamp;
    PalSpot *best = known ? &narrow->spots.items[narrow->nearest[vertex]] : NULL;
    double limit = known ? nextafter(fabs(best->gap), INFINITY) : INFINITY;
    PalProjection over;
    if (!pal_narrow_project(&narrow->normals, facet, surface->end[vertex], limit, &over) ||
        !(over.gap < narrow->rule.reach) ||
        !(pal_vec3_dot(pal_normals_vertex(&narrow->normals, vertex), over.normal) < 0))
        return PAL_OK;
    PalSpot spot = {
        .kind = PAL_CONTACT_NODE_FACET,
        .slave_count = 1,
        .vertices = {vertex, corners[0], corners[1], corners[2]},
        .weights = {1, over.weights[0], over.weights[1], over.weights[2]},
        .normal = over.normal,
        .gap = over.gap,
        .friction = pal_contact_friction(contact, surface->vertex_object[vertex],
                                         surface->facet_object[facet]),
        .key = vertex,
        .partner = surface->facet_object[facet],
        .facet = facet,
    };
    if (!plausible(narrow, spot.vertices, spot.gap))
        return PAL_OK;
    if (known) {
        if (fabs(spot.gap) < fabs(best->gap) || facet < best->facet)
            *best = spot;
        return PAL_OK;
    }
    narrow->nearest_stamp[vertex] = narrow->stamp;
    narrow->nearest[vertex] = narrow->spots.count;
    return keep(narrow, &spot, error);
}

// ---- edge and edge ----------------------------------------------------------------------

static bool apart(const PalBounds *a, const PalBounds *b, double by)
{
    return a->lower.x > b->upper.x + by || b->lower.x > a->upper.x + by ||
           a->lower.y > b->upper.y + by || b->lower.y > a->upper.y + by ||
           a->lower.z > b->upper.z + by || b->lower.z > a->upper.z + by;
}

// Where the edges are to be looked at: at the end, or where they meet on their way.
static bool meet(const PalNarrow *narrow, const int32_t v[4], double weights[2])
{
    const PalContactSurface *surface = narrow->normals.surface;
    PalVec3 at[4], before[4];
    for (int a = 0; a < 4; ++a) {
        before[a] = surface->start[v[a]];
        at[a] = surface->end[v[a]];
    }
    if (narrow->rule.continuous_edges) {
        double time;
        if (!pal_ccd_edge_edge(before, at, narrow->rule.edge_reach, &time))
            return false;
        for (int a = 0; a < 4; ++a)
            at[a] = pal_vec3_add_scaled(before[a], time, pal_vec3_sub(at[a], before[a]));
    }
    bool interior[2];
    pal_closest_on_edges(at[0], at[1], at[2], at[3], weights, interior);
    return interior[0] && interior[1];
}

// slave, master: edges. Ends of edges are left to nodes and facets.
static PalStatus try_edge_edge(PalNarrow *narrow, const PalContact *contact, int32_t slave,
                               int32_t master, PalSpot *spot, PalError *error)
{
    const PalContactSurface *surface = narrow->normals.surface;
    const int32_t *s = surface->edges[slave], *m = surface->edges[master];
    double along[2];
    *spot = (PalSpot){.kind = PAL_CONTACT_EDGE_EDGE,
                      .slave_count = 2,
                      .vertices = {s[0], s[1], m[0], m[1]},
                      .key = spot->key,
                      .partner = spot->partner};
    if (s[0] == m[0] || s[0] == m[1] || s[1] == m[0] || s[1] == m[1] ||
        !meet(narrow, spot->vertices, along))
        return PAL_OK;
    for (int a = 0; a < 2; ++a) {
        spot->weights[2 * a] = 1 - along[a];
        spot->weights[2 * a + 1] = along[a];
    }
    PalVec3 between = pal_spot_difference(spot, surface->end);
    double distance = pal_vec3_length(between);
    if (!(distance < narrow->rule.edge_reach) && distance > narrow->rule.margin &&
        distance > narrow->rule.margin + 2 * largest_motion(surface, spot->vertices, 4))
        return PAL_OK;
    spot->normal = pal_normals_blend(&narrow->normals, m, spot->weights + 2, 2);
    spot->gap = pal_vec3_dot(spot->normal, between);
    PalVec3 own = pal_normals_blend(&narrow->normals, s, spot->weights, 2);
    bool aligned = narrow->rule.continuous_edges || fabs(spot->gap) >= EDGE_ALIGNED * distance;
    if (!(spot->gap < narrow->rule.edge_reach) || !aligned ||
        !(pal_vec3_dot(own, spot->normal) < 0))
        return PAL_OK;
    spot->friction =
        pal_contact_friction(contact, surface->vertex_object[s[0]], surface->vertex_object[m[0]]);
    return keep(narrow, spot, error);
}

// ---- pairs ------------------------------------------------------------------------------

static PalStatus try_nodes(PalNarrow *narrow, const PalContact *contact, int32_t slave,
                           int32_t master, PalMeter *meter, PalError *error)
{
    const PalContactSurface *surface = narrow->normals.surface;
    for (int a = 0; a < 3; ++a) {
        int32_t vertex = surface->facets[slave][a];
        if (surface->vertex_owner[vertex] != slave)
            continue;
        ++meter->counters.node_facet;
        PAL_TRY(try_node_facet(narrow, contact, vertex, master, error));
    }
    return PAL_OK;
}

static PalStatus try_edges(PalNarrow *narrow, const PalContact *contact, PalFacetPair pair,
                           bool low_leads, PalMeter *meter, PalError *error)
{
    const PalContactSurface *surface = narrow->normals.surface;
    double near = narrow->rule.edge_reach;
    if (!narrow->rule.continuous_edges)
        near = fmax(near, narrow->rule.margin);
    PalBounds high_box[3];
    bool mine[3];  // edges this facet answers for
    for (int j = 0; j < 3; ++j) {
        int32_t high = surface->facet_edges[pair.b][j];
        mine[j] = surface->edge_owner[high] == pair.b;
        if (mine[j])
            high_box[j] = pal_swept_bounds(surface, surface->edges[high], 2);
    }
    for (int i = 0; i < 3; ++i) {
        int32_t low = surface->facet_edges[pair.a][i];
        if (surface->edge_owner[low] != pair.a)
            continue;
        PalBounds low_box = pal_swept_bounds(surface, surface->edges[low], 2);
        for (int j = 0; j < 3; ++j) {
            int32_t high = surface->facet_edges[pair.b][j];
            if (!mine[j] || apart(&low_box, &high_box[j], near))
                continue;
            ++meter->counters.edge_edge;
            PalSpot spot = {.key = surface->vertex_count + low, .partner = high};
            PAL_TRY(try_edge_edge(narrow, contact, low_leads ? high : low, low_leads ? low : high,
                                  &spot, error));
        }
    }
    return PAL_OK;
}

static bool comes_after(const PalSpot *a, const PalSpot *b)
{
    return a->key != b->key ? a->key > b->key : a->partner > b->partner;
}

static void sift(PalSpot *spots, int32_t root, int32_t count)
{
    PalSpot moving = spots[root];
    for (int32_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && comes_after(&spots[child + 1], &spots[child]))
            ++child;
        if (!comes_after(&spots[child], &moving))
            break;
        spots[root] = spots[child];
        root = child;
    }
    spots[root] = moving;
}

// By heaps: no memory, no worst case. Keys are unique.
static void sort_spots(PalSpot *spots, int32_t count)
{
    for (int32_t root = count / 2 - 1; root >= 0; --root)
        sift(spots, root, count);
    for (int32_t last = count - 1; last > 0; --last) {
        PalSpot largest = spots[0];
        spots[0] = spots[last];
        spots[last] = largest;
        sift(spots, 0, last);
    }
}

PalStatus pal_narrow_find(PalNarrow *narrow, const PalContact *contact, PalRoles roles,
                          PalMeter *meter, PalError *error)
{
    const PalSearch *search = contact->search;
    narrow->spots.count = 0;
    ++narrow->stamp;
    pal_normals_forget(&narrow->normals);
    double near = fmax(narrow->rule.reach, narrow->rule.margin);
    for (int32_t p = 0; p < search->pair_count; ++p) {
        PalFacetPair pair = search->pairs[p];
        if (apart(pal_normals_swept(&narrow->normals, pair.a),
                  pal_normals_swept(&narrow->normals, pair.b), near))
            continue;
        if (roles != PAL_ROLES_LOW_LEADS)
            PAL_TRY(try_nodes(narrow, contact, pair.a, pair.b, meter, error));
        if (roles != PAL_ROLES_HIGH_LEADS)
            PAL_TRY(try_nodes(narrow, contact, pair.b, pair.a, meter, error));
        PAL_TRY(try_edges(narrow, contact, pair, roles == PAL_ROLES_LOW_LEADS, meter, error));
    }
    sort_spots(narrow->spots.items, narrow->spots.count);
    return PAL_OK;
}
