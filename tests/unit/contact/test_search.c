// Which facets may touch.
#include "contact/search/method.h"
#include "surfaces.h"

static Surfaces parts;

static PalVec3 flat(double u, double v, const void *context)
{
    return pal_vec3(u, v, *(const double *)context);
}

// Two flat sheets with edges of 0.1, one above the other.
static PalContactSurface *two_sheets(double distance)
{
    double lower = 0;
    memset(&parts, 0, sizeof parts);
    surfaces_add_sheet(&parts, 10, 10, flat, &lower);
    surfaces_add_sheet(&parts, 10, 10, flat, &distance);
    return surfaces_build(&parts, 2);
}

typedef struct Fixture {
    PalContactSurface *surface;
    PalSearch *search;
    PalMeter meter;
    PalError error;
} Fixture;

static Fixture begin_with(const PalContactDef *def, PalContactSurface *surface, const bool *allowed)
{
    Fixture fixture = {.surface = surface};
    check_ok(
        pal_search_create(def, surface, allowed, def->separation, &fixture.search, &fixture.error),
        &fixture.error);
    return fixture;
}

static Fixture begin(PalContactSurface *surface, const bool *allowed)
{
    PalContactDef def = pal_contact_def_default();
    return begin_with(&def, surface, allowed);
}

static void update(Fixture *fixture)
{
    check_ok(
        pal_search_update(fixture->search, fixture->surface, 1, &fixture->meter, &fixture->error),
        &fixture->error);
}

static void end(Fixture *fixture)
{
    pal_search_destroy(fixture->search);
    pal_contact_surface_destroy(fixture->surface);
}

static bool listed(const PalSearch *search, int32_t a, int32_t b)
{
    for (int32_t p = 0; p < search->pair_count; ++p)
        if (search->pairs[p].a == a && search->pairs[p].b == b)
            return true;
    return false;
}

static const bool between[4] = {false, true, true, false};

static void near_facets_are_listed(void **state)
{
    (void)state;
    Fixture fixture = begin(two_sheets(0.001), between);
    update(&fixture);
    assert_true(fixture.search->margin > 0.001);
    for (int32_t f = 0; f < 200; ++f)
        assert_true(listed(fixture.search, f, f + 200));
    end(&fixture);
}

static void far_facets_are_not(void **state)
{
    (void)state;
    Fixture fixture = begin(two_sheets(0.5), between);
    update(&fixture);
    assert_int_equal(fixture.search->pair_count, 0);
    end(&fixture);
}

static void only_allowed_objects(void **state)
{
    (void)state;
    const bool self[4] = {true, false, false, false};
    Fixture fixture = begin(two_sheets(0.005), self);
    update(&fixture);
    for (int32_t p = 0; p < fixture.search->pair_count; ++p)
        assert_true(fixture.search->pairs[p].b < 200);
    end(&fixture);
}

static void pairs_are_sorted(void **state)
{
    (void)state;
    Fixture fixture = begin(two_sheets(0.005), between);
    update(&fixture);
    const PalFacetPair *pairs = fixture.search->pairs;
    for (int32_t p = 0; p < fixture.search->pair_count; ++p) {
        assert_true(pairs[p].a < pairs[p].b);
        if (p > 0)
            assert_true(pairs[p - 1].a < pairs[p].a ||
                        (pairs[p - 1].a == pairs[p].a && pairs[p - 1].b < pairs[p].b));
    }
    end(&fixture);
}

// Moves the ends of a sheet by dz, from where its starts are.
static void move_sheet(PalContactSurface *surface, int32_t sheet, double dz)
{
    for (int32_t v = 121 * sheet; v < 121 * (sheet + 1); ++v) {
        surface->start[v] = surface->end[v];
        surface->end[v].z += dz;
    }
}

static void move_upper(PalContactSurface *surface, double dz)
{
    move_sheet(surface, 1, dz);
}

static void list_changes_only_when_it_must(void **state)
{
    (void)state;
    Fixture fixture = begin(two_sheets(0.3), between);
    update(&fixture);
    int64_t generation = fixture.search->generation;
    move_upper(fixture.surface, -fixture.search->tolerance / 2);
    update(&fixture);
    assert_int_equal(fixture.search->generation, generation);
    for (int32_t step = 0; step < 30; ++step) {
        move_upper(fixture.surface, -0.0095);
        update(&fixture);
    }
    assert_true(fixture.search->generation > generation);
    assert_true(listed(fixture.search, 0, 200));
    end(&fixture);
}

