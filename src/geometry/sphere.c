#include "geometry/sphere.h"

enum { DIRECTIONS = 13 };  // axes, face and body diagonals of a cube

static const double directions[DIRECTIONS][3] = {
    {1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0}, {1, 0, 1},   {1, 0, -1},
    {0, 1, 1}, {0, 1, -1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {1, -1, -1},
};

static const PalSphere none = {{0, 0, 0}, -1};

// Grows it to hold every point, moving it no more than it must.
static PalSphere grow(PalSphere sphere, const PalVec3 *points, int32_t count)
{
    for (int32_t n = 0; n < count; ++n) {
        PalVec3 way = pal_vec3_sub(points[n], sphere.centre);
        double distance2 = pal_vec3_dot(way, way);
        if (!(distance2 < INFINITY))
            return (PalSphere){{0, 0, 0}, INFINITY};
        if (distance2 <= sphere.radius * sphere.radius)
            continue;
        double distance = sqrt(distance2), more = (distance - sphere.radius) / 2;
        sphere.radius += more;
        sphere.centre = pal_vec3_add_scaled(sphere.centre, more / distance, way);
    }
    double most = 0;  // moving may have left an earlier point outside by rounding
    for (int32_t n = 0; n < count; ++n) {
        PalVec3 way = pal_vec3_sub(points[n], sphere.centre);
        most = fmax(most, pal_vec3_dot(way, way));
    }
    sphere.radius = (1 + 4e-16) * sqrt(most);
    return sphere;
}

static int32_t farthest(const PalVec3 *points, int32_t count, PalVec3 from)
{
    int32_t best = 0;
    double most = -1;
    for (int32_t n = 0; n < count; ++n) {
        PalVec3 way = pal_vec3_sub(points[n], from);
        double distance2 = pal_vec3_dot(way, way);
        if (distance2 > most) {
            most = distance2;
            best = n;
        }
    }
    return best;
}

PalSphere pal_sphere_ritter(const PalVec3 *points, int32_t count)
{
    if (count == 0)
        return none;
    int32_t a = farthest(points, count, points[0]), b = farthest(points, count, points[a]);
    PalSphere start = {pal_vec3_scale(0.5, pal_vec3_add(points[a], points[b])),
                       pal_vec3_distance(points[a], points[b]) / 2};
    return grow(start, points, count);
}

// ---- the smallest -----------------------------------------------------------------------

static bool holds(const PalSphere *sphere, const PalVec3 *points, int count)
{
    for (int n = 0; n < count; ++n)
        if (!(pal_vec3_distance(points[n], sphere->centre) <= (1 + 1e-12) * sphere->radius))
            return false;
    return true;
}

// Through two, three or four points, centred in what they span; radius < 0: they span too little.
static PalSphere through(const PalVec3 *p, int count)
{
    PalVec3 a = pal_vec3_sub(p[1], p[0]);
    if (count == 2)
        return (PalSphere){pal_vec3_add_scaled(p[0], 0.5, a), pal_vec3_length(a) / 2};
    PalVec3 b = pal_vec3_sub(p[2], p[0]), offset, normal = pal_vec3_cross(a, b);
    double a2 = pal_vec3_dot(a, a), b2 = pal_vec3_dot(b, b);
    if (count == 3) {
        double area2 = pal_vec3_dot(normal, normal);
        if (!(area2 > 1e-20 * a2 * b2))
            return none;
        PalVec3 w = pal_vec3_sub(pal_vec3_scale(a2, b), pal_vec3_scale(b2, a));
        offset = pal_vec3_scale(1 / (2 * area2), pal_vec3_cross(w, normal));
    } else {
        PalVec3 c = pal_vec3_sub(p[3], p[0]);
        double c2 = pal_vec3_dot(c, c), volume = pal_vec3_dot(normal, c);
        if (!(volume * volume > 1e-20 * a2 * b2 * c2))
            return none;
        PalVec3 sum = pal_vec3_scale(c2, normal);
        sum = pal_vec3_add_scaled(sum, b2, pal_vec3_cross(c, a));
        sum = pal_vec3_add_scaled(sum, a2, pal_vec3_cross(b, c));
        offset = pal_vec3_scale(1 / (2 * volume), sum);
    }
    return (PalSphere){pal_vec3_add(p[0], offset), pal_vec3_length(offset)};
}

// The best through some of the points that holds all.
static void try_subsets(const PalVec3 *points, int count, int size, PalSphere *best)
{
    for (int mask = 1; mask < 1 << count; ++mask) {
        PalVec3 chosen[4];
        int k = 0;
        for (int n = 0; n < count; ++n)
            if (mask >> n & 1) {
                if (k < size)
                    chosen[k] = points[n];
                ++k;
            }
        if (k != size)
            continue;
        PalSphere sphere = through(chosen, size);
        if (sphere.radius >= 0 && sphere.radius < best->radius && holds(&sphere, points, count))
            *best = sphere;
    }
}

PalSphere pal_sphere_of_few(const PalVec3 *points, int count)
{
    if (count == 0)
        return none;
    PalSphere best = {points[0], count == 1 ? 0 : INFINITY};
    for (int size = 2; size <= count && size <= 4 && !(best.radius < INFINITY); ++size)
        try_subsets(points, count, size, &best);
    if (!(best.radius < INFINITY))
        best = (PalSphere){points[0], 0};
    return grow(best, points, count);
}

// Adds the point farthest outside to those at hand, finds their smallest sphere, keeps the points
// on it (four determine a sphere), and so on until none is outside.
static PalSphere smallest(const PalVec3 *points, int32_t count)
{
    PalVec3 at_hand[5] = {points[0]};
    int hand_count = 1;
    PalSphere sphere = {points[0], 0};
    for (int round = 0; round < 100; ++round) {
        int32_t n = farthest(points, count, sphere.centre);
        if (!(pal_vec3_distance(points[n], sphere.centre) > (1 + 1e-12) * sphere.radius))
            break;
        at_hand[hand_count++] = points[n];
        PalSphere best = {at_hand[0], INFINITY};
        for (int size = 2; size <= hand_count && size <= 4; ++size)
            try_subsets(at_hand, hand_count, size, &best);
        if (!(best.radius < INFINITY) || best.radius <= sphere.radius)
            break;
        sphere = best;
        int kept = 0;
        for (int k = 0; k < hand_count; ++k)
            if (pal_vec3_distance(at_hand[k], sphere.centre) >= (1 - 1e-9) * sphere.radius)
                at_hand[kept++] = at_hand[k];
        hand_count = kept < 4 ? kept : 4;
    }
    return sphere;
}

PalSphere pal_sphere_extremal(const PalVec3 *points, int32_t count)
{
    if (count == 0)
        return none;
    PalVec3 extremes[2 * DIRECTIONS];
    for (int d = 0; d < DIRECTIONS; ++d) {
        PalVec3 direction = {directions[d][0], directions[d][1], directions[d][2]};
        double least = INFINITY, most = -INFINITY;
        extremes[2 * d] = extremes[2 * d + 1] = points[0];
        for (int32_t n = 0; n < count; ++n) {
            double along = pal_vec3_dot(direction, points[n]);
            if (along < least) {
                least = along;
                extremes[2 * d] = points[n];
            }
            if (along > most) {
                most = along;
                extremes[2 * d + 1] = points[n];
            }
        }
    }
    return grow(smallest(extremes, 2 * DIRECTIONS), points, count);
}
