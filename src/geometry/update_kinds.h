// Inside the updates: what they share, and the kinds there are, a row each.
#ifndef PAL_GEOMETRY_UPDATE_KINDS_H
#define PAL_GEOMETRY_UPDATE_KINDS_H

#include "geometry/update.h"

typedef struct PalUpdateRow {
    bool (*create)(PalUpdate *update);  // makes update->own; false: no memory. NULL: it has nothing
    void (*destroy)(void *own);
    int64_t (*step)(PalUpdate *update);
    void (*visit)(void *update, int32_t volume);  // NULL: a step leaves nothing to do
    int64_t (*take_visit_refits)(PalUpdate *update);
    PalUpdateNodeCounts (*node_counts)(const PalUpdate *update);  // NULL: it has no update nodes
} PalUpdateRow;

struct PalUpdate {
    const PalUpdateRow *row;
    PalHierarchy *hierarchy;
    const PalTriangles *triangles;
    double room;         // distance by which a subtree may leave its place until it is followed
    const bool *asleep;  // per object; NULL: none is
    void *own;
};

// Need nothing of this volume be followed?
static inline bool pal_update_rests(const PalUpdate *update, int32_t volume)
{
    int32_t object = update->hierarchy->volumes[volume].object;
    return update->asleep != NULL && object != PAL_NONE && update->asleep[object];
}

extern const PalUpdateRow
    pal_update_larsson;                      // upper half bottom-up each step, the rest if visited
extern const PalUpdateRow pal_update_nodes;  // johnsen2015, algorithm 1

#endif
