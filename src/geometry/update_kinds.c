#include "geometry/update_kinds.h"

#include "base/assert.h"
#include "base/memory.h"
#include "geometry/refit.h"

// What is awake, and then what holds it.
static int64_t refit_awake(const PalUpdate *update)
{
    PalHierarchy *hierarchy = update->hierarchy;
    int64_t refits = 0;
    for (int32_t v = 0; v < hierarchy->volume_count; ++v) {
        const PalVolume *volume = &hierarchy->volumes[v];
        bool top =
            volume->parent == PAL_NONE || hierarchy->volumes[volume->parent].object == PAL_NONE;
        if (volume->object != PAL_NONE && top && !pal_update_rests(update, v))
            refits += pal_refit_subtree(hierarchy, update->triangles, v);
    }
    for (int32_t v = hierarchy->volume_count - 1; v >= 0; --v)
        if (hierarchy->volumes[v].object == PAL_NONE) {
            pal_refit_inner(hierarchy, v);
            ++refits;
        }
    return refits;
}

static int64_t refit_all(PalUpdate *update)
{
    if (update->asleep != NULL)
        return refit_awake(update);
    pal_hierarchy_refit(update->hierarchy, update->triangles);
    return update->hierarchy->volume_count;
}

static const PalUpdateRow exhaustive = {.step = refit_all};

static const PalUpdateRow *const rows[] = {
    [PAL_UPDATE_UPDATE_NODES] = &pal_update_nodes,
    [PAL_UPDATE_LARSSON] = &pal_update_larsson,
    [PAL_UPDATE_EXHAUSTIVE] = &exhaustive,
};

PalStatus pal_update_create(PalUpdateKind kind, PalHierarchy *hierarchy, double kept,
                            const PalTriangles *triangles, PalUpdate **result, PalError *error)
{
    *result = NULL;
    PAL_ASSERT((size_t)kind < sizeof rows / sizeof rows[0] && rows[kind] != NULL);
    PalUpdate *update = pal_alloc(1, sizeof *update);
    bool enough = update != NULL;
    if (enough) {
        *update = (PalUpdate){.row = rows[kind],
                              .hierarchy = hierarchy,
                              .triangles = triangles,
                              .room = hierarchy->margin - kept};
        pal_hierarchy_refit(hierarchy, triangles);
        enough = update->row->create == NULL || update->row->create(update);
    }
    if (!enough) {
        pal_update_destroy(update);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory to update a hierarchy of %d facets",
                             (int)hierarchy->facet_count);
    }
    *result = update;
    return PAL_OK;
}

void pal_update_destroy(PalUpdate *update)
{
    if (update == NULL)
        return;
    if (update->own != NULL)
        update->row->destroy(update->own);
    pal_free(update);
}

void pal_update_let_sleep(PalUpdate *update, const bool *asleep)
{
    update->asleep = asleep;
}

int64_t pal_update_step(PalUpdate *update)
{
    return update->row->step(update);
}

void (*pal_update_visit(const PalUpdate *update))(void *update, int32_t volume)
{
    return update->row->visit;
}

int64_t pal_update_take_visit_refits(PalUpdate *update)
{
    return update->row->visit != NULL ? update->row->take_visit_refits(update) : 0;
}

PalUpdateNodeCounts pal_update_node_counts(const PalUpdate *update)
{
    return update->row->node_counts != NULL ? update->row->node_counts(update)
                                            : (PalUpdateNodeCounts){0};
}
