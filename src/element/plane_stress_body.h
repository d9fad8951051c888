// Plane stress of thin bodies, as text: included with kernels_body.h.
//
// e = C - I in the plane: 11 22 12. The thickness stretches until no stress is left across it; S is
// the second Piola-Kirchhoff stress.   docs/theory/membranes.md, 3

// Newton's iteration is quadratic: a last change this small leaves nothing to do.
#define STRETCH_CLOSE 1e-9
#define VOLUME_CLOSE  3e-5
#define SQUARE_CLOSE  1e-13  // of the product of the last two changes
#define LEAST_CHANGE  1e-11
enum { STRETCH_ROUNDS = 30, SHELL_GROUP = 4 };  // batches that are worked at side by side

// Where the stress of a batch comes from; `before` NULL: nothing relaxes.
typedef struct PlaneStress {
    const PalPart *part;
    double kept;   // how much of a change of area the thickness makes good, at small strain
    double steep;  // slope of the stress across the plane after its square, at rest
    const PalProny *prony;
    const double *before;  // history
    double *after;         // NULL: it stands
} PlaneStress;

INLINE bool all_close(PalLanes change, PalLanes size, double close)
{
    PalLanesInt far = (PalLanesInt)(change * change > close * close * size * size);
    return none_set(far);
}

// det C in the plane.
INLINE PalLanes plane_determinant(const PalLanes e[3])
{
    return (1.0 + e[0]) * (1.0 + e[1]) - e[2] * e[2];
}

INLINE void plane_at_rest(const PalPart *part, PlaneStress *at)
{
    double shear, bulk;
    part->material.law->moduli(part->material.parameters, &shear, &bulk);
    double lame = bulk - 2.0 / 3.0 * shear;
    at->part = part;
    at->kept = lame / (lame + 2 * shear);
    at->steep = 0.5 * (lame + 2 * shear);
}

// Square of the thickness stretch: right to first order, and exact without compressibility.
INLINE PalLanes first_square(const PlaneStress *at, PalLanes determinant)
{
    return 1.0 / (1.0 + at->kept * (determinant - 1.0));
}

// Half the trace of e, and the square of half the difference of its principal values.
INLINE PalLanes split_plane(const PalLanes e[3], PalLanes *q)
{
    PalLanes d = 0.5 * (e[0] - e[1]);
    *q = d * d + e[2] * e[2];
    return 0.5 * (e[0] + e[1]);
}

// 1 + a polynomial of a fit, see plane_fit.h.
INLINE PalLanes fitted(const double c[PAL_PLANE_TERMS], PalLanes s, PalLanes q)
{
    PalLanes more = c[5] + s * (c[6] + s * (c[7] + s * c[8])) + q * (c[9] + s * c[10]);
    return 1.0 + (s * (c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * c[4])))) + q * more);
}

// Where fits hold.
INLINE PalLanesInt is_fitted(const PalPlaneFit *fit, PalLanes s, PalLanes q)
{
    PalLanesInt known = (PalLanesInt)(pal_lanes_all(fit->known ? 1.0 : 0.0) > 0.5);
    return known & (PalLanesInt)(s * s < PAL_PLANE_MEAN * PAL_PLANE_MEAN) &
           (PalLanesInt)(q < PAL_PLANE_SHEAR);
}

// The best start that is known.
INLINE PalLanes start_square(const PlaneStress *at, const PalLanes e[3], PalLanes determinant)
{
    PalLanes q, s = split_plane(e, &q);
    PalLanesInt near = is_fitted(&at->part->plane, s, q);
    PalLanes best = fitted(at->part->plane.square, s, q);
    if (none_set(~near))
        return best;
    return pal_lanes_select(near, best, first_square(at, determinant));
}

// S = G J^(-2/3) (I - x C^-1), with x the square of the thickness stretch; `inverse` is x / det C.
INLINE void neo_hookean_plane(PalLanes factor, PalLanes inverse, const PalLanes e[3], PalLanes S[3])
{
    S[0] = factor * (1.0 - inverse * (1.0 + e[1]));
    S[1] = factor * (1.0 - inverse * (1.0 + e[0]));
    S[2] = factor * (inverse * e[2]);
}

