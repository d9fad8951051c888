// The report's page shows the last frame, bodies, fields and history. It has limits: the end of a
// long log, the beginning of a long scene.
#include "fake.h"
#include "place.h"

#include "output/report.h"
#include "output/shown.h"

// A folder, and a frame of a model that is made up.
typedef struct Stage {
    char path[64];
    PalDirectory directory;
    Fake fake;
    PalFrame *frame;
} Stage;

static void stage_begin(Stage *stage)
{
    PalError error = {0};
    stage->directory = place_open(stage->path);
    fake_init(&stage->fake);
    check_ok(pal_frame_create(&stage->fake.model, &stage->frame, &error), &error);
}

static void stage_end(Stage *stage)
{
    pal_frame_destroy(stage->frame);
    fake_clear(&stage->fake);
    pal_directory_close(&stage->directory);
    place_remove(stage->path);
}

static PalText write_report(int scene_lines, int log_lines)
{
    char line[16];
    Stage stage;
    PalError error = {0};
    PalText scene = {0}, log = {0}, picture = {0};
    stage_begin(&stage);
    for (int i = 0; i < scene_lines; ++i) {
        snprintf(line, sizeof line, "s%08d\n", i);
        pal_text_add(&scene, line);
    }
    for (int i = 0; i < log_lines; ++i) {
        snprintf(line, sizeof line, "l%08d\n", i);
        pal_text_add(&log, line);
    }
    pal_text_put(&scene, "", 1);
    pal_text_put(&log, "", 1);
    place_put(&stage.directory, "scene.yaml", scene.data);
    place_put(&stage.directory, "log.txt", log.data);
    pal_text_add(&picture, "png");
    PalSummary summary = {.title = "limits", .reason = "", .status = PAL_INTERRUPTED};
    PalReportDef def = {.last = stage.frame, .summary = &summary, .picture = &picture};
    check_ok(pal_report_write(&stage.directory, &def, &error), &error);
    PalText page = place_get(&stage.directory, "report.html");
    pal_text_clear(&scene);
    pal_text_clear(&log);
    pal_text_clear(&picture);
    stage_end(&stage);
    return page;
}

// 10 bytes a line: 200,000 of the scene from its front, 20,000 of the log from its back.
static void long_texts_are_cut(void **state)
{
    (void)state;
    PalText page = write_report(20001, 2001);
    assert_non_null(strstr(page.data, "s00000000"));
    assert_non_null(strstr(page.data, "s00019999"));
    assert_null(strstr(page.data, "s00020000"));
    assert_non_null(strstr(page.data, "\"scene_cut\": true"));
    assert_null(strstr(page.data, "l00000000"));
    assert_non_null(strstr(page.data, "l00000001"));
    assert_non_null(strstr(page.data, "l00002000"));
    pal_text_clear(&page);
}

static void short_texts_are_whole(void **state)
{
    (void)state;
    PalText page = write_report(20000, 2000);
    assert_non_null(strstr(page.data, "s00019999"));
    assert_non_null(strstr(page.data, "\"scene_cut\": false"));
    assert_non_null(strstr(page.data, "l00000000"));
    assert_non_null(strstr(page.data, "l00001999"));
    assert_non_null(strstr(page.data, "\"interrupted\": true"));
    assert_non_null(strstr(page.data, "\"title\": \"limits\""));
    assert_non_null(strstr(page.data, "\"picture\": \"cG5n\""));
    pal_text_clear(&page);
}

// What stands after a key, behind another place.
static const char *find(const char *from, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(from, quoted);
    if (at == NULL)
        fail_msg("there is no %s", key);
    return at + strlen(quoted);
}

// The bytes after a key; the caller frees them.
static void *decode(const char *from, const char *key, size_t *size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = find(from, key) + 1, *end = strchr(at, '"');
    unsigned char *bytes = malloc((size_t)(end - at) + 3);
    uint32_t word = 0;
    int bits = 0;
    *size = 0;
    for (; at < end && *at != '='; ++at) {
        word = word << 6 | (uint32_t)(strchr(digits, *at) - digits);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes[(*size)++] = (unsigned char)(word >> bits);
        }
    }
    return bytes;
}

