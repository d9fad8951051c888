#include "base/memory.h"
#include "contact/search_state.h"
#include "math/lanes.h"
#include "math/vec3.h"

#include <string.h>

#define AHEAD       0.5   // of the room in a place, how much lies ahead of the vertex
#define AHEAD_STEPS 64    // motion is not extrapolated further than so many steps
#define ROOM        1.8   // longest path in a place, in radii
#define FARTHEST    1e30  // boxes are made of floats
#define BREADTH     0.3   // of boxes inside places, across the path
#define BLOCK       64    // vertices looked at together

// ---- asking -----------------------------------------------------------------------------

// Whether all numbers lie within the boxes inside the places: many at a time.
PAL_CLONES static bool block_stays(const double *start, const double *end, const double *centre,
                                   const double *width)
{
    typedef int64_t Mask __attribute__((vector_size(sizeof(PalLanes))));
    const Mask no_sign = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    Mask inside = {-1, -1, -1, -1};
    for (int32_t i = 0; i < 3 * BLOCK; i += PAL_LANES) {
        PalLanes from, to, at, room;
        memcpy(&from, start + i, sizeof from);
        memcpy(&to, end + i, sizeof to);
        memcpy(&at, centre + i, sizeof at);
        memcpy(&room, width + i, sizeof room);
        from -= at;
        to -= at;
        inside &= (PalLanes)((Mask)from & no_sign) <= room;
        inside &= (PalLanes)((Mask)to & no_sign) <= room;
    }
    return (inside[0] & inside[1] & inside[2] & inside[3]) != 0;
}

static bool stays(const PalPlace *place, PalVec3 start, PalVec3 end, double tolerance)
{
    PalVec3 from = pal_vec3_sub(start, place->centre), to = pal_vec3_sub(end, place->centre);
    double reduced = place->radius - tolerance;
    return pal_vec3_dot(from, from) <= place->radius * place->radius &&
           pal_vec3_dot(to, to) <= reduced * reduced;
}

// Paths from start to end stay in their places, with the tolerance around the end.
static bool all_stay(const PalPlaces *places, const PalVec3 *start, const PalVec3 *end,
                     double tolerance)
{
    for (int32_t first = 0; first < places->count; first += BLOCK) {
        int32_t last = first + BLOCK;
        if (last <= places->count &&
            block_stays(&start[first].x, &end[first].x, &places->centres[first].x,
                        &places->widths[first].x))
            continue;
        for (int32_t v = first; v < (last < places->count ? last : places->count); ++v)
            if (!stays(&places->items[v], start[v], end[v], tolerance))
                return false;
    }
    return true;
}

bool pal_places_hold(const PalPlaces *places, const PalContactSurface *surface)
{
    return all_stay(places, surface->start, surface->end, places->tolerance);
}

bool pal_places_hold_ends(const PalPlaces *places, const PalContactSurface *surface)
{
    return all_stay(places, surface->end, surface->end, 0);
}

// A vertex in a ball leaves it before a time if it is outside then.
int32_t pal_places_leaving(const PalPlaces *places, const PalContactSurface *surface, double steps,
                           int32_t *vertices)
{
    int32_t count = 0;
    for (int32_t v = 0; v < places->count; ++v) {
        PalVec3 start = surface->start[v], end = surface->end[v];
        PalVec3 later = pal_vec3_add_scaled(end, steps, pal_vec3_sub(end, start));
        if (!stays(&places->items[v], start, later, places->tolerance))
            vertices[count++] = v;
    }
    return count;
}

// ---- choosing ---------------------------------------------------------------------------

bool pal_places_create(PalPlaces *places, int32_t count)
{
    size_t room = (size_t)count + 1;
    places->count = count;
    places->items = pal_alloc(room, sizeof *places->items);
    places->centres = pal_alloc(room, sizeof *places->centres);
    places->widths = pal_alloc(room, sizeof *places->widths);
    return places->items != NULL && places->centres != NULL && places->widths != NULL;
}

void pal_places_clear(PalPlaces *places)
{
    pal_free(places->items);
    pal_free(places->centres);
    pal_free(places->widths);
}

// The box inside the ball that is left by the tolerance is long in the direction of the path.
void pal_places_put(PalPlaces *places, int32_t vertex, PalPlace place, PalVec3 path)
{
    PalVec3 way = pal_vec3_normalise(path);
    PalVec3 shape = pal_vec3_normalise(
        pal_vec3(fabs(way.x) + BREADTH, fabs(way.y) + BREADTH, fabs(way.z) + BREADTH));
    places->items[vertex] = place;
    places->centres[vertex] = place.centre;
    places->widths[vertex] =
        pal_vec3_scale((1 - 1e-12) * (place.radius - places->tolerance), shape);
}

// With c = start + lead (end - start) and L = |end - start|, lead L <= AHEAD room keeps the start
// inside, and L <= ROOM room the end.
bool pal_places_choose(PalPlaces *places, const PalContactSurface *surface, int32_t vertex)
{
    PalVec3 start = surface->start[vertex];
    PalVec3 path = pal_vec3_sub(surface->end[vertex], start);
    double length = pal_vec3_length(path), room = places->slack - places->tolerance;
    double lead = 0.5;  // a path too long for the usual place lies in the middle of a larger one
    if (length <= AHEAD * room)
        lead = fmin(AHEAD * room / fmax(length, 1e-300), AHEAD_STEPS);
    else
        room = fmax(room, length / ROOM);
    PalVec3 centre = pal_vec3_add_scaled(start, lead, path);
    pal_places_put(places, vertex, (PalPlace){centre, room + places->tolerance}, path);
    return fabs(centre.x) < FARTHEST && fabs(centre.y) < FARTHEST && fabs(centre.z) < FARTHEST &&
           room < FARTHEST;
}

PalBounds pal_places_box(const PalPlaces *places, const int32_t facet[3], double fat)
{
    PalBounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int a = 0; a < 3; ++a) {
        PalVec3 at = places->items[facet[a]].centre;
        double room = places->items[facet[a]].radius + fat;
        box.lower = pal_vec3(fmin(box.lower.x, at.x - room), fmin(box.lower.y, at.y - room),
                             fmin(box.lower.z, at.z - room));
        box.upper = pal_vec3(fmax(box.upper.x, at.x + room), fmax(box.upper.y, at.y + room),
                             fmax(box.upper.z, at.z + room));
    }
    return box;
}
