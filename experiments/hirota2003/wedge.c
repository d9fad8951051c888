// Fig. 17: how residuals fall, with forces integrated over areas and taken at vertices.
#include "hirota2003.h"

#include <math.h>

enum { MOST = 21 };

typedef struct Fall {
    int32_t count;
    double number[MOST], residual[MOST], logarithm[MOST];
    bool ended;  // the simulation got to its end
} Fall;

// One search for equilibrium; it need not find one.
static PalStatus search(const char *path, const char *response, Fall *fall, PalError *error)
{
    const PalSceneChange change = {"contact.0.response", response};
    PalSceneOptions options = {.change_count = 1, .changes = &change};
    PalScene *scene = NULL;
    PalSim *sim = NULL;
    PalError ignored = {0};
    PalStatus status = pal_scene_read(path, &options, &scene, error);
    if (status == PAL_OK)
        status = pal_sim_create(pal_scene_sim(scene), &sim, error);
    if (status == PAL_OK) {
        fall->ended = pal_sim_step(sim, &ignored) == PAL_OK && pal_sim_finished(sim);
        const double *trace = pal_sim_convergence(sim, &fall->count);
        for (int32_t i = 0; i < fall->count; ++i) {
            fall->number[i] = i;
            fall->residual[i] = trace[i];
            fall->logarithm[i] = log10(fmax(trace[i] / trace[0], 1e-17));
        }
    }
    pal_sim_destroy(sim);
    pal_scene_destroy(scene);
    return status;
}

static double least(const Fall *fall)
{
    double value = 0;
    for (int32_t i = 0; i < fall->count; ++i)
        value = fmin(value, fall->logarithm[i]);
    return pow(10, value);
}

// Of three residuals in a row, each the next's power: 2 where convergence is quadratic.
static double order_at_end(const Fall *fall)
{
    double best = 0;
    for (int32_t i = 2; i < fall->count; ++i)
        if (fall->residual[i] > 1e-12 * fall->residual[0] &&
            fall->residual[i] < 1e-3 * fall->residual[0])
            best = fmax(best, log(fall->residual[i] / fall->residual[i - 1]) /
                                  log(fall->residual[i - 1] / fall->residual[i - 2]));
    return best;
}

static void tell(PalLab *lab, const Fall *areas, const Fall *vertices)
{
    PalRow row =
        pal_row("Fig. 17", "area integration", "least residual, of the first", 1e-14, least(areas));
    row.goal = 1e-10;
    row.sense = PAL_SENSE_NEAR;
    row.tolerance = 1000;
    row.reason = "Published is a curve that falls until rounding stops it.";
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 17", "area integration", "order of convergence at the end", NAN,
                  order_at_end(areas));
    row.goal = 1.6;
    row.sense = PAL_SENSE_MORE;
    row.reason = "The tangent has the motion of the polygons' corners in it.";
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 17", "area integration", "corrections", NAN, areas->count - 1);
    row.reason = "Until nothing is left to correct.";
    pal_lab_row(lab, &row);
    row =
        pal_row("Fig. 17", "point collocation", "least residual, of the first", 1, least(vertices));
    row.sense = PAL_SENSE_NEAR;
    row.tolerance = 0.99;
    row.reason = "It stalls: at the concave edge forces jump from one direction to the other, and "
                 "there is no equilibrium. Published is a curve just below 1.";
    pal_lab_row(lab, &row);
}

static PalStatus run(PalLab *lab, PalError *error)
{
    char path[PAL_LAB_PATH_MAX];
    Fall areas = {0}, vertices = {0};
    PAL_TRY(pal_lab_scene(lab, "wedge-chatter", 0, path, error));
    PAL_TRY(search(path, "material-depth", &areas, error));
    PAL_TRY(search(path, "collocation", &vertices, error));
    tell(lab, &areas, &vertices);
    PalPlot plot = {.title = "Fig. 17: convergence",
                    .x_label = "correction",
                    .y_label = "logarithm of the residual",
                    .curve_count = 2,
                    .curves = {{.label = "area integration",
                                .count = areas.count,
                                .x = areas.number,
                                .y = areas.logarithm},
                               {.label = "point collocation",
                                .colour = 1,
                                .count = vertices.count,
                                .x = vertices.number,
                                .y = vertices.logarithm}}};
    pal_lab_plot(lab, &plot);
    PalTrial trial = {.name = "run", .scene = path};
    return pal_lab_picture(lab, &trial, false, "At rest, with forces integrated over areas.",
                           error);
}

const PalExperiment pal_experiment_wedge_chatter = {
    .name = "wedge-chatter",
    .paper = "hirota2003",
    .title = "a pointed body in a concave edge",
    .about = "Two bodies that overlap at the start, and one search for equilibrium by Newton's "
             "method. The shapes are look-alikes of Fig. 16; no multipliers, as in the paper.",
    .run = run,
};
