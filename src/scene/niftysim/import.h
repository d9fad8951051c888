// NiftySim models as scenes: a tree of our own keys and the meshes it names.
// docs/formats-niftysim.md
#ifndef PAL_SCENE_NIFTYSIM_IMPORT_H
#define PAL_SCENE_NIFTYSIM_IMPORT_H

#include "scene/tree/import.h"

extern const PalImporter pal_importer_niftysim;

#endif
