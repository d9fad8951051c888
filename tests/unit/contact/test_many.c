// Many objects: pairs are looked up rather than tabled, and what touches is what would with a list.
#include "touch.h"

#include "contact/contact.h"
#include "contact/response/lagrange/lagrange.h"
#include "contact/surface/pairs.h"
#include "sim/sim.h"
#include <palpate/steer.h>

enum { SIDE = 3, COUNT = 36 };

// A pile of free boxes in two sizes of spacing, a floor below it.
static Touch pile(bool listed)
{
    Touch t = touch_nothing(0.004);
    for (int32_t i = 0; i < COUNT; ++i) {
        PalVec3 at = pal_vec3(1.02 * (i % SIDE), 1.01 * (i / SIDE % SIDE),
                              0.503 + 1.003 * (i / (SIDE * SIDE)));
        int32_t r = touch_add_free(&t,
                                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1),
                                               (int32_t[3]){1, 1, 1}, PAL_CELL_TRIANGLE, at),
                                   10 + i);
        t.rigids[r].velocity = pal_vec3(0, 0, -1 - i / (SIDE * SIDE));
    }
    touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(20, 20, 1), (int32_t[3]){1, 1, 1},
                                    PAL_CELL_TRIANGLE, pal_vec3(0, 0, -0.5)));
    touch_gravity(&t, pal_vec3(0, 0, -10));
    t.sim.contact.every_pair = !listed;
    t.sim.contact.every_pair_friction = 0.3;
    for (int32_t a = 0; listed && a <= COUNT; ++a)
        for (int32_t b = a + 1; b <= COUNT; ++b)
            touch_pair(&t, a, b, 0.3);
    return t;
}

static bool are_alike(const PalContactPairReport *a, const PalContactPairReport *b)
{
    return a->objects[0] == b->objects[0] && a->objects[1] == b->objects[1] &&
           a->friction == b->friction && a->contact_count == b->contact_count &&
           a->normal_force == b->normal_force && a->touch_steps == b->touch_steps &&
           a->largest_normal_force == b->largest_normal_force && a->largest_time == b->largest_time;
}

static void all_is_as_if_listed(void **state)
{
    (void)state;
    Touch many = pile(false), listed = pile(true);
    touch_start(&many);
    touch_start(&listed);
    touch_advance(&many, 0.004);
    touch_advance(&listed, 0.004);
    assert_true(pal_sim_hash(many.run) == pal_sim_hash(listed.run));
    int32_t count, all, touched = 0;
    const PalContactPairReport *found = pal_sim_contact_pairs(many.run, &count);
    const PalContactPairReport *pairs = pal_sim_contact_pairs(listed.run, &all);
    for (int32_t p = 0; p < all; ++p) {
        if (pairs[p].touch_steps == 0)
            continue;
        ++touched;
        int32_t same = 0;
        for (int32_t q = 0; q < count; ++q)
            same += are_alike(&found[q], &pairs[p]);
        assert_int_equal(same, 1);
    }
    assert_int_equal(touched, count);
    assert_true(count >= SIDE * SIDE && count < 200);
    touch_end(&many);
    touch_end(&listed);
}

static void friction_of_any_two_can_be_changed(void **state)
{
    (void)state;
    PalError error = {0};
    Touch t = pile(false);
    touch_start(&t);
    int32_t count;
    uint64_t before = pal_sim_hash(t.run);
    check_ok(pal_sim_set_friction(t.run, 7, 3, 0.7, &error), &error);
    const PalContactPairReport *pairs = pal_sim_contact_pairs(t.run, &count);
    assert_int_equal(count, 1);
    assert_true(pairs[0].objects[0] == 3 && pairs[0].objects[1] == 7 && pairs[0].friction == 0.7);
    assert_true(pal_sim_hash(t.run) != before);
    assert_int_equal(pal_sim_set_friction(t.run, 7, 7, 0.7, &error), PAL_BAD_INPUT);
    assert_int_equal(pal_sim_set_friction(t.run, 7, COUNT + 1, 0.7, NULL), PAL_BAD_INPUT);
    touch_end(&t);
}

