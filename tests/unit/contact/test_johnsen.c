// The published responses on whole surfaces, one step at a time, without a solver.
#include "alone.h"
#include "base/memory.h"
#include "contact/response/johnsen/johnsen.h"
#include "geometry/closest.h"

static const double step_length = 1e-3;

// Two balls of radius 0.5 in a row along x, `gap` apart.
static void create_balls_with(Alone *s, const PalContactDef *choices, double gap)
{
    Touch t = touch_nothing(1);
    for (int b = 0; b < 2; ++b) {
        PalMesh *mesh = touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.5, 0.5, 0.5),
                                    (int32_t[]){b == 0 ? 8 : 10, 0, 0}, PAL_CELL_TETRAHEDRON,
                                    pal_vec3(b * (1 + gap), 0.02 * b, 0.03 * b));
        touch_add_mesh(&t, mesh, 1000, 0.4, b == 0 ? 10 : 15);
    }
    alone_start(s, &t);
    alone_touch_pair(s, choices, 0);
}

static void create_balls(Alone *s, PalResponseKind response, double gap)
{
    PalContactDef def = pal_contact_def_default();
    def.response = response;
    create_balls_with(s, &def, gap);
}

// The second ball moves by `motion` in this step.
static void step_by(Alone *s, double motion)
{
    for (int32_t n = s->model->bodies[1].first_node; n < s->model->node_count; ++n)
        s->velocity[n] = pal_vec3(motion / step_length, 0, 0);
    alone_step(s, step_length);
}

static PalVec3 impulse_of(const Alone *s, int32_t object)
{
    PalVec3 sum = {0, 0, 0};
    const int32_t *first = s->contact->surface->object_first_vertex;
    for (int32_t v = first[object]; v < first[object + 1]; ++v)
        sum = pal_vec3_add(sum, s->contact->impulse[v]);
    return sum;
}

// ---- detection --------------------------------------------------------------------------

// Distance to the nearest facet of an object, negative inside, by trying them all.
static double signed_distance(const PalContactSurface *surface, int32_t object, PalVec3 point)
{
    double nearest = INFINITY, sign = 1;
    for (int32_t f = surface->object_first_facet[object];
         f < surface->object_first_facet[object + 1]; ++f) {
        PalVec3 corner[3];
        for (int a = 0; a < 3; ++a)
            corner[a] = surface->end[surface->facets[f][a]];
        double weights[3];
        PalFeature feature;
        double distance = pal_closest_on_triangle(point, corner, weights, &feature);
        PalVec3 normal =
            pal_vec3_cross(pal_vec3_sub(corner[1], corner[0]), pal_vec3_sub(corner[2], corner[0]));
        if (distance < nearest) {
            nearest = distance;
            sign = pal_vec3_dot(normal, pal_vec3_sub(point, corner[0])) < 0 ? -1 : 1;
        }
    }
    return sign * nearest;
}

static void every_node_inside_is_found_once(void **state)
{
    (void)state;
    Alone s;
    create_balls(&s, PAL_RESPONSE_JOHNSEN2015, 0.005);
    PalContactSurface *surface = s.contact->surface;
    PalJohnsen *johnsen = s.contact->own;
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        if (surface->vertex_object[v] == 1)
            surface->end[v].x -= 0.04;
    PalError error = {0};
    check_ok(pal_search_update(s.contact->search, surface, 1, &s.meter, &error), &error);
    check_ok(pal_near_find(&johnsen->finder, s.contact, PAL_ROLES_BOTH, &s.meter, &error), &error);
    int32_t *found = calloc((size_t)surface->vertex_count, sizeof *found);
    int32_t inside = 0, edges = 0;
    for (int32_t i = 0; i < johnsen->finder.found.count; ++i) {
        const PalNear *near = &johnsen->finder.found.items[i];
        check_near(near->gap.along,
                   pal_vec3_dot(near->gap.normal, pal_gap_difference(&near->gap, surface->end)),
                   1e-14);
        edges += near->gap.kind == PAL_CONTACT_EDGE_EDGE;
        if (near->gap.kind == PAL_CONTACT_NODE_FACET)
            ++found[near->gap.vertices[0]];
    }
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        double distance = signed_distance(surface, 1 - surface->vertex_object[v], surface->end[v]);
        inside += distance < 0;
        if (distance < 0)
            assert_int_equal(found[v], 1);
        else if (distance > 1.1 * johnsen->finder.rule.reach)
            assert_int_equal(found[v], 0);
        assert_true(found[v] <= 1);
    }
    print_message("%d nodes inside, %d edge contacts\n", inside, edges);
    assert_true(inside >= 4);
    free(found);
    alone_end(&s);
}

