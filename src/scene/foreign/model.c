#include "scene/foreign/model.h"

#include "mesh/readers/names.h"

#include <stdio.h>
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

// ---- the import -------------------------------------------------------------------------------

// Whether the names of the groups come back from an INP file, where case does not count and commas
// end a name; and quotes, stars, equal signs and blanks around it have a meaning.
static PalStatus names_fit_inp(PalForeign *model, bool *fit)
{
    PalNames names = {0};
    const PalMesh *mesh = model->mesh;
    PalStatus status = PAL_OK;
    *fit = true;
    for (int32_t g = 0; g < mesh->group_count && *fit; ++g) {
        PalToken name = {mesh->groups[g].name, strlen(mesh->groups[g].name)};
        *fit = strpbrk(name.text, ",\"=*") == NULL && pal_token_trim(name).size == name.size &&
               pal_names_find(&names, name, true) == PAL_NONE;
        if (*fit && pal_names_add(&names, name, true) == PAL_NONE) {
            status = pal_foreign_no_memory(model);
            break;
        }
    }
    pal_names_clear(&names);
    return status;
}

// STEM-body.inp, or .vtu where names need it.
static PalStatus name_mesh(PalForeign *model, const char *stem, const char **file)
{
    bool fit;
    PAL_TRY(names_fit_inp(model, &fit));
    size_t length = strlen(stem) + sizeof "-body.inp";
    char *name = pal_tree_alloc(model->tree, length, 1);
    if (name == NULL)
        return pal_foreign_no_memory(model);
    snprintf(name, length, "%s-body.%s", stem, fit ? "inp" : "vtu");
    *file = name;
    return PAL_OK;
}

PalStatus pal_foreign_finish(PalForeign *model, PalStatus status, const char *stem,
                             PalSceneImport *import)
{
    const char *file = NULL;
    import->meshes = pal_tree_alloc(model->tree, 1, sizeof *import->meshes);
    if (status == PAL_OK && import->meshes == NULL)
        status = pal_foreign_no_memory(model);
    if (status == PAL_OK)
        status = name_mesh(model, stem, &file);
    if (status == PAL_OK)
        status = pal_foreign_build(model, file);
    if (status == PAL_OK && import->warnings.failed)
        status = pal_foreign_no_memory(model);
    if (status == PAL_OK) {
        import->meshes[import->mesh_count++] = (PalGivenMesh){file, model->mesh};
        model->mesh = NULL;
    }
    pal_foreign_clear(model);
    return status;
}
