// Overlaps that are deep for the mesh but shallow for the bodies, as segmentations have them.
#include "overlap_fixture.h"

#include "contact/start/overlap.h"

static PalStatus try_start(Touch *t, PalError *error)
{
    for (int32_t b = 0; b < t->sim.model.body_count; ++b) {
        t->bodies[b].mesh = t->meshes[b];
        t->bodies[b].material_count = 1;
        t->bodies[b].materials = &t->materials[b];
    }
    for (int32_t r = 0; r < t->sim.model.rigid_count; ++r)
        t->rigids[r].mesh = t->rigid_meshes[r];
    t->sim.model.bodies = t->bodies;
    t->sim.model.rigids = t->rigids;
    t->sim.contact.pairs = t->pairs;
    return pal_sim_create(&t->sim, &t->run, error);
}

// Nothing crosses, all gaps are kept, cells are sound, and volumes are what they were.
static PalContactReport check_parted(Touch *t)
{
    PalError error = {0};
    PalContactSurface *surface = NULL;
    check_ok(try_start(t, &error), &error);
    assert_int_equal(pal_sim_intersections(t->run), 0);
    PalContactReport report = pal_sim_contact_report(t->run);
    const PalModel *model = pal_sim_model(t->run);
    check_ok(pal_contact_surface_create(model, &surface, &error), &error);
    assert_true(least_gap(surface) >= 0.99 * report.separation);
    for (int32_t b = 0; b < model->body_count; ++b) {
        PalMesh mesh = *model->bodies[b].mesh;
        mesh.nodes = model->nodes + model->bodies[b].first_node;
        PalMeshQuality before = pal_mesh_quality(model->bodies[b].mesh);
        PalMeshQuality after = pal_mesh_quality(&mesh);
        assert_true(after.worst >= fmin(0.05, 0.9 * before.worst));
        check_near(after.volume, before.volume, 1e-3 * before.volume);
    }
    assert_true(fabs(report.mass_change) < 1e-3);
    pal_contact_surface_destroy(surface);
    return report;
}

// Two organs of some centimetres, in millimetres.
static Touch organs(int32_t cells, double depth)
{
    Touch t = touch_nothing(1);
    touch_add_mesh(&t,
                   make(PAL_SHAPE_ELLIPSOID, pal_vec3(50, 40, 30), cells, PAL_CELL_TETRAHEDRON,
                        pal_vec3(0, 0, 0)),
                   3000, 0.4, 1e-6);
    touch_add_mesh(&t,
                   make(PAL_SHAPE_ELLIPSOID, pal_vec3(35, 35, 25), cells, PAL_CELL_TETRAHEDRON,
                        pal_vec3(2.5, 1, 55 - depth)),
                   3000, 0.4, 1e-6);
    touch_pair(&t, 0, 1, 0);
    return t;
}

