// Lists that threads share out, and candidates and rows that they look at, are the same as one
// thread's.
#include "alone.h"
#include "contact/response/lagrange/lagrange.h"
#include "random_material.h"

static const double STEP = 1e-3;

enum { STEPS = 120, RUNS = 3 };

static const int32_t threads[RUNS] = {1, 2, 5};

// Two blocks face to face, a little apart, with far more candidates than a thread looks at alone;
// or two balls, which have skins.
static void begin(Alone *s, bool balls)
{
    PalVec3 extent = balls ? pal_vec3(1, 1, 1) : pal_vec3(1.2, 1.2, 0.2);
    double height = balls ? 2.005 : 0.205;
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
        s->velocity[node] = pal_vec3_add_scaled(s->velocity[node], 1 / s->model->mass[node],
                                                s->contact->impulse[c]);
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
    assert_true(a->soonest == b->soonest);
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
        assert_true(g->along == h->along && g->skin == h->skin && g->minimum == h->minimum);
        assert_memory_equal(&g->normal, &h->normal, sizeof g->normal);
        assert_memory_equal(g->weights, h->weights, (size_t)g->count * sizeof *g->weights);
    }
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
            raise(&most.looks[r], lagrange->needs.count);
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
    assert_true(most.listed > 4000 && most.carrying > 50 && most.followed > 200);
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(threads_make_the_same_lists),
    cmocka_unit_test(threads_find_the_same_skins),
};

CHECK_GROUP(tests, NULL, NULL)
