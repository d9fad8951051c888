#include "math/vectors.h"

#include "base/memory.h"

double pal_vectors_dot(int32_t size, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t i = 0; i < size; ++i)
        sum += a[i] * b[i];
    return sum;
}

PalStatus pal_vectors_create(int32_t size, int32_t count, double **vectors, PalError *error)
{
    *vectors = pal_alloc((size_t)size * (size_t)count, sizeof **vectors);
    if (*vectors == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for %d equations", size);
    return PAL_OK;
}
