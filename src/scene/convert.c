// A foreign model as a scene of our own, with its meshes beside it.
#include "output/file.h"
#include "scene/importers.h"
#include "scene/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), size = strlen(ending);
    return length > size && strcmp(text + length - size, ending) == 0;
}

// The head of the file: where it comes from, and what is not as in the model.
static void put_head(PalText *text, const PalScene *scene)
{
    const char *slash = strrchr(scene->path, '/');
    size_t folder = slash != NULL ? (size_t)(slash - scene->path) + 1 : 0;
    pal_text_print(text, "# Converted by palpate %s from the %s model %s.\n", pal_version(),
                   scene->importer->program, pal_quoted(scene->path + folder).text);
    for (int32_t i = 0; i < scene->import_warning_count; ++i) {
        const char *warning = scene->import_warnings[i].text;
        if (strncmp(warning, scene->path, folder) == 0)
            warning += folder;
        pal_text_add(text, "# ");
        for (; *warning != '\0'; ++warning)  // a name may hold anything
            pal_text_put(text, (unsigned char)*warning < 0x20 ? "?" : warning, 1);
        pal_text_add(text, "\n");
    }
}

static PalStatus write_scene(const PalScene *scene, const PalDirectory *folder, const char *name,
                             PalError *error)
{
    PalText text = {0};
    put_head(&text, scene);
    pal_text_add(&text, scene->source);
    PalStatus status = pal_file_replace_text(folder, name, &text, PAL_FILE_PLAIN, error);
    pal_text_clear(&text);
    return status;
}

// A mesh is not to be written over anything that nobody named: least of all over the model.
static PalStatus check_place(const char *from, const char *path, bool replace, PalError *error)
{
    struct stat model, old;
    if (stat(from, &model) == 0 && stat(path, &old) == 0 && model.st_dev == old.st_dev &&
        model.st_ino == old.st_ino)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "%s: the mesh would be written over the model itself; expected "
                             "another name for the scene",
                             path);
    if (!replace && lstat(path, &old) == 0)
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "%s: the mesh would replace this file; expected another name for the scene, or --force",
            path);
    return PAL_OK;
}

typedef struct Target {
    const PalScene *scene;  // the model
    PalSceneReader *beside;
    bool replace;
    PalConvertResult *result;
} Target;

static PalStatus place_mesh(const Target *target, const char *name, const PalMesh *mesh,
                            bool writing)
{
    const char *path = pal_scene_beside(target->beside, name);
    PalError *error = target->beside->error;
    if (path == NULL)
        return pal_tree_no_memory(error);
    if (!writing)
        return check_place(target->scene->path, path, target->replace, error);
    PalMeshWriteOptions options = pal_mesh_write_options_default();
    options.strict = true;
    PAL_TRY(pal_mesh_write(path, mesh, &options, error));
    ++target->result->mesh_count;
    return PAL_OK;
}

static PalStatus place_meshes(const Target *target, bool writing)
{
    const PalScene *scene = target->scene;
    const PalTreeNode *rigids = pal_tree_get(scene->tree.root, "rigid");
    for (int32_t i = 0; i < scene->sim.model.body_count; ++i)
        PAL_TRY(place_mesh(target, pal_tree_get(scene->bodies[i].node, "mesh")->text,
                           scene->bodies[i].mesh, writing));
    for (int32_t i = 0; i < scene->sim.model.rigid_count; ++i)
        PAL_TRY(place_mesh(target, pal_tree_get(rigids->items[i].value, "surface")->text,
                           scene->rigid_meshes[i], writing));
    return PAL_OK;
}

// The meshes first: a scene without them is of no use.
static PalStatus write_all(const PalScene *scene, const char *to, bool replace,
                           PalConvertResult *result, PalError *error)
{
    PalScene target = {.path = (char *)to};
    PalSceneReader beside = {.scene = &target, .tree = &target.tree, .error = error};
    PalDirectory folder;
    const char *slash = strrchr(to, '/');
    size_t length = slash == NULL ? 1 : slash == to ? 1 : (size_t)(slash - to);
    const char *path = pal_tree_text(&target.tree, slash != NULL ? to : ".", length);
    PalStatus status =
        path != NULL ? pal_directory_open(path, &folder, error) : pal_tree_no_memory(error);
    if (status == PAL_OK) {
        Target meshes = {scene, &beside, replace, result};
        status = place_meshes(&meshes, false);
        if (status == PAL_OK)
            status = place_meshes(&meshes, true);
        if (status == PAL_OK)
            status = write_scene(scene, &folder, slash != NULL ? slash + 1 : to, error);
        pal_directory_close(&folder);
    }
    pal_tree_clear(&target.tree);
    return status;
}

static PalStatus take_warnings(const PalScene *scene, PalConvertResult *result, PalError *error)
{
    result->warnings = calloc((size_t)scene->import_warning_count + 1, sizeof *result->warnings);
    if (result->warnings == NULL)
        return pal_tree_no_memory(error);
    for (int32_t i = 0; i < scene->import_warning_count; ++i)
        snprintf(result->warnings[result->warning_count++], sizeof *result->warnings, "%s",
                 scene->import_warnings[i].text);
    return PAL_OK;
}

static PalStatus convert(const char *from, const char *to, const PalConvertOptions *options,
                         PalConvertResult *result, PalSceneReader *reader)
{
    PalScene *scene = NULL;
    char *text = NULL;
    size_t size = 0;
    PAL_TRY(pal_scene_load(from, "the model", &text, &size, reader->error));
    PalStatus status = PAL_OK;
    if (pal_importer_find(text, size, from) == NULL)
        status = pal_error_set(reader->error, PAL_BAD_INPUT, "%s: not a model, expected one of %s",
                               from, pal_importer_names().text);
    if (status == PAL_OK)
        status = pal_scene_make(reader, text, size, from, NULL, &scene);
    free(text);
    if (status == PAL_OK)
        status = take_warnings(scene, result, reader->error);
    for (int32_t i = 0; status == PAL_OK && options->strict && i < result->warning_count; ++i)
        if (scene->import_warnings[i].kind == PAL_FINDING_WARNING)
            status = pal_error_set(reader->error, PAL_BAD_INPUT,
                                   "%s (a warning, treated as an error)", result->warnings[i]);
    if (status == PAL_OK)
        status = write_all(scene, to, options->replace, result, reader->error);
    pal_scene_destroy(scene);
    return status;
}

PalStatus pal_scene_convert(const char *from, const char *to, const PalConvertOptions *options,
                            PalConvertResult *result, PalError *error)
{
    static const PalConvertOptions neither = {0};
    *result = (PalConvertResult){0};
    if (!ends_with(to, ".yaml") && !ends_with(to, ".yml"))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "%s: not the name of a scene, expected one that ends in .yaml", to);
    const char *slash = strrchr(to, '/');
    const char *start = slash != NULL ? slash + 1 : to;
    size_t length = (size_t)(strrchr(start, '.') - start);
    char *stem = calloc(length + 1, 1);
    if (stem == NULL)
        return pal_tree_no_memory(error);
    memcpy(stem, start, length);
    PalSceneReader reader = {.error = error, .stem = stem, .keep_source = true};
    options = options != NULL ? options : &neither;
    reader.lenient = options->lenient;
    PalStatus status = convert(from, to, options, result, &reader);
    free(stem);
    return status;
}
