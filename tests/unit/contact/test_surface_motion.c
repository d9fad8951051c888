// Vertices that are placed when someone asks for them, and how far the others may have gone.
#include "base/memory.h"
#include "contact/search/method.h"
#include "model/conditions.h"
#include "random_material.h"
#include "touch.h"

enum { STEPS = 400 };

// A ball of several chunks of nodes, and a plate that turns and moves on.
typedef struct Scene {
    Touch bodies;
    const PalModel *model;
    PalContactSurface *surface;
    PalVec3 *displacement, *velocity;
    double *speeds;
    double time;
    PalRigidState plate;
    PalSurfaceMotion motion;
} Scene;

static void create(Scene *s, int32_t further_count)
{
    static const PalMotionDef further[] = {
        {.axis = {0, 1, 0},
         .radians = -1.5,
         .centre = {0, 0, 3},
         .ramp = {.kind = PAL_RAMP_SMOOTH, .from = 0.2, .until = 0.9}},
        {.translation = {0, 2, 0}, .ramp = {.kind = PAL_RAMP_LINEAR, .from = 0.5, .until = 0.7}},
    };
    PalError error = {0};
    *s = (Scene){.bodies = touch_nothing(1)};
    touch_add_mesh(&s->bodies,
                   touch_shape(PAL_SHAPE_SPHERE, pal_vec3(1, 1, 1), (int32_t[]){14, 0, 0},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)),
                   1000, 0.3, 1);
    int32_t r = touch_add_rigid(&s->bodies, touch_shape(PAL_SHAPE_BOX, pal_vec3(2, 2, 0.1),
                                                        (int32_t[]){12, 12, 1}, PAL_CELL_TRIANGLE,
                                                        pal_vec3(0, 0, 3)));
    s->bodies.rigids[r].motion.centre = pal_vec3(-1, 0.5, 3);
    s->bodies.rigids[r].motion.axis = pal_vec3(0.6, 0, 0.8);
    s->bodies.rigids[r].motion.radians = 2;
    s->bodies.rigids[r].motion.translation = pal_vec3(0.3, 0, -0.2);
    s->bodies.rigids[r].further_count = further_count;
    s->bodies.rigids[r].further = further;
    touch_start(&s->bodies);
    s->model = pal_sim_model(s->bodies.run);
    assert_true(s->model->node_count > 2 * PAL_NODE_CHUNK);
    check_ok(pal_contact_surface_create(s->model, &s->surface, &error), &error);
    size_t nodes = (size_t)s->model->node_count;
    s->displacement = pal_alloc(nodes, sizeof *s->displacement);
    s->velocity = pal_alloc(nodes, sizeof *s->velocity);
    s->speeds = pal_alloc(nodes / PAL_NODE_CHUNK + 1, sizeof *s->speeds);
    s->motion = (PalSurfaceMotion){
        .model = s->model,
        .displacement = s->displacement,
        .velocity = s->velocity,
        .speeds = s->speeds,
        .rigids = &s->plate,
        .step = 0.01,
    };
    s->plate.next = pal_rigid_pose(&s->model->rigids[0], 0);
}

static void destroy(Scene *s)
{
    pal_contact_surface_destroy(s->surface);
    pal_free(s->displacement);
    pal_free(s->velocity);
    pal_free(s->speeds);
    touch_end(&s->bodies);
}

// Nodes above `height` get a new velocity now and then, the others stand still.
static void begin_step(Scene *s, int32_t step, double height, uint64_t *seed)
{
    memset(s->speeds, 0, ((size_t)s->model->node_count / PAL_NODE_CHUNK + 1) * sizeof(double));
    for (int32_t n = 0; n < s->model->node_count; ++n) {
        PalVec3 *v = &s->velocity[n];
        if (step % 8 == 0 && s->model->nodes[n].z > height)
            *v = pal_vec3(random_between(-1, 1, seed), random_between(-1, 1, seed),
                          random_between(-1, 1, seed));
        s->speeds[n / PAL_NODE_CHUNK] = fmax(s->speeds[n / PAL_NODE_CHUNK], pal_vec3_length(*v));
    }
    s->time += 1.0 / STEPS;
    s->plate.pose = s->plate.next;
    s->plate.next = pal_rigid_pose(&s->model->rigids[0], s->time);
    pal_contact_surface_move(s->surface, &s->motion);
}

