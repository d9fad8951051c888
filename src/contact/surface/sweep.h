// Pairs of facets near each other, now: a sweep over a grid of their boxes, keeping nothing.
#ifndef PAL_CONTACT_SWEEP_H
#define PAL_CONTACT_SWEEP_H

#include "contact/surface/pairs.h"

typedef struct PalSweepDef {
    const PalContactSurface *surface;
    const PalVec3 *positions;  // of its vertices
    const PalPairs *pairs;     // objects that pass through each other are left out
    double reach;              // boxes this far apart still count as near
    const double *reaches;     // per facet, besides: the two of a pair add up; NULL: none
} PalSweepDef;

// Called for each pair, a < b, in an order that depends on the positions alone.
typedef void (*PalSweepVisit)(void *context, int32_t a, int32_t b);

PalStatus pal_sweep(const PalSweepDef *def, PalSweepVisit visit, void *context, PalError *error);

// Whether two facets have a vertex in common.
bool pal_facets_adjacent(const PalContactSurface *surface, int32_t a, int32_t b);

// Whether a coordinate tells that two facets are farther apart than some room.
bool pal_facets_beside(const PalContactSurface *surface, const PalVec3 *positions, int32_t a,
                       int32_t b, double room);

// Whether two facets share a point, decided exactly.
bool pal_facets_cross(const PalContactSurface *surface, const PalVec3 *positions, int32_t a,
                      int32_t b);

// Pairs of facets without a common vertex that share a point.
PalStatus pal_sweep_crossings(const PalSweepDef *def, int32_t *count, PalError *error);

#endif
