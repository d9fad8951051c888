#include "reduced/haptic_lanes.h"

#include "math/lanes.h"
#include <string.h>

typedef float Eight __attribute__((vector_size(32)));

static inline Eight load(const float *from)
{
    Eight value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline float sum_of(Eight a)
{
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

PAL_CLONES void pal_rows_dot(const float *rows, int32_t row_count, int32_t count, const float *q,
                             float *sums)
{
    int32_t i = 0;
    for (; i + 4 <= row_count; i += 4) {
        const float *a = rows + (int64_t)i * count, *b = a + count, *c = b + count, *d = c + count;
        Eight sa = {0}, sb = {0}, sc = {0}, sd = {0};
        for (int32_t k = 0; k < count; k += 8) {
            Eight x = load(q + k);
            sa += load(a + k) * x;
            sb += load(b + k) * x;
            sc += load(c + k) * x;
            sd += load(d + k) * x;
        }
        sums[i] = sum_of(sa);
        sums[i + 1] = sum_of(sb);
        sums[i + 2] = sum_of(sc);
        sums[i + 3] = sum_of(sd);
    }
    for (; i < row_count; ++i) {
        const float *a = rows + (int64_t)i * count;
        Eight sa = {0};
        for (int32_t k = 0; k < count; k += 8)
            sa += load(a + k) * load(q + k);
        sums[i] = sum_of(sa);
    }
}

PAL_CLONES void pal_rows_combine(const float *const *rows, const float *factors, int32_t row_count,
                                 int32_t count, float *into)
{
    for (int32_t k = 0; k < count; k += 8) {
        Eight sum = {0};
        for (int32_t i = 0; i < row_count; ++i)
            sum += load(rows[i] + k) * factors[i];
        memcpy(into + k, &sum, sizeof sum);
    }
}

PAL_CLONES void pal_rows_accumulate(const float *const *rows, const float *factors,
                                    int32_t row_count, int32_t count, float *into)
{
    for (int32_t k = 0; k < count; k += 8) {
        Eight sum = load(into + k);
        for (int32_t i = 0; i < row_count; ++i)
            sum += load(rows[i] + k) * factors[i];
        memcpy(into + k, &sum, sizeof sum);
    }
}

PAL_CLONES void pal_rows_add(const float *rows, const float *factors, int32_t row_count,
                             int32_t count, float *into)
{
    int32_t i = 0;
    for (; i + 4 <= row_count; i += 4) {
        const float *a = rows + (int64_t)i * count, *b = a + count, *c = b + count, *d = c + count;
        for (int32_t k = 0; k < count; k += 8) {
            Eight sum = load(into + k) + load(a + k) * factors[i] + load(b + k) * factors[i + 1] +
                        load(c + k) * factors[i + 2] + load(d + k) * factors[i + 3];
            memcpy(into + k, &sum, sizeof sum);
        }
    }
    for (; i < row_count; ++i)
        for (int32_t k = 0; k < count; k += 8) {
            Eight sum = load(into + k) + load(rows + (int64_t)i * count + k) * factors[i];
            memcpy(into + k, &sum, sizeof sum);
        }
}
