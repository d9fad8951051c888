// The triangles that touch: surfaces of all soft bodies, then of all rigid instruments.
#ifndef PAL_CONTACT_SURFACE_H
#define PAL_CONTACT_SURFACE_H

#include "geometry/hierarchy.h"
#include <palpate/contact.h>

// Constant once built but for the positions. Vertices, facets and edges of soft bodies come first,
// in the order of the objects; quadrilateral facets are cut in two.
typedef struct PalContactSurface {
    int32_t object_count, body_count;
    int32_t vertex_count, soft_vertex_count;
    int32_t facet_count, soft_facet_count;
    int32_t edge_count;
    int32_t *vertex_node;  // model node; of a rigid instrument: its own mesh's node
    int32_t *vertex_object;
    int32_t *vertex_owner;  // the one facet that answers for this vertex; PAL_NONE: it has none
    int32_t (*facets)[3];
    int32_t *facet_object;
    int32_t (*facet_edges)[3];  // edge k joins corners k and k + 1
    int32_t (*edges)[2];
    int32_t (*edge_facets)[2];  // PAL_NONE: a rim, or a third facet that is not listed
    int32_t *edge_owner;        // the one facet that answers for this edge
    PalLists vertex_facets;
    PalLists vertex_edges;
    int32_t *object_first_vertex;  // object_count + 1
    int32_t *object_first_facet;   // object_count + 1
    PalVec3 *start, *end;          // positions before and after the step
    double shortest, longest;      // edges of the reference surface
} PalContactSurface;

PalStatus pal_contact_surface_create(const PalModel *model, PalContactSurface **surface,
                                     PalError *error);
void pal_contact_surface_destroy(PalContactSurface *surface);

// Fills start (or end) from displacements and, for rigid instruments, a time.
void pal_contact_surface_place(const PalContactSurface *surface, const PalModel *model,
                               const PalVec3 *displacement, double time, int32_t thread_count,
                               PalVec3 *positions);

#endif
