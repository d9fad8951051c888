// What is measured on a state: energies, momenta, motion of bodies, fields of cells.
#include "base/memory.h"
#include "element/elements.h"
#include "math/components.h"
#include "math/lanes.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "model/motion.h"
#include "sim/sim.h"
#include "solver/rigids.h"

#include <math.h>

// How a node moves at the state's time, between the middles of the last and the next step.
typedef struct Motion {
    PalVec3 velocity;
    double square;  // what stands for its square in the kinetic energy
} Motion;

// Of the last step in the time between the middles of the last and the next one.
static double part_of_last(const PalSim *sim)
{
    return sim->state->step / (sim->state->step + sim->solver->next_step);
}

// Central differences conserve v(-1/2) . M v(+1/2) / 2 + W, not the energy of either half step;
// where the step changes, the two middles are not equally far away.   docs/theory/time.md, eq. 5
static inline Motion between(const PalHalves *half, double part)
{
    PalVec3 change = pal_vec3_sub(half->after, half->before);
    PalVec3 v = pal_vec3_add_scaled(half->before, part, change);
    return (Motion){v, pal_vec3_dot(v, v) - part * (1 - part) * pal_vec3_dot(change, change)};
}

// Nodes whose motion is found at a time.
enum { NODES = 64 };

static int32_t find_halves(const PalSim *sim, int32_t first, int32_t end, PalHalves halves[NODES])
{
    int32_t count = end - first < NODES ? end - first : NODES;
    pal_solver_halves(sim->model, sim->state, sim->solver, first, count, halves);
    return count;
}

// What all nodes add up to.
typedef struct Sums {
    double kinetic;
    PalWork pending;
    PalVec3 momentum, angular_momentum;
} Sums;

// Which works there can be; asked once, not for every node.
typedef struct Works {
    bool loads, histories, contact;
    double half_step, damping, part;  // `part` as in Motion
} Works;

static Works find_works(const PalSim *sim)
{
    const PalSolver *solver = sim->solver;
    return (Works){
        .loads = solver->has_loads,
        .histories = sim->state->history_count > 0,
        .contact = solver->contact != NULL,
        // implicit methods lack no work
        .half_step = solver->method->implicit ? 0 : sim->state->step / 2,
        .damping = solver->def.damping,
        .part = part_of_last(sim),
    };
}

// Adds a node's work of the second half of the last step: what the running totals still lack.
static inline void add_pending_work(const PalSim *sim, int32_t n, const PalHalves *half,
                                    const Works *works, PalWork *work)
{
    const PalState *state = sim->state;
    PalVec3 motion = pal_vec3_scale(works->half_step, half->before);
    if (works->loads || sim->model->held[n] != 0) {
        PalVec3 outside = pal_vec3_add(state->external[n], state->reaction[n]);
        work->external += pal_vec3_dot(outside, motion);
    }
    if (works->histories) {
        PalVec3 inside = pal_vec3_sub(state->external[n], state->force[n]);
        work->internal += pal_vec3_dot(inside, motion);
    }
    PalVec3 contact = works->contact ? state->contact[n] : pal_vec3(0, 0, 0);
    if (contact.x != 0 || contact.y != 0 || contact.z != 0) {
        PalVec3 free = pal_vec3_without(contact, sim->model->held[n]);
        work->contact += pal_vec3_dot(contact, motion);
        work->external -= pal_vec3_dot(pal_vec3_sub(contact, free), motion);
        // what the blow to come adds to the kinetic energy besides, where the step changes
        PalVec3 change = pal_vec3_sub(half->after, half->before);
        PalVec3 other = pal_vec3_sub(change, half->push);
        other = pal_vec3_add_scaled(other, pal_solver_held_back(other, half->push), half->push);
        work->contact += sim->model->mass[n] / 2 * works->part * (2 * works->part - 1) *
                         (pal_vec3_dot(change, change) - pal_vec3_dot(other, other));
    }
    if (works->damping > 0) {
        PalVec3 velocity = pal_vec3_scale(0.5, pal_vec3_add(half->before, half->after));
        work->damping += works->damping * sim->model->mass[n] * pal_vec3_dot(velocity, motion);
    }
}

