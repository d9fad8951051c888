// With A = sum to from^T = U S V^T, the best R = U V^T, its last column turned if need be so that R
// is no reflection. V is found from A^T A; the columns of U are A V / S, the last one is the cross
// product of the others, as in V: that also settles flat sets, whose least S is zero.
#include "geometry/procrustes.h"

static PalVec3 column(const PalMat3 *a, int k)
{
    return pal_vec3(a->m[0][k], a->m[1][k], a->m[2][k]);
}

PalMat3 pal_procrustes_rotation(const PalMat3 *products)
{
    PalMat3 transposed = pal_mat3_transpose(products), vectors;
    PalMat3 square = pal_mat3_multiply(&transposed, products);
    double values[3];
    pal_mat3_eigen_symmetric(&square, values, &vectors);
    if (!(values[2] > 0) || !isfinite(values[2]))
        return pal_mat3_identity();
    PalVec3 v[3] = {column(&vectors, 2), column(&vectors, 1)}, u[3];
    u[0] = pal_vec3_normalise(pal_mat3_apply(products, v[0]));
    u[1] = pal_mat3_apply(products, v[1]);
    u[1] = pal_vec3_add_scaled(u[1], -pal_vec3_dot(u[0], u[1]), u[0]);
    // on a line, any turn about it is as good
    if (pal_vec3_dot(u[1], u[1]) <= 1e-24 * values[2])
        u[1] = pal_vec3_any_across(u[0]);
    u[1] = pal_vec3_normalise(u[1]);
    u[2] = pal_vec3_cross(u[0], u[1]);
    v[2] = pal_vec3_cross(v[0], v[1]);
    PalMat3 rotation = {{{0}}};
    for (int k = 0; k < 3; ++k)
        pal_procrustes_add(&rotation, u[k], v[k]);
    return rotation;
}
