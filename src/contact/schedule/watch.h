// What the trajectory schedule knows: where each object is going, and when each pair of objects may
// come near each other.   docs/theory/levels.md, 3
#ifndef PAL_CONTACT_SCHEDULE_WATCH_H
#define PAL_CONTACT_SCHEDULE_WATCH_H

#include "contact/schedule/schedule.h"
#include "geometry/flight.h"
#include "geometry/sphere_distance.h"
#include "geometry/sphere_meeting.h"

// What it costs to compare two facets, and to fit a tree to a facet, in comparisons of two spheres,
// which are about what a facet costs that is looked at in a step.
#define PAL_FACETS_COST 50
#define PAL_FIT_COST    3

#define PAL_SLEEP_MOST 1000  // steps: more are always worth it
#define PAL_HORIZON    1e6   // steps ahead that are foreseen

// An object that may touch itself. What has no vertex in common stays apart as long as its shape
// is near one in which that was measured.   docs/theory/levels.md, 3
typedef struct PalSelfWatch {
    bool touches;       // itself, if it is deformed that far
    bool awake;         // it is looked at in each step
    bool known;         // there is a shape
    PalVec3 *shape;     // where its vertices were when that was measured
    double apart;       // how far apart its parts were
    double path_due;    // asleep until its odometer shows so much
    double worth;       // it has to sleep for so many steps, or is awake
    int64_t review;     // awake: the step in which to see whether it may sleep
    int64_t interval;   // awake: steps until then
    int32_t facets[2];  // nearest to each other when they were last measured; PAL_NONE: not known
} PalSelfWatch;

// One object. Its vertices stay in its flight, whose radius is `spare` larger than it says; where
// they no longer do for certain, the object is looked at and, if need be, gets a new flight.
typedef struct PalWatched {
    PalFlight flight;
    double spare;
    int32_t tightened;  // how often it was made to spare less
    double out;         // soft: how far outside of its flight a vertex was at `seen`, without spare
    double seen;        // the time it was looked at last
    bool tracked;       // how far it goes is looked at in each step; rigid ones always are
    double path;        // soft and tracked: how far a vertex may have gone since it was looked at
    double base;        // soft and not tracked: no more than watch->farthest has grown from this
    double farthest_due, time_due;  // not tracked: inside its flight until either has come
    double travel;                  // tracked: how far a vertex goes at most in this step
    double odometer;                // sum of all travels
    bool known;                     // there is a flight
    bool measured;                  // there is a velocity of an earlier step
    bool again;        // it was measured once only: how it accelerates is not known yet
    bool left;         // it may leave its flight in this step
    bool alone;        // it touches nothing else
    bool is_expected;  // rigid: it is known where it was to be
    double pushed;     // soft: how much farther contact has made a vertex go in the last step
    double wish;       // rigid: what it would have to spare
    PalVec3 velocity;  // at `velocity_time`
    double velocity_time;
    // Steps in which flight, tree and odometer were last brought up to date
    int64_t renewed_at, fitted_at, followed_at;
    int32_t rigid;         // its number among the rigid objects; PAL_NONE: soft
    int32_t chunks[2];     // soft: chunks of nodes it has: first, last + 1
    PalSphere rest;        // rigid: around its nodes, as they are in its mesh
    PalPose expected;      // rigid: where it was to be at the end of the last step
    int32_t active_pairs;  // how many of its pairs are not far
    int32_t awake_pairs;   // and of these, are awake
    int32_t asking_pairs;  // and of these, are to be measured in this step
    PalSelfWatch self;
    int64_t asked;         // when contact has last let it end elsewhere
    double strayed, gone;  // then: how far outside its flight it ends, and how far it goes
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
    int64_t interval;
    int32_t facets[2];  // nearest to each other when they were last measured; PAL_NONE: not known
    bool asks;          // awake: to be measured in this step
    int64_t tightened_at;
    int64_t settled_at;  // the step in which `due` was last found by new flights
    int32_t place;       // in the queue, or among the active ones
} PalWatchedPair;

// What is foreseen is told, for those who ask.
typedef struct PalTelling {
    bool opened;  // a pair is not far any more, or was measured again, in this step
    PalMeeting meeting;
} PalTelling;

