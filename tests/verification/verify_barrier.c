// Contact of implicit methods: nothing crosses in any step, pressure passes evenly, friction is
// Coulomb's, and neither stiffness nor threads matter.   docs/theory/barrier.md
#include "touch.h"

static void go_on(Touch *t)
{
    PalError error = {0};
    while (!pal_sim_finished(t->run)) {
        check_ok(pal_sim_step(t->run, &error), &error);
        assert_int_equal(pal_sim_intersections(t->run), 0);
    }
}

static Touch begin(PalMethod method)
{
    Touch t = touch_nothing(1);
    t.sim.solver.method = method;
    t.sim.contact.response = PAL_RESPONSE_BARRIER;
    return t;
}

static PalRamp to_the_end(void)
{
    return (PalRamp){.kind = PAL_RAMP_LINEAR, .until = 1};
}

// A wedge, edge first, into a block.
static Touch wedge(double stiffness, int32_t threads)
{
    Touch t = begin(PAL_METHOD_IMPLICIT_STATIC);
    PalMesh *edge = touch_shape(PAL_SHAPE_BOX, pal_vec3(0.4, 0.9, 0.4), (int32_t[]){1, 1, 1},
                                PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0));
    t.sim.contact.stiffness = stiffness;
    t.sim.solver.thread_count = threads;
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.5), (int32_t[]){6, 6, 3},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0.25)),
                   1e4, 0.3, 1000);
    touch_turn(edge, pal_vec3(0, 1, 0), 0.785398163397448);
    for (int32_t n = 0; n < edge->node_count; ++n)
        edge->nodes[n] = pal_vec3_add(edge->nodes[n], pal_vec3(0.01, 0.02, 0.79));
    touch_add_rigid(&t, edge);
    t.rigids[0].motion.translation = pal_vec3(0, 0, -0.12);
    t.rigids[0].motion.ramp = to_the_end();
    touch_side(&t, 0, PAL_CONDITION_FIX, 2, false);
    touch_pair(&t, 0, 1, 0.2);
    return t;
}

static double force_of(Touch *t, int32_t a, int32_t b, int axis)
{
    PalVec3 force = pal_sim_contact_force(t->run, a, b);
    return (&force.x)[axis];
}

// A ball into a block, without friction.
static void stiffness_does_not_matter(void **state)
{
    (void)state;
    double force[3];
    const double factor[3] = {0.03, 1, 30};
    for (int k = 0; k < 3; ++k) {
        Touch t = begin(PAL_METHOD_IMPLICIT_STATIC);
        t.sim.contact.stiffness = factor[k];
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.5), (int32_t[]){8, 8, 3},
                                   PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, -0.25)),
                       1e4, 0.3, 1000);
        touch_add_rigid(&t,
                        touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.5, 0.5, 0.5), (int32_t[]){8, 0, 0},
                                    PAL_CELL_TRIANGLE, pal_vec3(0.01, 0.02, 0.501)));
        t.rigids[0].motion.translation = pal_vec3(0, 0, -0.1);
        t.rigids[0].motion.ramp = to_the_end();
        touch_side(&t, 0, PAL_CONDITION_FIX, 2, false);
        touch_pair(&t, 0, 1, 0);
        touch_start(&t);
        go_on(&t);
        force[k] = force_of(&t, 1, 0, 2);
        assert_true(pal_sim_contact_report(t.run).least_gap > 0);
        touch_end(&t);
    }
    assert_true(force[1] > 100);
    check_near(force[0], force[1], 0.01 * force[1]);
    check_near(force[2], force[1], 0.01 * force[1]);
}

