// Membranes and shells as bodies, attached to the solid if they are made of its nodes.
#include "scene/niftysim/build.h"

#include <stdio.h>

enum { NAME_SIZE = 32 };

const char *pal_nifty_shell_name(PalNiftyBuild *build, int32_t index)
{
    char *name = pal_tree_alloc(build->nifty->tree, NAME_SIZE, 1);
    if (name != NULL)
        snprintf(name, NAME_SIZE, "shell-%d", (int)index + 1);
    return name;
}

// The body that all nodes of a shell belong to.
static PalStatus find_host(PalNiftyBuild *build, const PalNiftyShell *shell, int32_t *host)
{
    *host = PAL_NONE;
    for (int32_t k = 0; k < 3 * shell->cell_count; ++k) {
        int32_t body = build->node_body[shell->cells[k]];
        if (body == PAL_NONE || (*host != PAL_NONE && body != *host))
            return pal_nifty_fail(build->nifty, shell->line,
                                  "node %d of this membrane is %s, expected all on one solid",
                                  (int)shell->cells[k],
                                  body == PAL_NONE ? "in no solid element" : "of another part");
        *host = body;
    }
    return PAL_OK;
}

static PalStatus make_mesh(PalNiftyBuild *build, PalNiftyShell *shell)
{
    PalNifty *nifty = build->nifty;
    const PalMesh *whole = build->scope->mesh;
    int32_t *numbers = pal_tree_alloc(nifty->memory, (size_t)whole->node_count, sizeof *numbers);
    PalVec3 *nodes = pal_tree_alloc(nifty->memory, (size_t)whole->node_count, sizeof *nodes);
    int32_t *cells = pal_tree_alloc(nifty->memory, (size_t)shell->cell_count, 3 * sizeof *cells);
    int32_t count = 0;
    if (numbers == NULL || nodes == NULL || cells == NULL)
        return pal_nifty_no_memory(nifty);
    for (int32_t n = 0; n < whole->node_count; ++n)
        numbers[n] = PAL_NONE;
    for (int32_t k = 0; k < 3 * shell->cell_count; ++k) {
        int32_t *number = &numbers[shell->cells[k]];
        if (*number == PAL_NONE) {
            nodes[count] = whole->nodes[shell->cells[k]];
            *number = count++;
        }
        cells[k] = *number;
    }
    PalMeshDef def = {PAL_CELL_TRIANGLE, count, nodes, shell->cell_count, cells};
    PalError inner = {0};
    PalStatus status = pal_mesh_create(&def, &shell->mesh, &inner);
    if (status == PAL_NO_MEMORY)
        return pal_nifty_no_memory(nifty);
    return status == PAL_OK ? PAL_OK : pal_nifty_fail(nifty, shell->line, "%s", inner.text);
}

static PalStatus put_shell(PalNiftyBuild *build, const PalNiftyShell *shell, const char *name,
                           PalTreeNode *bodies)
{
    const char *file = name != NULL ? pal_nifty_mesh_name(build, name) : NULL;
    PalTreeNode *map = pal_nifty_map(build, shell->line);
    bool done = file != NULL && pal_nifty_put(build, bodies, NULL, map) &&
                pal_nifty_put_text(build, map, "name", name) &&
                pal_nifty_put_text(build, map, "mesh", file) &&
                pal_nifty_put_text(build, map, "element", shell->bends ? "ebst" : "membrane") &&
                pal_nifty_put_number(build, map, "thickness", shell->thickness) &&
                pal_nifty_put_text(build, map, "orient", "true") &&
                pal_nifty_put(build, map, "material", shell->material);
    return done ? PAL_OK : pal_nifty_no_memory(build->nifty);
}

static PalStatus attach_shell(PalNiftyBuild *build, const PalNiftyShell *shell, const char *name,
                              PalTreeNode *conditions)
{
    int32_t host;
    PalTreeNode *tie = pal_nifty_map(build, shell->line);
    PAL_TRY(find_host(build, shell, &host));
    bool done = pal_nifty_put(build, conditions, NULL, tie) &&
                pal_nifty_put_text(build, tie, "body", name) &&
                pal_nifty_put_text(build, tie, "where", "all") &&
                pal_nifty_put_text(build, tie, "attach", build->bodies[host].name);
    return done ? PAL_OK : pal_nifty_no_memory(build->nifty);
}

PalStatus pal_nifty_build_shells(PalNiftyBuild *build, PalTreeNode *bodies, PalTreeNode *conditions)
{
    for (int32_t s = 0; s < build->scope->shells.count; ++s) {
        PalNiftyShell *shell = &build->scope->shells.items[s];
        const char *name = pal_nifty_shell_name(build, s);
        PAL_TRY(make_mesh(build, shell));
        PAL_TRY(put_shell(build, shell, name, bodies));
        if (shell->body == PAL_NONE)
            PAL_TRY(attach_shell(build, shell, name, conditions));
        else
            build->bodies[shell->body] = (PalNiftyBody){name, shell->mesh};
    }
    return PAL_OK;
}
