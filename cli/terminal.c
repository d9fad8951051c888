// What the terminal can show.
#include "cli.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool pal_cli_is_terminal(int descriptor)
{
    const char *kind = getenv("TERM");
    return isatty(descriptor) && kind != NULL && kind[0] != '\0' && strcmp(kind, "dumb") != 0;
}

bool pal_cli_has_color(int descriptor)
{
    const char *none = getenv("NO_COLOR");
    return pal_cli_is_terminal(descriptor) && (none == NULL || none[0] == '\0');
}

bool pal_cli_has_utf8(void)
{
    // The first one set decides, as in POSIX locales.
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0')
            return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL ||
                   strstr(value, "UTF8") != NULL || strstr(value, "utf-8") != NULL;
    }
    return false;
}

int pal_cli_width(int descriptor)
{
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

int pal_cli_text_width(void)
{
    enum { WIDTH_MIN = 30, WIDTH_MAX = 80 };
    int width = isatty(STDOUT_FILENO) ? pal_cli_width(STDOUT_FILENO) : WIDTH_MAX;
    return width > WIDTH_MAX ? WIDTH_MAX : width < WIDTH_MIN ? WIDTH_MIN : width;
}

// A character of UTF-8, and how many bytes it takes; what is none counts byte by byte.
static uint32_t next_character(const char *text, size_t left, size_t *bytes)
{
    unsigned char first = (unsigned char)text[0];
    size_t length = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    uint32_t code = length == 1 ? first : first & (0x7fU >> length);
    *bytes = 1;
    if (length > left)
        return first;
    for (size_t i = 1; i < length; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return first;
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    }
    *bytes = length;
    return code;
}

// None for marks on the letter before, two for the wide ones of East Asia and pictures.
static int columns_of(uint32_t code)
{
    static const uint32_t none[][2] = {{0x300, 0x36f}, {0x200b, 0x200f}, {0xfe00, 0xfe0f}};
    static const uint32_t wide[][2] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},
                                       {0xf900, 0xfaff}, {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                                       {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        if (code >= none[i][0] && code <= none[i][1])
            return 0;
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        if (code >= wide[i][0] && code <= wide[i][1])
            return 2;
    return 1;
}

int pal_cli_columns(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0, bytes; i < length; i += bytes)
        columns += columns_of(next_character(text + i, length - i, &bytes));
    return columns;
}

int pal_cli_fitting(const char *text, int columns)
{
    size_t length = strlen(text), fitting = 0;
    for (size_t bytes; fitting < length; fitting += bytes) {
        columns -= columns_of(next_character(text + fitting, length - fitting, &bytes));
        if (columns < 0)
            break;
    }
    return (int)fitting;
}

void pal_cli_wrap(const char *text, int column, int indent)
{
    int width = pal_cli_text_width();
    bool first = true;  // no space before the first word of a line
    while (*text != '\0') {
        int length = (int)strcspn(text, " \n");
        int columns = pal_cli_columns(text, (size_t)length);
        if (length > 0 && !first && column + 1 + columns > width) {
            printf("\n%*s", indent, "");
            column = indent;
            first = true;
        }
        printf("%s%.*s", first || length == 0 ? "" : " ", length, text);
        column += columns + (first || length == 0 ? 0 : 1);
        first = first && length == 0;
        text += length;
        if (*text == '\n') {
            printf("\n%*s", indent, "");
            column = indent;
            first = true;
        }
        text += *text != '\0';
    }
    putchar('\n');
}
