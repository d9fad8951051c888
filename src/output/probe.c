#include "output/probe.h"

#include "base/choice.h"
#include "base/memory.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "output/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const PalChoice records[] = {
    [PAL_RECORD_DISPLACEMENT] =
        {"displacement",
         "Mean displacement of the nodes. Free rigid body: displacement of its centre of mass."},
    [PAL_RECORD_VELOCITY] =
        {"velocity",
         "Mean velocity of the nodes. Free rigid body: velocity of its centre of mass."},
    [PAL_RECORD_POSITION] =
        {"position",
         "Mean position of the nodes. Free rigid body: position of its centre of mass."},
    [PAL_RECORD_FORCE] = {"force",
                          "With body: sum of the reaction forces that hold the nodes, without "
                          "the inertia of these nodes themselves. "
                          "With rigid or between: force of contact."},
    [PAL_RECORD_TORQUE] = {"torque", "Torque of contact, about the point `about`."},
    [PAL_RECORD_ROTATION] = {"rotation", "With rigid: rotation since the start, as axis times "
                                         "angle in radians, the short way round."},
    [PAL_RECORD_SPIN] = {"spin", "With rigid: angular velocity."},
    [PAL_RECORD_STRESS] = {"stress", "With body: principal values of the mean Cauchy stress of the "
                                     "cells at the nodes, the largest first."},
    [PAL_RECORD_STRAIN] = {"strain",
                           "With body: the same of the Green-Lagrange strain of these cells."},
    [PAL_RECORD_PRESSURE] = {"pressure",
                             "With body: mean, lowest and highest pressure in these cells."},
    [PAL_RECORD_VOLUME] = {"volume", "With body: volume of these cells now, at rest, and the "
                                     "ratio of the two."},
    [PAL_RECORD_AREA] = {"area", "With body: area around the nodes that contact presses on, and "
                                 "the mean and the largest pressure of contact there."},
};

PAL_CHOICE_ARRAY(record, PalRecord, records)

bool pal_probe_records(PalProbeKind kind, PalRecord record)
{
    switch (kind) {
    case PAL_PROBE_NODES:
        return record < PAL_RECORD_TORQUE || record > PAL_RECORD_SPIN;
    case PAL_PROBE_RIGID:
        return record <= PAL_RECORD_SPIN;
    case PAL_PROBE_CONTACT:
        return record == PAL_RECORD_FORCE || record == PAL_RECORD_TORQUE;
    }
    return false;
}

// ---- creating ---------------------------------------------------------------------------

