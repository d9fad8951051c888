// Tables 1 and 2: how many volumes are refitted, and how many subtrees are searched for
// self-contact.
#include "johnsen2015.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A line of the paper's tables; 0: not given there.
typedef struct Line {
    const char *scene, *hierarchy, *update, *cone;
    double subtrees, refits, volumes;
    double search, update_time;          // table 1: seconds in all
    double update_per_step, total_time;  // table 2: milliseconds, seconds
} Line;

static const Line lines[] = {
    {"c-shape", "aabb2", "update-nodes", "narrowest", 32.9, 216.2, 1919, 4.35, 0.129, 0.0675, 5.73},
    {"c-shape", "aabb4", "update-nodes", "narrowest", 17.4, 101.4, 1410, 5.01, 0.117, 0.0606, 6.34},
    {"c-shape", "aabb2", "update-nodes", "provot", 57.5, 234.5, 1919, 5.04, 0.113, 0, 0},
    {"c-shape", "aabb4", "update-nodes", "provot", 28.5, 121.3, 1410, 5.49, 0.103, 0, 0},
    {"c-shape", "aabb2", "exhaustive", "narrowest", 0, 1919, 1919, 0, 0, 0.214, 6.17},
    {"c-shape", "aabb4", "exhaustive", "narrowest", 0, 1410, 1410, 0, 0, 0.184, 6.66},
    {"zipper", "aabb2", "update-nodes", "narrowest", 50.3, 229.4, 1423, 1.43, 0.0936, 0, 0},
    {"zipper", "aabb4", "update-nodes", "narrowest", 22.9, 167.3, 1065, 1.49, 0.1, 0, 0},
    {"zipper", "aabb2", "update-nodes", "provot", 87.7, 254, 1423, 1.62, 0.0823, 0, 0},
    {"zipper", "aabb4", "update-nodes", "provot", 45.2, 220.7, 1065, 1.72, 0.0898, 0, 0},
    {"ball-slab", "aabb2", "update-nodes", "narrowest", 0, 111.9, 2999, 0, 0, 0.0433, 2.91},
    {"ball-slab", "aabb4", "update-nodes", "narrowest", 0, 50.1, 2265, 0, 0, 0.0407, 4.02},
    {"ball-slab", "aabb2", "larsson", "narrowest", 0, 898.9, 2999, 0, 0, 0.129, 3.11},
    {"ball-slab", "aabb4", "larsson", "narrowest", 0, 581.9, 2265, 0, 0, 0.0973, 4.14},
    {"ball-slab", "aabb2", "exhaustive", "narrowest", 0, 2999, 2999, 0, 0, 0.301, 3.49},
    {"ball-slab", "aabb4", "exhaustive", "narrowest", 0, 2265, 2265, 0, 0, 0.257, 4.84},
    {"liver-diaphragm", "aabb2", "update-nodes", "narrowest", 0, 659.7, 4799, 0, 0, 0.202, 1.65},
    {"liver-diaphragm", "aabb4", "update-nodes", "narrowest", 0, 412.4, 3659, 0, 0, 0.196, 1.67},
    {"liver-diaphragm", "aabb2", "larsson", "narrowest", 0, 2729.6, 4799, 0, 0, 0.430, 1.77},
    {"liver-diaphragm", "aabb4", "larsson", "narrowest", 0, 2035.7, 3659, 0, 0, 0.348, 1.67},
    {"liver-diaphragm", "aabb2", "exhaustive", "narrowest", 0, 4799, 4799, 0, 0, 0.657, 1.87},
    {"liver-diaphragm", "aabb4", "exhaustive", "narrowest", 0, 3659, 3659, 0, 0, 0.542, 1.76},
    {"two-spheres", "aabb2", "update-nodes", "narrowest", 0, 160.5, 3599, 0, 0, 0.0488, 5.81},
    {"two-spheres", "aabb2", "larsson", "narrowest", 0, 1039.1, 3599, 0, 0, 0.143, 6.31},
    {"two-spheres", "aabb2", "exhaustive", "narrowest", 0, 3599, 3599, 0, 0, 0.408, 7.61},
    {"rigid-bar", "aabb2", "update-nodes", "narrowest", 0, 75.3, 1199, 0, 0, 0.0229, 1.15},
    {"rigid-bar", "aabb4", "update-nodes", "narrowest", 0, 44.7, 904, 0, 0, 0.0228, 1.14},
    {"rigid-bar", "aabb2", "exhaustive", "narrowest", 0, 1199, 1199, 0, 0, 0.146, 1.65},
    {"rigid-bar", "aabb4", "exhaustive", "narrowest", 0, 904, 904, 0, 0, 0.125, 1.56},
};
enum { LINE_COUNT = sizeof lines / sizeof lines[0], LINES_MAX = 8 };

