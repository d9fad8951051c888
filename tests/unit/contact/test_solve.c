// The problem of a step, four rows at a time, against one row after the other in plain code.
#include "base/memory.h"
#include "check.h"
#include "contact/response/rows/groups.h"
#include "random_material.h"

#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { WATCHED = true };  // what watches memory writes into all of it, or beside it
#else
enum { WATCHED = false };
#endif
enum { VERTICES = 60, ROWS = 90, SWEEPS = 10000 };

typedef struct Problem {
    PalCarriers carriers;
    PalRows rows;
    double start[VERTICES][3];  // velocities before contact
} Problem;

static void allocate(Problem *p)
{
    PalError error = {0};
    memset(p, 0, sizeof *p);
    check_ok(pal_carriers_init(&p->carriers, VERTICES, &error), &error);
    check_ok(pal_rows_init(&p->rows, &p->carriers, &error), &error);
    pal_rows_begin(&p->rows);
}

// Vertices below and above; some of the lower ones are held, altogether or in a direction.
static void create_vertices(Problem *p, uint64_t *seed)
{
    for (int32_t v = 0; v < VERTICES; ++v) {
        bool upper = v >= VERTICES / 2;
        double inverse = random_between(0.2, 5, seed), along[3];
        for (int i = 0; i < 3; ++i) {
            bool held = !upper && (v % 5 == 0 || (v % 5 == 1 && i == 1));
            p->start[v][i] = random_between(-1, 1, seed) - (upper && i == 2);
            along[i] = held ? 0 : inverse;
        }
        pal_carriers_set(&p->carriers, v, along);
        pal_rows_touch(&p->rows, v, pal_vec3(p->start[v][0], p->start[v][1], p->start[v][2]));
    }
}

static void create_row(PalRows *rows, int32_t r, double friction, int32_t quads, uint64_t *seed)
{
    PalRow *row = pal_rows_next(rows);
    bool edges = r % 3 == 0;
    double share[3] = {random_between(0, 1, seed), random_between(0, 1, seed), 1};
    PalVec3 normal = pal_vec3_normalise(
        pal_vec3(random_between(-0.4, 0.4, seed), random_between(-0.4, 0.4, seed), 1));
    int32_t first = VERTICES / 2 + (int32_t)random_between(0, VERTICES / 2 - 2, seed);
    int32_t other = (int32_t)random_between(0, VERTICES / 2 - 4, seed);
    *row = (PalRow){
        .normal = {normal.x, normal.y, normal.z, 0},
        .count = 4,
        .carriers = {first, edges ? first + 1 : other, other + 1, other + 2},
        .bias = random_between(-0.3, 0.1, seed),
        .friction = r % 4 == 0 ? 0 : friction,
        .impulse = r % 2 == 0 ? 0.1 : 0,
    };
    double total = edges ? 1 : share[0] + share[1] + share[2];
    for (int k = 0; k < 4; ++k)
        row->weights[k] = k == 0 ? 1 : -share[k - 1] / total;
    if (edges) {
        row->weights[0] = share[0];
        row->weights[1] = 1 - share[0];
        row->weights[2] = -share[1];
        row->weights[3] = share[1] - 1;
    }
    if (!edges && r % 5 < quads) {  // a quadrilateral
        row->count = 5;
        row->carriers[4] = other + 3;
        row->weights[4] = -0.3;
        for (int k = 1; k < 4; ++k)
            row->weights[k] *= 0.7;
    }
    assert_true(pal_rows_complete(rows));
}

// `quads`: of five vertices over facets, how many are over quadrilaterals.
static void create(Problem *p, double friction, int32_t quads, uint64_t *seed)
{
    allocate(p);
    create_vertices(p, seed);
    for (int32_t r = 0; r < ROWS; ++r)
        create_row(&p->rows, r, friction, quads, seed);
}

static void destroy(Problem *p)
{
    pal_rows_clear(&p->rows);
    pal_carriers_clear(&p->carriers);
}

