// The boundary of a solid, or a part of it, as a surface of its own, moved outward.
//
// A node goes where all facets around it have moved by the same distance: d with n . d = 1 for each
// normal n, in the least squares sense where there are more than three directions.
#include "base/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "mesh/across.h"
#include "mesh/cells.h"

#include <stdlib.h>

#define FLAT     1e-3  // of the largest eigenvalue: directions that no facet faces
#define FARTHEST 4.0   // offsets that a node may go

typedef struct Skin {
    const PalMesh *solid;
    PalSurface *surface;  // of it
    PalMesh *mesh;
    int32_t *number;      // per node of the solid: its number in the skin, or PAL_NONE
    int32_t *first_cell;  // per facet of the surface: its first triangle in the skin, or PAL_NONE
    PalMat3 *normals;     // per node of the skin: sum of n n^T, by angle
    PalVec3 *sums;        // and of n; then the way that the node goes
    double *least;        // and the least n . d
} Skin;

static void add_triangle(Skin *skin, const int32_t corners[3])
{
    int32_t *cell = skin->mesh->cells + 3 * (int64_t)skin->mesh->cell_count++;
    for (int k = 0; k < 3; ++k) {
        int32_t *number = &skin->number[corners[k]];
        if (*number == PAL_NONE) {
            *number = skin->mesh->node_count++;
            skin->mesh->nodes[*number] = skin->solid->nodes[corners[k]];
        }
        cell[k] = *number;
    }
}

// ---- moving outward ---------------------------------------------------------------------

static PalVec3 normal_of(const PalMesh *mesh, int32_t c)
{
    const int32_t *n = pal_mesh_cell(mesh, c);
    PalVec3 a = mesh->nodes[n[0]];
    return pal_vec3_normalise(
        pal_vec3_cross(pal_vec3_sub(mesh->nodes[n[1]], a), pal_vec3_sub(mesh->nodes[n[2]], a)));
}

static double angle_at(const PalMesh *mesh, int32_t c, int corner)
{
    const int32_t *n = pal_mesh_cell(mesh, c);
    PalVec3 at = mesh->nodes[n[corner]];
    PalVec3 a = pal_vec3_sub(mesh->nodes[n[(corner + 1) % 3]], at);
    PalVec3 b = pal_vec3_sub(mesh->nodes[n[(corner + 2) % 3]], at);
    return atan2(pal_vec3_length(pal_vec3_cross(a, b)), pal_vec3_dot(a, b));
}

static void sum_normals(Skin *skin)
{
    const PalMesh *mesh = skin->mesh;
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        PalVec3 normal = normal_of(mesh, c);
        const double n[3] = {normal.x, normal.y, normal.z};
        for (int k = 0; k < 3; ++k) {
            int32_t node = pal_mesh_cell(mesh, c)[k];
            double angle = angle_at(mesh, c, k);
            skin->sums[node] = pal_vec3_add_scaled(skin->sums[node], angle, normal);
            for (int i = 0; i < 9; ++i)
                skin->normals[node].m[i / 3][i % 3] += angle * n[i / 3] * n[i % 3];
        }
    }
}

// The shortest d with sum (n . d - 1)^2 as small as it can be.
static PalVec3 direction_of(const Skin *skin, int32_t node)
{
    double values[3];
    PalMat3 vectors;
    PalVec3 sum = skin->sums[node], d = {0, 0, 0};
    pal_mat3_eigen_symmetric(&skin->normals[node], values, &vectors);
    for (int k = 0; k < 3; ++k) {
        PalVec3 axis = {vectors.m[0][k], vectors.m[1][k], vectors.m[2][k]};
        if (values[k] > FLAT * values[2])
            d = pal_vec3_add_scaled(d, pal_vec3_dot(axis, sum) / values[k], axis);
    }
    return d;
}

