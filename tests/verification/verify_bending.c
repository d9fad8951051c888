// One layer of hexahedra bends and twists as a beam does, whatever the hourglass number, the shape
// of its cells and the direction it lies in.   docs/theory/elements.md, 5
#include "simulate.h"

#include "math/mat3.h"

typedef struct Beam {
    double width, height;  // of a beam of length 1
    int32_t cells[3];
    double poisson, hourglass;
    double turned;   // radians about a skew axis
    double allowed;  // relative difference from theory
} Beam;

static const double young = 1e5;

// The two ends as groups, found before the beam is turned.
static void name_end(PalMesh *mesh, const char *name, bool highest)
{
    PalError error = {0};
    PalWhere where = {.kind = PAL_WHERE_SIDE, .axis = 0, .highest = highest};
    PalGroup group = {.name = (char *)name};
    check_ok(pal_mesh_select_nodes(mesh, &where, &group.nodes, &group.node_count, &error), &error);
    check_ok(pal_mesh_add_group(mesh, &group, &error), &error);
    free(group.nodes);
}

static Simulation make_beam(const Beam *beam, PalMat3 *turn)
{
    Simulation s = simulate_box(pal_vec3(1, beam->width, beam->height), beam->cells[0],
                                beam->cells[1], beam->cells[2]);
    PalError error = {0};
    simulate_neo_hookean(&s, young, beam->poisson, 1000);
    s.body.element = PAL_ELEMENT_H8;
    s.body.hourglass = beam->hourglass;
    s.sim.solver.method = PAL_METHOD_RELAXATION;
    s.sim.solver.tolerance = 1e-5;
    s.shape.cell_kind = PAL_CELL_HEXAHEDRON;
    check_ok(pal_mesh_create_shape(&s.shape, &s.mesh, &error), &error);
    name_end(s.mesh, "clamp", false);
    name_end(s.mesh, "tip", true);
    PalPlacement placement = pal_placement_identity();
    *turn = placement.rotation = pal_rotation_about(pal_vec3(1, 2, 3), beam->turned);
    pal_mesh_place(s.mesh, &placement);
    return s;
}

static PalConditionDef *at_end(Simulation *s, PalConditionKind kind, const char *group)
{
    PalConditionDef *condition = simulate_on_side(s, kind, 0, false);
    condition->where = (PalWhere){.kind = PAL_WHERE_GROUP, .group = group};
    return condition;
}

// How far the tip goes along z of the beam, as a part of what Timoshenko's theory says.
static double bend(const Beam *beam)
{
    PalMat3 turn;
    Simulation s = make_beam(beam, &turn);
    double area = beam->width * beam->height, moment = area * beam->height * beam->height / 12;
    double shear = young / (2 * (1 + beam->poisson)), force = 0.003 * young * moment;
    double expected = force / (3 * young * moment) + force / (5.0 / 6 * shear * area);
    at_end(&s, PAL_CONDITION_FIX, "clamp");
    at_end(&s, PAL_CONDITION_FORCE, "tip")->value = pal_mat3_apply(&turn, pal_vec3(0, 0, force));
    simulate_start(&s);
    simulate_all(&s);
    PalVec3 sum = {0, 0, 0}, up = pal_mat3_apply(&turn, pal_vec3(0, 0, 1));
    const PalGroup *tip = &s.mesh->groups[s.mesh->group_count - 1];
    for (int32_t i = 0; i < tip->node_count; ++i)
        sum = pal_vec3_add(sum, pal_sim_state(s.run)->displacement[tip->nodes[i]]);
    double moved = pal_vec3_dot(sum, up) / tip->node_count;
    simulate_end(&s);
    return moved / expected;
}

static const Beam beams[] = {
    {0.1, 0.1, {10, 1, 1}, 0.3, 0.01, 0, 0.02}, {0.1, 0.1, {10, 1, 1}, 0.3, 0.1, 0, 0.02},
    {0.1, 0.1, {10, 1, 1}, 0.3, 0.5, 0, 0.03},  {0.1, 0.1, {10, 1, 1}, 0.3, 0.1, 0.7, 0.02},
    {0.1, 0.1, {10, 1, 1}, 0.45, 0.1, 0, 0.03}, {0.1, 0.05, {8, 2, 1}, 0.3, 0.1, 0, 0.03},
    {0.05, 0.1, {6, 1, 1}, 0.3, 0.1, 0, 0.03},  {0.1, 0.02, {10, 1, 1}, 0.3, 0.1, 0, 0.03},
};

static void one_layer_bends_as_a_beam(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof beams / sizeof *beams; ++i) {
        double share = bend(&beams[i]);
        print_message("cells %d x %d x %d, hourglass %g: %.4f of theory\n", beams[i].cells[0],
                      beams[i].cells[1], beams[i].cells[2], beams[i].hourglass, share);
        check_near(share, 1, beams[i].allowed);
    }
}

// A square bar of one cell across, its tip turned by a small angle: torque 0.1406 G a^4 per angle
// and length, were its ends free to warp.
static void one_layer_twists_as_a_bar(void **state)
{
    (void)state;
    const Beam beam = {0.1, 0.1, {10, 1, 1}, 0.3, 0.1, 0, 0};
    PalMat3 turn;
    Simulation s = make_beam(&beam, &turn);
    double shear = young / (2 * (1 + beam.poisson)), angle = 1e-3;
    at_end(&s, PAL_CONDITION_FIX, "clamp");
    const PalGroup *tip = &s.mesh->groups[s.mesh->group_count - 1];
    PalVec3 corner[8];
    for (int32_t i = 0; i < tip->node_count; ++i) {
        corner[i] = s.mesh->nodes[tip->nodes[i]];
        PalConditionDef *pull = simulate_on_side(&s, PAL_CONDITION_DISPLACE, 0, false);
        pull->where = (PalWhere){.kind = PAL_WHERE_POINT, .point = corner[i]};
        pull->axes[0] = false;  // free to warp
        pull->value = pal_vec3(0, -angle * corner[i].z, angle * corner[i].y);
    }
    simulate_start(&s);
    simulate_all(&s);
    double torque = 0;
    for (int32_t i = 0; i < tip->node_count; ++i) {
        PalVec3 f = pal_sim_state(s.run)->reaction[tip->nodes[i]];
        torque += corner[i].y * f.z - corner[i].z * f.y;
    }
    double expected = 0.1406 * shear * pow(0.1, 4) * angle;
    print_message("torque %.4f of theory\n", torque / expected);
    check_near(torque, expected, 0.25 * expected);
    simulate_end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_layer_bends_as_a_beam),
    cmocka_unit_test(one_layer_twists_as_a_bar),
};
CHECK_GROUP(tests, NULL, NULL)
