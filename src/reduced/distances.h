// Distances around deformed shapes as printed in gonzalez2015, 3.1: d(x, s) for points x of a grid
// in the body's own coordinates and every stored load s (site and direction, at its largest).
//
// Blocks of 8^3 grid points are separated each by itself: in block b
//   d(x, s) = distance(x) + sum of products k of the block:  field_space_k(x) field_site_k(s).
// Between grid points d is trilinear; s is that of the nearest site. Several loads, and parts of
// the largest, are superposed, as displacements are.
#ifndef PAL_REDUCED_DISTANCES_H
#define PAL_REDUCED_DISTANCES_H

#include "reduced/vademecum.h"

// Where the nodes of the surface are under a stored load, by the modes alone. Room for
// surface_count.
void pal_distances_shape(const PalVademecum *book, int32_t site, int32_t direction, PalVec3 *nodes);

// ---- in a loop --------------------------------------------------------------------------

// The field under the loads of a moment.
typedef struct PalDistances {
    const PalVademecum *book;  // NULL: there is none
    int32_t blocks[3];
    int32_t load_count;
    int32_t *loads;      // columns: site times directions plus direction
    float *parts;        // per column: of the largest force
    float *mix;          // per product: its factor under these loads
    uint32_t *mix_time;  // per block: when that was found
    uint32_t now;
    double whole;  // sum of parts
} PalDistances;

// Nothing to do, and book NULL, where the vademecum has no distances.
PalStatus pal_distances_init(PalDistances *field, const PalVademecum *book, PalError *error);
void pal_distances_clear(PalDistances *field);
void pal_distances_start(PalDistances *field);  // no loads
void pal_distances_load(PalDistances *field, int32_t site, int32_t direction, float part);

typedef struct PalDistancesAt {
    double distance;  // negative inside; outside of the grid: how far the grid is
    bool known;       // within the grid
} PalDistancesAt;

PalDistancesAt pal_distances_at(PalDistances *field, PalVec3 point);
// How much distances can differ, under these loads, between two places of the grid that are a way
// apart.
double pal_distances_most_change(const PalDistances *field, double way);

#endif
