// What happens when rows cannot be solved well enough: two light sheets between parts so heavy that
// impulses do not get through in time. Motion is cut, and nothing passes.
#include "crossing.h"
#include "touch.h"

static const double HEAVY = 1e6;

static PalMesh *box(PalVec3 extent, int32_t cells, PalVec3 at)
{
    return touch_shape(PAL_SHAPE_BOX, extent, (int32_t[]){cells, cells, cells},
                       PAL_CELL_TETRAHEDRON, at);
}

static int32_t add_block(Touch *t, double z, PalVec3 velocity)
{
    int32_t b = touch_add_mesh(t, box(pal_vec3(1, 1, 1), 2, pal_vec3(0.03, 0.02, z)), HEAVY / 1000,
                               0.3, HEAVY);
    t->bodies[b].velocity = velocity;
    return b;
}

// Turned, so that edges cross.
static void add_sheets(Touch *t)
{
    for (int i = 0; i < 2; ++i) {
        PalMesh *sheet = box(pal_vec3(0.8, 0.8, 0.05), 1, pal_vec3(0, 0, 0));
        touch_turn(sheet, pal_vec3(0, 0, 1), 0.1 + 0.3 * i);
        for (int32_t n = 0; n < sheet->node_count; ++n)
            sheet->nodes[n].z += 0.06 * i;
        touch_add_mesh(t, sheet, 1e-3, 0.3, 1);
    }
}

static void touch_all(Touch *t, double friction)
{
    int32_t count = t->sim.model.body_count + t->sim.model.rigid_count;
    for (int32_t a = 0; a < count; ++a)
        for (int32_t b = a + 1; b < count; ++b)
            touch_pair(t, a, b, friction);
    t->sim.solver.step = 0.01;
}

static double energy_of(PalSim *sim)
{
    PalEnergy energy = pal_sim_energy(sim);
    return energy.kinetic + energy.strain;
}

static void cut_motion_keeps_momentum(void **state)
{
    (void)state;
    for (int rough = 0; rough < 2; ++rough) {
        Touch t = touch_nothing(1);
        add_block(&t, -0.55, pal_vec3(0.1, 0, 1));
        add_sheets(&t);
        add_block(&t, 0.61, pal_vec3(0, 0.1, -1));
        touch_all(&t, rough ? 0.5 : 0);
        touch_start(&t);
        PalError error = {0};
        PalVec3 before = pal_sim_momentum(t.run), turning = pal_sim_angular_momentum(t.run);
        double energy = energy_of(t.run), size = 2 * HEAVY;
        // what is cut for longer is crushed in the end
        for (int i = 0; i < 20 && pal_sim_contact_report(t.run).rescues < 3; ++i) {
            check_ok(pal_sim_step(t.run, &error), &error);
            assert_int_equal(crossing_count(t.run, &t.sim.contact), 0);
            assert_true(pal_vec3_distance(pal_sim_momentum(t.run), before) < 1e-13 * size);
            PalVec3 turned = pal_vec3_sub(pal_sim_angular_momentum(t.run), turning);
            assert_true(rough || pal_vec3_length(turned) < 1e-13 * size);
            assert_true(energy_of(t.run) < energy * (1 + 1e-9));
        }
        assert_true(pal_sim_contact_report(t.run).rescues > 0);
        touch_end(&t);
    }
}

// The same with rigid bodies, askew so that they turn: what is cut keeps its spin.
static void cut_bodies_keep_momentum(void **state)
{
    (void)state;
    const double heights[] = {-0.57, 0, 0.06, 0.63}, thickness[] = {1, 0.05, 0.05, 1};
    for (int rough = 0; rough < 2; ++rough) {
        Touch t = touch_nothing(1);
        for (int i = 0; i < 4; ++i) {
            bool heavy = i % 3 == 0;
            PalVec3 extent = {heavy ? 1 : 0.8, heavy ? 1 : 0.8, thickness[i]};
            PalMesh *mesh = touch_shape(PAL_SHAPE_BOX, extent, (int32_t[]){1, 1, 1},
                                        PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0));
            touch_turn(mesh, pal_vec3(0.02 * i, 0.02, 1), 0.1 + 0.3 * i);
            for (int32_t n = 0; n < mesh->node_count; ++n)
                mesh->nodes[n].z += heights[i];
            int32_t r = touch_add_free(&t, mesh, heavy ? HEAVY : 1);
            t.rigids[r].velocity =
                pal_vec3(0.1 * (i == 0), 0.1 * (i == 3), heavy ? 2 - i * 4 / 3.0 : 0);
        }
        touch_all(&t, rough ? 0.5 : 0);
        touch_start(&t);
        PalError error = {0};
        PalVec3 before = pal_sim_momentum(t.run);
        double energy = energy_of(t.run), size = 2 * HEAVY;
        for (int i = 0; i < 20; ++i) {
            int64_t rescues = pal_sim_contact_report(t.run).rescues;
            check_ok(pal_sim_step(t.run, &error), &error);
            assert_int_equal(crossing_count(t.run, &t.sim.contact), 0);
            assert_true(pal_vec3_distance(pal_sim_momentum(t.run), before) < 1e-12 * size);
            assert_true(energy_of(t.run) < energy * (1 + 1e-9));
            bool cut = pal_sim_contact_report(t.run).rescues > rescues;
            for (int r = 0; r < 4 && cut; ++r)
                assert_true(pal_vec3_length(pal_sim_state(t.run)->rigids[r].turn_impulse) == 0);
        }
        assert_true(pal_sim_contact_report(t.run).rescues > 0);
        touch_end(&t);
    }
}

// An instrument comes up from below: what cannot give way sets the pace.
static void cut_motion_follows_instruments(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    add_sheets(&t);
    add_block(&t, 0.61, pal_vec3(0, 0, -1));
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){2, 2, 2},
                                    PAL_CELL_TRIANGLE, pal_vec3(0.03, 0.02, -0.55)));
    t.rigids[0].motion.translation = pal_vec3(0.1, 0, 1);
    t.rigids[0].motion.ramp.kind = PAL_RAMP_LINEAR;
    touch_all(&t, 0);
    touch_start(&t);
    PalError error = {0};
    for (int i = 0; i < 20; ++i) {
        check_ok(pal_sim_step(t.run, &error), &error);
        assert_int_equal(crossing_count(t.run, &t.sim.contact), 0);
    }
    assert_true(pal_sim_contact_report(t.run).rescues > 0);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(cut_motion_keeps_momentum),
    cmocka_unit_test(cut_bodies_keep_momentum),
    cmocka_unit_test(cut_motion_follows_instruments),
};
CHECK_GROUP(tests, NULL, NULL)
