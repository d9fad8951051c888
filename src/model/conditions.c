#include "model/conditions.h"

#include "base/assert.h"
#include "base/counted.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "model/facet_load.h"
#include "model/led.h"
#include "model/motion.h"

#include <stdlib.h>
#include <string.h>

enum { AMOUNT_MAX = 64 };  // conditions whose ramps are evaluated once a step, not once a node

typedef struct Condition {
    PalConditionKind kind;
    bool everywhere;  // gravity that names no body
    PalVec3 value;    // a pressure is in x
    PalRamp ramp;     // its table is owned
} Condition;

// Force or gravity: value times the condition's ramp times a weight per node.
typedef struct NodeLoad {
    int32_t condition;
    PalVec3 value;
    int32_t node_count;
    int32_t *nodes;  // ascending
    double *weights;
} NodeLoad;

// One prescription of one node; several on the same component add up.
typedef struct HeldTerm {
    int32_t node, condition;
    uint8_t axes;
    bool turns;
    double weight;
    PalVec3 value;  // with the weight in it; of what turns, its place from the centre
} HeldTerm;

struct PalConditions {
    int32_t count;
    Condition *items;
    int32_t node_load_count, facet_load_count;
    NodeLoad *node_loads;
    PalFacetLoad *facet_loads;
    int32_t term_count;
    HeldTerm *terms;  // by node
    int32_t held_count;
    int32_t *held_nodes;
    int32_t *held_terms;  // first term of each held node; held_count + 1
};

static PalStatus no_memory(PalError *error)
{
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for the conditions");
}

// Nodes of the condition's body that it selects, in the model's numbering.
static PalStatus select_nodes(const PalConditionDef *def, const PalModel *model, int32_t **nodes,
                              int32_t *count, PalError *error)
{
    const PalBody *body = &model->bodies[def->body_index];
    PAL_TRY(pal_mesh_select_nodes(body->mesh, &def->where, nodes, count, error));
    for (int32_t i = 0; i < *count; ++i)
        (*nodes)[i] += body->first_node;
    return PAL_OK;
}

static PalStatus check_weights(const PalConditionDef *def, int32_t node_count, PalError *error)
{
    if (def->weight_count == 0 || def->weight_count == node_count)
        return PAL_OK;
    return pal_error_set(error, PAL_BAD_INPUT,
                         "condition has %d weights for %d nodes, expected one for each",
                         (int)def->weight_count, (int)node_count);
}

static double weight_of(const PalConditionDef *def, int32_t i)
{
    return def->weight_count > 0 ? def->weights[i] : 1;
}

static PalStatus add_terms(const PalConditionDef *def, int32_t condition, const PalModel *model,
                           PalConditions *conditions, PalError *error)
{
    int32_t *nodes = NULL, count = 0;
    PAL_TRY(select_nodes(def, model, &nodes, &count, error));
    if (check_weights(def, count, error) != PAL_OK) {
        free(nodes);
        return PAL_BAD_INPUT;
    }
    size_t total = (size_t)conditions->term_count + (size_t)count;
    HeldTerm *terms = realloc(conditions->terms, (total + 1) * sizeof *terms);
    if (terms == NULL) {
        free(nodes);
        return no_memory(error);
    }
    conditions->terms = terms;
    uint8_t axes = (uint8_t)(def->axes[0] | def->axes[1] << 1 | def->axes[2] << 2);
    PalVec3 value = def->kind == PAL_CONDITION_FIX ? pal_vec3(0, 0, 0) : def->value;
    bool turns = def->kind == PAL_CONDITION_ROTATE;
    for (int32_t i = 0; i < count; ++i) {
        double weight = weight_of(def, i);
        PalVec3 own = turns ? pal_vec3_sub(model->nodes[nodes[i]], def->centre)
                            : pal_vec3_scale(weight, value);
        terms[conditions->term_count++] = (HeldTerm){nodes[i], condition, axes, turns, weight, own};
    }
    free(nodes);
    return PAL_OK;
}

