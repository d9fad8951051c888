// The skin of smooth bodies. Facets lie within a smooth surface, by a part of their size times its
// curvature. That much is left out, and counts as a thin elastic layer: contact begins softly where
// the smooth surfaces would touch, and becomes rigid where facets do.   docs/theory/contact.md
#ifndef PAL_CONTACT_GAP_SKIN_H
#define PAL_CONTACT_GAP_SKIN_H

#include "base/array.h"
#include "contact/gap/gap.h"
#include "contact/surface/pairs.h"
#include "math/range.h"

#define PAL_SKIN_ANCHORS 8

typedef struct PalAccount PalAccount;  // account.h

// Numbers per vertex, at rest, but for the normals of a step.
struct PalSkin {
    PalContactSurface *surface;
    PalVec3 *rest;                         // positions
    PalVec3 *rest_normal;                  // zero where the surface is sharp
    double *curvature;                     // mean; negative in hollows
    double *thickness;                     // likewise
    double *length;                        // root of the area it stands for
    int32_t (*anchors)[PAL_SKIN_ANCHORS];  // vertices some way around it, or PAL_NONE
    double *flattened;  // in this step: how much of what bulges between the anchors is pressed flat
    PalVec3 *normal;    // in this step
    int64_t *stamp;     // the step it was turned in
    double *modulus;    // per object: Young's over 1 - nu^2; infinite where nothing gives way
    double *felt;       // how much farther than others it is felt: its thickness, or 0
    double deepest;     // two skins together are no thicker than this
    PAL_ARRAY(PalAccount) accounts;  // of objects that have touched, ascending
};

// The surface is borrowed, and must stand as at the start. NULL: there is no smooth one, or it has
// vertices that are no nodes.
PalStatus pal_skin_create(const PalModel *model, PalContactSurface *surface, const PalPairs *pairs,
                          PalSkin **result, PalError *error);
void pal_skin_destroy(PalSkin *skin);

// How thick two skins are together. Both surfaces have to bulge: beside a plane or a hollow facets
// tell where the normal points.
static inline double pal_skin_together(double a, double b)
{
    return pal_max(0, pal_min(a + b, 4 * pal_min(a, b)));
}

// Of a vertex and any point of a facet, at most. A surface has none against itself.
static inline double pal_skin_most(const PalSkin *skin, const int32_t vertices[4])
{
    const double *t = skin->thickness;
    const int32_t *objects = skin->surface->vertex_object;
    if (objects[vertices[0]] == objects[vertices[1]])
        return 0;
    return pal_skin_together(t[vertices[0]],
                             pal_max(t[vertices[1]], pal_max(t[vertices[2]], t[vertices[3]])));
}

// The normal at rest of a vertex, turned as what is around it has turned since: a dent under the
// vertex does not tilt it.
PalVec3 pal_skin_normal(PalSkin *skin, int32_t vertex);

// What is known of the surface at a weighted mean of vertices.
typedef struct PalSkinPoint {
    bool smooth;  // at all of them; otherwise nothing else counts
    double thickness, curvature;
    int32_t object;
} PalSkinPoint;

PalSkinPoint pal_skin_at(const PalSkin *skin, int32_t count, const int32_t *vertices,
                         const double *weights);
// How flat the surface is pressed there: 0 not at all, 1 as flat as a plane.
double pal_skin_flattened(PalSkin *skin, int32_t count, const int32_t *vertices,
                          const double *weights);
// The turned normal there, not of unit length.
PalVec3 pal_skin_normal_at(PalSkin *skin, int32_t count, const int32_t *vertices,
                           const double *weights);

// 0.25 E* T for skins of this thickness T together: times the length of the vertex in between and
// d^1.5 + 2 d^6, the force at the depth d. 0: neither object gives way.
double pal_skin_strength(const PalSkin *skin, int32_t a, int32_t b, double thickness);

#endif
