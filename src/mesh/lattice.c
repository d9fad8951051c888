#include "mesh/lattice.h"

double pal_lattice_node_count(const PalLattice *lattice)
{
    const int32_t *n = lattice->cells;
    return (n[0] + 1.0) * (n[1] + 1.0) * (n[2] + 1.0);
}

double pal_lattice_quad_count(const PalLattice *lattice)
{
    double x = lattice->cells[0], y = lattice->cells[1], z = lattice->cells[2];
    return 2 * (x * y + y * z + z * x);
}

// Euler's formula for quadrilaterals around a ball.
double pal_lattice_surface_node_count(const PalLattice *lattice)
{
    return pal_lattice_quad_count(lattice) + 2;
}

int32_t pal_lattice_node(const PalLattice *lattice, const int32_t at[3])
{
    const int32_t *n = lattice->cells;
    return at[0] + (n[0] + 1) * (at[1] + (n[1] + 1) * at[2]);
}

int32_t pal_lattice_surface_node(const PalLattice *lattice, const int32_t at[3])
{
    const int32_t *n = lattice->cells;
    int32_t row = n[0] + 1, layer = row * (n[1] + 1), ring = 2 * (n[0] + n[1]);
    if (at[2] == 0)
        return at[0] + row * at[1];
    int32_t before = layer + (at[2] - 1) * ring;
    if (at[2] == n[2])
        return before + at[0] + row * at[1];
    if (at[1] == 0)
        return before + at[0];
    before += row + 2 * (at[1] - 1);
    return before + (at[1] == n[1] ? at[0] : at[0] != 0);
}

void pal_lattice_next(const PalLattice *lattice, bool surface, int32_t at[3])
{
    const int32_t *n = lattice->cells;
    bool inside = at[1] > 0 && at[1] < n[1] && at[2] > 0 && at[2] < n[2];
    at[0] += surface && inside ? n[0] : 1;
    for (int i = 0; i < 2; ++i)
        if (at[i] > n[i]) {
            at[i] = 0;
            at[i + 1]++;
        }
}

int32_t pal_lattice_quad(const PalLattice *lattice, int32_t quad_index, int32_t corners[4][3])
{
    const int32_t *n = lattice->cells;
    int32_t side = 0, rest = quad_index;
    for (;; ++side) {
        int32_t count = n[(side / 2 + 1) % 3] * n[(side / 2 + 2) % 3];
        if (rest < count)
            break;
        rest -= count;
    }
    int32_t axis = side / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int32_t a = 0; a < 4; ++a) {
        // Counter-clockwise seen from the high end, clockwise from the low one
        int32_t b = side % 2 == 1 ? a : 3 - a;
        corners[a][axis] = side % 2 == 1 ? n[axis] : 0;
        corners[a][u] = rest % n[u] + (b == 1 || b == 2);
        corners[a][v] = rest / n[u] + (b >= 2);
    }
    return side;
}

void pal_lattice_cell(const PalLattice *lattice, int32_t cell_index, int32_t corners[8][3])
{
    const int32_t *n = lattice->cells;
    int32_t i = cell_index % n[0], j = cell_index / n[0] % n[1], k = cell_index / n[0] / n[1];
    for (int32_t a = 0; a < 8; ++a) {
        corners[a][0] = i + (a % 4 == 1 || a % 4 == 2);
        corners[a][1] = j + (a % 4 >= 2);
        corners[a][2] = k + (a >= 4);
    }
}
