#define _XOPEN_SOURCE 700  // realpath

#include "scene/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pal_scene_format_number(double number, char text[32])
{
    if (fabs(number) < 1e15 && number == floor(number)) {
        snprintf(text, 32, "%.0f", number);
        return;
    }
    for (int digits = 1; digits <= 17; ++digits) {
        snprintf(text, 32, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    // older YAML takes 1e-06 for text, and 1.0e-06 for a number
    char *exponent = strchr(text, 'e');
    if (exponent != NULL && strchr(text, '.') == NULL) {
        memmove(exponent + 2, exponent, strlen(exponent) + 1);
        memcpy(exponent, ".0", 2);
    }
}

static PalStatus put(PalSceneReader *reader, PalTreeNode *map, const char *key, PalTreeNode *value)
{
    return pal_tree_put(reader->tree, map, key, value) ? PAL_OK : pal_tree_no_memory(reader->error);
}

PalStatus pal_scene_number(PalSceneReader *reader, PalTreeNode *map, const char *key, double *value)
{
    const PalTreeNode *node = pal_tree_get(map, key);
    if (node == NULL)
        return put(reader, map, key, pal_tree_new_number(reader->tree, map, *value));
    *value = node->number;
    return PAL_OK;
}

PalVec3 pal_scene_as_vector(const PalTreeNode *list)
{
    return (PalVec3){list->items[0].value->number, list->items[1].value->number,
                     list->items[2].value->number};
}

PalStatus pal_scene_vector(PalSceneReader *reader, PalTreeNode *map, const char *key,
                           PalVec3 *value)
{
    PalTreeNode *node = pal_tree_get(map, key);
    if (node != NULL) {
        *value = pal_scene_as_vector(node);
        return PAL_OK;
    }
    node = pal_tree_new(reader->tree, PAL_TREE_LIST, map);
    if (node == NULL)
        return pal_tree_no_memory(reader->error);
    const double numbers[3] = {value->x, value->y, value->z};
    for (int i = 0; i < 3; ++i)
        PAL_TRY(put(reader, node, NULL, pal_tree_new_number(reader->tree, map, numbers[i])));
    return put(reader, map, key, node);
}

PalStatus pal_scene_word(PalSceneReader *reader, PalTreeNode *map, const char *key,
                         const char **value)
{
    const PalTreeNode *node = pal_tree_get(map, key);
    if (node == NULL)
        return put(reader, map, key, pal_tree_new_text(reader->tree, map, *value));
    *value = node->text;
    return PAL_OK;
}

PalStatus pal_scene_flag(PalSceneReader *reader, PalTreeNode *map, const char *key, bool *value)
{
    const char *word = *value ? "true" : "false";
    PAL_TRY(pal_scene_word(reader, map, key, &word));
    *value = strcmp(word, "true") == 0;
    return PAL_OK;
}

PalTreeNode *pal_scene_child(PalSceneReader *reader, PalTreeNode *map, const char *key)
{
    PalTreeNode *child = pal_tree_get(map, key);
    if (child != NULL)
        return child;
    child = pal_tree_new(reader->tree, PAL_TREE_MAP, map);
    return pal_tree_put(reader->tree, map, key, child) ? child : NULL;
}

PalStatus pal_scene_check_name(PalSceneReader *reader, const PalTreeNode *node)
{
    size_t length = strlen(node->text);
    if (length > PAL_NAME_BYTES_MAX)
        return PAL_SCENE_FAIL(reader, node, "the name %s has %zu bytes, expected at most %d",
                              pal_quoted(node->text).text, length, PAL_NAME_BYTES_MAX);
    if (pal_has_control(node->text) || strpbrk(node->text, ",\"/\\") != NULL)
        return PAL_SCENE_FAIL(reader, node,
                              "the name %s holds a comma, quote, slash or control character, "
                              "expected letters, digits, spaces, - _ .",
                              pal_quoted(node->text).text);
    return PAL_OK;
}

const char *pal_scene_beside(PalSceneReader *reader, const char *file)
{
    const char *scene = reader->scene->path;
    const char *slash = strrchr(scene, '/');
    if (file[0] == '/' || slash == NULL)
        return file;
    size_t directory = (size_t)(slash - scene) + 1, length = strlen(file);
    char *path = pal_tree_alloc(reader->tree, directory + length + 1, 1);
    if (path == NULL)
        return NULL;
    memcpy(path, scene, directory);
    memcpy(path + directory, file, length);
    return path;
}

const char *pal_scene_absolute(PalSceneReader *reader, const char *path)
{
    char *absolute = realpath(path, NULL);
    if (absolute == NULL)
        return path;  // no way to it from the root; the file itself could be read
    const char *copy = pal_tree_text(reader->tree, absolute, strlen(absolute));
    free(absolute);
    return copy;
}