// Which facet of a node comes out least: it sets how far the node goes.
static PalStatus move_outward(Skin *skin, double offset, PalError *error)
{
    PalMesh *mesh = skin->mesh;
    sum_normals(skin);
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        skin->sums[n] = direction_of(skin, n);
        skin->least[n] = 1;
    }
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        for (int k = 0; k < 3; ++k) {
            int32_t n = pal_mesh_cell(mesh, c)[k];
            skin->least[n] = fmin(skin->least[n], pal_vec3_dot(normal_of(mesh, c), skin->sums[n]));
        }
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        PalVec3 at = mesh->nodes[n];
        double length = pal_vec3_length(skin->sums[n]);
        if (!(skin->least[n] * FARTHEST > length))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "the surface is too sharp at (%g, %g, %g) for a skin that lies on "
                                 "it, expected facets that meet at a wider angle there",
                                 at.x, at.y, at.z);
        skin->sums[n] = pal_vec3_scale(offset / skin->least[n], skin->sums[n]);
    }
    for (int32_t n = 0; n < mesh->node_count; ++n)
        mesh->nodes[n] = pal_vec3_add(mesh->nodes[n], skin->sums[n]);
    return PAL_OK;
}

// ---- groups -----------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// Triangles of a group: those of its facets, and those on its cells.
static PalStatus carry_cells(Skin *skin, const PalGroup *group, int32_t *cells, int32_t *count,
                             PalError *error)
{
    const PalSurface *surface = skin->surface;
    int32_t per = surface->corner_count - 2;
    PalWhere where = pal_where_all();
    where.kind = PAL_WHERE_GROUP;
    where.group = group->name;
    int32_t *facets = NULL, facet_count = 0, next = 0;
    if (group->face_count > 0)
        PAL_TRY(pal_mesh_select_facets(skin->solid, surface, &where, &facets, &facet_count, error));
    for (int32_t f = 0; f < surface->facet_count; ++f) {
        while (next < facet_count && facets[next] < f)
            ++next;
        bool held = (next < facet_count && facets[next] == f) ||
                    bsearch(&surface->owners[f], group->cells, (size_t)group->cell_count,
                            sizeof *group->cells, compare) != NULL;
        for (int32_t k = 0; held && skin->first_cell[f] != PAL_NONE && k < per; ++k)
            cells[(*count)++] = skin->first_cell[f] + k;
    }
    free(facets);
    return PAL_OK;
}

// What of a group is on the skin, under the same name.
static PalStatus carry_group(Skin *skin, const PalGroup *group, int32_t *list, PalError *error)
{
    int32_t node_count = 0, cell_count = 0, *cells = list + group->node_count;
    for (int32_t i = 0; i < group->node_count; ++i)
        if (skin->number[group->nodes[i]] != PAL_NONE)
            list[node_count++] = skin->number[group->nodes[i]];
    PAL_TRY(carry_cells(skin, group, cells, &cell_count, error));
    PalGroup carried = {.name = group->name,
                        .node_count = node_count,
                        .nodes = list,
                        .cell_count = cell_count,
                        .cells = cells};
    return node_count > 0 ? pal_mesh_add_group(skin->mesh, &carried, error) : PAL_OK;
}

// Nodes at which the skin ends: those of edges that one triangle has.
static PalStatus add_rim(Skin *skin, int32_t *nodes, PalError *error)
{
    PalMesh *mesh = skin->mesh;
    int32_t(*across)[3] = pal_alloc((size_t)mesh->cell_count, sizeof *across), count = 0;
    if (across == NULL)
        return pal_mesh_no_memory(error);
    PalStatus status = pal_mesh_across(mesh, across, error);
    for (int32_t s = 0; status == PAL_OK && s < 3 * mesh->cell_count; ++s)
        if (across[s / 3][s % 3] == PAL_NONE)
            nodes[count++] = pal_mesh_cell(mesh, s / 3)[(s % 3 + 1) % 3];
    pal_free(across);
    char name[] = "rim";
    PalGroup rim = {.name = name, .node_count = count, .nodes = nodes};
    return status == PAL_OK && count > 0 ? pal_mesh_add_group(mesh, &rim, error) : status;
}

