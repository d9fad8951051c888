#include "samples.h"

static const PalVec3 corner_nodes[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int32_t corner_cell[4] = {0, 1, 2, 3};

static PalMeshDef corner_def(void)
{
    return (PalMeshDef){.cell_kind = PAL_CELL_TETRAHEDRON,
                        .node_count = 4,
                        .nodes = corner_nodes,
                        .cell_count = 1,
                        .cells = corner_cell};
}

static void check_refused(const PalMeshDef *def, const char *what)
{
    PalMesh *mesh = NULL;
    PalError error = {0};
    assert_int_equal(pal_mesh_create(def, &mesh, &error), PAL_BAD_INPUT);
    assert_null(mesh);
    if (strstr(error.text, what) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, what);
}

static void create_copies(void **state)
{
    (void)state;
    PalMeshDef def = corner_def();
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    assert_int_equal(mesh->node_count, 4);
    assert_int_equal(mesh->cell_count, 1);
    assert_memory_equal(mesh->nodes, corner_nodes, sizeof corner_nodes);
    assert_memory_equal(mesh->cells, corner_cell, sizeof corner_cell);
    assert_ptr_not_equal(mesh->cells, corner_cell);
    check_near(pal_cell_volume(mesh, 0), 1.0 / 6, 1e-16);
    pal_mesh_destroy(mesh);
    pal_mesh_destroy(NULL);
}

static void create_refuses(void **state)
{
    (void)state;
    PalMeshDef def = corner_def();
    const int32_t high[4] = {0, 1, 2, 4}, low[4] = {0, -1, 2, 3};
    def.cells = high;
    check_refused(&def, "cell 0 names node 4, but the mesh has 4 nodes");
    def.cells = low;
    check_refused(&def, "node -1");

    PalVec3 nodes[4] = {{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}, {0, 0, 1}};
    def = corner_def();
    def.nodes = nodes;
    check_refused(&def, "node 2");
    nodes[2].y = INFINITY;
    check_refused(&def, "not finite");

    def = corner_def();
    def.node_count = -1;
    check_refused(&def, "negative");
    def = corner_def();
    def.cell_count = -1;
    check_refused(&def, "negative");
    def = corner_def();
    def.cell_kind = (PalCellKind)4;
    check_refused(&def, "kind of cell");
}

static void cells_have_names(void **state)
{
    (void)state;
    assert_string_equal(pal_cell_name(PAL_CELL_TRIANGLE), "triangle");
    assert_string_equal(pal_cell_name(PAL_CELL_TETRAHEDRON), "tetrahedron");
    assert_string_equal(pal_cell_name(PAL_CELL_HEXAHEDRON), "hexahedron");
    assert_int_equal(pal_cell_node_count(PAL_CELL_TRIANGLE), 3);
    assert_int_equal(pal_cell_node_count(PAL_CELL_TETRAHEDRON), 4);
    assert_int_equal(pal_cell_node_count(PAL_CELL_HEXAHEDRON), 8);
}

static void check_list(const int32_t *list, int32_t count, const int32_t *expected,
                       int32_t expected_count)
{
    assert_int_equal(count, expected_count);
    for (int32_t i = 0; i < count; ++i)
        assert_int_equal(list[i], expected[i]);
}

// Hexahedra 0 and 1 of a row of three hold nodes 0 1 4 5 8 9 12 13 and 1 2 5 6 9 10 13 14.
static void groups_sort_and_complete(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_HEXAHEDRON, 3, 1, 1);
    PalError error = {0};
    int32_t before = mesh->group_count;
    PalGroup group = {.name = "mine",
                      .node_count = 4,
                      .nodes = (int32_t[]){15, 3, 15, 1},
                      .cell_count = 3,
                      .cells = (int32_t[]){1, 0, 1}};
    check_ok(pal_mesh_add_group(mesh, &group, &error), &error);
    assert_int_equal(mesh->group_count, before + 1);
    const PalGroup *found = pal_mesh_find_group(mesh, "mine");
    assert_non_null(found);
    check_list(found->nodes, found->node_count,
               (int32_t[]){0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15}, 14);
    check_list(found->cells, found->cell_count, (int32_t[]){0, 1}, 2);
    assert_int_equal(found->face_count, 0);
    assert_null(pal_mesh_find_group(mesh, "yours"));
    pal_mesh_destroy(mesh);
}

static void groups_of_one_name_merge(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_HEXAHEDRON, 3, 1, 1);
    PalError error = {0};
    int32_t before = mesh->group_count;
    PalGroup first = {.name = "mine",
                      .node_count = 2,
                      .nodes = (int32_t[]){15, 3},
                      .face_count = 2,
                      .faces = (int32_t[][4]){{8, 9, 13, 12}, {0, 1, 2, PAL_NONE}}};
    PalGroup second = {.name = "mine",
                       .node_count = 2,
                       .nodes = (int32_t[]){7, 3},
                       .cell_count = 1,
                       .cells = (int32_t[]){2},
                       .face_count = 2,
                       .faces = (int32_t[][4]){{2, 1, 0, PAL_NONE}, {12, 8, 9, 13}}};
    check_ok(pal_mesh_add_group(mesh, &first, &error), &error);
    check_ok(pal_mesh_add_group(mesh, &second, &error), &error);
    assert_int_equal(mesh->group_count, before + 1);
    const PalGroup *found = pal_mesh_find_group(mesh, "mine");
    check_list(found->nodes, found->node_count,
               (int32_t[]){0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 14);
    check_list(found->cells, found->cell_count, (int32_t[]){2}, 1);
    assert_int_equal(found->face_count, 2);
    check_list(found->faces[0], 4, (int32_t[]){0, 1, 2, PAL_NONE}, 4);
    check_list(found->faces[1], 4, (int32_t[]){8, 9, 13, 12}, 4);
    pal_mesh_destroy(mesh);
}

