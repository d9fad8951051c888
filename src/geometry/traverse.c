#include "geometry/traverse.h"

#include "base/array.h"
#include "geometry/obb.h"
#include "math/mat3.h"

static const double half_turn = 3.14159265358979323846;

// Two volumes to compare further, or one with itself.
typedef struct PalVisit {
    int32_t a, b;
} PalVisit;

// One search: two trees, twice the same one where a surface is searched for contact with itself.
typedef struct Search {
    PalTraversal *traversal;
    const PalHierarchy *trees[2];
    int32_t stack_count;
} Search;

void pal_traversal_clear(PalTraversal *traversal)
{
    pal_array_release((void **)&traversal->pairs);
    pal_array_release((void **)&traversal->facets);
    pal_array_release((void **)&traversal->stack);
    traversal->pair_count = traversal->pair_capacity = 0;
    traversal->facet_count = traversal->facet_capacity = 0;
    traversal->stack_capacity = 0;
}

static bool reserve_stack(Search *search, int32_t extra)
{
    PalTraversal *traversal = search->traversal;
    return pal_array_grow((void **)&traversal->stack, &traversal->stack_capacity,
                          search->stack_count, extra, sizeof *traversal->stack);
}

static bool may_touch(const PalTraversal *traversal, int32_t a, int32_t b)
{
    if (a == PAL_NONE || b == PAL_NONE)
        return true;
    if (traversal->allowed == NULL)
        return traversal->may_touch == NULL || traversal->may_touch(traversal->objects, a, b);
    return traversal->allowed[(int64_t)a * traversal->object_count + b];
}

static bool overlap(const Search *search, int32_t a, int32_t b)
{
    const PalHierarchy *first = search->trees[0], *second = search->trees[1];
    if (first->frames != NULL)
        return pal_obbs_overlap(&first->boxes[a], &first->frames[a], &second->boxes[b],
                                &second->frames[b]);
    return pal_boxes_overlap(&first->boxes[a], &second->boxes[b]);
}

static bool add_pair(Search *search, int32_t a, int32_t b)
{
    PalTraversal *traversal = search->traversal;
    const PalHierarchy *first = search->trees[0], *second = search->trees[1];
    if (!pal_array_grow((void **)&traversal->pairs, &traversal->pair_capacity,
                        traversal->pair_count, 1, sizeof *traversal->pairs))
        return false;
    int32_t f = first->order[first->volumes[a].first_facet] + traversal->facet_offsets[0];
    int32_t g = second->order[second->volumes[b].first_facet] + traversal->facet_offsets[1];
    traversal->pairs[traversal->pair_count++] = f < g ? (PalFacetPair){f, g} : (PalFacetPair){g, f};
    return true;
}

// Compares two volumes; keeps them for later when they overlap, or the pair when both are leaves.
static bool compare(Search *search, int32_t a, int32_t b)
{
    PalTraversal *traversal = search->traversal;
    const PalVolume *first = &search->trees[0]->volumes[a], *second = &search->trees[1]->volumes[b];
    if (!may_touch(traversal, first->object, second->object))
        return true;
    ++traversal->volume_tests;
    if (!overlap(search, a, b))
        return true;
    if (first->child_count == 0 && second->child_count == 0)
        return add_pair(search, a, b);
    traversal->stack[search->stack_count++] = (PalVisit){a, b};
    return true;
}

// first: the volume is of the first tree.
static void open_volume(const Search *search, bool first, int32_t volume)
{
    const PalTraversal *traversal = search->traversal;
    bool same = search->trees[0] == search->trees[1];
    void *context = first || same ? traversal->context : traversal->second_context;
    if (traversal->visit != NULL && context != NULL)
        traversal->visit(context, volume);
}

// Two volumes that overlap: the one with more facets is replaced by its children.
static bool descend(Search *search, PalVisit visit)
{
    const PalVolume *a = &search->trees[0]->volumes[visit.a];
    const PalVolume *b = &search->trees[1]->volumes[visit.b];
    bool first = a->facet_count >= b->facet_count;
    const PalVolume *opened = first ? a : b;
    open_volume(search, first, first ? visit.a : visit.b);
    for (int32_t k = opened->child_count - 1; k >= 0; --k) {
        int32_t child = opened->first_child + k;
        if (!(first ? compare(search, child, visit.b) : compare(search, visit.a, child)))
            return false;
    }
    return true;
}

