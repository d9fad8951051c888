#include "samples.h"

static double pi(void)
{
    return acos(-1);
}

static PalMesh *make_sphere(PalCellKind kind, int32_t across)
{
    return make_shape(PAL_SHAPE_SPHERE, pal_vec3(2, 0, 0), kind, across, 0, 0);
}

static void check_surface(const PalMesh *mesh, PalVec3 extent)
{
    PalSurface *surface = make_boundary(mesh);
    assert_int_equal(check_closed(surface), 2);
    assert_true(enclosed_volume(mesh, surface) > 0);
    for (int32_t i = 0; i < surface->node_count; ++i) {
        PalVec3 p = mesh->nodes[surface->nodes[i]];
        PalVec3 unit = {p.x / extent.x, p.y / extent.y, p.z / extent.z};
        check_near(pal_vec3_length(unit), 1, 4e-16);
    }
    assert_int_equal(mesh->group_count, 1);
    const PalGroup *group = pal_mesh_find_group(mesh, "surface");
    assert_non_null(group);
    assert_int_equal(group->face_count, surface->facet_count);
    assert_int_equal(group->node_count, surface->node_count);
    assert_memory_equal(group->nodes, surface->nodes,
                        (size_t)surface->node_count * sizeof *surface->nodes);
    PalWhere where = {.kind = PAL_WHERE_GROUP, .group = "surface"};
    int32_t *facets = NULL, count = 0;
    PalError error = {0};
    check_ok(pal_mesh_select_facets(mesh, surface, &where, &facets, &count, &error), &error);
    assert_int_equal(count, surface->facet_count);
    free(facets);
    pal_surface_destroy(surface);
}

static void spheres_are_sound_and_round(void **state)
{
    (void)state;
    for (int32_t n = 2; n <= 15; ++n)
        for (int kind = PAL_CELL_TRIANGLE; kind <= PAL_CELL_HEXAHEDRON; ++kind) {
            PalMesh *mesh = make_sphere((PalCellKind)kind, n);
            PalError error = {0};
            check_ok(pal_mesh_validate(mesh, &error), &error);
            check_surface(mesh, pal_vec3(2, 2, 2));
            PalMeshQuality quality = pal_mesh_quality(mesh);
            assert_true(quality.worst >= 0.4);
            assert_true(quality.mean >= 0.6);
            assert_true(n < 5 || quality.mean >= 0.77);
            pal_mesh_destroy(mesh);
        }
}

static void quality_does_not_fade_when_refined(void **state)
{
    (void)state;
    PalMesh *mesh = make_sphere(PAL_CELL_TETRAHEDRON, 40);
    PalMeshQuality quality = pal_mesh_quality(mesh);
    assert_true(quality.worst > 0.5 && quality.mean > 0.8);
    pal_mesh_destroy(mesh);
    mesh = make_sphere(PAL_CELL_HEXAHEDRON, 40);
    quality = pal_mesh_quality(mesh);
    assert_true(quality.worst > 0.6 && quality.mean > 0.9);
    pal_mesh_destroy(mesh);
}

// Halving the cells divides the error of volume and area by four.
static void volume_and_area_converge(void **state)
{
    (void)state;
    const double exact[] = {16 * pi(), 32 * pi() / 3, 32 * pi() / 3};
    for (int kind = PAL_CELL_TRIANGLE; kind <= PAL_CELL_HEXAHEDRON; ++kind) {
        double error[2];
        for (int i = 0; i < 2; ++i) {
            PalMesh *mesh = make_sphere((PalCellKind)kind, i == 0 ? 12 : 24);
            error[i] = 1 - pal_mesh_quality(mesh).volume / exact[kind];
            pal_mesh_destroy(mesh);
        }
        assert_true(error[0] > 0 && error[0] < 0.02);
        check_near(error[0] / error[1], 4, 0.3);
    }
}

// The mirror image of each node is a node.
static void spheres_are_symmetric(void **state)
{
    (void)state;
    PalMesh *mesh = make_sphere(PAL_CELL_TETRAHEDRON, 8);
    for (int32_t n = 0; n < mesh->node_count; ++n)
        for (int axis = 0; axis < 3; ++axis) {
            PalVec3 p = mesh->nodes[n];
            PalVec3 mirrored = {axis == 0 ? -p.x : p.x, axis == 1 ? -p.y : p.y,
                                axis == 2 ? -p.z : p.z};
            PalVec3 swapped = {p.y, p.z, p.x};
            PalWhere where = {.kind = PAL_WHERE_SPHERE, .point = mirrored, .radius = 0};
            int32_t *list = NULL, count = 0;
            PalError error = {0};
            check_ok(pal_mesh_select_nodes(mesh, &where, &list, &count, &error), &error);
            assert_int_equal(count, 1);
            free(list);
            where.point = swapped;
            where.radius = 1e-15;
            check_ok(pal_mesh_select_nodes(mesh, &where, &list, &count, &error), &error);
            assert_int_equal(count, 1);
            free(list);
        }
    pal_mesh_destroy(mesh);
}