// ---- putting together -------------------------------------------------------------------

static PalStatus fill(Skin *skin, const PalWhere *where, PalError *error)
{
    const PalSurface *surface = skin->surface;
    int32_t *facets = NULL, count = 0;
    PAL_TRY(pal_mesh_select_facets(skin->solid, surface, where, &facets, &count, error));
    for (int32_t n = 0; n < skin->solid->node_count; ++n)
        skin->number[n] = PAL_NONE;
    for (int32_t f = 0; f < surface->facet_count; ++f)
        skin->first_cell[f] = PAL_NONE;
    for (int32_t i = 0; i < count; ++i) {
        const int32_t *n = surface->facets + (int64_t)surface->corner_count * facets[i];
        skin->first_cell[facets[i]] = skin->mesh->cell_count;
        for (int32_t k = 2; k < surface->corner_count; ++k)
            add_triangle(skin, (int32_t[]){n[0], n[k - 1], n[k]});
    }
    free(facets);
    if (skin->mesh->cell_count == 0)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "no facet of the surface is selected, expected some to make a skin "
                             "of");
    return PAL_OK;
}

static bool make_room(Skin *skin)
{
    const PalSurface *surface = skin->surface;
    size_t nodes = (size_t)surface->node_count, all = (size_t)skin->solid->node_count;
    size_t facets = (size_t)surface->facet_count;
    skin->mesh = pal_alloc(1, sizeof *skin->mesh);
    skin->number = pal_alloc(all, sizeof *skin->number);
    skin->first_cell = pal_alloc(facets, sizeof *skin->first_cell);
    skin->normals = pal_alloc(nodes, sizeof *skin->normals);
    skin->sums = pal_alloc(nodes, sizeof *skin->sums);
    skin->least = pal_alloc(nodes, sizeof *skin->least);
    if (skin->mesh == NULL)
        return false;
    PalMesh *mesh = skin->mesh;
    mesh->cell_kind = PAL_CELL_TRIANGLE;
    mesh->nodes = pal_alloc(nodes, sizeof *mesh->nodes);
    mesh->cells = pal_alloc(3 * facets, (size_t)(surface->corner_count - 2) * sizeof *mesh->cells);
    return mesh->nodes != NULL && mesh->cells != NULL && skin->number != NULL &&
           skin->first_cell != NULL && skin->normals != NULL && skin->sums != NULL &&
           skin->least != NULL;
}

static PalStatus add_groups(Skin *skin, PalError *error)
{
    const PalMesh *solid = skin->solid;
    size_t most = (size_t)solid->node_count + 3 * (size_t)skin->mesh->cell_count;
    int32_t *list = pal_alloc(most, sizeof *list);
    PalStatus status = list != NULL ? add_rim(skin, list, error) : pal_mesh_no_memory(error);
    for (int32_t g = 0; status == PAL_OK && g < solid->group_count; ++g)
        status = carry_group(skin, &solid->groups[g], list, error);
    pal_free(list);
    return status;
}

PalStatus pal_mesh_create_skin(const PalMesh *solid, const PalWhere *where, double offset,
                               PalMesh **skin, PalError *error)
{
    *skin = NULL;
    Skin made = {.solid = solid};
    PAL_TRY(pal_mesh_boundary(solid, &made.surface, error));
    PalStatus status = make_room(&made) ? fill(&made, where, error) : pal_mesh_no_memory(error);
    if (status == PAL_OK)
        status = move_outward(&made, offset, error);
    if (status == PAL_OK)
        status = add_groups(&made, error);
    if (status == PAL_OK)
        status = pal_mesh_check_thin(made.mesh, error);
    pal_surface_destroy(made.surface);
    pal_free(made.number);
    pal_free(made.first_cell);
    pal_free(made.normals);
    pal_free(made.sums);
    pal_free(made.least);
    if (status == PAL_OK)
        *skin = made.mesh;
    else
        pal_mesh_destroy(made.mesh);
    return status;
}