static bool cannot_touch_itself(const PalTraversal *traversal, const PalHierarchy *tree, int32_t v)
{
    if (traversal->self_free != NULL)
        return traversal->self_free[v] != 0;
    return traversal->self_test == PAL_SELF_TEST_CONE && tree->volumes[v].connected &&
           tree->cones[v].angle < half_turn;
}

// One volume with itself: each child with itself and with its siblings.
static bool descend_self(Search *search, int32_t v)
{
    PalTraversal *traversal = search->traversal;
    const PalHierarchy *tree = search->trees[0];
    const PalVolume *volume = &tree->volumes[v];
    if (!may_touch(traversal, volume->object, volume->object) ||
        cannot_touch_itself(traversal, tree, v))
        return true;
    traversal->self_subtrees += volume->connected;
    open_volume(search, true, v);
    for (int32_t k = volume->child_count - 1; k >= 0; --k) {
        int32_t child = volume->first_child + k;
        for (int32_t j = volume->child_count - 1; j > k; --j)
            if (!compare(search, child, volume->first_child + j))
                return false;
        if (tree->volumes[child].child_count > 0)
            traversal->stack[search->stack_count++] = (PalVisit){child, child};
    }
    return true;
}

enum { PUSHED_AT_ONCE = 10 };  // of four children six pairs, and each with itself

static bool run(Search *search, bool self)
{
    PalTraversal *traversal = search->traversal;
    while (search->stack_count > 0) {
        PalVisit visit = traversal->stack[--search->stack_count];
        if (!reserve_stack(search, PUSHED_AT_ONCE))
            return false;
        bool same = self && visit.a == visit.b;
        if (!(same ? descend_self(search, visit.a) : descend(search, visit)))
            return false;
    }
    return true;
}

bool pal_traverse_self(PalTraversal *traversal, const PalHierarchy *hierarchy)
{
    Search search = {.traversal = traversal, .trees = {hierarchy, hierarchy}};
    if (hierarchy->facet_count < 2)
        return true;
    if (!reserve_stack(&search, 1))
        return false;
    traversal->stack[search.stack_count++] = (PalVisit){0, 0};
    return run(&search, true);
}

bool pal_traverse_two(PalTraversal *traversal, const PalHierarchy *first,
                      const PalHierarchy *second)
{
    Search search = {.traversal = traversal, .trees = {first, second}};
    if (first->facet_count == 0 || second->facet_count == 0)
        return true;
    return reserve_stack(&search, 1) && compare(&search, 0, 0) && run(&search, false);
}

// ---- a box ------------------------------------------------------------------------------

static bool meets(const PalHierarchy *tree, int32_t v, const PalBox *box)
{
    if (tree->frames == NULL)
        return pal_boxes_overlap(&tree->boxes[v], box);
    PalMat3 along = pal_mat3_identity();
    return pal_obbs_overlap(&tree->boxes[v], &tree->frames[v], box, &along);
}

bool pal_traverse_box(PalTraversal *traversal, const PalHierarchy *hierarchy, const PalBox *box)
{
    Search search = {.traversal = traversal, .trees = {hierarchy, hierarchy}};
    if (hierarchy->facet_count == 0)
        return true;
    if (!reserve_stack(&search, 1))
        return false;
    traversal->stack[search.stack_count++] = (PalVisit){0, 0};
    while (search.stack_count > 0) {
        int32_t v = traversal->stack[--search.stack_count].a;
        const PalVolume *volume = &hierarchy->volumes[v];
        ++traversal->volume_tests;
        if (!meets(hierarchy, v, box))
            continue;
        if (volume->child_count == 0) {
            if (!pal_array_grow((void **)&traversal->facets, &traversal->facet_capacity,
                                traversal->facet_count, 1, sizeof *traversal->facets))
                return false;
            traversal->facets[traversal->facet_count++] =
                hierarchy->order[volume->first_facet] + traversal->facet_offsets[0];
            continue;
        }
        open_volume(&search, true, v);
        if (!reserve_stack(&search, volume->child_count))
            return false;
        for (int32_t k = volume->child_count - 1; k >= 0; --k)
            traversal->stack[search.stack_count++].a = volume->first_child + k;
    }
    return true;
}
