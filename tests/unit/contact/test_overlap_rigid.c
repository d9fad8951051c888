// Free rigid bodies that touch or overlap at the start: moved as a whole where shallow.
#include "overlap_fixture.h"

#include "base/memory.h"

static PalMesh *rigid_box(PalVec3 extent, PalVec3 place)
{
    return touch_shape(PAL_SHAPE_BOX, extent, (int32_t[]){1, 1, 1}, PAL_CELL_TRIANGLE, place);
}

// Nothing crosses, all gaps are the separation and not much more, nothing jumps in the first step.
static PalContactReport check_stands(Touch *t)
{
    PalError error = {0};
    PalContactSurface *surface = NULL;
    touch_start(t);
    PalContactReport report = pal_sim_contact_report(t->run);
    const PalModel *model = pal_sim_model(t->run);
    check_ok(pal_contact_surface_create(model, &surface, &error), &error);
    double gap = least_gap(surface);
    assert_true(gap >= (1 - 1e-6) * report.separation && gap < 1.03 * report.separation);
    assert_int_equal(pal_sim_intersections(t->run), 0);
    check_ok(pal_sim_step(t->run, &error), &error);
    assert_true(pal_sim_energy(t->run).kinetic <= 1e-12);
    pal_contact_surface_destroy(surface);
    return report;
}

static PalVec3 shift_of(const Touch *t, int32_t rigid)
{
    const PalRigid *after = &pal_sim_model(t->run)->rigids[rigid];
    PalVec3 shift = pal_vec3_sub(after->mesh->nodes[0], t->rigid_meshes[rigid]->nodes[0]);
    for (int32_t n = 0; n < after->mesh->node_count; ++n)
        check_near(pal_vec3_distance(pal_vec3_add(t->rigid_meshes[rigid]->nodes[n], shift),
                                     after->mesh->nodes[n]),
                   0, 1e-15);
    return shift;
}

// A stack at gap 0 on a table: each is lifted straight up by a separation more than the one below.
static void stacked_boxes_are_lifted(void **state)
{
    (void)state;
    enum { BOXES = 6 };
    Touch t = touch_nothing(1);
    touch_add_rigid(&t, rigid_box(pal_vec3(4, 4, 1), pal_vec3(0, 0, -0.5)));
    for (int32_t i = 0; i < BOXES; ++i) {
        touch_add_free(&t, rigid_box(pal_vec3(1, 1, 0.5), pal_vec3(0, 0, 0.25 + 0.5 * i)), 1);
        touch_pair(&t, i, i + 1, 0.5);
    }
    PalContactReport report = check_stands(&t);
    assert_int_equal(report.moved_rigid_count, BOXES);
    assert_int_equal(report.moved_count, 0);
    check_near(pal_vec3_length(shift_of(&t, 0)), 0, 0);
    for (int32_t i = 1; i <= BOXES; ++i) {
        PalVec3 shift = shift_of(&t, i), centre = pal_sim_model(t.run)->rigids[i].centre;
        check_near(hypot(shift.x, shift.y), 0, 1e-12);
        assert_true(shift.z > 0.999 * i * report.separation &&
                    shift.z < 1.04 * i * report.separation);
        check_near(centre.z, 0.25 + 0.5 * (i - 1) + shift.z, 1e-15);
    }
    check_near(report.largest_rigid_move, shift_of(&t, BOXES).z, 1e-15);
    touch_end(&t);
}

// Two free ones go half the way each, and as a whole.
static void two_free_boxes_share(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    touch_add_free(&t, rigid_box(pal_vec3(1, 1, 1), pal_vec3(0, 0, 0)), 1);
    touch_add_free(&t, rigid_box(pal_vec3(0.8, 0.8, 1), pal_vec3(0.02, 0.03, 0.97)), 1);
    touch_pair(&t, 0, 1, 0);
    PalContactReport report = check_stands(&t);
    PalVec3 down = shift_of(&t, 0), up = shift_of(&t, 1);
    double apart = 0.03 + report.separation;
    check_near(up.z, apart / 2, 0.03 * apart);
    check_near(down.z, -apart / 2, 0.03 * apart);
    check_near(hypot(up.x, up.y) + hypot(down.x, down.y), 0, 1e-12);
    touch_end(&t);
}

// Something soft and a free rigid body both give way; an instrument stays.
static void free_and_soft_share(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    touch_add_mesh(&t, make_box(1, 3, PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)), 100, 0.3, 1);
    touch_add_free(&t, rigid_box(pal_vec3(0.5, 0.5, 0.5), pal_vec3(0.03, 0.02, 0.73)), 1);
    touch_add_rigid(&t, rigid_box(pal_vec3(0.5, 0.5, 0.5), pal_vec3(0, 0, -0.75)));
    touch_pair(&t, 0, 1, 0);
    touch_pair(&t, 0, 2, 0);
    PalContactReport report = check_stands(&t);
    PalVec3 up = shift_of(&t, 0);
    assert_true(up.z > 0.002 && up.z < 0.02 + 1.05 * report.separation);
    assert_true(report.moved_count > 0 && report.moved_rigid_count == 1);
    check_near(pal_vec3_length(shift_of(&t, 1)), 0, 0);
    touch_end(&t);
}

