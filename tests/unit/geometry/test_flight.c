// When spheres in flight meet: against many small steps in time.
#include "check.h"
#include "geometry/flight.h"
#include "random_points.h"

enum { TRIALS = 3000, STEPS = 4000 };

static PalFlight random_flight(int trial, double far, uint64_t *seed)
{
    PalFlight flight = {
        .time = random_signed(seed),
        .centre = pal_vec3_scale(far, random_point(seed)),
        .velocity = pal_vec3_scale(trial % 3 == 0 ? 0 : 5, random_point(seed)),
        .acceleration = pal_vec3_scale(trial % 2 == 0 ? 0 : 3, random_point(seed)),
        .radius = 0.5 + random_unit(seed),
        .growth = trial % 4 == 0 ? 0.3 * random_unit(seed) : 0,
    };
    return flight;
}

static void never_late_and_not_early(void **state)
{
    (void)state;
    uint64_t seed = 4;
    int met = 0, never = 0;
    for (int trial = 0; trial < TRIALS; ++trial) {
        PalFlight a = random_flight(trial, 6, &seed), b = random_flight(trial / 2, 6, &seed);
        double reach = 0.1 * random_unit(&seed), end = 6;
        if (trial % 5 < 3)  // aimed, if not well
            b.velocity = pal_vec3_add_scaled(b.velocity, 0.4, pal_vec3_sub(a.centre, b.centre));
        if (trial % 11 == 0) {  // side by side
            b.velocity = a.velocity;
            b.acceleration = a.acceleration;
        }
        double meet = pal_flights_meet(&a, &b, reach, 1, end);
        double earliest = pal_flights_meet_earliest(&a, &b, reach, 1, end);
        assert_true(earliest <= meet + 1e-9);  // either is early by rounding
        for (int k = 0; k <= STEPS; ++k) {
            double time = 1 + (end - 1) * k / STEPS;
            if (pal_flights_gap(&a, &b, time) <= reach && time < meet)
                fail_msg("trial %d: together at %.17g, expected from %.17g", trial, time, meet);
        }
        if (meet < INFINITY && meet > 1)
            check_near(pal_flights_gap(&a, &b, meet), reach, 1e-9);
        met += meet > 1 && meet < INFINITY;
        never += meet == INFINITY;
    }
    print_message("%d meet, %d never do\n", met, never);
    assert_true(met > TRIALS / 20 && never > TRIALS / 20);
}

// Two balls of radius 1, 1500 apart, thrown at each other at an angle: they meet when their centres
// are 2 apart, at 14.98, whatever pulls both down.
static void thrown_at_each_other(void **state)
{
    (void)state;
    PalFlight a = {.velocity = {50, 0, 50 * sqrt(3)}, .acceleration = {0, 0, -9.81}, .radius = 1};
    PalFlight b = a;
    b.centre.x = 1500;
    b.velocity.x = -50;
    double meet = pal_flights_meet(&a, &b, 0, 0, 20);
    assert_true(meet <= 14.98);
    check_near(meet, 14.98, 1e-9);
    assert_true(pal_flights_meet(&a, &b, 0, 0, 14) == INFINITY);
    b.acceleration.x = NAN;
    assert_true(pal_flights_meet(&a, &b, 0, 3, 20) == 3);
    assert_true(pal_flights_meet_earliest(&a, &b, 0, 3, 20) == 3);
    b.acceleration.x = INFINITY;
    assert_true(pal_flights_meet(&a, &b, 0, 3, 20) == 3);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(never_late_and_not_early),
    cmocka_unit_test(thrown_at_each_other),
};

CHECK_GROUP(tests, NULL, NULL)
