// A patch is projected along a direction that all its facets face. Where its rim stays a simple
// loop there, the projection is one-to-one, so that nothing in the patch touches:
// docs/theory/front.md.
#include "contact/search/front_patch.h"
#include "math/range.h"
#include "math/vec3.h"

#include <math.h>

#define TRIES    4     // directions looked at
#define RIM_MAX  1024  // vertices; longer rims are not looked at pair by pair
#define ROUNDING 1e-9  // relative; far above what rounding can do to the comparisons

// The facet's map from old to new places is I + G with |G| <= 2 radius / least height.
PalLean pal_lean_of(const PalPlaces *places, const int32_t facet[3])
{
    const PalPlace *a = &places->items[facet[0]], *b = &places->items[facet[1]],
                   *c = &places->items[facet[2]];
    PalVec3 ab = pal_vec3_sub(b->centre, a->centre), ac = pal_vec3_sub(c->centre, a->centre);
    PalVec3 bc = pal_vec3_sub(c->centre, b->centre);
    PalVec3 cross = pal_vec3_cross(ab, ac);
    double longest =
        pal_max(pal_vec3_dot(ab, ab), pal_max(pal_vec3_dot(ac, ac), pal_vec3_dot(bc, bc)));
    double radius = pal_max(a->radius, pal_max(b->radius, c->radius));
    double length = pal_vec3_length(cross);
    double sine = 2 * radius * sqrt(longest) / length + ROUNDING;
    if (!(sine < 1))
        return (PalLean){.sine = 1};
    return (PalLean){pal_vec3_scale(1 / length, cross), sine};
}

// ---- direction --------------------------------------------------------------------------

// The facet that faces the direction least, or the first that does not face it.
static int32_t least_facing(const PalPatch *patch, PalVec3 direction, int32_t witness)
{
    const PalLean *lean = &patch->leans[witness];
    if (!(pal_vec3_dot(lean->normal, direction) > lean->sine))
        return witness;
    for (int32_t i = 0; i < patch->facet_count; ++i) {
        lean = &patch->leans[patch->facets[i]];
        if (!(pal_vec3_dot(lean->normal, direction) > lean->sine))
            return patch->facets[i];
    }
    return PAL_NONE;
}

bool pal_patch_faces(const PalPatch *patch, PalVec3 *direction, int32_t *witness)
{
    PalVec3 unit = pal_vec3_normalise(*direction);
    for (int32_t k = 0; k < TRIES; ++k) {
        int32_t against = least_facing(patch, unit, *witness);
        if (against == PAL_NONE) {
            *direction = unit;
            return true;
        }
        *witness = against;
        const PalLean *lean = &patch->leans[against];
        double facing = pal_vec3_dot(lean->normal, unit);
        if (!(lean->sine < 1 && facing > -0.5))
            return false;
        // turned until it faces the witness
        double more = lean->sine + 0.1 - facing;
        unit = pal_vec3_normalise(pal_vec3_add_scaled(unit, more, lean->normal));
    }
    return false;
}

// ---- rim --------------------------------------------------------------------------------

static void flatten(const PalPatch *patch, const PalPlaces *places, PalVec3 direction,
                    double (*flat)[3])
{
    PalVec3 other = fabs(direction.x) < 0.6 ? pal_vec3(1, 0, 0) : pal_vec3(0, 1, 0);
    PalVec3 right = pal_vec3_normalise(pal_vec3_cross(other, direction));
    PalVec3 up = pal_vec3_cross(direction, right);
    PalVec3 origin = places->items[patch->rim[0]].centre;
    for (int32_t i = 0; i < patch->rim_count; ++i) {
        const PalPlace *place = &places->items[patch->rim[i]];
        PalVec3 arm = pal_vec3_sub(place->centre, origin);
        flat[i][0] = pal_vec3_dot(arm, right);
        flat[i][1] = pal_vec3_dot(arm, up);
        flat[i][2] = place->radius * (1 + ROUNDING);
    }
}

