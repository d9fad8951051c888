// Nothing passes through anything: brute force looks at every pair of triangles at every output
// time, in the scenes that are hardest on a contact method.
#include "crossing.h"
#include "touch.h"
#include "voxels.h"

// Runs to the end, looking `looks` times. Returns the most contacts seen.
static int32_t run_watched(Touch *t, const char *name, int32_t looks)
{
    int32_t most = 0, crossings = 0;
    double end = t->sim.solver.time;
    touch_start(t);
    for (int32_t i = 1; i <= looks; ++i) {
        touch_advance(t, end * i / looks);
        int32_t count;
        pal_sim_contacts(t->run, &count);
        most = count > most ? count : most;
        crossings += crossing_count(t->run, &t->sim.contact);
    }
    PalContactReport report = pal_sim_contact_report(t->run);
    const PalProfile *profile = pal_sim_profile(t->run);
    PalEnergy energy = pal_sim_energy(t->run);
    int64_t steps = pal_sim_state(t->run)->step_count;
    print_message("%s: %lld steps, %d contacts, %d crossings, rescues %lld, queries %lld, hits "
                  "%lld, drift %.2g; us per step: elements %.1f, search %.1f, response %.1f\n",
                  name, (long long)steps, most, crossings, (long long)report.rescues,
                  (long long)report.queries, (long long)report.hits, pal_energy_drift(&energy),
                  1e6 * profile->elements / (double)steps,
                  1e6 * (profile->contact_update + profile->contact_search) / (double)steps,
                  1e6 * profile->contact_response / (double)steps);
    assert_int_equal(crossings, 0);
    assert_true(most > 0);
    assert_int_equal(report.rescues, 0);
    assert_true(report.worst_penetration == 0);
    return most;
}

static PalMesh *box(PalVec3 extent, int32_t x, int32_t y, int32_t z, PalVec3 at)
{
    return touch_shape(PAL_SHAPE_BOX, extent, (int32_t[]){x, y, z}, PAL_CELL_TETRAHEDRON, at);
}

static PalMesh *ball(double radius, int32_t cells, PalVec3 at)
{
    return touch_shape(PAL_SHAPE_SPHERE, pal_vec3(radius, radius, radius), (int32_t[]){cells, 0, 0},
                       PAL_CELL_TETRAHEDRON, at);
}

static bool keep_u(int32_t i, int32_t j, int32_t k)
{
    (void)j;
    return k < 3 || i < 3 || i >= 6;
}

// The legs of a U are pushed together, and on after they have met.
static void test_u_shape(void **state)
{
    (void)state;
    Touch t = touch_nothing(6);
    touch_add_mesh(&t, voxels_mesh(9, 3, 10, 0.1, keep_u), 1000, 0.4, 10);
    PalConditionDef *fix = touch_side(&t, 0, PAL_CONDITION_FIX, 2, false);
    fix->axes[0] = fix->axes[1] = fix->axes[2] = true;
    for (int side = 0; side < 2; ++side) {
        PalConditionDef *push = touch_condition(&t, 0, PAL_CONDITION_DISPLACE);
        push->where.kind = PAL_WHERE_BOX;
        push->where.box.lower = pal_vec3(side ? 0.899 : -1, -1, 0.75);
        push->where.box.upper = pal_vec3(side ? 2 : 0.001, 1, 2);
        push->axes[0] = true;
        push->axes[1] = push->axes[2] = false;
        push->value = pal_vec3(side ? -0.22 : 0.22, 0, 0);
        push->ramp.kind = PAL_RAMP_SMOOTH;
    }
    t.sim.solver.damping = 2;
    touch_pair(&t, 0, 0, 0.3);
    run_watched(&t, "U closed on itself", 30);
    touch_end(&t);
}

static bool keep_folds(int32_t i, int32_t j, int32_t k)
{
    (void)j;
    if (k % 4 < 2)
        return true;  // layers, joined at alternating ends
    return k / 4 % 2 == 0 ? i < 2 : i >= 12;
}

// A strip that lies in four layers, joined at alternating ends, is pressed flat.
static void test_folded(void **state)
{
    (void)state;
    Touch t = touch_nothing(8);
    touch_add_mesh(&t, voxels_mesh(14, 3, 14, 0.1, keep_folds), 1000, 0.4, 10);
    PalConditionDef *fix = touch_side(&t, 0, PAL_CONDITION_FIX, 2, false);
    fix->axes[0] = fix->axes[1] = fix->axes[2] = true;
    PalConditionDef *press = touch_side(&t, 0, PAL_CONDITION_DISPLACE, 2, true);
    press->axes[0] = press->axes[1] = press->axes[2] = true;
    press->value = pal_vec3(0, 0, -0.65);
    press->ramp.kind = PAL_RAMP_SMOOTH;
    t.sim.solver.damping = 2;
    touch_pair(&t, 0, 0, 0.1);
    run_watched(&t, "folded three times", 30);
    touch_end(&t);
}

