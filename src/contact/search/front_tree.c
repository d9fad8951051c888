// The trees of all surfaces, side by side.
#include "base/memory.h"
#include "contact/search/front.h"
#include "math/vec3.h"

#include <math.h>

// ---- making -----------------------------------------------------------------------------

static PalStatus create_tree(PalFrontTree *tree, const PalSearchState *state,
                             const PalContactSurface *surface, int32_t end_facet, PalError *error)
{
    int32_t first = tree->first_facet, count = end_facet - first, object = tree->object;
    int32_t vertex = object == PAL_NONE ? 0 : surface->object_first_vertex[object];
    int32_t end =
        surface->object_first_vertex[object == PAL_NONE ? surface->body_count : object + 1];
    // an object's own vertices, lest each of many trees is as large as all of them
    int32_t(*facets)[3] = pal_copy(surface->facets + first, (size_t)count, sizeof *facets);
    if (facets == NULL)
        return pal_search_no_memory(error);
    for (int32_t i = 0; i < 3 * count; ++i)
        facets[i / 3][i % 3] -= vertex;
    PalTriangles triangles = {
        .vertex_count = end - vertex,
        .facet_count = count,
        .facets = (const int32_t(*)[3])facets,
        .facet_object = surface->facet_object + first,
        .start = surface->start + vertex,
        .end = surface->end + vertex,
    };
    PalStatus status = pal_hierarchy_create(state->def.hierarchy, state->def.cone, 0, &triangles,
                                            &tree->hierarchy, error);
    pal_free(facets);
    return status;
}

static PalStatus create_hierarchies(PalFront *front, const PalSearchState *state,
                                    const PalContactSurface *surface, PalError *error)
{
    front->tree_count = 1 + surface->object_count - surface->body_count;
    front->trees = pal_alloc((size_t)front->tree_count, sizeof *front->trees);
    if (front->trees == NULL)
        return pal_search_no_memory(error);
    int32_t volume_count = 0;
    for (int32_t t = 0; t < front->tree_count; ++t) {
        PalFrontTree *tree = &front->trees[t];
        int32_t object = surface->body_count + t;  // one past the tree's last
        tree->first_facet = t == 0 ? 0 : surface->object_first_facet[object - 1];
        tree->first_volume = volume_count;
        tree->object = t == 0 ? PAL_NONE : object - 1;
        PAL_TRY(create_tree(tree, state, surface, surface->object_first_facet[object], error));
        volume_count += tree->hierarchy->volume_count;
    }
    front->volume_count = volume_count;
    front->soft_volume_count = front->trees[0].hierarchy->volume_count;
    front->facet_count = surface->facet_count;
    return PAL_OK;
}

static int32_t shift(int32_t index, int32_t by)
{
    return index == PAL_NONE ? PAL_NONE : index + by;
}

static void copy_tree(PalFront *front, int32_t t)
{
    const PalFrontTree *tree = &front->trees[t];
    const PalHierarchy *hierarchy = tree->hierarchy;
    int32_t first = tree->first_volume, first_facet = tree->first_facet;
    for (int32_t v = 0; v < hierarchy->volume_count; ++v) {
        const PalVolume *volume = &hierarchy->volumes[v];
        bool leaf = volume->child_count == 0;
        front->volumes[first + v] = (PalFrontVolume){
            .parent = shift(volume->parent, first),
            .first_child = shift(volume->first_child, first),
            .child_count = volume->child_count,
            .facet = leaf ? first_facet + hierarchy->order[volume->first_facet] : PAL_NONE,
            .object = volume->object,
            .first_facet = first_facet + volume->first_facet,
            .facet_count = volume->facet_count,
            .tree = t,
        };
    }
    for (int32_t f = 0; f < hierarchy->facet_count; ++f) {
        front->order[first_facet + f] = first_facet + hierarchy->order[f];
        front->leaf_of[first_facet + f] = first + hierarchy->leaf_of[f];
    }
}

