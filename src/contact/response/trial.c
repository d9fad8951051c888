#include "contact/response/trial.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define FAR  3.0   // mean edges: no vertex goes farther in one correction
#define TURN 0.35  // radians, at most, by which an instrument may turn in a step

PalStatus pal_trial_create(PalContact *contact, PalError *error)
{
    PalTrial *trial = contact->trial = pal_alloc(1, sizeof *trial);
    size_t vertices = (size_t)contact->surface->vertex_count + 1;
    if (trial != NULL) {
        trial->first = pal_alloc(vertices, sizeof *trial->first);
        trial->last = pal_alloc(vertices, sizeof *trial->last);
        trial->place = pal_alloc(vertices, sizeof *trial->place);
        trial->stiffness =
            pal_alloc((size_t)contact->surface->object_count, sizeof *trial->stiffness);
    }
    if (trial == NULL || trial->first == NULL || trial->last == NULL || trial->place == NULL ||
        trial->stiffness == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    return PAL_OK;
}

void pal_trial_destroy(PalContact *contact)
{
    PalTrial *trial = contact->trial;
    if (trial == NULL)
        return;
    pal_free(trial->first);
    pal_free(trial->last);
    pal_free(trial->place);
    pal_free(trial->stiffness);
    pal_free(trial);
    contact->trial = NULL;
}

// By how much the rotation changes, from the trace of what leads from one to the other.
static double turn_between(const PalPose *from, const PalPose *to)
{
    double trace = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            trace += from->rotation.m[i][j] * to->rotation.m[i][j];
    return acos(fmax(-1, fmin(1, (trace - 1) / 2)));
}

static PalStatus check_turns(const PalTrialDef *def, PalError *error)
{
    for (int32_t r = 0; r < def->model->rigid_count; ++r) {
        const PalRigidState *rigid = &def->state->rigids[r];
        double turn = turn_between(&rigid->pose, &rigid->next);
        if (!(turn <= TURN))
            return pal_error_set(
                error, PAL_SIM_FAILED,
                "instrument \"%s\" turns by %.3g in one step, expected at most %.3g",
                def->model->rigids[r].name, turn, TURN);
    }
    return PAL_OK;
}

// Start and end of the step, without any motion of soft bodies.
static void place_all(PalContact *contact, const PalTrialDef *def)
{
    PalSurfaceMotion motion = {
        .model = def->model,
        .rigids = def->state->rigids,
        .displacement = def->state->displacement,
        .velocity = def->state->displacement,  // any: soft ends are put elsewhere
        .start_time = def->state->time,
        .step = 1,
    };
    pal_contact_surface_move(contact->surface, &motion);
    pal_contact_surface_place_all(contact->surface);
}

PalStatus pal_trial_begin(PalContact *contact, const PalTrialDef *def, PalError *error)
{
    PalContactSurface *surface = contact->surface;
    PalTrial *trial = contact->trial;
    PAL_TRY(check_turns(def, error));
    trial->model = def->model;
    trial->state = def->state;
    trial->time = def->end_time;
    trial->thread_count = def->thread_count;
    trial->meter = def->meter;
    memcpy(trial->stiffness, def->stiffness,
           (size_t)surface->object_count * sizeof *trial->stiffness);
    trial->went = trial->goes = 0;
    trial->limit = 1;
    trial->leads = trial->waits = false;
    place_all(contact, def);
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        trial->first[v] = trial->place[v] = surface->start[v];
        trial->last[v] = surface->end[v];
        trial->leads = trial->leads || (!pal_trial_is_soft(contact, v) &&
                                        pal_vec3_distance(trial->first[v], trial->last[v]) > 0);
    }
    if (!trial->leads)
        trial->went = trial->goes = 1;
    PAL_TRY(contact->response->implicit->begin(contact, error));
    return pal_trial_aim(contact, def->state->displacement, NULL, error);
}

// Where a vertex of an instrument is after part of its way; at the end exactly there.
static PalVec3 on_its_way(const PalTrial *trial, int32_t vertex, double part)
{
    PalVec3 way = pal_vec3_sub(trial->last[vertex], trial->first[vertex]);
    return part >= 1 ? trial->last[vertex] : pal_vec3_add_scaled(trial->first[vertex], part, way);
}

PalVec3 pal_trial_rest(const PalContact *contact, int32_t vertex)
{
    const PalTrial *trial = contact->trial;
    return pal_trial_is_soft(contact, vertex) || trial->waits
               ? pal_vec3(0, 0, 0)
               : pal_vec3_sub(trial->last[vertex], trial->place[vertex]);
}

// Ends of the whole correction, and the farthest that any vertex would go.
static double put_ends(PalContact *contact, const PalVec3 *displacement, const PalVec3 *motion)
{
    PalContactSurface *surface = contact->surface;
    const PalTrial *trial = contact->trial;
    double farthest = 0;
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        bool soft = pal_trial_is_soft(contact, v);
        int32_t node = surface->vertex_node[v];
        surface->start[v] = soft ? pal_vec3_add(trial->model->nodes[node], displacement[node])
                                 : on_its_way(trial, v, trial->went);
        surface->end[v] = surface->start[v];
        if (motion != NULL && (soft || !trial->waits))
            surface->end[v] = soft ? pal_vec3_add(surface->start[v], motion[node]) : trial->last[v];
        farthest = fmax(farthest, pal_vec3_distance(surface->start[v], surface->end[v]));
    }
    return farthest;
}

// The surface's own idea of the motion is only a bound of it here: ends are put by hand.
PalStatus pal_trial_aim(PalContact *contact, const PalVec3 *displacement, const PalVec3 *motion,
                        PalError *error)
{
    PalContactSurface *surface = contact->surface;
    PalTrial *trial = contact->trial;
    PalSurfaceMotion whole = surface->motion;
    whole.displacement = displacement;
    whole.velocity = motion != NULL ? motion : displacement;
    trial->went = trial->goes;
    pal_contact_surface_move(surface, &whole);
    double farthest = put_ends(contact, displacement, motion);
    trial->limit = farthest > FAR * contact->edge ? FAR * contact->edge / farthest : 1;
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        if (trial->limit < 1)
            surface->end[v] = pal_vec3_add_scaled(surface->start[v], trial->limit,
                                                  pal_vec3_sub(surface->end[v], surface->start[v]));
        trial->place[v] = surface->start[v];
    }
    PAL_TRY(pal_search_update(contact->search, surface, trial->thread_count, trial->meter, error));
    pal_search_pass(contact->search, surface);
    return contact->response->implicit->look(contact, error);
}

void pal_trial_go(PalContact *contact, double part)
{
    const PalContactSurface *surface = contact->surface;
    PalTrial *trial = contact->trial;
    double share = trial->limit > 0 ? part / trial->limit : 0;
    if (trial->waits)
        trial->goes = trial->went;
    else
        trial->goes = part >= 1 ? 1 : trial->went + part * (1 - trial->went);
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        trial->place[v] =
            pal_trial_is_soft(contact, v)
                ? pal_vec3_add_scaled(surface->start[v], share,
                                      pal_vec3_sub(surface->end[v], surface->start[v]))
                : on_its_way(trial, v, trial->goes);
}

void pal_trial_give_up(const PalModel *model, PalContact *contact, const PalState *state)
{
    pal_contact_surface_place(contact->surface, model, state->displacement, state->rigids);
    pal_search_forget(contact->search);
}

PalStatus pal_trial_accept(PalContact *contact, PalError *error)
{
    contact->point_count = 0;
    contact->report.penetration = 0;
    return contact->response->implicit->accept(contact, error);
}
