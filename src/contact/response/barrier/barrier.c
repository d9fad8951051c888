#include "contact/response/barrier/barrier.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SLIP     0.1   // of the range: sliding so far in a step uses friction up
#define EXACT    1e-4  // of all frictions: a renewal that changes less is the last
#define PATIENT  6     // renewals: after each further one, it may be twice as much
#define RENEWALS 40
#define WIDE     8     // ranges: the range at first in a step, where nothing is rough
#define WAY      0.15  // edges that instruments with friction go in a step
#define ROUNDING 1e-9  // by how much more that may be
#define SHRINKS  0.1   // slip from one renewal to the next; at first, it is as long as the range

static double reach(const PalContact *contact)
{
    return WIDE * contact->separation;
}

// Facets go all around a vertex where each of its edges has two, as many as there are edges.
static void find_inner(const PalContactSurface *surface, uint8_t *inner)
{
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        int32_t facets = surface->vertex_facets.start[v + 1] - surface->vertex_facets.start[v];
        int32_t edges = surface->vertex_edges.start[v + 1] - surface->vertex_edges.start[v];
        inner[v] = facets > 0 && facets == edges;
    }
    for (int32_t e = 0; e < surface->edge_count; ++e)
        for (int k = 0; k < 2; ++k)
            if (surface->edge_facets[e][k] == PAL_NONE)
                inner[surface->edges[e][0]] = inner[surface->edges[e][1]] = 0;
}

static PalStatus create(PalContact *contact, PalError *error)
{
    const PalContactSurface *surface = contact->surface;
    PalBarrier *barrier = contact->own = pal_alloc(1, sizeof *barrier);
    if (barrier != NULL) {
        barrier->range = barrier->last_range = contact->separation;
        barrier->slip = barrier->last_slip = SLIP * barrier->range;
        barrier->sums = pal_alloc((size_t)surface->vertex_count + 1, sizeof *barrier->sums);
        barrier->strains = pal_alloc((size_t)surface->vertex_count + 1, sizeof *barrier->strains);
        barrier->strain_weights =
            pal_alloc((size_t)surface->vertex_count + 1, sizeof *barrier->strain_weights);
        barrier->edge_length2 =
            pal_alloc((size_t)surface->edge_count + 1, sizeof *barrier->edge_length2);
        barrier->inner = pal_alloc((size_t)surface->vertex_count + 1, sizeof *barrier->inner);
    }
    if (barrier == NULL || barrier->sums == NULL || barrier->edge_length2 == NULL ||
        barrier->inner == NULL || barrier->strains == NULL || barrier->strain_weights == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
    find_inner(surface, barrier->inner);
    for (int32_t e = 0; e < surface->edge_count; ++e) {
        PalVec3 edge = pal_vec3_sub(surface->start[surface->edges[e][1]],
                                    surface->start[surface->edges[e][0]]);
        barrier->edge_length2[e] = pal_vec3_dot(edge, edge);
    }
    barrier->closest = PAL_NONE;
    return PAL_OK;
}

static void destroy(PalContact *contact)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    pal_array_clear(&barrier->items);
    pal_array_clear(&barrier->pushes);
    pal_array_clear(&barrier->drags);
    pal_array_clear(&barrier->old_drags);
    pal_array_clear(&barrier->grips);
    pal_array_clear(&barrier->parts);
    pal_array_clear(&barrier->expected);
    pal_array_clear(&barrier->joints);
    pal_free(barrier->inner);
    pal_free(barrier->sums);
    pal_free(barrier->strains);
    pal_free(barrier->strain_weights);
    pal_free(barrier->edge_length2);
    pal_free(barrier);
    contact->own = NULL;
}

// Where there is friction, what surfaces do while the range is wide would tell in the end.
static bool is_rough(const PalContact *contact)
{
    const PalContactDef *def = &contact->def;
    bool rough = (def->every_pair && def->every_pair_friction > 0) ||
                 (def->every_self && def->every_self_friction > 0);
    for (int32_t p = 0; p < contact->pair_count && !rough; ++p)
        rough = contact->pairs[p].friction > 0;
    return rough;
}

