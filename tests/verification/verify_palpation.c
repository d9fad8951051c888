// A blunt finger pressed into an organ on a table and drawn along it, both with friction: a coarse
// and short form of scenes/palpation.yaml. Equilibrium after equilibrium ends as a slow motion
// does. How near depends on the mesh: with 10 cells, forces of 20 to 320 steps go from +0 to -3 %
// of the explicit ones vertically and to -10 % along the way, and those of 40 are -1.1 and -3.5 %;
// with the scene's 26 it is 0.2 %.
// docs/theory/barrier.md, 6
#include "check.h"
#include "math/vec3.h"

#include <palpate/scene.h>
#include <palpate/sim.h>

typedef struct End {
    PalVec3 finger, table;  // forces on them
    double strain;
    int64_t steps;
} End;

static End end_of(const PalSceneChange *more, int32_t more_count)
{
    PalSceneChange changes[16] = {
        {"bodies.0.shape.cells", "10"},
        {"rigid.0.shape", "{ellipsoid: [0.035, 0.035, 0.035], size: 0.006}"},
        {"rigid.0.place", "{translate: [-0.01, -0.005, 0.1065]}"},
        {"rigid.0.motion.translate", "[0.006, 0, -0.012]"},
    };
    for (int32_t i = 0; i < more_count; ++i)
        changes[4 + i] = more[i];
    PalSceneOptions options = {.change_count = 4 + more_count, .changes = changes};
    PalError error = {0};
    PalScene *scene = NULL;
    PalSim *sim = NULL;
    check_ok(pal_scene_read(PAL_SCENES "/palpation.yaml", &options, &scene, &error), &error);
    PalSimDef def = *pal_scene_sim(scene);
    def.solver.thread_count = 1;
    check_ok(pal_sim_create(&def, &sim, &error), &error);
    while (!pal_sim_finished(sim))
        check_ok(pal_sim_step(sim, &error), &error);
    assert_int_equal(pal_sim_intersections(sim), 0);
    End end = {.finger = pal_sim_contact_force(sim, 1, 0),
               .table = pal_sim_contact_force(sim, 2, 0),
               .strain = pal_sim_energy(sim).strain,
               .steps = pal_sim_state(sim)->step_count};
    print_message("%lld steps: finger %.5g and %.5g, table %.5g, energy %.5g\n",
                  (long long)end.steps, end.finger.x, end.finger.z, end.table.z, end.strain);
    pal_sim_destroy(sim);
    pal_scene_destroy(scene);
    return end;
}

static void statics_end_as_a_slow_motion_does(void **state)
{
    (void)state;
    const PalSceneChange statics[] = {
        {"solver", "{method: implicit-static, time: 1, steps: 40}"},
    };
    const PalSceneChange slowly[] = {
        {"solver", "{method: explicit, time: 12, damping: 10}"},
        {"rigid.0.motion.until", "9.6"},
        {"conditions.0.until", "2.4"},
    };
    End implicit = end_of(statics, 1), motion = end_of(slowly, 3);
    assert_true(implicit.steps >= 40 && motion.steps > 10000);
    assert_true(motion.finger.z > 0.5 && motion.finger.x < -0.1);
    check_near(implicit.finger.z, motion.finger.z, 0.02 * motion.finger.z);
    check_near(implicit.finger.x, motion.finger.x, 0.05 * -motion.finger.x);
    check_near(implicit.strain, motion.strain, 0.003 * motion.strain);
    // the table bears the weight and the finger
    check_near(implicit.table.z + implicit.finger.z, motion.table.z + motion.finger.z,
               1e-3 * -motion.table.z);
    check_near(implicit.table.x, -implicit.finger.x, 1e-4 * implicit.finger.z);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(statics_end_as_a_slow_motion_does),
};

CHECK_GROUP(tests, NULL, NULL)
