#include "solver/meet.h"

#include "base/timer.h"
#include "contact/response/trial.h"
#include "contact/tell.h"
#include "math/vec3.h"
#include "model/ties.h"
#include "solver/rigids.h"

#include <math.h>
#include <string.h>

#define HALVINGS 30  // of a step that takes instruments too far

// ---- before a search --------------------------------------------------------------------

// A bound spares most a look at their nodes.
static bool goes_too_far(const PalModel *model, const PalState *state, const PalContact *contact,
                         double time)
{
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalRigid *rigid = &model->rigids[r];
        const PalRigidState *now = &state->rigids[r];
        double stride = contact->response->implicit->stride(contact, r);
        if (!isfinite(stride) ||
            pal_rigid_travel(model, state, r, time, contact->surface->arms[r]) <= stride)
            continue;
        if (rigid->free || now->steered != 0)
            return true;
        PalPose then = pal_rigid_pose(rigid, time);
        for (int32_t n = 0; n < rigid->mesh->node_count; ++n) {
            PalVec3 node = rigid->mesh->nodes[n];
            if (pal_vec3_distance(pal_pose_apply(&now->pose, node), pal_pose_apply(&then, node)) >
                stride)
                return true;
        }
    }
    return false;
}

double pal_meet_latest(const PalModel *model, const PalState *state, const PalSolver *solver,
                       double end)
{
    const PalContact *contact = solver->contact;
    if (contact == NULL || contact->response->implicit->stride == NULL)
        return end;
    if (!goes_too_far(model, state, contact, end))
        return end;
    double low = state->time, high = end;
    for (int look = 0; look < HALVINGS; ++look) {
        double middle = low + (high - low) / 2;
        *(goes_too_far(model, state, contact, middle) ? &high : &low) = middle;
    }
    return low > state->time ? low : end;
}

// ---- in a search ------------------------------------------------------------------------

static const PalImplicitRow *row_of(const PalSeek *s)
{
    return s->solver->contact->response->implicit;
}

PalStatus pal_meet_begin(const PalSeek *s, PalError *error)
{
    PalNewton *newton = s->newton;
    PalContact *contact = s->solver->contact;
    const PalNewtonProblem *problem = &s->problem;
    PalTouch touch = {.start_time = s->state->time, .end_time = problem->end, .step = 1, .gain = 1};
    PAL_TRY(pal_solver_begin_rigids(s->model, s->state, s->solver, &touch, error));
    for (int32_t o = 0; o < contact->surface->object_count; ++o)
        newton->trial_stiffness[o] = newton->object_stiffness[o] +
                                     problem->inertia / problem->weight * newton->object_mass[o];
    PalTrialDef def = {
        .model = s->model,
        .state = s->state,
        .stiffness = newton->trial_stiffness,
        .end_time = problem->end,
        .thread_count = s->solver->thread_count,
        .meter = s->solver->meter,
    };
    pal_couplings_begin(newton->stiffness);
    return pal_trial_begin(contact, &def, error);
}

PalStatus pal_meet_aim(const PalSeek *s, double *part, PalError *error)
{
    PalContact *contact = s->solver->contact;
    PAL_TRY(pal_trial_aim(contact, s->state->displacement, s->newton->motion, error));
    double start = pal_timer_seconds();
    *part = contact->trial->limit * row_of(s)->filter(contact);
    s->solver->meter->profile.contact_response += pal_timer_seconds() - start;
    return PAL_OK;
}

bool pal_meet_expect(const PalSeek *s)
{
    return row_of(s)->expect != NULL && row_of(s)->expect(s->solver->contact);
}

bool pal_meet_slide(const PalSeek *s)
{
    return row_of(s)->slide != NULL && row_of(s)->slide(s->solver->contact);
}

void pal_meet_prepare(const PalSeek *s, bool all)
{
    if (row_of(s)->prepare != NULL)
        row_of(s)->prepare(s->solver->contact, all);
}

void pal_meet_went(const PalSeek *s, double part)
{
    if (row_of(s)->went != NULL)
        row_of(s)->went(s->solver->contact, part);
}

void pal_meet_go(const PalSeek *s, double part)
{
    pal_trial_go(s->solver->contact, part);
}

void pal_meet_wait(const PalSeek *s, bool waits)
{
    s->solver->contact->trial->waits = waits;
}

double pal_meet_farthest(const PalSeek *s)
{
    const PalContact *contact = s->solver->contact;
    const PalContactSurface *surface = contact->surface;
    double far = 0;
    for (int32_t v = surface->soft_vertex_count; v < surface->vertex_count; ++v)
        far = fmax(far, pal_vec3_distance(contact->trial->last[v], surface->start[v]));
    return far;
}

double pal_meet_left(const PalSeek *s)
{
    return 1 - s->solver->contact->trial->goes;
}

static double weight_of(const PalSeek *s)
{
    return s->problem.contact != 0 ? s->problem.contact : 1;
}

