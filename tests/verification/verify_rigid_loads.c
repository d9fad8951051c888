// Free rigid bodies under gravity, forces, torques and springs, against closed forms of the method
// and of mechanics.   docs/theory/rigid.md
#include "math/quaternion.h"
#include "rigids.h"

// The book is exact but for what the first half step leaves: m a^2 dt^2 / 8 with the acceleration
// at the start.
static void check_book(const Rigids *r, double acceleration, double tolerance)
{
    PalEnergy energy = pal_sim_energy(r->run);
    double step = pal_sim_state(r->run)->step, mass = pal_sim_model(r->run)->rigids[0].mass;
    double left = -mass * acceleration * acceleration * step * step / 8;
    check_near(pal_energy_drift(&energy) * pal_energy_scale(&energy), left,
               tolerance * pal_energy_scale(&energy));
}

// Constant forces are met exactly, in any steps.
static void a_thrown_box(void **state)
{
    (void)state;
    for (int method = 0; method < 2; ++method) {
        Rigids r;
        rigids_init(&r);
        PalRigidDef *box = rigids_add_box(&r, "box", pal_vec3(1, 1, 2), pal_vec3(5, 0, 0));
        box->mass = 3;
        box->density = 0;
        box->velocity = pal_vec3(4, 0, 3);
        box->spin = pal_vec3(0, 0, 1.5);
        box->force = pal_vec3(0, 6, 0);
        rigids_pull_down(&r, pal_vec3(0, 0, -9));
        r.sim.solver.method = (PalMethod)method;
        r.sim.solver.step = 0.05;
        rigids_start(&r);
        for (int i = 1; i <= 20; ++i) {
            double t = 0.05 * i;
            rigids_to(&r, t);
            PalVec3 expected = {5 + 4 * t, t * t, 3 * t - 4.5 * t * t};
            PalPose pose;
            PalTwist twist;
            pal_sim_rigid_motion(r.run, 0, &pose, &twist);
            check_near(pal_vec3_distance(pose.centre, expected), 0, 1e-13);
            check_near(pal_vec3_distance(twist.velocity, pal_vec3(4, 2 * t, 3 - 9 * t)), 0, 1e-13);
            PalEnergy energy = pal_sim_energy(r.run);
            check_near(energy.external_work, 6 * t * t + 27 * (4.5 * t * t - 3 * t), 1e-12);
            check_book(&r, sqrt(85), 1e-14);
            PalVec3 turn = pal_sim_angular_momentum(r.run), place = pose.centre;
            PalVec3 orbit = pal_vec3_scale(3, pal_vec3_cross(place, twist.velocity));
            check_near(pal_vec3_distance(pal_vec3_sub(turn, orbit), pal_vec3(0, 0, 0.75)), 0,
                       1e-12);
        }
        rigids_end(&r);
    }
}

// A torque that grows along a table, about a principal axis.
static void a_wheel_is_spun_up(void **state)
{
    (void)state;
    const double points[][2] = {{0, 0}, {1, 2}};
    Rigids r;
    rigids_init(&r);
    PalRigidDef *wheel = rigids_add_box(&r, "wheel", pal_vec3(2, 2, 0.5), pal_vec3(1, 1, 1));
    wheel->density = 3;  // moment about z: 6 (4 + 4) / 12 = 4
    wheel->torque = pal_vec3(0, 0, 8);
    wheel->ramp = (PalRamp){.kind = PAL_RAMP_TABLE, .point_count = 2, .points = points};
    r.sim.solver.step = 1e-3;
    rigids_start(&r);
    rigids_to(&r, 1);
    PalPose pose;
    PalTwist twist;
    pal_sim_rigid_motion(r.run, 0, &pose, &twist);
    check_near(twist.spin.z, 2, 1e-12);  // 8 * 2 t / 4, integrated
    PalVec3 angle = pal_quaternion_rotation_vector(rigids_state(&r, 0)->orientation);
    check_near(angle.z, 2.0 / 3, 1e-6);
    check_near(pal_sim_energy(r.run).external_work, 4 * 2 * 2 / 2.0, 1e-5);
    check_book(&r, 0, 1e-13);
    rigids_end(&r);
}

