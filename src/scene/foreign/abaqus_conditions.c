// *AMPLITUDE, *BOUNDARY, *CLOAD, *DLOAD and *DSLOAD.
#include "scene/foreign/abaqus.h"

#include "mesh/cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- amplitudes -------------------------------------------------------------------------------

static PalStatus check_amplitude(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword,
                                 PalForeignCurve *curve)
{
    static const char *const known[] = {"NAME", "DEFINITION", "VALUE", "TIME", "SMOOTH", NULL};
    PalForeign *model = abaqus->model;
    PalToken definition = pal_abaqus_parameter(keyword, "DEFINITION");
    PalToken smooth = pal_abaqus_parameter(keyword, "SMOOTH");
    double share = 0;
    PAL_TRY(pal_abaqus_know(abaqus, keyword, known));
    abaqus->data_line = keyword->line;
    PAL_TRY(pal_abaqus_number(abaqus, smooth.text != NULL ? smooth : (PalToken){"", 0}, &share));
    curve->total = pal_token_is_like(pal_abaqus_parameter(keyword, "TIME"), "TOTAL TIME");
    curve->bent = share != 0 || pal_token_is_like(definition, "SMOOTH STEP");
    bool table = definition.size == 0 || pal_token_is_like(definition, "TABULAR");
    if (!table && !curve->bent)
        return pal_foreign_fail(model, keyword->line,
                                "an amplitude of definition %s, expected TABULAR or SMOOTH STEP",
                                pal_token_quote(definition).text);
    if (pal_token_is_like(pal_abaqus_parameter(keyword, "VALUE"), "ABSOLUTE"))
        return pal_foreign_fail(model, keyword->line,
                                "an amplitude of absolute values, expected relative ones");
    return PAL_OK;
}

