// Whole runs of a small simulation. Some are processes of their own, and some of these are killed.
#define _GNU_SOURCE  // for syscall
#include "place.h"
#include "simulate.h"

#include "output/checkpoint.h"
#include "output/history.h"
#include "output/output.h"
#include "output/rundir.h"

#include <limits.h>
#include <palpate/output.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { FRAMES = 11 };

typedef struct Run {
    Simulation simulation;
    PalProbeDef probes[2];
    PalOutputDef def;
    PalOutput *output;
} Run;

// A beam that swings: one end held, gravity across.
static void run_init(Run *run, const char *directory)
{
    *run = (Run){.simulation = simulate_box((PalVec3){4, 1, 1}, 8, 2, 2)};
    Simulation *s = &run->simulation;
    simulate_neo_hookean(s, 1000, 0.3, 1);
    s->sim.solver.time = 0.5;
    s->sim.align = 0.5 / (FRAMES - 1);
    simulate_on_side(s, PAL_CONDITION_FIX, 0, false);
    PalConditionDef *gravity = simulate_on_side(s, PAL_CONDITION_GRAVITY, 0, false);
    gravity->where = pal_where_all();
    gravity->value = (PalVec3){0, 0, -10};
    simulate_start(s);
    for (int i = 0; i < 2; ++i) {
        run->probes[i].body_index = 0;
        run->probes[i].where = (PalWhere){.kind = PAL_WHERE_SIDE, .axis = 0, .highest = i == 0};
    }
    run->probes[0].name = "tip";
    run->probes[0].record = PAL_RECORD_DISPLACEMENT;
    run->probes[1].name = "hold";
    run->probes[1].record = PAL_RECORD_FORCE;
    run->def = pal_output_def_default();
    run->def.directory = directory;
    run->def.title = "swinging beam";
    run->def.scene_text = "name: swinging beam\n";
    run->def.every = s->sim.align;
    run->def.probe_count = 2;
    run->def.probes = run->probes;
    run->def.checkpoint_seconds = 0;
    run->def.report = false;
}

static void run_clear(Run *run)
{
    pal_output_destroy(run->output);
    simulate_end(&run->simulation);
}

// From wherever it stands to the end, or until so many frames exist.
static PalStatus run_on(Run *run, int64_t until_frames, PalError *error)
{
    PalSim *sim = run->simulation.run;
    while (pal_output_frame_count(run->output) < until_frames) {
        double next = (double)pal_output_frame_count(run->output) * run->def.every;
        PAL_TRY(pal_sim_advance(sim, next, error));
        PAL_TRY(pal_output_write(run->output, sim, error));
        if (pal_sim_finished(sim))
            break;
    }
    return pal_output_wait(run->output, error);
}

static PalStatus run_whole(Run *run, bool resume, PalError *error)
{
    PalOutputEnd end = {.status = PAL_OK, .reason = "", .wall_seconds = 0.5};
    PAL_TRY(pal_output_open(&run->def, run->simulation.run, resume, &run->output, error));
    PAL_TRY(run_on(run, INT64_MAX, error));
    return pal_output_finish(run->output, run->simulation.run, &end, error);
}

// ---- runs as processes ------------------------------------------------------------------

// So many more calls that change files succeed; the next one kills the process.
static int calls_left = INT_MAX;

static bool call_kills(void)
{
    return calls_left < INT_MAX && --calls_left < 0;
}

// Stands in for the C library's function in this program. The last write is cut in half.
ssize_t write(int descriptor, const void *data, size_t size)
{
    bool kills = call_kills();
    ssize_t written = syscall(SYS_write, descriptor, data, kills ? size / 2 : size);
    if (kills)
        raise(SIGKILL);
    return written;
}

int renameat(int old_folder, const char *old_name, int new_folder, const char *new_name)
{
    if (call_kills())
        raise(SIGKILL);
    return (int)syscall(SYS_renameat, old_folder, old_name, new_folder, new_name);
}

