// Stresses of every law in uniaxial and equibiaxial tension and in simple shear, against closed
// forms in principal stretches l: P_i = dW/dl_i, differentiated by hand.
#include "check.h"
#include "math/mat3.h"
#include <palpate/material.h>

typedef void Principal(const double *p, const double l[3], double P[3]);

// Cauchy stress in simple shear F = I + g e1 x e2 that fibres along e2 add: 11 22 33 12.
typedef void FibreShear(const double *p, double g, double sigma[4]);

typedef struct Case {
    const char *law;
    double parameters[PAL_LAW_PARAMETER_MAX];
    Principal *principal;
    FibreShear *fibre_shear;  // NULL: isotropic
} Case;

// J^(-1/3) l
static double isochoric(const double l[3], double b[3])
{
    double J = l[0] * l[1] * l[2];
    for (int i = 0; i < 3; ++i)
        b[i] = l[i] / cbrt(J);
    return J;
}

static void add_power(double factor, double exponent, const double l[3], double P[3])
{
    // d/dl_i of factor (b1^n + b2^n + b3^n)
    double b[3];
    isochoric(l, b);
    double mean = (pow(b[0], exponent) + pow(b[1], exponent) + pow(b[2], exponent)) / 3;
    for (int i = 0; i < 3; ++i)
        P[i] += factor * exponent / l[i] * (pow(b[i], exponent) - mean);
}

static void add_quadratic(double K, const double l[3], double P[3])
{
    double J = l[0] * l[1] * l[2];
    for (int i = 0; i < 3; ++i)
        P[i] += K * (J * J - J) / l[i];
}

static void add_barrier(double K, const double l[3], double P[3])
{
    double J = l[0] * l[1] * l[2];
    for (int i = 0; i < 3; ++i)
        P[i] += K * (J * J - 1) / (2 * l[i]);
}

static void neo_hookean(const double *p, const double l[3], double P[3])
{
    add_power(p[0] / 2, 2, l, P);
    add_quadratic(p[1], l, P);
}

static void st_venant_kirchhoff(const double *p, const double l[3], double P[3])
{
    double lame = p[1] - 2.0 / 3 * p[0];
    double trace = (l[0] * l[0] + l[1] * l[1] + l[2] * l[2] - 3) / 2;
    for (int i = 0; i < 3; ++i)
        P[i] += l[i] * (lame * trace + p[0] * (l[i] * l[i] - 1));
}

static void mooney_rivlin(const double *p, const double l[3], double P[3])
{
    add_power(p[0], 2, l, P);
    add_power(p[1], -2, l, P);
    add_barrier(p[2], l, P);
}

static void polynomial(const double *p, const double l[3], double P[3])
{
    double b[3], x = -3, y = -3;
    isochoric(l, b);
    for (int i = 0; i < 3; ++i) {
        x += b[i] * b[i];
        y += 1 / (b[i] * b[i]);
    }
    add_power(p[0] + 2 * p[2] * x + p[3] * y, 2, l, P);
    add_power(p[1] + p[3] * x + 2 * p[4] * y, -2, l, P);
    add_quadratic(p[5], l, P);
}

static void arruda_boyce(const double *p, const double l[3], double P[3])
{
    double b[3], L2 = p[1] * p[1];
    isochoric(l, b);
    double I = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    double slope = 1.0 / 2 + I / (10 * L2) + 11 * I * I / (350 * L2 * L2) +
                   19 * I * I * I / (1750 * L2 * L2 * L2) +
                   519 * I * I * I * I / (134750 * L2 * L2 * L2 * L2);
    add_power(p[0] * slope, 2, l, P);
    add_barrier(p[2], l, P);
}

static void ogden(const double *p, const double l[3], double P[3])
{
    for (int t = 0; t < 3; ++t)
        add_power(2 * p[1 + 2 * t] / (p[2 + 2 * t] * p[2 + 2 * t]), p[2 + 2 * t], l, P);
    add_barrier(p[0], l, P);
}

