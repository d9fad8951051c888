#include "model/rigid_state.h"

#include "math/quaternion.h"
#include "model/conditions.h"
#include "model/led.h"
#include "model/motion.h"
#include "model/turn.h"

// ---- inertia ----------------------------------------------------------------------------

// From space into the principal axes, and back.
static PalVec3 into_axes(const PalRigid *rigid, const PalRigidState *state, PalVec3 v)
{
    PalMat3 back = pal_mat3_transpose(&state->pose.rotation);
    PalMat3 along = pal_mat3_transpose(&rigid->axes);
    return pal_mat3_apply(&along, pal_mat3_apply(&back, v));
}

static PalVec3 into_space(const PalRigid *rigid, const PalRigidState *state, PalVec3 v)
{
    return pal_mat3_apply(&state->pose.rotation, pal_mat3_apply(&rigid->axes, v));
}

// Component by component, in the principal axes.
static PalVec3 stretch(const PalRigid *rigid, const PalRigidState *state, const double by[3],
                       PalVec3 v)
{
    PalVec3 l = into_axes(rigid, state, v);
    return into_space(rigid, state, pal_vec3(by[0] * l.x, by[1] * l.y, by[2] * l.z));
}

static PalVec3 spin_of(const PalRigid *rigid, const PalRigidState *state, PalVec3 momentum)
{
    const double *j = rigid->moments;
    return stretch(rigid, state, (const double[3]){1 / j[0], 1 / j[1], 1 / j[2]}, momentum);
}

// ---- the start --------------------------------------------------------------------------

void pal_rigids_start(const PalModel *model, PalState *state)
{
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalRigid *rigid = &model->rigids[r];
        PalRigidState *s = &state->rigids[r];
        *s = (PalRigidState){.pose = pal_rigid_pose(rigid, 0)};
        s->orientation = s->next_orientation = pal_quaternion_identity();
        s->goal = s->pose;
        if (rigid->free) {
            s->pose = (PalPose){pal_mat3_identity(), rigid->centre, rigid->centre};
            s->velocity = s->old_velocity = rigid->velocity;
            s->momentum = stretch(rigid, s, rigid->moments, rigid->spin);
            s->old_momentum = s->momentum;
        }
        s->next = s->pose;
    }
}

// ---- forces -----------------------------------------------------------------------------

// From where the spring wants the body to where it is, as an axis times an angle.
static PalVec3 turn_from_goal(const PalRigidState *s)
{
    PalMat3 back = pal_mat3_transpose(&s->goal.rotation);
    PalMat3 apart = pal_mat3_multiply(&s->pose.rotation, &back);
    return pal_quaternion_rotation_vector(pal_quaternion_from_matrix(&apart));
}

// How much faster than the body the goal is.
static PalTwist lag_of(const PalRigid *rigid, const PalRigidState *s, PalVec3 velocity,
                       PalVec3 momentum)
{
    return (PalTwist){pal_vec3_sub(s->goal_twist.velocity, velocity),
                      pal_vec3_sub(s->goal_twist.spin, spin_of(rigid, s, momentum))};
}

static void pull(const PalRigid *rigid, PalRigidState *s)
{
    const PalSpringDef *spring = &rigid->spring;
    PalVec3 apart = pal_vec3_sub(s->pose.centre, s->goal.centre), turn = {0, 0, 0};
    PalVec3 push = pal_vec3_scale(-spring->stiffness, apart);
    if (spring->turning_stiffness > 0)
        turn = pal_vec3_scale(-spring->turning_stiffness, turn_from_goal(s));
    s->force = pal_vec3_add(s->force, push);
    s->torque = pal_vec3_add(s->torque, turn);
    PalTwist lag = lag_of(rigid, s, s->velocity, s->momentum);
    s->spring_force = pal_vec3_add_scaled(push, spring->damping, lag.velocity);
    s->spring_torque = pal_vec3_add_scaled(turn, spring->turning_damping, lag.spin);
}

