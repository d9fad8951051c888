#include "base/memory.h"
#include "contact/search/method.h"
#include "math/range.h"
#include "math/vec3.h"

#include <math.h>

#define AHEAD       0.5   // of the room in a place, how much lies ahead of the vertex
#define AHEAD_STEPS 64    // motion is not extrapolated further than so many steps
#define ROOM        1.8   // longest path in a place, in radii
#define LASTS       8     // steps a vertex stays in its place, or more, if that need not be
#define WIDEST      4     // times as wide as those of vertices that hardly move
#define FARTHEST    1e30  // boxes are made of floats

// ---- asking -----------------------------------------------------------------------------

static bool stays(const PalPlace *place, PalVec3 start, PalVec3 end, double tolerance)
{
    PalVec3 from = pal_vec3_sub(start, place->centre), to = pal_vec3_sub(end, place->centre);
    double reduced = place->radius - tolerance;
    return pal_vec3_dot(from, from) <= place->radius * place->radius &&
           pal_vec3_dot(to, to) <= reduced * reduced;
}

static int32_t end_of_block(const PalPlaces *places, int32_t block)
{
    int32_t end = (block + 1) * PAL_VERTEX_BLOCK;
    return end < places->count ? end : places->count;
}

// Looks at all vertices of a block.
static bool block_stays(PalPlaces *places, PalContactSurface *surface, int32_t block)
{
    bool stay = true;
    double room = INFINITY;
    pal_contact_surface_place_block(surface, block);
    for (int32_t v = block * PAL_VERTEX_BLOCK; v < end_of_block(places, block); ++v) {
        const PalPlace *place = &places->items[v];
        double away = pal_vec3_distance(pal_contact_surface_start(surface, v), place->centre);
        places->own_room[v] = place->radius - places->tolerance - away;
        room = pal_min(room, places->own_room[v]);
        stay = stay && stays(place, pal_contact_surface_start(surface, v),
                             pal_contact_surface_end(surface, v), places->tolerance);
    }
    places->room[block] = room;
    places->travel[block] = 0;
    return stay;
}

// Does no vertex of the block leave its place, if its motion goes on for so many steps?
static bool surely_stays(const PalPlaces *places, const PalContactSurface *surface, int32_t block,
                         double steps)
{
    double travel = places->travel[block] + steps * surface->stride[block];
    return travel <= (1 - 1e-9) * places->room[block];
}

// The same in this step, each vertex by its own motion: where one goes far, others may have little
// room left.
static bool each_stays(const PalPlaces *places, PalContactSurface *surface, int32_t block)
{
    double travel = places->travel[block];
    int32_t end = end_of_block(places, block), v = block * PAL_VERTEX_BLOCK;
    if (!isfinite(travel) || !isfinite(surface->stride[block]))
        return false;
    const double *strides2 = pal_contact_surface_soft_strides2(surface, block);
    for (; v < end && v < surface->soft_vertex_count; ++v) {
        double room = (1 - 1e-9) * places->own_room[v] - travel;
        if (room < 0 || strides2[v] > room * room)
            return false;
    }
    for (; v < end; ++v)
        if (travel + surface->object_stride[surface->vertex_object[v]] >
            (1 - 1e-9) * places->own_room[v])
            return false;
    return true;
}

bool pal_places_hold(PalPlaces *places, PalContactSurface *surface)
{
    bool hold = true;
    for (int32_t i = 0; i < surface->awake.block_count; ++i) {
        int32_t b = surface->awake.blocks[i];
        if (!surely_stays(places, surface, b, 1) && !each_stays(places, surface, b))
            hold = block_stays(places, surface, b) && hold;
    }
    return hold;
}

bool pal_places_hold_ends(const PalPlaces *places, const PalContactSurface *surface,
                          const int32_t *vertices, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        int32_t v = vertices == NULL ? i : vertices[i];
        if (surface->awake.asleep[surface->vertex_object[v]])
            continue;
        if (!stays(&places->items[v], pal_contact_surface_end(surface, v),
                   pal_contact_surface_end(surface, v), 0))
            return false;
    }
    return true;
}

