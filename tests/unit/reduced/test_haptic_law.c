// Contact on a body whose law softens under it: what the loop answers against the full equations
// under the same forces.
#include "base/memory.h"
#include "math/vec3.h"
#include "reduced/haptic.h"
#include "reduced/truth.h"
#include "rig.h"
#include "small_book.h"

static SmallBook small;
static PalVademecum *book;
static PalTruth *truth;
static PalMesh *ball;
static PalHaptic *haptic;

static PalHaptic *open_loop(void)
{
    PalError error = {0};
    PalHaptic *made;
    PalHapticRigid tool = {ball->node_count, ball->cell_count, ball->nodes,
                           (const int32_t(*)[3])ball->cells};
    PalHapticDef def = pal_haptic_def_default();
    def.books[0] = book;
    def.rigids[1] = &tool;
    check_ok(pal_haptic_create(&def, &made, &error), &error);
    return made;
}

// A block that stands on its foot, few modes: much of an indentation is in the local part.
static int set_up(void **state)
{
    (void)state;
    PalError error = {0};
    small_book_init(&small, 4, PAL_VADEMECUM_AUTO);
    pal_mesh_destroy(small.mesh);
    PalShapeDef shape = pal_shape_def_default();
    shape.kind = PAL_SHAPE_BOX;
    shape.extent = (PalVec3){1, 1, 0.6};
    shape.cells[0] = shape.cells[1] = 5;
    shape.cells[2] = 3;
    check_ok(pal_mesh_create_shape(&shape, &small.mesh, &error), &error);
    small.body.mesh = small.mesh;
    small.hold.where.kind = PAL_WHERE_BOX;
    small.hold.where.box = (PalBounds){{-1, -1, -0.31}, {1, 1, -0.29}};
    small.def.patch = 0.3;
    small.def.largest = 20;
    small.def.mode_limit = 12;
    check_ok(pal_vademecum_build(&small.def, &book, &error), &error);
    check_ok(pal_truth_create(&small.model, 0, 1, &truth, &error), &error);
    ball = ball_mesh(0.3, 0.06);
    haptic = open_loop();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pal_haptic_destroy(haptic);
    pal_mesh_destroy(ball);
    pal_truth_destroy(truth);
    pal_vademecum_destroy(book);
    small_book_clear(&small);
    return 0;
}

static void press(double depth, int steps)
{
    for (int i = 0; i < steps; ++i) {
        PalHapticPose pose = {{0.03, 0.02, 0.6 - depth * fmin(1, 2.0 * i / steps)}, {1, 0, 0, 0}};
        pal_haptic_set_pose(haptic, 1, &pose);
        pal_haptic_step(haptic, 0);
        pal_haptic_prepare(haptic);
    }
    pal_haptic_settle(haptic);
}

static double *vector(void)
{
    double *list = calloc((size_t)truth->size, sizeof *list);
    assert_non_null(list);
    return list;
}

// How much less work the forces of contact do on the loop's displacements than on those of the full
// equations under these forces.
static double lacking_work(void)
{
    PalError error = {0};
    PalTruthWay way;
    double *f = vector(), *u = vector(), one = 1, full = 0, ours = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t i = 0; i < haptic->pulled_count[0]; ++i) {
            int32_t node = haptic->pulled[0][i];
            PalVec3 force =
                pal_mat3_apply(pal_haptic_patch(&haptic->shapes[0], node), haptic->pull[0][node]);
            PalVec3 moved = pal_haptic_displacement(haptic, 0, node);
            for (int axis = 0; axis < 3; ++axis) {
                int32_t row = truth->stiffness->equation[3 * book->node_number[node] + axis];
                assert_true(row >= 0 && row < truth->size);
                f[row] = pal_vec3_at(force, axis);
                full += f[row] * u[row];
                ours += pass * f[row] * pal_vec3_at(moved, axis);
            }
        }
        if (pass == 0)
            check_ok(pal_truth_follow(truth, f, 1, &one, u, &way, &error), &error);
    }
    assert_true(way.found == 1 && full > 0);
    free(f);
    free(u);
    return 1 - ours / full;
}

