// Two blocks tied to each other with meshes that do not match: a patch of constant stress, momentum
// in free flight, and vibration as of one block.
#include "element/elements.h"
#include "math/mat3.h"
#include "model/ties.h"
#include "touch.h"

static PalMesh *block(double length, const int32_t cells[3], double z)
{
    return touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, length), cells, PAL_CELL_TETRAHEDRON,
                       pal_vec3(0, 0, z));
}

// The upper one is attached to the lower one.
static Touch two_blocks(double time)
{
    Touch t = touch_nothing(time);
    touch_add_mesh(&t, block(1, (int32_t[]){5, 4, 4}, 0.5), 1000, 0.3, 10);
    touch_add_mesh(&t, block(1, (int32_t[]){3, 5, 4}, -0.5), 1000, 0.3, 10);
    PalConditionDef *tie = touch_side(&t, 0, PAL_CONDITION_ATTACH, 2, false);
    tie->other_body = 1;
    return t;
}

// How much it shrinks across when it is stretched along z, without stress across.
static double contraction(const PalMaterialDef *material, double strain)
{
    double low = -strain, high = 0;
    for (int k = 0; k < 100; ++k) {
        double e = (low + high) / 2;
        PalMat3 F = {{{1 + e, 0, 0}, {0, 1 + e, 0}, {0, 0, 1 + strain}}}, P;
        pal_material_evaluate(material, &F, NULL, &P, NULL);
        if (P.m[0][0] > 0)
            high = e;
        else
            low = e;
    }
    return (low + high) / 2;
}

static void a_patch_of_constant_stress_passes(void **state)
{
    (void)state;
    Touch t = two_blocks(1);
    touch_start(&t);
    const PalModel *model = pal_sim_model(t.run);
    size_t count = (size_t)model->node_count;
    PalVec3 *u = calloc(count, sizeof *u), *force = calloc(count, sizeof *force);
    PalElementScratch *scratch = NULL;
    PalError error = {0};
    check_ok(pal_element_scratch_create(model->elements, &scratch, &error), &error);
    double strain = 1e-2, inside = 0, all = 0, apart = 0;
    double across = contraction(&t.materials[0], strain);
    for (int32_t n = 0; n < model->node_count; ++n) {
        PalVec3 x = model->nodes[n];
        u[n] = pal_vec3(across * x.x, across * x.y, strain * x.z);
        force[n] = u[n];
    }
    pal_ties_follow(model, u);
    for (int32_t n = 0; n < model->node_count; ++n)
        apart = fmax(apart, pal_vec3_distance(u[n], force[n]) / strain);
    pal_elements_force(model->elements, scratch, u, 0, NULL, force);
    pal_ties_give_forces(model, u, force);
    for (int32_t n = 0; n < model->node_count; ++n) {
        double size = pal_vec3_length(force[n]);
        all = fmax(all, size);
        if (fabs(model->nodes[n].z) < 0.999)
            inside = fmax(inside, size);
    }
    print_message("attached patch: %d ties, displacements within %.2g, %.2g of the largest force "
                  "left inside\n",
                  (int)model->ties->count, apart, inside / all);
    assert_true(apart < 1e-12);
    assert_true(inside < 1e-8 * all);
    pal_element_scratch_destroy(scratch);
    free(u);
    free(force);
    touch_end(&t);
}

static void momentum_stays(void **state)
{
    (void)state;
    Touch t = two_blocks(1);
    t.bodies[0].velocity = pal_vec3(1, 0.5, 2);
    t.bodies[1].velocity = pal_vec3(-0.5, 0.2, 1);
    touch_start(&t);
    PalVec3 before = pal_sim_momentum(t.run);
    double drift = 0;
    while (!pal_sim_finished(t.run)) {
        PalError error = {0};
        check_ok(pal_sim_step(t.run, &error), &error);
        drift = fmax(drift, pal_vec3_distance(pal_sim_momentum(t.run), before));
    }
    print_message("attached: momentum %.2g\n", drift / pal_vec3_length(before));
    assert_true(drift < 1e-12 * pal_vec3_length(before));
    touch_end(&t);
}

// A block with a skin at some height above it, which is attached with all its nodes.
static Touch skinned_block(double time)
{
    Touch t = touch_nothing(time);
    touch_add_mesh(&t, block(0.6, (int32_t[]){4, 4, 3}, 0), 1000, 0.3, 10);
    PalWhere top = {.kind = PAL_WHERE_SIDE, .axis = 2, .highest = true};
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create_skin(t.meshes[0], &top, 0.06, &mesh, &error), &error);
    for (int32_t n = 0; n < mesh->node_count; ++n)  // so that nodes are not above nodes
        mesh->nodes[n].x = 0.9 * mesh->nodes[n].x + 0.03;
    int32_t skin = touch_add_mesh(&t, mesh, 3000, 0.3, 10);
    t.bodies[skin].element = PAL_ELEMENT_EBST;
    t.bodies[skin].thickness = 0.1;
    touch_condition(&t, skin, PAL_CONDITION_ATTACH)->other_body = 0;
    return t;
}

