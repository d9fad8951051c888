#include "base/memory.h"
#include "math/mat3.h"
#include "mesh/cells.h"

#include <string.h>

PalStatus pal_mesh_create(const PalMeshDef *def, PalMesh **mesh, PalError *error)
{
    *mesh = NULL;
    PAL_TRY(pal_mesh_def_check(def, error));
    PalMesh *made = pal_alloc(1, sizeof *made);
    if (made == NULL)
        return pal_mesh_no_memory(error);
    made->cell_kind = def->cell_kind;
    made->node_count = def->node_count;
    made->cell_count = def->cell_count;
    size_t width = (size_t)pal_cell_node_count(def->cell_kind);
    made->nodes = pal_copy(def->nodes, (size_t)def->node_count, sizeof *def->nodes);
    made->cells = pal_copy(def->cells, (size_t)def->cell_count, width * sizeof *def->cells);
    if (made->nodes == NULL || made->cells == NULL) {
        pal_mesh_destroy(made);
        return pal_mesh_no_memory(error);
    }
    *mesh = made;
    return PAL_OK;
}

static void clear_group(PalGroup *group)
{
    pal_free(group->name);
    pal_free(group->nodes);
    pal_free(group->cells);
    pal_free(group->faces);
}

void pal_mesh_destroy(PalMesh *mesh)
{
    if (mesh == NULL)
        return;
    for (int32_t g = 0; g < mesh->group_count; ++g)
        clear_group(&mesh->groups[g]);
    pal_free(mesh->groups);
    pal_free(mesh->groups_by_name);
    pal_free(mesh->nodes);
    pal_free(mesh->cells);
    pal_free(mesh);
}

// Sorts whole numbers and removes repeats. Returns how many are left, PAL_NONE: no memory.
static int32_t sort_unique(int32_t *values, int32_t count)
{
    int32_t *order = pal_alloc((size_t)count, sizeof *order);
    int32_t *copy = pal_copy(values, (size_t)count, sizeof *values);
    int32_t kept = 0;
    if (order == NULL || copy == NULL || !pal_rows_order(copy, count, 1, order))
        kept = PAL_NONE;
    for (int32_t i = 0; kept != PAL_NONE && i < count; ++i)
        if (kept == 0 || values[kept - 1] != copy[order[i]])
            values[kept++] = copy[order[i]];
    pal_free(order);
    pal_free(copy);
    return kept;
}

// The same for faces; two faces of the same corners in any order are the same, the first stays.
static int32_t sort_unique_faces(int32_t (*faces)[4], int32_t count)
{
    int32_t *order = pal_alloc((size_t)count, sizeof *order);
    int32_t(*copy)[4] = pal_copy(faces, (size_t)count, sizeof *faces);
    int32_t(*keys)[4] = pal_copy(faces, (size_t)count, sizeof *faces);
    int32_t kept = PAL_NONE;
    if (order == NULL || copy == NULL || keys == NULL)
        goto done;
    for (int32_t i = 0; i < count; ++i)
        pal_row_sort(keys[i], 4);
    if (!pal_rows_order(&keys[0][0], count, 4, order))
        goto done;
    kept = 0;
    for (int32_t i = 0; i < count; ++i)
        if (i == 0 || !pal_rows_equal(keys[order[i - 1]], keys[order[i]], 4))
            memcpy(faces[kept++], copy[order[i]], sizeof *faces);
done:
    pal_free(order);
    pal_free(copy);
    pal_free(keys);
    return kept;
}

static void append(int32_t *to, int32_t *count, const int32_t *from, int32_t extra)
{
    if (extra > 0)
        memcpy(to + *count, from, (size_t)extra * sizeof *to);
    *count += extra;
}

// The union of two groups, either of which may be NULL, unsorted, with room for all nodes.
static bool join_groups(const PalGroup *const parts[2], int32_t width, PalGroup *joined)
{
    int64_t node_room = 0, cell_room = 0, face_room = 0;
    for (int p = 0; p < 2; ++p)
        if (parts[p] != NULL) {
            node_room += (int64_t)parts[p]->node_count + (int64_t)width * parts[p]->cell_count +
                         4 * (int64_t)parts[p]->face_count;
            cell_room += parts[p]->cell_count;
            face_room += parts[p]->face_count;
        }
    if (node_room > INT32_MAX || cell_room > INT32_MAX || face_room > INT32_MAX)
        return false;
    joined->nodes = pal_alloc((size_t)node_room, sizeof *joined->nodes);
    joined->cells = pal_alloc((size_t)cell_room, sizeof *joined->cells);
    joined->faces = pal_alloc((size_t)face_room, sizeof *joined->faces);
    if (joined->nodes == NULL || joined->cells == NULL || joined->faces == NULL)
        return false;
    for (int p = 0; p < 2; ++p) {
        const PalGroup *part = parts[p];
        if (part == NULL)
            continue;
        append(joined->nodes, &joined->node_count, part->nodes, part->node_count);
        append(joined->cells, &joined->cell_count, part->cells, part->cell_count);
        if (part->face_count > 0)
            memcpy(joined->faces + joined->face_count, part->faces,
                   (size_t)part->face_count * sizeof *part->faces);
        joined->face_count += part->face_count;
    }
    return true;
}

