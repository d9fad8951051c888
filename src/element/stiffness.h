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

// Nodes that are no unknowns of their own: each moves as a weighted sum of others does.
typedef struct PalFollowers {
    int32_t count;
    const int32_t *node;   // ascending
    const int32_t *start;  // count + 1: first of `to` and `weight`
    const int32_t *to;     // none of them follows
    const double *weight;
} PalFollowers;

typedef struct PalStiffness {
    const PalElements *elements;
    PalFollowers followers;
    int32_t *follower_of;   // per node: which follower it is, or PAL_NONE; NULL: nothing follows
    int32_t free_count;     // free components of nodes
    int32_t unknown_count;  // and pressures: what is solved for
    int32_t row_count;      // and held components
    int32_t *equation;      // per component 3 node + axis: its row; PAL_NONE where no element is,
                            // and where the node follows others
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

    double *ring_patches;  // of a group of rings, see below

    int64_t spread_count;    // of those numbers that meet followers, what goes where:
    int64_t *spread_number;  // a number,
    int32_t *spread_target;  // a place in `value`
    double *spread_weight;   // and the part that goes there

    struct PalCouplings *couplings;  // couplings.h; NULL: elements are all there is
} PalStiffness;

// `held`: per node, bits of axes that are not solved for. `nodes`: reference positions. `followers`
// is borrowed; NULL: none.
PalStatus pal_stiffness_create(const PalElements *elements, const uint8_t *held,
                               const PalVec3 *nodes, const PalFollowers *followers,
                               PalStiffness **stiffness, PalError *error);
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

// One entry of the whole matrix, by components 3 node + axis of nodes that one element has, each of
// which may follow others. Entries above the diagonal are left out: add both of a pair.
void pal_stiffness_add(PalStiffness *stiffness, int64_t component, int64_t other, double value);

// The part that is solved for.
PalSymmetric pal_stiffness_unknowns(const PalStiffness *stiffness);

// right -= K_free,held x, with x per held component, in the order of their rows.
void pal_stiffness_move_held(const PalStiffness *stiffness, const double *x, double *right);

// ---- between the files of the stiffness: distortion that rings feel, stiffness_rings.c. Each ring
// couples all its nodes, so that rows reach beyond the neighbours.

// Calls back for each two nodes that a ring has, each once, `other` at most `node`.
typedef void (*PalRingPair)(void *context, int32_t node, int32_t other);
PalStatus pal_ring_pairs(const PalElements *elements, PalRingPair call, void *context);
// Memory for tangents of rings, once the pattern is known.
PalStatus pal_stiffness_build_rings(PalStiffness *stiffness);
// Adds V B^T A B of all rings: groups of them in parallel, then each in its order. `history` is
// that before the step.
void pal_stiffness_add_rings(PalStiffness *stiffness, PalElementScratch *scratch,
                             const PalVec3 *displacement, const double *history);

// Whether every row of elements has a tangent; names the first that has none.
PalStatus pal_stiffness_check(const PalElements *elements, PalError *error);

#endif
