#include "output/contacts.h"

#include "base/memory.h"
#include "math/vec3.h"

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

static void fill_columns(Columns *columns, const PalContactPoint *points, int32_t count)
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

static PalStatus encode(const PalFrameFile *file, const Columns *columns, int64_t count,
                        PalText *text, PalError *error)
{
    const PalFrame *frame = file->frame;
    PalVtuType real = file->wide ? PAL_VTU_FLOAT64 : PAL_VTU_FLOAT32;
    PalVtuFill fill = file->wide ? NULL : pal_vtu_fill_floats;
    const PalVtuArray arrays[] = {
        {PAL_VTU_FIELD, PAL_VTU_FLOAT64, "TimeValue", 1, 1, &frame->time, NULL, PAL_DEFLATE_TUPLES},
        {PAL_VTU_FIELD, PAL_VTU_INT64, "step", 1, 1, &frame->step_count, NULL, PAL_DEFLATE_TUPLES},
        {PAL_VTU_POINT_DATA, real, "force", 3, count, columns->force, fill, PAL_DEFLATE_TUPLES},
        {PAL_VTU_POINT_DATA, real, "normal", 3, count, columns->normal, fill, PAL_DEFLATE_TUPLES},
        {PAL_VTU_POINT_DATA, real, "gap", 1, count, columns->gap, fill, PAL_DEFLATE_TUPLES},
        {PAL_VTU_POINT_DATA, real, "normal_force", 1, count, columns->normal_force, fill,
         PAL_DEFLATE_TUPLES},
        {PAL_VTU_POINT_DATA, PAL_VTU_INT32, "bodies", 2, count, columns->bodies, NULL,
         PAL_DEFLATE_TUPLES},
        {PAL_VTU_POINT_DATA, PAL_VTU_UINT8, "kind", 1, count, columns->kind, NULL,
         PAL_DEFLATE_TUPLES},
        {PAL_VTU_POINT_DATA, PAL_VTU_UINT8, "slips", 1, count, columns->slips, NULL,
         PAL_DEFLATE_TUPLES},
        {PAL_VTU_POINTS, real, "Points", 3, count, columns->position, fill, PAL_DEFLATE_TUPLES},
        {PAL_VTU_CELLS, PAL_VTU_INT32, "connectivity", 1, count, columns->vertices, NULL,
         PAL_DEFLATE_TUPLES},
        {PAL_VTU_CELLS, PAL_VTU_INT64, "offsets", 1, count, columns->offsets, NULL,
         PAL_DEFLATE_TUPLES},
    };
    PalVtuDef def = {.point_count = count,
                     .cell_count = count,
                     .array_count = sizeof arrays / sizeof arrays[0],
                     .arrays = arrays,
                     .constants = file->constants,
                     .packed = &file->packed_labels,
                     .only_points = true};
    return pal_vtu_encode(&def, text, error);
}

PalStatus pal_contacts_encode(const PalFrameFile *file, const PalContactPoint *points,
                              int32_t count, PalText *text, PalError *error)
{
    Columns columns = {0};
    PalStatus status = PAL_OK;
    if (take(&columns, (size_t)count)) {
        fill_columns(&columns, points, count);
        status = encode(file, &columns, count, text, error);
    } else {
        status = pal_error_set(error, PAL_NO_MEMORY, "no memory for the contacts");
    }
    drop(&columns);
    return status;
}
