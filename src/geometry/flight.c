#include "geometry/flight.h"

#include "math/roots.h"

static const double rounding = 2e-15;

static PalVec3 velocity_at(const PalFlight *flight, double time)
{
    return pal_vec3_add_scaled(flight->velocity, time - flight->time, flight->acceleration);
}

double pal_flight_way(const PalFlight *flight, double from, double to)
{
    double t = to - from;
    return t * pal_vec3_length(velocity_at(flight, from)) +
           t * t / 2 * pal_vec3_length(flight->acceleration);
}

double pal_flights_gap(const PalFlight *a, const PalFlight *b, double time)
{
    return pal_vec3_distance(pal_flight_centre(a, time), pal_flight_centre(b, time)) -
           pal_flight_radius(a, time) - pal_flight_radius(b, time);
}

// Numbers the size of those subtracted, of which rounding may have taken a part.
static double lowered(double value, double size)
{
    return value - rounding * size;
}

// |d + w t + b t^2 / 2|^2 - (R + G t)^2, its coefficients lowered by what rounding may have added.
double pal_flights_meet(const PalFlight *a, const PalFlight *b, double reach, double from,
                        double end)
{
    PalVec3 d = pal_vec3_sub(pal_flight_centre(b, from), pal_flight_centre(a, from));
    PalVec3 w = pal_vec3_sub(velocity_at(b, from), velocity_at(a, from));
    PalVec3 curve = pal_vec3_sub(b->acceleration, a->acceleration);
    double radius = pal_flight_radius(a, from) + pal_flight_radius(b, from) + reach;
    double growth = a->growth + b->growth, distance = pal_vec3_length(d);
    double speed = pal_vec3_length(w), bend = pal_vec3_length(curve);
    double far = distance + pal_vec3_length(a->centre) + pal_vec3_length(b->centre) + radius;
    double fast = speed + pal_vec3_length(a->velocity) + pal_vec3_length(b->velocity) + growth;
    double c[PAL_ROOTS_DEGREE_MAX + 1] = {
        lowered((distance - radius) * (distance + radius), (distance + radius) * far),
        lowered(2 * (pal_vec3_dot(d, w) - radius * growth),
                2 * (distance + radius) * fast + 2 * far * (speed + growth)),
        lowered(speed * speed + pal_vec3_dot(d, curve) - growth * growth,
                2 * (speed + growth) * fast + far * bend),
        lowered(pal_vec3_dot(w, curve), fast * bend),
        lowered(bend * bend / 4, bend * bend / 4),
    };
    int degree = c[4] > 0 ? 4 : 2;
    double length = end - from, after = pal_first_root(c, degree, length);
    if (!(length >= 0))
        return isnan(length) ? from : INFINITY;
    return after < INFINITY ? from + after * (1 - 1e-15) : after;
}

// Speed grows: |w| + |b| t, so that the gap is closed no earlier than at the root of
// gap - (|w| + G) t - |b| t^2 / 2.
double pal_flights_meet_earliest(const PalFlight *a, const PalFlight *b, double reach, double from,
                                 double end)
{
    double gap = pal_flights_gap(a, b, from) - reach;
    double speed = pal_vec3_length(pal_vec3_sub(velocity_at(b, from), velocity_at(a, from))) +
                   a->growth + b->growth;
    double bend = pal_vec3_length(pal_vec3_sub(b->acceleration, a->acceleration));
    if (!(gap > 0) || !isfinite(gap + speed + bend))
        return from;
    double after = 2 * gap / (speed + sqrt(speed * speed + 2 * bend * gap));
    return from + (1 - 1e-12) * after > end ? INFINITY : from + (1 - 1e-12) * after;
}
