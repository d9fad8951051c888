// A roof of two facets that share an edge, and loose vertices over it, put together by hand.
#ifndef PAL_TESTS_JOHNSEN_FIXTURE_H
#define PAL_TESTS_JOHNSEN_FIXTURE_H

#include "check.h"
#include "contact/response/johnsen/johnsen.h"
#include "math/vec3.h"

#define FIXTURE_VERTICES 8  // 0 to 3: the roof; the others are loose

typedef struct Fixture {
    int32_t facets[2][3];
    int32_t list_start[FIXTURE_VERTICES + 1], list_items[6];
    PalVec3 start[FIXTURE_VERTICES], end[FIXTURE_VERTICES], impulse[FIXTURE_VERTICES];
    PalContactSurface surface;
    PalContact contact;
} Fixture;

// Vertices 0 and 1 are the ridge along y, 2 and 3 its sides at x = +1 and -1; height of the ridge.
static inline void fixture_roof(Fixture *f, double height)
{
    memset(f, 0, sizeof *f);
    PalVec3 corners[4] = {{0, -1, height}, {0, 1, height}, {1, 0, 0}, {-1, 0, 0}};
    int32_t facets[2][3] = {{0, 2, 1}, {0, 1, 3}};
    int32_t starts[FIXTURE_VERTICES + 1] = {0, 2, 4, 5, 6, 6, 6, 6, 6},
                                      items[6] = {0, 1, 0, 1, 0, 1};
    memcpy(f->start, corners, sizeof corners);
    memcpy(f->end, corners, sizeof corners);
    memcpy(f->facets, facets, sizeof facets);
    memcpy(f->list_start, starts, sizeof starts);
    memcpy(f->list_items, items, sizeof items);
    f->surface = (PalContactSurface){
        .vertex_count = FIXTURE_VERTICES,
        .facet_count = 2,
        .facets = f->facets,
        .start = f->start,
        .end = f->end,
        .vertex_facets = {FIXTURE_VERTICES, f->list_start, f->list_items},
    };
    f->contact.surface = &f->surface;
    f->contact.impulse = f->impulse;
    f->contact.inverse_mass = calloc(FIXTURE_VERTICES, sizeof *f->contact.inverse_mass);
}

static inline void fixture_mass(Fixture *f, int32_t vertex, double mass)
{
    for (int i = 0; i < 3; ++i)
        f->contact.inverse_mass[vertex][i] = 1 / mass;
}

static inline void fixture_end(Fixture *f)
{
    free(f->contact.inverse_mass);
}

// Moves the ends as the forces of one spot would.
static inline void fixture_move(Fixture *f, const PalContactStep *step, const PalSpot *spot,
                                const PalVec3 forces[4])
{
    for (int a = 0; a < 4; ++a) {
        const double *inverse = f->contact.inverse_mass[spot->vertices[a]];
        double factor = step->step * step->gain;
        PalVec3 *end = &f->end[spot->vertices[a]];
        end->x += factor * inverse[0] * forces[a].x;
        end->y += factor * inverse[1] * forces[a].y;
        end->z += factor * inverse[2] * forces[a].z;
    }
}

#endif
