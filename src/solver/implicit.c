// Motion in time with steps that no stable bound limits: each solves for the forces at its end.
//   newmark, hht    u = u' + beta dt^2 a, v = v' + gamma dt a, with u', v' from the step before,
//   and
//                   m a + (1 + alpha) (c m v - f) - alpha (c m v - f)_before = 0,
//                   beta = (1 - alpha)^2 / 4, gamma = 1/2 - alpha; newmark: alpha = 0
//   backward-euler  v = (u - u_before) / dt, m (v - v_before) / dt + c m v - f = 0
// (Hilber, Hughes and Taylor 1977.)   docs/theory/implicit.md, 5
#include "base/choice.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "model/conditions.h"
#include "solver/method.h"
#include "solver/newton.h"

#include <math.h>
#include <string.h>

static const PalChoice schemes[] = {
    [PAL_SCHEME_HHT] = {"hht",
                        "Hilber, Hughes and Taylor's: of second order, and vibrations faster "
                        "than the step fade, by `numerical-damping`."},
    [PAL_SCHEME_NEWMARK] = {"newmark", "Newmark's with mean accelerations: nothing fades, for "
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

typedef struct Dynamics {
    PalNewton newton;
    PalVec3 *base;
    struct {
        double length;  // of the step to come, before it is cut at an output time
        double load;    // time at which loads are taken
    } numbers;
    struct {
        int64_t iterations, cuts;
    } counts;
} Dynamics;

static Dynamics *of(const PalSolver *solver)
{
    return solver->own;
}

// How the end of a step follows from displacements there.
typedef struct Scheme {
    double step;
    double alpha, beta, gamma;
    bool euler;
} Scheme;

static Scheme scheme_of(const PalSolver *solver, double step)
{
    double alpha = solver->def.scheme == PAL_SCHEME_HHT ? -solver->def.numerical_damping : 0;
    return (Scheme){.step = step,
                    .alpha = alpha,
                    .beta = (1 - alpha) * (1 - alpha) / 4,
                    .gamma = 0.5 - alpha,
                    .euler = solver->def.scheme == PAL_SCHEME_BACKWARD_EULER};
}

static double wanted_step(const PalSolver *solver)
{
    return solver->def.step > 0 ? solver->def.step
                                : solver->align / ceil(PARTS * solver->align / solver->def.time);
}

static PalStatus create(const PalModel *model, PalState *state, PalSolver *solver, PalError *error)
{
    Dynamics *own = pal_alloc(1, sizeof *own);
    if (own == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    solver->own = own;
    own->base = pal_alloc((size_t)model->node_count, sizeof *own->base);
    if (own->base == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the solver");
    if (!isfinite(solver->def.time) && solver->def.step == 0)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "the simulation has no end: give the solver a step");
    PAL_TRY(pal_newton_create(model, solver, &own->newton, error));
    own->numbers.length = solver->next_step = wanted_step(solver);
    double damping = solver->def.damping;
    for (int64_t i = 0; i < 3 * (int64_t)model->node_count; ++i) {
        bool held = model->held[i / 3] >> i % 3 & 1;
        double v = (&state->velocity[0].x)[i];
        (&state->acceleration[0].x)[i] =
            held ? 0 : (&state->force[0].x)[i] / model->mass[i / 3] - damping * v;
        if (held) {  // whoever holds it has stopped it
            state->external_work -= model->mass[i / 3] * v * v / 2;
            (&state->velocity[0].x)[i] = 0;
        }
    }
    return PAL_OK;
}

static void destroy(void *own)
{
    Dynamics *dynamics = own;
    pal_newton_clear(&dynamics->newton);
    pal_free(dynamics->base);
    pal_free(dynamics);
}

// R = weight f - inertia m (u - base)
static PalNewtonProblem pose(const PalModel *model, const PalState *state, const PalSolver *solver,
                             const Scheme *s)
{
    Dynamics *own = of(solver);
    double dt = s->step, c = solver->def.damping, now = 1 + s->alpha;
    PalNewtonProblem problem = {.weight = s->euler ? 1 : now, .base = own->base, .step = dt};
    problem.inertia =
        s->euler ? 1 / (dt * dt) + c / dt : (1 + now * c * s->gamma * dt) / (s->beta * dt * dt);
    for (int64_t i = 0; i < 3 * (int64_t)model->node_count; ++i) {
        double u = (&state->displacement[0].x)[i], v = (&state->velocity[0].x)[i];
        double a = (&state->acceleration[0].x)[i], f = (&state->force[0].x)[i];
        double *base = &(&own->base[0].x)[i];
        if (s->euler) {
            *base = u + v / (dt * problem.inertia);
            continue;
        }
        double ahead = u + dt * v + dt * dt * (0.5 - s->beta) * a;
        double faster = v + dt * (1 - s->gamma) * a;
        double rest = -s->alpha * f / model->mass[i / 3] - now * c * faster + s->alpha * c * v;
        *base = ahead + rest / problem.inertia;
    }
    return problem;
}

// Velocities and accelerations that belong to the displacements found.
static void finish(const PalModel *model, PalState *state, const PalSolver *solver, const Scheme *s)
{
    const PalNewton *newton = &of(solver)->newton;
    double dt = s->step, work = 0;
    for (int64_t i = 0; i < 3 * (int64_t)model->node_count; ++i) {
        double way = (&state->displacement[0].x)[i] - (&newton->old_displacement[0].x)[i];
        double *v = &(&state->velocity[0].x)[i], *a = &(&state->acceleration[0].x)[i];
        double before = *v;
        bool held = model->held[i / 3] >> i % 3 & 1;
        if (s->euler || held) {  // what is held goes evenly where it is told
            *a = (way / dt - *v) / dt;
            *v = way / dt;
        } else {
            double after = (way - dt * *v - dt * dt * (0.5 - s->beta) * *a) / (s->beta * dt * dt);
            *v += dt * ((1 - s->gamma) * *a + s->gamma * after);
            *a = after;
        }
        work += solver->def.damping * model->mass[i / 3] * (before + *v) / 2 * way;
        (&state->reaction[0].x)[i] =
            held ? model->mass[i / 3] * (*a + solver->def.damping * *v) - (&state->force[0].x)[i]
                 : 0;
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

static PalStatus attempt(const PalModel *model, PalState *state, PalSolver *solver, double end,
                         PalNewtonOutcome *outcome, PalError *error)
{
    Dynamics *own = of(solver);
    Scheme scheme = scheme_of(solver, end - state->time);
    PalNewtonProblem problem = pose(model, state, solver, &scheme);
    own->numbers.load = end;
    pal_conditions_targets(model->conditions, state->conditions, end, solver->targets);
    PalStatus status =
        pal_newton_solve(model, state, solver, &own->newton, &problem, outcome, error);
    own->counts.iterations += outcome->iterations;
    if (status != PAL_OK || outcome->end != PAL_NEWTON_CONVERGED) {
        pal_newton_bring_back(model, state, &own->newton);
        own->numbers.load = state->time;
        return status;
    }
    finish(model, state, solver, &scheme);
    return PAL_OK;
}

static PalStatus step_once(const PalModel *model, PalState *state, PalSolver *solver,
                           PalError *error)
{
    Dynamics *own = of(solver);
    PalNewtonOutcome outcome = {0};
    double end = 0, wanted = wanted_step(solver);
    pal_newton_keep(model, state, &own->newton);
    for (;;) {
        end = end_of_step(state, solver, own->numbers.length);
        PAL_TRY(attempt(model, state, solver, end, &outcome, error));
        if (outcome.end == PAL_NEWTON_CONVERGED)
            break;
        own->numbers.length = (end - state->time) / 2;
        solver->meter->counters.retries = ++own->counts.cuts;
        if (!(own->numbers.length >= LEAST * wanted))
            return pal_newton_report(model, state, solver, &outcome, error);
    }
    pal_newton_add_work(model, state, &own->newton);
    if (outcome.iterations <= EASY)
        own->numbers.length = fmin(GROWS * own->numbers.length, wanted);
    PalTouch touch = {.start_time = state->time,
                      .end_time = end,
                      .step = end - state->time,
                      .gain = end - state->time};
    PAL_TRY(pal_solver_touch(model, state, solver, &touch, error));
    state->step = end - state->time;
    state->time = end;
    ++state->step_count;
    solver->next_step = own->numbers.length;
    return PAL_OK;
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

static int32_t arrays(const PalModel *model, PalSolver *solver,
                      PalNamedArray list[PAL_METHOD_ARRAY_MAX])
{
    (void)model;
    Dynamics *own = of(solver);
    list[0] = (PalNamedArray){.name = "implicit_numbers",
                              .data = &own->numbers,
                              .count = sizeof own->numbers / sizeof(double)};
    list[1] = (PalNamedArray){.name = "implicit_counts",
                              .data = &own->counts,
                              .count = sizeof own->counts / sizeof(int64_t),
                              .kind = PAL_ARRAY_INT64};
    return 2;
}

static PalStatus restored(const PalModel *model, PalState *state, PalSolver *solver,
                          PalError *error)
{
    (void)model, (void)state;
    Dynamics *own = of(solver);
    if (!(own->numbers.length > 0) || !isfinite(own->numbers.length) || own->counts.cuts < 0 ||
        own->counts.cuts > PAL_STEP_COUNT_MAX)
        return pal_error_set(error, PAL_BAD_INPUT, "the steps in the checkpoint are not valid");
    solver->meter->counters.retries = own->counts.cuts;
    return PAL_OK;
}

static double load_time(const PalSolver *solver)
{
    return of(solver)->numbers.load;
}

static size_t bytes(const PalModel *model, const PalSolver *solver)
{
    return pal_newton_bytes(model, &of(solver)->newton);
}

const PalMethodRow pal_method_implicit = {
    .choice =
        {"implicit",
         "Motion in time by steps that may be far longer than the stable one: each solves for "
         "the forces at its end by Newton's method. `scheme` says how."},
    .create = create,
    .destroy = destroy,
    .step = step_once,
    .finished = pal_solver_time_is_over,
    .progress = pal_solver_time_passed,
    .halves = halves,
    .gain = gain,
    .inverse_mass = pal_solver_inverse_mass,
    .load_time = load_time,
    .arrays = arrays,
    .restored = restored,
    .bytes = bytes,
    .in_time = true,
    .implicit = true,
    .inverted_advice = "the load is too fast or too large for this mesh: lower it, or refine",
};
