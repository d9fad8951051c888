// Pairs of near facets, and crossings, against trying all of them.
#include "touch.h"

#include "base/memory.h"
#include "contact/surface/sweep.h"
#include "math/vec3.h"

#include <palpate/geometry.h>
#include <palpate/sim.h>

typedef struct Scene {
    PalMesh *meshes[3];
    PalMaterialDef material;
    PalBodyDef bodies[2];
    PalRigidDef rigid;
    PalModel *model;
    PalContactSurface *surface;
} Scene;

static PalMesh *make(PalShapeKind kind, PalVec3 extent, int32_t cells, PalVec3 place,
                     PalCellKind cell_kind)
{
    int32_t others = kind == PAL_SHAPE_BOX ? cells : 0;
    PalMesh *mesh =
        touch_shape(kind, extent, (int32_t[]){cells, others, others}, cell_kind, pal_vec3(0, 0, 0));
    PalPlacement placement = pal_placement_identity();
    placement.translation = place;
    placement.rotation = pal_rotation_about((PalVec3){1, 2, 3}, place.x);
    pal_mesh_place(mesh, &placement);
    return mesh;
}

// A box, a ball that reaches into it, and a large plate of few triangles across both.
static void scene_init(Scene *scene)
{
    PalError error = {0};
    *scene = (Scene){
        .meshes = {make(PAL_SHAPE_BOX, (PalVec3){2, 2, 2}, 3, (PalVec3){0, 0, 0},
                        PAL_CELL_TETRAHEDRON),
                   make(PAL_SHAPE_SPHERE, (PalVec3){0.8, 0, 0}, 5, (PalVec3){0.9, 0.3, 0.2},
                        PAL_CELL_TETRAHEDRON),
                   make(PAL_SHAPE_BOX, (PalVec3){30, 30, 0.1}, 1, (PalVec3){0.1, 0, 1.1},
                        PAL_CELL_TRIANGLE)},
        .material = pal_material_def_default(),
        .bodies = {pal_body_def_default(), pal_body_def_default()},
        .rigid = pal_rigid_def_default(),
    };
    scene->material.parameters[0] = 1;
    scene->material.parameters[1] = 1;
    scene->material.density = 1;
    for (int b = 0; b < 2; ++b) {
        scene->bodies[b].name = b == 0 ? "box" : "ball";
        scene->bodies[b].mesh = scene->meshes[b];
        scene->bodies[b].materials = &scene->material;
        scene->bodies[b].material_count = 1;
    }
    scene->rigid.name = "plate";
    scene->rigid.mesh = scene->meshes[2];
    PalModelDef def = pal_model_def_default();
    def.body_count = 2;
    def.bodies = scene->bodies;
    def.rigid_count = 1;
    def.rigids = &scene->rigid;
    def.end_time = 1;
    check_ok(pal_model_create(&def, &scene->model, &error), &error);
    check_ok(pal_contact_surface_create(scene->model, &scene->surface, &error), &error);
}

static void scene_clear(Scene *scene)
{
    pal_contact_surface_destroy(scene->surface);
    pal_model_destroy(scene->model);
    for (int i = 0; i < 3; ++i)
        pal_mesh_destroy(scene->meshes[i]);
}

typedef struct Seen {
    const PalContactSurface *surface;
    uint8_t *pairs;  // facet_count squared
    int32_t count;
} Seen;

static void note(void *context, int32_t a, int32_t b)
{
    Seen *seen = context;
    assert_true(a < b);
    uint8_t *pair = &seen->pairs[(int64_t)a * seen->surface->facet_count + b];
    assert_int_equal(*pair, 0);  // each once
    *pair = 1;
    ++seen->count;
}

static double gap(const PalContactSurface *surface, int32_t a, int32_t b, int axis)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < 3; ++k) {
        double x = pal_vec3_at(surface->start[surface->facets[a][k]], axis);
        double y = pal_vec3_at(surface->start[surface->facets[b][k]], axis);
        low[0] = fmin(low[0], x);
        high[0] = fmax(high[0], x);
        low[1] = fmin(low[1], y);
        high[1] = fmax(high[1], y);
    }
    return fmax(low[0] - high[1], low[1] - high[0]);
}

static void every_near_pair_once(void **state)
{
    (void)state;
    static const double reaches[] = {0, 0.07, 0.5, 100};
    double friction[9];
    PalError error = {0};
    Scene scene;
    scene_init(&scene);
    int32_t n = scene.surface->facet_count;
    for (int self = 0; self < 2; ++self)
        for (size_t r = 0; r < sizeof reaches / sizeof *reaches; ++r) {
            for (int i = 0; i < 9; ++i)
                friction[i] = i / 3 == i % 3 ? self - 1 : 0.5;
            friction[8] = -1;
            Seen seen = {scene.surface, pal_alloc((size_t)n * (size_t)n, 1), 0};
            PalPairs pairs = {.object_count = 3, .dense = friction};
            PalSweepDef def = {scene.surface, scene.surface->start, &pairs, reaches[r], NULL};
            check_ok(pal_sweep(&def, note, &seen, &error), &error);
            int32_t expected = 0;
            for (int32_t a = 0; a < n; ++a)
                for (int32_t b = a + 1; b < n; ++b) {
                    int32_t p = scene.surface->facet_object[a], q = scene.surface->facet_object[b];
                    double apart = -INFINITY;
                    for (int axis = 0; axis < 3; ++axis)
                        apart = fmax(apart, gap(scene.surface, a, b, axis));
                    if (friction[3 * p + q] < 0 || fabs(apart - reaches[r]) < 1e-9)
                        continue;  // at the very border rounding decides
                    bool near = apart < reaches[r];
                    assert_int_equal(seen.pairs[(int64_t)a * n + b], near);
                    expected += near;
                }
            assert_true(expected > 0 && seen.count >= expected);
            pal_free(seen.pairs);
        }
    scene_clear(&scene);
}

static void crossings_are_counted(void **state)
{
    (void)state;
    double friction[9];
    PalError error = {0};
    Scene scene;
    scene_init(&scene);
    for (int i = 0; i < 9; ++i)
        friction[i] = i == 8 ? -1 : 0;
    int32_t count = 0, expected = 0, n = scene.surface->facet_count;
    PalPairs pairs = {.object_count = 3, .dense = friction};
    PalSweepDef def = {scene.surface, scene.surface->start, &pairs, 0, NULL};
    check_ok(pal_sweep_crossings(&def, &count, &error), &error);
    for (int32_t a = 0; a < n; ++a)
        for (int32_t b = a + 1; b < n; ++b) {
            int32_t p = scene.surface->facet_object[a], q = scene.surface->facet_object[b];
            PalVec3 x[3], y[3];
            for (int k = 0; k < 3; ++k) {
                x[k] = scene.surface->start[scene.surface->facets[a][k]];
                y[k] = scene.surface->start[scene.surface->facets[b][k]];
            }
            bool cross = pal_triangles_intersect(x, y);
            // the quick way says the same as the exact one
            assert_int_equal(pal_facets_cross(scene.surface, scene.surface->start, a, b), cross);
            if (friction[3 * p + q] >= 0 && !pal_facets_adjacent(scene.surface, a, b))
                expected += cross;
        }
    assert_int_equal(count, expected);
    assert_true(expected > 20);
    scene_clear(&scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_near_pair_once),
    cmocka_unit_test(crossings_are_counted),
};
CHECK_GROUP(tests, NULL, NULL)
