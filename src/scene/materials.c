// The materials of a body.
#include "scene/reader.h"

#include <string.h>

// What the scene gives for a parameter: a key of its own or an entry of a vector. NULL: nothing.
static PalTreeNode *parameter_node(const PalTreeNode *map, const PalMaterialLaw *law, int32_t index)
{
    int32_t first = pal_law_vector_first(law, index);
    if (first == PAL_NONE)
        return pal_tree_get(map, pal_law_parameter(law, index)->name);
    const char *name = pal_law_parameter(law, first)->name;
    size_t stem = strlen(name) - 2;
    for (int32_t i = 0; i < map->count; ++i)
        if (strlen(map->items[i].key) == stem && strncmp(map->items[i].key, name, stem) == 0)
            return map->items[i].value->items[index - first].value;
    return NULL;
}

// What keeps its volume has one modulus: a third of Young's is the shear modulus. The bulk modulus
// of the law does not count; it only has to be one.
static PalStatus read_incompressible(PalSceneReader *reader, const PalTreeNode *map,
                                     PalMaterialDef *def)
{
    static const char *const absent[] = {"poisson", "bulk"};
    for (int i = 0; i < 2; ++i) {
        const PalTreeItem *item = pal_tree_find(map, absent[i]);
        if (item != NULL)
            return pal_tree_fail_at(reader->tree, item, reader->error,
                                    "%s in an incompressible material, expected none: the volume "
                                    "stays as it is",
                                    absent[i]);
    }
    const PalTreeItem *young = pal_tree_find(map, "young"), *shear = pal_tree_find(map, "shear");
    int32_t at = pal_law_parameter_index(def->law, "shear");
    if (young != NULL && at == PAL_NONE)
        return pal_tree_fail_at(reader->tree, young, reader->error,
                                "law %s takes no young, expected its own parameters",
                                pal_law_name(def->law));
    if (young != NULL && shear != NULL)
        return pal_tree_fail_at(reader->tree, shear, reader->error,
                                "both young and shear in a material, expected one of them");
    if (young != NULL)
        def->parameters[at] = young->value->number / 3;
    return PAL_OK;
}

static PalStatus read_young(PalSceneReader *reader, const PalTreeNode *map, PalMaterialDef *def)
{
    const PalTreeItem *young = pal_tree_find(map, "young"),
                      *poisson = pal_tree_find(map, "poisson");
    const PalTreeItem *given = young != NULL ? young : poisson;
    int32_t shear = pal_law_parameter_index(def->law, "shear");
    int32_t bulk = pal_law_parameter_index(def->law, "bulk");
    if (shear == PAL_NONE || bulk == PAL_NONE)
        return pal_tree_fail_at(reader->tree, given, reader->error,
                                "law %s takes no %s, expected its own parameters",
                                pal_law_name(def->law), given->key);
    if (young == NULL || poisson == NULL)
        return pal_tree_fail_at(reader->tree, given, reader->error,
                                "%s without %s, expected young and poisson together", given->key,
                                young == NULL ? "young" : "poisson");
    for (int i = 0; i < 2; ++i) {
        const PalTreeItem *other = pal_tree_find(map, i == 0 ? "shear" : "bulk");
        if (other != NULL)
            return pal_tree_fail_at(reader->tree, other, reader->error,
                                    "both young and %s in a material, expected either young and "
                                    "poisson or shear and bulk",
                                    other->key);
    }
    double ratio = poisson->value->number;
    if (ratio >= 0.5 || ratio <= -1)
        return PAL_SCENE_FAIL(
            reader, poisson->value,
            ratio >= 0.5 ? "poisson is %g, expected less than 0.5; for near-incompressible "
                           "tissue give shear and a large bulk, with element mixed"
                         : "poisson is %g, expected more than -1",
            ratio);
    PalError inner = {0};
    if (pal_moduli_from_young(young->value->number, ratio, &def->parameters[shear],
                              &def->parameters[bulk], &inner) != PAL_OK)
        return PAL_SCENE_FAIL(reader, map, "%s", inner.text);
    return PAL_OK;
}