static PalVec3 turned(PalVec3 x)
{
    PalMat3 rotation = pal_rotation_about(pal_vec3(1, 2, 3), 2);
    return pal_vec3_sub(pal_mat3_apply(&rotation, x), x);
}

// What is attached at a height turns along, and rates follow as displacements do.
static void attached_nodes_turn_along(void **state)
{
    (void)state;
    Touch t = skinned_block(1);
    touch_start(&t);
    const PalModel *model = pal_sim_model(t.run);
    size_t count = (size_t)model->node_count;
    PalVec3 *u = calloc(count, sizeof *u), *rate = calloc(count, sizeof *rate);
    PalVec3 *later = calloc(count, sizeof *later);
    double apart = 0, error = 0;
    for (int32_t n = 0; n < model->bodies[0].mesh->node_count; ++n)
        u[n] = turned(model->nodes[n]);
    pal_ties_follow(model, u);
    for (int32_t n = 0; n < model->node_count; ++n)
        apart = fmax(apart, pal_vec3_distance(u[n], turned(model->nodes[n])));
    const double step = 1e-6;
    for (int32_t n = 0; n < model->bodies[0].mesh->node_count; ++n) {
        PalVec3 x = model->nodes[n];
        rate[n] = pal_vec3(sin(7 * x.y + x.z), cos(5 * x.x), sin(3 * x.x + 4 * x.y));
        later[n] = pal_vec3_add_scaled(u[n], step, rate[n]);
    }
    pal_ties_follow_rate(model, u, rate);
    pal_ties_follow(model, later);
    for (int32_t n = 0; n < model->node_count; ++n) {
        PalVec3 way = pal_vec3_scale(1 / step, pal_vec3_sub(later[n], u[n]));
        error = fmax(error, pal_vec3_distance(way, rate[n]));
    }
    print_message("attached at a height: turned along within %.2g, rates within %.2g\n", apart,
                  error);
    assert_true(apart < 1e-14);
    assert_true(error < 1e-4);
    free(u);
    free(rate);
    free(later);
    touch_end(&t);
}

// Struck where it is attached: nothing is lost of what a node gets that is not free.
static void attached_skin_passes_on_blows(void **state)
{
    (void)state;
    Touch t = skinned_block(0.3);
    PalMesh *ball = touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.2, 0.2, 0.2), (int32_t[]){5, 0, 0},
                                PAL_CELL_TETRAHEDRON, pal_vec3(0.2, 0.1, 0.65));
    int32_t b = touch_add_mesh(&t, ball, 1000, 0.3, 10);
    t.bodies[b].velocity = pal_vec3(0, 0, -1);
    touch_pair(&t, 1, b, 0);
    touch_pair(&t, 0, 1, 0);
    touch_start(&t);
    PalVec3 before = pal_sim_momentum(t.run), turn = pal_sim_angular_momentum(t.run);
    double drift = 0, spun = 0;
    int32_t contacts = 0;
    while (!pal_sim_finished(t.run)) {
        PalError error = {0};
        check_ok(pal_sim_step(t.run, &error), &error);
        drift = fmax(drift, pal_vec3_distance(pal_sim_momentum(t.run), before));
        spun = fmax(spun, pal_vec3_distance(pal_sim_angular_momentum(t.run), turn));
        contacts += pal_sim_contact_report(t.run).contact_count;
    }
    const PalModel *model = pal_sim_model(t.run);
    double up = pal_sim_state(t.run)->velocity[model->bodies[b].first_node].z;
    print_message("attached skin, struck: momentum %.2g, angular %.2g, %d contacts, back at %.2g\n",
                  drift / pal_vec3_length(before), spun / pal_vec3_length(before), (int)contacts,
                  up);
    assert_true(contacts > 0);
    assert_true(up > 0.3);
    assert_true(drift < 1e-12 * pal_vec3_length(before));
    assert_true(spun < 1e-12 * pal_vec3_length(before));
    touch_end(&t);
}

// When the top comes back through its place: half a period, along the axis.
static double half_period(Touch *t, int32_t body)
{
    for (int32_t b = 0; b < t->sim.model.body_count; ++b)
        t->bodies[b].velocity = pal_vec3(0, 0, 0.01);
    touch_start(t);
    const PalModel *model = pal_sim_model(t->run);
    double before = 0, time = 0, now = 0;
    while (!pal_sim_finished(t->run)) {
        PalError error = {0};
        check_ok(pal_sim_step(t->run, &error), &error);
        now = 0;
        for (int32_t n = 0; n < model->bodies[body].mesh->node_count; ++n)
            if (model->bodies[body].mesh->nodes[n].z > 0.999)
                now += pal_sim_state(t->run)->displacement[model->bodies[body].first_node + n].z;
        if (now < 0 && before > 0)
            break;
        before = now;
        time = pal_sim_state(t->run)->time;
    }
    double step = pal_sim_state(t->run)->step;
    touch_end(t);
    return time + step * before / (before - now);
}

