// STL, OBJ and PLY: triangles only.
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/cells.h"
#include "mesh/writers/write.h"

#include <string.h>

static PalStatus lose_unused_nodes(PalWrite *write)
{
    const PalMesh *mesh = write->mesh;
    uint8_t *used = pal_alloc((size_t)mesh->node_count, 1);
    if (used == NULL)
        return pal_write_no_memory(write);
    int32_t count = mesh->node_count;
    for (size_t i = 0; i < 3 * (size_t)mesh->cell_count; ++i) {
        count -= !used[mesh->cells[i]];
        used[mesh->cells[i]] = 1;
    }
    pal_free(used);
    return count == 0 ? PAL_OK
                      : pal_write_loss(write,
                                       "STL holds triangles alone; left out: %d nodes that "
                                       "belong to none",
                                       count);
}

// ---- STL ------------------------------------------------------------------------------------

static PalVec3 normal_of(const PalMesh *mesh, const int32_t *corner)
{
    PalVec3 x = mesh->nodes[corner[0]];
    PalVec3 normal = pal_vec3_cross(pal_vec3_sub(mesh->nodes[corner[1]], x),
                                    pal_vec3_sub(mesh->nodes[corner[2]], x));
    double length = pal_vec3_length(normal);
    return length > 0 ? pal_vec3_scale(1 / length, normal) : (PalVec3){0, 0, 0};
}

static void put_float(PalSink *sink, double value)
{
    float rounded = (float)value;
    pal_sink_binary(sink, &rounded, sizeof rounded, false);
}

static void put_binary_vector(PalSink *sink, PalVec3 x)
{
    put_float(sink, x.x);
    put_float(sink, x.y);
    put_float(sink, x.z);
}

static PalStatus write_binary_stl(PalWrite *write)
{
    const PalMesh *mesh = write->mesh;
    PalSink *sink = &write->sink;
    int64_t rounded = 0;
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        PalVec3 x = mesh->nodes[n];
        rounded += (float)x.x != x.x || (float)x.y != x.y || (float)x.z != x.z;
    }
    if (rounded > 0)
        PAL_TRY(pal_write_loss(write,
                               "binary STL holds 32-bit numbers: the coordinates of %lld nodes are "
                               "rounded; text keeps all digits",
                               (long long)rounded));
    PAL_TRY(pal_write_lose_groups(write, "binary STL"));
    char head[80] = "mesh written by palpate";
    pal_sink_put(sink, head, sizeof head);
    uint32_t count = (uint32_t)mesh->cell_count;
    pal_sink_binary(sink, &count, sizeof count, false);
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        const int32_t *corner = pal_mesh_cell(mesh, c);
        put_binary_vector(sink, normal_of(mesh, corner));
        for (int32_t a = 0; a < 3; ++a)
            put_binary_vector(sink, mesh->nodes[corner[a]]);
        pal_sink_put(sink, "\0\0", 2);
    }
    return PAL_OK;
}

static void put_vector(PalSink *sink, PalVec3 x)
{
    pal_sink_number(sink, x.x);
    pal_sink_text(sink, " ");
    pal_sink_number(sink, x.y);
    pal_sink_text(sink, " ");
    pal_sink_number(sink, x.z);
    pal_sink_text(sink, "\n");
}

static void put_facet(PalSink *sink, const PalMesh *mesh, const int32_t *corner)
{
    pal_sink_text(sink, "facet normal ");
    put_vector(sink, normal_of(mesh, corner));
    pal_sink_text(sink, "outer loop\n");
    for (int32_t a = 0; a < 3; ++a) {
        pal_sink_text(sink, "vertex ");
        put_vector(sink, mesh->nodes[corner[a]]);
    }
    pal_sink_text(sink, "endloop\nendfacet\n");
}

// The one group each triangle is written in: the first that has it.
static PalStatus choose_solids(PalWrite *write, int32_t *solid)
{
    bool *lost = pal_alloc((size_t)write->group_count, sizeof *lost), any = false;
    if (lost == NULL)
        return pal_write_no_memory(write);
    for (int32_t g = 0; g < write->group_count; ++g)
        for (int32_t i = 0; i < write->groups[g].cells.count; ++i) {
            int32_t *own = &solid[write->groups[g].cells.items[i]];
            any |= lost[g] |= *own != PAL_NONE && *own != g;
            *own = *own == PAL_NONE ? g : *own;
        }
    PalStatus status = PAL_OK;
    if (any)
        status = pal_write_loss(
            write, "STL keeps a triangle in one group only; these groups lose triangles: %s",
            pal_write_list_groups(write, lost).text);
    pal_free(lost);
    return status;
}

