// What the terminal can show.
#include "cli.h"

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

void pal_cli_wrap(const char *text, int column, int indent)
{
    int width = pal_cli_text_width();
    bool first = true;  // no space before the first word of a line
    while (*text != '\0') {
        int length = (int)strcspn(text, " \n");
        if (length > 0 && !first && column + 1 + length > width) {
            printf("\n%*s", indent, "");
            column = indent;
            first = true;
        }
        column += printf("%s%.*s", first || length == 0 ? "" : " ", length, text);
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
