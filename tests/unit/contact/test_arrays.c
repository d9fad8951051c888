// Contact out of a checkpoint: what a run has kept is taken, anything else is refused.
#include "touch.h"

enum { ROUNDS = 1000, MORE_STEPS = 2 };

// A block that has settled a little on another, with friction.
static Touch begin_at(PalVec3 place)
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
    touch_pair(&t, 0, 1, 0.3);
    touch_start(&t);
    PalError error = {0};
    for (int i = 0; i < 200 && pal_sim_contact_report(t.run).contact_count == 0; ++i)
        check_ok(pal_sim_step(t.run, &error), &error);
    assert_true(pal_sim_contact_report(t.run).contact_count > 0);
    return t;
}

static Touch begin(void)
{
    return begin_at(pal_vec3(0, 0, 0));
}

// Copies of all arrays, to begin each round with.
typedef struct Saved {
    int32_t count;
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    void *data[PAL_SIM_ARRAY_MAX];
} Saved;

static Saved save(PalSim *sim)
{
    Saved saved;
    saved.count = pal_sim_arrays(sim, saved.arrays);
    assert_true(saved.count > 0);
    for (int32_t i = 0; i < saved.count; ++i) {
        saved.data[i] = calloc((size_t)saved.arrays[i].count + 1, 8);
        assert_non_null(saved.data[i]);
        if (saved.arrays[i].count > 0)
            memcpy(saved.data[i], saved.arrays[i].data, (size_t)saved.arrays[i].count * 8);
    }
    return saved;
}

static void drop(Saved *saved)
{
    for (int32_t i = 0; i < saved->count; ++i)
        free(saved->data[i]);
}

// Puts everything back as it was, but for the array called `name`, which gets another size; the
// values there are then its first ones. Returns where they are.
static void *put_back(PalSim *sim, const Saved *saved, const char *name, int64_t size)
{
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    void *named = NULL;
    assert_int_equal(pal_sim_arrays(sim, arrays), saved->count);
    for (int32_t i = 0; i < saved->count; ++i) {
        bool is_it = strcmp(arrays[i].name, name) == 0;
        int64_t count = saved->arrays[i].count, wanted = is_it && size >= 0 ? size : count;
        void *data = arrays[i].data;
        if (arrays[i].resize != NULL)
            data = arrays[i].resize(arrays[i].owner, wanted);
        assert_non_null(data);
        memset(data, 0, (size_t)wanted * 8);
        memcpy(data, saved->data[i], (size_t)(wanted < count ? wanted : count) * 8);
        named = is_it ? data : named;
    }
    assert_non_null(named);
    return named;
}

static int64_t size_of(const Saved *saved, const char *name)
{
    for (int32_t i = 0; i < saved->count; ++i)
        if (strcmp(saved->arrays[i].name, name) == 0)
            return saved->arrays[i].count;
    return 0;
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
        Saved saved = save(t.run);
        assert_true(size_of(&saved, "contact_keys") >= 6);
        put_back(t.run, &saved, "contact_keys", -1);
        check_ok(pal_sim_restored(t.run, &error), &error);
        check_ok(pal_sim_step(t.run, &error), &error);
        drop(&saved);
        touch_end(&t);
    }
}

static void wrong_sizes_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"contact_points", "contact_keys", "contact_numbers"};
    static const int64_t changes[] = {-1, 1, 3, 18, 1000};
    Touch t = begin();
    Saved saved = save(t.run);
    for (size_t n = 0; n < 3; ++n)
        for (size_t c = 0; c < 5; ++c) {
            int64_t size = size_of(&saved, names[n]) + changes[c];
            if (n == 0 && size % 18 == 0)
                continue;  // more points of zeros are points
            put_back(t.run, &saved, names[n], size);
            check_refused(t.run, names[n]);
        }
    drop(&saved);
    touch_end(&t);
}

static void wrong_keys_are_refused(void **state)
{
    (void)state;
    static const int64_t wrong[] = {-1, INT64_MIN, INT64_MAX, INT32_MAX, UINT32_MAX, 100000};
    Touch t = begin();
    Saved saved = save(t.run);
    int64_t count = size_of(&saved, "contact_keys");
    for (int64_t k = 0; k < count; ++k)
        for (size_t w = 0; w < 6; ++w) {
            int64_t *keys = put_back(t.run, &saved, "contact_keys", -1);
            keys[k] = wrong[w];
            check_refused(t.run, "a key");
        }
    int64_t *keys = put_back(t.run, &saved, "contact_keys", -1);
    memcpy(keys + 3, keys, 3 * sizeof *keys);
    check_refused(t.run, "a key twice");
    keys = put_back(t.run, &saved, "contact_keys", -1);
    keys[2] = 15;
    check_refused(t.run, "a place that is none");
    drop(&saved);
    touch_end(&t);
}

static void wrong_counts_are_refused(void **state)
{
    (void)state;
    Touch t = begin();
    Saved saved = save(t.run);
    for (int64_t k = 0; k < size_of(&saved, "integers"); ++k) {
        int64_t *counts = put_back(t.run, &saved, "integers", -1);
        counts[k] = k % 2 == 0 ? INT64_MAX : INT64_MIN;
        check_refused(t.run, "a count");
    }
    drop(&saved);
    touch_end(&t);
}

static void wrong_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"contact_report", "contact_pairs", "contact_points",
                                        "contact_numbers"};
    Touch t = begin();
    Saved saved = save(t.run);
    for (size_t n = 0; n < 4; ++n) {
        int64_t count = size_of(&saved, names[n]);
        for (int64_t k = 0; k < count; ++k) {
            double *numbers = put_back(t.run, &saved, names[n], -1);
            numbers[k] = k % 2 == 0 ? NAN : -INFINITY;
            check_refused(t.run, names[n]);
        }
    }
    double *points = put_back(t.run, &saved, "contact_points", -1);
    points[1] = 2;
    check_refused(t.run, "an object that is none");
    points = put_back(t.run, &saved, "contact_points", -1);
    points[2] = 0.5;
    check_refused(t.run, "half an object");
    drop(&saved);
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
    Saved saved = save(t.run);
    uint64_t seed = 7;
    int taken = 0, refused = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        const char *name = names[draw(&seed) % 5];
        int64_t size = size_of(&saved, name);
        bool fixed = strcmp(name, "contact_report") == 0 || strcmp(name, "contact_pairs") == 0;
        bool resizes = draw(&seed) % 4 == 0 && !fixed;
        int64_t wanted = resizes ? (int64_t)(draw(&seed) % (uint64_t)(2 * size)) : size;
        uint64_t *words = put_back(t.run, &saved, name, wanted);
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
    drop(&saved);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_was_kept_is_taken),    cmocka_unit_test(wrong_sizes_are_refused),
    cmocka_unit_test(wrong_keys_are_refused),    cmocka_unit_test(wrong_counts_are_refused),
    cmocka_unit_test(wrong_numbers_are_refused), cmocka_unit_test(damage_does_no_harm),
};
CHECK_GROUP(tests, NULL, NULL)
