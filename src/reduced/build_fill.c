// From what was found to the arrays of a vademecum.
#include "reduced/build.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"
#include "reduced/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int32_t direction_count(const PalBuild *build)
{
    return build->def->directions == PAL_DIRECTIONS_XYZ ? 6 : 1;
}

PalVademecumSize pal_build_size(const PalBuild *build)
{
    const PalModelDef *model = build->def->model;
    return (PalVademecumSize){
        .node_count = build->node_count,
        .surface_count = build->surface_count,
        .triangle_count = build->triangle_count,
        .cell_count = build->truth->model->cell_count,
        .material_count = model->bodies[build->def->body_index].material_count,
        .site_count = build->site_count,
        .direction_count = direction_count(build),
        .level_count = PAL_BUILD_LEVELS,
        .heldout_count = build->heldout_count,
    };
}

static void fill_materials(const PalBodyDef *body, PalVademecum *book)
{
    for (int32_t m = 0; m < body->material_count; ++m) {
        const PalMaterialDef *material = &body->materials[m];
        char name[PAL_LAW_WORDS * sizeof(int32_t)] = {0};
        strncpy(name, pal_law_name(material->law), sizeof name - 1);
        memcpy(book->law + PAL_LAW_WORDS * (int64_t)m, name, sizeof name);
        memcpy(book->parameters + PAL_LAW_PARAMETER_MAX * (int64_t)m, material->parameters,
               sizeof material->parameters);
    }
}

static void fill_loads(const PalBuild *build, PalVademecum *book)
{
    const PalVademecumDef *def = build->def;
    memcpy(book->site, build->site, (size_t)build->site_count * sizeof *book->site);
    memcpy(book->level, pal_build_levels, sizeof pal_build_levels);
    if (def->directions == PAL_DIRECTIONS_NORMAL)
        for (int32_t s = 0; s < build->site_count; ++s) {
            PalVec3 inward = pal_vec3_scale(-1, build->normals[build->site[s]]);
            memcpy(book->direction + 3 * (int64_t)s, &inward, 3 * sizeof(double));
        }
    for (int k = 0; k < 6 && def->directions == PAL_DIRECTIONS_XYZ; ++k)
        book->direction[3 * k + k / 2] = k % 2 == 0 ? 1 : -1;
    if (def->directions == PAL_DIRECTIONS_ONE) {
        PalVec3 direction = pal_vec3_normalise(def->direction);
        memcpy(book->direction, &direction, 3 * sizeof(double));
    }
}

void pal_build_fill_body(const PalBuild *build, PalVademecum *book)
{
    const PalModel *model = build->truth->model;
    snprintf(book->name, sizeof book->name, "%s", model->bodies[0].name);
    for (int32_t n = 0; n < build->node_count; ++n) {
        PalVec3 at = pal_build_position(build, n);
        memcpy(book->nodes + 3 * (int64_t)n, &at, 3 * sizeof(double));
        book->node_number[n] = build->model_node[n];
        book->held[n] = model->held[build->model_node[n]];
    }
    for (int32_t c = 0; c < model->cell_count; ++c) {
        for (int a = 0; a < 4; ++a)
            book->cells[4 * (int64_t)c + a] =
                build->node[model->bodies[0].mesh->cells[4 * (int64_t)c + a]];
        book->cell_material[c] = model->cell_material[c];
    }
    memcpy(book->triangles, build->triangles,
           3 * (size_t)build->triangle_count * sizeof *book->triangles);
    fill_materials(&build->def->model->bodies[build->def->body_index], book);
    fill_loads(build, book);
}

static void fill_modes(const PalBuild *build, PalVademecum *book)
{
    int64_t size = build->truth->size, stride = book->size.stride;
    for (int64_t c = 0; c < 3 * (int64_t)build->node_count; ++c)
        for (int32_t k = 0; build->row[c] != PAL_NONE && k < build->mode_count; ++k)
            book->modes[c * stride + k] = (float)build->modes[k * size + build->row[c]];
    for (int32_t i = 0; i < build->sample_count; ++i) {
        book->sample_cell[i] = build->sample_cell[i];
        book->sample_weight[i] = (float)build->sample_weight[i];
    }
}

// L = G - Phi Phi', with the modes as they are stored.
static void fill_local(const PalBuild *build, PalVademecum *book)
{
    memcpy(book->local_start, build->local_start,
           ((size_t)build->node_count + 1) * sizeof *book->local_start);
    memcpy(book->local_node, build->local_node,
           (size_t)build->local_count * sizeof *book->local_node);
    for (int32_t i = 0; i < build->node_count; ++i)
        for (int32_t e = build->local_start[i]; e < build->local_start[i + 1]; ++e)
            for (int b = 0; b < 9; ++b) {
                const float *mine = pal_vademecum_row(book, i, b / 3);
                const float *other = pal_vademecum_row(book, build->local_node[e], b % 3);
                double sum = 0;
                for (int32_t k = 0; k < build->mode_count; ++k)
                    sum += (double)mine[k] * (double)other[k];
                book->local_block[9 * (int64_t)e + b] =
                    (float)(build->local_block[9 * (int64_t)e + b] - sum);
            }
}

