// A node in the middle of every edge of a mesh of tetrahedra.
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/cells.h"

#include <string.h>

// Edges of all cells, each once: edge 6 c + k of a cell is number[6 c + k].
typedef struct Edges {
    int32_t count;
    int32_t (*ends)[2];  // ascending, and in the order of their ends
    int32_t *number;
} Edges;

static bool find_edges(const PalMesh *mesh, Edges *edges)
{
    int32_t total = 6 * mesh->cell_count;
    int32_t(*rows)[2] = pal_alloc((size_t)total, sizeof *rows);
    int32_t *order = pal_alloc((size_t)total, sizeof *order);
    edges->ends = pal_alloc((size_t)total, sizeof *edges->ends);
    edges->number = pal_alloc((size_t)total, sizeof *edges->number);
    bool whole = rows != NULL && order != NULL && edges->ends != NULL && edges->number != NULL;
    for (int32_t i = 0; whole && i < total; ++i) {
        const int32_t *nodes = pal_mesh_cell(mesh, i / 6);
        rows[i][0] = nodes[pal_quadratic_edges[i % 6][0]];
        rows[i][1] = nodes[pal_quadratic_edges[i % 6][1]];
        pal_row_sort(rows[i], 2);
    }
    whole = whole && pal_rows_order(&rows[0][0], total, 2, order);
    for (int32_t i = 0; whole && i < total; ++i) {
        if (i == 0 || !pal_rows_equal(rows[order[i]], rows[order[i - 1]], 2))
            memcpy(edges->ends[edges->count++], rows[order[i]], sizeof *rows);
        edges->number[order[i]] = edges->count - 1;
    }
    pal_free(rows);
    pal_free(order);
    return whole;
}

// The edge between two nodes, or PAL_NONE.
static int32_t find_edge(const Edges *edges, int32_t a, int32_t b)
{
    int32_t wanted[2] = {a < b ? a : b, a < b ? b : a}, low = 0, high = edges->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        const int32_t *ends = edges->ends[middle];
        if (ends[0] < wanted[0] || (ends[0] == wanted[0] && ends[1] < wanted[1]))
            low = middle + 1;
        else
            high = middle;
    }
    return low < edges->count && pal_rows_equal(edges->ends[low], wanted, 2) ? low : PAL_NONE;
}

static bool build_cells(const PalMesh *mesh, const Edges *edges, PalMesh *made)
{
    made->node_count = mesh->node_count + edges->count;
    made->cell_count = mesh->cell_count;
    made->nodes = pal_alloc((size_t)made->node_count, sizeof *made->nodes);
    made->cells = pal_alloc((size_t)made->cell_count, 10 * sizeof *made->cells);
    if (made->nodes == NULL || made->cells == NULL)
        return false;
    memcpy(made->nodes, mesh->nodes, (size_t)mesh->node_count * sizeof *mesh->nodes);
    for (int32_t e = 0; e < edges->count; ++e)
        made->nodes[mesh->node_count + e] = pal_vec3_scale(
            0.5, pal_vec3_add(mesh->nodes[edges->ends[e][0]], mesh->nodes[edges->ends[e][1]]));
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        int32_t *cell = made->cells + 10 * (size_t)c;
        memcpy(cell, pal_mesh_cell(mesh, c), 4 * sizeof *cell);
        for (int k = 0; k < 6; ++k)
            cell[4 + k] = mesh->node_count + edges->number[6 * (size_t)c + (size_t)k];
    }
    return true;
}