// The same answers from a table and from the list, for more objects than a table is made for.
static void pairs_are_looked_up(void **state)
{
    (void)state;
    enum { BODIES = 3, RIGIDS = 400, OBJECTS = BODIES + RIGIDS };
    static PalRigid rigids[RIGIDS];
    for (int32_t r = 0; r < RIGIDS; ++r)
        rigids[r].free = r % 2 == 0;
    PalModel model = {.body_count = BODIES, .rigid_count = RIGIDS, .rigids = rigids};
    PalContactPairDef listed[] = {{{9, 1}, 0.5}, {{1, 1}, -1}, {{402, 401}, 0.25}, {{0, 5}, -1}};
    PalContactDef def = pal_contact_def_default();
    def.pairs = listed;
    def.pair_count = 4;
    def.every_pair = def.every_self = true;
    def.every_pair_friction = 0.1;
    def.every_self_friction = 0.2;
    PalError error = {0};
    PalPairs *pairs = NULL;
    check_ok(pal_pairs_create(&def, &model, &pairs, &error), &error);
    assert_null(pairs->dense);
    check_near(pal_pairs_friction(pairs, 1, 9), 0.5, 0);
    check_near(pal_pairs_friction(pairs, 1, 1), -1, 0);
    check_near(pal_pairs_friction(pairs, 2, 2), 0.2, 0);
    check_near(pal_pairs_friction(pairs, 3, 3), -1, 0);
    check_near(pal_pairs_friction(pairs, 402, 401), 0.25, 0);
    check_near(pal_pairs_friction(pairs, 5, 0), -1, 0);
    check_near(pal_pairs_friction(pairs, 3, 4), 0.1, 0);
    check_near(pal_pairs_friction(pairs, 4, 6), -1, 0);  // both prescribed
    assert_true(pal_pairs_set(pairs, 300, 2, 0.9));
    check_near(pal_pairs_friction(pairs, 2, 300), 0.9, 0);
    check_near(pal_pairs_friction(pairs, 2, 299), 0.1, 0);
    pal_pairs_destroy(pairs);
    // few objects have a table
    PalModel small = {.body_count = BODIES, .rigid_count = 4, .rigids = rigids};
    def.pair_count = 0;
    check_ok(pal_pairs_create(&def, &small, &pairs, &error), &error);
    assert_non_null(pairs->dense);
    assert_true(pal_pairs_set(pairs, 5, 2, 0.9));
    check_near(pal_pairs_friction(pairs, 2, 5), 0.9, 0);
    check_near(pal_pairs_friction(pairs, 5, 2), 0.9, 0);
    check_near(pal_pairs_friction(pairs, 5, 1), 0.1, 0);
    pal_pairs_destroy(pairs);
    def.pair_count = 4;
    listed[2] = listed[0];
    assert_int_equal(pal_pairs_create(&def, &model, &pairs, &error), PAL_BAD_INPUT);
    assert_string_equal(error.text, "contact names objects 1 and 9 twice, expected each pair once");
}

// A block whose cells become far smaller towards one edge: from 5 to 0.015, each 1.56 times the
// last.
static PalMesh *graded_block(double bottom)
{
    enum { CELLS = 14 };
    PalMesh *mesh =
        touch_shape(PAL_SHAPE_BOX, pal_vec3(CELLS, CELLS, 3), (int32_t[]){CELLS, CELLS, 1},
                    PAL_CELL_TETRAHEDRON, pal_vec3(CELLS / 2.0, CELLS / 2.0, bottom + 1.5));
    double ratio = pow(5 / 0.015, 1.0 / (CELLS - 1));
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        PalVec3 *x = &mesh->nodes[n];
        x->x = 0.015 * (pow(ratio, x->x) - 1) / (ratio - 1);
        x->y = 0.015 * (pow(ratio, x->y) - 1) / (ratio - 1);
    }
    return mesh;
}

// A list that holds anything looks no farther ahead than an edge of the finer of its patches is
// long, or than the patches come in a few steps: small facets are near few others, though large
// ones are near all of them.
static void check_widths(const PalLagrange *lagrange)
{
    const double *edges = lagrange->patches.edge;
    double most = 0;
    int lists = 0;
    for (int32_t g = 0; g < lagrange->groups.list.count; ++g) {
        const PalCandidateGroup *group = &lagrange->groups.list.items[g];
        if (group->patches[0] == PAL_NONE || group->count == 0)
            continue;
        double edge = fmin(edges[group->patches[0]], edges[group->patches[1]]);
        double step = group->nearer + group->less + group->shift;
        assert_true(group->limit - group->odometer <= fmax(edge, 4 * step));
        most = fmax(most, edge);
        ++lists;
    }
    assert_true(lists > 0 && most > 0.5);  // among them those of large patches
}

static void graded_meshes_may_touch(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    PalError error = {0};
    touch_add_mesh(&t, graded_block(-3), 1000, 0.3, 1);
    touch_add_mesh(&t, graded_block(0.002), 1000, 0.3, 1);
    t.bodies[1].velocity = pal_vec3(0, 0, -5);
    touch_pair(&t, 0, 1, 0.2);
    touch_start(&t);
    for (int k = 0; k < 12; ++k) {
        check_ok(pal_sim_step(t.run, &error), &error);
        check_widths(t.run->solver->contact->own);
    }
    assert_true(pal_sim_contact_report(t.run).contact_count > 0);
    assert_int_equal(pal_sim_intersections(t.run), 0);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(graded_meshes_may_touch),
    cmocka_unit_test(all_is_as_if_listed),
    cmocka_unit_test(friction_of_any_two_can_be_changed),
    cmocka_unit_test(pairs_are_looked_up),
};

CHECK_GROUP(tests, NULL, NULL)
