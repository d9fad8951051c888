// Elements that are to follow tissue which can hardly change its volume: a cylinder between plates
// that it sticks to, and Cook's membrane. docs/theory/elements.md, 5, 8 and 9
#include "simulate.h"

#ifdef PAL_HAS_DIRECT
#include <palpate/direct.h>
#endif

// ---- a cylinder of radius and height 1, pressed by 1 % --------------------------------------

#define SQUEEZE 0.01

static Simulation cylinder(PalElementKind element, double ratio)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 0), 10, 5, 0);
    s.shape.kind = PAL_SHAPE_CYLINDER;
    s.body.element = element;
    s.material.parameters[0] = 1;
    s.material.parameters[1] = ratio;
    s.material.density = 1;
    s.sim.solver.method = PAL_METHOD_IMPLICIT_STATIC;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true)->value = pal_vec3(0, 0, -SQUEEZE);
    return s;
}

// Force of the upper plate over strain.
static double stiffness(const Simulation *s)
{
    double sum = 0;
    for (int32_t n = 0; n < s->mesh->node_count; ++n)
        if (s->mesh->nodes[n].z > 0)
            sum -= pal_sim_state(s->run)->reaction[n].z;
    return sum / SQUEEZE;
}

// Of 20 by 10 cells of t10 and, less finely, 16 by 8; extrapolated from 10, 16 and 20.
static const double ratios[2] = {100, 1000}, converged[2] = {14.59, 14.83};

// Pressures at bulk / shear 100 of 20 by 10 cells of t10: means over rings of 0.1 by 0.1, from the
// axis outwards and from half way up.
static const double pressures[5][10] = {
    {3.540, 3.486, 3.361, 3.180, 2.945, 2.649, 2.266, 1.778, 1.290, 0.683},
    {3.655, 3.602, 3.480, 3.298, 3.071, 2.784, 2.408, 1.932, 1.432, 0.781},
    {3.883, 3.831, 3.709, 3.539, 3.317, 3.042, 2.698, 2.252, 1.777, 1.062},
    {4.227, 4.175, 4.059, 3.883, 3.670, 3.414, 3.107, 2.759, 2.452, 1.638},
    {4.677, 4.626, 4.506, 4.334, 4.131, 3.875, 3.620, 3.315, 3.225, 3.758},
};

// Between the middles of these rings.
static double expected_pressure(double radius, double height)
{
    double x = radius / 0.1 - 0.5, y = height / 0.1 - 0.5;
    int j = x < 0 ? 0 : x > 8 ? 8 : (int)x, i = y < 0 ? 0 : y > 3 ? 3 : (int)y;
    double a = x - j, b = y - i;
    return SQUEEZE * ((1 - b) * ((1 - a) * pressures[i][j] + a * pressures[i][j + 1]) +
                      b * ((1 - a) * pressures[i + 1][j] + a * pressures[i + 1][j + 1]));
}

// Root mean square of what pressures of cells are off, of that of the pressures.
static double pressure_error(Simulation *s)
{
    const int32_t count = s->mesh->cell_count, corners = pal_cell_node_count(s->mesh->cell_kind);
    double(*stress)[6] = calloc((size_t)count, sizeof *stress), off = 0, all = 0;
    PalCellFields fields = {.stress = stress};
    assert_int_equal(pal_sim_cell_fields(s->run, 0, &fields), PAL_OK);
    for (int32_t c = 0; c < count; ++c) {
        PalVec3 x[4], middle = {0};
        for (int a = 0; a < 4; ++a) {
            x[a] = s->mesh->nodes[s->mesh->cells[(int64_t)c * corners + a]];
            middle = pal_vec3_add_scaled(middle, 0.25, x[a]);
        }
        for (int a = 1; a < 4; ++a)
            x[a] = pal_vec3_sub(x[a], x[0]);
        double V = pal_vec3_dot(x[1], pal_vec3_cross(x[2], x[3])) / 6;
        double p = -(stress[c][0] + stress[c][1] + stress[c][2]) / 3;
        double q = expected_pressure(hypot(middle.x, middle.y), fabs(middle.z));
        off += V * (p - q) * (p - q);
        all += V * q * q;
    }
    free(stress);
    return sqrt(off / all);
}

static void confined_cylinders(void **state)
{
    (void)state;
    const PalElementKind kinds[] = {PAL_ELEMENT_MIXED, PAL_ELEMENT_T10};
    int kind_count = 1;
#ifdef PAL_HAS_DIRECT  // the library's own solver takes minutes for t10
    pal_linear_use(pal_direct_solver());
    kind_count = 2;
#endif
    for (int k = 0; k < kind_count; ++k)
        for (int r = 0; r < 2; ++r) {
            Simulation s = cylinder(kinds[k], ratios[r]);
            simulate_start(&s);
            simulate_all(&s);
            double off = stiffness(&s) / converged[r] - 1;
            print_message("%s, bulk / shear %g: %.1f %% off\n", pal_element_name(kinds[k]),
                          ratios[r], 100 * off);
            check_near(off, 0, 0.05);
            if (r == 0) {
                double error = pressure_error(&s);
                print_message("pressures: %.1f %% off\n", 100 * error);
                assert_true(error < 0.1);
            }
            simulate_end(&s);
        }
    pal_linear_use(NULL);
}

