// How long a step may be before cells are squeezed too much of a sudden: a blow can flatten a cell
// in a few steps, long before the stable bound is looked at again.   docs/theory/time.md
#include "base/assert.h"
#include "contact/contact.h"
#include "contact/surface/surface.h"
#include "element/type.h"
#include "math/components.h"
#include "math/vec3.h"
#include "model/rigid_state.h"
#include "solver/solver.h"

#include <math.h>

#define SQUEEZE 0.1  // part of its volume by which a cell may change in a step
#define FEW     0.025  // of all mass: what is off in the energy of a cell that has more is seen in all
#define TRAVEL  0.25  // of an edge: what may be travelled between two looks where things can strike

// The first if the second is no number. What fmax does takes longer.
static inline double larger(double a, double b)
{
    return b > a ? b : a;
}

// The rate at which the volume spanned by three edges changes, relative to it.
static double volume_rate(const PalVec3 e[3], const PalVec3 v[3])
{
    PalVec3 faces[3] = {pal_vec3_cross(e[1], e[2]), pal_vec3_cross(e[2], e[0]),
                        pal_vec3_cross(e[0], e[1])};
    double change = 0;
    for (int i = 0; i < 3; ++i)
        change += pal_vec3_dot(v[i], faces[i]);
    return fabs(change) / fabs(pal_vec3_dot(e[0], faces[0]));
}

// How a node will move in the middle of a step, as forces are now.
static PalVec3 speed_of(const PalModel *model, const PalState *state, int32_t node, double step)
{
    PalVec3 push = pal_vec3_add(state->force[node], state->contact[node]);
    push = pal_vec3_without(push, model->held[node]);
    return pal_vec3_add_scaled(state->velocity[node], step / (2 * model->mass[node]), push);
}

// Of a cell at the corner listed first, towards the three others.
static double corner_rate(const PalModel *model, const PalState *state, const PalSolver *solver,
                          const int32_t nodes[4])
{
    PalVec3 e[3], v[3];
    int32_t from = nodes[0];
    PalVec3 origin = pal_vec3_add(model->nodes[from], state->displacement[from]);
    for (int i = 0; i < 3; ++i) {
        int32_t to = nodes[i + 1];
        e[i] = pal_vec3_sub(pal_vec3_add(model->nodes[to], state->displacement[to]), origin);
        v[i] = pal_vec3_sub(solver->node_speeds[to], solver->node_speeds[from]);
    }
    return volume_rate(e, v);
}

static double cell_rate(const PalModel *model, const PalState *state, const PalSolver *solver,
                        const PalBody *body, int32_t cell)
{
    const PalElementType *type = pal_element_type(body->element);
    int32_t corner_count = pal_cell_node_count(body->mesh->cell_kind);
    const int32_t *nodes = body->mesh->cells + (int64_t)cell * corner_count;
    PAL_ASSERT(type->tetrahedron_count == 0 || corner_count == type->corner_count);
    double most = 0;
    for (int32_t c = 0; c < type->tetrahedron_count; ++c) {
        int32_t four[4];
        for (int i = 0; i < 4; ++i)
            four[i] = body->first_node + nodes[type->tetrahedra[c][i]];
        most = larger(most, corner_rate(model, state, solver, four));
    }
    return most;
}

// Of what may touch, nothing goes through more than part of an edge, where contact stops all of it
// in one step.
static double travel_step(const PalModel *model, const PalSolver *solver)
{
    bool stops = solver->contact != NULL && solver->contact->response->prevents_crossing;
    double fastest = 0;
    for (int32_t n = 0; n < model->node_count && stops; ++n)
        fastest = larger(fastest, pal_vec3_length(solver->node_speeds[n]));
    return fastest > 0 ? TRAVEL * solver->contact->edge / fastest : INFINITY;
}

// Half of it for cells that are a large part of all there is, a pair of tetrahedra say.
static double squeeze_of(const PalModel *model, const PalBody *body)
{
    double all = 0, own = body->mass / body->mesh->cell_count;
    for (int32_t b = 0; b < model->body_count; ++b)
        all += model->bodies[b].mass;
    return own > FEW * all ? SQUEEZE * fmax(0.5, FEW * all / own) : SQUEEZE;
}

double pal_solver_squeeze_step(const PalModel *model, const PalState *state,
                               const PalSolver *solver, double step)
{
    for (int32_t n = 0; n < model->node_count; ++n)
        solver->node_speeds[n] = speed_of(model, state, n, step);
    double longest = travel_step(model, solver);
    for (int32_t b = 0; b < model->body_count; ++b) {
        double most = 0;
        for (int32_t c = 0; c < model->bodies[b].mesh->cell_count; ++c)
            most = larger(most, cell_rate(model, state, solver, &model->bodies[b], c));
        longest = fmin(longest, squeeze_of(model, &model->bodies[b]) / most);
    }
    return longest;
}

// The farthest any instrument is then from where it is now.
static double rigid_travel(const PalModel *model, const PalState *state, const PalSolver *solver,
                           double time)
{
    double farthest = 0;
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        double arm = solver->contact->surface->arms[r];
        farthest = fmax(farthest, pal_rigid_travel(model, state, r, time, arm));
    }
    return farthest;
}

int64_t pal_solver_steps_to_strike(const PalModel *model, const PalState *state,
                                   const PalSolver *solver, int64_t most)
{
    if (solver->contact == NULL)
        return most;
    double fastest = 0, step = solver->next_step, room = TRAVEL * solver->contact->edge;
    for (int32_t n = 0; n < model->node_count; ++n)
        fastest = fmax(fastest, pal_vec3_dot(state->velocity[n], state->velocity[n]));
    double steps = room / (step * sqrt(fastest));
    int64_t limit = steps < (double)most ? (int64_t)fmax(steps, 1) : most, count = 1;
    // one by one: an instrument may strike and be back at the last of them
    while (count < limit &&
           rigid_travel(model, state, solver, state->time + (double)(count + 1) * step) <= room)
        ++count;
    return count;
}