static void prepare(const PalLab *lab, const Line *line, const char *scene, PalTrial *trial)
{
    *trial = (PalTrial){.scene = scene, .part = pal_lab_quick(lab) ? 0.05 : 0};
    snprintf(trial->name, sizeof trial->name, "%s-%s-%s", line->hierarchy, line->update,
             line->cone);
    pal_trial_change(trial, "contact.0.hierarchy", line->hierarchy);
    pal_trial_change(trial, "contact.0.update", line->update);
    pal_trial_change(trial, "contact.0.cone", line->cone);
    pal_trial_change(trial, "contact.0.self-test", "cone");
}

static void told(PalLab *lab, PalRow row, const char *reason)
{
    row.sense = PAL_SENSE_TOLD;
    row.reason = reason;
    pal_lab_row(lab, &row);
}

static void tell_table_1(PalLab *lab, const Line *line, const PalResult *r, const char *name)
{
    bool provot = strcmp(line->cone, "provot") == 0;
    PalRow row = pal_row("Table 1", name, "subtrees per step", line->subtrees,
                         pal_result_number(r, "subtrees"));
    row.reason = provot ? "Provot's cones, for comparison."
                        : "The same cones; our tree is split along the narrowest cones as well.";
    pal_lab_row(lab, &row);
    row = pal_row("Table 1", name, "refits per step", line->refits, pal_result_number(r, "refits"));
    row.goal = provot ? NAN : line->refits;
    row.reason =
        "Above update nodes only what has changed is refitted; the paper refits all of it.";
    pal_lab_row(lab, &row);
    told(lab, pal_row("Table 1", name, "search, s", line->search, pal_result_number(r, "search")),
         "Seconds on another machine.");
    told(lab,
         pal_row("Table 1", name, "update, s", line->update_time, pal_result_number(r, "update")),
         "Seconds on another machine.");
}

static void tell_table_2(PalLab *lab, const Line *line, const PalResult *r, const char *name)
{
    bool ours = strcmp(line->update, "update-nodes") == 0;
    double steps = pal_result_number(r, "steps"), update = pal_result_number(r, "update");
    double total = update + pal_result_number(r, "search") + pal_result_number(r, "response") +
                   pal_result_number(r, "elements") + pal_result_number(r, "integrate");
    PalRow row =
        pal_row("Table 2", name, "refits per step", line->refits, pal_result_number(r, "refits"));
    row.goal = ours ? line->refits : NAN;
    row.reason = ours
                     ? "Above update nodes only what has changed is refitted; the paper refits all "
                       "of it."
                 : strcmp(line->update, "larsson") == 0
                     ? "Depends on how much the look-alike turns and slides, and on how deep the "
                       "search goes."
                     : "Every volume of the look-alike, which has a few facets more or fewer.";
    if (!ours) {
        row.sense = PAL_SENSE_NEAR;
        row.tolerance = 0.1;
    }
    pal_lab_row(lab, &row);
    row = pal_row("Table 2", name, "volumes", line->volumes, pal_result_number(r, "volumes"));
    row.sense = PAL_SENSE_NEAR;
    row.tolerance = 0.1;
    row.reason =
        "The look-alike has as many facets to within a tenth; rigid bodies have volumes too.";
    pal_lab_row(lab, &row);
    told(lab,
         pal_row("Table 2", name, "update, ms per step", line->update_per_step,
                 1000 * update / steps),
         "Times are of another machine.");
    told(lab, pal_row("Table 2", name, "whole run, s", line->total_time, total),
         "Times are of another machine.");
}

