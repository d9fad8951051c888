// The published updates of hierarchies: each step the trees follow the surfaces, and are gone
// through from their roots.
#include "base/memory.h"
#include "base/timer.h"
#include "contact/search/front_patch.h"
#include "contact/search/method.h"
#include "geometry/update.h"
#include "math/bounds.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define USED 0.95  // of the published margin: how much update nodes use up, 1 - 2 eps_r / eps_BV

// Update nodes have at least so much to use up, in parts of the smallest body's diagonal, so that
// finer meshes are not refitted more often; in parts of the mean edge, at most.
#define LEAST_ROOM 0.002
#define MOST_ROOM  0.125

// All soft bodies, or one rigid instrument.
typedef struct Tree {
    PalTriangles triangles;
    PalHierarchy *hierarchy;
    PalUpdate *update;
    int32_t first_facet, first_vertex, end_vertex;
    bool still;  // nothing has moved since the last update
} Tree;

// What tells which patches of soft bodies cannot touch themselves in this step.
typedef struct Freedom {
    PalPlaces swept;   // balls around the vertices' paths
    PalLean *leans;    // per facet
    PalVec3 *normals;  // per volume: sum over its facets
    int32_t *witness;  // per volume: the facet that spoke against it last
    uint8_t *free;     // per volume
    double (*flat)[3];
} Freedom;

typedef struct Trees {
    int32_t tree_count;
    Tree *trees;
    PalTraversal traversal;
    PalPairKeys keys;
    Freedom freedom;
} Trees;

// ---- patches ----------------------------------------------------------------------------

static void sweep_places(Freedom *freedom, const PalContactSurface *surface, double tolerance)
{
    for (int32_t i = 0; i < surface->awake.count; ++i) {
        int32_t object = surface->awake.objects[i];
        if (object >= surface->body_count)
            continue;
        for (int32_t v = surface->object_first_vertex[object];
             v < surface->object_first_vertex[object + 1]; ++v) {
            PalVec3 path = pal_vec3_sub(surface->end[v], surface->start[v]);
            freedom->swept.items[v] = (PalPlace){pal_vec3_add_scaled(surface->start[v], 0.5, path),
                                                 pal_vec3_length(path) / 2 + tolerance};
        }
        for (int32_t f = surface->object_first_facet[object];
             f < surface->object_first_facet[object + 1]; ++f)
            freedom->leans[f] = pal_lean_of(&freedom->swept, surface->facets[f]);
    }
}

static bool is_free(Freedom *freedom, const PalHierarchy *hierarchy, int32_t v)
{
    const PalVolume *volume = &hierarchy->volumes[v];
    PalPatch patch = {
        .facet_count = volume->facet_count,
        .facets = hierarchy->order + volume->first_facet,
        .leans = freedom->leans,
    };
    patch.rim = pal_hierarchy_rim(hierarchy, v, &patch.rim_count);
    PalVec3 direction = freedom->normals[v];
    return patch.rim != NULL && pal_patch_faces(&patch, &direction, &freedom->witness[v]) &&
           pal_patch_rim_is_simple(&patch, &freedom->swept, direction, freedom->flat);
}

// From the root down; what is inside a free volume is free.
static void find_free(const Trees *trees, const PalContactSurface *surface, double tolerance)
{
    const PalHierarchy *hierarchy = trees->trees[0].hierarchy;
    Freedom freedom = trees->freedom;
    sweep_places(&freedom, surface, tolerance);
    memset(freedom.normals, 0, (size_t)hierarchy->volume_count * sizeof *freedom.normals);
    for (int32_t v = hierarchy->volume_count - 1; v >= 0; --v) {
        const PalVolume *volume = &hierarchy->volumes[v];
        if (volume->child_count == 0)
            freedom.normals[v] = freedom.leans[hierarchy->order[volume->first_facet]].normal;
        if (volume->parent != PAL_NONE)
            freedom.normals[volume->parent] =
                pal_vec3_add(freedom.normals[volume->parent], freedom.normals[v]);
    }
    for (int32_t v = 0; v < hierarchy->volume_count; ++v) {
        const PalVolume *volume = &hierarchy->volumes[v];
        if (volume->object != PAL_NONE && surface->awake.asleep[volume->object])
            continue;
        bool inside = volume->parent != PAL_NONE && freedom.free[volume->parent];
        freedom.free[v] = inside || volume->child_count == 0 || is_free(&freedom, hierarchy, v);
    }
}

