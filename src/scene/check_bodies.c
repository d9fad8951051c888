// What can be said about the bodies and conditions of a scene before a simulation is made.
#include "scene/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NOTE    PAL_FINDING_NOTE
#define WARNING PAL_FINDING_WARNING

PalVec3 pal_check_cell_centre(const PalMesh *mesh, int32_t cell_index)
{
    int32_t count = pal_cell_node_count(mesh->cell_kind);
    PalVec3 sum = {0};
    for (int32_t a = 0; a < count; ++a) {
        PalVec3 node = mesh->nodes[mesh->cells[(int64_t)count * cell_index + a]];
        sum = (PalVec3){sum.x + node.x, sum.y + node.y, sum.z + node.z};
    }
    return (PalVec3){sum.x / count, sum.y / count, sum.z / count};
}

// Triangles have an area, which their thickness makes a volume.
static double body_volume(const PalBodyDef *def, double *mass)
{
    bool is_thin = pal_element_traits(def->element)->is_thin;
    double volume = 0;
    *mass = 0;
    for (int32_t c = 0; c < def->mesh->cell_count; ++c) {
        int32_t m = def->cell_material != NULL ? def->cell_material[c] : 0;
        double thickness =
            def->material_thickness != NULL ? def->material_thickness[m] : def->thickness;
        double own = fabs(pal_cell_volume(def->mesh, c)) * (is_thin ? thickness : 1);
        volume += own;
        *mass += def->materials[m].density * own;
    }
    return volume;
}

static void check_quality(const PalBodyDef *def, const PalMeshQuality *quality,
                          PalFindings *findings)
{
    PalVec3 at = pal_check_cell_centre(def->mesh, quality->worst_cell);
    pal_findings_add(
        findings, NOTE,
        "body \"%s\": mesh quality %.2g on average, %.2g at worst (1 is regular): cell "
        "%d at (%.4g, %.4g, %.4g); edges from %.4g to %.4g",
        def->name, quality->mean, quality->worst, (int)quality->worst_cell, at.x, at.y, at.z,
        quality->edge_min, quality->edge_max);
    if (quality->poor_count > 0)
        pal_findings_add(
            findings, WARNING,
            "body \"%s\": %d cell%s a quality below 0.1, the worst %.2g at (%.4g, %.4g, %.4g): "
            "such slivers make steps short and results poor; remesh, or set solver: mass-scaling",
            def->name, (int)quality->poor_count, quality->poor_count == 1 ? " has" : "s have",
            quality->worst, at.x, at.y, at.z);
}

static PalStatus check_parts(const PalBodyDef *def, PalFindings *findings, PalError *error)
{
    int32_t part_count = 0;
    int32_t *part = malloc((size_t)def->mesh->cell_count * sizeof *part);
    if (part == NULL)
        return pal_tree_no_memory(error);
    PalStatus status = pal_mesh_parts(def->mesh, part, &part_count, error);
    free(part);
    if (status == PAL_OK && part_count > 1)
        pal_findings_add(findings, WARNING,
                         "body \"%s\": its mesh falls into %d parts that share no node and move "
                         "independently",
                         def->name, (int)part_count);
    return status;
}

static void check_turned(const PalBodyDef *def, int32_t turned, PalFindings *findings)
{
    int32_t count = def->mesh->cell_count;
    if (turned == count)
        pal_findings_add(
            findings, NOTE,
            "body \"%s\": all cells are inside out in the file; they are turned around", def->name);
    else if (turned > 0 && pal_element_traits(def->element)->is_thin)
        pal_findings_add(findings, WARNING,
                         "body \"%s\": %d of %d triangles faced another way than the others in the "
                         "file and %s turned around",
                         def->name, (int)turned, (int)count, turned == 1 ? "is" : "are");
    else if (turned > 0)
        pal_findings_add(findings, WARNING,
                         "body \"%s\": %d of %d cells %s inside out in the file and %s turned "
                         "around: such a mesh often has cells that overlap; look at it, or remesh",
                         def->name, (int)turned, (int)count, turned == 1 ? "was" : "were",
                         turned == 1 ? "is" : "are");
}

