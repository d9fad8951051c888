#include "contact/search_state.h"
#include "math/vec3.h"

#define AHEAD       0.5   // of the room in a place, how much lies ahead of the vertex
#define AHEAD_STEPS 64    // motion is not extrapolated further than so many steps
#define ROOM        1.8   // longest path in a place, in radii
#define FARTHEST    1e30  // boxes are made of floats

static bool stays(const PalPlace *place, PalVec3 start, PalVec3 end, double tolerance)
{
    PalVec3 from = pal_vec3_sub(start, place->centre), to = pal_vec3_sub(end, place->centre);
    double reduced = place->radius - tolerance;
    return pal_vec3_dot(from, from) <= place->radius * place->radius &&
           pal_vec3_dot(to, to) <= reduced * reduced;
}

bool pal_places_hold(const PalPlaces *places, const PalContactSurface *surface)
{
    const PalVec3 *start = surface->start, *end = surface->end;
    for (int32_t v = 0; v < places->count; ++v)
        if (!stays(&places->items[v], start[v], end[v], places->tolerance))
            return false;
    return true;
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
    places->items[vertex] = (PalPlace){centre, room + places->tolerance};
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
