// Scenes that move, as they are made for benchmarks: things touch, and nothing crosses anything.
// The same bits come out of one thread and of two.
#include "check.h"

#include <experiments/make/make.h>
#include <unistd.h>

typedef struct Row {
    const char *scene;
    int32_t size;
    double until;
} Row;

static const Row rows[] = {
    {"u-block", 0, 0.7},    {"twisted-mat", 0, 10.4}, {"chain", 4, 0.5},
    {"twisted-rods", 2, 2}, {"card-house", 0, 0.004}, {"sheets", 4, 0.14},
    {"bowl", 0, 0.15},      {"pile", 20, 0.05},       {"flat-blocks", 5, 0.1},
};

static char folder[] = "/tmp/palpate-moving-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

// Returns the hash of the state at the end.
static uint64_t run(const Row *row, const char *path, const char *threads)
{
    PalError error = {0};
    PalSceneChange change = {"solver.threads", threads};
    PalSceneOptions options = {.change_count = 1, .changes = &change};
    PalScene *scene = NULL;
    PalSim *sim = NULL;
    check_ok(pal_scene_read(path, &options, &scene, &error), &error);
    check_ok(pal_sim_create(pal_scene_sim(scene), &sim, &error), &error);
    check_ok(pal_sim_advance(sim, row->until, &error), &error);
    PalContactReport report = pal_sim_contact_report(sim);
    if (report.most_contacts == 0)
        fail_msg("nothing touches in %s until %g", row->scene, row->until);
    if (pal_sim_intersections(sim) != 0)
        fail_msg("%d pairs of triangles cross in %s", (int)pal_sim_intersections(sim), row->scene);
    uint64_t hash = pal_sim_hash(sim);
    pal_sim_destroy(sim);
    pal_scene_destroy(scene);
    return hash;
}

static void nothing_crosses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        PalError error = {0};
        char path[PAL_SCENE_PATH_MAX];
        const PalMaker *maker = pal_maker_find(rows[i].scene);
        assert_non_null(maker);
        check_ok(pal_make_scene(maker, rows[i].size, folder, path, &error), &error);
        if (run(&rows[i], path, "1") != run(&rows[i], path, "2"))
            fail_msg("%s: two threads give other bits than one", rows[i].scene);
    }
}

static void count_bodies(const char *name, int32_t tetrahedra[2], int32_t *triangles)
{
    PalError error = {0};
    char path[PAL_SCENE_PATH_MAX];
    PalScene *scene = NULL;
    check_ok(pal_make_scene(pal_maker_find(name), 0, folder, path, &error), &error);
    check_ok(pal_scene_read(path, NULL, &scene, &error), &error);
    const PalModelDef *model = &pal_scene_sim(scene)->model;
    for (int b = 0; b < 2; ++b)
        tetrahedra[b] = model->bodies[b].mesh->cell_count;
    *triangles = model->rigids[0].mesh->cell_count;
    pal_scene_destroy(scene);
}

// The look-alike has as many cells as the published model, to within a tenth.
static void the_prostate_has_its_size(void **state)
{
    (void)state;
    int32_t tetrahedra[2], triangles;
    count_bodies("prostate", tetrahedra, &triangles);
    check_near(tetrahedra[0], 22705, 2270);
    check_near(tetrahedra[1], 64316, 6431);
    check_near(triangles, 4886, 488);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_crosses),
    cmocka_unit_test(the_prostate_has_its_size),
};

CHECK_GROUP(tests, make_folder, remove_folder)
