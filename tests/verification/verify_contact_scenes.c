// Nothing passes through anything in any scene that ships: brute force looks at every pair of
// triangles at every output time, and in between. A new scene with contact is found by itself.
#include "crossing.h"

#include <glob.h>
#include <palpate/scene.h>

#define LOOK_STEPS 25  // between looks, at most

typedef struct Watch {
    PalSim *sim;
    int64_t outputs;  // output times met
    int32_t looks, most;
    int64_t crossings;
} Watch;

// Relaxation has no times that mean anything: only its steps count.
static bool due(Watch *watch, double every)
{
    const PalState *state = pal_sim_state(watch->sim);
    bool timed = pal_sim_solver(watch->sim)->method != PAL_METHOD_RELAXATION;
    if (timed && state->time / every + 1e-6 >= (double)(watch->outputs + 1)) {
        watch->outputs++;
        return true;
    }
    return state->step_count % LOOK_STEPS == 0 || pal_sim_finished(watch->sim);
}

// Runs to the end, counting what crosses of the objects that `kept_apart` names.
static Watch watch_run(const PalScene *scene, const PalContactDef *kept_apart)
{
    PalSimDef def = *pal_scene_sim(scene);
    def.align = pal_scene_output(scene)->every;
    def.solver.thread_count = 1;
    PalError error = {0};
    Watch watch = {0};
    check_ok(pal_sim_create(&def, &watch.sim, &error), &error);
    watch.crossings = crossing_count(watch.sim, kept_apart);
    while (!pal_sim_finished(watch.sim)) {
        check_ok(pal_sim_step(watch.sim, &error), &error);
        int32_t count;
        pal_sim_contacts(watch.sim, &count);
        watch.most = count > watch.most ? count : watch.most;
        if (due(&watch, def.align)) {
            watch.looks++;
            watch.crossings += crossing_count(watch.sim, kept_apart);
        }
    }
    return watch;
}

static void watch_scene(const char *path, const PalScene *scene)
{
    const PalSimDef *def = pal_scene_sim(scene);
    Watch watch = watch_run(scene, &def->contact);
    PalContactReport report = pal_sim_contact_report(watch.sim);
    print_message("%s: %lld steps, %d looks, at most %d contacts, %lld crossings, %lld rescues\n",
                  strrchr(path, '/') + 1, (long long)pal_sim_state(watch.sim)->step_count,
                  watch.looks, watch.most, (long long)watch.crossings, (long long)report.rescues);
    assert_true(watch.most > 0);
    // The published responses may let surfaces pass: scenes that choose one are only reported.
    if (def->contact.response == PAL_RESPONSE_LAGRANGE)
        assert_int_equal(watch.crossings, 0);
    pal_sim_destroy(watch.sim);
}

static PalScene *read_scene(const char *path, const PalSceneOptions *options)
{
    PalScene *scene = NULL;
    PalError error = {0};
    check_ok(pal_scene_read(path, options, &scene, &error), &error);
    return scene;
}

static int32_t watch_matching(const char *pattern)
{
    glob_t files = {0};
    int32_t watched = 0;
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; ++i) {
        PalScene *scene = read_scene(files.gl_pathv[i], NULL);
        if (pal_scene_sim(scene)->contact.pair_count > 0) {
            watch_scene(files.gl_pathv[i], scene);
            watched++;
        }
        pal_scene_destroy(scene);
    }
    globfree(&files);
    return watched;
}

static void test_scenes(void **state)
{
    (void)state;
    assert_true(watch_matching(PAL_SCENES "/*.yaml") >= 14);
}

static void test_niftysim(void **state)
{
    (void)state;
    assert_true(watch_matching(PAL_SCENES "/niftysim/*.xml") >= 1);
}

// Without contact the same scene does cross, and brute force sees it.
static void test_sees_crossings(void **state)
{
    (void)state;
    const PalSceneChange changes[] = {{"contact", "null"}, {"probes", "null"}};
    const PalSceneOptions options = {.change_count = 2, .changes = changes};
    PalScene *kept = read_scene(PAL_SCENES "/ball-on-slab.yaml", NULL);
    PalScene *loose = read_scene(PAL_SCENES "/ball-on-slab.yaml", &options);
    Watch watch = watch_run(loose, &pal_scene_sim(kept)->contact);
    assert_true(watch.crossings > 0);
    pal_sim_destroy(watch.sim);
    pal_scene_destroy(loose);
    pal_scene_destroy(kept);
}

// The finger on the organ, by relaxation: it ends, and the table bears the weight and the finger.
static void test_palpation_comes_to_rest(void **state)
{
    (void)state;
    const PalSceneChange changes[] = {{"solver.method", "relaxation"},
                                      {"solver.steps-limit", "20000"}};
    const PalSceneOptions options = {.change_count = 2, .changes = changes};
    PalScene *scene = read_scene(PAL_SCENES "/palpation.yaml", &options);
    Watch watch = watch_run(scene, &pal_scene_sim(scene)->contact);
    assert_int_equal(watch.crossings, 0);
    assert_true(pal_sim_finished(watch.sim));
    PalVec3 sum = {0, 0, 0};
    double most = 0;
    for (int32_t other = 1; other <= pal_sim_model(watch.sim)->rigid_count; ++other) {
        PalVec3 force = pal_sim_contact_force(watch.sim, 0, other);
        sum = pal_vec3_add(sum, force);
        most = fmax(most, pal_vec3_length(force));
    }
    double weight = 9.81 * pal_sim_model(watch.sim)->bodies[0].mass;
    assert_true(most > weight);
    check_near(sum.z, weight, 1e-4 * most);
    pal_sim_destroy(watch.sim);
    pal_scene_destroy(scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_palpation_comes_to_rest),
    cmocka_unit_test(test_sees_crossings),
    cmocka_unit_test(test_scenes),
    cmocka_unit_test(test_niftysim),
};
CHECK_GROUP(tests, NULL, NULL)
