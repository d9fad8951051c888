// From a model that has been read to the tree of a scene.
#include "scene/foreign/model.h"

#include "base/memory.h"

#include <string.h>

PalTreeNode *pal_foreign_new(PalForeign *model, PalTreeKind kind, int32_t line)
{
    PalTreeNode *node = pal_tree_new(model->tree, kind, NULL);
    if (node != NULL)
        node->line = line > 0 ? line : 1;
    if (node != NULL && model->notes.sources != NULL)
        node->origin = pal_notes_place(&model->notes, line, model->tree);
    return node;
}

bool pal_foreign_put(PalForeign *model, PalTreeNode *owner, const char *key, PalTreeNode *value)
{
    return owner != NULL && value != NULL && pal_tree_put(model->tree, owner, key, value);
}

bool pal_foreign_put_text(PalForeign *model, PalTreeNode *map, const char *key, const char *text)
{
    return map != NULL &&
           pal_foreign_put(model, map, key, pal_tree_new_text(model->tree, map, text));
}

// A word that YAML takes for nothing but text.
static bool is_plain(const char *text)
{
    static const char *const others[] = {"null", "true", "false", "yes", "no",
                                         "on",   "off",  "y",     "n",   "all"};
    PalToken word = {text, strlen(text)};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (pal_token_is_like(word, others[i]))
            return false;
    for (const char *c = text; *c != '\0'; ++c) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        bool inner = (*c >= '0' && *c <= '9') || *c == '-' || *c == '_' || *c == '.';
        if (!letter && !(inner && c > text))
            return false;
    }
    return text[0] != '\0';
}

bool pal_foreign_put_name(PalForeign *model, PalTreeNode *map, const char *key, const char *text)
{
    PalTreeNode *node = map != NULL ? pal_tree_new_text(model->tree, map, text) : NULL;
    if (node != NULL)
        node->quoted = !is_plain(text);
    return pal_foreign_put(model, map, key, node);
}

bool pal_foreign_put_number(PalForeign *model, PalTreeNode *map, const char *key, double number)
{
    return map != NULL &&
           pal_foreign_put(model, map, key, pal_tree_new_number(model->tree, map, number));
}

bool pal_foreign_put_vector(PalForeign *model, PalTreeNode *map, const char *key,
                            const double *value)
{
    PalTreeNode *list = map != NULL ? pal_foreign_new(model, PAL_TREE_LIST, map->line) : NULL;
    bool done = pal_foreign_put(model, map, key, list);
    for (int i = 0; i < 3 && done; ++i)
        done = pal_foreign_put_number(model, list, NULL, value[i]);
    return done;
}

// ---- materials --------------------------------------------------------------------------------

static bool put_terms(PalForeign *model, PalTreeNode *relaxation, const char *key,
                      const PalPronyTerm *terms, int32_t count)
{
    PalTreeNode *list = pal_foreign_new(model, PAL_TREE_LIST, relaxation->line);
    bool done = list != NULL;
    for (int32_t i = 0; i < count && done; ++i) {
        PalTreeNode *term = pal_foreign_new(model, PAL_TREE_MAP, relaxation->line);
        if (terms[i].weight > 0)
            done = pal_foreign_put(model, list, NULL, term) &&
                   pal_foreign_put_number(model, term, "weight", terms[i].weight) &&
                   pal_foreign_put_number(model, term, "time", terms[i].time);
    }
    return done && (list->count == 0 || pal_foreign_put(model, relaxation, key, list));
}

static bool put_material(PalForeign *model, PalTreeNode *map, const PalForeignMaterial *material)
{
    bool done = pal_foreign_put_text(model, map, "law", material->law);
    for (int32_t i = 0; i < material->parameter_count && done; ++i)
        done = pal_foreign_put_number(model, map, material->keys[i], material->values[i]);
    for (int32_t f = 0; f < material->family_count && done; ++f) {
        PalVec3 a = material->families[f];
        const char *key = material->family_count == 1 ? "direction"
                          : f == 0                    ? "direction-1"
                                                      : "direction-2";
        done = pal_foreign_put_vector(model, map, key, (const double[]){a.x, a.y, a.z});
    }
    done = done && pal_foreign_put_number(model, map, "density", material->density);
    if (!done || material->prony_count == 0)
        return done;
    PalTreeNode *relaxation = pal_foreign_new(model, PAL_TREE_MAP, material->line);
    return pal_foreign_put(model, map, "relaxation", relaxation) &&
           put_terms(model, relaxation, "isochoric", material->isochoric, material->prony_count) &&
           put_terms(model, relaxation, "volumetric", material->volumetric, material->prony_count);
}

// ---- bodies -----------------------------------------------------------------------------------

static bool is_febio(const PalForeign *model)
{
    return strcmp(model->program, "FEBio") == 0;
}

// Where nothing depends on a density, a missing one is not needed: it is that of another material.
static PalStatus complete_density(PalForeign *model, PalForeignMaterial *material)
{
    bool weighs = model->dynamic;
    double other = 0;
    for (int32_t i = 0; i < model->conditions.count; ++i)
        weighs = weighs || model->conditions.items[i].kind == PAL_FOREIGN_GRAVITY;
    for (int32_t i = 0; i < model->materials.count; ++i)
        if (model->materials.items[i].density > other)
            other = model->materials.items[i].density;
    if (weighs)
        return pal_foreign_fail(model, material->line,
                                "the material %s has no density; add %s, in the units of the model",
                                pal_quoted(material->name).text,
                                is_febio(model) ? "<density>...</density> to it"
                                                : "*DENSITY and its value");
    material->density = other > 0 ? other : 1;
    pal_foreign_warn(model, material->line,
                     "the material %s has no density; %g is taken, as an equilibrium without "
                     "gravity does not depend on it",
                     pal_quoted(material->name).text, material->density);
    return PAL_OK;
}