static PalVec3 parting(const PalRow *row, double velocity[VERTICES][3])
{
    PalVec3 sum = {0, 0, 0};
    for (int32_t k = 0; k < row->count; ++k) {
        const double *v = velocity[row->carriers[k]];
        sum = pal_vec3_add_scaled(sum, row->weights[k], pal_vec3(v[0], v[1], v[2]));
    }
    return sum;
}

static void give(const Problem *p, const PalRow *row, double velocity[VERTICES][3], PalVec3 impulse)
{
    for (int32_t k = 0; k < row->count; ++k)
        for (int i = 0; i < 3; ++i)
            velocity[row->carriers[k]][i] += row->weights[k] * pal_vec3_at(impulse, i) *
                                             p->carriers.inverse_mass[row->carriers[k]][i];
}

static PalVec3 normal_of(const PalRow *row)
{
    return pal_vec3(row->normal[0], row->normal[1], row->normal[2]);
}

// Gauss and Seidel, from nothing, for very long.
static void solve_plainly(const Problem *p, double velocity[VERTICES][3])
{
    static double impulses[ROWS];
    memcpy(velocity, p->start, sizeof p->start);
    memset(impulses, 0, sizeof impulses);
    for (int32_t s = 0; s < SWEEPS; ++s)
        for (int32_t r = 0; r < ROWS; ++r) {
            const PalRow *row = &p->rows.items[r];
            double rate = pal_vec3_dot(normal_of(row), parting(row, velocity));
            double impulse = fmax(0, impulses[r] - (rate - row->bias) / row->response);
            give(p, row, velocity, pal_vec3_scale(impulse - impulses[r], normal_of(row)));
            impulses[r] = impulse;
        }
}

// Velocities are those before contact, changed by the impulses and by nothing else.
static void velocities_follow_impulses(const Problem *p)
{
    static double velocity[VERTICES][3];
    memcpy(velocity, p->start, sizeof p->start);
    for (int32_t r = 0; r < ROWS; ++r) {
        const PalRow *row = &p->rows.items[r];
        PalVec3 drag = pal_vec3(row->drag[0], row->drag[1], row->drag[2]);
        give(p, row, velocity, pal_vec3_add_scaled(drag, row->impulse, normal_of(row)));
    }
    for (int32_t v = 0; v < VERTICES; ++v)
        for (int i = 0; i < 3; ++i)
            check_near(p->rows.velocity[v][i], velocity[v][i], 1e-12);
}

static void velocities_are_those_of_plain_code(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int problem = 0; problem < 10; ++problem) {
        static Problem p;
        static double velocity[VERTICES][3];
        create(&p, 0, problem / 5 * 3, &seed);
        solve_plainly(&p, velocity);
        pal_rows_solve(&p.rows, 1e-11);
        int32_t carrying = 0;
        for (int32_t r = 0; r < ROWS; ++r)
            carrying += p.rows.items[r].impulse > 0;
        assert_true(carrying > ROWS / 5 && carrying < ROWS);
        velocities_follow_impulses(&p);
        for (int32_t v = 0; v < VERTICES; ++v)
            for (int i = 0; i < 3; ++i)
                check_near(p.rows.velocity[v][i], velocity[v][i], 1e-8);
        destroy(&p);
    }
}

