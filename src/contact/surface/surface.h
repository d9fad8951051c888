// The triangles that touch: those of all objects in one numbering, soft ones first.
#ifndef PAL_CONTACT_SURFACE_SURFACE_H
#define PAL_CONTACT_SURFACE_SURFACE_H

#include "base/assert.h"
#include "base/claim.h"
#include "contact/surface/awake.h"
#include "contact/surface/source.h"
#include "geometry/hierarchy.h"
#include "math/vec3.h"
#include "model/motion.h"

#define PAL_VERTEX_BLOCK 64  // vertices whose motion is bounded together

// Where vertices are taken from in a step: soft ones go from nodes + displacement to nodes +
// (displacement + step * velocity), rigid ones from one pose to the other.
typedef struct PalSurfaceMotion {
    const PalModel *model;
    const PalRigidState *rigids;             // NULL: as at the start of the simulation
    const PalVec3 *displacement, *velocity;  // per model node; NULL: none
    const double *speeds;  // largest in each chunk of PAL_NODE_CHUNK nodes; NULL: not known
    double start_time, step;
} PalSurfaceMotion;

// What a vertex hangs on: carriers.h.
typedef struct PalHold {
    int32_t carrier;
    double weight;
} PalHold;

// Constant once built but for the positions. Vertices, facets and edges of soft objects come first,
// in the order of the objects; quadrilateral facets are cut in two.
//
// In a step, positions are looked up when someone asks for them: most vertices are nowhere near
// anything. Who reads start or end of a vertex has called pal_contact_surface_need for it.
struct PalContactSurface {
    int32_t object_count, body_count;
    PalSurfaceObject *objects;
    int32_t vertex_count, soft_vertex_count;
    int32_t facet_count, soft_facet_count;
    int32_t edge_count;
    // Carriers are numbered: model nodes, ascending; vertices of what is prescribed; of each free
    // rigid body its velocity and its spin
    int32_t carrier_count, node_carrier_count;
    int32_t free_count, first_free_carrier;
    int32_t *object_free;        // per object: its number among the free rigid bodies, or PAL_NONE
    int32_t *free_object;        // and back
    int32_t *prescribed_vertex;  // of carriers that are such vertices
    int32_t *carrier_node;       // model node of each of the first
    int32_t expected_count;      // of these, nodes whose velocity is one that is expected
    int32_t *expected;           // which they are
    PalVec3 *predicted;          // per carrier: its velocity as predicted, if it is one of them
    uint64_t *is_expected;       // bits per carrier
    int32_t *node_carrier;       // and back, per model node; PAL_NONE: it carries nothing
    int32_t *hold_start;         // vertex_count + 1
    PalHold *holds;              // what each vertex hangs on
    bool plain;                  // soft vertices are nodes, each on its own
    bool deep;                   // all nodes are carriers, not only those with vertices
    PalLists node_vertices;      // unless plain: vertices that hang on each of the first carriers
    int32_t *vertex_node;  // model node, the first of several; of other objects: their own number
    int32_t *vertex_object;
    int32_t *vertex_owner;  // the one facet that answers for this vertex; PAL_NONE: it has none
    int32_t (*facets)[3];
    int32_t *facet_object;
    int32_t *facet_twin;        // the other half of a quadrilateral, or PAL_NONE
    int32_t (*facet_edges)[3];  // edge k joins corners k and k + 1
    int32_t (*edges)[2];
    int32_t (*edge_facets)[2];   // PAL_NONE: a rim, or a third facet that is not listed
    int32_t (*edge_corners)[2];  // the corner of each of these that is not on the edge
    int32_t *edge_owner;         // the one facet that answers for this edge
    PalLists vertex_facets;
    PalLists vertex_edges;
    int32_t *object_first_vertex;  // object_count + 1
    int32_t *object_first_facet;   // object_count + 1
    PalVec3 *start, *end;          // positions before and after the step
    int64_t stamp;                 // of the step
    bool shared;                   // several threads ask for what is made when it is asked for
    int64_t *placed;               // per vertex: the step it was placed in
    PalVec3 *normal;               // per vertex, at the start; zero where the surface is sharp
    double *bend;                  // how far facets turn from it: 1 less the cosine
    int64_t *normal_stamp;         // the step they were found in
    PalAwake awake;                // which objects take part in the step
    PalSurfaceMotion motion;
    PalPose (*poses)[2];           // per rigid object, at the start and the end
    bool *still;                   // per rigid object: the two are the same
    double *arms;                  // per rigid object: how far its nodes are from the pivot
    int32_t block_count;           // of vertices
    int32_t (*block_nodes)[2];     // chunks of nodes a block's vertices are in: first, last + 1
    double *block_lever;           // per block: how much farther vertices go than their nodes
    double *stride;                // per block that is awake: no vertex moves farther in this step
    double *object_stride;         // per object that is awake: likewise, as predicted
    double *soft_stride2;          // per soft vertex: pal_contact_surface_soft_strides2
    int64_t *strides_stamp;        // per block: the step these were worked out in
    double farthest;               // nor this far, whichever block it is in
    double shortest, longest;      // edges of the reference surface
    const struct PalPairs *pairs;  // which objects touch; borrowed. NULL: not known
    const double *felt;            // per vertex: how much farther away it is felt than others are
    double felt_most;              // of two together. NULL, 0: none is
    const PalTies *ties;           // what is attached; borrowed. NULL: nothing
};

