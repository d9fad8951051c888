// Points inside cells, and the nearest ones of points outside.
#include "check.h"
#include "math/vec3.h"
#include <palpate/mesh.h>

static PalMesh *box(PalCellKind kind, bool bent)
{
    PalError error = {0};
    PalMesh *mesh = NULL;
    PalShapeDef def = pal_shape_def_default();
    def.extent = pal_vec3(2, 1, 1);
    def.cell_kind = kind;
    for (int i = 0; i < 3; ++i)
        def.cells[i] = 3 - i;
    check_ok(pal_mesh_create_shape(&def, &mesh, &error), &error);
    for (int32_t n = 0; n < mesh->node_count && bent; ++n) {
        PalVec3 *x = &mesh->nodes[n];
        *x = pal_vec3(x->x + 0.2 * x->y * x->z, x->y + 0.1 * x->x, x->z + 0.15 * x->x * x->y);
    }
    return mesh;
}

static PalVec3 at(const PalMesh *mesh, const PalMeshPlace *place)
{
    PalVec3 sum = {0, 0, 0};
    double whole = 0;
    for (int32_t k = 0; k < place->node_count; ++k) {
        assert_true(place->weights[k] >= 0);
        whole += place->weights[k];
        sum = pal_vec3_add_scaled(sum, place->weights[k], mesh->nodes[place->nodes[k]]);
    }
    check_near(whole, 1, 1e-12);
    return sum;
}

static PalMeshPlace locate(const PalMesh *mesh, PalVec3 point)
{
    PalError error = {0};
    PalMeshPlace place;
    check_ok(pal_mesh_locate(mesh, point, &place, &error), &error);
    return place;
}

static void points_inside_are_found(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind)
        for (int bent = 0; bent < 2; ++bent) {
            PalMesh *mesh = box(kind == 0 ? PAL_CELL_TETRAHEDRON : PAL_CELL_HEXAHEDRON, bent == 1);
            for (int i = 0; i < 100; ++i) {
                PalVec3 point =
                    pal_vec3(0.8 * sin(i), 0.35 * sin(2.3 * i + 1), 0.35 * sin(3.7 * i));
                PalMeshPlace place = locate(mesh, point);
                check_near(pal_vec3_distance(at(mesh, &place), point), 0, 1e-9);
                check_near(place.distance, 0, 1e-9);
            }
            pal_mesh_destroy(mesh);
        }
}

static void nodes_are_themselves(void **state)
{
    (void)state;
    PalMesh *mesh = box(PAL_CELL_HEXAHEDRON, true);
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        PalMeshPlace place = locate(mesh, mesh->nodes[n]);
        for (int32_t k = 0; k < place.node_count; ++k)
            assert_true(place.weights[k] == (place.nodes[k] == n ? 1 : 0));
    }
    pal_mesh_destroy(mesh);
}

// Beside a face, an edge and a corner of the box.
static void points_outside_are_brought_to_it(void **state)
{
    (void)state;
    static const PalVec3 points[3] = {{0.3, 0.1, 0.9}, {0.3, 0.8, 0.9}, {1.3, 0.9, 0.9}};
    static const PalVec3 nearest[3] = {{0.3, 0.1, 0.5}, {0.3, 0.5, 0.5}, {1, 0.5, 0.5}};
    for (int kind = 0; kind < 2; ++kind) {
        PalMesh *mesh = box(kind == 0 ? PAL_CELL_TETRAHEDRON : PAL_CELL_HEXAHEDRON, false);
        for (int i = 0; i < 3; ++i) {
            PalMeshPlace place = locate(mesh, points[i]);
            check_near(pal_vec3_distance(at(mesh, &place), nearest[i]), 0, 1e-9);
            check_near(place.distance, pal_vec3_distance(points[i], nearest[i]), 1e-9);
        }
        pal_mesh_destroy(mesh);
    }
}

static void points_are_brought_to_surfaces(void **state)
{
    (void)state;
    PalMesh *mesh = box(PAL_CELL_TRIANGLE, false);
    PalBounds bounds = pal_mesh_bounds(mesh);
    PalMeshPlace place;
    PalError error = {0};
    PalVec3 above = {0, 0, bounds.upper.z + 0.25}, sum = {0};
    check_ok(pal_mesh_locate(mesh, above, &place, &error), &error);
    assert_int_equal(place.node_count, 3);
    for (int k = 0; k < 3; ++k)
        sum = pal_vec3_add_scaled(sum, place.weights[k], mesh->nodes[place.nodes[k]]);
    check_near(pal_vec3_distance(sum, pal_vec3(0, 0, bounds.upper.z)), 0, 1e-9);
    check_near(place.distance, 0.25, 1e-9);
    pal_mesh_destroy(mesh);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(points_inside_are_found),
    cmocka_unit_test(nodes_are_themselves),
    cmocka_unit_test(points_outside_are_brought_to_it),
    cmocka_unit_test(points_are_brought_to_surfaces),
};
CHECK_GROUP(tests, NULL, NULL)