static PalStatus add_node_load(const PalConditionDef *def, int32_t condition, const PalModel *model,
                               PalConditions *conditions, PalError *error)
{
    NodeLoad *load = &conditions->node_loads[conditions->node_load_count++];
    *load = (NodeLoad){.condition = condition, .value = def->value};
    int32_t *selected = NULL;
    PAL_TRY(select_nodes(def, model, &selected, &load->node_count, error));
    load->nodes = pal_copy(selected, (size_t)load->node_count, sizeof *load->nodes);
    free(selected);
    PAL_TRY(check_weights(def, load->node_count, error));
    load->weights = pal_alloc((size_t)load->node_count, sizeof *load->weights);
    if (load->nodes == NULL || load->weights == NULL)
        return no_memory(error);
    for (int32_t i = 0; i < load->node_count; ++i) {
        if (def->kind == PAL_CONDITION_GRAVITY)
            load->weights[i] = model->mass[load->nodes[i]];
        else
            load->weights[i] = def->each ? weight_of(def, i) : 1.0 / load->node_count;
    }
    return PAL_OK;
}

static PalStatus add_condition(const PalConditionDef *def, int32_t condition, const PalModel *model,
                               PalConditions *conditions, PalError *error)
{
    switch (def->kind) {
    case PAL_CONDITION_FIX:
    case PAL_CONDITION_DISPLACE:
    case PAL_CONDITION_ROTATE:
        return add_terms(def, condition, model, conditions, error);
    case PAL_CONDITION_FORCE:
    case PAL_CONDITION_GRAVITY:
        return add_node_load(def, condition, model, conditions, error);
    case PAL_CONDITION_PRESSURE:
    case PAL_CONDITION_TRACTION:
        return pal_facet_load_init(&conditions->facet_loads[conditions->facet_load_count++], def,
                                   condition, &model->bodies[def->body_index], error);
    case PAL_CONDITION_ATTACH:
        return PAL_OK;  // model/ties
    }
    return PAL_OK;
}

static PalStatus check_definition(const PalConditionDef *def, const PalModel *model,
                                  PalError *error)
{
    if ((int)def->kind < PAL_CONDITION_FIX || def->kind > PAL_CONDITION_ATTACH)
        return pal_error_set(error, PAL_BAD_INPUT, "unknown kind of condition %d", (int)def->kind);
    if (def->body_index == PAL_NONE ? def->kind != PAL_CONDITION_GRAVITY
                                    : def->body_index < 0 || def->body_index >= model->body_count)
        return pal_error_set(error, PAL_BAD_INPUT,
                             "condition names body %d, but there are %d bodies, from 0",
                             def->body_index, model->body_count);
    if (def->kind == PAL_CONDITION_ROTATE && !(def->axes[0] && def->axes[1] && def->axes[2]))
        return pal_error_set(error, PAL_BAD_INPUT, "a rotation holds all axes, expected all three");
    if (!pal_vec3_is_finite(def->value) || !pal_vec3_is_finite(def->centre) ||
        !isfinite(def->pressure))
        return pal_error_set(error, PAL_BAD_INPUT, "condition has a value that is not finite");
    PAL_TRY(pal_check_counted("weights of a condition", def->weight_count, def->weights, error));
    for (int32_t i = 0; i < def->weight_count; ++i)
        if (!isfinite(def->weights[i]))
            return pal_error_set(error, PAL_BAD_INPUT, "condition has a weight that is not finite");
    return PAL_OK;
}

static int compare_terms(const void *left, const void *right)
{
    const HeldTerm *a = left, *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->condition > b->condition) - (a->condition < b->condition);
}

// Lists the held nodes and marks their components in the model.
static PalStatus index_terms(PalConditions *conditions, PalModel *model, PalError *error)
{
    if (conditions->term_count > 0)
        qsort(conditions->terms, (size_t)conditions->term_count, sizeof *conditions->terms,
              compare_terms);
    size_t most = (size_t)conditions->term_count;
    conditions->held_nodes = pal_alloc(most, sizeof(int32_t));
    conditions->held_terms = pal_alloc(most + 1, sizeof(int32_t));
    if (conditions->held_nodes == NULL || conditions->held_terms == NULL)
        return no_memory(error);
    int32_t held = 0;
    for (int32_t i = 0; i < conditions->term_count; ++i) {
        const HeldTerm *term = &conditions->terms[i];
        if (held == 0 || conditions->held_nodes[held - 1] != term->node) {
            conditions->held_terms[held] = i;
            conditions->held_nodes[held++] = term->node;
        }
        model->held[term->node] |= term->axes;
    }
    conditions->held_terms[held] = conditions->term_count;
    conditions->held_count = held;
    return PAL_OK;
}

