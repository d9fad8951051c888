// Our own XML: what it finds, what it refuses and where.
#include "check.h"

#include "mesh/readers/markup.h"

// The pieces of a text, written down: "<a x=1>" "text" "</a>" "#comment".
static PalStatus write_down(const char *text, size_t size, char *out, size_t room,
                            PalMarkup *markup)
{
    size_t used = 0;
    out[0] = '\0';
    PalStatus status = pal_markup_init(markup, text, size);
    while (status == PAL_OK && (status = pal_markup_next(markup)) == PAL_OK &&
           markup->kind != PAL_MARKUP_FINISH) {
        PalToken name = markup->name, body = markup->text;
        char *at = out + used;
        size_t left = room - used;
        if (markup->kind == PAL_MARKUP_OPEN) {
            int length = snprintf(at, left, "<%.*s", (int)name.size, name.text);
            for (int32_t i = 0; i < markup->attribute_count; ++i) {
                const PalMarkupAttribute *a = &markup->attributes[i];
                length +=
                    snprintf(at + length, left - (size_t)length, " %.*s=%.*s", (int)a->name.size,
                             a->name.text, (int)a->value.size, a->value.text);
            }
            snprintf(at + length, left - (size_t)length, ">");
        } else if (markup->kind == PAL_MARKUP_CLOSE) {
            snprintf(at, left, "</%.*s>", (int)name.size, name.text);
        } else if (markup->kind == PAL_MARKUP_DOCUMENT_TYPE) {
            snprintf(at, left, "!");
            break;
        } else {
            snprintf(at, left, "%s%.*s", markup->kind == PAL_MARKUP_COMMENT ? "#" : "",
                     (int)body.size, body.text);
        }
        used = strlen(out);
        assert_true(used + 1 < room);
    }
    return status;
}

static void check_pieces(const char *text, size_t size, const char *expected)
{
    char out[1024];
    PalMarkup markup;
    PalStatus status = write_down(text, size, out, sizeof out, &markup);
    if (status != PAL_OK)
        fail_msg("%s: %s", text, markup.trouble);
    assert_string_equal(out, expected);
    pal_markup_clear(&markup);
}

static void finds_pieces(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"<a/>", "<a></a>"},
        {"<?xml version='1.0'?>\n<a>x</a>\n", "\n<a>x</a>\n"},
        {"<v:a v:b = '1'  c=\"'2'\" ><!--no--> </v:a >", "<a b=1 c='2'>#no </a>"},
        {"<a><b/>t<c><![CDATA[<&]]></c></a><?end?>", "<a><b></b>t<c><&</c></a>"},
        {"<a>&lt;&#65;&#x42;&amp;&gt;&quot;&apos;&#xe9;</a>", "<a><AB&>\"'\xc3\xa9</a>"},
        {"<a b='x&#10;y&lt;' c='p\nq'/>", "<a b=x\ny< c=p q></a>"},
        {"<!DOCTYPE a><a/>", "!"},
        {"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xe9</a>", "<a>\xc3\xa9</a>"},
        {"<?xml version=\"1.0\" encoding='utf-8'?><a>\xc3\xa9</a>", "<a>\xc3\xa9</a>"},
        {"\xEF\xBB\xBF<a/>", "<a></a>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        check_pieces(cases[i][0], strlen(cases[i][0]), cases[i][1]);
    static const char little[] = "\xff\xfe<\0a\0>\0\xe9\0=\xd8\0\xde<\0/\0a\0>";
    check_pieces(little, sizeof little, "<a>\xc3\xa9\xf0\x9f\x98\x80</a>");
    static const char big[] = "\xfe\xff\0<\0a\0/\0>";
    check_pieces(big, sizeof big - 1, "<a></a>");
}

