// The conditions of a scene, with their selections and ramps.
#include "math/vec3.h"
#include "scene/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- ramps ------------------------------------------------------------------------------------

static PalStatus read_table(PalSceneReader *reader, const PalTreeNode *list, PalRamp *ramp)
{
    double(*points)[2] = pal_tree_alloc(reader->tree, (size_t)list->count, sizeof *points);
    if (points == NULL)
        return pal_tree_no_memory(reader->error);
    for (int32_t i = 0; i < list->count; ++i) {
        const PalTreeNode *row = list->items[i].value;
        points[i][0] = row->items[0].value->number;
        points[i][1] = row->items[1].value->number;
        if (i > 0 && !(points[i][0] > points[i - 1][0]))
            return PAL_SCENE_FAIL(reader, row,
                                  "time %g comes after %g in the ramp, expected "
                                  "ascending times",
                                  points[i][0], points[i - 1][0]);
    }
    ramp->kind = PAL_RAMP_TABLE;
    ramp->point_count = list->count;
    ramp->points = (const double(*)[2])points;
    return PAL_OK;
}

PalStatus pal_scene_read_ramp(PalSceneReader *reader, PalTreeNode *map, PalRampKind standard,
                              PalRamp *ramp)
{
    const PalTreeNode *node = pal_tree_get(map, "ramp"), *from = pal_tree_get(map, "from");
    *ramp = (PalRamp){.kind = standard};
    if (node != NULL && node->kind == PAL_TREE_LIST) {
        PAL_TRY(read_table(reader, node, ramp));
    } else {
        const char *word = pal_ramp_name(standard);
        PAL_TRY(pal_scene_word(reader, map, "ramp", &word));
        if (!pal_ramp_find(word, &ramp->kind))
            return PAL_SCENE_FAIL(reader, node, "unknown ramp %s", word);
    }
    if (ramp->kind != PAL_RAMP_STEP && ramp->kind != PAL_RAMP_TABLE) {
        bool hold = true;
        ramp->until = reader->span;
        PAL_TRY(pal_scene_number(reader, map, "from", &ramp->from));
        PAL_TRY(pal_scene_number(reader, map, "until", &ramp->until));
        PAL_TRY(pal_scene_flag(reader, map, "hold", &hold));
        ramp->onward = !hold;
    }
    static const char *const times[] = {"from", "until", "hold"};
    for (int i = 0; i < 3 && (ramp->kind == PAL_RAMP_STEP || ramp->kind == PAL_RAMP_TABLE); ++i) {
        const PalTreeNode *given = pal_tree_get(map, times[i]);
        if (given == NULL)
            continue;
        return PAL_SCENE_FAIL(
            reader, given, "%s has no effect with %s, expected ramp: linear, smooth or hilly",
            times[i], ramp->kind == PAL_RAMP_STEP ? "ramp: step" : "a table of times");
    }
    PalError inner = {0};
    if (pal_ramp_validate(ramp, &inner) != PAL_OK)
        return PAL_SCENE_FAIL(reader,
                              from != NULL   ? from
                              : node != NULL ? node
                                             : map,
                              "%s", inner.text);
    return PAL_OK;
}

// ---- selections -------------------------------------------------------------------------------

static PalStatus read_plane(PalSceneReader *reader, const PalTreeNode *node, PalWhere *where)
{
    if (node->kind == PAL_TREE_SCALAR) {  // x-min ... z-max
        where->kind = PAL_WHERE_SIDE;
        where->axis = node->text[0] - 'x';
        where->highest = strcmp(node->text + 1, "-max") == 0;
        return PAL_OK;
    }
    where->kind = PAL_WHERE_PLANE;
    where->point = pal_scene_as_vector(pal_tree_get(node, "point"));
    where->normal = pal_scene_as_vector(pal_tree_get(node, "normal"));
    if (where->normal.x == 0 && where->normal.y == 0 && where->normal.z == 0)
        return PAL_SCENE_FAIL(reader, pal_tree_get(node, "normal"),
                              "normal is zero, expected a direction");
    return PAL_OK;
}

