#include "inside.h"

#include <errno.h>
#include <experiments/make/make.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t pal_lab_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

// Results of another program, even of the same version, are not taken for those of this one.
static void name_program(PalLab *lab)
{
    uint64_t hash = 14695981039346656037u;
    FILE *file = fopen("/proc/self/exe", "rb");
    if (file != NULL) {
        static unsigned char buffer[1 << 16];
        size_t size;
        while ((size = fread(buffer, 1, sizeof buffer, file)) > 0)
            hash = pal_lab_hash(hash, buffer, size);
        fclose(file);
    }
    snprintf(lab->program, sizeof lab->program, "palpate %s %016llx", pal_version(),
             (unsigned long long)hash);
}

static PalStatus make_folder(const char *path, PalError *error)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return pal_error_set(error, PAL_IO_FAILED, "%s: cannot be made: %s", path, strerror(errno));
    return PAL_OK;
}

static PalStatus make_folders(const PalLab *lab, PalError *error)
{
    static const char *const names[] = {"results", "scenes", "runs"};
    PAL_TRY(make_folder(lab->folder, error));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char path[PAL_LAB_PATH_MAX + 16];
        snprintf(path, sizeof path, "%s/%s", lab->folder, names[i]);
        PAL_TRY(make_folder(path, error));
    }
    return PAL_OK;
}

