#include "output/frame_file.h"

#include "base/choice.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static const PalChoice precisions[] = {
    [PAL_PRECISION_SINGLE] = {"single", "32-bit floats: seven digits, half the space."},
    [PAL_PRECISION_DOUBLE] = {"double", "64-bit floats: all digits of the simulation."},
};

PAL_CHOICE_ARRAY(precision, PalPrecision, precisions)

#define SHORT_MAX 65536  // points that 16 bits can tell apart

// ---- topology ---------------------------------------------------------------------------

// The body of a cell; or, `by_corner`, of a corner in the list of all cells' corners.
static const PalFrameBody *body_of(const PalFrame *frame, int64_t place, bool by_corner)
{
    int32_t low = 0, high = frame->body_count - 1;
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2;
        const PalFrameBody *body = &frame->bodies[middle];
        if ((by_corner ? body->first_corner : body->first_cell) <= place)
            low = middle;
        else
            high = middle - 1;
    }
    return &frame->bodies[low];
}

static void fill_connectivity(const PalVtuArray *array, int64_t first, int64_t count, void *out)
{
    const PalFrame *frame = array->source;
    uint16_t *narrow = out;
    int32_t *wide = out;
    for (int64_t done = 0; done < count;) {
        const PalFrameBody *body = body_of(frame, first + done, true);
        int64_t c = first + done - body->first_corner;
        int64_t end = (int64_t)body->cell_count * body->corner_count;
        for (; c < end && done < count; ++c, ++done) {
            int32_t point = body->first_point + body->cells[c];
            if (array->type == PAL_VTU_UINT16)
                narrow[done] = (uint16_t)point;
            else
                wide[done] = point;
        }
    }
}

// Cell by cell: `tell` gives the number of one of a body's cells.
static void fill_cells(const PalFrame *frame, int64_t first, int64_t count, void *out,
                       void (*tell)(const PalFrame *, const PalFrameBody *, int32_t, int64_t,
                                    void *))
{
    for (int64_t done = 0; done < count;) {
        const PalFrameBody *body = body_of(frame, first + done, false);
        int32_t e = (int32_t)(first + done - body->first_cell);
        for (; e < body->cell_count && done < count; ++e, ++done)
            tell(frame, body, e, done, out);
    }
}

static void tell_offset(const PalFrame *frame, const PalFrameBody *body, int32_t e, int64_t place,
                        void *out)
{
    int64_t end = body->first_corner + (int64_t)(e + 1) * body->corner_count;
    if (frame->corner_count <= INT32_MAX)
        ((int32_t *)out)[place] = (int32_t)end;
    else
        ((int64_t *)out)[place] = end;
}

static void tell_type(const PalFrame *frame, const PalFrameBody *body, int32_t e, int64_t place,
                      void *out)
{
    (void)frame, (void)e;
    ((uint8_t *)out)[place] = body->type;
}

static void tell_body(const PalFrame *frame, const PalFrameBody *body, int32_t e, int64_t place,
                      void *out)
{
    (void)e;
    ((int32_t *)out)[place] = (int32_t)(body - frame->bodies);
}

static void tell_material(const PalFrame *frame, const PalFrameBody *body, int32_t e, int64_t place,
                          void *out)
{
    int32_t cell = body->first_cell + e;
    ((int32_t *)out)[place] = cell < frame->soft_cell_count ? frame->material[cell] : PAL_NONE;
}

