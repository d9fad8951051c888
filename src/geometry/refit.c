// Fitting boxes and cones to where the facets are.
#include "geometry/refit.h"

#include "geometry/cone_lanes.h"
#include "geometry/obb.h"
#include "math/vec3.h"

static const double full_turn = 6.28318530717958647693;

// ---- boxes ------------------------------------------------------------------------------

static inline PalBox around(const PalBox *a, const PalBox *b)
{
    return (PalBox){pal_float4_min(a->lower, b->lower), pal_float4_max(a->upper, b->upper)};
}

typedef double Double4 __attribute__((vector_size(32)));

static inline PalFloat4 to_floats(PalVec3 a)
{
    return __builtin_convertvector(((Double4){a.x, a.y, a.z, 0}), PalFloat4);
}

// Where a vertex is in the step, with the margin. Positions are rounded to the nearest floats, and
// the box once more: 4e-7 of the coordinates and of the margin is more than both. A box is
// endless along the axes in which the vertex is nowhere.
static inline PalBox vertex_box(const PalHierarchy *hierarchy, const PalTriangles *triangles,
                                int32_t n)
{
    const PalFloat4 part = {4e-7f, 4e-7f, 4e-7f, 0}, least = {1e-37f, 1e-37f, 1e-37f, 0};
    float margin = (float)(hierarchy->margin * (1 + 4e-7));
    PalFloat4 a = to_floats(triangles->start[n]), b = to_floats(triangles->end[n]);
    PalFloat4 low = pal_float4_min(a, b), high = pal_float4_max(a, b);
    PalFloat4 pad =
        pal_float4_max(-low, high) * part + least + (PalFloat4){margin, margin, margin, 0};
    pad += (a - a) + (b - b);  // no number where either is none, or too large
    return (PalBox){pal_float4_known(low - pad), -pal_float4_known(-high - pad)};
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

static inline PalBox around_all(const PalBox *boxes, int32_t count)
{
    PalBox box = around(&boxes[0], &boxes[1]);
    for (int32_t k = 2; k < count; ++k)
        box = around(&box, &boxes[k]);
    return box;
}

// Vertices have their boxes.
static void fit_block(PalHierarchy *hierarchy, const PalRefitBlock *block)
{
    const PalBox *at = hierarchy->vertex_boxes;
    for (int32_t i = block->first_facet; i < block->first_facet + block->facet_count; ++i) {
        const int32_t *corners = hierarchy->corners[i];
        PalBox pair = around(&at[corners[0]], &at[corners[1]]);
        hierarchy->boxes[hierarchy->leaves[i]] = around(&pair, &at[corners[2]]);
    }
    const PalInner *inner = hierarchy->inner + block->first_inner;
    for (int32_t i = 0; i < block->inner_count; ++i)
        hierarchy->boxes[inner[i].volume] =
            around_all(&hierarchy->boxes[inner[i].first_child], inner[i].child_count);
}

void pal_hierarchy_refit_boxes(PalHierarchy *hierarchy, const PalTriangles *triangles)
{
    if (hierarchy->kind == PAL_HIERARCHY_OBB2) {
        for (int32_t i = 0; i < hierarchy->facet_count; ++i)
            pal_obb_fit_leaf(hierarchy, triangles, i);
        for (int32_t i = 0; i < hierarchy->inner_count; ++i)
            pal_obb_fit_inner(hierarchy, hierarchy->inner[i].volume);
        return;
    }
    PalBox *at = hierarchy->vertex_boxes;
    for (int32_t n = 0; n < hierarchy->vertex_count; ++n)
        at[n] = vertex_box(hierarchy, triangles, n);
    for (int32_t k = 0; k < hierarchy->block_count; ++k)
        fit_block(hierarchy, &hierarchy->blocks[k]);
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
    for (int32_t k = 0; k < hierarchy->block_count; ++k) {
        const PalRefitBlock *block = &hierarchy->blocks[k];
        pal_cones_of_facets(
            triangles->end, (const int32_t(*)[3])hierarchy->corners + block->first_facet,
            hierarchy->leaves + block->first_facet, block->facet_count, hierarchy->cones);
        pal_cones_merge(hierarchy->cone_kind, hierarchy->merges + block->first_merge,
                        block->merge_count, hierarchy->cones);
    }
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
        hierarchy->boxes[volume] =
            around_all(&hierarchy->boxes[hierarchy->volumes[volume].first_child],
                       hierarchy->volumes[volume].child_count);
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

// Grows a cone by facets one after the other. Most lie inside already, which a cosine tells; where
// it is near 1, rounding hides up to 3e-8 of the angle, which is added in the end.
static PalCone cone_of_facets(const PalTriangles *triangles, const int32_t (*corners)[3],
                              int32_t count)
{
    PalCone cone = facet_cone(triangles, corners[0]);
    double cosine = cos(cone.angle / 2);
    for (int32_t i = 1; i < count && cone.angle < full_turn; ++i) {
        PalCone one = facet_cone(triangles, corners[i]);
        if (one.angle == 0 && pal_vec3_dot(cone.axis, one.axis) >= cosine)
            continue;
        cone = pal_cone_merge(PAL_CONE_NARROWEST, &cone, &one);
        cosine = cos(cone.angle / 2);
    }
    cone.angle = fmin(cone.angle + 1e-7, full_turn);
    return cone;
}

void pal_refit_direct_at(PalHierarchy *hierarchy, const PalTriangles *triangles,
                         const int32_t (*corners)[3], int32_t volume)
{
    const PalVolume *whole = &hierarchy->volumes[volume];
    const int32_t(*own)[3] = corners + whole->first_facet;
    PalBox box = facet_box(hierarchy, triangles, own[0]);
    for (int32_t i = 1; i < whole->facet_count; ++i) {
        PalBox next = facet_box(hierarchy, triangles, own[i]);
        box = around(&box, &next);
    }
    hierarchy->boxes[volume] = box;
    hierarchy->cones[volume] = cone_of_facets(triangles, own, whole->facet_count);
}

void pal_refit_direct(PalHierarchy *hierarchy, const PalTriangles *triangles, int32_t volume)
{
    pal_refit_direct_at(hierarchy, triangles, (const int32_t(*)[3])hierarchy->corners, volume);
}
