// The report: one page with tables like the papers', plots and pictures inside; and the same as
// JSON.
#include "inside.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:1180px;padding:24px;"
    "color:#1c2330;background:#fff}"
    "h1{font-size:26px}h2{font-size:20px;margin-top:44px;border-top:1px solid #d5dae3;"
    "padding-top:20px}h3{font-size:16px;margin:26px 0 6px}"
    "table{border-collapse:collapse;margin:10px 0 18px;font-size:14px}"
    "th,td{border-bottom:1px solid #e2e6ed;padding:4px 12px 4px 0;text-align:left;"
    "vertical-align:top}th{font-weight:600}td.number{text-align:right;white-space:nowrap}"
    "td.number small{color:#6a7385}"
    ".figures{display:flex;flex-wrap:wrap;gap:18px}figure{margin:0;width:560px;max-width:100%}"
    "figure img,figure svg{width:100%;height:auto}figcaption{font-size:13px;color:#555e70}"
    "svg text{font-size:12px;fill:#1c2330}svg .title{font-size:14px;font-weight:600}"
    "svg .axes line{stroke:#dfe3ea}svg .paper{fill:#fff;opacity:0.8}svg .label{font-size:13px}"
    ".better,.as-published{color:#1c7a3d}.worse{color:#b3301c}.differs{color:#94650b}"
    ".not-compared{color:#6a7385}.missed{color:#b3301c}.met{color:#1c7a3d}";

// "as published" as a class: words joined.
static void write_class(FILE *file, PalVerdict verdict)
{
    for (const char *c = pal_verdict_name(verdict); *c != '\0'; ++c)
        fputc(*c == ' ' ? '-' : *c, file);
}

static void write_number(FILE *file, double value)
{
    if (!isfinite(value))
        fprintf(file, "&ndash;");
    else
        fprintf(file, "%.4g", value);
}

// ---- tables like the papers' ------------------------------------------------------------

static bool same_table(const PalKeptRow *a, const PalKeptRow *b)
{
    return a->experiment->paper == b->experiment->paper && strcmp(a->place, b->place) == 0;
}

static bool same_line(const PalKeptRow *a, const PalKeptRow *b)
{
    return same_table(a, b) && a->experiment == b->experiment && strcmp(a->line, b->line) == 0;
}

// Is a row the first of its table in some respect?
static bool is_first(const PalLab *lab, int32_t index,
                     bool (*same)(const PalKeptRow *, const PalKeptRow *))
{
    for (int32_t i = 0; i < index; ++i)
        if (same(&lab->rows[i], &lab->rows[index]))
            return false;
    return true;
}

static bool same_column(const PalKeptRow *a, const PalKeptRow *b)
{
    return same_table(a, b) && strcmp(a->quantity, b->quantity) == 0;
}

static const PalKeptRow *cell_of(const PalLab *lab, const PalKeptRow *line, const char *quantity)
{
    for (int32_t i = 0; i < lab->row_count; ++i)
        if (same_line(&lab->rows[i], line) && strcmp(lab->rows[i].quantity, quantity) == 0)
            return &lab->rows[i];
    return NULL;
}

static void write_cells(const PalLab *lab, const PalKeptRow *line, FILE *file)
{
    for (int32_t i = 0; i < lab->row_count; ++i) {
        if (!same_table(&lab->rows[i], line) || !is_first(lab, i, same_column))
            continue;
        const PalKeptRow *cell = cell_of(lab, line, lab->rows[i].quantity);
        fprintf(file, "<td class=\"number\">");
        if (cell != NULL) {
            fprintf(file, "<span class=\"");
            write_class(file, cell->verdict);
            fprintf(file, "\">");
            write_number(file, cell->ours);
            fprintf(file, "</span> <small>(");
            write_number(file, cell->published);
            fprintf(file, ")</small>");
        }
        fprintf(file, "</td>");
    }
}

