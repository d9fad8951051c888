// A model or submodel: its own mesh, or those of its submodels joined; its sets and constraints.
#include "scene/niftysim/model.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { DEPTH_MAX = 16 };

void pal_nifty_scope_clear(PalNiftyScope *scope)
{
    pal_surface_destroy(scope->surface);
    pal_mesh_destroy(scope->mesh);
    pal_array_clear(&scope->sets);
    pal_array_clear(&scope->shells);
    pal_array_clear(&scope->constraints);
    scope->surface = NULL;
    scope->mesh = NULL;
}

// ---- merging nodes ----------------------------------------------------------------------------

// Lists of nodes by a hash of three numbers; each in the order the nodes came.
typedef struct Lists {
    uint32_t mask;
    int32_t *heads, *tails, *nexts;
} Lists;

// Kept nodes by the cubes of one merging distance they lie in; of those at one place the first,
// which is the one that others merge with.
typedef struct Grid {
    double distance;
    PalVec3 *nodes;
    Lists cubes, places;
} Grid;

static uint32_t slot_of(const Lists *lists, const double key[3])
{
    uint64_t hash = 1469598103934665603u;
    for (int i = 0; i < 3; ++i) {
        uint64_t bits;
        double value = key[i] + 0.0;  // no negative zero
        memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
        hash ^= hash >> 29;
    }
    return (uint32_t)hash & lists->mask;
}

static void lists_add(Lists *lists, const double key[3], int32_t node)
{
    uint32_t slot = slot_of(lists, key);
    lists->nexts[node] = PAL_NONE;
    if (lists->heads[slot] == PAL_NONE)
        lists->heads[slot] = node;
    else
        lists->nexts[lists->tails[slot]] = node;
    lists->tails[slot] = node;
}

static PalStatus lists_create(PalNifty *nifty, int32_t room, Lists *lists)
{
    size_t slots = 16;
    while (slots < 2 * (size_t)room)
        slots *= 2;
    lists->mask = (uint32_t)(slots - 1);
    lists->heads = pal_tree_alloc(nifty->memory, slots, sizeof *lists->heads);
    lists->tails = pal_tree_alloc(nifty->memory, slots, sizeof *lists->tails);
    lists->nexts = pal_tree_alloc(nifty->memory, (size_t)room, sizeof *lists->nexts);
    if (lists->heads == NULL || lists->tails == NULL || lists->nexts == NULL)
        return pal_nifty_no_memory(nifty);
    memset(lists->heads, 0xFF, slots * sizeof *lists->heads);
    return PAL_OK;
}

static void cube_of(const Grid *grid, PalVec3 x, double cube[3])
{
    cube[0] = floor(x.x / grid->distance);
    cube[1] = floor(x.y / grid->distance);
    cube[2] = floor(x.z / grid->distance);
}

static void grid_add(Grid *grid, int32_t node)
{
    PalVec3 x = grid->nodes[node];
    double cube[3], place[3] = {x.x, x.y, x.z};
    for (int32_t n = grid->places.heads[slot_of(&grid->places, place)]; n != PAL_NONE;
         n = grid->places.nexts[n])
        if (pal_vec3_distance(grid->nodes[n], x) == 0)
            return;
    cube_of(grid, x, cube);
    lists_add(&grid->places, place, node);
    lists_add(&grid->cubes, cube, node);
}

// The first kept node nearer than the distance, or PAL_NONE.
static int32_t grid_find(const Grid *grid, PalVec3 x)
{
    double cube[3], around[3];
    int32_t first = INT32_MAX;
    cube_of(grid, x, cube);
    for (int i = 0; i < 27; ++i) {
        around[0] = cube[0] + i % 3 - 1;
        around[1] = cube[1] + i / 3 % 3 - 1;
        around[2] = cube[2] + i / 9 - 1;
        int32_t n = grid->cubes.heads[slot_of(&grid->cubes, around)];
        while (n != PAL_NONE && n < first && pal_vec3_distance(grid->nodes[n], x) >= grid->distance)
            n = grid->cubes.nexts[n];
        if (n != PAL_NONE && n < first)
            first = n;
    }
    return first < INT32_MAX ? first : PAL_NONE;
}

// ---- joining submodels ------------------------------------------------------------------------

typedef struct Joint {
    int32_t count;
    PalNiftyScope *parts;
    int32_t **maps;        // per part: its nodes in the joint numbering
    int32_t *first_cells;  // per part
    double distance;       // of merging; 0: none
    int32_t node_count, cell_count;
    PalVec3 *nodes;
} Joint;