static void the_law_softens_under_contact(void **state)
{
    (void)state;
    PalHapticDefect *defect = &haptic->defects[0];
    assert_true(defect->used);
    press(0.06, 400);
    assert_true(pal_haptic_force(haptic).contacts > 2);
    assert_true(fabs(lacking_work()) < 0.02);
    double corrected = pal_haptic_force(haptic).contact_force.z;
    pal_haptic_reset(haptic);
    defect->used = false;
    press(0.06, 400);
    assert_true(lacking_work() > 0.04);  // it is too stiff without
    assert_true(pal_haptic_force(haptic).contact_force.z > 1.02 * corrected);
    defect->used = true;
}

// Corrections come and go with contact, and add no force of their own.
static void corrections_balance_each_other(void **state)
{
    (void)state;
    const PalHapticDefect *defect = &haptic->defects[0];
    pal_haptic_reset(haptic);
    press(0.06, 400);
    PalVec3 sum = {0, 0, 0};
    double size = 0;
    for (int32_t i = 0; i < defect->node_count; ++i) {
        PalVec3 c = defect->force[defect->nodes[i]].modes;
        sum = pal_vec3_add(sum, c);
        size += pal_vec3_length(c);
    }
    assert_true(size > 0);
    assert_true(pal_vec3_length(sum) < 1e-3 * size);
    PalHapticPose away = {{0, 0, 3}, {1, 0, 0, 0}};
    pal_haptic_set_pose(haptic, 1, &away);
    for (int i = 0; i < 200; ++i) {
        pal_haptic_step(haptic, 0);
        pal_haptic_prepare(haptic);
    }
    assert_int_equal(defect->biased_count, 0);
    for (int32_t n = 0; n < pal_haptic_node_count(haptic, 0); ++n)
        assert_true(pal_vec3_length(pal_haptic_displacement(haptic, 0, n)) < 1e-6);
}

// Where corrections take several steps to find, none acts before all are known, and they come in
// equal parts: forces of some of the nodes alone are not in balance.
static void corrections_come_together(void **state)
{
    (void)state;
    PalHapticDefect *defect = &haptic->defects[0];
    PalHapticShape *shape = &haptic->shapes[0];
    pal_haptic_reset(haptic);
    press(0.06, 40);
    PalHapticPulls pulls = {haptic->pulled_count[0], haptic->pulled[0], haptic->pull[0]};
    int32_t node = pulls.nodes[0], parts = 0, still = 0;
    double first = 0;
    for (int i = 0; i < 4000 && parts < 3; ++i) {
        PalVec3 before = shape->bias[node];
        int32_t left = defect->glides;
        bool moved = pal_haptic_defect_advance(defect, shape, &haptic->balances[0], &pulls, 2000);
        pal_haptic_shape_moved(shape);
        double way = pal_vec3_distance(shape->bias[node], before);
        assert_true(moved || way == 0);
        still += !moved;
        if (!moved)
            continue;
        if (left > 1)
            check_near(way, first, 1e-9 * (1 + first));
        first = way;
        parts = defect->steps > 2 && left > 1 ? parts + 1 : parts;
    }
    assert_true(still > 3 && parts == 3 && first > 0);
}

// Corrections that would be longer than what they correct stay at that bound, and the force of a
// tool that is held there stands still.
static void corrections_rest_at_their_bound(void **state)
{
    (void)state;
    const PalHapticDefect *defect = &haptic->defects[0];
    double least = INFINITY, most = 0;
    pal_haptic_reset(haptic);
    press(0.2, 3000);
    assert_true(defect->trust < 0.95);
    check_near(haptic->shapes[0].bias_most / haptic->shapes[0].local_most, 1, 1e-4);
    for (int i = 0; i < 600; ++i) {
        pal_haptic_step(haptic, 0);
        pal_haptic_prepare(haptic);
        double force = pal_haptic_force(haptic).contact_force.z;
        least = fmin(least, force);
        most = fmax(most, force);
    }
    assert_true(least > 0 && most - least < 1e-4 * most);
}

