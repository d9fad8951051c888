// Volumes and trees of hierarchies for everybody: exclusion tests and depths.
#include "base/memory.h"
#include "geometry/sphere_tree.h"
#include "geometry/tight.h"

#include <string.h>

_Static_assert(sizeof(PalSphere) <= sizeof((PalEnclosure *)0)->data &&
                   sizeof(PalSlabs) <= sizeof((PalEnclosure *)0)->data &&
                   sizeof(PalTightBox) <= sizeof((PalEnclosure *)0)->data,
               "there is room for each");

bool pal_enclosure_fit(PalLeafKind kind, const PalVec3 *points, int32_t count,
                       PalEnclosure *enclosure)
{
    *enclosure = (PalEnclosure){.kind = kind};
    if (pal_leaf_choice((int32_t)kind) == NULL)
        return false;
    if (kind == PAL_LEAF_SPHERE) {
        PalSphere sphere = pal_sphere_extremal(points, count);
        memcpy(enclosure->data, &sphere, sizeof sphere);
    } else if (kind == PAL_LEAF_OBB) {
        PalTightBox box;
        pal_tight_box_fit(points, count, 0, &box);
        memcpy(enclosure->data, &box, sizeof box);
    } else {
        PalSlabs slabs;
        pal_slabs_fit(kind, points, count, 0, &slabs);
        memcpy(enclosure->data, &slabs, sizeof slabs);
    }
    return true;
}

static bool slabs_apart(const PalEnclosure *a, const PalEnclosure *b, int count)
{
    PalSlabs p, q;
    memcpy(&p, a->data, sizeof p);
    memcpy(&q, b->data, sizeof q);
    return pal_slabs_apart(&p, &q, count);
}

bool pal_enclosures_apart(const PalEnclosure *a, const PalEnclosure *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case PAL_LEAF_SPHERE: {
        PalSphere p, q;
        memcpy(&p, a->data, sizeof p);
        memcpy(&q, b->data, sizeof q);
        return pal_spheres_apart(&p, &q);
    }
    case PAL_LEAF_OBB: {
        PalTightBox p, q;
        memcpy(&p, a->data, sizeof p);
        memcpy(&q, b->data, sizeof q);
        return pal_tight_boxes_apart(&p, &q);
    }
    case PAL_LEAF_AABB:
        return slabs_apart(a, b, 3);
    case PAL_LEAF_DOP14:
        return slabs_apart(a, b, 7);
    case PAL_LEAF_DOP18:
        return slabs_apart(a, b, 9);
    case PAL_LEAF_DOP26:
        return slabs_apart(a, b, 13);
    default:
        return false;
    }
}

PalStatus pal_sphere_tree_measure(const PalMesh *surface, PalTreeDepths *depths, PalError *error)
{
    *depths = (PalTreeDepths){0};
    if (surface->cell_kind != PAL_CELL_TRIANGLE)
        return pal_error_set(error, PAL_BAD_INPUT, "a tree of spheres needs triangles");
    int32_t *objects = pal_alloc((size_t)surface->cell_count, sizeof *objects);
    if (objects == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a tree of spheres");
    PalTriangles triangles = {
        .vertex_count = surface->node_count,
        .facet_count = surface->cell_count,
        .facets = (const int32_t(*)[3])surface->cells,
        .facet_object = objects,
        .start = surface->nodes,
        .end = surface->nodes,
    };
    PalSphereTree *tree = NULL;
    PalStatus status = pal_sphere_tree_create(&triangles, &tree, error);
    if (status == PAL_OK)
        status = pal_sphere_tree_depths(tree, depths, error);
    pal_sphere_tree_destroy(tree);
    pal_free(objects);
    return status;
}
