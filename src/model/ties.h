// Nodes of one body that go where the surface of another goes.   docs/theory/membranes.md, 7
//
// The displacement of a tied node is a mean of those of nodes it is tied to; forces on it and its
// mass go to them by the same weights, which add up to 1. So momentum stays, to rounding.
#ifndef PAL_MODEL_TIES_H
#define PAL_MODEL_TIES_H

#include <palpate/model.h>

struct PalTies {
    int32_t count;
    int32_t *node;   // tied ones, ascending
    int32_t *start;  // count + 1
    int32_t *to;     // nodes it is tied to
    double *weight;
    int32_t (*facet)[3];  // the nearest facet of the other body, and where on it: for contact
    double (*place)[3];
};

// Finds all ties of a model with its conditions and masses, and moves the masses.
PalStatus pal_ties_create(const PalModelDef *def, PalModel *model, PalError *error);
void pal_ties_destroy(PalTies *ties);

// Which tie this node has, or PAL_NONE.
int32_t pal_ties_find(const PalTies *ties, int32_t node);

// All of these do nothing where nothing is tied.
void pal_ties_give_forces(const PalModel *model, PalVec3 *forces);  // tied nodes are left without
void pal_ties_follow(const PalModel *model, PalVec3 *values);       // displacements, velocities
void pal_ties_give_stiffness(const PalModel *model, double *sums);  // from above

#endif
