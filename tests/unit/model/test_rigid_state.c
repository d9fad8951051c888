// Free bodies within a step: impulses of contact, where they lead, and the works of a step.
#include "check.h"
#include "math/quaternion.h"
#include "model/rigid_state.h"
#include "model/state.h"
#include "random_material.h"

typedef struct Body {
    PalMesh *mesh;
    PalRigidDef def;
    PalModel *model;
    PalState *state;
} Body;

static PalVec3 random_vector(uint64_t *seed)
{
    double x = random_between(-1, 1, seed), y = random_between(-1, 1, seed);
    return pal_vec3(x, y, random_between(-1, 1, seed));
}

static Body make_def(void)
{
    PalError error = {0};
    PalShapeDef shape = pal_shape_def_default();
    PalPlacement placement = pal_placement_identity();
    Body body = {.def = pal_rigid_def_default()};
    shape.extent = pal_vec3(1, 2, 3);
    shape.cell_kind = PAL_CELL_TRIANGLE;
    placement.rotation = pal_rotation_about(pal_vec3(1, 2, 3), 0.4);
    placement.translation = pal_vec3(1, -2, 0.5);
    check_ok(pal_mesh_create_shape(&shape, &body.mesh, &error), &error);
    pal_mesh_place(body.mesh, &placement);
    body.def.mesh = body.mesh;
    body.def.density = 2;
    body.def.velocity = pal_vec3(0.3, 0.2, -0.1);
    body.def.spin = pal_vec3(0.4, -1, 0.7);
    return body;
}

static void start(Body *body)
{
    PalError error = {0};
    PalModelDef def = pal_model_def_default();
    def.rigid_count = 1;
    def.rigids = &body->def;
    check_ok(pal_model_create(&def, &body->model, &error), &error);
    check_ok(pal_state_create(body->model, &body->state, &error), &error);
    pal_rigids_load(body->model, body->state, 0);
}

static void clear(Body *body)
{
    pal_state_destroy(body->state);
    pal_model_destroy(body->model);
    pal_mesh_destroy(body->mesh);
}

static PalRigidStep step_of(double last, double next)
{
    return (PalRigidStep){.last = last, .next = next, .keep = 1, .gain = (last + next) / 2};
}

static void begin(Body *body, const PalRigidStep *step)
{
    PalError error = {0};
    check_ok(pal_rigids_begin_step(body->model, body->state, step, &error), &error);
}

static double spin_energy(const PalRigid *rigid, const PalRigidState *s)
{
    PalMat3 back = pal_mat3_transpose(&s->pose.rotation), along = pal_mat3_transpose(&rigid->axes);
    PalVec3 l = pal_mat3_apply(&along, pal_mat3_apply(&back, s->momentum));
    return (l.x * l.x / rigid->moments[0] + l.y * l.y / rigid->moments[1] +
            l.z * l.z / rigid->moments[2]) /
           2;
}

// A point that is pushed moves as the two inverses say, at once.
static void an_impulse_moves_the_point_it_acts_on(void **state)
{
    (void)state;
    Body body = make_def();
    start(&body);
    const PalRigid *rigid = &body.model->rigids[0];
    PalRigidState *s = &body.state->rigids[0];
    PalRigidStep step = step_of(0, 1e-3);
    begin(&body, &step);
    PalVec3 momentum = s->momentum, velocity = s->velocity;
    PalVec3 impulse = {0.3, -0.5, 0.2}, arm = {0.1, 0.8, -0.4};
    PalVec3 turn = pal_vec3_cross(arm, impulse);
    double before = spin_energy(rigid, s);
    PalVec3 spin = pal_mat3_apply(&s->inverse_inertia, momentum);
    check_near(pal_vec3_distance(spin, body.def.spin), 0, 1e-13);
    pal_rigid_add_impulse(rigid, s, impulse, turn);
    check_near(pal_vec3_distance(pal_vec3_sub(s->momentum, momentum), turn), 0, 1e-14);
    PalVec3 gained = pal_vec3_scale(1 / rigid->mass, impulse);
    check_near(pal_vec3_distance(pal_vec3_sub(s->velocity, velocity), gained), 0, 1e-15);
    // half the sum of the spins before and after does the work
    PalVec3 after = pal_vec3_add(spin, pal_mat3_apply(&s->inverse_inertia, turn));
    PalVec3 mean = pal_vec3_scale(0.5, pal_vec3_add(spin, after));
    check_near(spin_energy(rigid, s) - before, pal_vec3_dot(turn, mean), 1e-13);
    clear(&body);
}

