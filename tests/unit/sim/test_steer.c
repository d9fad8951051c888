// Steering rigid instruments and time: poses on the way, steps that end where they should, runs
// without an end, budgets, and what is refused.
#include "rigids.h"
#include "sim/sim.h"
#include "touch.h"

enum { BLOCK, PLATE };

// A soft block, held below, and a plate that hovers over it.
static Touch block_and_plate(double time, double gap)
{
    Touch t = touch_nothing(time);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){3, 3, 3},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, -0.5)),
                   100, 0.3, 1);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(2, 2, 0.2), (int32_t[]){2, 2, 1},
                                    PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0.1 + gap)));
    touch_side(&t, BLOCK, PAL_CONDITION_FIX, 2, false);
    touch_pair(&t, BLOCK, PLATE, 0.2);
    return t;
}

static PalPose shifted(double x, double y, double z)
{
    return (PalPose){pal_mat3_identity(), {0, 0, 0}, {x, y, z}};
}

// ---- poses ------------------------------------------------------------------------------

// Halfway in time it is halfway along the straight line, and has turned by half the angle.
static void a_move_is_even(void **state)
{
    (void)state;
    Touch t = block_and_plate(10, 1);
    t.rigids[0].motion.translation = pal_vec3(5, 0, 0);  // that no longer counts
    touch_start(&t);
    touch_advance(&t, 0.1);
    PalError error = {0};
    PalPose before = pal_sim_state(t.run)->rigids[0].pose, pose = shifted(1, 2, 3);
    double start = pal_sim_state(t.run)->time, angle = 1;
    PalVec3 axis = {1, -1, 0.5};
    pose.rotation = pal_rotation_about(axis, angle);
    check_ok(pal_sim_move_rigid(t.run, 0, &pose, start + 0.0777, &error), &error);
    double step = pal_sim_next_step(t.run), length = sqrt(2.25);
    check_near(0.0777 / step, round(0.0777 / step), 1e-9);
    while (pal_sim_state(t.run)->time < start + 0.0777) {
        PalRigidReading now;
        check_ok(pal_sim_step(t.run, &error), &error);
        check_ok(pal_sim_read_rigid(t.run, 0, &now, &error), &error);
        double s = (pal_sim_state(t.run)->time - start) / 0.0777;
        PalMat3 turned = pal_rotation_about(axis, s * angle);
        PalVec3 way = pal_vec3_sub(pose.centre, before.centre);
        PalVec3 expected = pal_vec3_add_scaled(before.centre, s, way);
        check_near(pal_vec3_distance(now.pose.centre, expected), 0, 1e-12);
        for (int i = 0; i < 9; ++i)
            check_near(now.pose.rotation.m[i / 3][i % 3], turned.m[i / 3][i % 3], 1e-12);
        check_near(now.twist.velocity.z, 3 / 0.0777, 1e-9);
        check_near(now.twist.spin.x, angle / length / 0.0777, 1e-9);
    }
    assert_true(pal_sim_state(t.run)->time == start + 0.0777);
    check_ok(pal_sim_step(t.run, &error), &error);
    PalRigidReading after;  // it stands
    check_ok(pal_sim_read_rigid(t.run, 0, &after, &error), &error);
    assert_true(after.pose.centre.z == 3 && pal_vec3_length(after.twist.velocity) == 0 &&
                pal_vec3_length(after.twist.spin) == 0);
    touch_end(&t);
}

// A pose that is set is reached by the end of the next step, with the velocity told; a velocity
// holds for that step only.
static void a_pose_is_set_for_the_next_step(void **state)
{
    (void)state;
    Touch t = block_and_plate(10, 1);
    touch_start(&t);
    PalError error = {0};
    PalPose pose = shifted(0, 0, 0.25), found;
    PalTwist twist = {{0, 0, 7}, {0, 0, 0}}, moves;
    check_ok(pal_sim_set_rigid_pose(t.run, 0, &pose, &twist, &error), &error);
    check_ok(pal_sim_step(t.run, &error), &error);
    pal_sim_rigid_motion(t.run, 0, &found, &moves);
    assert_true(found.centre.z == 0.25 && moves.velocity.z == 7);
    check_ok(pal_sim_step(t.run, &error), &error);
    pal_sim_rigid_motion(t.run, 0, &found, &moves);
    assert_true(found.centre.z == 0.25 && moves.velocity.z == 0);
    // a move to a time that has passed is the same, without a velocity
    pose = shifted(0, 0, 0.5);
    check_ok(pal_sim_move_rigid(t.run, 0, &pose, 0, &error), &error);
    check_ok(pal_sim_step(t.run, &error), &error);
    pal_sim_rigid_motion(t.run, 0, &found, &moves);
    assert_true(found.centre.z == 0.5 && moves.velocity.z == 0);
    touch_end(&t);
}

