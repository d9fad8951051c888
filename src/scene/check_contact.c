// What `check` says of contact: who touches whom, and how they stand to each other at the start.
#include "math/vec3.h"
#include "scene/check.h"

#include <math.h>
#include <stdio.h>

#define WIDE   0.1   // separations above this part of the shortest edge are warned of
#define NARROW 1e-6  // and those below this part of the mean edge
#define SLIGHT 2     // of the separation: moves up to this are told with the pair alone
#define LITTLE 1e-3  // of a body's mass: what moves change by less is not told either
#define MUCH   0.1   // and by more is warned of
#define ROUGH  5     // friction above this is no friction
#define FEW    3     // edges: instruments of smaller radius slide from one to the next

// ---- what touches what ------------------------------------------------------------------------

enum { LISTED = 8 };  // pairs, after which they are only counted

typedef struct Listing {
    const PalModelDef *model;
    char text[380];
    int used;
    int64_t count;
} Listing;

static void list_pair(Listing *listing, const PalContactPairDef *pair, bool on)
{
    if (listing->count++ >= LISTED)
        return;
    bool self = pair->objects[0] == pair->objects[1];
    const char *second = pal_scene_object_name(listing->model, pair->objects[1]);
    char friction[32] = "off";
    if (on)
        snprintf(friction, sizeof friction, "friction %g", pair->friction);
    int room = (int)sizeof listing->text - listing->used;
    int length = snprintf(listing->text + listing->used, (size_t)room, "%s %.40s - %.40s %s",
                          listing->count > 1 ? ";" : "",
                          pal_scene_object_name(listing->model, pair->objects[0]),
                          self ? "itself" : second, friction);
    if (length < room)
        listing->used += length;
    else
        listing->text[listing->used] = '\0';
}

void pal_check_pairs(const PalScene *scene, PalFindings *findings)
{
    const PalContactDef *contact = &scene->sim.contact;
    Listing listing = {.model = &scene->sim.model};
    for (int32_t p = 0; p < contact->pair_count; ++p)
        if (contact->pairs[p].friction >= 0)
            list_pair(&listing, &contact->pairs[p], true);
    for (int32_t p = 0; p < scene->off_pair_count; ++p)
        list_pair(&listing, &scene->off_pairs[p], false);
    int32_t objects = scene->sim.model.body_count + scene->sim.model.rigid_count;
    if (contact->every_pair)
        pal_findings_add(findings, PAL_FINDING_NOTE, "contact: each two of %d objects, friction %g",
                         (int)objects, contact->every_pair_friction);
    if (contact->every_self)
        pal_findings_add(findings, PAL_FINDING_NOTE,
                         "contact: each of %d bodies with itself, friction %g",
                         (int)scene->sim.model.body_count, contact->every_self_friction);
    double general = fmax(contact->every_pair ? contact->every_pair_friction : 0,
                          contact->every_self ? contact->every_self_friction : 0);
    if (general > ROUGH)
        pal_findings_add(findings, PAL_FINDING_WARNING,
                         "the friction %g between all lets nothing slip: coefficients of real "
                         "surfaces are below 2",
                         general);
    char more[48] = "";
    if (listing.count > LISTED)
        snprintf(more, sizeof more, "; and %s more",
                 pal_amount_count((double)(listing.count - LISTED)).text);
    if (listing.count > 0)
        pal_findings_add(findings, PAL_FINDING_NOTE, "contact:%s%s", listing.text, more);
    for (int32_t p = 0; p < contact->pair_count; ++p) {
        if (contact->pairs[p].friction <= ROUGH)
            continue;
        pal_findings_add(findings, PAL_FINDING_WARNING,
                         "the friction %g between \"%.60s\" and \"%.60s\" lets nothing slip: "
                         "coefficients of real surfaces are below 2",
                         contact->pairs[p].friction,
                         pal_scene_object_name(&scene->sim.model, contact->pairs[p].objects[0]),
                         pal_scene_object_name(&scene->sim.model, contact->pairs[p].objects[1]));
        return;
    }
}

// ---- instruments that go nowhere --------------------------------------------------------------

static double box_distance(const PalBounds *a, const PalBounds *b)
{
    PalVec3 gap = {fmax(fmax(a->lower.x - b->upper.x, b->lower.x - a->upper.x), 0),
                   fmax(fmax(a->lower.y - b->upper.y, b->lower.y - a->upper.y), 0),
                   fmax(fmax(a->lower.z - b->upper.z, b->lower.z - a->upper.z), 0)};
    return pal_vec3_length(gap);
}