static void groups_keep_their_number(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_HEXAHEDRON, 1, 1, 1);
    PalError error = {0};
    int32_t before = mesh->group_count;
    for (int32_t i = 0; i < 100; ++i) {
        char name[16];
        snprintf(name, sizeof name, "g%d", (int)i);
        int32_t node = i % 8;
        PalGroup group = {.name = name, .node_count = 1, .nodes = &node};
        check_ok(pal_mesh_add_group(mesh, &group, &error), &error);
    }
    assert_int_equal(mesh->group_count, before + 100);
    assert_int_equal(pal_mesh_find_group(mesh, "g13")->nodes[0], 5);
    for (int32_t g = 0; g < mesh->group_count; ++g)  // whatever the order of names
        assert_ptr_equal(pal_mesh_find_group(mesh, mesh->groups[g].name), &mesh->groups[g]);
    assert_null(pal_mesh_find_group(mesh, ""));
    assert_null(pal_mesh_find_group(mesh, "g130"));
    assert_null(pal_mesh_find_group(mesh, "zzz"));
    assert_int_equal(pal_mesh_find_group(mesh, "x-min")->node_count, 4);
    pal_mesh_destroy(mesh);
}

static void groups_refuse(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_HEXAHEDRON, 1, 1, 1);
    int32_t before = mesh->group_count;
    int32_t eight = 8, one = 1, less = -1;
    int32_t face[1][4] = {{0, 1, PAL_NONE, PAL_NONE}};
    PalGroup bad[] = {
        {.name = NULL, .node_count = 1, .nodes = &one},
        {.name = "", .node_count = 1, .nodes = &one},
        {.name = "g", .node_count = 1, .nodes = &eight},
        {.name = "g", .node_count = 1, .nodes = &less},
        {.name = "g", .cell_count = 1, .cells = &one},
        {.name = "g", .face_count = 1, .faces = face},
        {.name = "g", .node_count = -1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        PalError error = {0};
        assert_int_equal(pal_mesh_add_group(mesh, &bad[i], &error), PAL_BAD_INPUT);
        assert_true(strlen(error.text) > 0);
    }
    assert_int_equal(mesh->group_count, before);
    pal_mesh_destroy(mesh);
}

static void placing_scales_turns_and_shifts(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_TETRAHEDRON, 2, 2, 2);
    PalPlacement placement = pal_placement_identity();
    PalVec3 before = mesh->nodes[5];
    pal_mesh_place(mesh, &placement);
    assert_memory_equal(&before, &mesh->nodes[5], sizeof before);

    // (1, 2, 3) doubled and turned about z by a quarter: 4 by 2 by 6
    placement.scale = 2;
    placement.rotation = pal_rotation_about(pal_vec3(0, 0, 7), acos(-1) / 2);
    placement.translation = pal_vec3(10, 20, 30);
    pal_mesh_place(mesh, &placement);
    PalBounds bounds = pal_mesh_bounds(mesh);
    check_near(bounds.lower.x, 8, 1e-14);
    check_near(bounds.upper.x, 12, 1e-14);
    check_near(bounds.lower.y, 19, 1e-14);
    check_near(bounds.upper.y, 21, 1e-14);
    check_near(bounds.lower.z, 27, 1e-14);
    check_near(bounds.upper.z, 33, 1e-14);
    check_near(pal_mesh_quality(mesh).volume, 48, 1e-12);

    // The corner at (-0.5, -1, -1.5) lands at (2, -1, -3) + (10, 20, 30)
    check_near(mesh->nodes[0].x, 12, 1e-14);
    check_near(mesh->nodes[0].y, 19, 1e-14);
    pal_mesh_destroy(mesh);
}

static void rotation_about_no_axis_is_none(void **state)
{
    (void)state;
    PalMat3 rotation = pal_rotation_about(pal_vec3(0, 0, 0), 1);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            assert_true(rotation.m[i][j] == (i == j));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(create_copies),
    cmocka_unit_test(create_refuses),
    cmocka_unit_test(cells_have_names),
    cmocka_unit_test(groups_sort_and_complete),
    cmocka_unit_test(groups_of_one_name_merge),
    cmocka_unit_test(groups_keep_their_number),
    cmocka_unit_test(groups_refuse),
    cmocka_unit_test(placing_scales_turns_and_shifts),
    cmocka_unit_test(rotation_about_no_axis_is_none),
};
CHECK_GROUP(tests, NULL, NULL)