// However slowly they come, and from wherever: what volumes use up of their margin is not promised.
static void check_margin(PalUpdateKind kind, double distance)
{
    PalContactDef def = pal_contact_def_default();
    def.update = kind;
    def.separation = 0.001;
    Fixture fixture = begin_with(&def, two_sheets(distance), between);
    double part = def.separation / 20;
    while ((distance -= 2 * part) > 0) {
        move_sheet(fixture.surface, 0, part);
        move_sheet(fixture.surface, 1, -part);
        update(&fixture);
        // ends may still be moved by the tolerance, and must be known of then
        bool needed = distance < fixture.search->margin || distance < 2 * fixture.search->tolerance;
        for (int32_t f = 0; f < 200 && needed; ++f)
            assert_true(listed(fixture.search, f, f + 200));
    }
    end(&fixture);
}

static void the_margin_holds_for_every_update(void **state)
{
    (void)state;
    const PalUpdateKind kinds[] = {PAL_UPDATE_FRONT, PAL_UPDATE_UPDATE_NODES, PAL_UPDATE_LARSSON,
                                   PAL_UPDATE_EXHAUSTIVE};
    for (int k = 0; k < 4; ++k)
        for (double distance = 0.005; distance < 0.012; distance += 0.0005)
            check_margin(kinds[k], distance);
}

static void one_long_step_is_no_way_through(void **state)
{
    (void)state;
    Fixture fixture = begin(two_sheets(0.3), between);
    update(&fixture);
    move_upper(fixture.surface, -0.6);
    update(&fixture);
    for (int32_t f = 0; f < 200; ++f)
        assert_true(listed(fixture.search, f, f + 200));
    end(&fixture);
}

static void covers_ends_near_the_predicted_ones(void **state)
{
    (void)state;
    Fixture fixture = begin(two_sheets(0.3), between);
    for (int32_t step = 0; step < 20; ++step) {
        move_upper(fixture.surface, -0.0031);
        update(&fixture);
        for (int32_t v = 0; v < 242; ++v)
            fixture.surface->end[v].x += 0.999 * fixture.search->tolerance;
        assert_true(pal_search_covers(fixture.search, fixture.surface, NULL,
                                      fixture.surface->vertex_count));
        for (int32_t v = 0; v < 242; ++v)
            fixture.surface->end[v].x -= 0.999 * fixture.search->tolerance;
    }
    fixture.surface->end[7].y += 1;
    assert_false(
        pal_search_covers(fixture.search, fixture.surface, NULL, fixture.surface->vertex_count));
    end(&fixture);
}

// An end that is no number: the vertex is noted, by each way to make the list.
static void lost_vertices_are_named(void **state)
{
    (void)state;
    static const PalUpdateKind updates[] = {PAL_UPDATE_FRONT, PAL_UPDATE_EXHAUSTIVE};
    for (int i = 0; i < 2; ++i) {
        Fixture fixture = {.surface = two_sheets(0.3)};
        PalContactDef def = pal_contact_def_default();
        def.update = updates[i];
        check_ok(pal_search_create(&def, fixture.surface, between, def.separation, &fixture.search,
                                   &fixture.error),
                 &fixture.error);
        update(&fixture);
        assert_int_equal(fixture.search->lost, PAL_NONE);
        fixture.surface->end[137].y = NAN;
        assert_int_equal(
            pal_search_update(fixture.search, fixture.surface, 1, &fixture.meter, &fixture.error),
            PAL_SIM_FAILED);
        assert_int_equal(fixture.search->lost, 137);
        end(&fixture);
    }
}

// An instrument that rests is not fitted again, but for one that was put elsewhere.
static void what_was_put_elsewhere_is_found_there(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        PalContactDef def = pal_contact_def_default();
        def.update = (PalUpdateKind)kind;
        pal_contact_surface_destroy(two_sheets(0.5));
        Fixture fixture = begin_with(&def, surfaces_build(&parts, 1), between);
        for (int step = 0; step < 3; ++step)
            update(&fixture);
        assert_int_equal(fixture.search->pair_count, 0);
        for (int32_t v = 121; v < 242; ++v)
            fixture.surface->start[v].z = fixture.surface->end[v].z = 0.0001;
        pal_search_forget(fixture.search);
        update(&fixture);
        for (int32_t f = 0; f < 200; ++f)
            assert_true(listed(fixture.search, f, f + 200));
        end(&fixture);
    }
}

