// Sums over rows of modes: `count` is a multiple of 8, rows are zero behind the modes.
#ifndef PAL_REDUCED_HAPTIC_LANES_H
#define PAL_REDUCED_HAPTIC_LANES_H

#include <stdint.h>

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

#endif
