// Distances d(x, s) as printed: those of the deformed shape, trilinear, superposed, and the force
// that a loop makes of them.
#include "geometry/nearest.h"
#include "math/vec3.h"
#include "reduced/distances.h"
#include "small_book.h"
#include <palpate/vademecum.h>
#include <palpate/vademecum_io.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static PalVademecum *book;
static SmallBook small;

static int prepare(void **state)
{
    (void)state;
    book = small_book_build(&small, 3, PAL_VADEMECUM_PGD, 12, 1);
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    pal_vademecum_destroy(book);
    small_book_clear(&small);
    return 0;
}

static PalVec3 grid_point(int32_t x, int32_t y, int32_t z)
{
    const double *g = book->grid;
    return pal_vec3(g[0] + x * g[3], g[1] + y * g[4], g[2] + z * g[5]);
}

// The distance of a point from the surface under a stored load, or at rest.
static double true_distance(int32_t site, PalVec3 point)
{
    PalVec3 nodes[64];
    assert_true(book->size.surface_count <= 64);
    for (int32_t n = 0; n < book->size.surface_count; ++n)
        nodes[n] = pal_vademecum_node(book, n);
    if (site != PAL_NONE)
        pal_distances_shape(book, site, 0, nodes);
    PalNearest nearest = {.vertices = nodes,
                          .facets = (const int32_t(*)[3])book->triangles,
                          .vertex_count = book->size.surface_count,
                          .facet_count = book->size.triangle_count};
    PalError error = {0};
    check_ok(pal_nearest_init(&nearest, &error), &error);
    double distance = pal_nearest_find(&nearest, point, PAL_NONE).distance;
    pal_nearest_clear(&nearest);
    return distance;
}

static void grid_points_have_the_distance_of_the_deformed_shape(void **state)
{
    (void)state;
    PalError error = {0};
    PalDistances field;
    const int32_t *counts = book->size.grid_counts;
    check_ok(pal_distances_init(&field, book, &error), &error);
    double allowed = book->facts.field_error + 1e-5, farthest = 0;
    assert_true(book->facts.field_error <= 0.01 * book->grid[3]);
    for (int32_t site = 0; site < book->size.site_count; site += 3) {
        pal_distances_start(&field);
        pal_distances_load(&field, site, 0, 1);
        for (int32_t i = 0; i < 60; ++i) {
            PalVec3 at = grid_point(i * 7 % counts[0], i * 5 % counts[1], i * 11 % counts[2]);
            PalDistancesAt found = pal_distances_at(&field, at);
            assert_true(found.known);
            check_near(found.distance, true_distance(site, at), allowed);
            farthest = fmax(farthest, fabs(found.distance - true_distance(PAL_NONE, at)));
        }
    }
    assert_true(farthest > 20 * allowed);  // loads move the surface
    pal_distances_clear(&field);
}

static void between_grid_points_it_is_trilinear(void **state)
{
    (void)state;
    PalError error = {0};
    PalDistances field;
    check_ok(pal_distances_init(&field, book, &error), &error);
    pal_distances_start(&field);
    pal_distances_load(&field, 1, 0, 0.7F);
    // across the border of two blocks
    PalVec3 at = grid_point(7, 2, 3);
    double sum = 0, part[3] = {0.25, 0.5, 0.125};
    for (int c = 0; c < 8; ++c) {
        double weight = (c & 1 ? part[0] : 1 - part[0]) * (c & 2 ? part[1] : 1 - part[1]) *
                        (c & 4 ? part[2] : 1 - part[2]);
        sum += weight *
               pal_distances_at(&field, grid_point(7 + (c & 1), 2 + (c >> 1 & 1), 3 + (c >> 2)))
                   .distance;
    }
    at = pal_vec3_add(at, pal_vec3_scale(book->grid[3], pal_vec3(part[0], part[1], part[2])));
    check_near(pal_distances_at(&field, at).distance, sum, 1e-6);
    pal_distances_clear(&field);
}

