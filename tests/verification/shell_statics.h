// Equilibrium of shells by Newton's method, the stiffness in a band: that of the elements, or from
// differences of forces where loads turn. Known answers of statics are then exact but for the
// element.
#ifndef PAL_TESTS_SHELL_STATICS_H
#define PAL_TESTS_SHELL_STATICS_H

#include "check.h"
#include "element/patch.h"
#include "element/stiffness.h"
#include "math/vec3.h"
#include "mesh/across.h"

typedef PalVec3 (*ShellMap)(double u, double v);

typedef struct Shell Shell;

struct Shell {
    int32_t nx, ny;
    PalMesh *mesh;
    PalModel *model;
    PalElementScratch *scratch;
    PalVec3 *displacement, *load;
    int32_t size, band;                                // of the matrix
    double *matrix;                                    // row i: columns i - band to i
    double moment;                                     // what `turn` is to make
    void (*turn)(const Shell *shell, PalVec3 *force);  // adds a load that follows; or NULL
};

#define SHELL_CONDITIONS_MAX 8

typedef struct ShellDef {
    int32_t nx, ny;
    ShellMap map;  // from the unit square
    PalElementKind element;
    PalMaterialDef material;
    double thickness;
    int32_t condition_count;
    PalConditionDef conditions[SHELL_CONDITIONS_MAX];
} ShellDef;

static inline PalMaterialDef shell_linear(double young, double poisson)
{
    PalMaterialDef material = pal_material_def_default();
    PalError error = {0};
    material.law = pal_law_find("st-venant-kirchhoff");
    check_ok(pal_moduli_from_young(young, poisson, &material.parameters[0], &material.parameters[1],
                                   &error),
             &error);
    return material;
}

static inline int32_t shell_node(const Shell *shell, int32_t i, int32_t j)
{
    return i + (shell->nx + 1) * j;
}

// Holds axes of the side i = 0, i = nx, j = 0 or j = ny, numbered in this order.
static inline void shell_hold(ShellDef *def, int side, const char *axes, bool clamps)
{
    PalConditionDef *condition = &def->conditions[def->condition_count++];
    int32_t count = (side < 2 ? def->ny : def->nx) + 1;
    int32_t *nodes = calloc((size_t)count, sizeof *nodes);  // lives as long as the test
    *condition = pal_condition_def_default();
    for (int i = 0; i < 3; ++i)
        condition->axes[i] = strchr(axes, "xyz"[i]) != NULL;
    for (int32_t k = 0; k < count; ++k) {
        int32_t i = side == 0 ? 0 : side == 1 ? def->nx : k;
        int32_t j = side == 2 ? 0 : side == 3 ? def->ny : k;
        nodes[k] = i + (def->nx + 1) * j;
    }
    condition->where = (PalWhere){.kind = PAL_WHERE_NODES, .node_count = count, .nodes = nodes};
    condition->clamps = clamps;
}

static inline PalMesh *shell_mesh(const ShellDef *def)
{
    int32_t across = def->nx + 1, count = across * (def->ny + 1), cell_count = 0;
    PalVec3 *nodes = calloc((size_t)count, sizeof *nodes);
    int32_t *cells = calloc((size_t)(def->nx * def->ny), 6 * sizeof *cells);
    for (int32_t n = 0; n < count; ++n)
        nodes[n] = def->map((double)(n % across) / def->nx, (double)(n / across) / def->ny);
    for (int32_t c = 0; c < def->nx * def->ny; ++c) {
        int32_t a = c % def->nx + across * (c / def->nx);
        int32_t two[6] = {a, a + 1, a + 1 + across, a, a + 1 + across, a + across};
        memcpy(cells + 6 * (int64_t)c, two, sizeof two);
        cell_count += 2;
    }
    PalMeshDef mesh_def = {PAL_CELL_TRIANGLE, count, nodes, cell_count, cells};
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create(&mesh_def, &mesh, &error), &error);
    free(nodes);
    free(cells);
    return mesh;
}

