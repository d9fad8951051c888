#include "place.h"

#include "output/history.h"
#include "output/rundir.h"

static void clears_only_its_own(void **state)
{
    (void)state;
    char path[64];
    PalDirectory directory = place_open(path);
    PalError error = {0};
    check_ok(pal_directory_make(&directory, "frames", &error), &error);
    static const char *const own[] = {
        "checkpoint.h5",      "checkpoint.h5.part",
        "summary.json",       "report.html",
        "picture.png",        "run.pvd",
        "history.csv",        "scene.yaml",
        "frames/000000.vtu",  "frames/000001.vtu.part",
        "frames/1234567.vtu",
    };
    static const char *const others[] = {"notes.txt", "frames/mine.vtu", "frames/00001.vtu",
                                         "frames/000001.vtu.bak", "my-history.csv"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i)
        place_put(&directory, own[i], "x");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
        place_put(&directory, others[i], "x");
    check_ok(pal_rundir_clear(&directory, &error), &error);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i)
        if (place_has(&directory, own[i]))
            fail_msg("%s is still there", own[i]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
        if (!place_has(&directory, others[i]))
            fail_msg("%s is gone", others[i]);
    pal_directory_close(&directory);
    place_remove(path);
}

static void cuts_back(void **state)
{
    (void)state;
    char path[64], name[PAL_FRAME_NAME_SIZE];
    PalDirectory directory = place_open(path);
    PalError error = {0};
    check_ok(pal_directory_make(&directory, "frames", &error), &error);
    for (int64_t i = 0; i < 5; ++i)
        place_put(&directory, pal_frame_name(&pal_frame_series, i, name), "x");
    place_put(&directory, "frames/000005.vtu.part", "x");
    check_ok(pal_directory_make(&directory, "contacts", &error), &error);
    for (int64_t i = 0; i < 5; ++i)
        place_put(&directory, pal_frame_name(&pal_contact_series, i, name), "x");
    place_put(&directory, "contacts/000009.vtu", "x");
    place_put(&directory, "contacts/000009.vtp.part", "x");
    place_put(&directory, "summary.json", "x");
    check_ok(pal_series_check(&directory, &pal_frame_series, 3, &error), &error);
    check_ok(pal_rundir_cut(&directory, 3, &error), &error);
    assert_true(place_has(&directory, "frames/000002.vtu"));
    assert_false(place_has(&directory, "frames/000003.vtu"));
    assert_false(place_has(&directory, "frames/000005.vtu.part"));
    assert_false(place_has(&directory, "summary.json"));
    assert_true(place_has(&directory, "contacts/000002.vtp"));
    assert_false(place_has(&directory, "contacts/000003.vtp"));
    assert_false(place_has(&directory, "contacts/000009.vtp.part"));
    assert_true(place_has(&directory, "contacts/000009.vtu"));  // not ours
    assert_int_equal(pal_series_check(&directory, &pal_frame_series, 4, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "frames/000003.vtu: this frame is missing"));
    pal_directory_close(&directory);
    place_remove(path);
}

// Written at once from history, or frame by frame: the same bytes.
static void pvd_is_the_same_either_way(void **state)
{
    (void)state;
    char path[64];
    PalDirectory directory = place_open(path);
    PalError error = {0};
    const double times[] = {0, 0.1, 0.3, 1e-7};
    PalText history = {0};
    pal_history_head(0, NULL, &history);
    check_ok(pal_pvd_write(&directory, &pal_frame_series, NULL, 0, &error), &error);
    for (int64_t i = 0; i < 4; ++i) {
        check_ok(pal_pvd_add(&directory, &pal_frame_series, i, times[i], &error), &error);
        pal_history_row(&(PalHistoryRow){.time = times[i], .frame = i}, &history);
        pal_history_row(&(PalHistoryRow){.time = times[i] + 1, .frame = PAL_NONE}, &history);
    }
    PalText one = place_get(&directory, "run.pvd");
    check_ok(pal_pvd_write(&directory, &pal_frame_series, &history, 4, &error), &error);
    PalText other = place_get(&directory, "run.pvd");
    assert_string_equal(one.data, other.data);
    assert_non_null(
        strstr(one.data, "<DataSet timestep=\"0.1\" part=\"0\" file=\"frames/000001.vtu\"/>\n"));
    assert_int_equal(pal_pvd_write(&directory, &pal_frame_series, &history, 5, &error),
                     PAL_BAD_INPUT);
    error = (PalError){0};
    pal_text_clear(&other);
    // Spoilt by someone else, it is made again.
    check_ok(pal_file_replace_text(&directory, "history.csv", &history, PAL_FILE_PLAIN, &error),
             &error);
    place_put(&directory, "run.pvd", "spoilt");
    check_ok(pal_pvd_add(&directory, &pal_frame_series, 3, times[3], &error), &error);
    other = place_get(&directory, "run.pvd");
    assert_string_equal(one.data, other.data);
    pal_text_clear(&one);
    pal_text_clear(&other);
    pal_text_clear(&history);
    pal_directory_close(&directory);
    place_remove(path);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(clears_only_its_own),
    cmocka_unit_test(cuts_back),
    cmocka_unit_test(pvd_is_the_same_either_way),
};
CHECK_GROUP(tests, NULL, NULL)
