#include "check.h"
#include "mesh/readers/number.h"

#include <locale.h>

static double parse(const char *text)
{
    double value = 0;
    const char *end = text + strlen(text);
    if (pal_parse_double(text, end, &value) != end)
        fail_msg("'%s' is not read to its end", text);
    return value;
}

static void check_same(const char *text, double expected)
{
    double value = parse(text);
    uint64_t bits, expected_bits;  // -0 is not 0 here
    memcpy(&bits, &value, sizeof bits);
    memcpy(&expected_bits, &expected, sizeof bits);
    if (bits != expected_bits)
        fail_msg("'%s' is read as %.17g (%a), expected %.17g (%a)", text, value, value, expected,
                 expected);
}

static void plain_numbers_are_read(void **state)
{
    (void)state;
    check_same("0", 0.0);
    check_same("-0.0", -0.0);
    check_same("+1", 1.0);
    check_same("1.", 1.0);
    check_same(".5", 0.5);
    check_same("1e3", 1000.0);
    check_same("1.0D+00", 1.0);
    check_same("2.5d-3", 0.0025);
    check_same("-12.25E+2", -1225.0);
    check_same("0000000000000000000000000000012", 12.0);
    check_same("0.1", 0.1);
    check_same("123456789012345678901234567890", 123456789012345678901234567890.0);
}

static void rounding_is_exact(void **state)
{
    (void)state;
    check_same("9007199254740993", 9007199254740992.0);  // halfway: to even
    check_same("9007199254740993.00000000000000000001", 9007199254740994.0);
    check_same("9007199254740995", 9007199254740996.0);
    check_same("2.2250738585072011e-308", 0x0.fffffffffffffp-1022);
    check_same("4.9406564584124654e-324", 0x1p-1074);
    check_same("2.4703282292062327e-324", 0.0);
    check_same("2.4703282292062328e-324", 0x1p-1074);
    check_same("1.7976931348623157e308", 0x1.fffffffffffffp1023);
    check_same("1e-400", 0.0);
    assert_true(isinf(parse("1e400")));
    assert_true(isinf(parse("1e99999999999999999999")));
}

static void long_numbers_are_rounded_by_their_last_digit(void **state)
{
    (void)state;
    // 1 + 2^-53 lies halfway between two doubles; a digit far behind decides
    const char *half = "1.00000000000000011102230246251565404236316680908203125";
    char text[3000];
    strcpy(text, half);
    memset(text + strlen(half), '0', 2000);
    text[strlen(half) + 2000] = '\0';
    check_same(text, 1.0);
    text[strlen(half) + 1999] = '1';
    check_same(text, 1.0 + 0x1p-52);
}

static void what_is_written_comes_back(void **state)
{
    (void)state;
    uint64_t bits = 88172645463325252U;
    for (int i = 0; i < 20000; ++i) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        char text[64];
        snprintf(text, sizeof text, "%.17g", value);
        check_same(text, value);
        snprintf(text, sizeof text, "%.16e", value);
        check_same(text, value);
    }
}

// Numbers as meshes have them: up to 18 digits, a point among or before them.
static void coordinates_are_read_as_strtod_does(void **state)
{
    (void)state;
    check_same("9007199254740993.0", 9007199254740992.0);  // halfway: to even
    check_same("9007199254740993.5", 9007199254740994.0);
    check_same("900719925474099.375", 0x1.999999999999bp49);
    check_same("0.500000000000000055", 0.5);  // half of the last digit is 5.55e-17
    check_same("0.500000000000000056", 0.5 + 0x1p-53);
    uint64_t bits = 1442695040888963407U;
    for (int i = 0; i < 20000; ++i) {
        bits = bits * 6364136223846793005U + 1442695040888963407U;
        char text[64];
        int places = (int)(bits >> 59) % 20;
        uint64_t digits = (bits >> 3) % 1000000000000000000U;
        uint64_t power = 1;
        for (int k = 0; k < places && k < 18; ++k)
            power *= 10;
        snprintf(text, sizeof text, "%llu.%0*llu", (unsigned long long)(digits / power), places,
                 (unsigned long long)(digits % power));
        check_same(text, strtod(text, NULL));
    }
}

static void the_locale_does_not_matter(void **state)
{
    (void)state;
    // whichever locale with a decimal comma there is
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; ++i)
        found = setlocale(LC_ALL, names[i]) != NULL;
    if (!found)
        skip();
    check_same("1.5", 1.5);
    check_same("0.12345678901234567", 0.12345678901234567);
    check_same("1.2345678901234567e-200", 1.2345678901234567e-200);
    setlocale(LC_ALL, "C");
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const words[] = {"", "-", ".", "e5", "abc", "+-1", "--1", "-.", "i", "na"};
    double value;
    int64_t whole;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        const char *end = words[i] + strlen(words[i]);
        assert_null(pal_parse_double(words[i], end, &value));
        assert_null(pal_parse_int(words[i], end, &whole));
    }
    assert_true(isnan(parse("nan")));
    assert_true(isinf(parse("-Infinity")));
    const char *cut = "1e+";  // the exponent is not there: the number ends before it
    assert_ptr_equal(pal_parse_double(cut, cut + 3, &value), cut + 1);
}

static void whole_numbers_stay_in_range(void **state)
{
    (void)state;
    int64_t value;
    const char *most = "9223372036854775807", *more = "9223372036854775808";
    assert_ptr_equal(pal_parse_int(most, most + 19, &value), most + 19);
    assert_true(value == INT64_MAX);
    assert_null(pal_parse_int(more, more + 19, &value));
    const char *negative = "-42";
    assert_non_null(pal_parse_int(negative, negative + 3, &value));
    assert_int_equal(value, -42);
}

static void bytes_become_numbers_in_either_order(void **state)
{
    (void)state;
    const uint8_t bytes[8] = {0x40, 0x09, 0x21, 0xFB, 0x54, 0x44, 0x2D, 0x18};
    bool big = pal_host_is_little_endian();
    check_near(pal_number_get_double(bytes, PAL_NUMBER_FLOAT64, big), 0x1.921fb54442d18p1, 0);
    assert_int_equal(pal_number_get_int(bytes, PAL_NUMBER_INT16, big), 0x4009);
    assert_int_equal(pal_number_get_int(bytes, PAL_NUMBER_INT16, !big), 0x0940);
    const uint8_t ones[8] = {255, 255, 255, 255, 255, 255, 255, 255};
    assert_int_equal(pal_number_get_int(ones, PAL_NUMBER_INT8, false), -1);
    assert_int_equal(pal_number_get_int(ones, PAL_NUMBER_UINT8, false), 255);
    assert_int_equal(pal_number_get_int(ones, PAL_NUMBER_INT32, false), -1);
    assert_int_equal(pal_number_get_int(ones, PAL_NUMBER_UINT32, false), 4294967295);
    assert_true(pal_number_get_int(ones, PAL_NUMBER_UINT64, false) == INT64_MAX);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(plain_numbers_are_read),
    cmocka_unit_test(rounding_is_exact),
    cmocka_unit_test(long_numbers_are_rounded_by_their_last_digit),
    cmocka_unit_test(what_is_written_comes_back),
    cmocka_unit_test(coordinates_are_read_as_strtod_does),
    cmocka_unit_test(the_locale_does_not_matter),
    cmocka_unit_test(what_is_no_number_is_refused),
    cmocka_unit_test(whole_numbers_stay_in_range),
    cmocka_unit_test(bytes_become_numbers_in_either_order),
};
CHECK_GROUP(tests, NULL, NULL)
