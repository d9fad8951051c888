// How long a search with contact goes on: to 80 corrections at least, and farther while forces left
// over reach new lows.
#include "check.h"
#include "solver/patience.h"

// Corrections until the end, if forces left over fall to `part` of the last low every so often, and
// are twice as large meanwhile.
static int32_t corrections(double part, int32_t often)
{
    PalPatience patience;
    double low = 1;
    pal_patience_begin(&patience);
    for (int32_t k = 0;; ++k) {
        bool falls = k > 0 && k % often == 0;
        low *= falls ? part : 1;
        if (pal_patience_ends(&patience, k, k == 0 || falls ? low : 2 * low))
            return k;
    }
}

static void a_search_that_stalls_ends(void **state)
{
    (void)state;
    assert_int_equal(corrections(1, 1000), 80);
    assert_int_equal(corrections(0.5, 81), 80);  // what comes later is not known
    assert_int_equal(corrections(0.5, 21), 83);  // 20 corrections after the low at 63
    assert_int_equal(corrections(0.5, 35), 90);  // after the one at 70
    assert_int_equal(corrections(0.9, 100), 80);
}

static void a_search_that_gets_on_goes_on(void **state)
{
    (void)state;
    assert_int_equal(corrections(0.5, 1), 240);
    assert_int_equal(corrections(0.69, 20), 240);
}

// Creeping counts as well, once it adds up to a low.
static void creeping_adds_up(void **state)
{
    (void)state;
    assert_int_equal(corrections(0.98, 1), 240);  // 18 corrections for each low
    assert_int_equal(corrections(0.99, 1), 92);   // 36 for each: 20 after the low at 72
}

// A new round knows nothing of the lows of the last one.
static void a_round_begins_anew(void **state)
{
    (void)state;
    PalPatience patience;
    pal_patience_begin(&patience);
    assert_false(pal_patience_ends(&patience, 60, 1e-9));
    pal_patience_begin(&patience);
    assert_false(pal_patience_ends(&patience, 100, 1));
    for (int32_t k = 1; k < 20; ++k)
        assert_false(pal_patience_ends(&patience, 100 + k, 0.8));
    assert_true(pal_patience_ends(&patience, 120, 0.8));
    pal_patience_begin(&patience);
    assert_true(pal_patience_ends(&patience, 240, 1e-3));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_search_that_stalls_ends),
    cmocka_unit_test(a_search_that_gets_on_goes_on),
    cmocka_unit_test(creeping_adds_up),
    cmocka_unit_test(a_round_begins_anew),
};

CHECK_GROUP(tests, NULL, NULL)
