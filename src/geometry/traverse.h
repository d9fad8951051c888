// Looking for facets near each other: in one hierarchy, between two, around a box.
#ifndef PAL_GEOMETRY_TRAVERSE_H
#define PAL_GEOMETRY_TRAVERSE_H

#include "geometry/hierarchy.h"

typedef struct PalFacetPair {
    int32_t a, b;  // a < b
} PalFacetPair;

// Set up once by the caller, zero but for what it wants; memory grows until it suffices.
typedef struct PalTraversal {
    // Which facets to tell apart
    int32_t object_count;
    const bool *allowed;  // [a * object_count + b]: objects a and b may touch; NULL: `may_touch`
    bool (*may_touch)(const void *objects, int32_t a, int32_t b);  // NULL: all may
    const void *objects;
    PalSelfTest self_test;
    const uint8_t *self_free;  // per volume, not 0: its facets cannot touch each other. NULL: the
                               // cone decides, or nothing does: self_test
    int32_t facet_offsets[2];  // added to the facets of the first and the second hierarchy
    // Called before the children of a volume are looked at; may bring them up to date. NULL: no
    void (*visit)(void *context, int32_t volume);
    void *context;
    void *second_context;  // for volumes of the second hierarchy; NULL: not called for those
    // What was found
    PalFacetPair *pairs;  // each once, in an order that is always the same
    int32_t pair_count, pair_capacity;
    int32_t *facets;  // of pal_traverse_box
    int32_t facet_count, facet_capacity;
    int64_t self_subtrees;  // volumes searched for contact with themselves
    int64_t volume_tests;   // pairs of volumes compared
    // Own
    struct PalVisit *stack;
    int32_t stack_capacity;
} PalTraversal;

// Frees what a traversal has grown.
void pal_traversal_clear(PalTraversal *traversal);

// Appends pairs of facets whose leaves overlap; neighbours are among them. False: no memory.
bool pal_traverse_self(PalTraversal *traversal, const PalHierarchy *hierarchy);

// The same between two hierarchies, which must be of one kind.
bool pal_traverse_two(PalTraversal *traversal, const PalHierarchy *first,
                      const PalHierarchy *second);

// Appends the facets whose leaves overlap a box along the axes.
bool pal_traverse_box(PalTraversal *traversal, const PalHierarchy *hierarchy, const PalBox *box);

#endif
