// Messages, near misses, and numbers for people.
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Bytes of the character of UTF-8 at the front; 0: it is none.
static int character_size(const unsigned char *c)
{
    int size = c[0] < 0x80                   ? 1
               : c[0] >= 0xc2 && c[0] < 0xe0 ? 2
               : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
               : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                             : 0;
    for (int i = 1; i < size; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    return size;
}

void pal_cli_print_shown(FILE *file, const char *text)
{
    int size;
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';
         c += size > 0 ? size : 1) {
        size = character_size(c);
        if (*c == '\n')
            fputs("\\n", file);
        else if (size == 0 || *c < 0x20 || *c == 0x7f)
            fprintf(file, "\\x%02x", *c);
        else if (*c == 0xc2 && c[1] < 0xa0)  // the control characters of Unicode
            fprintf(file, "\\x%02x", c[1]);
        else
            fwrite(c, 1, (size_t)size, file);
    }
}

void pal_cli_print_line(const char *text)
{
    pal_cli_print_shown(stderr, text);
    fputc('\n', stderr);
}

int pal_cli_refuse(const char *format, ...)
{
    char text[10000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    PalError error = {0};  // shortens it
    pal_error_set(&error, PAL_BAD_INPUT, "%s", text);
    fputs("palpate: ", stderr);
    pal_cli_print_line(error.text);
    return PAL_EXIT_USAGE;
}

// "beam.yaml:3:7: ..." and "out/history.csv: ..." name their file; other messages, the program.
static bool begins_with_path(const char *text)
{
    size_t length = strcspn(text, ": ");
    return text[length] == ':' &&
           (memchr(text, '.', length) != NULL || memchr(text, '/', length) != NULL);
}

void pal_cli_print_error(const char *path, const PalError *error)
{
    PalError shown = {0};  // the path as messages show it
    pal_error_set(&shown, PAL_BAD_INPUT, "%.100s%s", path, strlen(path) < 100 ? ":" : "");
    bool scene = strncmp(error->text, shown.text, strlen(shown.text)) == 0;
    if (!scene && !begins_with_path(error->text))
        fputs("palpate: ", stderr);
    pal_cli_print_line(error->text);
}

// Optimal string alignment: insertions, deletions, changes and swapped neighbours count one each.
static int distance(const char *a, const char *b)
{
    enum { LENGTH_MAX = 40 };
    int rows[3][LENGTH_MAX + 1];
    int a_length = (int)strlen(a), b_length = (int)strlen(b);
    if (a_length > LENGTH_MAX || b_length > LENGTH_MAX)
        return LENGTH_MAX;
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= b_length; j++)
        last[j] = j;
    for (int i = 1; i <= a_length; i++) {
        row[0] = i;
        for (int j = 1; j <= b_length; j++) {
            int least = last[j - 1] + (a[i - 1] != b[j - 1]);
            least = last[j] + 1 < least ? last[j] + 1 : least;
            least = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < least)
                least = before[j - 2] + 1;
            row[j] = least;
        }
        int *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[b_length];
}

const char *pal_cli_nearest(const char *word, const char *const *candidates, int32_t count)
{
    const char *nearest = NULL;
    int best = 0;
    for (int32_t i = 0; i < count; i++) {
        int length = (int)strlen(candidates[i]);
        int apart = distance(word, candidates[i]);
        int allowed = length <= 4 ? 1 : length / 3;
        // A beginning of at least two letters is as good as one mistake.
        if (strlen(word) >= 2 && strncmp(word, candidates[i], strlen(word)) == 0)
            apart = 1;
        if (apart <= allowed && (nearest == NULL || apart < best)) {
            nearest = candidates[i];
            best = apart;
        }
    }
    return nearest;
}

const char *pal_cli_grouped(int64_t number, char *text, size_t size)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)number);
    size_t used = 0;
    for (int i = 0; i < length && used + 2 < size; i++) {
        int left = length - i;
        if (i > 0 && left % 3 == 0 && digits[i - 1] != '-')
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

const char *pal_cli_short(double number, char *text, size_t size)
{
    static const char *const suffixes[] = {"", "k", "M", "G", "T"};
    int step = 0;
    while (fabs(number) >= 999.5 && step < 4) {
        number /= 1000;
        step++;
    }
    // Three digits that count.
    int decimals = fabs(number) < 9.995 ? 2 : fabs(number) < 99.95 ? 1 : 0;
    snprintf(text, size, "%.*f%s", decimals, number, suffixes[step]);
    return text;
}

const char *pal_cli_duration(double seconds, char *text, size_t size)
{
    if (seconds < 0.0995)
        snprintf(text, size, "%.1f ms", 1000 * seconds);
    else if (seconds < 9.95)
        snprintf(text, size, "%.2f s", seconds);
    else if (seconds < 99.5)
        snprintf(text, size, "%.1f s", seconds);
    else
        pal_cli_clock(seconds, text, size);
    return text;
}

const char *pal_cli_clock(double seconds, char *text, size_t size)
{
    if (!(seconds < 360000)) {
        snprintf(text, size, "long");
        return text;
    }
    int whole = (int)(seconds + 0.5);
    if (whole >= 3600)
        snprintf(text, size, "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(text, size, "%d:%02d", whole / 60, whole % 60);
    return text;
}
