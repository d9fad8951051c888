// Pairs of facets near each other: what a search finds.
#ifndef PAL_CONTACT_SEARCH_LIST_H
#define PAL_CONTACT_SEARCH_LIST_H

#include "contact/surface/surface.h"
#include "geometry/traverse.h"

// Every pair of facets of two objects that are to be kept apart which may collide in this
// step is among `pairs`, as long as each vertex moves on a straight line from its start to a place
// within `tolerance` of its end. Pairs that share a vertex are listed, too.
typedef struct PalSearch {
    int32_t pair_count;
    const PalFacetPair *pairs;
    // Counts up whenever the list changes, or a vertex of a listed facet may move on
    int64_t generation;
    // A bit per facet: its pairs are of this generation, those without such a facet were listed
    // before. NULL: all are new
    const uint64_t *renewed;
    // Of a search by patches, which lists pairs of them instead, ascending: who takes them looks at
    // what is in them. NULL: it is none
    const struct PalCut *cut;
    int32_t patch_pair_count;
    const PalFacetPair *patch_pairs;
    double margin;  // pairs nearer than this at the last update are listed at least, except
                    // inside patches that cannot touch themselves
    double tolerance;
    double approach;  // two points come nearer by less than this before the generation changes
    int32_t lost;     // the vertex whose position is none, when an update fails for it; PAL_NONE
    struct PalSearchState *state;
} PalSearch;

#endif