static PalStatus read_box(PalSceneReader *reader, const PalTreeNode *node, PalWhere *where)
{
    bool map = node->kind == PAL_TREE_MAP;
    if (!map && node->count != 2)
        return PAL_SCENE_FAIL(reader, node,
                              "box is a list of %d, expected two corners: lowest and "
                              "highest",
                              (int)node->count);
    const PalTreeNode *lower = map ? pal_tree_get(node, "min") : node->items[0].value;
    const PalTreeNode *upper = map ? pal_tree_get(node, "max") : node->items[1].value;
    where->kind = PAL_WHERE_BOX;
    where->box = (PalBounds){pal_scene_as_vector(lower), pal_scene_as_vector(upper)};
    for (int i = 0; i < 3; ++i)
        if (lower->items[i].value->number > upper->items[i].value->number)
            return PAL_SCENE_FAIL(reader, upper,
                                  "the box's %c goes from %g to %g, expected the lower "
                                  "corner first",
                                  "xyz"[i], lower -> items[i].value->number,
                                  upper->items[i].value->number);
    return PAL_OK;
}

static PalStatus read_kind(PalSceneReader *reader, PalTreeNode *map, PalWhere *where)
{
    const PalTreeNode *node;
    if ((node = pal_tree_get(map, "plane")) != NULL)
        return read_plane(reader, node, where);
    if ((node = pal_tree_get(map, "box")) != NULL)
        return read_box(reader, node, where);
    if ((node = pal_tree_get(map, "sphere")) != NULL) {
        where->kind = PAL_WHERE_SPHERE;
        where->point = pal_scene_as_vector(pal_tree_get(node, "centre"));
        where->radius = pal_tree_get(node, "radius")->number;
    } else if ((node = pal_tree_get(map, "point")) != NULL) {
        where->kind = PAL_WHERE_POINT;
        where->point = pal_scene_as_vector(node);
    } else if ((node = pal_tree_get(map, "group")) != NULL) {
        where->kind = PAL_WHERE_GROUP;
        where->group = node->text;
    } else {
        return pal_scene_read_further(reader, map, where);
    }
    return PAL_OK;
}

PalStatus pal_scene_read_part(PalSceneReader *reader, PalTreeNode *map, PalWhere *where)
{
    *where = pal_where_all();
    PAL_TRY(read_kind(reader, map, where));
    const PalTreeNode *tolerance = pal_tree_get(map, "tolerance");
    if (where->kind == PAL_WHERE_SIDE || where->kind == PAL_WHERE_PLANE)
        return pal_scene_number(reader, map, "tolerance", &where->tolerance);
    if (tolerance != NULL)
        return PAL_SCENE_FAIL(reader, tolerance,
                              "tolerance has no effect without plane, expected a plane");
    return PAL_OK;
}

PalStatus pal_scene_read_where(PalSceneReader *reader, PalTreeNode *owner, PalWhere *where)
{
    const char *all = "all";
    PalTreeNode *map = pal_tree_get(owner, "where");
    *where = pal_where_all();
    if (map == NULL || map->kind == PAL_TREE_SCALAR)
        return pal_scene_word(reader, owner, "where", &all);
    return pal_scene_read_part(reader, map, where);
}

static void describe_where(const PalWhere *where, char *text, size_t size)
{
    const PalVec3 p = where->point;
    switch (where->kind) {
    case PAL_WHERE_SIDE:
        snprintf(text, size, "plane %c-%s", "xyz"[where->axis], where -> highest ? "max" : "min");
        break;
    case PAL_WHERE_PLANE:
        snprintf(text, size, "the plane through (%g, %g, %g) with normal (%g, %g, %g)", p.x, p.y,
                 p.z, where->normal.x, where->normal.y, where->normal.z);
        break;
    case PAL_WHERE_BOX:
        snprintf(text, size, "the box (%g, %g, %g) to (%g, %g, %g)", where->box.lower.x,
                 where->box.lower.y, where->box.lower.z, where->box.upper.x, where->box.upper.y,
                 where->box.upper.z);
        break;
    case PAL_WHERE_SPHERE:
        snprintf(text, size, "the sphere of radius %g about (%g, %g, %g)", where->radius, p.x, p.y,
                 p.z);
        break;
    case PAL_WHERE_GROUP:
        snprintf(text, size, "group %s", pal_quoted(where->group).text);
        break;
    case PAL_WHERE_POINT:
        snprintf(text, size, "point (%g, %g, %g)", p.x, p.y, p.z);
        break;
    case PAL_WHERE_ALL:
        snprintf(text, size, "all");
        break;
    default:
        pal_scene_describe_further(where, text, size);
    }
}