// J from G J^(-2/3) (2 x - tr C) / 3 + K (J - 1) J = 0 with x = J^2 / det C; `square` receives x.
// By Chebyshev's iteration, which is cubic; J^(-2/3) follows the last change to second order.
INLINE void neo_hookean_stress(const PalPart *part, const PalLanes e[3], PalLanes S[3],
                               PalLanes *square)
{
    const double G = part->material.parameters[0], K = part->material.parameters[1];
    PalLanes determinant = plane_determinant(e), trace = 2.0 + e[0] + e[1];
    PalLanes inverse = 1.0 / determinant;
    if (part->material.incompressible) {
        neo_hookean_plane(pal_lanes_all(G), inverse * inverse, e, S);
        *square = inverse;
        return;
    }
    // right to first order: how much of a change of area is one of the volume
    double kept = 2 * G / (K + 4.0 / 3.0 * G);
    PalLanes q, s = split_plane(e, &q), first = 1.0 + 0.5 * kept * (determinant - 1.0);
    PalLanes J = fitted(part->plane.volume, s, q), factor = {0};
    first = pal_lanes_select((PalLanesInt)(first > 0.1), first, pal_lanes_all(0.1));
    J = pal_lanes_select(is_fitted(&part->plane, s, q), J, first);
    for (int round = 0; round < STRETCH_ROUNDS; ++round) {
        PalLanes r = pal_lanes_inverse_cbrt(J), r2 = r * r, per_J = r2 * r, ratio = J * inverse;
        PalLanes f = (G / 3.0) * r2 * (2.0 * J * ratio - trace) + K * (J - 1.0) * J;
        PalLanes steep = 2.0 * J - 1.0;
        steep = pal_lanes_select((PalLanesInt)(steep > 0.25), steep, pal_lanes_all(0.25));
        PalLanes slope = (2.0 * G / 9.0) * r2 * (4.0 * ratio + trace * per_J) + K * steep;
        PalLanes curve =
            (2.0 * G / 9.0) * r2 * (inverse * (4.0 / 3.0) - (5.0 / 3.0) * trace * per_J * per_J) +
            2.0 * K;
        PalLanes by_slope = 1.0 / slope, change = -f * by_slope, least = -0.5 * J;
        change -= 0.5 * change * change * curve * by_slope;
        change = pal_lanes_select((PalLanesInt)(change < least), least, change);
        PalLanes t = change * per_J;
        factor = G * r2 * (1.0 - t * (2.0 / 3.0 - (5.0 / 9.0) * t));
        J += change;
        if (all_close(change, J, VOLUME_CLOSE))
            break;
    }
    *square = J * J * inverse;
    neo_hookean_plane(factor, *square * inverse, e, S);
}

// ---- laws of invariants ---------------------------------------------------------------------

// On the way to no stress across the plane: x is the square of the thickness stretch.
typedef struct SquareSearch {
    PalLanes determinant, trace;
    PalLanes x, f, slope;  // f: the stress across the plane
    PalLanes ratio;        // of the change that is left to the last one
    PalStressFactors now, before;
    bool moved, found;
} SquareSearch;

// f = a + b J / x + c x
INLINE void across_plane(const PalMaterialDef *material, SquareSearch *at)
{
    PalLanes J = pal_lanes_sqrt(at->x * at->determinant);
    PalLawInvariants of = {at->trace + at->x, at->determinant + at->x * at->trace, J};
    material->law->factors(material->parameters, &of, &at->now);
    at->f = at->now.a + at->now.b * J / at->x + at->now.c * at->x;
}