static PalStatus count_all(PalNifty *nifty, const PalNiftyScope *scope, Joint *joint)
{
    int64_t nodes = 0, cells = 0;
    for (int32_t i = 0; i < joint->count; ++i) {
        const PalNiftyScope *part = &joint->parts[i];
        if (part->element != joint->parts[0].element)
            return pal_nifty_fail(nifty, part->mesh_line,
                                  "elements of another type than in the first <SubModel>, expected "
                                  "one type throughout");
        joint->first_cells[i] = (int32_t)cells;
        nodes += part->mesh->node_count;
        cells += part->mesh->cell_count;
        if (nodes > INT32_MAX / 4 || cells > INT32_MAX / 8)
            return pal_nifty_fail(nifty, scope->node->line, "too many nodes or elements in all");
    }
    joint->node_count = (int32_t)nodes;
    joint->cell_count = (int32_t)cells;
    joint->nodes = pal_tree_alloc(nifty->memory, (size_t)nodes, sizeof *joint->nodes);
    return joint->nodes != NULL ? PAL_OK : pal_nifty_no_memory(nifty);
}

static PalStatus number_nodes(PalNifty *nifty, Joint *joint)
{
    Grid grid = {.distance = joint->distance, .nodes = joint->nodes};
    int32_t used = 0;
    bool merges = joint->distance > 0;
    if (merges) {
        PAL_TRY(lists_create(nifty, joint->node_count, &grid.cubes));
        PAL_TRY(lists_create(nifty, joint->node_count, &grid.places));
    }
    for (int32_t i = 0; i < joint->count; ++i) {
        const PalMesh *mesh = joint->parts[i].mesh;
        joint->maps[i] =
            pal_tree_alloc(nifty->memory, (size_t)mesh->node_count, sizeof *joint->maps[i]);
        if (joint->maps[i] == NULL)
            return pal_nifty_no_memory(nifty);
        for (int32_t n = 0; n < mesh->node_count; ++n) {
            int32_t same = merges && i > 0 ? grid_find(&grid, mesh->nodes[n]) : PAL_NONE;
            if (same == PAL_NONE) {
                same = used++;
                joint->nodes[same] = mesh->nodes[n];
                if (merges)
                    grid_add(&grid, same);
            }
            joint->maps[i][n] = same;
        }
    }
    joint->node_count = used;
    return PAL_OK;
}

static PalStatus join_meshes(PalNifty *nifty, PalNiftyScope *scope, Joint *joint)
{
    PAL_TRY(count_all(nifty, scope, joint));
    PAL_TRY(number_nodes(nifty, joint));
    scope->element = joint->parts[0].element;
    scope->mesh_line = joint->parts[0].mesh_line;
    PalCellKind kind = pal_element_cell(scope->element);
    int32_t width = pal_cell_node_count(kind);
    int32_t *cells =
        pal_tree_alloc(nifty->memory, (size_t)joint->cell_count, (size_t)width * sizeof *cells);
    if (cells == NULL)
        return pal_nifty_no_memory(nifty);
    for (int32_t i = 0; i < joint->count; ++i) {
        const PalMesh *mesh = joint->parts[i].mesh;
        int32_t *to = cells + (int64_t)joint->first_cells[i] * width;
        for (int64_t k = 0; k < (int64_t)mesh->cell_count * width; ++k)
            to[k] = joint->maps[i][mesh->cells[k]];
    }
    PalMeshDef def = {kind, joint->node_count, joint->nodes, joint->cell_count, cells};
    PalError inner = {0};
    PalStatus status = pal_mesh_create(&def, &scope->mesh, &inner);
    if (status == PAL_NO_MEMORY)
        return pal_nifty_no_memory(nifty);
    return status == PAL_OK ? PAL_OK : pal_nifty_fail(nifty, scope->mesh_line, "%s", inner.text);
}

// The submodels' sets and constraints come behind those of the scope itself.
static PalStatus join_sets(PalNifty *nifty, PalNiftyScope *scope, const Joint *joint, int32_t i)
{
    const PalNiftyScope *part = &joint->parts[i];
    int32_t before = scope->sets.count, doubled = 0;
    for (int32_t s = 0; s < part->sets.count; ++s)
        if (!pal_array_push(&scope->sets, part->sets.items[s]))
            return pal_nifty_no_memory(nifty);
    for (int32_t e = 0; e < part->mesh->cell_count; ++e) {
        int32_t *set = &scope->cell_set[joint->first_cells[i] + e];
        if (part->cell_set[e] == PAL_NONE)
            continue;
        doubled += *set != PAL_NONE;
        if (*set == PAL_NONE)
            *set = before + part->cell_set[e];
    }
    if (doubled > 0)
        pal_nifty_warn(nifty, part->node->line,
                       "%d element%s of this <SubModel> stay%s in the set of the model around it",
                       (int)doubled, doubled == 1 ? "" : "s", doubled == 1 ? "s" : "");
    return PAL_OK;
}

