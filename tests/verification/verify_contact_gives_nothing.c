// Contact without friction gives no energy: what bodies have comes from what is moved. A ball that
// is pressed off-centre is not driven round, and a closed path takes nothing out of contact.
#include "touch.h"

// Of a run: energies.
typedef struct Books {
    double plates;  // what instruments have put in, by the forces of each step
    double strain;  // the largest
    double most;    // what contact has given beyond that, at most
    double moving;  // kinetic energy at most, in the last quarter
    double end;     // and at the end
} Books;

static double work_of_plates(const PalSim *sim, PalVec3 *places)
{
    const PalModel *model = pal_sim_model(sim);
    double work = 0;
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        PalPose pose;
        PalTwist twist;
        PalVec3 force, torque;
        pal_sim_rigid_motion(sim, r, &pose, &twist);
        pal_sim_contact_load(sim, model->body_count + r, pose.centre, &force, &torque);
        work -= pal_vec3_dot(force, pal_vec3_sub(pose.centre, places[r]));
        places[r] = pose.centre;
    }
    return work;
}

static Books run(Touch *t, const char *name)
{
    enum { LOOKS = 200 };
    Books books = {0};
    PalVec3 places[TOUCH_RIGID_MAX];
    PalError error = {0};
    double end = t->sim.solver.time;
    touch_start(t);
    work_of_plates(t->run, places);
    books.plates = 0;
    for (int look = 1; look <= LOOKS; ++look) {
        while (pal_sim_state(t->run)->time < end * look / LOOKS * (1 - 1e-12)) {
            check_ok(pal_sim_step(t->run, &error), &error);
            books.plates += work_of_plates(t->run, places);
        }
        PalEnergy energy = pal_sim_energy(t->run);
        books.strain = fmax(books.strain, energy.strain);
        books.most = fmax(books.most, energy.contact_work - books.plates);
        books.end = energy.kinetic;
        if (look > LOOKS * 3 / 4)
            books.moving = fmax(books.moving, energy.kinetic);
    }
    assert_int_equal(pal_sim_intersections(t->run), 0);
    print_message("%s: contact gives %.2f %% of the strain energy, kinetic energy %.1e, in the end "
                  "%.1e of it\n",
                  name, 100 * books.most / books.strain, books.moving / books.strain,
                  books.end / books.strain);
    assert_true(books.most < 0.01 * books.strain);
    touch_end(t);
    return books;
}

// ---- pressed by a plate, free to turn ---------------------------------------------------------

static const PalVec3 half_axes = {0.06, 0.04, 0.025};

static double height_at(double x, double y)
{
    x /= half_axes.x;
    y /= half_axes.y;
    return half_axes.z * sqrt(1 - x * x - y * y);
}

// An organ that is held below.
static void add_organ(Touch *t, PalElementKind element, int32_t cells)
{
    bool bricks = element == PAL_ELEMENT_H8;
    PalMesh *mesh =
        touch_shape(PAL_SHAPE_ELLIPSOID, half_axes, (int32_t[]){cells, 0, 0},
                    bricks ? PAL_CELL_HEXAHEDRON : PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0));
    int32_t b = touch_add_mesh(t, mesh, 6000, 0.45, 1050);
    t->bodies[b].element = element;
    PalConditionDef *held = touch_condition(t, b, PAL_CONDITION_FIX);
    held->where.kind = PAL_WHERE_BOX;
    held->where.box = (PalBounds){{-1, -1, -1}, {1, 1, -0.012}};
}

static void add_plate(Touch *t, double height, double way, double until)
{
    int32_t r = touch_add_rigid(t, touch_shape(PAL_SHAPE_BOX, pal_vec3(0.1, 0.1, 0.01),
                                               (int32_t[]){1, 1, 1}, PAL_CELL_TRIANGLE,
                                               pal_vec3(0, 0, height)));
    t->rigids[r].motion.translation = pal_vec3(0, 0, way);
    t->rigids[r].motion.ramp.until = until;
}

typedef struct Press {
    const char *name;
    PalElementKind organ;
    int32_t organ_cells, ball_cells;
    double x, y, turn, damping;
} Press;

static const Press presses[] = {
    {"mixed", PAL_ELEMENT_MIXED, 10, 6, 0.01, 0, 0, 25},
    {"tetrahedra", PAL_ELEMENT_T4, 10, 6, 0.005, 0.008, 0, 25},
    {"mixed, aside and hardly damped", PAL_ELEMENT_MIXED, 10, 6, 0.005, 0.008, 0.9, 2},
    {"hexahedra", PAL_ELEMENT_H8, 10, 6, 0.01, 0.004, 0, 25},
};

