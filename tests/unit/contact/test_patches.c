// Patches bound how much nearer points come, however far they go.
#include "alone.h"
#include "contact/response/lagrange/patches.h"
#include "random_material.h"

static const double STEP = 1e-3;

typedef struct Field {
    PalVec3 along, turn, stretch;
    double noise;
    uint64_t seed;
} Field;

static PalVec3 random_vector(double size, uint64_t *seed)
{
    return pal_vec3(random_between(-size, size, seed), random_between(-size, size, seed),
                    random_between(-size, size, seed));
}

// Two balls and a blade, so that there are soft and rigid patches.
static void begin(Alone *s)
{
    Touch bodies = touch_nothing(1);
    for (int i = 0; i < 2; ++i)
        touch_add_mesh(&bodies,
                       touch_shape(PAL_SHAPE_SPHERE, pal_vec3(0.4, 0.4, 0.4), (int32_t[]){6, 0, 0},
                                   PAL_CELL_TETRAHEDRON, pal_vec3(0, 0, 0.9 * i)),
                       100, 0.3, 1);
    touch_add_rigid(&bodies,
                    touch_shape(PAL_SHAPE_BOX, pal_vec3(0.5, 0.05, 0.6), (int32_t[]){1, 1, 1},
                                PAL_CELL_TRIANGLE, pal_vec3(1, 0, 0)));
    alone_start(s, &bodies);
    const PalContactPairDef pairs[] = {{{0, 1}, 0}, {{0, 2}, 0}};
    PalContactDef def = pal_contact_def_default();
    def.pair_count = 2;
    def.pairs = pairs;
    alone_touch(s, &(PalContactSetup){.def = &def});
}

static PalContactSurface *begin_patches(Alone *s, PalPatches *patches)
{
    PalError error = {0};
    begin(s);
    check_ok(pal_patches_create(patches, s->contact->surface, &error), &error);
    return s->contact->surface;
}

static void set_velocities(Alone *s, Field *field)
{
    for (int32_t n = 0; n < s->model->node_count; ++n) {
        PalVec3 x = s->model->nodes[n];
        PalVec3 v = pal_vec3_add(field->along, pal_vec3_cross(field->turn, x));
        v = pal_vec3_add(
            v, pal_vec3(field->stretch.x * x.x, field->stretch.y * x.y, field->stretch.z * x.z));
        s->velocity[n] = pal_vec3_add(v, random_vector(field->noise, &field->seed));
    }
}

// The blade flies and turns about its middle.
static void move(Alone *s, PalVec3 way, PalVec3 turn)
{
    PalRigidState blade = pal_sim_state(s->bodies.run)->rigids[0];
    blade.pose.pivot = blade.pose.centre = pal_vec3(1, 0, 0);
    blade.next = blade.pose;
    blade.next.centre = pal_vec3_add(blade.next.centre, way);
    if (pal_vec3_length(turn) > 0)
        blade.next.rotation = pal_rotation_about(turn, pal_vec3_length(turn));
    PalSurfaceMotion motion = {
        .model = s->model,
        .displacement = s->displacement,
        .velocity = s->velocity,
        .rigids = &blade,
        .step = STEP,
    };
    pal_contact_surface_move(s->contact->surface, &motion);
}

static void every_vertex_is_in_one_patch(void **state)
{
    (void)state;
    Alone s;
    PalPatches patches;
    const PalContactSurface *surface = begin_patches(&s, &patches);
    int32_t *seen = calloc((size_t)surface->vertex_count, sizeof *seen);
    for (int32_t p = 0; p < patches.cut.count; ++p)
        for (int32_t i = patches.cut.vertices.start[p]; i < patches.cut.vertices.start[p + 1];
             ++i) {
            int32_t v = patches.cut.vertices.items[i];
            assert_int_equal(patches.cut.of[v], p);
            assert_int_equal(
                surface->vertex_object[v],
                surface->vertex_object[patches.cut.vertices.items[patches.cut.vertices.start[p]]]);
            ++seen[v];
        }
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        assert_int_equal(seen[v], 1);
    free(seen);
    pal_patches_clear(&patches);
    alone_end(&s);
}

static bool is_around(const PalCut *cut, int32_t patch, int32_t vertex)
{
    for (int32_t k = cut->around.start[patch]; k < cut->around.start[patch + 1]; ++k)
        if (cut->around.items[k] == vertex)
            return true;
    return false;
}