// A thin sheet between two balls that fly at it from both sides.
static void test_sheet(void **state)
{
    (void)state;
    Touch t = touch_nothing(1.5);
    touch_add_mesh(&t, box(pal_vec3(2, 2, 0.04), 20, 20, 1, pal_vec3(0, 0, 0)), 3000, 0.3, 10);
    touch_add_mesh(&t, ball(0.5, 8, pal_vec3(0.03, 0.02, 0.56)), 1000, 0.4, 10);
    touch_add_mesh(&t, ball(0.5, 9, pal_vec3(-0.05, 0.04, -0.56)), 1000, 0.4, 10);
    t.bodies[1].velocity = pal_vec3(0.1, 0, -2);
    t.bodies[2].velocity = pal_vec3(0, -0.1, 2);
    touch_pair(&t, 0, 1, 0.2);
    touch_pair(&t, 0, 2, 0.2);
    touch_pair(&t, 1, 2, 0.2);
    touch_pair(&t, 0, 0, 0.2);
    run_watched(&t, "sheet hit from both sides", 30);
    touch_end(&t);
}

// Two bars meet edge on edge, turned so that no vertex comes near a face.
static void test_edges(void **state)
{
    (void)state;
    Touch t = touch_nothing(1.2);
    for (int b = 0; b < 2; ++b) {
        PalMesh *bar = box(pal_vec3(2, 0.3, 0.3), 10, 2, 2, pal_vec3(0, 0, 0));
        touch_turn(bar, pal_vec3(1, 0, 0), 0.78539816339744831);
        touch_turn(bar, pal_vec3(0, 0, 1), b == 0 ? 0.1 : 1.4);
        for (int32_t n = 0; n < bar->node_count; ++n)
            bar->nodes[n].z += b == 0 ? 0.23 : -0.23;
        touch_add_mesh(&t, bar, 1000, 0.4, 10);
        t.bodies[b].velocity = pal_vec3(0, 0, b == 0 ? -1 : 1);
    }
    touch_pair(&t, 0, 1, 0);
    run_watched(&t, "edges crossing edges", 30);
    touch_end(&t);
}

// A thin rigid plate of small facets hits a block, moving by more than a facet a step.
static void test_fast(void **state)
{
    (void)state;
    const double facet = 0.025, speed = 4;
    Touch t = touch_nothing(0.3);
    touch_add_mesh(&t, box(pal_vec3(1, 1, 1), 5, 5, 5, pal_vec3(0, 0, 0.56)), 1000, 0, 10);
    int32_t r = touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(1.5, 1.5, 0.01),
                                                (int32_t[]){30, 30, 1}, PAL_CELL_TRIANGLE,
                                                pal_vec3(0.01, 0.02, 0)));
    t.rigids[r].motion.translation = pal_vec3(0.1, 0, speed * 0.15);
    t.rigids[r].motion.ramp.kind = PAL_RAMP_LINEAR;
    t.rigids[r].motion.ramp.until = 0.15;
    touch_pair(&t, 0, 1 + r, 0.2);
    run_watched(&t, "a facet per step", 20);
    print_message("  the plate moves by %.2f facets a step\n",
                  pal_sim_state(t.run)->step * speed / facet);
    touch_end(&t);
}

// Ten blocks under gravity.
static void test_stack(void **state)
{
    (void)state;
    Touch t = touch_nothing(3);
    for (int b = 0; b < 10; ++b) {
        int32_t n = 2 + b % 3;
        touch_add_mesh(&t,
                       box(pal_vec3(1, 1, 0.3), n, n, 1,
                           pal_vec3(0.02 * (b % 2), 0.01 * (b % 3), 0.16 + 0.305 * b)),
                       2000, 0.3, 1);
    }
    int32_t r =
        touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(3, 3, 0.2), (int32_t[]){1, 1, 1},
                                        PAL_CELL_TRIANGLE, pal_vec3(0, 0, -0.1)));
    PalConditionDef *weight = touch_condition(&t, PAL_NONE, PAL_CONDITION_GRAVITY);
    weight->value = pal_vec3(0, 0, -10);
    t.sim.solver.damping = 3;
    for (int b = 0; b < 10; ++b)
        touch_pair(&t, b, b == 0 ? 10 + r : b - 1, 0.5);
    run_watched(&t, "stack of ten", 30);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_u_shape), cmocka_unit_test(test_folded), cmocka_unit_test(test_sheet),
    cmocka_unit_test(test_edges),   cmocka_unit_test(test_fast),   cmocka_unit_test(test_stack),
};
CHECK_GROUP(tests, NULL, NULL)
