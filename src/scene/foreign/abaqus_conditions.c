// *AMPLITUDE, *BOUNDARY, *CLOAD, *DSLOAD and gravity.
#include "scene/foreign/abaqus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static PalStatus read_amplitude(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    PalForeign *model = abaqus->model;
    PalToken name = pal_abaqus_parameter(keyword, "NAME"), line, field;
    PalToken definition = pal_abaqus_parameter(keyword, "DEFINITION");
    if (name.size == 0)
        return pal_foreign_fail(model, keyword->line, "*AMPLITUDE without a name, expected NAME=");
    if (definition.size > 0 && !pal_token_is_like(definition, "TABULAR"))
        pal_foreign_warn(model, keyword->line,
                         "an amplitude of definition %s is taken as straight between its points",
                         pal_token_quote(definition).text);
    if (pal_token_is_like(pal_abaqus_parameter(keyword, "VALUE"), "ABSOLUTE"))
        return pal_foreign_fail(model, keyword->line,
                                "an amplitude of absolute values, expected relative ones");
    PalForeignCurve curve = {.line = keyword->line, .name = pal_abaqus_name(abaqus, name)};
    if (curve.name == NULL || !pal_array_push(&model->curves, curve))
        return pal_foreign_no_memory(model);
    PalForeignCurve *kept = &model->curves.items[model->curves.count - 1];
    while (pal_abaqus_data(abaqus, &line))
        while (pal_abaqus_field(&line, &field)) {
            double value;
            if (field.size == 0)
                continue;
            PAL_TRY(pal_abaqus_number(abaqus, field, &value));
            if (!pal_array_push(&kept->points, value))
                return pal_foreign_no_memory(model);
        }
    if (kept->points.count < 2 || kept->points.count % 2 != 0)
        return pal_foreign_fail(model, keyword->line,
                                "an amplitude of %d numbers, expected pairs of time and value",
                                (int)kept->points.count);
    return PAL_OK;
}

static PalStatus find_curve(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, int32_t *curve)
{
    PalToken name = pal_abaqus_parameter(keyword, "AMPLITUDE");
    *curve = PAL_NONE;
    if (name.size == 0)
        return PAL_OK;
    const char *text = pal_abaqus_name(abaqus, name);
    if (text == NULL)
        return pal_foreign_no_memory(abaqus->model);
    for (int32_t i = 0; i < abaqus->model->curves.count; ++i)
        if (pal_token_is_like((PalToken){text, strlen(text)},
                              abaqus->model->curves.items[i].name)) {
            *curve = i;
            return PAL_OK;
        }
    return pal_foreign_fail(abaqus->model, keyword->line,
                            "there is no amplitude %s, expected one defined before",
                            pal_quoted(text).text);
}

PalStatus pal_abaqus_end_nodes(PalAbaqus *abaqus)
{
    PalForeign *model = abaqus->model;
    PalForeignCondition *condition = &abaqus->pending;
    if (condition->line == 0)
        return PAL_OK;
    char name[48];
    snprintf(name, sizeof name, "nodes of line %d", (int)condition->line);
    PalGroup group = {.name = name,
                      .node_count = abaqus->pending_nodes.count,
                      .nodes = abaqus->pending_nodes.items};
    PAL_TRY(pal_mesh_add_group(model->mesh, &group, model->notes.error));
    condition->group = pal_foreign_text(model, name, strlen(name));
    if (condition->group == NULL || !pal_array_push(&model->conditions, *condition))
        return pal_foreign_no_memory(model);
    condition->line = 0;
    abaqus->pending_nodes.count = 0;
    return PAL_OK;
}

static bool is_same(const PalForeignCondition *a, const PalForeignCondition *b)
{
    return a->line != 0 && a->kind == b->kind && a->curve == b->curve &&
           memcmp(a->axes, b->axes, sizeof a->axes) == 0 && a->value[0] == b->value[0] &&
           a->value[1] == b->value[1] && a->value[2] == b->value[2];
}

// Nodes named one by one are collected while the same is said of them.
static PalStatus push_node(PalAbaqus *abaqus, const PalForeignCondition *condition, int64_t number)
{
    int32_t node = pal_id_map_find(&abaqus->node_ids, number);
    if (node == PAL_NONE)
        return pal_foreign_fail(abaqus->model, abaqus->data_line, "there is no node %lld",
                                (long long)number);
    if (!is_same(&abaqus->pending, condition)) {
        PAL_TRY(pal_abaqus_end_nodes(abaqus));
        abaqus->pending = *condition;
    }
    return pal_array_push(&abaqus->pending_nodes, node) ? PAL_OK
                                                        : pal_foreign_no_memory(abaqus->model);
}