static void end_step(Scene *s)
{
    for (int32_t n = 0; n < s->model->node_count; ++n)
        s->displacement[n] =
            pal_vec3_add_scaled(s->displacement[n], s->motion.step, s->velocity[n]);
}

static void vertices_are_where_they_belong(void **state)
{
    (void)state;
    Scene s;
    create(&s, 0);
    uint64_t seed = 5;
    for (int32_t i = 0; i < 20; ++i) {
        begin_step(&s, i, -2, &seed);
        // whoever is asked for is there, whoever is not has not moved
        PalVec3 untouched = s.surface->end[1];
        for (int32_t v = 0; v < s.surface->vertex_count; v += 3)
            pal_contact_surface_need(s.surface, v);
        assert_memory_equal(&untouched, &s.surface->end[1], sizeof untouched);
        pal_contact_surface_place_all(s.surface);
        for (int32_t v = 0; v < s.surface->soft_vertex_count; ++v) {
            int32_t n = s.surface->vertex_node[v];
            PalVec3 start = pal_vec3_add(s.model->nodes[n], s.displacement[n]);
            check_near(pal_vec3_distance(s.surface->start[v], start), 0, 0);
            PalVec3 end = pal_vec3_add_scaled(start, s.motion.step, s.velocity[n]);
            check_near(pal_vec3_distance(s.surface->end[v], end), 0, 1e-15);
        }
        end_step(&s);
    }
    // an instrument keeps its shape, and goes where a placement by its pose puts it
    PalVec3 last = s.surface->end[s.surface->vertex_count - 1];
    s.plate.pose = s.plate.next;
    pal_contact_surface_place(s.surface, s.model, s.displacement, &s.plate);
    check_near(pal_vec3_distance(s.surface->start[s.surface->vertex_count - 1], last), 0, 0);
    destroy(&s);
}

static void check_strides(int32_t further_count)
{
    Scene s;
    create(&s, further_count);
    uint64_t seed = 6;
    double tightest = INFINITY;
    for (int32_t i = 0; i < STEPS; ++i) {
        begin_step(&s, i, 0, &seed);
        pal_contact_surface_place_all(s.surface);
        for (int32_t v = 0; v < s.surface->vertex_count; ++v) {
            double motion = pal_vec3_distance(s.surface->start[v], s.surface->end[v]);
            double stride = s.surface->stride[v / PAL_VERTEX_BLOCK];
            assert_true(motion <= stride && stride <= s.surface->farthest);
            tightest = fmin(tightest, stride / fmax(motion, 1e-300));
        }
        end_step(&s);
    }
    assert_true(tightest < 1 + 1e-6);
    destroy(&s);
}

static void strides_are_bounds(void **state)
{
    (void)state;
    check_strides(0);
}

static void strides_of_several_motions_are_bounds(void **state)
{
    (void)state;
    check_strides(2);
}

// What is said of blocks that nobody looks at is true of each of their vertices, and most blocks
// are not looked at.
static void places_hold_as_they_say(void **state)
{
    (void)state;
    Scene s;
    create(&s, 0);
    PalPlaces places = {.slack = 0.3, .tolerance = 0.05};
    assert_true(pal_places_create(&places, s.surface->vertex_count));
    for (int32_t v = 0; v < s.surface->vertex_count; ++v)
        assert_true(pal_places_choose(&places, s.surface, v));
    uint64_t seed = 7;
    int32_t held = 0, left = 0;
    int64_t looked_at = 0;
    for (int32_t i = 0; i < STEPS; ++i) {
        begin_step(&s, i, 0.3, &seed);
        bool hold = pal_places_hold(&places, s.surface);
        for (int32_t v = 0; v < s.surface->vertex_count; ++v)
            looked_at += s.surface->placed[v] == s.surface->stamp;
        pal_contact_surface_place_all(s.surface);
        bool truth = true;
        for (int32_t v = 0; v < s.surface->vertex_count; ++v) {
            double away = pal_vec3_distance(s.surface->end[v], places.items[v].centre);
            bool leaves = away > places.items[v].radius - places.tolerance;
            truth = truth && !leaves;
            if (leaves)
                assert_true(pal_places_choose(&places, s.surface, v));
        }
        assert_int_equal(hold, truth);
        held += hold;
        left += !hold;
        for (int32_t b = 0; b < s.surface->block_count; ++b)
            places.travel[b] += s.surface->stride[b];
        end_step(&s);
    }
    print_message("%d steps held, %d did not, %.2f of the vertices were looked at\n", held, left,
                  (double)looked_at / s.surface->vertex_count / STEPS);
    assert_true(held > 20 && left > 20);
    assert_true(looked_at < (int64_t)s.surface->vertex_count * STEPS * 3 / 4);
    pal_places_clear(&places);
    destroy(&s);
}

