// Contact by depths in implicit methods against what is known: evenness, Hertz, Coulomb, and that
// the stiffness of contact does not matter.   docs/theory/material-depth.md, 8
#include "touch.h"

static const double YOUNG = 1e4, POISSON = 0.3;

static Touch calm(void)
{
    Touch t = touch_nothing(1);
    t.sim.solver.method = PAL_METHOD_IMPLICIT_STATIC;
    t.sim.contact.response = PAL_RESPONSE_MATERIAL_DEPTH;
    return t;
}

static void hold(Touch *t, int32_t body, int axis, bool high)
{
    PalConditionDef *fix = touch_side(t, body, PAL_CONDITION_FIX, axis, high);
    for (int i = 0; i < 3; ++i)
        fix->axes[i] = i == axis;
}

static PalRamp straight(void)
{
    return (PalRamp){.kind = PAL_RAMP_LINEAR, .until = 1};
}

// ---- the patch test ---------------------------------------------------------------------

static double uneven(PalSim *sim, double pressure)
{
    int32_t count = pal_sim_model(sim)->cell_count;
    double(*stress)[6] = calloc((size_t)count, sizeof *stress), worst = 0;
    PalCellFields fields = {.stress = stress};
    assert_int_equal(pal_sim_cell_fields(sim, PAL_NONE, &fields), PAL_OK);
    for (int32_t e = 0; e < count; ++e)
        for (int i = 0; i < 6; ++i)
            worst = fmax(worst, fabs(stress[e][i] - (i == 2 ? -pressure : 0)) / pressure);
    free(stress);
    return worst;
}

// Two blocks whose meshes do not match: stress is the same everywhere.
static void pressure_passes_evenly(void **state)
{
    (void)state;
    const double pressure = 40;
    const int32_t cells[2][3] = {{5, 5, 3}, {7, 4, 2}};
    Touch t = calm();
    t.sim.contact.stiffness = 100;
    for (int b = 0; b < 2; ++b) {
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.5), cells[b],
                                   PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0.25 + 0.5 * b)),
                       YOUNG, POISSON, 100);
        hold(&t, b, 0, false);
        hold(&t, b, 1, false);
    }
    hold(&t, 0, 2, false);
    PalConditionDef *load = touch_side(&t, 1, PAL_CONDITION_PRESSURE, 2, true);
    load->pressure = pressure;
    load->ramp = straight();
    touch_pair(&t, 0, 1, 0);
    touch_start(&t);
    touch_advance(&t, 1);
    double worst = uneven(t.run, pressure);
    print_message("stress off by %.3f %% at most\n", 100 * worst);
    assert_true(worst < 0.02);
    touch_end(&t);
}

// ---- friction ---------------------------------------------------------------------------

// A block is pressed on another, or on an instrument, and pulled far.
static void full_slip_is_coulombs(void **state)
{
    (void)state;
    const double friction = 0.3;
    for (int rigid = 0; rigid < 3; ++rigid) {  // at last, it is the instrument that moves
        Touch t = calm();
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.5), (int32_t[]){4, 4, 2},
                                   PAL_CELL_TETRAHEDRON, pal_vec3(0.01, 0, 0.25)),
                       YOUNG, POISSON, 100);
        PalConditionDef *move = touch_side(&t, 0, PAL_CONDITION_DISPLACE, 2, true);
        move->value = rigid < 2 ? pal_vec3(0.2, 0.07, -0.02) : pal_vec3(0, 0, -0.02);
        move->ramp = straight();
        PalVec3 size = {3, 3, 0.4}, place = {0, 0, -0.2};
        if (rigid) {
            touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, size, (int32_t[]){3, 3, 1},
                                            PAL_CELL_TRIANGLE, place));
            t.rigids[0].motion.translation =
                pal_vec3(rigid < 2 ? 0 : -0.2, rigid < 2 ? 0 : -0.07, 0);
            t.rigids[0].motion.ramp = straight();
        } else {
            touch_add_mesh(
                &t,
                touch_shape(PAL_SHAPE_BOX, size, (int32_t[]){8, 8, 2}, PAL_CELL_TETRAHEDRON, place),
                YOUNG, POISSON, 100);
            touch_side(&t, 1, PAL_CONDITION_FIX, 2, false);
        }
        touch_pair(&t, 0, 1, friction);
        touch_start(&t);
        touch_advance(&t, 1);
        PalVec3 force = pal_sim_contact_force(t.run, 0, 1);
        double ratio = hypot(force.x, force.y) / force.z;
        print_message("on %s: %.6f, expected %.6f; normal force %.4g\n",
                      rigid ? "an instrument" : "a body", ratio, friction, force.z);
        check_near(ratio / friction, 1, 1e-3);
        assert_true(force.x < 0 && force.y < 0 && force.z > 100);
        touch_end(&t);
    }
}

