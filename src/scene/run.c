// The loop of a run: step, look at the clock, write what is due.
#include "scene/closing.h"

#include "base/memory.h"
#include "base/timer.h"
#include "output/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PROGRESS_SECONDS 0.2   // between calls of progress
#define STOP_LEAST       1e-9  // of a step: as good as there
#define LOOK_SECONDS     0.02  // between looks at the clock, at most
#define LOOK_STEPS_MAX   1024

// Output times are met within this part of their distance.
#define OUTPUT_SLACK 1e-6

// What may be missing in the balance of energy, of the largest energy so far.
#define BALANCE_LOST 0.1

typedef struct Run {
    const PalScene *scene;
    const PalRunOptions *options;
    PalRunResult *result;
    PalSim *sim;
    PalOutput *output;
    double every, history, checkpoint_seconds;
    int64_t next_output;  // explicit: multiple of `every`; relaxation: step count
    int64_t next_row;     // explicit: multiple of `history`
    double start, last_look, last_progress;
    int64_t last_progress_steps;
    int32_t look_steps;  // steps between looks at the clock
    double steps_per_second;
    double start_fraction;
    double start_bound;  // stable bound of the step, where the step is given; 0: it is not
    bool stopped;        // where the caller wanted it to
} Run;

static bool relaxes(const Run *run)
{
    return !pal_method_in_time(pal_sim_solver(run->sim)->method);
}

static bool is_implicit(const Run *run)
{
    return pal_method_is_implicit(pal_sim_solver(run->sim)->method);
}

// Calls the progress function; false: the caller wants to stop.
static bool show_progress(Run *run, const char *stage, double now)
{
    if (run->options->progress == NULL)
        return true;
    const PalState *state = pal_sim_state(run->sim);
    double elapsed = now - run->last_progress;
    int64_t steps = state->step_count - run->last_progress_steps;
    if (steps > 0 && elapsed > 0) {
        // Half of the old rate stays, so that the figure can be read.
        double rate = (double)steps / elapsed;
        run->steps_per_second =
            run->steps_per_second > 0 ? 0.5 * (rate + run->steps_per_second) : rate;
    }
    run->last_progress = now;
    run->last_progress_steps = state->step_count;

    double fraction = pal_sim_progress(run->sim), used = now - run->start;
    double done = fraction - run->start_fraction;
    PalProgress progress = {
        .time = state->time,
        .end_time = pal_sim_solver(run->sim)->time,
        .fraction = fraction,
        .steps = state->step_count,
        .steps_per_second = run->steps_per_second,
        .elements_per_second = run->steps_per_second * pal_sim_model(run->sim)->cell_count,
        .seconds_left = done > 0 ? used * (1 - fraction) / done : INFINITY,
        .seconds_used = used,
        .residual = relaxes(run) && !is_implicit(run) ? pal_sim_residual(run->sim) : 0,
        .stage = stage,
    };
    return run->options->progress(run->options->context, &progress);
}

// ---- output times -----------------------------------------------------------------------

// Implicit statics is written at each step. Relaxation is written at steps 10, 20, ... 50, then
// each quarter more: its time means nothing.
static int64_t relaxation_step_after(int64_t step)
{
    int64_t next = 0;
    while (next <= step)
        next += next / 4 > 10 ? next / 4 : 10;
    return next;
}

static void plan_output(Run *run)
{
    const PalState *state = pal_sim_state(run->sim);
    run->next_output = relaxes(run) ? relaxation_step_after(state->step_count)
                                    : (int64_t)floor(state->time / run->every + OUTPUT_SLACK) + 1;
    run->next_row = (int64_t)floor(state->time / run->history + OUTPUT_SLACK) + 1;
}

static bool output_due(const Run *run)
{
    const PalState *state = pal_sim_state(run->sim);
    if (relaxes(run))
        return is_implicit(run) || state->step_count >= run->next_output;
    return state->time / run->every + OUTPUT_SLACK >= (double)run->next_output;
}

