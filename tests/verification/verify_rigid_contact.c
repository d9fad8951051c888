// Free rigid bodies in contact: what is kept in a collision, stacks that rest, friction that holds
// and slides, balls that roll.   docs/theory/rigid.md, 6
#include "crossing.h"
#include "touch.h"

// ---- objects ----------------------------------------------------------------------------

static PalMesh *box_mesh(PalVec3 extent, PalVec3 at)
{
    return touch_shape(PAL_SHAPE_BOX, extent, (int32_t[]){1, 1, 1}, PAL_CELL_TRIANGLE, at);
}

static PalMesh *ball_mesh(double radius, int32_t cells, PalVec3 at)
{
    return touch_shape(PAL_SHAPE_SPHERE, pal_vec3(radius, radius, radius), (int32_t[]){cells, 0, 0},
                       PAL_CELL_TRIANGLE, at);
}

static void turn_about(PalMesh *mesh, PalVec3 axis, double radians, PalVec3 centre)
{
    PalPlacement placement = pal_placement_identity();
    for (int32_t n = 0; n < mesh->node_count; ++n)
        mesh->nodes[n] = pal_vec3_sub(mesh->nodes[n], centre);
    placement.rotation = pal_rotation_about(axis, radians);
    placement.translation = centre;
    pal_mesh_place(mesh, &placement);
}

// ---- collisions -------------------------------------------------------------------------

typedef struct Kept {
    double linear, angular, energy;  // worst changes, relative
    int32_t contacts, crossings;
    double lost;  // kinetic and strain energy, of what there was
} Kept;

// Runs to the end and looks at everything after each step.
static Kept watch(Touch *t, const char *what)
{
    PalError error = {0};
    const PalModel *model = pal_sim_model(t->run);
    double scale = 0;
    for (int32_t b = 0; b < model->body_count; ++b)
        scale += model->bodies[b].mass * pal_vec3_length(model->bodies[b].velocity);
    for (int32_t r = 0; r < model->rigid_count; ++r)
        scale += model->rigids[r].mass * pal_vec3_length(model->rigids[r].velocity);
    PalVec3 linear = pal_sim_momentum(t->run), angular = pal_sim_angular_momentum(t->run);
    Kept kept = {0};
    while (!pal_sim_finished(t->run)) {
        check_ok(pal_sim_step(t->run, &error), &error);
        int32_t count;
        pal_sim_contacts(t->run, &count);
        PalEnergy energy = pal_sim_energy(t->run);
        kept.contacts = count > kept.contacts ? count : kept.contacts;
        kept.crossings += crossing_count(t->run, &t->sim.contact);
        kept.linear =
            fmax(kept.linear, pal_vec3_distance(pal_sim_momentum(t->run), linear) / scale);
        kept.angular = fmax(kept.angular,
                            pal_vec3_distance(pal_sim_angular_momentum(t->run), angular) / scale);
        kept.energy = fmax(kept.energy, fabs(pal_energy_drift(&energy)));
        kept.lost = 1 - (energy.kinetic + energy.strain) / energy.initial;
    }
    PalContactReport report = pal_sim_contact_report(t->run);
    print_message("%s: momentum %.2g, angular %.2g, energy %.2g, contacts %d, crossings %d, "
                  "rescues %lld, hits %lld, penetration %g, lost %.3f, steps %lld\n",
                  what, kept.linear, kept.angular, kept.energy, kept.contacts, kept.crossings,
                  (long long)report.rescues, (long long)report.hits, report.worst_penetration,
                  kept.lost, (long long)pal_sim_state(t->run)->step_count);
    assert_int_equal(report.rescues, 0);
    return kept;
}

