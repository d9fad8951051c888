// What was done to bodies that overlapped.
#ifndef PAL_CONTACT_START_MOVED_H
#define PAL_CONTACT_START_MOVED_H

#include <palpate/contact.h>

// The nodes of a model and its free rigid bodies, moved so that nothing overlaps and all gaps are
// the separation at least. Clear it in any case.
typedef struct PalMoved {
    bool any;               // false: nothing had to move
    PalVec3 *nodes;         // where all of them are then
    PalVec3 *rigid_shifts;  // per rigid: how far a free one has moved, as a whole
    int32_t count;          // nodes that moved
    double largest;         // distance
    int32_t rigid_count;    // free rigid bodies that moved
    double largest_rigid;   // distance
    double mass_change;     // relative, of the body it changes most
    int32_t mass_change_body;
} PalMoved;

// Frees the arrays; the numbers stay.
void pal_moved_clear(PalMoved *moved);

#endif
