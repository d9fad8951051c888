// Proper generalised decomposition as printed in gonzalez2015, (2) to (4):
//   u_j(x, s, d, l) = sum_k X_j^k(x) Y_j^k(s) A_j^k(d) B_j^k(l),
// product after product by alternating directions; the load is separated by sites, exactly. Strains
// are linearised explicitly: the load grows in stages, and each product answers, by the stiffness
// of the shapes so far, what the products before it leave out of balance. It is scaled to the least
// energy along it, so that this cannot run away.
#include "reduced/build.h"

#include "base/memory.h"
#include "math/components.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define PRINTED_STOP 1e-5  // residual, of the loads
#define MOST_NUMBERS 5e7   // of stiffnesses that are kept
enum { TURNS = 8, PRINTED_MODES = 81, STAGES = 9 };

// Factors of one product besides its shape: 3 numbers each.
typedef struct Pgd {
    PalBuild *build;
    int32_t sites, directions, levels, count;  // count: of all combinations
    int64_t size;
    double *u, *left;  // per combination a vector: the shape, and what is out of balance
    double *load, *shape, *product, *trial;  // vectors
    int *axis;                               // per row
    int64_t entries;   // numbers of a matrix with the pattern of the stiffness
    double *matrix;    // such numbers
    double *tangents;  // the same per combination; NULL: too many, the stiffness at rest serves all
    double *Y, *A, *B;  // per site, direction, level
    double *seen;       // per combination 3: the residual seen by the shape, axis by axis
    double *N;          // per combination 9: the shape's stiffness, axis by axis
    double stage;       // part of the loads
    double residual;    // after the last product, of the whole loads
    int32_t product_count;
    float *X_all, *Y_all, *A_all, *B_all;  // of all products, product after product
} Pgd;

static void clear(Pgd *p)
{
    void *lists[] = {p->N,       p->tangents, p->u,     p->left,   p->load,  p->shape,
                     p->product, p->trial,    p->axis,  p->matrix, p->Y,     p->A,
                     p->B,       p->seen,     p->X_all, p->Y_all,  p->A_all, p->B_all};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        pal_free(lists[i]);
}

static int32_t site_of(const Pgd *p, int32_t c)
{
    return c / (p->directions * p->levels);
}

static int32_t direction_of(const Pgd *p, int32_t c)
{
    return c / p->levels % p->directions;
}

static int32_t level_of(const Pgd *p, int32_t c)
{
    return c % p->levels;
}

static double factor_of(const Pgd *p, int32_t c, int j)
{
    return p->Y[3 * site_of(p, c) + j] * p->A[3 * direction_of(p, c) + j] *
           p->B[3 * level_of(p, c) + j];
}

static PalVec3 direction_at(const Pgd *p, int32_t site, int32_t direction)
{
    const PalVademecumDef *def = p->build->def;
    if (def->directions == PAL_DIRECTIONS_NORMAL)
        return pal_vec3_scale(-1, p->build->normals[p->build->site[site]]);
    if (def->directions == PAL_DIRECTIONS_ONE)
        return pal_vec3_normalise(def->direction);
    PalVec3 along = {0, 0, 0};
    pal_vec3_put(&along, direction / 2, direction % 2 == 0 ? 1 : -1);
    return along;
}

static void find_load(Pgd *p, int32_t c, double *vector)
{
    int32_t site = site_of(p, c);
    double size = p->stage * pal_build_levels[level_of(p, c)] * p->build->def->largest;
    PalVademecumLoad load = {pal_build_position(p->build, p->build->site[site]),
                             pal_vec3_scale(size, direction_at(p, site, direction_of(p, c)))};
    pal_build_load(p->build, &load, p->build->def->patch, vector);
}

// ---- alternating directions -------------------------------------------------------------

// matrix = sum over combinations of c_i c_j K_ij, and a little of that at rest.
static void sum_tangents(Pgd *p, double little)
{
    const PalSymmetric *k = &p->build->truth->rest;
    for (int64_t e = 0; e < p->entries; ++e)
        p->matrix[e] = little * k->value[e];
    for (int32_t c = 0; c < p->count; ++c) {
        const double *tangent = p->tangents + c * p->entries;
        double f[3];
        for (int i = 0; i < 3; ++i)
            f[i] = factor_of(p, c, i);
        for (int32_t r = 0; r < k->size; ++r)
            for (int64_t e = k->start[r]; e < k->start[r + 1]; ++e)
                p->matrix[e] += f[p->axis[r]] * f[p->axis[k->column[e]]] * tangent[e];
    }
}

