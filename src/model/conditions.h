// Conditions compiled to lists: prescribed degrees of freedom, nodal loads, loaded facets.
#ifndef PAL_MODEL_CONDITIONS_H
#define PAL_MODEL_CONDITIONS_H

#include "model/facet_load.h"
#include <palpate/model.h>

#define PAL_NODE_CHUNK 1024  // nodes one task works on; sums are kept per chunk

// Nodes [begin, end) of a chunk.
static inline void pal_chunk_range(const PalModel *model, int32_t chunk, int32_t *begin,
                                   int32_t *end)
{
    *begin = chunk * PAL_NODE_CHUNK;
    *end = *begin + PAL_NODE_CHUNK;
    if (*end > model->node_count)
        *end = model->node_count;
}

// Builds model->conditions and model->held from the definitions. Bodies and masses exist.
PalStatus pal_conditions_create(const PalModelDef *def, PalModel *model, PalError *error);
void pal_conditions_destroy(PalConditions *conditions);

bool pal_conditions_have_loads(const PalConditions *conditions);

PalConditionKind pal_conditions_kind(const PalConditions *conditions, int32_t condition);

// What follows is asked with what a program has made of the conditions: `steering`, one of each.

// Value of a condition at a time, with its ramp; a pressure is in x.
PalVec3 pal_conditions_value(const PalConditions *conditions, const PalConditionState *steering,
                             int32_t condition, double time);

// What gravity that names no body adds to the velocity of anything, per time.
PalVec3 pal_conditions_gravity(const PalConditions *conditions, const PalConditionState *steering,
                               double time);

// Nodes with a prescribed component, ascending.
int32_t pal_conditions_held_count(const PalConditions *conditions);
const int32_t *pal_conditions_held_nodes(const PalConditions *conditions);

// Positions [first, last) among the held nodes of those that lie in a chunk.
void pal_conditions_held_range(const PalConditions *conditions, int32_t chunk, int32_t *first,
                               int32_t *last);

// Prescribed displacements at a time, one per held node; free components are 0.
void pal_conditions_targets(const PalConditions *conditions, const PalConditionState *steering,
                            double time, PalVec3 *targets);

// external = loads at a time on the state's shape (all nodes overwritten).
void pal_conditions_loads(const PalModel *model, const PalState *state, double time,
                          int32_t thread_count, PalVec3 *external);

// The facet loads, as they are at a time, without their lists of nodes; `factor` is that of the
// ramp.
int32_t pal_conditions_facet_load_count(const PalConditions *conditions);
bool pal_conditions_follow(const PalConditions *conditions);  // whether any follows its surface
PalFacetLoad pal_conditions_facet_load(const PalConditions *conditions,
                                       const PalConditionState *steering, int32_t index,
                                       double time, double *factor);

// The first time after `time` at which a ramp has a corner; infinite: there is none.
double pal_conditions_next_corner(const PalConditions *conditions, double time);

#endif