// Central differences swing with sin(w' h / 2) = w h / 2.
static void a_spring_swings_at_its_frequency(void **state)
{
    (void)state;
    Rigids r;
    rigids_init(&r);
    PalRigidDef *box = rigids_add_box(&r, "box", pal_vec3(1, 1, 1), pal_vec3(0, 0, 0));
    box->velocity = pal_vec3(0, 0.8, 0);
    box->spring.stiffness = 16;
    box->motion.translation = pal_vec3(1, 0, 0);  // 1 from the start
    box->motion.ramp.kind = PAL_RAMP_STEP;
    r.sim.solver.step = 0.02;
    r.sim.solver.time = 20;
    rigids_start(&r);
    double w = asin(4 * 0.02 / 2) / (0.02 / 2);
    for (int i = 1; i <= 100; ++i) {
        rigids_to(&r, 0.2 * i);
        PalVec3 x = rigids_state(&r, 0)->pose.centre;
        check_near(x.x, 1 - cos(w * 0.2 * i), 1e-11);
        // starting at speed: x(1) = v h, so the amplitude is v h / sin(w' h)
        check_near(x.y, 0.8 * 0.02 / sin(w * 0.02) * sin(w * 0.2 * i), 1e-11);
        check_book(&r, 16, 1e-12);
        check_near(rigids_state(&r, 0)->spring_force.y, -16 * x.y, 1e-11);
    }
    rigids_end(&r);
}

// The same for turning, in angles small enough.
static void a_turning_spring_swings_at_its_frequency(void **state)
{
    (void)state;
    Rigids r;
    rigids_init(&r);
    PalRigidDef *box = rigids_add_box(&r, "box", pal_vec3(1, 2, 3), pal_vec3(1, 2, 3));
    const double moments[3] = {6.5, 5, 2.5};  // 6 * (4 + 9) / 12, ...
    const double size = 1e-5;
    for (int axis = 0; axis < 3; ++axis) {
        PalVec3 along = {axis == 0, axis == 1, axis == 2};
        box->spring.turning_stiffness = 16 * moments[axis];
        box->motion.axis = along;
        box->motion.radians = size;
        box->motion.centre = pal_vec3(1, 2, 3);
        box->motion.ramp.kind = PAL_RAMP_STEP;
        r.sim.solver.step = 0.02;
        r.sim.solver.time = 10;
        rigids_start(&r);
        double w = asin(4 * 0.02 / 2) / (0.02 / 2);
        for (int i = 1; i <= 50; ++i) {
            rigids_to(&r, 0.2 * i);
            PalVec3 angle = pal_quaternion_rotation_vector(rigids_state(&r, 0)->orientation);
            check_near(pal_vec3_dot(angle, along), size * (1 - cos(w * 0.2 * i)), 1e-7 * size);
        }
        pal_sim_destroy(r.run);
        r.run = NULL;
    }
    rigids_end(&r);
}

// Mass on spring and damper, with damping of the whole scene on top: x'' + 2 d x' + w^2 x = 0.
static double damped_error(PalMethod method, double step)
{
    Rigids r;
    rigids_init(&r);
    PalRigidDef *box = rigids_add_box(&r, "box", pal_vec3(1, 1, 1), pal_vec3(0, 0, 0));
    box->velocity = pal_vec3(1, 0, 0);
    box->spring.stiffness = 9;
    box->spring.damping = 0.7;
    r.sim.solver.damping = 0.3;
    r.sim.solver.method = method;
    r.sim.solver.step = step;
    r.sim.solver.time = 2;
    rigids_start(&r);
    rigids_to(&r, 2);
    double rate = 0.5, w = sqrt(9 - rate * rate), c = method == PAL_METHOD_NEWMARK ? 0 : 0.3;
    double error = rigids_state(&r, 0)->pose.centre.x - exp(-rate * 2) * sin(w * 2) / w;
    PalEnergy energy = pal_sim_energy(r.run);
    assert_true(energy.external_work < 0 && energy.dissipated > 0);
    // Newmark's damping starts with the velocity at the start, central differences' with a mean
    check_book(&r, 1 / (1 + (0.7 + c) * step / 4), 1e-13);
    rigids_end(&r);
    return error;
}

static void a_damper_damps(void **state)
{
    (void)state;
    for (int method = 0; method < 2; ++method) {
        double coarse = damped_error((PalMethod)method, 0.04);
        double fine = damped_error((PalMethod)method, 0.02);
        check_near(coarse / fine, 4, 0.1);
        assert_true(fabs(fine) < 1e-3);
    }
}

