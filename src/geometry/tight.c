#include "geometry/tight.h"

#include "math/mat3.h"

// Axes; body diagonals; face diagonals. A 14-DOP has the first two, an 18-DOP the first and the
// last, a 26-DOP all.
static const double directions[PAL_TIGHT_SLABS][3] = {
    {1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 1},  {1, 1, -1}, {1, -1, 1}, {1, -1, -1},
    {1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1}, {0, 1, 1},  {0, 1, -1},
};

int pal_slab_count(PalLeafKind kind)
{
    switch (kind) {
    case PAL_LEAF_AABB:
        return 3;
    case PAL_LEAF_DOP14:
        return 7;
    case PAL_LEAF_DOP18:
        return 9;
    case PAL_LEAF_DOP26:
        return 13;
    default:
        return 0;
    }
}

void pal_slabs_fit(PalLeafKind kind, const PalVec3 *points, int count, double margin,
                   PalSlabs *slabs)
{
    int slab_count = pal_slab_count(kind);
    *slabs = (PalSlabs){0};
    for (int d = 0; d < slab_count; ++d) {
        int k = kind == PAL_LEAF_DOP18 && d >= 3 ? d + 4 : d;
        PalVec3 direction = {directions[k][0], directions[k][1], directions[k][2]};
        double least = INFINITY, most = -INFINITY, size = 0;
        for (int n = 0; n < count; ++n) {
            double along = pal_vec3_dot(direction, points[n]);
            least = fmin(least, along);
            most = fmax(most, along);
            size = fmax(size, fabs(points[n].x) + fabs(points[n].y) + fabs(points[n].z));
        }
        // a float keeps 6e-8 of a number; what is larger than any float is endless
        double pad = margin * pal_vec3_length(direction) + 1.3e-7 * size + 1e-37;
        slabs->lower[d / 4][d % 4] = (float)(least - pad);
        slabs->upper[d / 4][d % 4] = (float)(most + pad);
    }
}

// Axes of inertia of points of equal mass: eigenvectors of their spread, which are those of the
// tensor of inertia.
static PalMat3 axes_of(const PalVec3 *points, int count, PalVec3 middle)
{
    PalMat3 spread = {{{0}}}, axes;
    double values[3];
    for (int n = 0; n < count; ++n) {
        PalVec3 arm = pal_vec3_sub(points[n], middle);
        const double x[3] = {arm.x, arm.y, arm.z};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                spread.m[i][j] += x[i] * x[j];
    }
    pal_mat3_eigen_symmetric(&spread, values, &axes);
    return axes;
}

void pal_tight_box_fit(const PalVec3 *points, int count, double margin, PalTightBox *box)
{
    PalVec3 middle = {0, 0, 0};
    for (int n = 0; n < count; ++n)
        middle = pal_vec3_add_scaled(middle, 1.0 / count, points[n]);
    PalMat3 axes = axes_of(points, count, middle);
    double size = 0, half[3];
    for (int n = 0; n < count; ++n)
        size = fmax(size, fabs(points[n].x) + fabs(points[n].y) + fabs(points[n].z));
    box->centre = middle;
    for (int i = 0; i < 3; ++i) {
        PalVec3 axis = {axes.m[0][i], axes.m[1][i], axes.m[2][i]};
        double least = INFINITY, most = -INFINITY;
        for (int n = 0; n < count; ++n) {
            double along = pal_vec3_dot(axis, pal_vec3_sub(points[n], middle));
            least = fmin(least, along);
            most = fmax(most, along);
        }
        box->axes[i] = axis;
        box->centre = pal_vec3_add_scaled(box->centre, (least + most) / 2, axis);
        half[i] = (most - least) / 2 + margin + 1e-14 * size;
    }
    box->half = (PalVec3){half[0], half[1], half[2]};
}

// How far the box reaches from its centre along a unit vector.
static double reach_along(const PalTightBox *box, PalVec3 axis)
{
    return box->half.x * fabs(pal_vec3_dot(axis, box->axes[0])) +
           box->half.y * fabs(pal_vec3_dot(axis, box->axes[1])) +
           box->half.z * fabs(pal_vec3_dot(axis, box->axes[2]));
}

bool pal_tight_boxes_apart(const PalTightBox *a, const PalTightBox *b)
{
    PalVec3 way = pal_vec3_sub(b->centre, a->centre);
    for (int i = 0; i < 6; ++i) {
        PalVec3 axis = i < 3 ? a->axes[i] : b->axes[i - 3];
        if (fabs(pal_vec3_dot(axis, way)) >
            (1 + 1e-14) * (reach_along(a, axis) + reach_along(b, axis)))
            return true;
    }
    return false;
}

bool pal_tight_apart(PalLeafKind kind, const PalVec3 *a, const PalVec3 *b, int count, double margin)
{
    if (kind == PAL_LEAF_OBB) {
        PalTightBox first, second;
        pal_tight_box_fit(a, count, margin, &first);
        pal_tight_box_fit(b, count, margin, &second);
        return pal_tight_boxes_apart(&first, &second);
    }
    PalSlabs first, second;
    pal_slabs_fit(kind, a, count, margin, &first);
    pal_slabs_fit(kind, b, count, margin, &second);
    return pal_slabs_apart(&first, &second, pal_slab_count(kind));
}
