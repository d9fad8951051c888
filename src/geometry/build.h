// Building a hierarchy: what its stages share.
#ifndef PAL_GEOMETRY_BUILD_H
#define PAL_GEOMETRY_BUILD_H

#include "geometry/hierarchy.h"

// What the split asks of a facet: one cache line.
typedef struct PalBuildFacet {
    PalFloat4 lower, upper, normal, centroid;
} PalBuildFacet;

// A tree of clusters: below `cluster_count` clusters, above pairs.
typedef struct PalBuildPair {
    PalFloat4 lower, upper;
    int32_t children[2];   // PAL_NONE in a cluster
    int32_t first, count;  // a cluster's part of `queue`; a pair's number of facets
} PalBuildPair;

typedef struct PalBuild {
    const PalTriangles *triangles;
    PalHierarchy *hierarchy;
    PalBuildFacet *facets;
    float pad;                 // added to each side of a box, so that flat ones have a volume
    int32_t (*neighbours)[3];  // facets across the edge from corner k to k + 1, or PAL_NONE
    int32_t *queue;            // facets, cluster by cluster
    int32_t cluster_count, pair_count, pair_capacity;
    PalBuildPair *pairs;  // the last is the root
} PalBuild;

// Each stage returns false when there is no memory.
bool pal_build_neighbours(PalBuild *build);
bool pal_build_clusters(PalBuild *build);  // fills queue and the first pairs, makes room for all
bool pal_build_merge(PalBuild *build);
bool pal_build_split(PalBuild *build);             // volumes (two children each) and order
bool pal_build_rims(PalBuild *build);              // connected, disk, rims
bool pal_build_widen(PalHierarchy *hierarchy);     // two children become up to four
bool pal_build_schedule(PalHierarchy *hierarchy);  // inner, blocks, merges

static inline float pal_build_volume(PalFloat4 lower, PalFloat4 upper, float pad)
{
    PalFloat4 side = upper - lower + pad;
    return side[0] * side[1] * side[2];
}

#endif
