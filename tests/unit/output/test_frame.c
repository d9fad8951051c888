#include "fake.h"

#include "math/vec3.h"
#include "model/motion.h"
#include "output/vtu.h"

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
    assert_int_equal(frame->offsets[frame->cell_count - 1], frame->corner_count);
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
    assert_int_equal(frame->material[4], 1);
    assert_int_equal(frame->material[frame->cell_count - 1], PAL_NONE);
    assert_int_equal(frame->body[frame->cell_count - 1], 2);
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

static void bytes_do_not_depend_on_threads(void **state)
{
    (void)state;
    Fake fake;
    PalFrame *frame = make(&fake);
    PalError error = {0};
    const bool fields[PAL_FIELD_COUNT] = {true, true, true, true, true};
    fake_deform(frame, 1);
    PalText one = {0}, four = {0};
    check_ok(pal_frame_encode(frame, fields, 1, &one, &error), &error);
    check_ok(pal_frame_encode(frame, fields, 4, &four, &error), &error);
    assert_int_equal(one.length, four.length);
    assert_memory_equal(one.data, four.data, one.length);
    pal_text_clear(&one);
    pal_text_clear(&four);
    pal_frame_destroy(frame);
    fake_clear(&fake);
}

static size_t decode_base64(const char *in, size_t count, unsigned char *out)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    size_t written = 0;
    for (size_t i = 0; i < count && in[i] != '='; ++i) {
        bits = bits << 6 | (uint32_t)(strchr(letters, in[i]) - letters);
        if (i % 4 != 0)
            out[written++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
    }
    return written;
}

// Several blocks, the last one shorter, come back bit by bit.
static void large_arrays_come_back(void **state)
{
    (void)state;
    enum { COUNT = 80000 };
    double *values = malloc(COUNT * sizeof *values), *back = malloc(COUNT * sizeof *back);
    for (int i = 0; i < COUNT; ++i)
        values[i] = i % 5 ? sin(i) : i;
    PalVtuArray array = {PAL_VTU_POINT_DATA, PAL_VTU_FLOAT64, "a", 1, COUNT, values};
    PalVtuDef def = {.point_count = COUNT, .array_count = 1, .arrays = &array, .thread_count = 2};
    PalError error = {0};
    PalText text = {0};
    check_ok(pal_vtu_encode(&def, &text, &error), &error);
    pal_text_put(&text, "", 1);
    const char *data = strstr(text.data, "encoding=\"base64\">\n_");
    assert_non_null(data);
    data += strlen("encoding=\"base64\">\n_");
    uint64_t head[3 + 64];
    assert_int_equal(decode_base64(data, 32, (unsigned char *)head), 24);
    size_t blocks = head[0], head_size = 8 * (3 + blocks), head_length = (head_size + 2) / 3 * 4;
    assert_int_equal(blocks, 3);
    assert_int_equal((blocks - 1) * head[1] + head[2], COUNT * sizeof *values);
    decode_base64(data, head_length, (unsigned char *)head);
    unsigned char *packed = malloc(text.length);
    decode_base64(data + head_length, strcspn(data + head_length, "\n"), packed);
    size_t in = 0, out = 0;
    for (size_t b = 0; b < blocks; ++b) {
        uLongf size = (uLongf)(COUNT * sizeof *values - out);
        assert_int_equal(uncompress((Bytef *)back + out, &size, packed + in, (uLong)head[3 + b]),
                         Z_OK);
        in += head[3 + b];
        out += size;
    }
    assert_int_equal(out, COUNT * sizeof *values);
    assert_memory_equal(back, values, COUNT * sizeof *values);
    free(packed);
    free(values);
    free(back);
    pal_text_clear(&text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(topology_is_complete),
    cmocka_unit_test(rigid_velocity_is_the_rate_of_position),
    cmocka_unit_test(bytes_do_not_depend_on_threads),
    cmocka_unit_test(large_arrays_come_back),
};
CHECK_GROUP(tests, NULL, NULL)
