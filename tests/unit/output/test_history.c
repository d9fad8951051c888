#include "check.h"

#include "output/history.h"

static void names_are_quoted_where_needed(void **state)
{
    (void)state;
    PalText text = {0};
    const char *const names[] = {"tip", "a,b", "say \"so\""};
    pal_history_head(3, names, &text);
    pal_text_put(&text, "", 1);
    const char *expected = "time,steps,step,kinetic,strain,external_work,contact_work,dissipated,"
                           "total,drift,momentum.x,momentum.y,momentum.z,angular_momentum.x,"
                           "angular_momentum.y,angular_momentum.z,load,penetration,contacts,frame,"
                           "tip.x,tip.y,tip.z,\"a,b.x\",\"a,b.y\",\"a,b.z\","
                           "\"say \"\"so\"\".x\",\"say \"\"so\"\".y\",\"say \"\"so\"\".z\"\n";
    assert_string_equal(text.data, expected);
    pal_text_clear(&text);
}

static void rows_read_back(void **state)
{
    (void)state;
    enum { ROWS = 1000, LIMIT = 37 };
    PalText text = {0};
    PalError error = {0};
    const char *const names[] = {"a,b"};
    pal_history_head(1, names, &text);
    for (int i = 0; i < ROWS; ++i) {
        PalVec3 probe = {i / 3.0, -i, 1e-300 * i};
        PalHistoryRow row = {.time = i / 7.0,
                             .steps = i,
                             .frame = i % 4 == 0 ? i / 4 : PAL_NONE,
                             .energy = {.kinetic = 2, .strain = i},
                             .probe_count = 1,
                             .probes = &probe};
        pal_history_row(&row, &text);
    }
    PalHistoryTable table;
    check_ok(pal_history_parse(&text, LIMIT, &table, &error), &error);
    assert_int_equal(table.row_count, LIMIT);
    assert_int_equal(table.column_count, pal_history_column_count() + 3);
    double previous = -1;
    for (int32_t r = 0; r < table.row_count; ++r) {
        const double *row = table.values + r * table.column_count;
        assert_true(row[1] > previous);
        previous = row[1];
        check_near(row[0], row[1] / 7.0, 5e-12 * row[0]);
        assert_true(row[pal_history_column_count() - 1] ==
                    (fmod(row[1], 4) == 0 ? row[1] / 4 : -1));
        assert_true(row[8] == 2 + row[1]);
        assert_true(row[pal_history_column_count()] == row[1] / 3.0);
        assert_true(row[pal_history_column_count() + 2] == 1e-300 * row[1]);
    }
    assert_true(table.values[1] == 0);
    assert_true(previous == ROWS - 1);
    free(table.values);
    pal_text_clear(&text);
}

// Steps added up, or multiples of a step, are a few bits off; what is shown is not.
static void times_are_shown_without_rounding(void **state)
{
    (void)state;
    double sum = 0;
    for (int i = 1; i <= 1000; ++i) {
        sum += 0.001;
        assert_true(pal_time_shown(sum) == i / 1000.0);
        assert_true(pal_time_shown(i * 0.001) == i / 1000.0);
    }
    assert_true(pal_time_shown(0) == 0);
    assert_true(pal_time_shown(1.25e-7) == 1.25e-7);
    PalText text = {0};
    pal_history_row(&(PalHistoryRow){.time = 18 * 0.001, .frame = PAL_NONE}, &text);
    assert_memory_equal(text.data, "0.018,0,0,", 10);
    pal_text_clear(&text);
}

static void rows_of_frames_are_found(void **state)
{
    (void)state;
    PalText text = {0};
    pal_history_head(1, (const char *const[]){"a,b"}, &text);
    for (int i = 0; i < 12; ++i) {
        PalVec3 probe = {i, i, i};
        PalHistoryRow row = {.time = 0.25 * i,
                             .frame = i % 5 == 0 ? i / 5 : PAL_NONE,
                             .probe_count = 1,
                             .probes = &probe};
        pal_history_row(&row, &text);
    }
    size_t place = 0, start = 0, length = 0;
    const char *const expected[] = {"0", "1.25", "2.5"};
    for (int i = 0; i < 3; ++i) {
        assert_true(pal_history_next_frame(&text, &place, &start, &length));
        assert_int_equal(length, strlen(expected[i]));
        assert_memory_equal(text.data + start, expected[i], length);
    }
    assert_false(pal_history_next_frame(&text, &place, &start, &length));
    // cut short, or of another kind, it holds fewer, or none
    PalText cut = {.data = text.data, .length = text.length / 3};
    for (place = 0; pal_history_next_frame(&cut, &place, &start, &length);)
        assert_true(start + length <= cut.length);
    PalText other = {.data = "1,2,3\n\n4", .length = 8};
    place = 0;
    assert_false(pal_history_next_frame(&other, &place, &start, &length));
    pal_text_clear(&text);
}

// No row holds a number that is none.
static void missing_numbers_are_refused(void **state)
{
    (void)state;
    const double missing[] = {NAN, INFINITY, -INFINITY};
    PalVec3 probe = {1, 2, 3};
    for (int i = 0; i < 3; ++i)
        for (int which = 0; which < 6; ++which) {
            PalHistoryRow row = {.time = 2, .steps = 7, .probe_count = 1, .probes = &probe};
            PalError error = {0};
            probe.y = 2;
            check_ok(pal_history_check(&row, &error), &error);
            double *const places[] = {&row.energy.kinetic,
                                      &row.energy.dissipated,
                                      &row.momentum.z,
                                      &row.angular_momentum.x,
                                      &probe.y,
                                      &row.penetration};
            *places[which] = missing[i];
            assert_int_equal(pal_history_check(&row, &error), PAL_SIM_FAILED);
            assert_non_null(strstr(error.text, "at time 2, step 7"));
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_are_quoted_where_needed),    cmocka_unit_test(rows_read_back),
    cmocka_unit_test(times_are_shown_without_rounding), cmocka_unit_test(rows_of_frames_are_found),
    cmocka_unit_test(missing_numbers_are_refused),
};
CHECK_GROUP(tests, NULL, NULL)