// Steps of a given length stay as they are: the first that is not before the time has arrived.
static void given_steps_stay_as_they_are(void **state)
{
    (void)state;
    Touch t = block_and_plate(10, 1);
    t.sim.solver.step = 0.01;
    touch_start(&t);
    PalError error = {0};
    PalPose pose = shifted(0, 0, 1);
    check_ok(pal_sim_move_rigid(t.run, 0, &pose, 0.025, &error), &error);
    const double heights[] = {0.4, 0.8, 1, 1};
    for (int i = 0; i < 4; ++i) {
        check_ok(pal_sim_step(t.run, &error), &error);
        check_near(pal_sim_state(t.run)->time, 0.01 * (i + 1), 1e-15);
        check_near(pal_sim_state(t.run)->rigids[0].pose.centre.z, heights[i], 1e-12);
    }
    touch_end(&t);
}

// Periods of a program and output times, none of which fall together but for rounding: steps end at
// each, none is absurdly short, and the length changes no more often than it must.
static void steps_end_at_periods_and_output_times(void **state)
{
    (void)state;
    Touch t = block_and_plate(INFINITY, 1);
    t.sim.align = 0.03;
    touch_start(&t);
    PalError error = {0};
    double usual = pal_sim_next_step(t.run), least = INFINITY;
    int outputs = 0;
    for (int p = 1; p <= 60; ++p) {
        double time = p * 0.01;  // 3 of them are 0.03, or the next number
        PalPose pose = shifted(0, 0, 0.1 * sin(p));
        check_ok(pal_sim_move_rigid(t.run, 0, &pose, time, &error), &error);
        while (pal_sim_state(t.run)->time < time * (1 - 1e-12)) {
            check_ok(pal_sim_step(t.run, &error), &error);
            least = fmin(least, pal_sim_state(t.run)->step);
            double frames = pal_sim_state(t.run)->time / 0.03;
            outputs += fabs(frames - round(frames)) < 1e-12;
        }
        check_near(pal_sim_state(t.run)->time, time, 1e-12);
        check_near(pal_sim_state(t.run)->rigids[0].pose.centre.z, pose.centre.z, 1e-12);
    }
    assert_int_equal(outputs, 20);
    assert_true(least > 0.3 * usual);
    touch_end(&t);
}

// An output time and an arrival that differ in the last bit are one stop.
static void stops_that_are_as_good_as_one_are_one(void **state)
{
    (void)state;
    Touch t = block_and_plate(INFINITY, 1);
    t.sim.align = 0.05;
    touch_start(&t);
    PalError error = {0};
    PalPose pose = shifted(0, 0, 0.1);
    double usual = pal_sim_next_step(t.run), least = INFINITY;
    check_ok(pal_sim_move_rigid(t.run, 0, &pose, nextafter(0.05, 1), &error), &error);
    while (pal_sim_state(t.run)->time < 0.07) {
        check_ok(pal_sim_step(t.run, &error), &error);
        least = fmin(least, pal_sim_state(t.run)->step);
    }
    assert_true(least > 0.5 * usual);
    check_near(pal_sim_state(t.run)->rigids[0].pose.centre.z, 0.1, 0);
    touch_end(&t);
}

static void equal_periods_have_equal_steps(void **state)
{
    (void)state;
    Touch t = block_and_plate(INFINITY, 1);
    touch_start(&t);
    PalError error = {0};
    double period = 2.5 * pal_sim_next_step(t.run);
    for (int p = 1; p <= 20; ++p) {
        PalPose pose = shifted(0, 0, 0.01 * p);
        check_ok(pal_sim_move_rigid(t.run, 0, &pose, p * period, &error), &error);
        touch_advance(&t, p * period);
        check_near(pal_sim_state(t.run)->step, period / 3, 1e-9 * period);
    }
    assert_int_equal(pal_sim_state(t.run)->step_count, 60);
    touch_end(&t);
}

