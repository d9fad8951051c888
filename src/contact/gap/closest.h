// Gaps by closest points, at the start of the step, and whether the distance between the two
// surfaces has a local minimum there.
#ifndef PAL_CONTACT_GAP_CLOSEST_H
#define PAL_CONTACT_GAP_CLOSEST_H

#include "contact/gap/gap.h"

void pal_gap_closest(const PalClosestRule *rule, const PalFeatures *features, PalGap *gap);

// How a surface bends along an edge.
typedef enum PalEdgeBend {
    PAL_EDGE_HOLLOW,  // inward: vertices and other edges touch before it does, in this step as well
    PAL_EDGE_FLAT,    // surfaces that lie on each other change from one to the other all the time
    PAL_EDGE_SHARP,   // outward, or it is a rim
} PalEdgeBend;

PalEdgeBend pal_edge_bend(const PalClosestRule *rule, int32_t edge);

// ---- what is settled without closest points -----------------------------------------------

// Which edges and corners of a facet are its own, in bits, so that a vertex may have its closest
// point there: corners by their place, edges from bit 3 on.
uint8_t pal_facet_owned(const PalContactSurface *surface, int32_t facet);

// Of a vertex and a facet, or two edges, at these places: is it plain without a look around that
// their distance has no minimum? Then pal_gap_closest would say so, too.
bool pal_gap_is_beside(const PalVec3 *x, const int32_t vertices[4], int split, uint8_t owned,
                       double separation);

#endif
