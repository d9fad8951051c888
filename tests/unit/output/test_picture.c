#include "fake.h"

#include "math/vec3.h"
#include "output/hidden.h"
#include "output/image.h"
#include "output/picture.h"
#include "output/raster.h"
#include "output/shown.h"

#include <zlib.h>

enum { WIDTH = 960, HEIGHT = 600 };

static uint32_t big_endian(const unsigned char *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

// Undoes what the encoder does, checking every sum on the way. Three bytes per pixel.
static unsigned char *decode(const PalText *png)
{
    const unsigned char *p = (const unsigned char *)png->data, *end = p + png->length;
    assert_memory_equal(p, "\x89PNG\r\n\x1a\n", 8);
    uLongf size = HEIGHT * (3 * WIDTH + 1);
    unsigned char *rows = malloc(size);
    for (p += 8; p < end;) {
        uint32_t length = big_endian(p);
        assert_int_equal(crc32(0, p + 4, length + 4), big_endian(p + 8 + length));
        if (memcmp(p + 4, "IHDR", 4) == 0) {
            assert_int_equal(big_endian(p + 8), WIDTH);
            assert_int_equal(big_endian(p + 12), HEIGHT);
        } else if (memcmp(p + 4, "IDAT", 4) == 0) {
            assert_int_equal(uncompress(rows, &size, p + 8, length), Z_OK);
            assert_int_equal(size, HEIGHT * (3 * WIDTH + 1));
        }
        p += 12 + length;
    }
    unsigned char *pixels = malloc(HEIGHT * 3 * WIDTH);
    for (int y = 0; y < HEIGHT; ++y)
        for (int i = 0; i < 3 * WIDTH; ++i) {
            unsigned char above = y > 0 ? pixels[(y - 1) * 3 * WIDTH + i] : 0;
            unsigned char byte = rows[y * (3 * WIDTH + 1) + 1 + i];
            pixels[y * 3 * WIDTH + i] =
                (unsigned char)(byte + (rows[y * (3 * WIDTH + 1)] == 2 ? above : 0));
        }
    free(rows);
    return pixels;
}

// Pixels that are much darker than the paper, inside the part where bodies are drawn.
static int count_drawn(const unsigned char *pixels)
{
    int count = 0;
    for (int y = 68; y < 562; ++y)
        for (int x = 36; x < 750; ++x)
            count += pixels[(y * WIDTH + x) * 3] < 190;
    return count;
}

static PalText draw(PalFrame *frame, int32_t threads)
{
    PalError error = {0};
    PalText png = {0};
    PalPictureDef def = {.title = "a picture, \xc3\xa9 and all", .thread_count = threads};
    check_ok(pal_picture_encode(frame, &def, &png, &error), &error);
    return png;
}

static void shows_the_bodies(void **state)
{
    (void)state;
    Fake fake;
    PalFrame *frame = NULL;
    PalError error = {0};
    fake_init(&fake);
    check_ok(pal_frame_create(&fake.model, &frame, &error), &error);
    fake_deform(frame, 1);
    PalText one = draw(frame, 1), four = draw(frame, 4);
    unsigned char *pixels = decode(&one);
    assert_true(count_drawn(pixels) > 56000);
    assert_int_equal(one.length, four.length);
    assert_memory_equal(one.data, four.data, one.length);
    free(pixels);
    pal_text_clear(&one);
    pal_text_clear(&four);
    pal_frame_destroy(frame);
    fake_clear(&fake);
}

// How many pixels of two pictures differ, in rows and columns from one to another.
static int count_different(const unsigned char *a, const unsigned char *b, const int range[4])
{
    int count = 0;
    for (int y = range[0]; y < range[1]; ++y)
        for (int x = range[2]; x < range[3]; ++x)
            count += memcmp(a + 3 * (y * WIDTH + x), b + 3 * (y * WIDTH + x), 3) != 0;
    return count;
}

// The title stands in the head and nowhere else; the legend at the right follows the highest value.
static void title_and_legend_are_there(void **state)
{
    (void)state;
    Fake fake;
    PalFrame *frame = NULL;
    PalError error = {0};
    PalText pngs[3] = {{0}};
    unsigned char *pixels[3];
    fake_init(&fake);
    check_ok(pal_frame_create(&fake.model, &frame, &error), &error);
    fake_deform(frame, 1);
    for (int i = 0; i < 3; ++i) {
        PalPictureDef def = {.title = i == 0 ? "" : "a title", .thread_count = 1};
        for (int32_t e = 0; i == 2 && e < frame->soft_cell_count; ++e)
            frame->von_mises[e] *= 3;  // the same colours, by another measure
        check_ok(pal_picture_encode(frame, &def, &pngs[i], &error), &error);
        pixels[i] = decode(&pngs[i]);
    }
    static const int head[4] = {0, 68, 0, WIDTH}, body[4] = {68, HEIGHT, 0, WIDTH};
    static const int right[4] = {68, HEIGHT, 750, WIDTH};
    assert_true(count_different(pixels[0], pixels[1], head) > 50);
    assert_int_equal(count_different(pixels[0], pixels[1], body), 0);
    assert_true(count_different(pixels[1], pixels[2], right) > 20);
    assert_int_equal(count_different(pixels[1], pixels[2], head), 0);
    for (int i = 0; i < 3; ++i) {
        free(pixels[i]);
        pal_text_clear(&pngs[i]);
    }
    pal_frame_destroy(frame);
    fake_clear(&fake);
}

// After a failed run positions may be anything; what is finite is still drawn.
static void survives_positions_that_are_not_finite(void **state)
{
    (void)state;
    Fake fake;
    PalFrame *frame = NULL;
    PalError error = {0};
    fake_init(&fake);
    check_ok(pal_frame_create(&fake.model, &frame, &error), &error);
    fake_deform(frame, 1);
    frame->position[0].x = NAN;
    frame->von_mises[3] = NAN;
    frame->von_mises[5] = INFINITY;
    PalText png = draw(frame, 2);
    unsigned char *pixels = decode(&png);
    assert_true(count_drawn(pixels) > 50000);
    free(pixels);
    pal_text_clear(&png);
    for (int32_t n = 0; n < frame->point_count; ++n)
        frame->position[n].y = INFINITY;
    png = draw(frame, 2);
    pixels = decode(&png);
    assert_int_equal(count_drawn(pixels), 0);
    free(pixels);
    pal_text_clear(&png);
    pal_frame_destroy(frame);
    fake_clear(&fake);
}

// How much ink a text takes, and how wide it is.
static long ink_of(const char *text, double *width)
{
    PalImage image;
    assert_true(pal_image_init(&image, 120, 60));
    memset(image.pixels, 255, 120 * 60 * sizeof *image.pixels);
    PalLettering at = {20, 40, 18, {0, 0, 0}};
    pal_image_letter(&image, &at, text);
    long ink = 0;
    for (int i = 0; i < 120 * 60; ++i)
        ink += 255 - image.pixels[i].r;
    pal_image_clear(&image);
    *width = pal_lettering_width(18, text);
    return ink;
}

// Letters with marks are letters with more ink, and as wide; two characters may be one letter.
static void letters_have_marks(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"e", "\xc3\xa9"}, {"A", "\xc3\x84"},  {"z", "\xc5\xba"},
        {"c", "\xc3\xa7"}, {"e", "e\xcc\x81"}, {"O", "\xc3\x98"},
    };
    double width, other;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        assert_true(ink_of(pairs[i][1], &other) > ink_of(pairs[i][0], &width) + 500);
        check_near(width, other, 0);
    }
    assert_int_equal(ink_of("ss", &width), ink_of("\xc3\x9f", &other));
    assert_int_equal(ink_of("AE", &width), ink_of("\xc3\x86", &other));
    assert_int_equal(ink_of("?", &width), ink_of("\xe4\xb8\xad", &other));  // not known
    assert_int_equal(ink_of("??", &width), ink_of("\xff\xc3", &other));     // no UTF-8
}

