// How near a relaxation is to equilibrium, body by body. A residual acceleration a = M^-1 r left in
// a mode of frequency w displaces it by a / w^2, so that
//   error = max |a| / (w^2 deformation),   imbalance = sum |r| / force.
// The deformation is what is left of the displacement when the body's best rigid motion is taken
// away. The force is half the sum of what loads, holds and contact do, node by node: the weight of
// what stands on a table.   docs/theory/time.md
#include "geometry/procrustes.h"
#include "math/components.h"
#include "math/vec3.h"
#include "solver/relaxation.h"

#include <math.h>

#define FLICKER    1e-4  // of the deformation: motion in a step that counts as none
#define REMEMBERED 0.1  // of the largest since the start: what comes back to nothing is measured by

static PalRigidMove rigid_part(const PalModel *model, const PalState *state, const PalBody *body)
{
    int32_t first = body->first_node, count = body->mesh->node_count;
    PalRigidMove move = {.from = {0, 0, 0}, .to = {0, 0, 0}};
    PalVec3 mean = {0, 0, 0};
    for (int32_t n = first; n < first + count; ++n) {
        move.from = pal_vec3_add_scaled(move.from, 1.0 / count, model->nodes[n]);
        mean = pal_vec3_add_scaled(mean, 1.0 / count, state->displacement[n]);
    }
    move.to = pal_vec3_add(move.from, mean);
    PalMat3 products = {{{0}}};
    for (int32_t n = first; n < first + count; ++n) {
        PalVec3 from = pal_vec3_sub(model->nodes[n], move.from);
        PalVec3 more = pal_vec3_sub(state->displacement[n], mean);
        pal_procrustes_add(&products, pal_vec3_add(from, more), from);
    }
    move.rotation = pal_procrustes_rotation(&products);
    return move;
}

static double deformation(const PalModel *model, const PalState *state, const PalBody *body)
{
    PalRigidMove move = rigid_part(model, state, body);
    double most = 0;
    for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n) {
        PalVec3 now = pal_vec3_add(model->nodes[n], state->displacement[n]);
        most = fmax(most, pal_vec3_distance(now, pal_rigid_apply(&move, model->nodes[n])));
    }
    return most;
}

typedef struct Forces {
    double left;          // what is not in balance
    double acceleration;  // the largest of it, by the fictitious masses
} Forces;

static void add_left(PalVec3 left, double mass, Forces *forces)
{
    double length = pal_vec3_length(left);
    forces->left += length;
    forces->acceleration = fmax(forces->acceleration, length / mass);
}

PalVec3 pal_relaxation_left(const PalModel *model, const PalState *state, int32_t node)
{
    PalVec3 left = pal_vec3_add(state->force[node], state->contact[node]);
    return pal_vec3_without(left, model->held[node]);
}

// What acts on a node from outside.
static double acting(const PalModel *model, const PalState *state, int32_t node)
{
    PalVec3 all = pal_vec3_add(state->force[node], state->contact[node]);
    PalVec3 held = pal_vec3_sub(all, pal_relaxation_left(model, state, node));
    return pal_vec3_length(state->external[node]) + pal_vec3_length(held) +
           pal_vec3_length(state->contact[node]);
}

// A scale by which to measure, which may come back to nothing.
static double scale(double now, double *peak)
{
    *peak = fmax(*peak, now);
    return fmax(now, REMEMBERED * *peak);
}

static double part(double left, double of)
{
    return left == 0 ? 0 : of > 0 ? left / of : 1;
}

// A vertex on an edge between two facets flickers between their normals, and only the mean over
// steps is in balance: that counts where it is better, and nothing moves much.
static void measure_body(const PalModel *model, const PalState *state, int32_t body_index,
                         bool touches, PalRelaxation *relaxation)
{
    const PalBody *body = &model->bodies[body_index];
    PalBodyPeak *peak = &relaxation->peaks[body_index];
    PalRelaxationNumbers *numbers = &relaxation->numbers;
    Forces now = {0, 0}, mean = {0, 0};
    double force = 0, fastest = 0;
    for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n) {
        add_left(pal_relaxation_left(model, state, n), relaxation->mass[n], &now);
        add_left(relaxation->calm_left[n], relaxation->mass[n], &mean);
        force += acting(model, state, n) / 2;
        fastest = fmax(fastest, pal_vec3_length(state->velocity[n]));
    }
    double deformed = scale(deformation(model, state, body), &peak->deformation);
    double restoring = numbers->lowest * deformed;
    force = scale(force, &peak->force);
    double error = part(now.acceleration, restoring), imbalance = part(now.left, force);
    if (touches && fastest <= FLICKER * deformed) {
        error = fmin(error, part(mean.acceleration, restoring));
        imbalance = fmin(imbalance, part(mean.left, force));
    }
    numbers->error = fmax(numbers->error, error);
    numbers->imbalance = fmax(numbers->imbalance, imbalance);
    if (restoring > 0)
        numbers->restoring = fmin(numbers->restoring, restoring);
}

void pal_relaxation_measure(const PalModel *model, const PalState *state, bool touches,
                            PalRelaxation *relaxation)
{
    relaxation->numbers.error = relaxation->numbers.imbalance = 0;
    relaxation->numbers.restoring = INFINITY;
    for (int32_t b = 0; b < model->body_count; ++b)
        measure_body(model, state, b, touches, relaxation);
}

void pal_relaxation_mark(const PalModel *model, const PalState *state, PalRelaxation *relaxation)
{
    double work = 0, mass = 0;
    for (int32_t n = 0; n < model->node_count; ++n) {
        PalVec3 internal = pal_vec3_sub(state->external[n], state->force[n]);
        PalVec3 motion = pal_vec3_sub(state->displacement[n], relaxation->mark[n]);
        PalVec3 change = pal_vec3_sub(internal, relaxation->mark_internal[n]);
        motion = pal_vec3_without(motion, model->held[n]);
        work += pal_vec3_dot(motion, change);
        mass += relaxation->mass[n] * pal_vec3_dot(motion, motion);
        relaxation->mark[n] = state->displacement[n];
        relaxation->mark_internal[n] = internal;
    }
    if (relaxation->counts.marked_step > 0 && work > 0)
        relaxation->numbers.slow = work / mass;
    relaxation->counts.marked_step = state->step_count;
}
