// Pairs of facets whose boxes overlap: all of them, each once.
#include "trees.h"

#include "geometry/obb.h"
#include "geometry/traverse.h"
#include "geometry/update.h"
#include "math/mat3.h"

static const PalHierarchyKind kinds[] = {PAL_HIERARCHY_AABB2, PAL_HIERARCHY_AABB4,
                                         PAL_HIERARCHY_OBB2};
enum { KINDS = 3 };

static bool leaves_overlap(const PalHierarchy *p, int32_t f, const PalHierarchy *q, int32_t g)
{
    int32_t a = p->leaf_of[f], b = q->leaf_of[g];
    if (p->frames != NULL)
        return pal_obbs_overlap(&p->boxes[a], &p->frames[a], &q->boxes[b], &q->frames[b]);
    return pal_boxes_overlap(&p->boxes[a], &q->boxes[b]);
}

static int compare_pairs(const void *left, const void *right)
{
    const PalFacetPair *a = left, *b = right;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

static bool is_found(const PalTraversal *traversal, int32_t a, int32_t b)
{
    PalFacetPair wanted = {a, b};
    return bsearch(&wanted, traversal->pairs, (size_t)traversal->pair_count,
                   sizeof *traversal->pairs, compare_pairs) != NULL;
}

static void sort_and_check_once(PalTraversal *traversal)
{
    qsort(traversal->pairs, (size_t)traversal->pair_count, sizeof *traversal->pairs, compare_pairs);
    for (int32_t i = 0; i < traversal->pair_count; ++i) {
        assert_true(traversal->pairs[i].a < traversal->pairs[i].b);
        if (i > 0)
            assert_true(compare_pairs(&traversal->pairs[i - 1], &traversal->pairs[i]) < 0);
    }
}

static Surface three_bodies(void)
{
    Surface sphere = surface_sphere(8, 11), sheet = surface_sheet(7, 8, false);
    for (int32_t n = 0; n < sheet.triangles.vertex_count; ++n)
        sheet.start[n] = pal_vec3_scale(0.3, sheet.start[n]);
    Surface pair = surface_join(&sphere, &sphere, pal_vec3(1.7, 0.1, 0.2));
    Surface all = surface_join(&pair, &sheet, pal_vec3(-1, -1, 0.95));
    surface_free(&sphere);
    surface_free(&sheet);
    surface_free(&pair);
    return all;
}

static void every_overlap_is_found_once(void **unused)
{
    (void)unused;
    Surface surface = three_bodies();
    uint64_t state = 21;
    for (int k = 0; k < KINDS; ++k) {
        PalHierarchy *hierarchy = hierarchy_of(&surface, kinds[k], PAL_CONE_NARROWEST, 0.01);
        PalTraversal traversal = {.self_test = PAL_SELF_TEST_EXHAUSTIVE};
        for (int step = 0; step < 3; ++step) {
            surface_shake(&surface, 0.05, &state);
            pal_hierarchy_refit(hierarchy, &surface.triangles);
            traversal.pair_count = 0;
            assert_true(pal_traverse_self(&traversal, hierarchy));
            sort_and_check_once(&traversal);
            int32_t count = 0;
            for (int32_t f = 0; f < surface.triangles.facet_count; ++f)
                for (int32_t g = f + 1; g < surface.triangles.facet_count; ++g)
                    if (leaves_overlap(hierarchy, f, hierarchy, g)) {
                        ++count;
                        assert_true(is_found(&traversal, f, g));
                    }
            assert_int_equal(count, traversal.pair_count);
            assert_true(count > surface.triangles.facet_count);
        }
        pal_traversal_clear(&traversal);
        pal_hierarchy_destroy(hierarchy);
    }
    surface_free(&surface);
}

static void forbidden_objects_are_left_out(void **unused)
{
    (void)unused;
    Surface surface = three_bodies();
    const bool allowed[9] = {false, true, false, true, true, false, false, false, false};
    for (int k = 0; k < KINDS; ++k) {
        PalHierarchy *hierarchy = hierarchy_of(&surface, kinds[k], PAL_CONE_NARROWEST, 0.05);
        PalTraversal some = {
            .self_test = PAL_SELF_TEST_EXHAUSTIVE, .object_count = 3, .allowed = allowed};
        PalTraversal all = {.self_test = PAL_SELF_TEST_EXHAUSTIVE};
        assert_true(pal_traverse_self(&some, hierarchy) && pal_traverse_self(&all, hierarchy));
        assert_true(some.volume_tests < all.volume_tests);
        sort_and_check_once(&some);
        int32_t count = 0;
        for (int32_t i = 0; i < all.pair_count; ++i) {
            PalFacetPair pair = all.pairs[i];
            if (!allowed[3 * surface.objects[pair.a] + surface.objects[pair.b]])
                continue;
            ++count;
            assert_true(is_found(&some, pair.a, pair.b));
        }
        assert_int_equal(count, some.pair_count);
        assert_true(count > 0);
        pal_traversal_clear(&some);
        pal_traversal_clear(&all);
        pal_hierarchy_destroy(hierarchy);
    }
    surface_free(&surface);
}

// No pair of facets of one narrow connected volume; all others.
static void narrow_cones_are_not_searched(void **unused)
{
    (void)unused;
    Surface surface = three_bodies();
    const double half_turn = 3.14159265358979323846;
    for (int k = 0; k < KINDS; ++k) {
        PalHierarchy *hierarchy = hierarchy_of(&surface, kinds[k], PAL_CONE_NARROWEST, 0.02);
        PalTraversal some = {.self_test = PAL_SELF_TEST_CONE};
        PalTraversal all = {.self_test = PAL_SELF_TEST_EXHAUSTIVE};
        assert_true(pal_traverse_self(&some, hierarchy) && pal_traverse_self(&all, hierarchy));
        sort_and_check_once(&some);
        int32_t count = 0, wide = 0;
        for (int32_t i = 0; i < all.pair_count; ++i) {
            int32_t f = all.pairs[i].a, g = all.pairs[i].b, v = hierarchy->leaf_of[f];
            bool narrow = false;
            for (; v != PAL_NONE; v = hierarchy->volumes[v].parent) {
                const PalVolume *volume = &hierarchy->volumes[v];
                int32_t leaf = hierarchy->volumes[hierarchy->leaf_of[g]].first_facet;
                bool both =
                    leaf >= volume->first_facet && leaf < volume->first_facet + volume->facet_count;
                narrow |= both && volume->connected && hierarchy->cones[v].angle < half_turn;
            }
            assert_int_equal(is_found(&some, f, g), !narrow);
            count += !narrow;
        }
        for (int32_t v = 0; v < hierarchy->volume_count; ++v)
            wide += hierarchy->volumes[v].connected && hierarchy->cones[v].angle >= half_turn;
        assert_int_equal(count, some.pair_count);
        assert_int_equal(some.self_subtrees, wide);
        pal_traversal_clear(&some);
        pal_traversal_clear(&all);
        pal_hierarchy_destroy(hierarchy);
    }
    surface_free(&surface);
}

static void flags_replace_cones(void **unused)
{
    (void)unused;
    Surface surface = surface_sphere(6, 7);
    PalHierarchy *hierarchy = hierarchy_of(&surface, PAL_HIERARCHY_AABB2, PAL_CONE_NARROWEST, 0.02);
    uint8_t *flags = pal_alloc((size_t)hierarchy->volume_count, 1);
    PalTraversal traversal = {.self_test = PAL_SELF_TEST_CONE, .self_free = flags};
    PalTraversal all = {.self_test = PAL_SELF_TEST_EXHAUSTIVE};
    assert_true(pal_traverse_self(&traversal, hierarchy) && pal_traverse_self(&all, hierarchy));
    assert_int_equal(traversal.pair_count, all.pair_count);
    flags[0] = 1;
    traversal.pair_count = 0;
    assert_true(pal_traverse_self(&traversal, hierarchy));
    assert_int_equal(traversal.pair_count, 0);
    pal_free(flags);
    pal_traversal_clear(&traversal);
    pal_traversal_clear(&all);
    pal_hierarchy_destroy(hierarchy);
    surface_free(&surface);
}

static void two_trees(void **unused)
{
    (void)unused;
    Surface one = surface_sphere(7, 9), two = surface_sphere(8, 13);
    for (int32_t n = 0; n < two.triangles.vertex_count; ++n)
        two.start[n] = two.end[n] = pal_vec3_add(two.start[n], pal_vec3(1.4, 0.3, 0));
    int32_t offset = one.triangles.facet_count;
    for (int k = 0; k < KINDS; ++k) {
        PalHierarchy *p = hierarchy_of(&one, kinds[k], PAL_CONE_NARROWEST, 0.01);
        PalHierarchy *q = hierarchy_of(&two, kinds[k], PAL_CONE_NARROWEST, 0.01);
        PalTraversal traversal = {.facet_offsets = {0, offset}};
        assert_true(pal_traverse_two(&traversal, p, q));
        sort_and_check_once(&traversal);
        int32_t count = 0;
        for (int32_t f = 0; f < offset; ++f)
            for (int32_t g = 0; g < two.triangles.facet_count; ++g)
                if (leaves_overlap(p, f, q, g)) {
                    ++count;
                    assert_true(is_found(&traversal, f, offset + g));
                }
        assert_int_equal(count, traversal.pair_count);
        assert_true(count > 0);
        pal_traversal_clear(&traversal);
        pal_hierarchy_destroy(p);
        pal_hierarchy_destroy(q);
    }
    surface_free(&one);
    surface_free(&two);
}

static void around_a_box(void **unused)
{
    (void)unused;
    Surface surface = surface_sphere(9, 14);
    const PalBox box = {{0.2f, -0.3f, 0.1f, 0}, {1.1f, 0.4f, 0.9f, 0}};
    const PalMat3 along = pal_mat3_identity();
    for (int k = 0; k < KINDS; ++k) {
        PalHierarchy *hierarchy = hierarchy_of(&surface, kinds[k], PAL_CONE_NARROWEST, 0.01);
        PalTraversal traversal = {0};
        assert_true(pal_traverse_box(&traversal, hierarchy, &box));
        bool *found = pal_alloc((size_t)surface.triangles.facet_count, sizeof *found);
        for (int32_t i = 0; i < traversal.facet_count; ++i) {
            assert_false(found[traversal.facets[i]]);
            found[traversal.facets[i]] = true;
        }
        for (int32_t f = 0; f < surface.triangles.facet_count; ++f) {
            int32_t v = hierarchy->leaf_of[f];
            bool overlap =
                hierarchy->frames == NULL
                    ? pal_boxes_overlap(&hierarchy->boxes[v], &box)
                    : pal_obbs_overlap(&hierarchy->boxes[v], &hierarchy->frames[v], &box, &along);
            assert_int_equal(found[f], overlap);
        }
        pal_free(found);
        pal_traversal_clear(&traversal);
        pal_hierarchy_destroy(hierarchy);
    }
    surface_free(&surface);
}

// Volumes that a lazy update has not reached are brought up to date on the way.
static void lazy_updates_lose_nothing(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; ++k) {
        Surface surface = three_bodies();
        PalError error = {0};
        PalHierarchy *hierarchy = hierarchy_of(&surface, kinds[k], PAL_CONE_NARROWEST, 0.01);
        PalHierarchy *whole = hierarchy_of(&surface, kinds[k], PAL_CONE_NARROWEST, 0.01);
        PalUpdate *update = NULL;
        check_ok(pal_update_create(PAL_UPDATE_LARSSON, hierarchy, 0.05 * hierarchy->margin,
                                   &surface.triangles, &update, &error),
                 &error);
        uint64_t state = 22;
        PalTraversal lazy = {.self_test = PAL_SELF_TEST_EXHAUSTIVE,
                             .visit = pal_update_visit(update),
                             .context = update};
        PalTraversal full = {.self_test = PAL_SELF_TEST_EXHAUSTIVE};
        for (int step = 0; step < 3; ++step) {
            surface_shake(&surface, 0.1, &state);
            pal_update_step(update);
            pal_hierarchy_refit(whole, &surface.triangles);
            lazy.pair_count = full.pair_count = 0;
            assert_true(pal_traverse_self(&lazy, hierarchy) && pal_traverse_self(&full, whole));
            assert_int_equal(lazy.pair_count, full.pair_count);
            assert_memory_equal(lazy.pairs, full.pairs,
                                (size_t)full.pair_count * sizeof *full.pairs);
        }
        pal_traversal_clear(&lazy);
        pal_traversal_clear(&full);
        pal_update_destroy(update);
        pal_hierarchy_destroy(hierarchy);
        pal_hierarchy_destroy(whole);
        surface_free(&surface);
    }
}

