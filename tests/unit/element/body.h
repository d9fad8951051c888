// Bodies to test elements with: a box with its nodes shaken, cut into parts.
#ifndef PAL_TESTS_ELEMENT_BODY_H
#define PAL_TESTS_ELEMENT_BODY_H

#include "check.h"
#include "element/elements.h"
#include "math/mat3.h"
#include "random_material.h"

enum { BODY_PARTS_MAX = 3 };

typedef struct Body {
    PalMesh *mesh;
    PalMaterialDef materials[BODY_PARTS_MAX];
    PalElementPartDef parts[BODY_PARTS_MAX];
    PalElementsDef def;
    PalVec3 *displacement;
} Body;

static inline PalVec3 random_vector(double size, uint64_t *seed)
{
    double x = random_between(-size, size, seed), y = random_between(-size, size, seed);
    return pal_vec3(x, y, random_between(-size, size, seed));
}

static inline double largest(const PalVec3 *v, int32_t count)
{
    double size = 0;
    for (int32_t n = 0; n < count; ++n)
        size = fmax(size, pal_vec3_length(v[n]));
    return size;
}

static inline double largest_difference(const PalVec3 *a, const PalVec3 *b, int32_t count)
{
    double size = 0;
    for (int32_t n = 0; n < count; ++n)
        size = fmax(size, pal_vec3_distance(a[n], b[n]));
    return size;
}

static bool body_straight;                // edges of quadratic cells
static PalHourglassControl body_control;  // of hexahedra
static bool body_even;                    // hexahedra are skewed alike, not shaken

// A box of unit cells, corners moved by up to `shake`.
static inline PalMesh *shaken_box(PalCellKind kind, const int32_t cells[3], double shake,
                                  uint64_t *seed)
{
    PalError error = {0};
    PalShapeDef shape = pal_shape_def_default();
    shape.cell_kind = kind;
    shape.extent = pal_vec3(cells[0], cells[1], cells[2]);
    for (int i = 0; i < 3; ++i)
        shape.cells[i] = cells[i];
    PalMesh *mesh = NULL;
    check_ok(pal_mesh_create_shape(&shape, &mesh, &error), &error);
    for (int32_t n = 0; n < mesh->node_count; ++n)
        mesh->nodes[n] = body_even
                             ? pal_vec3(mesh->nodes[n].x + 0.2 * mesh->nodes[n].y, mesh->nodes[n].y,
                                        0.7 * mesh->nodes[n].z - 0.3 * mesh->nodes[n].x)
                             : pal_vec3_add(mesh->nodes[n], random_vector(shake, seed));
    static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    bool straight = body_straight && kind == PAL_CELL_QUADRATIC_TETRAHEDRON;
    for (int32_t i = 0; straight && i < 6 * mesh->cell_count; ++i) {
        const int32_t *cell = mesh->cells + 10 * (i / 6);
        PalVec3 a = mesh->nodes[cell[ends[i % 6][0]]], b = mesh->nodes[cell[ends[i % 6][1]]];
        mesh->nodes[cell[4 + i % 6]] = pal_vec3_scale(0.5, pal_vec3_add(a, b));
    }
    return mesh;
}

// Parts of about equal size of one kind and law, each with random parameters.
static inline Body body_create(PalElementKind kind, const PalMaterialLaw *law,
                               const int32_t cells[3], int32_t part_count, uint64_t *seed)
{
    Body body = {0};
    PalCellKind cell = pal_element_cell(kind);
    int32_t corner_count = pal_cell_node_count(cell);
    double shake = cell == PAL_CELL_QUADRATIC_TETRAHEDRON ? 0.04 : 0.1;
    body.mesh = shaken_box(cell, cells, shake, seed);
    for (int32_t p = 0; p < part_count; ++p) {
        int32_t begin = (int32_t)((int64_t)body.mesh->cell_count * p / part_count);
        int32_t end = (int32_t)((int64_t)body.mesh->cell_count * (p + 1) / part_count);
        body.materials[p] = random_material(law, seed);
        body.parts[p] =
            (PalElementPartDef){.type = pal_element_row(kind, body_control),
                                .element_count = end - begin,
                                .connectivity = body.mesh->cells + (int64_t)begin * corner_count,
                                .hourglass = 0.1,
                                .hourglass_control = body_control};
    }
    body.displacement = calloc((size_t)body.mesh->node_count, sizeof *body.displacement);
    body.def = (PalElementsDef){
        .node_count = body.mesh->node_count, .nodes = body.mesh->nodes, .part_count = part_count};
    return body;
}

// The definition, with pointers into the body where it stands now.
static inline const PalElementsDef *body_def(Body *body)
{
    for (int32_t p = 0; p < body->def.part_count; ++p)
        body->parts[p].material = &body->materials[p];
    body->def.parts = body->parts;
    return &body->def;
}

static inline PalElements *body_elements(Body *body)
{
    PalError error = {0};
    PalElements *elements = NULL;
    check_ok(pal_elements_create(body_def(body), &elements, &error), &error);
    return elements;
}

// Each of these evaluates with a scratch of its own.
static inline PalElementScratch *scratch_for(const PalElements *elements, int32_t thread_count)
{
    PalError error = {0};
    PalElementScratch *scratch = NULL;
    check_ok(pal_element_scratch_create(elements, &scratch, &error), &error);
    pal_element_scratch_set_threads(scratch, thread_count);
    pal_element_scratch_set_precise(scratch);
    return scratch;
}

static inline PalElementTrouble force_of(const PalElements *elements, const PalVec3 *displacement,
                                         double step, double *history, int32_t thread_count,
                                         PalVec3 *force)
{
    PalElementScratch *scratch = scratch_for(elements, thread_count);
    PalElementTrouble trouble =
        pal_elements_force(elements, scratch, displacement, step, history, force);
    pal_element_scratch_destroy(scratch);
    return trouble;
}

static inline void fields_of(const PalElements *elements, const PalVec3 *displacement,
                             const double *history, int32_t thread_count,
                             const PalElementFields *fields)
{
    PalElementScratch *scratch = scratch_for(elements, thread_count);
    pal_elements_fields(elements, scratch, displacement, history, fields);
    pal_element_scratch_destroy(scratch);
}

static inline double energy_of(const PalElements *elements, const PalVec3 *displacement,
                               int32_t thread_count)
{
    PalElementScratch *scratch = scratch_for(elements, thread_count);
    double energy = pal_elements_energy(elements, scratch, displacement);
    pal_element_scratch_destroy(scratch);
    return energy;
}

static inline double step_of(const PalElements *elements, const PalVec3 *displacement,
                             const double *mass_factors, int32_t thread_count, double *bounds,
                             int32_t *worst_element)
{
    PalElementScratch *scratch = scratch_for(elements, thread_count);
    double step = pal_elements_stable_step(elements, scratch, displacement, mass_factors, bounds,
                                           worst_element);
    pal_element_scratch_destroy(scratch);
    return step;
}

// u = (F - I) X + something random at every node.
static inline void body_deform(Body *body, const PalMat3 *F, double shake, uint64_t *seed)
{
    for (int32_t n = 0; n < body->mesh->node_count; ++n) {
        PalVec3 moved = pal_mat3_apply(F, body->mesh->nodes[n]);
        body->displacement[n] =
            pal_vec3_add(pal_vec3_sub(moved, body->mesh->nodes[n]), random_vector(shake, seed));
    }
}

static inline void body_destroy(Body *body)
{
    pal_mesh_destroy(body->mesh);
    free(body->displacement);
}

#endif
