// NiftySim models as scenes: a tree of our own keys and the meshes it names.
// docs/formats-niftysim.md
#ifndef PAL_SCENE_NIFTYSIM_IMPORT_H
#define PAL_SCENE_NIFTYSIM_IMPORT_H

#include "scene/import.h"

// Whether a file of this name and content is such a model.
bool pal_nifty_is_model(const char *text, size_t size, const char *path);

// Reads a model into `tree` (path set) and makes its root. Meshes are named STEM-BODY.inp.
// Errors and warnings read path:line: what, what was expected. Clear the result in any case.
PalStatus pal_nifty_import(const char *text, size_t size, const char *stem, PalTree *tree,
                           PalSceneImport *import, PalError *error);

#endif
