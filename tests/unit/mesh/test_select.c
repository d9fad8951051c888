#include "samples.h"

typedef struct Box {
    PalMesh *mesh;
    PalSurface *surface;
} Box;

static int make(void **state)
{
    static Box box;
    box.mesh = make_box(PAL_CELL_HEXAHEDRON, 2, 4, 6);
    box.surface = make_boundary(box.mesh);
    *state = &box;
    return 0;
}

static int drop(void **state)
{
    Box *box = *state;
    pal_surface_destroy(box->surface);
    pal_mesh_destroy(box->mesh);
    return 0;
}

// Selects nodes and facets; checks that the lists ascend, and their counts.
static int32_t *check_counts(const Box *box, const PalWhere *where, int32_t node_count,
                             int32_t facet_count)
{
    int32_t *nodes = NULL, *facets = NULL, count = 0;
    PalError error = {0};
    check_ok(pal_mesh_select_facets(box->mesh, box->surface, where, &facets, &count, &error),
             &error);
    assert_int_equal(count, facet_count);
    for (int32_t i = 1; i < count; ++i)
        assert_true(facets[i - 1] < facets[i]);
    free(facets);
    check_ok(pal_mesh_select_nodes(box->mesh, where, &nodes, &count, &error), &error);
    assert_int_equal(count, node_count);
    for (int32_t i = 1; i < count; ++i)
        assert_true(nodes[i - 1] < nodes[i]);
    return nodes;
}

static void check_refused(const Box *box, const PalWhere *where, const char *what)
{
    int32_t *list = NULL, count = 7;
    PalError error = {0};
    assert_int_equal(pal_mesh_select_nodes(box->mesh, where, &list, &count, &error), PAL_BAD_INPUT);
    assert_null(list);
    assert_int_equal(count, 0);
    if (strstr(error.text, what) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, what);
    error = (PalError){0};
    assert_int_equal(pal_mesh_select_facets(box->mesh, box->surface, where, &list, &count, &error),
                     PAL_BAD_INPUT);
    assert_null(list);
}

static void all_is_all(void **state)
{
    PalWhere where = pal_where_all();
    free(check_counts(*state, &where, 3 * 5 * 7, 88));
}

static void sides_are_planes_of_nodes(void **state)
{
    const Box *box = *state;
    const int32_t nodes[3] = {35, 21, 15}, facets[3] = {24, 12, 8};
    for (int32_t axis = 0; axis < 3; ++axis)
        for (int highest = 0; highest < 2; ++highest) {
            PalWhere where = {.kind = PAL_WHERE_SIDE, .axis = axis, .highest = highest == 1};
            int32_t *list = check_counts(box, &where, nodes[axis], facets[axis]);
            double level = (highest == 1 ? 0.5 : -0.5) * (axis + 1);
            for (int32_t i = 0; i < nodes[axis]; ++i)
                assert_true(pal_vec3_at(box->mesh->nodes[list[i]], axis) == level);
            free(list);
        }
    PalWhere where = {.kind = PAL_WHERE_SIDE, .axis = 2, .tolerance = 0.51};
    free(check_counts(box, &where, 30, 8 + 12));
}

static void planes_have_a_tolerance(void **state)
{
    const Box *box = *state;
    double diagonal = sqrt(1 + 4 + 9);
    PalWhere where = {.kind = PAL_WHERE_PLANE,
                      .point = pal_vec3(7, 7, 1 + 0.99e-6 * diagonal),
                      .normal = pal_vec3(0, 0, -5)};
    free(check_counts(box, &where, 15, 0));
    where.point.z = 1 + 1.01e-6 * diagonal;
    free(check_counts(box, &where, 0, 0));
    where.tolerance = 0.6;
    free(check_counts(box, &where, 45, 24 + 8));
}

static void boxes_and_spheres_include_their_edge(void **state)
{
    const Box *box = *state;
    PalWhere where = {.kind = PAL_WHERE_BOX,
                      .box = {.lower = {-0.5, -0.5, -1.5}, .upper = {0, 0.5, -1}}};
    free(check_counts(box, &where, 2 * 3 * 2, 2 + 2));
    where.box.lower.x = 1;
    free(check_counts(box, &where, 0, 0));
    PalWhere ball = {.kind = PAL_WHERE_SPHERE, .point = pal_vec3(0.5, 1, 1.5), .radius = 0.5};
    free(check_counts(box, &ball, 4, 0));
    ball.radius = 0;
    free(check_counts(box, &ball, 1, 0));
    ball.radius = 0.75;
    free(check_counts(box, &ball, 7, 3));
}

