// Vademecums against the full equations: modes, small and large loads, products, forms.
#include "math/vec3.h"
#include "reduced/truth.h"
#include "small_book.h"

static SmallBook small;
static PalVademecum *book;
static PalVademecumWork *work;
static PalTruth *truth;

static int prepare(void **state)
{
    (void)state;
    PalError error = {0};
    small_book_init(&small, 5, PAL_VADEMECUM_AUTO);
    check_ok(pal_vademecum_build(&small.def, &book, &error), &error);
    check_ok(pal_vademecum_work_create(book, &work, &error), &error);
    check_ok(pal_truth_create(&small.model, 0, 1, &truth, &error), &error);
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    pal_vademecum_work_destroy(work);
    pal_vademecum_destroy(book);
    pal_truth_destroy(truth);
    small_book_clear(&small);
    return 0;
}

// Row of a component of a node of the book in vectors of the full equations, or PAL_NONE.
static int32_t row_of(int32_t node, int axis)
{
    int32_t row = truth->stiffness->equation[3 * book->node_number[node] + axis];
    return row >= 0 && row < truth->size ? row : PAL_NONE;
}

static void load_vector(const PalVademecumLoad *load, double *f)
{
    int32_t nodes[100];
    double weights[100];
    int32_t count = pal_vademecum_patch(book, load->at, nodes, weights);
    memset(f, 0, (size_t)truth->size * sizeof *f);
    for (int32_t i = 0; i < count; ++i)
        for (int j = 0; j < 3; ++j)
            if (row_of(nodes[i], j) != PAL_NONE)
                f[row_of(nodes[i], j)] += weights[i] * pal_vec3_at(load->force, j);
}

// The largest difference of a shape of the book from one of the full equations, of its largest.
static double difference(const PalVec3 *shape, const double *u)
{
    double gap = 0, size = 0;
    for (int32_t n = 0; n < book->size.node_count; ++n)
        for (int j = 0; j < 3; ++j) {
            double true_u = row_of(n, j) != PAL_NONE ? u[row_of(n, j)] : 0;
            gap = fmax(gap, fabs(pal_vec3_at(shape[n], j) - true_u));
            size = fmax(size, fabs(true_u));
        }
    return gap / size;
}

static void modes_are_orthonormal(void **state)
{
    (void)state;
    double *a = calloc((size_t)truth->size, sizeof *a), *b = calloc((size_t)truth->size, sizeof *b);
    double *product = calloc((size_t)truth->size, sizeof *product);
    for (int32_t k = 0; k < book->size.mode_count; k += 5)
        for (int32_t l = 0; l < book->size.mode_count; l += 3) {
            for (int32_t n = 0; n < book->size.node_count; ++n)
                for (int j = 0; j < 3; ++j)
                    if (row_of(n, j) != PAL_NONE) {
                        a[row_of(n, j)] = (double)pal_vademecum_row(book, n, j)[k];
                        b[row_of(n, j)] = (double)pal_vademecum_row(book, n, j)[l];
                    }
            pal_truth_stiffness(truth, a, product);
            check_near(pal_truth_dot(truth, b, product), k == l ? 1 : 0, 1e-4);
        }
    free(a);
    free(b);
    free(product);
}

// Modes and local part together are the linear answer, at nodes that the local part reaches.
static void small_loads_have_the_linear_answer(void **state)
{
    (void)state;
    PalError error = {0};
    double *u = calloc((size_t)truth->size, sizeof *u);
    PalVec3 *shape = calloc((size_t)book->size.node_count, sizeof *shape);
    const PalVademecumLoad loads[] = {{{1.3, 0.2, 0.5}, {0, 0, -1e-5}},
                                      {{2.5, 0.5, 0.5}, {1e-5, 2e-5, 1e-5}}};
    for (int i = 0; i < 2; ++i) {
        PalVademecumAnswer answer;
        load_vector(&loads[i], u);
        check_ok(pal_truth_solve_rest(truth, u, 1, &error), &error);
        pal_vademecum_evaluate(book, work, &loads[i], &answer, shape);
        assert_true(answer.converged);
        check_near(difference(shape, u), 0, 2e-3);
    }
    free(u);
    free(shape);
}