// A row without a frame. The last state has both.
static bool row_due(const Run *run)
{
    double time = pal_sim_state(run->sim)->time;
    return !relaxes(run) && !pal_sim_finished(run->sim) &&
           time / run->history + OUTPUT_SLACK >= (double)run->next_row;
}

// What is missing in the balance of energy, of the largest energy so far.
static double balance_lost(const Run *run)
{
    PalEnergy energy = pal_sim_energy(run->sim);
    double scale = pal_energy_scale(&energy), lost = fabs(pal_energy_drift(&energy)) * scale;
    double largest = fmax(pal_output_energy_scale(run->output), scale);
    return lost > 0 ? lost / largest : 0;
}

// A step beyond the stable bound makes energy out of nothing, at times without turning anything
// inside out: the results are wrong then, and the state is not to be kept.
static PalStatus check_balance(Run *run, PalError *error)
{
    double part = run->start_bound > 0 ? balance_lost(run) : 0;
    if (part <= BALANCE_LOST)
        return PAL_OK;
    const PalState *state = pal_sim_state(run->sim);
    int32_t body, cell;
    double bound = fmin(run->start_bound, pal_sim_stable_step(run->sim, &body, &cell));
    double step = pal_sim_solver(run->sim)->step;
    if (step <= bound)
        return PAL_OK;
    if (body == PAL_NONE)
        return pal_error_set(error, PAL_SIM_FAILED,
                             "the balance of energy is lost at time %.6g; the step %.4g exceeds "
                             "the stable bound %.4g of a spring: use step: auto, or a smaller step",
                             state->time, step, bound);
    return pal_error_set(error, PAL_SIM_FAILED,
                         "the balance of energy is lost at time %.6g, step %lld, by %.3g %% of the "
                         "largest energy; the step %.4g exceeds the stable bound %.4g, which cell "
                         "%d of body \"%s\" dictates: use step: auto, or a smaller step",
                         state->time, (long long)state->step_count, 100 * part, step, bound, cell,
                         pal_sim_model(run->sim)->bodies[body].name);
}

static PalStatus write_output(Run *run, PalError *error)
{
    PAL_TRY(check_balance(run, error));
    PAL_TRY(pal_output_write(run->output, run->sim, error));
    plan_output(run);
    return PAL_OK;
}

// A run that has come to its end with energy from nowhere has not come to an answer.
static PalStatus check_end(const Run *run, PalError *error)
{
    double part = relaxes(run) || is_implicit(run) ? 0 : balance_lost(run);
    if (part <= BALANCE_LOST)
        return PAL_OK;
    return pal_error_set(error, PAL_SIM_FAILED,
                         "the balance of energy does not close: %.3g %% of the largest energy is "
                         "off at the end; blows or changes of shape are too sudden for the step: "
                         "try a lower safety than %g, or a step below %.2g",
                         100 * part, pal_sim_solver(run->sim)->safety,
                         pal_sim_state(run->sim)->step);
}

static PalStatus write_row(Run *run, PalError *error)
{
    PAL_TRY(pal_output_write_history(run->output, run->sim, error));
    plan_output(run);
    return PAL_OK;
}

static PalStatus write_checkpoint(Run *run, PalError *error)
{
    PAL_TRY(pal_output_checkpoint(run->output, run->sim, error));
    run->result->checkpoint = true;
    return PAL_OK;
}

// ---- the loop ---------------------------------------------------------------------------

// Looks at the clock: progress, interruption, checkpoints between output times.
static PalStatus look_around(Run *run, PalError *error)
{
    double now = pal_timer_seconds();
    // As many steps as fit between two looks, changed gently.
    double elapsed = now - run->last_look;
    if (elapsed < 0.5 * LOOK_SECONDS && run->look_steps < LOOK_STEPS_MAX)
        run->look_steps *= 2;
    else if (elapsed > LOOK_SECONDS && run->look_steps > 1)
        run->look_steps /= 2;
    run->last_look = now;

    if (now - run->last_progress >= PROGRESS_SECONDS && !show_progress(run, "running", now))
        return pal_error_set(error, PAL_INTERRUPTED, "interrupted at time %.6g",
                             pal_sim_state(run->sim)->time);
    if (run->checkpoint_seconds > 0 && pal_output_checkpoint_is_due(run->output))
        return write_checkpoint(run, error);
    return PAL_OK;
}

