// Contact of other kinds fits as rows: a schedule that sleeps, a response that does nothing, a
// surface whose vertices hang on several nodes.
#include "alone.h"
#include "sim/sim.h"

static const double step_length = 1e-4;

// Two balls, the second one to the right of the first.
static Touch two_balls(double gap, double speed)
{
    Touch t = touch_nothing(0.02);
    for (int b = 0; b < 2; ++b) {
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.5, 0.5, 0.5),
                                   (int32_t[]){b == 0 ? 7 : 9, 0, 0}, PAL_CELL_TETRAHEDRON,
                                   pal_vec3(b * (1 + gap), 0.02 * b, 0.03 * b)),
                       1000, 0.3, 10);
        t.bodies[b].velocity = pal_vec3(b == 0 ? speed : -speed, 0, 0);
    }
    touch_pair(&t, 0, 1, 0.1);
    t.sim.solver.step = step_length;
    return t;
}

// ---- when -------------------------------------------------------------------------------

typedef struct Sleeper {
    int32_t sleeps;  // steps to sleep through
    int32_t asked, looked;
} Sleeper;

static bool wakes(void *own, const PalSurfaceMotion *motion)
{
    Sleeper *sleeper = own;
    assert_true(motion->step > 0 && motion->velocity != NULL);
    return sleeper->asked++ >= sleeper->sleeps;
}

static void looked(void *own, const PalPushes *pushes)
{
    assert_true(pushes->step > 0);
    ++((Sleeper *)own)->looked;
}

static void keep(void *own)
{
    (void)own;  // the test's own
}

static const PalSchedule sleeping = {
    .choice = {"sleeping", "Sleeps for some steps."},
    .destroy = keep,
    .wakes = wakes,
    .looked = looked,
};

static uint64_t run_sleeping(double gap, double speed, int32_t steps, Sleeper *sleeper,
                             int32_t *most_contacts, int64_t *woken)
{
    Touch t = two_balls(gap, speed);
    touch_start(&t);
    if (sleeper != NULL) {
        t.run->solver->contact->schedule = &sleeping;
        t.run->solver->contact->schedule_own = sleeper;
    }
    PalError error = {0};
    for (int32_t i = 0; i < steps; ++i)
        check_ok(pal_sim_step(t.run, &error), &error);
    *most_contacts = pal_sim_contact_report(t.run).most_contacts;
    *woken = pal_sim_counters(t.run)->wakes;
    uint64_t hash = pal_sim_hash(t.run);
    touch_end(&t);
    return hash;
}

static void a_schedule_that_sleeps_lets_bodies_pass(void **state)
{
    (void)state;
    Sleeper sleeper = {.sleeps = 1000};
    int32_t contacts;
    int64_t woken;
    run_sleeping(0.01, 20, 30, &sleeper, &contacts, &woken);
    assert_int_equal(contacts, 0);
    assert_int_equal(woken, 0);
    assert_int_equal(sleeper.asked, 30);
    assert_int_equal(sleeper.looked, 0);
    run_sleeping(0.01, 20, 30, NULL, &contacts, &woken);
    assert_true(contacts > 0);
    assert_int_equal(woken, 30);
}

// Asleep as long as nothing can touch, and once in between: the same bits as without sleep.
static void what_wakes_in_time_misses_nothing(void **state)
{
    (void)state;
    Sleeper sleeper = {.sleeps = 15};
    int32_t contacts, others;
    int64_t woken;
    uint64_t slept = run_sleeping(0.08, 20, 60, &sleeper, &contacts, &woken);
    assert_int_equal(woken, 45);
    assert_int_equal(sleeper.looked, 45);
    uint64_t waking = run_sleeping(0.08, 20, 60, NULL, &others, &woken);
    assert_true(contacts > 0);
    assert_int_equal(contacts, others);
    assert_true(slept == waking);
}

static bool wakes_early_and_late(void *own, const PalSurfaceMotion *motion)
{
    (void)motion;
    int32_t asked = ((Sleeper *)own)->asked++;
    return asked < 3 || asked >= 15;  // skins touch in step 17
}

// What was known of candidates before a sleep is worth nothing after it.
static void candidates_are_looked_at_again_after_a_sleep(void **state)
{
    (void)state;
    PalSchedule twice = sleeping;
    twice.wakes = wakes_early_and_late;
    Touch t = two_balls(0.08, 20);
    Sleeper sleeper = {.sleeps = 0};
    touch_start(&t);
    t.run->solver->contact->schedule = &twice;
    t.run->solver->contact->schedule_own = &sleeper;
    PalError error = {0};
    for (int32_t i = 0; i < 60; ++i)
        check_ok(pal_sim_step(t.run, &error), &error);
    uint64_t slept = pal_sim_hash(t.run);
    assert_int_equal(pal_sim_intersections(t.run), 0);
    touch_end(&t);
    int32_t contacts;
    int64_t woken;
    assert_true(slept == run_sleeping(0.08, 20, 60, NULL, &contacts, &woken));
}

