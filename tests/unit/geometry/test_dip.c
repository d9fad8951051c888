// A triangle in a cell with a depth: integrals, forces, their derivatives.
#include "check.h"
#include "geometry/dip.h"
#include "random_points.h"

enum { TRIALS = 3000 };

static void make(uint64_t *seed, PalDipTriangle *triangle, PalDipCell *cell)
{
    *cell = (PalDipCell){.clip_count = 0};
    for (int k = 0; k < 4; ++k) {
        cell->corners[k] = random_point(seed);
        cell->depth[k] = fabs(random_point(seed).x);
    }
    for (int k = 0; k < 3; ++k) {
        triangle->corners[k] = random_point(seed);
        triangle->stiffness[k] = 1 + fabs(random_point(seed).x);
    }
    triangle->area = 1 + fabs(random_point(seed).x);
}

static double volume_of(const PalDipCell *cell)
{
    const PalVec3 *x = cell->corners;
    return pal_vec3_dot(pal_vec3_sub(x[1], x[0]),
                        pal_vec3_cross(pal_vec3_sub(x[2], x[0]), pal_vec3_sub(x[3], x[0])));
}

// As random ones, but cells that are not flat, and dips of some size.
static void make_good(uint64_t *seed, PalDipTriangle *triangle, PalDipCell *cell, PalDip *dip)
{
    do
        make(seed, triangle, cell);
    while (fabs(volume_of(cell)) < 0.2 || !pal_dip_find(triangle, cell, dip) ||
           dip->area[0] + dip->area[1] + dip->area[2] < 0.01 * triangle->area);
}

// Up to seven corners, and the area that random points find.
static void polygons_have_the_area_of_what_is_inside(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int seen[PAL_DIP_CORNERS + 1] = {0};
    for (int trial = 0; trial < TRIALS; ++trial) {
        PalDipTriangle triangle;
        PalDipCell cell;
        PalDip dip;
        make_good(&seed, &triangle, &cell, &dip);
        ++seen[dip.corner_count];
        if (trial % 100 != 0)
            continue;
        enum { SIDE = 300 };
        double inside = 0, share = 0;
        for (int i = 0; i < SIDE; ++i)
            for (int j = 0; j < SIDE - i; ++j) {
                double w[3] = {0, (i + 1.0 / 3) / SIDE, (j + 1.0 / 3) / SIDE};
                w[0] = 1 - w[1] - w[2];
                double at[4], d = 0;
                for (int e = 0; e < 4; ++e) {
                    at[e] =
                        w[0] * dip.place[0][e] + w[1] * dip.place[1][e] + w[2] * dip.place[2][e];
                    d += at[e] * cell.depth[e];
                }
                bool in = at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[3] >= 0;
                inside += in;
                share += in ? d * w[1] : 0;
            }
        double unit = triangle.area * 2 / (SIDE * (SIDE + 1.0));
        check_near(dip.area[0] + dip.area[1] + dip.area[2], inside * unit, 0.01 * triangle.area);
        check_near(dip.share[1], share * unit, 0.01 * triangle.area);
    }
    for (int count = 3; count <= 7; ++count)
        assert_true(seen[count] > 3);
}

static PalVec3 *corner_of(PalDipTriangle *triangle, PalDipCell *cell, int i)
{
    return i < 3 ? &triangle->corners[i] : &cell->corners[i - 3];
}

static void forces_and_moments_balance(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < TRIALS; ++trial) {
        PalDipTriangle triangle;
        PalDipCell cell;
        PalDip dip;
        PalDipForces forces;
        make_good(&seed, &triangle, &cell, &dip);
        pal_dip_forces(&dip, &forces);
        PalVec3 sum = {0, 0, 0}, moment = {0, 0, 0};
        double size = 0;
        for (int i = 0; i < PAL_DIP_NODES; ++i) {
            size += pal_vec3_length(forces.of[i]);
            sum = pal_vec3_add(sum, forces.of[i]);
            moment =
                pal_vec3_add(moment, pal_vec3_cross(*corner_of(&triangle, &cell, i), forces.of[i]));
        }
        assert_true(size > 0);
        check_near(pal_vec3_length(sum), 0, 1e-12 * size);
        check_near(pal_vec3_length(moment), 0, 1e-12 * size);
    }
}

static double derivative_error(PalDipTriangle *triangle, PalDipCell *cell, const PalDip *dip,
                               double *scale)
{
    const double step = 1e-6;
    PalDipTangent tangent;
    double worst = 0;
    pal_dip_tangent(triangle, cell, dip, &tangent);
    *scale = 0;
    for (int j = 0; j < PAL_DIP_NODES; ++j)
        for (int k = 0; k < 3; ++k) {
            PalDipForces ends[2];
            double *x = &(&corner_of(triangle, cell, j)->x)[k], old = *x;
            for (int side = 0; side < 2; ++side) {
                PalDip moved;
                *x = old + (side == 0 ? -step : step);
                if (pal_dip_find(triangle, cell, &moved))
                    pal_dip_forces(&moved, &ends[side]);
                else
                    ends[side] = (PalDipForces){0};
            }
            *x = old;
            for (int i = 0; i < PAL_DIP_NODES; ++i)
                for (int a = 0; a < 3; ++a) {
                    double change = (&ends[0].of[i].x)[a] - (&ends[1].of[i].x)[a];
                    double expected = tangent.of[i][j].m[a][k];
                    *scale = fmax(*scale, fabs(expected));
                    worst = fmax(worst, fabs(change / (2 * step) - expected));
                }
        }
    return worst;
}