static PalStatus check_body(const PalScene *scene, int32_t index, PalFindings *findings,
                            PalError *error)
{
    const PalBodyDef *def = &scene->body_defs[index];
    const PalSceneBody *body = &scene->bodies[index];
    PalMeshQuality quality = pal_mesh_quality(def->mesh);
    double mass, volume = body_volume(def, &mass);
    pal_findings_add(findings, NOTE,
                     "body \"%s\": %d nodes, %d elements %s, volume %.6g, mass %.6g", def->name,
                     (int)def->mesh->node_count, (int)def->mesh->cell_count,
                     pal_element_name(def->element), volume, mass);
    check_quality(def, &quality, findings);
    PAL_TRY(pal_check_element(scene, index, findings, error));
    check_turned(def, body->turned_count, findings);
    if (body->dropped_count > 0)
        pal_findings_add(findings, NOTE, "body \"%s\": %d node%s of the file %s left out",
                         def->name, (int)body->dropped_count, body->dropped_count == 1 ? "" : "s",
                         body->dropped_count == 1 ? "belongs to no cell and is"
                                                  : "belong to no cell and are");
    return check_parts(def, findings, error);
}

static bool bounds_meet(const PalBounds *a, const PalBounds *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static bool attaches(const PalConditionDef *def, int32_t a, int32_t b)
{
    return def->kind == PAL_CONDITION_ATTACH && ((def->body_index == a && def->other_body == b) ||
                                                 (def->body_index == b && def->other_body == a));
}

// Does the scene say how two are to each other?
static bool is_told(const PalScene *scene, int32_t a, int32_t b)
{
    const PalModelDef *model = &scene->sim.model;
    for (int32_t i = 0; i < model->condition_count; ++i)
        if (attaches(&model->conditions[i], a, b))
            return true;
    return pal_scene_touches(scene, a, b) || pal_scene_passes(scene, a, b);
}

static void check_overlap(const PalScene *scene, PalFindings *findings)
{
    const PalModelDef *model = &scene->sim.model;
    for (int32_t i = 0; i < model->body_count; ++i)
        for (int32_t j = i + 1; j < model->body_count; ++j) {
            if (is_told(scene, i, j))
                continue;
            PalBounds a = pal_mesh_bounds(model->bodies[i].mesh);
            PalBounds b = pal_mesh_bounds(model->bodies[j].mesh);
            if (bounds_meet(&a, &b))
                pal_findings_add(
                    findings, WARNING,
                    "bodies \"%s\" and \"%s\" may overlap at the start: their bounding boxes do",
                    model->bodies[i].name, model->bodies[j].name);
        }
}

// Two that pass through each other without the scene saying so, and how many such pairs there are.
static void check_touching(const PalScene *scene, PalFindings *findings)
{
    const PalModelDef *model = &scene->sim.model;
    int32_t objects = model->body_count + model->rigid_count, first[2] = {0, 0};
    int64_t silent = 0, pairs = 0;  // instruments have nothing to do with each other
    for (int32_t a = 0; a < objects; ++a)
        for (int32_t b = a + 1; b < objects; ++b) {
            if (pal_scene_both_prescribed(model, a, b))
                continue;
            ++pairs;
            if (is_told(scene, a, b))
                continue;
            if (silent++ == 0) {
                first[0] = a;
                first[1] = b;
            }
        }
    if (silent == 0)
        return;
    char more[80] = "";
    if (silent == 2)
        snprintf(more, sizeof more, ", and so does one other pair");
    else if (silent > 2)
        snprintf(more, sizeof more, ", and so do %lld other pairs", (long long)silent - 1);
    if (silent == pairs)
        pal_findings_add(findings, WARNING,
                         "bodies, rigid ones as well, pass through each other: no entry of contact "
                         "names them; contact: [{between: all}] keeps them apart");
    else
        pal_findings_add(findings, WARNING,
                         "\"%s\" and \"%s\" pass through each other%s: no entry of contact names "
                         "them",
                         pal_scene_object_name(model, first[0]),
                         pal_scene_object_name(model, first[1]), more);
}

// The mass of a rigid body that moves by itself.
static PalStatus check_free(const PalScene *scene, const PalRigidDef *def, PalFindings *findings,
                            PalError *error)
{
    PalRigid rigid = {0};
    PalStatus status = pal_rigid_init(def, scene->sim.solver.time, &rigid, error);
    if (status == PAL_OK && rigid.free)
        pal_findings_add(findings, NOTE,
                         "rigid \"%s\" is free: mass %.6g, centre (%.4g, %.4g, %.4g), principal "
                         "moments of inertia %.4g, %.4g, %.4g",
                         def->name, rigid.mass, rigid.centre.x, rigid.centre.y, rigid.centre.z,
                         rigid.moments[0], rigid.moments[1], rigid.moments[2]);
    if (status == PAL_OK && rigid.free)
        pal_check_rigid_weight(scene, def, rigid.mass, findings);
    pal_rigid_clear(&rigid);
    return status;
}

PalStatus pal_check_bodies(const PalScene *scene, PalFindings *findings, PalError *error)
{
    for (int32_t i = 0; i < scene->sim.model.body_count; ++i)
        PAL_TRY(check_body(scene, i, findings, error));
    for (int32_t i = 0; i < scene->sim.model.rigid_count; ++i) {
        pal_findings_add(findings, NOTE, "rigid \"%s\": %d nodes, %d triangles",
                         scene->rigid_defs[i].name, (int)scene->rigid_defs[i].mesh->node_count,
                         (int)scene->rigid_defs[i].mesh->cell_count);
        PAL_TRY(check_free(scene, &scene->rigid_defs[i], findings, error));
    }
    check_overlap(scene, findings);
    check_touching(scene, findings);
    return PAL_OK;
}

// ---- conditions -------------------------------------------------------------------------------

static const char *const words[] = {"fix",      "displace", "force",  "pressure",
                                    "traction", "gravity",  "rotate", "attach"};

static bool holds(const PalConditionDef *def)
{
    return def->kind == PAL_CONDITION_FIX || def->kind == PAL_CONDITION_DISPLACE ||
           def->kind == PAL_CONDITION_ROTATE;
}

static bool meets_others(const PalScene *scene, int32_t body)
{
    int32_t objects = scene->sim.model.body_count + scene->sim.model.rigid_count;
    for (int32_t other = 0; other < objects; ++other)
        if (other != body && pal_scene_touches(scene, body, other))
            return true;
    return false;
}

double pal_check_friction(const PalScene *scene, int32_t a, int32_t b)
{
    const PalContactDef *def = &scene->sim.contact;
    for (int32_t p = 0; p < def->pair_count; ++p) {  // counts more than the entry for all
        const int32_t *objects = def->pairs[p].objects;
        if ((objects[0] == a && objects[1] == b) || (objects[0] == b && objects[1] == a))
            return def->pairs[p].friction;
    }
    return def->every_pair_friction;
}

// Does friction hold it to anything?
static bool is_gripped(const PalScene *scene, int32_t body)
{
    int32_t objects = scene->sim.model.body_count + scene->sim.model.rigid_count;
    for (int32_t other = 0; other < objects; ++other)
        if (other != body && pal_scene_touches(scene, body, other) &&
            pal_check_friction(scene, body, other) > 0)
            return true;
    return false;
}

bool pal_check_is_held(const PalScene *scene, int32_t body_index)
{
    const PalModelDef *model = &scene->sim.model;
    bool held[3] = {false};
    for (int32_t i = 0; i < model->condition_count; ++i) {
        const PalConditionDef *def = &model->conditions[i];
        bool mine = def->body_index == body_index || def->body_index == PAL_NONE;
        // what is attached is held by the other
        bool tied = def->kind == PAL_CONDITION_ATTACH && (mine || def->other_body == body_index);
        for (int k = 0; k < 3; ++k)
            held[k] = held[k] || tied || (mine && holds(def) && def->axes[k]);
    }
    return held[0] && held[1] && held[2];
}

static bool is_loaded(const PalModelDef *model, int32_t body_index)
{
    for (int32_t i = 0; i < model->condition_count; ++i) {
        const PalConditionDef *def = &model->conditions[i];
        bool mine = def->body_index == body_index || def->body_index == PAL_NONE;
        if (mine && !holds(def) && def->kind != PAL_CONDITION_ATTACH)
            return true;
    }
    return false;
}

static void check_support(const PalScene *scene, PalFindings *findings)
{
    const PalModelDef *model = &scene->sim.model;
    bool to_rest = !pal_method_in_time(scene->sim.solver.method);
    for (int32_t b = 0; b < model->body_count; ++b) {
        if (pal_check_is_held(scene, b))
            continue;
        bool touches = meets_others(scene, b), loaded = is_loaded(model, b) && !touches;
        bool gripped = touches && is_gripped(scene, b);
        if (to_rest && touches)
            pal_findings_add(findings, gripped ? NOTE : WARNING,
                             "body \"%s\" is not held in every direction: contact has to hold it%s",
                             model->bodies[b].name,
                             gripped ? ""
                                     : ", and without friction it may come to rest anywhere, far "
                                       "aside as well");
        else if (to_rest)
            pal_findings_add(findings, WARNING,
                             "body \"%s\" is not held in every direction: %s may find no "
                             "equilibrium",
                             model->bodies[b].name, pal_method_name(scene->sim.solver.method));
        else
            pal_findings_add(findings, loaded ? WARNING : NOTE,
                             "body \"%s\" is not held in every direction%s", model->bodies[b].name,
                             loaded ? ": its loads may carry it away" : "");
    }
}

static int32_t count_common(const int32_t *a, int32_t a_count, const int32_t *b, int32_t b_count)
{
    int32_t common = 0;
    for (int32_t i = 0, j = 0; i < a_count && j < b_count;) {
        common += a[i] == b[j];
        int32_t left = a[i], right = b[j];
        i += left <= right;
        j += right <= left;
    }
    return common;
}

// Prescriptions of one node's component add up, which is seldom meant.
static PalStatus check_pair(const PalScene *scene, int32_t i, int32_t j, PalFindings *findings,
                            PalError *error)
{
    const PalConditionDef *a = &scene->condition_defs[i], *b = &scene->condition_defs[j];
    bool shared = false;
    for (int k = 0; k < 3; ++k)
        shared = shared || (a->axes[k] && b->axes[k]);
    if (!shared || a->body_index != b->body_index ||
        (a->kind == PAL_CONDITION_FIX && b->kind == PAL_CONDITION_FIX))
        return PAL_OK;
    int32_t *first = NULL, *second = NULL, first_count = 0, second_count = 0;
    const PalMesh *mesh = scene->body_defs[a->body_index].mesh;
    PalStatus status = pal_mesh_select_nodes(mesh, &a->where, &first, &first_count, error);
    if (status == PAL_OK)
        status = pal_mesh_select_nodes(mesh, &b->where, &second, &second_count, error);
    int32_t common = status == PAL_OK ? count_common(first, first_count, second, second_count) : 0;
    free(first);
    free(second);
    if (common > 0)
        pal_findings_add(
            findings, WARNING,
            "conditions.%d (%s) and conditions.%d (%s) both prescribe %d node%s of body \"%s\": "
            "their displacements add up",
            (int)i, words[a->kind], (int)j, words[b->kind], (int)common, common == 1 ? "" : "s",
            scene->body_defs[a->body_index].name);
    return status;
}

// Models of other programs may have thousands, a line for each node: the first ones are enough.
enum { NOTED = 50 };

static void note_condition(const PalScene *scene, int32_t index, PalFindings *findings)
{
    const PalConditionDef *def = &scene->condition_defs[index];
    double end = scene->sim.solver.time;
    if (def->kind != PAL_CONDITION_GRAVITY && index < NOTED)
        pal_findings_add(findings, NOTE, "conditions.%d (%s): %d node%s of body \"%s\"", (int)index,
                         words[def->kind], (int)scene->condition_node_counts[index],
                         scene->condition_node_counts[index] == 1 ? "" : "s",
                         scene->body_defs[def->body_index].name);
    if (def->ramp.until > end * (1 + 1e-12))
        pal_findings_add(
            findings, WARNING,
            "conditions.%d (%s): its ramp lasts until %g, but the simulation ends at %g",
            (int)index, words[def->kind], def->ramp.until, end);
}

// A model of another program says when its motions end, and lets them go on.
static void check_motions(const PalRigidDef *rigid, double end, PalFindings *findings)
{
    for (int32_t i = 0; i <= rigid->further_count; ++i) {
        const PalRamp *ramp = i == 0 ? &rigid->motion.ramp : &rigid->further[i - 1].ramp;
        if (ramp->until > end * (1 + 1e-12) && !ramp->onward)
            pal_findings_add(findings, WARNING,
                             "rigid \"%s\": the ramp of motion %d lasts until %g, but the "
                             "simulation ends at %g",
                             rigid->name, (int)i + 1, ramp->until, end);
    }
}

// Where a point is: in a cell, or how far outside.
static void note_point(const PalScene *scene, const PalProbeDef *probe, const PalMeshPlace *place,
                       PalFindings *findings)
{
    const PalBodyDef *body = &scene->body_defs[probe->body_index];
    const PalMesh *mesh = body->mesh;
    PalVec3 at = {0, 0, 0};
    double longest = 0;
    for (int32_t k = 0; k < place->node_count; ++k) {
        PalVec3 x = mesh->nodes[place->nodes[k]], y = mesh->nodes[place->nodes[0]];
        at.x += place->weights[k] * x.x;
        at.y += place->weights[k] * x.y;
        at.z += place->weights[k] * x.z;
        longest = fmax(longest, hypot(hypot(x.x - y.x, x.y - y.y), x.z - y.z));
    }
    if (place->distance <= 1e-6 * longest)
        pal_findings_add(findings, NOTE,
                         "probe \"%s\": the point (%.6g, %.6g, %.6g) in cell %d of body \"%s\"",
                         probe->name, at.x, at.y, at.z, (int)place->cell_index, body->name);
    else
        pal_findings_add(findings, place->distance > longest ? WARNING : NOTE,
                         "probe \"%s\" is %.3g outside of body \"%s\": it is taken at the nearest "
                         "point of it, (%.6g, %.6g, %.6g) on cell %d",
                         probe->name, place->distance, body->name, at.x, at.y, at.z,
                         (int)place->cell_index);
}

static void note_probe(const PalScene *scene, int32_t index, PalFindings *findings)
{
    const PalModelDef *model = &scene->sim.model;
    const PalProbeDef *probe = &scene->probe_defs[index];
    int32_t count = scene->probe_node_counts[index];
    PalMeshPlace place;
    bool is_point = probe->where.kind == PAL_WHERE_POINT && probe->record != PAL_RECORD_FORCE;
    switch (probe->kind) {
    case PAL_PROBE_NODES:
        if (is_point && pal_mesh_locate(scene->body_defs[probe->body_index].mesh,
                                        probe->where.point, &place, NULL) == PAL_OK)
            note_point(scene, probe, &place, findings);
        else
            pal_findings_add(findings, NOTE, "probe \"%s\": %d node%s of body \"%s\"", probe->name,
                             count, count == 1 ? "" : "s", model->bodies[probe->body_index].name);
        break;
    case PAL_PROBE_RIGID:
        pal_findings_add(findings, NOTE, "probe \"%s\": rigid \"%s\"", probe->name,
                         model->rigids[probe->rigid_index].name);
        break;
    case PAL_PROBE_CONTACT:
        pal_findings_add(findings, NOTE, "probe \"%s\": what \"%s\" does to \"%s\"", probe->name,
                         pal_scene_object_name(model, probe->objects[1]),
                         pal_scene_object_name(model, probe->objects[0]));
        break;
    }
}

PalStatus pal_check_conditions(const PalScene *scene, PalFindings *findings, PalError *error)
{
    int32_t count = scene->sim.model.condition_count;
    for (int32_t i = 0; i < count; ++i)
        note_condition(scene, i, findings);
    if (count > NOTED)
        pal_findings_add(findings, NOTE, "and %d more conditions", (int)(count - NOTED));
    for (int32_t i = 0; i < count; ++i)
        for (int32_t j = i + 1; holds(&scene->condition_defs[i]) && j < count; ++j)
            if (holds(&scene->condition_defs[j]))
                PAL_TRY(check_pair(scene, i, j, findings, error));
    for (int32_t i = 0; i < scene->output.probe_count; ++i)
        note_probe(scene, i, findings);
    check_support(scene, findings);
    pal_check_weights(scene, findings);
    for (int32_t i = 0; i < scene->sim.model.rigid_count; ++i)
        check_motions(&scene->rigid_defs[i], scene->sim.solver.time, findings);
    return PAL_OK;
}