static void test_pressed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof presses / sizeof presses[0]; ++i) {
        const Press *press = &presses[i];
        Touch t = touch_nothing(0.8);
        t.sim.solver.damping = press->damping;
        add_organ(&t, press->organ, press->organ_cells);
        PalVec3 at = pal_vec3(press->x, press->y, height_at(press->x, press->y) + 0.0136);
        PalMesh *ball = touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.012, 0.012, 0.012),
                                    (int32_t[]){press->ball_cells, 0, 0}, PAL_CELL_TETRAHEDRON,
                                    pal_vec3(0, 0, 0));
        touch_turn(ball, pal_vec3(1, 2, 3), press->turn);
        for (int32_t n = 0; n < ball->node_count; ++n)
            ball->nodes[n] = pal_vec3_add(ball->nodes[n], at);
        int32_t b = touch_add_mesh(&t, ball, 30000, 0.4, 1050);
        PalConditionDef *lead = touch_condition(&t, b, PAL_CONDITION_FIX);
        lead->where.kind = PAL_WHERE_POINT;
        lead->where.point = at;
        lead->axes[2] = false;
        add_plate(&t, at.z + 0.012 + 0.0055, -0.012, 0.4);
        touch_pair(&t, 0, 1, 0);
        touch_pair(&t, 1, 2, 0);
        Books books = run(&t, press->name);
        if (press->damping > 10)
            assert_true(books.end < 1e-4 * books.strain);
        assert_true(books.moving < 0.02 * books.strain);
    }
}

// ---- round a closed path ----------------------------------------------------------------------

// Down, along x, along y, back along x, back along y.
static void test_closed_path(void **state)
{
    (void)state;
    static const double ways[3][7][2] = {
        {{0, 0}, {0.2, 0}, {0.4, 1}, {0.6, 1}, {0.8, 0}, {1, 0}, {1.2, 0}},
        {{0, 0}, {0.2, 0}, {0.4, 0}, {0.6, 1}, {0.8, 1}, {1, 0}, {1.2, 0}},
        {{0, 0}, {0.2, 1}, {0.4, 1}, {0.6, 1}, {0.8, 1}, {1, 1}, {1.2, 1}},
    };
    Touch t = touch_nothing(1.2);
    t.sim.solver.damping = 10;
    add_organ(&t, PAL_ELEMENT_T4, 10);
    PalVec3 at = pal_vec3(-0.005, -0.005, height_at(-0.005, -0.005) + 0.0136);
    touch_add_mesh(&t,
                   touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.012, 0.012, 0.012),
                               (int32_t[]){6, 0, 0}, PAL_CELL_TETRAHEDRON, at),
                   30000, 0.4, 1050);
    for (int i = 0; i < 3; ++i) {
        PalConditionDef *lead = touch_condition(&t, 1, PAL_CONDITION_DISPLACE);
        lead->where.kind = PAL_WHERE_SPHERE;
        lead->where.point = at;
        lead->where.radius = 0.007;
        for (int k = 0; k < 3; ++k)
            lead->axes[k] = k == i;
        lead->value = pal_vec3(0.012, 0.01, -0.006);
        lead->ramp = (PalRamp){.kind = PAL_RAMP_TABLE, .point_count = 7, .points = ways[i]};
    }
    touch_pair(&t, 0, 1, 0);
    run(&t, "closed path");
}

// ---- a roll between two cushions, and between two plates ----------------------------------------

static void add_roll(Touch *t, PalCellKind cells)
{
    PalMesh *roll = touch_shape(PAL_SHAPE_CYLINDER, pal_vec3(0.012, 0.03, 0), (int32_t[]){6, 6, 0},
                                cells, pal_vec3(0, 0, 0));
    touch_turn(roll, pal_vec3(1, 0, 0), acos(0));
    int32_t b = touch_add_mesh(t, roll, 20000, 0.4, 1050);
    if (cells == PAL_CELL_HEXAHEDRON)
        t->bodies[b].element = PAL_ELEMENT_H8;
}

