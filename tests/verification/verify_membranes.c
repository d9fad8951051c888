// Membranes in contact: both sides touch, nothing passes, momentum stays, and what rests on one is
// half its thickness and the separation away.
#include "crossing.h"
#include "touch.h"

static int32_t add_sheet(Touch *t, PalVec3 extent, const int32_t cells[3], double thickness)
{
    int32_t sheet = touch_add_mesh(
        t, touch_shape(PAL_SHAPE_SHEET, extent, cells, PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0)), 3000,
        0.4, 200);
    t->bodies[sheet].element = PAL_ELEMENT_EBST;
    t->bodies[sheet].thickness = thickness;
    return sheet;
}

static PalMesh *ball(double radius, int32_t cells, double z)
{
    return touch_shape(PAL_SHAPE_SPHERE, pal_vec3(radius, radius, radius), (int32_t[]){cells, 0, 0},
                       PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, z));
}

// The same upside down, to the last bit.
static void mirror(PalMesh *mesh)
{
    for (int32_t n = 0; n < mesh->node_count; ++n)
        mesh->nodes[n].z = -mesh->nodes[n].z;
    for (int32_t c = 0; c < mesh->cell_count; ++c) {
        int32_t *corners = mesh->cells + 4 * (int64_t)c, kept = corners[0];
        corners[0] = corners[1];
        corners[1] = kept;
    }
}

static PalVec3 place_of(const PalSim *sim, int32_t body, int32_t node)
{
    int32_t n = pal_sim_model(sim)->bodies[body].first_node + node;
    return pal_vec3_add(pal_sim_model(sim)->nodes[n], pal_sim_state(sim)->displacement[n]);
}

// Two balls pressed on a sheet from both sides come to rest as each other's mirror image.
static void two_spheres_press_a_sheet(void **state)
{
    (void)state;
    Touch t = touch_nothing(3);
    int32_t sheet = add_sheet(&t, pal_vec3(2, 1, 0), (int32_t[]){20, 10, 0}, 0.15);
    t.materials[sheet].parameters[0] = 1200;
    t.materials[sheet].incompressible = true;
    for (int k = 0; k < 2; ++k) {
        PalMesh *mesh = ball(0.7, 6, 0.79);
        if (k == 1)
            mirror(mesh);
        int32_t b = touch_add_mesh(&t, mesh, 540, 0.35, 25);
        PalConditionDef *force = touch_condition(&t, b, PAL_CONDITION_FORCE);
        force->ramp.until = 1;
        force->value = pal_vec3(0, 0, k == 0 ? -20 : 20);
        touch_pair(&t, sheet, b, 0.1);
    }
    t.sim.solver.damping = 10;
    touch_start(&t);
    touch_advance(&t, 3);
    const PalModel *model = pal_sim_model(t.run);
    double apart = 0, lowest = INFINITY;
    for (int32_t n = 0; n < model->bodies[1].mesh->node_count; ++n) {
        PalVec3 a = place_of(t.run, 1, n), b = place_of(t.run, 2, n);
        apart = fmax(apart, pal_vec3_distance(a, pal_vec3(b.x, b.y, -b.z)));
        lowest = fmin(lowest, a.z);
    }
    // the middle of the sheet is thinner where it is pressed together
    double separation = pal_sim_contact_report(t.run).separation, stretch = 0, middle = 0;
    for (int32_t n = 0; n < model->bodies[0].mesh->node_count; ++n)
        middle = fmax(middle, fabs(place_of(t.run, 0, n).z));
    static double thickness[400];
    assert_int_equal(pal_sim_cell_fields(t.run, 0, &(PalCellFields){.thickness = thickness}),
                     PAL_OK);
    stretch = thickness[200] / 0.15;
    print_message("two spheres: mirror images to %.2g, the lowest node %.5f, half the thickness "
                  "and the separation %.5f, the sheet within %.2g of its plane\n",
                  apart, lowest, 0.075 * stretch + separation, middle);
    // rows may stay off by a hundredth of the separation on each side, and friction keeps it
    assert_true(apart < 0.02 * separation);
    assert_true(middle < 0.02 * separation);
    check_near(lowest, 0.075 * stretch + separation, 0.1 * separation);
    assert_int_equal(crossing_count(t.run, &t.sim.contact), 0);
    touch_end(&t);
}

// Thrown at a sheet in free flight, one thickness in a step, with friction: it bounces, and linear
// and angular momentum stay.
static void a_sheet_struck_hard_is_not_pierced(void **state)
{
    (void)state;
    for (int side = 0; side < 2; ++side) {
        Touch t = touch_nothing(0.08);
        int32_t sheet = add_sheet(&t, pal_vec3(2, 2, 0), (int32_t[]){16, 16, 0}, 0.02);
        PalMesh *mesh = ball(0.3, 6, 0.34);
        if (side == 1)
            mirror(mesh);
        int32_t b = touch_add_mesh(&t, mesh, 3000, 0.4, 50);
        t.sim.solver.step = 2e-3;
        t.bodies[b].velocity = pal_vec3(1, 0, side == 0 ? -10 : 10);
        touch_pair(&t, sheet, b, 0.2);
        touch_start(&t);
        PalVec3 before = pal_sim_momentum(t.run), turn = pal_sim_angular_momentum(t.run);
        double drift = 0, turned = 0, size = pal_vec3_length(before);
        while (!pal_sim_finished(t.run)) {
            PalError error = {0};
            check_ok(pal_sim_step(t.run, &error), &error);
            drift = fmax(drift, pal_vec3_distance(pal_sim_momentum(t.run), before) / size);
            turned = fmax(turned, pal_vec3_distance(pal_sim_angular_momentum(t.run), turn) / size);
            assert_int_equal(crossing_count(t.run, &t.sim.contact), 0);
        }
        print_message("struck from side %d: momentum %.2g, angular %.2g\n", side, drift, turned);
        assert_true(drift < 1e-12);
        assert_true(turned < 1e-12);
        touch_end(&t);
    }
}