// Around the corners of the box an instrument starts in, at a time.
static PalBounds box_at(const PalRigid *rigid, const PalBounds *start, double time)
{
    PalBounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int corner = 0; corner < 8; ++corner) {
        PalVec3 at = {corner & 1 ? start->upper.x : start->lower.x,
                      corner & 2 ? start->upper.y : start->lower.y,
                      corner & 4 ? start->upper.z : start->lower.z};
        at = pal_rigid_position(rigid, time, at);
        box.lower =
            (PalVec3){fmin(box.lower.x, at.x), fmin(box.lower.y, at.y), fmin(box.lower.z, at.z)};
        box.upper =
            (PalVec3){fmax(box.upper.x, at.x), fmax(box.upper.y, at.y), fmax(box.upper.z, at.z)};
    }
    return box;
}

static double nearest_approach(const PalScene *scene, const PalModel *model, const PalRigid *rigid,
                               int32_t object)
{
    enum { TIMES = 200 };
    PalBounds start = pal_mesh_bounds(rigid->mesh);
    double least = INFINITY;
    for (int32_t b = 0; b < model->body_count; ++b) {
        if (!pal_scene_touches(scene, b, object))
            continue;
        PalBounds body = pal_mesh_bounds(model->bodies[b].mesh);
        for (int i = 0; i <= TIMES; ++i) {
            PalBounds box = box_at(rigid, &start, model->end_time * i / TIMES);
            least = fmin(least, box_distance(&box, &body));
        }
    }
    return least;
}

static void check_paths(const PalScene *scene, const PalSim *sim, PalFindings *findings)
{
    const PalModel *model = pal_sim_model(sim);
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalRigid *rigid = &model->rigids[r];
        if (rigid->free)
            continue;  // nobody knows where it goes
        PalBounds box = pal_mesh_bounds(rigid->mesh);
        double size = pal_vec3_distance(box.lower, box.upper);
        double least = nearest_approach(scene, model, rigid, model->body_count + r);
        if (isfinite(least) && least > size)
            pal_findings_add(findings, PAL_FINDING_NOTE,
                             "rigid \"%.100s\" stays %.3g or more away from the bodies it may "
                             "touch, as they are at the start: more than its own size, %.3g",
                             rigid->name, least, size);
    }
}

// ---- instruments hardly larger than facets ----------------------------------------------------

// Half of its second extent: a ball's or a finger's radius, and not how thick a plate is.
static double radius_of(const PalRigid *rigid)
{
    PalBounds box = pal_mesh_bounds(rigid->mesh);
    PalVec3 e = pal_vec3_sub(box.upper, box.lower);
    double least = fmin(e.x, fmin(e.y, e.z)), most = fmax(e.x, fmax(e.y, e.z));
    return (e.x + e.y + e.z - least - most) / 2;
}

// To what slides over few edges, each of them is an obstacle, and what hangs on one or slips over
// it is decided by less than steps are worth.
static void check_sizes(const PalScene *scene, const PalSim *sim, PalFindings *findings)
{
    const PalModel *model = pal_sim_model(sim);
    if (!pal_method_is_implicit(scene->sim.solver.method))
        return;
    for (int32_t r = 0; r < model->rigid_count; ++r) {
        const PalRigid *rigid = &model->rigids[r];
        double radius = radius_of(rigid);
        if (!(pal_check_way(rigid, model->end_time) > 2 * radius))
            continue;  // it hardly slides
        for (int32_t b = 0; b < model->body_count; ++b) {
            int32_t object = model->body_count + r;
            double friction = pal_check_friction(scene, b, object);
            double edge = pal_mesh_quality(model->bodies[b].mesh).edge_mean;
            if (friction > 0 && pal_scene_touches(scene, b, object) && radius < FEW * edge)
                pal_findings_add(findings, PAL_FINDING_NOTE,
                                 "rigid \"%.60s\" has a radius of only %s edges of body \"%.60s\", "
                                 "and friction %g: while it slides, forces jump as it hangs on "
                                 "edges and slips over them. Peaks between the ends of steps are "
                                 "not seen and may be a tenth higher, and where it hangs in the "
                                 "end may depend on the steps; compare a run with more steps, or "
                                 "refine the body",
                                 rigid->name, pal_amount_digits(radius / edge, 2).text,
                                 model->bodies[b].name, friction);
        }
    }
}

// ---- how objects stand to each other at the start ---------------------------------------------

// Two bodies, or two that move by themselves, never hold each other: one is an instrument.
static bool is_instrument(const PalModelDef *model, int32_t object)
{
    int32_t r = object - model->body_count;
    return r >= 0 && !(model->rigids[r].mass > 0) && !(model->rigids[r].density > 0);
}