static bool normalise_group(const PalMesh *mesh, PalGroup *group)
{
    int32_t width = pal_cell_node_count(mesh->cell_kind);
    for (int32_t i = 0; i < group->cell_count; ++i)
        append(group->nodes, &group->node_count, pal_mesh_cell(mesh, group->cells[i]), width);
    for (int32_t i = 0; i < group->face_count; ++i)
        append(group->nodes, &group->node_count, group->faces[i],
               group->faces[i][3] == PAL_NONE ? 3 : 4);
    group->node_count = sort_unique(group->nodes, group->node_count);
    group->cell_count = sort_unique(group->cells, group->cell_count);
    group->face_count = sort_unique_faces(group->faces, group->face_count);
    return group->node_count >= 0 && group->cell_count >= 0 && group->face_count >= 0;
}

// The first place in the order of names that is not before this one.
static int32_t place_of(const PalMesh *mesh, const char *name)
{
    int32_t low = 0, high = mesh->group_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (strcmp(mesh->groups[mesh->groups_by_name[middle]].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static PalGroup *find_group(const PalMesh *mesh, const char *name)
{
    int32_t place = mesh->groups_by_name != NULL ? place_of(mesh, name) : mesh->group_count;
    if (place == mesh->group_count)
        return NULL;
    PalGroup *group = &mesh->groups[mesh->groups_by_name[place]];
    return strcmp(group->name, name) == 0 ? group : NULL;
}

const PalGroup *pal_mesh_find_group(const PalMesh *mesh, const char *name)
{
    return find_group(mesh, name);
}

// One more slot at the end; the capacity is always the next power of two.
static bool grow_groups(PalMesh *mesh)
{
    int32_t count = mesh->group_count;
    if ((count & (count - 1)) != 0)
        return true;
    size_t room = count == 0 ? 1 : 2 * (size_t)count;
    PalGroup *grown = pal_alloc(room, sizeof *grown);
    int32_t *order = pal_alloc(room, sizeof *order);
    if (grown == NULL || order == NULL) {
        pal_free(grown);
        pal_free(order);
        return false;
    }
    if (count > 0) {
        memcpy(grown, mesh->groups, (size_t)count * sizeof *grown);
        memcpy(order, mesh->groups_by_name, (size_t)count * sizeof *order);
    }
    pal_free(mesh->groups);
    pal_free(mesh->groups_by_name);
    mesh->groups = grown;
    mesh->groups_by_name = order;
    return true;
}

static void append_group(PalMesh *mesh, const PalGroup *group)
{
    int32_t place = place_of(mesh, group->name), *order = mesh->groups_by_name + place;
    memmove(order + 1, order, (size_t)(mesh->group_count - place) * sizeof *order);
    *order = mesh->group_count;
    mesh->groups[mesh->group_count++] = *group;
}

PalStatus pal_mesh_add_group(PalMesh *mesh, const PalGroup *group, PalError *error)
{
    // a mesh of many groups of nodes is not looked through for each of them
    PAL_TRY(group->cell_count > 0 ? pal_mesh_check(mesh, error) : pal_mesh_check_head(mesh, error));
    PAL_TRY(pal_group_check(mesh, group, error));
    PalGroup *old = find_group(mesh, group->name);
    PalGroup joined = {.name = pal_copy_text(group->name)};
    const PalGroup *const parts[2] = {old, group};
    if (joined.name == NULL || !join_groups(parts, pal_cell_node_count(mesh->cell_kind), &joined) ||
        !normalise_group(mesh, &joined) || (old == NULL && !grow_groups(mesh))) {
        clear_group(&joined);
        return pal_mesh_no_memory(error);
    }
    if (old == NULL) {
        append_group(mesh, &joined);
    } else {
        clear_group(old);
        *old = joined;
    }
    return PAL_OK;
}

PalPlacement pal_placement_identity(void)
{
    return (PalPlacement){.scale = 1, .rotation = pal_mat3_identity()};
}

// Rodrigues' formula.
PalMat3 pal_rotation_about(PalVec3 axis, double radians)
{
    PalVec3 u = pal_vec3_normalise(axis);
    double c = cos(radians), s = sin(radians), t = 1 - c;
    if (pal_vec3_dot(u, u) == 0)
        return pal_mat3_identity();
    return (PalMat3){{{c + t * u.x * u.x, t * u.x * u.y - s * u.z, t * u.x * u.z + s * u.y},
                      {t * u.x * u.y + s * u.z, c + t * u.y * u.y, t * u.y * u.z - s * u.x},
                      {t * u.x * u.z - s * u.y, t * u.y * u.z + s * u.x, c + t * u.z * u.z}}};
}

void pal_mesh_place(PalMesh *mesh, const PalPlacement *placement)
{
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        PalVec3 scaled = pal_vec3_scale(placement->scale, mesh->nodes[n]);
        mesh->nodes[n] =
            pal_vec3_add(pal_mat3_apply(&placement->rotation, scaled), placement->translation);
    }
}

PalBounds pal_mesh_bounds(const PalMesh *mesh)
{
    PalBounds bounds = {.lower = {INFINITY, INFINITY, INFINITY},
                        .upper = {-INFINITY, -INFINITY, -INFINITY}};
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        PalVec3 p = mesh->nodes[n];
        bounds.lower = pal_vec3(fmin(bounds.lower.x, p.x), fmin(bounds.lower.y, p.y),
                                fmin(bounds.lower.z, p.z));
        bounds.upper = pal_vec3(fmax(bounds.upper.x, p.x), fmax(bounds.upper.y, p.y),
                                fmax(bounds.upper.z, p.z));
    }
    return bounds;
}
