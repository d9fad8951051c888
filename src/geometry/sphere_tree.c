#include "geometry/sphere_tree.h"

#include "base/assert.h"
#include "base/memory.h"
#include "geometry/sphere_pairing.h"

#define OUTWARD (1 + 1e-15)  // rounding

// The smallest around a triangle: its circumscribed one, or that over its longest edge.
static PalSphere around_triangle(PalVec3 a, PalVec3 b, PalVec3 c)
{
    const PalVec3 corners[3] = {a, b, c};
    PalVec3 centre;
    int longest = 0;
    double lengths2[3];
    for (int k = 0; k < 3; ++k) {
        PalVec3 edge = pal_vec3_sub(corners[(k + 1) % 3], corners[k]);
        lengths2[k] = pal_vec3_dot(edge, edge);
        longest = lengths2[k] > lengths2[longest] ? k : longest;
    }
    int next = (longest + 1) % 3, last = (longest + 2) % 3;
    PalVec3 u = pal_vec3_sub(corners[longest], corners[last]);
    PalVec3 v = pal_vec3_sub(corners[next], corners[last]), normal = pal_vec3_cross(u, v);
    double area2 = pal_vec3_dot(normal, normal);
    bool acute = lengths2[next] + lengths2[last] > (1 + 1e-9) * lengths2[longest] &&
                 area2 > 1e-18 * lengths2[longest] * lengths2[longest];
    if (acute) {
        PalVec3 w = pal_vec3_sub(pal_vec3_scale(pal_vec3_dot(u, u), v),
                                 pal_vec3_scale(pal_vec3_dot(v, v), u));
        centre = pal_vec3_add_scaled(corners[last], 1 / (2 * area2), pal_vec3_cross(w, normal));
    } else {
        centre = pal_vec3_scale(0.5, pal_vec3_add(corners[longest], corners[next]));
    }
    double radius = 0;
    for (int k = 0; k < 3; ++k)
        radius = fmax(radius, pal_vec3_distance(corners[k], centre));
    return (PalSphere){centre, OUTWARD * radius};
}

// Where a facet is in the step. A number that is missing makes it endless.
static PalSphere around_facet(const PalTriangles *triangles, int32_t facet, double margin)
{
    const int32_t *corners = triangles->facets[facet];
    const PalVec3 *x = triangles->start, *y = triangles->end;
    PalSphere sphere = around_triangle(y[corners[0]], y[corners[1]], y[corners[2]]);
    if (x != y && margin >= 0) {
        PalSphere start = around_triangle(x[corners[0]], x[corners[1]], x[corners[2]]);
        sphere = pal_sphere_around(&sphere, &start);
    }
    sphere.radius = OUTWARD * (sphere.radius + fmax(margin, 0));
    if (!(sphere.radius < INFINITY) || !pal_vec3_is_finite(sphere.centre))
        return (PalSphere){{0, 0, 0}, INFINITY};
    return sphere;
}

void pal_sphere_tree_refit(PalSphereTree *tree, const PalTriangles *triangles, double margin)
{
    for (int32_t f = 0; f < tree->facet_count; ++f)
        tree->spheres[f] = around_facet(triangles, f, margin);
    for (int32_t v = tree->facet_count; v < tree->volume_count; ++v) {
        const int32_t *children = pal_sphere_tree_children(tree, v);
        tree->spheres[v] =
            pal_sphere_around(&tree->spheres[children[0]], &tree->spheres[children[1]]);
    }
}

void pal_sphere_tree_destroy(PalSphereTree *tree)
{
    if (tree == NULL)
        return;
    pal_free(tree->spheres);
    pal_free(tree->children);
    pal_free(tree);
}

PalStatus pal_sphere_tree_create(const PalTriangles *triangles, PalSphereTree **result,
                                 PalError *error)
{
    *result = NULL;
    int32_t facets = triangles->facet_count;
    if (facets > PAL_SPHERE_FACETS_MAX)
        return pal_error_set(error, PAL_BAD_INPUT, "%d facets are too many for spheres: at most %d",
                             (int)facets, PAL_SPHERE_FACETS_MAX);
    PalSphereTree *tree = pal_alloc(1, sizeof *tree);
    if (tree != NULL) {
        tree->facet_count = facets;
        tree->volume_count = facets > 0 ? 2 * facets - 1 : 0;
        tree->spheres = pal_alloc((size_t)tree->volume_count, sizeof *tree->spheres);
        tree->children = pal_alloc((size_t)facets, sizeof *tree->children);
    }
    bool enough = tree != NULL && tree->spheres != NULL && tree->children != NULL;
    for (int32_t f = 0; enough && f < facets; ++f)
        tree->spheres[f] = around_facet(triangles, f, -1);
    if (!enough || !pal_sphere_pairing(tree->spheres, facets, tree->children)) {
        pal_sphere_tree_destroy(tree);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the spheres of %d facets",
                             (int)facets);
    }
    pal_sphere_tree_refit(tree, triangles, 0);
    PAL_ASSERT(pal_sphere_tree_validate(tree, triangles, NULL) == PAL_OK);
    *result = tree;
    return PAL_OK;
}

// ---- looking at it ----------------------------------------------------------------------

static bool holds(const PalSphere *outer, const PalSphere *inner)
{
    double out = pal_vec3_distance(outer->centre, inner->centre) + inner->radius;
    return !(out > (1 + 1e-12) * outer->radius);
}

PalStatus pal_sphere_tree_validate(const PalSphereTree *tree, const PalTriangles *triangles,
                                   PalError *error)
{
    for (int32_t f = 0; f < tree->facet_count; ++f)
        for (int k = 0; k < 3; ++k) {
            PalSphere corner = {triangles->end[triangles->facets[f][k]], 0};
            if (!holds(&tree->spheres[f], &corner))
                return pal_error_set(error, PAL_BAD_INPUT, "facet %d is outside its sphere",
                                     (int)f);
        }
    for (int32_t v = tree->facet_count; v < tree->volume_count; ++v)
        for (int k = 0; k < 2; ++k) {
            int32_t child = pal_sphere_tree_children(tree, v)[k];
            if (child < 0 || child >= v)
                return pal_error_set(error, PAL_BAD_INPUT, "volume %d has no child %d", (int)v, k);
            if (!holds(&tree->spheres[v], &tree->spheres[child]))
                return pal_error_set(error, PAL_BAD_INPUT, "volume %d is outside its parent",
                                     (int)child);
        }
    return PAL_OK;
}

PalStatus pal_sphere_tree_depths(const PalSphereTree *tree, PalTreeDepths *depths, PalError *error)
{
    *depths = (PalTreeDepths){0, 0, 0};
    int32_t *depth = pal_alloc((size_t)tree->volume_count, sizeof *depth);
    if (depth == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory to measure a tree");
    for (int32_t v = pal_sphere_tree_root(tree); v >= tree->facet_count; --v)
        for (int k = 0; k < 2; ++k)
            depth[pal_sphere_tree_children(tree, v)[k]] = depth[v] + 1;
    double sum = 0;
    for (int32_t f = 0; f < tree->facet_count; ++f) {
        sum += depth[f];
        depths->least = f == 0 || depth[f] < depths->least ? depth[f] : depths->least;
        depths->most = depth[f] > depths->most ? depth[f] : depths->most;
    }
    depths->mean = tree->facet_count > 0 ? sum / tree->facet_count : 0;
    pal_free(depth);
    return PAL_OK;
}
