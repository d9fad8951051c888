// Two single soft tetrahedra meet edge on edge under gravity: one automatic step may squeeze a
// whole body, and the balance of energy still closes.   docs/theory/time.md
#include "touch.h"

static PalMesh *tetrahedron(const PalVec3 nodes[4])
{
    static const int32_t cell[4] = {0, 1, 2, 3};
    PalError error = {0};
    PalMesh *mesh;
    PalMeshDef def = {.cell_kind = PAL_CELL_TETRAHEDRON, .cell_count = 1, .node_count = 4};
    def.nodes = nodes;
    def.cells = cell;
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    return mesh;
}

// An edge along x on top, and one along y, `aside` of its middle, that comes down on it.
static Touch edge_on_edge(double young, double speed, double aside)
{
    static const PalVec3 below[4] = {{-0.5, 0, 0}, {0.5, 0, 0}, {0, -0.5, -0.7}, {0, 0.5, -0.7}};
    const PalVec3 above[4] = {
        {aside, -0.5, 0.02}, {aside, 0.5, 0.02}, {aside - 0.5, 0, 0.72}, {aside + 0.5, 0, 0.72}};
    Touch t = touch_nothing(1);
    touch_add_mesh(&t, tetrahedron(below), young, 0.4, 1000);
    touch_add_mesh(&t, tetrahedron(above), young, 0.4, 1000);
    t.bodies[1].velocity = pal_vec3(0, 0, speed);
    touch_side(&t, 0, PAL_CONDITION_FIX, 2, false);
    touch_gravity(&t, pal_vec3(0, 0, -9.81));
    touch_pair(&t, 0, 1, 0.3);
    t.sim.align = 0.02;
    touch_start(&t);
    return t;
}

// The largest imbalance after any step, of the largest energy or work.
static double worst_drift(double young, double speed, double aside)
{
    Touch t = edge_on_edge(young, speed, aside);
    PalError error = {0};
    double worst = 0, largest = 0, lowest = 0;
    while (!pal_sim_finished(t.run)) {
        check_ok(pal_sim_step(t.run, &error), &error);
        PalEnergy energy = pal_sim_energy(t.run);
        double scale = pal_energy_scale(&energy);
        worst = fmax(worst, fabs(pal_energy_drift(&energy)) * scale);
        largest = fmax(largest, scale);
        lowest = fmin(lowest, energy.kinetic);
    }
    print_message(
        "Young's modulus %.0f, speed %.2f, %.2f aside: off by %.2g of the largest energy, "
        "%lld steps\n",
        young, speed, aside, worst / largest, (long long)pal_sim_state(t.run)->step_count);
    assert_true(lowest >= -0.01 * largest);
    touch_end(&t);
    return worst / largest;
}

static void soft_blows_keep_their_energy(void **state)
{
    (void)state;
    static const double youngs[] = {500, 1000, 2000, 5000};
    for (int y = 0; y < 4; ++y)
        for (int speed = 0; speed >= -1; --speed)
            assert_true(worst_drift(youngs[y], speed, 0) <= 0.01);
}

// The blow is in the first step, with no velocity before it but the one given.
static void blow_in_the_first_step_is_booked(void **state)
{
    (void)state;
    assert_true(worst_drift(2000, -3, 0) <= 0.01);
    assert_true(worst_drift(5000, -3, 0) <= 0.01);
}

static void blows_at_random_keep_their_energy(void **state)
{
    (void)state;
    uint32_t random = 5;
    double parts[3];
    for (int k = 0; k < 24; ++k) {
        for (int i = 0; i < 3; ++i) {
            random = random * 1664525u + 1013904223u;
            parts[i] = (random >> 8) / 16777216.0;
        }
        assert_true(worst_drift(400 * pow(20, parts[0]), -3 * parts[1], 0.4 * parts[2]) <= 0.01);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(soft_blows_keep_their_energy),
    cmocka_unit_test(blows_at_random_keep_their_energy),
    cmocka_unit_test(blow_in_the_first_step_is_booked),
};
CHECK_GROUP(tests, NULL, NULL)
