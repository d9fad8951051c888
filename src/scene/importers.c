#include "scene/importers.h"

#include "scene/foreign/model.h"
#include "scene/niftysim/import.h"

#include <stdio.h>
#include <string.h>

static const PalImporter *const importers[] = {
    &pal_importer_niftysim,
    &pal_importer_febio,
    &pal_importer_abaqus,
};
enum { COUNT = sizeof importers / sizeof importers[0] };

// From the last to the first: any XML looks like a model of NiftySim.
const PalImporter *pal_importer_find(const char *text, size_t size, const char *path)
{
    const char *dot = strrchr(path, '.');
    PalToken ending = {dot != NULL ? dot : "", dot != NULL ? strlen(dot) : 0};
    for (int i = COUNT - 1; i >= 0; --i) {
        const PalImporter *importer = importers[i];
        if (pal_token_is_like(ending, importer->extension) ||
            (importer->recognises != NULL && importer->recognises(text, size)))
            return importer;
    }
    return NULL;
}

PalImporterNames pal_importer_names(void)
{
    PalImporterNames names = {""};
    for (int i = 0; i < COUNT; ++i) {
        size_t used = strlen(names.text);
        snprintf(names.text + used, sizeof names.text - used, "%s%s (%s)",
                 i == 0           ? ""
                 : i == COUNT - 1 ? " or "
                                  : ", ",
                 importers[i]->program, importers[i]->extension);
    }
    return names;
}

const char *pal_scene_extension(int32_t index)
{
    static const char *const own[] = {".yaml", ".yml", ".json"};
    enum { OWN = sizeof own / sizeof own[0] };
    if (index < 0 || index >= OWN + COUNT)
        return NULL;
    return index < OWN ? own[index] : importers[index - OWN]->extension;
}
