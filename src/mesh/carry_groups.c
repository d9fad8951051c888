// Groups of a surface, for the solid inside it.
#include "base/array.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/box_tree.h"
#include "mesh/cells.h"

typedef int32_t Facet[4];

typedef struct Carry {
    const PalMesh *surface;
    PalMesh *solid;
    const PalSurface *boundary;
    int32_t *nearest;    // triangle of each facet of the boundary
    uint8_t *cell_mark;  // triangles of the group at hand
    uint8_t *node_mark;  // nodes that these have
    PAL_ARRAY(Facet) faces;
    PAL_ARRAY(int32_t) nodes;
} Carry;

static void find_nearest(Carry *carry, const PalBoxTree *tree)
{
    const PalSurface *boundary = carry->boundary;
    int32_t width = boundary->corner_count;
    for (int32_t f = 0; f < boundary->facet_count; ++f) {
        PalVec3 middle = {0, 0, 0};
        for (int32_t a = 0; a < width; ++a)
            middle = pal_vec3_add_scaled(
                middle, 1.0 / width,
                carry->solid->nodes[boundary->facets[(size_t)f * (size_t)width + (size_t)a]]);
        carry->nearest[f] = pal_box_tree_nearest(tree, middle);
    }
}

static int32_t nearest_node(const Carry *carry, PalVec3 point)
{
    const PalSurface *boundary = carry->boundary;
    int32_t nearest = boundary->nodes[0];
    for (int32_t i = 1; i < boundary->node_count; ++i)
        if (pal_vec3_distance(carry->solid->nodes[boundary->nodes[i]], point) <
            pal_vec3_distance(carry->solid->nodes[nearest], point))
            nearest = boundary->nodes[i];
    return nearest;
}

static void mark_group(Carry *carry, const PalGroup *group, uint8_t mark)
{
    for (int32_t i = 0; i < group->cell_count; ++i) {
        const int32_t *corner = pal_mesh_cell(carry->surface, group->cells[i]);
        carry->cell_mark[group->cells[i]] = mark;
        for (int a = 0; a < 3; ++a)
            carry->node_mark[corner[a]] = mark;
    }
}

static PalStatus carry_group(Carry *carry, const PalGroup *group, PalError *error)
{
    const PalSurface *boundary = carry->boundary;
    int32_t width = boundary->corner_count;
    bool good = true;
    carry->faces.count = carry->nodes.count = 0;
    mark_group(carry, group, 1);
    for (int32_t f = 0; f < boundary->facet_count && good; ++f) {
        if (!carry->cell_mark[carry->nearest[f]])
            continue;
        good = pal_array_reserve(&carry->faces, 1);
        int32_t *face = good ? carry->faces.items[carry->faces.count++] : NULL;
        for (int32_t a = 0; a < 4 && good; ++a)
            face[a] =
                a < width ? boundary->facets[(size_t)f * (size_t)width + (size_t)a] : PAL_NONE;
    }
    for (int32_t i = 0; i < group->node_count && good; ++i)
        if (!carry->node_mark[group->nodes[i]])
            good = pal_array_push(&carry->nodes,
                                  nearest_node(carry, carry->surface->nodes[group->nodes[i]]));
    mark_group(carry, group, 0);
    if (!good)
        return pal_mesh_no_memory(error);
    PalGroup add = {.name = group->name,
                    .node_count = carry->nodes.count,
                    .nodes = carry->nodes.items,
                    .face_count = carry->faces.count,
                    .faces = carry->faces.items};
    if (add.node_count == 0 && add.face_count == 0)
        return PAL_OK;
    return pal_mesh_add_group(carry->solid, &add, error);
}

PalStatus pal_mesh_carry_groups(const PalMesh *surface, PalMesh *solid, PalError *error)
{
    PAL_TRY(pal_mesh_check_triangles(surface, error));
    PAL_TRY(pal_mesh_check_all(surface, error));
    PAL_TRY(pal_mesh_check_all(solid, error));
    if (surface->group_count == 0 || surface->cell_count == 0 || solid->cell_count == 0)
        return PAL_OK;
    PalSurface *boundary;
    PAL_TRY(pal_mesh_boundary(solid, &boundary, error));
    PalBoxTree tree = {0};
    Carry carry = {.surface = surface, .solid = solid, .boundary = boundary};
    carry.nearest = pal_alloc((size_t)boundary->facet_count, sizeof *carry.nearest);
    carry.cell_mark = pal_alloc((size_t)surface->cell_count, 1);
    carry.node_mark = pal_alloc((size_t)surface->node_count, 1);
    PalStatus status = PAL_OK;
    if (carry.nearest == NULL || carry.cell_mark == NULL || carry.node_mark == NULL ||
        !pal_box_tree_init(&tree, surface))
        status = pal_mesh_no_memory(error);
    else
        find_nearest(&carry, &tree);
    for (int32_t g = 0; g < surface->group_count && status == PAL_OK; ++g)
        status = carry_group(&carry, &surface->groups[g], error);
    pal_box_tree_clear(&tree);
    pal_free(carry.nearest);
    pal_free(carry.cell_mark);
    pal_free(carry.node_mark);
    pal_array_clear(&carry.faces);
    pal_array_clear(&carry.nodes);
    pal_surface_destroy(boundary);
    return status;
}