typedef struct PalOutlook {
    PalContactSurface *surface;  // borrowed
    double reach;                // of this step: least_reach, and what vertices may go in it
    double least_reach;          // in a step without motion
    double reach_per_travel;     // more by so many times the longest way of a vertex in the step
    double allowance;            // no vertex goes farther in a step, before contact, than this
    int32_t object_count, pair_count;
    PalWatched *objects;
    PalWatchedPair *pairs;
    int32_t *object_pairs, *object_start;  // pairs of each object
    int32_t *queue, queue_count;           // pairs that are far, a heap by `due`
    bool loose;                            // times change that the queue is not told of yet
    int32_t *active, active_count;         // pairs that are not
    int32_t awake_count;
    int32_t asking_count;             // and to be measured in this step
    int32_t *tracked, tracked_count;  // objects
    int32_t chunk_count;              // of nodes
    bool any_left;                    // some object may leave its flight in this step
    double farthest;                  // sum over all steps of how far a soft vertex goes
    double farthest_due, time_due;    // the first of what is not tracked
    int32_t *selves, self_count;      // objects that may touch themselves
    int32_t self_awake_count;         // and of these, how many do not sleep
    bool always;                      // there are too many pairs: never sleeps
    int64_t step_count;
    double clock;       // sum of all steps
    double start, end;  // of this step, by the clock
    double ahead;       // how much the time of the simulation is ahead of the clock
    const PalSurfaceMotion *motion;
    PalVec3 *points;  // scratch: the vertices of an object
    PalSphereSearch search;
    bool moved;                   // the surface was told of this step
    int32_t *carrier_object;      // of carriers that are nodes
    int32_t *asked, asked_count;  // objects that contact lets end elsewhere
    int64_t questions;            // how often it has
    int64_t renewals, measures;   // so far
    PalTelling *telling;          // NULL: nobody asks
} PalOutlook;

// ---- objects, in this step --------------------------------------------------------------

// What an object is made of. Its flight is not known yet.
PalStatus pal_watched_create(PalOutlook *watch, const PalModel *model, int32_t object,
                             PalError *error);
void pal_watched_clear(PalWatched *watched);

// From now on it is told in each step how far it goes, and in this one already.
void pal_watched_follow(PalOutlook *watch, int32_t object);
// The longest way of a vertex in this step, before contact.
double pal_watch_pace(const PalOutlook *watch);
// A step begins: finds all objects that may leave their flights in it.
void pal_watch_pass(PalOutlook *watch);
// Looks where it is. False: that is not in its flight, or too near its end; it needs a new one.
bool pal_watched_is_there(PalOutlook *watch, int32_t object);
// A new flight, from where it is and how it moves.
void pal_watched_renew(PalOutlook *watch, int32_t object);
// Brings its tree to where it is at the start of this step.
void pal_watched_fit_tree(PalOutlook *watch, int32_t object);
// Places the vertices of one of its facets.
void pal_watched_place(PalOutlook *watch, int32_t object, int32_t facet);
// What a search by trees that have so many facets has cost, in steps in which they are looked at.
double pal_watch_cost(const PalOutlook *watch, double size);
// Steps until what is awake is measured again, if that has cost so much and it was so many last
// time, or 0. Measuring takes a small part of what looking does.
int64_t pal_watch_interval(int64_t interval, double cost);
// Gathers its vertices at the start of this step in watch->points. How many.
int32_t pal_watched_gather(PalOutlook *watch, int32_t object);

// ---- pairs ------------------------------------------------------------------------------

// Puts a pair into the queue of those that are far, which go by time.
void pal_watch_enqueue(PalOutlook *watch, int32_t pair);
void pal_watch_dequeue(PalOutlook *watch, int32_t pair);
// Moves a pair up or down in the queue: its time has changed.
void pal_watch_requeue(PalOutlook *watch, int32_t pair);
// Puts all of it in order, after times have changed without being told.
void pal_watch_sort_queue(PalOutlook *watch);

// Everything that is due in this step is looked at. True: some pair is awake.
bool pal_watch_pairs(PalOutlook *watch);
// Objects that have strayed from their flights get new ones, and their pairs new times.
void pal_watch_strays(PalOutlook *watch);
// Nothing has to be looked at before this time by the clock, as far as it is foreseen.
double pal_watch_next(const PalOutlook *watch);
// When their balls meet, as they fly; the start of this step where flights are not new.
double pal_watch_balls_meet(const PalOutlook *watch, const PalWatchedPair *pair);
// Goes down the trees of pairs that are not far, into watch->telling.
void pal_watch_tell(PalOutlook *watch);
// Contact lets these vertices (NULL: the first ones) end elsewhere in this step. False: that may
// bring awake objects near others, which wake up.
bool pal_watch_holds(PalOutlook *watch, const int32_t *vertices, int32_t count);

// ---- an object with itself --------------------------------------------------------------

// Everything that may touch itself and is due in this step is looked at.
void pal_watch_selves(PalOutlook *watch);
// When an object may touch itself, as far as it is foreseen.
double pal_watch_self_next(const PalOutlook *watch);
// Shapes may be any.
void pal_watch_selves_forget(PalOutlook *watch);

#endif
