#include "output/contacts.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "output/vtu.h"

// One entry per contact.
typedef struct Columns {
    PalVec3 *position, *force, *normal;
    double *gap, *normal_force;
    int32_t (*bodies)[2];
    uint8_t *kind, *slips;
    int32_t *vertices;
    int64_t *offsets;
} Columns;

static bool take(Columns *columns, size_t count)
{
    bool good = true;
#define TAKE(field) good = (columns->field = pal_alloc(count, sizeof *columns->field)) && good
    TAKE(position);
    TAKE(force);
    TAKE(normal);
    TAKE(gap);
    TAKE(normal_force);
    TAKE(bodies);
    TAKE(kind);
    TAKE(slips);
    TAKE(vertices);
    TAKE(offsets);
#undef TAKE
    return good;
}

static void drop(Columns *columns)
{
    void *const owned[] = {columns->position,     columns->force,  columns->normal, columns->gap,
                           columns->normal_force, columns->bodies, columns->kind,   columns->slips,
                           columns->vertices,     columns->offsets};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; ++i)
        pal_free(owned[i]);
}

static void fill(Columns *columns, const PalContactPoint *points, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        const PalContactPoint *point = &points[i];
        columns->position[i] =
            pal_vec3_scale(0.5, pal_vec3_add(point->position[0], point->position[1]));
        columns->force[i] = point->force;
        columns->normal[i] = point->normal;
        columns->gap[i] = point->gap;
        columns->normal_force[i] = point->normal_force;
        columns->bodies[i][0] = point->objects[0];
        columns->bodies[i][1] = point->objects[1];
        columns->kind[i] = (uint8_t)point->kind;
        columns->slips[i] = point->slips;
        columns->vertices[i] = i;
        columns->offsets[i] = i + 1;
    }
}

static PalStatus encode(const PalFrame *frame, const Columns *columns, int64_t count, PalText *text,
                        PalError *error)
{
    const PalVtuArray fixed[] = {
        {PAL_VTU_FIELD, PAL_VTU_FLOAT64, "TimeValue", 1, 1, &frame->time},
        {PAL_VTU_FIELD, PAL_VTU_INT64, "step", 1, 1, &frame->step_count},
        {PAL_VTU_POINT_DATA, PAL_VTU_FLOAT64, "force", 3, count, columns->force},
        {PAL_VTU_POINT_DATA, PAL_VTU_FLOAT64, "normal", 3, count, columns->normal},
        {PAL_VTU_POINT_DATA, PAL_VTU_FLOAT64, "gap", 1, count, columns->gap},
        {PAL_VTU_POINT_DATA, PAL_VTU_FLOAT64, "normal_force", 1, count, columns->normal_force},
        {PAL_VTU_POINT_DATA, PAL_VTU_INT32, "bodies", 2, count, columns->bodies},
        {PAL_VTU_POINT_DATA, PAL_VTU_UINT8, "kind", 1, count, columns->kind},
        {PAL_VTU_POINT_DATA, PAL_VTU_UINT8, "slips", 1, count, columns->slips},
        {PAL_VTU_POINTS, PAL_VTU_FLOAT64, "Points", 3, count, columns->position},
        {PAL_VTU_CELLS, PAL_VTU_INT32, "connectivity", 1, count, columns->vertices},
        {PAL_VTU_CELLS, PAL_VTU_INT64, "offsets", 1, count, columns->offsets},
    };
    enum { FIXED = sizeof fixed / sizeof fixed[0] };
    PalVtuArray *arrays = pal_alloc(FIXED + (size_t)frame->body_count, sizeof *arrays);
    if (arrays == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the contacts");
    PalVtuDef def = {.point_count = count,
                     .cell_count = count,
                     .arrays = arrays,
                     .thread_count = 1,
                     .only_points = true};
    for (int32_t b = 0; b < frame->body_count; ++b)
        arrays[def.array_count++] =
            (PalVtuArray){PAL_VTU_FIELD, PAL_VTU_INT32, frame->labels[b], 1, 1, &frame->numbers[b]};
    for (int i = 0; i < FIXED; ++i)
        arrays[def.array_count++] = fixed[i];
    PalStatus status = pal_vtu_encode(&def, text, error);
    pal_free(arrays);
    return status;
}

PalStatus pal_contacts_encode(const PalFrame *frame, const PalContactPoint *points, int32_t count,
                              PalText *text, PalError *error)
{
    Columns columns = {0};
    PalStatus status = PAL_OK;
    if (take(&columns, (size_t)count)) {
        fill(&columns, points, count);
        status = encode(frame, &columns, count, text, error);
    } else {
        status = pal_error_set(error, PAL_NO_MEMORY, "no memory for the contacts");
    }
    drop(&columns);
    return status;
}
