#include "samples.h"

static PalMesh *make_triangles(const PalVec3 *nodes, int32_t node_count, const int32_t *cells,
                               int32_t cell_count)
{
    PalMeshDef def = {.cell_kind = PAL_CELL_TRIANGLE,
                      .node_count = node_count,
                      .nodes = nodes,
                      .cell_count = cell_count,
                      .cells = cells};
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    return mesh;
}

static void swap(int32_t *a, int32_t *b)
{
    int32_t kept = *a;
    *a = *b;
    *b = kept;
}

// Numbers the corners of some cells in the mirrored sense. Returns how many.
static int32_t flip_some(PalMesh *mesh, uint32_t seed)
{
    int32_t width = pal_cell_node_count(mesh->cell_kind), flipped = 0;
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        int32_t *nodes = mesh->cells + c * width;
        if (next_random(&seed) % 3 == 0)
            continue;
        ++flipped;
        swap(&nodes[0], &nodes[width == 8 ? 2 : 1]);
        if (width == 8)
            swap(&nodes[4], &nodes[6]);
    }
    return flipped;
}

static int32_t orient(PalMesh *mesh)
{
    PalError error = {0};
    int32_t turned = 77;
    check_ok(pal_mesh_orient(mesh, &turned, &error), &error);
    return turned;
}

static void solids_are_turned(void **state)
{
    (void)state;
    for (int kind = PAL_CELL_TETRAHEDRON; kind <= PAL_CELL_HEXAHEDRON; ++kind) {
        PalMesh *mesh = make_box((PalCellKind)kind, 3, 4, 5);
        PalError error = {0};
        assert_int_equal(orient(mesh), 0);
        int32_t flipped = flip_some(mesh, 1);
        assert_true(flipped > 0);
        assert_int_equal(pal_mesh_validate(mesh, &error), PAL_BAD_INPUT);
        assert_int_equal(orient(mesh), flipped);
        error = (PalError){0};
        check_ok(pal_mesh_validate(mesh, &error), &error);
        check_near(pal_mesh_quality(mesh).volume, 6, 1e-12);
        assert_true(pal_mesh_quality(mesh).worst > 0.5);
        pal_mesh_destroy(mesh);
    }
}

static void closed_surfaces_turn_outward(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 20; ++seed) {
        PalMesh *mesh = make_box(PAL_CELL_TRIANGLE, 3, 4, 5);
        pal_mesh_place(mesh, &(PalPlacement){.scale = 1,
                                             .rotation = pal_rotation_about(pal_vec3(1, 2, 3), 1),
                                             .translation = pal_vec3(100, -50, 20)});
        int32_t flipped = flip_some(mesh, seed);
        assert_int_equal(orient(mesh), flipped);
        PalSurface *surface = make_boundary(mesh);
        assert_int_equal(check_closed(surface), 2);
        check_near(enclosed_volume(mesh, surface), 6, 1e-8);
        pal_surface_destroy(surface);
        pal_mesh_destroy(mesh);
    }
}

// Two boxes in one mesh, the second inside out.
static void each_closed_sheet_is_judged_alone(void **state)
{
    (void)state;
    PalMesh *box = make_box(PAL_CELL_TRIANGLE, 1, 1, 1);
    PalVec3 nodes[16];
    int32_t cells[72];
    for (int32_t n = 0; n < 16; ++n)
        nodes[n] = pal_vec3_add(box->nodes[n % 8], pal_vec3(n < 8 ? 0 : 10, 0, 0));
    for (int32_t i = 0; i < 72; ++i)
        cells[i] = box->cells[i % 36] + (i < 36 ? 0 : 8);
    for (int32_t c = 12; c < 24; ++c)
        swap(&cells[3 * c], &cells[3 * c + 1]);
    PalMesh *mesh = make_triangles(nodes, 16, cells, 24);
    assert_int_equal(orient(mesh), 12);
    PalSurface *surface = make_boundary(mesh);
    assert_int_equal(check_closed(surface), 4);
    check_near(enclosed_volume(mesh, surface), 12, 1e-12);
    pal_surface_destroy(surface);
    pal_mesh_destroy(mesh);
    pal_mesh_destroy(box);
}

// A box inside another bounds a hole, one in the hole is solid again; one that sticks out is not.
static void holes_face_inward(void **state)
{
    (void)state;
    static const double expected[] = {1 - 0.125 + 0.015625, 1 + 0.125};
    for (int sticks_out = 0; sticks_out < 2; ++sticks_out) {
        PalMesh *box = make_box(PAL_CELL_TRIANGLE, 1, 1, 1);
        PalBounds bounds = pal_mesh_bounds(box);
        PalVec3 nodes[24], size = pal_vec3_sub(bounds.upper, bounds.lower);
        int32_t cells[108], count = sticks_out ? 2 : 3;
        for (int32_t n = 0; n < 8 * count; ++n) {
            double scale = n < 8 ? 1 : n < 16 ? 0.5 : 0.25;
            nodes[n] = pal_vec3_scale(scale, box->nodes[n % 8]);
            nodes[n].x += n >= 8 && sticks_out ? 0.5 * size.x : 0;
        }
        for (int32_t i = 0; i < 36 * count; ++i)
            cells[i] = box->cells[i % 36] + 8 * (i / 36);
        PalMesh *mesh = make_triangles(nodes, 8 * count, cells, 12 * count);
        assert_int_equal(orient(mesh), sticks_out ? 0 : 12);
        PalSurface *surface = make_boundary(mesh);
        check_near(enclosed_volume(mesh, surface), size.x * size.y * size.z * expected[sticks_out],
                   1e-12);
        assert_int_equal(orient(mesh), 0);
        pal_surface_destroy(surface);
        pal_mesh_destroy(mesh);
        pal_mesh_destroy(box);
    }
}

