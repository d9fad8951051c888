// E = 1/2 int s d^2 dA over the polygon;  f = -dE/dx = -int s d N dA grad d on the triangle, and
// the opposite on the cell by its own weights at the same points (hirota2003, equation 3).
// docs/theory/material-depth.md, 2 to 4
#include "geometry/dip.h"

#include <math.h>
#include <string.h>

// ---- where they meet --------------------------------------------------------------------

// Gradients of a tetrahedron's weights. False: it is flat.
static bool find_gradients(const PalVec3 corners[4], PalVec3 gradients[4])
{
    PalVec3 a = pal_vec3_sub(corners[1], corners[0]), b = pal_vec3_sub(corners[2], corners[0]);
    PalVec3 c = pal_vec3_sub(corners[3], corners[0]), bc = pal_vec3_cross(b, c);
    double volume = pal_vec3_dot(a, bc);
    if (volume == 0 || !isfinite(1 / volume))
        return false;
    gradients[1] = pal_vec3_scale(1 / volume, bc);
    gradients[2] = pal_vec3_scale(1 / volume, pal_vec3_cross(c, a));
    gradients[3] = pal_vec3_scale(1 / volume, pal_vec3_cross(a, b));
    PalVec3 sum = pal_vec3_add(gradients[1], pal_vec3_add(gradients[2], gradients[3]));
    gradients[0] = pal_vec3_scale(-1, sum);
    return true;
}

PalVec3 pal_dip_slope(const PalDipCell *cell)
{
    PalVec3 gradients[4], slope = {0, 0, 0};
    for (int e = 0; find_gradients(cell->corners, gradients) && e < 4; ++e)
        slope = pal_vec3_add_scaled(slope, cell->depth[e], gradients[e]);
    return slope;
}

static double dot4(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static int clip_count(const PalDipCell *cell)
{
    return cell->clip_count > 0 ? cell->clip_count : 4;
}

// What a clip is at the corners of the triangle.
static void clip_values(const PalDipCell *cell, const PalDip *dip, int clip, double values[3])
{
    for (int a = 0; a < 3; ++a)
        values[a] =
            cell->clip_count > 0 ? dot4(cell->clips[clip], dip->place[a]) : dip->place[a][clip];
}

static PalDipCorner between(const PalDipCorner *from, const PalDipCorner *to, double part)
{
    PalDipCorner corner = {.clip = from->clip};
    for (int a = 0; a < 3; ++a)
        corner.weights[a] = from->weights[a] + part * (to->weights[a] - from->weights[a]);
    return corner;
}

// Cuts off what is on the negative side (Sutherland and Hodgman 1974).
static void cut(PalDip *dip, int clip, const double values[3])
{
    PalDipCorner old[PAL_DIP_CORNERS];
    int count = dip->corner_count, kept = 0;
    memcpy(old, dip->corners, (size_t)count * sizeof *old);
    for (int i = 0; i < count; ++i) {
        const PalDipCorner *from = &old[i], *to = &old[(i + 1) % count];
        double here = dot3(values, from->weights), there = dot3(values, to->weights);
        if (here >= 0)
            dip->corners[kept++] = *from;
        if ((here >= 0) == (there >= 0) || kept >= PAL_DIP_CORNERS)
            continue;
        dip->corners[kept] = between(from, to, here / (here - there));
        if (here >= 0)
            dip->corners[kept].clip = clip;
        ++kept;
    }
    dip->corner_count = kept;
}

static bool find_polygon(const PalDipCell *cell, PalDip *dip)
{
    dip->corner_count = 3;
    for (int a = 0; a < 3; ++a) {
        dip->corners[a] = (PalDipCorner){.clip = PAL_NONE};
        dip->corners[a].weights[a] = 1;
    }
    for (int clip = 0; clip < clip_count(cell); ++clip) {
        double values[3];
        clip_values(cell, dip, clip, values);
        if (values[0] >= 0 && values[1] >= 0 && values[2] >= 0)
            continue;
        cut(dip, clip, values);
        if (dip->corner_count < 3)
            return false;
    }
    return true;
}

// ---- integrals --------------------------------------------------------------------------

// Six points that are exact up to the fourth degree (Dunavant 1985).
static const double near_corner[2] = {0.816847572980458513, 0.108103018168070227};
static const double near_weight[2] = {0.109951743655321868, 0.223381589678011466};

static double part_of_area(const double a[3], const double b[3], const double c[3])
{
    return fabs((b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]));
}

