// Surfaces cut into patches: vertices near each other, which move almost alike.
#ifndef PAL_CONTACT_SURFACE_CUT_H
#define PAL_CONTACT_SURFACE_CUT_H

#include "contact/surface/surface.h"

#include <palpate/mesh.h>

// A facet belongs to the patch of most of its corners, an edge to that of one of its ends.
typedef struct PalCut {
    int32_t count;
    int32_t *of;            // per vertex
    int32_t *facet_of;      // per facet
    int32_t *edge_of;       // per edge
    int32_t *object;        // of each
    PalLists vertices;      // of each
    PalLists around;        // of each: its vertices, and what its facets and edges have besides
    PalLists touching;      // per vertex: the patches it is around
    PalLists facets;        // of each
    PalLists edges;         // of each
    int32_t (*corners)[3];  // per place in the lists of facets: where its corners are around it
    int32_t (*ends)[2];     // per place in the lists of edges, likewise
} PalCut;

// Of each object, by where its vertices start. False: no memory.
bool pal_cut_create(PalCut *cut, const PalContactSurface *surface);
void pal_cut_clear(PalCut *cut);

#endif
