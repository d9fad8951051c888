// Contact out of a checkpoint: what a run has kept is taken, anything else is refused.
#include "saved.h"
#include "touch.h"

#include <palpate/steer.h>

enum { ROUNDS = 1000, MORE_STEPS = 2, SETTLING = 3 };

// A block above another, which it meets in a while, with friction.
static Touch place_at(PalVec3 place, bool listed)
{
    static const int32_t cells[3] = {3, 3, 2};
    Touch t = touch_nothing(1);
    for (int b = 0; b < 2; ++b)
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.5), cells, PAL_CELL_HEXAHEDRON,
                                   pal_vec3_add(place, pal_vec3(0.1 * b, 0.05 * b, 0.52 * b))),
                       1000, 0.3, 1);
    touch_side(&t, 0, PAL_CONDITION_FIX, 2, false)->axes[0] = true;
    t.bodies[0].element = t.bodies[1].element = PAL_ELEMENT_H8;
    t.bodies[1].velocity = pal_vec3(0.5, 0, -1);
    if (listed)
        touch_pair(&t, 0, 1, 0.3);
    t.sim.contact.every_pair = !listed;
    t.sim.contact.every_pair_friction = 0.3;
    return t;
}

static void let_touch(Touch *t)
{
    PalError error = {0};
    touch_start(t);
    for (int i = 0; i < 200 && pal_sim_contact_report(t->run).contact_count == 0; ++i)
        check_ok(pal_sim_step(t->run, &error), &error);
    assert_true(pal_sim_contact_report(t->run).contact_count > 0);
}

// The upper one has settled a little.
static Touch begin_at(PalVec3 place)
{
    Touch t = place_at(place, true);
    let_touch(&t);
    return t;
}

static Touch begin(void)
{
    return begin_at(pal_vec3(0, 0, 0));
}

static void check_refused(PalSim *sim, const char *what)
{
    PalError error = {0};
    if (pal_sim_restored(sim, &error) != PAL_BAD_INPUT)
        fail_msg("taken: %s", what);
    assert_non_null(strstr(error.text, "checkpoint"));
}

static void what_was_kept_is_taken(void **state)
{
    (void)state;
    for (int away = 0; away < 2; ++away) {  // where positions are rounded coarsely, too
        Touch t = begin_at(pal_vec3_scale(away, pal_vec3(2e4, -1e4, 3e4)));
        PalError error = {0};
        Saved saved = saved_take(t.run);
        assert_true(saved_size(&saved, "contact_keys") >= 6);
        saved_put_back(t.run, &saved, "contact_keys", -1);
        check_ok(pal_sim_restored(t.run, &error), &error);
        check_ok(pal_sim_step(t.run, &error), &error);
        saved_drop(&saved);
        touch_end(&t);
    }
}

static void check_same_point(const PalContactPoint *a, const PalContactPoint *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->objects[0], b->objects[0]);
    assert_int_equal(a->objects[1], b->objects[1]);
    assert_int_equal(a->slips, b->slips);
    check_near(a->normal_force, b->normal_force, 0);
    check_near(a->gap, b->gap, 0);
    const PalVec3 of_a[] = {a->position[0], a->position[1], a->normal, a->force};
    const PalVec3 of_b[] = {b->position[0], b->position[1], b->normal, b->force};
    for (int k = 0; k < 4; ++k)
        check_near(pal_vec3_length(pal_vec3_sub(of_a[k], of_b[k])), 0, 0);
}

static void check_same_points(const PalSim *a, const PalSim *b)
{
    int32_t count, other_count;
    const PalContactPoint *of_a = pal_sim_contacts(a, &count);
    const PalContactPoint *of_b = pal_sim_contacts(b, &other_count);
    assert_int_equal(count, other_count);
    for (int32_t i = 0; i < count; ++i)
        check_same_point(&of_a[i], &of_b[i]);
}

static void check_same_pairs(const PalSim *a, const PalSim *b)
{
    int32_t count, other_count;
    const PalContactPairReport *of_a = pal_sim_contact_pairs(a, &count);
    const PalContactPairReport *of_b = pal_sim_contact_pairs(b, &other_count);
    assert_int_equal(count, 1);
    assert_int_equal(other_count, 1);
    assert_int_equal(of_a->objects[0], of_b->objects[0]);
    assert_int_equal(of_a->objects[1], of_b->objects[1]);
    assert_int_equal(of_a->contact_count, of_b->contact_count);
    assert_int_equal(of_a->touch_steps, of_b->touch_steps);
    check_near(of_a->friction, of_b->friction, 0);
    check_near(of_a->normal_force, of_b->normal_force, 0);
    check_near(of_a->largest_normal_force, of_b->largest_normal_force, 0);
    check_near(of_a->largest_time, of_b->largest_time, 0);
}

