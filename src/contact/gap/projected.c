// johnsen2015, equations 7 and 8; johnsen2012, section 2.2.  docs/theory/contact-johnsen.md
#include "contact/gap/projected.h"

#include "math/vec3.h"

#include <math.h>

#define BESIDE      0.25   // how far beside a facet, in its own coordinates, to look further
#define ON_RIM      1e-6   // less than this beside a facet is on it
#define PROJECTIONS 30     // at most
#define STILL       1e-12  // the projection rests when its coordinates change by less
#define STEEPEST    0.1    // least cosine between continuous and plain normal

static void set_weights(double weights[3], double xi, double eta)
{
    weights[0] = 1 - xi - eta;
    weights[1] = xi;
    weights[2] = eta;
}

static bool lies_on(double weights[3])
{
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
        if (!(weights[a] >= -ON_RIM))
            return false;
        weights[a] = fmax(weights[a], 0);
        sum += weights[a];
    }
    for (int a = 0; a < 3; ++a)
        weights[a] /= sum;
    return true;
}

// The gap along the continuous normal is never less than the one along the plain normal: it is
// that one divided by the cosine between the two. So the first look can rule a facet out.
bool pal_project(PalNormals *normals, int32_t facet, PalVec3 point, double limit,
                 PalProjection *projection)
{
    const PalFacetFrame *frame = pal_normals_frame(normals, facet);
    const int32_t *corners = normals->surface->facets[facet];
    PalVec3 from = pal_vec3_sub(point, frame->origin);
    double height = pal_vec3_dot(frame->normal, from);
    double xi = pal_vec3_dot(frame->xi, from), eta = pal_vec3_dot(frame->eta, from);
    if (!(fabs(height) < limit) || !(xi >= -BESIDE) || !(eta >= -BESIDE) ||
        !(xi + eta <= 1 + BESIDE) || !(frame->area_twice > 0))
        return false;
    double *weights = projection->weights;
    set_weights(weights, xi, eta);
    for (int i = 0; i < PROJECTIONS; ++i) {
        PalVec3 normal = pal_normals_blend(normals, corners, weights, 3);
        double cosine = pal_vec3_dot(normal, frame->normal);
        if (!(cosine > STEEPEST))
            return false;
        PalVec3 foot = pal_vec3_add_scaled(from, -height / cosine, normal);
        double old_xi = xi, old_eta = eta;
        xi = pal_vec3_dot(frame->xi, foot);
        eta = pal_vec3_dot(frame->eta, foot);
        set_weights(weights, xi, eta);
        if (fabs(xi - old_xi) + fabs(eta - old_eta) <= STILL)
            break;
    }
    if (!lies_on(weights))
        return false;
    projection->normal = pal_normals_blend(normals, corners, weights, 3);
    PalVec3 arm = from;
    for (int a = 1; a < 3; ++a) {
        PalVec3 side = pal_vec3_sub(normals->surface->end[corners[a]], frame->origin);
        arm = pal_vec3_add_scaled(arm, -weights[a], side);
    }
    projection->gap = pal_vec3_dot(projection->normal, arm);
    return fabs(projection->gap) < limit;
}
