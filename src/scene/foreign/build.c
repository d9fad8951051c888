// From a model that has been read to the tree of a scene.
#include "scene/foreign/model.h"

#include "base/memory.h"

#include <string.h>

static PalTreeNode *new_node(PalForeign *model, PalTreeKind kind, int32_t line)
{
    PalTreeNode *node = pal_tree_new(model->tree, kind, NULL);
    if (node != NULL)
        node->line = line > 0 ? line : 1;
    return node;
}

static bool put(PalForeign *model, PalTreeNode *owner, const char *key, PalTreeNode *value)
{
    return owner != NULL && value != NULL && pal_tree_put(model->tree, owner, key, value);
}

static bool put_text(PalForeign *model, PalTreeNode *map, const char *key, const char *text)
{
    return map != NULL && put(model, map, key, pal_tree_new_text(model->tree, map, text));
}

// A name, which may look like a number.
static bool put_name(PalForeign *model, PalTreeNode *map, const char *key, const char *text)
{
    PalTreeNode *node = map != NULL ? pal_tree_new_text(model->tree, map, text) : NULL;
    if (node != NULL)
        node->quoted = true;
    return put(model, map, key, node);
}

static bool put_number(PalForeign *model, PalTreeNode *map, const char *key, double number)
{
    return map != NULL && put(model, map, key, pal_tree_new_number(model->tree, map, number));
}

static bool put_vector(PalForeign *model, PalTreeNode *map, const char *key, const double *value)
{
    PalTreeNode *list = map != NULL ? new_node(model, PAL_TREE_LIST, map->line) : NULL;
    return put(model, map, key, list) && put_number(model, list, NULL, value[0]) &&
           put_number(model, list, NULL, value[1]) && put_number(model, list, NULL, value[2]);
}

// ---- materials --------------------------------------------------------------------------------

static bool put_terms(PalForeign *model, PalTreeNode *relaxation, const char *key,
                      const PalPronyTerm *terms, int32_t count)
{
    PalTreeNode *list = new_node(model, PAL_TREE_LIST, relaxation->line);
    bool done = list != NULL;
    for (int32_t i = 0; i < count && done; ++i) {
        PalTreeNode *term = new_node(model, PAL_TREE_MAP, relaxation->line);
        if (terms[i].weight > 0)
            done = put(model, list, NULL, term) &&
                   put_number(model, term, "weight", terms[i].weight) &&
                   put_number(model, term, "time", terms[i].time);
    }
    return done && (list->count == 0 || put(model, relaxation, key, list));
}

static bool put_material(PalForeign *model, PalTreeNode *map, const PalForeignMaterial *material)
{
    bool done = put_text(model, map, "law", material->law);
    for (int32_t i = 0; i < material->parameter_count && done; ++i)
        done = put_number(model, map, material->keys[i], material->values[i]);
    for (int32_t f = 0; f < material->family_count && done; ++f) {
        PalVec3 a = material->families[f];
        done = put_vector(model, map, f == 0 ? "direction-1" : "direction-2",
                          (const double[]){a.x, a.y, a.z});
    }
    done = done && put_number(model, map, "density", material->density);
    if (!done || material->prony_count == 0)
        return done;
    PalTreeNode *relaxation = new_node(model, PAL_TREE_MAP, material->line);
    return put(model, map, "relaxation", relaxation) &&
           put_terms(model, relaxation, "isochoric", material->isochoric, material->prony_count) &&
           put_terms(model, relaxation, "volumetric", material->volumetric, material->prony_count);
}

static PalStatus check_material(PalForeign *model, const PalForeignSection *section)
{
    const PalForeignMaterial *material = &model->materials.items[section->material];
    if (material->law == NULL)
        return pal_foreign_fail(model, material->line,
                                "the material %s has no elasticity, expected one",
                                pal_quoted(material->name).text);
    if (material->density > 0)
        return PAL_OK;
    bool febio = strcmp(model->program, "FEBio") == 0;
    return pal_foreign_fail(model, material->line,
                            "the material %s has no density; add %s, in the units of the model",
                            pal_quoted(material->name).text,
                            febio ? "<density>...</density> to it" : "*DENSITY and its value");
}

// Every element must be in a section: one that was forgotten would get another's material.
static PalStatus check_covered(PalForeign *model)
{
    bool *covered = pal_alloc((size_t)model->mesh->cell_count, sizeof *covered);
    if (covered == NULL)
        return pal_foreign_no_memory(model);
    int32_t left = model->mesh->cell_count;
    for (int32_t i = 0; i < model->sections.count; ++i) {
        const PalGroup *group = pal_mesh_find_group(model->mesh, model->sections.items[i].group);
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
                            left, model->mesh->cell_count,
                            strcmp(model->program, "FEBio") == 0 ? "a domain" : "*SOLID SECTION");
}

static PalStatus build_body(PalForeign *model, PalTreeNode *root, const char *file)
{
    PalTreeNode *bodies = new_node(model, PAL_TREE_LIST, model->mesh_line);
    PalTreeNode *body = new_node(model, PAL_TREE_MAP, model->mesh_line);
    if (model->sections.count == 0)
        return pal_foreign_fail(model, model->mesh_line, "no element has a material, expected %s",
                                strcmp(model->program, "FEBio") == 0 ? "a domain with one"
                                                                     : "*SOLID SECTION");
    PAL_TRY(check_covered(model));
    bool done = put(model, root, "bodies", bodies) && put(model, bodies, NULL, body) &&
                put_text(model, body, "name", "body") && put_name(model, body, "mesh", file);
    PalTreeNode *list = new_node(model, PAL_TREE_LIST, model->sections.items[0].line);
    bool several = model->sections.count > 1;
    if (done && several)
        done = put(model, body, "materials", list);
    for (int32_t i = 0; i < model->sections.count; ++i) {
        const PalForeignSection *section = &model->sections.items[i];
        PAL_TRY(check_material(model, section));
        PalTreeNode *map = new_node(model, PAL_TREE_MAP, section->line);
        if (several)
            done = done && put(model, list, NULL, map) &&
                   put_name(model, map, "group", section->group);
        else
            done = done && put(model, body, "material", map);
        done = done && put_material(model, map, &model->materials.items[section->material]);
    }
    return done ? PAL_OK : pal_foreign_no_memory(model);
}

