#include "scene/check.h"

#include "base/timer.h"
#include "math/vec3.h"
#include "output/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NOTE    PAL_FINDING_NOTE
#define WARNING PAL_FINDING_WARNING

#define MANY     500  // steps that instruments need: they are warned of
#define MANIFOLD 10   // if they are so many times those that the solver's own step makes

#define NUMBER_BYTES 25.0  // of a number of history.csv, with its comma, at most

PalAmount pal_amount_bytes(double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    PalAmount amount;
    int unit = 0;
    for (; bytes >= 1000 && unit < 4; ++unit)
        bytes /= 1000;
    snprintf(amount.text, sizeof amount.text, bytes < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", bytes,
             units[unit]);
    return amount;
}

PalAmount pal_amount_seconds(double seconds)
{
    PalAmount amount;
    if (seconds < 120)
        snprintf(amount.text, sizeof amount.text, "%.2g seconds", seconds);
    else if (seconds < 7200)
        snprintf(amount.text, sizeof amount.text, "%.0f minutes", seconds / 60);
    else if (seconds < 172800)
        snprintf(amount.text, sizeof amount.text, "%.1f hours", seconds / 3600);
    else
        snprintf(amount.text, sizeof amount.text, "%.1f days", fmin(seconds / 86400, 1e9));
    return amount;
}

PalAmount pal_amount_count(double count)
{
    PalAmount amount;
    char digits[32];
    if (!(count < 1e15)) {
        snprintf(amount.text, sizeof amount.text, "%.3g", count);
        return amount;
    }
    int length = snprintf(digits, sizeof digits, "%.0f", count), used = 0;
    for (int i = 0; i < length; ++i) {
        if (i > 0 && (length - i) % 3 == 0)
            amount.text[used++] = ',';
        amount.text[used++] = digits[i];
    }
    amount.text[used] = '\0';
    return amount;
}

PalAmount pal_amount_digits(double value, int digits)
{
    PalAmount amount;
    snprintf(amount.text, sizeof amount.text, "%.*e", digits - 1, value);
    double rounded = strtod(amount.text, NULL);
    bool plain = fabs(rounded) < 1e6 && (fabs(rounded) >= 1e-4 || rounded == 0);
    int before = plain && fabs(rounded) >= 1 ? (int)floor(log10(fabs(rounded))) + 1 : digits;
    snprintf(amount.text, sizeof amount.text, "%.*g", before > digits ? before : digits, rounded);
    return amount;
}

static void check_added_mass(const PalSim *sim, PalFindings *findings)
{
    double added = pal_sim_model(sim)->added_mass, total = pal_sim_model(sim)->total_mass;
    if (added > 0)
        pal_findings_add(findings, added > 0.05 * total ? WARNING : NOTE,
                         "mass scaling adds %.3g of mass, %s %% of the whole", added,
                         pal_amount_digits(100 * added / total, 2).text);
}

static bool has_friction(const PalScene *scene, int32_t rigid)
{
    int32_t bodies = scene->sim.model.body_count;
    for (int32_t b = 0; b < bodies; ++b)
        if (pal_scene_touches(scene, b, bodies + rigid) &&
            pal_check_friction(scene, b, bodies + rigid) > 0)
            return true;
    return false;
}

// The longest way that any instrument with friction goes until then, and which one. 0: there is
// none.
static double way_of_instruments(const PalScene *scene, const PalModel *model, double time,
                                 const char **name)
{
    double most = 0;
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        double way = has_friction(scene, r) ? pal_check_way(&model->rigids[r], time) : 0;
        if (way > most)
            *name = model->rigids[r].name;
        most = fmax(most, way);
    }
    return most;
}

