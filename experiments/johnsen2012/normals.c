// Table 2: normals of a liver as seen from above. Those of a coarse mesh, constant on each facet or
// continuous (C0, interpolated between vertices), against those of a fine mesh.
#include "johnsen2012.h"

#include <experiments/make/liver.h>
#include <math.h>
#include <stdlib.h>

enum { RAYS = 400, FINE = 72 };    // cells across the fine mesh
enum { ROWS = 60, COLUMNS = 90 };  // of rays over the whole of it

static PalVec3 difference(PalVec3 a, PalVec3 b)
{
    return (PalVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static PalVec3 cross(PalVec3 a, PalVec3 b)
{
    return (PalVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(PalVec3 a, PalVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static PalVec3 unit(PalVec3 a)
{
    double length = sqrt(dot(a, a));
    return (PalVec3){a.x / length, a.y / length, a.z / length};
}

// A surface with its facets' normals and, at vertices, their means weighted by angles.
typedef struct Normals {
    PalMesh *mesh;
    PalVec3 *facets, *vertices;
} Normals;

static void clear(Normals *normals)
{
    pal_mesh_destroy(normals->mesh);
    free(normals->facets);
    free(normals->vertices);
}

static PalStatus prepare(int32_t cells, Normals *normals, PalError *error)
{
    *normals = (Normals){0};
    PAL_TRY(pal_liver_mesh(PAL_CELL_TRIANGLE, cells, &normals->mesh, error));
    const PalMesh *mesh = normals->mesh;
    normals->facets = calloc((size_t)mesh->cell_count, sizeof *normals->facets);
    normals->vertices = calloc((size_t)mesh->node_count, sizeof *normals->vertices);
    if (normals->facets == NULL || normals->vertices == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for normals");
    for (int32_t f = 0; f < mesh->cell_count; ++f) {
        const int32_t *c = &mesh->cells[3 * f];
        PalVec3 corner[3] = {mesh->nodes[c[0]], mesh->nodes[c[1]], mesh->nodes[c[2]]};
        PalVec3 n = unit(cross(difference(corner[1], corner[0]), difference(corner[2], corner[0])));
        normals->facets[f] = n;
        for (int a = 0; a < 3; ++a) {
            PalVec3 one = unit(difference(corner[(a + 1) % 3], corner[a]));
            PalVec3 other = unit(difference(corner[(a + 2) % 3], corner[a]));
            double angle = acos(fmax(-1, fmin(1, dot(one, other))));
            PalVec3 *sum = &normals->vertices[c[a]];
            *sum = (PalVec3){sum->x + angle * n.x, sum->y + angle * n.y, sum->z + angle * n.z};
        }
    }
    return PAL_OK;
}

// Where a ray straight down meets a facet: barycentric weights, all >= 0. False: it does not.
static bool meets(const PalVec3 corner[3], double x, double y, double weights[3])
{
    double area = 0;
    for (int a = 0; a < 3; ++a) {
        PalVec3 p = corner[(a + 1) % 3], q = corner[(a + 2) % 3];
        weights[a] = (p.x - x) * (q.y - y) - (q.x - x) * (p.y - y);
        area += weights[a];
    }
    if (area == 0)
        return false;
    for (int a = 0; a < 3; ++a)
        if ((weights[a] /= area) < 0)
            return false;
    return true;
}

// The normals where a ray from above first meets the surface.
static bool look(const Normals *normals, double x, double y, PalVec3 *constant, PalVec3 *smooth)
{
    const PalMesh *mesh = normals->mesh;
    double highest = -INFINITY;
    for (int32_t f = 0; f < mesh->cell_count; ++f) {
        const int32_t *c = &mesh->cells[3 * f];
        PalVec3 corner[3] = {mesh->nodes[c[0]], mesh->nodes[c[1]], mesh->nodes[c[2]]},
                sum = {0, 0, 0};
        double w[3];
        if (!meets(corner, x, y, w))
            continue;
        double z = w[0] * corner[0].z + w[1] * corner[1].z + w[2] * corner[2].z;
        if (z <= highest)
            continue;
        highest = z;
        for (int a = 0; a < 3; ++a) {
            PalVec3 n = unit(normals->vertices[c[a]]);
            sum = (PalVec3){sum.x + w[a] * n.x, sum.y + w[a] * n.y, sum.z + w[a] * n.z};
        }
        *constant = normals->facets[f];
        *smooth = unit(sum);
    }
    return highest > -INFINITY;
}

typedef struct Sums {
    double constant_smooth, smooth_fine, constant_fine;
    double at[RAYS], smooth[RAYS], constant[RAYS], fine[RAYS];
    int32_t count;
} Sums;

// The rectangle that is seen.
typedef struct View {
    double low[2], high[2];
} View;

static View view_of(const PalMesh *mesh)
{
    View view = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (int32_t n = 0; n < mesh->node_count; ++n) {
        const double at[2] = {mesh->nodes[n].x, mesh->nodes[n].y};
        for (int i = 0; i < 2; ++i) {
            view.low[i] = fmin(view.low[i], at[i]);
            view.high[i] = fmax(view.high[i], at[i]);
        }
    }
    return view;
}

static double square(PalVec3 a, PalVec3 b)
{
    PalVec3 d = difference(a, b);
    return dot(d, d);
}

// Over all of the surface that is seen from above.
static void compare(const Normals *coarse, const Normals *fine, Sums *sums)
{
    View view = view_of(fine->mesh);
    *sums = (Sums){0};
    for (int32_t i = 0; i < ROWS * COLUMNS; ++i) {
        double part[2] = {(i % COLUMNS + 0.5) / COLUMNS, (i / COLUMNS + 0.5) / ROWS}, at[2];
        for (int k = 0; k < 2; ++k)
            at[k] = view.low[k] + part[k] * (view.high[k] - view.low[k]);
        PalVec3 constant, smooth, true_normal, unused;
        if (!look(coarse, at[0], at[1], &constant, &smooth) ||
            !look(fine, at[0], at[1], &true_normal, &unused))
            continue;
        sums->constant_smooth += square(constant, smooth);
        sums->smooth_fine += square(smooth, true_normal);
        sums->constant_fine += square(constant, true_normal);
    }
    sums->constant_smooth = sqrt(sums->constant_smooth);
    sums->smooth_fine = sqrt(sums->smooth_fine);
    sums->constant_fine = sqrt(sums->constant_fine);
}

// For the plot: along a line over the edge between the lobes, where the surface is curved most.
static void follow_line(const Normals *coarse, const Normals *fine, Sums *sums)
{
    for (int32_t i = 0; i < RAYS; ++i) {
        double part = (i + 0.5) / RAYS, x = -9.2 + 18.4 * part, y = -2.5 + 1.5 * part;
        PalVec3 constant, smooth, true_normal, unused;
        if (!look(coarse, x, y, &constant, &smooth) || !look(fine, x, y, &true_normal, &unused))
            continue;
        int32_t k = sums->count++;
        sums->at[k] = x;
        sums->smooth[k] = smooth.x;
        sums->constant[k] = constant.x;
        sums->fine[k] = true_normal.x;
    }
}

static void tell(PalLab *lab, const char *line, bool too_coarse, const Sums *sums)
{
    const char *units =
        "Sums over all that is seen from above, without the paper's unit of length: only ratios "
        "compare.";
    PalRow row = pal_row("Table 2", line, "constant against C0", 63.83, sums->constant_smooth);
    row.sense = PAL_SENSE_TOLD;
    row.reason = units;
    pal_lab_row(lab, &row);
    row.quantity = "C0 against fine";
    row.published = 139.43;
    row.ours = sums->smooth_fine;
    pal_lab_row(lab, &row);
    row.quantity = "constant against fine";
    row.published = 193.45;
    row.ours = sums->constant_fine;
    pal_lab_row(lab, &row);
    row = pal_row("Table 2", line, "constant normals are off by so many times C0's",
                  193.45 / 139.43, sums->constant_fine / sums->smooth_fine);
    row.sense = PAL_SENSE_MORE;
    row.goal = 193.45 / 139.43;
    row.reason = too_coarse
                     ? "The paper's third number over its second. This mesh has lost the notch "
                       "between the lobes, for either kind of normals."
                     : "The paper's third number over its second.";
    pal_lab_row(lab, &row);
    PalPlot plot = {.title = "x component of the normal along the line",
                    .x_label = "x",
                    .y_label = "normal, x component",
                    .curve_count = 3,
                    .curves = {{.label = "fine mesh",
                                .colour = 5,
                                .count = sums->count,
                                .x = sums->at,
                                .y = sums->fine},
                               {.label = "coarse, constant",
                                .colour = 1,
                                .count = sums->count,
                                .x = sums->at,
                                .y = sums->constant},
                               {.label = "coarse, C0",
                                .colour = 0,
                                .count = sums->count,
                                .x = sums->at,
                                .y = sums->smooth}}};
    pal_lab_plot(lab, &plot);
}

// On the mesh that liver-forceps has, on a finer one, and on one that is too coarse for the shape.
static PalStatus run(PalLab *lab, PalError *error)
{
    static const struct {
        int32_t cells;
        const char *line;
        bool too_coarse;
    } meshes[] = {{13, "13 cells across", false},
                  {17, "17 cells across", false},
                  {9, "9 cells across", true}};
    static Sums sums;
    Normals fine = {0};
    PalStatus status = prepare(pal_lab_quick(lab) ? FINE / 2 : FINE, &fine, error);
    for (int m = 0; m < 3 && status == PAL_OK; ++m) {
        Normals coarse = {0};
        status = prepare(meshes[m].cells, &coarse, error);
        if (status == PAL_OK) {
            compare(&coarse, &fine, &sums);
            follow_line(&coarse, &fine, &sums);
            tell(lab, meshes[m].line, meshes[m].too_coarse, &sums);
        }
        clear(&coarse);
    }
    clear(&fine);
    return status;
}

const PalExperiment pal_experiment_normals = {
    .name = "normals",
    .paper = "johnsen2012",
    .title = "continuous normals against constant ones",
    .about = "Normals of a liver's surface, seen from above: on a coarse mesh, constant "
             "on "
             "each facet or interpolated between vertices (C0, weighted by angles), and on a "
             "mesh of at least 30 times as many facets.",
    .run = run,
};
