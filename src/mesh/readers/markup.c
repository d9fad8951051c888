#include "mesh/readers/markup.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- places and troubles ------------------------------------------------------------------

static int32_t line_of(PalMarkup *markup, const char *where)
{
    const char *c = markup->counted;
    while (c < where && (c = memchr(c, '\n', (size_t)(where - c))) != NULL) {
        markup->counted_line += markup->counted_line < INT32_MAX;
        ++c;
    }
    markup->counted = where;
    return markup->counted_line;
}

int32_t pal_markup_line_now(PalMarkup *markup)
{
    return line_of(markup, markup->at);
}

static PalStatus fail(PalMarkup *markup, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static PalStatus fail(PalMarkup *markup, const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(markup->trouble, sizeof markup->trouble, format, arguments);
    va_end(arguments);
    if (where < markup->counted) {
        markup->counted = markup->begin;
        markup->counted_line = 1;
    }
    markup->trouble_line = line_of(markup, where);
    const char *first = where;
    while (first > markup->begin && first[-1] != '\n' && where - first < INT32_MAX - 1)
        --first;
    markup->trouble_column = (int32_t)(where - first) + 1;
    return PAL_BAD_INPUT;
}

static bool begins_with(const PalMarkup *markup, const char *text)
{
    size_t size = strlen(text), left = (size_t)(markup->end - markup->at);
    return left >= size && memcmp(markup->at, text, size) == 0;
}

// The place right behind the next `text`; NULL: there is none.
static const char *behind(const PalMarkup *markup, const char *at, const char *text)
{
    size_t size = strlen(text);
    for (; (size_t)(markup->end - at) >= size; ++at) {
        at = memchr(at, text[0], (size_t)(markup->end - at) - size + 1);
        if (at == NULL)
            return NULL;
        if (memcmp(at, text, size) == 0)
            return at + size;
    }
    return NULL;
}

// ---- encodings ----------------------------------------------------------------------------

// U+0080 to U+07FF or, of UTF-16, any character below U+10000.
static char *put_character(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (char)(0xf0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    }
    return out;
}

static uint32_t half_at(const unsigned char *at, bool big)
{
    return big ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

// Three bytes at most for each half, so that `size / 2 * 3` bytes of room are enough.
static char *from_utf16(const char *text, size_t size, bool big, char *out)
{
    const unsigned char *at = (const unsigned char *)text;
    for (; size >= 2; at += 2, size -= 2) {
        uint32_t code = half_at(at, big), low = size >= 4 ? half_at(at + 2, big) : 0;
        if (code >= 0xd800 && code < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            at += 2;
            size -= 2;
        }
        out = put_character(out, code);
    }
    return out;
}

static char *from_latin(const char *text, size_t size, char *out)
{
    for (size_t i = 0; i < size; ++i)
        out = put_character(out, (unsigned char)text[i]);
    return out;
}

// The value of `encoding` in "<?xml version="1.0" encoding="UTF-8"?>"; empty without one.
static PalToken told_encoding(const PalMarkup *markup)
{
    PalToken none = {"", 0};
    if (!begins_with(markup, "<?xml"))
        return none;
    const char *end = behind(markup, markup->at, "?>");
    const char *at = behind(markup, markup->at, "encoding");
    if (end == NULL || at == NULL || at > end)
        return none;
    at += strspn(at, " \t\r\n=");  // ends at the latest at the quote or at '?'
    const char *close =
        *at == '"' || *at == '\'' ? memchr(at + 1, *at, (size_t)(end - at) - 1) : at;
    return close == NULL || close == at ? none : (PalToken){at + 1, (size_t)(close - at) - 1};
}

static PalStatus use_converted(PalMarkup *markup, bool utf16, bool big)
{
    size_t size = (size_t)(markup->end - markup->begin);
    markup->converted = pal_alloc(size, 2);
    if (markup->converted == NULL)
        return PAL_NO_MEMORY;
    char *end = utf16 ? from_utf16(markup->begin, size, big, markup->converted)
                      : from_latin(markup->begin, size, markup->converted);
    markup->begin = markup->at = markup->counted = markup->converted;
    markup->end = end;
    return PAL_OK;
}

static PalStatus find_encoding(PalMarkup *markup)
{
    static const char *const latin[] = {"ISO-8859-1",   "ISO8859-1", "latin1",
                                        "windows-1252", "US-ASCII",  "ASCII"};
    size_t size = (size_t)(markup->end - markup->begin);
    bool little = size >= 2 && memcmp(markup->begin, "\xff\xfe", 2) == 0;
    bool big = size >= 2 && memcmp(markup->begin, "\xfe\xff", 2) == 0;
    if (little || big) {
        PAL_TRY(use_converted(markup, true, big));
        markup->at += 3;  // the mark
        return PAL_OK;
    }
    if (begins_with(markup, "\xEF\xBB\xBF"))
        markup->at += 3;
    PalToken told = told_encoding(markup);
    if (told.size == 0 || pal_token_is_like(told, "UTF-8") || pal_token_is_like(told, "UTF8"))
        return PAL_OK;
    for (size_t i = 0; i < sizeof latin / sizeof *latin; ++i)
        if (pal_token_is_like(told, latin[i]))
            return use_converted(markup, false, false);
    return fail(markup, told.text, "the encoding '%s', which is not UTF-8 or ISO-8859-1",
                pal_token_quote(told).text);
}

// Text only, and well-formed, so that names from it can be shown.
static PalStatus check_bytes(PalMarkup *markup)
{
    for (const char *c = markup->at; c < markup->end;) {
        unsigned char byte = (unsigned char)*c;
        if (byte < 0x80 && (byte >= 0x20 || byte == '\n' || byte == '\r' || byte == '\t')) {
            ++c;
            continue;
        }
        int length = byte < 0x80 ? 0 : pal_utf8_length(c, (size_t)(markup->end - c));
        if (length == 0)
            return fail(markup, c, "the byte 0x%02x is not text", byte);
        c += length;
    }
    return PAL_OK;
}

PalStatus pal_markup_init(PalMarkup *markup, const char *text, size_t size)
{
    *markup = (PalMarkup){.counted_line = 1};
    markup->begin = markup->at = markup->counted = size > 0 ? text : "";
    markup->end = markup->begin + size;
    PAL_TRY(find_encoding(markup));
    return check_bytes(markup);
}

void pal_markup_clear(PalMarkup *markup)
{
    pal_array_clear(&markup->values);
    pal_free(markup->converted);
    markup->converted = NULL;
}

// ---- characters ---------------------------------------------------------------------------

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
           (unsigned char)c >= 0x80;
}

static bool is_name_part(char c)
{
    return is_name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

static PalToken take_name(PalMarkup *markup)
{
    PalToken name = {markup->at, 0};
    if (markup->at < markup->end && is_name_start(*markup->at))
        while (markup->at < markup->end && is_name_part(*markup->at))
            ++markup->at;
    name.size = (size_t)(markup->at - name.text);
    return name;
}

static void skip_blanks(PalMarkup *markup)
{
    while (markup->at < markup->end && pal_is_blank(*markup->at))
        ++markup->at;
}

static PalToken without_prefix(PalToken name)
{
    const char *colon = memchr(name.text, ':', name.size);
    if (colon == NULL || colon + 1 == name.text + name.size)
        return name;
    return (PalToken){colon + 1, name.size - (size_t)(colon + 1 - name.text)};
}

static uint32_t numbered(PalToken digits, uint32_t base)
{
    uint32_t code = 0;
    for (size_t i = 0; i < digits.size && code < 0x110000; ++i) {
        char c = digits.text[i];
        uint32_t value = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                : 99;
        code = value < base ? code * base + value : 0x110000;
    }
    return digits.size > 0 ? code : 0x110000;
}

// The character that "&lt;" or "&#60;" at the front stands for, consumed; its bytes in `bytes`.
static PalStatus take_reference(PalMarkup *markup, char bytes[4], size_t *size)
{
    static const struct {
        const char *name;
        uint32_t code;
    } known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    const char *start = markup->at, *c = start + 1;
    while (c < markup->end && c - start < 12 && *c != ';' && *c != '<')
        ++c;
    if (c == markup->end || *c != ';')
        return fail(markup, start, "an & that begins no character such as &amp;");
    PalToken name = {start + 1, (size_t)(c - start) - 1};
    uint32_t code = 0x110000;
    if (name.size > 1 && name.text[0] == '#')
        code = name.text[1] == 'x' ? numbered((PalToken){name.text + 2, name.size - 2}, 16)
                                   : numbered((PalToken){name.text + 1, name.size - 1}, 10);
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (pal_token_is(name, known[i].name))
            code = known[i].code;
    bool control = code < 0x20 && code != '\n' && code != '\r' && code != '\t';
    if (code >= 0x110000 || control || (code >= 0xd800 && code < 0xe000))
        return fail(markup, start, "&%s;, which stands for no character",
                    pal_token_quote(name).text);
    *size = (size_t)(put_character(bytes, code) - bytes);
    markup->at = c + 1;
    return PAL_OK;
}

// ---- tags ---------------------------------------------------------------------------------

// Room for it is there: a reference is longer than what it stands for.
static PalStatus rewrite_value(PalMarkup *markup, const char *end, PalToken *value)
{
    char *out = markup->values.items + markup->values.count;
    *value = (PalToken){out, 0};
    while (markup->at < end) {
        size_t size = 1;
        if (*markup->at == '&') {
            char bytes[4];
            PAL_TRY(take_reference(markup, bytes, &size));
            memcpy(out, bytes, size);
        } else {
            *out = pal_is_blank(*markup->at) ? ' ' : *markup->at;
            ++markup->at;
        }
        out += size;
    }
    value->size = (size_t)(out - value->text);
    markup->values.count += (int32_t)value->size;
    return PAL_OK;
}

static bool needs_rewriting(PalToken value)
{
    for (size_t i = 0; i < value.size; ++i)
        if (value.text[i] == '&' || (pal_is_blank(value.text[i]) && value.text[i] != ' '))
            return true;
    return false;
}

static PalStatus take_value(PalMarkup *markup, const char *tag_end, PalToken *value)
{
    const char *start = markup->at;
    if (start == markup->end || (*start != '"' && *start != '\''))
        return fail(markup, start, "an attribute without a value in quotes");
    const char *end = memchr(start + 1, *start, (size_t)(markup->end - start) - 1);
    if (end == NULL)
        return fail(markup, start, "an attribute whose quote is not closed");
    *value = (PalToken){start + 1, (size_t)(end - start) - 1};
    if (memchr(value->text, '<', value->size) != NULL)
        return fail(markup, start, "a < in the value of an attribute");
    if (needs_rewriting(*value)) {
        // the first one makes room for all, so that none of them moves
        if (markup->values.count == 0 && !pal_array_reserve(&markup->values, tag_end - start))
            return PAL_NO_MEMORY;
        markup->at = start + 1;
        PAL_TRY(rewrite_value(markup, end, value));
    }
    markup->at = end + 1;
    return PAL_OK;
}

// The > that ends the tag, whatever stands in quotes; the end of the text without one.
static const char *find_tag_end(const PalMarkup *markup)
{
    char quote = '\0';
    const char *c = markup->at;
    for (; c < markup->end; ++c) {
        if (quote != '\0')
            quote = *c == quote ? '\0' : quote;
        else if (*c == '"' || *c == '\'')
            quote = *c;
        else if (*c == '>')
            break;
    }
    return c;
}

static PalStatus take_attribute(PalMarkup *markup, const char *tag_end)
{
    const char *start = markup->at;
    PalToken name = take_name(markup), value;
    if (name.size == 0)
        return fail(markup, start, "an unexpected character in a tag");
    skip_blanks(markup);
    if (markup->at == markup->end || *markup->at != '=')
        return fail(markup, markup->at, "an attribute without a value");
    ++markup->at;
    skip_blanks(markup);
    PAL_TRY(take_value(markup, tag_end, &value));
    for (int32_t i = 0; i < markup->attribute_count; ++i)
        if (markup->attributes[i].name.size == name.size &&
            memcmp(markup->attributes[i].name.text, name.text, name.size) == 0)
            return fail(markup, start, "the attribute %s is given twice",
                        pal_token_quote(name).text);
    if (markup->attribute_count == PAL_MARKUP_ATTRIBUTE_MAX)
        return fail(markup, start, "more than %d attributes", PAL_MARKUP_ATTRIBUTE_MAX);
    markup->attributes[markup->attribute_count++] = (PalMarkupAttribute){name, value};
    return PAL_OK;
}

static PalStatus take_attributes(PalMarkup *markup)
{
    const char *tag = markup->at, *tag_end = find_tag_end(markup);
    markup->attribute_count = 0;
    markup->values.count = 0;
    for (;;) {
        const char *before = markup->at;
        skip_blanks(markup);
        if (markup->at == markup->end)
            return fail(markup, tag, "a tag that is not closed");
        if (*markup->at == '>' || begins_with(markup, "/>"))
            break;
        if (markup->at == before)
            return fail(markup, before, "an unexpected character in a tag");
        PAL_TRY(take_attribute(markup, tag_end));
    }
    markup->empty = *markup->at == '/';
    markup->at += markup->empty ? 2 : 1;
    for (int32_t i = 0; i < markup->attribute_count; ++i)
        markup->attributes[i].name = without_prefix(markup->attributes[i].name);
    return PAL_OK;
}

static PalStatus open_element(PalMarkup *markup)
{
    const char *start = markup->at++;
    PalToken name = take_name(markup);
    if (name.size == 0)
        return fail(markup, start, "a < that begins no tag");
    if (markup->depth == 0 && markup->rooted)
        return fail(markup, start, "a second root, after the end of the first");
    if (markup->depth == PAL_MARKUP_DEPTH_MAX)
        return fail(markup, start, "elements nested deeper than %d", PAL_MARKUP_DEPTH_MAX);
    PAL_TRY(take_attributes(markup));
    markup->rooted = true;
    markup->open[markup->depth++] = name;
    markup->kind = PAL_MARKUP_OPEN;
    markup->name = without_prefix(name);
    return PAL_OK;
}

static PalStatus close_element(PalMarkup *markup)
{
    const char *start = markup->at;
    markup->at += 2;
    PalToken name = take_name(markup);
    skip_blanks(markup);
    if (name.size == 0 || markup->at == markup->end || *markup->at != '>')
        return fail(markup, start, "a closing tag that is not closed");
    ++markup->at;
    if (markup->depth == 0)
        return fail(markup, start, "</%s>, which closes nothing", pal_token_quote(name).text);
    PalToken open = markup->open[markup->depth - 1];
    if (open.size != name.size || memcmp(open.text, name.text, name.size) != 0)
        return fail(markup, start, "a mismatch: </%s> stands where <%s> is open",
                    pal_token_quote(name).text, pal_token_quote(open).text);
    markup->kind = PAL_MARKUP_CLOSE;
    markup->name = without_prefix(name);
    return PAL_OK;
}

// ---- pieces -------------------------------------------------------------------------------

// From an opening to a closing mark: a comment or CDATA.
static PalStatus take_until(PalMarkup *markup, size_t opening, const char *closing,
                            PalMarkupKind kind)
{
    const char *start = markup->at, *end = behind(markup, start + opening, closing);
    if (end == NULL)
        return fail(markup, start, "the file ends before %s", closing);
    size_t size = (size_t)(end - start) - opening - strlen(closing);
    markup->text = (PalToken){start + opening, size};
    markup->kind = kind;
    markup->at = end;
    return PAL_OK;
}

static PalStatus take_text(PalMarkup *markup)
{
    const char *start = markup->at;
    markup->kind = PAL_MARKUP_TEXT;
    if (*start == '&') {
        size_t size = 0;
        PAL_TRY(take_reference(markup, markup->character, &size));
        markup->text = (PalToken){markup->character, size};
    } else {
        while (markup->at < markup->end && *markup->at != '<' && *markup->at != '&')
            ++markup->at;
        markup->text = (PalToken){start, (size_t)(markup->at - start)};
    }
    if (markup->depth == 0 && pal_token_trim(markup->text).size > 0)
        return fail(markup, start, "text outside of the root");
    return PAL_OK;
}

static PalStatus take_piece(PalMarkup *markup)
{
    if (*markup->at != '<')
        return take_text(markup);
    if (begins_with(markup, "</"))
        return close_element(markup);
    if (begins_with(markup, "<!--"))
        return take_until(markup, 4, "-->", PAL_MARKUP_COMMENT);
    if (begins_with(markup, "<![CDATA[") && markup->depth > 0)
        return take_until(markup, 9, "]]>", PAL_MARKUP_TEXT);
    if (begins_with(markup, "<!DOCTYPE")) {
        markup->kind = PAL_MARKUP_DOCUMENT_TYPE;
        return PAL_OK;
    }
    return open_element(markup);
}

PalStatus pal_markup_next(PalMarkup *markup)
{
    if (markup->kind == PAL_MARKUP_CLOSE)
        --markup->depth;
    if (markup->empty) {
        markup->empty = false;
        markup->kind = PAL_MARKUP_CLOSE;
        return PAL_OK;
    }
    while (begins_with(markup, "<?"))  // instructions say nothing to us
        PAL_TRY(take_until(markup, 2, "?>", PAL_MARKUP_COMMENT));
    markup->line = line_of(markup, markup->at);
    if (markup->at < markup->end)
        return take_piece(markup);
    if (markup->depth > 0)
        return fail(markup, markup->end, "the file ends within <%s>",
                    pal_token_quote(markup->open[markup->depth - 1]).text);
    if (!markup->rooted)
        return fail(markup, markup->end, "no element");
    markup->kind = PAL_MARKUP_FINISH;
    return PAL_OK;
}

PalToken pal_markup_attribute(const PalMarkup *markup, const char *name)
{
    for (int32_t i = 0; i < markup->attribute_count; ++i)
        if (pal_token_is(markup->attributes[i].name, name))
            return markup->attributes[i].value;
    return (PalToken){"", 0};
}
