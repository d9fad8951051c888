// Newton's method in the implicit methods: how it converges, what it refuses, and what is left when
// it fails.
#include "model/conditions.h"
#include "sim/sim.h"
#include "simulate.h"
#include "solver/correct.h"
#include "solver/method.h"
#include "solver/seek.h"
#include "solver/unheld.h"

static Simulation pressed_block(double by)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 4, 4, 4);
    simulate_neo_hookean(&s, 1000, 0.3, 1);
    s.sim.solver.method = PAL_METHOD_IMPLICIT_STATIC;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    PalConditionDef *press = simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true);
    press->value = pal_vec3(0, 0, -by);
    press->ramp = (PalRamp){.kind = PAL_RAMP_LINEAR};
    return s;
}

// What is out of balance squares from correction to correction.
static void convergence_is_quadratic(void **state)
{
    (void)state;
    Simulation s = pressed_block(0.2);
    simulate_start(&s);
    PalSolver *solver = s.run->solver;
    PalState *now = s.run->state;
    PalNewton newton = {0};
    PalNewtonOutcome outcome;
    PalNewtonNeeds none = {false, false};
    PalError error = {0};
    PalNewtonProblem problem = {.weight = 1, .step = 1, .end = 1};
    solver->def.tolerance = 1e-13;
    check_ok(pal_newton_create(s.run->model, solver, none, &newton, &error), &error);
    pal_newton_keep(s.run->model, now, &newton);
    pal_conditions_targets(s.run->model->conditions, now->conditions, 1, solver->targets);
    check_ok(pal_newton_solve(s.run->model, now, solver, &newton, &problem, &outcome, &error),
             &error);
    assert_int_equal(outcome.end, PAL_NEWTON_CONVERGED);
    assert_int_equal(outcome.negative_count, 0);
    int squared = 0;
    for (int k = 1; k < outcome.iterations; ++k)
        if (outcome.trace[k] < 0.1 && outcome.trace[k] > 1e-7) {
            assert_true(outcome.trace[k + 1] < 20 * outcome.trace[k] * outcome.trace[k]);
            ++squared;
        }
    assert_true(squared >= 2);
    assert_true(outcome.iterations <= 8);
    pal_newton_clear(&newton);
    simulate_end(&s);
}

// A load that no mesh bears: steps get shorter until it is given up, with a place and advice, and
// the state is the last equilibrium.
static void failure_leaves_the_last_equilibrium(void **state)
{
    (void)state;
    Simulation s = pressed_block(1.2);
    simulate_start(&s);
    PalError error = {0};
    PalStatus status = PAL_OK;
    double time = 0;
    uint64_t hash = 0;
    while (status == PAL_OK && !pal_sim_finished(s.run)) {
        hash = pal_sim_hash(s.run);
        time = pal_sim_state(s.run)->time;
        status = pal_sim_step(s.run, &error);
    }
    assert_int_equal(status, PAL_SIM_FAILED);
    assert_true(time > 0.3);
    check_near(pal_sim_state(s.run)->time, time, 0);
    assert_true(pal_sim_hash(s.run) == hash);
    assert_non_null(strstr(error.text, "body \"body\" around ("));
    assert_non_null(strstr(error.text, "refine"));
    assert_true(pal_sim_counters(s.run)->retries > 5);
    simulate_end(&s);
}

static void expect_refusal(Simulation *s, const char *words)
{
    PalError error = {0};
    s->shape.cell_kind = pal_element_cell(s->body.element);
    check_ok(pal_mesh_create_shape(&s->shape, &s->mesh, &error), &error);
    s->body.mesh = s->mesh;
    s->body.material_count = 1;
    s->body.materials = &s->material;
    s->sim.model.body_count = 1;
    s->sim.model.bodies = &s->body;
    s->sim.model.conditions = s->conditions;
    assert_int_equal(pal_sim_create(&s->sim, &s->run, &error), PAL_BAD_INPUT);
    if (strstr(error.text, words) == NULL)
        fail_msg("said: %s", error.text);
    simulate_end(s);
}