static int sync_count;

int fsync(int descriptor)
{
    ++sync_count;
    return (int)syscall(SYS_fsync, descriptor);
}

static int run_alone(const char *directory, bool resume)
{
    Run run;
    PalError error = {0};
    run_init(&run, directory);
    PalStatus status = run_whole(&run, resume, &error);
    if (status != PAL_OK)
        fprintf(stderr, "%s\n", error.text);
    run_clear(&run);
    return status == PAL_OK ? 0 : 3;
}

static pid_t start_killed_after(int calls, const char *directory, bool resume)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        calls_left = calls;
        _exit(run_alone(directory, resume));
    }
    assert_true(child > 0);
    return child;
}

static pid_t start_process(const char *directory, bool resume)
{
    return start_killed_after(INT_MAX, directory, resume);
}

static int wait_for(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// ---- comparing --------------------------------------------------------------------------

static void check_same_file(const PalDirectory *one, const PalDirectory *other, const char *name)
{
    PalText a = place_get(one, name), b = place_get(other, name);
    if (a.length != b.length || memcmp(a.data, b.data, a.length) != 0)
        fail_msg("%s differs", name);
    pal_text_clear(&a);
    pal_text_clear(&b);
}

// The same text from a key of the summaries to the next mark.
static void check_same_part(const PalDirectory *one, const PalDirectory *other, const char *key,
                            char mark)
{
    PalText a = place_get(one, "summary.json"), b = place_get(other, "summary.json");
    const char *p = strstr(a.data, key), *q = strstr(b.data, key);
    assert_non_null(p);
    assert_non_null(q);
    size_t length = (size_t)(strchr(p, mark) - p);
    if (strncmp(p, q, length + 1) != 0)
        fail_msg("%.*s was %.*s", (int)length, q, (int)length, p);
    pal_text_clear(&a);
    pal_text_clear(&b);
}

static void check_same_run(const PalDirectory *one, const PalDirectory *other)
{
    char name[PAL_FRAME_NAME_SIZE];
    check_same_file(one, other, "history.csv");
    check_same_file(one, other, "run.pvd");
    check_same_file(one, other, "scene.yaml");
    for (int64_t i = 0; i < FRAMES; ++i)
        check_same_file(one, other, pal_frame_name(&pal_frame_series, i, name));
    check_same_part(one, other, "\"state_hash\"", ',');
    check_same_part(one, other, "\"counters\"", '}');
    check_same_part(one, other, "\"energy\"", '}');
}

static int count_lines(const PalText *text)
{
    int lines = 0;
    for (size_t i = 0; i < text->length; ++i)
        lines += text->data[i] == '\n';
    return lines;
}

// ---- tests ------------------------------------------------------------------------------

static void writes_everything(void **state)
{
    (void)state;
    char path[64], inside[80];
    PalError error = {0};
    PalDirectory directory = place_open(path);
    Run run;
    run_init(&run, path);
    run.def.report = true;
    check_ok(run_whole(&run, false, &error), &error);
    static const char *const names[] = {
        "summary.json",  "history.csv", "run.pvd", "frames/000000.vtu", "frames/000010.vtu",
        "checkpoint.h5", "scene.yaml",  "log.txt", "report.html",       "picture.png"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (!place_has(&directory, names[i]))
            fail_msg("%s is missing", names[i]);
    assert_int_equal(place_count(path), 9);
    snprintf(inside, sizeof inside, "%s/frames", path);
    assert_int_equal(place_count(inside), FRAMES);

    PalText csv = place_get(&directory, "history.csv");
    assert_int_equal(count_lines(&csv), FRAMES + 1);
    PalHistoryTable table;
    check_ok(pal_history_parse(&csv, 1000, &table, &error), &error);
    assert_int_equal(table.row_count, FRAMES);
    assert_int_equal(table.column_count, pal_history_column_count() + 6);
    const double *last = table.values + (size_t)(FRAMES - 1) * (size_t)table.column_count;
    const PalState *now = pal_sim_state(run.simulation.run);
    assert_true(last[0] == now->time);
    assert_true(last[1] == (double)now->step_count);
    assert_true(last[pal_history_column_count() + 2] < -0.01);  // the tip went down
    double held = 0;
    for (int32_t n = 0; n < pal_sim_model(run.simulation.run)->node_count; ++n)
        held += now->reaction[n].z;
    check_near(last[pal_history_column_count() + 5], held, 1e-9 * fabs(held));
    free(table.values);
    pal_text_clear(&csv);
    run_clear(&run);
    pal_directory_close(&directory);
    place_remove(path);
}

// A run of some milliseconds is not worth waiting for a disk; one of some seconds is, with all that
// its checkpoint counts on.
static void long_runs_are_forced_to_the_disk(void **state)
{
    (void)state;
    char path[64];
    PalError error = {0};
    PalDirectory directory = place_open(path);
    PalOutputEnd end = {.status = PAL_OK, .reason = "", .wall_seconds = 0.5};
    for (int is_long = 0; is_long < 2; ++is_long) {
        Run run;
        run_init(&run, path);
        run.def.checkpoint_seconds = 1000;
        sync_count = 0;
        PalSim *sim = run.simulation.run;
        check_ok(pal_output_open(&run.def, sim, false, &run.output, &error), &error);
        run.output->record.wall_seconds = is_long ? 10 : 0;
        check_ok(run_on(&run, INT64_MAX, &error), &error);
        assert_false(place_has(&directory, "checkpoint.h5"));
        assert_int_equal(sync_count, 0);
        check_ok(pal_output_finish(run.output, sim, &end, &error), &error);
        assert_true(place_has(&directory, "checkpoint.h5"));
        // frames and their folder, history, checkpoint and summary with the directory
        assert_int_equal(sync_count, is_long ? FRAMES + 1 + 1 + 4 : 0);
        run_clear(&run);
    }
    pal_directory_close(&directory);
    place_remove(path);
}

// Drift is told relative to the largest energy of the whole run, not to that of its own moment.
static void drift_is_relative_to_the_largest_energy(void **state)
{
    (void)state;
    enum { KINETIC = 3, STRAIN, EXTERNAL, CONTACT, DISSIPATED, TOTAL, DRIFT };
    char path[64];
    PalError error = {0};
    PalDirectory directory = place_open(path);
    Run run;
    run_init(&run, path);
    PalSim *sim = run.simulation.run;
    check_ok(pal_output_open(&run.def, sim, false, &run.output, &error), &error);
    for (int i = 0; i < 5; ++i) {  // while there is hardly any energy
        check_ok(pal_sim_step(sim, &error), &error);
        check_ok(pal_output_write_history(run.output, sim, &error), &error);
    }
    check_ok(run_on(&run, INT64_MAX, &error), &error);
    PalText csv = place_get(&directory, "history.csv");
    PalHistoryTable table;
    check_ok(pal_history_parse(&csv, 1000, &table, &error), &error);
    double worst = 0, relative = 0, largest = 0;
    for (int32_t r = 0; r < table.row_count; ++r) {
        const double *row = table.values + (size_t)r * (size_t)table.column_count;
        double scale = fmax(fabs(row[TOTAL]), fmax(fabs(row[EXTERNAL]), fabs(row[DISSIPATED])));
        check_near(row[TOTAL], row[KINETIC] + row[STRAIN], 1e-12 * scale);
        double wrong = row[TOTAL] - row[EXTERNAL] - row[CONTACT] + row[DISSIPATED];
        check_near(row[DRIFT] * scale, wrong, 1e-12 * scale);
        worst = fmax(worst, fabs(wrong));
        relative = fmax(relative, fabs(row[DRIFT]));
        largest = fmax(largest, scale);
    }
    assert_true(relative > 1.1 * worst / largest);  // there is a difference
    check_near(pal_output_worst_drift(run.output), worst / largest, 1e-9 * worst / largest);
    check_near(pal_output_energy_scale(run.output), largest, 1e-12 * largest);
    free(table.values);
    pal_text_clear(&csv);
    run_clear(&run);
    pal_directory_close(&directory);
    place_remove(path);
}

static void killed_runs_end_the_same(void **state)
{
    (void)state;
    char whole_path[64], killed_path[64];
    PalDirectory whole = place_open(whole_path), killed = place_open(killed_path);
    assert_int_equal(wait_for(start_process(whole_path, false)), 0);
    int kills = 0;
    for (int code = -1; code != 0; kills += code == -1) {
        code = wait_for(start_killed_after(1 + kills, killed_path, kills > 0));
        assert_true(code == 0 || code == -1);
    }
    assert_true(kills > 10);
    check_same_run(&whole, &killed);
    char frames[80];
    snprintf(frames, sizeof frames, "%s/frames", killed_path);
    assert_int_equal(place_count(frames), FRAMES);
    pal_directory_close(&whole);
    pal_directory_close(&killed);
    place_remove(whole_path);
    place_remove(killed_path);
}

// Stopped between two frames, on request, with later files to be cut away.
static void interrupted_runs_end_the_same(void **state)
{
    (void)state;
    char whole_path[64], cut_path[64];
    PalError error = {0};
    PalDirectory whole = place_open(whole_path), cut = place_open(cut_path);
    Run run;
    run_init(&run, whole_path);
    check_ok(run_whole(&run, false, &error), &error);
    run_clear(&run);

    run_init(&run, cut_path);
    run.def.checkpoint_seconds = 1e9;
    PalSim *sim = run.simulation.run;
    check_ok(pal_output_open(&run.def, sim, false, &run.output, &error), &error);
    check_ok(run_on(&run, 5, &error), &error);
    check_ok(pal_sim_step(sim, &error), &error);
    check_ok(pal_output_checkpoint(run.output, sim, &error), &error);
    check_ok(run_on(&run, 9, &error), &error);
    PalOutputEnd end = {.status = PAL_SIM_FAILED, .reason = "made to stop", .wall_seconds = 1};
    check_ok(pal_output_finish(run.output, sim, &end, &error), &error);
    PalText summary = place_get(&cut, "summary.json");
    assert_non_null(strstr(summary.data, "\"status\": \"failed\""));
    assert_non_null(strstr(summary.data, "\"reason\": \"made to stop\""));
    pal_text_clear(&summary);
    run_clear(&run);

    run_init(&run, cut_path);
    check_ok(pal_output_open(&run.def, run.simulation.run, true, &run.output, &error), &error);
    assert_int_equal(pal_output_frame_count(run.output), 5);
    assert_false(place_has(&cut, "frames/000005.vtu"));
    assert_false(place_has(&cut, "summary.json"));
    PalText log = place_get(&cut, "log.txt");
    assert_non_null(strstr(log.data, "resumed at time"));
    pal_text_clear(&log);
    check_ok(run_on(&run, INT64_MAX, &error), &error);
    end = (PalOutputEnd){.status = PAL_OK, .reason = ""};
    check_ok(pal_output_finish(run.output, run.simulation.run, &end, &error), &error);
    run_clear(&run);
    check_same_run(&whole, &cut);
    pal_directory_close(&whole);
    pal_directory_close(&cut);
    place_remove(whole_path);
    place_remove(cut_path);
}

static void finished_runs_resume_to_the_same(void **state)
{
    (void)state;
    char path[64];
    PalDirectory directory = place_open(path);
    assert_int_equal(wait_for(start_process(path, false)), 0);
    PalText before = place_get(&directory, "history.csv");
    assert_int_equal(wait_for(start_process(path, true)), 0);
    PalText after = place_get(&directory, "history.csv");
    assert_string_equal(before.data, after.data);
    pal_text_clear(&before);
    pal_text_clear(&after);
    pal_directory_close(&directory);
    place_remove(path);
}

static void another_scene_is_not_resumed(void **state)
{
    (void)state;
    char path[64];
    PalError error = {0};
    place_path(path);
    assert_int_equal(wait_for(start_process(path, false)), 0);
    Run run;
    run_init(&run, path);
    run.def.scene_text = "name: another\n";
    PalStatus status = pal_output_open(&run.def, run.simulation.run, true, &run.output, &error);
    assert_int_equal(status, PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "checkpoint.h5: the checkpoint belongs to another scene"));
    run_clear(&run);
    place_remove(path);
}

static void another_mesh_is_not_resumed(void **state)
{
    (void)state;
    char path[64];
    PalError error = {0};
    place_path(path);
    assert_int_equal(wait_for(start_process(path, false)), 0);
    Run run;
    run_init(&run, path);
    pal_sim_model(run.simulation.run)->bodies[0].mesh->nodes[0].z += 1e-9;
    PalStatus status = pal_output_open(&run.def, run.simulation.run, true, &run.output, &error);
    assert_int_equal(status, PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "checkpoint.h5: the checkpoint belongs to another scene"));
    run_clear(&run);
    place_remove(path);
}

