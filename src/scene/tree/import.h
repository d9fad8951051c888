// Models of other programs as scenes: what a file becomes, and what a program's importer states.
#ifndef PAL_SCENE_TREE_IMPORT_H
#define PAL_SCENE_TREE_IMPORT_H

#include "mesh/readers/cursor.h"
#include "scene/tree/findings.h"
#include "scene/tree/tree.h"

// A mesh that is at hand already, under the name of a file.
typedef struct PalGivenMesh {
    const char *file;
    PalMesh *mesh;
} PalGivenMesh;

typedef struct PalSceneImport {
    int32_t mesh_count;
    PalGivenMesh *meshes;  // the array lives in the tree, the meshes are to be destroyed
    PalFindings warnings;
    PalFindings losses;  // of these: what decides the answer and was left out
    bool lenient;        // set by the caller: leave such things out instead of refusing the model
} PalSceneImport;

void pal_scene_import_clear(PalSceneImport *import);

// One program whose models become scenes.
typedef struct PalImporter {
    const char *program;    // "NiftySim"
    const char *extension;  // ".xml"; a file with it is taken for such a model
    // Whether the content is such a model, whatever the file's name; NULL: that is not looked at.
    bool (*recognises)(const char *text, size_t size);
    // Reads a model into `tree` (path set) and makes its root. Meshes are named STEM-BODY.inp,
    // or .vtu where INP cannot hold the names of their groups.
    // Errors and warnings read path:line: what, what was expected. Clear the result in any case.
    PalStatus (*read)(PalToken text, const char *stem, PalTree *tree, PalSceneImport *import,
                      PalError *error);
} PalImporter;

#endif
