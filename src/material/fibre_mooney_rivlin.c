// W = C10 (Ib1 - 3) + C01 (Ib2 - 3) + f(lb) + K/4 (J^2 - 1 - 2 ln J) and further volumetric terms,
// with lb^2 = Ib4 and lb f'(lb) = 0 where lb <= 1, A (e^(B (lb - 1)) - 1) up to the stretch at
// which the fibres are straight, and a line of slope S from there on docs/theory/materials.md, 4.11
#include "material/fibre.h"
#include "material/invariant.h"
#include "material/volumetric.h"

enum {
    C10,
    C01,
    SCALE,
    STEEPNESS,
    SLOPE,
    STRAIGHT,
    BULK,
    BULK_LOG,
    BULK_QUADRATIC,
    X,
    Y,
    Z,
    COUNT
};

static const PalLawParameter parameters[COUNT] = {
    [C10] = {.name = "c10",
             .meaning = "factor of the first invariant, pressure",
             .lowest = -INFINITY},
    [C01] = {.name = "c01",
             .meaning = "factor of the second invariant, pressure",
             .lowest = -INFINITY},
    [SCALE] = {.name = "fibre-scale", .meaning = "scale of the fibres' exponential, pressure"},
    [STEEPNESS] = {.name = "fibre-steepness",
                   .meaning = "steepness of the fibres' exponential, without a unit"},
    [SLOPE] = {.name = "fibre-slope",
               .meaning = "slope of the fibres' stress once they are straight, pressure"},
    [STRAIGHT] = {.name = "straight-stretch",
                  .meaning = "stretch at which the fibres are straight, without a unit",
                  .lowest = 1},
    [BULK] = {.name = "bulk",
              .meaning = "bulk modulus of the term K/4 (J^2 - 1 - 2 ln J), pressure"},
    [BULK_LOG] = {.name = "bulk-log",
                  .meaning = "bulk modulus of the term K/2 (ln J)^2, pressure",
                  .optional = true},
    [BULK_QUADRATIC] = {.name = "bulk-quadratic",
                        .meaning = "bulk modulus of the term K/2 (J - 1)^2, pressure",
                        .optional = true},
    [X] = {.name = "direction-x", .meaning = "of the fibres, any length", .lowest = -INFINITY},
    [Y] = {.name = "direction-y", .meaning = "of the fibres, any length", .lowest = -INFINITY},
    [Z] = {.name = "direction-z", .meaning = "of the fibres, any length", .lowest = -INFINITY},
};

static PalStatus check(const double *p, PalError *error)
{
    PAL_TRY(pal_fibre_check("direction", p + X, error));
    PAL_TRY(pal_law_check_bulk(p[BULK], p + BULK_LOG, error));
    return pal_law_check_half_shear(p[C10] + p[C01], error);
}

// ---- the fibres at one point ------------------------------------------------------------------

typedef struct Pull {
    double first, second;  // g = lb f'(lb) and its derivative
} Pull;

static Pull pull(const double *p, double stretch)
{
    double at_straight = p[SCALE] * expm1(p[STEEPNESS] * (p[STRAIGHT] - 1));
    if (stretch <= 1)
        return (Pull){0, 0};
    if (stretch >= p[STRAIGHT])
        return (Pull){at_straight + p[SLOPE] * (stretch - p[STRAIGHT]), p[SLOPE]};
    double x = p[STEEPNESS] * (stretch - 1);
    return (Pull){p[SCALE] * expm1(x), p[SCALE] * p[STEEPNESS] * exp(x)};
}

// dW/dIb4 = g / (2 Ib4), and its derivative.
static Pull by_square(const Pull *g, double Ib4)
{
    double stretch = sqrt(Ib4);
    return (Pull){g->first / (2 * Ib4),
                  g->second / (4 * Ib4 * stretch) - g->first / (2 * Ib4 * Ib4)};
}

// The integral of g / lb over a piece on which g is smooth: five points of Gauss on each of as many
// parts as keep the exponent below 1 in each.
static double integrate(const double *p, double from, double to)
{
    static const double points[] = {0, 0.53846931010568309104, 0.90617984593866399280};
    static const double weights[] = {0.56888888888888888889, 0.47862867049936646804,
                                     0.23692688505618908751};
    double parts = fmin(fmax(ceil(p[STEEPNESS] * (to - from)), 4), 512);
    double half = (to - from) / parts / 2, sum = 0;
    for (double k = 0; k < parts; ++k) {
        double middle = from + (2 * k + 1) * half;
        for (int i = -2; i <= 2; ++i) {
            double stretch = middle + half * (i < 0 ? -points[-i] : points[i]);
            sum += weights[i < 0 ? -i : i] * half * pull(p, stretch).first / stretch;
        }
    }
    return sum;
}

static double fibre_energy(const double *p, double Ib4)
{
    double stretch = sqrt(Ib4), energy = 0;
    if (stretch > 1)
        energy = integrate(p, 1, fmin(stretch, p[STRAIGHT]));
    if (stretch > p[STRAIGHT])
        energy += integrate(p, p[STRAIGHT], stretch);
    return energy;
}

// ---- the law ----------------------------------------------------------------------------------

// Stretching along fibres that pull is the stiffest distortion.
static void moduli(const double *p, double *shear, double *bulk)
{
    double fibre = p[STRAIGHT] > 1 ? p[SCALE] * p[STEEPNESS] : p[SLOPE];
    *shear = 2 * (p[C10] + p[C01]) + fibre / 3;
    *bulk = p[BULK] + p[BULK_LOG] + p[BULK_QUADRATIC];
}