static PalStatus read_amplitude(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    PalForeign *model = abaqus->model;
    PalToken name = pal_abaqus_parameter(keyword, "NAME"), line, field;
    if (name.size == 0)
        return pal_foreign_fail(model, keyword->line, "*AMPLITUDE without a name, expected NAME=");
    PalForeignCurve curve = {.line = keyword->line, .name = pal_abaqus_name(abaqus, name)};
    PAL_TRY(check_amplitude(abaqus, keyword, &curve));
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

// ---- nodes and faces one by one ---------------------------------------------------------------

// Loads inside the body would pull at faces that are not there.
static PalStatus push_pressure(PalAbaqus *abaqus, const PalAbaqusLoad *load,
                               const PalAbaqusChange *change)
{
    PalForeign *model = abaqus->model;
    const PalGroup *group = pal_mesh_find_group(model->mesh, load->group);
    bool on = false;
    if (group != NULL)
        PAL_TRY(pal_foreign_on_surface(model, group, &on));
    if (!on)
        return pal_foreign_lose(model, change->line,
                                "a pressure on %s, expected faces that are all on the surface",
                                pal_quoted(load->group).text);
    return pal_abaqus_push(abaqus, load, change);
}

// Hands over what was collected.
static PalStatus end_pending(PalAbaqus *abaqus)
{
    PalForeign *model = abaqus->model;
    PalAbaqusLoad *load = &abaqus->pending;
    if (load->line == 0)
        return PAL_OK;
    bool faces = load->kind == PAL_FOREIGN_PRESSURE;
    char name[48];
    snprintf(name, sizeof name, "%s of line %d", faces ? "faces" : "nodes", (int)load->line);
    for (int32_t i = 2; pal_mesh_find_group(model->mesh, name) != NULL; ++i)
        snprintf(name, sizeof name, "%s of line %d, %d", faces ? "faces" : "nodes", (int)load->line,
                 (int)i);
    PalGroup group = {.name = name,
                      .node_count = abaqus->pending_nodes.count,
                      .nodes = abaqus->pending_nodes.items,
                      .face_count = abaqus->pending_faces.count,
                      .faces = faces ? &abaqus->pending_faces.items->corners : NULL};
    PAL_TRY(pal_mesh_add_group(model->mesh, &group, model->notes.error));
    load->group = pal_foreign_text(model, name, strlen(name));
    if (load->group == NULL)
        return pal_foreign_no_memory(model);
    load->line = 0;
    abaqus->pending_nodes.count = abaqus->pending_faces.count = 0;
    return faces ? push_pressure(abaqus, load, &abaqus->pending_change)
                 : pal_abaqus_push(abaqus, load, &abaqus->pending_change);
}

static PalStatus begin_pending(PalAbaqus *abaqus, const PalAbaqusLoad *load,
                               const PalAbaqusChange *change)
{
    const PalAbaqusLoad *old = &abaqus->pending;
    const PalAbaqusChange *said = &abaqus->pending_change;
    bool same = old->line != 0 && old->kind == load->kind && said->value == change->value &&
                said->curve == change->curve && said->step == change->step &&
                memcmp(old->direction, load->direction, sizeof old->direction) == 0;
    if (same)
        return PAL_OK;
    PAL_TRY(end_pending(abaqus));
    abaqus->pending = *load;
    abaqus->pending.line = change->line;
    abaqus->pending_change = *change;
    return PAL_OK;
}

static PalStatus push_node(PalAbaqus *abaqus, const PalAbaqusLoad *load,
                           const PalAbaqusChange *change, int32_t node)
{
    PAL_TRY(begin_pending(abaqus, load, change));
    return pal_array_push(&abaqus->pending_nodes, node) ? PAL_OK
                                                        : pal_foreign_no_memory(abaqus->model);
}

// The number at the end of a field, possibly after the name of an instance and a point.
static bool parse_number(PalToken field, int64_t *number)
{
    const char *end = field.text + field.size, *start = field.text;
    for (const char *c = field.text; c < end; ++c)
        if (*c == '.')
            start = c + 1;
    return start < end && pal_parse_int(start, end, number) == end;
}

// What is said of the reference of a rigid body is said of all its nodes.
static PalStatus push_rigid(PalAbaqus *abaqus, const PalAbaqusLoad *load,
                            const PalAbaqusChange *change, int32_t node, bool *done)
{
    *done = false;
    for (int32_t i = 0; i < abaqus->rigids.count; ++i) {
        PalAbaqusRigid *rigid = &abaqus->rigids.items[i];
        int which = node == rigid->nodes[0] ? 0 : node == rigid->nodes[1] ? 3 : PAL_NONE;
        if (which == PAL_NONE)
            continue;
        *done = true;
        if (load->kind != PAL_FOREIGN_DISPLACE)
            return pal_foreign_lose(abaqus->model, change->line,
                                    "a force on the reference of a rigid body, expected it to be "
                                    "held or moved");
        for (int k = 0; k < 3; ++k)
            if (load->direction[k] != 0)
                rigid->given[which + k] = true;
        rigid->turns = rigid->turns || (which == 3 && change->value != 0);
        if (which == 3)
            continue;
        PalAbaqusLoad all = *load;
        all.group = rigid->group;
        PAL_TRY(pal_abaqus_push(abaqus, &all, change));
    }
    return PAL_OK;
}

// On a set, or on the node of a number.
static PalStatus push_on(PalAbaqus *abaqus, PalAbaqusLoad *load, const PalAbaqusChange *change,
                         PalToken field)
{
    PalForeign *model = abaqus->model;
    int64_t number;
    if (!parse_number(field, &number)) {
        PAL_TRY(pal_abaqus_find(abaqus, abaqus->data_line, field, "", &load->group));
        const PalGroup *group = pal_mesh_find_group(model->mesh, load->group);
        bool done = false;
        if (group != NULL && group->node_count == 1)
            PAL_TRY(push_rigid(abaqus, load, change, group->nodes[0], &done));
        return done ? PAL_OK : pal_abaqus_push(abaqus, load, change);
    }
    int32_t node = pal_id_map_find(&abaqus->node_ids, number);
    bool done;
    if (node == PAL_NONE)
        return pal_foreign_fail(model, abaqus->data_line, "there is no node %lld",
                                (long long)number);
    PAL_TRY(push_rigid(abaqus, load, change, node, &done));
    return done ? PAL_OK : push_node(abaqus, load, change, node);
}

// ---- what holds and moves ---------------------------------------------------------------------

// ENCASTRE and the like; false: a number is meant.
static bool named_axes(PalToken word, bool axes[6])
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
            if (i == 0)
                axes[3] = axes[4] = axes[5] = true;
            return true;
        }
    return false;
}

// Rotations: solids have none, rigid bodies may have them at their reference.
static PalStatus note_rotations(PalAbaqus *abaqus, PalToken nodes, const bool axes[6], double value)
{
    int64_t number;
    int32_t node =
        parse_number(nodes, &number) ? pal_id_map_find(&abaqus->node_ids, number) : PAL_NONE;
    for (int32_t i = 0; i < abaqus->rigids.count; ++i) {
        PalAbaqusRigid *rigid = &abaqus->rigids.items[i];
        if (node != rigid->nodes[0] || rigid->nodes[1] != PAL_NONE)
            continue;
        for (int k = 3; k < 6; ++k)
            rigid->given[k] = rigid->given[k] || axes[k];
        rigid->turns = rigid->turns || ((axes[3] || axes[4] || axes[5]) && value != 0);
    }
    return PAL_OK;
}