// Forces of contact as they count.
static void weigh(const PalSeek *s, PalVec3 *forces)
{
    double weight = weight_of(s);
    for (int32_t n = 0; weight != 1 && n < s->model->node_count; ++n)
        forces[n] = pal_vec3_scale(weight, forces[n]);
}

bool pal_meet_forces(const PalSeek *s)
{
    PalState *state = s->state;
    PalError ignored = {0};
    double start = pal_timer_seconds();
    memset(state->contact, 0, (size_t)s->model->node_count * sizeof *state->contact);
    bool good = row_of(s)->forces(s->solver->contact, state->contact, &ignored) == PAL_OK;
    pal_ties_give_forces(s->model, state->displacement, state->contact);
    weigh(s, state->contact);
    for (int32_t n = 0; n < s->model->node_count; ++n)
        state->force[n] = pal_vec3_add(state->force[n], state->contact[n]);
    s->solver->meter->profile.contact_response += pal_timer_seconds() - start;
    return good;
}

// The linear solver looks at the pattern anew where that has changed.
static PalStatus renew_factors(const PalSeek *s, PalError *error)
{
    PalNewton *newton = s->newton;
    PalSymmetric pattern = pal_stiffness_unknowns(newton->stiffness);
    if (pattern.size == 0)
        return PAL_OK;
    if (newton->factors != NULL)
        newton->linear->destroy(newton->factors);
    newton->factors = NULL;
    return newton->linear->create(&pattern, &newton->factors, &newton->factor_bytes, error);
}

PalStatus pal_meet_tangent(PalSeek *s, PalError *error)
{
    PalNewton *newton = s->newton;
    PalTangentWish wish = {s->problem.weight * weight_of(s), s->exact};
    bool renewed = false;
    memset(newton->lead, 0, (size_t)s->model->node_count * sizeof *newton->lead);
    PAL_TRY(row_of(s)->tangent(s->solver->contact, &wish, newton->stiffness, newton->lead, error));
    pal_ties_give_forces(s->model, s->state->displacement, newton->lead);
    weigh(s, newton->lead);
    PAL_TRY(pal_couplings_join(newton->stiffness, &renewed, error));
    return renewed ? renew_factors(s, error) : PAL_OK;
}

bool pal_meet_is_tame(const PalSeek *s)
{
    return row_of(s)->tame;
}

void pal_meet_lead(const PalSeek *s)
{
    const PalStiffness *k = s->newton->stiffness;
    for (int32_t r = 0; r < k->free_count; ++r)
        s->newton->right[r] += s->problem.weight * (&s->newton->lead[0].x)[k->component[r]];
}

bool pal_meet_couples(const PalSeek *s)
{
    return s->newton->touches && s->live && row_of(s)->couple != NULL &&
           s->newton->gmres.size > 0 && !s->problem.mean;
}

void pal_meet_couple(const PalSeek *s, const PalVec3 *motion, PalVec3 *force)
{
    row_of(s)->couple(s->solver->contact, motion, force);
    weigh(s, force);
}

static void set_apart(const PalModel *model, PalState *state)
{
    for (int32_t n = 0; n < model->node_count; ++n)
        state->force[n] = pal_vec3_sub(state->force[n], state->contact[n]);
}

void pal_meet_part(const PalModel *model, PalState *state, const PalNewtonProblem *problem)
{
    set_apart(model, state);
    for (int32_t n = 0; problem->contact != 0 && n < model->node_count; ++n)
        state->contact[n] = pal_vec3_scale(1 / problem->contact, state->contact[n]);
}

PalStatus pal_meet_refresh(const PalSeek *s, PalError *error)
{
    PalState *state = s->state;
    if (row_of(s)->refresh == NULL)
        return PAL_OK;
    PAL_TRY(row_of(s)->refresh(s->solver->contact, error));
    set_apart(s->model, state);
    return pal_meet_forces(s) ? PAL_OK : pal_error_set(error, PAL_SIM_FAILED, "two surfaces touch");
}

PalStatus pal_meet_settle(const PalSeek *s, bool *again, PalError *error)
{
    *again = false;
    if (row_of(s)->settle == NULL)
        return PAL_OK;
    return row_of(s)->settle(s->solver->contact, again, error);
}

// ---- ends -------------------------------------------------------------------------------

void pal_meet_give_up(const PalModel *model, const PalState *state, PalSolver *solver)
{
    pal_trial_give_up(model, solver->contact, state);
}

PalStatus pal_meet_end(const PalModel *model, PalState *state, PalSolver *solver,
                       const PalTouch *touch, PalError *error)
{
    PalContact *contact = solver->contact;
    PalContactStep step = {
        .start_time = touch->start_time,
        .end_time = touch->end_time,
        .thread_count = solver->thread_count,
    };
    ++solver->meter->counters.wakes;
    PAL_TRY(pal_solver_begin_rigids(model, state, solver, touch, error));
    PAL_TRY(pal_trial_accept(contact, error));
    PAL_TRY(pal_contact_tell(contact, &step, error));
    pal_ties_follow(model, state->displacement);
    pal_solver_end_rigids(model, state, solver, touch);
    return PAL_OK;
}
