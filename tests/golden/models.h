// Adds models of other programs to a book: the scenes that are made of them, their meshes, and what
// is said of what has no counterpart, or why they are refused.
#ifndef PAL_TESTS_GOLDEN_MODELS_H
#define PAL_TESTS_GOLDEN_MODELS_H

#include "files.h"

#include <palpate/scene.h>

static void add_model_text(Entry *entry, const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    forget_folders(copy);
    entry_add_text(entry, copy);
    free(copy);
}

static void add_model_mesh(Entry *entry, const PalMesh *mesh)
{
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        entry_add(entry, mesh->nodes[n].x);
        entry_add(entry, mesh->nodes[n].y);
        entry_add(entry, mesh->nodes[n].z);
    }
    for (int32_t c = 0; c < mesh->cell_count * pal_cell_node_count(mesh->cell_kind); ++c)
        entry_add(entry, mesh->cells[c]);
    for (int32_t g = 0; g < mesh->group_count; ++g) {
        const PalGroup *group = &mesh->groups[g];
        entry_add_text(entry, group->name);
        for (int32_t i = 0; i < group->node_count; ++i)
            entry_add(entry, group->nodes[i]);
        for (int32_t i = 0; i < group->cell_count; ++i)
            entry_add(entry, group->cells[i]);
    }
}

static void add_model(Book *book, const char *folder, const char *file, bool lenient)
{
    char path[400];
    PalScene *scene = NULL;
    PalError error = {0};
    PalSceneOptions options = {.lenient = lenient};
    Entry *entry = book_entry(book, "models/%s/%s", file, lenient ? "lenient" : "strict");
    snprintf(path, sizeof path, "%s/../%s/%s", PAL_SCENES, folder, file);
    if (pal_scene_read(path, &options, &scene, &error) != PAL_OK) {
        add_model_text(entry, error.text);
        return;
    }
    const PalModelDef *model = &pal_scene_sim(scene)->model;
    add_model_text(entry, pal_scene_resolved(scene));
    for (int32_t b = 0; b < model->body_count; ++b)
        add_model_mesh(entry, model->bodies[b].mesh);
    for (int32_t i = 0; pal_scene_loss(scene, i) != NULL; ++i)
        add_model_text(entry, pal_scene_loss(scene, i));
    PalSim *sim = NULL;
    if (pal_sim_create(pal_scene_sim(scene), &sim, &error) == PAL_OK)
        entry_add(entry, pal_sim_stable_step(sim, NULL, NULL));
    else
        add_model_text(entry, error.text);
    pal_sim_destroy(sim);
    pal_scene_destroy(scene);
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_models(Book *book)
{
    static const char *const folders[] = {"tests/fuzz/corpus/abaqus",   "tests/fuzz/corpus/febio",
                                          "tests/fuzz/corpus/niftysim", "tests/fuzz/corpus/scene",
                                          "tests/golden/models",        "scenes/niftysim"};
    for (size_t f = 0; f < sizeof folders / sizeof *folders; ++f) {
        char path[300];
        struct dirent **files = NULL;
        snprintf(path, sizeof path, "%s/../%s", PAL_SCENES, folders[f]);
        int count = scandir(path, &files, NULL, compare_names);
        assert_true(count > 0);
        for (int i = 0; i < count; ++i) {
            const char *name = files[i]->d_name;
            bool model = name[0] != '.' && strstr(name, ".md") == NULL &&
                         strstr(name, ".msh") == NULL && strstr(name, ".vtk") == NULL;
            for (int lenient = 0; model && lenient < 2; ++lenient)
                add_model(book, folders[f], name, lenient == 1);
            free(files[i]);
        }
        free(files);
    }
}

#endif
