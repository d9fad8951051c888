// What a run directory says of free rigid bodies, with nothing soft beside them.
#include "place.h"
#include "rigids.h"

#include "output/history.h"
#include "output/probe_list.h"

#include <palpate/output.h>

static void run_to(Rigids *r, const char *directory, const PalProbeDef *probe)
{
    PalError error = {0};
    PalOutput *output = NULL;
    PalOutputDef def = pal_output_def_default();
    def.directory = directory;
    def.every = 0.5;
    def.probe_count = 1;
    def.probes = probe;
    check_ok(pal_output_open(&def, r->run, false, &output, &error), &error);
    for (int i = 0; i <= 2; ++i) {
        rigids_to(r, 0.5 * i);
        check_ok(pal_output_write(output, r->run, &error), &error);
    }
    PalOutputEnd end = {.status = PAL_OK, .reason = ""};
    check_ok(pal_output_finish(output, r->run, &end, &error), &error);
    pal_output_destroy(output);
}

static Rigids thrown(void)
{
    Rigids r;
    rigids_init(&r);
    PalRigidDef *box = rigids_add_box(&r, "box", pal_vec3(1, 2, 3), pal_vec3(7, 0, 0));
    box->velocity = pal_vec3(1, 0, 0);
    box->spin = pal_vec3(0, 0, 4);
    r.sim.solver.step = 0.0025;
    return r;
}

static void history_follows_the_centre_of_mass(void **state)
{
    (void)state;
    char path[64];
    Rigids r = thrown();
    rigids_start(&r);
    PalDirectory directory = place_open(path);
    PalProbeDef spin = {
        .name = "spin", .kind = PAL_PROBE_RIGID, .rigid_index = 0, .record = PAL_RECORD_SPIN};
    run_to(&r, path, &spin);
    PalError error = {0};
    PalText text = {0};
    PalHistoryTable table = {0};
    bool found = false;
    check_ok(pal_file_read(&directory, "history.csv", &text, &found, &error), &error);
    assert_non_null(strstr(text.data, "frame,spin.x,spin.y,spin.z,box.position.x,"));
    assert_non_null(strstr(text.data, "box.velocity.z,box.rotation.x,box.rotation.y,"));
    check_ok(pal_history_parse(&text, 100, &table, &error), &error);
    int32_t first = pal_history_column_count();
    assert_int_equal(table.row_count, 3);
    assert_int_equal(table.column_count, first + 12);
    const double *last = table.values + 2 * (size_t)table.column_count + first;
    check_near(last[2], 4, 1e-12);
    check_near(last[3], 8, 1e-12);
    check_near(last[6], 1, 1e-12);
    check_near(last[11], 4 - 6.283185307179586, 1e-4);  // the short way round
    pal_text_reset(&text);
    check_ok(pal_file_read(&directory, "summary.json", &text, &found, &error), &error);
    assert_non_null(strstr(text.data, "\"moments\": ["));
    assert_non_null(strstr(text.data, "\"mass\": 6"));
    free(table.values);
    pal_text_clear(&text);
    pal_directory_close(&directory);
    place_remove(path);
    rigids_end(&r);
}

static void many_bodies_get_no_columns(void **state)
{
    (void)state;
    PalRigid rigids[12] = {0};
    char name[] = "a";
    for (int i = 0; i < 12; ++i)
        rigids[i] = (PalRigid){.name = name, .free = i != 3};
    PalModel model = {.rigid_count = 12, .rigids = rigids, .free_rigid_count = 11};
    PalOutputDef def = pal_output_def_default();
    PalProbeList list;
    assert_true(pal_probe_list_init(&list, &def, &model));
    assert_int_equal(list.count, 0);
    pal_probe_list_clear(&list);
    model.rigid_count = 11;
    model.free_rigid_count = 10;
    assert_true(pal_probe_list_init(&list, &def, &model));
    assert_int_equal(list.count, 30);
    assert_int_equal(list.defs[9].rigid_index, 4);
    pal_probe_list_clear(&list);
}

// From where the body was at the start.
static void displacements_are_not_places(void **state)
{
    (void)state;
    char path[64];
    Rigids r = thrown();
    rigids_start(&r);
    PalDirectory directory = place_open(path);
    PalProbeDef moved = {.name = "moved",
                         .kind = PAL_PROBE_RIGID,
                         .rigid_index = 0,
                         .record = PAL_RECORD_DISPLACEMENT};
    run_to(&r, path, &moved);
    PalError error = {0};
    PalText text = place_get(&directory, "history.csv");
    PalHistoryTable table = {0};
    check_ok(pal_history_parse(&text, 100, &table, &error), &error);
    for (int32_t row = 0; row < 3; ++row) {
        const double *at = table.values + (int64_t)row * table.column_count;
        check_near(at[pal_history_column_count()], at[0], 1e-12);  // a length a time
        check_near(at[pal_history_column_count() + 3], 7 + at[0], 1e-12);
    }
    free(table.values);
    pal_text_clear(&text);
    pal_directory_close(&directory);
    place_remove(path);
    rigids_end(&r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(history_follows_the_centre_of_mass),
    cmocka_unit_test(displacements_are_not_places),
    cmocka_unit_test(many_bodies_get_no_columns),
};
CHECK_GROUP(tests, NULL, NULL)
