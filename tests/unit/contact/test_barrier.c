// The barrier of random pairs against differences of its energy, and its balance of forces.
#include "check.h"
#include "contact/response/barrier/barrier.h"

enum { TRIES = 400 };

static const double RANGE = 0.1;

static double random_number(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0 * 2 - 1;
}

static PalVec3 random_vector(uint64_t *seed)
{
    double x = random_number(seed), y = random_number(seed);
    return pal_vec3(x, y, random_number(seed));
}

// Two sides of any kind that are near each other; edges are nearly parallel now and then.
static PalBarrierItem random_item(uint64_t *seed, int kind, PalVec3 x[4])
{
    PalBarrierItem item = {.kind = (PalNearKind)kind, .stiffness = 1000};
    item.features.kind = kind == PAL_NEAR_EDGES ? PAL_CONTACT_EDGE_EDGE : PAL_CONTACT_NODE_FACET;
    for (int k = 0; k < 4; ++k)
        x[k] = random_vector(seed);
    if (kind == PAL_NEAR_EDGES) {
        PalVec3 way = pal_vec3_sub(x[1], x[0]);
        if (random_number(seed) > 0)
            x[3] = pal_vec3_add_scaled(pal_vec3_add(x[2], way), 0.02, random_vector(seed));
        item.parallel = 1e-2 * pal_vec3_dot(way, way);
    }
    PalNearness near;
    double wanted = RANGE * (0.55 + 0.4 * random_number(seed));
    assert_true(pal_nearness_find(item.kind, x, &near));
    int split = kind == PAL_NEAR_EDGES ? 2 : 1;
    for (int k = 0; k < split; ++k)  // pushed along the shortest way
        x[k] = pal_vec3_add_scaled(x[k], wanted - near.distance, near.normal);
    return item;
}

static double energy_of(const PalBarrierItem *item, const PalVec3 x[4])
{
    bool broken;
    PalBarrierPush push = pal_barrier_push(item, x, RANGE, &broken);
    assert_false(broken);
    return push.acts ? push.factor * push.energy : 0;
}

static void forces_of(const PalBarrierItem *item, const PalVec3 x[4], PalVec3 forces[4])
{
    bool broken;
    PalBarrierPush push = pal_barrier_push(item, x, RANGE, &broken);
    assert_true(push.acts);
    pal_barrier_forces(item, &push, x, forces);
}

// Differences are taken where the closest points stay inside of what they are in.
static bool is_smooth(const PalBarrierItem *item, const PalVec3 x[4])
{
    PalNearness near;
    assert_true(pal_nearness_find(item->kind, x, &near));
    for (int k = 0; k < 4; ++k)
        if (fabs(near.weights[k]) > 0 && fabs(near.weights[k]) < 0.02)
            return false;
    return near.distance < 0.98 * RANGE && near.distance > 0.1 * RANGE;
}

static double change(const PalBarrierItem *item, const PalVec3 x[4], int component, double h,
                     PalVec3 slopes[4])
{
    const double at[4] = {-2, -1, 1, 2}, weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    double slope = 0;
    memset(slopes, 0, 4 * sizeof *slopes);
    for (int p = 0; p < 4; ++p) {
        PalVec3 moved[4], forces[4];
        memcpy(moved, x, sizeof moved);
        (&moved[0].x)[component] += at[p] * h;
        slope += weight[p] / h * energy_of(item, moved);
        forces_of(item, moved, forces);
        for (int k = 0; k < 4; ++k)
            slopes[k] = pal_vec3_add_scaled(slopes[k], -weight[p] / h, forces[k]);
    }
    return slope;
}

static void derivatives_are_exact(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int looked = 0;
    for (int t = 0; t < TRIES; ++t) {
        PalVec3 x[4], forces[4], slopes[4];
        PalBarrierItem item = random_item(&seed, t % 4, x);
        if (!is_smooth(&item, x))
            continue;
        double matrix[PAL_NEAR_SIZE * PAL_NEAR_SIZE], size = 0, force = 0;
        bool broken;
        PalBarrierPush push = pal_barrier_push(&item, x, RANGE, &broken);
        PalTangentWish exact = {1, true};
        pal_barrier_curve(&item, &push, x, &exact, matrix);
        forces_of(&item, x, forces);
        for (int k = 0; k < PAL_NEAR_SIZE * PAL_NEAR_SIZE; ++k)
            size = fmax(size, fabs(matrix[k]));
        for (int k = 0; k < 4; ++k)
            force = fmax(force, pal_vec3_length(forces[k]));
        for (int c = 0; c < PAL_NEAR_SIZE; ++c) {
            double slope = change(&item, x, c, 2e-5, slopes);
            check_near(-slope, (&forces[0].x)[c], 1e-6 * force);
            for (int r = 0; r < PAL_NEAR_SIZE; ++r)
                check_near((&slopes[0].x)[r], matrix[r * PAL_NEAR_SIZE + c], 1e-6 * size);
        }
        ++looked;
    }
    assert_true(looked > TRIES / 4);
}

