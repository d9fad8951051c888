#include "check.h"

#include "output/json.h"

#include <locale.h>

static void check_text(const PalText *text, const char *expected)
{
    assert_false(text->no_memory);
    assert_int_equal(text->length, strlen(expected));
    assert_memory_equal(text->data, expected, text->length);
}

static void numbers_are_short(void **state)
{
    (void)state;
    const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "0"},
        {1, "1"},
        {-2.5, "-2.5"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e-5, "0.00001"},
        {1.25e-6, "1.25e-6"},
        {123456789, "123456789"},
        {1e16, "10000000000000000"},
        {1e17, "1e17"},
        {-1.5e300, "-1.5e300"},
        {5e-324, "4.94065645841247e-324"},
        {1.7976931348623157e308, "1.7976931348623157e308"},
        {100, "100"},
        {0.05, "0.05"},
        {NAN, "nan"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char out[PAL_NUMBER_SIZE];
        assert_string_equal(pal_number_format(cases[i].value, out), cases[i].text);
    }
}

static void numbers_read_back(void **state)
{
    (void)state;
    uint64_t bits = 88172645463325252U;
    for (int i = 0; i < 200000; ++i) {
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        double value;
        memcpy(&value, &bits, sizeof value);
        if (i % 2)
            value = (double)(bits % 1000003) / 997.0;
        if (!isfinite(value))
            continue;
        char out[PAL_NUMBER_SIZE];
        assert_true(strlen(pal_number_format(value, out)) < PAL_NUMBER_SIZE);
        double back = strtod(out, NULL);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

static void base64_pads(void **state)
{
    (void)state;
    PalText text = {0};
    pal_text_base64(&text, "", 0);
    pal_text_base64(&text, "f", 1);
    pal_text_base64(&text, "fo", 2);
    pal_text_base64(&text, "foo", 3);
    pal_text_base64(&text, "\xff\xfe\xfd\xfc", 4);
    check_text(&text, "Zg==Zm8=Zm9v//79/A==");
    pal_text_clear(&text);
}

static void json_escapes(void **state)
{
    (void)state;
    PalText text = {0};
    PalJson json = pal_json_begin(&text);
    pal_json_object(&json, NULL);
    pal_json_string(&json, "a\"b", "</script>\\\n\t\xc3\xa9\xff\xed\xa0\x80");
    pal_json_number(&json, "nan", NAN);
    pal_json_vector(&json, "v", (PalVec3){1, -2, 0.5});
    pal_json_object(&json, "empty");
    pal_json_end(&json, '}');
    pal_json_end(&json, '}');
    check_text(&text, "{\n"
                      "  \"a\\\"b\": \"\\u003c/script>\\\\\\n\\u0009\xc3\xa9\\ufffd\\ufffd\\ufffd"
                      "\\ufffd\",\n"
                      "  \"nan\": null,\n"
                      "  \"v\": [1, -2, 0.5],\n"
                      "  \"empty\": {}\n"
                      "}\n");
    pal_text_clear(&text);
}

static void xml_is_escaped(void **state)
{
    (void)state;
    PalText text = {0};
    pal_text_escaped(&text, "<a & \"b\" 'c'>\n");
    check_text(&text, "&lt;a &amp; &quot;b&quot; &#39;c&#39;&gt; ");
    pal_text_reset(&text);
    pal_text_escaped(&text, "\xc3\xa9\xef\xbf\xbe|\xef\xbf\xbf|\xff|\xef\xbf\xbd");
    check_text(&text, "\xc3\xa9\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd");
    pal_text_clear(&text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_are_short), cmocka_unit_test(numbers_read_back),
    cmocka_unit_test(base64_pads),       cmocka_unit_test(json_escapes),
    cmocka_unit_test(xml_is_escaped),
};
CHECK_GROUP(tests, NULL, NULL)
