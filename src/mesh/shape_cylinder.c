// A disc repeated along z; see PalRound.
#include "math/vec3.h"
#include "mesh/blocks.h"

#include <string.h>

static const char *const side_names[] = {"z-min", "z-max", "side"};
enum { SIDE_Z_MIN, SIDE_Z_MAX, SIDE_AROUND };

// Nodes of the disc: those of the square in the middle row by row, then ring by ring, each
// around from the square's corner at the lowest x and y.
typedef struct Disc {
    int32_t middle;  // cells along the square
    PalRound round;
} Disc;

// A hollow cylinder has all nodes of its first and last disc, and of the others the rim only.
typedef struct Cylinder {
    Disc disc;
    int32_t along;
    bool hollow;
} Cylinder;

static Disc divide(int32_t across)
{
    Disc disc = {.middle = across};
    if (across < 4)
        return disc;
    disc.round = pal_round_divide(across, across);
    disc.middle -= 2 * disc.round.layer_count;
    return disc;
}

static double square_node_count(const Disc *disc)
{
    return (disc->middle + 1.0) * (disc->middle + 1.0);
}

static double around_count(const Disc *disc)
{
    return 4.0 * disc->middle;
}

static double disc_node_count(const Disc *disc)
{
    return square_node_count(disc) + disc->round.layer_count * around_count(disc);
}

static double disc_quad_count(const Disc *disc)
{
    return (double)disc->middle * disc->middle + disc->round.layer_count * around_count(disc);
}

PalBlockCounts pal_cylinder_counts(const PalShapeCells *cells, bool hollow)
{
    Disc disc = divide(cells->count[0]);
    double along = cells->count[1];
    PalBlockCounts counts = {.quads = 2 * disc_quad_count(&disc) + along * around_count(&disc)};
    if (hollow) {
        counts.nodes = 2 * disc_node_count(&disc) + (along - 1) * around_count(&disc);
    } else {
        counts.nodes = (along + 1) * disc_node_count(&disc);
        counts.hexes = along * disc_quad_count(&disc);
    }
    return counts;
}

// Step i around the edge of the square, counter-clockwise.
static void walk_edge(const Disc *disc, int32_t i, int32_t at[2])
{
    int32_t m = disc->middle, part = i % m;
    switch (i / m % 4) {
    case 0:
        at[0] = part;
        at[1] = 0;
        break;
    case 1:
        at[0] = m;
        at[1] = part;
        break;
    case 2:
        at[0] = m - part;
        at[1] = m;
        break;
    default:
        at[0] = 0;
        at[1] = m - part;
    }
}

// Numbers within the disc.
static int32_t square_node(const Disc *disc, const int32_t at[2])
{
    return at[0] + (disc->middle + 1) * at[1];
}

static int32_t ring_node(const Disc *disc, int32_t ring, int32_t i)
{
    int32_t at[2];
    if (ring > 0)
        return (int32_t)square_node_count(disc) + (ring - 1) * (int32_t)around_count(disc) +
               i % (int32_t)around_count(disc);
    walk_edge(disc, i, at);
    return square_node(disc, at);
}

static void disc_quad(const Disc *disc, int32_t quad_index, int32_t quad[4])
{
    int32_t m = disc->middle, around = (int32_t)around_count(disc);
    if (quad_index < m * m) {
        int32_t at[2] = {quad_index % m, quad_index / m}, first = square_node(disc, at);
        quad[0] = first;
        quad[1] = first + 1;
        quad[2] = first + m + 2;
        quad[3] = first + m + 1;
        return;
    }
    int32_t ring = (quad_index - m * m) / around, i = (quad_index - m * m) % around;
    quad[0] = ring_node(disc, ring, i);
    quad[1] = ring_node(disc, ring + 1, i);
    quad[2] = ring_node(disc, ring + 1, i + 1);
    quad[3] = ring_node(disc, ring, i + 1);
}

// One node of the disc of radius 1, with its colour.
static PalVec3 disc_node(const Disc *disc, int32_t node, uint8_t *colour)
{
    int32_t square = (int32_t)square_node_count(disc), around = (int32_t)around_count(disc);
    int32_t m = disc->middle, at[2] = {node % (m + 1), node / (m + 1)}, ring = 0;
    if (node >= square) {
        ring = 1 + (node - square) / around;
        walk_edge(disc, (node - square) % around, at);
    }
    *colour = (uint8_t)((at[0] + at[1] + ring) & 1);
    PalVec3 u = {(2.0 * at[0] - m) / m, (2.0 * at[1] - m) / m, 0};
    return pal_round_place(&disc->round, u, ring);
}