// Points of both boxes on a fine grid: where some lie in the other, the boxes must overlap; and
// boxes far from touching are told apart.
static void boxes_with_frames_overlap_where_they_do(void **unused)
{
    (void)unused;
    uint64_t state = 23;
    int32_t apart = 0, together = 0;
    for (int i = 0; i < 2000; ++i) {
        PalBox boxes[2];
        PalMat3 frames[2];
        for (int k = 0; k < 2; ++k) {
            PalVec3 x = pal_vec3_normalise(random_vector(&state)), y = random_vector(&state);
            y = pal_vec3_normalise(pal_vec3_add_scaled(y, -pal_vec3_dot(x, y), x));
            PalVec3 z = pal_vec3_cross(x, y);
            frames[k] = (PalMat3){{{x.x, x.y, x.z}, {y.x, y.y, y.z}, {z.x, z.y, z.z}}};
            PalFloat4 middle = pal_float4(pal_vec3_scale(1.2, random_vector(&state)));
            PalFloat4 half = pal_float4(random_vector(&state));
            half = pal_float4_max(half, -half);
            boxes[k] = (PalBox){middle - half, middle + half};
        }
        bool inside = false;
        for (int p = 0; p < 1000; ++p) {
            PalVec3 at = pal_vec3(p % 10 / 9.0, p / 10 % 10 / 9.0, p / 100 / 9.0);
            PalFloat4 local = boxes[0].lower + pal_float4(at) * (boxes[0].upper - boxes[0].lower);
            PalVec3 point = pal_vec3((double)local[0], (double)local[1], (double)local[2]);
            PalMat3 back = pal_mat3_transpose(&frames[0]);
            PalVec3 there = pal_mat3_apply(&frames[1], pal_mat3_apply(&back, point));
            PalFloat4 other = pal_float4(there);
            inside |= !pal_int4_any((other < boxes[1].lower) | (other > boxes[1].upper));
        }
        bool overlap = pal_obbs_overlap(&boxes[0], &frames[0], &boxes[1], &frames[1]);
        assert_true(overlap || !inside);
        together += overlap && inside;
        apart += !overlap;
    }
    assert_true(apart > 200 && together > 200);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_overlap_is_found_once),
    cmocka_unit_test(forbidden_objects_are_left_out),
    cmocka_unit_test(narrow_cones_are_not_searched),
    cmocka_unit_test(flags_replace_cones),
    cmocka_unit_test(two_trees),
    cmocka_unit_test(around_a_box),
    cmocka_unit_test(lazy_updates_lose_nothing),
    cmocka_unit_test(boxes_with_frames_overlap_where_they_do),
};
CHECK_GROUP(tests, NULL, NULL)