static PalStatus check_material(PalForeign *model, const PalForeignSection *section)
{
    PalForeignMaterial *material = &model->materials.items[section->material];
    if (material->law == NULL)
        return pal_foreign_fail(model, material->line,
                                "the material %s has no elasticity, expected one",
                                pal_quoted(material->name).text);
    return material->density > 0 ? PAL_OK : complete_density(model, material);
}

// Every element must be in a section: one that was forgotten would get another's material.
static PalStatus check_covered(PalForeign *model, const PalMesh *mesh, int32_t *used)
{
    bool *covered = pal_alloc((size_t)mesh->cell_count, sizeof *covered);
    if (covered == NULL)
        return pal_foreign_no_memory(model);
    int32_t left = mesh->cell_count;
    *used = 0;
    for (int32_t i = 0; i < model->sections.count; ++i) {
        const PalGroup *group = pal_mesh_find_group(mesh, model->sections.items[i].group);
        *used += group != NULL && group->cell_count > 0;
        for (int32_t k = 0; group != NULL && k < group->cell_count; ++k) {
            left -= !covered[group->cells[k]];
            covered[group->cells[k]] = true;
        }
    }
    pal_free(covered);
    if (left == 0)
        return PAL_OK;
    return pal_foreign_fail(model, model->sections.items[0].line,
                            "%d of %d elements are in no section with a material, expected %s for "
                            "every element",
                            left, mesh->cell_count,
                            is_febio(model) ? "a domain" : "*SOLID SECTION");
}

static PalStatus build_body(PalForeign *model, PalTreeNode *bodies, const PalForeignPart *part)
{
    PalTreeNode *body = pal_foreign_new(model, PAL_TREE_MAP, model->mesh_line);
    int32_t used = 0;
    PAL_TRY(check_covered(model, part->mesh, &used));
    bool done = pal_foreign_put(model, bodies, NULL, body) &&
                pal_foreign_put_name(model, body, "name", part->name) &&
                pal_foreign_put_name(model, body, "mesh", part->file);
    PalTreeNode *list = pal_foreign_new(model, PAL_TREE_LIST, model->sections.items[0].line);
    if (done && used > 1)
        done = pal_foreign_put(model, body, "materials", list);
    for (int32_t i = 0; i < model->sections.count; ++i) {
        const PalForeignSection *section = &model->sections.items[i];
        const PalGroup *group = pal_mesh_find_group(part->mesh, section->group);
        if (group == NULL || group->cell_count == 0)
            continue;
        PAL_TRY(check_material(model, section));
        PalTreeNode *map = pal_foreign_new(model, PAL_TREE_MAP, section->line);
        if (used > 1)
            done = done && pal_foreign_put(model, list, NULL, map) &&
                   pal_foreign_put_name(model, map, "group", section->group);
        else
            done = done && pal_foreign_put(model, body, "material", map);
        done = done && put_material(model, map, &model->materials.items[section->material]);
    }
    return done ? PAL_OK : pal_foreign_no_memory(model);
}

static PalStatus build_bodies(PalForeign *model, PalTreeNode *root)
{
    PalTreeNode *bodies = pal_foreign_new(model, PAL_TREE_LIST, model->mesh_line);
    if (model->sections.count == 0)
        return pal_foreign_fail(model, model->mesh_line, "no element has a material, expected %s",
                                is_febio(model) ? "a domain with one" : "*SOLID SECTION");
    if (!pal_foreign_put(model, root, "bodies", bodies))
        return pal_foreign_no_memory(model);
    for (int32_t p = 0; p < model->parts.count; ++p)
        PAL_TRY(build_body(model, bodies, &model->parts.items[p]));
    return PAL_OK;
}

// ---- the solver -------------------------------------------------------------------------------

// A static analysis is a relaxation to equilibrium under the loads of its end.
static PalStatus build_solver(PalForeign *model, PalTreeNode *root)
{
    PalTreeNode *solver = pal_foreign_new(model, PAL_TREE_MAP, model->step_line);
    if (model->step_line == 0)
        return pal_foreign_fail(model, 0, "no %s, expected one that says how long the model runs",
                                is_febio(model) ? "<Control>" : "*STEP");
    if (!(model->time > 0))
        return pal_foreign_fail(model, model->step_line, "a step of time %g, expected more than 0",
                                model->time);
    bool done =
        pal_foreign_put(model, root, "solver", solver) &&
        pal_foreign_put_text(model, solver, "method", model->dynamic ? "explicit" : "relaxation") &&
        pal_foreign_put_number(model, solver, "time", model->time);
    if (model->dynamic && model->frame_count > 0) {
        PalTreeNode *output = pal_foreign_new(model, PAL_TREE_MAP, model->step_line);
        done = done && pal_foreign_put(model, root, "output", output) &&
               pal_foreign_put_number(model, output, "every", model->time / model->frame_count);
    }
    return done ? PAL_OK : pal_foreign_no_memory(model);
}

PalStatus pal_foreign_build(PalForeign *model)
{
    PalTreeNode *root = pal_foreign_new(model, PAL_TREE_MAP, 1);
    model->tree->root = root;
    if (root == NULL)
        return pal_foreign_no_memory(model);
    PAL_TRY(build_bodies(model, root));
    PAL_TRY(pal_foreign_build_rigids(model, root));
    PAL_TRY(pal_foreign_build_conditions(model, root));
    PAL_TRY(pal_foreign_build_contact(model, root));
    PAL_TRY(build_solver(model, root));
    if (model->tree->node_count > PAL_TREE_NODE_MAX)
        return pal_foreign_fail(model, 0,
                                "the scene of this model has more than a million values, expected "
                                "fewer");
    return PAL_OK;
}