// ---- how hard ---------------------------------------------------------------------------

static int32_t responses;

static double no_reach(const PalContact *contact)
{
    return contact->separation;
}

static PalStatus respond(PalContact *contact, const PalContactStep *step, PalMeter *meter,
                         PalError *error)
{
    ++responses;
    return pal_search_update(contact->search, contact->surface, step->thread_count, meter, error);
}

static PalStatus nothing_to_create(PalContact *contact, PalError *error)
{
    (void)contact, (void)error;
    return PAL_OK;
}

static const PalResponse idle = {
    .choice = {"idle", "Does nothing."},
    .reach = no_reach,
    .create = nothing_to_create,
    .step = respond,
};

static void a_response_that_does_nothing_is_one_row(void **unused)
{
    (void)unused;
    Touch t = two_balls(0.01, 20);
    touch_start(&t);
    const PalModel *model = pal_sim_model(t.run);
    const PalState *state = pal_sim_state(t.run);
    PalContactSetup setup = {.def = &t.sim.contact, .response = &idle};
    PalContact *contact = NULL;
    PalMeter meter = {{0}, {0}};
    PalError error = {0};
    check_ok(pal_contact_create(&setup, model, state, &contact, &error), &error);
    PalContactStep step = {.step = 1e-3,
                           .gain = 1e-3,
                           .displacement = state->displacement,
                           .velocity = state->velocity,
                           .thread_count = 1};
    for (int i = 0; i < 3; ++i)
        check_ok(pal_contact_step(model, contact, &step, &meter, &error), &error);
    assert_int_equal(responses, 3);
    assert_int_equal(contact->changed_count, 0);
    assert_int_equal(contact->point_count, 0);
    assert_true(contact->search->pair_count > 0);
    assert_int_equal(meter.counters.wakes, 3);
    pal_contact_destroy(contact);
    touch_end(&t);
}

// ---- where from -------------------------------------------------------------------------

// A tetrahedron of points inside the first cell of a body: each hangs on all four corners.
static const double hanging[4][4] = {
    {0.7, 0.1, 0.1, 0.1}, {0.1, 0.7, 0.1, 0.1}, {0.1, 0.1, 0.7, 0.1}, {0.1, 0.1, 0.1, 0.7}};

static void count_points(const PalModel *model, int32_t index, int32_t *vertices, int32_t *facets)
{
    (void)model, (void)index;
    *vertices = *facets = 4;
}

static void fill_points(const PalModel *model, int32_t index, PalSurfaceFiller *filler)
{
    static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    const PalBody *body = &model->bodies[index];
    int32_t nodes[4], vertices[4];
    for (int k = 0; k < 4; ++k)
        nodes[k] = body->first_node + body->mesh->cells[k];
    for (int k = 0; k < 4; ++k) {
        vertices[k] = pal_filler_add_vertex(filler, nodes[k]);
        pal_filler_hang(filler, 4, nodes, hanging[k]);
    }
    for (int f = 0; f < 4; ++f)
        pal_filler_add_facet(filler, (int32_t[]){vertices[faces[f][0]], vertices[faces[f][1]],
                                                 vertices[faces[f][2]]});
}

static void place_point(const PalContactSurface *surface, int32_t object, int32_t vertex,
                        PalVec3 *start, PalVec3 *end)
{
    const PalSurfaceMotion *motion = &surface->motion;
    const PalBody *body = &motion->model->bodies[surface->objects[object].index];
    const double *weights = hanging[vertex - surface->object_first_vertex[object]];
    PalVec3 from = {0, 0, 0}, to = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        int32_t node = body->first_node + body->mesh->cells[k];
        PalVec3 at = motion->model->nodes[node];
        if (motion->displacement != NULL)
            at = pal_vec3_add(at, motion->displacement[node]);
        from = pal_vec3_add_scaled(from, weights[k], at);
        if (motion->velocity != NULL)
            at = pal_vec3_add_scaled(at, motion->step, motion->velocity[node]);
        to = pal_vec3_add_scaled(to, weights[k], at);
    }
    *start = from;
    *end = to;
}

static const PalSurfaceSource points = {
    .name = "points",
    .soft = true,
    .count = count_points,
    .fill = fill_points,
    .place = place_point,
};

// A bar, and above it a body of which only the points touch.
typedef struct Hanging {
    Alone alone;
    int32_t first;  // of the points
} Hanging;

