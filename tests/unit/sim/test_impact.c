// Times of impact that are known.
#include "touch.h"
#include <palpate/impact.h>

static PalImpacts find(Touch *t, bool all)
{
    PalImpacts impacts;
    PalError error = {0};
    PalImpactOptions options = {.all = all};
    touch_connect(t);
    check_ok(pal_impacts_find(&t->sim, &options, &impacts, &error), &error);
    return impacts;
}

static void check_vector(PalVec3 actual, double x, double y, double z, double tolerance)
{
    check_near(actual.x, x, tolerance);
    check_near(actual.y, y, tolerance);
    check_near(actual.z, z, tolerance);
}

static int32_t add_ball(Touch *t, double x, int32_t cells, double speed)
{
    int32_t b =
        touch_add_mesh(t,
                       touch_shape(PAL_SHAPE_SPHERE, pal_vec3(1, 1, 1), (int32_t[]){cells, 0, 0},
                                   PAL_CELL_TETRAHEDRON, pal_vec3(x, 0, 0)),
                       2, 0.3, 2);
    t->bodies[b].velocity = pal_vec3(speed, 0, 50 * sqrt(3));
    return b;
}

// Each is a lower bound of the time of impact, and later than the one before.
static void check_predictions(const PalImpacts *impacts, double least)
{
    for (int32_t i = 0; i < impacts->prediction_count; ++i) {
        if (!(impacts->predictions[i] > least && impacts->predictions[i] <= impacts->items[0].time))
            fail_msg("prediction %d is %.12g", (int)i, impacts->predictions[i]);
        least = impacts->predictions[i];
    }
}

// Two balls thrown at each other, 1500 apart: published as 14.98, with nodes on the line of
// centres.
static void thrown_balls(void **state)
{
    (void)state;
    Touch t = touch_nothing(15.5);
    add_ball(&t, 0, 6, 50);
    add_ball(&t, 1500, 6, -50);
    touch_gravity(&t, pal_vec3(0, 0, -9.81));
    touch_pair(&t, 0, 1, 0);
    t.sim.solver.step = 0.05;
    PalImpacts impacts = find(&t, false);
    assert_int_equal(impacts.count, 1);
    check_near(impacts.items[0].time, 14.98, 1e-9);
    check_vector(impacts.items[0].place, 750, 0, 50 * sqrt(3) * 14.98 - 9.81 * 14.98 * 14.98 / 2,
                 1e-6);
    check_vector(impacts.items[0].normal, -1, 0, 0, 1e-9);
    check_vector(impacts.items[0].relative_velocity, 100, 0, 0, 1e-9);
    assert_int_equal(impacts.items[0].objects[0], 0);
    assert_int_equal(impacts.items[0].objects[1], 1);
    assert_int_equal(impacts.items[0].kind, PAL_CONTACT_NODE_FACET);
    check_predictions(&impacts, 14.9);
    assert_true(impacts.prediction_count >= 3);
    check_near(impacts.predictions[impacts.prediction_count - 1], 14.98, 1e-9);
    assert_true(impacts.wakes <= 8 && impacts.steps == 300);
    pal_impacts_clear(&impacts);
    // turned, no node is on the line: later, by what the facets lack
    touch_turn(t.meshes[0], pal_vec3(0.3, 1, 0.2), 0.4);
    impacts = find(&t, false);
    assert_int_equal(impacts.count, 1);
    assert_true(impacts.items[0].time > 14.98 && impacts.items[0].time < 14.981);
    pal_impacts_clear(&impacts);
    touch_end(&t);
}

// A ball accelerates toward a wall: s = v t + a t^2 / 2, whatever the step.
static void an_accelerating_ball(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        Touch t = touch_nothing(3);
        int32_t r =
            touch_add_free(&t,
                           touch_shape(PAL_SHAPE_SPHERE, pal_vec3(1, 1, 1), (int32_t[]){6, 0, 0},
                                       PAL_CELL_TRIANGLE, pal_vec3(0, 0, 10)),
                           1);
        touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(9, 9, 1), (int32_t[]){2, 2, 1},
                                        PAL_CELL_TRIANGLE, pal_vec3(0.1, 0.2, -0.5)));
        t.rigids[r].velocity = pal_vec3(0, 0, -2);
        touch_gravity(&t, pal_vec3(0, 0, -10));
        touch_pair(&t, 0, 1, 0);
        t.sim.solver.step = k == 0 ? 0.1 : k == 1 ? 0.013 : 0.001;
        PalImpacts impacts = find(&t, false);
        assert_int_equal(impacts.count, 1);
        check_near(impacts.items[0].time, (-2 + sqrt(4 + 180)) / 10, 1e-9);  // 9 to fall
        check_vector(impacts.items[0].normal, 0, 0, 1, 1e-9);
        check_near(impacts.items[0].relative_velocity.z, -sqrt(184), 1e-8);
        pal_impacts_clear(&impacts);
        touch_end(&t);
    }
}

