#include "samples.h"

#include <float.h>

static void box_has_the_cells_asked_for(void **state)
{
    (void)state;
    const int32_t counts[][3] = {{1, 1, 1}, {2, 1, 1}, {2, 3, 4}, {5, 4, 3}, {1, 7, 2}};
    for (size_t t = 0; t < sizeof counts / sizeof *counts; ++t) {
        int32_t x = counts[t][0], y = counts[t][1], z = counts[t][2];
        int32_t quads = 2 * (x * y + y * z + z * x);
        for (int kind = PAL_CELL_TRIANGLE; kind <= PAL_CELL_HEXAHEDRON; ++kind) {
            PalMesh *mesh = make_box((PalCellKind)kind, x, y, z);
            PalSurface *surface = make_boundary(mesh);
            PalError error = {0};
            bool hollow = kind == PAL_CELL_TRIANGLE;
            assert_int_equal(mesh->node_count, hollow ? quads + 2 : (x + 1) * (y + 1) * (z + 1));
            assert_int_equal(mesh->cell_count, hollow                         ? 2 * quads
                                               : kind == PAL_CELL_TETRAHEDRON ? 5 * x * y * z
                                                                              : x * y * z);
            assert_int_equal(surface->facet_count, kind == PAL_CELL_HEXAHEDRON ? quads : 2 * quads);
            assert_int_equal(surface->node_count, quads + 2);
            assert_int_equal(check_closed(surface), 2);
            check_near(enclosed_volume(mesh, surface), 6, 1e-13);
            PalMeshQuality quality = pal_mesh_quality(mesh);
            check_near(quality.volume, hollow ? 22 : 6, 1e-12);
            assert_true(quality.worst > 0);
            pal_surface_destroy(surface);
            pal_mesh_destroy(mesh);
            assert_int_equal(error.status, PAL_OK);
        }
    }
}

static void box_is_centred(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_TETRAHEDRON, 3, 4, 5);
    PalBounds bounds = pal_mesh_bounds(mesh);
    assert_true(bounds.lower.x == -0.5 && bounds.upper.x == 0.5);
    assert_true(bounds.lower.y == -1 && bounds.upper.y == 1);
    assert_true(bounds.lower.z == -1.5 && bounds.upper.z == 1.5);
    pal_mesh_destroy(mesh);
}

static void cubes_are_cut_into_round_pieces(void **state)
{
    (void)state;
    PalMesh *mesh = make_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), PAL_CELL_TETRAHEDRON, 4, 4, 4);
    PalMeshQuality quality = pal_mesh_quality(mesh);
    double corner = 12 * pow(0.5, 2.0 / 3) / 9;
    check_near(quality.worst, corner, 1e-14);
    check_near(quality.mean, (1 + 4 * corner) / 5, 1e-13);
    pal_mesh_destroy(mesh);
    mesh = make_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), PAL_CELL_HEXAHEDRON, 4, 4, 4);
    check_near(pal_mesh_quality(mesh).worst, 1, 1e-14);
    pal_mesh_destroy(mesh);
}

// With even numbers of cells, the mirror image of a tetrahedron is a tetrahedron of the mesh.
static void even_boxes_are_symmetric(void **state)
{
    (void)state;
    PalMesh *mesh = make_shape(PAL_SHAPE_BOX, pal_vec3(1, 2, 3), PAL_CELL_TETRAHEDRON, 2, 4, 2);
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t c = 0; c < mesh->cell_count; ++c) {
            PalVec3 mirrored[4];
            for (int a = 0; a < 4; ++a) {
                mirrored[a] = mesh->nodes[mesh->cells[4 * c + a]];
                double *component = axis == 0   ? &mirrored[a].x
                                    : axis == 1 ? &mirrored[a].y
                                                : &mirrored[a].z;
                *component = -*component;
            }
            int32_t found = 0;
            for (int32_t d = 0; d < mesh->cell_count; ++d) {
                int32_t shared = 0;
                for (int a = 0; a < 4; ++a)
                    for (int b = 0; b < 4; ++b)
                        shared += pal_vec3_distance(mirrored[a],
                                                    mesh->nodes[mesh->cells[4 * d + b]]) == 0;
                found += shared == 4;
            }
            assert_int_equal(found, 1);
        }
    pal_mesh_destroy(mesh);
}

