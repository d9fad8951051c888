// How long a step may be before cells are squeezed of a sudden, and when to look again.
#include "sim/sim.h"
#include "simulate.h"
#include "solver/solver.h"
#include "touch.h"

// Whichever corner of a hexahedron is pushed in, and along whichever axis, it is seen: the
// tetrahedra at its corners lose volume by as much as the corner goes. A cell may lose a tenth of
// it, and half as much where it is all there is.
static void look_at_every_corner(int32_t cells, double part)
{
    Simulation s = simulate_box(pal_vec3(1, 2, 4), cells, cells, cells);
    simulate_neo_hookean(&s, 1000, 0.3, 1);
    s.body.element = PAL_ELEMENT_H8;
    simulate_start(&s);
    const PalModel *model = s.run->model;
    PalState *now = s.run->state;
    const double extent[3] = {1, 2, 4}, speed = 0.5;
    assert_true(isinf(pal_solver_squeeze_step(model, now, s.run->solver, 0)));
    int32_t corners = 0;
    for (int32_t n = 0; n < model->node_count; ++n) {
        PalVec3 x = model->nodes[n];
        if (fabs(x.x) < 0.499 || fabs(x.y) < 0.999 || fabs(x.z) < 1.999)
            continue;
        ++corners;
        for (int i = 0; i < 3; ++i) {
            double inward = pal_vec3_at(x, i) > 0 ? -speed : speed;
            now->velocity[n] =
                pal_vec3(i == 0 ? inward : 0, i == 1 ? inward : 0, i == 2 ? inward : 0);
            check_near(pal_solver_squeeze_step(model, now, s.run->solver, 0),
                       part * extent[i] / cells / speed, 1e-12);
            now->velocity[n] = pal_vec3(0, 0, 0);
        }
    }
    assert_int_equal(corners, 8);
    simulate_end(&s);
}

static void every_corner_is_looked_at(void **state)
{
    (void)state;
    look_at_every_corner(1, 0.05);
    look_at_every_corner(3, 0.1 * 0.025 * 27);
    look_at_every_corner(4, 0.1);
}

// Slow or fast, a body comes no farther than a quarter of an edge between two looks.
static void blows_are_foreseen_by_the_speed(void **state)
{
    (void)state;
    for (int i = 0; i < 6; ++i) {
        double speed = pow(10, i - 3);
        Touch t = touch_nothing(1);
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){2, 2, 2},
                                   PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 2)),
                       1000, 0.3, 1);
        touch_add_rigid(&t, touch_shape(PAL_SHAPE_BOX, pal_vec3(3, 3, 1), (int32_t[]){1, 1, 1},
                                        PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0)));
        touch_pair(&t, 0, 1, 0);
        t.bodies[0].velocity = pal_vec3(0, 0.6 * speed, -0.8 * speed);
        touch_start(&t);
        const int64_t most = 1000000;
        int64_t count = pal_solver_steps_to_strike(t.run->model, t.run->state, t.run->solver, most);
        double edge = pal_sim_contact_report(t.run).mean_edge, step = t.run->solver->next_step;
        double wanted = 0.25 * edge / (speed * step);
        assert_true(count >= 1 && (count == 1 || (double)count <= wanted * (1 + 1e-9)));
        assert_true(count == most || (double)count > wanted * (1 - 1e-9) - 1);
        touch_end(&t);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_corner_is_looked_at),
    cmocka_unit_test(blows_are_foreseen_by_the_speed),
};
CHECK_GROUP(tests, NULL, NULL)
