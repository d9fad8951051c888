// Continuous detection: when do a vertex and a face, or two edges, come as close as a separation?
//
// Both are one question: the differences of the two features' points fill a flat polygon (a
// triangle, or a parallelogram with corners b_j - a_i), and its distance from the origin is asked
// for. A direction n is a witness: no point of the polygon is nearer than min_k n . p_k, |n| <= 1.
// Corners move along straight lines, so a witness good at two times is good between them; and so
// is the interpolation of two witnesses if a quadratic per corner stays positive. All that is
// concluded is concluded from such witnesses, evaluated with a bound of their rounding; how they
// are found is of no consequence. Derivation and bounds: docs/theory/ccd.md.
#include "math/lanes_math.h"
#include "math/vec3.h"

#include <float.h>
#include <palpate/geometry.h>

enum { EVALUATIONS_MAX = 128 };

// Of the size of the configuration: what rounding can amount to, and what is taken for contact.
static const double rounding_share = 0x1p-47, contact_share = 0x1p-38;

// Products above this have lost nothing to underflow, at the sizes between which all is done.
static const double trusted = 1e-250, size_least = 1e-20, size_most = 1e20;

typedef struct Corners {
    PalLanes x, y, z;
} Corners;

typedef struct Motion {
    Corners start, end;
    double separation;
    double rounding;  // of any n . p_k - separation
    double zone;      // distances up to this count as contact
} Motion;

typedef struct Witness {
    double time, distance;  // a lower bound of the distance at that time
    PalVec3 normal;
    Corners corners;
} Witness;

PAL_LANES_INLINE PalLanes lanes_max(PalLanes a, PalLanes b)
{
    return pal_lanes_select((PalLanesInt)(a > b), a, b);
}

PAL_LANES_INLINE PalLanes lanes_min(PalLanes a, PalLanes b)
{
    return pal_lanes_select((PalLanesInt)(a < b), a, b);
}

PAL_LANES_INLINE double least(PalLanes a)
{
    double low = a[0] < a[1] ? a[0] : a[1], high = a[2] < a[3] ? a[2] : a[3];
    return low < high ? low : high;
}

PAL_LANES_INLINE PalLanes along(const Corners *p, PalVec3 n)
{
    return n.x * p->x + n.y * p->y + n.z * p->z;
}

PAL_LANES_INLINE PalLanes next_corner(PalLanes a)
{
    return __builtin_shufflevector(a, a, 1, 2, 3, 0);
}

PAL_LANES_INLINE PalVec3 pick(const Corners *p, int k)
{
    return (PalVec3){p->x[k], p->y[k], p->z[k]};
}

// Of length 1, or at any rate no longer.
PAL_LANES_INLINE PalVec3 direction(PalVec3 a)
{
    double square = pal_vec3_dot(a, a);
    return pal_vec3_scale(square > trusted ? 1 / sqrt(square) : 0, a);
}

PAL_LANES_INLINE Corners corners_at(const Motion *motion, double time)
{
    double rest = 1 - time;
    return (Corners){rest * motion->start.x + time * motion->end.x,
                     rest * motion->start.y + time * motion->end.y,
                     rest * motion->start.z + time * motion->end.z};
}

// For each edge of the polygon the point nearest to the origin, made perpendicular to the edge
// once more where it lies inside of it, lest a short vector inherit the errors of long ones.
PAL_LANES_INLINE Corners nearest_on_edges(const Corners *p, const Corners *edge)
{
    PalLanes length2 = edge->x * edge->x + edge->y * edge->y + edge->z * edge->z;
    PalLanes inverse = 1.0 / lanes_max(length2, pal_lanes_all(DBL_MIN));
    PalLanes t = -(edge->x * p->x + edge->y * p->y + edge->z * p->z) * inverse;
    PalLanesInt before = (PalLanesInt)(t <= 0.0), after = (PalLanesInt)(t >= 1.0);
    t = pal_lanes_select(before, pal_lanes_all(0), pal_lanes_select(after, pal_lanes_all(1), t));
    Corners q = {p->x + t * edge->x, p->y + t * edge->y, p->z + t * edge->z};
    PalLanes rest = (edge->x * q.x + edge->y * q.y + edge->z * q.z) * inverse;
    rest = pal_lanes_select(before | after, pal_lanes_all(0), rest);
    return (Corners){q.x - rest * edge->x, q.y - rest * edge->y, q.z - rest * edge->z};
}

