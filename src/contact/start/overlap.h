// Overlaps at the start of a run, as segmented anatomy has them: told, and removed where shallow.
#ifndef PAL_CONTACT_OVERLAP_H
#define PAL_CONTACT_OVERLAP_H

#include "contact/start/moved.h"

// How two objects, or one with itself, stand to each other before anything is moved.
typedef struct PalOverlap {
    int32_t objects[2];
    int32_t crossing_count;  // pairs of facets that reach through each other
    int32_t inside_count;    // vertices of one inside the other
    int32_t near_count;      // others nearer to the other one's surface than the separation
    double depth;            // of the deepest vertex, 0: none is inside
    bool too_deep;           // some vertex is inside by more than half the mean edge around it, of
                             // what is soft there, or has no facet that faces it so near
    double limit;            // of the vertices that are too deep, the least half edge
    int32_t limit_object;    // whose edge that is
    double gap;              // the least distance of those that are near only
    PalVec3 place;           // of the deepest; else of the nearest, or where facets cross
} PalOverlap;

typedef struct PalOverlaps {
    double separation;
    double shortest_edge, mean_edge;  // of the soft bodies that touch anything
    int32_t count;
    PalOverlap *items;  // by objects; only those with something to tell
} PalOverlaps;

PalStatus pal_overlaps_find(const PalContactDef *def, const PalModel *model, PalOverlaps *overlaps,
                            PalError *error);
void pal_overlaps_clear(PalOverlaps *overlaps);

// Refuses with PAL_BAD_INPUT what is too deep, or would spoil elements, and names it.
PalStatus pal_overlaps_remove(const PalContactDef *def, const PalModel *model, PalMoved *moved,
                              PalError *error);

#endif
