#include "simulate.h"

// A block squeezed to nothing: the failure names cell, body, place and time.
static void failure_says_what_and_where(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 3, 3, 3);
    s.body.name = "sponge";
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true)->value = pal_vec3(0, 0, -1.5);
    simulate_start(&s);
    PalError error = {0};
    assert_int_equal(pal_sim_advance(s.run, 1, &error), PAL_SIM_FAILED);
    assert_non_null(strstr(error.text, "cell "));
    assert_non_null(strstr(error.text, "of body \"sponge\", at ("));
    assert_non_null(strstr(error.text, "turned inside out at time"));
    assert_non_null(strstr(error.text, "ramp it more slowly"));
    simulate_end(&s);
}

// A relaxation has no ramp that could be slower.
static void relaxation_is_advised_otherwise(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 3, 3, 3);
    s.sim.solver.method = PAL_METHOD_RELAXATION;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true)->value = pal_vec3(0, 0, -1.5);
    simulate_start(&s);
    PalError error = {0};
    assert_int_equal(pal_sim_advance(s.run, 1, &error), PAL_SIM_FAILED);
    assert_non_null(strstr(error.text, "turned inside out at time"));
    assert_non_null(strstr(error.text, "use method: explicit"));
    assert_null(strstr(error.text, "slowly"));
    simulate_end(&s);
}

// A block pressed through its own floor, of a law that resists to the last: the stable step goes
// to nothing, and time would stand still.
static void crushed_cells_end_the_run(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 3, 3, 3);
    s.body.name = "foam";
    s.material.law = pal_law_find("mooney-rivlin");
    const double parameters[] = {0.4, 0.1, 1};
    memcpy(s.material.parameters, parameters, sizeof parameters);
    s.sim.solver.damping = 5;
    s.sim.solver.time = 100;
    PalConditionDef *sides = simulate_everywhere(&s, PAL_CONDITION_FIX);  // only straight down
    sides->axes[2] = false;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    PalConditionDef *press = simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true);
    press->value = pal_vec3(0, 0, -1.2);
    press->ramp.kind = PAL_RAMP_LINEAR;
    simulate_start(&s);
    PalError error = {0};
    assert_int_equal(pal_sim_advance(s.run, 100, &error), PAL_SIM_FAILED);
    print_message("%s\n", error.text);
    assert_non_null(strstr(error.text, "cells of body \"foam\" around ("));
    assert_non_null(strstr(error.text, "are crushed at time"));
    simulate_end(&s);
}

static void bad_definitions_are_refused(void **state)
{
    (void)state;
    const struct {
        double time, step, damping, safety, tolerance;
        const char *message;
    } cases[] = {
        {0, 0, 0, 0.9, 1e-5, "time is 0, expected a time > 0"},
        {NAN, 0, 0, 0.9, 1e-5, "time is nan, expected a time > 0"},
        {1, -1, 0, 0.9, 1e-5, "solver step is -1"},
        {1, 2, 0, 0.9, 1e-5, "solver step is 2"},
        {1, 0, -1, 0.9, 1e-5, "solver damping is -1"},
        {1, 0, 0, 1.5, 1e-5, "solver safety is 1.5"},
        {1, 0, 0, 0.9, 0, "solver tolerance is 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        Simulation s = simulate_box(pal_vec3(1, 1, 1), 1, 1, 1);
        simulate_start(&s);
        pal_sim_destroy(s.run);
        s.sim.solver.time = cases[i].time;
        s.sim.solver.step = cases[i].step;
        s.sim.solver.damping = cases[i].damping;
        s.sim.solver.safety = cases[i].safety;
        s.sim.solver.tolerance = cases[i].tolerance;
        PalError error = {0};
        assert_int_equal(pal_sim_create(&s.sim, &s.run, &error), PAL_BAD_INPUT);
        if (strstr(error.text, cases[i].message) == NULL)
            fail_msg("'%s' does not say '%s'", error.text, cases[i].message);
        assert_null(s.run);
        simulate_end(&s);
    }
}

static void refuse(PalSimDef def, const char *message)
{
    PalSim *run = NULL;
    PalError error = {0};
    assert_int_equal(pal_sim_create(&def, &run, &error), PAL_BAD_INPUT);
    assert_string_equal(error.text, message);
    assert_null(run);
}

static void bad_counts_are_refused(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 1, 1, 1);
    simulate_start(&s);
    PalSimDef def = s.sim;
    def.solver.thread_count = INT32_MAX;
    refuse(def, "solver threads is 2147483647, expected 0 (as many as cores) to 1024");
    def = s.sim;
    def.solver.step_limit = 0;
    refuse(def, "solver step limit is 0, expected at least 1");
    def = s.sim;
    def.align = -0.5;
    refuse(def, "output interval is -0.5, expected 0 (none) or a time");
    def = s.sim;
    def.solver.mass_scaling_step = INFINITY;
    refuse(def, "mass scaling asks for the step inf, expected 0 (none) or a time");
    simulate_end(&s);
}

