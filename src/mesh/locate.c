// The point of a mesh's cells that is nearest to a given one: that point itself where it is inside.
// In tetrahedra by barycentric coordinates, and on their faces where it is outside (Ericson,
// Real-Time Collision Detection, 5.1.5); in hexahedra by the trilinear map, coordinate by
// coordinate; in quadratic tetrahedra in the eight that their nodes divide them into, and from
// there by Newton's method where edges are curved.
#include "math/mat3.h"
#include "math/vec3.h"
#include "mesh/cells.h"

#include <math.h>

#define SWEEPS  500    // over the three coordinates in a hexahedron, at most
#define SETTLED 1e-14  // change of a coordinate that ends them
#define TINY    1e-9   // weights that are none

// ---- triangles and tetrahedra -----------------------------------------------------------

static void on_edge(PalVec3 p, PalVec3 a, PalVec3 b, double weights[2])
{
    PalVec3 along = pal_vec3_sub(b, a);
    double square = pal_vec3_dot(along, along);
    double t = square > 0 ? pal_vec3_dot(pal_vec3_sub(p, a), along) / square : 0;
    weights[1] = fmin(fmax(t, 0), 1);
    weights[0] = 1 - weights[1];
}

static double distance_to(PalVec3 p, const PalVec3 *corners, const double *weights, int count)
{
    PalVec3 sum = {0, 0, 0};
    for (int k = 0; k < count; ++k)
        sum = pal_vec3_add_scaled(sum, weights[k], corners[k]);
    return pal_vec3_distance(p, sum);
}

// Inside where all coordinates are positive, else on one of the edges.
static void on_triangle(PalVec3 p, const PalVec3 x[3], double weights[3])
{
    PalVec3 a = pal_vec3_sub(x[1], x[0]), b = pal_vec3_sub(x[2], x[0]), c = pal_vec3_sub(p, x[0]);
    double aa = pal_vec3_dot(a, a), ab = pal_vec3_dot(a, b), bb = pal_vec3_dot(b, b);
    double ac = pal_vec3_dot(a, c), bc = pal_vec3_dot(b, c), whole = aa * bb - ab * ab;
    weights[1] = whole > 0 ? (bb * ac - ab * bc) / whole : -1;
    weights[2] = whole > 0 ? (aa * bc - ab * ac) / whole : -1;
    weights[0] = 1 - weights[1] - weights[2];
    if (weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0)
        return;
    double nearest = INFINITY;
    for (int k = 0; k < 3; ++k) {
        PalVec3 ends[2] = {x[k], x[(k + 1) % 3]};
        double two[2];
        on_edge(p, ends[0], ends[1], two);
        double distance = distance_to(p, ends, two, 2);
        if (distance >= nearest)
            continue;
        nearest = distance;
        weights[k] = two[0];
        weights[(k + 1) % 3] = two[1];
        weights[(k + 2) % 3] = 0;
    }
}

static void in_tetrahedron(PalVec3 p, const PalVec3 x[4], double weights[4])
{
    PalMat3 edges;
    for (int k = 0; k < 3; ++k) {
        PalVec3 edge = pal_vec3_sub(x[k + 1], x[0]);
        for (int i = 0; i < 3; ++i)
            edges.m[i][k] = pal_vec3_at(edge, i);
    }
    PalMat3 inverse = pal_mat3_inverse(&edges);
    PalVec3 inner = pal_mat3_apply(&inverse, pal_vec3_sub(p, x[0]));
    double all[4] = {1 - inner.x - inner.y - inner.z, inner.x, inner.y, inner.z};
    if (all[0] >= 0 && all[1] >= 0 && all[2] >= 0 && all[3] >= 0) {
        for (int k = 0; k < 4; ++k)
            weights[k] = all[k];
        return;
    }
    double nearest = INFINITY;
    for (int k = 0; k < 4; ++k) {  // the face across from each corner
        int corners[3] = {(k + 1) % 4, (k + 2) % 4, (k + 3) % 4};
        PalVec3 face[3] = {x[corners[0]], x[corners[1]], x[corners[2]]};
        double three[3];
        on_triangle(p, face, three);
        double distance = distance_to(p, face, three, 3);
        if (distance >= nearest)
            continue;
        nearest = distance;
        weights[k] = 0;
        for (int c = 0; c < 3; ++c)
            weights[corners[c]] = three[c];
    }
}