// A point of the body moves as its cell does there. Forces hold nodes, though.
static PalStatus take_point(const PalBody *body, const PalProbeDef *def, PalProbe *probe,
                            PalError *error)
{
    PalMeshPlace place;
    PAL_TRY(pal_mesh_locate(body->mesh, def->where.point, &place, error));
    probe->nodes = malloc((size_t)place.node_count * sizeof *probe->nodes);
    if (probe->nodes == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the probes");
    probe->is_point = true;
    for (int32_t k = 0; k < place.node_count; ++k) {
        if (place.weights[k] == 0)
            continue;
        probe->weights[probe->node_count] = place.weights[k];
        probe->nodes[probe->node_count++] = body->first_node + place.nodes[k];
    }
    return PAL_OK;
}

static PalStatus take_body_nodes(const PalModel *model, const PalProbeDef *def, PalProbe *probe,
                                 PalError *error)
{
    if (def->body_index < 0 || def->body_index >= model->body_count)
        return pal_error_set(error, PAL_BAD_INPUT, "probe %s: no body with number %d", def->name,
                             (int)def->body_index);
    const PalBody *body = &model->bodies[def->body_index];
    if (def->where.kind == PAL_WHERE_POINT && def->record != PAL_RECORD_FORCE)
        return take_point(body, def, probe, error);
    PAL_TRY(
        pal_mesh_select_nodes(body->mesh, &def->where, &probe->nodes, &probe->node_count, error));
    if (probe->node_count == 0)
        return pal_error_set(error, PAL_BAD_INPUT, "probe %s: no node of body %s is selected",
                             def->name, body->name);
    for (int32_t i = 0; i < probe->node_count; ++i)
        probe->nodes[i] += body->first_node;
    return PAL_OK;
}

// In frames, the instruments' nodes follow those of the bodies.
static PalStatus take_rigid_nodes(const PalModel *model, const PalProbeDef *def, PalProbe *probe,
                                  PalError *error)
{
    int32_t r = def->rigid_index;
    if (r < 0 || r >= model->rigid_count)
        return pal_error_set(error, PAL_BAD_INPUT, "probe %s: no rigid instrument with number %d",
                             def->name, (int)r);
    int32_t first = model->node_count;
    for (int32_t i = 0; i < r; ++i)
        first += model->rigids[i].mesh->node_count;
    probe->objects[0] = probe->objects[1] = model->body_count + r;
    probe->node_count = model->rigids[r].mesh->node_count;
    probe->nodes = malloc((size_t)probe->node_count * sizeof *probe->nodes);
    if (probe->nodes == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the probes");
    for (int32_t i = 0; i < probe->node_count; ++i)
        probe->nodes[i] = first + i;
    return PAL_OK;
}

static PalStatus take_objects(const PalModel *model, const PalProbeDef *def, PalProbe *probe,
                              PalError *error)
{
    for (int i = 0; i < 2; ++i) {
        int32_t object = def->objects[i];
        if (object < 0 || object >= model->body_count + model->rigid_count)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "probe %s: no body or rigid instrument with number %d", def->name,
                                 (int)object);
        probe->objects[i] = object;
    }
    return PAL_OK;
}

static PalStatus create_one(const PalModel *model, const PalProbeDef *def, PalProbe *probe,
                            PalError *error)
{
    if (def->name == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "a probe has no name");
    if (pal_record_name(def->record) == NULL)
        return pal_error_set(error, PAL_BAD_INPUT, "probe %s: there is nothing %d to record",
                             def->name, (int)def->record);
    if (pal_history_has_name(def->name))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "probe %s: a column of the history already has this name", def->name);
    if (!pal_probe_records(def->kind, def->record))
        return pal_error_set(error, PAL_BAD_INPUT, "probe %s cannot record %s", def->name,
                             pal_record_name(def->record));
    if (def->has_about && (def->record != PAL_RECORD_TORQUE || !pal_vec3_is_finite(def->about)))
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "probe %s: `about` is given, expected a finite point and a torque to record",
            def->name);
    probe->kind = def->kind;
    probe->record = def->record;
    probe->has_about = def->has_about;
    probe->about = def->has_about ? def->about : pal_vec3(0, 0, 0);
    if (def->kind == PAL_PROBE_NODES)
        PAL_TRY(take_body_nodes(model, def, probe, error));
    else if (def->kind == PAL_PROBE_RIGID)
        PAL_TRY(take_rigid_nodes(model, def, probe, error));
    else
        PAL_TRY(take_objects(model, def, probe, error));
    if (pal_record_is_of_cells(def->record))
        PAL_TRY(pal_probe_take_cells(&model->bodies[def->body_index], probe, error));
    probe->name = pal_copy_text(def->name);
    return probe->name != NULL ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory");
}

PalStatus pal_probes_create(const PalModel *model, int32_t count, const PalProbeDef *defs,
                            PalProbe **probes, PalError *error)
{
    PalProbe *made = pal_alloc((size_t)count, sizeof *made);
    *probes = NULL;
    if (made == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the probes");
    PalStatus status = PAL_OK;
    for (int32_t p = 0; p < count && status == PAL_OK; ++p) {
        for (int32_t other = 0; other < p; ++other)
            if (defs[p].name != NULL && strcmp(defs[p].name, defs[other].name) == 0)
                status = pal_error_set(error, PAL_BAD_INPUT, "two probes have the name %s",
                                       defs[p].name);
        if (status == PAL_OK)
            status = create_one(model, &defs[p], &made[p], error);
    }
    if (status == PAL_OK)
        *probes = made;
    else
        pal_probes_destroy(made, count);
    return status;
}

void pal_probes_destroy(PalProbe *probes, int32_t count)
{
    for (int32_t p = 0; probes != NULL && p < count; ++p) {
        pal_free(probes[p].name);
        free(probes[p].nodes);
        pal_free(probes[p].cells);
        pal_free(probes[p].volumes);
    }
    pal_free(probes);
}

// ---- reading ----------------------------------------------------------------------------

// Of an instrument as a whole.
static PalVec3 rigid_motion(const PalProbe *probe, const PalSim *sim)
{
    const PalModel *model = pal_sim_model(sim);
    int32_t r = probe->objects[0] - model->body_count;
    PalPose pose;
    PalTwist twist;
    pal_sim_rigid_motion(sim, r, &pose, &twist);
    switch (probe->record) {
    case PAL_RECORD_ROTATION:
        return pal_quaternion_rotation_vector(pal_quaternion_from_matrix(&pose.rotation));
    case PAL_RECORD_SPIN:
        return twist.spin;
    case PAL_RECORD_VELOCITY:
        return twist.velocity;
    case PAL_RECORD_DISPLACEMENT:
        return pal_vec3_sub(pose.centre, pose.pivot);
    default:
        return pose.centre;
    }
}

static PalVec3 rigid_load(const PalProbe *probe, const PalSim *sim)
{
    const PalModel *model = pal_sim_model(sim);
    PalPose pose = pal_sim_state(sim)->rigids[probe->objects[0] - model->body_count].pose;
    PalVec3 about = probe->has_about ? pal_pose_apply(&pose, probe->about) : pose.centre;
    PalVec3 force, torque;
    pal_sim_contact_load(sim, probe->objects[0], about, &force, &torque);
    return probe->record == PAL_RECORD_FORCE ? force : torque;
}

// Turning is that of the whole, and so is all that a free body does. The rest is a mean over nodes.
static bool is_whole(const PalProbe *probe, const PalModel *model)
{
    return probe->record == PAL_RECORD_ROTATION || probe->record == PAL_RECORD_SPIN ||
           model->rigids[probe->objects[0] - model->body_count].free;
}

static PalVec3 torque_between(const PalProbe *probe, const PalSim *sim)
{
    int32_t count;
    const PalContactPoint *points = pal_sim_contacts(sim, &count);
    PalVec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < count; ++i)
        for (int side = 0; side < 2; ++side) {
            if (points[i].objects[side] != probe->objects[0] ||
                points[i].objects[1 - side] != probe->objects[1])
                continue;
            // both sides feel it at the same place: what one receives the other gives
            PalVec3 ends = pal_vec3_add(points[i].position[0], points[i].position[1]);
            PalVec3 arm = pal_vec3_sub(pal_vec3_scale(0.5, ends), probe->about);
            PalVec3 torque = pal_vec3_cross(arm, points[i].force);
            sum = pal_vec3_add_scaled(sum, side == 0 ? 1 : -1, torque);
        }
    return sum;
}

