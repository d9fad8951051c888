// What can be said before a run about how bodies are moved.
#include "math/vec3.h"
#include "scene/check.h"

#include <math.h>

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
                         "of %.3g: this sends a wave of about %s %% strain through it; the ramp "
                         "smooth comes to rest by itself",
                         body->name, kink.time, speed, pal_amount_digits(100 * strain, 2).text);
    }
}

double pal_check_way(const PalRigid *rigid, double time)
{
    enum { LOOKS = 200, NODES = 50 };
    double most = 0;
    int32_t count = rigid->free ? 0 : rigid->mesh->node_count;
    for (int32_t n = 0; n < count; n += 1 + count / NODES) {
        PalVec3 before = pal_rigid_position(rigid, 0, rigid->mesh->nodes[n]);
        double way = 0;
        for (int look = 1; look <= LOOKS; ++look) {
            PalVec3 now = pal_rigid_position(rigid, time * look / LOOKS, rigid->mesh->nodes[n]);
            way += pal_vec3_distance(before, now);
            before = now;
        }
        most = fmax(most, way);
    }
    return most;
}
