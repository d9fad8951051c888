// Sphere and ellipsoid: see PalRound.
#include "math/vec3.h"
#include "mesh/blocks.h"
#include "mesh/lattice.h"

static const char *const side_names[] = {"surface"};

typedef struct Ball {
    PalLattice middle;
    PalRound round;
} Ball;

static Ball divide(const PalShapeCells *cells)
{
    const int32_t *n = cells->count;
    Ball ball = {.middle = {{n[0], n[1], n[2]}}};
    if (n[0] < 4 && n[1] < 4 && n[2] < 4)
        return ball;
    int32_t least = INT32_MAX, most = 0;
    for (int i = 0; i < 3; ++i) {
        ball.middle.cells[i] = n[i] < 4 ? 4 : n[i];
        least = ball.middle.cells[i] < least ? ball.middle.cells[i] : least;
        most = ball.middle.cells[i] > most ? ball.middle.cells[i] : most;
    }
    ball.round = pal_round_divide(least, most);
    for (int i = 0; i < 3; ++i)
        ball.middle.cells[i] -= 2 * ball.round.layer_count;
    return ball;
}

PalBlockCounts pal_ball_counts(const PalShapeCells *cells, bool hollow)
{
    Ball ball = divide(cells);
    PalBlockCounts counts = {.quads = pal_lattice_quad_count(&ball.middle)};
    counts.nodes = pal_lattice_surface_node_count(&ball.middle);
    if (hollow)
        return counts;
    const int32_t *n = ball.middle.cells;
    counts.nodes = ball.round.layer_count * counts.nodes + pal_lattice_node_count(&ball.middle);
    counts.hexes = (double)n[0] * n[1] * n[2] + ball.round.layer_count * counts.quads;
    return counts;
}

static void set_node(const Ball *ball, PalVec3 extent, const int32_t at[3], int32_t layer,
                     PalBlocks *blocks, int32_t node)
{
    const int32_t *n = ball->middle.cells;
    PalVec3 u = {(2.0 * at[0] - n[0]) / n[0], (2.0 * at[1] - n[1]) / n[1],
                 (2.0 * at[2] - n[2]) / n[2]};
    PalVec3 p = pal_round_place(&ball->round, u, layer);
    blocks->nodes[node] = pal_vec3(extent.x * p.x, extent.y * p.y, extent.z * p.z);
    // In the coarsest ball, the centre belongs to the large tetrahedra
    int32_t shift = ball->round.layer_count == 0;
    blocks->colours[node] = (uint8_t)((at[0] + at[1] + at[2] + layer + shift) & 1);
}

// Number of a node on the block's surface, `layer` layers further out.
static int32_t shell_node(const Ball *ball, const int32_t at[3], int32_t layer)
{
    if (layer == 0)
        return pal_lattice_node(&ball->middle, at);
    int32_t before = (int32_t)pal_lattice_node_count(&ball->middle) +
                     (layer - 1) * (int32_t)pal_lattice_surface_node_count(&ball->middle);
    return before + pal_lattice_surface_node(&ball->middle, at);
}

static void fill_nodes(const Ball *ball, PalVec3 extent, bool hollow, PalBlocks *blocks)
{
    int32_t node = 0, at[3] = {0};
    int32_t shell_count = (int32_t)pal_lattice_surface_node_count(&ball->middle);
    int32_t block_count = (int32_t)pal_lattice_node_count(&ball->middle);
    for (; !hollow && node < block_count; pal_lattice_next(&ball->middle, false, at))
        set_node(ball, extent, at, 0, blocks, node++);
    for (int32_t layer = hollow ? ball->round.layer_count : 1; node < blocks->node_count; ++layer) {
        at[0] = at[1] = at[2] = 0;
        for (int32_t i = 0; i < shell_count; ++i, pal_lattice_next(&ball->middle, true, at))
            set_node(ball, extent, at, layer, blocks, node++);
    }
}

static void fill_hexes(const Ball *ball, PalBlocks *blocks)
{
    const int32_t *n = ball->middle.cells;
    int32_t hex = 0, corners[8][3];
    for (; hex < n[0] * n[1] * n[2]; ++hex) {
        pal_lattice_cell(&ball->middle, hex, corners);
        for (int32_t a = 0; a < 8; ++a)
            blocks->hexes[hex][a] = pal_lattice_node(&ball->middle, corners[a]);
    }
    for (int32_t layer = 0; layer < ball->round.layer_count; ++layer)
        for (int32_t f = 0; f < blocks->quad_count; ++f, ++hex) {
            pal_lattice_quad(&ball->middle, f, corners);
            for (int32_t a = 0; a < 8; ++a)
                blocks->hexes[hex][a] = shell_node(ball, corners[a % 4], layer + (a >= 4));
        }
}

void pal_ball_fill(PalVec3 extent, const PalShapeCells *cells, bool hollow, PalBlocks *blocks)
{
    Ball ball = divide(cells);
    fill_nodes(&ball, extent, hollow, blocks);
    if (!hollow)
        fill_hexes(&ball, blocks);
    for (int32_t f = 0; f < blocks->quad_count; ++f) {
        int32_t corners[4][3];
        pal_lattice_quad(&ball.middle, f, corners);
        for (int32_t a = 0; a < 4; ++a)
            blocks->quads[f][a] = hollow ? pal_lattice_surface_node(&ball.middle, corners[a])
                                         : shell_node(&ball, corners[a], ball.round.layer_count);
    }
    blocks->side_count = 1;
    blocks->side_names = side_names;
}
