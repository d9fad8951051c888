#include "model/conditions.h"

#include "base/counted.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"
#include "model/facet_load.h"
#include "model/motion.h"

#include <stdlib.h>
#include <string.h>

enum { FACTOR_MAX = 64 };  // conditions whose ramps are evaluated once a step, not once a node

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
    PalVec3 value;
} HeldTerm;

struct PalConditions {
    int32_t ramp_count;
    PalRamp *ramps;    // one per condition, tables owned
    PalVec3 *gravity;  // one per condition; zero but for gravity everywhere
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
    for (int32_t i = 0; i < count; ++i)
        terms[conditions->term_count++] =
            (HeldTerm){nodes[i], condition, axes, pal_vec3_scale(weight_of(def, i), value)};
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
        return add_terms(def, condition, model, conditions, error);
    case PAL_CONDITION_FORCE:
    case PAL_CONDITION_GRAVITY:
        return add_node_load(def, condition, model, conditions, error);
    case PAL_CONDITION_PRESSURE:
    case PAL_CONDITION_TRACTION:
        return pal_facet_load_init(&conditions->facet_loads[conditions->facet_load_count++], def,
                                   condition, &model->bodies[def->body_index], error);
    }
    return PAL_OK;
}

static PalStatus check_definition(const PalConditionDef *def, const PalModel *model,
                                  PalError *error)
{
    if (def->body_index == PAL_NONE ? def->kind != PAL_CONDITION_GRAVITY
                                    : def->body_index < 0 || def->body_index >= model->body_count)
        return pal_error_set(error, PAL_BAD_INPUT, "condition names body %d of %d", def->body_index,
                             model->body_count);
    if (!pal_vec3_is_finite(def->value) || !isfinite(def->pressure))
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

PalStatus pal_conditions_create(const PalModelDef *def, PalModel *model, PalError *error)
{
    PalConditions *conditions = pal_alloc(1, sizeof *conditions);
    if (conditions == NULL)
        return no_memory(error);
    model->conditions = conditions;
    size_t count = (size_t)def->condition_count;
    size_t most_loads = count * (size_t)(model->body_count + 1);  // gravity may load every body
    conditions->ramps = pal_alloc(count, sizeof *conditions->ramps);
    conditions->gravity = pal_alloc(count, sizeof *conditions->gravity);
    conditions->node_loads = pal_alloc(most_loads, sizeof *conditions->node_loads);
    conditions->facet_loads = pal_alloc(count, sizeof *conditions->facet_loads);
    if (conditions->ramps == NULL || conditions->gravity == NULL ||
        conditions->node_loads == NULL || conditions->facet_loads == NULL)
        return no_memory(error);
    for (int32_t c = 0; c < def->condition_count; ++c) {
        PalConditionDef one = def->conditions[c];
        PAL_TRY(check_definition(&one, model, error));
        conditions->ramp_count = c + 1;
        PAL_TRY(pal_ramp_copy(&one.ramp, def->end_time, &conditions->ramps[c], error));
        bool everywhere = one.body_index == PAL_NONE;
        if (everywhere)
            conditions->gravity[c] = one.value;
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
    for (int32_t i = 0; i < conditions->ramp_count; ++i)
        pal_free((void *)conditions->ramps[i].points);
    for (int32_t i = 0; i < conditions->node_load_count; ++i) {
        pal_free(conditions->node_loads[i].nodes);
        pal_free(conditions->node_loads[i].weights);
    }
    for (int32_t i = 0; i < conditions->facet_load_count; ++i)
        pal_facet_load_clear(&conditions->facet_loads[i]);
    pal_free(conditions->ramps);
    pal_free(conditions->gravity);
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

PalVec3 pal_conditions_gravity(const PalConditions *conditions, double time)
{
    PalVec3 sum = {0, 0, 0};
    for (int32_t c = 0; c < conditions->ramp_count; ++c)
        sum = pal_vec3_add_scaled(sum, pal_ramp_value(&conditions->ramps[c], time),
                                  conditions->gravity[c]);
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

void pal_conditions_targets(const PalConditions *conditions, double time, PalVec3 *targets)
{
    double factors[FACTOR_MAX];  // one ramp serves many nodes
    for (int32_t c = 0; c < conditions->ramp_count && c < FACTOR_MAX; ++c)
        factors[c] = pal_ramp_value(&conditions->ramps[c], time);
    for (int32_t h = 0; h < conditions->held_count; ++h) {
        PalVec3 target = {0, 0, 0};
        for (int32_t t = conditions->held_terms[h]; t < conditions->held_terms[h + 1]; ++t) {
            const HeldTerm *term = &conditions->terms[t];
            double factor = term->condition < FACTOR_MAX
                                ? factors[term->condition]
                                : pal_ramp_value(&conditions->ramps[term->condition], time);
            if (term->axes & 1)
                target.x += factor * term->value.x;
            if (term->axes & 2)
                target.y += factor * term->value.y;
            if (term->axes & 4)
                target.z += factor * term->value.z;
        }
        targets[h] = target;
    }
}

typedef struct LoadTask {
    const PalModel *model;
    const PalVec3 *displacement;
    double time;
    PalVec3 *external;
} LoadTask;

static void load_chunk(void *context, int32_t chunk, int32_t worker)
{
    (void)worker;
    const LoadTask *task = context;
    const PalModel *model = task->model;
    const PalConditions *conditions = model->conditions;
    int32_t begin, end;
    pal_chunk_range(model, chunk, &begin, &end);
    memset(task->external + begin, 0, (size_t)(end - begin) * sizeof *task->external);
    for (int32_t l = 0; l < conditions->node_load_count; ++l) {
        const NodeLoad *load = &conditions->node_loads[l];
        double factor = pal_ramp_value(&conditions->ramps[load->condition], task->time);
        int32_t i = pal_first_not_below(load->nodes, load->node_count, begin);
        for (; i < load->node_count && load->nodes[i] < end; ++i) {
            PalVec3 *external = &task->external[load->nodes[i]];
            *external = pal_vec3_add_scaled(*external, factor * load->weights[i], load->value);
        }
    }
    for (int32_t l = 0; l < conditions->facet_load_count; ++l) {
        const PalFacetLoad *load = &conditions->facet_loads[l];
        double factor = pal_ramp_value(&conditions->ramps[load->condition], task->time);
        PalShape shape = {model->nodes, task->displacement};
        pal_facet_load_add(load, &shape, factor, begin, end, task->external);
    }
}

void pal_conditions_loads(const PalModel *model, const PalVec3 *displacement, double time,
                          int32_t thread_count, PalVec3 *external)
{
    LoadTask task = {model, displacement, time, external};
    int32_t chunk_count = (model->node_count + PAL_NODE_CHUNK - 1) / PAL_NODE_CHUNK;
    pal_parallel_for(thread_count, chunk_count, load_chunk, &task);
}
