#include "fake.h"
#include "place.h"

#include "output/writer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

typedef struct Place {
    Fake fake;
    PalFrame *frame;
    PalFrameFile file;
    PalDirectory directory;
    char path[64];
    PalWriterDef def;
    PalWriter *writer;
} Place;

static void begin(Place *p)
{
    static const bool fields[PAL_FIELD_COUNT] = {true};
    PalError error = {0};
    fake_init(&p->fake);
    check_ok(pal_frame_create(&p->fake.model, &p->frame, &error), &error);
    check_ok(pal_frame_file_init(p->frame, fields, false, &p->file, &error), &error);
    p->directory = place_open(p->path);
    check_ok(pal_directory_make(&p->directory, "frames", &error), &error);
    check_ok(pal_pvd_write(&p->directory, &pal_frame_series, NULL, 0, &error), &error);
    p->def = (PalWriterDef){.directory = &p->directory, .file = &p->file};
    p->def.history = openat(p->directory.descriptor, "history.csv",
                            O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    check_ok(pal_writer_create(&p->def, &p->writer, &error), &error);
}

static void end(Place *p)
{
    pal_writer_destroy(p->writer);
    close(p->def.history);
    pal_directory_close(&p->directory);
    pal_frame_file_clear(&p->file);
    pal_frame_destroy(p->frame);
    fake_clear(&p->fake);
    place_remove(p->path);
}

static PalText row_of(int number)
{
    PalText text = {0};
    pal_text_print(&text, "row %d\n", number);
    return text;
}

static void send(Place *p, int number)
{
    PalError error = {0};
    PalText row = row_of(number);
    check_ok(pal_writer_wait(p->writer, &error), &error);
    check_ok(pal_frame_file_encode(&p->file, pal_writer_frame(p->writer), &error), &error);
    pal_writer_send(p->writer, number, &row);
    pal_text_clear(&row);
}

// Rows without a frame come while frames are being written, and none gets lost.
static void rows_keep_their_order(void **state)
{
    (void)state;
    enum { FRAMES = 60, ROWS = 7 };
    PalError error = {0};
    Place p;
    begin(&p);
    for (int i = 0; i < FRAMES * ROWS; ++i) {
        if (i % ROWS == 0) {
            send(&p, i);
            continue;
        }
        PalText row = row_of(i);
        check_ok(pal_writer_row(p.writer, &row, &error), &error);
        pal_text_clear(&row);
    }
    check_ok(pal_writer_wait(p.writer, &error), &error);
    assert_int_equal(pal_writer_frame_count(p.writer), FRAMES);
    PalText history = place_get(&p.directory, "history.csv"), expected = {0};
    for (int i = 0; i < FRAMES * ROWS; ++i)
        pal_text_print(&expected, "row %d\n", i);
    assert_int_equal(history.length, expected.length);
    assert_memory_equal(history.data, expected.data, expected.length);
    assert_int_equal(pal_writer_history_bytes(p.writer), (int64_t)expected.length);
    pal_text_clear(&history);
    pal_text_clear(&expected);
    end(&p);
}

// What is handed over is written, even if nobody waits for it.
static void leaving_loses_nothing(void **state)
{
    (void)state;
    Place p;
    begin(&p);
    send(&p, 0);
    pal_writer_destroy(p.writer);
    p.writer = NULL;
    assert_true(place_has(&p.directory, "frames/000000.vtu"));
    PalText history = place_get(&p.directory, "history.csv");
    assert_int_equal(history.length, strlen("row 0\n"));
    pal_text_clear(&history);
    end(&p);
}

// The frame that finds no room is told once asked; nothing after it is written, and what counts is
// what is there whole.
static void a_failure_is_kept(void **state)
{
    (void)state;
    PalError error = {0};
    Place p;
    begin(&p);
    send(&p, 0);
    check_ok(pal_writer_wait(p.writer, &error), &error);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    send(&p, 1);
    PalText row = row_of(2);
    PalStatus first = pal_writer_wait(p.writer, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(first, PAL_IO_FAILED);
    assert_non_null(strstr(error.text, "/frames/000001.vtu: cannot write"));
    assert_int_equal(pal_writer_row(p.writer, &row, NULL), PAL_IO_FAILED);
    assert_int_equal(pal_writer_wait(p.writer, NULL), PAL_IO_FAILED);
    assert_int_equal(pal_writer_frame_count(p.writer), 1);
    assert_int_equal(pal_writer_history_bytes(p.writer), (int64_t)strlen("row 0\n"));
    pal_text_clear(&row);
    end(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_keep_their_order),
    cmocka_unit_test(leaving_loses_nothing),
    cmocka_unit_test(a_failure_is_kept),
};
CHECK_GROUP(tests, NULL, NULL)
