// A binary tree of spheres over the triangles of a surface, paired from below: always the two
// spheres whose common one is smallest. Omohundro (1989), as used by Aragon and Molinari (2014).
#ifndef PAL_GEOMETRY_SPHERE_TREE_H
#define PAL_GEOMETRY_SPHERE_TREE_H

#include "geometry/hierarchy.h"
#include "geometry/sphere.h"
#include <palpate/contact.h>

// Volumes 0 .. facet_count - 1 are the facets; each of the others comes after its two children, the
// root last.
typedef struct PalSphereTree {
    int32_t facet_count, volume_count;
    PalSphere *spheres;      // per volume
    int32_t (*children)[2];  // per volume that is no facet, from facet_count on
} PalSphereTree;

// Around the surface at the end of the step. No facets make a tree without volumes.
PalStatus pal_sphere_tree_create(const PalTriangles *triangles, PalSphereTree **tree,
                                 PalError *error);
void pal_sphere_tree_destroy(PalSphereTree *tree);

static inline int32_t pal_sphere_tree_root(const PalSphereTree *tree)
{
    return tree->volume_count - 1;
}

static inline bool pal_sphere_tree_is_leaf(const PalSphereTree *tree, int32_t volume)
{
    return volume < tree->facet_count;
}

static inline const int32_t *pal_sphere_tree_children(const PalSphereTree *tree, int32_t volume)
{
    return tree->children[volume - tree->facet_count];
}

// Spheres hold each facet from the start to the end of the step, with a margin.
void pal_sphere_tree_refit(PalSphereTree *tree, const PalTriangles *triangles, double margin);

// Whether each sphere holds its children and the facets their corners; says what is broken.
PalStatus pal_sphere_tree_validate(const PalSphereTree *tree, const PalTriangles *triangles,
                                   PalError *error);

PalStatus pal_sphere_tree_depths(const PalSphereTree *tree, PalTreeDepths *depths, PalError *error);

#endif
