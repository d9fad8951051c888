// Free rigid bodies in scenes: what their keys mean, and what is refused where.
#include "check.h"
#include "math/vec3.h"
#include "scene/reader.h"

#define BOX    "rigid:\n  - name: a\n    shape: {box: [1, 2, 3]}\n"
#define SOLVER "solver: {time: 2}\n"

static PalScene *read_text(const char *text)
{
    PalScene *scene = NULL;
    PalError error = {0};
    check_ok(pal_scene_read_memory(text, strlen(text), "s.yaml", NULL, &scene, &error), &error);
    return scene;
}

static void every_key_arrives(void **state)
{
    (void)state;
    PalScene *scene = read_text(BOX "    mass: 3\n"
                                    "    centre: [0.1, 0.2, 0.3]\n"
                                    "    inertia: [3, 4, 5, 0.1, 0.2, 0.3]\n"
                                    "    velocity: [1, 2, 3]\n"
                                    "    spin: [4, 5, 6]\n"
                                    "    force: [7, 8, 9]\n"
                                    "    torque: [10, 11, 12]\n"
                                    "    ramp: linear\n"
                                    "    until: 1\n"
                                    "    motion: {translate: [0, 0, 1]}\n"
                                    "    spring: {stiffness: 1, damping: 2, turning-stiffness: 3, "
                                    "turning-damping: 4}\n" SOLVER);
    const PalRigidDef *def = &pal_scene_sim(scene)->model.rigids[0];
    const double inertia[6] = {3, 4, 5, 0.1, 0.2, 0.3};
    check_near(def->mass, 3, 0);
    check_near(def->density, 0, 0);
    assert_true(def->has_centre && def->has_inertia);
    check_near(pal_vec3_distance(def->centre, pal_vec3(0.1, 0.2, 0.3)), 0, 0);
    for (int i = 0; i < 6; ++i)
        check_near(def->inertia[i], inertia[i], 0);
    check_near(pal_vec3_distance(def->velocity, pal_vec3(1, 2, 3)), 0, 0);
    check_near(pal_vec3_distance(def->spin, pal_vec3(4, 5, 6)), 0, 0);
    check_near(pal_vec3_distance(def->force, pal_vec3(7, 8, 9)), 0, 0);
    check_near(pal_vec3_distance(def->torque, pal_vec3(10, 11, 12)), 0, 0);
    assert_int_equal(def->ramp.kind, PAL_RAMP_LINEAR);
    check_near(def->ramp.until, 1, 0);
    check_near(def->spring.stiffness, 1, 0);
    check_near(def->spring.damping, 2, 0);
    check_near(def->spring.turning_stiffness, 3, 0);
    check_near(def->spring.turning_damping, 4, 0);
    pal_scene_destroy(scene);
}

// The text that a run keeps can be read again, and says the same.
static void what_is_resolved_reads_back(void **state)
{
    (void)state;
    PalScene *scene = read_text(BOX "    density: 2\n    force: [0, 0, 1]\n" SOLVER);
    const PalRigidDef *def = &pal_scene_sim(scene)->model.rigids[0];
    check_near(def->density, 2, 0);
    assert_int_equal(def->ramp.kind, PAL_RAMP_STEP);
    assert_false(def->has_centre || def->has_inertia);
    PalScene *again = read_text(pal_scene_resolved(scene));
    assert_string_equal(pal_scene_resolved(again), pal_scene_resolved(scene));
    pal_scene_destroy(again);
    pal_scene_destroy(scene);
}

static const struct {
    const char *text, *message;
} refused[] = {
    {BOX SOLVER, "nothing to simulate: no bodies"},
    {"bodies: []\n" SOLVER, "s.yaml:1:9: nothing to simulate: no bodies"},
    {BOX "    spin: [1, 0, 0]\n" SOLVER,
     "s.yaml:4:11: spin is given without a mass, expected mass or"},
    {BOX "    spring: {stiffness: 1}\n" SOLVER, "s.yaml:4:13: spring is given without a mass"},
    {BOX "    until: 1\n" SOLVER, "s.yaml:4:12: until is given without a mass"},
    {BOX "    mass: 1\n    density: 1\n" SOLVER, "s.yaml:5:5: "},
    {BOX "    mass: -1\n" SOLVER, "s.yaml:4:11: mass is -1, expected a number above 0"},
    {BOX "    mass: 1\n    motion: {translate: [1, 0, 0]}\n" SOLVER,
     "s.yaml:5:13: a rigid has a motion and a mass, expected a spring as well"},
    {BOX "    mass: 1\n    ramp: smooth\n" SOLVER,
     "s.yaml:5:11: ramp is given without a force or a torque"},
    {BOX "    mass: 1\n    inertia: [1, 1]\n" SOLVER, "s.yaml:5:14: inertia has 2 numbers"},
    {BOX "    mass: 1\n    inertia: [1, 1, 3]\n" SOLVER,
     "s.yaml:4:11: rigid \"a\": its principal moments of inertia are 1, 1 and 3"},
    {BOX "    mass: 1\n    inertia: [1, 1, 0]\n" SOLVER, "moments of inertia are 0, 1 and 1"},
    {BOX "    mass: 1\n    centre: [0, 0, 0]\n" SOLVER,
     "s.yaml:4:11: rigid \"a\": a centre needs the inertia about it"},
    {BOX "    mass: 1\n    spring: {stiffness: -1}\n" SOLVER, "s.yaml:5:25: stiffness is -1"},
    {"rigid:\n  - name: a\n    surface: " PAL_TEST_DATA
     "/meshes/two-triangles.obj\n    density: 1\n" SOLVER,
     "s.yaml:4:14: rigid \"a\": the surface is not closed"},
};

static void nonsense_is_refused_where_it_stands(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        PalScene *scene = NULL;
        PalError error = {0};
        const char *text = refused[i].text;
        PalStatus status =
            pal_scene_read_memory(text, strlen(text), "s.yaml", NULL, &scene, &error);
        if (status != PAL_BAD_INPUT || strstr(error.text, refused[i].message) == NULL)
            fail_msg("scene %zu said \"%s\", expected \"%s\"", i, error.text, refused[i].message);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_key_arrives),
    cmocka_unit_test(what_is_resolved_reads_back),
    cmocka_unit_test(nonsense_is_refused_where_it_stands),
};
CHECK_GROUP(tests, NULL, NULL)
