#include "output/text.h"

#include "base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pal_text_clear(PalText *text)
{
    free(text->data);
    *text = (PalText){0};
}

void pal_text_reset(PalText *text)
{
    text->length = 0;
    text->no_memory = false;
}

char *pal_text_extend(PalText *text, size_t size)
{
    if (text->no_memory)
        return NULL;
    if (size > text->capacity - text->length) {
        size_t larger = text->capacity < 4096 ? 4096 : text->capacity + text->capacity / 2;
        if (larger < text->length + size)
            larger = text->length + size;
        char *moved = size > SIZE_MAX - text->length ? NULL : realloc(text->data, larger);
        if (moved == NULL) {
            text->no_memory = true;
            return NULL;
        }
        text->data = moved;
        text->capacity = larger;
    }
    char *room = text->data + text->length;
    text->length += size;
    return room;
}

void pal_text_put(PalText *text, const void *data, size_t size)
{
    char *room = pal_text_extend(text, size);
    if (room != NULL && size > 0)
        memcpy(room, data, size);
}

void pal_text_add(PalText *text, const char *string)
{
    pal_text_put(text, string, strlen(string));
}

void pal_text_print(PalText *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    // One byte more for vsnprintf's own end mark, given back afterwards.
    char *room = pal_text_extend(text, (size_t)length + 1);
    if (room == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(room, (size_t)length + 1, format, arguments);
    va_end(arguments);
    --text->length;
}

// Digits without leading or trailing zeros, and the power of ten of the first one.
static int shortest_digits(double magnitude, char digits[18], int *exponent)
{
    char printed[40];
    for (int precision = 14; precision <= 16; ++precision) {
        snprintf(printed, sizeof printed, "%.*e", precision, magnitude);
        if (strtod(printed, NULL) == magnitude)
            break;
    }
    int count = 0;
    const char *c = printed;
    for (; *c != 'e'; ++c)  // whatever the locale puts for the point is skipped
        if (*c >= '0' && *c <= '9')
            digits[count++] = *c;
    *exponent = atoi(c + 1);
    while (count > 1 && digits[count - 1] == '0')
        --count;
    return count;
}

char *pal_number_format(double value, char out[PAL_NUMBER_SIZE])
{
    if (!isfinite(value))
        return strcpy(out, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    char *o = out;
    if (signbit(value))
        *o++ = '-';
    char digits[18];
    int exponent = 0;
    int count = shortest_digits(fabs(value), digits, &exponent);
    if (value == 0)
        return strcpy(out, "0");
    if (exponent < -5 || exponent > 16) {
        *o++ = digits[0];
        if (count > 1)
            *o++ = '.';
        memcpy(o, digits + 1, (size_t)count - 1);
        sprintf(o + count - 1, "e%d", exponent);
        return out;
    }
    for (int place = exponent < 0 ? 0 : exponent; place > exponent - count || place >= 0; --place) {
        if (place == -1)
            *o++ = '.';
        int d = exponent - place;
        *o++ = d >= 0 && d < count ? digits[d] : '0';
    }
    *o = '\0';
    return out;
}

void pal_text_number(PalText *text, double value)
{
    char number[PAL_NUMBER_SIZE];
    pal_text_add(text, pal_number_format(value, number));
}

double pal_time_shown(double time)
{
    char text[PAL_NUMBER_SIZE];
    snprintf(text, sizeof text, "%.11e", time);
    return strtod(text, NULL);  // in the locale it was printed in
}

void pal_text_base64(PalText *text, const void *data, size_t size)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = pal_text_extend(text, (size + 2) / 3 * 4);
    if (out == NULL)
        return;
    const unsigned char *in = data;
    for (size_t i = 0; i < size; i += 3, out += 4) {
        size_t left = size - i;
        uint32_t bits = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
                        (left > 2 ? in[i + 2] : 0);
        out[0] = letters[bits >> 18];
        out[1] = letters[bits >> 12 & 63];
        out[2] = left > 1 ? letters[bits >> 6 & 63] : '=';
        out[3] = left > 2 ? letters[bits & 63] : '=';
    }
}

// A character that XML may not hold, however it is written: U+FFFE, U+FFFF.
static bool is_not_xml(const char *c, int length)
{
    return length == 3 && memcmp(c, "\xef\xbf", 2) == 0 && (unsigned char)c[2] >= 0xbe;
}

void pal_text_escaped(PalText *text, const char *string)
{
    int length;
    for (const char *c = string; *c != '\0'; c += length > 0 ? length : 1) {
        length = pal_utf8_length(c, PAL_UTF8_MAX);
        if (length == 0 || is_not_xml(c, length))
            pal_text_add(text, "\xef\xbf\xbd");
        else if (*c == '&')
            pal_text_add(text, "&amp;");
        else if (*c == '<')
            pal_text_add(text, "&lt;");
        else if (*c == '>')
            pal_text_add(text, "&gt;");
        else if (*c == '"')
            pal_text_add(text, "&quot;");
        else if (*c == '\'')
            pal_text_add(text, "&#39;");
        else
            pal_text_put(text, (unsigned char)*c < 32 ? " " : c, (size_t)length);
    }
}