// A ball pressed into a block and drawn along it, and then left where it is: steps change nothing.
static void what_friction_holds_does_not_creep(void **state)
{
    (void)state;
    PalError error = {0};
    Touch t = begin(PAL_METHOD_IMPLICIT_STATIC);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.5), (int32_t[]){6, 6, 3},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, -0.25)),
                   1e4, 0.3, 1000);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.5, 0.5, 0.5), (int32_t[]){8, 0, 0},
                                    PAL_CELL_TRIANGLE, pal_vec3(0.01, 0.02, 0.501)));
    t.rigids[0].motion.translation = pal_vec3(0.06, 0.01, -0.1);
    t.rigids[0].motion.ramp = (PalRamp){.kind = PAL_RAMP_LINEAR, .until = 0.5};
    t.sim.solver.step = 0.05;
    touch_side(&t, 0, PAL_CONDITION_FIX, 2, false);
    touch_pair(&t, 0, 1, 0.4);
    touch_start(&t);
    while (pal_sim_state(t.run)->time < 0.5 - 1e-9)
        check_ok(pal_sim_step(t.run, &error), &error);
    double along = force_of(&t, 1, 0, 0), down = force_of(&t, 1, 0, 2);
    go_on(&t);
    assert_true(-along > 0.1 * down && down > 100);
    check_near(force_of(&t, 1, 0, 0), along, 1e-6 * down);
    check_near(force_of(&t, 1, 0, 2), down, 1e-6 * down);
    touch_end(&t);
}

static void threads_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        Touch t = wedge(1, k == 0 ? 1 : 3);
        touch_start(&t);
        for (int step = 0; step < 3; ++step)
            check_ok(pal_sim_step(t.run, &(PalError){0}), &(PalError){0});
        hash[k] = pal_sim_hash(t.run);
        touch_end(&t);
    }
    assert_true(hash[0] == hash[1]);
}

// Three blocks whose edges and corners lie exactly above each other, with friction.
static void aligned_edges_are_no_trouble(void **state)
{
    (void)state;
    Touch t = begin(PAL_METHOD_IMPLICIT_STATIC);
    for (int b = 0; b < 3; ++b)
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.5), (int32_t[]){3, 3, 2},
                                   PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0.25 + 0.501 * b)),
                       1e4, 0.3, 1000);
    touch_side(&t, 0, PAL_CONDITION_FIX, 2, false);
    PalConditionDef *top = touch_side(&t, 2, PAL_CONDITION_DISPLACE, 2, true);
    top->value = pal_vec3(0, 0, -0.3);
    top->ramp = to_the_end();
    touch_pair(&t, 0, 1, 0.3);
    touch_pair(&t, 1, 2, 0.3);
    touch_start(&t);
    go_on(&t);
    double below = force_of(&t, 1, 0, 2), above = force_of(&t, 2, 1, 2);
    assert_true(below > 1500 && below < 3000);  // 0.2 of Young's modulus, and what friction holds
    check_near(below, above, 1e-4 * above);
    touch_end(&t);
}

// Meshes that do not match; the lower block stands on its side walls' feet.
static void pressure_passes_evenly(void **state)
{
    (void)state;
    Touch t = begin(PAL_METHOD_IMPLICIT_STATIC);
    const int32_t cells[2][3] = {{5, 5, 3}, {7, 4, 2}};
    for (int b = 0; b < 2; ++b)
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.5), cells[b],
                                   PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0.25 + 0.5005 * b)),
                       1e4, 0.3, 100);
    for (int b = 0; b < 2; ++b)
        for (int i = 0; i < (b == 0 ? 3 : 2); ++i) {
            PalConditionDef *fix = touch_side(&t, b, PAL_CONDITION_FIX, i, false);
            for (int k = 0; k < 3; ++k)
                fix->axes[k] = k == i;
        }
    PalConditionDef *load = touch_side(&t, 1, PAL_CONDITION_PRESSURE, 2, true);
    load->pressure = 400;
    load->ramp = to_the_end();
    touch_pair(&t, 0, 1, 0);
    touch_start(&t);
    go_on(&t);
    // the strain of a column under even pressure is the same everywhere
    const PalModel *model = pal_sim_model(t.run);
    const PalVec3 *u = pal_sim_state(t.run)->displacement;
    double least = INFINITY, most = 0;
    for (int32_t n = 0; n < t.meshes[0]->node_count; ++n)
        if (fabs(t.meshes[0]->nodes[n].z - 0.5) < 1e-9) {
            least = fmin(least, -u[model->bodies[0].first_node + n].z);
            most = fmax(most, -u[model->bodies[0].first_node + n].z);
        }
    check_near(least, most, 0.02 * most);
    touch_end(&t);
}

