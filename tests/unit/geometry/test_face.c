// Closest points on faces: against SLSQP, against a fine grid, and where answers are known.
#include "check.h"
#include "random_points.h"
#include "slsqp.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { TRIALS = 4000 };
#else
enum { TRIALS = 100000 };
#endif
enum { KINDS = 4, GRID = 60 };

static const double corners_of_triangle[6][2] = {{0, 0},   {1, 0},     {0, 1},
                                                 {0.5, 0}, {0.5, 0.5}, {0, 0.5}};
static const double corners_of_square[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1},
                                               {0, -1},  {1, 0},  {0, 1}, {-1, 0}};

static const double *corner_of(PalFaceKind kind, int a)
{
    return kind <= PAL_FACE_TRI6 ? corners_of_triangle[a] : corners_of_square[a];
}

static void make_face(PalFaceKind kind, double astray, PalVec3 nodes[8], uint64_t *seed)
{
    for (int a = 0; a < 8; ++a) {
        PalVec3 away = pal_vec3_scale(astray, random_point(seed));
        const double *at = a < pal_face_node_count(kind) ? corner_of(kind, a) : (double[2]){0, 0};
        nodes[a] = pal_vec3_add(pal_vec3(at[0], at[1], 0), away);
    }
}

// Random faces, from nearly flat to folded; and faces of no area, with nodes in one place, on one
// line, on a grid, or far from the origin.
static double make_case(int trial, PalFaceKind kind, PalVec3 nodes[8], PalVec3 *point,
                        uint64_t *seed)
{
    static const double astray[] = {0.01, 0.05, 0.2, 0.2, 0.5, 1};
    double scale = 1;
    make_face(kind, astray[trial % 6], nodes, seed);
    *point = pal_vec3_scale(trial % 5 == 0 ? 0.2 : 1.5, random_point(seed));
    if (trial % 16 == 1)
        nodes[1] = nodes[0];
    if (trial % 16 == 2)
        for (int a = 0; a < 8; ++a)
            nodes[a] = nodes[0];
    if (trial % 16 == 3)
        for (int a = 0; a < 8; ++a)
            nodes[a] = pal_vec3_scale(nodes[a].x, pal_vec3(1, 0.5, 0.25));
    if (trial % 16 == 4)
        for (int a = 0; a < 8; ++a)
            nodes[a] = random_grid_point(1, seed);
    if (trial % 16 == 5)
        *point = nodes[trial % 3];
    if (trial % 16 == 6) {
        scale = 1e-5;
        for (int a = 0; a < 8; ++a)
            nodes[a] = pal_vec3_add(pal_vec3_scale(scale, nodes[a]), pal_vec3(1, 2, 3));
        *point = pal_vec3_add(pal_vec3_scale(scale, *point), pal_vec3(1, 2, 3));
    }
    return scale;
}

static void check_point(PalFaceKind kind, const PalVec3 *nodes, PalVec3 point,
                        const PalFacePoint *closest)
{
    PalVec3 position = {0, 0, 0};
    double sum = 0, x = closest->natural[0], y = closest->natural[1];
    for (int a = 0; a < 8; ++a) {
        sum += closest->weights[a];
        if (a < pal_face_node_count(kind))
            position = pal_vec3_add_scaled(position, closest->weights[a], nodes[a]);
        else
            assert_true(closest->weights[a] == 0);
    }
    check_near(sum, 1, 1e-14);
    check_near(pal_vec3_distance(position, closest->position), 0, 1e-13);
    check_near(pal_vec3_distance(point, closest->position), closest->distance, 1e-13);
    double least = kind <= PAL_FACE_TRI6 ? 0 : -1;
    assert_true(x >= least - 1e-13 && y >= least - 1e-13 && x <= 1 + 1e-13 && y <= 1 + 1e-13);
    assert_true(kind > PAL_FACE_TRI6 || x + y <= 1 + 1e-13);
}

// Where SLSQP ends from its published start it may be stuck in a valley, but never below us; from
// nearby it finds the same.
static void same_as_slsqp(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; ++k) {
        PalFaceKind kind = (PalFaceKind)k;
        uint64_t seed = 1 + (uint64_t)k;
        int stuck = 0;
        for (int trial = 0; trial < TRIALS; ++trial) {
            PalVec3 nodes[8], point;
            double scale = make_case(trial, kind, nodes, &point, &seed);
            PalFacePoint closest;
            assert_true(pal_closest_on_face(kind, nodes, point, &closest));
            check_point(kind, nodes, point, &closest);
            SlsqpFace face = {kind, nodes, point, scale};
            double at[2], near[2] = {closest.natural[0], closest.natural[1]};
            double distance = slsqp_closest(&face, at);
            if (distance < closest.distance - 1e-10 * scale)
                fail_msg("kind %d, trial %d: SLSQP finds %.17g, we %.17g", k, trial, distance,
                         closest.distance);
            if (distance <= closest.distance + 1e-10 * scale)
                continue;
            ++stuck;
            check_near(slsqp_from(&face, near), closest.distance, 1e-10 * scale);
        }
        print_message("kind %d: SLSQP from its published start is stuck in %d of %d\n", k, stuck,
                      TRIALS);
        assert_true(stuck < TRIALS / 10);
    }
}

