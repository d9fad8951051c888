#include "scene/foreign/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pal_foreign_clear(PalForeign *model)
{
    pal_mesh_destroy(model->mesh);
    pal_array_clear(&model->materials);
    pal_array_clear(&model->sections);
    for (int32_t i = 0; i < model->curves.count; ++i)
        pal_array_clear(&model->curves.items[i].points);
    pal_array_clear(&model->curves);
    pal_array_clear(&model->conditions);
    pal_array_clear(&model->contacts);
    pal_array_clear(&model->attachments);
    for (int32_t i = 0; i < model->rigids.count; ++i) {
        pal_array_clear(&model->rigids.items[i].facets);
        pal_mesh_destroy(model->rigids.items[i].mesh);
    }
    pal_array_clear(&model->rigids);
    for (int32_t i = 0; i < model->parts.count; ++i)
        pal_mesh_destroy(model->parts.items[i].mesh);
    pal_array_clear(&model->parts);
    pal_surface_destroy(model->surface);
}

const char *pal_foreign_text(PalForeign *model, const char *text, size_t size)
{
    return pal_tree_text(model->tree, text, size);
}

void pal_foreign_set(PalForeignMaterial *material, const char *key, double value)
{
    if (material->parameter_count == PAL_FOREIGN_PARAMETER_MAX)
        return;
    material->keys[material->parameter_count] = key;
    material->values[material->parameter_count++] = value;
}

PalStatus pal_foreign_group(PalForeign *model, int32_t line, const char *name, bool any_case,
                            const char **group)
{
    PalToken word = {name, strlen(name)};
    for (int32_t g = 0; g < model->mesh->group_count; ++g) {
        const char *own = model->mesh->groups[g].name;
        if (!(any_case ? pal_token_is_like(word, own) : strcmp(name, own) == 0))
            continue;
        *group = pal_foreign_text(model, own, strlen(own));
        return *group != NULL ? PAL_OK : pal_foreign_no_memory(model);
    }
    return pal_foreign_fail(model, line, "there is no set %s, expected one that the model defines",
                            pal_quoted(name).text);
}

PalStatus pal_foreign_on_surface(PalForeign *model, const PalGroup *group, bool *on)
{
    PalError inner = {0};
    int32_t *facets = NULL, count = 0;
    PalWhere where = {.kind = PAL_WHERE_GROUP, .group = group->name};
    PalStatus status = PAL_OK;
    if (model->surface == NULL)
        status = pal_mesh_boundary(model->mesh, &model->surface, &inner);
    if (status == PAL_OK)
        status =
            pal_mesh_select_facets(model->mesh, model->surface, &where, &facets, &count, &inner);
    free(facets);
    *on = count == group->face_count && count > 0;
    if (status == PAL_NO_MEMORY)
        return pal_foreign_no_memory(model);
    return status == PAL_OK ? PAL_OK : pal_foreign_fail(model, model->mesh_line, "%s", inner.text);
}

// ---- the import -------------------------------------------------------------------------------

// Gives the meshes to the import.
static PalStatus hand_over(PalForeign *model, PalSceneImport *import)
{
    size_t count = (size_t)model->parts.count + (size_t)model->rigids.count;
    import->meshes = pal_tree_alloc(model->tree, count, sizeof *import->meshes);
    if (import->meshes == NULL)
        return pal_foreign_no_memory(model);
    for (int32_t i = 0; i < model->parts.count; ++i) {
        PalForeignPart *part = &model->parts.items[i];
        import->meshes[import->mesh_count++] = (PalGivenMesh){part->file, part->mesh};
        part->mesh = NULL;
    }
    for (int32_t i = 0; i < model->rigids.count; ++i) {
        PalForeignRigid *rigid = &model->rigids.items[i];
        import->meshes[import->mesh_count++] = (PalGivenMesh){rigid->file, rigid->mesh};
        rigid->mesh = NULL;
    }
    return PAL_OK;
}

// Values between points and behind the last one matter in time; an equilibrium asks for the end.
static PalStatus check_curve(PalForeign *model, int32_t index, int32_t line)
{
    if (index == PAL_NONE)
        return PAL_OK;
    const PalForeignCurve *curve = &model->curves.items[index];
    const double *points = curve->points.items;
    double last = points[curve->points.count - 2], slack = 1e-9 * model->time;
    bool met = model->time >= last - slack;
    for (int32_t i = 0; i < curve->points.count && !model->dynamic; i += 2)
        met = met || fabs(points[i] - model->time) <= slack;
    if (curve->bent && (model->dynamic || !met))
        PAL_TRY(pal_foreign_lose(model, line,
                                 "the curve %s is not straight between its points, expected a "
                                 "linear one",
                                 pal_quoted(curve->name).text));
    if (curve->open && model->time > last + slack)
        PAL_TRY(pal_foreign_lose(model, line,
                                 "the curve %s goes on behind its last point at time %g, expected "
                                 "points up to %g",
                                 pal_quoted(curve->name).text, last, model->time));
    return PAL_OK;
}

static PalStatus check_curves(PalForeign *model)
{
    for (int32_t i = 0; i < model->conditions.count; ++i)
        PAL_TRY(
            check_curve(model, model->conditions.items[i].curve, model->conditions.items[i].line));
    for (int32_t i = 0; i < model->rigids.count; ++i) {
        const PalForeignRigid *rigid = &model->rigids.items[i];
        for (int f = 0; f < PAL_FOREIGN_FREEDOMS; ++f)
            if (rigid->given[f] && rigid->value[f] != 0)
                PAL_TRY(check_curve(model, rigid->curve[f], rigid->line));
        PAL_TRY(check_curve(model, rigid->push_curve, rigid->line));
    }
    return PAL_OK;
}

PalStatus pal_foreign_finish(PalForeign *model, PalStatus status, const char *stem,
                             PalSceneImport *import)
{
    if (status == PAL_OK)
        status = pal_foreign_attach(model);
    if (status == PAL_OK)
        status = check_curves(model);
    if (status == PAL_OK)
        status = pal_foreign_divide(model, stem);
    if (status == PAL_OK)
        status = pal_foreign_build(model);
    if (status == PAL_OK && import->warnings.failed)
        status = pal_foreign_no_memory(model);
    if (status == PAL_OK)
        status = hand_over(model, import);
    pal_foreign_clear(model);
    return status;
}