INLINE void begin_search(const PlaneStress *at, const PalLanes e[3], SquareSearch *search)
{
    const PalMaterialDef *material = &at->part->material;
    search->determinant = plane_determinant(e);
    search->trace = 2.0 + e[0] + e[1];
    search->found = material->incompressible;
    search->moved = false;
    if (material->incompressible) {
        search->x = 1.0 / search->determinant;
    } else {
        PalLanes q, s = split_plane(e, &q);
        const PalPlaneFit *fit = &at->part->plane;
        PalLanesInt near = is_fitted(fit, s, q);
        search->x = fitted(fit->square, s, q);
        search->slope = fit->slope[0] + s * (fit->slope[1] + s * fit->slope[2]) + q * fit->slope[3];
        if (!none_set(~near)) {
            search->x = pal_lanes_select(near, search->x, first_square(at, search->determinant));
            search->slope =
                pal_lanes_select(near, search->slope, at->steep / (search->x * search->x));
        }
    }
    search->ratio = search->f = pal_lanes_all(0.0);
    across_plane(material, search);
}

// A secant, or at first a tangent with the slope at rest.
INLINE void step_search(const PalMaterialDef *material, SquareSearch *at)
{
    PalLanes change = -at->f / at->slope, least = -0.5 * at->x, before = at->f;
    change = pal_lanes_select((PalLanesInt)(change < least), least, change);
    change = pal_lanes_select((PalLanesInt)(change > at->x), at->x, change);
    at->before = at->now;
    at->moved = true;
    at->x += change;
    across_plane(material, at);
    PalLanes inverse = 1.0 / change, secant = (at->f - before) * inverse;
    // of a change this small nothing is left but rounding
    PalLanesInt moved =
        (PalLanesInt)(change * change > LEAST_CHANGE * LEAST_CHANGE * at->x * at->x);
    at->slope = pal_lanes_select(moved & (PalLanesInt)(secant > 0.0), secant, at->slope);
    PalLanes next = -at->f / at->slope, product = next * change,
             close = SQUARE_CLOSE * at->x * at->x;
    at->ratio = pal_lanes_select(moved, next * inverse, pal_lanes_all(0.0));
    at->found = none_set((PalLanesInt)(product * product > close * close));
}

// S = a (I - x C^-1) + c (C - x^2 C^-1): what b is follows from no stress across the plane. What is
// left of the way goes into a and c, too, so that their error is the product of the last changes.
INLINE void end_search(const SquareSearch *at, const PalLanes e[3], PalLanes S[3], PalLanes *square)
{
    PalLanes x = at->x, a = at->now.a, c = at->now.c;
    if (at->moved) {
        x -= at->f / at->slope;
        a += at->ratio * (a - at->before.a);
        c += at->ratio * (c - at->before.c);
    }
    PalLanes inverse = (a + c * x) * x / at->determinant;
    S[0] = a + c * (1.0 + e[0]) - inverse * (1.0 + e[1]);
    S[1] = a + c * (1.0 + e[1]) - inverse * (1.0 + e[0]);
    S[2] = (c + inverse) * e[2];
    *square = x;
}

// Several batches side by side: each search is one long chain of dependent operations.
INLINE void invariant_stresses(const PlaneStress *at, int32_t count, PalShellNow *now)
{
    const PalMaterialDef *material = &at->part->material;
    SquareSearch search[SHELL_GROUP];
    bool found = material->incompressible;
    for (int32_t b = 0; b < count; ++b)
        begin_search(at, now[b].e, &search[b]);
    for (int round = 0; round < STRETCH_ROUNDS && !found; ++round) {
        found = true;
        for (int32_t b = 0; b < count; ++b) {
            if (!search[b].found)
                step_search(material, &search[b]);
            found = found && search[b].found;
        }
    }
    for (int32_t b = 0; b < count; ++b)
        end_search(&search[b], now[b].e, now[b].S, &now[b].stretch);
}

// ---- laws of principal stretches ------------------------------------------------------------

// `square` receives that of the thickness stretch.
INLINE void principal_stress(const PlaneStress *at, const PalLanes e[3], PalLanes S[3],
                             PalLanes *square)
{
    const PalMaterialDef *material = &at->part->material;
    PalLanes q, s = split_plane(e, &q), r = pal_lanes_sqrt(q), values[2];
    const PalLanes squares[2] = {1.0 + (s + r), 1.0 + (s - r)};
    *square =
        material->incompressible ? pal_lanes_all(1.0) : start_square(at, e, plane_determinant(e));
    material->law->plane(material->parameters, material->incompressible, squares, square, values);
    // cosine and sine of twice the angle to the first principal direction, any where there is none
    PalLanesInt turned = (PalLanesInt)(r > 0.0);
    PalLanes inverse = 1.0 / pal_lanes_select(turned, r, pal_lanes_all(1.0));
    PalLanes cosine = 0.5 * (e[0] - e[1]) * inverse, sine = e[2] * inverse;
    PalLanes mean = 0.5 * (values[0] + values[1]), half = 0.5 * (values[0] - values[1]);
    S[0] = mean + half * cosine;
    S[1] = mean - half * cosine;
    S[2] = half * sine;
}

