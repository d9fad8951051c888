// Where the distance between two surfaces has a local minimum, and along which normal: rims, sharp
// and flat edges, edges that cross.
#include "contact/gap/closest.h"
#include "surfaces.h"

static const double SEPARATION = 0.01;

typedef struct Pair {
    Surfaces parts;
    PalContactSurface *surface;
    PalClosestRule rule;
} Pair;

// Two facets that share the edge of a part's first two vertices.
static void add_fold(Pair *p, PalVec3 from, PalVec3 to, PalVec3 right, PalVec3 left)
{
    const PalVec3 at[4] = {from, to, right, left};
    surfaces_begin_part(&p->parts);
    for (int k = 0; k < 4; ++k)
        surfaces_add_vertex(&p->parts, at[k]);
    surfaces_add_facet(&p->parts, 0, 2, 1);
    surfaces_add_facet(&p->parts, 0, 1, 3);
}

// A part whose first vertex looks down at the rest of the scene.
static void add_tip(Pair *p, PalVec3 at)
{
    surfaces_begin_part(&p->parts);
    surfaces_add_vertex(&p->parts, at);
    surfaces_add_vertex(&p->parts, pal_vec3_add(at, pal_vec3(0.1, 0, 1)));
    surfaces_add_vertex(&p->parts, pal_vec3_add(at, pal_vec3(0, 0.1, 1)));
    surfaces_add_facet(&p->parts, 0, 1, 2);
}

static void build(Pair *p)
{
    p->surface = surfaces_build(&p->parts, 2);
    p->rule = (PalClosestRule){p->surface, SEPARATION, NULL, false};
}

static void destroy(Pair *p)
{
    pal_contact_surface_destroy(p->surface);
    free(p);
}

// Looks from the first vertex of the second part at each facet of the first; returns how many
// minima there are, and the last one.
static int look_down(Pair *p, PalGap *found)
{
    int count = 0;
    int32_t vertex = p->parts.first_vertex[1];
    for (int32_t f = 0; f < p->parts.first_facet[1]; ++f) {
        const int32_t *v = p->surface->facets[f];
        PalFeatures features = {PAL_CONTACT_NODE_FACET, {vertex, f}, {vertex, v[0], v[1], v[2]}};
        PalGap gap;
        pal_gap_closest(&p->rule, &features, &gap);
        if (gap.minimum) {
            *found = gap;
            ++count;
        }
    }
    return count;
}

static int32_t edge_of(const PalContactSurface *surface, int32_t a, int32_t b)
{
    for (int32_t e = 0; e < surface->edge_count; ++e) {
        const int32_t *ends = surface->edges[e];
        if ((ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a))
            return e;
    }
    fail_msg("no edge has the ends %d and %d", (int)a, (int)b);
    return PAL_NONE;
}

// A vertex beside the rim of an open surface is nearest to the rim.
static void rims_are_touched(void **state)
{
    (void)state;
    Pair *p = calloc(1, sizeof *p);
    PalVec3 outward = pal_vec3(0.01, -0.01, 0.02);
    add_fold(p, pal_vec3(0, -1, 0), pal_vec3(0, 1, 0), pal_vec3(1, 0, 0), pal_vec3(-1, 0, 0));
    add_tip(p, pal_vec3_add(pal_vec3(0.5, -0.5, 0), outward));
    build(p);
    PalGap gap;
    assert_int_equal(look_down(p, &gap), 1);
    check_near(gap.distance, pal_vec3_length(outward), 1e-15);
    check_near(pal_vec3_distance(gap.apart, outward), 0, 1e-15);
    destroy(p);
}

// Over an edge that is hardly bent, the way apart is straight up; no facet is the right one.
static void flat_edges_are_touched_straight(void **state)
{
    (void)state;
    Pair *p = calloc(1, sizeof *p);
    add_fold(p, pal_vec3(0, -1, 0.1), pal_vec3(0, 1, 0.1), pal_vec3(1, 0, 0), pal_vec3(-1, 0, 0));
    add_tip(p, pal_vec3(0, 0.1, 0.12));
    build(p);
    PalGap gap;
    assert_int_equal(look_down(p, &gap), 1);
    check_near(gap.normal.z, 1, 1e-15);
    check_near(gap.along, 0.02, 1e-15);
    destroy(p);
}

