// Which points of one body come near the deformed surface of the other, and where.
#ifndef PAL_REDUCED_HAPTIC_FIND_H
#define PAL_REDUCED_HAPTIC_FIND_H

#include "math/quaternion.h"
#include "reduced/haptic_body.h"

// A point of one body and the place of the other that is next to it.
typedef struct PalHapticNear {
    int32_t side;      // whose point it is, 0 or 1
    int32_t node;      // which surface node of it
    int32_t facet;     // of the other body
    float weights[3];  // of the facet's corners
    double gap;        // negative: inside
    PalVec3 normal;    // of the other's surface, outward, in space
} PalHapticNear;

typedef struct PalHapticFrame {  // x = turn X + at
    PalMat3 turn;
    PalVec3 at;
} PalHapticFrame;

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
} PalHapticFinder;

// Lists this point of body `side` if it is near; for those that carried force in the last step.
void pal_haptic_find_point(PalHapticFinder *finder, int32_t side, int32_t node);
// Lists points of body `side` that are near the other one, after those that are listed already.
void pal_haptic_find(PalHapticFinder *finder, int32_t side);

#endif