// Around a patch is what its vertices, facets and edges have, and nothing else.
static void around_a_patch_is_what_it_has(void **state)
{
    (void)state;
    Alone s;
    PalPatches patches;
    const PalContactSurface *surface = begin_patches(&s, &patches);
    const PalCut *cut = &patches.cut;
    size_t vertices = (size_t)surface->vertex_count;
    bool *has = calloc(vertices * (size_t)cut->count, sizeof *has);
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        has[(size_t)cut->of[v] * vertices + (size_t)v] = true;
    for (int32_t f = 0; f < surface->facet_count; ++f)
        for (int k = 0; k < 3; ++k)
            has[(size_t)cut->facet_of[f] * vertices + (size_t)surface->facets[f][k]] = true;
    for (int32_t e = 0; e < surface->edge_count; ++e)
        for (int k = 0; k < 2; ++k)
            has[(size_t)cut->edge_of[e] * vertices + (size_t)surface->edges[e][k]] = true;
    for (int32_t p = 0; p < cut->count; ++p)
        for (int32_t v = 0; v < surface->vertex_count; ++v)
            assert_int_equal(is_around(cut, p, v), has[(size_t)p * vertices + (size_t)v]);
    free(has);
    pal_patches_clear(&patches);
    alone_end(&s);
}

// A facet is in a patch that has most of its corners, an edge in one that has one of its ends.
static void facets_are_where_most_of_their_corners_are(void **state)
{
    (void)state;
    Alone s;
    PalPatches patches;
    const PalContactSurface *surface = begin_patches(&s, &patches);
    const PalCut *cut = &patches.cut;
    int32_t spread = 0;
    for (int32_t f = 0; f < surface->facet_count; ++f) {
        const int32_t *c = surface->facets[f];
        int32_t own = 0;
        for (int k = 0; k < 3; ++k)
            own += cut->of[c[k]] == cut->facet_of[f];
        bool apart = cut->of[c[0]] != cut->of[c[1]] && cut->of[c[1]] != cut->of[c[2]] &&
                     cut->of[c[2]] != cut->of[c[0]];
        assert_true(own >= (apart ? 1 : 2));
        spread += own < 3;
    }
    assert_true(spread > 0);
    for (int32_t e = 0; e < surface->edge_count; ++e)
        assert_true(cut->edge_of[e] == cut->of[surface->edges[e][0]] ||
                    cut->edge_of[e] == cut->of[surface->edges[e][1]]);
    pal_patches_clear(&patches);
    alone_end(&s);
}

// No two vertices around their patches come nearer by more than the bound.
static void check_bound(PalContactSurface *surface, PalPatches *patches, int32_t a, int32_t b)
{
    double bound = pal_patches_nearer(patches, surface, a, b);
    const int32_t *start = patches->cut.around.start, *items = patches->cut.around.items;
    for (int32_t i = start[a]; i < start[a + 1]; ++i)
        for (int32_t j = start[b]; j < start[b + 1]; ++j) {
            int32_t v = items[i], w = items[j];
            double before = pal_vec3_distance(surface->start[v], surface->start[w]);
            double after = pal_vec3_distance(surface->end[v], surface->end[w]);
            assert_true(before - after <= bound);
        }
}

static void points_come_nearer_by_no_more(void **state)
{
    (void)state;
    Alone s;
    PalPatches patches;
    PalContactSurface *surface = begin_patches(&s, &patches);
    Field field = {.seed = 7};
    for (int k = 0; k < 120; ++k) {  // long enough for spins to be found, and to be others then
        field.along = random_vector(10, &field.seed);
        field.turn = random_vector(k % 3 == 0 ? 5 : 0, &field.seed);
        field.stretch = random_vector(k % 4 == 0 ? 1 : 0, &field.seed);
        field.noise = k % 2 == 0 ? 0.5 : 0;
        set_velocities(&s, &field);
        move(&s, random_vector(0.02, &field.seed),
             random_vector(k % 5 == 0 ? 0.5 : 0, &field.seed));
        pal_contact_surface_place_all(surface);
        pal_patches_begin(&patches);
        for (int32_t a = 0; a < patches.cut.count; ++a)
            for (int32_t b = a; b < patches.cut.count; b += 3)
                check_bound(surface, &patches, a, b);
    }
    pal_patches_clear(&patches);
    alone_end(&s);
}

