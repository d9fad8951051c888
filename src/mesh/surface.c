// The facets of cells, sorted by their nodes: those that occur once are the boundary.
#include "base/memory.h"
#include "mesh/cells.h"

#include <stdio.h>
#include <string.h>

// Nodes of every facet of every cell, each ascending; facet f of cell c is row c * facet_count + f.
static int32_t *collect_facets(const PalMesh *mesh, const PalCellTopology *cell)
{
    size_t row_count = (size_t)mesh->cell_count * (size_t)cell->facet_count;
    int32_t *rows = pal_alloc(row_count, (size_t)cell->corner_count * sizeof *rows);
    if (rows == NULL)
        return NULL;
    int32_t *row = rows;
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        const int32_t *nodes = pal_mesh_cell(mesh, c);
        for (int32_t f = 0; f < cell->facet_count; ++f, row += cell->corner_count) {
            for (int32_t a = 0; a < cell->corner_count; ++a)
                row[a] = nodes[cell->facets[f][a]];
            pal_row_sort(row, cell->corner_count);
        }
    }
    return rows;
}

static PalStatus refuse_shared(const PalCellTopology *cell, const int32_t *order,
                               const int32_t *row, PalError *error)
{
    char fourth[16] = "";
    if (cell->corner_count == 4)
        snprintf(fourth, sizeof fourth, " %d", (int)row[3]);
    return pal_error_set(error, PAL_BAD_INPUT,
                         "cells %d, %d and %d share the face of nodes %d %d %d%s: at most two can",
                         (int)(order[0] / cell->facet_count), (int)(order[1] / cell->facet_count),
                         (int)(order[2] / cell->facet_count), (int)row[0], (int)row[1], (int)row[2],
                         fourth);
}

// Sets a bit per facet of a cell that no other cell shares.
static PalStatus mark_unshared(const PalMesh *mesh, const PalCellTopology *cell, uint16_t *marks,
                               PalError *error)
{
    int32_t row_count = mesh->cell_count * cell->facet_count, width = cell->corner_count;
    int32_t *rows = collect_facets(mesh, cell);
    int32_t *order = pal_alloc((size_t)row_count, sizeof *order);
    PalStatus status = PAL_OK;
    if (rows == NULL || order == NULL || !pal_rows_order(rows, row_count, width, order))
        status = pal_mesh_no_memory(error);
    for (int32_t i = 0, end; status == PAL_OK && i < row_count; i = end) {
        const int32_t *row = rows + (size_t)order[i] * (size_t)width;
        for (end = i + 1; end < row_count; ++end)
            if (!pal_rows_equal(row, rows + (size_t)order[end] * (size_t)width, width))
                break;
        if (end - i > 2)
            status = refuse_shared(cell, order + i, row, error);
        else if (end - i == 1)
            marks[order[i] / cell->facet_count] |=
                (uint16_t)(1U << (unsigned)(order[i] % cell->facet_count));
    }
    pal_free(rows);
    pal_free(order);
    return status;
}

static int32_t count_marks(const uint16_t *marks, int32_t count)
{
    int32_t sum = 0;
    for (int32_t c = 0; c < count; ++c)
        for (uint16_t rest = marks[c]; rest != 0; rest &= (uint16_t)(rest - 1))
            ++sum;
    return sum;
}

// Facets in the order of their cells. An inverted cell's facets are turned, to point outward.
static void emit_facets(const PalMesh *mesh, const PalCellTopology *cell, const uint16_t *marks,
                        PalSurface *surface)
{
    int32_t width = cell->corner_count, facet = 0;
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        if (marks[c] == 0)
            continue;
        const int32_t *nodes = pal_mesh_cell(mesh, c);
        bool inverted = pal_cell_volume(mesh, c) < 0;
        for (int32_t f = 0; f < cell->facet_count; ++f) {
            if ((marks[c] >> f & 1) == 0)
                continue;
            int32_t *corners = surface->facets + (size_t)facet * (size_t)width;
            for (int32_t a = 0; a < width; ++a)
                corners[a] = nodes[cell->facets[f][inverted ? width - 1 - a : a]];
            surface->owners[facet++] = c;
        }
    }
}

