#include "samples.h"

static double pi(void)
{
    return acos(-1);
}

static PalMesh *make_cylinder(PalCellKind kind, double length, int32_t across, int32_t along)
{
    return make_shape(PAL_SHAPE_CYLINDER, pal_vec3(0.5, length, 0), kind, across, along, 0);
}

// Sides share the two rims and nothing else, and together are the surface.
static void check_sides(const PalMesh *mesh, double length)
{
    PalSurface *surface = make_boundary(mesh);
    assert_int_equal(check_closed(surface), 2);
    assert_true(enclosed_volume(mesh, surface) > 0);
    const PalGroup *low = pal_mesh_find_group(mesh, "z-min"),
                   *high = pal_mesh_find_group(mesh, "z-max"),
                   *side = pal_mesh_find_group(mesh, "side");
    assert_int_equal(mesh->group_count, 3);
    assert_int_equal(low->face_count, high->face_count);
    assert_int_equal(low->face_count + high->face_count + side->face_count, surface->facet_count);
    int32_t rim = 0;
    for (int32_t i = 0; i < low->node_count; ++i) {
        assert_true(mesh->nodes[low->nodes[i]].z == -length / 2);
        assert_true(mesh->nodes[high->nodes[i]].z == length / 2);
        PalVec3 p = mesh->nodes[low->nodes[i]];
        rim += hypot(p.x, p.y) > 0.4999999;
    }
    for (int32_t i = 0; i < side->node_count; ++i) {
        PalVec3 p = mesh->nodes[side->nodes[i]];
        check_near(hypot(p.x, p.y), 0.5, 2e-16);
    }
    assert_int_equal(surface->node_count,
                     low->node_count + high->node_count + side->node_count - 2 * rim);
    pal_surface_destroy(surface);
}

static void cylinders_are_sound(void **state)
{
    (void)state;
    for (int32_t across = 2; across <= 12; ++across)
        for (int32_t along = 1; along <= 4; ++along)
            for (int kind = PAL_CELL_TRIANGLE; kind <= PAL_CELL_HEXAHEDRON; ++kind) {
                double length = (double)along / across;
                PalMesh *mesh = make_cylinder((PalCellKind)kind, length, across, along);
                PalError error = {0};
                check_ok(pal_mesh_validate(mesh, &error), &error);
                check_sides(mesh, length);
                PalMeshQuality quality = pal_mesh_quality(mesh);
                // Of nine quadrilaterals, those at the corners have an angle of 150 degrees
                bool blunt = across == 3 && kind == PAL_CELL_TRIANGLE;
                assert_true(quality.worst >= (blunt ? 0.29 : 0.4));
                assert_true(quality.mean >= 0.7);
                pal_mesh_destroy(mesh);
            }
}

static void long_and_short_ones_by_size(void **state)
{
    (void)state;
    const double lengths[] = {0.2, 1, 5, 20}, sizes[] = {0.5, 0.3, 0.15, 0.1};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            for (int kind = PAL_CELL_TRIANGLE; kind <= PAL_CELL_HEXAHEDRON; ++kind) {
                PalShapeDef def = {.kind = PAL_SHAPE_CYLINDER,
                                   .extent = {0.5, lengths[i], NAN},
                                   .cell_kind = (PalCellKind)kind,
                                   .size = sizes[j]};
                PalMesh *mesh = NULL;
                PalError error = {0};
                check_ok(pal_mesh_create_shape(&def, &mesh, &error), &error);
                PalMeshQuality quality = pal_mesh_quality(mesh);
                assert_true(quality.worst >= 0.3);
                pal_mesh_destroy(mesh);
            }
}

static void volume_and_area_converge(void **state)
{
    (void)state;
    const double exact[] = {pi() * (0.5 + 2), pi() / 2, pi() / 2};
    for (int kind = PAL_CELL_TRIANGLE; kind <= PAL_CELL_HEXAHEDRON; ++kind) {
        double error[2];
        for (int i = 0; i < 2; ++i) {
            int32_t n = i == 0 ? 12 : 24;
            PalMesh *mesh = make_cylinder((PalCellKind)kind, 2, n, 2 * n);
            error[i] = 1 - pal_mesh_quality(mesh).volume / exact[kind];
            pal_mesh_destroy(mesh);
        }
        assert_true(error[0] > 0 && error[0] < 0.01);
        check_near(error[0] / error[1], 4, 0.1);
    }
}

// A regular polygon of 4 m corners: m cells along the square in the middle.
static void volume_is_that_of_a_prism(void **state)
{
    (void)state;
    PalMesh *mesh = make_cylinder(PAL_CELL_HEXAHEDRON, 3, 6, 2);
    check_near(pal_mesh_quality(mesh).volume, 3 * 8 * 0.25 * sin(pi() / 8), 1e-14);
    assert_int_equal(mesh->cell_count, 2 * (16 + 16));
    pal_mesh_destroy(mesh);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    const PalShapeDef wrong[] = {
        {.kind = PAL_SHAPE_CYLINDER, .extent = {1, 0, 0}},
        {.kind = PAL_SHAPE_CYLINDER, .extent = {-1, 1, 0}},
        {.kind = PAL_SHAPE_CYLINDER, .extent = {1, 1, 0}, .cells = {1, 4, 0}},
        {.kind = PAL_SHAPE_CYLINDER, .extent = {1, 1, 0}, .cells = {4, 0, 0}},
        {.kind = PAL_SHAPE_CYLINDER, .extent = {1, 1, 0}, .cells = {INT32_MAX, INT32_MAX, 0}},
        {.kind = PAL_SHAPE_CYLINDER, .extent = {1, 1, 0}, .cells = {200000000, 200000000, 0}},
    };
    const char *const words[] = {
        "extent 2", "extent 1", "cells 1 of the cylinder is 1", "cells 2 of the cylinder is 0",
        "at most",  "at most"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        for (int kind = PAL_CELL_TRIANGLE; kind <= PAL_CELL_HEXAHEDRON; ++kind) {
            PalShapeDef def = wrong[i];
            PalMesh *mesh = NULL;
            PalError error = {0};
            def.cell_kind = (PalCellKind)kind;
            assert_int_equal(pal_mesh_create_shape(&def, &mesh, &error), PAL_BAD_INPUT);
            if (strstr(error.text, words[i]) == NULL)
                fail_msg("'%s' does not say '%s'", error.text, words[i]);
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(cylinders_are_sound),      cmocka_unit_test(long_and_short_ones_by_size),
    cmocka_unit_test(volume_and_area_converge), cmocka_unit_test(volume_is_that_of_a_prism),
    cmocka_unit_test(nonsense_is_refused),
};
CHECK_GROUP(tests, NULL, NULL)
