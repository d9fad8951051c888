// Two soft plates that cross each other on any way: no forces part them, and the loop has to stay
// sound.
#include "math/vec3.h"
#include "reduced/haptic.h"
#include "small_book.h"

#include <math.h>

static SmallBook small;
static PalVademecum *book;
static PalHaptic *haptic;

static int set_up(void **state)
{
    (void)state;
    PalError error = {0};
    small_book_init(&small, 4, PAL_VADEMECUM_AUTO);
    pal_mesh_destroy(small.mesh);
    PalShapeDef shape = pal_shape_def_default();
    shape.kind = PAL_SHAPE_BOX;
    shape.extent = (PalVec3){4, 2, 0.5};
    shape.cells[0] = 8;
    shape.cells[1] = 4;
    shape.cells[2] = 1;
    check_ok(pal_mesh_create_shape(&shape, &small.mesh, &error), &error);
    small.body.mesh = small.mesh;
    small.def.patch = 0.6;
    small.def.largest = 4;
    small.def.directions = PAL_DIRECTIONS_NORMAL;
    small.def.mode_limit = 16;
    check_ok(pal_vademecum_build(&small.def, &book, &error), &error);
    PalHapticDef def = pal_haptic_def_default();
    def.books[0] = def.books[1] = book;
    check_ok(pal_haptic_create(&def, &haptic, &error), &error);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pal_haptic_destroy(haptic);
    pal_vademecum_destroy(book);
    small_book_clear(&small);
    return 0;
}

static double number(uint32_t *seed)  // from -1 to 1
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static double farthest(void)
{
    double most = 0;
    for (int s = 0; s < 2; ++s)
        for (int32_t n = 0; n < pal_haptic_node_count(haptic, s); ++n) {
            double way = pal_vec3_length(pal_haptic_displacement(haptic, s, n));
            assert_true(isfinite(way));
            most = fmax(most, way);
        }
    return most;
}

typedef struct Most {
    double way, force;
    int beyond;
} Most;

// One step at a place; what it gives has to be bounded.
static void go(const PalHapticPose *pose, bool ahead, Most *most)
{
    assert_true(pal_haptic_set_pose(haptic, 1, pose));
    most->beyond += pal_haptic_step(haptic, 0) == PAL_HAPTIC_BEYOND;
    double force = pal_vec3_length(pal_haptic_force(haptic).contact_force);
    assert_true(isfinite(force));
    most->force = fmax(most->force, force);
    most->way = fmax(most->way, farthest());
    if (ahead)
        pal_haptic_prepare(haptic);
}

static PalHapticPose any_pose(uint32_t *seed)
{
    PalHapticPose pose = {{number(seed), number(seed), number(seed)},
                          {number(seed), number(seed), number(seed), number(seed)}};
    pose.rotation.w += pose.rotation.w < 0 ? -0.5 : 0.5;
    pose.rotation = pal_quaternion_normalise(pose.rotation);
    return pose;
}

static void check_bounds(const Most *most)
{
    assert_true(most->beyond > 0);  // this is said
    assert_true(most->force <= 100 * small.def.largest);
    // 1.5 times as far as was learnt, and a patch
    assert_true(most->way <= haptic->limits[0].way * 1.1 + small.def.patch);
    assert_true(most->way < 6);
}

// No bound acts any more, and the force is the same as before.
static void check_recovered(double before, const PalHapticPose *touching, const PalHapticPose *away)
{
    Most most = {0};
    for (int i = 0; i < 300; ++i)
        go(away, true, &most);
    assert_true(farthest() == 0);
    for (int i = 0; i < 400; ++i)
        go(touching, true, &most);
    pal_haptic_step(haptic, 0);
    assert_false(haptic->force_passed);
    for (int s = 0; s < 2; ++s)
        assert_false(haptic->limits[s].passed || haptic->limits[s].near_passed);
    check_near(pal_vec3_length(pal_haptic_force(haptic).contact_force) / before, 1, 1e-3);
}

// Flat on each other, where a point that starts from a wrong side of a plate stays there.
static void test_plates_that_cross_stay_bounded(void **state)
{
    (void)state;
    const PalHapticPose touching = {{0.5, 0, 0.49}, {1, 0, 0, 0}},
                        away = {{0, 0, 20}, {1, 0, 0, 0}};
    Most most = {0};
    uint32_t seed = 7;
    for (int i = 0; i < 400; ++i)
        go(&touching, true, &most);
    double before = pal_vec3_length(pal_haptic_force(haptic).contact_force);
    assert_true(before > 0 && most.beyond == 0);
    for (int path = 0; path < 6; ++path) {
        PalHapticPose pose = any_pose(&seed);
        PalVec3 middle = pose.position, line = {number(&seed), number(&seed), number(&seed)};
        line = pal_vec3_normalise(line);
        for (int i = -250; i < 250; ++i) {
            pose.position = pal_vec3_add_scaled(middle, 0.018 * i, line);
            go(&pose, path % 2 == 0, &most);
        }
    }
    check_bounds(&most);
    check_recovered(before, &touching, &away);
}

