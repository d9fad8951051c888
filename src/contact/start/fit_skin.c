#include "contact/start/fit_skin.h"

#include "base/memory.h"
#include "contact/gap/closest.h"
#include "contact/gap/skin.h"
#include "math/range.h"

// How deep a vertex starts in the skin of a facet.
static double depth(const PalContact *contact, int32_t vertex, int32_t facet)
{
    const PalContactSurface *surface = contact->surface;
    const int32_t *corners = surface->facets[facet];
    for (int k = 0; k < 3; ++k)
        if (pal_contact_surface_same(surface, corners[k], vertex))
            return 0;
    PalClosestRule rule = pal_contact_rule(contact);
    PalFeatures features = {
        PAL_CONTACT_NODE_FACET, {vertex, facet}, {vertex, corners[0], corners[1], corners[2]}};
    PalGap gap;
    if (pal_gap_is_beside(surface->start, features.vertices, 1, pal_facet_owned(surface, facet),
                          contact->separation))
        return 0;
    pal_gap_closest(&rule, &features, &gap);
    return gap.minimum ? gap.skin - (gap.along - contact->separation) : 0;
}

PalStatus pal_fit_skin(PalContact *contact, PalError *error)
{
    PalContactSurface *surface = contact->surface;
    if (contact->skin == NULL)
        return PAL_OK;
    double *depths = pal_alloc((size_t)surface->vertex_count, sizeof *depths);
    if (depths == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the skin of smooth bodies");
    PalMeter meter = {0};
    PalStatus status = pal_search_update(contact->search, surface, 1, &meter, error);
    if (status == PAL_OK)
        status = pal_search_list_facets(contact->search, surface, error);
    for (int32_t i = 0; i < contact->search->pair_count && status == PAL_OK; ++i) {
        PalFacetPair pair = contact->search->pairs[i];
        for (int k = 0; k < 3; ++k) {
            int32_t first = surface->facets[pair.a][k], second = surface->facets[pair.b][k];
            if (surface->vertex_owner[first] == pair.a)
                depths[first] = pal_max(depths[first], depth(contact, first, pair.b));
            if (surface->vertex_owner[second] == pair.b)
                depths[second] = pal_max(depths[second], depth(contact, second, pair.a));
        }
    }
    for (int32_t v = 0; v < surface->vertex_count; ++v)
        contact->skin->thickness[v] -= depths[v];
    pal_free(depths);
    pal_search_forget(contact->search);
    return status;
}
