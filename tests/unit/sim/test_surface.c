// Copies of current surfaces.
#include "touch.h"
#include <palpate/steer.h>

static PalSurfaceCopy room_for(const PalSim *sim, int32_t object)
{
    PalSurfaceCopy copy = {0};
    PalError error = {0};
    check_ok(
        pal_sim_surface_size(sim, object, &copy.vertex_capacity, &copy.triangle_capacity, &error),
        &error);
    copy.positions = malloc((size_t)copy.vertex_capacity * sizeof *copy.positions);
    copy.normals = malloc((size_t)copy.vertex_capacity * sizeof *copy.normals);
    copy.triangles = malloc((size_t)copy.triangle_capacity * sizeof *copy.triangles);
    return copy;
}

static void free_copy(PalSurfaceCopy *copy)
{
    free(copy->positions);
    free(copy->normals);
    free(copy->triangles);
}

// By the divergence theorem: positive where triangles are anticlockwise from outside.
static double volume_inside(const PalSurfaceCopy *copy)
{
    double sum = 0;
    for (int32_t t = 0; t < copy->triangle_capacity; ++t) {
        const int32_t *corners = copy->triangles[t];
        for (int a = 0; a < 3; ++a)
            assert_true(corners[a] >= 0 && corners[a] < copy->vertex_capacity);
        sum +=
            pal_vec3_dot(copy->positions[corners[0]],
                         pal_vec3_cross(copy->positions[corners[1]], copy->positions[corners[2]])) /
            6;
    }
    return sum;
}

// Of a sphere, normals point away from the centre.
static void check_round(const PalSurfaceCopy *copy, PalVec3 centre)
{
    for (int32_t v = 0; v < copy->vertex_capacity; ++v) {
        PalVec3 out = pal_vec3_normalise(pal_vec3_sub(copy->positions[v], centre));
        check_near(pal_vec3_length(copy->normals[v]), 1, 1e-12);
        assert_true(pal_vec3_dot(copy->normals[v], out) > 0.95);
    }
}

static void surfaces_are_copied(void **state)
{
    (void)state;
    PalError error = {0};
    Touch t = touch_nothing(1);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 2, 3), (int32_t[]){2, 2, 3},
                               PAL_CELL_HEXAHEDRON, pal_vec3(-9, 0, 0)),
                   100, 0.3, 1);
    t.bodies[0].element = PAL_ELEMENT_H8;
    int32_t ball =
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_SPHERE, pal_vec3(1, 0, 0), (int32_t[]){8, 0, 0},
                                   PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)),
                       100, 0.3, 1);
    t.bodies[ball].velocity = pal_vec3(0, 4, 0);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_SPHERE, pal_vec3(2, 0, 0), (int32_t[]){8, 0, 0},
                                    PAL_CELL_TRIANGLE, pal_vec3(9, 0, 0)));
    touch_start(&t);
    PalPose pose = {
        pal_rotation_about(pal_vec3(0, 0, 1), 1.5707963267948966), {9, 0, 0}, {7, 0, 1}};
    check_ok(pal_sim_move_rigid(t.run, 0, &pose, 0.5, &error), &error);
    touch_advance(&t, 0.5);
    PalSurfaceCopy copies[3];
    for (int32_t object = 0; object < 3; ++object) {
        copies[object] = room_for(t.run, object);
        check_ok(pal_sim_copy_surface(t.run, object, &copies[object], &error), &error);
    }
    assert_int_equal(copies[0].triangle_capacity, 2 * 2 * (2 * 2 + 2 * 3 + 2 * 3));
    assert_int_equal(copies[0].vertex_capacity, 3 * 3 * 4 - 1 * 1 * 2);
    check_near(volume_inside(&copies[0]), 6, 1e-9);
    check_round(&copies[1], pal_vec3(0, 2, 0));
    check_near(volume_inside(&copies[1]), 3.8, 0.4);
    check_round(&copies[2], pal_vec3(7, 0, 1));
    PalVec3 first = t.rigid_meshes[0]->nodes[0];
    check_near(
        pal_vec3_distance(copies[2].positions[0], pal_vec3(7 - first.y, first.x - 9, 1 + first.z)),
        0, 1e-12);
    for (int32_t object = 0; object < 3; ++object)
        free_copy(&copies[object]);
    touch_end(&t);
}

static void rooms_and_numbers_are_checked(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){1, 1, 1},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)),
                   1, 0.3, 1);
    touch_start(&t);
    PalError error = {0};
    PalVec3 positions[8];
    int32_t triangles[12][3], vertex_count, triangle_count;
    check_ok(pal_sim_surface_size(t.run, 0, &vertex_count, &triangle_count, &error), &error);
    assert_int_equal(vertex_count, 8);
    assert_int_equal(triangle_count, 12);
    PalSurfaceCopy copy = {7, 12, positions, NULL, triangles};
    assert_int_equal(pal_sim_copy_surface(t.run, 0, &copy, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "has 8 vertices and 12 triangles"));
    copy = (PalSurfaceCopy){8, 11, positions, NULL, triangles};
    assert_int_equal(pal_sim_copy_surface(t.run, 0, &copy, NULL), PAL_BAD_INPUT);
    copy = (PalSurfaceCopy){7, 0, NULL, positions, NULL};
    assert_int_equal(pal_sim_copy_surface(t.run, 0, &copy, NULL), PAL_BAD_INPUT);
    copy = (PalSurfaceCopy){0, 12, NULL, NULL, triangles};  // what is not asked for needs no room
    check_ok(pal_sim_copy_surface(t.run, 0, &copy, &error), &error);
    for (int object = -1; object < 2; object += 2) {
        assert_int_equal(pal_sim_copy_surface(t.run, object, &copy, NULL), PAL_BAD_INPUT);
        assert_int_equal(pal_sim_surface_size(t.run, object, &vertex_count, &triangle_count, NULL),
                         PAL_BAD_INPUT);
    }
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(surfaces_are_copied),
    cmocka_unit_test(rooms_and_numbers_are_checked),
};
CHECK_GROUP(tests, NULL, NULL)
