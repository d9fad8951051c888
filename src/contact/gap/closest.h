// Gaps by closest points, at the start of the step, and whether the distance between the two
// surfaces has a local minimum there.
#ifndef PAL_CONTACT_GAP_CLOSEST_H
#define PAL_CONTACT_GAP_CLOSEST_H

#include "contact/gap/gap.h"

void pal_gap_closest(const PalClosestRule *rule, const PalFeatures *features, PalGap *gap);

// Does the surface bend outward along this edge, by more than flat surfaces do?
bool pal_edge_is_ridge(const PalClosestRule *rule, int32_t edge);

#endif
