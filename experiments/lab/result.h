// What a trial found out: named series of numbers, kept in a file.
#ifndef PAL_EXPERIMENTS_RESULT_H
#define PAL_EXPERIMENTS_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#define PAL_SERIES_MAX      64
#define PAL_SERIES_NAME_MAX 48

typedef struct PalSeries {
    char name[PAL_SERIES_NAME_MAX];
    int32_t count, capacity;
    double *values;
} PalSeries;

// Starts as {0}; owns its series.
typedef struct PalResult {
    int32_t series_count;
    PalSeries series[PAL_SERIES_MAX];
    bool failed;  // for lack of memory, or of series
} PalResult;

void pal_result_add(PalResult *result, const char *name, double value);  // at the end of its series
void pal_result_clear(PalResult *result);

const PalSeries *pal_result_find(const PalResult *result, const char *name);  // NULL: none
double pal_result_number(const PalResult *result, const char *name);  // its last one; NAN: none

// The file begins with a line that says what the result is of. Reading fails, and leaves the result
// empty, where that line is another one.
bool pal_result_write(const PalResult *result, const char *path, const char *head);
bool pal_result_read(PalResult *result, const char *path, const char *head);

#endif