static void friction_is_coulombs(void **state)
{
    (void)state;
    uint64_t seed = 12;
    int32_t sticking = 0, slipping = 0;
    for (int problem = 0; problem < 10; ++problem) {
        static Problem p;
        create(&p, problem % 2 == 0 ? 0.3 : 1.2, problem < 8 ? 0 : 3, &seed);
        pal_rows_solve(&p.rows, 1e-9);
        velocities_follow_impulses(&p);
        static double velocity[VERTICES][3];
        for (int32_t v = 0; v < VERTICES; ++v)
            memcpy(velocity[v], p.rows.velocity[v], sizeof velocity[v]);
        for (int32_t r = 0; r < ROWS; ++r) {
            const PalRow *row = &p.rows.items[r];
            PalVec3 apart = parting(row, velocity), normal = normal_of(row);
            PalVec3 drag = pal_vec3(row->drag[0], row->drag[1], row->drag[2]);
            double rate = pal_vec3_dot(normal, apart), limit = row->friction * row->impulse;
            PalVec3 slide = pal_vec3_add_scaled(apart, -rate, normal);
            const double near = 1e-5;
            assert_true(row->impulse >= 0 && rate >= row->bias - near);
            assert_true(row->impulse == 0 || rate <= row->bias + near);
            check_near(pal_vec3_dot(drag, normal), 0, 1e-12);
            double held = pal_vec3_length(drag);
            assert_true(held <= limit * (1 + 1e-12) + 1e-15);
            if (limit <= 0)
                continue;
            if (held < limit * (1 - 1e-9)) {
                ++sticking;
                check_near(pal_vec3_length(slide), 0, near);
            } else {  // against the motion
                ++slipping;
                double cosine = pal_vec3_dot(drag, slide);
                check_near(cosine, -held * pal_vec3_length(slide), near);
            }
        }
        destroy(&p);
    }
    print_message("%d rows stick, %d slip\n", sticking, slipping);
    assert_true(sticking > 50 && slipping > 50);
}

// However early the sweeps end, contact adds no energy where nothing is to be won back.
static void no_energy_comes_from_old_impulses(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (int problem = 0; problem < 20; ++problem) {
        static Problem p;
        create(&p, problem % 2 == 0 ? 0 : 0.5, 2, &seed);
        double before = 0, after = 0;
        for (int32_t r = 0; r < ROWS; ++r) {
            p.rows.items[r].impulse = random_between(0, 3, &seed);
            p.rows.items[r].bias = -random_between(0, 0.1, &seed);
        }
        for (int32_t v = 0; v < VERTICES; ++v)
            for (int i = 0; i < 3; ++i) {
                if (p.carriers.inverse_mass[v][i] == 0)
                    p.rows.velocity[v][i] = p.start[v][i] = 0;
                else
                    before += p.start[v][i] * p.start[v][i] / p.carriers.inverse_mass[v][i];
            }
        pal_rows_solve(&p.rows, INFINITY);  // one sweep
        for (int32_t v = 0; v < VERTICES; ++v)
            for (int i = 0; i < 3; ++i) {
                double u = p.rows.velocity[v][i];
                if (p.carriers.inverse_mass[v][i] > 0)
                    after += u * u / p.carriers.inverse_mass[v][i];
            }
        assert_true(after <= before * (1 + 1e-12));
        destroy(&p);
    }
}

// From impulses that are a multiple of the right ones, one sweep arrives: the multiple is found.
static void old_impulses_are_a_good_start(void **state)
{
    (void)state;
    uint64_t seed = 14;
    for (int problem = 0; problem < 6; ++problem) {
        static Problem p;
        static double solved[VERTICES][3];
        double factor = problem / 2 == 0 ? 1 : problem / 2 == 1 ? 0.3 : 4;
        create(&p, 0, 2, &seed);
        pal_rows_solve(&p.rows, 1e-10);
        for (int32_t v = 0; v < VERTICES; ++v)
            for (int i = 0; i < 3; ++i) {
                solved[v][i] = p.rows.velocity[v][i];
                p.rows.velocity[v][i] = p.start[v][i];
            }
        for (int32_t r = 0; r < ROWS; ++r)
            p.rows.items[r].impulse *= factor;
        pal_rows_solve(&p.rows, INFINITY);  // one sweep
        for (int32_t v = 0; v < VERTICES; ++v)
            for (int i = 0; i < 3; ++i)
                check_near(p.rows.velocity[v][i], solved[v][i], 1e-5);
        destroy(&p);
    }
}

// ---- islands ----------------------------------------------------------------------------

