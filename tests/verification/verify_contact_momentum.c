// Two bodies collide in free flight: linear and angular momentum stay what they were.
#include "touch.h"

typedef struct Drift {
    double linear, angular;
} Drift;

static Drift collide(PalMesh *first, PalMesh *second, PalMethod method)
{
    Touch t = touch_nothing(1.5);
    int32_t a = touch_add_mesh(&t, first, 1000, 0.4, 10);
    int32_t b = touch_add_mesh(&t, second, 3000, 0.3, 20);
    t.bodies[a].velocity = pal_vec3(1.5, 0.2, 0);
    t.bodies[b].velocity = pal_vec3(-1, 0, 0.1);
    for (int32_t i = 0; i < 2; ++i)
        if (t.meshes[i]->cell_kind == PAL_CELL_HEXAHEDRON)
            t.bodies[i].element = PAL_ELEMENT_H8;
    t.sim.solver.method = method;
    touch_pair(&t, a, b, 0);
    touch_start(&t);
    PalVec3 linear = pal_sim_momentum(t.run), angular = pal_sim_angular_momentum(t.run);
    double scale = 0, angular_scale = 0;
    for (int32_t i = 0; i < 2; ++i) {
        const PalBody *body = &pal_sim_model(t.run)->bodies[i];
        scale += body->mass * pal_vec3_length(body->velocity);
        angular_scale += body->mass * pal_vec3_length(body->velocity) * 2;
    }
    Drift drift = {0, 0};
    int32_t most = 0;
    while (!pal_sim_finished(t.run)) {
        PalError error = {0};
        int32_t count;
        check_ok(pal_sim_step(t.run, &error), &error);
        pal_sim_contacts(t.run, &count);
        most = count > most ? count : most;
        drift.linear =
            fmax(drift.linear, pal_vec3_distance(pal_sim_momentum(t.run), linear) / scale);
        drift.angular =
            fmax(drift.angular,
                 pal_vec3_distance(pal_sim_angular_momentum(t.run), angular) / angular_scale);
    }
    PalContactReport report = pal_sim_contact_report(t.run);
    PalEnergy energy = pal_sim_energy(t.run);
    PalVec3 centroid, velocity;
    pal_sim_body_motion(t.run, a, &centroid, &velocity);
    print_message("%s: momentum %.2g, angular %.2g, contacts %d, steps %lld, energy drift %.2g, "
                  "kept %.3f, rescues %lld, queries %lld, hits %lld, penetration %g, vx %.3g\n",
                  pal_method_name(method), drift.linear, drift.angular, most,
                  (long long)pal_sim_state(t.run)->step_count, pal_energy_drift(&energy),
                  (energy.kinetic + energy.strain) / energy.initial, (long long)report.rescues,
                  (long long)report.queries, (long long)report.hits, report.worst_penetration,
                  velocity.x);
    assert_true(most > 0);
    assert_true(velocity.x < 0);  // it came back
    assert_int_equal(report.rescues, 0);
    assert_true(report.worst_penetration == 0);
    touch_end(&t);
    return drift;
}

static PalMesh *ball(double radius, int32_t cells, double x)
{
    return touch_shape(PAL_SHAPE_SPHERE, pal_vec3(radius, radius, radius), (int32_t[]){cells, 0, 0},
                       PAL_CELL_TETRAHEDRON, pal_vec3(x, 0, 0));
}

static PalMesh *turned_box(double x)
{
    PalMesh *mesh = touch_shape(PAL_SHAPE_BOX, pal_vec3(1.2, 1, 1.4), (int32_t[]){5, 4, 6},
                                PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0));
    touch_turn(mesh, pal_vec3(1, 2, 3), 0.7);
    for (int32_t n = 0; n < mesh->node_count; ++n)
        mesh->nodes[n].x += x;
    return mesh;
}

// Quadrilaterals that meet flat, and are bent by the blow.
static PalMesh *bricks(double x, double y, int32_t cells)
{
    return touch_shape(PAL_SHAPE_BOX, pal_vec3(0.8, 1, 1), (int32_t[]){2, cells, cells - 1},
                       PAL_CELL_HEXAHEDRON, pal_vec3(x, y, 0.1 * y));
}

static void test_collide(void **state)
{
    (void)state;
    Drift drift[6] = {
        collide(ball(0.7, 8, -0.8), ball(0.6, 10, 0.7), PAL_METHOD_EXPLICIT),
        collide(ball(0.7, 8, -0.8), ball(0.6, 10, 0.7), PAL_METHOD_NEWMARK),
        collide(ball(0.7, 8, -0.8), turned_box(1), PAL_METHOD_EXPLICIT),
        collide(turned_box(-1), turned_box(1), PAL_METHOD_EXPLICIT),
        collide(bricks(-0.45, 0, 4), bricks(0.45, 0.3, 7), PAL_METHOD_EXPLICIT),
        collide(bricks(-0.45, 0, 5), ball(0.6, 10, 0.7), PAL_METHOD_NEWMARK),
    };
    for (int i = 0; i < 6; ++i) {
        assert_true(drift[i].linear < 1e-12);
        assert_true(drift[i].angular < 1e-8);
    }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_collide)};
CHECK_GROUP(tests, NULL, NULL)