// Groups that the selection or one of its parts names, which stands at `map`.
static PalStatus find_group(PalSceneReader *reader, const PalTreeNode *map, const PalWhere *where,
                            const PalMesh *mesh, const char *body_name)
{
    enum { MOST = 64 };
    for (int32_t p = 0; p < where->part_count; ++p)
        PAL_TRY(find_group(reader, pal_scene_part_at(map, p), &where->parts[p], mesh, body_name));
    const char *name = where->group;
    if (where->kind != PAL_WHERE_GROUP || pal_mesh_find_group(mesh, name) != NULL)
        return PAL_OK;
    const char *known[MOST];
    int32_t count = 0;
    for (; count < mesh->group_count && count < MOST; ++count)
        known[count] = mesh->groups[count].name;
    return PAL_SCENE_FAIL(reader, pal_tree_get(map, "group"), "body %s has no group %s, %s",
                          pal_quoted(body_name).text, pal_quoted(name).text,
                          pal_advise(name, known, count).text);
}

static PalStatus count_selected(PalSceneReader *reader, PalSceneBody *body, const PalWhere *where,
                                bool facets, int32_t *count)
{
    int32_t *items = NULL;
    if (facets && body->surface == NULL)
        PAL_TRY(pal_mesh_boundary(body->mesh, &body->surface, reader->error));
    PalStatus status =
        facets
            ? pal_mesh_select_facets(body->mesh, body->surface, where, &items, count, reader->error)
            : pal_mesh_select_nodes(body->mesh, where, &items, count, reader->error);
    free(items);
    return status;
}

PalStatus pal_scene_check_selection(PalSceneReader *reader, const PalSceneSelection *selection,
                                    int32_t *node_count)
{
    const PalWhere *where = selection->where;
    PalSceneBody *body = &reader->scene->bodies[selection->body_index];
    const char *body_name = reader->scene->body_defs[selection->body_index].name;
    PAL_TRY(
        find_group(reader, pal_tree_get(selection->owner, "where"), where, body->mesh, body_name));
    int32_t facet_count = 1;
    PAL_TRY(count_selected(reader, body, where, false, node_count));
    if (selection->facets)
        PAL_TRY(count_selected(reader, body, where, true, &facet_count));
    if (*node_count > 0 && facet_count > 0)
        return PAL_OK;
    char text[200];
    describe_where(where, text, sizeof text);
    PalBounds bounds = pal_mesh_bounds(body->mesh);
    return PAL_SCENE_FAIL(reader, pal_tree_get(selection->owner, "where"),
                          "%s selects no %s of body %s: %s; expected some, the body spans "
                          "(%g, %g, %g) to (%g, %g, %g)",
                          selection->what, *node_count == 0 ? "node" : "facet of the surface",
                          pal_quoted(body_name).text, text, bounds.lower.x, bounds.lower.y,
                          bounds.lower.z, bounds.upper.x, bounds.upper.y, bounds.upper.z);
}

// ---- conditions -------------------------------------------------------------------------------

static const char *condition_word(PalConditionKind kind)
{
    return pal_key_one_of(&pal_condition_keys, 1, (int32_t)kind)->name;
}

static PalStatus read_fix(PalSceneReader *reader, const PalTreeNode *node, PalConditionDef *def)
{
    for (const char *c = node->text; *c != '\0'; ++c) {
        int axis = *c - 'x';
        if (axis < 0 || axis > 2 || def->axes[axis])
            return PAL_SCENE_FAIL(reader, node,
                                  "fix is %s, expected some of the letters x, y, z, each "
                                  "once",
                                  pal_quoted(node->text).text);
        def->axes[axis] = true;
    }
    return PAL_OK;
}

static PalStatus read_displace(PalSceneReader *reader, const PalTreeNode *node,
                               PalConditionDef *def)
{
    double numbers[3] = {0};
    bool any = false;
    for (int i = 0; i < 3; ++i) {
        const PalTreeNode *entry = node->items[i].value;
        def->axes[i] = entry->is_number;
        numbers[i] = entry->is_number ? entry->number : 0;
        any = any || entry->is_number;
    }
    def->value = (PalVec3){numbers[0], numbers[1], numbers[2]};
    return any ? PAL_OK
               : PAL_SCENE_FAIL(reader, node,
                                "displace leaves every axis free, expected a number "
                                "for at least one");
}

static PalStatus read_rotate(PalSceneReader *reader, PalTreeNode *map, PalConditionDef *def)
{
    PalVec3 axis;
    PAL_TRY(pal_scene_read_axis(reader, map, &axis));
    PAL_TRY(pal_scene_vector(reader, map, "about", &def->centre));
    double radians = pal_tree_get(map, "degrees")->number * PAL_DEGREE;
    def->value = pal_vec3_scale(radians / pal_vec3_length(axis), axis);
    def->axes[0] = def->axes[1] = def->axes[2] = true;
    return PAL_OK;
}

