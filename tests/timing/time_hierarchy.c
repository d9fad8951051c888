// How long hierarchies of 92 000 facets take to build, to follow their surface and to search.
// Prints the least of several times, in milliseconds. Run by `make bench`; never a test.
#include "base/timer.h"
#include "geometry/traverse.h"
#include "geometry/update.h"
#include "surfaces.h"

#include <stdio.h>

enum { REPETITIONS = 7, KINDS = 3, UPDATES = 3 };
static const char *const kind_names[KINDS] = {"aabb2", "aabb4", "obb2"};
static const PalUpdateKind updates[UPDATES] = {PAL_UPDATE_UPDATE_NODES, PAL_UPDATE_LARSSON,
                                               PAL_UPDATE_EXHAUSTIVE};

typedef struct Times {
    double build, boxes, cones, search;
    double update[UPDATES];
    int32_t volumes, pairs;
    int64_t tests, subtrees;
} Times;

static void keep_least(double *least, double begin)
{
    double now = 1e3 * (pal_timer_seconds() - begin);
    if (*least == 0 || now < *least)
        *least = now;
}

static PalHierarchy *build(const Surface *surface, PalHierarchyKind kind)
{
    PalError error = {0};
    PalHierarchy *hierarchy = NULL;
    if (pal_hierarchy_create(kind, PAL_CONE_NARROWEST, 0.001, &surface->triangles, &hierarchy,
                             &error) != PAL_OK)
        fprintf(stderr, "%s\n", error.text);
    return hierarchy;
}

static void time_tree(const Surface *surface, PalHierarchyKind kind, Times *times)
{
    double begin = pal_timer_seconds();
    PalHierarchy *hierarchy = build(surface, kind);
    keep_least(&times->build, begin);
    if (hierarchy == NULL)
        return;
    times->volumes = hierarchy->volume_count;
    PalTraversal traversal = {.self_test = PAL_SELF_TEST_CONE};
    for (int i = 0; i < 2; ++i) {  // the second time without allocations
        begin = pal_timer_seconds();
        pal_hierarchy_refit_boxes(hierarchy, &surface->triangles);
        keep_least(&times->boxes, begin);
        begin = pal_timer_seconds();
        pal_hierarchy_refit_cones(hierarchy, &surface->triangles);
        keep_least(&times->cones, begin);
        traversal.pair_count = 0;
        traversal.volume_tests = traversal.self_subtrees = 0;
        begin = pal_timer_seconds();
        if (pal_traverse_self(&traversal, hierarchy))
            keep_least(&times->search, begin);
    }
    times->pairs = traversal.pair_count;
    times->tests = traversal.volume_tests;
    times->subtrees = traversal.self_subtrees;
    pal_traversal_clear(&traversal);
    pal_hierarchy_destroy(hierarchy);
}

// A step in which the surface moves a little as a whole.
static void time_updates(Surface *surface, PalHierarchyKind kind, Times *times)
{
    PalHierarchy *hierarchy = build(surface, kind);
    PalError error = {0};
    for (int u = 0; u < UPDATES && hierarchy != NULL; ++u) {
        PalUpdate *update = NULL;
        if (pal_update_create(updates[u], hierarchy, 0.05 * hierarchy->margin, &surface->triangles,
                              &update, &error) != PAL_OK)
            continue;
        for (int i = 0; i < REPETITIONS; ++i) {
            for (int32_t n = 0; n < surface->triangles.vertex_count; ++n) {
                surface->start[n] = surface->end[n];
                surface->end[n].x += i % 2 == 0 ? 0.0001 : -0.0001;
            }
            double begin = pal_timer_seconds();
            pal_update_step(update);
            keep_least(&times->update[u], begin);
        }
        pal_update_destroy(update);
    }
    pal_hierarchy_destroy(hierarchy);
}

static void show(const char *name, Surface *surface)
{
    for (int k = 0; k < KINDS; ++k) {
        Times times = {0};
        for (int i = 0; i < REPETITIONS; ++i)
            time_tree(surface, (PalHierarchyKind)k, &times);
        time_updates(surface, (PalHierarchyKind)k, &times);
        printf("%-8s %-6s %7d %8.1f %7.2f %7.2f %8.2f %8.2f %8.2f %8.2f %9d %9lld %6lld\n", name,
               kind_names[k], times.volumes, times.build, times.boxes, times.cones, times.update[0],
               times.update[1], times.update[2], times.search, times.pairs, (long long)times.tests,
               (long long)times.subtrees);
    }
    surface_free(surface);
}

int main(void)
{
    printf("milliseconds; update: a step by update-nodes, larsson (before visits), exhaustive\n");
    printf("%-8s %-6s %7s %8s %7s %7s %8s %8s %8s %8s %9s %9s %6s\n", "surface", "kind", "volumes",
           "build", "boxes", "cones", "update-n", "larsson", "exhaust", "search", "pairs", "tests",
           "self");
    Surface sphere = surface_sphere(215, 215), sheet = surface_sheet(214, 215, false);
    surface_fold(&sheet, 43);
    show("sphere", &sphere);
    show("folded", &sheet);
    return 0;
}
