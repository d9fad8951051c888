// Contact gives the same bits for any number of threads, and for a run restored halfway; once warm
// it allocates nothing.
#include "base/memory.h"
#include "touch.h"

#ifdef __SANITIZE_THREAD__
enum { STEPS = 40, PILE_STEPS = 30 };
#else
enum { STEPS = 400, PILE_STEPS = 30, SETTLING = 600, WARM_STEPS = 300 };
#endif

typedef struct Choice {
    PalMethod method;
    PalResponseKind response;
    PalUpdateKind update;
} Choice;

// A ball on a slab beside a moving plate, with friction and self-contact.
static Touch crowd(const Choice *choice, int32_t threads)
{
    Touch t = touch_crowd(PAL_CELL_TETRAHEDRON);
    touch_pair(&t, 1, 1, 0);
    t.sim.solver.method = choice->method;
    t.sim.solver.thread_count = threads;
    t.sim.contact.response = choice->response;
    t.sim.contact.update = choice->update;
    return t;
}

// Four boxes thrown at each other, so fast that the guard finds much and some motion is cut.
static Touch pile(const Choice *choice, int32_t threads)
{
    Touch t = touch_nothing(6);
    const double size[4][3] = {{0.6, 0.3, 0.5}, {0.8, 0.3, 0.3}, {0.4, 0.7, 0.3}, {0.5, 0.5, 0.4}};
    const int32_t cells[4][3] = {{3, 1, 2}, {5, 2, 2}, {2, 4, 1}, {1, 2, 3}};
    const double from[4][3] = {{1, 0.05, 0}, {-1, 0, 0}, {0.1, 1, 0}, {0, -1, 0.1}};
    const double degrees[4] = {33, 71, 140, 15};
    for (int b = 0; b < 4; ++b) {
        PalVec3 at = pal_vec3(from[b][0], from[b][1], from[b][2]);
        PalMesh *box = touch_shape(PAL_SHAPE_BOX, pal_vec3(size[b][0], size[b][1], size[b][2]),
                                   cells[b], PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0));
        touch_turn(box, pal_vec3_normalise(pal_vec3(1, 0.5 * b, 1.5 - b)), degrees[b] * 3.14 / 180);
        for (int32_t n = 0; n < box->node_count; ++n)
            box->nodes[n] = pal_vec3_add(box->nodes[n], at);
        touch_add_mesh(&t, box, 1000, 0.3, 700 + 300 * b);
        t.bodies[b].velocity = pal_vec3_scale(-0.6, at);
        for (int other = 0; other <= b; ++other)
            touch_pair(&t, other, b, 0.4);
    }
    t.sim.solver.method = choice->method;
    t.sim.solver.thread_count = threads;
    t.sim.contact.response = choice->response;
    t.sim.contact.update = choice->update;
    return t;
}

typedef Touch (*Scene)(const Choice *choice, int32_t threads);

static void steps(Touch *t, int count)
{
    PalError error = {0};
    for (int i = 0; i < count; ++i)
        check_ok(pal_sim_step(t->run, &error), &error);
}

static uint64_t hash_after(Scene scene, const Choice *choice, int32_t threads, int count)
{
    Touch t = scene(choice, threads);
    touch_start(&t);
    steps(&t, count);
    uint64_t hash = pal_sim_hash(t.run);
    touch_end(&t);
    return hash;
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    const Choice choices[] = {
        {PAL_METHOD_EXPLICIT, PAL_RESPONSE_LAGRANGE, PAL_UPDATE_FRONT},
        {PAL_METHOD_NEWMARK, PAL_RESPONSE_LAGRANGE, PAL_UPDATE_UPDATE_NODES},
        {PAL_METHOD_RELAXATION, PAL_RESPONSE_LAGRANGE, PAL_UPDATE_FRONT},
        {PAL_METHOD_EXPLICIT, PAL_RESPONSE_JOHNSEN2015, PAL_UPDATE_LARSSON},
        {PAL_METHOD_EXPLICIT, PAL_RESPONSE_JOHNSEN2012, PAL_UPDATE_EXHAUSTIVE},
    };
    for (size_t i = 0; i < sizeof choices / sizeof *choices; ++i) {
        uint64_t one = hash_after(crowd, &choices[i], 1, STEPS);
        for (int32_t threads = 2; threads <= 8; threads *= 2)
            assert_true(hash_after(crowd, &choices[i], threads, STEPS) == one);
    }
}