// The same of a sharp edge, with friction, over three decades. (From 30 on other vertices touch.)
static void stiffness_does_not_matter_to_an_edge(void **state)
{
    (void)state;
    double force[3];
    const double factor[3] = {0.01, 1, 10};
    for (int k = 0; k < 3; ++k) {
        Touch t = wedge(factor[k], 1);
        touch_start(&t);
        go_on(&t);
        force[k] = force_of(&t, 1, 0, 2);
        touch_end(&t);
    }
    assert_true(force[1] > 100);
    check_near(force[0], force[1], 0.01 * force[1]);
    check_near(force[2], force[1], 0.01 * force[1]);
}

// How many contacts slip, of all that there are.
static int32_t slipping(const Touch *t, int32_t *count)
{
    const PalContactPoint *points = pal_sim_contacts(t->run, count);
    int32_t slips = 0;
    for (int32_t i = 0; i < *count; ++i)
        slips += points[i].slips;
    return slips;
}

// What lies on a slope that friction can hold lies there for ever: nothing creeps from step to
// step, and the force along the slope is the weight's.
static void what_holds_does_not_creep(void **state)
{
    (void)state;
    Touch t = begin(PAL_METHOD_IMPLICIT_STATIC);
    const double slope = 0.3, weight = 0.1 * 0.1 * 0.05 * 1000 * 10;
    t.sim.solver.step = 0.1;
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(0.1, 0.1, 0.05), (int32_t[]){3, 3, 2},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0.013, 0.007, 0.0251)),
                   1e5, 0.3, 1000);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(0.4, 0.3, 0.05), (int32_t[]){1, 1, 1},
                                    PAL_CELL_TRIANGLE, pal_vec3(0, 0, -0.025)));
    touch_gravity(&t, pal_vec3(10 * sin(slope), 0, -10 * cos(slope)));
    touch_pair(&t, 0, 1, 0.5);
    touch_start(&t);
    PalError error = {0};
    for (int step = 0; step < 3; ++step)
        check_ok(pal_sim_step(t.run, &error), &error);
    double before = pal_sim_state(t.run)->displacement[0].x;
    go_on(&t);
    double after = pal_sim_state(t.run)->displacement[0].x;
    check_near(after, before, 1e-6);
    check_near(force_of(&t, 0, 1, 0), -weight * sin(slope), 1e-4 * weight);
    check_near(force_of(&t, 0, 1, 2), weight * cos(slope), 1e-4 * weight);
    int32_t count, slips = slipping(&t, &count);
    assert_true(count > 0 && slips == 0);
    touch_end(&t);
}

// Ten thousand kilograms a cubic metre on a hundred, on a floor, dropped by a little.
static void heavy_on_light_does_not_cross(void **state)
{
    (void)state;
    Touch t = begin(PAL_METHOD_IMPLICIT);
    t.sim.solver.scheme = PAL_SCHEME_BACKWARD_EULER;
    t.sim.solver.time = 0.6;
    t.sim.solver.step = 0.02;
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.3), (int32_t[]){3, 3, 1},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0.151)),
                   1e5, 0.3, 100);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(0.8, 0.8, 0.8), (int32_t[]){2, 2, 2},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0.03, 0.02, 0.71)),
                   1e5, 0.3, 10000);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(3, 3, 0.2), (int32_t[]){1, 1, 1},
                                    PAL_CELL_TRIANGLE, pal_vec3(0, 0, -0.1)));
    touch_gravity(&t, pal_vec3(0, 0, -9.81));
    touch_pair(&t, 0, 1, 0.5);
    touch_pair(&t, 0, 2, 0.5);
    touch_pair(&t, 1, 2, 0.5);
    touch_start(&t);
    double most = 0;
    PalError error = {0};
    while (!pal_sim_finished(t.run)) {
        check_ok(pal_sim_step(t.run, &error), &error);
        assert_int_equal(pal_sim_intersections(t.run), 0);
        most = fmax(most, force_of(&t, 0, 2, 2));
    }
    assert_true(most > 0.512 * 10000 * 9.81);  // it comes to rest: the floor bears more than it
    touch_end(&t);
}