// In time: friction is part of what objects do to each other, and what they do is what holds them.
static void explicit_methods_tell_friction(void **state)
{
    (void)state;
    Touch t = calm();
    t.sim.solver.method = PAL_METHOD_EXPLICIT;
    t.sim.solver.time = 1;
    t.sim.solver.damping = 50;
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.5), (int32_t[]){4, 4, 2},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0.01, 0, 0.25)),
                   YOUNG, POISSON, 1);
    PalConditionDef *move = touch_side(&t, 0, PAL_CONDITION_DISPLACE, 2, true);
    move->value = pal_vec3(0.2, 0.07, -0.02);
    move->ramp = straight();
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(3, 3, 0.4), (int32_t[]){3, 3, 1},
                                    PAL_CELL_TRIANGLE, pal_vec3(0, 0, -0.2)));
    touch_pair(&t, 0, 1, 0.3);
    touch_start(&t);
    touch_advance(&t, 1);
    PalVec3 force = pal_sim_contact_force(t.run, 0, 1);
    double ratio = hypot(force.x, force.y) / force.z;
    print_message("in time: %.6f, expected %.6f; normal force %.4g\n", ratio, 0.3, force.z);
    check_near(ratio / 0.3, 1, 0.01);
    check_near(force.y / force.x, 0.35, 0.01);
    assert_true(force.x < 0);
    touch_end(&t);
}

// ---- stiffness --------------------------------------------------------------------------

static double push_on_ball(double stiffness, double *penetration)
{
    Touch t = calm();
    t.sim.contact.stiffness = stiffness;
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_SPHERE, pal_vec3(1, 0, 0), (int32_t[]){8, 0, 0},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 1)),
                   YOUNG, POISSON, 100);
    PalConditionDef *move = touch_condition(&t, 0, PAL_CONDITION_DISPLACE);
    move->where = (PalWhere){.kind = PAL_WHERE_BOX, .box = {{-2, -2, 1.2}, {2, 2, 3}}};
    move->axes[0] = move->axes[1] = move->axes[2] = true;
    move->value = pal_vec3(0, 0, -0.15);
    move->ramp = straight();
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(3, 3, 0.5), (int32_t[]){1, 1, 1},
                                    PAL_CELL_TRIANGLE, pal_vec3(0, 0, -0.25)));
    touch_pair(&t, 0, 1, 0);
    touch_start(&t);
    touch_advance(&t, 1);
    PalContactReport report = pal_sim_contact_report(t.run);
    *penetration = report.worst_of_edge;
    check_near(report.worst_penetration / (*penetration * report.mean_edge), 1, 0.5);
    double force = pal_sim_contact_force(t.run, 0, 1).z;
    touch_end(&t);
    return force;
}

// Over three decades; and no step ends deeper than allowed, whatever the stiffness.
static void stiffness_does_not_matter(void **state)
{
    (void)state;
    double penetration, expected = push_on_ball(1, &penetration);
    for (int i = 0; i < 2; ++i) {
        double stiffness = i == 0 ? 0.03 : 30;
        double force = push_on_ball(stiffness, &penetration);
        print_message("stiffness %g: force off by %.3f %%, penetration %.4f of an edge\n",
                      stiffness, 100 * (force / expected - 1), penetration);
        check_near(force / expected, 1, 0.01);
        assert_true(penetration <= 0.01);
    }
}

