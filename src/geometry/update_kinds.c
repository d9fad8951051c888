#include "geometry/update_kinds.h"

#include "base/memory.h"

PalStatus pal_update_create(PalUpdateKind kind, PalHierarchy *hierarchy, double kept,
                            const PalTriangles *triangles, PalUpdate **result, PalError *error)
{
    *result = NULL;
    PalUpdate *update = pal_alloc(1, sizeof *update);
    bool enough = update != NULL;
    if (enough) {
        *update = (PalUpdate){.kind = kind,
                              .hierarchy = hierarchy,
                              .triangles = triangles,
                              .room = hierarchy->margin - kept};
        pal_hierarchy_refit(hierarchy, triangles);
        if (kind == PAL_UPDATE_LARSSON)
            enough = (update->larsson = pal_larsson_create(update)) != NULL;
        else if (kind == PAL_UPDATE_UPDATE_NODES)
            enough = (update->nodes = pal_update_nodes_create(update)) != NULL;
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
    pal_larsson_destroy(update->larsson);
    pal_update_nodes_destroy(update->nodes);
    pal_free(update);
}

int64_t pal_update_step(PalUpdate *update)
{
    if (update->larsson != NULL)
        return pal_larsson_step(update);
    if (update->nodes != NULL)
        return pal_update_nodes_step(update);
    pal_hierarchy_refit(update->hierarchy, update->triangles);
    return update->hierarchy->volume_count;
}

void (*pal_update_visit(const PalUpdate *update))(void *update, int32_t volume)
{
    return update->larsson != NULL ? pal_larsson_visit : NULL;
}

int64_t pal_update_take_visit_refits(PalUpdate *update)
{
    return update->larsson != NULL ? pal_larsson_take_visit_refits(update->larsson) : 0;
}

PalUpdateNodeCounts pal_update_node_counts(const PalUpdate *update)
{
    return update->nodes != NULL ? pal_update_nodes_counts(update->nodes)
                                 : (PalUpdateNodeCounts){0};
}
