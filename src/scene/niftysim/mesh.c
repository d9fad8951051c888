// Nodes and elements of a model, inline or from a file with its transforms.
#include "scene/niftysim/model.h"

#include "math/mat3.h"
#include <palpate/mesh_io.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEGREE (3.14159265358979323846 / 180)

// ---- inline -----------------------------------------------------------------------------------

static PalStatus read_points(PalNifty *nifty, const PalXmlNode *node, PalNiftyNumbers *numbers)
{
    int32_t count;
    PAL_TRY(pal_nifty_count(nifty, node, "NumNodes", &count));
    const char *dof = pal_xml_attribute(node, "DOF");
    if (dof != NULL && strcmp(dof, "3") != 0)
        return pal_nifty_fail(nifty, node->line, "DOF of <%s> is %s, expected 3", node->name,
                              pal_quoted(dof).text);
    PAL_TRY(pal_nifty_numbers(nifty, node, numbers));
    if ((int64_t)numbers->count != 3 * (int64_t)count)
        return pal_nifty_fail(nifty, node->line,
                              "<%s> holds %d numbers, expected %lld: x y z of each of its %d nodes",
                              node->name, (int)numbers->count, 3 * (long long)count, (int)count);
    return PAL_OK;
}

static PalStatus read_inline(PalNifty *nifty, const PalXmlNode *nodes, const PalXmlNode *elements,
                             PalCellKind kind, PalMesh **mesh)
{
    PalNiftyNumbers points;
    PalNiftyIndices corners;
    int32_t count, width = pal_cell_node_count(kind);
    PAL_TRY(read_points(nifty, nodes, &points));
    PAL_TRY(pal_nifty_count(nifty, elements, "NumEls", &count));
    PAL_TRY(pal_nifty_rows(nifty, elements, width, points.count / 3, &corners));
    if (corners.count / width != count)
        return pal_nifty_fail(nifty, elements->line,
                              "NumEls of <%s> is %d, but the list holds %d, expected as many",
                              elements->name, (int)count, (int)(corners.count / width));
    PalVec3 *positions = pal_tree_alloc(nifty->memory, (size_t)points.count / 3, sizeof *positions);
    if (positions == NULL)
        return pal_nifty_no_memory(nifty);
    for (int32_t n = 0; n < points.count / 3; ++n)
        positions[n] =
            (PalVec3){points.items[3 * n], points.items[3 * n + 1], points.items[3 * n + 2]};
    PalMeshDef def = {kind, points.count / 3, positions, count, corners.items};
    PalError inner = {0};
    PalStatus status = pal_mesh_create(&def, mesh, &inner);
    if (status == PAL_NO_MEMORY)
        return pal_nifty_no_memory(nifty);
    return status == PAL_OK ? PAL_OK : pal_nifty_fail(nifty, nodes->line, "%s", inner.text);
}

// ---- files ------------------------------------------------------------------------------------

// Turns a word such as Translation or Rotation into numbers; absent ones leave them alone.
static PalStatus read_optional(PalNifty *nifty, const PalXmlNode *parent, const char *name,
                               int32_t count, double *values)
{
    const PalXmlNode *node = pal_xml_child(parent, name);
    return node == NULL ? PAL_OK : pal_nifty_exactly(nifty, node, count, values);
}

// x' = s (R (x - c) + c) + t with R = Rx Ry Rz: the turn about z acts first.
static PalStatus transform(PalNifty *nifty, const PalXmlNode *node, PalMesh *mesh)
{
    double t[3] = {0}, r[6] = {0}, s = 1;
    PAL_TRY(read_optional(nifty, node, "Translation", 3, t));
    PAL_TRY(read_optional(nifty, node, "Rotation", 6, r));
    PAL_TRY(read_optional(nifty, node, "ScaleFactor", 1, &s));
    if (!(s > 0))
        return pal_nifty_fail(nifty, node->line, "<ScaleFactor> is %g, expected a number above 0",
                              s);
    PalMat3 rx = pal_rotation_about(pal_vec3(1, 0, 0), r[3] * DEGREE);
    PalMat3 ry = pal_rotation_about(pal_vec3(0, 1, 0), r[4] * DEGREE);
    PalMat3 rz = pal_rotation_about(pal_vec3(0, 0, 1), r[5] * DEGREE);
    PalVec3 centre = pal_vec3(r[0], r[1], r[2]);
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        PalVec3 x = pal_vec3_sub(mesh->nodes[n], centre);
        x = pal_mat3_apply(&rx, pal_mat3_apply(&ry, pal_mat3_apply(&rz, x)));
        x = pal_vec3_scale(s, pal_vec3_add(x, centre));
        mesh->nodes[n] = pal_vec3_add(x, pal_vec3(t[0], t[1], t[2]));
        if (!pal_vec3_is_finite(mesh->nodes[n]))
            return pal_nifty_fail(nifty, node->line,
                                  "the transforms of <%s> move a node too far to compute with, "
                                  "expected smaller numbers",
                                  node->name);
    }
    return PAL_OK;
}

// As NiftySim does, from the working directory; failing that, beside the model.
static PalStatus find_file(PalNifty *nifty, const PalXmlNode *node, const char **path)
{
    const char *name = node->text;
    size_t folder = strlen(nifty->folder), length = strlen(name);
    if (length == 0)
        return pal_nifty_fail(nifty, node->line, "<%s> is empty, expected the path of a file",
                              node->name);
    if (pal_has_control(name))
        return pal_nifty_fail(nifty, node->text_line,
                              "%s in <%s> holds a control character, expected the path of a file",
                              pal_quoted(name).text, node->name);
    *path = name;
    if (access(name, R_OK) == 0)
        return PAL_OK;
    char *beside = pal_tree_alloc(nifty->memory, folder + length + 1, 1);
    if (beside == NULL)
        return pal_nifty_no_memory(nifty);
    memcpy(beside, nifty->folder, folder);
    memcpy(beside + folder, name, length);
    if (name[0] != '/' && access(beside, R_OK) == 0) {
        *path = beside;
        return PAL_OK;
    }
    return pal_nifty_fail(nifty, node->text_line,
                          "cannot open %s, expected a mesh file in the working directory or beside "
                          "the model",
                          pal_quoted(name).text);
}