static void the_limit_does_not_depend_on_the_mesh(void **state)
{
    (void)state;
    static const struct {
        int32_t cells;
        double depth;
        bool refused;
    } cases[] = {{6, 3, false}, {10, 1, false}, {14, 3, false}, {14, 5, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        Touch t = organs(cases[i].cells, cases[i].depth);
        PalError error = {0};
        if (cases[i].refused) {
            assert_int_equal(try_start(&t, &error), PAL_BAD_INPUT);
            assert_non_null(strstr(error.text, "the limit is 0.15 of the radius of \"body\", 4.5"));
        } else {
            PalContactReport report = check_parted(&t);
            assert_true(report.largest_move < 0.8 * cases[i].depth);
        }
        touch_end(&t);
    }
}

// A block all of whose side is sunk in, by several layers of its cells.
// Nobody goes anywhere as a whole: wherever the origin is, nodes move by the same, and the middle
// of each body stays about where it was.
static void the_origin_does_not_matter(void **state)
{
    (void)state;
    double moves[2];
    for (int k = 0; k < 2; ++k) {
        Touch t = organs(10, 2);
        const PalVec3 there = pal_vec3_scale(k, pal_vec3(300, -200, 500));
        for (int b = 0; b < 2; ++b)
            for (int32_t n = 0; n < t.meshes[b]->node_count; ++n)
                t.meshes[b]->nodes[n] = pal_vec3_add(t.meshes[b]->nodes[n], there);
        moves[k] = check_parted(&t).largest_move;
        const PalModel *model = pal_sim_model(t.run);
        for (int b = 0; b < 2; ++b) {
            PalVec3 shift = {0, 0, 0};
            int32_t count = t.meshes[b]->node_count;
            for (int32_t n = 0; n < count; ++n)
                shift =
                    pal_vec3_add_scaled(shift, 1.0 / count,
                                        pal_vec3_sub(model->nodes[model->bodies[b].first_node + n],
                                                     t.meshes[b]->nodes[n]));
            assert_true(pal_vec3_length(shift) < 0.3 * moves[k]);
        }
        touch_end(&t);
    }
    check_near(moves[0], moves[1], 1e-6 * moves[0]);
}

static void sides_sink_by_layers(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    touch_add_mesh(&t, make_box(1, 12, PAL_CELL_HEXAHEDRON, pal_vec3(0, 0, 0)), 1000, 0.3, 1);
    t.bodies[0].element = PAL_ELEMENT_H8;
    touch_add_rigid(&t, make_box(2, 1, PAL_CELL_TRIANGLE, pal_vec3(0, 0, 1.5 - 0.07)));
    touch_pair(&t, 0, 1, 0);
    PalContactReport report = check_parted(&t);
    assert_true(report.largest_move > 0.069 && report.largest_move < 0.08);
    touch_end(&t);
}

// Edges from less than 0.015 to more than 5, finest in the middle of the upper side: what is near
// is near by the edges there.
static void reach_is_local(void **state)
{
    (void)state;
    for (int sunk = 0; sunk < 2; ++sunk) {
        Touch t = touch_nothing(1);
        PalMesh *box = make_box(2, 10, PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, -1));
        for (int32_t n = 0; n < box->node_count; ++n) {
            PalVec3 *x = &box->nodes[n];
            double far = fmax(fmax(fabs(x->x), fabs(x->y)), fabs(x->z));
            *x = pal_vec3_scale(5 * far * far * far, *x);
        }
        PalMeshQuality quality = pal_mesh_quality(box);
        assert_true(quality.edge_min < 0.015 && quality.edge_max > 5);
        touch_add_mesh(&t, box, 1000, 0.3, 1);
        touch_add_rigid(
            &t, make_box(40, 1, PAL_CELL_TRIANGLE, pal_vec3(0.3, 0.1, 20 - (sunk ? 0.8 : 0.05))));
        touch_pair(&t, 0, 1, 0);
        check_parted(&t);
        touch_end(&t);
    }
}

// Published responses rest at no distance, so that what touches stays where it is.
static void published_responses_keep_no_separation(void **state)
{
    (void)state;
    for (int sunk = 0; sunk < 2; ++sunk) {
        Touch t = touch_nothing(1);
        PalError error = {0};
        touch_add_mesh(&t, make_box(1, 4, PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0)), 1000, 0.3, 1);
        touch_add_mesh(&t, make_box(1, 3, PAL_CELL_TETRAHEDRON, pal_vec3(0.1, 0, sunk ? 0.98 : 1)),
                       1000, 0.3, 1);
        touch_pair(&t, 0, 1, 0);
        t.sim.contact.response = PAL_RESPONSE_JOHNSEN2015;
        check_ok(try_start(&t, &error), &error);
        assert_int_equal(pal_sim_intersections(t.run), 0);
        double move = pal_sim_contact_report(t.run).largest_move;
        assert_true(sunk ? move > 0.009 : move < 1e-6);
        touch_end(&t);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_limit_does_not_depend_on_the_mesh),
    cmocka_unit_test(the_origin_does_not_matter),
    cmocka_unit_test(sides_sink_by_layers),
    cmocka_unit_test(reach_is_local),
    cmocka_unit_test(published_responses_keep_no_separation),
};
CHECK_GROUP(tests, NULL, NULL)