// The better of two witnesses: the normal of the plane, and the nearest point of the border.
PAL_LANES_INLINE void find_witness(Witness *witness)
{
    const Corners *p = &witness->corners;
    Corners edge = {next_corner(p->x) - p->x, next_corner(p->y) - p->y, next_corner(p->z) - p->z};
    Corners q = nearest_on_edges(p, &edge);
    PalLanes square = q.x * q.x + q.y * q.y + q.z * q.z;
    int low = square[0] <= square[1] ? 0 : 1, high = square[2] <= square[3] ? 2 : 3;
    int k = square[low] <= square[high] ? low : high;
    PalVec3 border = direction(pick(&q, k));
    PalVec3 normal = direction(pal_vec3_cross(pick(&edge, 0), pick(&edge, 1)));
    if (pal_vec3_dot(normal, pick(p, 0)) < 0)
        normal = pal_vec3_scale(-1, normal);
    double by_border = least(along(p, border)), by_normal = least(along(p, normal));
    witness->normal = by_normal > by_border ? normal : border;
    witness->distance = by_normal > by_border ? by_normal : by_border;
}

PAL_LANES_INLINE Witness witness_at(const Motion *motion, double time)
{
    Witness witness = {.time = time, .corners = corners_at(motion, time)};
    find_witness(&witness);
    return witness;
}

// Does the direction turning from a's witness to b's separate all the way between?
PAL_LANES_INLINE bool joined(const Motion *motion, const Witness *a, const Witness *b)
{
    double floor = motion->separation + 2 * motion->rounding;
    PalLanes k0 = along(&a->corners, a->normal) - floor, k2 = along(&b->corners, b->normal) - floor;
    PalLanes k1 = 0.5 * (along(&b->corners, a->normal) + along(&a->corners, b->normal)) - floor;
    PalLanesInt good =
        (PalLanesInt)(k0 > 0.0) & (PalLanesInt)(k2 > 0.0) &
        ((PalLanesInt)(k1 >= 0.0) | (PalLanesInt)((1 - 8 * DBL_EPSILON) * (k0 * k2) > k1 * k1));
    return (good[0] & good[1] & good[2] & good[3]) != 0;
}

// Until when the witness alone separates: the end, or where it would be half of the contact zone.
PAL_LANES_INLINE double witness_lasts(const Motion *motion, const Witness *witness)
{
    double aim = motion->separation + 0.5 * (motion->zone - motion->separation);
    PalLanes now = along(&witness->corners, witness->normal) - aim;
    PalLanes then = along(&motion->end, witness->normal) - aim;
    PalLanes share = now / (now - then);
    share = pal_lanes_select((PalLanesInt)(then < 0.0), share, pal_lanes_all(1));
    return witness->time + (1 - witness->time) * least(share);
}

// From witness to witness. Tries where the distance, going on as it last did, would have shrunk
// to a small share of itself; when no turning witness covers that, half as far; but never less
// than the present witness allows by itself.
PAL_LANES_INLINE bool advance(const Motion *motion, Witness here, double *time)
{
    double floor = motion->separation + 2 * motion->rounding;
    double reach = 0.5, shrink = 0.1;
    for (int k = 0; k < EVALUATIONS_MAX; ++k) {
        if (least(along(&motion->end, here.normal)) > floor && here.distance > floor)
            return false;
        if (!(here.distance > motion->zone))
            break;
        double sure = witness_lasts(motion, &here), trial = here.time + reach;
        bool alone = !(trial > sure);
        trial = alone ? sure : trial < 1 ? trial : 1;
        Witness there = witness_at(motion, trial);
        double still = least(along(&there.corners, here.normal));
        if (still > there.distance) {
            there.normal = here.normal;
            there.distance = still;
        }
        if (alone ? still > floor : joined(motion, &here, &there)) {
            if (trial >= 1)
                return false;
            double step = trial - here.time, loss = here.distance - there.distance;
            double left = there.distance - motion->separation;
            reach = loss > 0 ? step * (1 - shrink) * left / loss : 2 * step;
            shrink *= shrink;
            here = there;
        } else if (alone) {
            break;
        } else {
            reach = 0.5 * (trial - here.time);
            shrink = 0.1;
        }
    }
    *time = here.time;
    return true;
}

// The plane of the polygon at the start, which tells most pairs apart for little.
PAL_LANES_INLINE bool plane_separates(const Motion *motion)
{
    const Corners *p = &motion->start;
    PalVec3 a = pal_vec3_sub(pick(p, 1), pick(p, 0)), b = pal_vec3_sub(pick(p, 2), pick(p, 1));
    PalVec3 normal = pal_vec3_cross(a, b);
    PalLanes start = along(&motion->start, normal), end = along(&motion->end, normal);
    if (start[0] < 0) {
        start = -start;
        end = -end;
    }
    double low = least(lanes_min(start, end)), floor = motion->separation + 2 * motion->rounding;
    double bound = floor * floor * pal_vec3_dot(normal, normal);
    return low > 0 && bound > trusted && low * low > bound;
}

PAL_LANES_INLINE bool find_contact(Motion *motion, double size, double *time)
{
    motion->rounding = rounding_share * size;
    motion->zone = motion->separation + contact_share * size;
    if (plane_separates(motion))
        return false;
    Witness here = {.time = 0, .corners = motion->start};
    find_witness(&here);
    double floor = motion->separation + 2 * motion->rounding;
    if (here.distance > floor && least(along(&motion->end, here.normal)) > floor)
        return false;
    if (here.distance > motion->zone) {
        Witness last = {.time = 1, .corners = motion->end};
        find_witness(&last);
        if (joined(motion, &here, &last))
            return false;
        return advance(motion, here, time);
    }
    *time = 0;
    return true;
}

