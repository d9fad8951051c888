// Newton's method along a load that grows, with whole corrections: bodies that bend need them.
#include "reduced/truth.h"

#include "base/memory.h"
#include "math/components.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define BALANCED         1e-7  // of the load
#define MOST_CORRECTIONS 30
#define FAST             0.3          // of what was left before: the factors of before do once more
#define SHORTEST         (1.0 / 256)  // part of a load that is tried

void pal_truth_destroy(PalTruth *truth)
{
    if (truth == NULL)
        return;
    if (truth->linear != NULL) {
        truth->linear->destroy(truth->rest_factors);
        truth->linear->destroy(truth->factors);
    }
    pal_stiffness_destroy(truth->stiffness);
    pal_element_scratch_destroy(truth->scratch);
    pal_model_destroy(truth->model);
    double *lists[] = {truth->rest_values, truth->internal, truth->left,
                       truth->start,       truth->before,   truth->now};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        pal_free(lists[i]);
    pal_free(truth->displacement);
    pal_free(truth->force);
    pal_free(truth);
}

// ---- making it --------------------------------------------------------------------------

static PalStatus check_body(const PalBodyDef *body, PalError *error)
{
    if (body->element != PAL_ELEMENT_T4)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "a vademecum of body \"%s\", whose element is %s, expected element t4",
                             body->name, pal_element_name(body->element));
    for (int32_t m = 0; m < body->material_count; ++m)
        if (body->materials[m].isochoric_count > 0 || body->materials[m].volumetric_count > 0)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "a vademecum of body \"%s\", whose material relaxes in time, "
                                 "expected one that does not",
                                 body->name);
    return PAL_OK;
}

// Forces are what a vademecum answers to. Whatever else acts on the body would change the answers.
static PalStatus check_conditions(const PalModelDef *def, int32_t body, PalError *error)
{
    static const char *const others[] = {
        [PAL_CONDITION_DISPLACE] = "displace", [PAL_CONDITION_PRESSURE] = "pressure",
        [PAL_CONDITION_TRACTION] = "traction", [PAL_CONDITION_GRAVITY] = "gravity",
        [PAL_CONDITION_ROTATE] = "rotate",     [PAL_CONDITION_ATTACH] = "attach",
    };
    for (int32_t c = 0; c < def->condition_count; ++c) {
        const PalConditionDef *condition = &def->conditions[c];
        bool whole = condition->kind == PAL_CONDITION_GRAVITY && condition->body_index == PAL_NONE;
        bool other = condition->kind == PAL_CONDITION_ATTACH && condition->other_body == body;
        if (condition->kind == PAL_CONDITION_FIX || condition->kind == PAL_CONDITION_FORCE ||
            !(whole || other || condition->body_index == body))
            continue;
        return pal_error_set(
            error, PAL_BAD_INPUT,
            "a vademecum of body \"%s\", on which conditions.%d (%s) acts, expected "
            "fix and force alone: --set conditions.%d=null leaves it out",
            def->bodies[body].name, (int)c, others[condition->kind], (int)c);
    }
    return PAL_OK;
}