// A block drawn over a plane far enough to slip everywhere.
static void friction_is_coulombs(void **state)
{
    (void)state;
    Touch t = begin(PAL_METHOD_IMPLICIT_STATIC);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(0.1, 0.1, 0.04), (int32_t[]){8, 8, 3},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0.02005)),
                   2e4, 0.4, 1000);
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(0.4, 0.3, 0.05), (int32_t[]){1, 1, 1},
                                    PAL_CELL_TRIANGLE, pal_vec3(0, 0, -0.025)));
    PalConditionDef *top = touch_side(&t, 0, PAL_CONDITION_DISPLACE, 2, true);
    top->value = pal_vec3(0.04, 0, -0.002);
    top->ramp = to_the_end();
    touch_pair(&t, 0, 1, 0.3);
    touch_start(&t);
    go_on(&t);
    double pull = fabs(force_of(&t, 0, 1, 0)), push = force_of(&t, 0, 1, 2);
    assert_true(push > 1);
    check_near(pull / push, 0.3, 0.001 * 0.3);
    int32_t count, slips = slipping(&t, &count);
    assert_true(count > 0 && slips == count);
    // 62 matrices; 136 where corrections are cut short at each edge of the plane slid over
    assert_true(pal_sim_counters(t.run)->iterations < 90);
    touch_end(&t);
}

// What cannot be is told with place, pair, gap and advice, and the state is the last good one.
static void jam(PalMethod method, const char *advice)
{
    Touch t = wedge(1, 1);
    t.sim.solver.method = method;
    t.rigids[0].motion.translation = pal_vec3(0, 0, -1.5);
    touch_start(&t);
    PalError error = {0};
    PalStatus status = PAL_OK;
    uint64_t hash = 0;
    while (status == PAL_OK && !pal_sim_finished(t.run)) {
        hash = pal_sim_hash(t.run);
        status = pal_sim_step(t.run, &error);
    }
    assert_int_equal(status, PAL_SIM_FAILED);
    assert_true(pal_sim_hash(t.run) == hash);
    assert_non_null(strstr(error.text, "gap of"));
    assert_non_null(strstr(error.text, "\"body\""));
    assert_null(strstr(error.text, "some body"));
    assert_non_null(strstr(error.text, advice));
    assert_int_equal(pal_sim_intersections(t.run), 0);
    touch_end(&t);
}

static void a_jam_is_explained(void **state)
{
    (void)state;
    jam(PAL_METHOD_IMPLICIT_STATIC, "follow the motion in time by method: implicit");
    jam(PAL_METHOD_IMPLICIT, "use method: explicit");
}

// Where there is friction, instruments go 0.15 of an edge at most. Steps are as long as that
// allows, without any that is tried in vain; where instruments are smooth they are as long as they
// are asked for, even if bodies are rough to themselves.
static void steps_are_as_long_as_instruments_may_go(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        Touch t = wedge(1, 1);
        PalError error = {0};
        double most = 0, before = 0;
        bool smooth = k == 0 || k == 3;
        t.pairs[0].friction = smooth ? 0 : 0.2;
        if (k == 3)
            touch_pair(&t, 0, 0, 0.2);
        t.sim.solver.step = 0.5;
        if (k == 2) {
            t.sim.solver.method = PAL_METHOD_IMPLICIT;
            t.sim.solver.scheme = PAL_SCHEME_BACKWARD_EULER;
        }
        touch_start(&t);
        double stride = 0.15 * pal_sim_contact_report(t.run).mean_edge;
        while (!pal_sim_finished(t.run)) {
            check_ok(pal_sim_step(t.run, &error), &error);
            double now = pal_sim_state(t.run)->rigids[0].pose.centre.z;
            most = fmax(most, before - now);
            before = now;
        }
        int64_t steps = pal_sim_state(t.run)->step_count;
        assert_int_equal(pal_sim_counters(t.run)->retries, 0);
        print_message("%lld steps, the longest of %.3g of an edge\n", (long long)steps,
                      0.15 * most / stride);
        assert_true(smooth == (pal_sim_contact_report(t.run).stride == 0));
        if (smooth) {
            assert_int_equal(steps, 2);
        } else {
            assert_true(most <= stride * (1 + 1e-9));
            assert_true((double)steps <= ceil(0.12 / stride) + k);
        }
        touch_end(&t);
    }
}

