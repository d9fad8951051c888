#include "fake.h"

#include "math/vec3.h"
#include "model/motion.h"
#include "output/frame_file.h"

#include <zlib.h>

static PalFrame *make(Fake *fake)
{
    PalError error = {0};
    PalFrame *frame = NULL;
    fake_init(fake);
    check_ok(pal_frame_create(&fake->model, &frame, &error), &error);
    return frame;
}

static void topology_is_complete(void **state)
{
    (void)state;
    Fake fake;
    PalFrame *frame = make(&fake);
    assert_int_equal(frame->body_count, 3);
    assert_int_equal(frame->soft_point_count, fake.model.node_count);
    assert_int_equal(frame->point_count, fake.model.node_count + fake.rigid.mesh->node_count);
    const PalFrameBody *last = &frame->bodies[2];
    assert_int_equal(last->first_corner + 3 * last->cell_count, frame->corner_count);
    int32_t triangles = 2 * fake.bodies[0].surface->facet_count +
                        fake.bodies[1].surface->facet_count + fake.rigid.mesh->cell_count;
    assert_int_equal(frame->triangle_count, triangles);
    int32_t sides = 0;
    for (int32_t t = 0; t < frame->triangle_count; ++t)
        for (int a = 0; a < 3; ++a)
            sides += frame->triangle_edges[t] >> a & 1;
    // Each side of a facet belongs to two facets; the cut across a quadrilateral is no side.
    assert_int_equal(sides, 4 * fake.bodies[0].surface->facet_count +
                                3 * fake.bodies[1].surface->facet_count +
                                3 * fake.rigid.mesh->cell_count);
    pal_frame_destroy(frame);
    fake_clear(&fake);
}

static void move_to(PalFrame *frame, const Fake *fake, double time)
{
    PalPose pose = pal_rigid_pose(&fake->rigid, time);
    PalTwist twist = pal_rigid_twist(&fake->rigid, time);
    int32_t end = pal_frame_move_rigid(frame, frame->soft_point_count, &fake->rigid, &pose, &twist);
    assert_int_equal(end, frame->point_count);
}

static void rigid_velocity_is_the_rate_of_position(void **state)
{
    (void)state;
    static const double points[4][2] = {{0, 0}, {0.5, 1}, {1.5, -1}, {2, 0}};
    const PalRamp ramps[] = {{.kind = PAL_RAMP_SMOOTH, .until = 2},
                             {.kind = PAL_RAMP_LINEAR, .until = 1.2},
                             {.kind = PAL_RAMP_TABLE, .point_count = 4, .points = points},
                             {.kind = PAL_RAMP_STEP}};
    Fake fake;
    PalFrame *frame = make(&fake);
    size_t size = (size_t)frame->point_count * sizeof *frame->displacement;
    PalVec3 *before = malloc(size), *after = malloc(size);
    for (size_t r = 0; r < 3 * sizeof ramps / sizeof ramps[0]; ++r)
        for (double time = 0.1; time < 2; time += 0.23) {
            double h = 1e-6;
            fake.motions[0].ramp = ramps[r % 4];
            fake.rigid.motion_count = 1 + (int32_t)r / 4;
            move_to(frame, &fake, time - h);
            memcpy(before, frame->displacement, size);
            move_to(frame, &fake, time + h);
            memcpy(after, frame->displacement, size);
            move_to(frame, &fake, time);
            for (int32_t n = frame->soft_point_count; n < frame->point_count; ++n) {
                PalVec3 rate = pal_vec3_scale(0.5 / h, pal_vec3_sub(after[n], before[n]));
                check_near(frame->velocity[n].x, rate.x, 1e-8);
                check_near(frame->velocity[n].y, rate.y, 1e-8);
                check_near(frame->velocity[n].z, rate.z, 1e-8);
            }
        }
    free(before);
    free(after);
    pal_frame_destroy(frame);
    fake_clear(&fake);
}

static const bool all_fields[PAL_FIELD_COUNT] = {true, true, true, true, true, true, true};

// The whole text of a file, terminated.
static PalText complete(const PalVtuDef *def)
{
    PalError error = {0};
    PalText text = {0};
    check_ok(pal_vtu_encode(def, &text, &error), &error);
    if (def->packed != NULL)
        pal_text_put(&text, def->packed->bytes.data, def->packed->bytes.length);
    pal_text_put(&text, pal_vtu_tail, strlen(pal_vtu_tail) + 1);
    return text;
}

static const char *appended(const PalText *text)
{
    const char *data = strstr(text->data, "encoding=\"raw\">\n_");
    assert_non_null(data);
    return data + strlen("encoding=\"raw\">\n_");
}

// Reads an array back, block by block; returns the bytes it takes in the file.
static size_t unpack(const char *data, void *out, size_t out_size)
{
    uint64_t head[3], size;
    memcpy(head, data, sizeof head);
    size_t in = 8 * (3 + head[0]), done = 0;
    for (uint64_t b = 0; b < head[0]; ++b) {
        uLongf room = (uLongf)(out_size - done);
        memcpy(&size, data + 8 * (3 + b), sizeof size);
        assert_int_equal(uncompress((Bytef *)out + done, &room, (const Bytef *)data + in, size),
                         Z_OK);
        assert_int_equal(room, b + 1 < head[0] || head[2] == 0 ? head[1] : head[2]);
        in += size;
        done += room;
    }
    assert_int_equal(done, out_size);
    return in;
}