static PalStatus read_value(PalSceneReader *reader, PalTreeNode *map, PalConditionDef *def)
{
    const PalTreeNode *node = pal_tree_get(map, condition_word(def->kind));
    switch (def->kind) {
    case PAL_CONDITION_FIX:
        return read_fix(reader, node, def);
    case PAL_CONDITION_DISPLACE:
        return read_displace(reader, node, def);
    case PAL_CONDITION_PRESSURE:
        def->pressure = node->number;
        return PAL_OK;
    case PAL_CONDITION_FORCE:
        def->value = pal_scene_as_vector(node);
        return pal_scene_flag(reader, map, "each", &def->each);
    case PAL_CONDITION_TRACTION:
    case PAL_CONDITION_GRAVITY:
        def->value = pal_scene_as_vector(node);
        return PAL_OK;
    case PAL_CONDITION_ROTATE:
        return read_rotate(reader, pal_tree_get(map, "rotate"), def);
    case PAL_CONDITION_ATTACH:
        return pal_scene_find_body(reader, node, &def->other_body);
    }
    return PAL_OK;
}

// Keys that mean nothing for this kind of condition.
static PalStatus check_fitting(PalSceneReader *reader, const PalTreeNode *map,
                               PalConditionKind kind)
{
    const char *word = condition_word(kind);
    bool weighs = kind == PAL_CONDITION_DISPLACE || kind == PAL_CONDITION_FORCE;
    bool constant = kind == PAL_CONDITION_FIX || kind == PAL_CONDITION_ATTACH;
    const char *const absent[] = {constant ? "ramp" : NULL,
                                  constant ? "until" : NULL,
                                  constant ? "hold" : NULL,
                                  constant ? "from" : NULL,
                                  kind != PAL_CONDITION_FORCE ? "each" : NULL,
                                  kind != PAL_CONDITION_FORCE ? "patch" : NULL,
                                  weighs ? NULL : "weights",
                                  kind != PAL_CONDITION_FIX ? "clamp" : NULL};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; ++i) {
        const PalTreeItem *item = absent[i] != NULL ? pal_tree_find(map, absent[i]) : NULL;
        if (item != NULL)
            return pal_tree_fail_at(reader->tree, item, reader->error,
                                    "%s has no effect with %s, expected a condition without it",
                                    absent[i], word);
    }
    const PalTreeItem *where = pal_tree_find(map, "where");
    if (kind == PAL_CONDITION_GRAVITY && where != NULL && pal_tree_get(map, "body") == NULL)
        return pal_tree_fail_at(reader->tree, where, reader->error,
                                "where is given without body, expected the name of a body");
    const char *const needed[] = {"body", "where"};
    size_t count = pal_tree_get(map, "patch") != NULL ? 1 : 2;
    for (size_t i = 0; i < count && kind != PAL_CONDITION_GRAVITY; ++i)
        if (pal_tree_get(map, needed[i]) == NULL)
            return PAL_SCENE_FAIL(reader, map, "%s without %s, expected %s", word, needed[i],
                                  i == 0 ? "the name of a body" : "where it applies");
    return PAL_OK;
}

static PalStatus read_weights(PalSceneReader *reader, const PalTreeNode *map, int32_t node_count,
                              PalConditionDef *def)
{
    const PalTreeNode *list = pal_tree_get(map, "weights");
    if (list == NULL)
        return PAL_OK;
    if (def->kind == PAL_CONDITION_FORCE && !def->each)
        return PAL_SCENE_FAIL(reader, list,
                              "weights are given for a force that is shared, expected each: true");
    if (list->count != node_count)
        return PAL_SCENE_FAIL(reader, list,
                              "%d weights for %d selected nodes, expected one for each",
                              (int)list->count, (int)node_count);
    double *weights = pal_tree_alloc(reader->tree, (size_t)node_count, sizeof *weights);
    if (weights == NULL)
        return pal_tree_no_memory(reader->error);
    for (int32_t i = 0; i < node_count; ++i)
        weights[i] = list->items[i].value->number;
    def->weights = weights;
    def->weight_count = node_count;
    return PAL_OK;
}

// Where each step is an equilibrium, what is to be borne grows evenly.
static PalRampKind standard_ramp(const PalScene *scene, bool gravity)
{
    PalMethod method = scene->sim.solver.method;
    if (pal_method_is_implicit(method) && !pal_method_in_time(method))
        return PAL_RAMP_LINEAR;
    return gravity ? PAL_RAMP_STEP : PAL_RAMP_SMOOTH;
}

