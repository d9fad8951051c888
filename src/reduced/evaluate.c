// One load: from the nearest stored load, or from the linear answer, to balance by the sampled
// cells; then the local part, turned with the patch.   docs/theory/vademecum.md, 5
#include "reduced/evaluate.h"
#include "base/memory.h"
#include "geometry/procrustes.h"
#include "reduced/dense.h"
#include "reduced/subspace.h"

#include <string.h>

#define MOST_CORRECTIONS 30
#define BALANCED         1e-6  // of the load
#define MOST_RAMP        64    // parts a load is cut into
#define NEARLY           0.9   // cosine: a load is along a direction that is stored

struct PalVademecumWork {
    PalSubspace space;
    double *q, *start, *trial;          // coefficients
    double *load, *force, *correction;  // seen by the modes
    double *tangent;
    int32_t *patch;   // nodes that share the load
    double *weights;  // and how
    int32_t *beside;  // triangles around a place
    PalVec3 *turned;  // per node: the local part
};

void pal_vademecum_work_destroy(PalVademecumWork *work)
{
    if (work == NULL)
        return;
    pal_subspace_clear(&work->space);
    double *lists[] = {work->q,     work->start,      work->trial,   work->load,
                       work->force, work->correction, work->tangent, work->weights};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        pal_free(lists[i]);
    pal_free(work->patch);
    pal_free(work->beside);
    pal_free(work->turned);
    pal_free(work);
}

