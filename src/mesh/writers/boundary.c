// The boundary of a solid, as a mesh of triangles.
#include "base/memory.h"
#include "mesh/cells.h"
#include "mesh/writers/write.h"

#include <string.h>

typedef struct Boundary {
    const PalMesh *mesh;
    const PalSurface *surface;
    int32_t pieces;  // triangles per facet
    int32_t *new_nodes;
    int32_t *rows, *order;  // facets by their sorted corners
    uint8_t *cell_marks;
    PalIndices nodes, cells;  // of the group at hand
    PalMesh *made;
} Boundary;

static bool make_triangles(Boundary *b, PalError *error)
{
    const PalSurface *surface = b->surface;
    size_t count = (size_t)surface->facet_count * (size_t)b->pieces;
    int32_t *cells = pal_alloc(3 * count, sizeof *cells), *at = cells;
    PalVec3 *nodes = pal_alloc((size_t)surface->node_count, sizeof *nodes);
    bool good = cells != NULL && nodes != NULL;
    for (int32_t n = 0; n < surface->node_count && good; ++n) {
        nodes[n] = b->mesh->nodes[surface->nodes[n]];
        b->new_nodes[surface->nodes[n]] = n;
    }
    for (int32_t f = 0; f < surface->facet_count && good; ++f) {
        const int32_t *corner = surface->facets + (size_t)f * (size_t)surface->corner_count;
        for (int32_t p = 0; p < b->pieces; ++p) {
            *at++ = b->new_nodes[corner[0]];
            *at++ = b->new_nodes[corner[1 + p]];
            *at++ = b->new_nodes[corner[2 + p]];
        }
    }
    PalMeshDef def = {.cell_kind = PAL_CELL_TRIANGLE,
                      .node_count = surface->node_count,
                      .nodes = nodes,
                      .cell_count = (int32_t)count,
                      .cells = cells};
    good = good && pal_mesh_create(&def, &b->made, error) == PAL_OK;
    pal_free(cells);
    pal_free(nodes);
    return good;
}

static bool index_facets(Boundary *b)
{
    int32_t count = b->surface->facet_count, width = b->surface->corner_count;
    b->rows = pal_copy(b->surface->facets, (size_t)count * (size_t)width, sizeof *b->rows);
    b->order = pal_alloc((size_t)count, sizeof *b->order);
    if (b->rows == NULL || b->order == NULL)
        return false;
    for (int32_t f = 0; f < count; ++f)
        pal_row_sort(b->rows + (size_t)f * (size_t)width, width);
    return pal_rows_order(b->rows, count, width, b->order);
}

static int32_t find_facet(const Boundary *b, const int32_t *face)
{
    int32_t width = b->surface->corner_count, key[4];
    memcpy(key, face, (size_t)width * sizeof *key);
    pal_row_sort(key, width);
    int32_t low = 0, high = b->surface->facet_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2, a = 0;
        const int32_t *row = b->rows + (size_t)b->order[middle] * (size_t)width;
        while (a < width && row[a] == key[a])
            ++a;
        if (a == width)
            return b->order[middle];
        if (row[a] < key[a])
            low = middle + 1;
        else
            high = middle;
    }
    return PAL_NONE;
}

static bool add_facet(Boundary *b, int32_t facet)
{
    bool good = true;
    for (int32_t p = 0; p < b->pieces && good; ++p)
        good = pal_array_push(&b->cells, facet * b->pieces + p);
    return good;
}

// Facets of the group and those of its cells; its nodes on the surface.
static bool carry_group(Boundary *b, const PalGroup *group, PalError *error)
{
    bool good = true;
    int32_t width = b->surface->corner_count;
    b->nodes.count = b->cells.count = 0;
    for (int32_t f = 0; f < group->face_count && good; ++f) {
        bool fits = (group->faces[f][3] == PAL_NONE) == (width == 3);
        int32_t facet = fits ? find_facet(b, group->faces[f]) : PAL_NONE;
        good = facet == PAL_NONE || add_facet(b, facet);
    }
    for (int32_t i = 0; i < group->cell_count; ++i)
        b->cell_marks[group->cells[i]] = 1;
    for (int32_t f = 0; f < b->surface->facet_count && good && group->cell_count > 0; ++f)
        if (b->cell_marks[b->surface->owners[f]])
            good = add_facet(b, f);
    for (int32_t i = 0; i < group->cell_count; ++i)
        b->cell_marks[group->cells[i]] = 0;
    bool loose = group->face_count == 0 && group->cell_count == 0;
    for (int32_t i = 0; i < group->node_count && good && loose; ++i)
        if (b->new_nodes[group->nodes[i]] != PAL_NONE)
            good = pal_array_push(&b->nodes, b->new_nodes[group->nodes[i]]);
    PalGroup carried = {.name = group->name,
                        .node_count = b->nodes.count,
                        .nodes = b->nodes.items,
                        .cell_count = b->cells.count,
                        .cells = b->cells.items};
    if (!good || (carried.node_count == 0 && carried.cell_count == 0))
        return good;
    return pal_mesh_add_group(b->made, &carried, error) == PAL_OK;
}

PalStatus pal_write_boundary(const PalMesh *mesh, PalMesh **boundary, PalError *error)
{
    PalSurface *surface;
    PAL_TRY(pal_mesh_boundary(mesh, &surface, error));
    Boundary b = {.mesh = mesh, .surface = surface, .pieces = surface->corner_count - 2};
    b.new_nodes = pal_alloc((size_t)mesh->node_count, sizeof *b.new_nodes);
    b.cell_marks = pal_alloc((size_t)mesh->cell_count, 1);
    bool good =
        b.new_nodes != NULL && b.cell_marks != NULL && surface->facet_count <= INT32_MAX / 2;
    for (int32_t n = 0; n < mesh->node_count && good; ++n)
        b.new_nodes[n] = PAL_NONE;
    good = good && make_triangles(&b, error) && index_facets(&b);
    for (int32_t g = 0; g < mesh->group_count && good; ++g)
        good = carry_group(&b, &mesh->groups[g], error);
    pal_free(b.new_nodes);
    pal_free(b.rows);
    pal_free(b.order);
    pal_free(b.cell_marks);
    pal_array_clear(&b.nodes);
    pal_array_clear(&b.cells);
    pal_surface_destroy(surface);
    if (!good) {
        pal_mesh_destroy(b.made);
        return pal_mesh_no_memory(error);
    }
    *boundary = b.made;
    return PAL_OK;
}