// A vertex in a ball leaves it before a time if it is outside then. One that is outside already is
// renewed even if it is on its way back: otherwise places would be renewed in every step until
// then.
int32_t pal_places_leaving(const PalPlaces *places, PalContactSurface *surface, double steps,
                           int32_t *vertices)
{
    int32_t count = 0;
    for (int32_t i = 0; i < surface->awake.block_count; ++i) {
        int32_t b = surface->awake.blocks[i];
        if (surely_stays(places, surface, b, 1 + steps))
            continue;
        pal_contact_surface_place_block(surface, b);
        for (int32_t v = b * PAL_VERTEX_BLOCK; v < end_of_block(places, b); ++v) {
            PalVec3 start = pal_contact_surface_start(surface, v),
                    end = pal_contact_surface_end(surface, v);
            PalVec3 later = pal_vec3_add_scaled(end, steps, pal_vec3_sub(end, start));
            if (!stays(&places->items[v], start, end, places->tolerance) ||
                !stays(&places->items[v], start, later, places->tolerance))
                vertices[count++] = v;
        }
    }
    return count;
}

void pal_places_forget(PalPlaces *places)
{
    for (int32_t b = 0; b <= places->count / PAL_VERTEX_BLOCK; ++b)
        places->travel[b] = INFINITY;
}

void pal_places_forget_object(PalPlaces *places, const PalContactSurface *surface, int32_t object)
{
    int32_t first = surface->object_first_vertex[object];
    int32_t end = surface->object_first_vertex[object + 1];
    for (int32_t b = first / PAL_VERTEX_BLOCK; first < end && b <= (end - 1) / PAL_VERTEX_BLOCK;
         ++b)
        places->travel[b] = INFINITY;
}

// ---- choosing ---------------------------------------------------------------------------

bool pal_places_create(PalPlaces *places, int32_t count)
{
    size_t room = (size_t)count + 1, blocks = (size_t)count / PAL_VERTEX_BLOCK + 1;
    places->count = count;
    places->items = pal_alloc(room, sizeof *places->items);
    places->room = pal_alloc(blocks, sizeof *places->room);
    places->travel = pal_alloc(blocks, sizeof *places->travel);
    places->own_room = pal_alloc(room, sizeof *places->own_room);
    if (places->items == NULL || places->room == NULL || places->travel == NULL ||
        places->own_room == NULL)
        return false;
    pal_places_forget(places);
    return true;
}

void pal_places_clear(PalPlaces *places)
{
    pal_free(places->items);
    pal_free(places->room);
    pal_free(places->travel);
    pal_free(places->own_room);
}

// With c = start + lead (end - start) and L = |end - start|, lead L <= AHEAD room keeps the start
// inside, and L <= ROOM room the end.
bool pal_places_choose(PalPlaces *places, const PalContactSurface *surface, int32_t vertex)
{
    PalVec3 start = pal_contact_surface_start(surface, vertex);
    PalVec3 path = pal_vec3_sub(pal_contact_surface_end(surface, vertex), start);
    double length = pal_vec3_length(path), least = places->slack - places->tolerance;
    double room = fmin(fmax(least, LASTS * length), WIDEST * least);
    double lead = 0.5;  // a path too long for the usual place lies in the middle of a larger one
    if (length <= AHEAD * room)
        lead = fmin(AHEAD * room / fmax(length, 1e-300), AHEAD_STEPS);
    else
        room = fmax(room, length / ROOM);
    PalVec3 centre = pal_vec3_add_scaled(start, lead, path);
    places->items[vertex] = (PalPlace){centre, room + places->tolerance};
    places->travel[vertex / PAL_VERTEX_BLOCK] = INFINITY;  // to be looked at
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
