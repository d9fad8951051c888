// Laws whose energy would be finite at no volume bear being squeezed hard: a barrier on the volume
// ratio keeps cells from turning inside out, and the book of energy balances.
// docs/theory/materials.md, 3
#include "scene/reader.h"
#include "simulate.h"

#include <string.h>

// The smallest volume ratio of a cell.
static double least_ratio(Simulation *s)
{
    int32_t count = s->mesh->cell_count;
    double *ratios = calloc((size_t)count, sizeof *ratios), least = INFINITY;
    PalCellFields fields = {.volume_ratio = ratios};
    assert_int_equal(pal_sim_cell_fields(s->run, 0, &fields), PAL_OK);
    for (int32_t c = 0; c < count; ++c)
        least = fmin(least, ratios[c]);
    free(ratios);
    return least;
}

// A block between two plates, pressed to a tenth of its height.
static void crush(PalElementKind element, const char *law, double poisson)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 4, 4, 4);
    s.body.element = element;
    simulate_neo_hookean(&s, 1000, poisson, 1);
    if (strcmp(law, "mooney-rivlin") == 0) {
        double shear = 500 / (1 + poisson), bulk = 1000 / (3 - 6 * poisson);
        s.material.law = pal_law_find(law);
        s.material.parameters[0] = shear / 3;  // c10 and c01: half of the shear modulus
        s.material.parameters[1] = shear / 6;
        s.material.parameters[2] = bulk;
    }
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    PalConditionDef *press = simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true);
    press->value = pal_vec3(0, 0, -0.9);
    press->ramp.kind = PAL_RAMP_SMOOTH;
    press->ramp.until = 1;
    s.sim.solver.time = 1;
    s.sim.solver.damping = 5;
    simulate_start(&s);
    simulate_all(&s);
    PalEnergy energy = pal_sim_energy(s.run);
    double least = least_ratio(&s), drift = pal_energy_drift(&energy);
    print_message("%s, %s, poisson %g: least volume ratio %.3g, drift %.2g, %lld steps\n",
                  pal_element_name(element), law, poisson, least, drift,
                  (long long)pal_sim_state(s.run)->step_count);
    assert_true(least > 0 && least < 0.4);
    assert_true(fabs(drift) < 0.01);
    simulate_end(&s);
}

static void a_block_is_crushed_to_a_tenth(void **state)
{
    (void)state;
    crush(PAL_ELEMENT_T4, "neo-hookean", 0.3);
    crush(PAL_ELEMENT_T4, "neo-hookean", 0.45);
    crush(PAL_ELEMENT_T4_ANP, "neo-hookean", 0.3);
    crush(PAL_ELEMENT_T4_ANP, "neo-hookean", 0.45);
    crush(PAL_ELEMENT_H8, "neo-hookean", 0.3);
    crush(PAL_ELEMENT_MIXED, "neo-hookean", 0.3);
    crush(PAL_ELEMENT_MIXED, "mooney-rivlin", 0.3);
}

// Runs a scene to its end; returns the worst drift of its energy and the last velocity of its body.
static double run_scene(const char *text, PalVec3 *velocity)
{
    PalError error = {0};
    PalScene *scene = NULL;
    PalSim *sim = NULL;
    PalVec3 centre;
    check_ok(pal_scene_read_memory(text, strlen(text), "s.yaml", NULL, &scene, &error), &error);
    check_ok(pal_sim_create(pal_scene_sim(scene), &sim, &error), &error);
    check_ok(pal_sim_advance(sim, pal_sim_solver(sim)->time, &error), &error);
    PalEnergy energy = pal_sim_energy(sim);
    pal_sim_body_motion(sim, 0, &centre, velocity);
    print_message("%lld steps, drift %.2g, velocity %.3g\n",
                  (long long)pal_sim_state(sim)->step_count, pal_energy_drift(&energy),
                  velocity->z);
    pal_sim_destroy(sim);
    pal_scene_destroy(scene);
    return fabs(pal_energy_drift(&energy));
}

// A third of the speed of its own waves.
static void a_golf_ball_at_200_metres_a_second(void **state)
{
    (void)state;
    PalVec3 velocity;
    double drift = run_scene(
        "bodies:\n"
        "  - name: ball\n"
        "    shape: {sphere: 0.0215, cells: [6]}\n"
        "    place: {translate: [0, 0, 0.023]}\n"
        "    velocity: [0, 0, -200]\n"
        "    material: {law: neo-hookean, young: 1.0e8, poisson: 0.45, density: 1150}\n"
        "rigid:\n"
        "  - {name: wall, shape: {box: [0.3, 0.3, 0.02]}, place: {translate: [0, 0, -0.01]}}\n"
        "contact: [{between: all}, {self: ball}]\n"
        "solver: {time: 0.0005, threads: 1}\n",
        &velocity);
    assert_true(drift < 0.01 && velocity.z > 80);
}

static void a_soft_body_through_a_funnel(void **state)
{
    (void)state;
    PalVec3 velocity;
    double drift = run_scene(
        "bodies:\n"
        "  - name: animal\n"
        "    shape: {ellipsoid: [0.05, 0.03, 0.03], cells: [6]}\n"
        "    place: {translate: [0, 0, 0.06], rotate: {axis: [0, 1, 0], degrees: 70}}\n"
        "    material: {law: neo-hookean, young: 20000, poisson: 0.4, density: 1000}\n"
        "rigid:\n"
        "  - {name: left, shape: {box: [0.12, 0.16, 0.02]}, place: {rotate: {axis: [0, 1, 0], "
        "degrees: 50}, translate: [-0.06, 0, 0]}}\n"
        "  - {name: right, shape: {box: [0.12, 0.16, 0.02]}, place: {rotate: {axis: [0, 1, 0], "
        "degrees: -50}, translate: [0.06, 0, 0]}}\n"
        "  - {name: plunger, shape: {box: [0.05, 0.16, 0.02]}, place: {translate: [0, 0, 0.14]}, "
        "motion: {translate: [0, 0, -0.12], ramp: smooth}}\n"
        "conditions: [{gravity: [0, 0, -9.81]}]\n"
        "contact: [{between: all, friction: 0.1}, {self: animal}]\n"
        "solver: {time: 0.6, threads: 1}\n",
        &velocity);
    assert_true(drift < 0.01);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_is_crushed_to_a_tenth),
    cmocka_unit_test(a_golf_ball_at_200_metres_a_second),
    cmocka_unit_test(a_soft_body_through_a_funnel),
};
CHECK_GROUP(tests, NULL, NULL)