// Friction of a step opposes the way from its start to its end: where instruments go far, that is
// not the way they went.
static double stride(const PalContact *contact, int32_t rigid)
{
    int32_t bodies = contact->surface->body_count;
    for (int32_t b = 0; b < bodies; ++b)
        if (pal_contact_friction(contact, b, bodies + rigid) > 0)
            return WAY * contact->edge;
    return INFINITY;
}

// That of the softest body stands for all.
static void choose(PalContact *contact)
{
    double least = INFINITY, shortest = INFINITY;
    int32_t bodies = contact->surface->body_count;
    for (int32_t o = 0; o < bodies; ++o)
        if (pal_pairs_touching(contact->objects, o))
            least = fmin(least, pal_barrier_stiffness(contact, o, o));
    for (int32_t o = bodies; o < contact->surface->object_count; ++o)
        shortest = fmin(shortest, stride(contact, o - bodies));
    contact->report.range = pal_barrier_of(contact)->last_range;
    contact->report.stride = isfinite(shortest) ? shortest : 0;
    contact->report.stiffness = isfinite(least) ? least : 0;
}

static PalStatus check_ways(const PalContact *contact, PalError *error)
{
    const PalContactSurface *surface = contact->surface;
    const PalTrial *trial = contact->trial;
    for (int32_t o = surface->body_count; o < surface->object_count; ++o) {
        double most = 0, allowed = stride(contact, o - surface->body_count);
        if (!isfinite(allowed))
            continue;
        for (int32_t v = surface->object_first_vertex[o]; v < surface->object_first_vertex[o + 1];
             ++v)
            most = fmax(most, pal_vec3_distance(trial->first[v], trial->last[v]));
        if (most > allowed * (1 + ROUNDING))
            return pal_error_set(error, PAL_SIM_FAILED,
                                 "instrument \"%.60s\" goes %.3g in one step, expected at most "
                                 "%.3g, 0.15 of an edge",
                                 pal_contact_object_name(trial->model, o), most, allowed);
    }
    return PAL_OK;
}

static PalStatus begin(PalContact *contact, PalError *error)
{
    PAL_TRY(check_ways(contact, error));
    pal_barrier_of(contact)->drags.count = 0;
    pal_barrier_of(contact)->old_drags.count = 0;
    pal_barrier_of(contact)->expected.count = 0;
    pal_barrier_of(contact)->renewals = PAL_NONE;
    pal_barrier_of(contact)->range = pal_barrier_of(contact)->last_range;
    pal_barrier_of(contact)->slip = pal_barrier_of(contact)->range;
    return PAL_OK;
}

// The first look in a step finds the forces that friction starts with.
static PalStatus look(PalContact *contact, PalError *error)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    double change;
    PAL_TRY(pal_barrier_look(contact, error));
    if (barrier->renewals != PAL_NONE)
        return PAL_OK;
    barrier->renewals = 0;
    PAL_TRY(pal_drags_renew(contact, &change, error));
    if (is_rough(contact))
        return PAL_OK;
    pal_barrier_change_range(contact, WIDE * barrier->last_range);
    return pal_barrier_look(contact, error);
}

static void add_at(const PalContact *contact, int32_t vertex, PalVec3 what, PalVec3 *force)
{
    if (!pal_trial_is_soft(contact, vertex))
        return;
    PalVec3 *at = &force[contact->surface->vertex_node[vertex]];
    *at = pal_vec3_add(*at, what);
}

