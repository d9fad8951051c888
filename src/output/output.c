#include <palpate/output.h>

#include "base/memory.h"
#include "base/timer.h"
#include "math/vec3.h"
#include "output/checkpoint.h"
#include "output/fingerprint.h"
#include "output/frame.h"
#include "output/history.h"
#include "output/picture.h"
#include "output/probe.h"
#include "output/report.h"
#include "output/rundir.h"
#include "output/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct PalOutput {
    char *title;
    PalFrameFields fields;
    double checkpoint_seconds;
    bool report;
    uint64_t scene;

    PalDirectory directory;
    int history, log;  // descriptors
    PalFrame *frame;
    int32_t probe_count;
    PalProbe *probes;
    const char **probe_names;
    PalVec3 *probe_values;
    PalText text;  // the frame or row being written

    PalRunRecord record;  // its totals are those of earlier processes
    double opened_at, checkpoint_at;
    int64_t synced_frames;    // frames known to be on the disk
    int64_t checkpoint_step;  // steps at the last checkpoint, or PAL_NONE
};

PalOutputDef pal_output_def_default(void)
{
    return (PalOutputDef){
        .title = "",
        .scene_text = "",
        .every = 1,
        .displacement = true,
        .velocity = true,
        .stress = true,
        .energy = true,
        .checkpoint_seconds = 30,
        .report = true,
    };
}

// ---- what the simulation says now -------------------------------------------------------

static PalHistoryRow current_row(PalOutput *output, PalSim *sim)
{
    const PalState *state = pal_sim_state(sim);
    PalProbeSource source = {
        .reference = output->frame->reference,
        .displacement = output->frame->displacement,
        .velocity = output->frame->velocity,
        .reaction = state->reaction,
    };
    for (int32_t p = 0; p < output->probe_count; ++p)
        output->probe_values[p] = pal_probe_value(&output->probes[p], &source);
    return (PalHistoryRow){
        .time = state->time,
        .steps = state->step_count,
        .step = state->step,
        .energy = pal_sim_energy(sim),
        .momentum = pal_sim_momentum(sim),
        .angular_momentum = pal_sim_angular_momentum(sim),
        .probe_count = output->probe_count,
        .probes = output->probe_values,
    };
}

// Adds `sign` times what the simulation itself counts.
static void add_counts(PalRunRecord *record, const PalSim *sim, int sign)
{
    const PalProfile *profile = pal_sim_profile(sim);
    record->profile.elements += sign * profile->elements;
    record->profile.integrate += sign * profile->integrate;
    record->profile.contact_update += sign * profile->contact_update;
    record->profile.contact_search += sign * profile->contact_search;
    record->profile.contact_response += sign * profile->contact_response;
    record->profile.output += sign * profile->output;
    const PalCounters *counters = pal_sim_counters(sim);
    record->counters.step_estimates += sign * counters->step_estimates;
    record->counters.step_changes += sign * counters->step_changes;
    record->counters.volumes += sign * counters->volumes;
    record->counters.refits += sign * counters->refits;
    record->counters.self_subtrees += sign * counters->self_subtrees;
    record->counters.volume_tests += sign * counters->volume_tests;
    record->counters.node_facet += sign * counters->node_facet;
    record->counters.edge_edge += sign * counters->edge_edge;
    record->counters.wakes += sign * counters->wakes;
}

// The record with totals over all processes.
static PalRunRecord total_record(const PalOutput *output, PalSim *sim, double wall_seconds)
{
    PalRunRecord record = output->record;
    const PalState *state = pal_sim_state(sim);
    record.time = state->time;
    record.steps = state->step_count;
    record.wall_seconds += wall_seconds;
    add_counts(&record, sim, 1);
    return record;
}

// ---- opening ----------------------------------------------------------------------------

static PalStatus open_append(PalOutput *output, const char *name, int flags, int *descriptor,
                             PalError *error)
{
    *descriptor = openat(output->directory.descriptor, name,
                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | flags, 0666);
    if (*descriptor < 0)
        return pal_file_error(&output->directory, name, "cannot write", error);
    return PAL_OK;
}

