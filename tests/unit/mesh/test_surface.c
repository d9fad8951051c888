#include "samples.h"

static const PalVec3 fan_nodes[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                     {0, 0, 1}, {0, 0, 2}, {0, 0, -1}};

static PalMesh *make_fan(int32_t cell_count)
{
    // Tetrahedra on the face 0 1 2: two above, one below
    static const int32_t cells[12] = {0, 1, 2, 3, 0, 2, 1, 5, 0, 1, 2, 4};
    PalMeshDef def = {.cell_kind = PAL_CELL_TETRAHEDRON,
                      .node_count = 6,
                      .nodes = fan_nodes,
                      .cell_count = cell_count,
                      .cells = cells};
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    return mesh;
}

static void shared_faces_are_inside(void **state)
{
    (void)state;
    PalMesh *mesh = make_fan(2);
    PalSurface *surface = make_boundary(mesh);
    assert_int_equal(surface->corner_count, 3);
    assert_int_equal(surface->facet_count, 6);
    const int32_t owners[6] = {0, 0, 0, 1, 1, 1}, nodes[5] = {0, 1, 2, 3, 5};
    assert_memory_equal(surface->owners, owners, sizeof owners);
    assert_int_equal(surface->node_count, 5);
    assert_memory_equal(surface->nodes, nodes, sizeof nodes);
    assert_int_equal(check_closed(surface), 2);
    check_near(enclosed_volume(mesh, surface), 1.0 / 3, 1e-15);
    pal_surface_destroy(surface);
    pal_mesh_destroy(mesh);
    pal_surface_destroy(NULL);
}

static void three_cells_on_a_face_are_refused(void **state)
{
    (void)state;
    PalMesh *mesh = make_fan(3);
    PalSurface *surface = NULL;
    PalError error = {0};
    assert_int_equal(pal_mesh_boundary(mesh, &surface, &error), PAL_BAD_INPUT);
    assert_null(surface);
    assert_non_null(strstr(error.text, "cells 0, 1 and 2 share the face of nodes 0 1 2"));
    pal_mesh_destroy(mesh);
}

// Facets point away from the cells behind them, whichever way round a cell is numbered.
static void normals_point_outward(void **state)
{
    (void)state;
    for (int kind = PAL_CELL_TETRAHEDRON; kind <= PAL_CELL_HEXAHEDRON; ++kind) {
        PalMesh *mesh = make_box((PalCellKind)kind, 3, 2, 3);
        int32_t width = pal_cell_node_count((PalCellKind)kind);
        for (int32_t c = 0; c < mesh->cell_count; c += 2)
            for (int32_t a = 0; a < width / 2; ++a) {
                int32_t *p = &mesh->cells[c * width + a];
                int32_t *q = kind == PAL_CELL_HEXAHEDRON ? p + 4 : &mesh->cells[c * width + 3];
                if (kind == PAL_CELL_TETRAHEDRON && a == 1)
                    continue;
                int32_t swap = *p;
                *p = *q;
                *q = swap;
            }
        PalSurface *surface = make_boundary(mesh);
        assert_int_equal(check_closed(surface), 2);
        check_near(enclosed_volume(mesh, surface), 6, 1e-13);
        for (int32_t f = 0; f < surface->facet_count; ++f) {
            const int32_t *corners = surface->facets + f * surface->corner_count;
            PalVec3 o = mesh->nodes[corners[0]], centre = {0, 0, 0};
            PalVec3 normal = pal_vec3_cross(pal_vec3_sub(mesh->nodes[corners[1]], o),
                                            pal_vec3_sub(mesh->nodes[corners[2]], o));
            for (int32_t a = 0; a < width; ++a)
                centre = pal_vec3_add_scaled(
                    centre, 1.0 / width, mesh->nodes[mesh->cells[surface->owners[f] * width + a]]);
            assert_true(pal_vec3_dot(normal, pal_vec3_sub(o, centre)) > 0);
        }
        pal_surface_destroy(surface);
        pal_mesh_destroy(mesh);
    }
}

static void triangles_are_their_own_surface(void **state)
{
    (void)state;
    PalMesh *mesh = make_box(PAL_CELL_TRIANGLE, 2, 1, 1);
    PalSurface *surface = make_boundary(mesh);
    assert_int_equal(surface->facet_count, mesh->cell_count);
    assert_memory_equal(surface->facets, mesh->cells,
                        3 * (size_t)mesh->cell_count * sizeof *mesh->cells);
    for (int32_t f = 0; f < surface->facet_count; ++f)
        assert_int_equal(surface->owners[f], f);
    pal_surface_destroy(surface);
    pal_mesh_destroy(mesh);
}

static void nothing_has_no_surface(void **state)
{
    (void)state;
    PalMesh *mesh = make_fan(0);
    PalSurface *surface = make_boundary(mesh);
    assert_int_equal(surface->facet_count, 0);
    assert_int_equal(surface->node_count, 0);
    pal_surface_destroy(surface);
    pal_mesh_destroy(mesh);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(shared_faces_are_inside), cmocka_unit_test(three_cells_on_a_face_are_refused),
    cmocka_unit_test(normals_point_outward),   cmocka_unit_test(triangles_are_their_own_surface),
    cmocka_unit_test(nothing_has_no_surface),
};
CHECK_GROUP(tests, NULL, NULL)
