// Boxes with axes of their own: frames from the inertia of what they hold.
#include "geometry/obb.h"

#include "math/mat3.h"

// Rows are orthonormal and right-handed.
static PalMat3 frame_of(PalVec3 x, PalVec3 y)
{
    PalVec3 z = pal_vec3_cross(x, y);
    return (PalMat3){{{x.x, x.y, x.z}, {y.x, y.y, y.z}, {z.x, z.y, z.z}}};
}

static PalVec3 row(const PalMat3 *frame, int i)
{
    return pal_vec3(frame->m[i][0], frame->m[i][1], frame->m[i][2]);
}

// ---- moments ----------------------------------------------------------------------------

static PalMoments moments_of(const PalTriangles *triangles, const int32_t corners[3])
{
    PalMoments sum = {.count = 3};
    PalVec3 origin = triangles->end[0];  // any point of the surface: less is lost in the squares
    for (int k = 0; k < 3; ++k) {
        PalVec3 x = pal_vec3_sub(triangles->end[corners[k]], origin);
        sum.first = pal_vec3_add(sum.first, x);
        double products[6] = {x.x * x.x, x.x * x.y, x.x * x.z, x.y * x.y, x.y * x.z, x.z * x.z};
        for (int i = 0; i < 6; ++i)
            sum.second[i] += products[i];
    }
    return sum;
}

static void add_moments(PalMoments *sum, const PalMoments *more)
{
    sum->count += more->count;
    sum->first = pal_vec3_add(sum->first, more->first);
    for (int i = 0; i < 6; ++i)
        sum->second[i] += more->second[i];
}

// ---- fitting ----------------------------------------------------------------------------

void pal_obb_fit_leaf(PalHierarchy *hierarchy, const PalTriangles *triangles, int32_t place)
{
    const int32_t *corners = hierarchy->corners[place];
    int32_t v = hierarchy->leaves[place];
    PalVec3 edges[3], normal;
    int longest = 0;
    for (int k = 0; k < 3; ++k) {
        edges[k] = pal_vec3_sub(triangles->end[corners[(k + 1) % 3]], triangles->end[corners[k]]);
        if (pal_vec3_dot(edges[k], edges[k]) > pal_vec3_dot(edges[longest], edges[longest]))
            longest = k;
    }
    normal = pal_vec3_normalise(pal_vec3_cross(edges[0], edges[1]));
    PalVec3 along = pal_vec3_normalise(edges[longest]);
    PalMat3 frame = pal_mat3_identity();
    if (pal_vec3_dot(normal, normal) > 0.5 && fabs(pal_vec3_dot(normal, along)) < 1e-12)
        frame = frame_of(along, pal_vec3_cross(normal, along));
    PalFloat4 lower = {INFINITY, INFINITY, INFINITY, 0}, upper = -lower;
    for (int k = 0; k < 6; ++k) {
        const PalVec3 *x = k < 3 ? triangles->start : triangles->end;
        PalVec3 local = pal_mat3_apply(&frame, x[corners[k % 3]]);
        PalVec3 margin = pal_vec3(hierarchy->margin, hierarchy->margin, hierarchy->margin);
        lower = pal_float4_min(lower, pal_float4_lower(pal_float4(pal_vec3_sub(local, margin))));
        upper = pal_float4_max(upper, pal_float4_upper(pal_float4(pal_vec3_add(local, margin))));
    }
    hierarchy->frames[v] = frame;
    hierarchy->boxes[v] = (PalBox){lower, upper};
    hierarchy->moments[v] = moments_of(triangles, corners);
}

