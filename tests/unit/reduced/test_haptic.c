// Contact answered by vademecums that make no error themselves: against the linear answer, along
// paths, and over many steps.
#include "base/memory.h"
#include "rig.h"

static void test_away_there_is_no_force(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    Rig rig = {0};
    rig_init(&rig, 0, &def);
    PalHapticForce far = hold(&rig, pal_vec3(0, 0, 2), 1);
    assert_int_equal(far.contacts, 0);
    assert_true(pal_vec3_length(far.force) == 0);
    far = hold(&rig, pal_vec3(0.1, 0.1, top - 0.05), 5);
    assert_true(far.contacts > 0 && far.force.z > 0);
    far = hold(&rig, pal_vec3(0, 0, 2), 200);
    assert_int_equal(far.contacts, 0);
    assert_true(pal_vec3_length(pal_haptic_displacement(rig.haptic, 0, 40)) < 1e-6);
    rig_clear(&rig);
}

// Forces of the contacts on the surface nodes of the body, each by its place on the nearest facet.
static double load_nodes(Rig *rig, double *load)
{
    PalHapticContact contacts[64];
    PalVec3 nodes[512];
    double total = 0;
    int32_t count = pal_haptic_contacts(rig->haptic, contacts, 64);
    const int32_t(*facets)[3] = pal_haptic_facets(rig->haptic, 0);
    pal_haptic_surface(rig->haptic, 0, nodes);
    for (int32_t c = 0; c < count; ++c) {
        double least = INFINITY, weights[3], best[3] = {0};
        int32_t under = 0;
        PalFeature feature;
        for (int32_t f = 0; f < pal_haptic_facet_count(rig->haptic, 0); ++f) {
            PalVec3 corners[3] = {nodes[facets[f][0]], nodes[facets[f][1]], nodes[facets[f][2]]};
            double distance =
                pal_closest_on_triangle(contacts[c].place, corners, weights, &feature);
            if (distance < least) {
                least = distance;
                under = f;
                memcpy(best, weights, sizeof best);
            }
        }
        for (int a = 0; a < 3; ++a)
            for (int i = 0; i < 3; ++i)
                load[3 * facets[under][a] + i] -= best[a] * pal_vec3_at(contacts[c].force, i);
        total += contacts[c].force.z;
        assert_true(pal_vec3_dot(contacts[c].force, contacts[c].normal) > 0);
    }
    return total;
}

static void check_balance(Rig *rig, double force)
{
    double load[3 * 512] = {0}, worst = 0, largest = 0;
    assert_true(rig->made.node_count <= 512);
    check_near(load_nodes(rig, load), force, 1e-4 * force);
    int32_t count = 3 * pal_haptic_node_count(rig->haptic, 0);
    for (int32_t n = 0; n < count; ++n) {
        int32_t row = rig->made.equation[n];
        double sum = 0;
        for (int32_t m = 0; m < count; ++m)
            if (row != PAL_NONE && rig->made.equation[m] != PAL_NONE)
                sum +=
                    rig->made
                        .flexibility[(int64_t)row * rig->made.free_count + rig->made.equation[m]] *
                    load[m];
        double u = pal_vec3_at(pal_haptic_displacement(rig->haptic, 0, n / 3), n % 3);
        worst = fmax(worst, fabs(u - sum));
        largest = fmax(largest, fabs(sum));
    }
    assert_true(largest > 0.01);
    check_near(worst / largest, 0, 2e-3);
}

// The displacement of every surface node is the flexibility times the forces of the contacts.
static void test_answers_are_in_balance(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    def.correct = false;
    def.both_shells = false;
    Rig rig = {0};
    rig_init(&rig, 0, &def);
    PalHapticForce answer = hold(&rig, pal_vec3(0.07, 0.03, top - 0.06), 30);
    assert_true(answer.contacts >= 1);
    assert_true(answer.deepest < 1e-4);
    assert_true(answer.residual < 1e-4);
    check_balance(&rig, answer.force.z);
    rig_clear(&rig);
}

// Fewer modes and a local part answer as all modes do.
static void test_local_part_completes_modes(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    def.correct = false;
    Rig all = {0}, few = {0};
    rig_init(&all, 0, &def);
    rig_init(&few, all.made.free_count - 40, &def);
    PalVec3 at = pal_vec3(0.07, -0.12, top - 0.03);
    PalHapticForce a = hold(&all, at, 40), b = hold(&few, at, 40);
    assert_int_equal(a.contacts, b.contacts);
    check_near(b.force.z / a.force.z, 1, 2e-3);
    check_near(b.torque.x / a.force.z, a.torque.x / a.force.z, 2e-3);
    rig_clear(&all);
    rig_clear(&few);
}

