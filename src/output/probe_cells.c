#include "output/probe_cells.h"

#include "base/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>

#define BARELY 0.01  // of the largest pressure: nodes with less count in part

bool pal_record_is_of_cells(PalRecord record)
{
    return record == PAL_RECORD_STRESS || record == PAL_RECORD_STRAIN ||
           record == PAL_RECORD_PRESSURE || record == PAL_RECORD_VOLUME;
}

bool pal_record_is_of_area(PalRecord record)
{
    return record == PAL_RECORD_AREA;
}

// ---- which cells ------------------------------------------------------------------------

static int32_t count_marked(const PalMesh *mesh, int32_t cell, const uint8_t *marks)
{
    int32_t corners = pal_cell_node_count(mesh->cell_kind), count = 0;
    for (int32_t a = 0; a < corners; ++a)
        count += marks[mesh->cells[(size_t)cell * (size_t)corners + (size_t)a]];
    return count;
}

static void list_cells(const PalBody *body, const uint8_t *marks, int32_t least, PalProbe *probe)
{
    const PalMesh *mesh = body->mesh;
    for (int32_t c = 0; c < mesh->cell_count; ++c)
        if (count_marked(mesh, c, marks) >= least) {
            probe->cells[probe->cell_count] = body->first_cell + c;
            probe->volumes[probe->cell_count++] = pal_cell_volume(mesh, c);
        }
}

PalStatus pal_probe_take_cells(const PalBody *body, PalProbe *probe, PalError *error)
{
    const PalMesh *mesh = body->mesh;
    uint8_t *marks = pal_alloc((size_t)mesh->node_count, sizeof *marks);
    probe->cells = pal_alloc((size_t)mesh->cell_count, sizeof *probe->cells);
    probe->volumes = pal_alloc((size_t)mesh->cell_count, sizeof *probe->volumes);
    bool good = marks != NULL && probe->cells != NULL && probe->volumes != NULL;
    for (int32_t i = 0; good && i < probe->node_count; ++i)
        marks[probe->nodes[i] - body->first_node] = 1;
    if (good)
        list_cells(body, marks, pal_cell_node_count(mesh->cell_kind), probe);
    if (good && probe->cell_count == 0)
        list_cells(body, marks, 1, probe);
    pal_free(marks);
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for the probes");
}

// ---- reading ----------------------------------------------------------------------------

// Eigenvalues of a symmetric matrix xx yy zz xy yz zx, the largest first.
static PalVec3 principal(const double t[6])
{
    const PalMat3 matrix = {{{t[0], t[3], t[5]}, {t[3], t[1], t[4]}, {t[5], t[4], t[2]}}};
    PalMat3 vectors;
    double values[3];
    pal_mat3_eigen_symmetric(&matrix, values, &vectors);
    return pal_vec3(values[2], values[1], values[0]);
}

// The mean over the cells, by the volumes they have now.
static PalVec3 mean_tensor(const PalProbe *probe, const PalCellFields *fields,
                           const double (*values)[6])
{
    double sum[6] = {0}, volume = 0;
    for (int32_t i = 0; i < probe->cell_count; ++i) {
        int32_t c = probe->cells[i];
        double share = probe->volumes[i] * fields->volume_ratio[c];
        volume += share;
        for (int k = 0; k < 6; ++k)
            sum[k] += share * values[c][k];
    }
    for (int k = 0; k < 6; ++k)
        sum[k] /= volume;
    return principal(sum);
}

static PalVec3 pressures(const PalProbe *probe, const PalCellFields *fields)
{
    double sum = 0, volume = 0, low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < probe->cell_count; ++i) {
        const double *s = fields->stress[probe->cells[i]];
        double share = probe->volumes[i] * fields->volume_ratio[probe->cells[i]];
        double pressure = -(s[0] + s[1] + s[2]) / 3;
        sum += share * pressure;
        volume += share;
        low = fmin(low, pressure);
        high = fmax(high, pressure);
    }
    return pal_vec3(sum / volume, low, high);
}

static PalVec3 volumes(const PalProbe *probe, const PalCellFields *fields)
{
    double now = 0, rest = 0;
    for (int32_t i = 0; i < probe->cell_count; ++i) {
        now += probe->volumes[i] * fields->volume_ratio[probe->cells[i]];
        rest += probe->volumes[i];
    }
    return pal_vec3(now, rest, now / rest);
}

PalVec3 pal_probe_cells(const PalProbe *probe, const PalCellFields *fields)
{
    switch (probe->record) {
    case PAL_RECORD_STRESS:
        return mean_tensor(probe, fields, (const double(*)[6])fields->stress);
    case PAL_RECORD_STRAIN:
        return mean_tensor(probe, fields, (const double(*)[6])fields->strain);
    case PAL_RECORD_PRESSURE:
        return pressures(probe, fields);
    default:
        return volumes(probe, fields);
    }
}

// A node that barely touches would count with all of its area, or with nothing: it counts in part.
PalVec3 pal_probe_area(const PalProbe *probe, const PalFrame *frame)
{
    double area = 0, force = 0, most = 0;
    for (int32_t i = 0; i < probe->node_count; ++i)
        most = fmax(most, frame->pressure[probe->nodes[i]]);
    for (int32_t i = 0; i < probe->node_count; ++i) {
        int32_t n = probe->nodes[i];
        double pressure = frame->pressure[n];
        area += frame->area[n] * (pressure < BARELY * most ? pressure / (BARELY * most) : 1);
        force += frame->area[n] * pressure;
    }
    return pal_vec3(area, area > 0 ? force / area : 0, most);
}
