#include "samples.h"

static void check_refused(const PalMesh *mesh, const char *what)
{
    PalError error = {0};
    assert_int_equal(pal_mesh_validate(mesh, &error), PAL_BAD_INPUT);
    if (strstr(error.text, what) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, what);
}

static void shapes_are_sound(void **state)
{
    (void)state;
    for (int kind = PAL_CELL_TRIANGLE; kind <= PAL_CELL_HEXAHEDRON; ++kind) {
        PalMesh *mesh = make_box((PalCellKind)kind, 2, 3, 2);
        PalError error = {0};
        check_ok(pal_mesh_validate(mesh, &error), &error);
        // However small or large the units
        pal_mesh_place(mesh, &(PalPlacement){.scale = 1e-9,
                                             .rotation = pal_rotation_about(pal_vec3(1, 0, 0), 1)});
        check_ok(pal_mesh_validate(mesh, &error), &error);
        pal_mesh_destroy(mesh);
    }
}

static void no_volume_is_refused(void **state)
{
    (void)state;
    static const char *const words[] = {"triangle ", "tetrahedron 0, at (", "hexahedron 0, at ("};
    for (int kind = PAL_CELL_TRIANGLE; kind <= PAL_CELL_HEXAHEDRON; ++kind) {
        PalMesh *mesh = make_box((PalCellKind)kind, 1, 1, 1);
        int32_t first = kind == PAL_CELL_TRIANGLE ? 3 : 0;
        const int32_t *nodes = mesh->cells + first * pal_cell_node_count((PalCellKind)kind);
        if (kind == PAL_CELL_TRIANGLE)
            mesh->nodes[nodes[0]] =
                pal_vec3_scale(0.5, pal_vec3_add(mesh->nodes[nodes[1]], mesh->nodes[nodes[2]]));
        else
            for (int32_t n = 0; n < mesh->node_count; ++n)
                mesh->nodes[n].z = 0.1 * mesh->nodes[n].x;
        PalError error = {0};
        assert_int_equal(pal_mesh_validate(mesh, &error), PAL_BAD_INPUT);
        assert_non_null(strstr(error.text, words[kind]));
        assert_non_null(strstr(error.text, kind == PAL_CELL_TRIANGLE ? "no area" : "no volume"));
        pal_mesh_destroy(mesh);
    }
}

static void inverted_cells_are_refused(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_TETRAHEDRON, 1, 1, 1);
    int32_t *nodes = mesh->cells + 4 * 3, kept = nodes[0];
    nodes[0] = nodes[1];
    nodes[1] = kept;
    check_refused(mesh, "tetrahedron 3");
    check_refused(mesh, "inside out");
    pal_mesh_destroy(mesh);
}

static void repeats_are_refused(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_TETRAHEDRON, 2, 1, 1);
    // Cell 4 again as cell 7, turned but not inverted
    const int32_t *from = mesh->cells + 16;
    const int32_t again[4] = {from[1], from[2], from[0], from[3]};
    memcpy(mesh->cells + 28, again, sizeof again);
    check_refused(mesh, "tetrahedron 7 has the same nodes as tetrahedron 4");
    mesh->cells[9] = mesh->cells[8];
    check_refused(mesh, "tetrahedron 2 has node");
    check_refused(mesh, "two corners");
    pal_mesh_destroy(mesh);
}

static void unused_nodes_are_refused(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_HEXAHEDRON, 1, 1, 3);
    mesh->cell_count = 1;
    check_refused(mesh, "8 of 16 nodes belong to no hexahedron, first node 8");
    mesh->cell_count = 0;
    check_refused(mesh, "no cells");
    pal_mesh_destroy(mesh);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(shapes_are_sound),           cmocka_unit_test(no_volume_is_refused),
    cmocka_unit_test(inverted_cells_are_refused), cmocka_unit_test(repeats_are_refused),
    cmocka_unit_test(unused_nodes_are_refused),
};
CHECK_GROUP(tests, NULL, NULL)
