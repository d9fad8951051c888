// Normals and projections of facets at the end of the step, computed where contact asks for them.
#ifndef PAL_CONTACT_NORMALS_H
#define PAL_CONTACT_NORMALS_H

#include "contact/surface/surface.h"

// How facets make up the normal of a vertex.
typedef enum PalNormalKind {
    PAL_NORMAL_MEAN,   // unit normals of the facets count alike (johnsen2015)
    PAL_NORMAL_ANGLE,  // weighted by angle and area, not normalised (johnsen2012, equation 8)
} PalNormalKind;

// A point x lies over origin + xi e1 + eta e2, at `gap` along the normal, where xi, eta and gap
// are the products of the three rows with x - origin; e1 and e2 join corner 0 to 1 and 2.
typedef struct PalFacetFrame {
    PalVec3 origin, xi, eta, normal;  // normal: unit, outward; zero where the facet has no area
    double area_twice;
} PalFacetFrame;

typedef struct PalNormals {
    PalNormalKind kind;
    const PalContactSurface *surface;
    int64_t stamp;     // what was computed at another stamp is out of date
    PalBounds *swept;  // around each facet's corners before and after the step
    PalFacetFrame *frames;
    PalVec3 *vertex;
    int64_t *swept_stamp, *frame_stamp, *vertex_stamp;
} PalNormals;

// The surface is borrowed.
PalStatus pal_normals_init(PalNormals *normals, PalNormalKind kind,
                           const PalContactSurface *surface, PalError *error);
void pal_normals_clear(PalNormals *normals);

// The surface has moved.
static inline void pal_normals_forget(PalNormals *normals)
{
    ++normals->stamp;
}

// Around vertices before and after the step.
PalBounds pal_swept_bounds(const PalContactSurface *surface, const int32_t *vertices, int count);
const PalBounds *pal_normals_swept(PalNormals *normals, int32_t facet);
const PalFacetFrame *pal_normals_frame(PalNormals *normals, int32_t facet);
PalVec3 pal_normals_vertex(PalNormals *normals, int32_t vertex);

// The continuous normal: that of the vertices, weighted, as a unit vector; zero if they cancel.
PalVec3 pal_normals_blend(PalNormals *normals, const int32_t *vertices, const double *weights,
                          int count);

#endif