static void a_point_takes_the_nearest_node(void **state)
{
    const Box *box = *state;
    PalWhere where = {.kind = PAL_WHERE_POINT, .point = pal_vec3(9, 9, 9)};
    int32_t *list = check_counts(box, &where, 1, 0);
    assert_int_equal(list[0], box->mesh->node_count - 1);
    free(list);
    // Halfway between nodes 0 and 1: the lower number
    where.point = pal_vec3(-0.25, -1, -1.5);
    list = check_counts(box, &where, 1, 0);
    assert_int_equal(list[0], 0);
    free(list);
}

static void lists_are_sorted(void **state)
{
    const Box *box = *state;
    const int32_t nodes[] = {1, 4, 0, 3, 1, 1};
    PalWhere where = {.kind = PAL_WHERE_NODES, .node_count = 6, .nodes = nodes};
    int32_t *list = check_counts(box, &where, 4, 1);
    assert_int_equal(list[2], 3);
    free(list);
    where.node_count = 0;
    free(check_counts(box, &where, 0, 0));
}

// All nodes around the edge of z-min, but of its facets only the one named.
static void groups_with_faces_select_those(void **state)
{
    const Box *box = *state;
    PalWhere where = {.kind = PAL_WHERE_GROUP, .group = "z-max"};
    free(check_counts(box, &where, 15, 8));

    int32_t inner[4] = {0}, face[1][4] = {{3, 1, 4, 0}};
    PalGroup group = {.name = "one",
                      .node_count = 4,
                      .nodes = (int32_t[]){2, 5, 6, 7},
                      .face_count = 1,
                      .faces = face};
    PalError error = {0};
    check_ok(pal_mesh_add_group(box->mesh, &group, &error), &error);
    where.group = "one";
    free(check_counts(box, &where, 8, 1));

    // A face inside the mesh is no facet of its surface: the middle plane x = 0
    for (int32_t a = 0; a < 4; ++a)
        inner[a] = 1 + 15 * (a == 1 || a == 2) + 3 * (a >= 2);
    memcpy(face[0], inner, sizeof inner);
    group = (PalGroup){.name = "inner", .face_count = 1, .faces = face};
    check_ok(pal_mesh_add_group(box->mesh, &group, &error), &error);
    where.group = "inner";
    free(check_counts(box, &where, 4, 0));

    // Without faces, corners decide
    group = (PalGroup){.name = "cells", .cell_count = 1, .cells = (int32_t[]){0}};
    check_ok(pal_mesh_add_group(box->mesh, &group, &error), &error);
    where.group = "cells";
    free(check_counts(box, &where, 8, 3));
}

