// A binary tree of boxes, searched depth first, the nearer child first.
#include "geometry/nearest.h"

#include "base/assert.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>

#define LEAF_FACETS 4
#define DEPTH_MAX   64

static PalVec3 centre_of(const PalNearest *nearest, int32_t facet)
{
    const int32_t *corners = nearest->facets[facet];
    PalVec3 sum = pal_vec3_add(nearest->vertices[corners[0]], nearest->vertices[corners[1]]);
    return pal_vec3_scale(1.0 / 3, pal_vec3_add(sum, nearest->vertices[corners[2]]));
}

static void widen(PalBounds *box, PalVec3 point)
{
    box->lower = pal_vec3(fmin(box->lower.x, point.x), fmin(box->lower.y, point.y),
                          fmin(box->lower.z, point.z));
    box->upper = pal_vec3(fmax(box->upper.x, point.x), fmax(box->upper.y, point.y),
                          fmax(box->upper.z, point.z));
}

static PalBounds empty_box(void)
{
    return (PalBounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static int32_t longest_axis(PalBounds box)
{
    PalVec3 size = pal_vec3_sub(box.upper, box.lower);
    return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

// Moves facets with centres below `middle` to the front; how many these are.
static int32_t part(PalNearest *nearest, int32_t first, int32_t count, int32_t axis, double middle)
{
    int32_t below = 0, *items = nearest->items + first;
    for (int32_t i = 0; i < count; ++i)
        if (pal_vec3_at(centre_of(nearest, items[i]), axis) < middle) {
            int32_t other = items[below];
            items[below++] = items[i];
            items[i] = other;
        }
    return below;
}

static int32_t build(PalNearest *nearest, int32_t first, int32_t count, int depth)
{
    int32_t self = nearest->node_count++;
    PalBounds box = empty_box(), centres = empty_box();
    for (int32_t i = first; i < first + count; ++i) {
        for (int a = 0; a < 3; ++a)
            widen(&box, nearest->vertices[nearest->facets[nearest->items[i]][a]]);
        widen(&centres, centre_of(nearest, nearest->items[i]));
    }
    nearest->nodes[self] = (PalNearestNode){.box = box, .first = first, .count = count};
    if (count <= LEAF_FACETS)
        return self;
    int32_t axis = longest_axis(centres);
    double middle = 0.5 * (pal_vec3_at(centres.lower, axis) + pal_vec3_at(centres.upper, axis));
    int32_t below = part(nearest, first, count, axis, middle);
    if (below == 0 || below == count || depth > DEPTH_MAX / 2)
        below = count / 2;  // centres that coincide, or a lopsided tree
    build(nearest, first, below, depth + 1);
    int32_t right = build(nearest, first + below, count - below, depth + 1);
    nearest->nodes[self].right = right;
    return self;
}

static PalVec3 facet_normal(const PalNearest *nearest, int32_t facet)
{
    const int32_t *v = nearest->facets[facet];
    PalVec3 a = nearest->vertices[v[0]];
    return pal_vec3_normalise(pal_vec3_cross(pal_vec3_sub(nearest->vertices[v[1]], a),
                                             pal_vec3_sub(nearest->vertices[v[2]], a)));
}

typedef struct Edge {
    int32_t low, high, facet, side;
} Edge;

static int compare_edges(const void *one, const void *other)
{
    const Edge *a = one, *b = other;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->facet < b->facet ? -1 : a->facet > b->facet;
}

static PalStatus join_edges(PalNearest *nearest, Edge *edges, PalError *error)
{
    int32_t count = 3 * nearest->facet_count;
    for (int32_t e = 0; e < count; ++e) {
        int32_t facet = e / 3, side = e % 3;
        int32_t from = nearest->facets[facet][side], to = nearest->facets[facet][(side + 1) % 3];
        edges[e] = (Edge){from < to ? from : to, from < to ? to : from, facet, side};
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int32_t e = 0; e < count; e += 2) {
        const Edge *a = &edges[e], *b = &edges[e + 1];
        bool pair = e + 1 < count && a->low == b->low && a->high == b->high;
        bool third = e + 2 < count && a->low == edges[e + 2].low && a->high == edges[e + 2].high;
        if (!pair || third ||
            nearest->facets[a->facet][a->side] == nearest->facets[b->facet][b->side])
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "the surface is not closed: the edge between vertices %d and %d "
                                 "has not two facets of one orientation",
                                 (int)a->low, (int)a->high);
        PalVec3 sum =
            pal_vec3_add(facet_normal(nearest, a->facet), facet_normal(nearest, b->facet));
        nearest->edge_normals[a->facet][a->side] = sum;
        nearest->edge_normals[b->facet][b->side] = sum;
    }
    return PAL_OK;
}

static void sum_vertex_normals(PalNearest *nearest)
{
    for (int32_t facet = 0; facet < nearest->facet_count; ++facet) {
        const int32_t *v = nearest->facets[facet];
        PalVec3 normal = facet_normal(nearest, facet);
        for (int a = 0; a < 3; ++a) {
            PalVec3 here = nearest->vertices[v[a]];
            PalVec3 b = pal_vec3_normalise(pal_vec3_sub(nearest->vertices[v[(a + 1) % 3]], here));
            PalVec3 c = pal_vec3_normalise(pal_vec3_sub(nearest->vertices[v[(a + 2) % 3]], here));
            double angle = acos(fmax(-1, fmin(1, pal_vec3_dot(b, c))));
            nearest->vertex_normals[v[a]] =
                pal_vec3_add_scaled(nearest->vertex_normals[v[a]], angle, normal);
        }
    }
}

PalStatus pal_nearest_init(PalNearest *nearest, PalError *error)
{
    PAL_ASSERT(nearest->facet_count > 0);
    size_t facets = (size_t)nearest->facet_count, vertices = (size_t)nearest->vertex_count;
    nearest->nodes = pal_alloc(2 * facets, sizeof *nearest->nodes);
    nearest->items = pal_alloc(facets, sizeof *nearest->items);
    nearest->vertex_normals = pal_alloc(vertices, sizeof *nearest->vertex_normals);
    nearest->edge_normals = pal_alloc(facets, sizeof *nearest->edge_normals);
    Edge *edges = pal_alloc(3 * facets, sizeof *edges);
    nearest->node_count = 0;
    PalStatus status = PAL_OK;
    if (nearest->nodes == NULL || nearest->items == NULL || nearest->vertex_normals == NULL ||
        nearest->edge_normals == NULL || edges == NULL)
        status = pal_error_set(error, PAL_NO_MEMORY, "no memory for a tree of boxes");
    if (status == PAL_OK)
        status = join_edges(nearest, edges, error);
    if (status == PAL_OK) {
        for (int32_t facet = 0; facet < nearest->facet_count; ++facet)
            nearest->items[facet] = facet;
        build(nearest, 0, nearest->facet_count, 0);
        sum_vertex_normals(nearest);
    }
    pal_free(edges);
    if (status != PAL_OK)
        pal_nearest_clear(nearest);
    return status;
}

void pal_nearest_clear(PalNearest *nearest)
{
    pal_free(nearest->nodes);
    pal_free(nearest->items);
    pal_free(nearest->vertex_normals);
    pal_free(nearest->edge_normals);
    nearest->nodes = NULL;
    nearest->items = NULL;
    nearest->vertex_normals = NULL;
    nearest->edge_normals = NULL;
}

static double box_distance(const PalBounds *box, PalVec3 p)
{
    double x = fmax(0, fmax(box->lower.x - p.x, p.x - box->upper.x));
    double y = fmax(0, fmax(box->lower.y - p.y, p.y - box->upper.y));
    double z = fmax(0, fmax(box->lower.z - p.z, p.z - box->upper.z));
    return sqrt(x * x + y * y + z * z);
}

static void try_facet(const PalNearest *nearest, PalVec3 point, int32_t facet,
                      PalNearestPoint *best)
{
    const int32_t *v = nearest->facets[facet];
    PalVec3 corners[3] = {nearest->vertices[v[0]], nearest->vertices[v[1]],
                          nearest->vertices[v[2]]};
    PalNearestPoint found = {.facet = facet};
    found.distance = pal_closest_on_triangle(point, corners, found.weights, &found.feature);
    if (found.distance < best->distance ||
        (found.distance == best->distance && facet < best->facet))
        *best = found;
}

static double side_of(const PalNearest *nearest, PalVec3 point, const PalNearestPoint *found)
{
    const int32_t *v = nearest->facets[found->facet];
    PalVec3 offset = {0, 0, 0};
    for (int a = 0; a < 3; ++a)
        offset = pal_vec3_add_scaled(offset, found->weights[a],
                                     pal_vec3_sub(point, nearest->vertices[v[a]]));
    PalVec3 normal = found->feature == PAL_FEATURE_FACE ? facet_normal(nearest, found->facet)
                     : found->feature >= PAL_FEATURE_EDGE_0
                         ? nearest->edge_normals[found->facet][found->feature - PAL_FEATURE_EDGE_0]
                         : nearest->vertex_normals[v[found->feature]];
    return pal_vec3_dot(offset, normal) < 0 ? -1 : 1;
}

PalNearestPoint pal_nearest_find(const PalNearest *nearest, PalVec3 point, int32_t hint)
{
    PalNearestPoint best = {.facet = PAL_NONE, .distance = INFINITY};
    if (hint != PAL_NONE)
        try_facet(nearest, point, hint, &best);
    int32_t stack[2 * DEPTH_MAX], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const PalNearestNode *node = &nearest->nodes[stack[--depth]];
        if (box_distance(&node->box, point) > best.distance)
            continue;
        if (node->right == 0) {
            for (int32_t i = node->first; i < node->first + node->count; ++i)
                try_facet(nearest, point, nearest->items[i], &best);
            continue;
        }
        int32_t left = (int32_t)(node - nearest->nodes) + 1, right = node->right;
        bool left_first = box_distance(&nearest->nodes[left].box, point) <=
                          box_distance(&nearest->nodes[right].box, point);
        PAL_ASSERT(depth + 2 <= 2 * DEPTH_MAX);
        stack[depth++] = left_first ? right : left;
        stack[depth++] = left_first ? left : right;
    }
    best.distance *= side_of(nearest, point, &best);
    return best;
}