// The log doubles as the lock: two runs in one directory would spoil each other's files.
static PalStatus open_log(PalOutput *output, PalError *error)
{
    PAL_TRY(open_append(output, "log.txt", 0, &output->log, error));
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(output->log, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN))
        return pal_error_set(error, PAL_IO_FAILED, "%s: another run is writing here",
                             output->directory.path);
    return PAL_OK;
}

static PalStatus start_anew(PalOutput *output, const PalOutputDef *def, PalSim *sim,
                            PalError *error)
{
    PAL_TRY(pal_rundir_clear(&output->directory, error));
    PAL_TRY(pal_directory_make(&output->directory, "frames", error));
    if (ftruncate(output->log, 0) != 0)
        return pal_file_error(&output->directory, "log.txt", "cannot write", error);
    const char *scene = def->scene_text != NULL ? def->scene_text : "";
    PAL_TRY(pal_file_replace(&output->directory, "scene.yaml", scene, strlen(scene),
                             PAL_FILE_SYNCED, error));
    PAL_TRY(pal_pvd_write(&output->directory, NULL, 0, error));
    PAL_TRY(open_append(output, "history.csv", O_TRUNC, &output->history, error));
    pal_text_reset(&output->text);
    pal_history_head(output->probe_count, output->probe_names, &output->text);
    if (!pal_file_write_all(output->history, output->text.data, output->text.length))
        return pal_file_error(&output->directory, "history.csv", "cannot write", error);
    output->record = (PalRunRecord){
        .history_bytes = (int64_t)output->text.length,
        .written_step = PAL_NONE,
        .momentum = pal_sim_momentum(sim),
        .angular_momentum = pal_sim_angular_momentum(sim),
    };
    return PAL_OK;
}

static PalStatus check_history(const PalOutput *output, PalError *error)
{
    struct stat info;
    if (fstatat(output->directory.descriptor, "history.csv", &info, 0) == 0 &&
        info.st_size >= (off_t)output->record.history_bytes)
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT,
                         "%s/history.csv: missing or shorter than at the checkpoint, so the run "
                         "cannot be resumed",
                         output->directory.path);
}

static PalStatus cut_history(PalOutput *output, PalError *error)
{
    PAL_TRY(open_append(output, "history.csv", 0, &output->history, error));
    if (ftruncate(output->history, (off_t)output->record.history_bytes) != 0)
        return pal_file_error(&output->directory, "history.csv", "cannot cut back", error);
    bool found = false;
    PAL_TRY(pal_file_read(&output->directory, "history.csv", &output->text, &found, error));
    return pal_pvd_write(&output->directory, &output->text, output->record.frame_count, error);
}

// `*found` is false when there is no checkpoint to go on from.
static PalStatus go_on(PalOutput *output, PalSim *sim, bool *found, PalError *error)
{
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    PalCheckpoint checkpoint = {.scene = output->scene, .arrays = arrays};
    checkpoint.array_count = pal_sim_arrays(sim, arrays);
    PAL_TRY(pal_checkpoint_read(&output->directory, &checkpoint, found, error));
    if (!*found)
        return PAL_OK;
    pal_sim_restored(sim);
    output->record = checkpoint.record;
    add_counts(&output->record, sim, -1);  // what it restored by itself is counted once
    output->checkpoint_step = checkpoint.record.steps;
    output->synced_frames = checkpoint.record.frame_count;
    PAL_TRY(check_history(output, error));  // before anything is removed
    PAL_TRY(pal_rundir_cut(&output->directory, output->record.frame_count, error));
    PAL_TRY(pal_directory_make(&output->directory, "frames", error));
    PAL_TRY(cut_history(output, error));
    char line[160];
    snprintf(line, sizeof line,
             "resumed at time %.9g after %" PRId64 " steps and %" PRId64 " frames",
             output->record.time, output->record.steps, output->record.frame_count);
    pal_output_log(output, line);
    return PAL_OK;
}

