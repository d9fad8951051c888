// What the fuzz targets of foreign models share: any bytes give the tree of a scene with sound
// meshes, or one clear line. Every other one is read leniently.
#ifndef PAL_TESTS_FUZZ_MODEL_H
#define PAL_TESTS_FUZZ_MODEL_H

#include "fuzz_mesh.h"
#include "scene/importers.h"
#include "scene/reader.h"

static inline int fuzz_model(const uint8_t *data, size_t size, const char *path)
{
    PalTree tree = {.path = path};
    PalError error = {0};
    PalSceneImport import = {.lenient = size % 2 == 1};
    PalToken text = {(const char *)data, size};
    const PalImporter *importer = pal_importer_find("", 0, path);
    PalStatus status = importer->read(text, "fuzz", &tree, &import, &error);
    if (status == PAL_OK) {
        demand(tree.root != NULL && import.mesh_count > 0, "a model is a scene with meshes");
        demand(import.lenient || import.losses.list.count == 0, "nothing is lost unless allowed");
        for (int32_t i = 0; i < import.mesh_count; ++i)
            check_mesh(import.meshes[i].mesh);
        free(pal_scene_write(&tree, tree.root));
    } else {
        demand(error.text[0] != '\0', "there is a message");
        demand(strchr(error.text, '\n') == NULL, "a message is one line");
    }
    pal_scene_import_clear(&import);
    pal_tree_clear(&tree);
    return 0;
}

#endif