// How far numbers of nodes of one patch are apart.
static inline int32_t shell_widest(const PalMesh *mesh)
{
    int32_t(*beside)[3] = calloc((size_t)mesh->cell_count, sizeof *beside), widest = 0;
    PalError error = {0};
    check_ok(pal_mesh_beside(mesh, beside, &error), &error);
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        int32_t nodes[PAL_PATCH_NODES];
        pal_patch_nodes(mesh, (const int32_t(*)[3])beside, c, nodes);
        for (int k = 0; k < PAL_PATCH_NODES * PAL_PATCH_NODES; ++k) {
            int32_t apart = nodes[k / PAL_PATCH_NODES] - nodes[k % PAL_PATCH_NODES];
            widest = apart > widest ? apart : widest;
        }
    }
    free(beside);
    return widest;
}

// `mesh` NULL: made from the map.
static inline Shell shell_create(ShellDef *def, PalMesh *mesh)
{
    Shell shell = {.nx = def->nx, .ny = def->ny, .mesh = mesh != NULL ? mesh : shell_mesh(def)};
    PalBodyDef body = pal_body_def_default();
    body.mesh = shell.mesh;
    body.element = def->element;
    body.material_count = 1;
    body.materials = &def->material;
    body.thickness = def->thickness;
    PalModelDef model = pal_model_def_default();
    model.body_count = 1;
    model.bodies = &body;
    model.condition_count = def->condition_count;
    model.conditions = def->conditions;
    PalError error = {0};
    check_ok(pal_model_create(&model, &shell.model, &error), &error);
    check_ok(pal_element_scratch_create(shell.model->elements, &shell.scratch, &error), &error);
    int32_t count = shell.mesh->node_count;
    shell.size = 3 * count;
    shell.band = (int32_t)fmin(3 * shell_widest(shell.mesh) + 2, shell.size - 1);
    shell.displacement = calloc((size_t)count, sizeof *shell.displacement);
    shell.load = calloc((size_t)count, sizeof *shell.load);
    shell.matrix = calloc((size_t)shell.size * (size_t)(shell.band + 1), sizeof(double));
    return shell;
}

static inline void shell_destroy(Shell *shell)
{
    pal_element_scratch_destroy(shell->scratch);
    pal_model_destroy(shell->model);
    pal_mesh_destroy(shell->mesh);
    free(shell->displacement);
    free(shell->load);
    free(shell->matrix);
}

static inline double *shell_entry(Shell *shell, int32_t row, int32_t column)
{
    return &shell->matrix[(int64_t)row * (shell->band + 1) + column - row + shell->band];
}

static inline bool shell_held(const Shell *shell, int32_t k)
{
    return shell->model->held[k / 3] >> k % 3 & 1;
}

static inline void shell_force(Shell *shell, PalVec3 *force)
{
    pal_elements_force(shell->model->elements, shell->scratch, shell->displacement, 0, NULL, force);
    if (shell->turn != NULL)
        shell->turn(shell, force);
}

// What is held stays.
static inline void shell_hold_rows(Shell *shell)
{
    for (int32_t k = 0; k < shell->size; ++k)
        for (int32_t c = k - shell->band < 0 ? 0 : k - shell->band; c <= k; ++c)
            if (shell_held(shell, k) || shell_held(shell, c))
                *shell_entry(shell, k, c) = k == c;
}

static inline void shell_tangent(Shell *shell)
{
    PalStiffness *stiffness = NULL;
    PalError error = {0};
    check_ok(pal_stiffness_create(shell->model->elements, shell->model->held, shell->model->nodes,
                                  NULL, &stiffness, &error),
             &error);
    pal_stiffness_assemble(stiffness, shell->scratch, shell->displacement, &(PalStiffnessStep){0});
    memset(shell->matrix, 0, (size_t)shell->size * (size_t)(shell->band + 1) * sizeof(double));
    for (int32_t r = 0; r < stiffness->free_count; ++r)
        for (int64_t i = stiffness->start[r]; i < stiffness->start[r + 1]; ++i) {
            if (stiffness->column[i] >= stiffness->free_count)
                continue;
            int32_t a = stiffness->component[r], b = stiffness->component[stiffness->column[i]];
            *shell_entry(shell, a > b ? a : b, a > b ? b : a) = stiffness->value[i];
        }
    pal_stiffness_destroy(stiffness);
    shell_hold_rows(shell);
}