// Nor is any tried in vain where the way is as good as a whole number of the longest steps.
static void ways_may_be_whole_numbers_of_steps(void **state)
{
    (void)state;
    const double over[] = {-1e-10, 0, 5e-10, 5e-7};
    for (int k = 0; k < 16; ++k) {
        Touch t = wedge(1, 1);
        PalError error = {0};
        int whole = k % 4 < 2 ? 1 : 3;
        t.rigids[0].motion.translation.z = 0;
        touch_start(&t);
        double way = whole * pal_sim_contact_report(t.run).stride * (1 + over[k / 4]);
        touch_end(&t);
        t = wedge(1, 1);
        t.rigids[0].motion.translation.z = -way;
        t.sim.solver.step = 1;
        if (k % 2 == 1) {
            t.sim.solver.method = PAL_METHOD_IMPLICIT;
            t.sim.solver.scheme = PAL_SCHEME_BACKWARD_EULER;
        }
        touch_start(&t);
        while (!pal_sim_finished(t.run))
            check_ok(pal_sim_step(t.run, &error), &error);
        assert_int_equal(pal_sim_counters(t.run)->retries, 0);
        assert_in_range(pal_sim_state(t.run)->step_count, whole, whole + 1);
        touch_end(&t);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    Touch t = wedge(1, 1);
    PalError error = {0};
    t.sim.contact.response = PAL_RESPONSE_LAGRANGE;
    touch_connect(&t);
    assert_int_equal(pal_sim_create(&t.sim, &t.run, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "lagrange does not serve method implicit-static"));
    touch_end(&t);
}

// ---- beside explicit methods ------------------------------------------------------------

// A soft ball pressed on a soft slab, with friction.
static Touch ball_on_slab(void)
{
    Touch t = begin(PAL_METHOD_IMPLICIT_STATIC);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 0.4), (int32_t[]){6, 6, 3},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, -0.2)),
                   1e4, 0.3, 1000);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.4, 0, 0), (int32_t[]){8, 0, 0},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0.01, 0.02, 0.401)),
                   1.5e4, 0.3, 1000);
    touch_side(&t, 0, PAL_CONDITION_FIX, 2, false);
    PalConditionDef *top = touch_condition(&t, 1, PAL_CONDITION_DISPLACE);
    top->where = (PalWhere){.kind = PAL_WHERE_BOX, .box = {{-1, -1, 0.5}, {1, 1, 1}}};
    top->axes[0] = top->axes[1] = top->axes[2] = true;
    top->value = pal_vec3(0.02, 0, -0.12);
    top->ramp = to_the_end();
    touch_pair(&t, 0, 1, 0.3);
    return t;
}

// The same slowly, until everything is at rest.
static void use_explicit(Touch *t)
{
    enum { SECONDS = 12, DAMPING = 4 };
    t->sim.solver.method = PAL_METHOD_EXPLICIT;
    t->sim.contact.response = PAL_RESPONSE_LAGRANGE;
    t->sim.solver.time = SECONDS;
    t->sim.solver.damping = DAMPING;
    PalRamp slow = {.kind = PAL_RAMP_SMOOTH, .until = 0.75 * SECONDS};
    for (int32_t c = 0; c < t->sim.model.condition_count; ++c)
        if (t->conditions[c].kind == PAL_CONDITION_DISPLACE)
            t->conditions[c].ramp = slow;
    if (t->sim.model.rigid_count > 0)
        t->rigids[0].motion.ramp = slow;
}

