// Relaxation comes to rest where a smooth instrument is pressed deep into a smooth organ, and
// agrees with implicit statics, whose contact is another.
#include "touch.h"

static PalMesh *ellipsoid(void)
{
    PalShapeDef shape = pal_shape_def_default();
    PalMesh *mesh;
    PalError error = {0};
    shape.kind = PAL_SHAPE_ELLIPSOID;
    shape.extent = pal_vec3(0.05, 0.04, 0.03);
    shape.size = 0.012;
    memset(shape.cells, 0, sizeof shape.cells);
    check_ok(pal_mesh_create_shape(&shape, &mesh, &error), &error);
    return mesh;
}

// An ellipsoid on its back, and a cylinder across it.
static Touch organ(PalElementKind element, PalMethod method, double friction, double until)
{
    Touch t = touch_nothing(1);
    t.sim.solver.method = method;
    t.sim.solver.step_limit = 10000;
    t.sim.contact.response =
        method == PAL_METHOD_RELAXATION ? PAL_RESPONSE_LAGRANGE : PAL_RESPONSE_BARRIER;
    int32_t b = touch_add_mesh(&t, ellipsoid(), 5000, 0.45, 1000);
    t.bodies[b].element = element;
    PalMesh *blade = touch_shape(PAL_SHAPE_CYLINDER, pal_vec3(0.01, 0.1, 0), (int32_t[]){0, 0, 0},
                                 PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0));
    touch_turn(blade, pal_vec3(1, 0, 0), 1.570796326794897);
    for (int32_t n = 0; n < blade->node_count; ++n)
        blade->nodes[n].z += 0.0405;
    int32_t r = touch_add_rigid(&t, blade);
    t.rigids[r].motion.translation = pal_vec3(0, 0, -0.025);
    t.rigids[r].motion.ramp.until = until;
    PalConditionDef *hold = touch_condition(&t, b, PAL_CONDITION_FIX);
    hold->where.kind = PAL_WHERE_BOX;
    hold->where.box = (PalBounds){{-1, -1, -1}, {1, 1, -0.02}};
    touch_pair(&t, b, 1 + r, friction);
    touch_start(&t);
    return t;
}

// Its end, and the force that the organ feels.
static PalVec3 press(Touch *t)
{
    PalError error = {0};
    while (!pal_sim_finished(t->run))
        check_ok(pal_sim_step(t->run, &error), &error);
    assert_int_equal(pal_sim_intersections(t->run), 0);
    return pal_sim_contact_force(t->run, 0, 1);
}

// What holds it bears all that presses it.
static void check_balance(const Touch *t, PalVec3 push)
{
    const PalState *now = pal_sim_state(t->run);
    PalVec3 held = {0, 0, 0};
    for (int32_t n = 0; n < pal_sim_model(t->run)->node_count; ++n)
        held = pal_vec3_add(held, now->reaction[n]);
    assert_true(pal_vec3_distance(held, pal_vec3_scale(-1, push)) <= 1e-4 * pal_vec3_length(push));
}

static void a_deep_dent_comes_to_rest(void **state)
{
    (void)state;
    const PalElementKind elements[] = {PAL_ELEMENT_T4, PAL_ELEMENT_T4_ANP, PAL_ELEMENT_MIXED};
    for (int e = 0; e < 3; ++e)
        for (int k = 0; k < 2; ++k) {
            Touch t = organ(elements[e], PAL_METHOD_RELAXATION, 0.3 * k, 1);
            PalVec3 push = press(&t);
            print_message("%s, friction %g: force %.4f in %lld steps, %lld taken back\n",
                          pal_element_name(elements[e]), 0.3 * k, -push.z,
                          (long long)pal_sim_state(t.run)->step_count,
                          (long long)pal_sim_counters(t.run)->retries);
            assert_true(-push.z > 5);
            check_balance(&t, push);
            touch_end(&t);
        }
}

static void implicit_statics_agree(void **state)
{
    (void)state;
    Touch relaxed = organ(PAL_ELEMENT_T4, PAL_METHOD_RELAXATION, 0, 1);
    Touch implicit = organ(PAL_ELEMENT_T4, PAL_METHOD_IMPLICIT_STATIC, 0, 1);
    PalVec3 a = press(&relaxed), b = press(&implicit);
    print_message("force %.4f, implicit %.4f\n", -a.z, -b.z);
    check_near(a.z, b.z, 0.005 * fabs(b.z));
    touch_end(&relaxed);
    touch_end(&implicit);
}

// One that arrives in the tenth part of the time: loads grow more slowly meanwhile, and no step is
// taken back.
static void a_sudden_instrument_is_slowed_down(void **state)
{
    (void)state;
    Touch t = organ(PAL_ELEMENT_T4, PAL_METHOD_RELAXATION, 0.3, 0.1);
    PalVec3 push = press(&t);
    print_message("force %.4f in %lld steps\n", -push.z,
                  (long long)pal_sim_state(t.run)->step_count);
    assert_int_equal(pal_sim_counters(t.run)->retries, 0);
    check_balance(&t, push);
    touch_end(&t);
}

// A thin shell between two soft balls that are not quite above each other: friction alone holds it,
// and where they touch it they turn it.
static Touch shell_between_balls(double friction)
{
    Touch t = touch_nothing(1);
    t.sim.solver.method = PAL_METHOD_RELAXATION;
    t.sim.solver.step_limit = 12000;
    PalMesh *sheet = touch_shape(PAL_SHAPE_SHEET, pal_vec3(1.6, 1.6, 0), (int32_t[]){8, 8, 0},
                                 PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0));
    int32_t s = touch_add_mesh(&t, sheet, 2e4, 0.4, 1000);
    t.bodies[s].element = PAL_ELEMENT_EBST;
    t.bodies[s].thickness = 0.02;
    for (int k = 0; k < 2; ++k) {
        double up = k == 0 ? 1 : -1;
        PalMesh *ball = touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.5, 0.5, 0.5), (int32_t[]){4, 0, 0},
                                    PAL_CELL_TETRAHEDRON, pal_vec3(0.1 * k, 0, 0.52 * up));
        int32_t b = touch_add_mesh(&t, ball, 3000, 0.45, 1000);
        PalConditionDef *hold = touch_condition(&t, b, PAL_CONDITION_DISPLACE);
        hold->where.kind = PAL_WHERE_BOX;
        hold->where.box = k == 0 ? (PalBounds){{-1, -1, 0.72}, {1, 1, 2}}
                                 : (PalBounds){{-1, -1, -2}, {1, 1, -0.72}};
        hold->value = pal_vec3(0, 0, k == 0 ? -0.2 : 0);
        touch_pair(&t, s, b, friction);
    }
    touch_pair(&t, 1, 2, friction);
    touch_start(&t);
    return t;
}

static void a_shell_held_by_friction_comes_to_rest(void **state)
{
    (void)state;
    Touch t = shell_between_balls(0.3);
    PalVec3 push = press(&t), back = pal_sim_contact_force(t.run, 0, 2);
    print_message("shell between two balls: %.3f and %.3f in %lld steps\n", push.z, back.z,
                  (long long)pal_sim_state(t.run)->step_count);
    assert_true(-push.z > 50);
    assert_true(pal_vec3_length(pal_vec3_add(push, back)) <= 1e-4 * pal_vec3_length(push));
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_shell_held_by_friction_comes_to_rest),
    cmocka_unit_test(a_deep_dent_comes_to_rest),
    cmocka_unit_test(implicit_statics_agree),
    cmocka_unit_test(a_sudden_instrument_is_slowed_down),
};
CHECK_GROUP(tests, NULL, NULL)
