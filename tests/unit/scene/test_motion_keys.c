// Shapes of instruments; instruments with several motions, ramps that begin later, torques about a
// point, rows of history between frames.
#include "math/vec3.h"
#include "mistakes.h"

#define SCENE                                                                                      \
    "bodies:\n  - name: a\n    shape: {box: [1, 1, 1], cells: [1, 1, 1]}\n"                        \
    "    material: {law: neo-hookean, shear: 1, bulk: 2, density: 1}\nsolver: {time: 1}\n"
#define RIGID                                                                                      \
    SCENE "rigid:\n  - name: r\n    shape: {box: [1, 1, 1]}\n    place: {translate: [5, 0, 0]}\n"
#define CONTACT RIGID "contact: [{between: all}]\n"

static const Mistake cases[] = {
    {RIGID "    motion: 3\n", "10:13: motion is 3, expected a map or a list of maps"},
    {RIGID "    motion: []\n", "10:13: motion is empty, expected at least one motion"},
    {RIGID "    motion: [{translate: [0, 0, 1]}, 4]\n",
     "10:38: entry 2 of motion is \"4\", expected a map"},
    {RIGID "    motion: [{until: 0.5}, {fro: 0.5}]\n",
     "10:29: unknown key \"fro\" in a motion, did you mean \"from\"?"},
    {RIGID "    motion: [{until: 0.5}, {rotate: {axis: [0, 0, 0], degrees: 3}}]\n",
     "10:44: axis is zero, expected a direction"},
    {RIGID "    motion: {from: 0.5, until: 0.5}\n",
     "10:20: ramp starts at 0.5 and ends at 0.5, expected an end after the start"},
    {RIGID "    motion: {from: 1}\n",
     "10:20: ramp starts at 1 and ends at 1, expected an end after the start"},
    {RIGID "    motion: {from: -1}\n", "10:20: from is -1, expected a number of 0 or more"},
    {RIGID "    motion: {from: 0.5, ramp: step}\n",
     "10:20: from has no effect with ramp: step, expected ramp: linear, smooth or hilly"},
    {SCENE "conditions:\n  - {body: a, where: all, fix: x, from: 0.5}\n",
     "7:35: from has no effect with fix, expected a condition without it"},
    {CONTACT "probes: [{name: p, rigid: r, record: force, about: [1, 0, 0]}]\n",
     "11:45: about has no effect with record: force, expected record: torque"},
    {CONTACT "probes: [{name: p, body: a, about: [1, 0, 0]}]\n",
     "11:29: about has no effect with record: displacement, expected record: torque"},
    {CONTACT "probes: [{name: p, rigid: r, record: torque, about: 3}]\n",
     "11:53: about is 3, expected a list of 3 numbers"},
    {SCENE "output: {every: 0.1, history: 0.2}\n",
     "6:31: history is 0.2, expected at most every, 0.1: each frame has its row"},
    {SCENE "output: {every: 0.1, history: 1e-9}\n",
     "6:31: history is 1e-09, which makes 1e+09 rows, expected at most a million"},
    {SCENE "output: {every: 0.1, history: 0}\n", "6:31: history is 0, expected a number above 0"},
};

static PalScene *read_scene(const char *text, const PalSceneOptions *options)
{
    PalError error = {0};
    PalScene *scene = NULL;
    check_ok(pal_scene_read_memory(text, strlen(text), "s.yaml", options, &scene, &error), &error);
    return scene;
}

static void mistakes_are_told(void **state)
{
    (void)state;
    check_mistakes(cases, sizeof cases / sizeof *cases);
}

static const char lifted[] =
    RIGID "    motion:\n"
          "      - {translate: [1, 0, 0], until: 0.25}\n"
          "      - {translate: [0, 0, 2], ramp: linear, from: 0.25, until: 0.75}\n"
          "      - {rotate: {axis: [0, 0, 3], degrees: 180, about: [5, 0, 0]}, ramp: [[0.8, 0], "
          "[0.9, 1]]}\n"
          "contact: [{between: all}]\n"
          "probes:\n"
          "  - {name: p, rigid: r, record: torque, about: [5, 0, 1]}\n"
          "  - {name: q, between: [a, r], record: torque}\n";

