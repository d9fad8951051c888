#include "element/geometry.h"

#include "math/mat3.h"

const double pal_hourglass[4][8] = {
    {1, 1, -1, -1, -1, -1, 1, 1},
    {1, -1, -1, 1, -1, 1, 1, -1},
    {1, -1, 1, -1, 1, -1, 1, -1},
    {-1, 1, -1, 1, 1, -1, 1, -1},
};

// grad N_1 = (e_2 x e_3) / 6V and so on round the corners, with e_a = X_a - X_0.
double pal_t4_geometry(const PalVec3 X[4], PalVec3 gradients[4])
{
    PalVec3 e1 = pal_vec3_sub(X[1], X[0]), e2 = pal_vec3_sub(X[2], X[0]);
    PalVec3 e3 = pal_vec3_sub(X[3], X[0]);
    double six = pal_vec3_dot(e1, pal_vec3_cross(e2, e3));
    gradients[1] = pal_vec3_scale(1 / six, pal_vec3_cross(e2, e3));
    gradients[2] = pal_vec3_scale(1 / six, pal_vec3_cross(e3, e1));
    gradients[3] = pal_vec3_scale(1 / six, pal_vec3_cross(e1, e2));
    PalVec3 sum = pal_vec3_add(gradients[1], pal_vec3_add(gradients[2], gradients[3]));
    gradients[0] = pal_vec3_scale(-1, sum);
    return six / 6;
}

static const double sign[8][3] = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1},
};

// dN_a / d(natural coordinates) at a point.
static void natural_gradients(const double at[3], double dN[8][3])
{
    for (int a = 0; a < 8; ++a)
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            dN[a][i] = sign[a][i] * (1 + sign[a][j] * at[j]) * (1 + sign[a][k] * at[k]) / 8;
        }
}

void pal_h8_slopes(int32_t q, double slopes[8][3])
{
    double at[3];
    for (int i = 0; i < 3; ++i)
        at[i] = sign[q][i] / sqrt(3.0);
    natural_gradients(at, slopes);
}

void pal_h8_map(const PalVec3 X[8], int32_t q, PalMat3 *map)
{
    double dN[8][3];
    pal_h8_slopes(q, dN);
    *map = (PalMat3){0};
    for (int a = 0; a < 8; ++a)
        for (int j = 0; j < 3; ++j) {
            map->m[0][j] += X[a].x * dN[a][j];
            map->m[1][j] += X[a].y * dN[a][j];
            map->m[2][j] += X[a].z * dN[a][j];
        }
}

// det(dX/dxi), and V grad N_a = cof(dX/dxi) dN_a/dxi.
static double weighted_gradients(const PalVec3 X[8], int32_t q, PalVec3 gradients[8])
{
    double dN[8][3];
    PalMat3 map;
    pal_h8_slopes(q, dN);
    pal_h8_map(X, q, &map);
    PalMat3 cofactor = pal_mat3_cofactor(&map);
    for (int a = 0; a < 8; ++a)
        gradients[a] = pal_mat3_apply(&cofactor, pal_vec3(dN[a][0], dN[a][1], dN[a][2]));
    return pal_mat3_determinant(&map);
}

double pal_h8_point(const PalVec3 X[8], int32_t q, PalVec3 gradients[8])
{
    double volume = weighted_gradients(X, q, gradients);
    for (int a = 0; a < 8; ++a)
        gradients[a] = pal_vec3_scale(1 / volume, gradients[a]);
    return volume;
}

// The integral of grad N_a is that of cof(dX/dxi) dN_a/dxi: quadratic in each natural coordinate,
// so two Gauss points an axis are exact.
double pal_h8_geometry(const PalVec3 X[8], PalVec3 gradients[8])
{
    double volume = 0;
    for (int a = 0; a < 8; ++a)
        gradients[a] = pal_vec3(0, 0, 0);
    for (int q = 0; q < 8; ++q) {
        PalVec3 here[8];
        volume += weighted_gradients(X, q, here);
        for (int a = 0; a < 8; ++a)
            gradients[a] = pal_vec3_add(gradients[a], here[a]);
    }
    for (int a = 0; a < 8; ++a)
        gradients[a] = pal_vec3_scale(1 / volume, gradients[a]);
    return volume;
}

// ---- quadratic tetrahedra -----------------------------------------------------------------

// Ends of the edge that node 4 + k is on.
static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

// dN_a/dr_k for parts r of the corners taken as if they were independent.
static void part_slopes(const double r[4], double dN[10][4])
{
    for (int a = 0; a < 10; ++a)
        for (int k = 0; k < 4; ++k)
            dN[a][k] = a == k ? 4 * r[k] - 1 : 0;
    for (int k = 0; k < 6; ++k) {
        dN[4 + k][ends[k][0]] = 4 * r[ends[k][1]];
        dN[4 + k][ends[k][1]] = 4 * r[ends[k][0]];
    }
}

// The rule of four points that is exact for quadratic functions.
static void parts_at(int32_t q, double r[4])
{
    for (int k = 0; k < 4; ++k)
        r[k] = k == q ? (5 + 3 * sqrt(5.0)) / 20 : (5 - sqrt(5.0)) / 20;
}

void pal_t10_map(const PalVec3 X[10], int32_t q, PalMat3 *map)
{
    double r[4], dN[10][4];
    parts_at(q, r);
    part_slopes(r, dN);
    *map = (PalMat3){0};
    for (int a = 1; a < 10; ++a)
        for (int k = 0; k < 9; ++k)
            map->m[k / 3][k % 3] += (pal_vec3_at(X[a], k / 3) - pal_vec3_at(X[0], k / 3)) *
                                    (dN[a][k % 3 + 1] - dN[a][0]);
}

double pal_t10_point(const PalVec3 X[10], int32_t q, PalVec3 gradients[10], double weights[4])
{
    double dN[10][4];
    PalMat3 map;
    parts_at(q, weights);
    part_slopes(weights, dN);
    pal_t10_map(X, q, &map);
    PalMat3 inverse = pal_mat3_inverse(&map), turned = pal_mat3_transpose(&inverse);
    for (int a = 0; a < 10; ++a)
        gradients[a] = pal_mat3_apply(
            &turned, pal_vec3(dN[a][1] - dN[a][0], dN[a][2] - dN[a][0], dN[a][3] - dN[a][0]));
    return pal_mat3_determinant(&map) / 24;
}
