// The trajectory schedule where motion changes in ways that a random scene seldom has: bits are
// those of looking in every step.
#include "contact/contact.h"
#include "contact/schedule/watch.h"
#include "sim/sim.h"
#include "touch.h"

static PalMesh *box(PalVec3 size, int32_t cells, bool rigid, PalVec3 at)
{
    return touch_shape(PAL_SHAPE_BOX, size, (int32_t[]){cells, cells, cells},
                       rigid ? PAL_CELL_TRIANGLE : PAL_CELL_TETRAHEDRON, at);
}

typedef struct Run {
    uint64_t hash;
    int touched, slept;  // steps
} Run;

static Run run(Touch *t, PalScheduleKind schedule, int steps)
{
    Run result = {0};
    PalError error = {0};
    t->sim.contact.schedule = schedule;
    check_ok(pal_sim_create(&t->sim, &t->run, &error), &error);
    const PalContact *contact = t->run->solver->contact;
    for (int i = 0; i < steps; ++i) {
        check_ok(pal_sim_step(t->run, &error), &error);
        result.touched += contact->report.contact_count > 0;
        result.slept += contact->surface->awake.count < contact->surface->object_count;
    }
    result.hash = pal_sim_hash(t->run);
    pal_sim_destroy(t->run);
    t->run = NULL;
    return result;
}

// Ends the scene. It sleeps first, and touches then.
static void check_same(Touch *t, int steps)
{
    touch_connect(t);
    Run foreseen = run(t, PAL_SCHEDULE_TRAJECTORY, steps);
    Run looked = run(t, PAL_SCHEDULE_EVERY_STEP, steps);
    assert_true(foreseen.hash == looked.hash);
    assert_true(foreseen.slept > 3 && foreseen.touched > 0);
    touch_end(t);
}

static const double late[][2] = {{0, 0}, {0.2, 0}, {0.21, 1}, {100, 1}};

static void begin_late(PalRamp *ramp)
{
    ramp->kind = PAL_RAMP_TABLE;
    ramp->point_count = sizeof late / sizeof *late;
    ramp->points = late;
}

// Two boxes side by side rest until they are pulled down. They stay as far from each other as they
// were, so that only the way they have gone tells that the floor comes nearer.
static void two_that_fall_together(void **state)
{
    (void)state;
    Touch t = touch_nothing(1000);
    for (int k = 0; k < 2; ++k)
        touch_add_mesh(&t, box(pal_vec3(1, 1, 1), 2, false, pal_vec3(1.05 * k, 0, 0)), 500, 0.3, 1);
    touch_add_rigid(&t, box(pal_vec3(0.8, 0.8, 0.2), 2, true, pal_vec3(0, 0, -3)));
    PalConditionDef *gravity = touch_condition(&t, PAL_NONE, PAL_CONDITION_GRAVITY);
    gravity->value = pal_vec3(0, 0, -40);
    begin_late(&gravity->ramp);
    t.sim.contact.every_pair = true;
    t.sim.solver.step = 0.004;
    check_same(&t, 200);
}

// It stands still, and reaches the box in the very step in which it starts.
static void an_instrument_that_jumps(void **state)
{
    (void)state;
    Touch t = touch_nothing(1000);
    touch_add_mesh(&t, box(pal_vec3(1, 1, 1), 2, false, pal_vec3(0, 0, 0)), 500, 0.3, 1);
    int32_t r = touch_add_rigid(&t, box(pal_vec3(1, 1, 1), 2, true, pal_vec3(-3, 0.1, 0)));
    t.rigids[r].motion.translation = pal_vec3(2.02, 0, 0);
    begin_late(&t.rigids[r].motion.ramp);
    t.sim.contact.every_pair = true;
    t.sim.solver.step = 0.01;
    check_same(&t, 40);
}

// One body of two blocks, one of which is pushed slowly to the other.
static void a_body_in_two_pieces(void **state)
{
    (void)state;
    Touch t = touch_nothing(1000);
    PalMesh *mesh = touch_shape(PAL_SHAPE_BOX, pal_vec3(3, 1, 1), (int32_t[]){3, 2, 2},
                                PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0));
    int32_t kept = 0;
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        double x = 0;
        for (int k = 0; k < 4; ++k)
            x += mesh->nodes[mesh->cells[4 * c + k]].x / 4;
        if (fabs(x) > 0.5)
            memmove(&mesh->cells[4 * kept++], &mesh->cells[4 * c], 4 * sizeof *mesh->cells);
    }
    mesh->cell_count = kept;
    touch_add_mesh(&t, mesh, 500, 0.3, 1);
    PalConditionDef *fix = touch_side(&t, 0, PAL_CONDITION_FIX, 0, true);
    PalConditionDef *push = touch_side(&t, 0, PAL_CONDITION_DISPLACE, 0, false);
    for (int i = 0; i < 3; ++i)
        fix->axes[i] = push->axes[i] = true;
    push->value = pal_vec3(1.2, 0, 0);
    push->ramp.kind = PAL_RAMP_LINEAR;
    push->ramp.until = 1;
    t.sim.contact.every_self = true;
    t.sim.solver.step = 0.004;
    check_same(&t, 250);
}