// ---- hexahedra --------------------------------------------------------------------------

static const double signs[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                   {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

static void shape(const double at[3], double weights[8])
{
    for (int k = 0; k < 8; ++k)
        weights[k] =
            (1 + signs[k][0] * at[0]) * (1 + signs[k][1] * at[1]) * (1 + signs[k][2] * at[2]) / 8;
}

// How the place changes with one coordinate, all others as they are.
static PalVec3 slope(const PalVec3 x[8], const double at[3], int axis)
{
    PalVec3 sum = {0, 0, 0};
    for (int k = 0; k < 8; ++k) {
        double weight = signs[k][axis] / 8;
        for (int i = 0; i < 3; ++i)
            weight *= i == axis ? 1 : 1 + signs[k][i] * at[i];
        sum = pal_vec3_add_scaled(sum, weight, x[k]);
    }
    return sum;
}

static void in_hexahedron(PalVec3 p, const PalVec3 x[8], double weights[8])
{
    double at[3] = {0, 0, 0}, change = 1;
    for (int sweep = 0; sweep < SWEEPS && change > SETTLED; ++sweep) {
        change = 0;
        for (int axis = 0; axis < 3; ++axis) {
            PalVec3 here = {0, 0, 0}, along = slope(x, at, axis);
            shape(at, weights);
            for (int k = 0; k < 8; ++k)
                here = pal_vec3_add_scaled(here, weights[k], x[k]);
            double square = pal_vec3_dot(along, along), before = at[axis];
            if (square > 0)
                at[axis] += pal_vec3_dot(pal_vec3_sub(p, here), along) / square;
            at[axis] = fmin(fmax(at[axis], -1), 1);
            change = fmax(change, fabs(at[axis] - before));
        }
    }
    shape(at, weights);
}

// ---- quadratic tetrahedra -----------------------------------------------------------------

static const int8_t divided[8][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3},
                                     {4, 6, 7, 9}, {4, 7, 8, 9}, {4, 8, 5, 9}, {4, 5, 6, 9}};

static void quadratic_shape(const double part[4], double weights[10])
{
    for (int k = 0; k < 4; ++k)
        weights[k] = part[k] * (2 * part[k] - 1);
    for (int k = 0; k < 6; ++k)
        weights[4 + k] = 4 * part[pal_quadratic_edges[k][0]] * part[pal_quadratic_edges[k][1]];
}

// Parts of the corners, of the nearest point of the eight pieces.
static double nearest_piece(PalVec3 p, const PalVec3 x[10], double part[4])
{
    double nearest = INFINITY;
    for (int t = 0; t < 8; ++t) {
        PalVec3 corners[4];
        double weights[4] = {0};
        for (int k = 0; k < 4; ++k)
            corners[k] = x[divided[t][k]];
        in_tetrahedron(p, corners, weights);
        double distance = distance_to(p, corners, weights, 4);
        if (distance >= nearest)
            continue;
        nearest = distance;
        for (int k = 0; k < 4; ++k)
            part[k] = 0;
        for (int k = 0; k < 4; ++k) {
            int node = divided[t][k];
            if (node < 4) {
                part[node] += weights[k];
                continue;
            }
            part[pal_quadratic_edges[node - 4][0]] += weights[k] / 2;
            part[pal_quadratic_edges[node - 4][1]] += weights[k] / 2;
        }
    }
    return nearest;
}

// One step of Newton's method towards the parts of the corners at which the map gives p.
static void approach(PalVec3 p, const PalVec3 x[10], const double weights[10], double part[4])
{
    PalVec3 slopes[4], here = {0, 0, 0};
    for (int k = 0; k < 10; ++k)
        here = pal_vec3_add_scaled(here, weights[k], x[k]);
    for (int k = 0; k < 4; ++k)
        slopes[k] = pal_vec3_scale(4 * part[k] - 1, x[k]);
    for (int k = 0; k < 6; ++k) {
        int a = pal_quadratic_edges[k][0], b = pal_quadratic_edges[k][1];
        slopes[a] = pal_vec3_add_scaled(slopes[a], 4 * part[b], x[4 + k]);
        slopes[b] = pal_vec3_add_scaled(slopes[b], 4 * part[a], x[4 + k]);
    }
    PalMat3 map;
    for (int k = 0; k < 3; ++k) {
        PalVec3 column = pal_vec3_sub(slopes[k + 1], slopes[0]);
        for (int i = 0; i < 3; ++i)
            map.m[i][k] = pal_vec3_at(column, i);
    }
    PalMat3 inverse = pal_mat3_inverse(&map);
    PalVec3 change = pal_mat3_apply(&inverse, pal_vec3_sub(p, here));
    part[1] += change.x;
    part[2] += change.y;
    part[3] += change.z;
    part[0] = 1 - part[1] - part[2] - part[3];
}

// Curved cells: taken where Newton's method ends inside, nearer to the point than the pieces are.
static void in_quadratic(PalVec3 p, const PalVec3 x[10], double weights[10])
{
    double part[4], finer[4], curved[10];
    nearest_piece(p, x, part);
    quadratic_shape(part, weights);
    for (int k = 0; k < 4; ++k)
        finer[k] = part[k];
    for (int turn = 0; turn < 12; ++turn) {
        quadratic_shape(finer, curved);
        approach(p, x, curved, finer);
    }
    for (int k = 0; k < 4; ++k)
        if (!(finer[k] >= 0))
            return;
    quadratic_shape(finer, curved);
    if (!(distance_to(p, x, curved, 10) < distance_to(p, x, weights, 10)))
        return;
    for (int k = 0; k < 10; ++k)
        weights[k] = curved[k];
}

// ---- all cells --------------------------------------------------------------------------

static double distance_to_box(PalVec3 p, const PalVec3 *x, int32_t count)
{
    PalVec3 low = x[0], high = x[0];
    for (int32_t k = 1; k < count; ++k) {
        low = pal_vec3(fmin(low.x, x[k].x), fmin(low.y, x[k].y), fmin(low.z, x[k].z));
        high = pal_vec3(fmax(high.x, x[k].x), fmax(high.y, x[k].y), fmax(high.z, x[k].z));
    }
    PalVec3 out =
        pal_vec3(fmax(fmax(low.x - p.x, p.x - high.x), 0), fmax(fmax(low.y - p.y, p.y - high.y), 0),
                 fmax(fmax(low.z - p.z, p.z - high.z), 0));
    return pal_vec3_length(out);
}

static void drop_tiny(PalMeshPlace *place)
{
    double sum = 0;
    for (int32_t k = 0; k < place->node_count; ++k) {
        if (!(fabs(place->weights[k]) > TINY))
            place->weights[k] = 0;
        sum += place->weights[k];
    }
    for (int32_t k = 0; k < place->node_count; ++k)
        place->weights[k] /= sum;
}

PalStatus pal_mesh_locate(const PalMesh *mesh, PalVec3 point, PalMeshPlace *place, PalError *error)
{
    PAL_TRY(pal_mesh_check(mesh, error));
    if (mesh->cell_count == 0)
        return pal_error_set(error, PAL_BAD_INPUT, "a mesh without cells has no place");
    *place = (PalMeshPlace){.cell_index = PAL_NONE, .distance = INFINITY};
    int32_t count = pal_cell_node_count(mesh->cell_kind);
    for (int32_t c = 0; c < mesh->cell_count && place->distance > 0; ++c) {
        const int32_t *nodes = pal_mesh_cell(mesh, c);
        PalVec3 x[PAL_CELL_NODE_MAX] = {{0, 0, 0}};
        double weights[PAL_CELL_NODE_MAX] = {0};
        for (int32_t k = 0; k < count; ++k)
            x[k] = mesh->nodes[nodes[k]];
        if (distance_to_box(point, x, count) >= place->distance)
            continue;
        if (count == 3)
            on_triangle(point, x, weights);
        else if (count == 4)
            in_tetrahedron(point, x, weights);
        else if (count == 10)
            in_quadratic(point, x, weights);
        else
            in_hexahedron(point, x, weights);
        double distance = distance_to(point, x, weights, count);
        if (!(distance < place->distance))
            continue;
        *place = (PalMeshPlace){.cell_index = c, .node_count = count, .distance = distance};
        for (int32_t k = 0; k < count; ++k) {
            place->nodes[k] = nodes[k];
            place->weights[k] = weights[k];
        }
    }
    drop_tiny(place);
    return PAL_OK;
}