// A run without an end has no time at which a ramp could be up by itself.
static PalStatus check_end(const PalConditionDef *def, int32_t condition, const PalModel *model,
                           PalError *error)
{
    bool matters =
        def->kind != PAL_CONDITION_FIX && (pal_vec3_length(def->value) > 0 || def->pressure != 0);
    if (!matters || !pal_ramp_lacks_end(&def->ramp, model->end_time))
        return PAL_OK;
    bool everywhere = def->body_index == PAL_NONE;
    return pal_error_set(error, PAL_BAD_INPUT,
                         "condition %d, on %s%s%s, has a ramp without `until`, and the simulation "
                         "has no end: give the ramp an `until`",
                         (int)condition, everywhere ? "every body" : "body \"",
                         everywhere ? "" : model->bodies[def->body_index].name,
                         everywhere ? "" : "\"");
}

static PalStatus add_item(const PalConditionDef *def, const PalModel *model,
                          PalConditions *conditions, PalError *error)
{
    Condition *item = &conditions->items[conditions->count];
    PAL_TRY(check_end(def, conditions->count, model, error));
    PAL_TRY(pal_ramp_copy(&def->ramp, model->end_time, &item->ramp, error));
    item->kind = def->kind;
    item->everywhere = def->body_index == PAL_NONE;
    item->value = def->kind == PAL_CONDITION_PRESSURE ? pal_vec3(def->pressure, 0, 0) : def->value;
    ++conditions->count;
    return PAL_OK;
}

PalStatus pal_conditions_create(const PalModelDef *def, PalModel *model, PalError *error)
{
    PalConditions *conditions = pal_alloc(1, sizeof *conditions);
    if (conditions == NULL)
        return no_memory(error);
    model->conditions = conditions;
    size_t count = (size_t)def->condition_count;
    model->condition_count = def->condition_count;
    size_t most_loads = count;
    for (int32_t c = 0; c < def->condition_count; ++c)  // gravity may load every body
        if (def->conditions[c].body_index == PAL_NONE)
            most_loads += (size_t)model->body_count;
    conditions->items = pal_alloc(count, sizeof *conditions->items);
    conditions->node_loads = pal_alloc(most_loads, sizeof *conditions->node_loads);
    conditions->facet_loads = pal_alloc(count, sizeof *conditions->facet_loads);
    if (conditions->items == NULL || conditions->node_loads == NULL ||
        conditions->facet_loads == NULL)
        return no_memory(error);
    for (int32_t c = 0; c < def->condition_count; ++c) {
        PalConditionDef one = def->conditions[c];
        PAL_TRY(check_definition(&one, model, error));
        PAL_TRY(add_item(&one, model, conditions, error));
        bool everywhere = one.body_index == PAL_NONE;
        for (int32_t b = 0; b < (everywhere ? model->body_count : 1); ++b) {
            if (everywhere)
                one.body_index = b;
            PAL_TRY(add_condition(&one, c, model, conditions, error));
        }
    }
    return index_terms(conditions, model, error);
}

void pal_conditions_destroy(PalConditions *conditions)
{
    if (conditions == NULL)
        return;
    for (int32_t i = 0; i < conditions->count; ++i)
        pal_free((void *)conditions->items[i].ramp.points);
    for (int32_t i = 0; i < conditions->node_load_count; ++i) {
        pal_free(conditions->node_loads[i].nodes);
        pal_free(conditions->node_loads[i].weights);
    }
    for (int32_t i = 0; i < conditions->facet_load_count; ++i)
        pal_facet_load_clear(&conditions->facet_loads[i]);
    pal_free(conditions->items);
    pal_free(conditions->node_loads);
    pal_free(conditions->facet_loads);
    free(conditions->terms);
    pal_free(conditions->held_nodes);
    pal_free(conditions->held_terms);
    pal_free(conditions);
}

