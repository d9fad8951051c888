// What the law does near contact beyond what the reduced equations and the linear local part know,
// as forces on nodes there. docs/theory/haptics.md, 2
//
//   u = Phi q + R L R' (f + c),   g(q) = Phi' (f + c_modes)
#ifndef PAL_REDUCED_HAPTIC_DEFECT_H
#define PAL_REDUCED_HAPTIC_DEFECT_H

#include "reduced/haptic_balance.h"
#include "reduced/haptic_body.h"

// Cells of a body as the full equations need them.
typedef struct PalHapticCells {
    int32_t *start, *list;    // per node and one more: cells around it
    PalVec3 (*gradients)[4];  // per cell: of its corners' shape functions
    double *volume;
    double (*tangents)[9][9];  // per material: at rest
} PalHapticCells;

// Forces on a node.
typedef struct PalHapticLack {
    PalVec3 local;  // that the local part lacks, turned back to rest
    PalVec3 modes;  // that the equations of the modes lack, in the body's coordinates
} PalHapticLack;

typedef struct PalHapticDefect {
    bool used;
    PalHapticCells cells;
    PalHapticLack *force;   // per node: those that act
    PalHapticLack *target;  // per node of the region: those that should, then the change
    uint32_t round;         // counts regions
    uint32_t *node_round, *near_round, *cell_round;  // in which region they were last
    int32_t node_count, *nodes;  // of the region's cells, and those that still have a force
    int32_t cell_count, *cell_list;
    int32_t phase, next;
    double rate, last_left;  // part of changes that is taken; what was missing before
    double trust;            // part of the forces that is taken
    double least_volume;     // of a cell, of what it is at rest
    double largest;          // force on a node by contact
    bool inverted;           // a cell of the region is inside out
    float *push;             // Phi' of changes of c that are not yet felt
    // The displacements by c are shape->bias. They follow when those of all changes are known, in
    // as many steps as that took: forces of a part of the nodes are not in balance. Nodes that have
    // one:
    int32_t biased_count, *biased;
    bool *is_biased;
    PalVec3 *change;        // per node: of shape->bias, that is still to come
    int32_t steps, glides;  // that finding changes took; that are left to take them in
    PalVec3 *seen;          // per node: shape->bias when it was last looked at
} PalHapticDefect;

// Forces of contact on the nodes of a body.
typedef struct PalHapticPulls {
    int32_t count;
    const int32_t *nodes;
    const PalVec3 *forces;  // per node, turned back to rest
} PalHapticPulls;

PalStatus pal_haptic_defect_init(PalHapticDefect *defect, const PalHapticBody *body,
                                 PalError *error);
void pal_haptic_defect_clear(PalHapticDefect *defect);
size_t pal_haptic_defect_bytes(const PalHapticDefect *defect, const PalVademecum *book);

// haptic_cells.c
PalStatus pal_haptic_cells_init(PalHapticCells *cells, const PalVademecum *book, PalError *error);
void pal_haptic_cells_clear(PalHapticCells *cells);

// Without corrections.
void pal_haptic_defect_rest(PalHapticDefect *defect, PalHapticShape *shape,
                            PalHapticBalance *balance);
// About so many multiplications of the work for the next corrections. Returns whether nodes have
// moved by them: positions are to be found anew.
bool pal_haptic_defect_advance(PalHapticDefect *defect, PalHapticShape *shape,
                               PalHapticBalance *balance, const PalHapticPulls *pulls,
                               int32_t operations);

#endif
