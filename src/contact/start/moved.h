// What was done to bodies that overlapped.
#ifndef PAL_CONTACT_START_MOVED_H
#define PAL_CONTACT_START_MOVED_H

#include <palpate/contact.h>

// The nodes of a model, moved so that nothing overlaps and all gaps are the separation at least.
typedef struct PalMoved {
    PalVec3 *nodes;      // NULL: nothing had to move; free with pal_free
    int32_t count;       // nodes that moved
    double largest;      // distance
    double mass_change;  // relative, of the body it changes most
    int32_t mass_change_body;
} PalMoved;

#endif
