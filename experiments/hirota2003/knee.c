// Section 6: a knee is bent by 150 degrees.
#include "hirota2003.h"

#include <math.h>

static void sample(PalSim *sim, PalResult *result)
{
    int32_t count, self = 0;
    const PalContactPoint *contacts = pal_sim_contacts(sim, &count);
    for (int32_t i = 0; i < count; ++i)
        self += contacts[i].objects[0] == contacts[i].objects[1];
    pal_result_add(result, "angle", 150 * pal_sim_progress(sim));
    pal_result_add(result, "self", self);
    pal_result_add(result, "touching", count);
    PalContactReport report = pal_sim_contact_report(sim);
    pal_result_add(result, "penetration", report.worst_of_edge);
    const PalModel *model = pal_sim_model(sim);
    pal_result_add(result, "nodes", model->node_count);
    const PalBody *strip = &model->bodies[2];
    const PalGroup *cap = pal_mesh_find_group(strip->mesh, "patella");
    PalVec3 sum = {0, 0, 0};
    for (int32_t i = 0; cap != NULL && i < cap->node_count; ++i) {
        int32_t n = strip->first_node + cap->nodes[i];
        PalVec3 u = pal_sim_state(sim)->displacement[n], x = model->nodes[n];
        sum.y += (x.y + u.y) / cap->node_count;
        sum.z += (x.z + u.z) / cap->node_count;
    }
    pal_result_add(result, "radius", hypot(sum.y, sum.z));
    pal_result_add(result, "ride", atan2(-sum.z, sum.y) * 180 / acos(-1));
    const PalProfile *profile = pal_sim_profile(sim);
    pal_result_add(result, "assemble", profile->assemble);
    pal_result_add(result, "solve", profile->solve);
}

static void tell_shares(PalLab *lab, const PalResult *r)
{
    double forces = pal_result_number(r, "elements") + pal_result_number(r, "assemble") +
                    pal_result_number(r, "response");
    double search = pal_result_number(r, "update") + pal_result_number(r, "search");
    double solve = pal_result_number(r, "solve"), all = forces + search + solve;
    const char *const lines[3] = {"forces and stiffness", "detection", "linear solves"};
    const double published[3] = {63, 22, 15}, ours[3] = {forces, search, solve};
    for (int k = 0; k < 3; ++k) {
        PalRow row =
            pal_row("Section 6.3", lines[k], "share of time, %", published[k], 100 * ours[k] / all);
        row.sense = PAL_SENSE_TOLD;
        row.reason = "Factors of a direct solver instead of iterations, elements in vectors.";
        pal_lab_row(lab, &row);
    }
}

static void tell_bend(PalLab *lab, const PalResult *r)
{
    double loads = pal_result_find(r, "angle")->count - 1;
    PalRow row = pal_row("Section 6.1", "flexion", "load steps", 50, loads);
    row.goal = 50;
    row.reason = "150 degrees.";
    pal_lab_row(lab, &row);
    row = pal_row("Section 6.1", "flexion", "steps, with parts of those that were halved", NAN,
                  pal_result_number(r, "steps"));
    row.sense = PAL_SENSE_TOLD;
    row.reason = "A load step that finds no balance is halved.";
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 19", "patella", "way around the knee's axis, degrees", NAN,
                  pal_hirota_most(r, "ride") - pal_result_find(r, "ride")->values[0]);
    row.sense = PAL_SENSE_MORE;
    row.goal = 30;
    row.reason = "Nobody tells it where to go.";
    pal_lab_row(lab, &row);
    row = pal_row("Section 6.2", "skin", "contacts with itself", NAN, pal_hirota_most(r, "self"));
    row.sense = PAL_SENSE_MORE;
    row.goal = 1;
    row.reason = "It folds behind the knee.";
    pal_lab_row(lab, &row);
}

static void tell_rows(PalLab *lab, const PalResult *r)
{
    PalRow row = pal_row("Section 6.1", "mesh", "nodes", 10000, pal_result_number(r, "nodes"));
    row.sense = PAL_SENSE_NEAR;
    row.tolerance = 0.25;
    row.reason = "A look-alike: the paper's was made from the Visible Human.";
    pal_lab_row(lab, &row);
    row = pal_row("Section 6.1", "mesh", "tetrahedra", 40000, pal_result_number(r, "cells"));
    row.sense = PAL_SENSE_NEAR;
    row.tolerance = 0.25;
    row.reason = "Five in each brick.";
    pal_lab_row(lab, &row);
    tell_bend(lab, r);
    row = pal_row("Section 6.2", "whole run", "deepest penetration, of the edges around it", NAN,
                  pal_hirota_most(r, "penetration"));
    row.goal = 0.01;
    row.reason = "Not visible in the paper.";
    pal_lab_row(lab, &row);
    tell_shares(lab, r);
}

static void plot_ride(PalLab *lab, const PalResult *r)
{
    const PalSeries *angle = pal_result_find(r, "angle");
    PalPlot plot = {.title = "the patella rides over the femur",
                    .x_label = "flexion, degrees",
                    .y_label = "patella, degrees around the knee's axis",
                    .curve_count = 1,
                    .curves = {{.label = "patella",
                                .count = angle->count,
                                .x = angle->values,
                                .y = pal_result_find(r, "ride")->values}}};
    pal_lab_plot(lab, &plot);
}

static void tell(PalLab *lab, const PalResult *r)
{
    tell_rows(lab, r);
    plot_ride(lab, r);
}

static void tell_barrier(PalLab *lab, const PalResult *r)
{
    tell_bend(lab, r);
    PalRow row =
        pal_row("Section 6.2", "end", "crossing triangles", NAN, pal_result_number(r, "crossings"));
    row.goal = 0;
    row.reason = "Nothing passes a barrier; counted by comparing all triangles.";
    pal_lab_row(lab, &row);
    tell_shares(lab, r);
    plot_ride(lab, r);
}

static PalStatus run(PalLab *lab, PalError *error)
{
    PalHirotaScene scene = {.name = "knee", .sample = sample, .tell = tell};
    return pal_hirota_run(lab, &scene, error);
}

static PalStatus run_barrier(PalLab *lab, PalError *error)
{
    PalHirotaScene scene = {.name = "knee",
                            .sample = sample,
                            .tell = tell_barrier,
                            .change = {"contact.6.response", "barrier"}};
    return pal_hirota_run(lab, &scene, error);
}

const PalExperiment pal_experiment_knee = {
    .name = "knee",
    .paper = "hirota2003",
    .title = "a knee is bent by 150 degrees",
    .about = "Femur, tibia, the quadriceps with tendon, patella and ligament, and a sleeve of skin "
             "and fat. The femur is held, the tibia is turned; all else follows by contact.",
    .run = run,
    .apart = "it takes about ten minutes",
};

const PalExperiment pal_experiment_knee_barrier = {
    .name = "knee-barrier",
    .paper = "hirota2003",
    .title = "the same knee, with a barrier that nothing passes",
    .about = "The scene of knee with response barrier instead of the paper's contact.",
    .run = run_barrier,
    .apart = "it takes about a quarter of an hour",
};
