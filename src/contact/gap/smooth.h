// Normals of smooth surfaces at corners and edges.
#ifndef PAL_CONTACT_GAP_SMOOTH_H
#define PAL_CONTACT_GAP_SMOOTH_H

#include "contact/gap/gap.h"

// Makes the gap of a vertex and a facet, measured by closest points, one along the continuous
// normal of the facet's surface, near its corners and edges. `around`: the facets its foot may lie
// on. Does nothing where the surface is flat or sharp.
void pal_gap_smoothen_facet(const PalClosestRule *rule, const int32_t *around, int32_t count,
                            PalGap *gap);

// How thick and strong the skins of a vertex and of what is below it are together.
void pal_gap_add_skin(const PalClosestRule *rule, PalGap *gap);

// The same for two edges, near their ends.
void pal_gap_smoothen_edges(const PalClosestRule *rule, PalGap *gap);

#endif
