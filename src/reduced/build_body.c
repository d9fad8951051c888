// The body of a vademecum: its surface first, sites, and loads as vectors.
#include "reduced/build.h"

#include "base/memory.h"
#include "math/vec3.h"
#include <palpate/mesh.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

PalVec3 pal_build_position(const PalBuild *build, int32_t node)
{
    return build->truth->model->nodes[build->model_node[node]];
}

// Nodes of the surface get the first numbers, in the order of the mesh.
static void number_nodes(PalBuild *build, const PalSurface *surface)
{
    int32_t count = 0;
    for (int32_t n = 0; n < build->node_count; ++n)
        build->node[n] = PAL_NONE;
    for (int32_t i = 0; i < 3 * surface->facet_count; ++i)
        build->node[surface->facets[i]] = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t n = 0; n < build->node_count; ++n)
            if ((build->node[n] == PAL_NONE) == (pass == 1))
                build->model_node[count++] = n;
}

static void find_normals(PalBuild *build)
{
    for (int32_t t = 0; t < build->triangle_count; ++t) {
        const int32_t *c = build->triangles + 3 * (int64_t)t;
        PalVec3 a = pal_build_position(build, c[0]);
        PalVec3 normal = pal_vec3_cross(pal_vec3_sub(pal_build_position(build, c[1]), a),
                                        pal_vec3_sub(pal_build_position(build, c[2]), a));
        for (int k = 0; k < 3; ++k)
            build->normals[c[k]] = pal_vec3_add(build->normals[c[k]], normal);
    }
    for (int32_t i = 0; i < build->surface_count; ++i)
        build->normals[i] = pal_vec3_normalise(build->normals[i]);
}

static PalStatus take_surface(PalBuild *build, const PalSurface *surface, PalError *error)
{
    build->triangle_count = surface->facet_count;
    build->model_node = pal_alloc((size_t)build->node_count, sizeof *build->model_node);
    build->node = pal_alloc((size_t)build->node_count, sizeof *build->node);
    build->triangles = pal_alloc(3 * (size_t)surface->facet_count, sizeof *build->triangles);
    build->row = pal_alloc(3 * (size_t)build->node_count, sizeof *build->row);
    if (build->model_node == NULL || build->node == NULL || build->triangles == NULL ||
        build->row == NULL)
        return pal_build_no_memory(error);
    number_nodes(build, surface);
    for (int32_t n = 0; n < build->node_count; ++n)
        build->surface_count += build->node[n] != PAL_NONE;
    for (int32_t n = 0; n < build->node_count; ++n)
        build->node[build->model_node[n]] = n;
    for (int32_t i = 0; i < 3 * surface->facet_count; ++i)
        build->triangles[i] = build->node[surface->facets[i]];
    const PalStiffness *stiffness = build->truth->stiffness;
    for (int32_t n = 0; n < build->node_count; ++n)
        for (int j = 0; j < 3; ++j) {
            int32_t row = stiffness->equation[3 * build->model_node[n] + j];
            build->row[3 * n + j] = row >= 0 && row < build->truth->size ? row : PAL_NONE;
        }
    build->normals = pal_alloc((size_t)build->surface_count, sizeof *build->normals);
    build->weight = pal_alloc((size_t)build->surface_count, sizeof *build->weight);
    if (build->normals == NULL || build->weight == NULL)
        return pal_build_no_memory(error);
    find_normals(build);
    return PAL_OK;
}

// Surface nodes that are selected.
static PalStatus find_sites(PalBuild *build, PalError *error)
{
    int32_t *selected = NULL, count = 0, open = 0;
    const PalMesh *mesh = build->truth->model->bodies[0].mesh;
    PAL_TRY(pal_mesh_select_nodes(mesh, &build->def->where, &selected, &count, error));
    build->site = pal_alloc((size_t)count + 1, sizeof *build->site);
    build->open = pal_alloc((size_t)build->surface_count, sizeof *build->open);
    if (build->site == NULL || build->open == NULL) {
        free(selected);
        return pal_build_no_memory(error);
    }
    for (int32_t i = 0; i < count; ++i) {
        int32_t node = build->node[selected[i]];
        if (node >= build->surface_count)
            continue;
        const int32_t *row = build->row + 3 * (int64_t)node;
        build->site[build->site_count++] = node;
        build->open[node] = row[0] != PAL_NONE || row[1] != PAL_NONE || row[2] != PAL_NONE;
        open += build->open[node];
    }
    free(selected);
    if (build->site_count == 0)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "the vademecum's selection has no node of the surface, expected "
                             "where loads may act");
    return open > 0 ? PAL_OK
                    : pal_error_set(error, PAL_BAD_INPUT,
                                    "conditions fix all %d nodes of the surface where the "
                                    "vademecum has loads, expected some that can move",
                                    (int)build->site_count);
}

PalStatus pal_build_body(PalBuild *build, PalError *error)
{
    PalSurface *surface = NULL;
    build->node_count = build->truth->model->node_count;
    PAL_TRY(pal_mesh_boundary(build->truth->model->bodies[0].mesh, &surface, error));
    PalStatus status = take_surface(build, surface, error);
    pal_surface_destroy(surface);
    PAL_TRY(status);
    return find_sites(build, error);
}

// Sites in an order in which each is as far from those before it as can be, up to a limit.
PalStatus pal_build_order_sites(PalBuild *build, int32_t limit, PalError *error)
{
    double *distance = pal_alloc((size_t)build->site_count, sizeof *distance);
    if (distance == NULL)
        return pal_build_no_memory(error);
    for (int32_t i = 0; i < build->site_count; ++i)
        distance[i] = INFINITY;
    for (int32_t k = 0; k + 1 < build->site_count && k < limit; ++k) {
        PalVec3 last = pal_build_position(build, build->site[k]);
        int32_t farthest = k + 1;
        for (int32_t i = k + 1; i < build->site_count; ++i) {
            double away =
                pal_vec3_length(pal_vec3_sub(pal_build_position(build, build->site[i]), last));
            distance[i] = away < distance[i] ? away : distance[i];
            if (distance[i] > distance[farthest])
                farthest = i;
        }
        int32_t site = build->site[farthest];
        double far = distance[farthest];
        build->site[farthest] = build->site[k + 1];
        distance[farthest] = distance[k + 1];
        build->site[k + 1] = site;
        distance[k + 1] = far;
    }
    build->site_count = build->site_count < limit ? build->site_count : limit;
    pal_free(distance);
    return PAL_OK;
}

void pal_build_load(PalBuild *build, const PalVademecumLoad *load, double radius, double *vector)
{
    double sum = 0, least = INFINITY;
    int32_t nearest = 0;
    for (int32_t i = 0; i < build->surface_count; ++i) {
        double distance = pal_vec3_length(pal_vec3_sub(pal_build_position(build, i), load->at));
        double part = distance / radius;
        build->weight[i] = part <= 1 ? exp(-2 * part * part) : 0;
        sum += build->weight[i];
        if (distance < least)
            least = distance, nearest = i;
    }
    if (sum == 0)
        sum = build->weight[nearest] = 1;
    memset(vector, 0, (size_t)build->truth->size * sizeof *vector);
    for (int32_t i = 0; i < build->surface_count; ++i)
        for (int j = 0; j < 3; ++j)
            if (build->weight[i] > 0 && build->row[3 * i + j] != PAL_NONE)
                vector[build->row[3 * i + j]] =
                    build->weight[i] / sum * pal_vec3_at(load->force, j);
}