// So deep that there is no balance, forces that the loop finds go to and fro by six times what is
// felt: none of that is felt at once.
static void a_tool_held_far_too_deep_does_not_tremble(void **state)
{
    (void)state;
    pal_haptic_reset(haptic);
    press(0.48, 3000);
    PalVec3 last = pal_haptic_force(haptic).contact_force;
    int beyond = 0;
    for (int i = 0; i < 1000; ++i) {
        beyond += pal_haptic_step(haptic, 0) == PAL_HAPTIC_BEYOND;
        PalVec3 force = pal_haptic_force(haptic).contact_force;
        assert_true(haptic->follows < 0.05);
        assert_true(pal_vec3_distance(force, last) <=
                    1.001 * haptic->follows * fmax(pal_vec3_length(last), small.def.largest));
        last = force;
        pal_haptic_prepare(haptic);
    }
    assert_int_equal(beyond, 1000);
}

// This law softens, and the stiffness at rest is twice as stiff where the bound of coefficients is:
// the force neither jumps there nor is another one on the way back.
static void the_way_back_from_the_bound_is_the_way_there(void **state)
{
    (void)state;
    enum { POSES = 60, EACH = 30 };
    const double deepest = 0.28;
    double forces[POSES + 1] = {0}, last = 0, passed = 0;
    pal_haptic_reset(haptic);
    for (int i = 1; i <= 2 * POSES * EACH; ++i) {
        double depth = deepest * (i <= POSES * EACH ? i : 2 * POSES * EACH - i) / (POSES * EACH);
        PalHapticPose pose = {{0.03, 0.02, 0.6 - depth}, {1, 0, 0, 0}};
        pal_haptic_set_pose(haptic, 1, &pose);
        pal_haptic_step(haptic, 0);
        pal_haptic_prepare(haptic);
        double force = pal_haptic_force(haptic).contact_force.z;
        assert_true(fabs(force - last) < 0.01 * small.def.largest + 0.01 * force);
        last = force;
        passed += haptic->limits[0].passed;
        int pose_index = i <= POSES * EACH ? i / EACH : 2 * POSES - i / EACH;
        if (i % EACH == 0 && i <= POSES * EACH)
            forces[pose_index] = force;
        else if (i % EACH == 0)
            assert_true(fabs(force - forces[pose_index]) < 0.06 * fmax(force, small.def.largest));
    }
    assert_true(passed > 5 * EACH && forces[POSES] > 5 * small.def.largest);
}

// Along a sliding path the force changes by little from step to step, though points come and go.
static void sliding_is_continuous(void **state)
{
    (void)state;
    pal_haptic_reset(haptic);
    press(0.05, 250);
    double last = pal_vec3_length(pal_haptic_force(haptic).contact_force), most = 0;
    PalVec3 before = pal_haptic_force(haptic).contact_force;
    for (int i = 0; i < 500; ++i) {
        PalHapticPose pose = {{0.03 + 1e-4 * i, 0.02, 0.55}, {1, 0, 0, 0}};
        pal_haptic_set_pose(haptic, 1, &pose);
        pal_haptic_step(haptic, 0);
        pal_haptic_prepare(haptic);
        PalVec3 force = pal_haptic_force(haptic).contact_force;
        most = fmax(most, pal_vec3_distance(force, before) / last);
        last = pal_vec3_length(force);
        before = force;
    }
    assert_true(last > 0);
    assert_true(most < 0.01);
}

