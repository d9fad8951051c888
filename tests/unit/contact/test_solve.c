// The problem of a step, four rows at a time, against one row after the other in plain code.
#include "base/memory.h"
#include "check.h"
#include "contact/response/lagrange/lagrange.h"
#include "random_material.h"

enum { VERTICES = 60, ROWS = 90, SWEEPS = 10000 };

typedef struct Problem {
    PalContact contact;
    PalContactSurface surface;
    PalLagrange lagrange;
    double start[VERTICES][3];  // velocities before contact
} Problem;

static void allocate(Problem *p)
{
    memset(p, 0, sizeof *p);
    PalContact *contact = &p->contact;
    PalLagrange *lagrange = &p->lagrange;
    size_t room = VERTICES + 4 * PAL_LANES;
    p->surface.vertex_count = VERTICES;
    contact->surface = &p->surface;
    contact->inverse_mass = pal_alloc(VERTICES, sizeof *contact->inverse_mass);
    contact->root_inverse = pal_alloc(VERTICES, sizeof *contact->root_inverse);
    contact->root_mass = pal_alloc(VERTICES, sizeof *contact->root_mass);
    contact->moves = pal_alloc(VERTICES, sizeof *contact->moves);
    lagrange->velocity = pal_alloc(VERTICES, sizeof *lagrange->velocity);
    lagrange->scaled = pal_alloc(room, sizeof *lagrange->scaled);
    lagrange->scaled_before = pal_alloc(room, sizeof *lagrange->scaled_before);
    lagrange->scaled_ahead = pal_alloc(room, sizeof *lagrange->scaled_ahead);
    lagrange->last_group = pal_alloc(VERTICES, sizeof *lagrange->last_group);
    lagrange->touched = pal_alloc(VERTICES, sizeof *lagrange->touched);
    lagrange->rows = pal_alloc(ROWS, sizeof *lagrange->rows);
    lagrange->groups = pal_alloc(ROWS, sizeof *lagrange->groups);
    lagrange->drags = pal_alloc(ROWS, sizeof *lagrange->drags);
    lagrange->fifths = pal_alloc(ROWS, sizeof *lagrange->fifths);
}

// Vertices below and above; some of the lower ones are held, altogether or in a direction.
static void create_vertices(Problem *p, uint64_t *seed)
{
    PalContact *contact = &p->contact;
    PalLagrange *lagrange = &p->lagrange;
    for (int32_t v = 0; v < VERTICES; ++v) {
        bool upper = v >= VERTICES / 2;
        lagrange->touched[lagrange->touched_count++] = v;
        double inverse = random_between(0.2, 5, seed);
        for (int i = 0; i < 3; ++i) {
            bool held = !upper && (v % 5 == 0 || (v % 5 == 1 && i == 1));
            p->start[v][i] = random_between(-1, 1, seed) - (upper && i == 2);
            lagrange->velocity[v][i] = p->start[v][i];
            contact->inverse_mass[v][i] = held ? 0 : inverse;
            contact->root_inverse[v][i] = held ? 0 : sqrt(inverse);
            contact->root_mass[v][i] = held ? 0 : 1 / sqrt(inverse);
            contact->moves[v] = contact->moves[v] || !held;
        }
    }
}

static void create_row(const PalContact *contact, PalRow *row, int32_t r, double friction,
                       int32_t quads, uint64_t *seed)
{
    bool edges = r % 3 == 0;
    double share[3] = {random_between(0, 1, seed), random_between(0, 1, seed), 1};
    PalVec3 normal = pal_vec3_normalise(
        pal_vec3(random_between(-0.4, 0.4, seed), random_between(-0.4, 0.4, seed), 1));
    int32_t first = VERTICES / 2 + (int32_t)random_between(0, VERTICES / 2 - 2, seed);
    int32_t other = (int32_t)random_between(0, VERTICES / 2 - 4, seed);
    *row = (PalRow){
        .normal = {normal.x, normal.y, normal.z, 0},
        .vertices = {first, edges ? first + 1 : other, other + 1, other + 2},
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
        row->wide = true;
        row->vertices[4] = other + 3;
        row->weights[4] = -0.3;
        for (int k = 1; k < 4; ++k)
            row->weights[k] *= 0.7;
    }
    double response = 0, tangent = 0;
    for (int k = 0; k < PAL_ROW_VERTICES; ++k) {
        double w = row->weights[k], most = 0;
        for (int i = 0; i < 3; ++i) {
            double inverse = contact->inverse_mass[row->vertices[k]][i];
            response += w * w * row->normal[i] * row->normal[i] * inverse;
            most = fmax(most, inverse);
        }
        tangent += w * w * most;
    }
    row->response = response;
    row->inverse = 1 / response;
    row->tangent_inverse = 1 / tangent;
}

