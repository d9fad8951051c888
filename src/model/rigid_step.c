// How long a step suits free bodies. Their turning and drifting is stable for any step, springs are
// stable below 2 / w; the rest is for accuracy.   docs/theory/rigid.md, 5
#include "math/vec3.h"
#include "model/conditions.h"
#include "model/motion.h"
#include "model/rigid_state.h"

#define TURN        0.05  // radians in a step: 126 steps a turn
#define TRAVEL      0.1   // of the body's radius in a step, as fast as it is
#define FALL        0.02  // of the body's radius in a step, from rest
#define STEPS_LEAST 1000  // where nothing soft asks for more

// The time from rest.
static double time_to_cover(double distance, double acceleration)
{
    return sqrt(2 * distance / acceleration);
}

// The next lower power of two: a step that follows each change would never stay the same.
static double settled(double step)
{
    int exponent;
    if (!(step > 0 && step < INFINITY))
        return step;
    frexp(step, &exponent);
    return ldexp(1, exponent - 1);
}

// The highest circular frequency of its spring.
static double beat_of(const PalRigid *rigid)
{
    return fmax(sqrt(rigid->spring.stiffness / rigid->mass),
                sqrt(rigid->spring.turning_stiffness / rigid->moments[0]));
}

static double longest_step(const PalRigid *rigid, const PalRigidState *s, PalVec3 gravity)
{
    const double *j = rigid->moments;
    // whichever way it lies, angular velocity is at most this
    double spin = pal_vec3_length(s->momentum) / j[0];
    double torque = fmax(pal_vec3_length(rigid->torque), pal_vec3_length(s->torque));
    double force = fmax(pal_vec3_length(rigid->force), pal_vec3_length(s->force));
    double turning = fmax(torque, pal_vec3_length(s->loads[1].wanted)) / j[0];
    double push = fmax(force, pal_vec3_length(s->loads[0].wanted)) / rigid->mass;
    double travel = fmin(TRAVEL * rigid->radius / pal_vec3_length(s->velocity),
                         time_to_cover(FALL * rigid->radius, push + pal_vec3_length(gravity)));
    double turn = fmin(TURN / spin, time_to_cover(TURN, turning));
    return fmin(2 / beat_of(rigid), settled(fmin(turn, travel)));
}

double pal_rigid_travel(const PalModel *model, const PalState *state, int32_t rigid_index,
                        double time, double arm)
{
    const PalRigid *rigid = &model->rigids[rigid_index];
    const PalRigidState *s = &state->rigids[rigid_index];
    if (!rigid->free && s->steered != 0) {  // on to where it is wanted, and beyond
        PalRigidState wanted = *s;
        wanted.next = s->wanted;
        double speed =
            pal_vec3_length(s->wanted_twist.velocity) + pal_vec3_length(s->wanted_twist.spin) * arm;
        double jump = s->wanted_time > state->time ? 0 : pal_rigid_moved(&wanted, arm);
        return jump + (time - state->time) * speed;
    }
    if (!rigid->free)
        return pal_rigid_stride(rigid, state->time, time, arm);
    double spin = pal_vec3_length(s->momentum) / rigid->moments[0];
    return (time - state->time) * (pal_vec3_length(s->velocity) + spin * arm);
}

double pal_rigids_stable_step(const PalModel *model)
{
    double fastest = 0;
    for (int32_t r = 0; r < model->rigid_count; ++r)
        if (model->rigids[r].free)
            fastest = fmax(fastest, beat_of(&model->rigids[r]));
    return 2 / fastest;
}

double pal_rigids_longest_step(const PalModel *model, const PalState *state)
{
    if (model->free_rigid_count == 0)
        return INFINITY;
    double longest = model->node_count == 0 ? model->end_time / STEPS_LEAST : INFINITY;
    PalVec3 gravity = pal_conditions_gravity(model->conditions, state->conditions, state->time);
    for (int32_t r = 0; r < model->rigid_count; ++r)
        if (model->rigids[r].free)
            longest = fmin(longest, longest_step(&model->rigids[r], &state->rigids[r], gravity));
    return longest;
}
