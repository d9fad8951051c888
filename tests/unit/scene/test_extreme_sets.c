// Random extreme values for the numbers of small scenes. tools/try-extremes takes many more.
#include "check.h"
#include "extremes.h"

#include <sys/resource.h>

static int64_t number_from(const char *name, int64_t standard)
{
    const char *text = getenv(name);
    return text != NULL ? atoll(text) : standard;
}

static uint8_t random_byte(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint8_t)(*state >> 56);
}

static void tell(const ExtremeCase *chosen)
{
    printf("scene %d", (int)chosen->scene);
    for (int32_t i = 0; i < chosen->change_count; ++i)
        printf(" --set %s=%s", chosen->changes[i].path, chosen->changes[i].value);
    printf("\n");
    fflush(stdout);
}

static void scenes_run_as_they_are(void **state)
{
    (void)state;
    for (int32_t scene = 0; scene < EXTREME_SCENES; ++scene) {
        ExtremeCase plain = {.scene = scene};
        PalScene *read = NULL;
        PalError error = {0};
        const char *text = extreme_scenes[scene];
        check_ok(pal_scene_read_memory(text, strlen(text), "s.yaml", NULL, &read, &error), &error);
        pal_scene_destroy(read);
        assert_int_equal(extreme_try(&plain), EXTREME_STEPS);
    }
}

static void extreme_numbers_get_an_answer(void **state)
{
    (void)state;
    int64_t count = number_from("PAL_EXTREMES", 150);
    uint64_t random = (uint64_t)number_from("PAL_EXTREMES_SEED", 4);
    bool tells = getenv("PAL_EXTREMES_TELL") != NULL;
    int64_t refused = 0, failed = 0, whole = 0, left_off = 0;
    const char *patience = getenv("PAL_EXTREMES_PATIENCE");
    extreme_patience = patience != NULL ? atof(patience) : 0;
    for (int64_t i = 0; i < count; ++i) {
        uint8_t bytes[1 + 3 * EXTREME_CHANGE_MAX];
        for (size_t k = 0; k < sizeof bytes; ++k)
            bytes[k] = random_byte(&random);
        ExtremeCase chosen;
        extreme_choose(bytes, 1 + 3 * (size_t)(1 + random_byte(&random) % EXTREME_CHANGE_MAX),
                       &chosen);
        if (tells)
            tell(&chosen);
        int steps = extreme_try(&chosen);
        refused += steps == PAL_NONE;
        whole += steps == EXTREME_STEPS;
        left_off += steps == EXTREME_LEFT_OFF;
        failed += steps != PAL_NONE && steps < EXTREME_STEPS;
    }
    extreme_patience = 0;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    print_message("%lld combinations: %lld refused, %lld ended early, %lld took all steps, %lld "
                  "took long and "
                  "were left off; %ld MB\n",
                  (long long)count, (long long)refused, (long long)failed, (long long)whole,
                  (long long)left_off, usage.ru_maxrss / 1024);
    assert_true(refused > 0 && failed > 0 && whole > 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(scenes_run_as_they_are),
    cmocka_unit_test(extreme_numbers_get_an_answer),
};

CHECK_GROUP(tests, NULL, NULL)
