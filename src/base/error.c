#include <palpate/base.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WHOLE_SIZE = 10000, WORD_MAX = 200, TEXT_MAX = 800 };

// How many of the last `size` bytes to drop so that no character of UTF-8 is cut.
static size_t loose_end(const char *text, size_t size)
{
    size_t loose = 0;
    while (loose < size && loose < 4 && ((unsigned char)text[size - loose] & 0xc0) == 0x80)
        ++loose;
    return loose;
}

// Copies a piece of text of which the middle is left out beyond `most` bytes. Returns the new end.
static char *put_short(char *out, const char *text, size_t size, size_t most)
{
    if (size <= most) {
        memcpy(out, text, size);
        return out + size;
    }
    size_t front = most * 5 / 8, back = most - front - 3;
    front -= loose_end(text, front);
    const char *tail = text + size - back;
    while (((unsigned char)*tail & 0xc0) == 0x80)
        ++tail;
    memcpy(out, text, front);
    memcpy(out + front, "...", 3);
    size_t kept = (size_t)(text + size - tail);
    memcpy(out + front + 3, tail, kept);
    return out + front + 3 + kept;
}

// Writes control characters out, so that a name with a newline stays one line.
static void show(const char *text, char shown[WHOLE_SIZE])
{
    size_t used = 0;
    for (const char *c = text; *c != '\0' && used + 5 < WHOLE_SIZE; ++c) {
        unsigned char byte = (unsigned char)*c;
        if (byte >= 0x20 && byte != 0x7f)
            shown[used++] = *c;
        else if (byte == '\n')
            used += (size_t)sprintf(shown + used, "\\n");
        else
            used += (size_t)sprintf(shown + used, "\\x%02x", byte);
    }
    shown[used] = '\0';
}

// One line that can be read, whatever names it quotes.
static void shorten(const char *whole, char text[TEXT_MAX + 1])
{
    char words[WHOLE_SIZE], *out = words;
    for (const char *c = whole; *c != '\0';) {
        size_t size = strcspn(c, " ");
        out = put_short(out, c, size, WORD_MAX);
        c += size;
        if (*c == ' ')
            *out++ = *c++;
    }
    *put_short(text, words, (size_t)(out - words), TEXT_MAX) = '\0';
}

PalStatus pal_error_set(PalError *error, PalStatus status, const char *format, ...)
{
    if (error == NULL || error->status != PAL_OK)
        return status;
    char whole[WHOLE_SIZE], shown[WHOLE_SIZE];
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(whole, sizeof whole, format, arguments);
    va_end(arguments);
    _Static_assert(sizeof error->text > TEXT_MAX, "a shortened message has room");
    show(whole, shown);
    shorten(shown, error->text);
    return status;
}

const char *pal_status_name(PalStatus status)
{
    static const char *const names[] = {
        "ok",          "bad input", "no memory", "input or output failed", "simulation failed",
        "interrupted",
    };
    bool known = (int)status >= 0 && (size_t)status < sizeof names / sizeof *names;
    return known ? names[status] : "unknown";
}

const char *pal_version(void)
{
    return PAL_VERSION;
}
