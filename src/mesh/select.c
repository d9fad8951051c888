#include "base/counted.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/cells.h"
#include "mesh/select_surface.h"

#include <stdio.h>
#include <string.h>

PalWhere pal_where_all(void)
{
    return (PalWhere){.kind = PAL_WHERE_ALL};
}

// Fills `text` with the names of the groups, as far as they fit.
static void list_groups(const PalMesh *mesh, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int32_t g = 0; g < mesh->group_count; ++g) {
        int length =
            snprintf(text + used, size - used, "%s%s", g == 0 ? "" : ", ", mesh->groups[g].name);
        if (length < 0 || (size_t)length >= size - used) {
            snprintf(text + used, size - used, "...");
            return;
        }
        used += (size_t)length;
    }
}

static PalStatus get_group(const PalMesh *mesh, const char *name, const PalGroup **group,
                           PalError *error)
{
    if (name == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "a selection by group needs the group's name");
    *group = pal_mesh_find_group(mesh, name);
    if (*group != NULL)
        return PAL_OK;
    if (mesh->group_count == 0)
        return pal_error_set(error, PAL_BAD_INPUT, "no group '%s': the mesh has no groups", name);
    char names[512];
    list_groups(mesh, names, sizeof names);
    return pal_error_set(error, PAL_BAD_INPUT, "no group '%s': the mesh has %s", name, names);
}

static PalStatus mark_listed(const PalMesh *mesh, const int32_t *nodes, int32_t count,
                             uint8_t *marks, PalError *error)
{
    for (int32_t i = 0; i < count; ++i) {
        if (nodes[i] < 0 || nodes[i] >= mesh->node_count)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "node %d is selected, but the mesh has %d nodes, from 0",
                                 (int)nodes[i], (int)mesh->node_count);
        marks[nodes[i]] = 1;
    }
    return PAL_OK;
}

static double plane_tolerance(const PalMesh *mesh, const PalWhere *where)
{
    if (where->tolerance > 0 || mesh->node_count == 0)
        return where->tolerance;
    PalBounds bounds = pal_mesh_bounds(mesh);
    return 1e-6 * pal_vec3_distance(bounds.lower, bounds.upper);
}

static void mark_plane(const PalMesh *mesh, PalVec3 point, PalVec3 normal, double tolerance,
                       uint8_t *marks)
{
    PalVec3 unit = pal_vec3_normalise(normal);
    for (int32_t n = 0; n < mesh->node_count; ++n)
        marks[n] = fabs(pal_vec3_dot(unit, pal_vec3_sub(mesh->nodes[n], point))) <= tolerance;
}

static void mark_side(const PalMesh *mesh, const PalWhere *where, uint8_t *marks)
{
    PalBounds bounds = pal_mesh_bounds(mesh);
    double level = pal_vec3_at(where->highest ? bounds.upper : bounds.lower, where->axis);
    double tolerance = plane_tolerance(mesh, where);
    for (int32_t n = 0; n < mesh->node_count; ++n)
        marks[n] = fabs(pal_vec3_at(mesh->nodes[n], where->axis) - level) <= tolerance;
}

static void mark_box(const PalMesh *mesh, const PalBounds *box, uint8_t *marks)
{
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        PalVec3 p = mesh->nodes[n];
        marks[n] = p.x >= box->lower.x && p.x <= box->upper.x && p.y >= box->lower.y &&
                   p.y <= box->upper.y && p.z >= box->lower.z && p.z <= box->upper.z;
    }
}

static void mark_sphere(const PalMesh *mesh, PalVec3 centre, double radius, uint8_t *marks)
{
    for (int32_t n = 0; n < mesh->node_count; ++n)
        marks[n] = pal_vec3_distance(mesh->nodes[n], centre) <= radius;
}

static void mark_nearest(const PalMesh *mesh, PalVec3 point, uint8_t *marks)
{
    int32_t nearest = PAL_NONE;
    double least = INFINITY;
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        double distance = pal_vec3_distance(mesh->nodes[n], point);
        if (distance < least) {
            least = distance;
            nearest = n;
        }
    }
    if (nearest != PAL_NONE)
        marks[nearest] = 1;
}