// Sampled cells that are all cells: balance of the full nonlinear body.
static void test_correction_balances_large_displacements(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    Rig rig = {0};
    rig_init(&rig, 0, &def);
    double forces[2];
    for (int i = 0; i < 2; ++i) {  // pressed slowly, and at once
        for (int k = 1; i == 0 && k <= 20; ++k)
            hold(&rig, pal_vec3(0.02, 0.01, top - 0.005 * k), 20);
        forces[i] = hold(&rig, pal_vec3(0.02, 0.01, top - 0.1), 1500).force.z;
        pal_haptic_reset(rig.haptic);
    }
    check_near(forces[0] / forces[1], 1, 1e-3);
    PalHapticDef linear = def;
    linear.correct = false;
    Rig other = {0};
    rig_init(&other, 0, &linear);
    double without = hold(&other, pal_vec3(0.02, 0.01, top - 0.1), 300).force.z;
    assert_true(fabs(without / forces[1] - 1) > 0.02);  // it is not a small displacement
    rig_clear(&rig);
    rig_clear(&other);
}

// No jump above 1 % of the largest force in steps of a hundred-thousandth of the size.
static void test_force_is_continuous(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    Rig rig = {0};
    rig_init(&rig, 0, &def);
    hold(&rig, pal_vec3(-0.1, 0.05, top - 0.06), 1500);
    PalVec3 last = {0, 0, 0};
    double worst = 0, most = 0;
    for (int i = 0; i <= 4000; ++i) {
        PalVec3 force = hold(&rig, pal_vec3(-0.1 + 5e-5 * i, 0.05, top - 0.06), 1).contact_force;
        most = fmax(most, pal_vec3_length(force));
        double jump = i > 0 ? pal_vec3_distance(force, last) : 0;
        worst = fmax(worst, jump);
        last = force;
    }
    assert_true(worst < 0.01 * most);
    rig_clear(&rig);
}

// What a tool of some mass receives that is thrown at the body, or rests on it by its weight.
static double drop(double height, PalVec3 velocity, double weight, double *largest)
{
    PalHapticDef def = pal_haptic_def_default();
    Rig rig = {0};
    rig_init(&rig, 0, &def);
    PalVec3 at = pal_vec3(0.03, -0.02, top + height);
    double drag = weight;  // by the hand, so that it comes to rest
    double mass = 0.05, received = 0;
    for (int i = 0; i < 20000; ++i) {
        PalHapticForce answer = hold(&rig, at, 1);
        velocity = pal_vec3_add_scaled(velocity, def.step / mass, answer.force);
        velocity = pal_vec3_scale(1 / (1 + drag * def.step / mass), velocity);
        velocity.z -= def.step / mass * weight;
        PalVec3 way = pal_vec3_scale(def.step, velocity);
        received += pal_vec3_dot(answer.force, way);
        *largest = fmax(*largest, fabs(received));
        at = pal_vec3_add(at, way);
    }
    rig_clear(&rig);
    return received;
}

static void test_no_energy_is_received(void **state)
{
    (void)state;
    double largest = 0;
    double pushed = drop(0.02, pal_vec3(0, 0, -1), 0, &largest);
    assert_true(largest > 1e-3);
    assert_true(pushed <= 1e-3 * largest);
    largest = 0;
    double rests = drop(0, pal_vec3(0, 0, 0), 0.5, &largest);
    assert_true(largest > 1e-5);
    assert_true(rests <= 1e-3 * largest);
}

static void test_a_step_allocates_nothing(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    def.friction = 0.3;
    Rig rig = {0};
    rig_init(&rig, 40, &def);
    int64_t before = pal_alloc_count();
    hold(&rig, pal_vec3(0, 0, top - 0.05), 20);
    assert_int_equal(pal_alloc_count(), before);
    rig_clear(&rig);
}

// What is taken is what was published last, and surfaces are the same.
static void test_a_picture_shows_the_last_step(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    PalHapticPicture *picture;
    PalError error = {0};
    Rig rig = {0};
    rig_init(&rig, 30, &def);
    check_ok(pal_haptic_picture_create(rig.haptic, &picture, &error), &error);
    assert_false(pal_haptic_picture_take(picture));
    for (int i = 1; i <= 5; ++i) {
        hold(&rig, pal_vec3(0, 0, top - 0.01 * i), 3);
        pal_haptic_publish(rig.haptic);
    }
    assert_true(pal_haptic_picture_take(picture));
    assert_false(pal_haptic_picture_take(picture));
    PalVec3 loop[512], drawn[512];
    pal_haptic_surface(rig.haptic, 0, loop);
    pal_haptic_picture_surface(picture, 0, drawn);
    for (int32_t n = 0; n < pal_haptic_node_count(rig.haptic, 0); ++n)
        assert_true(pal_vec3_distance(loop[n], drawn[n]) < 1e-6);
    assert_true(pal_haptic_picture_force(picture).force.z == pal_haptic_force(rig.haptic).force.z);
    PalHapticContact contacts[8];
    assert_int_equal(pal_haptic_picture_contacts(picture, contacts, 8),
                     pal_haptic_contacts(rig.haptic, contacts, 8));
    pal_haptic_picture_destroy(picture);
    rig_clear(&rig);
}