// The site farthest from the clamp, of those from `first` on.
static int32_t far_site(int32_t first)
{
    int32_t best = first;
    for (int32_t s = first; s < book->size.site_count; ++s)
        if (book->nodes[3 * book->site[s]] > book->nodes[3 * book->site[best]])
            best = s;
    return best;
}

static void loads_are_superposed(void **state)
{
    (void)state;
    PalError error = {0};
    PalDistances field;
    check_ok(pal_distances_init(&field, book, &error), &error);
    const int32_t *counts = book->size.grid_counts;
    PalVec3 at = grid_point(3 * counts[0] / 4, counts[1] / 2, counts[2] / 2);
    int32_t first = far_site(0), last = far_site(first + 1);
    pal_distances_start(&field);
    double rest = pal_distances_at(&field, at).distance;
    check_near(rest, true_distance(PAL_NONE, at), 1e-5);
    pal_distances_load(&field, last, 0, 1);
    pal_distances_start(&field);
    pal_distances_load(&field, last, 0, 1);
    double one = pal_distances_at(&field, at).distance - rest;
    pal_distances_start(&field);
    pal_distances_load(&field, first, 0, 1);
    double other = pal_distances_at(&field, at).distance - rest;
    pal_distances_start(&field);
    pal_distances_load(&field, last, 0, 0.25F);
    pal_distances_load(&field, first, 0, 0.5F);
    pal_distances_load(&field, last, 0, 0.25F);
    check_near(pal_distances_at(&field, at).distance, rest + 0.5 * one + 0.5 * other, 1e-5);
    assert_true(fabs(one) + fabs(other) > 1e-2);
    pal_distances_start(&field);
    check_near(pal_distances_at(&field, at).distance, rest, 0);
    assert_false(pal_distances_at(&field, pal_vec3(1e3, 0, 0)).known);
    pal_distances_clear(&field);
}

// The first step, at rest still: every point inside receives k_c times its depth along the inward
// normal of the tool, and nothing else does.
static void forces_are_as_printed(void **state)
{
    (void)state;
    PalError error = {0};
    const PalVec3 nodes[4] = {{0, 0, -1}, {1, 0, 1}, {-1, 1, 1}, {-1, -1, 1}};
    const int32_t facets[4][3] = {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}};
    PalHapticRigid rigid = {4, 4, nodes, facets};
    PalHapticDef def = pal_haptic_def_default();
    PalHaptic *haptic = NULL;
    def.books[0] = book;
    def.rigids[1] = &rigid;
    def.answer = PAL_HAPTIC_PRINTED;
    def.penalty = 3;
    check_ok(pal_haptic_create(&def, &haptic, &error), &error);
    // its point is inside by a fifth of the beam's width, from above
    PalHapticPose pose = {{0.8, 0.1, 1.3}, {1, 0, 0, 0}};
    pal_haptic_set_pose(haptic, 1, &pose);
    pal_haptic_step(haptic, 0);
    PalHapticForce force = pal_haptic_force(haptic);
    PalDistances field;
    check_ok(pal_distances_init(&field, book, &error), &error);
    pal_distances_start(&field);
    double d = pal_distances_at(&field, pal_vec3(0.8, 0.1, 0.3)).distance;
    assert_int_equal(force.contacts, 1);
    assert_true(d < -0.1);
    check_near(pal_vec3_length(force.contact_force), -3 * d, 1e-6);
    check_near(force.contact_force.z, -3 * d, 0.1 * -3 * d);
    // pushed back, the beam bends down and the point is less deep
    pal_haptic_step(haptic, 0);
    assert_true(pal_haptic_force(haptic).contact_force.z < 0.999 * force.contact_force.z);
    assert_true(pal_haptic_displacement(haptic, 0, 0).z <= 0);
    pal_distances_clear(&field);
    pal_haptic_destroy(haptic);
}