static void colours_stay_at_their_ends(void **state)
{
    (void)state;
    PalColour low = pal_colour_map(-1), high = pal_colour_map(2), top = pal_colour_map(1);
    assert_memory_equal(&low, &pal_colour_stops[0], sizeof low);
    assert_memory_equal(&high, &pal_colour_stops[PAL_COLOUR_STOP_COUNT - 1], sizeof high);
    assert_memory_equal(&top, &high, sizeof top);
}

// The block, moved into the beam, is seen through it; beside the beam it needs no help.
static void sees_through_what_hides(void **state)
{
    (void)state;
    Fake fake;
    PalFrame *frame = NULL;
    PalError error = {0};
    fake_init(&fake);
    check_ok(pal_frame_create(&fake.model, &frame, &error), &error);
    bool see_through[3];
    check_ok(pal_hidden_find(frame, see_through, &error), &error);
    assert_false(see_through[0] || see_through[1] || see_through[2]);

    for (int32_t n = fake.bodies[1].first_node; n < fake.model.node_count; ++n) {
        PalVec3 *x = &frame->position[n];
        *x = (PalVec3){0.4 * x->x, 0.4 * (x->y + 2), 0.4 * x->z};
    }
    check_ok(pal_hidden_find(frame, see_through, &error), &error);
    assert_true(see_through[0] && !see_through[1] && !see_through[2]);
    int64_t seen[3], alone[3];
    PalRasterDef def = {.frame = frame, .viewport = {0, 0, 100, 100}};
    check_ok(pal_raster_count(&def, 100, 100, seen, &error), &error);
    def.left_out = see_through;
    check_ok(pal_raster_count(&def, 100, 100, alone, &error), &error);
    assert_true(seen[0] > 1000 && seen[1] == 0 && alone[0] == 0 && alone[1] > 100);

    PalText opaque = draw(frame, 1), through = {0};
    PalPictureDef picture = {.title = "", .thread_count = 1, .see_through = see_through};
    check_ok(pal_picture_encode(frame, &picture, &through, &error), &error);
    unsigned char *hidden = decode(&opaque), *shown = decode(&through);
    assert_true(count_drawn(shown) > 1700);  // the block; the beam is fainter than this counts
    assert_true(count_drawn(shown) < count_drawn(hidden) / 2);
    free(hidden);
    free(shown);
    pal_text_clear(&opaque);
    pal_text_clear(&through);
    pal_frame_destroy(frame);
    fake_clear(&fake);
}

