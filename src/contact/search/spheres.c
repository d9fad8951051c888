// All pairs of facets anew in each step, by trees of spheres, one for each object. Leaves whose
// spheres overlap are compared by tighter volumes, made on the spot. Aragon and Molinari
// (2014), 3.2.
#include "base/memory.h"
#include "base/timer.h"
#include "contact/search/method.h"
#include "geometry/sphere_tree.h"
#include "geometry/tight.h"
#include "math/vec3.h"

#include <math.h>

typedef struct Visit {
    int32_t a, b;
} Visit;

typedef struct Tree {
    int32_t first_facet;
    PalTriangles triangles;
    PalSphereTree *spheres;
} Tree;

typedef struct Spheres {
    int32_t tree_count;  // one per object
    Tree *trees;
    PAL_ARRAY(Visit) stack;
    PalFacetPairs found;
    PalPairKeys keys;
    double margin;
    int64_t tests, self_tests;
} Spheres;

// ---- searching --------------------------------------------------------------------------

// Where a facet is at both ends of the step.
static void corners_of(const PalTriangles *triangles, int32_t facet, PalVec3 corners[6])
{
    for (int k = 0; k < 3; ++k) {
        corners[k] = triangles->start[triangles->facets[facet][k]];
        corners[3 + k] = triangles->end[triangles->facets[facet][k]];
    }
}

static bool add_pair(Spheres *spheres, PalLeafKind leaf, const Tree *first, const Tree *second,
                     Visit visit)
{
    PalVec3 a[6], b[6];
    if (leaf != PAL_LEAF_SPHERE) {
        corners_of(&first->triangles, visit.a, a);
        corners_of(&second->triangles, visit.b, b);
        if (pal_tight_apart(leaf, a, b, 6, spheres->margin))
            return true;
    }
    int32_t f = first->first_facet + visit.a, g = second->first_facet + visit.b;
    PalFacetPair pair = f < g ? (PalFacetPair){f, g} : (PalFacetPair){g, f};
    return pal_array_push(&spheres->found, pair);
}

static bool compare(Spheres *spheres, const Tree *first, const Tree *second, Visit visit)
{
    ++spheres->tests;
    return pal_spheres_apart(&first->spheres->spheres[visit.a],
                             &second->spheres->spheres[visit.b]) ||
           pal_array_push(&spheres->stack, visit);
}

// A volume with itself: its children with themselves, and with each other.
static bool open_one(Spheres *spheres, const Tree *tree, int32_t volume)
{
    if (pal_sphere_tree_is_leaf(tree->spheres, volume))
        return true;
    const int32_t *children = pal_sphere_tree_children(tree->spheres, volume);
    ++spheres->self_tests;
    return pal_array_push(&spheres->stack, ((Visit){children[0], children[0]})) &&
           pal_array_push(&spheres->stack, ((Visit){children[1], children[1]})) &&
           compare(spheres, tree, tree, (Visit){children[0], children[1]});
}

// Two volumes that overlap: the larger is replaced by its children.
static bool open_two(Spheres *spheres, const Tree *first, const Tree *second, Visit visit)
{
    const PalSphereTree *a = first->spheres, *b = second->spheres;
    bool leaves = pal_sphere_tree_is_leaf(b, visit.b);
    bool opens_first = leaves || (!pal_sphere_tree_is_leaf(a, visit.a) &&
                                  a->spheres[visit.a].radius >= b->spheres[visit.b].radius);
    const int32_t *children =
        opens_first ? pal_sphere_tree_children(a, visit.a) : pal_sphere_tree_children(b, visit.b);
    for (int k = 0; k < 2; ++k) {
        Visit next = opens_first ? (Visit){children[k], visit.b} : (Visit){visit.a, children[k]};
        if (!compare(spheres, first, second, next))
            return false;
    }
    return true;
}

static bool search_two(Spheres *spheres, PalLeafKind leaf, const Tree *first, const Tree *second)
{
    bool same = first == second, good = true;
    if (first->spheres->volume_count == 0 || second->spheres->volume_count == 0)
        return true;
    spheres->stack.count = 0;
    Visit root = {pal_sphere_tree_root(first->spheres), pal_sphere_tree_root(second->spheres)};
    good = same ? pal_array_push(&spheres->stack, root) : compare(spheres, first, second, root);
    while (good && spheres->stack.count > 0) {
        Visit visit = spheres->stack.items[--spheres->stack.count];
        if (same && visit.a == visit.b)
            good = open_one(spheres, first, visit.a);
        else if (pal_sphere_tree_is_leaf(first->spheres, visit.a) &&
                 pal_sphere_tree_is_leaf(second->spheres, visit.b))
            good = add_pair(spheres, leaf, first, second, visit);
        else
            good = open_two(spheres, first, second, visit);
    }
    return good;
}

