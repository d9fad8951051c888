// The constraints of a model: what they act on, how much, and how that grows in time.
#include "scene/niftysim/model.h"

#include "math/vec3.h"

#include <string.h>

static const char *const kind_words[PAL_NIFTY_KIND_COUNT] = {"Fix",     "Disp",     "Force",
                                                             "Gravity", "Pressure", "Traction"};
static const char *const shape_words[PAL_NIFTY_SHAPE_COUNT] = {"POLY345", "RAMP", "STEP", "HILLY",
                                                               "RAMPHOLD"};

static PalStatus read_kind(PalNifty *nifty, const PalXmlNode *node, PalNiftyConstraint *constraint)
{
    const char *type, *shape;
    PAL_TRY(pal_nifty_need_attribute(nifty, node, "Type", &type));
    int kind = 0;
    while (kind < PAL_NIFTY_KIND_COUNT && strcmp(type, kind_words[kind]) != 0)
        ++kind;
    if (kind == PAL_NIFTY_KIND_COUNT)
        return pal_nifty_fail(nifty, node->line,
                              "Type of <Constraint> is %s, expected Fix, Disp, Force, Gravity, "
                              "Pressure or Traction",
                              pal_quoted(type).text);
    constraint->kind = (PalNiftyKind)kind;
    constraint->shape = PAL_NIFTY_POLY345;
    if (constraint->kind == PAL_NIFTY_FIX) {
        pal_xml_attribute(node, "LoadShape");  // read by nobody, and in many files
        return PAL_OK;
    }
    PAL_TRY(pal_nifty_need_attribute(nifty, node, "LoadShape", &shape));
    for (int i = 0; i < PAL_NIFTY_SHAPE_COUNT; ++i)
        if (strcmp(shape, shape_words[i]) == 0) {
            constraint->shape = (PalNiftyShape)i;
            return PAL_OK;
        }
    pal_nifty_warn(nifty, node->line, "unknown LoadShape %s, taken for POLY345 as in NiftySim",
                   pal_quoted(shape).text);
    return PAL_OK;
}

static PalStatus read_axes(PalNifty *nifty, const PalXmlNode *node, PalNiftyConstraint *constraint)
{
    static const char *const words[] = {"0", "1", "2"};
    const char *dof = pal_xml_attribute(node, "DOF");
    bool all = dof == NULL || strcmp(dof, "all") == 0;
    bool loads = constraint->kind >= PAL_NIFTY_GRAVITY;
    bool found = all || loads;
    for (int i = 0; i < 3; ++i) {
        constraint->axes[i] = all || strcmp(dof, words[i]) == 0;
        found = found || constraint->axes[i];
    }
    if (!found)
        return pal_nifty_fail(nifty, node->line,
                              "DOF of <Constraint> is %s, expected 0, 1, 2 or all",
                              pal_quoted(dof).text);
    if (loads && dof != NULL && !all)
        pal_nifty_warn(nifty, node->line, "DOF has no effect with %s",
                       kind_words[constraint->kind]);
    return PAL_OK;
}

// ---- what it acts on --------------------------------------------------------------------------

static PalStatus check_repeats(PalNifty *nifty, PalNiftyScope *scope,
                               const PalNiftyConstraint *constraint)
{
    int32_t stamp = ++scope->stamp;
    for (int32_t i = 0; i < constraint->node_count; ++i) {
        int32_t *last = &scope->node_stamp[constraint->nodes[i]];
        if (*last == stamp && constraint->kind != PAL_NIFTY_FIX)
            return pal_nifty_fail(nifty, constraint->line,
                                  "node %d is twice in the list of this %s, expected it once",
                                  (int)constraint->nodes[i], kind_words[constraint->kind]);
        *last = stamp;
    }
    return PAL_OK;
}

static PalStatus read_spec(PalNifty *nifty, const PalXmlNode *node, bool *normal)
{
    const char *spec = pal_xml_attribute(node, "SpecType");
    *normal = spec != NULL && strcmp(spec, "NORMAL") == 0;
    if (spec == NULL || *normal || strcmp(spec, "NODES") == 0)
        return PAL_OK;
    return pal_nifty_fail(nifty, node->line,
                          "SpecType of <Constraint> is %s, expected NODES or NORMAL",
                          pal_quoted(spec).text);
}

static PalStatus read_nodes(PalNifty *nifty, PalNiftyScope *scope, const PalXmlNode *node,
                            PalNiftyConstraint *constraint)
{
    bool normal;
    PalNiftyIndices list;
    PAL_TRY(read_spec(nifty, node, &normal));
    if (normal)
        return pal_nifty_select_normal(nifty, scope, node, false, constraint);
    const PalNiftyRange range = {"NumNodes", "node", scope->mesh->node_count, true};
    PAL_TRY(pal_nifty_indices(nifty, node, pal_xml_child(node, "Nodes"), &range, &list));
    constraint->node_count = list.count;
    constraint->nodes = list.items;
    return check_repeats(nifty, scope, constraint);
}