// ---- a step -----------------------------------------------------------------------------

static void follow(const PalContactSurface *surface, Tree *tree, bool rigid, PalMeter *meter)
{
    tree->triangles.start = surface->start;
    tree->triangles.end = surface->end;
    size_t count = (size_t)(tree->end_vertex - tree->first_vertex);
    bool stays = rigid && memcmp(surface->start + tree->first_vertex,
                                 surface->end + tree->first_vertex, count * sizeof(PalVec3)) == 0;
    meter->counters.volumes += tree->hierarchy->volume_count;
    if (!(stays && tree->still))
        meter->counters.refits += pal_update_step(tree->update);
    tree->still = stays;
}

// Free bodies with each other and with instruments.
static bool traverse_rigids(Trees *trees, const PalSearchState *state)
{
    PalTraversal *traversal = &trees->traversal;
    int32_t first = traversal->object_count - (trees->tree_count - 1);
    for (int32_t s = 1; s < trees->tree_count; ++s)
        for (int32_t t = s + 1; t < trees->tree_count; ++t) {
            if (!pal_search_allows(state, first + s - 1, first + t - 1))
                continue;
            traversal->context = trees->trees[s].update;
            traversal->second_context = trees->trees[t].update;
            traversal->facet_offsets[0] = trees->trees[s].first_facet;
            traversal->facet_offsets[1] = trees->trees[t].first_facet;
            if (!pal_traverse_two(traversal, trees->trees[s].hierarchy, trees->trees[t].hierarchy))
                return false;
        }
    return true;
}

static bool traverse(Trees *trees, const PalSearchState *state, bool sound)
{
    PalTraversal *traversal = &trees->traversal;
    int32_t first = traversal->object_count - trees->tree_count;  // and one: the first instrument
    traversal->pair_count = 0;
    traversal->self_subtrees = traversal->volume_tests = 0;
    const Tree *soft = &trees->trees[0];
    traversal->visit = pal_update_visit(soft->update);
    traversal->context = soft->update;
    traversal->self_free = sound ? trees->freedom.free : NULL;
    traversal->facet_offsets[0] = traversal->facet_offsets[1] = 0;
    if (!pal_traverse_self(traversal, soft->hierarchy))
        return false;
    for (int32_t t = 1; t < trees->tree_count; ++t) {
        if (state->awake->asleep[first + t])
            continue;
        traversal->second_context = trees->trees[t].update;
        traversal->facet_offsets[1] = trees->trees[t].first_facet;
        if (!pal_traverse_two(traversal, soft->hierarchy, trees->trees[t].hierarchy))
            return false;
    }
    return traverse_rigids(trees, state);
}

static bool keep_pairs(Trees *trees, PalSearchState *state)
{
    const PalTraversal *traversal = &trees->traversal;
    if (!pal_pair_keys_reserve(&trees->keys, traversal->pair_count))
        return false;
    for (int32_t p = 0; p < traversal->pair_count; ++p)
        pal_pair_keys_add(&trees->keys, traversal->pairs[p]);
    pal_pair_keys_sort(&trees->keys);
    state->pairs.count = 0;
    if (!pal_array_reserve(&state->pairs, traversal->pair_count))
        return false;
    for (int32_t p = 0; p < traversal->pair_count; ++p)
        state->pairs.items[state->pairs.count++] = pal_pair_keys_at(&trees->keys, p);
    return true;
}

