#include "model/conditions.h"
#include "simulate.h"

static PalVec3 total(const PalVec3 *vectors, int32_t count)
{
    PalVec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < count; ++i)
        sum = pal_vec3_add(sum, vectors[i]);
    return sum;
}

// Loads of a started simulation at a time, on a shape.
static PalVec3 *loads(const Simulation *s, const PalVec3 *displacement, double time)
{
    const PalModel *model = pal_sim_model(s->run);
    PalVec3 *external = calloc((size_t)model->node_count, sizeof *external);
    PalState shape = *pal_sim_state(s->run);
    shape.displacement = (PalVec3 *)displacement;
    pal_conditions_loads(model, &shape, time, 1, external);
    return external;
}

static void forces_are_shared_and_ramped(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(2, 1, 1), 4, 3, 3);
    PalConditionDef *force = simulate_on_side(&s, PAL_CONDITION_FORCE, 0, true);
    force->value = pal_vec3(6, 0, -3);
    force->ramp.kind = PAL_RAMP_LINEAR;
    PalConditionDef *each = simulate_on_side(&s, PAL_CONDITION_FORCE, 2, true);
    each->value = pal_vec3(0, 1, 0);
    each->each = true;
    each->ramp.kind = PAL_RAMP_STEP;
    simulate_start(&s);
    PalVec3 *external = loads(&s, pal_sim_state(s.run)->displacement, 0.5);
    PalVec3 sum = total(external, s.mesh->node_count);
    check_near(sum.x, 3, 1e-14);
    check_near(sum.y, 5 * 4, 1e-14);  // nodes of the upper side
    check_near(sum.z, -1.5, 1e-14);
    free(external);
    simulate_end(&s);
}

static void gravity_is_mass_times_acceleration(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(2, 1, 3), 2, 2, 2);
    s.material.density = 7;
    PalConditionDef *gravity = simulate_everywhere(&s, PAL_CONDITION_GRAVITY);
    gravity->body_index = PAL_NONE;
    gravity->value = pal_vec3(0, 0, -9.81);
    gravity->ramp.kind = PAL_RAMP_STEP;
    simulate_start(&s);
    PalVec3 *external = loads(&s, pal_sim_state(s.run)->displacement, 0);
    check_near(total(external, s.mesh->node_count).z, -9.81 * 42, 1e-11);
    free(external);
    simulate_end(&s);
}

// Pressure all around a bent body has no sum and no moment; on one side it is pressure times
// area, against the normal. For triangles, quadrilaterals and quadratic triangles.
static void pressure_follows_the_surface(void **state)
{
    (void)state;
    static const PalElementKind elements[] = {PAL_ELEMENT_T4, PAL_ELEMENT_H8, PAL_ELEMENT_T10};
    for (int k = 0; k < 3; ++k) {
        Simulation s = simulate_box(pal_vec3(2, 1, 1), 6, 3, 3);
        s.body.element = elements[k];
        PalConditionDef *pressure = simulate_everywhere(&s, PAL_CONDITION_PRESSURE);
        pressure->pressure = 5;
        pressure->ramp.kind = PAL_RAMP_STEP;
        simulate_start(&s);
        PalVec3 *bend = calloc((size_t)s.mesh->node_count + 1, sizeof *bend);
        for (int32_t n = 0; n < s.mesh->node_count; ++n) {
            PalVec3 x = s.mesh->nodes[n];
            bend[n] = pal_vec3(0.1 * x.y * x.z, 0.2 * x.x * x.x, 0.1 * sin(2 * x.x));
        }
        PalVec3 *external = loads(&s, bend, 0), moment = {0, 0, 0};
        for (int32_t n = 0; n < s.mesh->node_count; ++n) {
            PalVec3 place = pal_vec3_add(s.mesh->nodes[n], bend[n]);
            moment = pal_vec3_add(moment, pal_vec3_cross(place, external[n]));
        }
        check_near(pal_vec3_length(total(external, s.mesh->node_count)), 0, 1e-13);
        check_near(pal_vec3_length(moment), 0, 1e-13);
        free(external);
        free(bend);
        simulate_end(&s);
    }
}

static void pressure_and_traction_use_the_current_area(void **state)
{
    (void)state;
    for (int element = PAL_ELEMENT_T4; element <= PAL_ELEMENT_H8; element += PAL_ELEMENT_H8) {
        Simulation s = simulate_box(pal_vec3(2, 1, 1), 4, 2, 3);
        s.body.element = (PalElementKind)element;
        PalConditionDef *load = simulate_on_side(&s, PAL_CONDITION_PRESSURE, 2, true);
        load->pressure = 3;
        load->ramp.kind = PAL_RAMP_STEP;
        load = simulate_on_side(&s, PAL_CONDITION_TRACTION, 0, true);
        load->value = pal_vec3(0, 4, 0);
        load->ramp.kind = PAL_RAMP_STEP;
        simulate_start(&s);
        PalVec3 *stretch = calloc((size_t)s.mesh->node_count + 1, sizeof *stretch);
        for (int32_t n = 0; n < s.mesh->node_count; ++n)
            stretch[n].y = s.mesh->nodes[n].y;  // twice as wide
        PalVec3 *external = loads(&s, stretch, 0), sum = total(external, s.mesh->node_count);
        check_near(sum.z, -3.0 * 2 * 2, 1e-13);
        check_near(sum.y, 4.0 * 2 * 1, 1e-13);
        check_near(sum.x, 0, 1e-13);
        free(external);
        free(stretch);
        simulate_end(&s);
    }
}