static void load(const PalRigid *rigid, PalRigidState *s, PalVec3 gravity, double time)
{
    s->force =
        pal_vec3_add(pal_vec3_scale(rigid->mass, gravity), pal_rigid_given_load(rigid, s, 0, time));
    s->torque = pal_rigid_given_load(rigid, s, 1, time);
    if (!pal_spring_pulls(&rigid->spring))
        return;
    if (s->steered == 0) {
        s->goal = pal_rigid_pose(rigid, time);
        s->goal_twist = pal_rigid_twist(rigid, time);
    }
    pull(rigid, s);
}

void pal_rigids_load(const PalModel *model, PalState *state, double time)
{
    if (model->free_rigid_count == 0)
        return;
    PalVec3 gravity = pal_conditions_gravity(model->conditions, state->conditions, time);
    for (int32_t r = 0; r < model->rigid_count; ++r)
        if (model->rigids[r].free)
            load(&model->rigids[r], &state->rigids[r], gravity, time);
}

// ---- kick -------------------------------------------------------------------------------

// The damper of the spring acts on the mean of the velocities before and after, which adds
// gain d / 2 to the mass: it is stable however strong.   docs/theory/rigid.md, 4
static void find_inverses(const PalRigid *rigid, PalRigidState *s, double gain)
{
    double by[3], damping = rigid->spring.turning_damping;
    s->inverse_mass = 1 / (rigid->mass + gain * rigid->spring.damping / 2);
    for (int i = 0; i < 3; ++i)
        by[i] = 1 / (rigid->moments[i] + gain * damping / 2);
    for (int k = 0; k < 3; ++k) {
        PalVec3 column = stretch(rigid, s, by, pal_vec3(k == 0, k == 1, k == 2));
        s->inverse_inertia.m[0][k] = column.x;
        s->inverse_inertia.m[1][k] = column.y;
        s->inverse_inertia.m[2][k] = column.z;
    }
}

// What a turn impulse adds to the angular momentum, beside what the damper takes.
static PalVec3 gained_momentum(const PalRigid *rigid, const PalRigidState *s, PalVec3 turn_impulse)
{
    if (rigid->spring.turning_damping == 0)
        return turn_impulse;
    PalVec3 spin = pal_mat3_apply(&s->inverse_inertia, turn_impulse);
    return stretch(rigid, s, rigid->moments, spin);
}

// Changes are added, so that a body on which nothing acts keeps its velocities to the last bit.
static void kick(const PalRigid *rigid, const PalRigidStep *step, PalRigidState *s)
{
    find_inverses(rigid, s, step->gain);
    PalVec3 push = pal_vec3_scale(step->gain, s->force);
    PalVec3 turn = pal_vec3_scale(step->gain, s->torque);
    if (pal_spring_pulls(&rigid->spring)) {
        PalTwist lag = lag_of(rigid, s, s->velocity, s->momentum);
        push = pal_vec3_add_scaled(push, step->gain * rigid->spring.damping, lag.velocity);
        turn = pal_vec3_add_scaled(turn, step->gain * rigid->spring.turning_damping, lag.spin);
    }
    push = pal_vec3_add_scaled(push, rigid->mass * (step->keep - 1), s->velocity);
    turn = pal_vec3_add_scaled(turn, step->keep - 1, s->momentum);
    s->old_velocity = s->velocity;
    s->old_momentum = s->momentum;
    s->velocity = pal_vec3_add_scaled(s->velocity, s->inverse_mass, push);
    s->momentum = pal_vec3_add(s->momentum, gained_momentum(rigid, s, turn));
}

void pal_rigid_add_impulse(const PalRigid *rigid, PalRigidState *s, PalVec3 impulse,
                           PalVec3 turn_impulse)
{
    s->impulse = pal_vec3_add(s->impulse, impulse);
    s->turn_impulse = pal_vec3_add(s->turn_impulse, turn_impulse);
    if (!rigid->free)
        return;
    s->velocity = pal_vec3_add_scaled(s->velocity, s->inverse_mass, impulse);
    s->momentum = pal_vec3_add(s->momentum, gained_momentum(rigid, s, turn_impulse));
}

// ---- drift ------------------------------------------------------------------------------

