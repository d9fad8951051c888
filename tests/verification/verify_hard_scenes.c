// Implicit methods get to the end of scenes that are hard for them, and brute force finds no two
// triangles that cross after any step.   docs/theory/barrier.md, 6
#include "crossing.h"

#include <palpate/scene.h>

static const char *const names[] = {
    "hard/slot",   "hard/fold",  "hard/blade", "hard/wedge",   "hard/aligned", "hard/funnel",
    "hard/masses", "hard/cards", "hard/mat",   "hard/corners", "hard/rings",   "retractor",
};

static void watch_scene(const char *name)
{
    char path[4096];
    PalError error = {0};
    PalScene *scene = NULL;
    PalSim *sim = NULL;
    int32_t count, most = 0;
    snprintf(path, sizeof path, "%s/%s.yaml", PAL_SCENES, name);
    check_ok(pal_scene_read(path, NULL, &scene, &error), &error);
    PalSimDef def = *pal_scene_sim(scene);
    def.solver.thread_count = 1;
    assert_int_equal(def.contact.response, PAL_RESPONSE_BARRIER);
    check_ok(pal_sim_create(&def, &sim, &error), &error);
    while (!pal_sim_finished(sim)) {
        check_ok(pal_sim_step(sim, &error), &error);
        pal_sim_contacts(sim, &count);
        most = count > most ? count : most;
        assert_int_equal(crossing_count(sim, &def.contact), 0);
    }
    print_message("%s: %lld steps, %lld matrices, at most %d contacts\n", name,
                  (long long)pal_sim_state(sim)->step_count,
                  (long long)pal_sim_counters(sim)->iterations, most);
    assert_true(most > 0);
    if (def.solver.step > 0)  // few have to be halved, and none gets shorter and shorter
        assert_true((double)pal_sim_state(sim)->step_count * def.solver.step <=
                    2 * def.solver.time);
    pal_sim_destroy(sim);
    pal_scene_destroy(scene);
}

static void nothing_crosses_in_hard_scenes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        watch_scene(names[i]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_crosses_in_hard_scenes),
};
CHECK_GROUP(tests, NULL, NULL)
