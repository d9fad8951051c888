// Blocks between nodes that no element joins, against a matrix with all its entries.
#include "element/couplings.h"
#include "tangents.h"

enum { NODES = 36, ROWS = 3 * NODES, BLOCKS = 60, MOST = 7 };

typedef struct Dense {
    double of[ROWS][ROWS];
} Dense;

// Two nodes that follow others, which may be in the same block as they are.
static const int32_t follower_nodes[2] = {5, 20}, follower_start[3] = {0, 3, 5};
static const int32_t follower_to[5] = {1, 30, 11, 11, 2};
static const double follower_weight[5] = {0.2, 0.3, 0.5, 0.6, 0.4};

static int terms_of(int32_t node, int32_t to[3], double weight[3])
{
    for (int f = 0; f < 2; ++f)
        if (node == follower_nodes[f]) {
            int32_t first = follower_start[f], count = follower_start[f + 1] - first;
            for (int32_t k = 0; k < count; ++k) {
                to[k] = follower_to[first + k];
                weight[k] = follower_weight[first + k];
            }
            return count;
        }
    to[0] = node;
    weight[0] = 1;
    return 1;
}

static void add_dense(const PalStiffness *s, int32_t count, const int32_t *nodes,
                      const double *matrix, Dense *dense)
{
    for (int32_t r = 0; r < 3 * count; ++r)
        for (int32_t c = 0; c < 3 * count; ++c) {
            int32_t p[3], q[3];
            double v[3], w[3];
            int m = terms_of(nodes[r / 3], p, v), n = terms_of(nodes[c / 3], q, w);
            for (int k = 0; k < m; ++k)
                for (int l = 0; l < n; ++l) {
                    int32_t row = s->equation[3 * p[k] + r % 3];
                    int32_t column = s->equation[3 * q[l] + c % 3];
                    if (row != PAL_NONE && column != PAL_NONE)
                        dense->of[row][column] += v[k] * w[l] * matrix[r * 3 * count + c];
                }
        }
}

// Different nodes, in any order.
static int32_t draw_nodes(int32_t nodes[MOST], uint64_t *seed)
{
    int32_t count = 1 + (int32_t)(random_between(0, 1, seed) * MOST) % MOST;
    for (int32_t k = 0; k < count; ++k) {
        bool taken = true;
        while (taken) {
            nodes[k] = (int32_t)(random_between(0, 1, seed) * NODES) % NODES;
            taken = false;
            for (int32_t j = 0; j < k; ++j)
                taken = taken || nodes[j] == nodes[k];
        }
    }
    return count;
}

static void add_blocks(PalStiffness *s, Dense *dense, uint64_t *seed)
{
    for (int b = 0; b < BLOCKS; ++b) {
        int32_t nodes[MOST], count = draw_nodes(nodes, seed);
        double matrix[9 * MOST * MOST];
        for (int32_t r = 0; r < 3 * count; ++r)
            for (int32_t c = 0; c <= r; ++c)
                matrix[r * 3 * count + c] = matrix[c * 3 * count + r] =
                    random_between(0, 1, seed) - 0.5;
        assert_true(pal_couplings_add(s, count, nodes, matrix));
        add_dense(s, count, nodes, matrix, dense);
    }
}

static void read_dense(const PalStiffness *s, Dense *dense)
{
    memset(dense, 0, sizeof *dense);
    for (int32_t r = 0; r < s->row_count; ++r)
        for (int64_t k = s->start[r]; k < s->start[r + 1]; ++k)
            dense->of[r][s->column[k]] = s->value[k];
}

static void compare_dense(const PalStiffness *s, const Dense *expected)
{
    static Dense found;
    read_dense(s, &found);
    for (int32_t r = 0; r < s->row_count; ++r)
        for (int32_t c = 0; c <= r; ++c)
            check_near(found.of[r][c], expected->of[r][c], 1e-12 * (1 + fabs(expected->of[r][c])));
}

static void blocks_add_up(void **state)
{
    (void)state;
    static Dense elements, expected;
    uint64_t seed = 11;
    PalError error = {0};
    bool renewed;
    uint8_t held[NODES] = {[3] = 7, [8] = 2, [30] = 1, [35] = 5};
    PalFollowers followers = {2, follower_nodes, follower_start, follower_to, follower_weight};
    Body body = body_create(PAL_ELEMENT_T4, pal_laws[0], (int32_t[3]){3, 2, 2}, 1, &seed);
    assert_int_equal(body.def.node_count, NODES);
    PalElements *mesh = body_elements(&body);
    PalElementScratch *scratch = scratch_for(mesh, 1);
    PalStiffness *s = NULL;
    check_ok(pal_stiffness_create(mesh, held, body.def.nodes, &followers, &s, &error), &error);
    check_ok(pal_couplings_create(s, &error), &error);
    const int64_t entries = s->start[s->row_count];
    PalStiffnessStep step = {1, NULL, NULL};
    for (int round = 0; round < 4; ++round) {
        if (round != 1)  // round 1 goes on with the pattern of round 0
            pal_couplings_begin(s);
        pal_stiffness_assemble(s, scratch, body.displacement, &step);
        read_dense(s, &elements);
        expected = elements;
        if (round < 3)
            add_blocks(s, &expected, &seed);
        check_ok(pal_couplings_join(s, &renewed, &error), &error);
        assert_true(renewed);
        compare_dense(s, &expected);
    }
    assert_int_equal(s->start[s->row_count], entries);  // nothing is left of blocks
    pal_couplings_destroy(s);
    pal_stiffness_destroy(s);
    pal_element_scratch_destroy(scratch);
    pal_elements_destroy(mesh);
    body_destroy(&body);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_add_up)};

CHECK_GROUP(tests, NULL, NULL)
