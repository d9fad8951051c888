// Building a hierarchy, stage by stage.
#include "geometry/build.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <string.h>

enum { FACETS_MAX = 1 << 27 };         // so that numbers of sides and marks fit
static const double least_pad = 0.01;  // of the mean side of the facets' boxes

static PalFloat4 least_corner(const PalTriangles *triangles, const int32_t corners[3], float sign)
{
    PalFloat4 least = sign * pal_float4(triangles->start[corners[0]]);
    for (int k = 0; k < 3; ++k) {
        least = pal_float4_min(least, sign * pal_float4(triangles->start[corners[k]]));
        least = pal_float4_min(least, sign * pal_float4(triangles->end[corners[k]]));
    }
    return least;
}

static void measure_facets(PalBuild *build)
{
    const PalTriangles *triangles = build->triangles;
    double sum = 0;
    for (int32_t f = 0; f < triangles->facet_count; ++f) {
        const int32_t *corners = triangles->facets[f];
        PalBuildFacet *facet = &build->facets[f];
        facet->lower = least_corner(triangles, corners, 1);
        facet->upper = -least_corner(triangles, corners, -1);
        PalFloat4 side = facet->upper - facet->lower;
        sum += (double)(side[0] + side[1] + side[2]) / 3;
        const PalVec3 *x = triangles->end;
        PalVec3 a = x[corners[0]], b = x[corners[1]], c = x[corners[2]];
        PalVec3 normal = pal_vec3_cross(pal_vec3_sub(b, a), pal_vec3_sub(c, a));
        facet->normal = pal_float4(pal_vec3_normalise(normal));
        facet->centroid = pal_float4(pal_vec3_scale(1.0 / 3, pal_vec3_add(a, pal_vec3_add(b, c))));
    }
    double pad = fmax(2 * build->hierarchy->margin, least_pad * sum / triangles->facet_count);
    build->pad = pad > 0 ? (float)pad : 1e-6f;
}

// Objects, and lists that refitting goes along.
static void finish(const PalTriangles *triangles, PalHierarchy *hierarchy)
{
    for (int32_t i = 0; i < hierarchy->facet_count; ++i) {
        int32_t f = hierarchy->order[i];
        hierarchy->leaves[i] = hierarchy->leaf_of[f];
        memcpy(hierarchy->corners[i], triangles->facets[f], sizeof hierarchy->corners[i]);
        hierarchy->volumes[hierarchy->leaf_of[f]].object = triangles->facet_object[f];
    }
    for (int32_t v = hierarchy->volume_count - 1; v >= 0; --v) {
        PalVolume *volume = &hierarchy->volumes[v];
        volume->end = volume->first_child + volume->child_count;
        if (volume->child_count == 0)
            continue;
        const PalVolume *children = &hierarchy->volumes[volume->first_child];
        volume->object = children[0].object;
        for (int32_t k = 0; k < volume->child_count; ++k) {
            if (children[k].object != volume->object)
                volume->object = PAL_NONE;
            if (children[k].end > volume->end)
                volume->end = children[k].end;
        }
    }
}