static void add_held(const PalScene *scene, const PalOverlap *overlap, PalFindings *findings)
{
    const PalModelDef *model = &scene->sim.model;
    int holder = is_instrument(model, overlap->objects[1]);
    pal_findings_add(findings, PAL_FINDING_NOTE,
                     "\"%.100s\" lies inside \"%.100s\", which is taken as hollow: it is kept "
                     "inside",
                     pal_scene_object_name(model, overlap->objects[!holder]),
                     pal_scene_object_name(model, overlap->objects[holder]));
}

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
    if (overlap->held)
        add_held(scene, overlap, findings);
    if (overlap->inside_count + overlap->crossing_count == 0) {
        if (overlap->near_count == 0)
            return;
        pal_findings_add(findings, PAL_FINDING_NOTE,
                         "%s %stouch at the start, at %d node%s, as at (%.4g, %.4g, %.4g), and are "
                         "moved apart before a run, by %.2g",
                         who, overlap->gap > separation / 2 ? "nearly " : "", overlap->near_count,
                         overlap->near_count == 1 ? "" : "s", p.x, p.y, p.z,
                         separation - overlap->gap);
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

// A given one that surfaces cannot keep: facets cannot follow a wide one, rounding eats a narrow
// one.
static void check_separation(double separation, double shortest, double mean, PalFindings *findings)
{
    if (separation > WIDE * shortest)
        pal_findings_add(
            findings, PAL_FINDING_WARNING,
            "the separation %.3g is more than a tenth of the shortest edge in contact, %.3g: a gap "
            "between surfaces will be visible; the default is 0.002 of the mean edge, %.3g",
            separation, shortest, 0.002 * mean);
    else if (separation < NARROW * mean)
        pal_findings_add(
            findings, PAL_FINDING_WARNING,
            "the separation %.3g is less than a millionth of the mean edge, %.3g, and rounding "
            "errors may exceed it; the default is 0.002 of the mean edge, %.3g",
            separation, mean, 0.002 * mean);
}

PalStatus pal_check_overlaps(const PalScene *scene, PalFindings *findings, PalError *error)
{
    if (!pal_contact_def_touches(&scene->sim.contact))
        return PAL_OK;
    PalModel *model = NULL;
    PalOverlaps overlaps = {0};
    PalError inner = {0};
    PalStatus status = pal_model_create(&scene->sim.model, &model, &inner);
    if (status == PAL_OK)
        status = pal_overlaps_find(&scene->sim.contact, model, &overlaps, &inner);
    if (status == PAL_OK && scene->sim.contact.separation > 0)
        check_separation(overlaps.separation, overlaps.shortest_edge, overlaps.mean_edge, findings);
    for (int32_t i = 0; i < overlaps.count; ++i)
        add_overlap(scene, &overlaps.items[i], overlaps.separation, findings);
    pal_overlaps_clear(&overlaps);
    pal_model_destroy(model);
    // what is wrong with the model is told when the simulation is set up
    return status == PAL_NO_MEMORY ? pal_error_set(error, status, "%s", inner.text) : PAL_OK;
}

void pal_check_separation(const PalScene *scene, const PalSim *sim, PalFindings *findings)
{
    PalContactReport report = pal_sim_contact_report(sim);
    if (report.separation > 0 && scene->sim.contact.separation > 0)
        check_separation(report.separation, report.shortest_edge, report.mean_edge, findings);
}

void pal_check_contact(const PalScene *scene, const PalSim *sim, PalFindings *findings)
{
    PalContactReport report = pal_sim_contact_report(sim);
    if (report.separation > 0)
        pal_findings_add(findings, PAL_FINDING_NOTE, "surfaces in contact rest %.3g apart",
                         report.separation);
    if (report.stiffness > 0)
        pal_findings_add(findings, PAL_FINDING_NOTE,
                         "contact pushes where gaps are below %.3g, with a stiffness of %.3g",
                         report.range, report.stiffness);
    double change = fabs(report.mass_change);
    if (report.largest_move > SLIGHT * report.separation || change > LITTLE)
        pal_findings_add(
            findings, change > MUCH ? PAL_FINDING_WARNING : PAL_FINDING_NOTE,
            "%s node%s moved at the start, by at most %.3g, so that nothing overlaps; this changes "
            "volumes and masses, most of all that of \"%.60s\", by %+.2g %%",
            pal_amount_count(report.moved_count).text, report.moved_count == 1 ? " is" : "s are",
            report.largest_move, pal_sim_model(sim)->bodies[report.mass_change_body].name,
            100 * report.mass_change);
    if (report.largest_rigid_move > SLIGHT * report.separation)
        pal_findings_add(findings, PAL_FINDING_NOTE,
                         "%s free rigid bod%s moved at the start, by at most %.3g, so that nothing "
                         "overlaps",
                         pal_amount_count(report.moved_rigid_count).text,
                         report.moved_rigid_count == 1 ? "y is" : "ies are",
                         report.largest_rigid_move);
    check_paths(scene, sim, findings);
    check_sizes(scene, sim, findings);
}