// Nothing on a fine grid over the face is nearer.
static void nothing_is_nearer(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; ++k)
        for (int trial = 0; trial < TRIALS / 50; ++trial) {
            PalFaceKind kind = (PalFaceKind)k;
            PalVec3 nodes[8], point;
            uint64_t seed = (uint64_t)(1000 * k + trial);
            make_case(trial % 16 == 6 ? 0 : trial, kind, nodes, &point, &seed);
            PalFacePoint closest;
            assert_true(pal_closest_on_face(kind, nodes, point, &closest));
            SlsqpFace face = {kind, nodes, point, 1};
            bool triangle = kind <= PAL_FACE_TRI6;
            for (int i = 0; i <= GRID; ++i)
                for (int j = 0; j <= (triangle ? GRID - i : GRID); ++j) {
                    double x = (double)i / GRID, y = (double)j / GRID;
                    double at[2] = {triangle ? x : 2 * x - 1, triangle ? y : 2 * y - 1};
                    double distance = sqrt(2 * slsqp_value(2, at, NULL, &face));
                    if (distance < closest.distance - 1e-12)
                        fail_msg("kind %d, trial %d: %.17g at %g, %g, we %.17g", k, trial, distance,
                                 at[0], at[1], closest.distance);
                }
        }
}

// A cylinder of radius 1 made of one quadratic face, a saddle, a corner.
static void known_answers(void **state)
{
    (void)state;
    PalFacePoint closest;
    const PalVec3 saddle[4] = {{-1, -1, 1}, {1, -1, -1}, {1, 1, 1}, {-1, 1, -1}};
    assert_true(pal_closest_on_face(PAL_FACE_QUAD4, saddle, pal_vec3(0, 0, 0.4), &closest));
    check_near(closest.distance, 0.4, 1e-12);  // curvature 1: the middle is the one least point
    assert_true(pal_closest_on_face(PAL_FACE_QUAD4, saddle, pal_vec3(0, 0, 3), &closest));
    check_near(closest.distance, sqrt(2 + 4), 1e-12);  // two corners are equally near
    assert_true(closest.natural[0] == closest.natural[1]);
    const PalVec3 bowl[6] = {{0, 0, 0}, {2, 0, 4}, {0, 2, 4}, {1, 0, 1}, {1, 1, 2}, {0, 1, 1}};
    // z = x^2 + y^2: below the axis the apex is nearest
    assert_true(pal_closest_on_face(PAL_FACE_TRI6, bowl, pal_vec3(0, 0, -1), &closest));
    check_near(closest.distance, 1, 1e-12);
    // above it, points at z = h - 1/2 are, on a circle
    assert_true(pal_closest_on_face(PAL_FACE_TRI6, bowl, pal_vec3(0, 0, 2), &closest));
    check_near(closest.distance, sqrt(2 - 0.25), 1e-12);
    const PalVec3 flat[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    assert_true(pal_closest_on_face(PAL_FACE_TRI3, flat, pal_vec3(2, -1, 1), &closest));
    check_near(closest.distance, sqrt(3), 1e-15);
    check_near(closest.weights[1], 1, 0);
}

static void nearest_of_several_faces(void **state)
{
    (void)state;
    const PalVec3 faces[3][4] = {{{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
                                 {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
                                 {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}}};
    PalFacePoint closest;
    PalVec3 point = {0.25, 0.25, 0.25};
    assert_int_equal(pal_closest_on_faces(PAL_FACE_QUAD4, faces[0], 3, point, &closest), 1);
    check_near(closest.distance, 0.25, 1e-15);
    assert_int_equal(pal_closest_on_faces(PAL_FACE_QUAD4, faces[0], 0, point, &closest), PAL_NONE);
}

static void refuses_what_is_no_face(void **state)
{
    (void)state;
    PalVec3 nodes[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    PalFacePoint closest;
    assert_false(pal_closest_on_face((PalFaceKind)4, nodes, nodes[0], &closest));
    assert_int_equal(pal_face_node_count((PalFaceKind)-1), 0);
    static const double bad[] = {NAN, INFINITY, -1e101};
    for (int k = 0; k < KINDS; ++k)
        for (int b = 0; b < 3; ++b) {
            PalFaceKind kind = (PalFaceKind)k;
            assert_false(pal_closest_on_face(kind, nodes, pal_vec3(0, bad[b], 0), &closest));
            nodes[2].z = bad[b];
            assert_false(pal_closest_on_face(kind, nodes, nodes[0], &closest));
            assert_int_equal(pal_closest_on_faces(kind, nodes, 1, nodes[0], &closest), PAL_NONE);
            nodes[2].z = 0;
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(same_as_slsqp),           cmocka_unit_test(nothing_is_nearer),
    cmocka_unit_test(known_answers),           cmocka_unit_test(nearest_of_several_faces),
    cmocka_unit_test(refuses_what_is_no_face),
};

CHECK_GROUP(tests, NULL, NULL)
