#include "geometry/closest.h"

// Parameter of the point of an edge that is closest to p; 0 for an edge of no length.
static double project(PalVec3 p, PalVec3 a, PalVec3 b)
{
    PalVec3 edge = pal_vec3_sub(b, a);
    double length2 = pal_vec3_dot(edge, edge);
    return length2 > 0 ? pal_closest_clamp(pal_vec3_dot(edge, pal_vec3_sub(p, a)) / length2) : 0;
}

// The best of the three edges and, where the inside can be told, of the face.
double pal_closest_on_sliver(PalVec3 p, const PalVec3 triangle[3], double weights[3],
                             PalFeature *feature)
{
    double least = INFINITY;
    weights[0] = 1;
    weights[1] = weights[2] = 0;
    *feature = PAL_FEATURE_VERTEX_0;
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        double t = project(p, triangle[k], triangle[next]);
        double trial[3] = {0, 0, 0};
        trial[k] = 1 - t;
        trial[next] = t;
        double distance = pal_closest_finish(p, triangle, trial);
        if (!(distance < least))
            continue;
        least = distance;
        *feature = (PalFeature)(t <= 0   ? PAL_FEATURE_VERTEX_0 + k
                                : t >= 1 ? PAL_FEATURE_VERTEX_0 + next
                                         : PAL_FEATURE_EDGE_0 + k);
        for (int i = 0; i < 3; ++i)
            weights[i] = trial[i];
    }
    PalVec3 normal = pal_vec3_cross(pal_vec3_sub(triangle[1], triangle[0]),
                                    pal_vec3_sub(triangle[2], triangle[0]));
    double area = pal_vec3_dot(normal, normal), inside[3];
    if (!(area > 0))
        return least;
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        PalVec3 edge = pal_vec3_sub(triangle[last], triangle[next]);
        inside[k] = pal_vec3_dot(normal, pal_vec3_cross(edge, pal_vec3_sub(p, triangle[next])));
    }
    double sum = inside[0] + inside[1] + inside[2];
    if (inside[0] > 0 && inside[1] > 0 && inside[2] > 0) {
        double trial[3] = {inside[0] / sum, inside[1] / sum, inside[2] / sum};
        double distance = pal_closest_finish(p, triangle, trial);
        if (distance < least) {
            least = distance;
            *feature = PAL_FEATURE_FACE;
            for (int i = 0; i < 3; ++i)
                weights[i] = trial[i];
        }
    }
    return least;
}

// The best of each end with the other edge, and of the crossing where it can be told.
double pal_closest_on_parallel_edges(PalVec3 a0, PalVec3 a1, PalVec3 b0, PalVec3 b1,
                                     double weights[2], bool interior[2])
{
    const PalVec3 ends_a[2] = {a0, a1}, ends_b[2] = {b0, b1};
    PalVec3 a = pal_vec3_sub(a1, a0), b = pal_vec3_sub(b1, b0), r = pal_vec3_sub(b0, a0);
    PalVec3 normal = pal_vec3_cross(a, b);
    double sine = pal_vec3_dot(normal, normal), trial[5][2];
    for (int k = 0; k < 2; ++k) {
        trial[k][0] = k;
        trial[k][1] = project(ends_a[k], b0, b1);
        trial[2 + k][0] = project(ends_b[k], a0, a1);
        trial[2 + k][1] = k;
    }
    if (sine > 0) {
        // The crossing is uncertain along both edges; its gap is not once projected.
        double s = pal_closest_clamp(pal_vec3_dot(pal_vec3_cross(r, b), normal) / sine);
        trial[4][1] = project(pal_vec3_add_scaled(a0, s, a), b0, b1);
        trial[4][0] = project(pal_vec3_add_scaled(b0, trial[4][1], b), a0, a1);
    }
    double least = INFINITY;
    weights[0] = weights[1] = 0;
    interior[0] = interior[1] = false;
    for (int k = 0; k < (sine > 0 ? 5 : 4); ++k) {
        PalVec3 gap = pal_vec3_add_scaled(r, trial[k][1], b);
        double distance = pal_vec3_length(pal_vec3_add_scaled(gap, -trial[k][0], a));
        if (!(distance < least))
            continue;
        least = distance;
        for (int i = 0; i < 2; ++i) {
            weights[i] = trial[k][i];
            interior[i] = weights[i] > 0 && weights[i] < 1;
        }
    }
    return least;
}