static PalStatus check_parameter(PalSceneReader *reader, const PalTreeNode *node,
                                 const PalLawParameter *parameter)
{
    double value = node->number;
    bool low =
        parameter->above_lowest ? !(value > parameter->lowest) : !(value >= parameter->lowest);
    if (!low)
        return PAL_OK;
    return PAL_SCENE_FAIL(reader, node, "%s is %g, expected %s %g (%s)", parameter->name, value,
                          parameter->above_lowest ? "more than" : "at least", parameter->lowest,
                          parameter->meaning);
}

static PalStatus read_parameters(PalSceneReader *reader, PalTreeNode *map, PalMaterialDef *def,
                                 bool from_young)
{
    for (int32_t i = 0; i < pal_law_parameter_count(def->law); ++i) {
        const PalLawParameter *parameter = pal_law_parameter(def->law, i);
        const PalTreeNode *node = parameter_node(map, def->law, i);
        bool is_modulus =
            strcmp(parameter->name, "shear") == 0 || strcmp(parameter->name, "bulk") == 0;
        if (def->incompressible && strcmp(parameter->name, "bulk") == 0) {
            def->parameters[i] = 1;
            continue;
        }
        if (from_young && is_modulus)
            continue;
        if (node != NULL) {
            PAL_TRY(check_parameter(reader, node, parameter));
            def->parameters[i] = node->number;
            continue;
        }
        if (!parameter->optional && pal_law_vector_first(def->law, i) != PAL_NONE)
            return PAL_SCENE_FAIL(reader, map, "law %s without %.*s, expected a direction: %s",
                                  pal_law_name(def->law), (int)strlen(parameter->name) - 2,
                                  parameter->name, parameter->meaning);
        if (!parameter->optional)
            return PAL_SCENE_FAIL(reader, map, "law %s without %s, expected %s: %s",
                                  pal_law_name(def->law), parameter->name, parameter->name,
                                  parameter->meaning);
        def->parameters[i] = parameter->standard;
        if (pal_law_vector_first(def->law, i) == PAL_NONE)
            PAL_TRY(pal_scene_number(reader, map, parameter->name, &def->parameters[i]));
    }
    return PAL_OK;
}

static PalStatus read_terms(PalSceneReader *reader, const PalTreeNode *list, PalPronyTerm *terms,
                            int32_t *count)
{
    double sum = 0;
    *count = 0;
    if (list == NULL)
        return PAL_OK;
    if (list->count > PAL_PRONY_MAX)
        return PAL_SCENE_FAIL(reader, list, "%d relaxation terms, expected at most %d",
                              (int)list->count, PAL_PRONY_MAX);
    for (int32_t i = 0; i < list->count; ++i) {
        const PalTreeNode *term = list->items[i].value;
        terms[i].weight = pal_tree_get(term, "weight")->number;
        terms[i].time = pal_tree_get(term, "time")->number;
        sum += terms[i].weight;
    }
    if (sum >= 1)
        return PAL_SCENE_FAIL(reader, list,
                              "the weights add up to %g, expected less than 1: some stiffness must "
                              "remain",
                              sum);
    *count = list->count;
    return PAL_OK;
}

static PalStatus read_material(PalSceneReader *reader, PalTreeNode *map, PalMaterialDef *def)
{
    *def = pal_material_def_default();
    memset(def->parameters, 0, sizeof def->parameters);
    def->law = pal_law_find(pal_tree_get(map, "law")->text);
    bool from_young = pal_tree_get(map, "young") != NULL || pal_tree_get(map, "poisson") != NULL;
    if (pal_tree_get(map, "incompressible") != NULL)
        PAL_TRY(pal_scene_flag(reader, map, "incompressible", &def->incompressible));
    if (def->incompressible)
        PAL_TRY(read_incompressible(reader, map, def));
    else if (from_young)
        PAL_TRY(read_young(reader, map, def));
    const PalTreeNode *bending = pal_tree_get(map, "bending");
    if (bending != NULL) {
        def->bending_young = pal_tree_get(bending, "young")->number;
        def->bending_poisson = pal_tree_get(bending, "poisson")->number;
    }
    PAL_TRY(read_parameters(reader, map, def, from_young));
    PAL_TRY(pal_scene_number(reader, map, "density", &def->density));
    const PalTreeNode *relaxation = pal_tree_get(map, "relaxation");
    if (relaxation != NULL) {
        PAL_TRY(read_terms(reader, pal_tree_get(relaxation, "isochoric"), def->isochoric,
                           &def->isochoric_count));
        PAL_TRY(read_terms(reader, pal_tree_get(relaxation, "volumetric"), def->volumetric,
                           &def->volumetric_count));
    }
    PalError inner = {0};
    PalStatus status = pal_material_validate(def, &inner);
    return status == PAL_OK ? PAL_OK : PAL_SCENE_FAIL(reader, map, "%s", inner.text);
}

