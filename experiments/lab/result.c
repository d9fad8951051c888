#include "result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_LENGTH = 512 };

static PalSeries *series_of(PalResult *result, const char *name)
{
    for (int32_t i = 0; i < result->series_count; ++i)
        if (strcmp(result->series[i].name, name) == 0)
            return &result->series[i];
    if (result->series_count == PAL_SERIES_MAX || strlen(name) >= PAL_SERIES_NAME_MAX)
        return NULL;
    PalSeries *series = &result->series[result->series_count++];
    *series = (PalSeries){.count = 0};
    strcpy(series->name, name);
    return series;
}

void pal_result_add(PalResult *result, const char *name, double value)
{
    PalSeries *series = series_of(result, name);
    if (series != NULL && series->count == series->capacity) {
        int32_t capacity = series->capacity == 0 ? 4 : 2 * series->capacity;
        double *values = realloc(series->values, (size_t)capacity * sizeof *values);
        if (values != NULL) {
            series->values = values;
            series->capacity = capacity;
        }
    }
    if (series == NULL || series->count == series->capacity)
        result->failed = true;
    else
        series->values[series->count++] = value;
}

void pal_result_clear(PalResult *result)
{
    for (int32_t i = 0; i < result->series_count; ++i)
        free(result->series[i].values);
    *result = (PalResult){0};
}

const PalSeries *pal_result_find(const PalResult *result, const char *name)
{
    for (int32_t i = 0; i < result->series_count; ++i)
        if (strcmp(result->series[i].name, name) == 0)
            return &result->series[i];
    return NULL;
}

double pal_result_number(const PalResult *result, const char *name)
{
    const PalSeries *series = pal_result_find(result, name);
    return series != NULL && series->count > 0 ? series->values[series->count - 1] : NAN;
}

bool pal_result_write(const PalResult *result, const char *path, const char *head)
{
    char draft[4200];
    snprintf(draft, sizeof draft, "%s.part", path);
    FILE *file = fopen(draft, "w");
    if (file == NULL)
        return false;
    fprintf(file, "%s\n", head);
    for (int32_t i = 0; i < result->series_count; ++i) {
        fprintf(file, "%s %d\n", result->series[i].name, (int)result->series[i].count);
        for (int32_t k = 0; k < result->series[i].count; ++k)
            fprintf(file, "%.17g\n", result->series[i].values[k]);
    }
    bool written = !ferror(file);
    written = fclose(file) == 0 && written && rename(draft, path) == 0;
    if (!written)
        unlink(draft);
    return written;
}

static bool read_series(PalResult *result, FILE *file, const char *line)
{
    char name[PAL_SERIES_NAME_MAX], text[LINE_MAX_LENGTH];
    int count;
    if (sscanf(line, "%47s %d", name, &count) != 2 || count < 0)
        return false;
    for (int i = 0; i < count; ++i) {
        char *end;
        if (fgets(text, sizeof text, file) == NULL)
            return false;
        double value = strtod(text, &end);
        if (end == text)
            return false;
        pal_result_add(result, name, value);
    }
    return !result->failed;
}

bool pal_result_read(PalResult *result, const char *path, const char *head)
{
    char line[LINE_MAX_LENGTH];
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    bool good = fgets(line, sizeof line, file) != NULL;
    line[strcspn(line, "\n")] = '\0';
    good = good && strcmp(line, head) == 0;
    while (good && fgets(line, sizeof line, file) != NULL)
        good = read_series(result, file, line);
    fclose(file);
    if (!good)
        pal_result_clear(result);
    return good;
}