static void test_ball_on_block(void **state)
{
    (void)state;
    for (int method = 0; method < 2; ++method) {
        Touch t = touch_nothing(0.6);
        t.sim.solver.method = (PalMethod)method;
        PalMesh *block = touch_shape(PAL_SHAPE_BOX, pal_vec3(2, 2, 1), (int32_t[]){6, 6, 3},
                                     PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, -0.5));
        int32_t soft = touch_add_mesh(&t, block, 2000, 0.4, 10);
        int32_t ball = touch_add_free(&t, ball_mesh(0.4, 6, pal_vec3(0.3, 0.2, 0.45)), 20);
        t.rigids[ball].velocity = pal_vec3(0.5, -0.2, -2);
        t.rigids[ball].spin = pal_vec3(1, 2, -1);
        touch_pair(&t, soft, 1 + ball, 0);
        touch_start(&t);
        Kept kept = watch(&t, "ball on block");
        PalPose pose;
        PalTwist twist;
        pal_sim_rigid_motion(t.run, ball, &pose, &twist);
        assert_true(twist.velocity.z > 0.2);  // it bounced
        assert_true(kept.contacts > 0 && kept.crossings == 0);
        assert_true(kept.linear < 1e-12 && kept.angular < 1e-12);
        assert_true(kept.energy < 1e-3);  // of second order, by what is soft
        touch_end(&t);
    }
}

static void test_boxes_collide(void **state)
{
    (void)state;
    for (int rough = 0; rough < 2; ++rough) {
        Touch t = touch_nothing(1.5);
        PalMesh *first = box_mesh(pal_vec3(1, 0.8, 0.6), pal_vec3(-1, 0.1, 0));
        turn_about(first, pal_vec3(1, 2, 3), 0.7, pal_vec3(-1, 0.1, 0));
        PalMesh *second = box_mesh(pal_vec3(0.7, 1.2, 0.5), pal_vec3(0.7, -0.2, 0.1));
        turn_about(second, pal_vec3(-2, 1, 1), 0.4, pal_vec3(0.7, -0.2, 0.1));
        int32_t a = touch_add_free(&t, first, 10), b = touch_add_free(&t, second, 20);
        t.rigids[a].velocity = pal_vec3(1.5, 0.2, 0);
        t.rigids[b].velocity = pal_vec3(-1, 0, 0.1);
        t.rigids[b].spin = pal_vec3(0, 1, 2);
        touch_pair(&t, a, b, rough * 0.3);
        touch_start(&t);
        Kept kept = watch(&t, rough ? "rough boxes" : "boxes");
        assert_true(kept.contacts > 0 && kept.crossings == 0);
        assert_true(kept.linear < 1e-12 && kept.energy < 1e-12);
        // friction acts a separation apart, once on each side
        assert_true(kept.angular < (rough ? 1e-3 : 1e-12));
        assert_true(kept.lost > 0.1 && kept.lost < 1);
        touch_end(&t);
    }
}

static void test_box_on_instrument(void **state)
{
    (void)state;
    Touch t = touch_nothing(1.5);
    int32_t floor = touch_add_rigid(&t, box_mesh(pal_vec3(4, 4, 1), pal_vec3(0, 0, -0.5)));
    PalMesh *mesh = box_mesh(pal_vec3(1, 0.8, 0.6), pal_vec3(0, 0, 1));
    turn_about(mesh, pal_vec3(1, 2, 3), 0.7, pal_vec3(0, 0, 1));
    int32_t box = touch_add_free(&t, mesh, 10);
    t.rigids[box].velocity = pal_vec3(0.3, 0, -1);
    touch_gravity(&t, pal_vec3(0, 0, -10));
    touch_pair(&t, floor, box, 0.3);
    touch_start(&t);
    Kept kept = watch(&t, "box on instrument");
    assert_true(kept.contacts > 0 && kept.crossings == 0);
    assert_true(kept.energy < 1e-3);
    const PalRigidState *s = &pal_sim_state(t.run)->rigids[box];
    assert_true(s->pose.centre.z > 0.29 && pal_sim_energy(t.run).kinetic < 1e-6);  // it lies there
    touch_end(&t);
}

// ---- stacks -----------------------------------------------------------------------------

