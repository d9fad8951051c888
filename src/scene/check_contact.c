// How objects that are kept apart stand to each other at the start.
#include "contact/overlap.h"
#include "math/vec3.h"
#include "scene/findings.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>

#define WIDE   0.1   // separations above this part of the shortest edge are warned of
#define NARROW 1e-6  // and those below this part of the mean edge

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

// Of the soft bodies that touch anything.
static double shortest_edge(const PalContact *contact)
{
    const PalContactSurface *surface = contact->surface;
    double shortest = INFINITY;
    for (int32_t e = 0; e < surface->edge_count; ++e) {
        const int32_t *ends = surface->edges[e];
        int32_t object = surface->vertex_object[ends[0]];
        bool touches = false;
        for (int32_t other = 0; other < surface->object_count && !touches; ++other)
            touches = pal_contact_friction(contact, object, other) >= 0;
        if (touches && object < surface->body_count)
            shortest =
                fmin(shortest, pal_vec3_distance(surface->start[ends[0]], surface->start[ends[1]]));
    }
    return shortest;
}

// A given one that surfaces cannot keep: facets cannot follow a wide one, rounding eats a narrow
// one.
static void check_separation(const PalContact *contact, PalFindings *findings)
{
    double separation = contact->separation, shortest = shortest_edge(contact);
    if (separation > WIDE * shortest)
        pal_findings_add(findings, PAL_FINDING_WARNING,
                         "the separation %.3g is more than a tenth of the shortest edge in "
                         "contact, %.3g: surfaces will stand visibly apart; without it, "
                         "0.002 of the mean edge is taken, %.3g",
                         separation, shortest, 0.002 * contact->edge);
    else if (separation < NARROW * contact->edge)
        pal_findings_add(findings, PAL_FINDING_WARNING,
                         "the separation %.3g is less than a millionth of the mean edge, %.3g, and "
                         "rounding may eat it; without it, 0.002 of the mean edge is taken, %.3g",
                         separation, contact->edge, 0.002 * contact->edge);
}

void pal_check_contact(const PalScene *scene, const PalSim *sim, PalFindings *findings)
{
    PalContactReport report = pal_sim_contact_report(sim);
    if (report.separation > 0)
        pal_findings_add(findings, PAL_FINDING_NOTE, "surfaces rest on each other %.3g apart",
                         report.separation);
    if (report.moved_count > 0)
        pal_findings_add(findings, PAL_FINDING_NOTE,
                         "%s node%s moved at the start, by at most %.3g, so that nothing overlaps; "
                         "volumes and masses change by that, most of all \"%.60s\" by %+.2g %%",
                         pal_amount_count(report.moved_count).text,
                         report.moved_count == 1 ? " is" : "s are", report.largest_move,
                         pal_sim_model(sim)->bodies[report.mass_change_body].name,
                         100 * report.mass_change);
    if (scene->sim.contact.separation > 0)
        check_separation(sim->solver->contact, findings);
}
