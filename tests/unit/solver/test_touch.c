// What solvers make of contact: forces and works, with damping and without; and after a restore.
#include "touch.h"

static const double GRAVITY = 10, DENSITY = 2;

// A block of volume 1 on, or somewhat above, rigid ground.
static Touch block_on_ground(PalMethod method, double above)
{
    Touch t = touch_nothing(3);
    PalMesh *block = touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){2, 2, 2},
                                 PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0.5 + above));
    PalMesh *ground = touch_shape(PAL_SHAPE_BOX, pal_vec3(3, 3, 0.2), (int32_t[]){3, 3, 1},
                                  PAL_CELL_TRIANGLE, pal_vec3(0.1, 0.1, -0.1));
    touch_add_mesh(&t, block, 1000, 0.3, DENSITY);
    touch_add_rigid(&t, ground);
    touch_pair(&t, 0, 1, 0.3);
    t.sim.solver.method = method;
    return t;
}

static void add_weight(Touch *t)
{
    PalConditionDef *gravity = touch_condition(t, 0, PAL_CONDITION_GRAVITY);
    gravity->value = pal_vec3(0, 0, -GRAVITY);
    gravity->ramp.kind = PAL_RAMP_STEP;
}

static void steps(PalSim *sim, int count)
{
    PalError error = {0};
    for (int i = 0; i < count; ++i)
        check_ok(pal_sim_step(sim, &error), &error);
}

static void the_ground_carries_the_weight_under_damping(void **state)
{
    (void)state;
    for (int method = PAL_METHOD_EXPLICIT; method <= PAL_METHOD_NEWMARK; ++method) {
        Touch t = block_on_ground((PalMethod)method, 0.002);
        add_weight(&t);
        t.sim.solver.damping = 20;
        touch_start(&t);
        touch_advance(&t, 3);
        assert_true(t.sim.solver.damping * pal_sim_state(t.run)->step > 0.05);
        check_near(pal_sim_contact_force(t.run, 0, 1).z, DENSITY * GRAVITY, 1e-3);
        touch_end(&t);
    }
}

// What pushes depths out softly never comes to rest in a relaxation.
static void relaxation_refuses_depths(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        Touch t = block_on_ground(PAL_METHOD_RELAXATION, 0.002);
        PalError error = {0};
        t.sim.contact.response = k == 0 ? PAL_RESPONSE_MATERIAL_DEPTH : PAL_RESPONSE_COLLOCATION;
        touch_connect(&t);
        assert_int_equal(pal_sim_create(&t.sim, &t.run, &error), PAL_BAD_INPUT);
        assert_non_null(strstr(error.text, "never comes to rest in method relaxation, expected "));
        touch_end(&t);
    }
}

// On ground that rises slowly a block has the kinetic energy of that motion.
static void what_is_carried_has_the_energy_of_its_motion(void **state)
{
    (void)state;
    for (int method = PAL_METHOD_EXPLICIT; method <= PAL_METHOD_NEWMARK; ++method) {
        Touch t = block_on_ground((PalMethod)method, 0.002);
        add_weight(&t);
        t.sim.solver.damping = 20;
        t.rigids[0].motion.translation = pal_vec3(0, 0, 0.3);
        t.rigids[0].motion.ramp.kind = PAL_RAMP_LINEAR;
        touch_start(&t);
        touch_advance(&t, 3);
        check_near(pal_sim_energy(t.run).kinetic, DENSITY * 0.1 * 0.1 / 2, 1e-4);
        touch_end(&t);
    }
}

// Velocities of before a step have no part in those after it.
static void full_damping_gives_numbers(void **state)
{
    (void)state;
    Touch t = block_on_ground(PAL_METHOD_EXPLICIT, 0.001);
    add_weight(&t);
    t.sim.solver.step = 0.001;
    t.sim.solver.damping = 2000;
    touch_start(&t);
    steps(t.run, 100);
    assert_true(pal_sim_contact_report(t.run).contact_count > 0);
    PalEnergy energy = pal_sim_energy(t.run);
    assert_true(isfinite(energy.contact_work) && isfinite(energy.dissipated));
    touch_end(&t);
}

