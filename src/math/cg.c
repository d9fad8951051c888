// Conjugate gradients (Hestenes and Stiefel 1952) with M for the metric, ended where A curves
// downward (Steihaug 1983). All products of the way with b are positive.
#include "math/cg.h"

#include "base/memory.h"
#include "math/vectors.h"

#include <math.h>
#include <string.h>

#define FLAT 1e-3  // curvature of A, of that of M: where it is less, that of M counts

PalStatus pal_cg_create(int32_t size, PalCg *cg, PalError *error)
{
    cg->size = size;
    return pal_vectors_create(size, 4, &cg->memory, error);
}

void pal_cg_clear(PalCg *cg)
{
    pal_free(cg->memory);
    cg->memory = NULL;
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
    double norm = sqrt(pal_vectors_dot(size, x, x)), steep = 0, metric = 0;
    *facts = (PalCgFacts){.left = norm > 0 ? 1 : 0};
    memcpy(rest, x, bytes);
    memset(x, 0, bytes);
    memset(way, 0, bytes);
    while (facts->products < PAL_CG_MOST && facts->left > wish->exact && !facts->falls) {
        memcpy(near, rest, bytes);
        PAL_TRY(pair->divide(pair->context, near, error));
        double before = steep;
        steep = pal_vectors_dot(size, rest, near);
        double back = before > 0 ? steep / before : 0;
        metric = steep + back * back * metric;  // of the way: what is left is orthogonal to it
        if (!(steep > 0))
            return PAL_OK;
        for (int32_t i = 0; i < size; ++i)
            way[i] = near[i] + back * way[i];
        pair->multiply(pair->context, way, product);
        ++facts->products;
        double curvature = pal_vectors_dot(size, way, product);
        facts->falls = !(curvature >= FLAT * metric);
        double part = steep / (facts->falls ? metric : curvature);
        for (int32_t i = 0; i < size; ++i) {
            x[i] += part * way[i];
            rest[i] -= part * product[i];
        }
        facts->left = sqrt(pal_vectors_dot(size, rest, rest)) / norm;
        double far = largest(size, x);
        if (far > wish->longest && facts->products > 1) {
            for (int32_t i = 0; i < size; ++i)
                x[i] *= wish->longest / far;
            return PAL_OK;
        }
    }
    return PAL_OK;
}