static PalStatus make_model(const PalModelDef *def, int32_t body, PalModel **model, PalError *error)
{
    PalModelDef own = pal_model_def_default();
    PAL_TRY(check_body(&def->bodies[body], error));
    PAL_TRY(check_conditions(def, body, error));
    PalConditionDef *conditions = pal_alloc((size_t)def->condition_count + 1, sizeof *conditions);
    if (conditions == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory");
    for (int32_t c = 0; c < def->condition_count; ++c)
        if (def->conditions[c].kind == PAL_CONDITION_FIX && def->conditions[c].body_index == body) {
            conditions[own.condition_count] = def->conditions[c];
            conditions[own.condition_count++].body_index = 0;
        }
    own.body_count = 1;
    own.bodies = &def->bodies[body];
    own.conditions = conditions;
    own.end_time = 1;
    PalStatus status =
        own.condition_count > 0
            ? pal_model_create(&own, model, error)
            : pal_error_set(error, PAL_BAD_INPUT,
                            "a vademecum of body \"%s\", which nothing holds, expected a condition "
                            "that fixes some of its nodes",
                            def->bodies[body].name);
    pal_free(conditions);
    return status;
}

static PalStatus factor(PalTruth *truth, void *factors, PalSymmetric matrix, bool *sound,
                        PalError *error)
{
    PalFactorFacts facts;
    PAL_TRY(truth->linear->factor(factors, &matrix, NULL, &facts, error));
    ++truth->factor_count;
    *sound = facts.null_row == PAL_NONE;
    return PAL_OK;
}

static void assemble(PalTruth *truth)
{
    PalStiffnessStep step = {0, NULL, NULL};
    pal_stiffness_assemble(truth->stiffness, truth->scratch, truth->displacement, &step);
}

static PalStatus make_equations(PalTruth *truth, PalError *error)
{
    const PalModel *model = truth->model;
    PAL_TRY(pal_stiffness_create(model->elements, model->held, model->nodes, NULL,
                                 &truth->stiffness, error));
    truth->size = truth->stiffness->free_count;
    if (truth->size == 0)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "conditions fix all nodes of body \"%s\", expected some that can move",
                             model->bodies[0].name);
    PalSymmetric matrix = pal_stiffness_unknowns(truth->stiffness);
    size_t bytes;
    truth->linear = pal_linear_solver(PAL_LINEAR_DIRECT);
    PAL_TRY(truth->linear->create(&matrix, &truth->rest_factors, &bytes, error));
    PAL_TRY(truth->linear->create(&matrix, &truth->factors, &bytes, error));
    assemble(truth);
    truth->rest_values = pal_copy(truth->stiffness->value, (size_t)matrix.start[matrix.size],
                                  sizeof *truth->rest_values);
    if (truth->rest_values == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a matrix");
    truth->rest = matrix;
    truth->rest.value = truth->rest_values;
    bool sound;
    PAL_TRY(factor(truth, truth->rest_factors, truth->rest, &sound, error));
    return sound ? PAL_OK
                 : pal_error_set(error, PAL_BAD_INPUT,
                                 "body \"%s\" is not held enough for a vademecum, expected "
                                 "conditions that let it neither move nor turn as a whole",
                                 model->bodies[0].name);
}

PalStatus pal_truth_create(const PalModelDef *def, int32_t body, int32_t threads, PalTruth **result,
                           PalError *error)
{
    PalTruth *truth = pal_alloc(1, sizeof *truth);
    *result = truth;
    if (truth == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory");
    PAL_TRY(make_model(def, body, &truth->model, error));
    PAL_TRY(pal_element_scratch_create(truth->model->elements, &truth->scratch, error));
    pal_element_scratch_set_threads(truth->scratch, threads);
    size_t nodes = (size_t)truth->model->node_count;
    truth->displacement = pal_alloc(nodes, sizeof *truth->displacement);
    truth->force = pal_alloc(nodes, sizeof *truth->force);
    if (truth->displacement == NULL || truth->force == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory");
    PAL_TRY(make_equations(truth, error));
    double **lists[] = {&truth->internal, &truth->left, &truth->start, &truth->before, &truth->now};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        if ((*lists[i] = pal_alloc((size_t)truth->size, sizeof(double))) == NULL)
            return pal_error_set(error, PAL_NO_MEMORY, "no memory");
    return PAL_OK;
}

// ---- at rest ----------------------------------------------------------------------------

PalStatus pal_truth_solve_rest(PalTruth *truth, double *x, int32_t count, PalError *error)
{
    if (truth->linear->solve_many != NULL)
        return truth->linear->solve_many(truth->rest_factors, &truth->rest, x, count, error);
    for (int32_t i = 0; i < count; ++i)
        PAL_TRY(truth->linear->solve(truth->rest_factors, &truth->rest,
                                     x + (int64_t)i * truth->size, NULL, error));
    return PAL_OK;
}

void pal_truth_stiffness(const PalTruth *truth, const double *x, double *y)
{
    const PalSymmetric *k = &truth->rest;
    memset(y, 0, (size_t)truth->size * sizeof *y);
    for (int32_t i = 0; i < k->size; ++i) {
        double sum = 0;
        int64_t last = k->start[i + 1] - 1;
        for (int64_t e = k->start[i]; e < last; ++e) {
            sum += k->value[e] * x[k->column[e]];
            y[k->column[e]] += k->value[e] * x[i];
        }
        y[i] += sum + k->value[last] * x[i];
    }
}

double pal_truth_dot(const PalTruth *truth, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t i = 0; i < truth->size; ++i)
        sum += a[i] * b[i];
    return sum;
}

double pal_truth_energy_norm(PalTruth *truth, const double *x)
{
    pal_truth_stiffness(truth, x, truth->left);
    double square = pal_truth_dot(truth, x, truth->left);
    return square > 0 ? sqrt(square) : 0;
}

// ---- shapes -----------------------------------------------------------------------------

void pal_truth_spread(const PalTruth *truth, const double *u, PalVec3 *nodes)
{
    memset(nodes, 0, (size_t)truth->model->node_count * sizeof *nodes);
    for (int32_t r = 0; r < truth->size; ++r) {
        int32_t component = truth->stiffness->component[r];
        pal_vec3_put(&nodes[component / 3], component % 3, u[r]);
    }
}

bool pal_truth_forces(PalTruth *truth, const double *u, double *internal)
{
    pal_truth_spread(truth, u, truth->displacement);
    PalElementTrouble trouble = pal_elements_force(truth->model->elements, truth->scratch,
                                                   truth->displacement, 0, NULL, truth->force);
    for (int32_t r = 0; r < truth->size; ++r) {
        int32_t component = truth->stiffness->component[r];
        internal[r] = -pal_vec3_at(truth->force[component / 3], component % 3);
    }
    return trouble.inverted_count == 0;
}

void pal_truth_tangent(PalTruth *truth, const double *u, double *values)
{
    pal_truth_spread(truth, u, truth->displacement);
    assemble(truth);
    memcpy(values, truth->stiffness->value,
           (size_t)truth->rest.start[truth->rest.size] * sizeof *values);
}

double pal_truth_strain_energy(PalTruth *truth, const double *u)
{
    pal_truth_spread(truth, u, truth->displacement);
    return pal_elements_energy(truth->model->elements, truth->scratch, truth->displacement);
}

// Adds as much of the correction as leaves no cell inside out. False: hardly any.
static bool correct(PalTruth *truth, const double *correction)
{
    memcpy(truth->start, truth->now, (size_t)truth->size * sizeof *truth->now);
    for (double part = 1; part > 0.01; part /= 2) {
        for (int32_t r = 0; r < truth->size; ++r)
            truth->now[r] = truth->start[r] + part * correction[r];
        if (pal_truth_forces(truth, truth->now, truth->internal))
            return true;
    }
    return false;
}

// A correction of truth->left, by factors of the present shape or, where those of before still lead
// there fast, by them.
static PalStatus find_correction(PalTruth *truth, bool fresh, bool *found, PalError *error)
{
    PalSymmetric matrix = pal_stiffness_unknowns(truth->stiffness);
    *found = true;
    if (fresh) {
        assemble(truth);
        PAL_TRY(factor(truth, truth->factors, matrix, found, error));
    }
    return *found ? truth->linear->solve(truth->factors, &matrix, truth->left, NULL, error)
                  : PAL_OK;
}

// truth->left = what is out of balance with a part of the load; returns its size.
static double find_left(PalTruth *truth, const double *load, double part)
{
    double square = 0;
    for (int32_t r = 0; r < truth->size; ++r) {
        truth->left[r] = part * load[r] - truth->internal[r];
        square += truth->left[r] * truth->left[r];
    }
    return sqrt(square);
}

// From truth->now to balance with a part of the load.
static PalStatus balance(PalTruth *truth, const double *load, double part, bool *found,
                         PalError *error)
{
    double whole = part * sqrt(pal_truth_dot(truth, load, load)), first = INFINITY;
    double before = 0;
    *found = false;
    if (!pal_truth_forces(truth, truth->now, truth->internal))
        return PAL_OK;
    for (int round = 0; round <= MOST_CORRECTIONS; ++round) {
        double left = find_left(truth, load, part);
        *found = left <= BALANCED * whole;
        if (*found || !isfinite(left) || round == MOST_CORRECTIONS)
            return PAL_OK;
        first = round == 1 ? left : first;
        if (round > 8 && left > first)
            return PAL_OK;
        bool corrected, fresh = left > FAST * before;
        PAL_TRY(find_correction(truth, fresh, &corrected, error));
        if (!corrected || !correct(truth, truth->left))
            return PAL_OK;
        before = left;
    }
    return PAL_OK;
}

// Where the last two shapes lead.
static void predict(PalTruth *truth, const double *last, double done, double previous, double next)
{
    double ahead = done > previous ? (next - done) / (done - previous) : 0;
    for (int32_t r = 0; r < truth->size; ++r)
        truth->now[r] = last[r] + ahead * (last[r] - truth->before[r]);
}

PalStatus pal_truth_follow(PalTruth *truth, const double *load, int32_t level_count,
                           const double *levels, double *u, PalTruthWay *way, PalError *error)
{
    size_t bytes = (size_t)truth->size * sizeof *u;
    double done = 0, previous = 0, length = levels[0];
    double *last = u;  // the shape at `done`: in place of the level to come
    *way = (PalTruthWay){0, 0};
    memset(u, 0, bytes);
    memset(truth->before, 0, bytes);
    while (way->found < level_count) {
        double goal = levels[way->found];
        double next = done + 1.01 * length < goal ? done + length : goal;
        bool balanced;
        predict(truth, last, done, previous, next);
        PAL_TRY(balance(truth, load, next, &balanced, error));
        if (!balanced) {
            length = (next - done) / 2;
            if (length < SHORTEST)
                break;
            continue;
        }
        memcpy(truth->before, last, bytes);
        memcpy(last, truth->now, bytes);
        previous = done;
        done = next;
        length *= 1.5;
        if (done == goal && ++way->found < level_count) {
            memcpy(last + truth->size, last, bytes);
            last += truth->size;
        }
    }
    way->reached = done;
    return PAL_OK;
}