// A sheet that lies on a plate exactly is moved off it, whichever side it lies on.
static void a_sheet_that_touches_is_moved_off(void **state)
{
    (void)state;
    for (int side = 0; side < 2; ++side) {
        double way = side == 0 ? 1 : -1;
        Touch t = touch_nothing(0.01);
        int32_t sheet = add_sheet(&t, pal_vec3(1, 1, 0), (int32_t[]){4, 4, 0}, 0.125);
        int32_t plate =
            touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(4, 4, 1), (int32_t[]){1, 1, 1},
                                            PAL_CELL_TRIANGLE, pal_vec3(0, 0, -0.5625 * way)));
        touch_pair(&t, sheet, 1 + plate, 0);
        touch_start(&t);
        double separation = pal_sim_contact_report(t.run).separation, lowest = INFINITY;
        for (int32_t n = 0; n < t.meshes[sheet]->node_count; ++n)
            lowest = fmin(lowest, way * place_of(t.run, 0, n).z);
        print_message("on a plate, side %d: moved by %.4g, the separation is %.4g\n", side, lowest,
                      separation);
        check_near(lowest, separation, 0.1 * separation);
        touch_advance(&t, 0.01);
        assert_int_equal(crossing_count(t.run, &t.sim.contact), 0);
        touch_end(&t);
    }
}

// Folded on itself by two walls, a sheet does not pass through itself, nor its rim.
static void a_folded_sheet_does_not_cross_itself(void **state)
{
    (void)state;
    Touch t = touch_nothing(0.6);
    int32_t sheet = add_sheet(&t, pal_vec3(2, 0.6, 0), (int32_t[]){24, 7, 0}, 0.03);
    for (int32_t n = 0; n < t.meshes[sheet]->node_count; ++n) {
        double x = t.meshes[sheet]->nodes[n].x;
        t.meshes[sheet]->nodes[n].z = 0.3 * sin(1.7 * x) * sin(1.7 * x) + 0.05 * x;
    }
    for (int k = 0; k < 2; ++k) {
        double way = k == 0 ? 1 : -1;
        int32_t wall = touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(0.1, 2, 3),
                                                       (int32_t[]){1, 1, 1}, PAL_CELL_TRIANGLE,
                                                       pal_vec3(-1.15 * way, 0, 0)));
        t.rigids[wall].motion.translation = pal_vec3(0.9 * way, 0, 0);
        touch_pair(&t, sheet, 1 + wall, 0.1);
    }
    touch_pair(&t, sheet, sheet, 0.1);
    t.sim.solver.damping = 5;
    touch_start(&t);
    for (int k = 1; k <= 12; ++k) {
        touch_advance(&t, 0.05 * k);
        assert_int_equal(crossing_count(t.run, &t.sim.contact), 0);
    }
    touch_end(&t);
}

// Six walls close in on a sheet from all sides: it crumples, and never passes through itself or
// them.
static void a_sheet_crumples_in_a_shrinking_box(void **state)
{
    (void)state;
    const double half = 0.72, way = 0.4, wall = 0.1;
    Touch t = touch_nothing(8);
    int32_t sheet = add_sheet(&t, pal_vec3(1, 1, 0), (int32_t[]){14, 14, 0}, 0.02);
    touch_turn(t.meshes[sheet], pal_vec3(0.3, 0.2, 1), 0.44);
    for (int side = 0; side < 6; ++side) {
        PalVec3 extent = {2, 2, 2}, at = {0, 0, 0}, motion = {0, 0, 0};
        double sign = side % 2 == 0 ? -1 : 1;
        (&extent.x)[side / 2] = wall;
        (&at.x)[side / 2] = sign * (half + wall / 2);
        (&motion.x)[side / 2] = -sign * way;
        int32_t r = touch_add_rigid(
            &t, touch_shape(PAL_SHAPE_BOX, extent, (int32_t[]){1, 1, 1}, PAL_CELL_TRIANGLE, at));
        t.rigids[r].motion.translation = motion;
        touch_pair(&t, sheet, 1 + r, 0.1);
    }
    touch_pair(&t, sheet, sheet, 0.1);
    t.sim.solver.damping = 2;
    touch_start(&t);
    int32_t most = 0;
    for (int k = 1; k <= 80; ++k) {
        touch_advance(&t, 0.1 * k);
        assert_int_equal(crossing_count(t.run, &t.sim.contact), 0);
        assert_int_equal(pal_sim_intersections(t.run), 0);
        int32_t contacts = pal_sim_contact_report(t.run).contact_count;
        most = contacts > most ? contacts : most;
    }
    double farthest = 0;
    for (int32_t n = 0; n < pal_sim_model(t.run)->bodies[sheet].mesh->node_count; ++n)
        for (int i = 0; i < 3; ++i) {
            PalVec3 x = place_of(t.run, sheet, n);
            farthest = fmax(farthest, fabs((&x.x)[i]));
        }
    print_message("crumpled: up to %d contacts, inside %.4f of a box of %.4f\n", (int)most,
                  farthest, half - way);
    assert_true(farthest < half - way);
    assert_true(most > 50);
    touch_end(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(two_spheres_press_a_sheet),
    cmocka_unit_test(a_sheet_struck_hard_is_not_pierced),
    cmocka_unit_test(a_sheet_that_touches_is_moved_off),
    cmocka_unit_test(a_folded_sheet_does_not_cross_itself),
    cmocka_unit_test(a_sheet_crumples_in_a_shrinking_box),
};

CHECK_GROUP(tests, NULL, NULL)
