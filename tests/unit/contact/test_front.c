// Pairs kept from step to step: the same as if they were looked for anew.
#include "base/memory.h"
#include "contact/search/front.h"
#include "surfaces.h"

static Surfaces parts;
static uint64_t random_state;

static double random_number(void)  // in [-1, 1)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

// Two leaves of a book, one above the other where it is folded.
static PalVec3 book(double u, double v, const void *context)
{
    double open = *(const double *)context;
    return pal_vec3(fabs(u - 0.5), v, (u < 0.5 ? -1 : 1) * (0.01 + open * fabs(u - 0.5)));
}

static PalVec3 flat(double u, double v, const void *context)
{
    return pal_vec3(0.6 * u, 0.6 * v, *(const double *)context);
}

// A soft book, a soft sheet over it and a rigid one below.
static PalContactSurface *make(int32_t cells)
{
    double open = 0.3, above = 0.2, below = -0.2;
    memset(&parts, 0, sizeof parts);
    surfaces_add_sheet(&parts, 2 * cells, cells, book, &open);
    surfaces_add_sheet(&parts, cells, cells, flat, &above);
    surfaces_add_sheet(&parts, cells, cells, flat, &below);
    return surfaces_build(&parts, 2);
}

static const bool allowed[9] = {true, true, true, true, true, true, true, true, false};

// The sheets come together over a corner, with some noise.
static void move(PalContactSurface *surface, double size)
{
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        PalVec3 at = surface->start[v] = surface->end[v];
        double corner = exp(-8 * (at.x * at.x + at.y * at.y));
        double noise[3] = {random_number(), random_number(), random_number()};
        bool rigid = v >= surface->soft_vertex_count;
        surface->end[v].x += rigid ? 0 : size * 0.1 * noise[0];
        surface->end[v].y += rigid ? 0 : size * 0.1 * noise[1];
        surface->end[v].z += rigid ? 0.2 * size : size * (0.1 * noise[2] - corner * (at.z > 0));
    }
}

static PalSearch *create(const PalSearchMethod *method, const PalContactDef *def,
                         PalContactSurface *surface)
{
    PalSearch *search = NULL;
    PalError error = {0};
    PalSearchWish wish = {def, allowed, def->separation};
    check_ok(pal_search_create_with(method, &wish, surface, &search, &error), &error);
    return search;
}

static void update(PalSearch *search, PalContactSurface *surface, int32_t threads)
{
    PalMeter meter = {{0}, {0}};
    PalError error = {0};
    check_ok(pal_search_update(search, surface, threads, &meter, &error), &error);
}

static void check_same_list(const PalSearch *a, const PalSearch *b)
{
    assert_int_equal(a->pair_count, b->pair_count);
    for (int32_t p = 0; p < a->pair_count; ++p) {
        assert_int_equal(a->pairs[p].a, b->pairs[p].a);
        assert_int_equal(a->pairs[p].b, b->pairs[p].b);
    }
}

// Makes the whole list for places that are given.
static void make_anew(PalSearch *search, const PalContactSurface *surface, const PalPlace *places)
{
    PalFront *front = search->state->data;
    bool changed;
    memcpy(search->state->places.items, places, (size_t)surface->vertex_count * sizeof *places);
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        pal_front_fit_vertex(front, search, v);
    for (int32_t f = 0; f < surface->facet_count; ++f)
        pal_front_mark(front, f);
    int32_t count = pal_front_refit(front, search, surface);
    assert_int_equal(count, front->volume_count);
    pal_front_divide(front, search->state);
    assert_true(pal_front_find(front, search, surface, count, 1));
    assert_true(pal_front_merge(front, search->state, &changed));
    pal_search_publish(search);
}

static void list_depends_on_places_alone(void **state)
{
    (void)state;
    for (int k = 0; k < 9; ++k) {
        PalContactDef def = pal_contact_def_default();
        def.self_test = (PalSelfTest)(k / 3);
        def.hierarchy = (PalHierarchyKind)(k % 3);
        PalContactSurface *surface = make(8), *at_first = make(8);
        PalSearch *kept = create(&pal_search_front, &def, surface);
        int64_t generations = 0, relists = 0;
        random_state = 7;
        for (int32_t step = 0; step < 60; ++step) {
            move(surface, 0.004);
            update(kept, surface, 1);
            if (kept->generation == generations)
                continue;
            generations = kept->generation;
            ++relists;
            PalSearch *fresh = create(&pal_search_front, &def, at_first);
            make_anew(fresh, at_first, kept->state->places.items);
            check_same_list(kept, fresh);
            pal_search_destroy(fresh);
        }
        assert_true(relists > 5);
        assert_true(relists < 60);
        pal_search_destroy(kept);
        pal_contact_surface_destroy(at_first);
        pal_contact_surface_destroy(surface);
    }
}

// ---- the twin ---------------------------------------------------------------------------

static double greatest_reach(const PalPlace *places, const int32_t *facet, PalVec3 way)
{
    double most = -INFINITY;
    for (int k = 0; k < 3; ++k)
        most = fmax(most, pal_vec3_dot(way, places[facet[k]].centre) + places[facet[k]].radius);
    return most;
}

static bool plane_between(const PalSearch *search, const PalContactSurface *surface, int32_t f,
                          int32_t g)
{
    const PalPlace *places = search->state->places.items;
    for (int side = 0; side < 2; ++side) {
        const int32_t *p = surface->facets[side == 0 ? f : g];
        PalVec3 way = pal_vec3_normalise(
            pal_vec3_cross(pal_vec3_sub(places[p[1]].centre, places[p[0]].centre),
                           pal_vec3_sub(places[p[2]].centre, places[p[0]].centre)));
        PalVec3 back = pal_vec3_scale(-1, way);
        double apart = fmax(-greatest_reach(places, surface->facets[g], way) -
                                greatest_reach(places, surface->facets[f], back),
                            -greatest_reach(places, surface->facets[f], way) -
                                greatest_reach(places, surface->facets[g], back));
        if (apart > 0.999 * search->margin)
            return true;
    }
    return false;
}

