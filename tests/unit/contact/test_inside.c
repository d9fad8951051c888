// Which vertices are inside another object, where facets lie over much of the grid.
#include "check.h"
#include "contact/start/apart.h"
#include "math/vec3.h"

// Two cones of slivers, base to base: `count` around the rim, and loose vertices beside them.
typedef struct Cones {
    int32_t count, first_vertex[3], first_facet[3];
    PalVec3 *start, *normal;
    int32_t (*facets)[3];
    int32_t *owner, *inside;
    double friction[4];
    PalPairs objects;
    PalBounds box[2];
    bool closed[2];
    int32_t holder[2];
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(slivers_are_looked_at),
    cmocka_unit_test(many_slivers_fit),
};
CHECK_GROUP(tests, NULL, NULL)
