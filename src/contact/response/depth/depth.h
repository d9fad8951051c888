// Contact by depths: each facet that dips into cells of another object, or of its own, is pushed
// out of them along the gradient of their depth (hirota2003).   docs/theory/material-depth.md
//
// It knows shapes and forces on nodes; when it is asked, and what becomes of the forces, is up to a
// response.
#ifndef PAL_CONTACT_RESPONSE_DEPTH_DEPTH_H
#define PAL_CONTACT_RESPONSE_DEPTH_DEPTH_H

#include "contact/response/depth/field.h"
#include "contact/response/depth/lattice.h"
#include "contact/surface/pairs.h"
#include "geometry/cell_tree.h"

#define PAL_DEPTH_STRETCH 2.0  // depths that differ more from distances are found anew

typedef struct PalDepthSetup {
    const PalModel *model;
    const PalContactSurface *surface;
    const PalPairs *pairs;
    PalCellTreeKind tree;
    double penalty;      // factor on the stiffness that the program chooses, > 0
    double penetration;  // allowed, of the edges around; > 0
    bool at_vertices;    // forces are taken at vertices alone instead of over areas
} PalDepthSetup;

// A facet, or a vertex where forces are taken at vertices, that is in a cell.
typedef struct PalDepthItem {
    int32_t who;  // facet or vertex
    int32_t object, cell;
    double stiffness[3];
    PalDip dip;
} PalDepthItem;

// What friction holds on to: the middle of the pressure of an item, as it was when it was last
// looked at.
typedef struct PalDepthGrip {
    int32_t who, object, cell;
    int32_t nodes[PAL_DIP_NODES];   // of the model; PAL_NONE: of an instrument
    double weights[PAL_DIP_NODES];  // of these in the relative motion
    PalVec3 normal;                 // unit vector
    PalVec3 drag;                   // what instruments add to the motion since the step began
    double limit;                   // the force at most
    double reach;                   // motion within which it holds
    PalVec3 force;                  // in steps of explicit methods: what it did in the step
} PalDepthGrip;

typedef PAL_ARRAY(PalDepthItem) PalDepthItems;
typedef PAL_ARRAY(PalDepthGrip) PalDepthGrips;

// Some facets one after the other, and what a thread finds for them.
typedef struct PalDepthTask {
    PalDepthItems items;
    PalCellList found;
    int64_t tests;
    bool no_memory;
} PalDepthTask;

typedef struct PalDepth {
    PalDepthSetup setup;
    PalDepthField *fields;      // per body; none where nothing touches it
    PalDepthLattice *lattices;  // per instrument
    PalCellTree *trees;         // per body
    PalBounds **boxes;          // per body: of its cells
    PalBounds *object_boxes;    // of each object's vertices
    double *facet_area;         // at rest
    double *vertex_area;        // a third of the facets around
    double *vertex_edge;        // mean of the edges around
    double *vertex_young;       // mean of the cells around; instruments: 0
    double *object_young;       // the softest cell; instruments: infinite
    double *object_edge;        // mean of its vertices'
    double stiffest;            // stiffness at most, where steps in time limit it
    double *pressure;           // per vertex: the multiplier
    double *acting;             // per vertex: the largest pressure around it, when last released
    // ---- as it is placed
    PalVec3 *places;              // per model node
    PalVec3 *vertices;            // per vertex
    const PalRigidState *rigids;  // borrowed; NULL: as at the start
    double part;                  // of the instruments' way in the step
    int32_t task_count;
    PalDepthTask *tasks;
    PalDepthGrips grips, old_grips;
    // ---- what was found
    double penetration;  // deepest, of the penetration allowed there
    double deepest;      // the same as a length
    int32_t deepest_who, deepest_object;
    double stretch;          // how far depth is from distance: the largest ratio of the two, >= 1
    double *object_stretch;  // the same per object
    int64_t tests;
    double seconds;  // spent on finding
} PalDepth;

PalStatus pal_depth_create(const PalDepthSetup *setup, PalDepth **depth, PalError *error);
void pal_depth_destroy(PalDepth *depth);

