// Lists that threads share out, and candidates, rows and points that they look at or fill, are the
// same as one thread's.
#include "alone.h"
#include "contact/response/lagrange/lagrange.h"
#include "random_material.h"

static const double STEP = 1e-3;
static const double APART = 0.005;  // blocks at the start

enum { STEPS = 120, RUNS = 3 };

static const int32_t threads[RUNS] = {1, 2, 5};

// Two blocks face to face, a little apart, with far more candidates than a thread looks at alone;
// or two balls, which have skins.
static void begin(Alone *s, bool balls)
{
    PalVec3 extent = balls ? pal_vec3(1, 1, 1) : pal_vec3(1.2, 1.2, 0.2);
    double height = balls ? 2.005 : 0.2 + APART;
    Touch blocks = touch_nothing(1);
    for (int b = 0; b < 2; ++b)
        touch_add_mesh(&blocks,
                       touch_shape(balls ? PAL_SHAPE_SPHERE : PAL_SHAPE_BOX, extent,
                                   (int32_t[]){12, 12, 2}, PAL_CELL_TETRAHEDRON,
                                   pal_vec3(0.03 * b, 0.05 * b, height * b)),
                       100, 0.3, 1);
    const PalContactPairDef pairs[] = {{{0, 1}, 0.3}, {{1, 1}, 0}};
    PalContactDef def = pal_contact_def_default();
    def.pair_count = 2;
    def.pairs = pairs;
    alone_start(s, &blocks);
    alone_touch(s, &(PalContactSetup){.def = &def});
}

static bool is_left(const Alone *s, int32_t node)
{
    return s->model->nodes[node].x < 0;
}

// What is to the left cannot give way.
static void hold_some(Alone *s)
{
    size_t components = 3 * (size_t)s->model->node_count;
    double *inverse = calloc(components, sizeof *inverse);
    for (size_t i = 0; i < components; ++i)
        inverse[i] = is_left(s, (int32_t)(i / 3)) ? 0 : 1 / s->model->mass[i / 3];
    pal_contact_set_mass(s->contact, s->model, inverse);
    free(inverse);
}

// What is held comes as near as the rest in this many steps.
enum { COMING = 9 };

// The upper one slides, turns and trembles above the lower one, and is pressed on it so fast.
static void set_velocities(Alone *s, int i, double press, uint64_t seed)
{
    for (int32_t n = 0; n < s->model->node_count; ++n) {
        PalVec3 x = s->model->nodes[n];
        PalVec3 tremble =
            pal_vec3(random_between(-0.2, 0.2, &seed), random_between(-0.2, 0.2, &seed),
                     random_between(-0.2, 0.2, &seed));
        PalVec3 way = pal_vec3(2 * cos(0.05 * i) - 3 * x.y, 1.5 * sin(0.03 * i) + 3 * x.x, -press);
        bool upper = n >= s->model->bodies[1].first_node;
        s->velocity[n] = pal_vec3_add_scaled(tremble, upper ? 1 : 0, way);
    }
    double come = (APART - 1.1 * s->contact->separation) / (COMING * STEP);
    for (int32_t c = 0; c < s->contact->surface->node_carrier_count; ++c) {
        int32_t n = s->contact->surface->carrier_node[c];
        bool upper = n >= s->model->bodies[1].first_node;
        if (!s->contact->carriers.moves[c])
            s->velocity[n] = pal_vec3(0, 0, upper && i < COMING ? -come : 0);
    }
}

static void take_step(Alone *s, int i, double press, int32_t thread_count)
{
    const PalContactSurface *surface = s->contact->surface;
    PalError error = {0};
    set_velocities(s, i, press, (uint64_t)i + 1);
    PalContactStep step = alone_step_of(s, STEP);
    step.thread_count = thread_count;
    check_ok(pal_contact_step(s->model, s->contact, &step, &s->meter, &error), &error);
    for (int32_t c = 0; c < surface->node_carrier_count; ++c) {
        int32_t node = surface->carrier_node[c];
        s->velocity[node] = pal_vec3_add_scaled(
            s->velocity[node], s->contact->carriers.inverse_mass[c][0], s->contact->impulse[c]);
    }
    for (int32_t n = 0; n < s->model->node_count; ++n)
        s->displacement[n] = pal_vec3_add_scaled(s->displacement[n], STEP, s->velocity[n]);
}