PAL_LANES_INLINE PalLanes lanes_abs(PalLanes a)
{
    return lanes_max(a, -a);
}

PAL_LANES_INLINE double size_of(const Motion *m)
{
    PalLanes x = lanes_max(lanes_abs(m->start.x), lanes_abs(m->end.x));
    PalLanes y = lanes_max(lanes_abs(m->start.y), lanes_abs(m->end.y));
    PalLanes z = lanes_max(lanes_abs(m->start.z), lanes_abs(m->end.z));
    return -least(-lanes_max(lanes_max(x, y), z));
}

// Corners of the polygon, in the order of its border: b_j - a_i. Each is rounded once, so that
// what counts from here on is the size of the configuration, not where it lies.
PAL_LANES_INLINE Corners face_less_vertex(const PalVec3 p[4], double scale)
{
    PalLanes x = {p[1].x, p[2].x, p[3].x, p[1].x}, y = {p[1].y, p[2].y, p[3].y, p[1].y};
    PalLanes z = {p[1].z, p[2].z, p[3].z, p[1].z};
    return (Corners){scale * x - scale * p[0].x, scale * y - scale * p[0].y,
                     scale * z - scale * p[0].z};
}

PAL_LANES_INLINE Corners edge_less_edge(const PalVec3 p[4], double scale)
{
    PalLanes ax = {p[0].x, p[0].x, p[1].x, p[1].x}, bx = {p[2].x, p[3].x, p[3].x, p[2].x};
    PalLanes ay = {p[0].y, p[0].y, p[1].y, p[1].y}, by = {p[2].y, p[3].y, p[3].y, p[2].y};
    PalLanes az = {p[0].z, p[0].z, p[1].z, p[1].z}, bz = {p[2].z, p[3].z, p[3].z, p[2].z};
    return (Corners){scale * bx - scale * ax, scale * by - scale * ay, scale * bz - scale * az};
}

PAL_LANES_INLINE void scale_lanes(PalLanes *a, int exponent)
{
    for (int l = 0; l < PAL_LANES; ++l)
        (*a)[l] = ldexp((*a)[l], exponent);
}

PAL_LANES_INLINE void scale_corners(Corners *p, int exponent)
{
    scale_lanes(&p->x, exponent);
    scale_lanes(&p->y, exponent);
    scale_lanes(&p->z, exponent);
}

PAL_LANES_INLINE Motion motion_of(const PalVec3 start[4], const PalVec3 end[4], bool edges,
                                  double separation, double scale)
{
    return (Motion){edges ? edge_less_edge(start, scale) : face_less_vertex(start, scale),
                    edges ? edge_less_edge(end, scale) : face_less_vertex(end, scale),
                    scale * separation, 0, 0};
}

// Is there no infinity and no missing number in it? Sizes are ordinary by now, and add up.
PAL_LANES_INLINE bool is_finite(const Motion *m)
{
    PalLanes sum = (m->start.x + m->start.y + m->start.z) + (m->end.x + m->end.y + m->end.z);
    PalLanesInt known = (PalLanesInt)(sum - sum == 0.0);
    return (known[0] & known[1] & known[2] & known[3]) != 0;
}

// Sizes out of the ordinary are brought to 1 by a power of two; a quarter to begin with, lest
// differences overflow. Everything is inlined here: batches must not cross from a clone of a
// function to what is not cloned, not even behind a pointer.
PAL_LANES_INLINE bool answer(const PalVec3 start[4], const PalVec3 end[4], bool edges,
                             double separation, double *time)
{
    Motion motion = motion_of(start, end, edges, separation, 1);
    double size = size_of(&motion);
    if (!(size >= size_least && size <= size_most)) {
        if (size > 1)
            motion = motion_of(start, end, edges, separation, 0.25);
        int exponent;
        frexp(size_of(&motion), &exponent);
        scale_corners(&motion.start, -exponent);
        scale_corners(&motion.end, -exponent);
        motion.separation = ldexp(motion.separation, -exponent);
        size = size_of(&motion);
    }
    if (size > 0 && motion.separation < 4 * size && is_finite(&motion))
        return find_contact(&motion, size, time);
    *time = 0;
    return true;
}

PAL_CLONES bool pal_ccd_vertex_face(const PalVec3 start[4], const PalVec3 end[4], double separation,
                                    double *time)
{
    return answer(start, end, false, separation, time);
}

PAL_CLONES bool pal_ccd_edge_edge(const PalVec3 start[4], const PalVec3 end[4], double separation,
                                  double *time)
{
    return answer(start, end, true, separation, time);
}