// L is symmetric: rounding is not, so what is below the diagonal is taken from above.
static void mirror_local(PalVademecum *book)
{
    for (int32_t i = 0; i < book->size.node_count; ++i)
        for (int32_t e = book->local_start[i]; e < book->local_start[i + 1]; ++e) {
            int32_t other = book->local_node[e] < i
                                ? pal_vademecum_mirrored(book, i, book->local_node[e])
                                : PAL_NONE;
            for (int b = 0; b < 9 && other != PAL_NONE; ++b)
                book->local_block[9 * (int64_t)e + b] =
                    book->local_block[9 * (int64_t)other + 3 * (b % 3) + b / 3];
        }
}

// ---- coefficients of stored loads --------------------------------------------------------

typedef struct Table {
    PalVademecum *book;
    PalVademecumWork **work;  // one of each worker
    int32_t first;            // site
} Table;

static void fill_direction(const Table *table, PalVademecumWork *work, int32_t site,
                           int32_t direction)
{
    PalVademecum *book = table->book;
    int64_t stride = book->size.stride;
    PalVec3 along = pal_vademecum_direction(book, site, direction);
    PalVademecumLoad load = {.at = pal_vademecum_node(book, book->site[site])};
    const double *q = NULL;
    for (int32_t l = 0; l < book->size.level_count; ++l) {
        int64_t row = ((int64_t)site * book->size.direction_count + direction);
        float *into = book->coefficient + (row * book->size.level_count + l) * stride;
        bool found = false;
        load.force = pal_vec3_scale(book->level[l] * book->facts.largest, along);
        q = pal_vademecum_balance(book, work, &load, q, &found);
        if (!found) {
            // what lies beyond is not there: the last shape stands for it
            if (l > 0)
                memcpy(into, into - stride, (size_t)stride * sizeof *into);
            q = NULL;
            continue;
        }
        for (int64_t k = 0; k < stride; ++k)
            into[k] = (float)q[k];
        book->reached[row] = (float)book->level[l];
    }
}

static void fill_site(void *context, int32_t index, int32_t worker)
{
    const Table *table = context;
    for (int32_t d = 0; d < table->book->size.direction_count; ++d)
        fill_direction(table, table->work[worker], table->first + index, d);
}

static PalStatus fill_table(PalBuild *build, PalVademecum *book, PalError *error)
{
    enum { CHUNK = 32, MOST_THREADS = 64 };
    PalVademecumWork *work[MOST_THREADS] = {0};
    int32_t threads = build->def->thread_count, sites = book->size.site_count;
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    PalStatus status = PAL_OK;
    for (int32_t t = 0; t < threads && status == PAL_OK; ++t)
        status = pal_vademecum_work_create(book, &work[t], error);
    for (int32_t first = 0; first < sites && status == PAL_OK; first += CHUNK) {
        Table table = {book, work, first};
        status = pal_build_tell(build, "coefficients of stored loads", first, sites, error);
        if (status == PAL_OK)
            pal_parallel_for(threads, sites - first < CHUNK ? sites - first : CHUNK, fill_site,
                             &table);
    }
    for (int32_t t = 0; t < threads; ++t)
        pal_vademecum_work_destroy(work[t]);
    return status;
}

// How long coefficients of what was learnt are: modes are orthonormal in the stiffness.
static double reach_of(const PalBuild *build)
{
    const PalTruth *truth = build->truth;
    double most = 0;
    for (int32_t i = 0; i < build->shot_count; ++i) {
        const PalShot *shot = &build->shots[i];
        const double *u = shot->u + (int64_t)(shot->found - 1) * truth->size;
        double *stiff = truth->internal;  // free between equilibria
        pal_truth_stiffness(truth, u, stiff);
        most = fmax(most, pal_truth_dot(truth, u, stiff));
    }
    return sqrt(most);
}

PalStatus pal_build_fill(PalBuild *build, PalVademecum **result, PalError *error)
{
    const PalVademecumDef *def = build->def;
    PalVademecumSize size = pal_build_size(build);
    size.mode_count = build->mode_count;
    size.stride = (build->mode_count + 7) / 8 * 8;
    size.sample_count = build->sample_count;
    size.local_count = build->local_count;
    PalVademecumFacts facts = {.method = def->method,
                               .directions = def->directions,
                               .patch = def->patch,
                               .largest = def->largest,
                               .tolerance = def->tolerance,
                               .reach = reach_of(build)};
    PAL_TRY(pal_vademecum_create(&size, &facts, result, error));
    PalVademecum *book = *result;
    pal_build_fill_body(build, book);
    fill_modes(build, book);
    fill_local(build, book);
    mirror_local(book);
    PAL_TRY(pal_vademecum_finish(book, error));
    return fill_table(build, book, error);
}