static PalStatus read_listed_faces(PalNifty *nifty, const PalNiftyScope *scope,
                                   const PalXmlNode *node, PalNiftyConstraint *constraint)
{
    int32_t count, width = scope->mesh->cell_kind == PAL_CELL_HEXAHEDRON ? 4 : 3;
    const char *type;
    PalXmlNode *faces;
    PalNiftyIndices rows;
    PAL_TRY(pal_nifty_count(nifty, node, "NumFaces", &count));
    PAL_TRY(pal_nifty_need_attribute(nifty, node, "FaceType", &type));
    if (strcmp(type, width == 3 ? "Tri" : "Quad") != 0)
        return pal_nifty_fail(nifty, node->line, "FaceType of <Constraint> is %s, expected %s",
                              pal_quoted(type).text,
                              width == 3 ? "Tri, for tetrahedra" : "Quad, for hexahedra");
    PAL_TRY(pal_nifty_need(nifty, node, "Faces", &faces));
    PAL_TRY(pal_nifty_rows(nifty, faces, width, scope->mesh->node_count, &rows));
    if (rows.count / width != count)
        return pal_nifty_fail(nifty, node->line,
                              "NumFaces of <Constraint> is %d, but the list holds %d, expected as "
                              "many",
                              (int)count, (int)(rows.count / width));
    constraint->faces = pal_tree_alloc(nifty->memory, (size_t)count, sizeof *constraint->faces);
    if (constraint->faces == NULL)
        return pal_nifty_no_memory(nifty);
    constraint->face_count = count;
    for (int32_t f = 0; f < count; ++f) {
        constraint->faces[f][3] = PAL_NONE;
        memcpy(constraint->faces[f], rows.items + (int64_t)f * width,
               (size_t)width * sizeof *rows.items);
    }
    return PAL_OK;
}

// `listed`: the faces stand in the file, in an order of their own.
static PalStatus read_faces(PalNifty *nifty, PalNiftyScope *scope, const PalXmlNode *node,
                            PalNiftyConstraint *constraint, bool *listed)
{
    bool normal;
    const char *count = pal_xml_attribute(node, "NumFaces");
    PAL_TRY(read_spec(nifty, node, &normal));
    bool all = count != NULL && strcmp(count, "all") == 0;
    *listed = !normal && !all;
    if (normal)
        return pal_nifty_select_normal(nifty, scope, node, true, constraint);
    if (pal_xml_child(node, "RestrictTo") != NULL)
        pal_nifty_warn(nifty, node->line,
                       "<RestrictTo> has no effect on faces, here and in NiftySim");
    if (!all)
        return read_listed_faces(nifty, scope, node, constraint);
    pal_xml_attribute(node, "FaceType");
    PAL_TRY(pal_nifty_find_surface(nifty, scope));
    return pal_nifty_take_facets(nifty, scope, NULL, constraint);
}

// ---- how much ---------------------------------------------------------------------------------

static PalStatus read_magnitude_type(PalNifty *nifty, const PalXmlNode *node, bool *each)
{
    const char *type;
    PAL_TRY(pal_nifty_need_attribute(nifty, node, "Type", &type));
    *each = strcmp(type, "DIFFORM") == 0;
    if (*each || strcmp(type, "UNIFORM") == 0)
        return PAL_OK;
    return pal_nifty_fail(nifty, node->line,
                          "Type of <Magnitudes> is %s, expected UNIFORM or DIFFORM",
                          pal_quoted(type).text);
}

static PalStatus read_magnitudes(PalNifty *nifty, const PalXmlNode *node,
                                 PalNiftyConstraint *constraint)
{
    PalXmlNode *magnitudes;
    PalNiftyNumbers numbers;
    bool each;
    PAL_TRY(pal_nifty_need(nifty, node, "Magnitudes", &magnitudes));
    PAL_TRY(read_magnitude_type(nifty, magnitudes, &each));
    if (!each)
        return pal_nifty_exactly(nifty, magnitudes, 1, &constraint->magnitude);
    const char *spec = pal_xml_attribute(node, "SpecType");
    if (spec != NULL && strcmp(spec, "NORMAL") == 0)
        return pal_nifty_fail(
            nifty, magnitudes->line,
            "DIFFORM <Magnitudes> with SpecType NORMAL, expected UNIFORM or a list of nodes: the "
            "model does not say which value belongs to which node");
    PAL_TRY(pal_nifty_numbers(nifty, magnitudes, &numbers));
    if (numbers.count != constraint->node_count)
        return pal_nifty_fail(nifty, magnitudes->line,
                              "<Magnitudes> holds %d numbers, expected %d, one per node",
                              (int)numbers.count, (int)constraint->node_count);
    constraint->magnitudes = numbers.items;
    return PAL_OK;
}

