// Models of other programs as scenes: what a file becomes.
#ifndef PAL_SCENE_IMPORT_H
#define PAL_SCENE_IMPORT_H

#include "mesh/readers/cursor.h"
#include "scene/findings.h"

typedef struct PalSceneImport {
    int32_t mesh_count;
    PalGivenMesh *meshes;  // the array lives in the tree, the meshes are to be destroyed
    PalFindings warnings;
} PalSceneImport;

void pal_scene_import_clear(PalSceneImport *import);

typedef enum PalModelKind {
    PAL_MODEL_NONE,  // a scene of our own
    PAL_MODEL_NIFTYSIM,
    PAL_MODEL_FEBIO,
    PAL_MODEL_ABAQUS,
} PalModelKind;

// By the content, or by the ending of the name.
PalModelKind pal_model_kind(const char *text, size_t size, const char *path);
const char *pal_model_name(PalModelKind kind);  // "NiftySim", ...

// Reads a model into `tree` (path set) and makes its root. Meshes are named STEM-BODY.inp,
// or .vtu where INP cannot hold the names of their groups.
// Errors and warnings read path:line: what, what was expected. Clear the result in any case.
PalStatus pal_scene_import(PalModelKind kind, PalToken text, const char *stem, PalTree *tree,
                           PalSceneImport *import, PalError *error);

#endif
