// Determinants are first evaluated in double precision with a bound of the error (Shewchuk 1997);
// only where that does not tell the sign, all products are expanded without any error into sums
// of doubles.
#include "geometry/orient.h"
#include "math/vec3.h"

#include <float.h>

enum { TERMS_MAX = 192 };

// An exact sum: doubles of growing size whose digits do not overlap, none of them 0.
typedef struct Sum {
    int count;
    double terms[TERMS_MAX + 1];
} Sum;

// A difference or product of two doubles, exactly: high is it rounded, low the rest.
typedef struct Pair {
    double high, low;
} Pair;

static Pair add(double a, double b)
{
    double sum = a + b, of_b = sum - a, of_a = sum - of_b;
    return (Pair){sum, (a - of_a) + (b - of_b)};
}

static Pair multiply(double a, double b)
{
    double product = a * b;
    return (Pair){product, fma(a, b, -product)};
}

static void accumulate(Sum *sum, double x)
{
    int count = 0;
    for (int k = 0; k < sum->count; ++k) {
        Pair pair = add(x, sum->terms[k]);
        x = pair.high;
        if (pair.low != 0 && count < TERMS_MAX)
            sum->terms[count++] = pair.low;
    }
    if (x != 0)
        sum->terms[count++] = x;
    sum->count = count;
}

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

// The largest term outweighs all others together.
static int sign_of_sum(const Sum *sum)
{
    return sum->count == 0 ? 0 : sign_of(sum->terms[sum->count - 1]);
}

static void accumulate_product(Sum *sum, Pair a, Pair b, double sign)
{
    const double as[2] = {a.low, a.high}, bs[2] = {b.low, b.high};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            Pair product = multiply(as[i], bs[j]);
            accumulate(sum, sign * product.low);
            accumulate(sum, sign * product.high);
        }
}

static int exact_orient3d(const PalVec3 points[3], PalVec3 d)
{
    Pair r[3][3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            r[i][k] = add(pal_vec3_at(points[i], k), -pal_vec3_at(d, k));
    Sum sum = {0};
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        Sum minor = {0};
        accumulate_product(&minor, r[0][next], r[1][last], 1);
        accumulate_product(&minor, r[0][last], r[1][next], -1);
        for (int i = 0; i < minor.count; ++i)
            accumulate_product(&sum, (Pair){minor.terms[i], 0}, r[2][k], 1);
    }
    return sign_of_sum(&sum);
}

int pal_orient3d(PalVec3 a, PalVec3 b, PalVec3 c, PalVec3 d)
{
    PalVec3 ad = pal_vec3_sub(a, d), bd = pal_vec3_sub(b, d), cd = pal_vec3_sub(c, d);
    double bc = ad.x * bd.y, cb = ad.y * bd.x;
    double ca = ad.y * bd.z, ac = ad.z * bd.y;
    double ab = ad.z * bd.x, ba = ad.x * bd.z;
    double determinant = cd.z * (bc - cb) + cd.x * (ca - ac) + cd.y * (ab - ba);
    double size = fabs(cd.z) * (fabs(bc) + fabs(cb)) + fabs(cd.x) * (fabs(ca) + fabs(ac)) +
                  fabs(cd.y) * (fabs(ab) + fabs(ba));
    // Differences, products, two sums of three and this bound: fewer than 8 roundings in a row.
    double bound = 4 * DBL_EPSILON * size;
    if (fabs(determinant) > bound && size > 1e-200)
        return sign_of(determinant);
    return exact_orient3d((const PalVec3[3]){a, b, c}, d);
}

int pal_orient2d(PalVec3 a, PalVec3 b, PalVec3 c, int axis)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    double ci = pal_vec3_at(c, i), cj = pal_vec3_at(c, j);
    Pair ai = add(pal_vec3_at(a, i), -ci), aj = add(pal_vec3_at(a, j), -cj);
    Pair bi = add(pal_vec3_at(b, i), -ci), bj = add(pal_vec3_at(b, j), -cj);
    double left = ai.high * bj.high, right = aj.high * bi.high, size = fabs(left) + fabs(right);
    if (fabs(left - right) > 2 * DBL_EPSILON * size && size > 1e-200)
        return sign_of(left - right);
    Sum sum = {0};
    accumulate_product(&sum, ai, bj, 1);
    accumulate_product(&sum, aj, bi, -1);
    return sign_of_sum(&sum);
}