// Contact may move ends by the tolerance after places were found to hold, so that vertices lie
// outside of their places, and some of them come back. Those that are told to leave are enough.
static void renewing_what_leaves_is_enough(void **state)
{
    (void)state;
    Scene s;
    create(&s, 0);
    PalPlaces places = {.slack = 0.3, .tolerance = 0.05};
    assert_true(pal_places_create(&places, s.surface->vertex_count));
    for (int32_t v = 0; v < s.surface->vertex_count; ++v)
        assert_true(pal_places_choose(&places, s.surface, v));
    int32_t *leaving = pal_alloc((size_t)s.surface->vertex_count, sizeof *leaving), renewed = 0;
    uint64_t seed = 8;
    for (int32_t i = 0; i < STEPS; ++i) {
        begin_step(&s, i, -2, &seed);
        if (!pal_places_hold(&places, s.surface)) {
            int32_t count = pal_places_leaving(&places, s.surface, 16, leaving);
            for (int32_t k = 0; k < count; ++k)
                assert_true(pal_places_choose(&places, s.surface, leaving[k]));
            assert_true(count > 0 && pal_places_hold(&places, s.surface));
            renewed += count;
        }
        end_step(&s);
        double most = places.tolerance / 2;
        for (int32_t n = 0; n < s.model->node_count; ++n)
            s.displacement[n] =
                pal_vec3_add(s.displacement[n], pal_vec3(random_between(-most, most, &seed),
                                                         random_between(-most, most, &seed),
                                                         random_between(-most, most, &seed)));
        for (int32_t b = 0; b < s.surface->block_count; ++b)
            places.travel[b] += s.surface->stride[b] + places.tolerance;
    }
    assert_true(renewed > s.surface->vertex_count);
    pal_free(leaving);
    pal_places_clear(&places);
    destroy(&s);
}

// The corners of a block of hexahedra are part of one triangle of each of their three facets: a row
// of their own can push them beside that.
static void corners_of_blocks_are_in_few_triangles(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(2, 2, 2), (int32_t[]){3, 3, 3},
                               PAL_CELL_HEXAHEDRON, pal_vec3(0, 0, 0)),
                   1000, 0.3, 1);
    t.bodies[0].element = PAL_ELEMENT_H8;
    touch_start(&t);
    PalContactSurface *surface = NULL;
    PalError error = {0};
    check_ok(pal_contact_surface_create(pal_sim_model(t.run), &surface, &error), &error);
    int corners = 0;
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        PalVec3 at = pal_sim_model(t.run)->nodes[surface->vertex_node[v]];
        const int32_t *around = &surface->vertex_facets.start[v];
        if (fmin(fabs(at.x), fmin(fabs(at.y), fabs(at.z))) < 0.99)
            continue;
        assert_int_equal(around[1] - around[0], 3);
        ++corners;
    }
    assert_int_equal(corners, 8);
    pal_contact_surface_destroy(surface);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(vertices_are_where_they_belong),
    cmocka_unit_test(strides_are_bounds),
    cmocka_unit_test(strides_of_several_motions_are_bounds),
    cmocka_unit_test(places_hold_as_they_say),
    cmocka_unit_test(renewing_what_leaves_is_enough),
    cmocka_unit_test(corners_of_blocks_are_in_few_triangles),
};
CHECK_GROUP(tests, NULL, NULL)
