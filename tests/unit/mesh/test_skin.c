// Skins of solids: facets moved outward by the offset, part of a surface, groups, what is refused.
#include "samples.h"

static PalMesh *skin_of(const PalMesh *solid, const PalWhere *where, double offset)
{
    PalMesh *skin = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create_skin(solid, where, offset, &skin, &error), &error);
    return skin;
}

// At edges and corners of a box, too, every facet lies where it was, one offset farther out.
static void facets_of_a_box_move_outward(void **state)
{
    (void)state;
    for (int kind = PAL_CELL_TETRAHEDRON; kind <= PAL_CELL_HEXAHEDRON; ++kind) {
        PalMesh *box = make_box((PalCellKind)kind, 3, 2, 3);
        PalWhere all = pal_where_all();
        PalMesh *skin = skin_of(box, &all, 0.25);
        PalBounds before = pal_mesh_bounds(box), after = pal_mesh_bounds(skin);
        for (int i = 0; i < 3; ++i) {
            check_near((&after.lower.x)[i], (&before.lower.x)[i] - 0.25, 1e-12);
            check_near((&after.upper.x)[i], (&before.upper.x)[i] + 0.25, 1e-12);
        }
        double wide[3] = {after.upper.x - after.lower.x, after.upper.y - after.lower.y,
                          after.upper.z - after.lower.z};
        check_near(pal_mesh_quality(skin).volume,
                   2 * (wide[0] * wide[1] + wide[1] * wide[2] + wide[2] * wide[0]), 1e-12);
        assert_null(pal_mesh_find_group(skin, "rim"));
        pal_mesh_destroy(skin);
        pal_mesh_destroy(box);
    }
}

static PalMesh *make_ball(void)
{
    PalShapeDef def = pal_shape_def_default();
    def.kind = PAL_SHAPE_SPHERE;
    def.extent = pal_vec3(1, 0, 0);
    def.cells[0] = 8;
    def.cells[1] = def.cells[2] = 0;
    PalMesh *ball = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create_shape(&def, &ball, &error), &error);
    return ball;
}

// No node is nearer to the planes of its facets than the offset, and hardly farther from the ball.
static void a_ball_gets_a_larger_one(void **state)
{
    (void)state;
    PalMesh *ball = make_ball();
    PalWhere all = pal_where_all();
    PalMesh *flat = skin_of(ball, &all, 0), *skin = skin_of(ball, &all, 0.1);
    assert_int_equal(flat->cell_count, skin->cell_count);
    double least = INFINITY, most = 0;
    for (int32_t c = 0; c < flat->cell_count; ++c) {
        const int32_t *n = flat->cells + 3 * (int64_t)c;
        PalVec3 a = flat->nodes[n[0]];
        PalVec3 normal = pal_vec3_normalise(
            pal_vec3_cross(pal_vec3_sub(flat->nodes[n[1]], a), pal_vec3_sub(flat->nodes[n[2]], a)));
        for (int k = 0; k < 3; ++k) {
            PalVec3 moved = pal_vec3_sub(skin->nodes[n[k]], flat->nodes[n[k]]);
            least = fmin(least, pal_vec3_dot(moved, normal));
            most = fmax(most, pal_vec3_length(skin->nodes[n[k]]));
        }
    }
    assert_true(least > 0.1 * (1 - 1e-12));
    assert_true(most < 1.115);
    pal_mesh_destroy(flat);
    pal_mesh_destroy(skin);
    pal_mesh_destroy(ball);
}

// The top of a block: a sheet with a rim, and the groups that its facets had.
static void a_part_of_a_surface_has_a_rim(void **state)
{
    (void)state;
    PalShapeDef def = pal_shape_def_default();
    for (int i = 0; i < 3; ++i)
        def.cells[i] = 4;
    PalMesh *box = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create_shape(&def, &box, &error), &error);
    PalWhere top = pal_where_all();
    top.kind = PAL_WHERE_GROUP;
    char name[] = "z-max";
    top.group = name;
    PalMesh *skin = skin_of(box, &top, 0.1);
    assert_int_equal(skin->cell_count, 32);
    assert_int_equal(skin->node_count, 25);
    for (int32_t n = 0; n < skin->node_count; ++n)
        check_near(skin->nodes[n].z, 0.6, 1e-12);
    assert_int_equal(pal_mesh_find_group(skin, "rim")->node_count, 16);
    assert_int_equal(pal_mesh_find_group(skin, "z-max")->cell_count, 32);
    assert_int_equal(pal_mesh_find_group(skin, "x-min")->node_count, 5);
    assert_int_equal(pal_mesh_find_group(skin, "x-min")->cell_count, 0);
    assert_null(pal_mesh_find_group(skin, "z-min"));
    pal_mesh_destroy(skin);
    pal_mesh_destroy(box);
}

static void what_cannot_be_a_skin_is_refused(void **state)
{
    (void)state;
    PalMesh *ball = make_ball(), *skin = NULL;
    PalError error = {0};
    PalWhere none = pal_where_all();
    none.kind = PAL_WHERE_BOX;
    none.box = (PalBounds){{5, 5, 5}, {6, 6, 6}};
    assert_int_equal(pal_mesh_create_skin(ball, &none, 0.1, &skin, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "no facet of the surface is selected"));
    pal_mesh_destroy(ball);
    // a needle: all facets face away from each other at its tip
    static const PalVec3 nodes[4] = {{0, 0, 0}, {0.01, 0, 0}, {0, 0.01, 0}, {0, 0, 1}};
    static const int32_t cells[4] = {0, 1, 2, 3};
    PalMeshDef def = {PAL_CELL_TETRAHEDRON, 4, nodes, 1, cells};
    check_ok(pal_mesh_create(&def, &ball, &error), &error);
    PalWhere all = pal_where_all();
    error = (PalError){0};
    assert_int_equal(pal_mesh_create_skin(ball, &all, 0.1, &skin, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "too sharp"));
    assert_null(skin);
    pal_mesh_destroy(ball);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(facets_of_a_box_move_outward),
    cmocka_unit_test(a_ball_gets_a_larger_one),
    cmocka_unit_test(a_part_of_a_surface_has_a_rim),
    cmocka_unit_test(what_cannot_be_a_skin_is_refused),
};

CHECK_GROUP(tests, NULL, NULL)
