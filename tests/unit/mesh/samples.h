// Meshes to test with, and what must hold for any surface.
#ifndef PAL_TESTS_MESH_SAMPLES_H
#define PAL_TESTS_MESH_SAMPLES_H

#include "check.h"
#include "math/vec3.h"

#include <palpate/mesh.h>

static inline PalMesh *make_shape(PalShapeKind kind, PalVec3 extent, PalCellKind cell_kind,
                                  int32_t x, int32_t y, int32_t z)
{
    PalShapeDef def = {.kind = kind, .extent = extent, .cell_kind = cell_kind, .cells = {x, y, z}};
    PalMesh *mesh = NULL;
    PalError error = {0};
    check_ok(pal_mesh_create_shape(&def, &mesh, &error), &error);
    return mesh;
}

static inline PalMesh *make_box(PalCellKind cell_kind, int32_t x, int32_t y, int32_t z)
{
    return make_shape(PAL_SHAPE_BOX, pal_vec3(1, 2, 3), cell_kind, x, y, z);
}

static inline PalSurface *make_boundary(const PalMesh *mesh)
{
    PalSurface *surface = NULL;
    PalError error = {0};
    check_ok(pal_mesh_boundary(mesh, &surface, &error), &error);
    return surface;
}

static inline int compare_edges(const void *a, const void *b)
{
    const int32_t *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

// Facets are joined along all edges, two by two and in opposite directions.
// Returns the Euler characteristic.
static inline int32_t check_closed(const PalSurface *surface)
{
    int32_t width = surface->corner_count, edge_count = surface->facet_count * width;
    int32_t(*edges)[2] = malloc((size_t)edge_count * sizeof *edges);
    assert_non_null(edges);
    for (int32_t i = 0; i < edge_count; ++i) {
        edges[i][0] = surface->facets[i];
        edges[i][1] = surface->facets[i % width == width - 1 ? i - width + 1 : i + 1];
    }
    qsort(edges, (size_t)edge_count, sizeof *edges, compare_edges);
    for (int32_t i = 0; i < edge_count; ++i) {
        int32_t back[2] = {edges[i][1], edges[i][0]};
        assert_true(i == 0 || compare_edges(edges[i - 1], edges[i]) != 0);
        assert_non_null(bsearch(back, edges, (size_t)edge_count, sizeof *edges, compare_edges));
    }
    free(edges);
    return surface->node_count - edge_count / 2 + surface->facet_count;
}

// Volume inside a closed surface, by the divergence theorem.
static inline double enclosed_volume(const PalMesh *mesh, const PalSurface *surface)
{
    double sum = 0;
    for (int32_t f = 0; f < surface->facet_count; ++f) {
        const int32_t *c = surface->facets + (size_t)f * (size_t)surface->corner_count;
        for (int32_t a = 1; a + 1 < surface->corner_count; ++a)
            sum += pal_vec3_dot(mesh->nodes[c[0]],
                                pal_vec3_cross(mesh->nodes[c[a]], mesh->nodes[c[a + 1]])) /
                   6;
    }
    return sum;
}

static inline uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

#endif