static PalStatus read_clamp(PalSceneReader *reader, PalTreeNode *map, PalConditionDef *def)
{
    const PalTreeNode *node = pal_tree_get(map, "clamp");
    if (node == NULL)
        return PAL_OK;
    PAL_TRY(pal_scene_flag(reader, map, "clamp", &def->clamps));
    PalElementKind element = reader->scene->body_defs[def->body_index].element;
    if (def->clamps && !pal_element_traits(element)->bends)
        return PAL_SCENE_FAIL(reader, node,
                              "clamp has no effect with element %s, which does not bend, expected "
                              "ebst",
                              pal_element_name(element));
    if (def->clamps && def->axes[0] + def->axes[1] + def->axes[2] == 2)
        return PAL_SCENE_FAIL(reader, node,
                              "clamp with two axes fixed, expected fix: xyz, or one axis in a "
                              "plane of symmetry");
    return PAL_OK;
}

// No body may be called so: contact means all of them. Gravity acts on all where none is named.
static PalStatus find_loaded(PalSceneReader *reader, const PalTreeNode *name, PalConditionDef *def)
{
    if (def->kind == PAL_CONDITION_GRAVITY && strcmp(name->text, "all") == 0)
        return PAL_SCENE_FAIL(reader, name,
                              "no body is called \"all\", expected no body here: gravity then acts "
                              "on every one");
    return pal_scene_find_body(reader, name, &def->body_index);
}

static PalStatus read_condition(PalSceneReader *reader, PalTreeNode *map, int32_t index)
{
    PalScene *scene = reader->scene;
    PalConditionDef *def = &scene->condition_defs[index];
    *def = pal_condition_def_default();
    memset(def->axes, 0, sizeof def->axes);
    def->kind = (PalConditionKind)pal_key_given(map, &pal_condition_keys, 1);
    PAL_TRY(check_fitting(reader, map, def->kind));
    PAL_TRY(read_value(reader, map, def));
    def->body_index = PAL_NONE;
    const PalTreeNode *body = pal_tree_get(map, "body");
    if (body != NULL)
        PAL_TRY(find_loaded(reader, body, def));
    if (def->kind == PAL_CONDITION_ATTACH && def->other_body == def->body_index)
        return PAL_SCENE_FAIL(reader, pal_tree_get(map, "attach"),
                              "a body is attached to itself, expected another one");
    bool gravity = def->kind == PAL_CONDITION_GRAVITY;
    if (def->kind != PAL_CONDITION_FIX && def->kind != PAL_CONDITION_ATTACH)
        PAL_TRY(pal_scene_read_ramp(reader, map, standard_ramp(scene, gravity), &def->ramp));
    char place[512], what[64];
    pal_tree_place(reader->tree, map, place, sizeof place);
    scene->condition_places[index] = pal_tree_text(reader->tree, place, strlen(place));
    if (scene->condition_places[index] == NULL)
        return pal_tree_no_memory(reader->error);
    if (gravity && pal_tree_get(map, "where") == NULL)
        return PAL_OK;
    if (pal_tree_get(map, "patch") != NULL)
        return pal_scene_read_patch(reader, map, def, &scene->condition_node_counts[index]);
    PAL_TRY(pal_scene_read_where(reader, map, &def->where));
    snprintf(what, sizeof what, "conditions.%d (%s)", (int)index, condition_word(def->kind));
    PAL_TRY(read_clamp(reader, map, def));
    bool facets = def->kind == PAL_CONDITION_PRESSURE || def->kind == PAL_CONDITION_TRACTION;
    PalSceneSelection selection = {map, &def->where, def->body_index, facets, what};
    PAL_TRY(pal_scene_check_selection(reader, &selection, &scene->condition_node_counts[index]));
    return read_weights(reader, map, scene->condition_node_counts[index], def);
}

PalStatus pal_scene_read_conditions(PalSceneReader *reader, PalTreeNode *list)
{
    PalScene *scene = reader->scene;
    size_t count = (size_t)list->count;
    scene->condition_defs = pal_tree_alloc(reader->tree, count, sizeof(PalConditionDef));
    scene->condition_places = pal_tree_alloc(reader->tree, count, sizeof(char *));
    scene->condition_node_counts = pal_tree_alloc(reader->tree, count, sizeof(int32_t));
    if (scene->condition_defs == NULL || scene->condition_places == NULL ||
        scene->condition_node_counts == NULL)
        return pal_tree_no_memory(reader->error);
    for (int32_t i = 0; i < list->count; ++i)
        PAL_TRY(read_condition(reader, list->items[i].value, i));
    scene->sim.model.conditions = scene->condition_defs;
    scene->sim.model.condition_count = list->count;
    return PAL_OK;
}