// On a set, or on the node of a number, possibly after the name of an instance and a point.
static PalStatus push_on(PalAbaqus *abaqus, PalForeignCondition *condition, PalToken field)
{
    PalForeign *model = abaqus->model;
    const char *end = field.text + field.size, *start = field.text;
    for (const char *c = field.text; c < end; ++c)
        if (*c == '.')
            start = c + 1;
    PalToken last = {start, (size_t)(end - start)};
    int64_t number;
    if (last.size > 0 && pal_parse_int(last.text, end, &number) == end)
        return push_node(abaqus, condition, number);
    const char *name = pal_abaqus_name(abaqus, field), *inner = pal_abaqus_name(abaqus, last);
    if (name == NULL || inner == NULL)
        return pal_foreign_no_memory(model);
    bool whole = false;
    for (int32_t g = 0; g < model->mesh->group_count; ++g)
        whole |= pal_token_is_like((PalToken){name, strlen(name)}, model->mesh->groups[g].name);
    PAL_TRY(
        pal_foreign_group(model, abaqus->data_line, whole ? name : inner, true, &condition->group));
    return pal_array_push(&model->conditions, *condition) ? PAL_OK : pal_foreign_no_memory(model);
}

// ENCASTRE and the like; false: a number is meant.
static bool named_axes(PalToken word, bool axes[3])
{
    static const struct {
        const char *name;
        bool axes[3];
    } names[] = {{"ENCASTRE", {true, true, true}}, {"PINNED", {true, true, true}},
                 {"XSYMM", {true, false, false}},  {"YSYMM", {false, true, false}},
                 {"ZSYMM", {false, false, true}},  {"XASYMM", {false, true, true}},
                 {"YASYMM", {true, false, true}},  {"ZASYMM", {true, true, false}}};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (pal_token_is_like(word, names[i].name)) {
            memcpy(axes, names[i].axes, sizeof names[i].axes);
            return true;
        }
    return false;
}

// nodes, first, last, value: a value of 0 holds.
static PalStatus read_held(PalAbaqus *abaqus, PalToken line, int32_t curve)
{
    PalForeign *model = abaqus->model;
    PalForeignCondition condition = {.line = abaqus->data_line, .curve = curve};
    PalToken nodes = {"", 0}, first = {"", 0}, field;
    double range[3] = {0};
    pal_abaqus_field(&line, &nodes);
    if (!pal_abaqus_field(&line, &first))
        return pal_foreign_fail(model, abaqus->data_line,
                                "*BOUNDARY without a freedom, expected set, first, last, value");
    if (!named_axes(first, condition.axes)) {
        PAL_TRY(pal_abaqus_number(abaqus, first, &range[0]));
        range[1] = range[0];
        for (int i = 1; i < 3 && pal_abaqus_field(&line, &field); ++i)
            if (field.size > 0)
                PAL_TRY(pal_abaqus_number(abaqus, field, &range[i]));
        if (!(range[0] >= 1 && range[1] >= range[0] && range[1] <= 6))
            return pal_foreign_fail(model, abaqus->data_line,
                                    "freedoms %g to %g, expected 1 to 3 (4 to 6 are rotations)",
                                    range[0], range[1]);
        for (int i = 0; i < 3; ++i)
            condition.axes[i] = i + 1 >= range[0] && i + 1 <= range[1];
    }
    if (!condition.axes[0] && !condition.axes[1] && !condition.axes[2])
        return PAL_OK;  // rotations, which solids do not have
    condition.kind = range[2] != 0 ? PAL_FOREIGN_DISPLACE : PAL_FOREIGN_FIX;
    for (int i = 0; i < 3; ++i)
        condition.value[i] = condition.axes[i] ? range[2] : 0;
    return push_on(abaqus, &condition, nodes);
}

static PalStatus read_boundary(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    PalToken type = pal_abaqus_parameter(keyword, "TYPE"), line;
    int32_t curve;
    if (type.size > 0 && !pal_token_is_like(type, "DISPLACEMENT"))
        return pal_foreign_fail(abaqus->model, keyword->line,
                                "*BOUNDARY of type %s, expected displacements",
                                pal_token_quote(type).text);
    if (pal_token_is_like(pal_abaqus_parameter(keyword, "OP"), "NEW") &&
        abaqus->model->conditions.count > 0)
        pal_foreign_warn(abaqus->model, keyword->line,
                         "OP=NEW sets nothing free here: what is held before stays so");
    PAL_TRY(find_curve(abaqus, keyword, &curve));
    while (pal_abaqus_data(abaqus, &line))
        PAL_TRY(read_held(abaqus, line, curve));
    return pal_abaqus_end_nodes(abaqus);
}

