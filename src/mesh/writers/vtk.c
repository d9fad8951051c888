// VTK's legacy files (version 4.2) and XML files of unstructured grids.
//
// A group is an array of 0 and 1 called group:NAME on the cells, or on the points if it has nodes
// of its own. Its facets are cells behind those of the mesh.
#include "mesh/cells.h"
#include "mesh/writers/write.h"

#include <stdlib.h>
#include <string.h>

typedef enum Coding { TEXT, BIG, BASE64 } Coding;

typedef struct Vtk {
    PalWrite *write;
    PalSink *sink;
    Coding coding;
    int32_t column;  // of text
} Vtk;

static void put_separator(Vtk *vtk)
{
    pal_sink_text(vtk->sink, ++vtk->column % 12 == 0 ? "\n" : " ");
}

static void put_double(Vtk *vtk, double value)
{
    if (vtk->coding == TEXT) {
        pal_sink_number(vtk->sink, value);
        put_separator(vtk);
    } else if (vtk->coding == BIG) {
        pal_sink_binary(vtk->sink, &value, sizeof value, true);
    } else {
        pal_sink_base64(vtk->sink, &value, sizeof value);
    }
}

static void put_int(Vtk *vtk, int32_t value)
{
    if (vtk->coding == TEXT) {
        pal_sink_int(vtk->sink, value);
        put_separator(vtk);
    } else if (vtk->coding == BIG) {
        pal_sink_binary(vtk->sink, &value, sizeof value, true);
    } else {
        pal_sink_base64(vtk->sink, &value, sizeof value);
    }
}

static void put_byte(Vtk *vtk, uint8_t value)
{
    if (vtk->coding == TEXT) {
        pal_sink_int(vtk->sink, value);
        put_separator(vtk);
    } else if (vtk->coding == BIG) {
        pal_sink_put(vtk->sink, &value, 1);
    } else {
        pal_sink_base64(vtk->sink, &value, 1);
    }
}

static int32_t grid_cell_count(const Vtk *vtk)
{
    return vtk->write->mesh->cell_count + vtk->write->facet_count;
}

// Cells of the mesh, then facets.
static const int32_t *grid_cell(const Vtk *vtk, int32_t c, int32_t *count, uint8_t *type)
{
    static const uint8_t types[] = {5, 10, 12, 24};
    const PalMesh *mesh = vtk->write->mesh;
    if (c < mesh->cell_count) {
        *count = pal_cell_node_count(mesh->cell_kind);
        *type = types[mesh->cell_kind];
        return pal_mesh_cell(mesh, c);
    }
    const int32_t *facet = vtk->write->facets[c - mesh->cell_count];
    *count = facet[3] == PAL_NONE ? 3 : 4;
    *type = *count == 3 ? 5 : 9;
    return facet;
}

static int64_t corner_total(const Vtk *vtk)
{
    const PalMesh *mesh = vtk->write->mesh;
    int64_t total = (int64_t)mesh->cell_count * pal_cell_node_count(mesh->cell_kind);
    for (int32_t f = 0; f < vtk->write->facet_count; ++f)
        total += vtk->write->facets[f][3] == PAL_NONE ? 3 : 4;
    return total;
}

static void put_points(Vtk *vtk)
{
    const PalMesh *mesh = vtk->write->mesh;
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        put_double(vtk, mesh->nodes[n].x);
        put_double(vtk, mesh->nodes[n].y);
        put_double(vtk, mesh->nodes[n].z);
    }
}

// On points: the nodes of its own. On cells: cells and facets. Members ascend.
static void put_members(Vtk *vtk, const PalWriteGroup *group, bool on_points)
{
    const PalMesh *mesh = vtk->write->mesh;
    const PalIndices *lists[2] = {on_points ? &group->nodes : &group->cells, &group->facets};
    int32_t counts[2] = {on_points ? mesh->node_count : mesh->cell_count,
                         on_points ? 0 : vtk->write->facet_count};
    for (int list = 0; list < 2; ++list)
        for (int32_t i = 0, next = 0; i < counts[list]; ++i) {
            const PalIndices *members = lists[list];
            bool member = next < members->count && members->items[next] == i;
            while (next < members->count && members->items[next] <= i)
                ++next;
            put_byte(vtk, member);
        }
}