static void refused_resuming_changes_nothing(void **state)
{
    (void)state;
    static const char *const taken[] = {"history.csv", "frames/000001.vtu"};
    for (int i = 0; i < 2; ++i) {
        char path[64];
        PalDirectory directory = place_open(path);
        assert_int_equal(wait_for(start_process(path, false)), 0);
        assert_int_equal(unlinkat(directory.descriptor, taken[i], 0), 0);
        Run run;
        run_init(&run, path);
        PalError error = {0};
        PalStatus status = pal_output_open(&run.def, run.simulation.run, true, &run.output, &error);
        assert_int_equal(status, PAL_BAD_INPUT);
        assert_non_null(strstr(error.text, "missing"));
        assert_non_null(strstr(error.text, taken[i]));
        assert_int_equal(faccessat(directory.descriptor, "summary.json", F_OK, 0), 0);
        assert_int_equal(faccessat(directory.descriptor, taken[i], F_OK, 0), -1);
        run_clear(&run);
        pal_directory_close(&directory);
        place_remove(path);
    }
}

static void resuming_nothing_starts_anew(void **state)
{
    (void)state;
    char path[64];
    PalDirectory directory = place_open(path);
    assert_int_equal(wait_for(start_process(path, true)), 0);
    PalText log = place_get(&directory, "log.txt");
    assert_non_null(strstr(log.data, "starting from the beginning"));
    pal_text_clear(&log);
    pal_directory_close(&directory);
    place_remove(path);
}

