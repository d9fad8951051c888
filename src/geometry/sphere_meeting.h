// When surfaces in flight meet, by their trees of spheres: in a queue of (time, volume, volume) the
// first is opened and its children come in with times of their own.   Aragon and Molinari (2014),
// section 3; docs/theory/levels.md, 3
#ifndef PAL_GEOMETRY_SPHERE_MEETING_H
#define PAL_GEOMETRY_SPHERE_MEETING_H

#include "base/array.h"
#include "geometry/sphere_tree.h"

// A surface that goes on as it moves in a step.
typedef struct PalFlyer {
    const PalSphereTree *tree;  // fitted to where it is at the start of the step
    PalTriangles triangles;     // at the start and the end of the step
    PalVec3 acceleration;       // of all of it
    double turning;             // no vertex accelerates by more besides
    PalSphere *paces;           // per volume: around the velocities of its vertices
} PalFlyer;

typedef struct PalFlyerPair {
    const PalFlyer *a, *b;
    double not_before;  // it is known that they do not meet before this time
} PalFlyerPair;

// Two volumes, or two facets. Deeper: by so many openings.
typedef struct PalMeetingVisit {
    double time;  // they do not meet before it
    int32_t pair, a, b, depth;
} PalMeetingVisit;

typedef struct PalMeeting {
    double start, step;  // when the step begins, and how long it is
    double end;          // what comes later does not matter
    PAL_ARRAY(PalMeetingVisit) queue;
    // The time of the first in the queue, ascending, whenever that was deeper than all before.
    PAL_ARRAY(double) times;
    double time;  // nothing meets before this, as it moves: the last of them, or the end
} PalMeeting;

// Velocities of the flyer's volumes in a step. PAL_NO_MEMORY.
PalStatus pal_flyer_create(PalFlyer *flyer, double step, PalError *error);
void pal_flyer_clear(PalFlyer *flyer);

// Finds when the first of these pairs meet. PAL_NO_MEMORY.
PalStatus pal_meeting_find(PalMeeting *meeting, const PalFlyerPair *pairs, int32_t count,
                           PalError *error);
void pal_meeting_clear(PalMeeting *meeting);

#endif
