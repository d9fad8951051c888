// Elements that are to follow tissue which can hardly change its volume: a cylinder between plates
// that it sticks to, and Cook's membrane. docs/theory/elements.md, 5, 8 and 9
#include "simulate.h"

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

static void confined_cylinders(void **state)
{
    (void)state;
    const PalElementKind kinds[] = {PAL_ELEMENT_MIXED, PAL_ELEMENT_T10};
    for (int k = 0; k < 2; ++k)
        for (int r = 0; r < 2; ++r) {
            Simulation s = cylinder(kinds[k], ratios[r]);
            simulate_start(&s);
            simulate_all(&s);
            double off = stiffness(&s) / converged[r] - 1;
            print_message("%s, bulk / shear %g: %.1f %% off\n", pal_element_name(kinds[k]),
                          ratios[r], 100 * off);
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
    cmocka_unit_test(cook_s_membrane),
};
CHECK_GROUP(tests, NULL, NULL)
