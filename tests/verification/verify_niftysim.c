// NiftySim models run as NiftySim runs them. The displacements come from an independent program in
// double precision with the same elements, steps and saved time; NiftySim itself, in single
// precision, is within 0.1 % of them.
#include "check.h"
#include "math/vec3.h"
#include <palpate/scene.h>

#include <unistd.h>

typedef struct Known {
    int32_t node;
    PalVec3 displacement;
} Known;

// Runs a scene or a model to its end. The caller destroys the simulation.
static PalSim *run(const char *path, int64_t steps)
{
    PalError error = {0};
    PalScene *scene = NULL;
    PalSim *sim = NULL;
    check_ok(pal_scene_read(path, NULL, &scene, &error), &error);
    check_ok(pal_sim_create(pal_scene_sim(scene), &sim, &error), &error);
    while (!pal_sim_finished(sim))
        check_ok(pal_sim_step(sim, &error), &error);
    assert_int_equal(pal_sim_state(sim)->step_count, steps);
    pal_scene_destroy(scene);
    return sim;
}

// The same bits after conversion to a scene, and the displacements known. The caller destroys.
static PalSim *check_model(const char *name, int64_t steps, const Known *known, int32_t count,
                           double tolerance)
{
    char from[512], folder[] = "/tmp/palpate-niftysim-XXXXXX", to[128];
    PalError error = {0};
    snprintf(from, sizeof from, PAL_SCENES "/niftysim/%s.xml", name);
    assert_non_null(mkdtemp(folder));
    snprintf(to, sizeof to, "%s/scene.yaml", folder);
    PalConvertResult result;
    check_ok(pal_scene_convert(from, to, NULL, &result, &error), &error);
    PalSim *sim = run(from, steps), *again = run(to, steps);
    assert_int_equal(pal_sim_hash(sim), pal_sim_hash(again));
    const PalState *state = pal_sim_state(sim);
    double largest = 0;
    for (int32_t n = 0; n < pal_sim_model(sim)->node_count; ++n)
        largest = fmax(largest, pal_vec3_length(state->displacement[n]));
    for (int32_t i = 0; i < count; ++i)
        check_near(pal_vec3_distance(state->displacement[known[i].node], known[i].displacement), 0,
                   tolerance * largest);
    pal_sim_destroy(again);
    free(result.warnings);
    char remove[160];
    snprintf(remove, sizeof remove, "rm -r %s", folder);
    assert_int_equal(system(remove), 0);
    return sim;
}

// Forces of their own for each node, gravity; neo-Hookean. Known to six digits.
static void cantilever(void **state)
{
    (void)state;
    static const Known known[] = {
        {22, {-1.56119e-4, 8.26694e-4, -4.20301e-3}},
        {24, {-4.67867e-4, 2.47291e-3, -9.30971e-3}},
        {44, {7.97657e-4, 2.41966e-3, -9.31921e-3}},
    };
    pal_sim_destroy(check_model("cantilever", 4001, known, 3, 1e-6));
}

// A mesh file turned, scaled and moved; viscoelastic and fibrous sets; pressure that ramps and
// holds. NiftySim and the other program relax by backward Euler steps, which is not quite the same.
static void block(void **state)
{
    (void)state;
    static const Known known[] = {
        {18, {-2.49271e-3, -1.37431e-3, 5.80392e-4}},
        {22, {-1.75311e-3, -4.60705e-4, 1.11217e-4}},
        {36, {-5.49749e-3, -2.40700e-3, 1.19450e-3}},
        {40, {-4.70469e-3, -1.30283e-3, 5.54812e-4}},
    };
    pal_sim_destroy(check_model("block", 2001, known, 4, 1e-4));
}

// Hexahedra of two materials with hourglass stiffness, gravity at once, a displacement up and down.
static void hexahedra(void **state)
{
    (void)state;
    static const Known known[] = {
        {26, {3.801821298e-04, 1.678974774e-04, -9.961933291e-03}},
        {39, {6.033710734e-03, 1.348673451e-03, -1.885894525e-02}},
        {53, {1.819740732e-03, 4.003683873e-03, -3.240125999e-02}},
    };
    pal_sim_destroy(check_model("hexahedra", 1001, known, 3, 1e-9));
}

// Two blocks and a moving sheet in contact. Only the upper block's top is known well, where the
// sheet has moved it; the rest depends on how contact is answered.
static void sheet(void **state)
{
    (void)state;
    static const double known[][2] = {{62, -6.084e-3}, {75, -5.714e-3}, {91, -8.694e-3}};
    PalSim *sim = check_model("sheet", 5001, NULL, 0, 0);
    const PalVec3 *displacement = pal_sim_state(sim)->displacement;
    for (int i = 0; i < 3; ++i)
        check_near(displacement[(int)known[i][0]].z, known[i][1], 0.1 * fabs(known[i][1]));
    double travel = 0.012 * 5001 / 5000 - 0.001;
    for (int32_t n = 107; n < 123; ++n) {
        check_near(displacement[n].z, -travel, 1e-5);
        check_near(displacement[n].x, 0, 0);
    }
    pal_sim_destroy(sim);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(cantilever),
    cmocka_unit_test(block),
    cmocka_unit_test(hexahedra),
    cmocka_unit_test(sheet),
};
CHECK_GROUP(tests, NULL, NULL)