// Boxes that the user has put on each other exactly. Their weight times the separation is the
// energy by which such a stack may sag before anybody could tell.
static void test_stack(void **state)
{
    (void)state;
    enum { BOXES = 10 };
    PalError error = {0};
    Touch t = touch_nothing(4);
    touch_add_rigid(&t, box_mesh(pal_vec3(4, 4, 1), pal_vec3(0, 0, -0.5)));
    for (int32_t i = 0; i < BOXES; ++i) {
        touch_add_free(&t, box_mesh(pal_vec3(1, 1, 0.5), pal_vec3(0, 0, 0.25 + 0.5 * i)), 10);
        touch_pair(&t, i, i + 1, 0.5);
    }
    touch_gravity(&t, pal_vec3(0, 0, -10));
    touch_start(&t);
    PalContactReport report = pal_sim_contact_report(t.run);
    assert_int_equal(report.moved_rigid_count, BOXES);
    double sag = 10 * BOXES * 5 * report.separation, late = 0;
    while (!pal_sim_finished(t.run)) {
        check_ok(pal_sim_step(t.run, &error), &error);
        assert_int_equal(crossing_count(t.run, &t.sim.contact), 0);
        if (pal_sim_state(t.run)->time > 0.5)
            late = fmax(late, pal_sim_energy(t.run).kinetic);
    }
    report = pal_sim_contact_report(t.run);
    double aside = 0, gap = 0;
    for (int32_t i = 1; i <= BOXES; ++i) {
        PalVec3 centre = pal_sim_state(t.run)->rigids[i].pose.centre;
        double height = 0.25 + 0.5 * (i - 1) + i * report.separation;
        aside = fmax(aside, hypot(centre.x, centre.y));
        gap = fmax(gap, fabs(centre.z - height));
    }
    print_message(
        "stack: kinetic energy %.2g of the sag, aside %.2g and heights off by %.2g of the "
        "separation, steps %lld, hits %lld\n",
        late / sag, aside / report.separation, gap / report.separation,
        (long long)pal_sim_state(t.run)->step_count, (long long)report.hits);
    assert_true(late < 1e-5 * sag);
    assert_true(aside < 0.02 * report.separation);
    assert_true(gap < 1e-3 * report.separation);
    assert_int_equal(report.rescues, 0);
    touch_end(&t);
}

// ---- friction ---------------------------------------------------------------------------

// A box on an incline holds below the angle of friction and slides above, as it should.
static void test_incline(void **state)
{
    (void)state;
    const double beyond[] = {-0.05, -0.01, 0.01, 0.1}, g = 10, friction = 0.4;
    for (int k = 0; k < 4; ++k) {
        double angle = atan(friction) + beyond[k];
        Touch t = touch_nothing(1);
        touch_add_rigid(&t, box_mesh(pal_vec3(20, 4, 1), pal_vec3(0, 0, -0.5)));
        int32_t box = touch_add_free(&t, box_mesh(pal_vec3(1, 1, 0.5), pal_vec3(0, 0, 0.25)), 10);
        touch_pair(&t, 0, box, friction);
        touch_gravity(&t, pal_vec3(g * sin(angle), 0, -g * cos(angle)));
        touch_start(&t);
        touch_advance(&t, 1);
        const PalRigidState *s = &pal_sim_state(t.run)->rigids[box];
        PalEnergy energy = pal_sim_energy(t.run);
        PalContactReport report = pal_sim_contact_report(t.run);
        double way = fmax(0, g * (sin(angle) - friction * cos(angle)) / 2);
        print_message("incline %g beyond friction: %.6f of %.6f, energy %.2g\n", beyond[k],
                      s->pose.centre.x, way, pal_energy_drift(&energy));
        check_near(s->pose.centre.x, way, 1e-4);
        check_near(s->pose.centre.y, 0, 1e-5);
        PalVec3 force, torque;  // what a probe of the box records
        pal_sim_contact_load(t.run, box, s->pose.centre, &force, &torque);
        check_near(pal_vec3_distance(force, s->contact_force), 0, 1e-6);
        check_near(pal_vec3_distance(torque, s->contact_torque), 0, 0.05);
        check_near(force.z, 5 * g * cos(angle), 1e-2);
        check_near(s->pose.centre.z, 0.25 + report.separation, 1e-3 * report.separation);
        assert_true(fabs(pal_energy_drift(&energy)) < 1e-3);
        touch_end(&t);
    }
}

