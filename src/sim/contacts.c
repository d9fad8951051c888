// What contact does to a simulation.
#include "contact/contact.h"
#include "contact/surface/sweep.h"
#include "math/vec3.h"
#include "sim/sim.h"

const PalContactPoint *pal_sim_contacts(const PalSim *sim, int32_t *count)
{
    const PalContact *contact = sim->solver->contact;
    *count = contact != NULL ? contact->point_count : 0;
    return contact != NULL ? contact->points : NULL;
}

PalContactReport pal_sim_contact_report(const PalSim *sim)
{
    const PalContact *contact = sim->solver->contact;
    return contact != NULL ? contact->report : (PalContactReport){0};
}

const PalContactPairReport *pal_sim_contact_pairs(const PalSim *sim, int32_t *count)
{
    const PalContact *contact = sim->solver->contact;
    *count = contact != NULL ? contact->pair_count : 0;
    return contact != NULL ? contact->pairs : NULL;
}

PalVec3 pal_sim_contact_force(const PalSim *sim, int32_t object, int32_t other)
{
    int32_t count;
    const PalContactPoint *points = pal_sim_contacts(sim, &count);
    PalVec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < count; ++i) {
        if (points[i].objects[0] == object && points[i].objects[1] == other)
            sum = pal_vec3_add(sum, points[i].force);
        if (points[i].objects[0] == other && points[i].objects[1] == object)
            sum = pal_vec3_sub(sum, points[i].force);
    }
    return sum;
}

void pal_sim_contact_load(const PalSim *sim, int32_t object, PalVec3 about, PalVec3 *force,
                          PalVec3 *torque)
{
    int32_t count;
    PalVec3 not_wanted[2];
    const PalContactPoint *points = pal_sim_contacts(sim, &count);
    force = force != NULL ? force : &not_wanted[0];
    torque = torque != NULL ? torque : &not_wanted[1];
    *force = *torque = (PalVec3){0, 0, 0};
    for (int32_t i = 0; i < count; ++i)
        for (int side = 0; side < 2; ++side) {
            if (points[i].objects[side] != object)
                continue;
            PalVec3 push = pal_vec3_scale(side == 0 ? 1 : -1, points[i].force);
            PalVec3 middle = pal_vec3_add(points[i].position[0], points[i].position[1]);
            PalVec3 arm = pal_vec3_sub(pal_vec3_scale(0.5, middle), about);
            *force = pal_vec3_add(*force, push);
            *torque = pal_vec3_add(*torque, pal_vec3_cross(arm, push));
        }
}

int32_t pal_sim_intersections(PalSim *sim)
{
    PalContact *contact = sim->solver->contact;
    if (contact == NULL)
        return 0;
    pal_contact_surface_place(contact->surface, sim->model, sim->state->displacement,
                              sim->state->rigids);
    PalSweepDef def = {.surface = contact->surface,
                       .positions = contact->surface->start,
                       .pairs = contact->objects};
    int32_t count = PAL_NONE;
    pal_sweep_crossings(&def, &count, NULL);
    return count;
}
