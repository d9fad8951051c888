// Element sets and what they are made of.
#include "scene/niftysim/model.h"

#include <math.h>
#include <string.h>

typedef struct Law {
    const char *type;
    const char *name;  // what a scene calls it
    int32_t count;
    const char *keys[6];  // in NiftySim's order; a vector's three entries have one key
    bool fades;           // with ViscoParams
} Law;

static const Law laws[] = {
    {"LE", "st-venant-kirchhoff", 2, {"young", "poisson"}, false},
    {"NH", "neo-hookean", 2, {"shear", "bulk"}, false},
    {"AB", "arruda-boyce", 3, {"shear", "limit-stretch", "bulk"}, false},
    {"PY", "polynomial", 6, {"c10", "c01", "c20", "c02", "c11", "bulk"}, false},
    {"TI",
     "transversely-isotropic",
     6,
     {"shear", "bulk", "fibre-modulus", "direction", "direction", "direction"},
     false},
    {"NHV", "neo-hookean", 2, {"shear", "bulk"}, true},
    {"TIV",
     "transversely-isotropic",
     6,
     {"shear", "bulk", "fibre-modulus", "direction", "direction", "direction"},
     true},
};
enum { LAW_COUNT = sizeof laws / sizeof *laws };

static PalStatus find_law(PalNifty *nifty, const PalXmlNode *node, const Law **law)
{
    const char *type;
    PAL_TRY(pal_nifty_need_attribute(nifty, node, "Type", &type));
    for (int i = 0; i < LAW_COUNT; ++i)
        if (strcmp(laws[i].type, type) == 0) {
            *law = &laws[i];
            return PAL_OK;
        }
    return pal_nifty_fail(nifty, node->line,
                          "Type of <Material> is %s, expected LE, NH, AB, PY, TI, NHV or TIV",
                          pal_quoted(type).text);
}

// ---- the material of a scene ------------------------------------------------------------------

static bool put_number(PalNifty *nifty, PalTreeNode *map, const char *key, double value)
{
    return pal_tree_put(nifty->tree, map, key, pal_tree_new_number(nifty->tree, map, value));
}

static PalStatus put_parameters(PalNifty *nifty, const Law *law, const double *values,
                                PalTreeNode *map)
{
    PalTreeNode *list = NULL;
    for (int32_t i = 0; i < law->count; ++i) {
        if (strcmp(law->keys[i], "direction") != 0) {
            if (!put_number(nifty, map, law->keys[i], values[i]))
                return pal_nifty_no_memory(nifty);
            continue;
        }
        if (list == NULL) {
            list = pal_tree_new(nifty->tree, PAL_TREE_LIST, map);
            if (!pal_tree_put(nifty->tree, map, "direction", list))
                return pal_nifty_no_memory(nifty);
        }
        if (!put_number(nifty, list, NULL, values[i]))
            return pal_nifty_no_memory(nifty);
    }
    return PAL_OK;
}

static PalStatus put_terms(PalNifty *nifty, const double *pairs, int32_t count, const char *key,
                           PalTreeNode *relaxation)
{
    PalTreeNode *list = pal_tree_new(nifty->tree, PAL_TREE_LIST, relaxation);
    if (list == NULL)
        return pal_nifty_no_memory(nifty);
    for (int32_t i = 0; i < count; ++i) {
        PalTreeNode *term = pal_tree_new(nifty->tree, PAL_TREE_MAP, relaxation);
        if (!pal_tree_put(nifty->tree, list, NULL, term) ||
            !put_number(nifty, term, "weight", pairs[2 * i]) ||
            !put_number(nifty, term, "time", pairs[2 * i + 1]))
            return pal_nifty_no_memory(nifty);
    }
    if (count > 0 && !pal_tree_put(nifty->tree, relaxation, key, list))
        return pal_nifty_no_memory(nifty);
    return PAL_OK;
}

static PalStatus read_fading(PalNifty *nifty, const PalXmlNode *node, PalTreeNode *map)
{
    const PalXmlNode *visco = pal_xml_child(node, "ViscoParams");
    int32_t isochoric, volumetric;
    PalNiftyNumbers pairs;
    if (visco == NULL)
        return pal_nifty_fail(nifty, node->line,
                              "a viscoelastic <Material> without <ViscoParams>, expected them");
    PAL_TRY(pal_nifty_count(nifty, visco, "NumIsoTerms", &isochoric));
    PAL_TRY(pal_nifty_count(nifty, visco, "NumVolTerms", &volumetric));
    PAL_TRY(pal_nifty_numbers(nifty, visco, &pairs));
    int64_t terms = (int64_t)isochoric + volumetric;
    if (pairs.count != 2 * terms)
        return pal_nifty_fail(nifty, visco->line,
                              "<ViscoParams> holds %d numbers, expected %lld: a pair for each term",
                              (int)pairs.count, 2 * (long long)terms);
    if (terms == 0)
        return PAL_OK;
    PalTreeNode *relaxation = pal_tree_new(nifty->tree, PAL_TREE_MAP, map);
    if (relaxation == NULL || !pal_tree_put(nifty->tree, map, "relaxation", relaxation))
        return pal_nifty_no_memory(nifty);
    relaxation->line = visco->line;
    PAL_TRY(put_terms(nifty, pairs.items, isochoric, "isochoric", relaxation));
    return put_terms(nifty, pairs.items + 2 * (int64_t)isochoric, volumetric, "volumetric",
                     relaxation);
}