bool pal_conditions_have_loads(const PalConditions *conditions)
{
    return conditions->node_load_count + conditions->facet_load_count > 0;
}

PalConditionKind pal_conditions_kind(const PalConditions *conditions, int32_t condition)
{
    PAL_ASSERT(condition >= 0 && condition < conditions->count);
    return conditions->items[condition].kind;
}

// ---- at a time --------------------------------------------------------------------------

// What is in force: `factor` times what the definition says, or what a program has set instead.
typedef struct Amount {
    double factor;
    bool steered;
    PalVec3 value;  // where it is steered
    PalMat3 turn;   // of a rotation, less 1
} Amount;

// What a rotation by a vector does besides leaving things where they are.
static PalMat3 turn_by(PalVec3 vector)
{
    double angle = pal_vec3_length(vector);
    PalMat3 turn = angle > 0 ? pal_rotation_about(vector, angle) : pal_mat3_identity();
    for (int i = 0; i < 3; ++i)
        turn.m[i][i] -= 1;
    return turn;
}

// Before time 0, where statics follows loads that have turned round, a ramp goes on as it began.
static double factor_at(const PalRamp *ramp, double time)
{
    if (time >= 0)
        return pal_ramp_value(ramp, time);
    return 2 * pal_ramp_value(ramp, 0) - pal_ramp_value(ramp, -time);
}

static Amount amount_of(const PalConditions *conditions, const PalConditionState *steering,
                        int32_t condition, double time)
{
    const PalConditionState *steered = &steering[condition];
    const Condition *item = &conditions->items[condition];
    Amount amount = {.factor = 1, .steered = steered->steered != 0};
    if (amount.steered)
        amount.value = pal_condition_led_value(steered, time);
    else
        amount.factor = factor_at(&item->ramp, time);
    if (item->kind == PAL_CONDITION_ROTATE)
        amount.turn =
            turn_by(amount.steered ? amount.value : pal_vec3_scale(amount.factor, item->value));
    return amount;
}

PalVec3 pal_conditions_value(const PalConditions *conditions, const PalConditionState *steering,
                             int32_t condition, double time)
{
    PAL_ASSERT(condition >= 0 && condition < conditions->count);
    Amount amount = amount_of(conditions, steering, condition, time);
    return amount.steered ? amount.value
                          : pal_vec3_scale(amount.factor, conditions->items[condition].value);
}

PalVec3 pal_conditions_gravity(const PalConditions *conditions, const PalConditionState *steering,
                               double time)
{
    PalVec3 sum = {0, 0, 0};
    for (int32_t c = 0; c < conditions->count; ++c)
        if (conditions->items[c].everywhere)
            sum = pal_vec3_add(sum, pal_conditions_value(conditions, steering, c, time));
    return sum;
}

int32_t pal_conditions_held_count(const PalConditions *conditions)
{
    return conditions->held_count;
}

const int32_t *pal_conditions_held_nodes(const PalConditions *conditions)
{
    return conditions->held_nodes;
}

void pal_conditions_held_range(const PalConditions *conditions, int32_t chunk, int32_t *first,
                               int32_t *last)
{
    int32_t lowest = chunk * PAL_NODE_CHUNK;
    *first = pal_first_not_below(conditions->held_nodes, conditions->held_count, lowest);
    *last = pal_first_not_below(conditions->held_nodes, conditions->held_count,
                                lowest + PAL_NODE_CHUNK);
}