static double kept(double damping, double time)
{
    return (1 - damping * time / 2) / (1 + damping * time / 2);
}

// Damping of the scene takes the same part of velocity and angular momentum in each step.
static void damping_slows_flight_and_spin(void **state)
{
    (void)state;
    Rigids r;
    rigids_init(&r);
    PalRigidDef *box = rigids_add_box(&r, "box", pal_vec3(1, 2, 3), pal_vec3(0, 0, 0));
    box->velocity = pal_vec3(1, 0, 0);
    box->spin = pal_vec3(1, 2, 3);
    r.sim.solver.damping = 0.8;
    r.sim.solver.step = 0.05;
    rigids_start(&r);
    PalVec3 momentum = rigids_state(&r, 0)->momentum;
    double left = kept(0.8, 0.025);  // the first kick is half a step long
    for (int i = 1; i <= 20; ++i) {
        rigids_to(&r, 0.05 * i);
        const PalRigidState *s = rigids_state(&r, 0);
        check_near(pal_vec3_distance(s->velocity, pal_vec3(left, 0, 0)), 0, 1e-14);
        check_near(pal_vec3_distance(s->momentum, pal_vec3_scale(left, momentum)), 0, 1e-12);
        left *= kept(0.8, 0.05);
    }
    PalEnergy energy = pal_sim_energy(r.run);
    check_near(energy.dissipated, energy.initial - energy.kinetic, 1e-3 * energy.initial);
    check_near(energy.kinetic, energy.initial * exp(-1.6), 1e-3 * energy.initial);
    rigids_end(&r);
}

// However strong: after a step or two it moves as it is told.
static void a_strong_damper_is_stable(void **state)
{
    (void)state;
    Rigids r;
    rigids_init(&r);
    PalRigidDef *box = rigids_add_box(&r, "box", pal_vec3(1, 2, 1.5), pal_vec3(0, 0, 0));
    box->spring.damping = 1e4;
    box->spring.turning_damping = 1e4;
    box->motion.translation = pal_vec3(1, 0, 0);
    box->motion.axis = pal_vec3(0, 1, 0.3);
    box->motion.radians = 1;
    box->motion.ramp.kind = PAL_RAMP_LINEAR;
    r.sim.solver.step = 0.01;
    rigids_start(&r);
    rigids_to(&r, 1);
    const PalRigidState *s = rigids_state(&r, 0);
    assert_true(pal_vec3_distance(s->pose.centre, pal_vec3(1, 0, 0)) < 0.02);
    PalVec3 angle = pal_quaternion_rotation_vector(s->orientation);
    assert_true(pal_vec3_distance(angle, pal_vec3_normalise(box->motion.axis)) < 0.02);
    rigids_end(&r);
}

// A body pulled through half a turn and a way by a spring of critical damping arrives there, at
// rest, and the spring carries its weight.
static void a_motion_is_followed(void **state)
{
    (void)state;
    Rigids r;
    rigids_init(&r);
    PalRigidDef *box = rigids_add_box(&r, "tool", pal_vec3(1, 2, 4), pal_vec3(0, 0, 0));
    double mass = 8, beat = 20;
    box->spring = (PalSpringDef){mass * beat * beat, 2 * mass * beat, 400 * 10, 40 * 10};
    box->motion.translation = pal_vec3(3, 0, -1);
    box->motion.axis = pal_vec3(1, 1, 0);
    box->motion.radians = 2.5;
    box->motion.centre = pal_vec3(0.3, 0.2, -0.5);
    box->motion.ramp = (PalRamp){.kind = PAL_RAMP_SMOOTH, .until = 1};
    rigids_pull_down(&r, pal_vec3(0, 0, -10));
    r.sim.solver.time = 3;
    rigids_start(&r);
    rigids_to(&r, 3);
    PalPose pose;
    PalTwist twist;
    pal_sim_rigid_motion(r.run, 0, &pose, &twist);
    const PalRigidState *s = rigids_state(&r, 0);
    PalVec3 sag = {0, 0, -10 / (beat * beat)};
    PalVec3 goal =
        pal_motion_apply(&pal_sim_model(r.run)->rigids[0].motions[0], 3, pal_vec3(0, 0, 0));
    check_near(pal_vec3_distance(pose.centre, pal_vec3_add(goal, sag)), 0, 1e-9);
    check_near(pal_vec3_length(twist.velocity) + pal_vec3_length(twist.spin), 0, 1e-8);
    check_near(pal_vec3_distance(s->spring_force, pal_vec3(0, 0, 80)), 0, 1e-5);
    PalMat3 turn = pal_rotation_about(box->motion.axis, 2.5);
    for (int i = 0; i < 9; ++i)
        check_near(pose.rotation.m[i / 3][i % 3], turn.m[i / 3][i % 3], 1e-8);
    // all that was done has been given back
    PalEnergy energy = pal_sim_energy(r.run);
    check_near(energy.external_work, 0, 0.01 * 80);
    rigids_end(&r);
}