// A number for each of a few nodes.
typedef double PerNode[NODES];

// What each node adds: momentum, kinetic energy, and angular momentum without what contact is taken
// to do in the step to come, which balances where it acts only.
typedef struct Parts {
    PerNode kinetic, x, y, z, around_x, around_y, around_z;
} Parts;

PAL_CLONES static void find_parts(const PalSim *sim, int32_t first, int32_t count,
                                  const PalHalves *halves, Parts *parts)
{
    double part = part_of_last(sim);
    for (int32_t k = 0; k < count; ++k) {
        int32_t n = first + k;
        Motion motion = between(&halves[k], part);
        double mass = sim->model->mass[n];
        PalVec3 turning = pal_vec3_add_scaled(motion.velocity, -part, halves[k].push);
        PalVec3 place = pal_vec3_add(sim->model->nodes[n], sim->state->displacement[n]);
        PalVec3 around = pal_vec3_cross(place, turning);
        parts->kinetic[k] = mass * motion.square / 2;
        parts->x[k] = mass * motion.velocity.x;
        parts->y[k] = mass * motion.velocity.y;
        parts->z[k] = mass * motion.velocity.z;
        parts->around_x[k] = mass * around.x;
        parts->around_y[k] = mass * around.y;
        parts->around_z[k] = mass * around.z;
    }
}

// Node after node, so that the sums are the same wherever this runs.
static inline void add_parts(const Parts *parts, int32_t count, Sums *sums)
{
    Sums s = *sums;
    for (int32_t k = 0; k < count; ++k) {
        s.kinetic += parts->kinetic[k];
        s.momentum.x += parts->x[k];
        s.momentum.y += parts->y[k];
        s.momentum.z += parts->z[k];
        s.angular_momentum.x += parts->around_x[k];
        s.angular_momentum.y += parts->around_y[k];
        s.angular_momentum.z += parts->around_z[k];
    }
    *sums = s;
}

// All in one go: finding out how a node moves is most of the work. `velocity` may be NULL.
static Sums sum_nodes(const PalSim *sim, PalVec3 *velocity)
{
    PalHalves halves[NODES];
    Parts parts;
    Sums sums = {0};
    PalWork pending = {0};
    const Works works = find_works(sim);
    const uint8_t *held = sim->model->held;
    bool all = works.loads || works.histories || works.contact || works.damping > 0;
    double part = part_of_last(sim);
    for (int32_t n = 0, count; n < sim->model->node_count; n += count) {
        count = find_halves(sim, n, sim->model->node_count, halves);
        find_parts(sim, n, count, halves, &parts);
        add_parts(&parts, count, &sums);
        for (int32_t k = 0; k < count; ++k)
            if (all || held[n + k] != 0)
                add_pending_work(sim, n + k, &halves[k], &works, &pending);
        for (int32_t k = 0; velocity != NULL && k < count; ++k)
            velocity[n + k] = between(&halves[k], part).velocity;
    }
    sums.pending = pending;
    return sums;
}

// Adds kinetic energy and pending work of the free rigid bodies.
static void add_rigids(const PalSim *sim, PalEnergy *energy)
{
    for (int32_t r = 0; r < sim->model->rigid_count; ++r) {
        if (!sim->model->rigids[r].free)
            continue;
        PalRigidMotion motion =
            pal_solver_rigid_motion(sim->model, sim->state, sim->solver, r, true);
        energy->kinetic += motion.kinetic;
        energy->external_work += motion.pending.external;
        energy->contact_work += motion.pending.contact;
        energy->dissipated += motion.pending.damping;
    }
}

static double strain_of(PalSim *sim)
{
    const PalSolver *solver = sim->solver;
    if (solver->strain_step == sim->state->step_count)
        return solver->strain;
    return pal_elements_energy(sim->model->elements, solver->scratch, sim->state->displacement);
}