enum { ISLAND = VERTICES / 4, ISLAND_ROWS = 60 };

// A vertex over a triangle of the same island, which no other island has anything of.
static void add_island_row(PalRows *rows, int32_t island, double friction, uint64_t *seed)
{
    PalRow *row = pal_rows_next(rows);
    int32_t first = VERTICES / 2 + island * ISLAND + (int32_t)random_between(0, ISLAND, seed);
    int32_t other = island * ISLAND + (int32_t)random_between(0, ISLAND - 3, seed);
    double share = random_between(0.1, 0.8, seed);
    PalVec3 normal = pal_vec3_normalise(
        pal_vec3(random_between(-0.4, 0.4, seed), random_between(-0.4, 0.4, seed), 1));
    *row = (PalRow){
        .normal = {normal.x, normal.y, normal.z, 0},
        .count = 4,
        .carriers = {first, other, other + 1, other + 2},
        .weights = {1, -share, share - 0.9, -0.1},
        .bias = random_between(-0.3, 0.1, seed),
        .friction = friction,
        .impulse = 0.1,
    };
    assert_true(pal_rows_complete(rows));
}

static void create_islands(Problem *p, int32_t count, double friction)
{
    uint64_t seed = 31, seeds[2] = {32, 33};
    allocate(p);
    create_vertices(p, &seed);
    for (int32_t r = 0; r < ISLAND_ROWS; ++r)
        for (int32_t i = 0; i < count; ++i)
            add_island_row(&p->rows, i, i == 0 ? friction : 0.7, &seeds[i]);
}

static void check_same_bits(const Problem *a, int32_t step, const Problem *b)
{
    for (int32_t r = 0; r < ISLAND_ROWS; ++r) {
        const PalRow *one = &a->rows.items[step * r], *other = &b->rows.items[step * r];
        assert_memory_equal(&one->impulse, &other->impulse, sizeof one->impulse);
        assert_memory_equal(&one->drag, &other->drag, sizeof one->drag);
    }
}

// What shares nothing with others has the same impulses without them, to the last bit.
static void islands_are_solved_alone(void **state)
{
    (void)state;
    for (int rough = 0; rough < 2; ++rough) {
        static Problem both, alone;
        create_islands(&both, 2, rough ? 0.4 : 0);
        create_islands(&alone, 1, rough ? 0.4 : 0);
        pal_rows_solve(&both.rows, 1e-6);
        pal_rows_solve(&alone.rows, 1e-6);
        assert_int_equal(both.rows.part_count, 2);
        int32_t carrying = 0;
        for (int32_t r = 0; r < ISLAND_ROWS; ++r) {
            const PalRow *one = &both.rows.items[2 * r], *other = &alone.rows.items[r];
            assert_memory_equal(&one->impulse, &other->impulse, sizeof one->impulse);
            assert_memory_equal(&one->drag, &other->drag, sizeof one->drag);
            carrying += one->impulse > 0;
        }
        assert_true(carrying > 5);
        destroy(&both);
        destroy(&alone);
    }
}

static void islands_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    static Problem one;
    create_islands(&one, 2, 0.4);
    pal_rows_solve(&one.rows, 1e-6);
    for (int32_t threads = 2; threads < 5; ++threads) {
        static Problem many;
        create_islands(&many, 2, 0.4);
        many.rows.thread_count = threads;
        pal_rows_solve(&many.rows, 1e-6);
        check_same_bits(&one, 2, &many);
        check_same_bits(&one, 1, &many);
        destroy(&many);
    }
    destroy(&one);
}

// The largest rate that is not as its row wants it, without friction.
static double error_of(const Problem *p)
{
    static double velocity[VERTICES][3];
    double worst = 0;
    for (int32_t v = 0; v < VERTICES; ++v)
        memcpy(velocity[v], p->rows.velocity[v], sizeof velocity[v]);
    for (int32_t r = 0; r < p->rows.count; ++r) {
        const PalRow *row = &p->rows.items[r];
        double rate = pal_vec3_dot(normal_of(row), parting(row, velocity));
        worst = fmax(worst, row->impulse > 0 ? fabs(rate - row->bias) : row->bias - rate);
    }
    return worst;
}