// The step to come leads to where the run is to stop: it is made to end there, unless that is now.
static bool is_to_stop(const Run *run, bool *last)
{
    double left = run->options->stop_time - pal_sim_state(run->sim)->time;
    double next = pal_sim_next_step(run->sim);
    *last = run->options->stop_time > 0 && !relaxes(run) && left <= next;
    return *last && (left <= STOP_LEAST * next || !pal_sim_shorten_step(run->sim, left));
}

// In a long step: progress, and whether the caller wants to stop.
static bool goes_on(void *context)
{
    Run *run = context;
    double now = pal_timer_seconds();
    return now - run->last_progress < PROGRESS_SECONDS || show_progress(run, "running", now);
}

static PalStatus loop(Run *run, PalError *error)
{
    int32_t until_look = 1;
    pal_sim_set_watch(run->sim, (PalWatch){goes_on, run});
    while (!pal_sim_finished(run->sim)) {
        bool last = false, now = is_to_stop(run, &last);
        if (!now)
            PAL_TRY(pal_sim_step(run->sim, error));
        if (last) {
            PAL_TRY(write_output(run, error));
            run->stopped = true;
            return pal_error_set(error, PAL_INTERRUPTED, "stopped at time %.6g, as asked for",
                                 pal_sim_state(run->sim)->time);
        }
        if (output_due(run))
            PAL_TRY(write_output(run, error));
        else if (row_due(run))
            PAL_TRY(write_row(run, error));
        if (--until_look <= 0) {
            PAL_TRY(look_around(run, error));
            until_look = run->look_steps;
        }
    }
    PAL_TRY(write_output(run, error));  // nothing when this state has its frame and row
    PAL_TRY(pal_output_wait(run->output, error));
    return check_end(run, error);
}

// ---- beginning and end ------------------------------------------------------------------

static void log_rigid_moves(const Run *run, const PalContactReport *contact)
{
    char line[160];
    snprintf(line, sizeof line,
             "%d free rigid bod%s moved at the start, by at most %.4g, so that nothing overlaps",
             contact->moved_rigid_count, contact->moved_rigid_count == 1 ? "y" : "ies",
             contact->largest_rigid_move);
    pal_output_log(run->output, line);
}

static void log_moves(const Run *run)
{
    PalContactReport contact = pal_sim_contact_report(run->sim);
    if (contact.moved_rigid_count > 0 && !run->options->resume)
        log_rigid_moves(run, &contact);
    if (contact.moved_count == 0 || run->options->resume)
        return;
    const PalBody *body = &pal_sim_model(run->sim)->bodies[contact.mass_change_body];
    char line[256];
    snprintf(line, sizeof line,
             "%d node%s moved at the start, by at most %.4g, so that nothing overlaps; the "
             "moved shape has no stress, which changes volumes and masses, most of all that of "
             "\"%.60s\", by %+.2g %%",
             contact.moved_count, contact.moved_count == 1 ? "" : "s", contact.largest_move,
             body->name, 100 * contact.mass_change);
    pal_output_log(run->output, line);
}

