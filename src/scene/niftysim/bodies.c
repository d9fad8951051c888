// The bodies of the scene: one, or one for each connected part where parts are to collide.
#include "scene/niftysim/build.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODY_MAX = 1000, NAME_SIZE = 32 };

const char *pal_nifty_mesh_name(PalNiftyBuild *build, const char *body)
{
    size_t size = strlen(build->stem) + strlen(body) + 8;
    char *name = pal_tree_alloc(build->nifty->tree, size, 1);
    if (name != NULL)
        snprintf(name, size, "%s-%s.inp", build->stem, body);
    return name;
}

// ---- who belongs to which body ----------------------------------------------------------------

static PalStatus find_parts(PalNiftyBuild *build)
{
    PalNifty *nifty = build->nifty;
    const PalMesh *mesh = build->scope->mesh;
    build->solid_count = mesh->cell_count > 0;
    if (!build->system->collides || mesh->cell_count == 0)
        return PAL_OK;
    PalError inner = {0};
    if (pal_mesh_parts(mesh, build->cell_body, &build->solid_count, &inner) != PAL_OK)
        return pal_nifty_no_memory(nifty);
    if (build->solid_count > BODY_MAX)
        return pal_nifty_fail(nifty, build->scope->mesh_line,
                              "%d parts that are not connected, expected at most %d that collide",
                              (int)build->solid_count, BODY_MAX);
    return PAL_OK;
}

// A membrane none of whose nodes is in a solid element is a body of its own, which has its nodes in
// the order in which its triangles name them.
static PalStatus share_with_shell(PalNiftyBuild *build, PalNiftyShell *shell)
{
    int32_t count = 0;
    shell->body = PAL_NONE;
    for (int32_t k = 0; k < 3 * shell->cell_count; ++k) {
        int32_t body = build->node_body[shell->cells[k]];
        if (body >= build->solid_count)
            return pal_nifty_fail(build->nifty, shell->line,
                                  "node %d of this membrane is of another set as well, expected "
                                  "sets without common nodes",
                                  (int)shell->cells[k]);
        if (body != PAL_NONE)
            return PAL_OK;
    }
    shell->body = build->body_count++;
    for (int32_t k = 0; k < 3 * shell->cell_count; ++k) {
        int32_t n = shell->cells[k];
        if (build->node_body[n] == PAL_NONE) {
            build->node_body[n] = shell->body;
            build->node_local[n] = count++;
        }
    }
    return PAL_OK;
}

static PalStatus share_nodes(PalNiftyBuild *build, int32_t *counts)
{
    const PalMesh *mesh = build->scope->mesh;
    int32_t width = pal_cell_node_count(mesh->cell_kind), unused = 0, first = 0;
    for (int32_t n = 0; n < mesh->node_count; ++n)
        build->node_body[n] = build->node_local[n] = PAL_NONE;
    for (int64_t k = 0; k < (int64_t)mesh->cell_count * width; ++k)
        build->node_body[mesh->cells[k]] = build->cell_body[k / width];
    for (int32_t n = 0; n < mesh->node_count; ++n)
        if (build->node_body[n] != PAL_NONE)
            build->node_local[n] = counts[build->node_body[n]]++;
    build->body_count = build->solid_count;
    for (int32_t s = 0; s < build->scope->shells.count; ++s)
        PAL_TRY(share_with_shell(build, &build->scope->shells.items[s]));
    for (int32_t n = 0; n < mesh->node_count; ++n)
        if (build->node_body[n] == PAL_NONE && ++unused == 1)
            first = n;
    if (unused > 0)
        pal_nifty_warn(build->nifty, build->scope->mesh_line,
                       "%d node%s (the first is %d) in no element %s left out: NiftySim would give "
                       "%s no mass",
                       (int)unused, unused == 1 ? "" : "s", (int)first, unused == 1 ? "is" : "are",
                       unused == 1 ? "it" : "them");
    return PAL_OK;
}

static PalStatus divide(PalNiftyBuild *build, int32_t **counts)
{
    PalTree *memory = build->nifty->memory;
    const PalMesh *mesh = build->scope->mesh;
    build->cell_body = pal_tree_alloc(memory, (size_t)mesh->cell_count, sizeof(int32_t));
    build->node_body = pal_tree_alloc(memory, (size_t)mesh->node_count, sizeof(int32_t));
    build->node_local = pal_tree_alloc(memory, (size_t)mesh->node_count, sizeof(int32_t));
    if (build->cell_body == NULL || build->node_body == NULL || build->node_local == NULL)
        return pal_nifty_no_memory(build->nifty);
    PAL_TRY(find_parts(build));
    size_t most = (size_t)build->solid_count + (size_t)build->scope->shells.count;
    build->bodies = pal_tree_alloc(memory, most, sizeof *build->bodies);
    *counts = pal_tree_alloc(memory, most, sizeof **counts);
    if (build->bodies == NULL || *counts == NULL)
        return pal_nifty_no_memory(build->nifty);
    return share_nodes(build, *counts);
}

