// The tree: facets in leaves, boxes around them, connected volumes, rims.
#include "trees.h"

#include "base/hash.h"
#include "math/mat3.h"

static const PalHierarchyKind kinds[] = {PAL_HIERARCHY_AABB2, PAL_HIERARCHY_AABB4,
                                         PAL_HIERARCHY_OBB2};

static void check_links(const PalHierarchy *hierarchy)
{
    for (int32_t v = 0; v < hierarchy->volume_count; ++v) {
        const PalVolume *volume = &hierarchy->volumes[v];
        if (volume->child_count == 0) {
            assert_int_equal(volume->facet_count, 1);
            assert_int_equal(hierarchy->leaf_of[hierarchy->order[volume->first_facet]], v);
            continue;
        }
        assert_in_range(volume->child_count, 2, hierarchy->kind == PAL_HIERARCHY_AABB4 ? 4 : 2);
        int32_t next = volume->first_facet;
        for (int32_t k = 0; k < volume->child_count; ++k) {
            const PalVolume *child = &hierarchy->volumes[volume->first_child + k];
            assert_true(volume->first_child + k > v);
            assert_int_equal(child->parent, v);
            assert_int_equal(child->first_facet, next);
            next += child->facet_count;
        }
        assert_int_equal(next, volume->first_facet + volume->facet_count);
    }
}

static void check_facets(const PalHierarchy *hierarchy, const Surface *surface)
{
    int32_t count = surface->triangles.facet_count;
    int32_t *times = pal_alloc((size_t)count, sizeof *times);
    for (int32_t i = 0; i < count; ++i)
        ++times[hierarchy->order[i]];
    for (int32_t f = 0; f < count; ++f)
        assert_int_equal(times[f], 1);
    for (int32_t v = 0; v < hierarchy->volume_count; ++v) {
        const PalVolume *volume = &hierarchy->volumes[v];
        int32_t object = surface->objects[hierarchy->order[volume->first_facet]];
        for (int32_t i = 1; i < volume->facet_count; ++i)
            if (surface->objects[hierarchy->order[volume->first_facet + i]] != object)
                object = PAL_NONE;
        assert_int_equal(volume->object, object);
    }
    pal_free(times);
}

