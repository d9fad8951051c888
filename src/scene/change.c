// --set: one value of a scene replaced, by a dotted path.
#include "scene/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Change {
    PalTree *tree;
    const char *origin;  // "--set path"
    PalError *error;
    PalTreeNode *node;         // where the path has led so far
    const PalKeyTable *table;  // what its entries are; NULL below the last map
} Change;

static PalStatus fail(const Change *change, const char *text)
{
    return pal_error_set(change->error, PAL_BAD_INPUT, "%s: %s", change->origin, text);
}

static bool is_index(const char *segment)
{
    size_t length = strlen(segment);
    return length > 0 && length < 8 && strspn(segment, "0123456789") == length;
}

// An entry of a list: by index, or by the name (or the group) it has.
static PalStatus find_entry(const Change *change, const PalTreeNode *list, const char *segment,
                            PalTreeItem **found)
{
    enum { MOST = 64 };
    const char *names[MOST];
    int32_t count = 0;
    if (is_index(segment)) {
        int index = atoi(segment);
        if (index < list->count) {
            *found = &list->items[index];
            return PAL_OK;
        }
    }
    for (int32_t i = 0; i < list->count; ++i) {
        const PalTreeNode *entry = list->items[i].value;
        const PalTreeNode *name = pal_tree_get(entry, "name");
        name = name != NULL ? name : pal_tree_get(entry, "group");
        if (name == NULL || name->kind != PAL_TREE_SCALAR)
            continue;
        if (strcmp(name->text, segment) == 0) {
            *found = &list->items[i];
            return PAL_OK;
        }
        if (count < MOST)
            names[count++] = name->text;
    }
    char text[600];
    if (is_index(segment) || count == 0)
        snprintf(text, sizeof text, "no entry %s, expected 0 to %d", pal_quoted(segment).text,
                 (int)list->count - 1);
    else
        snprintf(text, sizeof text, "no entry %s, %s", pal_quoted(segment).text,
                 pal_advise(segment, names, count).text);
    return fail(change, text);
}

// A key of a map; a key that is absent but known is made.
static PalStatus find_key(Change *change, const char *segment, bool last, PalTreeItem **found)
{
    const PalKey *key = NULL;
    if (change->table != NULL) {
        PalTreeNode place = {.origin = change->origin};
        PalTreeItem item = {.key = segment, .value = &place};
        key = pal_key_find(change->table, segment);
        if (key == NULL)
            return pal_keys_unknown(change->tree, &item, change->table, change->error);
    }
    *found = pal_tree_find(change->node, segment);
    if (*found == NULL) {
        if (!last && (key == NULL || !(key->values & PAL_VALUE_MAP)))
            return fail(change, "the path names nothing in the scene, expected a path into it");
        char *name = pal_tree_text(change->tree, segment, strlen(segment));
        PalTreeNode *made = pal_tree_new(change->tree, PAL_TREE_MAP, NULL);
        if (name == NULL || made == NULL || !pal_tree_put(change->tree, change->node, name, made))
            return pal_tree_no_memory(change->error);
        made->origin = change->origin;
        *found = pal_tree_find(change->node, segment);
    }
    change->table = key != NULL ? key->table : NULL;
    if (change->table != NULL && change->table->material)
        change->table = pal_material_keys(change->tree, change->table, NULL);
    return PAL_OK;
}

static PalStatus step_into(Change *change, const char *segment, bool last, PalTreeItem **found)
{
    if (*segment == '\0')
        return fail(change,
                    "an empty name in the path, expected names and indices with dots between");
    if (change->node->kind == PAL_TREE_LIST)
        PAL_TRY(find_entry(change, change->node, segment, found));
    else if (change->node->kind == PAL_TREE_MAP)
        PAL_TRY(find_key(change, segment, last, found));
    else
        return fail(change, "the path goes on after a single value, expected it to end there");
    change->node = (*found)->value;
    return PAL_OK;
}

PalStatus pal_scene_change(PalTree *tree, const PalSceneChange *change, PalError *error)
{
    size_t length = strlen(change->path) + 8;
    char *origin = pal_tree_alloc(tree, length, 1);
    char *path = pal_tree_text(tree, change->path, strlen(change->path));
    if (origin == NULL || path == NULL)
        return pal_tree_no_memory(error);
    snprintf(origin, length, "--set %s", change->path);
    PalTreeNode *value = NULL;
    Change walk = {tree, origin, error, tree->root, &pal_scene_keys};
    if (strlen(change->path) > 200 || strpbrk(change->path, "\n\r\t") != NULL)
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "--set: %s is not a path, expected names and indices with dots between",
            pal_quoted(change->path).text);
    PAL_TRY(pal_tree_parse(tree, change->value, strlen(change->value), origin, &value, error));
    PalTreeItem *item = NULL;
    PalTreeNode *parent = NULL;
    for (char *segment = path; segment != NULL;) {
        parent = walk.node;
        char *dot = strchr(segment, '.');
        if (dot != NULL)
            *dot = '\0';
        PAL_TRY(step_into(&walk, segment, dot == NULL, &item));
        segment = dot != NULL ? dot + 1 : NULL;
    }
    // nothing for a key takes the key away, so that another may stand in its place; nothing for an
    // entry such as a body takes the entry away
    bool whole = parent->kind == PAL_TREE_MAP || item->value->kind == PAL_TREE_MAP;
    item->value = value;
    if (whole && pal_tree_is_null(value)) {
        PalTreeItem *end = &parent->items[parent->count--];
        memmove(item, item + 1, (size_t)(end - (item + 1)) * sizeof *item);
    }
    return PAL_OK;
}
