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
                           "angular_momentum.y,angular_momentum.z,penetration,contacts,"
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
        assert_true(row[0] == row[1] / 7.0);
        assert_true(row[8] == 2 + row[1]);
        assert_true(row[pal_history_column_count()] == row[1] / 3.0);
        assert_true(row[pal_history_column_count() + 2] == 1e-300 * row[1]);
    }
    assert_true(table.values[1] == 0);
    assert_true(previous == ROWS - 1);
    free(table.values);
    pal_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_quoted_where_needed),
        cmocka_unit_test(rows_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