static void check_same_group(const PalLagrange *one, const PalLagrange *other, int32_t g)
{
    const PalCandidateGroup *a = &one->groups.list.items[g], *b = &other->groups.list.items[g];
    assert_int_equal(a->patches[0], b->patches[0]);
    assert_int_equal(a->patches[1], b->patches[1]);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->flat_count, b->flat_count);
    assert_true(a->limit == b->limit && a->wake == b->wake && a->odometer == b->odometer);
    assert_true(a->soonest == b->soonest && a->nearer == b->nearer && a->less == b->less);
    assert_true(a->shift == b->shift && a->pushed == b->pushed);
    for (int32_t k = 0; k < a->count; ++k) {
        int32_t s = a->first + k, t = b->first + k;
        const PalLook *p = &one->now.looks[s], *q = &other->now.looks[t];
        assert_true(one->now.keys[s] == other->now.keys[t]);
        assert_true(one->now.wakes[s] == other->now.wakes[t]);
        assert_memory_equal(&p->direction, &q->direction, sizeof p->direction);
        assert_true(p->row == q->row && p->stale == q->stale);
    }
}

static void check_same(const PalLagrange *one, const PalLagrange *other)
{
    assert_int_equal(one->groups.list.count, other->groups.list.count);
    for (int32_t g = 0; g < one->groups.list.count; ++g)
        check_same_group(one, other, g);
    assert_int_equal(one->awake_count, other->awake_count);
    for (int32_t i = 0; i < one->awake_count; ++i)
        assert_true(one->now.keys[one->awake[i]] == other->now.keys[other->awake[i]]);
}

static void check_same_rows(const PalLagrange *one, const PalLagrange *other)
{
    assert_int_equal(one->rows.count, other->rows.count);
    for (int32_t r = 0; r < one->rows.count; ++r) {
        const PalRow *a = &one->rows.items[r], *b = &other->rows.items[r];
        const PalGap *g = &one->gaps.items[r], *h = &other->gaps.items[r];
        assert_true(one->now.keys[a->source] == other->now.keys[b->source]);
        assert_true(a->impulse == b->impulse && a->bias == b->bias && a->floor == b->floor);
        assert_true(a->rate == b->rate && a->response == b->response && a->inverse == b->inverse);
        assert_true(a->friction == b->friction && a->tangent_inverse == b->tangent_inverse);
        assert_memory_equal(&a->normal, &b->normal, sizeof a->normal);
        assert_memory_equal(&a->drag, &b->drag, sizeof a->drag);
        assert_int_equal(a->count, b->count);
        assert_memory_equal(a->carriers, b->carriers, (size_t)a->count * sizeof *a->carriers);
        assert_memory_equal(a->weights, b->weights, (size_t)a->count * sizeof *a->weights);
        assert_true(g->along == h->along && g->skin == h->skin && g->minimum == h->minimum);
        assert_memory_equal(&g->normal, &h->normal, sizeof g->normal);
        assert_memory_equal(g->weights, h->weights, (size_t)g->count * sizeof *g->weights);
    }
}

// What rows touch, in the same order.
static void check_same_touched(const PalLagrange *one, const PalLagrange *other)
{
    assert_int_equal(one->touched_count, other->touched_count);
    assert_memory_equal(one->touched, other->touched,
                        (size_t)one->touched_count * sizeof *one->touched);
    assert_int_equal(one->rows.touched_count, other->rows.touched_count);
    assert_memory_equal(one->rows.touched, other->rows.touched,
                        (size_t)one->rows.touched_count * sizeof *one->rows.touched);
}

static void check_same_points(const Alone *one, const Alone *other)
{
    assert_int_equal(one->contact->point_count, other->contact->point_count);
    for (int32_t i = 0; i < one->contact->point_count; ++i) {
        const PalContactPoint *a = &one->contact->points[i], *b = &other->contact->points[i];
        assert_true(a->kind == b->kind && a->gap == b->gap && a->slips == b->slips);
        assert_true(a->normal_force == b->normal_force && a->objects[0] == b->objects[0]);
        assert_memory_equal(a->position, b->position, sizeof a->position);
        assert_memory_equal(&a->normal, &b->normal, sizeof a->normal);
        assert_memory_equal(&a->force, &b->force, sizeof a->force);
    }
    assert_true(one->contact->report.penetration == other->contact->report.penetration);
    assert_int_equal(one->meter.counters.node_facet, other->meter.counters.node_facet);
    assert_int_equal(one->meter.counters.edge_edge, other->meter.counters.edge_edge);
}

