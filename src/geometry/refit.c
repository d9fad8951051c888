// Fitting boxes and cones to where the facets are.
#include "geometry/refit.h"

#include "geometry/obb.h"
#include "math/vec3.h"

// ---- boxes ------------------------------------------------------------------------------

static PalBox around(const PalBox *a, const PalBox *b)
{
    return (PalBox){pal_float4_min(a->lower, b->lower), pal_float4_max(a->upper, b->upper)};
}

// Where a vertex is in the step, with the margin.
static PalBox vertex_box(const PalHierarchy *hierarchy, const PalTriangles *triangles, int32_t n)
{
    PalVec3 a = triangles->start[n], b = triangles->end[n];
    PalVec3 low = pal_vec3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
    PalVec3 high = pal_vec3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
    PalVec3 margin = pal_vec3(hierarchy->margin, hierarchy->margin, hierarchy->margin);
    return (PalBox){pal_float4_lower(pal_float4(pal_vec3_sub(low, margin))),
                    pal_float4_upper(pal_float4(pal_vec3_add(high, margin)))};
}

static PalBox facet_box(const PalHierarchy *hierarchy, const PalTriangles *triangles,
                        const int32_t corners[3])
{
    PalBox box = vertex_box(hierarchy, triangles, corners[0]);
    for (int k = 1; k < 3; ++k) {
        PalBox next = vertex_box(hierarchy, triangles, corners[k]);
        box = around(&box, &next);
    }
    return box;
}

static PalBox box_of_children(const PalHierarchy *hierarchy, int32_t volume)
{
    const PalBox *children = &hierarchy->boxes[hierarchy->volumes[volume].first_child];
    int32_t count = hierarchy->volumes[volume].child_count;
    PalBox box = around(&children[0], &children[1]);
    for (int32_t k = 2; k < count; ++k)
        box = around(&box, &children[k]);
    return box;
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
    PalBox *at = hierarchy->vertex_boxes;
    for (int32_t n = 0; n < hierarchy->vertex_count; ++n)
        at[n] = vertex_box(hierarchy, triangles, n);
    for (int32_t i = 0; i < hierarchy->facet_count; ++i) {
        const int32_t *corners = hierarchy->corners[i];
        PalBox pair = around(&at[corners[0]], &at[corners[1]]);
        hierarchy->boxes[hierarchy->leaves[i]] = around(&pair, &at[corners[2]]);
    }
    for (int32_t i = 0; i < hierarchy->inner_count; ++i)
        hierarchy->boxes[hierarchy->inner[i]] = box_of_children(hierarchy, hierarchy->inner[i]);
}

// ---- cones ------------------------------------------------------------------------------

static PalCone facet_cone(const PalTriangles *triangles, const int32_t corners[3])
{
    PalVec3 a = triangles->end[corners[0]];
    PalVec3 first = pal_vec3_sub(triangles->end[corners[1]], a);
    PalVec3 second = pal_vec3_sub(triangles->end[corners[2]], a);
    return pal_cone_of(pal_vec3_cross(first, second));
}

static PalCone cone_of_children(const PalHierarchy *hierarchy, int32_t volume)
{
    const PalCone *children = &hierarchy->cones[hierarchy->volumes[volume].first_child];
    PalCone cone = children[0];
    for (int32_t k = 1; k < hierarchy->volumes[volume].child_count; ++k)
        cone = pal_cone_merge(hierarchy->cone_kind, &cone, &children[k]);
    return cone;
}

void pal_hierarchy_refit_cones(PalHierarchy *hierarchy, const PalTriangles *triangles)
{
    for (int32_t i = 0; i < hierarchy->facet_count; ++i)
        hierarchy->cones[hierarchy->leaves[i]] = facet_cone(triangles, hierarchy->corners[i]);
    for (int32_t i = 0; i < hierarchy->inner_count; ++i)
        hierarchy->cones[hierarchy->inner[i]] = cone_of_children(hierarchy, hierarchy->inner[i]);
}

// ---- both -------------------------------------------------------------------------------

void pal_hierarchy_refit(PalHierarchy *hierarchy, const PalTriangles *triangles)
{
    pal_hierarchy_refit_boxes(hierarchy, triangles);
    pal_hierarchy_refit_cones(hierarchy, triangles);
}

void pal_refit_leaf(PalHierarchy *hierarchy, const PalTriangles *triangles, int32_t place)
{
    int32_t v = hierarchy->leaves[place];
    const int32_t *corners = hierarchy->corners[place];
    if (hierarchy->frames != NULL)
        pal_obb_fit_leaf(hierarchy, triangles, place);
    else
        hierarchy->boxes[v] = facet_box(hierarchy, triangles, corners);
    hierarchy->cones[v] = facet_cone(triangles, corners);
}

void pal_refit_inner(PalHierarchy *hierarchy, int32_t volume)
{
    if (hierarchy->frames != NULL)
        pal_obb_fit_inner(hierarchy, volume);
    else
        hierarchy->boxes[volume] = box_of_children(hierarchy, volume);
    hierarchy->cones[volume] = cone_of_children(hierarchy, volume);
}

int32_t pal_refit_subtree(PalHierarchy *hierarchy, const PalTriangles *triangles, int32_t volume)
{
    const PalVolume *whole = &hierarchy->volumes[volume];
    for (int32_t i = whole->first_facet; i < whole->first_facet + whole->facet_count; ++i)
        pal_refit_leaf(hierarchy, triangles, i);
    for (int32_t v = whole->end - 1; v >= whole->first_child; --v)
        if (hierarchy->volumes[v].child_count > 0)
            pal_refit_inner(hierarchy, v);
    if (whole->child_count > 0)
        pal_refit_inner(hierarchy, volume);
    return 1 + whole->end - whole->first_child;
}

void pal_refit_direct(PalHierarchy *hierarchy, const PalTriangles *triangles, int32_t volume)
{
    const PalVolume *whole = &hierarchy->volumes[volume];
    const int32_t(*corners)[3] = (const int32_t(*)[3])hierarchy->corners + whole->first_facet;
    PalBox box = facet_box(hierarchy, triangles, corners[0]);
    PalCone cone = facet_cone(triangles, corners[0]);
    for (int32_t i = 1; i < whole->facet_count; ++i) {
        PalBox next = facet_box(hierarchy, triangles, corners[i]);
        PalCone one = facet_cone(triangles, corners[i]);
        box = around(&box, &next);
        cone = pal_cone_merge(PAL_CONE_NARROWEST, &cone, &one);
    }
    hierarchy->boxes[volume] = box;
    hierarchy->cones[volume] = cone;
}
