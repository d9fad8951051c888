// A vertex in the skins of two other objects at once is pushed once by each: where it is deepest.
#include "contact/contact.h"
#include "contact/response/lagrange/lagrange.h"
#include "sim/sim.h"
#include "touch.h"

static const double RADIUS = 0.5;

static int32_t add_ball(Touch *t, PalVec3 at, PalVec3 velocity)
{
    PalMesh *ball = touch_shape(PAL_SHAPE_SPHERE, pal_vec3(RADIUS, RADIUS, RADIUS),
                                (int32_t[]){6, 0, 0}, PAL_CELL_TETRAHEDRON, at);
    int32_t b = touch_add_mesh(t, ball, 1000, 0.3, 1);
    t->bodies[b].velocity = velocity;
    return b;
}

// Two balls that take no notice of each other come to a third from nearly the same side.
static Touch three_balls(void)
{
    Touch t = touch_nothing(1);
    const double away = 2 * RADIUS + 0.04, aside = 0.06;
    add_ball(&t, pal_vec3(0, 0, 0), pal_vec3(0, 0, 0));
    add_ball(&t, pal_vec3(away, aside, 0.01), pal_vec3(-0.5, 0, 0));
    add_ball(&t, pal_vec3(away, -aside, 0), pal_vec3(-0.5, 0, 0));
    touch_pair(&t, 0, 1, 0);
    touch_pair(&t, 0, 2, 0);
    touch_start(&t);
    return t;
}

// What the skin of one object does to a vertex: how many of its rows push, how deep the last of
// these is, and how deep any of its rows is.
typedef struct Pushes {
    int pushing;
    double pushed_height, least_height;
} Pushes;

static Pushes look(const PalContact *contact, int32_t vertex, int32_t object)
{
    const PalLagrange *lagrange = contact->own;
    Pushes pushes = {.pushed_height = INFINITY, .least_height = INFINITY};
    for (int32_t r = 0; r < lagrange->rows.count; ++r) {
        const PalGap *gap = &lagrange->gaps.items[r];
        if (gap->vertices[0] != vertex || !(gap->skin > 0) ||
            contact->surface->vertex_object[gap->vertices[1]] != object)
            continue;
        double height = gap->along - gap->skin;
        pushes.least_height = fmin(pushes.least_height, height);
        if (lagrange->rows.items[r].floor > 0) {
            ++pushes.pushing;
            pushes.pushed_height = height;
        }
    }
    return pushes;
}

static void each_skin_pushes_once(void **state)
{
    (void)state;
    Touch t = three_balls();
    PalError error = {0};
    const PalContact *contact = t.run->solver->contact;
    int both = 0;
    for (int i = 0; i < 400 && both < 20; ++i) {
        check_ok(pal_sim_step(t.run, &error), &error);
        for (int32_t v = 0; v < contact->surface->object_first_vertex[1]; ++v) {
            Pushes of[2] = {look(contact, v, 1), look(contact, v, 2)};
            for (int k = 0; k < 2; ++k) {
                assert_true(of[k].pushing <= 1);
                if (of[k].pushing == 1)
                    check_near(of[k].pushed_height, of[k].least_height, 0);
            }
            both += of[0].pushing == 1 && of[1].pushing == 1;
        }
    }
    assert_true(both >= 20);  // it does occur
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_skin_pushes_once),
};
CHECK_GROUP(tests, NULL, NULL)