static void add_cushion(Touch *t, PalVec3 at, double way)
{
    PalMesh *mesh = touch_shape(PAL_SHAPE_ELLIPSOID, pal_vec3(0.03, 0.03, 0.015),
                                (int32_t[]){8, 0, 0}, PAL_CELL_TETRAHEDRON, at);
    int32_t b = touch_add_mesh(t, mesh, 6000, 0.4, 1050);
    PalConditionDef *lead = touch_condition(t, b, PAL_CONDITION_DISPLACE);
    double far = at.z > 0 ? 0.004 : -0.004;
    lead->where.kind = PAL_WHERE_BOX;
    lead->where.box = at.z > 0 ? (PalBounds){{-1, -1, at.z + far}, {1, 1, 1}}
                               : (PalBounds){{-1, -1, -1}, {1, 1, at.z + far}};
    lead->value = pal_vec3(0, 0, way);
    lead->ramp.until = 0.4;
}

static void test_roll(void **state)
{
    (void)state;
    Touch t = touch_nothing(0.8);
    t.sim.solver.damping = 15;
    add_roll(&t, PAL_CELL_TETRAHEDRON);
    add_cushion(&t, pal_vec3(0.002, 0, -0.0275), 0);
    add_cushion(&t, pal_vec3(0.004, 0.002, 0.0275), -0.006);
    PalConditionDef *lead = touch_condition(&t, 0, PAL_CONDITION_FIX);
    lead->where.kind = PAL_WHERE_POINT;
    lead->axes[2] = false;
    touch_pair(&t, 0, 1, 0);
    touch_pair(&t, 0, 2, 0);
    Books books = run(&t, "roll between cushions");
    assert_true(books.end < 1e-4 * books.strain);
    for (int bricks = 0; bricks < 2; ++bricks) {
        Touch u = touch_nothing(0.6);
        u.sim.solver.damping = 15;
        add_roll(&u, bricks ? PAL_CELL_HEXAHEDRON : PAL_CELL_TETRAHEDRON);
        add_plate(&u, 0.0175, -0.004, 0.3);
        add_plate(&u, -0.0175, 0, 0.3);
        touch_pair(&u, 0, 1, 0);
        touch_pair(&u, 0, 2, 0);
        books = run(&u, bricks ? "roll between plates, hexahedra" : "roll between plates");
        assert_true(books.end < 1e-4 * books.strain);
    }
}

// ---- one body, folded -------------------------------------------------------------------------

// A bar bent to a hairpin with round legs; the ends are pressed on each other and rubbed along.
static void test_folded(void **state)
{
    (void)state;
    static const double press[5][2] = {{0, 0}, {0.2, 1}, {0.8, 1}, {1, 1}, {1.2, 1}},
                        rub[5][2] = {{0, 0}, {0.2, 0}, {0.5, 1}, {0.8, 0}, {1.2, 0}};
    Touch t = touch_nothing(1);
    t.sim.solver.damping = 10;
    PalMesh *bar = touch_shape(PAL_SHAPE_CYLINDER, pal_vec3(0.01, 0.16, 0), (int32_t[]){6, 32, 0},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0));
    double radius = 0.016, half = radius * 2 * asin(1) / 2;
    for (int32_t n = 0; n < bar->node_count; ++n) {
        PalVec3 x = bar->nodes[n];
        double turn = fmax(-half, fmin(half, x.z)) / radius;
        double beyond = fabs(x.z) > half ? fabs(x.z) - half : 0, side = x.z > 0 ? 1 : -1;
        bar->nodes[n] = fabs(x.z) > half
                            ? pal_vec3(-beyond, x.y, side * (radius + x.x))
                            : pal_vec3((radius + x.x) * cos(turn), x.y, (radius + x.x) * sin(turn));
    }
    touch_add_mesh(&t, bar, 10000, 0.4, 1050);
    for (int side = 0; side < 2; ++side)
        for (int axis = 0; axis < 3; ++axis) {
            PalConditionDef *lead = touch_condition(&t, 0, PAL_CONDITION_DISPLACE);
            lead->where.kind = PAL_WHERE_BOX;
            lead->where.box = (PalBounds){{-1, -1, side == 0 ? radius + 0.002 : -1},
                                          {-0.03, 1, side == 0 ? 1 : -radius - 0.002}};
            for (int k = 0; k < 3; ++k)
                lead->axes[k] = k == axis;
            lead->value = pal_vec3(0, side == 0 ? 0.004 : 0, side == 0 ? -0.008 : 0.008);
            lead->ramp = (PalRamp){
                .kind = PAL_RAMP_TABLE, .point_count = 5, .points = axis == 2 ? press : rub};
        }
    touch_pair(&t, 0, 0, 0);
    run(&t, "hairpin");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pressed), cmocka_unit_test(test_closed_path), cmocka_unit_test(test_roll),
    cmocka_unit_test(test_folded)};
CHECK_GROUP(tests, NULL, NULL)
