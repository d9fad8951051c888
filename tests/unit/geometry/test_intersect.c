#include "check.h"
#include "geometry/orient.h"
#include "random_points.h"

#include <palpate/geometry.h>

__extension__ typedef __int128 Wide;

typedef struct Whole {
    int64_t x, y, z;
} Whole;

static Whole less(PalVec3 a, PalVec3 b)
{
    return (Whole){(int64_t)a.x - (int64_t)b.x, (int64_t)a.y - (int64_t)b.y,
                   (int64_t)a.z - (int64_t)b.z};
}

typedef struct Cross {
    Wide x, y, z;
} Cross;

static Cross cross(Whole a, Whole b)
{
    return (Cross){(Wide)a.y * b.z - (Wide)a.z * b.y, (Wide)a.z * b.x - (Wide)a.x * b.z,
                   (Wide)a.x * b.y - (Wide)a.y * b.x};
}

static Wide determinant(Whole a, Whole b, Whole c)
{
    Cross n = cross(a, b);
    return n.x * c.x + n.y * c.y + n.z * c.z;
}

static bool is_zero(Cross n)
{
    return n.x == 0 && n.y == 0 && n.z == 0;
}

static bool segment_holds_origin(Whole a, Whole b)
{
    return is_zero(cross(a, b)) && (Wide)a.x * b.x + (Wide)a.y * b.y + (Wide)a.z * b.z <= 0;
}

static Wide inner(Cross a, Cross b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Degenerate triangles are left to their edges.
static bool triangle_holds_origin(Whole a, Whole b, Whole c)
{
    if (determinant(a, b, c) != 0)
        return false;
    Cross ab = cross(a, b), bc = cross(b, c), ca = cross(c, a);
    Cross n = {ab.x + bc.x + ca.x, ab.y + bc.y + ca.y, ab.z + bc.z + ca.z};
    return !is_zero(n) && inner(n, ab) >= 0 && inner(n, bc) >= 0 && inner(n, ca) >= 0;
}

static bool tetrahedron_holds_origin(Whole a, Whole b, Whole c, Whole d)
{
    Wide v[4] = {determinant(b, c, d), -determinant(a, c, d), determinant(a, b, d),
                 -determinant(a, b, c)};
    if (v[0] + v[1] + v[2] + v[3] == 0)
        return false;
    return (v[0] >= 0 && v[1] >= 0 && v[2] >= 0 && v[3] >= 0) ||
           (v[0] <= 0 && v[1] <= 0 && v[2] <= 0 && v[3] <= 0);
}

// Triangles meet if and only if the hull of the nine differences of their corners holds the
// origin; and a hull is the union of the simplices among its points.
static bool oracle(const PalVec3 a[3], const PalVec3 b[3])
{
    Whole d[9];
    for (int k = 0; k < 9; ++k)
        d[k] = less(a[k / 3], b[k % 3]);
    for (int i = 0; i < 9; ++i)
        for (int j = i; j < 9; ++j) {
            if (segment_holds_origin(d[i], d[j]))
                return true;
            for (int k = j + 1; k < 9; ++k) {
                if (triangle_holds_origin(d[i], d[j], d[k]))
                    return true;
                for (int l = k + 1; l < 9; ++l)
                    if (tetrahedron_holds_origin(d[i], d[j], d[k], d[l]))
                        return true;
            }
        }
    return false;
}

// Flattens and thins triangles in many ways.
static void degrade(int kind, PalVec3 p[6], uint64_t *seed)
{
    int n = random_integer(-2, 2, seed), m = random_integer(-2, 2, seed);
    if (kind == 1)  // one plane
        for (int k = 0; k < 6; ++k)
            p[k].z = n * p[k].x + m * p[k].y;
    if (kind == 2)  // one line
        for (int k = 0; k < 6; ++k)
            p[k] = pal_vec3(p[k].x, n * p[k].x, m * p[k].x);
    if (kind == 3)  // a segment and a triangle
        p[2] = p[random_integer(0, 1, seed)];
    if (kind == 4) {  // a segment with a point between its ends, and a point
        p[0] = pal_vec3_scale(2, p[0]);
        p[1] = pal_vec3_scale(2, p[1]);
        p[2] = pal_vec3_scale(0.5, pal_vec3_add(p[0], p[1]));
        p[3] = p[4] = p[5] = p[random_integer(2, 5, seed)];
    }
    if (kind == 5)  // a shared corner
        p[3] = p[random_integer(0, 2, seed)];
    if (kind == 6) {  // a shared edge
        p[3] = p[1];
        p[4] = p[2];
    }
}

static void intersections_are_exact(void **state)
{
    (void)state;
    enum { TRIALS = 40000, KINDS = 7 };
    uint64_t seed = 4;
    int meeting[KINDS] = {0};
    for (int trial = 0; trial < TRIALS; ++trial) {
        int kind = trial % KINDS, size = trial % 3 == 0 ? 3 : 8;
        PalVec3 p[6];
        for (int k = 0; k < 6; ++k)
            p[k] = random_grid_point(size, &seed);
        degrade(kind, p, &seed);
        if (trial % 2 == 1)  // as good as degenerate: one part in a million beside it
            for (int k = 0; k < 6; ++k)
                p[k] = pal_vec3_add(pal_vec3_scale(0x1p20, p[k]), random_grid_point(1, &seed));
        bool expected = oracle(p, p + 3);
        meeting[kind] += expected;
        if (pal_triangles_intersect(p, p + 3) != expected)
            fail_msg("trial %d: expected %d", trial, expected);
        assert_int_equal(pal_triangles_intersect(p + 3, p), expected);
        for (int k = 0; k < 6; ++k)
            p[k] = pal_vec3_scale(0x1p-60, p[k]);
        assert_int_equal(pal_triangles_intersect(p, p + 3), expected);
    }
    for (int kind = 0; kind < KINDS; ++kind) {
        print_message("kind %d: %d of %d meet\n", kind, meeting[kind], TRIALS / KINDS);
        assert_true(meeting[kind] > 10 && meeting[kind] < TRIALS / KINDS);
    }
}

// Points of the plane x = y, of sizes whose differences no double holds.
static void signs_survive_inexact_differences(void **state)
{
    (void)state;
    uint64_t seed = 5;
    int signs[3] = {0};
    for (int trial = 0; trial < 20000; ++trial) {
        PalVec3 p[4], flat[3];
        for (int k = 0; k < 4; ++k) {
            double x = ldexp(random_signed(&seed), random_integer(-40, 40, &seed));
            p[k] = pal_vec3(x, x, ldexp(random_signed(&seed), random_integer(-40, 40, &seed)));
        }
        assert_int_equal(pal_orient3d(p[0], p[1], p[2], p[3]), 0);
        // Lifting the last point out of the plane by the least there is: a step against x - y.
        p[3].x = nextafter(p[3].x, trial % 2 == 0 ? INFINITY : -INFINITY);
        for (int k = 0; k < 3; ++k)
            flat[k] = p[k];
        int area = pal_orient2d(flat[0], flat[1], flat[2], 0);
        int expected = trial % 2 == 0 ? -area : area;
        int found = pal_orient3d(p[0], p[1], p[2], p[3]);
        if (found != expected)
            fail_msg("trial %d: %d, expected %d", trial, found, expected);
        ++signs[found + 1];
    }
    assert_true(signs[0] > 1000 && signs[2] > 1000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(intersections_are_exact),
    cmocka_unit_test(signs_survive_inexact_differences),
};
CHECK_GROUP(tests, NULL, NULL)
