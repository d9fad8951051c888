// pal_scene_run: output times, progress, interruption and resuming, failures, results.
#include "check.h"
#include "output/history.h"

#include <palpate/scene.h>

#include <dirent.h>
#include <unistd.h>

static const char scene_text[] =
    "name: bar\n"
    "bodies:\n"
    "  - name: bar\n"
    "    shape: {box: [0.04, 0.01, 0.01], cells: [8, 2, 2]}\n"
    "    material: {law: neo-hookean, young: 3000, poisson: 0.3, density: 1000}\n"
    "conditions:\n"
    "  - {body: bar, where: {plane: x-min}, fix: xyz}\n"
    "  - {body: bar, where: {plane: x-max}, force: [0, 0, -0.001], ramp: smooth}\n"
    "solver: {method: explicit, time: 0.5, step: auto}\n"
    "probes:\n"
    "  - {name: tip, body: bar, where: {plane: x-max}, record: displacement}\n"
    "  - {name: wall, body: bar, where: {plane: x-min}, record: displacement}\n"
    "output: {every: 0.05, report: false}\n";

typedef struct Place {
    char folder[64], scene[96], run[96];
} Place;

static void place_init(Place *place)
{
    snprintf(place->folder, sizeof place->folder, "./run-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->scene, sizeof place->scene, "%s/bar.yaml", place->folder);
    snprintf(place->run, sizeof place->run, "%s/out", place->folder);
    FILE *file = fopen(place->scene, "w");
    assert_non_null(file);
    fputs(scene_text, file);
    fclose(file);
}

static void remove_tree(const char *path)
{
    DIR *folder = opendir(path);
    if (folder != NULL) {
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
                continue;
            char inner[400];
            snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
            remove_tree(inner);
        }
        closedir(folder);
    }
    remove(path);
}

static PalScene *read_scene(const Place *place, int32_t count, const PalSceneChange *changes)
{
    PalSceneOptions options = {.change_count = count, .changes = changes};
    PalScene *scene = NULL;
    PalError error = {0};
    check_ok(pal_scene_read(place->scene, &options, &scene, &error), &error);
    return scene;
}