PalStatus pal_vademecum_work_create(const PalVademecum *book, PalVademecumWork **result,
                                    PalError *error)
{
    size_t stride = (size_t)book->size.stride, surface = (size_t)book->size.surface_count;
    PalVademecumWork *work = pal_alloc(1, sizeof *work);
    *result = work;
    if (work == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory");
    double **lists[] = {&work->q,    &work->start, &work->trial,
                        &work->load, &work->force, &work->correction};
    bool whole = true;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        whole = (*lists[i] = pal_alloc(stride, sizeof(double))) != NULL && whole;
    work->tangent = pal_alloc(stride * stride, sizeof(double));
    work->patch = pal_alloc(surface, sizeof *work->patch);
    work->weights = pal_alloc(surface, sizeof *work->weights);
    work->beside = pal_alloc((size_t)book->size.triangle_count, sizeof *work->beside);
    work->turned = pal_alloc((size_t)book->size.node_count, sizeof *work->turned);
    if (!whole || work->tangent == NULL || work->patch == NULL || work->weights == NULL ||
        work->beside == NULL || work->turned == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory to evaluate a vademecum");
    return pal_subspace_init(book, &work->space, error);
}

// ---- the global part --------------------------------------------------------------------

static double norm(const double *x, int32_t count)
{
    double sum = 0;
    for (int32_t k = 0; k < count; ++k)
        sum += x[k] * x[k];
    return sqrt(sum);
}

// Forces out of balance with `part` of the load, and the tangent if wanted; infinite: inside out.
static double imbalance(PalVademecumWork *work, const double *q, double part, bool tangent)
{
    int32_t stride = work->space.book->size.stride;
    if (!pal_subspace_evaluate(&work->space, q, work->force, tangent ? work->tangent : NULL))
        return INFINITY;
    for (int32_t k = 0; k < stride; ++k)
        work->force[k] = part * work->load[k] - work->force[k];
    return norm(work->force, stride);
}

// The tangent's factors; where it is not positive, with more and more of the rest stiffness (1).
static bool factor(PalVademecumWork *work)
{
    const PalVademecumSize *size = &work->space.book->size;
    int32_t stride = size->stride, count = size->mode_count;
    for (double shift = 0; shift<1e3; shift = shift> 0 ? 4 * shift : 0.05) {
        if (shift > 0 &&
            !pal_subspace_evaluate(&work->space, work->q, work->correction, work->tangent))
            return false;
        for (int32_t k = 0; k < count; ++k)
            work->tangent[k * (int64_t)stride + k] += shift;
        if (pal_dense_factor(work->tangent, count, stride))
            return true;
    }
    return false;
}

// From work->q to balance with a part of the load. False: not found; q is then anything.
static bool balance(PalVademecumWork *work, double part, int32_t *iterations)
{
    const PalVademecumSize *size = &work->space.book->size;
    int32_t stride = size->stride;
    double whole = part * norm(work->load, stride);
    for (int round = 0; round < MOST_CORRECTIONS; ++round) {
        double left = imbalance(work, work->q, part, true);
        if (left <= BALANCED * whole)
            return true;
        if (!isfinite(left) || !factor(work))
            return false;
        imbalance(work, work->q, part, false);
        memcpy(work->correction, work->force, (size_t)stride * sizeof *work->force);
        pal_dense_solve(work->tangent, size->mode_count, stride, work->correction);
        ++*iterations;
        // whole corrections, as bodies that bend need, unless a cell turns inside out
        double length = 1;
        for (; length > 0.01; length /= 2) {
            for (int32_t k = 0; k < stride; ++k)
                work->trial[k] = work->q[k] + length * work->correction[k];
            if (isfinite(imbalance(work, work->trial, part, false)))
                break;
        }
        if (!(length > 0.01) || left > 1e6 * whole)
            return false;
        memcpy(work->q, work->trial, (size_t)stride * sizeof *work->q);
    }
    return false;
}

// Along the load from rest, in as few parts as it takes.
static bool ramp(PalVademecumWork *work, int32_t *iterations)
{
    size_t bytes = (size_t)work->space.book->size.stride * sizeof *work->q;
    double done = 0, length = 0.5;
    memset(work->q, 0, bytes);
    memset(work->start, 0, bytes);
    while (done < 1) {
        double next = done + length < 1 ? done + length : 1;
        if (balance(work, next, iterations)) {
            memcpy(work->start, work->q, bytes);
            done = next;
            continue;
        }
        memcpy(work->q, work->start, bytes);
        length /= 2;
        if (length < 1.0 / MOST_RAMP)
            return false;
    }
    return true;
}

// ---- stored loads -----------------------------------------------------------------------

typedef struct Stored {
    int32_t site, direction, level;
} Stored;

static Stored find_stored(const PalVademecum *book, const PalVademecumLoad *load)
{
    Stored best = {0, 0, 0};
    double least = INFINITY, most = -INFINITY, size = pal_vec3_length(load->force);
    for (int32_t s = 0; s < book->size.site_count; ++s) {
        PalVec3 gap = pal_vec3_sub(pal_vademecum_node(book, book->site[s]), load->at);
        double distance = pal_vec3_dot(gap, gap);
        if (distance < least)
            least = distance, best.site = s;
    }
    for (int32_t d = 0; d < book->size.direction_count; ++d) {
        double along = pal_vec3_dot(load->force, pal_vademecum_direction(book, best.site, d));
        if (book->facts.method == PAL_VADEMECUM_PGD)
            along = fabs(along);  // products are scaled, and so reversed
        if (along > most)
            most = along, best.direction = d;
    }
    least = INFINITY;
    for (int32_t l = 0; l < book->size.level_count; ++l) {
        double distance = fabs(book->level[l] * book->facts.largest - size);
        if (distance < least)
            least = distance, best.level = l;
    }
    return best;
}

// Displacement of a node by one row of coefficients, or by the factors of a stored load.
static PalVec3 move_node(const PalVademecum *book, int32_t node, const double *q)
{
    double u[3];
    for (int j = 0; j < 3; ++j) {
        const float *row = pal_vademecum_row(book, node, j);
        u[j] = 0;
        for (int32_t k = 0; k < book->size.stride; ++k)
            u[j] += (double)row[k] * q[k];
    }
    return pal_vec3(u[0], u[1], u[2]);
}

static PalVec3 move_by_factors(const PalVademecum *book, int32_t node, Stored stored)
{
    double u[3];
    int64_t stride = book->size.stride;
    for (int j = 0; j < 3; ++j) {
        const float *X = pal_vademecum_row(book, node, j);
        const float *Y = book->site_factor + (3 * (int64_t)stored.site + j) * stride;
        const float *A = book->direction_factor + (3 * (int64_t)stored.direction + j) * stride;
        const float *B = book->level_factor + (3 * (int64_t)stored.level + j) * stride;
        u[j] = 0;
        for (int32_t k = 0; k < stride; ++k)
            u[j] += (double)X[k] * (double)Y[k] * (double)A[k] * (double)B[k];
    }
    return pal_vec3(u[0], u[1], u[2]);
}

// ---- the local part ---------------------------------------------------------------------

static PalMat3 patch_rotation(const PalVademecum *book, const PalVademecumWork *work, int32_t count)
{
    PalVec3 from = {0}, to = {0};
    PalMat3 products = {{{0}}};
    // the node under the load and its neighbours, so that patches of one node turn as well
    for (int pass = 0; pass < 2; ++pass) {
        double sum = 0;
        for (int32_t p = 0; p < count; ++p)
            for (int32_t k = book->local_start[work->patch[p]];
                 k < book->local_start[work->patch[p] + 1]; ++k) {
                int32_t node = book->local_node[k];
                if (node >= book->size.surface_count)
                    break;  // compact forms have no inner ones
                PalVec3 at = pal_vademecum_node(book, node);
                PalVec3 now = pal_vec3_add(at, move_node(book, node, work->q));
                double weight = work->weights[p];
                PalVec3 gap = pal_vec3_sub(at, pal_vademecum_node(book, work->patch[p]));
                if (pal_vec3_length(gap) > book->facts.patch)
                    continue;
                sum += weight;
                if (pass == 0) {
                    from = pal_vec3_add_scaled(from, weight, at);
                    to = pal_vec3_add_scaled(to, weight, now);
                } else
                    pal_procrustes_add(&products, pal_vec3_scale(weight, pal_vec3_sub(now, to)),
                                       pal_vec3_sub(at, from));
            }
        if (pass == 0 && sum > 0) {
            from = pal_vec3_scale(1 / sum, from);
            to = pal_vec3_scale(1 / sum, to);
        }
    }
    return pal_procrustes_rotation(&products);
}

// work->turned = R L R' f
static void find_local(const PalVademecum *book, PalVademecumWork *work, int32_t count,
                       PalVec3 force)
{
    memset(work->turned, 0, (size_t)book->size.node_count * sizeof *work->turned);
    if (book->size.local_count == 0)
        return;
    PalMat3 R = patch_rotation(book, work, count), back = pal_mat3_transpose(&R);
    PalVec3 f = pal_mat3_apply(&back, force);
    for (int32_t p = 0; p < count; ++p) {
        int32_t j = work->patch[p];
        // L is symmetric: L_ij f_j by the rows of j
        for (int32_t k = book->local_start[j]; k < book->local_start[j + 1]; ++k) {
            const float *b = book->local_block + 9 * (int64_t)k;
            PalVec3 u = {(double)b[0] * f.x + (double)b[3] * f.y + (double)b[6] * f.z,
                         (double)b[1] * f.x + (double)b[4] * f.y + (double)b[7] * f.z,
                         (double)b[2] * f.x + (double)b[5] * f.y + (double)b[8] * f.z};
            PalVec3 *into = &work->turned[book->local_node[k]];
            *into = pal_vec3_add_scaled(*into, work->weights[p], u);
        }
    }
    for (int32_t i = 0; i < book->size.node_count; ++i)
        work->turned[i] = pal_mat3_apply(&R, work->turned[i]);
}

// ---- all of it --------------------------------------------------------------------------

static void see_load(const PalVademecum *book, PalVademecumWork *work, int32_t count, PalVec3 force)
{
    int32_t stride = book->size.stride;
    memset(work->load, 0, (size_t)stride * sizeof *work->load);
    for (int32_t p = 0; p < count; ++p)
        for (int j = 0; j < 3; ++j) {
            const float *row = pal_vademecum_row(book, work->patch[p], j);
            double part = work->weights[p] * pal_vec3_at(force, j);
            for (int32_t k = 0; k < stride; ++k)
                work->load[k] += part * (double)row[k];
        }
}

static void start_from(const PalVademecum *book, PalVademecumWork *work, Stored stored,
                       const PalVademecumLoad *load)
{
    const float *q = pal_vademecum_coefficients(book, stored.site, stored.direction, stored.level);
    PalVec3 direction = pal_vademecum_direction(book, stored.site, stored.direction);
    double size = pal_vec3_length(load->force);
    double stored_size = book->level[stored.level] * book->facts.largest;
    double near = pal_vec3_dot(load->force, direction) / (size > 0 ? size : 1);
    // far from what is stored the linear answer is the better start
    bool close = near > NEARLY && size > 0.3 * stored_size;
    for (int32_t k = 0; k < book->size.stride; ++k)
        work->q[k] = close ? (double)q[k] * size / stored_size : work->load[k];
}

const double *pal_vademecum_balance(const PalVademecum *book, PalVademecumWork *work,
                                    const PalVademecumLoad *load, const double *start, bool *found)
{
    int32_t count = pal_vademecum_patch(book, load->at, work->patch, work->weights), rounds = 0;
    see_load(book, work, count, load->force);
    for (int32_t k = 0; k < book->size.stride; ++k)
        work->q[k] = start != NULL ? start[k] : work->load[k];
    *found = balance(work, 1, &rounds) || ramp(work, &rounds);
    return work->q;
}

static void solve_global(const PalVademecum *book, PalVademecumWork *work, Stored stored,
                         const PalVademecumLoad *load, PalVademecumAnswer *answer)
{
    int32_t count = pal_vademecum_patch(book, load->at, work->patch, work->weights);
    see_load(book, work, count, load->force);
    start_from(book, work, stored, load);
    answer->converged = norm(work->load, book->size.stride) == 0 || book->size.sample_count == 0 ||
                        balance(work, 1, &answer->iterations) || ramp(work, &answer->iterations);
    if (!answer->converged)
        memcpy(work->q, work->start, (size_t)book->size.stride * sizeof *work->q);
    find_local(book, work, count, load->force);
}

static PalVec3 displace(const PalVademecum *book, const PalVademecumWork *work, Stored stored,
                        int32_t node, double scale)
{
    if (book->facts.method == PAL_VADEMECUM_PGD)
        return pal_vec3_scale(scale, move_by_factors(book, node, stored));
    return pal_vec3_add(move_node(book, node, work->q), work->turned[node]);
}

static PalVec3 stored_displacement(const PalVademecum *book, Stored stored, PalVademecumWork *work)
{
    int32_t node = book->site[stored.site];
    if (book->facts.method == PAL_VADEMECUM_PGD)
        return move_by_factors(book, node, stored);
    const float *q = pal_vademecum_coefficients(book, stored.site, stored.direction, stored.level);
    for (int32_t k = 0; k < book->size.stride; ++k)
        work->q[k] = (double)q[k];
    int32_t count =
        pal_vademecum_patch(book, pal_vademecum_node(book, node), work->patch, work->weights);
    double size = book->level[stored.level] * book->facts.largest;
    find_local(book, work, count,
               pal_vec3_scale(size, pal_vademecum_direction(book, stored.site, stored.direction)));
    return displace(book, work, stored, node, 1);
}

static void tell_stored(const PalVademecum *book, PalVademecumWork *work, Stored stored,
                        PalVademecumAnswer *answer)
{
    answer->stored_at = pal_vademecum_node(book, book->site[stored.site]);
    answer->stored_force =
        pal_vec3_scale(book->level[stored.level] * book->facts.largest,
                       pal_vademecum_direction(book, stored.site, stored.direction));
    answer->stored_displacement = stored_displacement(book, stored, work);
}

// Between a force at a place and the nearest direction that loads had there: in any triangle that
// has a corner of the place.
static double angle_of(const PalVademecum *book, PalVademecumWork *work,
                       const PalVademecumPlace *place, PalVec3 force)
{
    int32_t count = 0;
    const int32_t *at = book->triangles + 3 * (int64_t)place->triangle;
    for (int32_t t = 0; t < book->size.triangle_count; ++t) {
        const int32_t *corner = book->triangles + 3 * (int64_t)t;
        bool beside = false;
        for (int a = 0; a < 9; ++a)
            beside = beside || (place->weight[a / 3] > 0 && at[a / 3] == corner[a % 3]);
        if (beside)
            work->beside[count++] = t;
    }
    return acos(pal_vademecum_along(book, work->beside, count, force));
}

void pal_vademecum_evaluate(const PalVademecum *book, PalVademecumWork *work,
                            const PalVademecumLoad *load, PalVademecumAnswer *answer,
                            PalVec3 *displacement)
{
    PalVademecumPlace place = pal_vademecum_nearest(book, load->at);
    Stored stored = find_stored(book, load);
    double size = pal_vec3_length(load->force);
    PalVec3 direction = pal_vademecum_direction(book, stored.site, stored.direction);
    double along = pal_vec3_dot(load->force, direction);
    double scale = along / (book->level[stored.level] * book->facts.largest);
    *answer =
        (PalVademecumAnswer){.point = place.point, .distance = place.distance, .converged = true};
    tell_stored(book, work, stored, answer);
    answer->angle = angle_of(book, work, &place, load->force);
    answer->outside =
        size > 1.0001 * book->facts.largest || place.distance > book->facts.patch ||
        pal_vec3_length(pal_vec3_sub(answer->stored_at, place.point)) > 2 * book->facts.patch;
    // Products know the part of a load along a direction that is stored, and no other.
    if (book->facts.method == PAL_VADEMECUM_PGD)
        answer->outside |= along < NEARLY * size;
    if (book->facts.method == PAL_VADEMECUM_AUTO)
        solve_global(book, work, stored, load, answer);
    for (int a = 0; a < 3; ++a) {
        int32_t node = book->triangles[3 * (int64_t)place.triangle + a];
        answer->displacement = pal_vec3_add_scaled(answer->displacement, place.weight[a],
                                                   displace(book, work, stored, node, scale));
    }
    for (int32_t n = 0; displacement != NULL && n < book->size.node_count; ++n)
        displacement[n] = displace(book, work, stored, n, scale);
}