// nodes, first, last, value: a value of 0 holds.
static PalStatus read_held(PalAbaqus *abaqus, PalToken line, int32_t curve)
{
    PalForeign *model = abaqus->model;
    PalToken nodes = {"", 0}, first = {"", 0}, field;
    double range[3] = {0};
    bool axes[6] = {false};
    pal_abaqus_field(&line, &nodes);
    if (!pal_abaqus_field(&line, &first))
        return pal_foreign_fail(model, abaqus->data_line,
                                "*BOUNDARY without a freedom, expected set, first, last, value");
    if (!named_axes(first, axes)) {
        PAL_TRY(pal_abaqus_number(abaqus, first, &range[0]));
        range[1] = range[0];
        for (int i = 1; i < 3 && pal_abaqus_field(&line, &field); ++i)
            if (field.size > 0)
                PAL_TRY(pal_abaqus_number(abaqus, field, &range[i]));
        if (!(range[0] >= 1 && range[1] >= range[0] && range[1] <= 6))
            return pal_foreign_fail(model, abaqus->data_line,
                                    "freedoms %g to %g, expected 1 to 3 (4 to 6 are rotations)",
                                    range[0], range[1]);
        for (int i = 0; i < 6; ++i)
            axes[i] = i + 1 >= range[0] && i + 1 <= range[1];
    }
    PAL_TRY(note_rotations(abaqus, nodes, axes, range[2]));
    PalAbaqusLoad load = {.kind = PAL_FOREIGN_DISPLACE};
    PalAbaqusChange change = {abaqus->steps.count, abaqus->data_line, range[2], curve, false};
    for (int i = 0; i < 3; ++i)
        load.direction[i] = axes[i];
    if (!axes[0] && !axes[1] && !axes[2])
        return PAL_OK;  // rotations, which solids do not have
    return push_on(abaqus, &load, &change, nodes);
}

static PalStatus read_boundary(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    static const char *const known[] = {"OP", "AMPLITUDE", "TYPE", "LOAD CASE", NULL};
    PalToken type = pal_abaqus_parameter(keyword, "TYPE"), line;
    int32_t curve;
    PAL_TRY(pal_abaqus_know(abaqus, keyword, known));
    if (type.size > 0 && !pal_token_is_like(type, "DISPLACEMENT"))
        return pal_foreign_fail(abaqus->model, keyword->line,
                                "*BOUNDARY of type %s, expected displacements",
                                pal_token_quote(type).text);
    PAL_TRY(pal_abaqus_clear_loads(abaqus, keyword, 0));
    PAL_TRY(find_curve(abaqus, keyword, &curve));
    while (pal_abaqus_data(abaqus, &line))
        PAL_TRY(read_held(abaqus, line, curve));
    return end_pending(abaqus);
}

// ---- loads ------------------------------------------------------------------------------------

static PalStatus read_forces(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    static const char *const known[] = {"OP", "AMPLITUDE", "LOAD CASE", NULL};
    PalToken line, nodes, axis, value;
    int32_t curve;
    PAL_TRY(pal_abaqus_know(abaqus, keyword, known));
    PAL_TRY(pal_abaqus_clear_loads(abaqus, keyword, 1));
    PAL_TRY(find_curve(abaqus, keyword, &curve));
    while (pal_abaqus_data(abaqus, &line)) {
        PalAbaqusLoad load = {.kind = PAL_FOREIGN_FORCE};
        PalAbaqusChange change = {abaqus->steps.count, abaqus->data_line, 0, curve, false};
        double number;
        if (!pal_abaqus_field(&line, &nodes) || !pal_abaqus_field(&line, &axis) ||
            !pal_abaqus_field(&line, &value))
            return pal_foreign_fail(abaqus->model, abaqus->data_line,
                                    "*CLOAD, expected nodes, freedom, force");
        PAL_TRY(pal_abaqus_number(abaqus, axis, &number));
        PAL_TRY(pal_abaqus_number(abaqus, value, &change.value));
        if (number != 1 && number != 2 && number != 3)
            return pal_foreign_fail(abaqus->model, abaqus->data_line,
                                    "a load on freedom %g, expected 1 to 3", number);
        load.direction[(int)number - 1] = 1;
        PAL_TRY(push_on(abaqus, &load, &change, nodes));
    }
    return end_pending(abaqus);
}