// Three triangles of a tetrahedron have all its nodes; the fourth is not in the group.
static void groups_of_triangles_select_their_cells(void **state)
{
    (void)state;
    const PalVec3 nodes[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int32_t cells[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    PalMeshDef def = {.cell_kind = PAL_CELL_TRIANGLE,
                      .node_count = 4,
                      .nodes = nodes,
                      .cell_count = 4,
                      .cells = cells};
    Box shell = {0};
    PalError error = {0};
    check_ok(pal_mesh_create(&def, &shell.mesh, &error), &error);
    shell.surface = make_boundary(shell.mesh);
    PalGroup group = {.name = "three", .cell_count = 3, .cells = (int32_t[]){3, 0, 2}};
    check_ok(pal_mesh_add_group(shell.mesh, &group, &error), &error);
    PalWhere where = {.kind = PAL_WHERE_GROUP, .group = "three"};
    free(check_counts(&shell, &where, 4, 3));
    pal_surface_destroy(shell.surface);
    pal_mesh_destroy(shell.mesh);
}

static void surfaces_face_directions(void **state)
{
    const Box *box = *state;
    PalWhere where = {.kind = PAL_WHERE_SURFACE};
    free(check_counts(box, &where, 3 * 5 * 7 - 1 * 3 * 5, 2 * (2 * 4 + 2 * 6 + 4 * 6)));
    where = (PalWhere){.kind = PAL_WHERE_FACING, .normal = {0, 0, 3}, .degrees = 45};
    free(check_counts(box, &where, 3 * 5, 2 * 4));
    where.degrees = 90;  // the sides as well
    free(check_counts(box, &where, 3 * 5 * 7 - 1 * 3 * 6, 2 * 4 + 2 * (2 * 6 + 4 * 6)));
}

static void what_is_near_is_selected(void **state)
{
    const Box *box = *state;
    PalBounds bounds = pal_mesh_bounds(box->mesh);
    double above = bounds.upper.z + 0.25;
    const PalVec3 corners[] = {{-100, -100, above}, {200, -100, above}, {-100, 200, above}};
    PalMesh plane = {.cell_kind = PAL_CELL_TRIANGLE,
                     .node_count = 3,
                     .nodes = (PalVec3 *)corners,
                     .cell_count = 1,
                     .cells = (int32_t[]){0, 1, 2}};
    PalWhere where = {.kind = PAL_WHERE_NEAR, .other = &plane, .radius = 0.2500001};
    free(check_counts(box, &where, 3 * 5, 2 * 4));
    where.radius = 0.2499999;
    free(check_counts(box, &where, 0, 0));
    where.other = box->mesh;
    check_refused(box, &where, "needs a mesh of triangles");
}

static void selections_are_combined(void **state)
{
    const Box *box = *state;
    const PalWhere up = {.kind = PAL_WHERE_FACING, .normal = {0, 0, 1}, .degrees = 45};
    const PalWhere low = {.kind = PAL_WHERE_SIDE, .axis = 2};
    const PalWhere ends[] = {up, low};
    PalWhere where = {.kind = PAL_WHERE_ANY_OF, .part_count = 2, .parts = ends};
    free(check_counts(box, &where, 2 * 3 * 5, 2 * 2 * 4));
    where.kind = PAL_WHERE_ALL_OF;
    free(check_counts(box, &where, 0, 0));
    // facets of the surface that do not face upwards: their edges with those that do, too
    const PalWhere rest[] = {{.kind = PAL_WHERE_SURFACE},
                             {.kind = PAL_WHERE_NOT, .part_count = 1, .parts = &up}};
    where.parts = rest;
    free(check_counts(box, &where, 90 - 15, 88 - 8));
    where = (PalWhere){.kind = PAL_WHERE_NOT, .part_count = 2, .parts = ends};
    check_refused(box, &where, "has 2 parts, expected one");
    PalWhere deep[PAL_WHERE_DEPTH + 2] = {{.kind = PAL_WHERE_ALL}};
    for (int i = 1; i < PAL_WHERE_DEPTH + 2; ++i)
        deep[i] = (PalWhere){.kind = PAL_WHERE_NOT, .part_count = 1, .parts = &deep[i - 1]};
    check_refused(box, &deep[PAL_WHERE_DEPTH + 1], "parts in parts");
    free(check_counts(box, &deep[PAL_WHERE_DEPTH], 105, 88));
}

static void nonsense_is_refused(void **state)
{
    const Box *box = *state;
    const int32_t wrong[] = {3, 105}, less[] = {-1};
    const PalWhere bad[] = {
        {.kind = PAL_WHERE_GROUP, .group = "lid"},
        {.kind = PAL_WHERE_GROUP},
        {.kind = PAL_WHERE_NODES, .node_count = 2, .nodes = wrong},
        {.kind = PAL_WHERE_NODES, .node_count = 1, .nodes = less},
        {.kind = PAL_WHERE_SIDE, .axis = 3},
        {.kind = PAL_WHERE_SIDE, .axis = 0, .tolerance = -1},
        {.kind = PAL_WHERE_PLANE},
        {.kind = PAL_WHERE_PLANE, .normal = {0, 0, 1}, .tolerance = NAN},
        {.kind = PAL_WHERE_SPHERE, .radius = -1},
        {.kind = PAL_WHERE_POINT, .point = {NAN, 0, 0}},
        {.kind = (PalWhereKind)99},
    };
    const char *const words[] = {"x-min, x-max", "name",      "node 105", "node -1",
                                 "axis",         "tolerance", "normal",   "tolerance",
                                 "radius",       "finite",    "kind"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        check_refused(box, &bad[i], words[i]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_is_all),
    cmocka_unit_test(sides_are_planes_of_nodes),
    cmocka_unit_test(planes_have_a_tolerance),
    cmocka_unit_test(boxes_and_spheres_include_their_edge),
    cmocka_unit_test(a_point_takes_the_nearest_node),
    cmocka_unit_test(lists_are_sorted),
    cmocka_unit_test(groups_with_faces_select_those),
    cmocka_unit_test(groups_of_triangles_select_their_cells),
    cmocka_unit_test(surfaces_face_directions),
    cmocka_unit_test(what_is_near_is_selected),
    cmocka_unit_test(selections_are_combined),
    cmocka_unit_test(nonsense_is_refused),
};
CHECK_GROUP(tests, make, drop)
