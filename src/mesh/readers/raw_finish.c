#include "base/memory.h"
#include "mesh/readers/raw.h"

#include <stdio.h>
#include <string.h>

// Members sorted by group: those of group g are items[start[g]] .. items[start[g + 1] - 1].
typedef struct Rows {
    int32_t *start;
    int32_t *items;
} Rows;

typedef int32_t Facet[4];

typedef struct Finish {
    const PalRawMesh *raw;
    const PalCursor *cursor;
    PalMeshWant want;
    PalRawKind solid;
    PalMesh *mesh;
    Rows rows[PAL_RAW_KIND_COUNT];
    Rows node_rows, facet_rows;
    PalInts cells, nodes;
    PAL_ARRAY(Facet) faces;
} Finish;

static const char *const singular[] = {"point",
                                       "line",
                                       "triangle",
                                       "quadrilateral",
                                       "tetrahedron",
                                       "hexahedron",
                                       "quadratic tetrahedron"};
static const char *const plural[] = {
    "points",     "lines",     "triangles",           "quadrilaterals",
    "tetrahedra", "hexahedra", "quadratic tetrahedra"};

// "120 triangles and 3 lines"; "no cells" for none.
static void describe(const PalRawMesh *raw, char *text, size_t size)
{
    snprintf(text, size, "no cells");
    size_t used = 0;
    int32_t left = 0;
    for (int32_t k = 0; k < PAL_RAW_KIND_COUNT; ++k)
        left += pal_raw_cell_count(raw, (PalRawKind)k) > 0;
    for (int32_t k = PAL_RAW_KIND_COUNT - 1; k >= 0; --k) {
        int32_t count = pal_raw_cell_count(raw, (PalRawKind)k);
        if (count == 0)
            continue;
        const char *joint = used == 0 ? "" : left == 1 ? " and " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%d %s", joint, count,
                                 count == 1 ? singular[k] : plural[k]);
        --left;
    }
}

static PalStatus refuse_unfit(const Finish *finish, int32_t dimension)
{
    const PalUnfit *unfit = &finish->raw->unfit[dimension];
    if (unfit->name[0] == '\0')
        return PAL_OK;
    if (unfit->high_order)
        return pal_cursor_fail(&unfit->cursor, unfit->where,
                               "element type %s is not of first order, expected that or 10-node "
                               "tetrahedra; export with order 1",
                               unfit->name);
    return pal_cursor_fail(
        finish->cursor, unfit->where, "element type %s, expected only %s", unfit->name,
        dimension == 3 ? "tetrahedra or hexahedra" : "triangles, quadrilaterals or polygons");
}

// Decides which cells the mesh is made of.
static PalStatus choose_cells(Finish *finish)
{
    const PalRawMesh *raw = finish->raw;
    char held[256];
    describe(raw, held, sizeof held);
    int32_t triangles = pal_raw_cell_count(raw, PAL_RAW_TRIANGLE);
    int32_t quads = pal_raw_cell_count(raw, PAL_RAW_QUAD);
    int32_t tetrahedra = pal_raw_cell_count(raw, PAL_RAW_TETRAHEDRON);
    int32_t hexahedra = pal_raw_cell_count(raw, PAL_RAW_HEXAHEDRON);
    int32_t quadratic = pal_raw_cell_count(raw, PAL_RAW_QUADRATIC_TETRAHEDRON);
    int kinds = (tetrahedra > 0) + (hexahedra > 0) + (quadratic > 0);
    if (finish->want == PAL_WANT_ANY) {
        bool solid = kinds > 0 || raw->unfit[3].name[0] != '\0';
        finish->want = solid ? PAL_WANT_SOLID : PAL_WANT_SURFACE;
    }
    if (finish->want == PAL_WANT_SURFACE) {
        PAL_TRY(refuse_unfit(finish, 2));
        if (triangles + (int64_t)2 * quads > INT32_MAX)
            return pal_cursor_fail(finish->cursor, NULL, "holds %s, expected at most %d", held,
                                   INT32_MAX);
        if (triangles > 0 || quads > 0)
            return PAL_OK;
        return pal_cursor_fail(finish->cursor, NULL,
                               "holds %s and no triangles; expected a surface%s", held,
                               kinds > 0 ? ": export the boundary" : "");
    }
    PAL_TRY(refuse_unfit(finish, 3));
    if (tetrahedra > 0 && hexahedra > 0)
        return pal_cursor_fail(finish->cursor, NULL,
                               "holds %s; expected tetrahedra or hexahedra, not both", held);
    if (kinds > 1)
        return pal_cursor_fail(finish->cursor, NULL,
                               "holds %s; expected cells of one order, not of both", held);
    finish->solid = tetrahedra > 0  ? PAL_RAW_TETRAHEDRON
                    : hexahedra > 0 ? PAL_RAW_HEXAHEDRON
                                    : PAL_RAW_QUADRATIC_TETRAHEDRON;
    if (kinds > 0)
        return PAL_OK;
    return pal_cursor_fail(finish->cursor, NULL, "holds %s and no tetrahedra; %s", held,
                           triangles + quads > 0
                               ? "fill the surface first, with palpate mesh, or use it as a rigid "
                                 "surface"
                               : "expected a solid mesh");
}

