// The assembled tangent against differences of forces.
#ifndef PAL_TESTS_ELEMENT_TANGENTS_H
#define PAL_TESTS_ELEMENT_TANGENTS_H

#include "body.h"
#include "element/stiffness.h"
#include "math/linear.h"

#include "base/memory.h"

// What forces are asked with: a step, and the history before it.
typedef struct Setting {
    const Body *body;
    PalElements *elements;
    PalElementScratch *scratch;
    double step;
    double *before, *after;
    size_t history_bytes;
} Setting;

static inline void forces(Setting *s, const PalVec3 *displacement, PalVec3 *force)
{
    memcpy(s->after, s->before, s->history_bytes);
    PalElementTrouble trouble =
        pal_elements_force(s->elements, s->scratch, displacement, s->step, s->after, force);
    assert_int_equal(trouble.inverted_count, 0);
}

// K d with the pressures eliminated: p = - K_pu d / K_pp.
static inline void apply(const PalStiffness *k, const PalVec3 *d, double *result)
{
    PalSymmetric whole = pal_stiffness_unknowns(k);
    whole.size = k->row_count;
    double *x = pal_alloc((size_t)k->row_count, sizeof *x);
    for (int32_t r = 0; r < k->row_count; ++r)
        x[r] = k->component[r] != PAL_NONE
                   ? pal_vec3_at(d[k->component[r] / 3], k->component[r] % 3)
                   : 0;
    pal_symmetric_multiply(&whole, x, result);
    // by sweeps, as pressures that are smoothed meet each other
    double left = 1, most = 0;
    for (int32_t r = k->free_count; r < k->unknown_count; ++r)
        most = fmax(most, fabs(result[r]));
    for (int sweep = 0; sweep < 5000 && left > 1e-14 * most; ++sweep) {
        left = 0;
        for (int32_t r = k->free_count; r < k->unknown_count; ++r) {
            left = fmax(left, fabs(result[r]));
            x[r] -= 0.6 * result[r] / k->value[k->start[r + 1] - 1];
        }
        pal_symmetric_multiply(&whole, x, result);
    }
    assert_true(left <= 1e-13 * most + 1e-15);
    pal_free(x);
}

static inline void compare(Setting *s, const PalVec3 *u, const PalVec3 *d)
{
    int32_t count = s->body->def.node_count;
    PalError error = {0};
    PalStiffness *k = NULL;
    uint8_t *held = pal_alloc((size_t)count, 1);
    for (int32_t n = 0; n < count; n += 3)
        held[n] = (uint8_t)(n % 8);
    check_ok(pal_stiffness_create(s->elements, held, s->body->def.nodes, NULL, &k, &error), &error);
    PalVec3 *force = pal_alloc((size_t)count, sizeof *force);
    PalVec3 *moved = pal_alloc((size_t)count, sizeof *moved);
    double *product = pal_alloc((size_t)k->row_count, sizeof *product);
    double *expected = pal_alloc(3 * (size_t)count, sizeof *expected), size = 0, worst = 0;
    const double h = 3e-6, weight[4] = {-1.0 / 12, 8.0 / 12, -8.0 / 12, 1.0 / 12};
    const double at[4] = {-2, -1, 1, 2};
    for (int p = 0; p < 4; ++p) {
        for (int32_t n = 0; n < count; ++n)
            moved[n] = pal_vec3_add_scaled(u[n], at[p] * h, d[n]);
        forces(s, moved, force);
        for (int32_t i = 0; i < 3 * count; ++i)
            expected[i] += weight[p] / h * pal_vec3_at(force[i / 3], i % 3);
    }
    forces(s, u, force);
    PalStiffnessStep step = {s->step, s->before, s->after};
    pal_stiffness_assemble(k, s->scratch, u, &step);
    apply(k, d, product);
    for (int32_t i = 0; i < 3 * count; ++i) {
        size = fmax(size, fabs(expected[i]));
        worst = fmax(worst, fabs(expected[i] - product[k->equation[i]]));
    }
    check_near(worst / size, 0, 1e-7);
    pal_free(force);
    pal_free(moved);
    pal_free(product);
    pal_free(expected);
    pal_free(held);
    pal_stiffness_destroy(k);
}

#endif
