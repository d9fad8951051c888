// Stress relaxation against the relaxation function and the complex modulus it implies.
#include "check.h"
#include "material/law.h"
#include "material/prony.h"
#include "random_material.h"

static const double pi = 3.14159265358979323846;

enum { ROOM = 6 * (PAL_PRONY_MAX + 1) * 2 * PAL_LANES };

static PalMaterialDef tissue(const PalMaterialLaw *law)
{
    PalMaterialDef def = {.law = law, .parameters = {2, 30}, .density = 1};
    def.isochoric_count = 2;
    def.isochoric[0] = (PalPronyTerm){0.35, 0.2};
    def.isochoric[1] = (PalPronyTerm){0.25, 1.5};
    if (law->volumetric != NULL) {
        def.volumetric_count = 1;
        def.volumetric[0] = (PalPronyTerm){0.4, 0.6};
    }
    return def;
}

// First Piola-Kirchhoff stress of lane 0 after a step to F.
static PalMat3 relaxed(const PalMaterialDef *def, const PalProny *prony, const PalMat3 *F,
                       double *history)
{
    PalLanesMat3 batch = broadcast(F), P;
    PalLanes J = pal_lanes_all(pal_mat3_determinant(F)), pressure = {0};
    PalMat3 result;
    def->law->stress(def->parameters, &batch, &P);
    if (def->law->volumetric != NULL)
        def->law->volumetric(def->parameters, &J, NULL, &pressure);
    pal_prony_relax(prony, &batch, &pressure, history, history, &P);
    for (int k = 0; k < 9; ++k)
        result.m[k / 3][k % 3] = P.m[k / 3][k % 3][0];
    return result;
}

// A large sudden shear, held: the shear stress follows 1 - sum w (1 - e^(-t/tau)).
static void step_in_shear(void **state)
{
    (void)state;
    const PalMaterialLaw *const laws[] = {&pal_law_neo_hookean, &pal_law_st_venant_kirchhoff};
    for (int l = 0; l < 2; ++l) {
        PalMaterialDef def = tissue(laws[l]);
        PalMat3 F = {{{1, 0.4, 0}, {0, 1, 0}, {0, 0, 1}}}, elastic;
        double history[ROOM] = {0}, time = 0, worst = 0;
        pal_material_evaluate(&def, &F, NULL, &elastic, NULL);
        for (int n = 0; n <= 400; ++n) {
            double length = n == 0 ? 1e-15 : 0.02;
            PalProny prony;
            time += length;
            pal_prony_prepare(&def, length, &prony);
            PalMat3 P = relaxed(&def, &prony, &F, history);
            double g = 1 - 0.35 * (1 - exp(-time / 0.2)) - 0.25 * (1 - exp(-time / 1.5));
            worst = fmax(worst, fabs(P.m[0][1] / elastic.m[0][1] - g));
        }
        print_message("%-24s step in shear: off g(t) by %.1e\n", laws[l]->name, worst);
        check_near(worst, 0, 1e-12);
    }
}

typedef struct Complex {
    double storage, loss;
} Complex;

// In phase with a strain sin(w t), and a quarter ahead, over the last of many cycles.
static Complex response(const PalMaterialDef *def, bool dilation, double frequency, int per_cycle)
{
    const double size = 1e-6, length = 2 * pi / frequency / per_cycle;
    const int cycles = 3 + (int)(40 * frequency / (2 * pi) * 1.5);
    double history[ROOM] = {0};
    Complex sum = {0, 0};
    PalProny prony;
    pal_prony_prepare(def, length, &prony);
    for (int n = 1; n <= cycles * per_cycle; ++n) {
        double phase = 2 * pi * n / per_cycle, strain = size * sin(phase);
        PalMat3 F = pal_mat3_identity();
        if (dilation)
            F.m[0][0] = F.m[1][1] = F.m[2][2] = cbrt(1 + strain);
        else
            F.m[0][1] = strain;
        PalMat3 P = relaxed(def, &prony, &F, history);
        if (n > (cycles - 1) * per_cycle) {
            double stress = dilation ? P.m[0][0] : P.m[0][1];
            sum.storage += 2 * stress * sin(phase) / (size * per_cycle);
            sum.loss += 2 * stress * cos(phase) / (size * per_cycle);
        }
    }
    return sum;
}

static Complex expected(double modulus, int32_t count, const PalPronyTerm *terms, double frequency)
{
    Complex sum = {modulus, 0};
    for (int32_t k = 0; k < count; ++k) {
        double x = frequency * terms[k].time, w = modulus * terms[k].weight;
        sum.storage -= w / (1 + x * x);
        sum.loss += w * x / (1 + x * x);
    }
    return sum;
}

static void storage_and_loss(void **state)
{
    (void)state;
    PalMaterialDef def = tissue(&pal_law_neo_hookean);
    static const double frequencies[] = {0.3, 1, 5, 20};
    for (int dilation = 0; dilation < 2; ++dilation)
        for (int f = 0; f < 4; ++f) {
            double w = frequencies[f], error[2], weights = dilation ? 0.4 : 0.35 + 0.25;
            Complex exact =
                dilation ? expected(30, 1, def.volumetric, w) : expected(2, 2, def.isochoric, w);
            for (int k = 0; k < 2; ++k) {
                Complex found = response(&def, dilation, w, k == 0 ? 100 : 200);
                error[k] = hypot(found.storage - exact.storage, found.loss - exact.loss) /
                           hypot(exact.storage, exact.loss);
            }
            print_message("%s at %4.1f rad/s: storage %.4f, loss %.4f; off by %.1e, with half "
                          "the step %.1e\n",
                          dilation ? "dilation" : "shear   ", w, exact.storage, exact.loss,
                          error[0], error[1]);
            // A sine drawn with straight lines is short of (w dt)^2 / 12 of itself.
            double drawn = 4 * pi * pi / (200 * 200 * 12.0);
            double bound = drawn * weights * (dilation ? 30 : 2) / hypot(exact.storage, exact.loss);
            check_near(error[1], 0, 1.01 * bound);
            check_near(error[0] / error[1], 4, 0.1);  // second order
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(step_in_shear),
    cmocka_unit_test(storage_and_loss),
};
CHECK_GROUP(tests, NULL, NULL)
