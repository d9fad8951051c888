// Which vertices are inside another object, where facets lie over much of the grid.
#include "check.h"
#include "contact/start/apart.h"
#include "math/vec3.h"

// Two cones of slivers, base to base: `count` around the rim, and loose vertices beside them.
typedef struct Cones {
    int32_t count, first_vertex[4], first_facet[4];
    PalVec3 *start, *normal;
    int32_t (*facets)[3];
    int32_t *owner, *inside;
    double friction[9];
    PalPairs objects;
    PalBounds box[3];
    bool closed[3];
    int32_t holder[3];
    PalContactSurface surface;
    PalApart apart;
} Cones;

static void begin(Cones *cones, int32_t count, const PalVec3 *loose, int32_t loose_count)
{
    int32_t solid = count + 2, total = solid + loose_count;
    *cones = (Cones){
        .count = count,
        .first_vertex = {0, solid, total},
        .first_facet = {0, 2 * count, 2 * count},
        .start = calloc((size_t)total, sizeof *cones->start),
        .normal = calloc((size_t)total, sizeof *cones->normal),
        .facets = calloc((size_t)count * 2, sizeof *cones->facets),
        .owner = calloc((size_t)total, sizeof *cones->owner),
        .inside = calloc((size_t)total, sizeof *cones->inside),
        .friction = {-1, 0, 0, -1},
        .box = {{{-1, -1, -1}, {1, 1, 1}}, {{-1, -1, -1}, {1, 1, 1}}},
        .closed = {true, false},
    };
    for (int32_t i = 0; i < count; ++i) {
        double angle = 2 * acos(-1) * i / count;
        cones->start[i] = pal_vec3(cos(angle), sin(angle), 0);
        int32_t next = (i + 1) % count, sides[2][3] = {{i, next, count}, {next, i, count + 1}};
        memcpy(cones->facets[2 * i], sides, sizeof sides);
    }
    cones->start[count] = pal_vec3(0, 0, 1);
    cones->start[count + 1] = pal_vec3(0, 0, -1);
    memcpy(cones->start + solid, loose, (size_t)loose_count * sizeof *loose);
    cones->surface = (PalContactSurface){
        .object_count = 2,
        .body_count = 2,
        .vertex_count = total,
        .facet_count = 2 * count,
        .facets = cones->facets,
        .start = cones->start,
        .vertex_owner = cones->owner,
        .object_first_vertex = cones->first_vertex,
        .object_first_facet = cones->first_facet,
    };
    cones->objects = (PalPairs){.object_count = 2, .dense = cones->friction};
    cones->apart = (PalApart){.surface = &cones->surface,
                              .objects = &cones->objects,
                              .separation = 1e-3,
                              .normal = cones->normal,
                              .box = cones->box,
                              .closed = cones->closed,
                              .holder = cones->holder,
                              .inside = cones->inside};
}

static void end(Cones *cones)
{
    free(cones->start);
    free(cones->normal);
    free(cones->facets);
    free(cones->owner);
    free(cones->inside);
}

static void look(int32_t count)
{
    static const PalVec3 loose[] = {{0.1, 0.2, 0.3},   {0.6, 0.6, 0.6}, {-0.3, 0.1, -0.5},
                                    {-0.9, 0.1, -0.5}, {0.05, 0, 0.93}, {0, 0.08, -0.97}};
    static const int32_t expected[] = {0, PAL_NONE, 0, PAL_NONE, 0, PAL_NONE};
    Cones cones;
    PalError error = {0};
    begin(&cones, count, loose, 6);
    check_ok(pal_apart_find_inside(&cones.apart, &error), &error);
    for (int i = 0; i < 6; ++i)
        if (cones.inside[count + 2 + i] != expected[i])
            fail_msg("%d slivers: vertex %d is in %d, expected %d", count, i,
                     cones.inside[count + 2 + i], expected[i]);
    end(&cones);
}

static void slivers_are_looked_at(void **state)
{
    (void)state;
    look(50);
    look(3000);
}

// On a grid as fine as the facets, these lie over more cells than an int32_t can count.
static void many_slivers_fit(void **state)
{
    (void)state;
    look(300000);
}

// The same cones once more, as a third object.
static void add_cones(Cones *cones)
{
    int32_t solid = cones->count + 2, total = cones->first_vertex[2], facets = 2 * cones->count;
    static const double friction[9] = {-1, 0, -1, 0, -1, 0, -1, 0, -1};
    cones->start = realloc(cones->start, (size_t)(total + solid) * sizeof *cones->start);
    cones->normal = realloc(cones->normal, (size_t)(total + solid) * sizeof *cones->normal);
    cones->owner = realloc(cones->owner, (size_t)(total + solid) * sizeof *cones->owner);
    cones->inside = realloc(cones->inside, (size_t)(total + solid) * sizeof *cones->inside);
    cones->facets = realloc(cones->facets, (size_t)(2 * facets) * sizeof *cones->facets);
    for (int32_t v = 0; v < solid; ++v) {
        cones->start[total + v] = cones->start[v];
        cones->normal[total + v] = cones->normal[v];
        cones->owner[total + v] = 0;
    }
    for (int32_t f = 0; f < facets; ++f)
        for (int a = 0; a < 3; ++a)
            cones->facets[facets + f][a] = cones->facets[f][a] + total;
    cones->first_vertex[3] = total + solid;
    cones->first_facet[3] = 2 * facets;
    cones->box[2] = cones->box[0];
    cones->closed[2] = true;
    memcpy(cones->friction, friction, sizeof friction);
    cones->objects.object_count = cones->surface.object_count = cones->surface.body_count = 3;
    cones->surface.vertex_count = total + solid;
    cones->surface.facet_count = 2 * facets;
    cones->surface.start = cones->start;
    cones->surface.facets = cones->facets;
    cones->surface.vertex_owner = cones->owner;
    cones->apart.normal = cones->normal;
    cones->apart.inside = cones->inside;
}

// What is inside of two objects counts as inside of the first; what may not touch is not asked.
static void the_first_of_two_counts(void **state)
{
    (void)state;
    static const PalVec3 loose[] = {{0.1, 0.2, 0.3}, {0.6, 0.6, 0.6}};
    Cones cones;
    PalError error = {0};
    begin(&cones, 50, loose, 2);
    add_cones(&cones);
    check_ok(pal_apart_find_inside(&cones.apart, &error), &error);
    assert_int_equal(cones.inside[52], 0);
    assert_int_equal(cones.inside[53], PAL_NONE);
    cones.friction[1] = cones.friction[3] = -1;
    check_ok(pal_apart_find_inside(&cones.apart, &error), &error);
    assert_int_equal(cones.inside[52], 2);
    end(&cones);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_first_of_two_counts),
    cmocka_unit_test(slivers_are_looked_at),
    cmocka_unit_test(many_slivers_fit),
};
CHECK_GROUP(tests, NULL, NULL)