// Gaps at which threads have looked and in which nothing can give way.
static int32_t stiff_gaps(const PalLagrange *lagrange)
{
    int32_t count = 0;
    for (int32_t i = 0; i < lagrange->needs.count; ++i)
        for (int32_t g = 0; g < lagrange->needs.items[i].count; ++g)
            count += lagrange->needs.items[i].row_of[g] == PAL_NONE;
    return count;
}

// There is a second finder once a second thread was to help.
static bool has_shared(const Alone *s)
{
    const PalLagrange *lagrange = s->contact->own;
    return lagrange->lister.finders[1].sides[0].places != NULL;
}

// What came up in a run.
typedef struct Most {
    int32_t listed, carrying, followed, skins;
    int32_t looks[RUNS];  // candidates that were looked at closely by several threads
    int32_t stiff[RUNS];  // gaps in which nothing could give way
} Most;

static void raise(int32_t *most, int32_t number)
{
    *most = number > *most ? number : *most;
}

static void note(Most *most, const PalLagrange *lagrange)
{
    int32_t skins = 0;
    for (int32_t r = 0; r < lagrange->rows.count; ++r)
        skins += lagrange->gaps.items[r].skin > 0;
    raise(&most->listed, lagrange->lister.listed_count);
    raise(&most->carrying, lagrange->carrying_count);
    raise(&most->followed, lagrange->groups.followed.count);
    raise(&most->skins, skins);
}

static Most run_all(Alone runs[RUNS], double press)
{
    Most most = {0};
    for (int i = 0; i < STEPS; ++i) {
        for (int r = 0; r < RUNS; ++r)
            take_step(&runs[r], i, press, threads[r]);
        note(&most, runs[0].contact->own);
        for (int r = 0; r < RUNS; ++r) {
            const PalLagrange *lagrange = runs[r].contact->own;
            check_same(runs[0].contact->own, lagrange);
            check_same_rows(runs[0].contact->own, lagrange);
            check_same_touched(runs[0].contact->own, lagrange);
            check_same_points(&runs[0], &runs[r]);
            raise(&most.looks[r], lagrange->needs.count);
            raise(&most.stiff[r], stiff_gaps(lagrange));
        }
    }
    return most;
}

static void threads_make_the_same_lists(void **state)
{
    (void)state;
    Alone runs[RUNS];
    for (int r = 0; r < RUNS; ++r)
        begin(&runs[r], false);
    Most most = run_all(runs, 0.5);
    assert_true(most.listed > 4000 && most.carrying > 128 && most.followed > 256);
    for (int r = 0; r < RUNS; ++r) {
        assert_true(has_shared(&runs[r]) == (threads[r] > 1));
        assert_true((most.looks[r] > 0) == (threads[r] > 1));
        alone_end(&runs[r]);
    }
}

static void threads_find_the_same_skins(void **state)
{
    (void)state;
    Alone runs[RUNS];
    for (int r = 0; r < RUNS; ++r)
        begin(&runs[r], true);
    Most most = run_all(runs, 4);
    assert_true(most.skins > 20);
    for (int r = 0; r < RUNS; ++r) {
        assert_true((most.looks[r] > 0) == (threads[r] > 1));
        alone_end(&runs[r]);
    }
}

// Rows of what is held on both sides do not count.
static void threads_leave_out_the_same_rows(void **state)
{
    (void)state;
    Alone runs[RUNS];
    for (int r = 0; r < RUNS; ++r) {
        begin(&runs[r], false);
        hold_some(&runs[r]);
    }
    Most most = run_all(runs, 0.5);
    for (int r = 0; r < RUNS; ++r) {
        assert_true((most.stiff[r] > 20) == (threads[r] > 1));
        alone_end(&runs[r]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(threads_make_the_same_lists),
    cmocka_unit_test(threads_leave_out_the_same_rows),
    cmocka_unit_test(threads_find_the_same_skins),
};

CHECK_GROUP(tests, NULL, NULL)
