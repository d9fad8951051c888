// What a simulation says of itself for a checkpoint is everything: put into another simulation of
// the same scene, at another time of its life, it goes on bit by bit as the first one does.
#include "saved.h"
#include "touch.h"

#include <palpate/steer.h>

enum { BALL = 1, PLATE = 2, TOOL = 3 };  // objects; the slab is the first

typedef struct Variant {
    PalMethod method;
    PalResponseKind response;
    PalScheduleKind schedule;
    double step;  // 0: automatic
    int steps;
} Variant;

// What moves by itself needs an explicit method and our own response.
static bool has_tool(const Variant *variant)
{
    return variant->response == PAL_RESPONSE_LAGRANGE;
}

static void add_tool(Touch *t)
{
    touch_add_free(t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(0.2, 0.3, 0.2), (int32_t[]){1, 1, 1},
                               PAL_CELL_TRIANGLE, pal_vec3(-0.6, 0, 0.13)),
                   8);
    t->rigids[1].velocity = pal_vec3(0, 0.1, -0.3);
    t->rigids[1].spin = pal_vec3(1, 0, 2);
    t->rigids[1].spring = (PalSpringDef){.stiffness = 5, .turning_stiffness = 0.1};
    touch_pair(t, 0, TOOL, 0.3);
}

// A ball on a slab, both of them slow to come back, a plate that a program moves, and a free tool
// on a spring where there can be one.
static Touch make(const Variant *variant)
{
    Touch t = touch_crowd(PAL_CELL_TETRAHEDRON);
    if (has_tool(variant))
        add_tool(&t);
    for (int b = 0; b < 2; ++b) {
        t.materials[b].isochoric_count = 1;
        t.materials[b].isochoric[0] = (PalPronyTerm){0.4, 0.02};
    }
    PalConditionDef *push = touch_side(&t, BALL, PAL_CONDITION_FORCE, 2, true);
    push->value = pal_vec3(0, 0, -20);
    t.sim.solver.method = variant->method;
    t.sim.solver.step = variant->step;
    t.sim.solver.damping = 0.7;
    t.sim.contact.response = variant->response;
    t.sim.contact.schedule = variant->schedule;
    return t;
}

static void steer(PalSim *sim)
{
    PalError error = {0};
    double time = pal_sim_state(sim)->time;
    PalPose pose = {.rotation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    PalTwist twist;
    pal_sim_rigid_motion(sim, PLATE - 2, &pose, &twist);
    pose.centre = pal_vec3_add(pose.centre, pal_vec3(-0.01, 0.002, 0));
    check_ok(pal_sim_move_rigid(sim, PLATE - 2, &pose, time + 1, &error), &error);
    check_ok(pal_sim_set_load(sim, 1, pal_vec3(3, 0, -30), time + 1, &error), &error);
    if (pal_sim_model(sim)->free_rigid_count > 0)
        check_ok(pal_sim_set_rigid_load(sim, TOOL - 2, pal_vec3(0.1, 0, 0.2), pal_vec3(0, 0.01, 0),
                                        time + 1, &error),
                 &error);
    check_ok(pal_sim_set_friction(sim, 0, BALL, 0.6, &error), &error);
}

static void advance(PalSim *sim, int steps)
{
    PalError error = {0};
    for (int i = 0; i < steps; ++i)
        check_ok(pal_sim_step(sim, &error), &error);
}

static void check_same(PalSim *a, PalSim *b)
{
    assert_true(pal_sim_hash(a) == pal_sim_hash(b));
    PalEnergy of_a = pal_sim_energy(a), of_b = pal_sim_energy(b);
    check_near(of_a.kinetic, of_b.kinetic, 0);
    check_near(of_a.strain, of_b.strain, 0);
    check_near(of_a.external_work, of_b.external_work, 0);
    check_near(of_a.contact_work, of_b.contact_work, 0);
    check_near(of_a.dissipated, of_b.dissipated, 0);
    check_near(pal_sim_next_step(a), pal_sim_next_step(b), 0);
    assert_int_equal(pal_sim_contact_report(a).contact_count,
                     pal_sim_contact_report(b).contact_count);
    PalSim *const both[] = {a, b};
    PalVec3 condition[2];
    PalError error = {0};
    for (int i = 0; i < 2; ++i)
        check_ok(pal_sim_condition_value(both[i], 1, &condition[i], &error), &error);
    check_near(pal_vec3_distance(condition[0], condition[1]), 0, 0);
}

static void check_goes_on(const Variant *variant)
{
    PalError error = {0};
    Touch first = make(variant), second = make(variant);
    touch_start(&first);
    touch_start(&second);
    advance(first.run, variant->steps / 2);
    if (variant->method != PAL_METHOD_IMPLICIT)
        steer(first.run);
    advance(first.run, variant->steps / 2);
    assert_true(pal_sim_contact_report(first.run).contact_count > 0);
    advance(second.run, variant->steps / 3);  // has seen something else
    Saved saved = saved_take(first.run);
    saved_put_back(second.run, &saved, "scalars", -1);
    check_ok(pal_sim_restored(second.run, &error), &error);
    check_same(first.run, second.run);
    for (int i = 0; i < variant->steps / 4; ++i) {
        advance(first.run, 1);
        advance(second.run, 1);
        check_same(first.run, second.run);
    }
    saved_drop(&saved);
    touch_end(&first);
    touch_end(&second);
}

static void explicit_runs_go_on(void **state)
{
    (void)state;
    static const Variant variants[] = {
        {PAL_METHOD_EXPLICIT, PAL_RESPONSE_LAGRANGE, PAL_SCHEDULE_EVERY_STEP, 0, 80},
        {PAL_METHOD_EXPLICIT, PAL_RESPONSE_LAGRANGE, PAL_SCHEDULE_TRAJECTORY, 0, 80},
        {PAL_METHOD_NEWMARK, PAL_RESPONSE_LAGRANGE, PAL_SCHEDULE_EVERY_STEP, 0, 80},
        {PAL_METHOD_EXPLICIT, PAL_RESPONSE_MATERIAL_DEPTH, PAL_SCHEDULE_EVERY_STEP, 0, 80},
    };
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; ++i)
        check_goes_on(&variants[i]);
}

