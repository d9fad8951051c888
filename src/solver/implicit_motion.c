// Motion in time with steps that no stable bound limits: each solves for the forces at its end.
//   hht             u = u' + beta dt^2 a, v = v' + gamma dt a, with u', v' from the step before,
//                   m a + (1 + alpha) (c m v - f) - alpha (c m v - f)_before = 0,
//                   beta = (1 - alpha)^2 / 4, gamma = 1/2 - alpha
//                   where things can touch, forces C of contact and damping act all along a step:
//                   u = u' + beta dt^2 a + dt^2 b / 2, v = v' + gamma dt a + dt b,
//                   m b = C - c m (u - u_before) / dt, m a = (1 + alpha) f - alpha f_before
//   newmark         the same with alpha = 0, written for both ends of a step at once,
//                   m (v - v_before) / dt + c m (v + v_before) / 2 - f = 0,
//                   (u - u_before) / dt = (v + v_before) / 2, with f the mean along the step
//   backward-euler  v = (u - u_before) / dt, m (v - v_before) / dt + c m v - f = 0
// (Hilber, Hughes and Taylor 1977; McLachlan, Quispel and Robidoux 1999.)
// docs/theory/implicit.md, 5
#include "base/choice.h"
#include "base/memory.h"
#include "model/ties.h"
#include "solver/implicit.h"
#include "solver/meet.h"

#include <math.h>

static const PalChoice schemes[] = {
    [PAL_SCHEME_HHT] = {"hht",
                        "Hilber, Hughes and Taylor's: of second order, and vibrations faster "
                        "than the step fade, by `numerical-damping`."},
    [PAL_SCHEME_NEWMARK] =
        {"newmark", "Newmark's with mean accelerations and mean forces: energy is kept, for "
                    "vibrations whose energy matters."},
    [PAL_SCHEME_BACKWARD_EULER] = {"backward-euler", "All vibrations fade fast: for slow motion, "
                                                     "and creep of viscoelastic tissue."},
};

PAL_CHOICE_ARRAY(scheme, PalScheme, schemes)

#define PARTS 100   // of the time between two outputs, or of all: an automatic step
#define LEAST 1e-6  // of the step wanted: shorter ones lead nowhere
#define SLACK 1e-6  // part of a step within which a time counts as reached
#define GROWS 2     // a step after one that was easy, as long as it is shorter than wanted
#define EASY  8     // corrections at most

// How the end of a step follows from displacements there.
typedef struct Scheme {
    double step;
    double alpha, beta, gamma;
    bool euler;
    bool mean;
    bool meets;  // things can touch
} Scheme;

static Scheme scheme_of(const PalSolver *solver, double step)
{
    double alpha = solver->def.scheme == PAL_SCHEME_HHT ? -solver->def.numerical_damping : 0;
    return (Scheme){.step = step,
                    .alpha = alpha,
                    .beta = (1 - alpha) * (1 - alpha) / 4,
                    .gamma = 0.5 - alpha,
                    .euler = solver->def.scheme == PAL_SCHEME_BACKWARD_EULER,
                    .mean = solver->def.scheme == PAL_SCHEME_NEWMARK,
                    .meets = solver->contact != NULL};
}

static double wanted_step(const PalSolver *solver)
{
    return solver->def.step > 0 ? solver->def.step
                                : solver->align / ceil(PARTS * solver->align / solver->def.time);
}

// Whoever holds a component has stopped it.
static void stop_held(const PalModel *model, PalState *state, double damping)
{
    for (int64_t i = 0; i < 3 * (int64_t)model->node_count; ++i) {
        bool held = model->held[i / 3] >> i % 3 & 1;
        double v = (&state->velocity[0].x)[i];
        (&state->acceleration[0].x)[i] =
            held ? 0 : (&state->force[0].x)[i] / model->mass[i / 3] - damping * v;
        if (held) {
            state->external_work -= model->mass[i / 3] * v * v / 2;
            (&state->velocity[0].x)[i] = 0;
        }
    }
    pal_ties_follow_rate(model, state->displacement, state->velocity);
    pal_ties_follow_rate(model, state->displacement, state->acceleration);
}

