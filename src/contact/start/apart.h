// How objects overlap or touch before a run: which vertices are inside another object, and which
// facet each is nearest to. Built once, looked at again after vertices were moved.
#ifndef PAL_CONTACT_START_APART_H
#define PAL_CONTACT_START_APART_H

#include "base/array.h"
#include "contact/gap/gap.h"
#include "contact/surface/pairs.h"
#include "geometry/traverse.h"

typedef struct PalApart {
    const PalModel *model;
    PalContactSurface *surface;  // start: where vertices are now; end: where they were given
    PalPairs *objects;           // which of them touch
    double separation;
    double *reach;       // per object: facets farther from a vertex than this, and farther than the
                         // other object's, are not looked at, unless wide; 0 of instruments
    double least_reach;  // of all but instruments
    bool wide;        // overlaps may be as deep as bodies are thick rather than as meshes are fine
    double *edge;     // per vertex: mean length of the edges around it, of a free rigid
                      // body's at most a fifth of its radius: half of it is how deep
                      // overlaps may be
    double *radius;   // per object: of a ball with as much volume for its surface
    double *reaches;  // per facet: how far its vertices look, besides least_reach and separation
    PalVec3 *base;    // per vertex: where smooth moves have brought it, if wide
    PalVec3 *smooth;  // per model node: those moves
    PalVec3 *shift;   // per object: how far a free rigid body has been moved, whole
    PalVec3 *normal;  // per vertex, outward
    PalBounds *box;   // per object
    bool *closed;     // per object: it has an inside
    int32_t *holder;  // per object: the instrument that it lies in as a whole, or PAL_NONE
    int32_t *inside;  // per vertex: the first object it is inside of, or PAL_NONE
    int32_t *facet;   // per vertex: the facet it must be moved away from, or PAL_NONE
    double *score;    // per vertex: how well that facet suits; the least is best
    double *nearest;  // per vertex inside: to the surface it is inside of; infinite beyond reach
    PAL_ARRAY(PalFacetPair) pairs;  // facets near each other, of objects that are kept apart
    bool no_memory;
} PalApart;

PalStatus pal_apart_create(const PalContactDef *def, const PalModel *model, PalApart **apart,
                           PalError *error);
void pal_apart_destroy(PalApart *apart);

// Brings everything up to date with where the vertices are now.
PalStatus pal_apart_look(PalApart *apart, PalError *error);

// Fills `inside`. Boxes and normals are up to date.
PalStatus pal_apart_find_inside(PalApart *apart, PalError *error);

// How deep a vertex may be inside another object: by the edges around it, or around the facet it is
// near; if wide, by the size of the soft object as well. `object` receives whose that is, and
// `by_size` whether its size tells.
double pal_apart_limit(const PalApart *apart, int32_t vertex, int32_t *object, bool *by_size);

// The gap between a vertex and its facet. Its normal is the direction to move the vertex along:
// that of the gap, or the facet's normal where the two touch or overlap.
PalGap pal_apart_vertex(const PalApart *apart, int32_t vertex);

// Edge k / 3 of one facet and k % 3 of the other, where they are closest within both. The normal is
// the direction by which the first gets out of the second. False: they are closest at an end,
// parallel, or another pair answers for them.
bool pal_apart_edges(const PalApart *apart, PalFacetPair pair, int k, PalGap *gap);

// Of the mean edge around a vertex: deeper overlaps are deep for the mesh.
#define PAL_APART_DEEPEST 0.5
// Of an object's radius: deeper overlaps are deep for the body.
#define PAL_APART_SHALLOW 0.15

double pal_apart_distance(const PalApart *apart, int32_t vertex, int32_t facet);

PalVec3 pal_apart_facet_normal(const PalApart *apart, int32_t facet);

// Moves a free rigid body as a whole.
void pal_apart_shift(PalApart *apart, int32_t object, PalVec3 by);

#endif
