// Sums over rows of modes: `count` is a multiple of 8, rows are zero behind the modes.
#ifndef PAL_REDUCED_HAPTIC_LANES_H
#define PAL_REDUCED_HAPTIC_LANES_H

#include <stdint.h>
#include <string.h>

typedef float PalEight __attribute__((vector_size(32)));

static inline PalEight pal_eight(const float *from)
{
    PalEight value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline float pal_eight_sum(PalEight a)
{
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

// a . b, for use within functions that have clones.
static inline float pal_lanes_dot(const float *a, const float *b, int32_t count)
{
    PalEight s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    int32_t k = 0;
    for (; k + 32 <= count; k += 32) {
        s0 += pal_eight(a + k) * pal_eight(b + k);
        s1 += pal_eight(a + k + 8) * pal_eight(b + k + 8);
        s2 += pal_eight(a + k + 16) * pal_eight(b + k + 16);
        s3 += pal_eight(a + k + 24) * pal_eight(b + k + 24);
    }
    for (; k < count; k += 8)
        s0 += pal_eight(a + k) * pal_eight(b + k);
    return pal_eight_sum((s0 + s1) + (s2 + s3));
}

// into += factor row
static inline void pal_lanes_add(const float *row, float factor, float *into, int32_t count)
{
    for (int32_t k = 0; k < count; k += 8) {
        PalEight sum = pal_eight(into + k) + pal_eight(row + k) * factor;
        memcpy(into + k, &sum, sizeof sum);
    }
}

// sums[i] = row i . q, for rows that follow each other.
void pal_rows_dot(const float *rows, int32_t row_count, int32_t count, const float *q, float *sums);

// into = sum of factors[i] rows[i], each row by its address.
void pal_rows_combine(const float *const *rows, const float *factors, int32_t row_count,
                      int32_t count, float *into);

// into += the same.
void pal_rows_accumulate(const float *const *rows, const float *factors, int32_t row_count,
                         int32_t count, float *into);

// into += sum of factors[i] row i, for rows that follow each other.
void pal_rows_add(const float *rows, const float *factors, int32_t row_count, int32_t count,
                  float *into);

// values[i * line + j] = row i . row j, for j <= i (and some behind).
void pal_rows_gram(const float *rows, int32_t row_count, int32_t count, float *values,
                   int32_t line);

// In place: rows[i * pitch + k] becomes the sum over j <= k of triangle[k * count + j] times
// rows[i * pitch + j], for k < size: rows times the transpose of a lower triangle.
void pal_rows_turn(const float *triangle, int32_t size, int32_t count, float *rows,
                   int32_t row_count, int32_t pitch);

#endif
