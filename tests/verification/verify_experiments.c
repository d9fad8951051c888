// Scenes that are made for experiments: each can be set up, and has the measures and numbers that
// its description tells.
#include "check.h"

#include <experiments/lab/result.h>
#include <experiments/make/grid.h>
#include <experiments/make/make.h>
#include <unistd.h>

static char folder[] = "/tmp/palpate-made-XXXXXX";

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

static PalScene *made(const char *name, int32_t size)
{
    PalError error = {0};
    char path[PAL_SCENE_PATH_MAX];
    PalScene *scene = NULL;
    check_ok(pal_make_scene(pal_maker_find(name), size, folder, path, &error), &error);
    check_ok(pal_scene_read(path, NULL, &scene, &error), &error);
    return scene;
}

static void every_scene_can_be_set_up(void **state)
{
    (void)state;
    const PalMaker *maker;
    for (int32_t i = 0; (maker = pal_maker(i)) != NULL; ++i) {
        PalError error = {0};
        PalScene *scene = made(maker->name, 0);
        const PalModelDef *model = &pal_scene_sim(scene)->model;
        for (int32_t b = 0; b < model->body_count; ++b)
            check_ok(pal_mesh_validate(model->bodies[b].mesh, &error), &error);
        PalSim *sim = NULL;
        check_ok(pal_sim_create(pal_scene_sim(scene), &sim, &error), &error);
        bool overlaps = pal_response_overlaps(pal_scene_sim(scene)->contact.response);
        if (!overlaps && pal_sim_intersections(sim) != 0)
            fail_msg("%s begins with triangles that cross", maker->name);
        pal_sim_destroy(sim);
        pal_scene_destroy(scene);
    }
}

// The backs of two combs, what joins them, and five teeth; from 712 facets to ten times as many.
static void the_zipper_keeps_its_shape(void **state)
{
    (void)state;
    double volume = 2 * 35 * 7 * 3.5 + 5 * 7 * 5.5 + 5 * 5.7 * 7 * 5.3;
    int32_t first = 0, last = 0;
    for (int32_t level = 1; level <= 6; ++level) {
        PalError error = {0};
        PalScene *scene = made("zipper-level", level);
        const PalMesh *mesh = pal_scene_sim(scene)->model.bodies[0].mesh;
        PalSurface *surface = NULL;
        check_ok(pal_mesh_boundary(mesh, &surface, &error), &error);
        check_near(pal_mesh_quality(mesh).volume, volume, 1e-9 * volume);
        assert_true(surface->facet_count > last);
        first = level == 1 ? surface->facet_count : first;
        last = surface->facet_count;
        pal_surface_destroy(surface);
        pal_scene_destroy(scene);
    }
    check_near(first, 712, 71);
    check_near((double)last / first, 10, 1);
}

// One surface outside, and one of the cavity inside it.
static void the_liver_on_bars_is_hollow(void **state)
{
    (void)state;
    PalError error = {0};
    PalScene *scene = made("liver-bars", 0);
    PalMesh *skin = NULL;
    PalShells shells = {0};
    check_ok(pal_grid_skin(pal_scene_sim(scene)->model.bodies[0].mesh, &skin, &error), &error);
    check_ok(pal_mesh_shells(skin, &shells, &error), &error);
    assert_int_equal(shells.count, 2);
    assert_int_equal(shells.depth[0] + shells.depth[1], 1);
    pal_shells_clear(&shells);
    pal_mesh_destroy(skin);
    pal_scene_destroy(scene);
}

// A link of the chain: a ring of square cells pressed into a round wire.
static void links_are_rings(void **state)
{
    (void)state;
    PalScene *scene = made("chain", 2);
    const PalMesh *mesh = pal_scene_sim(scene)->model.bodies[0].mesh;
    assert_int_equal(mesh->cell_count, 5 * 26 * 2 * 2);
    assert_int_equal(mesh->node_count, 26 * 3 * 3);
    double torus = 2 * 9.8696044 * 1.0 * 0.22 * 0.22;  // 2 pi^2 R r^2
    double octagon = 0.9003;                           // of the circle around it
    check_near(pal_mesh_quality(mesh).volume / torus, octagon, 0.02);
    pal_scene_destroy(scene);
}

static void results_come_back_as_written(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/result.txt", folder);
    PalResult out = {0}, in = {0};
    const double values[] = {1.0 / 3, -1e-300, NAN, INFINITY, 7};
    for (int i = 0; i < 5; ++i)
        pal_result_add(&out, i % 2 == 0 ? "even" : "odd", values[i]);
    assert_true(pal_result_write(&out, path, "of this program"));
    assert_false(pal_result_read(&in, path, "of another program"));
    assert_int_equal(in.series_count, 0);
    assert_true(pal_result_read(&in, path, "of this program"));
    assert_int_equal(pal_result_find(&in, "even")->count, 3);
    assert_true(pal_result_find(&in, "even")->values[0] == 1.0 / 3);
    assert_true(isnan(pal_result_find(&in, "even")->values[1]));
    assert_true(pal_result_find(&in, "odd")->values[0] == -1e-300);
    assert_true(isinf(pal_result_number(&in, "odd")));
    assert_true(isnan(pal_result_number(&in, "none")));
    pal_result_clear(&in);
    pal_result_clear(&out);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_scene_can_be_set_up),    cmocka_unit_test(the_zipper_keeps_its_shape),
    cmocka_unit_test(the_liver_on_bars_is_hollow),  cmocka_unit_test(links_are_rings),
    cmocka_unit_test(results_come_back_as_written),
};

CHECK_GROUP(tests, make_folder, remove_folder)
