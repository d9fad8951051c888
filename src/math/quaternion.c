#include "math/quaternion.h"

PalMat3 pal_quaternion_matrix(PalQuaternion q)
{
    double w = q.w, x = q.x, y = q.y, z = q.z;
    return (PalMat3){{
        {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
    }};
}

// The sums below are 4 w q, 4 x q, 4 y q or 4 z q: the longest loses least.
PalQuaternion pal_quaternion_from_matrix(const PalMat3 *rotation)
{
    const double(*m)[3] = rotation->m;
    double trace = m[0][0] + m[1][1] + m[2][2];
    PalQuaternion q = {1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    double most = trace;
    for (int i = 0; i < 3; ++i) {
        if (m[i][i] <= most)
            continue;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double axis[3];
        axis[i] = 1 + m[i][i] - m[j][j] - m[k][k];
        axis[j] = m[i][j] + m[j][i];
        axis[k] = m[i][k] + m[k][i];
        q = (PalQuaternion){m[k][j] - m[j][k], axis[0], axis[1], axis[2]};
        most = m[i][i];
    }
    if (q.w < 0)
        q = (PalQuaternion){-q.w, -q.x, -q.y, -q.z};
    return pal_quaternion_normalise(q);
}

PalVec3 pal_quaternion_rotation_vector(PalQuaternion q)
{
    PalVec3 axis = pal_quaternion_axis(q);
    double sine = pal_vec3_length(axis), cosine = fabs(q.w), side = q.w < 0 ? -1 : 1;
    double stretch = sine < 1e-9 ? 2 : 2 * atan2(sine, cosine) / sine;
    return pal_vec3_scale(side * stretch, axis);
}
