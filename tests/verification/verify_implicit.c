// Equilibrium by Newton's method: the same as by relaxation, for every law and element.
// docs/theory/implicit.md
#include "random_material.h"
#include "simulate.h"

#define AGREES 1e-4

static PalHourglassControl control;

static Simulation strained_block(PalElementKind element, const PalMaterialLaw *law, bool relaxes)
{
    uint64_t seed = 5;
    Simulation s = simulate_box(pal_vec3(1.5, 1, 1), 3, 2, 2);
    s.material = random_material(law, &seed);
    s.body.element = element;
    s.body.hourglass_control = control;
    if (relaxes) {
        s.material.isochoric_count = 1;
        s.material.isochoric[0] = (PalPronyTerm){0.5, 0.3};
    }
    simulate_on_side(&s, PAL_CONDITION_FIX, 0, false);
    simulate_on_side(&s, PAL_CONDITION_DISPLACE, 0, true)->value = pal_vec3(0.3, 0.2, -0.1);
    simulate_on_side(&s, PAL_CONDITION_PRESSURE, 2, true)->pressure = 0.2;
    simulate_everywhere(&s, PAL_CONDITION_GRAVITY)->value = pal_vec3(0, -0.1, 0);
    return s;
}

// A sheet that is pulled at one end and sags: what stretches or bends does so by large angles.
static Simulation strained_sheet(PalElementKind element, const PalMaterialLaw *law, bool relaxes)
{
    uint64_t seed = 5;
    Simulation s = simulate_box(pal_vec3(1.5, 1, 0), 4, 3, 0);
    s.shape.kind = PAL_SHAPE_SHEET;
    s.material = random_material(law, &seed);
    s.body.element = element;
    s.body.thickness = 0.05;
    if (relaxes) {
        s.material.isochoric_count = 1;
        s.material.isochoric[0] = (PalPronyTerm){0.5, 0.3};
    }
    simulate_on_side(&s, PAL_CONDITION_FIX, 0, false)->clamps = element == PAL_ELEMENT_EBST;
    simulate_on_side(&s, PAL_CONDITION_DISPLACE, 0, true)->value = pal_vec3(0.2, 0, 0.4);
    simulate_everywhere(&s, PAL_CONDITION_GRAVITY)->value = pal_vec3(0, 0, -0.3);
    return s;
}

// The largest difference of displacements by two methods, of the largest displacement.
static double difference(PalElementKind element, const PalMaterialLaw *law, bool relaxes)
{
    bool thin = pal_element_traits(element)->is_thin;
    Simulation statics = (thin ? strained_sheet : strained_block)(element, law, relaxes);
    Simulation relaxed = (thin ? strained_sheet : strained_block)(element, law, relaxes);
    statics.sim.solver.method = PAL_METHOD_IMPLICIT_STATIC;
    relaxed.sim.solver.method = PAL_METHOD_RELAXATION;
    relaxed.sim.solver.tolerance = 1e-7;
    simulate_start(&statics);
    simulate_start(&relaxed);
    simulate_all(&statics);
    simulate_all(&relaxed);
    const PalVec3 *a = pal_sim_state(statics.run)->displacement;
    const PalVec3 *b = pal_sim_state(relaxed.run)->displacement;
    double most = 0, off = 0;
    for (int32_t n = 0; n < statics.mesh->node_count; ++n) {
        most = fmax(most, pal_vec3_length(a[n]));
        off = fmax(off, pal_vec3_distance(a[n], b[n]));
    }
    simulate_end(&statics);
    simulate_end(&relaxed);
    return off / most;
}

static bool has_fibres(const PalMaterialLaw *law)
{
    bool found = false;
    for (int32_t k = 0; k < pal_law_parameter_count(law); ++k)
        found = found || pal_law_vector_stem(law, k) > 0;
    return found;
}

static void compare(PalElementKind element)
{
    for (int32_t l = 0; l < pal_law_count(); ++l) {
        const PalMaterialLaw *law = pal_law_at(l);
        if (pal_element_traits(element)->averages_pressure && !pal_law_splits(law))
            continue;
        if (pal_element_traits(element)->is_thin && has_fibres(law))
            continue;
        check_near(difference(element, law, false), 0, AGREES);
    }
    check_near(difference(element, pal_law_at(0), true), 0, AGREES);
}

static void t4_as_relaxed(void **state)
{
    (void)state;
    compare(PAL_ELEMENT_T4);
}

static void t4_anp_as_relaxed(void **state)
{
    (void)state;
    compare(PAL_ELEMENT_T4_ANP);
}

static void t10_as_relaxed(void **state)
{
    (void)state;
    compare(PAL_ELEMENT_T10);
}

