#include "base/memory.h"
#include "mesh/readers/vtk.h"

#include <stdio.h>
#include <string.h>

// The cells of the raw mesh that one VTK cell became.
typedef struct Pieces {
    PalRawKind kind;
    int32_t first, count;
} Pieces;
typedef PAL_ARRAY(Pieces) PiecesArray;

// A VTK cell type: what it becomes, or why it cannot be used.
typedef struct Type {
    PalRawKind kind;
    int32_t dimension;
    const char *name;
} Type;

static const Type fixed[] = {
    [1] = {PAL_RAW_POINT, 0, "vertex"},
    [3] = {PAL_RAW_LINE, 1, "line"},
    [5] = {PAL_RAW_TRIANGLE, 2, "triangle"},
    [8] = {PAL_RAW_QUAD, 2, "pixel"},
    [9] = {PAL_RAW_QUAD, 2, "quadrilateral"},
    [10] = {PAL_RAW_TETRAHEDRON, 3, "tetrahedron"},
    [11] = {PAL_RAW_HEXAHEDRON, 3, "voxel"},
    [12] = {PAL_RAW_HEXAHEDRON, 3, "hexahedron"},
    [24] = {PAL_RAW_QUADRATIC_TETRAHEDRON, 3, "quadratic tetrahedron"},
};

// Types with nodes on edges or faces: dimension and name.
static const struct {
    int32_t first, last, dimension;
    bool high_order;
    const char *name;
} others[] = {
    {13, 13, 3, false, "wedge"},
    {14, 14, 3, false, "pyramid"},
    {15, 15, 3, false, "pentagonal prism"},
    {16, 16, 3, false, "hexagonal prism"},
    {23, 23, 2, true, "quadratic quadrilateral"},
    {25, 25, 3, true, "quadratic hexahedron"},
    {26, 26, 3, true, "quadratic wedge"},
    {27, 27, 3, true, "quadratic pyramid"},
    {28, 28, 2, true, "biquadratic quadrilateral"},
    {29, 29, 3, true, "triquadratic hexahedron"},
    {30, 30, 2, true, "quadratic-linear quadrilateral"},
    {31, 32, 3, true, "quadratic wedge"},
    {33, 33, 3, true, "biquadratic-quadratic hexahedron"},
    {34, 34, 2, true, "biquadratic triangle"},
    {35, 35, 1, true, "cubic line"},
    {36, 36, 2, true, "quadratic polygon"},
    {37, 37, 3, true, "triquadratic pyramid"},
    {41, 41, 3, false, "convex point set"},
    {42, 42, 3, false, "polyhedron"},
    {68, 68, 1, true, "Lagrange curve"},
    {69, 70, 2, true, "Lagrange face"},
    {71, 71, 3, true, "Lagrange tetrahedron"},
    {72, 72, 3, true, "Lagrange hexahedron"},
    {73, 74, 3, true, "Lagrange solid"},
    {75, 75, 1, true, "Bezier curve"},
    {76, 77, 2, true, "Bezier face"},
    {78, 78, 3, true, "Bezier tetrahedron"},
    {79, 79, 3, true, "Bezier hexahedron"},
    {80, 81, 3, true, "Bezier solid"},
};

PalStatus pal_vtk_add_labels(PalVtkGrid *grid, const PalCursor *cursor, PalToken name,
                             bool on_points, PalLongs *values)
{
    PalVtkLabels labels = {.on_points = on_points};
    labels.name = pal_alloc(name.size + 1, 1);
    if (labels.name == NULL || !pal_array_reserve(&grid->labels, 1)) {
        pal_free(labels.name);
        return pal_cursor_no_memory(cursor);
    }
    memcpy(labels.name, name.text, name.size);
    labels.values = *values;
    *values = (PalLongs){0};
    grid->labels.items[grid->labels.count++] = labels;
    return PAL_OK;
}

void pal_vtk_clear(PalVtkGrid *grid)
{
    pal_array_clear(&grid->types);
    pal_array_clear(&grid->ends);
    pal_array_clear(&grid->connectivity);
    for (int32_t i = 0; i < grid->labels.count; ++i) {
        pal_free(grid->labels.items[i].name);
        pal_array_clear(&grid->labels.items[i].values);
    }
    pal_array_clear(&grid->labels);
}

// What turns a grid into cells and groups.
typedef struct Build {
    const PalVtkGrid *grid;
    PalRawMesh *raw;
    const PalCursor *cursor;
    PiecesArray pieces;  // by cell of the grid
    PalInts points;      // of the cell at hand
} Build;

// Cells of the types whose number of points varies.
static PalStatus add_poly(Build *build, int64_t type)
{
    const int32_t *points = build->points.items;
    int32_t count = build->points.count;
    if (type == PAL_VTK_POLYGON)
        return pal_raw_add_polygon(build->raw, build->cursor, points, count);
    PalRawKind kind = type == PAL_VTK_POLY_VERTEX ? PAL_RAW_POINT
                      : type == PAL_VTK_POLY_LINE ? PAL_RAW_LINE
                                                  : PAL_RAW_TRIANGLE;
    int32_t width = pal_raw_corner_count(kind);
    for (int32_t i = 0; i + width <= count; ++i) {
        // every second triangle of a strip is turned the other way
        const int32_t turned[3] = {points[i], points[i + width - 1], points[i + width / 2]};
        bool turn = kind == PAL_RAW_TRIANGLE && i % 2 == 1;
        PAL_TRY(pal_raw_add_cell(build->raw, build->cursor, kind, turn ? turned : points + i));
    }
    return PAL_OK;
}