// What holds a node against its tissue, loads, contact and damping. What its own mass asks for to
// speed up or to stop is left out: it depends on the step, and a sudden stop would hide all else.
static PalVec3 holding_force(const PalSim *sim, int32_t node)
{
    const PalState *state = pal_sim_state(sim);
    const PalModel *model = pal_sim_model(sim);
    const PalSolverDef *solver = pal_sim_solver(sim);
    double drag = pal_method_in_time(solver->method) ? solver->damping * model->mass[node] : 0;
    PalVec3 all = pal_vec3_add(state->force[node], state->contact[node]);
    all = pal_vec3_add_scaled(all, -drag, state->velocity[node]);
    unsigned held = model->held[node];
    return pal_vec3(held & 1 ? -all.x : 0, held & 2 ? -all.y : 0, held & 4 ? -all.z : 0);
}

static PalVec3 node_value(PalRecord record, const PalProbeSource *source, int32_t node)
{
    switch (record) {
    case PAL_RECORD_DISPLACEMENT:
        return source->displacement[node];
    case PAL_RECORD_VELOCITY:
        return source->velocity[node];
    case PAL_RECORD_POSITION:
        return pal_vec3_add(source->reference[node], source->displacement[node]);
    case PAL_RECORD_FORCE:
        return holding_force(source->sim, node);
    default:
        return pal_vec3(0, 0, 0);
    }
}

PalVec3 pal_probe_value(const PalProbe *probe, const PalProbeSource *source)
{
    if (pal_record_is_of_cells(probe->record))
        return pal_probe_cells(probe, source->fields);
    if (pal_record_is_of_area(probe->record))
        return pal_probe_area(probe, source->frame);
    bool load = probe->record == PAL_RECORD_FORCE || probe->record == PAL_RECORD_TORQUE;
    if (load && probe->kind == PAL_PROBE_RIGID)
        return rigid_load(probe, source->sim);
    if (probe->kind == PAL_PROBE_RIGID && is_whole(probe, pal_sim_model(source->sim)))
        return rigid_motion(probe, source->sim);
    if (probe->kind == PAL_PROBE_CONTACT)
        return probe->record == PAL_RECORD_FORCE
                   ? pal_sim_contact_force(source->sim, probe->objects[0], probe->objects[1])
                   : torque_between(probe, source->sim);
    PalVec3 sum = {0, 0, 0};
    bool is_mean = probe->record != PAL_RECORD_FORCE;
    for (int32_t i = 0; i < probe->node_count; ++i) {
        double share = !is_mean ? 1 : probe->is_point ? probe->weights[i] : 1.0 / probe->node_count;
        sum = pal_vec3_add_scaled(sum, share, node_value(probe->record, source, probe->nodes[i]));
    }
    return sum;
}
