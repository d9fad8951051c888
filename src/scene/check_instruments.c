// Instruments go where they are told to and never give way: `check` tells of those that pass
// through each other.
#include "base/memory.h"
#include "math/vec3.h"
#include "scene/check.h"
#include <palpate/geometry.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI     3.14159265358979323846
#define TOUCH  1e-6  // of an instrument's size: what overlaps by less only touches
#define CLOSED 0.99  // of all directions: a surface seen in so many of them is all around

enum { LOOKS = 200, TOLD = 8 };

typedef struct Facet {
    PalBounds box;
    PalVec3 corners[3];
    int side;  // which of the two
} Facet;

typedef struct Look {
    const PalModel *model;
    int32_t *first;    // per instrument: its first node among those of all
    PalVec3 *places;   // per node of all instruments
    Facet *facets;     // those of two that may meet
    PalBounds *swept;  // per instrument: where it ever is
    bool *touches;     // per instrument: it is in contact with anything
    int32_t told;
} Look;

// ---- where an instrument is -------------------------------------------------------------------

static PalBounds no_box(void)
{
    return (PalBounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void take_in(PalBounds *box, PalVec3 x)
{
    box->lower =
        pal_vec3(fmin(box->lower.x, x.x), fmin(box->lower.y, x.y), fmin(box->lower.z, x.z));
    box->upper =
        pal_vec3(fmax(box->upper.x, x.x), fmax(box->upper.y, x.y), fmax(box->upper.z, x.z));
}

static bool boxes_meet(const PalBounds *a, const PalBounds *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static bool box_holds(const PalBounds *box, PalVec3 x)
{
    PalBounds point = {x, x};
    return boxes_meet(box, &point);
}

static double time_of(const Look *look, int i)
{
    return look->model->end_time * i / LOOKS;
}

static PalVec3 corner_of(const PalBounds *box, int corner)
{
    return pal_vec3(corner & 1 ? box->upper.x : box->lower.x,
                    corner & 2 ? box->upper.y : box->lower.y,
                    corner & 4 ? box->upper.z : box->lower.z);
}

// Around the corners of the box an instrument starts in.
static PalBounds box_at(const PalRigid *rigid, const PalBounds *start, double time)
{
    PalPose pose = pal_rigid_pose(rigid, time);
    PalBounds box = no_box();
    for (int corner = 0; corner < 8; ++corner)
        take_in(&box, pal_pose_apply(&pose, corner_of(start, corner)));
    return box;
}

static PalBounds find_swept(const Look *look, const PalRigid *rigid)
{
    PalBounds start = pal_mesh_bounds(rigid->mesh), swept = no_box();
    for (int i = 0; i <= (rigid->motion_count > 0 ? LOOKS : 0); ++i) {
        PalBounds box = box_at(rigid, &start, time_of(look, i));
        take_in(&swept, box.lower);
        take_in(&swept, box.upper);
    }
    return swept;
}

// Puts an instrument where it is at a time, made smaller about its middle.
static PalBounds place(const Look *look, int32_t r, double time, double scale)
{
    const PalRigid *rigid = &look->model->rigids[r];
    PalBounds start = pal_mesh_bounds(rigid->mesh), box = no_box();
    PalVec3 middle = pal_vec3_scale(0.5, pal_vec3_add(start.lower, start.upper));
    PalPose pose = pal_rigid_pose(rigid, time);
    for (int32_t n = 0; n < rigid->mesh->node_count; ++n) {
        PalVec3 arm = pal_vec3_sub(rigid->mesh->nodes[n], middle);
        PalVec3 x = pal_pose_apply(&pose, pal_vec3_add_scaled(middle, scale, arm));
        look->places[look->first[r] + n] = x;
        take_in(&box, x);
    }
    return box;
}

// ---- whether two overlap at a time ------------------------------------------------------------

static void corners_of(const Look *look, int32_t r, int32_t facet, PalVec3 corners[3])
{
    const int32_t *nodes = look->model->rigids[r].mesh->cells + 3 * (size_t)facet;
    for (int k = 0; k < 3; ++k)
        corners[k] = look->places[look->first[r] + nodes[k]];
}

// Adds the facets of an instrument that reach into a box.
static int32_t gather(const Look *look, int32_t r, const PalBounds *box, int side, int32_t count)
{
    for (int32_t f = 0; f < look->model->rigids[r].mesh->cell_count; ++f) {
        Facet facet = {.box = no_box(), .side = side};
        corners_of(look, r, f, facet.corners);
        for (int k = 0; k < 3; ++k)
            take_in(&facet.box, facet.corners[k]);
        if (boxes_meet(&facet.box, box))
            look->facets[count++] = facet;
    }
    return count;
}

static int compare_facets(const void *a, const void *b)
{
    const Facet *left = a, *right = b;
    return (left->box.lower.x > right->box.lower.x) - (left->box.lower.x < right->box.lower.x);
}

static bool facets_meet(Facet *facets, int32_t count)
{
    qsort(facets, (size_t)count, sizeof *facets, compare_facets);
    for (int32_t i = 0; i < count; ++i)
        for (int32_t j = i + 1; j < count && facets[j].box.lower.x <= facets[i].box.upper.x; ++j)
            if (facets[i].side != facets[j].side && boxes_meet(&facets[i].box, &facets[j].box) &&
                pal_triangles_intersect(facets[i].corners, facets[j].corners))
                return true;
    return false;
}

// The solid angle of a triangle seen from the origin (van Oosterom and Strackee 1983).
static double solid_angle(const PalVec3 x[3])
{
    double a = pal_vec3_length(x[0]), b = pal_vec3_length(x[1]), c = pal_vec3_length(x[2]);
    double volume = pal_vec3_dot(x[0], pal_vec3_cross(x[1], x[2]));
    double sum = a * b * c + pal_vec3_dot(x[0], x[1]) * c + pal_vec3_dot(x[1], x[2]) * a +
                 pal_vec3_dot(x[2], x[0]) * b;
    return 2 * atan2(volume, sum);
}

// Of two that do not cross: is the first one within the other?
static bool is_within(const Look *look, int32_t r, int32_t other, const PalBounds boxes[2])
{
    if (!box_holds(&boxes[1], boxes[0].lower) || !box_holds(&boxes[1], boxes[0].upper))
        return false;
    PalVec3 point = look->places[look->first[r]];
    double seen = 0;
    for (int32_t f = 0; f < look->model->rigids[other].mesh->cell_count; ++f) {
        PalVec3 corners[3];
        corners_of(look, other, f, corners);
        for (int k = 0; k < 3; ++k)
            corners[k] = pal_vec3_sub(corners[k], point);
        seen += solid_angle(corners);
    }
    return fabs(seen) > CLOSED * 4 * PI;
}

// The first one is a little smaller than it is, so that what only touches does not count.
static bool overlap_smaller(const Look *look, int32_t a, int32_t b, double time)
{
    const PalBounds boxes[2] = {place(look, a, time, 1 - TOUCH), place(look, b, time, 1)};
    const PalBounds reversed[2] = {boxes[1], boxes[0]};
    if (!boxes_meet(&boxes[0], &boxes[1]))
        return false;
    int32_t count = gather(look, a, &boxes[1], 0, 0);
    count = gather(look, b, &boxes[0], 1, count);
    return facets_meet(look->facets, count) || is_within(look, a, b, boxes) ||
           is_within(look, b, a, reversed);
}

// A hollow that fits around the other gets too narrow when made smaller, but not the other one.
static bool overlap_at(const Look *look, int32_t a, int32_t b, double time)
{
    return overlap_smaller(look, a, b, time) && overlap_smaller(look, b, a, time);
}

// The first look at which two overlap, or PAL_NONE.
static int first_overlap(const Look *look, int32_t a, int32_t b, int last)
{
    const PalRigid *rigids[2] = {&look->model->rigids[a], &look->model->rigids[b]};
    PalBounds starts[2] = {pal_mesh_bounds(rigids[0]->mesh), pal_mesh_bounds(rigids[1]->mesh)};
    for (int i = 0; i <= last; ++i) {
        double time = time_of(look, i);
        PalBounds first = box_at(rigids[0], &starts[0], time);
        PalBounds second = box_at(rigids[1], &starts[1], time);
        if (boxes_meet(&first, &second) && overlap_at(look, a, b, time))
            return i;
    }
    return PAL_NONE;
}

// ---- telling ----------------------------------------------------------------------------------

// Parts of one tool: the same motion takes both along.
static bool move_as_one(const Look *look, const PalRigid *a, const PalRigid *b)
{
    PalBounds box = pal_mesh_bounds(a->mesh);
    double slight = TOUCH * pal_vec3_distance(box.lower, box.upper);
    for (int i = 0; i <= LOOKS; ++i) {
        PalPose first = pal_rigid_pose(a, time_of(look, i));
        PalPose second = pal_rigid_pose(b, time_of(look, i));
        for (int corner = 0; corner < 8; ++corner) {
            PalVec3 x = corner_of(&box, corner);
            if (pal_vec3_distance(pal_pose_apply(&first, x), pal_pose_apply(&second, x)) > slight)
                return false;
        }
    }
    return true;
}

static void look_at(Look *look, int32_t a, int32_t b, PalFindings *findings)
{
    const PalRigid *one = &look->model->rigids[a], *other = &look->model->rigids[b];
    bool as_one = move_as_one(look, one, other);
    int first = first_overlap(look, a, b, as_one ? 0 : LOOKS);
    if (first == PAL_NONE)
        return;
    if (as_one) {
        pal_findings_add(findings, PAL_FINDING_NOTE,
                         "rigid \"%.80s\" and rigid \"%.80s\" overlap all the time, as parts of "
                         "one instrument do",
                         one->name, other->name);
        return;
    }
    char when[48] = "at the start";
    if (first > 0)
        snprintf(when, sizeof when, "at time %.4g", time_of(look, first));
    pal_findings_add(findings, PAL_FINDING_WARNING,
                     "rigid \"%.80s\" and rigid \"%.80s\" overlap %s: there is no contact between "
                     "instruments, so they pass through each other",
                     one->name, other->name, when);
    look->told++;
}

static void look_at_pairs(Look *look, PalFindings *findings)
{
    for (int32_t a = 0; a < look->model->rigid_count; ++a)
        for (int32_t b = a + 1; b < look->model->rigid_count && look->touches[a]; ++b) {
            if (!look->touches[b] || !boxes_meet(&look->swept[a], &look->swept[b]))
                continue;
            if (look->told == TOLD) {
                pal_findings_add(findings, PAL_FINDING_NOTE,
                                 "other pairs of instruments are not checked");
                return;
            }
            look_at(look, a, b, findings);
        }
}

static bool prepare(Look *look, const PalContactDef *contact)
{
    int32_t count = look->model->rigid_count, bodies = look->model->body_count;
    int32_t node_count = 0, facet_count = 0;
    look->first = pal_alloc((size_t)count, sizeof *look->first);
    for (int32_t r = 0; r < count && look->first != NULL; ++r) {
        look->first[r] = node_count;
        node_count += look->model->rigids[r].mesh->node_count;
        facet_count += look->model->rigids[r].mesh->cell_count;
    }
    look->places = pal_alloc((size_t)node_count, sizeof *look->places);
    look->facets = pal_alloc((size_t)facet_count, sizeof *look->facets);
    look->swept = pal_alloc((size_t)count, sizeof *look->swept);
    look->touches = pal_alloc((size_t)count, sizeof *look->touches);
    if (look->first == NULL || look->places == NULL || look->facets == NULL ||
        look->swept == NULL || look->touches == NULL)
        return false;
    for (int32_t r = 0; r < count; ++r)
        look->touches[r] = contact->every_pair;
    for (int32_t p = 0; p < contact->pair_count; ++p)
        for (int side = 0; side < 2; ++side)
            if (contact->pairs[p].objects[side] >= bodies)
                look->touches[contact->pairs[p].objects[side] - bodies] = true;
    for (int32_t r = 0; r < count; ++r)  // nobody knows where free ones go
        look->touches[r] = look->touches[r] && !look->model->rigids[r].free;
    for (int32_t r = 0; r < count; ++r)
        if (look->touches[r])
            look->swept[r] = find_swept(look, &look->model->rigids[r]);
    return true;
}

void pal_check_instruments(const PalScene *scene, const PalSim *sim, PalFindings *findings)
{
    Look look = {.model = pal_sim_model(sim)};
    if (!pal_contact_def_touches(&scene->sim.contact) || look.model->rigid_count < 2)
        return;
    if (prepare(&look, &scene->sim.contact))
        look_at_pairs(&look, findings);
    else
        findings->failed = true;
    pal_free(look.first);
    pal_free(look.places);
    pal_free(look.facets);
    pal_free(look.swept);
    pal_free(look.touches);
}