static bool alloc_facets(PalSurface *surface, int32_t corner_count, int32_t facet_count)
{
    surface->corner_count = corner_count;
    surface->facet_count = facet_count;
    surface->facets = pal_alloc((size_t)facet_count, (size_t)corner_count * sizeof(int32_t));
    surface->owners = pal_alloc((size_t)facet_count, sizeof *surface->owners);
    return surface->facets != NULL && surface->owners != NULL;
}

static PalStatus fill_from_triangles(const PalMesh *mesh, PalSurface *surface, PalError *error)
{
    if (!alloc_facets(surface, 3, mesh->cell_count))
        return pal_mesh_no_memory(error);
    if (mesh->cell_count > 0)
        memcpy(surface->facets, mesh->cells, (size_t)mesh->cell_count * 3 * sizeof(int32_t));
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        surface->owners[c] = c;
    return PAL_OK;
}

static PalStatus fill_from_solids(const PalMesh *mesh, PalSurface *surface, PalError *error)
{
    const PalCellTopology *cell = pal_cell_topology(mesh->cell_kind);
    if (mesh->cell_count > INT32_MAX / cell->facet_count)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "%d cells are too many to find their boundary: at most %d",
                             (int)mesh->cell_count, (int)(INT32_MAX / cell->facet_count));
    uint16_t *marks = pal_alloc((size_t)mesh->cell_count, sizeof *marks);
    if (marks == NULL)
        return pal_mesh_no_memory(error);
    PalStatus status = mark_unshared(mesh, cell, marks, error);
    if (status == PAL_OK) {
        if (alloc_facets(surface, cell->corner_count, count_marks(marks, mesh->cell_count)))
            emit_facets(mesh, cell, marks, surface);
        else
            status = pal_mesh_no_memory(error);
    }
    pal_free(marks);
    return status;
}

static PalStatus collect_nodes(const PalMesh *mesh, PalSurface *surface, PalError *error)
{
    size_t corner_total = (size_t)surface->facet_count * (size_t)surface->corner_count;
    uint8_t *used = pal_alloc((size_t)mesh->node_count, sizeof *used);
    if (used == NULL)
        return pal_mesh_no_memory(error);
    for (size_t i = 0; i < corner_total; ++i)
        used[surface->facets[i]] = 1;
    for (int32_t n = 0; n < mesh->node_count; ++n)
        surface->node_count += used[n];
    surface->nodes = pal_alloc((size_t)surface->node_count, sizeof *surface->nodes);
    int32_t count = 0;
    for (int32_t n = 0; surface->nodes != NULL && n < mesh->node_count; ++n)
        if (used[n] != 0)
            surface->nodes[count++] = n;
    pal_free(used);
    return surface->nodes != NULL ? PAL_OK : pal_mesh_no_memory(error);
}

PalStatus pal_mesh_boundary(const PalMesh *mesh, PalSurface **surface, PalError *error)
{
    *surface = NULL;
    PAL_TRY(pal_mesh_check(mesh, error));
    PalSurface *made = pal_alloc(1, sizeof *made);
    if (made == NULL)
        return pal_mesh_no_memory(error);
    PalStatus status = mesh->cell_kind == PAL_CELL_TRIANGLE ? fill_from_triangles(mesh, made, error)
                                                            : fill_from_solids(mesh, made, error);
    if (status == PAL_OK)
        status = collect_nodes(mesh, made, error);
    if (status != PAL_OK) {
        pal_surface_destroy(made);
        return status;
    }
    *surface = made;
    return PAL_OK;
}

void pal_surface_destroy(PalSurface *surface)
{
    if (surface == NULL)
        return;
    pal_free(surface->facets);
    pal_free(surface->owners);
    pal_free(surface->nodes);
    pal_free(surface);
}