void pal_conditions_targets(const PalConditions *conditions, const PalConditionState *steering,
                            double time, PalVec3 *targets)
{
    Amount amounts[AMOUNT_MAX];  // one ramp serves many nodes
    for (int32_t c = 0; c < conditions->count && c < AMOUNT_MAX; ++c)
        amounts[c] = amount_of(conditions, steering, c, time);
    for (int32_t h = 0; h < conditions->held_count; ++h) {
        PalVec3 target = {0, 0, 0};
        for (int32_t t = conditions->held_terms[h]; t < conditions->held_terms[h + 1]; ++t) {
            const HeldTerm *term = &conditions->terms[t];
            Amount amount = term->condition < AMOUNT_MAX
                                ? amounts[term->condition]
                                : amount_of(conditions, steering, term->condition, time);
            if (term->turns) {
                target = pal_vec3_add(target, pal_mat3_apply(&amount.turn, term->value));
                continue;
            }
            PalVec3 value =
                amount.steered ? pal_vec3_scale(term->weight, amount.value) : term->value;
            if (term->axes & 1)
                target.x += amount.factor * value.x;
            if (term->axes & 2)
                target.y += amount.factor * value.y;
            if (term->axes & 4)
                target.z += amount.factor * value.z;
        }
        targets[h] = target;
    }
}

typedef struct LoadTask {
    const PalModel *model;
    const PalState *state;
    double time;
    PalVec3 *external;
} LoadTask;

// Of a pile of bodies with a load each, most have no node here.
static void load_nodes(const LoadTask *task, const NodeLoad *load, int32_t begin, int32_t end)
{
    int32_t count = load->node_count;
    if (count == 0 || load->nodes[0] >= end || load->nodes[count - 1] < begin)
        return;
    Amount amount =
        amount_of(task->model->conditions, task->state->conditions, load->condition, task->time);
    PalVec3 value = amount.steered ? amount.value : load->value;
    int32_t i = pal_first_not_below(load->nodes, count, begin);
    for (; i < count && load->nodes[i] < end; ++i) {
        PalVec3 *external = &task->external[load->nodes[i]];
        *external = pal_vec3_add_scaled(*external, amount.factor * load->weights[i], value);
    }
}

int32_t pal_conditions_facet_load_count(const PalConditions *conditions)
{
    return conditions->facet_load_count;
}

bool pal_conditions_follow(const PalConditions *conditions)
{
    for (int32_t l = 0; l < conditions->facet_load_count; ++l)
        if (conditions->facet_loads[l].follows)
            return true;
    return false;
}

PalFacetLoad pal_conditions_facet_load(const PalConditions *conditions,
                                       const PalConditionState *steering, int32_t index,
                                       double time, double *factor)
{
    PalFacetLoad load = conditions->facet_loads[index];  // with the same lists
    Amount amount = amount_of(conditions, steering, load.condition, time);
    *factor = amount.factor;
    if (amount.steered) {
        load.pressure = amount.value.x;
        load.traction = amount.value;
    }
    return load;
}

static void load_facets(const LoadTask *task, int32_t index, int32_t begin, int32_t end)
{
    double factor;
    PalFacetLoad load = pal_conditions_facet_load(task->model->conditions, task->state->conditions,
                                                  index, task->time, &factor);
    PalShape shape = {task->model->nodes, task->state->displacement};
    pal_facet_load_add(&load, &shape, factor, begin, end, task->external);
}

static void load_chunk(void *context, int32_t chunk, int32_t worker)
{
    (void)worker;
    const LoadTask *task = context;
    const PalConditions *conditions = task->model->conditions;
    int32_t begin, end;
    pal_chunk_range(task->model, chunk, &begin, &end);
    memset(task->external + begin, 0, (size_t)(end - begin) * sizeof *task->external);
    for (int32_t l = 0; l < conditions->node_load_count; ++l)
        load_nodes(task, &conditions->node_loads[l], begin, end);
    for (int32_t l = 0; l < conditions->facet_load_count; ++l)
        load_facets(task, l, begin, end);
}

void pal_conditions_loads(const PalModel *model, const PalState *state, double time,
                          int32_t thread_count, PalVec3 *external)
{
    LoadTask task = {model, state, time, external};
    int32_t chunk_count = (model->node_count + PAL_NODE_CHUNK - 1) / PAL_NODE_CHUNK;
    pal_parallel_for(thread_count, chunk_count, load_chunk, &task);
}

double pal_conditions_next_corner(const PalConditions *conditions, double time)
{
    double next = INFINITY;
    for (int32_t c = 0; c < conditions->count; ++c)
        next = fmin(next, pal_ramp_next_corner(&conditions->items[c].ramp, time));
    return next;
}
