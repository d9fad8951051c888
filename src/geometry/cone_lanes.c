// Four merges of cones at a time: pal_cone_merge with polynomials instead of the C library.
//
// The angle between the axes: with tan(beta / 2) = s / (1 + |e|) <= 1 and half of that once more,
// u = tan(beta / 4) <= 0.4143, where the series of the arc tangent leaves less than 1e-12. The turn
// of the axis: sine and cosine of a quarter of it by their series, doubled twice. What that
// may be off is added to the angle.
#include "geometry/cone_lanes.h"

#include "math/lanes_math.h"
#include "math/vec3.h"

static const double pi = 3.14159265358979323846;
static const double allowance = 1e-11;
static const double nearly_opposite = 1e-7;
static const double least_square = 1e-280;  // of an area: nothing is lost in its square

typedef struct Cones {
    PalLanes x, y, z, angle;
} Cones;

// Two sums side by side, of every other term, are ready sooner than one.
PAL_LANES_INLINE PalLanes arc_tangent(PalLanes u)
{
    enum { TERMS = 16 };
    PalLanes y = u * u, square = y * y;
    PalLanes even = pal_lanes_all(1.0 / (2 * TERMS - 3)),
             odd = pal_lanes_all(1.0 / (2 * TERMS - 1));
    for (int k = TERMS - 4; k >= 0; k -= 2) {
        even = even * square + 1.0 / (2 * k + 1);
        odd = odd * square + 1.0 / (2 * k + 3);
    }
    return u * (even - y * odd);
}

// Of an angle from 0 to pi.
PAL_LANES_INLINE void sine_cosine(PalLanes angle, PalLanes *sine, PalLanes *cosine)
{
    PalLanes x = 0.25 * angle, y = x * x;
    PalLanes s = pal_lanes_all(-1.0 / 1307674368000), c = pal_lanes_all(-1.0 / 87178291200);
    static const double down[] = {
        1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1};
    static const double even[] = {
        1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -1.0 / 2, 1};
    for (int k = 0; k < 7; ++k) {
        s = s * y + down[k];
        c = c * y + even[k];
    }
    s = s * x;
    for (int k = 0; k < 2; ++k) {
        PalLanes twice = 2.0 * s * c;
        c = 1.0 - 2.0 * s * s;
        s = twice;
    }
    *sine = s;
    *cosine = c;
}

PAL_LANES_INLINE PalLanes larger(PalLanes a, PalLanes b)
{
    return pal_lanes_select((PalLanesInt)(a > b), a, b);
}

