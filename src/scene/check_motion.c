// What can be said before a run about how bodies are moved, and how they come to rest.
#include "math/vec3.h"
#include "scene/check.h"

#include <palpate/vibration.h>

#include <math.h>
#include <stdlib.h>

#define NOTE    PAL_FINDING_NOTE
#define WARNING PAL_FINDING_WARNING
#define BLOW    0.01  // strain of the wave that a sudden stop sends out: more is warned of

// A ramp that stops before the end, or at it, with a speed: when, and how much of its factor passes
// in a unit of time before.
typedef struct Kink {
    double time, rate;
} Kink;

static Kink last_of_table(const PalRamp *ramp, double end)
{
    Kink kink = {0, 0};
    for (int32_t i = 0; i + 1 < ramp->point_count; ++i) {
        const double *p = ramp->points[i], *q = ramp->points[i + 1];
        if (p[0] < end && q[1] != p[1])
            kink = (Kink){fmin(q[0], end), fabs(q[1] - p[1]) / (q[0] - p[0])};
    }
    return kink;
}

static Kink find_kink(const PalRamp *ramp, double end)
{
    double until = ramp->until > 0 ? ramp->until : end;
    bool stops = !ramp->onward && until <= end * (1 + 1e-9) && until > ramp->from;
    if (ramp->kind == PAL_RAMP_TABLE)
        return last_of_table(ramp, end);
    if (!stops || (ramp->kind != PAL_RAMP_LINEAR && ramp->kind != PAL_RAMP_HILLY))
        return (Kink){0, 0};
    return (Kink){fmin(until, end), 1 / (until - ramp->from)};
}

// How fast pressure travels, where it is slowest.
static double wave_speed(const PalBodyDef *body)
{
    double slowest = INFINITY;
    for (int32_t m = 0; m < body->material_count; ++m) {
        double shear, bulk;
        pal_material_moduli(&body->materials[m], &shear, &bulk);
        slowest = fmin(slowest, sqrt((bulk + 4 * shear / 3) / body->materials[m].density));
    }
    return slowest;
}

static double length_along(const PalConditionDef *def)
{
    double square = 0;
    for (int i = 0; i < 3; ++i)
        square += def->axes[i] ? pow(pal_vec3_at(def->value, i), 2) : 0;
    return sqrt(square);
}

void pal_check_ramps(const PalScene *scene, PalFindings *findings)
{
    const PalModelDef *model = &scene->sim.model;
    double end = scene->sim.solver.time;
    if (!pal_method_in_time(scene->sim.solver.method))
        return;
    for (int32_t i = 0; i < model->condition_count; ++i) {
        const PalConditionDef *def = &scene->condition_defs[i];
        if (def->kind != PAL_CONDITION_DISPLACE || def->body_index == PAL_NONE)
            continue;
        const PalBodyDef *body = &scene->body_defs[def->body_index];
        Kink kink = find_kink(&def->ramp, end);
        double speed = kink.rate * length_along(def), strain = speed / wave_speed(body);
        if (!(speed > 0))
            continue;
        pal_findings_add(findings, strain > BLOW ? WARNING : NOTE,
                         "a displacement of body \"%s\" stops suddenly at time %.4g, from a speed "
                         "of %.3g: this sends a wave of about %.2g %% strain through it; the ramp "
                         "smooth comes to rest by itself",
                         body->name, kink.time, speed, 100 * strain);
    }
}

// ---- rest -------------------------------------------------------------------------------

#define AT_REST 0.01  // of what loads set in motion: less is not told

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

// How fast a vibration fades: by half the damping, or where that is more than critical, creeping.
static double fading(double rate, double damping)
{
    double half = damping / 2;
    return half <= rate ? half : rate * rate / (half + sqrt(half * half - rate * rate));
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
        double rate = all[slowest].rate, last = last_change(scene),
               fades = fading(rate, solver->damping);
        double left = exp(-fades * fmax(solver->time - last, 0));
        pal_findings_add(
            findings, NOTE,
            "the slowest vibration is that of body \"%s\" by itself: a period of %s%.3g, "
            "from %d rounds of improving its shape",
            model->bodies[slowest].name, all[slowest].settled ? "" : "at least ",
            2 * acos(-1) / rate, (int)all[slowest].rounds);
        if (left > AT_REST)
            pal_findings_add(findings, NOTE,
                             "%.3g %% of what loads set in motion is left at the end; for a state "
                             "of rest use method: implicit-static or relaxation, or damping %.3g "
                             "until time %.3g",
                             100 * left, 2 * rate, last + 7 / rate);
    }
    free(all);
    return status;
}
