// johnsen2015, equations 7 and 8; johnsen2012, section 2.2.  docs/theory/contact-johnsen.md
#include "contact/response/johnsen/near.h"

#include "base/memory.h"
#include "geometry/closest.h"
#include "math/vec3.h"

#include <math.h>
#include <palpate/geometry.h>

#define EDGE_ALIGNED 0.5  // least cosine between an edge contact's direction and its normal

PalStatus pal_near_init(PalNearFinder *finder, PalNormalKind kind, const PalNearRule *rule,
                        const PalContactSurface *surface, PalError *error)
{
    *finder = (PalNearFinder){.rule = *rule};
    PAL_TRY(pal_normals_init(&finder->normals, kind, surface, error));
    size_t vertices = (size_t)surface->vertex_count;
    finder->nearest = pal_alloc(vertices, sizeof *finder->nearest);
    finder->nearest_stamp = pal_alloc(vertices, sizeof *finder->nearest_stamp);
    if (finder->nearest != NULL && finder->nearest_stamp != NULL)
        return PAL_OK;
    pal_near_clear(finder);
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for contacts");
}

void pal_near_clear(PalNearFinder *finder)
{
    pal_normals_clear(&finder->normals);
    pal_array_clear(&finder->found);
    pal_free(finder->nearest);
    pal_free(finder->nearest_stamp);
    *finder = (PalNearFinder){0};
}

// ---- node and facet ---------------------------------------------------------------------

static double largest_motion(const PalContactSurface *surface, const int32_t *vertices, int count)
{
    double largest = 0;
    for (int a = 0; a < count; ++a)
        largest = fmax(largest, pal_contact_surface_travel(surface, vertices[a]));
    return largest;
}

// Nothing overlaps by more than what was left of earlier steps and what this one has moved.
static bool plausible(const PalNearFinder *finder, const int32_t vertices[4], double gap)
{
    return gap >= -finder->rule.margin ||
           gap >= -finder->rule.margin -
                      PAL_NEAR_TRAVELS * largest_motion(finder->normals.surface, vertices, 4);
}

static PalStatus keep(PalNearFinder *finder, const PalNear *near, PalError *error)
{
    if (pal_array_push(&finder->found, *near))
        return PAL_OK;
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for contacts");
}

static PalStatus try_node_facet(PalNearFinder *finder, const PalContact *contact, int32_t vertex,
                                int32_t facet, PalError *error)
{
    const PalContactSurface *surface = finder->normals.surface;
    const int32_t *corners = surface->facets[facet];
    if (vertex == corners[0] || vertex == corners[1] || vertex == corners[2])
        return PAL_OK;
    bool known = finder->nearest_stamp[vertex] == finder->stamp;
    PalNear *best = known ? &finder->found.items[finder->nearest[vertex]] : NULL;
    double limit = known ? nextafter(fabs(best->gap.along), INFINITY) : INFINITY;
    PalProjection over;
    if (!pal_project(&finder->normals, facet, pal_contact_surface_end(surface, vertex), limit,
                     &over) ||
        !(over.gap < finder->rule.reach) ||
        !(pal_vec3_dot(pal_normals_vertex(&finder->normals, vertex), over.normal) < 0))
        return PAL_OK;
    PalNear near = {
        .gap = {.kind = PAL_CONTACT_NODE_FACET,
                .count = 4,
                .vertices = {vertex, corners[0], corners[1], corners[2]},
                .weights = {1, -over.weights[0], -over.weights[1], -over.weights[2]},
                .normal = over.normal,
                .along = over.gap},
        .friction = pal_contact_friction(contact, surface->vertex_object[vertex],
                                         surface->facet_object[facet]),
        .key = vertex,
        .partner = surface->facet_object[facet],
        .facet = facet,
    };
    if (!plausible(finder, near.gap.vertices, near.gap.along))
        return PAL_OK;
    if (known) {
        if (fabs(near.gap.along) < fabs(best->gap.along) || facet < best->facet)
            *best = near;
        return PAL_OK;
    }
    finder->nearest_stamp[vertex] = finder->stamp;
    finder->nearest[vertex] = finder->found.count;
    return keep(finder, &near, error);
}

// ---- edge and edge ----------------------------------------------------------------------

static bool apart(const PalBounds *a, const PalBounds *b, double by)
{
    return a->lower.x > b->upper.x + by || b->lower.x > a->upper.x + by ||
           a->lower.y > b->upper.y + by || b->lower.y > a->upper.y + by ||
           a->lower.z > b->upper.z + by || b->lower.z > a->upper.z + by;
}

// Where the edges are to be looked at: at the end, or where they meet on their way.
static bool meet(const PalNearFinder *finder, const int32_t v[4], double weights[2])
{
    const PalContactSurface *surface = finder->normals.surface;
    PalVec3 at[4], before[4];
    for (int a = 0; a < 4; ++a) {
        before[a] = pal_contact_surface_start(surface, v[a]);
        at[a] = pal_contact_surface_end(surface, v[a]);
    }
    if (finder->rule.continuous_edges) {
        double time;
        if (!pal_ccd_edge_edge(before, at, finder->rule.edge_reach, &time))
            return false;
        for (int a = 0; a < 4; ++a)
            at[a] = pal_vec3_add_scaled(before[a], time, pal_vec3_sub(at[a], before[a]));
    }
    bool interior[2];
    pal_closest_on_edges(at[0], at[1], at[2], at[3], weights, interior);
    return interior[0] && interior[1];
}

