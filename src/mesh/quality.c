// Mean ratio of a triangle: 4 sqrt(3) A / sum l^2; of a tetrahedron: 12 (3 V)^(2/3) / sum l^2.
// Scaled Jacobian of a hexahedron: the least determinant of three unit vectors along the edges
// at a corner, or along the three axes at the centre.
#include "math/vec3.h"
#include "mesh/cells.h"

typedef struct Corners {
    PalVec3 at[PAL_CELL_NODE_MAX];
} Corners;

// All zero where there is no such cell, or where it names a node that is not there.
static Corners cell_corners(const PalMesh *mesh, int32_t cell_index)
{
    Corners corners = {{{0, 0, 0}}};
    if (cell_index < 0 || cell_index >= mesh->cell_count)
        return corners;
    const int32_t *nodes = pal_mesh_cell(mesh, cell_index);
    for (int32_t a = 0; a < pal_cell_node_count(mesh->cell_kind); ++a)
        if (nodes[a] >= 0 && nodes[a] < mesh->node_count)
            corners.at[a] = mesh->nodes[nodes[a]];
    return corners;
}

static double triple(PalVec3 a, PalVec3 b, PalVec3 c)
{
    return pal_vec3_dot(pal_vec3_cross(a, b), c);
}

static double triangle_area(const Corners *x)
{
    PalVec3 normal =
        pal_vec3_cross(pal_vec3_sub(x->at[1], x->at[0]), pal_vec3_sub(x->at[2], x->at[0]));
    return pal_vec3_length(normal) / 2;
}

static double tetrahedron_volume(const Corners *x)
{
    return triple(pal_vec3_sub(x->at[1], x->at[0]), pal_vec3_sub(x->at[2], x->at[0]),
                  pal_vec3_sub(x->at[3], x->at[0])) /
           6;
}

// Exact for bilinear faces: each divides evenly the tetrahedron between its two triangulations.
static double hexahedron_volume(const Corners *x)
{
    const PalCellTopology *cell = pal_cell_topology(PAL_CELL_HEXAHEDRON);
    double sum = 0;
    for (int32_t f = 0; f < cell->facet_count; ++f) {
        PalVec3 p[4];
        for (int32_t a = 0; a < 4; ++a)
            p[a] = pal_vec3_sub(x->at[cell->facets[f][a]], x->at[0]);
        sum += triple(p[0], p[1], p[2]) + triple(p[0], p[2], p[3]) + triple(p[1], p[2], p[3]) +
               triple(p[1], p[3], p[0]);
    }
    return sum / 12;
}

// The map of a quadratic tetrahedron at its quadrature point q: its determinant, and the place.
static double quadratic_jacobian(const Corners *x, int q, PalVec3 *place)
{
    const double near = 0.58541019662496845446, far = 0.13819660112501051518;
    PalVec3 slope[4], at = {0, 0, 0};
    double part[4];
    for (int i = 0; i < 4; ++i) {
        part[i] = i == q ? near : far;
        slope[i] = pal_vec3_scale(4 * part[i] - 1, x->at[i]);
        at = pal_vec3_add_scaled(at, part[i] * (2 * part[i] - 1), x->at[i]);
    }
    for (int k = 0; k < 6; ++k) {
        int i = pal_quadratic_edges[k][0], j = pal_quadratic_edges[k][1];
        slope[i] = pal_vec3_add_scaled(slope[i], 4 * part[j], x->at[4 + k]);
        slope[j] = pal_vec3_add_scaled(slope[j], 4 * part[i], x->at[4 + k]);
        at = pal_vec3_add_scaled(at, 4 * part[i] * part[j], x->at[4 + k]);
    }
    if (place != NULL)
        *place = at;
    return triple(pal_vec3_sub(slope[1], slope[0]), pal_vec3_sub(slope[2], slope[0]),
                  pal_vec3_sub(slope[3], slope[0]));
}

static double quadratic_volume(const Corners *x)
{
    double sum = 0;
    for (int q = 0; q < 4; ++q)
        sum += quadratic_jacobian(x, q, NULL);
    return sum / 24;
}

static double least_jacobian(const Corners *x, PalVec3 *place)
{
    double least = INFINITY, straight = 6 * fabs(tetrahedron_volume(x));
    for (int q = 0; q < 4; ++q) {
        PalVec3 here;
        double value = quadratic_jacobian(x, q, &here);
        value = straight > 0 ? value / straight : 0;
        if (value < least) {
            least = value;
            *place = here;
        }
    }
    return least;
}

static double corners_volume(PalCellKind kind, const Corners *x)
{
    switch (kind) {
    case PAL_CELL_TRIANGLE:
        return triangle_area(x);
    case PAL_CELL_TETRAHEDRON:
        return tetrahedron_volume(x);
    case PAL_CELL_QUADRATIC_TETRAHEDRON:
        return quadratic_volume(x);
    default:
        return hexahedron_volume(x);
    }
}

