// What a run says at its end, and where the numbers of a solver go.
#include "check.h"
#include "scene/closing.h"

#define FREE                                                                                       \
    "bodies:\n  - name: a\n    shape: {box: [1, 1, 1], cells: [1, 1, 1]}\n"                        \
    "    velocity: [0, 3, -4]\n    material: {law: neo-hookean, shear: 100, bulk: 400, density: "  \
    "10}\n"

static PalScene *read_text(const char *text)
{
    PalScene *scene = NULL;
    PalError error = {0};
    check_ok(pal_scene_read_memory(text, strlen(text), "s.yaml", NULL, &scene, &error), &error);
    return scene;
}

static PalRunResult close_run(double drift)
{
    PalScene *scene = read_text(FREE "solver: {time: 1}\n");
    PalSim *sim = NULL;
    PalError error = {0};
    PalRunResult result = {.drift = drift};
    check_ok(pal_sim_create(pal_scene_sim(scene), &sim, &error), &error);
    check_ok(pal_scene_closing(scene, sim, NULL, &result, &error), &error);
    pal_sim_destroy(sim);
    pal_scene_destroy(scene);
    return result;
}

static bool says(const PalRunResult *result, const char *words)
{
    for (int32_t i = 0; i < result->remark_count; ++i)
        if (strstr(result->remarks[i].text, words) != NULL)
            return true;
    return false;
}

static void motion_and_balance_are_told_in_numbers(void **state)
{
    (void)state;
    PalRunResult off = close_run(0.0101), balanced = close_run(0.0099);
    assert_true(says(&off, "kinetic energy is 100 % of kinetic and strain energy"));
    assert_true(says(&off, "the fastest node moves at 5"));
    assert_true(says(&off, "the balance of energy is off by 1 % of the largest energy"));
    assert_int_equal(off.remark_count, 2);
    assert_int_equal(balanced.remark_count, 1);
    pal_run_result_clear(&off);
    pal_run_result_clear(&balanced);
}

// A soft block under a plate that goes a quarter of it in at once, by explicit steps.
#define PRESSED                                                                                    \
    "bodies:\n  - name: a\n    shape: {box: [1, 1, 1], cells: [2, 2, 2]}\n"                        \
    "    material: {law: neo-hookean, shear: 100, bulk: 400, density: 10}\n"                       \
    "rigid: [{name: p, shape: {box: [2, 2, 1]}, place: {translate: [0, 0, 1]},"                    \
    " motion: {translate: [0, 0, -0.25], until: 0.5}}]\n"                                          \
    "conditions: [{body: a, where: {plane: z-min}, fix: xyz}]\n"

static void a_soft_response_tells_how_deep_it_lets_things_get(void **state)
{
    (void)state;
    const char *solvers[] = {"contact: [{between: all, response: material-depth}]\n"
                             "solver: {time: 0.5}\n",
                             "contact: [{between: all, response: material-depth}]\n"
                             "solver: {time: 0.5, method: implicit-static}\n"};
    for (int k = 0; k < 2; ++k) {
        char text[1024];
        snprintf(text, sizeof text, PRESSED "%s", solvers[k]);
        PalScene *scene = read_text(text);
        PalSim *sim = NULL;
        PalError error = {0};
        PalRunResult result = {.drift = 0};
        check_ok(pal_sim_create(pal_scene_sim(scene), &sim, &error), &error);
        while (!pal_sim_finished(sim))
            check_ok(pal_sim_step(sim, &error), &error);
        check_ok(pal_scene_closing(scene, sim, NULL, &result, &error), &error);
        assert_true(says(&result, "of the edges around them, where 1 % were asked for") ==
                    (k == 0));
        pal_run_result_clear(&result);
        pal_sim_destroy(sim);
        pal_scene_destroy(scene);
    }
}

// Each key has its own number, and none another's.
static void numbers_of_a_solver_go_where_they_belong(void **state)
{
    (void)state;
    PalScene *scene = read_text(FREE "solver: {time: 7, step: 0.5, span: 6, damping: 0.25, safety: "
                                     "0.75, mass-scaling: 0.125, tolerance: 0.0625, steps-limit: "
                                     "19, threads: 3}\noutput: {every: 2, history: 1, checkpoint: "
                                     "11, report: false, precision: double}\n");
    const PalSolverDef *solver = &pal_scene_sim(scene)->solver;
    const PalOutputDef *output = pal_scene_output(scene);
    assert_true(solver->time == 7 && solver->step == 0.5 && solver->damping == 0.25);
    assert_true(solver->safety == 0.75 && solver->mass_scaling_step == 0.125);
    assert_true(solver->tolerance == 0.0625 && solver->step_limit == 19);
    assert_int_equal(solver->thread_count, 3);
    assert_true(pal_scene_sim(scene)->model.end_time == 7);
    assert_true(pal_scene_sim(scene)->model.mass_scaling_step == 0.125);
    assert_true(output->every == 2 && output->history == 1 && output->checkpoint_seconds == 11);
    assert_true(!output->report && output->precision == PAL_PRECISION_DOUBLE);
    pal_scene_destroy(scene);
    scene = read_text(FREE "solver: {time: 7, span: 6}\n");
    check_near(pal_scene_output(scene)->every, 6.0 / 50, 1e-15);
    assert_true(pal_scene_output(scene)->history == pal_scene_output(scene)->every);
    assert_true(pal_scene_output(scene)->report &&
                pal_scene_output(scene)->checkpoint_seconds == 30);
    pal_scene_destroy(scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(motion_and_balance_are_told_in_numbers),
    cmocka_unit_test(a_soft_response_tells_how_deep_it_lets_things_get),
    cmocka_unit_test(numbers_of_a_solver_go_where_they_belong),
};

CHECK_GROUP(tests, NULL, NULL)