// Triangles in their order: a solid ends where the next triangle is of another one.
static PalStatus write_text_stl(PalWrite *write)
{
    const PalMesh *mesh = write->mesh;
    PalSink *sink = &write->sink;
    PAL_TRY(pal_write_name_groups(write, "", false));
    PAL_TRY(pal_write_lose_nodes(write, "STL"));
    int32_t *solid = pal_alloc((size_t)mesh->cell_count, sizeof *solid);
    if (solid == NULL)
        return pal_write_no_memory(write);
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        solid[c] = PAL_NONE;
    PalStatus status = choose_solids(write, solid);
    for (int32_t c = 0; c < mesh->cell_count && status == PAL_OK; ++c) {
        const char *name = solid[c] == PAL_NONE ? "" : write->groups[solid[c]].name;
        if (c == 0 || solid[c] != solid[c - 1]) {
            pal_sink_text(sink, "solid ");
            pal_sink_text(sink, name);
            pal_sink_text(sink, "\n");
        }
        put_facet(sink, mesh, pal_mesh_cell(mesh, c));
        if (c + 1 == mesh->cell_count || solid[c + 1] != solid[c]) {
            pal_sink_text(sink, "endsolid ");
            pal_sink_text(sink, name);
            pal_sink_text(sink, "\n");
        }
    }
    pal_free(solid);
    return status;
}

PalStatus pal_write_stl(PalWrite *write)
{
    PAL_TRY(lose_unused_nodes(write));
    return write->options->text ? write_text_stl(write) : write_binary_stl(write);
}

// ---- OBJ ------------------------------------------------------------------------------------

static void put_obj_groups(PalWrite *write, const PalSignatures *signatures, int32_t s)
{
    pal_sink_text(&write->sink, "g");
    for (int32_t t = s; t > 0; t = signatures->parent.items[t]) {
        pal_sink_text(&write->sink, " ");
        pal_sink_text(&write->sink, write->groups[signatures->group.items[t]].name);
    }
    pal_sink_text(&write->sink, "\n");
}

PalStatus pal_write_obj(PalWrite *write)
{
    const PalMesh *mesh = write->mesh;
    PalSink *sink = &write->sink;
    PAL_TRY(pal_write_name_groups(write, " \t\\", false));
    PAL_TRY(pal_write_lose_nodes(write, "OBJ"));
    PalSignatures signatures;
    PAL_TRY(pal_signatures_make(write, PAL_PART_CELLS, &signatures));
    pal_sink_print(sink, "# mesh written by palpate %s\n", pal_version());
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        pal_sink_text(sink, "v ");
        put_vector(sink, mesh->nodes[n]);
    }
    int32_t last = 0;
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        const int32_t *corner = pal_mesh_cell(mesh, c);
        if (signatures.of_item[c] != last)
            put_obj_groups(write, &signatures, last = signatures.of_item[c]);
        pal_sink_print(sink, "f %d %d %d\n", corner[0] + 1, corner[1] + 1, corner[2] + 1);
    }
    pal_signatures_clear(&signatures);
    return PAL_OK;
}

// ---- PLY ------------------------------------------------------------------------------------

PalStatus pal_write_ply(PalWrite *write)
{
    const PalMesh *mesh = write->mesh;
    PalSink *sink = &write->sink;
    bool text = write->options->text, little = pal_host_is_little_endian();
    PAL_TRY(pal_write_lose_groups(write, "PLY"));
    pal_sink_print(sink,
                   "ply\nformat %s 1.0\ncomment mesh written by palpate %s\nelement vertex %d\n"
                   "property double x\nproperty double y\nproperty double z\nelement face %d\n"
                   "property list uchar int vertex_indices\nend_header\n",
                   text     ? "ascii"
                   : little ? "binary_little_endian"
                            : "binary_big_endian",
                   pal_version(), mesh->node_count, mesh->cell_count);
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        if (text)
            put_vector(sink, mesh->nodes[n]);
        else
            pal_sink_put(sink, &mesh->nodes[n], 3 * sizeof(double));
    }
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        const int32_t *corner = pal_mesh_cell(mesh, c);
        if (text) {
            pal_sink_print(sink, "3 %d %d %d\n", corner[0], corner[1], corner[2]);
        } else {
            pal_sink_put(sink, "\3", 1);
            pal_sink_put(sink, corner, 3 * sizeof *corner);
        }
    }
    return PAL_OK;
}