static PalEnergy energy_of(PalSim *sim, const Sums *sums)
{
    const PalState *state = sim->state;
    PalEnergy energy = {
        .kinetic = sums->kinetic,
        .strain = strain_of(sim),
        .external_work = state->external_work + sums->pending.external,
        .contact_work = state->contact_work + sums->pending.contact,
        .dissipated = state->damping_work + sums->pending.damping,
        .initial = sim->initial_energy,
    };
    add_rigids(sim, &energy);
    // Work on the elements that is not stored for good: materials that relax, and explicit methods
    // smooth pressures from step to step.
    const PalMethodRow *method = sim->solver->method;
    if (method->implicit ? pal_elements_relax(sim->model->elements) : state->history_count > 0)
        energy.dissipated += state->internal_work + sums->pending.internal - energy.strain;
    // Schemes in time that damp and the way of a relaxation to rest take away what is left over.
    bool damps = method->implicit && sim->solver->def.scheme != PAL_SCHEME_NEWMARK;
    if (method->in_time ? damps : !method->implicit)
        energy.dissipated = energy.initial + energy.external_work + energy.contact_work -
                            energy.kinetic - energy.strain;
    return energy;
}

PalEnergy pal_sim_energy(PalSim *sim)
{
    Sums sums = sum_nodes(sim, NULL);
    return energy_of(sim, &sums);
}

double pal_energy_scale(const PalEnergy *energy)
{
    return fmax(fmax(fabs(energy->kinetic + energy->strain), fabs(energy->initial)),
                fmax(fabs(energy->external_work), fabs(energy->dissipated)));
}

double pal_energy_drift(const PalEnergy *energy)
{
    double total = energy->kinetic + energy->strain;
    double expected =
        energy->initial + energy->external_work + energy->contact_work - energy->dissipated;
    double scale = pal_energy_scale(energy);
    return scale > 0 ? (total - expected) / scale : 0;
}

void pal_sim_velocity(const PalSim *sim, PalVec3 *velocity)
{
    sum_nodes(sim, velocity);
}

static PalVec3 momentum_of(const PalSim *sim, PalVec3 sum)
{
    for (int32_t r = 0; r < sim->model->rigid_count; ++r)
        if (sim->model->rigids[r].free) {
            PalRigidMotion motion =
                pal_solver_rigid_motion(sim->model, sim->state, sim->solver, r, true);
            sum = pal_vec3_add_scaled(sum, sim->model->rigids[r].mass, motion.twist.velocity);
        }
    return sum;
}

static PalVec3 angular_momentum_of(const PalSim *sim, PalVec3 sum)
{
    for (int32_t r = 0; r < sim->model->rigid_count; ++r)
        if (sim->model->rigids[r].free) {
            PalRigidMotion motion =
                pal_solver_rigid_motion(sim->model, sim->state, sim->solver, r, false);
            PalVec3 turn = pal_vec3_cross(sim->state->rigids[r].pose.centre, motion.twist.velocity);
            sum = pal_vec3_add_scaled(sum, sim->model->rigids[r].mass, turn);
            sum = pal_vec3_add(sum, motion.momentum);
        }
    return sum;
}

PalVec3 pal_sim_momentum(const PalSim *sim)
{
    return momentum_of(sim, sum_nodes(sim, NULL).momentum);
}

PalVec3 pal_sim_angular_momentum(const PalSim *sim)
{
    return angular_momentum_of(sim, sum_nodes(sim, NULL).angular_momentum);
}

PalMeasures pal_sim_measure(PalSim *sim, PalVec3 *velocity)
{
    Sums sums = sum_nodes(sim, velocity);
    return (PalMeasures){
        .energy = energy_of(sim, &sums),
        .momentum = momentum_of(sim, sums.momentum),
        .angular_momentum = angular_momentum_of(sim, sums.angular_momentum),
    };
}

// The same motion, told by another point.
static void tell_about(PalVec3 pivot, PalPose *pose, PalTwist *twist)
{
    PalVec3 centre = pal_pose_apply(pose, pivot);
    PalVec3 arm = pal_vec3_sub(centre, pose->centre);
    twist->velocity = pal_vec3_add(twist->velocity, pal_vec3_cross(twist->spin, arm));
    *pose = (PalPose){pose->rotation, pivot, centre};
}