// Facets that a face of a cell is.
static int32_t pieces_of(PalCellKind kind)
{
    return kind == PAL_CELL_QUADRATIC_TETRAHEDRON ? 4 : 1;
}

static bool take_face(PalAbaqus *abaqus, int32_t cell, int32_t face)
{
    const PalMesh *mesh = abaqus->model->mesh;
    const PalCellTopology *topology = pal_cell_topology(mesh->cell_kind);
    const int32_t *corners = pal_mesh_cell(mesh, cell);
    const int32_t pieces = pieces_of(mesh->cell_kind);
    for (int32_t k = 0; k < pieces; ++k) {
        PalRawFacet facet = {{PAL_NONE, PAL_NONE, PAL_NONE, PAL_NONE}};
        for (int32_t a = 0; a < topology->corner_count; ++a)
            facet.corners[a] = corners[topology->facets[pieces * face + k][a]];
        if (!pal_array_push(&abaqus->pending_faces, facet))
            return false;
    }
    return true;
}

// P1 to P6 of elements: of a set, or of one by its number.
static PalStatus read_faces(PalAbaqus *abaqus, PalToken where, int32_t face,
                            const PalAbaqusChange *change)
{
    PalForeign *model = abaqus->model;
    PalCellKind kind = model->mesh->cell_kind;
    int32_t most = pal_cell_topology(kind)->facet_count / pieces_of(kind);
    PalAbaqusLoad load = {.kind = PAL_FOREIGN_PRESSURE};
    int64_t number;
    if (face > most)
        return pal_foreign_fail(model, abaqus->data_line, "the face P%d, expected P1 to P%d",
                                (int)face, (int)most);
    PAL_TRY(begin_pending(abaqus, &load, change));
    if (parse_number(where, &number)) {
        int32_t element = pal_id_map_find(&abaqus->element_ids, number);
        int32_t cell = element != PAL_NONE ? abaqus->element_cells.items[element] : PAL_NONE;
        if (cell == PAL_NONE)
            return pal_foreign_fail(model, abaqus->data_line, "there is no solid element %lld",
                                    (long long)number);
        return take_face(abaqus, cell, face - 1) ? PAL_OK : pal_foreign_no_memory(model);
    }
    const char *name;
    PAL_TRY(pal_abaqus_find(abaqus, abaqus->data_line, where, " elements", &name));
    const PalGroup *group = pal_mesh_find_group(model->mesh, name);
    if (group->cell_count == 0)
        return pal_foreign_fail(model, abaqus->data_line,
                                "a pressure on %s, which has no elements, expected a set of them",
                                pal_quoted(name).text);
    for (int32_t i = 0; i < group->cell_count; ++i)
        if (!take_face(abaqus, group->cells[i], face - 1))
            return pal_foreign_no_memory(model);
    return PAL_OK;
}

// Whether elements of these cells share no node with others, so that their mass is their own.
static PalStatus stand_alone(PalAbaqus *abaqus, const PalGroup *group, bool *alone)
{
    PalForeign *model = abaqus->model;
    int32_t width = pal_cell_node_count(model->mesh->cell_kind);
    bool *inside = pal_tree_alloc(model->tree, (size_t)model->mesh->node_count, sizeof *inside);
    bool *member = pal_tree_alloc(model->tree, (size_t)model->mesh->cell_count, sizeof *member);
    if (inside == NULL || member == NULL)
        return pal_foreign_no_memory(model);
    for (int32_t i = 0; i < group->node_count; ++i)
        inside[group->nodes[i]] = true;
    for (int32_t i = 0; i < group->cell_count; ++i)
        member[group->cells[i]] = true;
    *alone = group->cell_count > 0;
    for (int64_t k = 0; k < (int64_t)model->mesh->cell_count * width && *alone; ++k)
        *alone = member[k / width] || !inside[model->mesh->cells[k]];
    return PAL_OK;
}

