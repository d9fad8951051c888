#include "johnsen_fixture.h"

#include "base/memory.h"

#define MARGIN 0.01

static PalContactStep given_step(void)
{
    return (PalContactStep){.step = 2e-3, .gain = 1.5e-3};
}

static PalPushRule given_rule(void)
{
    return (PalPushRule){.rate_distance = MARGIN};
}

// Vertex 4 over facet 0 of a flat roof, at given weights and height.
static PalNear node_over_facet(Fixture *f, double first, double second, double height)
{
    PalNear near = {
        .gap = {.kind = PAL_CONTACT_NODE_FACET,
                .count = 4,
                .vertices = {4, 0, 2, 1},
                .weights = {1, -first, -second, first + second - 1},
                .normal = {0, 0, 1},
                .along = height},
    };
    PalVec3 foot = {0, 0, 0};
    for (int a = 1; a < 4; ++a)
        foot = pal_vec3_add_scaled(foot, pal_gap_share(&near.gap, a), f->end[near.gap.vertices[a]]);
    f->start[4] = f->end[4] = pal_vec3_add(foot, pal_vec3(0, 0, height));
    return near;
}

// Edge 4-5 over the ridge 0-1, crossing it.
static PalNear edge_over_edge(Fixture *f, double q, double r, double height)
{
    PalNear near = {
        .gap = {.kind = PAL_CONTACT_EDGE_EDGE,
                .count = 4,
                .vertices = {4, 5, 0, 1},
                .weights = {1 - q, q, r - 1, -r},
                .normal = {0, 0, 1},
                .along = height},
    };
    double y = -1 + 2 * r;
    f->start[4] = f->end[4] = pal_vec3(-q, y, height);
    f->start[5] = f->end[5] = pal_vec3(1 - q, y, height);
    return near;
}

static PalVec3 sum_of(const PalVec3 *forces, int first, int last)
{
    PalVec3 sum = {0, 0, 0};
    for (int a = first; a < last; ++a)
        sum = pal_vec3_add(sum, forces[a]);
    return sum;
}

static double gap_now(const Fixture *f, const PalNear *near)
{
    return pal_vec3_dot(near->gap.normal, pal_gap_difference(&near->gap, f->end));
}

static void equal_masses(Fixture *f)
{
    for (int32_t v = 0; v < FIXTURE_VERTICES; ++v)
        fixture_mass(f, v, 3);
}

static void unequal_masses(Fixture *f)
{
    for (int32_t v = 0; v < FIXTURE_VERTICES; ++v)
        fixture_mass(f, v, 1 + 0.7 * v);
}

// ---- overlap ----------------------------------------------------------------------------

static void overlap_is_closed_exactly(void **state)
{
    (void)state;
    const double weights[][2] = {{1.0 / 3, 1.0 / 3}, {0.1, 0.7}, {0.9, 0.05}, {0, 0.5}};
    PalContactStep step = given_step();
    for (int mass = 0; mass < 2; ++mass)
        for (int split = 0; split < 2; ++split)
            for (size_t i = 0; i < sizeof weights / sizeof *weights; ++i) {
                Fixture f;
                fixture_roof(&f, 0);
                (mass == 0 ? equal_masses : unequal_masses)(&f);
                PalPushRule rule = given_rule();
                rule.even_split = split == 1;
                rule.separation = 0.25 * MARGIN;
                PalNear near = node_over_facet(&f, weights[i][0], weights[i][1], -0.02);
                PalNearForce force;
                pal_johnsen_push(&f.contact, &step, &rule, &near, &force);
                fixture_move(&f, &step, &near, force.push);
                check_near(gap_now(&f, &near), rule.separation, 1e-15);
                near = edge_over_edge(&f, weights[i][0], weights[i][1], -0.02);
                near.gap.along = gap_now(&f, &near);
                pal_johnsen_push(&f.contact, &step, &rule, &near, &force);
                fixture_move(&f, &step, &near, force.push);
                check_near(gap_now(&f, &near), rule.separation, 1e-15);
                fixture_end(&f);
            }
}