int pal_dip_points(const PalDipTriangle *triangle, const PalDip *dip,
                   PalDipPoint points[PAL_DIP_POINTS])
{
    int count = 0;
    for (int i = 2; i < dip->corner_count; ++i) {
        const double *fan[3] = {dip->corners[0].weights, dip->corners[i - 1].weights,
                                dip->corners[i].weights};
        double area = triangle->area * part_of_area(fan[0], fan[1], fan[2]);
        for (int k = 0; k < 6; ++k) {
            double most = near_corner[k / 3], rest = (1 - most) / 2;
            PalDipPoint *point = &points[count++];
            point->weight = area * near_weight[k / 3];
            for (int a = 0; a < 3; ++a)
                point->weights[a] =
                    rest * (fan[0][a] + fan[1][a] + fan[2][a]) + (most - rest) * fan[k % 3][a];
        }
    }
    return count;
}

static void integrate(const PalDipTriangle *triangle, PalDip *dip)
{
    PalDipPoint points[PAL_DIP_POINTS];
    int count = pal_dip_points(triangle, dip, points);
    for (int q = 0; q < count; ++q) {
        double d = dot3(dip->depth, points[q].weights);
        double s = dot3(triangle->stiffness, points[q].weights);
        for (int a = 0; a < 3; ++a) {
            double part = points[q].weight * points[q].weights[a];
            dip->area[a] += part;
            dip->share[a] += part * d;
            dip->load[a] += part * d * s;
        }
    }
    for (int i = 0; i < dip->corner_count; ++i)
        dip->deepest = fmax(dip->deepest, dot3(dip->depth, dip->corners[i].weights));
}

// Weights and depth of the first so many corners. False: the cell is flat.
static bool find_places(const PalDipTriangle *triangle, const PalDipCell *cell, int count,
                        PalDip *dip)
{
    *dip = (PalDip){.corner_count = 0};
    if (!find_gradients(cell->corners, dip->gradients))
        return false;
    for (int a = 0; a < count; ++a) {
        PalVec3 x = pal_vec3_sub(triangle->corners[a], cell->corners[0]);
        dip->place[a][0] = 1;
        for (int e = 1; e < 4; ++e) {
            dip->place[a][e] = pal_vec3_dot(dip->gradients[e], x);
            dip->place[a][0] -= dip->place[a][e];
        }
        dip->depth[a] = dot4(cell->depth, dip->place[a]);
    }
    for (int e = 0; e < 4; ++e)
        dip->normal = pal_vec3_add_scaled(dip->normal, cell->depth[e], dip->gradients[e]);
    return true;
}

bool pal_dip_find(const PalDipTriangle *triangle, const PalDipCell *cell, PalDip *dip)
{
    if (!find_places(triangle, cell, 3, dip) || !find_polygon(cell, dip))
        return false;
    integrate(triangle, dip);
    return true;
}

bool pal_dip_find_point(const PalDipTriangle *triangle, const PalDipCell *cell, PalDip *dip)
{
    if (!find_places(triangle, cell, 1, dip))
        return false;
    if (dip->depth[0] < 0)
        return false;
    dip->margin = INFINITY;
    for (int clip = 0; clip < clip_count(cell); ++clip) {
        double values[3];
        clip_values(cell, dip, clip, values);
        if (values[0] < (clip < 4 ? -PAL_DIP_ROUNDING : 0))
            return false;
        if (clip < 4)
            dip->margin = fmin(dip->margin, values[0]);
    }
    dip->corner_count = 1;
    dip->corners[0] = (PalDipCorner){.weights = {1, 0, 0}, .clip = PAL_NONE};
    dip->deepest = dip->depth[0];
    dip->area[0] = triangle->area;
    dip->share[0] = triangle->area * dip->depth[0];
    dip->load[0] = triangle->stiffness[0] * dip->share[0];
    return true;
}

// ---- forces and their derivatives -------------------------------------------------------

void pal_dip_forces(const PalDip *dip, PalDipForces *forces)
{
    *forces = (PalDipForces){0};
    for (int a = 0; a < 3; ++a) {
        PalVec3 push = pal_vec3_scale(dip->load[a], dip->normal);
        forces->of[a] = pal_vec3_scale(-1, push);
        for (int e = 0; e < 4; ++e)
            forces->of[3 + e] = pal_vec3_add_scaled(forces->of[3 + e], dip->place[a][e], push);
    }
}

typedef PalVec3 Changes[3][3];  // how load a changes when corner c moves against the cell

// Points inside get deeper.
static void add_deepening(const PalDipTriangle *triangle, const PalDip *dip, Changes changes)
{
    PalDipPoint points[PAL_DIP_POINTS];
    int count = pal_dip_points(triangle, dip, points);
    double sums[3][3] = {{0}};
    if (dip->corner_count == 1)
        sums[0][0] = triangle->stiffness[0] * triangle->area;
    for (int q = 0; q < count; ++q) {
        double s = points[q].weight * dot3(triangle->stiffness, points[q].weights);
        for (int a = 0; a < 3; ++a)
            for (int c = 0; c < 3; ++c)
                sums[a][c] += s * points[q].weights[a] * points[q].weights[c];
    }
    for (int a = 0; a < 3; ++a)
        for (int c = 0; c < 3; ++c)
            changes[a][c] = pal_vec3_scale(sums[a][c], dip->normal);
}

