// Spots where surfaces touch: node-facet on continuous normals, edge-edge closest points.
#ifndef PAL_CONTACT_NARROW_H
#define PAL_CONTACT_NARROW_H

#include "base/array.h"
#include "contact/contact.h"
#include "contact/normals.h"

// A point of the slave over a point of the master: weighted sums of vertices, the slave's first.
// node-facet: one slave, three masters. edge-edge: two and two.
typedef struct PalSpot {
    PalContactKind kind;
    int32_t slave_count;
    int32_t vertices[4];
    double weights[4];
    PalVec3 normal;        // of the master, unit
    double gap;            // from master to slave along the normal
    double friction;       // coefficient of the two objects
    int32_t key, partner;  // tell it again in another round: see pal_spot_key_count
    int32_t facet;         // of the master, for a node
} PalSpot;

// Which of two facets of a pair is the master.
typedef enum PalRoles {
    PAL_ROLES_BOTH,        // nodes: each in turn; edges: the facet with the higher number
    PAL_ROLES_HIGH_LEADS,  // the facet with the higher number: instruments, where there are any
    PAL_ROLES_LOW_LEADS,
} PalRoles;

typedef struct PalNarrowRule {
    double reach;           // of a node: a gap below this counts
    double edge_reach;      // of edges
    double margin;          // an overlap beyond this and the motion of the step is not of this step
    bool continuous_edges;  // edges touch where they meet on their way, and only if they do
} PalNarrowRule;

typedef struct PalNarrow {
    PalNarrowRule rule;
    PalNormals normals;
    PAL_ARRAY(PalSpot) spots;
    int32_t *nearest;  // per vertex: its spot as a slave node
    int64_t *nearest_stamp;
    int64_t stamp;
} PalNarrow;

// The surface is borrowed.
PalStatus pal_narrow_init(PalNarrow *narrow, PalNormalKind kind, const PalNarrowRule *rule,
                          const PalContactSurface *surface, PalError *error);
void pal_narrow_clear(PalNarrow *narrow);

// Finds all spots of the search's pairs, at the surface's end positions, in the order of their
// keys, whatever the order of the pairs.
PalStatus pal_narrow_find(PalNarrow *narrow, const PalContact *contact, PalRoles roles,
                          PalMeter *meter, PalError *error);

// Where a point lies over a facet along the continuous normal.
typedef struct PalProjection {
    double weights[3];  // of the corners, >= 0
    PalVec3 normal;
    double gap;
} PalProjection;

// False where it lies beside the facet, or |gap| is not below `limit`.
bool pal_narrow_project(PalNormals *normals, int32_t facet, PalVec3 point, double limit,
                        PalProjection *projection);

// Weighted sum of the slave's minus that of the master's vertices.
PalVec3 pal_spot_difference(const PalSpot *spot, const PalVec3 *vectors);

// Keys are below this: slave nodes, then edges (of the facet with the lower number).
static inline int32_t pal_spot_key_count(const PalContactSurface *surface)
{
    return surface->vertex_count + surface->edge_count;
}

#endif
