#include "scene/tree/import.h"

void pal_scene_import_clear(PalSceneImport *import)
{
    for (int32_t i = 0; i < import->mesh_count; ++i)
        pal_mesh_destroy(import->meshes[i].mesh);
    pal_array_clear(&import->warnings.list);
    pal_array_clear(&import->losses.list);
    *import = (PalSceneImport){0};
}