static void write_table(const PalLab *lab, const PalKeptRow *first, FILE *file)
{
    fprintf(file, "<h3>%s, ", first->experiment->paper);
    pal_write_escaped(file, first->place);
    fprintf(file, "</h3>\n<table><tr><th>experiment</th><th></th>");
    for (int32_t i = 0; i < lab->row_count; ++i)
        if (same_table(&lab->rows[i], first) && is_first(lab, i, same_column)) {
            fprintf(file, "<th>");
            pal_write_escaped(file, lab->rows[i].quantity);
            fprintf(file, "</th>");
        }
    fprintf(file, "</tr>\n");
    for (int32_t i = 0; i < lab->row_count; ++i)
        if (same_table(&lab->rows[i], first) && is_first(lab, i, same_line)) {
            fprintf(file, "<tr><td>%s</td><td>", lab->rows[i].experiment->name);
            pal_write_escaped(file, lab->rows[i].line);
            fprintf(file, "</td>");
            write_cells(lab, &lab->rows[i], file);
            fprintf(file, "</tr>\n");
        }
    fprintf(file, "</table>\n");
}

// ---- one experiment ---------------------------------------------------------------------

static void write_row(const PalKeptRow *row, FILE *file)
{
    fprintf(file, "<tr><td>");
    pal_write_escaped(file, row->place);
    fprintf(file, "</td><td>");
    pal_write_escaped(file, row->line);
    fprintf(file, "</td><td>");
    pal_write_escaped(file, row->quantity);
    fprintf(file, "</td><td class=\"number\">");
    write_number(file, row->published);
    fprintf(file, "</td><td class=\"number\">");
    write_number(file, row->ours);
    fprintf(file, "</td><td class=\"");
    write_class(file, row->verdict);
    fprintf(file, "\">%s</td><td>", pal_verdict_name(row->verdict));
    if (!isnan(row->goal))
        fprintf(file, "<span class=\"%s\">%s %.4g: %s</span>", row->met ? "met" : "missed",
                row->sense == PAL_SENSE_MORE ? "at least" : "at most", row->goal,
                row->met ? "met" : "missed");
    fprintf(file, "</td><td>");
    pal_write_escaped(file, row->reason);
    fprintf(file, "</td></tr>\n");
}

static void write_experiment(const PalLab *lab, const PalExperiment *experiment, FILE *file)
{
    fprintf(file, "<h2 id=\"%s\">%s: ", experiment->name, experiment->name);
    pal_write_escaped(file, experiment->title);
    fprintf(file, "</h2>\n<p>");
    pal_write_escaped(file, experiment->about);
    fprintf(file, "</p>\n<div class=\"figures\">\n");
    for (int32_t i = 0; i < lab->figure_count; ++i)
        if (lab->figures[i].experiment == experiment)
            fputs(lab->figures[i].html, file);
    fprintf(file,
            "</div>\n<table><tr><th>%s</th><th></th><th>quantity</th><th>published</th>"
            "<th>ours</th><th>verdict</th><th>goal</th><th>why</th></tr>\n",
            experiment->paper);
    for (int32_t i = 0; i < lab->row_count; ++i)
        if (lab->rows[i].experiment == experiment)
            write_row(&lab->rows[i], file);
    fprintf(file, "</table>\n");
}

static void write_summary(const PalLab *lab, FILE *file)
{
    int32_t counts[5] = {0};
    for (int32_t i = 0; i < lab->row_count; ++i)
        counts[lab->rows[i].verdict]++;
    fprintf(file, "<p>%d figures:", (int)lab->row_count);
    for (int v = 0; v < 5; ++v)
        fprintf(file, "%s %d %s", v > 0 ? "," : "", (int)counts[v],
                pal_verdict_name((PalVerdict)v));
    fprintf(file,
            ".%s Published numbers stand in brackets beside ours. Times of the papers are from "
            "other machines and are not compared.</p>\n",
            lab->def.quick ? " These runs are shortened, or have coarse meshes, to show that "
                             "everything works; their numbers cannot be compared with the "
                             "published ones."
                           : "");
}

