// B has a row for each component of a cell's displacement gradient:  grad u = B q.  So
//   g = sum V w B' P(I + B q),   K = sum V w B' A B,   A = dP/dF.
#include "reduced/subspace.h"

#include "base/memory.h"
#include "element/geometry.h"
#include "material/law.h"
#include "math/mat3.h"

#include <string.h>

void pal_subspace_clear(PalSubspace *space)
{
    pal_free(space->rows);
    pal_free(space->volume);
    pal_free(space->material);
    pal_free(space->product);
    *space = (PalSubspace){0};
}

// Rows 3 i + j of B: sum over corners of gradient_j times the mode's row of axis i.
static void fill_rows(const PalVademecum *book, const int32_t *corner, const PalVec3 gradients[4],
                      float *rows)
{
    int32_t stride = book->size.stride;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            float *row = rows + (3 * i + j) * (int64_t)stride;
            for (int a = 0; a < 4; ++a) {
                const float *mode = pal_vademecum_row(book, corner[a], i);
                float slope = (float)pal_vec3_at(gradients[a], j);
                for (int32_t k = 0; k < stride; ++k)
                    row[k] += slope * mode[k];
            }
        }
}

PalStatus pal_subspace_init(const PalVademecum *book, PalSubspace *space, PalError *error)
{
    size_t count = (size_t)book->size.sample_count, stride = (size_t)book->size.stride;
    *space = (PalSubspace){
        .book = book,
        .rows = pal_alloc(count * 9 * stride, sizeof(float)),
        .volume = pal_alloc(count, sizeof(double)),
        .material = pal_alloc(count, sizeof(PalMaterialDef *)),
        .product = pal_alloc(9 * stride, sizeof(double)),
    };
    if (space->rows == NULL || space->volume == NULL || space->material == NULL ||
        space->product == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for %zu sampled cells", count);
    for (size_t s = 0; s < count; ++s) {
        int32_t cell = book->sample_cell[s];
        const int32_t *corner = book->cells + 4 * (int64_t)cell;
        PalVec3 corners[4], gradients[4];
        for (int a = 0; a < 4; ++a)
            corners[a] = pal_vademecum_node(book, corner[a]);
        double volume = pal_t4_geometry(corners, gradients);
        if (!(volume > 0))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "not a sound vademecum: cell %d has no volume", cell);
        space->volume[s] = volume * (double)book->sample_weight[s];
        space->material[s] = &book->materials[book->cell_material[cell]];
        fill_rows(book, corner, gradients, space->rows + s * 9 * stride);
    }
    return PAL_OK;
}

static void deform(const float *rows, int32_t stride, const double *q, PalMat3 *F)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const float *row = rows + (3 * i + j) * (int64_t)stride;
            double sum = 0;
            for (int32_t k = 0; k < stride; ++k)
                sum += (double)row[k] * q[k];
            F->m[i][j] = sum + (i == j ? 1 : 0);
        }
}

static void add_tangent(PalSubspace *space, const float *rows, double volume, double A[9][9],
                        double *tangent)
{
    int32_t stride = space->book->size.stride;
    for (int a = 0; a < 9; ++a) {
        double *product = space->product + a * (int64_t)stride;
        memset(product, 0, (size_t)stride * sizeof *product);
        for (int b = 0; b < 9; ++b) {
            const float *row = rows + b * (int64_t)stride;
            for (int32_t k = 0; k < stride; ++k)
                product[k] += volume * A[a][b] * (double)row[k];
        }
    }
    const double *p = space->product;
    int64_t n = stride;
    for (int32_t i = 0; i < stride; ++i) {
        double *restrict into = tangent + i * n, f[9];
        for (int a = 0; a < 9; ++a)
            f[a] = (double)rows[a * n + i];
        for (int32_t k = 0; k <= i; ++k)
            into[k] += f[0] * p[k] + f[1] * p[n + k] + f[2] * p[2 * n + k] + f[3] * p[3 * n + k] +
                       f[4] * p[4 * n + k] + f[5] * p[5 * n + k] + f[6] * p[6 * n + k] +
                       f[7] * p[7 * n + k] + f[8] * p[8 * n + k];
    }
}

bool pal_subspace_evaluate(PalSubspace *space, const double *q, double *force, double *tangent)
{
    const PalVademecumSize *size = &space->book->size;
    int32_t stride = size->stride;
    memset(force, 0, (size_t)stride * sizeof *force);
    if (tangent != NULL)
        memset(tangent, 0, (size_t)stride * (size_t)stride * sizeof *tangent);
    for (int32_t s = 0; s < size->sample_count; ++s) {
        const float *rows = space->rows + (int64_t)s * 9 * stride;
        const PalMaterialDef *material = space->material[s];
        PalMat3 F, P;
        deform(rows, stride, q, &F);
        if (!(pal_mat3_determinant(&F) > 0))
            return false;
        material->law->total_ref(material->parameters, &F, &P);
        for (int a = 0; a < 9; ++a) {
            double part = space->volume[s] * P.m[a / 3][a % 3];
            for (int32_t k = 0; k < stride; ++k)
                force[k] += part * (double)rows[a * (int64_t)stride + k];
        }
        if (tangent != NULL) {
            double A[9][9] = {{0}};
            material->law->tangent(material->parameters, &F, A);
            add_tangent(space, rows, space->volume[s], A, tangent);
        }
    }
    if (tangent != NULL)
        for (int32_t i = 0; i < stride; ++i)
            for (int32_t k = i + 1; k < stride; ++k)
                tangent[i * (int64_t)stride + k] = tangent[k * (int64_t)stride + i];
    return true;
}
