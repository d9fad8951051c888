// Two bodies strike each other off centre, with friction: linear momentum stays to the last digits,
// angular momentum but for friction that acts across the gap, energy balances, and the
// step is the one without contact.   docs/theory/contact-checks.md
#include "touch.h"

typedef struct Strike {
    double linear, angular;  // worst change, relative
    double drift;            // of energy, worst
    double kept;             // energy at the end, of that at the start
    double ratio;            // worst ||friction| / (mu pressure) - 1| of contacts that slip
    double separation;       // of half the first body's size
    double moment;           // what friction may leave, acting on both sides of a gap, as `angular`
    int64_t steps;
    int32_t slipped, stuck;
} Strike;

static PalMesh *ball(double radius, int32_t cells, PalVec3 at)
{
    return touch_shape(PAL_SHAPE_SPHERE, pal_vec3(radius, radius, radius), (int32_t[]){cells, 0, 0},
                       PAL_CELL_TETRAHEDRON, at);
}

// `momentum`: what `angular` is relative to.
static void look(Touch *t, double friction, double momentum, Strike *strike)
{
    int32_t count;
    const PalContactPoint *points = pal_sim_contacts(t->run, &count);
    for (int32_t i = 0; i < count && friction > 0; ++i) {
        double normal = points[i].normal_force;
        double apart = pal_vec3_distance(points[i].position[0], points[i].position[1]);
        PalVec3 drag = pal_vec3_add_scaled(points[i].force, -normal, points[i].normal);
        strike->moment += pal_sim_state(t->run)->step * pal_vec3_length(drag) * apart / momentum;
        double ratio = pal_vec3_length(drag) / (friction * normal);
        assert_true(ratio <= 1 + 1e-9);  // inside Coulomb's cone
        strike->slipped += points[i].slips;
        strike->stuck += !points[i].slips;
        if (points[i].slips)
            strike->ratio = fmax(strike->ratio, fabs(ratio - 1));
    }
}

// `contact`: whether the bodies see each other.
static Strike strike(double friction, double separation, bool contact)
{
    Touch t = touch_nothing(1.2);
    int32_t a = touch_add_mesh(&t, ball(0.7, 8, pal_vec3(-0.8, 0, 0)), 1000, 0.4, 10);
    int32_t b = touch_add_mesh(&t, ball(0.6, 9, pal_vec3(0.6, 0.4, 0.2)), 3000, 0.3, 20);
    t.bodies[a].velocity = pal_vec3(1.5, 0.2, 0);
    t.bodies[b].velocity = pal_vec3(-1, 0, 0.1);
    t.sim.contact.separation = separation;
    if (contact)
        touch_pair(&t, a, b, friction);
    touch_start(&t);
    PalVec3 linear = pal_sim_momentum(t.run), angular = pal_sim_angular_momentum(t.run);
    const PalModel *model = pal_sim_model(t.run);
    double scale = 1.5 * model->bodies[a].mass + model->bodies[b].mass;
    Strike result = {.separation = pal_sim_contact_report(t.run).separation / 0.7};
    while (!pal_sim_finished(t.run)) {
        PalError error = {0};
        check_ok(pal_sim_step(t.run, &error), &error);
        PalVec3 p = pal_sim_momentum(t.run), l = pal_sim_angular_momentum(t.run);
        PalEnergy energy = pal_sim_energy(t.run);
        result.linear = fmax(result.linear, pal_vec3_distance(p, linear) / scale);
        result.angular = fmax(result.angular, pal_vec3_distance(l, angular) / (0.7 * scale));
        result.drift = fmax(result.drift, fabs(pal_energy_drift(&energy)));
        result.kept = (energy.kinetic + energy.strain) / energy.initial;
        look(&t, friction, 0.7 * scale, &result);
    }
    result.steps = pal_sim_state(t.run)->step_count;
    PalContactReport report = pal_sim_contact_report(t.run);
    assert_true(report.worst_penetration == 0 && report.rescues == 0);
    print_message(
        "friction %.1f, separation %.1e: momentum %.1e, angular %.1e, energy drift %.1e, "
        "kept %.3f, %d slipped (off by %.1e), %d stuck, %lld steps, friction leaves at most %.1e\n",
        friction, result.separation, result.linear, result.angular, result.drift, result.kept,
        result.slipped, result.ratio, result.stuck, (long long)result.steps, result.moment);
    touch_end(&t);
    return result;
}

static void test_strike(void **state)
{
    (void)state;
    Strike smooth = strike(0, 0, true), rough = strike(0.3, 0, true),
           near = strike(0.3, 1e-5, true);
    Strike stuck = strike(5, 0, true);
    Strike all[] = {smooth, rough, near, stuck};
    for (int i = 0; i < 4; ++i) {
        assert_true(all[i].linear < 1e-12);
        assert_true(all[i].ratio < 1e-3);
        assert_true(all[i].drift < 1e-3);
        assert_true(all[i].kept > 0 && all[i].kept < 1 + 1e-3);
    }
    assert_true(rough.slipped > 0 && stuck.stuck > 0);
    assert_true(rough.kept < smooth.kept);
    // friction acts on both sides of a gap, so that it leaves a moment: no more than the sum of
    // friction times gap, but for what gaps change by within a step
    assert_true(smooth.angular < 1e-12);
    for (int i = 1; i < 4; ++i)
        assert_true(all[i].angular <= 1.01 * all[i].moment);
}

// Contact never shortens the step.
static void test_step(void **state)
{
    (void)state;
    Strike alone = strike(0.3, 0, false), touching = strike(0.3, 0, true);
    assert_true(llabs(alone.steps - touching.steps) <= alone.steps / 50);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_strike),
                                          cmocka_unit_test(test_step)};
CHECK_GROUP(tests, NULL, NULL)