static bool search_all(Spheres *spheres, const PalSearchState *state)
{
    spheres->found.count = 0;
    spheres->tests = spheres->self_tests = 0;
    const PalAwake *awake = state->awake;
    for (int32_t i = 0; i < awake->count; ++i)
        for (int32_t j = i; j < awake->count; ++j) {
            int32_t a = awake->objects[i], b = awake->objects[j];
            if (pal_search_allows(state, a, b) &&
                !search_two(spheres, state->def.leaf, &spheres->trees[a], &spheres->trees[b]))
                return false;
        }
    return true;
}

// ---- steps ------------------------------------------------------------------------------

static bool keep_pairs(Spheres *spheres, PalSearchState *state)
{
    if (!pal_pair_keys_reserve(&spheres->keys, spheres->found.count))
        return false;
    for (int32_t p = 0; p < spheres->found.count; ++p)
        pal_pair_keys_add(&spheres->keys, spheres->found.items[p]);
    pal_pair_keys_sort(&spheres->keys);
    state->pairs.count = 0;
    if (!pal_array_reserve(&state->pairs, spheres->found.count))
        return false;
    for (int32_t p = 0; p < spheres->found.count; ++p)
        state->pairs.items[state->pairs.count++] = pal_pair_keys_at(&spheres->keys, p);
    return true;
}

static PalStatus update(PalSearch *search, PalContactSurface *surface, int32_t thread_count,
                        PalMeter *meter, PalError *error)
{
    (void)thread_count;
    PalSearchState *state = search->state;
    Spheres *spheres = state->data;
    double begin = pal_timer_seconds();
    PAL_TRY(pal_search_place(search, surface, error));
    for (int32_t i = 0; i < surface->awake.count; ++i) {
        const Tree *tree = &spheres->trees[surface->awake.objects[i]];
        pal_sphere_tree_refit(tree->spheres, &tree->triangles, spheres->margin);
        meter->counters.volumes += tree->spheres->volume_count;
        meter->counters.refits += tree->spheres->volume_count;
    }
    double middle = pal_timer_seconds();
    meter->profile.contact_update += middle - begin;
    if (!search_all(spheres, state) || !keep_pairs(spheres, state))
        return pal_search_no_memory(error);
    meter->counters.volume_tests += spheres->tests;
    meter->counters.self_subtrees += spheres->self_tests;
    pal_search_publish(search);
    meter->profile.contact_search += pal_timer_seconds() - middle;
    return PAL_OK;
}

// ---- life -------------------------------------------------------------------------------

static PalStatus create(PalSearch *search, const PalContactSurface *surface, PalError *error)
{
    PalSearchState *state = search->state;
    Spheres *spheres = state->data = pal_alloc(1, sizeof *spheres);
    if (spheres == NULL)
        return pal_search_no_memory(error);
    spheres->margin = fmax(state->published, state->needed);
    search->margin = spheres->margin;
    state->places.slack = state->places.tolerance = search->tolerance = spheres->margin / 2;
    spheres->keys.facet_count = surface->facet_count;
    spheres->tree_count = surface->object_count;
    spheres->trees = pal_alloc((size_t)surface->object_count, sizeof *spheres->trees);
    if (spheres->trees == NULL)
        return pal_search_no_memory(error);
    for (int32_t o = 0; o < surface->object_count; ++o) {
        Tree *tree = &spheres->trees[o];
        tree->first_facet = surface->object_first_facet[o];
        tree->triangles = (PalTriangles){
            .vertex_count = surface->vertex_count,
            .facet_count = surface->object_first_facet[o + 1] - tree->first_facet,
            .facets = (const int32_t(*)[3])surface->facets + tree->first_facet,
            .facet_object = surface->facet_object + tree->first_facet,
            .start = surface->start,
            .end = surface->end,
        };
        PAL_TRY(pal_sphere_tree_create(&tree->triangles, &tree->spheres, error));
    }
    return PAL_OK;
}

static void destroy(PalSearch *search)
{
    Spheres *spheres = search->state->data;
    if (spheres == NULL)
        return;
    for (int32_t t = 0; spheres->trees != NULL && t < spheres->tree_count; ++t)
        pal_sphere_tree_destroy(spheres->trees[t].spheres);
    pal_free(spheres->trees);
    pal_array_clear(&spheres->stack);
    pal_array_clear(&spheres->found);
    pal_pair_keys_clear(&spheres->keys);
    pal_free(spheres);
}

const PalSearchMethod pal_search_spheres = {"spheres", false, false, create, destroy, update, NULL};