static bool allocate(PalFront *front, const PalSearchState *state, const PalContactSurface *surface)
{
    size_t volumes = (size_t)front->volume_count, soft = (size_t)front->soft_volume_count;
    size_t facets = (size_t)front->facet_count;
    size_t rim = (size_t)pal_hierarchy_longest_rim(front->trees[0].hierarchy);
    bool by_cone = state->def.self_test == PAL_SELF_TEST_CONE;
    return (front->volumes = pal_alloc(volumes, sizeof *front->volumes)) != NULL &&
           (front->boxes = pal_alloc(volumes, sizeof *front->boxes)) != NULL &&
           (front->order = pal_alloc(facets, sizeof *front->order)) != NULL &&
           (front->sorted = pal_alloc((size_t)front->tree_count, sizeof *front->sorted)) != NULL &&
           (front->leaf_of = pal_alloc(facets, sizeof *front->leaf_of)) != NULL &&
           (front->leans = pal_alloc(facets, sizeof *front->leans)) != NULL &&
           (front->normals = pal_alloc(soft, sizeof *front->normals)) != NULL &&
           (!by_cone || (front->cones = pal_alloc(soft, sizeof *front->cones)) != NULL) &&
           (front->freedom = pal_alloc(soft, sizeof *front->freedom)) != NULL &&
           (front->witness = pal_alloc(soft, sizeof *front->witness)) != NULL &&
           (front->patch = pal_alloc(facets, sizeof *front->patch)) != NULL &&
           (front->flat = pal_alloc(rim, sizeof *front->flat)) != NULL &&
           (front->vertex_boxes =
                pal_alloc((size_t)surface->vertex_count, sizeof *front->vertex_boxes)) != NULL &&
           (front->vertices = pal_alloc((size_t)surface->vertex_count, sizeof *front->vertices)) !=
               NULL &&
           (front->dirty_facets = pal_alloc(facets / 64 + 1, sizeof *front->dirty_facets)) !=
               NULL &&
           (front->dirty_volumes = pal_alloc(volumes / 64 + 1, sizeof *front->dirty_volumes)) !=
               NULL &&
           (front->visited = pal_alloc(soft / 64 + 1, sizeof *front->visited)) != NULL &&
           (front->lost = pal_alloc(soft / 64 + 1, sizeof *front->lost)) != NULL;
}

static PalVec3 middle_of(const PalContactSurface *surface)
{
    PalVec3 lower = surface->start[0], upper = lower;
    for (int32_t v = 1; v < surface->vertex_count; ++v) {
        PalVec3 at = surface->start[v];
        lower = pal_vec3(fmin(lower.x, at.x), fmin(lower.y, at.y), fmin(lower.z, at.z));
        upper = pal_vec3(fmax(upper.x, at.x), fmax(upper.y, at.y), fmax(upper.z, at.z));
    }
    return pal_vec3_add(pal_vec3_scale(0.5, lower), pal_vec3_scale(0.5, upper));
}

PalStatus pal_front_create_trees(PalFront *front, const PalSearchState *state,
                                 const PalContactSurface *surface, PalError *error)
{
    PAL_TRY(create_hierarchies(front, state, surface, error));
    if (!allocate(front, state, surface))
        return pal_search_no_memory(error);
    if (surface->vertex_count > 0)
        front->origin = middle_of(surface);
    for (int32_t t = 0; t < front->tree_count; ++t) {
        copy_tree(front, t);
        if (t > 0 && front->trees[t].hierarchy->volume_count > 0)
            front->sorted[front->sorted_count++] = t;
    }
    for (int32_t v = 0; v < front->soft_volume_count; ++v)
        front->witness[v] = front->order[front->volumes[v].first_facet];
    // no facet is in a patch yet but its own
    for (int32_t f = 0; f < front->facet_count; ++f)
        front->patch[f] = front->leaf_of[f];
    return PAL_OK;
}