// Makes the rigid block a table, so many times as wide, under everything; counts what is seen.
static void count_on_table(double wide, int64_t before[3], int64_t after[3])
{
    Fake fake;
    PalFrame *frame = NULL;
    PalError error = {0};
    fake_init(&fake);
    check_ok(pal_frame_create(&fake.model, &frame, &error), &error);
    PalRasterDef def = {.frame = frame, .viewport = {50, 50, 300, 300}};
    check_ok(pal_raster_count(&def, 400, 400, before, &error), &error);
    for (int32_t n = fake.model.node_count; n < frame->point_count; ++n) {
        PalVec3 x = frame->position[n];
        frame->position[n] = (PalVec3){wide * (x.x - 1), wide * x.y, x.z - 3};
    }
    check_ok(pal_raster_count(&def, 400, 400, after, &error), &error);
    pal_frame_destroy(frame);
    fake_clear(&fake);
}

// However wide the table, it is cut off near the bodies on it, which are what the picture shows.
static void wide_tables_are_cut_off(void **state)
{
    (void)state;
    int64_t before[3], after[3], wider[3];
    count_on_table(200, before, after);
    count_on_table(5000, before, wider);
    assert_true(after[2] > 0);
    assert_true(after[0] + after[1] + after[2] < 4 * 300 * 300);  // inside the viewport
    for (int b = 0; b < 3; ++b)
        assert_true(llabs(after[b] - wider[b]) <= 2 + after[b] / 1000);
    for (int b = 0; b < 2; ++b)
        assert_true((double)after[b] > 0.25 * (double)before[b]);
}

static PalBounds bounds_of(const PalFrame *frame, int32_t first, int32_t end)
{
    PalBounds box = {frame->position[first], frame->position[first]};
    for (int32_t n = first; n < end; ++n) {
        PalVec3 x = frame->position[n];
        box.lower =
            (PalVec3){fmin(box.lower.x, x.x), fmin(box.lower.y, x.y), fmin(box.lower.z, x.z)};
        box.upper =
            (PalVec3){fmax(box.upper.x, x.x), fmax(box.upper.y, x.y), fmax(box.upper.z, x.z)};
    }
    return box;
}

