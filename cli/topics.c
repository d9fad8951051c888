// help on a part of a scene: its section of the scene reference, for a terminal.
#include "cli.h"

#include <stdio.h>
#include <string.h>

#define KEY_INDENT 4

// From `start` up to `end`, without it.
typedef struct Span {
    const char *start, *end;
} Span;

static Span next_line(const char *at, const char *end)
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return (Span){at, stop != NULL ? stop : end};
}

static bool begins(Span line, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(line.end - line.start) >= length && strncmp(line.start, word, length) == 0;
}

// "## contact" and what follows, up to the next heading.
static bool find_section(const char *name, Span *section)
{
    const char *end = pal_cli_reference + strlen(pal_cli_reference);
    bool found = false;
    for (const char *at = pal_cli_reference; at < end;) {
        Span line = next_line(at, end);
        if (found && begins(line, "## "))
            break;
        if (begins(line, "## ") && strlen(name) == (size_t)(line.end - line.start - 3) &&
            strncmp(line.start + 3, name, strlen(name)) == 0) {
            found = true;
            section->start = line.end;
        }
        at = line.end + (line.end < end);
        section->end = at;
    }
    return found;
}

// Takes Markdown away: emphasis, code, links; <br> becomes the end of a line.
static void plain_text(Span from, char *to, size_t size)
{
    size_t used = 0;
    bool code = false;  // within `...`, where nothing else is Markdown
    for (const char *c = from.start; c < from.end && used + 1 < size; c++) {
        Span rest = {c, from.end};
        code = code != (*c == '`');
        if (!code && begins(rest, "<br>")) {
            to[used++] = '\n';
            c += 3;
        } else if (!code && begins(rest, "](")) {
            while (c < from.end && *c != ')')
                c++;
        } else if (strchr(code ? "`" : "`*[\\", *c) == NULL) {
            to[used++] = *c;
        }
    }
    to[used] = '\0';
}

// One of the four cells of a row "| a | b | c | d |".
static Span cell(Span row, int index)
{
    const char *at = row.start;
    Span found = {row.end, row.end};
    for (int i = 0; i <= index && at < row.end; i++) {
        at += 2;  // "| "
        const char *stop = at;
        while (stop + 1 < row.end && !(stop[0] == ' ' && stop[1] == '|'))
            stop++;
        found = (Span){at < stop ? at : stop, stop};
        at = stop + 1;
    }
    return found;
}

static void print_key(Span row)
{
    char name[64], value[400], standard[200], meaning[2000], head[800];
    plain_text(cell(row, 0), name, sizeof name);
    plain_text(cell(row, 1), value, sizeof value);
    plain_text(cell(row, 2), standard, sizeof standard);
    plain_text(cell(row, 3), meaning, sizeof meaning);
    bool required = strcmp(standard, "required") == 0;
    snprintf(head, sizeof head, "%s: %s%s%s", name, value,
             required           ? ", required"
             : standard[0] != 0 ? "; by default "
                                : "",
             required ? "" : standard);
    printf("  ");
    pal_cli_wrap(head, 2, 2 * KEY_INDENT);
    printf("%*s", KEY_INDENT, "");
    pal_cli_wrap(meaning, KEY_INDENT, KEY_INDENT);
}

static void print_section(const char *name, Span section)
{
    printf(strcmp(name, "scene") == 0 ? "a %s\n" : "%s, in a scene\n", name);
    bool blank = true;
    for (const char *at = section.start; at < section.end;) {
        Span line = next_line(at, section.end);
        char text[2000];
        plain_text(line, text, sizeof text);
        if (line.start == line.end) {
            blank = true;
        } else if (begins(line, "| `")) {
            print_key(line);
        } else if (begins(line, "| key")) {
            printf("\nKeys:\n");
        } else if (!begins(line, "|")) {
            if (blank)
                printf("\n");
            pal_cli_wrap(text, 0, 0);
            blank = false;
        }
        at = line.end + (line.end < section.end);
    }
}

// What the list of a scene's parts is called in it, and some words of common use.
static const char *const others[][2] = {
    {"bodies", "body"},        {"conditions", "condition"}, {"probes", "probe"},
    {"materials", "material"}, {"contacts", "contact"},     {"rigids", "rigid"},
    {"instrument", "rigid"},   {"instruments", "rigid"},    {"scenes", "scene"},
    {"friction", "contact"},   {"fields", "output"},        {"solvers", "solver"},
    {"ramp", "condition"},     {"separation", "contact"},   {"between", "contact"},
    {"law", "material"},       {"gravity", "condition"},    {"record", "probe"},
    {"element", "body"},       {"response", "contact"},
};

const char *pal_cli_nearest_topic(const char *word)
{
    enum { COUNT = sizeof others / sizeof others[0] };
    const char *names[2 * COUNT];
    for (size_t i = 0; i < 2 * COUNT; i++)
        names[i] = others[i / 2][i % 2];
    return pal_cli_nearest(word, names, 2 * COUNT);
}

bool pal_cli_help_topic(const char *word)
{
    Span section;
    const char *name = word;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(word, others[i][0]) == 0)
            name = others[i][1];
    if (!find_section(name, &section))
        return false;
    print_section(name, section);
    if (strcmp(name, "scene") != 0)
        return true;
    printf("\n");
    pal_cli_wrap(
        "'palpate help' with one of these words, such as 'palpate help contact', tells the "
        "keys inside; so do shape, place, material, motion and where.",
        0, 0);
    return true;
}