// The end of the step follows the velocities, and stays where it is until the step is over.
static void drift_follows_the_velocities(void **state)
{
    (void)state;
    Body body = make_def();
    start(&body);
    const PalRigid *rigid = &body.model->rigids[0];
    PalRigidState *s = &body.state->rigids[0];
    PalRigidStep step = step_of(0, 1e-4);
    begin(&body, &step);
    PalPose first = s->next;
    PalVec3 corner = body.mesh->nodes[0], place = pal_pose_apply(&s->pose, corner);
    check_near(pal_vec3_distance(place, corner), 0, 1e-15);
    PalVec3 arm = pal_vec3_sub(corner, rigid->centre);
    PalVec3 speed = pal_vec3_add(body.def.velocity, pal_vec3_cross(body.def.spin, arm));
    PalVec3 moved = pal_vec3_scale(1e4, pal_vec3_sub(pal_pose_apply(&first, corner), corner));
    check_near(pal_vec3_distance(moved, speed), 0, 1e-3);
    pal_rigid_add_impulse(rigid, s, pal_vec3(24, 0, 0), pal_vec3(0, 0, 0));
    assert_true(pal_rigid_drift(rigid, s, 1e-4));
    check_near(s->next.centre.x - first.centre.x, 1e-4 * 24 / rigid->mass, 1e-15);
    check_near(pal_vec3_distance(s->pose.centre, rigid->centre), 0, 0);
    pal_rigids_end_step(body.model, body.state, &step);
    assert_memory_equal(&s->pose, &s->next, sizeof s->pose);
    assert_memory_equal(&s->orientation, &s->next_orientation, sizeof s->orientation);
    clear(&body);
}

static void the_bound_holds_for_all_points(void **state)
{
    (void)state;
    uint64_t seed = 7;
    double closest = 0;
    for (int i = 0; i < 500; ++i) {
        Body body = make_def();
        body.def.velocity = pal_vec3_scale(i % 3, random_vector(&seed));
        body.def.spin = pal_vec3_scale(5, random_vector(&seed));
        start(&body);
        PalRigidStep step = step_of(0, i % 2 == 0 ? 0.01 : 0.5);
        begin(&body, &step);
        const PalRigidState *s = &body.state->rigids[0];
        PalVec3 x = pal_vec3_scale(3, random_vector(&seed));
        double arm = pal_vec3_distance(x, s->pose.pivot), bound = pal_rigid_moved(s, arm);
        double moved = pal_vec3_distance(pal_pose_apply(&s->pose, x), pal_pose_apply(&s->next, x));
        assert_true(moved <= bound * (1 + 1e-12) + 1e-14);
        assert_true(moved <= (1 + 1e-12) * pal_rigid_travel(body.model, body.state, 0,
                                                            body.state->time + step.next, arm));
        closest = fmax(closest, moved / bound);
        clear(&body);
    }
    assert_true(closest > 0.99);
}

// K = v- . M v+ / 2, with what contact has done in the step.
static double kinetic_of(const PalRigid *rigid, const PalRigidState *s)
{
    PalMat3 back = pal_mat3_transpose(&s->pose.rotation);
    PalMat3 along = pal_mat3_transpose(&rigid->axes);
    PalVec3 before = pal_mat3_apply(&along, pal_mat3_apply(&back, s->old_momentum));
    PalVec3 after = pal_mat3_apply(&along, pal_mat3_apply(&back, s->momentum));
    double twice = rigid->mass * pal_vec3_dot(s->old_velocity, s->velocity);
    for (int a = 0; a < 3; ++a)
        twice += pal_vec3_at(before, a) * pal_vec3_at(after, a) / rigid->moments[a];
    return twice / 2;
}

