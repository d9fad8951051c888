// Everything after parsing: bytes choose a small scene and extreme numbers for it
// (tests/extremes.h), or are the scene themselves if they begin with a brace; ten steps are taken.
#include "../extremes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

// libfyaml forgets a buffer when some very long texts are wrong.
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml\n";
}

// A scene that is small whatever it says: few cells, no files.
static bool is_small(PalTreeNode *node, const char *key, int *bodies)
{
    bool counts = key != NULL && strcmp(key, "cells") == 0;
    if (key != NULL && (strcmp(key, "mesh") == 0 || strcmp(key, "surface") == 0 ||
                        strcmp(key, "size") == 0 || strcmp(key, "threads") == 0))
        return false;
    if (key != NULL && strcmp(key, "shape") == 0 &&
        (pal_tree_get(node, "cells") == NULL || ++*bodies > 4))
        return false;
    if (node->kind == PAL_TREE_SCALAR)
        return !counts || (pal_tree_read_number(node) && node->number <= 4);
    for (int32_t i = 0; i < node->count; ++i)
        if (!is_small(node->items[i].value, node->items[i].key != NULL ? node->items[i].key : key,
                      bodies))
            return false;
    return true;
}

static void run_text(const char *text, size_t size)
{
    PalTree tree = {.path = "fuzz.json"};
    PalError error = {0};
    PalScene *scene = NULL;
    int bodies = 0;
    PalStatus status = pal_tree_parse(&tree, text, size, NULL, &tree.root, &error);
    bool small =
        status == PAL_OK && tree.root->kind == PAL_TREE_MAP && is_small(tree.root, NULL, &bodies);
    pal_tree_clear(&tree);
    if (!small)
        return;
    error = (PalError){0};
    status = pal_scene_read_memory(text, size, "fuzz.json", NULL, &scene, &error);
    extreme_say(status, &error);
    if (status == PAL_OK)
        extreme_run(pal_scene_sim(scene));
    pal_scene_destroy(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0 && data[0] == '{') {
        run_text((const char *)data, size);
        return 0;
    }
    ExtremeCase chosen;
    extreme_choose(data, size, &chosen);
    extreme_try(&chosen);
    return 0;
}