// With too little time ahead of each step the answer is coarse, but not far off.
// A tool that leaps is ahead of corrections, which is said while they are well on the way only; a
// slow one is not.
static void what_lags_behind_is_said(void **state)
{
    (void)state;
    enum { HELD = 200, SLOW = 2000 };
    const double depth = 0.04;
    int behind = 0;
    double force[HELD];
    bool full[HELD];
    PalHapticPose pose = {{0.03, 0.02, 0.6 - depth}, {1, 0, 0, 0}};
    pal_haptic_reset(haptic);
    for (int i = 0; i < HELD; ++i) {
        pal_haptic_set_pose(haptic, 1, &pose);
        PalHapticQuality quality = pal_haptic_step(haptic, 0);
        full[i] = quality == PAL_HAPTIC_FULL;
        behind += quality == PAL_HAPTIC_PREDICTED;
        force[i] = pal_haptic_force(haptic).contact_force.z;
        pal_haptic_prepare(haptic);
    }
    assert_true(behind > 0);
    for (int i = 1; i < HELD; ++i)
        assert_true(!full[i] || fabs(force[i] / force[HELD - 1] - 1) < 0.1);
    pal_haptic_reset(haptic);
    for (int i = 0; i <= SLOW; ++i) {
        pose.position.z = 0.6 - depth * i / SLOW;
        pal_haptic_set_pose(haptic, 1, &pose);
        assert_int_equal(pal_haptic_step(haptic, 0), PAL_HAPTIC_FULL);
        pal_haptic_prepare(haptic);
    }
    check_near(pal_haptic_force(haptic).contact_force.z, force[HELD - 1], 0.01 * force[HELD - 1]);
}

static void little_time_is_said(void **state)
{
    (void)state;
    pal_haptic_reset(haptic);
    press(0.05, 250);
    double force = pal_haptic_force(haptic).contact_force.z;
    pal_haptic_reset(haptic);
    bool coarse = false;
    for (int i = 0; i < 250; ++i) {
        PalHapticPose pose = {{0.03, 0.02, 0.6 - 0.05 * fmin(1, 2.0 * i / 250)}, {1, 0, 0, 0}};
        pal_haptic_set_pose(haptic, 1, &pose);
        coarse = pal_haptic_step(haptic, 0) == PAL_HAPTIC_COARSE || coarse;
        pal_haptic_prepare_within(haptic, 1e-6);
    }
    assert_true(coarse);
    check_near(pal_haptic_force(haptic).contact_force.z / force, 1, 0.25);
}

enum { PATH = 300 };

// Presses and slides.
static void follow_path(PalHaptic *loop, PalVec3 forces[PATH])
{
    for (int i = 0; i < PATH; ++i) {
        double part = i / (double)PATH;
        PalHapticPose pose = {{0.03 + 0.1 * part, 0.02, 0.6 - 0.06 * fmin(1, 2 * part)},
                              {1, 0, 0, 0.1 * part}};
        pal_haptic_set_pose(loop, 1, &pose);
        pal_haptic_step(loop, 0);
        pal_haptic_prepare(loop);
        forces[i] = pal_haptic_force(loop).force;
    }
}

// Whatever was before, to the last bit.
static void a_loop_that_was_reset_is_as_new(void **state)
{
    (void)state;
    PalVec3 fresh[PATH], again[PATH];
    PalHaptic *loop = open_loop();
    follow_path(loop, fresh);
    assert_true(fresh[PATH - 1].z > 0);
    for (int before = 0; before < 200; before += 67) {  // corrections are at several stages then
        for (int i = 0; i < before; ++i) {
            PalHapticPose pose = {{-0.1, 0.1, 0.6 - 1e-3 * i}, {1, 0.1, 0, 0}};
            pal_haptic_set_pose(loop, 1, &pose);
            pal_haptic_set_velocity(loop, pal_vec3(0, 0, -1), pal_vec3(0, 0, 0));
            pal_haptic_step(loop, 0);
            if (i + 1 < before)
                pal_haptic_prepare(loop);
        }
        pal_haptic_reset(loop);
        follow_path(loop, again);
        assert_memory_equal(fresh, again, sizeof fresh);
    }
    pal_haptic_destroy(loop);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_law_softens_under_contact),
    cmocka_unit_test(corrections_balance_each_other),
    cmocka_unit_test(corrections_come_together),
    cmocka_unit_test(corrections_rest_at_their_bound),
    cmocka_unit_test(a_tool_held_far_too_deep_does_not_tremble),
    cmocka_unit_test(the_way_back_from_the_bound_is_the_way_there),
    cmocka_unit_test(sliding_is_continuous),
    cmocka_unit_test(what_lags_behind_is_said),
    cmocka_unit_test(little_time_is_said),
    cmocka_unit_test(a_loop_that_was_reset_is_as_new),
};

CHECK_GROUP(tests, set_up, tear_down)
