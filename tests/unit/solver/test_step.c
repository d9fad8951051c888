// The automatic step: how long it is, where it lands, when it changes; and what mass scaling does.
#include "element/elements.h"
#include "simulate.h"

static Simulation pressed(double down)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 4, 4, 4);
    simulate_neo_hookean(&s, 1000, 0.3, 1);
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true)->value = pal_vec3(0, 0, -down);
    s.sim.solver.time = 1;
    return s;
}

static void automatic_steps_land_on_output_times(void **state)
{
    (void)state;
    const double intervals[] = {0.1, 0.037, 0.3, 1, 5};
    for (int i = 0; i < 5; ++i) {
        Simulation s = pressed(0.1);
        s.sim.align = intervals[i];
        simulate_start(&s);
        for (int k = 1; k * intervals[i] < 1; ++k) {
            simulate_to(&s, k * intervals[i]);
            check_near(pal_sim_state(s.run)->time, k * intervals[i], 1e-15);
        }
        simulate_all(&s);
        check_near(pal_sim_state(s.run)->time, 1, 0);
        simulate_end(&s);
    }
}

static void the_step_is_the_safe_fraction_of_the_bound(void **state)
{
    (void)state;
    Simulation s = pressed(0.1);
    simulate_start(&s);
    int32_t body, cell;
    double bound = pal_sim_stable_step(s.run, &body, &cell), step = pal_sim_next_step(s.run);
    assert_int_equal(body, 0);
    assert_true(cell >= 0 && cell < s.mesh->cell_count);
    assert_true(step <= 0.9 * bound * (1 + 1e-12));
    assert_true(step >= 0.9 * bound * (1 - 0.9 * bound));  // rounded to a whole number of steps
    simulate_end(&s);
}

// Flattened cells allow only shorter steps: the step follows, and the run stays stable.
static void the_step_follows_the_deformation(void **state)
{
    (void)state;
    Simulation s = pressed(0.6);
    s.sim.solver.damping = 5;
    s.sim.align = 0.05;
    simulate_start(&s);
    double first = pal_sim_next_step(s.run);
    simulate_all(&s);
    double last = pal_sim_state(s.run)->step;
    PalEnergy energy = pal_sim_energy(s.run);
    assert_true(last < 0.9 * first);
    assert_true(pal_sim_counters(s.run)->step_changes > 0);
    assert_true(fabs(pal_energy_drift(&energy)) < 1e-3);
    simulate_end(&s);
}

static void a_given_step_is_kept(void **state)
{
    (void)state;
    Simulation s = pressed(0.1);
    s.sim.solver.step = 1e-3;
    simulate_start(&s);
    simulate_all(&s);
    assert_int_equal(pal_sim_state(s.run)->step_count, 1000);
    check_near(pal_sim_state(s.run)->time, 1, 1e-15);
    assert_true(pal_sim_state(s.run)->step == 1e-3);
    simulate_end(&s);
}

// Whole steps that do not add up to the end: the last one is shorter.
static void a_given_step_does_not_pass_the_end(void **state)
{
    (void)state;
    const double times[] = {1, 0.75, 0.3 * (1 + 1e-9), 0.3 * (1 - 1e-9)};
    const int counts[] = {334, 250, 100, 100};
    for (int i = 0; i < 4; ++i) {
        Simulation s = pressed(0.1);
        s.sim.solver.step = 3e-3;
        s.sim.solver.time = times[i];
        simulate_start(&s);
        simulate_all(&s);
        assert_int_equal(pal_sim_state(s.run)->step_count, counts[i]);
        check_near(pal_sim_state(s.run)->time, times[i], 0);
        PalEnergy energy = pal_sim_energy(s.run);
        assert_true(fabs(pal_energy_drift(&energy)) < 1e-3);
        simulate_end(&s);
    }
}

// Kicks a body held at its bottom and takes steps of a multiple of the bound.
static PalStatus kick(const PalShapeDef *shape, PalElementKind element, double factor,
                      PalError *error)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 4, 4, 4);
    s.shape = *shape;
    simulate_neo_hookean(&s, 1000, 0.3, 1);
    s.body.element = element;
    PalConditionDef *force = simulate_everywhere(&s, PAL_CONDITION_FORCE);
    force->where = (PalWhere){.kind = PAL_WHERE_POINT, .point = {0, 0, 1}};
    force->value = pal_vec3(1e-4, 0, 1e-4);
    force->ramp.kind = PAL_RAMP_STEP;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    simulate_start(&s);
    int32_t body, cell;
    double bound = pal_sim_stable_step(s.run, &body, &cell);
    assert_int_equal(body, 0);
    assert_true(cell >= 0);
    pal_sim_destroy(s.run);
    s.sim.solver.step = factor * bound;
    s.sim.solver.time = 5000 * s.sim.solver.step;
    simulate_start(&s);
    PalStatus status = pal_sim_advance(s.run, s.sim.solver.time, error);
    if (status == PAL_OK) {
        PalEnergy energy = pal_sim_energy(s.run);
        assert_true(energy.strain <= 2 * fabs(energy.external_work));  // nothing grows
    }
    simulate_end(&s);
    return status;
}

