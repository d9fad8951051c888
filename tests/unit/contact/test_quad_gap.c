// The gap between a vertex and a quadrilateral.
#include "contact/gap/closest.h"
#include "touch.h"

enum { OVER = 8 };  // the first vertex of the second body; the first has eight

static const double WIDTH = 1, DEPTH = 0.8, TOP = 0.5, GAP = 0.01;

typedef struct Quad {
    Touch touch;
    PalContactSurface *surface;
    PalClosestRule rule;
} Quad;

// A brick, and a body with a vertex that can be put over it.
static Quad *begin(void)
{
    Quad *q = calloc(1, sizeof *q);
    PalError error = {0};
    q->touch = touch_nothing(1);
    touch_add_mesh(&q->touch,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(WIDTH, DEPTH, TOP), (int32_t[]){1, 1, 1},
                               PAL_CELL_HEXAHEDRON, pal_vec3(WIDTH / 2, DEPTH / 2, TOP / 2)),
                   1, 0.3, 1);
    touch_add_mesh(&q->touch,
                   touch_shape(PAL_SHAPE_BOX, pal_vec3(1, 1, 1), (int32_t[]){1, 1, 1},
                               PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 5)),
                   1, 0.3, 1);
    q->touch.bodies[0].element = PAL_ELEMENT_H8;
    touch_start(&q->touch);
    const PalModel *model = pal_sim_model(q->touch.run);
    check_ok(pal_contact_surface_create(model, &q->surface, &error), &error);
    assert_int_equal(q->surface->vertex_object[OVER], 1);
    pal_contact_surface_place(q->surface, model, NULL, NULL);
    q->rule = (PalClosestRule){q->surface, GAP, NULL, false};
    return q;
}

static void end(Quad *q)
{
    pal_contact_surface_destroy(q->surface);
    touch_end(&q->touch);
    free(q);
}

static bool is_top(const PalContactSurface *surface, int32_t facet)
{
    bool top = surface->facet_object[facet] == 0;
    for (int k = 0; k < 3; ++k)
        top = top && surface->start[surface->facets[facet][k]].z > TOP - 0.1;
    return top;
}

// The gap of the vertex to the half of the top that is nearest.
static PalGap gap_from(Quad *q, PalVec3 at)
{
    const PalContactSurface *surface = q->surface;
    PalGap found = {.distance = -1};
    surface->start[OVER] = at;
    for (int32_t f = 0; f < surface->soft_facet_count; ++f) {
        const int32_t *v = surface->facets[f];
        if (!is_top(surface, f))
            continue;
        PalFeatures features = {.kind = PAL_CONTACT_NODE_FACET,
                                .items = {OVER, f},
                                .vertices = {OVER, v[0], v[1], v[2]}};
        PalGap gap;
        pal_gap_closest(&q->rule, &features, &gap);
        if (gap.minimum && (found.distance < 0 || gap.distance < found.distance))
            found = gap;
    }
    assert_true(found.distance > 0);
    return found;
}

static double weight_of(const PalGap *gap, const PalVec3 *x, double u, double v)
{
    double sum = 0;
    for (int k = 1; k < gap->count; ++k)
        if (fabs(x[gap->vertices[k]].x - u) < 1e-9 && fabs(x[gap->vertices[k]].y - v) < 1e-9)
            sum -= gap->weights[k];
    return sum;
}

static void a_flat_one_bears_by_its_shape_functions(void **state)
{
    (void)state;
    Quad *q = begin();
    for (int i = 0; i < 81; ++i) {
        double s = 0.1 + i % 9 * 0.1, t = 0.1 + i / 9 * 0.1;
        PalGap gap = gap_from(q, pal_vec3(s * WIDTH, t * DEPTH, TOP + GAP));
        const PalVec3 *x = q->surface->start;
        check_near(weight_of(&gap, x, 0, 0), (1 - s) * (1 - t), 1e-12);
        check_near(weight_of(&gap, x, WIDTH, 0), s * (1 - t), 1e-12);
        check_near(weight_of(&gap, x, WIDTH, DEPTH), s * t, 1e-12);
        check_near(weight_of(&gap, x, 0, DEPTH), (1 - s) * t, 1e-12);
        check_near(gap.along, GAP, 1e-15);
        check_near(gap.normal.z, 1, 1e-15);
    }
    end(q);
}

// Whatever the shape, forces have no resultant and no torque; and a bent one changes from all four
// corners to the three of its half without a jump.
static void a_bent_one_keeps_momentum(void **state)
{
    (void)state;
    Quad *q = begin();
    int32_t corner = PAL_NONE, used = 0;
    for (int32_t v = 0; v < OVER; ++v)
        if (pal_vec3_distance(q->surface->start[v], pal_vec3(WIDTH, DEPTH, TOP)) < 1e-9)
            corner = v;
    double last[OVER + 1] = {0};  // per vertex
    for (int i = 0; i <= 60; ++i) {
        q->surface->start[corner].z = TOP + 0.05 * GAP * i;
        PalGap gap = gap_from(q, pal_vec3(0.3, 0.5, TOP + 2 * GAP));
        PalVec3 apart = pal_gap_apart(&gap, q->surface->start);
        double sum = 0, now[OVER + 1] = {0};
        used = 0;
        for (int k = 0; k < gap.count; ++k) {
            sum += gap.weights[k];
            used += gap.weights[k] != 0;
            now[gap.vertices[k]] += gap.weights[k];
        }
        for (int32_t v = 0; v <= OVER && i > 0; ++v)
            check_near(now[v], last[v], 0.01);
        memcpy(last, now, sizeof last);
        if (i == 0)
            assert_int_equal(used, 5);
        check_near(sum, 0, 1e-15);
        check_near(pal_vec3_length(pal_vec3_cross(apart, gap.normal)), 0, 1e-16);
        check_near(pal_vec3_dot(apart, gap.normal), gap.along, 1e-16);
        check_near(gap.along, gap.distance, 0.26 * GAP);
    }
    assert_int_equal(used, 4);
    end(q);
}

// Three corners in a line: cut the other way, one half has no area.
static void a_flattened_one_is_two_triangles(void **state)
{
    (void)state;
    Quad *q = begin();
    for (int32_t v = 0; v < OVER; ++v)
        if (pal_vec3_distance(q->surface->start[v], pal_vec3(0, 0, TOP)) < 1e-9)
            q->surface->start[v] = pal_vec3(WIDTH / 2, DEPTH / 2, TOP);
    PalGap gap = gap_from(q, pal_vec3(0.7 * WIDTH, 0.6 * DEPTH, TOP + GAP));
    double sum = 0;
    for (int k = 0; k < gap.count; ++k)
        sum += gap.weights[k];
    check_near(sum, 0, 1e-15);
    check_near(gap.along, GAP, 1e-15);
    check_near(gap.normal.z, 1, 1e-15);
    end(q);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_flat_one_bears_by_its_shape_functions),
    cmocka_unit_test(a_bent_one_keeps_momentum),
    cmocka_unit_test(a_flattened_one_is_two_triangles),
};
CHECK_GROUP(tests, NULL, NULL)
