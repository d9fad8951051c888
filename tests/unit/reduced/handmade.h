// A vademecum of a small box that makes no error: as many modes as it can move in, or fewer of them
// with a local part between all surface nodes; every cell is sampled.
#ifndef PAL_TESTS_HANDMADE_H
#define PAL_TESTS_HANDMADE_H

#include "check.h"
#include "element/geometry.h"
#include "geometry/closest.h"
#include "material/law.h"
#include "math/mat3.h"
#include "reduced/vademecum.h"
#include <palpate/mesh.h>

typedef struct Handmade {
    PalMesh *mesh;
    PalSurface *surface;
    int32_t *number;  // per mesh node: its number in the book
    int32_t node_count, free_count;
    int32_t *equation;    // per number and axis, or PAL_NONE
    double *flexibility;  // K^-1
    double *root;         // Phi: rows are equations, columns modes
    PalVademecum *book;
} Handmade;

static inline void handmade_number(Handmade *made)
{
    int32_t nodes = made->mesh->node_count, next = 0;
    made->node_count = nodes;
    made->number = malloc((size_t)nodes * sizeof(int32_t));
    for (int32_t n = 0; n < nodes; ++n)
        made->number[n] = PAL_NONE;
    for (int32_t i = 0; i < made->surface->node_count; ++i)
        made->number[made->surface->nodes[i]] = next++;
    for (int32_t n = 0; n < nodes; ++n)
        if (made->number[n] == PAL_NONE)
            made->number[n] = next++;
    double low = INFINITY;
    for (int32_t n = 0; n < nodes; ++n)
        low = fmin(low, made->mesh->nodes[n].z);
    made->equation = malloc((size_t)nodes * 3 * sizeof(int32_t));
    for (int32_t n = 0; n < nodes; ++n)
        for (int i = 0; i < 3; ++i)
            made->equation[3 * made->number[n] + i] =
                made->mesh->nodes[n].z > low + 1e-9 ? made->free_count++ : PAL_NONE;
}

static inline void handmade_add_cell(Handmade *made, double *K, const int32_t *cell,
                                     const PalMaterialDef *material)
{
    PalVec3 corners[4], gradients[4];
    for (int a = 0; a < 4; ++a)
        corners[a] = made->mesh->nodes[cell[a]];
    double volume = pal_t4_geometry(corners, gradients), A[9][9] = {{0}};
    PalMat3 F = pal_mat3_identity();
    material->law->tangent(material->parameters, &F, A);
    for (int a = 0; a < 12; ++a)
        for (int b = 0; b < 12; ++b) {
            int32_t row = made->equation[3 * made->number[cell[a / 3]] + a % 3];
            int32_t column = made->equation[3 * made->number[cell[b / 3]] + b % 3];
            double sum = 0;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    sum += pal_vec3_at(gradients[a / 3], i) * A[3 * (a % 3) + i][3 * (b % 3) + j] *
                           pal_vec3_at(gradients[b / 3], j);
            if (row != PAL_NONE && column != PAL_NONE)
                K[(int64_t)row * made->free_count + column] += volume * sum;
        }
}

// K = L L'; Phi = L^-T, so that Phi' K Phi = 1 and Phi Phi' = K^-1. The last modes are the
// smoothest by no law: any will do.
static inline void handmade_factor(Handmade *made, double *K)
{
    int32_t n = made->free_count;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j <= i; ++j) {
            double sum = K[(int64_t)i * n + j];
            for (int32_t k = 0; k < j; ++k)
                sum -= K[(int64_t)i * n + k] * K[(int64_t)j * n + k];
            K[(int64_t)i * n + j] = i == j ? sqrt(sum) : sum / K[(int64_t)j * n + j];
        }
    made->root = calloc((size_t)n * (size_t)n, sizeof(double));
    for (int32_t c = 0; c < n; ++c) {  // column c of L^-1 is row c of L^-T
        double *x = made->root + (int64_t)c * n;
        for (int32_t i = c; i < n; ++i) {
            double sum = i == c ? 1 : 0;
            for (int32_t k = c; k < i; ++k)
                sum -= K[(int64_t)i * n + k] * x[k];
            x[i] = sum / K[(int64_t)i * n + i];
        }
    }
    made->flexibility = calloc((size_t)n * (size_t)n, sizeof(double));
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j)
            for (int32_t k = i > j ? i : j; k < n; ++k)
                made->flexibility[(int64_t)i * n + j] +=
                    made->root[(int64_t)i * n + k] * made->root[(int64_t)j * n + k];
}