static void box_names_its_sides(void **state)
{
    (void)state;
    static const char *const names[] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};
    const int32_t count[3] = {2, 3, 4};
    for (int kind = PAL_CELL_TRIANGLE; kind <= PAL_CELL_HEXAHEDRON; ++kind) {
        PalMesh *mesh = make_box((PalCellKind)kind, count[0], count[1], count[2]);
        assert_int_equal(mesh->group_count, 6);
        for (int side = 0; side < 6; ++side) {
            const PalGroup *group = pal_mesh_find_group(mesh, names[side]);
            assert_non_null(group);
            int32_t u = count[(side / 2 + 1) % 3], v = count[(side / 2 + 2) % 3];
            int32_t faces = kind == PAL_CELL_HEXAHEDRON ? u * v : 2 * u * v;
            assert_int_equal(group->node_count, (u + 1) * (v + 1));
            assert_int_equal(group->face_count, faces);
            assert_int_equal(group->cell_count, kind == PAL_CELL_TRIANGLE ? faces : 0);
            double level = (side % 2 == 0 ? -0.5 : 0.5) * (side / 2 + 1);
            for (int32_t i = 0; i < group->node_count; ++i)
                assert_true(pal_vec3_at(mesh->nodes[group->nodes[i]], side / 2) == level);
            for (int32_t i = 0; i < group->face_count; ++i) {
                const int32_t *f = group->faces[i];
                PalVec3 o = mesh->nodes[f[0]];
                PalVec3 normal = pal_vec3_cross(pal_vec3_sub(mesh->nodes[f[1]], o),
                                                pal_vec3_sub(mesh->nodes[f[2]], o));
                assert_true(pal_vec3_at(normal, side / 2) * level > 0);
            }
        }
        pal_mesh_destroy(mesh);
    }
}

static void size_sets_the_counts(void **state)
{
    (void)state;
    PalShapeDef def = pal_shape_def_default();
    PalError error = {0};
    PalMesh *mesh = NULL;
    def.cell_kind = PAL_CELL_HEXAHEDRON;
    def.extent = pal_vec3(1, 0.26, 0.01);
    def.size = 0.1;
    check_ok(pal_mesh_create_shape(&def, &mesh, &error), &error);
    assert_int_equal(mesh->cell_count, 10 * 3 * 1);
    pal_mesh_destroy(mesh);
    def.size = 0;
    def.extent = pal_vec3(1, 2, 6);
    check_ok(pal_mesh_create_shape(&def, &mesh, &error), &error);
    assert_int_equal(mesh->cell_count, 2 * 4 * 12);
    pal_mesh_destroy(mesh);
}

static void check_refused(const PalShapeDef *def, const char *what)
{
    PalMesh *mesh = NULL;
    PalError error = {0};
    assert_int_equal(pal_mesh_create_shape(def, &mesh, &error), PAL_BAD_INPUT);
    assert_null(mesh);
    if (strstr(error.text, what) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, what);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    const double lengths[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
        PalShapeDef def = pal_shape_def_default();
        def.extent.y = lengths[i];
        check_refused(&def, "extent 2 of the box");
        def = pal_shape_def_default();
        def.size = lengths[i];
        if (lengths[i] != 0)
            check_refused(&def, "size");
    }
    PalShapeDef def = pal_shape_def_default();
    def.kind = PAL_SHAPE_SPHERE;
    def.extent.x = DBL_MAX;
    check_refused(&def,
                  "extent 1 of the sphere is 1.79769e+308, expected a length above 0, at most");
    def = pal_shape_def_default();
    def.cells[0] = 3;
    check_refused(&def, "number of cells 2 of the box is 0, expected at least 1");
    def.cells[1] = -3;
    check_refused(&def, "-3");
    def = pal_shape_def_default();
    def.size = 1e-5;
    check_refused(&def, "cells");
    def.size = DBL_MIN;
    check_refused(&def, "at most 200000000");
    def = pal_shape_def_default();
    for (int i = 0; i < 3; ++i)
        def.cells[i] = INT32_MAX;
    check_refused(&def, "at most 200000000");
    for (int i = 0; i < 3; ++i)
        def.cells[i] = 200000000;
    check_refused(&def, "at most 200000000");
    def = pal_shape_def_default();
    def.kind = (PalShapeKind)17;
    check_refused(&def, "unknown shape");
    def = pal_shape_def_default();
    def.cell_kind = (PalCellKind)17;
    check_refused(&def, "kind of cell");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(box_has_the_cells_asked_for),
    cmocka_unit_test(box_is_centred),
    cmocka_unit_test(cubes_are_cut_into_round_pieces),
    cmocka_unit_test(even_boxes_are_symmetric),
    cmocka_unit_test(box_names_its_sides),
    cmocka_unit_test(size_sets_the_counts),
    cmocka_unit_test(nonsense_is_refused),
};
CHECK_GROUP(tests, NULL, NULL)