// Poses that have nothing to do with each other, as of a device that is broken.
static void test_leaping_poses_stay_bounded(void **state)
{
    (void)state;
    const PalHapticPose touching = {{0.6, 0.13, 0.64}, {0.996, 0.087, 0, 0}},
                        away = {{0, 0, 20}, {1, 0, 0, 0}};
    Most most = {0};
    uint32_t seed = 11;
    pal_haptic_reset(haptic);
    for (int i = 0; i < 400; ++i)
        go(&touching, true, &most);
    double before = pal_vec3_length(pal_haptic_force(haptic).contact_force);
    for (int i = 0; i < 1000; ++i) {
        PalHapticPose pose = any_pose(&seed);
        go(&pose, i % 3 > 0, &most);
    }
    check_bounds(&most);
    check_recovered(before, &touching, &away);
}

// Where forces are cut, the force changes by a fiftieth of what is felt, or of the largest load
// that was learnt, and at once where nothing touches any more.
static void test_forces_that_are_cut_do_not_leap(void **state)
{
    (void)state;
    const PalHapticPose away = {{0, 0, 20}, {1, 0, 0, 0}};
    uint32_t seed = 5;
    Most most = {0};
    int cut = 0;
    for (int i = 0; i < 40; ++i) {
        PalHapticPose pose = any_pose(&seed);
        pal_haptic_reset(haptic);
        PalVec3 last = {0, 0, 0};
        for (int k = 0; k < 30; ++k) {
            go(&pose, true, &most);
            PalVec3 force = pal_haptic_force(haptic).contact_force;
            cut += haptic->force_passed;
            if (haptic->force_passed)
                assert_true(pal_vec3_distance(force, last) <=
                            0.0201 * fmax(pal_vec3_length(last), small.def.largest));
            last = force;
        }
        go(&away, true, &most);
        assert_true(pal_vec3_length(pal_haptic_force(haptic).contact_force) == 0);
    }
    assert_true(cut > 50);
}

// A shape whose energy was learnt, but not that all of it bends the plate.
static void test_modes_go_no_farther_than_was_learnt(void **state)
{
    (void)state;
    const PalHapticBody *body = &haptic->bodies[0];
    PalHapticShape *shape = &haptic->shapes[0];
    double most = haptic->limits[0].way;
    pal_haptic_reset(haptic);
    int32_t soft = 0, tip = 0;
    float widest = 0;
    for (int32_t n = 0; n < body->node_count; ++n)
        for (int32_t k = 0; k < body->mode_count; ++k) {
            float way = fabsf(body->rows[((int64_t)3 * n + 2) * body->stride + k]);
            if (way > widest) {
                widest = way;
                soft = k;
                tip = n;
            }
        }
    shape->q[soft] = 0.9 * haptic->limits[0].modes;
    assert_true((double)widest * shape->q[soft] > 1.5 * most);
    haptic->rows.row_count = 1;  // something holds it there
    pal_haptic_limit_modes(haptic, 0);
    assert_true(haptic->limits[0].passed && pal_haptic_is_beyond(haptic));
    assert_true((double)widest * shape->q[soft] < 1.1 * most);
    // nothing holds it: it comes back, even if its equations say otherwise
    haptic->rows.row_count = 0;
    for (int i = 0; i < 5; ++i) {
        pal_haptic_shape_moved(shape);
        double length = shape->q_length;
        shape->q[soft] *= 1.5;
        pal_haptic_limit_modes(haptic, 0);
        assert_true(fabs(shape->q[soft]) < 0.96 * length);
    }
    assert_true(pal_vec3_length(pal_haptic_displacement(haptic, 0, tip)) > 0);
    pal_haptic_reset(haptic);
    assert_false(pal_haptic_is_beyond(haptic));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_plates_that_cross_stay_bounded),
    cmocka_unit_test(test_leaping_poses_stay_bounded),
    cmocka_unit_test(test_forces_that_are_cut_do_not_leap),
    cmocka_unit_test(test_modes_go_no_farther_than_was_learnt),
};

CHECK_GROUP(tests, set_up, tear_down)