// The rigid block becomes a thick table around the middle of the bodies, of `share` of the width
// at which it is cut off.
static void count_on_block(double share, int64_t seen[3])
{
    Fake fake;
    PalFrame *frame = NULL;
    PalError error = {0};
    fake_init(&fake);
    check_ok(pal_frame_create(&fake.model, &frame, &error), &error);
    PalBounds soft = bounds_of(frame, 0, fake.model.node_count);
    PalBounds block = bounds_of(frame, fake.model.node_count, frame->point_count);
    double margin = 0.12 * pal_vec3_distance(soft.lower, soft.upper);
    PalVec3 middle = pal_vec3_scale(0.5, pal_vec3_add(soft.lower, soft.upper));
    PalVec3 half = pal_vec3_sub(soft.upper, middle);
    for (int32_t n = fake.model.node_count; n < frame->point_count; ++n) {
        PalVec3 *x = &frame->position[n];
        PalVec3 wide = pal_vec3_sub(block.upper, block.lower), from = pal_vec3_sub(*x, block.lower);
        *x = (PalVec3){middle.x + (2 * from.x / wide.x - 1) * share * (half.x + margin),
                       middle.y + (2 * from.y / wide.y - 1) * share * (half.y + margin),
                       soft.lower.z + (from.z / wide.z - 1) * 0.9 * margin};
    }
    PalRasterDef def = {.frame = frame, .viewport = {50, 50, 300, 300}};
    check_ok(pal_raster_count(&def, 400, 400, seen, &error), &error);
    pal_frame_destroy(frame);
    fake_clear(&fake);
}

// Where a block is cut off it has a side: it looks like one that was never larger.
static void cut_blocks_have_sides(void **state)
{
    (void)state;
    int64_t whole[3], cut[3];
    count_on_block(1 - 1e-9, whole);
    count_on_block(3, cut);
    print_message("the block is seen at %lld and %lld samples\n", (long long)whole[2],
                  (long long)cut[2]);
    for (int b = 0; b < 3; ++b)
        assert_true(llabs(whole[b] - cut[b]) <= 2 + whole[b] / 1000);
}

// Cells in ruins, as a failed run leaves them, do not take all colours for themselves.
static void ruins_do_not_set_the_colours(void **state)
{
    (void)state;
    Fake fake;
    PalFrame *frame = NULL;
    PalError error = {0};
    PalShown whole, plain, ruined;
    fake_init(&fake);
    check_ok(pal_frame_create(&fake.model, &frame, &error), &error);
    for (int32_t n = 0; n < frame->soft_point_count; ++n)
        frame->displacement[n] = (PalVec3){1 + 1e-3 * n, 0, 0};
    check_ok(pal_shown_init(frame, PAL_SHOWN_DISPLACEMENT, false, &whole, &error), &error);
    // three nodes, and so every triangle around them: more than one in a hundred
    for (int a = 0; a < 3; ++a)
        frame->displacement[frame->triangles[frame->triangle_count / 4][a]].x = 1e6;
    check_ok(pal_shown_init(frame, PAL_SHOWN_DISPLACEMENT, false, &plain, &error), &error);
    check_ok(pal_shown_init(frame, PAL_SHOWN_DISPLACEMENT, true, &ruined, &error), &error);
    assert_true(plain.top <= 5.4 * whole.highest);
    check_near(plain.highest, 1e6, 0);
    check_near(ruined.highest, 1e6, 0);
    assert_true(ruined.top <= 1.34 * whole.highest);
    pal_shown_clear(&plain);
    pal_shown_clear(&whole);
    pal_shown_clear(&ruined);
    pal_frame_destroy(frame);
    fake_clear(&fake);
}

static PalVec3 area_of(const PalFrame *frame, const int32_t n[3])
{
    const PalVec3 *x = frame->position;
    return pal_vec3_scale(
        0.5, pal_vec3_cross(pal_vec3_sub(x[n[1]], x[n[0]]), pal_vec3_sub(x[n[2]], x[n[0]])));
}

