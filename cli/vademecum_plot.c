// A page about a bench: how long steps took, and forces along the path.
#include "cli.h"

#include <math.h>

enum { WIDTH = 640, HEIGHT = 240, LEFT = 60, TOP = 12 };

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Haptic loop</title>\n"
    "<style>body{font:15px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;"
    "padding:0 1rem;color:#242a36}text{font-size:12px}</style>\n<h1>Haptic loop</h1>\n";

static void begin_plot(FILE *file, const char *title, const char *below, double top)
{
    fprintf(file,
            "<h2>%s</h2>\n<svg viewBox=\"0 0 %d %d\" width=\"%d\"><path d=\"M%d %dV%dH%d\" "
            "fill=\"none\" stroke=\"#888\"/>\n<text x=\"2\" y=\"%d\">%.4g</text>"
            "<text x=\"2\" y=\"%d\">0</text><text x=\"%d\" y=\"%d\">%s</text>\n",
            title, LEFT + WIDTH, TOP + HEIGHT + 30, LEFT + WIDTH, LEFT, TOP, TOP + HEIGHT,
            LEFT + WIDTH, TOP + 8, top, TOP + HEIGHT, LEFT, TOP + HEIGHT + 22, below);
}

// A curve over equal intervals.
static void put_curve(FILE *file, const char *title, const char *below, const double *values,
                      int32_t count)
{
    double top = 1e-300;
    for (int32_t i = 0; i < count; ++i)
        top = fmax(top, values[i]);
    begin_plot(file, title, below, top);
    fprintf(file, "<path fill=\"none\" stroke=\"#c42\" d=\"");
    for (int32_t i = 0; i < count; ++i)
        fprintf(file, "%c%.1f %.1f", i == 0 ? 'M' : 'L',
                LEFT + WIDTH * (double)i / fmax(1, count - 1),
                TOP + HEIGHT * (1 - values[i] / top));
    fprintf(file, "\"/></svg>\n");
}

// Bars of equal width on a logarithmic axis, from 1 to 10,000 microseconds.
static void put_histogram(FILE *file, const double *sorted, int64_t count)
{
    enum { BARS = 40 };
    int64_t steps[BARS] = {0}, most = 1;
    for (int64_t i = 0; i < count; ++i) {
        double place = BARS / 4.0 * log10(fmax(1, sorted[i]));
        int bar = place < BARS ? (int)place : BARS - 1;
        most = ++steps[bar] > most ? steps[bar] : most;
    }
    begin_plot(file, "Time from a pose to its force",
               "1 us to 10 ms, each quarter of the axis ten times as long; height: steps",
               (double)most);
    for (int bar = 0; bar < BARS; ++bar) {
        double high = HEIGHT * (double)steps[bar] / (double)most, wide = WIDTH / (double)BARS;
        fprintf(file,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#688\"/>\n",
                LEFT + bar * wide, TOP + HEIGHT - high, 0.9 * wide, high);
    }
    fprintf(file, "</svg>\n");
}

bool pal_cli_bench_page(const char *path, const PalCliBenchPage *page)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return false;
    const double *t = page->microseconds;
    int64_t n = page->step_count;
    fprintf(file, "%s<p>%lld steps: half within %.1f, 99.9 %% within %.1f, longest %.1f us.</p>\n",
            head, (long long)n, t[(n - 1) / 2], t[(int64_t)ceil(0.999 * (double)n) - 1], t[n - 1]);
    put_histogram(file, t, n);
    put_curve(file, "Force", "pose of the path", page->forces, page->pose_count);
    put_curve(file, "Contacts", "pose of the path", page->contacts, page->pose_count);
    bool written = ferror(file) == 0;
    return fclose(file) == 0 && written;
}