// A step under way, seen from before it by one who knows what contact does in it.
static PalRigidMotion motion_before(const PalRigid *rigid, const PalRigidState *s,
                                    const PalRigidStep *step)
{
    PalRigidState now = *s;
    now.velocity = s->old_velocity;
    now.momentum = s->old_momentum;
    now.contact_force = pal_vec3_scale(1 / step->gain, s->impulse);
    now.contact_torque = pal_vec3_scale(1 / step->gain, s->turn_impulse);
    return pal_rigid_motion(rigid, &now, step, true);
}

// Kinetic energy less all work so far, in steps of one length with random impulses of contact.
static double balance_after_step(Body *body, int i, double damping, PalRigidWork *total,
                                 uint64_t *seed)
{
    const PalRigid *rigid = &body->model->rigids[0];
    PalRigidState *s = &body->state->rigids[0];
    PalRigidStep step = step_of(i == 0 ? 0 : 0.01, 0.01);
    step.gain /= 1 + damping * step.gain / 2;
    step.keep = 1 - damping * step.gain;
    PalVec3 push = pal_vec3_scale(0.1, random_vector(seed));
    PalVec3 turn = pal_vec3_scale(0.1, random_vector(seed));
    begin(body, &step);
    pal_rigid_add_impulse(rigid, s, push, turn);
    assert_true(pal_rigid_drift(rigid, s, step.next));
    PalRigidMotion motion = motion_before(rigid, s, &step);
    if (i > 0)
        check_near(motion.kinetic, kinetic_of(rigid, s), 1e-12);
    double balance = motion.kinetic - (total->external + motion.pending.external) -
                     (total->contact + motion.pending.contact) +
                     (total->damping + motion.pending.damping);
    PalRigidWork work = pal_rigids_end_step(body->model, body->state, &step);
    total->external += work.external;
    total->damping += work.damping;
    total->contact += work.contact;
    PalVec3 contact = pal_vec3_scale(1 / step.gain, push);
    check_near(pal_vec3_distance(s->contact_force, contact), 0, 1e-13);
    pal_rigids_load(body->model, body->state, 0.01 * (i + 1));
    return balance;
}

// The book closes in each of them, with a spring and damping at work, too.
static void the_book_closes_under_contact(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int with_spring = 0; with_spring < 2; ++with_spring) {
        Body body = make_def();
        if (with_spring)
            body.def.spring = (PalSpringDef){30, 5, 40, 6};
        start(&body);
        PalRigidWork total = {0};
        double reference = 0;
        for (int i = 0; i < 60; ++i) {
            double balance = balance_after_step(&body, i, with_spring ? 0.8 : 0, &total, &seed);
            if (i == 1)  // the first half step leaves something of second order
                reference = balance;
            else if (i > 1)
                check_near(balance, reference, 1e-11);
        }
        assert_true(fabs(total.contact) > 1e-3);
        assert_true(with_spring ? total.damping > 1e-3 : total.damping == 0);
        clear(&body);
    }
}

// With a strong damper an impulse moves the body less, and the spring takes the rest.
static void a_damper_stands_against_impulses(void **state)
{
    (void)state;
    Body body = make_def();
    body.def.spring.damping = 240;  // twice the mass over the gain
    body.def.spring.turning_damping = 1e6;
    start(&body);
    const PalRigid *rigid = &body.model->rigids[0];
    PalRigidState *s = &body.state->rigids[0];
    PalRigidStep step = step_of(0.1, 0.1);
    begin(&body, &step);
    check_near(s->inverse_mass, 1 / (12 + 0.1 * 240 / 2), 1e-15);
    PalVec3 velocity = s->velocity, momentum = s->momentum;
    pal_rigid_add_impulse(rigid, s, pal_vec3(24, 0, 0), pal_vec3(0, 1, 0));
    check_near(s->velocity.x - velocity.x, 1, 1e-14);
    assert_true(pal_vec3_distance(s->momentum, momentum) < 1e-3);
    clear(&body);
}