static void veronda_westmann(const double *p, const double l[3], double P[3])
{
    double s[3] = {l[0] * l[0], l[1] * l[1], l[2] * l[2]};
    double c = p[0] * p[1], growth = exp(p[1] * (s[0] + s[1] + s[2] - 3));
    for (int i = 0; i < 3; ++i)
        P[i] += c * l[i] * (2 * growth - s[(i + 1) % 3] - s[(i + 2) % 3]);
    add_barrier(p[2], l, P);
}

// Fibres along `axis`, dW/dIb4 = slope, Ib4 = b_axis^2.
static void add_fibre(double slope, int axis, const double l[3], double P[3])
{
    double b[3];
    isochoric(l, b);
    for (int i = 0; i < 3; ++i)
        P[i] += slope * 2 * b[axis] * b[axis] / l[i] * ((i == axis ? 1 : 0) - 1.0 / 3);
}

// Fibres along e2.
static void transversely_isotropic(const double *p, const double l[3], double P[3])
{
    double b[3];
    isochoric(l, b);
    neo_hookean(p, l, P);
    add_fibre(p[2] / 2 * (b[1] * b[1] - 1), 1, l, P);
}

// Fibres along e2 and e1.
static void fibre_reinforced(const double *p, const double l[3], double P[3])
{
    double b[3];
    isochoric(l, b);
    add_power(p[0] / 2, 2, l, P);
    add_barrier(p[1], l, P);
    for (int axis = 0; axis < 2; ++axis) {
        double x = b[axis] * b[axis] - 1;
        if (x > 0)
            add_fibre(p[2] * x * exp(p[3] * x * x), axis, l, P);
    }
}

// W = G/2 (I1 - 3) - G ln J + L/2 (ln J)^2
static void compressible_neo_hookean(const double *p, const double l[3], double P[3])
{
    double log_J = log(l[0] * l[1] * l[2]), lame = p[1] - 2 * p[0] / 3;
    for (int i = 0; i < 3; ++i)
        P[i] = p[0] * (l[i] - 1 / l[i]) + lame * log_J / l[i];
}

// Mooney-Rivlin with K/2 (ln J)^2, and fibres along y: lb f' = A (e^(B (lb - 1)) - 1), then a line.
static void fibre_mooney_rivlin(const double *p, const double l[3], double P[3])
{
    double J = l[0] * l[1] * l[2], b = l[1] / cbrt(J), g = 0;
    mooney_rivlin((const double[]){p[0], p[1], 0}, l, P);
    for (int i = 0; i < 3; ++i)
        P[i] += p[7] * log(J) / l[i];
    if (b > 1)
        g = p[2] * (exp(p[3] * (fmin(b, p[5]) - 1)) - 1) + p[4] * fmax(b - p[5], 0);
    add_fibre(g / (2 * b * b), 1, l, P);
}

// Fa = (g, 1, 0): sigma = 2 W4 (Fa x Fa - I4/3 I), I4 = 1 + g^2.
static void shear_of_slope(double slope, double g, double sigma[4])
{
    sigma[0] = 2 * slope * (2 * g * g - 1) / 3;
    sigma[1] = 2 * slope * (2 - g * g) / 3;
    sigma[2] = -2 * slope * (1 + g * g) / 3;
    sigma[3] = 2 * slope * g;
}

static void transversely_isotropic_shear(const double *p, double g, double sigma[4])
{
    shear_of_slope(p[2] / 2 * g * g, g, sigma);
}

static void fibre_reinforced_shear(const double *p, double g, double sigma[4])
{
    shear_of_slope(p[2] * g * g * exp(p[3] * g * g * g * g), g, sigma);
}

static void fibre_mooney_rivlin_shear(const double *p, double g, double sigma[4])
{
    double stretch = sqrt(1 + g * g);
    double pull =
        p[2] * (exp(p[3] * (fmin(stretch, p[5]) - 1)) - 1) + p[4] * fmax(stretch - p[5], 0);
    shear_of_slope(pull / (2 * (1 + g * g)), g, sigma);
}

