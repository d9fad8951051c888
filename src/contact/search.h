// Which facets may touch: pairs of facets near each other, by any hierarchy and update.
#ifndef PAL_CONTACT_SEARCH_H
#define PAL_CONTACT_SEARCH_H

#include "base/meter.h"
#include "contact/surface.h"
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
    double margin;  // pairs nearer than this at the last update are listed at least, except
                    // inside patches that cannot touch themselves
    double tolerance;
    double approach;  // two points come nearer by less than this before the generation changes
    int32_t lost;     // the vertex whose position is none, when an update fails for it; PAL_NONE
    struct PalSearchState *state;
} PalSearch;

// `allowed[a * object_count + b]`: objects a and b (or a with itself) may touch. Copied. For the
// lagrange response, def->separation is the distance within which it has to know of pairs.
PalStatus pal_search_create(const PalContactDef *def, const PalContactSurface *surface,
                            const bool *allowed, PalSearch **search, PalError *error);
void pal_search_destroy(PalSearch *search);

// Brings pairs up to date with the surface's start and end. Adds to the meter.
PalStatus pal_search_update(PalSearch *search, const PalContactSurface *surface,
                            int32_t thread_count, PalMeter *meter, PalError *error);

// Margin of the papers: a hundredth of the largest and the smallest diameter of a facet together,
// of soft bodies if there are any.
double pal_search_published_margin(const PalContactSurface *surface);

// Whether the pairs still hold though the ends of these vertices were moved; NULL: the first ones.
bool pal_search_covers(const PalSearch *search, const PalContactSurface *surface,
                       const int32_t *vertices, int32_t count);

// The step is over: no vertex has gone farther than the strides of the surface.
void pal_search_pass(PalSearch *search, const PalContactSurface *surface);
// Vertices may have gone anywhere since the last step.
void pal_search_forget(PalSearch *search);

#endif