// All bodies and rigid instruments of a model.
PalStatus pal_contact_surface_create(const PalModel *model, PalContactSurface **surface,
                                     PalError *error);
// The same, but the nodes inside bodies carry impulses as well.
PalStatus pal_contact_surface_create_deep(const PalModel *model, PalContactSurface **surface,
                                          PalError *error);
// Of any objects, soft ones first.
PalStatus pal_contact_surface_create_of(const PalSurfaceObject *objects, int32_t count,
                                        const PalModel *model, PalContactSurface **surface,
                                        PalError *error);
void pal_contact_surface_destroy(PalContactSurface *surface);

// Sizes of blocks and instruments, once vertices are known.
void pal_contact_surface_measure_blocks(const PalModel *model, PalContactSurface *surface);

// Puts start and end of all vertices where displacements and poses say; NULL: as at the start.
void pal_contact_surface_place(PalContactSurface *surface, const PalModel *model,
                               const PalVec3 *displacement, const PalRigidState *rigids);

// Begins a step: from here on, vertices are placed as needed, or now if speeds are not known.
void pal_contact_surface_move(PalContactSurface *surface, const PalSurfaceMotion *motion);
void pal_contact_surface_place_vertex(PalContactSurface *surface, int32_t vertex);
void pal_contact_surface_place_block(PalContactSurface *surface, int32_t block);
void pal_contact_surface_place_all(PalContactSurface *surface);
// Those of what is awake.
void pal_contact_surface_place_awake(PalContactSurface *surface);
// The farthest any of these goes.
double pal_contact_surface_farthest(PalContactSurface *surface);
// An object takes part in the step that is about to begin.
void pal_contact_surface_add_awake(PalContactSurface *surface, int32_t object);
// An object wakes in the middle of a step: what is known of others is known of it as well.
void pal_contact_surface_wake(PalContactSurface *surface, int32_t object);

// Is the node of one attached to a facet of which the other's is a corner?
bool pal_contact_surface_tied(const PalContactSurface *surface, int32_t a, int32_t b);

// Do some of these vertices, the first so many or the rest, hang on the body of the others with all
// their nodes? They go where it goes, and cannot touch it.
bool pal_contact_surface_follows(const PalContactSurface *surface, const int32_t vertices[4],
                                 int split);

