// The line of progress: the bar takes what the words leave, and words go as the terminal narrows.
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAR_MIN 8
#define BAR_MAX 40
#define MARGIN  3  // columns left free: terminals echo ^C there, and some wrap at the last one

// The words right of the bar, most important first.
enum { PERCENT, LEFT, TIME, STEPS, COST, WORD_COUNT };

typedef struct Words {
    char text[WORD_COUNT][48];
} Words;

static Words compose(const PalProgress *progress)
{
    Words words = {0};
    char number[32];
    snprintf(words.text[PERCENT], sizeof words.text[0], "%3.0f%%",
             floor(100 * fmin(fmax(progress->fraction, 0), 1)));
    if (progress->seconds_left >= 0 && isfinite(progress->seconds_left))
        snprintf(words.text[LEFT], sizeof words.text[0], "%s left",
                 pal_cli_clock(progress->seconds_left, number, sizeof number));
    if (progress->residual > 0)
        snprintf(words.text[TIME], sizeof words.text[0], "residual %.1e", progress->residual);
    else
        snprintf(words.text[TIME], sizeof words.text[0], "time %.3g/%.3g", progress->time,
                 progress->end_time);
    if (progress->steps_per_second > 0)
        snprintf(words.text[STEPS], sizeof words.text[0], "%s steps/s",
                 pal_cli_short(progress->steps_per_second, number, sizeof number));
    if (progress->elements_per_second > 0)
        snprintf(words.text[COST], sizeof words.text[0], "%s ns/element",
                 pal_cli_short(1e9 / progress->elements_per_second, number, sizeof number));
    return words;
}

static void draw_bar(const PalCliProgress *line, double fraction, int columns)
{
    int filled = (int)(fmin(fmax(fraction, 0), 1) * columns + 0.5);
    fputs(line->color ? "\033[32m" : "", stderr);
    for (int i = 0; i < columns; i++) {
        if (i == filled)
            fputs(line->color ? "\033[90m" : "", stderr);
        if (line->utf8)
            fputs(i < filled || line->color ? "━" : "─", stderr);
        else
            fputc(i < filled ? '#' : '-', stderr);
    }
    fputs(line->color ? "\033[0m" : "", stderr);
}

static void draw_stage(const PalCliProgress *line, const char *stage, int width)
{
    int name = width > MARGIN ? pal_cli_fitting(line->name, width - MARGIN) : 0;
    fprintf(stderr, "\r\033[K%.*s", name, line->name);
    int left = width - MARGIN - 2 - pal_cli_columns(line->name, strlen(line->name));
    if (left > 0)
        fprintf(stderr, "  %.*s", left, stage);
    fflush(stderr);
}

static void draw(const PalCliProgress *line, const PalProgress *progress)
{
    int width = pal_cli_width(STDERR_FILENO);
    if (progress->steps_per_second <= 0 || strcmp(progress->stage, "running") != 0) {
        draw_stage(line, progress->stage, width);
        return;
    }
    Words words = compose(progress);
    int room = width - MARGIN - BAR_MIN;
    int name = pal_cli_columns(line->name, strlen(line->name)) + 2;
    bool named = name <= room / 3;
    room -= named ? name : 0;
    int last = 0;
    for (int i = 0; i < WORD_COUNT; i++) {
        int columns = (int)strlen(words.text[i]) + 2;
        if (columns > room)
            break;
        room -= columns > 2 ? columns : 0;
        last = i + 1;
    }
    int bar = BAR_MIN + room < BAR_MAX ? BAR_MIN + room : BAR_MAX;
    fprintf(stderr, "\r\033[K%s%s", named ? line->name : "", named ? "  " : "");
    draw_bar(line, progress->fraction, bar < 0 ? 0 : bar);
    for (int i = 0; i < last; i++)
        if (words.text[i][0] != '\0')
            fprintf(stderr, "  %s", words.text[i]);
    fflush(stderr);
}

bool pal_cli_progress(void *context, const PalProgress *progress)
{
    const PalCliProgress *line = context;
    if (line->shown)
        draw(line, progress);
    return !pal_cli_interrupted();
}

void pal_cli_warn(void *context, const char *text)
{
    const PalCliProgress *line = context;
    pal_cli_progress_wipe(line);
    fprintf(stderr, "%swarning%s: ", line->color ? "\033[33m" : "", line->color ? "\033[0m" : "");
    pal_cli_print_line(text);
}

void pal_cli_progress_wipe(const PalCliProgress *line)
{
    if (line->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
