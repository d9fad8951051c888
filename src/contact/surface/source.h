// Where the triangles of an object come from, and how its vertices move: a row for each kind of
// object. Everything else in contact sees vertices, facets and what carries them.
#ifndef PAL_CONTACT_SURFACE_SOURCE_H
#define PAL_CONTACT_SURFACE_SOURCE_H

#include <palpate/contact.h>

typedef struct PalContactSurface PalContactSurface;
typedef struct PalSurfaceFiller PalSurfaceFiller;  // surface.c

// Which node of what a vertex is, in words that its user knows.
typedef struct PalVertexOrigin {
    const char *owner;  // the name of a body or instrument
    int32_t node;       // of its mesh
    PalVec3 place;      // before any motion
} PalVertexOrigin;

// How a model node moves in the step, as somebody has it.
typedef PalVec3 (*PalNodeVelocity)(const void *context, int32_t node);

typedef struct PalSurfaceSource {
    const char *name;  // of the kind of object, for messages
    bool soft;         // model nodes carry its vertices. Soft objects come before all others
    // Is it a free rigid body? Its vertices then hang on its velocity and spin. NULL: never.
    bool (*is_free)(const PalModel *model, int32_t index);
    // How many vertices and triangles there are; `index` is the object's number among its kind.
    void (*count)(const PalModel *model, int32_t index, int32_t *vertices, int32_t *facets);
    // Adds them, by the functions below.
    void (*fill)(const PalModel *model, int32_t index, PalSurfaceFiller *filler);
    // Where a vertex is at the start of the step and, as predicted, at its end.
    void (*place)(const PalContactSurface *surface, int32_t object, int32_t vertex, PalVec3 *start,
                  PalVec3 *end);
    // Puts a vertex there in the surface, and marks it as placed, and others that cost no more.
    // NULL: by `place`.
    void (*settle)(PalContactSurface *surface, int32_t object, int32_t vertex);
    // Where a vertex ends if model nodes move like this. NULL: as the weights of its holds say.
    PalVec3 (*end_of)(const PalContactSurface *surface, int32_t vertex, PalNodeVelocity velocity,
                      const void *context);
    // How much farther its vertices go than the fastest of what they hang on. NULL: no farther.
    double (*lever)(const PalModel *model, int32_t index);
    // `node` is as it was added.
    PalVertexOrigin (*origin)(const PalModel *model, int32_t index, int32_t node);
    // No vertex of the object goes farther in the step. NULL: the speeds of its nodes tell.
    double (*stride)(const PalContactSurface *surface, int32_t object);
} PalSurfaceSource;

extern const PalSurfaceSource pal_source_soft;      // a body's boundary
extern const PalSurfaceSource pal_source_membrane;  // both sides of a thin body
extern const PalSurfaceSource pal_source_rigid;     // an instrument

// One object of a surface.
typedef struct PalSurfaceObject {
    const PalSurfaceSource *source;
    int32_t index;
} PalSurfaceObject;

// Room for a number per model node, to work with; two of them. What it holds is anybody's.
int32_t *pal_filler_scratch(PalSurfaceFiller *filler, int which);

// Adds a vertex. A soft one hangs on this model node with weight 1 unless more is said; the node of
// another kind is the source's own number. Returns its number in the surface.
int32_t pal_filler_add_vertex(PalSurfaceFiller *filler, int32_t node);
// The vertex last added hangs on these model nodes instead; weights add up to 1. It moves with
// those of weight 0 as well, but no impulse gets there.
void pal_filler_hang(PalSurfaceFiller *filler, int32_t count, const int32_t *nodes,
                     const double *weights);
// Three or four corners, outward.
void pal_filler_add_facet(PalSurfaceFiller *filler, const int32_t corners[3]);
void pal_filler_add_quad(PalSurfaceFiller *filler, const int32_t corners[4]);

#endif