// The bound on the step is looked at again before a fast plate has come far.
static void a_fast_plate_is_foreseen(void **state)
{
    (void)state;
    Touch t = block_and_plate(INFINITY, 1);
    touch_start(&t);
    touch_advance(&t, 0.5);
    PalError error = {0};
    const PalSolver *solver = t.run->solver;
    int64_t calm = solver->next_estimate - pal_sim_state(t.run)->step_count;
    PalPose pose = shifted(0, 0, -1);
    double now = pal_sim_state(t.run)->time, speed = 1 / 0.02;
    check_ok(pal_sim_move_rigid(t.run, 0, &pose, now + 0.02, &error), &error);
    int64_t left = solver->next_estimate - pal_sim_state(t.run)->step_count;
    double edge = pal_sim_contact_report(t.run).mean_edge;
    assert_true(left >= 1 && left < calm);
    assert_true(left == 1 || (double)left * solver->next_step * speed <= 0.25 * edge * (1 + 1e-9));
    PalTwist twist = {{0, 0, -speed}, {0, 0, 0}};  // and so by its velocity alone, or by a jump
    touch_advance(&t, now + 0.004);
    pose = pal_sim_state(t.run)->rigids[0].pose;
    check_ok(pal_sim_set_rigid_pose(t.run, 0, &pose, &twist, &error), &error);
    left = solver->next_estimate - pal_sim_state(t.run)->step_count;
    assert_true(left == 1 || (double)left * solver->next_step * speed <= 0.25 * edge * (1 + 1e-9));
    touch_end(&t);
    t = block_and_plate(INFINITY, 1);
    touch_start(&t);
    touch_advance(&t, 0.5);
    pose = shifted(0, 0, -0.5);
    check_ok(pal_sim_set_rigid_pose(t.run, 0, &pose, &(PalTwist){0}, &error), &error);
    assert_int_equal(t.run->solver->next_estimate - pal_sim_state(t.run)->step_count, 1);
    touch_end(&t);
}

// What a plate that presses reads is what holds the block, and a spring that presses a free plate
// carries what the contact does.
static void forces_are_read(void **state)
{
    (void)state;
    for (int free = 0; free < 2; ++free) {
        Touch t = block_and_plate(INFINITY, 0.05);
        t.sim.solver.damping = 10;
        if (free) {
            t.rigids[0].mass = 1;
            t.rigids[0].spring = (PalSpringDef){300, 20, 300, 20};
        }
        touch_start(&t);
        PalError error = {0};
        PalPose pose = shifted(0, 0, free ? -0.3 : -0.15);
        check_ok(pal_sim_move_rigid(t.run, 0, &pose, 1, &error), &error);
        touch_advance(&t, 6);
        PalRigidReading reading;
        check_ok(pal_sim_read_rigid(t.run, 0, &reading, &error), &error);
        PalVec3 held = {0, 0, 0};
        for (int32_t n = 0; n < pal_sim_model(t.run)->node_count; ++n)
            held = pal_vec3_add(held, pal_sim_state(t.run)->reaction[n]);
        assert_true(reading.contact_force.z > 1);
        check_near(reading.contact_force.z / held.z, 1, 1e-3);
        check_near(reading.contact_torque.x, 0, 1e-2 * held.z);
        if (free) {
            check_near(-reading.spring_force.z / held.z, 1, 1e-3);
            double goal = reading.goal.centre.z, stretch = reading.pose.centre.z - goal;
            check_near(reading.spring_force.z, -300 * stretch, 1e-2);
            assert_true(reading.goal.centre.z < reading.pose.centre.z - 0.01);
            // told to go where it is wanted already, the far end of the spring stays there
            check_ok(pal_sim_move_rigid(t.run, 0, &pose, 7, &error), &error);
            touch_advance(&t, 6.5);
            check_ok(pal_sim_read_rigid(t.run, 0, &reading, &error), &error);
            check_near(reading.goal.centre.z, goal, 1e-12);
        } else {
            check_near(reading.pose.centre.z, -0.15, 1e-15);
            check_near(pal_vec3_length(reading.spring_force), 0, 0);
        }
        touch_end(&t);
    }
}