// A page of a run that is bent and pressed, with a history of two rows and a probe.
static PalText write_bent(PalFrame *frame, const PalDirectory *directory, bool touches)
{
    PalError error = {0};
    PalProbe probe = {.name = "tip", .record = PAL_RECORD_VELOCITY};
    const PalVec3 value = {7, 8, 9};
    bool see_through[3] = {false, true, false};
    fake_deform(frame, 1);
    for (int32_t n = 0; n < frame->soft_point_count; ++n)
        frame->contact[n] = (PalVec3){0, 0, frame->reference[n].z > 0.49 ? -2 : 0};
    pal_frame_find_pressures(frame);
    place_put(directory, "scene.yaml", "a scene");
    place_put(directory, "log.txt", "a log");
    place_put(directory, "history.csv", "time,steps\n0,1.5\n2,3.25\n");
    PalSummary summary = {.title = "bent",
                          .reason = "",
                          .probe_count = 1,
                          .probes = &probe,
                          .probe_values = &value,
                          .contact = {.margin = touches}};
    PalText picture = {0};
    PalReportDef def = {
        .last = frame, .summary = &summary, .picture = &picture, .see_through = see_through};
    check_ok(pal_report_write(directory, &def, &error), &error);
    return place_get(directory, "report.html");
}

// On the surface, in the order of the points; the middle of everything is at the origin.
static void check_surface(const PalFrame *frame, const char *surface)
{
    size_t sizes[4];
    float *start = decode(surface, "start", &sizes[0]);
    float *moved = decode(surface, "displacement", &sizes[1]);
    uint32_t *triangles = decode(surface, "triangles", &sizes[2]);
    uint8_t *edges = decode(surface, "edges", &sizes[3]);
    int32_t points = (int32_t)strtol(find(surface, "points"), NULL, 10);
    assert_int_equal(sizes[0], 12 * (size_t)points);
    assert_int_equal(sizes[1], 12 * (size_t)points);
    assert_int_equal(sizes[2], 12 * (size_t)frame->triangle_count);
    assert_int_equal(sizes[3], frame->triangle_count);
    // the beam reaches from -3 to 3 and, with what is beside and above it, -2.5 to 0.5, -0.5 to 2
    const PalVec3 middle = {0, -1, 0.75};
    for (int32_t t = 0; t < frame->triangle_count; ++t) {
        assert_int_equal(edges[t], frame->triangle_edges[t]);
        for (int a = 0; a < 3; ++a) {
            int32_t n = frame->triangles[t][a];
            uint32_t k = triangles[3 * t + a];
            assert_true(k < (uint32_t)points);
            check_near((double)start[3 * k], frame->reference[n].x - middle.x, 1e-6);
            check_near((double)start[3 * k + 1], frame->reference[n].y - middle.y, 1e-6);
            check_near((double)start[3 * k + 2], frame->reference[n].z - middle.z, 1e-6);
            check_near((double)moved[3 * k], frame->displacement[n].x, 1e-6);
            check_near((double)moved[3 * k + 1], frame->displacement[n].y, 1e-6);
            check_near((double)moved[3 * k + 2], frame->displacement[n].z, 1e-6);
        }
    }
    free(start);
    free(moved);
    free(triangles);
    free(edges);
}

// The mean of the cells around a point.
static double stress_at(const PalFrame *frame, int32_t point)
{
    double sum = 0;
    int count = 0;
    for (int b = 0; b < 2; ++b) {
        const PalFrameBody *body = &frame->bodies[b];
        for (int32_t c = 0; c < body->cell_count * body->corner_count; ++c)
            if (body->first_point + body->cells[c] == point) {
                sum += frame->von_mises[body->first_cell + c / body->corner_count];
                ++count;
            }
    }
    return count > 0 ? sum / count : 0;
}

static void check_fields(const PalFrame *frame, const char *surface)
{
    static const char *const names[] = {"von Mises stress", "displacement", "contact pressure"};
    size_t size;
    uint32_t *triangles = decode(surface, "triangles", &size);
    const char *at = find(surface, "fields");
    for (int f = 0; f < 3; ++f) {
        at = find(at, "name");
        assert_memory_equal(at + 1, names[f], strlen(names[f]));
        double top = strtod(find(at, "top"), NULL), highest = strtod(find(at, "highest"), NULL);
        float *values = decode(at, "values", &size);
        double most = 0;
        for (int32_t t = 0; t < frame->triangle_count; t += 7)
            for (int a = 0; a < 3; ++a) {
                int32_t n = frame->triangles[t][a];
                double value =
                    f == 0   ? stress_at(frame, n)
                    : f == 2 ? frame->pressure[n]
                    : n < frame->soft_point_count
                        ? sqrt(pow(frame->displacement[n].x, 2) + pow(frame->displacement[n].z, 2))
                        : 0;
                check_near((double)values[triangles[3 * t + a]], value, 1e-6 * (1 + value));
                most = fmax(most, value);
            }
        assert_true(most > 0 && highest >= most * (1 - 1e-6) && highest <= 1.2 * most);
        assert_true(top > 0 && top <= 2 * highest);
        free(values);
    }
    free(triangles);
}

