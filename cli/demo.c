// demo: the scenes that ship with palpate.
#include "cli.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_SCENE "palpation"
#define SCENE_MAX     128
#define ENDING        ".yaml"

// Names of the scenes in a folder, without their ending, sorted.
typedef struct Scenes {
    char *folder;
    int32_t count;
    char *names[SCENE_MAX];
} Scenes;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool scenes_init(Scenes *scenes)
{
    *scenes = (Scenes){.folder = pal_cli_scenes_folder()};
    DIR *folder = scenes->folder != NULL ? opendir(scenes->folder) : NULL;
    if (folder == NULL)
        return false;
    struct dirent *entry;
    while ((entry = readdir(folder)) != NULL && scenes->count < SCENE_MAX) {
        size_t length = strlen(entry->d_name), ending = strlen(ENDING);
        if (length <= ending || strcmp(entry->d_name + length - ending, ENDING) != 0)
            continue;
        char *name = strdup(entry->d_name);
        if (name == NULL)
            break;
        name[length - ending] = '\0';
        scenes->names[scenes->count++] = name;
    }
    closedir(folder);
    qsort(scenes->names, (size_t)scenes->count, sizeof scenes->names[0], by_name);
    return scenes->count > 0;
}

static void scenes_clear(Scenes *scenes)
{
    for (int32_t i = 0; i < scenes->count; i++)
        free(scenes->names[i]);
    free(scenes->folder);
}

static char *scene_path(const Scenes *scenes, const char *name)
{
    char file[300];
    snprintf(file, sizeof file, "%s" ENDING, name);
    return pal_cli_join(scenes->folder, file);
}

#define TELLING 30  // characters before a colon that say enough

// Where the first sentence of a text ends, or what comes before its colon, unless that is a name.
static size_t sentence_length(const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        bool ends = *c == '.' || (*c == ':' && c - text >= TELLING);
        if (ends && (c[1] == ' ' || c[1] == '\0'))
            return (size_t)(c - text);
    }
    return strlen(text);
}

// The first sentence of the comment a scene begins with.
static void read_description(const char *path, char *text, size_t size)
{
    text[0] = '\0';
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return;
    char line[512];
    size_t used = 0;
    while (fgets(line, sizeof line, file) != NULL && line[0] == '#') {
        const char *start = line + strspn(line, "# \t");
        int length = (int)strcspn(start, "\r\n");
        if (length == 0 || used + (size_t)length + 2 > size)
            break;
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", used > 0 ? " " : "", length,
                                 start);
    }
    fclose(file);
    text[sentence_length(text)] = '\0';
}

void pal_cli_offer_demos(void (*offer)(const char *word, const char *help))
{
    Scenes scenes;
    scenes_init(&scenes);
    for (int32_t i = 0; i < scenes.count; i++) {
        char text[1024] = "";
        char *path = scene_path(&scenes, scenes.names[i]);
        if (path != NULL)
            read_description(path, text, sizeof text);
        free(path);
        offer(scenes.names[i], text);
    }
    scenes_clear(&scenes);
}

static void print_list(const Scenes *scenes)
{
    int widest = 0;
    for (int32_t i = 0; i < scenes->count; i++) {
        int length = (int)strlen(scenes->names[i]);
        widest = length > widest ? length : widest;
    }
    bool color = pal_cli_has_color(STDOUT_FILENO);
    for (int32_t i = 0; i < scenes->count; i++) {
        char text[1024] = "";
        char *path = scene_path(scenes, scenes->names[i]);
        if (path != NULL)
            read_description(path, text, sizeof text);
        free(path);
        printf("%s%-*s%s  ", color ? "\033[1m" : "", widest, scenes->names[i],
               color ? "\033[0m" : "");
        pal_cli_wrap(text, widest + 2, widest + 2);
    }
}

static int refuse_name(const Scenes *scenes, const char *name)
{
    const char *nearest = pal_cli_nearest(name, (const char *const *)scenes->names, scenes->count);
    if (nearest != NULL)
        return pal_cli_refuse("there is no scene '%s'; did you mean '%s'?", name, nearest);
    return pal_cli_refuse("there is no scene '%s'; 'palpate demo --list' lists them", name);
}

static int run_named(const Scenes *scenes, const char *name, const PalCliArguments *arguments)
{
    bool known = false;
    for (int32_t i = 0; i < scenes->count; i++)
        known = known || strcmp(scenes->names[i], name) == 0;
    if (!known)
        return refuse_name(scenes, name);

    char *path = scene_path(scenes, name);
    if (path == NULL) {
        pal_cli_refuse("out of memory");
        return PAL_EXIT_FAILED;
    }
    if (!arguments->quiet) {
        char text[1024];
        read_description(path, text, sizeof text);
        pal_cli_wrap(text, 0, 0);
        printf("scene: %s\n", path);
        fflush(stdout);
    }
    int status = pal_cli_run_scene(path, arguments);
    free(path);
    return status;
}

int pal_cli_demo(const PalCliArguments *arguments)
{
    Scenes scenes;
    int status = PAL_EXIT_DONE;
    if (!scenes_init(&scenes))
        status =
            pal_cli_refuse("cannot find the scenes that ship with palpate: neither in "
                           "share/palpate/scenes of its prefix nor in scenes of its source tree");
    else if (arguments->list)
        print_list(&scenes);
    else
        status = run_named(&scenes,
                           arguments->operand_count > 0 ? arguments->operands[0] : DEFAULT_SCENE,
                           arguments);
    scenes_clear(&scenes);
    return status;
}