static PalStatus create(const PalModel *model, PalState *state, PalSolver *solver, PalError *error)
{
    if (!isfinite(solver->def.time) && solver->def.step == 0)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "the simulation has no end: give the solver a step");
    PalNewtonNeeds needs = {.means = scheme_of(solver, 0).mean, .reuses = true};
    PAL_TRY(pal_implicit_create(model, solver, needs, error));
    PalImplicit *own = pal_implicit_of(solver);
    own->base = pal_alloc((size_t)model->node_count, sizeof *own->base);
    if (own->base == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    own->numbers.length = solver->next_step = wanted_step(solver);
    stop_held(model, state, solver->def.damping);
    return PAL_OK;
}

// Accelerations that are not carried over from step to step.
static double all_along(const Scheme *s, double push, double drag)
{
    return s->meets ? push - drag : 0;
}

// R = weight f - inertia m (u - base)
static PalNewtonProblem pose(const PalModel *model, const PalState *state, const PalSolver *solver,
                             const Scheme *s)
{
    PalImplicit *own = pal_implicit_of(solver);
    double dt = s->step, c = solver->def.damping, now = 1 + s->alpha;
    PalNewtonProblem problem = {.weight = now, .base = own->base, .step = dt, .mean = s->mean};
    problem.reuses = true;
    double drag = s->meets ? c * dt / 2 : now * c * s->gamma * dt;
    problem.inertia = (1 + drag) / (s->beta * dt * dt);
    if (s->euler || s->mean)
        problem.inertia = (s->mean ? 2 : 1) / (dt * dt) + c / dt;
    else
        problem.contact = 1 / (2 * s->beta * now);
    for (int64_t i = 0; i < 3 * (int64_t)model->node_count; ++i) {
        double u = (&state->displacement[0].x)[i], v = (&state->velocity[0].x)[i];
        double push = (&state->contact[0].x)[i] / model->mass[i / 3];
        double a = (&state->acceleration[0].x)[i] - all_along(s, push, c * v);
        double f = (&state->force[0].x)[i];
        double *base = &(&own->base[0].x)[i];
        if (s->euler || s->mean) {
            *base = u + (s->mean ? 2 : 1) * v / (dt * problem.inertia);
            continue;
        }
        double ahead = u + dt * v + dt * dt * (0.5 - s->beta) * a;
        double faster = v + dt * (1 - s->gamma) * a;
        double rest =
            s->meets ? c * (u - ahead) / (2 * s->beta * dt) : -now * c * faster + s->alpha * c * v;
        *base = ahead + (rest - s->alpha * f / model->mass[i / 3]) / problem.inertia;
    }
    return problem;
}

// Velocities and accelerations that belong to the displacements found.
static void finish(const PalModel *model, PalState *state, const PalSolver *solver, const Scheme *s)
{
    const PalNewton *newton = &pal_implicit_of(solver)->newton;
    double dt = s->step, c = solver->def.damping, work = 0;
    for (int64_t i = 0; i < 3 * (int64_t)model->node_count; ++i) {
        double way = (&state->displacement[0].x)[i] - (&newton->old_displacement[0].x)[i];
        double *v = &(&state->velocity[0].x)[i], *a = &(&state->acceleration[0].x)[i];
        double before = *v;
        bool held = model->held[i / 3] >> i % 3 & 1;
        double mass = model->mass[i / 3], force = (&state->force[0].x)[i];
        if (s->euler || held) {  // what is held goes evenly where it is told
            *a = (way / dt - *v) / dt;
            *v = way / dt;
        } else if (s->mean) {
            *v = 2 * way / dt - *v;
            *a = force / mass - c * *v;
        } else {
            double push = (&state->contact[0].x)[i] / mass;
            double start = *a - all_along(s, (&newton->old_contact[0].x)[i] / mass, c * *v);
            double late = all_along(s, push, c * way / dt);
            double free = way - dt * dt * late / 2;  // without that
            double after =
                (free - dt * *v - dt * dt * (0.5 - s->beta) * start) / (s->beta * dt * dt);
            *v += dt * ((1 - s->gamma) * start + s->gamma * after + late);
            *a = after + all_along(s, push, c * *v);
        }
        double drag = c * mass * (before + *v) / 2 * way;
        work += drag;
        (&state->reaction[0].x)[i] = held ? mass * (*a + c * *v) - force : 0;
        if (held && s->mean)  // what holds it pays for all that becomes of it
            state->external_work +=
                mass * (*v * *v - before * before) / 2 + drag - (&newton->mean_force[0].x)[i] * way;
    }
    state->damping_work += work;
}