void pal_lab_write_page(const PalLab *lab, FILE *file)
{
    fprintf(file,
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width\">"
            "<title>palpate: the papers' experiments</title><style>%s</style></head><body>\n"
            "<h1>The papers' experiments, with palpate %s</h1>\n",
            style, pal_version());
    write_summary(lab, file);
    for (int32_t i = 0; i < lab->row_count; ++i)
        if (is_first(lab, i, same_table))
            write_table(lab, &lab->rows[i], file);
    const PalExperiment *experiment;
    for (int32_t e = 0; (experiment = pal_experiment(e)) != NULL; ++e) {
        bool told = false;
        for (int32_t i = 0; i < lab->row_count; ++i)
            told = told || lab->rows[i].experiment == experiment;
        if (told)
            write_experiment(lab, experiment, file);
    }
    fprintf(file, "</body></html>\n");
}

// ---- files ------------------------------------------------------------------------------

static void write_json_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const char *c = text; *c != '\0'; ++c) {
        if (*c == '"' || *c == '\\')
            fputc('\\', file);
        if ((unsigned char)*c >= 32)
            fputc(*c, file);
    }
    fputc('"', file);
}

static void write_json_number(FILE *file, double value)
{
    if (isfinite(value))
        fprintf(file, "%.10g", value);
    else
        fprintf(file, "null");
}

void pal_lab_write_json(const PalLab *lab, FILE *file)
{
    fprintf(file, "{\n  \"version\": \"%s\",\n  \"quick\": %s,\n  \"rows\": [", pal_version(),
            lab->def.quick ? "true" : "false");
    for (int32_t i = 0; i < lab->row_count; ++i) {
        const PalKeptRow *row = &lab->rows[i];
        const char *const names[] = {"experiment", "paper",   "place", "line",
                                     "quantity",   "verdict", "reason"};
        const char *const texts[] = {
            row->experiment->name, row->experiment->paper,         row->place, row->line,
            row->quantity,         pal_verdict_name(row->verdict), row->reason};
        fprintf(file, "%s\n    {", i > 0 ? "," : "");
        for (int k = 0; k < 7; ++k) {
            fprintf(file, "\"%s\": ", names[k]);
            write_json_text(file, texts[k]);
            fprintf(file, ", ");
        }
        fprintf(file, "\"published\": ");
        write_json_number(file, row->published);
        fprintf(file, ", \"ours\": ");
        write_json_number(file, row->ours);
        fprintf(file, ", \"goal\": ");
        write_json_number(file, row->goal);
        fprintf(file, ", \"met\": %s}", isnan(row->goal) ? "null" : row->met ? "true" : "false");
    }
    fprintf(file, "\n  ]\n}\n");
}

static PalStatus write_file(const PalLab *lab, const char *name,
                            void (*write)(const PalLab *, FILE *), PalError *error)
{
    char path[PAL_LAB_PATH_MAX + 32], draft[PAL_LAB_PATH_MAX + 40];
    snprintf(path, sizeof path, "%s/%s", lab->folder, name);
    snprintf(draft, sizeof draft, "%s.part", path);
    FILE *file = fopen(draft, "w");
    if (file != NULL) {
        write(lab, file);
        bool written = !ferror(file);
        if (fclose(file) == 0 && written && rename(draft, path) == 0)
            return PAL_OK;
        unlink(draft);
    }
    return pal_error_set(error, PAL_IO_FAILED, "%s: cannot be written: %s", path, strerror(errno));
}

PalStatus pal_lab_report(PalLab *lab, PalError *error)
{
    PAL_TRY(write_file(lab, "report.html", pal_lab_write_page, error));
    return write_file(lab, "results.json", pal_lab_write_json, error);
}