static void tied_blocks_vibrate_as_one(void **state)
{
    (void)state;
    Touch one = touch_nothing(3), two = two_blocks(3);
    touch_add_mesh(&one, block(2, (int32_t[]){4, 4, 8}, 0), 1000, 0.3, 10);
    touch_side(&one, 0, PAL_CONDITION_FIX, 2, false);
    touch_side(&two, 1, PAL_CONDITION_FIX, 2, false);
    double alone = half_period(&one, 0), tied = half_period(&two, 0);
    print_message("half a period: %.5f of one block, %.5f of two\n", alone, tied);
    check_near(tied / alone, 1, 0.005);
}

static void what_cannot_be_attached_is_refused(void **state)
{
    (void)state;
    for (int trial = 0; trial < 3; ++trial) {
        Touch t = two_blocks(1);
        if (trial == 0)
            t.conditions[0].where.highest = true;  // far from the other
        else if (trial == 1)
            touch_side(&t, 0, PAL_CONDITION_FIX, 2, false);
        else
            t.conditions[0].other_body = 0;
        for (int32_t b = 0; b < 2; ++b) {
            t.bodies[b].mesh = t.meshes[b];
            t.bodies[b].material_count = 1;
            t.bodies[b].materials = &t.materials[b];
        }
        t.sim.model.bodies = t.bodies;
        t.sim.model.conditions = t.conditions;
        PalModel *model = NULL;
        PalError error = {0};
        static const char *const words[] = {"away there", "held already", "no other body"};
        assert_int_equal(pal_model_create(&t.sim.model, &model, &error), PAL_BAD_INPUT);
        assert_non_null(strstr(error.text, words[trial]));
        for (int32_t b = 0; b < 2; ++b)
            pal_mesh_destroy(t.meshes[b]);
    }
}

// Both blocks pressed and sheared, with a pressure that follows on a side that is partly attached.
static Touch pressed_blocks(PalMethod method)
{
    Touch t = two_blocks(1);
    touch_side(&t, 1, PAL_CONDITION_FIX, 2, false);
    touch_side(&t, 0, PAL_CONDITION_DISPLACE, 2, true)->value = pal_vec3(0.3, 0.1, -0.2);
    touch_side(&t, 0, PAL_CONDITION_PRESSURE, 0, true)->pressure = 20;
    t.sim.solver.method = method;
    t.sim.solver.tolerance = method == PAL_METHOD_RELAXATION ? 1e-7 : 1e-6;
    touch_start(&t);
    PalError error = {0};
    while (!pal_sim_finished(t.run))
        check_ok(pal_sim_step(t.run, &error), &error);
    return t;
}

static void implicit_statics_as_relaxed(void **state)
{
    (void)state;
    Touch relaxed = pressed_blocks(PAL_METHOD_RELAXATION);
    Touch solved = pressed_blocks(PAL_METHOD_IMPLICIT_STATIC);
    const PalVec3 *a = pal_sim_state(relaxed.run)->displacement;
    const PalVec3 *b = pal_sim_state(solved.run)->displacement;
    double most = 0, off = 0;
    for (int32_t n = 0; n < pal_sim_model(solved.run)->node_count; ++n) {
        most = fmax(most, pal_vec3_length(a[n]));
        off = fmax(off, pal_vec3_distance(a[n], b[n]));
    }
    double steps = (double)pal_sim_state(solved.run)->step_count;
    double corrections = (double)pal_sim_counters(solved.run)->iterations / steps;
    print_message("attached blocks, implicit: off by %.2g, %.1f corrections a step\n", off / most,
                  corrections);
    check_near(off / most, 0, 1e-4);
    assert_true(corrections < 7);  // the tangent is that of the forces
    touch_end(&relaxed);
    touch_end(&solved);
}

static void implicit_motion_of_tied_blocks(void **state)
{
    (void)state;
    double times[2];
    for (int k = 0; k < 2; ++k) {
        Touch t = two_blocks(3);
        touch_side(&t, 1, PAL_CONDITION_FIX, 2, false);
        t.sim.solver.method = k == 0 ? PAL_METHOD_EXPLICIT : PAL_METHOD_IMPLICIT;
        t.sim.solver.scheme = PAL_SCHEME_NEWMARK;
        t.sim.solver.step = k == 0 ? 0 : 0.005;
        times[k] = half_period(&t, 0);
    }
    check_near(times[1] / times[0], 1, 0.002);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_patch_of_constant_stress_passes),
    cmocka_unit_test(momentum_stays),
    cmocka_unit_test(tied_blocks_vibrate_as_one),
    cmocka_unit_test(attached_nodes_turn_along),
    cmocka_unit_test(attached_skin_passes_on_blows),
    cmocka_unit_test(what_cannot_be_attached_is_refused),
    cmocka_unit_test(implicit_statics_as_relaxed),
    cmocka_unit_test(implicit_motion_of_tied_blocks),
};

CHECK_GROUP(tests, NULL, NULL)
