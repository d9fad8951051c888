#include "reduced/haptic_lanes.h"

#include "math/lanes.h"

PAL_CLONES void pal_rows_dot(const float *rows, int32_t row_count, int32_t count, const float *q,
                             float *sums)
{
    int32_t i = 0;
    for (; i + 4 <= row_count; i += 4) {
        const float *a = rows + (int64_t)i * count, *b = a + count, *c = b + count, *d = c + count;
        PalEight sa = {0}, sb = {0}, sc = {0}, sd = {0};
        for (int32_t k = 0; k < count; k += 8) {
            PalEight x = pal_eight(q + k);
            sa += pal_eight(a + k) * x;
            sb += pal_eight(b + k) * x;
            sc += pal_eight(c + k) * x;
            sd += pal_eight(d + k) * x;
        }
        sums[i] = pal_eight_sum(sa);
        sums[i + 1] = pal_eight_sum(sb);
        sums[i + 2] = pal_eight_sum(sc);
        sums[i + 3] = pal_eight_sum(sd);
    }
    for (; i < row_count; ++i)
        sums[i] = pal_lanes_dot(rows + (int64_t)i * count, q, count);
}

PAL_CLONES void pal_rows_combine(const float *const *rows, const float *factors, int32_t row_count,
                                 int32_t count, float *into)
{
    for (int32_t k = 0; k < count; k += 8) {
        PalEight sum = {0};
        for (int32_t i = 0; i < row_count; ++i)
            sum += pal_eight(rows[i] + k) * factors[i];
        memcpy(into + k, &sum, sizeof sum);
    }
}

PAL_CLONES void pal_rows_accumulate(const float *const *rows, const float *factors,
                                    int32_t row_count, int32_t count, float *into)
{
    for (int32_t k = 0; k < count; k += 8) {
        PalEight sum = pal_eight(into + k);
        for (int32_t i = 0; i < row_count; ++i)
            sum += pal_eight(rows[i] + k) * factors[i];
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
            PalEight sum = pal_eight(into + k) + pal_eight(a + k) * factors[i] +
                           pal_eight(b + k) * factors[i + 1] + pal_eight(c + k) * factors[i + 2] +
                           pal_eight(d + k) * factors[i + 3];
            memcpy(into + k, &sum, sizeof sum);
        }
    }
    for (; i < row_count; ++i)
        for (int32_t k = 0; k < count; k += 8) {
            PalEight sum =
                pal_eight(into + k) + pal_eight(rows + (int64_t)i * count + k) * factors[i];
            memcpy(into + k, &sum, sizeof sum);
        }
}

// Two rows with four others at a time.
static inline void gram_tile(const float *rows, int32_t i, int32_t j, int32_t count, float *values,
                             int32_t line)
{
    const float *a = rows + (int64_t)i * count, *b = a + count;
    const float *c = rows + (int64_t)j * count, *d = c + count, *e = d + count, *f = e + count;
    PalEight ac = {0}, ad = {0}, ae = {0}, af = {0}, bc = {0}, bd = {0}, be = {0}, bf = {0};
    for (int32_t k = 0; k < count; k += 8) {
        PalEight x = pal_eight(a + k), y = pal_eight(b + k);
        PalEight p = pal_eight(c + k), q = pal_eight(d + k), r = pal_eight(e + k);
        PalEight s = pal_eight(f + k);
        ac += x * p, ad += x * q, ae += x * r, af += x * s;
        bc += y * p, bd += y * q, be += y * r, bf += y * s;
    }
    float *first = values + (int64_t)i * line + j, *second = first + line;
    first[0] = pal_eight_sum(ac), first[1] = pal_eight_sum(ad);
    first[2] = pal_eight_sum(ae), first[3] = pal_eight_sum(af);
    second[0] = pal_eight_sum(bc), second[1] = pal_eight_sum(bd);
    second[2] = pal_eight_sum(be), second[3] = pal_eight_sum(bf);
}

PAL_CLONES void pal_rows_gram(const float *rows, int32_t row_count, int32_t count, float *values,
                              int32_t line)
{
    for (int32_t i = 0; i < row_count; i += 2) {
        int32_t j = 0;
        for (; i + 1 < row_count && j <= i && j + 4 <= row_count; j += 4)
            gram_tile(rows, i, j, count, values, line);
        for (int32_t row = i; row < row_count && row < i + 2; ++row)
            for (int32_t other = j; other <= row; ++other)
                values[(int64_t)row * line + other] = pal_lanes_dot(
                    rows + (int64_t)row * count, rows + (int64_t)other * count, count);
    }
}

// From the last column to the first, in place: column k needs those up to k alone.
PAL_CLONES void pal_rows_turn(const float *triangle, int32_t size, int32_t count, float *rows,
                              int32_t row_count, int32_t pitch)
{
    for (int32_t i = 0; i < row_count; i += 4) {
        float *a = rows + (int64_t)i * pitch;
        if (i + 4 > row_count) {
            for (int32_t row = 0; i + row < row_count; ++row)
                for (int32_t k = size; k-- > 0;)
                    a[(int64_t)row * pitch + k] = pal_lanes_dot(
                        triangle + (int64_t)k * count, a + (int64_t)row * pitch, (k + 8) & ~7);
            return;
        }
        float *b = a + pitch, *c = b + pitch, *d = c + pitch;
        for (int32_t k = size; k-- > 0;) {
            const float *t = triangle + (int64_t)k * count;
            PalEight sa = {0}, sb = {0}, sc = {0}, sd = {0};
            for (int32_t j = 0; j <= k; j += 8) {
                PalEight x = pal_eight(t + j);
                sa += pal_eight(a + j) * x, sb += pal_eight(b + j) * x;
                sc += pal_eight(c + j) * x, sd += pal_eight(d + j) * x;
            }
            a[k] = pal_eight_sum(sa), b[k] = pal_eight_sum(sb);
            c[k] = pal_eight_sum(sc), d[k] = pal_eight_sum(sd);
        }
    }
}
