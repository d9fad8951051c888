#include "model/thin.h"

#include "base/memory.h"
#include "element/patch.h"
#include "math/vec3.h"
#include "mesh/across.h"
#include "mesh/cells.h"

#include <math.h>
#include <stdlib.h>

static int32_t material_of(const PalBodyDef *def, int32_t cell)
{
    return def->cell_material != NULL ? def->cell_material[cell] : 0;
}

// The corner after another one of a triangle, as one goes around it.
static int32_t after(const PalMesh *mesh, int32_t cell, int32_t node)
{
    const int32_t *n = pal_mesh_cell(mesh, cell);
    return n[0] == node ? n[1] : n[1] == node ? n[2] : n[0];
}

static int32_t before(const PalMesh *mesh, int32_t cell, int32_t node)
{
    const int32_t *n = pal_mesh_cell(mesh, cell);
    return n[0] == node ? n[2] : n[1] == node ? n[0] : n[1];
}

// Puts the cells at a node in the order in which they follow each other, beginning where the
// surface ends, if it does.
static void go_around(const PalMesh *mesh, int32_t node, int32_t *cells, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        bool found = false;
        for (int32_t k = 0; k < count && !found; ++k)
            found = before(mesh, cells[k], node) == after(mesh, cells[i], node);
        if (!found) {
            int32_t first = cells[i];
            cells[i] = cells[0];
            cells[0] = first;
            break;
        }
    }
    for (int32_t i = 1; i < count; ++i)
        for (int32_t k = i; k < count; ++k)
            if (after(mesh, cells[k], node) == before(mesh, cells[i - 1], node)) {
                int32_t next = cells[k];
                cells[k] = cells[i];
                cells[i] = next;
                break;
            }
}

PalStatus pal_thin_describe(const PalBodyDef *def, PalBody *body, PalError *error)
{
    const PalMesh *mesh = body->mesh;
    size_t count = (size_t)mesh->cell_count;
    body->thickness = pal_alloc(count, sizeof *body->thickness);
    body->ring = pal_alloc(3 * count, sizeof *body->ring);
    if (body->thickness == NULL || body->ring == NULL)
        return pal_mesh_no_memory(error);
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        body->thickness[c] = def->material_thickness != NULL
                                 ? def->material_thickness[material_of(def, c)]
                                 : def->thickness;
    PAL_TRY(pal_mesh_node_cells(mesh, &body->around, error));
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        int32_t first = body->around.start[n];
        go_around(mesh, n, body->around.items + first, body->around.start[n + 1] - first);
    }
    return PAL_OK;
}

void pal_thin_measure(const PalBodyDef *def, const PalVec3 *nodes, PalBody *body)
{
    const PalMesh *mesh = body->mesh;
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        double all = 0;
        for (int32_t i = body->around.start[n]; i < body->around.start[n + 1]; ++i) {
            int32_t cell = body->around.items[i];
            const PalMaterialDef *material = &def->materials[material_of(def, cell)];
            PalRingSide *side = &body->ring[i];
            side->from = body->first_node + after(mesh, cell, n);
            side->to = body->first_node + before(mesh, cell, n);
            PalVec3 own = nodes[body->first_node + n];
            PalVec3 twice = pal_vec3_cross(pal_vec3_sub(nodes[side->from], own),
                                           pal_vec3_sub(nodes[side->to], own));
            double shear, bulk, area = pal_vec3_length(twice);
            pal_material_moduli(material, &shear, &bulk);
            double lame = bulk - 2.0 / 3.0 * shear;
            side->inverse2 = 1 / pal_vec3_dot(twice, twice);
            side->thinning = material->incompressible ? 1 : fmax(lame / (lame + 2 * shear), 0);
            side->half = area * body->thickness[cell] / 2;
            all += area;
        }
        for (int32_t i = body->around.start[n]; i < body->around.start[n + 1]; ++i)
            body->ring[i].half /= all;
    }
}

// In the plane of the triangle, away from corner `side`.
static PalVec3 outward(const PalMesh *mesh, int32_t cell, int side)
{
    const int32_t *nodes = pal_mesh_cell(mesh, cell);
    PalVec3 from = mesh->nodes[nodes[(side + 1) % 3]], to = mesh->nodes[nodes[(side + 2) % 3]];
    PalVec3 along = pal_vec3_normalise(pal_vec3_sub(to, from));
    PalVec3 out = pal_vec3_sub(from, mesh->nodes[nodes[side]]);
    return pal_vec3_normalise(pal_vec3_add_scaled(out, -pal_vec3_dot(out, along), along));
}

