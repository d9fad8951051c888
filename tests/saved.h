// What a checkpoint holds of a simulation, taken and put back in memory.
#ifndef PAL_TESTS_SAVED_H
#define PAL_TESTS_SAVED_H

#include "check.h"
#include <palpate/sim.h>

// Copies of all arrays.
typedef struct Saved {
    int32_t count;
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    void *data[PAL_SIM_ARRAY_MAX];
} Saved;

static inline Saved saved_take(PalSim *sim)
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

static inline void saved_drop(Saved *saved)
{
    for (int32_t i = 0; i < saved->count; ++i)
        free(saved->data[i]);
}

// Puts everything back as it was, but for the array called `name`, which gets another size; the
// values there are then its first ones. Returns where they are.
static inline void *saved_put_back(PalSim *sim, const Saved *saved, const char *name, int64_t size)
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
    if (named == NULL) {
        fail_msg("there is no array %s", name);
        abort();
    }
    return named;
}

static inline int64_t saved_size(const Saved *saved, const char *name)
{
    for (int32_t i = 0; i < saved->count; ++i)
        if (strcmp(saved->arrays[i].name, name) == 0)
            return saved->arrays[i].count;
    return 0;
}

#endif
