// Any bytes as a scene: parsed, changed, and checked against the tables of keys. Meshes are left
// out, so that a scene cannot ask for a large one.
#include "scene/reader.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

// libfyaml forgets a buffer when some very long texts are wrong.
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml\n";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PalTree tree = {.path = size > 0 && data[0] == '{' ? "fuzz.json" : "fuzz.yaml"};
    PalError error = {0};
    PalStatus status = pal_tree_parse(&tree, (const char *)data, size, NULL, &tree.root, &error);
    if (status == PAL_OK && tree.root->kind == PAL_TREE_MAP) {
        static const PalSceneChange change = {"solver.time", "2"};
        status = pal_scene_change(&tree, &change, &error);
        if (status == PAL_OK)
            status = pal_keys_check(&tree, tree.root, &pal_scene_keys, &error);
        if (status == PAL_OK)
            free(pal_scene_write(&tree, tree.root));
    }
    if (status != PAL_OK && (error.text[0] == '\0' || strchr(error.text, '\n') != NULL))
        abort();
    pal_tree_clear(&tree);
    return 0;
}
