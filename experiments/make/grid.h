// Meshes of bricks: a lattice of hexahedra of which some are left out, moved to where they belong,
// and cut into five tetrahedra each.
#ifndef PAL_EXPERIMENTS_GRID_H
#define PAL_EXPERIMENTS_GRID_H

#include <palpate/mesh.h>

typedef struct PalGrid {
    int32_t cells[3];
    bool ring;  // the last layer of cells along the first axis joins the first one; an even number
    bool (*holds)(const void *context, const int32_t cell[3]);  // NULL: every cell is there
    PalVec3 (*place)(const void *context, const int32_t node[3]);
    const void *context;
} PalGrid;

PalStatus pal_grid_mesh(const PalGrid *grid, PalMesh **mesh, PalError *error);

// The boundary of a solid as a mesh of its own.
PalStatus pal_grid_skin(const PalMesh *solid, PalMesh **skin, PalError *error);

// A point of the surface of the cube from -1 to 1, on the sphere of radius 1. Equal angles seen
// from the centre make facets of similar size.
PalVec3 pal_grid_round(PalVec3 u);

#endif
