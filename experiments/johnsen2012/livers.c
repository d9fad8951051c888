// Fig. 6: a liver that forceps grip inside a cage, and one that folds on two bars.
#include "johnsen2012.h"

#include <math.h>

enum { SAMPLES = 20 };

// Crossings now, and contacts of the liver with itself.
static void sample(PalSim *sim, PalResult *result)
{
    int32_t count, self = 0;
    const PalContactPoint *contacts = pal_sim_contacts(sim, &count);
    for (int32_t i = 0; i < count; ++i)
        self += contacts[i].objects[0] == contacts[i].objects[1];
    pal_result_add(result, "time", pal_sim_state(sim)->time);
    pal_result_add(result, "crossing", pal_sim_intersections(sim));
    pal_result_add(result, "self", self);
    pal_result_add(result, "touching", count);
}

static double most(const PalResult *r, const char *name)
{
    const PalSeries *s = pal_result_find(r, name);
    double largest = 0;
    for (int32_t i = 0; s != NULL && i < s->count; ++i)
        largest = fmax(largest, s->values[i]);
    return largest;
}

static void tell(PalLab *lab, const PalResult *r, bool folds)
{
    PalRow row = pal_row("Fig. 6", "whole run", "crossing triangles", 0, most(r, "crossing"));
    row.goal = 0;
    row.reason = "The most at 21 times; every pair of triangles is checked.";
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 6", "whole run", "motions cut short", NAN, pal_result_number(r, "rescues"));
    row.goal = 0;
    row.reason = "A healthy run has none.";
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 6", "whole run", "contacts at most", NAN, most(r, "touching"));
    row.reason = "All that carry force.";
    pal_lab_row(lab, &row);
    if (folds) {
        row = pal_row("Fig. 6", "whole run", "contacts with itself at most", NAN, most(r, "self"));
        row.sense = PAL_SENSE_MORE;
        row.goal = 1;
        row.reason = "It folds on itself, and its cavity collapses.";
        pal_lab_row(lab, &row);
    }
    row = pal_row("Fig. 6", "mesh", "tetrahedra", NAN, pal_result_number(r, "cells"));
    row.reason = "The paper does not tell its number.";
    pal_lab_row(lab, &row);
}

static void plot(PalLab *lab, const PalResult *r, bool folds)
{
    const PalSeries *time = pal_result_find(r, "time"), *all = pal_result_find(r, "touching");
    const PalSeries *self = pal_result_find(r, "self");
    PalPlot plot = {
        .title = "contacts",
        .x_label = "time",
        .y_label = "contacts that carry force",
        .from_zero = true,
        .curve_count = folds ? 2 : 1,
        .curves = {{.label = "all", .count = time->count, .x = time->values, .y = all->values},
                   {.label = "with itself",
                    .colour = 1,
                    .count = time->count,
                    .x = time->values,
                    .y = self->values}}};
    pal_lab_plot(lab, &plot);
}

static PalStatus run(PalLab *lab, const char *name, bool folds, PalError *error)
{
    char scene[PAL_LAB_PATH_MAX];
    PAL_TRY(pal_lab_scene(lab, name, 0, scene, error));
    PalTrial trial = {.name = "run",
                      .scene = scene,
                      .part = pal_lab_quick(lab) ? 0.1 : 0,
                      .samples = SAMPLES,
                      .sample = sample,
                      .pictured = true};
    PalResult result;
    PalStatus status = pal_lab_try(lab, 1, &trial, &result, error);
    if (status == PAL_OK) {
        tell(lab, &result, folds);
        plot(lab, &result, folds);
    }
    pal_result_clear(&result);
    PAL_TRY(status);
    PAL_TRY(pal_lab_picture(lab, &trial, true, "At the start.", error));
    return pal_lab_picture(lab, &trial, false, "At the end.", error);
}

static PalStatus run_forceps(PalLab *lab, PalError *error)
{
    return run(lab, "liver-forceps", false, error);
}

const PalExperiment pal_experiment_liver_forceps = {
    .name = "liver-forceps",
    .paper = "johnsen2012",
    .title = "forceps squeeze a lobe of a liver in a rib cage",
    .about =
        "A demonstration of the whole method without published figures. The liver is a look-alike "
        "with a large and a small lobe; the jaws are sixty times as stiff and soft as well; the "
        "ribs "
        "are rigid.",
    .run = run_forceps,
};

static PalStatus run_bars(PalLab *lab, PalError *error)
{
    return run(lab, "liver-bars", true, error);
}

const PalExperiment pal_experiment_liver_bars = {
    .name = "liver-bars",
    .paper = "johnsen2012",
    .title = "a hollow liver sinks on two bars and folds on itself",
    .about =
        "A demonstration without published figures: structures collapse, but nothing intersects. "
        "The liver is a look-alike with a cavity of its own form inside, of half its size.",
    .run = run_bars,
};
