// A file of poses: numbers with commas, a pose a line; a first line may name the columns.
#include <palpate/device.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/quaternion.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 8, LINE = 1024 };

static const char *const names[COLUMNS] = {"time", "x", "y", "z", "qw", "qx", "qy", "qz"};
// Without a line of names, by how many there are.
static const signed char orders[COLUMNS + 1][COLUMNS] = {[3] = {1, 2, 3},
                                                         [4] = {0, 1, 2, 3},
                                                         [7] = {1, 2, 3, 4, 5, 6, 7},
                                                         [8] = {0, 1, 2, 3, 4, 5, 6, 7}};

typedef struct Reading {
    const char *path;
    int line;
    int32_t column_count;
    signed char column[COLUMNS];  // which number each is
    PAL_ARRAY(double) times;
    PAL_ARRAY(PalHapticPose) poses;
} Reading;

static PalStatus wrong(const Reading *reading, size_t column, const char *what, PalError *error)
{
    return pal_error_set(error, PAL_BAD_INPUT, "%s:%d:%zu: %s", reading->path, reading->line,
                         column + 1, what);
}

static PalStatus read_names(Reading *reading, const char *line, PalError *error)
{
    size_t at = 0;
    reading->column_count = 0;
    while (line[at] != '\0') {
        size_t length = strcspn(line + at, ",");
        int found = PAL_NONE;
        for (int i = 0; i < COLUMNS; ++i)
            if (strlen(names[i]) == length && strncmp(names[i], line + at, length) == 0)
                found = i;
        if (found == PAL_NONE || reading->column_count == COLUMNS)
            return wrong(reading, at,
                         "not the name of a column, expected time, x, y, z, qw, qx, qy, qz", error);
        for (int32_t i = 0; i < reading->column_count; ++i)
            if (reading->column[i] == found)
                return wrong(reading, at, "this column is named twice", error);
        reading->column[reading->column_count++] = (signed char)found;
        at += length + (line[at + length] == ',' ? 1 : 0);
    }
    return PAL_OK;
}

static PalStatus guess_names(Reading *reading, const char *line, PalError *error)
{
    int32_t count = 1;
    for (const char *c = line; *c != '\0'; ++c)
        count += *c == ',';
    if (count > COLUMNS || (count != 3 && count != 4 && count != 7 && count != 8))
        return wrong(reading, 0,
                     "expected 3 (x, y, z), 4 (time first), 7 (qw, qx, qy, qz last) or 8 numbers",
                     error);
    reading->column_count = count;
    memcpy(reading->column, orders[count], sizeof reading->column);
    return PAL_OK;
}

static PalStatus keep(Reading *reading, const double n[COLUMNS], PalError *error)
{
    double length = sqrt(n[4] * n[4] + n[5] * n[5] + n[6] * n[6] + n[7] * n[7]);
    if (!(fabs(length - 1) < 1e-2))
        return wrong(reading, 0, "qw, qx, qy, qz are no rotation: their length is not 1", error);
    int32_t count = reading->times.count;
    if (count > 0 && !(n[0] > reading->times.items[count - 1]))
        return wrong(reading, 0, "times have to ascend", error);
    PalHapticPose pose = {
        {n[1], n[2], n[3]},
        pal_quaternion_normalise((PalQuaternion){n[4], n[5], n[6], n[7]}),
    };
    if (!pal_array_push(&reading->times, n[0]) || !pal_array_push(&reading->poses, pose))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the poses of %s", reading->path);
    return PAL_OK;
}

static PalStatus read_numbers(Reading *reading, const char *line, PalError *error)
{
    double n[COLUMNS] = {0.001 * reading->times.count, 0, 0, 0, 1, 0, 0, 0};
    const char *at = line;
    for (int32_t i = 0; i < reading->column_count; ++i) {
        char *end;
        double number = strtod(at, &end);
        while (*end == ' ' || *end == '\t')
            ++end;
        bool last = i + 1 == reading->column_count;
        if (end == at || !(fabs(number) <= 1e12))
            return wrong(reading, (size_t)(at - line), "expected a number", error);
        if (*end != (last ? '\0' : ','))
            return wrong(reading, (size_t)(end - line),
                         last ? "expected the end of the line" : "expected a comma", error);
        n[reading->column[i]] = number;
        at = end + 1;
    }
    return keep(reading, n, error);
}

// The next line with its end, as much of it as there is room for; how many bytes that is.
static size_t take_line(FILE *file, char line[LINE])
{
    size_t length = 0;
    int c = 0;
    while (length + 1 < LINE && c != '\n' && (c = getc(file)) != EOF)
        line[length++] = (char)c;
    line[length] = '\0';
    return ferror(file) ? 0 : length;
}

static PalStatus read_line(Reading *reading, char *line, PalError *error)
{
    size_t length = strlen(line);
    bool whole = length + 1 < LINE;
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        line[--length] = '\0';
    if (!whole)
        return wrong(reading, LINE, "a line is too long", error);
    if (length == 0 || line[0] == '#')
        return PAL_OK;
    if (reading->column_count == 0) {
        if (isalpha((unsigned char)line[0]))
            return read_names(reading, line, error);
        PAL_TRY(guess_names(reading, line, error));
    }
    return read_numbers(reading, line, error);
}

PalStatus pal_poses_read(const char *path, PalPoses *poses, PalError *error)
{
    Reading reading = {.path = path};
    char line[LINE];
    *poses = (PalPoses){0};
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "%s: %s", path, strerror(errno));
    PalStatus status = PAL_OK;
    size_t length;
    while (status == PAL_OK && (length = take_line(file, line)) > 0) {
        ++reading.line;
        if (strlen(line) < length)
            status = wrong(&reading, strlen(line), "a zero byte, expected text", error);
        else
            status = read_line(&reading, line, error);
    }
    if (status == PAL_OK && ferror(file))
        status = pal_error_set(error, errno == EISDIR ? PAL_BAD_INPUT : PAL_IO_FAILED, "%s: %s",
                               path, strerror(errno));
    if (status == PAL_OK && reading.times.count == 0)
        status = pal_error_set(error, PAL_BAD_INPUT, "%s: no pose in it", path);
    fclose(file);
    poses->count = reading.times.count;
    poses->times = reading.times.items;
    poses->poses = reading.poses.items;
    return status;
}

void pal_poses_clear(PalPoses *poses)
{
    pal_array_release((void **)&poses->times);
    pal_array_release((void **)&poses->poses);
    poses->count = 0;
}

PalHapticPose pal_poses_at(const PalPoses *poses, double time)
{
    int32_t low = 0, high = poses->count - 1;
    if (!(time > poses->times[0]))
        return poses->poses[0];
    if (time >= poses->times[high])
        return poses->poses[high];
    while (high - low > 1) {
        int32_t middle = (low + high) / 2;
        if (poses->times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    double part = (time - poses->times[low]) / (poses->times[high] - poses->times[low]);
    const PalHapticPose *a = &poses->poses[low], *b = &poses->poses[high];
    PalQuaternion p = a->rotation, q = b->rotation;
    double sign = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0 ? -part : part;
    double rest = 1 - part;
    PalQuaternion turn = {rest * p.w + sign * q.w, rest * p.x + sign * q.x, rest * p.y + sign * q.y,
                          rest * p.z + sign * q.z};
    return (PalHapticPose){
        pal_vec3_add(pal_vec3_scale(rest, a->position), pal_vec3_scale(part, b->position)),
        pal_quaternion_normalise(turn),
    };
}
