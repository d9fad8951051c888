#include "contact/gap/gap.h"

#include "geometry/closest.h"

PalVec3 pal_gap_difference(const PalGap *gap, const PalVec3 *vectors)
{
    PalVec3 sum = {0, 0, 0};
    for (int32_t k = 0; k < gap->count; ++k)
        sum = pal_vec3_add_scaled(sum, gap->weights[k], vectors[gap->vertices[k]]);
    return sum;
}

PalVec3 pal_gap_point(const PalGap *gap, const PalVec3 *positions, int side)
{
    int32_t split = pal_kind_split(gap->kind);
    PalVec3 sum = {0, 0, 0};
    for (int32_t k = side == 0 ? 0 : split; k < (side == 0 ? split : gap->count); ++k)
        sum = pal_vec3_add_scaled(sum, pal_gap_share(gap, k), positions[gap->vertices[k]]);
    return sum;
}

PalVec3 pal_shortest_way(PalContactKind kind, const PalVec3 x[4])
{
    if (kind == PAL_CONTACT_NODE_FACET) {
        double w[3];
        PalFeature feature;
        pal_closest_on_triangle(x[0], &x[1], w, &feature);
        PalVec3 apart = pal_vec3_add_scaled(x[0], -w[0], x[1]);
        return pal_vec3_add_scaled(pal_vec3_add_scaled(apart, -w[1], x[2]), -w[2], x[3]);
    }
    double w[2];
    bool interior[2];
    pal_closest_on_edges(x[0], x[1], x[2], x[3], w, interior);
    PalVec3 a = pal_vec3_add_scaled(x[0], w[0], pal_vec3_sub(x[1], x[0]));
    PalVec3 b = pal_vec3_add_scaled(x[2], w[1], pal_vec3_sub(x[3], x[2]));
    return pal_vec3_sub(a, b);
}
