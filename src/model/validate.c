#include "model/validate.h"

#include "base/valid.h"
#include "math/mat3.h"
#include "math/quaternion.h"
#include "model/conditions.h"

#include <math.h>

#define ROUNDING 1e-9  // of rotations

// ---- the model --------------------------------------------------------------------------

#define HOLDS(condition, what, index) PAL_HOLDS(condition, error, "model is", what, index)

// Nodes and cells are numbered body after body, and each cell is an element of its own.
static PalStatus check_numbers(const PalModel *model, PalError *error)
{
    int64_t node = 0, cell = 0, sum = 0, count = model->cell_count;
    for (int32_t b = 0; b < model->body_count; ++b) {
        HOLDS(model->bodies[b].first_node == node && model->bodies[b].first_cell == cell,
              "where a body starts", b);
        node += model->bodies[b].mesh->node_count;
        cell += model->bodies[b].mesh->cell_count;
    }
    HOLDS(node == model->node_count && cell == count, "how many nodes and cells there are", node);
    for (int32_t c = 0; c < count; ++c) {
        HOLDS(model->cell_element[c] >= 0 && model->cell_element[c] < count, "a cell's element", c);
        sum += model->cell_element[c];
    }
    HOLDS(sum == count * (count - 1) / 2, "an element is there twice", sum);
    return PAL_OK;
}

// Held nodes are listed once, ascending, and are those with a held component.
static PalStatus check_nodes(const PalModel *model, PalError *error)
{
    int32_t held_count = pal_conditions_held_count(model->conditions), h = 0;
    const int32_t *nodes = pal_conditions_held_nodes(model->conditions);
    double mass = 0;
    for (int32_t n = 0; n < model->node_count; ++n) {
        bool listed = h < held_count && nodes[h] == n;
        HOLDS(!(model->mass[n] < 0), "the mass of a node", n);
        HOLDS(model->held[n] < 8, "held components", n);
        HOLDS(listed == (model->held[n] != 0), "the list of held nodes", n);
        h += listed;
        mass += model->mass[n];
    }
    HOLDS(h == held_count, "the list of held nodes", h);
    HOLDS(!(fabs(mass - model->total_mass) > ROUNDING * mass), "the mass of all", 0);
    return PAL_OK;
}

static PalStatus check_rigids(const PalModel *model, PalError *error)
{
    int32_t free_count = 0;
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalRigid *rigid = &model->rigids[r];
        const double *j = rigid->moments;
        free_count += rigid->free;
        if (!rigid->free)
            continue;
        HOLDS(rigid->mass > 0 && !(rigid->radius < 0), "the mass or size of a free body", r);
        HOLDS(j[0] > 0 && j[0] <= j[1] && j[1] <= j[2], "moments of inertia", r);
        HOLDS(pal_mat3_is_rotation(&rigid->axes, ROUNDING), "axes of inertia", r);
    }
    HOLDS(free_count == model->free_rigid_count, "how many rigid bodies are free", free_count);
    return PAL_OK;
}

PalStatus pal_model_validate(const PalModel *model, PalError *error)
{
    PAL_TRY(check_numbers(model, error));
    PAL_TRY(check_nodes(model, error));
    return check_rigids(model, error);
}

#undef HOLDS

// ---- the state --------------------------------------------------------------------------

#define HOLDS(condition, what, index) PAL_HOLDS(condition, error, "state is", what, index)

static bool is_turned(const PalPose *pose)
{
    return pal_mat3_is_rotation(&pose->rotation, ROUNDING);
}

static bool is_steering(double steered, double left_time, double wanted_time)
{
    return (steered == 0 || steered == 1) && isfinite(left_time) && isfinite(wanted_time);
}

static bool is_led(const PalConditionState *s)
{
    return is_steering(s->steered, s->left_time, s->wanted_time);
}

// A free body's pose is said twice: by its orientation, which is what adds up, and as a matrix.
static PalStatus check_free(const PalRigid *rigid, const PalRigidState *s, int32_t r,
                            PalError *error)
{
    PalQuaternion q = s->orientation;
    HOLDS(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < ROUNDING, "an orientation", r);
    PalMat3 turned = pal_quaternion_matrix(q);
    for (int i = 0; i < 9; ++i)
        HOLDS(fabs(turned.m[i / 3][i % 3] - s->pose.rotation.m[i / 3][i % 3]) < ROUNDING,
              "pose and orientation differ", r);
    PalVec3 pivot = s->pose.pivot, centre = rigid->centre;
    HOLDS(pivot.x == centre.x && pivot.y == centre.y && pivot.z == centre.z,
          "the pivot of a free body", r);
    HOLDS(pal_vec3_is_finite(s->velocity) && pal_vec3_is_finite(s->momentum),
          "how a free body moves", r);
    HOLDS(is_led(&s->loads[0]) && is_led(&s->loads[1]), "steered loads", r);
    return PAL_OK;
}

// What is neither free nor steered follows from the time.
static PalStatus check_rigid_states(const PalModel *model, const PalState *state, PalError *error)
{
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalRigidState *s = &state->rigids[r];
        HOLDS(is_steering(s->steered, s->left_time, s->wanted_time), "a steered pose", r);
        HOLDS(s->steered == 0 ||
                  (is_turned(&s->pose) && is_turned(&s->left) && is_turned(&s->wanted)),
              "a steered pose", r);
        if (model->rigids[r].free)
            PAL_TRY(check_free(&model->rigids[r], s, r, error));
    }
    return PAL_OK;
}

PalStatus pal_state_validate(const PalModel *model, const PalState *state, PalError *error)
{
    HOLDS(state->time >= 0 && isfinite(state->time), "the time", 0);
    HOLDS(state->step >= 0 && isfinite(state->step), "the step", 0);
    HOLDS(state->step_count >= 0, "the number of steps", state->step_count);
    for (int64_t i = 0; i < 3 * (int64_t)model->node_count; ++i)
        HOLDS(model->held[i / 3] >> i % 3 & 1 || (&state->reaction[0].x)[i] == 0,
              "a reaction where nothing is held", i / 3);
    for (int32_t c = 0; c < model->condition_count; ++c)
        HOLDS(is_led(&state->conditions[c]), "a steered condition", c);
    return check_rigid_states(model, state, error);
}