static void forces_and_moments_balance(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int t = 0; t < TRIES; ++t) {
        PalVec3 x[4], forces[4], sum = {0, 0, 0}, moment = {0, 0, 0};
        PalBarrierItem item = random_item(&seed, t % 4, x);
        double size = 0;
        if (energy_of(&item, x) == 0)
            continue;
        forces_of(&item, x, forces);
        for (int k = 0; k < 4; ++k) {
            sum = pal_vec3_add(sum, forces[k]);
            moment = pal_vec3_add(moment, pal_vec3_cross(x[k], forces[k]));
            size += pal_vec3_length(forces[k]);
        }
        check_near(pal_vec3_length(sum), 0, 1e-12 * size);
        check_near(pal_vec3_length(moment), 0, 1e-12 * size);
    }
}

// Positive where it is asked for, and larger than the exact one by as little as that takes.
static void positive_means_positive(void **state)
{
    (void)state;
    uint64_t seed = 11;
    bool differs = false;
    for (int t = 0; t < TRIES; ++t) {
        PalVec3 x[4];
        PalBarrierItem item = random_item(&seed, t % 4, x);
        double exact[PAL_NEAR_SIZE * PAL_NEAR_SIZE], positive[PAL_NEAR_SIZE * PAL_NEAR_SIZE];
        bool broken;
        PalBarrierPush push = pal_barrier_push(&item, x, RANGE, &broken);
        if (!push.acts)
            continue;
        pal_barrier_curve(&item, &push, x, &(PalTangentWish){1, true}, exact);
        pal_barrier_curve(&item, &push, x, &(PalTangentWish){1, false}, positive);
        for (int k = 0; k < 50; ++k) {
            double d[PAL_NEAR_SIZE], a = 0, b = 0, scale = 0;
            for (int i = 0; i < PAL_NEAR_SIZE; ++i)
                d[i] = random_number(&seed);
            for (int i = 0; i < PAL_NEAR_SIZE * PAL_NEAR_SIZE; ++i) {
                double dd = d[i / PAL_NEAR_SIZE] * d[i % PAL_NEAR_SIZE];
                a += exact[i] * dd;
                b += positive[i] * dd;
                scale += fabs(positive[i] * dd) + fabs(exact[i] * dd);
            }
            assert_true(b >= -1e-12 * scale && b >= a - 1e-12 * scale);
            differs = differs || a < -1e-3 * scale;
        }
    }
    assert_true(differs);
}

// The distance that belongs to a force, from hardly any to a gap of a thousandth of the range.
static void forces_tell_distances(void **state)
{
    (void)state;
    for (double y = 1e-3; y < 0.999; y *= 1.07) {
        double force = pal_barrier_potential(y * RANGE, RANGE).force;
        check_near(pal_barrier_distance(force, RANGE), y * RANGE, 1e-6 * y * RANGE);
    }
    check_near(pal_barrier_distance(0, RANGE), RANGE, 1e-3 * RANGE);
}