static void check_same_report(const PalSim *a, const PalSim *b)
{
    PalContactReport of_a = pal_sim_contact_report(a), of_b = pal_sim_contact_report(b);
    assert_int_equal(of_a.contact_count, of_b.contact_count);
    assert_int_equal(of_a.most_contacts, of_b.most_contacts);
    assert_int_equal(of_a.rescues, of_b.rescues);
    assert_int_equal(of_a.hits, of_b.hits);
    check_near(of_a.penetration, of_b.penetration, 0);
    check_near(of_a.worst_penetration, of_b.worst_penetration, 0);
    check_near(of_a.worst_of_edge, of_b.worst_of_edge, 0);
}

// There is something to tell in every number but those of rescues and penetration: contacts of both
// kinds, of which some have been found by continuous detection.
static bool is_rich(const PalSim *sim)
{
    int32_t count, pair_count, crossed = 0;
    const PalContactPoint *points = pal_sim_contacts(sim, &count);
    for (int32_t i = 0; i < count; ++i)
        crossed += points[i].kind == PAL_CONTACT_EDGE_EDGE;
    return crossed > 0 && crossed < count && pal_sim_contact_report(sim).hits > 0 &&
           pal_sim_contact_pairs(sim, &pair_count)->touch_steps > 1;
}

// All numbers of a checkpoint reach a run that has done nothing yet: it tells the same about its
// contacts, and does the same from there on, with a friction that was changed on the way, too.
static void a_run_goes_on_elsewhere(void **state)
{
    (void)state;
    for (int listed = 0; listed < 2; ++listed) {
        Touch t = place_at(pal_vec3(0, 0, 0), listed == 1),
              u = place_at(pal_vec3(0, 0, 0), listed == 1);
        PalError error = {0};
        let_touch(&t);
        check_ok(pal_sim_set_friction(t.run, 0, 1, 0.1, &error), &error);
        for (int i = 0; i < 200 && !is_rich(t.run); ++i)
            check_ok(pal_sim_step(t.run, &error), &error);
        assert_true(is_rich(t.run));
        touch_start(&u);
        Saved saved = saved_take(t.run);
        saved_put_back(u.run, &saved, "contact_keys", -1);
        check_ok(pal_sim_restored(u.run, &error), &error);
        check_same_report(t.run, u.run);
        // later how often it asks depends on directions that it remembers, and no checkpoint knows
        assert_int_equal(pal_sim_contact_report(t.run).queries,
                         pal_sim_contact_report(u.run).queries);
        check_same_points(t.run, u.run);
        check_same_pairs(t.run, u.run);
        for (int i = 0; i < SETTLING; ++i) {
            check_ok(pal_sim_step(t.run, &error), &error);
            check_ok(pal_sim_step(u.run, &error), &error);
            assert_true(pal_sim_hash(t.run) == pal_sim_hash(u.run));
        }
        check_same_report(t.run, u.run);
        check_same_pairs(t.run, u.run);
        saved_drop(&saved);
        touch_end(&t);
        touch_end(&u);
    }
}

// Each of these numbers of a point has to be what a run can have written.
static void wrong_points_are_refused(void **state)
{
    (void)state;
    static const struct {
        int at;
        double number;
    } wrong[] = {{0, -1},  {0, 2}, {0, 0.5}, {1, -1}, {1, 2},  {2, -1}, {2, 2},   {2, 0.5},
                 {3, 0.5}, {3, 2}, {3, -1},  {4, 0},  {4, -1}, {12, 2}, {13, -2}, {14, 2}};
    Touch t = begin();
    Saved saved = saved_take(t.run);
    PalError error = {0};
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; ++w) {
        double *points = saved_put_back(t.run, &saved, "contact_points", -1);
        points[wrong[w].at] = wrong[w].number;
        check_refused(t.run, "a number of a point");
    }
    double *points = saved_put_back(t.run, &saved, "contact_points", -1);
    points[1] = 1, points[2] = 0;
    check_refused(t.run, "objects in the wrong order");
    saved_put_back(t.run, &saved, "contact_points", -1);
    check_ok(pal_sim_restored(t.run, &error), &error);
    saved_drop(&saved);
    touch_end(&t);
}

static void wrong_sizes_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"contact_points", "contact_keys", "contact_numbers"};
    static const int64_t changes[] = {-1, 1, 3, 18, 1000};
    Touch t = begin();
    Saved saved = saved_take(t.run);
    for (size_t n = 0; n < 3; ++n)
        for (size_t c = 0; c < 5; ++c) {
            int64_t size = saved_size(&saved, names[n]) + changes[c];
            if (n == 0 && size % 18 == 0)
                continue;  // more points of zeros are points
            saved_put_back(t.run, &saved, names[n], size);
            check_refused(t.run, names[n]);
        }
    saved_drop(&saved);
    touch_end(&t);
}