// As fast as a ball: a = g sin(angle) / (1 + 2 / 5), as far as its triangles are one.
static void test_ball_rolls(void **state)
{
    (void)state;
    const double angle = 0.3, g = 10, radius = 0.5, time = 0.6;
    double off[2];
    for (int k = 0; k < 2; ++k) {
        Touch t = touch_nothing(time);
        touch_add_rigid(&t, box_mesh(pal_vec3(20, 4, 1), pal_vec3(0, 0, -0.5)));
        PalVec3 at = pal_vec3(0, 0, radius + 0.001);
        int32_t ball = touch_add_free(&t, ball_mesh(radius, 8 << (2 * k), at), 10);
        touch_pair(&t, 0, ball, 0.6);
        touch_gravity(&t, pal_vec3(g * sin(angle), 0, -g * cos(angle)));
        touch_start(&t);
        touch_advance(&t, time);
        PalPose pose;
        PalTwist twist;
        pal_sim_rigid_motion(t.run, ball, &pose, &twist);
        PalEnergy energy = pal_sim_energy(t.run);
        double way = g * sin(angle) * 5 / 7 * time * time / 2;
        double slip = twist.velocity.x - twist.spin.y * radius;
        off[k] = fabs(pose.centre.x / way - 1);
        print_message(
            "ball of %d triangles: off by %.2g, slips with %.2g of its speed, energy %.2g "
            "in %lld steps\n",
            t.rigid_meshes[ball]->cell_count, off[k], slip / twist.velocity.x,
            pal_energy_drift(&energy), (long long)pal_sim_state(t.run)->step_count);
        assert_true(fabs(slip) < 2e-3 * twist.velocity.x);
        assert_true(fabs(pal_energy_drift(&energy)) < 1e-3);
        touch_end(&t);
    }
    assert_true(off[0] < 0.03 && off[1] < 0.003);
}

// ---- where nothing helps ----------------------------------------------------------------

// A box between two plates that close in on it: it is carried along by one, and the run stops when
// it cannot give way any more.
static void test_vise(void **state)
{
    (void)state;
    PalError error = {0};
    Touch t = touch_nothing(1);
    for (int side = -1; side <= 1; side += 2) {
        int32_t r = touch_add_rigid(&t, box_mesh(pal_vec3(1, 2, 2), pal_vec3(1.2 * side, 0, 0)));
        t.rigids[r].motion.translation = pal_vec3(side < 0 ? 1.3 : -0.1, 0, 0);
        t.rigids[r].motion.ramp.kind = PAL_RAMP_LINEAR;
    }
    int32_t box = touch_add_free(&t, box_mesh(pal_vec3(0.5, 0.4, 0.3), pal_vec3(-0.4, 0, 0)), 10);
    touch_pair(&t, 0, box, 0.2);
    touch_pair(&t, 1, box, 0.2);
    touch_start(&t);
    PalStatus status = PAL_OK;
    while (status == PAL_OK && !pal_sim_finished(t.run)) {
        status = pal_sim_step(t.run, &error);
        assert_int_equal(crossing_count(t.run, &t.sim.contact), 0);
    }
    print_message("vise: %s at time %g\n", error.text, pal_sim_state(t.run)->time);
    assert_int_equal(status, PAL_SIM_FAILED);
    assert_non_null(strstr(error.text, "\"free\""));
    assert_non_null(strstr(error.text, "cannot be resolved"));
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ball_on_block),
    cmocka_unit_test(test_boxes_collide),
    cmocka_unit_test(test_box_on_instrument),
    cmocka_unit_test(test_stack),
    cmocka_unit_test(test_incline),
    cmocka_unit_test(test_ball_rolls),
    cmocka_unit_test(test_vise),
};
CHECK_GROUP(tests, NULL, NULL)