// Friction slides with its limit, and its tangent is its own.
static void friction_is_coulombs(void **state)
{
    (void)state;
    const double slip = 1e-3, h = 1e-7;
    PalDrag drag = {.weights = {1, -0.2, -0.3, -0.5}, .normal = {0, 0, 1}, .limit = 3};
    PalVec3 far = {0.3, -0.4, 0}, near = {2e-4, 3e-4, 0};
    check_near(pal_vec3_length(pal_drag_force(&drag, far, slip)), 3, 1e-14);
    for (int which = 0; which < 2; ++which) {
        PalVec3 way = which == 0 ? far : near;
        double matrix[PAL_NEAR_SIZE * PAL_NEAR_SIZE];
        pal_drag_curve(&drag, way, slip, matrix);
        for (int i = 0; i < 2; ++i) {
            PalVec3 less = way, more = way;
            (&less.x)[i] -= h;
            (&more.x)[i] += h;
            PalVec3 slope =
                pal_vec3_scale(-0.5 / h, pal_vec3_sub(pal_drag_force(&drag, more, slip),
                                                      pal_drag_force(&drag, less, slip)));
            for (int j = 0; j < 2; ++j)  // of the first point
                check_near(matrix[j * PAL_NEAR_SIZE + i], (&slope.x)[j], 1e-6 * 6 / slip);
        }
        for (int j = 0; j < PAL_NEAR_SIZE; ++j)  // to go along the normal is no slip
            check_near(matrix[j * PAL_NEAR_SIZE + 2], 0, 1e-12);
    }
}

// ---- along ways ---------------------------------------------------------------------------

typedef struct Way {
    PalBarrierItem item;
    PalVec3 from[4], ways[4];
} Way;

// Forces at a place of the way. Returns where the closest points are: which weights are not 0, and
// how the barrier acts.
static int forces_on_way(const Way *way, double place, PalVec3 forces[4])
{
    PalVec3 x[4];
    bool broken;
    int where = 0;
    memset(forces, 0, 4 * sizeof *forces);
    for (int k = 0; k < 4; ++k)
        x[k] = pal_vec3_add_scaled(way->from[k], place, way->ways[k]);
    PalBarrierPush push = pal_barrier_push(&way->item, x, RANGE, &broken);
    assert_false(broken);
    if (!push.acts)
        return 0;
    pal_barrier_forces(&way->item, &push, x, forces);
    for (int k = 0; k < 4; ++k)
        where |= (push.near.weights[k] != 0) << k;
    return where;
}

static double size_of(const PalVec3 forces[4], const PalVec3 others[4])
{
    double most = 0;
    for (int k = 0; k < 4; ++k)
        most = fmax(most, pal_vec3_distance(forces[k], others[k]));
    return most;
}

static double jump_between(const Way *way, double low, double high)
{
    PalVec3 ends[2][4];
    int where = forces_on_way(way, low, ends[0]);
    forces_on_way(way, high, ends[1]);
    for (double middle = (low + high) / 2; middle > low && middle < high;
         middle = (low + high) / 2) {
        PalVec3 forces[4];
        bool same = forces_on_way(way, middle, forces) == where;
        *(same ? &low : &high) = middle;
        memcpy(ends[same ? 0 : 1], forces, sizeof forces);
    }
    return size_of(ends[0], ends[1]);
}

// Where closest points go from a face to an edge or a corner, or two sides come into the range,
// forces do not jump: between neighbouring numbers they differ by rounding.
static void forces_are_continuous_along_a_way(void **state)
{
    (void)state;
    enum { STEPS = 400 };
    static const PalVec3 nothing[4];
    uint64_t seed = 5;
    int changes = 0;
    double worst = 0;
    for (int t = 0; t < TRIES; ++t) {
        Way way;
        way.item = random_item(&seed, t % 4, way.from);
        for (int k = 0; k < 4; ++k)
            way.ways[k] = pal_vec3_scale(0.5, random_vector(&seed));
        double most = 0, jump = 0;
        int before = 0;
        for (int step = 0; step <= STEPS; ++step) {
            PalVec3 forces[4];
            double place = 2.0 * step / STEPS - 1;
            int where = forces_on_way(&way, place, forces);
            most = fmax(most, size_of(forces, nothing));
            if (step > 0 && where != before) {
                jump = fmax(jump, jump_between(&way, place - 2.0 / STEPS, place));
                ++changes;
            }
            before = where;
        }
        worst = fmax(worst, most > 0 ? jump / most : 0);
    }
    print_message("%d changes of closest points, forces jump by %.1e at most\n", changes, worst);
    assert_true(changes > 2 * TRIES);
    assert_true(worst < 1e-8);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(derivatives_are_exact),   cmocka_unit_test(forces_and_moments_balance),
    cmocka_unit_test(positive_means_positive), cmocka_unit_test(forces_tell_distances),
    cmocka_unit_test(friction_is_coulombs),    cmocka_unit_test(forces_are_continuous_along_a_way),
};

CHECK_GROUP(tests, NULL, NULL)