static bool share_edge(const int32_t a[3], const int32_t b[3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (a[i] == b[(j + 1) % 3] && a[(i + 1) % 3] == b[j])
                return true;
    return false;
}

// Quadratic, by the definition.
static bool hangs_together(const PalHierarchy *hierarchy, const Surface *surface, int32_t v)
{
    const PalVolume *volume = &hierarchy->volumes[v];
    const int32_t *facets = hierarchy->order + volume->first_facet;
    int32_t *queue = pal_alloc((size_t)volume->facet_count, sizeof *queue), count = 1;
    bool *seen = pal_alloc((size_t)volume->facet_count, sizeof *seen);
    seen[0] = true;
    for (int32_t i = 0; i < count; ++i)
        for (int32_t j = 0; j < volume->facet_count; ++j)
            if (!seen[j] &&
                share_edge(surface->facets[facets[queue[i]]], surface->facets[facets[j]])) {
                seen[j] = true;
                queue[count++] = j;
            }
    pal_free(queue);
    pal_free(seen);
    return count == volume->facet_count;
}

// Sides of the volume's facets that no other of its facets runs back along.
static int32_t count_rim_sides(const PalHierarchy *hierarchy, const Surface *surface, int32_t v)
{
    const PalVolume *volume = &hierarchy->volumes[v];
    const int32_t *facets = hierarchy->order + volume->first_facet;
    int32_t count = 0;
    for (int32_t i = 0; i < volume->facet_count; ++i)
        for (int k = 0; k < 3; ++k) {
            bool covered = false;
            const int32_t *corners = surface->facets[facets[i]];
            for (int32_t j = 0; j < volume->facet_count && !covered; ++j)
                for (int m = 0; m < 3; ++m)
                    covered |= surface->facets[facets[j]][m] == corners[(k + 1) % 3] &&
                               surface->facets[facets[j]][(m + 1) % 3] == corners[k];
            count += !covered;
        }
    return count;
}

// Whether vertices minus edges plus facets is one, counted one by one.
static bool has_the_character_of_a_disk(const PalHierarchy *hierarchy, const Surface *surface,
                                        int32_t v)
{
    const PalVolume *volume = &hierarchy->volumes[v];
    bool *seen = pal_alloc((size_t)surface->triangles.vertex_count, sizeof *seen);
    int32_t vertices = 0;
    for (int32_t i = 0; i < 3 * volume->facet_count; ++i) {
        int32_t f = hierarchy->order[volume->first_facet + i / 3];
        vertices += !seen[surface->facets[f][i % 3]];
        seen[surface->facets[f][i % 3]] = true;
    }
    pal_free(seen);
    int32_t rim = count_rim_sides(hierarchy, surface, v);
    return rim > 0 && 2 * (vertices + volume->facet_count - 1) == 3 * volume->facet_count + rim;
}

// Each step along the rim is a side of one of the volume's facets, in that direction.
static void check_rim(const PalHierarchy *hierarchy, const Surface *surface, int32_t v)
{
    const PalVolume *volume = &hierarchy->volumes[v];
    int32_t count;
    const int32_t *rim = pal_hierarchy_rim(hierarchy, v, &count);
    assert_int_equal(rim != NULL, volume->disk);
    assert_int_equal(volume->disk,
                     volume->connected && has_the_character_of_a_disk(hierarchy, surface, v));
    if (rim == NULL)
        return;
    assert_int_equal(count, count_rim_sides(hierarchy, surface, v));
    for (int32_t i = 0; i < count; ++i) {
        int32_t from = rim[i], to = rim[(i + 1) % count];
        bool found = false;
        for (int32_t j = 0; j < volume->facet_count; ++j)
            for (int k = 0; k < 3; ++k) {
                const int32_t *corners = surface->facets[hierarchy->order[volume->first_facet + j]];
                found |= corners[k] == from && corners[(k + 1) % 3] == to;
            }
        assert_true(found);
        for (int32_t j = 0; j < i; ++j)
            assert_int_not_equal(rim[j], from);
    }
}

static PalVec3 in_frame(const PalHierarchy *hierarchy, int32_t v, PalVec3 x)
{
    return hierarchy->frames == NULL ? x : pal_mat3_apply(&hierarchy->frames[v], x);
}

// Boxes hold the start and the end of every facet; those of leaves by the margin.
static void check_boxes(const PalHierarchy *hierarchy, const Surface *surface)
{
    for (int32_t v = 0; v < hierarchy->volume_count; ++v) {
        const PalVolume *volume = &hierarchy->volumes[v];
        const PalBox *box = &hierarchy->boxes[v];
        double margin = hierarchy->frames == NULL  ? hierarchy->margin
                        : volume->child_count == 0 ? hierarchy->margin
                                                   : 0;
        for (int32_t i = 0; i < 6 * volume->facet_count; ++i) {
            int32_t f = hierarchy->order[volume->first_facet + i / 6];
            const PalVec3 *x = i % 2 == 0 ? surface->start : surface->end;
            PalVec3 at = in_frame(hierarchy, v, x[surface->facets[f][i / 2 % 3]]);
            for (int k = 0; k < 3; ++k) {
                assert_true((double)box->lower[k] <= pal_vec3_at(at, k) - margin);
                assert_true((double)box->upper[k] >= pal_vec3_at(at, k) + margin);
            }
        }
        for (int32_t k = 0; hierarchy->frames == NULL && k < volume->child_count; ++k) {
            const PalBox *child = &hierarchy->boxes[volume->first_child + k];
            assert_false(pal_int4_any(child->lower < box->lower));
            assert_false(pal_int4_any(child->upper > box->upper));
        }
    }
}

static void check_all(Surface *surface, bool connected)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        PalHierarchy *hierarchy = hierarchy_of(surface, kinds[k], PAL_CONE_NARROWEST, 0.01);
        check_links(hierarchy);
        check_facets(hierarchy, surface);
        check_boxes(hierarchy, surface);
        assert_int_equal(hierarchy->volumes[0].connected, connected);
        for (int32_t v = 0; v < hierarchy->volume_count; ++v) {
            assert_int_equal(hierarchy->volumes[v].connected,
                             hangs_together(hierarchy, surface, v));
            check_rim(hierarchy, surface, v);
        }
        uint64_t state = 9;
        surface_shake(surface, 0.3, &state);
        pal_hierarchy_refit(hierarchy, &surface->triangles);
        check_boxes(hierarchy, surface);
        pal_hierarchy_destroy(hierarchy);
    }
    surface_free(surface);
}

static void a_sheet(void **unused)
{
    (void)unused;
    Surface sheet = surface_sheet(9, 11, false);
    check_all(&sheet, true);
}

static void a_sphere_is_no_disk_but_its_parts_are(void **unused)
{
    (void)unused;
    Surface sphere = surface_sphere(9, 12);
    PalHierarchy *hierarchy = hierarchy_of(&sphere, PAL_HIERARCHY_AABB2, PAL_CONE_NARROWEST, 0);
    assert_false(hierarchy->volumes[0].disk);
    assert_true(hierarchy->volumes[1].disk && hierarchy->volumes[2].disk);
    pal_hierarchy_destroy(hierarchy);
    check_all(&sphere, true);
}

