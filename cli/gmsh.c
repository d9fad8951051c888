// Gmsh as a program: a private folder for its files, and its errors in one line.
#include "gmsh.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

bool pal_cli_gmsh_open(PalCliGmsh *gmsh)
{
    const char *place = getenv("TMPDIR");
    place = place != NULL && place[0] != '\0' ? place : "/tmp";
    int length = snprintf(gmsh->folder, sizeof gmsh->folder, "%s/palpate-XXXXXX", place);
    if (length < 0 || (size_t)length >= sizeof gmsh->folder - PAL_CLI_GMSH_NAME_MAX ||
        mkdtemp(gmsh->folder) == NULL) {
        pal_cli_refuse("cannot make a folder for Gmsh in %s: %s", place, strerror(errno));
        return false;
    }
    // what a user set up for Gmsh's window must not change meshes
    setenv("GMSH_HOME", gmsh->folder, 1);
    return true;
}

void pal_cli_gmsh_close(PalCliGmsh *gmsh)
{
    DIR *folder = opendir(gmsh->folder);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        PalCliGmshPath path = pal_cli_gmsh_path(gmsh, entry->d_name);
        if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2)
            unlink(path.text);
    }
    if (folder != NULL)
        closedir(folder);
    rmdir(gmsh->folder);
}

PalCliGmshPath pal_cli_gmsh_path(const PalCliGmsh *gmsh, const char *name)
{
    PalCliGmshPath path;
    snprintf(path.text, sizeof path.text, "%s/%s", gmsh->folder, name);
    return path;
}

// Gmsh ends with a summary of its errors, which says nothing new.
static void last_error(const char *log, char *text, size_t size)
{
    static const char mark[] = "Error   : ";
    static const char *const empty[] = {"---", "Mesh generation error summary", "    ",
                                        "Check the full log"};
    text[0] = '\0';
    FILE *file = fopen(log, "r");
    char line[512];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, mark, strlen(mark)) != 0)
            continue;
        const char *what = line + strlen(mark);
        bool says = true;
        for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
            says = says && strncmp(what, empty[i], strlen(empty[i])) != 0;
        if (says)
            snprintf(text, size, "%.*s", (int)strcspn(what, "\r\n"), what);
    }
    if (file != NULL)
        fclose(file);
}

// Waits for Gmsh to end; ends it when we are asked to.
static bool wait_for(const PalCliGmsh *gmsh, pid_t child, int *status)
{
    enum { PER_SECOND = 100 };
    const struct timespec moment = {.tv_nsec = 1000000000 / PER_SECOND};
    PalCliProgress line = {.shown = gmsh->shown};
    bool asked = false;
    for (long turn = 1;; turn++) {
        pid_t done = waitpid(child, status, WNOHANG);
        if (done == child || (done < 0 && errno != EINTR)) {
            pal_cli_progress_wipe(&line);
            return done == child;
        }
        if (gmsh->shown && turn % PER_SECOND == 0)
            fprintf(stderr, "\rgmsh is working: %ld s", turn / PER_SECOND);
        if (pal_cli_interrupted() && !asked) {
            kill(child, SIGKILL);
            asked = true;
        }
        nanosleep(&moment, NULL);
    }
}

static int start(char *const words[], const char *log, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int cause = posix_spawn_file_actions_init(&actions);
    if (cause != 0)
        return cause;
    cause = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log,
                                             O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (cause == 0)
        cause = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    if (cause == 0)
        cause = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (cause == 0)
        cause = posix_spawnp(child, "gmsh", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return cause;
}

PalStatus pal_cli_gmsh_run(const PalCliGmsh *gmsh, const char *const *options, const char *output,
                           PalError *error)
{
    PalCliGmshPath geo = pal_cli_gmsh_path(gmsh, "model.geo"), log = pal_cli_gmsh_path(gmsh, "log");
    PalCliGmshPath out = pal_cli_gmsh_path(gmsh, output);
    const char *words[32] = {"gmsh", geo.text, "-format", "msh41", "-bin",
                             "-v",   "3",      "-o",      out.text};
    for (int i = 0, used = 9; options[i] != NULL && used < 31; i++)
        words[used++] = options[i];
    unlink(out.text);
    pid_t child;
    int status = 0, cause = start((char *const *)words, log.text, &child);
    if (cause == ENOENT)
        return pal_error_set(error, PAL_IO_FAILED,
                             "the program gmsh was not found; install it (Debian: apt install "
                             "gmsh), or make tetrahedra with another program and read them with "
                             "'palpate convert'");
    if (cause != 0)
        return pal_error_set(error, PAL_IO_FAILED, "gmsh cannot be started: %s", strerror(cause));
    bool ended = wait_for(gmsh, child, &status);
    if (pal_cli_interrupted())
        return pal_error_set(error, PAL_INTERRUPTED, "interrupted; nothing was written");
    char text[400];
    last_error(log.text, text, sizeof text);
    if (text[0] != '\0')
        return pal_error_set(error, PAL_IO_FAILED, "gmsh failed: %s", text);
    if (ended && WIFSIGNALED(status))
        return pal_error_set(error, PAL_IO_FAILED, "gmsh was ended by signal %d", WTERMSIG(status));
    if (!ended || WEXITSTATUS(status) != 0)
        return pal_error_set(error, PAL_IO_FAILED, "gmsh failed with status %d and no message",
                             WEXITSTATUS(status));
    if (access(out.text, R_OK) != 0)
        return pal_error_set(error, PAL_IO_FAILED, "gmsh wrote no mesh, and does not say why");
    return PAL_OK;
}