static bool has_whole_disc(const Cylinder *cylinder, int32_t level)
{
    return !cylinder->hollow || level == 0 || level == cylinder->along;
}

static int32_t first_node(const Cylinder *cylinder, int32_t level)
{
    int32_t per_disc = (int32_t)disc_node_count(&cylinder->disc);
    if (!cylinder->hollow || level == 0)
        return level * per_disc;
    return per_disc + (level - 1) * (int32_t)around_count(&cylinder->disc);
}

static int32_t rim_node(const Cylinder *cylinder, int32_t level, int32_t i)
{
    const Disc *disc = &cylinder->disc;
    return first_node(cylinder, level) + (has_whole_disc(cylinder, level)
                                              ? ring_node(disc, disc->round.layer_count, i)
                                              : i % (int32_t)around_count(disc));
}

static void fill_nodes(const Cylinder *cylinder, PalVec3 extent, PalBlocks *blocks)
{
    const Disc *disc = &cylinder->disc;
    int32_t along = cylinder->along, node = 0;
    for (int32_t level = 0; level <= along; ++level) {
        bool whole = has_whole_disc(cylinder, level);
        int32_t count = (int32_t)(whole ? disc_node_count(disc) : around_count(disc));
        double z = extent.y * ((2.0 * level - along) / (2.0 * along));
        for (int32_t i = 0; i < count; ++i, ++node) {
            uint8_t colour = 0;
            int32_t n = whole ? i : ring_node(disc, disc->round.layer_count, i);
            PalVec3 p = disc_node(disc, n, &colour);
            blocks->nodes[node] = pal_vec3(extent.x * p.x, extent.x * p.y, z);
            blocks->colours[node] = (uint8_t)((colour + level) & 1);
        }
    }
}

static void fill_hexes(const Cylinder *cylinder, PalBlocks *blocks)
{
    int32_t hex = 0, quad_count = (int32_t)disc_quad_count(&cylinder->disc);
    for (int32_t level = 0; level < cylinder->along; ++level)
        for (int32_t f = 0; f < quad_count; ++f, ++hex) {
            int32_t quad[4];
            disc_quad(&cylinder->disc, f, quad);
            for (int32_t a = 0; a < 8; ++a)
                blocks->hexes[hex][a] = first_node(cylinder, level + (a >= 4)) + quad[a % 4];
        }
}

static void fill_quads(const Cylinder *cylinder, PalBlocks *blocks)
{
    const Disc *disc = &cylinder->disc;
    int32_t per_disc = (int32_t)disc_quad_count(disc), around = (int32_t)around_count(disc);
    int32_t top = first_node(cylinder, cylinder->along);
    for (int32_t f = 0; f < per_disc; ++f) {
        int32_t quad[4];
        disc_quad(disc, f, quad);
        for (int32_t a = 0; a < 4; ++a) {
            blocks->quads[f][a] = quad[3 - a];
            blocks->quads[per_disc + f][a] = top + quad[a];
        }
        blocks->sides[f] = SIDE_Z_MIN;
        blocks->sides[per_disc + f] = SIDE_Z_MAX;
    }
    for (int32_t f = 2 * per_disc; f < blocks->quad_count; ++f) {
        int32_t level = (f - 2 * per_disc) / around, i = (f - 2 * per_disc) % around;
        const int32_t quad[4] = {rim_node(cylinder, level, i), rim_node(cylinder, level, i + 1),
                                 rim_node(cylinder, level + 1, i + 1),
                                 rim_node(cylinder, level + 1, i)};
        memcpy(blocks->quads[f], quad, sizeof quad);
        blocks->sides[f] = SIDE_AROUND;
    }
}

void pal_cylinder_fill(PalVec3 extent, const PalShapeCells *cells, bool hollow, PalBlocks *blocks)
{
    Cylinder cylinder = {
        .disc = divide(cells->count[0]), .along = cells->count[1], .hollow = hollow};
    fill_nodes(&cylinder, extent, blocks);
    if (!hollow)
        fill_hexes(&cylinder, blocks);
    fill_quads(&cylinder, blocks);
    blocks->side_count = 3;
    blocks->side_names = side_names;
}