static void mixed_as_relaxed(void **state)
{
    (void)state;
    compare(PAL_ELEMENT_MIXED);
}

static void ebst_as_relaxed(void **state)
{
    (void)state;
    compare(PAL_ELEMENT_EBST);
}

static void h8_as_relaxed(void **state)
{
    (void)state;
    compare(PAL_ELEMENT_H8);
    control = PAL_HOURGLASS_NONE;
    compare(PAL_ELEMENT_H8);
    control = PAL_HOURGLASS_BENDING;
}

// The other solvers of linear equations give the same answer.
static void linear_solvers_agree(void **state)
{
    (void)state;
    PalVec3 ends[2];
    for (int kind = PAL_LINEAR_DIRECT; kind <= PAL_LINEAR_ITERATIVE; ++kind) {
        Simulation s = strained_block(PAL_ELEMENT_T4_ANP, pal_law_at(0), false);
        s.sim.solver.method = PAL_METHOD_IMPLICIT_STATIC;
        s.sim.solver.linear = (PalLinearKind)kind;
        simulate_start(&s);
        simulate_all(&s);
        ends[kind] = simulate_side_motion(&s, 2, true);
        simulate_end(&s);
    }
    check_near(pal_vec3_distance(ends[0], ends[1]), 0, 1e-6 * pal_vec3_length(ends[0]));
}

// A bar under its own weight has the balance of energy of a spring: loads do as much work as is
// stored where they grow evenly, and reactions carry the weight.
static void work_and_reactions(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(1, 1, 3), 2, 2, 6);
    simulate_neo_hookean(&s, 1e5, 0.3, 1000);
    s.sim.solver.method = PAL_METHOD_IMPLICIT_STATIC;
    s.sim.solver.step = 0.02;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, true);
    PalConditionDef *gravity = simulate_everywhere(&s, PAL_CONDITION_GRAVITY);
    gravity->value = pal_vec3(0, 0, -10);
    gravity->ramp = (PalRamp){.kind = PAL_RAMP_LINEAR};
    simulate_start(&s);
    simulate_all(&s);
    const PalState *end = pal_sim_state(s.run);
    PalEnergy energy = pal_sim_energy(s.run);
    PalVec3 sum = {0, 0, 0};
    for (int32_t n = 0; n < s.mesh->node_count; ++n)
        sum = pal_vec3_add(sum, end->reaction[n]);
    assert_int_equal(end->step_count, 50);
    check_near(sum.z, 3e4, 1e-4 * 3e4);
    check_near(energy.external_work / energy.strain, 1, 2e-4);
    simulate_end(&s);
}

// A straight column stays straight, but is unstable from Euler's load on: pi^2 E I / (2 L)^2, less
// what shear takes.
static void column_buckles(void **state)
{
    (void)state;
    const double young = 1e6, length = 10, pi = acos(-1);
    double euler = pi * pi * young / 12 / (4 * length * length);
    double load = euler / (1 + 1.2 * euler / (young / 2));
    Simulation s = simulate_box(pal_vec3(length, 1, 1), 30, 3, 3);
    simulate_neo_hookean(&s, young, 0, 1);
    s.body.element = PAL_ELEMENT_H8;
    s.body.hourglass = 0.111;
    s.sim.solver.method = PAL_METHOD_IMPLICIT_STATIC;
    s.sim.solver.step = 0.01;
    simulate_on_side(&s, PAL_CONDITION_FIX, 0, false);
    PalConditionDef *press = simulate_on_side(&s, PAL_CONDITION_PRESSURE, 0, true);
    press->kind = PAL_CONDITION_TRACTION;
    press->value = pal_vec3(-1.3 * load, 0, 0);
    press->ramp = (PalRamp){.kind = PAL_RAMP_LINEAR};
    simulate_start(&s);
    PalError error = {0};
    while (pal_sim_counters(s.run)->unstable == 0 && !pal_sim_finished(s.run))
        check_ok(pal_sim_step(s.run, &error), &error);
    double reached = 1.3 * (pal_sim_state(s.run)->time - 0.005);
    check_near(reached, 1, 0.02);
    simulate_end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(column_buckles),       cmocka_unit_test(t4_as_relaxed),
    cmocka_unit_test(t4_anp_as_relaxed),    cmocka_unit_test(h8_as_relaxed),
    cmocka_unit_test(t10_as_relaxed),       cmocka_unit_test(mixed_as_relaxed),
    cmocka_unit_test(linear_solvers_agree), cmocka_unit_test(work_and_reactions),
    cmocka_unit_test(ebst_as_relaxed),
};

CHECK_GROUP(tests, NULL, NULL)
