// Table 3 and Fig. 13: a breast under its weight in a skin that slides on it.
#include "johnsen2015.h"

#include <math.h>

// The largest displacements of the tissue and of the skin.
static void sample(PalSim *sim, PalResult *result)
{
    const PalModel *model = pal_sim_model(sim);
    const PalVec3 *displacement = pal_sim_state(sim)->displacement;
    double largest[2] = {0};
    for (int b = 0; b < 2; ++b) {
        const PalBody *body = &model->bodies[b];
        for (int32_t n = body->first_node; n < body->first_node + body->mesh->node_count; ++n) {
            PalVec3 u = displacement[n];
            largest[b] = fmax(largest[b], sqrt(u.x * u.x + u.y * u.y + u.z * u.z));
        }
    }
    pal_result_add(result, "tissue", largest[0]);
    pal_result_add(result, "skin", largest[1]);
}

static void told(PalLab *lab, const char *quantity, double published, double ours)
{
    PalRow row = pal_row("Table 3", "one thread", quantity, published, ours);
    row.sense = PAL_SENSE_TOLD;
    row.reason = "Seconds on another machine.";
    pal_lab_row(lab, &row);
}

static void tell_costs(PalLab *lab, const PalResult *r)
{
    double update = pal_result_number(r, "update"), search = pal_result_number(r, "search");
    double response = pal_result_number(r, "response");
    double rest = pal_result_number(r, "elements") + pal_result_number(r, "integrate");
    told(lab, "volumes and surfaces, s", 2.87, update);
    told(lab, "search, s", 119.71, search);
    told(lab, "response, s", 0.09, response);
    told(lab, "other operations, s", 57.58, rest);
    PalRow row = pal_row("Table 3", "one thread", "contact over the rest", 2.13,
                         (update + search + response) / rest);
    row.goal = 0.6;
    row.reason = "Skin and tissue touch nearly everywhere, and nothing passes.";
    pal_lab_row(lab, &row);
}

static void tell_shape(PalLab *lab, const PalResult *r)
{
    PalRow row = pal_row("Fig. 13", "mesh", "cells", 37613 + 4425, pal_result_number(r, "cells"));
    row.sense = PAL_SENSE_NEAR;
    row.tolerance = 0.1;
    row.reason = "Tetrahedra of a dome, and the triangles of its skin.";
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 13", "end", "crossing triangles", NAN, pal_result_number(r, "crossings"));
    row.goal = 0;
    row.reason = "Checked for every pair of triangles.";
    pal_lab_row(lab, &row);
    row =
        pal_row("Fig. 13", "whole run", "motions cut short", NAN, pal_result_number(r, "rescues"));
    row.goal = 0;
    row.reason = "A healthy run has none.";
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 13", "whole run", "contacts, mean", NAN, pal_result_number(r, "contacts"));
    row.reason = "Node on facet and edge on edge.";
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 13", "tissue", "largest displacement, mm", NAN,
                  pal_result_number(r, "tissue"));
    row.reason = "Under its whole weight, aside.";
    pal_lab_row(lab, &row);
    row = pal_row("Fig. 13", "skin", "largest displacement, mm", NAN, pal_result_number(r, "skin"));
    row.reason = "It is held at its rim.";
    pal_lab_row(lab, &row);
}

static PalStatus run(PalLab *lab, PalError *error)
{
    char scene[PAL_LAB_PATH_MAX];
    PAL_TRY(pal_lab_scene(lab, "breast", 0, scene, error));
    PalTrial trial = {.name = "whole",
                      .scene = scene,
                      .part = pal_lab_quick(lab) ? 0.02 : 0,
                      .samples = 10,
                      .sample = sample,
                      .threads = 1,
                      .pictured = true};
    PalResult result;
    PalStatus status = pal_lab_try(lab, 1, &trial, &result, error);
    if (status == PAL_OK) {
        tell_costs(lab, &result);
        tell_shape(lab, &result);
    }
    pal_result_clear(&result);
    PAL_TRY(status);
    PAL_TRY(pal_lab_picture(lab, &trial, true, "At the start.", error));
    return pal_lab_picture(lab, &trial, false, "At the end.", error);
}

const PalExperiment pal_experiment_breast = {
    .name = "breast",
    .paper = "johnsen2015",
    .title = "a breast sags in its skin",
    .about =
        "The paper's anatomy is a patient's and was never published. Ours has as many tetrahedra "
        "and skin triangles to within a tenth: a mound, 140 mm wide and 40 mm high, on a layer of "
        "tissue that is held at the chest, in a skin of 5 mm that is held along its rim and "
        "slides elsewhere. Materials are the paper's. The weight acts along the chest, as when one "
        "stands up.",
    .run = run,
};
