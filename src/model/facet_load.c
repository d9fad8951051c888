// f_a = integral of N_a t over the current facet, with t = -p n (pressure) or given (traction).
// Triangles: a third of the area vector each. Quadrilaterals: 2 x 2 Gauss points on the
// bilinear facet, where x_xi cross x_eta is the area vector per parameter area. Quadratic
// triangles: the same with six points, exact whatever their shape.
#include "model/facet_load.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

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

// Quadratic faces of which all four triangles are selected, one after another: corners 0, nodes of
// edges 01 and 20; 1, 12, 01; 2, 20, 12. Returns how many numbers are left.
static int32_t join_pieces(PalFacetLoad *load, const int32_t *selected, int32_t count)
{
    int32_t kept = 0;
    for (int32_t f = 0; f + 3 < count; ++f) {
        if (selected[f] % 4 != 0 || selected[f + 3] != selected[f] + 3)
            continue;
        const int32_t *four = load->facets + 3 * (size_t)f;
        if (four[2] != four[7] || four[5] != four[1] || four[8] != four[4])
            continue;
        const int32_t six[6] = {four[0], four[3], four[6], four[1], four[4], four[7]};
        memcpy(load->facets + kept, six, sizeof six);
        kept += 6;
        f += 3;
    }
    return kept;
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
    bool quadratic = body->mesh->cell_kind == PAL_CELL_QUADRATIC_TETRAHEDRON;
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
    if (quadratic) {
        slot_count = join_pieces(load, selected, count);
        load->corner_count = 6;
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

// Dunavant (1985), degree 4.
#define NEAR_1   0.81684757298045851308
#define FAR_1    0.09157621350977074346
#define WEIGHT_1 (0.10995174365532186764 / 2)
#define NEAR_2   0.10810301816807022736
#define FAR_2    0.44594849091596488632
#define WEIGHT_2 (0.22338158967801146570 / 2)

const PalTrianglePoint pal_triangle_points[PAL_TRIANGLE_POINTS] = {
    {{NEAR_1, FAR_1, FAR_1}, WEIGHT_1}, {{FAR_1, NEAR_1, FAR_1}, WEIGHT_1},
    {{FAR_1, FAR_1, NEAR_1}, WEIGHT_1}, {{NEAR_2, FAR_2, FAR_2}, WEIGHT_2},
    {{FAR_2, NEAR_2, FAR_2}, WEIGHT_2}, {{FAR_2, FAR_2, NEAR_2}, WEIGHT_2}};

void pal_quadratic_triangle(const double r[3], double N[6], double slopes[6][2])
{
    double by[6][3] = {{0}};  // each part taken as if it were independent
    for (int a = 0; a < 3; ++a) {
        int b = (a + 1) % 3;
        N[a] = r[a] * (2 * r[a] - 1);
        N[3 + a] = 4 * r[a] * r[b];
        by[a][a] = 4 * r[a] - 1;
        by[3 + a][a] = 4 * r[b];
        by[3 + a][b] = 4 * r[a];
    }
    for (int a = 0; a < 6; ++a)
        for (int k = 0; k < 2; ++k)
            slopes[a][k] = by[a][k + 1] - by[a][0];
}

static PalVec3 quadratic_force(const PalFacetLoad *load, const PalShape *shape,
                               const int32_t *facet, int corner)
{
    PalVec3 x[6], force = {0, 0, 0};
    for (int a = 0; a < 6; ++a)
        x[a] = position(shape, facet[a]);
    for (int q = 0; q < PAL_TRIANGLE_POINTS; ++q) {
        double N[6], slopes[6][2];
        PalVec3 along[2] = {{0, 0, 0}, {0, 0, 0}};
        pal_quadratic_triangle(pal_triangle_points[q].parts, N, slopes);
        for (int a = 0; a < 6; ++a)
            for (int k = 0; k < 2; ++k)
                along[k] = pal_vec3_add_scaled(along[k], slopes[a][k], x[a]);
        PalVec3 traction = load_on(load, pal_vec3_cross(along[0], along[1]));
        force = pal_vec3_add_scaled(force, pal_triangle_points[q].weight * N[corner], traction);
    }
    return force;
}

// What one corner of a facet receives.
static PalVec3 corner_force(const PalFacetLoad *load, const PalShape *shape, const int32_t *facet,
                            int corner)
{
    switch (load->corner_count) {
    case 3:
        return triangle_force(load, shape, facet);
    case 4:
        return quadrilateral_force(load, shape, facet, corner);
    default:
        return quadratic_force(load, shape, facet, corner);
    }
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
            sum = pal_vec3_add(sum, corner_force(load, shape, facet, corner));
        }
        PalVec3 *target = &external[load->nodes[i]];
        *target = pal_vec3_add_scaled(*target, factor, sum);
    }
}