// A bar turns about its middle and strikes a bar across its way with its edge: after the angle at
// which its corner is as high as the other bar.
static void a_turning_bar(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        Touch t = touch_nothing(2);
        int32_t bar =
            touch_add_free(&t,
                           touch_shape(PAL_SHAPE_BOX, pal_vec3(2, 0.02, 0.02), (int32_t[]){6, 1, 1},
                                       PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0)),
                           1);
        int32_t post = touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(0.02, 0.5, 0.02),
                                                       (int32_t[]){1, 3, 1}, PAL_CELL_TRIANGLE,
                                                       pal_vec3(0.8, 0.01, 0.41)));
        t.rigids[bar].spin = pal_vec3(0, -1.5, 0);
        touch_pair(&t, bar, post, 0);
        t.sim.solver.step = k == 0 ? 0.1 : k == 1 ? 0.01 : 0.001;
        PalImpacts impacts = find(&t, false);
        assert_int_equal(impacts.count, 1);
        // its upper face (z = 0.01 in its own frame) comes to the post's lower edge (0.81, 0.4) or
        // (0.79, 0.4): -x sin + z cos = 0.01 at the first of these
        double first = INFINITY;
        for (int c = 0; c < 2; ++c) {
            double x = c == 0 ? 0.81 : 0.79, z = 0.4;
            first = fmin(first, atan2(z, x) - asin(0.01 / hypot(x, z)));
        }
        check_near(impacts.items[0].time, first / 1.5,
                   k < 2 ? 2e-6 : 1e-7);  // turning is integrated
        assert_int_equal(impacts.items[0].kind, PAL_CONTACT_EDGE_EDGE);
        // the post presses on its upper face, at the edge, which goes round its middle
        PalVec3 place = impacts.items[0].place;
        check_near(place.x, 0.81, 1e-5);
        check_near(place.z, 0.4, 1e-5);
        check_vector(impacts.items[0].normal, sin(first), 0, -cos(first), 1e-5);
        check_vector(impacts.items[0].relative_velocity, -1.5 * place.z, 0, 1.5 * place.x, 2e-3);
        pal_impacts_clear(&impacts);
        touch_end(&t);
    }
}

// The tip of a bar comes near enough only in the middle of a step, on its arc: at both ends of the
// step, and on the straight way between them, it is too far.
static void a_tip_that_grazes(void **state)
{
    (void)state;
    Touch t = touch_nothing(2);
    const double turn = 0.1, step = 0.05, thick = 0.5;
    int32_t bar =
        touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(2, 0.5, 0.2), (int32_t[]){1, 1, 1},
                                        PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0)));
    double arm = hypot(1, 0.1), bulge = arm * (1 - cos(turn / 2));
    // the corner at the angle atan(0.1) points straight up halfway through the sixth step
    double first = 2 * atan(1) - atan(0.1) - 5.5 * turn;
    touch_turn(t.rigid_meshes[bar], pal_vec3(0, -1, 0), first);
    t.rigids[bar].motion.axis = pal_vec3(0, -1, 0);
    t.rigids[bar].motion.radians = turn / step * 0.6;
    t.rigids[bar].motion.ramp.kind = PAL_RAMP_LINEAR;
    t.rigids[bar].motion.ramp.until = 0.6;
    int32_t plate = touch_add_free(&t,
                                   touch_shape(PAL_SHAPE_BOX, pal_vec3(4, 1, thick),
                                               (int32_t[]){1, 1, 1}, PAL_CELL_TRIANGLE,
                                               pal_vec3(0, 0, arm - 0.3 * bulge + thick / 2)),
                                   1);
    touch_pair(&t, bar, plate, 0);
    t.sim.solver.step = step;
    t.sim.solver.time = 0.6;
    PalImpacts impacts = find(&t, false);
    assert_int_equal(impacts.count, 1);
    double angle = acos(1 - 0.3 * bulge / arm);
    check_near(impacts.items[0].time, 5.5 * step - angle / turn * step, 1e-4);
    pal_impacts_clear(&impacts);
    touch_end(&t);
}

// A bar that is bent strongly, but does not come round to itself: neighbours have not met.
static void a_bent_body(void **state)
{
    (void)state;
    Touch t = touch_nothing(0.4);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 0.2, 0.1), (int32_t[]){8, 2, 1},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)),
                   1e4, 0.3, 1000);
    for (int side = 0; side < 2; ++side) {
        PalConditionDef *turn = touch_side(&t, 0, PAL_CONDITION_DISPLACE, 0, side == 1);
        for (int i = 0; i < 3; ++i)
            turn->axes[i] = true;
        turn->value = pal_vec3(side == 1 ? -0.2 : 0.2, 0, 0.1);
        turn->ramp.kind = PAL_RAMP_SMOOTH;
        turn->ramp.until = 0.3;
    }
    t.sim.contact.every_self = true;
    PalImpacts impacts = find(&t, false);
    assert_int_equal(impacts.count, 0);
    assert_true(impacts.wakes > 0);
    pal_impacts_clear(&impacts);
    touch_end(&t);
}

