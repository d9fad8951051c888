// Weights against what tissue can bear: wrong units show here first.
#include "scene/check.h"

#include <math.h>

#define WARNING  PAL_FINDING_WARNING
#define HEAVY    2     // of Young's modulus: more pressure by weight flattens a body
#define EARTH    9.81  // gravity in metres and seconds
#define THIN_AIR 20    // density in kg/m3 that no tissue has
#define UNMOVED  0.01  // of a body: waves that come no farther in the whole run leave it as it was

static double young_of(const PalMaterialDef *material)
{
    double shear, bulk;
    pal_material_moduli(material, &shear, &bulk);
    return 9 * bulk * shear / (3 * bulk + shear);
}

// What a body presses itself with, by its own weight, against what it can bear.
static void check_weight(const PalScene *scene, const PalConditionDef *gravity, int32_t index,
                         PalFindings *findings)
{
    const PalBodyDef *body = &scene->body_defs[index];
    PalVec3 g = gravity->value;
    double strength = sqrt(g.x * g.x + g.y * g.y + g.z * g.z), low = INFINITY, high = -INFINITY;
    double stiffest = 0, heaviest = 0;
    for (int32_t m = 0; m < body->material_count; ++m) {
        stiffest = fmax(stiffest, young_of(&body->materials[m]));
        heaviest = fmax(heaviest, body->materials[m].density);
    }
    for (int32_t n = 0; n < body->mesh->node_count; ++n) {
        PalVec3 p = body->mesh->nodes[n];
        double height = (p.x * g.x + p.y * g.y + p.z * g.z) / strength;
        low = fmin(low, height);
        high = fmax(high, height);
    }
    double pressure = heaviest * strength * (high - low);
    if (fabs(strength / EARTH - 1) < 0.02 && heaviest < THIN_AIR)
        pal_findings_add(
            findings, WARNING,
            "body \"%s\" has density %.3g where gravity is %.3g: in metres and seconds "
            "density is in kg/m3, and water has 1000; check the units",
            body->name, heaviest, strength);
    if (strength > 0 && pressure > HEAVY * stiffest)
        pal_findings_add(findings, WARNING,
                         "body \"%s\" weighs too much for its stiffness: density x gravity x "
                         "height is %.3g, Young's modulus %.3g; check the units",
                         body->name, pressure, stiffest);
}

// How far waves come in the time of a run that follows motion.
static void check_waves(const PalScene *scene, const PalBodyDef *body, PalFindings *findings)
{
    const PalSolverDef *solver = &scene->sim.solver;
    PalBounds box = pal_mesh_bounds(body->mesh);
    double size =
        fmax(fmax(box.upper.x - box.lower.x, box.upper.y - box.lower.y), box.upper.z - box.lower.z);
    double fastest = 0, heaviest = 0, stiffest = 0;
    for (int32_t m = 0; m < body->material_count; ++m) {
        double young = young_of(&body->materials[m]), density = body->materials[m].density;
        fastest = fmax(fastest, sqrt(young / density));
        stiffest = fmax(stiffest, young);
        heaviest = fmax(heaviest, density);
    }
    double way = fastest * solver->time;
    if (pal_method_in_time(solver->method) && way < UNMOVED * size)
        pal_findings_add(findings, WARNING,
                         "body \"%s\" has no time to deform: until the end waves go %.3g through "
                         "it, and it is %.3g long (density %.3g, Young's modulus %.3g, time %.3g); "
                         "check the units",
                         body->name, way, size, heaviest, stiffest, solver->time);
}

void pal_check_weights(const PalScene *scene, PalFindings *findings)
{
    for (int32_t b = 0; b < scene->sim.model.body_count; ++b)
        check_waves(scene, &scene->body_defs[b], findings);
    for (int32_t i = 0; i < scene->sim.model.condition_count; ++i) {
        const PalConditionDef *def = &scene->condition_defs[i];
        for (int32_t b = 0; b < scene->sim.model.body_count; ++b)
            if (def->kind == PAL_CONDITION_GRAVITY &&
                (def->body_index == b || def->body_index == PAL_NONE))
                check_weight(scene, def, b, findings);
    }
}

// The shadow a surface casts along a direction, as a box.
static double footprint(const PalMesh *mesh, PalVec3 along)
{
    PalBounds box = pal_mesh_bounds(mesh);
    double wide = box.upper.x - box.lower.x, deep = box.upper.y - box.lower.y;
    double tall = box.upper.z - box.lower.z;
    return fabs(along.x) * deep * tall + fabs(along.y) * wide * tall + fabs(along.z) * wide * deep;
}

void pal_check_rigid_weight(const PalScene *scene, const PalRigidDef *rigid, double mass,
                            PalFindings *findings)
{
    const PalModelDef *model = &scene->sim.model;
    int32_t object = model->body_count + (int32_t)(rigid - scene->rigid_defs);
    double pressure = 0, softest = INFINITY;
    const char *name = NULL;
    for (int32_t i = 0; i < model->condition_count; ++i) {
        PalVec3 g = scene->condition_defs[i].value;
        double strength = sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
        if (scene->condition_defs[i].kind != PAL_CONDITION_GRAVITY || !(strength > 0) ||
            scene->condition_defs[i].body_index != PAL_NONE)
            continue;
        PalVec3 along = {g.x / strength, g.y / strength, g.z / strength};
        pressure = fmax(pressure, mass * strength / footprint(rigid->mesh, along));
    }
    for (int32_t b = 0; b < model->body_count; ++b)
        for (int32_t m = 0; m < scene->body_defs[b].material_count; ++m) {
            double young = young_of(&scene->body_defs[b].materials[m]);
            if (young < softest && pal_scene_touches(scene, b, object)) {
                softest = young;
                name = scene->body_defs[b].name;
            }
        }
    if (name != NULL && pressure > HEAVY * softest)
        pal_findings_add(findings, WARNING,
                         "rigid \"%s\" weighs too much for body \"%s\": its weight over its "
                         "footprint is %.3g, Young's modulus %.3g; check mass and units",
                         rigid->name, name, pressure, softest);
}
