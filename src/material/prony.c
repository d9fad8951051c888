// S = S_dist + S_vol - sum D_k, D_k' = (w_k S_part - D_k) / t_k   docs/theory/materials.md, 5
#include "material/prony.h"

#include "math/lanes_math.h"

#include <string.h>

enum { SYMMETRIC = 6 };  // entries of S: xx yy zz xy yz zx

static const int row[SYMMETRIC] = {0, 1, 2, 0, 1, 2}, column[SYMMETRIC] = {0, 1, 2, 1, 2, 0};

static int32_t tensor_count(int32_t term_count)
{
    return term_count > 0 ? SYMMETRIC * (term_count + 1) : 0;
}

int32_t pal_prony_isochoric_history_count(const PalMaterialDef *def)
{
    return tensor_count(def->isochoric_count);
}

int32_t pal_prony_history_count(const PalMaterialDef *def)
{
    return tensor_count(def->isochoric_count) + tensor_count(def->volumetric_count);
}

int32_t pal_prony_pressure_history_count(const PalMaterialDef *def)
{
    return def->volumetric_count > 0 ? def->volumetric_count + 1 : 0;
}

static double remainder_of(int32_t count, const PalPronyTerm *terms)
{
    double rest = 1;
    for (int32_t k = 0; k < count; ++k)
        rest -= terms[k].weight;
    return rest;
}

void pal_prony_long_term(const PalMaterialDef *def, double *isochoric, double *volumetric)
{
    *isochoric = remainder_of(def->isochoric_count, def->isochoric);
    *volumetric = remainder_of(def->volumetric_count, def->volumetric);
}

// With x = step / time and m = (1 - e^-x) / x, the share a constant rate leaves behind:
// D <- e^-x D + w (1 - m) S + w (m - e^-x) S_last. Series where the differences cancel.
static PalPronyFactors factors_of(const PalPronyTerm *term, double step)
{
    double x = step / term->time;
    if (x < 1e-3)
        return (PalPronyFactors){
            .decay = exp(-x),
            .now = term->weight * x * (1.0 / 2 - x * (1.0 / 6 - x * (1.0 / 24 - x / 120))),
            .before = term->weight * x * (1.0 / 2 - x * (1.0 / 3 - x * (1.0 / 8 - x / 30)))};
    double decay = exp(-x), mean = -expm1(-x) / x;
    return (PalPronyFactors){
        .decay = decay, .now = term->weight * (1 - mean), .before = term->weight * (mean - decay)};
}

void pal_prony_prepare(const PalMaterialDef *def, double step, PalProny *prony)
{
    prony->moves = step > 0;
    prony->isochoric_count = def->isochoric_count;
    prony->volumetric_count = def->volumetric_count;
    for (int32_t k = 0; k < def->isochoric_count; ++k)
        prony->isochoric[k] = factors_of(&def->isochoric[k], step);
    for (int32_t k = 0; k < def->volumetric_count; ++k)
        prony->volumetric[k] = factors_of(&def->volumetric[k], step);
}