// ---- meshes -----------------------------------------------------------------------------------

static PalStatus make_mesh(PalNiftyBuild *build, int32_t body, int32_t node_count)
{
    PalNifty *nifty = build->nifty;
    const PalMesh *whole = build->scope->mesh;
    int32_t width = pal_cell_node_count(whole->cell_kind), cell_count = 0;
    for (int32_t e = 0; e < whole->cell_count; ++e)
        cell_count += build->cell_body[e] == body;
    PalVec3 *nodes = pal_tree_alloc(nifty->memory, (size_t)node_count, sizeof *nodes);
    int32_t *cells =
        pal_tree_alloc(nifty->memory, (size_t)cell_count * (size_t)width, sizeof *cells);
    if (nodes == NULL || cells == NULL)
        return pal_nifty_no_memory(nifty);
    for (int32_t n = 0; n < whole->node_count; ++n)
        if (build->node_body[n] == body)
            nodes[build->node_local[n]] = whole->nodes[n];
    int32_t *cell = cells;
    for (int32_t e = 0; e < whole->cell_count; ++e)
        for (int32_t a = 0; a < width && build->cell_body[e] == body; ++a)
            *cell++ = build->node_local[whole->cells[(int64_t)e * width + a]];
    PalMeshDef def = {whole->cell_kind, node_count, nodes, cell_count, cells};
    PalError inner = {0};
    PalStatus status = pal_mesh_create(&def, &build->bodies[body].mesh, &inner);
    if (status == PAL_NO_MEMORY)
        return pal_nifty_no_memory(nifty);
    return status == PAL_OK ? PAL_OK
                            : pal_nifty_fail(nifty, build->scope->mesh_line, "%s", inner.text);
}

// ---- materials --------------------------------------------------------------------------------

// The elements of one set in one body, in the body's numbering.
typedef struct SetCells {
    int32_t count;
    int32_t *cells;
} SetCells;

static PalStatus gather_sets(PalNiftyBuild *build, int32_t body, SetCells **sets)
{
    PalNifty *nifty = build->nifty;
    const PalNiftyScope *scope = build->scope;
    int32_t set_count = scope->sets.count, local = 0;
    *sets = pal_tree_alloc(nifty->memory, (size_t)set_count, sizeof **sets);
    if (*sets == NULL)
        return pal_nifty_no_memory(nifty);
    for (int32_t e = 0; e < scope->mesh->cell_count; ++e)
        if (build->cell_body[e] == body)
            (*sets)[scope->cell_set[e]].count += 1;
    for (int32_t s = 0; s < set_count; ++s) {
        SetCells *set = &(*sets)[s];
        set->cells = pal_tree_alloc(nifty->memory, (size_t)set->count, sizeof *set->cells);
        if (set->cells == NULL)
            return pal_nifty_no_memory(nifty);
        set->count = 0;
    }
    for (int32_t e = 0; e < scope->mesh->cell_count; ++e)
        if (build->cell_body[e] == body) {
            SetCells *set = &(*sets)[scope->cell_set[e]];
            set->cells[set->count++] = local++;
        }
    return PAL_OK;
}

// A copy of a set's material, for a group of the body's cells or for all of them (NULL).
static PalTreeNode *copy_material(PalNiftyBuild *build, const PalNiftySet *set, const char *group)
{
    PalTreeNode *copy = pal_tree_copy(build->nifty->tree, set->material);
    if (copy != NULL && group != NULL && !pal_nifty_put_text(build, copy, "group", group))
        return NULL;
    return copy;
}

static bool put_hourglass(PalNiftyBuild *build, PalTreeNode *map, const PalNiftySet *set)
{
    if (!pal_element_traits(build->scope->element)->has_hourglass)
        return true;
    return pal_nifty_put_number(build, map, "hourglass", set->hourglass);
}