// Bodies that lie in each other from the start are not thrown apart: it was not this step's doing.
static void deep_overlap_without_motion_is_left_alone(void **state)
{
    (void)state;
    Alone s;
    create_balls(&s, PAL_RESPONSE_JOHNSEN2015, -0.1);
    step_by(&s, 0);
    for (int32_t i = 0; i < s.contact->point_count; ++i)
        assert_true(s.contact->points[i].gap > -2 * ((PalJohnsen *)s.contact->own)->margin);
    double push = pal_vec3_length(impulse_of(&s, 0)) * step_length / s.model->bodies[0].mass;
    assert_true(push < ((PalJohnsen *)s.contact->own)->margin);
    alone_end(&s);
}

// ---- a step -----------------------------------------------------------------------------

static void apart_means_nothing_happens(PalResponseKind response)
{
    Alone s;
    create_balls(&s, response, 0.02);
    step_by(&s, -0.001);
    assert_int_equal(s.contact->point_count, 0);
    check_near(pal_vec3_length(impulse_of(&s, 0)), 0, 0);
    check_near(pal_vec3_length(impulse_of(&s, 1)), 0, 0);
    alone_end(&s);
}

static void overlap_is_pushed_apart(PalResponseKind response)
{
    Alone s;
    create_balls(&s, response, 0.005);
    step_by(&s, -0.03);
    PalVec3 first = impulse_of(&s, 0), second = impulse_of(&s, 1);
    print_message("%s: impulses %.4g and %.4g, overlap left %.2g, %d contacts\n",
                  pal_response_name(response), first.x, second.x, s.contact->report.penetration,
                  s.contact->report.contact_count);
    assert_true(first.x < 0 && second.x > 0);
    assert_int_equal(s.contact->report.contact_count, s.contact->point_count);
    // Points tell half the difference of what the two received.
    PalVec3 told = {0, 0, 0};
    for (int32_t i = 0; i < s.contact->point_count; ++i) {
        const PalContactPoint *point = &s.contact->points[i];
        assert_true(point->objects[0] != point->objects[1]);
        assert_true(point->normal_force >= 0);
        told = pal_vec3_add_scaled(told, point->objects[0] == 0 ? 1 : -1, point->force);
    }
    check_near(told.x * step_length, (first.x - second.x) / 2, 1e-12 * fabs(first.x));
    // Ends stand where the impulses put them.
    const PalContactSurface *surface = s.contact->surface;
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        int32_t node = surface->vertex_node[v];
        PalVec3 at = pal_vec3_add_scaled(s.model->nodes[node], step_length, s.velocity[node]);
        at = pal_vec3_add_scaled(at, step_length / s.model->mass[node], s.contact->impulse[v]);
        check_near(pal_vec3_distance(at, surface->end[v]), 0, 1e-14);
    }
    alone_end(&s);
}

static void a_warm_step_allocates_nothing(PalResponseKind response)
{
    Alone s;
    create_balls(&s, response, 0.005);
    step_by(&s, -0.03);
    int64_t before = pal_alloc_count();
    step_by(&s, -0.03);
    assert_true(s.contact->point_count > 0);
    assert_int_equal(pal_alloc_count(), before);
    alone_end(&s);
}

static void both_respond(void **state)
{
    (void)state;
    for (int response = PAL_RESPONSE_JOHNSEN2015; response <= PAL_RESPONSE_JOHNSEN2012;
         ++response) {
        apart_means_nothing_happens((PalResponseKind)response);
        overlap_is_pushed_apart((PalResponseKind)response);
        a_warm_step_allocates_nothing((PalResponseKind)response);
    }
}