static PalStatus forces(PalContact *contact, PalVec3 *force, PalError *error)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    PAL_TRY(pal_barrier_find(contact, error));
    for (int32_t i = 0; i < barrier->items.count; ++i) {
        const PalBarrierItem *item = &barrier->items.items[i];
        PalVec3 points[4], pushes[4];
        if (!barrier->pushes.items[i].acts)
            continue;
        pal_barrier_points(contact, &item->features, points);
        pal_barrier_forces(item, &barrier->pushes.items[i], points, pushes);
        for (int k = 0; k < 4; ++k)
            add_at(contact, item->features.vertices[k], pushes[k], force);
    }
    for (int32_t i = 0; i < barrier->drags.count; ++i) {
        const PalDrag *drag = &barrier->drags.items[i];
        PalVec3 push = pal_drag_force(drag, pal_drag_way(contact, drag), barrier->slip);
        for (int k = 0; k < 4; ++k)
            add_at(contact, drag->features.vertices[k], pal_vec3_scale(drag->weights[k], push),
                   force);
    }
    return PAL_OK;
}

// ---- tangents ---------------------------------------------------------------------------

typedef struct Tangent {
    PalContact *contact;
    PalStiffness *stiffness;
    PalVec3 *lead;
    double weight;
    bool leads;  // what instruments do is to be told
} Tangent;

// Lists the part of a matrix that belongs to nodes; what instruments do to it goes to `lead`.
static bool add_block(const Tangent *tangent, const int32_t vertices[4],
                      const double matrix[PAL_NEAR_SIZE * PAL_NEAR_SIZE])
{
    const PalContact *contact = tangent->contact;
    double part[PAL_NEAR_SIZE * PAL_NEAR_SIZE];
    int32_t nodes[4], corner[4], count = 0;
    for (int k = 0; k < 4; ++k)
        if (pal_trial_is_soft(contact, vertices[k])) {
            corner[count] = k;
            nodes[count++] = contact->surface->vertex_node[vertices[k]];
        }
    for (int32_t a = 0; a < 3 * count; ++a)
        for (int32_t b = 0; b < 3 * count; ++b)
            part[a * 3 * count + b] =
                tangent->weight *
                matrix[(3 * corner[a / 3] + a % 3) * PAL_NEAR_SIZE + 3 * corner[b / 3] + b % 3];
    for (int l = 0; l < 4 && tangent->leads; ++l) {
        PalVec3 rest = pal_trial_rest(contact, vertices[l]);
        for (int32_t a = 0; a < 3 * count; ++a) {
            const double *row = matrix + (3 * corner[a / 3] + a % 3) * PAL_NEAR_SIZE + 3 * l;
            (&tangent->lead[nodes[a / 3]].x)[a % 3] -=
                row[0] * rest.x + row[1] * rest.y + row[2] * rest.z;
        }
    }
    return pal_couplings_add(tangent->stiffness, count, nodes, part);
}

// How far the sides will have slid when instruments have gone the rest of their way.
static PalVec3 expected_way(const PalContact *contact, const PalExpected *expected)
{
    PalVec3 way = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        int32_t v = expected->features.vertices[k];
        PalVec3 end = pal_vec3_add(contact->trial->place[v], pal_trial_rest(contact, v));
        way = pal_vec3_add_scaled(way, expected->weights[k],
                                  pal_vec3_sub(end, contact->trial->first[v]));
    }
    return pal_vec3_add_scaled(way, -pal_vec3_dot(way, expected->normal), expected->normal);
}

// Who has slid far is held by no more than friction with the force at the gap expected.
static double expected_grip(const PalContact *contact, const PalExpected *expected, double way)
{
    const PalBarrier *barrier = pal_barrier_of(contact);
    if (pal_drag_find(barrier, &expected->key) || !(expected->stiffness > 0))
        return 0;
    double force = expected->unit * pal_barrier_potential(expected->gap, barrier->range).force;
    double most = expected->grip / expected->stiffness * force;
    return expected->grip * way > most ? most / way : expected->grip;
}

