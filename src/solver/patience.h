// How long a search for equilibrium goes on where there is contact.   docs/theory/barrier.md, 4
#ifndef PAL_SOLVER_PATIENCE_H
#define PAL_SOLVER_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct PalPatience {
    double low;      // the last low of the forces left over
    int32_t barren;  // corrections since then
} PalPatience;

// Before the first correction of a round.
void pal_patience_begin(PalPatience *patience);
// Forces left over before the next correction, of which there were so many. True: it is not worth
// it.
bool pal_patience_ends(PalPatience *patience, int32_t corrections, double imbalance);

#endif
