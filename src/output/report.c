#include "output/report.h"

#include "base/memory.h"
#include "output/history.h"
#include "output/image.h"
#include "output/json.h"
#include "output/report_page.h"
#include "output/shown.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROW_LIMIT      4000     // rows of history in a plot; more cannot be seen
#define TRIANGLE_LIMIT 1000000  // more would not fit into a page; the still picture is shown
#define LOG_LIMIT      20000    // bytes of the log, from its end
#define SCENE_LIMIT    200000   // bytes of the scene, from its start

// ---- the surface ------------------------------------------------------------------------

// Numbers the points the triangles use; returns how many. Others are PAL_NONE.
static int32_t number_points(const PalFrame *frame, int32_t *numbers)
{
    for (int32_t n = 0; n < frame->point_count; ++n)
        numbers[n] = PAL_NONE;
    for (int32_t t = 0; t < frame->triangle_count; ++t)
        for (int a = 0; a < 3; ++a)
            numbers[frame->triangles[t][a]] = 0;
    int32_t count = 0;
    for (int32_t n = 0; n < frame->point_count; ++n)
        if (numbers[n] == 0)
            numbers[n] = count++;
    return count;
}

static PalVec3 middle(const PalFrame *frame)
{
    PalVec3 low = {0, 0, 0}, high = {0, 0, 0};
    for (int32_t n = 0; n < frame->point_count; ++n) {
        PalVec3 x = frame->reference[n];
        low = n == 0 ? x : (PalVec3){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
        high = n == 0 ? x : (PalVec3){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
    }
    return (PalVec3){0.5 * (low.x + high.x), 0.5 * (low.y + high.y), 0.5 * (low.z + high.z)};
}

static float narrow(double value)
{
    return fabs(value) <= (double)FLT_MAX ? (float)value : 0;
}

// Vectors of the numbered points as 32-bit floats.
typedef struct Packer {
    const PalFrame *frame;
    int32_t *numbers;
    bool failed;    // the run did, and left cells in ruins
    void *scratch;  // room for three numbers of four bytes per point or triangle
} Packer;

static void put_vectors(PalJson *json, const char *key, const Packer *packer,
                        const PalVec3 *vectors, PalVec3 from)
{
    float *out = packer->scratch;
    size_t count = 0;
    for (int32_t n = 0; n < packer->frame->point_count; ++n) {
        if (packer->numbers[n] == PAL_NONE)
            continue;
        out[count++] = narrow(vectors[n].x - from.x);
        out[count++] = narrow(vectors[n].y - from.y);
        out[count++] = narrow(vectors[n].z - from.z);
    }
    pal_json_base64(json, key, out, count * sizeof *out);
}

static PalStatus put_field(PalJson *json, const Packer *packer, PalShownField field,
                           PalError *error)
{
    PalShown shown;
    PAL_TRY(pal_shown_init(packer->frame, field, packer->failed, &shown, error));
    float *out = packer->scratch;
    size_t count = 0;
    for (int32_t n = 0; n < packer->frame->point_count; ++n)
        if (packer->numbers[n] != PAL_NONE)
            out[count++] = narrow(shown.values[n]);
    pal_json_object(json, NULL);
    pal_json_string(json, "name", pal_shown_name(field));
    pal_json_number(json, "top", shown.top);
    pal_json_number(json, "highest", shown.highest);
    pal_json_integer(json, "steps", shown.steps);
    pal_json_base64(json, "values", out, count * sizeof *out);
    pal_json_end(json, '}');
    pal_shown_clear(&shown);
    return PAL_OK;
}

static void put_triangles(PalJson *json, const Packer *packer, const bool *see_through)
{
    const PalFrame *frame = packer->frame;
    uint32_t *out = packer->scratch;
    size_t count = 0;
    for (int32_t t = 0; t < frame->triangle_count; ++t)
        for (int a = 0; a < 3; ++a)
            out[count++] = (uint32_t)packer->numbers[frame->triangles[t][a]];
    pal_json_base64(json, "triangles", out, count * sizeof *out);
    pal_json_base64(json, "edges", frame->triangle_edges, (size_t)frame->triangle_count);
    pal_json_array(json, "bodies");
    for (int32_t b = 0, t = 0; b < frame->body_count; ++b) {
        int32_t first = t;
        while (t < frame->triangle_count && frame->triangle_body[t] == b)
            ++t;
        pal_json_object(json, NULL);
        pal_json_string(json, "name", frame->bodies[b].name);
        pal_json_bool(json, "rigid", b >= frame->soft_body_count);
        pal_json_bool(json, "faint", see_through != NULL && see_through[b]);
        pal_json_integer(json, "first", first);
        pal_json_integer(json, "count", t - first);
        pal_json_end(json, '}');
    }
    pal_json_end(json, ']');
}

static PalStatus put_surface(PalJson *json, const PalReportDef *def, PalError *error)
{
    const PalFrame *frame = def->last;
    int32_t points = frame->point_count, triangles = frame->triangle_count;
    size_t largest = 3 * (size_t)(points > triangles ? points : triangles);
    Packer packer = {.frame = frame,
                     .numbers = pal_alloc((size_t)points, sizeof *packer.numbers),
                     .failed = def->summary->status == PAL_SIM_FAILED,
                     .scratch = pal_alloc(largest, 4)};
    PalStatus status = PAL_OK;
    if (packer.numbers == NULL || packer.scratch == NULL)
        status = pal_error_set(error, PAL_NO_MEMORY, "no memory for the report");
    if (status == PAL_OK) {
        pal_json_object(json, "surface");
        pal_json_integer(json, "points", number_points(frame, packer.numbers));
        put_vectors(json, "start", &packer, frame->reference, middle(frame));
        put_vectors(json, "displacement", &packer, frame->displacement, (PalVec3){0, 0, 0});
        put_triangles(json, &packer, def->see_through);
        pal_json_array(json, "fields");
        status = put_field(json, &packer, PAL_SHOWN_VON_MISES, error);
        if (status == PAL_OK)
            status = put_field(json, &packer, PAL_SHOWN_DISPLACEMENT, error);
        if (status == PAL_OK && def->summary->contact.margin > 0)
            status = put_field(json, &packer, PAL_SHOWN_CONTACT, error);
        pal_json_end(json, ']');
        pal_json_end(json, '}');
    }
    pal_free(packer.numbers);
    pal_free(packer.scratch);
    return status;
}

// ---- the rest of the data ---------------------------------------------------------------

static PalStatus put_history(PalJson *json, const PalDirectory *directory, PalError *error)
{
    PalText csv = {0};
    PalHistoryTable table = {0};
    bool found = false;
    PalStatus status = pal_file_read(directory, "history.csv", &csv, &found, error);
    if (status == PAL_OK)
        status = pal_history_parse(&csv, ROW_LIMIT, &table, error);
    if (status == PAL_OK) {
        pal_json_object(json, "history");
        pal_json_array(json, "columns");
        for (int32_t i = 0; i < pal_history_column_count(); ++i)
            pal_json_string(json, NULL, pal_history_column_name(i));
        pal_json_end(json, ']');
        pal_json_integer(json, "width", table.column_count);
        pal_json_integer(json, "rows", table.row_count);
        pal_json_base64(json, "values", table.values,
                        (size_t)table.row_count * (size_t)table.column_count *
                            sizeof *table.values);
        pal_json_end(json, '}');
    }
    free(table.values);
    pal_text_clear(&csv);
    return status;
}

static PalStatus put_log(PalJson *json, const PalDirectory *directory, PalError *error)
{
    PalText log = {0};
    bool found = false;
    PalStatus status = pal_file_read_back(directory, "log.txt", LOG_LIMIT, &log, &found, error);
    if (status == PAL_OK) {
        pal_text_put(&log, "", 1);
        if (log.no_memory)
            status = pal_error_set(error, PAL_NO_MEMORY, "no memory for the report");
        else
            pal_json_string(json, "log", log.data);
    }
    pal_text_clear(&log);
    return status;
}

static PalStatus put_scene(PalJson *json, const PalDirectory *directory, PalError *error)
{
    PalText scene = {0};
    bool found = false;
    PalStatus status =
        pal_file_read_front(directory, "scene.yaml", SCENE_LIMIT + 1, &scene, &found, error);
    if (status == PAL_OK) {
        bool cut = scene.length > SCENE_LIMIT;
        if (cut)
            scene.length = SCENE_LIMIT;
        pal_text_put(&scene, "", 1);
        if (scene.no_memory)
            status = pal_error_set(error, PAL_NO_MEMORY, "no memory for the report");
        else
            pal_json_string(json, "scene", scene.data);
        pal_json_bool(json, "scene_cut", cut);
    }
    pal_text_clear(&scene);
    return status;
}

static void put_summary(PalJson *json, const PalSummary *summary)
{
    PalText text = {0};
    pal_summary_encode(summary, &text);
    if (text.no_memory)
        json->text->no_memory = true;
    else
        pal_json_raw(json, "summary", &text);
    pal_text_clear(&text);
    pal_json_array(json, "probes");
    for (int32_t p = 0; p < summary->probe_count; ++p) {
        pal_json_object(json, NULL);
        pal_json_string(json, "name", summary->probes[p].name);
        pal_json_string(json, "record", pal_record_name(summary->probes[p].record));
        pal_json_end(json, '}');
    }
    pal_json_end(json, ']');
}

static void put_colours(PalJson *json)
{
    pal_json_array(json, "colours");
    for (int i = 0; i < PAL_COLOUR_STOP_COUNT; ++i) {
        PalColour c = pal_colour_stops[i];
        pal_json_vector(json, NULL, (PalVec3){c.r, c.g, c.b});
    }
    pal_json_end(json, ']');
}

static PalStatus put_data(PalText *text, const PalDirectory *directory, const PalReportDef *def,
                          PalError *error)
{
    const PalSummary *summary = def->summary;
    PalJson json = pal_json_begin(text);
    pal_json_object(&json, NULL);
    pal_json_string(&json, "title", summary->title);
    pal_json_bool(&json, "interrupted", summary->status == PAL_INTERRUPTED);
    put_summary(&json, summary);
    put_colours(&json);
    pal_json_base64(&json, "picture", def->picture->data, def->picture->length);
    PAL_TRY(put_scene(&json, directory, error));
    PAL_TRY(put_log(&json, directory, error));
    PAL_TRY(put_history(&json, directory, error));
    if (def->last->triangle_count <= TRIANGLE_LIMIT)
        PAL_TRY(put_surface(&json, def, error));
    pal_json_end(&json, '}');
    return PAL_OK;
}

// ---- the page ---------------------------------------------------------------------------

PalStatus pal_report_write(const PalDirectory *directory, const PalReportDef *def, PalError *error)
{
    PalText page = {0};
    pal_text_put(&page, pal_report_head.text, pal_report_head.size);
    PalStatus status = put_data(&page, directory, def, error);
    pal_text_put(&page, pal_report_tail.text, pal_report_tail.size);
    if (status == PAL_OK)
        status = pal_file_replace_text(directory, "report.html", &page, PAL_FILE_SYNCED, error);
    pal_text_clear(&page);
    return status;
}