// ---- several materials ------------------------------------------------------------------------

static PalStatus unknown_group(PalSceneReader *reader, const PalTreeNode *name, const PalMesh *mesh)
{
    enum { MOST = 64 };
    const char *known[MOST];
    int32_t count = 0;
    for (; count < mesh->group_count && count < MOST; ++count)
        known[count] = mesh->groups[count].name;
    return PAL_SCENE_FAIL(reader, name, "the mesh has no group %s, %s", pal_quoted(name->text).text,
                          pal_advise(name->text, known, count).text);
}

static PalStatus take_group(PalSceneReader *reader, const PalTreeNode *name, const PalMesh *mesh,
                            int32_t index, int32_t *cell_material)
{
    const PalGroup *group = pal_mesh_find_group(mesh, name->text);
    if (group == NULL)
        return unknown_group(reader, name, mesh);
    if (group->cell_count == 0)
        return PAL_SCENE_FAIL(reader, name, "group %s holds no cells, expected a group of cells",
                              pal_quoted(name->text).text);
    for (int32_t i = 0; i < group->cell_count; ++i) {
        int32_t *cell = &cell_material[group->cells[i]];
        if (*cell != PAL_NONE)
            return PAL_SCENE_FAIL(
                reader, name, "cell %d of group %s has material %d already, expected exactly one",
                (int)group->cells[i], pal_quoted(name->text).text, (int)*cell + 1);
        *cell = index;
    }
    return PAL_OK;
}

static PalStatus share_cells(PalSceneReader *reader, const PalTreeNode *list, const PalMesh *mesh,
                             int32_t *cell_material)
{
    int32_t rest = PAL_NONE, bare = 0;
    for (int32_t i = 0; i < mesh->cell_count; ++i)
        cell_material[i] = PAL_NONE;
    for (int32_t i = 0; i < list->count; ++i) {
        const PalTreeNode *map = list->items[i].value, *group = pal_tree_get(map, "group");
        if (group != NULL)
            PAL_TRY(take_group(reader, group, mesh, i, cell_material));
        else if (i + 1 < list->count)
            return PAL_SCENE_FAIL(
                reader, map,
                "material %d has no group, expected one: only the last material may leave it out",
                (int)i + 1);
        else
            rest = i;
    }
    for (int32_t i = 0; i < mesh->cell_count; ++i) {
        bare += cell_material[i] == PAL_NONE;
        if (cell_material[i] == PAL_NONE)
            cell_material[i] = rest;
    }
    if (bare > 0 && rest == PAL_NONE)
        return PAL_SCENE_FAIL(reader, list,
                              "%d cells are in none of the groups, expected a last "
                              "material without group for the rest",
                              (int)bare);
    return PAL_OK;
}

// What only some elements can use.
static PalStatus check_thin(PalSceneReader *reader, PalElementKind element, const PalTreeNode *map,
                            const PalMaterialDef *material)
{
    const PalElementTraits *traits = pal_element_traits(element);
    const char *key = material->incompressible && !traits->is_thin ? "incompressible"
                      : !traits->bends                             ? "bending"
                                                                   : NULL;
    const PalTreeItem *item = key != NULL ? pal_tree_find(map, key) : NULL;
    if (item != NULL)
        return pal_tree_fail_at(reader->tree, item, reader->error,
                                "%s has no effect with element %s, expected %s", key,
                                pal_element_name(element),
                                traits->is_thin || strcmp(key, "bending") == 0
                                    ? "ebst"
                                    : "ebst or membrane; solids take a large bulk instead");
    for (int32_t k = 0; traits->is_thin && k < pal_law_parameter_count(material->law); ++k)
        if (pal_law_vector_stem(material->law, k) > 0)
            return PAL_SCENE_FAIL(reader, pal_tree_get(map, "law"),
                                  "law %s has fibres, which element %s cannot follow, expected an "
                                  "isotropic law",
                                  pal_law_name(material->law), pal_element_name(element));
    return PAL_OK;
}

