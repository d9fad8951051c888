// The vademecum of a scene, and loads as vademecums have them.
#include "base/hash.h"
#include "math/vec3.h"
#include "scene/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- patches ----------------------------------------------------------------------------

// Surface nodes within a distance of a point, and their weights, whose sum is 1.
static int32_t find_patch(const PalMesh *mesh, const PalSurface *surface, const PalWhere *sphere,
                          int32_t *nodes, double *weights)
{
    int32_t count = 0;
    double sum = 0;
    bool *there = calloc((size_t)mesh->node_count + 1, sizeof *there);
    if (there == NULL)
        return PAL_NONE;
    for (int64_t i = 0; i < (int64_t)surface->facet_count * surface->corner_count; ++i)
        there[surface->facets[i]] = true;
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        double part = pal_vec3_length(pal_vec3_sub(mesh->nodes[n], sphere->point)) / sphere->radius;
        if (!there[n] || part > 1)
            continue;
        nodes[count] = n;
        weights[count] = exp(-2 * part * part);
        sum += weights[count++];
    }
    for (int32_t i = 0; i < count; ++i)
        weights[i] /= sum;
    free(there);
    return count;
}

PalStatus pal_scene_read_patch(PalSceneReader *reader, const PalTreeNode *map, PalConditionDef *def,
                               int32_t *node_count)
{
    const PalTreeNode *patch = pal_tree_get(map, "patch");
    static const char *const others[] = {"where", "each", "weights"};
    for (int i = 0; i < 3; ++i) {
        const PalTreeItem *other = pal_tree_find(map, others[i]);
        // `each` is entered by default
        if (other != NULL && !(i == 1 && strcmp(other->value->text, "false") == 0))
            return pal_tree_fail_at(reader->tree, other, reader->error,
                                    "%s has no effect with patch, expected a force without it",
                                    others[i]);
    }
    PalSceneBody *body = &reader->scene->bodies[def->body_index];
    if (body->surface == NULL)
        PAL_TRY(pal_mesh_boundary(body->mesh, &body->surface, reader->error));
    size_t most = (size_t)body->mesh->node_count;
    int32_t *nodes = pal_tree_alloc(reader->tree, most, sizeof *nodes);
    double *weights = pal_tree_alloc(reader->tree, most, sizeof *weights);
    PalWhere sphere = {.point = pal_scene_as_vector(pal_tree_get(patch, "at")),
                       .radius = pal_tree_get(patch, "radius")->number};
    int32_t count = nodes != NULL && weights != NULL
                        ? find_patch(body->mesh, body->surface, &sphere, nodes, weights)
                        : PAL_NONE;
    if (count == PAL_NONE)
        return pal_tree_no_memory(reader->error);
    if (count == 0)
        return PAL_SCENE_FAIL(reader, patch,
                              "the patch has no node of the surface of body %s within %g, expected "
                              "a middle on the surface or a larger radius",
                              pal_quoted(reader->scene->body_defs[def->body_index].name).text,
                              sphere.radius);
    def->where = pal_where_all();
    def->where.kind = PAL_WHERE_NODES;
    def->where.nodes = nodes;
    def->where.node_count = count;
    def->each = true;
    def->weights = weights;
    def->weight_count = *node_count = count;
    return PAL_OK;
}

// ---- the vademecum ----------------------------------------------------------------------

static PalStatus read_directions(PalSceneReader *reader, PalTreeNode *map, PalVademecumDef *def)
{
    const PalTreeNode *node = pal_tree_get(map, "directions");
    const char *word = pal_vademecum_directions_name(PAL_DIRECTIONS_NORMAL);
    if (node == NULL || node->kind == PAL_TREE_SCALAR) {
        PAL_TRY(pal_scene_word(reader, map, "directions", &word));
        if (!pal_vademecum_directions_find(word, &def->directions))
            return PAL_SCENE_FAIL(reader, node, "unknown directions %s", word);
        return PAL_OK;
    }
    def->directions = PAL_DIRECTIONS_ONE;
    def->direction = pal_scene_as_vector(node);
    return pal_vec3_length(def->direction) > 0
               ? PAL_OK
               : PAL_SCENE_FAIL(reader, node, "directions is zero, expected a direction");
}

static PalStatus read_counts(PalSceneReader *reader, PalTreeNode *map, PalVademecumDef *def)
{
    const PalTreeNode *modes = pal_tree_get(map, "modes");
    double held_out = 40;
    PAL_TRY(pal_scene_number(reader, map, "held-out", &held_out));
    if (modes != NULL && modes->number > 1000)
        return PAL_SCENE_FAIL(reader, modes, "modes is %g, expected at most 1000", modes->number);
    if (held_out > 10000)
        return PAL_SCENE_FAIL(reader, pal_tree_get(map, "held-out"),
                              "held-out is %g, expected at most 10000", held_out);
    def->mode_limit = modes != NULL ? (int32_t)modes->number : 0;
    def->heldout_count = (int32_t)held_out;
    return PAL_OK;
}

enum { ALL_AXES = 7 };