void pal_front_destroy_trees(PalFront *front)
{
    for (int32_t t = 0; front->trees != NULL && t < front->tree_count; ++t)
        pal_hierarchy_destroy(front->trees[t].hierarchy);
    pal_free(front->trees);
    pal_free(front->volumes);
    pal_free(front->boxes);
    pal_free(front->order);
    pal_free(front->sorted);
    pal_free(front->leaf_of);
    pal_free(front->leans);
    pal_free(front->normals);
    pal_free(front->cones);
    pal_free(front->freedom);
    pal_free(front->witness);
    pal_free(front->patch);
    pal_free(front->flat);
    pal_free(front->vertex_boxes);
    pal_free(front->vertices);
    pal_free(front->dirty_facets);
    pal_free(front->dirty_volumes);
    pal_free(front->visited);
    pal_free(front->lost);
}

// ---- following --------------------------------------------------------------------------

void pal_front_fit_vertex(PalFront *front, const PalSearch *search, int32_t vertex)
{
    PalPlace place = search->state->places.items[vertex];
    double room = place.radius + search->margin / 2 + pal_front_felt(front, vertex);
    PalVec3 corner = pal_vec3(room, room, room);
    PalVec3 centre = pal_vec3_sub(place.centre, front->origin);
    front->vertex_boxes[vertex] =
        (PalBox){pal_float4_lower(pal_float4(pal_vec3_sub(centre, corner))),
                 pal_float4_upper(pal_float4(pal_vec3_add(centre, corner)))};
}

static void fit_leaf(PalFront *front, const PalSearch *search, const PalContactSurface *surface,
                     int32_t v)
{
    const PalPlaces *places = &search->state->places;
    int32_t facet = front->volumes[v].facet;
    const PalBox *a = &front->vertex_boxes[surface->facets[facet][0]],
                 *b = &front->vertex_boxes[surface->facets[facet][1]],
                 *c = &front->vertex_boxes[surface->facets[facet][2]];
    front->boxes[v].lower = pal_float4_min(a->lower, pal_float4_min(b->lower, c->lower));
    front->boxes[v].upper = pal_float4_max(a->upper, pal_float4_max(b->upper, c->upper));
    front->leans[facet] = pal_lean_of(places, surface->facets[facet]);
    if (v >= front->soft_volume_count)
        return;
    front->normals[v] = front->leans[facet].normal;
    front->freedom[v] = PAL_FREEDOM_FREE;  // a single facet
    if (front->cones != NULL)
        front->cones[v] = pal_cone_of(front->leans[facet].normal);
}

static void fit_parent(PalFront *front, const PalSearch *search, int32_t v)
{
    int32_t first = front->volumes[v].first_child, end = first + front->volumes[v].child_count;
    PalBox box = front->boxes[first];
    for (int32_t c = first + 1; c < end; ++c) {
        box.lower = pal_float4_min(box.lower, front->boxes[c].lower);
        box.upper = pal_float4_max(box.upper, front->boxes[c].upper);
    }
    front->boxes[v] = box;
    if (v >= front->soft_volume_count)
        return;
    PalVec3 sum = front->normals[first];
    for (int32_t c = first + 1; c < end; ++c)
        sum = pal_vec3_add(sum, front->normals[c]);
    front->normals[v] = sum;
    front->freedom[v] = PAL_FREEDOM_UNKNOWN;
    if (front->cones == NULL)
        return;
    front->cones[v] = front->cones[first];
    for (int32_t c = first + 1; c < end; ++c)
        front->cones[v] =
            pal_cone_merge(search->state->def.cone, &front->cones[v], &front->cones[c]);
}

int32_t pal_front_refit(PalFront *front, const PalSearch *search, const PalContactSurface *surface)
{
    int32_t count = 0;
    for (int32_t word = front->volume_count / 64; word >= 0; --word) {
        for (uint64_t bits = front->dirty_volumes[word]; bits != 0; ++count) {
            int32_t bit = 63 - __builtin_clzll(bits);
            int32_t v = 64 * word + bit;
            bits &= ~(UINT64_C(1) << bit);
            if (front->volumes[v].child_count == 0)
                fit_leaf(front, search, surface, v);
            else
                fit_parent(front, search, v);
        }
    }
    return count;
}
