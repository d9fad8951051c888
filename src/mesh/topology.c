#include "base/memory.h"
#include "mesh/cells.h"

#include <string.h>

void pal_lists_clear(PalLists *lists)
{
    pal_free(lists->start);
    pal_free(lists->items);
    *lists = (PalLists){0};
}

// Whether the corner is the first of its cell at that node: true for all corners of sound cells.
static bool is_first(const int32_t *nodes, int32_t corner)
{
    for (int32_t a = 0; a < corner; ++a)
        if (nodes[a] == nodes[corner])
            return false;
    return true;
}

PalStatus pal_mesh_node_cells(const PalMesh *mesh, PalLists *lists, PalError *error)
{
    *lists = (PalLists){0};
    PAL_TRY(pal_mesh_check(mesh, error));
    int32_t width = pal_cell_node_count(mesh->cell_kind);
    if (mesh->cell_count > INT32_MAX / width)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "%d cells are too many to list around nodes: at most %d",
                             (int)mesh->cell_count, (int)(INT32_MAX / width));
    int32_t total = mesh->cell_count * width;
    PalLists made = {.count = mesh->node_count};
    made.start = pal_alloc((size_t)mesh->node_count + 2, sizeof *made.start);
    made.items = pal_alloc((size_t)total, sizeof *made.items);
    if (made.start == NULL || made.items == NULL) {
        pal_lists_clear(&made);
        return pal_mesh_no_memory(error);
    }
    // start[n + 2] counts node n; filling row n then moves start[n + 1] to where it belongs
    for (int32_t i = 0; i < total; ++i)
        made.start[mesh->cells[i] + 2] += is_first(mesh->cells + i - i % width, i % width);
    for (int32_t n = 0; n < mesh->node_count; ++n)
        made.start[n + 2] += made.start[n + 1];
    for (int32_t i = 0; i < total; ++i)
        if (is_first(mesh->cells + i - i % width, i % width))
            made.items[made.start[mesh->cells[i] + 1]++] = i / width;
    *lists = made;
    return PAL_OK;
}

static int32_t find_root(int32_t *parent, int32_t n)
{
    while (parent[n] != n) {
        parent[n] = parent[parent[n]];
        n = parent[n];
    }
    return n;
}

PalStatus pal_mesh_parts(const PalMesh *mesh, int32_t *part, int32_t *part_count, PalError *error)
{
    int32_t not_wanted;
    part_count = part_count != NULL ? part_count : &not_wanted;
    *part_count = 0;
    PAL_TRY(pal_mesh_check(mesh, error));
    int32_t width = pal_cell_node_count(mesh->cell_kind);
    int32_t *parent = pal_alloc((size_t)mesh->node_count, sizeof *parent);
    int32_t *number = pal_alloc((size_t)mesh->node_count, sizeof *number);
    PalStatus status = parent != NULL && number != NULL ? PAL_OK : pal_mesh_no_memory(error);
    for (int32_t n = 0; status == PAL_OK && n < mesh->node_count; ++n) {
        parent[n] = n;
        number[n] = PAL_NONE;
    }
    for (int32_t c = 0; status == PAL_OK && c < mesh->cell_count; ++c) {
        const int32_t *nodes = pal_mesh_cell(mesh, c);
        for (int32_t a = 1; a < width; ++a) {
            int32_t p = find_root(parent, nodes[0]), q = find_root(parent, nodes[a]);
            parent[p > q ? p : q] = p > q ? q : p;
        }
    }
    // Parts are numbered in the order of their first cells
    for (int32_t c = 0; status == PAL_OK && c < mesh->cell_count; ++c) {
        int32_t root = find_root(parent, pal_mesh_cell(mesh, c)[0]);
        if (number[root] == PAL_NONE)
            number[root] = (*part_count)++;
        part[c] = number[root];
    }
    pal_free(parent);
    pal_free(number);
    return status;
}

// New numbers for the nodes in use; PAL_NONE for the others. NULL: no memory.
static int32_t *number_used_nodes(const PalMesh *mesh, int32_t *used_count)
{
    int32_t *number = pal_alloc((size_t)mesh->node_count, sizeof *number);
    if (number == NULL)
        return NULL;
    size_t total = (size_t)mesh->cell_count * (size_t)pal_cell_node_count(mesh->cell_kind);
    for (size_t i = 0; i < total; ++i)
        number[mesh->cells[i]] = 1;
    *used_count = 0;
    for (int32_t n = 0; n < mesh->node_count; ++n)
        number[n] = number[n] != 0 ? (*used_count)++ : PAL_NONE;
    return number;
}

// A face with a corner that is gone goes as well.
static void renumber_group(PalGroup *group, const int32_t *number)
{
    int32_t node_count = 0, face_count = 0;
    for (int32_t i = 0; i < group->node_count; ++i)
        if (number[group->nodes[i]] != PAL_NONE)
            group->nodes[node_count++] = number[group->nodes[i]];
    group->node_count = node_count;
    for (int32_t i = 0; i < group->face_count; ++i) {
        int32_t face[4] = {0};
        bool whole = true;
        for (int32_t a = 0; a < 4; ++a) {
            int32_t n = group->faces[i][a];
            face[a] = n == PAL_NONE ? PAL_NONE : number[n];
            whole = whole && (n == PAL_NONE || face[a] != PAL_NONE);
        }
        if (whole)
            memcpy(group->faces[face_count++], face, sizeof face);
    }
    group->face_count = face_count;
}

PalStatus pal_mesh_drop_unused_nodes(PalMesh *mesh, int32_t *removed, PalError *error)
{
    int32_t used_count = 0;
    int32_t not_wanted;
    removed = removed != NULL ? removed : &not_wanted;
    *removed = 0;
    PAL_TRY(pal_mesh_check_all(mesh, error));
    int32_t *number = number_used_nodes(mesh, &used_count);
    if (number == NULL)
        return pal_mesh_no_memory(error);
    *removed = mesh->node_count - used_count;
    size_t total = (size_t)mesh->cell_count * (size_t)pal_cell_node_count(mesh->cell_kind);
    for (size_t i = 0; i < total; ++i)
        mesh->cells[i] = number[mesh->cells[i]];
    for (int32_t n = 0; n < mesh->node_count; ++n)
        if (number[n] != PAL_NONE)
            mesh->nodes[number[n]] = mesh->nodes[n];
    for (int32_t g = 0; g < mesh->group_count; ++g)
        renumber_group(&mesh->groups[g], number);
    mesh->node_count = used_count;
    pal_free(number);
    return PAL_OK;
}
