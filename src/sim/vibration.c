// The slowest vibration of each body: the least Rayleigh quotient w^2 = x.Kx / x.Mx, by conjugate
// directions. Each round needs one evaluation of the elements, K x = (f_int(h x) - f_int(0)) / h,
// and finds the best x + t d of the body's present shape x and direction d. Directions are the
// gradients, divided by bounds of the stiffness at each node, conjugate as Fletcher and Reeves have
// it. The quotient is never below the lowest w^2.
#include <palpate/vibration.h>

#include "base/memory.h"
#include "element/elements.h"
#include "math/components.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

#define SMALL     1e-6  // of an edge: the motion by which stiffness is felt
#define ROUNDS    400   // at most
#define LEAST     40    // rounds, however many elements
#define WORK      4e7   // elements times rounds, about
#define SETTLED   0.01  // relative change of the quotient in PATIENCE rounds that ends it
#define PATIENCE  20
#define WAYS      18    // to shear or bend a body at the start
#define OTHERS    0.1   // of all ways, beside the best
#define RESTART   50    // rounds after which directions start anew
#define NO_MOTION 1e-5  // of the fastest: what is slower is a rigid motion

typedef struct Search {
    const PalModel *model;
    PalSolver *solver;
    PalVec3 *shape, *direction, *gradient;           // x, d, and w = r / bound
    PalVec3 *shape_force, *direction_force, *force;  // K x, K d, K w
    PalVec3 *moved;
    double *small;   // per body: the motion by which its stiffness was felt
    double *keep;    // per body: of the direction before
    double *slopes;  // per body: gradient . residual
    double *past;    // per body: quotient some rounds ago
} Search;

static void clear(Search *s)
{
    PalVec3 *all[] = {s->shape,       s->direction,       s->gradient, s->moved,
                      s->shape_force, s->direction_force, s->force};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        pal_free(all[i]);
    pal_free(s->small);
    pal_free(s->keep);
    pal_free(s->slopes);
    pal_free(s->past);
}

static PalStatus create(const PalModel *model, PalSolver *solver, Search *s, PalError *error)
{
    size_t nodes = (size_t)model->node_count + 1, bodies = (size_t)model->body_count;
    *s = (Search){.model = model, .solver = solver};
    s->small = pal_alloc(bodies, sizeof *s->small);
    s->keep = pal_alloc(bodies, sizeof *s->keep);
    s->slopes = pal_alloc(bodies, sizeof *s->slopes);
    s->past = pal_alloc(bodies, sizeof *s->past);
    if (s->small == NULL || s->keep == NULL || s->slopes == NULL || s->past == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for vibrations");
    PalVec3 **all[] = {&s->shape,       &s->direction,       &s->gradient, &s->moved,
                       &s->shape_force, &s->direction_force, &s->force};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        *all[i] = pal_alloc(nodes, sizeof **all[i]);
        if (*all[i] == NULL)
            return pal_error_set(error, PAL_NO_MEMORY, "no memory for vibrations");
    }
    return PAL_OK;
}

static PalVec3 free_part(const PalModel *model, int32_t node, PalVec3 v)
{
    return pal_vec3_without(v, model->held[node]);
}

static bool is_held(const PalModel *model, const PalBody *body)
{
    for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n)
        if (model->held[n] != 0)
            return true;
    return false;
}

// Takes drifting and turning away from the motion of a body that nothing holds.
static void take_rigid_away(const PalModel *model, const PalBody *body, PalVec3 *v)
{
    int32_t first = body->first_node, last = first + body->mesh->node_count;
    PalVec3 centre = {0, 0, 0}, mean = {0, 0, 0}, turn = {0, 0, 0};
    PalMat3 inertia = {{{0}}};
    double mass = 0;
    for (int32_t n = first; n < last; ++n) {
        mass += model->mass[n];
        centre = pal_vec3_add_scaled(centre, model->mass[n], model->nodes[n]);
        mean = pal_vec3_add_scaled(mean, model->mass[n], v[n]);
    }
    centre = pal_vec3_scale(1 / mass, centre);
    mean = pal_vec3_scale(1 / mass, mean);
    for (int32_t n = first; n < last; ++n) {
        PalVec3 arm = pal_vec3_sub(model->nodes[n], centre);
        double square = pal_vec3_dot(arm, arm), m = model->mass[n];
        turn = pal_vec3_add_scaled(turn, m, pal_vec3_cross(arm, v[n]));
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                inertia.m[i][j] +=
                    m * ((i == j ? square : 0) - pal_vec3_at(arm, i) * pal_vec3_at(arm, j));
    }
    PalMat3 inverse = pal_mat3_inverse(&inertia);
    PalVec3 spin = pal_mat3_apply(&inverse, turn);
    for (int32_t n = first; n < last; ++n) {
        PalVec3 arm = pal_vec3_sub(model->nodes[n], centre);
        v[n] = pal_vec3_sub(v[n], pal_vec3_add(mean, pal_vec3_cross(spin, arm)));
    }
}

