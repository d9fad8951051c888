// Hierarchies for the tests, which fail where there is none.
#ifndef PAL_TESTS_TREES_H
#define PAL_TESTS_TREES_H

#include "check.h"
#include "surfaces.h"

static inline PalHierarchy *hierarchy_of(const Surface *surface, PalHierarchyKind kind,
                                         PalConeKind cone, double margin)
{
    PalError error = {0};
    PalHierarchy *hierarchy = NULL;
    check_ok(pal_hierarchy_create(kind, cone, margin, &surface->triangles, &hierarchy, &error),
             &error);
    return hierarchy;
}

static inline PalHierarchy *hierarchy_by_edges_of(const Surface *surface, PalHierarchyKind kind,
                                                  PalConeKind cone, double margin)
{
    PalError error = {0};
    PalHierarchy *hierarchy = NULL;
    check_ok(
        pal_hierarchy_create_by_edges(kind, cone, margin, &surface->triangles, &hierarchy, &error),
        &error);
    return hierarchy;
}

#endif
