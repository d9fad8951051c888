// Four children: those of two children take their parents' place.
#include "base/memory.h"
#include "geometry/build.h"

#include <string.h>

typedef struct Wide {
    PalVolume *volumes;
    int32_t *source;  // per volume: the volume it was
    int32_t count;
} Wide;

static void add_child(const PalHierarchy *from, Wide *wide, int32_t parent, int32_t source)
{
    wide->source[wide->count] = source;
    wide->volumes[wide->count] = from->volumes[source];
    wide->volumes[wide->count++].parent = parent;
}

// Gives volume v of the new tree its children.
static void add_children(const PalHierarchy *from, Wide *wide, int32_t v)
{
    const PalVolume *old = &from->volumes[wide->source[v]];
    PalVolume *volume = &wide->volumes[v];
    volume->first_child = old->child_count == 0 ? PAL_NONE : wide->count;
    for (int32_t k = 0; k < old->child_count; ++k) {
        int32_t child = old->first_child + k;
        const PalVolume *below = &from->volumes[child];
        if (below->child_count == 0) {
            add_child(from, wide, v, child);
            continue;
        }
        for (int32_t i = 0; i < below->child_count; ++i)
            add_child(from, wide, v, below->first_child + i);
    }
    volume->child_count = volume->first_child == PAL_NONE ? 0 : wide->count - volume->first_child;
}

static bool keep_rims(PalHierarchy *hierarchy, const Wide *wide)
{
    int32_t *start = pal_alloc((size_t)wide->count + 1, sizeof *start);
    int32_t *vertices =
        pal_alloc((size_t)hierarchy->rim_start[hierarchy->volume_count], sizeof *vertices);
    if (start == NULL || vertices == NULL) {
        pal_free(start);
        pal_free(vertices);
        return false;
    }
    for (int32_t v = 0; v < wide->count; ++v) {
        int32_t first = hierarchy->rim_start[wide->source[v]];
        int32_t count = hierarchy->rim_start[wide->source[v] + 1] - first;
        memcpy(vertices + start[v], hierarchy->rim_vertices + first,
               (size_t)count * sizeof(int32_t));
        start[v + 1] = start[v] + count;
    }
    pal_free(hierarchy->rim_start);
    pal_free(hierarchy->rim_vertices);
    hierarchy->rim_start = start;
    hierarchy->rim_vertices = vertices;
    return true;
}

bool pal_build_widen(PalHierarchy *hierarchy)
{
    size_t most = (size_t)hierarchy->volume_count;
    Wide wide = {pal_alloc(most, sizeof *wide.volumes), pal_alloc(most, sizeof *wide.source), 0};
    int32_t *stack = pal_alloc(most, sizeof *stack);
    bool enough = wide.volumes != NULL && wide.source != NULL && stack != NULL;
    if (enough) {
        add_child(hierarchy, &wide, PAL_NONE, 0);
        stack[0] = 0;
        for (int32_t count = 1; count > 0;) {
            int32_t v = stack[--count];
            add_children(hierarchy, &wide, v);
            for (int32_t k = wide.volumes[v].child_count - 1; k >= 0; --k)
                stack[count++] = wide.volumes[v].first_child + k;
        }
        enough = keep_rims(hierarchy, &wide);
    }
    if (enough) {
        pal_free(hierarchy->volumes);
        hierarchy->volumes = wide.volumes;
        hierarchy->volume_count = wide.count;
        for (int32_t v = 0; v < wide.count; ++v)
            if (wide.volumes[v].child_count == 0)
                hierarchy->leaf_of[hierarchy->order[wide.volumes[v].first_facet]] = v;
    } else {
        pal_free(wide.volumes);
    }
    pal_free(wide.source);
    pal_free(stack);
    return enough;
}