// A spring, and the force it has with what is soft at rest, instead of what acts.
static bool add_expected(const Tangent *tangent, const PalExpected *expected)
{
    const PalContact *contact = tangent->contact;
    double matrix[PAL_NEAR_SIZE * PAL_NEAR_SIZE], force = pal_expected_force(contact, expected);
    PalVec3 way = expected_way(contact, expected);
    double grip = expected_grip(contact, expected, pal_vec3_length(way));
    for (int k = 0; k < PAL_NEAR_SIZE * PAL_NEAR_SIZE; ++k) {
        int p = k / PAL_NEAR_SIZE, q = k % PAL_NEAR_SIZE;
        double n = pal_vec3_at(expected->normal, p % 3) * pal_vec3_at(expected->normal, q % 3);
        matrix[k] = expected->weights[p / 3] * expected->weights[q / 3] *
                    (expected->stiffness * n + grip * ((p % 3 == q % 3) - n));
    }
    PalVec3 push = pal_vec3_add_scaled(pal_vec3_scale(force, expected->normal), -grip, way);
    for (int k = 0; k < 4; ++k)
        add_at(contact, expected->features.vertices[k], pal_vec3_scale(expected->weights[k], push),
               tangent->lead);
    Tangent alone = *tangent;
    alone.leads = false;
    return add_block(&alone, expected->features.vertices, matrix);
}

static PalStatus tangent(PalContact *contact, const PalTangentWish *wish, PalStiffness *stiffness,
                         PalVec3 *lead, PalError *error)
{
    const PalBarrier *barrier = pal_barrier_of(contact);
    Tangent to = {contact, stiffness, lead, wish->weight, contact->trial->leads};
    double matrix[PAL_NEAR_SIZE * PAL_NEAR_SIZE];
    bool good = true;
    for (int32_t i = 0; i < barrier->items.count && good; ++i) {
        const PalBarrierItem *item = &barrier->items.items[i];
        PalVec3 points[4];
        if (!barrier->pushes.items[i].acts)
            continue;
        pal_barrier_points(contact, &item->features, points);
        const PalExpected *expected = pal_expected_find(barrier, &item->key);
        PalBarrierPush push = barrier->pushes.items[i];
        if (expected != NULL && expected->acts)
            push.slope = expected->stiffness;
        pal_barrier_curve(item, &push, points, wish, matrix);
        good = add_block(&to, item->features.vertices, matrix);
    }
    for (int32_t i = 0; i < barrier->expected.count && good; ++i)
        good = barrier->expected.items[i].acts || add_expected(&to, &barrier->expected.items[i]);
    for (int32_t i = 0; i < barrier->drags.count && good; ++i) {
        const PalDrag *drag = &barrier->drags.items[i];
        PalVec3 way = pal_drag_way(contact, drag);
        PalVec3 more = pal_drag_lead(drag, way, barrier->slip);
        pal_drag_curve(drag, pal_vec3_add(way, drag->ahead), barrier->slip, matrix);
        good = add_block(&to, drag->features.vertices, matrix);
        for (int k = 0; k < 4; ++k)
            add_at(contact, drag->features.vertices[k], pal_vec3_scale(drag->weights[k], more),
                   lead);
    }
    return good ? PAL_OK : pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
}

// ---- ends -------------------------------------------------------------------------------

static PalStatus refresh(PalContact *contact, PalError *error)
{
    double change;
    return pal_drags_renew(contact, &change, error);
}

static PalStatus settle(PalContact *contact, bool *again, PalError *error)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    double change = 0;
    PAL_TRY(pal_drags_renew(contact, &change, error));
    bool narrows = barrier->range > barrier->last_range;
    if (narrows)
        pal_barrier_change_range(contact, barrier->last_range);
    double exact = EXACT * ldexp(1, barrier->renewals > PATIENT ? barrier->renewals - PATIENT : 0);
    *again = narrows || change > exact ||
             (barrier->drags.count > 0 && barrier->slip > barrier->last_slip);
    pal_drags_change_slip(contact, fmax(barrier->last_slip, SHRINKS * barrier->slip));
    if (*again && ++barrier->renewals > RENEWALS)
        return pal_error_set(error, PAL_SIM_FAILED,
                             "friction does not settle: it still changes by %.2g after %d times",
                             change, RENEWALS);
    return PAL_OK;
}

