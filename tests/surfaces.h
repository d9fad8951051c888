// Contact surfaces for tests, from bare triangles: any shape, open or closed, without a solid.
#ifndef PAL_TESTS_SURFACES_H
#define PAL_TESTS_SURFACES_H

#include "check.h"
#include "contact/search/search.h"
#include "contact/surface/surface.h"
#include "math/vec3.h"

enum { SURFACES_PARTS = 8, SURFACES_VERTICES = 4096, SURFACES_FACETS = 8192 };

// Parts added one after the other; the first soft_count are soft bodies, the rest rigid.
typedef struct Surfaces {
    int32_t part_count, vertex_count, facet_count;
    int32_t first_vertex[SURFACES_PARTS + 1], first_facet[SURFACES_PARTS + 1];
    PalVec3 vertices[SURFACES_VERTICES];
    int32_t facets[SURFACES_FACETS][3];  // corners within the part
} Surfaces;

static inline void surfaces_begin_part(Surfaces *surfaces)
{
    assert_true(surfaces->part_count < SURFACES_PARTS);
    surfaces->first_vertex[surfaces->part_count] = surfaces->vertex_count;
    surfaces->first_facet[surfaces->part_count] = surfaces->facet_count;
    ++surfaces->part_count;
    surfaces->first_vertex[surfaces->part_count] = surfaces->vertex_count;
    surfaces->first_facet[surfaces->part_count] = surfaces->facet_count;
}

// Index within the part.
static inline int32_t surfaces_add_vertex(Surfaces *surfaces, PalVec3 at)
{
    assert_true(surfaces->vertex_count < SURFACES_VERTICES);
    surfaces->vertices[surfaces->vertex_count++] = at;
    surfaces->first_vertex[surfaces->part_count] = surfaces->vertex_count;
    return surfaces->vertex_count - 1 - surfaces->first_vertex[surfaces->part_count - 1];
}

static inline void surfaces_add_facet(Surfaces *surfaces, int32_t a, int32_t b, int32_t c)
{
    assert_true(surfaces->facet_count < SURFACES_FACETS);
    int32_t *corners = surfaces->facets[surfaces->facet_count++];
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
    surfaces->first_facet[surfaces->part_count] = surfaces->facet_count;
}

// A part of columns x rows squares, each cut in two; shape maps (u, v) in [0, 1]^2 to space.
static inline void surfaces_add_sheet(Surfaces *surfaces, int32_t columns, int32_t rows,
                                      PalVec3 (*shape)(double u, double v, const void *context),
                                      const void *context)
{
    surfaces_begin_part(surfaces);
    for (int32_t j = 0; j <= rows; ++j)
        for (int32_t i = 0; i <= columns; ++i)
            surfaces_add_vertex(surfaces, shape((double)i / columns, (double)j / rows, context));
    for (int32_t j = 0; j < rows; ++j) {
        for (int32_t i = 0; i < columns; ++i) {
            int32_t a = j * (columns + 1) + i, b = a + 1, d = a + columns + 1, c = d + 1;
            surfaces_add_facet(surfaces, a, b, c);
            surfaces_add_facet(surfaces, a, c, d);
        }
    }
}

// A surface of the parts as they are now.
static inline PalContactSurface *surfaces_build(const Surfaces *surfaces, int32_t soft_count)
{
    PalBody bodies[SURFACES_PARTS] = {0};
    PalSurface skins[SURFACES_PARTS] = {0};
    PalRigid rigids[SURFACES_PARTS] = {0};
    PalMesh meshes[SURFACES_PARTS] = {0};
    static int32_t count_up[SURFACES_VERTICES];
    static PalVec3 nodes[SURFACES_VERTICES];
    for (int32_t n = 0; n < SURFACES_VERTICES; ++n)
        count_up[n] = n;
    memcpy(nodes, surfaces->vertices, sizeof nodes);
    for (int32_t p = 0; p < surfaces->part_count; ++p) {
        int32_t first = surfaces->first_vertex[p], first_facet = surfaces->first_facet[p];
        int32_t count = surfaces->first_vertex[p + 1] - first;
        int32_t facet_count = surfaces->first_facet[p + 1] - first_facet;
        int32_t *facets = (int32_t *)surfaces->facets[first_facet];
        if (p < soft_count) {
            skins[p] = (PalSurface){.corner_count = 3,
                                    .facet_count = facet_count,
                                    .facets = facets,
                                    .node_count = count,
                                    .nodes = count_up};
            bodies[p] = (PalBody){.first_node = first, .surface = &skins[p]};
        } else {
            meshes[p] = (PalMesh){.cell_kind = PAL_CELL_TRIANGLE,
                                  .node_count = count,
                                  .nodes = nodes + first,
                                  .cell_count = facet_count,
                                  .cells = facets};
            rigids[p - soft_count] = (PalRigid){.mesh = &meshes[p], .free = true};
        }
    }
    PalModel model = {.body_count = soft_count,
                      .bodies = bodies,
                      .rigid_count = surfaces->part_count - soft_count,
                      .rigids = rigids,
                      .node_count = surfaces->first_vertex[soft_count],
                      .nodes = nodes};
    PalContactSurface *surface = NULL;
    PalError error = {0};
    check_ok(pal_contact_surface_create(&model, &surface, &error), &error);
    return surface;
}

#endif