static void a_tube_is_no_disk(void **unused)
{
    (void)unused;
    Surface tube = surface_sheet(12, 5, true);
    for (int32_t n = 0; n < tube.triangles.vertex_count; ++n) {
        double turn = 6.283185307 * tube.start[n].x / 5;
        tube.start[n] = tube.end[n] = pal_vec3(cos(turn), sin(turn), tube.start[n].y);
    }
    PalHierarchy *hierarchy = hierarchy_of(&tube, PAL_HIERARCHY_AABB2, PAL_CONE_NARROWEST, 0);
    assert_true(hierarchy->volumes[0].connected);
    assert_false(hierarchy->volumes[0].disk);
    pal_hierarchy_destroy(hierarchy);
    check_all(&tube, true);
}

static void bodies_apart(void **unused)
{
    (void)unused;
    Surface one = surface_sphere(5, 7), two = surface_sheet(3, 4, false);
    Surface pair = surface_join(&one, &two, pal_vec3(10, 0, 0));
    Surface three = surface_join(&pair, &one, pal_vec3(2.5, 0, 0));
    // The two spheres are near each other and are joined first.
    PalHierarchy *hierarchy = hierarchy_of(&three, PAL_HIERARCHY_AABB2, PAL_CONE_NARROWEST, 0);
    const PalVolume *first = &hierarchy->volumes[1], *second = &hierarchy->volumes[2];
    const PalVolume *sheet = first->object == 1 ? first : second;
    assert_int_equal(sheet->object, 1);
    assert_true(sheet->connected);
    assert_int_equal(sheet->facet_count, two.triangles.facet_count);
    pal_hierarchy_destroy(hierarchy);
    surface_free(&one);
    surface_free(&two);
    surface_free(&pair);
    check_all(&three, false);
}

// Three facets at an edge, two that touch in a vertex, one turned around, some without area.
static void odd_surfaces(void **unused)
{
    (void)unused;
    static const int32_t facets[][3] = {{0, 1, 2},  {1, 0, 3},    {1, 0, 4},
                                        {5, 6, 7},  {7, 8, 9},    {8, 7, 10},
                                        {5, 6, 11}, {12, 12, 13}, {14, 15, 16}};
    enum { COUNT = sizeof facets / sizeof *facets };
    Surface odd = surface_allocate(17, COUNT);
    uint64_t state = 5;
    for (int32_t n = 0; n < 17; ++n)
        odd.start[n] = odd.end[n] = n < 14 ? random_vector(&state) : pal_vec3(1, 2, 3);
    memcpy(odd.facets, facets, sizeof facets);
    PalHierarchy *hierarchy = hierarchy_of(&odd, PAL_HIERARCHY_AABB2, PAL_CONE_NARROWEST, 0);
    check_links(hierarchy);
    check_facets(hierarchy, &odd);
    check_boxes(hierarchy, &odd);
    int32_t whole = 0;
    for (int32_t v = 0; v < hierarchy->volume_count; ++v)
        whole += hierarchy->volumes[v].connected && hierarchy->volumes[v].facet_count > 1;
    assert_int_equal(whole, 1);  // {7, 8, 9} with {8, 7, 10}
    pal_hierarchy_destroy(hierarchy);
    surface_free(&odd);
}

static void many_loose_facets(void **unused)
{
    (void)unused;
    enum { COUNT = 3000 };
    Surface loose = surface_allocate(3 * COUNT, COUNT);
    uint64_t state = 6;
    for (int32_t n = 0; n < 3 * COUNT; ++n) {
        loose.facets[n / 3][n % 3] = n;
        loose.start[n] = loose.end[n] = random_vector(&state);
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        PalHierarchy *hierarchy = hierarchy_of(&loose, kinds[k], PAL_CONE_PROVOT, 0);
        check_links(hierarchy);
        check_facets(hierarchy, &loose);
        check_boxes(hierarchy, &loose);
        pal_hierarchy_destroy(hierarchy);
    }
    surface_free(&loose);
}

static void nothing_and_one_facet(void **unused)
{
    (void)unused;
    Surface none = surface_allocate(0, 0);
    PalHierarchy *hierarchy = hierarchy_of(&none, PAL_HIERARCHY_AABB4, PAL_CONE_NARROWEST, 0);
    assert_int_equal(hierarchy->volume_count, 0);
    pal_hierarchy_refit(hierarchy, &none.triangles);
    pal_hierarchy_destroy(hierarchy);
    surface_free(&none);
    Surface one = surface_allocate(3, 1);
    for (int32_t n = 0; n < 3; ++n) {
        one.facets[0][n] = n;
        one.start[n] = one.end[n] = pal_vec3(n == 1, n == 2, 0);
    }
    check_all(&one, true);
}

