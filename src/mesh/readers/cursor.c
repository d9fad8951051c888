#include "mesh/readers/cursor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *pal_source_of(const PalSources *sources, const char *path, int64_t *line)
{
    int32_t i = sources != NULL ? sources->count : 0;
    while (i > 0 && sources->items[i - 1].first > *line)
        --i;
    if (i == 0)
        return path;
    *line += sources->items[i - 1].line - sources->items[i - 1].first;
    return sources->items[i - 1].path;
}

PalStatus pal_cursor_fail(const PalCursor *cursor, const char *where, const char *format, ...)
{
    char what[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (where == NULL)
        return pal_error_set(cursor->error, PAL_BAD_INPUT, "%s: %s", cursor->path, what);
    if (cursor->binary)
        return pal_error_set(cursor->error, PAL_BAD_INPUT, "%s: byte %td: %s", cursor->path,
                             where - cursor->begin, what);
    int64_t line = cursor->first_line;
    const char *start = cursor->begin;
    for (const char *at = start; at < where; ++at) {
        if (*at == '\n' || (*at == '\r' && (at + 1 == cursor->end || at[1] != '\n'))) {
            ++line;
            start = at + 1;
        }
    }
    const char *path = pal_source_of(cursor->sources, cursor->path, &line);
    return pal_error_set(cursor->error, PAL_BAD_INPUT, "%s:%lld:%td: %s", path, (long long)line,
                         where - start + 1, what);
}

PalStatus pal_cursor_no_memory(const PalCursor *cursor)
{
    return pal_error_set(cursor->error, PAL_NO_MEMORY,
                         "%s: needs more memory than there is, or more than %d entries",
                         cursor->path, INT32_MAX);
}

size_t pal_cursor_left(const PalCursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

bool pal_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

void pal_cursor_skip_blanks(PalCursor *cursor)
{
    while (cursor->at < cursor->end && pal_is_blank(*cursor->at))
        ++cursor->at;
}

void pal_cursor_skip_spaces(PalCursor *cursor)
{
    while (cursor->at < cursor->end && pal_is_blank(*cursor->at) && !ends_line(*cursor->at))
        ++cursor->at;
}

PalToken pal_cursor_token(PalCursor *cursor)
{
    pal_cursor_skip_blanks(cursor);
    PalToken token = {cursor->at, 0};
    while (cursor->at < cursor->end && !pal_is_blank(*cursor->at))
        ++cursor->at;
    token.size = (size_t)(cursor->at - token.text);
    return token;
}

PalToken pal_cursor_line(PalCursor *cursor)
{
    PalToken token = {cursor->at, 0};
    while (cursor->at < cursor->end && !ends_line(*cursor->at))
        ++cursor->at;
    token.size = (size_t)(cursor->at - token.text);
    if (cursor->at < cursor->end && *cursor->at++ == '\r' && cursor->at < cursor->end &&
        *cursor->at == '\n')
        ++cursor->at;
    return token;
}

bool pal_cursor_at_line_end(PalCursor *cursor)
{
    pal_cursor_skip_spaces(cursor);
    return cursor->at == cursor->end || ends_line(*cursor->at);
}

// The message for a token that is not the number it should be.
static PalStatus fail_token(PalCursor *cursor, const char *kind, const char *what)
{
    const char *where = cursor->at;
    PalToken token = pal_cursor_token(cursor);
    if (token.size == 0)
        return pal_cursor_fail(cursor, where, "the file ends here, expected %s", what);
    return pal_cursor_fail(cursor, where, "'%s' is not a %s, expected %s",
                           pal_token_quote(token).text, kind, what);
}

static bool ends_number(const PalCursor *cursor, const char *after)
{
    return after != NULL && (after == cursor->end || pal_is_blank(*after) || *after == ',');
}

PalStatus pal_cursor_int(PalCursor *cursor, int64_t *value, const char *what)
{
    pal_cursor_skip_blanks(cursor);
    const char *after = pal_parse_int(cursor->at, cursor->end, value);
    if (!ends_number(cursor, after))
        return fail_token(cursor, "whole number", what);
    cursor->at = after;
    return PAL_OK;
}

PalStatus pal_cursor_double(PalCursor *cursor, double *value, const char *what)
{
    pal_cursor_skip_blanks(cursor);
    const char *after = pal_parse_double(cursor->at, cursor->end, value);
    if (!ends_number(cursor, after))
        return fail_token(cursor, "number", what);
    cursor->at = after;
    return PAL_OK;
}

PalStatus pal_cursor_check_count(const PalCursor *cursor, const char *where, int64_t count,
                                 size_t size, const char *what)
{
    if (count < 0)
        return pal_cursor_fail(cursor, where, "%s is %lld, expected 0 or more", what,
                               (long long)count);
    if (count > INT32_MAX)
        return pal_cursor_fail(cursor, where, "%s is %lld, expected at most %d", what,
                               (long long)count, INT32_MAX);
    size_t left = pal_cursor_left(cursor);
    if (size > 0 && (size_t)count > left / size)
        return pal_cursor_fail(cursor, where,
                               "%s is %lld, but the file has only %zu more bytes; it is cut short "
                               "or damaged",
                               what, (long long)count, left);
    return PAL_OK;
}

PalStatus pal_cursor_count(PalCursor *cursor, int32_t *count, size_t numbers, const char *what)
{
    int64_t value;
    pal_cursor_skip_blanks(cursor);
    const char *where = cursor->at;
    PAL_TRY(pal_cursor_int(cursor, &value, what));
    PAL_TRY(pal_cursor_check_count(cursor, where, value, 2 * numbers, what));
    *count = (int32_t)value;
    return PAL_OK;
}

bool pal_token_is(PalToken token, const char *text)
{
    return token.size == strlen(text) && memcmp(token.text, text, token.size) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool pal_token_is_like(PalToken token, const char *text)
{
    if (token.size != strlen(text))
        return false;
    for (size_t i = 0; i < token.size; ++i)
        if (lower(token.text[i]) != lower(text[i]))
            return false;
    return true;
}

PalToken pal_token_trim(PalToken token)
{
    while (token.size > 0 && pal_is_blank(token.text[0])) {
        ++token.text;
        --token.size;
    }
    while (token.size > 0 && pal_is_blank(token.text[token.size - 1]))
        --token.size;
    return token;
}

PalQuote pal_token_quote(PalToken token)
{
    PalQuote quote;
    size_t kept = token.size < 40 ? token.size : 40;
    for (size_t i = 0; i < kept; ++i)
        quote.text[i] = token.text[i] >= ' ' && token.text[i] <= '~' ? token.text[i] : '?';
    strcpy(quote.text + kept, kept < token.size ? "..." : "");
    return quote;
}

PalStatus pal_cursor_bytes(PalCursor *cursor, size_t size, const char **bytes, const char *what)
{
    size_t left = pal_cursor_left(cursor);
    if (size > left)
        return pal_cursor_fail(cursor, cursor->at,
                               "the file has only %zu more bytes, expected %zu bytes of %s", left,
                               size, what);
    *bytes = cursor->at;
    cursor->at += size;
    return PAL_OK;
}

PalStatus pal_cursor_get_int(PalCursor *cursor, PalNumberType type, int64_t *value,
                             const char *what)
{
    const char *bytes = cursor->at;
    PAL_TRY(pal_cursor_bytes(cursor, pal_number_size(type), &bytes, what));
    *value = pal_number_get_int(bytes, type, cursor->swap);
    return PAL_OK;
}
