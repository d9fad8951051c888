// Distances to closed surfaces: of a box in closed form, the sign everywhere, and bounds away from
// the fine blocks.
#include "check.h"
#include "geometry/field.h"
#include "geometry/nearest.h"
#include <palpate/mesh.h>

static PalMesh *closed_shape(PalShapeKind kind, PalVec3 extent)
{
    PalShapeDef def = pal_shape_def_default();
    PalMesh *mesh;
    PalError error = {0};
    def.kind = kind;
    def.extent = extent;
    def.cell_kind = PAL_CELL_TRIANGLE;
    def.size = 0.3;
    check_ok(pal_mesh_create_shape(&def, &mesh, &error), &error);
    return mesh;
}

static PalFieldDef field_def(const PalMesh *mesh)
{
    return (PalFieldDef){.vertex_count = mesh->node_count,
                         .facet_count = mesh->cell_count,
                         .vertices = mesh->nodes,
                         .facets = (const int32_t(*)[3])mesh->cells,
                         .spacing = 0.05,
                         .band = 0.2};
}

static double box_distance(PalVec3 p, PalVec3 half)
{
    double x = fabs(p.x) - half.x, y = fabs(p.y) - half.y, z = fabs(p.z) - half.z;
    PalVec3 out = pal_vec3(fmax(x, 0), fmax(y, 0), fmax(z, 0));
    return pal_vec3_length(out) + fmin(fmax(x, fmax(y, z)), 0);
}

static double between(double low, double high, uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return low + (high - low) * (double)(*seed >> 8) / 16777216.0;
}

static void test_box(void **state)
{
    (void)state;
    PalVec3 half = pal_vec3(0.5, 0.7, 0.4);
    PalMesh *mesh = closed_shape(PAL_SHAPE_BOX, pal_vec3_scale(2, half));
    PalFieldDef def = field_def(mesh);
    PalField *field;
    PalError error = {0};
    check_ok(pal_field_create(&def, &field, &error), &error);
    uint32_t seed = 1;
    int fine = 0;
    for (int i = 0; i < 20000; ++i) {
        PalVec3 p = pal_vec3(between(-1.5, 1.5, &seed), between(-1.5, 1.5, &seed),
                             between(-1.5, 1.5, &seed));
        double exact = box_distance(p, half);
        PalFieldPoint found = pal_field_at(field, p);
        if (found.facet == PAL_NONE) {
            assert_true(found.distance <= exact + 1e-6);
            assert_true(fabs(exact) > 0.199);
        } else {
            ++fine;
            check_near(found.distance, exact, 0.02);  // a corner is cut by less than a cell
        }
    }
    assert_true(fine > 1000);
    PalFieldPoint side = pal_field_at(field, pal_vec3(0.61, 0.1, 0.05));
    check_near(side.distance, 0.11, 1e-4);
    check_near(side.gradient.x, 1, 1e-3);
    assert_true(pal_field_bytes(field) > 0);
    pal_field_destroy(field);
    pal_mesh_destroy(mesh);
}

// 4 pi inside, 0 outside.
static double solid_angle(const PalMesh *mesh, PalVec3 p)
{
    double sum = 0;
    for (int32_t f = 0; f < mesh->cell_count; ++f) {
        PalVec3 r[3];
        double l[3];
        for (int a = 0; a < 3; ++a) {
            r[a] = pal_vec3_sub(mesh->nodes[mesh->cells[3 * f + a]], p);
            l[a] = pal_vec3_length(r[a]);
        }
        double volume = pal_vec3_dot(r[0], pal_vec3_cross(r[1], r[2]));
        double below = l[0] * l[1] * l[2] + pal_vec3_dot(r[0], r[1]) * l[2] +
                       pal_vec3_dot(r[1], r[2]) * l[0] + pal_vec3_dot(r[2], r[0]) * l[1];
        sum += 2 * atan2(volume, below);
    }
    return sum;
}

static void test_sign_is_exact(void **state)
{
    (void)state;
    const PalShapeKind kinds[] = {PAL_SHAPE_BOX, PAL_SHAPE_SHELL_SPHERE, PAL_SHAPE_CYLINDER};
    for (int k = 0; k < 3; ++k) {
        PalMesh *mesh = closed_shape(kinds[k], pal_vec3(0.8, 0.9, 0.7));
        PalNearest nearest = {.vertices = mesh->nodes,
                              .facets = (const int32_t(*)[3])mesh->cells,
                              .vertex_count = mesh->node_count,
                              .facet_count = mesh->cell_count};
        PalError error = {0};
        check_ok(pal_nearest_init(&nearest, &error), &error);
        uint32_t seed = 7;
        int inside = 0;
        for (int i = 0; i < 3000; ++i) {
            PalVec3 p =
                pal_vec3(between(-1, 1, &seed), between(-1, 1, &seed), between(-1, 1, &seed));
            PalNearestPoint found = pal_nearest_find(&nearest, p, i % 2 == 0 ? PAL_NONE : 3);
            bool is_inside = solid_angle(mesh, p) > 6.3;
            inside += is_inside;
            if (fabs(found.distance) > 1e-9)
                assert_int_equal(found.distance < 0, is_inside);
        }
        assert_true(inside > 100);
        pal_nearest_clear(&nearest);
        pal_mesh_destroy(mesh);
    }
}

static void test_open_surfaces_are_refused(void **state)
{
    (void)state;
    PalMesh *mesh = closed_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1));
    PalFieldDef def = field_def(mesh);
    PalField *field;
    PalError error = {0};
    --def.facet_count;
    assert_int_equal(pal_field_create(&def, &field, &error), PAL_BAD_INPUT);
    assert_null(field);
    error = (PalError){0};
    def.facet_count = mesh->cell_count;
    def.spacing = 1e-9;
    assert_int_equal(pal_field_create(&def, &field, &error), PAL_BAD_INPUT);
    pal_mesh_destroy(mesh);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_box),
    cmocka_unit_test(test_sign_is_exact),
    cmocka_unit_test(test_open_surfaces_are_refused),
};

CHECK_GROUP(tests, NULL, NULL)
