// What contact costs in scenes that are made: an organ under a probe, things that move, piles, flat
// blocks of many contacts.
#include "bench.h"

#include <experiments/make/make.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Row {
    const char *name, *scene;
    int32_t size;          // 0: as the scene is usually made
    const char *friction;  // NULL: as in the scene
    double from, until;    // what is measured, in simulated time
    bool long_run;
    const char *schedule;  // NULL: every step
} Row;

static const Row rows[] = {
    {"prostate", "prostate", 0, NULL, 0.05, 0.12, false, NULL},
    {"prostate, all", "prostate", 0, NULL, 0, 1, true, NULL},
    {"u-block", "u-block", 0, NULL, 0.5, 1.5, false, NULL},
    {"twisted mat", "twisted-mat", 0, NULL, 10, 15, false, NULL},
    {"chain", "chain", 10, NULL, 0.5, 1.2, false, NULL},
    {"twisted rods", "twisted-rods", 4, NULL, 2, 3, false, NULL},
    {"card house", "card-house", 0, NULL, 0.01, 0.04, false, NULL},
    {"sheets", "sheets", 10, NULL, 0.1, 0.2, false, NULL},
    {"bowl", "bowl", 0, NULL, 0.5, 1.5, false, NULL},
    {"pile 10", "pile", 10, NULL, 0.1, 0.4, false, NULL},
    {"pile 50", "pile", 50, NULL, 0.1, 0.3, false, NULL},
    {"pile 200", "pile", 200, NULL, 0.06, 0.12, false, NULL},
    {"pile 1000", "pile", 1000, NULL, 0.06, 0.08, false, NULL},
    {"swarm 200", "swarm", 200, NULL, 0.1, 0.15, false, NULL},
    {"swarm, trajectory", "swarm", 200, NULL, 0.1, 0.15, false, "trajectory"},
    {"flat 5", "flat-blocks", 5, NULL, 0.05, 0.5, false, NULL},
    {"flat 16", "flat-blocks", 16, NULL, 0.05, 0.3, false, NULL},
    {"flat 58", "flat-blocks", 58, NULL, 0.15, 0.25, false, NULL},
    {"flat 5, friction", "flat-blocks", 5, "0.5", 0.05, 0.5, false, NULL},
    {"flat 16, friction", "flat-blocks", 16, "0.5", 0.05, 0.3, false, NULL},
    {"flat 58, friction", "flat-blocks", 58, "0.5", 0.15, 0.25, false, NULL},
};

bool pal_bench_asked(const char *name, int32_t word_count, const char *const *words)
{
    for (int32_t i = 0; i < word_count; ++i)
        if (strstr(name, words[i]) != NULL)
            return true;
    return word_count == 0;
}

// A long run has to be asked for by its whole name.
static bool chosen(const Row *row, int32_t word_count, const char *const *words)
{
    if (!row->long_run)
        return pal_bench_asked(row->name, word_count, words);
    for (int32_t i = 0; i < word_count; ++i)
        if (strcmp(row->name, words[i]) == 0)
            return true;
    return false;
}

typedef struct Sums {
    PalProfile profile;
    PalCounters counters;
    double steps;
} Sums;

static Sums sums_of(const PalSim *sim)
{
    return (Sums){*pal_sim_profile(sim), *pal_sim_counters(sim),
                  (double)pal_sim_state(sim)->step_count};
}

static PalBenchContactResult difference(const Sums *a, const Sums *b)
{
    double steps = b->steps - a->steps, scale = 1e6 / steps;
    PalBenchContactResult result = {
        .elements = scale * (b->profile.elements - a->profile.elements),
        .update = scale * (b->profile.contact_update - a->profile.contact_update),
        .search = scale * (b->profile.contact_search - a->profile.contact_search),
        .response = scale * (b->profile.contact_response - a->profile.contact_response),
        .rows = (double)(b->counters.node_facet - a->counters.node_facet + b->counters.edge_edge -
                         a->counters.edge_edge) /
                steps,
    };
    result.contact = result.update + result.search + result.response;
    result.whole =
        result.elements + result.contact + scale * (b->profile.integrate - a->profile.integrate);
    return result;
}

