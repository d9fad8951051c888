// <Boundary> and <Loads>, in the words of each version.
#include "scene/foreign/febio.h"

#include <stdio.h>
#include <string.h>

static PalStatus push(PalFebio *febio, PalForeignCondition condition)
{
    return pal_array_push(&febio->model->conditions, condition)
               ? PAL_OK
               : pal_foreign_no_memory(febio->model);
}

// "x,y" or "xy": which axes; rotations and others are not ours.
static PalStatus read_axes(PalFebio *febio, const PalXmlNode *node, const char *text, bool axes[3])
{
    for (const char *c = text; *c != '\0'; ++c) {
        if (pal_is_blank(*c) || *c == ',')
            continue;
        if (*c < 'x' || *c > 'z')
            return pal_foreign_fail(febio->model, node->line,
                                    "the freedoms %s, expected x, y and z", pal_quoted(text).text);
        axes[*c - 'x'] = true;
    }
    return PAL_OK;
}

PalStatus pal_febio_find_curve(PalFebio *febio, const PalXmlNode *node, int32_t *curve)
{
    const char *name = node != NULL ? pal_xml_attribute(node, "lc") : NULL;
    *curve = PAL_NONE;
    if (name == NULL)
        return PAL_OK;
    for (int32_t i = 0; i < febio->model->curves.count; ++i)
        if (strcmp(febio->model->curves.items[i].name, name) == 0) {
            *curve = i;
            return PAL_OK;
        }
    return pal_foreign_fail(febio->model, node->line,
                            "there is no curve %s, expected one of "
                            "<LoadData>",
                            pal_quoted(name).text);
}

static PalStatus start(PalFebio *febio, const PalXmlNode *node, const char *attribute,
                       PalForeignCondition *condition)
{
    *condition = (PalForeignCondition){.line = node->line, .curve = PAL_NONE};
    const char *set = pal_xml_attribute(node, attribute);
    if (set == NULL)
        return pal_foreign_fail(febio->model, node->line, "<%s> without %s, expected it",
                                node->name, attribute);
    return strcmp(attribute, "surface") == 0
               ? pal_febio_find_surface(febio, node->line, set, &condition->group)
               : pal_febio_find_set(febio, node->line, set, &condition->group);
}

// What is scaled by a curve, in <scale>, <value> or a tag of its own. The value may be in another
// tag than the curve.
static PalStatus read_value(PalFebio *febio, const PalXmlNode *node, const char *name,
                            PalForeignCondition *condition, double *value)
{
    const PalXmlNode *child = pal_xml_child(node, name);
    if (child == NULL)
        return PAL_OK;
    PAL_TRY(pal_febio_number(febio, child, value));
    int32_t curve;
    PAL_TRY(pal_febio_find_curve(febio, child, &curve));
    if (curve != PAL_NONE)
        condition->curve = curve;
    return PAL_OK;
}

static PalStatus read_factor(PalFebio *febio, const PalXmlNode *node,
                             PalForeignCondition *condition, double *value)
{
    double scale = 1, given = 1;
    int32_t curve;
    PAL_TRY(pal_febio_find_curve(febio, node, &curve));
    condition->curve = curve;
    PAL_TRY(read_value(febio, node, "scale", condition, &scale));
    PAL_TRY(read_value(febio, node, "value", condition, &given));
    *value = scale * given;
    return PAL_OK;
}

