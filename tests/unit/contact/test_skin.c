// The skin of smooth bodies: how thick and strong it is, how its normals turn, that it is not
// pressed at the start, and that its force has a potential.
#include "contact/gap/skin.h"
#include "contact/response/response.h"
#include "sim/sim.h"
#include "touch.h"

static const double RADIUS = 0.5;

static int32_t add_ball(Touch *t, PalVec3 at, double young)
{
    PalMesh *ball = touch_shape(PAL_SHAPE_SPHERE, pal_vec3(RADIUS, RADIUS, RADIUS),
                                (int32_t[]){6, 0, 0}, PAL_CELL_TETRAHEDRON, at);
    return touch_add_mesh(t, ball, young, 0.3, 1);
}

static PalContact *contact_of(Touch *t)
{
    return t->run->solver->contact;
}

// Two balls, `gap` apart.
static Touch two_balls(double gap, double young)
{
    Touch t = touch_nothing(1);
    add_ball(&t, pal_vec3(0, 0, 0), 1000);
    add_ball(&t, pal_vec3(2 * RADIUS + gap, 0, 0), young);
    touch_pair(&t, 0, 1, 0);
    touch_start(&t);
    return t;
}

static double area_around(const PalContactSurface *surface, int32_t vertex)
{
    double area = 0;
    for (int32_t f = 0; f < surface->facet_count; ++f)
        for (int k = 0; k < 3; ++k)
            if (surface->facets[f][k] == vertex) {
                const int32_t *v = surface->facets[f];
                PalVec3 a = pal_vec3_sub(surface->start[v[1]], surface->start[v[0]]);
                PalVec3 b = pal_vec3_sub(surface->start[v[2]], surface->start[v[0]]);
                area += pal_vec3_length(pal_vec3_cross(a, b)) / 6;
            }
    return area;
}

static void a_ball_has_its_curvature(void **state)
{
    (void)state;
    Touch t = two_balls(1, 1000);
    const PalContact *contact = contact_of(&t);
    const PalSkin *skin = contact->skin;
    const PalContactSurface *surface = contact->surface;
    double thickest = 0;
    assert_non_null(skin);
    for (int32_t v = 0; v < surface->object_first_vertex[1]; ++v) {
        double area = area_around(surface, v), thickness = 0.3 * area / RADIUS;
        PalVec3 outward = pal_vec3_normalise(skin->rest[v]);
        assert_true(fabs(skin->curvature[v] * RADIUS - 1) < 1e-9);
        assert_true(pal_vec3_distance(skin->rest_normal[v], outward) < 1e-9);
        assert_true(fabs(skin->length[v] - sqrt(area)) < 1e-12);
        assert_true(fabs(skin->thickness[v] - fmin(thickness, 0.08 * sqrt(area))) < 1e-9);
        thickest = fmax(thickest, skin->thickness[v]);
    }
    assert_true(fabs(skin->deepest - 2 * thickest) < 1e-9);
    touch_end(&t);
}

static void flat_and_sharp_bodies_have_none(void **state)
{
    (void)state;
    Touch t = touch_nothing(1);
    for (int b = 0; b < 2; ++b)
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){3, 3, 3},
                                   PAL_CELL_TETRAHEDRON, pal_vec3(1.1 * b, 0, 0)),
                       1000, 0.3, 1);
    touch_pair(&t, 0, 1, 0);
    touch_start(&t);
    assert_null(contact_of(&t)->skin);
    touch_end(&t);
}

// Both surfaces have to bulge, and be of different objects.
static void one_ball_alone_has_none(void **state)
{
    (void)state;
    for (int with = 0; with < 2; ++with) {
        Touch t = touch_nothing(1);
        add_ball(&t, pal_vec3(0, 0, 0), 1000);
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){3, 3, 3},
                                   PAL_CELL_TETRAHEDRON, pal_vec3(1.1, 0, 0)),
                       1000, 0.3, 1);
        touch_pair(&t, 0, with, 0);
        touch_start(&t);
        assert_null(contact_of(&t)->skin);
        touch_end(&t);
    }
    assert_true(pal_skin_together(0.1, 0.1) == 0.2 && pal_skin_together(0.1, 1) == 0.4);
    assert_true(pal_skin_together(0.1, -0.01) == 0 && pal_skin_together(0, 0.1) == 0);
}

// Both give way: 1 / E* = (1 - nu^2) (1 / E + 1 / E').
static void strength_is_that_of_both(void **state)
{
    (void)state;
    Touch t = two_balls(1, 4000);
    const PalSkin *skin = contact_of(&t)->skin;
    double modulus = 1 / ((1 - 0.09) * (1.0 / 1000 + 1.0 / 4000));
    double strength = pal_skin_strength(skin, 0, 1, 0.01);
    assert_true(fabs(strength / (0.25 * 0.01 * modulus) - 1) < 1e-12);
    assert_true(strength == pal_skin_strength(skin, 1, 0, 0.01));
    touch_end(&t);
    // of two that do not give way there is none
    t = touch_nothing(1);
    add_ball(&t, pal_vec3(0, 0, 0), 1000);
    for (int r = 0; r < 2; ++r)
        touch_add_rigid(&t, touch_shape(PAL_SHAPE_SPHERE, pal_vec3(1, 1, 1), (int32_t[]){8, 0, 0},
                                        PAL_CELL_TRIANGLE, pal_vec3(3 + 3 * r, 0, 0)));
    touch_pair(&t, 0, 1, 0);
    touch_start(&t);
    skin = contact_of(&t)->skin;
    assert_true(pal_skin_strength(skin, 1, 2, 0.01) == 0);
    assert_true(fabs(pal_skin_strength(skin, 0, 1, 0.01) / (0.0025 * 1000 / (1 - 0.09)) - 1) <
                1e-12);
    touch_end(&t);
}

