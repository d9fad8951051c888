// How far off a vademecum is, at loads that it was not made from.   docs/theory/vademecum.md, 6
#include "reduced/build.h"

#include "base/memory.h"
#include "math/components.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Measure {
    PalBuild *build;
    PalVademecum *book;
    PalVademecumWork *work;
    PalVec3 *shape;  // per node of the book
    double *gap;     // a vector
} Measure;

// Displacement of the surface point next to a load, in a shape of the full equations.
static PalVec3 true_displacement(const Measure *m, const PalVademecumPlace *place, const double *u)
{
    PalVec3 sum = {0, 0, 0};
    for (int a = 0; a < 3; ++a) {
        int32_t node = m->book->triangles[3 * (int64_t)place->triangle + a];
        for (int j = 0; j < 3; ++j) {
            int32_t row = m->build->row[3 * node + j];
            if (row != PAL_NONE)
                pal_vec3_put(&sum, j, pal_vec3_at(sum, j) + place->weight[a] * u[row]);
        }
    }
    return sum;
}

static double energy_error(const Measure *m, const double *u)
{
    PalTruth *truth = m->build->truth;
    double whole = pal_truth_energy_norm(truth, u);
    for (int32_t c = 0; c < 3 * m->build->node_count; ++c)
        if (m->build->row[c] != PAL_NONE)
            m->gap[m->build->row[c]] = pal_vec3_at(m->shape[c / 3], c % 3) - u[m->build->row[c]];
    return whole > 0 ? pal_truth_energy_norm(truth, m->gap) / whole : 0;
}

// The load along the same direction that moves the point as far along it as it should, by secants:
// how much more or less than the one that was given.
static double force_error(const Measure *m, const PalVademecumLoad *load, double wanted)
{
    double force = pal_vec3_length(load->force), low = 0, low_way = 0, part = 1;
    PalVec3 along = pal_vec3_scale(1 / force, load->force);
    if (!(fabs(wanted) > 0))
        return 0;
    for (int round = 0; round < 4; ++round) {
        PalVademecumLoad scaled = {load->at, pal_vec3_scale(part, load->force)};
        PalVademecumAnswer answer;
        pal_vademecum_evaluate(m->book, m->work, &scaled, &answer, NULL);
        double way = pal_vec3_dot(answer.displacement, along);
        if (fabs(way - wanted) < 1e-4 * fabs(wanted) || way == low_way)
            break;
        double next = part + (wanted - way) * (part - low) / (way - low_way);
        low = part;
        low_way = way;
        part = next > 0.2 && next < 3 ? next : part;
    }
    return fabs(part - 1);
}

static void measure_one(const Measure *m, const PalShot *shot, double numbers[PAL_HELDOUT_NUMBERS])
{
    const double *u = shot->u + (int64_t)(PAL_BUILD_LEVELS - 1) * m->build->truth->size;
    PalVademecumPlace place = pal_vademecum_nearest(m->book, shot->load.at);
    PalVec3 truth = true_displacement(m, &place, u);
    double force = pal_vec3_length(shot->load.force);
    PalVademecumAnswer answer;
    pal_vademecum_evaluate(m->book, m->work, &shot->load, &answer, m->shape);
    memcpy(numbers, &shot->load, 6 * sizeof *numbers);
    numbers[6] = energy_error(m, u);
    double size = pal_vec3_length(truth);
    numbers[7] = size > 0 ? pal_vec3_length(pal_vec3_sub(answer.displacement, truth)) / size : 0;
    numbers[8] = force_error(m, &shot->load, pal_vec3_dot(truth, shot->load.force) / force);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static PalVademecumError summarise(const PalVademecum *book, int column, double *list)
{
    int32_t count = book->size.heldout_count;
    PalVademecumError sum = {0, 0, 0};
    if (count == 0)  // no equilibrium was found
        return (PalVademecumError){NAN, NAN, NAN};
    for (int32_t i = 0; i < count; ++i) {
        list[i] = book->heldout[PAL_HELDOUT_NUMBERS * (int64_t)i + column];
        sum.mean += list[i] / count;
    }
    qsort(list, (size_t)count, sizeof *list, compare);
    sum.most = list[(int32_t)ceil(0.95 * count) - 1];
    sum.worst = list[count - 1];
    return sum;
}

PalStatus pal_build_measure(PalBuild *build, PalVademecum *book, PalError *error)
{
    Measure m = {.build = build,
                 .book = book,
                 .shape = pal_alloc((size_t)build->node_count, sizeof(PalVec3)),
                 .gap = pal_alloc((size_t)build->truth->size, sizeof(double))};
    double *list = pal_alloc((size_t)build->heldout_count, sizeof *list);
    PalStatus status = m.shape != NULL && m.gap != NULL && list != NULL
                           ? pal_vademecum_work_create(book, &m.work, error)
                           : pal_build_no_memory(error);
    for (int32_t i = 0; i < build->heldout_count && status == PAL_OK; ++i) {
        measure_one(&m, &build->heldout[i], book->heldout + PAL_HELDOUT_NUMBERS * (int64_t)i);
        status = pal_build_tell(build, "measuring errors", i, build->heldout_count, error);
    }
    if (status == PAL_OK) {
        book->facts.energy = summarise(book, 6, list);
        book->facts.point = summarise(book, 7, list);
        book->facts.force = summarise(book, 8, list);
    }
    pal_vademecum_work_destroy(m.work);
    pal_free(m.shape);
    pal_free(m.gap);
    pal_free(list);
    return status;
}