static void bad_rigid_motion_is_refused(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 1, 1, 1);
    simulate_start(&s);
    PalRigidDef rigid = pal_rigid_def_default();
    PalError error = {0};
    PalMesh *surface = NULL;
    PalShapeDef shape = pal_shape_def_default();
    shape.cell_kind = PAL_CELL_TRIANGLE;
    check_ok(pal_mesh_create_shape(&shape, &surface, &error), &error);
    s.sim.model.rigids = &rigid;
    s.sim.model.rigid_count = 1;
    rigid.name = "probe";
    rigid.mesh = s.mesh;
    refuse(s.sim, "rigid \"probe\": expected a surface of triangles");
    rigid.mesh = surface;
    rigid.motion.translation.y = NAN;
    refuse(s.sim, "rigid \"probe\": its motion has a number that is not finite");
    rigid.motion.translation.y = 0;
    rigid.motion.radians = 1;
    rigid.motion.axis = pal_vec3(0, 0, 0);
    refuse(s.sim, "rigid \"probe\": the axis of its rotation is zero, which is not a direction");
    pal_mesh_destroy(surface);
    simulate_end(&s);
}

// Two bodies, one of two materials: numbering, masses and fields stay apart.
static void bodies_and_materials_keep_apart(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 2, 2, 2);
    simulate_start(&s);
    pal_sim_destroy(s.run);
    PalMaterialDef materials[2] = {s.material, s.material};
    materials[1].density = 10;
    materials[1].parameters[0] *= 100;
    materials[1].parameters[1] *= 100;
    int32_t *cell_material = calloc((size_t)s.mesh->cell_count, sizeof *cell_material);
    for (int32_t c = 1; c < s.mesh->cell_count; c += 2)
        cell_material[c] = 1;
    PalBodyDef bodies[2] = {s.body, s.body};
    bodies[0].name = "plain";
    bodies[1].name = "mixed";
    bodies[1].material_count = 2;
    bodies[1].materials = materials;
    bodies[1].cell_material = cell_material;
    s.sim.model.body_count = 2;
    s.sim.model.bodies = bodies;
    PalError error = {0};
    check_ok(pal_sim_create(&s.sim, &s.run, &error), &error);
    const PalModel *model = pal_sim_model(s.run);
    assert_int_equal(pal_model_find_body(model, "mixed"), 1);
    assert_int_equal(pal_model_find_body(model, "other"), PAL_NONE);
    assert_int_equal(model->node_count, 2 * s.mesh->node_count);
    check_near(model->bodies[0].mass, 1, 1e-14);
    double expected = 0;
    for (int32_t c = 0; c < s.mesh->cell_count; ++c)
        expected += pal_cell_volume(s.mesh, c) * (c % 2 ? 10 : 1);
    check_near(model->bodies[1].mass, expected, 1e-13);

    // the same stretch stores a hundred times the energy in the stiff cells
    PalVec3 *u = pal_sim_state(s.run)->displacement;
    for (int32_t n = 0; n < model->node_count; ++n)
        u[n].z = 0.1 * model->nodes[n].z;
    double *density = calloc((size_t)s.mesh->cell_count, sizeof *density);
    PalCellFields fields = {.energy_density = density};
    check_ok(pal_sim_cell_fields(s.run, 1, &fields), &error);
    for (int32_t c = 0; c + 1 < s.mesh->cell_count; c += 2)
        check_near(density[c + 1] / density[c], 100, 1e-9);
    free(density);
    free(cell_material);
    simulate_end(&s);
}

// Under a held stretch the pull relaxes to 1 - sum of weights of what it was.
static void viscoelastic_pull_relaxes(void **state)
{
    (void)state;
    for (int element = PAL_ELEMENT_T4; element <= PAL_ELEMENT_H8; ++element) {
        Simulation s = simulate_box(pal_vec3(1, 1, 1), 3, 3, 3);
        simulate_neo_hookean(&s, 1000, 0.3, 0.01);
        s.body.element = (PalElementKind)element;
        s.material.isochoric_count = s.material.volumetric_count = 1;
        s.material.isochoric[0] = s.material.volumetric[0] = (PalPronyTerm){0.6, 0.5};
        s.sim.solver.time = 5;
        s.sim.solver.damping = 40;
        simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
        PalConditionDef *pull = simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true);
        pull->value = pal_vec3(0, 0, 0.1);
        pull->ramp.until = 0.05;
        simulate_start(&s);
        double at[2], times[2] = {0.1, 5};
        for (int i = 0; i < 2; ++i) {
            simulate_to(&s, times[i]);
            at[i] = 0;
            for (int32_t n = 0; n < s.mesh->node_count; ++n)
                if (s.mesh->nodes[n].z > 0.499)
                    at[i] += pal_sim_state(s.run)->reaction[n].z;
        }
        // the ramp's middle is at 0.025, so 0.1 is 0.075 into the relaxation
        double expected = (1 - 0.6 + 0.6 * exp(-4.975 / 0.5)) / (1 - 0.6 + 0.6 * exp(-0.075 / 0.5));
        check_near(at[1] / at[0], expected, 0.01);
        PalEnergy energy = pal_sim_energy(s.run);
        assert_true(energy.dissipated > 0);
        assert_true(fabs(pal_energy_drift(&energy)) < 1e-3);
        simulate_end(&s);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(failure_says_what_and_where),
    cmocka_unit_test(relaxation_is_advised_otherwise),
    cmocka_unit_test(crushed_cells_end_the_run),
    cmocka_unit_test(bad_definitions_are_refused),
    cmocka_unit_test(bad_counts_are_refused),
    cmocka_unit_test(bad_rigid_motion_is_refused),
    cmocka_unit_test(bodies_and_materials_keep_apart),
    cmocka_unit_test(viscoelastic_pull_relaxes),
};
CHECK_GROUP(tests, NULL, NULL)
