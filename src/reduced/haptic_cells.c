// Cells of a body for the full equations near contact.
#include "base/memory.h"
#include "element/geometry.h"
#include "material/law.h"
#include "math/mat3.h"
#include "reduced/haptic_defect.h"

static bool list_cells(const PalVademecum *book, PalHapticCells *cells)
{
    int64_t corners = 4 * (int64_t)book->size.cell_count;
    for (int64_t i = 0; i < corners; ++i)
        ++cells->start[book->cells[i] + 1];
    for (int32_t n = 0; n < book->size.node_count; ++n)
        cells->start[n + 1] += cells->start[n];
    int32_t *filled = pal_alloc((size_t)book->size.node_count, sizeof *filled);
    for (int64_t i = 0; i < corners && filled != NULL; ++i) {
        int32_t node = book->cells[i];
        cells->list[cells->start[node] + filled[node]++] = (int32_t)(i / 4);
    }
    pal_free(filled);
    return filled != NULL;
}

PalStatus pal_haptic_cells_init(PalHapticCells *cells, const PalVademecum *book, PalError *error)
{
    size_t nodes = (size_t)book->size.node_count, count = (size_t)book->size.cell_count;
    *cells = (PalHapticCells){
        .start = pal_alloc(nodes + 1, sizeof(int32_t)),
        .list = pal_alloc(4 * count, sizeof(int32_t)),
        .gradients = pal_alloc(count, sizeof *cells->gradients),
        .volume = pal_alloc(count, sizeof(double)),
        .tangents = pal_alloc((size_t)book->size.material_count, sizeof *cells->tangents),
    };
    if (cells->start == NULL || cells->list == NULL || cells->gradients == NULL ||
        cells->volume == NULL || cells->tangents == NULL || !list_cells(book, cells))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the cells of a body");
    PalMat3 rest = pal_mat3_identity();
    for (int32_t m = 0; m < book->size.material_count; ++m)
        book->materials[m].law->tangent(book->materials[m].parameters, &rest, cells->tangents[m]);
    for (int32_t c = 0; c < book->size.cell_count; ++c) {
        PalVec3 corners[4];
        for (int a = 0; a < 4; ++a)
            corners[a] = pal_vademecum_node(book, book->cells[4 * (int64_t)c + a]);
        cells->volume[c] = pal_t4_geometry(corners, cells->gradients[c]);
        if (!(cells->volume[c] > 0))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "not a sound vademecum: cell %d has no volume", c);
    }
    return PAL_OK;
}

void pal_haptic_cells_clear(PalHapticCells *cells)
{
    pal_free(cells->start);
    pal_free(cells->list);
    pal_free(cells->gradients);
    pal_free(cells->volume);
    pal_free(cells->tangents);
}
