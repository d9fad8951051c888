// What every shape is built from: hexahedra and the quadrilaterals around them.
//
// Nodes have two colours, and neighbours along an edge differ. Cutting each hexahedron into
// five tetrahedra, the large one on its four nodes of colour 0, cuts each face along the diagonal
// between nodes of colour 0: neighbours fit, no direction is preferred, and the pieces of a cube
// are rounder (mean ratio 1 and 0.84) than those of the cut into six (0.76).
#ifndef PAL_MESH_BLOCKS_H
#define PAL_MESH_BLOCKS_H

#include <palpate/mesh.h>

typedef struct PalBlocks {
    int32_t node_count;
    PalVec3 *nodes;
    uint8_t *colours;
    int32_t hex_count;  // 0 when only the surface is wanted; then nodes are those on it
    int32_t (*hexes)[8];
    int32_t quad_count;  // the surface, normals outward
    int32_t (*quads)[4];
    uint8_t *sides;  // of each quadrilateral
    int32_t side_count;
    const char *const *side_names;
} PalBlocks;

// How many of each, before there is memory for them: perhaps more than any integer.
typedef struct PalBlockCounts {
    double nodes, hexes, quads;
} PalBlockCounts;

bool pal_blocks_init(PalBlocks *blocks, const PalBlockCounts *counts);
void pal_blocks_clear(PalBlocks *blocks);

// Cells across the shape along each direction it has, all valid.
typedef struct PalShapeCells {
    int32_t count[3];
} PalShapeCells;

PalBlockCounts pal_box_counts(const PalShapeCells *cells, bool hollow);
void pal_box_fill(PalVec3 extent, const PalShapeCells *cells, bool hollow, PalBlocks *blocks);

PalBlockCounts pal_ball_counts(const PalShapeCells *cells, bool hollow);
void pal_ball_fill(PalVec3 extent, const PalShapeCells *cells, bool hollow, PalBlocks *blocks);

// Makes the worst solid cells of a ball better; leaves good meshes alone.
PalStatus pal_ball_improve(PalMesh *mesh, PalVec3 extent, PalError *error);

PalBlockCounts pal_cylinder_counts(const PalShapeCells *cells, bool hollow);
void pal_cylinder_fill(PalVec3 extent, const PalShapeCells *cells, bool hollow, PalBlocks *blocks);

// Surfaces without inside.
PalBlockCounts pal_sheet_counts(const PalShapeCells *cells, bool hollow);
void pal_sheet_fill(PalVec3 extent, const PalShapeCells *cells, bool hollow, PalBlocks *blocks);
PalBlockCounts pal_tube_counts(const PalShapeCells *cells, bool hollow);
void pal_tube_fill(PalVec3 extent, const PalShapeCells *cells, bool hollow, PalBlocks *blocks);
PalStatus pal_thin_add_rims(PalMesh *mesh, PalShapeKind kind, PalError *error);
// Nodes and triangles of about this size.
PalStatus pal_shell_sphere_create(double radius, double size, PalMesh *mesh, PalError *error);

// Balls and discs: a bulging block in the middle, with layers of cells from its faces out to the
// surface. Three blocks meet along the edges of the middle one, and four at its corners, so that
// no angle is far from a right one. Without layers the block itself is mapped onto the ball: its
// edges turn flat on the surface, which only the coarsest ones can bear.
typedef struct PalRound {
    int32_t layer_count;
    double reach;  // half the width of the middle block, for a radius of 1
    double bulge;  // part of the way from a cube to a ball that it bulges
} PalRound;

// With layers, for the least and the largest number of cells across.
PalRound pal_round_divide(int32_t least, int32_t most);

// Where a node of the middle block lies in the ball of radius 1, or that many layers further out.
// u: from -1 to 1 across the block; z = 0 for a disc.
PalVec3 pal_round_place(const PalRound *round, PalVec3 u, int32_t layer);

#endif