// Any search leads to the same bits.
static void searches_agree(void **state)
{
    (void)state;
    for (int response = PAL_RESPONSE_JOHNSEN2015; response <= PAL_RESPONSE_JOHNSEN2012;
         ++response) {
        Alone first;
        create_balls(&first, (PalResponseKind)response, 0.005);
        step_by(&first, -0.03);
        size_t size = (size_t)first.contact->surface->vertex_count * sizeof(PalVec3);
        for (int update = PAL_UPDATE_FRONT; update <= PAL_UPDATE_EXHAUSTIVE; ++update)
            for (int kind = PAL_HIERARCHY_AABB2; kind <= PAL_HIERARCHY_OBB2; ++kind) {
                PalContactDef def = pal_contact_def_default();
                def.response = (PalResponseKind)response;
                def.update = (PalUpdateKind)update;
                def.hierarchy = (PalHierarchyKind)kind;
                Alone other;
                create_balls_with(&other, &def, 0.005);
                step_by(&other, -0.03);
                assert_memory_equal(other.contact->impulse, first.contact->impulse, size);
                alone_end(&other);
            }
        alone_end(&first);
    }
}

static double nearest_node(const Alone *s)
{
    const PalContactSurface *surface = s->contact->surface;
    double nearest = INFINITY;
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        nearest =
            fmin(nearest, signed_distance(surface, 1 - surface->vertex_object[v], surface->end[v]));
    return nearest;
}

static void changing_roles_leaves_no_node_inside(void **state)
{
    (void)state;
    Alone s;
    create_balls(&s, PAL_RESPONSE_JOHNSEN2012, 0.005);
    step_by(&s, -0.03);
    double margin = ((PalJohnsen *)s.contact->own)->margin;
    assert_int_equal(s.contact->report.rescues, 0);
    assert_true(s.contact->report.penetration <= 1e-3 * margin);
    assert_true(nearest_node(&s) >= -1e-3 * margin);
    alone_end(&s);
}

// The outer two of three balls in a row are driven into the one between them, and into each other:
// pushing two apart pushes one of them into the third. Rounds go on until nothing is left, or tell
// what is.
static void a_row_takes_many_rounds(void **state)
{
    (void)state;
    Alone s;
    Touch t = touch_nothing(1);
    for (int b = 0; b < 3; ++b)
        touch_add_mesh(&t,
                       touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.5, 0.5, 0.5), (int32_t[]){4, 0, 0},
                                   PAL_CELL_TETRAHEDRON, pal_vec3(1.002 * b, 0, 0)),
                       1000, 0.4, 10);
    alone_start(&s, &t);
    PalContactDef def = pal_contact_def_default();
    def.response = PAL_RESPONSE_JOHNSEN2012;
    def.every_pair = true;
    alone_touch(&s, &(PalContactSetup){.def = &def});
    for (int32_t n = 0; n < s.model->bodies[1].first_node; ++n)
        s.velocity[n] = pal_vec3(0.6 / step_length, 0, 0);
    for (int32_t n = s.model->bodies[2].first_node; n < s.model->node_count; ++n)
        s.velocity[n] = pal_vec3(-0.6 / step_length, 0, 0);
    alone_step(&s, step_length);
    double margin = ((PalJohnsen *)s.contact->own)->margin, deepest = 0;
    const PalContactSurface *surface = s.contact->surface;
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        for (int32_t o = 0; o < 3; ++o)
            if (o != surface->vertex_object[v])
                deepest = fmin(deepest, signed_distance(surface, o, surface->end[v]));
    print_message("%d left, %g deep\n", (int)s.contact->report.rescues, -deepest / margin);
    assert_true(s.contact->report.rescues > 0 || deepest >= -1e-3 * margin);
    alone_end(&s);
}

static void a_given_separation_is_kept(void **state)
{
    (void)state;
    Alone s;
    PalContactDef def = pal_contact_def_default();
    def.response = PAL_RESPONSE_JOHNSEN2012;
    def.separation = 0.004;
    create_balls_with(&s, &def, 0.005);
    step_by(&s, -0.015);
    assert_true(s.contact->point_count > 0);
    assert_true(nearest_node(&s) >= 0.99 * def.separation);
    alone_end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_node_inside_is_found_once),
    cmocka_unit_test(deep_overlap_without_motion_is_left_alone),
    cmocka_unit_test(both_respond),
    cmocka_unit_test(searches_agree),
    cmocka_unit_test(changing_roles_leaves_no_node_inside),
    cmocka_unit_test(a_row_takes_many_rounds),
    cmocka_unit_test(a_given_separation_is_kept),
};
CHECK_GROUP(tests, NULL, NULL)
