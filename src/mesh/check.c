// Whether a mesh is what it says: nothing outside its own arrays, nothing too far out.
#include "base/counted.h"
#include "math/vec3.h"
#include "mesh/cells.h"

static PalStatus check_head(const PalMeshDef *def, PalError *error)
{
    if ((int)def->cell_kind < PAL_CELL_TRIANGLE || def->cell_kind > PAL_CELL_QUADRATIC_TETRAHEDRON)
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "unknown kind of cell %d: expected triangle, tetrahedron, hexahedron or quadratic "
            "tetrahedron",
            (int)def->cell_kind);
    if (def->node_count < 0 || def->cell_count < 0)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "a mesh of %d nodes and %d cells: counts must not be negative",
                             (int)def->node_count, (int)def->cell_count);
    PAL_TRY(pal_check_counted("nodes of a mesh", def->node_count, def->nodes, error));
    return pal_check_counted("cells of a mesh", def->cell_count, def->cells, error);
}

PalStatus pal_mesh_def_check(const PalMeshDef *def, PalError *error)
{
    PAL_TRY(check_head(def, error));
    for (int32_t n = 0; n < def->node_count; ++n)
        if (!pal_vec3_is_finite(def->nodes[n]))
            return pal_error_set(error, PAL_BAD_INPUT, "node %d is at (%g, %g, %g): not finite",
                                 (int)n, def->nodes[n].x, def->nodes[n].y, def->nodes[n].z);
    int32_t width = pal_cell_node_count(def->cell_kind);
    for (size_t i = 0; i < (size_t)def->cell_count * (size_t)width; ++i)
        if (def->cells[i] < 0 || def->cells[i] >= def->node_count)
            return pal_error_set(
                error, PAL_BAD_INPUT, "cell %d names node %d, but the mesh has %d nodes, from 0",
                (int)(i / (size_t)width), (int)def->cells[i], (int)def->node_count);
    return PAL_OK;
}

static PalStatus check_range(const PalGroup *group, const char *what, int32_t index, int32_t count,
                             PalError *error)
{
    if (index >= 0 && index < count)
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT,
                         "group '%s' names %s %d, but the mesh has %d of them, from 0", group->name,
                         what, (int)index, (int)count);
}

PalStatus pal_group_check(const PalMesh *mesh, const PalGroup *group, PalError *error)
{
    if (group->name == NULL || group->name[0] == '\0')
        return pal_error_set(error, PAL_BAD_INPUT, "a group of a mesh needs a name");
    if (group->node_count < 0 || group->cell_count < 0 || group->face_count < 0)
        return pal_error_set(error, PAL_BAD_INPUT, "group '%s': counts must not be negative",
                             group->name);
    PAL_TRY(pal_check_counted("nodes of a group", group->node_count, group->nodes, error));
    PAL_TRY(pal_check_counted("cells of a group", group->cell_count, group->cells, error));
    PAL_TRY(pal_check_counted("faces of a group", group->face_count, group->faces, error));
    for (int32_t i = 0; i < group->node_count; ++i)
        PAL_TRY(check_range(group, "node", group->nodes[i], mesh->node_count, error));
    for (int32_t i = 0; i < group->cell_count; ++i)
        PAL_TRY(check_range(group, "cell", group->cells[i], mesh->cell_count, error));
    for (int32_t i = 0; i < group->face_count; ++i)
        for (int32_t a = 0; a < 4; ++a)
            if (a < 3 || group->faces[i][a] != PAL_NONE)
                PAL_TRY(check_range(group, "node", group->faces[i][a], mesh->node_count, error));
    return PAL_OK;
}

static PalMeshDef def_of(const PalMesh *mesh)
{
    return (PalMeshDef){mesh->cell_kind, mesh->node_count, mesh->nodes, mesh->cell_count,
                        mesh->cells};
}

static PalStatus no_mesh(PalError *error)
{
    return pal_error_set(error, PAL_BAD_INPUT, "there is no mesh: the pointer is NULL");
}

PalStatus pal_mesh_check_head(const PalMesh *mesh, PalError *error)
{
    if (mesh == NULL)
        return no_mesh(error);
    PalMeshDef def = def_of(mesh);
    PAL_TRY(check_head(&def, error));
    return pal_check_counted("groups of a mesh", mesh->group_count, mesh->groups, error);
}

PalStatus pal_mesh_check(const PalMesh *mesh, PalError *error)
{
    if (mesh == NULL)
        return no_mesh(error);
    PalMeshDef def = def_of(mesh);
    return pal_mesh_def_check(&def, error);
}

PalStatus pal_mesh_check_all(const PalMesh *mesh, PalError *error)
{
    PAL_TRY(pal_mesh_check(mesh, error));
    PAL_TRY(pal_check_counted("groups of a mesh", mesh->group_count, mesh->groups, error));
    for (int32_t g = 0; g < mesh->group_count; ++g)
        PAL_TRY(pal_group_check(mesh, &mesh->groups[g], error));
    return PAL_OK;
}

PalStatus pal_surface_check(const PalMesh *mesh, const PalSurface *surface, PalError *error)
{
    if (surface == NULL || (surface->corner_count != 3 && surface->corner_count != 4))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "a surface of facets with 3 or 4 corners is expected");
    PAL_TRY(pal_check_counted("facets", surface->facet_count, surface->facets, error));
    PAL_TRY(pal_check_counted("facets with cells", surface->facet_count, surface->owners, error));
    size_t corners = (size_t)surface->facet_count * (size_t)surface->corner_count;
    for (size_t i = 0; i < corners; ++i)
        if (surface->facets[i] < 0 || surface->facets[i] >= mesh->node_count)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "facet %d names node %d, but the mesh has %d nodes, from 0",
                                 (int)(i / (size_t)surface->corner_count), (int)surface->facets[i],
                                 (int)mesh->node_count);
    return PAL_OK;
}

PalStatus pal_mesh_check_triangles(const PalMesh *mesh, PalError *error)
{
    PAL_TRY(pal_mesh_check(mesh, error));
    if (mesh->cell_kind != PAL_CELL_TRIANGLE)
        return pal_error_set(error, PAL_BAD_INPUT, "the mesh has %s cells, expected triangles",
                             pal_cell_name(mesh->cell_kind));
    return PAL_OK;
}

PalStatus pal_mesh_check_reach(const PalMesh *mesh, PalError *error)
{
    PalVec3 low = {0, 0, 0}, high = {0, 0, 0};
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        PalVec3 x = mesh->nodes[n];
        double far = fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z)));
        if (!(far <= PAL_FARTHEST) || !pal_vec3_is_finite(x))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "node %d is at (%g, %g, %g), too far out to compute with, "
                                 "expected coordinates of at most %g",
                                 (int)n, x.x, x.y, x.z, PAL_FARTHEST);
        low = n == 0 ? x : pal_vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = n == 0 ? x : pal_vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    double size = fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
    if (mesh->node_count > 0 && !(size >= 1 / PAL_FARTHEST))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "all of it is %g across, too small to compute with, expected at least "
                             "%g",
                             size, 1 / PAL_FARTHEST);
    return PAL_OK;
}
