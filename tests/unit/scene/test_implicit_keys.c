// Keys of implicit methods, and of nodes that are turned.
#include "math/vec3.h"
#include "mistakes.h"

#define BODY                                                                                       \
    "bodies:\n  - name: a\n    shape: {box: [1, 1, 1], cells: [1, 1, 1]}\n"                        \
    "    material: {law: neo-hookean, shear: 1, bulk: 2, density: 1}\n"
#define SCENE BODY "solver: {time: 1}\n"

static const Mistake cases[] = {
    {BODY "solver: {time: 1, method: magic}\n",
     "5:27: method is \"magic\", expected explicit, newmark, relaxation, implicit or "
     "implicit-static"},
    {SCENE "conditions:\n  - {body: a, where: all}\n",
     "7:5: a condition with none of fix, displace, force, pressure, traction, gravity, rotate and "
     "attach, expected "
     "one of them"},
    {BODY "solver: {time: 1, steps: 5}\n",
     "5:26: steps has no effect with method explicit, expected step"},
    {BODY "solver: {time: 1, scheme: hht}\n",
     "5:27: scheme has no effect with method explicit, expected method: implicit"},
    {BODY "solver: {method: implicit-static, numerical-damping: 0.1}\n",
     "5:54: numerical-damping has no effect with method implicit-static, expected method: "
     "implicit"},
    {BODY "solver: {time: 1, linear: direct}\n",
     "5:27: linear has no effect with method explicit, expected an implicit method"},
    {BODY "solver: {method: implicit-static, linear: magic}\n",
     "5:43: linear is \"magic\", expected direct or iterative"},
    {BODY "solver: {method: implicit-static, steps: 5, step: 0.1}\n",
     "5:42: steps and step are both given, expected one of them"},
    {BODY "solver: {method: implicit}\n",
     "5:9: the solver has no time, expected time: the end of the "
     "simulation, a number above 0"},
    {BODY "solver: {time: 1, method: implicit, numerical-damping: 0.5}\n",
     "5:56: numerical-damping is 0.5, expected at most 1/3"},
    {BODY "solver: {time: 1, method: implicit, scheme: newmark, numerical-damping: 0.1}\n",
     "5:73: numerical-damping has no effect with scheme newmark, expected hht"},
    {SCENE "conditions:\n  - {body: a, where: all, rotate: {degrees: 3}}\n",
     "7:35: a rotation without axis, expected axis: a list of 3 numbers"},
    {SCENE "conditions:\n  - {body: a, where: all, rotate: {axis: [0, 0, 0], degrees: 3}}\n",
     "7:42: axis is zero, expected a direction"},
    {SCENE "conditions:\n  - {rotate: {axis: [0, 0, 1], degrees: 3}}\n",
     "7:5: rotate without body, expected the name of a body"},
};

static void mistakes(void **state)
{
    (void)state;
    check_mistakes(cases, sizeof cases / sizeof cases[0]);
}

static PalScene *read(const char *text)
{
    PalScene *scene = NULL;
    PalError error = {0};
    check_ok(pal_scene_read_memory(text, strlen(text), "s.yaml", NULL, &scene, &error), &error);
    return scene;
}

static void solver_keys(void **state)
{
    (void)state;
    PalScene *scene = read(BODY "solver: {method: implicit-static, time: 2, steps: 8, linear: "
                                "iterative}\nconditions: [{gravity: [0, 0, -1]}]\n");
    const PalSolverDef *solver = &pal_scene_sim(scene)->solver;
    assert_int_equal(solver->method, PAL_METHOD_IMPLICIT_STATIC);
    assert_int_equal(solver->linear, PAL_LINEAR_ITERATIVE);
    check_near(solver->step, 0.25, 0);
    assert_int_equal(pal_scene_sim(scene)->model.conditions[0].ramp.kind, PAL_RAMP_LINEAR);
    pal_scene_destroy(scene);
    scene = read(BODY "solver: {method: implicit, time: 2, numerical-damping: 0.2}\n"
                      "conditions: [{gravity: [0, 0, -1]}]\n");
    solver = &pal_scene_sim(scene)->solver;
    assert_int_equal(solver->method, PAL_METHOD_IMPLICIT);
    assert_int_equal(solver->scheme, PAL_SCHEME_HHT);
    check_near(solver->numerical_damping, 0.2, 0);
    assert_int_equal(pal_scene_sim(scene)->model.conditions[0].ramp.kind, PAL_RAMP_STEP);
    pal_scene_destroy(scene);
}

static void rotations(void **state)
{
    (void)state;
    PalScene *scene = read(SCENE "conditions:\n  - {body: a, where: all, rotate: {axis: [0, 3, 0], "
                                 "degrees: 90, about: [1, 2, 3]}}\n");
    const PalConditionDef *def = &pal_scene_sim(scene)->model.conditions[0];
    assert_int_equal(def->kind, PAL_CONDITION_ROTATE);
    check_near(def->value.y, acos(-1) / 2, 1e-15);
    check_near(def->centre.z, 3, 0);
    assert_true(def->axes[0] && def->axes[1] && def->axes[2]);
    pal_scene_destroy(scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(mistakes),
    cmocka_unit_test(solver_keys),
    cmocka_unit_test(rotations),
};

CHECK_GROUP(tests, NULL, NULL)