// ---- conditions -------------------------------------------------------------------------------

static bool put_ramp(PalForeign *model, PalTreeNode *map, const PalForeignCondition *condition)
{
    if (condition->curve == PAL_NONE)
        return put_text(model, map, "ramp", model->dynamic ? "step" : "linear");
    const PalForeignCurve *curve = &model->curves.items[condition->curve];
    PalTreeNode *list = new_node(model, PAL_TREE_LIST, curve->line);
    bool done = put(model, map, "ramp", list);
    for (int32_t i = 0; i + 1 < curve->points.count && done; i += 2) {
        PalTreeNode *pair = new_node(model, PAL_TREE_LIST, curve->line);
        done = put(model, list, NULL, pair) &&
               put_number(model, pair, NULL, curve->points.items[i]) &&
               put_number(model, pair, NULL, curve->points.items[i + 1]);
    }
    return done;
}

static bool put_fix(PalForeign *model, PalTreeNode *map, const PalForeignCondition *condition)
{
    char axes[4] = "";
    for (int i = 0, used = 0; i < 3; ++i)
        if (condition->axes[i])
            axes[used++] = "xyz"[i];
    return put_text(model, map, "fix", axes);
}

static bool put_displace(PalForeign *model, PalTreeNode *map, const PalForeignCondition *condition)
{
    PalTreeNode *list = new_node(model, PAL_TREE_LIST, condition->line);
    bool done = put(model, map, "displace", list);
    for (int i = 0; i < 3 && done; ++i)
        done = condition->axes[i] ? put_number(model, list, NULL, condition->value[i])
                                  : put_text(model, list, NULL, "null");
    return done && put_ramp(model, map, condition);
}

static bool put_value(PalForeign *model, PalTreeNode *map, const PalForeignCondition *condition)
{
    switch (condition->kind) {
    case PAL_FOREIGN_FIX:
        return put_fix(model, map, condition);
    case PAL_FOREIGN_DISPLACE:
        return put_displace(model, map, condition);
    case PAL_FOREIGN_FORCE:
        return put_vector(model, map, "force", condition->value) &&
               put_text(model, map, "each", "true") && put_ramp(model, map, condition);
    case PAL_FOREIGN_PRESSURE:
        return put_number(model, map, "pressure", condition->value[0]) &&
               put_ramp(model, map, condition);
    default:
        return put_vector(model, map, "gravity", condition->value) &&
               put_ramp(model, map, condition);
    }
}

static bool put_condition(PalForeign *model, PalTreeNode *list,
                          const PalForeignCondition *condition)
{
    PalTreeNode *map = new_node(model, PAL_TREE_MAP, condition->line);
    bool done = put(model, list, NULL, map) && put_text(model, map, "body", "body");
    if (condition->group != NULL) {
        PalTreeNode *where = new_node(model, PAL_TREE_MAP, condition->line);
        done = done && put(model, map, "where", where) &&
               put_name(model, where, "group", condition->group);
    }
    return done && put_value(model, map, condition);
}

static PalStatus build_conditions(PalForeign *model, PalTreeNode *root)
{
    PalTreeNode *list = new_node(model, PAL_TREE_LIST, 1);
    bool done = put(model, root, "conditions", list);
    for (int32_t i = 0; i < model->conditions.count && done; ++i)
        done = put_condition(model, list, &model->conditions.items[i]);
    return done ? PAL_OK : pal_foreign_no_memory(model);
}

// A static analysis is a relaxation to equilibrium under the loads of its end.
static PalStatus build_solver(PalForeign *model, PalTreeNode *root)
{
    PalTreeNode *solver = new_node(model, PAL_TREE_MAP, model->step_line);
    if (model->step_line == 0)
        return pal_foreign_fail(model, 0, "no %s, expected one that says how long the model runs",
                                strcmp(model->program, "FEBio") == 0 ? "<Control>" : "*STEP");
    if (!(model->time > 0))
        return pal_foreign_fail(model, model->step_line, "a step of time %g, expected more than 0",
                                model->time);
    bool done = put(model, root, "solver", solver) &&
                put_text(model, solver, "method", model->dynamic ? "explicit" : "relaxation") &&
                put_number(model, solver, "time", model->time);
    if (model->dynamic && model->frame_count > 0) {
        PalTreeNode *output = new_node(model, PAL_TREE_MAP, model->step_line);
        done = done && put(model, root, "output", output) &&
               put_number(model, output, "every", model->time / model->frame_count);
    }
    return done ? PAL_OK : pal_foreign_no_memory(model);
}

PalStatus pal_foreign_build(PalForeign *model, const char *file)
{
    PalTreeNode *root = new_node(model, PAL_TREE_MAP, 1);
    model->tree->root = root;
    if (root == NULL)
        return pal_foreign_no_memory(model);
    PAL_TRY(build_body(model, root, file));
    PAL_TRY(build_conditions(model, root));
    PAL_TRY(build_solver(model, root));
    if (model->tree->node_count > PAL_TREE_NODE_MAX)
        return pal_foreign_fail(model, 0,
                                "the scene of this model has more than a million values, expected "
                                "fewer");
    return PAL_OK;
}
