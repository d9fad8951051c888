// What a run came to, on stdout.
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LABEL_MIN 12
#define LABEL_MAX 24

static int label_width = LABEL_MIN;

// A label and words that wrap to the right of it.
static void row(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void row(const char *label, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    int columns = pal_cli_columns(label, strlen(label));
    int fill = columns < label_width ? label_width - columns : 0;
    printf("  %s%*s  ", label, fill, "");
    pal_cli_wrap(text, columns + fill + 4, label_width + 4);
}

static void print_head(const char *name, PalStatus status)
{
    const char *word = "failed", *color = "\033[31m";
    if (status == PAL_OK) {
        word = "done";
        color = "\033[32m";
    } else if (status == PAL_INTERRUPTED) {
        word = "interrupted";
        color = "\033[33m";
    }
    bool colored = pal_cli_has_color(STDOUT_FILENO);
    printf("%s: %s%s%s\n", name, colored ? color : "", word, colored ? "\033[0m" : "");
}

static bool relaxes(const PalScene *scene)
{
    return !pal_method_in_time(pal_scene_sim(scene)->solver.method);
}

static bool is_implicit(const PalScene *scene)
{
    return pal_method_is_implicit(pal_scene_sim(scene)->solver.method);
}

static void print_steps(const PalScene *scene, const PalRunResult *result)
{
    char steps[32], resumed[32], seconds[32], rate[32], cost[32];
    row("steps", "%s, to %s %.6g", pal_cli_grouped(result->steps, steps, sizeof steps),
        relaxes(scene) && !is_implicit(scene) ? "pseudo-time" : "time", result->time);
    if (result->resumed)
        row("resumed", "from step %s",
            pal_cli_grouped(result->resumed_steps, resumed, sizeof resumed));
    pal_cli_duration(result->wall_seconds, seconds, sizeof seconds);
    row("wall time", "%s on %d thread%s", seconds, result->thread_count,
        result->thread_count == 1 ? "" : "s");
    double taken = (double)(result->steps - result->resumed_steps);
    if (is_implicit(scene)) {
        if (taken > 0 && result->iterations > 0)
            row("corrections",
                "%lld, of %.3g ms each: %.0f %% for tangents, %.0f %% for linear "
                "equations",
                (long long)result->iterations,
                1e3 * result->step_seconds / (double)result->iterations,
                100 * result->assemble_seconds / result->step_seconds,
                100 * result->solve_seconds / result->step_seconds);
    } else if (taken > 0 && result->step_seconds > 0 && result->cell_count > 0) {
        pal_cli_short(taken / result->step_seconds, rate, sizeof rate);
        double each = 1e9 * result->step_seconds / taken / result->cell_count;
        if (each < 999.5)
            pal_cli_short(each, cost, sizeof cost);
        else
            pal_cli_grouped((int64_t)each, cost, sizeof cost);
        row("speed", "%s steps/s without output, %s ns per element and step", rate, cost);
    }
}

static void print_contact(const PalScene *scene, const PalRunResult *result)
{
    const PalContactReport *contact = &result->contact;
    char share[64] = "", rescues[64] = "", motions[32];
    if (contact->margin <= 0)
        return;  // nothing can touch
    if (result->step_seconds > 0)
        snprintf(share, sizeof share, ", %.0f %% of the steps' time",
                 100 * result->contact_seconds / result->step_seconds);
    if (contact->rescues > 0)
        snprintf(rescues, sizeof rescues, "; the motion of nodes was cut short %s time%s",
                 pal_cli_grouped(contact->rescues, motions, sizeof motions),
                 contact->rescues == 1 ? "" : "s");
    if (contact->moved_rigid_count > 0)
        row("moved apart",
            "%d free rigid bod%s at the start, by at most %.3g, so that nothing overlaps",
            contact->moved_rigid_count, contact->moved_rigid_count == 1 ? "y" : "ies",
            contact->largest_rigid_move);
    if (contact->moved_count > 0)
        row("moved apart",
            "%d node%s at the start, by at most %.3g, so that nothing overlaps; this changes "
            "volumes and masses, most of all that of %.60s, by %+.2g %%",
            contact->moved_count, contact->moved_count == 1 ? "" : "s", contact->largest_move,
            pal_scene_sim(scene)->model.bodies[contact->mass_change_body].name,
            100 * contact->mass_change);
    row("contact", "%d at the end, %d at most%s; penetration %.2g at worst%s",
        contact->contact_count, contact->most_contacts, share, contact->worst_penetration, rescues);
}

// Forces come and go: the largest is told as well, where time means something.
static void print_probe(const PalProbeDef *probe, const PalRunResult *result, int32_t index,
                        bool timed)
{
    PalVec3 value = result->probes[index], most = result->peaks[index].value;
    double largest = sqrt(most.x * most.x + most.y * most.y + most.z * most.z);
    char peak[80] = "";
    bool comes = probe->record == PAL_RECORD_FORCE || probe->record == PAL_RECORD_TORQUE;
    if (comes && timed && largest > 0)
        snprintf(peak, sizeof peak, "; largest in the history %.5g, at time %.5g", largest,
                 result->peaks[index].time);
    row(probe->name, "%s %.5g %.5g %.5g%s", pal_record_name(probe->record), value.x, value.y,
        value.z, peak);
}

static void print_answers(const PalScene *scene, const PalRunResult *result)
{
    const PalOutputDef *output = pal_scene_output(scene);
    if (relaxes(scene) && is_implicit(scene))
        row("residual", "%.2g of the forces that act, at the end", result->residual);
    else if (relaxes(scene))
        row("residual", "about %.2g of deformations and forces", result->residual);
    else
        row("energy drift", "at most %.2g of the largest energy", result->drift);
    print_contact(scene, result);
    if (result->largest_body[0] != '\0')
        row("displaced", "at most %.5g at the end, at node %d of %s", result->largest,
            result->largest_node, result->largest_body);
    for (int32_t i = 0; i < result->probe_count && i < output->probe_count; i++)
        print_probe(&output->probes[i], result, i, !relaxes(scene) || is_implicit(scene));
    for (int32_t i = 0; i < result->remark_count; i++)
        row("note", "%s", result->remarks[i].text);
}

// A model that was read leniently is not the model.
static void print_losses(const PalScene *scene)
{
    for (int32_t i = 0; pal_scene_loss(scene, i) != NULL; i++)
        row("lenient", "left out: %s", pal_scene_loss(scene, i));
}

static void print_file(const char *label, const char *directory, const char *name)
{
    char *path = pal_cli_join(directory, name);
    if (path != NULL && access(path, F_OK) == 0) {
        printf("  %-*s  ", label_width, label);
        pal_cli_print_shown(stdout, path);
        putchar('\n');
    }
    free(path);
}

void pal_cli_print_result(const PalScene *scene, const PalRunOptions *options, PalStatus status)
{
    const PalRunResult *result = options->result;
    const PalOutputDef *output = pal_scene_output(scene);
    for (int32_t i = 0; i < output->probe_count; i++) {
        int length = pal_cli_columns(output->probes[i].name, strlen(output->probes[i].name));
        if (length > label_width)
            label_width = length < LABEL_MAX ? length : LABEL_MAX;
    }
    print_head(pal_scene_name(scene), status);
    print_losses(scene);
    print_steps(scene, result);
    if (status == PAL_OK || status == PAL_INTERRUPTED)
        print_answers(scene, result);
    print_file("frames", options->directory, "run.pvd");
    print_file("history", options->directory, "history.csv");
    print_file("summary", options->directory, "summary.json");
    if (status != PAL_OK && result->checkpoint)
        print_file("checkpoint", options->directory, "checkpoint.h5");
    if (status == PAL_SIM_FAILED && result->checkpoint)
        row("",
            "the last good state, at time %.6g; --resume goes on from there, also with "
            "another solver.step, solver.tolerance or solver.time",
            result->time);
    print_file("picture", options->directory, "picture.png");
    print_file("report", options->directory, "report.html");
}
