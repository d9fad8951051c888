// Every law: stress is the derivative of energy and tangent that of stress, by differences of
// fourth order; rotations change nothing; small strains show the moduli; special cases agree.
#include "check.h"
#include "material/law.h"
#include "random_material.h"

static const double STEP = 1e-3;

static double *entry(PalMat3 *a, int k)
{
    return &a->m[k / 3][k % 3];
}

// Of W and P along entry k of F.
static void differences(const PalMaterialDef *def, const PalMat3 *F, int k, double *dW, PalMat3 *dP)
{
    static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const double place[4] = {-2, -1, 1, 2};
    *dW = 0;
    *dP = (PalMat3){0};
    for (int s = 0; s < 4; ++s) {
        PalMat3 moved = *F, P;
        double W;
        *entry(&moved, k) += place[s] * STEP;
        pal_material_evaluate(def, &moved, &W, &P, NULL);
        *dW += weight[s] / STEP * W;
        for (int j = 0; j < 9; ++j)
            *entry(dP, j) += weight[s] / STEP * *entry(&P, j);
    }
}

typedef struct Errors {
    double stress, tangent, asymmetry;
} Errors;

static void compare(const PalMaterialDef *def, const PalMat3 *F, Errors *worst)
{
    PalMat3 P, dP;
    double A[9][9], W, dW, stress = 0, tangent = 0, asymmetry = 0, P_size = 0, A_size = 0;
    pal_material_evaluate(def, F, &W, &P, A);
    for (int k = 0; k < 9; ++k) {
        differences(def, F, k, &dW, &dP);
        stress = fmax(stress, fabs(dW - *entry(&P, k)));
        P_size = fmax(P_size, fabs(*entry(&P, k)));
        for (int j = 0; j < 9; ++j) {
            tangent = fmax(tangent, fabs(*entry(&dP, j) - A[j][k]));
            asymmetry = fmax(asymmetry, fabs(A[j][k] - A[k][j]));
            A_size = fmax(A_size, fabs(A[j][k]));
        }
    }
    worst->stress = fmax(worst->stress, stress / fmax(P_size, A_size));
    worst->tangent = fmax(worst->tangent, tangent / A_size);
    worst->asymmetry = fmax(worst->asymmetry, asymmetry / A_size);
}

// Fibres that only pull have a jump in their tangent where they begin to, and where they become
// straight.
static bool near_a_jump(const PalMaterialDef *def, const PalMat3 *F)
{
    double r = 1 / cbrt(pal_mat3_determinant(F));
    if (def->law == &pal_law_fibre_mooney_rivlin) {
        const double *d = def->parameters + 9;
        PalVec3 a = pal_vec3_normalise(pal_vec3(d[0], d[1], d[2]));
        double stretch = r * pal_vec3_length(pal_mat3_apply(F, a));
        return fabs(stretch - 1) < 10 * STEP || fabs(stretch - def->parameters[5]) < 10 * STEP;
    }
    if (def->law != &pal_law_fibre_reinforced)
        return false;
    for (int family = 0; family < 2; ++family) {
        const double *d = def->parameters + 4 + 3 * family;
        PalVec3 a = pal_vec3_normalise(pal_vec3(d[0], d[1], d[2]));
        double stretch = r * pal_vec3_length(pal_mat3_apply(F, a));
        if (fabs(stretch - 1) < 10 * STEP)
            return true;
    }
    return false;
}

static void derivatives(void **state)
{
    (void)state;
    for (int32_t l = 0; l < pal_laws_count; ++l) {
        uint64_t seed = 11;
        Errors worst = {0};
        for (int trial = 0; trial < 200; ++trial) {
            PalMaterialDef def = random_material(pal_laws[l], &seed);
            PalMat3 F = random_gradient(0.25, &seed);
            if (!near_a_jump(&def, &F))
                compare(&def, &F, &worst);
        }
        print_message("%-24s stress %.1e, tangent %.1e, asymmetry %.1e\n", pal_laws[l]->name,
                      worst.stress, worst.tangent, worst.asymmetry);
        check_near(worst.stress, 0, 1e-7);
        check_near(worst.tangent, 0, 1e-7);
        check_near(worst.asymmetry, 0, 1e-13);
    }
}

