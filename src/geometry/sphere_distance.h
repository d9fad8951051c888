// How far two surfaces are apart, by their trees of spheres.
#ifndef PAL_GEOMETRY_SPHERE_DISTANCE_H
#define PAL_GEOMETRY_SPHERE_DISTANCE_H

#include "base/array.h"
#include "geometry/sphere_tree.h"

typedef struct PalSphereVisit {
    int32_t a, b;
    double gap;  // of the two spheres
} PalSphereVisit;

// What a search works with, and where it has found the least distance.
typedef struct PalSphereSearch {
    PAL_ARRAY(PalSphereVisit) stack;
    int64_t tests, facet_tests;  // of two spheres and of two facets
    int32_t facets[2];           // nearest to each other; PAL_NONE: nothing was compared
    bool edges;                  // by an edge of each; otherwise by a vertex and a facet
    PalVec3 places[2];           // the nearest points
} PalSphereSearch;

// Distance of two triangles that do not cross, and where. Crossing ones may be apart by up to their
// size.
double pal_triangle_distance(const PalVec3 a[3], const PalVec3 b[3], PalVec3 places[2],
                             bool *edges);

// Of two facets at the ends of the step, 0 where they cross, if it is less than `least`; otherwise
// anything that is not.
double pal_facet_distance(const PalTriangles *first, int32_t f, const PalTriangles *second,
                          int32_t g, double least);

// Of two facets of one surface, of what they do not share.
double pal_hinged_distance(const PalTriangles *triangles, int32_t f, int32_t g, double least);

// The distance of two surfaces at the ends of the step, if it is more than `enough`; else any
// distance found that is not. Trees are fitted without a margin. -INFINITY: a number is missing, or
// there is no memory.
double pal_sphere_distance(PalSphereSearch *search, const PalSphereTree *a,
                           const PalTriangles *first, const PalSphereTree *b,
                           const PalTriangles *second, double enough);

// Are they as near as `enough` where the nearer of two spheres leads? They may be, elsewhere.
bool pal_sphere_near(PalSphereSearch *search, const PalSphereTree *a, const PalTriangles *first,
                     const PalSphereTree *b, const PalTriangles *second, double enough);

// The distance of a surface with itself, likewise: of a vertex and a facet, or two edges, that have
// no vertex in common.
double pal_sphere_self_distance(PalSphereSearch *search, const PalSphereTree *tree,
                                const PalTriangles *triangles, double enough);

// Nothing is found yet.
void pal_sphere_search_begin(PalSphereSearch *search);
void pal_sphere_search_clear(PalSphereSearch *search);

#endif