static PalStatus create_mesh(Finish *finish)
{
    const PalRawMesh *raw = finish->raw;
    PalMeshDef def = {.node_count = raw->nodes.count, .nodes = raw->nodes.items};
    int32_t *triangles = NULL;
    if (finish->want == PAL_WANT_SOLID) {
        def.cell_kind = pal_raw_solid(finish->solid);
        def.cell_count = pal_raw_cell_count(raw, finish->solid);
        def.cells = raw->corners[finish->solid].items;
    } else {
        const PalInts *whole = &raw->corners[PAL_RAW_TRIANGLE];
        int32_t quad_count = pal_raw_cell_count(raw, PAL_RAW_QUAD);
        triangles = pal_alloc((size_t)whole->count + 6 * (size_t)quad_count, sizeof *triangles);
        if (triangles == NULL)
            return pal_cursor_no_memory(finish->cursor);
        if (whole->count > 0)
            memcpy(triangles, whole->items, (size_t)whole->count * sizeof *triangles);
        for (int32_t q = 0; q < quad_count; ++q) {
            const int32_t *corner = raw->corners[PAL_RAW_QUAD].items + 4 * (size_t)q;
            int32_t *cut = triangles + whole->count + 6 * (size_t)q;
            const int32_t halves[6] = {corner[0], corner[1], corner[2],
                                       corner[0], corner[2], corner[3]};
            memcpy(cut, halves, sizeof halves);
        }
        def.cell_kind = PAL_CELL_TRIANGLE;
        def.cell_count = whole->count / 3 + 2 * quad_count;
        def.cells = triangles;
    }
    PalStatus status = pal_mesh_create(&def, &finish->mesh, finish->cursor->error);
    pal_free(triangles);
    return status;
}

static PalStatus sort_members(const Finish *finish, const PalMembers *members, Rows *rows)
{
    int32_t group_count = finish->raw->groups.list.count;
    rows->start = pal_alloc((size_t)group_count + 2, sizeof *rows->start);
    rows->items = pal_alloc((size_t)members->count, sizeof *rows->items);
    if (rows->start == NULL || rows->items == NULL)
        return pal_cursor_no_memory(finish->cursor);
    for (int32_t i = 0; i < members->count; ++i)
        ++rows->start[members->items[i].group + 2];
    for (int32_t g = 1; g <= group_count; ++g)
        rows->start[g + 1] += rows->start[g];
    for (int32_t i = 0; i < members->count; ++i)
        rows->items[rows->start[members->items[i].group + 1]++] = members->items[i].item;
    return PAL_OK;
}