static void check_lifted(const PalScene *scene)
{
    const PalRigidDef *def = pal_scene_sim(scene)->model.rigids;
    assert_int_equal(def->further_count, 2);
    check_near(def->motion.translation.x, 1, 0);
    check_near(def->motion.ramp.until, 0.25, 0);
    check_near(def->further[0].translation.z, 2, 0);
    assert_int_equal(def->further[0].ramp.kind, PAL_RAMP_LINEAR);
    check_near(def->further[0].ramp.from, 0.25, 0);
    check_near(def->further[1].radians, acos(-1), 1e-15);
    check_near(def->further[1].centre.x, 5, 0);
    assert_int_equal(def->further[1].ramp.point_count, 2);
    const PalProbeDef *probes = pal_scene_output(scene)->probes;
    assert_true(probes[0].has_about && !probes[1].has_about);
    check_near(probes[0].about.z, 1, 0);
}

static void several_motions_are_read_and_kept(void **state)
{
    (void)state;
    PalScene *scene = read_scene(lifted, NULL);
    check_lifted(scene);
    PalScene *again = read_scene(pal_scene_resolved(scene), NULL);
    check_lifted(again);
    assert_string_equal(pal_scene_resolved(scene), pal_scene_resolved(again));
    PalSim *sim = NULL;
    PalError error = {0};
    check_ok(pal_sim_create(pal_scene_sim(scene), &sim, &error), &error);
    const PalRigid *rigid = &pal_sim_model(sim)->rigids[0];
    assert_int_equal(rigid->motion_count, 3);
    PalVec3 x = pal_rigid_position(rigid, 0.5, pal_vec3(4, 0, 0));
    check_near(pal_vec3_distance(x, pal_vec3(5, 0, 1)), 0, 1e-14);
    x = pal_rigid_position(rigid, 1, pal_vec3(4, 0, 0));
    check_near(pal_vec3_distance(x, pal_vec3(7, 0, 2)), 0, 1e-14);
    pal_sim_destroy(sim);
    pal_scene_destroy(again);
    pal_scene_destroy(scene);
}

static void one_of_several_is_changed(void **state)
{
    (void)state;
    const PalSceneChange change = {"rigid.r.motion.1.translate.2", "7"};
    PalScene *scene = read_scene(lifted, &(PalSceneOptions){.change_count = 1, .changes = &change});
    check_near(pal_scene_sim(scene)->model.rigids->further[0].translation.z, 7, 0);
    pal_scene_destroy(scene);
}

// One cell to a box of an instrument, unless cells or their size are given; not to bodies.
static void boxes_of_instruments_are_coarse(void **state)
{
    (void)state;
    PalScene *scene =
        read_scene("bodies: [{name: a, shape: {box: [1, 1, 1]}, element: h8,\n"
                   "          material: {law: neo-hookean, shear: 1, bulk: 2, density: 1}}]\n"
                   "rigid:\n  - {name: p, shape: {box: [1, 2, 3]}}\n"
                   "  - {name: q, shape: {box: [1, 2, 3], cells: [1, 2, 3]}}\n"
                   "  - {name: r, shape: {box: [1, 2, 3], size: 0.5}}\n"
                   "solver: {time: 1}\n",
                   NULL);
    const PalModelDef *model = &pal_scene_sim(scene)->model;
    assert_int_equal(model->bodies[0].mesh->cell_count, 12 * 12 * 12);
    assert_int_equal(model->rigids[0].mesh->cell_count, 12);
    assert_int_equal(model->rigids[1].mesh->cell_count, 4 * (2 + 3 + 6));
    assert_int_equal(model->rigids[2].mesh->cell_count, 4 * (8 + 12 + 24));
    pal_scene_destroy(scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(mistakes_are_told),
    cmocka_unit_test(several_motions_are_read_and_kept),
    cmocka_unit_test(one_of_several_is_changed),
    cmocka_unit_test(boxes_of_instruments_are_coarse),
};
CHECK_GROUP(tests, NULL, NULL)
