// Contact of moving points with whole coordinates, decided without rounding.
//
// A vertex and a face, or two edges, touch when the polygon of the differences of their points
// holds the origin. Then it is coplanar with the origin, which happens at the roots of a cubic, or
// always; and coplanar it holds the origin if and only if each of its three projections does,
// which is a matter of signs of quadratics: the turns around the origin.
#ifndef PAL_TESTS_EXACT_CONTACT_H
#define PAL_TESTS_EXACT_CONTACT_H

#include "polynomial.h"

#include <palpate/math.h>

typedef struct ExactPolygon {
    int count;
    Polynomial at[4][3];    // corners: linear
    Polynomial turn[4][3];  // from a corner to the next, in the projection along each axis
    Polynomial coplanar;
} ExactPolygon;

static inline int exact_component(PalVec3 p, int i)
{
    return (int)(i == 0 ? p.x : i == 1 ? p.y : p.z);
}

static inline ExactPolygon exact_polygon(const PalVec3 start[4], const PalVec3 end[4], bool edges)
{
    static const int face_from[3] = {0, 0, 0}, face_to[3] = {1, 2, 3};
    static const int edge_from[4] = {0, 0, 1, 1}, edge_to[4] = {2, 3, 3, 2};
    const int *from = edges ? edge_from : face_from, *to = edges ? edge_to : face_to;
    ExactPolygon p = {.count = edges ? 4 : 3};
    for (int k = 0; k < p.count; ++k)
        for (int i = 0; i < 3; ++i)
            p.at[k][i] = polynomial_linear(
                exact_component(start[to[k]], i) - exact_component(start[from[k]], i),
                exact_component(end[to[k]], i) - exact_component(end[from[k]], i));
    for (int k = 0; k < p.count; ++k)
        for (int i = 0; i < 3; ++i) {
            int next = (k + 1) % p.count, u = (i + 1) % 3, v = (i + 2) % 3;
            p.turn[k][i] = polynomial_plus(polynomial_times(p.at[k][u], p.at[next][v]), -1,
                                           polynomial_times(p.at[k][v], p.at[next][u]));
        }
    p.coplanar = polynomial_times(p.turn[0][0], p.at[2][0]);
    for (int i = 1; i < 3; ++i)
        p.coplanar = polynomial_plus(p.coplanar, 1, polynomial_times(p.turn[0][i], p.at[2][i]));
    return p;
}

// Are all signs positive, or all negative? `weakly`: or zero, but not all.
typedef struct Signs {
    int positive, negative;
} Signs;

static inline void count_sign(Signs *signs, const Polynomial *p, Moment *moment)
{
    int sign = polynomial_sign(p, moment);
    signs->positive += sign > 0;
    signs->negative += sign < 0;
}

// Projected along an axis; turns that all vanish mean a line through the origin.
static inline bool projection_holds_origin(const ExactPolygon *p, int axis, Moment *moment)
{
    Signs turns = {0, 0};
    for (int k = 0; k < p->count; ++k)
        count_sign(&turns, &p->turn[k][axis], moment);
    if (turns.positive > 0 || turns.negative > 0)
        return turns.positive == 0 || turns.negative == 0;
    for (int i = 1; i < 3; ++i) {
        Signs sides = {0, 0};
        for (int k = 0; k < p->count; ++k)
            count_sign(&sides, &p->at[k][(axis + i) % 3], moment);
        if (sides.positive == p->count || sides.negative == p->count)
            return false;
    }
    return true;
}

static inline bool holds_origin(const ExactPolygon *p, Moment *moment)
{
    return polynomial_sign(&p->coplanar, moment) == 0 && projection_holds_origin(p, 0, moment) &&
           projection_holds_origin(p, 1, moment) && projection_holds_origin(p, 2, moment);
}

typedef struct ExactContact {
    bool found;
    double low, high;  // bounds of the first time
} ExactContact;

static inline void try_moment(const ExactPolygon *p, Moment moment, ExactContact *contact)
{
    if (!holds_origin(p, &moment))
        return;
    double low, high;
    moment_bounds(&moment, &low, &high);
    contact->low = !contact->found || low < contact->low ? low : contact->low;
    contact->high = !contact->found || high < contact->high ? high : contact->high;
    contact->found = true;
}

static inline void try_roots(const ExactPolygon *p, const Polynomial *of, ExactContact *contact)
{
    if (polynomial_is_zero(of))
        return;
    Moment roots[DEGREE_MAX];
    int count = polynomial_roots(of, roots);
    for (int k = 0; k < count; ++k)
        try_moment(p, roots[k], contact);
}

// The times of contact are closed; the first one is 0 or a root of what decides.
static inline ExactContact exact_contact(const PalVec3 start[4], const PalVec3 end[4], bool edges)
{
    ExactPolygon p = exact_polygon(start, end, edges);
    ExactContact contact = {false, 0, 0};
    try_moment(&p, moment_dyadic(0, 0), &contact);
    try_moment(&p, moment_dyadic(1, 0), &contact);
    if (!polynomial_is_zero(&p.coplanar)) {
        try_roots(&p, &p.coplanar, &contact);
        return contact;
    }
    for (int k = 0; k < p.count; ++k)
        for (int i = 0; i < 3; ++i) {
            try_roots(&p, &p.turn[k][i], &contact);
            try_roots(&p, &p.at[k][i], &contact);
        }
    return contact;
}

#endif
