#include "output/output.h"

#include "base/counted.h"
#include "base/memory.h"
#include "base/timer.h"
#include "output/contacts.h"
#include "output/fingerprint.h"
#include "output/probe_list.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Seconds of running after which files are forced to the disk.
#define HASTY 5

// Seconds after which there is a checkpoint for the first time.
#define FIRST_CHECKPOINT 1

PalOutputDef pal_output_def_default(void)
{
    return (PalOutputDef){
        .title = "",
        .scene_text = "",
        .every = 1,
        .fields = {[PAL_FIELD_DISPLACEMENT] = true, [PAL_FIELD_CONTACT] = true},
        .checkpoint_seconds = 30,
        .report = true,
    };
}

// ---- opening ----------------------------------------------------------------------------

static PalStatus open_append(PalOutput *output, const char *name, int flags, int *descriptor,
                             PalError *error)
{
    *descriptor = pal_file_open(&output->directory, name, O_WRONLY | O_CREAT | O_APPEND | flags);
    if (*descriptor < 0)
        return pal_file_error(&output->directory, name, "cannot write", error);
    return PAL_OK;
}

// The log doubles as the lock: two runs in one directory would spoil each other's files.
static PalStatus open_log(PalOutput *output, PalError *error)
{
    PAL_TRY(open_append(output, "log.txt", 0, &output->log, error));
    // of the open file, not of the process: a second run in this one is kept out, too
    if (flock(output->log, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return pal_error_set(error, PAL_IO_FAILED, "%s: another run is writing to this directory",
                             output->directory.path);
    return PAL_OK;
}

static PalStatus make_folders(const PalOutput *output, PalError *error)
{
    PAL_TRY(pal_directory_make(&output->directory, pal_frame_series.folder, error));
    return output->touches
               ? pal_directory_make(&output->directory, pal_contact_series.folder, error)
               : PAL_OK;
}

static PalStatus write_collections(const PalOutput *output, const PalText *history, PalError *error)
{
    int64_t count = output->record.frame_count;
    PAL_TRY(pal_pvd_write(&output->directory, &pal_frame_series, history, count, error));
    return output->touches
               ? pal_pvd_write(&output->directory, &pal_contact_series, history, count, error)
               : PAL_OK;
}

static PalStatus write_scene(const PalOutput *output, const PalOutputDef *def, PalError *error)
{
    const char *scene = def->scene_text != NULL ? def->scene_text : "";
    return pal_file_replace(&output->directory, "scene.yaml", scene, strlen(scene), PAL_FILE_SYNCED,
                            error);
}

static PalStatus start_anew(PalOutput *output, const PalOutputDef *def, PalSim *sim,
                            PalError *error)
{
    PAL_TRY(pal_rundir_clear(&output->directory, error));
    PAL_TRY(make_folders(output, error));
    if (ftruncate(output->log, 0) != 0)
        return pal_file_error(&output->directory, "log.txt", "cannot write", error);
    output->directory.hasty = true;
    PAL_TRY(write_scene(output, def, error));
    PAL_TRY(write_collections(output, NULL, error));
    PAL_TRY(open_append(output, "history.csv", O_TRUNC, &output->history, error));
    pal_text_reset(&output->text);
    pal_history_head(output->probe_count, output->probe_names, &output->text);
    if (output->text.no_memory)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the history");
    if (!pal_file_write_all(output->history, output->text.data, output->text.length))
        return pal_file_error(&output->directory, "history.csv", "cannot write", error);
    output->record = (PalRunRecord){
        .history_bytes = (int64_t)output->text.length,
        .frame_step = PAL_NONE,
        .row_step = PAL_NONE,
        .momentum = pal_sim_momentum(sim),
        .angular_momentum = pal_sim_angular_momentum(sim),
    };
    return PAL_OK;
}

static PalStatus check_history(const PalOutput *output, PalError *error)
{
    struct stat info;
    if (fstatat(output->directory.descriptor, "history.csv", &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(info.st_mode) && info.st_size >= (off_t)output->record.history_bytes)
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT,
                         "%s/history.csv: missing or shorter than at the checkpoint, so the run "
                         "cannot be resumed",
                         output->directory.path);
}

static PalStatus check_files(const PalOutput *output, PalError *error)
{
    int64_t count = output->record.frame_count;
    PAL_TRY(check_history(output, error));
    PAL_TRY(pal_series_check(&output->directory, &pal_frame_series, count, error));
    return output->touches ? pal_series_check(&output->directory, &pal_contact_series, count, error)
                           : PAL_OK;
}

static PalStatus cut_history(PalOutput *output, PalError *error)
{
    PAL_TRY(open_append(output, "history.csv", 0, &output->history, error));
    if (ftruncate(output->history, (off_t)output->record.history_bytes) != 0)
        return pal_file_error(&output->directory, "history.csv", "cannot cut back", error);
    bool found = false;
    PAL_TRY(pal_file_read(&output->directory, "history.csv", &output->text, &found, error));
    return write_collections(output, &output->text, error);
}

// What is resumed may be over already, but not beyond its end.
static PalStatus check_end(const PalOutput *output, const PalSim *sim, double time, PalError *error)
{
    const PalSolverDef *solver = pal_sim_solver(sim);
    bool loads = solver->method == PAL_METHOD_IMPLICIT_STATIC && solver->path == PAL_PATH_LOAD;
    if (!(pal_method_in_time(solver->method) || loads) || time <= solver->time * (1 + 1e-9))
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT,
                         "%s: the run is at time %.6g already, expected solver.time of at least "
                         "that, not %.6g",
                         output->directory.path, time, solver->time);
}

// What differs between the scene of the run and this one, in words; "" if nothing is known to.
static void find_difference(const PalOutput *output, const PalOutputDef *def, char *text,
                            size_t size)
{
    PalText there = {0};
    PalError unused = {0};
    bool found = false;
    text[0] = '\0';
    if (def->scene_text != NULL && def->identity != NULL &&
        pal_file_read(&output->directory, "scene.yaml", &there, &found, &unused) == PAL_OK &&
        found) {
        pal_text_put(&there, "", 1);
        if (!there.no_memory)
            pal_scene_difference(there.data, def->scene_text, def->identity, text, size);
    }
    pal_text_clear(&there);
}

// `*found` is false when there is no checkpoint to go on from.
static PalStatus go_on(PalOutput *output, const PalOutputDef *def, PalSim *sim, bool *found,
                       PalError *error)
{
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    char difference[200];
    find_difference(output, def, difference, sizeof difference);
    PalCheckpoint checkpoint = {.scene = output->scene, .difference = difference, .arrays = arrays};
    checkpoint.array_count = pal_sim_arrays(sim, arrays);
    if (checkpoint.array_count == PAL_NONE)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a checkpoint");
    PAL_TRY(pal_checkpoint_read(&output->directory, &checkpoint, found, error));
    if (!*found)
        return PAL_OK;
    PAL_TRY(check_end(output, sim, checkpoint.record.time, error));
    PAL_TRY(pal_sim_restored(sim, error));
    output->record = checkpoint.record;
    pal_run_record_add(&output->record, sim, -1);  // what it restored by itself is counted once
    output->checkpoint_step = checkpoint.record.steps;
    output->synced_frames = checkpoint.record.frame_count;
    PAL_TRY(check_files(output, error));  // before anything is removed
    PAL_TRY(write_scene(output, def, error));
    PAL_TRY(pal_rundir_cut(&output->directory, output->record.frame_count, error));
    PAL_TRY(make_folders(output, error));
    PAL_TRY(cut_history(output, error));
    char line[160];
    snprintf(line, sizeof line,
             "resumed at time %.9g after %" PRId64 " steps and %" PRId64 " frames",
             output->record.time, output->record.steps, output->record.frame_count);
    pal_output_log(output, line);
    return PAL_OK;
}

static PalStatus take_cell_fields(PalOutput *output, const PalModel *model, PalError *error)
{
    size_t count = (size_t)model->cell_count;
    PalCellFields *fields = &output->cell_fields;
    fields->stress = pal_alloc(count, sizeof *fields->stress);
    fields->strain = pal_alloc(count, sizeof *fields->strain);
    fields->volume_ratio = pal_alloc(count, sizeof *fields->volume_ratio);
    bool good = fields->stress != NULL && fields->strain != NULL && fields->volume_ratio != NULL;
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for the probes");
}

static PalStatus take_probes(PalOutput *output, const PalModel *model, const PalProbeList *list,
                             PalError *error)
{
    size_t count = (size_t)list->count;
    output->probe_names = pal_alloc(count, sizeof *output->probe_names);
    output->probe_values = pal_alloc(count, sizeof *output->probe_values);
    output->probe_silent = pal_alloc(count, sizeof *output->probe_silent);
    output->probe_peaks = pal_alloc(count, sizeof *output->probe_peaks);
    if (output->probe_names == NULL || output->probe_values == NULL ||
        output->probe_silent == NULL || output->probe_peaks == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the output");
    PAL_TRY(pal_probes_create(model, list->count, list->defs, &output->probes, error));
    output->probe_count = list->count;
    bool cells = false;
    for (int32_t p = 0; p < output->probe_count; ++p) {
        output->probe_names[p] = output->probes[p].name;
        cells = cells || pal_record_is_of_cells(output->probes[p].record);
        output->probes_area =
            output->probes_area || pal_record_is_of_area(output->probes[p].record);
    }
    return cells ? take_cell_fields(output, model, error) : PAL_OK;
}

static PalStatus prepare(PalOutput *output, const PalOutputDef *def, PalSim *sim, PalError *error)
{
    PAL_TRY(pal_check_counted("probes", def->probe_count, def->probes, error));
    output->title = pal_copy_text(def->title != NULL ? def->title : "");
    output->touches = pal_sim_contact_report(sim).margin > 0;
    memcpy(output->fields, def->fields, sizeof output->fields);
    output->fields[PAL_FIELD_CONTACT] = def->fields[PAL_FIELD_CONTACT] && output->touches;
    output->checkpoint_seconds = def->checkpoint_seconds;
    output->report = def->report;
    output->opened_at = output->checkpoint_at = pal_timer_seconds();
    output->checkpoint_step = PAL_NONE;
    const PalModel *model = pal_sim_model(sim);
    const char *scene_text = def->scene_text != NULL ? def->scene_text : "";
    output->scene =
        pal_scene_fingerprint(def->identity != NULL ? def->identity : scene_text, model);
    PalProbeList list;
    if (output->title == NULL || !pal_probe_list_init(&list, def, model))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the output");
    PalStatus status = take_probes(output, model, &list, error);
    pal_probe_list_clear(&list);
    if (status != PAL_OK)
        return status;
    PAL_TRY(pal_frame_create(model, &output->frame, error));
    output->frame->still = !output->fields[PAL_FIELD_VELOCITY] && output->probe_count == 0;
    return pal_frame_file_init(output->frame, output->fields,
                               def->precision == PAL_PRECISION_DOUBLE, &output->file, error);
}

static PalStatus open_files(PalOutput *output, const PalOutputDef *def, PalSim *sim, bool resume,
                            PalError *error)
{
    PAL_TRY(pal_directory_open(def->directory, &output->directory, error));
    PAL_TRY(open_log(output, error));
    bool found = false;
    if (resume)
        PAL_TRY(go_on(output, def, sim, &found, error));
    if (!found)
        PAL_TRY(start_anew(output, def, sim, error));
    if (resume && !found)
        pal_output_log(output, "no checkpoint to resume from: starting from the beginning");
    PalWriterDef writer = {.directory = &output->directory,
                           .file = &output->file,
                           .history = output->history,
                           .history_bytes = output->record.history_bytes,
                           .frame_count = output->record.frame_count,
                           .touches = output->touches};
    return pal_writer_create(&writer, &output->writer, error);
}

PalStatus pal_output_open(const PalOutputDef *def, PalSim *sim, bool resume, PalOutput **output,
                          PalError *error)
{
    PalOutput *made = pal_alloc(1, sizeof *made);
    *output = NULL;
    if (made == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the output");
    made->directory.descriptor = made->history = made->log = -1;
    PalOutputCount count = pal_output_count_begin(made);
    PalStatus status = prepare(made, def, sim, error);
    if (status == PAL_OK)
        status = open_files(made, def, sim, resume, error);
    pal_output_count_end(made, sim, PAL_OUTPUT_OPENING, &count);
    if (status == PAL_OK)
        *output = made;
    else
        pal_output_destroy(made);
    return status;
}

void pal_output_destroy(PalOutput *output)
{
    if (output == NULL)
        return;
    pal_writer_destroy(output->writer);  // before its files are closed
    if (output->history >= 0)
        close(output->history);
    if (output->log >= 0)
        close(output->log);
    pal_directory_close(&output->directory);
    if (output->file.frame != NULL)
        pal_frame_file_clear(&output->file);
    pal_frame_destroy(output->frame);
    pal_probes_destroy(output->probes, output->probe_count);
    pal_free(output->probe_names);
    pal_free(output->probe_values);
    pal_free(output->probe_silent);
    pal_free(output->probe_peaks);
    pal_free(output->cell_fields.stress);
    pal_free(output->cell_fields.strain);
    pal_free(output->cell_fields.volume_ratio);
    pal_free(output->title);
    pal_text_clear(&output->text);
    pal_free(output);
}

// ---- writing ----------------------------------------------------------------------------

// After a failure the record tells what is there.
PalStatus pal_output_wait(PalOutput *output, PalError *error)
{
    PalStatus status = pal_writer_wait(output->writer, error);
    if (status != PAL_OK) {
        output->record.frame_count = pal_writer_frame_count(output->writer);
        output->record.frame_step = PAL_NONE;
    }
    output->record.history_bytes = pal_writer_history_bytes(output->writer);
    return status;
}

static PalStatus wait_for_writer(PalOutput *output, PalSim *sim, PalError *error)
{
    double started = pal_timer_seconds();
    PalStatus status = pal_output_wait(output, error);
    pal_sim_add_output_seconds(sim, pal_timer_seconds() - started);
    return status;
}

static PalStatus encode_frame(PalOutput *output, PalSim *sim, PalError *error)
{
    PAL_TRY(pal_frame_find(output->frame, sim, output->fields, error));
    PAL_TRY(pal_frame_file_encode(&output->file, pal_writer_frame(output->writer), error));
    if (!output->touches)
        return PAL_OK;
    int32_t count = 0;
    const PalContactPoint *points = pal_sim_contacts(sim, &count);
    return pal_contacts_encode(&output->file, points, count, pal_writer_contacts(output->writer),
                               error);
}

// Relative to the largest energy of the run: while hardly any is there, rounding is most of it.
static void note_drift(PalRunRecord *record, const PalEnergy *energy)
{
    double scale = pal_energy_scale(energy);
    if (scale > record->energy_scale) {
        record->worst_drift *= record->energy_scale / scale;
        record->energy_scale = scale;
    }
    double drift = fabs(pal_energy_drift(energy));
    if (scale > 0)
        drift *= scale / record->energy_scale;
    if (!(drift <= record->worst_drift))
        record->worst_drift = drift;
}

// The row of the state that the frame follows; `frame` is the frame it belongs to, or PAL_NONE.
static PalStatus make_row(PalOutput *output, PalSim *sim, int64_t frame, PalError *error)
{
    PalHistoryRow row = pal_output_row(output, sim);
    row.frame = frame;
    PAL_TRY(pal_history_check(&row, error));
    pal_text_reset(&output->text);
    pal_history_row(&row, &output->text);
    if (output->text.no_memory)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a row of history");
    output->record.row_step = row.steps;
    note_drift(&output->record, &row.energy);
    return PAL_OK;
}

static PalStatus write_all(PalOutput *output, PalSim *sim, PalError *error)
{
    pal_frame_follow(output->frame, sim);
    PAL_TRY(encode_frame(output, sim, error));
    PAL_TRY(make_row(output, sim, output->record.frame_count, error));
    pal_writer_send(output->writer, output->frame->time, &output->text);
    ++output->record.frame_count;
    output->record.frame_step = output->record.row_step;
    return PAL_OK;
}

// A run that fails early should have one, too: in the beginning they come sooner, each after as
// long as all before took.
bool pal_checkpoint_is_due(double seconds, double age, double since)
{
    return since >= fmin(seconds, fmax(age, FIRST_CHECKPOINT));
}

bool pal_output_checkpoint_is_due(const PalOutput *output)
{
    double age = output->checkpoint_at - output->opened_at;
    double since = pal_timer_seconds() - output->checkpoint_at;
    return pal_checkpoint_is_due(output->checkpoint_seconds, age, since);
}

bool pal_output_has_checkpoint(const PalOutput *output)
{
    return output->checkpoint_step != PAL_NONE;
}

PalStatus pal_output_write(PalOutput *output, PalSim *sim, PalError *error)
{
    if (pal_sim_state(sim)->step_count == output->record.frame_step)
        return PAL_OK;
    PAL_TRY(wait_for_writer(output, sim, error));
    PalOutputCount count = pal_output_count_begin(output);
    PalStatus status = write_all(output, sim, error);
    pal_output_count_end(output, sim, PAL_OUTPUT_FRAMES, &count);
    if (status == PAL_OK && pal_output_checkpoint_is_due(output))
        status = pal_output_checkpoint(output, sim, error);
    return status;
}

PalStatus pal_output_write_history(PalOutput *output, PalSim *sim, PalError *error)
{
    if (pal_sim_state(sim)->step_count == output->record.row_step)
        return PAL_OK;
    PalOutputCount count = pal_output_count_begin(output);
    pal_frame_follow(output->frame, sim);
    PalStatus status = make_row(output, sim, PAL_NONE, error);
    if (status == PAL_OK)
        status = pal_writer_row(output->writer, &output->text, error);
    pal_output_count_end(output, sim, PAL_OUTPUT_FRAMES, &count);
    return status;
}

static PalStatus sync_series(const PalOutput *output, const PalSeries *series, PalError *error)
{
    char name[PAL_FRAME_NAME_SIZE];
    for (int64_t i = output->synced_frames; i < output->record.frame_count; ++i)
        PAL_TRY(pal_file_sync(&output->directory, pal_frame_name(series, i, name), error));
    return pal_file_sync(&output->directory, series->folder, error);
}

static PalStatus write_checkpoint(PalOutput *output, PalSim *sim, PalError *error)
{
    // What the checkpoint counts on must be on the disk before it.
    PAL_TRY(sync_series(output, &pal_frame_series, error));
    if (output->touches)
        PAL_TRY(sync_series(output, &pal_contact_series, error));
    if (!output->directory.hasty)
        output->synced_frames = output->record.frame_count;
    if (!output->directory.hasty && fsync(output->history) != 0 && errno != EINVAL)
        return pal_file_error(&output->directory, "history.csv", "cannot write", error);
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    PalCheckpoint checkpoint = {
        .scene = output->scene,
        .record = pal_output_total(output, sim, pal_timer_seconds() - output->opened_at),
        .array_count = pal_sim_arrays(sim, arrays),
        .arrays = arrays,
    };
    if (checkpoint.array_count == PAL_NONE)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a checkpoint");
    PAL_TRY(pal_checkpoint_write(&output->directory, &checkpoint, error));
    output->checkpoint_step = checkpoint.record.steps;
    output->checkpoint_at = pal_timer_seconds();
    return PAL_OK;
}

void pal_output_find_haste(PalOutput *output)
{
    double seconds = output->record.wall_seconds + pal_timer_seconds() - output->opened_at;
    output->directory.hasty = seconds < HASTY;
}

PalStatus pal_output_checkpoint(PalOutput *output, PalSim *sim, PalError *error)
{
    PAL_TRY(wait_for_writer(output, sim, error));
    pal_output_find_haste(output);  // the writer looks at it, too
    PalOutputCount count = pal_output_count_begin(output);
    PalStatus status = write_checkpoint(output, sim, error);
    pal_output_count_end(output, sim, PAL_OUTPUT_CHECKPOINTS, &count);
    return status;
}

int64_t pal_output_frame_count(const PalOutput *output)
{
    return output->record.frame_count;
}

double pal_output_energy_scale(const PalOutput *output)
{
    return output->record.energy_scale;
}

double pal_output_worst_drift(const PalOutput *output)
{
    return output->record.worst_drift;
}

PalVec3 pal_output_probe_value(const PalOutput *output, int32_t probe_index)
{
    bool known = probe_index >= 0 && probe_index < output->probe_count;
    return known ? output->probe_values[probe_index] : (PalVec3){0, 0, 0};
}

bool pal_output_probe_silent(const PalOutput *output, int32_t probe_index)
{
    bool known = probe_index >= 0 && probe_index < output->probe_count;
    return !known || output->probe_silent[probe_index];
}

PalProbePeak pal_output_probe_peak(const PalOutput *output, int32_t probe_index)
{
    bool known = probe_index >= 0 && probe_index < output->probe_count;
    return known ? output->probe_peaks[probe_index] : (PalProbePeak){0};
}

// ---- the log ----------------------------------------------------------------------------

void pal_output_log(PalOutput *output, const char *text)
{
    char stamp[32];
    struct tm parts;
    time_t now = time(NULL);
    strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", gmtime_r(&now, &parts));
    PalText line = {0};
    pal_text_print(&line, "%sZ %s\n", stamp, text);
    // A log that cannot be written must not stop a run.
    if (!line.no_memory)
        pal_file_write_all(output->log, line.data, line.length);
    pal_text_clear(&line);
}
