// Pairs kept from step to step: what the parts of this search share. docs/theory/front.md.
//
// The list is a function of the vertices' places alone: all allowed pairs of facets whose boxes
// around their places overlap, unless both are in one patch that cannot touch itself, or the plane
// of one lies between them.
#ifndef PAL_CONTACT_FRONT_H
#define PAL_CONTACT_FRONT_H

#include "contact/search/front_patch.h"
#include "contact/search/method.h"

// A volume of any of the trees, which are stored one after the other: children after parents.
typedef struct PalFrontVolume {
    int32_t parent;
    int32_t first_child, child_count;
    int32_t facet;   // in a leaf, otherwise PAL_NONE
    int32_t object;  // of all its facets, or PAL_NONE when they differ
    int32_t first_facet, facet_count;
    int32_t tree;
} PalFrontVolume;

// One hierarchy: all soft bodies, or one rigid instrument.
typedef struct PalFrontTree {
    PalHierarchy *hierarchy;
    int32_t first_volume, first_facet;
    int32_t object;  // PAL_NONE: all soft bodies
} PalFrontTree;

// Whether a volume's facets are a patch that cannot touch itself.
typedef enum PalFreedom {
    PAL_FREEDOM_UNKNOWN,
    PAL_FREEDOM_FREE,
    PAL_FREEDOM_NONE,
} PalFreedom;

// Two volumes whose facets are to be paired; b is PAL_NONE: one volume's among themselves.
typedef struct PalFrontSeed {
    int32_t a, b;
} PalFrontSeed;

typedef PAL_ARRAY(PalFrontSeed) PalFrontSeeds;

// What one worker finds.
typedef struct PalFrontFound {
    PalFacetPairs pairs;
    PalFrontSeeds stack;  // yet to be looked at
    int64_t volume_tests, self_subtrees;
    bool failed;  // no memory
} PalFrontFound;

typedef struct PalFront {
    int32_t tree_count, volume_count, facet_count;
    PalFrontTree *trees;
    PalFrontVolume *volumes;
    PalVec3 origin;  // boxes, which are of floats, count from the middle of what there is
    PalBox *boxes;
    int32_t *order;        // facets, such that each volume's are consecutive
    int32_t *leaf_of;      // per facet
    const double *felt;    // the surface's
    PalBox *vertex_boxes;  // around places, with half the margin and what each is felt
    PalLean *leans;        // per facet
    // What tells which patches cannot touch themselves; of soft bodies
    int32_t soft_volume_count;
    PalVec3 *normals;  // per volume: sum over its facets
    PalCone *cones;    // per volume; only for the papers' criterion
    uint8_t *freedom;  // per volume: PalFreedom
    int32_t *witness;  // per volume: the facet that spoke against it last
    int32_t *patch;    // per facet, rigid ones too: the largest free volume that holds it
    double (*flat)[3];
    // What changes in this step
    int32_t *vertices;         // that got new places
    uint64_t *dirty_facets;    // bits
    uint64_t *dirty_volumes;   // bits: some facet of it is dirty
    uint64_t *visited, *lost;  // bits per soft volume, while patches are looked for
    PalFrontSeeds seeds;
    int32_t *sorted;  // trees but the first that have volumes, along x as they last were
    int32_t sorted_count;
    int32_t worker_count;
    PalFrontFound *found;  // per worker
    // Sorting
    PalPairKeys keys;
    PalFacetPairs merged;
} PalFront;

static inline bool pal_bit(const uint64_t *bits, int32_t index)
{
    return bits[index >> 6] >> (index & 63) & 1;
}

static inline void pal_bit_set(uint64_t *bits, int32_t index)
{
    bits[index >> 6] |= UINT64_C(1) << (index & 63);
}

// A facet whose pairs are to be looked for again.
void pal_front_mark(PalFront *front, int32_t facet);

// ---- trees ------------------------------------------------------------------------------

PalStatus pal_front_create_trees(PalFront *front, const PalSearchState *state,
                                 const PalContactSurface *surface, PalError *error);
void pal_front_destroy_trees(PalFront *front);

void pal_front_fit_vertex(PalFront *front, const PalSearch *search, int32_t vertex);

// Boxes and normals of dirty volumes follow their vertices. Returns how many there are.
int32_t pal_front_refit(PalFront *front, const PalSearch *search, const PalContactSurface *surface);

// ---- patches ----------------------------------------------------------------------------

// Looks again at dirty volumes; facets that come to another patch become dirty.
void pal_front_divide(PalFront *front, const PalSearchState *state);

// ---- pairs ------------------------------------------------------------------------------

// Finds all pairs with a dirty facet. False: no memory.
bool pal_front_find(PalFront *front, const PalSearch *search, const PalContactSurface *surface,
                    int32_t dirty_count, int32_t thread_count);

// Drops pairs with a dirty facet from the list, adds what was found. `changed`: whether there
// was any of either. False: no memory.
bool pal_front_merge(PalFront *front, PalSearchState *state, bool *changed);

// How much farther than others pairs of this vertex are listed.
static inline double pal_front_felt(const PalFront *front, int32_t vertex)
{
    return front->felt != NULL ? PAL_SEARCH_MORE * front->felt[vertex] : 0;
}

#endif
