#include "contact/search_state.h"
#include "math/vec3.h"

#define AHEAD       0.5  // of the room in a place, how much lies ahead of the vertex
#define AHEAD_STEPS 64   // motion is not extrapolated further than so many steps
#define ROOM        1.8  // longest path in a place, in radii

bool pal_places_hold(const PalPlaces *places, const PalContactSurface *surface)
{
    for (int32_t v = 0; v < places->count; ++v) {
        PalVec3 from = pal_vec3_sub(surface->start[v], places->centre[v]);
        PalVec3 to = pal_vec3_sub(surface->end[v], places->centre[v]);
        double radius = places->radius[v], reduced = radius - places->tolerance;
        if (!(pal_vec3_dot(from, from) <= radius * radius &&
              pal_vec3_dot(to, to) <= reduced * reduced))
            return false;
    }
    return true;
}

// With c = start + lead (end - start) and L = |end - start|, lead L <= AHEAD room keeps the start
// inside, and L <= ROOM room the end.
void pal_places_choose(PalPlaces *places, const PalContactSurface *surface, int32_t vertex)
{
    PalVec3 start = surface->start[vertex];
    PalVec3 path = pal_vec3_sub(surface->end[vertex], start);
    double length = pal_vec3_length(path), room = places->slack - places->tolerance;
    double lead = 0.5;  // a path too long for the usual place lies in the middle of a larger one
    if (length <= AHEAD * room)
        lead = fmin(AHEAD * room / fmax(length, 1e-300), AHEAD_STEPS);
    else
        room = fmax(room, length / ROOM);
    places->centre[vertex] = pal_vec3_add_scaled(start, lead, path);
    places->radius[vertex] = room + places->tolerance;
}

PalBounds pal_places_box(const PalPlaces *places, const int32_t facet[3], double fat)
{
    PalBounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int a = 0; a < 3; ++a) {
        PalVec3 at = places->centre[facet[a]];
        double room = places->radius[facet[a]] + fat;
        box.lower = pal_vec3(fmin(box.lower.x, at.x - room), fmin(box.lower.y, at.y - room),
                             fmin(box.lower.z, at.z - room));
        box.upper = pal_vec3(fmax(box.upper.x, at.x + room), fmax(box.upper.y, at.y + room),
                             fmax(box.upper.z, at.z + room));
    }
    return box;
}