// More force than the widest contact that was learnt bears, 6.25 times the largest load, is told.
static void forces_beyond_are_told(void **state)
{
    (void)state;
    PalError error = {0};
    const PalVec3 nodes[4] = {{0, 0, -1}, {1, 0, 1}, {-1, 1, 1}, {-1, -1, 1}};
    const int32_t facets[4][3] = {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}};
    PalHapticRigid rigid = {4, 4, nodes, facets};
    for (int i = 0; i < 2; ++i) {
        PalHapticDef def = pal_haptic_def_default();
        PalHaptic *haptic = NULL;
        def.books[0] = book;
        def.rigids[1] = &rigid;
        def.answer = PAL_HAPTIC_PRINTED;
        def.penalty = i == 0 ? 100 : 1000;
        check_ok(pal_haptic_create(&def, &haptic, &error), &error);
        PalHapticPose pose = {{0.8, 0.1, 1.3}, {1, 0, 0, 0}};
        pal_haptic_set_pose(haptic, 1, &pose);
        PalHapticQuality quality = pal_haptic_step(haptic, 0);
        double force = pal_vec3_length(pal_haptic_force(haptic).contact_force);
        assert_true(i == 0 ? force < 6.25 * book->facts.largest
                           : force > 6.25 * book->facts.largest);
        assert_int_equal(quality, i == 0 ? PAL_HAPTIC_FULL : PAL_HAPTIC_BEYOND);
        pal_haptic_destroy(haptic);
    }
}