static bool allocate(PalHierarchy *hierarchy, PalBuild *build)
{
    size_t facets = (size_t)hierarchy->facet_count, volumes = 2 * facets;
    size_t vertices = (size_t)hierarchy->vertex_count;
    hierarchy->volumes = pal_alloc(volumes, sizeof *hierarchy->volumes);
    hierarchy->boxes = pal_alloc(volumes, sizeof *hierarchy->boxes);
    hierarchy->cones = pal_alloc(volumes, sizeof *hierarchy->cones);
    hierarchy->order = pal_alloc(facets, sizeof *hierarchy->order);
    hierarchy->leaf_of = pal_alloc(facets, sizeof *hierarchy->leaf_of);
    hierarchy->leaves = pal_alloc(facets, sizeof *hierarchy->leaves);
    hierarchy->inner = pal_alloc(facets, sizeof *hierarchy->inner);
    hierarchy->corners = pal_alloc(facets, sizeof *hierarchy->corners);
    hierarchy->vertex_boxes = pal_alloc(vertices, sizeof *hierarchy->vertex_boxes);
    bool framed = true;
    if (hierarchy->kind == PAL_HIERARCHY_OBB2) {
        hierarchy->frames = pal_alloc(volumes, sizeof *hierarchy->frames);
        hierarchy->moments = pal_alloc(volumes, sizeof *hierarchy->moments);
        framed = hierarchy->frames != NULL && hierarchy->moments != NULL;
    }
    build->facets = pal_alloc(facets, sizeof *build->facets);
    build->neighbours = pal_alloc(facets, sizeof *build->neighbours);
    build->queue = pal_alloc(facets, sizeof *build->queue);
    return hierarchy->volumes != NULL && hierarchy->boxes != NULL && hierarchy->cones != NULL &&
           hierarchy->order != NULL && hierarchy->leaf_of != NULL && hierarchy->leaves != NULL &&
           hierarchy->inner != NULL && hierarchy->corners != NULL &&
           hierarchy->vertex_boxes != NULL && framed && build->facets != NULL &&
           build->neighbours != NULL && build->queue != NULL;
}

static bool build_tree(PalBuild *build)
{
    if (build->triangles->facet_count == 0) {
        build->hierarchy->rim_start = pal_alloc(1, sizeof *build->hierarchy->rim_start);
        return build->hierarchy->rim_start != NULL;
    }
    measure_facets(build);
    if (!pal_build_neighbours(build) || !pal_build_clusters(build) || !pal_build_merge(build) ||
        !pal_build_split(build) || !pal_build_rims(build))
        return false;
    if (build->hierarchy->kind == PAL_HIERARCHY_AABB4 && !pal_build_widen(build->hierarchy))
        return false;
    finish(build->triangles, build->hierarchy);
    if (!pal_build_schedule(build->hierarchy))
        return false;
    pal_hierarchy_refit(build->hierarchy, build->triangles);
    return true;
}

// `shape` has the choices that make it.
static PalStatus create(const PalHierarchy *shape, const PalTriangles *triangles,
                        PalHierarchy **result, PalError *error)
{
    *result = NULL;
    if (triangles->facet_count > FACETS_MAX)
        return pal_error_set(error, PAL_BAD_INPUT, "%d facets are too many to search: at most %d",
                             (int)triangles->facet_count, (int)FACETS_MAX);
    PalBuild build = {.triangles = triangles};
    PalHierarchy *hierarchy = pal_alloc(1, sizeof *hierarchy);
    bool enough = hierarchy != NULL;
    if (enough) {
        *hierarchy = *shape;
        hierarchy->facet_count = triangles->facet_count;
        hierarchy->vertex_count = triangles->vertex_count;
        build.hierarchy = hierarchy;
        enough = allocate(hierarchy, &build) && build_tree(&build);
    }
    pal_free(build.facets);
    pal_free(build.neighbours);
    pal_free(build.queue);
    pal_array_release((void **)&build.pairs);
    if (!enough) {
        pal_hierarchy_destroy(hierarchy);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a hierarchy of %d facets",
                             (int)triangles->facet_count);
    }
    PAL_ASSERT(pal_hierarchy_validate(hierarchy, NULL) == PAL_OK);
    *result = hierarchy;
    return PAL_OK;
}

PalStatus pal_hierarchy_create(PalHierarchyKind kind, PalConeKind cone, double margin,
                               const PalTriangles *triangles, PalHierarchy **result,
                               PalError *error)
{
    PalHierarchy shape = {.kind = kind, .cone_kind = cone, .margin = margin};
    return create(&shape, triangles, result, error);
}

PalStatus pal_hierarchy_create_by_edges(PalHierarchyKind kind, PalConeKind cone, double margin,
                                        const PalTriangles *triangles, PalHierarchy **result,
                                        PalError *error)
{
    PalHierarchy shape = {.kind = kind, .cone_kind = cone, .margin = margin, .by_edges = true};
    return create(&shape, triangles, result, error);
}