// What is printed gives the master 1 / sum b^2 times what the slave gets, whatever the masses.
static void published_split_does_not_conserve_momentum(void **state)
{
    (void)state;
    PalContactStep step = given_step();
    PalPushRule rule = given_rule();
    for (int mass = 0; mass < 2; ++mass) {
        Fixture f;
        fixture_roof(&f, 0);
        (mass == 0 ? equal_masses : unequal_masses)(&f);
        PalNear near = node_over_facet(&f, 1.0 / 3, 1.0 / 3, -0.02);
        PalNearForce force;
        pal_johnsen_push(&f.contact, &step, &rule, &near, &force);
        double master = sum_of(force.push, 1, 4).z, slave = force.push[0].z;
        assert_true(slave > 0);
        check_near(master / slave, -3, 1e-12);
        near = node_over_facet(&f, 0.5, 0.2, -0.02);
        pal_johnsen_push(&f.contact, &step, &rule, &near, &force);
        double squares = 0.5 * 0.5 + 0.2 * 0.2 + 0.3 * 0.3;
        check_near(sum_of(force.push, 1, 4).z / force.push[0].z, -1 / squares, 1e-12);
        fixture_end(&f);
    }
}

static void instruments_do_not_move(void **state)
{
    (void)state;
    PalContactStep step = given_step();
    PalPushRule rule = given_rule();
    for (int slave_moves = 0; slave_moves < 2; ++slave_moves) {
        Fixture f;
        fixture_roof(&f, 0);
        unequal_masses(&f);
        for (int32_t v = slave_moves ? 0 : 4; v < (slave_moves ? 4 : 5); ++v)
            memset(f.contact.carriers.inverse_mass[v], 0,
                   sizeof f.contact.carriers.inverse_mass[v]);
        PalNear near = node_over_facet(&f, 0.3, 0.3, -0.02);
        PalNearForce force;
        pal_johnsen_push(&f.contact, &step, &rule, &near, &force);
        assert_true(force.push_moves[0] == (slave_moves == 1));
        assert_true(force.push_moves[1] == (slave_moves == 0));
        assert_true(force.normal_force > 0);
        check_near(pal_vec3_length(sum_of(force.push, slave_moves ? 1 : 0, slave_moves ? 4 : 1)), 0,
                   0);
        fixture_move(&f, &step, &near, force.push);
        check_near(gap_now(&f, &near), 0, 1e-15);
        fixture_end(&f);
    }
}

// With one corner held, or held along the normal only, the others close the gap.
static void held_corners_take_no_part(void **state)
{
    (void)state;
    PalContactStep step = given_step();
    PalPushRule rule = given_rule();
    Fixture f;
    fixture_roof(&f, 0);
    unequal_masses(&f);
    f.contact.carriers.inverse_mass[2][2] = 0;
    PalNear near = node_over_facet(&f, 0.4, 0.3, -0.02);
    PalNearForce force;
    pal_johnsen_push(&f.contact, &step, &rule, &near, &force);
    check_near(pal_vec3_length(force.push[2]), 0, 0);
    fixture_move(&f, &step, &near, force.push);
    check_near(gap_now(&f, &near), 0, 1e-15);
    // Most of the weight on what is held: it counts as rigid, and nothing is thrown about.
    near = node_over_facet(&f, 0.05, 0.9, -0.02);
    pal_johnsen_push(&f.contact, &step, &rule, &near, &force);
    assert_false(force.push_moves[1]);
    check_near(pal_vec3_length(sum_of(force.push, 1, 4)), 0, 0);
    fixture_end(&f);
}

// ---- approach ---------------------------------------------------------------------------