// Where steps are not bound: how many there will be at least, and what is solved in each.
static double check_implicit_step(const PalScene *scene, const PalSim *sim, PalFindings *findings)
{
    const PalSolverDef *solver = &scene->sim.solver;
    bool in_time = pal_method_in_time(solver->method);
    double step = in_time || solver->step > 0 ? pal_sim_next_step(sim) : solver->time / 4;
    double steps = ceil(solver->time / step * (1 - 1e-9));
    double stride = pal_sim_contact_report(sim).stride, way = 0, strides = 0;
    const char *name = "";
    if (stride > 0 && isfinite(solver->time)) {
        way = way_of_instruments(scene, pal_sim_model(sim), solver->time, &name);
        strides = ceil(way / stride * (1 - 1e-9));
    }
    char because[96] = "";
    if (strides > steps)
        snprintf(because, sizeof because, ", as instruments with friction go %.3g at most in each",
                 stride);
    if (strides >= MANY && strides > MANIFOLD * steps)
        pal_findings_add(
            findings, WARNING,
            "rigid \"%.60s\" goes %.3g until time %g, and instruments with friction go "
            "%.3g at most in a step of method %s: that takes %s steps or more, where "
            "the solver alone would take %s; let it go less far, or use method: explicit",
            name, way, solver->time, stride, pal_method_name(solver->method),
            pal_amount_count(strides).text, pal_amount_count(steps).text);
    steps = fmax(steps, strides);
    pal_findings_add(findings, NOTE,
                     "%s%s steps until time %g%s, more where Newton's method needs shorter ones",
                     in_time && strides < steps ? "" : "at least ", pal_amount_count(steps).text,
                     solver->time, because);
    return steps;
}

// The step, what dictates it, and how many there will be. Returns that number.
static double check_step(const PalScene *scene, PalSim *sim, PalFindings *findings)
{
    const PalSolverDef *solver = &scene->sim.solver;
    if (pal_method_is_implicit(solver->method))
        return check_implicit_step(scene, sim, findings);
    int32_t body_index = PAL_NONE, cell_index = PAL_NONE;
    double bound = pal_sim_stable_step(sim, &body_index, &cell_index);
    if (body_index != PAL_NONE && cell_index != PAL_NONE) {
        const PalBodyDef *body = &scene->body_defs[body_index];
        PalVec3 at = pal_check_cell_centre(body->mesh, cell_index);
        double quality = pal_cell_quality(body->mesh, cell_index);
        pal_findings_add(
            findings, NOTE,
            "stable step %.4g, dictated by cell %d of body \"%s\" at (%.4g, %.4g, %.4g), "
            "quality %.2g",
            bound, (int)cell_index, body->name, at.x, at.y, at.z, quality);
        if (quality < 0.2)
            pal_findings_add(findings, WARNING,
                             "the step is short because of a sliver of quality %.2g in body "
                             "\"%s\": remesh, or set solver: mass-scaling",
                             quality, body->name);
    }
    if (body_index == PAL_NONE && isfinite(bound))
        pal_findings_add(findings, NOTE, "stable step %.4g, dictated by a spring", bound);
    check_added_mass(sim, findings);
    if (!pal_method_in_time(solver->method))
        return 0;
    if (solver->step > bound)
        pal_findings_add(findings, WARNING,
                         "step is %g, with which the simulation may become unstable: the stable "
                         "bound is %.4g; set step: auto, or at most %.4g",
                         solver->step, bound, solver->safety * bound);
    double step = solver->step > 0 ? solver->step : pal_sim_next_step(sim);
    double steps = ceil(solver->time / step * (1 - 1e-12));
    pal_findings_add(findings, NOTE, "%s step%s of %.4g until time %g",
                     pal_amount_count(steps).text, steps > 1 ? "s" : "", step, solver->time);
    return steps;
}

static void add_cost(const PalScene *scene, double steps, double each, int32_t threads,
                     PalFindings *findings)
{
    bool huge = each * steps > 86400, touches = pal_contact_def_touches(&scene->sim.contact);
    if (touches && pal_method_is_implicit(scene->sim.solver.method)) {
        pal_findings_add(
            findings, huge ? WARNING : NOTE,
            "about %s of computing on %d thread%s if all steps are like the first ones (%s each), "
            "without output; where more touches, a step may take many times that%s",
            pal_amount_seconds(each * steps).text, (int)threads, threads > 1 ? "s" : "",
            pal_amount_seconds(each).text, huge ? ": are the units consistent?" : "");
        return;
    }
    pal_findings_add(
        findings, huge ? WARNING : NOTE, "%s %s of computing on %d thread%s (%.3g ms a step)%s%s",
        touches ? "at least" : "about", pal_amount_seconds(each * steps).text, (int)threads,
        threads > 1 ? "s" : "", 1e3 * each,
        touches ? ", without output and without contact, which may take many times that "
                  "once things touch"
                : ", without output",
        huge ? ": are the units consistent?" : "");
}

