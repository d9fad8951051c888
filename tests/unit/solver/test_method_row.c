// A method of another kind fits as one more row: one that stands still, and keeps a number of its
// own.
#include "element/elements.h"
#include "model/state.h"
#include "solver/method.h"
#include "touch.h"

typedef struct Standing {
    int64_t waited;
} Standing;

static int32_t destroyed, restored_count;

static PalStatus create(const PalModel *model, PalState *state, PalSolver *solver, PalError *error)
{
    (void)model, (void)state, (void)error;
    solver->own = calloc(1, sizeof(Standing));
    solver->next_step = solver->def.time / 10;
    return solver->own != NULL ? PAL_OK : PAL_NO_MEMORY;
}

static void destroy(void *own)
{
    ++destroyed;
    free(own);
}

static PalStatus step_once(const PalModel *model, PalState *state, PalSolver *solver,
                           PalError *error)
{
    (void)model, (void)error;
    ++((Standing *)solver->own)->waited;
    ++state->step_count;
    state->time = (double)state->step_count * solver->next_step;
    return PAL_OK;
}

static bool finished(const PalState *state, const PalSolver *solver)
{
    (void)state;
    return ((const Standing *)solver->own)->waited >= 10;
}

static double progress(const PalState *state, const PalSolver *solver)
{
    (void)state;
    return (double)((const Standing *)solver->own)->waited / 10;
}

static void halves(const PalModel *model, const PalState *state, const PalSolver *solver,
                   int32_t first_node, int32_t node_count, PalHalves *halves)
{
    (void)model, (void)state, (void)solver, (void)first_node;
    memset(halves, 0, (size_t)node_count * sizeof *halves);
}

static int32_t arrays(const PalModel *model, PalSolver *solver,
                      PalNamedArray list[PAL_METHOD_ARRAY_MAX])
{
    (void)model;
    list[0] = (PalNamedArray){.name = "waited",
                              .data = &((Standing *)solver->own)->waited,
                              .count = 1,
                              .kind = PAL_ARRAY_INT64};
    return 1;
}

static PalStatus restored(const PalModel *model, PalState *state, PalSolver *solver,
                          PalError *error)
{
    (void)model, (void)state, (void)solver, (void)error;
    ++restored_count;
    return PAL_OK;
}

static const PalMethodRow standing = {
    .choice = {"standing", "Stands still."},
    .create = create,
    .destroy = destroy,
    .step = step_once,
    .finished = finished,
    .progress = progress,
    .halves = halves,
    .inverse_mass = pal_solver_inverse_mass,
    .book = pal_solver_book,
    .arrays = arrays,
    .restored = restored,
};

static void a_method_that_stands_still_is_one_row(void **unused)
{
    (void)unused;
    Touch t = touch_nothing(2);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){2, 2, 2},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)),
                   1000, 0.3, 1);
    touch_start(&t);
    const PalModel *model = pal_sim_model(t.run);
    PalError error = {0};
    PalMeter meter = {{0}, {0}};
    PalState *state = NULL;
    PalSolver *solver = NULL;
    check_ok(pal_state_create(model, &state, &error), &error);
    PalSolverSetup setup = {.def = &t.sim.solver, .meter = &meter, .method = &standing};
    check_ok(pal_solver_create(&setup, model, state, &solver, &error), &error);
    int32_t steps = 0;
    for (; !pal_solver_finished(state, solver); ++steps)
        check_ok(pal_solver_step(model, state, solver, &error), &error);
    assert_int_equal(steps, 10);
    check_near(state->time, 2, 1e-15);
    check_near(solver->method->progress(state, solver), 1, 0);
    for (int32_t n = 0; n < model->node_count; ++n)
        check_near(pal_vec3_length(state->displacement[n]), 0, 0);
    // it is no motion in time: loads stay at their end, energies of motion are none
    state->time = 7;
    check_near(pal_solver_load_time(state, solver), 2, 0);
    PalHalves half;
    pal_solver_halves(model, state, solver, 0, 1, &half);
    check_near(pal_vec3_length(half.before) + pal_vec3_length(half.after), 0, 0);
    // what it keeps is found where it lives
    PalNamedArray kept[PAL_METHOD_ARRAY_MAX];
    assert_int_equal(solver->method->arrays(model, solver, kept), 1);
    assert_int_equal(*(int64_t *)kept[0].data, 10);
    check_ok(pal_solver_restored(model, state, solver, &error), &error);
    assert_int_equal(restored_count, 1);
    pal_solver_destroy(solver);
    assert_int_equal(destroyed, 1);
    pal_state_destroy(state);
    touch_end(&t);
}

static void unknown_methods_are_refused(void **unused)
{
    (void)unused;
    assert_null(pal_method_row((PalMethod)99));
    assert_null(pal_method_row((PalMethod)-1));
    assert_null(pal_method_choice(99));
    Touch t = touch_nothing(1);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){1, 1, 1},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)),
                   1000, 0.3, 1);
    touch_start(&t);
    PalSim *other = NULL;
    PalError error = {0};
    t.sim.solver.method = (PalMethod)99;
    assert_int_equal(pal_sim_create(&t.sim, &other, &error), PAL_BAD_INPUT);
    assert_string_equal(error.text, "there is no method 99");
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_method_that_stands_still_is_one_row),
    cmocka_unit_test(unknown_methods_are_refused),
};
CHECK_GROUP(tests, NULL, NULL)