double pal_cell_volume(const PalMesh *mesh, int32_t cell_index)
{
    Corners corners = cell_corners(mesh, cell_index);
    return corners_volume(mesh->cell_kind, &corners);
}

static double scaled_triple(PalVec3 a, PalVec3 b, PalVec3 c)
{
    return triple(pal_vec3_normalise(a), pal_vec3_normalise(b), pal_vec3_normalise(c));
}

static double scaled_jacobian(const Corners *x)
{
    // The three neighbours of each corner, right-handed
    static const int8_t around[8][3] = {{1, 3, 4}, {2, 0, 5}, {3, 1, 6}, {0, 2, 7},
                                        {7, 5, 0}, {4, 6, 1}, {5, 7, 2}, {6, 4, 3}};
    const PalVec3 *p = x->at;
    double least = INFINITY;
    for (int32_t a = 0; a < 8; ++a)
        least = fmin(least, scaled_triple(pal_vec3_sub(p[around[a][0]], p[a]),
                                          pal_vec3_sub(p[around[a][1]], p[a]),
                                          pal_vec3_sub(p[around[a][2]], p[a])));
    PalVec3 axes[3] = {{0}};
    static const int8_t edges[3][4][2] = {{{0, 1}, {3, 2}, {4, 5}, {7, 6}},
                                          {{0, 3}, {1, 2}, {4, 7}, {5, 6}},
                                          {{0, 4}, {1, 5}, {2, 6}, {3, 7}}};
    for (int32_t i = 0; i < 3; ++i)
        for (int32_t e = 0; e < 4; ++e)
            axes[i] = pal_vec3_add(axes[i], pal_vec3_sub(p[edges[i][e][1]], p[edges[i][e][0]]));
    return fmin(least, scaled_triple(axes[0], axes[1], axes[2]));
}

// Between -1 and 1 whatever the size of the cell; 0 when all corners coincide.
static double corners_quality(PalCellKind kind, const Corners *x)
{
    if (kind == PAL_CELL_HEXAHEDRON)
        return scaled_jacobian(x);
    if (kind == PAL_CELL_QUADRATIC_TETRAHEDRON) {
        PalVec3 place;
        double straight = corners_quality(PAL_CELL_TETRAHEDRON, x);
        return fabs(straight) * fmin(least_jacobian(x, &place), 1);
    }
    const PalCellTopology *cell = pal_cell_topology(kind);
    double sum = 0;
    for (int32_t e = 0; e < cell->edge_count; ++e) {
        PalVec3 edge = pal_vec3_sub(x->at[cell->edges[e][1]], x->at[cell->edges[e][0]]);
        sum += pal_vec3_dot(edge, edge);
    }
    if (!(sum > 0))
        return 0;
    if (kind == PAL_CELL_TRIANGLE)
        return 4 * sqrt(3) * triangle_area(x) / sum;
    double root = cbrt(3 * tetrahedron_volume(x));
    return copysign(12 * root * root / sum, root);
}

double pal_cell_least_jacobian(const PalMesh *mesh, int32_t cell_index, PalVec3 *place)
{
    Corners corners = cell_corners(mesh, cell_index);
    PalVec3 not_wanted;
    place = place != NULL ? place : &not_wanted;
    *place = corners.at[0];
    return mesh->cell_kind == PAL_CELL_QUADRATIC_TETRAHEDRON ? least_jacobian(&corners, place) : 1;
}

double pal_cell_quality(const PalMesh *mesh, int32_t cell_index)
{
    Corners corners = cell_corners(mesh, cell_index);
    return corners_quality(mesh->cell_kind, &corners);
}

PalMeshQuality pal_mesh_quality(const PalMesh *mesh)
{
    const PalCellTopology *cell = pal_cell_topology(mesh->cell_kind);
    PalMeshQuality quality = {.worst_cell = PAL_NONE};
    if (mesh->cell_count == 0)
        return quality;
    quality.worst = quality.edge_min = INFINITY;
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        Corners corners = cell_corners(mesh, c);
        double value = corners_quality(mesh->cell_kind, &corners);
        if (value < quality.worst) {
            quality.worst = value;
            quality.worst_cell = c;
        }
        quality.poor_count += value < 0.1;
        quality.mean += value;
        quality.volume += corners_volume(mesh->cell_kind, &corners);
        for (int32_t e = 0; e < cell->edge_count; ++e) {
            double length =
                pal_vec3_distance(corners.at[cell->edges[e][0]], corners.at[cell->edges[e][1]]);
            quality.edge_min = fmin(quality.edge_min, length);
            quality.edge_max = fmax(quality.edge_max, length);
            quality.edge_mean += length;
        }
    }
    quality.mean /= mesh->cell_count;
    quality.edge_mean /= (double)mesh->cell_count * cell->edge_count;
    return quality;
}
