#include "solver/patience.h"

#include <math.h>

#define MOST    80   // corrections, unless more still bring something
#define LONGEST 240  // corrections in all, however much they bring
#define BARREN  20   // corrections in a row that bring nothing: there is no going on
#define FALLS   0.7  // forces left over, of the last low: a new one

void pal_patience_begin(PalPatience *patience)
{
    *patience = (PalPatience){.low = INFINITY};
}

// Forces left over rise and fall while surfaces find each other. A search that has reached a new
// low of them not long ago is worth going on with: half the step would begin it anew, twice.
bool pal_patience_ends(PalPatience *patience, int32_t corrections, double imbalance)
{
    bool lower = imbalance < FALLS * patience->low;
    patience->low = lower ? imbalance : patience->low;
    patience->barren = lower ? 0 : patience->barren + 1;
    return corrections >= LONGEST || (corrections >= MOST && patience->barren >= BARREN);
}