// Nodes 5 widths apart share nothing: they move together.
static inline void shell_stiffness(Shell *shell, double h)
{
    if (shell->turn == NULL) {
        shell_tangent(shell);
        return;
    }
    int32_t reach = shell->band / 3 + 1, stride = 2 * reach + 1;
    PalVec3 *ahead = calloc((size_t)shell->mesh->node_count, sizeof *ahead);
    PalVec3 *behind = calloc((size_t)shell->mesh->node_count, sizeof *behind);
    memset(shell->matrix, 0, (size_t)shell->size * (size_t)(shell->band + 1) * sizeof(double));
    for (int32_t first = 0; first < 3 * stride && first < shell->size; ++first) {
        double *u = &shell->displacement[0].x;
        for (int side = -1; side <= 1; side += 2) {
            for (int32_t k = first; k < shell->size; k += 3 * stride)
                u[k] += side * h;
            shell_force(shell, side < 0 ? behind : ahead);
            for (int32_t k = first; k < shell->size; k += 3 * stride)
                u[k] -= side * h;
        }
        for (int32_t k = first; k < shell->size; k += 3 * stride)
            for (int32_t r = k - shell->band; r <= k + shell->band; ++r) {
                if (r < 0 || r >= shell->size)
                    continue;
                double slope = ((&behind[0].x)[r] - (&ahead[0].x)[r]) / (2 * h);
                if (r >= k)
                    *shell_entry(shell, r, k) += slope / (r == k ? 1 : 2);
                if (r < k)
                    *shell_entry(shell, k, r) += slope / 2;
            }
    }
    shell_hold_rows(shell);
    free(ahead);
    free(behind);
}

// L D L^T in place, then x.
static inline void shell_solve(Shell *shell, double *x)
{
    int32_t n = shell->size, band = shell->band;
    for (int32_t i = 0; i < n; ++i) {
        int32_t low = i - band < 0 ? 0 : i - band;
        for (int32_t j = low; j < i; ++j) {  // L_ij D_j
            int32_t from = j - band < low ? low : j - band;
            const double *a = shell_entry(shell, i, from), *b = shell_entry(shell, j, from);
            double sum = 0;
            for (int32_t k = 0; k < j - from; ++k)
                sum += a[k] * b[k];
            *shell_entry(shell, i, j) -= sum;
        }
        for (int32_t k = low; k < i; ++k) {
            double whole = *shell_entry(shell, i, k), d = *shell_entry(shell, k, k);
            *shell_entry(shell, i, k) = whole / d;
            *shell_entry(shell, i, i) -= whole * whole / d;
        }
    }
    for (int32_t i = 0; i < n; ++i)
        for (int32_t k = i - band < 0 ? 0 : i - band; k < i; ++k)
            x[i] -= *shell_entry(shell, i, k) * x[k];
    for (int32_t i = 0; i < n; ++i)
        x[i] /= *shell_entry(shell, i, i);
    for (int32_t i = n - 1; i >= 0; --i)
        for (int32_t k = i - band < 0 ? 0 : i - band; k < i; ++k)
            x[k] -= *shell_entry(shell, i, k) * x[i];
}

// One step of Newton's method towards `factor` times the load, no node farther than `most`. Returns
// the largest change.
static inline double shell_newton(Shell *shell, double factor, double h, double most)
{
    PalVec3 *x = calloc((size_t)shell->mesh->node_count, sizeof *x);
    shell_force(shell, x);
    for (int32_t n = 0; n < shell->mesh->node_count; ++n)
        x[n] = pal_vec3_add_scaled(x[n], factor, shell->load[n]);
    for (int32_t k = 0; k < shell->size; ++k)
        if (shell_held(shell, k))
            (&x[0].x)[k] = 0;
    shell_stiffness(shell, h);
    shell_solve(shell, &x[0].x);
    double largest = 0;
    for (int32_t n = 0; n < shell->mesh->node_count; ++n)
        largest = fmax(largest, pal_vec3_length(x[n]));
    double part = largest > most ? most / largest : 1;
    for (int32_t n = 0; n < shell->mesh->node_count; ++n)
        shell->displacement[n] = pal_vec3_add_scaled(shell->displacement[n], part, x[n]);
    free(x);
    return largest;
}

// To equilibrium with `factor` times the load.
static inline void shell_balance(Shell *shell, double factor, double h, double most)
{
    double change = INFINITY;
    for (int round = 0; round < 100 && change > 1e-9 * most; ++round)
        change = shell_newton(shell, factor, h, most);
    if (!(change <= 1e-9 * most))
        fail_msg("no equilibrium: nodes still move by %g", change);
}

#endif