// The whole of a small file, to be freed; NULL when there is none.
static char *read_text(const Place *place, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", place->run, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

static int count_rows(const Place *place)
{
    char *text = read_text(place, "history.csv");
    assert_non_null(text);
    int rows = -1;  // the head
    for (const char *c = text; *c != '\0'; c++)
        rows += *c == '\n';
    free(text);
    return rows;
}

static void check_in_summary(const Place *place, const char *wanted)
{
    char *text = read_text(place, "summary.json");
    assert_non_null(text);
    if (strstr(text, wanted) == NULL)
        fail_msg("no %s in %s", wanted, text);
    free(text);
}

typedef struct Watch {
    int calls;
    int64_t stop_steps;  // ask to stop once so many are taken; < 0: never
    double fraction;
    bool backwards;
    bool named;  // every stage had a name
} Watch;

static bool watch(void *context, const PalProgress *progress)
{
    Watch *seen = context;
    seen->backwards = seen->backwards || progress->fraction < seen->fraction;
    seen->named = (seen->calls == 0 || seen->named) && progress->stage != NULL;
    seen->fraction = progress->fraction;
    seen->calls++;
    return seen->stop_steps < 0 || progress->steps < seen->stop_steps;
}

static void writes_each_output_time(void **state)
{
    (void)state;
    Place place;
    place_init(&place);
    PalScene *scene = read_scene(&place, 0, NULL);
    Watch seen = {.stop_steps = -1};
    PalRunResult result = {0};
    PalRunOptions options = {.directory = place.run,
                             .thread_count = 2,
                             .progress = watch,
                             .context = &seen,
                             .result = &result};
    PalError error = {0};
    check_ok(pal_scene_run(scene, &options, &error), &error);
    assert_int_equal(count_rows(&place), 11);
    check_in_summary(&place, "\"status\": \"ok\"");
    assert_true(seen.calls >= 2);
    assert_true(seen.named);
    assert_false(seen.backwards);

    assert_true(result.opened && result.checkpoint && !result.resumed);
    check_near(result.time, 0.5, 0);
    assert_true(result.steps > 10);
    assert_int_equal(result.thread_count, 2);
    assert_int_equal(result.probe_count, 2);
    assert_true(result.probes[0].z < 0);
    check_near(result.probes[1].z, 0, 0);
    assert_true(fabs(result.peaks[0].value.z) >= fabs(result.probes[0].z));
    assert_true(result.peaks[0].time > 0 && result.peaks[0].time <= 0.5);
    check_near(result.peaks[1].value.z, 0, 0);
    assert_true(result.largest >= -result.probes[0].z);
    assert_string_equal(result.largest_body, "bar");
    assert_true(result.drift > 0 && result.drift < 0.01);
    assert_int_equal(result.remark_count, 2);  // the wall does not move, the bar does
    assert_non_null(
        strstr(result.remarks[1].text, "still in motion at the end: kinetic energy is "));
    assert_string_equal(result.remarks[0].text, "the probe \"wall\" was 0 at every output time");
    pal_run_result_clear(&result);
    pal_scene_destroy(scene);
    remove_tree(place.folder);
}

// Time and frame of each row of the history; returns how many.
static int read_rows(const Place *place, double (*rows)[2], int most)
{
    char *text = read_text(place, "history.csv");
    assert_non_null(text);
    int count = 0;
    for (char *line = strchr(text, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
        assert_true(count < most);
        const char *c = line;
        rows[count][0] = strtod(line, NULL);
        for (int column = 1; column < pal_history_column_count(); ++column)
            c = strchr(c, ',') + 1;
        rows[count++][1] = strtod(c, NULL);
    }
    free(text);
    return count;
}

static void run_plainly(const PalScene *scene, const Place *place, bool resume)
{
    PalRunOptions options = {.directory = place->run, .thread_count = 1, .resume = resume};
    PalError error = {0};
    check_ok(pal_scene_run(scene, &options, &error), &error);
}

static void check_same_text(const Place *one, const Place *other, const char *name)
{
    char *a = read_text(one, name), *b = read_text(other, name);
    assert_non_null(a);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

// Of the first step at or after each multiple; each frame has its own.
static void check_rows(const Place *place, double every, double history)
{
    enum { MOST = 200 };
    double rows[MOST][2];
    int count = read_rows(place, rows, MOST), frames = 0;
    for (int i = 0; i < count; ++i) {
        assert_true(i == 0 || rows[i][0] > rows[i - 1][0]);
        if (rows[i][1] < 0)
            continue;
        assert_true(rows[i][1] == frames);
        check_near(rows[i][0], every * frames, 1e-15);
        ++frames;
    }
    assert_int_equal(frames, 11);
    for (int m = 0; m * history < 0.5; ++m) {
        int i = 0;
        while (i < count && rows[i][0] < m * history - 1e-8)
            ++i;
        assert_true(i < count && rows[i][0] < (m + 1) * history);
    }
    assert_true(count >= 72 && count <= 72 + 10);
}

// Rows between frames, and the simulation is the same.
static void history_may_be_finer_than_frames(void **state)
{
    (void)state;
    Place place, plain;
    place_init(&place);
    place_init(&plain);
    PalSceneChange finer = {"output.history", "0.007"};
    PalScene *scene = read_scene(&place, 1, &finer), *as_before = read_scene(&plain, 0, NULL);
    run_plainly(as_before, &plain, false);
    run_plainly(scene, &place, false);
    check_rows(&place, 0.05, 0.007);
    check_same_text(&place, &plain, "run.pvd");
    char *one = read_text(&place, "summary.json"), *other = read_text(&plain, "summary.json");
    const char *hash = strstr(one, "\"state_hash\"");
    assert_non_null(hash);
    assert_memory_equal(hash, strstr(other, "\"state_hash\""), 30);
    free(one);
    free(other);
    pal_scene_destroy(scene);
    pal_scene_destroy(as_before);
    remove_tree(place.folder);
    remove_tree(plain.folder);
}

// A run that ended at a row between frames goes on with the next one.
static void resumes_between_frames(void **state)
{
    (void)state;
    Place whole, part;
    place_init(&whole);
    place_init(&part);
    PalSceneChange finer = {"output.history", "0.007"};
    PalScene *scene = read_scene(&part, 1, &finer);
    run_plainly(scene, &whole, false);
    PalOutputDef def = *pal_scene_output(scene);
    PalSimDef sim_def = *pal_scene_sim(scene);
    PalSim *sim = NULL;
    PalOutput *output = NULL;
    PalError error = {0};
    def.directory = part.run;
    sim_def.align = def.every;
    sim_def.solver.thread_count = 1;
    check_ok(pal_sim_create(&sim_def, &sim, &error), &error);
    check_ok(pal_output_open(&def, sim, false, &output, &error), &error);
    check_ok(pal_output_write(output, sim, &error), &error);
    check_ok(pal_output_write_history(output, sim, &error), &error);  // it has its row already
    check_ok(pal_sim_advance(sim, 0.007, &error), &error);
    check_ok(pal_output_write_history(output, sim, &error), &error);
    check_ok(pal_output_write_history(output, sim, &error), &error);
    check_ok(pal_output_checkpoint(output, sim, &error), &error);
    pal_output_destroy(output);
    pal_sim_destroy(sim);
    assert_int_equal(count_rows(&part), 2);
    run_plainly(scene, &part, true);
    check_same_text(&part, &whole, "history.csv");
    check_same_text(&part, &whole, "run.pvd");
    pal_scene_destroy(scene);
    remove_tree(part.folder);
    remove_tree(whole.folder);
}

static const char tool[] = "[{name: tool, shape: {box: [0.1, 0.1, 0.01]}, "
                           "place: {translate: [0, 0, %s]}}]";

// What was to touch and did not is remarked, once; what did touch is in the summary.
static void remarks_what_never_touched(void **state)
{
    (void)state;
    static const struct {
        const char *height, *contact;
        int32_t remark_count;
        const char *remark;  // the first
    } cases[] = {
        {"-0.2", "[{between: [bar, tool]}]", 1, "\"bar\" and \"tool\" never touched"},
        {"-0.2", "[{self: bar}, {between: all}]", 2, "\"bar\" never touched itself"},
        {"-0.2", "[{between: all}]", 1, "nothing ever touched anything"},
        {"-0.0101", "[{between: [bar, tool]}]", 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        Place place;
        place_init(&place);
        char rigid[160];
        snprintf(rigid, sizeof rigid, tool, cases[i].height);
        PalSceneChange changes[] = {{"rigid", rigid},
                                    {"contact", cases[i].contact},
                                    {"probes",
                                     "[{name: push, between: [bar, tool], record: force}, "
                                     "{name: back, between: [tool, bar], record: force}]"}};
        PalScene *scene = read_scene(&place, 3, changes);
        PalRunResult result = {0};
        PalRunOptions options = {.directory = place.run, .thread_count = 1, .result = &result};
        PalError error = {0};
        check_ok(pal_scene_run(scene, &options, &error), &error);
        int32_t moves = 0;
        for (int32_t r = 0; r < result.remark_count; ++r)
            moves += strstr(result.remarks[r].text, "still in motion") != NULL;
        assert_int_equal(result.remark_count - moves, cases[i].remark_count);
        if (cases[i].remark != NULL) {
            assert_string_equal(result.remarks[0].text, cases[i].remark);
            check_in_summary(&place, "\"pairs\": []");
        } else {
            check_in_summary(&place, "\"bodies\": [\"bar\", \"tool\"]");
        }
        pal_run_result_clear(&result);
        pal_scene_destroy(scene);
        remove_tree(place.folder);
    }
}

// A tool is driven into nodes that are held: johnsen2015 goes on all the same.
static void remarks_crossings_at_the_end(void **state)
{
    (void)state;
    Place place;
    place_init(&place);
    PalSceneChange changes[] = {{"rigid", "[{name: tool, shape: {box: [0.1, 0.1, 0.01]}, "
                                          "place: {translate: [0, 0, -0.0105]}, "
                                          "motion: {translate: [0, 0, 0.001], until: 0.05}}]"},
                                {"contact", "[{between: all, response: johnsen2015}]"},
                                {"solver.time", "0.05"}};
    PalScene *scene = read_scene(&place, 3, changes);
    PalRunResult result = {0};
    PalRunOptions options = {.directory = place.run, .thread_count = 1, .result = &result};
    PalError error = {0};
    check_ok(pal_scene_run(scene, &options, &error), &error);
    assert_true(result.remark_count > 0);
    char expected[128];
    snprintf(expected, sizeof expected, "\"intersections\": %d,", atoi(result.remarks[0].text));
    check_in_summary(&place, expected);
    assert_non_null(strstr(result.remarks[0].text, " pairs of triangles cross at the end: the "
                                                   "response johnsen2015 does not prevent that"));
    char *log = read_text(&place, "log.txt");
    assert_non_null(log);
    assert_non_null(strstr(log, result.remarks[0].text));
    free(log);
    pal_run_result_clear(&result);
    pal_scene_destroy(scene);
    remove_tree(place.folder);
}

static void needs_no_place_for_answers(void **state)
{
    (void)state;
    Place place;
    place_init(&place);
    PalScene *scene = read_scene(&place, 0, NULL);
    PalRunOptions options = {.directory = place.run, .thread_count = 1};
    assert_int_equal(pal_scene_run(scene, &options, NULL), PAL_OK);
    assert_int_equal(count_rows(&place), 11);
    pal_scene_destroy(scene);
    remove_tree(place.folder);
}

static void stops_and_goes_on(void **state)
{
    (void)state;
    Place place;
    place_init(&place);
    PalSceneChange longer = {"solver.time", "2000"};  // stopped long before
    PalScene *scene = read_scene(&place, 1, &longer);
    Watch seen = {.stop_steps = 50};
    PalRunResult result = {0};
    PalRunOptions options = {.directory = place.run,
                             .thread_count = 1,
                             .progress = watch,
                             .context = &seen,
                             .result = &result};
    PalError error = {0};
    assert_int_equal(pal_scene_run(scene, &options, &error), PAL_INTERRUPTED);
    assert_int_equal(error.status, PAL_INTERRUPTED);
    assert_true(result.checkpoint && result.steps >= 50 && result.time < 2000);
    check_in_summary(&place, "\"reason\": \"interrupted at time");
    int64_t stopped = result.steps;
    pal_run_result_clear(&result);

    seen = (Watch){.stop_steps = stopped + 1};
    options.resume = true;
    error = (PalError){0};
    assert_int_equal(pal_scene_run(scene, &options, &error), PAL_INTERRUPTED);
    assert_true(result.resumed);
    assert_int_equal(result.resumed_steps, stopped);
    assert_true(result.steps > stopped);
    pal_run_result_clear(&result);
    pal_scene_destroy(scene);
    remove_tree(place.folder);
}

static void stops_before_anything_is_written(void **state)
{
    (void)state;
    Place place;
    place_init(&place);
    PalScene *scene = read_scene(&place, 0, NULL);
    Watch seen = {.stop_steps = 0};
    PalRunResult result = {0};
    PalRunOptions options = {.directory = place.run,
                             .thread_count = 1,
                             .progress = watch,
                             .context = &seen,
                             .result = &result};
    PalError error = {0};
    assert_int_equal(pal_scene_run(scene, &options, &error), PAL_INTERRUPTED);
    assert_false(result.opened || result.checkpoint);
    assert_int_equal(access(place.run, F_OK), -1);
    pal_run_result_clear(&result);
    pal_scene_destroy(scene);
    remove_tree(place.folder);
}

static void tells_of_failure(void **state)
{
    (void)state;
    Place place;
    place_init(&place);
    PalSceneChange unstable = {"solver.step", "0.05"};
    PalScene *scene = read_scene(&place, 1, &unstable);
    PalRunResult result = {0};
    PalRunOptions options = {.directory = place.run, .thread_count = 1, .result = &result};
    PalError error = {0};
    assert_int_equal(pal_scene_run(scene, &options, &error), PAL_SIM_FAILED);
    assert_true(error.text[0] != '\0');
    assert_true(result.opened && !result.checkpoint);
    check_in_summary(&place, "\"status\": \"failed\"");
    check_in_summary(&place, strchr(error.text, ','));  // what is before has quotes
    pal_run_result_clear(&result);
    pal_scene_destroy(scene);
    remove_tree(place.folder);
}

// A checkpoint that was written with a frame is there after a failure, and that is told.
static void a_failure_leaves_the_checkpoint_before_it(void **state)
{
    (void)state;
    static const PalSceneChange changes[] = {{"solver.step", "0.05"}, {"output.checkpoint", "0"}};
    Place place;
    place_init(&place);
    PalScene *scene = read_scene(&place, 2, changes);
    PalRunResult result = {0};
    PalRunOptions options = {.directory = place.run, .thread_count = 1, .result = &result};
    PalError error = {0};
    assert_int_equal(pal_scene_run(scene, &options, &error), PAL_SIM_FAILED);
    assert_true(result.opened && result.checkpoint);
    char path[256];
    snprintf(path, sizeof path, "%s/checkpoint.h5", place.run);
    assert_int_equal(access(path, R_OK), 0);
    pal_run_result_clear(&result);
    pal_scene_destroy(scene);
    remove_tree(place.folder);
}

// Steps forty times too long that turn nothing inside out before the end: the energy tells.
static void a_lost_balance_is_a_failure(void **state)
{
    (void)state;
    static const PalSceneChange changes[] = {{"bodies.0.element", "h8"},
                                             {"solver.step", "0.05"},
                                             {"solver.time", "0.1"},
                                             {"output.every", "0.1"}};
    Place place;
    place_init(&place);
    PalScene *scene = read_scene(&place, 4, changes);
    PalRunResult result = {0};
    PalRunOptions options = {.directory = place.run, .thread_count = 1, .result = &result};
    PalError error = {0};
    assert_int_equal(pal_scene_run(scene, &options, &error), PAL_SIM_FAILED);
    assert_non_null(strstr(error.text, "balance of energy is lost at time 0.1, step 2"));
    assert_non_null(strstr(error.text, "the step 0.05 exceeds the stable bound"));
    assert_non_null(strstr(error.text, "of body \"bar\""));
    assert_true(result.opened && !result.checkpoint);
    check_in_summary(&place, "\"status\": \"failed\"");
    assert_int_equal(count_rows(&place), 1);  // what came of it is not kept
    pal_run_result_clear(&result);
    pal_scene_destroy(scene);
    remove_tree(place.folder);
}

static void relaxation_writes_first_and_last(void **state)
{
    (void)state;
    Place place;
    place_init(&place);
    PalSceneChange relax = {"solver.method", "relaxation"};
    PalScene *scene = read_scene(&place, 1, &relax);
    PalRunResult result = {0};
    PalRunOptions options = {.directory = place.run, .thread_count = 1, .result = &result};
    PalError error = {0};
    check_ok(pal_scene_run(scene, &options, &error), &error);
    int rows = count_rows(&place);
    assert_true(rows >= 3 && rows < 100);
    char *text = read_text(&place, "history.csv");
    char last[32];
    snprintf(last, sizeof last, ",%lld,", (long long)result.steps);
    assert_non_null(strstr(text, last));
    // ten steps more each time, then a quarter more
    static const char *const times[] = {"0", "10", "20", "30", "40", "50", "62", "77", "96"};
    const char *row = text;
    for (size_t i = 0; i < sizeof times / sizeof *times && (int)i < rows - 1; ++i) {
        row = strchr(row, '\n') + 1;
        const char *steps = strchr(row, ',') + 1;
        assert_int_equal(strncmp(steps, times[i], strlen(times[i])), 0);
        assert_int_equal(steps[strlen(times[i])], ',');
    }
    assert_true(rows > 9);
    free(text);
    pal_run_result_clear(&result);
    pal_scene_destroy(scene);
    remove_tree(place.folder);
}

// A checkpoint may be of the last step before its frame and row are there.
static void resumed_at_the_end_writes_it(void **state)
{
    (void)state;
    Place place;
    place_init(&place);
    PalSceneChange every = {"output.every", "0.2"};
    PalScene *scene = read_scene(&place, 1, &every);
    PalOutputDef def = *pal_scene_output(scene);
    def.directory = place.run;
    PalSim *sim = NULL;
    PalOutput *output = NULL;
    PalError error = {0};
    check_ok(pal_sim_create(pal_scene_sim(scene), &sim, &error), &error);
    check_ok(pal_output_open(&def, sim, false, &output, &error), &error);
    for (int i = 0; i <= 2; ++i) {
        check_ok(pal_sim_advance(sim, 0.2 * i, &error), &error);
        check_ok(pal_output_write(output, sim, &error), &error);
    }
    check_ok(pal_sim_advance(sim, 0.5, &error), &error);
    check_ok(pal_output_checkpoint(output, sim, &error), &error);
    pal_output_destroy(output);
    pal_sim_destroy(sim);
    assert_int_equal(count_rows(&place), 3);

    PalRunOptions options = {.directory = place.run, .thread_count = 1, .resume = true};
    check_ok(pal_scene_run(scene, &options, &error), &error);
    assert_int_equal(count_rows(&place), 4);
    check_in_summary(&place, "\"time\": 0.5,");
    pal_scene_destroy(scene);
    remove_tree(place.folder);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(writes_each_output_time),
    cmocka_unit_test(history_may_be_finer_than_frames),
    cmocka_unit_test(resumes_between_frames),
    cmocka_unit_test(remarks_what_never_touched),
    cmocka_unit_test(remarks_crossings_at_the_end),
    cmocka_unit_test(needs_no_place_for_answers),
    cmocka_unit_test(stops_and_goes_on),
    cmocka_unit_test(resumed_at_the_end_writes_it),
    cmocka_unit_test(stops_before_anything_is_written),
    cmocka_unit_test(tells_of_failure),
    cmocka_unit_test(a_failure_leaves_the_checkpoint_before_it),
    cmocka_unit_test(a_lost_balance_is_a_failure),
    cmocka_unit_test(relaxation_writes_first_and_last),
};
CHECK_GROUP(tests, NULL, NULL)
