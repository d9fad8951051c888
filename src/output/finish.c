// What a run came to: gathered, and written at its end.
#include "output/output.h"

#include "base/memory.h"
#include "base/timer.h"
#include "math/quaternion.h"
#include "output/hidden.h"
#include "output/picture.h"
#include "output/report.h"
#include "output/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

PalHistoryRow pal_output_row(PalOutput *output, PalSim *sim)
{
    const PalState *state = pal_sim_state(sim);
    PalProbeSource source = {
        .reference = output->frame->reference,
        .displacement = output->frame->displacement,
        .velocity = output->frame->velocity,
        .sim = sim,
        .fields = &output->cell_fields,
        .frame = output->frame,
    };
    if (output->cell_fields.stress != NULL)  // room for them was made when the output was opened
        pal_sim_cell_fields(sim, PAL_NONE, &output->cell_fields);
    if (output->probes_area)
        pal_frame_find_contact(output->frame, sim);
    PalContactReport contact = pal_sim_contact_report(sim);
    for (int32_t p = 0; p < output->probe_count; ++p)
        output->probe_values[p] = pal_probe_value(&output->probes[p], &source);
    return (PalHistoryRow){
        .time = state->time,
        .steps = state->step_count,
        .step = state->step,
        .energy = output->frame->measures.energy,
        .momentum = output->frame->measures.momentum,
        .angular_momentum = output->frame->measures.angular_momentum,
        .load = pal_sim_load_time(sim),
        .penetration = contact.penetration,
        .contacts = contact.contact_count,
        .frame = PAL_NONE,
        .probe_count = output->probe_count,
        .probes = output->probe_values,
    };
}

void pal_run_record_add(PalRunRecord *record, const PalSim *sim, int sign)
{
    const PalProfile *profile = pal_sim_profile(sim);
    record->profile.elements += sign * profile->elements;
    record->profile.integrate += sign * profile->integrate;
    record->profile.assemble += sign * profile->assemble;
    record->profile.solve += sign * profile->solve;
    record->profile.contact_update += sign * profile->contact_update;
    record->profile.contact_search += sign * profile->contact_search;
    record->profile.contact_response += sign * profile->contact_response;
    record->profile.output += sign * profile->output;
    const PalCounters *counters = pal_sim_counters(sim);
    record->counters.step_estimates += sign * counters->step_estimates;
    record->counters.step_changes += sign * counters->step_changes;
    record->counters.retries += sign * counters->retries;
    record->counters.iterations += sign * counters->iterations;
    record->counters.unstable += sign * counters->unstable;
    record->counters.volumes += sign * counters->volumes;
    record->counters.refits += sign * counters->refits;
    record->counters.self_subtrees += sign * counters->self_subtrees;
    record->counters.volume_tests += sign * counters->volume_tests;
    record->counters.node_facet += sign * counters->node_facet;
    record->counters.edge_edge += sign * counters->edge_edge;
    record->counters.wakes += sign * counters->wakes;
}

PalRunRecord pal_output_total(const PalOutput *output, PalSim *sim, double wall_seconds)
{
    PalRunRecord record = output->record;
    const PalState *state = pal_sim_state(sim);
    record.time = state->time;
    record.steps = state->step_count;
    record.wall_seconds += wall_seconds;
    record.worst_penetration =
        fmax(record.worst_penetration, pal_sim_contact_report(sim).worst_penetration);
    pal_run_record_add(&record, sim, 1);
    return record;
}

PalOutputCount pal_output_count_begin(const PalOutput *output)
{
    return (PalOutputCount){pal_timer_seconds(),
                            pal_timer_process_seconds() - pal_writer_cpu_seconds(output->writer)};
}

void pal_output_count_processor(PalOutput *output, PalOutputStage stage,
                                const PalOutputCount *begin)
{
    output->cpu_seconds[stage] += pal_output_count_begin(output).processor - begin->processor;
}

