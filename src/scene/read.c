#include "scene/importers.h"
#include "scene/reader.h"
#include "scene/tree/xml.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A model holds its meshes, a scene does not.
static size_t most_bytes(const char *path)
{
    return pal_importer_find("", 0, path) != NULL ? PAL_XML_BYTES_MAX : PAL_TREE_BYTES_MAX;
}

// What is being loaded.
typedef struct Load {
    const char *path, *what;
    int file;
    size_t most;
    char *bytes;
    size_t used, capacity;
    PalError *error;
} Load;

static PalStatus load_failed(const Load *load, const char *doing)
{
    return pal_error_set(load->error, errno == ENOMEM ? PAL_NO_MEMORY : PAL_BAD_INPUT,
                         "%s: cannot %s %s: %s", load->path, doing, load->what, strerror(errno));
}

// All of these formats are text: what is not ends here, before it fills the memory.
static PalStatus check_text(const Load *load, size_t from)
{
    const char *zero = load->used > from ? memchr(load->bytes + from, 0, load->used - from) : NULL;
    if (zero == NULL)
        return PAL_OK;
    int line = 1;
    const char *first = load->bytes;
    for (const char *c = load->bytes; c < zero; ++c)
        if (*c == '\n') {
            ++line;
            first = c + 1;
        }
    return pal_error_set(load->error, PAL_BAD_INPUT,
                         "%s:%d:%d: the byte 0x00 is not text, expected a YAML or JSON file, or a "
                         "model as text",
                         load->path, line, (int)(zero - first) + 1);
}