// slave, master: edges. Ends of edges are left to nodes and facets.
static PalStatus try_edge_edge(PalNearFinder *finder, const PalContact *contact, int32_t slave,
                               int32_t master, PalNear *near, PalError *error)
{
    const PalContactSurface *surface = finder->normals.surface;
    const int32_t *s = surface->edges[slave], *m = surface->edges[master];
    double along[2];
    PalGap *gap = &near->gap;
    *gap =
        (PalGap){.kind = PAL_CONTACT_EDGE_EDGE, .count = 4, .vertices = {s[0], s[1], m[0], m[1]}};
    if (s[0] == m[0] || s[0] == m[1] || s[1] == m[0] || s[1] == m[1] ||
        !meet(finder, gap->vertices, along))
        return PAL_OK;
    const double slaves[2] = {1 - along[0], along[0]}, masters[2] = {1 - along[1], along[1]};
    for (int a = 0; a < 2; ++a) {
        gap->weights[a] = slaves[a];
        gap->weights[2 + a] = -masters[a];
    }
    PalVec3 between = pal_gap_difference(gap, surface->end);
    double distance = pal_vec3_length(between);
    if (!(distance < finder->rule.edge_reach) && distance > finder->rule.margin &&
        distance >
            finder->rule.margin + PAL_NEAR_TRAVELS * largest_motion(surface, gap->vertices, 4))
        return PAL_OK;
    gap->normal = pal_normals_blend(&finder->normals, m, masters, 2);
    gap->along = pal_vec3_dot(gap->normal, between);
    PalVec3 own = pal_normals_blend(&finder->normals, s, slaves, 2);
    bool aligned = finder->rule.continuous_edges || fabs(gap->along) >= EDGE_ALIGNED * distance;
    if (!(gap->along < finder->rule.edge_reach) || !aligned ||
        !(pal_vec3_dot(own, gap->normal) < 0))
        return PAL_OK;
    near->friction =
        pal_contact_friction(contact, surface->vertex_object[s[0]], surface->vertex_object[m[0]]);
    return keep(finder, near, error);
}

// ---- pairs ------------------------------------------------------------------------------

static PalStatus try_nodes(PalNearFinder *finder, const PalContact *contact, int32_t slave,
                           int32_t master, PalMeter *meter, PalError *error)
{
    const PalContactSurface *surface = finder->normals.surface;
    for (int a = 0; a < 3; ++a) {
        int32_t vertex = surface->facets[slave][a];
        if (surface->vertex_owner[vertex] != slave)
            continue;
        ++meter->counters.node_facet;
        PAL_TRY(try_node_facet(finder, contact, vertex, master, error));
    }
    return PAL_OK;
}

static PalStatus try_edges(PalNearFinder *finder, const PalContact *contact, PalFacetPair pair,
                           bool low_leads, PalMeter *meter, PalError *error)
{
    const PalContactSurface *surface = finder->normals.surface;
    double reach = finder->rule.edge_reach;
    if (!finder->rule.continuous_edges)
        reach = fmax(reach, finder->rule.margin);
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
            if (!mine[j] || apart(&low_box, &high_box[j], reach))
                continue;
            ++meter->counters.edge_edge;
            PalNear near = {.key = surface->vertex_count + low, .partner = high};
            PAL_TRY(try_edge_edge(finder, contact, low_leads ? high : low, low_leads ? low : high,
                                  &near, error));
        }
    }
    return PAL_OK;
}

static bool comes_after(const PalNear *a, const PalNear *b)
{
    return a->key != b->key ? a->key > b->key : a->partner > b->partner;
}

static void sift(PalNear *found, int32_t root, int32_t count)
{
    PalNear moving = found[root];
    for (int32_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && comes_after(&found[child + 1], &found[child]))
            ++child;
        if (!comes_after(&found[child], &moving))
            break;
        found[root] = found[child];
        root = child;
    }
    found[root] = moving;
}

// By heaps: no memory, no worst case. Keys are unique.
static void sort_found(PalNear *found, int32_t count)
{
    for (int32_t root = count / 2 - 1; root >= 0; --root)
        sift(found, root, count);
    for (int32_t last = count - 1; last > 0; --last) {
        PalNear largest = found[0];
        found[0] = found[last];
        found[last] = largest;
        sift(found, 0, last);
    }
}

PalStatus pal_near_find(PalNearFinder *finder, const PalContact *contact, PalRoles roles,
                        PalMeter *meter, PalError *error)
{
    const PalSearch *search = contact->search;
    finder->found.count = 0;
    ++finder->stamp;
    pal_normals_forget(&finder->normals);
    double reach = fmax(finder->rule.reach, finder->rule.margin);
    for (int32_t p = 0; p < search->pair_count; ++p) {
        PalFacetPair pair = search->pairs[p];
        if (apart(pal_normals_swept(&finder->normals, pair.a),
                  pal_normals_swept(&finder->normals, pair.b), reach))
            continue;
        if (roles != PAL_ROLES_LOW_LEADS)
            PAL_TRY(try_nodes(finder, contact, pair.a, pair.b, meter, error));
        if (roles != PAL_ROLES_HIGH_LEADS)
            PAL_TRY(try_nodes(finder, contact, pair.b, pair.a, meter, error));
        PAL_TRY(try_edges(finder, contact, pair, roles == PAL_ROLES_LOW_LEADS, meter, error));
    }
    sort_found(finder->found.items, finder->found.count);
    return PAL_OK;
}