// An edge on a clip moves with it: three of Gauss's points along it are exact.
static void add_moving_edge(const PalDipTriangle *triangle, const PalDipCell *cell,
                            const PalDip *dip, int corner, Changes changes)
{
    static const double at[3] = {0.11270166537925831, 0.5, 0.88729833462074169};
    static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    const PalDipCorner *from = &dip->corners[corner];
    const PalDipCorner *to = &dip->corners[(corner + 1) % dip->corner_count];
    double values[3];
    clip_values(cell, dip, from->clip, values);
    double slope = hypot(values[1] - values[0], values[2] - values[0]);
    double length = hypot(to->weights[1] - from->weights[1], to->weights[2] - from->weights[2]);
    if (!(slope > 0) || length == 0)
        return;                     // the triangle lies in the clip
    PalVec3 direction = {0, 0, 0};  // gradient of the clip
    for (int e = 0; e < 4; ++e)
        direction = pal_vec3_add_scaled(
            direction, cell->clip_count > 0 ? cell->clips[from->clip][e] : e == from->clip,
            dip->gradients[e]);
    for (int q = 0; q < 3; ++q) {
        PalDipCorner point = between(from, to, at[q]);
        double d = dot3(dip->depth, point.weights), s = dot3(triangle->stiffness, point.weights);
        double sum = 2 * triangle->area * weight[q] * length / slope * s * d;
        for (int a = 0; a < 3; ++a)
            for (int c = 0; c < 3; ++c)
                changes[a][c] = pal_vec3_add_scaled(
                    changes[a][c], sum * point.weights[a] * point.weights[c], direction);
    }
}

static void add_outer(PalMat3 *sum, double scale, PalVec3 a, PalVec3 b)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            sum->m[i][j] += scale * pal_vec3_at(a, i) * pal_vec3_at(b, j);
}

// Of each corner in the motion of the triangle's against the cell.
static void find_parts(const PalDip *dip, double part[3][PAL_DIP_NODES])
{
    memset(part, 0, sizeof(double[3][PAL_DIP_NODES]));
    for (int a = 0; a < 3; ++a) {
        part[a][a] = 1;
        for (int e = 0; e < 4; ++e)
            part[a][3 + e] = -dip->place[a][e];
    }
}

static void add_changes(const PalDip *dip, Changes changes, PalDipTangent *tangent)
{
    double part[3][PAL_DIP_NODES];
    find_parts(dip, part);
    for (int i = 0; i < PAL_DIP_NODES; ++i) {
        PalVec3 rows[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        for (int a = 0; a < 3; ++a)
            for (int c = 0; c < 3; ++c)
                rows[c] = pal_vec3_add_scaled(rows[c], part[a][i], changes[a][c]);
        for (int j = 0; j < PAL_DIP_NODES; ++j) {
            PalVec3 sum = {0, 0, 0};
            for (int c = 0; c < 3; ++c)
                sum = pal_vec3_add_scaled(sum, part[c][j], rows[c]);
            add_outer(&tangent->of[i][j], 1, dip->normal, sum);
        }
    }
}

void pal_dip_stable_tangent(const PalDipTriangle *triangle, const PalDip *dip,
                            PalDipTangent *tangent)
{
    Changes changes;
    *tangent = (PalDipTangent){0};
    add_deepening(triangle, dip, changes);
    add_changes(dip, changes, tangent);
}

void pal_dip_tangent(const PalDipTriangle *triangle, const PalDipCell *cell, const PalDip *dip,
                     PalDipTangent *tangent)
{
    Changes changes;
    double part[3][PAL_DIP_NODES];
    *tangent = (PalDipTangent){0};
    add_deepening(triangle, dip, changes);
    for (int i = 0; i < dip->corner_count; ++i)
        if (dip->corners[i].clip != PAL_NONE)
            add_moving_edge(triangle, cell, dip, i, changes);
    add_changes(dip, changes, tangent);
    find_parts(dip, part);
    for (int i = 0; i < PAL_DIP_NODES; ++i) {
        double load = 0;
        for (int a = 0; a < 3; ++a)
            load += dip->load[a] * part[a][i];
        for (int e = 0; e < 4; ++e) {  // the gradient of the depth turns with the cell
            add_outer(&tangent->of[i][3 + e], -load, dip->gradients[e], dip->normal);
            add_outer(&tangent->of[3 + e][i], -load, dip->normal, dip->gradients[e]);
        }
    }
}