static PalStatus read_file(PalNifty *nifty, const PalXmlNode *node, PalMeshWant want,
                           PalMesh **mesh)
{
    const char *path = NULL;
    PalError inner = {0};
    PAL_TRY(find_file(nifty, node, &path));
    PalStatus status = pal_mesh_read(path, want, mesh, &inner);
    if (status == PAL_NO_MEMORY)
        return pal_nifty_no_memory(nifty);
    if (status != PAL_OK)
        return pal_error_set(nifty->notes.error, PAL_BAD_INPUT, "%s (<%s>, %s:%d)", inner.text,
                             node->name, nifty->notes.path, (int)node->line);
    return transform(nifty, node, *mesh);
}

// ---- solids -----------------------------------------------------------------------------------

static PalStatus read_type(PalNifty *nifty, const PalXmlNode *node, PalElementKind *element)
{
    static const char *const words[] = {"T4", "T4ANP", "H8"};
    static const PalElementKind kinds[] = {PAL_ELEMENT_T4, PAL_ELEMENT_T4_ANP, PAL_ELEMENT_H8};
    const char *type;
    PAL_TRY(pal_nifty_need_attribute(nifty, node, "Type", &type));
    for (int i = 0; i < 3; ++i)
        if (strcmp(type, words[i]) == 0) {
            *element = kinds[i];
            return PAL_OK;
        }
    return pal_nifty_fail(nifty, node->line, "Type of <%s> is %s, expected T4, T4ANP or H8",
                          node->name, pal_quoted(type).text);
}

// Tetrahedra of either hand are the same to NiftySim; a hexahedron inside out is a mistake.
static PalStatus check_cells(PalNifty *nifty, const PalNiftyScope *scope)
{
    PalMesh *mesh = scope->mesh;
    bool hexahedra = mesh->cell_kind == PAL_CELL_HEXAHEDRON;
    for (int32_t e = 0; e < mesh->cell_count; ++e) {
        double volume = pal_cell_volume(mesh, e);
        if (hexahedra && volume < 0)
            return pal_nifty_fail(nifty, scope->mesh_line,
                                  "element %d is inside out, expected nodes 0 to 3 on one face and "
                                  "4 to 7 behind it",
                                  (int)e);
        if (!hexahedra && volume < 0) {
            int32_t *cell = mesh->cells + 4 * (int64_t)e, second = cell[1];
            cell[1] = cell[2];
            cell[2] = second;
        }
    }
    return PAL_OK;
}

PalStatus pal_nifty_read_mesh(PalNifty *nifty, PalNiftyScope *scope)
{
    const PalXmlNode *file = pal_xml_child(scope->node, "VTKMesh");
    file = file != NULL ? file : pal_xml_child(scope->node, "MSHMesh");
    if (file != NULL) {
        scope->mesh_line = file->line;
        PAL_TRY(read_type(nifty, file, &scope->element));
        PAL_TRY(read_file(nifty, file, PAL_WANT_SOLID, &scope->mesh));
        PalCellKind expected = pal_element_cell(scope->element);
        if (scope->mesh->cell_kind != expected)
            return pal_nifty_fail(nifty, file->line, "the mesh of <%s> is of %s cells, expected %s",
                                  file->name, pal_cell_name(scope->mesh->cell_kind),
                                  expected == PAL_CELL_HEXAHEDRON ? "hexahedra" : "tetrahedra");
        return check_cells(nifty, scope);
    }
    PalXmlNode *nodes, *elements;
    PAL_TRY(pal_nifty_need(nifty, scope->node, "Nodes", &nodes));
    PAL_TRY(pal_nifty_need(nifty, scope->node, "Elements", &elements));
    scope->mesh_line = elements->line;
    const char *dof;
    PAL_TRY(pal_nifty_need_attribute(nifty, nodes, "DOF", &dof));
    PAL_TRY(read_type(nifty, elements, &scope->element));
    PAL_TRY(read_inline(nifty, nodes, elements, pal_element_cell(scope->element), &scope->mesh));
    return check_cells(nifty, scope);
}

// ---- surfaces ---------------------------------------------------------------------------------

PalStatus pal_nifty_read_surface_mesh(PalNifty *nifty, const PalXmlNode *node, PalMesh **mesh)
{
    const PalXmlNode *file = pal_xml_child(node, "VTKSurface");
    const char *type;
    PalXmlNode *nodes, *elements;
    if (file == NULL) {
        PAL_TRY(pal_nifty_need(nifty, node, "Nodes", &nodes));
        PAL_TRY(pal_nifty_need(nifty, node, "Elements", &elements));
    }
    const PalXmlNode *typed = file != NULL ? file : elements;
    PAL_TRY(pal_nifty_need_attribute(nifty, typed, "Type", &type));
    if (strcmp(type, "T3") != 0)
        return pal_nifty_fail(nifty, typed->line, "Type of <%s> is %s, expected T3", typed->name,
                              pal_quoted(type).text);
    if (file != NULL)
        return read_file(nifty, file, PAL_WANT_SURFACE, mesh);
    return read_inline(nifty, nodes, elements, PAL_CELL_TRIANGLE, mesh);
}