// Where a step from now ends: at an output time or the end, if that is near.
static double end_of_step(const PalState *state, const PalSolver *solver, double length)
{
    double passed = floor(state->time / solver->align * (1 + 1e-14) + 1e-9);
    double stop = fmin((passed + 1) * solver->align, solver->def.time);
    double left = stop - state->time;
    if (!isfinite(left) || left > length * (1 + SLACK))
        return state->time + length;
    return stop;
}

// The same where instruments may not go so far: in even steps to where it would have to stop.
static double end_of_stride(const PalModel *model, const PalState *state, const PalSolver *solver,
                            double end)
{
    double latest = pal_meet_latest(model, state, solver, end);
    double left = end_of_step(state, solver, INFINITY) - state->time;
    if (!(latest < end))
        return end;
    if (!isfinite(left))
        return latest;
    return state->time + left / ceil(left / (latest - state->time));
}

static PalStatus step_once(const PalModel *model, PalState *state, PalSolver *solver,
                           PalError *error)
{
    PalImplicit *own = pal_implicit_of(solver);
    PalNewtonOutcome outcome = {0};
    double end = 0, wanted = wanted_step(solver);
    pal_newton_keep(model, state, &own->newton);
    own->numbers.length = fmin(own->numbers.length, wanted);  // may be shorter after a resume
    const double first = own->numbers.length;
    for (;;) {
        end = end_of_step(state, solver, own->numbers.length);
        end = end_of_stride(model, state, solver, end);
        Scheme scheme = scheme_of(solver, end - state->time);
        PalNewtonProblem problem = pose(model, state, solver, &scheme);
        problem.end = end;
        PAL_TRY(pal_implicit_try(model, state, solver, problem, &outcome, error));
        if (outcome.end == PAL_NEWTON_CONVERGED) {
            finish(model, state, solver, &scheme);
            break;
        }
        if (!pal_implicit_halve(solver, end - state->time, LEAST * wanted)) {
            own->numbers.length = first;  // whoever resumes begins as this step did
            return pal_newton_report(model, state, solver, &outcome, error);
        }
    }
    pal_newton_add_work(model, state, &own->newton);
    if (outcome.effort <= EASY)
        own->numbers.length = fmin(GROWS * own->numbers.length, wanted);
    solver->next_step = own->numbers.length;
    return pal_implicit_end_step(model, state, solver, end, end - state->time, error);
}

// Velocities are those of the state's time: before and after it they change with the acceleration.
static void halves(const PalModel *model, const PalState *state, const PalSolver *solver,
                   int32_t first_node, int32_t node_count, PalHalves *halves)
{
    (void)model, (void)solver;
    for (int32_t k = 0; k < node_count; ++k) {
        PalVec3 v = state->velocity[first_node + k];
        halves[k] = (PalHalves){.before = v, .after = v};
    }
}

static double gain(const PalState *state, const PalSolver *solver)
{
    (void)state;
    return solver->next_step;
}

const PalMethodRow pal_method_implicit = {
    .choice =
        {"implicit",
         "Motion in time by steps that may be far longer than the stable one: each solves for "
         "the forces at its end by Newton's method. `scheme` says how."},
    .create = create,
    .destroy = pal_implicit_destroy,
    .step = step_once,
    .finished = pal_solver_time_is_over,
    .progress = pal_solver_time_passed,
    .halves = halves,
    .gain = gain,
    .inverse_mass = pal_solver_inverse_mass,
    .load_time = pal_implicit_load_time,
    .arrays = pal_implicit_arrays,
    .restored = pal_implicit_restored,
    .bytes = pal_implicit_bytes,
    .in_time = true,
    .implicit = true,
    .inverted_advice = "the load is too fast or too large for this mesh: lower it, or refine",
};
