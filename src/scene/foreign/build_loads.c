// Conditions, rigid bodies and contact of the scene.
#include "scene/foreign/model.h"

#include <math.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180)

// ---- conditions -------------------------------------------------------------------------------

bool pal_foreign_put_ramp(PalForeign *model, PalTreeNode *map, int32_t curve_index)
{
    if (curve_index == PAL_NONE)
        return pal_foreign_put_text(model, map, "ramp", model->dynamic ? "step" : "linear");
    const PalForeignCurve *curve = &model->curves.items[curve_index];
    PalTreeNode *list = pal_foreign_new(model, PAL_TREE_LIST, curve->line);
    bool done = pal_foreign_put(model, map, "ramp", list);
    for (int32_t i = 0; i + 1 < curve->points.count && done; i += 2) {
        PalTreeNode *pair = pal_foreign_new(model, PAL_TREE_LIST, curve->line);
        done = pal_foreign_put(model, list, NULL, pair) &&
               pal_foreign_put_number(model, pair, NULL, curve->points.items[i]) &&
               pal_foreign_put_number(model, pair, NULL, curve->points.items[i + 1]);
    }
    return done;
}

static bool put_fix(PalForeign *model, PalTreeNode *map, const PalForeignCondition *condition)
{
    char axes[4] = "";
    for (int i = 0, used = 0; i < 3; ++i)
        if (condition->axes[i])
            axes[used++] = "xyz"[i];
    return pal_foreign_put_text(model, map, "fix", axes);
}

static bool put_displace(PalForeign *model, PalTreeNode *map, const PalForeignCondition *condition)
{
    PalTreeNode *list = pal_foreign_new(model, PAL_TREE_LIST, condition->line);
    bool done = pal_foreign_put(model, map, "displace", list);
    for (int i = 0; i < 3 && done; ++i)
        done = condition->axes[i] ? pal_foreign_put_number(model, list, NULL, condition->value[i])
                                  : pal_foreign_put_text(model, list, NULL, "null");
    return done && pal_foreign_put_ramp(model, map, condition->curve);
}

static bool put_value(PalForeign *model, PalTreeNode *map, const PalForeignCondition *condition)
{
    switch (condition->kind) {
    case PAL_FOREIGN_FIX:
        return put_fix(model, map, condition);
    case PAL_FOREIGN_DISPLACE:
        return put_displace(model, map, condition);
    case PAL_FOREIGN_FORCE:
        return pal_foreign_put_vector(model, map, "force", condition->value) &&
               pal_foreign_put_text(model, map, "each", "true") &&
               pal_foreign_put_ramp(model, map, condition->curve);
    case PAL_FOREIGN_PRESSURE:
        return pal_foreign_put_number(model, map, "pressure", condition->value[0]) &&
               pal_foreign_put_ramp(model, map, condition->curve);
    case PAL_FOREIGN_TRACTION:
        return pal_foreign_put_vector(model, map, "traction", condition->value) &&
               pal_foreign_put_ramp(model, map, condition->curve);
    default:
        return pal_foreign_put_vector(model, map, "gravity", condition->value) &&
               pal_foreign_put_ramp(model, map, condition->curve);
    }
}

static bool needs_faces(PalForeignKind kind)
{
    return kind == PAL_FOREIGN_PRESSURE || kind == PAL_FOREIGN_TRACTION;
}

static bool has_node_of_cells(const PalForeign *model, const PalMesh *mesh, const PalGroup *group)
{
    if (model->parts.count > 1 || model->rigids.count > 0 || model->contacts.count > 0)
        return group->node_count > 0;  // parts have no other nodes
    for (int32_t i = 0; i < group->node_count; ++i)
        if (group->nodes[i] < mesh->node_count && model->node_part[group->nodes[i]] != PAL_NONE)
            return true;
    return false;
}

static bool acts_on(const PalForeign *model, const PalForeignCondition *condition,
                    const PalMesh *mesh)
{
    if (condition->group == NULL)
        return true;
    const PalGroup *group = pal_mesh_find_group(mesh, condition->group);
    if (group == NULL)
        return false;
    return needs_faces(condition->kind) ? group->face_count > 0
                                        : has_node_of_cells(model, mesh, group);
}

static bool put_condition(PalForeign *model, PalTreeNode *list,
                          const PalForeignCondition *condition, const PalForeignPart *part)
{
    PalTreeNode *map = pal_foreign_new(model, PAL_TREE_MAP, condition->line);
    bool done = pal_foreign_put(model, list, NULL, map) &&
                pal_foreign_put_name(model, map, "body", part->name);
    if (condition->group != NULL) {
        PalTreeNode *where = pal_foreign_new(model, PAL_TREE_MAP, condition->line);
        done = done && pal_foreign_put(model, map, "where", where) &&
               pal_foreign_put_name(model, where, "group", condition->group);
    }
    return done && put_value(model, map, condition);
}

