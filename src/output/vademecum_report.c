// A page about a vademecum: what it is, how far off it is, and its first modes.
#include "output/file.h"
#include "output/raster.h"

#include <palpate/vademecum_io.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 460, HEIGHT = 340, MODES = 6 };

// A body of a vademecum, to be drawn.
typedef struct Drawing {
    PalFrame frame;
    PalFrameBody body;
    PalShown shown;
    PalText *page;
    int32_t threads;
} Drawing;

static const PalVademecumArray *find(const PalVademecumArray *list, int32_t count, const char *name)
{
    for (int32_t i = 0; i < count; ++i)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

static void clear(Drawing *d)
{
    free(d->frame.reference);
    free(d->frame.displacement);
    free(d->frame.position);
    free(d->frame.triangles);
    free(d->frame.triangle_edges);
    free(d->frame.triangle_body);
    free(d->shown.values);
}

static bool make(const PalVademecumSize *size, const PalVademecumArray *list, int32_t count,
                 Drawing *d)
{
    size_t points = (size_t)size->surface_count, triangles = (size_t)size->triangle_count;
    PalFrame *f = &d->frame;
    f->body_count = f->soft_body_count = 1;
    f->bodies = &d->body;
    f->point_count = f->soft_point_count = size->surface_count;
    f->triangle_count = size->triangle_count;
    f->reference = malloc(points * sizeof *f->reference);
    f->displacement = calloc(points, sizeof *f->displacement);
    f->position = malloc(points * sizeof *f->position);
    f->triangles = malloc(triangles * sizeof *f->triangles);
    f->triangle_edges = malloc(triangles);
    f->triangle_body = calloc(triangles, sizeof *f->triangle_body);
    d->shown.values = calloc(points, sizeof *d->shown.values);
    if (f->reference == NULL || f->displacement == NULL || f->position == NULL ||
        f->triangles == NULL || f->triangle_edges == NULL || f->triangle_body == NULL ||
        d->shown.values == NULL)
        return false;
    const double *nodes = find(list, count, "nodes")->data;
    for (size_t n = 0; n < points; ++n)
        f->reference[n] = (PalVec3){nodes[3 * n], nodes[3 * n + 1], nodes[3 * n + 2]};
    memcpy(f->triangles, find(list, count, "triangles")->data, triangles * sizeof *f->triangles);
    memset(f->triangle_edges, 7, triangles);
    return true;
}

static double span(const PalFrame *frame)
{
    PalVec3 low = frame->reference[0], high = low;
    for (int32_t n = 1; n < frame->point_count; ++n) {
        PalVec3 x = frame->reference[n];
        low = (PalVec3){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
        high = (PalVec3){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
    }
    return hypot(hypot(high.x - low.x, high.y - low.y), high.z - low.z);
}

// The body bent by one mode, its largest displacement a tenth of its size.
static void bend(Drawing *d, const float *modes, int32_t stride, int32_t mode)
{
    PalFrame *f = &d->frame;
    double most = 0;
    for (int32_t n = 0; n < f->point_count; ++n) {
        const float *row = modes + (int64_t)3 * n * stride + mode;
        d->shown.values[n] =
            hypot(hypot((double)row[0], (double)row[stride]), (double)row[2 * (int64_t)stride]);
        most = d->shown.values[n] > most ? d->shown.values[n] : most;
    }
    double scale = most > 0 ? 0.1 * span(f) / most : 0;
    for (int32_t n = 0; n < f->point_count; ++n) {
        const float *row = modes + (int64_t)3 * n * stride + mode;
        PalVec3 x = f->reference[n];
        f->displacement[n] = (PalVec3){scale * (double)row[0], scale * (double)row[stride],
                                       scale * (double)row[2 * (int64_t)stride]};
        f->position[n] = (PalVec3){x.x + f->displacement[n].x, x.y + f->displacement[n].y,
                                   x.z + f->displacement[n].z};
    }
    d->shown.highest = d->shown.top = most > 0 ? most : 1;
    d->shown.steps = 4;
}

static PalStatus draw_mode(Drawing *d, int32_t mode, PalError *error)
{
    PalImage image;
    PalText png = {0};
    if (!pal_image_init(&image, WIDTH, HEIGHT))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a picture");
    memset(image.pixels, 0xfa, (size_t)WIDTH * HEIGHT * sizeof *image.pixels);
    PalRasterDef raster = {.frame = &d->frame,
                           .shown = &d->shown,
                           .viewport = {12, 12, WIDTH - 24, HEIGHT - 24},
                           .thread_count = d->threads > 0 ? d->threads : 1};
    PalStatus status = pal_raster_draw(&raster, &image, error);
    if (status == PAL_OK)
        status = pal_image_encode(&image, &png, error);
    if (status == PAL_OK) {
        pal_text_print(d->page, "<figure><img alt=\"mode %d\" src=\"data:image/png;base64,",
                       (int)mode + 1);
        pal_text_base64(d->page, png.data, png.length);
        pal_text_print(d->page, "\"><figcaption>mode %d</figcaption></figure>\n", (int)mode + 1);
    }
    pal_text_clear(&png);
    pal_image_clear(&image);
    return status;
}

static void put_error(PalText *page, const char *name, const PalVademecumError *e)
{
    if (!isfinite(e->mean)) {  // nothing was measured
        pal_text_print(page, "<tr><td>%s</td><td>-</td><td>-</td><td>-</td></tr>\n", name);
        return;
    }
    pal_text_print(page, "<tr><td>%s</td><td>%.3g %%</td><td>%.3g %%</td><td>%.3g %%</td></tr>\n",
                   name, 100 * e->mean, 100 * e->most, 100 * e->worst);
}

static void put_row(PalText *page, const char *name, const char *format, double value)
{
    pal_text_print(page, "<tr><td>%s</td><td>", name);
    pal_text_print(page, format, value);
    pal_text_add(page, "</td></tr>\n");
}

static void put_facts(PalText *page, PalVademecum *book)
{
    const PalVademecumSize *s = pal_vademecum_size(book);
    const PalVademecumFacts *f = pal_vademecum_facts(book);
    pal_text_add(page, "<h1>Vademecum of ");
    pal_text_escaped(page, pal_vademecum_name(book));
    pal_text_print(page, "</h1>\n<p>Method <b>%s</b>, loads of directions <b>%s</b>.</p>\n",
                   pal_vademecum_method_name(f->method),
                   pal_vademecum_directions_name(f->directions));
    pal_text_print(page,
                   "<h2>Errors at %d loads held out</h2>\n<table><tr><th></th><th>mean</th>"
                   "<th>95th of a hundred</th><th>worst</th></tr>\n",
                   (int)s->heldout_count);
    put_error(page, "energy norm", &f->energy);
    put_error(page, "displacement at the load point", &f->point);
    put_error(page, "force", &f->force);
    pal_text_add(page, "</table>\n");
    pal_text_print(page,
                   "<p>The tolerance of %g %% is <b>%s</b> at the load point, on the average. ",
                   100 * f->tolerance, pal_vademecum_holds_tolerance(f) ? "held" : "missed");
    if (!isfinite(f->point.mean))
        pal_text_add(page, "No equilibrium was found under any load held out. ");
    pal_text_add(page, "These are loads on single patches; facets of what touches the body come "
                       "on top of that.</p>\n<h2>What it holds</h2>\n<table>\n");
    put_row(page, "nodes", "%.0f", s->node_count);
    put_row(page, "nodes of the surface", "%.0f", s->surface_count);
    put_row(page, "tetrahedra", "%.0f", s->cell_count);
    put_row(page, "sites", "%.0f", s->site_count);
    put_row(page, "modes", "%.0f", s->mode_count);
    put_row(page, "sampled cells", "%.0f", s->sample_count);
    put_row(page, "radius of a load", "%.6g", f->patch);
    put_row(page, "largest force", "%.6g", f->largest);
    if (f->residual > 0)
        put_row(page, "residual, of the loads", "%.3g", f->residual);
    if (s->grid_counts[0] > 0)
        put_row(page, "distances d(x, s) are off by at most", "%.3g", f->field_error);
    put_row(page, "equilibria solved for", "%.0f", f->solution_count);
    put_row(page, "time", "%.3g s", f->seconds);
    put_row(page, "processor time", "%.3g s", f->processor_seconds);
    put_row(page, "memory", "%.1f MB", 1e-6 * (double)pal_vademecum_bytes(book));
    pal_text_add(page, "</table>\n");
}

// Errors at the load point against the size of the force, one dot for each load held out.
static void put_plot(PalText *page, const PalVademecumArray *heldout, double largest)
{
    const double *h = heldout->data;
    int64_t count = heldout->count / PAL_HELDOUT_NUMBERS;
    double top = 1e-6;
    for (int64_t i = 0; i < count; ++i)
        top = fmax(top, fmax(h[PAL_HELDOUT_NUMBERS * i + 7], h[PAL_HELDOUT_NUMBERS * i + 6]));
    pal_text_add(page, "<h2>Error of each load held out</h2>\n<svg viewBox=\"0 0 640 260\" "
                       "width=\"640\"><path d=\"M50 10V220H630\" fill=\"none\" "
                       "stroke=\"#888\"/>\n");
    pal_text_print(page,
                   "<text x=\"4\" y=\"16\">%.3g %%</text><text x=\"4\" y=\"222\">0</text>"
                   "<text x=\"46\" y=\"240\">0</text><text x=\"320\" y=\"240\">force</text>"
                   "<text x=\"605\" y=\"240\">%.4g</text>\n",
                   100 * top, largest);
    for (int64_t i = 0; i < count; ++i) {
        const double *one = h + PAL_HELDOUT_NUMBERS * i;
        double force = hypot(hypot(one[3], one[4]), one[5]) / largest;
        for (int k = 0; k < 2; ++k)
            pal_text_print(page, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
                           50 + 570 * fmin(force, 1), 220 - 205 * one[6 + k] / top,
                           k == 0 ? "#9bb" : "#c42");
    }
    pal_text_add(page, "</svg>\n<p><span style=\"color:#c42\">displacement at the load "
                       "point</span>, <span style=\"color:#688\">energy norm</span></p>\n");
}

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Vademecum</title>\n<style>"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#242a36}table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right;"
    "border-bottom:1px solid #dde}td:first-child{text-align:left}figure{display:inline-block;"
    "margin:.4rem;width:30%}img{width:100%}figcaption{text-align:center}text{font-size:12px}"
    "</style>\n";

static PalStatus write_page(const char *path, const PalText *page, PalError *error)
{
    const char *slash = strrchr(path, '/');
    PalDirectory directory;
    size_t length = slash != NULL ? (size_t)(slash - path) : 0;
    char *folder = malloc(length + 2);
    if (folder == NULL || page->no_memory) {
        free(folder);
        return pal_error_set(error, PAL_NO_MEMORY, "%s: no memory to write it", path);
    }
    memcpy(folder, path, length);
    strcpy(folder + length, slash == NULL ? "." : length == 0 ? "/" : "");
    PalStatus status = pal_directory_open(folder, &directory, error);
    free(folder);
    if (status != PAL_OK)
        return status;
    status = pal_file_replace_text(&directory, slash != NULL ? slash + 1 : path, page,
                                   PAL_FILE_PLAIN, error);
    pal_directory_close(&directory);
    return status;
}

PalStatus pal_vademecum_write_report(const char *path, PalVademecum *book, int32_t thread_count,
                                     PalError *error)
{
    const PalVademecumSize *size = pal_vademecum_size(book);
    PalVademecumArray list[PAL_VADEMECUM_ARRAY_MAX];
    int32_t count = pal_vademecum_arrays(book, list);
    PalText page = {0};
    Drawing drawing = {.page = &page, .threads = thread_count};
    PalStatus status = PAL_OK;
    pal_text_add(&page, head);
    put_facts(&page, book);
    put_plot(&page, find(list, count, "heldout"), pal_vademecum_facts(book)->largest);
    pal_text_add(&page, "<h2>First modes</h2>\n");
    if (!make(size, list, count, &drawing))
        status = pal_error_set(error, PAL_NO_MEMORY, "no memory for pictures");
    for (int32_t m = 0; m < MODES && m < size->mode_count && status == PAL_OK; ++m) {
        bend(&drawing, find(list, count, "modes")->data, size->stride, m);
        status = draw_mode(&drawing, m, error);
    }
    if (status == PAL_OK)
        status = write_page(path, &page, error);
    clear(&drawing);
    pal_text_clear(&page);
    return status;
}
