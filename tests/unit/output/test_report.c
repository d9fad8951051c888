// The report's page has limits: the end of a long log, the beginning of a long scene.
#include "fake.h"
#include "place.h"

#include "output/report.h"

static PalText write_report(int scene_lines, int log_lines)
{
    char path[64], line[16];
    PalDirectory directory = place_open(path);
    Fake fake;
    PalFrame *frame = NULL;
    PalError error = {0};
    PalText scene = {0}, log = {0}, picture = {0};
    fake_init(&fake);
    check_ok(pal_frame_create(&fake.model, &frame, &error), &error);
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
    place_put(&directory, "scene.yaml", scene.data);
    place_put(&directory, "log.txt", log.data);
    pal_text_add(&picture, "png");
    PalSummary summary = {.title = "limits", .reason = "", .status = PAL_INTERRUPTED};
    PalReportDef def = {.last = frame, .summary = &summary, .picture = &picture};
    check_ok(pal_report_write(&directory, &def, &error), &error);
    PalText page = place_get(&directory, "report.html");
    pal_text_clear(&scene);
    pal_text_clear(&log);
    pal_text_clear(&picture);
    pal_frame_destroy(frame);
    fake_clear(&fake);
    pal_directory_close(&directory);
    place_remove(path);
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(long_texts_are_cut),
    cmocka_unit_test(short_texts_are_whole),
};

CHECK_GROUP(tests, NULL, NULL)
