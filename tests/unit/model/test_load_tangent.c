// The tangent of a pressure on a closed surface is symmetric, and agrees with differences of the
// load.
#include "element/stiffness.h"
#include "math/linear.h"
#include "model/conditions.h"
#include "model/load_tangent.h"
#include "sim/sim.h"
#include "simulate.h"

#include "base/memory.h"

static PalVec3 wave(int32_t n, double phase)
{
    return pal_vec3(sin(n + phase), sin(2.3 * n + phase), cos(1.7 * n + phase));
}

// On one side the rim adds what is not symmetric.
static void check_element(PalElementKind element, bool closed)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 2, 2, 2);
    s.body.element = element;
    PalConditionDef *load = closed ? simulate_everywhere(&s, PAL_CONDITION_PRESSURE)
                                   : simulate_on_side(&s, PAL_CONDITION_PRESSURE, 1, true);
    load->pressure = 3;
    simulate_start(&s);
    const PalModel *model = s.run->model;
    PalState *state = s.run->state;
    int32_t count = model->node_count;
    PalStiffness *k = NULL;
    PalError error = {0};
    check_ok(pal_stiffness_create(model->elements, model->held, model->nodes, NULL, &k, &error),
             &error);
    PalVec3 *up = pal_alloc((size_t)count, sizeof *up),
            *down = pal_alloc((size_t)count, sizeof *up),
            *rim = pal_alloc((size_t)count, sizeof *rim),
            *motion = pal_alloc((size_t)count, sizeof *motion);
    double *x = pal_alloc((size_t)k->row_count, sizeof *x),
           *y = pal_alloc((size_t)k->row_count, sizeof *y);
    const double h = 1e-5;
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int32_t n = 0; n < count; ++n)
            state->displacement[n] =
                pal_vec3_add_scaled(pal_vec3_scale(0.1, wave(n, 1)), sign * h, wave(n, 5));
        pal_conditions_loads(model, state, 0.7, 1, sign > 0 ? up : down);
    }
    for (int32_t n = 0; n < count; ++n)
        state->displacement[n] = pal_vec3_scale(0.1, wave(n, 1));
    pal_conditions_add_tangent(model, state, 0.7, k);
    for (int32_t i = 0; i < 3 * count; ++i)
        x[k->equation[i]] = pal_vec3_at(wave(i / 3, 5), i % 3);
    PalSymmetric matrix = pal_stiffness_unknowns(k);
    pal_symmetric_multiply(&matrix, x, y);
    for (int32_t n = 0; n < count; ++n)
        motion[n] = wave(n, 5);
    pal_conditions_add_rim(model, state, 0.7, motion, rim);
    double most = 0, edge = 0;
    for (int32_t i = 0; i < 3 * count; ++i) {
        double change = (pal_vec3_at(up[i / 3], i % 3) - pal_vec3_at(down[i / 3], i % 3)) / (2 * h);
        most = fmax(most, fabs(change));
        edge = fmax(edge, fabs(pal_vec3_at(rim[i / 3], i % 3)));
        check_near(y[k->equation[i]] + pal_vec3_at(rim[i / 3], i % 3), -change, 1e-8);
    }
    assert_true(most > 0.1);
    assert_true(closed ? edge < 1e-12 : edge > 0.1);
    pal_free(rim);
    pal_free(motion);
    pal_free(up);
    pal_free(down);
    pal_free(x);
    pal_free(y);
    pal_stiffness_destroy(k);
    simulate_end(&s);
}

static void triangles(void **state)
{
    (void)state;
    check_element(PAL_ELEMENT_T4, true);
    check_element(PAL_ELEMENT_T4, false);
}

static void quadrilaterals(void **state)
{
    (void)state;
    check_element(PAL_ELEMENT_H8, true);
    check_element(PAL_ELEMENT_H8, false);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(triangles),
    cmocka_unit_test(quadrilaterals),
};

CHECK_GROUP(tests, NULL, NULL)