// Rows that nearly depend on each other creep along for long. They are given up early where some
// more will do, and only there.
static void sweeps_that_creep_end(void **state)
{
    (void)state;
    const double tolerance = 1e-4;
    for (int patient = 0; patient < 2; ++patient) {
        uint64_t seed = 15;
        int32_t given_up = 0;
        for (int problem = 0; problem < 40; ++problem) {
            static Problem p;
            create(&p, 0, 0, &seed);
            p.rows.patient = patient;
            p.rows.may_creep = !patient;
            pal_rows_solve(&p.rows, tolerance);
            double error = error_of(&p);
            assert_true(error < 200 * tolerance);
            given_up += error > 12 * tolerance;
            assert_true(error < 12 * tolerance || p.rows.parts[0].sweep_count < 40);
            destroy(&p);
        }
        print_message("%d of 40 given up\n", given_up);
        assert_true(patient ? given_up == 0 : given_up > 0 && given_up < 10);
    }
}

// ---- a pile of rough bodies -------------------------------------------------------------

enum { PILE = 12 };

static PalLanes lanes_of(PalVec3 v)
{
    return (PalLanes){v.x, v.y, v.z, 0};
}

// Bodies upon each other, the lowest one held, coming down and sliding. Those that turn are touched
// beside their centres, and heavier from one to the next; spins follow the bodies among the
// carriers.
static void create_pile(Problem *p, int32_t count, bool turning, uint64_t *seed)
{
    allocate(p);
    for (int32_t b = 0; b < 2 * PILE; ++b) {
        double light = random_between(0.5, 2, seed) * pow(turning ? 1.4 : 1, -b);
        double inverse = b == 0 ? 0 : b < PILE ? light : 1;
        double speed = b == 0 || b >= PILE ? 0 : 1;
        PalVec3 start = {random_between(-speed, speed, seed), random_between(-speed, speed, seed),
                         -speed * random_between(0.5, 1, seed)};
        pal_carriers_set(&p->carriers, b, (double[3]){inverse, inverse, inverse});
        pal_rows_touch(&p->rows, b, start);
    }
    for (int32_t b = 1; b <= count; ++b) {
        PalRow *row = pal_rows_next(&p->rows);
        row->normal = (PalLanes){0, 0, 1, 0};
        row->count = 2;
        row->carriers[0] = b;
        row->carriers[1] = b - 1;
        row->weights[0] = 1;
        row->weights[1] = -1;
        row->friction = 0.4;
        for (int32_t t = 0; turning && t < (b % 3 == 0 ? 2 : 1); ++t) {  // some turn both
            PalVec3 arm = {random_between(-1, 1, seed), random_between(-1, 1, seed), 2 * t - 1};
            PalTurn *turn = &pal_rows_turns(&p->rows, row)[row->turn_count++];
            *turn = (PalTurn){.carrier = PILE + b - t, .arm = arm};
            for (int j = 0; j < 3; ++j)
                turn->columns[j] = lanes_of(pal_vec3_scale(
                    t == 0 ? 1 : -1, pal_vec3_cross(pal_vec3(j == 0, j == 1, j == 2), arm)));
        }
        assert_true(pal_rows_complete(&p->rows));
    }
}

static PalVec3 parting_in_pile(const Problem *p, const PalRow *row)
{
    PalLanes sum = {0, 0, 0, 0};
    for (int32_t k = 0; k < 2; ++k) {
        const double *v = p->rows.velocity[row->carriers[k]];
        sum += row->weights[k] * (PalLanes){v[0], v[1], v[2], 0};
    }
    for (int32_t t = 0; t < row->turn_count; ++t) {
        const PalTurn *turn = &pal_rows_turns(&p->rows, row)[t];
        for (int j = 0; j < 3; ++j)
            sum += p->rows.velocity[turn->carrier][j] * turn->columns[j];
    }
    return pal_vec3(sum[0], sum[1], sum[2]);
}