static void two_runs_do_not_share_a_directory(void **state)
{
    (void)state;
    char path[64];
    PalError error = {0};
    place_path(path);
    Run run;
    run_init(&run, path);
    check_ok(pal_output_open(&run.def, run.simulation.run, false, &run.output, &error), &error);
    assert_int_equal(wait_for(start_process(path, false)), 3);
    check_ok(run_on(&run, INT64_MAX, &error), &error);
    run_clear(&run);
    place_remove(path);
}

// The disk fills up during a run: one line of error, nothing unfinished, and it can go on later.
static void full_disk_leaves_whole_files(void **state)
{
    (void)state;
    char path[64], frames[80], part[PAL_FRAME_NAME_SIZE + 8];
    PalError error = {0};
    PalDirectory directory = place_open(path);
    Run run;
    run_init(&run, path);
    check_ok(pal_output_open(&run.def, run.simulation.run, false, &run.output, &error), &error);
    check_ok(run_on(&run, 3, &error), &error);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    PalStatus status = run_on(&run, 5, &error);
    PalOutputEnd end = {.status = status, .reason = error.text};
    PalError second = {0};
    PalStatus finish = pal_output_finish(run.output, run.simulation.run, &end, &second);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, PAL_IO_FAILED);
    assert_int_equal(finish, PAL_IO_FAILED);
    assert_non_null(strstr(error.text, "/frames/000003.vtu: cannot write: File too large"));
    snprintf(frames, sizeof frames, "%s/frames", path);
    assert_int_equal(place_count(frames), 3);
    snprintf(part, sizeof part, "checkpoint.h5.part");
    assert_false(place_has(&directory, part));
    assert_false(place_has(&directory, "report.html.part"));
    PalText csv = place_get(&directory, "history.csv");
    assert_int_equal(count_lines(&csv), 4);
    pal_text_clear(&csv);
    run_clear(&run);
    assert_int_equal(wait_for(start_process(path, true)), 0);
    pal_directory_close(&directory);
    place_remove(path);
}

