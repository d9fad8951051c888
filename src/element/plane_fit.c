// Least squares over stretches at which no stress is left across the plane.
// docs/theory/membranes.md, 3
#include "element/plane_fit.h"

#include "material/law.h"

#include <math.h>

enum { MEANS = 9, SHEARS = 5, ROUNDS = 60, TERMS_MAX = PAL_PLANE_TERMS };

static const int powers[PAL_PLANE_TERMS][2] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {0, 1},
                                               {1, 1}, {2, 1}, {3, 1}, {0, 2}, {1, 2}};
static const int slope_powers[PAL_PLANE_SLOPES][2] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}};

// Sums of products of powers, in scaled numbers, and of powers with what is to be fitted.
typedef struct Sums {
    int count;
    const int (*powers)[2];
    double matrix[TERMS_MAX][TERMS_MAX], right[TERMS_MAX];
} Sums;

static double power_of(const int power[2], double s, double q)
{
    double product = 1;
    for (int k = 0; k < power[0]; ++k)
        product *= s;
    for (int k = 0; k < power[1]; ++k)
        product *= q;
    return product;
}

// Small strains count most.
static void add_sample(Sums *sums, double s, double q, double value)
{
    double share = 0.05 + s * s + q;
    for (int i = 0; i < sums->count; ++i) {
        double own = power_of(sums->powers[i], s, q) / (share * share);
        sums->right[i] += own * value;
        for (int j = 0; j < sums->count; ++j)
            sums->matrix[i][j] += own * power_of(sums->powers[j], s, q);
    }
}

// By elimination: the matrix is positive. Coefficients are those of unscaled numbers.
static void solve_sums(Sums *sums, double *coefficients)
{
    const int n = sums->count;
    for (int k = 0; k < n; ++k)
        for (int i = k + 1; i < n; ++i) {
            double factor = sums->matrix[i][k] / sums->matrix[k][k];
            for (int j = k; j < n; ++j)
                sums->matrix[i][j] -= factor * sums->matrix[k][j];
            sums->right[i] -= factor * sums->right[k];
        }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j)
            sums->right[i] -= sums->matrix[i][j] * sums->right[j];
        sums->right[i] /= sums->matrix[i][i];
    }
    for (int i = 0; i < n; ++i)
        coefficients[i] =
            sums->right[i] / power_of(sums->powers[i], PAL_PLANE_MEAN, PAL_PLANE_SHEAR);
}

// S_33 for stretches with these squares.
static double across(const PalMaterialDef *material, const double squares[2], double square)
{
    PalLanesMat3 F = {0}, P;
    PalLanes J;
    const double all[3] = {squares[0], squares[1], square};
    for (int i = 0; i < 3; ++i)
        for (int l = 0; l < PAL_LANES; ++l)
            F.m[i][i][l] = sqrt(all[i]);
    material->law->total(material->parameters, &F, &P, &J);
    return P.m[2][2][0] / F.m[2][2][0];
}

// By secants, from what linear elasticity says. False: none is found.
static bool find_square(const PalMaterialDef *material, const double squares[2], double *square)
{
    double shear, bulk;
    pal_material_moduli(material, &shear, &bulk);
    double lame = bulk - 2.0 / 3.0 * shear, slope = 0.5 * (lame + 2 * shear);
    double x = 1 / (1 + lame / (lame + 2 * shear) * (squares[0] * squares[1] - 1));
    double f = across(material, squares, x);
    for (int round = 0; round < ROUNDS; ++round) {
        double change = fmin(fmax(-f / slope, -0.5 * x), x), before = f;
        x += change;
        f = across(material, squares, x);
        if (fabs(change) < 1e-13 * x) {
            *square = x;
            return isfinite(x);
        }
        double secant = (f - before) / change;
        slope = secant > 0 ? secant : slope;
    }
    return false;
}

static bool sample(const PalMaterialDef *material, double s, double q, Sums sums[3])
{
    const double mean = 1 + s * PAL_PLANE_MEAN, part = sqrt(q * PAL_PLANE_SHEAR), h = 1e-5;
    const double squares[2] = {mean + part, mean - part};
    double x;
    if (!find_square(material, squares, &x))
        return false;
    double slope = (across(material, squares, x + h) - across(material, squares, x - h)) / (2 * h);
    add_sample(&sums[0], s, q, x - 1);
    add_sample(&sums[1], s, q, sqrt(x * squares[0] * squares[1]) - 1);
    add_sample(&sums[2], s, q, slope);
    return slope > 0;
}

void pal_plane_fit(const PalMaterialDef *material, PalPlaneFit *fit)
{
    static const double shears[SHEARS] = {0, 0.1, 0.35, 0.7, 1};
    Sums sums[3] = {{.count = PAL_PLANE_TERMS, .powers = powers},
                    {.count = PAL_PLANE_TERMS, .powers = powers},
                    {.count = PAL_PLANE_SLOPES, .powers = slope_powers}};
    bool known = !material->incompressible;
    *fit = (PalPlaneFit){0};
    for (int m = 0; m < MEANS && known; ++m)
        for (int k = 0; k < SHEARS && known; ++k)
            known =
                sample(material, cos(3.14159265358979323846 * (m + 0.5) / MEANS), shears[k], sums);
    if (!known)
        return;
    solve_sums(&sums[0], fit->square);
    solve_sums(&sums[1], fit->volume);
    solve_sums(&sums[2], fit->slope);
    fit->known = true;
}
