// A block of nx by ny by nz cells: numbers for its nodes, and the quadrilaterals around it.
#ifndef PAL_MESH_LATTICE_H
#define PAL_MESH_LATTICE_H

#include <palpate/base.h>

typedef struct PalLattice {
    int32_t cells[3];
} PalLattice;

// As numbers that cannot overflow.
double pal_lattice_node_count(const PalLattice *lattice);
double pal_lattice_surface_node_count(const PalLattice *lattice);
double pal_lattice_quad_count(const PalLattice *lattice);

// Number of the node at integer coordinates among all nodes, x fastest.
int32_t pal_lattice_node(const PalLattice *lattice, const int32_t at[3]);

// Number of a node on the surface among the nodes of the surface, in the same order.
int32_t pal_lattice_surface_node(const PalLattice *lattice, const int32_t at[3]);

// Moves `at` on to the next node, or to the next node on the surface; starts from {0, 0, 0}.
void pal_lattice_next(const PalLattice *lattice, bool surface, int32_t at[3]);

// Integer coordinates of the corners of a quadrilateral of the surface, around its outward
// normal. Returns its side: 0 to 5 for x-min, x-max, y-min, y-max, z-min, z-max.
int32_t pal_lattice_quad(const PalLattice *lattice, int32_t quad_index, int32_t corners[4][3]);

// Integer coordinates of the corners of a cell.
void pal_lattice_cell(const PalLattice *lattice, int32_t cell_index, int32_t corners[8][3]);

#endif
