// A look at one candidate for contact.
#ifndef PAL_CONTACT_LOOK_H
#define PAL_CONTACT_LOOK_H

#include "contact/lagrange.h"

// What is found out about a candidate.
typedef struct PalCloseness {
    double distance;
    int32_t vertices[PAL_ROW_VERTICES];
    double weights[PAL_ROW_VERTICES];  // those of the second side are negative
    bool wide;                         // there is a fifth vertex
    PalVec3 apart;                     // from the second to the first
    PalVec3 normal;                    // its direction, or that of the facet the vertex lies on
    double along;                      // distance along the normal
    bool minimum;  // of the distance between the surfaces, as far as can be seen here
} PalCloseness;

void pal_look(const PalContact *contact, const PalCandidate *candidate, PalCloseness *close);

// From the second side to the first, with other positions.
PalVec3 pal_look_apart(const PalVec3 *positions, const PalCloseness *close);

// Does the surface bend outward along this edge, or may it by the end of the step?
bool pal_look_edge_may_touch(const PalContact *contact, PalLagrange *lagrange, int32_t edge);

#endif