// Where nodes and instruments are; the latter after part of their way in the step, along which
// their points go straight.
void pal_depth_place(PalDepth *depth, const PalVec3 *displacement, const PalRigidState *rigids,
                     double part);
// Where a point of an instrument is.
PalVec3 pal_depth_rigid_place(const PalDepth *depth, int32_t object, PalVec3 at_start);
// How far it still has to go in the step.
PalVec3 pal_depth_rigid_rest(const PalDepth *depth, int32_t object, PalVec3 at_start);
// Where it was at the start.
PalVec3 pal_depth_rigid_start(const PalDepth *depth, int32_t object, PalVec3 place);
// Who is in which cell there, and how much.
PalStatus pal_depth_find(PalDepth *depth, int32_t thread_count, PalError *error);

// ---- for each item in order -------------------------------------------------------------

// Model nodes of the corners of a facet (or a vertex, and twice none) and of the cell; PAL_NONE: of
// an instrument.
void pal_depth_nodes(const PalDepth *depth, const PalDepthItem *item, int32_t nodes[PAL_DIP_NODES]);
// The triangle and the cell. `clips` is memory that the cell may need.
void pal_depth_parts(const PalDepth *depth, const PalDepthItem *item, double clips[5][4],
                     PalDipTriangle *triangle, PalDipCell *cell);
// Where the resultant of its pressure acts, and that resultant, on the facet.
void pal_depth_resultant(const PalDepth *depth, const PalDepthItem *item, PalVec3 *place,
                         PalVec3 *force);
// How far corner k of an item, of an instrument, still has to go.
PalVec3 pal_depth_corner_rest(const PalDepth *depth, const PalDepthItem *item, int corner);
int32_t pal_depth_object_of(const PalDepth *depth, const PalDepthItem *item);

typedef void (*PalDepthForce)(void *context, int32_t node, PalVec3 force);
typedef bool (*PalDepthBlock)(void *context, int32_t count, const int32_t *nodes,
                              const double *matrix);

// Forces on nodes, without friction.
void pal_depth_forces(const PalDepth *depth, PalDepthForce add, void *context);
// What is made of minus their derivatives.
typedef struct PalDepthSums {
    bool exact;          // all of it; otherwise the part that is positive semidefinite
    PalDepthBlock add;   // symmetric blocks of different nodes
    PalDepthForce lead;  // how forces change as instruments go the rest of their way; NULL: unknown
    void *context;
} PalDepthSums;

// False: `add` said so.
bool pal_depth_tangent(const PalDepth *depth, const PalDepthSums *sums);

// Finds depths anew, in the shape as it is placed, where they are too far from distances.
// `renewed`: how many bodies.
PalStatus pal_depth_renew(PalDepth *depth, int32_t *renewed, PalError *error);

// ---- pressures --------------------------------------------------------------------------

// How deep an item is, of what is allowed there.
double pal_depth_excess(const PalDepth *depth, const PalDepthItem *item);
// Raises the multipliers to the pressures found where something is too deep.
void pal_depth_hold_pressures(PalDepth *depth);
// Lets multipliers fall towards the pressures found: a contact that has been harder once need not
// be as stiff for ever.
void pal_depth_release_pressures(PalDepth *depth);
// Leaves a part of them: while shapes are far from equilibrium, surfaces should give way. Items
// have to be found again; false: there was none.
bool pal_depth_soften_pressures(PalDepth *depth);
// Raises them to what they were.
void pal_depth_restore_pressures(PalDepth *depth, const double *pressures);

// ---- friction (grip.c) ------------------------------------------------------------------

// Takes hold where pressures are now. Returns by how much limits have changed, of their sum.
PalStatus pal_depth_take_grip(PalDepth *depth, double *change, PalError *error);
// Forces of friction after a motion of the model's nodes since the step began.
void pal_depth_grip_forces(const PalDepth *depth, const PalVec3 *motion, PalDepthForce add,
                           void *context);
bool pal_depth_grip_tangent(const PalDepth *depth, const PalVec3 *motion, const PalDepthSums *sums);
// The force of one grip, on the side of the facet.
PalVec3 pal_depth_grip_force(const PalDepthGrip *grip, const PalVec3 *motion);

#endif