static int compare_times(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

// A trial step of an implicit method may take minutes and all the memory there is.
typedef struct StepLimit {
    double start, seconds;
} StepLimit;

static bool is_in_time(void *context)
{
    const StepLimit *limit = context;
    return pal_timer_seconds() - limit->start < limit->seconds;
}

// Takes some steps and extrapolates from the median, which other work on the machine sways least.
static void check_cost(const PalScene *scene, PalSim *sim, double steps, PalFindings *findings)
{
    enum { MOST = 200 };
    const double patience = 0.5;
    double times[MOST], spent = 0;
    int32_t taken = 0;
    PalError error = {0};
    PalStatus status = PAL_OK;
    StepLimit limit = {0, 4};
    pal_sim_set_watch(sim, (PalWatch){is_in_time, &limit});
    while (status == PAL_OK && taken < MOST && spent < patience && !pal_sim_finished(sim)) {
        limit.start = pal_timer_seconds();
        status = pal_sim_step(sim, &error);
        times[taken] = pal_timer_seconds() - limit.start;
        spent += times[taken++];
    }
    pal_sim_set_watch(sim, (PalWatch){0});
    if (status == PAL_INTERRUPTED) {
        pal_findings_add(findings, NOTE,
                         "a step takes more than %g seconds on this machine, so that the time of "
                         "the run is not estimated",
                         limit.seconds);
        return;
    }
    if (status != PAL_OK) {
        pal_findings_add(findings, PAL_FINDING_ERROR, "trial steps fail: %s", error.text);
        return;
    }
    if (taken == 0)
        return;
    qsort(times, (size_t)taken, sizeof *times, compare_times);
    double each = times[taken / 2];
    int32_t threads = pal_sim_thread_count(sim);
    if (!pal_method_in_time(scene->sim.solver.method) &&
        !pal_method_is_implicit(scene->sim.solver.method))
        pal_findings_add(
            findings, NOTE,
            "%.3g ms a step on %d thread%s; %s stops when balanced, after at most %s steps",
            1e3 * each, (int)threads, threads > 1 ? "s" : "",
            pal_method_name(scene->sim.solver.method),
            pal_amount_count((double)scene->sim.solver.step_limit).text);
    else
        add_cost(scene, steps, each, threads, findings);
}

// Upper bounds: what is written is compressed.
static void check_size(const PalScene *scene, const PalSim *sim, PalFindings *findings)
{
    const PalModel *model = pal_sim_model(sim);
    const PalOutputDef *output = &scene->output;
    const bool *fields = output->fields;
    double number = output->precision == PAL_PRECISION_DOUBLE ? 8 : 4;
    double per_node = 3 + 3.0 * fields[PAL_FIELD_DISPLACEMENT] + 3.0 * fields[PAL_FIELD_VELOCITY] +
                      4.0 * fields[PAL_FIELD_CONTACT];
    double per_cell = 7.0 * fields[PAL_FIELD_STRESS] + 6.0 * fields[PAL_FIELD_STRAIN] +
                      fields[PAL_FIELD_ENERGY] + fields[PAL_FIELD_VOLUME];
    double connectivity = 0, meshes = 0;
    for (int32_t b = 0; b < model->body_count; ++b) {
        const PalMesh *mesh = model->bodies[b].mesh;
        int32_t corners = pal_cell_node_count(mesh->cell_kind);
        connectivity += mesh->cell_count * (4.0 * corners + 5);
        meshes += mesh->cell_count * 4.0 * corners + mesh->node_count * 24.0;
    }
    double node_count = model->node_count, cell_count = model->cell_count;
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalMesh *mesh = model->rigids[r].mesh;
        node_count += mesh->node_count;
        cell_count += mesh->cell_count;
        connectivity += mesh->cell_count * (4.0 * 3 + 5);
        meshes += mesh->cell_count * 4.0 * 3 + mesh->node_count * 24.0;
    }
    double frame = number * (per_node * node_count + per_cell * cell_count) + connectivity;
    double state = 7 * 24.0 * model->node_count + 8.0 * (double)pal_sim_state(sim)->history_count;
    // of what a frame is made, and the file itself; what the report shows of cells
    double shown = 136 * node_count + frame + 12 * cell_count;
    double method = (double)pal_sim_method_bytes(sim);
    double memory = state + 2 * meshes + (double)pal_model_element_bytes(model) + shown + method;
    if (pal_method_is_implicit(scene->sim.solver.method))
        pal_findings_add(findings, NOTE, "the stiffness%s about %s of memory",
                         scene->sim.solver.linear == PAL_LINEAR_DIRECT ? " and its factors take"
                                                                       : " takes",
                         pal_amount_bytes(method).text);
    if (!pal_method_in_time(scene->sim.solver.method)) {
        pal_findings_add(
            findings, NOTE, "about %s of memory; at most %s on disk for each frame; %s writes %s",
            pal_amount_bytes(memory).text, pal_amount_bytes(frame).text,
            pal_method_name(scene->sim.solver.method),
            pal_method_is_implicit(scene->sim.solver.method) ? "one at each step"
                                                             : "more frames the longer it takes");
        return;
    }
    double frames = floor(scene->sim.solver.time / output->every * (1 + 1e-9)) + 1;
    double rows = floor(scene->sim.solver.time / output->history * (1 + 1e-9)) + 1;
    double history = rows * NUMBER_BYTES * (pal_history_column_count() + 3 * output->probe_count);
    char finer[96] = "";
    if (output->history < output->every)
        snprintf(finer, sizeof finer, ", and %s rows of history in %s", pal_amount_count(rows).text,
                 pal_amount_bytes(history).text);
    pal_findings_add(findings, NOTE, "about %s of memory; at most %s on disk: %s frame%s of %s%s",
                     pal_amount_bytes(memory).text, pal_amount_bytes(frames * frame + history).text,
                     pal_amount_count(frames).text, frames > 1 ? "s" : "",
                     pal_amount_bytes(frame).text, finer);
}