// What flies together does not come nearer at all.
static void what_moves_alike_comes_no_nearer(void **state)
{
    (void)state;
    Alone s;
    PalPatches patches;
    begin_patches(&s, &patches);
    Field field = {.along = {100, -200, 300}};
    set_velocities(&s, &field);
    move(&s, pal_vec3(0, 0, 0), pal_vec3(0, 0, 0));
    pal_patches_begin(&patches);
    int32_t last = patches.cut.of[s.contact->surface->soft_vertex_count - 1];
    for (int32_t p = 0; p <= last; ++p)
        assert_true(pal_patches_nearer(&patches, s.contact->surface, 0, p) < 1e-12);
    pal_patches_clear(&patches);
    alone_end(&s);
}

// Nor what turns together, once it is known to turn: the blade by a turn as large, but for what a
// turn is shorter than its arc.
static void what_turns_alike_comes_no_nearer(void **state)
{
    (void)state;
    Alone s;
    PalPatches patches;
    PalContactSurface *surface = begin_patches(&s, &patches);
    Field field = {.along = {100, -200, 300}, .turn = {30, -50, 40}};
    set_velocities(&s, &field);
    PalVec3 turn = pal_vec3_scale(STEP, field.turn), centre = pal_vec3(1, 0, 0);
    PalVec3 way =
        pal_vec3_scale(STEP, pal_vec3_add(field.along, pal_vec3_cross(field.turn, centre)));
    move(&s, way, turn);
    pal_contact_surface_place_all(surface);
    for (int k = 0; k < 40; ++k) {
        pal_patches_begin(&patches);
        for (int32_t p = 0; p < patches.cut.count; ++p)
            pal_patches_nearer(&patches, surface, p, p);
    }
    int32_t last = patches.cut.of[surface->soft_vertex_count - 1];
    for (int32_t p = 0; p <= last; ++p)
        assert_true(pal_patches_nearer(&patches, surface, 0, p) < 1e-12);
    double angle = pal_vec3_length(turn);
    for (int32_t p = last + 1; p < patches.cut.count; ++p)
        assert_true(pal_patches_nearer(&patches, surface, 0, p) < angle * angle);
    pal_patches_clear(&patches);
    alone_end(&s);
}

// What is told of a vertex counts for all patches it is around, until the next step or correction,
// and the largest number counts.
static void what_is_told_of_a_vertex_counts_around_it(void **state)
{
    (void)state;
    Alone s;
    PalPatches patches;
    PalContactSurface *surface = begin_patches(&s, &patches);
    pal_patches_begin(&patches);
    for (int32_t v = 0; v < surface->vertex_count; v += 7) {
        pal_patches_correct(&patches);
        pal_patches_tell(&patches, &patches.shift, v, 0.5);
        pal_patches_tell(&patches, &patches.shift, v, 0.2);
        assert_true(pal_patches_most(&patches.shift, patches.cut.of[v]) == 0.5);
        const PalLists *edges = &surface->vertex_edges;
        for (int32_t i = edges->start[v]; i < edges->start[v + 1]; ++i) {
            int32_t patch = patches.cut.edge_of[edges->items[i]];
            assert_true(pal_patches_most(&patches.shift, patch) == 0.5);
        }
        for (int32_t f = 0; f < surface->facet_count; ++f) {
            const int32_t *c = surface->facets[f];
            if (c[0] == v || c[1] == v || c[2] == v)
                assert_true(pal_patches_most(&patches.shift, patches.cut.facet_of[f]) == 0.5);
        }
        int32_t told = 0;
        for (int32_t p = 0; p < patches.cut.count; ++p)
            told += pal_patches_most(&patches.shift, p) > 0;
        assert_in_range(told, 1, 1 + edges->start[v + 1] - edges->start[v]);
        assert_true(pal_patches_most(&patches.less, patches.cut.of[v]) == 0);
    }
    pal_patches_begin(&patches);
    for (int32_t p = 0; p < patches.cut.count; ++p)
        assert_true(pal_patches_most(&patches.shift, p) == 0);
    pal_patches_clear(&patches);
    alone_end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_vertex_is_in_one_patch),
    cmocka_unit_test(around_a_patch_is_what_it_has),
    cmocka_unit_test(facets_are_where_most_of_their_corners_are),
    cmocka_unit_test(points_come_nearer_by_no_more),
    cmocka_unit_test(what_moves_alike_comes_no_nearer),
    cmocka_unit_test(what_turns_alike_comes_no_nearer),
    cmocka_unit_test(what_is_told_of_a_vertex_counts_around_it),
};

CHECK_GROUP(tests, NULL, NULL)