static void large_loads_are_right(void **state)
{
    (void)state;
    PalError error = {0};
    double one = 1;
    PalTruthWay way;
    double *f = calloc((size_t)truth->size, sizeof *f), *u = calloc((size_t)truth->size, sizeof *u);
    PalVec3 *shape = calloc((size_t)book->size.node_count, sizeof *shape);
    const PalVademecumLoad load = {{2.4, 0.1, 0.5}, {0, 0, -8}};
    PalVademecumAnswer answer;
    load_vector(&load, f);
    check_ok(pal_truth_follow(truth, f, 1, &one, u, &way, &error), &error);
    assert_int_equal(way.found, 1);
    pal_vademecum_evaluate(book, work, &load, &answer, shape);
    assert_true(answer.converged);
    assert_false(answer.outside);
    check_near(difference(shape, u), 0, 0.01);
    // it is no small load: the linear answer is far off
    check_ok(pal_truth_solve_rest(truth, f, 1, &error), &error);
    assert_true(difference(shape, f) > 0.1);
    free(f);
    free(u);
    free(shape);
}

static void errors_are_told(void **state)
{
    (void)state;
    assert_int_equal(book->size.heldout_count, 6);
    assert_true(book->facts.point.mean > 0 && book->facts.point.worst < 0.02);
    assert_true(book->facts.point.mean <= book->facts.point.most &&
                book->facts.point.most <= book->facts.point.worst);
    assert_true(book->facts.energy.worst < 0.05 && book->facts.force.worst < 0.02);
}

static void a_load_beyond_is_told(void **state)
{
    (void)state;
    PalVademecumAnswer answer;
    pal_vademecum_evaluate(book, work, &(PalVademecumLoad){{2.5, 0, 0.5}, {0, 0, -9}}, &answer,
                           NULL);
    assert_true(answer.outside);
    pal_vademecum_evaluate(book, work, &(PalVademecumLoad){{2.5, 0.5, 0.5}, {0, 0, -8}}, &answer,
                           NULL);
    assert_false(answer.outside);
    check_near(answer.stored_force.z, -8, 1e-12);
    check_near(pal_vec3_length(pal_vec3_sub(answer.stored_displacement, answer.displacement)), 0,
               1e-4);
}

// Nodes at a corner were pushed into each of its sides, and into all of them together; within a
// side, forces are as far off as they are inclined.
static void directions_at_a_corner_are_known(void **state)
{
    (void)state;
    SmallBook one;
    PalError error = {0};
    PalVademecum *made;
    PalVademecumWork *own;
    PalVademecumAnswer answer;
    small_book_init(&one, 3, PAL_VADEMECUM_AUTO);
    one.def.directions = PAL_DIRECTIONS_NORMAL;
    check_ok(pal_vademecum_build(&one.def, &made, &error), &error);
    check_ok(pal_vademecum_work_create(made, &own, &error), &error);
    const PalVec3 corner = {1.5, 0.5, 0.5};
    int32_t around[20], count = 0;
    PalVec3 sum = {0, 0, 0};
    for (int32_t t = 0; t < made->size.triangle_count; ++t) {
        PalVec3 at[3];
        bool beside = false;
        for (int a = 0; a < 3; ++a) {
            at[a] = pal_vademecum_node(made, made->triangles[3 * t + a]);
            beside = beside || pal_vec3_length(pal_vec3_sub(at[a], corner)) < 1e-12;
        }
        if (!beside)
            continue;
        PalVec3 ab = pal_vec3_sub(at[1], at[0]), ac = pal_vec3_sub(at[2], at[0]);
        sum = pal_vec3_add(sum, pal_vec3_cross(ab, ac));
        around[count++] = t;
    }
    const PalVec3 into[] = {{-1, 0, 0}, {0, -2, 0}, {0, 0, -3}, pal_vec3_scale(-1, sum), {0, 0, 0}};
    for (int i = 0; i < 5; ++i) {
        check_near(pal_vademecum_along(made, around, count, into[i]), 1, 1e-12);
        pal_vademecum_evaluate(made, own, &(PalVademecumLoad){corner, into[i]}, &answer, NULL);
        check_near(answer.angle, 0, 1e-6);
    }
    check_near(pal_vademecum_along(made, around, count, (PalVec3){1, 1, 1}), -sqrt(1.0 / 3), 1e-12);
    PalVademecumLoad inclined = {{0.1, 0.1, 0.5}, {-1, 0, -1}};
    pal_vademecum_evaluate(made, own, &inclined, &answer, NULL);
    check_near(answer.angle, atan(1), 1e-6);
    pal_vademecum_work_destroy(own);
    pal_vademecum_destroy(made);
    small_book_clear(&one);
}