static void prescribed_ones_take_impulses_and_go_on(void **state)
{
    (void)state;
    Body body = make_def();
    PalModelDef def = pal_model_def_default();
    PalError error = {0};
    PalRigidDef both[2] = {body.def, pal_rigid_def_default()};
    both[1].mesh = body.mesh;
    both[1].motion.translation = pal_vec3(1, 0, 0);
    both[1].motion.ramp = (PalRamp){.kind = PAL_RAMP_LINEAR, .until = 1};
    def.rigid_count = 2;
    def.rigids = both;
    check_ok(pal_model_create(&def, &body.model, &error), &error);
    check_ok(pal_state_create(body.model, &body.state, &error), &error);
    PalRigidStep step = step_of(0, 0.25);
    step.end_time = 0.25;
    begin(&body, &step);
    PalRigidState *s = &body.state->rigids[1];
    check_near(s->inverse_mass, 0, 0);
    pal_rigid_add_impulse(&body.model->rigids[1], s, pal_vec3(0, 2, 0), pal_vec3(0, 0, 1));
    check_near(s->next.centre.x - s->pose.centre.x, 0.25, 1e-15);
    PalRigidWork work = pal_rigids_end_step(body.model, body.state, &step);
    check_near(s->contact_force.y, 2 / 0.125, 1e-13);
    check_near(s->contact_torque.z, 1 / 0.125, 1e-13);
    check_near(work.contact, 0, 0);
    clear(&body);
}

static void steps_suit_the_motion(void **state)
{
    (void)state;
    Body body = make_def();
    body.def.velocity = body.def.spin = pal_vec3(0, 0, 0);
    start(&body);
    check_near(pal_rigids_longest_step(body.model, body.state), 0.001, 1e-15);  // 1,000 of them
    assert_true(isinf(pal_rigids_stable_step(body.model)));
    PalRigidState *s = &body.state->rigids[0];
    const PalRigid *rigid = &body.model->rigids[0];
    // a tenth of the radius, sqrt(14) / 2, in a step of a power of two
    s->velocity = pal_vec3(0, 0, 1000);
    double reach = 0.1 * sqrt(14) / 2 / 1000,
           step = pal_rigids_longest_step(body.model, body.state);
    assert_true(step <= reach && step > reach / 2 && step == ldexp(1, -13));
    // 0.05 radians at most, about the axis of the least moment
    s->velocity = pal_vec3(0, 0, 0);
    s->momentum = pal_vec3(rigid->moments[0] * 100, 0, 0);
    assert_true(pal_rigids_longest_step(body.model, body.state) == ldexp(1, -11));
    s->momentum = pal_vec3(0, 0, 0);
    clear(&body);
    body = make_def();
    body.def.velocity = body.def.spin = pal_vec3(0, 0, 0);
    body.def.spring.stiffness = 12 * 16e6;
    start(&body);
    check_near(pal_rigids_stable_step(body.model), 5e-4, 1e-15);
    check_near(pal_rigids_longest_step(body.model, body.state), 5e-4, 1e-15);
    clear(&body);
}

static void too_many_turns_in_a_step_are_told(void **state)
{
    (void)state;
    Body body = make_def();
    body.def.spin = pal_vec3(1e6, 0, 0);
    start(&body);
    PalError error = {0};
    PalRigidStep step = step_of(0, 1);
    assert_int_equal(pal_rigids_begin_step(body.model, body.state, &step, &error), PAL_SIM_FAILED);
    assert_non_null(strstr(error.text, "rigid \"rigid\" turns by up to"));
    clear(&body);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_impulse_moves_the_point_it_acts_on),
    cmocka_unit_test(drift_follows_the_velocities),
    cmocka_unit_test(the_bound_holds_for_all_points),
    cmocka_unit_test(the_book_closes_under_contact),
    cmocka_unit_test(a_damper_stands_against_impulses),
    cmocka_unit_test(prescribed_ones_take_impulses_and_go_on),
    cmocka_unit_test(steps_suit_the_motion),
    cmocka_unit_test(too_many_turns_in_a_step_are_told),
};
CHECK_GROUP(tests, NULL, NULL)