static double edge_of(const PalMesh *mesh)
{
    return pal_vec3_distance(mesh->nodes[mesh->cells[0]], mesh->nodes[mesh->cells[1]]);
}

// K x of all bodies, each felt by a motion that is small for its cells.
static void stiffness_times(Search *s, PalState *state, const PalVec3 *x, PalVec3 *result)
{
    const PalModel *model = s->model;
    for (int32_t b = 0; b < model->body_count; ++b) {
        const PalBody *body = &model->bodies[b];
        int32_t first = body->first_node, last = first + body->mesh->node_count;
        double size = 0;
        for (int32_t n = first; n < last; ++n)
            size = fmax(size, pal_vec3_length(x[n]));
        s->small[b] = size > 0 ? SMALL * edge_of(body->mesh) / size : 1;
        for (int32_t n = first; n < last; ++n)
            s->moved[n] = pal_vec3_scale(s->small[b], x[n]);
    }
    pal_elements_force(model->elements, s->solver->scratch, s->moved, 0, state->history, result);
    for (int32_t b = 0; b < model->body_count; ++b) {
        const PalBody *body = &model->bodies[b];
        for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n)
            result[n] = pal_vec3_scale(-1 / s->small[b], free_part(model, n, result[n]));
    }
}

static double dot(const PalBody *body, const PalVec3 *a, const PalVec3 *b, const double *mass)
{
    double sum = 0;
    for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n)
        sum += pal_vec3_dot(a[n], b[n]) * (mass != NULL ? mass[n] : 1);
    return sum;
}

// Where a body is held, in the mean, or its middle.
static PalVec3 middle_of_holds(const PalModel *model, const PalBody *body)
{
    PalVec3 sum = {0, 0, 0};
    double count = 0;
    bool held = is_held(model, body);
    for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n) {
        if (held && model->held[n] == 0)
            continue;
        sum = pal_vec3_add(sum, model->nodes[n]);
        ++count;
    }
    return pal_vec3_scale(1 / count, sum);
}

// A body sheared or bent: its nodes move along one axis by the distance along another from where it
// is held, or the square of that. Of the mass norm 1.
static void bend(Search *s, const PalBody *body, int way)
{
    int along = way / 3 % 3, towards = way % 3;
    int32_t first = body->first_node, last = first + body->mesh->node_count;
    PalVec3 middle = middle_of_holds(s->model, body);
    for (int32_t n = first; n < last; ++n) {
        PalVec3 arm = pal_vec3_sub(s->model->nodes[n], middle), v = {0, 0, 0};
        double distance = pal_vec3_at(arm, along);
        pal_vec3_put(&v, towards, way < 9 ? distance : distance * distance);
        s->gradient[n] = free_part(s->model, n, v);
    }
    if (!is_held(s->model, body))
        take_rigid_away(s->model, body, s->gradient);
    double norm = sqrt(dot(body, s->gradient, s->gradient, s->model->mass));
    for (int32_t n = first; n < last; ++n)
        s->gradient[n] = pal_vec3_scale(norm > 0 ? 1 / norm : 0, s->gradient[n]);
}

// The best of all ways for each body, and something of the others, so that none is missed.
static void start(Search *s, PalState *state)
{
    const PalModel *model = s->model;
    for (int32_t b = 0; b < model->body_count; ++b)
        s->past[b] = INFINITY;
    for (int way = 0; way < WAYS; ++way) {
        for (int32_t b = 0; b < model->body_count; ++b)
            bend(s, &model->bodies[b], way);
        stiffness_times(s, state, s->gradient, s->force);
        for (int32_t b = 0; b < model->body_count; ++b) {
            const PalBody *body = &model->bodies[b];
            double quotient = dot(body, s->gradient, s->force, NULL);
            bool best = quotient > 0 && quotient < s->past[b];
            s->past[b] = best ? quotient : s->past[b];
            for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n) {
                PalVec3 *x = &s->direction[n];  // the sum of all
                *x = pal_vec3_add_scaled(*x, way % 2 == 0 ? OTHERS : -OTHERS, s->gradient[n]);
                s->shape[n] = best ? s->gradient[n] : s->shape[n];
            }
        }
    }
    for (int32_t n = 0; n < model->node_count; ++n)
        s->shape[n] = pal_vec3_add(s->shape[n], s->direction[n]);
    for (int32_t b = 0; b < model->body_count; ++b)
        s->past[b] = INFINITY;
}