// The shape, with the other factors known: Hadamard products of the stiffness with sums of theirs.
static PalStatus find_shape(Pgd *p, PalError *error)
{
    PalTruth *truth = p->build->truth;
    double M[3][3] = {{0}};
    PalSymmetric k = truth->rest;
    memset(p->shape, 0, (size_t)p->size * sizeof *p->shape);
    for (int32_t c = 0; c < p->count; ++c) {
        double f[3];
        for (int i = 0; i < 3; ++i)
            f[i] = factor_of(p, c, i);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                M[i][j] += f[i] * f[j];
        const double *left = p->left + c * p->size;
        for (int64_t r = 0; r < p->size; ++r)
            p->shape[r] += f[p->axis[r]] * left[r];
    }
    double largest = fmax(M[0][0], fmax(M[1][1], M[2][2]));
    for (int i = 0; i < 3; ++i)
        M[i][i] += 1e-10 * largest;
    if (p->tangents == NULL)
        for (int32_t r = 0; r < k.size; ++r)
            for (int64_t e = k.start[r]; e < k.start[r + 1]; ++e)
                p->matrix[e] = k.value[e] * M[p->axis[r]][p->axis[k.column[e]]];
    else
        sum_tangents(p, 1e-10 * largest);
    k.value = p->matrix;
    PalFactorFacts facts;
    PAL_TRY(truth->linear->factor(truth->factors, &k, NULL, &facts, error));
    PAL_TRY(truth->linear->solve(truth->factors, &k, p->shape, NULL, error));
    double norm = pal_truth_energy_norm(truth, p->shape);
    for (int64_t r = 0; r < p->size && norm > 0; ++r)
        p->shape[r] /= norm;
    return PAL_OK;
}

static void see_stiffness(const Pgd *p, const double *values, double N[9])
{
    const PalSymmetric *k = &p->build->truth->rest;
    memset(N, 0, 9 * sizeof *N);
    for (int32_t r = 0; r < k->size; ++r)
        for (int64_t e = k->start[r]; e < k->start[r + 1]; ++e) {
            int32_t other = k->column[e];
            double part = p->shape[r] * values[e] * p->shape[other];
            N[3 * p->axis[r] + p->axis[other]] += part;
            if (other != r)
                N[3 * p->axis[other] + p->axis[r]] += part;
        }
}

// What the shape sees: stiffness and residuals, axis by axis.
static void look(Pgd *p)
{
    for (int32_t c = 0; c < p->count; ++c) {
        double *seen = p->seen + 3 * (int64_t)c, *N = p->N + 9 * (int64_t)c;
        const double *left = p->left + c * p->size;
        if (p->tangents != NULL)
            see_stiffness(p, p->tangents + c * p->entries, N);
        else if (c == 0)
            see_stiffness(p, p->build->truth->rest.value, N);
        else
            memcpy(N, p->N, 9 * sizeof *N);
        seen[0] = seen[1] = seen[2] = 0;
        for (int64_t r = 0; r < p->size; ++r)
            seen[p->axis[r]] += p->shape[r] * left[r];
    }
}

// x with H x = b; where the shape has nothing along an axis, nothing is asked of it.
static void solve3(double H[3][3], const double b[3], double x[3])
{
    PalMat3 matrix;
    double trace = H[0][0] + H[1][1] + H[2][2];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            matrix.m[i][j] = H[i][j] + (i == j ? 1e-10 * trace + 1e-300 : 0);
    // by elimination: the matrix is positive
    double rest[3] = {b[0], b[1], b[2]};
    for (int i = 0; i < 3; ++i)
        for (int r = i + 1; r < 3; ++r) {
            double part = matrix.m[r][i] / matrix.m[i][i];
            for (int j = i; j < 3; ++j)
                matrix.m[r][j] -= part * matrix.m[i][j];
            rest[r] -= part * rest[i];
        }
    for (int i = 2; i >= 0; --i) {
        x[i] = rest[i];
        for (int j = i + 1; j < 3; ++j)
            x[i] -= matrix.m[i][j] * x[j];
        x[i] /= matrix.m[i][i];
    }
}