// The warnings of a simulation about to start, before resuming changes it.
static PalStatus open_warned(const PalScene *scene, const PalOutputDef *output, Run *run,
                             PalError *error)
{
    PalFinding *warnings = NULL;
    int32_t count = 0;
    const PalRunOptions *options = run->options;
    PAL_TRY(pal_scene_warnings(scene, run->sim, &warnings, &count, error));
    if (options->strict && count > 0) {
        pal_error_set(error, PAL_BAD_INPUT, "%s (a warning, treated as an error)",
                      warnings[0].text);
        free(warnings);
        return PAL_BAD_INPUT;
    }
    PalStatus status = pal_output_open(output, run->sim, options->resume, &run->output, error);
    run->result->opened = status == PAL_OK;
    if (status == PAL_OK)
        log_moves(run);
    for (int32_t i = 0; i < count && status == PAL_OK; ++i) {
        char line[sizeof warnings[i].text + 16];
        snprintf(line, sizeof line, "warning: %s", warnings[i].text);
        pal_output_log(run->output, line);
        if (options->warn != NULL)
            options->warn(options->context, warnings[i].text);
    }
    free(warnings);
    return status;
}

static PalStatus open_run(const PalScene *scene, Run *run, PalError *error)
{
    const PalRunOptions *options = run->options;
    PalOutputDef output = *pal_scene_output(scene);
    output.directory = options->directory;
    run->every = output.every;
    run->history = output.history > 0 ? output.history : output.every;
    run->result->probes = pal_alloc((size_t)output.probe_count, sizeof *run->result->probes);
    run->result->peaks = pal_alloc((size_t)output.probe_count, sizeof *run->result->peaks);
    if (run->result->probes == NULL || run->result->peaks == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the probes");
    run->result->probe_count = output.probe_count;
    run->checkpoint_seconds = output.checkpoint_seconds;

    PalSimDef def = *pal_scene_sim(scene);
    def.align = output.every;
    if (options->thread_count > 0)
        def.solver.thread_count = options->thread_count;
    PalStatus status = pal_sim_create(&def, &run->sim, error);
    if (status != PAL_OK) {
        pal_scene_place_error(scene, error);
        return status;
    }
    if (!show_progress(run, "opening the run directory", pal_timer_seconds()))
        return pal_error_set(error, PAL_INTERRUPTED, "interrupted before the first step");
    if (!relaxes(run) && !is_implicit(run) &&
        def.solver.step > 0) {  // of the shape before anything is resumed
        int32_t body, cell;
        run->start_bound = pal_sim_stable_step(run->sim, &body, &cell);
    }
    PAL_TRY(open_warned(scene, &output, run, error));

    run->start_fraction = pal_sim_progress(run->sim);
    plan_output(run);
    run->last_progress_steps = run->result->resumed_steps = pal_sim_state(run->sim)->step_count;
    run->result->resumed = run->result->checkpoint = run->last_progress_steps > 0;
    if (run->result->resumed)
        return PAL_OK;
    return write_output(run, error);
}

static void find_largest(PalSim *sim, PalRunResult *result)
{
    const PalModel *model = pal_sim_model(sim);
    const PalState *state = pal_sim_state(sim);
    for (int32_t b = 0; b < model->body_count; b++) {
        const PalBody *body = &model->bodies[b];
        for (int32_t n = 0; n < body->mesh->node_count; n++) {
            PalVec3 u = state->displacement[body->first_node + n];
            double length = sqrt(u.x * u.x + u.y * u.y + u.z * u.z);
            if (n + b > 0 && !(length > result->largest))
                continue;
            result->largest = length;
            result->largest_node = n;
            snprintf(result->largest_body, sizeof result->largest_body, "%s", body->name);
        }
    }
}

static void log_end(const Run *run, PalStatus status, const PalError *error)
{
    char line[sizeof error->text + 160];
    const char *why = status != PAL_OK || run->stopped ? error->text : "";
    snprintf(line, sizeof line, "%s at time %.9g after %lld steps and %.3f s%s%s",
             pal_status_name(status), run->result->time, (long long)run->result->steps,
             run->result->wall_seconds, why[0] != '\0' ? ": " : "", why);
    pal_output_log(run->output, line);
}

static void gather_steps(const Run *run)
{
    PalRunResult *result = run->result;
    const PalState *state = pal_sim_state(run->sim);
    const PalProfile *profile = pal_sim_profile(run->sim);
    result->steps = state->step_count;
    result->time = state->time;
    result->thread_count = pal_sim_thread_count(run->sim);
    result->node_count = pal_sim_model(run->sim)->node_count;
    result->cell_count = pal_sim_model(run->sim)->cell_count;
    result->contact_seconds =
        profile->contact_update + profile->contact_search + profile->contact_response;
    result->assemble_seconds = profile->assemble;
    result->solve_seconds = profile->solve;
    result->iterations = pal_sim_counters(run->sim)->iterations;
    result->step_seconds = profile->elements + profile->integrate + result->contact_seconds +
                           profile->assemble + profile->solve;
    result->contact = pal_sim_contact_report(run->sim);
    result->wall_seconds = pal_timer_seconds() - run->start;
}

static void gather_answers(const Run *run)
{
    PalRunResult *result = run->result;
    find_largest(run->sim, result);
    result->residual = pal_sim_residual(run->sim);
    result->drift = pal_output_worst_drift(run->output);
    for (int32_t i = 0; i < result->probe_count; ++i) {
        result->probes[i] = pal_output_probe_value(run->output, i);
        result->peaks[i] = pal_output_probe_peak(run->output, i);
    }
}

static PalStatus remark(Run *run, PalError *error)
{
    PalRunResult *result = run->result;
    PAL_TRY(pal_scene_closing(run->scene, run->sim, run->output, result, error));
    for (int32_t i = 0; i < result->remark_count; ++i)
        pal_output_log(run->output, result->remarks[i].text);
    return PAL_OK;
}

// Whatever happened, the summary tells it. The first failure keeps its words.
static PalStatus end_run(Run *run, PalStatus status, PalError *error)
{
    PalError second = {0};
    // a step that fails leaves the last good state behind where the method is implicit
    bool good = status == PAL_INTERRUPTED || (status == PAL_SIM_FAILED && is_implicit(run));
    if (good && write_checkpoint(run, &second) != PAL_OK && status == PAL_INTERRUPTED) {
        status = second.status;
        *error = second;
    }
    show_progress(run, "writing the report", pal_timer_seconds());
    gather_steps(run);
    bool stopped = run->stopped && status == PAL_INTERRUPTED;
    log_end(run, stopped ? PAL_OK : status, error);
    PalOutputEnd end = {
        .status = stopped ? PAL_OK : status,
        .reason = status == PAL_OK ? "" : error->text,
        .wall_seconds = run->result->wall_seconds,
        .lenient_count = run->scene->loss_count,
        .lenient = run->scene->losses,
    };
    second = (PalError){0};
    PalStatus finished = pal_output_finish(run->output, run->sim, &end, &second);
    gather_answers(run);
    run->result->checkpoint |= pal_output_has_checkpoint(run->output);
    if (status == PAL_OK && finished != PAL_OK) {
        *error = second;
        return finished;
    }
    return status == PAL_OK ? remark(run, error) : status;
}

PalStatus pal_scene_run(const PalScene *scene, const PalRunOptions *options, PalError *error)
{
    PalRunResult ignored = {0};
    PalError first = {0};  // the words are needed even when the caller gives no place for them
    PalRunResult *result = options->result != NULL ? options->result : &ignored;
    *result = (PalRunResult){0};
    double now = pal_timer_seconds();
    Run run = {
        .scene = scene,
        .options = options,
        .result = result,
        .start = now,
        .last_look = now,
        .last_progress = now,
        .look_steps = 1,
    };
    PalStatus status = open_run(scene, &run, &first);
    if (result->opened) {
        if (status == PAL_OK)
            status = loop(&run, &first);
        status = end_run(&run, status, &first);
    }
    if (status != PAL_OK)
        pal_error_set(error, status, "%s", first.text);
    pal_output_destroy(run.output);
    pal_sim_destroy(run.sim);
    pal_run_result_clear(&ignored);
    return status;
}

void pal_run_result_clear(PalRunResult *result)
{
    pal_free(result->probes);
    pal_free(result->peaks);
    free(result->remarks);
    *result = (PalRunResult){0};
}