static void surface_alone_is_that_of_the_solid(void **state)
{
    (void)state;
    PalMesh *solid = make_sphere(PAL_CELL_TETRAHEDRON, 7);
    PalMesh *shell = make_sphere(PAL_CELL_TRIANGLE, 7);
    PalSurface *around = make_boundary(solid), *alone = make_boundary(shell);
    assert_int_equal(around->facet_count, alone->facet_count);
    assert_int_equal(around->node_count, alone->node_count);
    check_near(enclosed_volume(solid, around), enclosed_volume(shell, alone), 1e-13);
    pal_surface_destroy(around);
    pal_surface_destroy(alone);
    pal_mesh_destroy(solid);
    pal_mesh_destroy(shell);
}

static void ellipsoids_have_more_cells_along_longer_axes(void **state)
{
    (void)state;
    PalMesh *mesh =
        make_shape(PAL_SHAPE_ELLIPSOID, pal_vec3(1, 3, 2), PAL_CELL_HEXAHEDRON, 24, 0, 0);
    PalMeshQuality quality = pal_mesh_quality(mesh);
    // 8, 24 and 16 across, less two layers: the block in the middle, and one layer around it
    assert_int_equal(mesh->cell_count, 6 * 22 * 14 + 2 * (6 * 22 + 22 * 14 + 14 * 6));
    check_near(quality.volume, 8 * pi(), 0.02 * 8 * pi());
    check_surface(mesh, pal_vec3(1, 3, 2));
    pal_mesh_destroy(mesh);
}

static void stretched_ones_are_well_shaped(void **state)
{
    (void)state;
    const PalVec3 extents[] = {{2, 1, 1}, {3, 1, 1}, {1, 2, 2},
                               {3, 1, 3}, {1, 2, 3}, {1, 1.1, 1.3}};
    const int32_t across[] = {2, 3, 5, 8, 12, 18};
    for (size_t i = 0; i < sizeof extents / sizeof *extents; ++i)
        for (size_t j = 0; j < sizeof across / sizeof *across; ++j)
            for (int kind = PAL_CELL_TRIANGLE; kind <= PAL_CELL_HEXAHEDRON; ++kind) {
                PalMesh *mesh =
                    make_shape(PAL_SHAPE_ELLIPSOID, extents[i], (PalCellKind)kind, across[j], 0, 0);
                PalError error = {0};
                check_ok(pal_mesh_validate(mesh, &error), &error);
                assert_true(pal_mesh_quality(mesh).worst >= 0.3);
                check_surface(mesh, extents[i]);
                pal_mesh_destroy(mesh);
            }
}

static void size_and_nonsense(void **state)
{
    (void)state;
    PalShapeDef def = {.kind = PAL_SHAPE_SPHERE,
                       .extent = {2, NAN, -1},
                       .cell_kind = PAL_CELL_HEXAHEDRON,
                       .size = 0.5};
    PalError error = {0};
    PalMesh *mesh = NULL;
    check_ok(pal_mesh_create_shape(&def, &mesh, &error), &error);
    assert_int_equal(mesh->cell_count, 6 * 6 * 6 + 6 * 6 * 6);
    pal_mesh_destroy(mesh);
    def.size = 100;
    check_ok(pal_mesh_create_shape(&def, &mesh, &error), &error);
    assert_int_equal(mesh->cell_count, 8);
    pal_mesh_destroy(mesh);

    const int32_t wrong[] = {1, -1, 1000, INT32_MAX};
    const char *const words[] = {"at least 2", "at least 2", "at most 200000000",
                                 "at most 200000000"};
    for (int i = 0; i < 4; ++i) {
        def.cells[0] = wrong[i];
        error = (PalError){0};
        assert_int_equal(pal_mesh_create_shape(&def, &mesh, &error), PAL_BAD_INPUT);
        if (strstr(error.text, words[i]) == NULL)
            fail_msg("'%s' does not say '%s'", error.text, words[i]);
    }
    def.kind = PAL_SHAPE_ELLIPSOID;
    error = (PalError){0};
    assert_int_equal(pal_mesh_create_shape(&def, &mesh, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "extent 2 of the ellipsoid"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(spheres_are_sound_and_round),
    cmocka_unit_test(quality_does_not_fade_when_refined),
    cmocka_unit_test(volume_and_area_converge),
    cmocka_unit_test(spheres_are_symmetric),
    cmocka_unit_test(surface_alone_is_that_of_the_solid),
    cmocka_unit_test(ellipsoids_have_more_cells_along_longer_axes),
    cmocka_unit_test(stretched_ones_are_well_shaped),
    cmocka_unit_test(size_and_nonsense),
};
CHECK_GROUP(tests, NULL, NULL)
