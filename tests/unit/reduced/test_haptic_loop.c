// The loop as a program runs it: work ahead of the next pose, many contacts, loads beyond what was
// learnt, and a spring between device and tool.
#include "reduced/haptic.h"
#include "rig.h"

static PalHapticForce move(Rig *rig, PalVec3 at, bool ahead)
{
    PalHapticForce answer = hold(rig, at, 1);
    if (ahead)
        pal_haptic_prepare(rig->haptic);
    return answer;
}

static PalVec3 spiral(int step)
{
    double angle = 0.01 * step;
    return pal_vec3(0.1 * cos(angle), 0.1 * sin(angle), top - 1e-4 * step);
}

// Gaps that were measured before the pose was known serve it as well as those measured after.
static void test_work_ahead_gives_the_same_forces(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    Rig ahead = {0}, after = {0};
    rig_init(&ahead, 40, &def);
    rig_init(&after, 40, &def);
    double worst = 0, most = 0;
    for (int i = 0; i < 600; ++i) {
        PalVec3 a = move(&ahead, spiral(i), true).contact_force;
        PalVec3 b = move(&after, spiral(i), false).contact_force;
        worst = fmax(worst, pal_vec3_distance(a, b));
        most = fmax(most, pal_vec3_length(b));
    }
    assert_true(most > 0);
    check_near(worst / most, 0, 0.03);
    for (int i = 0; i < 400; ++i)
        move(&ahead, spiral(600), true);
    PalVec3 rest = hold(&after, spiral(600), 400).contact_force;
    check_near(pal_vec3_distance(pal_haptic_force(ahead.haptic).contact_force, rest) / most, 0,
               1e-4);
    rig_clear(&ahead);
    rig_clear(&after);
}

// What the force does to the modes is taken up after it has been handed over.
static void test_displacements_follow_the_force(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    Rig rig = {0};
    rig_init(&rig, 40, &def);
    move(&rig, pal_vec3(0.1, 0, top), true);
    const PalHapticShape *shape = &rig.haptic->shapes[0];
    double before = shape->q_length;
    assert_true(move(&rig, pal_vec3(0.1, 0, top - 0.001), false).contact_force.z > 0);
    assert_true(shape->q_length == before);
    pal_haptic_prepare(rig.haptic);
    assert_true(shape->q_length > before);
    rig_clear(&rig);
}

// A pose far from the one that was prepared for is looked at anew.
static void test_a_leap_is_answered(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    Rig rig = {0}, other = {0};
    rig_init(&rig, 40, &def);
    rig_init(&other, 40, &def);
    move(&rig, pal_vec3(0, 0, 3), true);
    double leapt = move(&rig, pal_vec3(0.1, 0, top - 0.03), true).contact_force.z;
    double fresh = move(&other, pal_vec3(0.1, 0, top - 0.03), false).contact_force.z;
    assert_true(fresh > 0);
    check_near(leapt / fresh, 1, 1e-5);
    rig_clear(&rig);
    rig_clear(&other);
}

// A plate touches with more points than have rows of their own. Friction, however small, keeps
// them apart. Its rim carries most, and shared rows blur that.
static void test_many_points_share_rows(void **state)
{
    (void)state;
    double forces[2];
    for (int apart = 0; apart < 2; ++apart) {
        PalHapticDef def = pal_haptic_def_default();
        def.correct = false;
        def.friction = apart ? 1e-9 : 0;
        Rig rig = {.plate = true};
        rig_init(&rig, 40, &def);
        for (int i = 0; i < 300; ++i)
            move(&rig, pal_vec3(0.02, 0.01, 0.6 - 0.03 * fmin(1, i / 200.0)), true);
        PalHapticForce answer = pal_haptic_force(rig.haptic);
        forces[apart] = answer.contact_force.z;
        assert_true(answer.candidates > 96);
        rig_clear(&rig);
    }
    assert_true(forces[1] > 0);
    check_near(forces[0] / forces[1], 1, 0.06);
}

// Two boxes, one upside down and turned about its height: edges cross in many places close to each
// other, and points that share a row move each other. The tool is held, and so is the force.
static void test_a_held_tool_feels_one_force(void **state)
{
    (void)state;
    PalError error = {0};
    Handmade made;
    PalHaptic *haptic;
    handmade_box(&made, pal_vec3(1, 1, 1), (const int32_t[3]){5, 5, 2}, 0);
    PalHapticDef def = pal_haptic_def_default();
    def.books[0] = def.books[1] = made.book;
    check_ok(pal_haptic_create(&def, &haptic, &error), &error);
    PalHapticPose pose = {{0.03, 0.02, 0.98}, {0.02, cos(0.2), sin(0.2), 0}};
    assert_true(pal_haptic_set_pose(haptic, 1, &pose));
    double least = INFINITY, most = 0;
    for (int i = 0; i < 400; ++i) {
        pal_haptic_step(haptic, 0);
        pal_haptic_prepare(haptic);
        double force = pal_haptic_force(haptic).contact_force.z;
        least = i < 300 ? least : fmin(least, force);
        most = i < 300 ? most : fmax(most, force);
    }
    assert_true(haptic->group_level > 0 && pal_haptic_force(haptic).candidates > 200);
    assert_true(least > 10 && most - least < 0.001 * most);
    pal_haptic_destroy(haptic);
    handmade_clear(&made);
}