static PalStatus check_element(PalSceneReader *reader, PalElementKind element,
                               const PalTreeNode *map, const PalMaterialDef *material)
{
    PAL_TRY(check_thin(reader, element, map, material));
    if (!pal_element_traits(element)->averages_pressure || pal_law_splits(material->law))
        return PAL_OK;
    return PAL_SCENE_FAIL(reader, pal_tree_get(map, "law"),
                          "law %s has no volumetric part of its own, which element %s needs; "
                          "expected another law, or element t4",
                          pal_law_name(material->law), pal_element_name(element));
}

static PalStatus read_thicknesses(PalSceneReader *reader, const PalTreeNode *list, PalBodyDef *def)
{
    double *values = pal_tree_alloc(reader->tree, (size_t)list->count, sizeof *values);
    if (values == NULL)
        return pal_tree_no_memory(reader->error);
    bool is_thin = pal_element_traits(def->element)->is_thin;
    for (int32_t i = 0; i < list->count; ++i) {
        const PalTreeNode *node = pal_tree_get(list->items[i].value, "thickness");
        if (node != NULL && !is_thin)
            return PAL_SCENE_FAIL(reader, node,
                                  "thickness has no effect with element %s, expected ebst or "
                                  "membrane",
                                  pal_element_name(def->element));
        values[i] = node != NULL ? node->number : def->thickness;
        if (is_thin && !(values[i] > 0))
            return PAL_SCENE_FAIL(reader, list->items[i].value,
                                  "a material without thickness in a body without one, expected "
                                  "thickness here or there");
    }
    def->material_thickness = values;
    return PAL_OK;
}

// Materials that give none have the body's.
static PalStatus read_hourglasses(PalSceneReader *reader, const PalTreeNode *list, PalBodyDef *def)
{
    double *values = pal_tree_alloc(reader->tree, (size_t)list->count, sizeof *values);
    if (values == NULL)
        return pal_tree_no_memory(reader->error);
    for (int32_t i = 0; i < list->count; ++i) {
        const PalTreeNode *node = pal_tree_get(list->items[i].value, "hourglass");
        if (node != NULL && !pal_element_traits(def->element)->has_hourglass)
            return PAL_SCENE_FAIL(reader, node,
                                  "hourglass has no effect with element %s, expected h8",
                                  pal_element_name(def->element));
        values[i] = node != NULL ? node->number : def->hourglass;
    }
    def->material_hourglass = values;
    return PAL_OK;
}

PalStatus pal_scene_read_materials(PalSceneReader *reader, PalTreeNode *body, PalBodyDef *def)
{
    PalTreeNode *single = pal_tree_get(body, "material"), *list = pal_tree_get(body, "materials");
    int32_t count = single != NULL ? 1 : list->count;
    if (count == 0)
        return PAL_SCENE_FAIL(reader, list, "materials is empty, expected at least one");
    PalMaterialDef *materials = pal_tree_alloc(reader->tree, (size_t)count, sizeof *materials);
    if (materials == NULL)
        return pal_tree_no_memory(reader->error);
    for (int32_t i = 0; i < count; ++i) {
        PalTreeNode *map = single != NULL ? single : list->items[i].value;
        PAL_TRY(read_material(reader, map, &materials[i]));
        PAL_TRY(check_element(reader, def->element, map, &materials[i]));
    }
    def->material_count = count;
    def->materials = materials;
    def->cell_material = NULL;
    if (single != NULL)
        return PAL_OK;
    PAL_TRY(read_hourglasses(reader, list, def));
    PAL_TRY(read_thicknesses(reader, list, def));
    int32_t *cell_material =
        pal_tree_alloc(reader->tree, (size_t)def->mesh->cell_count, sizeof *cell_material);
    if (cell_material == NULL)
        return pal_tree_no_memory(reader->error);
    def->cell_material = cell_material;
    return share_cells(reader, list, def->mesh, cell_material);
}