static double rate_after(Fixture *f, const PalContactStep *step, PalNear *near)
{
    PalPushRule rule = given_rule();
    PalNearForce force;
    near->gap.along = gap_now(f, near);
    pal_johnsen_push(&f->contact, step, &rule, near, &force);
    fixture_move(f, step, near, force.push);
    PalVec3 start = pal_gap_difference(&near->gap, f->start),
            end = pal_gap_difference(&near->gap, f->end);
    return pal_vec3_dot(near->gap.normal, pal_vec3_sub(end, start)) / step->step;
}

static void approach_stops_at_contact_and_slows_before(void **state)
{
    (void)state;
    PalContactStep step = given_step();
    const double shares[] = {0, 0.25, 0.75};
    for (size_t i = 0; i < 3; ++i)
        for (int edge = 0; edge < 2; ++edge) {
            Fixture f;
            fixture_roof(&f, 0);
            unequal_masses(&f);
            double height = shares[i] * MARGIN, speed = 4;
            PalNear near =
                edge ? edge_over_edge(&f, 0.3, 0.6, height) : node_over_facet(&f, 0.2, 0.5, height);
            for (int a = 0; a < pal_kind_split(near.gap.kind); ++a)
                f.start[near.gap.vertices[a]].z += speed * step.step;
            check_near(rate_after(&f, &step, &near), -speed * shares[i], 1e-12);
            fixture_end(&f);
        }
}

static void leaving_and_distant_spots_get_no_force(void **state)
{
    (void)state;
    PalContactStep step = given_step();
    Fixture f;
    fixture_roof(&f, 0);
    unequal_masses(&f);
    PalNear near = node_over_facet(&f, 0.2, 0.5, 0.5 * MARGIN);
    f.start[4].z -= 0.01;
    check_near(rate_after(&f, &step, &near), 0.01 / step.step, 1e-12);
    near = node_over_facet(&f, 0.2, 0.5, 1.5 * MARGIN);
    f.start[4].z += 0.01;
    check_near(rate_after(&f, &step, &near), -0.01 / step.step, 1e-12);
    fixture_end(&f);
}

// ---- friction ---------------------------------------------------------------------------

static double slip_after(double friction, double slide, bool *slips, double *ratio)
{
    PalContactStep step = given_step();
    PalPushRule rule = given_rule();
    Fixture f;
    fixture_roof(&f, 0);
    unequal_masses(&f);
    PalNear near = node_over_facet(&f, 0.2, 0.5, -0.02);
    near.friction = friction;
    f.start[4].x -= slide;
    PalNearForce force;
    pal_johnsen_push(&f.contact, &step, &rule, &near, &force);
    pal_johnsen_rub(&f.contact, &step, &near, &force);
    fixture_move(&f, &step, &near, force.rub);
    *slips = force.slips;
    *ratio = force.rub[0].x / force.push[0].z;
    PalVec3 start = pal_gap_difference(&near.gap, f.start),
            end = pal_gap_difference(&near.gap, f.end);
    fixture_end(&f);
    return end.x - start.x;
}

static void friction_opposes_the_slip_within_its_cone(void **state)
{
    (void)state;
    bool slips;
    double ratio;
    check_near(slip_after(0.3, 1e-4, &slips, &ratio), 0, 1e-16);  // sticks
    assert_false(slips);
    assert_true(ratio < 0 && ratio > -0.3);
    double left = slip_after(0.3, 0.5, &slips, &ratio);
    assert_true(slips && left > 0 && left < 0.5);
    check_near(ratio, -0.3, 1e-12);
    left = slip_after(0.3, -0.5, &slips, &ratio);
    assert_true(slips && left < 0 && left > -0.5);
    check_near(ratio, 0.3, 1e-12);
    check_near(slip_after(0, 0.5, &slips, &ratio), 0.5, 0);
    check_near(ratio, 0, 0);
}

// ---- several forces at one node ---------------------------------------------------------

