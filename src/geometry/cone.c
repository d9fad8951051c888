// Cones around normals: johnsen2015, equation 4, in a form that holds for all angles.
// docs/theory/search.md, 1.
#include "geometry/hierarchy.h"
#include "math/vec3.h"

static const double pi = 3.14159265358979323846;
static const double slack = 4e-16;           // for the rounding of one merge
static const double nearly_opposite = 1e-7;  // sine of the angle between axes

PalCone pal_cone_of(PalVec3 normal)
{
    double length = pal_vec3_length(normal);
    if (!(length > 0) || !isfinite(length))
        return (PalCone){{1, 0, 0}, 2 * pi};
    return (PalCone){pal_vec3_scale(1 / length, normal), 0};
}

// The unit vector at a right angle to a that lies on b's side.
static PalVec3 towards(PalVec3 a, PalVec3 across, double sine)
{
    return pal_vec3_scale(1 / sine, pal_vec3_cross(across, a));
}

PalCone pal_cone_merge(PalConeKind kind, const PalCone *a, const PalCone *b)
{
    PalVec3 across = pal_vec3_cross(a->axis, b->axis);
    double sine = pal_vec3_length(across), cosine = pal_vec3_dot(a->axis, b->axis);
    double beta = atan2(sine, cosine);
    bool opposite = cosine < 0 && sine < nearly_opposite;
    double second = b->angle;
    if (opposite) {  // the plane of the axes is lost: b is turned to where -a points
        second += 2 * (pi - beta);
        beta = pi;
    }
    double turn, angle;
    if (kind == PAL_CONE_PROVOT) {
        turn = beta / 2;
        angle = beta + fmax(a->angle, second);
    } else if (a->angle >= 2 * pi || beta + second / 2 <= a->angle / 2) {
        return *a;
    } else if (second >= 2 * pi || beta + a->angle / 2 <= second / 2) {
        return *b;
    } else {
        turn = (2 * beta - (a->angle - second)) / 4;
        angle = beta + (a->angle + second) / 2;
    }
    angle += slack * angle;
    if (!(angle < 2 * pi))
        return (PalCone){a->axis, 2 * pi};
    if (sine == 0 && !opposite)
        return (PalCone){a->axis, angle};
    PalVec3 side = opposite ? pal_vec3_any_across(a->axis) : towards(a->axis, across, sine);
    PalVec3 axis = pal_vec3_add_scaled(pal_vec3_scale(cos(turn), a->axis), sin(turn), side);
    return (PalCone){pal_vec3_normalise(axis), angle};
}