bool pal_rigid_drift(const PalRigid *rigid, PalRigidState *s, double step)
{
    PalQuaternion turn;
    bool good = pal_turn_freely(rigid->moments, into_axes(rigid, s, s->momentum), step, &turn);
    PalVec3 axis = pal_mat3_apply(&rigid->axes, pal_quaternion_axis(turn));
    turn = (PalQuaternion){turn.w, axis.x, axis.y, axis.z};
    s->next_orientation = pal_quaternion_normalise(pal_quaternion_multiply(s->orientation, turn));
    s->next = (PalPose){
        .rotation = pal_quaternion_matrix(s->next_orientation),
        .pivot = s->pose.pivot,
        .centre = pal_vec3_add_scaled(s->pose.centre, step, s->velocity),
    };
    return good;
}

void pal_rigid_stay_turned(PalRigidState *s)
{
    s->next.rotation = s->pose.rotation;
    s->next_orientation = s->orientation;
}

// The chord of a turn by t is 2 sin(t / 2) long, and the squares of a change of rotation add up to
// twice its square.
double pal_rigid_moved(const PalRigidState *s, double arm)
{
    double squares = 0;
    for (int i = 0; i < 9; ++i) {
        double change = s->next.rotation.m[i / 3][i % 3] - s->pose.rotation.m[i / 3][i % 3];
        squares += change * change;
    }
    return pal_vec3_distance(s->pose.centre, s->next.centre) + sqrt(squares / 2) * arm;
}

// ---- the step ---------------------------------------------------------------------------

static PalStatus refuse_turn(const PalRigid *rigid, const PalRigidState *s, double time,
                             double length, PalError *error)
{
    PalVec3 momentum = into_axes(rigid, s, s->momentum);
    return pal_error_set(
        error, PAL_SIM_FAILED,
        "rigid \"%s\" turns by up to %.3g radians in the step of %.3g at time %.6g: "
        "use step: auto or a shorter step",
        rigid->name, pal_turn_angle_bound(rigid->moments, momentum, length), length, time);
}

PalStatus pal_rigids_begin_step(const PalModel *model, PalState *state, const PalRigidStep *step,
                                PalError *error)
{
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalRigid *rigid = &model->rigids[r];
        PalRigidState *s = &state->rigids[r];
        s->impulse = s->turn_impulse = pal_vec3(0, 0, 0);
        if (rigid->free) {
            kick(rigid, step, s);
            if (!pal_vec3_is_finite(s->velocity) || !pal_vec3_is_finite(s->momentum))
                return pal_error_set(error, PAL_SIM_FAILED,
                                     "rigid \"%s\" has no finite position after time %.6g: a force "
                                     "on it, or a spring, is too strong for the step of %.3g",
                                     rigid->name, state->time, step->next);
            if (!pal_rigid_drift(rigid, s, step->next))
                return refuse_turn(rigid, s, state->time, step->next, error);
        } else {
            s->next = s->steered != 0 ? pal_rigid_led_pose(s, step->end_time)
                                      : pal_rigid_pose(rigid, step->end_time);
        }
    }
    return PAL_OK;
}

// ---- work -------------------------------------------------------------------------------

static PalVec3 mean_of(PalVec3 a, PalVec3 b)
{
    return pal_vec3_scale(0.5, pal_vec3_add(a, b));
}

// What loads and spring, damping and contact do along a motion, given the velocities before and
// after. Damping is what is missing between the forces and the change of momentum.
static PalRigidWork work_along(const PalRigid *rigid, const PalRigidState *s,
                               const PalRigidStep *step, const PalTwist *motion)
{
    PalVec3 force = s->force, torque = s->torque;
    if (pal_spring_pulls(&rigid->spring)) {
        PalTwist lag = lag_of(rigid, s, mean_of(s->old_velocity, s->velocity),
                              mean_of(s->old_momentum, s->momentum));
        force = pal_vec3_add_scaled(force, rigid->spring.damping, lag.velocity);
        torque = pal_vec3_add_scaled(torque, rigid->spring.turning_damping, lag.spin);
    }
    double rate = 2 / (step->last + step->next);
    PalVec3 change = pal_vec3_sub(s->velocity, s->old_velocity);
    PalVec3 turn_change = pal_vec3_sub(s->momentum, s->old_momentum);
    PalVec3 drag = pal_vec3_add(force, s->contact_force);
    PalVec3 turn_drag = pal_vec3_add(torque, s->contact_torque);
    drag = pal_vec3_add_scaled(drag, -rate * rigid->mass, change);
    turn_drag = pal_vec3_add_scaled(turn_drag, -rate, turn_change);
    return (PalRigidWork){
        .external = pal_vec3_dot(force, motion->velocity) + pal_vec3_dot(torque, motion->spin),
        .damping = step->keep < 1 ? pal_vec3_dot(drag, motion->velocity) +
                                        pal_vec3_dot(turn_drag, motion->spin)
                                  : 0,
        .contact = pal_vec3_dot(s->contact_force, motion->velocity) +
                   pal_vec3_dot(s->contact_torque, motion->spin),
    };
}

