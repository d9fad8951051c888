// Any bytes as a FEBio model, up to the tree of its scene.
#include "scene/import.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PalTree tree = {.path = "fuzz.feb"};
    PalError error = {0};
    PalSceneImport import = {0};
    PalToken text = {(const char *)data, size};
    PalStatus status = pal_scene_import(PAL_MODEL_FEBIO, text, "fuzz", &tree, &import, &error);
    if (status == PAL_OK && (tree.root == NULL || import.mesh_count != 1))
        abort();
    if (status == PAL_OK)
        free(pal_scene_write(&tree, tree.root));
    if (status != PAL_OK && (error.text[0] == '\0' || strchr(error.text, '\n') != NULL))
        abort();
    pal_scene_import_clear(&import);
    pal_tree_clear(&tree);
    return 0;
}
