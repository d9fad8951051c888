// Shapes to put into each other, and how far apart they are then.
#ifndef PAL_TESTS_OVERLAP_FIXTURE_H
#define PAL_TESTS_OVERLAP_FIXTURE_H

#include "touch.h"

#include "contact/surface/surface.h"
#include "geometry/closest.h"

static inline PalMesh *make(PalShapeKind kind, PalVec3 extent, int32_t cells, PalCellKind cell_kind,
                            PalVec3 place)
{
    int32_t others = kind == PAL_SHAPE_BOX ? cells : 0;
    return touch_shape(kind, extent, (int32_t[]){cells, others, others}, cell_kind, place);
}

static inline PalMesh *make_box(double size, int32_t cells, PalCellKind kind, PalVec3 place)
{
    return make(PAL_SHAPE_BOX, (PalVec3){size, size, size}, cells, kind, place);
}

// The least distance between the two surfaces, by all vertices and facets and all edges.
static inline double least_gap(const PalContactSurface *surface)
{
    double least = INFINITY, weights[3], along[2];
    bool interior[2];
    PalFeature feature;
    const PalVec3 *x = surface->start;
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        for (int32_t f = 0; f < surface->facet_count; ++f) {
            const int32_t *c = surface->facets[f];
            if (surface->facet_object[f] != surface->vertex_object[v])
                least = fmin(least,
                             pal_closest_on_triangle(x[v], (PalVec3[]){x[c[0]], x[c[1]], x[c[2]]},
                                                     weights, &feature));
        }
    for (int32_t a = 0; a < surface->edge_count; ++a)
        for (int32_t b = a + 1; b < surface->edge_count; ++b) {
            const int32_t *p = surface->edges[a], *q = surface->edges[b];
            if (surface->vertex_object[p[0]] != surface->vertex_object[q[0]])
                least = fmin(least, pal_closest_on_edges(x[p[0]], x[p[1]], x[q[0]], x[q[1]], along,
                                                         interior));
        }
    return least;
}

#endif
