// Loads, prescribed displacements and friction that a program changes while a simulation runs.
#include "base/memory.h"
#include "simulate.h"
#include "touch.h"
#include <palpate/steer.h>

static PalVec3 total_external(const PalSim *sim)
{
    PalVec3 sum = {0, 0, 0};
    for (int32_t n = 0; n < pal_sim_model(sim)->node_count; ++n)
        sum = pal_vec3_add(sum, pal_sim_state(sim)->external[n]);
    return sum;
}

static PalStatus set(PalSim *sim, const PalConditionDef *def, int32_t c, double size, double time)
{
    PalError error = {0};
    PalStatus status = def->kind == PAL_CONDITION_PRESSURE
                           ? pal_sim_set_pressure(sim, c, size, time, &error)
                           : pal_sim_set_load(sim, c, pal_vec3(0, 0, size), time, &error);
    if (status != PAL_OK)
        fail_msg("%s", error.text);
    return status;
}

// Each kind of load, on a box of edge 1 and density 1 whose upper side has the area 1: from what it
// is by its ramp it goes evenly to what is asked, and stays; then to another value at once.
static void loads_go_where_they_are_told(void **state)
{
    (void)state;
    const PalConditionKind kinds[] = {PAL_CONDITION_FORCE, PAL_CONDITION_TRACTION,
                                      PAL_CONDITION_PRESSURE, PAL_CONDITION_GRAVITY};
    for (int k = 0; k < 4; ++k) {
        Simulation s = simulate_box(pal_vec3(1, 1, 1), 2, 2, 2);
        s.sim.solver.time = INFINITY;
        simulate_neo_hookean(&s, 1000, 0.3, 1);
        simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
        PalConditionDef *load = kinds[k] == PAL_CONDITION_GRAVITY
                                    ? simulate_everywhere(&s, kinds[k])
                                    : simulate_on_side(&s, kinds[k], 2, true);
        load->value = pal_vec3(0, 0, 0.2);
        load->pressure = 0.2;
        load->ramp = (PalRamp){.kind = PAL_RAMP_LINEAR, .until = 1};
        simulate_start(&s);
        simulate_to(&s, 0.1);
        double sign = kinds[k] == PAL_CONDITION_PRESSURE ? -1 : 1;
        double start = pal_sim_state(s.run)->time, before = 0.2 * start;
        check_near(sign * total_external(s.run).z, before, 1e-3);
        set(s.run, load, 1, 0.5, start + 0.2);
        while (pal_sim_state(s.run)->time < start + 0.3) {
            PalError error = {0};
            PalVec3 value;
            check_ok(pal_sim_step(s.run, &error), &error);
            double part = fmin((pal_sim_state(s.run)->time - start) / 0.2, 1);
            double expected = before + part * (0.5 - before);
            check_near(sign * total_external(s.run).z, expected, 1e-3);
            check_ok(pal_sim_condition_value(s.run, 1, &value, &error), &error);
            check_near(kinds[k] == PAL_CONDITION_PRESSURE ? value.x : value.z, expected, 1e-12);
        }
        set(s.run, load, 1, -0.3, 0);
        PalError error = {0};
        check_ok(pal_sim_step(s.run, &error), &error);
        check_near(sign * total_external(s.run).z, -0.3, 1e-3);
        simulate_end(&s);
    }
}

// The impulse of a force that grows evenly is what a floating box gains.
static void a_changed_force_gives_its_impulse(void **state)
{
    (void)state;
    for (int method = 0; method < 2; ++method) {
        Simulation s = simulate_box(pal_vec3(1, 1, 1), 2, 2, 2);
        s.sim.solver.time = INFINITY;
        s.sim.solver.method = (PalMethod)method;
        simulate_everywhere(&s, PAL_CONDITION_FORCE);  // none, to begin with
        simulate_start(&s);
        PalError error = {0};
        check_ok(pal_sim_set_load(s.run, 0, pal_vec3(3, 0, 0), 0.5, &error), &error);
        simulate_to(&s, 0.5);
        assert_true(pal_sim_state(s.run)->time == 0.5);
        check_near(pal_sim_momentum(s.run).x, 0.75, 1e-12);
        PalEnergy energy = pal_sim_energy(s.run);
        assert_true(fabs(pal_energy_drift(&energy)) < 1e-3);
        simulate_end(&s);
    }
}