static void test_friction_holds_and_slips(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    def.friction = 0.3;
    def.correct = false;
    Rig rig = {0};
    rig_init(&rig, 0, &def);
    PalHapticForce before = hold(&rig, pal_vec3(-0.1, 0.05, top - 0.04), 20);
    PalHapticForce little = hold(&rig, pal_vec3(-0.0995, 0.05, top - 0.04), 20);
    assert_true(little.contact_force.x < before.contact_force.x - 0.002 * little.contact_force.z);
    assert_true(-little.contact_force.x < 0.25 * little.contact_force.z);
    PalHapticForce far = {0};
    for (int i = 0; i < 400; ++i)
        far = hold(&rig, pal_vec3(-0.0995 + 0.0005 * i, 0.05, top - 0.04), 1);
    check_near(-far.contact_force.x / far.contact_force.z, 0.3, 0.06);
    rig_clear(&rig);
}

// Friction turns forces away from the normal, along which alone loads were learnt: by 17 degrees
// where its coefficient is 0.3, by 39 with 0.8.
static void test_directions_that_were_not_learnt_are_told(void **state)
{
    (void)state;
    const PalVademecumDirections kinds[] = {PAL_DIRECTIONS_NORMAL, PAL_DIRECTIONS_NORMAL,
                                            PAL_DIRECTIONS_XYZ, PAL_DIRECTIONS_ONE,
                                            PAL_DIRECTIONS_ONE};
    for (int i = 0; i < 5; ++i) {
        PalHapticDef def = pal_haptic_def_default();
        def.friction = i == 0 ? 0.3 : i < 3 ? 0.8 : 0;
        def.correct = false;
        Rig rig = {0};
        rig_init(&rig, 0, &def);
        rig.made.book->facts.directions = kinds[i];
        if (kinds[i] == PAL_DIRECTIONS_ONE)
            memcpy(rig.made.book->direction, i == 3 ? (double[]){0, 0, -1} : (double[]){1, 0, 0},
                   3 * sizeof(double));
        assert_true(pal_haptic_unlearnt(rig.haptic) == 0);
        hold(&rig, pal_vec3(-0.1, 0.05, top - 0.04), 20);
        for (int k = 0; k < 200; ++k)
            hold(&rig, pal_vec3(-0.1 + 0.0005 * k, 0.05, top - 0.04), 1);
        double part = pal_haptic_unlearnt(rig.haptic);
        if (i == 1 || i == 4)
            assert_true(part > 0.9 && part <= 1);
        else
            assert_true(part == 0);
        rig_clear(&rig);
    }
}

static void test_a_deadline_is_said(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    Rig rig = {0};
    rig_init(&rig, 0, &def);
    PalHapticForce full = hold(&rig, pal_vec3(0, 0, top - 0.05), 50);
    assert_int_equal(pal_haptic_step(rig.haptic, 1e-6), PAL_HAPTIC_HELD);
    assert_true(pal_haptic_force(rig.haptic).contact_force.z == full.contact_force.z);
    PalHapticQuality short_of_time = pal_haptic_step(rig.haptic, 3e-6);
    assert_true(short_of_time == PAL_HAPTIC_PREDICTED || short_of_time == PAL_HAPTIC_COARSE);
    assert_int_equal(pal_haptic_step(rig.haptic, 10), PAL_HAPTIC_FULL);
    for (int i = 0; i < 300; ++i) {  // never enough time, and the tool goes on
        PalHapticPose pose = {{0, 0, top - 0.05 - 1e-4 * i}, {1, 0, 0, 0}};
        pal_haptic_set_pose(rig.haptic, 1, &pose);
        pal_haptic_step(rig.haptic, 3e-6);
        double force = pal_haptic_force(rig.haptic).contact_force.z;
        assert_true(force > 0.3 * full.contact_force.z && force < 5 * full.contact_force.z);
    }
    PalHapticPose bad = {{NAN, 0, 0}, {1, 0, 0, 0}};
    assert_false(pal_haptic_set_pose(rig.haptic, 1, &bad));
    rig_clear(&rig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_away_there_is_no_force),
    cmocka_unit_test(test_answers_are_in_balance),
    cmocka_unit_test(test_local_part_completes_modes),
    cmocka_unit_test(test_correction_balances_large_displacements),
    cmocka_unit_test(test_force_is_continuous),
    cmocka_unit_test(test_no_energy_is_received),
    cmocka_unit_test(test_a_step_allocates_nothing),
    cmocka_unit_test(test_a_picture_shows_the_last_step),
    cmocka_unit_test(test_friction_holds_and_slips),
    cmocka_unit_test(test_directions_that_were_not_learnt_are_told),
    cmocka_unit_test(test_a_deadline_is_said),
};

CHECK_GROUP(tests, NULL, NULL)