static PalStatus check_where(const PalWhere *where, PalError *error)
{
    switch (where->kind) {
    case PAL_WHERE_SIDE:
        if (where->axis < 0 || where->axis > 2)
            return pal_error_set(error, PAL_BAD_INPUT, "a side lies along axis 0, 1 or 2, not %d",
                                 (int)where->axis);
        break;
    case PAL_WHERE_FACING:
        if (!(where->degrees >= 0 && where->degrees <= 180))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "the angle of a selection is %g degrees, expected 0 to 180",
                                 where->degrees);
        __attribute__((fallthrough));
    case PAL_WHERE_PLANE:
        if (!pal_vec3_is_finite(where->normal) || !(pal_vec3_length(where->normal) > 0))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "a selection needs a finite normal other than zero");
        break;
    case PAL_WHERE_SPHERE:
    case PAL_WHERE_NEAR:
        if (!(where->radius >= 0))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "the radius of a selection is %g, expected 0 or more",
                                 where->radius);
        break;
    case PAL_WHERE_GROUP:
        if (where->group == NULL)
            return pal_error_set(error, PAL_BAD_INPUT, "a selection by group names none");
        break;
    case PAL_WHERE_NOT:
        if (where->part_count != 1)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "a selection of what is not selected has %d parts, expected one",
                                 (int)where->part_count);
        break;
    default:
        break;
    }
    bool flat = where->kind == PAL_WHERE_SIDE || where->kind == PAL_WHERE_PLANE;
    if (flat && !(where->tolerance >= 0))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "the tolerance of a selection is %g, expected 0 or more",
                             where->tolerance);
    bool placed = where->kind == PAL_WHERE_PLANE || where->kind == PAL_WHERE_SPHERE ||
                  where->kind == PAL_WHERE_POINT;
    if (placed && !pal_vec3_is_finite(where->point))
        return pal_error_set(error, PAL_BAD_INPUT, "the point of a selection is not finite");
    return PAL_OK;
}

// What is marked of a mesh, or of its surface where there is one, by a selection without parts.
typedef struct Marked {
    const PalMesh *mesh;
    const PalSurface *surface;
    PalStatus (*mark)(const struct Marked *marked, const PalWhere *where, uint8_t *marks,
                      PalError *error);
    int32_t count;
} Marked;

static PalStatus mark(const Marked *marked, const PalWhere *where, int depth, uint8_t *marks,
                      PalError *error);

// By parts: everything for `all-of`, nothing for the others, and then one part after the other.
static PalStatus mark_parts(const Marked *marked, const PalWhere *where, int depth, uint8_t *marks,
                            PalError *error)
{
    PAL_TRY(pal_check_counted("parts of a selection", where->part_count, where->parts, error));
    if (depth == PAL_WHERE_DEPTH)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "a selection has parts in parts, more than %d deep", PAL_WHERE_DEPTH);
    uint8_t *own = pal_alloc((size_t)marked->count, sizeof *own);
    if (own == NULL)
        return pal_mesh_no_memory(error);
    memset(marks, where->kind == PAL_WHERE_ALL_OF, (size_t)marked->count);
    PalStatus status = PAL_OK;
    for (int32_t p = 0; status == PAL_OK && p < where->part_count; ++p) {
        memset(own, 0, (size_t)marked->count);
        status = mark(marked, &where->parts[p], depth + 1, own, error);
        for (int32_t i = 0; i < marked->count; ++i)
            marks[i] = where->kind == PAL_WHERE_ALL_OF   ? marks[i] & own[i]
                       : where->kind == PAL_WHERE_ANY_OF ? marks[i] | own[i]
                                                         : !own[i];
    }
    pal_free(own);
    return status;
}

static PalStatus mark(const Marked *marked, const PalWhere *where, int depth, uint8_t *marks,
                      PalError *error)
{
    PAL_TRY(check_where(where, error));
    bool parts = where->kind == PAL_WHERE_ALL_OF || where->kind == PAL_WHERE_ANY_OF ||
                 where->kind == PAL_WHERE_NOT;
    return parts ? mark_parts(marked, where, depth, marks, error)
                 : marked->mark(marked, where, marks, error);
}

