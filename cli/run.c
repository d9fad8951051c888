// run: one scene into one directory.
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// "x/beam.yaml" -> "runs/beam", in a heap string.
static char *default_directory(const char *scene_path)
{
    const char *slash = strrchr(scene_path, '/');
    const char *base = slash != NULL ? slash + 1 : scene_path;
    const char *dot = strrchr(base, '.');
    int length = dot != NULL && dot != base ? (int)(dot - base) : (int)strlen(base);
    size_t size = (size_t)length + sizeof "runs/";
    char *directory = malloc(size);
    if (directory != NULL)
        snprintf(directory, size, "runs/%.*s", length, base);
    return directory;
}

// "out/" -> "out", in a heap string.
static char *without_last_slashes(const char *directory)
{
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    return strndup(directory, length);
}

static bool is_run_file(const char *name)
{
    static const char *const names[] = {
        "log.txt", "scene.yaml",    "history.csv", "summary.json", "report.html", "picture.png",
        "run.pvd", "checkpoint.h5", "frames",      "contacts",     "contacts.pvd"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 &&
            (name[length] == '\0' || strcmp(name + length, ".part") == 0))
            return true;
    }
    return false;
}

// Nothing but a run may be written over: the log is there from its first moment, and scene and
// history soon after it; once they are, other files may lie beside them.
static bool holds_run(DIR *folder)
{
    errno = 0;
    bool log = false, scene = false, history = false, foreign = false, empty = true;
    struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        empty = false;
        log = log || strcmp(name, "log.txt") == 0;
        scene = scene || strcmp(name, "scene.yaml") == 0;
        history = history || strcmp(name, "history.csv") == 0;
        foreign = foreign || !is_run_file(name);
    }
    // where the listing broke off, nobody knows
    return errno == 0 && (empty || (log && ((scene && history) || !foreign)));
}

static bool accept_directory(const char *directory)
{
    struct stat kind;
    if (stat(directory, &kind) != 0)
        return true;  // absent, or a trouble that opening it will name
    if (!S_ISDIR(kind.st_mode)) {
        pal_cli_refuse("%s is not a directory; choose another with -o DIR", directory);
        return false;
    }
    DIR *folder = opendir(directory);
    if (folder == NULL) {
        pal_cli_refuse("cannot read the directory %s: %s", directory, strerror(errno));
        return false;
    }
    bool accepted = holds_run(folder);
    int cause = errno;
    closedir(folder);
    errno = cause;
    if (!accepted && errno != 0)
        pal_cli_refuse("cannot read the directory %s: %s", directory, strerror(errno));
    else if (!accepted)
        pal_cli_refuse("%s holds files that are not a palpate run; choose another with -o DIR",
                       directory);
    return accepted;
}

static int exit_status(PalStatus status, const PalRunResult *result)
{
    switch (status) {
    case PAL_OK:
        return PAL_EXIT_DONE;
    case PAL_INTERRUPTED:
        return PAL_EXIT_INTERRUPTED;
    case PAL_BAD_INPUT:
        return PAL_EXIT_USAGE;
    case PAL_IO_FAILED:
        // Before the first step nothing is lost, and another directory may do.
        return result->opened ? PAL_EXIT_FAILED : PAL_EXIT_USAGE;
    default:
        return PAL_EXIT_FAILED;
    }
}

static void say_end(const char *path, const PalRunOptions *options, bool changed, PalStatus status,
                    const PalError *error)
{
    if (status == PAL_INTERRUPTED && options->stop_time > 0 && !pal_cli_interrupted())
        pal_cli_refuse("stopped at time %.6g; 'palpate run %s -o %s --resume'%s goes on from there",
                       options->result->time, path, options->directory,
                       changed ? " with the same --set" : "");
    else if (status == PAL_INTERRUPTED && options->result->checkpoint)
        pal_cli_refuse("interrupted at time %.6g; the same command with --resume goes on from "
                       "%s/checkpoint.h5",
                       options->result->time, options->directory);
    else if (status == PAL_INTERRUPTED)
        pal_cli_refuse("interrupted before the first step; nothing was written");
    else if (status != PAL_OK)
        pal_cli_print_error(path, error);
}

