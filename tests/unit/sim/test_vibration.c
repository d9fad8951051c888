// The slowest vibration of bodies: a clamped beam by theory, and bodies that nothing holds.
#include "simulate.h"
#include <palpate/vibration.h>

static PalVibration slowest(Simulation *s)
{
    PalError error = {0};
    PalVibration vibration = {0};
    simulate_start(s);
    check_ok(pal_sim_slowest_vibrations(s->run, &vibration, &error), &error);
    simulate_end(s);
    return vibration;
}

static Simulation beam(int32_t cells)
{
    Simulation s = simulate_box(pal_vec3(1, 0.1, 0.1), 10 * cells, cells, cells);
    simulate_neo_hookean(&s, 1e4, 0.3, 1000);
    s.body.element = PAL_ELEMENT_H8;
    return s;
}

// w = k^2 / L^2 sqrt(E I / (rho A)), k = 1.8751 clamped and 4.7300 free.
static void beams_vibrate_as_theory_has_it(void **state)
{
    (void)state;
    double stiff = sqrt(1e4 * 0.1 * 0.1 / 12 / 1000);
    Simulation clamped = beam(4), loose = beam(4);
    simulate_on_side(&clamped, PAL_CONDITION_FIX, 0, false);
    PalVibration one = slowest(&clamped), other = slowest(&loose);
    double first = 1.8751 * 1.8751 * stiff, second = 4.7300 * 4.7300 * stiff;
    print_message("clamped: %.4g, theory %.4g; free: %.4g, theory %.4g; %d and %d rounds\n",
                  one.rate, first, other.rate, second, one.rounds, other.rounds);
    assert_true(one.settled && other.settled);
    check_near(one.rate, first, 0.05 * first);
    check_near(other.rate, second, 0.1 * second);  // shear and turning inertia lower it
}

// A bar that slides between walls: w = pi / (2 L) sqrt(M / rho), with the modulus of its length.
static void held_bar_stretches(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(1, 0.2, 0.2), 12, 2, 2);
    simulate_neo_hookean(&s, 1e4, 0, 1000);
    for (int axis = 1; axis < 3; ++axis) {
        PalConditionDef *walls = simulate_everywhere(&s, PAL_CONDITION_FIX);
        for (int i = 0; i < 3; ++i)
            walls->axes[i] = i == axis;
    }
    simulate_on_side(&s, PAL_CONDITION_FIX, 0, false);
    PalVibration bar = slowest(&s);
    double theory = acos(-1) / 2 * sqrt(10);
    print_message("bar: %.4g, theory %.4g\n", bar.rate, theory);
    check_near(bar.rate, theory, 0.01 * theory);
}

// A nearly incompressible plate bends most easily across, where what hinders it most is its volume;
// a start that bends it along its width leads to a rate 3.6 times as high and stays there.
static void thin_plate_bends_across(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(0.1, 0.04, 0.01), 20, 8, 1);
    simulate_neo_hookean(&s, 6000, 0.4995, 1000);
    s.body.element = PAL_ELEMENT_H8;
    simulate_on_side(&s, PAL_CONDITION_FIX, 0, false);
    PalVibration plate = slowest(&s);
    double theory = 1.8751 * 1.8751 / 0.01 * sqrt(6000 * 0.01 * 0.01 / 12 / 1000);
    print_message("plate: %.4g, theory of a beam %.4g, %d rounds\n", plate.rate, theory,
                  plate.rounds);
    assert_true(plate.settled);
    check_near(plate.rate, theory, 0.05 * theory);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(thin_plate_bends_across),
    cmocka_unit_test(beams_vibrate_as_theory_has_it),
    cmocka_unit_test(held_bar_stretches),
};
CHECK_GROUP(tests, NULL, NULL)
