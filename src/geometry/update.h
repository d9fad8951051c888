// How a hierarchy follows its surface from step to step. docs/theory/search.md, 4.
#ifndef PAL_GEOMETRY_UPDATE_H
#define PAL_GEOMETRY_UPDATE_H

#include "geometry/hierarchy.h"

typedef struct PalUpdate PalUpdate;

// kind is any but PAL_UPDATE_FRONT. The hierarchy is borrowed, and so are the triangles; both
// must stay until the update is destroyed. It fits the triangles when this returns.
// `kept`: part of the hierarchy's margin that update nodes leave around all they hold; the others
// keep all of it.
PalStatus pal_update_create(PalUpdateKind kind, PalHierarchy *hierarchy, double kept,
                            const PalTriangles *triangles, PalUpdate **update, PalError *error);
void pal_update_destroy(PalUpdate *update);

// From now on volumes whose facets all belong to an object that is asleep stay as they are; the
// caller changes `asleep`, one per object, as it likes. NULL: none is.
void pal_update_let_sleep(PalUpdate *update, const bool *asleep);

// Brings the hierarchy to the triangles' start and end: all of it, or (larsson) its upper half.
// Returns the number of volumes refitted.
int64_t pal_update_step(PalUpdate *update);

// What a traversal calls before it looks at the children of a volume: NULL where nothing is left
// to do, otherwise a function that takes the update as its context.
void (*pal_update_visit(const PalUpdate *update))(void *update, int32_t volume);

// Volumes refitted by visits since this was last asked.
int64_t pal_update_take_visit_refits(PalUpdate *update);

// What update-nodes did in the last step, in numbers of update nodes; all zero for the others.
typedef struct PalUpdateNodeCounts {
    int32_t inactive, translated, rotated, refitted;
    int32_t top;  // volumes above all update nodes
} PalUpdateNodeCounts;

PalUpdateNodeCounts pal_update_node_counts(const PalUpdate *update);

#endif
