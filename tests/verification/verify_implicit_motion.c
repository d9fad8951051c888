// Motion in time by long steps: schemes as their theory has them, energy kept, and the same motion
// as by short explicit steps.   docs/theory/implicit.md
#include "simulate.h"

// A cube of one hexahedron whose top moves up and down only: one mode, w^2 = 2 (K + 4/3 G) / (rho
// L^2), and so little motion that it is linear.
static Simulation oscillator(double *rate)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 1, 1, 1);
    s.material.parameters[0] = 3;
    s.material.parameters[1] = 10;
    s.material.density = 2;
    s.body.element = PAL_ELEMENT_H8;
    s.body.velocity = pal_vec3(0, 0, 1e-5);
    s.sim.solver.method = PAL_METHOD_IMPLICIT;
    s.sim.solver.tolerance = 1e-7;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    PalConditionDef *guide = simulate_on_side(&s, PAL_CONDITION_FIX, 2, true);
    memcpy(guide->axes, (bool[3]){true, true, false}, sizeof guide->axes);
    *rate = sqrt(2 * (10 + 4.0 / 3 * 3) / 2);
    return s;
}

typedef struct Point {
    double u, v, a;
} Point;

// One step of a single mass by the formulas of Hilber, Hughes and Taylor, or of Euler.
static Point advance(Point p, double w, double c, double dt, double alpha, bool euler)
{
    double square = w * w;
    if (euler) {
        double v = (p.v - dt * square * p.u) / (1 + c * dt + dt * dt * square);
        return (Point){p.u + dt * v, v, (v - p.v) / dt};
    }
    double beta = (1 - alpha) * (1 - alpha) / 4, gamma = 0.5 - alpha;
    double ahead = p.u + dt * p.v + dt * dt * (0.5 - beta) * p.a, v = p.v + dt * (1 - gamma) * p.a;
    double right = alpha * (square * p.u + c * p.v) - (1 + alpha) * (square * ahead + c * v);
    double a = right / (1 + (1 + alpha) * (square * beta * dt * dt + c * gamma * dt));
    return (Point){ahead + beta * dt * dt * a, v + gamma * dt * a, a};
}

static void check_scheme(PalScheme scheme, double damping, double alpha)
{
    double w, dt = 0.3;
    Simulation s = oscillator(&w);
    s.sim.solver.scheme = scheme;
    s.sim.solver.numerical_damping = -alpha;
    s.sim.solver.damping = damping;
    s.sim.solver.step = dt;
    s.sim.solver.time = 200 * dt;
    simulate_start(&s);
    Point p = {0, 1e-5, -damping * 1e-5};
    double most = 0, off = 0;
    PalError error = {0};
    for (int k = 0; k < 200; ++k) {
        check_ok(pal_sim_step(s.run, &error), &error);
        p = advance(p, w, damping, dt, alpha, scheme == PAL_SCHEME_BACKWARD_EULER);
        most = fmax(most, fabs(p.u));
        off = fmax(off, fabs(p.u - simulate_side_motion(&s, 2, true).z));
    }
    check_near(off / most, 0, 1e-4);
    simulate_end(&s);
}

static void schemes_as_their_theory(void **state)
{
    (void)state;
    check_scheme(PAL_SCHEME_HHT, 0, -0.05);
    check_scheme(PAL_SCHEME_HHT, 0.4, -0.3);
    check_scheme(PAL_SCHEME_NEWMARK, 0, 0);
    check_scheme(PAL_SCHEME_NEWMARK, 0.2, 0);
    check_scheme(PAL_SCHEME_BACKWARD_EULER, 0.1, 0);
}

static Simulation beam(double density)
{
    Simulation s = simulate_box(pal_vec3(1, 0.1, 0.1), 10, 1, 1);
    simulate_neo_hookean(&s, 1e5, 0.3, density);
    s.body.element = PAL_ELEMENT_H8;
    s.sim.solver.method = PAL_METHOD_IMPLICIT;
    simulate_on_side(&s, PAL_CONDITION_FIX, 0, false);
    return s;
}

// The largest part of the energy that is missing or too much, over all steps.
static double worst_balance(Simulation *s)
{
    double worst = 0, most = 0;
    PalError error = {0};
    while (!pal_sim_finished(s->run)) {
        check_ok(pal_sim_step(s->run, &error), &error);
        PalEnergy energy = pal_sim_energy(s->run);
        double all = energy.kinetic + energy.strain;
        double given = energy.initial + energy.external_work - energy.dissipated;
        most = fmax(most, fmax(fabs(all), fabs(given)));
        worst = fmax(worst, fabs(all - given));
    }
    return worst / most;
}

// A thousand steps, each as long as 25 stable ones, of a beam that swings by half its length.
static void energy_is_kept(void **state)
{
    (void)state;
    Simulation s = beam(1000);
    s.body.velocity = pal_vec3(0, 0, 0.3);
    s.sim.solver.scheme = PAL_SCHEME_NEWMARK;
    s.sim.solver.step = 0.2;
    s.sim.solver.time = 200;
    simulate_start(&s);
    int32_t body, cell;
    assert_true(s.sim.solver.step > 25 * pal_sim_stable_step(s.run, &body, &cell));
    simulate_to(&s, 1.2);
    assert_true(fabs(simulate_side_motion(&s, 0, true).z) > 0.25);
    check_near(worst_balance(&s), 0, 1e-4);
    assert_in_range(pal_sim_state(s.run)->step_count, 1000, 1010);  // few are cut
    simulate_end(&s);
}

