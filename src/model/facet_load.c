// f_a = integral of N_a t over the current facet, with t = -p n (pressure) or given (traction).
// Triangles: a third of the area vector each. Quadrilaterals: 2 x 2 Gauss points on the
// bilinear facet, where x_xi cross x_eta is the area vector per parameter area.
#include "model/facet_load.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <stdlib.h>

int32_t pal_first_not_below(const int32_t *list, int32_t count, int32_t value)
{
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (list[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct Corner {
    int32_t node, slot;
} Corner;

static int compare_corners(const void *left, const void *right)
{
    const Corner *a = left, *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->slot > b->slot) - (a->slot < b->slot);
}

// Lists, for each loaded node, the facet corners it is.
static PalStatus index_corners(PalFacetLoad *load, int32_t slot_count, PalError *error)
{
    Corner *corners = pal_alloc((size_t)slot_count, sizeof *corners);
    load->nodes = pal_alloc((size_t)slot_count, sizeof(int32_t));
    load->start = pal_alloc((size_t)slot_count + 1, sizeof(int32_t));
    load->corners = pal_alloc((size_t)slot_count, sizeof(int32_t));
    if (corners == NULL || load->nodes == NULL || load->start == NULL || load->corners == NULL) {
        pal_free(corners);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a load on %d facets",
                             slot_count / load->corner_count);
    }
    for (int32_t i = 0; i < slot_count; ++i)
        corners[i] = (Corner){load->facets[i], i};
    qsort(corners, (size_t)slot_count, sizeof *corners, compare_corners);
    for (int32_t i = 0; i < slot_count; ++i) {
        if (i == 0 || corners[i].node != corners[i - 1].node) {
            load->start[load->node_count] = i;
            load->nodes[load->node_count++] = corners[i].node;
        }
        load->corners[i] = corners[i].slot;
    }
    load->start[load->node_count] = slot_count;
    pal_free(corners);
    return PAL_OK;
}

PalStatus pal_facet_load_init(PalFacetLoad *load, const PalConditionDef *def, int32_t condition,
                              const PalBody *body, PalError *error)
{
    *load = (PalFacetLoad){
        .condition = condition,
        .follows = def->kind == PAL_CONDITION_PRESSURE,
        .pressure = def->pressure,
        .traction = def->value,
        .corner_count = body->surface->corner_count,
    };
    int32_t *selected = NULL, count = 0;
    PAL_TRY(
        pal_mesh_select_facets(body->mesh, body->surface, &def->where, &selected, &count, error));
    int32_t slot_count = count * load->corner_count;
    load->facets = pal_alloc((size_t)slot_count, sizeof(int32_t));
    if (load->facets == NULL) {
        free(selected);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a load on %d facets", count);
    }
    for (int32_t i = 0; i < slot_count; ++i) {
        int32_t facet = selected[i / load->corner_count], corner = i % load->corner_count;
        load->facets[i] =
            body->first_node + body->surface->facets[facet * load->corner_count + corner];
    }
    free(selected);
    return index_corners(load, slot_count, error);
}

void pal_facet_load_clear(PalFacetLoad *load)
{
    pal_free(load->facets);
    pal_free(load->nodes);
    pal_free(load->start);
    pal_free(load->corners);
}

static PalVec3 position(const PalShape *shape, int32_t node)
{
    return pal_vec3_add(shape->reference[node], shape->displacement[node]);
}

// Traction times area for an area vector.
static PalVec3 load_on(const PalFacetLoad *load, PalVec3 area)
{
    if (load->follows)
        return pal_vec3_scale(-load->pressure, area);
    return pal_vec3_scale(pal_vec3_length(area), load->traction);
}

static PalVec3 triangle_force(const PalFacetLoad *load, const PalShape *shape, const int32_t *facet)
{
    PalVec3 a = position(shape, facet[0]);
    PalVec3 ab = pal_vec3_sub(position(shape, facet[1]), a);
    PalVec3 ac = pal_vec3_sub(position(shape, facet[2]), a);
    return load_on(load, pal_vec3_scale(1.0 / 6, pal_vec3_cross(ab, ac)));
}

static PalVec3 quadrilateral_force(const PalFacetLoad *load, const PalShape *shape,
                                   const int32_t *facet, int corner)
{
    static const double sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    const double gauss = 0.57735026918962576451;  // 1 / sqrt 3
    PalVec3 x[4], force = {0, 0, 0};
    for (int a = 0; a < 4; ++a)
        x[a] = position(shape, facet[a]);
    for (int q = 0; q < 4; ++q) {
        double xi = gauss * sign[q][0], eta = gauss * sign[q][1];
        PalVec3 along_xi = {0, 0, 0}, along_eta = {0, 0, 0};
        for (int a = 0; a < 4; ++a) {
            along_xi = pal_vec3_add_scaled(along_xi, sign[a][0] * (1 + sign[a][1] * eta) / 4, x[a]);
            along_eta =
                pal_vec3_add_scaled(along_eta, sign[a][1] * (1 + sign[a][0] * xi) / 4, x[a]);
        }
        double weight = (1 + sign[corner][0] * xi) * (1 + sign[corner][1] * eta) / 4;
        PalVec3 traction = load_on(load, pal_vec3_cross(along_xi, along_eta));
        force = pal_vec3_add_scaled(force, weight, traction);
    }
    return force;
}

void pal_facet_load_add(const PalFacetLoad *load, const PalShape *shape, double factor,
                        int32_t begin, int32_t end, PalVec3 *external)
{
    int32_t i = pal_first_not_below(load->nodes, load->node_count, begin);
    for (; i < load->node_count && load->nodes[i] < end; ++i) {
        PalVec3 sum = {0, 0, 0};
        for (int32_t c = load->start[i]; c < load->start[i + 1]; ++c) {
            int32_t corner = load->corners[c] % load->corner_count;
            const int32_t *facet = load->facets + (load->corners[c] - corner);
            sum = pal_vec3_add(sum, load->corner_count == 3
                                        ? triangle_force(load, shape, facet)
                                        : quadrilateral_force(load, shape, facet, corner));
        }
        PalVec3 *target = &external[load->nodes[i]];
        *target = pal_vec3_add_scaled(*target, factor, sum);
    }
}
