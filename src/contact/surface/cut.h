// Surfaces cut into patches: vertices near each other, which move almost alike.
#ifndef PAL_CONTACT_SURFACE_CUT_H
#define PAL_CONTACT_SURFACE_CUT_H

#include "contact/surface/surface.h"

#include <palpate/mesh.h>

// A facet belongs to the patch of its first corner, an edge to that of its first end: all their
// vertices are around it.
typedef struct PalCut {
    int32_t count;
    int32_t *of;            // per vertex
    int32_t *object;        // of each
    PalLists vertices;      // of each
    PalLists around;        // of each: its vertices, and those one edge away
    PalLists touching;      // per vertex: the patches it is around
    PalLists facets;        // of each
    PalLists edges;         // of each
    int32_t (*corners)[3];  // per place in the lists of facets: where its corners are around it
    int32_t (*ends)[2];     // per place in the lists of edges, likewise
} PalCut;

// Of each object, along a curve through where its vertices start. False: no memory.
bool pal_cut_create(PalCut *cut, const PalContactSurface *surface);
void pal_cut_clear(PalCut *cut);

#endif