// One of the three other factors: `own` has 3 numbers for each value of its parameter, which
// `which` tells of a combination.
static void find_factor(Pgd *p, double *own, int32_t own_count,
                        int32_t (*which)(const Pgd *p, int32_t c))
{
    for (int32_t v = 0; v < own_count; ++v) {
        double H[3][3] = {{0}}, b[3] = {0};
        double mine[3] = {own[3 * v], own[3 * v + 1], own[3 * v + 2]};
        own[3 * v] = own[3 * v + 1] = own[3 * v + 2] = 1;
        for (int32_t c = 0; c < p->count; ++c) {
            if (which(p, c) != v)
                continue;
            for (int i = 0; i < 3; ++i) {
                double f = factor_of(p, c, i);
                b[i] += f * p->seen[3 * (int64_t)c + i];
                for (int j = 0; j < 3; ++j)
                    H[i][j] += f * factor_of(p, c, j) * p->N[9 * (int64_t)c + 3 * i + j];
            }
        }
        double x[3];
        solve3(H, b, x);
        for (int i = 0; i < 3; ++i)
            own[3 * v + i] = isfinite(x[i]) ? x[i] : mine[i];
    }
}

// The largest number of each axis becomes 1; the sites take the rest.
static void pass_on(Pgd *p, double *own, int32_t count)
{
    for (int j = 0; j < 3; ++j) {
        double most = 0;
        for (int32_t v = 0; v < count; ++v)
            most = fabs(own[3 * v + j]) > fabs(most) ? own[3 * v + j] : most;
        for (int32_t v = 0; v < count && most != 0; ++v)
            own[3 * v + j] /= most;
        for (int32_t s = 0; s < p->sites; ++s)
            p->Y[3 * s + j] *= most;
    }
}

static PalStatus find_product(Pgd *p, PalError *error)
{
    uint64_t seed = 3 + (uint64_t)p->product_count;
    for (int32_t i = 0; i < 3 * p->sites; ++i)
        p->Y[i] = 0.5 + pal_build_random(&seed);
    for (int32_t i = 0; i < 3 * p->directions; ++i)
        p->A[i] = p->directions == 1 ? 1 : pal_build_random(&seed) - 0.5;
    for (int32_t i = 0; i < 3 * p->levels; ++i)
        p->B[i] = pal_build_levels[i / 3];
    double before = 0;
    for (int turn = 0; turn < TURNS; ++turn) {
        double sum = 0;
        PAL_TRY(find_shape(p, error));
        look(p);
        find_factor(p, p->Y, p->sites, site_of);
        if (p->directions > 1) {
            find_factor(p, p->A, p->directions, direction_of);
            pass_on(p, p->A, p->directions);
        }
        find_factor(p, p->B, p->levels, level_of);
        pass_on(p, p->B, p->levels);
        for (int32_t i = 0; i < 3 * p->sites; ++i)
            sum += p->Y[i] * p->Y[i];
        if (fabs(sum - before) < 1e-3 * sum)
            break;
        before = sum;
    }
    return PAL_OK;
}

// ---- along a product --------------------------------------------------------------------

// A product of present factors, or, where shapes grow with the load, what they grow by if all were
// linear; of these combinations.
typedef struct Way {
    double growth;  // 0: a product
    int32_t first, last;
} Way;

static void scaled_product(const Pgd *p, int32_t c, double *product)
{
    double f[3];
    for (int j = 0; j < 3; ++j)
        f[j] = factor_of(p, c, j);
    for (int64_t r = 0; r < p->size; ++r)
        product[r] = f[p->axis[r]] * p->shape[r];
}

// Slope of the energy along a way after a part of it; infinite: a cell is inside out.
static double slope(Pgd *p, const Way *way, double part)
{
    PalTruth *truth = p->build->truth;
    double sum = 0;
    for (int32_t c = way->first; c <= way->last; ++c) {
        const double *u = p->u + c * p->size;
        if (way->growth == 0)
            scaled_product(p, c, p->product);
        for (int64_t r = 0; r < p->size && way->growth > 0; ++r)
            p->product[r] = way->growth * u[r];
        for (int64_t r = 0; r < p->size; ++r)
            p->trial[r] = u[r] + part * p->product[r];
        find_load(p, c, p->load);
        if (!pal_truth_forces(truth, p->trial, truth->internal))
            return INFINITY;
        sum += pal_truth_dot(truth, p->product, truth->internal) -
               pal_truth_dot(truth, p->product, p->load);
    }
    return sum;
}

static double find_length(Pgd *p, const Way *way)
{
    double low = 0, low_slope = slope(p, way, 0), high = 1, high_slope = slope(p, way, 1);
    if (!(low_slope < 0))
        return 0;
    while (!isfinite(high_slope) && high > 0.01)
        high_slope = slope(p, way, high /= 2);
    for (int i = 0; i < 6 && fabs(high_slope) > 0.1 * -low_slope; ++i) {
        if (high_slope < 0)  // falls still
            return high;
        double middle = high * low_slope / (low_slope - high_slope);
        middle = middle > 0.1 * high ? middle : 0.1 * high;
        high = low + middle;
        high_slope = slope(p, way, high);
    }
    return isfinite(high_slope) ? high : 0;
}

