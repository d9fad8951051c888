// Conjugate gradients (Hestenes and Stiefel 1952) with M for the metric, ended where A curves
// downward (Steihaug 1983). All products of the way with b are positive.
#include "math/cg.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define FLAT 1e-3  // curvature of A, of that of M: where it is less, that of M counts

PalStatus pal_cg_create(int32_t size, PalCg *cg, PalError *error)
{
    cg->size = size;
    cg->memory = pal_alloc((size_t)size * 4, sizeof *cg->memory);
    if (cg->memory == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for %d equations", size);
    return PAL_OK;
}

void pal_cg_clear(PalCg *cg)
{
    pal_free(cg->memory);
    cg->memory = NULL;
}

static double dot(int32_t size, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t i = 0; i < size; ++i)
        sum += a[i] * b[i];
    return sum;
}

static double largest(int32_t size, const double *x)
{
    double most = 0;
    for (int32_t i = 0; i < size; ++i)
        most = fmax(most, fabs(x[i]));
    return most;
}

PalStatus pal_cg_descend(const PalCg *cg, const PalGmresPair *pair, const PalCgWish *wish,
                         double *x, PalCgFacts *facts, PalError *error)
{
    const int32_t size = cg->size;
    const size_t bytes = (size_t)size * sizeof *x;
    double *rest = cg->memory, *near = rest + size, *way = near + size, *product = way + size;
    double norm = sqrt(dot(size, x, x)), steep = 0, metric = 0;
    *facts = (PalCgFacts){.left = norm > 0 ? 1 : 0};
    memcpy(rest, x, bytes);
    memset(x, 0, bytes);
    memset(way, 0, bytes);
    while (facts->products < PAL_CG_MOST && facts->left > wish->exact && !facts->falls) {
        memcpy(near, rest, bytes);
        PAL_TRY(pair->divide(pair->context, near, error));
        double before = steep;
        steep = dot(size, rest, near);
        double back = before > 0 ? steep / before : 0;
        metric = steep + back * back * metric;  // of the way: what is left is orthogonal to it
        if (!(steep > 0))
            return PAL_OK;
        for (int32_t i = 0; i < size; ++i)
            way[i] = near[i] + back * way[i];
        pair->multiply(pair->context, way, product);
        ++facts->products;
        double curvature = dot(size, way, product);
        facts->falls = !(curvature >= FLAT * metric);
        double part = steep / (facts->falls ? metric : curvature);
        for (int32_t i = 0; i < size; ++i) {
            x[i] += part * way[i];
            rest[i] -= part * product[i];
        }
        facts->left = sqrt(dot(size, rest, rest)) / norm;
        double far = largest(size, x);
        if (far > wish->longest && facts->products > 1) {
            for (int32_t i = 0; i < size; ++i)
                x[i] *= wish->longest / far;
            return PAL_OK;
        }
    }
    return PAL_OK;
}