// Equal stretches, where a spectral tangent would divide by zero.
static void derivatives_at_equal_stretches(void **state)
{
    (void)state;
    for (int32_t l = 0; l < pal_laws_count; ++l) {
        uint64_t seed = 12;
        Errors worst = {0};
        for (int trial = 0; trial < 40; ++trial) {
            PalMaterialDef def = random_material(pal_laws[l], &seed);
            double a = random_between(0.8, 1.25, &seed), b = random_between(0.8, 1.25, &seed);
            double gap = trial % 4 == 0 ? 0 : pow(10, -4 * (trial % 4));
            PalMat3 F = {{{a, 0, 0}, {0, trial % 2 ? b : a, 0}, {0, 0, a * (1 + gap)}}};
            if (!near_a_jump(&def, &F))
                compare(&def, &F, &worst);
        }
        check_near(worst.stress, 0, 1e-7);
        check_near(worst.tangent, 0, 1e-7);
        check_near(worst.asymmetry, 0, 1e-13);
    }
}

static PalMat3 random_rotation(uint64_t *seed)
{
    double q[4], size = 0;
    for (int i = 0; i < 4; ++i) {
        q[i] = random_between(-1, 1, seed);
        size += q[i] * q[i];
    }
    for (int i = 0; i < 4; ++i)
        q[i] /= sqrt(size);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    return (PalMat3){{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                      {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                      {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}

static void rotations_change_nothing(void **state)
{
    (void)state;
    for (int32_t l = 0; l < pal_laws_count; ++l) {
        uint64_t seed = 13;
        double objectivity = 0, at_rest = 0;
        for (int trial = 0; trial < 200; ++trial) {
            PalMaterialDef def = random_material(pal_laws[l], &seed);
            PalMat3 F = random_gradient(0.3, &seed), Q = random_rotation(&seed);
            PalMat3 QF = pal_mat3_multiply(&Q, &F), P, turned;
            double W, W_turned, shear, bulk;
            pal_material_moduli(&def, &shear, &bulk);
            pal_material_evaluate(&def, &F, &W, &P, NULL);
            pal_material_evaluate(&def, &QF, &W_turned, &turned, NULL);
            PalMat3 QP = pal_mat3_multiply(&Q, &P);
            objectivity = fmax(objectivity, fabs(W_turned - W) / (W + bulk));
            double size = sqrt(pal_mat3_inner(&P, &P)) + bulk;
            for (int k = 0; k < 9; ++k)
                objectivity = fmax(objectivity, fabs(*entry(&QP, k) - *entry(&turned, k)) / size);
            pal_material_evaluate(&def, &Q, &W, &P, NULL);
            at_rest = fmax(at_rest, sqrt(pal_mat3_inner(&P, &P)) / (shear + bulk));
            at_rest = fmax(at_rest, fabs(W) / (shear + bulk));
        }
        print_message("%-24s objectivity %.1e, stress of a rotation %.1e\n", pal_laws[l]->name,
                      objectivity, at_rest);
        check_near(objectivity, 0, 1e-13);
        check_near(at_rest, 0, 1e-14);
    }
}

// e : A : e / (2 e : e)
static double shear_of(double A[9][9], const PalMat3 *e)
{
    double sum = 0;
    for (int k = 0; k < 9; ++k)
        for (int l = 0; l < 9; ++l)
            sum += e->m[k / 3][k % 3] * A[k][l] * e->m[l / 3][l % 3];
    return sum / (2 * pal_mat3_inner(e, e));
}

// The moduli are those of the tangent at rest; with fibres, no distortion is stiffer.
static void moduli_are_those_at_rest(void **state)
{
    (void)state;
    PalMat3 identity = pal_mat3_identity();
    for (int32_t l = 0; l < pal_laws_count; ++l) {
        uint64_t seed = 14;
        for (int trial = 0; trial < 100; ++trial) {
            PalMaterialDef def = random_material(pal_laws[l], &seed);
            double A[9][9], shear, bulk, dilation = 0, stiffest = 0, softest = INFINITY;
            PalMat3 F = identity;
            // A hair of stretch puts all fibres into tension.
            bool fibres =
                def.law == &pal_law_fibre_reinforced || def.law == &pal_law_fibre_mooney_rivlin;
            pal_material_moduli(&def, &shear, &bulk);
            for (int sample = 0; sample < 200; ++sample) {
                PalMat3 e = random_gradient(0.9, &seed);
                double trace = (e.m[0][0] + e.m[1][1] + e.m[2][2]) / 3;
                for (int i = 0; i < 3; ++i)
                    for (int j = 0; j <= i; ++j)
                        e.m[i][j] = e.m[j][i] = e.m[i][j] - (i == j ? trace : 0);
                for (int k = 0; fibres && k < 9; ++k)
                    *entry(&F, k) = *entry(&identity, k) + 1e-9 * *entry(&e, k);
                pal_material_evaluate(&def, &F, NULL, NULL, A);
                stiffest = fmax(stiffest, shear_of(A, &e));
                softest = fmin(softest, shear_of(A, &e));
            }
            for (int k = 0; k < 9; k += 4)
                for (int j = 0; j < 9; j += 4)
                    dilation += A[k][j] / 9;
            check_near(dilation / bulk, 1, 1e-7);
            bool isotropic = !fibres && def.law != &pal_law_transversely_isotropic;
            check_near(stiffest / shear, isotropic ? 1 : 0.8, isotropic ? 1e-12 : 0.2 + 1e-7);
            if (isotropic)
                check_near(softest / shear, 1, 1e-12);
        }
    }
}

// Along the fibres the bound on the shear modulus is reached.
static void fibres_reach_their_modulus(void **state)
{
    (void)state;
    PalMaterialDef def = {
        .law = &pal_law_transversely_isotropic, .parameters = {1.5, 10, 3, 0, 0, 2}, .density = 1};
    PalMat3 identity = pal_mat3_identity(), e = {{{-1, 0, 0}, {0, -1, 0}, {0, 0, 2}}};
    double A[9][9], shear, bulk;
    pal_material_evaluate(&def, &identity, NULL, NULL, A);
    pal_material_moduli(&def, &shear, &bulk);
    check_near(shear_of(A, &e), shear, 1e-14 * shear);
    def = (PalMaterialDef){.law = &pal_law_fibre_reinforced,
                           .parameters = {1.5, 10, 0.7, 2, 0, 0, 2, 0, 0, -1},
                           .density = 1};
    PalMat3 F = {{{1 - 1e-9, 0, 0}, {0, 1 - 1e-9, 0}, {0, 0, 1 + 2e-9}}};
    pal_material_evaluate(&def, &F, NULL, NULL, A);
    pal_material_moduli(&def, &shear, &bulk);
    check_near(shear_of(A, &e), shear, 1e-7 * shear);
}

static double disagreement(const PalMaterialDef *one, const PalMaterialDef *other, bool distortion)
{
    uint64_t seed = 15;
    double worst = 0;
    for (int trial = 0; trial < 100; ++trial) {
        PalMat3 point = random_gradient(0.4, &seed);
        PalLanesMat3 F = broadcast(&point), P, Q;
        PalLanes J;
        if (distortion) {
            one->law->stress(one->parameters, &F, &P);
            other->law->stress(other->parameters, &F, &Q);
        } else {
            one->law->total(one->parameters, &F, &P, &J);
            other->law->total(other->parameters, &F, &Q, &J);
        }
        double size = 0, difference = 0;
        for (int k = 0; k < 9; ++k) {
            size = fmax(size, fabs(P.m[k / 3][k % 3][0]));
            difference = fmax(difference, fabs(P.m[k / 3][k % 3][0] - Q.m[k / 3][k % 3][0]));
        }
        worst = fmax(worst, difference / size);
    }
    return worst;
}

static void special_cases_agree(void **state)
{
    (void)state;
    PalMaterialDef neo = {.law = &pal_law_neo_hookean, .parameters = {1.2, 9}};
    PalMaterialDef mooney = {.law = &pal_law_mooney_rivlin, .parameters = {0.6, 0.3, 9}};
    PalMaterialDef one = {.law = &pal_law_ogden, .parameters = {9, 1.2, 2, 0, 2, 0, 2}};
    PalMaterialDef two = {.law = &pal_law_ogden, .parameters = {9, 1.2, 2, 0.6, -2, 0, 2}};
    PalMaterialDef quadratic = {.law = &pal_law_polynomial, .parameters = {0.6, 0.3, 0, 0, 0, 9}};
    PalMaterialDef plain = {.law = &pal_law_polynomial, .parameters = {0.6, 0, 0, 0, 0, 9}};
    PalMaterialDef chains = {.law = &pal_law_arruda_boyce, .parameters = {1.2, 1e9, 9}};
    PalMaterialDef slack = {.law = &pal_law_transversely_isotropic,
                            .parameters = {1.2, 9, 0, 1, 1, 1}};
    check_near(disagreement(&neo, &one, true), 0, 1e-13);
    check_near(disagreement(&mooney, &two, false), 0, 1e-13);
    check_near(disagreement(&mooney, &quadratic, true), 0, 1e-13);
    check_near(disagreement(&neo, &plain, false), 0, 1e-13);
    check_near(disagreement(&neo, &chains, true), 0, 1e-13);
    check_near(disagreement(&neo, &slack, false), 0, 1e-13);
    PalMaterialDef log_mooney = {.law = &pal_law_mooney_rivlin, .parameters = {0.6, 0.3, 0, 9}};
    PalMaterialDef log_ogden = {.law = &pal_law_ogden, .parameters = {0, 1.2, 2, 0.6, -2, 0, 2, 9}};
    PalMaterialDef square_mooney = {.law = &pal_law_mooney_rivlin,
                                    .parameters = {0.6, 0.3, 0, 0, 9}};
    PalMaterialDef no_fibres = {.law = &pal_law_fibre_mooney_rivlin,
                                .parameters = {0.6, 0.3, 0, 3, 0, 1.1, 0, 9, 0, 1, 1, 1}};
    PalMaterialDef chain_square = {.law = &pal_law_arruda_boyce, .parameters = {1.2, 1e9, 0, 0, 9}};
    check_near(disagreement(&log_mooney, &log_ogden, false), 0, 1e-13);
    check_near(disagreement(&square_mooney, &quadratic, false), 0, 1e-13);
    check_near(disagreement(&log_mooney, &no_fibres, false), 0, 1e-13);
    check_near(disagreement(&neo, &chain_square, false), 0, 1e-13);
}

// Energies and pressures without bound as the volume vanishes.
static void barriers_resist_collapse(void **state)
{
    (void)state;
    const PalMaterialLaw *const barriers[] = {&pal_law_mooney_rivlin, &pal_law_arruda_boyce,
                                              &pal_law_ogden, &pal_law_veronda_westmann,
                                              &pal_law_fibre_reinforced};
    for (int l = 0; l < 5; ++l) {
        uint64_t seed = 16;
        PalMaterialDef def = random_material(barriers[l], &seed);
        double last = 0;
        for (int power = 1; power <= 12; ++power) {
            double side = pow(10, -power / 3.0), W;
            PalMat3 F = {{{side, 0, 0}, {0, side, 0}, {0, 0, side}}}, P;
            pal_material_evaluate(&def, &F, &W, &P, NULL);
            assert_true(isfinite(W) && W > last);
            assert_true(P.m[0][0] < 0);
            last = W;
        }
        assert_true(last > 10 * def.parameters[0]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(derivatives),
    cmocka_unit_test(derivatives_at_equal_stretches),
    cmocka_unit_test(rotations_change_nothing),
    cmocka_unit_test(moduli_are_those_at_rest),
    cmocka_unit_test(fibres_reach_their_modulus),
    cmocka_unit_test(special_cases_agree),
    cmocka_unit_test(barriers_resist_collapse),
};
CHECK_GROUP(tests, NULL, NULL)