// Edges at the end of the surface with both nodes selected.
static PalStatus keep_direction(const PalMesh *mesh, const PalConditionDef *def, PalThin *thin,
                                PalError *error)
{
    int32_t *nodes = NULL, count = 0;
    PAL_TRY(pal_mesh_select_nodes(mesh, &def->where, &nodes, &count, error));
    uint8_t *selected = pal_alloc((size_t)mesh->node_count, sizeof *selected);
    for (int32_t n = 0; selected != NULL && n < count; ++n)
        selected[nodes[n]] = 1;
    free(nodes);
    if (selected == NULL)
        return pal_mesh_no_memory(error);
    bool all = def->axes[0] && def->axes[1] && def->axes[2];
    PalVec3 axis = {def->axes[0], def->axes[1], def->axes[2]};
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        for (int s = 0; s < 3; ++s) {
            const int32_t *corners = pal_mesh_cell(mesh, c);
            bool held = selected[corners[(s + 1) % 3]] && selected[corners[(s + 2) % 3]];
            PalVec3 out = outward(mesh, c, s);
            bool faces = all || fabs(pal_vec3_dot(out, axis)) > 0.1;  // not along the edge
            if (held && faces && thin->beside[c][s] == PAL_NONE)
                thin->mirrors[c][s] = all ? out : axis;
        }
    pal_free(selected);
    return PAL_OK;
}

PalStatus pal_thin_init(const PalModelDef *def, int32_t body_index, PalThin *thin, PalError *error)
{
    const PalMesh *mesh = def->bodies[body_index].mesh;
    *thin = (PalThin){.beside = pal_alloc((size_t)mesh->cell_count, sizeof *thin->beside),
                      .mirrors = pal_alloc((size_t)mesh->cell_count, sizeof *thin->mirrors)};
    if (thin->beside == NULL || thin->mirrors == NULL)
        return pal_mesh_no_memory(error);
    PAL_TRY(pal_mesh_beside(mesh, thin->beside, error));
    for (int32_t i = 0; i < def->condition_count; ++i) {
        const PalConditionDef *condition = &def->conditions[i];
        if (condition->kind == PAL_CONDITION_FIX && condition->clamps &&
            condition->body_index == body_index)
            PAL_TRY(keep_direction(mesh, condition, thin, error));
    }
    return PAL_OK;
}

void pal_thin_clear(PalThin *thin)
{
    pal_free(thin->beside);
    pal_free(thin->mirrors);
    *thin = (PalThin){0};
}

// Largest curvature of a triangle.
static double curvature_of(const PalMesh *mesh, const PalThin *thin, int32_t cell)
{
    int32_t nodes[PAL_PATCH_NODES];
    PalVec3 X[PAL_PATCH_NODES];
    PalPatch patch;
    pal_patch_nodes(mesh, (const int32_t(*)[3])thin->beside, cell, nodes);
    for (int a = 0; a < PAL_PATCH_NODES; ++a)
        X[a] = mesh->nodes[nodes[a]];
    PalElementPartDef part = {.connectivity = nodes};
    pal_patch_init(&part, 0, X, &patch);
    double h[3];
    for (int k = 0; k < 3; ++k)
        h[k] = pal_vec3_dot(patch.normal, patch.h[k]);
    double mean = (h[0] + h[1]) / 2, half = (h[0] - h[1]) / 2;
    return fabs(mean) + sqrt(half * half + h[2] * h[2]);
}

PalStatus pal_thin_check_radius(const PalMesh *mesh, const PalThin *thin, const double *thickness,
                                PalError *error)
{
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        double curvature = curvature_of(mesh, thin, c);
        PalVec3 at = mesh->nodes[pal_mesh_cell(mesh, c)[0]];
        if (thickness[c] * curvature > 1)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "thickness is %g, but the radius of curvature of triangle %d, at "
                                 "(%g, %g, %g), is %.4g, expected a thickness below it",
                                 thickness[c], (int)c, at.x, at.y, at.z, 1 / curvature);
    }
    return PAL_OK;
}