// Three points are inside, and there is room for one: that is told.
static void points_without_room_are_told(void **state)
{
    (void)state;
    PalError error = {0};
    const PalVec3 nodes[4] = {{0, 0, 1}, {0.2, 0, -1}, {-0.1, 0.2, -1}, {-0.1, -0.2, -1}};
    const int32_t facets[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
    PalHapticRigid rigid = {4, 4, nodes, facets};
    for (int32_t room = 1; room <= 3; room += 2) {
        PalHapticDef def = pal_haptic_def_default();
        PalHaptic *haptic = NULL;
        def.books[0] = book;
        def.rigids[1] = &rigid;
        def.answer = PAL_HAPTIC_PRINTED;
        def.contact_max = room;
        def.penalty = 1e-3;
        check_ok(pal_haptic_create(&def, &haptic, &error), &error);
        PalHapticPose pose = {{0.8, 0.1, 1.3}, {1, 0, 0, 0}};
        pal_haptic_set_pose(haptic, 1, &pose);
        PalHapticQuality quality = pal_haptic_step(haptic, 0);
        assert_int_equal(pal_haptic_force(haptic).contacts, room);
        assert_int_equal(quality, room < 3 ? PAL_HAPTIC_COARSE : PAL_HAPTIC_FULL);
        pal_haptic_destroy(haptic);
    }
}

// Both kinds of files bring the same numbers back.
static void files_keep_distances(void **state)
{
    (void)state;
    for (int web = 0; web < 2; ++web) {
        PalError error = {0};
        PalVademecum *again = NULL;
        char path[] = "/tmp/palpate-distances-XXXXXX";
        int descriptor = mkstemp(path);
        assert_true(descriptor >= 0);
        close(descriptor);
        check_ok(web ? pal_vademecum_write_web(path, book, &error)
                     : pal_vademecum_write(path, book, &error),
                 &error);
        check_ok(pal_vademecum_read(path, &again, &error), &error);
        unlink(path);
        PalVademecumArray from[PAL_VADEMECUM_ARRAY_MAX], to[PAL_VADEMECUM_ARRAY_MAX];
        int32_t count = pal_vademecum_arrays(book, from), same = 0;
        pal_vademecum_arrays(again, to);
        for (int32_t i = 0; i < count; ++i) {
            if (strncmp(from[i].name, "field_", 6) != 0 && strcmp(from[i].name, "grid") != 0 &&
                strcmp(from[i].name, "distance") != 0)
                continue;
            size_t size = from[i].kind == PAL_VADEMECUM_DOUBLE ? 8 : 4;
            assert_true(from[i].count > 0 && to[i].count == from[i].count);
            assert_memory_equal(to[i].data, from[i].data, (size_t)from[i].count * size);
            ++same;
        }
        assert_int_equal(same, 5);
        check_near(again->facts.residual, book->facts.residual, 0);
        check_near(again->facts.field_error, book->facts.field_error, 0);
        pal_vademecum_destroy(again);
    }
}

// A grid has points along all axes, or there is none.
static void parts_of_a_grid_are_refused(void **state)
{
    (void)state;
    const int32_t counts[5][3] = {{5, 0, 0}, {0, 5, 5}, {5, 5, 1}, {1, 1, 1}, {0, 0, 0}};
    for (int i = 0; i < 5; ++i) {
        PalVademecumSize size = book->size;
        PalVademecum *made = NULL;
        size.field_rank = 0;
        memcpy(size.grid_counts, counts[i], sizeof size.grid_counts);
        PalStatus status = pal_vademecum_create(&size, &book->facts, &made, NULL);
        assert_int_equal(status, i < 4 ? PAL_BAD_INPUT : PAL_OK);
        pal_vademecum_destroy(made);
    }
}

// Superposed loads make distances steeper than 1, and the bound of their change with them.
static void changes_of_superposed_distances_are_bounded(void **state)
{
    (void)state;
    PalError error = {0};
    PalDistances field;
    const int32_t *counts = book->size.grid_counts;
    double steepest = 0, cell = book->grid[3];
    check_ok(pal_distances_init(&field, book, &error), &error);
    pal_distances_start(&field);
    pal_distances_load(&field, far_site(0), 0, 3);
    pal_distances_load(&field, far_site(far_site(0) + 1), 0, 3);
    for (int32_t z = 0; z + 4 < counts[2]; ++z)
        for (int32_t x = 0; x < counts[0]; ++x) {
            PalVec3 low = grid_point(x, counts[1] / 2, z),
                    high = grid_point(x, counts[1] / 2, z + 4);
            double change = fabs(pal_distances_at(&field, high).distance -
                                 pal_distances_at(&field, low).distance);
            assert_true(change <= pal_distances_most_change(&field, 4 * cell));
            steepest = fmax(steepest, change / (4 * cell));
        }
    assert_true(steepest > 2);  // a bound of the way and a cell would not hold
    pal_distances_start(&field);
    assert_true(pal_distances_most_change(&field, 1) < 1 + 2 * cell);
    pal_distances_clear(&field);
}

// A body that is very long has fewer points across; one without a size has no grid.
static void grids_have_bounds(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        SmallBook other;
        PalError error = {0};
        PalVademecum *made = small_book_build(&other, 2, PAL_VADEMECUM_AUTO, 6, 1);
        double *x = made->nodes;
        x[0] = i == 0 ? -1e15 : NAN;
        made->facts.patch = i == 0 ? 1 : INFINITY;
        PalStatus status = pal_vademecum_add_distances(&made, 500, 1, &error);
        assert_int_equal(status, i == 0 ? PAL_OK : PAL_SIM_FAILED);
        if (i == 0)
            for (int k = 0; k < 3; ++k)
                assert_in_range(made->size.grid_counts[k], 2, 500);
        else
            assert_non_null(strstr(error.text, "no size"));
        pal_vademecum_destroy(made);
        small_book_clear(&other);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(changes_of_superposed_distances_are_bounded),
    cmocka_unit_test(grids_have_bounds),
    cmocka_unit_test(forces_beyond_are_told),
    cmocka_unit_test(points_without_room_are_told),
    cmocka_unit_test(parts_of_a_grid_are_refused),
    cmocka_unit_test(files_keep_distances),
    cmocka_unit_test(grid_points_have_the_distance_of_the_deformed_shape),
    cmocka_unit_test(between_grid_points_it_is_trilinear),
    cmocka_unit_test(loads_are_superposed),
    cmocka_unit_test(forces_are_as_printed),
};

CHECK_GROUP(tests, prepare, clean_up)