static const Case cases[] = {
    {"neo-hookean", {1.3, 17}, neo_hookean, NULL},
    {"st-venant-kirchhoff", {1.3, 2.9}, st_venant_kirchhoff, NULL},
    {"mooney-rivlin", {0.4, 0.25, 17}, mooney_rivlin, NULL},
    {"polynomial", {0.4, 0.25, 0.11, 0.07, 0.05, 17}, polynomial, NULL},
    {"arruda-boyce", {1.3, 2.2, 17}, arruda_boyce, NULL},
    {"ogden", {17, 0.6, 1.3, 0.5, 5, 0.2, -2}, ogden, NULL},
    {"veronda-westmann", {0.7, 1.8, 17}, veronda_westmann, NULL},
    {"transversely-isotropic",
     {1.3, 17, 2.1, 0, 2, 0},
     transversely_isotropic,
     transversely_isotropic_shear},
    {"fibre-reinforced",
     {1.3, 17, 0.8, 1.1, 0, 3, 0, 0.5, 0, 0},
     fibre_reinforced,
     fibre_reinforced_shear},
    {"compressible-neo-hookean", {1.3, 17}, compressible_neo_hookean, NULL},
    {"fibre-mooney-rivlin",
     {0.4, 0.25, 0.3, 4, 2.5, 1.15, 0, 17, 0, 0, 3, 0},
     fibre_mooney_rivlin,
     fibre_mooney_rivlin_shear},
};

enum { CASES = sizeof cases / sizeof cases[0] };

static PalMaterialDef def_of(const Case *c)
{
    PalMaterialDef def = {.law = pal_law_find(c->law), .density = 1};
    PalError error = {0};
    assert_non_null(def.law);
    memcpy(def.parameters, c->parameters, sizeof def.parameters);
    check_ok(pal_material_validate(&def, &error), &error);
    return def;
}

static void principal_stress(const Case *c, const double l[3], double P[3])
{
    P[0] = P[1] = P[2] = 0;
    c->principal(c->parameters, l, P);
}

// The stretch of `axis`, and of `also`, that frees `axis` of stress, by bisection.
static void free_stretch(const Case *c, double l[3], int axis, int also)
{
    double low = 0.3, high = 2, P[3];
    for (int step = 0; step < 80; ++step) {
        l[axis] = l[also] = (low + high) / 2;
        principal_stress(c, l, P);
        *(P[axis] > 0 ? &high : &low) = l[axis];
    }
}

static double compare(const Case *c, const double l[3])
{
    PalMaterialDef def = def_of(c);
    PalMat3 F = {{{l[0], 0, 0}, {0, l[1], 0}, {0, 0, l[2]}}}, P;
    double expected[3], worst = 0;
    principal_stress(c, l, expected);
    pal_material_evaluate(&def, &F, NULL, &P, NULL);
    double size = fmax(fabs(expected[0]), fmax(fabs(expected[1]), fabs(expected[2])));
    for (int k = 0; k < 9; ++k)
        worst = fmax(worst, fabs(P.m[k / 3][k % 3] - (k % 4 == 0 ? expected[k / 4] : 0)));
    return worst / size;
}

static const double stretches[] = {0.6, 0.75, 0.9, 0.99, 1.01, 1.1, 1.3, 1.6};

enum { STRETCHES = sizeof stretches / sizeof stretches[0] };

// Stretched along e2 (that of the fibres), free along e3, and along e1 by symmetry; fibres along
// e1 break it, and e1 then just has the stretch of e3.
static void uniaxial(void **state)
{
    (void)state;
    for (int n = 0; n < CASES; ++n) {
        double worst = 0;
        for (int s = 0; s < STRETCHES; ++s) {
            double l[3] = {1, stretches[s], 1};
            free_stretch(&cases[n], l, 2, 0);
            worst = fmax(worst, compare(&cases[n], l));
        }
        print_message("%-24s uniaxial    %.1e\n", cases[n].law, worst);
        check_near(worst, 0, 1e-10);
    }
}