static PalStatus note_other(Build *build, int64_t type, int32_t cell)
{
    if (type == 0)
        return PAL_OK;
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        if (type < others[i].first || type > others[i].last)
            continue;
        char name[64];
        snprintf(name, sizeof name, "%s (VTK type %d)", others[i].name, (int)type);
        pal_raw_note_unfit(build->raw, build->cursor, build->grid->where, others[i].dimension,
                           others[i].high_order, name);
        return PAL_OK;
    }
    return pal_cursor_fail(build->cursor, build->grid->where,
                           "cell %d has the unknown VTK type %lld", cell, (long long)type);
}

// Edges and triangles with a node on each edge.
static PalStatus add_quadratic(Build *build, int64_t type, int32_t cell)
{
    bool line = type == PAL_VTK_QUADRATIC_EDGE;
    int32_t expected = line ? 3 : 6;
    if (build->points.count != expected)
        return pal_cursor_fail(build->cursor, build->grid->where,
                               "cell %d is a quadratic %s of %d points, expected %d", cell,
                               line ? "edge" : "triangle", build->points.count, expected);
    return pal_raw_add_divided(build->raw, build->cursor, line ? PAL_RAW_LINE : PAL_RAW_TRIANGLE,
                               build->points.items);
}

static PalStatus add_cell(Build *build, int64_t type, int32_t cell)
{
    bool poly = type == PAL_VTK_POLY_VERTEX || type == PAL_VTK_POLY_LINE || type == PAL_VTK_STRIP ||
                type == PAL_VTK_POLYGON;
    if (poly)
        return add_poly(build, type);
    if (type == PAL_VTK_QUADRATIC_EDGE || type == PAL_VTK_QUADRATIC_TRIANGLE)
        return add_quadratic(build, type, cell);
    if (type < 1 || type >= (int64_t)(sizeof fixed / sizeof *fixed) || fixed[type].name == NULL)
        return note_other(build, type, cell);
    PalRawKind kind = fixed[type].kind;
    if (build->points.count != pal_raw_corner_count(kind))
        return pal_cursor_fail(build->cursor, build->grid->where,
                               "cell %d is a %s of %d points, expected %d", cell, fixed[type].name,
                               build->points.count, pal_raw_corner_count(kind));
    // pixels and voxels count their points row by row, the others around
    bool rows = type == 8 || type == 11;
    static const int32_t around[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    int32_t corners[10];
    for (int32_t a = 0; a < build->points.count; ++a)
        corners[a] = build->points.items[rows ? around[a] : a];
    return pal_raw_add_cell(build->raw, build->cursor, kind, corners);
}

static PalRawKind kind_of(int64_t type)
{
    if (type >= 1 && type < (int64_t)(sizeof fixed / sizeof *fixed) && fixed[type].name != NULL)
        return fixed[type].kind;
    switch (type) {
    case PAL_VTK_POLY_VERTEX:
        return PAL_RAW_POINT;
    case PAL_VTK_POLY_LINE:
    case PAL_VTK_QUADRATIC_EDGE:
        return PAL_RAW_LINE;
    case PAL_VTK_QUADRATIC_TRIANGLE:
    case PAL_VTK_STRIP:
    case PAL_VTK_POLYGON:
        return PAL_RAW_TRIANGLE;
    default:
        return PAL_RAW_OTHER;
    }
}

// The points of a cell, which are [begin, end) of the connectivity.
static PalStatus take_points(Build *build, int32_t cell, int64_t begin, int64_t end)
{
    const PalLongs *list = &build->grid->connectivity;
    if (end < begin || end > list->count)
        return pal_cursor_fail(build->cursor, build->grid->where,
                               "cell %d ends at %lld of the connectivity, expected %lld to %d",
                               cell, (long long)end, (long long)begin, list->count);
    build->points.count = 0;
    if (!pal_array_reserve(&build->points, end - begin + 1))
        return pal_cursor_no_memory(build->cursor);
    for (int64_t i = begin; i < end; ++i) {
        int64_t point = list->items[i];
        if (point < 0 || point >= build->raw->nodes.count)
            return pal_cursor_fail(build->cursor, build->grid->where,
                                   "cell %d has the point %lld, expected 0 to %d", cell,
                                   (long long)point, build->raw->nodes.count - 1);
        build->points.items[build->points.count++] = (int32_t)point;
    }
    return PAL_OK;
}

static PalStatus add_cells(Build *build)
{
    const PalVtkGrid *grid = build->grid;
    int64_t begin = 0;
    if (grid->types.count != grid->ends.count)
        return pal_cursor_fail(build->cursor, grid->where,
                               "%d cell types for %d cells, expected as many", grid->types.count,
                               grid->ends.count);
    if (!pal_array_reserve(&build->pieces, grid->types.count))
        return pal_cursor_no_memory(build->cursor);
    for (int32_t c = 0; c < grid->types.count; ++c) {
        int64_t type = grid->types.items[c];
        Pieces piece = {.kind = kind_of(type)};
        bool kept = piece.kind != PAL_RAW_OTHER;
        PAL_TRY(take_points(build, c, begin, grid->ends.items[c]));
        begin = grid->ends.items[c];
        piece.first = kept ? pal_raw_cell_count(build->raw, piece.kind) : 0;
        PAL_TRY(add_cell(build, type, c));
        piece.count = kept ? pal_raw_cell_count(build->raw, piece.kind) - piece.first : 0;
        build->pieces.items[build->pieces.count++] = piece;
    }
    return PAL_OK;
}

// The different values of an array, PAL_NONE groups at first. False: too many.
enum { VALUES_MAX = 256 };
typedef struct Values {
    int32_t count;
    int64_t value[VALUES_MAX];
    int32_t group[VALUES_MAX];
} Values;

static int32_t find_value(const Values *values, int64_t value, int32_t guess)
{
    if (guess < values->count && values->value[guess] == value)
        return guess;
    int32_t v = 0;
    while (v < values->count && values->value[v] != value)
        ++v;
    return v;
}

static bool collect_values(const PalLongs *list, Values *values)
{
    values->count = 0;
    for (int32_t i = 0, last = 0; i < list->count; ++i) {
        last = find_value(values, list->items[i], last);
        if (last == VALUES_MAX)
            return false;
        if (last == values->count)
            values->value[values->count++] = list->items[i];
    }
    return true;
}

static PalStatus name_values(Build *build, const char *label, Values *values)
{
    size_t size = strlen(label) + 32;
    char *name = pal_alloc(size, 1);
    if (name == NULL)
        return pal_cursor_no_memory(build->cursor);
    PalStatus status = PAL_OK;
    for (int32_t v = 0; v < values->count && status == PAL_OK; ++v) {
        snprintf(name, size, "%s-%lld", label, (long long)values->value[v]);
        status = pal_raw_group(build->raw, build->cursor, (PalToken){name, strlen(name)},
                               &values->group[v]);
    }
    pal_free(name);
    return status;
}

static PalStatus join_label(Build *build, const PalVtkLabels *labels, int32_t group, int32_t i)
{
    PalRawMesh *raw = build->raw;
    if (labels->on_points)
        return pal_raw_join(&raw->node_members, build->cursor, group, i);
    const Pieces *piece = &build->pieces.items[i];
    for (int32_t k = 0; k < piece->count; ++k)
        PAL_TRY(pal_raw_join(&raw->members[piece->kind], build->cursor, group, piece->first + k));
    return PAL_OK;
}

// An array of the group's name: what is not 0 belongs to it.
static PalStatus add_named(Build *build, const PalVtkLabels *labels, const char *name)
{
    int32_t group;
    PAL_TRY(pal_raw_group(build->raw, build->cursor, (PalToken){name, strlen(name)}, &group));
    for (int32_t i = 0; i < labels->values.count; ++i)
        if (labels->values.items[i] != 0)
            PAL_TRY(join_label(build, labels, group, i));
    return PAL_OK;
}

static PalStatus add_labels(Build *build, const PalVtkLabels *labels)
{
    static const char mark[] = "group:";
    Values values;
    PalRawMesh *raw = build->raw;
    int32_t expected = labels->on_points ? raw->nodes.count : build->pieces.count;
    if (labels->values.count != expected)
        return pal_cursor_fail(build->cursor, build->grid->where,
                               "array '%s' has %d values, expected %d",
                               pal_token_quote((PalToken){labels->name, strlen(labels->name)}).text,
                               labels->values.count, expected);
    if (strncmp(labels->name, mark, strlen(mark)) == 0 && labels->name[strlen(mark)] != '\0')
        return add_named(build, labels, labels->name + strlen(mark));
    if (!collect_values(&labels->values, &values)) {
        pal_raw_skip(raw, "the array", (PalToken){labels->name, strlen(labels->name)});
        return PAL_OK;
    }
    PAL_TRY(name_values(build, labels->name, &values));
    for (int32_t i = 0, last = 0; i < expected; ++i) {
        last = find_value(&values, labels->values.items[i], last);
        PAL_TRY(join_label(build, labels, values.group[last], i));
    }
    return PAL_OK;
}

PalStatus pal_vtk_finish(const PalVtkGrid *grid, PalRawMesh *raw, const PalCursor *cursor)
{
    Build build = {.grid = grid, .raw = raw, .cursor = cursor};
    PalStatus status = add_cells(&build);
    for (int32_t i = 0; i < grid->labels.count && status == PAL_OK; ++i)
        status = add_labels(&build, &grid->labels.items[i]);
    pal_array_clear(&build.pieces);
    pal_array_clear(&build.points);
    return status;
}
