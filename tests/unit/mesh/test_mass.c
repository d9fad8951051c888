// Volume, centre of mass and inertia of surfaces with known ones.
#include "check.h"
#include "math/mat3.h"
#include <palpate/mesh.h>

static const double pi = 3.14159265358979323846;

static PalMesh *shape(PalShapeKind kind, PalVec3 extent, int32_t cells)
{
    PalShapeDef def = pal_shape_def_default();
    def.kind = kind;
    def.extent = extent;
    def.cell_kind = PAL_CELL_TRIANGLE;
    def.cells[0] = def.cells[1] = def.cells[2] = cells;
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create_shape(&def, &mesh, &error), &error);
    return mesh;
}

static PalMassProperties properties_of(const PalMesh *mesh, double density)
{
    PalMassProperties found;
    PalError error = {0};
    check_ok(pal_mesh_mass_properties(mesh, density, &found, &error), &error);
    return found;
}

// The surfaces of two meshes as one.
static PalMesh *both(const PalMesh *a, const PalMesh *b)
{
    int32_t nodes = a->node_count + b->node_count, cells = a->cell_count + b->cell_count;
    PalVec3 *points = malloc((size_t)nodes * sizeof *points);
    int32_t *corners = malloc(3 * (size_t)cells * sizeof *corners);
    memcpy(points, a->nodes, (size_t)a->node_count * sizeof *points);
    memcpy(points + a->node_count, b->nodes, (size_t)b->node_count * sizeof *points);
    memcpy(corners, a->cells, 3 * (size_t)a->cell_count * sizeof *corners);
    for (int32_t i = 0; i < 3 * b->cell_count; ++i)
        corners[3 * a->cell_count + i] = a->node_count + b->cells[i];
    PalMeshDef def = {PAL_CELL_TRIANGLE, nodes, points, cells, corners};
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    free(points);
    free(corners);
    return mesh;
}

static void check_inertia(const PalMassProperties *found, double x, double y, double z)
{
    const double expected[3] = {x, y, z};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            check_near(found->inertia.m[i][j], i == j ? expected[i] : 0, 1e-13 * (x + y + z));
}

static void a_box_far_away(void **state)
{
    (void)state;
    PalMesh *mesh = shape(PAL_SHAPE_BOX, (PalVec3){1, 2, 3}, 2);
    PalMassProperties found = properties_of(mesh, 5);
    check_near(found.volume, 6, 1e-14);
    check_near(found.mass, 30, 1e-13);
    check_inertia(&found, 30 * 13 / 12.0, 30 * 10 / 12.0, 30 * 5 / 12.0);

    PalPlacement placement = pal_placement_identity();
    placement.translation = (PalVec3){1000, -2000, 500};
    placement.rotation = pal_rotation_about((PalVec3){1, 2, -1}, 0.7);
    pal_mesh_place(mesh, &placement);
    PalMassProperties turned = properties_of(mesh, 5);
    check_near(pal_vec3_distance(turned.centre, placement.translation), 0, 1e-11);
    PalMat3 across = pal_mat3_transpose(&placement.rotation);
    PalMat3 expected = pal_mat3_multiply(&found.inertia, &across);
    expected = pal_mat3_multiply(&placement.rotation, &expected);
    for (int i = 0; i < 9; ++i)
        check_near(turned.inertia.m[i / 3][i % 3], expected.m[i / 3][i % 3], 1e-9);
    pal_mesh_destroy(mesh);
}