// `quads`: of five vertices over facets, how many are over quadrilaterals.
static void create(Problem *p, double friction, int32_t quads, uint64_t *seed)
{
    allocate(p);
    create_vertices(p, seed);
    p->lagrange.row_count = ROWS;
    for (int32_t r = 0; r < ROWS; ++r)
        create_row(&p->contact, &p->lagrange.rows[r], r, friction, quads, seed);
}

static void destroy(Problem *p)
{
    pal_free(p->contact.inverse_mass);
    pal_free(p->contact.root_inverse);
    pal_free(p->contact.root_mass);
    pal_free(p->contact.moves);
    pal_free(p->lagrange.velocity);
    pal_free(p->lagrange.scaled);
    pal_free(p->lagrange.scaled_before);
    pal_free(p->lagrange.scaled_ahead);
    pal_free(p->lagrange.last_group);
    pal_free(p->lagrange.touched);
    pal_free(p->lagrange.rows);
    pal_free(p->lagrange.groups);
    pal_free(p->lagrange.drags);
    pal_free(p->lagrange.fifths);
}

static PalVec3 parting(const PalRow *row, double velocity[VERTICES][3])
{
    PalVec3 sum = {0, 0, 0};
    for (int k = 0; k < PAL_ROW_VERTICES; ++k) {
        const double *v = velocity[row->vertices[k]];
        sum = pal_vec3_add_scaled(sum, row->weights[k], pal_vec3(v[0], v[1], v[2]));
    }
    return sum;
}

static void give(const Problem *p, const PalRow *row, double velocity[VERTICES][3], PalVec3 impulse)
{
    for (int k = 0; k < PAL_ROW_VERTICES; ++k)
        for (int i = 0; i < 3; ++i)
            velocity[row->vertices[k]][i] += row->weights[k] * pal_vec3_at(impulse, i) *
                                             p->contact.inverse_mass[row->vertices[k]][i];
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
            const PalRow *row = &p->lagrange.rows[r];
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
        const PalRow *row = &p->lagrange.rows[r];
        PalVec3 drag = pal_vec3(row->drag[0], row->drag[1], row->drag[2]);
        give(p, row, velocity, pal_vec3_add_scaled(drag, row->impulse, normal_of(row)));
    }
    for (int32_t v = 0; v < VERTICES; ++v)
        for (int i = 0; i < 3; ++i)
            check_near(p->lagrange.velocity[v][i], velocity[v][i], 1e-12);
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
        pal_lagrange_take_turns(&p.contact, &p.lagrange, 1e-11);
        int32_t carrying = 0;
        for (int32_t r = 0; r < ROWS; ++r)
            carrying += p.lagrange.rows[r].impulse > 0;
        assert_true(carrying > ROWS / 5 && carrying < ROWS);
        velocities_follow_impulses(&p);
        for (int32_t v = 0; v < VERTICES; ++v)
            for (int i = 0; i < 3; ++i)
                check_near(p.lagrange.velocity[v][i], velocity[v][i], 1e-8);
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
        pal_lagrange_take_turns(&p.contact, &p.lagrange, 1e-9);
        velocities_follow_impulses(&p);
        static double velocity[VERTICES][3];
        for (int32_t v = 0; v < VERTICES; ++v)
            memcpy(velocity[v], p.lagrange.velocity[v], sizeof velocity[v]);
        for (int32_t r = 0; r < ROWS; ++r) {
            const PalRow *row = &p.lagrange.rows[r];
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
            p.lagrange.rows[r].impulse = random_between(0, 3, &seed);
            p.lagrange.rows[r].bias = -random_between(0, 0.1, &seed);
        }
        for (int32_t v = 0; v < VERTICES; ++v)
            for (int i = 0; i < 3; ++i) {
                if (p.contact.inverse_mass[v][i] == 0)
                    p.lagrange.velocity[v][i] = p.start[v][i] = 0;
                else
                    before += p.start[v][i] * p.start[v][i] / p.contact.inverse_mass[v][i];
            }
        pal_lagrange_take_turns(&p.contact, &p.lagrange, INFINITY);  // one sweep
        for (int32_t v = 0; v < VERTICES; ++v)
            for (int i = 0; i < 3; ++i) {
                double u = p.lagrange.velocity[v][i];
                if (p.contact.inverse_mass[v][i] > 0)
                    after += u * u / p.contact.inverse_mass[v][i];
            }
        assert_true(after <= before * (1 + 1e-12));
        destroy(&p);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(velocities_are_those_of_plain_code),
    cmocka_unit_test(friction_is_coulombs),
    cmocka_unit_test(no_energy_comes_from_old_impulses),
};
CHECK_GROUP(tests, NULL, NULL)
