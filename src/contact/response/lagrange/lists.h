// Inside the lists of candidates: one that is being made. Threads make several at a time: what they
// write is the group, the finder and what is found.
#ifndef PAL_CONTACT_LAGRANGE_LISTS_H
#define PAL_CONTACT_LAGRANGE_LISTS_H

#include "contact/response/lagrange/lagrange.h"

// Relative, of distances
#define PAL_LISTING_ROUNDING 1e-9

typedef struct PalListing {
    const PalContact *contact;
    const PalLagrange *lagrange;
    const PalContactSurface *surface;
    PalFinder *finder;
    PalFoundList *found;
    const PalCut *cut;
    PalCandidateGroup *group;
    int32_t index;    // of the group
    double reach;     // nearer ones are wanted
    double far;       // nearer ones are listed
    double friction;  // of the two objects
    PalVec3 origin;   // boxes count from here
    float far2;       // square of what is far in floats that do
    double blur;      // by so much distances found in floats may be too long
} PalListing;

// What may be near in the two patches: the sides of listing->finder. False: no memory.
bool pal_listing_find_sides(PalListing *listing);
// Two and two of the sides, vertices of the first with facets of the second or edges with edges,
// that may be as near as listing->far: into the finder's hits, and ways of edges. Where soft
// vertices are nodes, what has one in common is left out; two edges of one patch may come up in
// either order.
void pal_listing_compare(const PalListing *listing, const PalSide *from, const PalSide *to,
                         bool edges);

// What two patches have nearer to each other than listing->far, by where vertices start: into
// listing->found, plain and flat.
void pal_listing_find_near(PalListing *listing);

#endif
