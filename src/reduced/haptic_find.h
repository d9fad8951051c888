// Which points of one body come near the deformed surface of the other, and where.
#ifndef PAL_REDUCED_HAPTIC_FIND_H
#define PAL_REDUCED_HAPTIC_FIND_H

#include "math/quaternion.h"
#include "reduced/haptic_body.h"

// A point of one body and the place of the other that is next to it. The point is a surface node,
// or where an edge crosses one of the other body.
typedef struct PalHapticNear {
    int32_t side;      // whose point it is, 0 or 1
    int32_t node;      // which surface node of it
    int32_t far_node;  // the other end of its edge; PAL_NONE: the point is a node
    float part;        // of the way to there
    float weight;      // of the contact: below 1 where two edges are about to pass each other
    int32_t pair;      // of edges, or PAL_NONE
    int32_t facet;     // of the other body
    float weights[3];  // of the facet's corners
    double gap;        // negative: inside
    PalVec3 normal;    // of the other's surface, outward, in space
} PalHapticNear;

typedef struct PalHapticFrame {  // x = turn X + at
    PalMat3 turn;
    PalVec3 at;
} PalHapticFrame;

// Two edges that cross, of body 1 and of body 0.
typedef struct PalHapticPair {
    int32_t edges[2];
    uint32_t search;  // when it was last listed; 0: never
    bool fresh;       // it was not listed lately: nothing is remembered of it
} PalHapticPair;

// Crossing edges: nodes of body 1 whose edges may touch, and what is known of pairs, in a table
// that forgets those that were not met lately.
typedef struct PalHapticCrossings {
    bool used;
    double weight;                       // of all of them, 0 to 1
    double reach;                        // no node whose edges touch is farther
    float *node_reach;                   // per node: the same, where it is
    int32_t close_count, *close;         // nodes
    uint32_t *close_search, *edge_done;  // per node, per edge: in which search
    uint32_t *met, round;                // per edge of body 0: by which edge of body 1
    int32_t pair_max;                    // a power of 2
    PalHapticPair *pairs;
} PalHapticCrossings;

typedef struct PalHapticFinder {
    PalHapticShape *shapes[2];
    const PalHapticFrame *frames[2];
    double margin;           // points nearer than this are listed
    int32_t *last_facet[2];  // per node: where it was next to the other, or PAL_NONE
    // How far any point can have moved against any other since the start, and per cluster and per
    // node the gap it had when it was looked at, plus that way then: until they have moved as much,
    // it cannot be near.
    double way;
    double *cluster_key[2], *node_key[2];
    int32_t near_count, near_max;
    PalHapticNear *near;
    bool full;            // there were more than near_max
    uint32_t search;      // counts searches
    uint32_t *listed[2];  // per node: in which search it was listed
    // Asked now and then; true: there is no time to visit more clusters. May be NULL.
    bool (*late)(void *context);
    void *context;
    bool coarse;      // that was so
    int64_t visited;  // points looked at
    PalHapticCrossings crossings;
} PalHapticFinder;

// Lists this point of body `side` if it is near; for those that carried force in the last step.
void pal_haptic_find_point(PalHapticFinder *finder, int32_t side, int32_t node);
// Lists points of body `side` that are near the other one, after those that are listed already.
void pal_haptic_find(PalHapticFinder *finder, int32_t side);
// The place of a surface next to a point, both in the body's coordinates, found from a facet near
// it. Returns its facet; PAL_NONE: a number is missing.
int32_t pal_haptic_next_place(PalHapticShape *shape, PalVec3 point, int32_t facet, PalVec3 *place);
// That of points there, in the body's coordinates.
PalVec3 pal_haptic_smooth_normal(PalHapticShape *shape, int32_t facet, const float weights[3]);
// haptic_cross.c: lists where edges of body 1 cross edges of body 0 and are near, after points of
// body 1 were looked for.
void pal_haptic_find_crossings(PalHapticFinder *finder);
// Lists two edges that carried force in the last step if they still cross and are near. `parts` of
// both are where their lines are closest.
bool pal_haptic_find_pair(PalHapticFinder *finder, int32_t pair, double parts[2]);

#endif