// The gradient of the quotient by the bounds of stiffness; returns gradient . residual.
static double find_gradient(Search *s, const PalBody *body, double quotient)
{
    double sum = 0;
    for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n)
        s->gradient[n] = pal_vec3_scale(
            1 / s->solver->node_sums[n],
            pal_vec3_add_scaled(s->shape_force[n], -quotient * s->model->mass[n], s->shape[n]));
    if (!is_held(s->model, body))
        take_rigid_away(s->model, body, s->gradient);
    for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n)
        sum += s->solver->node_sums[n] * pal_vec3_dot(s->gradient[n], s->gradient[n]);
    return sum;
}

// The t of the least quotient of x + t d, the lower root of a quadratic equation for the quotient.
static double best_step(Search *s, const PalBody *body)
{
    const double *mass = s->model->mass;
    double a = dot(body, s->shape, s->shape_force, NULL);
    double b = dot(body, s->direction, s->shape_force, NULL);
    double c = dot(body, s->direction, s->direction_force, NULL);
    double m = dot(body, s->shape, s->shape, mass), n = dot(body, s->shape, s->direction, mass);
    double q = dot(body, s->direction, s->direction, mass);
    double two = m * q - n * n, one = a * q + c * m - 2 * b * n, none = a * c - b * b;
    double inside = one * one - 4 * two * none;
    if (!(two > 0) || !(inside >= 0))
        return 0;
    double least = 2 * none / (one + sqrt(inside)), across = b - least * n;
    return across != 0 ? -(a - least * m) / across : 0;
}

static void go(Search *s, const PalBody *body, double step)
{
    double size = 0;
    for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n) {
        s->shape[n] = pal_vec3_add_scaled(s->shape[n], step, s->direction[n]);
        s->shape_force[n] = pal_vec3_add_scaled(s->shape_force[n], step, s->direction_force[n]);
        size = fmax(size, pal_vec3_length(s->shape[n]));
    }
    for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n) {
        s->shape[n] = pal_vec3_scale(1 / size, s->shape[n]);
        s->shape_force[n] = pal_vec3_scale(1 / size, s->shape_force[n]);
    }
}

// Directions of a body: the gradient, and what is left of the direction before.
static void turn_direction(Search *s, const PalBody *body, double keep)
{
    for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n) {
        s->direction[n] = pal_vec3_add_scaled(s->gradient[n], keep, s->direction[n]);
        s->direction_force[n] = pal_vec3_add_scaled(s->force[n], keep, s->direction_force[n]);
    }
}

static double quotient_of(const Search *s, const PalBody *body)
{
    return dot(body, s->shape, s->shape_force, NULL) /
           dot(body, s->shape, s->shape, s->model->mass);
}

// One round for all bodies. Directions are kept unless they start anew.
static void improve(Search *s, PalState *state, bool anew)
{
    const PalModel *model = s->model;
    if (anew)
        stiffness_times(s, state, s->shape, s->shape_force);
    for (int32_t b = 0; b < model->body_count; ++b) {
        const PalBody *body = &model->bodies[b];
        double slope = find_gradient(s, body, quotient_of(s, body)), before = s->slopes[b];
        s->slopes[b] = slope;
        s->keep[b] = anew || !(before > 0) ? 0 : slope / before;
    }
    stiffness_times(s, state, s->gradient, s->force);
    for (int32_t b = 0; b < model->body_count; ++b) {
        const PalBody *body = &model->bodies[b];
        turn_direction(s, body, s->keep[b]);
        go(s, body, best_step(s, body));
    }
}

// Are all quotients nearly what they were some rounds ago?
static bool note(Search *s, PalVibration *vibrations, int32_t rounds)
{
    bool all = true;
    for (int32_t b = 0; b < s->model->body_count; ++b) {
        double quotient = quotient_of(s, &s->model->bodies[b]);
        vibrations[b].settled = quotient > (1 - SETTLED) * s->past[b];
        vibrations[b].rounds = rounds;
        vibrations[b].rate = quotient > 0 ? sqrt(quotient) : 0;
        s->past[b] = quotient;
        all = all && vibrations[b].settled;
    }
    return all;
}

PalStatus pal_sim_slowest_vibrations(PalSim *sim, PalVibration *vibrations, PalError *error)
{
    const PalModel *model = sim->model;
    Search s;
    int32_t node;
    double bound = pal_solver_stable_step(model, sim->state->displacement, sim->solver, &node);
    PalStatus status = create(model, sim->solver, &s, error);
    if (status == PAL_OK) {
        double most = fmin(fmax(WORK / (model->cell_count + 1), LEAST), ROUNDS);
        start(&s, sim->state);
        for (int32_t round = 0; round < (int32_t)most; ++round) {
            improve(&s, sim->state, round % RESTART == 0);
            if ((round + 1) % PATIENCE == 0 && note(&s, vibrations, round + 1))
                break;
        }
        for (int32_t b = 0; b < model->body_count; ++b)
            if (!(vibrations[b].rate * bound > NO_MOTION))
                vibrations[b].rate = 0;
    }
    clear(&s);
    return status;
}