static PalStatus load_bytes(Load *load)
{
    struct stat about;
    if (fstat(load->file, &about) != 0)
        return load_failed(load, "read");
    size_t size = S_ISREG(about.st_mode) && about.st_size > 0 ? (size_t)about.st_size : 0;
    for (;;) {
        if (load->used > load->most || size > load->most)
            return pal_error_set(load->error, PAL_BAD_INPUT,
                                 "%s: too large, expected less than %d MiB", load->path,
                                 (int)(load->most >> 20));
        if (load->used == load->capacity) {
            load->capacity = load->capacity > 0 ? 2 * load->capacity : (size_t)1 << 16;
            char *more = realloc(load->bytes, load->capacity);
            if (more == NULL)
                return pal_tree_no_memory(load->error);
            load->bytes = more;
        }
        ssize_t got = read(load->file, load->bytes + load->used, load->capacity - load->used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return load_failed(load, "read");
        if (got == 0)
            return PAL_OK;
        load->used += (size_t)got;
        PAL_TRY(check_text(load, load->used - (size_t)got));
    }
}

PalStatus pal_scene_load(const char *path, const char *what, char **text, size_t *size,
                         PalError *error)
{
    Load load = {.path = path, .what = what, .most = most_bytes(path), .error = error};
    *text = NULL;
    *size = 0;
    load.file = open(path, O_RDONLY | O_CLOEXEC);
    if (load.file < 0)
        return load_failed(&load, "open");
    PalStatus status = load_bytes(&load);
    close(load.file);
    if (status != PAL_OK) {
        free(load.bytes);
        return status;
    }
    *text = load.bytes;
    *size = load.used;
    return PAL_OK;
}

// The file's name without folder and extension. NULL: no memory.
static const char *file_stem(PalSceneReader *reader, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *start = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(start, '.');
    size_t length = dot != NULL && dot > start ? (size_t)(dot - start) : strlen(start);
    return pal_tree_text(reader->tree, start, length);
}

static PalStatus read_name(PalSceneReader *reader, PalTreeNode *root)
{
    PalTreeNode *node = pal_tree_get(root, "name");
    if (node == NULL) {
        node = pal_tree_new(reader->tree, PAL_TREE_SCALAR, root);
        if (node == NULL || (node->text = file_stem(reader, reader->scene->path)) == NULL ||
            !pal_tree_put(reader->tree, root, "name", node))
            return pal_tree_no_memory(reader->error);
    }
    if (pal_has_control(node->text))
        return PAL_SCENE_FAIL(reader, node, "name holds a control character, expected one line");
    reader->scene->name = node->text;
    return PAL_OK;
}

static PalTreeNode *list_at(PalSceneReader *reader, PalTreeNode *root, const char *key)
{
    PalTreeNode *list = pal_tree_get(root, key);
    if (list != NULL)
        return list;
    list = pal_tree_new(reader->tree, PAL_TREE_LIST, root);
    return pal_tree_put(reader->tree, root, key, list) ? list : NULL;
}

static PalStatus check_not_empty(PalSceneReader *reader, const PalTreeNode *bodies)
{
    const PalModelDef *model = &reader->scene->sim.model;
    bool some = model->body_count > 0;
    for (int32_t r = 0; r < model->rigid_count; ++r)
        some = some || pal_rigid_def_is_free(&model->rigids[r]);
    if (some)
        return PAL_OK;
    return PAL_SCENE_FAIL(reader, bodies,
                          "nothing to simulate: no bodies, expected at least one, or a rigid with "
                          "mass or density");
}

// What searches for equilibrium cannot do where there is contact.
static PalStatus check_path(PalSceneReader *reader, const PalTreeNode *solver)
{
    const PalSimDef *sim = &reader->scene->sim;
    if (!pal_contact_def_touches(&sim->contact))
        return PAL_OK;
    PalError inner = {0};
    const char *key;
    if (pal_solver_def_match(&sim->solver, &sim->contact, &key, &inner) == PAL_OK)
        return PAL_OK;
    return PAL_SCENE_FAIL(reader, pal_tree_get(solver, key), "%s", inner.text);
}

static PalStatus read_parts(PalSceneReader *reader, PalTreeNode *root)
{
    PalScene *scene = reader->scene;
    scene->sim = pal_sim_def_default();
    scene->output = pal_output_def_default();
    PalTreeNode *bodies = list_at(reader, root, "bodies");
    PalTreeNode *rigid = list_at(reader, root, "rigid");
    PalTreeNode *conditions = list_at(reader, root, "conditions");
    PalTreeNode *contact = list_at(reader, root, "contact");
    PalTreeNode *probes = list_at(reader, root, "probes");
    PalTreeNode *output = pal_scene_child(reader, root, "output");
    if (bodies == NULL || rigid == NULL || conditions == NULL || contact == NULL ||
        probes == NULL || output == NULL)
        return pal_tree_no_memory(reader->error);
    PAL_TRY(read_name(reader, root));
    PAL_TRY(pal_scene_read_solver(reader, pal_tree_get(root, "solver")));
    PAL_TRY(pal_scene_read_bodies(reader, bodies));
    PAL_TRY(pal_scene_read_rigids(reader, rigid));
    PAL_TRY(check_not_empty(reader, bodies));
    PAL_TRY(pal_scene_read_conditions(reader, conditions));
    PAL_TRY(pal_scene_read_contact(reader, contact));
    PAL_TRY(check_path(reader, pal_tree_get(root, "solver")));
    PAL_TRY(pal_scene_read_probes(reader, probes));
    PAL_TRY(pal_scene_read_output(reader, output));
    if (pal_tree_get(root, "vademecum") != NULL)
        PAL_TRY(pal_scene_read_vademecum(reader, pal_tree_get(root, "vademecum")));
    scene->resolved = pal_scene_write(reader->tree, root);
    if (scene->resolved == NULL)
        return pal_tree_no_memory(reader->error);
    scene->output.title = scene->name;
    scene->output.scene_text = scene->resolved;
    scene->sim.align = scene->output.every;
    return PAL_OK;
}

static PalStatus keep_losses(PalSceneReader *reader, const PalFindings *losses)
{
    PalScene *scene = reader->scene;
    int32_t count = losses->list.count;
    scene->losses = pal_tree_alloc(reader->tree, (size_t)count, sizeof *scene->losses);
    if (scene->losses == NULL)
        return pal_tree_no_memory(reader->error);
    for (; scene->loss_count < count; ++scene->loss_count) {
        const char *text = losses->list.items[scene->loss_count].text;
        scene->losses[scene->loss_count] = pal_tree_text(reader->tree, text, strlen(text));
        if (scene->losses[scene->loss_count] == NULL)
            return pal_tree_no_memory(reader->error);
    }
    return PAL_OK;
}

// A foreign model becomes a tree, meshes and warnings.
static PalStatus import_model(PalSceneReader *reader, const PalImporter *importer, PalToken text)
{
    PalScene *scene = reader->scene;
    PalSceneImport import = {.lenient = reader->lenient};
    const char *stem = reader->stem != NULL ? reader->stem : file_stem(reader, scene->path);
    if (stem == NULL)
        return pal_tree_no_memory(reader->error);
    PalStatus status = importer->read(text, stem, reader->tree, &import, reader->error);
    if (status == PAL_OK)
        status = keep_losses(reader, &import.losses);
    pal_array_clear(&import.losses.list);
    if (status != PAL_OK) {
        pal_scene_import_clear(&import);
        return status;
    }
    scene->importer = importer;
    scene->given = import.meshes;
    scene->given_count = import.mesh_count;
    scene->import_warnings = import.warnings.list.items;
    scene->import_warning_count = import.warnings.list.count;
    if (!reader->keep_source)
        return PAL_OK;
    scene->source = pal_scene_write(reader->tree, reader->tree->root);
    return scene->source != NULL ? PAL_OK : pal_tree_no_memory(reader->error);
}

// The time that defaults of the run in a directory follow; 0: there is none that can be read.
static double span_of_run(PalSceneReader *reader, const char *directory)
{
    static const char name[] = "/scene.yaml";
    char *path = malloc(strlen(directory) + sizeof name), *text = NULL;
    size_t size = 0;
    PalTreeNode *root = NULL;
    double time = 0;
    if (path != NULL)
        sprintf(path, "%s%s", directory, name);
    if (path != NULL && pal_scene_load(path, "the scene", &text, &size, NULL) == PAL_OK &&
        pal_tree_parse(reader->tree, text, size, path, &root, NULL) == PAL_OK &&
        root->kind == PAL_TREE_MAP) {
        const PalTreeNode *solver = pal_tree_get(root, "solver");
        PalTreeNode *span =
            solver != NULL && solver->kind == PAL_TREE_MAP ? pal_tree_get(solver, "span") : NULL;
        time = span != NULL && pal_tree_read_number(span) && span->number > 0 ? span->number : 0;
    }
    free(path);
    free(text);
    return time;
}

// What may be different in a run that goes on: when it ends, and how its steps are found. Advice
// after a failure is to change these.
static bool is_free_to_change(const char *key)
{
    static const char *const keys[] = {"time",      "step",        "steps",  "safety",
                                       "tolerance", "steps-limit", "linear", "threads"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

// The scene without that, by which a run that goes on is recognised.
static PalStatus write_identity(PalSceneReader *reader, PalTreeNode *root)
{
    PalScene *scene = reader->scene;
    PalTreeNode *solver = pal_tree_get(root, "solver"), all = *solver;
    solver->items = pal_tree_alloc(reader->tree, (size_t)all.count, sizeof *solver->items);
    solver->count = 0;
    for (int32_t i = 0; solver->items != NULL && i < all.count; ++i)
        if (!is_free_to_change(all.items[i].key))
            solver->items[solver->count++] = all.items[i];
    scene->identity = solver->items != NULL ? pal_scene_write(reader->tree, root) : NULL;
    *solver = all;
    scene->output.identity = scene->identity;
    return scene->identity != NULL ? PAL_OK : pal_tree_no_memory(reader->error);
}

static PalStatus read_text(PalSceneReader *reader, const char *text, size_t size,
                           const PalSceneOptions *options)
{
    PalTree *tree = reader->tree;
    const PalImporter *importer = pal_importer_find(text, size, reader->scene->path);
    if (importer != NULL)
        PAL_TRY(import_model(reader, importer, (PalToken){text, size}));
    else
        PAL_TRY(pal_tree_parse(tree, text, size, NULL, &tree->root, reader->error));
    if (tree->root->kind != PAL_TREE_MAP)
        return PAL_SCENE_FAIL(reader, tree->root,
                              "not a map, expected keys such as bodies: and "
                              "solver:");
    for (int32_t i = 0; options != NULL && i < options->change_count; ++i)
        PAL_TRY(pal_scene_change(tree, &options->changes[i], reader->error));
    PAL_TRY(pal_keys_check(tree, tree->root, &pal_scene_keys, reader->error));
    if (options != NULL && options->resumed != NULL)
        reader->span = span_of_run(reader, options->resumed);
    PAL_TRY(read_parts(reader, tree->root));
    return write_identity(reader, tree->root);
}

PalStatus pal_scene_make(PalSceneReader *reader, const char *text, size_t size, const char *path,
                         const PalSceneOptions *options, PalScene **scene)
{
    *scene = NULL;
    PalStatus status;
    PalScene *made = calloc(1, sizeof *made);
    // numbers are written with a point, whatever the program's locale
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    locale_t before = plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;
    if (made == NULL || plain == (locale_t)0 ||
        (made->path = pal_tree_text(&made->tree, path, strlen(path))) == NULL) {
        status = pal_tree_no_memory(reader->error);
    } else {
        made->tree.path = made->path;
        reader->scene = made;
        reader->tree = &made->tree;
        status = read_text(reader, text, size, options);
    }
    if (plain != (locale_t)0) {
        uselocale(before);
        freelocale(plain);
    }
    if (status == PAL_OK)
        *scene = made;
    else
        pal_scene_destroy(made);
    return status;
}

PalStatus pal_scene_read_memory(const char *text, size_t size, const char *path,
                                const PalSceneOptions *options, PalScene **scene, PalError *error)
{
    PalSceneReader reader = {.error = error, .lenient = options != NULL && options->lenient};
    return pal_scene_make(&reader, text, size, path, options, scene);
}

// A mesh given where a scene is expected.
static bool is_mesh_file(const char *path)
{
    static const char *const endings[] = {".msh", ".vtk", ".vtu", ".vtp", ".stl", ".obj", ".ply"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i)
        if (length > 4 && strcmp(path + length - 4, endings[i]) == 0 && access(path, R_OK) == 0)
            return true;
    return false;
}

PalStatus pal_scene_read(const char *path, const PalSceneOptions *options, PalScene **scene,
                         PalError *error)
{
    *scene = NULL;
    char *text = NULL;
    size_t size = 0;
    if (is_mesh_file(path))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "%s: this is a mesh, expected a scene that names it, as in bodies: "
                             "[{name: organ, mesh: %s, ...}]",
                             path, strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path);
    PAL_TRY(pal_scene_load(path, "the scene", &text, &size, error));
    PalStatus status = pal_scene_read_memory(text, size, path, options, scene, error);
    free(text);
    return status;
}

void pal_scene_destroy(PalScene *scene)
{
    if (scene == NULL)
        return;
    for (int32_t i = 0; i < scene->sim.model.body_count; ++i) {
        pal_surface_destroy(scene->bodies[i].surface);
        pal_mesh_destroy(scene->bodies[i].triangles);
        pal_mesh_destroy(scene->bodies[i].mesh);
    }
    for (int32_t i = 0; i < scene->sim.model.rigid_count; ++i)
        pal_mesh_destroy(scene->rigid_meshes[i]);
    for (int32_t i = 0; i < scene->given_count; ++i)
        pal_mesh_destroy(scene->given[i].mesh);
    free(scene->import_warnings);
    free(scene->source);
    free(scene->resolved);
    free(scene->identity);
    pal_tree_clear(&scene->tree);
    free(scene);
}

const char *pal_scene_name(const PalScene *scene)
{
    return scene->name;
}

const char *pal_scene_resolved(const PalScene *scene)
{
    return scene->resolved;
}

const PalSimDef *pal_scene_sim(const PalScene *scene)
{
    return &scene->sim;
}

const PalOutputDef *pal_scene_output(const PalScene *scene)
{
    return &scene->output;
}

const char *pal_scene_loss(const PalScene *scene, int32_t index)
{
    return index >= 0 && index < scene->loss_count ? scene->losses[index] : NULL;
}

const char *pal_scene_condition_place(const PalScene *scene, int32_t condition_index)
{
    bool known = condition_index >= 0 && condition_index < scene->sim.model.condition_count;
    return known ? scene->condition_places[condition_index] : NULL;
}

void pal_scene_place_error(const PalScene *scene, PalError *error)
{
    char place[512] = "";
    const PalModelDef *model = &scene->sim.model;
    if (error->condition > 0 && error->condition <= model->condition_count) {
        snprintf(place, sizeof place, "%s", scene->condition_places[error->condition - 1]);
    } else if (error->body > 0 && error->body <= model->body_count) {
        const PalTreeNode *body = scene->bodies[error->body - 1].node;
        const PalTreeNode *thickness = pal_tree_get(body, "thickness");
        pal_tree_place(&scene->tree, thickness != NULL ? thickness : body, place, sizeof place);
    } else if (error->object > 0 && error->object <= model->body_count + model->rigid_count) {
        int32_t rigid = error->object - 1 - model->body_count;
        const PalTreeNode *object =
            rigid < 0 ? scene->bodies[error->object - 1].node : scene->rigid_nodes[rigid];
        pal_tree_place(&scene->tree, object, place, sizeof place);
    }
    if (place[0] == '\0')
        return;
    PalError placed = {0};
    pal_error_set(&placed, error->status, "%s: %s", place, error->text);
    *error = placed;
}
