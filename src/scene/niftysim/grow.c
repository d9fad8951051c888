#include "scene/niftysim/build.h"

static PalTreeNode *node_at(PalNiftyBuild *build, PalTreeKind kind, int32_t line)
{
    PalTreeNode place = {.line = line};
    return pal_tree_new(build->nifty->tree, kind, &place);
}

PalTreeNode *pal_nifty_map(PalNiftyBuild *build, int32_t line)
{
    return node_at(build, PAL_TREE_MAP, line);
}

PalTreeNode *pal_nifty_list(PalNiftyBuild *build, int32_t line)
{
    return node_at(build, PAL_TREE_LIST, line);
}

bool pal_nifty_put(PalNiftyBuild *build, PalTreeNode *map, const char *key, PalTreeNode *value)
{
    return map != NULL && pal_tree_put(build->nifty->tree, map, key, value);
}

bool pal_nifty_put_text(PalNiftyBuild *build, PalTreeNode *map, const char *key, const char *text)
{
    return map != NULL &&
           pal_nifty_put(build, map, key, pal_tree_new_text(build->nifty->tree, map, text));
}

bool pal_nifty_put_number(PalNiftyBuild *build, PalTreeNode *map, const char *key, double number)
{
    return map != NULL &&
           pal_nifty_put(build, map, key, pal_tree_new_number(build->nifty->tree, map, number));
}

bool pal_nifty_put_vector(PalNiftyBuild *build, PalTreeNode *map, const char *key, PalVec3 value)
{
    PalTreeNode *list = map != NULL ? pal_nifty_list(build, map->line) : NULL;
    return pal_nifty_put(build, map, key, list) &&
           pal_nifty_put_number(build, list, NULL, value.x) &&
           pal_nifty_put_number(build, list, NULL, value.y) &&
           pal_nifty_put_number(build, list, NULL, value.z);
}
