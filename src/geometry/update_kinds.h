// Inside the updates: what they share, and the kinds there are.
#ifndef PAL_GEOMETRY_UPDATE_KINDS_H
#define PAL_GEOMETRY_UPDATE_KINDS_H

#include "geometry/update.h"

struct PalUpdate {
    PalUpdateKind kind;
    PalHierarchy *hierarchy;
    const PalTriangles *triangles;
    double room;  // distance by which a subtree may leave its place until it is followed
    struct PalLarsson *larsson;
    struct PalUpdateNodes *nodes;
};

// Upper half bottom-up each step, the rest when visited.
struct PalLarsson *pal_larsson_create(PalUpdate *update);  // NULL: no memory
void pal_larsson_destroy(struct PalLarsson *larsson);
int64_t pal_larsson_step(PalUpdate *update);
void pal_larsson_visit(void *update, int32_t volume);
int64_t pal_larsson_take_visit_refits(struct PalLarsson *larsson);

// johnsen2015, algorithm 1.
struct PalUpdateNodes *pal_update_nodes_create(PalUpdate *update);  // NULL: no memory
void pal_update_nodes_destroy(struct PalUpdateNodes *nodes);
int64_t pal_update_nodes_step(PalUpdate *update);
PalUpdateNodeCounts pal_update_nodes_counts(const struct PalUpdateNodes *nodes);

#endif