static void held_nodes_go_where_they_are_told(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 3, 3, 3);
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    PalConditionDef *move = simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true);
    move->value = pal_vec3(0.1, 0.2, -0.1);
    move->axes[1] = false;
    move->ramp.kind = PAL_RAMP_LINEAR;
    simulate_start(&s);
    const PalConditions *conditions = pal_sim_model(s.run)->conditions;
    assert_int_equal(pal_conditions_held_count(conditions), 32);
    simulate_to(&s, 1);
    PalVec3 top = simulate_side_motion(&s, 2, true), bottom = simulate_side_motion(&s, 2, false);
    check_near(top.x, 0.1, 1e-15);
    check_near(top.z, -0.1, 1e-15);
    assert_true(top.y != 0.2);
    check_near(pal_vec3_length(bottom), 0, 0);
    simulate_end(&s);
}

// The sum of reactions balances the applied force when all is at rest.
// Two conditions that displace the same nodes: where both hold a direction, their displacements add
// up.
static void displacements_add_up(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 1, 1, 1);
    simulate_neo_hookean(&s, 1, 0.3, 1);
    for (int i = 0; i < 2; ++i) {
        PalConditionDef *move = simulate_everywhere(&s, PAL_CONDITION_DISPLACE);
        move->value = i == 0 ? pal_vec3(0.1, 0.2, 0.3) : pal_vec3(0.04, -0.5, 0.06);
        move->ramp.kind = PAL_RAMP_LINEAR;
    }
    s.sim.solver.time = 1;
    s.sim.solver.step = 0.1;
    simulate_start(&s);
    simulate_to(&s, 0.5);
    const PalState *now = pal_sim_state(s.run);
    for (int32_t n = 0; n < s.mesh->node_count; ++n) {
        PalVec3 half = pal_vec3_scale(0.5, pal_vec3(0.14, -0.3, 0.36));
        check_near(pal_vec3_distance(now->displacement[n], half), 0, 1e-12);
    }
    simulate_end(&s);
}

static void reactions_balance_loads(void **state)
{
    (void)state;
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 4, 4, 4);
    simulate_neo_hookean(&s, 1000, 0.3, 1);
    s.sim.solver.method = PAL_METHOD_RELAXATION;
    simulate_on_side(&s, PAL_CONDITION_FIX, 2, false);
    simulate_on_side(&s, PAL_CONDITION_FORCE, 2, true)->value = pal_vec3(5, 0, -20);
    simulate_start(&s);
    simulate_all(&s);
    PalVec3 reaction = total(pal_sim_state(s.run)->reaction, s.mesh->node_count);
    check_near(reaction.x, -5, 1e-3);
    check_near(reaction.z, 20, 1e-3);
    simulate_end(&s);
}

// Nodes that are turned go on circles about the axis, by the ramp's part of the angle, and along
// with what else is prescribed for them.
static void rotation_turns_about_its_axis(void **state)
{
    (void)state;
    const double right = acos(-1) / 2;
    Simulation s = simulate_box(pal_vec3(1, 1, 1), 1, 1, 1);
    PalConditionDef *turn = simulate_on_side(&s, PAL_CONDITION_ROTATE, 2, true);
    turn->value = pal_vec3(0, 0, right);
    turn->centre = pal_vec3(0.5, 0.5, 7);
    turn->ramp = (PalRamp){.kind = PAL_RAMP_LINEAR};
    PalConditionDef *lift = simulate_on_side(&s, PAL_CONDITION_DISPLACE, 2, true);
    lift->value = pal_vec3(0, 0, 2);
    lift->ramp = (PalRamp){.kind = PAL_RAMP_STEP};
    simulate_start(&s);
    const PalModel *model = pal_sim_model(s.run);
    int32_t count = pal_conditions_held_count(model->conditions);
    const int32_t *nodes = pal_conditions_held_nodes(model->conditions);
    PalVec3 targets[8];
    assert_int_equal(count, 4);
    for (double time = 0; time <= 1; time += 0.25) {
        pal_conditions_targets(model->conditions, pal_sim_state(s.run)->conditions, time, targets);
        double c = cos(time * right), sine = sin(time * right);
        for (int32_t h = 0; h < count; ++h) {
            PalVec3 x = model->nodes[nodes[h]], now = pal_vec3_add(x, targets[h]);
            double a = x.x - 0.5, b = x.y - 0.5;
            check_near(now.x, 0.5 + c * a - sine * b, 1e-14);
            check_near(now.y, 0.5 + sine * a + c * b, 1e-14);
            check_near(now.z, x.z + 2, 1e-14);
        }
    }
    simulate_end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rotation_turns_about_its_axis),
    cmocka_unit_test(forces_are_shared_and_ramped),
    cmocka_unit_test(gravity_is_mass_times_acceleration),
    cmocka_unit_test(pressure_follows_the_surface),
    cmocka_unit_test(pressure_and_traction_use_the_current_area),
    cmocka_unit_test(held_nodes_go_where_they_are_told),
    cmocka_unit_test(displacements_add_up),
    cmocka_unit_test(reactions_balance_loads),
};
CHECK_GROUP(tests, NULL, NULL)
