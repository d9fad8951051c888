// Membranes and shells: triangles of the solid's nodes, which become bodies attached to it.
#include "scene/niftysim/model.h"

#include <string.h>

typedef struct ShellLaw {
    const char *type, *name;  // NiftySim's, ours
    int32_t count;
    const char *keys[2];
    bool bends;
} ShellLaw;

static const ShellLaw shell_laws[] = {
    {"Linear", "st-venant-kirchhoff", 2, {"young", "poisson"}, false},
    {"NeoHookean", "neo-hookean", 1, {"shear", NULL}, false},
    {"LinearShell", "st-venant-kirchhoff", 4, {"young", "poisson"}, true},
    {"LinearThickShell", "st-venant-kirchhoff", 4, {"young", "poisson"}, true},
};
enum { LAW_COUNT = sizeof shell_laws / sizeof *shell_laws };

static PalStatus need_positive(PalNifty *nifty, const PalXmlNode *material, const char *name,
                               double *value)
{
    PalXmlNode *node;
    PAL_TRY(pal_nifty_need(nifty, material, name, &node));
    PAL_TRY(pal_nifty_exactly(nifty, node, 1, value));
    if (*value > 0)
        return PAL_OK;
    return pal_nifty_fail(nifty, node->line, "<%s> is %g, expected a number above 0", name, *value);
}

static bool put_number(PalNifty *nifty, PalTreeNode *map, const char *key, double value)
{
    return pal_tree_put(nifty->tree, map, key, pal_tree_new_number(nifty->tree, map, value));
}

static bool put_text(PalNifty *nifty, PalTreeNode *map, const char *key, const char *text)
{
    return pal_tree_put(nifty->tree, map, key, pal_tree_new_text(nifty->tree, map, text));
}

static bool put_law(PalNifty *nifty, const ShellLaw *law, const double *values, PalTreeNode *map)
{
    bool done = put_text(nifty, map, "law", law->name);
    for (int i = 0; i < 2 && law->keys[i] != NULL; ++i)
        done = done && put_number(nifty, map, law->keys[i], values[i]);
    if (law->count == 1)
        done = done && put_text(nifty, map, "incompressible", "true");
    if (!law->bends)
        return done;
    PalTreeNode *bending = pal_tree_new(nifty->tree, PAL_TREE_MAP, map);
    return done && bending != NULL && pal_tree_put(nifty->tree, map, "bending", bending) &&
           put_number(nifty, bending, "young", values[2]) &&
           put_number(nifty, bending, "poisson", values[3]);
}

static PalStatus read_material(PalNifty *nifty, const PalXmlNode *material, PalNiftyShell *shell)
{
    const char *type;
    double density = 0;
    PalNiftyNumbers numbers;
    PalTreeNode place = {.line = material->line};
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
    PAL_TRY(need_positive(nifty, material, "Density", &density));
    PAL_TRY(need_positive(nifty, material, "Thickness", &shell->thickness));
    shell->bends = shell_laws[law].bends;
    shell->material = pal_tree_new(nifty->tree, PAL_TREE_MAP, &place);
    if (shell->material == NULL ||
        !put_law(nifty, &shell_laws[law], numbers.items, shell->material) ||
        !put_number(nifty, shell->material, "density", density))
        return pal_nifty_no_memory(nifty);
    if (law == 0)
        pal_nifty_warn(nifty, material->line,
                       "a linear membrane resists with Young's modulus times its thickness; "
                       "NiftySim on a CPU leaves out area and thickness");
    return PAL_OK;
}

// Without a range the set is the whole surface; `rows` are all triangles.
static PalStatus read_set(PalNifty *nifty, const PalNiftyScope *scope, const PalXmlNode *node,
                          const PalNiftyIndices *rows, const PalNiftyRange *range,
                          PalNiftyShell *shell)
{
    PalNiftyIndices list = {.count = rows->count / 3, .items = NULL};
    PalXmlNode *material;
    shell->line = node->line;
    if (range != NULL)
        PAL_TRY(pal_nifty_indices(nifty, node, node, range, &list));
    else
        pal_xml_attribute(node, "Size");
    shell->cell_count = list.count;
    shell->cells = pal_tree_alloc(nifty->memory, (size_t)list.count, 3 * sizeof *shell->cells);
    if (shell->cells == NULL)
        return pal_nifty_no_memory(nifty);
    for (int32_t k = 0; k < 3 * list.count; ++k) {
        int32_t triangle = list.items != NULL ? list.items[k / 3] : k / 3;
        shell->cells[k] = rows->items[3 * triangle + k % 3];
    }
    PAL_TRY(pal_nifty_need(nifty, node, "Material", &material));
    PAL_TRY(read_material(nifty, material, shell));
    const PalNiftyRange nodes = {"NumNodes", "node", scope->mesh->node_count, false};
    for (const PalXmlNode *clamped = pal_xml_child(node, "ClampedNodes"); clamped != NULL;
         clamped = pal_xml_next(clamped)) {
        PAL_TRY(pal_nifty_indices(nifty, clamped, clamped, &nodes, &list));
        PAL_TRY(pal_nifty_lose(nifty, clamped->line,
                               "<ClampedNodes> of a shell that is attached to a solid have no "
                               "counterpart"));
    }
    return PAL_OK;
}

// The surface of the solid, its quadrilaterals cut in two.
static PalStatus take_surface(PalNifty *nifty, PalNiftyScope *scope, PalNiftyIndices *rows)
{
    PAL_TRY(pal_nifty_find_surface(nifty, scope));
    const PalSurface *surface = scope->surface;
    int32_t per = surface->corner_count - 2;
    rows->count = 3 * per * surface->facet_count;
    rows->items = pal_tree_alloc(nifty->memory, (size_t)rows->count, sizeof *rows->items);
    if (rows->items == NULL)
        return pal_nifty_no_memory(nifty);
    for (int32_t t = 0; t < per * surface->facet_count; ++t) {
        const int32_t *n = surface->facets + (int64_t)(t / per) * surface->corner_count;
        const int32_t corners[3] = {n[0], n[1 + t % per], n[2 + t % per]};
        memcpy(rows->items + 3 * (int64_t)t, corners, sizeof corners);
    }
    return PAL_OK;
}

PalStatus pal_nifty_read_shells(PalNifty *nifty, PalNiftyScope *scope)
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
    if (set == NULL)
        return pal_nifty_fail(nifty, shells->line,
                              "<ShellElements> without <ShellElementSet>, expected one");
    PAL_TRY(pal_nifty_need_attribute(nifty, shells, "Type", &type));
    bool surface = strcmp(type, "SURFACE") == 0;
    if (!surface && strcmp(type, "T3") != 0)
        return pal_nifty_fail(nifty, shells->line,
                              "Type of <ShellElements> is %s, expected T3 or SURFACE",
                              pal_quoted(type).text);
    if (surface)
        PAL_TRY(take_surface(nifty, scope, &rows));
    else
        PAL_TRY(pal_nifty_rows(nifty, shells, 3, scope->mesh->node_count, &rows));
    PalNiftyRange range = {"Size", "membrane element", rows.count / 3, true};
    for (; set != NULL; set = pal_xml_next(set)) {
        PalNiftyShell shell = {0};
        PAL_TRY(read_set(nifty, scope, set, &rows, surface ? NULL : &range, &shell));
        if (!pal_array_push(&scope->shells, shell))
            return pal_nifty_no_memory(nifty);
        if (surface && pal_xml_next(set) != NULL)
            return pal_nifty_fail(nifty, set->line,
                                  "several <ShellElementSet> on the whole SURFACE, expected one");
    }
    return PAL_OK;
}