static void free_bodies_are_named(void **state)
{
    (void)state;
    Simulation none = simulate_box(pal_vec3(1, 1, 1), 2, 2, 2);
    none.sim.solver.method = PAL_METHOD_IMPLICIT_STATIC;
    expect_refusal(&none, "nothing holds body \"body\"");
    Simulation slides = none;
    PalConditionDef *fix = simulate_on_side(&slides, PAL_CONDITION_FIX, 2, false);
    memcpy(fix->axes, (bool[3]){false, true, true}, sizeof fix->axes);
    expect_refusal(&slides, "from sliding along (");
    Simulation turns = none;
    fix = simulate_everywhere(&turns, PAL_CONDITION_FIX);
    fix->where = (PalWhere){.kind = PAL_WHERE_BOX, .box = {{-0.1, -0.1, -1}, {0.1, 0.1, 1}}};
    expect_refusal(&turns, "from turning about the axis (0, 0, ");
}

// Stops after some looks: the state is as before the step.
static bool few_looks(void *context)
{
    return --*(int *)context > 0;
}

static void the_watch_stops_a_step(void **state)
{
    (void)state;
    Simulation s = pressed_block(0.4);
    simulate_start(&s);
    PalError error = {0};
    check_ok(pal_sim_step(s.run, &error), &error);
    uint64_t hash = pal_sim_hash(s.run);
    int looks = 2;
    pal_sim_set_watch(s.run, (PalWatch){few_looks, &looks});
    assert_int_equal(pal_sim_step(s.run, &error), PAL_INTERRUPTED);
    assert_true(pal_sim_hash(s.run) == hash);
    simulate_end(&s);
}

// A correction that is only rounding is no equilibrium by itself: forces have to be in balance.
static void rounding_is_no_balance(void **state)
{
    (void)state;
    Simulation s = pressed_block(0.2);
    simulate_start(&s);
    PalNewton newton = {0};
    PalNewtonOutcome outcome = {.end = PAL_NEWTON_LOST, .node = 0};
    PalNewtonNeeds none = {false, false};
    PalError error = {0};
    PalSolver *solver = s.run->solver;
    check_ok(pal_newton_create(s.run->model, solver, none, &newton, &error), &error);
    pal_newton_keep(s.run->model, s.run->state, &newton);
    double tolerance = solver->def.tolerance;
    PalSeek seek = {.model = s.run->model,
                    .state = s.run->state,
                    .solver = solver,
                    .newton = &newton,
                    .outcome = &outcome};
    seek.largest = 1e-13 * newton.grain;
    outcome.imbalance = 0.9 * tolerance;
    assert_true(pal_seek_converged(&seek) && !outcome.rounding);
    outcome.imbalance = 1.1 * tolerance;
    assert_true(!pal_seek_converged(&seek) && outcome.rounding);
    assert_int_equal(pal_newton_report(s.run->model, s.run->state, solver, &outcome, &error),
                     PAL_SIM_FAILED);
    assert_non_null(strstr(error.text, "corrections are lost in the rounding of displacements"));
    // a correction that tells, from where nothing has moved yet, goes on
    seek.largest = 1e-11 * newton.grain;
    outcome.imbalance = 0.9 * tolerance;
    assert_true(!pal_seek_converged(&seek) && !outcome.rounding);
    outcome.imbalance = 0.9 * tolerance * tolerance;
    assert_true(pal_seek_converged(&seek));
    pal_newton_clear(&newton);
    simulate_end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(convergence_is_quadratic),
    cmocka_unit_test(failure_leaves_the_last_equilibrium),
    cmocka_unit_test(free_bodies_are_named),
    cmocka_unit_test(the_watch_stops_a_step),
    cmocka_unit_test(rounding_is_no_balance),
};

CHECK_GROUP(tests, NULL, NULL)
