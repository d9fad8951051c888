// How many volumes each way of updating refits, beside the published counts (Johnsen and others
// 2015, tables 1 and 2). The scenes are look-alikes of about the same number of facets.
#include "bench.h"

#include <string.h>

typedef struct Published {
    const char *scene;
    double update_nodes, larsson, volumes;  // per step; 0: not given
    double narrowest, provot;               // subtrees to be searched for self-contact
} Published;

static const Published published[] = {
    {"zipper", 229.4, 0, 1423, 50.3, 87.7},  {"c-shape", 216.2, 0, 1919, 32.9, 57.5},
    {"ball-slab", 111.9, 898.9, 2999, 0, 0}, {"liver-diaphragm", 659.7, 2729.6, 4799, 0, 0},
    {"rigid-bar", 75.3, 0, 1199, 0, 0},
};

// Runs a scene with one way of updating; the papers' criterion for self-contact.
static PalStatus count(const char *path, const char *update, const char *cone,
                       PalCounters *per_step, PalError *error)
{
    const PalSceneChange changes[] = {
        {"contact.0.update", update}, {"contact.0.cone", cone}, {"contact.0.self-test", "cone"}};
    PalSceneOptions options = {.change_count = 3, .changes = changes};
    PalScene *scene = NULL;
    PalSim *sim = NULL;
    PalStatus status = pal_scene_read(path, &options, &scene, error);
    if (status == PAL_OK)
        status = pal_sim_create(pal_scene_sim(scene), &sim, error);
    if (status == PAL_OK)
        status = pal_sim_advance(sim, pal_sim_solver(sim)->time, error);
    if (status == PAL_OK) {
        *per_step = *pal_sim_counters(sim);
        double steps = (double)pal_sim_state(sim)->step_count;
        int64_t *fields[] = {&per_step->volumes, &per_step->refits, &per_step->self_subtrees};
        for (int i = 0; i < 3; ++i)  // tenths
            *fields[i] = (int64_t)(10 * (double)*fields[i] / steps + 0.5);
    }
    pal_sim_destroy(sim);
    pal_scene_destroy(scene);
    return status;
}

static void print_row(const char *path, const Published *row)
{
    PalCounters nodes, larsson, provot;
    PalError error = {0};
    if (count(path, "update-nodes", "narrowest", &nodes, &error) != PAL_OK ||
        count(path, "larsson", "narrowest", &larsson, &error) != PAL_OK ||
        count(path, "update-nodes", "provot", &provot, &error) != PAL_OK) {
        printf("%-16s %s\n", row->scene, error.text);
        return;
    }
    printf("%-16s %8.0f (%4.0f) %8.1f (%5.1f) %8.1f (%6.1f) %8.1f (%4.1f) %8.1f (%4.1f)\n",
           row->scene, (double)nodes.volumes / 10, row->volumes, (double)nodes.refits / 10,
           row->update_nodes, (double)larsson.refits / 10, row->larsson,
           (double)nodes.self_subtrees / 10, row->narrowest, (double)provot.self_subtrees / 10,
           row->provot);
}

void pal_bench_refits_table(const char *program)
{
    const char *slash = strrchr(program, '/');
    int length = slash != NULL ? (int)(slash - program) : 1;
    printf("\nvolumes refitted per step, and subtrees searched for self-contact; published "
           "figures in brackets\n%-16s %15s %16s %17s %15s %15s\n",
           "scene", "volumes", "update-nodes", "larsson", "narrowest", "provot");
    for (size_t i = 0; i < sizeof published / sizeof *published; ++i) {
        char path[4096];
        snprintf(path, sizeof path, "%.*s/../share/palpate/scenes/%s.yaml", length,
                 slash != NULL ? program : ".", published[i].scene);
        print_row(path, &published[i]);
    }
}
