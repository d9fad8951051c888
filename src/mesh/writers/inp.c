// Abaqus and CalculiX input: nodes, elements, sets, and facets as surfaces of element faces.
#include "base/memory.h"
#include "mesh/cells.h"
#include "mesh/writers/write.h"

#include <string.h>

// The cell and its face that each facet is; PAL_NONE where it is none.
typedef struct Faces {
    int32_t *cell;
    int8_t *face;
} Faces;

// Rows of the facets come first, those of the cells' faces behind them: sorted, equal ones meet.
static PalStatus find_faces(const PalWrite *write, Faces *faces)
{
    const PalMesh *mesh = write->mesh;
    const PalCellTopology *topology = pal_cell_topology(mesh->cell_kind);
    int32_t facet_count = write->facet_count, width = topology->corner_count;
    int64_t total = facet_count + (int64_t)mesh->cell_count * topology->facet_count;
    faces->cell = pal_alloc((size_t)facet_count, sizeof *faces->cell);
    faces->face = pal_alloc((size_t)facet_count, sizeof *faces->face);
    int32_t *rows = pal_alloc((size_t)total, 4 * sizeof *rows);
    int32_t *order = pal_alloc((size_t)total, sizeof *order);
    PalStatus status = PAL_OK;
    if (faces->cell == NULL || faces->face == NULL || rows == NULL || order == NULL ||
        total > INT32_MAX) {
        status = pal_write_no_memory(write);
        goto done;
    }
    for (int32_t f = 0; f < facet_count; ++f) {
        faces->cell[f] = PAL_NONE;
        memcpy(rows + 4 * (size_t)f, write->facets[f], 4 * sizeof *rows);
    }
    int32_t *row = rows + 4 * (size_t)facet_count;
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        for (int32_t f = 0; f < topology->facet_count; ++f, row += 4)
            for (int32_t a = 0; a < 4; ++a)
                row[a] = a < width ? pal_mesh_cell(mesh, c)[topology->facets[f][a]] : PAL_NONE;
    for (int64_t i = 0; i < total; ++i)
        pal_row_sort(rows + 4 * i, 4);
    if (!pal_rows_order(rows, (int32_t)total, 4, order))
        status = pal_write_no_memory(write);
    for (int64_t i = 0; status == PAL_OK && i + 1 < total; ++i) {
        int32_t facet = order[i], next = order[i + 1] - facet_count;
        if (facet >= facet_count || next < 0 ||
            !pal_rows_equal(rows + 4 * (size_t)facet, rows + 4 * (size_t)order[i + 1], 4))
            continue;
        faces->cell[facet] = next / topology->facet_count;
        faces->face[facet] = (int8_t)(next % topology->facet_count);
    }
done:
    pal_free(rows);
    pal_free(order);
    return status;
}

static void put_set(PalSink *sink, const char *kind, const char *name, const PalIndices *members)
{
    enum { PER_LINE = 12 };
    pal_sink_print(sink, "*%s, %s=", kind, kind);
    bool quoted = strpbrk(name, " \t") != NULL;
    pal_sink_text(sink, quoted ? "\"" : "");
    pal_sink_text(sink, name);
    pal_sink_text(sink, quoted ? "\"\n" : "\n");
    for (int32_t i = 0; i < members->count; ++i) {
        pal_sink_int(sink, members->items[i] + 1);
        pal_sink_text(sink, i % PER_LINE == PER_LINE - 1 || i + 1 == members->count ? "\n" : ", ");
    }
}

static PalStatus put_surface(PalWrite *write, const PalWriteGroup *group, const Faces *faces)
{
    PalSink *sink = &write->sink;
    bool quadratic = write->mesh->cell_kind == PAL_CELL_QUADRATIC_TETRAHEDRON;
    int32_t lost = 0;
    for (int32_t i = 0; i < group->facets.count; ++i)
        lost += faces->cell[group->facets.items[i]] == PAL_NONE;
    if (lost > 0)
        PAL_TRY(pal_write_loss(
            write, "%d facets of the group %s are not faces of cells; they are left out", lost,
            group->name));
    if (lost == group->facets.count)
        return PAL_OK;
    bool quoted = strpbrk(group->name, " \t") != NULL;
    pal_sink_print(sink, "*SURFACE, TYPE=ELEMENT, NAME=%s%s%s\n", quoted ? "\"" : "", group->name,
                   quoted ? "\"" : "");
    for (int32_t i = 0; i < group->facets.count; ++i) {
        int32_t f = group->facets.items[i];
        int32_t face = faces->face[f];
        if (faces->cell[f] == PAL_NONE || (quadratic && face % 4 != 3))
            continue;  // of four triangles the one in the middle counts
        pal_sink_print(sink, "%d, S%d\n", faces->cell[f] + 1, (quadratic ? face / 4 : face) + 1);
    }
    return PAL_OK;
}

static PalStatus put_groups(PalWrite *write)
{
    Faces faces = {0};
    PalStatus status = write->facet_count > 0 ? find_faces(write, &faces) : PAL_OK;
    for (int32_t g = 0; g < write->group_count && status == PAL_OK; ++g) {
        const PalWriteGroup *group = &write->groups[g];
        if (group->nodes.count > 0)
            put_set(&write->sink, "NSET", group->name, &group->nodes);
        if (group->cells.count > 0)
            put_set(&write->sink, "ELSET", group->name, &group->cells);
        if (group->facets.count > 0)
            status = put_surface(write, group, &faces);
    }
    pal_free(faces.cell);
    pal_free(faces.face);
    return status;
}

PalStatus pal_write_inp(PalWrite *write)
{
    static const char *const types[] = {"S3", "C3D4", "C3D8", "C3D10"};
    const PalMesh *mesh = write->mesh;
    PalSink *sink = &write->sink;
    int32_t width = pal_cell_node_count(mesh->cell_kind);
    pal_sink_print(sink, "** mesh written by palpate %s\n", pal_version());
    PAL_TRY(pal_write_name_groups(write, ",\"", true));
    pal_sink_text(sink, "*NODE\n");
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        const double x[3] = {mesh->nodes[n].x, mesh->nodes[n].y, mesh->nodes[n].z};
        pal_sink_int(sink, n + 1);
        for (int32_t i = 0; i < 3; ++i) {
            pal_sink_text(sink, ", ");
            pal_sink_number(sink, x[i]);
        }
        pal_sink_text(sink, "\n");
    }
    pal_sink_print(sink, "*ELEMENT, TYPE=%s\n", types[mesh->cell_kind]);
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        pal_sink_int(sink, c + 1);
        for (int32_t a = 0; a < width; ++a) {
            pal_sink_text(sink, ", ");
            pal_sink_int(sink, pal_mesh_cell(mesh, c)[a] + 1);
        }
        pal_sink_text(sink, "\n");
    }
    return put_groups(write);
}