// <fix bc="x,y">, <bc type="fix"><dofs>, <bc type="zero displacement"><x_dof>
static PalStatus read_fix(PalFebio *febio, const PalXmlNode *node)
{
    static const char *const flags[] = {"x_dof", "y_dof", "z_dof"};
    PalForeignCondition condition;
    PAL_TRY(start(febio, node, "node_set", &condition));
    condition.kind = PAL_FOREIGN_FIX;
    const char *axes = pal_xml_attribute(node, "bc");
    const PalXmlNode *dofs = pal_xml_child(node, "dofs");
    if (axes != NULL)
        PAL_TRY(read_axes(febio, node, axes, condition.axes));
    if (dofs != NULL)
        PAL_TRY(read_axes(febio, dofs, dofs->text, condition.axes));
    for (int i = 0; i < 3; ++i) {
        double flag = 0;
        PAL_TRY(pal_febio_child_number(febio, node, flags[i], &flag));
        condition.axes[i] |= flag != 0;
    }
    if (!condition.axes[0] && !condition.axes[1] && !condition.axes[2])
        return PAL_OK;
    return push(febio, condition);
}

// <prescribe bc="z"><scale lc="1">, <bc type="prescribe"><dof>, <bc type="prescribed displacement">
static PalStatus read_prescribe(PalFebio *febio, const PalXmlNode *node)
{
    PalForeignCondition condition;
    PAL_TRY(start(febio, node, "node_set", &condition));
    condition.kind = PAL_FOREIGN_DISPLACE;
    const char *axes = pal_xml_attribute(node, "bc");
    const PalXmlNode *dof = pal_xml_child(node, "dof");
    if (axes == NULL && dof == NULL)
        return pal_foreign_fail(febio->model, node->line, "no freedom is named, expected <dof>");
    PAL_TRY(
        read_axes(febio, dof != NULL ? dof : node, dof != NULL ? dof->text : axes, condition.axes));
    double value, relative = 0;
    PAL_TRY(read_factor(febio, node, &condition, &value));
    PAL_TRY(pal_febio_child_number(febio, node, "relative", &relative));
    if (relative != 0)
        return pal_foreign_fail(febio->model, node->line,
                                "a relative displacement, expected one from the start");
    for (int i = 0; i < 3; ++i)
        condition.value[i] = condition.axes[i] ? value : 0;
    return push(febio, condition);
}

// Nodes that go along with a rigid body: <bc type="rigid"><rb>, <rigid rb="2" node_set="..."/>
static PalStatus read_attached(PalFebio *febio, const PalXmlNode *node)
{
    PalForeignAttachment attachment = {.line = node->line};
    const char *set = pal_xml_attribute(node, "node_set"), *body = pal_xml_attribute(node, "rb");
    const PalXmlNode *child = pal_xml_child(node, "rb");
    if (set == NULL || (body == NULL && child == NULL))
        return pal_foreign_fail(febio->model, node->line,
                                "<%s> without node_set or rb, expected both", node->name);
    PAL_TRY(pal_febio_find_set(febio, node->line, set, &attachment.group));
    PAL_TRY(
        pal_febio_find_rigid(febio, node, child != NULL ? child->text : body, &attachment.rigid));
    return pal_array_push(&febio->model->attachments, attachment)
               ? PAL_OK
               : pal_foreign_no_memory(febio->model);
}

PalStatus pal_febio_read_boundary(PalFebio *febio, const PalXmlNode *owner)
{
    const PalXmlNode *boundary = pal_xml_child(owner, "Boundary");
    for (PalXmlNode *node = boundary != NULL ? boundary->first : NULL; node != NULL;
         node = node->next) {
        bool bc = pal_xml_named(node, "bc");
        const char *type = bc ? pal_xml_attribute(node, "type") : node->name;
        type = type != NULL ? type : "";
        bool fix = pal_febio_text_is(type, "fix") || pal_febio_text_is(type, "zero displacement");
        bool move = pal_febio_text_is(type, "prescribe") ||
                    pal_febio_text_is(type, "prescribed displacement");
        bool attach = pal_febio_text_is(type, "rigid");
        if (!fix && !move && !attach)
            continue;
        node->used = true;
        PAL_TRY(fix      ? read_fix(febio, node)
                : attach ? read_attached(febio, node)
                         : read_prescribe(febio, node));
    }
    return PAL_OK;
}