static PalVec3 point_on(const PalContact *contact, const PalFeatures *features,
                        const double weights[4], int side)
{
    int split = pal_kind_split(features->kind);
    PalVec3 sum = {0, 0, 0};
    for (int k = side == 0 ? 0 : split; k < (side == 0 ? split : 4); ++k)
        sum = pal_vec3_add_scaled(sum, side == 0 ? weights[k] : -weights[k],
                                  contact->trial->place[features->vertices[k]]);
    return sum;
}

// Points are in the order of items, and so are drags.
static PalStatus accept(PalContact *contact, PalError *error)
{
    const PalBarrier *barrier = pal_barrier_of(contact);
    const PalContactSurface *surface = contact->surface;
    int32_t next = 0;
    contact->report.least_gap = 0;
    PAL_TRY(pal_drags_accept(contact, error));
    for (int32_t i = 0; i < barrier->items.count; ++i) {
        const PalBarrierItem *item = &barrier->items.items[i];
        const PalBarrierPush *push = &barrier->pushes.items[i];
        double normal_force = push->factor * push->force;
        if (!push->acts || !(normal_force > 0))  // where facets meet in a hollow it is less
            continue;
        double *least = &contact->report.least_gap;
        *least = *least == 0 ? push->near.distance : fmin(*least, push->near.distance);
        PalContactPoint *point = pal_contact_add_point(contact);
        if (point == NULL)
            return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact points");
        *point = (PalContactPoint){
            .kind = item->features.kind,
            .objects = {surface->vertex_object[item->features.vertices[0]],
                        surface->vertex_object[item->features.vertices[3]]},
            .normal = push->near.normal,
            .force = pal_vec3_scale(normal_force, push->near.normal),
            .normal_force = normal_force,
            .gap = push->near.distance,
        };
        for (int side = 0; side < 2; ++side)
            point->position[side] = point_on(contact, &item->features, push->near.weights, side);
        while (next < barrier->drags.count &&
               pal_feature_key_compare(&barrier->drags.items[next].key, &item->key) < 0)
            ++next;
        const PalDrag *drag = &barrier->drags.items[next];
        if (next >= barrier->drags.count || pal_feature_key_compare(&drag->key, &item->key) != 0)
            continue;
        PalVec3 way = pal_drag_way(contact, drag);
        point->force = pal_vec3_add(point->force, pal_drag_force(drag, way, barrier->slip));
        point->slips = pal_vec3_length(way) >= barrier->slip;
    }
    return PAL_OK;
}

static void explain(const PalContact *contact, char *text, size_t size)
{
    const PalBarrier *barrier = pal_barrier_of(contact);
    const PalTrial *trial = contact->trial;
    text[0] = '\0';
    if (barrier->closest == PAL_NONE || barrier->closest >= barrier->items.count)
        return;
    const PalFeatures *features = &barrier->items.items[barrier->closest].features;
    const PalNearness *near = &barrier->pushes.items[barrier->closest].near;
    const int32_t *object = contact->surface->vertex_object;
    PalVec3 at = trial->place[features->vertices[0]];
    if (near->distance < barrier->range)
        snprintf(
            text, size,
            "the nearest contact is of \"%.60s\" and \"%.60s\", %s at (%.4g, %.4g, %.4g), with a "
            "gap of %.3g, where contact begins at %.3g",
            pal_contact_object_name(trial->model, object[features->vertices[0]]),
            pal_contact_object_name(trial->model, object[features->vertices[3]]),
            features->kind == PAL_CONTACT_NODE_FACET ? "a vertex and a facet" : "two edges", at.x,
            at.y, at.z, near->distance, barrier->range);
}

// ---- checkpoints ------------------------------------------------------------------------

static bool is_kept(PalVec3 strain)
{
    return pal_vec3_dot(strain, strain) > 0;
}

