// Objects sleep one by one: what is far takes no part in a step, and what is pushed towards a
// sleeper wakes it in the same step.
#include "contact/contact.h"
#include "contact/schedule/watch.h"
#include "sim/sim.h"
#include "touch.h"

static const PalVec3 unit = {1, 1, 1};

static PalMesh *box_at(double x, bool rigid)
{
    return touch_shape(PAL_SHAPE_BOX, unit, (int32_t[]){2, 2, 2},
                       rigid ? PAL_CELL_TRIANGLE : PAL_CELL_TETRAHEDRON, pal_vec3(x, 0, 0));
}

static int32_t add_box(Touch *t, double x, double speed, bool rigid)
{
    PalVec3 velocity = {speed, 0, 0};
    if (rigid) {
        int32_t r = touch_add_free(t, box_at(x, true), 1);
        t->rigids[r].velocity = velocity;
        return r;
    }
    int32_t b = touch_add_mesh(t, box_at(x, false), 500, 0.3, 1);
    t->bodies[b].velocity = velocity;
    return b;
}

static void begin(Touch *t, PalScheduleKind schedule)
{
    PalError error = {0};
    t->sim.contact.every_pair = true;
    t->sim.contact.schedule = schedule;
    check_ok(pal_sim_create(&t->sim, &t->run, &error), &error);
}

static void advance(Touch *t)
{
    PalError error = {0};
    check_ok(pal_sim_step(t->run, &error), &error);
}

static void end(Touch *t)
{
    pal_sim_destroy(t->run);
    t->run = NULL;
}

// One flies into the second, which goes on into the third in the same step. The third sleeps when
// the step begins: nothing moves towards it.
static bool knock_on(bool rigid, double start, double step)
{
    Touch t = touch_nothing(1000);
    t.sim.solver.step = step;
    add_box(&t, -1.3 - start, rigid ? 30 : 8, rigid);
    add_box(&t, 0, 0, rigid);
    add_box(&t, 1.03, 0, rigid);
    touch_connect(&t);
    uint64_t hashes[2];
    bool woke = false;
    for (int k = 0; k < 2; ++k) {
        begin(&t, k == 0 ? PAL_SCHEDULE_TRAJECTORY : PAL_SCHEDULE_EVERY_STEP);
        const PalContact *contact = t.run->solver->contact;
        for (int i = 0; i < 12; ++i) {
            bool slept = i > 0 && contact->surface->awake.asleep[2];
            advance(&t);
            // by the end of the step all three have touched
            woke |=
                k == 0 && slept && contact->pair_count > 1 && !contact->surface->awake.asleep[2];
        }
        hashes[k] = pal_sim_hash(t.run);
        end(&t);
    }
    assert_true(hashes[0] == hashes[1]);
    touch_end(&t);
    return woke;
}

static void what_is_pushed_wakes_a_sleeper(void **state)
{
    (void)state;
    for (int rigid = 0; rigid < 2; ++rigid) {
        int woken = 0;
        for (int k = 0; k < 12; ++k)
            woken += knock_on(rigid, 0.011 * k, rigid ? 4e-3 : 2e-3);
        print_message("%s: the third was woken in the same step in %d of 12 runs\n",
                      rigid ? "rigid" : "soft", woken);
        assert_true(!rigid || woken > 0);
    }
}

// Two lie against each other, a third flies far from both: none of its vertices is placed while
// they touch, but for the few steps in which its flight is looked at.
static void what_is_far_takes_no_part(void **state)
{
    (void)state;
    Touch t = touch_nothing(1000);
    t.sim.solver.step = 1e-3;
    add_box(&t, -1.02, 1, false);
    add_box(&t, 0, 0, false);
    add_box(&t, 30, 3, false);
    touch_connect(&t);
    begin(&t, PAL_SCHEDULE_TRAJECTORY);
    const PalContactSurface *surface = t.run->solver->contact->surface;
    int placed = 0, touched = 0;
    for (int i = 0; i < 200; ++i) {
        advance(&t);
        if (t.run->solver->contact->report.contact_count == 0)
            continue;
        ++touched;
        assert_true(surface->awake.asleep[2] && surface->awake.count == 2);
        for (int32_t v = surface->object_first_vertex[2]; v < surface->object_first_vertex[3]; ++v)
            placed += surface->placed[v] == surface->stamp &&
                      v / PAL_VERTEX_BLOCK > surface->object_first_vertex[2] / PAL_VERTEX_BLOCK;
    }
    assert_true(touched > 50);
    assert_int_equal(placed, 0);
    end(&t);
    touch_end(&t);
}

// A body that may touch itself sleeps while it only flies.
static void a_body_sleeps_with_itself(void **state)
{
    (void)state;
    Touch t = touch_nothing(1000);
    t.sim.solver.step = 1e-3;
    add_box(&t, 0, 5, false);
    t.sim.contact.every_self = true;
    touch_connect(&t);
    begin(&t, PAL_SCHEDULE_TRAJECTORY);
    int slept = 0;
    for (int i = 0; i < 300; ++i) {
        advance(&t);
        slept += t.run->solver->contact->asleep;
    }
    assert_true(slept >= 299);
    end(&t);
    touch_end(&t);
}

// Plates in a row that touch take part in every step: how far the others of the row are from each
// other, within overlapping balls, is of no use to anybody.
static void what_is_awake_is_not_measured(void **state)
{
    (void)state;
    Touch t = touch_nothing(1000);
    t.sim.solver.step = 1e-3;
    for (int i = 0; i < 4; ++i) {
        PalMesh *plate = touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 4, 4), (int32_t[]){1, 3, 3},
                                     PAL_CELL_TETRAHEDRON, pal_vec3(1.005 * i, 0, 0));
        int32_t b = touch_add_mesh(&t, plate, 500, 0.3, 1);
        t.bodies[b].velocity = pal_vec3(0.1 * (1.5 - i), 0, 0);
    }
    touch_connect(&t);
    begin(&t, PAL_SCHEDULE_TRAJECTORY);
    const PalContact *contact = t.run->solver->contact;
    const PalOutlook *watch = contact->schedule_own;
    for (int i = 0; i < 200; ++i) {
        advance(&t);
        assert_int_equal(contact->surface->awake.count, 4);
    }
    assert_int_equal(watch->measures, 0);
    end(&t);
    touch_end(&t);
}

// Measuring takes at most a fiftieth of looking, and comes more and more seldom.
static void measuring_is_put_off(void **state)
{
    (void)state;
    assert_int_equal(pal_watch_interval(0, 0), 8);
    assert_int_equal(pal_watch_interval(8, 0), 16);
    assert_int_equal(pal_watch_interval(512, 0), 512);
    assert_int_equal(pal_watch_interval(8, 10), 500);
    assert_int_equal(pal_watch_interval(512, 4), 512);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_pushed_wakes_a_sleeper),
    cmocka_unit_test(what_is_far_takes_no_part),
    cmocka_unit_test(a_body_sleeps_with_itself),
    cmocka_unit_test(what_is_awake_is_not_measured),
    cmocka_unit_test(measuring_is_put_off),
};

CHECK_GROUP(tests, NULL, NULL)