static PalStatus update(PalSearch *search, PalContactSurface *surface, int32_t thread_count,
                        PalMeter *meter, PalError *error)
{
    (void)thread_count;
    PalSearchState *state = search->state;
    Trees *trees = state->data;
    double begin = pal_timer_seconds();
    PAL_TRY(pal_search_place(search, surface, error));
    pal_search_turn(state, surface);
    for (int32_t i = 0; i < state->turned_count; ++i)
        if (state->turned[i] >= surface->body_count)
            trees->trees[1 + state->turned[i] - surface->body_count].still = false;
    trees->traversal.allowed = surface->awake.all ? state->allowed : NULL;
    pal_update_let_sleep(trees->trees[0].update, surface->awake.all ? NULL : surface->awake.asleep);
    follow(surface, &trees->trees[0], false, meter);
    for (int32_t i = 0; i < surface->awake.count; ++i) {
        int32_t t = 1 + surface->awake.objects[i] - surface->body_count;
        if (t > 0)
            follow(surface, &trees->trees[t], true, meter);
    }
    double middle = pal_timer_seconds();
    meter->profile.contact_update += middle - begin;
    bool sound = state->def.self_test == PAL_SELF_TEST_SOUND;
    if (sound)
        find_free(trees, surface, search->tolerance);
    if (!traverse(trees, state, sound) || !keep_pairs(trees, state))
        return pal_search_no_memory(error);
    for (int32_t t = 0; t < trees->tree_count; ++t)
        meter->counters.refits += pal_update_take_visit_refits(trees->trees[t].update);
    meter->counters.volume_tests += trees->traversal.volume_tests;
    meter->counters.self_subtrees += trees->traversal.self_subtrees;
    pal_search_publish(search);
    meter->profile.contact_search += pal_timer_seconds() - middle;
    return PAL_OK;
}

// ---- life -------------------------------------------------------------------------------

// Around the paths of facets.
typedef struct Margins {
    double whole;  // when volumes were fitted
    double kept;   // always
} Margins;

static double smallest_diagonal(const PalContactSurface *surface)
{
    double least = INFINITY;
    for (int32_t body = 0; body < surface->body_count; ++body) {
        PalBounds bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (int32_t v = surface->object_first_vertex[body];
             v < surface->object_first_vertex[body + 1]; ++v) {
            PalBounds point = {surface->start[v], surface->start[v]};
            bounds = pal_bounds_join(&bounds, &point);
        }
        least = fmin(least, pal_vec3_distance(bounds.lower, bounds.upper));
    }
    return least;
}

static Margins choose_margins(const PalSearchState *state, const PalContactSurface *surface)
{
    if (state->def.update == PAL_UPDATE_UPDATE_NODES) {
        double room = fmin(LEAST_ROOM * smallest_diagonal(surface), MOST_ROOM * state->edge);
        double used = USED * fmax(state->published, room);
        return (Margins){state->needed + used, state->needed};
    }
    double margin = fmax(state->published, state->needed);
    return (Margins){margin, margin};
}

static PalStatus create_tree(const PalSearchState *state, const PalContactSurface *surface,
                             int32_t t, const Margins *margins, Tree *tree, PalError *error)
{
    int32_t first = t == 0 ? 0 : surface->body_count + t - 1, end = surface->body_count + t;
    tree->first_facet = surface->object_first_facet[first];
    tree->first_vertex = surface->object_first_vertex[first];
    tree->end_vertex = surface->object_first_vertex[end];
    tree->triangles = (PalTriangles){
        .vertex_count = surface->vertex_count,
        .facet_count = surface->object_first_facet[end] - tree->first_facet,
        .facets = (const int32_t(*)[3])surface->facets + tree->first_facet,
        .facet_object = surface->facet_object + tree->first_facet,
        .start = surface->start,
        .end = surface->end,
    };
    bool by_edges = state->def.update == PAL_UPDATE_UPDATE_NODES;  // other updates want halves
    PAL_TRY((by_edges ? pal_hierarchy_create_by_edges
                      : pal_hierarchy_create)(state->def.hierarchy, state->def.cone, margins->whole,
                                              &tree->triangles, &tree->hierarchy, error));
    return pal_update_create(state->def.update, tree->hierarchy, margins->kept, &tree->triangles,
                             &tree->update, error);
}