// How many subtrees fewer the narrowest cones leave than Provot's.
static void tell_saving(PalLab *lab, const char *hierarchy, const double subtrees[2],
                        const double published[2])
{
    PalRow row =
        pal_row("Sect. 4.1", hierarchy, "subtrees fewer than with Provot's cones, %",
                100 * (1 - published[0] / published[1]), 100 * (1 - subtrees[0] / subtrees[1]));
    row.sense = PAL_SENSE_MORE;
    row.tolerance = 0.1;
    row.goal = 30;
    row.reason = "Both cones on the same tree and the same motion.";
    pal_lab_row(lab, &row);
}

static void tell_savings(PalLab *lab, int32_t count, const Line *const *chosen,
                         const PalResult *results)
{
    static const char *const hierarchies[] = {"aabb2", "aabb4"};
    for (int h = 0; h < 2; ++h) {
        double ours[2] = {0}, published[2] = {0};
        for (int32_t i = 0; i < count; ++i)
            if (chosen[i]->subtrees > 0 && strcmp(chosen[i]->hierarchy, hierarchies[h]) == 0) {
                int which = strcmp(chosen[i]->cone, "provot") == 0;
                ours[which] = pal_result_number(&results[i], "subtrees");
                published[which] = chosen[i]->subtrees;
            }
        if (published[1] > 0)
            tell_saving(lab, hierarchies[h], ours, published);
    }
}

static void tell_mesh(PalLab *lab, const PalResult *r, double facets, double cells)
{
    PalRow row =
        pal_row("Fig. 4 and 5", "mesh", "surface facets", facets, pal_result_number(r, "facets"));
    row.sense = PAL_SENSE_NEAR;
    row.tolerance = 0.1;
    row.reason = "A look-alike: the paper's solids were never published.";
    if (facets > 0)
        pal_lab_row(lab, &row);
    row.quantity = "tetrahedra";
    row.published = cells;
    row.ours = pal_result_number(r, "cells");
    if (cells > 0)
        pal_lab_row(lab, &row);
    row = pal_row("Fig. 4 and 5", "end", "crossing triangles", NAN,
                  pal_result_number(r, "crossings"));
    row.goal = 0;
    row.reason = "Checked for every pair of triangles at the end of the run.";
    pal_lab_row(lab, &row);
}

static PalStatus run_scene(PalLab *lab, const char *name, double facets, double cells,
                           PalError *error)
{
    char scene[PAL_LAB_PATH_MAX];
    PAL_TRY(pal_lab_scene(lab, name, 0, scene, error));
    const Line *chosen[LINES_MAX];
    PalTrial trials[LINES_MAX];
    PalResult results[LINES_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < LINE_COUNT; ++i)
        if (strcmp(lines[i].scene, name) == 0) {
            chosen[count] = &lines[i];
            prepare(lab, &lines[i], scene, &trials[count++]);
        }
    trials[0].pictured = true;
    PalStatus status = pal_lab_try(lab, count, trials, results, error);
    for (int32_t i = 0; i < count && status == PAL_OK; ++i) {
        char line[PAL_TRIAL_NAME_MAX];
        snprintf(line, sizeof line, "%s, %s, %s", chosen[i]->hierarchy, chosen[i]->update,
                 chosen[i]->cone);
        if (i == 0)
            tell_mesh(lab, &results[i], facets, cells);
        if (chosen[i]->subtrees > 0)
            tell_table_1(lab, chosen[i], &results[i], line);
        if (chosen[i]->total_time > 0)
            tell_table_2(lab, chosen[i], &results[i], line);
    }
    if (status == PAL_OK)
        tell_savings(lab, count, chosen, results);
    for (int32_t i = 0; i < count; ++i)
        pal_result_clear(&results[i]);
    PAL_TRY(status);
    PAL_TRY(pal_lab_picture(lab, &trials[0], true, "At the start.", error));
    return pal_lab_picture(lab, &trials[0], false, "At the end.", error);
}