// Are these two vertices the same, sides of one node, or one attached to the other?
static inline bool pal_contact_surface_same(const PalContactSurface *surface, int32_t a, int32_t b)
{
    if (a == b)
        return true;
    if (surface->plain || a >= surface->soft_vertex_count || b >= surface->soft_vertex_count)
        return false;
    return surface->vertex_node[a] == surface->vertex_node[b] ||
           (surface->ties != NULL && pal_contact_surface_tied(surface, a, b));
}

// Start and end of a vertex are wanted.
static inline void pal_contact_surface_need(PalContactSurface *surface, int32_t vertex)
{
    if (!pal_is_made(&surface->placed[vertex], surface->stamp))
        pal_contact_surface_place_vertex(surface, vertex);
}

// The same for the vertices of two sides.
void pal_contact_surface_place_four(PalContactSurface *surface, const int32_t vertices[4]);
static inline void pal_contact_surface_need_four(PalContactSurface *surface,
                                                 const int32_t vertices[4])
{
    const int64_t *placed = surface->placed, stamp = surface->stamp;
    const int32_t a = vertices[0], b = vertices[1], c = vertices[2], d = vertices[3];
    int64_t other = (pal_made_at(&placed[a]) ^ stamp) | (pal_made_at(&placed[b]) ^ stamp) |
                    (pal_made_at(&placed[c]) ^ stamp) | (pal_made_at(&placed[d]) ^ stamp);
    if (other != 0)  // one branch
        pal_contact_surface_place_four(surface, vertices);
}

// Positions of a vertex that somebody has asked for in this step.
static inline PalVec3 pal_contact_surface_start(const PalContactSurface *surface, int32_t vertex)
{
    PAL_ASSERT(surface->placed[vertex] == surface->stamp);
    return surface->start[vertex];
}

static inline PalVec3 pal_contact_surface_end(const PalContactSurface *surface, int32_t vertex)
{
    PAL_ASSERT(surface->placed[vertex] == surface->stamp);
    return surface->end[vertex];
}

// How far such a vertex goes.
static inline double pal_contact_surface_travel(const PalContactSurface *surface, int32_t vertex)
{
    return pal_vec3_distance(pal_contact_surface_start(surface, vertex),
                             pal_contact_surface_end(surface, vertex));
}

// Squares of how far the soft vertices of a block go in this step at most, as predicted; by their
// numbers in the surface. They need not be placed.
void pal_contact_surface_bound_soft(PalContactSurface *surface, int32_t block);
static inline const double *pal_contact_surface_soft_strides2(PalContactSurface *surface,
                                                              int32_t block)
{
    if (surface->strides_stamp[block] != surface->stamp)
        pal_contact_surface_bound_soft(surface, block);
    return surface->soft_stride2;
}

// How a carrier moves in the step, as predicted. The motion the surface is shown may be another
// one, that is expected: with the forces that contact had in the last step.
PalVec3 pal_contact_surface_velocity(const PalContactSurface *surface, int32_t carrier);

// What is expected to change it.
static inline PalVec3 pal_contact_surface_push(const PalContactSurface *surface, int32_t carrier)
{
    if (!(surface->is_expected[carrier / 64] >> carrier % 64 & 1))
        return (PalVec3){0, 0, 0};
    PalVec3 old = surface->predicted[carrier];
    PalVec3 now = surface->motion.velocity[surface->carrier_node[carrier]];
    return (PalVec3){now.x - old.x, now.y - old.y, now.z - old.z};
}

// The carriers of a free rigid body: of its velocity, and of its spin behind it.
static inline int32_t pal_free_carrier(const PalContactSurface *surface, int32_t number)
{
    return surface->first_free_carrier + 2 * number;
}

// Is it a model node?
static inline bool pal_carrier_is_node(const PalContactSurface *surface, int32_t carrier)
{
    return carrier < surface->node_carrier_count;
}

// Does nothing but stop where the surface contradicts itself.
void pal_contact_surface_validate(const PalContactSurface *surface);

#endif