// A little beyond the edge of a table, a vertex still lies on the table; farther out it does not.
static void sharp_edges_belong_to_their_facet(void **state)
{
    (void)state;
    for (int far = 0; far < 2; ++far) {
        Pair *p = calloc(1, sizeof *p);
        add_fold(p, pal_vec3(0, -1, 0), pal_vec3(0, 1, 0), pal_vec3(0, 0, -1), pal_vec3(-1, 0, 0));
        add_tip(p, pal_vec3(far ? 0.02 : 0.003, 0, 0.01));
        build(p);
        PalGap gap;
        assert_int_equal(look_down(p, &gap), 1);
        if (far) {
            check_near(gap.normal.x, 2 * gap.normal.z, 1e-14);
            check_near(gap.along, gap.distance, 1e-15);
        } else {
            check_near(gap.normal.z, 1, 1e-15);
            check_near(gap.along, 0.01, 1e-15);
        }
        destroy(p);
    }
}

// A ridge along y, and another one upside down and turned over it, which crosses it at `y`. `lift`:
// how far its sides stand above its edge.
static bool ridges_touch(double turn, double y, double lift)
{
    Pair *p = calloc(1, sizeof *p);
    PalVec3 along = pal_vec3(sin(turn), cos(turn), 0), across = pal_vec3(cos(turn), -sin(turn), 0);
    PalVec3 middle = pal_vec3(0, y, 0.005), high = pal_vec3(0, 0, lift);
    PalVec3 from = pal_vec3_add_scaled(middle, -0.9, along);
    PalVec3 to = pal_vec3_add_scaled(middle, 1.1, along);
    PalVec3 right = pal_vec3_add(pal_vec3_add(middle, across), high);
    PalVec3 left = pal_vec3_add(pal_vec3_sub(middle, across), high);
    add_fold(p, pal_vec3(0, -1, 0), pal_vec3(0, 1, 0), pal_vec3(1, 0, -1), pal_vec3(-1, 0, -1));
    add_fold(p, from, to, left, right);
    build(p);
    PalFeatures features = {PAL_CONTACT_EDGE_EDGE,
                            {edge_of(p->surface, 0, 1), edge_of(p->surface, 4, 5)},
                            {0, 1, 4, 5}};
    PalGap gap;
    pal_gap_closest(&p->rule, &features, &gap);
    bool touch = gap.minimum;
    destroy(p);
    return touch;
}

static void edges_touch_where_they_cross(void **state)
{
    (void)state;
    assert_true(ridges_touch(1, 0.2, 1));
    assert_true(ridges_touch(0.02, 0.2, 1));
    assert_false(ridges_touch(0.002, 0.2, 1));  // side by side
    assert_true(ridges_touch(1.5, 1 - 1e-3, 1));
    assert_false(ridges_touch(1.5, 1 - 1e-4, 1));  // at the end of one
    assert_false(ridges_touch(1, 0.2, -1));        // its facets come down on the other side
}

// An edge is a ridge if what is behind it falls off by more than half a separation: twice the
// height.
static void edges_are_sharp_flat_or_hollow(void **state)
{
    (void)state;
    static const double heights[] = {100, 0.26, 0.24, 0, -0.26, -100};
    for (int i = 0; i < 6; ++i) {
        Pair *p = calloc(1, sizeof *p);
        double z = heights[i] * SEPARATION;
        add_fold(p, pal_vec3(0, -1, z), pal_vec3(0, 1, z), pal_vec3(1, 0, 0), pal_vec3(-1, 0, 0));
        add_tip(p, pal_vec3(0, 0, 5));
        build(p);
        PalEdgeBend bend = i < 2 ? PAL_EDGE_SHARP : i < 4 ? PAL_EDGE_FLAT : PAL_EDGE_HOLLOW;
        assert_int_equal(pal_edge_bend(&p->rule, edge_of(p->surface, 0, 1)), bend);
        destroy(p);
    }
}

