// A cantilever of Mooney-Rivlin tissue with bulk / shear = 1000, bent by its weight. Plain
// tetrahedra lock; averaged nodal pressure does not, and converges to what finely meshed
// hexahedra with one integration point (which do not lock either) give.
#include "simulate.h"

// Each cube of a box cut in six around the same diagonal: the cut that locks most.
static PalMesh *cut_in_six(int32_t nx, int32_t ny, int32_t nz, double size)
{
    static const int paths[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    PalMeshDef def = {.cell_kind = PAL_CELL_TETRAHEDRON,
                      .node_count = (nx + 1) * (ny + 1) * (nz + 1),
                      .cell_count = 6 * nx * ny * nz};
    PalVec3 *nodes = calloc((size_t)def.node_count, sizeof *nodes);
    int32_t *cells = calloc((size_t)def.cell_count, 4 * sizeof *cells), *corner = cells;
    for (int32_t n = 0; n < def.node_count; ++n)
        nodes[n] = pal_vec3(size * (n % (nx + 1)), size * (n / (nx + 1) % (ny + 1)),
                            size * (n / ((nx + 1) * (ny + 1))));
    for (int32_t c = 0; c < 6 * nx * ny * nz; ++c) {
        int32_t cube = c / 6, at[3] = {cube % nx, cube / nx % ny, cube / (nx * ny)};
        for (int a = 0; a < 4; ++a) {
            *corner++ = at[0] + (nx + 1) * (at[1] + (ny + 1) * at[2]);
            if (a < 3)
                ++at[paths[c % 6][a]];
        }
    }
    def.nodes = nodes;
    def.cells = cells;
    PalMesh *mesh = NULL;
    PalError error = {0};
    int32_t turned = 0;
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    check_ok(pal_mesh_orient(mesh, &turned, &error), &error);
    free(nodes);
    free(cells);
    return mesh;
}

// Deflection of the free end in equilibrium; n cells across the beam's height.
static double deflection(PalElementKind element, int32_t n)
{
    Simulation s = simulate_box(pal_vec3(2, 1, 1), 2 * n, n, n);
    if (element != PAL_ELEMENT_H8)
        s.mesh = cut_in_six(2 * n, n, n, 1.0 / n);
    const double c10 = 400, c01 = 100, shear = 2 * (c10 + c01);
    s.material.law = pal_law_find("mooney-rivlin");
    s.material.parameters[pal_law_parameter_index(s.material.law, "c10")] = c10;
    s.material.parameters[pal_law_parameter_index(s.material.law, "c01")] = c01;
    s.material.parameters[pal_law_parameter_index(s.material.law, "bulk")] = 1000 * shear;
    s.body.element = element;
    s.sim.solver.method = PAL_METHOD_RELAXATION;
    s.sim.solver.tolerance = 1e-3;
    simulate_on_side(&s, PAL_CONDITION_FIX, 0, false);
    simulate_everywhere(&s, PAL_CONDITION_GRAVITY)->value = pal_vec3(0, 0, -40);
    simulate_start(&s);
    simulate_all(&s);
    double down = -simulate_side_motion(&s, 0, true).z;
    print_message("%-7s %2d cells high, %5d elements: tip %.4f after %lld steps\n",
                  pal_element_name(element), n, s.mesh->cell_count, down,
                  (long long)pal_sim_state(s.run)->step_count);
    simulate_end(&s);
    return down;
}

static void averaged_pressure_does_not_lock(void **state)
{
    (void)state;
    const int32_t cells[3] = {4, 6, 8};
    double coarse = deflection(PAL_ELEMENT_H8, 6), fine = deflection(PAL_ELEMENT_H8, 12);
    double converged = fine + (fine - coarse) / 3;  // the error falls with the square of the size
    double plain = deflection(PAL_ELEMENT_T4, 8) / converged - 1, averaged[3];
    for (int i = 0; i < 3; ++i)
        averaged[i] = deflection(PAL_ELEMENT_T4_ANP, cells[i]) / converged - 1;
    print_message(
        "converged: %.4f. On the mesh of 8 cells t4 is off by %.1f %%, t4-anp by %.1f %%; "
        "on 4 and 6 cells t4-anp by %.1f and %.1f %%\n",
        converged, 100 * plain, 100 * averaged[2], 100 * averaged[0], 100 * averaged[1]);
    assert_true(fabs(fine / converged - 1) <= 0.01);
    assert_true(fabs(plain) > 0.5);
    assert_true(fabs(averaged[2]) <= 0.1);
    // convergence: halving the cells divides the error by more than two
    assert_true(fabs(averaged[2]) < fabs(averaged[1]) && fabs(averaged[1]) < fabs(averaged[0]));
    assert_true(fabs(averaged[0]) > 2 * fabs(averaged[2]));
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(averaged_pressure_does_not_lock)};
CHECK_GROUP(tests, NULL, NULL)
