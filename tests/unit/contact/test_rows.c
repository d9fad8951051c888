// Which rows a step of the lagrange response has, and what they start with.
#include "alone.h"
#include "contact/response/lagrange/lagrange.h"

static const double STEP = 1e-3;

// Takes over the bodies.
static void begin(Alone *s, const Touch *bodies, double friction)
{
    PalContactDef choices = pal_contact_def_default();
    alone_start(s, bodies);
    alone_touch_pair(s, &choices, friction);
}

// A cube, its lower face at this height, on rigid ground whose facets meet at x = 0.
static Touch cube_on_ground(PalVec3 at)
{
    Touch t = touch_nothing(1);
    at.z += 0.25;
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(0.5, 0.5, 0.5), (int32_t[]){1, 1, 1},
                               PAL_CELL_TETRAHEDRON, at),
                   1, 0.3, 1);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(4, 4, 1), (int32_t[]){4, 4, 1},
                                    PAL_CELL_TRIANGLE, pal_vec3(0, 0, -0.5)));
    return t;
}

// Near the ground vertices slow down in proportion to their gap, and come to rest at none.
static void approach_slows_down_before_touching(void **state)
{
    (void)state;
    Alone s;
    Touch probe = cube_on_ground(pal_vec3(0.3, 0.2, 0.1));
    begin(&s, &probe, 0);
    double separation = s.contact->separation, distance = s.contact->rate_distance;
    alone_end(&s);
    for (int i = 1; i < 10; ++i) {
        double share = 0.1 * i, speed = 0.05 * distance / STEP;
        Touch cube = cube_on_ground(pal_vec3(0.3, 0.2, separation + share * distance));
        begin(&s, &cube, 0);
        for (int32_t n = 0; n < s.model->node_count; ++n)
            s.velocity[n] = pal_vec3(0, 0, -speed);
        alone_step(&s, STEP);
        int braked = 0;
        for (int32_t v = 0; v < s.contact->surface->soft_vertex_count; ++v) {
            int32_t node = s.contact->surface->vertex_node[v];
            if (s.model->nodes[node].z > 0.25)
                continue;
            double after = -speed + s.contact->impulse[v].z / s.model->mass[node];
            check_near(after, -share * speed, 2e-4 * separation / STEP);  // solved so far
            ++braked;
        }
        assert_int_equal(braked, 4);
        alone_end(&s);
    }
}

// Too near but not yet touching, vertices win back a tenth of what is missing in each step.
static void a_lost_separation_is_won_back(void **state)
{
    (void)state;
    Alone s;
    Touch cube = cube_on_ground(pal_vec3(0.3, 0.2, 0.1));
    begin(&s, &cube, 0);
    double separation = s.contact->separation;
    for (int32_t n = 0; n < s.model->node_count; ++n)
        s.displacement[n].z = 0.6 * separation - 0.1;
    alone_step(&s, STEP);
    for (int32_t v = 0; v < s.contact->surface->soft_vertex_count; ++v) {
        int32_t node = s.contact->surface->vertex_node[v];
        double after = s.contact->impulse[v].z / s.model->mass[node];
        bool low = s.model->nodes[node].z < 0.25;
        check_near(after, low ? 0.1 * 0.4 * separation / STEP : 0, 1e-3 * separation / STEP);
    }
    alone_end(&s);
}

// The impulse of friction and the normal one that a vertex's candidates carry.
static PalVec3 carried(const PalLagrange *lagrange, int32_t vertex, double *normal)
{
    PalVec3 drag = {0, 0, 0};
    *normal = 0;
    for (int32_t i = 0; i < lagrange->awake_count; ++i) {
        const PalCandidate *candidate = &lagrange->now.items[lagrange->awake[i]];
        if (candidate->features.kind == PAL_CONTACT_NODE_FACET &&
            candidate->features.items[0] == vertex) {
            *normal += candidate->impulse;
            drag = pal_vec3_add(drag, candidate->drag);
        }
    }
    return drag;
}

// The same of its rows.
static PalVec3 started(const PalLagrange *lagrange, int32_t vertex, double *normal, int32_t *facet)
{
    PalVec3 drag = {0, 0, 0};
    *normal = 0;
    for (int32_t r = 0; r < lagrange->rows.count; ++r) {
        const PalRow *row = &lagrange->rows.items[r];
        const PalFeatures *features = &lagrange->now.items[row->source].features;
        if (features->kind == PAL_CONTACT_NODE_FACET && features->items[0] == vertex) {
            *normal += row->impulse;
            *facet = features->items[1];
            drag = pal_vec3_add(drag, pal_vec3(row->drag[0], row->drag[1], row->drag[2]));
        }
    }
    return drag;
}

// A cube has come down on the ground, sliding, with two vertices close to the edge at x = 0.
static void begin_sliding(Alone *s)
{
    Touch probe = cube_on_ground(pal_vec3(0.3, 0.2, 0.1));
    begin(s, &probe, 0.4);
    double separation = s->contact->separation;
    alone_end(s);
    Touch cube = cube_on_ground(pal_vec3(0.248, 0.13, separation));
    begin(s, &cube, 0.4);
    for (int32_t n = 0; n < s->model->node_count; ++n)
        s->velocity[n] = pal_vec3(0.5, 0.1, -1);
    alone_step(s, STEP);
}