// A node that slides along a groove: two slopes push it, and of two pushes that lean against each
// other less is left than of two frictions that go the same way. Coulomb's law holds for what is
// left.
static void friction_fits_what_is_left_of_the_pushes(void **state)
{
    (void)state;
    Fixture f;
    fixture_roof(&f, 0);
    fixture_mass(&f, 4, 0.3);
    int32_t slot[FIXTURE_VERTICES] = {0}, objects[FIXTURE_VERTICES] = {0, 0, 0, 0, 1, 1, 1, 1};
    int64_t slot_stamp[FIXTURE_VERTICES] = {0};
    PalTold told[FIXTURE_VERTICES] = {{0}};
    PalJohnsen johnsen = {.slot = slot, .slot_stamp = slot_stamp, .told = told};
    PalContactStep step = given_step();
    PalPushRule rule = given_rule();
    PalError error = {0};
    f.surface.vertex_object = objects;
    f.contact.own = &johnsen;
    for (int i = 0; i < 2; ++i) {
        PalNear near = node_over_facet(&f, 0.4, 0.3, -0.002);
        near.gap.normal = pal_vec3(i == 0 ? 0.6 : -0.6, 0, 0.8);
        near.friction = 0.5;
        near.key = near.partner = i;
        assert_true(pal_array_push(&johnsen.finder.found, near));
    }
    f.start[4].y -= 5 * step.step;  // it slides
    pal_johnsen_begin(&f.contact);
    check_ok(pal_johnsen_respond(&f.contact, &step, &rule, &error), &error);
    PalVec3 impulse = f.impulse[4];
    assert_true(impulse.z > 0);
    check_near(impulse.x, 0, 1e-12 * impulse.z);
    check_near(impulse.y, -0.5 * impulse.z, 1e-12 * impulse.z);
    PalVec3 roof = sum_of(f.impulse, 0, 4);  // which cannot move, and feels as much
    check_near(pal_vec3_length(pal_vec3_add(roof, impulse)), 0, 1e-12 * impulse.z);
    pal_array_clear(&johnsen.finder.found);
    pal_array_clear(&johnsen.forces);
    pal_array_clear(&johnsen.pushed);
    pal_array_clear(&johnsen.order);
    pal_array_clear(&johnsen.scratch);
    pal_free(f.contact.points);
    fixture_end(&f);
}

static void consolidation_takes_the_largest_projection(void **state)
{
    (void)state;
    PalVec3 alike[3] = {{0, 0, 1}, {0, 0, 3}, {0, 0, 2}};
    check_near(pal_johnsen_consolidate(alike, 3) * 6, 3, 1e-15);
    PalVec3 across[2] = {{1, 0, 0}, {0, 1, 0}};  // mean direction (1, 1) / sqrt 2
    check_near(pal_johnsen_consolidate(across, 2) * sqrt(2), sqrt(0.5), 1e-15);
    PalVec3 against[2] = {{1, 0, 0}, {-3, 0, 0}};
    check_near(pal_johnsen_consolidate(against, 2) * 2, 3, 1e-15);
    PalVec3 cancel[2] = {{1, 0, 0}, {-1, 0, 0}};
    check_near(pal_johnsen_consolidate(cancel, 2), 0, 0);
    check_near(pal_johnsen_consolidate(alike, 1), 1, 0);
    check_near(pal_johnsen_consolidate(alike, 0), 0, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(overlap_is_closed_exactly),
    cmocka_unit_test(published_split_does_not_conserve_momentum),
    cmocka_unit_test(instruments_do_not_move),
    cmocka_unit_test(held_corners_take_no_part),
    cmocka_unit_test(approach_stops_at_contact_and_slows_before),
    cmocka_unit_test(leaving_and_distant_spots_get_no_force),
    cmocka_unit_test(friction_opposes_the_slip_within_its_cone),
    cmocka_unit_test(friction_fits_what_is_left_of_the_pushes),
    cmocka_unit_test(consolidation_takes_the_largest_projection),
};
CHECK_GROUP(tests, NULL, NULL)