// Four triangles of a face; false where its edges are those of no cell.
static bool divide_face(const PalMesh *mesh, const Edges *edges, const int32_t face[4],
                        int32_t (*to)[4])
{
    int32_t middle[3];
    for (int k = 0; k < 3; ++k) {
        int32_t edge =
            face[3] == PAL_NONE ? find_edge(edges, face[k], face[(k + 1) % 3]) : PAL_NONE;
        if (edge == PAL_NONE)
            return false;
        middle[k] = mesh->node_count + edge;
    }
    for (int k = 0; k < 3; ++k) {
        const int32_t one[4] = {face[k], middle[k], middle[(k + 2) % 3], PAL_NONE};
        memcpy(to[k], one, sizeof one);
    }
    const int32_t inner[4] = {middle[0], middle[1], middle[2], PAL_NONE};
    memcpy(to[3], inner, sizeof inner);
    return true;
}

// Nodes of a group, and those on edges between two of them; of a group with faces or cells only the
// nodes that these have not: theirs come by themselves.
static int32_t list_nodes(const PalMesh *mesh, const Edges *edges, const PalGroup *group,
                          uint8_t *has, int32_t *nodes)
{
    int32_t count = group->node_count;
    memset(has, 0, (size_t)mesh->node_count);
    for (int32_t i = 0; i < count; ++i) {
        has[group->nodes[i]] = 1;
        nodes[i] = group->nodes[i];
    }
    bool plain = group->face_count == 0 && group->cell_count == 0;
    for (int32_t e = 0; plain && e < edges->count; ++e)
        if (has[edges->ends[e][0]] && has[edges->ends[e][1]])
            nodes[count++] = mesh->node_count + e;
    return count;
}

static PalStatus add_groups(const PalMesh *mesh, const Edges *edges, PalMesh *made, PalError *error)
{
    int32_t *nodes = pal_alloc((size_t)made->node_count, sizeof *nodes);
    uint8_t *has = pal_alloc((size_t)mesh->node_count, sizeof *has);
    PalStatus status = nodes != NULL && has != NULL ? PAL_OK : pal_mesh_no_memory(error);
    for (int32_t g = 0; status == PAL_OK && g < mesh->group_count; ++g) {
        PalGroup group = mesh->groups[g];
        int32_t(*faces)[4] = pal_alloc(4 * (size_t)group.face_count, sizeof *faces);
        if (faces == NULL) {
            status = pal_mesh_no_memory(error);
            break;
        }
        int32_t count = 0;
        for (int32_t f = 0; f < group.face_count; ++f)
            if (divide_face(mesh, edges, group.faces[f], faces + count))
                count += 4;
        group.node_count = list_nodes(mesh, edges, &group, has, nodes);
        group.nodes = nodes;
        group.faces = faces;
        group.face_count = count;
        status = pal_mesh_add_group(made, &group, error);
        pal_free(faces);
    }
    pal_free(nodes);
    pal_free(has);
    return status;
}

PalStatus pal_mesh_create_quadratic(const PalMesh *mesh, PalMesh **quadratic, PalError *error)
{
    *quadratic = NULL;
    PAL_TRY(pal_mesh_check_all(mesh, error));
    if (mesh->cell_kind != PAL_CELL_TETRAHEDRON)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "the mesh has %s cells; only tetrahedra can be made quadratic",
                             pal_cell_name(mesh->cell_kind));
    if (mesh->cell_count > INT32_MAX / 10)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "%d cells are too many to be made quadratic: at most %d",
                             (int)mesh->cell_count, INT32_MAX / 10);
    Edges edges = {0};
    PalMesh *made = pal_alloc(1, sizeof *made);
    PalStatus status = PAL_NO_MEMORY;
    if (made != NULL && find_edges(mesh, &edges) && edges.count <= INT32_MAX - mesh->node_count) {
        made->cell_kind = PAL_CELL_QUADRATIC_TETRAHEDRON;
        if (build_cells(mesh, &edges, made))
            status = add_groups(mesh, &edges, made, error);
    }
    pal_free(edges.ends);
    pal_free(edges.number);
    if (status == PAL_OK) {
        *quadratic = made;
        return PAL_OK;
    }
    pal_mesh_destroy(made);
    return pal_mesh_no_memory(error);
}