// Seen from either side, the ends of two tips are nearest to each other; that is one gap, not two
// and not none.
static void tips_meet_once(void **state)
{
    (void)state;
    Pair *p = calloc(1, sizeof *p);
    surfaces_begin_part(&p->parts);
    surfaces_add_vertex(&p->parts, pal_vec3(0, 0, 0));
    surfaces_add_vertex(&p->parts, pal_vec3(0.1, 0, -1));
    surfaces_add_vertex(&p->parts, pal_vec3(0, 0.1, -1));
    surfaces_add_facet(&p->parts, 0, 2, 1);
    add_tip(p, pal_vec3(0, 0, 0.02));
    build(p);
    int count = 0;
    for (int side = 0; side < 2; ++side) {
        int32_t vertex = p->parts.first_vertex[side], f = p->parts.first_facet[1 - side];
        const int32_t *v = p->surface->facets[f];
        PalFeatures features = {PAL_CONTACT_NODE_FACET, {vertex, f}, {vertex, v[0], v[1], v[2]}};
        PalGap gap;
        pal_gap_closest(&p->rule, &features, &gap);
        check_near(gap.distance, 0.02, 1e-15);
        assert_false(gap.minimum && gap.soft);
        count += gap.minimum;
    }
    assert_int_equal(count, 1);
    destroy(p);
}

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return 2 * (double)(*seed >> 11) / 9007199254740992.0 - 1;
}

// Whatever is settled without closest points is what closest points say.
static int check_beside(const Pair *p, const PalFeatures *features)
{
    PalGap gap;
    pal_gap_closest(&p->rule, features, &gap);
    bool facet = features->kind == PAL_CONTACT_NODE_FACET;
    uint8_t owned = facet ? pal_facet_owned(p->surface, features->items[1]) : 0;
    bool beside = pal_gap_is_beside(p->surface->start, features->vertices,
                                    pal_kind_split(features->kind), owned, SEPARATION);
    assert_int_equal(beside, gap.beside);
    assert_false(beside && gap.minimum);
    return beside;
}

// Two folds anywhere, at times with edges along each other.
static void what_is_beside_has_no_minimum(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int looked[2] = {0, 0}, beside[2] = {0, 0};
    for (int i = 0; i < 400; ++i) {
        Pair *p = calloc(1, sizeof *p);
        for (int part = 0; part < 2; ++part) {
            PalVec3 at[4];
            for (int k = 0; k < 4; ++k) {
                double x = draw(&seed), y = draw(&seed), z = draw(&seed);
                at[k] = pal_vec3(x, y, z);
            }
            if (i % 8 == 0)
                at[1] = pal_vec3_add_scaled(at[0], 1, pal_vec3(1, 0.003 * part, 0));
            add_fold(p, at[0], at[1], at[2], at[3]);
        }
        build(p);
        for (int32_t f = 0; f < 2; ++f)
            for (int32_t v = 4; v < 8; ++v) {
                const int32_t *c = p->surface->facets[f];
                PalFeatures features = {PAL_CONTACT_NODE_FACET, {v, f}, {v, c[0], c[1], c[2]}};
                beside[0] += check_beside(p, &features);
                ++looked[0];
            }
        for (int32_t a = 0; a < 5; ++a)
            for (int32_t b = 5; b < 10; ++b) {
                const int32_t *e = p->surface->edges[a], *g = p->surface->edges[b];
                PalFeatures features = {PAL_CONTACT_EDGE_EDGE, {a, b}, {e[0], e[1], g[0], g[1]}};
                beside[1] += check_beside(p, &features);
                ++looked[1];
            }
        destroy(p);
    }
    for (int k = 0; k < 2; ++k)
        assert_true(beside[k] > looked[k] / 10 && beside[k] < looked[k] * 9 / 10);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_beside_has_no_minimum),
    cmocka_unit_test(tips_meet_once),
    cmocka_unit_test(rims_are_touched),
    cmocka_unit_test(flat_edges_are_touched_straight),
    cmocka_unit_test(sharp_edges_belong_to_their_facet),
    cmocka_unit_test(edges_touch_where_they_cross),
    cmocka_unit_test(edges_are_sharp_flat_or_hollow),
};
CHECK_GROUP(tests, NULL, NULL)
