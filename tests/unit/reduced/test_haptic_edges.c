// Edges that cross where no node is near: a rigid ridge lies across the rim of a box.
#include "math/vec3.h"
#include "reduced/haptic.h"
#include "rig.h"

enum { NODES = 6, FACETS = 8 };

// A roof upside down: its ridge along y at z = 0, both sides inclined by 30 degrees.
static const PalVec3 nodes[NODES] = {{0, -2, 0},       {0, 2, 0},        {-0.6, -2, 0.346},
                                     {-0.6, 2, 0.346}, {0.6, -2, 0.346}, {0.6, 2, 0.346}};
static const int32_t facets[FACETS][3] = {{0, 4, 2}, {1, 3, 5}, {0, 2, 3}, {0, 3, 1},
                                          {0, 1, 5}, {0, 5, 4}, {2, 4, 5}, {2, 5, 3}};
// Turned so that y is (1, 0, -1) and z (1, 0, 1), each by its length: across the rim x = z = 0.5.
static const PalQuaternion across = {0.6532814824, -0.2705980501, 0.2705980501, -0.6532814824};
static const double half = 0.70710678118654752;

typedef struct Crossed {
    Handmade made;
    PalHaptic *haptic;
} Crossed;

static void open_loop(Crossed *crossed, int32_t left_out, double friction)
{
    PalError error = {0};
    handmade_box(&crossed->made, pal_vec3(1, 1, 1), (const int32_t[3]){4, 4, 2}, left_out);
    const PalHapticRigid roof = {NODES, FACETS, nodes, facets};
    PalHapticDef def = pal_haptic_def_default();
    def.books[0] = crossed->made.book;
    def.rigids[1] = &roof;
    def.friction = friction;
    check_ok(pal_haptic_create(&def, &crossed->haptic, &error), &error);
}

static void close_loop(Crossed *crossed)
{
    pal_haptic_destroy(crossed->haptic);
    handmade_clear(&crossed->made);
}

static PalHapticForce hold_at(Crossed *crossed, double y, double depth, int steps)
{
    double at = 0.5 - half * depth;
    PalHapticPose pose = {{at, y, at}, across};
    assert_true(pal_haptic_set_pose(crossed->haptic, 1, &pose));
    for (int i = 0; i < steps; ++i) {
        pal_haptic_step(crossed->haptic, 0);
        pal_haptic_prepare(crossed->haptic);
    }
    return pal_haptic_force(crossed->haptic);
}

// How far a unit force on the rim, at y, moves the place it acts on, along (1, 0, 1).
static double give_of(const Handmade *made, double y)
{
    double sum = 0;
    for (int32_t a = 0; a < made->node_count; ++a)
        for (int32_t b = 0; b < made->node_count; ++b) {
            PalVec3 p = made->mesh->nodes[a], q = made->mesh->nodes[b];
            double wa = fmax(0, 1 - fabs(p.y - y) / 0.25), wb = fmax(0, 1 - fabs(q.y - y) / 0.25);
            if (p.x + p.z < 0.999 || q.x + q.z < 0.999)
                continue;
            for (int i = 0; i < 3; i += 2)
                for (int j = 0; j < 3; j += 2)
                    sum += 0.5 * wa * wb *
                           made->flexibility[(int64_t)made->equation[3 * made->number[a] + i] *
                                                 made->free_count +
                                             made->equation[3 * made->number[b] + j]];
        }
    return sum;
}

static void check_answer(int32_t left_out)
{
    Crossed crossed;
    open_loop(&crossed, left_out, 0);
    const double depth = 1e-4, y = 0.07;
    PalHapticForce force = hold_at(&crossed, y, depth, 30);
    double expected = depth / give_of(&crossed.made, y);
    assert_int_equal(force.contacts, 1);
    check_near(force.contact_force.x, half * expected, 0.005 * expected);
    check_near(force.contact_force.y, 0, 0.005 * expected);
    check_near(force.contact_force.z, half * expected, 0.005 * expected);
    PalHapticContact contact;
    assert_int_equal(pal_haptic_contacts(crossed.haptic, &contact, 1), 1);
    check_near(contact.place.y, y, 1e-3);
    check_near(contact.place.x, 0.5, 1e-3);
    close_loop(&crossed);
}

static void test_edges_hold_each_other(void **state)
{
    (void)state;
    check_answer(0);
}

static void test_and_by_the_local_part(void **state)
{
    (void)state;
    check_answer(100);
}

// From between two nodes of the rim over one of them to between the next.
static void test_nothing_jumps_where_edges_end(void **state)
{
    (void)state;
    Crossed crossed;
    open_loop(&crossed, 0, 0);
    PalVec3 last = hold_at(&crossed, -0.1, 0.02, 50).contact_force;
    double most = 0, least = INFINITY;
    for (int i = 0; i < 1000; ++i) {
        PalVec3 force = hold_at(&crossed, -0.1 + 2e-4 * i, 0.02, 1).contact_force;
        most = fmax(most, pal_vec3_distance(force, last) / pal_vec3_length(force));
        least = fmin(least, pal_vec3_length(force));
        last = force;
    }
    assert_true(least > 0);
    assert_true(most < 0.01);
    close_loop(&crossed);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_edges_hold_each_other),
    cmocka_unit_test(test_and_by_the_local_part),
    cmocka_unit_test(test_nothing_jumps_where_edges_end),
};

CHECK_GROUP(tests, NULL, NULL)
