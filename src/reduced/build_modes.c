// Modes: the proper orthogonal decomposition of equilibria in the norm of the stiffness at rest.
// docs/theory/vademecum.md, 2
#include "reduced/build.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "reduced/dense.h"

#include <math.h>
#include <string.h>

#define LINEAR_WEIGHT 0.1    // of answers at rest, beside equilibria
#define LEAST         1e-12  // of the largest eigenvalue

// Shapes that modes are made of, each of unit norm times its weight, and stiffness times them.
typedef struct Shapes {
    PalBuild *build;
    int32_t count;
    const double **shape;
    double *scale;    // one over the norm, times the weight
    double *product;  // vectors K shape, scaled
    double *gram;     // count x count
} Shapes;

static void clear(Shapes *all)
{
    pal_free(all->shape);
    pal_free(all->scale);
    pal_free(all->product);
    pal_free(all->gram);
}

static void add(Shapes *all, const double *shape, double weight)
{
    PalTruth *truth = all->build->truth;
    double *product = all->product + (int64_t)all->count * truth->size;
    pal_truth_stiffness(truth, shape, product);
    double square = pal_truth_dot(truth, shape, product);
    if (!(square > 0))
        return;
    double scale = weight / sqrt(square);
    for (int32_t r = 0; r < truth->size; ++r)
        product[r] *= scale;
    all->shape[all->count] = shape;
    all->scale[all->count++] = scale;
}

static PalStatus collect(PalBuild *build, Shapes *all, PalError *error)
{
    size_t size = (size_t)build->truth->size;
    size_t most = (size_t)(build->shot_count * PAL_BUILD_LEVELS + build->linear_count);
    *all = (Shapes){.build = build,
                    .shape = pal_alloc(most, sizeof *all->shape),
                    .scale = pal_alloc(most, sizeof(double)),
                    .product = pal_alloc(most * size, sizeof(double)),
                    .gram = pal_alloc(most * most, sizeof(double))};
    if (all->shape == NULL || all->scale == NULL || all->product == NULL || all->gram == NULL)
        return pal_build_no_memory(error);
    for (int32_t i = 0; i < build->shot_count; ++i)
        for (int32_t l = 0; l < build->shots[i].found; ++l)
            add(all, build->shots[i].u + (size_t)l * size, 1);
    for (int32_t i = 0; i < build->linear_count; ++i)
        add(all, build->linear + (size_t)i * size, LINEAR_WEIGHT);
    return PAL_OK;
}

static void gram_row(void *context, int32_t index, int32_t worker)
{
    (void)worker;
    Shapes *all = context;
    const PalTruth *truth = all->build->truth;
    for (int32_t j = 0; j <= index; ++j)
        all->gram[(int64_t)index * all->count + j] =
            all->scale[index] *
            pal_truth_dot(truth, all->shape[index], all->product + (int64_t)j * truth->size);
}

// Takes earlier modes off a mode, twice, and gives it unit norm. False: nothing is left.
static bool orthonormalise(PalBuild *build, int32_t k, double *scratch)
{
    const PalTruth *truth = build->truth;
    double *mode = build->modes + (int64_t)k * truth->size, before = 0;
    for (int pass = 0; pass < 2; ++pass) {
        pal_truth_stiffness(truth, mode, scratch);
        if (pass == 0)
            before = pal_truth_dot(truth, mode, scratch);
        for (int32_t j = 0; j < k; ++j) {
            const double *other = build->modes + (int64_t)j * truth->size;
            double part = pal_truth_dot(truth, other, scratch);
            for (int32_t r = 0; r < truth->size; ++r)
                mode[r] -= part * other[r];
        }
    }
    pal_truth_stiffness(truth, mode, scratch);
    double square = pal_truth_dot(truth, mode, scratch);
    if (!(square > 1e-6 * before))
        return false;
    for (int32_t r = 0; r < truth->size; ++r)
        mode[r] /= sqrt(square);
    return true;
}

static PalStatus take_modes(PalBuild *build, const Shapes *all, int32_t limit, const double *values,
                            const double *vectors, PalError *error)
{
    int64_t size = build->truth->size;
    double *scratch = pal_alloc((size_t)size, sizeof *scratch);
    pal_free(build->modes);
    build->mode_count = 0;
    build->modes = pal_alloc((size_t)limit * (size_t)size, sizeof *build->modes);
    if (build->modes == NULL || scratch == NULL) {
        pal_free(scratch);
        return pal_build_no_memory(error);
    }
    // what is left out would be below a hundredth of the tolerance, in the mean
    double least = 1e-4 * build->def->tolerance * build->def->tolerance * build->shot_count;
    least = least > LEAST * values[0] ? least : LEAST * values[0];
    for (int32_t v = 0; v < all->count && build->mode_count < limit && values[v] > least; ++v) {
        double *mode = build->modes + build->mode_count * size;
        memset(mode, 0, (size_t)size * sizeof *mode);
        for (int32_t i = 0; i < all->count; ++i) {
            double part = vectors[(int64_t)v * all->count + i] * all->scale[i];
            for (int64_t r = 0; r < size; ++r)
                mode[r] += part * all->shape[i][r];
        }
        build->mode_count += orthonormalise(build, build->mode_count, scratch);
    }
    build->progress.mode_count = build->mode_count;
    pal_free(scratch);
    return PAL_OK;
}

static PalStatus decompose(PalBuild *build, Shapes *all, int32_t limit, PalError *error)
{
    size_t count = (size_t)all->count;
    double *values = pal_alloc(count, sizeof *values);
    double *vectors = pal_alloc(count * count, sizeof *vectors);
    double *scratch = pal_alloc(2 * count, sizeof *scratch);
    PalStatus status = PAL_OK;
    if (values == NULL || vectors == NULL || scratch == NULL)
        status = pal_build_no_memory(error);
    else {
        pal_parallel_for(build->def->thread_count, all->count, gram_row, all);
        for (size_t i = 0; i < count; ++i)
            for (size_t j = i + 1; j < count; ++j)
                all->gram[i * count + j] = all->gram[j * count + i];
        pal_dense_eigen(all->gram, all->count, values, vectors, scratch);
        status = take_modes(build, all, limit, values, vectors, error);
    }
    pal_free(values);
    pal_free(vectors);
    pal_free(scratch);
    return status;
}

PalStatus pal_build_modes(PalBuild *build, int32_t limit, PalError *error)
{
    Shapes all;
    PalStatus status = collect(build, &all, error);
    if (status == PAL_OK && all.count > 0)
        status = decompose(build, &all, limit, error);
    clear(&all);
    return status;
}
