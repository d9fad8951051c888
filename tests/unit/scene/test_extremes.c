// Numbers that no simulation can hold are refused where they stand, by name.
#include "mistakes.h"

#define SHAPE    "bodies:\n  - name: a\n    shape: {box: [1, 1, 1], cells: [1, 1, 1]}\n"
#define MATERIAL "    material: {law: neo-hookean, shear: 1, bulk: 2, density: 1}\n"
#define BODY     SHAPE MATERIAL
#define SOLVER   "solver: {time: 1}\n"

static const Mistake places[] = {
    {BODY "    place: {translate: [0, 1e39, 0]}\n" SOLVER,
     "5:12: body \"a\": node 0 is at (-0.5, 1e+39, -0.5), too far out to compute with, expected "
     "coordinates of at most 1e+30"},
    {BODY "    place: {translate: [0, 1e308, 0], scale: 1e308}\n" SOLVER,
     "5:12: body \"a\": node 0 is at (-5e+307, 5e+307, -5e+307), too far out to compute with, "
     "expected coordinates of at most 1e+30"},
    {BODY "    place: {scale: 1e-33}\n" SOLVER,
     "5:12: body \"a\": all of it is 1e-33 across, too small to compute with, expected at least "
     "1e-30"},
    {BODY SOLVER "rigid:\n  - {name: r, shape: {sphere: 1e33}}\n",
     "7:22: rigid \"r\": node 0 is at (-5.7735e+32, -5.7735e+32, -5.7735e+32), too far out to "
     "compute with, expected coordinates of at most 1e+30"},
};

static void places_too_far_out(void **state)
{
    (void)state;
    check_mistakes(places, sizeof places / sizeof *places);
}

static const Mistake times[] = {
    {BODY "solver: {time: 1, step: 1e-300}\n",
     "5:25: step is 1e-300, which makes 1e+300 steps until time 1, expected at most 1e+15"},
    {BODY "solver: {time: 1e20, step: 1e-3}\n",
     "5:28: step is 0.001, which makes 1e+23 steps until time 1e+20, expected at most 1e+15"},
};

static void steps_that_never_end(void **state)
{
    (void)state;
    check_mistakes(times, sizeof times / sizeof *times);
}

// What only the simulation knows.
static const struct {
    const char *path, *value, *expected;
} numbers[] = {
    {"bodies.0.material.density", "1e-300",
     "s.yaml:2:5: 4.28e+150 steps of 2.34e-151 until time 1, expected at most 1e+15"},
    {"bodies.0.material.density", "1e-323", "body \"a\": node 0 has the mass 0, and the whole"},
    {"bodies.0.material.density", "1e308", NULL},
    {"bodies.0.material.shear", "1e308",
     "s.yaml:2:5: the stable step is 0, expected a time above 0"},
    {"solver.time", "1e300", "e+300 steps of"},
    {"solver.mass-scaling", "1e300", "body \"a\": node 0 has the mass inf"},
    {"rigid.0.motion.translate.1", "1e8", NULL},
    {"rigid.0.motion.translate.1", "3.4e38",
     "rigid \"r\": its motion takes it 3.4e+38 far, 1.96e+38 times its size, expected at most "
     "1e+09"},
    {"rigid.0.motion.rotate.about.1", "1e8", NULL},
    {"rigid.0.motion.rotate.about.1", "4.1e21",
     "rigid \"r\": it turns about a point 4.1e+21 away, 2.37e+21 times its size, expected at most"},
    {"rigid.0.motion.rotate.degrees", "1e12",
     "rigid \"r\": it turns 2.78e+09 times, expected at most 1e+09 times"},
};

