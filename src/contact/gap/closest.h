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

#endif
