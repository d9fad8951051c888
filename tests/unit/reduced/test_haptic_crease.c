// A ridge that slides over the points of a body: where its sides meet, a point's force turns from
// one to the other, and does not jump.
#include "math/vec3.h"
#include "reduced/haptic.h"
#include "rig.h"

enum { NODES = 6, FACETS = 8 };

// A roof upside down: its ridge along y at z = 0, both sides inclined by 30 degrees.
static const PalVec3 nodes[NODES] = {{0, -2, 0},       {0, 2, 0},        {-0.6, -2, 0.346},
                                     {-0.6, 2, 0.346}, {0.6, -2, 0.346}, {0.6, 2, 0.346}};
static const int32_t facets[FACETS][3] = {{0, 4, 2}, {1, 3, 5}, {0, 2, 3}, {0, 3, 1},
                                          {0, 1, 5}, {0, 5, 4}, {2, 4, 5}, {2, 5, 3}};

static void open_loop(Handmade *made, PalHaptic **haptic)
{
    PalError error = {0};
    handmade_box(made, pal_vec3(1, 1, 1), (const int32_t[3]){4, 4, 2}, 0);
    const PalHapticRigid roof = {NODES, FACETS, nodes, facets};
    PalHapticDef def = pal_haptic_def_default();
    def.books[0] = made->book;
    def.rigids[1] = &roof;
    check_ok(pal_haptic_create(&def, haptic, &error), &error);
}

static void test_force_turns_at_a_crease(void **state)
{
    (void)state;
    Handmade made;
    PalHaptic *haptic;
    open_loop(&made, &haptic);
    PalVec3 last = {0, 0, 0};
    double most = 0, left = 0, right = 0;
    for (int i = -400; i < 400; ++i) {  // over the nodes at x = 0
        PalHapticPose pose = {{5e-5 * i, 0.01, 0.48}, {1, 0, 0, 0}};
        pal_haptic_set_pose(haptic, 1, &pose);
        pal_haptic_step(haptic, 0);
        pal_haptic_prepare(haptic);
        PalVec3 force = pal_haptic_force(haptic).contact_force;
        if (i > -300)
            most = fmax(most, pal_vec3_distance(force, last) / pal_vec3_length(force));
        left = fmin(left, force.x);
        right = fmax(right, force.x);
        last = force;
    }
    assert_true(left < 0 && right > 0);  // it was pushed to either side
    assert_true(most < 0.01);
    pal_haptic_destroy(haptic);
    handmade_clear(&made);
}

// Along the middle of an edge the normal is the mean of its two facets, whatever faces its ends
// have; from both sides the same.
static void test_normals_along_an_edge(void **state)
{
    (void)state;
    Handmade made;
    PalHaptic *haptic;
    open_loop(&made, &haptic);
    PalHapticShape *roof = &haptic->shapes[1];
    for (int i = 0; i <= 20; ++i) {
        float part = (float)i / 20;
        const float left[3] = {1 - part, 0, part}, right[3] = {1 - part, part, 0};
        PalVec3 one = pal_haptic_smooth_normal(roof, 3, left);
        PalVec3 two = pal_haptic_smooth_normal(roof, 4, right);
        check_near(pal_vec3_distance(one, two), 0, 1e-6);
        if (i >= 5 && i <= 15)
            check_near(pal_vec3_distance(one, pal_vec3(0, 0, -1)), 0, 1e-6);
        else if (i == 0 || i == 20)  // its ends have other facets around
            assert_true(fabs(one.y) > 0.02);
    }
    pal_haptic_destroy(haptic);
    handmade_clear(&made);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_normals_along_an_edge),
    cmocka_unit_test(test_force_turns_at_a_crease),
};

CHECK_GROUP(tests, NULL, NULL)