// What holds nodes without elements holds nothing; a load on them goes nowhere.
static PalStatus tell_of_nothing(PalForeign *model, const PalForeignCondition *condition)
{
    bool held = condition->kind == PAL_FOREIGN_FIX || condition->kind == PAL_FOREIGN_DISPLACE;
    if (!held)
        return pal_foreign_lose(
            model, condition->line, "a load on %s, of which no soft element has %s, expected some",
            pal_quoted(condition->group).text, needs_faces(condition->kind) ? "faces" : "nodes");
    pal_foreign_warn(model, condition->line,
                     "%s holds no node of an element; this condition has no effect",
                     pal_quoted(condition->group).text);
    return PAL_OK;
}

PalStatus pal_foreign_build_conditions(PalForeign *model, PalTreeNode *root)
{
    PalTreeNode *list = pal_foreign_new(model, PAL_TREE_LIST, 1);
    bool done = pal_foreign_put(model, root, "conditions", list);
    for (int32_t i = 0; i < model->conditions.count && done; ++i) {
        const PalForeignCondition *condition = &model->conditions.items[i];
        bool acts = false;
        for (int32_t p = 0; p < model->parts.count && done; ++p) {
            const PalForeignPart *part = &model->parts.items[p];
            if (!acts_on(model, condition, part->mesh))
                continue;
            acts = true;
            done = put_condition(model, list, condition, part);
        }
        if (done && !acts)
            PAL_TRY(tell_of_nothing(model, condition));
    }
    return done ? PAL_OK : pal_foreign_no_memory(model);
}

// ---- rigid bodies -----------------------------------------------------------------------------

static bool is_free(const PalForeignRigid *rigid)
{
    for (int i = 0; i < PAL_FOREIGN_FREEDOMS; ++i)
        if (rigid->given[i])
            return false;
    return true;
}

// Nodes that go along: only translations are the same for all of them.
PalStatus pal_foreign_attach(PalForeign *model)
{
    for (int32_t i = 0; i < model->attachments.count; ++i) {
        const PalForeignAttachment *attachment = &model->attachments.items[i];
        const PalForeignRigid *rigid = &model->rigids.items[attachment->rigid];
        bool led = true, turns = false;
        for (int f = 0; f < PAL_FOREIGN_FREEDOMS; ++f) {
            led = led && rigid->given[f];
            turns = turns || (f >= 3 && rigid->given[f] && rigid->value[f] != 0);
        }
        if (!led || turns) {
            PAL_TRY(pal_foreign_lose(model, attachment->line,
                                     "soft nodes go along with the rigid body %s, which %s; "
                                     "expected one whose translations are all given and that does "
                                     "not turn",
                                     pal_quoted(rigid->name).text, turns ? "turns" : "is free"));
            continue;
        }
        for (int axis = 0; axis < 3; ++axis) {
            bool moved = rigid->value[axis] != 0;
            PalForeignCondition condition = {
                .kind = moved ? PAL_FOREIGN_DISPLACE : PAL_FOREIGN_FIX,
                .line = attachment->line,
                .group = attachment->group,
                .curve = moved ? rigid->curve[axis] : PAL_NONE,
            };
            condition.axes[axis] = true;
            condition.value[axis] = rigid->value[axis];
            if (!pal_array_push(&model->conditions, condition))
                return pal_foreign_no_memory(model);
        }
    }
    return PAL_OK;
}

static bool put_translation(PalForeign *model, PalTreeNode *list, const PalForeignRigid *rigid,
                            int axis)
{
    PalTreeNode *motion = pal_foreign_new(model, PAL_TREE_MAP, rigid->line);
    double translate[3] = {0};
    translate[axis] = rigid->value[axis];
    return pal_foreign_put(model, list, NULL, motion) &&
           pal_foreign_put_vector(model, motion, "translate", translate) &&
           pal_foreign_put_ramp(model, motion, rigid->curve[axis]);
}

