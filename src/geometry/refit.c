// Fitting boxes and cones to where the facets are.
#include "geometry/obb.h"
#include "math/vec3.h"

static void place_vertices(PalHierarchy *hierarchy, const PalTriangles *triangles)
{
    double m = hierarchy->margin;
    PalVec3 margin = pal_vec3(m, m, m);
    for (int32_t n = 0; n < hierarchy->vertex_count; ++n) {
        PalVec3 a = triangles->start[n], b = triangles->end[n];
        PalVec3 low = pal_vec3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
        PalVec3 high = pal_vec3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
        hierarchy->vertex_boxes[n] =
            (PalBox){pal_float4_lower(pal_float4(pal_vec3_sub(low, margin))),
                     pal_float4_upper(pal_float4(pal_vec3_add(high, margin)))};
    }
}

static PalBox around(const PalBox *a, const PalBox *b)
{
    return (PalBox){pal_float4_min(a->lower, b->lower), pal_float4_max(a->upper, b->upper)};
}

static void fit_leaf(PalHierarchy *hierarchy, int32_t place)
{
    const PalBox *at = hierarchy->vertex_boxes;
    const int32_t *corners = hierarchy->corners[place];
    PalBox pair = around(&at[corners[0]], &at[corners[1]]);
    hierarchy->boxes[hierarchy->leaves[place]] = around(&pair, &at[corners[2]]);
}

static void fit_inner(PalHierarchy *hierarchy, int32_t volume)
{
    const PalBox *children = &hierarchy->boxes[hierarchy->volumes[volume].first_child];
    int32_t count = hierarchy->volumes[volume].child_count;
    PalBox box = around(&children[0], &children[1]);
    for (int32_t k = 2; k < count; ++k)
        box = around(&box, &children[k]);
    hierarchy->boxes[volume] = box;
}

void pal_hierarchy_refit_boxes(PalHierarchy *hierarchy, const PalTriangles *triangles)
{
    if (hierarchy->kind == PAL_HIERARCHY_OBB2) {
        for (int32_t i = 0; i < hierarchy->facet_count; ++i)
            pal_obb_fit_leaf(hierarchy, triangles, i);
        for (int32_t i = 0; i < hierarchy->inner_count; ++i)
            pal_obb_fit_inner(hierarchy, hierarchy->inner[i]);
        return;
    }
    place_vertices(hierarchy, triangles);
    for (int32_t i = 0; i < hierarchy->facet_count; ++i)
        fit_leaf(hierarchy, i);
    for (int32_t i = 0; i < hierarchy->inner_count; ++i)
        fit_inner(hierarchy, hierarchy->inner[i]);
}

static PalCone leaf_cone(const PalTriangles *triangles, const int32_t corners[3])
{
    PalVec3 a = triangles->end[corners[0]];
    PalVec3 first = pal_vec3_sub(triangles->end[corners[1]], a);
    PalVec3 second = pal_vec3_sub(triangles->end[corners[2]], a);
    return pal_cone_of(pal_vec3_cross(first, second));
}

static void merge_cones(PalHierarchy *hierarchy, int32_t volume)
{
    const PalCone *children = &hierarchy->cones[hierarchy->volumes[volume].first_child];
    PalCone cone = children[0];
    for (int32_t k = 1; k < hierarchy->volumes[volume].child_count; ++k)
        cone = pal_cone_merge(hierarchy->cone_kind, &cone, &children[k]);
    hierarchy->cones[volume] = cone;
}

void pal_hierarchy_refit_cones(PalHierarchy *hierarchy, const PalTriangles *triangles)
{
    for (int32_t i = 0; i < hierarchy->facet_count; ++i)
        hierarchy->cones[hierarchy->leaves[i]] = leaf_cone(triangles, hierarchy->corners[i]);
    for (int32_t i = 0; i < hierarchy->inner_count; ++i)
        merge_cones(hierarchy, hierarchy->inner[i]);
}

void pal_hierarchy_refit(PalHierarchy *hierarchy, const PalTriangles *triangles)
{
    pal_hierarchy_refit_boxes(hierarchy, triangles);
    pal_hierarchy_refit_cones(hierarchy, triangles);
}