static void bad_probes_are_refused(void **state)
{
    (void)state;
    char path[64];
    place_path(path);
    Run run;
    run_init(&run, path);
    PalError error = {0};
    run.probes[0].where = (PalWhere){.kind = PAL_WHERE_SPHERE, .point = {99, 0, 0}, .radius = 1};
    assert_int_equal(pal_output_open(&run.def, run.simulation.run, false, &run.output, &error),
                     PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "probe tip: no node of body"));
    error = (PalError){0};
    run.probes[0] = run.probes[1];
    assert_int_equal(pal_output_open(&run.def, run.simulation.run, false, &run.output, &error),
                     PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "two probes have the name hold"));
    error = (PalError){0};
    run.probes[0].name = "momentum";
    assert_int_equal(pal_output_open(&run.def, run.simulation.run, false, &run.output, &error),
                     PAL_BAD_INPUT);
    assert_non_null(
        strstr(error.text, "probe momentum: a column of the history already has this name"));
    error = (PalError){0};
    run.probes[0].name = "other";
    run.probes[0].body_index = 7;
    assert_int_equal(pal_output_open(&run.def, run.simulation.run, false, &run.output, &error),
                     PAL_BAD_INPUT);
    run_clear(&run);
    place_remove(path);
}

// Of 30 s between two, the first comes after a second, each next one when the run is twice as old.
static void checkpoints_come_sooner_in_the_beginning(void **state)
{
    (void)state;
    const double expected[] = {1, 2, 4, 8, 16, 32, 62, 92};
    double last = 0, now = 0;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; last = now, ++i) {
        for (now = last; !pal_checkpoint_is_due(30, last, now - last);)
            now += 0.25;
        assert_true(now == expected[i]);
    }
    assert_true(pal_checkpoint_is_due(0, 0, 0));
    assert_true(pal_checkpoint_is_due(0.5, 0, 0.5) && !pal_checkpoint_is_due(0.5, 0, 0.4));
    assert_true(!pal_checkpoint_is_due(0.5, 100, 0.4));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(writes_everything),
    cmocka_unit_test(checkpoints_come_sooner_in_the_beginning),
    cmocka_unit_test(long_runs_are_forced_to_the_disk),
    cmocka_unit_test(drift_is_relative_to_the_largest_energy),
    cmocka_unit_test(killed_runs_end_the_same),
    cmocka_unit_test(interrupted_runs_end_the_same),
    cmocka_unit_test(finished_runs_resume_to_the_same),
    cmocka_unit_test(another_scene_is_not_resumed),
    cmocka_unit_test(another_mesh_is_not_resumed),
    cmocka_unit_test(refused_resuming_changes_nothing),
    cmocka_unit_test(resuming_nothing_starts_anew),
    cmocka_unit_test(two_runs_do_not_share_a_directory),
    cmocka_unit_test(full_disk_leaves_whole_files),
    cmocka_unit_test(bad_probes_are_refused),
};
CHECK_GROUP(tests, NULL, NULL)