// <nodal_load bc="x"><scale lc="1">, <dof> and <scale>, or <value lc="1">fx,fy,fz</value>
static PalStatus read_nodal(PalFebio *febio, const PalXmlNode *node)
{
    PalForeignCondition condition;
    PAL_TRY(start(febio, node, "node_set", &condition));
    condition.kind = PAL_FOREIGN_FORCE;
    const char *axes = pal_xml_attribute(node, "bc");
    const PalXmlNode *dof = pal_xml_child(node, "dof");
    if (axes == NULL && dof == NULL) {
        const PalXmlNode *value = pal_xml_child(node, "value");
        int32_t count = 0;
        if (value != NULL)
            PAL_TRY(pal_febio_numbers(febio, value, condition.value, 3, &count));
        if (count != 3)
            return pal_foreign_fail(febio->model, node->line,
                                    "a load of %d components, expected 3 in <value>", (int)count);
        PAL_TRY(pal_febio_find_curve(febio, value, &condition.curve));
        return push(febio, condition);
    }
    double value;
    PAL_TRY(
        read_axes(febio, dof != NULL ? dof : node, dof != NULL ? dof->text : axes, condition.axes));
    PAL_TRY(read_factor(febio, node, &condition, &value));
    for (int i = 0; i < 3; ++i)
        condition.value[i] = condition.axes[i] ? value : 0;
    return push(febio, condition);
}

static PalStatus read_pressure(PalFebio *febio, const PalXmlNode *node)
{
    PalForeignCondition condition;
    PAL_TRY(start(febio, node, "surface", &condition));
    condition.kind = PAL_FOREIGN_PRESSURE;
    double scale = 1, pressure = 1, linear = 0;
    PAL_TRY(read_value(febio, node, "scale", &condition, &scale));
    PAL_TRY(read_value(febio, node, "pressure", &condition, &pressure));
    PAL_TRY(pal_febio_child_number(febio, node, "linear", &linear));
    pal_xml_child(node, "symmetric_stiffness");
    pal_xml_child(node, "shell_bottom");
    if (linear != 0)
        PAL_TRY(pal_foreign_lose(febio->model, node->line,
                                 "a linear pressure, expected one on the surface as it deforms"));
    condition.value[0] = scale * pressure;
    return push(febio, condition);
}

// A vector per area of the surface as it deforms, in a fixed direction.
static PalStatus read_traction(PalFebio *febio, const PalXmlNode *node)
{
    PalForeignCondition condition;
    PAL_TRY(start(febio, node, "surface", &condition));
    condition.kind = PAL_FOREIGN_TRACTION;
    double scale = 1, linear = 0;
    int32_t count = 0, curve;
    const PalXmlNode *vector = pal_xml_child(node, "traction");
    PAL_TRY(read_value(febio, node, "scale", &condition, &scale));
    PAL_TRY(pal_febio_child_number(febio, node, "linear", &linear));
    pal_xml_child(node, "shell_bottom");
    if (vector != NULL)
        PAL_TRY(pal_febio_numbers(febio, vector, condition.value, 3, &count));
    if (count != 3)
        return pal_foreign_fail(febio->model, node->line,
                                "a traction of %d components, expected 3 in <traction>",
                                (int)count);
    PAL_TRY(pal_febio_find_curve(febio, vector, &curve));
    if (curve != PAL_NONE && condition.curve != PAL_NONE && curve != condition.curve)
        return pal_foreign_fail(febio->model, node->line, "a traction of two curves, expected one");
    condition.curve = curve != PAL_NONE ? curve : condition.curve;
    if (linear != 0)
        PAL_TRY(pal_foreign_lose(febio->model, node->line,
                                 "a linear traction, expected one per area of the surface as it "
                                 "deforms"));
    for (int i = 0; i < 3; ++i)
        condition.value[i] *= scale;
    return push(febio, condition);
}