// ---- thin objects -----------------------------------------------------------------------

// A plate of one layer, held at its sides, and a ball above it.
static Touch plate_and_ball(const PalRamp *ramp, double radius)
{
    Touch t = calm();
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(2, 2, 0.1), (int32_t[]){10, 10, 1},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, -0.05)),
                   YOUNG, POISSON, 100);
    for (int side = 0; side < 4; ++side)
        touch_side(&t, 0, PAL_CONDITION_FIX, side / 2, side % 2);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_SPHERE, pal_vec3(radius, 0, 0), (int32_t[]){10, 0, 0},
                                    PAL_CELL_TRIANGLE, pal_vec3(0.01, 0.02, radius + 0.01)));
    t.rigids[0].motion.translation = pal_vec3(0, 0, -0.31);
    t.rigids[0].motion.ramp = *ramp;
    touch_pair(&t, 0, 1, 0);
    return t;
}

static double lowest(const PalSim *run)
{
    double least = 0;
    for (int32_t n = 0; n < pal_sim_model(run)->node_count; ++n)
        least = fmin(least, pal_sim_state(run)->displacement[n].z);
    return least;
}

// The ball goes three thicknesses down in one step: it takes the plate along. Nothing pulls at it
// when it goes up again, and in the end the plate is as it was.
static void nothing_is_punched_through(void **state)
{
    (void)state;
    static const double points[3][2] = {{0, 0}, {0.25, 1}, {1, -0.1}};
    PalRamp ramp = {.kind = PAL_RAMP_TABLE, .point_count = 3, .points = points};
    Touch t = plate_and_ball(&ramp, 0.4);
    t.sim.solver.step = 0.25;
    touch_start(&t);
    for (int step = 0; step < 4; ++step) {
        touch_advance(&t, 0.25 * (step + 1));
        double least = lowest(t.run), force = pal_sim_contact_force(t.run, 0, 1).z;
        print_message("the plate sinks by %.3f, force %.4g\n", least, force);
        if (step == 0)
            assert_true(least < -0.25 && least > -0.35 && force < -10);
        double bottom = 0.01 - 0.31 * pal_ramp_value(&ramp, 0.25 * (step + 1));
        assert_true(least < fmin(bottom, 0) + 0.02 && least > fmin(bottom, 0) - 0.02);
        assert_true(force <= 0);
    }
    check_near(lowest(t.run), 0, 1e-6);
    check_near(pal_sim_contact_force(t.run, 0, 1).z, 0, 1e-6);
    touch_end(&t);
}

// A small ball that would be beyond the plate at the end of the step: neither meets the other
// there.
static void nothing_is_passed_in_one_step(void **state)
{
    (void)state;
    PalRamp ramp = straight();
    Touch t = plate_and_ball(&ramp, 0.08);
    t.sim.solver.step = 1;
    touch_start(&t);
    touch_advance(&t, 1);
    double least = lowest(t.run), force = pal_sim_contact_force(t.run, 0, 1).z;
    print_message("the plate sinks by %.3f, force %.4g\n", least, force);
    assert_true(least < -0.26 && least > -0.34 && force < -10);
    touch_end(&t);
}

// ---- edges of instruments ---------------------------------------------------------------