// What is out of balance; returns its size, of the loads.
static double find_left(Pgd *p)
{
    PalTruth *truth = p->build->truth;
    double left = 0, whole = 0;
    for (int32_t c = 0; c < p->count; ++c) {
        double *rest = p->left + c * p->size;
        find_load(p, c, p->load);
        pal_truth_forces(truth, p->u + c * p->size, truth->internal);
        for (int64_t r = 0; r < p->size; ++r) {
            rest[r] = p->load[r] - truth->internal[r];
            left += rest[r] * rest[r];
            whole += p->load[r] * p->load[r];
        }
    }
    return whole > 0 ? sqrt(left / whole) : 0;
}

static double take(Pgd *p, double length)
{
    for (int32_t i = 0; i < 3 * p->sites; ++i)
        p->Y[i] *= length;
    for (int32_t c = 0; c < p->count; ++c) {
        double *u = p->u + c * p->size;
        scaled_product(p, c, p->product);
        for (int64_t r = 0; r < p->size; ++r)
            u[r] += p->product[r];
    }
    return find_left(p);
}

static void keep(Pgd *p)
{
    int64_t k = p->product_count++;
    for (int64_t r = 0; r < p->size; ++r)
        p->X_all[k * p->size + r] = (float)p->shape[r];
    for (int64_t i = 0; i < 3 * (int64_t)p->sites; ++i)
        p->Y_all[k * 3 * p->sites + i] = (float)p->Y[i];
    for (int64_t i = 0; i < 3 * (int64_t)p->directions; ++i)
        p->A_all[k * 3 * p->directions + i] = (float)p->A[i];
    for (int64_t i = 0; i < 3 * (int64_t)p->levels; ++i)
        p->B_all[k * 3 * p->levels + i] = (float)p->B[i];
}

// ---- all of it --------------------------------------------------------------------------

static PalStatus make(Pgd *p, int32_t most, PalError *error)
{
    size_t size = (size_t)p->size, count = (size_t)p->count, modes = (size_t)most;
    const PalSymmetric *k = &p->build->truth->rest;
    p->u = pal_alloc(count * size, sizeof *p->u);
    p->left = pal_alloc(count * size, sizeof *p->left);
    p->load = pal_alloc(size, sizeof *p->load);
    p->shape = pal_alloc(size, sizeof *p->shape);
    p->product = pal_alloc(size, sizeof *p->product);
    p->trial = pal_alloc(size, sizeof *p->trial);
    p->axis = pal_alloc(size, sizeof *p->axis);
    p->entries = k->start[k->size];
    p->matrix = pal_alloc((size_t)p->entries, sizeof *p->matrix);
    p->N = pal_alloc(9 * count, sizeof *p->N);
    if ((double)p->entries * p->count < MOST_NUMBERS)
        p->tangents = pal_alloc(count * (size_t)p->entries, sizeof *p->tangents);
    p->Y = pal_alloc(3 * (size_t)p->sites, sizeof *p->Y);
    p->A = pal_alloc(3 * (size_t)p->directions, sizeof *p->A);
    p->B = pal_alloc(3 * (size_t)p->levels, sizeof *p->B);
    p->seen = pal_alloc(3 * count, sizeof *p->seen);
    p->X_all = pal_alloc(modes * size, sizeof *p->X_all);
    p->Y_all = pal_alloc(modes * 3 * (size_t)p->sites, sizeof *p->Y_all);
    p->A_all = pal_alloc(modes * 3 * (size_t)p->directions, sizeof *p->A_all);
    p->B_all = pal_alloc(modes * 3 * (size_t)p->levels, sizeof *p->B_all);
    if (p->u == NULL || p->left == NULL || p->load == NULL || p->shape == NULL ||
        p->product == NULL || p->trial == NULL || p->N == NULL || p->axis == NULL ||
        p->matrix == NULL || p->Y == NULL || p->A == NULL || p->B == NULL || p->seen == NULL ||
        p->X_all == NULL || p->Y_all == NULL || p->A_all == NULL || p->B_all == NULL)
        return pal_build_no_memory(error);
    for (int64_t r = 0; r < p->size; ++r)
        p->axis[r] = p->build->truth->stiffness->component[r] % 3;
    return PAL_OK;
}