// Sets marks[n] to 1 for each selected node.
static PalStatus mark_nodes(const Marked *marked, const PalWhere *where, uint8_t *marks,
                            PalError *error)
{
    const PalMesh *mesh = marked->mesh;
    const PalGroup *group = NULL;
    switch (where->kind) {
    case PAL_WHERE_ALL:
        memset(marks, 1, (size_t)mesh->node_count);
        return PAL_OK;
    case PAL_WHERE_SIDE:
        mark_side(mesh, where, marks);
        return PAL_OK;
    case PAL_WHERE_PLANE:
        mark_plane(mesh, where->point, where->normal, plane_tolerance(mesh, where), marks);
        return PAL_OK;
    case PAL_WHERE_BOX:
        mark_box(mesh, &where->box, marks);
        return PAL_OK;
    case PAL_WHERE_SPHERE:
        mark_sphere(mesh, where->point, where->radius, marks);
        return PAL_OK;
    case PAL_WHERE_POINT:
        mark_nearest(mesh, where->point, marks);
        return PAL_OK;
    case PAL_WHERE_GROUP:
        PAL_TRY(get_group(mesh, where->group, &group, error));
        return mark_listed(mesh, group->nodes, group->node_count, marks, error);
    case PAL_WHERE_NODES:
        PAL_TRY(pal_check_counted("nodes selected", where->node_count, where->nodes, error));
        return mark_listed(mesh, where->nodes, where->node_count, marks, error);
    case PAL_WHERE_SURFACE:
        return pal_select_surface(mesh, marks, error);
    case PAL_WHERE_FACING:
        return pal_select_facing(mesh, where, marks, error);
    case PAL_WHERE_NEAR:
        return pal_select_near(mesh, where, marks, error);
    default:
        break;
    }
    return pal_error_set(error, PAL_BAD_INPUT, "unknown kind of selection %d", (int)where->kind);
}

// Indices of the marks that are set, in a new array.
static PalStatus list_marked(const uint8_t *marks, int32_t mark_count, int32_t **list,
                             int32_t *count, PalError *error)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < mark_count; ++i)
        sum += marks[i];
    *list = pal_alloc((size_t)sum, sizeof **list);
    if (*list == NULL)
        return pal_mesh_no_memory(error);
    *count = 0;
    for (int32_t i = 0; i < mark_count; ++i)
        if (marks[i] != 0)
            (*list)[(*count)++] = i;
    return PAL_OK;
}

// A group has its nodes already. Models of other programs have thousands of groups of one node, so
// the rest of the mesh is not looked at.
static PalStatus copy_group(const PalMesh *mesh, const char *name, int32_t **nodes, int32_t *count,
                            PalError *error)
{
    const PalGroup *group = NULL;
    PAL_TRY(pal_mesh_check_head(mesh, error));
    PAL_TRY(get_group(mesh, name, &group, error));
    PAL_TRY(pal_group_check(mesh, group, error));
    *nodes = pal_copy(group->nodes, (size_t)group->node_count, sizeof **nodes);
    *count = *nodes != NULL ? group->node_count : 0;
    return *nodes != NULL ? PAL_OK : pal_mesh_no_memory(error);
}

PalStatus pal_mesh_select_nodes(const PalMesh *mesh, const PalWhere *where, int32_t **nodes,
                                int32_t *count, PalError *error)
{
    *nodes = NULL;
    *count = 0;
    if (where->kind == PAL_WHERE_GROUP && where->group != NULL)
        return copy_group(mesh, where->group, nodes, count, error);
    PAL_TRY(pal_mesh_check_all(mesh, error));
    uint8_t *marks = pal_alloc((size_t)mesh->node_count, sizeof *marks);
    if (marks == NULL)
        return pal_mesh_no_memory(error);
    const Marked marked = {mesh, NULL, mark_nodes, mesh->node_count};
    PalStatus status = mark(&marked, where, 0, marks, error);
    if (status == PAL_OK)
        status = list_marked(marks, mesh->node_count, nodes, count, error);
    pal_free(marks);
    return status;
}