// A rotation vector: its direction is the axis, its length the angle.
static bool put_rotation(PalForeign *model, PalTreeNode *list, const PalForeignRigid *rigid)
{
    const double *turn = rigid->value + 3;
    int first = turn[0] != 0 ? 3 : turn[1] != 0 ? 4 : 5;
    double angle = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    const double about[3] = {rigid->centre.x, rigid->centre.y, rigid->centre.z};
    PalTreeNode *motion = pal_foreign_new(model, PAL_TREE_MAP, rigid->line);
    PalTreeNode *rotate = pal_foreign_new(model, PAL_TREE_MAP, rigid->line);
    if (angle == 0)
        return true;
    return pal_foreign_put(model, list, NULL, motion) &&
           pal_foreign_put(model, motion, "rotate", rotate) &&
           pal_foreign_put_vector(model, rotate, "axis", turn) &&
           pal_foreign_put_number(model, rotate, "degrees", angle / DEGREE) &&
           pal_foreign_put_vector(model, rotate, "about", about) &&
           pal_foreign_put_ramp(model, motion, rigid->curve[first]);
}

// What cannot be said of a rigid body that is told where to go.
static PalStatus check_led(PalForeign *model, const PalForeignRigid *rigid)
{
    static const char *const names[] = {"x", "y", "z", "turn of x", "turn of y", "turn of z"};
    for (int i = 0; i < PAL_FOREIGN_FREEDOMS; ++i)
        if (!rigid->given[i])
            PAL_TRY(
                pal_foreign_lose(model, rigid->line,
                                 "the rigid body %s is free in %s only, expected all of its six "
                                 "freedoms held or moved, or none",
                                 pal_quoted(rigid->name).text, names[i]));
    int32_t first = PAL_NONE;
    for (int i = 3; i < PAL_FOREIGN_FREEDOMS; ++i) {
        if (rigid->value[i] == 0)
            continue;
        if (first != PAL_NONE && rigid->curve[i] != rigid->curve[first])
            return pal_foreign_fail(model, rigid->line,
                                    "the rigid body %s turns about several axes with several "
                                    "curves, expected one",
                                    pal_quoted(rigid->name).text);
        first = i;
    }
    if (rigid->pushed)
        PAL_TRY(pal_foreign_lose(model, rigid->line,
                                 "a force on the rigid body %s, whose freedoms are given; expected "
                                 "a free one",
                                 pal_quoted(rigid->name).text));
    return PAL_OK;
}

static PalStatus put_led(PalForeign *model, PalTreeNode *map, const PalForeignRigid *rigid)
{
    PAL_TRY(check_led(model, rigid));
    PalTreeNode *list = pal_foreign_new(model, PAL_TREE_LIST, rigid->line);
    bool done = list != NULL;
    for (int axis = 0; axis < 3 && done; ++axis)
        if (rigid->value[axis] != 0)
            done = put_translation(model, list, rigid, axis);
    done = done && put_rotation(model, list, rigid);
    if (done && list->count > 0)
        done = pal_foreign_put(model, map, "motion", list);
    return done ? PAL_OK : pal_foreign_no_memory(model);
}

static PalStatus put_free(PalForeign *model, PalTreeNode *map, const PalForeignRigid *rigid)
{
    if (!model->dynamic)
        PAL_TRY(pal_foreign_lose(model, rigid->line,
                                 "the rigid body %s is free in a static analysis, expected its "
                                 "freedoms held or moved",
                                 pal_quoted(rigid->name).text));
    if (!(rigid->density > 0))
        return pal_foreign_fail(model, rigid->line,
                                "the rigid body %s is free and has no density, expected one",
                                pal_quoted(rigid->name).text);
    bool done = pal_foreign_put_number(model, map, "density", rigid->density);
    if (rigid->pushed)
        done = done && pal_foreign_put_vector(model, map, "force", rigid->push) &&
               pal_foreign_put_vector(model, map, "torque", rigid->push + 3) &&
               pal_foreign_put_ramp(model, map, rigid->push_curve);
    return done ? PAL_OK : pal_foreign_no_memory(model);
}

PalStatus pal_foreign_build_rigids(PalForeign *model, PalTreeNode *root)
{
    if (model->rigids.count == 0)
        return PAL_OK;
    PalTreeNode *list = pal_foreign_new(model, PAL_TREE_LIST, model->rigids.items[0].line);
    if (!pal_foreign_put(model, root, "rigid", list))
        return pal_foreign_no_memory(model);
    for (int32_t r = 0; r < model->rigids.count; ++r) {
        const PalForeignRigid *rigid = &model->rigids.items[r];
        PalTreeNode *map = pal_foreign_new(model, PAL_TREE_MAP, rigid->line);
        if (!pal_foreign_put(model, list, NULL, map) ||
            !pal_foreign_put_name(model, map, "name", rigid->name) ||
            !pal_foreign_put_name(model, map, "surface", rigid->file))
            return pal_foreign_no_memory(model);
        PAL_TRY(is_free(rigid) ? put_free(model, map, rigid) : put_led(model, map, rigid));
    }
    return PAL_OK;
}
