// What is tied goes where the others go, and what it feels they feel: no power is lost on the way.
#include "math/mat3.h"
#include "model/ties.h"
#include "touch.h"

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

// A block on another with a mesh that does not match, or a little above it.
static Touch tied_blocks(double above)
{
    Touch t = touch_nothing(1);
    for (int b = 0; b < 2; ++b)
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1),
                                   (int32_t[]){b == 0 ? 3 : 2, 2, 2}, PAL_CELL_TETRAHEDRON,
                                   pal_vec3(0, 0, b == 0 ? 0.5 + above : -0.5)),
                       1000, 0.3, 10);
    PalConditionDef *tie = touch_side(&t, 0, PAL_CONDITION_ATTACH, 2, false);
    tie->other_body = 1;
    touch_start(&t);
    return t;
}

// Turned and moved as a whole.
static void displace(const PalModel *model, PalVec3 *u)
{
    PalMat3 turn = pal_rotation_about(pal_vec3(1, 2, -1), 0.7);
    for (int32_t n = 0; n < model->node_count; ++n) {
        PalVec3 x = pal_vec3_add(pal_mat3_apply(&turn, model->nodes[n]), pal_vec3(0.3, -0.2, 0.5));
        u[n] = pal_vec3_sub(x, model->nodes[n]);
    }
}

static void each_height(void (*check)(const PalModel *model, PalVec3 *u))
{
    for (int k = 0; k < 2; ++k) {
        Touch t = tied_blocks(k == 0 ? 0 : 0.02);
        const PalModel *model = pal_sim_model(t.run);
        PalVec3 *u = calloc((size_t)model->node_count, sizeof *u);
        assert_true(model->ties != NULL && model->ties->count == 12);
        assert_true((model->ties->height[0] != 0) == (k == 1));
        displace(model, u);
        check(model, u);
        free(u);
        touch_end(&t);
    }
}

static void check_rigid(const PalModel *model, PalVec3 *u)
{
    const PalVec3 go = {0.4, 1, -2}, spin = {1, -0.5, 2};
    const double step = 1e-3;
    size_t count = (size_t)model->node_count;
    PalVec3 *v = calloc(count, sizeof *v), *rate = calloc(count, sizeof *rate);
    for (int32_t n = 0; n < model->node_count; ++n) {
        PalVec3 x = pal_vec3_add(model->nodes[n], u[n]);
        rate[n] = pal_vec3_add(go, pal_vec3_cross(spin, x));
        v[n] = go;
    }
    for (int32_t t = 0; t < model->ties->count; ++t) {
        int32_t n = model->ties->node[t];
        PalVec3 there = u[n], x = pal_vec3_add(model->nodes[n], u[n]);
        u[n] = rate[n] = v[n] = pal_vec3(9, 9, 9);
        pal_ties_follow(model, u);
        check_near(pal_vec3_distance(u[n], there), 0, 1e-12);
        pal_ties_follow_rate(model, u, rate);
        check_near(pal_vec3_distance(rate[n], pal_vec3_add(go, pal_vec3_cross(spin, x))), 0, 1e-11);
        pal_ties_lead(model, u, step, v);
        check_near(pal_vec3_distance(v[n], go), 0, 1e-9);
    }
    free(v);
    free(rate);
}

static void rigid_motions_are_followed(void **state)
{
    (void)state;
    each_height(check_rigid);
}

// Where the others move in any way, a step leads to where they are then.
static void check_lead(const PalModel *model, PalVec3 *u)
{
    uint64_t seed = 5;
    const double step = 1e-2;
    size_t count = (size_t)model->node_count;
    PalVec3 *v = calloc(count, sizeof *v), *later = calloc(count, sizeof *later);
    for (int32_t n = 0; n < model->node_count; ++n)
        v[n] = pal_vec3(draw(&seed), draw(&seed), draw(&seed));
    pal_ties_follow(model, u);
    pal_ties_lead(model, u, step, v);
    for (int32_t n = 0; n < model->node_count; ++n)
        later[n] = pal_vec3_add_scaled(u[n], step, v[n]);
    pal_ties_follow(model, later);
    for (int32_t t = 0; t < model->ties->count; ++t) {
        int32_t n = model->ties->node[t];
        check_near(pal_vec3_distance(later[n], pal_vec3_add_scaled(u[n], step, v[n])), 0, 1e-12);
    }
    free(v);
    free(later);
}

static void a_step_leads_there(void **state)
{
    (void)state;
    each_height(check_lead);
}

static void check_power(const PalModel *model, PalVec3 *u)
{
    uint64_t seed = 17;
    size_t count = (size_t)model->node_count;
    PalVec3 *rate = calloc(count, sizeof *rate), *force = calloc(count, sizeof *force);
    double before = 0, after = 0, tied = 0;
    for (int32_t n = 0; n < model->node_count; ++n) {
        u[n] = pal_vec3_add(u[n],
                            pal_vec3_scale(0.05, pal_vec3(draw(&seed), draw(&seed), draw(&seed))));
        rate[n] = pal_vec3(draw(&seed), draw(&seed), draw(&seed));
        force[n] = pal_vec3(draw(&seed), draw(&seed), draw(&seed));
    }
    pal_ties_follow(model, u);
    pal_ties_follow_rate(model, u, rate);
    for (int32_t n = 0; n < model->node_count; ++n)
        before += pal_vec3_dot(force[n], rate[n]);
    for (int32_t t = 0; t < model->ties->count; ++t)
        tied += fabs(pal_vec3_dot(force[model->ties->node[t]], rate[model->ties->node[t]]));
    pal_ties_give_forces(model, u, force);
    for (int32_t n = 0; n < model->node_count; ++n)
        after += pal_vec3_dot(force[n], rate[n]);
    assert_true(tied > 0.1);
    check_near(after, before, 1e-12);
    for (int32_t t = 0; t < model->ties->count; ++t)
        check_near(pal_vec3_length(force[model->ties->node[t]]), 0, 0);
    free(rate);
    free(force);
}

static void forces_have_the_same_power(void **state)
{
    (void)state;
    each_height(check_power);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rigid_motions_are_followed),
    cmocka_unit_test(a_step_leads_there),
    cmocka_unit_test(forces_have_the_same_power),
};
CHECK_GROUP(tests, NULL, NULL)