static void open_sheets_follow_the_majority(void **state)
{
    (void)state;
    const PalVec3 nodes[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}};
    int32_t cells[9] = {0, 2, 1, 0, 2, 3, 1, 4, 2};
    PalMesh *mesh = make_triangles(nodes, 5, cells, 3);
    assert_int_equal(orient(mesh), 1);
    for (int32_t c = 0; c < 3; ++c) {
        const int32_t *t = mesh->cells + 3 * c;
        PalVec3 o = nodes[t[0]];
        assert_true(pal_vec3_cross(pal_vec3_sub(nodes[t[1]], o), pal_vec3_sub(nodes[t[2]], o)).z >
                    0);
    }
    pal_mesh_destroy(mesh);
}

static void moebius_strips_are_refused(void **state)
{
    (void)state;
    enum { COUNT = 6 };
    PalVec3 nodes[2 * COUNT];
    int32_t cells[6 * COUNT];
    for (int32_t i = 0; i < COUNT; ++i) {
        double angle = 2 * acos(-1) * i / COUNT, twist = angle / 2;
        for (int32_t s = 0; s < 2; ++s) {
            double r = 2 + (s == 0 ? -0.5 : 0.5) * cos(twist);
            nodes[2 * i + s] =
                pal_vec3(r * cos(angle), r * sin(angle), (s == 0 ? -0.5 : 0.5) * sin(twist));
        }
        int32_t a = 2 * i, b = 2 * i + 1, c = i + 1 < COUNT ? a + 2 : 1,
                d = i + 1 < COUNT ? b + 2 : 0;
        const int32_t pair[6] = {a, b, c, b, d, c};
        memcpy(cells + 6 * i, pair, sizeof pair);
    }
    PalMesh *mesh = make_triangles(nodes, 2 * COUNT, cells, 2 * COUNT);
    PalError error = {0};
    int32_t turned = 0;
    assert_int_equal(pal_mesh_orient(mesh, &turned, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "only one side"));
    assert_int_equal(turned, 0);
    assert_memory_equal(mesh->cells, cells, sizeof cells);
    pal_mesh_destroy(mesh);
}

// Two cubes that touch along one edge: four triangles meet there, and both are still closed.
static void edges_of_many_triangles_do_not_matter(void **state)
{
    (void)state;
    PalMesh *box = make_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), PAL_CELL_TRIANGLE, 1, 1, 1);
    PalVec3 nodes[14];
    int32_t cells[72], number[8], count = 8;
    for (int32_t n = 0; n < 8; ++n)
        nodes[n] = box->nodes[n];
    for (int32_t n = 0; n < 8; ++n) {
        PalVec3 moved = pal_vec3_add(box->nodes[n], pal_vec3(1, 1, 0));
        number[n] = PAL_NONE;
        for (int32_t o = 0; o < 8; ++o)
            if (pal_vec3_distance(moved, nodes[o]) == 0)
                number[n] = o;
        if (number[n] == PAL_NONE) {
            number[n] = count;
            nodes[count++] = moved;
        }
    }
    assert_int_equal(count, 14);
    for (int32_t i = 0; i < 72; ++i)
        cells[i] = i < 36 ? box->cells[i] : number[box->cells[i - 36]];
    PalMesh *mesh = make_triangles(nodes, 14, cells, 24);
    int32_t flipped = flip_some(mesh, 3);
    assert_int_equal(orient(mesh), flipped);
    PalSurface *surface = make_boundary(mesh);
    check_near(enclosed_volume(mesh, surface), 2, 1e-12);
    pal_surface_destroy(surface);
    pal_mesh_destroy(mesh);
    pal_mesh_destroy(box);
}

static void degenerate_triangles_do_no_harm(void **state)
{
    (void)state;
    const PalVec3 nodes[3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    const int32_t cells[12] = {0, 1, 0, 1, 1, 1, 0, 1, 2, 2, 1, 0};
    PalMesh *mesh = make_triangles(nodes, 3, cells, 4);
    PalError error = {0};
    int32_t turned = 0;
    check_ok(pal_mesh_orient(mesh, &turned, &error), &error);
    mesh->cell_count = 0;
    check_ok(pal_mesh_orient(mesh, &turned, &error), &error);
    assert_int_equal(turned, 0);
    pal_mesh_destroy(mesh);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(solids_are_turned),
    cmocka_unit_test(closed_surfaces_turn_outward),
    cmocka_unit_test(each_closed_sheet_is_judged_alone),
    cmocka_unit_test(holes_face_inward),
    cmocka_unit_test(open_sheets_follow_the_majority),
    cmocka_unit_test(moebius_strips_are_refused),
    cmocka_unit_test(edges_of_many_triangles_do_not_matter),
    cmocka_unit_test(degenerate_triangles_do_no_harm),
};
CHECK_GROUP(tests, NULL, NULL)
