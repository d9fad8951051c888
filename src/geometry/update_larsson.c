// T. Larsson, T. Akenine-Moller: Collision detection for continuously deforming bodies,
// Eurographics 2001. The upper half of the levels is refitted each step: its lowest volumes from
// their facets, the others from their children. Below, volumes are refitted when a traversal comes
// to their parents. Boxes with frames have no fit from facets alone: they are refitted with all
// that is below them, at the latest when visited.
#include "base/memory.h"
#include "geometry/refit.h"
#include "geometry/update_kinds.h"

typedef struct Larsson {
    int32_t upper_count;
    int32_t *upper;   // volumes of the upper half, each after those inside it
    bool *lowest;     // per volume: the lowest of the upper half
    int64_t *fitted;  // per volume: the step it was last refitted in
    int64_t step;
    int64_t visit_refits;
} Larsson;

static bool create(PalUpdate *update)
{
    const PalHierarchy *hierarchy = update->hierarchy;
    size_t count = (size_t)hierarchy->volume_count;
    Larsson *larsson = update->own = pal_alloc(1, sizeof *larsson);
    if (larsson == NULL)
        return false;
    larsson->upper = pal_alloc(count, sizeof *larsson->upper);
    larsson->lowest = pal_alloc(count, sizeof *larsson->lowest);
    larsson->fitted = pal_alloc(count, sizeof *larsson->fitted);
    int32_t *level = pal_alloc(count, sizeof *level), deepest = 0;
    if (level == NULL || larsson->upper == NULL || larsson->lowest == NULL ||
        larsson->fitted == NULL) {
        pal_free(level);
        return false;
    }
    for (int32_t v = 1; v < hierarchy->volume_count; ++v) {
        level[v] = level[hierarchy->volumes[v].parent] + 1;
        deepest = level[v] > deepest ? level[v] : deepest;
    }
    for (int32_t v = hierarchy->volume_count - 1; v >= 0; --v)
        if (level[v] <= deepest / 2) {
            larsson->upper[larsson->upper_count++] = v;
            larsson->lowest[v] = level[v] == deepest / 2 || hierarchy->volumes[v].child_count == 0;
        }
    pal_free(level);
    return true;
}

static void destroy(void *own)
{
    Larsson *larsson = own;
    pal_free(larsson->upper);
    pal_free(larsson->lowest);
    pal_free(larsson->fitted);
    pal_free(larsson);
}

// With frames: all that is inside the volume, too. Returns how many volumes were refitted.
static int64_t fit(const PalUpdate *update, int32_t v)
{
    PalHierarchy *hierarchy = update->hierarchy;
    Larsson *larsson = update->own;
    larsson->fitted[v] = larsson->step;
    if (hierarchy->frames == NULL) {
        pal_refit_direct(hierarchy, update->triangles, v);
        return 1;
    }
    const PalVolume *volume = &hierarchy->volumes[v];
    for (int32_t w = volume->first_child; w < volume->end; ++w)
        larsson->fitted[w] = larsson->step;
    return pal_refit_subtree(hierarchy, update->triangles, v);
}

static int64_t step(PalUpdate *update)
{
    Larsson *larsson = update->own;
    int64_t refits = 0;
    ++larsson->step;
    for (int32_t i = 0; i < larsson->upper_count; ++i) {
        int32_t v = larsson->upper[i];
        if (pal_update_rests(update, v))
            continue;
        if (larsson->lowest[v]) {
            refits += fit(update, v);
        } else {
            pal_refit_inner(update->hierarchy, v);
            larsson->fitted[v] = larsson->step;
            ++refits;
        }
    }
    return refits;
}

static void visit(void *context, int32_t volume)
{
    PalUpdate *update = context;
    Larsson *larsson = update->own;
    const PalVolume *parent = &update->hierarchy->volumes[volume];
    for (int32_t k = 0; k < parent->child_count; ++k)
        if (larsson->fitted[parent->first_child + k] != larsson->step)
            larsson->visit_refits += fit(update, parent->first_child + k);
}

static int64_t take_visit_refits(PalUpdate *update)
{
    Larsson *larsson = update->own;
    int64_t refits = larsson->visit_refits;
    larsson->visit_refits = 0;
    return refits;
}

const PalUpdateRow pal_update_larsson = {
    .create = create,
    .destroy = destroy,
    .step = step,
    .visit = visit,
    .take_visit_refits = take_visit_refits,
};
