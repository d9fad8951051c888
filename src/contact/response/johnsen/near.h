// Nodes near facets, along continuous normals, and edges near edges: what the two published
// responses act on.
#ifndef PAL_CONTACT_RESPONSE_JOHNSEN_NEAR_H
#define PAL_CONTACT_RESPONSE_JOHNSEN_NEAR_H

#include "base/array.h"
#include "contact/gap/gap.h"
#include "contact/gap/projected.h"
#include "contact/response/response.h"

// Overlaps are no deeper than the margin and so many times the longest way of a vertex in the step.
#define PAL_NEAR_TRAVELS 2

// A slave and a master that are near each other: the first and the second side of their gap, along
// the master's normal.
typedef struct PalNear {
    PalGap gap;
    double friction;       // coefficient of the two objects
    int32_t key, partner;  // tell it again in another round: see pal_near_key_count
    int32_t facet;         // of the master, for a node
} PalNear;

// Which of two facets of a pair is the master.
typedef enum PalRoles {
    PAL_ROLES_BOTH,        // nodes: each in turn; edges: the facet with the higher number
    PAL_ROLES_HIGH_LEADS,  // the facet with the higher number: instruments, where there are any
    PAL_ROLES_LOW_LEADS,
} PalRoles;

typedef struct PalNearRule {
    double reach;           // of a node: a gap below this counts
    double edge_reach;      // of edges
    double margin;          // an overlap beyond this and the motion of the step is not of this step
    bool continuous_edges;  // edges touch where they meet on their way, and only if they do
} PalNearRule;

typedef struct PalNearFinder {
    PalNearRule rule;
    PalNormals normals;
    PAL_ARRAY(PalNear) found;
    int32_t *nearest;  // per vertex: what was found for it as a slave node
    int64_t *nearest_stamp;
    int64_t stamp;
} PalNearFinder;

// The surface is borrowed.
PalStatus pal_near_init(PalNearFinder *finder, PalNormalKind kind, const PalNearRule *rule,
                        const PalContactSurface *surface, PalError *error);
void pal_near_clear(PalNearFinder *finder);

// Finds what is near in the search's pairs, at the surface's end positions, in the order of their
// keys, whatever the order of the pairs.
PalStatus pal_near_find(PalNearFinder *finder, const PalContact *contact, PalRoles roles,
                        PalMeter *meter, PalError *error);

// Keys are below this: slave nodes, then edges (of the facet with the lower number).
static inline int32_t pal_near_key_count(const PalContactSurface *surface)
{
    return surface->vertex_count + surface->edge_count;
}

#endif
