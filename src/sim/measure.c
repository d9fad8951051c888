// What is measured on a state: energies, momenta, motion of bodies, fields of cells.
#include "base/memory.h"
#include "element/elements.h"
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

// Central differences conserve v(-1/2) . M v(+1/2) / 2 + W, not the energy of either half step;
// where the step changes, the two middles are not equally far away.   docs/theory/time.md, 5
static Motion node_motion(const PalSim *sim, int32_t node)
{
    PalHalves half = pal_solver_halves(sim->model, sim->state, sim->solver, node);
    double last = sim->state->step, part = last / (last + sim->solver->next_step);
    PalVec3 change = pal_vec3_sub(half.after, half.before);
    PalVec3 v = pal_vec3_add_scaled(half.before, part, change);
    return (Motion){v, pal_vec3_dot(v, v) - part * (1 - part) * pal_vec3_dot(change, change)};
}

static double kinetic_energy(const PalSim *sim)
{
    double sum = 0;
    for (int32_t n = 0; n < sim->model->node_count; ++n)
        sum += sim->model->mass[n] * node_motion(sim, n).square / 2;
    return sum;
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

PalEnergy pal_sim_energy(PalSim *sim)
{
    const PalState *state = sim->state;
    PalWork pending = pal_solver_pending_work(sim->model, state, sim->solver);
    PalEnergy energy = {
        .kinetic = kinetic_energy(sim),
        .strain =
            pal_elements_energy(sim->model->elements, sim->solver->scratch, state->displacement),
        .external_work = state->external_work + pending.external,
        .contact_work = state->contact_work + pending.contact,
        .dissipated = state->damping_work + pending.damping,
        .initial = sim->initial_energy,
    };
    add_rigids(sim, &energy);
    if (state->history_count > 0)  // work on the elements that is not stored for good
        energy.dissipated += state->internal_work + pending.internal - energy.strain;
    if (!sim->solver->method->in_time)
        energy.dissipated = energy.external_work + energy.contact_work - energy.strain;
    return energy;
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
    for (int32_t n = 0; n < sim->model->node_count; ++n)
        velocity[n] = node_motion(sim, n).velocity;
}

PalVec3 pal_sim_momentum(const PalSim *sim)
{
    PalVec3 sum = {0, 0, 0};
    for (int32_t n = 0; n < sim->model->node_count; ++n)
        sum = pal_vec3_add_scaled(sum, sim->model->mass[n], node_motion(sim, n).velocity);
    for (int32_t r = 0; r < sim->model->rigid_count; ++r)
        if (sim->model->rigids[r].free) {
            PalRigidMotion motion =
                pal_solver_rigid_motion(sim->model, sim->state, sim->solver, r, true);
            sum = pal_vec3_add_scaled(sum, sim->model->rigids[r].mass, motion.twist.velocity);
        }
    return sum;
}

void pal_sim_rigid_motion(const PalSim *sim, int32_t rigid_index, PalPose *pose, PalTwist *twist)
{
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
}

PalVec3 pal_sim_angular_momentum(const PalSim *sim)
{
    PalVec3 sum = {0, 0, 0};
    double part = sim->state->step / (sim->state->step + sim->solver->next_step);
    for (int32_t n = 0; n < sim->model->node_count; ++n) {
        PalVec3 place = pal_vec3_add(sim->model->nodes[n], sim->state->displacement[n]);
        // without what contact is taken to do in the step to come: it balances where it acts only
        PalVec3 push = pal_solver_halves(sim->model, sim->state, sim->solver, n).push;
        PalVec3 velocity = pal_vec3_add_scaled(node_motion(sim, n).velocity, -part, push);
        PalVec3 turn = pal_vec3_cross(place, velocity);
        sum = pal_vec3_add_scaled(sum, sim->model->mass[n], turn);
    }
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

void pal_sim_body_motion(const PalSim *sim, int32_t body_index, PalVec3 *centroid,
                         PalVec3 *velocity)
{
    *centroid = *velocity = pal_vec3(0, 0, 0);
    if (body_index < 0 || body_index >= sim->model->body_count)
        return;
    const PalBody *body = &sim->model->bodies[body_index];
    for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n) {
        double share = sim->model->mass[n] / body->mass;
        PalVec3 place = pal_vec3_add(sim->model->nodes[n], sim->state->displacement[n]);
        *centroid = pal_vec3_add_scaled(*centroid, share, place);
        *velocity = pal_vec3_add_scaled(*velocity, share, node_motion(sim, n).velocity);
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
    size_t count = (size_t)model->cell_count;
    PalElementFields all = {
        .energy_density = fields->energy_density ? pal_alloc(count, sizeof(double)) : NULL,
        .von_mises = fields->von_mises ? pal_alloc(count, sizeof(double)) : NULL,
        .stress = fields->stress ? pal_alloc(count, 6 * sizeof(double)) : NULL,
        .volume_ratio = fields->volume_ratio ? pal_alloc(count, sizeof(double)) : NULL,
    };
    bool complete = !(fields->energy_density && !all.energy_density) &&
                    !(fields->von_mises && !all.von_mises) && !(fields->stress && !all.stress) &&
                    !(fields->volume_ratio && !all.volume_ratio);
    if (complete)
        pal_elements_fields(model->elements, sim->solver->scratch, sim->state->displacement,
                            sim->state->history, &all);
    for (int32_t c = 0; complete && c < cell_count; ++c) {
        int32_t e = model->cell_element[first_cell + c];
        if (fields->energy_density)
            fields->energy_density[c] = all.energy_density[e];
        if (fields->von_mises)
            fields->von_mises[c] = all.von_mises[e];
        if (fields->volume_ratio)
            fields->volume_ratio[c] = all.volume_ratio[e];
        for (int i = 0; fields->stress && i < 6; ++i)
            fields->stress[c][i] = all.stress[e][i];
    }
    pal_free(all.energy_density);
    pal_free(all.von_mises);
    pal_free(all.stress);
    pal_free(all.volume_ratio);
    return complete ? PAL_OK : PAL_NO_MEMORY;
}