// More products leave less; small loads end at what nearest sites leave.
static void products_converge(void **state)
{
    (void)state;
    SmallBook two;
    PalError error = {0};
    double mean[2];
    for (int i = 0; i < 2; ++i) {
        PalVademecum *made;
        small_book_init(&two, 3, PAL_VADEMECUM_PGD);
        two.def.largest = 0.01;
        two.def.mode_limit = i == 0 ? 2 : 24;
        check_ok(pal_vademecum_build(&two.def, &made, &error), &error);
        mean[i] = made->facts.energy.mean;
        pal_vademecum_destroy(made);
        small_book_clear(&two);
    }
    assert_true(mean[1] < 0.7 * mean[0]);
}

// The load grows in stages, and products so far grow with it: where all is linear, nine of them for
// sixteen sites leave as little as nine without stages. Otherwise each stage spends its products on
// shapes that are known, and 0.72 of the loads are left.
static void products_grow_with_the_load(void **state)
{
    (void)state;
    SmallBook fourth;
    PalError error = {0};
    PalVademecum *made;
    small_book_init(&fourth, 3, PAL_VADEMECUM_PGD);
    fourth.def.largest = 0.01;
    fourth.def.mode_limit = 9;
    check_ok(pal_vademecum_build(&fourth.def, &made, &error), &error);
    assert_int_equal(made->size.site_count, 16);
    assert_true(made->facts.residual > 0 && made->facts.residual < 0.3);
    pal_vademecum_destroy(made);
    small_book_clear(&fourth);
}

// Under a load that is lost in rounding no equilibrium is found: then no tolerance is held.
static void errors_that_were_not_measured_are_told(void **state)
{
    (void)state;
    SmallBook fifth;
    PalError error = {0};
    PalVademecum *made;
    small_book_init(&fifth, 2, PAL_VADEMECUM_PGD);
    fifth.def.largest = 1e-9;
    fifth.def.mode_limit = 1;
    check_ok(pal_vademecum_build(&fifth.def, &made, &error), &error);
    assert_int_equal(made->size.heldout_count, 0);
    assert_int_equal(made->facts.solution_count, 0);
    assert_true(isnan(made->facts.point.mean));
    assert_false(pal_vademecum_holds_tolerance(&made->facts));
    pal_vademecum_destroy(made);
    small_book_clear(&fifth);
}

// Products know loads along their directions: a pull is the push reversed, and what acts across has
// no answer. Both are told.
static void products_know_their_directions(void **state)
{
    (void)state;
    SmallBook third;
    PalError error = {0};
    PalVademecum *made;
    PalVademecumWork *own;
    PalVademecumAnswer push, pull, across;
    small_book_init(&third, 3, PAL_VADEMECUM_PGD);
    third.def.largest = 0.01;
    check_ok(pal_vademecum_build(&third.def, &made, &error), &error);
    check_ok(pal_vademecum_work_create(made, &own, &error), &error);
    int32_t last = made->size.site_count - 1;
    PalVec3 at = pal_vademecum_node(made, made->site[last]);
    PalVec3 force = pal_vec3_scale(0.01, pal_vademecum_direction(made, last, 0));
    PalVec3 aside = pal_vec3_scale(0.01, pal_vec3_any_across(force));
    pal_vademecum_evaluate(made, own, &(PalVademecumLoad){at, force}, &push, NULL);
    pal_vademecum_evaluate(made, own, &(PalVademecumLoad){at, pal_vec3_scale(-1, force)}, &pull,
                           NULL);
    pal_vademecum_evaluate(made, own, &(PalVademecumLoad){at, aside}, &across, NULL);
    assert_true(pal_vec3_length(push.displacement) > 0);
    assert_true(pal_vec3_length(pal_vec3_add(push.displacement, pull.displacement)) <
                1e-12 * pal_vec3_length(push.displacement));
    assert_true(!push.outside && pull.outside);
    assert_true(across.outside);
    assert_true(pal_vec3_length(across.displacement) < 1e-9 * pal_vec3_length(push.displacement));
    pal_vademecum_work_destroy(own);
    pal_vademecum_destroy(made);
    small_book_clear(&third);
}