// Of each node of a body, the axes that conditions fix, as bits.
static PalStatus find_held(PalSceneReader *reader, int32_t body, unsigned char *held)
{
    const PalModelDef *model = &reader->scene->sim.model;
    for (int32_t c = 0; c < model->condition_count; ++c) {
        const PalConditionDef *def = &model->conditions[c];
        if (def->kind != PAL_CONDITION_FIX || def->body_index != body)
            continue;
        int32_t *nodes = NULL, count = 0;
        const PalMesh *mesh = reader->scene->bodies[body].mesh;
        PAL_TRY(pal_mesh_select_nodes(mesh, &def->where, &nodes, &count, reader->error));
        for (int32_t i = 0; i < count; ++i)
            for (int axis = 0; axis < 3; ++axis)
                held[nodes[i]] |= (unsigned char)(def->axes[axis] << axis);
        free(nodes);
    }
    return PAL_OK;
}

// Loads act on nodes of the surface, and answer something where not all of these are fixed.
static PalStatus check_sites(PalSceneReader *reader, const PalTreeNode *map,
                             const PalVademecumDef *def)
{
    PalSceneBody *body = &reader->scene->bodies[def->body_index];
    if (body->surface == NULL)
        PAL_TRY(pal_mesh_boundary(body->mesh, &body->surface, reader->error));
    const PalSurface *surface = body->surface;
    size_t most = (size_t)body->mesh->node_count;
    bool *there = pal_tree_alloc(reader->tree, most, sizeof *there);
    unsigned char *held = pal_tree_alloc(reader->tree, most, sizeof *held);
    if (there == NULL || held == NULL)
        return pal_tree_no_memory(reader->error);
    PAL_TRY(find_held(reader, def->body_index, held));
    for (int64_t i = 0; i < (int64_t)surface->facet_count * surface->corner_count; ++i)
        there[surface->facets[i]] = true;
    int32_t *nodes = NULL, count = 0, sites = 0, open = 0;
    PAL_TRY(pal_mesh_select_nodes(body->mesh, &def->where, &nodes, &count, reader->error));
    for (int32_t i = 0; i < count; ++i) {
        sites += there[nodes[i]];
        open += there[nodes[i]] && held[nodes[i]] != ALL_AXES;
    }
    free(nodes);
    const PalTreeNode *where = pal_tree_get(map, "where");
    const char *name = reader->scene->body_defs[def->body_index].name;
    if (sites == 0)
        return PAL_SCENE_FAIL(reader, where != NULL ? where : map,
                              "the vademecum selects no node of the surface of body %s, expected "
                              "where loads may act",
                              pal_quoted(name).text);
    if (open == 0)
        return PAL_SCENE_FAIL(reader, where != NULL ? where : map,
                              "conditions fix all %d nodes of the surface of body %s where the "
                              "vademecum has loads, expected some that can move",
                              (int)sites, pal_quoted(name).text);
    return PAL_OK;
}

PalStatus pal_scene_read_vademecum(PalSceneReader *reader, PalTreeNode *map)
{
    PalScene *scene = reader->scene;
    PalVademecumDef *def = &scene->vademecum;
    const char *method = pal_vademecum_method_name(PAL_VADEMECUM_AUTO);
    int32_t count;
    *def = pal_vademecum_def_default();
    def->model = &scene->sim.model;
    PAL_TRY(pal_scene_find_body(reader, pal_tree_get(map, "body"), &def->body_index));
    PAL_TRY(pal_scene_read_where(reader, map, &def->where));
    PalSceneSelection selection = {map, &def->where, def->body_index, false, "the vademecum"};
    PAL_TRY(pal_scene_check_selection(reader, &selection, &count));
    def->patch = pal_tree_get(map, "patch")->number;
    def->largest = pal_tree_get(map, "largest")->number;
    PAL_TRY(pal_scene_number(reader, map, "tolerance", &def->tolerance));
    PAL_TRY(read_directions(reader, map, def));
    PAL_TRY(pal_scene_word(reader, map, "method", &method));
    if (!pal_vademecum_method_find(method, &def->method))
        return PAL_SCENE_FAIL(reader, pal_tree_get(map, "method"), "unknown method %s", method);
    PAL_TRY(read_counts(reader, map, def));
    const PalBodyDef *body = &scene->body_defs[def->body_index];
    if (body->element != PAL_ELEMENT_T4)
        return PAL_SCENE_FAIL(reader, pal_tree_get(map, "body"),
                              "body %s has the element %s, expected a body of t4 for a vademecum",
                              pal_quoted(body->name).text, pal_element_name(body->element));
    PAL_TRY(check_sites(reader, map, def));
    scene->has_vademecum = true;
    return PAL_OK;
}

const PalVademecumDef *pal_scene_vademecum(const PalScene *scene)
{
    return scene->has_vademecum ? &scene->vademecum : NULL;
}

uint64_t pal_scene_vademecum_identity(const PalScene *scene)
{
    uint64_t hash = pal_hash(PAL_HASH_START, scene->resolved, strlen(scene->resolved));
    for (int32_t b = 0; b < scene->sim.model.body_count; ++b) {
        const PalMesh *mesh = scene->bodies[b].mesh;
        size_t corners = (size_t)mesh->cell_count * (size_t)pal_cell_node_count(mesh->cell_kind);
        hash = pal_hash_words(hash, mesh->nodes, (size_t)mesh->node_count * sizeof *mesh->nodes);
        hash = pal_hash(hash, mesh->cells, corners * sizeof *mesh->cells);
    }
    return hash;
}
