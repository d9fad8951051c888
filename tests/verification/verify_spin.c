// Free turning through whole simulations: what is kept over many steps, and the turn of a tennis
// racket thrown about its middle axis.   docs/theory/rigid.md
#include "rigids.h"

static Rigids racket(PalMethod method, double step, double time)
{
    Rigids r;
    rigids_init(&r);
    PalRigidDef *box = rigids_add_box(&r, "racket", pal_vec3(3, 2, 1), pal_vec3(0, 0, 0));
    box->spin = pal_vec3(1e-3, 2, 1e-3);  // y: between the shortest and the longest
    r.sim.solver.method = method;
    r.sim.solver.step = step;
    r.sim.solver.time = time;
    return r;
}

static void a_hundred_thousand_steps(void **state)
{
    (void)state;
    for (int method = 0; method < 2; ++method) {
        Rigids r = racket((PalMethod)method, 0.02, 2000);
        r.rigids[0].velocity = pal_vec3(3e-3, -2e-3, 1e-3);
        rigids_start(&r);
        PalEnergy start = pal_sim_energy(r.run);
        PalVec3 momentum = pal_sim_momentum(r.run), turn = pal_sim_angular_momentum(r.run);
        double drift = 0, moved = 0, turned = 0;
        for (int i = 1; i <= 100; ++i) {
            rigids_to(&r, 20 * i);
            PalEnergy now = pal_sim_energy(r.run);
            drift = fmax(drift, fabs(now.kinetic / start.kinetic - 1));
            moved = fmax(moved, pal_vec3_distance(pal_sim_momentum(r.run), momentum));
            turned = fmax(turned, pal_vec3_distance(pal_sim_angular_momentum(r.run), turn));
            check_near(pal_energy_drift(&now), 0, 1e-10);
        }
        assert_int_equal(pal_sim_state(r.run)->step_count, 100000);
        print_message("%s: energy %.2g, momentum %.2g, angular momentum %.2g\n",
                      pal_method_name((PalMethod)method), drift, moved / pal_vec3_length(momentum),
                      turned / pal_vec3_length(turn));
        assert_true(drift < 1e-10 && moved < 1e-10 * pal_vec3_length(momentum));
        assert_true(turned < 1e-10 * pal_vec3_length(turn));
        rigids_end(&r);
    }
}

// The complete elliptic integral of the first kind, by means of means.
static double elliptic_k(double modulus)
{
    double a = 1, b = sqrt(1 - modulus * modulus);
    while (fabs(a - b) > 1e-15 * a) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 3.14159265358979323846 / (2 * a);
}

// Angular velocity about the box's own axes repeats after so long (Landau and Lifshitz, Mechanics,
// 37).
static double period_of(PalVec3 spin)
{
    const double mass = 6, j[3] = {mass * 5 / 12, mass * 10 / 12, mass * 13 / 12};  // x, y, z
    double twice = 0, square = 0;
    for (int i = 0; i < 3; ++i) {
        twice += j[i] * pal_vec3_at(spin, i) * pal_vec3_at(spin, i);
        square += pow(j[i] * pal_vec3_at(spin, i), 2);
    }
    double low = square - twice * j[0], high = twice * j[2] - square;
    bool beyond = square > twice * j[1];  // it goes round its z axis, otherwise round x
    double slow = beyond ? (j[1] - j[0]) * high : (j[2] - j[1]) * low;
    double fast = beyond ? (j[2] - j[1]) * low : (j[1] - j[0]) * high;
    return 4 * elliptic_k(sqrt(slow / fast)) / sqrt(fast / (j[0] * j[1] * j[2]));
}

// The middle axis of the box points along y, then against it, and so on.
static void the_racket_turns_over(void **state)
{
    (void)state;
    Rigids r = racket(PAL_METHOD_EXPLICIT, 0.01, 60);
    rigids_start(&r);
    int32_t turns = 0;
    double side = 1;
    for (double time = 0.1; time <= 60; time += 0.1) {
        rigids_to(&r, time);
        double along = rigids_state(&r, 0)->pose.rotation.m[1][1];
        if (along * side < -0.9) {
            ++turns;
            side = -side;
        }
    }
    // the body turns over twice in a period
    double expected = 2 * 60 / period_of(r.rigids[0].spin);
    assert_true(expected > 3);
    check_near(turns, expected, 1);
    rigids_end(&r);

    // about the longest and the shortest axis it goes on as it was thrown
    for (int axis = 0; axis < 3; axis += 2) {
        r = racket(PAL_METHOD_EXPLICIT, 0.01, 60);
        PalVec3 spin = {1e-3, 1e-3, 1e-3};
        (&spin.x)[axis] = 2;
        r.rigids[0].spin = spin;
        rigids_start(&r);
        for (double time = 0.1; time <= 60; time += 0.1) {
            rigids_to(&r, time);
            assert_true(rigids_state(&r, 0)->pose.rotation.m[axis][axis] > 0.999);
        }
        rigids_end(&r);
    }
}

static void the_period_is_that_of_the_closed_form(void **state)
{
    (void)state;
    PalVec3 spin = {0.7, 2, 0.2};
    double period = period_of(spin), before = 0;
    for (int32_t count = 200; count <= 1600; count *= 2) {
        Rigids r = racket(PAL_METHOD_EXPLICIT, period / count, period);
        r.rigids[0].spin = spin;
        rigids_start(&r);
        rigids_to(&r, period);
        PalPose pose;
        PalTwist twist;
        pal_sim_rigid_motion(r.run, 0, &pose, &twist);
        PalMat3 back = pal_mat3_transpose(&pose.rotation);
        double error = pal_vec3_distance(pal_mat3_apply(&back, twist.spin), spin);
        if (before != 0)
            check_near(before / error, 4, 0.1);
        before = error;
        rigids_end(&r);
    }
    assert_true(before < 1e-4);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_hundred_thousand_steps),
    cmocka_unit_test(the_racket_turns_over),
    cmocka_unit_test(the_period_is_that_of_the_closed_form),
};
CHECK_GROUP(tests, NULL, NULL)