static void refuse_touch(Touch *t, const char *first, const char *second)
{
    PalError error = {0};
    PalSim *sim = NULL;
    for (int32_t r = 0; r < t->sim.model.rigid_count; ++r)
        t->rigids[r].mesh = t->rigid_meshes[r];
    t->sim.model.rigids = t->rigids;
    t->sim.contact.pairs = t->pairs;
    assert_int_equal(pal_sim_create(&t->sim, &sim, &error), PAL_BAD_INPUT);
    if (strstr(error.text, first) == NULL || strstr(error.text, second) == NULL)
        fail_msg("expected \"%s\" and \"%s\" in \"%s\"", first, second, error.text);
    touch_end(t);
}

static void deep_free_boxes_are_refused(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    touch_add_rigid(&t, rigid_box(pal_vec3(4, 4, 1), pal_vec3(0, 0, -0.5)));
    touch_add_free(&t, rigid_box(pal_vec3(1, 1, 1), pal_vec3(0, 0, 0.4)), 1);
    touch_pair(&t, 0, 1, 0);
    refuse_touch(&t, "\"rigid\" and \"free\" overlap at the start by 0.1",
                 "a tenth of the radius of \"free\"");
}

// A simulation on a given model moves nothing.
static void a_given_model_stays(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    PalError error = {0};
    PalModel *model = NULL;
    PalSim *sim = NULL;
    touch_add_free(&t, rigid_box(pal_vec3(1, 1, 1), pal_vec3(0, 0, 0)), 1);
    touch_add_free(&t, rigid_box(pal_vec3(1, 1, 1), pal_vec3(0, 0, 1)), 1);
    touch_pair(&t, 0, 1, 0);
    touch_start(&t);
    t.sim.model.end_time = 1;
    check_ok(pal_model_create(&t.sim.model, &model, &error), &error);
    assert_int_equal(pal_sim_create_on(model, &t.sim, &sim, &error), PAL_BAD_INPUT);
    assert_non_null(strstr(error.text, "they would have to be moved"));
    pal_model_destroy(model);
    touch_end(&t);
}

// A ball of two shells, the inner one facing inward.
static PalMesh *hollow_ball(double outer, double inner)
{
    PalMesh *shells[2] = {make(PAL_SHAPE_SPHERE, pal_vec3(outer, outer, outer), 4,
                               PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0)),
                          make(PAL_SHAPE_SPHERE, pal_vec3(inner, inner, inner), 4,
                               PAL_CELL_TRIANGLE, pal_vec3(0, 0, 0))};
    int32_t n = shells[0]->node_count, c = shells[0]->cell_count;
    PalVec3 *nodes = pal_alloc(2 * (size_t)n, sizeof *nodes);
    int32_t *cells = pal_alloc(6 * (size_t)c, sizeof *cells);
    assert_true(nodes != NULL && cells != NULL);
    memcpy(nodes, shells[0]->nodes, (size_t)n * sizeof *nodes);
    memcpy(nodes + n, shells[1]->nodes, (size_t)n * sizeof *nodes);
    for (int32_t i = 0; i < c; ++i)
        for (int k = 0; k < 3; ++k) {
            cells[3 * i + k] = shells[0]->cells[3 * i + k];
            cells[3 * (c + i) + k] = n + shells[1]->cells[3 * i + 2 - k];
        }
    PalMeshDef def = {PAL_CELL_TRIANGLE, 2 * n, nodes, 2 * c, cells};
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create(&def, &mesh, &error), &error);
    pal_mesh_destroy(shells[0]);
    pal_mesh_destroy(shells[1]);
    pal_free(nodes);
    pal_free(cells);
    return mesh;
}

static void a_ball_in_a_hollow_one_is_no_overlap(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    touch_add_free(&t, hollow_ball(1, 0.8), 1);
    touch_add_free(
        &t,
        make(PAL_SHAPE_SPHERE, pal_vec3(0.5, 0.5, 0.5), 4, PAL_CELL_TRIANGLE, pal_vec3(0.1, 0, 0)),
        1);
    touch_pair(&t, 0, 1, 0);
    touch_start(&t);
    assert_int_equal(pal_sim_contact_report(t.run).moved_rigid_count, 0);
    touch_end(&t);
    // in the wall of it, there is no way out
    t = touch_nothing(1);
    touch_add_free(&t, hollow_ball(1, 0.4), 1);
    touch_add_free(
        &t,
        make(PAL_SHAPE_SPHERE, pal_vec3(0.2, 0.2, 0.2), 4, PAL_CELL_TRIANGLE, pal_vec3(0.65, 0, 0)),
        1);
    touch_pair(&t, 0, 1, 0);
    refuse_touch(&t, "overlap at the start", "too deep");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(stacked_boxes_are_lifted),
    cmocka_unit_test(two_free_boxes_share),
    cmocka_unit_test(free_and_soft_share),
    cmocka_unit_test(deep_free_boxes_are_refused),
    cmocka_unit_test(a_given_model_stays),
    cmocka_unit_test(a_ball_in_a_hollow_one_is_no_overlap),
};
CHECK_GROUP(tests, NULL, NULL)