// As printed, without stored distances: points that are deep inside are not lost by rounding while
// nothing moves.
static void test_as_printed_a_held_tool_feels_one_force(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    def.answer = PAL_HAPTIC_PRINTED;
    def.penalty = 0.4;
    Rig rig = {0};
    rig_init(&rig, 0, &def);
    assert_true(pal_haptic_penalty(rig.haptic) == 0.4);
    for (int deep = 1; deep <= 4; ++deep) {
        PalVec3 at = pal_vec3(0.03, 0.02, top - 0.05 * deep);
        double settled = hold(&rig, at, 60).contact_force.z;
        assert_true(settled > 0);
        for (int i = 0; i < 200; ++i) {
            PalHapticForce now = hold(&rig, at, 1);
            check_near(now.contact_force.z / settled, 1, 1e-4);
            assert_true(now.deepest < 0.05 * deep && now.deepest > 0);
        }
    }
    rig_clear(&rig);
}

// Pressed far beyond what was learnt the body stays where it was learnt to come, says so, and comes
// back as if nothing had been.
static void test_modes_end_where_nothing_was_learnt(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    Rig rig = {0};
    rig_init(&rig, 40, &def);
    double before = 0, farthest = 0;
    for (int i = 0; i < 300; ++i)
        before = move(&rig, pal_vec3(0.1, 0, top - 0.03), true).contact_force.z;
    bool said = false;
    for (int i = 0; i < 900; ++i) {
        PalHapticPose pose = {{0.1, 0, top - 0.03 - 1e-3 * i}, {1, 0, 0, 0}};
        pal_haptic_set_pose(rig.haptic, 1, &pose);
        said = pal_haptic_step(rig.haptic, 0) == PAL_HAPTIC_BEYOND || said;
        pal_haptic_prepare(rig.haptic);
        for (int32_t n = 0; n < pal_haptic_node_count(rig.haptic, 0); ++n)
            farthest = fmax(farthest, pal_vec3_length(pal_haptic_displacement(rig.haptic, 0, n)));
        assert_true(isfinite(pal_vec3_length(pal_haptic_force(rig.haptic).contact_force)));
    }
    assert_true(said);
    assert_true(farthest < 3);
    for (int i = 0; i < 300; ++i)
        move(&rig, pal_vec3(0, 0, 3), true);
    double after = 0;
    for (int i = 0; i < 300; ++i)
        after = move(&rig, pal_vec3(0.1, 0, top - 0.03), true).contact_force.z;
    check_near(after / before, 1, 1e-3);
    rig_clear(&rig);
}

static double tool_height(Rig *rig)
{
    PalVec3 nodes[2048], rest = {0, 0, 0};
    int32_t count = pal_haptic_node_count(rig->haptic, 1);
    assert_true(count <= 2048);
    pal_haptic_surface(rig->haptic, 1, nodes);
    for (int32_t n = 0; n < count; ++n)
        rest.z += nodes[n].z / count;
    return rest.z;
}

// The force is that of the spring between device and tool, and that of contact where the tool is.
static void test_a_coupling_is_a_spring(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    Rig hard = {0}, soft = {0};
    rig_init(&hard, 40, &def);
    double rigid = 0;
    for (int i = 0; i < 300; ++i)
        rigid = move(&hard, pal_vec3(0.1, 0, top - 0.04), true).contact_force.z;
    def.coupling = rigid / 0.04;  // about as stiff as the body
    rig_init(&soft, 40, &def);
    double force = 0;
    for (int i = 0; i < 300; ++i)
        force = move(&soft, pal_vec3(0.1, 0, top - 0.04), true).contact_force.z;
    double height = tool_height(&soft) - tool_height(&hard);
    assert_true(height > 0.005);
    check_near(def.coupling * height / force, 1, 0.02);
    double there = 0;
    for (int i = 0; i < 300; ++i)
        there = move(&hard, pal_vec3(0.1, 0, top - 0.04 + height), true).contact_force.z;
    check_near(there / force, 1, 0.03);
    rig_clear(&hard);
    rig_clear(&soft);
}

// More force than was learnt is called so, whether a bound acts or not.
static void test_more_than_the_largest_load_is_beyond(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    Rig rig = {0};
    rig_init(&rig, 40, &def);
    double force = 0;
    for (int i = 0; i < 300; ++i)
        force = move(&rig, pal_vec3(0.1, 0, top - 0.03), true).contact_force.z;
    double *largest = &rig.made.book->facts.largest;
    const double parts[3] = {1.1, 0.9, 0.1};  // of the force
    for (int i = 0; i < 3; ++i) {
        *largest = parts[i] * force;
        rig.made.book->facts.patch = i == 2 ? 1e-3 : 10;  // on many patches it may be more
        PalHapticQuality quality = pal_haptic_step(rig.haptic, 0);
        pal_haptic_prepare(rig.haptic);
        assert_int_equal(quality == PAL_HAPTIC_BEYOND,
                         i == 1 || (i == 2 && force > 6.25 * *largest));
    }
    rig_clear(&rig);
}

