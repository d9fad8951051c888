// Bodies that are the skin of another.
#include "scene/reader.h"

#include <math.h>
#include <stdio.h>

#define SPARE 0.01  // of the mean edge, between the skin and what it lies on

// Of a skin with several materials, the thickest.
static double thickest(const PalTreeNode *map, const PalBodyDef *def)
{
    const PalTreeNode *list = pal_tree_get(map, "materials");
    double most = def->thickness;
    for (int32_t i = 0; list != NULL && i < list->count; ++i) {
        const PalTreeNode *own = pal_tree_get(list->items[i].value, "thickness");
        most = own != NULL ? fmax(most, own->number) : most;
    }
    return most;
}

static PalStatus find_solid(PalSceneReader *reader, const PalTreeNode *map, const PalBodyDef *def,
                            int32_t *index)
{
    const PalTreeNode *name = pal_tree_get(map, "skin-of");
    if (!pal_element_traits(def->element)->is_thin)
        return PAL_SCENE_FAIL(reader, name,
                              "body %s is a skin, but its element is %s, expected ebst or membrane",
                              pal_quoted(def->name).text, pal_element_name(def->element));
    PAL_TRY(pal_scene_find_body(reader, name, index));
    const PalBodyDef *solid = &reader->scene->body_defs[*index];
    if (pal_element_traits(solid->element)->is_thin)
        return PAL_SCENE_FAIL(reader, name, "body %s is thin itself, expected a solid",
                              pal_quoted(name->text).text);
    return PAL_OK;
}

PalStatus pal_scene_read_skin(PalSceneReader *reader, PalTreeNode *map, const PalBodyDef *def,
                              PalMesh **mesh)
{
    int32_t index;
    PalTreeNode *name = pal_tree_get(map, "skin-of");
    PAL_TRY(find_solid(reader, map, def, &index));
    const PalMesh *solid = reader->scene->bodies[index].mesh;
    PalWhere where;
    PAL_TRY(pal_scene_read_where(reader, map, &where));
    PalError inner = {0};
    PalMesh *flat = NULL;
    PalStatus status = pal_mesh_create_skin(solid, &where, 0, &flat, &inner);
    double offset = thickest(map, def) / 2;
    if (status == PAL_OK)
        offset += SPARE * pal_mesh_quality(flat).edge_mean;
    pal_mesh_destroy(flat);
    if (status == PAL_OK) {
        PAL_TRY(pal_scene_number(reader, map, "offset", &offset));
        status = pal_mesh_create_skin(solid, &where, offset, mesh, &inner);
    }
    if (status == PAL_OK || status == PAL_NO_MEMORY)
        return status == PAL_OK ? PAL_OK : pal_tree_no_memory(reader->error);
    return PAL_SCENE_FAIL(reader, name, "the skin of %s: %s", pal_quoted(name->text).text,
                          inner.text);
}

PalStatus pal_scene_check_skin_keys(PalSceneReader *reader, PalTreeNode *map)
{
    static const char *const keys[] = {"where", "offset"};
    for (int i = 0; i < 2 && pal_tree_get(map, "skin-of") == NULL; ++i) {
        const PalTreeItem *item = pal_tree_find(map, keys[i]);
        if (item != NULL)
            return pal_tree_fail_at(reader->tree, item, reader->error,
                                    "%s has no effect without skin-of, expected skin-of: BODY",
                                    keys[i]);
    }
    return PAL_OK;
}