static void says_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t line, column;
        const char *words;
    } cases[] = {
        {"", 1, 1, "no element"},
        {"hello", 1, 1, "text outside of the root"},
        {"<a/>\n<b/>", 2, 1, "a second root"},
        {"<a>\n<b></a>", 2, 4, "a mismatch: </a> stands where <b> is open"},
        {"<a>\n\n<b>", 3, 4, "the file ends within <b>"},
        {"</a>", 1, 1, "closes nothing"},
        {"<a b></a>", 1, 5, "an attribute without a value"},
        {"<a b=c></a>", 1, 6, "in quotes"},
        {"<a b='c></a>", 1, 6, "quote is not closed"},
        {"<a b='<'/>", 1, 6, "a < in the value"},
        {"<a b='1' b='2'/>", 1, 10, "the attribute b is given twice"},
        {"<a b='1'c='2'/>", 1, 9, "an unexpected character"},
        {"<a 1='2'/>", 1, 4, "an unexpected character"},
        {"<a", 1, 3, "a tag that is not closed"},
        {"<a>< b/></a>", 1, 4, "a < that begins no tag"},
        {"<a>x & y</a>", 1, 6, "an & that begins no character"},
        {"<a>&nbsp;</a>", 1, 4, "&nbsp;, which stands for no character"},
        {"<a>&#0;</a>", 1, 4, "no character"},
        {"<a>&#x110000;</a>", 1, 4, "no character"},
        {"<a>&#xd800;</a>", 1, 4, "no character"},
        {"<a>&#99999999999;</a>", 1, 4, "an & that"},
        {"<a><!-- x</a>", 1, 4, "the file ends before -->"},
        {"<a><![CDATA[x</a>", 1, 4, "the file ends before ]]>"},
        {"<a>\n\xff</a>", 2, 1, "the byte 0xff is not text"},
        {"<a>\x01</a>", 1, 4, "the byte 0x01 is not text"},
        {"<?xml version='1.0' encoding='EBCDIC-US'?><a/>", 1, 31, "the encoding 'EBCDIC-US'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char out[1024];
        PalMarkup markup;
        PalStatus status =
            write_down(cases[i].text, strlen(cases[i].text), out, sizeof out, &markup);
        if (status != PAL_BAD_INPUT || strstr(markup.trouble, cases[i].words) == NULL ||
            markup.trouble_line != cases[i].line || markup.trouble_column != cases[i].column)
            fail_msg("%s: status %d, %d:%d: %s", cases[i].text, (int)status,
                     (int)markup.trouble_line, (int)markup.trouble_column, markup.trouble);
        pal_markup_clear(&markup);
    }
}

// Every beginning of a file ends well, without a byte beyond it: the sanitizers watch.
static void cut_texts_stay_inside(void **state)
{
    (void)state;
    static const char text[] =
        "<?xml version='1.0' encoding='UTF-8'?><a b='&lt;x' c=\"\n\"><!--x-->"
        "<![CDATA[y]]>&amp;<d/></a><?z?>";
    for (size_t size = 0; size < sizeof text; ++size) {
        char *copy = malloc(size + 1), out[1024];
        memcpy(copy, text, size);
        PalMarkup markup;
        copy = realloc(copy, size > 0 ? size : 1);
        write_down(copy, size, out, sizeof out, &markup);
        pal_markup_clear(&markup);
        free(copy);
    }
}

static void depth_and_attributes_are_bounded(void **state)
{
    (void)state;
    enum { MANY = 4000 };
    static char text[16 * MANY];
    PalMarkup markup;
    size_t used = 0;
    for (int i = 0; i < MANY; ++i)
        used += (size_t)sprintf(text + used, "<a>");
    PalStatus status = pal_markup_init(&markup, text, used);
    while (status == PAL_OK)
        status = pal_markup_next(&markup);
    assert_non_null(strstr(markup.trouble, "nested deeper than 128"));
    pal_markup_clear(&markup);
    used = (size_t)sprintf(text, "<a");
    for (int i = 0; i < MANY; ++i)
        used += (size_t)sprintf(text + used, " b%d='&lt;'", i);
    check_ok(pal_markup_init(&markup, text, used), &(PalError){0});
    assert_int_equal(pal_markup_next(&markup), PAL_BAD_INPUT);
    assert_non_null(strstr(markup.trouble, "more than 64 attributes"));
    pal_markup_clear(&markup);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(finds_pieces),
    cmocka_unit_test(says_what_is_wrong),
    cmocka_unit_test(cut_texts_stay_inside),
    cmocka_unit_test(depth_and_attributes_are_bounded),
};
CHECK_GROUP(tests, NULL, NULL)
