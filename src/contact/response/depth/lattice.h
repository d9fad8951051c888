// The depth of a rigid instrument, which has a surface but no cells: signed distances at the points
// of a lattice around it and in the middles of its boxes, linear in the twelve tetrahedra of each
// box, and cut where it is zero. All in the instrument's own frame, as it is at the start.
#ifndef PAL_CONTACT_RESPONSE_DEPTH_LATTICE_H
#define PAL_CONTACT_RESPONSE_DEPTH_LATTICE_H

#include "geometry/dip.h"
#include <palpate/mesh.h>

typedef struct PalDepthLattice {
    int32_t counts[3];  // boxes along each axis; 0: the surface is open, and nothing is inside
    PalVec3 low, size;  // of a box
    double *depth;      // per point, x fastest; negative outside
    double *middle;     // per box: in its middle
    double deepest;
} PalDepthLattice;

// `size`: of the boxes, about.
PalStatus pal_depth_lattice_create(const PalMesh *mesh, double size, PalDepthLattice *lattice,
                                   PalError *error);
void pal_depth_lattice_clear(PalDepthLattice *lattice);

// Boxes that a box in the instrument's frame meets: first and last along each axis. False: none.
bool pal_depth_lattice_range(const PalDepthLattice *lattice, const PalBounds *box,
                             int32_t range[3][2]);

// A cell: one of twelve tetrahedra of a box. False: all of it is outside.
enum { PAL_LATTICE_CELLS = 12 };
bool pal_depth_lattice_cell(const PalDepthLattice *lattice, const int32_t box[3], int which,
                            PalVec3 corners[4], double depth[4]);

// The clips of such a cell: its weights, and its depth. They are valid with the depths given.
void pal_depth_lattice_clips(const double depth[4], double clips[5][4]);

#endif
