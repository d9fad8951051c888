#include "samples.h"

static void nodes_list_their_cells(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_TETRAHEDRON, 3, 2, 2);
    PalLists lists = {0};
    PalError error = {0};
    check_ok(pal_mesh_node_cells(mesh, &lists, &error), &error);
    assert_int_equal(lists.count, mesh->node_count);
    assert_int_equal(lists.start[0], 0);
    assert_int_equal(lists.start[lists.count], 4 * mesh->cell_count);
    for (int32_t n = 0; n < lists.count; ++n)
        for (int32_t i = lists.start[n]; i < lists.start[n + 1]; ++i) {
            const int32_t *nodes = mesh->cells + 4 * lists.items[i];
            assert_true(nodes[0] == n || nodes[1] == n || nodes[2] == n || nodes[3] == n);
            assert_true(i == lists.start[n] || lists.items[i - 1] < lists.items[i]);
        }
    pal_lists_clear(&lists);
    assert_null(lists.items);
    pal_mesh_destroy(mesh);
}

static void a_cell_is_listed_once(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_HEXAHEDRON, 1, 1, 1);
    PalLists lists = {0};
    PalError error = {0};
    mesh->cells[7] = mesh->cells[4];
    check_ok(pal_mesh_node_cells(mesh, &lists, &error), &error);
    assert_int_equal(lists.start[8], 7);
    for (int32_t n = 0; n < 8; ++n)
        assert_int_equal(lists.start[n + 1] - lists.start[n], n == 6 ? 0 : 1);
    pal_lists_clear(&lists);
    pal_mesh_destroy(mesh);
}

// Cells 0, 2 and 4 of a row of five touch nowhere.
static void parts_share_no_node(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_HEXAHEDRON, 5, 1, 1);
    PalError error = {0};
    int32_t part[5] = {9, 9, 9, 9, 9}, count = 0;
    check_ok(pal_mesh_parts(mesh, part, &count, &error), &error);
    assert_int_equal(count, 1);
    for (int32_t c = 0; c < 5; ++c)
        assert_int_equal(part[c], 0);
    memmove(mesh->cells + 8, mesh->cells + 16, 8 * sizeof(int32_t));
    memmove(mesh->cells + 16, mesh->cells + 32, 8 * sizeof(int32_t));
    mesh->cell_count = 3;
    check_ok(pal_mesh_parts(mesh, part, &count, &error), &error);
    assert_int_equal(count, 3);
    for (int32_t c = 0; c < 3; ++c)
        assert_int_equal(part[c], c);
    pal_mesh_destroy(mesh);
}

static void long_chains_are_one_part(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_HEXAHEDRON, 1, 1, 20000);
    PalError error = {0};
    int32_t count = 0, *part = malloc((size_t)mesh->cell_count * sizeof *part);
    // From the far end
    for (int32_t i = 0; i < 4 * mesh->cell_count; ++i) {
        int32_t kept = mesh->cells[i], *other = &mesh->cells[8 * mesh->cell_count - 1 - i];
        mesh->cells[i] = *other;
        *other = kept;
    }
    check_ok(pal_mesh_parts(mesh, part, &count, &error), &error);
    assert_int_equal(count, 1);
    free(part);
    pal_mesh_destroy(mesh);
}

static void unused_nodes_go(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_HEXAHEDRON, 1, 1, 3);
    PalError error = {0};
    int32_t removed = 7;
    check_ok(pal_mesh_drop_unused_nodes(mesh, &removed, &error), &error);
    assert_int_equal(removed, 0);

    // Keep the last cell: nodes 8 to 15 become 0 to 7
    PalVec3 kept[8];
    memcpy(kept, mesh->nodes + 8, sizeof kept);
    memcpy(mesh->cells, mesh->cells + 16, 8 * sizeof *mesh->cells);
    mesh->cell_count = 1;
    check_ok(pal_mesh_drop_unused_nodes(mesh, &removed, &error), &error);
    assert_int_equal(removed, 8);
    assert_int_equal(mesh->node_count, 8);
    assert_memory_equal(mesh->nodes, kept, sizeof kept);
    check_near(pal_cell_volume(mesh, 0), 2, 1e-14);
    const PalGroup *high = pal_mesh_find_group(mesh, "z-max"),
                   *low = pal_mesh_find_group(mesh, "z-min"),
                   *side = pal_mesh_find_group(mesh, "x-min");
    assert_int_equal(low->node_count, 0);
    assert_int_equal(low->face_count, 0);
    assert_int_equal(high->node_count, 4);
    for (int32_t i = 0; i < 4; ++i)
        assert_int_equal(high->nodes[i], 4 + i);
    assert_int_equal(high->face_count, 1);
    assert_true(mesh->nodes[high->faces[0][0]].z == 1.5);
    assert_int_equal(side->node_count, 4);
    assert_int_equal(side->face_count, 1);
    pal_mesh_destroy(mesh);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nodes_list_their_cells), cmocka_unit_test(a_cell_is_listed_once),
    cmocka_unit_test(parts_share_no_node),    cmocka_unit_test(long_chains_are_one_part),
    cmocka_unit_test(unused_nodes_go),
};
CHECK_GROUP(tests, NULL, NULL)