static PalStatus put_several(PalNiftyBuild *build, int32_t body, const SetCells *sets,
                             PalTreeNode *map)
{
    PalNifty *nifty = build->nifty;
    PalTreeNode *list = pal_nifty_list(build, map->line);
    bool done = pal_nifty_put(build, map, "materials", list);
    for (int32_t s = 0; s < build->scope->sets.count && done; ++s) {
        if (sets[s].count == 0)
            continue;
        char name[NAME_SIZE];
        PalError inner = {0};
        snprintf(name, sizeof name, "set-%d", (int)s + 1);
        const PalNiftySet *set = &build->scope->sets.items[s];
        PalGroup group = {.name = name, .cell_count = sets[s].count, .cells = sets[s].cells};
        PalTreeNode *material = copy_material(build, set, name);
        done = pal_nifty_put(build, list, NULL, material) && put_hourglass(build, material, set) &&
               pal_mesh_add_group(build->bodies[body].mesh, &group, &inner) == PAL_OK;
    }
    return done ? PAL_OK : pal_nifty_no_memory(nifty);
}

// NiftySim resists all patterns alike.
static bool put_control(PalNiftyBuild *build, PalTreeNode *map)
{
    return !pal_element_traits(build->scope->element)->has_hourglass ||
           pal_nifty_put_text(build, map, "hourglass-control",
                              pal_hourglass_control_name(PAL_HOURGLASS_PLAIN));
}

static PalStatus put_materials(PalNiftyBuild *build, int32_t body, PalTreeNode *map)
{
    SetCells *sets;
    PAL_TRY(gather_sets(build, body, &sets));
    if (!put_control(build, map))
        return pal_nifty_no_memory(build->nifty);
    int32_t used = 0, last = 0;
    for (int32_t s = 0; s < build->scope->sets.count; ++s)
        if (sets[s].count > 0) {
            ++used;
            last = s;
        }
    if (used > 1)
        return put_several(build, body, sets, map);
    const PalNiftySet *set = &build->scope->sets.items[last];
    bool done = pal_nifty_put(build, map, "material", copy_material(build, set, NULL)) &&
                put_hourglass(build, map, set);
    return done ? PAL_OK : pal_nifty_no_memory(build->nifty);
}

// ---- all of it --------------------------------------------------------------------------------

static PalStatus check_sets(PalNiftyBuild *build)
{
    const PalNiftyScope *scope = build->scope;
    if (scope->mesh->cell_count == 0 && scope->shells.count == 0)
        return pal_nifty_fail(build->nifty, scope->mesh_line, "no elements, expected at least one");
    for (int32_t e = 0; e < scope->mesh->cell_count; ++e)
        if (scope->cell_set[e] == PAL_NONE)
            return pal_nifty_fail(build->nifty, scope->mesh_line,
                                  "element %d is in no <ElementSet>, expected it in one", (int)e);
    if (pal_element_traits(scope->element)->has_hourglass &&
        build->nifty->hourglass == PAL_NIFTY_NO_HOURGLASS)
        return pal_nifty_fail(build->nifty, build->system->line,
                              "<SystemParams> without <HGKappa>, expected it with H8 elements");
    return PAL_OK;
}

static PalStatus build_body(PalNiftyBuild *build, int32_t body, int32_t node_count,
                            PalTreeNode *list)
{
    PalNifty *nifty = build->nifty;
    char *name = pal_tree_alloc(nifty->tree, NAME_SIZE, 1);
    if (name == NULL)
        return pal_nifty_no_memory(nifty);
    if (build->solid_count == 1)
        snprintf(name, NAME_SIZE, "model");
    else
        snprintf(name, NAME_SIZE, "part-%d", (int)body + 1);
    build->bodies[body].name = name;
    PAL_TRY(make_mesh(build, body, node_count));
    PalTreeNode *map = pal_nifty_map(build, build->scope->mesh_line);
    const char *file = pal_nifty_mesh_name(build, name);
    bool done = file != NULL && pal_nifty_put(build, list, NULL, map) &&
                pal_nifty_put_text(build, map, "name", name) &&
                pal_nifty_put_text(build, map, "mesh", file) &&
                pal_nifty_put_text(build, map, "element", pal_element_name(build->scope->element));
    return done ? put_materials(build, body, map) : pal_nifty_no_memory(nifty);
}

PalStatus pal_nifty_build_bodies(PalNiftyBuild *build, PalTreeNode *list)
{
    int32_t *counts = NULL;
    PAL_TRY(check_sets(build));
    PAL_TRY(divide(build, &counts));
    for (int32_t b = 0; b < build->solid_count; ++b)
        PAL_TRY(build_body(build, b, counts[b], list));
    return PAL_OK;
}