static void implicit_runs_go_on(void **state)
{
    (void)state;
    static const Variant barrier = {PAL_METHOD_IMPLICIT, PAL_RESPONSE_BARRIER,
                                    PAL_SCHEDULE_EVERY_STEP, 0.02, 4};
    check_goes_on(&barrier);
}

static bool stop(void *context)
{
    return --*(int *)context > 0;
}

// However far a step has come when it is told to stop: nothing of it is in a checkpoint.
static void a_step_that_was_stopped_leaves_no_trace(void **state)
{
    (void)state;
    static const Variant depth = {PAL_METHOD_IMPLICIT, PAL_RESPONSE_MATERIAL_DEPTH,
                                  PAL_SCHEDULE_EVERY_STEP, 0.02, 0};
    PalError error = {0};
    Touch first = make(&depth), second = make(&depth);
    first.sim.contact.stiffness = second.sim.contact.stiffness = 0.03;  // so multipliers are needed
    touch_start(&first);
    touch_start(&second);
    advance(first.run, 1);
    int stops = 0;
    for (int most = 2;; most += 40, ++stops) {
        int looks = most;
        pal_sim_set_watch(first.run, (PalWatch){stop, &looks});
        PalStatus status = pal_sim_step(first.run, NULL);
        pal_sim_set_watch(first.run, (PalWatch){0});
        if (status == PAL_OK)
            break;
        assert_int_equal(status, PAL_INTERRUPTED);
        Saved saved = saved_take(first.run);
        saved_put_back(second.run, &saved, "scalars", -1);
        check_ok(pal_sim_restored(second.run, &error), &error);
        saved_drop(&saved);
    }
    advance(second.run, 1);
    check_same(first.run, second.run);
    print_message("%d stops\n", stops);
    assert_true(stops > 3);
    touch_end(&first);
    touch_end(&second);
}

// Every number that a step depends on changes the hash.
static void the_hash_sees_everything(void **state)
{
    (void)state;
    static const char *const names[] = {"displacement", "velocity",  "acceleration", "force",
                                        "external",     "reaction",  "contact",      "history",
                                        "rigids",       "conditions"};
    static const Variant variant = {PAL_METHOD_EXPLICIT, PAL_RESPONSE_LAGRANGE,
                                    PAL_SCHEDULE_EVERY_STEP, 0, 80};
    Touch t = make(&variant);
    touch_start(&t);
    advance(t.run, 40);
    steer(t.run);
    advance(t.run, 5);
    uint64_t plain = pal_sim_hash(t.run);
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    int32_t count = pal_sim_arrays(t.run, arrays), seen = 0;
    for (int32_t i = 0; i < count; ++i)
        for (size_t n = 0; n < sizeof names / sizeof names[0]; ++n) {
            if (strcmp(arrays[i].name, names[n]) != 0)
                continue;
            uint64_t *words = arrays[i].data;
            int64_t last = arrays[i].count - 1;  // of the free tool; of the steered load
            words[last] ^= 1;
            if (pal_sim_hash(t.run) == plain)
                fail_msg("the hash does not see %s", names[n]);
            words[last] ^= 1;
            assert_true(pal_sim_hash(t.run) == plain);
            ++seen;
        }
    assert_int_equal(seen, sizeof names / sizeof names[0]);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(explicit_runs_go_on),
    cmocka_unit_test(implicit_runs_go_on),
    cmocka_unit_test(a_step_that_was_stopped_leaves_no_trace),
    cmocka_unit_test(the_hash_sees_everything),
};
CHECK_GROUP(tests, NULL, NULL)