// Without patches, the list is the sweep's but for pairs that a plane keeps apart.
static void front_agrees_with_sweep(void **state)
{
    (void)state;
    PalContactDef def = pal_contact_def_default();
    def.self_test = PAL_SELF_TEST_EXHAUSTIVE;
    PalContactSurface *surface = make(8);
    random_state = 3;
    int32_t left_out = 0;
    for (int32_t step = 0; step < 20; ++step) {
        move(surface, 0.01);
        PalSearch *front = create(&pal_search_front, &def, surface);
        PalSearch *plain = create(&pal_search_plain, &def, surface);
        update(front, surface, 1);
        update(plain, surface, 1);
        int32_t next = 0;
        for (int32_t p = 0; p < plain->pair_count; ++p) {
            PalFacetPair pair = plain->pairs[p];
            if (next < front->pair_count && front->pairs[next].a == pair.a &&
                front->pairs[next].b == pair.b) {
                ++next;
                continue;
            }
            assert_true(plane_between(front, surface, pair.a, pair.b));
            ++left_out;
        }
        assert_int_equal(next, front->pair_count);
        pal_search_destroy(front);
        pal_search_destroy(plain);
    }
    assert_true(left_out > 0);
    pal_contact_surface_destroy(surface);
}

// ---- threads, memory, quiet -------------------------------------------------------------

static void threads_make_no_difference(void **state)
{
    (void)state;
    PalContactDef def = pal_contact_def_default();
    PalContactSurface *surface = make(28);
    PalSearch *alone = create(&pal_search_front, &def, surface);
    PalSearch *shared = create(&pal_search_front, &def, surface);
    random_state = 5;
    for (int32_t step = 0; step < 10; ++step) {
        move(surface, 0.004);
        update(alone, surface, 1);
        update(shared, surface, 3);
        check_same_list(alone, shared);
        assert_int_equal(alone->generation, shared->generation);
    }
    const PalFront *front = shared->state->data;
    assert_int_equal(front->worker_count, 3);
    pal_search_destroy(alone);
    pal_search_destroy(shared);
    pal_contact_surface_destroy(surface);
}

// Lists that have been as long as they get have their room.
static void nothing_is_allocated_when_warm(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        PalContactDef def = pal_contact_def_default();
        def.update = (PalUpdateKind)k;
        PalContactSurface *surface = make(8);
        PalSearch *search = create(k == 0 ? &pal_search_front : &pal_search_trees, &def, surface);
        size_t bytes = (size_t)surface->vertex_count * sizeof *surface->end;
        PalVec3 *first = malloc(bytes);
        memcpy(first, surface->end, bytes);
        int64_t before = 0, cold = pal_alloc_count();
        for (int32_t step = 0; step < 90; ++step) {
            if (step % 30 == 0) {  // the same all over again
                random_state = 5;
                memcpy(surface->end, first, bytes);
            }
            if (step == 60)
                before = pal_alloc_count();
            move(surface, 0.004);
            update(search, surface, 1);
        }
        assert_true(before > cold);
        assert_int_equal(pal_alloc_count(), before);
        free(first);
        pal_search_destroy(search);
        pal_contact_surface_destroy(surface);
    }
}

// What moves far from anything else leaves the list as it is.
static void far_motion_is_not_told(void **state)
{
    (void)state;
    PalContactDef def = pal_contact_def_default();
    PalContactSurface *surface = make(8);
    for (int32_t v = surface->object_first_vertex[1]; v < surface->object_first_vertex[2]; ++v)
        surface->start[v].z = surface->end[v].z += 10;
    PalSearch *search = create(&pal_search_front, &def, surface);
    update(search, surface, 1);
    int64_t generation = search->generation;
    assert_true(search->pair_count > 0);
    for (int32_t step = 0; step < 50; ++step) {
        for (int32_t v = surface->object_first_vertex[1]; v < surface->object_first_vertex[2];
             ++v) {
            surface->start[v] = surface->end[v];
            surface->end[v].z += 0.001;
        }
        update(search, surface, 1);
        assert_true(pal_search_covers(search, surface, NULL, surface->vertex_count));
    }
    assert_int_equal(search->generation, generation);
    pal_search_destroy(search);
    pal_contact_surface_destroy(surface);
}

static void position_that_is_no_number_is_an_error(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        PalContactDef def = pal_contact_def_default();
        def.update = (PalUpdateKind)k;
        PalContactSurface *surface = make(4);
        PalSearch *search = create(k == 0 ? &pal_search_front : &pal_search_trees, &def, surface);
        update(search, surface, 1);
        surface->end[17].y = NAN;
        PalMeter meter = {{0}, {0}};
        PalError error = {0};
        assert_int_equal(pal_search_update(search, surface, 1, &meter, &error), PAL_SIM_FAILED);
        assert_non_null(strstr(error.text, "vertex 17"));
        pal_search_destroy(search);
        pal_contact_surface_destroy(surface);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(list_depends_on_places_alone),
    cmocka_unit_test(front_agrees_with_sweep),
    cmocka_unit_test(threads_make_no_difference),
    cmocka_unit_test(nothing_is_allocated_when_warm),
    cmocka_unit_test(far_motion_is_not_told),
    cmocka_unit_test(position_that_is_no_number_is_an_error),
};
CHECK_GROUP(tests, NULL, NULL)