// Goes round the mean of its vertices once, each edge counter-clockwise.
static bool is_star(double (*flat)[3], int32_t count)
{
    double middle[2] = {0, 0};
    for (int32_t i = 0; i < count; ++i) {
        middle[0] += flat[i][0] / count;
        middle[1] += flat[i][1] / count;
    }
    int32_t turns = 0;
    const double *from = flat[count - 1];
    double a[2] = {from[0] - middle[0], from[1] - middle[1]},
           a_length = sqrt(a[0] * a[0] + a[1] * a[1]);
    for (int32_t i = 0; i < count; ++i) {
        const double *to = flat[i];
        double b[2] = {to[0] - middle[0], to[1] - middle[1]},
               b_length = sqrt(b[0] * b[0] + b[1] * b[1]);
        double room = from[2] * b_length + to[2] * a_length + from[2] * to[2];
        if (!(a[0] * b[1] - a[1] * b[0] > room + ROUNDING * a_length * b_length))
            return false;
        turns += a[1] < 0 && b[1] >= 0;
        a[0] = b[0];
        a[1] = b[1];
        a_length = b_length;
        from = to;
    }
    return turns == 1;
}

static double point_segment_squared(const double p[3], const double a[3], const double b[3])
{
    double along[2] = {b[0] - a[0], b[1] - a[1]}, arm[2] = {p[0] - a[0], p[1] - a[1]};
    double squared = along[0] * along[0] + along[1] * along[1];
    double t = squared > 0 ? (arm[0] * along[0] + arm[1] * along[1]) / squared : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double x = arm[0] - t * along[0], y = arm[1] - t * along[1];
    return x * x + y * y;
}

static double side(const double a[3], const double b[3], const double p[3])
{
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

// Two edges stay apart: they do not cross, and are farther apart than their vertices can go.
static bool apart(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double room = (pal_max(a[2], b[2]) + pal_max(c[2], d[2])) * (1 + ROUNDING);
    if (pal_min(a[0], b[0]) - pal_max(c[0], d[0]) > room ||
        pal_min(c[0], d[0]) - pal_max(a[0], b[0]) > room ||
        pal_min(a[1], b[1]) - pal_max(c[1], d[1]) > room ||
        pal_min(c[1], d[1]) - pal_max(a[1], b[1]) > room)
        return true;
    bool cross =
        (side(a, b, c) > 0) != (side(a, b, d) > 0) && (side(c, d, a) > 0) != (side(c, d, b) > 0);
    double least = pal_min(pal_min(point_segment_squared(a, c, d), point_segment_squared(b, c, d)),
                           pal_min(point_segment_squared(c, a, b), point_segment_squared(d, a, b)));
    return !cross && least > room * room;
}

// All edges that share no vertex stay apart. Then none can fold back on its neighbour, either,
// because each vertex is also on an edge that is no neighbour of that one.
static bool stays_apart(double (*flat)[3], int32_t count)
{
    if (count < 4 || count > RIM_MAX)
        return false;
    double area = 0;
    for (int32_t i = 0; i < count; ++i) {
        const double *a = flat[i], *b = flat[i + 1 < count ? i + 1 : 0];
        area += a[0] * b[1] - a[1] * b[0];
    }
    if (!(area > 0))
        return false;
    for (int32_t i = 0; i + 2 < count; ++i) {
        int32_t last = i == 0 ? count - 1 : count;  // the last edge ends where the first begins
        for (int32_t j = i + 2; j < last; ++j)
            if (!apart(flat[i], flat[i + 1], flat[j], flat[j + 1 < count ? j + 1 : 0]))
                return false;
    }
    return true;
}

bool pal_patch_rim_is_simple(const PalPatch *patch, const PalPlaces *places, PalVec3 direction,
                             double (*flat)[3])
{
    if (patch->rim_count < 3)
        return false;
    flatten(patch, places, direction, flat);
    return is_star(flat, patch->rim_count) || stays_apart(flat, patch->rim_count);
}