void pal_sim_rigid_motion(const PalSim *sim, int32_t rigid_index, PalPose *pose, PalTwist *twist)
{
    PalPose no_pose;
    PalTwist no_twist;
    pose = pose != NULL ? pose : &no_pose;
    twist = twist != NULL ? twist : &no_twist;
    if (rigid_index < 0 || rigid_index >= sim->model->rigid_count) {
        *pose = (PalPose){.rotation = pal_mat3_identity()};
        *twist = (PalTwist){0};
        return;
    }
    const PalRigid *rigid = &sim->model->rigids[rigid_index];
    const PalRigidState *state = &sim->state->rigids[rigid_index];
    double time = pal_solver_load_time(sim->state, sim->solver);
    *pose = state->pose;
    if (rigid->free)
        *twist =
            pal_solver_rigid_motion(sim->model, sim->state, sim->solver, rigid_index, true).twist;
    else
        *twist = state->steered != 0 ? state->goal_twist : pal_rigid_twist(rigid, time);
    if (!rigid->free && state->steered != 0)
        tell_about(sim->pivots[rigid_index], pose, twist);
}

void pal_sim_body_motion(const PalSim *sim, int32_t body_index, PalVec3 *centroid,
                         PalVec3 *velocity)
{
    PalVec3 not_wanted[2];
    centroid = centroid != NULL ? centroid : &not_wanted[0];
    velocity = velocity != NULL ? velocity : &not_wanted[1];
    *centroid = *velocity = pal_vec3(0, 0, 0);
    if (body_index < 0 || body_index >= sim->model->body_count)
        return;
    const PalBody *body = &sim->model->bodies[body_index];
    PalHalves halves[NODES];
    double part = part_of_last(sim);
    int32_t end = body->first_node + body->mesh->node_count;
    for (int32_t first = body->first_node, count; first < end; first += count) {
        count = find_halves(sim, first, end, halves);
        for (int32_t n = first; n < first + count; ++n) {
            double share = sim->model->mass[n] / body->mass;
            PalVec3 place = pal_vec3_add(sim->model->nodes[n], sim->state->displacement[n]);
            Motion motion = between(&halves[n - first], part);
            *centroid = pal_vec3_add_scaled(*centroid, share, place);
            *velocity = pal_vec3_add_scaled(*velocity, share, motion.velocity);
        }
    }
}

PalStatus pal_sim_cell_fields(PalSim *sim, int32_t body_index, const PalCellFields *fields)
{
    const PalModel *model = sim->model;
    bool whole = body_index == PAL_NONE;
    if (!whole && (body_index < 0 || body_index >= model->body_count))
        return PAL_BAD_INPUT;
    int32_t first_cell = whole ? 0 : model->bodies[body_index].first_cell;
    int32_t cell_count = whole ? model->cell_count : model->bodies[body_index].mesh->cell_count;
    int32_t *places = pal_alloc((size_t)model->cell_count, sizeof *places);
    if (places == NULL)
        return PAL_NO_MEMORY;
    for (int32_t c = 0; c < model->cell_count; ++c) {
        bool wanted = c >= first_cell && c < first_cell + cell_count;
        places[model->cell_element[c]] = wanted ? c - first_cell : PAL_NONE;
    }
    PalElementFields all = {
        .energy_density = fields->energy_density,
        .von_mises = fields->von_mises,
        .stress = fields->stress,
        .strain = fields->strain,
        .volume_ratio = fields->volume_ratio,
        .thickness = fields->thickness,
        .top = fields->top,
        .bottom = fields->bottom,
        .tension = fields->tension,
        .moment = fields->moment,
        .places = places,
    };
    pal_elements_fields(model->elements, sim->solver->scratch, sim->state->displacement,
                        sim->state->history, &all);
    pal_free(places);
    return PAL_OK;
}
