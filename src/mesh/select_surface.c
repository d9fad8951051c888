#include "mesh/select_surface.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/box_tree.h"
#include "mesh/cells.h"

#include <math.h>

PalStatus pal_select_surface(const PalMesh *mesh, uint8_t *marks, PalError *error)
{
    PalSurface *surface = NULL;
    PAL_TRY(pal_mesh_boundary(mesh, &surface, error));
    for (int32_t i = 0; i < surface->node_count; ++i)
        marks[surface->nodes[i]] = 1;
    pal_surface_destroy(surface);
    return PAL_OK;
}

// Outward; of a quadrilateral by its diagonals.
static PalVec3 facet_normal(const PalMesh *mesh, const PalSurface *surface, int32_t facet)
{
    const int32_t *n = surface->facets + (size_t)facet * (size_t)surface->corner_count;
    const PalVec3 *x = mesh->nodes;
    if (surface->corner_count == 3)
        return pal_vec3_cross(pal_vec3_sub(x[n[1]], x[n[0]]), pal_vec3_sub(x[n[2]], x[n[0]]));
    return pal_vec3_cross(pal_vec3_sub(x[n[2]], x[n[0]]), pal_vec3_sub(x[n[3]], x[n[1]]));
}

void pal_select_facing_facets(const PalMesh *mesh, const PalSurface *surface, const PalWhere *where,
                              uint8_t *marks)
{
    const double slack = 1e-9;  // for facets at just that angle
    double least = cos(where->degrees * (3.14159265358979323846 / 180)) - slack;
    PalVec3 unit = pal_vec3_normalise(where->normal);
    for (int32_t f = 0; f < surface->facet_count; ++f) {
        PalVec3 normal = facet_normal(mesh, surface, f);
        double length = pal_vec3_length(normal);
        marks[f] = length > 0 && pal_vec3_dot(normal, unit) >= least * length;
    }
}

PalStatus pal_select_facing(const PalMesh *mesh, const PalWhere *where, uint8_t *marks,
                            PalError *error)
{
    PalSurface *surface = NULL;
    PAL_TRY(pal_mesh_boundary(mesh, &surface, error));
    uint8_t *facets = pal_alloc((size_t)surface->facet_count, sizeof *facets);
    if (facets != NULL) {
        pal_select_facing_facets(mesh, surface, where, facets);
        for (int32_t i = 0; i < surface->facet_count * surface->corner_count; ++i)
            if (facets[i / surface->corner_count] != 0)
                marks[surface->facets[i]] = 1;
    }
    pal_surface_destroy(surface);
    bool done = facets != NULL;
    pal_free(facets);
    return done ? PAL_OK : pal_mesh_no_memory(error);
}

PalStatus pal_select_near(const PalMesh *mesh, const PalWhere *where, uint8_t *marks,
                          PalError *error)
{
    const PalMesh *other = where->other;
    PAL_TRY(pal_mesh_check_all(other, error));
    if (other->cell_kind != PAL_CELL_TRIANGLE || other->cell_count == 0)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "a selection by nearness needs a mesh of triangles");
    PalBoxTree tree;
    if (!pal_box_tree_init(&tree, other))
        return pal_mesh_no_memory(error);
    for (int32_t n = 0; n < mesh->node_count; ++n)
        marks[n] = pal_box_tree_within(&tree, mesh->nodes[n], where->radius);
    pal_box_tree_clear(&tree);
    return PAL_OK;
}
