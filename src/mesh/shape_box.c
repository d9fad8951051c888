#include "mesh/blocks.h"
#include "mesh/lattice.h"

static const char *const side_names[] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};

static PalLattice box_lattice(const PalShapeCells *cells)
{
    return (PalLattice){{cells->count[0], cells->count[1], cells->count[2]}};
}

PalBlockCounts pal_box_counts(const PalShapeCells *cells, bool hollow)
{
    PalLattice lattice = box_lattice(cells);
    PalBlockCounts counts = {.quads = pal_lattice_quad_count(&lattice)};
    counts.nodes =
        hollow ? pal_lattice_surface_node_count(&lattice) : pal_lattice_node_count(&lattice);
    if (!hollow)
        counts.hexes = (double)cells->count[0] * cells->count[1] * cells->count[2];
    return counts;
}

// Mirrored nodes get mirrored coordinates to the last bit.
static double coordinate(double extent, int32_t at, int32_t count)
{
    return extent * ((2.0 * at - count) / (2.0 * count));
}

void pal_box_fill(PalVec3 extent, const PalShapeCells *cells, bool hollow, PalBlocks *blocks)
{
    PalLattice lattice = box_lattice(cells);
    const int32_t *count = cells->count;
    int32_t (*node)(const PalLattice *, const int32_t[3]) =
        hollow ? pal_lattice_surface_node : pal_lattice_node;
    int32_t at[3] = {0};
    for (int32_t n = 0; n < blocks->node_count; ++n) {
        blocks->nodes[n] =
            (PalVec3){coordinate(extent.x, at[0], count[0]), coordinate(extent.y, at[1], count[1]),
                      coordinate(extent.z, at[2], count[2])};
        blocks->colours[n] = (uint8_t)((at[0] + at[1] + at[2]) & 1);
        pal_lattice_next(&lattice, hollow, at);
    }
    int32_t corners[8][3];
    for (int32_t c = 0; c < blocks->hex_count; ++c) {
        pal_lattice_cell(&lattice, c, corners);
        for (int32_t a = 0; a < 8; ++a)
            blocks->hexes[c][a] = pal_lattice_node(&lattice, corners[a]);
    }
    for (int32_t f = 0; f < blocks->quad_count; ++f) {
        blocks->sides[f] = (uint8_t)pal_lattice_quad(&lattice, f, corners);
        for (int32_t a = 0; a < 4; ++a)
            blocks->quads[f][a] = node(&lattice, corners[a]);
    }
    blocks->side_count = 6;
    blocks->side_names = side_names;
}
