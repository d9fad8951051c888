#include "contact/start/follow.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>

#define SWEEPS 30    // of averaging motion over neighbours
#define SLIGHT 0.05  // of the shortest edge: nodes within need not follow smaller motion
#define WIDE   0.1   // of a cell's shortest edge: separations that may spoil it by themselves
#define WORST  0.05  // quality a cell must keep, unless it was worse before
#define KEPT   0.9   // of its quality: what one that was worse must keep

// A node of a membrane has two sides: what pushes both one way pushes it as far as the farther one
// goes, and what pushes one side alone pushes it as well.
static PalVec3 join(PalVec3 one, PalVec3 other)
{
    if (pal_vec3_dot(one, other) <= 0)
        return pal_vec3_add(one, other);
    return pal_vec3_length(one) > pal_vec3_length(other) ? one : other;
}

static void take_surface(const PalApart *apart, PalMoved *moved, uint8_t *on_surface)
{
    const PalContactSurface *surface = apart->surface;
    const PalVec3 *from = apart->base != NULL ? apart->base : surface->end;
    for (int32_t v = 0; v < surface->soft_vertex_count; ++v) {
        int32_t node = surface->vertex_node[v];
        PalVec3 motion = pal_vec3_sub(surface->start[v], from[v]);
        moved->nodes[node] = on_surface[node] ? join(moved->nodes[node], motion) : motion;
        on_surface[node] = 1;
    }
}

// Each inner node moves as its neighbours do on average.
static void sweep(const PalBody *body, const PalLists *around, const uint8_t *on_surface,
                  PalVec3 *motion)
{
    int32_t corners = pal_cell_node_count(body->mesh->cell_kind);
    for (int32_t n = 0; n < body->mesh->node_count; ++n) {
        int32_t first = around->start[n], end = around->start[n + 1];
        if (on_surface[n] || first == end)
            continue;
        PalVec3 sum = {0, 0, 0};
        for (int32_t i = first; i < end; ++i)
            for (int32_t a = 0; a < corners; ++a)
                sum = pal_vec3_add(
                    sum, motion[body->mesh->cells[(int64_t)around->items[i] * corners + a]]);
        // the node itself is a corner of each cell around it
        int32_t cells = end - first;
        sum = pal_vec3_add_scaled(sum, -cells, motion[n]);
        motion[n] = pal_vec3_scale(1.0 / (cells * (corners - 1)), sum);
    }
}

static double shortest_edge(const PalMesh *mesh, int32_t c)
{
    int32_t corners = pal_cell_node_count(mesh->cell_kind);
    const int32_t *nodes = mesh->cells + (int64_t)c * corners;
    double shortest = INFINITY;
    for (int32_t a = 1; a < corners; ++a)
        for (int32_t b = 0; b < a; ++b)
            shortest =
                fmin(shortest, pal_vec3_distance(mesh->nodes[nodes[a]], mesh->nodes[nodes[b]]));
    return shortest;
}

static PalStatus check_cells(const PalBody *body, PalVec3 *nodes, double separation,
                             PalError *error)
{
    PalMesh mesh = *body->mesh;
    mesh.nodes = nodes;
    for (int32_t c = 0; c < mesh.cell_count; ++c) {
        double quality = pal_cell_quality(&mesh, c), before = pal_cell_quality(body->mesh, c);
        if (quality >= fmin(WORST, KEPT * before))
            continue;
        PalVec3 p = nodes[mesh.cells[(int64_t)c * pal_cell_node_count(mesh.cell_kind)]];
        if (separation > WIDE * shortest_edge(body->mesh, c))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "keeping \"%s\" apart from others by the separation, %.3g, would "
                                 "distort its cell %d near (%.4g, %.4g, %.4g) to a quality of "
                                 "%.2g; give contact a smaller separation, or leave it out",
                                 body->name, separation, c, p.x, p.y, p.z, quality);
        return pal_error_set(error, PAL_BAD_INPUT,
                             "moving \"%s\" away from what it overlaps at the start would distort "
                             "its cell %d near (%.4g, %.4g, %.4g) to a quality of %.2g; move the "
                             "bodies apart with place, or repair the meshes",
                             body->name, c, p.x, p.y, p.z, quality);
    }
    return PAL_OK;
}

static PalStatus follow_in(const PalBody *body, const uint8_t *on_surface, double least,
                           PalVec3 *nodes, PalError *error)
{
    double largest = 0;
    for (int32_t n = 0; n < body->mesh->node_count; ++n)
        largest = fmax(largest, pal_vec3_length(nodes[n]));
    if (largest <= least)
        return PAL_OK;
    PalLists around = {0};
    PAL_TRY(pal_mesh_node_cells(body->mesh, &around, error));
    for (int i = 0; i < SWEEPS; ++i)
        sweep(body, &around, on_surface, nodes);
    pal_lists_clear(&around);
    return PAL_OK;
}

PalStatus pal_follow(const PalApart *apart, PalMoved *moved, PalError *error)
{
    const PalModel *model = apart->model;
    const PalContactSurface *surface = apart->surface;
    moved->nodes = pal_alloc((size_t)model->node_count, sizeof *moved->nodes);
    uint8_t *on_surface = pal_alloc((size_t)model->node_count, 1);
    PalStatus status = PAL_OK;
    if (moved->nodes == NULL || on_surface == NULL)
        status = pal_error_set(error, PAL_NO_MEMORY, "no memory to move bodies apart");
    else
        take_surface(apart, moved, on_surface);
    for (int32_t b = 0; b < model->body_count && status == PAL_OK; ++b) {
        const PalBody *body = &model->bodies[b];
        PalVec3 *nodes = moved->nodes + body->first_node;
        status = follow_in(body, on_surface + body->first_node, SLIGHT * surface->shortest, nodes,
                           error);
        for (int32_t n = 0; n < body->mesh->node_count; ++n) {
            if (apart->smooth != NULL)
                nodes[n] = pal_vec3_add(nodes[n], apart->smooth[body->first_node + n]);
            double distance = pal_vec3_length(nodes[n]);
            moved->count += distance > 0;
            moved->largest = fmax(moved->largest, distance);
            nodes[n] = pal_vec3_add(body->mesh->nodes[n], nodes[n]);
        }
        if (status == PAL_OK)
            status = check_cells(body, nodes, apart->separation, error);
    }
    pal_free(on_surface);
    return status;
}