static uint64_t hash_tree(const PalHierarchy *hierarchy)
{
    size_t volumes = (size_t)hierarchy->volume_count;
    uint64_t hash = PAL_HASH_START;
    hash = pal_hash(hash, hierarchy->boxes, volumes * sizeof *hierarchy->boxes);
    hash = pal_hash(hash, hierarchy->cones, volumes * sizeof *hierarchy->cones);
    hash =
        pal_hash(hash, hierarchy->order, (size_t)hierarchy->facet_count * sizeof *hierarchy->order);
    return pal_hash(hash, hierarchy->rim_start, (volumes + 1) * sizeof *hierarchy->rim_start);
}

static void building_twice_gives_the_same(void **unused)
{
    (void)unused;
    Surface sphere = surface_sphere(20, 31);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        uint64_t hashes[2];
        for (int i = 0; i < 2; ++i) {
            PalHierarchy *hierarchy = hierarchy_of(&sphere, kinds[k], PAL_CONE_NARROWEST, 0.001);
            hashes[i] = hash_tree(hierarchy);
            pal_hierarchy_destroy(hierarchy);
        }
        assert_true(hashes[0] == hashes[1]);
    }
    surface_free(&sphere);
}

// Halves are balanced, so that the tree is not much deeper than it must be.
static void the_tree_is_shallow(void **unused)
{
    (void)unused;
    Surface sphere = surface_sphere(41, 51);
    PalHierarchy *hierarchy = hierarchy_of(&sphere, PAL_HIERARCHY_AABB2, PAL_CONE_NARROWEST, 0);
    double sum = 0;
    for (int32_t f = 0; f < sphere.triangles.facet_count; ++f)
        for (int32_t v = hierarchy->leaf_of[f]; v != 0; v = hierarchy->volumes[v].parent)
            ++sum;
    assert_true(sum / sphere.triangles.facet_count < 1.2 * log2(sphere.triangles.facet_count));
    pal_hierarchy_destroy(hierarchy);
    surface_free(&sphere);
}

static void expect_broken(PalHierarchy *hierarchy, int32_t *number, int32_t value,
                          const char *words)
{
    PalError error = {0};
    int32_t kept = *number;
    assert_int_not_equal(kept, value);
    *number = value;
    assert_int_equal(pal_hierarchy_validate(hierarchy, &error), PAL_BAD_INPUT);
    if (strstr(error.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, words);
    *number = kept;
    check_ok(pal_hierarchy_validate(hierarchy, &error), &error);
}

static void broken_trees_are_found(void **unused)
{
    (void)unused;
    Surface sphere = surface_sphere(9, 11);
    PalHierarchy *h = hierarchy_of(&sphere, PAL_HIERARCHY_AABB4, PAL_CONE_NARROWEST, 0);
    PalVolume *inner = &h->volumes[1], *leaf = &h->volumes[h->leaf_of[0]];
    assert_true(inner->child_count > 1);
    expect_broken(h, &h->volumes[0].facet_count, 2, "the root");
    expect_broken(h, &inner->first_child, 1, "the children");
    expect_broken(h, &inner->child_count, 1, "the children");
    expect_broken(h, &inner->end, inner->end - 1, "what is inside");
    expect_broken(h, &inner->first_facet, inner->first_facet + 1, "the facets");
    expect_broken(h, &inner->facet_count, inner->facet_count + 1, "the facets");
    expect_broken(h, &h->volumes[inner->first_child].parent, 0, "the parent");
    expect_broken(h, &h->volumes[inner->first_child].object, 1, "the object");
    expect_broken(h, &leaf->first_facet, h->facet_count, "the facets");
    expect_broken(h, &h->order[3], h->order[4], "the leaf of a facet");
    expect_broken(h, &h->leaves[3], h->leaves[4], "the leaf of a facet");
    expect_broken(h, &h->volume_count, h->volume_count - 1, "");
    pal_hierarchy_destroy(h);
    surface_free(&sphere);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_sheet),
    cmocka_unit_test(a_sphere_is_no_disk_but_its_parts_are),
    cmocka_unit_test(a_tube_is_no_disk),
    cmocka_unit_test(bodies_apart),
    cmocka_unit_test(odd_surfaces),
    cmocka_unit_test(many_loose_facets),
    cmocka_unit_test(nothing_and_one_facet),
    cmocka_unit_test(building_twice_gives_the_same),
    cmocka_unit_test(the_tree_is_shallow),
    cmocka_unit_test(broken_trees_are_found),
};
CHECK_GROUP(tests, NULL, NULL)