// The one with corners at the origin and at 1 along the axes: by integration by hand.
static void a_tetrahedron(void **state)
{
    (void)state;
    const PalVec3 nodes[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int32_t cells[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    PalMeshDef def = {PAL_CELL_TRIANGLE, 4, nodes, 4, cells};
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    PalMassProperties found = properties_of(mesh, 1);
    check_near(found.volume, 1 / 6.0, 1e-16);
    check_near(pal_vec3_distance(found.centre, (PalVec3){0.25, 0.25, 0.25}), 0, 1e-15);
    // int x^2 = 1/60, int x y = 1/120, less V / 16 at the centre
    double square = 1 / 60.0 - 1 / 96.0, product = 1 / 120.0 - 1 / 96.0;
    for (int i = 0; i < 9; ++i)
        check_near(found.inertia.m[i / 3][i % 3], i % 4 == 0 ? 2 * square : -product, 1e-16);
    pal_mesh_destroy(mesh);
}

static void a_ball_nears_its_formula(void **state)
{
    (void)state;
    double before = 0;
    for (int32_t cells = 8; cells <= 32; cells *= 2) {
        PalMesh *mesh = shape(PAL_SHAPE_SPHERE, (PalVec3){2, 0, 0}, cells);
        PalMassProperties found = properties_of(mesh, 3);
        double inertia = 0.4 * (3 * 4 / 3.0 * pi * 8) * 4;
        double error = 1 - found.inertia.m[0][0] / inertia;
        assert_true(before == 0 || error < before / 2.5);
        before = error;
        pal_mesh_destroy(mesh);
    }
    assert_true(before > 0 && before < 0.02);
}

// Whichever way the inner shell faces.
static void a_hollow_box(void **state)
{
    (void)state;
    PalMesh *outside = shape(PAL_SHAPE_BOX, (PalVec3){4, 4, 4}, 1);
    PalMesh *inside = shape(PAL_SHAPE_BOX, (PalVec3){2, 2, 2}, 1);
    PalPlacement placement = pal_placement_identity();
    placement.translation = (PalVec3){0.5, 0, 0};
    pal_mesh_place(inside, &placement);
    for (int turned = 0; turned < 2; ++turned) {
        PalMesh *mesh = both(outside, inside);
        for (int32_t c = outside->cell_count; turned && c < mesh->cell_count; ++c) {
            int32_t kept = mesh->cells[3 * c];
            mesh->cells[3 * c] = mesh->cells[3 * c + 1];
            mesh->cells[3 * c + 1] = kept;
        }
        PalMassProperties found = properties_of(mesh, 1);
        double centre = -8 * 0.5 / 56;
        check_near(found.volume, 56, 1e-13);
        check_near(found.centre.x, centre, 1e-15);
        double x = 64 * 32 / 12.0 - 8 * 8 / 12.0;
        double y = x + 64 * centre * centre - 8 * (0.5 - centre) * (0.5 - centre);
        check_inertia(&found, x, y, y);
        pal_mesh_destroy(mesh);
    }
    pal_mesh_destroy(outside);
    pal_mesh_destroy(inside);
}

static void what_has_no_inside_is_refused(void **state)
{
    (void)state;
    PalMassProperties found;
    PalError error = {0};
    PalMesh *mesh = shape(PAL_SHAPE_BOX, (PalVec3){1, 2, 3}, 1);
    int32_t kept = mesh->cells[0];
    mesh->cells[0] = mesh->cells[1];
    mesh->cells[1] = kept;
    assert_int_equal(pal_mesh_mass_properties(mesh, 1, &found, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "disagree"));
    mesh->cells[1] = mesh->cells[0];
    mesh->cells[0] = kept;
    --mesh->cell_count;
    error = (PalError){0};
    assert_int_equal(pal_mesh_mass_properties(mesh, 1, &found, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "not closed: 1 triangle at"));
    ++mesh->cell_count;
    for (int32_t n = 0; n < mesh->node_count; ++n)
        mesh->nodes[n].z = 0;
    error = (PalError){0};
    assert_int_equal(pal_mesh_mass_properties(mesh, 1, &found, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "no volume"));
    pal_mesh_destroy(mesh);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_box_far_away),
    cmocka_unit_test(a_tetrahedron),
    cmocka_unit_test(a_ball_nears_its_formula),
    cmocka_unit_test(a_hollow_box),
    cmocka_unit_test(what_has_no_inside_is_refused),
};
CHECK_GROUP(tests, NULL, NULL)