// A body that has turned has turned normals; one with a dent has those it had.
static void normals_turn_with_what_is_around(void **state)
{
    (void)state;
    Touch t = two_balls(1, 1000);
    PalContact *contact = contact_of(&t);
    PalContactSurface *surface = contact->surface;
    const PalModel *model = pal_sim_model(t.run);
    PalMat3 turn = pal_rotation_about(pal_vec3_normalise(pal_vec3(1, -2, 0.5)), 1.1);
    PalVec3 *displacement = calloc((size_t)model->node_count, sizeof *displacement);
    for (int32_t n = 0; n < model->node_count; ++n)
        displacement[n] = pal_vec3_sub(pal_mat3_apply(&turn, model->nodes[n]), model->nodes[n]);
    int32_t dented = 17;
    PalVec3 *dent = &displacement[surface->vertex_node[dented]];
    PalVec3 outward = pal_mat3_apply(&turn, contact->skin->rest_normal[dented]);
    *dent = pal_vec3_add_scaled(*dent, -0.05, outward);
    ++surface->stamp;
    pal_contact_surface_place(surface, model, displacement, NULL);
    PalVec3 expected = pal_mat3_apply(&turn, contact->skin->rest_normal[40]);
    assert_true(pal_vec3_distance(pal_skin_normal(contact->skin, 40), expected) < 1e-9);
    assert_true(pal_vec3_distance(pal_skin_normal(contact->skin, dented), outward) < 1e-9);
    free(displacement);
    touch_end(&t);
}

// Balls that are laid within reach of each other's skin stay where they are.
static void nothing_is_pressed_at_the_start(void **state)
{
    (void)state;
    Touch t = two_balls(0.002, 1000);
    const PalSkin *skin = contact_of(&t)->skin;
    assert_true(skin->deepest > 0.01);
    touch_advance(&t, 0.05);
    assert_true(pal_sim_energy(t.run).kinetic < 1e-20);
    touch_end(&t);
}

// Balls come near each other slowly, so slowly that facets never touch, turn back, and are as fast
// as before, in every direction they may come from.
static void force_has_a_potential(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        Touch t = touch_nothing(4);
        add_ball(&t, pal_vec3(0, 0, 0), 1000);
        add_ball(&t, pal_vec3(0, 0, 0), 1000);
        for (int b = 0; b < 2; ++b) {
            touch_turn(t.meshes[b], pal_vec3_normalise(pal_vec3(1, i, 0.3)), 0.4 * i);
            for (int32_t n = 0; n < t.meshes[b]->node_count; ++n)
                t.meshes[b]->nodes[n].x += b * 1.06;
        }
        t.bodies[0].velocity = pal_vec3(0.04, 0, 0);
        touch_pair(&t, 0, 1, 0);
        touch_start(&t);
        touch_advance(&t, 4);
        PalEnergy energy = pal_sim_energy(t.run);
        double kept = (energy.kinetic + energy.strain) / energy.initial;
        PalContactReport report = pal_sim_contact_report(t.run);
        print_message("turned by %.1f: %.6f of the energy is left, %d contacts\n", 0.4 * i, kept,
                      (int)report.most_contacts);
        assert_true(report.most_contacts > 0);
        assert_true(fabs(kept - 1) < 0.01);  // but for sliding
        touch_end(&t);
    }
}

// Skins are felt farther than facets; whatever search is used finds who feels them.
static void any_search_finds_skins(void **state)
{
    (void)state;
    static const PalUpdateKind updates[] = {PAL_UPDATE_FRONT, PAL_UPDATE_UPDATE_NODES,
                                            PAL_UPDATE_EXHAUSTIVE};
    uint64_t hashes[3];
    for (int i = 0; i < 3; ++i) {
        Touch t = touch_nothing(0.5);
        add_ball(&t, pal_vec3(0, 0, 0), 1000);
        add_ball(&t, pal_vec3(2 * RADIUS + 0.06, 0.03, 0.02), 1000);
        touch_turn(t.meshes[0], pal_vec3_normalise(pal_vec3(1, 2, 0.3)), 0.7);
        t.bodies[0].velocity = pal_vec3(0.2, 0, 0);
        t.bodies[1].velocity = pal_vec3(-0.2, 0, 0);
        t.sim.contact.update = updates[i];
        touch_pair(&t, 0, 1, 0.2);
        touch_start(&t);
        touch_advance(&t, 0.5);
        assert_true(pal_sim_contact_report(t.run).most_contacts > 2);
        hashes[i] = pal_sim_hash(t.run);
        touch_end(&t);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_ball_has_its_curvature),
    cmocka_unit_test(flat_and_sharp_bodies_have_none),
    cmocka_unit_test(one_ball_alone_has_none),
    cmocka_unit_test(strength_is_that_of_both),
    cmocka_unit_test(normals_turn_with_what_is_around),
    cmocka_unit_test(nothing_is_pressed_at_the_start),
    cmocka_unit_test(force_has_a_potential),
    cmocka_unit_test(any_search_finds_skins),
};
CHECK_GROUP(tests, NULL, NULL)