// A force on a node of one side of the block is spread over a quarter of the facets there, not of
// those around the edge.
static void pressure_is_force_over_area(void **state)
{
    (void)state;
    Fake fake;
    PalFrame *frame = NULL;
    PalError error = {0};
    PalShown shown;
    fake_init(&fake);
    check_ok(pal_frame_create(&fake.model, &frame, &error), &error);
    const int32_t *pressed = frame->triangles[0];
    int32_t node = pressed[0];
    PalVec3 normal = pal_vec3_normalise(area_of(frame, pressed));
    double area = 0, around = 0;
    PalVec3 aside = {0, 0, 0};
    for (int32_t t = 0; t < frame->triangle_count; t += 2) {  // halves of quadrilaterals
        const int32_t *n = frame->triangles[t], *other = frame->triangles[t + 1];
        if (frame->triangle_body[t] > 0 ||
            (n[0] != node && n[1] != node && n[2] != node && other[2] != node))
            continue;
        PalVec3 whole = pal_vec3_add(area_of(frame, n), area_of(frame, other));
        bool pressed_on = pal_vec3_dot(whole, normal) > 0;
        *(pressed_on ? &area : &around) += pal_vec3_length(whole) / 4;
        aside = pressed_on ? aside : pal_vec3_add(aside, pal_vec3_normalise(whole));
    }
    assert_true(around > 0);
    // also if friction pulls at the node somewhat
    frame->contact[node] = pal_vec3_add_scaled(pal_vec3_scale(-5, normal), -0.5, aside);
    pal_frame_find_pressures(frame);
    check_ok(pal_shown_init(frame, PAL_SHOWN_CONTACT, false, &shown, &error), &error);
    check_near(shown.values[node], 5 / area, 1e-12 / area);
    check_near(shown.highest, 5 / area, 1e-12 / area);
    // nor does pressure jump as the pull grows: it turns from one side of the block to three
    double before = 5 / area, pull = 0.5;
    for (; pull < 20; pull *= 1.0002) {
        frame->contact[node] = pal_vec3_add_scaled(pal_vec3_scale(-5, normal), -pull, aside);
        pal_frame_find_pressures(frame);
        check_near(frame->pressure[node] / before, 1, 0.002);
        before = frame->pressure[node];
    }
    // nor as it turns away from all of them
    before = 5 / area;
    for (pull = 0.5; pull < 20; pull *= 1.0002) {
        frame->contact[node] = pal_vec3_add_scaled(pal_vec3_scale(-5, normal), pull, aside);
        pal_frame_find_pressures(frame);
        check_near(frame->pressure[node], before, 0.003 * 5 / area);
        before = frame->pressure[node];
    }
    assert_true(before == 0);
    // what is not touched has no say in the range, which ends at the next round number
    assert_true(shown.top >= shown.highest * (1 - 1e-9) && shown.top <= 1.34 * shown.highest);
    assert_true(shown.steps >= 3 && shown.steps <= 5);
    pal_shown_clear(&shown);
    pal_frame_destroy(frame);
    fake_clear(&fake);
}

// A square that lies flat, coloured evenly from one side to the other, cut along either diagonal.
static void draw_square(const int32_t triangles[2][3], PalImage *image)
{
    PalVec3 corners[4] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}};
    double values[4] = {0, 0.4, 1, 0.6};
    int32_t cut[2][3], bodies[2] = {0, 0};
    uint8_t edges[2] = {0, 0};
    PalFrameBody body = {0};
    memcpy(cut, triangles, sizeof cut);
    PalFrame frame = {.body_count = 1,
                      .soft_body_count = 1,
                      .bodies = &body,
                      .point_count = 4,
                      .soft_point_count = 4,
                      .position = corners,
                      .triangle_count = 2,
                      .triangles = cut,
                      .triangle_edges = edges,
                      .triangle_body = bodies};
    PalShown shown = {.values = values, .highest = 1, .top = 1};
    PalRasterDef def = {
        .frame = &frame, .shown = &shown, .viewport = {0, 0, 200, 150}, .thread_count = 1};
    PalError error = {0};
    assert_true(pal_image_init(image, 200, 150));
    check_ok(pal_raster_draw(&def, image, &error), &error);
}

// What is far is seen smaller, also between the corners of a triangle.
static void how_a_facet_is_cut_does_not_show(void **state)
{
    (void)state;
    const int32_t cuts[2][2][3] = {{{0, 1, 2}, {0, 2, 3}}, {{1, 2, 3}, {1, 3, 0}}};
    PalImage images[2];
    for (int i = 0; i < 2; ++i)
        draw_square(cuts[i], &images[i]);
    int worst = 0, drawn = 0;
    for (int i = 0; i < 200 * 150; ++i) {
        PalColour a = images[0].pixels[i], b = images[1].pixels[i];
        worst = abs(a.r - b.r) > worst ? abs(a.r - b.r) : worst;
        worst = abs(a.g - b.g) > worst ? abs(a.g - b.g) : worst;
        worst = abs(a.b - b.b) > worst ? abs(a.b - b.b) : worst;
        drawn += a.r != images[0].pixels[0].r || a.g != images[0].pixels[0].g;
    }
    assert_true(drawn > 5000);
    print_message("colours differ by up to %d of 255\n", worst);
    assert_true(worst <= 2);
    pal_image_clear(&images[0]);
    pal_image_clear(&images[1]);
}