// A tool under a weight, so light that the body's stiffness is 1.5 masses per step squared: forces
// that are held for a step shake it, and damping has to keep up with that.
static void test_a_light_tool_rests(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    const double height = top - 0.03, dt = def.step;
    double weight = 0, above = 0, speed = 0, way = 0;
    Rig rig = {0};
    rig_init(&rig, 40, &def);
    for (int i = 0; i < 400; ++i)
        above = move(&rig, pal_vec3(0.1, 0, height + 1e-4), true).contact_force.z;
    for (int i = 0; i < 400; ++i)
        weight = move(&rig, pal_vec3(0.1, 0, height), true).contact_force.z;
    double mass = (weight - above) / 1e-4 * dt * dt / 1.5;
    assert_true(mass > 0);
    for (int i = 0; i < 3000; ++i) {
        double force = pal_haptic_force(rig.haptic).force.z - weight * (i == 0 ? 0.999 : 1);
        way += dt * (speed + 0.5 * dt / mass * force);
        speed += dt / mass * force;
        PalHapticPose pose = {{0.1, 0, height + way}, {1, 0, 0, 0}};
        pal_haptic_set_pose(rig.haptic, 1, &pose);
        pal_haptic_set_velocity(rig.haptic, pal_vec3(0, 0, speed), pal_vec3(0, 0, 0));
        pal_haptic_step(rig.haptic, 0);
        pal_haptic_prepare(rig.haptic);
        assert_true(fabs(way) < 1e-3);
    }
    assert_true(fabs(way) < 1e-5);
    rig_clear(&rig);
}

// A device that says it moves, but does not but for rounding, learns nothing of stiffness from it.
static void test_damping_does_not_come_from_rounding(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    const double height = top - 0.03;
    double shaken = 0, still = 0;
    Rig rig = {0};
    rig_init(&rig, 40, &def);
    for (int i = 0; i < 400; ++i)
        move(&rig, pal_vec3(0.1, 0, fmax(height, top - 1e-4 * i)), true);
    for (int i = 0; i < 200; ++i) {
        double way = i < 100 ? 1e-5 : 1e-8 * pow(0.8, i - 100);
        pal_haptic_set_velocity(rig.haptic, pal_vec3(0, 0, -1e-4), pal_vec3(0, 0, 0));
        double damping = move(&rig, pal_vec3(0.1, 0, height + (i & 1) * way), true).damping;
        if (i < 100)
            shaken = fmax(shaken, damping);
        else
            still = fmax(still, damping);
    }
    assert_true(shaken > 0);
    assert_true(still < 10 * shaken);
    rig_clear(&rig);
}

// With work ahead, too, a tool that is thrown at the body and let go receives nothing.
static void test_a_thrown_tool_receives_no_energy(void **state)
{
    (void)state;
    PalHapticDef def = pal_haptic_def_default();
    Rig rig = {0};
    rig_init(&rig, 40, &def);
    PalVec3 at = pal_vec3(0.03, -0.02, top + 0.02), velocity = {0, 0, -1};
    double mass = 0.05, received = 0, largest = 0;
    for (int i = 0; i < 4000; ++i) {
        PalVec3 force = move(&rig, at, true).force;
        velocity = pal_vec3_add_scaled(velocity, def.step / mass, force);
        PalVec3 way = pal_vec3_scale(def.step, velocity);
        received += pal_vec3_dot(force, way);
        largest = fmax(largest, fabs(received));
        at = pal_vec3_add(at, way);
    }
    assert_true(largest > 1e-3);
    assert_true(received <= 1e-3 * largest);
    rig_clear(&rig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_work_ahead_gives_the_same_forces),
    cmocka_unit_test(test_displacements_follow_the_force),
    cmocka_unit_test(test_a_leap_is_answered),
    cmocka_unit_test(test_many_points_share_rows),
    cmocka_unit_test(test_a_held_tool_feels_one_force),
    cmocka_unit_test(test_as_printed_a_held_tool_feels_one_force),
    cmocka_unit_test(test_modes_end_where_nothing_was_learnt),
    cmocka_unit_test(test_a_coupling_is_a_spring),
    cmocka_unit_test(test_a_thrown_tool_receives_no_energy),
    cmocka_unit_test(test_a_light_tool_rests),
    cmocka_unit_test(test_damping_does_not_come_from_rounding),
    cmocka_unit_test(test_more_than_the_largest_load_is_beyond),
};

CHECK_GROUP(tests, NULL, NULL)