// A free box is pushed and turned by what a program says: it gains the impulse of a load that grows
// evenly and then stays.
static void a_free_body_is_pushed(void **state)
{
    (void)state;
    Rigids r;
    rigids_init(&r);
    PalRigidDef *box = rigids_add_box(&r, "box", pal_vec3(1, 1, 1), pal_vec3(0, 0, 0));
    box->force = pal_vec3(0, 7, 0);  // until something else is said
    r.sim.solver.time = INFINITY;
    r.sim.solver.step = 0.001;
    rigids_start(&r);
    rigids_to(&r, 1);
    PalError error = {0};
    PalVec3 push = {3, 0, 0}, turn = {0, 0, 0.06};
    check_ok(pal_sim_set_rigid_load(r.run, 0, push, turn, 2, &error), &error);
    rigids_to(&r, 4);
    PalRigidReading reading;
    check_ok(pal_sim_read_rigid(r.run, 0, &reading, &error), &error);
    check_near(reading.twist.velocity.x, 3 * (0.5 + 2), 1e-9);
    check_near(reading.twist.velocity.y, 7 * (1 + 0.5), 1e-9);
    check_near(reading.twist.spin.z, 0.06 * 6 * (0.5 + 2), 1e-9);
    PalEnergy energy = pal_sim_energy(r.run);
    assert_true(fabs(pal_energy_drift(&energy)) < 1e-6);
    push.x = NAN;
    assert_int_equal(pal_sim_set_rigid_load(r.run, 0, push, turn, 5, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_rigid_load(r.run, 1, turn, turn, 5, NULL), PAL_BAD_INPUT);
    rigids_end(&r);
    Touch t = block_and_plate(10, 1);
    touch_start(&t);
    assert_int_equal(pal_sim_set_rigid_load(t.run, 0, turn, turn, 5, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "\"rigid\" has no mass"));
    touch_end(&t);
}

static void bad_poses_are_refused(void **state)
{
    (void)state;
    Rigids r;
    rigids_init(&r);
    rigids_add_box(&r, "loose", pal_vec3(1, 1, 1), pal_vec3(0, 0, 0));
    r.sim.solver.step = 0.1;
    rigids_start(&r);
    PalPose pose = shifted(0, 0, 0), bad = pose;
    PalRigidReading reading;
    PalError error = {0};
    assert_int_equal(pal_sim_move_rigid(r.run, 0, &pose, 1, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "\"loose\" is free and has no spring"));
    rigids_end(&r);
    Touch t = block_and_plate(10, 1);
    touch_start(&t);
    uint64_t before = pal_sim_hash(t.run);
    bad.rotation.m[0][0] = 2;
    assert_int_equal(pal_sim_move_rigid(t.run, 0, &bad, 1, NULL), PAL_BAD_INPUT);
    bad = pose;
    bad.centre.y = NAN;
    assert_int_equal(pal_sim_move_rigid(t.run, 0, &bad, 1, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_move_rigid(t.run, 0, &pose, NAN, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_move_rigid(t.run, 0, &pose, INFINITY, NULL), PAL_BAD_INPUT);
    error = (PalError){0};
    assert_int_equal(pal_sim_move_rigid(t.run, 1, &pose, 1, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "no rigid instrument 1, expected 0 to 0"));
    assert_int_equal(pal_sim_move_rigid(t.run, -1, &pose, 1, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_read_rigid(t.run, 1, &reading, NULL), PAL_BAD_INPUT);
    assert_true(pal_sim_hash(t.run) == before);
    touch_end(&t);
    t = block_and_plate(10, 1);
    t.sim.solver.method = PAL_METHOD_RELAXATION;
    touch_start(&t);
    error = (PalError){0};
    assert_int_equal(pal_sim_move_rigid(t.run, 0, &pose, 1, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "method relaxation cannot be steered"));
    touch_end(&t);
}

// ---- time -------------------------------------------------------------------------------

static void a_run_may_have_no_end(void **state)
{
    (void)state;
    for (int method = 0; method < 2; ++method) {
        Touch t = block_and_plate(INFINITY, 1);
        t.sim.solver.method = (PalMethod)method;
        touch_start(&t);
        double step = pal_sim_next_step(t.run);
        assert_true(isfinite(step) && step > 0);
        touch_advance(&t, 50 * step);
        assert_int_equal(pal_sim_state(t.run)->step_count, 50);
        assert_false(pal_sim_finished(t.run));
        check_near(pal_sim_progress(t.run), 0, 0);
        PalError error = {0};
        assert_int_equal(pal_sim_advance(t.run, INFINITY, &error), PAL_BAD_INPUT);
        assert_int_equal(pal_sim_advance(t.run, NAN, NULL), PAL_BAD_INPUT);
        touch_end(&t);
    }
}

// Pressed flat the block needs short steps; when it is let go they grow again, without an end or an
// output time to wait for.
static void steps_grow_again_without_an_end(void **state)
{
    (void)state;
    Touch t = block_and_plate(INFINITY, 0.05);
    t.sim.solver.damping = 20;
    touch_start(&t);
    PalError error = {0};
    double usual = pal_sim_next_step(t.run);
    PalPose low = shifted(0, 0, -0.55), high = shifted(0, 0, 1);
    check_ok(pal_sim_move_rigid(t.run, 0, &low, 1, &error), &error);
    touch_advance(&t, 1.5);
    assert_true(pal_sim_next_step(t.run) < 0.7 * usual);
    PalTwist still = {{0, 0, 0}, {0, 0, 0}};
    check_ok(pal_sim_set_rigid_pose(t.run, 0, &high, &still, &error), &error);
    touch_advance(&t, 5);
    assert_true(pal_sim_next_step(t.run) > 0.9 * usual);
    touch_end(&t);
}

static void refuse_without_end(Touch *t, const char *words)
{
    PalError error = {0};
    t->bodies[0].mesh = t->meshes[0];
    t->bodies[0].material_count = 1;
    t->bodies[0].materials = &t->materials[0];
    t->bodies[0].name = "liver";
    t->rigids[0].mesh = t->rigid_meshes[0];
    t->rigids[0].name = "probe";
    t->sim.model.bodies = t->bodies;
    t->sim.model.rigids = t->rigids;
    t->sim.model.conditions = t->conditions;
    t->sim.contact.pairs = t->pairs;
    assert_int_equal(pal_sim_create(&t->sim, &t->run, &error), PAL_BAD_INPUT);
    if (strstr(error.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, words);
    touch_end(t);
}

static void what_needs_an_end_is_refused_without(void **state)
{
    (void)state;
    Touch t = block_and_plate(INFINITY, 1);
    touch_side(&t, BLOCK, PAL_CONDITION_FORCE, 2, true)->value = pal_vec3(0, 0, 1);
    refuse_without_end(&t, "condition 1, on body \"liver\", has a ramp without `until`");
    t = block_and_plate(INFINITY, 1);
    touch_condition(&t, PAL_NONE, PAL_CONDITION_GRAVITY)->value = pal_vec3(0, 0, 1);
    refuse_without_end(&t, "condition 1, on every body, has a ramp without `until`");
    t = block_and_plate(INFINITY, 1);
    t.rigids[0].motion.translation = pal_vec3(0, 0, 1);
    refuse_without_end(&t, "rigid \"probe\": one of its ramps has no `until`");
    t = block_and_plate(INFINITY, 1);
    t.rigids[0].mass = 1;
    t.rigids[0].force = pal_vec3(0, 0, 1);
    t.rigids[0].ramp.kind = PAL_RAMP_LINEAR;
    refuse_without_end(&t, "rigid \"probe\": one of its ramps has no `until`");
    t = block_and_plate(INFINITY, 1);
    t.sim.solver.method = PAL_METHOD_RELAXATION;
    refuse_without_end(&t, "method relaxation needs an end");
    t = block_and_plate(-INFINITY, 1);
    refuse_without_end(&t, "time is -inf");
    // those that say when they are up, or are up from the start, are taken
    t = block_and_plate(INFINITY, 1);
    PalConditionDef *force = touch_side(&t, BLOCK, PAL_CONDITION_FORCE, 2, true);
    force->value = pal_vec3(0, 0, 1);
    force->ramp.until = 0.1;
    force = touch_side(&t, BLOCK, PAL_CONDITION_FORCE, 2, true);
    force->value = pal_vec3(0, 0, 1);
    force->ramp.kind = PAL_RAMP_STEP;
    touch_start(&t);
    touch_advance(&t, 0.2);
    touch_end(&t);
}

// Nothing soft and nothing that moves: no length of a step suggests itself.
static void a_still_world_without_an_end_needs_a_step(void **state)
{
    (void)state;
    Rigids r;
    rigids_init(&r);
    rigids_add_box(&r, "box", pal_vec3(1, 1, 1), pal_vec3(0, 0, 0));
    r.sim.solver.time = INFINITY;
    r.sim.model.rigids = r.rigids;
    PalError error = {0};
    assert_int_equal(pal_sim_create(&r.sim, &r.run, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "give the solver a step"));
    r.sim.solver.step = 0.1;
    rigids_start(&r);
    rigids_to(&r, 1);
    rigids_end(&r);
}

static void a_budget_stops_after_a_step(void **state)
{
    (void)state;
    Touch t = block_and_plate(INFINITY, 1);
    touch_start(&t);
    PalError error = {0};
    double reached, step = pal_sim_next_step(t.run);
    check_ok(pal_sim_advance_within(t.run, 20 * step, 0, &reached, &error), &error);
    assert_int_equal(pal_sim_state(t.run)->step_count, 1);
    assert_true(reached == pal_sim_state(t.run)->time);
    check_ok(pal_sim_advance_within(t.run, 20 * step, 1e6, &reached, &error), &error);
    assert_int_equal(pal_sim_state(t.run)->step_count, 20);
    check_near(reached, 20 * step, 1e-12);
    check_ok(pal_sim_advance_within(t.run, 10 * step, 1e6, &reached, &error), &error);
    assert_int_equal(pal_sim_state(t.run)->step_count, 20);
    check_ok(pal_sim_advance_within(t.run, INFINITY, 1e-3, NULL, &error), &error);
    assert_true(pal_sim_state(t.run)->step_count > 20);
    assert_int_equal(pal_sim_advance_within(t.run, 1, NAN, &reached, &error), PAL_BAD_INPUT);
    touch_end(&t);
}

// A pose may be told by any point; the velocity told is that of this point.
static void a_pose_is_told_by_any_point(void **state)
{
    (void)state;
    Touch t = block_and_plate(10, 1);
    touch_start(&t);
    PalError error = {0};
    PalVec3 corner = {1, 1, 1};
    PalPose pose = {pal_rotation_about(pal_vec3(0, 0, 1), 0.1), corner, {1.01, 0.98, 1.02}}, found;
    PalTwist twist = {{0.5, 0, 7}, {0, 1, 2}}, moves;
    check_ok(pal_sim_set_rigid_pose(t.run, 0, &pose, &twist, &error), &error);
    check_ok(pal_sim_step(t.run, &error), &error);
    pal_sim_rigid_motion(t.run, 0, &found, &moves);
    check_near(pal_vec3_distance(found.pivot, corner), 0, 0);
    check_near(pal_vec3_distance(found.centre, pose.centre), 0, 1e-12);
    check_near(pal_vec3_distance(moves.velocity, twist.velocity), 0, 1e-12);
    check_near(pal_vec3_distance(moves.spin, twist.spin), 0, 1e-12);
    touch_end(&t);
}

// Torque is read about the point that the program moves: here beside where the block pushes.
static void torque_is_about_the_point_given(void **state)
{
    (void)state;
    Touch t = block_and_plate(INFINITY, 0.05);
    t.sim.solver.damping = 10;
    touch_start(&t);
    PalError error = {0};
    PalRigidReading before, reading;
    check_ok(pal_sim_read_rigid(t.run, 0, &before, &error), &error);
    assert_true(before.pose.pivot.x == 0);
    PalPose pose = {pal_mat3_identity(), {0.3, 0, 0.15}, {0.3, 0, 0}};
    check_ok(pal_sim_move_rigid(t.run, 0, &pose, 1, &error), &error);
    touch_advance(&t, 3);
    check_ok(pal_sim_read_rigid(t.run, 0, &reading, &error), &error);
    check_near(pal_vec3_distance(reading.pose.pivot, pose.pivot), 0, 0);
    check_near(pal_vec3_distance(reading.pose.centre, pose.centre), 0, 1e-12);
    check_near(pal_vec3_distance(reading.goal.centre, pose.centre), 0, 1e-12);
    print_message("force %g, torque %g\n", reading.contact_force.z, reading.contact_torque.y);
    assert_true(reading.contact_force.z > 1);
    check_near(reading.contact_torque.y / reading.contact_force.z, 0.3, 0.03);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(torque_is_about_the_point_given),
    cmocka_unit_test(a_move_is_even),
    cmocka_unit_test(a_pose_is_set_for_the_next_step),
    cmocka_unit_test(a_pose_is_told_by_any_point),
    cmocka_unit_test(given_steps_stay_as_they_are),
    cmocka_unit_test(steps_end_at_periods_and_output_times),
    cmocka_unit_test(stops_that_are_as_good_as_one_are_one),
    cmocka_unit_test(equal_periods_have_equal_steps),
    cmocka_unit_test(a_fast_plate_is_foreseen),
    cmocka_unit_test(forces_are_read),
    cmocka_unit_test(a_free_body_is_pushed),
    cmocka_unit_test(bad_poses_are_refused),
    cmocka_unit_test(a_run_may_have_no_end),
    cmocka_unit_test(steps_grow_again_without_an_end),
    cmocka_unit_test(what_needs_an_end_is_refused_without),
    cmocka_unit_test(a_still_world_without_an_end_needs_a_step),
    cmocka_unit_test(a_budget_stops_after_a_step),
};
CHECK_GROUP(tests, NULL, NULL)
