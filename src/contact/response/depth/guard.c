// Thin objects (hirota2003, 8.2): whoever gets past the middle of an object in one correction would
// be pushed out on the other side. Where a correction goes that far, continuous detection finds the
// first contact in it, and it ends soon after.
#include "contact/response/depth/row.h"
#include "math/range.h"
#include <palpate/geometry.h>

#include <math.h>

#define FARTHEST 0.5  // of the largest depth: how far a surface may go into an object at once

static double deepest_of(const PalDepth *depth, int32_t object)
{
    int32_t bodies = depth->setup.surface->body_count;
    return object < bodies ? depth->fields[object].deepest
                           : depth->lattices[object - bodies].deepest;
}

// How far the two go against each other at most.
static double motion_of(const PalContactSurface *surface, int32_t a, int32_t b)
{
    double most[2] = {0, 0};
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k) {
            int32_t v = surface->facets[side == 0 ? a : b][k];
            most[side] = pal_max(most[side], pal_vec3_distance(surface->start[v], surface->end[v]));
        }
    return most[0] + most[1];
}

// The first time at which two facets touch, above 1 if they do not.
static double first_touch(const PalContactSurface *surface, int32_t a, int32_t b)
{
    const int32_t *facets[2] = {surface->facets[a], surface->facets[b]};
    double first = 2, time;
    PalVec3 start[4], end[4];
    for (int test = 0; test < 15; ++test) {
        int32_t vertices[4];
        if (test < 6) {  // a vertex of one and the other
            vertices[0] = facets[test / 3][test % 3];
            for (int k = 0; k < 3; ++k)
                vertices[1 + k] = facets[1 - test / 3][k];
        } else {
            int i = (test - 6) / 3, j = (test - 6) % 3;
            vertices[0] = facets[0][i];
            vertices[1] = facets[0][(i + 1) % 3];
            vertices[2] = facets[1][j];
            vertices[3] = facets[1][(j + 1) % 3];
        }
        for (int k = 0; k < 4; ++k) {
            start[k] = surface->start[vertices[k]];
            end[k] = surface->end[vertices[k]];
        }
        bool hit = test < 6 ? pal_ccd_vertex_face(start, end, 0, &time)
                            : pal_ccd_edge_edge(start, end, 0, &time);
        if (hit)
            first = pal_min(first, time);
    }
    return first;
}

static bool share_vertex(const PalContactSurface *surface, int32_t a, int32_t b)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (surface->facets[a][i] == surface->facets[b][j])
                return true;
    return false;
}

double pal_depth_guard(const PalContact *contact)
{
    const PalDepth *depth = pal_depth_own(contact)->depth;
    const PalContactSurface *surface = contact->surface;
    double part = 1;
    for (int32_t p = 0; p < contact->search->pair_count; ++p) {
        int32_t a = contact->search->pairs[p].a, b = contact->search->pairs[p].b;
        double thin = pal_min(deepest_of(depth, surface->facet_object[a]),
                              deepest_of(depth, surface->facet_object[b]));
        double motion = motion_of(surface, a, b);
        if (!(motion > FARTHEST * thin) || thin == 0 || share_vertex(surface, a, b))
            continue;
        double touch = first_touch(surface, a, b);
        if (touch <= 1)
            part = pal_min(part, touch + FARTHEST * thin / motion);
    }
    return part;
}
