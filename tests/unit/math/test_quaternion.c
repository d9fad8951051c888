// Quaternions against rotation matrices.
#include "check.h"
#include "math/quaternion.h"
#include "random_material.h"
#include <palpate/mesh.h>

static PalVec3 random_vector(uint64_t *seed)
{
    double x = random_between(-1, 1, seed), y = random_between(-1, 1, seed);
    return pal_vec3(x, y, random_between(-1, 1, seed));
}

static PalQuaternion about(PalVec3 axis, double radians)
{
    PalVec3 a = pal_vec3_scale(sin(radians / 2), pal_vec3_normalise(axis));
    return (PalQuaternion){cos(radians / 2), a.x, a.y, a.z};
}

static void check_same(const PalMat3 *a, const PalMat3 *b, double tolerance)
{
    for (int i = 0; i < 9; ++i)
        check_near(a->m[i / 3][i % 3], b->m[i / 3][i % 3], tolerance);
}

static void they_turn_as_matrices_do(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 200; ++i) {
        PalVec3 axis = random_vector(&seed), other = random_vector(&seed), x = random_vector(&seed);
        double angle = random_between(-7, 7, &seed);
        PalQuaternion q = about(axis, angle), p = about(other, 1);
        PalMat3 expected = pal_rotation_about(axis, angle), found = pal_quaternion_matrix(q);
        PalMat3 second = pal_rotation_about(other, 1);
        check_same(&found, &expected, 1e-14);
        check_near(pal_vec3_distance(pal_quaternion_apply(q, x), pal_mat3_apply(&expected, x)), 0,
                   1e-14);
        // p after q
        PalMat3 both = pal_mat3_multiply(&second, &expected);
        found = pal_quaternion_matrix(pal_quaternion_multiply(p, q));
        check_same(&found, &both, 1e-14);
        PalVec3 back =
            pal_quaternion_apply(pal_quaternion_conjugate(q), pal_quaternion_apply(q, x));
        check_near(pal_vec3_distance(back, x), 0, 1e-14);
    }
}

// At half a turn all but one way to read a matrix divides by nearly nothing.
static void matrices_are_read_back(void **state)
{
    (void)state;
    uint64_t seed = 2;
    const double angles[] = {0, 1e-12, 1e-4, 1, 3, 3.14159265, 3.14159265358979323846, 3.2, 6};
    for (int i = 0; i < 300; ++i) {
        PalVec3 axis = random_vector(&seed);
        for (size_t a = 0; a < sizeof angles / sizeof angles[0]; ++a) {
            PalMat3 matrix = pal_rotation_about(axis, angles[a]);
            PalQuaternion q = pal_quaternion_from_matrix(&matrix);
            PalMat3 found = pal_quaternion_matrix(q);
            check_same(&found, &matrix, 4e-15);
            assert_true(q.w >= 0);
        }
    }
}

static void rotation_vectors_take_the_short_way(void **state)
{
    (void)state;
    PalVec3 axis = {0.6, 0, 0.8};
    const double given[] = {0, 1e-12, 1e-8, 0.3, 3, 4, 6, -0.3};
    const double shown[] = {0,   1e-12, 1e-8, 0.3, 3, 4 - 6.283185307179586, 6 - 6.283185307179586,
                            -0.3};
    for (int i = 0; i < 8; ++i) {
        PalVec3 v = pal_quaternion_rotation_vector(about(axis, given[i]));
        check_near(pal_vec3_dot(v, axis), shown[i], 1e-15 + 1e-14 * fabs(shown[i]));
        check_near(pal_vec3_length(pal_vec3_cross(v, axis)), 0, 1e-14);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(they_turn_as_matrices_do),
    cmocka_unit_test(matrices_are_read_back),
    cmocka_unit_test(rotation_vectors_take_the_short_way),
};
CHECK_GROUP(tests, NULL, NULL)