// The work of a constant weight is that of its centre's fall.
static void relaxation_counts_the_motion_contact_leaves(void **state)
{
    (void)state;
    Touch t = block_on_ground(PAL_METHOD_RELAXATION, 0.01);
    add_weight(&t);
    touch_start(&t);
    PalVec3 before, after, velocity;
    pal_sim_body_motion(t.run, 0, &before, &velocity);
    touch_advance(&t, 3);
    pal_sim_body_motion(t.run, 0, &after, &velocity);
    PalEnergy energy = pal_sim_energy(t.run);
    assert_true(pal_sim_contact_report(t.run).contact_count > 0);
    check_near(energy.external_work, DENSITY * GRAVITY * (before.z - after.z), 1e-9);
    touch_end(&t);
}

// A block at rest is knocked by the ground: all energy it has then is the work of contact. It also
// has to slow down in some stuff, which takes part of it.
static void blows_give_the_energy_they_are_said_to(void **state)
{
    (void)state;
    for (int method = PAL_METHOD_EXPLICIT; method <= PAL_METHOD_NEWMARK; ++method)
        for (int damped = 0; damped < 2; ++damped) {
            Touch t = block_on_ground((PalMethod)method, 0.01);
            t.rigids[0].motion.translation = pal_vec3(0, 0, 3);
            t.rigids[0].motion.ramp.kind = PAL_RAMP_LINEAR;
            t.sim.solver.damping = damped ? 2 : 0;
            touch_start(&t);
            touch_advance(&t, 0.5);
            PalEnergy energy = pal_sim_energy(t.run);
            assert_true(energy.contact_work > 0.5 && energy.initial == 0);
            assert_true(damped ? energy.dissipated > 0.1 : energy.dissipated == 0);
            check_near(energy.kinetic + energy.strain + energy.dissipated, energy.contact_work,
                       2e-3 * energy.contact_work);
            touch_end(&t);
        }
}

// Nothing but an instrument does work.
static void relaxation_counts_the_work_of_instruments(void **state)
{
    (void)state;
    Touch t = block_on_ground(PAL_METHOD_RELAXATION, 0.002);
    touch_side(&t, 0, PAL_CONDITION_FIX, 2, true);
    t.rigids[0].motion.translation = pal_vec3(0, 0, 0.1);
    touch_start(&t);
    touch_advance(&t, 3);
    PalEnergy energy = pal_sim_energy(t.run);
    assert_true(energy.strain > 1);
    assert_true(energy.contact_work > energy.strain && energy.contact_work < 1.5 * energy.strain);
    assert_true(energy.dissipated > 0);
    touch_end(&t);
}

static void carry_over(PalSim *first, PalSim *second)
{
    PalError error = {0};
    PalNamedArray from[PAL_SIM_ARRAY_MAX], to[PAL_SIM_ARRAY_MAX];
    int32_t count = pal_sim_arrays(first, from);
    assert_int_equal(pal_sim_arrays(second, to), count);
    for (int32_t i = 0; i < count; ++i) {
        if (to[i].resize != NULL)
            to[i].data = to[i].resize(to[i].owner, from[i].count);
        memcpy(to[i].data, from[i].data, (size_t)from[i].count * sizeof(double));
    }
    check_ok(pal_sim_restored(second, &error), &error);
}

// Carried over again and again while it touches, the last time just before it leaves.
static void check_leaving(PalResponseKind response)
{
    Touch t = block_on_ground(PAL_METHOD_EXPLICIT, 0.01);
    Touch other = block_on_ground(PAL_METHOD_EXPLICIT, 0.01);
    t.bodies[0].velocity = other.bodies[0].velocity = pal_vec3(0, 0, -1);
    t.sim.contact.response = other.sim.contact.response = response;
    touch_start(&t);
    touch_start(&other);
    while (pal_sim_contact_report(t.run).contact_count == 0)
        steps(t.run, 1);
    while (pal_sim_contact_report(t.run).contact_count > 0) {
        carry_over(t.run, other.run);
        steps(t.run, 1);
    }
    steps(other.run, 1);
    const PalState *there = pal_sim_state(other.run);
    for (int32_t n = 0; n < pal_sim_model(other.run)->node_count; ++n)
        check_near(pal_vec3_length(there->contact[n]), 0, 0);
    assert_true(pal_sim_hash(t.run) == pal_sim_hash(other.run));
    touch_end(&t);
    touch_end(&other);
}