// A bar that is pressed on a plate and sticks out over its edge, by depths and by a barrier. All of
// the plate's inside has depth: the force is the same, and penetration is bounded there as well.
static void edges_of_plates_bear(void **state)
{
    (void)state;
    double forces[2];
    for (int way = 0; way < 2; ++way) {
        Touch t = calm();
        if (way == 1)
            t.sim.contact.response = PAL_RESPONSE_BARRIER;
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_BOX, pal_vec3(0.3, 1, 0.3), (int32_t[]){2, 6, 2},
                                   PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0.1501)),
                       YOUNG, POISSON, 100);
        touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(2, 1.2, 0.5), (int32_t[]){4, 3, 1},
                                        PAL_CELL_TRIANGLE, pal_vec3(0, 0.2, -0.25)));
        PalConditionDef *lower = touch_side(&t, 0, PAL_CONDITION_DISPLACE, 2, true);
        for (int i = 0; i < 3; ++i)
            lower->axes[i] = true;
        lower->value = pal_vec3(0, 0, -0.03);
        lower->ramp = straight();
        touch_pair(&t, 0, 1, 0);
        t.sim.solver.step = 0.25;
        touch_start(&t);
        touch_advance(&t, 1);
        forces[way] = pal_sim_contact_force(t.run, 0, 1).z;
        PalContactReport report = pal_sim_contact_report(t.run);
        assert_true(pal_sim_state(t.run)->step_count == 4);
        assert_true(way == 1 || report.worst_of_edge <= 0.01);
        touch_end(&t);
    }
    print_message("force %.4f by depths, %.4f by a barrier\n", forces[0], forces[1]);
    check_near(forces[0] / forces[1], 1, 0.01);
}

// ---- large strains ----------------------------------------------------------------------

// A block is squeezed to 0.3 of its height between two plates. The
// force is that of the block alone, held at its top and bottom in the same way.
static void squeezed_bodies_keep_their_depths(void **state)
{
    (void)state;
    double forces[2], deepest = 0;
    for (int alone = 0; alone < 2; ++alone) {
        Touch t = calm();
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){4, 4, 4},
                                   PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0.5)),
                       YOUNG, POISSON, 100);
        hold(&t, 0, 2, false);
        hold(&t, 0, 0, false);
        hold(&t, 0, 1, false);
        PalConditionDef *move = NULL;
        if (alone) {
            move = touch_side(&t, 0, PAL_CONDITION_DISPLACE, 2, true);
            move->axes[0] = move->axes[1] = false;
            move->value = pal_vec3(0, 0, -0.7);
            move->ramp = straight();
        } else {
            touch_add_rigid(&t,
                            touch_shape(PAL_SHAPE_BOX, pal_vec3(6, 6, 0.5), (int32_t[]){1, 1, 1},
                                        PAL_CELL_TRIANGLE, pal_vec3(0.1, 0.2, 1.25)));
            t.rigids[0].motion.translation = pal_vec3(0, 0, -0.7);
            t.rigids[0].motion.ramp = straight();
            touch_pair(&t, 0, 1, 0);
        }
        touch_start(&t);
        touch_advance(&t, 1);
        if (alone) {
            forces[1] = 0;
            for (int32_t n = 0; n < t.meshes[0]->node_count; ++n)
                if (t.meshes[0]->nodes[n].z > 0.999)
                    forces[1] -= pal_sim_state(t.run)->reaction[n].z;
        } else {
            PalContactReport report = pal_sim_contact_report(t.run);
            forces[0] = -pal_sim_contact_force(t.run, 0, 1).z;
            deepest = report.worst_penetration / report.mean_edge;
        }
        touch_end(&t);
    }
    print_message("force %.5g, of the block alone %.5g; penetration %.4f of an edge\n", forces[0],
                  forces[1], deepest);
    check_near(forces[0] / forces[1], 1, 0.02);
    assert_true(deepest < 0.015);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(pressure_passes_evenly),
    cmocka_unit_test(full_slip_is_coulombs),
    cmocka_unit_test(explicit_methods_tell_friction),
    cmocka_unit_test(stiffness_does_not_matter),
    cmocka_unit_test(nothing_is_punched_through),
    cmocka_unit_test(nothing_is_passed_in_one_step),
    cmocka_unit_test(edges_of_plates_bear),
    cmocka_unit_test(squeezed_bodies_keep_their_depths),
};
CHECK_GROUP(tests, NULL, NULL)