static PalStatus join_constraints(PalNifty *nifty, PalNiftyScope *scope, const Joint *joint,
                                  int32_t i)
{
    const PalNiftyScope *part = &joint->parts[i];
    const int32_t *map = joint->maps[i];
    for (int32_t c = 0; c < part->constraints.count; ++c) {
        PalNiftyConstraint *constraint = &part->constraints.items[c];
        int32_t kept = 0, stamp = ++scope->stamp;
        for (int32_t k = 0; k < constraint->node_count; ++k) {
            int32_t node = map[constraint->nodes[k]];
            if (scope->node_stamp[node] == stamp && constraint->magnitudes != NULL)
                return pal_nifty_fail(nifty, constraint->line,
                                      "two nodes of this constraint become one by merging, "
                                      "expected UNIFORM magnitudes");
            bool again = scope->node_stamp[node] == stamp;
            scope->node_stamp[node] = stamp;
            if (!again)
                constraint->nodes[kept++] = node;
        }
        constraint->node_count = kept;
        for (int32_t f = 0; f < constraint->face_count; ++f)
            for (int a = 0; a < 4; ++a)
                if (constraint->faces[f][a] != PAL_NONE)
                    constraint->faces[f][a] = map[constraint->faces[f][a]];
        if (!pal_array_push(&scope->constraints, *constraint))
            return pal_nifty_no_memory(nifty);
    }
    return PAL_OK;
}

// The submodels' membranes, in the joint numbering.
static PalStatus join_shells(PalNifty *nifty, PalNiftyScope *scope, const Joint *joint, int32_t i)
{
    const PalNiftyScope *part = &joint->parts[i];
    for (int32_t s = 0; s < part->shells.count; ++s) {
        PalNiftyShell *shell = &part->shells.items[s];
        for (int32_t k = 0; k < 3 * shell->cell_count; ++k)
            shell->cells[k] = joint->maps[i][shell->cells[k]];
        if (!pal_array_push(&scope->shells, *shell))
            return pal_nifty_no_memory(nifty);
    }
    return PAL_OK;
}

// ---- scopes -----------------------------------------------------------------------------------

static PalStatus read_parts(PalNifty *nifty, const PalXmlNode *node, int32_t depth, Joint *joint)
{
    int32_t count = 0;
    for (const PalXmlNode *part = pal_xml_child(node, "SubModel"); part != NULL;
         part = pal_xml_next(part))
        ++count;
    joint->parts = pal_tree_alloc(nifty->memory, (size_t)count, sizeof *joint->parts);
    joint->maps = pal_tree_alloc(nifty->memory, (size_t)count, sizeof *joint->maps);
    joint->first_cells = pal_tree_alloc(nifty->memory, (size_t)count, sizeof *joint->first_cells);
    if (joint->parts == NULL || joint->maps == NULL || joint->first_cells == NULL)
        return pal_nifty_no_memory(nifty);
    PAL_TRY(pal_nifty_scalar(nifty, node, "SubModelNodeMergerDistance", &joint->distance));
    for (const PalXmlNode *part = pal_xml_child(node, "SubModel"); part != NULL;
         part = pal_xml_next(part)) {
        joint->count += 1;
        PAL_TRY(pal_nifty_read_scope(nifty, part, depth + 1, &joint->parts[joint->count - 1]));
    }
    return PAL_OK;
}

static PalStatus read_own(PalNifty *nifty, PalNiftyScope *scope)
{
    int32_t cells = scope->mesh->cell_count;
    scope->cell_set = pal_tree_alloc(nifty->memory, (size_t)cells, sizeof *scope->cell_set);
    if (scope->cell_set == NULL)
        return pal_nifty_no_memory(nifty);
    for (int32_t e = 0; e < cells; ++e)
        scope->cell_set[e] = PAL_NONE;
    PAL_TRY(pal_nifty_read_sets(nifty, scope));
    PAL_TRY(pal_nifty_read_shells(nifty, scope));
    return pal_nifty_read_constraints(nifty, scope);
}

static PalStatus read_joint(PalNifty *nifty, int32_t depth, PalNiftyScope *scope, Joint *joint)
{
    PAL_TRY(read_parts(nifty, scope->node, depth, joint));
    PAL_TRY(join_meshes(nifty, scope, joint));
    PAL_TRY(read_own(nifty, scope));
    for (int32_t i = 0; i < joint->count; ++i) {
        PAL_TRY(join_sets(nifty, scope, joint, i));
        PAL_TRY(join_constraints(nifty, scope, joint, i));
        PAL_TRY(join_shells(nifty, scope, joint, i));
    }
    return PAL_OK;
}

PalStatus pal_nifty_read_scope(PalNifty *nifty, const PalXmlNode *node, int32_t depth,
                               PalNiftyScope *scope)
{
    scope->node = node;
    if (depth > DEPTH_MAX)
        return pal_nifty_fail(nifty, node->line,
                              "submodels nested deeper than %d levels, expected fewer", DEPTH_MAX);
    if (!pal_xml_has(node, "SubModel")) {
        PAL_TRY(pal_nifty_read_mesh(nifty, scope));
        return read_own(nifty, scope);
    }
    Joint joint = {0};
    PalStatus status = read_joint(nifty, depth, scope, &joint);
    for (int32_t i = 0; i < joint.count; ++i)
        pal_nifty_scope_clear(&joint.parts[i]);
    return status;
}
