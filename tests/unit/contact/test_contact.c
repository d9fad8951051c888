// Distances that contact goes by.
#include "touch.h"

// The resting separation follows the bodies that touch, whatever else is in the scene.
static void a_fine_bystander_changes_nothing(void **state)
{
    (void)state;
    PalContactReport reports[2];
    for (int with = 0; with < 2; ++with) {
        Touch t = touch_nothing(1);
        for (int b = 0; b < 2; ++b)
            touch_add_mesh(&t,
                           touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){1, 1, 1},
                                       PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 1.1 * b)),
                           1000, 0.3, 1);
        if (with)
            touch_add_mesh(&t,
                           touch_shape(PAL_SHAPE_BOX, pal_vec3(0.1, 0.1, 0.1), (int32_t[]){9, 9, 9},
                                       PAL_CELL_TETRAHEDRON, pal_vec3(3, 0, 0)),
                           1000, 0.3, 1);
        touch_pair(&t, 0, 1, 0);
        touch_start(&t);
        reports[with] = pal_sim_contact_report(t.run);
        assert_true(reports[with].margin >= 1.25 * reports[with].separation);
        touch_end(&t);
    }
    check_near(reports[1].separation, reports[0].separation, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_fine_bystander_changes_nothing),
};
CHECK_GROUP(tests, NULL, NULL)