static int32_t kept_count(const PalContact *contact)
{
    int32_t count = pal_barrier_of(contact)->grips.count;
    for (int32_t v = 0; v < contact->surface->vertex_count; ++v)
        count += is_kept(pal_barrier_of(contact)->strains[v]);
    return count;
}

// Vertices first. Places of contacts count from 1 here.
static void keep(const PalContact *contact, PalKept *rows)
{
    const PalBarrier *barrier = pal_barrier_of(contact);
    int32_t count = 0;
    for (int32_t v = 0; v < contact->surface->vertex_count; ++v) {
        PalVec3 strain = barrier->strains[v];
        if (is_kept(strain))
            rows[count++] =
                (PalKept){.key = {v, PAL_NONE}, .numbers = {strain.x, strain.y, strain.z}};
    }
    for (int32_t i = 0; i < barrier->grips.count; ++i) {
        const PalGrip *grip = &barrier->grips.items[i];
        rows[count++] = (PalKept){
            .key = {grip->key.pair[0], grip->key.pair[1], grip->key.place + 1},
            .numbers = {grip->strain.x, grip->strain.y, grip->strain.z},
        };
    }
}

static void forget(PalContact *contact)
{
    pal_barrier_of(contact)->grips.count = 0;
    memset(pal_barrier_of(contact)->strains, 0,
           (size_t)contact->surface->vertex_count * sizeof(PalVec3));
}

static bool restore_grip(PalBarrier *barrier, int32_t facet_count, const PalKept *row,
                         PalVec3 strain)
{
    int32_t count = barrier->grips.count;
    for (int k = 0; k < 2; ++k)
        if (row->key[k] < 0 || row->key[k] >= facet_count)
            return false;
    if (row->key[2] < 1 || row->key[2] > INT32_MAX)
        return false;
    PalGrip grip = {.key = {{(int32_t)row->key[0], (int32_t)row->key[1]}, (int32_t)row->key[2] - 1},
                    .strain = strain};
    if (count > 0 && pal_feature_key_compare(&barrier->grips.items[count - 1].key, &grip.key) >= 0)
        return false;
    return pal_array_push(&barrier->grips, grip);
}

static PalStatus restore(PalContact *contact, const PalKept *rows, int32_t count)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    const PalContactSurface *surface = contact->surface;
    forget(contact);
    for (int32_t i = 0; i < count; ++i) {
        PalVec3 strain = pal_vec3(rows[i].numbers[0], rows[i].numbers[1], rows[i].numbers[2]);
        if (!(pal_vec3_length(strain) <= 1 + 1e-9))
            return PAL_BAD_INPUT;
        if (rows[i].key[1] != PAL_NONE) {
            if (!restore_grip(barrier, surface->facet_count, &rows[i], strain))
                return PAL_BAD_INPUT;
        } else if (rows[i].key[0] < 0 || rows[i].key[0] >= surface->vertex_count) {
            return PAL_BAD_INPUT;
        } else {
            barrier->strains[rows[i].key[0]] = strain;
        }
    }
    return PAL_OK;
}

static const PalImplicitRow implicit = {
    .choose = choose,
    .stride = stride,
    .begin = begin,
    .look = look,
    .filter = pal_barrier_filter,
    .expect = pal_barrier_expect,
    .slide = pal_drags_slide,
    .prepare = pal_barrier_prepare,
    .went = pal_barrier_went,
    .forces = forces,
    .tangent = tangent,
    .couple = pal_drags_couple,
    .refresh = refresh,
    .settle = settle,
    .accept = accept,
    .explain = explain,
};

const PalResponse pal_response_barrier = {
    .choice = {"barrier",
               "A force that grows without bound as a gap closes, so that nothing passes "
               "through anything. For implicit methods, whose default it is."},
    .reach = reach,
    .rests = true,
    .prevents_crossing = true,
    .implicit = &implicit,
    .forget = forget,
    .kept_count = kept_count,
    .keep = keep,
    .restore = restore,
    .create = create,
    .destroy = destroy,
};