static PalStatus run_zipper(PalLab *lab, PalError *error)
{
    return run_scene(lab, "zipper", 712, 1587, error);
}

const PalExperiment pal_experiment_zipper = {
    .name = "zipper",
    .paper = "johnsen2015",
    .title = "interlocking combs, twisted and pressed",
    .about =
        "Contact of a body with itself. The narrowest cones of normals are compared with "
        "Provot's, for binary trees (aabb2) and trees of four children (aabb4), with the paper's "
        "update of volumes and its criterion for self-contact. Size, material, forces and steps "
        "are the paper's; the shape is a look-alike.",
    .run = run_zipper,
};

static PalStatus run_c_shape(PalLab *lab, PalError *error)
{
    return run_scene(lab, "c-shape", 960, 2320, error);
}

const PalExperiment pal_experiment_c_shape = {
    .name = "c-shape",
    .paper = "johnsen2015",
    .title = "a C, closed by pressing its upper arm down",
    .about = "As zipper, with a displacement instead of forces; and the update of volumes against "
             "refitting all of them.",
    .run = run_c_shape,
};

static PalStatus run_ball_slab(PalLab *lab, PalError *error)
{
    return run_scene(lab, "ball-slab", 1500, 3284, error);
}

const PalExperiment pal_experiment_ball_slab = {
    .name = "ball-slab",
    .paper = "johnsen2015",
    .title = "a ball pressed into a slab",
    .about =
        "Three ways to update volumes: the paper's, that of Larsson and Akenine-Möller, and "
        "refitting all. johnsen2012 has fewer refits for its own version of the same scene: 188 of "
        "2999, and 723 with Larsson's.",
    .run = run_ball_slab,
};

static PalStatus run_liver_diaphragm(PalLab *lab, PalError *error)
{
    return run_scene(lab, "liver-diaphragm", 2400, 4921, error);
}

const PalExperiment pal_experiment_liver_diaphragm = {
    .name = "liver-diaphragm",
    .paper = "johnsen2015",
    .title = "a diaphragm slides down over a liver",
    .about =
        "Three ways to update volumes. The anatomy is that of a volunteer and was never "
        "published; ours is a dome over an ellipsoid with as many facets. johnsen2012 has 636.5 of "
        "4799 refits for its own version, and 2027.2 with Larsson's.",
    .run = run_liver_diaphragm,
};

static PalStatus run_rigid_bar(PalLab *lab, PalError *error)
{
    return run_scene(lab, "rigid-bar", 600, 1184, error);
}

const PalExperiment pal_experiment_rigid_bar = {
    .name = "rigid-bar",
    .paper = "johnsen2015",
    .title = "a body pushed against a rigid bar",
    .about =
        "The update of volumes against refitting all of them. The paper's irregular body is an "
        "ellipsoid here. Its bar has 120 facets, whose volumes we count as well.",
    .run = run_rigid_bar,
};

static PalStatus run_two_spheres(PalLab *lab, PalError *error)
{
    return run_scene(lab, "two-spheres", 0, 0, error);
}

const PalExperiment pal_experiment_two_spheres = {
    .name = "two-spheres",
    .paper = "johnsen2015",
    .title = "two balls press a membrane from both sides",
    .about = "Three ways to update volumes, with a membrane that is touched on both sides. Its "
             "triangles "
             "count twice, and the walls along its rim are ours. Each ball has 500 facets and 798 "
             "tetrahedra; the paper's have 789. Its forces are per node; ours "
             "are 20 on each ball. The run is twice as long, so that the balls come to rest.",
    .run = run_two_spheres,
};