static void equibiaxial(void **state)
{
    (void)state;
    for (int n = 0; n < CASES; ++n) {
        double worst = 0;
        for (int s = 0; s < STRETCHES; ++s) {
            double l[3] = {stretches[s], stretches[s], 1};
            free_stretch(&cases[n], l, 2, 2);
            worst = fmax(worst, compare(&cases[n], l));
        }
        print_message("%-24s equibiaxial %.1e\n", cases[n].law, worst);
        check_near(worst, 0, 1e-10);
    }
}

// Stretches l, 1/l, 1 with l - 1/l = g; the first lies at the angle arctan 1/l from e1.
static void isotropic_shear(const Case *c, double g, double sigma[4])
{
    double l = g / 2 + sqrt(1 + g * g / 4), stretch[3] = {l, 1 / l, 1}, P[3];
    Case matrix = *c;
    if (c->fibre_shear != NULL)
        matrix.parameters[2] = matrix.parameters[4] = 0;
    principal_stress(&matrix, stretch, P);
    double one = P[0] * l, two = P[1] / l, part = l * l / (1 + l * l);
    sigma[0] = one * part + two * (1 - part);
    sigma[1] = one * (1 - part) + two * part;
    sigma[2] = P[2];
    sigma[3] = (one - two) * l / (1 + l * l);
}

static void simple_shear(void **state)
{
    (void)state;
    static const double shears[] = {-0.7, -0.1, 1e-2, 0.3, 0.6, 1};
    for (int n = 0; n < CASES; ++n) {
        PalMaterialDef def = def_of(&cases[n]);
        double worst = 0;
        for (int s = 0; s < 6; ++s) {
            double g = shears[s], expected[4], fibre[4] = {0}, size = 0;
            PalMat3 F = {{{1, g, 0}, {0, 1, 0}, {0, 0, 1}}}, P, transpose;
            isotropic_shear(&cases[n], g, expected);
            if (cases[n].fibre_shear != NULL)
                cases[n].fibre_shear(cases[n].parameters, g, fibre);
            pal_material_evaluate(&def, &F, NULL, &P, NULL);
            transpose = pal_mat3_transpose(&F);
            PalMat3 sigma = pal_mat3_multiply(&P, &transpose);
            const double found[4] = {sigma.m[0][0], sigma.m[1][1], sigma.m[2][2], sigma.m[0][1]};
            for (int k = 0; k < 4; ++k)
                size = fmax(size, fabs(expected[k] + fibre[k]));
            for (int k = 0; k < 4; ++k)
                worst = fmax(worst, fabs(found[k] - expected[k] - fibre[k]) / size);
            worst = fmax(worst, fabs(sigma.m[1][0] - sigma.m[0][1]) / size);
            worst = fmax(worst, (fabs(sigma.m[0][2]) + fabs(sigma.m[1][2])) / size);
        }
        print_message("%-24s shear       %.1e\n", cases[n].law, worst);
        check_near(worst, 0, 1e-10);
    }
}

// Textbook answers for incompressible rubber, met as the bulk modulus grows.
static void nearly_incompressible(void **state)
{
    (void)state;
    const double ratio = 1e6;
    Case c = {"mooney-rivlin", {0.4, 0.1, ratio}, mooney_rivlin, NULL};
    PalMaterialDef def = def_of(&c);
    for (int s = 0; s < STRETCHES; ++s) {
        double l[3] = {1, stretches[s], 1}, x = stretches[s];
        free_stretch(&c, l, 2, 0);
        PalMat3 F = {{{l[0], 0, 0}, {0, l[1], 0}, {0, 0, l[2]}}}, P;
        pal_material_evaluate(&def, &F, NULL, &P, NULL);
        double expected = 2 * (x - 1 / (x * x)) * (c.parameters[0] + c.parameters[1] / x);
        check_near(P.m[1][1] / expected, 1, 20 / ratio);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(uniaxial),
    cmocka_unit_test(equibiaxial),
    cmocka_unit_test(simple_shear),
    cmocka_unit_test(nearly_incompressible),
};
CHECK_GROUP(tests, NULL, NULL)
