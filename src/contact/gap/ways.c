// Shortest ways four at a time, without branches: the regions of a triangle, or of two edges, are
// told apart by masks. The same steps in the same order as geometry/closest.h takes one at a time,
// so that the bits are the same: Ericson, Real-Time Collision Detection, 5.1.
#include "contact/gap/gap.h"
#include "geometry/closest.h"
#include "math/lanes.h"

// Vectors are handed over by code of the same instruction set only.
#define INLINE inline __attribute__((always_inline))

typedef struct Four {
    PalLanes x, y, z;
} Four;

// Vertex `k` of four. No more than positions have is read: another thread may be placing the next
// vertex.
static INLINE Four gather(const PalVec3 *x, const int32_t *const vertices[PAL_LANES], int k)
{
    const PalVec3 *a = &x[vertices[0][k]], *b = &x[vertices[1][k]], *c = &x[vertices[2][k]],
                  *d = &x[vertices[3][k]];
    return (Four){{a->x, b->x, c->x, d->x}, {a->y, b->y, c->y, d->y}, {a->z, b->z, c->z, d->z}};
}

static INLINE Four minus(const Four *a, const Four *b)
{
    return (Four){a->x - b->x, a->y - b->y, a->z - b->z};
}

// a + s b
static INLINE Four plus(const Four *a, PalLanes s, const Four *b)
{
    return (Four){a->x + s * b->x, a->y + s * b->y, a->z + s * b->z};
}

static INLINE PalLanes dot(const Four *a, const Four *b)
{
    return a->x * b->x + a->y * b->y + a->z * b->z;
}

static INLINE PalLanes only(PalLanesMask mask, PalLanes a)
{
    return (PalLanes)(mask & (PalLanesMask)a);
}

static INLINE PalLanes either(PalLanesMask mask, PalLanes a, PalLanes b)
{
    return (PalLanes)((mask & (PalLanesMask)a) | (~mask & (PalLanesMask)b));
}

static const PalLanes none = {0, 0, 0, 0}, one = {1, 1, 1, 1};

static INLINE PalLanes clamp(PalLanes a)
{
    return either(a < 0, none, either(a > 1, one, a));
}

// What is found, and where it is.
typedef struct Found {
    PalLanesMask good;
    Four way;
} Found;

// pal_closest_weights, and the way from there to the vertex.
static INLINE Found from_facets(const Four x[4])
{
    Four ab = minus(&x[2], &x[1]), ac = minus(&x[3], &x[1]), ap = minus(&x[0], &x[1]);
    PalLanes b2 = dot(&ab, &ab), c2 = dot(&ac, &ac), bc = dot(&ab, &ac);
    PalLanes area = b2 * c2 - bc * bc;
    PalLanes bp = dot(&ab, &ap), cp = dot(&ac, &ap);
    PalLanes v = c2 * bp - bc * cp, w = b2 * cp - bc * bp, u = area - v - w;
    PalLanes bc_p = cp - bp - (bc - b2), bc2 = b2 + c2 - 2 * bc;
    PalLanesMask face = (u > 0) & (v > 0) & (w > 0);
    PalLanesMask edge_0 = ~face & (w <= 0) & (bp > 0) & (bp < b2);
    PalLanesMask edge_2 = ~(face | edge_0) & (v <= 0) & (cp > 0) & (cp < c2);
    PalLanesMask edge_1 = ~(face | edge_0 | edge_2) & (u <= 0) & (bc_p > 0) & (bc_p < bc2);
    PalLanesMask corner = ~(face | edge_0 | edge_2 | edge_1);
    PalLanes to_b = b2 - 2 * bp, to_c = c2 - 2 * cp;
    PalLanesMask first = (to_b > 0) & (to_c > 0), second = ~first & (to_b < to_c);
    PalLanes over = either(face, one, either(edge_0, bp, either(edge_2, cp, bc_p)));
    PalLanes under = either(face, area, either(edge_0, b2, either(edge_2, c2, bc2)));
    PalLanes share = over / under, rest = one - share;
    PalLanes weights[3] = {
        either(face, u * share, only(edge_0 | edge_2, rest)),
        either(face, v * share, either(edge_0, share, only(edge_1, rest))),
        either(face, w * share, only(edge_2 | edge_1, share)),
    };
    weights[0] = either(corner, only(first, one), weights[0]);
    weights[1] = either(corner, only(second, one), weights[1]);
    weights[2] = either(corner, only(~(first | second), one), weights[2]);
    Four way = x[0];
    for (int k = 0; k < 3; ++k)
        way = plus(&way, -weights[k], &x[k + 1]);
    return (Found){area > pal_closest_least_sine * b2 * c2, way};
}

// pal_closest_on_edges, and the way between the two points.
static INLINE Found between_edges(const Four x[4])
{
    Four a = minus(&x[1], &x[0]), b = minus(&x[3], &x[2]), r = minus(&x[0], &x[2]);
    PalLanes a2 = dot(&a, &a), b2 = dot(&b, &b), ab = dot(&a, &b);
    PalLanes sine = a2 * b2 - ab * ab;
    PalLanes ar = dot(&a, &r), br = dot(&b, &r);
    PalLanes s = clamp((ab * br - ar * b2) / sine);
    PalLanes t = (ab * s + br) / b2;
    PalLanesMask outside = (t <= 0) | (t >= 1);
    PalLanes end = only(~(t <= 0), one);
    s = either(outside, clamp((ab * end - ar) / a2), s);
    t = either(outside, end, t);
    Four p = plus(&x[0], s, &a), q = plus(&x[2], t, &b);
    return (Found){sine > pal_closest_least_sine * a2 * b2, minus(&p, &q)};
}

static INLINE void find(bool facets, const PalVec3 *x, const int32_t *const vertices[PAL_LANES],
                        PalVec3 ways[PAL_LANES])
{
    Four four[4];
    for (int k = 0; k < 4; ++k)
        four[k] = gather(x, vertices, k);
    Found found = facets ? from_facets(four) : between_edges(four);
    for (int i = 0; i < PAL_LANES; ++i)
        ways[i] = (PalVec3){found.way.x[i], found.way.y[i], found.way.z[i]};
    if ((found.good[0] & found.good[1] & found.good[2] & found.good[3]) != 0)
        return;
    for (int i = 0; i < PAL_LANES; ++i) {  // slivers, and edges that are nearly parallel
        const int32_t *v = vertices[i];
        if (found.good[i] == 0)
            ways[i] = pal_shortest_way(facets ? PAL_CONTACT_NODE_FACET : PAL_CONTACT_EDGE_EDGE,
                                       (PalVec3[]){x[v[0]], x[v[1]], x[v[2]], x[v[3]]});
    }
}

PAL_CLONES static void find_from_facets(const PalVec3 *x, const int32_t *const *vertices,
                                        PalVec3 *ways)
{
    find(true, x, vertices, ways);
}

PAL_CLONES static void find_between_edges(const PalVec3 *x, const int32_t *const *vertices,
                                          PalVec3 *ways)
{
    find(false, x, vertices, ways);
}

void pal_shortest_ways(PalContactKind kind, const PalVec3 *x,
                       const int32_t *const vertices[PAL_LANES], PalVec3 ways[PAL_LANES])
{
    if (kind == PAL_CONTACT_NODE_FACET)
        find_from_facets(x, vertices, ways);
    else
        find_between_edges(x, vertices, ways);
}