// One thread or two: the same bits.
static void threads_change_nothing(void **state)
{
    (void)state;
    PalError error = {0};
    PalVademecum *other;
    PalVademecumArray a[PAL_VADEMECUM_ARRAY_MAX], b[PAL_VADEMECUM_ARRAY_MAX];
    PalVademecumDef def = small.def;
    def.thread_count = 2;
    check_ok(pal_vademecum_build(&def, &other, &error), &error);
    int32_t count = pal_vademecum_arrays(book, a);
    pal_vademecum_arrays(other, b);
    for (int32_t i = 0; i < count; ++i) {
        assert_int_equal(a[i].count, b[i].count);
        size_t bytes = (size_t)a[i].count * (a[i].kind == PAL_VADEMECUM_DOUBLE ? 8 : 4);
        assert_memory_equal(a[i].data, b[i].data, bytes);
    }
    pal_vademecum_destroy(other);
}

static void bodies_must_be_held_and_of_t4(void **state)
{
    (void)state;
    SmallBook one;
    PalError error = {0};
    PalVademecum *made;
    small_book_init(&one, 2, PAL_VADEMECUM_AUTO);
    one.model.condition_count = 0;
    assert_int_equal(pal_vademecum_build(&one.def, &made, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "nothing holds"));
    error = (PalError){0};
    one.model.condition_count = 1;
    one.body.element = PAL_ELEMENT_T4_ANP;
    assert_int_equal(pal_vademecum_build(&one.def, &made, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "expected element t4"));
    assert_null(made);
    small_book_clear(&one);
}

// What acts on the body besides forces would have to be in the answers.
static void other_conditions_are_refused(void **state)
{
    (void)state;
    SmallBook one;
    PalVademecum *made;
    small_book_init(&one, 2, PAL_VADEMECUM_AUTO);
    PalConditionDef conditions[2] = {one.hold, pal_condition_def_default()};
    one.model.conditions = conditions;
    one.model.condition_count = 2;
    static const struct {
        PalConditionKind kind;
        int32_t body, other;
        const char *text;
    } cases[] = {
        {PAL_CONDITION_DISPLACE, 0, PAL_NONE, "conditions.1 (displace)"},
        {PAL_CONDITION_PRESSURE, 0, PAL_NONE, "conditions.1 (pressure)"},
        {PAL_CONDITION_TRACTION, 0, PAL_NONE, "conditions.1 (traction)"},
        {PAL_CONDITION_ROTATE, 0, PAL_NONE, "conditions.1 (rotate)"},
        {PAL_CONDITION_GRAVITY, PAL_NONE, PAL_NONE, "conditions.1 (gravity)"},
        {PAL_CONDITION_ATTACH, 1, 0, "conditions.1 (attach)"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        PalError error = {0};
        conditions[1].kind = cases[c].kind;
        conditions[1].body_index = cases[c].body;
        conditions[1].other_body = cases[c].other;
        assert_int_equal(pal_vademecum_build(&one.def, &made, &error), PAL_BAD_INPUT);
        assert_non_null(strstr(error.text, cases[c].text));
    }
    PalError error = {0};
    conditions[1].kind = PAL_CONDITION_PRESSURE;
    conditions[1].body_index = 1;  // another body's
    check_ok(pal_vademecum_build(&one.def, &made, &error), &error);
    pal_vademecum_destroy(made);
    small_book_clear(&one);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(other_conditions_are_refused),
    cmocka_unit_test(modes_are_orthonormal),
    cmocka_unit_test(small_loads_have_the_linear_answer),
    cmocka_unit_test(large_loads_are_right),
    cmocka_unit_test(errors_are_told),
    cmocka_unit_test(a_load_beyond_is_told),
    cmocka_unit_test(directions_at_a_corner_are_known),
    cmocka_unit_test(products_converge),
    cmocka_unit_test(products_grow_with_the_load),
    cmocka_unit_test(errors_that_were_not_measured_are_told),
    cmocka_unit_test(products_know_their_directions),
    cmocka_unit_test(threads_change_nothing),
    cmocka_unit_test(bodies_must_be_held_and_of_t4),
};

CHECK_GROUP(tests, prepare, clean_up)
