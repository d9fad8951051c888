// Pictures of scenes, taken from run directories: those that trials have left, or that scenes are
// run into.
#include "inside.h"

#include <stdlib.h>
#include <string.h>

#define START 0.01  // of the time: nothing has happened yet

enum { CHANGES = PAL_TRIAL_CHANGES + 5 };

static bool proceed(void *context, const PalProgress *progress)
{
    const PalLab *lab = context;
    const PalLabDef *def = &lab->def;
    char text[200];
    snprintf(text, sizeof text, "%s: picture", lab->experiment->name);
    return def->proceed == NULL || def->proceed(def->context, text, progress->fraction);
}

// What the scene says about its time, for the ramps of a run that ends early.
static PalStatus times_of(const PalTrial *trial, double *time, double *step, PalError *error)
{
    PalSceneOptions options = {.change_count = trial->change_count, .changes = trial->changes};
    PalScene *scene = NULL;
    PAL_TRY(pal_scene_read(trial->scene, &options, &scene, error));
    *time = pal_scene_sim(scene)->solver.time;
    *step = pal_scene_sim(scene)->solver.step;
    pal_scene_destroy(scene);
    return PAL_OK;
}

static PalStatus run(PalLab *lab, const PalTrial *trial, bool start, const char *folder,
                     PalError *error)
{
    double time, step;
    char span[32], end[32];
    PAL_TRY(times_of(trial, &time, &step, error));
    double until = time * (start ? START : trial->part > 0 ? trial->part : 1);
    snprintf(span, sizeof span, "%.17g", time);
    snprintf(end, sizeof end, "%.17g", until);
    PalSceneChange changes[CHANGES];
    int32_t count = trial->change_count;
    memcpy(changes, trial->changes, sizeof trial->changes);
    changes[count++] = (PalSceneChange){"solver.time", end};
    changes[count++] = (PalSceneChange){"solver.span", span};
    if (step > until)
        changes[count++] = (PalSceneChange){"solver.step", end};
    changes[count++] = (PalSceneChange){"output.every", end};
    changes[count++] = (PalSceneChange){"output.history", end};
    PalSceneOptions options = {.change_count = count, .changes = changes};
    PalScene *scene = NULL;
    PAL_TRY(pal_scene_read(trial->scene, &options, &scene, error));
    PalRunOptions run_options = {.directory = folder,
                                 .thread_count = lab->def.thread_count,
                                 .progress = proceed,
                                 .context = lab};
    PalStatus status = pal_scene_run(scene, &run_options, error);
    pal_scene_destroy(scene);
    return status;
}

static void write_base64(FILE *out, FILE *in)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char bytes[3];
    size_t size;
    while ((size = fread(bytes, 1, 3, in)) > 0) {
        unsigned value = (unsigned)bytes[0] << 16;
        value |= size > 1 ? (unsigned)bytes[1] << 8 : 0;
        value |= size > 2 ? (unsigned)bytes[2] : 0;
        fputc(digits[value >> 18], out);
        fputc(digits[value >> 12 & 63], out);
        fputc(size > 1 ? digits[value >> 6 & 63] : '=', out);
        fputc(size > 2 ? digits[value & 63] : '=', out);
    }
}

static PalStatus embed(PalLab *lab, const char *path, const char *caption, PalError *error)
{
    char *html = NULL;
    size_t size;
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        return pal_error_set(error, PAL_IO_FAILED, "%s: cannot be read", path);
    FILE *out = open_memstream(&html, &size);
    if (out != NULL) {
        fprintf(out, "<figure><img alt=\"");
        pal_write_escaped(out, caption);
        fprintf(out, "\" src=\"data:image/png;base64,");
        write_base64(out, in);
        fprintf(out, "\"><figcaption>");
        pal_write_escaped(out, caption);
        fprintf(out, "</figcaption></figure>\n");
        fclose(out);
    }
    fclose(in);
    pal_lab_keep_figure(lab, html);
    return PAL_OK;
}

// A file beside the picture tells which program and which trial it is of.
static bool is_known(const char *path, const char *head)
{
    char line[256] = "";
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    bool same = fgets(line, sizeof line, file) != NULL && strcmp(line, head) == 0;
    fclose(file);
    return same;
}

static PalStatus remember(const char *path, const char *head, PalError *error)
{
    FILE *file = fopen(path, "w");
    bool written = file != NULL && fputs(head, file) >= 0;
    written = file != NULL && fclose(file) == 0 && written;
    return written ? PAL_OK : pal_error_set(error, PAL_IO_FAILED, "%s: cannot be written", path);
}

// Where the run directory of a picture is.
static void find_folder(const PalLab *lab, const PalTrial *trial, bool start, char *folder,
                        size_t size)
{
    snprintf(folder, size, "%s/runs/%s%s-%s%s", lab->folder, lab->def.quick ? "quick-" : "",
             lab->experiment->name, trial->name, start ? "-start" : "");
}

static PalStatus write_end(const PalScene *scene, const char *folder, PalSim *sim, PalError *error)
{
    PalOutput *output = NULL;
    PalOutputDef def = *pal_scene_output(scene);
    PalOutputEnd end = {.status = PAL_OK, .reason = ""};
    def.directory = folder;
    def.report = true;
    PalStatus status = pal_output_open(&def, sim, false, &output, error);
    if (status == PAL_OK)
        status = pal_output_write(output, sim, error);
    if (status == PAL_OK)
        status = pal_output_finish(output, sim, &end, error);
    pal_output_destroy(output);
    return status;
}

PalStatus pal_lab_keep_picture(const PalLab *lab, const PalTrial *trial, const PalScene *scene,
                               PalSim *sim, PalError *error)
{
    char folder[PAL_LAB_PATH_MAX + 200], note[PAL_LAB_PATH_MAX + 220], head[160];
    find_folder(lab, trial, false, folder, sizeof folder);
    snprintf(note, sizeof note, "%s.txt", folder);
    pal_trial_head(lab, trial, head, sizeof head);
    PAL_TRY(write_end(scene, folder, sim, error));
    return remember(note, head, error);
}

PalStatus pal_lab_picture(PalLab *lab, const PalTrial *trial, bool start, const char *caption,
                          PalError *error)
{
    char folder[PAL_LAB_PATH_MAX + 200], path[PAL_LAB_PATH_MAX + 220], note[PAL_LAB_PATH_MAX + 220];
    char head[160];
    find_folder(lab, trial, start, folder, sizeof folder);
    snprintf(path, sizeof path, "%s/picture.png", folder);
    snprintf(note, sizeof note, "%s.txt", folder);
    pal_trial_head(lab, trial, head, sizeof head);
    if (!is_known(note, head)) {
        PAL_TRY(run(lab, trial, start, folder, error));
        PAL_TRY(remember(note, head, error));
    }
    return embed(lab, path, caption, error);
}