// A program says where the tool is to be, for a body on a spring and for one that goes there at
// once.
static void a_program_steers(void **state)
{
    (void)state;
    Rigids r;
    rigids_init(&r);
    PalRigidDef *pulled = rigids_add_box(&r, "pulled", pal_vec3(1, 1, 1), pal_vec3(0, 0, 0));
    pulled->spring = (PalSpringDef){400, 40, 100, 10};
    PalRigidDef *told = rigids_add_box(&r, "told", pal_vec3(1, 1, 1), pal_vec3(2, 0, 0));
    told->density = 0;
    r.sim.solver.step = 0.01;
    r.sim.solver.time = 4;
    rigids_start(&r);
    PalError error = {0};
    double worst = 0;
    while (!pal_sim_finished(r.run)) {
        double t = pal_sim_state(r.run)->time + 0.01;
        PalPose pose = {pal_rotation_about(pal_vec3(0, 0, 1), t), {0, 0, 0}, {sin(t), 0, 0}};
        PalTwist twist = {{cos(t), 0, 0}, {0, 0, 1}};
        check_ok(pal_sim_set_rigid_pose(r.run, 0, &pose, &twist, &error), &error);
        pose.pivot = pal_vec3(1, 0.5, 0);
        check_ok(pal_sim_set_rigid_pose(r.run, 1, &pose, &twist, &error), &error);
        check_ok(pal_sim_step(r.run, &error), &error);
        PalPose found;
        PalTwist moves;
        pal_sim_rigid_motion(r.run, 1, &found, &moves);
        PalVec3 corner = {2.5, 0.5, 0.5}, expected = pal_pose_apply(&pose, corner);
        check_near(pal_vec3_distance(pal_pose_apply(&found, corner), expected), 0, 1e-14);
        PalVec3 arm = pal_vec3_sub(found.centre, pose.centre);
        PalVec3 speed = pal_vec3_add(twist.velocity, pal_vec3_cross(twist.spin, arm));
        check_near(pal_vec3_distance(moves.velocity, speed), 0, 1e-14);
        pose.pivot = pal_vec3(0, 0, 0);
        if (t > 1) {  // a spring of rate 20 lags by the acceleration over 20^2
            pal_sim_rigid_motion(r.run, 0, &found, &moves);
            worst = fmax(worst, pal_vec3_distance(found.centre, pose.centre));
            check_near(moves.spin.z, 1, 1e-3);
        }
    }
    assert_true(worst > 1e-3 && worst < 0.01);
    PalPose bad = {{{{2, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}, {0, 0, 0}};
    PalTwist still = {{0, 0, 0}, {0, 0, 0}};
    assert_int_equal(pal_sim_set_rigid_pose(r.run, 0, &bad, &still, &error), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_rigid_pose(r.run, 2, &bad, &still, &error), PAL_BAD_INPUT);
    rigids_end(&r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_thrown_box),
    cmocka_unit_test(a_wheel_is_spun_up),
    cmocka_unit_test(a_spring_swings_at_its_frequency),
    cmocka_unit_test(a_turning_spring_swings_at_its_frequency),
    cmocka_unit_test(a_damper_damps),
    cmocka_unit_test(damping_slows_flight_and_spin),
    cmocka_unit_test(a_strong_damper_is_stable),
    cmocka_unit_test(a_motion_is_followed),
    cmocka_unit_test(a_program_steers),
};
CHECK_GROUP(tests, NULL, NULL)
