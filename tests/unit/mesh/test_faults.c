// Faults of surfaces, shells, and groups carried from a surface to a solid.
#include "samples.h"

#include <palpate/geometry.h>
#include <palpate/mesh.h>

static PalMesh *make_ball(PalCellKind kind, int32_t cells, double radius)
{
    PalShapeDef def = pal_shape_def_default();
    PalMesh *mesh = NULL;
    PalError error = {0};
    def.kind = PAL_SHAPE_SPHERE;
    def.extent.x = radius;
    def.cell_kind = kind;
    def.cells[0] = cells;
    check_ok(pal_mesh_create_shape(&def, &mesh, &error), &error);
    return mesh;
}

// Two meshes of triangles in one; the second moved.
static PalMesh *join(const PalMesh *a, const PalMesh *b, PalVec3 move)
{
    PalVec3 *nodes = malloc((size_t)(a->node_count + b->node_count) * sizeof *nodes);
    int32_t *cells = malloc(3 * (size_t)(a->cell_count + b->cell_count) * sizeof *cells);
    assert_true(nodes != NULL && cells != NULL);
    memcpy(nodes, a->nodes, (size_t)a->node_count * sizeof *nodes);
    memcpy(cells, a->cells, 3 * (size_t)a->cell_count * sizeof *cells);
    for (int32_t n = 0; n < b->node_count; ++n)
        nodes[a->node_count + n] =
            (PalVec3){b->nodes[n].x + move.x, b->nodes[n].y + move.y, b->nodes[n].z + move.z};
    for (int32_t i = 0; i < 3 * b->cell_count; ++i)
        cells[3 * a->cell_count + i] = b->cells[i] + a->node_count;
    PalMeshDef def = {PAL_CELL_TRIANGLE, a->node_count + b->node_count, nodes,
                      a->cell_count + b->cell_count, cells};
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    free(nodes);
    free(cells);
    return mesh;
}

static PalSurfaceFaults faults_of(const PalMesh *mesh)
{
    PalSurfaceFaults faults;
    PalError error = {0};
    check_ok(pal_mesh_find_faults(mesh, &faults, &error), &error);
    return faults;
}

static void a_ball_has_none(void **state)
{
    (void)state;
    PalMesh *ball = make_ball(PAL_CELL_TRIANGLE, 8, 1);
    PalSurfaceFaults faults = faults_of(ball);
    for (int k = 0; k < PAL_FAULT_KIND_COUNT; ++k)
        assert_int_equal(faults.counts[k], 0);
    assert_int_equal(faults.fault_count, 0);
    pal_mesh_destroy(ball);
}

static void a_missing_triangle_leaves_three_edges(void **state)
{
    (void)state;
    PalMesh *ball = make_ball(PAL_CELL_TRIANGLE, 8, 1);
    --ball->cell_count;
    PalSurfaceFaults faults = faults_of(ball);
    assert_int_equal(faults.counts[PAL_FAULT_OPEN], 3);
    assert_int_equal(faults.counts[PAL_FAULT_CROSSING], 0);
    for (int i = 0; i < faults.fault_count; ++i) {
        PalVec3 x = faults.faults[i].point;
        check_near(sqrt(x.x * x.x + x.y * x.y + x.z * x.z), 1, 0.1);
        assert_int_equal(faults.faults[i].cells[1], PAL_NONE);
    }
    pal_mesh_destroy(ball);
}

static void flat_and_crowded_triangles_are_found(void **state)
{
    (void)state;
    const PalVec3 nodes[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}, {2, 0, 0}};
    const int32_t cells[] = {0, 1, 2, 0, 1, 3, 0, 1, 4, 0, 1, 5};
    PalMeshDef def = {PAL_CELL_TRIANGLE, 6, nodes, 4, cells};
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    PalSurfaceFaults faults = faults_of(mesh);
    assert_int_equal(faults.counts[PAL_FAULT_FLAT], 1);
    assert_int_equal(faults.counts[PAL_FAULT_CROWDED], 1);
    assert_int_equal(faults.counts[PAL_FAULT_OPEN], 8);
    assert_true(faults.fault_count <= PAL_SURFACE_FAULT_MAX);
    pal_mesh_destroy(mesh);
}