#define FILL(what)                                                                                 \
    static void fill_##what##s(const PalVtuArray *array, int64_t first, int64_t count, void *out)  \
    {                                                                                              \
        fill_cells(array->source, first, count, out, tell_##what);                                 \
    }

FILL(offset)
FILL(type)
FILL(body)
FILL(material)

// ---- creating ---------------------------------------------------------------------------

static bool label_bodies(PalFrameFile *file)
{
    for (int32_t b = 0; b < file->frame->body_count; ++b) {
        const char *name = file->frame->bodies[b].name;
        size_t size = strlen(name) + sizeof "body.";
        file->labels[b] = pal_alloc(size, 1);
        if (file->labels[b] == NULL)
            return false;
        snprintf(file->labels[b], size, "body.%s", name);
        file->numbers[b] = b;
    }
    return true;
}

static void list_constants(PalFrameFile *file)
{
    const PalFrame *f = file->frame;
    int64_t cells = f->cell_count;
    PalVtuType index = f->point_count <= SHORT_MAX ? PAL_VTU_UINT16 : PAL_VTU_INT32;
    PalVtuType end = f->corner_count <= INT32_MAX ? PAL_VTU_INT32 : PAL_VTU_INT64;
    const PalVtuArray topology[] = {
        {PAL_VTU_CELL_DATA, PAL_VTU_INT32, "body", 1, cells, f, fill_bodys, PAL_DEFLATE_TUPLES},
        {PAL_VTU_CELL_DATA, PAL_VTU_INT32, "material", 1, cells, f, fill_materials,
         PAL_DEFLATE_TUPLES},
        {PAL_VTU_CELLS, index, "connectivity", 1, f->corner_count, f, fill_connectivity,
         PAL_DEFLATE_MATCHES},
        {PAL_VTU_CELLS, end, "offsets", 1, cells, f, fill_offsets, PAL_DEFLATE_BYTES},
        {PAL_VTU_CELLS, PAL_VTU_UINT8, "types", 1, cells, f, fill_types, PAL_DEFLATE_TUPLES},
    };
    PalVtuArray *constants = file->constants;
    for (int32_t b = 0; b < f->body_count; ++b)
        constants[b] = (PalVtuArray){PAL_VTU_FIELD,     PAL_VTU_INT32, file->labels[b],   1, 1,
                                     &file->numbers[b], NULL,          PAL_DEFLATE_TUPLES};
    memcpy(constants + f->body_count, topology, sizeof topology);
    file->constant_count = f->body_count + (int32_t)(sizeof topology / sizeof *topology);
}

PalStatus pal_frame_file_init(const PalFrame *frame, const bool fields[PAL_FIELD_COUNT], bool wide,
                              PalFrameFile *file, PalError *error)
{
    enum { TOPOLOGY = 5 };
    size_t bodies = (size_t)frame->body_count;
    *file = (PalFrameFile){.frame = frame, .wide = wide};
    memcpy(file->fields, fields, sizeof file->fields);
    file->labels = pal_alloc(bodies, sizeof *file->labels);
    file->numbers = pal_alloc(bodies, sizeof *file->numbers);
    file->constants = pal_alloc(bodies + TOPOLOGY, sizeof *file->constants);
    if (file->labels == NULL || file->numbers == NULL || file->constants == NULL ||
        !label_bodies(file)) {
        pal_frame_file_clear(file);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a frame");
    }
    list_constants(file);
    PalStatus status = pal_vtu_pack(file->constant_count, file->constants, &file->packed, error);
    if (status == PAL_OK)
        status = pal_vtu_pack(frame->body_count, file->constants, &file->packed_labels, error);
    if (status != PAL_OK)
        pal_frame_file_clear(file);
    return status;
}

void pal_frame_file_clear(PalFrameFile *file)
{
    for (int32_t b = 0; file->labels != NULL && b < file->frame->body_count; ++b)
        pal_free(file->labels[b]);
    pal_free(file->labels);
    pal_free(file->numbers);
    pal_free(file->constants);
    pal_vtu_packed_clear(&file->packed);
    pal_vtu_packed_clear(&file->packed_labels);
    *file = (PalFrameFile){0};
}

// ---- writing ----------------------------------------------------------------------------

void pal_vtu_fill_floats(const PalVtuArray *array, int64_t first, int64_t count, void *out)
{
    const double *from = (const double *)array->source + first * array->components;
    float *to = out;
    for (int64_t i = 0; i < count * array->components; ++i)
        to[i] = (float)from[i];
}

PalStatus pal_frame_file_encode(const PalFrameFile *file, PalText *text, PalError *error)
{
    const PalFrame *f = file->frame;
    const bool *with = file->fields;
    int64_t points = f->point_count, cells = f->cell_count;
    bool thin = with[PAL_FIELD_STRESS] && f->has_thin;
    const struct {
        bool wanted;
        PalVtuSection section;
        const char *name;
        int32_t components;
        const void *data;
    } all[] = {
        {true, PAL_VTU_POINTS, "Points", 3, f->position},
        {with[PAL_FIELD_DISPLACEMENT], PAL_VTU_POINT_DATA, "displacement", 3, f->displacement},
        {with[PAL_FIELD_VELOCITY], PAL_VTU_POINT_DATA, "velocity", 3, f->velocity},
        {with[PAL_FIELD_CONTACT], PAL_VTU_POINT_DATA, "contact_force", 3, f->contact},
        {with[PAL_FIELD_CONTACT], PAL_VTU_POINT_DATA, "contact_pressure", 1, f->pressure},
        {with[PAL_FIELD_STRESS], PAL_VTU_CELL_DATA, "von_mises", 1, f->von_mises},
        {with[PAL_FIELD_STRESS], PAL_VTU_CELL_DATA, "stress", 6, f->stress},
        {thin, PAL_VTU_CELL_DATA, "thickness", 1, f->thickness},
        {thin, PAL_VTU_CELL_DATA, "stress_top", 6, f->top},
        {thin, PAL_VTU_CELL_DATA, "stress_bottom", 6, f->bottom},
        {thin, PAL_VTU_CELL_DATA, "tension", 6, f->tension},
        {thin, PAL_VTU_CELL_DATA, "moment", 6, f->moment},
        {with[PAL_FIELD_STRAIN], PAL_VTU_CELL_DATA, "strain", 6, f->strain},
        {with[PAL_FIELD_VOLUME], PAL_VTU_CELL_DATA, "volume_ratio", 1, f->volume_ratio},
        {with[PAL_FIELD_ENERGY], PAL_VTU_CELL_DATA, "energy_density", 1, f->energy_density},
    };
    enum { ALWAYS = 2, MOST = ALWAYS + sizeof all / sizeof all[0] };
    PalVtuArray arrays[MOST] = {
        {PAL_VTU_FIELD, PAL_VTU_FLOAT64, "TimeValue", 1, 1, &f->time, NULL, PAL_DEFLATE_TUPLES},
        {PAL_VTU_FIELD, PAL_VTU_INT64, "step", 1, 1, &f->step_count, NULL, PAL_DEFLATE_TUPLES},
    };
    PalVtuDef def = {.point_count = points,
                     .cell_count = cells,
                     .array_count = ALWAYS,
                     .arrays = arrays,
                     .constants = file->constants,
                     .packed = &file->packed};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        if (all[i].wanted)
            arrays[def.array_count++] = (PalVtuArray){
                .section = all[i].section,
                .type = file->wide ? PAL_VTU_FLOAT64 : PAL_VTU_FLOAT32,
                .name = all[i].name,
                .components = all[i].components,
                .count = all[i].section == PAL_VTU_CELL_DATA ? cells : points,
                .source = all[i].data,
                .fill = file->wide ? NULL : pal_vtu_fill_floats,
            };
    return pal_vtu_encode(&def, text, error);
}