PAL_LANES_INLINE PalLanes load(const double *from)
{
    PalLanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

PAL_LANES_INLINE void store(double *to, PalLanes x)
{
    memcpy(to, &x, sizeof x);
}

// Adds the terms' D to `sum` after advancing them; S is the part's stress now.
PAL_LANES_INLINE void advance(int32_t count, const PalPronyFactors *terms, const PalLanes *S,
                              const double *before, double *after, PalLanes *sum)
{
    const double *last = before + SYMMETRIC * PAL_LANES * count;
    for (int32_t k = 0; k < count; ++k)
        for (int c = 0; c < SYMMETRIC; ++c) {
            int32_t at = (SYMMETRIC * k + c) * PAL_LANES;
            PalLanes D = terms[k].decay * load(before + at) + terms[k].now * S[c] +
                         terms[k].before * load(last + c * PAL_LANES);
            store(after + at, D);
            sum[c] += D;
        }
    for (int c = 0; c < SYMMETRIC; ++c)
        store(after + (SYMMETRIC * count + c) * PAL_LANES, S[c]);
}

PAL_LANES_INLINE void add_standing(int32_t count, const double *history, PalLanes *sum)
{
    for (int32_t k = 0; k < count; ++k)
        for (int c = 0; c < SYMMETRIC; ++c)
            sum[c] += load(history + (SYMMETRIC * k + c) * PAL_LANES);
}

// S = cof^T P / J, entries in the order of `row` and `column`; where J <= 0 the last one.
PAL_LANES_INLINE void pull_back(const PalLanesMat3 *cof, PalLanes J, const PalLanesMat3 *P,
                                const double *last, PalLanes *S)
{
    PalLanes inverse = 1.0 / J;
    for (int c = 0; c < SYMMETRIC; ++c) {
        int i = row[c], j = column[c];
        PalLanes s = inverse * (cof->m[0][i] * P->m[0][j] + cof->m[1][i] * P->m[1][j] +
                                cof->m[2][i] * P->m[2][j]);
        S[c] = pal_lanes_select((PalLanesInt)(J > 0.0), s, load(last + c * PAL_LANES));
    }
}

// P += pressure cof F - F sum
PAL_LANES_INLINE void push_forward(const PalLanesMat3 *F, const PalLanesMat3 *cof,
                                   PalLanes pressure, const PalLanes *sum, PalLanesMat3 *P)
{
    for (int i = 0; i < 3; ++i) {
        const PalLanes *f = F->m[i];
        P->m[i][0] -= f[0] * sum[0] + f[1] * sum[3] + f[2] * sum[5];
        P->m[i][1] -= f[0] * sum[3] + f[1] * sum[1] + f[2] * sum[4];
        P->m[i][2] -= f[0] * sum[5] + f[1] * sum[4] + f[2] * sum[2];
        for (int j = 0; j < 3; ++j)
            P->m[i][j] += pressure * cof->m[i][j];
    }
}

PAL_CLONES void pal_prony_relax(const PalProny *prony, const PalLanesMat3 *F,
                                const PalLanes *pressure, const double *before, double *after,
                                PalLanesMat3 *P)
{
    const int32_t isochoric = prony->isochoric_count;
    const int32_t volumetric = pressure != NULL ? prony->volumetric_count : 0;
    const int32_t offset = PAL_LANES * tensor_count(isochoric);
    PalLanesMat3 cof;
    PalLanes S[SYMMETRIC], sum[SYMMETRIC] = {{0}};
    pal_lanes_cofactor(F, &cof);
    if (after == NULL || !prony->moves) {
        add_standing(isochoric, before, sum);
        add_standing(volumetric, before + offset, sum);
    } else {
        PalLanes J = pal_lanes_determinant(F, &cof);
        if (isochoric > 0) {
            pull_back(&cof, J, P, before + SYMMETRIC * PAL_LANES * isochoric, S);
            advance(isochoric, prony->isochoric, S, before, after, sum);
        }
        if (volumetric > 0) {
            PalLanesMat3 P_vol;
            for (int k = 0; k < 9; ++k)
                P_vol.m[k / 3][k % 3] = *pressure * cof.m[k / 3][k % 3];
            pull_back(&cof, J, &P_vol, before + offset + SYMMETRIC * PAL_LANES * volumetric, S);
            advance(volumetric, prony->volumetric, S, before + offset, after + offset, sum);
        }
    }
    push_forward(F, &cof, pressure != NULL ? *pressure : pal_lanes_all(0.0), sum, P);
}

double pal_prony_relax_pressure(const PalProny *prony, double pressure, const double *before,
                                double *after)
{
    const int32_t count = prony->volumetric_count;
    bool stands = after == NULL || !prony->moves;
    double sum = 0;
    for (int32_t k = 0; k < count; ++k) {
        const PalPronyFactors *term = &prony->volumetric[k];
        double D = before[k];
        if (!stands) {
            D = term->decay * D + term->now * pressure + term->before * before[count];
            after[k] = D;
        }
        sum += D;
    }
    if (!stands && count > 0)
        after[count] = pressure;
    return pressure - sum;
}

static void add_before(int32_t count, const PalPronyFactors *terms, const double *before,
                       PalPronyTangent *tangent, double *now)
{
    const double *last = before + SYMMETRIC * PAL_LANES * count;
    for (int32_t k = 0; k < count; ++k) {
        *now += terms[k].now;
        for (int c = 0; c < SYMMETRIC; ++c)
            tangent->H[c] += terms[k].decay * load(before + (SYMMETRIC * k + c) * PAL_LANES) +
                             terms[k].before * load(last + c * PAL_LANES);
    }
}

void pal_prony_tangent(const PalProny *prony, bool split, const double *before,
                       PalPronyTangent *tangent)
{
    const double *volumetric = before + PAL_LANES * tensor_count(prony->isochoric_count);
    *tangent = (PalPronyTangent){0, 0, {{0}}};
    if (prony->moves) {
        add_before(prony->isochoric_count, prony->isochoric, before, tangent, &tangent->isochoric);
        if (split)
            add_before(prony->volumetric_count, prony->volumetric, volumetric, tangent,
                       &tangent->volumetric);
        return;
    }
    add_standing(prony->isochoric_count, before, tangent->H);
    if (split)
        add_standing(prony->volumetric_count, volumetric, tangent->H);
}

double pal_prony_pressure_now(const PalProny *prony)
{
    double now = 0;
    for (int32_t k = 0; prony->moves && k < prony->volumetric_count; ++k)
        now += prony->volumetric[k].now;
    return now;
}
