#include "output/probe.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "output/history.h"

#include <stdlib.h>
#include <string.h>

const char *pal_record_name(PalRecord record)
{
    static const char *const names[] = {"displacement", "velocity", "position", "force"};
    return names[record];
}

static PalStatus create_one(const PalModel *model, const PalProbeDef *def, PalProbe *probe,
                            PalError *error)
{
    if (def->body_index < 0 || def->body_index >= model->body_count)
        return pal_error_set(error, PAL_BAD_INPUT, "probe %s: no body with number %d", def->name,
                             (int)def->body_index);
    if (pal_history_has_name(def->name))
        return pal_error_set(error, PAL_BAD_INPUT, "probe %s: the history has this name already",
                             def->name);
    const PalBody *body = &model->bodies[def->body_index];
    PAL_TRY(
        pal_mesh_select_nodes(body->mesh, &def->where, &probe->nodes, &probe->node_count, error));
    if (probe->node_count == 0)
        return pal_error_set(error, PAL_BAD_INPUT, "probe %s: no node of body %s is selected",
                             def->name, body->name);
    for (int32_t i = 0; i < probe->node_count; ++i)
        probe->nodes[i] += body->first_node;
    probe->record = def->record;
    probe->name = pal_copy_text(def->name);
    return probe->name != NULL ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory");
}

PalStatus pal_probes_create(const PalModel *model, int32_t count, const PalProbeDef *defs,
                            PalProbe **probes, PalError *error)
{
    PalProbe *made = pal_alloc((size_t)count, sizeof *made);
    *probes = NULL;
    if (made == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the probes");
    PalStatus status = PAL_OK;
    for (int32_t p = 0; p < count && status == PAL_OK; ++p) {
        for (int32_t other = 0; other < p; ++other)
            if (strcmp(defs[p].name, defs[other].name) == 0)
                status = pal_error_set(error, PAL_BAD_INPUT, "two probes have the name %s",
                                       defs[p].name);
        if (status == PAL_OK)
            status = create_one(model, &defs[p], &made[p], error);
    }
    if (status == PAL_OK)
        *probes = made;
    else
        pal_probes_destroy(made, count);
    return status;
}

void pal_probes_destroy(PalProbe *probes, int32_t count)
{
    for (int32_t p = 0; probes != NULL && p < count; ++p) {
        pal_free(probes[p].name);
        free(probes[p].nodes);
    }
    pal_free(probes);
}

PalVec3 pal_probe_value(const PalProbe *probe, const PalProbeSource *source)
{
    PalVec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < probe->node_count; ++i) {
        int32_t n = probe->nodes[i];
        switch (probe->record) {
        case PAL_RECORD_DISPLACEMENT:
            sum = pal_vec3_add(sum, source->displacement[n]);
            break;
        case PAL_RECORD_VELOCITY:
            sum = pal_vec3_add(sum, source->velocity[n]);
            break;
        case PAL_RECORD_POSITION:
            sum = pal_vec3_add(sum, pal_vec3_add(source->reference[n], source->displacement[n]));
            break;
        case PAL_RECORD_FORCE:
            sum = pal_vec3_add(sum, source->reaction[n]);
            break;
        }
    }
    bool is_mean = probe->record != PAL_RECORD_FORCE && probe->node_count > 0;
    return is_mean ? pal_vec3_scale(1.0 / probe->node_count, sum) : sum;
}
