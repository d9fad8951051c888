#include "scene/closing.h"

#include "base/choice.h"
#include "output/summary.h"
#include "scene/check.h"

#include <math.h>
#include <stdio.h>

#define NOTE PAL_FINDING_NOTE

// Pairs that come from `between: all` or `self: all` are many, and most are never meant to touch.
static void remark_pairs(const PalScene *scene, const PalSim *sim, PalFindings *remarks)
{
    const PalModelDef *model = &scene->sim.model;
    int32_t count, touched = 0, named = 0;
    const PalContactPairReport *pairs = pal_sim_contact_pairs(sim, &count);
    for (int32_t p = 0; p < count; ++p) {
        bool is_named = p < scene->sim.contact.pair_count && scene->pair_named[p];
        named += is_named;
        touched += pairs[p].touch_steps > 0;
        if (!is_named || pairs[p].touch_steps > 0)
            continue;
        const char *first = pal_scene_object_name(model, pairs[p].objects[0]);
        const char *second = pal_scene_object_name(model, pairs[p].objects[1]);
        if (pairs[p].objects[0] == pairs[p].objects[1])
            pal_findings_add(remarks, NOTE, "\"%.100s\" never touched itself", first);
        else
            pal_findings_add(remarks, NOTE, "\"%.100s\" and \"%.100s\" never touched", first,
                             second);
    }
    bool general = scene->sim.contact.every_pair || scene->sim.contact.every_self;
    if ((count > named || general) && touched == 0)
        pal_findings_add(remarks, NOTE, "nothing ever touched anything");
}

static bool prevents_crossing(int32_t response, int32_t what)
{
    (void)what;
    return pal_response_prevents_crossing((PalResponseKind)response);
}

static void remark_crossings(const PalScene *scene, PalSim *sim, PalFindings *remarks)
{
    PalResponseKind response = scene->sim.contact.response;
    int32_t count = pal_sim_intersections(sim);
    if (count <= 0)
        return;
    char why[320] = "";
    if (!pal_response_prevents_crossing(response))
        snprintf(why, sizeof why, ": the response %s does not prevent that; use %s",
                 pal_response_name(response),
                 pal_choices_that(pal_response_choice, prevents_crossing, 0).text);
    pal_findings_add(remarks, NOTE, "%d pair%s of triangles cross%s at the end%s", (int)count,
                     count > 1 ? "s" : "", count > 1 ? "" : "es", why);
}

// Explicit steps bear no more than a soft push out of depths, and nothing raises it afterwards.
static void remark_depth(const PalScene *scene, const PalSim *sim, PalFindings *remarks)
{
    double worst = pal_sim_contact_report(sim).worst_of_edge;
    double allowed = scene->sim.contact.penetration;
    if (pal_method_is_implicit(pal_sim_solver(sim)->method) || !(worst > allowed))
        return;
    pal_findings_add(remarks, NOTE,
                     "surfaces got into each other by up to %s %% of the edges around them, where "
                     "%s %% were asked for: forces of response %s are too small by explicit steps; "
                     "use method: implicit-static or implicit, or response: lagrange",
                     pal_amount_digits(100 * worst, 2).text,
                     pal_amount_digits(100 * allowed, 2).text,
                     pal_response_name(scene->sim.contact.response));
}

// Whether what a probe reads is only 0 because two objects never touched: that is told already.
static bool told_by_pair(const PalSim *sim, const PalProbeDef *probe)
{
    int32_t count;
    const PalContactPairReport *pairs = pal_sim_contact_pairs(sim, &count);
    if (probe->kind != PAL_PROBE_CONTACT)
        return false;
    for (int32_t p = 0; p < count; ++p) {
        const int32_t *pair = pairs[p].objects, *asked = probe->objects;
        if ((pair[0] == asked[0] && pair[1] == asked[1]) ||
            (pair[0] == asked[1] && pair[1] == asked[0]))
            return pairs[p].touch_steps == 0;
    }
    return false;
}

#define STILL 1e-3  // kinetic energy, of all there is: more is told

static void remark_motion(PalSim *sim, PalFindings *remarks)
{
    PalEnergy energy = pal_sim_energy(sim);
    double all = energy.kinetic + energy.strain, fastest = 0;
    if (!pal_method_in_time(pal_sim_solver(sim)->method) || !(energy.kinetic > STILL * all))
        return;
    const PalState *state = pal_sim_state(sim);
    for (int32_t n = 0; n < pal_sim_model(sim)->node_count; ++n) {
        PalVec3 v = state->velocity[n];
        fastest = fmax(fastest, sqrt(v.x * v.x + v.y * v.y + v.z * v.z));
    }
    pal_findings_add(remarks, NOTE,
                     "still in motion at the end: kinetic energy is %s %% of kinetic and strain "
                     "energy, and the fastest node moves at %.3g",
                     pal_amount_digits(100 * energy.kinetic / all, 2).text, fastest);
}

static void remark_balance(const PalSim *sim, const PalRunResult *result, PalFindings *remarks)
{
    const char *advice = pal_method_in_time(pal_sim_solver(sim)->method)
                             ? "a lower safety, or a shorter step, closes it better"
                             : "shorter steps close it better, unless something snaps or slips";
    if (result->drift > PAL_BALANCED)
        pal_findings_add(remarks, NOTE,
                         "the balance of energy is off by %s %% of the largest energy at worst; %s",
                         pal_amount_digits(100 * result->drift, 2).text, advice);
}

static void remark_retries(const PalSim *sim, PalFindings *remarks)
{
    int64_t retries = pal_sim_counters(sim)->retries;
    if (retries > 0 && pal_method_is_implicit(pal_sim_solver(sim)->method))
        pal_findings_add(remarks, NOTE,
                         "%lld step%s found no equilibrium and %s tried again with half the length",
                         (long long)retries, retries > 1 ? "s" : "", retries > 1 ? "were" : "was");
    else if (retries > 0)
        pal_findings_add(remarks, NOTE,
                         "relaxation took %lld step%s back in which cells turned inside out, and "
                         "went on with slower loads or smaller steps",
                         (long long)retries, retries > 1 ? "s" : "");
}

static void remark_unstable(const PalSim *sim, PalFindings *remarks)
{
    int64_t unstable = pal_sim_counters(sim)->unstable;
    if (unstable > 0)
        pal_findings_add(remarks, NOTE,
                         "%lld of the equilibria found %s unstable: left alone, something would "
                         "buckle or snap there; method: implicit or relaxation shows where to",
                         (long long)unstable, unstable > 1 ? "are" : "is");
}

PalStatus pal_scene_closing(const PalScene *scene, PalSim *sim, const PalOutput *output,
                            PalRunResult *result, PalError *error)
{
    PalFindings remarks = {.failed = false};
    remark_crossings(scene, sim, &remarks);
    remark_depth(scene, sim, &remarks);
    remark_pairs(scene, sim, &remarks);
    remark_retries(sim, &remarks);
    remark_unstable(sim, &remarks);
    remark_balance(sim, result, &remarks);
    for (int32_t i = 0; i < scene->output.probe_count; ++i) {
        const PalProbeDef *probe = &scene->output.probes[i];
        if (pal_output_probe_silent(output, i) && !told_by_pair(sim, probe))
            pal_findings_add(&remarks, NOTE, "the probe \"%.100s\" was 0 at every output time",
                             probe->name);
    }
    remark_motion(sim, &remarks);
    if (remarks.failed) {
        pal_array_clear(&remarks.list);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the remarks of a run");
    }
    result->remark_count = remarks.list.count;
    result->remarks = remarks.list.items;
    return PAL_OK;
}