// Gravity that names no body pulls free rigid bodies as well.
static void changed_gravity_pulls_rigid_bodies(void **state)
{
    (void)state;
    Touch t = touch_nothing(INFINITY);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){1, 1, 1},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)),
                   1, 0.3, 1);
    int32_t r =
        touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){1, 1, 1},
                                        PAL_CELL_TRIANGLE, pal_vec3(5, 0, 0)));
    t.rigids[r].mass = 2;
    touch_condition(&t, PAL_NONE, PAL_CONDITION_GRAVITY);
    touch_start(&t);
    PalError error = {0};
    check_ok(pal_sim_set_load(t.run, 0, pal_vec3(0, 0, -8), 1, &error), &error);
    touch_advance(&t, 1);
    PalRigidReading reading;
    check_ok(pal_sim_read_rigid(t.run, r, &reading, &error), &error);
    check_near(reading.twist.velocity.z, -4, 1e-9);
    check_near(pal_sim_momentum(t.run).z, -4 * 3, 1e-9);
    touch_end(&t);
}

// Held nodes go evenly to their new place, weights and axes as they are, and arrive exactly; the
// book of energies stays balanced, also where a program says so in the middle of a step's plans.
static void displacements_go_where_they_are_told(void **state)
{
    (void)state;
    for (int method = 0; method < 2; ++method) {
        Simulation s = simulate_box(pal_vec3(1, 1, 1), 3, 3, 3);
        s.sim.solver.time = INFINITY;
        s.sim.solver.method = (PalMethod)method;
        simulate_neo_hookean(&s, 100, 0.3, 1);
        simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
        PalConditionDef *pull = simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true);
        static double weights[16];
        for (int i = 0; i < 16; ++i)
            weights[i] = 1;
        weights[5] = 0.5;
        pull->weights = weights;
        pull->weight_count = 16;
        pull->axes[0] = false;
        simulate_start(&s);
        const PalState *now = pal_sim_state(s.run);
        PalError error = {0};
        int32_t *nodes = NULL, count = 0;
        check_ok(pal_mesh_select_nodes(s.mesh, &pull->where, &nodes, &count, &error), &error);
        PalVec3 goal = {9, 0.1, 0.2};
        check_ok(pal_sim_set_displacement(s.run, 1, goal, 0.4, &error), &error);
        simulate_to(&s, 0.2);
        double part = now->time / 0.4;
        check_near(now->displacement[nodes[0]].z, 0.2 * part, 1e-12);
        check_near(now->displacement[nodes[5]].z, 0.1 * part, 1e-12);
        check_near(now->displacement[nodes[0]].y, 0.1 * part, 1e-12);
        assert_true(fabs(now->displacement[nodes[0]].x) < 0.1);  // free
        simulate_to(&s, 0.4);
        assert_true(now->time == 0.4);
        check_near(now->displacement[nodes[0]].z, 0.2, 1e-15);
        for (int p = 1; p <= 50; ++p) {  // on and on, in odd periods
            PalVec3 next = {0, 0.1, 0.2 + 0.05 * sin(0.2 * p)};
            double time = 0.4 + 0.0131 * p;
            check_ok(pal_sim_set_displacement(s.run, 1, next, time, &error), &error);
            simulate_to(&s, time);
            check_near(now->displacement[nodes[0]].z, next.z, 1e-12);
        }
        PalEnergy energy = pal_sim_energy(s.run);
        print_message("drift %.2g\n", pal_energy_drift(&energy));
        assert_true(fabs(pal_energy_drift(&energy)) < 1e-3);
        free(nodes);
        simulate_end(&s);
    }
}