static int run_into(const char *path, const PalScene *scene, const char *directory,
                    const PalCliArguments *arguments)
{
    PalCliProgress line = {
        .name = pal_scene_name(scene),
        .shown = !arguments->quiet && pal_cli_is_terminal(STDERR_FILENO),
        .utf8 = pal_cli_has_utf8(),
        .color = pal_cli_has_color(STDERR_FILENO),
    };
    PalRunResult result = {0};
    PalRunOptions options = {
        .directory = directory,
        .thread_count = arguments->thread_count,
        .resume = arguments->resume,
        .strict = arguments->strict,
        .stop_time = arguments->stop_time,
        .progress = pal_cli_progress,
        .warn = arguments->quiet ? NULL : pal_cli_warn,
        .context = &line,
        .result = &result,
    };
    PalError error = {0};
    pal_cli_signals_catch();
    PalStatus status = pal_scene_run(scene, &options, &error);
    pal_cli_progress_wipe(&line);
    if (result.opened && !arguments->quiet)
        pal_cli_print_result(scene, &options, status);
    fflush(stdout);
    say_end(path, &options, arguments->change_count > 0, status, &error);
    bool stopped = status == PAL_INTERRUPTED && options.stop_time > 0 && !pal_cli_interrupted();
    int code = stopped ? PAL_EXIT_DONE : exit_status(status, &result);
    pal_run_result_clear(&result);
    return code;
}

// The time of the last row of a run's history; 0: there is none.
static double last_time(const char *directory)
{
    char *path = pal_cli_join(directory, "history.csv"), row[4096];
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    double time = 0;
    bool begins = true;
    while (file != NULL && fgets(row, sizeof row, file) != NULL) {
        char *end;
        double first = strtod(row, &end);
        if (begins && *end == ',')
            time = first;
        begins = strchr(row, '\n') != NULL;
    }
    if (file != NULL)
        fclose(file);
    free(path);
    return time;
}

// When a file was written last, in seconds; 0: there is none.
static double written(const char *directory, const char *name)
{
    struct stat about;
    char *path = pal_cli_join(directory, name);
    bool there = path != NULL && stat(path, &about) == 0;
    free(path);
    return there ? (double)about.st_mtim.tv_sec : 0;
}

#define WORTH 60  // seconds of running: less is soon done again

// A run with a checkpoint, some time after its start, that was interrupted, or killed before it
// could tell.
static bool is_unfinished(const char *directory)
{
    double started = written(directory, "scene.yaml"), kept = written(directory, "checkpoint.h5");
    if (started == 0 || kept - started < WORTH)
        return false;
    char *path = pal_cli_join(directory, "summary.json"), head[4096] = "";
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    size_t size = file != NULL ? fread(head, 1, sizeof head - 1, file) : 0;
    head[size] = '\0';
    if (file != NULL)
        fclose(file);
    free(path);
    return file == NULL || strstr(head, "\"reason\": \"interrupted") != NULL;
}

// Hours of work are not thrown away because --resume was forgotten.
static bool may_replace(const char *directory, const PalCliArguments *arguments)
{
    if (arguments->resume || arguments->force || !is_unfinished(directory))
        return true;
    pal_cli_refuse("the run in %s has not come to its end, after time %.6g; --resume goes on from "
                   "there, --force starts again",
                   directory, last_time(directory));
    return false;
}

int pal_cli_run_scene(const char *path, const PalCliArguments *arguments)
{
    char *directory = arguments->directory != NULL ? without_last_slashes(arguments->directory)
                                                   : default_directory(path);
    if (directory == NULL) {
        pal_cli_refuse("out of memory");
        return PAL_EXIT_FAILED;
    }
    PalSceneOptions options = {.change_count = arguments->change_count,
                               .changes = arguments->changes,
                               .resumed = arguments->resume ? directory : NULL,
                               .lenient = arguments->lenient};
    PalError error = {0};
    PalScene *scene = NULL;
    PalStatus status = pal_scene_read(path, &options, &scene, &error);
    int code = status == PAL_NO_MEMORY ? PAL_EXIT_FAILED : PAL_EXIT_USAGE;
    if (status != PAL_OK)
        pal_cli_print_error(path, &error);
    else if (accept_directory(directory) && may_replace(directory, arguments))
        code = run_into(path, scene, directory, arguments);
    free(directory);
    pal_scene_destroy(scene);
    return code;
}

int pal_cli_run(const PalCliArguments *arguments)
{
    return pal_cli_run_scene(arguments->operands[0], arguments);
}
