// One of two bodies that touch: what stays (PalHapticBody) and what changes (PalHapticShape).
// docs/theory/haptics.md
#ifndef PAL_REDUCED_HAPTIC_BODY_H
#define PAL_REDUCED_HAPTIC_BODY_H

#include "geometry/field.h"
#include "math/mat3.h"
#include "reduced/vademecum.h"
#include <math.h>

#define PAL_HAPTIC_LEVELS 3  // of groups: twice as many points each

// A cluster of points of the nested shell. Children are next to each other, after their parent.
typedef struct PalHapticCluster {
    int32_t point;         // the surface node that stands for all of them
    int32_t first_child;   // 0: a leaf
    int32_t first, count;  // its points are order[first] .. + count - 1
    float radius;          // at rest, from `point` to any of them
    float spread;          // no displacement by |q| = 1 differs more from that of `point`
} PalHapticCluster;

typedef struct PalHapticEdge {
    int32_t nodes[2];   // counter-clockwise in the first facet
    int32_t facets[2];  // that it joins
} PalHapticEdge;

typedef struct PalHapticBody {
    const PalVademecum *book;  // NULL: rigid
    int32_t node_count, facet_count, mode_count, stride;
    int32_t all_count;  // surface nodes and, behind them, inner ones
    PalVec3 *rest;      // of all of them
    int32_t (*facets)[3];
    bool separate;        // as printed: each axis has factors of its own
    const float *rows;    // of modes, borrowed of the book: 3 per node, `stride` long
    float *spins;         // where there is a local part: how the modes turn a node's patch, 3 rows
    int32_t *ring_start;  // per node and one more: facets around it
    int32_t *ring_facets;
    int32_t corner_count;   // normals: a node has several where facets meet at a crease
    int32_t (*corners)[3];  // per facet: which normal at each of its corners
    int32_t *corner_start;  // per normal and one more: the facets it is a mean of
    int32_t *corner_facets;
    int32_t *whole;          // per node: the normal that is a mean of all facets around it
    unsigned char *creased;  // per facet: bit a where the edge opposite corner a is a crease
    unsigned char *sharp;    // the same of sharp ones; bit 3 + a: corner a is on a sharp edge
    int32_t edge_count;
    PalHapticEdge *edges;
    int32_t (*facet_edges)[3];  // per facet: edge k joins its corners k and k + 1
    float *longest;             // per node: its longest edge
    float *bulge;  // per facet: sine of how much the surface bulges at the sharpest edge around it
    double longest_edge, bulge_most;
    int32_t cluster_count;
    PalHapticCluster *clusters;
    int32_t *order;                     // surface nodes, by clusters
    int32_t *group[PAL_HAPTIC_LEVELS];  // per surface node: clusters of a few points, and of more
    float *give;                        // per surface node: how far a unit force moves it, by axis
    int32_t patch_count;                // some clusters that have all points among them
    int32_t *patches;
    double edge;      // mean length
    double widest;    // no displacement by |q| = 1 is longer
    PalField *field;  // at rest
} PalHapticBody;

// A surface without a vademecum, such as an instrument.
typedef struct PalHapticSurface {
    int32_t node_count, facet_count;
    const PalVec3 *nodes;
    const int32_t (*facets)[3];
} PalHapticSurface;

// From a book that stays and is finished, or from a rigid surface. Clear it in any case.
PalStatus pal_haptic_body_init(PalHapticBody *body, const PalVademecum *book,
                               const PalHapticSurface *rigid, PalError *error);
void pal_haptic_body_clear(PalHapticBody *body);
size_t pal_haptic_body_bytes(const PalHapticBody *body);

// Nested points; needs rest and rows. False: no memory.
bool pal_haptic_shell_init(PalHapticBody *body);

// haptic_edges.c: needs rest, facets and rings. False: no memory.
bool pal_haptic_edges_init(PalHapticBody *body);
void pal_haptic_edges_clear(PalHapticBody *body);

// Where a body is: deformed positions and normals in its own coordinates, computed when they are
// asked for and kept until `now` changes.
typedef struct PalHapticShape {
    const PalHapticBody *body;
    uint32_t now;
    double *q;       // `stride` numbers
    float *q_short;  // the same; where axes are separate, 3 rows instead
    PalVec3 *local;  // per node: the local part, turned back to rest
    PalVec3 *bias;   // per node: that of corrections, likewise
    PalMat3 *turn;   // per node: how its patch has turned with the modes
    uint32_t *turn_time;
    double near_most;     // no local part, with its correction, moves a node farther
    double local_most;    // its longest
    double bias_most;     // and that of corrections
    double local_change;  // how much it changed at most, since that was asked
    double turn_change;   // and by turning
    double q_length;
    double reach;  // no point is farther than this from where it was at rest
    PalVec3 *position;
    uint32_t *position_time;
    PalVec3 *normal;  // per corner
    uint32_t *normal_time;
} PalHapticShape;

PalStatus pal_haptic_shape_init(PalHapticShape *shape, const PalHapticBody *body, PalError *error);
void pal_haptic_shape_clear(PalHapticShape *shape);
// After q or the local part have changed.
void pal_haptic_shape_moved(PalHapticShape *shape);

// No displacement by modes is longer than this.
double pal_haptic_shape_reach(const PalHapticShape *shape, const float *q);

void pal_haptic_place(PalHapticShape *shape, int32_t node);   // fills position
void pal_haptic_turn(PalHapticShape *shape, int32_t corner);  // fills normal

// haptic_spin.c: rows of spins; needs rest and rows. False: no memory.
bool pal_haptic_spins_init(PalHapticBody *body);
void pal_haptic_turn_patch(PalHapticShape *shape, int32_t node);  // fills turn

// How the patch around a node has turned since it was at rest.
static inline const PalMat3 *pal_haptic_patch(PalHapticShape *shape, int32_t node)
{
    if (shape->turn_time[node] != shape->now)
        pal_haptic_turn_patch(shape, node);
    return &shape->turn[node];
}

// The local part of a node with its correction, turned back to rest.
static inline PalVec3 pal_haptic_near_part(const PalHapticShape *shape, int32_t node)
{
    PalVec3 near = pal_vec3_add(shape->local[node], shape->bias[node]);
    double square = pal_vec3_dot(near, near), most = shape->near_most;
    return square > most * most ? pal_vec3_scale(most / sqrt(square), near) : near;
}

static inline PalVec3 pal_haptic_position(PalHapticShape *shape, int32_t node)
{
    if (shape->position_time[node] != shape->now)
        pal_haptic_place(shape, node);
    return shape->position[node];
}

static inline PalVec3 pal_haptic_normal(PalHapticShape *shape, int32_t corner)
{
    if (shape->normal_time[corner] != shape->now)
        pal_haptic_turn(shape, corner);
    return shape->normal[corner];
}

#endif