// An instrument that is told its way meets a soft block at rest, when its ramp says so.
static void an_instrument(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){3, 3, 3},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)),
                   1000, 0.3, 10);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(0.3, 0.3, 0.3), (int32_t[]){1, 1, 1},
                                    PAL_CELL_TRIANGLE, pal_vec3(0.07, 0.05, 1.65)));
    t.rigids[0].motion.translation = pal_vec3(0, 0, -2);
    t.rigids[0].motion.ramp.kind = PAL_RAMP_SMOOTH;
    touch_pair(&t, 0, 1, 0);
    PalImpacts impacts = find(&t, true);
    assert_true(impacts.count >= 1);
    PalRamp ramp = {.kind = PAL_RAMP_SMOOTH, .until = 1};
    check_near(pal_ramp_value(&ramp, impacts.items[0].time), 0.5, 1e-9);  // 1 of 2 to go
    check_vector(impacts.items[0].normal, 0, 0, -1, 1e-9);
    pal_impacts_clear(&impacts);
    touch_end(&t);
}

// The first of three meets the second, and is thrown back: the second meets the third later.
static void every_pair(void **state)
{
    (void)state;
    Touch t = touch_nothing(2);
    for (int k = 0; k < 3; ++k) {
        int32_t r =
            touch_add_free(&t,
                           touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){2, 2, 2},
                                       PAL_CELL_TRIANGLE, pal_vec3(2 * k, 0.01 * k, 0.02 * k)),
                           1);
        t.rigids[r].velocity = pal_vec3(k == 0 ? 3 : 0, 0, 0);
    }
    t.sim.contact.every_pair = true;
    t.sim.solver.step = 0.01;
    PalImpacts impacts = find(&t, true);
    assert_int_equal(impacts.count, 2);
    check_near(impacts.items[0].time, 1 / 3.0, 1e-9);
    assert_int_equal(impacts.items[1].objects[0], 1);
    assert_int_equal(impacts.items[1].objects[1], 2);
    check_near(impacts.items[1].time, 1 / 3.0 + 1 / 1.5, 0.05);  // they go on together
    pal_impacts_clear(&impacts);
    touch_end(&t);
}

static bool stop_at_once(void *context, double time, double end_time)
{
    (void)context;
    assert_true(time > 0 && end_time == 1);
    return false;
}

static void what_does_not_meet(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    for (int k = 0; k < 2; ++k)
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){1, 1, 1},
                                   PAL_CELL_TETRAHEDRON, pal_vec3(3 * k, 0, 0)),
                       1000, 0.3, 10);
    touch_connect(&t);
    PalError error = {0};
    PalImpacts impacts;
    assert_int_equal(pal_impacts_find(&t.sim, NULL, &impacts, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "nothing can touch"));
    touch_pair(&t, 0, 1, 0);
    impacts = find(&t, true);
    assert_int_equal(impacts.count, 0);
    assert_int_equal(impacts.wakes, 0);
    check_near(impacts.end_time, 1, 1e-12);
    pal_impacts_clear(&impacts);
    PalImpactOptions options = {.progress = stop_at_once};
    error = (PalError){0};
    assert_int_equal(pal_impacts_find(&t.sim, &options, &impacts, &error), PAL_INTERRUPTED);
    pal_impacts_clear(&impacts);
    t.sim.solver.method = PAL_METHOD_RELAXATION;
    error = (PalError){0};
    assert_int_equal(pal_impacts_find(&t.sim, NULL, &impacts, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "relaxation"));
    t.sim.solver.method = PAL_METHOD_EXPLICIT;
    for (int32_t n = 0; n < t.meshes[1]->node_count; ++n)
        t.meshes[1]->nodes[n].x -= 2.4;
    error = (PalError){0};
    assert_int_equal(pal_impacts_find(&t.sim, NULL, &impacts, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "overlap at the start"));
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(thrown_balls),      cmocka_unit_test(an_accelerating_ball),
    cmocka_unit_test(a_tip_that_grazes), cmocka_unit_test(a_bent_body),
    cmocka_unit_test(a_turning_bar),     cmocka_unit_test(an_instrument),
    cmocka_unit_test(every_pair),        cmocka_unit_test(what_does_not_meet),
};

CHECK_GROUP(tests, NULL, NULL)
