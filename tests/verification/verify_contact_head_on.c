// Balls that meet head-on go straight back, whether corner meets corner or face meets face: normals
// of smooth surfaces do not turn over the width of the separation.
#include "touch.h"

typedef struct Motion {
    PalVec3 velocity, moment;  // of the centre; about the origin
} Motion;

static Motion motion_of(const PalSim *sim, int32_t b)
{
    const PalModel *model = pal_sim_model(sim);
    const PalState *state = pal_sim_state(sim);
    const PalBody *body = &model->bodies[b];
    Motion motion = {{0, 0, 0}, {0, 0, 0}};
    for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n) {
        PalVec3 place = pal_vec3_add(model->nodes[n], state->displacement[n]);
        PalVec3 momentum = pal_vec3_scale(model->mass[n], state->velocity[n]);
        motion.velocity = pal_vec3_add_scaled(motion.velocity, 1 / body->mass, momentum);
        motion.moment = pal_vec3_add(motion.moment, pal_vec3_cross(place, momentum));
    }
    return motion;
}

static void add_ball(Touch *t, int32_t cells, PalVec3 at, double speed)
{
    int32_t b = touch_add_mesh(t,
                               touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.5, 0.5, 0.5),
                                           (int32_t[]){cells, 0, 0}, PAL_CELL_TETRAHEDRON, at),
                               1000, 0.3, 1);
    t->bodies[b].velocity = pal_vec3(speed, 0, 0);
}

static double sideways(PalVec3 velocity)
{
    return hypot(velocity.y, velocity.z);
}

static Motion meet(int32_t cells, double friction, double aside, Motion *other)
{
    Touch t = touch_nothing(0.4);
    add_ball(&t, cells, pal_vec3(-0.51, 0, 0), 1);
    add_ball(&t, cells, pal_vec3(0.51, aside, 0), -1);
    touch_pair(&t, 0, 1, friction);
    touch_start(&t);
    touch_advance(&t, 0.4);
    assert_int_equal(pal_sim_intersections(t.run), 0);
    assert_int_equal(pal_sim_contact_report(t.run).rescues, 0);
    *other = motion_of(t.run, 1);
    Motion motion = motion_of(t.run, 0);
    touch_end(&t);
    return motion;
}

static void test_head_on(void **state)
{
    (void)state;
    static const int32_t cells[] = {4, 5, 6, 7, 8};
    for (int i = 0; i < 10; ++i) {
        Motion other, one = meet(cells[i / 2], i % 2 == 0 ? 0 : 0.3, 0, &other);
        print_message("%d cells, friction %g: back with %.4f, sideways with %.1e\n", cells[i / 2],
                      i % 2 == 0 ? 0 : 0.3, -one.velocity.x, sideways(one.velocity));
        assert_true(sideways(one.velocity) < 1e-4);
        assert_true(one.velocity.x < -0.97);
        assert_true(pal_vec3_length(pal_vec3_add(one.velocity, other.velocity)) < 1e-13);
        if (i % 2 == 0)
            assert_true(pal_vec3_length(pal_vec3_add(one.moment, other.moment)) < 1e-14);
    }
}

// A little aside: they part along the line of their centres, 0.001 to 1.
static void test_aside(void **state)
{
    (void)state;
    for (int32_t cells = 6; cells <= 8; cells += 2) {
        Motion other, one = meet(cells, 0, 1e-3, &other);
        print_message("%d cells, a thousandth aside: sideways with %.2e, balls with %.2e\n", cells,
                      sideways(one.velocity), 2e-3);
        assert_true(fabs(one.velocity.y + 2e-3) < 2e-4);  // balls do not mind which facets meet
        assert_true(fabs(one.velocity.z) < 2e-4);
    }
}

// Newton's cradle: what the first one has, the last one gets.
static void test_cradle(void **state)
{
    (void)state;
    Touch t = touch_nothing(6);
    for (int b = 0; b < 5; ++b)
        add_ball(&t, 6, pal_vec3(1.02 * b, 0, 0), b == 0 ? 0.1 : 0);
    for (int b = 0; b < 4; ++b)
        touch_pair(&t, b, b + 1, 0);
    touch_start(&t);
    touch_advance(&t, 6);
    Motion last = motion_of(t.run, 4);
    print_message("cradle: 0.1 arrives as %.4f\n", last.velocity.x);
    assert_true(last.velocity.x > 0.0998 && last.velocity.x < 0.1002);
    assert_true(sideways(last.velocity) < 1e-4);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_head_on), cmocka_unit_test(test_aside), cmocka_unit_test(test_cradle)};
CHECK_GROUP(tests, NULL, NULL)