static void forces_end_with_contact_after_a_restore(void **state)
{
    (void)state;
    check_leaving(PAL_RESPONSE_LAGRANGE);
    check_leaving(PAL_RESPONSE_JOHNSEN2015);
    check_leaving(PAL_RESPONSE_JOHNSEN2012);
}

// Nothing is below the block: relaxation says so, long before its steps are used up.
static void what_nothing_holds_runs_away(void **state)
{
    (void)state;
    Touch t = block_on_ground(PAL_METHOD_RELAXATION, 0.002);
    add_weight(&t);
    t.conditions[0].value.z = GRAVITY;
    t.bodies[0].name = "balloon";
    touch_start(&t);
    PalError error = {0};
    assert_int_equal(pal_sim_advance(t.run, t.sim.solver.time, &error), PAL_SIM_FAILED);
    assert_non_null(strstr(error.text, "body \"balloon\" runs away"));
    assert_true(pal_sim_state(t.run)->step_count < 5000);
    touch_end(&t);
}

// A node whose motion is no number: the message says which, of what, where and when.
static void a_lost_node_is_named(void **state)
{
    (void)state;
    Touch t = block_on_ground(PAL_METHOD_EXPLICIT, 0.3);
    touch_start(&t);
    steps(t.run, 3);
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    int32_t count = pal_sim_arrays(t.run, arrays), node = 0;
    const PalMesh *mesh = pal_sim_model(t.run)->bodies[0].mesh;
    while (pal_vec3_distance(mesh->nodes[node], pal_vec3(0.5, 0.5, 0.3)) > 1e-12)
        ++node;
    for (int32_t i = 0; i < count; ++i)
        if (strcmp(arrays[i].name, "velocity") == 0)
            ((double *)arrays[i].data)[3 * node + 1] = NAN;
    PalError error = {0};
    assert_int_equal(pal_sim_step(t.run, &error), PAL_SIM_FAILED);
    char expected[128], time[32];
    snprintf(
        expected, sizeof expected,
        "node %d of body \"body\", at (0.5, 0.5, 0.3) before any motion, has no valid position "
        "at time ",
        (int)node);
    if (strncmp(error.text, expected, strlen(expected)) != 0)
        fail_msg("%s", error.text);
    snprintf(time, sizeof time, "time %.6g:", 4 * pal_sim_state(t.run)->step);
    if (strstr(error.text, time) == NULL)
        fail_msg("no %s in: %s", time, error.text);
    touch_end(&t);
}

// A ball that strikes a plate at the speed of its own waves: the automatic step gets short enough
// before cells turn inside out.
static void blows_shorten_the_step(void **state)
{
    (void)state;
    for (int method = 0; method < 2; ++method) {
        Touch t = touch_nothing(0.02);
        t.sim.solver.method = method == 0 ? PAL_METHOD_EXPLICIT : PAL_METHOD_NEWMARK;
        t.sim.align = 0.001;
        int32_t ball = touch_add_mesh(&t,
                                      touch_shape(PAL_SHAPE_ELLIPSOID, pal_vec3(0.02, 0.02, 0.02),
                                                  (int32_t[]){8, 0, 0}, PAL_CELL_TETRAHEDRON,
                                                  pal_vec3(0, 0, 0.022)),
                                      8000, 0.4, 1000);
        t.bodies[ball].velocity = pal_vec3(0, 0, -3);
        int32_t plate = touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(0.1, 0.1, 0.01),
                                                        (int32_t[]){4, 4, 1}, PAL_CELL_TRIANGLE,
                                                        pal_vec3(0, 0, -0.005)));
        touch_pair(&t, ball, 1 + plate, 0);
        touch_start(&t);
        double first = pal_sim_next_step(t.run), shortest = first, worst = 0;
        PalError error = {0};
        while (!pal_sim_finished(t.run)) {
            check_ok(pal_sim_step(t.run, &error), &error);
            shortest = fmin(shortest, pal_sim_next_step(t.run));
            PalEnergy energy = pal_sim_energy(t.run);
            worst = fmax(worst, fabs(pal_energy_drift(&energy)));
        }
        print_message("step %.3g to %.3g, drift %.2g\n", first, shortest, worst);
        assert_true(shortest < 0.5 * first);
        assert_true(worst < 0.01);
        touch_end(&t);
    }
}

