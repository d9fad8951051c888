// Blows in long steps: contact takes energy or leaves it, but never gives any, whatever the step.
// docs/theory/implicit.md, 5
#include "touch.h"

// Kinetic and strain energy at the end, of what there was at the start; at no step was it more.
static double keeps(Touch *t, PalMethod method, double step)
{
    PalError error = {0};
    t->sim.solver.method = method;
    if (method == PAL_METHOD_IMPLICIT)
        t->sim.contact.response = PAL_RESPONSE_BARRIER;
    t->sim.solver.step = step;
    touch_start(t);
    PalEnergy energy = pal_sim_energy(t->run);
    double initial = energy.kinetic + energy.strain, total = initial;
    while (!pal_sim_finished(t->run)) {
        check_ok(pal_sim_step(t->run, &error), &error);
        energy = pal_sim_energy(t->run);
        total = energy.kinetic + energy.strain;
        if (total > initial * (1 + 1e-6))
            fail_msg("energy is %.9g of %.9g at time %.4g", total, initial,
                     pal_sim_state(t->run)->time);
    }
    if (energy.contact_work > 1e-9 * initial)
        fail_msg("contact gave %.3g of %.3g", energy.contact_work, initial);
    assert_int_equal(pal_sim_intersections(t->run), 0);
    touch_end(t);
    return total / initial;
}

// A cube thrown at a table.
static Touch thrown(void)
{
    Touch t = touch_nothing(0.04);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(0.02, 0.02, 0.02), (int32_t[]){4, 4, 4},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)),
                   2e4, 0.3, 1000);
    t.bodies[0].velocity = pal_vec3(0, 0, -0.3);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(0.08, 0.08, 0.01), (int32_t[]){1, 1, 1},
                                    PAL_CELL_TRIANGLE, pal_vec3(0, 0, -0.0155)));
    touch_pair(&t, 0, 1, 0);
    return t;
}

static void a_table_gives_nothing(void **state)
{
    (void)state;
    Touch t = thrown();
    double slow = keeps(&t, PAL_METHOD_EXPLICIT, 0);
    for (int k = 0; k < 2; ++k) {  // the longer one is some tenth of the blow
        const double step[] = {1e-3, 2e-4}, bound[] = {0.12, 0.05};
        t = thrown();
        double kept = keeps(&t, PAL_METHOD_IMPLICIT, step[k]);
        print_message("%.4f, explicit %.4f\n", kept, slow);
        assert_true(fabs(kept - slow) < bound[k]);
    }
}

// A block thrown at a slab, corner first.
static Touch falling(double friction)
{
    Touch t = touch_nothing(0.05);
    PalMesh *block = touch_shape(PAL_SHAPE_BOX, pal_vec3(0.03, 0.02, 0.02), (int32_t[]){4, 3, 3},
                                 PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0));
    touch_turn(block, pal_vec3(1, 2, 0), 25 * 3.14159265358979 / 180);
    for (int32_t n = 0; n < block->node_count; ++n)
        block->nodes[n].z += 0.033;
    touch_add_mesh(&t, block, 3e4, 0.4, 1100);
    t.bodies[0].velocity = pal_vec3(0.1, 0, -0.6);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(0.09, 0.07, 0.02), (int32_t[]){9, 7, 3},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)),
                   1e4, 0.4, 1000);
    touch_side(&t, 1, PAL_CONDITION_FIX, 2, false);
    touch_pair(&t, 0, 1, friction);
    return t;
}

static void soft_bodies_part_as_in_short_steps(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        double friction = k == 0 ? 0 : 0.3;
        Touch t = falling(friction);
        double slow = keeps(&t, PAL_METHOD_EXPLICIT, 0);
        t = falling(friction);
        double kept = keeps(&t, PAL_METHOD_IMPLICIT, 5e-4);
        print_message("friction %g: %.4f, explicit %.4f\n", friction, kept, slow);
        assert_true(fabs(kept - slow) < 0.02);
    }
}

static double mean_height(const Touch *t)
{
    double sum = 0;
    for (int32_t n = 0; n < t->meshes[0]->node_count; ++n)
        sum += pal_sim_state(t->run)->displacement[n].z;
    return sum / t->meshes[0]->node_count;
}

// A block that sinks on a table through something that damps so much that it never rebounds, rests
// there, and is drawn off again: contact bears its weight, and never pulls at a node.
static void check_damped(double numerical_damping, double damping, double young, double step)
{
    PalError error = {0};
    const double points[][2] = {{0, 0}, {20 * step, 1}, {60 * step, 1}, {61 * step, -1}};
    Touch t = touch_nothing(80 * step);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(0.02, 0.02, 0.02), (int32_t[]){2, 2, 2},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)),
                   young, 0.3, 1000);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(0.08, 0.08, 0.01), (int32_t[]){1, 1, 1},
                                    PAL_CELL_TRIANGLE, pal_vec3(0, 0, -0.01505)));
    touch_gravity(&t, pal_vec3(0, 0, -10));
    t.conditions[0].ramp = (PalRamp){.kind = PAL_RAMP_TABLE, .point_count = 4, .points = points};
    touch_pair(&t, 0, 1, 0.2);
    t.sim.contact.response = PAL_RESPONSE_BARRIER;
    t.sim.solver.method = PAL_METHOD_IMPLICIT;
    t.sim.solver.numerical_damping = numerical_damping;
    t.sim.solver.damping = damping;
    t.sim.solver.step = step;
    touch_start(&t);
    const double weight = 0.08, way = 19.5 * step * 10 / damping;
    double rests = 0, lowest = 0, push = 0, rings = 0;
    while (!pal_sim_finished(t.run)) {
        check_ok(pal_sim_step(t.run, &error), &error);
        const PalState *state = pal_sim_state(t.run);
        double before = push;
        push = 0;
        for (int32_t n = 0; n < t.meshes[0]->node_count; ++n) {
            if (state->contact[n].z < -1e-9 * weight)
                fail_msg("contact pulls by %.3g at time %.4g", state->contact[n].z, state->time);
            push += state->contact[n].z;
        }
        if (fabs(state->time - 60 * step) < step / 2) {  // the mean of what rings between two steps
            rests = (before + push) / 2;
            lowest = mean_height(&t);
            rings = fabs(push - before) / weight;
        }
    }
    double rise = mean_height(&t) - lowest;
    print_message(
        "c dt %g: contact %.6f of the weight, ringing by %.4f, then up by %.4f of its way\n",
        damping * step, rests / weight, rings, rise / way);
    assert_true(fabs(rests / weight - 1) < 1e-3);
    assert_true(rings < 0.01);
    assert_true(fabs(rise / way - 1) < 0.1);
    touch_end(&t);
}

static void drag_leaves_contact_as_it_is(void **state)
{
    (void)state;
    check_damped(0.05, 6e4, 2e5, 0.02);
    check_damped(1.0 / 3, 6e3, 2e4, 0.01);
    check_damped(1.0 / 3, 6e4, 2e5, 0.02);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(drag_leaves_contact_as_it_is),
    cmocka_unit_test(a_table_gives_nothing),
    cmocka_unit_test(soft_bodies_part_as_in_short_steps),
};
CHECK_GROUP(tests, NULL, NULL)