// Components, each with a curve of its own: <x lc="1">, or all of them in <force>.
static PalStatus read_components(PalFebio *febio, const PalXmlNode *node, double value[3],
                                 int32_t curve[3])
{
    static const char *const names[] = {"x", "y", "z"};
    const PalXmlNode *force = pal_xml_child(node, "force");
    if (force != NULL) {
        int32_t count;
        PAL_TRY(pal_febio_numbers(febio, force, value, 3, &count));
        if (count != 3)
            return pal_foreign_fail(febio->model, force->line,
                                    "a body force of %d components, expected 3", (int)count);
        PAL_TRY(pal_febio_find_curve(febio, force, &curve[0]));
        curve[1] = curve[2] = curve[0];
        return PAL_OK;
    }
    for (int i = 0; i < 3; ++i) {
        const PalXmlNode *child = pal_xml_child(node, names[i]);
        PAL_TRY(pal_febio_child_number(febio, node, names[i], &value[i]));
        PAL_TRY(pal_febio_find_curve(febio, child, &curve[i]));
    }
    return PAL_OK;
}

// <body_load type="const">, type="body force": FEBio's force per mass is the negative acceleration.
static PalStatus read_body_load(PalFebio *febio, const PalXmlNode *node)
{
    double value[3] = {0};
    int32_t curve[3] = {PAL_NONE, PAL_NONE, PAL_NONE};
    PAL_TRY(read_components(febio, node, value, curve));
    for (int i = 0; i < 3; ++i) {
        PalForeignCondition condition = {
            .kind = PAL_FOREIGN_GRAVITY, .line = node->line, .curve = curve[i]};
        bool any = false;
        for (int k = i; k < 3; ++k) {  // components of one curve are one condition
            if (curve[k] != curve[i] || value[k] == 0)
                continue;
            condition.value[k] = -value[k];
            value[k] = 0;
            any = true;
        }
        if (any)
            PAL_TRY(push(febio, condition));
    }
    return PAL_OK;
}

// Gravity is of a whole body here, and there is one.
static bool is_of_all(const PalFebio *febio, const char *set)
{
    if (set == NULL)
        return true;
    char text[256];
    snprintf(text, sizeof text, "%s elements", set);
    const PalMesh *mesh = febio->model->mesh;
    const PalGroup *group = pal_mesh_find_group(mesh, text);
    if (group == NULL)
        group = pal_mesh_find_group(mesh, set);
    return group != NULL && group->cell_count == mesh->cell_count;
}

typedef PalStatus (*Reader)(PalFebio *febio, const PalXmlNode *node);

// What reads this load; NULL: it is not carried over.
static Reader reader_of(const PalFebio *febio, const PalXmlNode *node)
{
    const char *type = pal_xml_attribute(node, "type");
    if (pal_xml_named(node, "nodal_load"))
        return type == NULL || pal_febio_text_is(type, "nodal_load") ||
                       pal_febio_text_is(type, "nodal_force")
                   ? read_nodal
                   : NULL;
    if (type == NULL)
        return NULL;
    if (pal_xml_named(node, "surface_load"))
        return pal_febio_text_is(type, "pressure")   ? read_pressure
               : pal_febio_text_is(type, "traction") ? read_traction
                                                     : NULL;
    bool constant = pal_xml_named(node, "body_load") &&
                    (pal_febio_text_is(type, "const") || pal_febio_text_is(type, "body force"));
    return constant && is_of_all(febio, pal_xml_attribute(node, "elem_set")) ? read_body_load
                                                                             : NULL;
}

PalStatus pal_febio_read_loads(PalFebio *febio, const PalXmlNode *owner)
{
    const PalXmlNode *loads = pal_xml_child(owner, "Loads");
    for (PalXmlNode *node = loads != NULL ? loads->first : NULL; node != NULL; node = node->next) {
        Reader read = reader_of(febio, node);
        if (read == NULL)
            continue;
        node->used = true;
        PAL_TRY(read(febio, node));
    }
    return PAL_OK;
}
