// Several runs in one process, and what lies in the directory that the process is in.
#include "check.h"
#include "scene/reader.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static const char scene_text[] =
    "bodies:\n"
    "  - name: bar\n"
    "    shape: {box: [0.04, 0.01, 0.01], cells: [4, 1, 1]}\n"
    "    material: {law: neo-hookean, young: 3000, poisson: 0.3, density: 1000}\n"
    "conditions:\n"
    "  - {body: bar, where: {plane: x-min}, fix: xyz}\n"
    "  - {body: bar, where: {plane: x-max}, force: [0, 0, -0.001], ramp: smooth}\n"
    "solver: {method: explicit, time: 0.2}\n"
    "output: {every: 0.01, report: false, checkpoint: 0}\n";

typedef struct Job {
    const char *directory, *young;
    bool resume;
    PalStatus status;
    PalError error;
    int64_t steps;
} Job;

static void *run(void *context)
{
    Job *job = context;
    const PalSceneChange change = {"bodies.0.material.young", job->young};
    PalSceneOptions scene_options = {.change_count = 1, .changes = &change};
    PalScene *scene = NULL;
    PalRunResult result = {0};
    job->error = (PalError){0};
    job->status = pal_scene_read_memory(scene_text, sizeof scene_text - 1, "bar.yaml",
                                        &scene_options, &scene, &job->error);
    PalRunOptions options = {
        .directory = job->directory, .thread_count = 1, .resume = job->resume, .result = &result};
    if (job->status == PAL_OK)
        job->status = pal_scene_run(scene, &options, &job->error);
    job->steps = result.steps;
    pal_run_result_clear(&result);
    pal_scene_destroy(scene);
    return NULL;
}

// The tests change the current directory; this one holds all they make.
static char here[4096], there[4200];

static int enter(void **state)
{
    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    snprintf(there, sizeof there, "%s/two-runs-XXXXXX", here);
    assert_non_null(mkdtemp(there));
    return chdir(there);
}

static int leave(void **state)
{
    (void)state;
    char command[4400];
    assert_int_equal(chdir(here), 0);
    snprintf(command, sizeof command, "rm -rf '%s'", there);
    return system(command);
}

static char *content(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static void same_files(const char *first, const char *second)
{
    char *a = content(first), *b = content(second);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

// Two at a time, begun and resumed again and again, end as each alone does.
static void runs_do_not_disturb_each_other(void **state)
{
    (void)state;
    Job whole[2] = {{.directory = "soft-whole", .young = "1000"},
                    {.directory = "stiff-whole", .young = "9000"}};
    for (int i = 0; i < 2; ++i) {
        run(&whole[i]);
        check_ok(whole[i].status, &whole[i].error);
    }
    Job jobs[2] = {{.directory = "soft", .young = "1000"}, {.directory = "stiff", .young = "9000"}};
    for (int round = 0; round < 8; ++round) {
        pthread_t threads[2];
        for (int i = 0; i < 2; ++i) {
            jobs[i].resume = round % 4 > 0;
            assert_int_equal(pthread_create(&threads[i], NULL, run, &jobs[i]), 0);
        }
        for (int i = 0; i < 2; ++i)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < 2; ++i) {
            check_ok(jobs[i].status, &jobs[i].error);
            assert_int_equal(jobs[i].steps, whole[i].steps);
        }
    }
    same_files("soft/history.csv", "soft-whole/history.csv");
    same_files("stiff/history.csv", "stiff-whole/history.csv");
}

static void keep_out(Job *first)
{
    Job second = {.directory = first->directory, .young = first->young};
    run(&second);
    assert_int_equal(second.status, PAL_IO_FAILED);
    assert_non_null(strstr(second.error.text, "another run is writing to this directory"));
}

static bool try_again(void *context, const PalProgress *progress)
{
    Job *job = context;
    if (strcmp(progress->stage, "writing the report") == 0 && job->steps++ == 0) {
        keep_out(job);
        keep_out(job);  // the first attempt has left the lock where it was
    }
    return true;
}

// The same directory is refused, also to the process that uses it.
static void one_directory_serves_one_run(void **state)
{
    (void)state;
    Job job = {.directory = "one", .young = "1000"};
    PalScene *scene = NULL;
    check_ok(pal_scene_read_memory(scene_text, sizeof scene_text - 1, "bar.yaml", NULL, &scene,
                                   &job.error),
             &job.error);
    PalRunOptions options = {.directory = job.directory, .progress = try_again, .context = &job};
    check_ok(pal_scene_run(scene, &options, &job.error), &job.error);
    assert_true(job.steps > 0);
    pal_scene_destroy(scene);
}

// What the current directory holds under the name of a checkpoint is nobody's business.
static void the_current_directory_does_not_matter(void **state)
{
    (void)state;
    Job job = {.directory = "run", .young = "1000"};
    FILE *file = fopen("checkpoint.h5", "w");
    fputs("mine", file);
    fclose(file);
    run(&job);
    check_ok(job.status, &job.error);
    job = (Job){.directory = "run", .young = "1000", .resume = true};
    run(&job);
    check_ok(job.status, &job.error);
    char *text = content("checkpoint.h5");
    assert_string_equal(text, "mine");
    free(text);
    assert_int_equal(remove("checkpoint.h5"), 0);
    // from another directory, where it is a folder
    assert_int_equal(mkdir("elsewhere", 0777), 0);
    assert_int_equal(mkdir("elsewhere/checkpoint.h5", 0777), 0);
    assert_int_equal(chdir("elsewhere"), 0);
    job = (Job){.directory = "../run", .young = "1000", .resume = true};
    run(&job);
    assert_int_equal(chdir(".."), 0);
    check_ok(job.status, &job.error);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(runs_do_not_disturb_each_other, enter, leave),
    cmocka_unit_test_setup_teardown(one_directory_serves_one_run, enter, leave),
    cmocka_unit_test_setup_teardown(the_current_directory_does_not_matter, enter, leave),
};
CHECK_GROUP(tests, NULL, NULL)