void pal_output_count_end(PalOutput *output, PalSim *sim, PalOutputStage stage,
                          const PalOutputCount *begin)
{
    pal_sim_add_output_seconds(sim, pal_timer_seconds() - begin->clock);
    pal_output_count_processor(output, stage, begin);
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

static void gather_free(const PalSim *sim, int32_t r, PalSummaryBody *body)
{
    const PalRigid *rigid = &pal_sim_model(sim)->rigids[r];
    PalPose pose;
    PalTwist twist;
    pal_sim_rigid_motion(sim, r, &pose, &twist);
    body->mass = rigid->mass;
    for (int i = 0; i < 3; ++i)
        body->moments[i] = rigid->moments[i];
    body->centroid = pose.centre;
    body->velocity = twist.velocity;
    body->rotation = pal_quaternion_rotation_vector(pal_quaternion_from_matrix(&pose.rotation));
    body->spin = twist.spin;
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
        PalSummaryBody *body = &bodies[model->body_count + r];
        gather_rigid(output, model, r, first, body);
        if (model->rigids[r].free)
            gather_free(sim, r, body);
        first += model->rigids[r].mesh->node_count;
    }
}

// `wall_seconds` of this process, up to now.
static PalSummary gather_summary(PalOutput *output, PalSim *sim, const PalOutputEnd *end,
                                 double wall_seconds, PalSummaryBody *bodies)
{
    const PalModel *model = pal_sim_model(sim);
    PalHistoryRow row = pal_output_row(output, sim);
    gather_bodies(output, sim, bodies);
    const char *reason = end->reason != NULL ? end->reason : "";
    if (end->status != PAL_OK && reason[0] == '\0')
        reason = pal_status_name(end->status);
    PalMethod method = pal_sim_solver(sim)->method;
    int32_t pair_count;
    const PalContactPairReport *pairs = pal_sim_contact_pairs(sim, &pair_count);
    int32_t convergence_count;
    const double *convergence = pal_sim_convergence(sim, &convergence_count);
    return (PalSummary){
        .title = output->title,
        .status = end->status,
        .lenient_count = end->lenient_count,
        .lenient = end->lenient,
        .reason = reason,
        .method = method,
        .threads = pal_sim_thread_count(sim),
        .step = row.step,
        .added_mass = model->added_mass,
        .residual = pal_sim_residual(sim),
        .convergence_count = convergence_count,
        .convergence = convergence,
        .state_hash = pal_sim_hash(sim),
        .energy = row.energy,
        .momentum = row.momentum,
        .angular_momentum = row.angular_momentum,
        .penetration = row.penetration,
        .contact = pal_sim_contact_report(sim),
        .pair_count = pair_count,
        .pairs = pairs,
        .intersections = pal_sim_intersections(sim),
        .record = pal_output_total(output, sim, wall_seconds),
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

// The picture and the page, which see through the same bodies.
static PalStatus write_report(PalOutput *output, PalSim *sim, const PalSummary *summary,
                              bool *see_through, PalError *error)
{
    PalStatus first = PAL_OK;
    PalText picture = {0};
    PalOutputCount count = pal_output_count_begin(output);
    PAL_TRY(pal_hidden_find(output->frame, see_through, error));
    PalPictureDef def = {.title = output->title,
                         .thread_count = pal_sim_thread_count(sim),
                         .failed = summary->status == PAL_SIM_FAILED,
                         .see_through = see_through};
    PalStatus drawn = pal_picture_encode(output->frame, &def, &picture, error);
    pal_output_count_processor(output, PAL_OUTPUT_PICTURE, &count);
    count = pal_output_count_begin(output);
    keep_first(&first, drawn);
    if (drawn == PAL_OK)
        keep_first(&first, pal_file_replace_text(&output->directory, "picture.png", &picture,
                                                 PAL_FILE_SYNCED, error));
    PalReportDef report = {
        .last = output->frame, .summary = summary, .picture = &picture, .see_through = see_through};
    keep_first(&first, pal_report_write(&output->directory, &report, error));
    pal_output_count_processor(output, PAL_OUTPUT_REPORT, &count);
    pal_text_clear(&picture);
    return first;
}

static PalStatus write_end(PalOutput *output, PalSim *sim, const PalSummary *summary,
                           PalError *error)
{
    PalStatus first = PAL_OK;
    PalOutputCount count = pal_output_count_begin(output);
    pal_text_reset(&output->text);
    pal_summary_encode(summary, &output->text);
    keep_first(&first, pal_file_replace_text(&output->directory, "summary.json", &output->text,
                                             PAL_FILE_SYNCED, error));
    pal_output_count_processor(output, PAL_OUTPUT_REPORT, &count);
    if (!output->report)
        return first;
    bool *see_through = pal_alloc((size_t)summary->body_count, sizeof *see_through);
    if (see_through != NULL)
        keep_first(&first, write_report(output, sim, summary, see_through, error));
    else
        keep_first(&first, pal_error_set(error, PAL_NO_MEMORY, "no memory for the report"));
    pal_free(see_through);
    return first;
}

static PalProbePeak find_peak(const PalHistoryTable *table, int32_t column)
{
    PalProbePeak peak = {{0, 0, 0}, 0};
    for (int32_t row = 0; row < table->row_count; ++row) {
        const double *values = table->values + (int64_t)row * table->column_count;
        PalVec3 value = {values[column], values[column + 1], values[column + 2]};
        if (row == 0 || pal_vec3_length(value) > pal_vec3_length(peak.value))
            peak = (PalProbePeak){value, values[0]};
    }
    return peak;
}

// The whole history counts, that of earlier processes too.
static PalStatus find_peaks(PalOutput *output, PalError *error)
{
    PalText csv = {0};
    PalHistoryTable table = {0};
    bool found = false;
    PalStatus status = pal_file_read(&output->directory, "history.csv", &csv, &found, error);
    if (status == PAL_OK)
        status = pal_history_parse(&csv, INT32_MAX, &table, error);
    int32_t first = pal_history_column_count();
    bool whole = status == PAL_OK && table.column_count == first + 3 * output->probe_count;
    for (int32_t p = 0; whole && p < output->probe_count; ++p) {
        output->probe_peaks[p] = find_peak(&table, first + 3 * p);
        PalVec3 most = output->probe_peaks[p].value;
        output->probe_silent[p] = table.row_count > 0 && most.x == 0 && most.y == 0 && most.z == 0;
    }
    free(table.values);
    pal_text_clear(&csv);
    return status;
}

// Of this process. The report is written already and does not have this line.
static void log_cost(PalOutput *output)
{
    char line[240];
    const double *stages = output->cpu_seconds;
    double all = pal_timer_process_seconds(), writing = pal_writer_cpu_seconds(output->writer);
    double spent = writing;
    for (int stage = 0; stage < PAL_OUTPUT_STAGE_COUNT; ++stage)
        spent += stages[stage];
    snprintf(line, sizeof line,
             "output took %.4f s of %.4f s of processor time, %.1f %%: opening %.4f, frames %.4f, "
             "writing them %.4f, checkpoints %.4f, picture %.4f, report %.4f",
             spent, all, 100 * spent / all, stages[PAL_OUTPUT_OPENING], stages[PAL_OUTPUT_FRAMES],
             writing, stages[PAL_OUTPUT_CHECKPOINTS], stages[PAL_OUTPUT_PICTURE],
             stages[PAL_OUTPUT_REPORT]);
    pal_output_log(output, line);
}

PalStatus pal_output_finish(PalOutput *output, PalSim *sim, const PalOutputEnd *end,
                            PalError *error)
{
    const PalModel *model = pal_sim_model(sim);
    size_t body_count = (size_t)model->body_count + (size_t)model->rigid_count;
    PalSummaryBody *bodies = pal_alloc(body_count, sizeof *bodies);
    if (bodies == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the summary");
    PalStatus first = pal_output_wait(output, error);
    pal_output_find_haste(output);
    double started = pal_timer_seconds();
    bool intact = end->status == PAL_OK || end->status == PAL_INTERRUPTED;
    if (intact && output->checkpoint_step != pal_sim_state(sim)->step_count)
        keep_first(&first, pal_output_checkpoint(output, sim, error));
    PalOutputCount count = pal_output_count_begin(output);
    pal_frame_follow(output->frame, sim);
    PalStatus updated = pal_frame_find_shown(output->frame, sim, error);
    pal_output_count_end(output, sim, PAL_OUTPUT_REPORT, &count);
    keep_first(&first, updated);
    if (updated == PAL_OK) {
        double wall_seconds = end->wall_seconds + (pal_timer_seconds() - started);
        count = pal_output_count_begin(output);
        PalSummary summary = gather_summary(output, sim, end, wall_seconds, bodies);
        pal_output_count_processor(output, PAL_OUTPUT_REPORT, &count);
        keep_first(&first, write_end(output, sim, &summary, error));
    }
    if (output->probe_count > 0)
        keep_first(&first, find_peaks(output, error));
    pal_free(bodies);
    log_cost(output);
    return first;
}