// By every way triangles can share nodes and meet beyond them.
static void crossings_are_found(void **state)
{
    (void)state;
    static const struct {
        PalVec3 nodes[6];
        int32_t cells[6];
        int count;
    } cases[] = {
        // no common node: through, apart, and touching at a corner
        {{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0.5, 0.5, -1}, {0.5, 0.5, 1}, {3, 3, 1}},
         {0, 1, 2, 3, 4, 5},
         1},
        {{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0.5, 0.5, 1}, {0.5, 0.5, 2}, {3, 3, 1}},
         {0, 1, 2, 3, 4, 5},
         0},
        {{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0.5, 0.5, 0}, {0.5, 0.5, 2}, {3, 3, 1}},
         {0, 1, 2, 3, 4, 5},
         1},
        // one common node: side through the other, and apart
        {{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {1, 1, -1}, {0.6, 0.6, 1}}, {0, 1, 2, 0, 3, 4}, 1},
        {{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {1, 1, 0.5}, {0.6, 0.6, 1}}, {0, 1, 2, 0, 3, 4}, 0},
        {{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {-2, 0, 0}, {0, -2, 0}}, {0, 1, 2, 0, 3, 4}, 0},
        // a common edge: folded flat in three ways, open, and unfolded
        {{{0, 0, 0}, {2, 0, 0}, {1, 1, 0}, {1, 2, 0}}, {0, 1, 2, 0, 1, 3}, 1},
        {{{0, 0, 0}, {2, 0, 0}, {1, 2, 0}, {1, 1, 0}}, {0, 1, 2, 1, 0, 3}, 1},
        {{{0, 0, 0}, {2, 0, 0}, {-1, 1, 0}, {3, 1, 0}}, {0, 1, 2, 0, 1, 3}, 1},
        {{{0, 0, 0}, {2, 0, 0}, {1, 1, 0}, {1, 1, 1e-9}}, {0, 1, 2, 0, 1, 3}, 0},
        {{{0, 0, 0}, {2, 0, 0}, {1, 1, 0}, {1, -1, 0}}, {0, 1, 2, 0, 1, 3}, 0},
        // all three
        {{{0, 0, 0}, {2, 0, 0}, {1, 1, 0}}, {0, 1, 2, 2, 1, 0}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        PalMeshDef def = {PAL_CELL_TRIANGLE, 6, cases[i].nodes, 2, cases[i].cells};
        PalMesh *mesh = NULL;
        PalError error = {0};
        check_ok(pal_mesh_create(&def, &mesh, &error), &error);
        int count = faults_of(mesh).counts[PAL_FAULT_CROSSING];
        if (count != cases[i].count)
            fail_msg("case %zu: %d crossings, expected %d", i, count, cases[i].count);
        pal_mesh_destroy(mesh);
    }
}

static void balls_that_overlap_cross(void **state)
{
    (void)state;
    PalMesh *ball = make_ball(PAL_CELL_TRIANGLE, 8, 1);
    PalMesh *two = join(ball, ball, (PalVec3){0.7, 0.1, 0.2});
    PalSurfaceFaults faults = faults_of(two);
    assert_int_equal(faults.counts[PAL_FAULT_OPEN], 0);
    // every pair, the slow way
    int count = 0;
    for (int32_t a = 0; a < ball->cell_count; ++a)
        for (int32_t b = ball->cell_count; b < two->cell_count; ++b) {
            PalVec3 x[2][3];
            for (int i = 0; i < 3; ++i) {
                x[0][i] = two->nodes[two->cells[3 * a + i]];
                x[1][i] = two->nodes[two->cells[3 * b + i]];
            }
            count += pal_triangles_intersect(x[0], x[1]);
        }
    assert_true(count > 20);
    assert_int_equal(faults.counts[PAL_FAULT_CROSSING], count);
    pal_mesh_destroy(ball);
    pal_mesh_destroy(two);
}

