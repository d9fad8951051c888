// What can be said before a run about how bodies come to rest: docs/theory/time.md, "Coming to
// rest".
#include "scene/check.h"

#include <palpate/vibration.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NOTE    PAL_FINDING_NOTE
#define AT_REST 0.01  // of what loads set in motion: less is not told
#define ENOUGH  10.0  // times the rate of the slowest vibration, at critical damping

static double ramp_end(const PalRamp *ramp, double end)
{
    if (ramp->kind == PAL_RAMP_STEP)
        return 0;
    if (ramp->kind == PAL_RAMP_TABLE)
        return ramp->point_count > 0 ? fmin(ramp->points[ramp->point_count - 1][0], end) : 0;
    return ramp->onward || !(ramp->until > 0) ? end : fmin(ramp->until, end);
}

// When loads and instruments change for the last time.
static double last_change(const PalScene *scene)
{
    const PalModelDef *model = &scene->sim.model;
    double end = scene->sim.solver.time, last = 0;
    for (int32_t i = 0; i < model->condition_count; ++i)
        if (scene->condition_defs[i].kind != PAL_CONDITION_FIX)
            last = fmax(last, ramp_end(&scene->condition_defs[i].ramp, end));
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalRigidDef *rigid = &scene->rigid_defs[r];
        for (int32_t i = 0; i <= rigid->further_count; ++i) {
            const PalMotionDef *motion = i == 0 ? &rigid->motion : &rigid->further[i - 1];
            PalVec3 t = motion->translation;
            if (motion->radians != 0 || t.x != 0 || t.y != 0 || t.z != 0)
                last = fmax(last, ramp_end(&motion->ramp, end));
        }
    }
    return last;
}

// What is left of a vibration after a time without changes: it fades by half the damping, or where
// that is more than critical, creeping.
static double part_left(double rate, double damping, double time)
{
    double half = damping / 2, off = sqrt(fabs(half * half - rate * rate));
    double fading = half <= rate ? half : rate * rate / (half + off);
    double near_critical = 1 + fading * time, apart = off > 0 ? fmax(half, rate) / off : INFINITY;
    return fmin(1, exp(-fading * time) * fmin(near_critical, apart));
}

// Would the scene be accepted with another method, and the response that serves it?
static bool accepts(const PalScene *scene, PalMethod method)
{
    PalSimDef def = scene->sim;
    PalSim *sim = NULL;
    PalError error = {0};
    bool implicit = pal_method_is_implicit(method);
    def.solver.method = method;
    def.solver.step = 0;
    if (implicit && def.contact.response == PAL_RESPONSE_LAGRANGE)
        def.contact.response = PAL_RESPONSE_BARRIER;
    if (pal_contact_def_touches(&def.contact) &&
        !pal_response_serves(def.contact.response, implicit))
        return false;
    PalStatus status = pal_sim_create(&def, &sim, &error);
    pal_sim_destroy(sim);
    return status == PAL_OK;
}

// The first object that may fall or drift as a whole; NULL: there is none. Damping would brake it.
static const char *loose_object(const PalScene *scene)
{
    const PalModelDef *model = &scene->sim.model;
    for (int32_t r = 0; r < model->rigid_count; ++r)
        if (pal_rigid_def_is_free(&model->rigids[r]))
            return model->rigids[r].name;
    for (int32_t b = 0; b < model->body_count; ++b)
        if (!pal_check_is_held(scene, b))
            return model->bodies[b].name;
    return NULL;
}

// Methods differ in how they resist hourglass modes where the scene does not say.
static bool bends_by_control(const PalScene *scene)
{
    for (int32_t b = 0; b < scene->sim.model.body_count; ++b)
        if (pal_element_traits(scene->body_defs[b].element)->has_hourglass &&
            scene->body_defs[b].hourglass_control == PAL_HOURGLASS_BENDING)
            return true;
    return false;
}

// What leads to a state of rest, in words.
static void advise(const PalScene *scene, double rate, double last, char *text, size_t size)
{
    const char *loose = loose_object(scene);
    bool statics = accepts(scene, PAL_METHOD_IMPLICIT_STATIC);
    bool relaxes = accepts(scene, PAL_METHOD_RELAXATION);
    char method[128] = "", span[48] = "";
    if (statics || relaxes)
        snprintf(method, sizeof method, "method: %s%s%s%s", statics ? "implicit-static" : "",
                 statics && relaxes ? " or " : "", relaxes ? "relaxation" : "",
                 bends_by_control(scene) ? " (with hourglass-control: bending, as now)" : "");
    if (last >= scene->sim.solver.time * (1 - 1e-9))
        snprintf(span, sizeof span, "span: %.4g, ", last);
    if (loose == NULL)
        snprintf(text, size, "for a state of rest use %s%s{%sdamping: %.3g, time: %.4g}", method,
                 method[0] != '\0' ? ", or solver: " : "solver: ", span, 2 * rate,
                 last + ENOUGH / rate);
    else if (method[0] != '\0')
        snprintf(text, size, "for a state of rest use %s", method);
    else
        snprintf(text, size,
                 "\"%s\" moves freely, and damping would brake its fall: for a state of rest, take "
                 "a later end, until the kinetic energy in history.csv has died down",
                 loose);
}

static void tell_rest(const PalScene *scene, double rate, PalFindings *findings)
{
    const PalSolverDef *solver = &scene->sim.solver;
    double last = last_change(scene), left = part_left(rate, solver->damping, solver->time - last);
    char advice[300], how_much[128];
    if (!(left > AT_REST))
        return;
    advise(scene, rate, last, advice, sizeof advice);
    if (last >= solver->time * (1 - 1e-9))
        snprintf(how_much, sizeof how_much,
                 "loads or instruments change until the end, so that bodies are still moving then");
    else if (solver->damping > 0)
        snprintf(how_much, sizeof how_much,
                 "about %s %% of what loads set in motion is left at the end",
                 pal_amount_digits(100 * left, 2).text);
    else
        snprintf(how_much, sizeof how_much,
                 "without damping, what loads set in motion goes on until the end");
    pal_findings_add(findings, NOTE, "%s; %s", how_much, advice);
}

PalStatus pal_check_rest(const PalScene *scene, PalSim *sim, PalFindings *findings, PalError *error)
{
    const PalModelDef *model = &scene->sim.model;
    const PalSolverDef *solver = &scene->sim.solver;
    if (!pal_method_in_time(solver->method) || !isfinite(solver->time) || model->body_count == 0)
        return PAL_OK;
    PalVibration *all = calloc((size_t)model->body_count, sizeof *all);
    if (all == NULL)
        return pal_tree_no_memory(error);
    PalStatus status = pal_sim_slowest_vibrations(sim, all, error);
    int32_t slowest = PAL_NONE;
    for (int32_t b = 0; status == PAL_OK && b < model->body_count; ++b)
        if (all[b].rate > 0 && (slowest == PAL_NONE || all[b].rate < all[slowest].rate))
            slowest = b;
    if (slowest != PAL_NONE) {
        pal_findings_add(
            findings, NOTE,
            "the slowest vibration is that of body \"%s\" by itself: a period of %s%.3g, "
            "from %d rounds of improving its shape",
            model->bodies[slowest].name, all[slowest].settled ? "" : "at least ",
            2 * acos(-1) / all[slowest].rate, (int)all[slowest].rounds);
        tell_rest(scene, all[slowest].rate, findings);
    }
    free(all);
    return status;
}