static PalVec3 tiny(double u, double v, const void *context)
{
    (void)context;
    return pal_vec3(0.001 * u, 0.001 * v, 0.3);
}

// The margin of the papers goes by soft bodies, however fine an instrument is; search and response
// have the same.
static void instruments_leave_the_margin(void **state)
{
    (void)state;
    double height = 0;
    memset(&parts, 0, sizeof parts);
    surfaces_add_sheet(&parts, 10, 10, flat, &height);
    surfaces_add_sheet(&parts, 10, 10, tiny, NULL);
    PalContactSurface *surface = surfaces_build(&parts, 1);
    double diameter = 0.1 * sqrt(2);
    check_near(pal_search_published_margin(surface), 2 * diameter / 100, 1e-15);
    PalContactDef def = pal_contact_def_default();
    def.response = PAL_RESPONSE_JOHNSEN2012;
    PalSearch *search = NULL;
    PalError error = {0};
    check_ok(pal_search_create(&def, surface, between, def.separation, &search, &error), &error);
    check_near(search->state->published, 2 * diameter / 100, 1e-15);
    pal_search_destroy(search);
    pal_contact_surface_destroy(surface);
    surface = surfaces_build(&parts, 0);  // instruments alone: of those
    check_near(pal_search_published_margin(surface), (diameter + 1e-4 * sqrt(2)) / 100, 1e-15);
    pal_contact_surface_destroy(surface);
}

static void shift(PalVec3 by)
{
    for (int32_t v = 0; v < parts.vertex_count; ++v)
        parts.vertices[v] = pal_vec3_add(parts.vertices[v], by);
}

// Ten million edges away from the origin the list is as short as there, and as quickly found.
static void far_away_is_as_here(void **state)
{
    (void)state;
    int64_t tests[2];
    int32_t pairs[2];
    for (int away = 0; away < 2; ++away) {
        pal_contact_surface_destroy(two_sheets(0.0009765625));
        if (away)
            shift(pal_vec3(1 << 20, -(1 << 20), 1 << 20));
        Fixture fixture = begin(surfaces_build(&parts, 2), between);
        update(&fixture);
        tests[away] = fixture.meter.counters.volume_tests;
        pairs[away] = fixture.search->pair_count;
        for (int32_t f = 0; f < 200; ++f)
            assert_int_equal(listed(fixture.search, f, f + 200), true);
        end(&fixture);
    }
    assert_true(pairs[1] <= pairs[0] + pairs[0] / 20);
    assert_true(tests[1] <= tests[0] + tests[0] / 20);
}

// Keys of pairs come out in order, to their last bit, however many there are.
static void keys_are_sorted(void **state)
{
    (void)state;
    static const int32_t facet_counts[] = {3, 50, 5000, 200000};
    uint64_t seed = 4;
    for (size_t c = 0; c < 4; ++c) {
        PalPairKeys keys = {.facet_count = facet_counts[c]};
        uint64_t limit = (uint64_t)facet_counts[c] * (uint64_t)facet_counts[c], sum = 0;
        const int32_t count = 2000;
        assert_true(pal_pair_keys_reserve(&keys, count));
        for (int32_t i = 0; i < count; ++i) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            keys.now.items[i] = (seed >> 16) % limit;
            sum += keys.now.items[i];
        }
        keys.now.count = count;
        pal_pair_keys_sort(&keys);
        assert_int_equal(keys.now.count, count);
        for (int32_t i = 0; i < count; ++i) {
            assert_true(i == 0 || keys.now.items[i - 1] <= keys.now.items[i]);
            sum -= keys.now.items[i];
        }
        assert_true(sum == 0);
        pal_pair_keys_clear(&keys);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(keys_are_sorted),
    cmocka_unit_test(near_facets_are_listed),
    cmocka_unit_test(far_facets_are_not),
    cmocka_unit_test(only_allowed_objects),
    cmocka_unit_test(pairs_are_sorted),
    cmocka_unit_test(list_changes_only_when_it_must),
    cmocka_unit_test(the_margin_holds_for_every_update),
    cmocka_unit_test(one_long_step_is_no_way_through),
    cmocka_unit_test(covers_ends_near_the_predicted_ones),
    cmocka_unit_test(far_away_is_as_here),
    cmocka_unit_test(lost_vertices_are_named),
    cmocka_unit_test(what_was_put_elsewhere_is_found_there),
    cmocka_unit_test(instruments_leave_the_margin),
};
CHECK_GROUP(tests, NULL, NULL)