// What is about to strike is looked at again before it does, from the first step on; and so is
// what stands still beside an instrument that will start.
static void the_step_is_looked_up_before_a_blow(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        Touch t = block_on_ground(PAL_METHOD_EXPLICIT, 0.3);
        t.bodies[0].velocity = pal_vec3(0, 0, i == 1 ? -5 : 0);
        if (i == 2) {
            t.rigids[0].motion.translation = pal_vec3(0, 0, 15);
            t.rigids[0].motion.ramp = (PalRamp){.kind = PAL_RAMP_LINEAR, .from = 0.02};
        }
        touch_start(&t);
        while (pal_sim_state(t.run)->time < 0.04)
            steps(t.run, 1);
        int64_t count = pal_sim_state(t.run)->step_count;
        assert_true(count < 25);  // no look unless something moves
        int64_t looks = pal_sim_counters(t.run)->step_estimates;
        if (i == 0)
            assert_int_equal(looks, 1);
        else
            assert_true(looks > 1);
        touch_end(&t);
    }
}

// The ground knocks at a block that is held above it, and knocks again after the step has been
// short for a while and has grown at an output time. Each time it is soon where it was before.
static void no_blow_falls_between_two_looks(void **state)
{
    (void)state;
    static const double knocks[][2] = {{0, 0},   {0.01, 0}, {0.025, 1}, {0.04, 0}, {0.27, 0},
                                       {0.3, 0}, {0.35, 0}, {0.365, 1}, {0.38, 0}};
    Touch t = block_on_ground(PAL_METHOD_EXPLICIT, 0.01);
    PalConditionDef *top = touch_side(&t, 0, PAL_CONDITION_FIX, 2, true);
    top->axes[0] = top->axes[1] = top->axes[2] = true;
    t.sim.solver.time = 0.6;
    t.sim.solver.damping = 40;
    t.sim.align = 0.3;
    t.rigids[0].motion.translation = pal_vec3(0, 0, 0.3);
    t.rigids[0].motion.ramp = (PalRamp){.kind = PAL_RAMP_TABLE, .points = knocks, .point_count = 9};
    touch_start(&t);
    double first = pal_sim_next_step(t.run), shortest = first, longest = 0, looked = 0;
    int64_t looks = 1, since = 0;
    while (!pal_sim_finished(t.run)) {
        steps(t.run, 1);
        double time = pal_sim_state(t.run)->time, step = pal_sim_state(t.run)->step;
        double height = 0.3 * pal_ramp_value(&t.rigids[0].motion.ramp, time);
        assert_true(++since == 1 || fabs(height - looked) < 0.25);  // half an edge
        if (pal_sim_counters(t.run)->step_estimates > looks) {
            looks = pal_sim_counters(t.run)->step_estimates;
            looked = height;
            since = 0;
        }
        if (time < 0.3)
            shortest = fmin(shortest, step);
        else if (time < 0.35)
            longest = fmax(longest, step);
    }
    assert_true(shortest < 0.5 * first && longest > 0.9 * first);
    touch_end(&t);
}

// An instrument that is elsewhere in the next step would meet all there is on its way.
static void what_sweeps_through_everything_is_named(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.4), (int32_t[]){10, 10, 4},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)),
                   1000, 0.3, DENSITY);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){14, 14, 14},
                                    PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0.75)));
    t.rigids[0].name = "hammer";
    t.rigids[0].motion.translation = pal_vec3(0, 0, -2);
    t.rigids[0].motion.ramp = (PalRamp){.kind = PAL_RAMP_LINEAR, .from = 0.1, .until = 0.10001};
    touch_pair(&t, 0, 1, 0);
    touch_start(&t);
    PalError error = {0};
    assert_int_equal(pal_sim_advance(t.run, 1, &error), PAL_SIM_FAILED);
    assert_non_null(strstr(error.text, "\"hammer\" moves by"));
    touch_end(&t);
}