static bool has_members(const PalWriteGroup *group, bool on_points)
{
    return on_points ? group->nodes.count > 0 : group->cells.count + group->facets.count > 0;
}

static int32_t array_count(const Vtk *vtk, bool on_points)
{
    int32_t count = 0;
    for (int32_t g = 0; g < vtk->write->group_count; ++g)
        count += has_members(&vtk->write->groups[g], on_points);
    return count;
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

static void sort_members(PalWrite *write)
{
    for (int32_t g = 0; g < write->group_count; ++g) {
        PalIndices *const lists[] = {&write->groups[g].cells, &write->groups[g].facets};
        for (int i = 0; i < 2; ++i)
            if (lists[i]->count > 1)
                qsort(lists[i]->items, (size_t)lists[i]->count, sizeof(int32_t), compare);
    }
}

// ---- legacy ---------------------------------------------------------------------------------

// Names are words: what would end one is written as %20.
static void put_legacy_name(Vtk *vtk, const char *name)
{
    pal_sink_text(vtk->sink, "group:");
    for (; *name != '\0'; ++name) {
        if (*name > ' ' && *name <= '~' && *name != '"' && *name != '%')
            pal_sink_put(vtk->sink, name, 1);
        else
            pal_sink_print(vtk->sink, "%%%02X", (unsigned)(uint8_t)*name);
    }
}

static void put_legacy_data(Vtk *vtk, bool on_points)
{
    int32_t arrays = array_count(vtk, on_points);
    int32_t tuples = on_points ? vtk->write->mesh->node_count : grid_cell_count(vtk);
    if (arrays == 0)
        return;
    pal_sink_print(vtk->sink, "\n%s %d\nFIELD FieldData %d\n",
                   on_points ? "POINT_DATA" : "CELL_DATA", tuples, arrays);
    for (int32_t g = 0; g < vtk->write->group_count; ++g) {
        const PalWriteGroup *group = &vtk->write->groups[g];
        if (!has_members(group, on_points))
            continue;
        put_legacy_name(vtk, group->name);
        pal_sink_print(vtk->sink, " 1 %d unsigned_char\n", tuples);
        put_members(vtk, group, on_points);
        pal_sink_text(vtk->sink, "\n");
    }
}

PalStatus pal_write_vtk_legacy(PalWrite *write)
{
    Vtk vtk = {.write = write, .sink = &write->sink, .coding = write->options->text ? TEXT : BIG};
    int64_t size = corner_total(&vtk) + grid_cell_count(&vtk);
    if (size > INT32_MAX)
        return pal_error_set(write->error, PAL_BAD_INPUT,
                             "%s: more cells than legacy VTK can count; write VTU", write->path);
    PAL_TRY(pal_write_name_groups(write, "", false));
    sort_members(write);
    int32_t cell_count = grid_cell_count(&vtk), width;
    uint8_t type;
    pal_sink_print(vtk.sink,
                   "# vtk DataFile Version 4.2\nmesh written by palpate %s\n%s\nDATASET "
                   "UNSTRUCTURED_GRID\nPOINTS %d double\n",
                   pal_version(), vtk.coding == TEXT ? "ASCII" : "BINARY", write->mesh->node_count);
    put_points(&vtk);
    pal_sink_print(vtk.sink, "\nCELLS %d %lld\n", cell_count, (long long)size);
    for (int32_t c = 0; c < cell_count; ++c) {
        const int32_t *nodes = grid_cell(&vtk, c, &width, &type);
        put_int(&vtk, width);
        for (int32_t a = 0; a < width; ++a)
            put_int(&vtk, nodes[a]);
    }
    pal_sink_print(vtk.sink, "\nCELL_TYPES %d\n", cell_count);
    for (int32_t c = 0; c < cell_count; ++c) {
        grid_cell(&vtk, c, &width, &type);
        put_int(&vtk, type);
    }
    pal_sink_text(vtk.sink, "\n");
    put_legacy_data(&vtk, false);
    put_legacy_data(&vtk, true);
    return PAL_OK;
}

// ---- XML ------------------------------------------------------------------------------------

static void put_escaped(Vtk *vtk, const char *name)
{
    for (; *name != '\0'; ++name) {
        const char *escape = *name == '&'   ? "&amp;"
                             : *name == '<' ? "&lt;"
                             : *name == '>' ? "&gt;"
                             : *name == '"' ? "&quot;"
                                            : NULL;
        if (escape != NULL)
            pal_sink_text(vtk->sink, escape);
        else
            pal_sink_put(vtk->sink, name, 1);
    }
}

// `bytes`: of all values.
static void start_array(Vtk *vtk, const char *type, const char *prefix, const char *name,
                        uint64_t bytes)
{
    pal_sink_print(vtk->sink, "<DataArray type=\"%s\" Name=\"%s", type, prefix);
    put_escaped(vtk, name);
    pal_sink_print(vtk->sink, "\"%s format=\"%s\">\n",
                   strcmp(name, "Points") == 0 ? " NumberOfComponents=\"3\"" : "",
                   vtk->coding == TEXT ? "ascii" : "binary");
    vtk->column = 0;
    if (vtk->coding == BASE64)
        pal_sink_base64(vtk->sink, &bytes, sizeof bytes);
}

static void end_array(Vtk *vtk)
{
    if (vtk->coding == BASE64)
        pal_sink_base64_end(vtk->sink);
    pal_sink_text(vtk->sink, "\n</DataArray>\n");
}

static void put_cells(Vtk *vtk)
{
    int32_t cell_count = grid_cell_count(vtk), width;
    uint8_t type;
    pal_sink_text(vtk->sink, "<Cells>\n");
    start_array(vtk, "Int32", "", "connectivity", 4 * (uint64_t)corner_total(vtk));
    for (int32_t c = 0; c < cell_count; ++c) {
        const int32_t *nodes = grid_cell(vtk, c, &width, &type);
        for (int32_t a = 0; a < width; ++a)
            put_int(vtk, nodes[a]);
    }
    end_array(vtk);
    start_array(vtk, "Int32", "", "offsets", 4 * (uint64_t)cell_count);
    for (int32_t c = 0, end = 0; c < cell_count; ++c) {
        grid_cell(vtk, c, &width, &type);
        put_int(vtk, end += width);
    }
    end_array(vtk);
    start_array(vtk, "UInt8", "", "types", (uint64_t)cell_count);
    for (int32_t c = 0; c < cell_count; ++c) {
        grid_cell(vtk, c, &width, &type);
        put_byte(vtk, type);
    }
    end_array(vtk);
    pal_sink_text(vtk->sink, "</Cells>\n");
}

static void put_xml_data(Vtk *vtk, bool on_points)
{
    const char *section = on_points ? "PointData" : "CellData";
    uint64_t bytes =
        on_points ? (uint64_t)vtk->write->mesh->node_count : (uint64_t)grid_cell_count(vtk);
    if (array_count(vtk, on_points) == 0)
        return;
    pal_sink_print(vtk->sink, "<%s>\n", section);
    for (int32_t g = 0; g < vtk->write->group_count; ++g) {
        const PalWriteGroup *group = &vtk->write->groups[g];
        if (!has_members(group, on_points))
            continue;
        start_array(vtk, "UInt8", "group:", group->name, bytes);
        put_members(vtk, group, on_points);
        end_array(vtk);
    }
    pal_sink_print(vtk->sink, "</%s>\n", section);
}

PalStatus pal_write_vtu(PalWrite *write)
{
    Vtk vtk = {
        .write = write, .sink = &write->sink, .coding = write->options->text ? TEXT : BASE64};
    if (corner_total(&vtk) > INT32_MAX)
        return pal_error_set(write->error, PAL_BAD_INPUT, "%s: more cells than can be written",
                             write->path);
    PAL_TRY(pal_write_name_groups(write, "", false));
    sort_members(write);
    bool little = pal_host_is_little_endian();
    pal_sink_print(vtk.sink,
                   "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                   "byte_order=\"%s\" header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece "
                   "NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n",
                   little ? "LittleEndian" : "BigEndian", write->mesh->node_count,
                   grid_cell_count(&vtk));
    put_xml_data(&vtk, true);
    put_xml_data(&vtk, false);
    pal_sink_text(vtk.sink, "<Points>\n");
    start_array(&vtk, "Float64", "", "Points", 24 * (uint64_t)write->mesh->node_count);
    put_points(&vtk);
    end_array(&vtk);
    pal_sink_text(vtk.sink, "</Points>\n");
    put_cells(&vtk);
    pal_sink_text(vtk.sink, "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
    return PAL_OK;
}
