// Where loads act: points of the surface, and the nodes that share a load.
#include "geometry/closest.h"
#include "reduced/vademecum.h"

#include <math.h>

PalVademecumPlace pal_vademecum_nearest(const PalVademecum *book, PalVec3 at)
{
    PalVademecumPlace best = {.triangle = PAL_NONE, .distance = INFINITY};
    for (int32_t t = 0; t < book->size.triangle_count; ++t) {
        const int32_t *corner = book->triangles + 3 * (int64_t)t;
        PalVec3 triangle[3];
        for (int a = 0; a < 3; ++a)
            triangle[a] = pal_vademecum_node(book, corner[a]);
        double weights[3];
        PalFeature feature;
        double distance = pal_closest_weights(at, triangle, weights, &feature)
                              ? pal_closest_finish(at, triangle, weights)
                              : pal_closest_on_sliver(at, triangle, weights, &feature);
        if (!(distance < best.distance))
            continue;
        best = (PalVademecumPlace){.triangle = t, .distance = distance};
        for (int a = 0; a < 3; ++a) {
            best.weight[a] = weights[a];
            best.point = pal_vec3_add_scaled(best.point, weights[a], triangle[a]);
        }
    }
    return best;
}

int32_t pal_vademecum_patch(const PalVademecum *book, PalVec3 at, int32_t *nodes, double *weights)
{
    double radius = book->facts.patch, sum = 0, least = INFINITY;
    int32_t count = 0, nearest = 0;
    for (int32_t i = 0; i < book->size.surface_count; ++i) {
        double distance = pal_vec3_length(pal_vec3_sub(pal_vademecum_node(book, i), at));
        if (distance < least)
            least = distance, nearest = i;
        if (distance > radius)
            continue;
        double part = distance / radius;
        nodes[count] = i;
        weights[count] = exp(-2 * part * part);
        sum += weights[count++];
    }
    if (count == 0) {
        nodes[0] = nearest;
        weights[0] = 1;
        return 1;
    }
    for (int32_t k = 0; k < count; ++k)
        weights[k] /= sum;
    return count;
}
