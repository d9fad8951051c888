// Section 7: a snake swallows an apple, and rods fall on each other.
#include "hirota2003.h"

#include <math.h>

static void sample(PalSim *sim, PalResult *result)
{
    PalContactReport report = pal_sim_contact_report(sim);
    pal_result_add(result, "part", pal_sim_progress(sim));
    pal_result_add(result, "penetration", report.worst_of_edge);
    pal_result_add(result, "touching", report.contact_count);
}

static void tell(PalLab *lab, const char *figure, const PalResult *r)
{
    PalRow row = pal_row(figure, "whole run", "steps", NAN, pal_result_number(r, "steps"));
    row.sense = PAL_SENSE_TOLD;
    row.reason = "Nothing is tuned: stiffness and steps are found.";
    pal_lab_row(lab, &row);
    row = pal_row(figure, "whole run", "contacts at most", NAN, pal_hirota_most(r, "touching"));
    row.sense = PAL_SENSE_TOLD;
    row.reason = "Those that carry force.";
    pal_lab_row(lab, &row);
}

static void tell_depth(PalLab *lab, const char *figure, const PalResult *r)
{
    tell(lab, figure, r);
    PalRow row = pal_row(figure, "whole run", "deepest penetration, of the edges around it", NAN,
                         pal_hirota_most(r, "penetration"));
    row.goal = 0.01;
    row.reason = "A hundredth is what multipliers allow for.";
    pal_lab_row(lab, &row);
}

static void tell_snake(PalLab *lab, const PalResult *r)
{
    tell_depth(lab, "Fig. 23", r);
}

static void tell_deep_rods(PalLab *lab, const PalResult *r)
{
    tell_depth(lab, "Fig. 24", r);
}

static void tell_rods(PalLab *lab, const PalResult *r)
{
    tell(lab, "Fig. 24", r);
    PalRow row =
        pal_row("Fig. 24", "end", "crossing triangles", NAN, pal_result_number(r, "crossings"));
    row.goal = 0;
    row.reason = "Nothing passes a barrier; counted by comparing all triangles.";
    pal_lab_row(lab, &row);
}

static PalStatus run_snake(PalLab *lab, PalError *error)
{
    PalHirotaScene scene = {.name = "snake", .sample = sample, .tell = tell_snake};
    return pal_hirota_run(lab, &scene, error);
}

static PalStatus run_rods(PalLab *lab, PalError *error)
{
    PalHirotaScene scene = {.name = "leaning-rods", .sample = sample, .tell = tell_rods};
    return pal_hirota_run(lab, &scene, error);
}

static PalStatus run_deep_rods(PalLab *lab, PalError *error)
{
    PalHirotaScene scene = {.name = "leaning-rods",
                            .sample = sample,
                            .tell = tell_deep_rods,
                            .change = {"contact.0.response", "material-depth"}};
    return pal_hirota_run(lab, &scene, error);
}

const PalExperiment pal_experiment_snake = {
    .name = "snake",
    .paper = "hirota2003",
    .title = "a snake swallows an apple",
    .about = "A tube that is held by its mouth, and an apple half as wide again as its throat. "
             "Contact by material depth, in statics.",
    .run = run_snake,
    .apart = "it takes two minutes",
};

const PalExperiment pal_experiment_leaning_rods = {
    .name = "leaning-rods",
    .paper = "hirota2003",
    .title = "rods fall on each other",
    .about = "Seven rows of five rods on a slope of 45 degrees bend under their weight until they "
             "lie on each other. Contact by a barrier.",
    .run = run_rods,
    .apart = "it takes about ten minutes",
};

const PalExperiment pal_experiment_rods_depth = {
    .name = "rods-depth",
    .paper = "hirota2003",
    .title = "the same rods, with the paper's contact",
    .about = "The scene of leaning-rods with response material-depth.",
    .run = run_deep_rods,
    .apart = "it takes about ten minutes",
};
