#include "scene/import.h"

#include "scene/foreign/model.h"
#include "scene/niftysim/import.h"

#include <string.h>

void pal_scene_import_clear(PalSceneImport *import)
{
    for (int32_t i = 0; i < import->mesh_count; ++i)
        pal_mesh_destroy(import->meshes[i].mesh);
    pal_array_clear(&import->warnings.list);
    *import = (PalSceneImport){0};
}

PalModelKind pal_model_kind(const char *text, size_t size, const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot != NULL && pal_token_is_like((PalToken){dot, strlen(dot)}, ".inp"))
        return PAL_MODEL_ABAQUS;
    if (pal_febio_is_model(text, size, path))
        return PAL_MODEL_FEBIO;
    return pal_nifty_is_model(text, size, path) ? PAL_MODEL_NIFTYSIM : PAL_MODEL_NONE;
}

const char *pal_model_name(PalModelKind kind)
{
    static const char *const names[] = {"palpate", "NiftySim", "FEBio", "Abaqus"};
    return names[kind];
}

PalStatus pal_scene_import(PalModelKind kind, PalToken text, const char *stem, PalTree *tree,
                           PalSceneImport *import, PalError *error)
{
    if (kind == PAL_MODEL_NIFTYSIM)
        return pal_nifty_import(text.text, text.size, stem, tree, import, error);
    return pal_foreign_import(kind, text, stem, tree, import, error);
}
