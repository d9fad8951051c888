#include "mesh/writers/plan.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "mesh/cells.h"

#include <stdio.h>
#include <string.h>

// Rows of sorted corners in ascending order, to find a facet by.
typedef struct Index {
    int32_t width, count;
    int32_t *rows, *order;
} Index;

static bool index_rows(Index *index)
{
    index->order = pal_alloc((size_t)index->count, sizeof *index->order);
    if (index->order == NULL)
        return false;
    for (int32_t i = 0; i < index->count; ++i)
        pal_row_sort(index->rows + (size_t)i * (size_t)index->width, index->width);
    return pal_rows_order(index->rows, index->count, index->width, index->order);
}

static int compare_rows(const int32_t *a, const int32_t *b, int32_t width)
{
    for (int32_t i = 0; i < width; ++i)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

// The first row, in the order of the index, that equals the key; PAL_NONE: there is none.
static int32_t find_row(const Index *index, const int32_t *key)
{
    int32_t low = 0, high = index->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        const int32_t *row = index->rows + (size_t)index->order[middle] * (size_t)index->width;
        if (compare_rows(row, key, index->width) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == index->count)
        return PAL_NONE;
    const int32_t *row = index->rows + (size_t)index->order[low] * (size_t)index->width;
    return compare_rows(row, key, index->width) == 0 ? index->order[low] : PAL_NONE;
}

// The facets of all groups, each once; `slots` says for each facet of each group which it is.
static PalStatus merge_facets(PalWrite *write, int32_t total, int32_t *slots)
{
    const PalMesh *mesh = write->mesh;
    Index index = {.width = 4, .count = total};
    int32_t(*all)[4] = pal_alloc((size_t)total, sizeof *all);
    index.rows = pal_alloc((size_t)total, sizeof *all);
    write->facets = pal_alloc((size_t)total, sizeof *write->facets);
    PalStatus status = PAL_OK;
    if (all == NULL || index.rows == NULL || write->facets == NULL) {
        status = pal_write_no_memory(write);
        goto done;
    }
    int32_t used = 0;
    for (int32_t g = 0; g < mesh->group_count; ++g)
        for (int32_t f = 0; f < mesh->groups[g].face_count; ++f, ++used)
            memcpy(all[used], mesh->groups[g].faces[f], sizeof *all);
    memcpy(index.rows, all, (size_t)total * sizeof *all);
    if (!index_rows(&index)) {
        status = pal_write_no_memory(write);
        goto done;
    }
    for (int32_t i = 0; i < total; ++i) {
        const int32_t *row = index.rows + 4 * (size_t)index.order[i];
        if (i == 0 || !pal_rows_equal(row, index.rows + 4 * (size_t)index.order[i - 1], 4))
            memcpy(write->facets[write->facet_count++], all[index.order[i]], sizeof *all);
        slots[index.order[i]] = write->facet_count - 1;
    }
done:
    pal_free(all);
    pal_free(index.rows);
    pal_free(index.order);
    return status;
}

// In a mesh of triangles the facets of a group are cells.
static PalStatus facets_to_cells(PalWrite *write)
{
    const PalMesh *mesh = write->mesh;
    Index index = {.width = 3, .count = mesh->cell_count};
    index.rows = pal_copy(mesh->cells, 3 * (size_t)mesh->cell_count, sizeof *mesh->cells);
    bool made = index.rows != NULL && index_rows(&index);
    PalStatus status = made ? PAL_OK : pal_write_no_memory(write);
    for (int32_t g = 0; g < mesh->group_count && status == PAL_OK; ++g) {
        int32_t lost = 0;
        for (int32_t f = 0; f < mesh->groups[g].face_count && status == PAL_OK; ++f) {
            int32_t key[3];
            memcpy(key, mesh->groups[g].faces[f], sizeof key);
            pal_row_sort(key, 3);
            int32_t cell =
                mesh->groups[g].faces[f][3] == PAL_NONE ? find_row(&index, key) : PAL_NONE;
            lost += cell == PAL_NONE;
            if (cell != PAL_NONE && !pal_array_push(&write->groups[g].cells, cell))
                status = pal_write_no_memory(write);
        }
        if (lost > 0 && status == PAL_OK)
            status =
                pal_write_loss(write, "%d facets of the group %s are not triangles of the mesh",
                               lost, mesh->groups[g].name);
    }
    pal_free(index.rows);
    pal_free(index.order);
    return status;
}

// Nodes of the group that none of its cells and facets has.
static PalStatus find_own_nodes(PalWrite *write, int32_t g, uint8_t *seen)
{
    const PalMesh *mesh = write->mesh;
    const PalGroup *group = &mesh->groups[g];
    int32_t width = pal_cell_node_count(mesh->cell_kind);
    for (int pass = 0; pass < 2; ++pass) {
        uint8_t mark = pass == 0;
        for (int32_t i = 0; i < group->cell_count; ++i)
            for (int32_t a = 0; a < width; ++a)
                seen[pal_mesh_cell(mesh, group->cells[i])[a]] = mark;
        for (int32_t i = 0; i < group->face_count; ++i)
            for (int32_t a = 0; a < 4; ++a)
                if (group->faces[i][a] != PAL_NONE)
                    seen[group->faces[i][a]] = mark;
        for (int32_t i = 0; i < group->node_count && pass == 0; ++i)
            if (!seen[group->nodes[i]] && !pal_array_push(&write->groups[g].nodes, group->nodes[i]))
                return pal_write_no_memory(write);
    }
    return PAL_OK;
}

static PalStatus fill_groups(PalWrite *write, uint8_t *seen, const int32_t *slots)
{
    const PalMesh *mesh = write->mesh;
    bool solid = mesh->cell_kind != PAL_CELL_TRIANGLE;
    for (int32_t g = 0, used = 0; g < mesh->group_count; ++g) {
        const PalGroup *from = &mesh->groups[g];
        PalWriteGroup *to = &write->groups[g];
        PAL_TRY(find_own_nodes(write, g, seen));
        for (int32_t i = 0; i < from->cell_count; ++i)
            if (!pal_array_push(&to->cells, from->cells[i]))
                return pal_write_no_memory(write);
        for (int32_t f = 0; f < from->face_count && solid; ++f, ++used)
            if (!pal_array_push(&to->facets, slots[used]))
                return pal_write_no_memory(write);
    }
    return solid ? PAL_OK : facets_to_cells(write);
}

PalStatus pal_plan_make(PalWrite *write)
{
    const PalMesh *mesh = write->mesh;
    int64_t total = 0;
    for (int32_t g = 0; g < mesh->group_count; ++g)
        total += mesh->groups[g].face_count;
    if (total > INT32_MAX)
        return pal_write_no_memory(write);
    write->groups = pal_alloc((size_t)mesh->group_count, sizeof *write->groups);
    uint8_t *seen = pal_alloc((size_t)mesh->node_count, 1);
    int32_t *slots = pal_alloc((size_t)total, sizeof *slots);
    PalStatus status = PAL_OK;
    if (write->groups == NULL || seen == NULL || slots == NULL) {
        status = pal_write_no_memory(write);
    } else {
        write->group_count = mesh->group_count;
        for (int32_t g = 0; g < mesh->group_count; ++g)
            write->groups[g].name = mesh->groups[g].name;
        if (mesh->cell_kind != PAL_CELL_TRIANGLE)
            status = merge_facets(write, (int32_t)total, slots);
        if (status == PAL_OK)
            status = fill_groups(write, seen, slots);
    }
    pal_free(seen);
    pal_free(slots);
    return status;
}

void pal_plan_clear(PalWrite *write)
{
    for (int32_t g = 0; g < write->group_count; ++g) {
        pal_array_clear(&write->groups[g].nodes);
        pal_array_clear(&write->groups[g].cells);
        pal_array_clear(&write->groups[g].facets);
    }
    pal_free(write->groups);
    pal_free(write->facets);
    pal_names_clear(&write->names);
}

// Writes an allowed form of the name; true if it is another.
static bool clean_name(const char *name, const char *forbidden, char *text, size_t size)
{
    size_t length = strlen(name);
    bool changed = length >= size;
    length = changed ? size - 1 : length;
    for (size_t i = 0, step; i < length; i += step) {
        int bytes = pal_utf8_length(name + i, length - i);
        bool bad = bytes == 0 || (name[i] >= 0 && name[i] < ' ') || name[i] == 127 ||
                   strchr(forbidden, name[i]) != NULL;
        step = bytes == 0 ? 1 : (size_t)bytes;
        memcpy(text + i, bad ? "_" : name + i, step);
        changed |= bad;
    }
    text[length] = '\0';
    return changed;
}

PalStatus pal_write_name_groups(PalWrite *write, const char *forbidden, bool any_case)
{
    enum { LONGEST = 240 };
    for (int32_t g = 0; g < write->group_count; ++g) {
        const char *name = write->mesh->groups[g].name;
        char text[LONGEST + 16];
        bool changed = clean_name(name, forbidden, text, LONGEST);
        size_t length = strlen(text);
        for (int twin = 2;
             pal_names_find(&write->names, (PalToken){text, strlen(text)}, any_case) != PAL_NONE;
             ++twin) {
            snprintf(text + length, sizeof text - length, "_%d", twin);
            changed = true;
        }
        int32_t index = pal_names_add(&write->names, (PalToken){text, strlen(text)}, any_case);
        if (index == PAL_NONE)
            return pal_write_no_memory(write);
        write->groups[g].name = write->names.list.items[index];
        if (changed)
            PAL_TRY(pal_write_loss(
                write, "the group '%.100s' is renamed '%.100s': the format does not allow its name",
                name, text));
    }
    return PAL_OK;
}

const PalIndices *pal_write_part(const PalWriteGroup *group, PalWrittenPart part)
{
    return part == PAL_PART_NODES   ? &group->nodes
           : part == PAL_PART_CELLS ? &group->cells
                                    : &group->facets;
}

int32_t pal_write_part_count(const PalWrite *write, PalWrittenPart part)
{
    return part == PAL_PART_NODES   ? write->mesh->node_count
           : part == PAL_PART_CELLS ? write->mesh->cell_count
                                    : write->facet_count;
}

// Each group splits the signatures of its members off from those they had.
PalStatus pal_signatures_make(const PalWrite *write, PalWrittenPart part, PalSignatures *signatures)
{
    *signatures = (PalSignatures){.count = 1};
    int32_t item_count = pal_write_part_count(write, part);
    PalIndices moved = {0};  // by signature: the new one, of the group at hand
    signatures->of_item = pal_alloc((size_t)item_count, sizeof *signatures->of_item);
    bool good = signatures->of_item != NULL && pal_array_push(&signatures->parent, PAL_NONE) &&
                pal_array_push(&signatures->group, PAL_NONE) && pal_array_push(&moved, PAL_NONE);
    for (int32_t g = 0; g < write->group_count && good; ++g) {
        const PalIndices *members = pal_write_part(&write->groups[g], part);
        int32_t before = signatures->count;
        for (int32_t i = 0; i < members->count && good; ++i) {
            int32_t *own = &signatures->of_item[members->items[i]];
            if (*own >= before)
                continue;  // listed twice
            if (moved.items[*own] < before) {
                good = pal_array_push(&signatures->parent, *own) &&
                       pal_array_push(&signatures->group, g) && pal_array_push(&moved, PAL_NONE);
                moved.items[*own] = signatures->count++;
            }
            *own = moved.items[*own];
        }
    }
    pal_array_clear(&moved);
    if (good)
        return PAL_OK;
    pal_signatures_clear(signatures);
    return pal_write_no_memory(write);
}

void pal_signatures_clear(PalSignatures *signatures)
{
    pal_free(signatures->of_item);
    pal_array_clear(&signatures->parent);
    pal_array_clear(&signatures->group);
    *signatures = (PalSignatures){0};
}