// The goal at the end of a step. What has arrived stands still until it is told to go on.
static void lead(PalRigidState *s, double end_time)
{
    s->goal = pal_rigid_led_pose(s, end_time);
    s->goal_twist = s->wanted_twist;
    if (end_time >= s->wanted_time)
        s->wanted_twist = (PalTwist){{0, 0, 0}, {0, 0, 0}};
}

PalRigidWork pal_rigids_end_step(const PalModel *model, PalState *state, const PalRigidStep *step)
{
    PalRigidWork sum = {0};
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalRigid *rigid = &model->rigids[r];
        PalRigidState *s = &state->rigids[r];
        s->contact_force = pal_vec3_scale(1 / step->gain, s->impulse);
        s->contact_torque = pal_vec3_scale(1 / step->gain, s->turn_impulse);
        if (rigid->free) {
            PalVec3 before = spin_of(rigid, s, s->old_momentum);
            PalVec3 after = spin_of(rigid, s, s->momentum);
            PalTwist motion = {
                pal_vec3_add_scaled(pal_vec3_scale(step->last / 2, s->old_velocity), step->next / 2,
                                    s->velocity),
                pal_vec3_add_scaled(pal_vec3_scale(step->last / 2, before), step->next / 2, after),
            };
            PalRigidWork work = work_along(rigid, s, step, &motion);
            sum.external += work.external;
            sum.damping += work.damping;
            sum.contact += work.contact;
        }
        if (s->steered != 0)
            lead(s, step->end_time);
        s->pose = s->next;
        s->orientation = s->next_orientation;
    }
    return sum;
}

// ---- between steps ----------------------------------------------------------------------

// Central differences keep v- . M v+ / 2, and where the step changes the like of it.
// docs/theory/rigid.md, 3
PalRigidMotion pal_rigid_motion(const PalRigid *rigid, const PalRigidState *state,
                                const PalRigidStep *step, bool with_contact)
{
    PalRigidState s = *state;
    double part = step->last / (step->last + step->next);
    kick(rigid, step, &s);
    if (!with_contact)
        s.contact_force = s.contact_torque = pal_vec3(0, 0, 0);
    pal_rigid_add_impulse(rigid, &s, pal_vec3_scale(step->gain, s.contact_force),
                          pal_vec3_scale(step->gain, s.contact_torque));
    PalVec3 change = pal_vec3_sub(s.velocity, s.old_velocity);
    PalVec3 turn_change = pal_vec3_sub(s.momentum, s.old_momentum);
    PalRigidMotion motion;
    motion.momentum = pal_vec3_add_scaled(s.old_momentum, part, turn_change);
    motion.twist = (PalTwist){pal_vec3_add_scaled(s.old_velocity, part, change),
                              spin_of(rigid, &s, motion.momentum)};
    PalTwist last = {pal_vec3_scale(step->last / 2, s.old_velocity),
                     pal_vec3_scale(step->last / 2, spin_of(rigid, &s, s.old_momentum))};
    motion.pending = work_along(rigid, &s, step, &last);
    double squares = pal_vec3_dot(motion.twist.velocity, motion.twist.velocity) -
                     part * (1 - part) * pal_vec3_dot(change, change);
    double turning = pal_vec3_dot(motion.momentum, motion.twist.spin) -
                     part * (1 - part) * pal_vec3_dot(turn_change, spin_of(rigid, &s, turn_change));
    motion.kinetic = (rigid->mass * squares + turning) / 2;
    return motion;
}