// A list that is made anew has the same candidates carry the same.
static void known_candidates_keep_what_they_carry(void **state)
{
    (void)state;
    Alone s;
    begin_sliding(&s);
    PalLagrange *lagrange = s.contact->own;
    PalError error = {0};
    PalVec3 drag[8];
    double normal[8];
    for (int32_t v = 0; v < 8; ++v)
        drag[v] = carried(lagrange, v, &normal[v]);
    lagrange->generation = PAL_NONE;
    check_ok(pal_candidates_update(s.contact, lagrange, &error), &error);
    int carrying = 0;
    for (int32_t v = 0; v < 8; ++v) {
        double now;
        check_near(pal_vec3_distance(carried(lagrange, v, &now), drag[v]), 0, 0);
        check_near(now, normal[v], 0);
        carrying += pal_vec3_length(drag[v]) > 0;
    }
    assert_int_equal(carrying, 4);
    alone_end(&s);
}

// A vertex that slides over the edge of two facets takes along what it carried.
static void impulses_go_along_to_the_next_facet(void **state)
{
    (void)state;
    Alone s;
    begin_sliding(&s);
    PalLagrange *lagrange = s.contact->own;
    PalContactSurface *surface = s.contact->surface;
    PalVec3 drag[8];
    double normal[8];
    int32_t facet[8], moved = 0;
    PalContactStep next = alone_step_of(&s, STEP);
    pal_lagrange_evaluate(s.contact, lagrange, &next, &s.meter);
    for (int32_t v = 0; v < 8; ++v) {
        double same;
        drag[v] = carried(lagrange, v, &normal[v]);
        started(lagrange, v, &same, &facet[v]);
        check_near(same, normal[v], 1e-15);
    }
    for (int32_t v = 0; v < 8; ++v)  // over the edge at x = 0
        surface->start[v] = pal_vec3_add(surface->start[v], pal_vec3(0.004, 0, 0));
    pal_lagrange_evaluate(s.contact, lagrange, &next, &s.meter);
    for (int32_t v = 0; v < 8; ++v) {
        double now;
        int32_t on = PAL_NONE;
        PalVec3 rub = started(lagrange, v, &now, &on);
        if (!(normal[v] > 0))
            continue;
        moved += on != facet[v];
        assert_true(pal_vec3_length(drag[v]) > 0.1 * normal[v]);
        check_near(now, normal[v], 1e-12 * normal[v]);
        check_near(pal_vec3_distance(rub, drag[v]), 0, 1e-12 * normal[v]);
    }
    assert_int_equal(moved, 2);
    alone_end(&s);
}

// A cube comes down beside the ground, past its rim and below it: nothing is in its way.
static void what_passes_by_is_not_pushed(void **state)
{
    (void)state;
    for (int i = 0; i < 20; ++i) {
        Alone s;
        double height = 0.02 + 0.004 * i;
        Touch cube = cube_on_ground(pal_vec3(2.24, 0.2, height));
        begin(&s, &cube, 0.4);
        for (int32_t n = 0; n < s.model->node_count; ++n)
            s.velocity[n] = pal_vec3(0.2 / STEP, 0, -1.5 * height / STEP);
        alone_step(&s, STEP);
        for (int32_t v = 0; v < s.contact->surface->soft_vertex_count; ++v)
            check_near(pal_vec3_length(s.contact->impulse[v]), 0, 0);
        assert_int_equal(s.contact->point_count, 0);
        alone_end(&s);
    }
}

// What has come far too near is not stopped for that, but slides on and wins back its separation.
static void what_is_too_near_may_slide(void **state)
{
    (void)state;
    Alone s;
    Touch cube = cube_on_ground(pal_vec3(0.3, 0.2, 0.1));
    begin(&s, &cube, 0);
    for (int32_t n = 0; n < s.model->node_count; ++n) {
        s.displacement[n].z = 0.1 * s.contact->separation - 0.1;
        s.velocity[n] = pal_vec3(1, 0.3, 0);
    }
    alone_step(&s, STEP);
    assert_int_equal(s.contact->report.rescues, 0);
    assert_int_equal(s.contact->report.hits, 0);
    for (int32_t v = 0; v < s.contact->surface->soft_vertex_count; ++v) {
        check_near(s.contact->impulse[v].x, 0, 1e-12);
        check_near(s.contact->impulse[v].y, 0, 1e-12);
    }
    alone_end(&s);
}

// Points tell whether friction holds: it does while it can stop the cube.
static void points_tell_whether_they_slip(void **state)
{
    (void)state;
    for (int slips = 0; slips < 2; ++slips) {
        Alone s;
        Touch probe = cube_on_ground(pal_vec3(0.3, 0.2, 0.1));
        begin(&s, &probe, 0.4);
        double separation = s.contact->separation;
        alone_end(&s);
        Touch cube = cube_on_ground(pal_vec3(0.3, 0.2, separation));
        begin(&s, &cube, 0.4);
        for (int32_t n = 0; n < s.model->node_count; ++n)
            s.velocity[n] = pal_vec3(slips ? 0.8 : 0.2, 0, -1);
        alone_step(&s, STEP);
        assert_true(s.contact->point_count >= 4);
        for (int32_t i = 0; i < s.contact->point_count; ++i)
            assert_int_equal(s.contact->points[i].slips, slips);
        alone_end(&s);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(approach_slows_down_before_touching),
    cmocka_unit_test(a_lost_separation_is_won_back),
    cmocka_unit_test(what_is_too_near_may_slide),
    cmocka_unit_test(what_passes_by_is_not_pushed),
    cmocka_unit_test(points_tell_whether_they_slip),
    cmocka_unit_test(impulses_go_along_to_the_next_facet),
    cmocka_unit_test(known_candidates_keep_what_they_carry),
};
CHECK_GROUP(tests, NULL, NULL)
