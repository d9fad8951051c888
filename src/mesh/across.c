#include "mesh/across.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/cells.h"

typedef struct Sides {
    const PalMesh *mesh;
    int32_t (*edges)[2];  // of side s % 3 of triangle s / 3, ascending
    int32_t *order;
} Sides;

// Corner from which side s starts when one goes around the triangle.
static int32_t start_of(const PalMesh *mesh, int32_t s)
{
    return pal_mesh_cell(mesh, s / 3)[(s % 3 + 1) % 3];
}

static PalVec3 middle_of(const Sides *sides, int32_t s)
{
    const PalVec3 *nodes = sides->mesh->nodes;
    return pal_vec3_scale(0.5, pal_vec3_add(nodes[sides->edges[s][0]], nodes[sides->edges[s][1]]));
}

// Sides order[begin] to order[end - 1] are the same edge.
static PalStatus join(const Sides *sides, int32_t begin, int32_t end, int32_t (*beside)[3],
                      PalError *error)
{
    const PalMesh *mesh = sides->mesh;
    int32_t a = sides->order[begin], b = sides->order[end - 1];
    PalVec3 at = middle_of(sides, a);
    if (end - begin > 2)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "%d triangles meet at one edge, at (%g, %g, %g), triangles %d and %d "
                             "among them, expected at most two: a membrane has no branches",
                             (int)(end - begin), at.x, at.y, at.z, (int)(a / 3), (int)(b / 3));
    if (end - begin == 1) {
        beside[a / 3][a % 3] = PAL_NONE;
        return PAL_OK;
    }
    if (start_of(mesh, a) == start_of(mesh, b))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "triangles %d and %d, at (%g, %g, %g), face opposite ways, expected "
                             "all to face the same way",
                             (int)(a / 3), (int)(b / 3), at.x, at.y, at.z);
    beside[a / 3][a % 3] = b;
    beside[b / 3][b % 3] = a;
    return PAL_OK;
}

static PalStatus join_all(const Sides *sides, int32_t side_count, int32_t (*beside)[3],
                          PalError *error)
{
    for (int32_t s = 0; s < side_count; ++s) {
        const int32_t *corner = pal_mesh_cell(sides->mesh, s / 3);
        sides->edges[s][0] = corner[(s % 3 + 1) % 3];
        sides->edges[s][1] = corner[(s % 3 + 2) % 3];
        pal_row_sort(sides->edges[s], 2);
    }
    if (!pal_rows_order(&sides->edges[0][0], side_count, 2, sides->order))
        return pal_mesh_no_memory(error);
    for (int32_t i = 0, end; i < side_count; i = end) {
        const int32_t *edge = sides->edges[sides->order[i]];
        for (end = i + 1;
             end < side_count && pal_rows_equal(sides->edges[sides->order[end]], edge, 2);)
            ++end;
        PAL_TRY(join(sides, i, end, beside, error));
    }
    return PAL_OK;
}

PalStatus pal_mesh_beside(const PalMesh *mesh, int32_t (*beside)[3], PalError *error)
{
    PAL_TRY(pal_mesh_check_triangles(mesh, error));
    if (mesh->cell_count > INT32_MAX / 3)
        return pal_mesh_no_memory(error);
    int32_t side_count = 3 * mesh->cell_count;
    Sides sides = {.mesh = mesh,
                   .edges = pal_alloc((size_t)side_count, sizeof *sides.edges),
                   .order = pal_alloc((size_t)side_count, sizeof *sides.order)};
    PalStatus status = sides.edges != NULL && sides.order != NULL
                           ? join_all(&sides, side_count, beside, error)
                           : pal_mesh_no_memory(error);
    pal_free(sides.edges);
    pal_free(sides.order);
    return status;
}

PalStatus pal_mesh_across(const PalMesh *mesh, int32_t (*across)[3], PalError *error)
{
    PAL_TRY(pal_mesh_beside(mesh, across, error));
    for (int32_t s = 0; s < 3 * mesh->cell_count; ++s) {
        int32_t *side = &across[s / 3][s % 3];
        *side = *side != PAL_NONE ? pal_mesh_cell(mesh, *side / 3)[*side % 3] : PAL_NONE;
    }
    return PAL_OK;
}

PalStatus pal_mesh_check_facing(const PalMesh *mesh, PalError *error)
{
    int32_t(*beside)[3] = pal_alloc((size_t)mesh->cell_count, sizeof *beside);
    PalStatus status =
        beside != NULL ? pal_mesh_beside(mesh, beside, error) : pal_mesh_no_memory(error);
    pal_free(beside);
    return status;
}

// Nodes where two fans of triangles touch by their tips only have no normal.
static PalStatus check_fans(const PalMesh *mesh, int32_t (*across)[3], PalError *error)
{
    int32_t *balance = pal_alloc((size_t)mesh->node_count, sizeof *balance);
    if (balance == NULL)
        return pal_mesh_no_memory(error);
    for (int32_t s = 0; s < 3 * mesh->cell_count; ++s)
        if (across[s / 3][s % 3] == PAL_NONE) {
            ++balance[start_of(mesh, s)];
            ++balance[pal_mesh_cell(mesh, s / 3)[(s % 3 + 2) % 3]];
        }
    PalStatus status = PAL_OK;
    for (int32_t n = 0; n < mesh->node_count && status == PAL_OK; ++n)
        if (balance[n] > 2)
            status = pal_error_set(error, PAL_BAD_INPUT,
                                   "parts of the membrane meet at node %d only, at (%g, %g, %g), "
                                   "expected them to share an edge there",
                                   (int)n, mesh->nodes[n].x, mesh->nodes[n].y, mesh->nodes[n].z);
    pal_free(balance);
    return status;
}

static PalStatus check_crossings(const PalMesh *mesh, PalError *error)
{
    PalSurfaceFaults faults;
    PAL_TRY(pal_mesh_find_faults(mesh, &faults, error));
    for (int32_t f = 0; f < faults.fault_count; ++f)
        if (faults.faults[f].kind == PAL_FAULT_CROSSING) {
            PalVec3 at = faults.faults[f].point;
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "the membrane crosses itself at (%g, %g, %g), triangles %d and "
                                 "%d, %d pairs in all, expected none",
                                 at.x, at.y, at.z, (int)faults.faults[f].cells[0],
                                 (int)faults.faults[f].cells[1],
                                 (int)faults.counts[PAL_FAULT_CROSSING]);
        }
    return PAL_OK;
}

PalStatus pal_mesh_check_thin(const PalMesh *mesh, PalError *error)
{
    PAL_TRY(pal_mesh_check_triangles(mesh, error));
    int32_t(*across)[3] = pal_alloc((size_t)mesh->cell_count, sizeof *across);
    if (across == NULL)
        return pal_mesh_no_memory(error);
    PalStatus status = pal_mesh_across(mesh, across, error);
    if (status == PAL_OK)
        status = check_fans(mesh, across, error);
    pal_free(across);
    return status == PAL_OK ? check_crossings(mesh, error) : status;
}
