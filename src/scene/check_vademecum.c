// What a vademecum of the scene would be computed for: better known before it is.
#include "scene/check.h"

#include "math/vec3.h"

#include <stdlib.h>

#define LEAST 4  // nodes that should share a load

static int compare_counts(const void *a, const void *b)
{
    const int32_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

// Leaves those nodes of a list that are on the surface.
static int32_t keep_surface(const PalSurface *surface, bool *there, int32_t *nodes, int32_t count)
{
    int32_t kept = 0;
    for (int64_t i = 0; i < (int64_t)surface->facet_count * surface->corner_count; ++i)
        there[surface->facets[i]] = true;
    for (int32_t i = 0; i < count; ++i)
        if (there[nodes[i]])
            nodes[kept++] = nodes[i];
    return kept;
}

// How many nodes of the surface share a load: half of all loads have fewer, the others more.
static int32_t median_patch(const PalMesh *mesh, const bool *there, const PalVademecumDef *def,
                            const int32_t *sites, int32_t *counts, int32_t site_count)
{
    for (int32_t s = 0; s < site_count; ++s) {
        counts[s] = 0;
        for (int32_t n = 0; n < mesh->node_count; ++n)
            counts[s] +=
                there[n] && pal_vec3_distance(mesh->nodes[n], mesh->nodes[sites[s]]) <= def->patch;
    }
    qsort(counts, (size_t)site_count, sizeof *counts, compare_counts);
    return counts[site_count / 2];
}

PalStatus pal_check_vademecum(const PalScene *scene, PalFindings *findings, PalError *error)
{
    const PalVademecumDef *def = pal_scene_vademecum(scene);
    if (def == NULL)
        return PAL_OK;
    const PalBodyDef *body = &scene->body_defs[def->body_index];
    const PalSurface *surface = scene->bodies[def->body_index].surface;
    int32_t *sites = NULL, count = 0;
    PAL_TRY(pal_mesh_select_nodes(body->mesh, &def->where, &sites, &count, error));
    bool *there = calloc((size_t)body->mesh->node_count, sizeof *there);
    int32_t *counts = calloc((size_t)count + 1, sizeof *counts);
    PalStatus status = there != NULL && counts != NULL ? PAL_OK : pal_tree_no_memory(error);
    if (status == PAL_OK && (count = keep_surface(surface, there, sites, count)) > 0) {
        int32_t median = median_patch(body->mesh, there, def, sites, counts, count);
        pal_findings_add(findings, median < LEAST ? PAL_FINDING_WARNING : PAL_FINDING_NOTE,
                         "vademecum of body \"%s\": loads at up to %d places, %d node%s of the "
                         "surface in a patch of radius %g%s",
                         body->name, (int)count, (int)median, median > 1 ? "s" : "", def->patch,
                         median < LEAST ? ": a load should be shared by more, so that a patch "
                                          "needs a finer mesh or a larger radius (in the units "
                                          "of the mesh)"
                                        : "");
    }
    free(there);
    free(counts);
    free(sites);
    return status;
}