static void shells_know_what_is_around_them(void **state)
{
    (void)state;
    PalMesh *large = make_ball(PAL_CELL_TRIANGLE, 6, 3),
            *middle = make_ball(PAL_CELL_TRIANGLE, 6, 2);
    PalMesh *small = make_ball(PAL_CELL_TRIANGLE, 6, 1);
    PalMesh *nested = join(small, large, (PalVec3){0, 0, 0});
    PalMesh *three = join(nested, middle, (PalVec3){0, 0, 0});
    PalMesh *all = join(three, small, (PalVec3){10, 0, 0});
    PalShells shells;
    PalError error = {0};
    check_ok(pal_mesh_shells(all, &shells, &error), &error);
    const int32_t depth[] = {2, 0, 1, 0}, around[] = {2, PAL_NONE, 1, PAL_NONE};
    assert_int_equal(shells.count, 4);
    assert_memory_equal(shells.depth, depth, sizeof depth);
    assert_memory_equal(shells.around, around, sizeof around);
    pal_shells_clear(&shells);
    PalMesh *meshes[] = {large, middle, small, nested, three, all};
    for (int i = 0; i < 6; ++i)
        pal_mesh_destroy(meshes[i]);
}

static void groups_come_along(void **state)
{
    (void)state;
    PalMesh *surface = make_ball(PAL_CELL_TRIANGLE, 8, 1),
            *solid = make_ball(PAL_CELL_TETRAHEDRON, 8, 1);
    PalError error = {0};
    int32_t *top = malloc((size_t)surface->cell_count * sizeof *top), count = 0;
    assert_non_null(top);
    for (int32_t c = 0; c < surface->cell_count; ++c) {
        double z = 0;
        for (int a = 0; a < 3; ++a)
            z += surface->nodes[surface->cells[3 * c + a]].z;
        if (z > 0)
            top[count++] = c;
    }
    int32_t pin = 5;
    PalGroup group = {.name = "top", .cell_count = count, .cells = top};
    check_ok(pal_mesh_add_group(surface, &group, &error), &error);
    group = (PalGroup){.name = "pin", .node_count = 1, .nodes = &pin};
    check_ok(pal_mesh_add_group(surface, &group, &error), &error);
    check_ok(pal_mesh_carry_groups(surface, solid, &error), &error);
    const PalGroup *carried = pal_mesh_find_group(solid, "top");
    assert_non_null(carried);
    assert_int_equal(carried->face_count, count);
    for (int32_t f = 0; f < carried->face_count; ++f) {
        double z = 0;
        for (int a = 0; a < 3; ++a)
            z += solid->nodes[carried->faces[f][a]].z;
        assert_true(z > 0);
    }
    carried = pal_mesh_find_group(solid, "pin");
    assert_non_null(carried);
    assert_int_equal(carried->node_count, 1);
    PalVec3 a = solid->nodes[carried->nodes[0]], b = surface->nodes[pin];
    check_near(hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z), 0, 1e-12);
    free(top);
    pal_mesh_destroy(surface);
    pal_mesh_destroy(solid);
}

// The nodes of a group of triangles are those of its facets inside, however coarse these are.
static void groups_of_triangles_have_no_other_nodes(void **state)
{
    (void)state;
    PalMesh *surface = make_ball(PAL_CELL_TRIANGLE, 12, 1),
            *solid = make_ball(PAL_CELL_TETRAHEDRON, 4, 1);
    PalError error = {0};
    int32_t cells[100];
    for (int32_t c = 0; c < 100; ++c)
        cells[c] = c;
    PalGroup group = {.name = "part", .cell_count = 100, .cells = cells};
    assert_true(surface->cell_count > 300);
    check_ok(pal_mesh_add_group(surface, &group, &error), &error);
    check_ok(pal_mesh_carry_groups(surface, solid, &error), &error);
    const PalGroup *carried = pal_mesh_find_group(solid, "part");
    assert_non_null(carried);
    for (int32_t i = 0; i < carried->node_count; ++i) {
        bool found = false;
        for (int32_t f = 0; f < carried->face_count; ++f)
            for (int a = 0; a < 3; ++a)
                found = found || carried->faces[f][a] == carried->nodes[i];
        assert_true(found);
    }
    pal_mesh_destroy(surface);
    pal_mesh_destroy(solid);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_ball_has_none),
    cmocka_unit_test(a_missing_triangle_leaves_three_edges),
    cmocka_unit_test(flat_and_crowded_triangles_are_found),
    cmocka_unit_test(crossings_are_found),
    cmocka_unit_test(balls_that_overlap_cross),
    cmocka_unit_test(shells_know_what_is_around_them),
    cmocka_unit_test(groups_come_along),
    cmocka_unit_test(groups_of_triangles_have_no_other_nodes),
};
CHECK_GROUP(tests, NULL, NULL)