// Several blocks, the last one shorter, come back bit by bit, stored and packed.
static void large_arrays_come_back(void **state)
{
    (void)state;
    enum { COUNT = 80000 };
    double *values = malloc(COUNT * sizeof *values), *back = malloc(COUNT * sizeof *back);
    for (int i = 0; i < COUNT; ++i)
        values[i] = i % 5 ? sin(i) : i;
    PalVtuArray array = {PAL_VTU_POINT_DATA, PAL_VTU_FLOAT64, "a", 1, COUNT, values, NULL, false};
    PalVtuArray other = {PAL_VTU_POINT_DATA, PAL_VTU_FLOAT64, "b",  1,
                         COUNT - 1,          values,          NULL, false};
    PalVtuPacked packed;
    PalError error = {0};
    check_ok(pal_vtu_pack(1, &other, &packed, &error), &error);
    PalVtuDef def = {.point_count = COUNT,
                     .array_count = 1,
                     .arrays = &array,
                     .constants = &other,
                     .packed = &packed};
    PalText text = complete(&def);
    const char *data = appended(&text);
    size_t taken = unpack(data, back, COUNT * sizeof *values);
    assert_memory_equal(back, values, COUNT * sizeof *values);
    memset(back, 0, COUNT * sizeof *values);
    taken += unpack(data + taken, back, (COUNT - 1) * sizeof *values);
    assert_memory_equal(back, values, (COUNT - 1) * sizeof *values);
    assert_string_equal(data + taken, pal_vtu_tail);
    free(values);
    free(back);
    pal_vtu_packed_clear(&packed);
    pal_text_clear(&text);
}

// meshio replaces offsets by multiples of four while it still looks for others.
static void offsets_suit_meshio(void **state)
{
    (void)state;
    Fake fake;
    PalFrame *frame = make(&fake);
    PalError error = {0};
    fake_deform(frame, 1);
    PalFrameFile file;
    PalText text = {0};
    check_ok(pal_frame_file_init(frame, all_fields, false, &file, &error), &error);
    check_ok(pal_frame_file_encode(&file, &text, &error), &error);
    pal_text_put(&text, "", 1);
    int count = 0;
    for (const char *c = text.data; (c = strstr(c, " offset=\"")) != NULL; ++count) {
        c += strlen(" offset=\"");
        long offset = strtol(c, NULL, 10);
        assert_true(offset == 0 || offset % 4 == 1);
    }
    assert_int_equal(count, 2 + 10 + 3 + 5);
    pal_text_clear(&text);
    pal_frame_file_clear(&file);
    pal_frame_destroy(frame);
    fake_clear(&fake);
}

// Numbers of the cells, body after body, as files have them.
static void cells_are_told(void **state)
{
    (void)state;
    Fake fake;
    PalFrame *frame = make(&fake);
    PalError error = {0};
    PalFrameFile file;
    check_ok(pal_frame_file_init(frame, all_fields, false, &file, &error), &error);
    size_t cells = (size_t)frame->cell_count, corners = (size_t)frame->corner_count;
    int32_t *numbers = malloc(cells * sizeof *numbers);
    uint16_t *nodes = malloc(corners * sizeof *nodes);
    const char *data[8];
    for (int i = 0; i < 8; ++i)
        data[i] = file.packed.bytes.data + (i > 0 ? file.packed.ends[i - 1] : 0);
    unpack(data[3], numbers, cells * sizeof *numbers);
    assert_int_equal(numbers[0], 0);
    assert_int_equal(numbers[cells - 1], 2);
    assert_int_equal(numbers[frame->bodies[1].first_cell - 1], 0);
    assert_int_equal(numbers[frame->bodies[1].first_cell], 1);
    unpack(data[4], numbers, cells * sizeof *numbers);
    assert_int_equal(numbers[4], 1);
    assert_int_equal(numbers[cells - 1], PAL_NONE);
    unpack(data[5], nodes, corners * sizeof *nodes);
    for (int b = 0; b < 3; ++b) {
        const PalFrameBody *body = &frame->bodies[b];
        for (int32_t c = 0; c < body->cell_count * body->corner_count; ++c)
            assert_int_equal(nodes[body->first_corner + c], body->first_point + body->cells[c]);
    }
    free(numbers);
    free(nodes);
    pal_frame_file_clear(&file);
    pal_frame_destroy(frame);
    fake_clear(&fake);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(topology_is_complete),
    cmocka_unit_test(rigid_velocity_is_the_rate_of_position),
    cmocka_unit_test(large_arrays_come_back),
    cmocka_unit_test(offsets_suit_meshio),
    cmocka_unit_test(cells_are_told),
};
CHECK_GROUP(tests, NULL, NULL)