static PalStatus read_forces(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    PalToken line, nodes, axis, value;
    int32_t curve;
    PAL_TRY(find_curve(abaqus, keyword, &curve));
    while (pal_abaqus_data(abaqus, &line)) {
        PalForeignCondition condition = {
            .kind = PAL_FOREIGN_FORCE, .line = abaqus->data_line, .curve = curve};
        double number, force;
        if (!pal_abaqus_field(&line, &nodes) || !pal_abaqus_field(&line, &axis) ||
            !pal_abaqus_field(&line, &value))
            return pal_foreign_fail(abaqus->model, abaqus->data_line,
                                    "*CLOAD, expected nodes, freedom, force");
        PAL_TRY(pal_abaqus_number(abaqus, axis, &number));
        PAL_TRY(pal_abaqus_number(abaqus, value, &force));
        if (number != 1 && number != 2 && number != 3)
            return pal_foreign_fail(abaqus->model, abaqus->data_line,
                                    "a load on freedom %g, expected 1 to 3", number);
        condition.value[(int)number - 1] = force;
        PAL_TRY(push_on(abaqus, &condition, nodes));
    }
    return pal_abaqus_end_nodes(abaqus);
}

static PalStatus find_surface(PalAbaqus *abaqus, PalToken field, const char **group)
{
    PalForeign *model = abaqus->model;
    const char *name = pal_abaqus_name(abaqus, field);
    size_t size = field.size + sizeof " surface";
    char *apart = pal_tree_alloc(model->tree, size, 1);
    if (name == NULL || apart == NULL)
        return pal_foreign_no_memory(model);
    snprintf(apart, size, "%s surface", name);
    for (int32_t g = 0; g < model->mesh->group_count; ++g)
        if (pal_token_is_like((PalToken){apart, strlen(apart)}, model->mesh->groups[g].name))
            return pal_foreign_group(model, abaqus->data_line, apart, true, group);
    return pal_foreign_group(model, abaqus->data_line, name, true, group);
}

// Pressures on surfaces, gravity on all elements.
static PalStatus read_distributed(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    bool surface = pal_abaqus_is(keyword, "DSLOAD");
    PalToken line, where, kind, field;
    int32_t curve;
    PAL_TRY(find_curve(abaqus, keyword, &curve));
    while (pal_abaqus_data(abaqus, &line)) {
        PalForeignCondition condition = {.line = abaqus->data_line, .curve = curve};
        double values[4] = {0};
        int32_t count = 0;
        if (!pal_abaqus_field(&line, &where) || !pal_abaqus_field(&line, &kind))
            return pal_foreign_fail(abaqus->model, abaqus->data_line,
                                    "a distributed load, expected where, its kind, its value");
        while (count < 4 && pal_abaqus_field(&line, &field))
            PAL_TRY(pal_abaqus_number(abaqus, field, &values[count++]));
        double length = sqrt(values[1] * values[1] + values[2] * values[2] + values[3] * values[3]);
        if (surface && pal_token_is_like(kind, "P")) {
            condition.kind = PAL_FOREIGN_PRESSURE;
            condition.value[0] = values[0];
            PAL_TRY(find_surface(abaqus, where, &condition.group));
        } else if (!surface && pal_token_is_like(kind, "GRAV") && length > 0) {
            condition.kind = PAL_FOREIGN_GRAVITY;
            for (int i = 0; i < 3; ++i)
                condition.value[i] = values[0] * values[1 + i] / length;
            if (where.size > 0)
                pal_foreign_warn(abaqus->model, abaqus->data_line,
                                 "gravity on %s acts on the whole body",
                                 pal_token_quote(where).text);
        } else {
            pal_foreign_warn(abaqus->model, abaqus->data_line,
                             "a load of kind %s is not carried "
                             "over",
                             pal_token_quote(kind).text);
            continue;
        }
        if (!pal_array_push(&abaqus->model->conditions, condition))
            return pal_foreign_no_memory(abaqus->model);
    }
    return PAL_OK;
}

PalStatus pal_abaqus_condition(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword, bool *known)
{
    *known = true;
    if (pal_abaqus_is(keyword, "AMPLITUDE"))
        return read_amplitude(abaqus, keyword);
    if (pal_abaqus_is(keyword, "BOUNDARY"))
        return read_boundary(abaqus, keyword);
    if (pal_abaqus_is(keyword, "CLOAD"))
        return read_forces(abaqus, keyword);
    if (pal_abaqus_is(keyword, "DSLOAD") || pal_abaqus_is(keyword, "DLOAD"))
        return read_distributed(abaqus, keyword);
    *known = false;
    return PAL_OK;
}
