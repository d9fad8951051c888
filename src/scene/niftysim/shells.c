// Membranes and shells: read and checked; this version has no elements for them.
#include "scene/niftysim/model.h"

#include <string.h>

typedef struct ShellLaw {
    const char *type;
    int32_t count;
} ShellLaw;

static const ShellLaw shell_laws[] = {
    {"Linear", 2}, {"NeoHookean", 1}, {"LinearShell", 4}, {"LinearThickShell", 4}};
enum { LAW_COUNT = sizeof shell_laws / sizeof *shell_laws };

static PalStatus check_positive(PalNifty *nifty, const PalXmlNode *material, const char *name)
{
    PalXmlNode *node;
    double value;
    PAL_TRY(pal_nifty_need(nifty, material, name, &node));
    PAL_TRY(pal_nifty_exactly(nifty, node, 1, &value));
    if (value > 0)
        return PAL_OK;
    return pal_nifty_fail(nifty, node->line, "<%s> is %g, expected a number above 0", name, value);
}

static PalStatus check_material(PalNifty *nifty, const PalXmlNode *material)
{
    const char *type;
    PalNiftyNumbers numbers;
    PAL_TRY(pal_nifty_need_attribute(nifty, material, "Type", &type));
    int law = 0;
    while (law < LAW_COUNT && strcmp(type, shell_laws[law].type) != 0)
        ++law;
    if (law == LAW_COUNT)
        return pal_nifty_fail(nifty, material->line,
                              "Type of a membrane's <Material> is %s, expected Linear, NeoHookean, "
                              "LinearShell or LinearThickShell",
                              pal_quoted(type).text);
    PAL_TRY(pal_nifty_numbers(nifty, material, &numbers));
    if (numbers.count != shell_laws[law].count)
        return pal_nifty_fail(nifty, material->line,
                              "<Material> of %s holds %d numbers, expected %d", type,
                              (int)numbers.count, (int)shell_laws[law].count);
    PAL_TRY(check_positive(nifty, material, "Density"));
    return check_positive(nifty, material, "Thickness");
}

// Without a range the set is the whole surface.
static PalStatus check_set(PalNifty *nifty, const PalNiftyScope *scope, const PalXmlNode *node,
                           const PalNiftyRange *range)
{
    PalNiftyIndices list;
    PalXmlNode *material;
    if (range != NULL)
        PAL_TRY(pal_nifty_indices(nifty, node, node, range, &list));
    else
        pal_xml_attribute(node, "Size");
    PAL_TRY(pal_nifty_need(nifty, node, "Material", &material));
    PAL_TRY(check_material(nifty, material));
    const PalNiftyRange nodes = {"NumNodes", "node", scope->mesh->node_count, false};
    for (const PalXmlNode *clamped = pal_xml_child(node, "ClampedNodes"); clamped != NULL;
         clamped = pal_xml_next(clamped))
        PAL_TRY(pal_nifty_indices(nifty, clamped, clamped, &nodes, &list));
    return PAL_OK;
}

PalStatus pal_nifty_check_shells(PalNifty *nifty, const PalNiftyScope *scope)
{
    const PalXmlNode *shells = pal_xml_child(scope->node, "ShellElements");
    const PalXmlNode *set = pal_xml_child(scope->node, "ShellElementSet");
    const char *type;
    PalNiftyIndices rows = {0};
    if (shells == NULL && set == NULL)
        return PAL_OK;
    if (shells == NULL)
        return pal_nifty_fail(nifty, set->line,
                              "<ShellElementSet> without <ShellElements>, expected them");
    PAL_TRY(pal_nifty_need_attribute(nifty, shells, "Type", &type));
    bool surface = strcmp(type, "SURFACE") == 0;
    if (!surface && strcmp(type, "T3") != 0)
        return pal_nifty_fail(nifty, shells->line,
                              "Type of <ShellElements> is %s, expected T3 or SURFACE",
                              pal_quoted(type).text);
    if (!surface)
        PAL_TRY(pal_nifty_rows(nifty, shells, 3, scope->mesh->node_count, &rows));
    PalNiftyRange range = {"Size", "membrane element", rows.count / 3, true};
    for (; set != NULL; set = pal_xml_next(set))
        PAL_TRY(check_set(nifty, scope, set, surface ? NULL : &range));
    return pal_nifty_fail(nifty, shells->line,
                          "membranes are not supported yet, expected a model without "
                          "<ShellElements>");
}
