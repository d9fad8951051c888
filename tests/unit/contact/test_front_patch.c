// When a patch cannot touch itself.
#include "contact/search/front_patch.h"
#include "math/vec3.h"

#include "check.h"

#define PI 3.14159265358979323846

enum { MOST = 64 };

typedef struct Fan {
    int32_t vertex_count, facet_count, rim_count;
    PalPlace places[MOST];
    int32_t facets[MOST][3];
    int32_t rim[MOST];
    int32_t order[MOST];
    PalLean leans[MOST];
} Fan;

static int32_t add(Fan *fan, double x, double y, double z, double radius)
{
    fan->places[fan->vertex_count] = (PalPlace){{x, y, z}, radius};
    return fan->vertex_count++;
}

static void add_facet(Fan *fan, int32_t a, int32_t b, int32_t c)
{
    int32_t *corners = fan->facets[fan->facet_count++];
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
}

static bool is_free(Fan *fan, PalVec3 direction)
{
    PalPlaces places = {.count = fan->vertex_count, .items = fan->places};
    for (int32_t f = 0; f < fan->facet_count; ++f) {
        fan->order[f] = f;
        fan->leans[f] = pal_lean_of(&places, fan->facets[f]);
    }
    PalPatch patch = {fan->facet_count, fan->order, fan->leans, fan->rim_count, fan->rim};
    double flat[MOST][3];
    int32_t witness = 0;
    return pal_patch_faces(&patch, &direction, &witness) &&
           pal_patch_rim_is_simple(&patch, &places, direction, flat);
}

// A wheel whose rim goes round `turns` times, with `height` up and down along it.
static Fan wheel(int32_t spokes, int32_t turns, double height, double radius)
{
    Fan fan = {0};
    add(&fan, 0, 0, 0, radius);
    for (int32_t i = 0; i < spokes; ++i) {
        double angle = 2 * PI * turns * i / spokes;
        add(&fan, cos(angle), sin(angle), height * sin(angle / turns), radius);
        fan.rim[fan.rim_count++] = 1 + i;
        add_facet(&fan, 0, 1 + i, 1 + (i + 1) % spokes);
    }
    return fan;
}

static const PalVec3 up = {0, 0, 1};

static void flat_wheel_is_free(void **state)
{
    (void)state;
    Fan fan = wheel(6, 1, 0, 0.05);
    assert_true(is_free(&fan, up));
}

static void direction_is_found(void **state)
{
    (void)state;
    Fan fan = wheel(6, 1, 0.3, 0.02);
    assert_true(is_free(&fan, pal_vec3(0.9, 0, 0.5)));
}

static void seen_from_behind_is_not(void **state)
{
    (void)state;
    Fan fan = wheel(6, 1, 0, 0.05);
    assert_false(is_free(&fan, pal_vec3(0, 0, -1)));
}

// All normals are within a few degrees of each other, and every edge of the rim goes the right
// way round: only the number of turns tells that the surface passes through itself.
static void wheel_that_turns_twice_is_not(void **state)
{
    (void)state;
    Fan fan = wheel(12, 2, 0.1, 1e-6);
    PalPlaces places = {.count = fan.vertex_count, .items = fan.places};
    for (int32_t f = 0; f < fan.facet_count; ++f)
        assert_true(pal_lean_of(&places, fan.facets[f]).normal.z > 0.95);
    assert_false(is_free(&fan, up));
}

static void places_as_large_as_facets_are_not(void **state)
{
    (void)state;
    Fan fan = wheel(6, 1, 0, 0.45);
    assert_false(is_free(&fan, up));
}

static void facet_without_area_is_not(void **state)
{
    (void)state;
    Fan fan = wheel(6, 1, 0, 0.01);
    fan.places[2].centre = fan.places[1].centre;
    assert_false(is_free(&fan, up));
}

static void position_that_is_no_number_is_not(void **state)
{
    (void)state;
    Fan fan = wheel(6, 1, 0, 0.01);
    fan.places[3].centre.x = NAN;
    assert_false(is_free(&fan, up));
}

