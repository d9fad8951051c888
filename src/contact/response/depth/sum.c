// Forces of all items, and their derivatives.
#include "contact/response/depth/depth.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

#define KEEPS 0.5  // of a multiplier, at the end of a step, however little is left of its pressure
#define SOFT  0.1  // of a multiplier, with which a step begins

void pal_depth_forces(const PalDepth *depth, PalDepthForce add, void *context)
{
    for (int32_t t = 0; t < depth->task_count; ++t)
        for (int32_t i = 0; i < depth->tasks[t].items.count; ++i) {
            const PalDepthItem *item = &depth->tasks[t].items.items[i];
            int32_t nodes[PAL_DIP_NODES];
            PalDipForces forces;
            pal_depth_nodes(depth, item, nodes);
            pal_dip_forces(&item->dip, &forces);
            for (int k = 0; k < PAL_DIP_NODES; ++k)
                if (nodes[k] != PAL_NONE)
                    add(context, nodes[k], forces.of[k]);
        }
}

// All items together have a symmetric derivative, because depth is continuous from cell to cell;
// one alone has not, and half of its other triangle is that of its neighbour.
static bool add_block(const PalDipTangent *tangent, const int32_t nodes[PAL_DIP_NODES],
                      PalDepthBlock add, void *context)
{
    int kept[PAL_DIP_NODES], count = 0;
    int32_t numbers[PAL_DIP_NODES];
    double matrix[9 * PAL_DIP_NODES * PAL_DIP_NODES];
    for (int k = 0; k < PAL_DIP_NODES; ++k)
        if (nodes[k] != PAL_NONE) {
            numbers[count] = nodes[k];
            kept[count++] = k;
        }
    for (int r = 0; r < 3 * count; ++r)
        for (int c = 0; c < 3 * count; ++c)
            matrix[r * 3 * count + c] = (tangent->of[kept[r / 3]][kept[c / 3]].m[r % 3][c % 3] +
                                         tangent->of[kept[c / 3]][kept[r / 3]].m[c % 3][r % 3]) /
                                        2;
    return count == 0 || add(context, count, numbers, matrix);
}

// What instruments do in the rest of the step.
static void add_lead(const PalDepth *depth, const PalDepthItem *item, const PalDipTangent *tangent,
                     const int32_t nodes[PAL_DIP_NODES], const PalDepthSums *sums)
{
    bool facet = pal_depth_object_of(depth, item) >= depth->setup.surface->body_count;
    bool cell = item->object >= depth->setup.surface->body_count;
    int corners = depth->setup.at_vertices ? 1 : 3;
    for (int j = 0; j < PAL_DIP_NODES; ++j) {
        if (!(j < 3 ? facet && j < corners : cell))
            continue;
        PalVec3 rest = pal_depth_corner_rest(depth, item, j);
        for (int i = 0; i < PAL_DIP_NODES; ++i)
            if (nodes[i] != PAL_NONE)
                sums->lead(sums->context, nodes[i],
                           pal_vec3_scale(-1, pal_mat3_apply(&tangent->of[i][j], rest)));
    }
}

bool pal_depth_tangent(const PalDepth *depth, const PalDepthSums *sums)
{
    for (int32_t t = 0; t < depth->task_count; ++t)
        for (int32_t i = 0; i < depth->tasks[t].items.count; ++i) {
            const PalDepthItem *item = &depth->tasks[t].items.items[i];
            int32_t nodes[PAL_DIP_NODES];
            double clips[5][4];
            PalDipTriangle triangle;
            PalDipCell cell;
            PalDipTangent tangent;
            pal_depth_nodes(depth, item, nodes);
            pal_depth_parts(depth, item, clips, &triangle, &cell);
            if (sums->exact)
                pal_dip_tangent(&triangle, &cell, &item->dip, &tangent);
            else
                pal_dip_stable_tangent(&triangle, &item->dip, &tangent);
            if (sums->lead != NULL)
                add_lead(depth, item, &tangent, nodes, sums);
            if (!add_block(&tangent, nodes, sums->add, sums->context))
                return false;
        }
    return true;
}

static int32_t vertex_of(const PalDepth *depth, const PalDepthItem *item, int corner)
{
    return depth->setup.at_vertices ? item->who : depth->setup.surface->facets[item->who][corner];
}

// Raises numbers of vertices to the largest pressures of the items around them that are deeper than
// `least` of what is allowed.
static void raise_to_pressures(const PalDepth *depth, double least, double *numbers)
{
    for (int32_t t = 0; t < depth->task_count; ++t)
        for (int32_t i = 0; i < depth->tasks[t].items.count; ++i) {
            const PalDepthItem *item = &depth->tasks[t].items.items[i];
            if (pal_depth_excess(depth, item) <= least)
                continue;
            double deep = item->dip.deepest / pal_vec3_length(item->dip.normal);
            for (int a = 0; a < (depth->setup.at_vertices ? 1 : 3); ++a) {
                int32_t v = vertex_of(depth, item, a);
                numbers[v] = fmax(numbers[v], item->stiffness[a] * deep);
            }
        }
}

void pal_depth_hold_pressures(PalDepth *depth)
{
    raise_to_pressures(depth, 1, depth->pressure);
}

void pal_depth_release_pressures(PalDepth *depth)
{
    int32_t count = depth->setup.surface->vertex_count;
    memset(depth->acting, 0, (size_t)count * sizeof *depth->acting);
    raise_to_pressures(depth, 0, depth->acting);
    for (int32_t v = 0; v < count; ++v)
        depth->pressure[v] =
            fmin(depth->pressure[v], fmax(depth->acting[v], KEEPS * depth->pressure[v]));
}

bool pal_depth_soften_pressures(PalDepth *depth)
{
    bool any = false;
    for (int32_t v = 0; v < depth->setup.surface->vertex_count; ++v) {
        any = any || depth->pressure[v] > 0;
        depth->pressure[v] *= SOFT;
    }
    return any;
}

void pal_depth_restore_pressures(PalDepth *depth, const double *pressures)
{
    for (int32_t v = 0; v < depth->setup.surface->vertex_count; ++v)
        depth->pressure[v] = fmax(depth->pressure[v], pressures[v]);
}
