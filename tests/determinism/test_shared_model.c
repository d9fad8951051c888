// Simulations that share a model: at the same time, each in a thread of its own and with helpers,
// they give the bits that each gives alone. The thread sanitizer watches.
#include "touch.h"

#include <pthread.h>

#ifdef __SANITIZE_THREAD__
enum { STEPS = 30 };
#else
enum { STEPS = 200 };
#endif

enum { RUN_COUNT = 3 };

// A ball that relaxes and averages pressures, over a slab, beside a plate that comes nearer.
static Touch scene(void)
{
    Touch t = touch_crowd(PAL_CELL_HEXAHEDRON);
    t.bodies[0].element = PAL_ELEMENT_H8;
    t.bodies[1].element = PAL_ELEMENT_T4_ANP;
    t.bodies[1].name = "ball";
    t.materials[1].isochoric_count = t.materials[1].volumetric_count = 1;
    t.materials[1].isochoric[0] = (PalPronyTerm){0.4, 0.1};
    t.materials[1].volumetric[0] = (PalPronyTerm){0.2, 0.05};
    t.sim.solver.thread_count = 2;
    return t;
}

// Each run differs from the others, so that what one wrote into the model would show in another.
static PalSimDef definition(const Touch *t, int run)
{
    PalSimDef def = t->sim;
    if (run == 1)
        def.solver.method = PAL_METHOD_NEWMARK;
    if (run == 2)
        def.solver.safety = 0.6;
    return def;
}

typedef struct Run {
    PalSim *sim;
    PalStatus status;
    PalError error;
    PalEnergy energy;
    uint64_t hash;
} Run;

static void *take_steps(void *argument)
{
    Run *run = argument;
    for (int i = 0; run->status == PAL_OK && i < STEPS; ++i) {
        run->status = pal_sim_step(run->sim, &run->error);
        run->energy = pal_sim_energy(run->sim);
    }
    run->hash = pal_sim_hash(run->sim);
    return NULL;
}

static void simulations_at_once_give_the_bits_of_each_alone(void **state)
{
    (void)state;
    Touch t = scene();
    touch_start(&t);
    Run alone[RUN_COUNT] = {0}, together[RUN_COUNT] = {0};
    for (int k = 0; k < RUN_COUNT; ++k) {
        PalSimDef def = definition(&t, k);
        check_ok(pal_sim_create(&def, &alone[k].sim, &alone[k].error), &alone[k].error);
        take_steps(&alone[k]);
        check_ok(alone[k].status, &alone[k].error);
        assert_true(pal_sim_contact_report(alone[k].sim).contact_count > 0);
    }
    PalError error = {0};
    PalModelDef model_def = t.sim.model;
    PalModel *model = NULL;
    model_def.end_time = t.sim.solver.time;
    check_ok(pal_model_create(&model_def, &model, &error), &error);
    pthread_t threads[RUN_COUNT];
    for (int k = 0; k < RUN_COUNT; ++k) {
        PalSimDef def = definition(&t, k);
        def.model = pal_model_def_default();  // not looked at
        check_ok(pal_sim_create_on(model, &def, &together[k].sim, &error), &error);
        assert_ptr_equal(pal_sim_model(together[k].sim), model);
    }
    for (int k = 0; k < RUN_COUNT; ++k)
        assert_int_equal(pthread_create(&threads[k], NULL, take_steps, &together[k]), 0);
    for (int k = 0; k < RUN_COUNT; ++k) {
        assert_int_equal(pthread_join(threads[k], NULL), 0);
        check_ok(together[k].status, &together[k].error);
        assert_true(together[k].hash == alone[k].hash);
        assert_memory_equal(&together[k].energy, &alone[k].energy, sizeof(PalEnergy));
        assert_true(k == 0 || alone[k].hash != alone[0].hash);
        pal_sim_destroy(alone[k].sim);
        pal_sim_destroy(together[k].sim);
    }
    pal_model_destroy(model);
    touch_end(&t);
}

static void a_simulation_can_stand_on_another_s_model(void **state)
{
    (void)state;
    Touch t = scene();
    for (int32_t n = 0; n < t.meshes[1]->node_count; ++n)
        t.meshes[1]->nodes[n].z -= 0.01;  // overlaps a little
    touch_start(&t);
    assert_true(pal_sim_contact_report(t.run).moved_count > 0);
    PalError error = {0};
    PalSim *other = NULL;
    check_ok(pal_sim_create_on(pal_sim_model(t.run), &t.sim, &other, &error), &error);
    assert_int_equal(pal_sim_contact_report(other).moved_count, 0);
    for (int i = 0; i < STEPS; ++i) {
        check_ok(pal_sim_step(t.run, &error), &error);
        check_ok(pal_sim_step(other, &error), &error);
    }
    assert_true(pal_sim_hash(t.run) == pal_sim_hash(other));
    pal_sim_destroy(other);
    touch_end(&t);
}

static void refuses(const PalModel *model, const PalSimDef *def, const char *words)
{
    PalError error = {0};
    PalSim *sim = NULL;
    assert_int_equal(pal_sim_create_on(model, def, &sim, &error), PAL_BAD_INPUT);
    assert_null(sim);
    if (strstr(error.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, words);
}

static void a_model_given_stays_as_it_is(void **state)
{
    (void)state;
    Touch t = scene();
    touch_start(&t);
    for (int32_t n = 0; n < t.meshes[1]->node_count; ++n)
        t.meshes[1]->nodes[n].z -= 0.01;
    PalError error = {0};
    PalModel *model = NULL;
    check_ok(pal_model_create(&t.sim.model, &model, &error), &error);
    refuses(model, &t.sim, "\"body\" and \"ball\" overlap at the start");
    PalSimDef late = t.sim, scaled = t.sim;
    late.contact.pair_count = scaled.contact.pair_count = 0;
    late.solver.time = 1.5;
    refuses(model, &late, "solver time is 1.5, but the model given ends at 1");
    scaled.solver.mass_scaling_step = 1e-3;
    refuses(model, &scaled, "mass scaling is part of the model");
    pal_model_destroy(model);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(simulations_at_once_give_the_bits_of_each_alone),
    cmocka_unit_test(a_simulation_can_stand_on_another_s_model),
    cmocka_unit_test(a_model_given_stays_as_it_is),
};
CHECK_GROUP(tests, NULL, NULL)
