// Spheres in flight: where a centre on a parabola with a radius that grows will be, and when two
// of them meet.   docs/theory/levels.md, 1
#ifndef PAL_GEOMETRY_FLIGHT_H
#define PAL_GEOMETRY_FLIGHT_H

#include "math/vec3.h"
#include <palpate/base.h>

typedef struct PalFlight {
    double time;  // of the numbers below
    PalVec3 centre, velocity, acceleration;
    double radius, growth;  // growth >= 0: of the radius, per time
} PalFlight;

static inline PalVec3 pal_flight_centre(const PalFlight *flight, double time)
{
    double t = time - flight->time;
    PalVec3 centre = pal_vec3_add_scaled(flight->centre, t, flight->velocity);
    return pal_vec3_add_scaled(centre, t * t / 2, flight->acceleration);
}

static inline double pal_flight_radius(const PalFlight *flight, double time)
{
    return flight->radius + flight->growth * (time - flight->time);
}

// How far the centre goes at most between two times, not before its own.
double pal_flight_way(const PalFlight *flight, double from, double to);

// The distance between two at a time; negative where they overlap.
double pal_flights_gap(const PalFlight *a, const PalFlight *b, double time);

// A time in [from, end] at or before the first at which they are `reach` from each other, off by
// rounding only; INFINITY: never. `from` where a number is missing.
double pal_flights_meet(const PalFlight *a, const PalFlight *b, double reach, double from,
                        double end);

// The same by the largest speeds, without a root: earlier, and quicker to find.
double pal_flights_meet_earliest(const PalFlight *a, const PalFlight *b, double reach, double from,
                                 double end);

#endif
