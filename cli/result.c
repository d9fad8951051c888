// What a run came to, on stdout.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LABEL "  %-13s "

static const char *record_name(PalRecord record)
{
    static const char *const names[] = {"displacement", "velocity", "position", "force"};
    return names[record];
}

static void print_head(const char *name, PalStatus status)
{
    static const char *const green = "\033[32m", *const red = "\033[31m",
                             *const yellow = "\033[33m";
    const char *word = status == PAL_OK            ? "done"
                       : status == PAL_INTERRUPTED ? "interrupted"
                                                   : "failed";
    const char *color = status == PAL_OK ? green : status == PAL_INTERRUPTED ? yellow : red;
    bool colored = pal_cli_has_color(STDOUT_FILENO);
    printf("%s: %s%s%s\n", name, colored ? color : "", word, colored ? "\033[0m" : "");
}

static void print_steps(const PalRunResult *result)
{
    char number[32];
    printf(LABEL "%s to time %.6g\n", "steps",
           pal_cli_grouped(result->steps, number, sizeof number), result->time);
    if (result->resumed)
        printf(LABEL "step %s\n", "resumed from",
               pal_cli_grouped(result->resumed_steps, number, sizeof number));
}

static void print_wall(const PalRunResult *result)
{
    char text[32];
    printf(LABEL "%s on %d thread%s\n", "wall time",
           pal_cli_duration(result->wall_seconds, text, sizeof text), result->thread_count,
           result->thread_count == 1 ? "" : "s");
    double steps = (double)(result->steps - result->resumed_steps);
    if (steps <= 0 || result->wall_seconds <= 0 || result->cell_count <= 0)
        return;
    printf(LABEL "%s steps/s, ", "speed",
           pal_cli_short(steps / result->wall_seconds, text, sizeof text));
    printf(
        "%s ns per element\n",
        pal_cli_short(1e9 * result->wall_seconds / steps / result->cell_count, text, sizeof text));
}

static void print_probes(const PalScene *scene, const PalRunResult *result)
{
    const PalOutputDef *output = pal_scene_output(scene);
    for (int32_t i = 0; i < result->probe_count && i < output->probe_count; i++) {
        PalVec3 value = result->probes[i];
        char label[64];
        snprintf(label, sizeof label, "%s", output->probes[i].name);
        printf(LABEL "%s %.5g %.5g %.5g\n", label, record_name(output->probes[i].record), value.x,
               value.y, value.z);
    }
}

static void print_file(const char *label, const char *directory, const char *name)
{
    char *path = pal_cli_join(directory, name);
    if (path != NULL && access(path, F_OK) == 0)
        printf(LABEL "%s\n", label, path);
    free(path);
}

void pal_cli_print_result(const PalScene *scene, const PalRunOptions *options, PalStatus status)
{
    const PalRunResult *result = options->result;
    print_head(pal_scene_name(scene), status);
    print_steps(result);
    print_wall(result);
    if (status == PAL_OK || status == PAL_INTERRUPTED) {
        printf(LABEL "%.2g of the energy at work\n", "energy drift", result->drift);
        printf(LABEL "%.5g at node %d of %s\n", "moved farthest", result->largest,
               result->largest_node, result->largest_body);
        print_probes(scene, result);
    }
    print_file("report", options->directory, "report.html");
    print_file("frames", options->directory, "run.pvd");
    print_file("history", options->directory, "history.csv");
    print_file("summary", options->directory, "summary.json");
    if (status != PAL_OK && result->checkpoint)
        print_file("checkpoint", options->directory, "checkpoint.h5");
}
