// Surfaces for the tests of hierarchies.
#ifndef PAL_TESTS_SURFACES_H
#define PAL_TESTS_SURFACES_H

#include "base/memory.h"
#include "geometry/hierarchy.h"
#include "math/vec3.h"

#include <string.h>

typedef struct Surface {
    PalTriangles triangles;
    int32_t (*facets)[3];
    int32_t *objects;
    PalVec3 *start, *end;
} Surface;

static inline double random_number(uint64_t *state)  // in [-1, 1)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)(*state >> 11) / 4503599627370496.0 - 1;
}

static inline PalVec3 random_vector(uint64_t *state)
{
    double x = random_number(state), y = random_number(state);
    return pal_vec3(x, y, random_number(state));
}

static inline Surface surface_allocate(int32_t vertex_count, int32_t facet_count)
{
    Surface surface;
    surface.facets = pal_alloc((size_t)facet_count, sizeof *surface.facets);
    surface.objects = pal_alloc((size_t)facet_count, sizeof *surface.objects);
    surface.start = pal_alloc((size_t)vertex_count, sizeof *surface.start);
    surface.end = pal_alloc((size_t)vertex_count, sizeof *surface.end);
    surface.triangles = (PalTriangles){.vertex_count = vertex_count,
                                       .facet_count = facet_count,
                                       .facets = (const int32_t(*)[3])surface.facets,
                                       .facet_object = surface.objects,
                                       .start = surface.start,
                                       .end = surface.end};
    return surface;
}

static inline void surface_free(Surface *surface)
{
    pal_free(surface->facets);
    pal_free(surface->objects);
    pal_free(surface->start);
    pal_free(surface->end);
}

// A sheet of rows x columns cells, each two triangles; normals point to +z while it is flat.
// `wrap`: the last column is the first again, which makes a tube.
static inline Surface surface_sheet(int32_t rows, int32_t columns, bool wrap)
{
    int32_t across = wrap ? columns : columns + 1;
    Surface surface = surface_allocate((rows + 1) * across, 2 * rows * columns);
    for (int32_t r = 0; r <= rows; ++r)
        for (int32_t c = 0; c < across; ++c)
            surface.start[r * across + c] = surface.end[r * across + c] = pal_vec3(c, r, 0);
    for (int32_t r = 0, f = 0; r < rows; ++r)
        for (int32_t c = 0; c < columns; ++c) {
            int32_t next = (c + 1) % across;
            int32_t a = r * across + c, b = r * across + next;
            int32_t d = a + across, e = b + across;
            memcpy(surface.facets[f++], (int32_t[]){a, b, e}, sizeof(int32_t[3]));
            memcpy(surface.facets[f++], (int32_t[]){a, e, d}, sizeof(int32_t[3]));
        }
    return surface;
}

// Folds a sheet along x into waves, `length` cells each, that lean over each other.
static inline void surface_fold(Surface *surface, double length)
{
    double x = 0, z = 0, at = 0, step = 1.0 / 16;
    for (double place = 0; place < 1e5; place += 1) {
        bool any = false;
        for (; at < place; at += step) {
            double lean = 1.9 * cos(6.28318530717958648 * at / length);
            x += step * cos(lean);
            z += step * sin(lean);
        }
        for (int32_t n = 0; n < surface->triangles.vertex_count; ++n)
            if (surface->start[n].x == place && surface->start[n].z == 0 && place >= 0) {
                surface->end[n] = pal_vec3(x, surface->start[n].y, z);
                any = true;
            }
        if (!any)
            break;
    }
    for (int32_t n = 0; n < surface->triangles.vertex_count; ++n)
        surface->start[n] = surface->end[n];
}

// Latitudes and longitudes of a unit sphere, wound outward.
static inline Surface surface_sphere(int32_t rings, int32_t segments)
{
    const double pi = 3.14159265358979323846;
    Surface surface = surface_allocate((rings - 1) * segments + 2, 2 * segments * (rings - 1));
    int32_t south = (rings - 1) * segments, north = south + 1, f = 0;
    for (int32_t r = 1; r < rings; ++r)
        for (int32_t s = 0; s < segments; ++s) {
            double theta = pi * r / rings, phi = 2 * pi * s / segments;
            surface.start[(r - 1) * segments + s] =
                pal_vec3(sin(theta) * cos(phi), sin(theta) * sin(phi), -cos(theta));
        }
    surface.start[south] = pal_vec3(0, 0, -1);
    surface.start[north] = pal_vec3(0, 0, 1);
    for (int32_t s = 0; s < segments; ++s) {
        int32_t t = (s + 1) % segments, top = (rings - 2) * segments;
        memcpy(surface.facets[f++], (int32_t[]){south, t, s}, sizeof(int32_t[3]));
        memcpy(surface.facets[f++], (int32_t[]){north, top + s, top + t}, sizeof(int32_t[3]));
        for (int32_t r = 0; r + 2 < rings; ++r) {
            int32_t a = r * segments + s, b = r * segments + t;
            memcpy(surface.facets[f++], (int32_t[]){a, b, b + segments}, sizeof(int32_t[3]));
            memcpy(surface.facets[f++], (int32_t[]){a, b + segments, a + segments},
                   sizeof(int32_t[3]));
        }
    }
    for (int32_t n = 0; n < surface.triangles.vertex_count; ++n)
        surface.end[n] = surface.start[n];
    return surface;
}

// Both of them, the second moved and with objects of its own.
static inline Surface surface_join(const Surface *a, const Surface *b, PalVec3 shift)
{
    int32_t first = a->triangles.vertex_count, facets = a->triangles.facet_count;
    Surface both =
        surface_allocate(first + b->triangles.vertex_count, facets + b->triangles.facet_count);
    int32_t objects = 0;
    for (int32_t n = 0; n < first; ++n)
        both.start[n] = both.end[n] = a->start[n];
    for (int32_t n = 0; n < b->triangles.vertex_count; ++n)
        both.start[first + n] = both.end[first + n] = pal_vec3_add(b->start[n], shift);
    for (int32_t f = 0; f < facets; ++f) {
        memcpy(both.facets[f], a->facets[f], sizeof both.facets[f]);
        both.objects[f] = a->objects[f];
        objects = a->objects[f] >= objects ? a->objects[f] + 1 : objects;
    }
    for (int32_t f = 0; f < b->triangles.facet_count; ++f) {
        both.objects[facets + f] = objects + b->objects[f];
        for (int k = 0; k < 3; ++k)
            both.facets[facets + f][k] = first + b->facets[f][k];
    }
    return both;
}

// The next step: starts where the last ended, and every vertex moves by at most `size` per axis.
static inline void surface_shake(Surface *surface, double size, uint64_t *state)
{
    for (int32_t n = 0; n < surface->triangles.vertex_count; ++n) {
        surface->start[n] = surface->end[n];
        surface->end[n] = pal_vec3_add_scaled(surface->start[n], size, random_vector(state));
    }
}

#endif
