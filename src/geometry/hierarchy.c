#include "geometry/hierarchy.h"

#include "base/memory.h"

void pal_hierarchy_destroy(PalHierarchy *hierarchy)
{
    if (hierarchy == NULL)
        return;
    pal_free(hierarchy->volumes);
    pal_free(hierarchy->boxes);
    pal_free(hierarchy->cones);
    pal_free(hierarchy->frames);
    pal_free(hierarchy->moments);
    pal_free(hierarchy->order);
    pal_free(hierarchy->leaf_of);
    pal_free(hierarchy->leaves);
    pal_free(hierarchy->inner);
    pal_free(hierarchy->blocks);
    pal_free(hierarchy->merges);
    pal_free(hierarchy->rim_start);
    pal_free(hierarchy->rim_vertices);
    pal_free(hierarchy->corners);
    pal_free(hierarchy->vertex_boxes);
    pal_free(hierarchy);
}

const int32_t *pal_hierarchy_rim(const PalHierarchy *hierarchy, int32_t volume, int32_t *count)
{
    int32_t first = hierarchy->rim_start[volume];
    *count = hierarchy->rim_start[volume + 1] - first;
    return *count > 0 ? hierarchy->rim_vertices + first : NULL;
}

int32_t pal_hierarchy_longest_rim(const PalHierarchy *hierarchy)
{
    int32_t longest = 0;
    for (int32_t v = 0; v < hierarchy->volume_count; ++v) {
        int32_t count = 0;
        if (pal_hierarchy_rim(hierarchy, v, &count) != NULL && count > longest)
            longest = count;
    }
    return longest;
}
