// Moves the nodes of the worst cells to where the least quality around them is higher; nodes on
// the surface stay on it. Stretched ellipsoids need it where their blocks meet.
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/blocks.h"
#include "mesh/cells.h"

enum { SWEEPS = 16, STEPS = 3 };

static const double enough = 0.35;      // quality of cells left alone
static const double first_step = 0.15;  // part of the distance to the cell's neighbouring nodes

typedef struct Improver {
    PalMesh *mesh;
    PalVec3 extent;
    PalLists around;
    const uint8_t *fixed;  // nodes that stay on the surface
} Improver;

static double least_around(const Improver *improver, int32_t node)
{
    double least = INFINITY;
    for (int32_t i = improver->around.start[node]; i < improver->around.start[node + 1]; ++i)
        least = fmin(least, pal_cell_quality(improver->mesh, improver->around.items[i]));
    return least;
}

static PalVec3 onto_surface(PalVec3 extent, PalVec3 p)
{
    PalVec3 unit = pal_vec3_normalise(pal_vec3(p.x / extent.x, p.y / extent.y, p.z / extent.z));
    return pal_vec3(extent.x * unit.x, extent.y * unit.y, extent.z * unit.z);
}

// Tries steps along the axes, long ones first. Whether the node moved.
static bool move_node(const Improver *improver, int32_t node, double step)
{
    PalVec3 *position = &improver->mesh->nodes[node], best = *position;
    double quality = least_around(improver, node);
    bool moved = false;
    for (int32_t i = 0; i < STEPS; ++i, step /= 3) {
        PalVec3 from = best;
        for (int32_t d = 0; d < 6; ++d) {
            double part = d % 2 == 0 ? step : -step;
            PalVec3 to = pal_vec3_add(from, pal_vec3(d / 2 == 0 ? part : 0, d / 2 == 1 ? part : 0,
                                                     d / 2 == 2 ? part : 0));
            *position = improver->fixed[node] != 0 ? onto_surface(improver->extent, to) : to;
            double tried = least_around(improver, node);
            if (tried > quality) {
                quality = tried;
                best = *position;
                moved = true;
            }
        }
    }
    *position = best;
    return moved;
}

static bool improve_cell(const Improver *improver, int32_t cell_index, bool surface)
{
    const int32_t *nodes = pal_mesh_cell(improver->mesh, cell_index);
    bool moved = false;
    for (int32_t a = 0; a < pal_cell_node_count(improver->mesh->cell_kind); ++a) {
        if (improver->fixed[nodes[a]] != 0 && !surface)
            continue;
        double volume = fabs(pal_cell_volume(improver->mesh, cell_index));
        moved |= move_node(improver, nodes[a], first_step * cbrt(6 * volume));
    }
    return moved;
}

PalStatus pal_ball_improve(PalMesh *mesh, PalVec3 extent, PalError *error)
{
    const PalGroup *surface = &mesh->groups[0];
    uint8_t *fixed = pal_alloc((size_t)mesh->node_count, sizeof *fixed);
    if (fixed == NULL)
        return pal_mesh_no_memory(error);
    for (int32_t i = 0; i < surface->node_count; ++i)
        fixed[surface->nodes[i]] = 1;
    Improver improver = {.mesh = mesh, .extent = extent, .fixed = fixed};
    PalStatus status = pal_mesh_node_cells(mesh, &improver.around, error);
    // Nodes inside first: moving those of the surface makes it coarser in places
    bool moved = true;
    for (int32_t sweep = 0; status == PAL_OK && sweep < SWEEPS; ++sweep) {
        bool with_surface = !moved || sweep >= SWEEPS / 2;
        moved = false;
        for (int32_t c = 0; c < mesh->cell_count; ++c)
            if (pal_cell_quality(mesh, c) < enough)
                moved |= improve_cell(&improver, c, with_surface);
        if (!moved && with_surface)
            break;
    }
    pal_lists_clear(&improver.around);
    pal_free(fixed);
    return status;
}
