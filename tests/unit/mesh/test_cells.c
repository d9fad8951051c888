#include "mesh/cells.h"

#include "samples.h"

static void rows_come_in_order(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    static int32_t rows[COUNT][3], order[COUNT];
    const int32_t limits[] = {3, 2000, 2048, 5000000, INT32_MAX};
    uint32_t seed = 5;
    for (size_t t = 0; t < sizeof limits / sizeof *limits; ++t) {
        for (int32_t i = 0; i < COUNT; ++i)
            for (int32_t a = 0; a < 3; ++a)
                rows[i][a] = (int32_t)(((uint64_t)next_random(&seed) * 977) % (uint64_t)limits[t]) -
                             (a == 2);
        rows[0][0] = INT32_MAX;
        assert_true(pal_rows_order(&rows[0][0], COUNT, 3, order));
        for (int32_t i = 1; i < COUNT; ++i) {
            const int32_t *p = rows[order[i - 1]], *q = rows[order[i]];
            int32_t a = 0;
            while (a < 2 && p[a] == q[a])
                ++a;
            assert_true(p[a] < q[a] || (p[a] == q[a] && order[i - 1] < order[i]));
        }
        assert_int_equal(order[COUNT - 1], 0);
    }
    assert_true(pal_rows_order(NULL, 0, 3, order));
}

// Seen from outside, the corners of a facet run counter-clockwise, and facets share edges.
static void facets_of_a_cell_close_it(void **state)
{
    (void)state;
    for (int kind = PAL_CELL_TETRAHEDRON; kind <= PAL_CELL_HEXAHEDRON; ++kind) {
        const PalCellTopology *cell = pal_cell_topology((PalCellKind)kind);
        int32_t facets[24], owners[6] = {0}, nodes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        for (int32_t f = 0; f < cell->facet_count; ++f)
            for (int32_t a = 0; a < cell->corner_count; ++a)
                facets[f * cell->corner_count + a] = cell->facets[f][a];
        PalSurface surface = {.corner_count = cell->corner_count,
                              .facet_count = cell->facet_count,
                              .facets = facets,
                              .owners = owners,
                              .node_count = cell->node_count,
                              .nodes = nodes};
        assert_int_equal(check_closed(&surface), 2);
        assert_int_equal(cell->edge_count, cell->facet_count * cell->corner_count / 2);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_come_in_order),
    cmocka_unit_test(facets_of_a_cell_close_it),
};
CHECK_GROUP(tests, NULL, NULL)
