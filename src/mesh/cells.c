#include "mesh/cells.h"

#include "base/memory.h"

#include <string.h>

static const PalCellTopology topologies[] = {
    [PAL_CELL_TRIANGLE] = {.name = "triangle",
                           .node_count = 3,
                           .corner_count = 3,
                           .edge_count = 3,
                           .edges = {{0, 1}, {1, 2}, {2, 0}}},
    [PAL_CELL_TETRAHEDRON] = {.name = "tetrahedron",
                              .node_count = 4,
                              .facet_count = 4,
                              .corner_count = 3,
                              .facets = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}},
                              .edge_count = 6,
                              .edges = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}},
    [PAL_CELL_HEXAHEDRON] = {.name = "hexahedron",
                             .node_count = 8,
                             .facet_count = 6,
                             .corner_count = 4,
                             .facets = {{0, 3, 2, 1},
                                        {4, 5, 6, 7},
                                        {0, 1, 5, 4},
                                        {1, 2, 6, 5},
                                        {2, 3, 7, 6},
                                        {3, 0, 4, 7}},
                             .edge_count = 12,
                             .edges = {{0, 1},
                                       {1, 2},
                                       {2, 3},
                                       {3, 0},
                                       {4, 5},
                                       {5, 6},
                                       {6, 7},
                                       {7, 4},
                                       {0, 4},
                                       {1, 5},
                                       {2, 6},
                                       {3, 7}}},
    [PAL_CELL_QUADRATIC_TETRAHEDRON] = {.name = "quadratic tetrahedron",
                                        .node_count = 10,
                                        .facet_count = 16,
                                        .corner_count = 3,
                                        .facets = {{0, 6, 4},
                                                   {2, 5, 6},
                                                   {1, 4, 5},
                                                   {6, 5, 4},
                                                   {0, 4, 7},
                                                   {1, 8, 4},
                                                   {3, 7, 8},
                                                   {4, 8, 7},
                                                   {1, 5, 8},
                                                   {2, 9, 5},
                                                   {3, 8, 9},
                                                   {5, 9, 8},
                                                   {0, 7, 6},
                                                   {3, 9, 7},
                                                   {2, 6, 9},
                                                   {7, 9, 6}},
                                        .edge_count = 12,
                                        .edges = {{0, 4},
                                                  {4, 1},
                                                  {1, 5},
                                                  {5, 2},
                                                  {2, 6},
                                                  {6, 0},
                                                  {0, 7},
                                                  {7, 3},
                                                  {1, 8},
                                                  {8, 3},
                                                  {2, 9},
                                                  {9, 3}}},
};

const int8_t pal_quadratic_edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

const PalCellTopology *pal_cell_topology(PalCellKind kind)
{
    return &topologies[kind];
}

static bool is_known(PalCellKind kind)
{
    return (int)kind >= PAL_CELL_TRIANGLE && kind <= PAL_CELL_QUADRATIC_TETRAHEDRON;
}

int32_t pal_cell_node_count(PalCellKind kind)
{
    return is_known(kind) ? topologies[kind].node_count : 0;
}

const char *pal_cell_name(PalCellKind kind)
{
    return is_known(kind) ? topologies[kind].name : "unknown";
}

PalStatus pal_mesh_no_memory(PalError *error)
{
    return pal_error_set(error, PAL_NO_MEMORY, "not enough memory for the mesh");
}

void pal_row_sort(int32_t *row, int32_t width)
{
    for (int32_t i = 1; i < width; ++i) {
        int32_t value = row[i], j = i;
        for (; j > 0 && row[j - 1] > value; --j)
            row[j] = row[j - 1];
        row[j] = value;
    }
}

bool pal_rows_equal(const int32_t *a, const int32_t *b, int32_t width)
{
    return memcmp(a, b, (size_t)width * sizeof *a) == 0;
}

enum { DIGIT_BITS = 11, DIGIT_COUNT = 1 << DIGIT_BITS };

static uint32_t digit(int32_t value, int shift)
{
    return (((uint32_t)value + 1) >> shift) & (DIGIT_COUNT - 1);
}

// One stable pass of a radix sort: by one digit of one column.
static void order_by_digit(const int32_t *column, int32_t width, int shift, int32_t count,
                           const int32_t *from, int32_t *to)
{
    int32_t start[DIGIT_COUNT + 1] = {0};
    for (int32_t i = 0; i < count; ++i)
        start[digit(column[(size_t)i * (size_t)width], shift) + 1]++;
    for (int32_t d = 0; d < DIGIT_COUNT; ++d)
        start[d + 1] += start[d];
    for (int32_t i = 0; i < count; ++i) {
        int32_t row = from[i];
        to[start[digit(column[(size_t)row * (size_t)width], shift)]++] = row;
    }
}

bool pal_rows_order(const int32_t *rows, int32_t count, int32_t width, int32_t *order)
{
    int32_t *spare = pal_alloc((size_t)count, sizeof *spare);
    if (spare == NULL)
        return false;
    int32_t largest = 0;
    for (size_t i = 0; i < (size_t)count * (size_t)width; ++i)
        largest = rows[i] > largest ? rows[i] : largest;
    for (int32_t i = 0; i < count; ++i)
        order[i] = i;
    int32_t *from = order, *to = spare;
    for (int32_t column = width - 1; column >= 0; --column)
        for (int shift = 0; shift < 32 && ((uint32_t)largest + 1) >> shift != 0;
             shift += DIGIT_BITS) {
            order_by_digit(rows + column, width, shift, count, from, to);
            int32_t *swap = from;
            from = to;
            to = swap;
        }
    if (from != order)
        memcpy(order, from, (size_t)count * sizeof *order);
    pal_free(spare);
    return true;
}
