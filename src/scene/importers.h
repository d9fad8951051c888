// Which programs' models can be read.
#ifndef PAL_SCENE_IMPORTERS_H
#define PAL_SCENE_IMPORTERS_H

#include "scene/tree/import.h"

// The one for this file, by its name or its content. NULL: a scene of our own.
const PalImporter *pal_importer_find(const char *text, size_t size, const char *path);

// "NiftySim (.xml), FEBio (.feb) or Abaqus (.inp)".
typedef struct PalImporterNames {
    char text[200];
} PalImporterNames;
PalImporterNames pal_importer_names(void);

#endif
