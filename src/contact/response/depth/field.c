#include "contact/response/depth/field.h"

#include "base/memory.h"
#include "contact/response/depth/cut.h"
#include "geometry/closest.h"
#include "mesh/box_tree.h"
#include "mesh/cells.h"

#include <math.h>
#include <string.h>

PalVec3 pal_depth_point_place(const PalDepthPoint *point, const PalVec3 *nodes)
{
    PalVec3 sum = nodes[point->nodes[0]];
    for (int32_t k = 1; k < point->count; ++k)
        sum = pal_vec3_add(sum, nodes[point->nodes[k]]);
    return point->count > 1 ? pal_vec3_scale(1.0 / point->count, sum) : sum;
}

PalDipCell pal_depth_field_cell(const PalDepthField *field, int32_t index, const PalVec3 *nodes)
{
    const PalDepthCell *cell = &field->cells[index];
    PalDipCell dip = {.clip_count = 0};
    for (int e = 0; e < 4; ++e) {
        dip.corners[e] = nodes[cell->nodes[e]];
        dip.depth[e] = cell->depth[e];
    }
    if (cell->clips != PAL_NONE) {
        dip.clip_count = 4;
        dip.clips = (const double(*)[4])(field->clips + cell->clips);
    }
    return dip;
}

// ---- depths -----------------------------------------------------------------------------

// Depth is linear in the part; its clips are the weights of its corners.
static void spread_depths(PalDepthField *field)
{
    field->deepest = 0;
    for (int32_t p = 0; p < field->point_count; ++p)
        field->deepest = fmax(field->deepest, field->points[p].depth);
    for (int32_t c = 0; c < field->cell_count; ++c) {
        PalDepthCell *cell = &field->cells[c];
        for (int e = 0; e < 4; ++e) {
            cell->depth[e] = 0;
            for (int k = 0; k < 4; ++k) {
                double weight = cell->clips == PAL_NONE ? e == k : field->clips[cell->clips + k][e];
                cell->depth[e] += weight * field->points[cell->points[k]].depth;
            }
        }
    }
}

static double distance_to(const PalBoxTree *tree, PalVec3 place)
{
    const int32_t *corners = pal_mesh_cell(tree->mesh, pal_box_tree_nearest(tree, place));
    const PalVec3 *nodes = tree->mesh->nodes;
    PalVec3 facet[3] = {nodes[corners[0]], nodes[corners[1]], nodes[corners[2]]};
    double weights[3];
    PalFeature feature;
    return pal_closest_on_triangle(place, facet, weights, &feature);
}

PalStatus pal_depth_field_renew(const PalModel *model, int32_t body_index, PalVec3 *positions,
                                PalDepthField *field, PalError *error)
{
    const PalBody *body = &model->bodies[body_index];
    PalVec3 *nodes = positions + body->first_node;
    PalMesh skin = {.cell_kind = PAL_CELL_TRIANGLE,
                    .node_count = body->mesh->node_count,
                    .nodes = nodes,
                    .cell_count = body->surface->facet_count,
                    .cells = body->surface->facets};
    PalBoxTree tree;
    if (!pal_box_tree_init(&tree, &skin))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for depths");
    for (int32_t p = 0; p < field->point_count; ++p) {
        PalDepthPoint *point = &field->points[p];
        point->depth = point->inside ? distance_to(&tree, pal_depth_point_place(point, nodes)) : 0;
    }
    pal_box_tree_clear(&tree);
    field->renewed = positions != model->nodes;
    spread_depths(field);
    for (int32_t c = 0; c < field->cell_count; ++c) {
        PalDipCell dip = pal_depth_field_cell(field, c, nodes);
        field->cells[c].slope = pal_vec3_length(pal_dip_slope(&dip));
    }
    return PAL_OK;
}

void pal_depth_field_restored(PalDepthField *field)
{
    if (field->renewed)
        spread_depths(field);
}

// ---- clips ------------------------------------------------------------------------------

// Inverse of a matrix of four by four, by elimination. Parts of cells are never flat.
static void invert(double a[4][4], double inverse[4][4])
{
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            inverse[i][j] = i == j;
    for (int k = 0; k < 4; ++k) {
        int pivot = k;
        for (int i = k + 1; i < 4; ++i)
            pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
        for (int j = 0; j < 4; ++j) {
            double kept = a[k][j], other = inverse[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = kept;
            inverse[k][j] = inverse[pivot][j];
            inverse[pivot][j] = other;
        }
        double scale = 1 / a[k][k];
        for (int j = 0; j < 4; ++j) {
            a[k][j] *= scale;
            inverse[k][j] *= scale;
        }
        for (int i = 0; i < 4; ++i) {
            double factor = i == k ? 0 : a[i][k];
            for (int j = 0; j < 4; ++j) {
                a[i][j] -= factor * a[k][j];
                inverse[i][j] -= factor * inverse[k][j];
            }
        }
    }
}

// A place with weights L of the tetrahedron's nodes has weights M L of the part's corners.
static void find_clips(const PalDepthField *field, const PalDepthCell *cell, double clips[4][4])
{
    double weights[4][4] = {{0}};  // row: node, column: corner of the part
    for (int k = 0; k < 4; ++k) {
        const PalDepthPoint *point = &field->points[cell->points[k]];
        for (int32_t i = 0; i < point->count; ++i)
            for (int e = 0; e < 4; ++e)
                if (cell->nodes[e] == point->nodes[i])
                    weights[e][k] += 1.0 / point->count;
    }
    invert(weights, clips);
}

static PalStatus clip_parts(PalDepthField *field)
{
    int32_t count = 0;
    for (int32_t c = 0; c < field->cell_count; ++c)
        count += memcmp(field->cells[c].nodes, field->cells[c].points, sizeof(int32_t[4])) != 0;
    field->clips = pal_alloc(4 * (size_t)count, sizeof *field->clips);
    if (field->clips == NULL)
        return PAL_NO_MEMORY;
    count = 0;
    for (int32_t c = 0; c < field->cell_count; ++c) {
        PalDepthCell *cell = &field->cells[c];
        cell->clips = PAL_NONE;
        if (memcmp(cell->nodes, cell->points, sizeof(int32_t[4])) == 0)
            continue;
        cell->clips = 4 * count++;
        find_clips(field, cell, field->clips + cell->clips);
    }
    return PAL_OK;
}

// ---- creating ---------------------------------------------------------------------------

PalStatus pal_depth_field_create(const PalModel *model, int32_t body_index, PalDepthField *field,
                                 PalError *error)
{
    const PalBody *body = &model->bodies[body_index];
    *field = (PalDepthField){.first_node = body->first_node};
    PalCellKind kind = body->mesh->cell_kind;
    if (kind != PAL_CELL_TETRAHEDRON && kind != PAL_CELL_QUADRATIC_TETRAHEDRON)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "response material-depth needs tetrahedra, but body \"%s\" is made of "
                             "%ss: give it `element: t4` or `t10`, or use another response",
                             body->name, pal_cell_name(kind));
    if (pal_depth_cut(body, field) != PAL_OK || clip_parts(field) != PAL_OK) {
        pal_depth_field_clear(field);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for depths");
    }
    return pal_depth_field_renew(model, body_index, model->nodes, field, error);
}

void pal_depth_field_clear(PalDepthField *field)
{
    pal_free(field->points);
    pal_free(field->cells);
    pal_free(field->clips);
    *field = (PalDepthField){.first_node = PAL_NONE};
}