PAL_LANES_INLINE bool any(PalLanesInt mask)
{
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

PAL_LANES_INLINE Cones load(const PalCone *cones, const int32_t at[PAL_LANES])
{
    const PalCone *p = &cones[at[0]], *q = &cones[at[1]], *r = &cones[at[2]], *s = &cones[at[3]];
    return (Cones){{p->axis.x, q->axis.x, r->axis.x, s->axis.x},
                   {p->axis.y, q->axis.y, r->axis.y, s->axis.y},
                   {p->axis.z, q->axis.z, r->axis.z, s->axis.z},
                   {p->angle, q->angle, r->angle, s->angle}};
}

PAL_LANES_INLINE Cones cross_product(const Cones *a, const Cones *b)
{
    return (Cones){a->y * b->z - a->z * b->y, a->z * b->x - a->x * b->z, a->x * b->y - a->y * b->x,
                   pal_lanes_all(0)};
}

// Axis a turned towards b; `sine` of the angle between them and their cross product are known.
PAL_LANES_INLINE Cones turned(const Cones *a, const Cones *cross, PalLanes sine, PalLanes turn)
{
    PalLanes s, c;
    sine_cosine(turn, &s, &c);
    s /= larger(sine, pal_lanes_all(1e-300));
    Cones side = cross_product(cross, a);
    PalLanes x = c * a->x + s * side.x, y = c * a->y + s * side.y, z = c * a->z + s * side.z;
    PalLanes scale = 1.0 / pal_lanes_sqrt(x * x + y * y + z * z);
    return (Cones){x * scale, y * scale, z * scale, pal_lanes_all(0)};
}

PAL_LANES_INLINE Cones choose(PalLanesInt mask, const Cones *a, const Cones *b)
{
    return (Cones){pal_lanes_select(mask, a->x, b->x), pal_lanes_select(mask, a->y, b->y),
                   pal_lanes_select(mask, a->z, b->z), pal_lanes_select(mask, a->angle, b->angle)};
}

// False: two axes are nearly opposite, which this does not handle.
PAL_LANES_INLINE bool merge(PalConeKind kind, const Cones *a, const Cones *b, Cones *around)
{
    Cones cross = cross_product(a, b);
    PalLanes sine = pal_lanes_sqrt(cross.x * cross.x + cross.y * cross.y + cross.z * cross.z);
    PalLanes cosine = a->x * b->x + a->y * b->y + a->z * b->z;
    PalLanesInt obtuse = (PalLanesInt)(cosine < 0.0);
    if (any(obtuse & (PalLanesInt)(sine < nearly_opposite)))
        return false;
    PalLanes half = sine / (1.0 + pal_lanes_select(obtuse, -cosine, cosine));
    PalLanes acute = 4.0 * arc_tangent(half / (1.0 + pal_lanes_sqrt(1.0 + half * half)));
    PalLanes beta = pal_lanes_select(obtuse, pi - acute, acute);
    PalLanes full = pal_lanes_all(2 * pi), turn, angle;
    if (kind == PAL_CONE_PROVOT) {
        turn = 0.5 * beta;
        angle = beta + larger(a->angle, b->angle);
    } else {
        turn = 0.25 * (2.0 * beta - (a->angle - b->angle));
        angle = beta + 0.5 * (a->angle + b->angle);
    }
    angle += allowance;
    *around = turned(a, &cross, sine, turn);
    around->angle = angle;
    Cones all = *a;
    all.angle = full;
    *around = choose((PalLanesInt)(angle < full), around, &all);
    if (kind == PAL_CONE_NARROWEST) {
        PalLanes gap = 0.5 * (a->angle - b->angle);
        PalLanesInt second = (PalLanesInt)(b->angle >= full) | (PalLanesInt)(beta <= -gap);
        PalLanesInt first = (PalLanesInt)(a->angle >= full) | (PalLanesInt)(beta <= gap);
        *around = choose(second, b, around);
        *around = choose(first, a, around);
    }
    return true;
}

// Corner k of four facets.
PAL_LANES_INLINE Cones corner(const PalVec3 *x, const int32_t (*corners)[3], int k)
{
    const PalVec3 *p = &x[corners[0][k]], *q = &x[corners[1][k]];
    const PalVec3 *r = &x[corners[2][k]], *s = &x[corners[3][k]];
    return (Cones){{p->x, q->x, r->x, s->x},
                   {p->y, q->y, r->y, s->y},
                   {p->z, q->z, r->z, s->z},
                   pal_lanes_all(0)};
}

// Twice the areas of four facets times their normals.
PAL_LANES_INLINE Cones area_vectors(const PalVec3 *x, const int32_t (*corners)[3])
{
    Cones a = corner(x, corners, 0), b = corner(x, corners, 1), c = corner(x, corners, 2);
    Cones first = {b.x - a.x, b.y - a.y, b.z - a.z, pal_lanes_all(0)};
    Cones second = {c.x - a.x, c.y - a.y, c.z - a.z, pal_lanes_all(0)};
    return cross_product(&first, &second);
}

PAL_CLONES void pal_cones_of_facets(const PalVec3 *x, const int32_t (*corners)[3],
                                    const int32_t *leaves, int32_t count, PalCone *cones)
{
    int32_t i = 0;
    for (; i + PAL_LANES <= count; i += PAL_LANES) {
        Cones area = area_vectors(x, corners + i);
        PalLanes square = area.x * area.x + area.y * area.y + area.z * area.z;
        PalLanes scale = 1.0 / pal_lanes_sqrt(square);
        for (int l = 0; l < PAL_LANES; ++l) {
            PalCone *cone = &cones[leaves[i + l]];
            if (square[l] > least_square && square[l] < 1 / least_square)
                *cone = (PalCone){
                    {area.x[l] * scale[l], area.y[l] * scale[l], area.z[l] * scale[l]}, 0};
            else
                *cone = pal_cone_of((PalVec3){area.x[l], area.y[l], area.z[l]});
        }
    }
    for (; i < count; ++i) {
        PalVec3 a = x[corners[i][0]];
        PalVec3 first = pal_vec3_sub(x[corners[i][1]], a);
        PalVec3 second = pal_vec3_sub(x[corners[i][2]], a);
        cones[leaves[i]] = pal_cone_of(pal_vec3_cross(first, second));
    }
}

PAL_CLONES void pal_cones_merge(PalConeKind kind, const PalConeMerge *merges, int32_t count,
                                PalCone *cones)
{
    for (int32_t i = 0; i < count; i += PAL_LANES) {
        const PalConeMerge *m = &merges[i];
        const int32_t at_a[] = {m[0].a, m[1].a, m[2].a, m[3].a};
        const int32_t at_b[] = {m[0].b, m[1].b, m[2].b, m[3].b};
        Cones a = load(cones, at_a), b = load(cones, at_b), around;
        if (merge(kind, &a, &b, &around)) {
            for (int l = 0; l < PAL_LANES; ++l)
                cones[m[l].to] =
                    (PalCone){{around.x[l], around.y[l], around.z[l]}, around.angle[l]};
            continue;
        }
        PalCone one[PAL_LANES];
        for (int l = 0; l < PAL_LANES; ++l)
            one[l] = pal_cone_merge(kind, &cones[m[l].a], &cones[m[l].b]);
        for (int l = 0; l < PAL_LANES; ++l)
            cones[m[l].to] = one[l];
    }
}