// What the members of one kind are to the mesh: its cells, facets or nodes.
static bool take_members(Finish *finish, PalRawKind kind, int32_t group)
{
    const Rows *rows = &finish->rows[kind];
    const int32_t *corners = finish->raw->corners[kind].items;
    bool solid = finish->want == PAL_WANT_SOLID, done = true;
    int32_t first_half = pal_raw_cell_count(finish->raw, PAL_RAW_TRIANGLE);
    for (int32_t i = rows->start[group]; i < rows->start[group + 1] && done; ++i) {
        int32_t item = rows->items[i];
        if (kind == PAL_RAW_POINT) {
            done = pal_array_push(&finish->nodes, corners[item]);
        } else if (kind == PAL_RAW_LINE) {
            done = pal_array_push(&finish->nodes, corners[2 * (size_t)item]) &&
                   pal_array_push(&finish->nodes, corners[2 * (size_t)item + 1]);
        } else if (kind >= PAL_RAW_TETRAHEDRON) {
            done = !solid || pal_array_push(&finish->cells, item);
        } else if (solid) {
            done = pal_array_reserve(&finish->faces, 1);
            if (done) {
                int32_t *face = finish->faces.items[finish->faces.count++];
                int32_t count = pal_raw_corner_count(kind);
                for (int32_t a = 0; a < 4; ++a)
                    face[a] =
                        a < count ? corners[(size_t)item * (size_t)count + (size_t)a] : PAL_NONE;
            }
        } else if (kind == PAL_RAW_TRIANGLE) {
            done = pal_array_push(&finish->cells, item);
        } else {
            done = pal_array_push(&finish->cells, first_half + 2 * item) &&
                   pal_array_push(&finish->cells, first_half + 2 * item + 1);
        }
    }
    return done;
}

static PalStatus add_group(Finish *finish, int32_t group)
{
    finish->cells.count = finish->nodes.count = finish->faces.count = 0;
    for (int32_t k = 0; k < PAL_RAW_KIND_COUNT; ++k)
        if (!take_members(finish, (PalRawKind)k, group))
            return pal_cursor_no_memory(finish->cursor);
    const Rows *rows = &finish->node_rows;
    for (int32_t i = rows->start[group]; i < rows->start[group + 1]; ++i)
        if (!pal_array_push(&finish->nodes, rows->items[i]))
            return pal_cursor_no_memory(finish->cursor);
    rows = &finish->facet_rows;
    for (int32_t i = rows->start[group];
         i < rows->start[group + 1] && finish->want == PAL_WANT_SOLID; ++i) {
        if (!pal_array_reserve(&finish->faces, 1))
            return pal_cursor_no_memory(finish->cursor);
        memcpy(finish->faces.items[finish->faces.count++],
               finish->raw->facets.items[rows->items[i]].corners, sizeof(Facet));
    }
    PalGroup add = {
        .name = finish->raw->groups.list.items[group],
        .node_count = finish->nodes.count,
        .nodes = finish->nodes.items,
        .cell_count = finish->cells.count,
        .cells = finish->cells.items,
        .face_count = finish->faces.count,
        .faces = finish->faces.items,
    };
    if (add.node_count == 0 && add.cell_count == 0 && add.face_count == 0)
        return PAL_OK;
    return pal_mesh_add_group(finish->mesh, &add, finish->cursor->error);
}

static PalStatus add_groups(Finish *finish)
{
    for (int32_t k = 0; k < PAL_RAW_KIND_COUNT; ++k)
        PAL_TRY(sort_members(finish, &finish->raw->members[k], &finish->rows[k]));
    PAL_TRY(sort_members(finish, &finish->raw->node_members, &finish->node_rows));
    PAL_TRY(sort_members(finish, &finish->raw->facet_members, &finish->facet_rows));
    for (int32_t g = 0; g < finish->raw->groups.list.count; ++g)
        PAL_TRY(add_group(finish, g));
    return PAL_OK;
}

PalStatus pal_raw_finish(const PalRawMesh *raw, const PalCursor *cursor, PalMeshWant want,
                         PalMesh **mesh)
{
    Finish finish = {.raw = raw, .cursor = cursor, .want = want};
    PAL_TRY(choose_cells(&finish));
    PalStatus status = create_mesh(&finish);
    if (status == PAL_OK)
        status = add_groups(&finish);
    for (int32_t k = 0; k < PAL_RAW_KIND_COUNT; ++k) {
        pal_free(finish.rows[k].start);
        pal_free(finish.rows[k].items);
    }
    pal_free(finish.node_rows.start);
    pal_free(finish.node_rows.items);
    pal_free(finish.facet_rows.start);
    pal_free(finish.facet_rows.items);
    pal_array_clear(&finish.cells);
    pal_array_clear(&finish.nodes);
    pal_array_clear(&finish.faces);
    if (status != PAL_OK) {
        pal_mesh_destroy(finish.mesh);
        return status;
    }
    *mesh = finish.mesh;
    return PAL_OK;
}