static void wrong_keys_are_refused(void **state)
{
    (void)state;
    static const int64_t wrong[] = {-1, INT64_MIN, INT64_MAX, INT32_MAX, UINT32_MAX, 100000};
    Touch t = begin();
    Saved saved = saved_take(t.run);
    int64_t count = saved_size(&saved, "contact_keys");
    for (int64_t k = 0; k < count; ++k)
        for (size_t w = 0; w < 6; ++w) {
            int64_t *keys = saved_put_back(t.run, &saved, "contact_keys", -1);
            keys[k] = wrong[w];
            check_refused(t.run, "a key");
        }
    int64_t *keys = saved_put_back(t.run, &saved, "contact_keys", -1);
    memcpy(keys + 3, keys, 3 * sizeof *keys);
    check_refused(t.run, "a key twice");
    keys = saved_put_back(t.run, &saved, "contact_keys", -1);
    keys[2] = 15;
    check_refused(t.run, "a place that is none");
    saved_drop(&saved);
    touch_end(&t);
}

static void wrong_counts_are_refused(void **state)
{
    (void)state;
    Touch t = begin();
    Saved saved = saved_take(t.run);
    for (int64_t k = 0; k < saved_size(&saved, "integers"); ++k) {
        int64_t *counts = saved_put_back(t.run, &saved, "integers", -1);
        counts[k] = k % 2 == 0 ? INT64_MAX : INT64_MIN;
        check_refused(t.run, "a count");
    }
    saved_drop(&saved);
    touch_end(&t);
}

static void wrong_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"contact_report", "contact_pairs", "contact_points",
                                        "contact_numbers"};
    Touch t = begin();
    Saved saved = saved_take(t.run);
    for (size_t n = 0; n < 4; ++n) {
        int64_t count = saved_size(&saved, names[n]);
        for (int64_t k = 0; k < count; ++k) {
            double *numbers = saved_put_back(t.run, &saved, names[n], -1);
            numbers[k] = k % 2 == 0 ? NAN : -INFINITY;
            check_refused(t.run, names[n]);
        }
    }
    double *points = saved_put_back(t.run, &saved, "contact_points", -1);
    points[1] = 2;
    check_refused(t.run, "an object that is none");
    points = saved_put_back(t.run, &saved, "contact_points", -1);
    points[2] = 0.5;
    check_refused(t.run, "half an object");
    for (int k = 4; k < 7; ++k) {
        double *numbers = saved_put_back(t.run, &saved, "contact_numbers", -1);
        numbers[k] = 1e7 * (1 + numbers[3]);
        check_refused(t.run, "friction that nothing holds");
    }
    saved_drop(&saved);
    touch_end(&t);
}

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

// Whatever is changed, it is refused or does no harm: bits anywhere, sizes, rows in other places.
static void damage_does_no_harm(void **state)
{
    (void)state;
    static const char *const names[] = {"contact_report", "contact_pairs", "contact_points",
                                        "contact_keys", "contact_numbers"};
    Touch t = begin();
    Saved saved = saved_take(t.run);
    uint64_t seed = 7;
    int taken = 0, refused = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        const char *name = names[draw(&seed) % 5];
        int64_t size = saved_size(&saved, name);
        bool fixed = strcmp(name, "contact_report") == 0 || strcmp(name, "contact_pairs") == 0;
        bool resizes = draw(&seed) % 4 == 0 && !fixed;
        int64_t wanted = resizes ? (int64_t)(draw(&seed) % (uint64_t)(2 * size)) : size;
        uint64_t *words = saved_put_back(t.run, &saved, name, wanted);
        for (uint64_t changes = draw(&seed) % 3; wanted > 0 && changes-- > 0;)
            words[draw(&seed) % (uint64_t)wanted] ^= UINT64_C(1) << (draw(&seed) % 64);
        PalError error = {0};
        PalStatus status = pal_sim_restored(t.run, &error);
        assert_true(status == PAL_OK || status == PAL_BAD_INPUT);
        refused += status == PAL_BAD_INPUT;
        taken += status == PAL_OK;
        for (int i = 0; i < MORE_STEPS && status == PAL_OK; ++i)
            status = pal_sim_step(t.run, &error);
        assert_true(status == PAL_OK || error.text[0] != '\0');
    }
    assert_true(taken > 0 && refused > 0);
    saved_drop(&saved);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_was_kept_is_taken),    cmocka_unit_test(a_run_goes_on_elsewhere),
    cmocka_unit_test(wrong_points_are_refused),  cmocka_unit_test(wrong_sizes_are_refused),
    cmocka_unit_test(wrong_keys_are_refused),    cmocka_unit_test(wrong_counts_are_refused),
    cmocka_unit_test(wrong_numbers_are_refused), cmocka_unit_test(damage_does_no_harm),
};
CHECK_GROUP(tests, NULL, NULL)