static PalStatus fill(const Pgd *p, PalVademecum **result, PalError *error)
{
    const PalBuild *build = p->build;
    const PalVademecumDef *def = build->def;
    PalVademecumSize size = pal_build_size(build);
    size.mode_count = p->product_count;
    size.stride = (p->product_count + 7) / 8 * 8;
    PalVademecumFacts facts = {.method = def->method,
                               .directions = def->directions,
                               .patch = def->patch,
                               .largest = def->largest,
                               .tolerance = def->tolerance,
                               .residual = p->residual};
    PAL_TRY(pal_vademecum_create(&size, &facts, result, error));
    PalVademecum *book = *result;
    int64_t stride = size.stride;
    pal_build_fill_body(build, book);
    for (int64_t k = 0; k < p->product_count; ++k) {
        for (int64_t c = 0; c < 3 * (int64_t)build->node_count; ++c)
            if (build->row[c] != PAL_NONE)
                book->modes[c * stride + k] = p->X_all[k * p->size + build->row[c]];
        for (int64_t i = 0; i < 3 * (int64_t)p->sites; ++i)
            book->site_factor[i * stride + k] = p->Y_all[k * 3 * p->sites + i];
        for (int64_t i = 0; i < 3 * (int64_t)p->directions; ++i)
            book->direction_factor[i * stride + k] = p->A_all[k * 3 * p->directions + i];
        for (int64_t i = 0; i < 3 * (int64_t)p->levels; ++i)
            book->level_factor[i * stride + k] = p->B_all[k * 3 * p->levels + i];
    }
    for (int32_t i = 0; i < size.site_count * size.direction_count; ++i)
        book->reached[i] = 1;
    return pal_vademecum_finish(book, error);
}

// One product. *left: the residual, of the loads; *found false: none lowers the energy.
static PalStatus add_product(Pgd *p, double *left, bool *found, PalError *error)
{
    for (int32_t c = 0; p->tangents != NULL && c < p->count; ++c)
        pal_truth_tangent(p->build->truth, p->u + c * p->size, p->tangents + c * p->entries);
    PAL_TRY(find_product(p, error));
    const Way along = {0, 0, p->count - 1};
    double length = find_length(p, &along);
    *found = length > 0;
    if (*found) {
        *left = take(p, length);
        keep(p);
    }
    return PAL_OK;
}

// All products so far, site by site, as the load has grown since the last stage: to where the
// energy is least on the way to what would be in proportion. Without it, products are spent on
// shapes that are known.
static PalStatus grow(Pgd *p, int stage, int32_t most, PalError *error)
{
    int32_t each = p->directions * p->levels;
    for (int32_t s = 0; s < p->sites && stage > 1; ++s) {
        PAL_TRY(pal_build_tell(p->build, "products", p->product_count, most, error));
        const Way way = {1.0 / (stage - 1), s * each, s * each + each - 1};
        double factor = 1 + way.growth * find_length(p, &way);
        for (int64_t i = way.first * p->size; i < (way.last + 1) * p->size; ++i)
            p->u[i] *= factor;
        for (int32_t k = 0; k < p->product_count; ++k)
            for (int j = 0; j < 3; ++j)
                p->Y_all[3 * ((int64_t)k * p->sites + s) + j] *= (float)factor;
    }
    return PAL_OK;
}

static PalStatus enrich(Pgd *p, int32_t most, PalError *error)
{
    for (int stage = 1; stage <= STAGES; ++stage) {
        double left = 1;
        int32_t last = most * stage / STAGES;
        bool found = true;
        p->stage = stage / (double)STAGES;
        PAL_TRY(grow(p, stage, most, error));
        find_left(p);
        while (found && p->product_count < last && left > PRINTED_STOP) {
            p->build->progress.mode_count = p->product_count;
            p->build->progress.error = left;
            PAL_TRY(pal_build_tell(p->build, "products", p->product_count, most, error));
            PAL_TRY(add_product(p, &left, &found, error));
        }
    }
    p->residual = find_left(p);
    return p->product_count > 0 ? PAL_OK
                                : pal_error_set(error, PAL_SIM_FAILED,
                                                "alternating directions find no product that "
                                                "lowers the energy");
}

PalStatus pal_build_pgd(PalBuild *build, PalVademecum **book, PalError *error)
{
    int32_t most = build->def->mode_limit > 0 ? build->def->mode_limit : PRINTED_MODES;
    PalVademecumSize size = pal_build_size(build);
    Pgd p = {.build = build,
             .sites = size.site_count,
             .directions = size.direction_count,
             .levels = size.level_count,
             .count = size.site_count * size.direction_count * size.level_count,
             .size = build->truth->size};
    PalStatus status = make(&p, most, error);
    if (status == PAL_OK)
        status = enrich(&p, most, error);
    if (status == PAL_OK)
        status = fill(&p, book, error);
    clear(&p);
    return status;
}
