#include "model/state.h"

#include "base/memory.h"
#include "element/elements.h"
#include "model/rigid_state.h"

// Arrays end in one spare node, so that a kernel may load four numbers at the last one.
static PalVec3 *node_array(const PalModel *model)
{
    return pal_alloc((size_t)model->node_count + 1, sizeof(PalVec3));
}

PalStatus pal_state_create(const PalModel *model, PalState **state, PalError *error)
{
    PalState *made = pal_alloc(1, sizeof *made);
    *state = made;
    if (made == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the state");
    made->displacement = node_array(model);
    made->velocity = node_array(model);
    made->acceleration = node_array(model);
    made->force = node_array(model);
    made->external = node_array(model);
    made->reaction = node_array(model);
    made->contact = node_array(model);
    made->history_count = pal_elements_history_count(model->elements);
    made->history = pal_alloc((size_t)made->history_count, sizeof *made->history);
    made->rigids = pal_alloc((size_t)model->rigid_count, sizeof *made->rigids);
    made->conditions = pal_alloc((size_t)model->condition_count, sizeof *made->conditions);
    if (made->displacement == NULL || made->velocity == NULL || made->acceleration == NULL ||
        made->force == NULL || made->external == NULL || made->reaction == NULL ||
        made->contact == NULL || made->history == NULL || made->rigids == NULL ||
        made->conditions == NULL) {
        pal_state_destroy(made);
        *state = NULL;
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the state of %d nodes",
                             model->node_count);
    }
    for (int32_t b = 0; b < model->body_count; ++b) {
        const PalBody *body = &model->bodies[b];
        for (int32_t n = 0; n < body->mesh->node_count; ++n)
            made->velocity[body->first_node + n] = body->velocity;
    }
    pal_rigids_start(model, made);
    return PAL_OK;
}

void pal_state_destroy(PalState *state)
{
    if (state == NULL)
        return;
    pal_free(state->displacement);
    pal_free(state->velocity);
    pal_free(state->acceleration);
    pal_free(state->force);
    pal_free(state->external);
    pal_free(state->reaction);
    pal_free(state->contact);
    pal_free(state->history);
    pal_free(state->rigids);
    pal_free(state->conditions);
    pal_free(state);
}
