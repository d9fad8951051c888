#include "output/probe_list.h"

#include "base/memory.h"
#include "output/probe.h"

#include <stdio.h>
#include <string.h>

enum { EACH = 3 };
static const PalRecord records[EACH] = {PAL_RECORD_POSITION, PAL_RECORD_VELOCITY,
                                        PAL_RECORD_ROTATION};

static size_t name_size(const PalRigid *rigid, int i)
{
    return strlen(rigid->name) + strlen(pal_record_name(records[i])) + 2;  // with the point
}

static void add(PalProbeList *list, const PalModel *model, int32_t r, char **name)
{
    for (int i = 0; i < EACH; ++i) {
        size_t size = name_size(&model->rigids[r], i);
        snprintf(*name, size, "%s.%s", model->rigids[r].name, pal_record_name(records[i]));
        list->defs[list->count++] = (PalProbeDef){
            .name = *name, .kind = PAL_PROBE_RIGID, .rigid_index = r, .record = records[i]};
        *name += size;
    }
}

bool pal_probe_list_init(PalProbeList *list, const PalOutputDef *def, const PalModel *model)
{
    bool all = model->free_rigid_count <= PAL_PROBED_BODIES_MAX;
    size_t count = (size_t)def->probe_count + (all ? EACH * (size_t)model->free_rigid_count : 0);
    size_t bytes = 0;
    for (int32_t r = 0; r < model->rigid_count; ++r)
        for (int i = 0; i < EACH; ++i)
            bytes += name_size(&model->rigids[r], i);
    *list =
        (PalProbeList){.defs = pal_alloc(count, sizeof *list->defs), .names = pal_alloc(bytes, 1)};
    if (list->defs == NULL || list->names == NULL) {
        pal_probe_list_clear(list);
        return false;
    }
    char *name = list->names;
    for (int32_t p = 0; p < def->probe_count; ++p)
        list->defs[list->count++] = def->probes[p];
    for (int32_t r = 0; r < model->rigid_count; ++r)
        if (model->rigids[r].free && all)
            add(list, model, r, &name);
    return true;
}

void pal_probe_list_clear(PalProbeList *list)
{
    pal_free(list->defs);
    pal_free(list->names);
    *list = (PalProbeList){0};
}
