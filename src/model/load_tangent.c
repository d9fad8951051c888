// A corner a of a facet gets f_a = - p sum_q w_a x_xi cross x_eta. With e_b = N_b,xi x_eta -
// N_b,eta x_xi its derivative by corner b is p sum_q w_a [e_b], where [e] d = e cross d.
#include "model/load_tangent.h"

#include "math/vec3.h"
#include "model/conditions.h"
#include "model/facet_load.h"

// The points of a facet: weights of the corners and e of each.
typedef struct Points {
    int count;
    double weight[PAL_TRIANGLE_POINTS][6];
    PalVec3 e[PAL_TRIANGLE_POINTS][6];
} Points;

static void find_triangle(const PalVec3 x[3], Points *points)
{
    points->count = 1;
    for (int a = 0; a < 3; ++a) {
        points->weight[0][a] = 1.0 / 6;
        points->e[0][a] = pal_vec3_sub(x[(a + 1) % 3], x[(a + 2) % 3]);
    }
}

static void find_quadrilateral(const PalVec3 x[4], Points *points)
{
    static const double sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    const double gauss = 0.57735026918962576451;  // 1 / sqrt 3
    points->count = 4;
    for (int q = 0; q < 4; ++q) {
        double xi = gauss * sign[q][0], eta = gauss * sign[q][1], by_xi[4], by_eta[4];
        PalVec3 along_xi = {0, 0, 0}, along_eta = {0, 0, 0};
        for (int a = 0; a < 4; ++a) {
            by_xi[a] = sign[a][0] * (1 + sign[a][1] * eta) / 4;
            by_eta[a] = sign[a][1] * (1 + sign[a][0] * xi) / 4;
            along_xi = pal_vec3_add_scaled(along_xi, by_xi[a], x[a]);
            along_eta = pal_vec3_add_scaled(along_eta, by_eta[a], x[a]);
        }
        for (int a = 0; a < 4; ++a) {
            points->weight[q][a] = (1 + sign[a][0] * xi) * (1 + sign[a][1] * eta) / 4;
            points->e[q][a] =
                pal_vec3_add_scaled(pal_vec3_scale(by_xi[a], along_eta), -by_eta[a], along_xi);
        }
    }
}

static void find_quadratic(const PalVec3 x[6], Points *points)
{
    points->count = PAL_TRIANGLE_POINTS;
    for (int q = 0; q < PAL_TRIANGLE_POINTS; ++q) {
        double N[6], slopes[6][2];
        PalVec3 along[2] = {{0, 0, 0}, {0, 0, 0}};
        pal_quadratic_triangle(pal_triangle_points[q].parts, N, slopes);
        for (int a = 0; a < 6; ++a)
            for (int k = 0; k < 2; ++k)
                along[k] = pal_vec3_add_scaled(along[k], slopes[a][k], x[a]);
        for (int a = 0; a < 6; ++a) {
            points->weight[q][a] = pal_triangle_points[q].weight * N[a];
            points->e[q][a] = pal_vec3_add_scaled(pal_vec3_scale(slopes[a][0], along[1]),
                                                  -slopes[a][1], along[0]);
        }
    }
}

// Adds - [v] to the rows of one node and the columns of another, in the lower triangle.
static void add_cross(PalStiffness *stiffness, int32_t node, int32_t other, PalVec3 v)
{
    const double minus[3][3] = {{0, v.z, -v.y}, {-v.z, 0, v.x}, {v.y, -v.x, 0}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (minus[i][j] != 0)
                pal_stiffness_add(stiffness, 3 * (int64_t)node + i, 3 * (int64_t)other + j,
                                  minus[i][j]);
}

static void find_points(const PalModel *model, const PalState *state, const PalFacetLoad *load,
                        const int32_t *facet, Points *points)
{
    PalVec3 x[6];
    for (int a = 0; a < load->corner_count; ++a)
        x[a] = pal_vec3_add(model->nodes[facet[a]], state->displacement[facet[a]]);
    if (load->corner_count == 3)
        find_triangle(x, points);
    else if (load->corner_count == 4)
        find_quadrilateral(x, points);
    else
        find_quadratic(x, points);
}

// p sum_q (w_a e_b + sign w_b e_a) / 2
static PalVec3 half_of_pair(const PalFacetLoad *load, const Points *points, int a, int b,
                            double sign)
{
    PalVec3 sum = {0, 0, 0};
    for (int q = 0; q < points->count; ++q) {
        sum = pal_vec3_add_scaled(sum, points->weight[q][a] / 2, points->e[q][b]);
        sum = pal_vec3_add_scaled(sum, sign * points->weight[q][b] / 2, points->e[q][a]);
    }
    return pal_vec3_scale(load->pressure, sum);
}

typedef struct Pass {
    const PalModel *model;
    const PalState *state;
    PalStiffness *stiffness;  // or these:
    const PalVec3 *motion;
    PalVec3 *force;
} Pass;

static void add_facet(const Pass *pass, const PalFacetLoad *load, const int32_t *facet)
{
    Points points;
    find_points(pass->model, pass->state, load, facet, &points);
    for (int a = 0; a < load->corner_count; ++a)
        for (int b = 0; b < load->corner_count; ++b) {
            int32_t at = facet[a], other = facet[b];
            if (pass->stiffness == NULL) {
                PalVec3 v = half_of_pair(load, &points, a, b, 1);
                pass->force[at] =
                    pal_vec3_sub(pass->force[at], pal_vec3_cross(v, pass->motion[other]));
            } else if (a != b) {
                add_cross(pass->stiffness, at, other, half_of_pair(load, &points, a, b, -1));
            }
        }
}

static void add_all(const Pass *pass, double time)
{
    const PalConditions *conditions = pass->model->conditions;
    for (int32_t l = 0; l < pal_conditions_facet_load_count(conditions); ++l) {
        double factor;
        PalFacetLoad load =
            pal_conditions_facet_load(conditions, pass->state->conditions, l, time, &factor);
        load.pressure *= factor;
        int32_t slots = load.start[load.node_count];
        for (int32_t f = 0; load.follows && f < slots; f += load.corner_count)
            add_facet(pass, &load, load.facets + f);
    }
}

void pal_conditions_add_tangent(const PalModel *model, const PalState *state, double time,
                                PalStiffness *stiffness)
{
    add_all(&(Pass){.model = model, .state = state, .stiffness = stiffness}, time);
}

void pal_conditions_add_rim(const PalModel *model, const PalState *state, double time,
                            const PalVec3 *motion, PalVec3 *force)
{
    add_all(&(Pass){.model = model, .state = state, .motion = motion, .force = force}, time);
}
