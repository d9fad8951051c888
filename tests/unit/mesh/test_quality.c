#include "samples.h"

static PalMesh *make_one(PalCellKind kind, const PalVec3 *nodes)
{
    const int32_t cells[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    PalMeshDef def = {.cell_kind = kind,
                      .node_count = pal_cell_node_count(kind),
                      .nodes = nodes,
                      .cell_count = 1,
                      .cells = cells};
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    return mesh;
}

static void check_one(PalCellKind kind, const PalVec3 *nodes, double quality, double volume)
{
    PalMesh *mesh = make_one(kind, nodes);
    check_near(pal_cell_quality(mesh, 0), quality, 1e-14);
    check_near(pal_cell_volume(mesh, 0), volume, 1e-14);
    PalMeshQuality all = pal_mesh_quality(mesh);
    assert_true(all.worst == pal_cell_quality(mesh, 0) && all.mean == all.worst);
    assert_true(all.volume == pal_cell_volume(mesh, 0));
    assert_int_equal(all.worst_cell, 0);
    assert_int_equal(all.poor_count, quality < 0.1);
    pal_mesh_destroy(mesh);
}

static void regular_cells_have_quality_one(void **state)
{
    (void)state;
    const PalVec3 triangle[] = {{0, 0, 5}, {2, 0, 5}, {1, sqrt(3), 5}};
    check_one(PAL_CELL_TRIANGLE, triangle, 1, sqrt(3));
    const PalVec3 tetrahedron[] = {{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}};
    check_one(PAL_CELL_TETRAHEDRON, tetrahedron, 1, 8.0 / 3);
    const PalVec3 cube[] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0},
                            {0, 0, 2}, {2, 0, 2}, {2, 2, 2}, {0, 2, 2}};
    check_one(PAL_CELL_HEXAHEDRON, cube, 1, 8);
}

static void known_cells(void **state)
{
    (void)state;
    // Right triangle: 4 sqrt(3) 0.5 / 4. Corner of a cube: 12 (1/2)^(2/3) / 9
    const PalVec3 triangle[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    check_one(PAL_CELL_TRIANGLE, triangle, sqrt(3) / 2, 0.5);
    const PalVec3 corner[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    check_one(PAL_CELL_TETRAHEDRON, corner, 12 * pow(0.5, 2.0 / 3) / 9, 1.0 / 6);
    const PalVec3 inverted[] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    check_one(PAL_CELL_TETRAHEDRON, inverted, -12 * pow(0.5, 2.0 / 3) / 9, -1.0 / 6);
    const PalVec3 flat[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    check_one(PAL_CELL_TETRAHEDRON, flat, 0, 0);
    const PalVec3 point[] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1},
                             {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    check_one(PAL_CELL_TETRAHEDRON, point, 0, 0);
    check_one(PAL_CELL_HEXAHEDRON, point, 0, 0);
    // A cube sheared to 45 degrees
    const PalVec3 sheared[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                               {1, 0, 1}, {2, 0, 1}, {2, 1, 1}, {1, 1, 1}};
    check_one(PAL_CELL_HEXAHEDRON, sheared, sqrt(0.5), 1);
    // The same from below
    const PalVec3 mirrored[] = {{1, 0, 1}, {2, 0, 1}, {2, 1, 1}, {1, 1, 1},
                                {0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    check_one(PAL_CELL_HEXAHEDRON, mirrored, -sqrt(0.5), -1);
}

// One top corner raised by 1: x, y from 0 to 1 under 1 + x y gives 1 + 1/4.
static void warped_faces_have_exact_volume(void **state)
{
    (void)state;
    const PalVec3 nodes[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                             {0, 0, 1}, {1, 0, 1}, {1, 1, 2}, {0, 1, 1}};
    PalMesh *mesh = make_one(PAL_CELL_HEXAHEDRON, nodes);
    check_near(pal_cell_volume(mesh, 0), 1.25, 1e-15);
    pal_mesh_place(mesh, &(PalPlacement){.scale = 1,
                                         .rotation = pal_rotation_about(pal_vec3(1, 2, 3), 2),
                                         .translation = pal_vec3(3, 4, 5)});
    check_near(pal_cell_volume(mesh, 0), 1.25, 1e-13);
    pal_mesh_destroy(mesh);
}

static void edges_are_measured(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_HEXAHEDRON, 1, 1, 1);
    PalMeshQuality quality = pal_mesh_quality(mesh);
    check_near(quality.edge_min, 1, 0);
    check_near(quality.edge_max, 3, 0);
    check_near(quality.edge_mean, 2, 1e-15);
    mesh->cell_count = 0;
    quality = pal_mesh_quality(mesh);
    assert_int_equal(quality.worst_cell, PAL_NONE);
    assert_true(quality.worst == 0 && quality.mean == 0 && quality.edge_mean == 0);
    pal_mesh_destroy(mesh);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(regular_cells_have_quality_one),
    cmocka_unit_test(known_cells),
    cmocka_unit_test(warped_faces_have_exact_volume),
    cmocka_unit_test(edges_are_measured),
};
CHECK_GROUP(tests, NULL, NULL)
