// Weights of single nodes, ramps that go on, gravity on a part of a body.
#include "mistakes.h"

#define SCENE                                                                                      \
    "bodies:\n  - name: a\n    shape: {box: [1, 1, 1], cells: [1, 1, 1]}\n"                        \
    "    material: {law: neo-hookean, shear: 1, bulk: 2, density: 1}\nsolver: {time: 1}\n"

static const Mistake cases[] = {
    {SCENE "conditions:\n  - {body: a, where: all, force: [0, 0, 1], weights: [1, 2]}\n",
     "7:54: weights are given for a force that is shared, expected each: true"},
    {SCENE "conditions:\n  - {body: a, where: all, displace: [0, 0, 1], weights: [1, 2]}\n",
     "7:57: 2 weights for 8 selected nodes, expected one for each"},
    {SCENE "conditions:\n  - {body: a, where: all, displace: [0, 0, 1], weights: []}\n",
     "7:57: weights is a list of 0, expected a list of numbers"},
    {SCENE "conditions:\n  - {body: a, where: all, pressure: 1, weights: [1]}\n",
     "7:40: weights has no effect with pressure, expected a condition without it"},
    {SCENE "conditions:\n  - {body: a, where: all, fix: x, hold: false}\n",
     "7:35: hold has no effect with fix, expected a condition without it"},
    {SCENE "conditions:\n  - {gravity: [0, 0, 1], ramp: step, hold: false}\n",
     "7:44: hold has no effect with ramp: step, expected ramp: linear, smooth or hilly"},
};

static PalScene *read_scene(const char *text)
{
    PalError error = {0};
    PalScene *scene = NULL;
    check_ok(pal_scene_read_memory(text, strlen(text), "s.yaml", NULL, &scene, &error), &error);
    return scene;
}

static void mistakes_are_told(void **state)
{
    (void)state;
    check_mistakes(cases, sizeof cases / sizeof *cases);
}

static void weights_scale_each_node(void **state)
{
    (void)state;
    PalScene *scene =
        read_scene(SCENE "conditions:\n"
                         "  - {body: a, where: {plane: z-min}, fix: xyz}\n"
                         "  - {body: a, where: {plane: z-max}, force: [0, 2, 0], "
                         "each: true, weights: [1, 2, 3, -4], ramp: step}\n"
                         "  - {body: a, where: {plane: x-min}, gravity: [3, 0, 0]}\n");
    PalSim *sim = NULL;
    PalError error = {0};
    check_ok(pal_sim_create(pal_scene_sim(scene), &sim, &error), &error);
    const PalModel *model = pal_sim_model(sim);
    const PalVec3 *external = pal_sim_state(sim)->external;
    const double expected[] = {2, 4, 6, -8};
    int32_t top = 0;
    for (int32_t n = 0; n < model->node_count; ++n) {
        bool above = model->nodes[n].z > 0, left = model->nodes[n].x < 0;
        check_near(external[n].y, above ? expected[top++] : 0, 1e-15);
        check_near(external[n].x, left ? 3 * model->mass[n] : 0, 1e-15);
    }
    assert_int_equal(top, 4);
    pal_sim_destroy(sim);
    pal_scene_destroy(scene);
}

static void ramps_go_on(void **state)
{
    (void)state;
    PalScene *scene = read_scene(SCENE "conditions:\n"
                                       "  - {gravity: [0, 0, 1], ramp: linear, until: 0.5}\n"
                                       "  - {gravity: [0, 0, 1], ramp: linear, until: 0.5, "
                                       "hold: false}\n"
                                       "  - {gravity: [0, 0, 1], ramp: hilly}\n");
    const PalConditionDef *conditions = pal_scene_sim(scene)->model.conditions;
    check_near(pal_ramp_value(&conditions[0].ramp, 1), 1, 0);
    check_near(pal_ramp_value(&conditions[1].ramp, 1), 2, 0);
    assert_int_equal(conditions[2].ramp.kind, PAL_RAMP_HILLY);
    assert_false(conditions[2].ramp.onward);
    pal_scene_destroy(scene);
}

// Two materials of one body with hourglass stiffness of their own.
static void materials_have_their_own_hourglass(void **state)
{
    (void)state;
    PalScene *scene = read_scene("bodies:\n"
                                 "  - name: a\n"
                                 "    shape: {box: [1, 1, 1], cells: [1, 1, 1]}\n"
                                 "    element: h8\n"
                                 "    hourglass: 0.2\n"
                                 "    materials:\n"
                                 "      - {law: neo-hookean, shear: 1, bulk: 2, density: 1, "
                                 "hourglass: 0.3}\n"
                                 "solver: {time: 1}\n");
    const PalBodyDef *body = pal_scene_sim(scene)->model.bodies;
    check_near(body->hourglass, 0.2, 0);
    check_near(body->material_hourglass[0], 0.3, 0);
    pal_scene_destroy(scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(mistakes_are_told),
    cmocka_unit_test(weights_scale_each_node),
    cmocka_unit_test(ramps_go_on),
    cmocka_unit_test(materials_have_their_own_hourglass),
};
CHECK_GROUP(tests, NULL, NULL)