static PalStatus check_simulation(const PalScene *scene, PalFindings *findings, PalError *error)
{
    PalSim *sim = NULL;
    PalError inner = {0};
    PalStatus status = pal_sim_create(&scene->sim, &sim, &inner);
    bool known = inner.body > 0 || inner.condition > 0;
    if (status != PAL_OK)
        pal_scene_place_error(scene, &inner);
    if (status == PAL_NO_MEMORY || (status != PAL_OK && known))
        return pal_error_set(error, status, "%s", inner.text);
    if (status != PAL_OK) {
        pal_findings_add(findings, PAL_FINDING_ERROR, "%s", inner.text);
        return PAL_OK;
    }
    pal_check_contact(scene, sim, findings);
    pal_check_instruments(scene, sim, findings);
    double steps = check_step(scene, sim, findings);
    status = pal_check_rest(scene, sim, findings, error);
    check_size(scene, sim, findings);
    check_cost(scene, sim, steps, findings);
    pal_sim_destroy(sim);
    return status;
}

static PalStatus check_scene(const PalScene *scene, PalFindings *findings, PalError *error)
{
    for (int32_t i = 0; i < scene->import_warning_count; ++i)
        pal_findings_add(findings, scene->import_warnings[i].kind, "%s",
                         scene->import_warnings[i].text);
    PAL_TRY(pal_check_bodies(scene, findings, error));
    pal_check_pairs(scene, findings);
    pal_check_ramps(scene, findings);
    return pal_check_conditions(scene, findings, error);
}

// Gives the list away, or clears it after a failure.
static PalStatus hand_over(PalFindings *found, PalStatus status, PalFinding **findings,
                           int32_t *count, PalError *error)
{
    if (status == PAL_OK && found->failed)
        status = pal_tree_no_memory(error);
    if (status != PAL_OK)
        pal_array_clear(&found->list);
    *findings = status == PAL_OK ? found->list.items : NULL;
    *count = status == PAL_OK ? found->list.count : 0;
    return status;
}

PalStatus pal_scene_check(const PalScene *scene, PalFinding **findings, int32_t *count,
                          PalError *error)
{
    PalFindings found = {.failed = false};
    PalStatus status = check_scene(scene, &found, error);
    if (status == PAL_OK)
        status = pal_check_overlaps(scene, &found, error);
    if (status == PAL_OK)
        status = pal_check_vademecum(scene, &found, error);
    if (status == PAL_OK)
        status = check_simulation(scene, &found, error);
    return hand_over(&found, status, findings, count, error);
}

PalStatus pal_scene_warnings(const PalScene *scene, PalSim *sim, PalFinding **findings,
                             int32_t *count, PalError *error)
{
    PalFindings found = {.failed = false};
    PalStatus status = check_scene(scene, &found, error);
    if (status == PAL_OK) {
        pal_check_separation(scene, sim, &found);
        pal_check_instruments(scene, sim, &found);
        check_step(scene, sim, &found);
    }
    int32_t kept = 0;
    for (int32_t i = 0; i < found.list.count; ++i)
        if (found.list.items[i].kind == WARNING)
            found.list.items[kept++] = found.list.items[i];
    found.list.count = kept;
    return hand_over(&found, status, findings, count, error);
}