static PalStatus read_gravity(PalAbaqus *abaqus, PalToken where, const double *values,
                              const PalAbaqusChange *change)
{
    PalForeign *model = abaqus->model;
    PalAbaqusLoad load = {.kind = PAL_FOREIGN_GRAVITY};
    double length = sqrt(values[1] * values[1] + values[2] * values[2] + values[3] * values[3]);
    if (!(length > 0))
        return pal_foreign_fail(model, abaqus->data_line,
                                "gravity without a direction, expected three numbers behind its "
                                "size");
    for (int i = 0; i < 3; ++i)
        load.direction[i] = values[1 + i] / length;
    if (where.size > 0) {
        bool alone = false;
        PAL_TRY(pal_abaqus_find(abaqus, abaqus->data_line, where, " elements", &load.group));
        const PalGroup *group = pal_mesh_find_group(model->mesh, load.group);
        if (group->cell_count == model->mesh->cell_count)
            load.group = NULL;
        else
            PAL_TRY(stand_alone(abaqus, group, &alone));
        if (load.group != NULL && !alone)
            return pal_foreign_lose(model, abaqus->data_line,
                                    "gravity on %s, whose elements share nodes with others; "
                                    "expected whole bodies",
                                    pal_quoted(load.group).text);
    }
    return pal_abaqus_push(abaqus, &load, change);
}

typedef struct Distributed {
    PalToken where, kind;
    double values[4];
    int32_t count;
} Distributed;

static PalStatus read_line(PalAbaqus *abaqus, PalToken line, Distributed *load)
{
    PalToken field;
    *load = (Distributed){0};
    if (!pal_abaqus_field(&line, &load->where) || !pal_abaqus_field(&line, &load->kind))
        return pal_foreign_fail(abaqus->model, abaqus->data_line,
                                "a distributed load, expected where, its kind, its value");
    const char *end = load->kind.text + load->kind.size;
    if (load->kind.size > 0 && pal_parse_double(load->kind.text, end, &load->values[0]) == end) {
        load->kind = (PalToken){"P", 1};  // CalculiX: surface, pressure
        load->count = 1;
    }
    while (load->count < 4 && pal_abaqus_field(&line, &field))
        PAL_TRY(pal_abaqus_number(abaqus, field, &load->values[load->count++]));
    if (load->count == 0)
        return pal_foreign_fail(abaqus->model, abaqus->data_line,
                                "a distributed load without its value, expected where, its kind, "
                                "its value");
    bool pressure = load->kind.size > 0 && (load->kind.text[0] | 0x20) == 'p';
    if (pressure && (load->count > 1 || pal_abaqus_field(&line, &field)))
        return pal_foreign_lose(abaqus->model, abaqus->data_line,
                                "a distributed load with more than its value");
    return PAL_OK;
}

// Pressures on surfaces or on faces of elements, gravity.
static PalStatus read_distributed(PalAbaqus *abaqus, const PalAbaqusKeyword *keyword)
{
    static const char *const known[] = {"OP", "AMPLITUDE", "LOAD CASE", NULL};
    bool surface = pal_abaqus_is(keyword, "DSLOAD");
    PalToken line;
    Distributed load;
    int32_t curve;
    PAL_TRY(pal_abaqus_know(abaqus, keyword, known));
    PAL_TRY(pal_abaqus_clear_loads(abaqus, keyword, 2));
    PAL_TRY(find_curve(abaqus, keyword, &curve));
    while (pal_abaqus_data(abaqus, &line)) {
        PAL_TRY(read_line(abaqus, line, &load));
        PalAbaqusChange change = {abaqus->steps.count, abaqus->data_line, load.values[0], curve,
                                  false};
        bool face = load.kind.size == 2 && (load.kind.text[0] | 0x20) == 'p' &&
                    load.kind.text[1] >= '1' && load.kind.text[1] <= '6';
        if (surface && pal_token_is_like(load.kind, "P")) {
            PalAbaqusLoad pressure = {.kind = PAL_FOREIGN_PRESSURE};
            PAL_TRY(pal_abaqus_find(abaqus, abaqus->data_line, load.where, " surface",
                                    &pressure.group));
            PAL_TRY(push_pressure(abaqus, &pressure, &change));
        } else if (!surface && face) {
            PAL_TRY(read_faces(abaqus, load.where, load.kind.text[1] - '0', &change));
        } else if (!surface && pal_token_is_like(load.kind, "GRAV")) {
            PAL_TRY(read_gravity(abaqus, load.where, load.values, &change));
        } else {
            PAL_TRY(pal_foreign_lose(abaqus->model, abaqus->data_line,
                                     "a load of kind %s is not carried over, expected %s",
                                     pal_token_quote(load.kind).text,
                                     surface ? "P" : "P1 to P6 or GRAV"));
        }
    }
    return end_pending(abaqus);
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