// A block on a plate that is pulled sideways: it stays while friction is high, and goes when it is
// gone.
static void friction_changes(void **state)
{
    (void)state;
    Touch t = touch_nothing(INFINITY);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.5), (int32_t[]){2, 2, 1},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0.26)),
                   1000, 0.3, 1);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(8, 8, 0.2), (int32_t[]){2, 2, 1},
                                    PAL_CELL_TRIANGLE, pal_vec3(0, 0, -0.1)));
    PalConditionDef *gravity = touch_condition(&t, PAL_NONE, PAL_CONDITION_GRAVITY);
    gravity->value = pal_vec3(3, 0, -10);
    gravity->ramp = (PalRamp){.kind = PAL_RAMP_SMOOTH, .until = 0.5};
    touch_pair(&t, 1, 0, 0.6);
    t.sim.solver.damping = 5;
    touch_start(&t);
    PalError error = {0};
    PalVec3 place, velocity;
    touch_advance(&t, 1.5);
    pal_sim_body_motion(t.run, 0, &place, &velocity);
    assert_true(fabs(velocity.x) < 1e-3);
    uint64_t before = pal_sim_hash(t.run);
    check_ok(pal_sim_set_friction(t.run, 0, 1, 0.05, &error), &error);
    assert_true(pal_sim_hash(t.run) != before);
    int32_t count;
    assert_true(pal_sim_contact_pairs(t.run, &count)->friction == 0.05);
    touch_advance(&t, 1.7);
    pal_sim_body_motion(t.run, 0, &place, &velocity);
    // (3 - 0.05 10) less damping
    check_near(velocity.x, 2.5 * (1 - exp(-5 * 0.2)) / 5, 0.03);
    assert_int_equal(pal_sim_set_friction(t.run, 0, 1, -1, &error), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_friction(t.run, 0, 1, NAN, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_friction(t.run, 0, 0, 0.1, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_friction(t.run, 0, 7, 0.1, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_friction(t.run, -3, 1, 0.1, NULL), PAL_BAD_INPUT);
    touch_end(&t);
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 1, 1, 1);
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true);
    simulate_on_side(&s, PAL_CONDITION_PRESSURE, 2, true);
    simulate_on_side(&s, PAL_CONDITION_FORCE, 2, true);
    simulate_start(&s);
    uint64_t before = pal_sim_hash(s.run);
    PalVec3 value = {0, 0, 1}, bad = {0, INFINITY, 0};
    PalError error = {0};
    assert_int_equal(pal_sim_set_load(s.run, 0, value, 1, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "condition 0 fixes nodes"));
    assert_int_equal(pal_sim_set_load(s.run, 1, value, 1, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_load(s.run, 2, value, 1, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_load(s.run, 3, bad, 1, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_load(s.run, 3, value, NAN, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_pressure(s.run, 3, 1, 1, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_pressure(s.run, 2, NAN, 1, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_displacement(s.run, 3, value, 1, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_displacement(s.run, 0, value, 1, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_load(s.run, -1, value, 1, NULL), PAL_BAD_INPUT);
    error = (PalError){0};
    assert_int_equal(pal_sim_set_load(s.run, 4, value, 1, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "no condition 4, expected 0 to 3"));
    assert_int_equal(pal_sim_condition_value(s.run, 4, &value, NULL), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_friction(s.run, 0, 0, 1, NULL), PAL_BAD_INPUT);
    assert_true(pal_sim_hash(s.run) == before);
    simulate_end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(loads_go_where_they_are_told),
    cmocka_unit_test(a_changed_force_gives_its_impulse),
    cmocka_unit_test(changed_gravity_pulls_rigid_bodies),
    cmocka_unit_test(displacements_go_where_they_are_told),
    cmocka_unit_test(friction_changes),
    cmocka_unit_test(bad_values_are_refused),
};
CHECK_GROUP(tests, NULL, NULL)
