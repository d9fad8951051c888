// Vertices and facets, edges and edges, out of pairs of facets. Each vertex and each edge has one
// facet that answers for it, so that each two come up once.
#ifndef PAL_CONTACT_GAP_FEATURES_H
#define PAL_CONTACT_GAP_FEATURES_H

#include "contact/gap/gap.h"

#define PAL_FEATURES_OF_PAIR 15  // at most

// Where two sides come from: lists of them are in the order of these numbers.
typedef struct PalFeatureKey {
    int32_t pair[2];
    int32_t place;
} PalFeatureKey;

int pal_feature_key_compare(const PalFeatureKey *a, const PalFeatureKey *b);

// Those of two facets that can touch: no vertex in common, none that moves with the other's body.
// `places` tells which of the fifteen each is. Returns how many.
int32_t pal_features_of_pair(const PalContactSurface *surface, int32_t a, int32_t b,
                             PalFeatures features[PAL_FEATURES_OF_PAIR],
                             int32_t places[PAL_FEATURES_OF_PAIR]);

#endif
