// A cantilever of Mooney-Rivlin tissue with bulk / shear = 1000, bent by its weight. Plain
// tetrahedra lock; averaged nodal pressure does not, and converges to what finely meshed
// hexahedra with one integration point (which do not lock either) give.
#include "simulate.h"

// Deflection of the free end in equilibrium; n cells across the beam's height.
static double deflection(PalElementKind element, int32_t n)
{
    Simulation s = simulate_box(pal_vec3(6, 1, 1), 6 * n, n, n);
    s.material.law = pal_law_find("mooney-rivlin");
    const double c10 = 400, c01 = 100, shear = 2 * (c10 + c01);
    s.material.parameters[pal_law_parameter_index(s.material.law, "c10")] = c10;
    s.material.parameters[pal_law_parameter_index(s.material.law, "c01")] = c01;
    s.material.parameters[pal_law_parameter_index(s.material.law, "bulk")] = 1000 * shear;
    s.material.density = 1;
    s.body.element = element;
    s.sim.solver.method = PAL_METHOD_RELAXATION;
    s.sim.solver.tolerance = 1e-4;
    s.sim.solver.thread_count = 2;
    simulate_on_side(&s, PAL_CONDITION_FIX, 0, false);
    simulate_everywhere(&s, PAL_CONDITION_GRAVITY)->value = pal_vec3(0, 0, -1);
    simulate_start(&s);
    simulate_all(&s);
    double down = -simulate_side_motion(&s, 0, true).z;
    print_message("%-7s %2d cells high (%6d elements): tip %.5f after %lld steps\n",
                  pal_element_name(element), n, s.mesh->cell_count, down,
                  (long long)pal_sim_state(s.run)->step_count);
    simulate_end(&s);
    return down;
}

static void averaged_pressure_does_not_lock(void **state)
{
    (void)state;
    double h4 = deflection(PAL_ELEMENT_H8, 4), h8 = deflection(PAL_ELEMENT_H8, 8);
    double converged = h8 + (h8 - h4) / 3;  // Richardson, error falling with the square
    double anp[3], locked = deflection(PAL_ELEMENT_T4, 3);
    for (int i = 0; i < 3; ++i)
        anp[i] = deflection(PAL_ELEMENT_T4_ANP, 3 << i >> (i == 2));
    print_message(
        "converged %.5f; on one mesh: t4 off by %.1f %%, t4-anp by %.1f %%; refined %.1f, "
        "%.1f %%\n",
        converged, 100 * (locked / converged - 1), 100 * (anp[0] / converged - 1),
        100 * (anp[1] / converged - 1), 100 * (anp[2] / converged - 1));
    assert_true(fabs(locked / converged - 1) > 0.5);
    assert_true(fabs(anp[0] / converged - 1) <= 0.10);
    assert_true(fabs(anp[1] / converged - 1) < fabs(anp[0] / converged - 1));
    assert_true(fabs(anp[1] / converged - 1) <= 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(averaged_pressure_does_not_lock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
