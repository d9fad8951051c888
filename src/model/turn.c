// The midpoint rule for Euler's equations. With L the momentum along the principal axes, J the
// moments, M = (L + L+) / 2 and u = dt / 2 J^-1 M:
//   L+ - L = 2 M x u,   so that   J u + u x J u = dt / 2 L,
// or u_i + a_i u_j u_k = dt / 2 L_i / J_i with a_i = (J_k - J_j) / J_i. No |a_i| exceeds 1, because
// no moment exceeds the sum of the others. The body turns by the quaternion (1, u), and turning L
// back by it gives L+: momentum in space is kept.   docs/theory/rigid.md, 2
#include "model/turn.h"

#include "math/components.h"

#define PART_ANGLE 0.5   // radians: in so much Newton's method cannot miss
#define PART_MAX   1000  // parts a step may be cut into
#define NEWTON_MAX 20
#define CLOSE      1e-10  // relative change after which the next one is below rounding

double pal_turn_angle_bound(const double moments[3], PalVec3 momentum, double time)
{
    // |w|^2 is at most 2 E / (the least moment), and the energy stays
    const double *l = &momentum.x;
    double energy = 0, least = fmin(moments[0], fmin(moments[1], moments[2]));
    for (int i = 0; i < 3; ++i)
        energy += l[i] * l[i] / moments[i];
    return sqrt(energy / least) * time;
}

// One step of Newton's method; returns the length of the change.
static double improve(const double a[3], const double b[3], PalVec3 *root)
{
    double *u = &root->x;
    PalMat3 slope;
    PalVec3 rest = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        slope.m[i][i] = 1;
        slope.m[i][j] = a[i] * u[k];
        slope.m[i][k] = a[i] * u[j];
        pal_vec3_put(&rest, i, b[i] - u[i] - a[i] * u[j] * u[k]);
    }
    PalMat3 inverse = pal_mat3_inverse(&slope);
    PalVec3 change = pal_mat3_apply(&inverse, rest);
    *root = pal_vec3_add(*root, change);
    return pal_vec3_length(change);
}

static bool turn_part(const double moments[3], PalVec3 momentum, double time, PalQuaternion *turn)
{
    double a[3], b[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = (moments[(i + 2) % 3] - moments[(i + 1) % 3]) / moments[i];
        b[i] = time / 2 * pal_vec3_at(momentum, i) / moments[i];
    }
    PalVec3 u = {b[0], b[1], b[2]};
    bool found = false;
    for (int i = 0; i < NEWTON_MAX && !found; ++i)
        found = improve(a, b, &u) <= CLOSE * pal_vec3_length(u);
    *turn = pal_quaternion_normalise((PalQuaternion){1, u.x, u.y, u.z});
    return found;
}

bool pal_turn_freely(const double moments[3], PalVec3 momentum, double time, PalQuaternion *turn)
{
    *turn = pal_quaternion_identity();
    double parts = ceil(pal_turn_angle_bound(moments, momentum, time) / PART_ANGLE);
    if (!(parts <= PART_MAX))
        return false;
    for (int i = 0; i < (int)parts; ++i) {
        PalQuaternion part;
        if (!turn_part(moments, momentum, time / parts, &part))
            return false;
        momentum = pal_quaternion_apply(pal_quaternion_conjugate(part), momentum);
        *turn = pal_quaternion_multiply(*turn, part);
    }
    return true;
}