static PalStatus run(const Row *row, const char *path, int32_t threads,
                     PalBenchContactResult *result, PalError *error)
{
    char count[16];
    snprintf(count, sizeof count, "%d", (int)threads);
    PalSceneChange changes[3] = {{"solver.threads", count}};
    PalSceneOptions options = {.change_count = 1, .changes = changes};
    if (row->friction != NULL)
        changes[options.change_count++] = (PalSceneChange){"contact.0.friction", row->friction};
    if (row->schedule != NULL)
        changes[options.change_count++] = (PalSceneChange){"contact.0.schedule", row->schedule};
    PalScene *scene = NULL;
    PalSim *sim = NULL;
    PalStatus status = pal_scene_read(path, &options, &scene, error);
    if (status == PAL_OK)
        status = pal_sim_create(pal_scene_sim(scene), &sim, error);
    if (status == PAL_OK && row->from > 0)
        status = pal_sim_advance(sim, row->from, error);
    Sums before = status == PAL_OK ? sums_of(sim) : (Sums){0};
    double start = pal_bench_seconds(), busy = pal_bench_busy_seconds();
    if (status == PAL_OK)
        status = pal_sim_advance(sim, row->until, error);
    busy = (pal_bench_busy_seconds() - busy) / (pal_bench_seconds() - start);
    if (status == PAL_OK) {
        Sums after = sums_of(sim);
        *result = difference(&before, &after);
        result->element_count = pal_sim_model(sim)->cell_count;
        result->rescues = pal_sim_contact_report(sim).rescues;
        result->crossings = pal_sim_intersections(sim);
        result->busy = busy;
    }
    pal_sim_destroy(sim);
    pal_scene_destroy(scene);
    return status;
}

// The least of some repetitions, with one thread and with two in turns.
static PalStatus measure(const Row *row, const char *folder, int32_t repetitions,
                         PalBenchContactResult results[2], PalError *error)
{
    char path[PAL_SCENE_PATH_MAX];
    PAL_TRY(pal_make_scene(pal_maker_find(row->scene), row->size, folder, path, error));
    for (int32_t r = 0; r < 2 * repetitions; ++r) {
        PalBenchContactResult one;
        PAL_TRY(run(row, path, 1 + r % 2, &one, error));
        if (r < 2 || one.whole < results[r % 2].whole)
            results[r % 2] = one;
    }
    return PAL_OK;
}

void pal_bench_contact_head(void)
{
    printf("\n%-20s %8s %8s | contact, us per step: %7s %7s %8s %9s %8s | %8s %7s | %s\n",
           "contact", "elements", "us", "all", "update", "search", "response", "contacts",
           "/elements", "us each", "2 threads: contact, step");
}

// On a machine with other work, times of one thread are those in which it had a core.
void pal_bench_contact_row(const char *name, const PalBenchContactResult results[2])
{
    PalBenchContactResult one = results[0], two = results[1];
    double busy = fmin(one.busy, 1);
    printf("%-20s %8d %8.1f | %29.1f %7.1f %8.1f %9.1f %8.0f | %9.2f %7.2f | %17.2fx %5.2fx", name,
           one.element_count, busy * one.elements, busy * one.contact, busy * one.update,
           busy * one.search, busy * one.response, one.rows, one.contact / one.elements,
           one.rows > 0 ? busy * one.contact / one.rows : 0, one.contact / two.contact,
           one.whole / two.whole);
    if (one.crossings != 0 || one.rescues != 0)
        printf("  %d crossings, %lld rescues", one.crossings, (long long)one.rescues);
    printf("\n");
    fflush(stdout);
}

int32_t pal_bench_scenes_table(int32_t repetitions, int32_t word_count, const char *const *words)
{
    char folder[] = "/tmp/palpate-bench-XXXXXX", command[64];
    int32_t printed = 0;
    if (mkdtemp(folder) == NULL) {
        printf("no folder for scenes can be made in /tmp\n");
        return 0;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (!chosen(&rows[i], word_count, words))
            continue;
        ++printed;
        PalBenchContactResult results[2] = {0};
        PalError error = {0};
        if (measure(&rows[i], folder, repetitions, results, &error) == PAL_OK)
            pal_bench_contact_row(rows[i].name, results);
        else
            printf("%s: %s\n", rows[i].name, error.text);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0)
        printf("%s could not be removed\n", folder);
    return printed;
}

void pal_bench_scenes_list(FILE *file)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        fprintf(file, "%s%s", i > 0 ? "; " : "", rows[i].name);
}