// What loads, a pressure that follows and a wall that shakes do counts exactly, and so does what
// damping takes.
static void works_are_whole(void **state)
{
    (void)state;
    static const double shaken[][2] = {{0, 0}, {0.5, 1}, {1.3, -1}, {2, 0.4}};
    Simulation s = beam(1000);
    s.conditions[0].kind = PAL_CONDITION_DISPLACE;
    s.conditions[0].value = pal_vec3(0.02, 0, 0.1);
    s.conditions[0].ramp = (PalRamp){.kind = PAL_RAMP_TABLE, .point_count = 4, .points = shaken};
    simulate_everywhere(&s, PAL_CONDITION_GRAVITY)->value = pal_vec3(0, 0, -0.1);
    simulate_on_side(&s, PAL_CONDITION_PRESSURE, 1, true)->pressure = 5;
    s.sim.solver.scheme = PAL_SCHEME_NEWMARK;
    s.sim.solver.damping = 0.3;
    s.sim.solver.step = 0.1;
    s.sim.solver.time = 20;
    simulate_start(&s);
    check_near(worst_balance(&s), 0, 1e-5);
    assert_true(pal_sim_energy(s.run).dissipated > 0);
    simulate_end(&s);
}

// Half the step, a quarter of the error, against explicit steps.
static void motion_is_of_second_order(void **state)
{
    (void)state;
    PalVec3 tips[3];
    for (int k = 0; k < 3; ++k) {
        Simulation s = beam(1000);
        simulate_everywhere(&s, PAL_CONDITION_GRAVITY)->value = pal_vec3(0, 0, -1);
        s.sim.solver.method = k == 0 ? PAL_METHOD_EXPLICIT : PAL_METHOD_IMPLICIT;
        s.sim.solver.scheme = PAL_SCHEME_NEWMARK;
        s.sim.solver.step = k == 0 ? 0 : 0.04 / k;
        s.sim.solver.time = 1.6;
        simulate_start(&s);
        simulate_to(&s, 1.6);
        tips[k] = simulate_side_motion(&s, 0, true);
        simulate_end(&s);
    }
    double coarse = pal_vec3_distance(tips[1], tips[0]), fine = pal_vec3_distance(tips[2], tips[0]);
    check_near(coarse / pal_vec3_length(tips[0]), 0, 0.02);
    check_near(fine / coarse, 0.25, 0.06);
}

// A block that is pressed and held relaxes as the explicit one does, and to what statics finds.
static void stress_relaxes(void **state)
{
    (void)state;
    double held[3] = {0};
    for (int k = 0; k < 3; ++k) {
        Simulation s = simulate_box(pal_vec3(1, 1, 1), 2, 2, 2);
        simulate_neo_hookean(&s, 1000, 0.3, 1);
        s.material.isochoric_count = 1;
        s.material.isochoric[0] = (PalPronyTerm){0.6, 0.5};
        s.material.volumetric_count = 1;
        s.material.volumetric[0] = (PalPronyTerm){0.3, 0.5};
        simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
        PalConditionDef *press = simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true);
        press->value = pal_vec3(0, 0, -0.2);
        press->ramp = (PalRamp){.kind = PAL_RAMP_SMOOTH, .until = 1};
        s.sim.solver.time = k == 2 ? 12 : 2;
        s.sim.solver.damping = 5;
        s.sim.solver.step = k == 0 ? 0 : 0.05;
        s.sim.solver.method = k == 0 ? PAL_METHOD_EXPLICIT : PAL_METHOD_IMPLICIT;
        s.sim.solver.scheme = PAL_SCHEME_BACKWARD_EULER;
        simulate_start(&s);
        simulate_to(&s, s.sim.solver.time);
        for (int32_t n = 0; n < s.mesh->node_count; ++n)
            if (s.mesh->nodes[n].z > 0.49)
                held[k] -= pal_sim_state(s.run)->force[n].z;
        if (k == 2) {  // long after
            double after = held[2];
            held[2] = 0;
            simulate_end(&s);
            s.sim.solver.method = PAL_METHOD_IMPLICIT_STATIC;
            s.sim.solver.step = 0;
            simulate_start(&s);
            simulate_to(&s, s.sim.solver.time);
            for (int32_t n = 0; n < s.mesh->node_count; ++n)
                if (s.mesh->nodes[n].z > 0.49)
                    held[2] -= pal_sim_state(s.run)->force[n].z;
            check_near(after / held[2], 1, 1e-5);
        }
        simulate_end(&s);
    }
    check_near(held[1] / held[0], 1, 2e-3);
    assert_true(fabs(held[2]) < 0.99 * fabs(held[0]));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(schemes_as_their_theory), cmocka_unit_test(energy_is_kept),
    cmocka_unit_test(works_are_whole),         cmocka_unit_test(motion_is_of_second_order),
    cmocka_unit_test(stress_relaxes),
};

CHECK_GROUP(tests, NULL, NULL)
