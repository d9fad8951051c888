// What probes tell: of the force that moves a side, without the stop of the held nodes; of a point,
// what its cell does there.
#include "output/probe.h"
#include "simulate.h"

static PalVec3 pull(bool onward, double *with_stop)
{
    Simulation s = simulate_box(pal_vec3(1, 0.5, 0.5), 4, 2, 2);
    simulate_neo_hookean(&s, 1000, 0.3, 10);
    s.sim.solver.damping = 2;
    simulate_on_side(&s, PAL_CONDITION_FIX, 0, false);
    PalConditionDef *moved = simulate_on_side(&s, PAL_CONDITION_DISPLACE, 0, true);
    moved->value = pal_vec3(0.2, 0, 0);
    moved->ramp = (PalRamp){.kind = PAL_RAMP_LINEAR, .until = 1, .onward = onward};
    simulate_start(&s);
    simulate_all(&s);
    PalError error = {0};
    PalProbe *probe = NULL;
    PalProbeDef def = {.name = "pull", .record = PAL_RECORD_FORCE, .where = moved->where};
    const PalState *now = pal_sim_state(s.run);
    check_ok(pal_probes_create(pal_sim_model(s.run), 1, &def, &probe, &error), &error);
    PalProbeSource source = {.reference = pal_sim_model(s.run)->nodes,
                             .displacement = now->displacement,
                             .velocity = now->velocity,
                             .sim = s.run};
    PalVec3 force = pal_probe_value(probe, &source);
    *with_stop = 0;
    for (int32_t n = 0; n < s.mesh->node_count; ++n)
        if (s.mesh->nodes[n].x > 0.499)
            *with_stop += pal_sim_state(s.run)->reaction[n].x;
    pal_probes_destroy(probe, 1);
    simulate_end(&s);
    return force;
}

static void stop_of_held_nodes_is_left_out(void **state)
{
    (void)state;
    double stopped_whole, going_whole;
    PalVec3 stopped = pull(false, &stopped_whole), going = pull(true, &going_whole);
    print_message("%g where it stops, %g where it goes on; with the stop %g\n", stopped.x, going.x,
                  stopped_whole);
    check_near(stopped.x, going.x, 1e-9 * going.x);
    check_near(going.x, going_whole, 1e-6 * going.x);  // steady: there is no inertia to leave out
    assert_true(fabs(stopped_whole - going.x) > 0.1 * going.x);
}

// Cells stretched evenly: a point between nodes moves in proportion to its place.
static void landmark_moves_with_its_cell(void **state)
{
    (void)state;
    for (int element = PAL_ELEMENT_T4; element <= PAL_ELEMENT_H8; ++element) {
        Simulation s = simulate_box(pal_vec3(1, 1, 1), 2, 2, 2);
        s.body.element = (PalElementKind)element;
        simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
        simulate_start(&s);
        PalError error = {0};
        PalProbe *probe = NULL;
        PalProbeDef def = {.name = "landmark", .record = PAL_RECORD_POSITION};
        def.where = (PalWhere){.kind = PAL_WHERE_POINT, .point = {0.13, -0.22, 0.41}};
        PalVec3 moved[27];
        assert_int_equal(s.mesh->node_count, 27);
        for (int32_t n = 0; n < s.mesh->node_count; ++n)
            moved[n] = pal_vec3(0.1 * s.mesh->nodes[n].z, 0, 0.3 * s.mesh->nodes[n].x);
        check_ok(pal_probes_create(pal_sim_model(s.run), 1, &def, &probe, &error), &error);
        PalProbeSource source = {
            .reference = s.mesh->nodes, .displacement = moved, .velocity = moved, .sim = s.run};
        PalVec3 place = pal_probe_value(probe, &source);
        check_near(place.x, 0.13 + 0.1 * 0.41, 1e-12);
        check_near(place.y, -0.22, 1e-12);
        check_near(place.z, 0.41 + 0.3 * 0.13, 1e-12);
        pal_probes_destroy(probe, 1);
        simulate_end(&s);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(stop_of_held_nodes_is_left_out),
    cmocka_unit_test(landmark_moves_with_its_cell),
};
CHECK_GROUP(tests, NULL, NULL)
