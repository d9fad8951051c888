// With one number changed, a model or a state is said to be broken.
#include "math/quaternion.h"
#include "model/validate.h"
#include "sim/sim.h"
#include "touch.h"

// A held block over a free ball, and a plate.
static Touch scene(void)
{
    Touch t = touch_nothing(1);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){2, 2, 2},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 1)),
                   1000, 0.3, 10);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){1, 1, 1},
                               PAL_CELL_HEXAHEDRON, pal_vec3(3, 0, 1)),
                   1000, 0.3, 10);
    t.bodies[1].element = PAL_ELEMENT_H8;
    touch_add_free(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 2, 3), (int32_t[]){1, 1, 1},
                               PAL_CELL_TRIANGLE, pal_vec3(0, 0, -3)),
                   5);
    t.rigids[0].spin = pal_vec3(1, 2, 3);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){1, 1, 1},
                                    PAL_CELL_TRIANGLE, pal_vec3(0, 0, -9)));
    touch_side(&t, 0, PAL_CONDITION_FIX, 2, true);
    touch_gravity(&t, pal_vec3(0, 0, -10));
    touch_start(&t);
    touch_advance(&t, 0.05);
    return t;
}

// The simulation's own, which nobody but a test may change.
static PalModel *model_of(Touch *t)
{
    return t->run->own_model;
}

static void expect(PalStatus status, const PalError *error, const char *words)
{
    assert_int_equal(status, PAL_BAD_INPUT);
    if (strstr(error->text, words) == NULL)
        fail_msg("'%s' does not say '%s'", error->text, words);
}

static void expect_model(Touch *t, int32_t *number, int32_t value, const char *words)
{
    PalError error = {0};
    int32_t kept = *number;
    assert_int_not_equal(kept, value);
    *number = value;
    expect(pal_model_validate(model_of(t), &error), &error, words);
    *number = kept;
    check_ok(pal_model_validate(model_of(t), &error), &error);
}

static void expect_state(Touch *t, double *number, double value, const char *words)
{
    PalError error = {0};
    double kept = *number;
    *number = value;
    expect(pal_state_validate(model_of(t), t->run->state, &error), &error, words);
    *number = kept;
    check_ok(pal_state_validate(model_of(t), t->run->state, &error), &error);
}

static void broken_numbers_of_a_model_are_found(void **unused)
{
    (void)unused;
    Touch t = scene();
    PalModel *m = model_of(&t);
    expect_model(&t, &m->bodies[1].first_node, m->bodies[1].first_node - 1, "a body starts");
    expect_model(&t, &m->bodies[1].first_cell, 0, "a body starts");
    expect_model(&t, &m->cell_count, m->cell_count + 1, "how many nodes and cells");
    expect_model(&t, &m->cell_element[3], m->cell_count, "a cell's element");
    expect_model(&t, &m->cell_element[3], m->cell_element[4], "an element is there twice");
    expect_model(&t, &m->free_rigid_count, 2, "are free");
    touch_end(&t);
}

static void broken_masses_and_holds_are_found(void **unused)
{
    (void)unused;
    Touch t = scene();
    PalModel *m = model_of(&t);
    PalError error = {0};
    double mass = m->mass[2], moment = m->rigids[0].moments[0];
    m->mass[2] = 2 * mass;
    expect(pal_model_validate(m, &error), &error, "the mass of all");
    m->mass[2] = -mass;
    error = (PalError){0};
    expect(pal_model_validate(m, &error), &error, "the mass of a node");
    m->mass[2] = mass;
    for (int32_t n = 0; n < m->node_count; ++n) {
        uint8_t held = m->held[n];
        m->held[n] = held != 0 ? 0 : 1;
        error = (PalError){0};
        expect(pal_model_validate(m, &error), &error, "the list of held nodes");
        m->held[n] = held;
    }
    m->rigids[0].moments[0] = 2 * m->rigids[0].moments[2];
    error = (PalError){0};
    expect(pal_model_validate(m, &error), &error, "moments of inertia");
    m->rigids[0].moments[0] = moment;
    m->rigids[0].axes.m[1][1] += 1e-6;
    error = (PalError){0};
    expect(pal_model_validate(m, &error), &error, "axes of inertia");
    touch_end(&t);
}

static void broken_states_are_found(void **unused)
{
    (void)unused;
    Touch t = scene();
    PalState *s = t.run->state;
    expect_state(&t, &s->time, -1, "the time");
    expect_state(&t, &s->step, INFINITY, "the step");
    expect_state(&t, &s->reaction[t.run->model->bodies[1].first_node].y, 1e-300, "a reaction");
    expect_state(&t, &s->conditions[1].steered, 2, "a steered condition");
    expect_state(&t, &s->conditions[0].wanted_time, NAN, "a steered condition");
    expect_state(&t, &s->rigids[1].steered, 0.5, "a steered pose");
    expect_state(&t, &s->rigids[1].steered, 1, "a steered pose");  // to nowhere
    expect_state(&t, &s->rigids[0].orientation.w, s->rigids[0].orientation.w + 1e-6,
                 "an orientation");
    expect_state(&t, &s->rigids[0].pose.rotation.m[0][1], 0, "pose and orientation differ");
    expect_state(&t, &s->rigids[0].pose.pivot.z, 0, "the pivot");
    expect_state(&t, &s->rigids[0].momentum.x, NAN, "how a free body moves");
    expect_state(&t, &s->rigids[0].loads[1].steered, -1, "steered loads");
    touch_end(&t);
}

// Nothing but what a run could have written is taken from a checkpoint.
static void broken_states_are_not_restored(void **unused)
{
    (void)unused;
    Touch t = scene();
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    PalError error = {0};
    assert_true(pal_sim_arrays(t.run, arrays) > 0);
    check_ok(pal_sim_restored(t.run, &error), &error);
    t.run->state->rigids[0].orientation = (PalQuaternion){0, 0, 0, 0};
    expect(pal_sim_restored(t.run, &error), &error, "not valid: the state is broken");
    t.run->state->rigids[0].orientation =
        pal_quaternion_from_matrix(&t.run->state->rigids[0].pose.rotation);
    error = (PalError){0};
    check_ok(pal_sim_restored(t.run, &error), &error);
    PalState *state = t.run->state;
    PalVec3 *const of_nodes[] = {state->displacement, state->velocity, state->acceleration,
                                 state->force,        state->external, state->contact};
    for (size_t i = 0; i < sizeof of_nodes / sizeof *of_nodes; ++i) {
        double before = of_nodes[i][1].z;
        of_nodes[i][1].z = i % 2 == 0 ? NAN : INFINITY;
        expect(pal_sim_restored(t.run, &error), &error, "a value that is no finite number");
        of_nodes[i][1].z = before;
    }
    error = (PalError){0};
    check_ok(pal_sim_restored(t.run, &error), &error);
    t.run->scalars[6] = 0;  // the step to come
    expect(pal_sim_restored(t.run, &error), &error, "the step in the checkpoint");
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(broken_numbers_of_a_model_are_found),
    cmocka_unit_test(broken_masses_and_holds_are_found),
    cmocka_unit_test(broken_states_are_found),
    cmocka_unit_test(broken_states_are_not_restored),
};
CHECK_GROUP(tests, NULL, NULL)