// A strip of squares along a path in the plane.
static Fan strip(int32_t squares, PalVec3 (*path)(double t, double side), double radius)
{
    Fan fan = {0};
    for (int32_t i = 0; i <= squares; ++i) {
        for (int32_t s = 0; s < 2; ++s) {
            PalVec3 at = path((double)i / squares, s);
            add(&fan, at.x, at.y, at.z, radius);
        }
    }
    for (int32_t i = 0; i < squares; ++i) {
        add_facet(&fan, 2 * i, 2 * i + 1, 2 * i + 3);
        add_facet(&fan, 2 * i, 2 * i + 3, 2 * i + 2);
    }
    for (int32_t i = 0; i <= squares; ++i)
        fan.rim[fan.rim_count++] = 2 * i + 1;
    for (int32_t i = squares; i >= 0; --i)
        fan.rim[fan.rim_count++] = 2 * i;
    return fan;
}

// Part of a ring: not a star about any point near its middle.
static PalVec3 horseshoe(double t, double side)
{
    double angle = 1.8 * PI * t;
    return pal_vec3((1 + 0.4 * side) * cos(angle), (1 + 0.4 * side) * sin(angle), 0);
}

// More than a whole turn, as a ramp: normals are nearly parallel, its ends lie above each other.
static PalVec3 ramp(double t, double side)
{
    double angle = 2.2 * PI * t;
    return pal_vec3((1 + 0.4 * side) * cos(angle), (1 + 0.4 * side) * sin(angle), 0.1 * t);
}

static void horseshoe_is_free(void **state)
{
    (void)state;
    Fan fan = strip(20, horseshoe, 0.01);
    assert_true(is_free(&fan, up));
}

static void ends_that_may_meet_are_not(void **state)
{
    (void)state;
    Fan fan = strip(20, horseshoe, 0.01);
    for (int32_t v = 0; v < 2; ++v)
        fan.places[v].radius = fan.places[fan.vertex_count - 1 - v].radius = 0.4;
    PalPlaces places = {.count = fan.vertex_count, .items = fan.places};
    PalPatch patch = {.rim_count = fan.rim_count, .rim = fan.rim};
    double flat[MOST][3];
    assert_false(pal_patch_rim_is_simple(&patch, &places, up, flat));
}

static void ramp_is_not(void **state)
{
    (void)state;
    Fan fan = strip(30, ramp, 0.001);
    assert_false(is_free(&fan, up));
}

// The bound on how far a normal turns holds for any motion, and is reached up to a small factor.
static void normals_lean_no_more_than_told(void **state)
{
    (void)state;
    uint64_t random = 12345;
    double most = 0;
    for (int32_t trial = 0; trial < 20000; ++trial) {
        double numbers[24];
        for (int32_t i = 0; i < 24; ++i) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            numbers[i] = (double)(random >> 11) / (double)(UINT64_C(1) << 53) - 0.5;
        }
        PalPlace items[3];
        PalVec3 moved[3];
        double radius = 0.05 * (numbers[18] + 0.5);
        for (int32_t a = 0; a < 3; ++a) {
            items[a] = (PalPlace){{numbers[3 * a], numbers[3 * a + 1], numbers[3 * a + 2]}, radius};
            PalVec3 way = {numbers[9 + 3 * a], numbers[10 + 3 * a], numbers[11 + 3 * a]};
            moved[a] = pal_vec3_add_scaled(items[a].centre, radius, pal_vec3_normalise(way));
        }
        PalPlaces places = {.count = 3, .items = items};
        PalLean lean = pal_lean_of(&places, (int32_t[]){0, 1, 2});
        if (lean.sine >= 1)
            continue;
        PalVec3 now = pal_vec3_normalise(
            pal_vec3_cross(pal_vec3_sub(moved[1], moved[0]), pal_vec3_sub(moved[2], moved[0])));
        double sine = pal_vec3_length(pal_vec3_cross(now, lean.normal));
        assert_true(pal_vec3_dot(now, lean.normal) > 0);
        assert_true(sine <= lean.sine);
        most = fmax(most, sine / lean.sine);
    }
    assert_true(most > 0.5);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(flat_wheel_is_free),
    cmocka_unit_test(direction_is_found),
    cmocka_unit_test(seen_from_behind_is_not),
    cmocka_unit_test(wheel_that_turns_twice_is_not),
    cmocka_unit_test(places_as_large_as_facets_are_not),
    cmocka_unit_test(facet_without_area_is_not),
    cmocka_unit_test(position_that_is_no_number_is_not),
    cmocka_unit_test(horseshoe_is_free),
    cmocka_unit_test(ends_that_may_meet_are_not),
    cmocka_unit_test(ramp_is_not),
    cmocka_unit_test(normals_lean_no_more_than_told),
};
CHECK_GROUP(tests, NULL, NULL)