// The same by explicit steps to rest.
static void confined_cylinders_in_explicit_steps(void **state)
{
    (void)state;
    const PalElementKind kinds[] = {PAL_ELEMENT_MIXED, PAL_ELEMENT_T10};
    for (int k = 0; k < 2; ++k)
        for (int r = 0; r < 2; ++r) {
            Simulation s = cylinder(kinds[k], ratios[r]);
            s.sim.solver.method = PAL_METHOD_RELAXATION;
            s.sim.solver.tolerance = 1e-4;
            simulate_start(&s);
            simulate_all(&s);
            double off = stiffness(&s) / converged[r] - 1;
            print_message("%s, bulk / shear %g, %d explicit steps: %.2f %% off\n",
                          pal_element_name(kinds[k]), ratios[r],
                          (int)pal_sim_state(s.run)->step_count, 100 * off);
            check_near(off, 0, 0.05);
            simulate_end(&s);
        }
}

// ---- Cook's membrane of 8 by 8 cells in plane strain, bulk / shear 500 ------------------------

enum { N = 8, ACROSS = N + 1 };

// A tapered panel, 48 long, 44 high at the wall and 16 at its end.
static PalMesh *panel(PalElementKind element)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), N, N, 1);
    PalError error = {0};
    s.shape.cell_kind = pal_element_cell(element);
    check_ok(pal_mesh_create_shape(&s.shape, &s.mesh, &error), &error);
    for (int32_t n = 0; n < s.mesh->node_count; ++n) {
        double x = s.mesh->nodes[n].x + 0.5, y = s.mesh->nodes[n].y + 0.5;
        s.mesh->nodes[n] = pal_vec3(48 * x, 44 * x + y * (44 - 28 * x), s.mesh->nodes[n].z);
    }
    return s.mesh;
}

// How far the upper corner rises under 100 along the edge; a force of fixed size at each node.
static double lift(PalElementKind element, PalHourglassControl control)
{
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 1, 1, 1);
    PalError error = {0};
    int32_t *nodes = NULL, count = 0;
    s.mesh = panel(element);
    s.body.element = element;
    s.body.hourglass_control = control;
    s.material.parameters[0] = 80.1938;
    s.material.parameters[1] = 500 * 80.1938;
    s.sim.solver.method = PAL_METHOD_IMPLICIT_STATIC;
    memcpy(simulate_on_side(&s, PAL_CONDITION_FIX, 0, false)->axes, (bool[3]){true, true, false},
           sizeof(bool[3]));
    memcpy(simulate_everywhere(&s, PAL_CONDITION_FIX)->axes, (bool[3]){false, false, true},
           sizeof(bool[3]));
    PalWhere end = {.kind = PAL_WHERE_SIDE, .axis = 0, .highest = true};
    check_ok(pal_mesh_select_nodes(s.mesh, &end, &nodes, &count, &error), &error);
    assert_int_equal(count, 2 * ACROSS);
    double weights[2 * ACROSS];
    for (int32_t i = 0; i < count; ++i) {
        double y = s.mesh->nodes[nodes[i]].y;
        weights[i] = y < 44.001 || y > 59.999 ? 0.5 : 1;
    }
    PalConditionDef *force = simulate_on_side(&s, PAL_CONDITION_FORCE, 0, true);
    force->value = pal_vec3(0, 50.0 / N, 0);
    force->each = true;
    force->weight_count = count;
    force->weights = weights;
    simulate_start(&s);
    simulate_all(&s);
    double highest = 0;
    for (int32_t i = 0; i < count; ++i)
        if (s.mesh->nodes[nodes[i]].y > 59.999)
            highest = pal_sim_state(s.run)->displacement[nodes[i]].y;
    print_message("%s: %.3f of 6.90\n", pal_element_name(element), highest);
    simulate_end(&s);
    free(nodes);
    return highest;
}

static void cook_s_membrane(void **state)
{
    (void)state;
    assert_true(lift(PAL_ELEMENT_MIXED, PAL_HOURGLASS_BENDING) > 6.5);
    assert_true(lift(PAL_ELEMENT_H8, PAL_HOURGLASS_NONE) > 6.5);
    assert_true(lift(PAL_ELEMENT_T4_ANP, PAL_HOURGLASS_BENDING) < 6);  // that it tells them apart
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(confined_cylinders),
    cmocka_unit_test(confined_cylinders_in_explicit_steps),
    cmocka_unit_test(cook_s_membrane),
};
CHECK_GROUP(tests, NULL, NULL)
