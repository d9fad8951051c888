// Selections by the surface, by other objects, and by other selections.
#include "scene/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PalStatus read_facing(PalSceneReader *reader, PalTreeNode *map, PalWhere *where)
{
    const PalTreeNode *direction = pal_tree_get(map, "direction");
    where->kind = PAL_WHERE_FACING;
    where->normal = pal_scene_as_vector(direction);
    if (where->normal.x == 0 && where->normal.y == 0 && where->normal.z == 0)
        return PAL_SCENE_FAIL(reader, direction, "direction is zero, expected a direction");
    where->degrees = 45;
    PAL_TRY(pal_scene_number(reader, map, "within", &where->degrees));
    if (where->degrees > 180)
        return PAL_SCENE_FAIL(reader, pal_tree_get(map, "within"),
                              "within is %g, expected at most 180 degrees", where->degrees);
    return PAL_OK;
}

// The surface of a body as triangles; quadrilaterals are cut.
static PalStatus make_triangles(const PalSurface *surface, const PalMesh *mesh, PalMesh **made,
                                PalError *error)
{
    int32_t per = surface->corner_count - 2, count = surface->facet_count * per;
    int32_t *cells = malloc(3 * (size_t)count * sizeof *cells + 1);
    if (cells == NULL)
        return pal_tree_no_memory(error);
    for (int32_t t = 0; t < count; ++t) {
        const int32_t *n = surface->facets + (size_t)(t / per) * (size_t)surface->corner_count;
        const int32_t corners[3] = {n[0], n[1 + t % per], n[2 + t % per]};
        memcpy(cells + 3 * (size_t)t, corners, sizeof corners);
    }
    PalMeshDef def = {PAL_CELL_TRIANGLE, mesh->node_count, mesh->nodes, count, cells};
    PalStatus status = pal_mesh_create(&def, made, error);
    free(cells);
    return status;
}

// A body's triangles are made when they are asked for first, and kept.
static PalStatus find_triangles(PalSceneReader *reader, int32_t object, const PalMesh **triangles)
{
    PalScene *scene = reader->scene;
    if (object >= scene->sim.model.body_count) {
        *triangles = scene->rigid_meshes[object - scene->sim.model.body_count];
        return PAL_OK;
    }
    PalSceneBody *body = &scene->bodies[object];
    if (body->surface == NULL)
        PAL_TRY(pal_mesh_boundary(body->mesh, &body->surface, reader->error));
    if (body->triangles == NULL)
        PAL_TRY(make_triangles(body->surface, body->mesh, &body->triangles, reader->error));
    *triangles = body->triangles;
    return PAL_OK;
}

static PalStatus read_near(PalSceneReader *reader, const PalTreeNode *map, PalWhere *where)
{
    int32_t object;
    where->kind = PAL_WHERE_NEAR;
    where->radius = pal_tree_get(map, "distance")->number;
    PAL_TRY(pal_scene_find_object(reader, pal_tree_get(map, "name"), &object));
    return find_triangles(reader, object, &where->other);
}

static PalStatus read_parts(PalSceneReader *reader, PalTreeNode *node, PalWhere *where)
{
    int32_t count = node->kind == PAL_TREE_LIST ? node->count : 1;
    if (count == 0)
        return PAL_SCENE_FAIL(reader, node, "an empty list, expected selections");
    if (reader->depth == PAL_WHERE_DEPTH)
        return PAL_SCENE_FAIL(reader, node, "selections in selections, more than %d deep",
                              PAL_WHERE_DEPTH);
    PalWhere *parts = pal_tree_alloc(reader->tree, (size_t)count, sizeof *parts);
    if (parts == NULL)
        return pal_tree_no_memory(reader->error);
    where->part_count = count;
    where->parts = parts;
    ++reader->depth;
    for (int32_t p = 0; p < count; ++p)
        PAL_TRY(pal_scene_read_part(
            reader, node->kind == PAL_TREE_LIST ? node->items[p].value : node, &parts[p]));
    --reader->depth;
    return PAL_OK;
}

PalStatus pal_scene_read_further(PalSceneReader *reader, PalTreeNode *map, PalWhere *where)
{
    PalTreeNode *node;
    if ((node = pal_tree_get(map, "surface")) != NULL) {
        where->kind = PAL_WHERE_SURFACE;
        return strcmp(node->text, "true") == 0
                   ? PAL_OK
                   : PAL_SCENE_FAIL(reader, node,
                                    "surface is false, expected true, or not: "
                                    "{surface: true}");
    }
    if ((node = pal_tree_get(map, "facing")) != NULL)
        return read_facing(reader, node, where);
    if ((node = pal_tree_get(map, "near")) != NULL)
        return read_near(reader, node, where);
    if ((node = pal_tree_get(map, "all-of")) != NULL)
        where->kind = PAL_WHERE_ALL_OF;
    else if ((node = pal_tree_get(map, "any-of")) != NULL)
        where->kind = PAL_WHERE_ANY_OF;
    else {
        node = pal_tree_get(map, "not");
        where->kind = PAL_WHERE_NOT;
    }
    return read_parts(reader, node, where);
}

const PalTreeNode *pal_scene_part_at(const PalTreeNode *map, int32_t index)
{
    static const char *const lists[] = {"all-of", "any-of"};
    for (int i = 0; i < 2; ++i)
        if (pal_tree_get(map, lists[i]) != NULL)
            return pal_tree_get(map, lists[i])->items[index].value;
    return pal_tree_get(map, "not");
}

void pal_scene_describe_further(const PalWhere *where, char *text, size_t size)
{
    switch (where->kind) {
    case PAL_WHERE_SURFACE:
        snprintf(text, size, "the surface");
        break;
    case PAL_WHERE_FACING:
        snprintf(text, size, "facets that face (%g, %g, %g) within %g degrees", where->normal.x,
                 where->normal.y, where->normal.z, where->degrees);
        break;
    case PAL_WHERE_NEAR:
        snprintf(text, size, "what is within %g of the other", where->radius);
        break;
    default:
        snprintf(text, size, "%d selections together", (int)where->part_count);
    }
}