// Three squares, one behind the other as the picture sees them: where two hide the first together,
// neither is worth seeing through; where each hides a part of it, both are.
static void only_what_hides_by_itself_is_seen_through(void **state)
{
    (void)state;
    const PalVec3 away = pal_vec3_normalise(pal_vec3(0.55, -1, 0.5)), aside = {1, 0.55, 0};
    const double sizes[3][3] = {{1, 1.6, 2.4}, {1, 1.6, 2.4}, {1, 1.3, 1.3}};
    // the last one leaves a little free, or everything; or both hide a part
    const double shifts[3][3] = {{0, 0, 0.92}, {0, 0, 3}, {0, -0.5, 0.8}};
    const double before[3] = {0, 0.6, 1.2};
    for (int way = 0; way < 3; ++way) {
        PalVec3 corners[12];
        int32_t triangles[6][3], bodies[6];
        uint8_t edges[6] = {0};
        PalFrameBody parts[3] = {{0}};
        bool see_through[3];
        for (int b = 0; b < 3; ++b) {
            for (int k = 0; k < 4; ++k) {
                double right = (k == 1 || k == 2) - 0.5, up = (k > 1) - 0.5;
                PalVec3 at = pal_vec3_scale(sizes[way][b], pal_vec3(right, 0.55 * right, up));
                at = pal_vec3_add_scaled(at, before[b], away);
                corners[4 * b + k] = pal_vec3_add_scaled(at, shifts[way][b], aside);
            }
            for (int half = 0; half < 2; ++half) {
                const int32_t cut[3] = {4 * b, 4 * b + 1 + half, 4 * b + 2 + half};
                memcpy(triangles[2 * b + half], cut, sizeof cut);
                bodies[2 * b + half] = b;
            }
        }
        PalFrame frame = {.body_count = 3,
                          .soft_body_count = 3,
                          .bodies = parts,
                          .point_count = 12,
                          .soft_point_count = 12,
                          .position = corners,
                          .triangle_count = 6,
                          .triangles = triangles,
                          .triangle_edges = edges,
                          .triangle_body = bodies};
        PalError error = {0};
        check_ok(pal_hidden_find(&frame, see_through, &error), &error);
        assert_false(see_through[0]);
        assert_int_equal(see_through[1], way > 0);
        assert_int_equal(see_through[2], way == 2);
    }
}

// One node far above all others, fewer than one value in a hundred, is not where the colours end;
// one a little above is.
static void single_corners_do_not_set_the_colours(void **state)
{
    (void)state;
    Fake fake;
    PalFrame *frame = NULL;
    PalError error = {0};
    fake_init(&fake);
    check_ok(pal_frame_create(&fake.model, &frame, &error), &error);
    for (int i = 0; i < 2; ++i) {
        double high = i == 0 ? 1.2 : 3;
        PalShown shown;
        for (int32_t n = 0; n < frame->soft_point_count; ++n)
            frame->displacement[n] = (PalVec3){1, 0, 0};
        frame->displacement[frame->triangles[0][0]].x = high;
        check_ok(pal_shown_init(frame, PAL_SHOWN_DISPLACEMENT, false, &shown, &error), &error);
        check_near(shown.highest, high, 0);
        check_near(shown.top, i == 0 ? high : 1, 0);
        pal_shown_clear(&shown);
    }
    pal_frame_destroy(frame);
    fake_clear(&fake);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(shows_the_bodies),
    cmocka_unit_test(title_and_legend_are_there),
    cmocka_unit_test(survives_positions_that_are_not_finite),
    cmocka_unit_test(letters_have_marks),
    cmocka_unit_test(colours_stay_at_their_ends),
    cmocka_unit_test(sees_through_what_hides),
    cmocka_unit_test(only_what_hides_by_itself_is_seen_through),
    cmocka_unit_test(wide_tables_are_cut_off),
    cmocka_unit_test(cut_blocks_have_sides),
    cmocka_unit_test(ruins_do_not_set_the_colours),
    cmocka_unit_test(single_corners_do_not_set_the_colours),
    cmocka_unit_test(pressure_is_force_over_area),
    cmocka_unit_test(how_a_facet_is_cut_does_not_show),
};
CHECK_GROUP(tests, NULL, NULL)
