// Nodes of one body that go where the surface of another goes.   docs/theory/membranes.md, 7
//
// A tied node is at a mean of nodes it is tied to, and some height above one facet of them, along
// the normal that the facet has now. Forces on it and its mass go to them by the derivatives of
// that, so that linear and angular momentum stay, to rounding, and rigid motions are free of
// stress.
#ifndef PAL_MODEL_TIES_H
#define PAL_MODEL_TIES_H

#include <palpate/model.h>

struct PalTies {
    int32_t count;
    int32_t *node;        // tied ones
    int32_t *body;        // what each is tied to
    int32_t *of_node;     // per model node: its tie, or PAL_NONE
    int32_t *start;       // count + 1
    int32_t *to;          // nodes it is tied to
    double *weight;       // their sum is 1
    int32_t (*facet)[3];  // the nearest facet of the other body, and where on it: for contact
    double (*place)[3];
    double *height;   // above that facet; 0: on it
    PalVec3 *normal;  // of the facet at rest
};

// Finds all ties of a model with its conditions and masses, and moves the masses.
PalStatus pal_ties_create(const PalModelDef *def, PalModel *model, PalError *error);
void pal_ties_destroy(PalTies *ties);

// Which tie this node has, or PAL_NONE.
static inline int32_t pal_ties_find(const PalTies *ties, int32_t node)
{
    return ties != NULL ? ties->of_node[node] : PAL_NONE;
}

// Displacement of a model node, as somebody has it.
typedef PalVec3 (*PalNodeDisplacement)(const void *context, int32_t node);

// Where a tied node is when what it is tied to is displaced like this.
PalVec3 pal_tie_displacement(const PalModel *model, int32_t tie, PalNodeDisplacement displacement,
                             const void *context);

// All of these do nothing where nothing is tied. `displacement` is that of all nodes; tied nodes
// follow in their own, in rates such as velocities, or in velocities that lead them in a step to
// where the others are then.
void pal_ties_follow(const PalModel *model, PalVec3 *displacement);
void pal_ties_follow_rate(const PalModel *model, const PalVec3 *displacement, PalVec3 *rates);
void pal_ties_lead(const PalModel *model, const PalVec3 *displacement, double step,
                   PalVec3 *velocity);
// Tied nodes are left without forces.
void pal_ties_give_forces(const PalModel *model, const PalVec3 *displacement, PalVec3 *forces);
// From above.
void pal_ties_give_stiffness(const PalModel *model, const PalVec3 *displacement, double *sums);

#endif