static void tangents_are_the_derivatives_of_forces(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int kinks = 0;
    for (int trial = 0; trial < TRIALS; ++trial) {
        PalDipTriangle triangle;
        PalDipCell cell;
        PalDip dip;
        double scale;
        make_good(&seed, &triangle, &cell, &dip);
        double error = derivative_error(&triangle, &cell, &dip, &scale);
        kinks += error > 1e-6 * scale;  // a corner appears within the difference
    }
    assert_true(kinks <= TRIALS / 1000);
}

// Cells that are parts of a tetrahedron add up to it, whatever the depth.
static void parts_of_a_cell_add_up(void **state)
{
    (void)state;
    uint64_t seed = 11;
    // halves on either side of the plane through corners 2, 3 and the middle of 0 and 1
    static const double clips[2][5][4] = {
        {{1, -1, 0, 0}, {0, 2, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}},
        {{-1, 1, 0, 0}, {2, 0, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}},
    };
    for (int trial = 0; trial < TRIALS / 10; ++trial) {
        PalDipTriangle triangle;
        PalDipCell cell;
        PalDip dip, part;
        double area[3] = {0}, load[3] = {0};
        make_good(&seed, &triangle, &cell, &dip);
        for (int half = 0; half < 2; ++half) {
            PalDipCell piece = cell;
            piece.clip_count = 4;
            piece.clips = clips[half];
            if (!pal_dip_find(&triangle, &piece, &part))
                continue;
            double scale;
            assert_true(derivative_error(&triangle, &piece, &part, &scale) <= 1e-5 * scale ||
                        part.area[0] + part.area[1] + part.area[2] < 1e-3);
            for (int a = 0; a < 3; ++a) {
                area[a] += part.area[a];
                load[a] += part.load[a];
            }
        }
        for (int a = 0; a < 3; ++a) {
            check_near(area[a], dip.area[a], 1e-12);
            check_near(load[a], dip.load[a], 1e-12);
        }
    }
}

typedef struct Way {
    PalDipTriangle from;
    PalDipCell cell;
    PalVec3 ways[3];
} Way;

// Forces at a place of the way; returns how many corners the polygon has there.
static int forces_on_way(const Way *way, double place, PalDipForces *forces)
{
    PalDipTriangle moved = way->from;
    PalDip dip;
    memset(forces, 0, sizeof *forces);
    for (int k = 0; k < 3; ++k)
        moved.corners[k] = pal_vec3_add_scaled(way->from.corners[k], place, way->ways[k]);
    if (!pal_dip_find(&moved, &way->cell, &dip))
        return 0;
    pal_dip_forces(&dip, forces);
    return dip.corner_count;
}

static double size_of(const PalDipForces *forces, const PalDipForces *others)
{
    double most = 0;
    for (int i = 0; i < PAL_DIP_NODES; ++i) {
        PalVec3 other = others != NULL ? others->of[i] : pal_vec3(0, 0, 0);
        most = fmax(most, pal_vec3_distance(forces->of[i], other));
    }
    return most;
}

// Between two places where the polygons have different corners: how far the forces on both sides of
// the change are apart.
static double jump_between(const Way *way, double low, double high)
{
    PalDipForces ends[2];
    int corners = forces_on_way(way, low, &ends[0]);
    forces_on_way(way, high, &ends[1]);
    for (double middle = (low + high) / 2; middle > low && middle < high;
         middle = (low + high) / 2) {
        PalDipForces forces;
        bool same = forces_on_way(way, middle, &forces) == corners;
        *(same ? &low : &high) = middle;
        ends[same ? 0 : 1] = forces;
    }
    return size_of(&ends[0], &ends[1]);
}

// Where corners come and go along a straight way, forces do not jump: between neighbouring numbers
// they differ by rounding.
static void forces_are_continuous_along_a_way(void **state)
{
    (void)state;
    enum { STEPS = 400, WAYS = 300 };
    uint64_t seed = 13;
    int changes = 0;
    double worst = 0;
    for (int trial = 0; trial < WAYS; ++trial) {
        Way way;
        PalDip dip;
        make_good(&seed, &way.from, &way.cell, &dip);
        for (int k = 0; k < 3; ++k)
            way.ways[k] = random_point(&seed);
        double most = 0, jump = 0;
        int before = 0;
        for (int step = 0; step <= STEPS; ++step) {
            PalDipForces forces;
            double place = 2.0 * step / STEPS - 1;
            int corners = forces_on_way(&way, place, &forces);
            most = fmax(most, size_of(&forces, NULL));
            if (step > 0 && corners != before) {
                jump = fmax(jump, jump_between(&way, place - 2.0 / STEPS, place));
                ++changes;
            }
            before = corners;
        }
        worst = fmax(worst, jump / most);
    }
    print_message("%d changes of polygons, forces jump by %.1e at most\n", changes, worst);
    assert_true(changes > 3 * WAYS);
    assert_true(worst < 1e-8);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(polygons_have_the_area_of_what_is_inside),
    cmocka_unit_test(forces_and_moments_balance),
    cmocka_unit_test(tangents_are_the_derivatives_of_forces),
    cmocka_unit_test(parts_of_a_cell_add_up),
    cmocka_unit_test(forces_are_continuous_along_a_way),
};

CHECK_GROUP(tests, NULL, NULL)