// Axes of inertia.
static PalMat3 principal_frame(const PalMoments *sum)
{
    PalVec3 mean = pal_vec3_scale(1 / sum->count, sum->first);
    static const int entry[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    PalMat3 spread, axes;
    double values[3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            spread.m[i][j] =
                sum->second[entry[i][j]] / sum->count - pal_vec3_at(mean, i) * pal_vec3_at(mean, j);
    pal_mat3_eigen_symmetric(&spread, values, &axes);
    PalMat3 rows = pal_mat3_transpose(&axes);
    PalVec3 x = pal_vec3_normalise(row(&rows, 2)), y = row(&rows, 1);
    y = pal_vec3_normalise(pal_vec3_add_scaled(y, -pal_vec3_dot(x, y), x));
    PalMat3 frame = frame_of(x, y);
    return pal_vec3_is_finite(x) && pal_vec3_is_finite(y) ? frame : pal_mat3_identity();
}

// ---- boxes ------------------------------------------------------------------------------

// A box as seen from another frame.
typedef struct Seen {
    PalVec3 centre, half;
    PalMat3 turn;  // own axes in the other frame, as columns
} Seen;

static Seen see(const PalBox *box, const PalMat3 *own, const PalMat3 *frame)
{
    Seen seen;
    PalVec3 middle, half;
    middle = pal_vec3(0.5 * ((double)box->lower[0] + (double)box->upper[0]),
                      0.5 * ((double)box->lower[1] + (double)box->upper[1]),
                      0.5 * ((double)box->lower[2] + (double)box->upper[2]));
    half = pal_vec3(0.5 * ((double)box->upper[0] - (double)box->lower[0]),
                    0.5 * ((double)box->upper[1] - (double)box->lower[1]),
                    0.5 * ((double)box->upper[2] - (double)box->lower[2]));
    PalMat3 back = pal_mat3_transpose(own);
    seen.turn = pal_mat3_multiply(frame, &back);
    seen.centre = pal_mat3_apply(&seen.turn, middle);
    seen.half = half;
    return seen;
}

void pal_obb_fit_inner(PalHierarchy *hierarchy, int32_t volume)
{
    int32_t first = hierarchy->volumes[volume].first_child;
    int32_t count = hierarchy->volumes[volume].child_count;
    PalMoments *sum = &hierarchy->moments[volume];
    *sum = hierarchy->moments[first];
    for (int32_t k = 1; k < count; ++k)
        add_moments(sum, &hierarchy->moments[first + k]);
    PalMat3 *frame = &hierarchy->frames[volume];
    *frame = principal_frame(sum);
    pal_obb_enclose_children(hierarchy, volume);
}

void pal_obb_enclose_children(PalHierarchy *hierarchy, int32_t volume)
{
    const PalVolume *parent = &hierarchy->volumes[volume];
    PalFloat4 lower = {INFINITY, INFINITY, INFINITY, 0}, upper = -lower;
    for (int32_t k = 0; k < parent->child_count; ++k) {
        int32_t child = parent->first_child + k;
        Seen seen =
            see(&hierarchy->boxes[child], &hierarchy->frames[child], &hierarchy->frames[volume]);
        double reach[3];
        for (int i = 0; i < 3; ++i)
            reach[i] = fabs(seen.turn.m[i][0]) * seen.half.x +
                       fabs(seen.turn.m[i][1]) * seen.half.y +
                       fabs(seen.turn.m[i][2]) * seen.half.z;
        PalVec3 half = pal_vec3(reach[0], reach[1], reach[2]);
        lower =
            pal_float4_min(lower, pal_float4_lower(pal_float4(pal_vec3_sub(seen.centre, half))));
        upper =
            pal_float4_max(upper, pal_float4_upper(pal_float4(pal_vec3_add(seen.centre, half))));
    }
    hierarchy->boxes[volume] = (PalBox){lower, upper};
}

// Twice the reach of box b (seen from a) and of box a along an axis given in a's frame, against
// the distance of their centres along it.
static bool apart_along(const Seen *b, PalVec3 half_a, PalVec3 distance, PalVec3 axis)
{
    PalMat3 columns = pal_mat3_transpose(&b->turn);
    PalVec3 in_b = pal_mat3_apply(&columns, axis);
    double reach = fabs(axis.x) * half_a.x + fabs(axis.y) * half_a.y + fabs(axis.z) * half_a.z +
                   fabs(in_b.x) * b->half.x + fabs(in_b.y) * b->half.y + fabs(in_b.z) * b->half.z;
    double rounding = 1e-13 * (reach + fabs(b->centre.x) + fabs(b->centre.y) + fabs(b->centre.z));
    return fabs(pal_vec3_dot(distance, axis)) > reach + rounding;
}

bool pal_obbs_overlap(const PalBox *a, const PalMat3 *frame_a, const PalBox *b,
                      const PalMat3 *frame_b)
{
    Seen own = see(a, frame_a, frame_a), other = see(b, frame_b, frame_a);
    PalVec3 distance = pal_vec3_sub(other.centre, own.centre);
    PalMat3 columns = pal_mat3_transpose(&other.turn);
    PalMat3 unit = pal_mat3_identity();
    for (int i = 0; i < 3; ++i)
        if (apart_along(&other, own.half, distance, row(&unit, i)) ||
            apart_along(&other, own.half, distance, row(&columns, i)))
            return false;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (apart_along(&other, own.half, distance,
                            pal_vec3_cross(row(&unit, i), row(&columns, j))))
                return false;
    return true;
}
