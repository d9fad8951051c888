// The tangents of all elements as one sparse matrix.
//
// Unknowns are numbered: free components of nodes first, then pressures where elements average
// them, then held components. A block adds up the tangents of its elements in memory of its own;
// the blocks are then added in their order, so that the bits do not depend on the number of
// threads.
#ifndef PAL_ELEMENT_STIFFNESS_H
#define PAL_ELEMENT_STIFFNESS_H

#include "element/elements.h"
#include <palpate/linear.h>

typedef struct PalStiffness {
    const PalElements *elements;
    int32_t free_count;     // free components of nodes
    int32_t unknown_count;  // and pressures: what is solved for
    int32_t row_count;      // and held components
    int32_t *equation;      // per component 3 node + axis: its row; PAL_NONE where no element is
    int32_t *component;     // per row up to free_count, and from unknown_count on: the component
    PalVec3 *places;        // per row, before any motion
    int64_t *start;         // as in PalSymmetric, with row_count rows
    int32_t *column;
    double *value;

    int64_t *block_first;  // per block: its first pair of nodes
    int64_t *row_first;    // per block node, and one more per block: its first pair
    uint16_t *pair_node;   // the other node of a pair, among the block's; none after the first
    int64_t *pair_part;    // per block: where its numbers begin
    double *parts;         // numbers of all pairs
    int32_t *target;       // of each: its place in `value`, or PAL_NONE
} PalStiffness;

// `held`: per node, bits of axes that are not solved for. `nodes`: reference positions.
PalStatus pal_stiffness_create(const PalElements *elements, const uint8_t *held,
                               const PalVec3 *nodes, PalStiffness **stiffness, PalError *error);
void pal_stiffness_destroy(PalStiffness *stiffness);
size_t pal_stiffness_bytes(const PalStiffness *stiffness);

// A step as the forces have seen it: history before it, and where that after it is kept.
typedef struct PalStiffnessStep {
    double step;
    const double *before;
    double *after;
} PalStiffnessStep;

// value = the tangent of the elements in a shape. `after` is what forces have made of `before` in
// this shape; it stays so.
void pal_stiffness_assemble(PalStiffness *stiffness, PalElementScratch *scratch,
                            const PalVec3 *displacement, const PalStiffnessStep *step);

// Place of an entry in `value`; both are rows of unknowns that one element has, in any order.
int64_t pal_stiffness_find(const PalStiffness *stiffness, int32_t row, int32_t column);

// The part that is solved for.
PalSymmetric pal_stiffness_unknowns(const PalStiffness *stiffness);

// right -= K_free,held x, with x per held component, in the order of their rows.
void pal_stiffness_move_held(const PalStiffness *stiffness, const double *x, double *right);

// Whether every row of elements has a tangent; names the first that has none.
PalStatus pal_stiffness_check(const PalElements *elements, PalError *error);

#endif