static PalStatus prepare(PalOutput *output, const PalOutputDef *def, PalSim *sim, PalError *error)
{
    output->title = pal_copy_text(def->title != NULL ? def->title : "");
    output->fields = (PalFrameFields){.displacement = def->displacement,
                                      .velocity = def->velocity,
                                      .stress = def->stress,
                                      .energy = def->energy};
    output->checkpoint_seconds = def->checkpoint_seconds;
    output->report = def->report;
    output->opened_at = output->checkpoint_at = pal_timer_seconds();
    output->checkpoint_step = PAL_NONE;
    output->probe_names = pal_alloc((size_t)def->probe_count, sizeof *output->probe_names);
    output->probe_values = pal_alloc((size_t)def->probe_count, sizeof *output->probe_values);
    if (output->title == NULL || output->probe_names == NULL || output->probe_values == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the output");
    const PalModel *model = pal_sim_model(sim);
    output->scene = pal_scene_fingerprint(def->scene_text != NULL ? def->scene_text : "", model);
    PAL_TRY(pal_probes_create(model, def->probe_count, def->probes, &output->probes, error));
    output->probe_count = def->probe_count;
    for (int32_t p = 0; p < output->probe_count; ++p)
        output->probe_names[p] = output->probes[p].name;
    return pal_frame_create(model, &output->frame, error);
}

static PalStatus open_files(PalOutput *output, const PalOutputDef *def, PalSim *sim, bool resume,
                            PalError *error)
{
    PAL_TRY(pal_directory_open(def->directory, &output->directory, error));
    PAL_TRY(open_log(output, error));
    bool found = false;
    if (resume)
        PAL_TRY(go_on(output, sim, &found, error));
    if (!found)
        PAL_TRY(start_anew(output, def, sim, error));
    if (resume && !found)
        pal_output_log(output, "no checkpoint to resume from: starting from the beginning");
    return PAL_OK;
}

PalStatus pal_output_open(const PalOutputDef *def, PalSim *sim, bool resume, PalOutput **output,
                          PalError *error)
{
    PalOutput *made = pal_alloc(1, sizeof *made);
    *output = NULL;
    if (made == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the output");
    made->directory.descriptor = made->history = made->log = -1;
    PalStatus status = prepare(made, def, sim, error);
    if (status == PAL_OK)
        status = open_files(made, def, sim, resume, error);
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
    if (output->history >= 0)
        close(output->history);
    if (output->log >= 0)
        close(output->log);
    pal_directory_close(&output->directory);
    pal_frame_destroy(output->frame);
    pal_probes_destroy(output->probes, output->probe_count);
    pal_free(output->probe_names);
    pal_free(output->probe_values);
    pal_free(output->title);
    pal_text_clear(&output->text);
    pal_free(output);
}

// ---- writing ----------------------------------------------------------------------------

static PalStatus add_history(PalOutput *output, const PalHistoryRow *row, PalError *error)
{
    pal_text_reset(&output->text);
    pal_history_row(row, &output->text);
    if (output->text.no_memory)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a row of history");
    if (pal_file_write_all(output->history, output->text.data, output->text.length)) {
        output->record.history_bytes += (int64_t)output->text.length;
        return PAL_OK;
    }
    PalStatus status = pal_file_error(&output->directory, "history.csv", "cannot write", error);
    if (ftruncate(output->history, (off_t)output->record.history_bytes) != 0)
        pal_output_log(output, "history.csv ends in an unfinished row");
    return status;
}

static PalStatus write_frame(PalOutput *output, PalSim *sim, PalError *error)
{
    PAL_TRY(pal_frame_update(output->frame, sim, error));
    pal_text_reset(&output->text);
    PAL_TRY(pal_frame_encode(output->frame, &output->fields, pal_sim_thread_count(sim),
                             &output->text, error));
    char name[PAL_FRAME_NAME_SIZE];
    pal_frame_name(output->record.frame_count, name);
    PAL_TRY(pal_file_replace_text(&output->directory, name, &output->text, PAL_FILE_PLAIN, error));
    return pal_pvd_add(&output->directory, output->record.frame_count, output->frame->time, error);
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

static PalStatus write_all(PalOutput *output, PalSim *sim, PalError *error)
{
    PAL_TRY(write_frame(output, sim, error));
    PalHistoryRow row = current_row(output, sim);
    PAL_TRY(add_history(output, &row, error));
    ++output->record.frame_count;
    output->record.written_step = row.steps;
    note_drift(&output->record, &row.energy);
    return PAL_OK;
}

PalStatus pal_output_write(PalOutput *output, PalSim *sim, PalError *error)
{
    if (pal_sim_state(sim)->step_count == output->record.written_step)
        return PAL_OK;
    double started = pal_timer_seconds();
    PalStatus status = write_all(output, sim, error);
    pal_sim_add_output_seconds(sim, pal_timer_seconds() - started);
    bool due = pal_timer_seconds() - output->checkpoint_at >= output->checkpoint_seconds;
    if (status == PAL_OK && due)
        status = pal_output_checkpoint(output, sim, error);
    return status;
}

static PalStatus write_checkpoint(PalOutput *output, PalSim *sim, PalError *error)
{
    // What the checkpoint counts on must be on the disk before it.
    char name[PAL_FRAME_NAME_SIZE];
    for (; output->synced_frames < output->record.frame_count; ++output->synced_frames)
        PAL_TRY(
            pal_file_sync(&output->directory, pal_frame_name(output->synced_frames, name), error));
    PAL_TRY(pal_file_sync(&output->directory, "frames", error));
    if (fsync(output->history) != 0 && errno != EINVAL)
        return pal_file_error(&output->directory, "history.csv", "cannot write", error);
    PalNamedArray arrays[PAL_SIM_ARRAY_MAX];
    PalCheckpoint checkpoint = {
        .scene = output->scene,
        .record = total_record(output, sim, pal_timer_seconds() - output->opened_at),
        .array_count = pal_sim_arrays(sim, arrays),
        .arrays = arrays,
    };
    PAL_TRY(pal_checkpoint_write(&output->directory, &checkpoint, error));
    output->checkpoint_step = checkpoint.record.steps;
    output->checkpoint_at = pal_timer_seconds();
    return PAL_OK;
}

PalStatus pal_output_checkpoint(PalOutput *output, PalSim *sim, PalError *error)
{
    double started = pal_timer_seconds();
    PalStatus status = write_checkpoint(output, sim, error);
    pal_sim_add_output_seconds(sim, pal_timer_seconds() - started);
    return status;
}

int64_t pal_output_frame_count(const PalOutput *output)
{
    return output->record.frame_count;
}

double pal_output_worst_drift(const PalOutput *output)
{
    return output->record.worst_drift;
}

PalVec3 pal_output_probe_value(const PalOutput *output, int32_t probe_index)
{
    return output->probe_values[probe_index];
}

// ---- the end ----------------------------------------------------------------------------

static void gather_rigid(const PalOutput *output, const PalModel *model, int32_t r, int32_t first,
                         PalSummaryBody *body)
{
    const PalRigid *rigid = &model->rigids[r];
    *body = (PalSummaryBody){.name = rigid->name,
                             .rigid = true,
                             .nodes = rigid->mesh->node_count,
                             .elements = rigid->mesh->cell_count};
    double share = rigid->mesh->node_count > 0 ? 1.0 / rigid->mesh->node_count : 0;
    for (int32_t n = first; n < first + rigid->mesh->node_count; ++n) {
        body->centroid = pal_vec3_add_scaled(body->centroid, share, output->frame->position[n]);
        body->velocity = pal_vec3_add_scaled(body->velocity, share, output->frame->velocity[n]);
    }
}

static void gather_bodies(const PalOutput *output, PalSim *sim, PalSummaryBody *bodies)
{
    const PalModel *model = pal_sim_model(sim);
    for (int32_t b = 0; b < model->body_count; ++b) {
        const PalBody *body = &model->bodies[b];
        bodies[b] = (PalSummaryBody){.name = body->name,
                                     .element = body->element,
                                     .mass = body->mass,
                                     .nodes = body->mesh->node_count,
                                     .elements = body->mesh->cell_count};
        pal_sim_body_motion(sim, b, &bodies[b].centroid, &bodies[b].velocity);
    }
    int32_t first = model->node_count;
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        gather_rigid(output, model, r, first, &bodies[model->body_count + r]);
        first += model->rigids[r].mesh->node_count;
    }
}

// `wall_seconds` of this process, up to now.
static PalSummary gather_summary(PalOutput *output, PalSim *sim, const PalOutputEnd *end,
                                 double wall_seconds, PalSummaryBody *bodies)
{
    const PalModel *model = pal_sim_model(sim);
    PalHistoryRow row = current_row(output, sim);
    gather_bodies(output, sim, bodies);
    const char *reason = end->reason != NULL ? end->reason : "";
    if (end->status != PAL_OK && reason[0] == '\0')
        reason = pal_status_name(end->status);
    PalMethod method = pal_sim_solver(sim)->method;
    return (PalSummary){
        .title = output->title,
        .status = end->status,
        .reason = reason,
        .method = method,
        .threads = pal_sim_thread_count(sim),
        .step = row.step,
        .added_mass = model->added_mass,
        .residual = method == PAL_METHOD_RELAXATION ? pal_sim_residual(sim) : 0,
        .state_hash = pal_sim_hash(sim),
        .energy = row.energy,
        .momentum = row.momentum,
        .angular_momentum = row.angular_momentum,
        .record = total_record(output, sim, wall_seconds),
        .body_count = model->body_count + model->rigid_count,
        .bodies = bodies,
        .probe_count = output->probe_count,
        .probes = output->probes,
        .probe_values = output->probe_values,
    };
}

// Each file is tried even when another one fails; the first failure is returned.
static void keep_first(PalStatus *first, PalStatus status)
{
    if (*first == PAL_OK)
        *first = status;
}

static PalStatus write_end(PalOutput *output, PalSim *sim, const PalSummary *summary,
                           PalError *error)
{
    PalStatus first = PAL_OK;
    PalText picture = {0};
    pal_text_reset(&output->text);
    pal_summary_encode(summary, &output->text);
    keep_first(&first, pal_file_replace_text(&output->directory, "summary.json", &output->text,
                                             PAL_FILE_SYNCED, error));
    if (!output->report)
        return first;
    PalPictureDef def = {.title = output->title, .thread_count = pal_sim_thread_count(sim)};
    PalStatus drawn = pal_picture_encode(output->frame, &def, &picture, error);
    keep_first(&first, drawn);
    if (drawn == PAL_OK)
        keep_first(&first, pal_file_replace_text(&output->directory, "picture.png", &picture,
                                                 PAL_FILE_SYNCED, error));
    keep_first(&first,
               pal_report_write(&output->directory, output->frame, summary, &picture, error));
    pal_text_clear(&picture);
    return first;
}

PalStatus pal_output_finish(PalOutput *output, PalSim *sim, const PalOutputEnd *end,
                            PalError *error)
{
    const PalModel *model = pal_sim_model(sim);
    size_t body_count = (size_t)model->body_count + (size_t)model->rigid_count;
    PalSummaryBody *bodies = pal_alloc(body_count, sizeof *bodies);
    if (bodies == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the summary");
    PalStatus first = PAL_OK;
    double started = pal_timer_seconds();
    bool intact = end->status == PAL_OK || end->status == PAL_INTERRUPTED;
    if (intact && output->checkpoint_step != pal_sim_state(sim)->step_count)
        keep_first(&first, pal_output_checkpoint(output, sim, error));
    double saved = pal_timer_seconds();
    PalStatus updated = pal_frame_update(output->frame, sim, error);
    double ended = pal_timer_seconds();
    pal_sim_add_output_seconds(sim, ended - saved);
    keep_first(&first, updated);
    if (updated == PAL_OK) {
        double wall_seconds = end->wall_seconds + (ended - started);
        PalSummary summary = gather_summary(output, sim, end, wall_seconds, bodies);
        keep_first(&first, write_end(output, sim, &summary, error));
    }
    pal_free(bodies);
    return first;
}

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