PalStatus pal_lab_create(const PalLabDef *def, PalLab **lab, PalError *error)
{
    if (strlen(def->folder) + 200 > PAL_LAB_PATH_MAX ||
        strlen(def->scenes) + 200 > PAL_LAB_PATH_MAX)
        return pal_error_set(error, PAL_BAD_INPUT, "%s: the path is too long", def->folder);
    *lab = calloc(1, sizeof **lab);
    if (*lab == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the experiments");
    (*lab)->def = *def;
    strcpy((*lab)->folder, def->folder);
    strcpy((*lab)->scenes, def->scenes);
    name_program(*lab);
    PalStatus status = make_folders(*lab, error);
    if (status != PAL_OK) {
        pal_lab_destroy(*lab);
        *lab = NULL;
    }
    return status;
}

void pal_lab_destroy(PalLab *lab)
{
    if (lab == NULL)
        return;
    for (int32_t i = 0; i < lab->figure_count; ++i)
        free(lab->figures[i].html);
    free(lab->figures);
    free(lab->rows);
    free(lab);
}

PalStatus pal_lab_run(PalLab *lab, const PalExperiment *experiment, PalError *error)
{
    lab->experiment = experiment;
    PAL_TRY(experiment->run(lab, error));
    if (lab->failed)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the results");
    return PAL_OK;
}

bool pal_lab_quick(const PalLab *lab)
{
    return lab->def.quick;
}

bool pal_lab_goes_on(const PalLab *lab, const char *text, double part)
{
    return lab->def.proceed == NULL || lab->def.proceed(lab->def.context, text, part);
}

const char *pal_lab_folder(const PalLab *lab)
{
    return lab->folder;
}

PalStatus pal_lab_scene(const PalLab *lab, const char *name, int32_t size, char *path,
                        PalError *error)
{
    const PalMaker *maker = pal_maker_find(name);
    if (maker != NULL) {
        char folder[PAL_LAB_PATH_MAX + 16];
        snprintf(folder, sizeof folder, "%s/scenes", lab->folder);
        return pal_make_scene(maker, size, folder, path, error);
    }
    snprintf(path, PAL_LAB_PATH_MAX, "%.*s/%s.yaml", PAL_LAB_PATH_MAX - 100, lab->scenes, name);
    if (access(path, R_OK) != 0)
        return pal_error_set(error, PAL_IO_FAILED, "%s: %s", path, strerror(errno));
    return PAL_OK;
}

// ---- rows -------------------------------------------------------------------------------

const char *pal_verdict_name(PalVerdict verdict)
{
    static const char *const names[] = {"as published", "better", "worse", "differs",
                                        "not compared"};
    return names[verdict];
}

PalRow pal_row(const char *place, const char *line, const char *quantity, double published,
               double ours)
{
    return (PalRow){.place = place,
                    .line = line,
                    .quantity = quantity,
                    .published = published,
                    .ours = ours,
                    .goal = NAN,
                    .tolerance = 0.02,
                    .reason = ""};
}

static PalVerdict judge(const PalRow *row)
{
    double slack = row->tolerance * fabs(row->published), more = row->ours - row->published;
    if (isnan(row->published) || isnan(row->ours) || row->sense == PAL_SENSE_TOLD)
        return PAL_VERDICT_NOT_COMPARED;
    if (fabs(more) <= slack)
        return PAL_VERDICT_AS_PUBLISHED;
    if (row->sense == PAL_SENSE_NEAR)
        return PAL_VERDICT_DIFFERS;
    bool better = row->sense == PAL_SENSE_LESS ? more < 0 : more > 0;
    return better ? PAL_VERDICT_BETTER : PAL_VERDICT_WORSE;
}

static bool meets(const PalRow *row)
{
    if (row->sense == PAL_SENSE_MORE)
        return row->ours >= row->goal;
    return row->ours <= row->goal;
}

void pal_lab_row(PalLab *lab, const PalRow *row)
{
    if (lab->row_count == lab->row_capacity) {
        int32_t capacity = 2 * lab->row_capacity + 16;
        PalKeptRow *rows = realloc(lab->rows, (size_t)capacity * sizeof *rows);
        if (rows == NULL) {
            lab->failed = true;
            return;
        }
        lab->rows = rows;
        lab->row_capacity = capacity;
    }
    PalKeptRow *kept = &lab->rows[lab->row_count++];
    *kept = (PalKeptRow){.experiment = lab->experiment,
                         .published = row->published,
                         .ours = row->ours,
                         .goal = lab->def.quick ? NAN : row->goal,
                         .sense = row->sense,
                         .verdict = lab->def.quick ? PAL_VERDICT_NOT_COMPARED : judge(row),
                         .met = meets(row)};
    snprintf(kept->place, sizeof kept->place, "%s", row->place);
    snprintf(kept->line, sizeof kept->line, "%s", row->line);
    snprintf(kept->quantity, sizeof kept->quantity, "%s", row->quantity);
    snprintf(kept->reason, sizeof kept->reason, "%s", row->reason);
}

int32_t pal_lab_row_count(const PalLab *lab)
{
    return lab->row_count;
}

PalToldRow pal_lab_told(const PalLab *lab, int32_t index)
{
    const PalKeptRow *row = &lab->rows[index];
    return (PalToldRow){row->experiment->name,
                        row->experiment->paper,
                        row->place,
                        row->line,
                        row->quantity,
                        row->reason,
                        row->published,
                        row->ours,
                        row->goal,
                        row->sense,
                        row->verdict,
                        row->met};
}

// ---- figures ----------------------------------------------------------------------------

void pal_lab_keep_figure(PalLab *lab, char *html)
{
    if (html != NULL && lab->figure_count == lab->figure_capacity) {
        int32_t capacity = 2 * lab->figure_capacity + 16;
        PalKeptFigure *figures = realloc(lab->figures, (size_t)capacity * sizeof *figures);
        if (figures == NULL) {
            free(html);
            html = NULL;
        } else {
            lab->figures = figures;
            lab->figure_capacity = capacity;
        }
    }
    if (html == NULL)
        lab->failed = true;
    else
        lab->figures[lab->figure_count++] = (PalKeptFigure){lab->experiment, html};
}

void pal_lab_plot(PalLab *lab, const PalPlot *plot)
{
    char *html = NULL;
    size_t size;
    FILE *file = open_memstream(&html, &size);
    if (file != NULL) {
        fprintf(file, "<figure>");
        pal_plot_write(plot, file);
        fprintf(file, "</figure>\n");
        fclose(file);
    }
    pal_lab_keep_figure(lab, html);
}