static inline void handmade_fill_local(Handmade *made, int32_t first_mode)
{
    PalVademecum *book = made->book;
    int32_t surface = book->size.surface_count, n = made->free_count, at = 0;
    for (int32_t a = 0; a < surface; ++a) {
        book->local_start[a] = at;
        for (int32_t b = 0; b < surface && book->size.local_count > 0; ++b, ++at) {
            book->local_node[at] = b;
            for (int k = 0; k < 9; ++k) {
                int32_t i = made->equation[3 * a + k / 3], j = made->equation[3 * b + k % 3];
                if (i == PAL_NONE || j == PAL_NONE)
                    continue;
                double sum = 0;
                for (int32_t m = 0; m < first_mode; ++m)
                    sum += made->root[(int64_t)i * n + m] * made->root[(int64_t)j * n + m];
                book->local_block[9 * (int64_t)at + k] = (float)sum;
            }
        }
    }
    for (int32_t a = surface; a <= book->size.node_count; ++a)
        book->local_start[a] = at;
}

static inline void handmade_fill(Handmade *made, int32_t modes, const PalMaterialDef *material)
{
    PalVademecum *book = made->book;
    int32_t n = made->free_count, first = n - modes;
    for (int32_t i = 0; i < made->node_count; ++i) {
        int32_t number = made->number[i];
        const PalVec3 *at = &made->mesh->nodes[i];
        memcpy(book->nodes + 3 * number, at, 3 * sizeof(double));
        book->node_number[number] = i;
        for (int axis = 0; axis < 3; ++axis) {
            int32_t equation = made->equation[3 * number + axis];
            float *row = book->modes + ((int64_t)3 * number + axis) * book->size.stride;
            for (int32_t k = 0; k < modes && equation != PAL_NONE; ++k)
                row[k] = (float)made->root[(int64_t)equation * n + first + k];
        }
    }
    for (int32_t c = 0; c < book->size.cell_count; ++c) {
        for (int a = 0; a < 4; ++a)
            book->cells[4 * c + a] = made->number[made->mesh->cells[4 * c + a]];
        book->sample_cell[c] = c;
        book->sample_weight[c] = 1;
    }
    for (int32_t t = 0; t < 3 * book->size.triangle_count; ++t)
        book->triangles[t] = made->number[made->surface->facets[t]];
    snprintf((char *)book->law, PAL_LAW_WORDS * sizeof(int32_t), "%s", material->law->name);
    memcpy(book->parameters, material->parameters, sizeof material->parameters);
    book->level[0] = 1;
    for (int32_t s = 0; s < book->size.site_count; ++s)
        book->site[s] = s;
    for (int axis = 0; axis < 3; ++axis)
        book->direction[4 * axis] = 1;
    handmade_fill_local(made, first);
}

// A box on its lower side; `left_out` modes become the local part.
static inline void handmade_box(Handmade *made, PalVec3 extent, const int32_t cells[3],
                                int32_t left_out)
{
    PalError error = {0};
    PalShapeDef shape = pal_shape_def_default();
    shape.extent = extent;
    memcpy(shape.cells, cells, sizeof shape.cells);
    *made = (Handmade){0};
    check_ok(pal_mesh_create_shape(&shape, &made->mesh, &error), &error);
    check_ok(pal_mesh_boundary(made->mesh, &made->surface, &error), &error);
    handmade_number(made);
    PalMaterialDef material = pal_material_def_default();
    material.law = &pal_law_st_venant_kirchhoff;
    material.parameters[0] = 400;
    material.parameters[1] = 800;
    size_t n = (size_t)made->free_count;
    double *K = calloc(n * n, sizeof(double));
    for (int32_t c = 0; c < made->mesh->cell_count; ++c)
        handmade_add_cell(made, K, made->mesh->cells + 4 * c, &material);
    handmade_factor(made, K);
    free(K);
    int32_t modes = made->free_count - left_out, surface = made->surface->node_count;
    PalVademecumSize size = {
        .node_count = made->node_count,
        .surface_count = surface,
        .triangle_count = made->surface->facet_count,
        .cell_count = made->mesh->cell_count,
        .material_count = 1,
        .site_count = surface,
        .direction_count = 3,
        .level_count = 1,
        .mode_count = modes,
        .stride = (modes + 7) / 8 * 8,
        .sample_count = made->mesh->cell_count,
        .local_count = left_out > 0 ? surface * surface : 0,
    };
    PalVademecumFacts facts = {.directions = PAL_DIRECTIONS_XYZ, .patch = 0.1, .largest = 100};
    check_ok(pal_vademecum_create(&size, &facts, &made->book, &error), &error);
    handmade_fill(made, modes, &material);
    for (int32_t s = 0; s < surface;
         ++s)  // stored answers: that of a unit force, times the largest
        for (int d = 0; d < 3; ++d)
            for (int32_t k = 0; k < modes; ++k)
                made->book->coefficient[((int64_t)s * 3 + d) * size.stride + k] =
                    100 * pal_vademecum_row(made->book, s, d)[k];
    check_ok(pal_vademecum_finish(made->book, &error), &error);
}

static inline void handmade_clear(Handmade *made)
{
    pal_mesh_destroy(made->mesh);
    pal_surface_destroy(made->surface);
    pal_vademecum_destroy(made->book);
    free(made->number);
    free(made->equation);
    free(made->flexibility);
    free(made->root);
}

#endif
