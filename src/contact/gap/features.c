#include "contact/gap/features.h"

int pal_feature_key_compare(const PalFeatureKey *a, const PalFeatureKey *b)
{
    for (int k = 0; k < 2; ++k)
        if (a->pair[k] != b->pair[k])
            return a->pair[k] < b->pair[k] ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static bool vertex_and_facet(const PalContactSurface *surface, int32_t from, int32_t to, int k,
                             PalFeatures *features)
{
    int32_t vertex = surface->facets[from][k];
    const int32_t *corners = surface->facets[to];
    if (surface->vertex_owner[vertex] != from)
        return false;
    for (int j = 0; j < 3; ++j)
        if (pal_contact_surface_same(surface, vertex, corners[j]))
            return false;
    *features = (PalFeatures){.kind = PAL_CONTACT_NODE_FACET,
                              .items = {vertex, to},
                              .vertices = {vertex, corners[0], corners[1], corners[2]}};
    return !pal_contact_surface_follows(surface, features->vertices, 1);
}

static bool two_edges(const PalContactSurface *surface, const int32_t pair[2], int i, int j,
                      PalFeatures *features)
{
    int32_t a = surface->facet_edges[pair[0]][i], b = surface->facet_edges[pair[1]][j];
    if (surface->edge_owner[a] != pair[0] || surface->edge_owner[b] != pair[1])
        return false;
    const int32_t *p = surface->edges[a], *q = surface->edges[b];
    for (int k = 0; k < 4; ++k)
        if (pal_contact_surface_same(surface, p[k / 2], q[k % 2]))
            return false;
    *features = (PalFeatures){
        .kind = PAL_CONTACT_EDGE_EDGE, .items = {a, b}, .vertices = {p[0], p[1], q[0], q[1]}};
    return !pal_contact_surface_follows(surface, features->vertices, 2);
}

int32_t pal_features_of_pair(const PalContactSurface *surface, int32_t a, int32_t b,
                             PalFeatures features[PAL_FEATURES_OF_PAIR],
                             int32_t places[PAL_FEATURES_OF_PAIR])
{
    int32_t count = 0;
    const int32_t pair[2] = {a, b};
    for (int place = 0; place < PAL_FEATURES_OF_PAIR; ++place) {
        bool found = place < 3   ? vertex_and_facet(surface, a, b, place, &features[count])
                     : place < 6 ? vertex_and_facet(surface, b, a, place - 3, &features[count])
                                 : two_edges(surface, pair, (place - 6) / 3, (place - 6) % 3,
                                             &features[count]);
        if (found)
            places[count++] = place;
    }
    return count;
}
