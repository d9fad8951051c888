// Free rigid bodies in contact give the same bits for any number of threads, for any search, and
// for a run restored again and again.
#include "touch.h"

#ifdef __SANITIZE_THREAD__
enum { STEPS = 60 };
#else
enum { STEPS = 400 };
#endif

// Five rigid bodies thrown onto a soft slab and a fixed table, close together.
static Touch throw_bodies(PalMethod method, PalUpdateKind update, int32_t threads)
{
    Touch t = touch_nothing(2);
    PalMesh *slab = touch_shape(PAL_SHAPE_BOX, pal_vec3(2, 2, 0.5), (int32_t[]){6, 6, 2},
                                PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, -0.25));
    touch_add_mesh(&t, slab, 3000, 0.4, 10);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(4, 4, 0.5), (int32_t[]){1, 1, 1},
                                    PAL_CELL_TRIANGLE, pal_vec3(0, 0, -0.76)));
    for (int32_t i = 0; i < 5; ++i) {
        PalVec3 at = pal_vec3(0.5 * cos(1.3 * i), 0.5 * sin(1.3 * i), 0.4 + 0.2 * i);
        PalMesh *mesh = i % 2 == 0 ? touch_shape(PAL_SHAPE_BOX, pal_vec3(0.5, 0.4, 0.3),
                                                 (int32_t[]){1, 1, 1}, PAL_CELL_TRIANGLE, at)
                                   : touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.2, 0.2, 0.2),
                                                 (int32_t[]){4, 0, 0}, PAL_CELL_TRIANGLE, at);
        int32_t r = touch_add_free(&t, mesh, 5 + 3 * i);
        t.rigids[r].velocity = pal_vec3_scale(-1.5, at);
        t.rigids[r].spin = pal_vec3(i, 2 - i, 1);
    }
    for (int32_t a = 0; a < 7; ++a)
        for (int32_t b = a + 1; b < 7; ++b)
            touch_pair(&t, a, b, 0.3);
    touch_gravity(&t, pal_vec3(0, 0, -10));
    t.sim.solver.method = method;
    t.sim.solver.thread_count = threads;
    t.sim.contact.update = update;
    touch_start(&t);
    return t;
}

static void steps(Touch *t, int count)
{
    PalError error = {0};
    for (int i = 0; i < count; ++i)
        check_ok(pal_sim_step(t->run, &error), &error);
}

static uint64_t hash_after(PalMethod method, PalUpdateKind update, int32_t threads)
{
    Touch t = throw_bodies(method, update, threads);
    steps(&t, STEPS);
    uint64_t hash = pal_sim_hash(t.run);
    touch_end(&t);
    return hash;
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    for (int method = 0; method < 2; ++method) {
        uint64_t one = hash_after((PalMethod)method, PAL_UPDATE_FRONT, 1);
        for (int32_t threads = 2; threads <= 4; threads *= 2)
            assert_true(hash_after((PalMethod)method, PAL_UPDATE_FRONT, threads) == one);
    }
}

// Soft boxes and a free one, each a little inside the next: what overlaps is moved before the
// start, so that the model is built twice, and with several threads the solver too.
static Touch overlapping_boxes(int32_t threads)
{
    Touch t = touch_nothing(2);
    for (int32_t b = 0; b < 2; ++b) {
        PalMesh *mesh = touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){4 - b, 4 - b, 3},
                                    PAL_CELL_TETRAHEDRON, pal_vec3(0.2 * b, 0.1 * b, 0.95 * b));
        touch_add_mesh(&t, mesh, 1000, 0.3, 10);
        t.bodies[b].velocity = pal_vec3(0.1, 0, -0.5 * b);
    }
    touch_add_free(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(0.5, 0.5, 0.5), (int32_t[]){1, 1, 1},
                               PAL_CELL_TRIANGLE, pal_vec3(0.25, 0.1, 1.68)),
                   20);
    for (int32_t b = 0; b < 2; ++b)
        touch_pair(&t, b, b + 1, 0.3);
    touch_gravity(&t, pal_vec3(0, 0, -10));
    t.sim.solver.thread_count = threads;
    touch_start(&t);
    PalContactReport report = pal_sim_contact_report(t.run);
    assert_true(report.moved_count > 0);
    assert_int_equal(report.moved_rigid_count, 1);
    return t;
}

static void same_bits_where_overlaps_are_removed(void **state)
{
    (void)state;
    uint64_t first[2] = {0};
    for (int32_t threads = 1; threads <= 3; ++threads) {
        Touch t = overlapping_boxes(threads);
        for (int later = 0; later < 2; ++later) {
            steps(&t, later * STEPS);
            uint64_t hash = pal_sim_hash(t.run);
            first[later] = threads == 1 ? hash : first[later];
            assert_true(hash == first[later]);
        }
        touch_end(&t);
    }
    assert_true(first[0] != first[1]);
}

static void same_bits_for_any_search(void **state)
{
    (void)state;
    uint64_t front = hash_after(PAL_METHOD_EXPLICIT, PAL_UPDATE_FRONT, 1);
    for (int update = PAL_UPDATE_UPDATE_NODES; update <= PAL_UPDATE_EXHAUSTIVE; ++update)
        assert_true(hash_after(PAL_METHOD_EXPLICIT, (PalUpdateKind)update, 1) == front);
}

static void copy_state(PalSim *from_run, PalSim *to_run)
{
    PalNamedArray from[PAL_SIM_ARRAY_MAX], to[PAL_SIM_ARRAY_MAX];
    PalError error = {0};
    int32_t count = pal_sim_arrays(from_run, from);
    assert_int_equal(pal_sim_arrays(to_run, to), count);
    for (int32_t i = 0; i < count; ++i) {
        if (from[i].count != to[i].count)
            to[i].data = to[i].resize(to[i].owner, from[i].count);
        memcpy(to[i].data, from[i].data, (size_t)from[i].count * sizeof(double));
    }
    check_ok(pal_sim_restored(to_run, &error), &error);
}

static void same_bits_when_restored(void **state)
{
    (void)state;
    Touch first = throw_bodies(PAL_METHOD_EXPLICIT, PAL_UPDATE_FRONT, 1);
    for (int i = 0; i < 10; ++i) {
        Touch second = throw_bodies(PAL_METHOD_EXPLICIT, PAL_UPDATE_FRONT, 1);
        copy_state(first.run, second.run);
        touch_end(&first);
        first = second;
        steps(&first, STEPS / 10);
    }
    PalContactReport report = pal_sim_contact_report(first.run);
    print_message("thrown: contacts %d at most, hits %lld, rescues %lld\n", report.most_contacts,
                  (long long)report.hits, (long long)report.rescues);
    assert_true(report.most_contacts > 5);
    assert_true(pal_sim_hash(first.run) == hash_after(PAL_METHOD_EXPLICIT, PAL_UPDATE_FRONT, 1));
    touch_end(&first);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(same_bits_for_any_number_of_threads),
    cmocka_unit_test(same_bits_where_overlaps_are_removed),
    cmocka_unit_test(same_bits_for_any_search),
    cmocka_unit_test(same_bits_when_restored),
};
CHECK_GROUP(tests, NULL, NULL)