// NiftySim's modulus against hourglass patterns is HGKappa (lambda + 2 mu), ours a fraction of
// Young's modulus as pal_material_moduli sees it.
static double hourglass_fraction(const PalNifty *nifty, const Law *law, const double *p)
{
    PalMaterialDef def = pal_material_def_default();
    double mu = p[0], bulk = p[law->count - 1], shear, modulus;
    def.law = pal_law_find(law->name);
    if (strcmp(law->type, "LE") == 0) {
        if (pal_moduli_from_young(p[0], p[1], &mu, &bulk, NULL) != PAL_OK)
            return 0;  // the scene's reader says what is wrong with them
        def.parameters[0] = mu;
        def.parameters[1] = bulk;
    } else if (strcmp(law->type, "PY") == 0) {
        const double ordered[] = {p[0], p[1], p[2], p[4], p[3], p[5]};
        mu = 2 * (p[0] + p[1]);
        memcpy(def.parameters, ordered, sizeof ordered);
    } else {
        bulk = strcmp(law->type, "AB") == 0 ? p[2] : p[1];
        memcpy(def.parameters, p, (size_t)law->count * sizeof *p);
    }
    pal_material_moduli(&def, &shear, &modulus);
    double young = 9 * modulus * shear / (3 * modulus + shear);
    double fraction = nifty->hourglass * (bulk + 4 * mu / 3) / young;
    return fraction >= 0 && isfinite(fraction) ? fraction : 0;
}

static PalStatus read_density(PalNifty *nifty, const PalXmlNode *node, PalTreeNode *map)
{
    double density = nifty->density;
    PAL_TRY(pal_nifty_scalar(nifty, node, "Density", &density));
    if (!(density > 0))
        return pal_nifty_fail(
            nifty, node->line,
            "no density above 0 for this <Material>, expected a <Density> here or "
            "in <SystemParams>");
    return put_number(nifty, map, "density", density) ? PAL_OK : pal_nifty_no_memory(nifty);
}

PalStatus pal_nifty_read_material(PalNifty *nifty, const PalXmlNode *node, PalNiftySet *set)
{
    const Law *law = NULL;
    PalXmlNode *elastic;
    int32_t count;
    PalNiftyNumbers values;
    PalTreeNode place = {.line = node->line};
    PAL_TRY(find_law(nifty, node, &law));
    PAL_TRY(pal_nifty_need(nifty, node, "ElasticParams", &elastic));
    PAL_TRY(pal_nifty_count(nifty, elastic, "NumParams", &count));
    PAL_TRY(pal_nifty_numbers(nifty, elastic, &values));
    if (count != law->count || values.count != law->count)
        return pal_nifty_fail(nifty, elastic->line,
                              "<ElasticParams> of %s has NumParams %d and holds %d, expected %d",
                              law->type, (int)count, (int)values.count, (int)law->count);
    set->material = pal_tree_new(nifty->tree, PAL_TREE_MAP, &place);
    if (set->material == NULL || !pal_tree_put(nifty->tree, set->material, "law",
                                               pal_tree_new_text(nifty->tree, &place, law->name)))
        return pal_nifty_no_memory(nifty);
    set->material->line = elastic->line;
    PAL_TRY(put_parameters(nifty, law, values.items, set->material));
    PAL_TRY(read_density(nifty, node, set->material));
    if (strncmp(law->type, "TI", 2) == 0)
        pal_nifty_warn(nifty, node->line,
                       "the fibres' energy is eta/4 (I4 - 1)^2, as NiftySim computes it; its "
                       "manual prints eta/2");
    if (law->fades)
        PAL_TRY(read_fading(nifty, node, set->material));
    else if (pal_xml_child(node, "ViscoParams") != NULL)
        pal_nifty_warn(nifty, node->line, "<ViscoParams> of %s are not read; %sV has them",
                       law->type, law->type);
    set->hourglass =
        nifty->hourglass > 0 ? hourglass_fraction(nifty, law, values.items) : nifty->hourglass;
    return PAL_OK;
}

// ---- element sets -----------------------------------------------------------------------------

static void share(PalNifty *nifty, PalNiftyScope *scope, const PalNiftyIndices *list, int32_t set)
{
    int32_t doubled = 0, first = 0;
    for (int32_t i = 0; i < list->count; ++i) {
        int32_t *cell_set = &scope->cell_set[list->items[i]];
        if (*cell_set == PAL_NONE)
            *cell_set = set;
        else if (++doubled == 1)
            first = list->items[i];
    }
    if (doubled > 0)
        pal_nifty_warn(nifty, scope->sets.items[set].line,
                       "%d element%s of this <ElementSet> (the first is %d) %s in a set before and "
                       "stay%s there",
                       (int)doubled, doubled == 1 ? "" : "s", (int)first,
                       doubled == 1 ? "is" : "are", doubled == 1 ? "s" : "");
}

PalStatus pal_nifty_read_sets(PalNifty *nifty, PalNiftyScope *scope)
{
    const PalNiftyRange range = {"Size", "element", scope->mesh->cell_count, true};
    for (const PalXmlNode *node = pal_xml_child(scope->node, "ElementSet"); node != NULL;
         node = pal_xml_next(node)) {
        PalNiftySet set = {.line = node->line};
        PalNiftyIndices list;
        PalXmlNode *material;
        PAL_TRY(pal_nifty_indices(nifty, node, node, &range, &list));
        PAL_TRY(pal_nifty_need(nifty, node, "Material", &material));
        PAL_TRY(pal_nifty_read_material(nifty, material, &set));
        if (!pal_array_push(&scope->sets, set))
            return pal_nifty_no_memory(nifty);
        share(nifty, scope, &list, scope->sets.count - 1);
    }
    return PAL_OK;
}
