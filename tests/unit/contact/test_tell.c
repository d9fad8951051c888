// What is told of contact: in one order, nothing that is only rounding, and the sums of each pair.
#include "contact/tell.h"
#include "touch.h"

static PalMesh *block(PalVec3 at)
{
    return touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){3, 3, 3}, PAL_CELL_TETRAHEDRON,
                       at);
}

// Two blocks one above the other fly at each other; a third is out of reach.
static Touch blocks(bool upper_first)
{
    Touch t = touch_nothing(0.4);
    for (int b = 0; b < 2; ++b) {
        bool upper = (b == 0) == upper_first;
        touch_add_mesh(&t, block(pal_vec3(upper ? 0.07 : 0, 0, upper ? 1.01 : 0)), 1000, 0.3, 10);
        t.bodies[b].velocity = pal_vec3(0, 0, upper ? -0.1 : 0.1);
    }
    touch_add_mesh(&t, block(pal_vec3(9, 0, 0)), 1000, 0.3, 10);
    touch_pair(&t, 1, 0, 0.2);
    touch_pair(&t, 2, 0, 0.2);
    touch_start(&t);
    return t;
}

static void points_have_one_order(void **state)
{
    (void)state;
    for (int upper_first = 0; upper_first < 2; ++upper_first) {
        Touch t = blocks(upper_first);
        int32_t count = 0, seen = 0;
        PalError error = {0};
        while (!pal_sim_finished(t.run)) {
            check_ok(pal_sim_step(t.run, &error), &error);
            const PalContactPoint *points = pal_sim_contacts(t.run, &count);
            for (int32_t i = 0; i < count; ++i, ++seen) {
                assert_int_equal(points[i].objects[0], 0);
                assert_int_equal(points[i].objects[1], 1);
                assert_true(upper_first ? points[i].normal.z > 0 : points[i].normal.z < 0);
                double along = pal_vec3_dot(points[i].force, points[i].normal);
                check_near(along, points[i].normal_force, 1e-9 * points[i].normal_force);
                PalVec3 apart = pal_vec3_sub(points[i].position[0], points[i].position[1]);
                assert_true(pal_vec3_dot(apart, points[i].normal) > 0);
            }
        }
        assert_true(seen > 100);
        touch_end(&t);
    }
}

static void pairs_are_summed(void **state)
{
    (void)state;
    Touch t = blocks(true);
    double largest = 0;
    int32_t most = 0, pair_count, count;
    int64_t touching = 0;
    const PalContactPairReport *pairs = pal_sim_contact_pairs(t.run, &pair_count);
    assert_int_equal(pair_count, 2);
    PalError error = {0};
    while (!pal_sim_finished(t.run)) {
        check_ok(pal_sim_step(t.run, &error), &error);
        const PalContactPoint *points = pal_sim_contacts(t.run, &count);
        double sum = 0;
        for (int32_t i = 0; i < count; ++i)
            sum += points[i].normal_force;
        check_near(pairs[0].normal_force, sum, 0);
        assert_int_equal(pairs[0].contact_count, count);
        largest = fmax(largest, sum);
        most = count > most ? count : most;
        touching += count > 0;
    }
    assert_true(touching > 0 && largest > 0);
    check_near(pairs[0].largest_normal_force, largest, 0);
    assert_true(pairs[0].largest_time > 0 && pairs[0].largest_time < 0.4);
    assert_true(pairs[0].touch_steps == touching);
    assert_int_equal(pairs[0].objects[0], 0);
    assert_int_equal(pairs[0].objects[1], 1);
    assert_true(pairs[1].touch_steps == 0 && pairs[1].largest_normal_force == 0);
    assert_int_equal(pal_sim_contact_report(t.run).most_contacts, most);
    touch_end(&t);
}

// Points as a response leaves them, with what is too little to be told among them.
static void rounding_is_left_out(void **state)
{
    (void)state;
    static const double forces[] = {2, 1e-25, 3e-9, 1e-9, 0};
    PalContactPoint points[5] = {{0}};
    for (int i = 0; i < 5; ++i) {
        points[i].objects[0] = i % 2;
        points[i].objects[1] = 1 - i % 2;
        points[i].normal = pal_vec3(0, 0, i % 2 ? -1 : 1);
        points[i].force = pal_vec3_scale(forces[i], points[i].normal);
        points[i].normal_force = forces[i];
    }
    PalPairPlace place = {0, 1, 0};
    PalContactPairReport pair = {.objects = {0, 1}};
    PalContactSurface surface = {.object_count = 2};
    PalContact contact = {.def = {.pair_count = 1},
                          .surface = &surface,
                          .points = points,
                          .point_count = 5,
                          .pair_count = 1,
                          .pairs = &pair,
                          .places = &place,
                          .extent = 1,
                          .carriers = {.largest_inverse = 1}};
    PalContactStep step = {.step = 0.1, .gain = 0.1, .end_time = 7};
    assert_int_equal(pal_contact_tell(&contact, &step, NULL), PAL_OK);
    assert_int_equal(contact.point_count, 2);  // 2 and 3e-9: more than 1e-9 of 2
    check_near(pair.normal_force, 2 + 3e-9, 0);
    check_near(pair.largest_time, 7, 0);
    for (int i = 0; i < 2; ++i)
        assert_true(points[i].objects[0] == 0 && points[i].normal.z > 0 && points[i].force.z > 0);
    // alone, 3e-9 is a force; where vertices are so heavy that it hardly moves them, it is rounding
    contact.points[0] = contact.points[1];
    contact.point_count = 1;
    assert_int_equal(pal_contact_tell(&contact, &step, NULL), PAL_OK);
    assert_int_equal(contact.point_count, 1);
    contact.carriers.largest_inverse = 1e-4;
    assert_int_equal(pal_contact_tell(&contact, &step, NULL), PAL_OK);
    assert_int_equal(contact.point_count, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(points_have_one_order),
    cmocka_unit_test(pairs_are_summed),
    cmocka_unit_test(rounding_is_left_out),
};
CHECK_GROUP(tests, NULL, NULL)