// ---- any law --------------------------------------------------------------------------------

// P of any law for F = [f0 f2 0; 0 f1 0; 0 0 stretch].
static void law_stress(const PlaneStress *at, const PalLanes f[3], const PalLanes *stretch,
                       double *after, PalLanesMat3 *P)
{
    const PalMaterialDef *material = &at->part->material;
    const PalMaterialLaw *law = material->law;
    PalLanesMat3 F = {{{f[0], f[2], {0}}, {{0}, f[1], {0}}, {{0}, {0}, *stretch}}};
    bool relaxes = at->before != NULL, fixed = material->incompressible;
    PalLanes J = f[0] * f[1] * *stretch, pressure = {0};
    if (!relaxes && !fixed) {
        law->total(material->parameters, &F, P, &J);
        return;
    }
    law->stress(material->parameters, &F, P);
    if (!fixed && law->volumetric != NULL)
        law->volumetric(material->parameters, &J, NULL, &pressure);
    if (relaxes)
        pal_prony_relax(at->prony, &F, fixed || law->volumetric == NULL ? NULL : &pressure,
                        at->before, after, P);
    if (!fixed)
        return;
    // the pressure that leaves nothing across the plane, times cof F
    PalLanes p = -P->m[2][2] / (f[0] * f[1]);
    P->m[0][0] += p * f[1] * *stretch;
    P->m[1][1] += p * f[0] * *stretch;
    P->m[1][0] -= p * f[2] * *stretch;
    P->m[2][2] = pal_lanes_all(0.0);
}

// The stretch at which P_33 vanishes, by secants; the first slope is that at rest.
static void find_stretch(const PlaneStress *at, const PalLanes f[3], PalLanes *stretch)
{
    double scratch[2 * (PAL_PRONY_MAX + 1) * 6 * PAL_LANES];
    double *after = at->after != NULL ? scratch : NULL;
    PalLanes slope = 2.0 * at->steep / *stretch, change = {0}, before = {0};
    for (int round = 0; round < STRETCH_ROUNDS; ++round) {
        PalLanesMat3 P;
        law_stress(at, f, stretch, after, &P);
        PalLanes secant = (P.m[2][2] - before) / change;
        if (round > 0)
            slope = pal_lanes_select((PalLanesInt)(secant > 0.0), secant, slope);
        PalLanes least = -0.5 * *stretch, most = *stretch;
        before = P.m[2][2];
        change = -before / slope;
        change = pal_lanes_select((PalLanesInt)(change < least), least, change);
        change = pal_lanes_select((PalLanesInt)(change > most), most, change);
        *stretch += change;
        if (all_close(change, *stretch, STRETCH_CLOSE))
            return;
    }
}

static void any_stress(const PlaneStress *at, const PalLanes e[3], PalLanes S[3], PalLanes *stretch)
{
    PalLanes determinant = plane_determinant(e), f[3];
    PalLanesMat3 P;
    f[0] = pal_lanes_sqrt(1.0 + e[0]);
    f[2] = e[2] / f[0];
    f[1] = pal_lanes_sqrt(1.0 + e[1] - f[2] * f[2]);
    if (at->part->material.incompressible) {
        *stretch = pal_lanes_sqrt(1.0 / determinant);
    } else {
        *stretch = pal_lanes_sqrt(first_square(at, determinant));
        find_stretch(at, f, stretch);
    }
    law_stress(at, f, stretch, at->after, &P);
    S[2] = P.m[1][0] / f[1];
    S[1] = P.m[1][1] / f[1];
    S[0] = (P.m[0][0] - f[2] * S[2]) / f[0];
}
