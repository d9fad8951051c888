// What must be true of a surface at any time. Only builds with assertions look.
#include "contact/surface/surface.h"

#include <math.h>

#ifndef NDEBUG

static void check_holds(const PalContactSurface *surface)
{
    PAL_ASSERT(surface->hold_start[0] == 0);
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        double sum = 0;
        PAL_ASSERT(surface->hold_start[v] < surface->hold_start[v + 1]);
        for (int32_t i = surface->hold_start[v]; i < surface->hold_start[v + 1]; ++i) {
            int32_t carrier = surface->holds[i].carrier;
            PAL_ASSERT(carrier >= 0 && carrier < surface->carrier_count);
            PAL_ASSERT(pal_carrier_is_node(surface, carrier) == (v < surface->soft_vertex_count));
            sum += surface->holds[i].weight;
        }
        PAL_ASSERT(fabs(sum - 1) < 1e-12);
    }
    for (int32_t c = 1; c < surface->node_carrier_count; ++c)
        PAL_ASSERT(surface->carrier_node[c] > surface->carrier_node[c - 1]);
}

static void check_facets(const PalContactSurface *surface)
{
    for (int32_t f = 0; f < surface->facet_count; ++f) {
        int32_t object = surface->facet_object[f], twin = surface->facet_twin[f];
        PAL_ASSERT(f >= surface->object_first_facet[object]);
        PAL_ASSERT(f < surface->object_first_facet[object + 1]);
        PAL_ASSERT(twin == PAL_NONE || surface->facet_twin[twin] == f);
        for (int k = 0; k < 3; ++k) {
            const int32_t *ends = surface->edges[surface->facet_edges[f][k]];
            int32_t a = surface->facets[f][k], b = surface->facets[f][(k + 1) % 3];
            PAL_ASSERT(a >= surface->object_first_vertex[object]);
            PAL_ASSERT(a < surface->object_first_vertex[object + 1]);
            PAL_ASSERT((ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a));
        }
    }
}

static void check_owners(const PalContactSurface *surface)
{
    for (int32_t e = 0; e < surface->edge_count; ++e) {
        int32_t owner = surface->edge_owner[e];
        const int32_t *edges = surface->facet_edges[owner];
        PAL_ASSERT(edges[0] == e || edges[1] == e || edges[2] == e);
        for (int i = 0; i < 2; ++i) {
            int32_t facet = surface->edge_facets[e][i], corner = surface->edge_corners[e][i];
            const int32_t *ends = surface->edges[e];
            PAL_ASSERT((facet == PAL_NONE) == (corner == PAL_NONE));
            PAL_ASSERT(facet == PAL_NONE ||
                       ends[0] + ends[1] + corner == surface->facets[facet][0] +
                                                         surface->facets[facet][1] +
                                                         surface->facets[facet][2]);
        }
    }
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        int32_t owner = surface->vertex_owner[v];
        if (owner == PAL_NONE)
            continue;
        const int32_t *corners = surface->facets[owner];
        PAL_ASSERT(corners[0] == v || corners[1] == v || corners[2] == v);
    }
}

void pal_contact_surface_validate(const PalContactSurface *surface)
{
    PAL_ASSERT(surface->soft_vertex_count <= surface->vertex_count);
    PAL_ASSERT(surface->soft_facet_count <= surface->facet_count);
    check_holds(surface);
    check_facets(surface);
    check_owners(surface);
}

#else

void pal_contact_surface_validate(const PalContactSurface *surface)
{
    (void)surface;
}

#endif