PAL_CLONES static void energy(const double *p, const PalLanesMat3 *F, PalLanes *D)
{
    PalKinematics k;
    PalFibre f;
    pal_kinematics(F, &k);
    pal_fibre(p + X, F, &k, &f);
    PalLanes r2 = k.r * k.r;
    *D = p[C10] * (r2 * k.I1 - 3.0) + p[C01] * (r2 * r2 * pal_second_invariant(&k) - 3.0);
    for (int l = 0; l < PAL_LANES; ++l)
        (*D)[l] += fibre_energy(p, f.Ib4[l]);
}

// `pressure` is zero for the distortion alone.
PAL_LANES_INLINE void add_up(const double *p, const PalLanesMat3 *F, const PalKinematics *k,
                             PalLanes pressure, PalLanesMat3 *P)
{
    PalFibre f;
    PalStressFactors s = pal_isochoric_factors(k, pal_second_invariant(k), pal_lanes_all(p[C10]),
                                               pal_lanes_all(p[C01]));
    s.b += pressure;
    pal_stress_of_three(F, k, &s, P);
    pal_fibre(p + X, F, k, &f);
    PalLanes stretch = pal_lanes_sqrt(f.Ib4);
    double at_straight = p[SCALE] * expm1(p[STEEPNESS] * (p[STRAIGHT] - 1.0));
    PalLanes curved = p[SCALE] * pal_lanes_expm1(p[STEEPNESS] * (stretch - 1.0));
    PalLanes straight = at_straight + p[SLOPE] * (stretch - p[STRAIGHT]);
    PalLanes g = pal_lanes_select((PalLanesInt)(stretch >= p[STRAIGHT]), straight, curved);
    g = pal_lanes_select((PalLanesInt)(stretch > 1.0), g, pal_lanes_all(0.0));
    pal_fibre_add_stress(&f, k, 0.5 * g / f.Ib4, P);
}

PAL_CLONES static void stress(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    add_up(p, F, &k, pal_lanes_all(0.0), P);
}

PAL_CLONES static void total(const double *p, const PalLanesMat3 *F, PalLanesMat3 *P, PalLanes *J)
{
    PalKinematics k;
    pal_kinematics(F, &k);
    PalLanes pressure = pal_barrier_pressure(p[BULK], k.J);
    if (pal_has_more_volume(p + BULK_LOG))
        pressure += pal_more_pressure(p + BULK_LOG, k.J);
    add_up(p, F, &k, pressure, P);
    *J = k.J;
}

PAL_CLONES static void volumetric(const double *p, const PalLanes *J, PalLanes *U, PalLanes *dU)
{
    pal_barrier_volumetric(p[BULK], J, U, dU);
    if (pal_has_more_volume(p + BULK_LOG))
        pal_add_more_volume(p + BULK_LOG, J, U, dU);
}

static void total_ref(const double *p, const PalMat3 *F, PalMat3 *P)
{
    PalInvariant J, Ib1, Ib2, Ib4;
    PalVec3 a = pal_fibre_direction(p + X);
    pal_invariant_volume(F, &J);
    pal_invariant_isochoric_first(F, &J, &Ib1);
    pal_invariant_isochoric_second(F, &J, &Ib2);
    pal_invariant_isochoric_fibre(F, &a, &J, &Ib4);
    Pull g = pull(p, sqrt(Ib4.value)), w = by_square(&g, Ib4.value);
    *P = (PalMat3){0};
    pal_invariant_add_stress(&Ib1, p[C10], P);
    pal_invariant_add_stress(&Ib2, p[C01], P);
    pal_invariant_add_stress(&Ib4, w.first, P);
    pal_invariant_add_stress(&J, pal_three_terms_point(p[BULK], p + BULK_LOG, J.value).first, P);
}

// `taut`: the stiffer side where the tangent jumps, at slack fibres and at those about to be
// straight.
static void add_tangent(const double *p, const PalMat3 *F, bool taut, double A[9][9])
{
    PalInvariant J, Ib1, Ib2, Ib4;
    PalVec3 a = pal_fibre_direction(p + X);
    pal_invariant_volume(F, &J);
    pal_invariant_isochoric_first(F, &J, &Ib1);
    pal_invariant_isochoric_second(F, &J, &Ib2);
    pal_invariant_isochoric_fibre(F, &a, &J, &Ib4);
    PalVolumetricPoint U = pal_three_terms_point(p[BULK], p + BULK_LOG, J.value);
    Pull g = pull(p, sqrt(Ib4.value));
    if (taut)
        g.second = fmax(g.second, fmax(p[SLOPE], pull(p, nextafter(1, 2)).second));
    Pull w = by_square(&g, Ib4.value);
    pal_invariant_add_tangent(&Ib1, p[C10], 0, A);
    pal_invariant_add_tangent(&Ib2, p[C01], 0, A);
    pal_invariant_add_tangent(&Ib4, w.first, w.second, A);
    pal_invariant_add_tangent(&J, U.first, U.second, A);
}

static void tangent(const double *p, const PalMat3 *F, double A[9][9])
{
    add_tangent(p, F, false, A);
}

static void stiffest(const double *p, const PalMat3 *F, double A[9][9])
{
    add_tangent(p, F, true, A);
}

const PalMaterialLaw pal_law_fibre_mooney_rivlin = {
    .name = "fibre-mooney-rivlin",
    .summary = "Mooney-Rivlin with one family of fibres, which resist stretching only, stiffen "
               "exponentially and then become straight; resists collapse to no volume",
    .parameter_count = COUNT,
    .parameters = parameters,
    .check = check,
    .moduli = moduli,
    .energy = energy,
    .stress = stress,
    .volumetric = volumetric,
    .total = total,
    .total_ref = total_ref,
    .tangent = tangent,
    .stiffest = stiffest,
};