static void numbers_that_cannot_advance(void **state)
{
    (void)state;
    static const char text[] =
        BODY SOLVER "rigid:\n  - {name: r, shape: {box: [1, 1, 1]}, motion: {translate: [0, 0, 1], "
                    "rotate: {axis: [0, 0, 1], degrees: 5, about: [0, 0, 0]}}}\n";
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        PalSceneChange change = {numbers[i].path, numbers[i].value};
        PalSceneOptions options = {.change_count = 1, .changes = &change};
        PalError error = {0};
        PalScene *scene = NULL;
        PalSim *sim = NULL;
        check_ok(pal_scene_read_memory(text, strlen(text), "s.yaml", &options, &scene, &error),
                 &error);
        PalStatus status = pal_sim_create(pal_scene_sim(scene), &sim, &error);
        assert_int_equal(status, numbers[i].expected != NULL ? PAL_BAD_INPUT : PAL_OK);
        pal_scene_place_error(scene, &error);
        if (numbers[i].expected != NULL && strstr(error.text, numbers[i].expected) == NULL)
            fail_msg("said \"%s\", expected \"%s\"", error.text, numbers[i].expected);
        pal_sim_destroy(sim);
        pal_scene_destroy(scene);
    }
}

static void a_shell_and_a_barrier(void **state)
{
    (void)state;
    static const char text[] =
        BODY "  - {name: skin, shape: {sheet: [1, 1], cells: [3, 3]}, element: ebst, thickness: "
             "0.02, place: {translate: [0, 0, 2]}, material: {law: neo-hookean, young: 2000, "
             "poisson: 0.3, density: 1}}\n"
             "conditions:\n  - {body: skin, where: {plane: x-min}, fix: xyz}\n"
             "  - {body: a, where: {plane: x-min}, fix: xyz}\n"
             "contact:\n  - {between: [a, skin]}\n"
             "solver: {method: implicit-static, time: 1}\n";
    PalError error = {0};
    PalScene *scene = NULL;
    PalSim *sim = NULL;
    check_ok(pal_scene_read_memory(text, strlen(text), "s.yaml", NULL, &scene, &error), &error);
    assert_int_equal(pal_sim_create(pal_scene_sim(scene), &sim, &error), PAL_BAD_INPUT);
    pal_scene_place_error(scene, &error);
    assert_string_equal(error.text, "s.yaml:5:5: response barrier does not push membranes, shells "
                                    "or attached bodies such as \"skin\", expected response: "
                                    "lagrange, and method explicit, newmark or relaxation");
    pal_scene_destroy(scene);
}

// A heavy skin hangs over the edge of what it is attached to: weights of nodes beside a facet are
// below 0, masses are not.
static void a_heavy_skin_over_an_edge(void **state)
{
    (void)state;
    static const char text[] =
        "bodies:\n  - {name: a, shape: {box: [0.5, 1, 1], cells: [2, 2, 2]}, material: {law: "
        "neo-hookean, young: 1000, poisson: 0.4, density: 10}}\n"
        "  - {name: skin, shape: {sheet: [1, 1], cells: [3, 3]}, element: ebst, thickness: 0.02, "
        "place: {translate: [0, 0, 0.52]}, material: {law: neo-hookean, young: 2000, poisson: 0.3, "
        "density: 1e5}}\n"
        "conditions:\n  - {body: skin, where: {plane: x-min}, attach: a}\n" SOLVER;
    PalError error = {0};
    PalScene *scene = NULL;
    PalSim *sim = NULL;
    check_ok(pal_scene_read_memory(text, strlen(text), "s.yaml", NULL, &scene, &error), &error);
    check_ok(pal_sim_create(pal_scene_sim(scene), &sim, &error), &error);
    const PalModel *model = pal_sim_model(sim);
    double mass = 0;
    for (int32_t n = 0; n < model->node_count; ++n) {
        assert_true(model->mass[n] > 0);
        mass += model->mass[n];
    }
    check_near(mass, 0.5 * 10 + 0.02 * 1e5, 1e-9 * mass);
    pal_sim_destroy(sim);
    pal_scene_destroy(scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(places_too_far_out),          cmocka_unit_test(steps_that_never_end),
    cmocka_unit_test(numbers_that_cannot_advance), cmocka_unit_test(a_shell_and_a_barrier),
    cmocka_unit_test(a_heavy_skin_over_an_edge),
};

CHECK_GROUP(tests, NULL, NULL)