static void hang(Hanging *s)
{
    PalError error = {0};
    Touch t = touch_nothing(1);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(2, 2, 0.5), (int32_t[]){4, 4, 1},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0.11, 0.07, 0)),
                   1000, 0.3, 10);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){1, 1, 1},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0.8)),
                   1000, 0.3, 25);
    touch_pair(&t, 0, 1, 0);
    alone_start(&s->alone, &t);
    const PalSurfaceObject objects[2] = {{&pal_source_soft, 0}, {&points, 1}};
    PalContactSetup setup = {.def = &s->alone.bodies.sim.contact};
    check_ok(pal_contact_surface_create_of(objects, 2, s->alone.model, &setup.surface, &error),
             &error);
    s->first = setup.surface->object_first_vertex[1];
    alone_touch(&s->alone, &setup);
}

// So fast that the lowest point would be below the top of the bar.
static void fall(Hanging *s)
{
    Alone *alone = &s->alone;
    PalContactSurface *surface = alone->contact->surface;
    double lowest = INFINITY;
    for (int32_t v = s->first; v < surface->vertex_count; ++v)
        lowest = fmin(lowest, surface->start[v].z);
    for (int32_t n = alone->model->bodies[1].first_node; n < alone->model->node_count; ++n)
        alone->velocity[n].z = -(lowest - 0.25 + 0.05);
    alone_step(alone, 1);
}

// The points of one body, hanging on its nodes by weights, fall on another body. Impulses go to the
// nodes, momentum stays, and the points do not pass.
static void vertices_may_hang_on_several_nodes(void **unused)
{
    (void)unused;
    Hanging s;
    hang(&s);
    PalContact *contact = s.alone.contact;
    PalContactSurface *surface = contact->surface;
    assert_int_equal(surface->vertex_count - s.first, 4);
    assert_int_equal(surface->node_carrier_count, s.alone.model->bodies[0].surface->node_count + 4);
    fall(&s);
    // what the nodes get adds up to nothing, and all nodes of the cell get some
    int32_t node_count, pushed = 0;
    const int32_t *carried = pal_contact_nodes(contact, &node_count);
    PalVec3 sum = {0, 0, 0};
    double upward = 0;
    for (int32_t i = 0; i < contact->changed_count; ++i) {
        int32_t c = contact->changed[i];
        assert_true(c < node_count);
        sum = pal_vec3_add(sum, contact->impulse[c]);
        if (carried[c] < s.alone.model->bodies[1].first_node)
            continue;
        upward += contact->impulse[c].z;
        pushed += contact->impulse[c].z > 0;
        PalVec3 *velocity = &s.alone.velocity[carried[c]];
        *velocity = pal_vec3_add_scaled(*velocity, contact->carriers.inverse_mass[c][0],
                                        contact->impulse[c]);
    }
    assert_int_equal(pushed, 4);
    check_near(pal_vec3_length(sum), 0, 1e-12 * upward);
    // with the velocities corrected, all points end where contact has put them
    for (int32_t v = s.first; v < surface->vertex_count; ++v) {
        PalVec3 start, end;
        place_point(surface, 1, v, &start, &end);
        check_near(pal_vec3_distance(end, surface->end[v]), 0, 1e-12);
    }
    alone_end(&s.alone);
}

static void published_responses_refuse_such_surfaces(void **unused)
{
    (void)unused;
    Touch t = two_balls(0.01, 0);
    touch_start(&t);
    const PalModel *model = pal_sim_model(t.run);
    const PalSurfaceObject objects[2] = {{&pal_source_soft, 0}, {&points, 1}};
    PalError error = {0};
    PalContactSetup setup = {.def = &t.sim.contact, .response = &pal_response_johnsen2015};
    PalContact *contact = NULL;
    check_ok(pal_contact_surface_create_of(objects, 2, model, &setup.surface, &error), &error);
    assert_false(setup.surface->plain);
    assert_int_equal(pal_contact_create(&setup, model, pal_sim_state(t.run), &contact, &error),
                     PAL_BAD_INPUT);
    assert_string_equal(error.text,
                        "response johnsen2015 does not push membranes, shells or attached bodies "
                        "such as \"body\", expected response: lagrange, and method explicit, "
                        "newmark or relaxation");
    assert_int_equal(error.object, 2);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_schedule_that_sleeps_lets_bodies_pass),
    cmocka_unit_test(what_wakes_in_time_misses_nothing),
    cmocka_unit_test(candidates_are_looked_at_again_after_a_sleep),
    cmocka_unit_test(a_response_that_does_nothing_is_one_row),
    cmocka_unit_test(vertices_may_hang_on_several_nodes),
    cmocka_unit_test(published_responses_refuse_such_surfaces),
};
CHECK_GROUP(tests, NULL, NULL)
