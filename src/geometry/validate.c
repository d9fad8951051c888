#include "geometry/hierarchy.h"

#include "base/valid.h"

#define HOLDS(condition, what, index) PAL_HOLDS(condition, error, "hierarchy is", what, index)

// The children of a volume divide its facets, and all inside it follows it without a gap.
static PalStatus check_inner(const PalHierarchy *hierarchy, int32_t v, PalError *error)
{
    const PalVolume *volume = &hierarchy->volumes[v];
    int32_t facet = volume->first_facet, end = volume->first_child + volume->child_count;
    HOLDS(volume->child_count > 1 && volume->first_child > v && end <= hierarchy->volume_count,
          "the children of a volume", v);
    for (int32_t c = volume->first_child; c < volume->first_child + volume->child_count; ++c) {
        const PalVolume *child = &hierarchy->volumes[c];
        HOLDS(child->parent == v, "the parent of a volume", c);
        HOLDS(child->first_facet == facet, "the facets of a volume", c);
        HOLDS(volume->object == PAL_NONE || child->object == volume->object,
              "the object of a volume", c);
        facet += child->facet_count;
        end = child->end > end ? child->end : end;
    }
    HOLDS(facet == volume->first_facet + volume->facet_count, "the facets of a volume", v);
    HOLDS(volume->end == end, "what is inside a volume", v);
    return PAL_OK;
}

PalStatus pal_hierarchy_validate(const PalHierarchy *hierarchy, PalError *error)
{
    const PalVolume *volumes = hierarchy->volumes;
    int32_t facets = hierarchy->facet_count, leaves = 0;
    if (facets == 0)
        return PAL_OK;
    HOLDS(volumes[0].parent == PAL_NONE && volumes[0].first_facet == 0 &&
              volumes[0].facet_count == facets,
          "the root", 0);
    for (int32_t v = 0; v < hierarchy->volume_count; ++v) {
        HOLDS(volumes[v].parent < v && volumes[v].end <= hierarchy->volume_count,
              "the order of volumes", v);
        if (volumes[v].child_count > 0) {
            PAL_TRY(check_inner(hierarchy, v, error));
            continue;
        }
        int32_t place = volumes[v].first_facet;
        HOLDS(volumes[v].facet_count == 1 && place >= 0 && place < facets, "a leaf", v);
        int32_t facet = hierarchy->order[place];
        HOLDS(facet >= 0 && facet < facets && hierarchy->leaf_of[facet] == v &&
                  hierarchy->leaves[place] == v,
              "the leaf of a facet", v);
        ++leaves;
    }
    HOLDS(leaves == facets, "how many leaves there are", leaves);
    return PAL_OK;
}