// A wedge in a block, and a ball on a slab: forces and shapes in the end are those of an explicit
// run.
static void ends_agree_with_explicit_runs(void **state)
{
    (void)state;
    for (int scene = 0; scene < 2; ++scene) {
        double force[2], apart = 0, most = 0;
        PalVec3 *kept = NULL;
        for (int k = 0; k < 2; ++k) {
            Touch t = scene == 0 ? wedge(1, 1) : ball_on_slab();
            if (k == 1)
                use_explicit(&t);
            touch_start(&t);
            touch_advance(&t, t.sim.solver.time);
            int32_t count = pal_sim_model(t.run)->node_count;
            const PalVec3 *u = pal_sim_state(t.run)->displacement;
            force[k] = fabs(force_of(&t, 1, 0, 2));
            if (k == 0)
                kept = memcpy(calloc((size_t)count, sizeof *kept), u, (size_t)count * sizeof *kept);
            for (int32_t n = 0; k == 1 && n < count; ++n) {
                apart = fmax(apart, pal_vec3_distance(u[n], kept[n]));
                most = fmax(most, pal_vec3_length(u[n]));
            }
            touch_end(&t);
        }
        print_message("force %.5g, explicit %.5g; displacements off by %.2f %% of %.4g\n", force[0],
                      force[1], 100 * apart / most, most);
        check_near(force[0] / force[1], 1, 0.01);
        assert_true(apart < 0.02 * most);
        free(kept);
    }
}

// A straight column that a smooth plate presses has forces in balance while it is straight, but no
// minimum of energy: above Euler's load (of a foot that is held and a head that the plate keeps
// level, 12.9) it has to bend. Straight it would bear 17.
static void columns_do_not_stay_straight(void **state)
{
    (void)state;
    Touch t = begin(PAL_METHOD_IMPLICIT_STATIC);
    t.sim.solver.step = 0.25;
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 8), (int32_t[]){2, 2, 16},
                               PAL_CELL_HEXAHEDRON, pal_vec3(0, 0, 4)),
                   1000, 0.3, 1);
    t.bodies[0].element = PAL_ELEMENT_H8;
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(8, 8, 1), (int32_t[]){1, 1, 1},
                                    PAL_CELL_TRIANGLE, pal_vec3(0.3, 0.2, 8.51)));
    t.rigids[0].motion.translation = pal_vec3(0, 0, -0.15);
    t.rigids[0].motion.ramp = to_the_end();
    touch_side(&t, 0, PAL_CONDITION_FIX, 2, false);
    touch_pair(&t, 0, 1, 0);
    touch_start(&t);
    go_on(&t);
    double aside = 0, force = force_of(&t, 1, 0, 2);
    for (int32_t n = 0; n < pal_sim_model(t.run)->node_count; ++n) {
        PalVec3 u = pal_sim_state(t.run)->displacement[n];
        aside = fmax(aside, hypot(u.x, u.y));
    }
    double euler = acos(-1) * acos(-1) * 1000.0 / 12 / 64;
    print_message("a column bends by %.3f and bears %.3f of Euler's load\n", aside, force / euler);
    assert_true(aside > 0.5);
    assert_true(force < euler && force > 0.85 * euler);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(stiffness_does_not_matter),
    cmocka_unit_test(what_friction_holds_does_not_creep),
    cmocka_unit_test(threads_give_the_same_bits),
    cmocka_unit_test(columns_do_not_stay_straight),
    cmocka_unit_test(pressure_passes_evenly),
    cmocka_unit_test(friction_is_coulombs),
    cmocka_unit_test(aligned_edges_are_no_trouble),
    cmocka_unit_test(a_jam_is_explained),
    cmocka_unit_test(stiffness_does_not_matter_to_an_edge),
    cmocka_unit_test(what_holds_does_not_creep),
    cmocka_unit_test(heavy_on_light_does_not_cross),
    cmocka_unit_test(steps_are_as_long_as_instruments_may_go),
    cmocka_unit_test(ways_may_be_whole_numbers_of_steps),
    cmocka_unit_test(what_cannot_be_is_refused),
    cmocka_unit_test(ends_agree_with_explicit_runs),
};

CHECK_GROUP(tests, NULL, NULL)