static void copy_state(PalSim *from_run, PalSim *to_run)
{
    PalNamedArray from[PAL_SIM_ARRAY_MAX], to[PAL_SIM_ARRAY_MAX];
    int32_t count = pal_sim_arrays(from_run, from);
    assert_int_equal(pal_sim_arrays(to_run, to), count);
    for (int32_t i = 0; i < count; ++i) {
        assert_string_equal(from[i].name, to[i].name);
        if (from[i].count != to[i].count) {
            assert_non_null(to[i].resize);
            to[i].data = to[i].resize(to[i].owner, from[i].count);
        }
        memcpy(to[i].data, from[i].data, (size_t)from[i].count * sizeof(double));
    }
    PalError error = {0};
    check_ok(pal_sim_restored(to_run, &error), &error);
}

// Carries every array over to a new simulation, again and again.
static void check_restored(Scene scene, int count, int part)
{
    Choice choice = {PAL_METHOD_EXPLICIT, PAL_RESPONSE_LAGRANGE, PAL_UPDATE_FRONT};
    Touch first = scene(&choice, 1);
    touch_start(&first);
    for (int done = 0; done < count; done += part) {
        Touch second = scene(&choice, 1);
        touch_start(&second);
        copy_state(first.run, second.run);
        touch_end(&first);
        first = second;
        steps(&first, part);
    }
    assert_true(pal_sim_hash(first.run) == hash_after(scene, &choice, 1, count));
    touch_end(&first);
}

static void same_bits_when_restored(void **state)
{
    (void)state;
    check_restored(crowd, STEPS, STEPS / 2);
    check_restored(pile, PILE_STEPS, PILE_STEPS / 10);
}

// The list of pairs depends on the past, the motion does not.
static void same_bits_for_any_search(void **state)
{
    (void)state;
    const PalUpdateKind updates[] = {PAL_UPDATE_EXHAUSTIVE, PAL_UPDATE_LARSSON,
                                     PAL_UPDATE_UPDATE_NODES};
    for (int s = 0; s < 2; ++s) {
        Scene scene = s == 0 ? crowd : pile;
        int count = s == 0 ? STEPS : PILE_STEPS;
        Choice choice = {PAL_METHOD_EXPLICIT, PAL_RESPONSE_LAGRANGE, PAL_UPDATE_FRONT};
        uint64_t front = hash_after(scene, &choice, 1, count);
        for (int i = 0; i < 3; ++i) {
            choice.update = updates[i];
            assert_true(hash_after(scene, &choice, 1, count) == front);
        }
    }
}

// Otherwise the pile shows nothing that the crowd does not.
static void the_guard_has_work_in_the_pile(void **state)
{
    (void)state;
    Choice choice = {PAL_METHOD_EXPLICIT, PAL_RESPONSE_LAGRANGE, PAL_UPDATE_FRONT};
    Touch t = pile(&choice, 1);
    touch_start(&t);
    steps(&t, PILE_STEPS);
    PalContactReport report = pal_sim_contact_report(t.run);
    print_message("pile: %lld hits, %lld rescues\n", (long long)report.hits,
                  (long long)report.rescues);
    assert_true(report.hits > 10 && report.rescues > 0);
    assert_int_equal(pal_sim_intersections(t.run), 0);
    touch_end(&t);
}

#ifndef __SANITIZE_THREAD__  // it would take too long there to get warm
static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    Choice choice = {PAL_METHOD_EXPLICIT, PAL_RESPONSE_LAGRANGE, PAL_UPDATE_FRONT};
    Touch t = crowd(&choice, 2);
    touch_start(&t);
    steps(&t, SETTLING);
    int64_t before = pal_alloc_count();
    steps(&t, WARM_STEPS);
    assert_int_equal(pal_alloc_count(), before);
    touch_end(&t);
}
#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(same_bits_for_any_number_of_threads),
    cmocka_unit_test(same_bits_when_restored),
    cmocka_unit_test(same_bits_for_any_search),
    cmocka_unit_test(the_guard_has_work_in_the_pile),
#ifndef __SANITIZE_THREAD__
    cmocka_unit_test(a_warm_step_allocates_nothing),
#endif
};
CHECK_GROUP(tests, NULL, NULL)