static bool create_freedom(Freedom *freedom, const PalContactSurface *surface,
                           const PalHierarchy *hierarchy)
{
    size_t volumes = (size_t)hierarchy->volume_count;
    int32_t longest = pal_hierarchy_longest_rim(hierarchy);
    freedom->swept.count = surface->soft_vertex_count;
    freedom->swept.items =
        pal_alloc((size_t)surface->soft_vertex_count, sizeof *freedom->swept.items);
    freedom->leans = pal_alloc((size_t)surface->soft_facet_count, sizeof *freedom->leans);
    freedom->normals = pal_alloc(volumes, sizeof *freedom->normals);
    freedom->witness = pal_alloc(volumes, sizeof *freedom->witness);
    freedom->free = pal_alloc(volumes, sizeof *freedom->free);
    freedom->flat = pal_alloc((size_t)longest, sizeof *freedom->flat);
    if (freedom->swept.items == NULL || freedom->leans == NULL || freedom->normals == NULL ||
        freedom->witness == NULL || freedom->free == NULL || freedom->flat == NULL)
        return false;
    for (int32_t v = 0; v < hierarchy->volume_count; ++v)
        freedom->witness[v] = hierarchy->order[hierarchy->volumes[v].first_facet];
    return true;
}

static bool may_touch(const void *objects, int32_t a, int32_t b)
{
    return pal_search_allows(objects, a, b);
}

static PalStatus create(PalSearch *search, const PalContactSurface *surface, PalError *error)
{
    PalSearchState *state = search->state;
    Trees *trees = state->data = pal_alloc(1, sizeof *trees);
    if (trees == NULL)
        return pal_search_no_memory(error);
    Margins margins = choose_margins(state, surface);
    search->margin = margins.kept;
    state->places.slack = state->places.tolerance = search->tolerance = margins.kept / 2;
    trees->tree_count = 1 + surface->object_count - surface->body_count;
    trees->trees = pal_alloc((size_t)trees->tree_count, sizeof *trees->trees);
    if (trees->trees == NULL)
        return pal_search_no_memory(error);
    for (int32_t t = 0; t < trees->tree_count; ++t)
        PAL_TRY(create_tree(state, surface, t, &margins, &trees->trees[t], error));
    trees->traversal.object_count = state->object_count;
    trees->traversal.allowed = state->allowed;
    trees->traversal.may_touch = may_touch;
    trees->traversal.objects = state;
    trees->traversal.self_test = state->def.self_test;
    trees->keys.facet_count = surface->facet_count;
    if (state->def.self_test == PAL_SELF_TEST_SOUND &&
        !create_freedom(&trees->freedom, surface, trees->trees[0].hierarchy))
        return pal_search_no_memory(error);
    return PAL_OK;
}

static void destroy(PalSearch *search)
{
    Trees *trees = search->state->data;
    if (trees == NULL)
        return;
    for (int32_t t = 0; trees->trees != NULL && t < trees->tree_count; ++t) {
        pal_update_destroy(trees->trees[t].update);
        pal_hierarchy_destroy(trees->trees[t].hierarchy);
    }
    pal_free(trees->trees);
    pal_traversal_clear(&trees->traversal);
    pal_pair_keys_clear(&trees->keys);
    pal_free(trees->freedom.swept.items);
    pal_free(trees->freedom.leans);
    pal_free(trees->freedom.normals);
    pal_free(trees->freedom.witness);
    pal_free(trees->freedom.free);
    pal_free(trees->freedom.flat);
    pal_free(trees);
}

static void forget(PalSearch *search)
{
    Trees *trees = search->state->data;
    for (int32_t t = 0; t < trees->tree_count; ++t)
        trees->trees[t].still = false;
}

const PalSearchMethod pal_search_trees = {"trees", false, false, create, destroy, update, forget};
