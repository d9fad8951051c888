// How impulses turn free rigid bodies.
#include "check.h"
#include "contact/response/free.h"
#include "math/mat3.h"
#include "model/rigid_state.h"
#include "random_material.h"

// Askew, with moments as different as a needle's.
static PalMat3 inverse_inertia(uint64_t *seed)
{
    PalVec3 axis = pal_vec3_normalise(pal_vec3(
        random_between(-1, 1, seed), random_between(-1, 1, seed), random_between(-1, 1, seed)));
    PalMat3 turn = pal_rotation_about(axis, random_between(0, 3, seed)), scaled = turn;
    for (int j = 0; j < 3; ++j) {
        double moment = pow(10, random_between(-1, 1, seed));
        for (int i = 0; i < 3; ++i)
            scaled.m[i][j] /= moment;
    }
    PalMat3 back = pal_mat3_transpose(&turn);
    return pal_mat3_multiply(&scaled, &back);
}

// The spin changes by the inverse inertia times the turn impulse, and by the root times the
// numbers.
static void numbers_and_turn_impulses_agree(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 50; ++i) {
        PalRigidState rigid = {.inverse_inertia = inverse_inertia(&seed)};
        PalFreeBody body = {.rigid = 0};
        pal_free_begin(&body, &rigid);
        PalMat3 transposed = pal_mat3_transpose(&body.root);
        PalMat3 square = pal_mat3_multiply(&body.root, &transposed);
        for (int k = 0; k < 9; ++k)
            check_near(square.m[k / 3][k % 3], rigid.inverse_inertia.m[k / 3][k % 3], 1e-13 * 10);
        PalVec3 change = {random_between(-1, 1, &seed), random_between(-1, 1, &seed),
                          random_between(-1, 1, &seed)};
        PalVec3 turn = pal_free_turn_impulse(&body, change);
        PalVec3 one = pal_mat3_apply(&rigid.inverse_inertia, turn);
        PalVec3 other = pal_mat3_apply(&body.root, change);
        check_near(pal_vec3_distance(one, other), 0, 1e-12 * pal_vec3_length(other));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_and_turn_impulses_agree),
};
CHECK_GROUP(tests, NULL, NULL)
