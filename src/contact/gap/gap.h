// How far apart two sides are: a vertex and a facet, or two edges. One kind of answer, whatever way
// it was found.
#ifndef PAL_CONTACT_GAP_GAP_H
#define PAL_CONTACT_GAP_GAP_H

#include "contact/surface/surface.h"
#include "math/lanes.h"
#include "math/vec3.h"

// Two sides that may touch.
typedef struct PalFeatures {
    PalContactKind kind;
    int32_t items[2];     // vertex and facet, or two edges
    int32_t vertices[4];  // vertex and the facet's, or the ends of one edge and of the other
} PalFeatures;

// Vertices of the first side: they come first.
static inline int pal_kind_split(PalContactKind kind)
{
    return kind == PAL_CONTACT_NODE_FACET ? 1 : 2;
}

// A vertex and a facet that is half of a quadrilateral have five vertices; all others four.
#define PAL_GAP_VERTICES 5

// A point of the first side over a point of the second one: weighted sums of vertices.
typedef struct PalGap {
    PalContactKind kind;
    int32_t count;  // of vertices
    int32_t vertices[PAL_GAP_VERTICES];
    double weights[PAL_GAP_VERTICES];  // those of the second side are negative
    PalVec3 apart;                     // from the second to the first
    double distance;                   // its length
    PalVec3 normal;                    // unit vector along which the sides are to be kept apart
    double along;                      // how far they are along it; negative where they overlap
    bool sloped;                       // the side below is inclined to the normal:
    PalVec3 slope;    // sliding changes the gap besides, by the product of this with the motion
    bool minimum;     // of the distance between the surfaces, as far as can be seen here
    bool beside;      // there is none, and pal_gap_is_beside would say so
    double skin;      // how thick the skins of both sides are together; 0: there is none
    double strength;  // pressure that presses them flat, times the root of the area it acts on
    bool soft;        // nothing but the skin: another gap keeps the two sides apart
} PalGap;

// The weighted sum of vectors at the gap's vertices: what the first side has more than the second.
PalVec3 pal_gap_difference(const PalGap *gap, const PalVec3 *vectors);

// The same for positions, by differences: the weights add up to zero, and nothing is lost far from
// the origin.
static inline PalVec3 pal_gap_apart(const PalGap *gap, const PalVec3 *positions)
{
    PalVec3 sum = {0, 0, 0}, origin = positions[gap->vertices[0]];
    for (int32_t k = 1; k < gap->count; ++k)
        sum = pal_vec3_add_scaled(sum, gap->weights[k],
                                  pal_vec3_sub(positions[gap->vertices[k]], origin));
    return sum;
}

// How much a motion changes the gap by sliding along what is inclined to the normal.
static inline double pal_gap_sliding(const PalGap *gap, const PalVec3 *from, const PalVec3 *to)
{
    if (!gap->sloped)
        return 0;
    return pal_vec3_dot(gap->slope, pal_vec3_sub(pal_gap_apart(gap, to), pal_gap_apart(gap, from)));
}

// Where one of the sides is touched: side 0 or 1.
PalVec3 pal_gap_point(const PalGap *gap, const PalVec3 *positions, int side);

// Share of a vertex in its own side.
static inline double pal_gap_share(const PalGap *gap, int k)
{
    return k < pal_kind_split(gap->kind) ? gap->weights[k] : -gap->weights[k];
}

typedef struct PalSkin PalSkin;  // skin.h

// What gaps by closest points are measured with. Vertices around the two sides are placed as
// needed.
typedef struct PalClosestRule {
    PalContactSurface *surface;
    double separation;
    PalSkin *skin;  // of smooth surfaces; NULL: there is none
    bool shortest;  // ways are the shortest ones at corners of smooth surfaces, too
} PalClosestRule;

// Cosine between the way to a vertex and the normal of the facet it lies on, at least.
#define PAL_GAP_BESIDE 0.9

// Four points, the first side's first: the shortest way from the second side to the first.
PalVec3 pal_shortest_way(PalContactKind kind, const PalVec3 points[4]);
// The same, bit by bit, of four at a time, by their vertices.
void pal_shortest_ways(PalContactKind kind, const PalVec3 *positions,
                       const int32_t *const vertices[PAL_LANES], PalVec3 ways[PAL_LANES]);

#endif
