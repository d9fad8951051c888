// Two closed triangles share a point if and only if an edge of one meets the other. All is decided
// by exact signs, so that flat, thin, touching and coplanar triangles need no tolerance.
#include "geometry/orient.h"
#include "math/vec3.h"

#include <palpate/geometry.h>

#define LARGEST 1e100

static bool spans_overlap(const PalVec3 *a, int a_count, const PalVec3 *b, int b_count, int axis)
{
    double a_low = INFINITY, a_high = -INFINITY, b_low = INFINITY, b_high = -INFINITY;
    for (int k = 0; k < a_count; ++k) {
        double x = pal_vec3_at(a[k], axis);
        a_low = x < a_low ? x : a_low;
        a_high = x > a_high ? x : a_high;
    }
    for (int k = 0; k < b_count; ++k) {
        double x = pal_vec3_at(b[k], axis);
        b_low = x < b_low ? x : b_low;
        b_high = x > b_high ? x : b_high;
    }
    return a_low <= b_high && b_low <= a_high;
}

// Projected along an axis, two edges share a point. Signs that are all 0 mean one line.
static bool edges_meet_in_projection(const PalVec3 a[2], const PalVec3 b[2], int axis)
{
    int b0 = pal_orient2d(a[0], a[1], b[0], axis), b1 = pal_orient2d(a[0], a[1], b[1], axis);
    int a0 = pal_orient2d(b[0], b[1], a[0], axis), a1 = pal_orient2d(b[0], b[1], a[1], axis);
    if (a0 == 0 && a1 == 0 && b0 == 0 && b1 == 0)
        return spans_overlap(a, 2, b, 2, (axis + 1) % 3) &&
               spans_overlap(a, 2, b, 2, (axis + 2) % 3);
    return a0 * a1 <= 0 && b0 * b1 <= 0;
}

static bool edge_meets_in_projection(const PalVec3 edge[2], const PalVec3 face[3], int axis)
{
    int sides[3];
    for (int k = 0; k < 3; ++k) {
        const PalVec3 border[2] = {face[k], face[(k + 1) % 3]};
        if (edges_meet_in_projection(edge, border, axis))
            return true;
        sides[k] = pal_orient2d(border[0], border[1], edge[0], axis);
    }
    return sides[0] != 0 && sides[0] == sides[1] && sides[1] == sides[2];
}

// In a plane: convex sets that meet in all three projections meet, because the plane contains at
// most two of the directions of projection and its picture along another one is faithful.
static bool edge_meets_in_plane(const PalVec3 edge[2], const PalVec3 face[3])
{
    return edge_meets_in_projection(edge, face, 0) && edge_meets_in_projection(edge, face, 1) &&
           edge_meets_in_projection(edge, face, 2);
}

// `ends`: sides of the face on which the edge ends; `turns`: how the edge passes the three borders.
static bool edge_meets_face(const PalVec3 edge[2], const int ends[2], const PalVec3 face[3],
                            const int turns[3])
{
    if (ends[0] * ends[1] > 0)
        return false;
    int least = turns[0] < turns[1] ? turns[0] : turns[1];
    int most = turns[0] < turns[1] ? turns[1] : turns[0];
    least = turns[2] < least ? turns[2] : least;
    most = turns[2] > most ? turns[2] : most;
    if (ends[0] != 0 || ends[1] != 0)
        return least >= 0 || most <= 0;
    return least == 0 && most == 0 && edge_meets_in_plane(edge, face);
}

static bool all_on_one_side(const int sides[3])
{
    return sides[0] != 0 && sides[0] == sides[1] && sides[1] == sides[2];
}

static void find_sides(const PalVec3 face[3], const PalVec3 points[3], int sides[3])
{
    for (int k = 0; k < 3; ++k)
        sides[k] = pal_orient3d(face[0], face[1], face[2], points[k]);
}

// Products of coordinates can be told exactly.
static bool are_ordinary(const PalVec3 points[3])
{
    bool ordinary = true;
    for (int k = 0; k < 3; ++k)
        ordinary = ordinary && fabs(points[k].x) <= LARGEST && fabs(points[k].y) <= LARGEST &&
                   fabs(points[k].z) <= LARGEST;
    return ordinary;
}

bool pal_triangles_intersect(const PalVec3 a[3], const PalVec3 b[3])
{
    if (!are_ordinary(a) || !are_ordinary(b))
        return true;
    for (int axis = 0; axis < 3; ++axis)
        if (!spans_overlap(a, 3, b, 3, axis))
            return false;
    int a_sides[3], b_sides[3], turns[3][3];
    find_sides(b, a, a_sides);
    if (all_on_one_side(a_sides))
        return false;
    find_sides(a, b, b_sides);
    if (all_on_one_side(b_sides))
        return false;
    for (int i = 0; i < 3; ++i) {
        const PalVec3 edge[2] = {a[i], a[(i + 1) % 3]};
        const int ends[2] = {a_sides[i], a_sides[(i + 1) % 3]};
        for (int j = 0; j < 3; ++j)
            turns[i][j] = pal_orient3d(edge[0], edge[1], b[j], b[(j + 1) % 3]);
        if (edge_meets_face(edge, ends, b, turns[i]))
            return true;
    }
    for (int j = 0; j < 3; ++j) {
        const PalVec3 edge[2] = {b[j], b[(j + 1) % 3]};
        const int ends[2] = {b_sides[j], b_sides[(j + 1) % 3]};
        if (edge_meets_face(edge, ends, a, (const int[3]){turns[0][j], turns[1][j], turns[2][j]}))
            return true;
    }
    return false;
}