static void the_page_shows_the_frame(void **state)
{
    (void)state;
    Stage stage;
    stage_begin(&stage);
    const PalFrame *frame = stage.frame;
    PalText page = write_bent(stage.frame, &stage.directory, true);
    const char *surface = find(page.data, "surface");
    check_surface(frame, surface);
    check_fields(frame, surface);
    const char *at = find(surface, "bodies");
    int32_t first = 0;
    for (int b = 0; b < 3; ++b) {
        int32_t count = 0;
        for (int32_t t = 0; t < frame->triangle_count; ++t)
            count += frame->triangle_body[t] == b;
        at = find(at, "name");
        assert_int_equal(strncmp(find(at, "rigid"), "true", 4) == 0, b == 2);
        assert_int_equal(strncmp(find(at, "faint"), "true", 4) == 0, b == 1);
        assert_int_equal(strtol(find(at, "first"), NULL, 10), first);
        assert_int_equal(strtol(find(at, "count"), NULL, 10), count);
        first += count;
    }
    pal_text_clear(&page);
    page = write_bent(stage.frame, &stage.directory, false);
    assert_null(strstr(page.data, "\"name\": \"contact pressure\""));
    pal_text_clear(&page);
    stage_end(&stage);
}

static void the_page_tells_the_rest(void **state)
{
    (void)state;
    Stage stage;
    stage_begin(&stage);
    PalText page = write_bent(stage.frame, &stage.directory, true);
    const char *history = find(page.data, "history");
    assert_int_equal(strtol(find(history, "width"), NULL, 10), 2);
    assert_int_equal(strtol(find(history, "rows"), NULL, 10), 2);
    size_t size;
    double *values = decode(history, "values", &size);
    static const double expected[] = {0, 1.5, 2, 3.25};
    assert_int_equal(size, sizeof expected);
    assert_memory_equal(values, expected, sizeof expected);
    free(values);
    assert_memory_equal(find(page.data, "scene"), "\"a scene\"", 9);
    assert_memory_equal(find(page.data, "log"), "\"a log\"", 7);
    assert_memory_equal(find(page.data, "interrupted"), "false", 5);
    assert_non_null(strstr(page.data, "\"record\": \"velocity\""));
    pal_text_clear(&page);
    stage_end(&stage);
}

// The legend ends at a round number, and has round steps.
static void legends_are_round(void **state)
{
    (void)state;
    static const struct {
        double value, top;
        int steps;
    } cases[] = {{1, 1, 5},   {1.1, 1.2, 4}, {1.3, 1.5, 3},    {1.8, 2, 4}, {2.2, 2.5, 5},
                 {2.7, 3, 3}, {3.5, 4, 4},   {4.5, 5, 5},      {5.5, 6, 3}, {7, 8, 4},
                 {9, 10, 5},  {37, 40, 4},   {0.011, 0.012, 4}};
    double displacement[3][3] = {{0, 0, 0}};
    int32_t triangles[1][3] = {{0, 1, 2}}, bodies[1] = {0};
    PalFrame frame = {.body_count = 1,
                      .soft_body_count = 1,
                      .point_count = 3,
                      .soft_point_count = 3,
                      .displacement = (PalVec3 *)displacement,
                      .triangle_count = 1,
                      .triangles = triangles,
                      .triangle_body = bodies};
    PalError error = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        PalShown shown;
        displacement[i % 3][i % 2] = cases[i].value;
        check_ok(pal_shown_init(&frame, PAL_SHOWN_DISPLACEMENT, false, &shown, &error), &error);
        displacement[i % 3][i % 2] = 0;
        check_near(shown.top, cases[i].top, 1e-12 * cases[i].top);
        check_near(shown.highest, cases[i].value, 0);
        assert_int_equal(shown.steps, cases[i].steps);
        pal_shown_clear(&shown);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(long_texts_are_cut),       cmocka_unit_test(short_texts_are_whole),
    cmocka_unit_test(the_page_shows_the_frame), cmocka_unit_test(the_page_tells_the_rest),
    cmocka_unit_test(legends_are_round),
};

CHECK_GROUP(tests, NULL, NULL)