// Marks the facets whose corners are those of a face of the group, in any order: sorts the
// group's faces and the surface's facets together, and looks at runs of equal ones.
static PalStatus mark_faces(const PalSurface *surface, const PalGroup *group, uint8_t *marks,
                            PalError *error)
{
    if (surface->facet_count > INT32_MAX - group->face_count)
        return pal_mesh_no_memory(error);
    int32_t total = surface->facet_count + group->face_count, width = surface->corner_count;
    int32_t(*keys)[4] = pal_alloc((size_t)total, sizeof *keys);
    int32_t *order = pal_alloc((size_t)total, sizeof *order);
    PalStatus status = PAL_OK;
    for (int32_t i = 0; keys != NULL && i < total; ++i) {
        keys[i][3] = PAL_NONE;
        if (i < group->face_count)
            memcpy(keys[i], group->faces[i], sizeof keys[i]);
        else
            memcpy(keys[i], surface->facets + (size_t)(i - group->face_count) * (size_t)width,
                   (size_t)width * sizeof(int32_t));
        pal_row_sort(keys[i], 4);
    }
    if (keys == NULL || order == NULL || !pal_rows_order(&keys[0][0], total, 4, order))
        status = pal_mesh_no_memory(error);
    // Within a run of equal rows, the group's face comes first
    int32_t face = PAL_NONE;
    for (int32_t i = 0; status == PAL_OK && i < total; ++i) {
        if (order[i] < group->face_count)
            face = order[i];
        else if (face != PAL_NONE && pal_rows_equal(keys[face], keys[order[i]], 4))
            marks[order[i] - group->face_count] = 1;
    }
    pal_free(keys);
    pal_free(order);
    return status;
}

static void mark_owned(const PalSurface *surface, const PalGroup *group, uint8_t *marks)
{
    int32_t i = 0;
    for (int32_t f = 0; f < surface->facet_count; ++f) {
        while (i < group->cell_count && group->cells[i] < surface->owners[f])
            ++i;
        if (i < group->cell_count && group->cells[i] == surface->owners[f])
            marks[f] = 1;
    }
}

static PalStatus mark_by_corners(const PalMesh *mesh, const PalSurface *surface,
                                 const PalWhere *where, uint8_t *marks, PalError *error)
{
    uint8_t *selected = pal_alloc((size_t)mesh->node_count, sizeof *selected);
    if (selected == NULL)
        return pal_mesh_no_memory(error);
    const Marked nodes = {mesh, NULL, mark_nodes, mesh->node_count};
    PalStatus status = mark_nodes(&nodes, where, selected, error);
    for (int32_t f = 0; status == PAL_OK && f < surface->facet_count; ++f) {
        const int32_t *corners = surface->facets + (size_t)f * (size_t)surface->corner_count;
        marks[f] = 1;
        for (int32_t a = 0; a < surface->corner_count; ++a)
            marks[f] &= selected[corners[a]];
    }
    pal_free(selected);
    return status;
}

static PalStatus mark_facets(const Marked *marked, const PalWhere *where, uint8_t *marks,
                             PalError *error)
{
    const PalMesh *mesh = marked->mesh;
    const PalSurface *surface = marked->surface;
    const PalGroup *group = NULL;
    if (where->kind == PAL_WHERE_FACING) {
        pal_select_facing_facets(mesh, surface, where, marks);
        return PAL_OK;
    }
    if (where->kind == PAL_WHERE_GROUP)
        PAL_TRY(get_group(mesh, where->group, &group, error));
    bool triangles = mesh->cell_kind == PAL_CELL_TRIANGLE;
    if (group == NULL || (group->face_count == 0 && (!triangles || group->cell_count == 0)))
        return mark_by_corners(mesh, surface, where, marks, error);
    if (triangles)
        mark_owned(surface, group, marks);
    return mark_faces(surface, group, marks, error);
}

PalStatus pal_mesh_select_facets(const PalMesh *mesh, const PalSurface *surface,
                                 const PalWhere *where, int32_t **facets, int32_t *count,
                                 PalError *error)
{
    *facets = NULL;
    *count = 0;
    PAL_TRY(pal_mesh_check_all(mesh, error));
    PAL_TRY(pal_surface_check(mesh, surface, error));
    uint8_t *marks = pal_alloc((size_t)surface->facet_count, sizeof *marks);
    if (marks == NULL)
        return pal_mesh_no_memory(error);
    const Marked marked = {mesh, surface, mark_facets, surface->facet_count};
    PalStatus status = mark(&marked, where, 0, marks, error);
    if (status == PAL_OK)
        status = list_marked(marks, surface->facet_count, facets, count, error);
    pal_free(marks);
    return status;
}