static PalStatus read_tractions(PalNifty *nifty, const PalXmlNode *node, bool listed,
                                PalNiftyConstraint *constraint)
{
    PalXmlNode *magnitudes;
    PalNiftyNumbers numbers;
    bool each;
    PAL_TRY(pal_nifty_need(nifty, node, "Magnitudes", &magnitudes));
    PAL_TRY(read_magnitude_type(nifty, magnitudes, &each));
    pal_nifty_warn(nifty, node->line,
                   "NiftySim applies minus the traction of its file; so does this scene");
    if (!each) {
        PAL_TRY(pal_nifty_vector(nifty, magnitudes, &constraint->value));
        constraint->value = pal_vec3_scale(-1, constraint->value);
        return PAL_OK;
    }
    if (!listed)
        return pal_nifty_fail(nifty, magnitudes->line,
                              "DIFFORM <Magnitudes> without a list of faces, expected UNIFORM or "
                              "one: the model does not say which value belongs to which face");
    PAL_TRY(pal_nifty_numbers(nifty, magnitudes, &numbers));
    if (numbers.count != 3 * (int64_t)constraint->face_count)
        return pal_nifty_fail(nifty, magnitudes->line,
                              "<Magnitudes> holds %d numbers, expected %lld, three per face",
                              (int)numbers.count, 3 * (long long)constraint->face_count);
    constraint->tractions =
        pal_tree_alloc(nifty->memory, (size_t)constraint->face_count, sizeof(PalVec3));
    if (constraint->tractions == NULL)
        return pal_nifty_no_memory(nifty);
    for (int32_t f = 0; f < constraint->face_count; ++f)
        constraint->tractions[f] =
            pal_vec3(-numbers.items[3 * f], -numbers.items[3 * f + 1], -numbers.items[3 * f + 2]);
    return PAL_OK;
}

static PalStatus read_gravity(PalNifty *nifty, const PalXmlNode *node,
                              PalNiftyConstraint *constraint)
{
    PalXmlNode *magnitude, *direction;
    double size;
    PAL_TRY(pal_nifty_need(nifty, node, "AccelerationMagnitude", &magnitude));
    PAL_TRY(pal_nifty_need(nifty, node, "AccelerationDirection", &direction));
    PAL_TRY(pal_nifty_exactly(nifty, magnitude, 1, &size));
    PAL_TRY(pal_nifty_vector(nifty, direction, &constraint->value));
    PalVec3 unit = pal_vec3_normalise(constraint->value);
    if (!(pal_vec3_dot(unit, unit) > 0))
        return pal_nifty_fail(nifty, direction->line,
                              "<AccelerationDirection> is zero, expected a direction");
    constraint->value = pal_vec3_scale(size, unit);
    return PAL_OK;
}

// ---- all of it --------------------------------------------------------------------------------

static PalStatus read_constraint(PalNifty *nifty, PalNiftyScope *scope, const PalXmlNode *node,
                                 PalNiftyConstraint *constraint)
{
    bool listed = false;
    constraint->line = node->line;
    PAL_TRY(read_kind(nifty, node, constraint));
    PAL_TRY(read_axes(nifty, node, constraint));
    switch (constraint->kind) {
    case PAL_NIFTY_FIX:
        return read_nodes(nifty, scope, node, constraint);
    case PAL_NIFTY_DISP:
    case PAL_NIFTY_FORCE:
        PAL_TRY(read_nodes(nifty, scope, node, constraint));
        return read_magnitudes(nifty, node, constraint);
    case PAL_NIFTY_GRAVITY:
        PAL_TRY(read_nodes(nifty, scope, node, constraint));
        return read_gravity(nifty, node, constraint);
    case PAL_NIFTY_PRESSURE:
        PAL_TRY(read_faces(nifty, scope, node, constraint, &listed));
        if (!pal_xml_has(node, "Magnitude"))
            pal_nifty_warn(nifty, node->line, "Pressure without <Magnitude> is 0");
        return pal_nifty_scalar(nifty, node, "Magnitude", &constraint->magnitude);
    default:
        PAL_TRY(read_faces(nifty, scope, node, constraint, &listed));
        return read_tractions(nifty, node, listed, constraint);
    }
}

PalStatus pal_nifty_read_constraints(PalNifty *nifty, PalNiftyScope *scope)
{
    scope->node_stamp =
        pal_tree_alloc(nifty->memory, (size_t)scope->mesh->node_count, sizeof(int32_t));
    if (scope->node_stamp == NULL)
        return pal_nifty_no_memory(nifty);
    for (const PalXmlNode *node = pal_xml_child(scope->node, "Constraint"); node != NULL;
         node = pal_xml_next(node)) {
        PalNiftyConstraint constraint = {0};
        PAL_TRY(read_constraint(nifty, scope, node, &constraint));
        if (constraint.node_count + constraint.face_count == 0)
            pal_nifty_warn(nifty, node->line, "this %s selects nothing and has no effect",
                           kind_words[constraint.kind]);
        else if (!pal_array_push(&scope->constraints, constraint))
            return pal_nifty_no_memory(nifty);
    }
    return PAL_OK;
}
