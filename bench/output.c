// What part of the processor time output takes: a cube of 40,000 tetrahedra, 1,000 steps, 50
// frames.
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char scene_text[] =
    "name: cube\n"
    "bodies:\n"
    "  - name: cube\n"
    "    shape: {box: [1, 1, 1], cells: [20, 20, 20]}\n"
    "    material: {law: neo-hookean, shear: 1000, bulk: 4000, density: 1000}\n"
    "conditions:\n"
    "  - {body: cube, where: {plane: z-min}, fix: xyz}\n"
    "  - {body: cube, where: {plane: z-max}, displace: [0.05, 0, 0]}\n"
    "solver: {time: 8.33333}\n"
    "output: {every: 0.1666666}\n";

// The log tells the cost.
static void print_cost(const char *folder)
{
    char path[256], line[400];
    snprintf(path, sizeof path, "%s/run/log.txt", folder);
    FILE *log = fopen(path, "r");
    while (log != NULL && fgets(line, sizeof line, log) != NULL)
        if (strstr(line, "output took") != NULL)
            printf("cube of 40,000 tetrahedra, 1,000 steps, 50 frames: %s",
                   strstr(line, "output took"));
    if (log != NULL)
        fclose(log);
}

static PalStatus run(const char *folder, PalError *error)
{
    char path[256], directory[256];
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    snprintf(directory, sizeof directory, "%s/run", folder);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(scene_text, file) < 0 || fclose(file) != 0)
        return pal_error_set(error, PAL_IO_FAILED, "%s: cannot write", path);
    PalScene *scene = NULL;
    PAL_TRY(pal_scene_read(path, NULL, &scene, error));
    PalRunOptions options = {.directory = directory, .thread_count = 1};
    PalStatus status = pal_scene_run(scene, &options, error);
    pal_scene_destroy(scene);
    return status;
}

void pal_bench_output(void)
{
    char folder[] = "/tmp/palpate-bench-XXXXXX", command[64];
    PalError error = {0};
    if (mkdtemp(folder) == NULL) {
        printf("no folder for the files of a run\n");
        return;
    }
    if (run(folder, &error) == PAL_OK)
        print_cost(folder);
    else
        printf("%s\n", error.text);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0)
        printf("%s is left behind\n", folder);
}