// The largest rate that is not as its row wants it.
static double error_in_pile(const Problem *p, int32_t *sticking)
{
    double worst = 0;
    for (int32_t r = 0; r < p->rows.count; ++r) {
        const PalRow *row = &p->rows.items[r];
        PalVec3 apart = parting_in_pile(p, row), slide = pal_vec3(apart.x, apart.y, 0);
        PalVec3 drag = pal_vec3(row->drag[0], row->drag[1], row->drag[2]);
        double limit = row->friction * row->impulse, held = pal_vec3_length(drag);
        worst = fmax(worst, row->impulse > 0 ? fabs(apart.z - row->bias) : row->bias - apart.z);
        if (row->impulse > 0 && held < limit * (1 - 1e-9)) {
            worst = fmax(worst, pal_vec3_length(slide));
            ++*sticking;
        }
    }
    return worst;
}

// A dozen times the tolerance is what linear convergence may leave.
static void check_piles(int32_t count, bool turning, double tolerance)
{
    uint64_t seed = 21;
    int32_t sticking = 0;
    double worst = 0;
    for (int i = 0; i < 40; ++i) {
        static Problem p;
        create_pile(&p, count, turning, &seed);
        pal_rows_solve(&p.rows, tolerance);
        worst = fmax(worst, error_in_pile(&p, &sticking));
        destroy(&p);
    }
    print_message("%d stick, rates are wrong by %.1e\n", sticking, worst);
    assert_true(sticking > 10 && worst < 12 * tolerance);
}

// Where sweeps are few, friction is solved as well as all else.
static void a_low_rough_pile_is_solved_well(void **state)
{
    (void)state;
    check_piles(2, false, 1e-6);
}

// Rigid bodies rock on what is left over: many sweeps are no excuse.
static void rough_bodies_that_turn_are_solved_well(void **state)
{
    (void)state;
    check_piles(PILE - 1, true, 1e-10);
}

// Rows have room for twenty carriers each, and groups for the worst case; few of them use it. What
// is not used takes no memory, and no time to be cleared: as many rows as this would take 100 MB.
static void room_for_rows_takes_no_memory_before_it_is_used(void **state)
{
    (void)state;
    Problem p;
    struct rusage before, after;
    if (WATCHED)
        skip();
    allocate(&p);
    getrusage(RUSAGE_SELF, &before);
    while (p.rows.capacity < 20000)
        assert_true(pal_rows_grow(&p.rows));
    getrusage(RUSAGE_SELF, &after);
    double room =
        (double)p.rows.capacity * (sizeof(PalRow) + sizeof(PalRowGroup) + sizeof(PalRestGroup) +
                                   sizeof(PalDragGroup) + sizeof(PalTurnGroup));
    double taken = (double)(after.ru_minflt - before.ru_minflt) * (double)sysconf(_SC_PAGESIZE);
    assert_true(room > 1e8);
    assert_true(taken < room / 2);
    destroy(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(velocities_are_those_of_plain_code),
    cmocka_unit_test(friction_is_coulombs),
    cmocka_unit_test(no_energy_comes_from_old_impulses),
    cmocka_unit_test(old_impulses_are_a_good_start),
    cmocka_unit_test(islands_are_solved_alone),
    cmocka_unit_test(sweeps_that_creep_end),
    cmocka_unit_test(islands_are_the_same_for_any_number_of_threads),
    cmocka_unit_test(a_low_rough_pile_is_solved_well),
    cmocka_unit_test(room_for_rows_takes_no_memory_before_it_is_used),
    cmocka_unit_test(rough_bodies_that_turn_are_solved_well),
};
CHECK_GROUP(tests, NULL, NULL)
