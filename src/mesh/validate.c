#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/cells.h"

// A volume below this part of the cube of the longest edge is none; areas alike.
static const double nothing = 1e-12;

// Where edges are curved, or their nodes off the middle, a part of a cell may be inside out.
static PalStatus check_map(const PalMesh *mesh, int32_t c, PalError *error)
{
    PalVec3 place;
    double least = pal_cell_least_jacobian(mesh, c, &place);
    if (least > 0)
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT,
                         "quadratic tetrahedron %d is turned inside out at its quadrature point "
                         "(%g, %g, %g): the determinant there is %g of that with straight edges, "
                         "expected above 0",
                         (int)c, place.x, place.y, place.z, least);
}

static PalStatus check_cell(const PalMesh *mesh, const PalCellTopology *cell, int32_t c,
                            PalError *error)
{
    const int32_t *nodes = pal_mesh_cell(mesh, c);
    for (int32_t a = 1; a < cell->node_count; ++a)
        for (int32_t b = 0; b < a; ++b)
            if (nodes[a] == nodes[b])
                return pal_error_set(error, PAL_BAD_INPUT, "%s %d has node %d at two corners",
                                     cell->name, (int)c, (int)nodes[a]);
    double longest = 0;
    for (int32_t e = 0; e < cell->edge_count; ++e)
        longest = fmax(longest, pal_vec3_distance(mesh->nodes[nodes[cell->edges[e][0]]],
                                                  mesh->nodes[nodes[cell->edges[e][1]]]));
    bool flat = mesh->cell_kind == PAL_CELL_TRIANGLE;
    double volume = pal_cell_volume(mesh, c);
    double least = nothing * longest * longest * (flat ? 1 : longest);
    PalVec3 place = mesh->nodes[nodes[0]];
    if (!(fabs(volume) > least))
        return pal_error_set(error, PAL_BAD_INPUT, "%s %d, at (%g, %g, %g), has no %s", cell->name,
                             (int)c, place.x, place.y, place.z, flat ? "area" : "volume");
    if (mesh->cell_kind == PAL_CELL_QUADRATIC_TETRAHEDRON)
        return check_map(mesh, c, error);
    if (volume < 0)
        return pal_error_set(error, PAL_BAD_INPUT, "%s %d, at (%g, %g, %g), is turned inside out",
                             cell->name, (int)c, place.x, place.y, place.z);
    return PAL_OK;
}

// Finds the first cell with the same nodes as an earlier one.
static PalStatus check_repeats(const PalMesh *mesh, const PalCellTopology *cell, PalError *error)
{
    int32_t width = cell->node_count, repeat = PAL_NONE, original = PAL_NONE;
    int32_t *rows = pal_copy(mesh->cells, (size_t)mesh->cell_count, (size_t)width * sizeof *rows);
    int32_t *order = pal_alloc((size_t)mesh->cell_count, sizeof *order);
    PalStatus status = PAL_OK;
    for (int32_t c = 0; rows != NULL && c < mesh->cell_count; ++c)
        pal_row_sort(rows + (size_t)c * (size_t)width, width);
    if (rows == NULL || order == NULL || !pal_rows_order(rows, mesh->cell_count, width, order))
        status = pal_mesh_no_memory(error);
    for (int32_t i = 1; status == PAL_OK && i < mesh->cell_count; ++i)
        if ((repeat == PAL_NONE || order[i] < repeat) &&
            pal_rows_equal(rows + (size_t)order[i - 1] * (size_t)width,
                           rows + (size_t)order[i] * (size_t)width, width)) {
            repeat = order[i];
            original = order[i - 1];
        }
    pal_free(rows);
    pal_free(order);
    if (repeat != PAL_NONE)
        return pal_error_set(error, PAL_BAD_INPUT, "%s %d has the same nodes as %s %d", cell->name,
                             (int)repeat, cell->name, (int)original);
    return status;
}

static PalStatus check_nodes(const PalMesh *mesh, const PalCellTopology *cell, PalError *error)
{
    uint8_t *used = pal_alloc((size_t)mesh->node_count, sizeof *used);
    if (used == NULL)
        return pal_mesh_no_memory(error);
    for (size_t i = 0; i < (size_t)mesh->cell_count * (size_t)cell->node_count; ++i)
        used[mesh->cells[i]] = 1;
    int32_t unused = 0, first = PAL_NONE;
    for (int32_t n = mesh->node_count - 1; n >= 0; --n)
        if (used[n] == 0) {
            ++unused;
            first = n;
        }
    pal_free(used);
    if (unused == 0)
        return PAL_OK;
    PalVec3 place = mesh->nodes[first];
    return pal_error_set(
        error, PAL_BAD_INPUT, "%d of %d nodes belong to no %s, first node %d at (%g, %g, %g)",
        (int)unused, (int)mesh->node_count, cell->name, (int)first, place.x, place.y, place.z);
}

PalStatus pal_mesh_validate(const PalMesh *mesh, PalError *error)
{
    PAL_TRY(pal_mesh_check(mesh, error));
    const PalCellTopology *cell = pal_cell_topology(mesh->cell_kind);
    if (mesh->cell_count == 0)
        return pal_error_set(error, PAL_BAD_INPUT, "the mesh has no cells");
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        PAL_TRY(check_cell(mesh, cell, c, error));
    PAL_TRY(check_repeats(mesh, cell, error));
    return check_nodes(mesh, cell, error);
}