// What does not go with contact is told with the key that decides it.
static void solvers_that_know_no_contact_are_refused(void **state)
{
    (void)state;
    static const struct {
        PalMethod method;
        PalScheme scheme;
        PalPath path;
        PalResponseKind response;
        const char *key, *said;
    } cases[] = {
        {PAL_METHOD_IMPLICIT, PAL_SCHEME_HHT, PAL_PATH_ARC_LENGTH, PAL_RESPONSE_BARRIER, NULL, ""},
        {PAL_METHOD_IMPLICIT_STATIC, PAL_SCHEME_NEWMARK, PAL_PATH_LOAD, PAL_RESPONSE_BARRIER, NULL,
         ""},
        {PAL_METHOD_EXPLICIT, PAL_SCHEME_NEWMARK, PAL_PATH_ARC_LENGTH, PAL_RESPONSE_LAGRANGE, NULL,
         ""},
        {PAL_METHOD_IMPLICIT, PAL_SCHEME_NEWMARK, PAL_PATH_LOAD, PAL_RESPONSE_BARRIER, "scheme",
         "scheme newmark takes means"},
        {PAL_METHOD_IMPLICIT_STATIC, PAL_SCHEME_HHT, PAL_PATH_ARC_LENGTH, PAL_RESPONSE_BARRIER,
         "path", "path arc-length knows no contact"},
        {PAL_METHOD_IMPLICIT, PAL_SCHEME_NEWMARK, PAL_PATH_LOAD, PAL_RESPONSE_LAGRANGE, "response",
         "response lagrange does not serve method implicit, expected "},
        {PAL_METHOD_EXPLICIT, PAL_SCHEME_HHT, PAL_PATH_LOAD, PAL_RESPONSE_BARRIER, "response",
         "response barrier does not serve method explicit, expected "},
        {PAL_METHOD_RELAXATION, PAL_SCHEME_HHT, PAL_PATH_LOAD, PAL_RESPONSE_JOHNSEN2015, "response",
         "response johnsen2015 never comes to rest in method relaxation"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        PalSolverDef solver = pal_solver_def_default();
        PalContactDef contact = pal_contact_def_default();
        PalError error = {0};
        const char *key = "";
        solver.method = cases[i].method;
        solver.scheme = cases[i].scheme;
        solver.path = cases[i].path;
        contact.response = cases[i].response;
        PalStatus status = pal_solver_def_match(&solver, &contact, &key, &error);
        assert_int_equal(status, cases[i].key == NULL ? PAL_OK : PAL_BAD_INPUT);
        if (cases[i].key == NULL)
            assert_null(key);
        else
            assert_string_equal(key, cases[i].key);
        assert_int_equal(strncmp(error.text, cases[i].said, strlen(cases[i].said)), 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_ground_carries_the_weight_under_damping),
    cmocka_unit_test(relaxation_refuses_depths),
    cmocka_unit_test(what_is_carried_has_the_energy_of_its_motion),
    cmocka_unit_test(full_damping_gives_numbers),
    cmocka_unit_test(blows_give_the_energy_they_are_said_to),
    cmocka_unit_test(relaxation_counts_the_motion_contact_leaves),
    cmocka_unit_test(relaxation_counts_the_work_of_instruments),
    cmocka_unit_test(forces_end_with_contact_after_a_restore),
    cmocka_unit_test(what_nothing_holds_runs_away),
    cmocka_unit_test(a_lost_node_is_named),
    cmocka_unit_test(blows_shorten_the_step),
    cmocka_unit_test(the_step_is_looked_up_before_a_blow),
    cmocka_unit_test(no_blow_falls_between_two_looks),
    cmocka_unit_test(what_sweeps_through_everything_is_named),
    cmocka_unit_test(solvers_that_know_no_contact_are_refused),
};
CHECK_GROUP(tests, NULL, NULL)
