// What a program may change while a simulation runs, and what it reads in return.
#include "base/choice.h"
#include "contact/contact.h"
#include "math/quaternion.h"
#include "model/conditions.h"
#include "model/led.h"
#include "model/motion.h"
#include "model/rigid_state.h"
#include "sim/sim.h"
#include <palpate/steer.h>

#include <math.h>

#define ROUND 1e-6  // how far a rotation given by a program may be from one

static bool can_be_steered(int32_t method, int32_t what)
{
    (void)what;
    return pal_method_row((PalMethod)method)->replan != NULL;
}

static PalStatus check_method(const PalSim *sim, PalError *error)
{
    if (sim->solver->method->replan != NULL)
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT, "method %s cannot be steered; use %s",
                         sim->solver->method->choice.name,
                         pal_choices_that(pal_method_choice, can_be_steered, 0).text);
}

static PalStatus check_time(double time, PalError *error)
{
    if (isfinite(time))
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT, "steered until time %g, expected a finite time",
                         time);
}

static PalStatus replan(PalSim *sim, PalError *error)
{
    return pal_solver_replan(sim->model, sim->state, sim->solver, error);
}

// From what a value is now to what is wanted.
static PalConditionState lead_value(const PalSim *sim, PalVec3 now, PalVec3 wanted, double time)
{
    return (PalConditionState){
        .steered = 1,
        .left = now,
        .wanted = wanted,
        .left_time = sim->state->time,
        .wanted_time = fmax(time, sim->state->time),
    };
}

// ---- rigid instruments and bodies -------------------------------------------------------

static PalStatus check_index(const PalSim *sim, int32_t rigid_index, PalError *error)
{
    if (rigid_index >= 0 && rigid_index < sim->model->rigid_count)
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT, "there is no rigid instrument %d, expected 0 to %d",
                         (int)rigid_index, (int)sim->model->rigid_count - 1);
}

static PalStatus check_pose(const PalSim *sim, int32_t rigid_index, const PalPose *pose,
                            const PalTwist *twist, PalError *error)
{
    PAL_TRY(check_method(sim, error));
    PAL_TRY(check_index(sim, rigid_index, error));
    const PalRigid *rigid = &sim->model->rigids[rigid_index];
    if (!pal_mat3_is_rotation(&pose->rotation, ROUND) || !pal_vec3_is_finite(pose->pivot) ||
        !pal_vec3_is_finite(pose->centre) || !pal_vec3_is_finite(twist->velocity) ||
        !pal_vec3_is_finite(twist->spin))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "rigid \"%s\": its new pose has no rotation, or a number that is not "
                             "finite",
                             rigid->name);
    if (rigid->free && !pal_spring_pulls(&rigid->spring))
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "rigid \"%s\" is free and has no spring to pull it there; give it a spring",
            rigid->name);
    return PAL_OK;
}

// The same place, said by the point that this one turns about, and with a rotation that is one to
// rounding.
static PalPose own_pose(const PalRigid *rigid, const PalPose *pose)
{
    PalQuaternion turn = pal_quaternion_normalise(pal_quaternion_from_matrix(&pose->rotation));
    PalVec3 pivot = pal_rigid_pivot(rigid);
    return (PalPose){pal_quaternion_matrix(turn), pivot, pal_pose_apply(pose, pivot)};
}

// From where it is now, or from where its spring pulls.
static void leave(PalSim *sim, int32_t rigid_index, const PalPose *pose)
{
    const PalRigid *rigid = &sim->model->rigids[rigid_index];
    PalRigidState *state = &sim->state->rigids[rigid_index];
    state->left = rigid->free ? state->goal : state->pose;
    state->left_time = sim->state->time;
    state->wanted = own_pose(rigid, pose);
    sim->pivots[rigid_index] = pose->pivot;
    state->steered = 1;
}

PalStatus pal_sim_set_rigid_pose(PalSim *sim, int32_t rigid_index, const PalPose *pose,
                                 const PalTwist *twist, PalError *error)
{
    PAL_TRY(check_pose(sim, rigid_index, pose, twist, error));
    PalRigidState *state = &sim->state->rigids[rigid_index];
    leave(sim, rigid_index, pose);
    PalVec3 arm = pal_vec3_sub(state->wanted.centre, pose->centre);
    state->wanted_twist = (PalTwist){
        pal_vec3_add(twist->velocity, pal_vec3_cross(twist->spin, arm)),
        twist->spin,
    };
    state->wanted_time = state->left_time;
    return replan(sim, error);
}

PalStatus pal_sim_move_rigid(PalSim *sim, int32_t rigid_index, const PalPose *pose, double time,
                             PalError *error)
{
    PalTwist still = {{0, 0, 0}, {0, 0, 0}};
    PAL_TRY(check_pose(sim, rigid_index, pose, &still, error));
    PAL_TRY(check_time(time, error));
    if (!(time > sim->state->time))
        return pal_sim_set_rigid_pose(sim, rigid_index, pose, &still, error);
    PalRigidState *state = &sim->state->rigids[rigid_index];
    leave(sim, rigid_index, pose);
    state->wanted_time = time;
    state->wanted_twist = pal_rigid_led_twist(state);
    return replan(sim, error);
}