// A plate lifts a sheet to a block. Damping stops the sheet again and again, so that half of
// its way is what contact adds in each step.
static void what_contact_moves(void **state)
{
    (void)state;
    Touch t = touch_nothing(1000);
    int32_t b = touch_add_mesh(&t,
                               touch_shape(PAL_SHAPE_SHEET, pal_vec3(1, 1, 0), (int32_t[]){3, 3, 0},
                                           PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0.03)),
                               500, 0.3, 1);
    t.bodies[b].element = PAL_ELEMENT_EBST;
    t.bodies[b].thickness = 0.01;
    int32_t lifts =
        touch_add_rigid(&t, box(pal_vec3(1.4, 1.4, 0.2), 2, true, pal_vec3(0, 0, -0.1)));
    t.rigids[lifts].motion.translation = pal_vec3(0, 0, 0.4);
    t.rigids[lifts].motion.ramp.kind = PAL_RAMP_LINEAR;
    t.rigids[lifts].motion.ramp.until = 0.4;
    touch_add_mesh(&t, box(pal_vec3(1.2, 1.2, 0.4), 2, false, pal_vec3(0, 0, 0.53)), 500, 0.3, 1);
    touch_pair(&t, 0, 2, 0);
    touch_pair(&t, 0, 1, 0);
    t.sim.solver.step = 1e-3;
    t.sim.solver.damping = 1000;
    check_same(&t, 330);
}

// The time until which a falling ball lets contact sleep is that at which the spheres around it and
// around the plate below meet, whatever the step: how it accelerates is known after two of them.
static void a_fall_is_foreseen(void **state)
{
    (void)state;
    Touch t = touch_nothing(10);
    int32_t ball = touch_add_free(&t, box(pal_vec3(0.2, 0.2, 0.2), 1, true, pal_vec3(0, 0, 0)), 1);
    touch_add_rigid(&t, box(pal_vec3(0.4, 0.4, 0.1), 1, true, pal_vec3(0, 0, -6)));
    touch_gravity(&t, pal_vec3(0, 0, -10));
    touch_pair(&t, ball, 1, 0);
    t.sim.contact.schedule = PAL_SCHEDULE_TRAJECTORY;
    t.sim.solver.step = 0.02;
    touch_start(&t);
    const PalContact *contact = t.run->solver->contact;
    double reach = contact->response->reach(contact);
    double meet = 6 - 0.1 * sqrt(3) - hypot(hypot(0.2, 0.2), 0.05) - reach;
    double foreseen = 0, before = 0, now = 0;
    PalError error = {0};
    for (int i = 0; now < meet; ++i) {
        check_ok(pal_sim_step(t.run, &error), &error);
        before = now;
        now = -pal_pose_apply(&t.run->state->rigids[0].pose, pal_vec3(0, 0, 0)).z;
        if (i == 5)
            foreseen = pal_contact_next_look(contact, t.run->state->time);
    }
    double truth = t.run->state->time - 0.02 * (now - meet) / (now - before);
    check_near(foreseen, truth, 2e-3);
    touch_end(&t);
}

// Whichever chunk of nodes is the fastest, nobody is taken to be slower.
static void the_fastest_chunk_sets_the_pace(void **state)
{
    (void)state;
    enum { CHUNKS = 11 };
    double speeds[CHUNKS];
    PalSurfaceMotion motion = {.step = 0.25, .speeds = speeds};
    PalOutlook watch = {.chunk_count = CHUNKS, .motion = &motion};
    for (int fastest = 0; fastest < CHUNKS; ++fastest) {
        for (int c = 0; c < CHUNKS; ++c)
            speeds[c] = c == fastest ? 8 : 1;
        double pace = pal_watch_pace(&watch);
        assert_true(pace >= 2 && pace < 2.001);
    }
    watch.chunk_count = 0;
    check_near(pal_watch_pace(&watch), 0, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_fastest_chunk_sets_the_pace),
    cmocka_unit_test(what_contact_moves),
    cmocka_unit_test(a_fall_is_foreseen),
    cmocka_unit_test(two_that_fall_together),
    cmocka_unit_test(an_instrument_that_jumps),
    cmocka_unit_test(a_body_in_two_pieces),
};

CHECK_GROUP(tests, NULL, NULL)
