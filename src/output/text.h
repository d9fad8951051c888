// Text that grows in memory: every file of a run directory is built as one of these.
#ifndef PAL_OUTPUT_TEXT_H
#define PAL_OUTPUT_TEXT_H

#include <palpate/base.h>

// Zeroed: empty. `data` may hold any bytes; it is not terminated.
typedef struct PalText {
    char *data;
    size_t length, capacity;
    bool no_memory;  // something was lost; tested once, when the text is used
} PalText;

void pal_text_clear(PalText *text);  // frees
void pal_text_reset(PalText *text);  // empties, keeps the memory

// Room for `size` more bytes at the end, counted in `length` already; NULL: no memory.
char *pal_text_extend(PalText *text, size_t size);
void pal_text_put(PalText *text, const void *data, size_t size);
void pal_text_add(PalText *text, const char *string);
void pal_text_print(PalText *text, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

#define PAL_NUMBER_SIZE 32

// The shortest digits that read back as the same number, with a point in any locale;
// nan, inf, -inf otherwise. Returns `out`.
char *pal_number_format(double value, char out[PAL_NUMBER_SIZE]);
void pal_text_number(PalText *text, double value);

// A time as it is shown: to twelve digits, which drops the rounding of steps that were added up.
double pal_time_shown(double time);

void pal_text_base64(PalText *text, const void *data, size_t size);

// A string with XML's five special characters replaced, control characters made spaces, and what
// XML cannot hold made U+FFFD.
void pal_text_escaped(PalText *text, const char *string);

#endif
