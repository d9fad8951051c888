// How objects that are kept apart stand to each other at the start.
#include "contact/overlap.h"
#include "scene/findings.h"

#include <stdio.h>

static void add_overlap(const PalScene *scene, const PalOverlap *overlap, double separation,
                        PalFindings *findings)
{
    const PalModelDef *model = &scene->sim.model;
    PalVec3 p = overlap->place;
    char who[256], what[200];
    const char *first = pal_scene_object_name(model, overlap->objects[0]);
    const char *second = pal_scene_object_name(model, overlap->objects[1]);
    bool self = overlap->objects[0] == overlap->objects[1];
    snprintf(who, sizeof who, self ? "parts of \"%.100s\"" : "\"%.100s\" and \"%.100s\"", first,
             second);
    if (overlap->inside_count + overlap->crossing_count == 0) {
        pal_findings_add(findings, PAL_FINDING_NOTE,
                         "%s are nearer to each other at the start than the separation, %.3g, at "
                         "%d node%s: %.3g at (%.4g, %.4g, %.4g); they are moved apart before a run",
                         who, separation, overlap->near_count, overlap->near_count == 1 ? "" : "s",
                         overlap->gap, p.x, p.y, p.z);
        return;
    }
    char crossing[64] = "";
    if (overlap->crossing_count > 0)
        snprintf(crossing, sizeof crossing, "%d pair%s of triangles cross, ",
                 overlap->crossing_count, overlap->crossing_count == 1 ? "" : "s");
    if (overlap->inside_count > 0)
        snprintf(what, sizeof what, "%s%d node%s inside, the deepest by %.4g", crossing,
                 overlap->inside_count, overlap->inside_count == 1 ? " is" : "s are",
                 overlap->depth);
    else
        snprintf(what, sizeof what, "%sno node is inside", crossing);
    bool shallow = !self && !overlap->too_deep;
    pal_findings_add(findings, PAL_FINDING_WARNING,
                     "%s overlap at the start: %s, at (%.4g, %.4g, %.4g)%s", who, what, p.x, p.y,
                     p.z, shallow ? "; they are moved apart before a run" : "");
}

PalStatus pal_check_overlaps(const PalScene *scene, PalFindings *findings, PalError *error)
{
    if (scene->sim.contact.pair_count == 0)
        return PAL_OK;
    PalModel *model = NULL;
    PalOverlaps overlaps = {0};
    PalError inner = {0};
    PalStatus status = pal_model_create(&scene->sim.model, &model, &inner);
    if (status == PAL_OK)
        status = pal_overlaps_find(&scene->sim.contact, model, &overlaps, &inner);
    for (int32_t i = 0; i < overlaps.count; ++i)
        add_overlap(scene, &overlaps.items[i], overlaps.separation, findings);
    pal_overlaps_clear(&overlaps);
    pal_model_destroy(model);
    // what is wrong with the model is told when the simulation is set up
    return status == PAL_NO_MEMORY ? pal_error_set(error, status, "%s", inner.text) : PAL_OK;
}

void pal_check_contact(const PalSim *sim, PalFindings *findings)
{
    PalContactReport report = pal_sim_contact_report(sim);
    if (report.separation > 0)
        pal_findings_add(findings, PAL_FINDING_NOTE, "surfaces rest on each other %.3g apart",
                         report.separation);
    if (report.moved_count > 0)
        pal_findings_add(findings, PAL_FINDING_NOTE,
                         "%s node%s moved at the start, by at most %.3g, so that nothing overlaps",
                         pal_amount_count(report.moved_count).text,
                         report.moved_count == 1 ? " is" : "s are", report.largest_move);
}
