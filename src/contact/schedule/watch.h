// What the trajectory schedule knows: where each object is going, and when each pair of objects may
// come near each other.   docs/theory/levels.md, 3
#ifndef PAL_CONTACT_SCHEDULE_WATCH_H
#define PAL_CONTACT_SCHEDULE_WATCH_H

#include "contact/schedule/schedule.h"
#include "geometry/flight.h"
#include "geometry/sphere_distance.h"

// One object. Its vertices stay in its flight, whose radius is `spare` larger than it says; where
// they no longer do for certain, the object is looked at and, if need be, gets a new flight.
typedef struct PalWatched {
    PalFlight flight;
    double spare;
    double out;        // soft: how far outside of its flight a vertex was at `seen`, without spare
    double seen;       // the time it was looked at last
    double path;       // soft: how far a vertex may have gone since
    double travel;     // how far a vertex goes at most in this step
    double odometer;   // sum of all travels
    bool known;        // there is a flight
    bool measured;     // there is a velocity of an earlier step
    bool again;        // it was measured once only: how it accelerates is not known yet
    bool left;         // it may leave its flight in this step
    double pushed;     // soft: how much farther contact has made a vertex go in the last step
    double wish;       // rigid: what it would have to spare
    PalVec3 velocity;  // at `velocity_time`
    double velocity_time;
    int64_t renewed_at, fitted_at;  // steps in which flight and tree were last brought up to date
    int32_t rigid;                  // its number among the rigid objects; PAL_NONE: soft
    int32_t chunks[2];              // soft: chunks of nodes it has: first, last + 1
    PalSphere rest;                 // rigid: around its nodes, as they are in its mesh
    PalPose expected;               // rigid: where it was to be at the end of the last step
    PalTriangles triangles;
    PalSphereTree *tree;
} PalWatched;

typedef enum PalPairSleep {
    PAL_PAIR_FAR,    // until `due`, as flights are
    PAL_PAIR_NEAR,   // until both have gone so far
    PAL_PAIR_AWAKE,  // is looked at in each step
} PalPairSleep;

typedef struct PalWatchedPair {
    int32_t a, b;  // objects, a < b
    PalPairSleep sleep;
    bool exact;       // `due` is a root, not only before it
    double due;       // not before this time, as they move now
    bool flies;       // near: `due` is by flights
    double pace;      // near: what both went in the step in which it was measured
    double worth;     // near: it has to sleep for so many steps, or is awake
    double path_due;  // near: not before the odometers of both add up to this
    int64_t review;   // awake: the step in which to see whether it may sleep
    int32_t interval;
    int32_t place;  // in the queue, or among the active ones
} PalWatchedPair;

typedef struct PalWatch {
    PalContactSurface *surface;  // borrowed
    double reach;
    int32_t object_count, pair_count;
    PalWatched *objects;
    PalWatchedPair *pairs;
    int32_t *object_pairs, *object_start;  // pairs of each object
    int32_t *queue, queue_count;           // pairs that are far, a heap by `due`
    int32_t *active, active_count;         // pairs that are not
    int32_t awake_count;
    bool always;  // some object touches itself, or there are too many pairs: never sleeps
    int64_t step_count;
    double clock;       // sum of all steps
    double start, end;  // of this step, by the clock
    double ahead;       // how much the time of the simulation is ahead of the clock
    const PalSurfaceMotion *motion;
    PalVec3 *points;  // scratch: the vertices of an object
    PalSphereSearch search;
    bool moved;                  // the surface was told of this step
    int32_t *carrier_object;     // of carriers that are nodes
    int64_t renewals, measures;  // so far
} PalWatch;

// ---- objects, in this step --------------------------------------------------------------

// What an object is made of. Its flight is not known yet.
PalStatus pal_watched_create(PalWatch *watch, const PalModel *model, int32_t object,
                             PalError *error);
void pal_watched_clear(PalWatched *watched);

// Adds what it goes in this step. False: it may leave its flight.
bool pal_watched_pass(PalWatch *watch, int32_t object);
// Looks where it is. False: that is not in its flight, or too near its end; it needs a new one.
bool pal_watched_is_there(PalWatch *watch, int32_t object);
// A new flight, from where it is and how it moves.
void pal_watched_renew(PalWatch *watch, int32_t object);
// Brings its tree to where it is at the start of this step.
void pal_watched_fit_tree(PalWatch *watch, int32_t object);

// ---- pairs ------------------------------------------------------------------------------

// Puts a pair into the queue of those that are far, which go by time.
void pal_watch_enqueue(PalWatch *watch, int32_t pair);
void pal_watch_dequeue(PalWatch *watch, int32_t pair);
// Moves a pair up or down in the queue: its time has changed.
void pal_watch_requeue(PalWatch *watch, int32_t pair);

// Everything that is due in this step is looked at. True: some pair is awake.
bool pal_watch_pairs(PalWatch *watch);
// Objects that have strayed from their flights get new ones, and their pairs new times.
void pal_watch_strays(PalWatch *watch);
// Nothing has to be looked at before this time by the clock, as far as it is foreseen.
double pal_watch_next(const PalWatch *watch);

#endif
