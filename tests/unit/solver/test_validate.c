// With one number changed, a solver is said to be broken.
#include "sim/sim.h"
#include "touch.h"

static void expect_broken(const PalSim *sim, const char *words)
{
    PalError error = {0};
    assert_int_equal(pal_solver_validate(sim->state, sim->solver, &error), PAL_BAD_INPUT);
    if (strstr(error.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, words);
}

static void broken_solvers_are_found(void **unused)
{
    (void)unused;
    Touch t = touch_crowd(PAL_CELL_TETRAHEDRON);
    touch_start(&t);
    PalSolver *solver = t.run->solver, kept;
    PalError error = {0};
    check_ok(pal_sim_step(t.run, &error), &error);
    kept = *solver;
    solver->interval = 0;
    expect_broken(t.run, "how often the bound");
    *solver = kept;
    solver->origin_count = 2;
    expect_broken(t.run, "where steps are counted from");
    *solver = kept;
    solver->thread_count = 2;
    expect_broken(t.run, "the number of threads");
    *solver = kept;
    solver->node_threads = 0;
    expect_broken(t.run, "the number of threads for nodes");
    *solver = kept;
    ++solver->kept_first[0];
    expect_broken(t.run, "which nodes contact may push in a chunk");
    --solver->kept_first[0];
    ++solver->kept_first[solver->chunk_count];
    expect_broken(t.run, "which nodes contact may push in all");
    --solver->kept_first[solver->chunk_count];
    check_ok(pal_solver_validate(t.run->state, solver, &error), &error);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(broken_solvers_are_found),
};
CHECK_GROUP(tests, NULL, NULL)