PalStatus pal_sim_set_rigid_load(PalSim *sim, int32_t rigid_index, PalVec3 force, PalVec3 torque,
                                 double time, PalError *error)
{
    PAL_TRY(check_method(sim, error));
    PAL_TRY(check_index(sim, rigid_index, error));
    PAL_TRY(check_time(time, error));
    const PalRigid *rigid = &sim->model->rigids[rigid_index];
    if (!rigid->free)
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "rigid \"%s\" has no mass, so loads have no effect on it; give it a mass", rigid->name);
    if (!pal_vec3_is_finite(force) || !pal_vec3_is_finite(torque))
        return pal_error_set(error, PAL_BAD_INPUT, "the new load of rigid \"%s\" is not finite",
                             rigid->name);
    PalRigidState *state = &sim->state->rigids[rigid_index];
    for (int k = 0; k < 2; ++k)
        state->loads[k] = lead_value(sim, pal_rigid_given_load(rigid, state, k, sim->state->time),
                                     k == 0 ? force : torque, time);
    return replan(sim, error);
}

PalStatus pal_sim_read_rigid(const PalSim *sim, int32_t rigid_index, PalRigidReading *reading,
                             PalError *error)
{
    PAL_TRY(check_index(sim, rigid_index, error));
    const PalRigidState *state = &sim->state->rigids[rigid_index];
    *reading = (PalRigidReading){
        .spring_force = state->spring_force,
        .spring_torque = state->spring_torque,
        .goal = state->goal,
    };
    pal_sim_rigid_motion(sim, rigid_index, &reading->pose, &reading->twist);
    if (!sim->model->rigids[rigid_index].free)
        reading->goal = reading->pose;
    pal_sim_contact_load(sim, sim->model->body_count + rigid_index, reading->pose.centre,
                         &reading->contact_force, &reading->contact_torque);
    return PAL_OK;
}

// ---- conditions and friction ------------------------------------------------------------

static const char *const kind_names[] = {
    [PAL_CONDITION_FIX] = "fixes nodes",        [PAL_CONDITION_DISPLACE] = "displaces nodes",
    [PAL_CONDITION_FORCE] = "is a force",       [PAL_CONDITION_PRESSURE] = "is a pressure",
    [PAL_CONDITION_TRACTION] = "is a traction", [PAL_CONDITION_GRAVITY] = "is gravity",
    [PAL_CONDITION_ROTATE] = "turns nodes",     [PAL_CONDITION_ATTACH] = "attaches nodes",
};

static PalStatus check_condition(const PalSim *sim, int32_t condition, PalError *error)
{
    if (condition >= 0 && condition < sim->model->condition_count)
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT, "there is no condition %d, expected 0 to %d",
                         (int)condition, (int)sim->model->condition_count - 1);
}

// Each setter is for some kinds, one bit for each.
static PalStatus set_condition(PalSim *sim, int32_t condition, unsigned kinds, PalVec3 value,
                               double time, PalError *error)
{
    PAL_TRY(check_method(sim, error));
    PAL_TRY(check_condition(sim, condition, error));
    PAL_TRY(check_time(time, error));
    PalConditionKind kind = pal_conditions_kind(sim->model->conditions, condition);
    if (!(kinds >> kind & 1))
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "condition %d %s: this function cannot set its value, see palpate/steer.h%s",
            (int)condition, kind_names[kind],
            kind == PAL_CONDITION_FIX ? "; displace them by 0 instead" : "");
    if (!pal_vec3_is_finite(value))
        return pal_error_set(error, PAL_BAD_INPUT, "the new value of condition %d is not finite",
                             (int)condition);
    PalVec3 now = pal_conditions_value(sim->model->conditions, sim->state->conditions, condition,
                                       sim->state->time);
    sim->state->conditions[condition] = lead_value(sim, now, value, time);
    return replan(sim, error);
}

PalStatus pal_sim_set_load(PalSim *sim, int32_t condition_index, PalVec3 value, double time,
                           PalError *error)
{
    unsigned kinds =
        1u << PAL_CONDITION_FORCE | 1u << PAL_CONDITION_TRACTION | 1u << PAL_CONDITION_GRAVITY;
    return set_condition(sim, condition_index, kinds, value, time, error);
}

PalStatus pal_sim_set_pressure(PalSim *sim, int32_t condition_index, double pressure, double time,
                               PalError *error)
{
    return set_condition(sim, condition_index, 1u << PAL_CONDITION_PRESSURE,
                         pal_vec3(pressure, 0, 0), time, error);
}

PalStatus pal_sim_set_displacement(PalSim *sim, int32_t condition_index, PalVec3 displacement,
                                   double time, PalError *error)
{
    unsigned kinds = 1u << PAL_CONDITION_DISPLACE | 1u << PAL_CONDITION_ROTATE;
    return set_condition(sim, condition_index, kinds, displacement, time, error);
}

PalStatus pal_sim_condition_value(const PalSim *sim, int32_t condition_index, PalVec3 *value,
                                  PalError *error)
{
    PAL_TRY(check_condition(sim, condition_index, error));
    *value = pal_conditions_value(sim->model->conditions, sim->state->conditions, condition_index,
                                  pal_solver_load_time(sim->state, sim->solver));
    if (pal_conditions_kind(sim->model->conditions, condition_index) == PAL_CONDITION_FIX)
        *value = pal_vec3(0, 0, 0);
    return PAL_OK;
}

PalStatus pal_sim_set_friction(PalSim *sim, int32_t object, int32_t other, double friction,
                               PalError *error)
{
    if (!(friction >= 0) || !isfinite(friction))
        return pal_error_set(error, PAL_BAD_INPUT, "friction is %g, expected a number >= 0",
                             friction);
    PalContact *contact = sim->solver->contact;
    int32_t count = sim->model->body_count + sim->model->rigid_count;
    bool known = contact != NULL && object >= 0 && object < count && other >= 0 && other < count;
    if (known && pal_contact_friction(contact, object, other) >= 0)
        return pal_contact_set_friction(contact, object, other, friction)
                   ? PAL_OK
                   : pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    return pal_error_set(error, PAL_BAD_INPUT,
                         "objects %d and %d are not a pair of the contact definition", (int)object,
                         (int)other);
}
