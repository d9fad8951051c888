// Table 2: normals of a liver as seen from above. Those of a coarse mesh, constant on each facet or
// continuous (C0, interpolated between vertices), against the constant ones of a fine mesh.
#include "johnsen2012.h"

#include <experiments/make/liver.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RAYS = 400, FINE = 72 };    // cells across the fine mesh
enum { NOTCHED = 11 };             // cells that it takes to have the notch between the lobes
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

static PalVec3 add_scaled(PalVec3 a, double factor, PalVec3 b)
{
    return (PalVec3){a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
}

// A surface with its facets' unit normals and two kinds of normals at vertices.
typedef struct Normals {
    PalMesh *mesh;
    PalVec3 *facets;
    PalVec3 *weighted;  // sums by angle and area, of any length: equation 8
    PalVec3 *alike;     // unit means in which all facets count alike: johnsen2015
} Normals;

static void clear(Normals *normals)
{
    pal_mesh_destroy(normals->mesh);
    free(normals->facets);
    free(normals->weighted);
    free(normals->alike);
}

// Adds a facet's part to the normals of its corners.
static void add_facet(Normals *normals, int32_t f)
{
    const PalMesh *mesh = normals->mesh;
    const int32_t *c = &mesh->cells[3 * f];
    PalVec3 corner[3] = {mesh->nodes[c[0]], mesh->nodes[c[1]], mesh->nodes[c[2]]};
    PalVec3 n = cross(difference(corner[1], corner[0]), difference(corner[2], corner[0]));
    normals->facets[f] = unit(n);
    for (int a = 0; a < 3; ++a) {
        PalVec3 one = unit(difference(corner[(a + 1) % 3], corner[a]));
        PalVec3 other = unit(difference(corner[(a + 2) % 3], corner[a]));
        double angle = acos(fmax(-1, fmin(1, dot(one, other))));
        normals->weighted[c[a]] = add_scaled(normals->weighted[c[a]], angle, n);
        normals->alike[c[a]] = add_scaled(normals->alike[c[a]], 1, normals->facets[f]);
    }
}

static PalStatus prepare(int32_t cells, Normals *normals, PalError *error)
{
    *normals = (Normals){0};
    PAL_TRY(pal_liver_mesh(PAL_CELL_TRIANGLE, cells, &normals->mesh, error));
    size_t facets = (size_t)normals->mesh->cell_count, nodes = (size_t)normals->mesh->node_count;
    normals->facets = calloc(facets, sizeof *normals->facets);
    normals->weighted = calloc(nodes, sizeof *normals->weighted);
    normals->alike = calloc(nodes, sizeof *normals->alike);
    if (normals->facets == NULL || normals->weighted == NULL || normals->alike == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for normals");
    for (size_t f = 0; f < facets; ++f)
        add_facet(normals, (int32_t)f);
    for (size_t n = 0; n < nodes; ++n)
        normals->alike[n] = unit(normals->alike[n]);
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

// Where a ray from above first meets the surface.
typedef struct Seen {
    double height;
    PalVec3 constant, smooth, alike;
} Seen;

static PalVec3 blend(const PalVec3 *at, const int32_t corners[3], const double weights[3])
{
    PalVec3 sum = {0, 0, 0};
    for (int a = 0; a < 3; ++a)
        sum = add_scaled(sum, weights[a], at[corners[a]]);
    return unit(sum);
}

static bool look(const Normals *normals, double x, double y, Seen *seen)
{
    const PalMesh *mesh = normals->mesh;
    seen->height = -INFINITY;
    for (int32_t f = 0; f < mesh->cell_count; ++f) {
        const int32_t *c = &mesh->cells[3 * f];
        PalVec3 corner[3] = {mesh->nodes[c[0]], mesh->nodes[c[1]], mesh->nodes[c[2]]};
        double w[3];
        if (!meets(corner, x, y, w))
            continue;
        double z = w[0] * corner[0].z + w[1] * corner[1].z + w[2] * corner[2].z;
        if (z > seen->height)
            *seen = (Seen){z, normals->facets[f], blend(normals->weighted, c, w),
                           blend(normals->alike, c, w)};
    }
    return seen->height > -INFINITY;
}

// Squares of differences, added up; `tell` takes their roots.
typedef struct Sums {
    double constant_smooth, smooth_fine, constant_fine, alike_fine;
} Sums;

// What the plot shows.
typedef struct Line {
    double at[RAYS], smooth[RAYS], constant[RAYS], fine[RAYS];
    int32_t count;
} Line;

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

static void add(Sums *sums, double weight, const Seen *coarse, PalVec3 fine)
{
    sums->constant_smooth += weight * square(coarse->constant, coarse->smooth);
    sums->smooth_fine += weight * square(coarse->smooth, fine);
    sums->constant_fine += weight * square(coarse->constant, fine);
    sums->alike_fine += weight * square(coarse->alike, fine);
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
        Seen ours, truth;
        if (look(coarse, at[0], at[1], &ours) && look(fine, at[0], at[1], &truth))
            add(sums, 1, &ours, truth.constant);
    }
}

// Along a line over the edge between the lobes, where the surface is curved most: integrals over
// its length on the fine mesh, in millimetres.
static void follow_line(const Normals *coarse, const Normals *fine, Line *line, Sums *sums)
{
    const double from[2] = {-9.2, -2.5}, way[2] = {18.4, 1.5};
    line->count = 0;
    *sums = (Sums){0};
    for (int32_t i = 0; i < RAYS; ++i) {
        double part = (i + 0.5) / RAYS, x = from[0] + part * way[0], y = from[1] + part * way[1];
        Seen ours, truth;
        if (!look(coarse, x, y, &ours) || !look(fine, x, y, &truth))
            continue;
        PalVec3 n = truth.constant;
        double rise = (n.x * way[0] + n.y * way[1]) / n.z;
        add(sums, 10 * sqrt(way[0] * way[0] + way[1] * way[1] + rise * rise) / RAYS, &ours, n);
        int32_t k = line->count++;
        line->at[k] = x;
        line->smooth[k] = ours.smooth.x;
        line->constant[k] = ours.constant.x;
        line->fine[k] = n.x;
    }
}

// The paper's three numbers, and what they come to.
static void tell_sums(PalLab *lab, const char *line, const char *units, const char *reason,
                      const Sums *sums)
{
    PalRow row =
        pal_row("Table 2", line, "constant against C0", 63.83, sqrt(sums->constant_smooth));
    row.sense = PAL_SENSE_TOLD;
    row.reason = units;
    pal_lab_row(lab, &row);
    row.quantity = "C0 against fine";
    row.published = 139.43;
    row.ours = sqrt(sums->smooth_fine);
    pal_lab_row(lab, &row);
    row.quantity = "constant against fine";
    row.published = 193.45;
    row.ours = sqrt(sums->constant_fine);
    pal_lab_row(lab, &row);
    row = pal_row("Table 2", line, "constant normals are off by so many times C0's",
                  193.45 / 139.43, sqrt(sums->constant_fine / sums->smooth_fine));
    row.sense = PAL_SENSE_MORE;
    row.goal = 193.45 / 139.43;
    row.reason = reason;
    pal_lab_row(lab, &row);
    row = pal_row("Table 2", line, "by so many times those of C0 as in johnsen2015", NAN,
                  sqrt(sums->constant_fine / sums->alike_fine));
    row.reason = "All facets around a vertex count alike there; equation 8 of this paper weighs "
                 "them by angle and area, which is nearer to the truth.";
    pal_lab_row(lab, &row);
}

static void draw(PalLab *lab, const char *cells, const Line *line)
{
    char title[80];
    snprintf(title, sizeof title, "x component of the normal along the line, %s", cells);
    PalPlot plot = {.title = title,
                    .x_label = "x",
                    .y_label = "normal, x component",
                    .curve_count = 3,
                    .curves = {{.label = "fine mesh",
                                .colour = 5,
                                .count = line->count,
                                .x = line->at,
                                .y = line->fine},
                               {.label = "coarse, constant",
                                .colour = 1,
                                .count = line->count,
                                .x = line->at,
                                .y = line->constant},
                               {.label = "coarse, C0",
                                .colour = 0,
                                .count = line->count,
                                .x = line->at,
                                .y = line->smooth}}};
    pal_lab_plot(lab, &plot);
}

static void tell(PalLab *lab, const Normals *coarse, const Normals *fine, int32_t cells)
{
    static Line line;
    Sums sums;
    char name[80], size[32];
    snprintf(size, sizeof size, "%d facets", (int)coarse->mesh->cell_count);
    compare(coarse, fine, &sums);
    snprintf(name, sizeof name, "%s, all over", size);
    tell_sums(
        lab, name,
        "Roots of sums over all that is seen from above; only ratios compare, as the paper "
        "does not tell its number of points.",
        cells < NOTCHED
            ? "The paper's third number over its second. This mesh has lost the notch between "
              "the lobes, for either kind of normals."
            : "The paper's third number over its second.",
        &sums);
    follow_line(coarse, fine, &line, &sums);
    snprintf(name, sizeof name, "%s, along the line", size);
    tell_sums(lab, name,
              "Roots of integrals along the line in millimetres. The paper's numbers cannot be "
              "such: unit normals differ by 2 at most, so that its line had to be 9 m long.",
              "As the paper, along one line where the surface is curved much; it is another liver.",
              &sums);
    draw(lab, size, &line);
}

// On the mesh that liver-forceps has, on a finer one, and on one that is too coarse for the shape.
static PalStatus run(PalLab *lab, PalError *error)
{
    static const int32_t cells[] = {13, 17, 9};
    Normals fine = {0};
    PalStatus status = prepare(pal_lab_quick(lab) ? FINE / 2 : FINE, &fine, error);
    for (int m = 0; m < 3 && status == PAL_OK; ++m) {
        Normals coarse = {0};
        status = prepare(cells[m], &coarse, error);
        if (status == PAL_OK)
            tell(lab, &coarse, &fine, cells[m]);
        clear(&coarse);
    }
    clear(&fine);
    return status;
}

const PalExperiment pal_experiment_normals = {
    .name = "normals",
    .paper = "johnsen2012",
    .title = "continuous normals against constant ones",
    .about = "Normals of a liver's surface, seen from above: on a coarse mesh, constant on each "
             "facet or interpolated between vertices (C0, by the paper's equation 8), against the "
             "constant ones of a mesh of at least 19 times as many facets. The paper looks along "
             "one line, and does not tell how many facets its meshes have; ours are compared along "
             "a line and all over.",
    .run = run,
};
