// A pile of 100 bodies, rigid and soft, dropped into a box: nothing passes through anything.
#include "crossing.h"
#include "touch.h"

enum { LAYERS = 4, SIDE = 5, BODIES = LAYERS * SIDE * SIDE, WALLS = 5 };

static const double width = 3.2;

static double random_number(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 16777216.0 - 0.5;
}

// Boxes, balls and cylinders by turns, askew.
static PalMesh *body_mesh(int32_t number, bool soft, PalVec3 at, uint32_t *seed)
{
    const PalShapeKind kinds[] = {PAL_SHAPE_BOX, PAL_SHAPE_SPHERE, PAL_SHAPE_CYLINDER};
    const int32_t cells[3][3] = {{1, 1, 1}, {2, 0, 0}, {2, 2, 0}};
    const PalVec3 extents[] = {{0.4, 0.32, 0.24}, {0.22, 0.22, 0.22}, {0.16, 0.16, 0.4}};
    int shape = number / 2 % 3;
    PalMesh *mesh = touch_shape(kinds[shape], extents[shape], cells[shape],
                                soft ? PAL_CELL_TETRAHEDRON : PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0));
    PalVec3 axis = {random_number(seed), random_number(seed), random_number(seed) + 0.01};
    touch_turn(mesh, axis, 3 * random_number(seed));
    for (int32_t n = 0; n < mesh->node_count; ++n)
        mesh->nodes[n] = pal_vec3_add(mesh->nodes[n], at);
    return mesh;
}

static void add_walls(Touch *t)
{
    const double half = width / 2 + 0.25;
    const PalVec3 extents[WALLS] = {{width + 1, width + 1, 0.5},
                                    {0.5, width + 1, 3},
                                    {0.5, width + 1, 3},
                                    {width + 1, 0.5, 3},
                                    {width + 1, 0.5, 3}};
    const PalVec3 places[WALLS] = {
        {0, 0, -0.25}, {-half, 0, 1.5}, {half, 0, 1.5}, {0, -half, 1.5}, {0, half, 1.5}};
    for (int32_t i = 0; i < WALLS; ++i)
        touch_add_rigid(t, touch_shape(PAL_SHAPE_BOX, extents[i], (int32_t[]){1, 1, 1},
                                       PAL_CELL_TRIANGLE, places[i]));
}

static void add_bodies(Touch *t)
{
    uint32_t seed = 7;
    for (int32_t i = 0; i < BODIES; ++i) {
        int32_t layer = i / (SIDE * SIDE), row = i / SIDE % SIDE, column = i % SIDE;
        PalVec3 at = {0.6 * (column - 2) + 0.05 * random_number(&seed),
                      0.6 * (row - 2) + 0.05 * random_number(&seed), 0.4 + 0.55 * layer};
        bool soft = i % 2 == 0;
        PalMesh *mesh = body_mesh(i, soft, at, &seed);
        if (soft)
            t->bodies[touch_add_mesh(t, mesh, 2e4, 0.3, 10)].velocity = pal_vec3(0, 0, -2);
        else
            t->rigids[touch_add_free(t, mesh, 10)].velocity = pal_vec3(0, 0, -2);
    }
}

static void add_pairs(Touch *t)
{
    int32_t soft = t->sim.model.body_count, objects = soft + t->sim.model.rigid_count;
    for (int32_t a = 0; a < objects; ++a)
        for (int32_t b = a + 1; b < objects; ++b)
            if (!(a >= soft && a < soft + WALLS && b < soft + WALLS))
                touch_pair(t, a, b, 0.3);
}

static void check_in_box(const PalSim *sim)
{
    const PalModel *model = pal_sim_model(sim);
    for (int32_t i = 0; i < model->body_count + model->rigid_count; ++i) {
        int32_t r = i - model->body_count;
        PalVec3 centre, velocity;
        if (r >= 0 && !model->rigids[r].free)
            continue;
        if (r < 0)
            pal_sim_body_motion(sim, i, &centre, &velocity);
        else
            centre = pal_sim_state(sim)->rigids[r].pose.centre;
        assert_true(centre.z > 0 && centre.z < 3);
        assert_true(fabs(centre.x) < width / 2 && fabs(centre.y) < width / 2);
    }
}

static void test_pile(void **state)
{
    (void)state;
    Touch *t = malloc(sizeof *t);
    assert_non_null(t);
    *t = touch_nothing(0.6);
    add_walls(t);
    add_bodies(t);
    add_pairs(t);
    touch_gravity(t, pal_vec3(0, 0, -10));
    touch_start(t);
    double begin = pal_sim_energy(t->run).kinetic;
    for (int32_t i = 1; i <= 30; ++i) {
        touch_advance(t, 0.02 * i);
        assert_int_equal(crossing_count(t->run, &t->sim.contact), 0);
    }
    check_in_box(t->run);
    PalContactReport report = pal_sim_contact_report(t->run);
    PalEnergy energy = pal_sim_energy(t->run);
    print_message("pile: contacts %d at most, rescues %lld, hits %lld, energy %.2g, kinetic energy "
                  "%.3g of %.3g put in, steps %lld\n",
                  report.most_contacts, (long long)report.rescues, (long long)report.hits,
                  pal_energy_drift(&energy), energy.kinetic, begin + energy.external_work,
                  (long long)pal_sim_state(t->run)->step_count);
    assert_true(report.most_contacts > 100);
    assert_int_equal(report.rescues, 0);
    assert_true(report.worst_penetration == 0);
    assert_true(fabs(pal_energy_drift(&energy)) < 1e-3);
    touch_end(t);
    free(t);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_pile)};
CHECK_GROUP(tests, NULL, NULL)