// Central differences blow up beyond the true critical step and not below it: the bound must
// lie under it, and not far under it.
static void the_bound_is_safe_and_close(void **state)
{
    (void)state;
    PalShapeDef shapes[3] = {pal_shape_def_default(), pal_shape_def_default(),
                             pal_shape_def_default()};
    shapes[0].size = 0.25;
    shapes[1].kind = PAL_SHAPE_ELLIPSOID;
    shapes[1].extent = pal_vec3(1, 0.5, 0.7);
    shapes[1].size = 0.2;
    shapes[2].kind = PAL_SHAPE_CYLINDER;
    shapes[2].size = 0.3;
    for (int element = PAL_ELEMENT_T4; element <= PAL_ELEMENT_H8; ++element)
        for (int i = 0; i < 3; ++i) {
            PalError error = {0};
            check_ok(kick(&shapes[i], (PalElementKind)element, 0.999, &error), &error);
            double far = element == PAL_ELEMENT_T4_ANP ? 3 : 2;  // averaging softens what it bounds
            assert_int_equal(kick(&shapes[i], (PalElementKind)element, far, &error),
                             PAL_SIM_FAILED);
            assert_non_null(strstr(error.text, "exceeds the stable bound"));
        }
}

// The worst cell alone would dictate a shorter step.
static void slivers_hardly_count(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 4, 4, 4);
    s.shape.kind = PAL_SHAPE_ELLIPSOID;
    s.shape.extent = pal_vec3(1, 0.5, 0.7);
    s.shape.cells[0] = s.shape.cells[1] = s.shape.cells[2] = 0;
    s.shape.size = 0.2;
    simulate_start(&s);
    int32_t body, cell, worst;
    double bound = pal_sim_stable_step(s.run, &body, &cell);
    const PalElements *elements = pal_sim_model(s.run)->elements;
    PalElementScratch *scratch = NULL;
    PalError error = {0};
    check_ok(pal_element_scratch_create(elements, &scratch, &error), &error);
    double by_element = pal_elements_stable_step(
        elements, scratch, pal_sim_state(s.run)->displacement, NULL, NULL, &worst);
    pal_element_scratch_destroy(scratch);
    print_message("bound by nodes %.4g, by the worst element %.4g\n", bound, by_element);
    assert_true(bound > 1.2 * by_element);
    simulate_end(&s);
}

static void mass_scaling_lengthens_the_step(void **state)
{
    (void)state;
    Simulation s = pressed(0.1);
    PalConditionDef *gravity = simulate_everywhere(&s, PAL_CONDITION_GRAVITY);
    gravity->value = pal_vec3(0, 0, -10);
    gravity->ramp.kind = PAL_RAMP_STEP;
    simulate_start(&s);
    double plain = pal_sim_next_step(s.run), mass = pal_sim_model(s.run)->total_mass;
    assert_true(pal_sim_model(s.run)->added_mass == 0);
    pal_sim_destroy(s.run);
    s.sim.solver.mass_scaling_step = 2 * plain;
    simulate_start(&s);
    const PalModel *model = pal_sim_model(s.run);
    assert_true(pal_sim_next_step(s.run) > 1.9 * plain);
    check_near(model->total_mass - model->added_mass, mass, 1e-12);
    assert_true(model->added_mass > 2 * mass && model->added_mass < 4 * mass);
    PalVec3 weight = {0, 0, 0};  // inertia grows, weight does not
    for (int32_t n = 0; n < model->node_count; ++n)
        weight = pal_vec3_add(weight, pal_sim_state(s.run)->external[n]);
    check_near(weight.z, -10 * mass, 1e-12);
    simulate_end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(automatic_steps_land_on_output_times),
    cmocka_unit_test(the_step_is_the_safe_fraction_of_the_bound),
    cmocka_unit_test(the_step_follows_the_deformation),
    cmocka_unit_test(a_given_step_is_kept),
    cmocka_unit_test(a_given_step_does_not_pass_the_end),
    cmocka_unit_test(the_bound_is_safe_and_close),
    cmocka_unit_test(slivers_hardly_count),
    cmocka_unit_test(mass_scaling_lengthens_the_step),
};
CHECK_GROUP(tests, NULL, NULL)
