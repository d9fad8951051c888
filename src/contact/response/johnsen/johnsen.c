// The step of the published responses: pairs, forces, one force per node, contact points.
// johnsen2015, appendix A and algorithm 2.  docs/theory/contact-johnsen.md
#include "contact/response/johnsen/johnsen.h"

#include "base/memory.h"
#include "math/vec3.h"

static bool allocate(PalJohnsen *johnsen, const PalContactSurface *surface)
{
    size_t vertices = (size_t)surface->vertex_count;
    johnsen->slot = pal_alloc(vertices, sizeof *johnsen->slot);
    johnsen->slot_stamp = pal_alloc(vertices, sizeof *johnsen->slot_stamp);
    johnsen->told = pal_alloc((size_t)pal_near_key_count(surface), sizeof *johnsen->told);
    return johnsen->slot != NULL && johnsen->slot_stamp != NULL && johnsen->told != NULL;
}

PalStatus pal_johnsen_create(PalContact *contact, PalNormalKind kind, bool continuous_edges,
                             double rate_share, PalError *error)
{
    PalJohnsen *johnsen = contact->own = pal_alloc(1, sizeof *johnsen);
    if (johnsen == NULL || !allocate(johnsen, contact->surface)) {
        pal_johnsen_destroy(contact);
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for the contact response");
    }
    johnsen->margin = pal_search_published_margin(contact->surface);
    contact->separation = contact->def.separation;  // none unless asked for: as published
    contact->report.separation = contact->separation;
    contact->rate_distance = rate_share * johnsen->margin;
    PalNearRule rule = {
        .reach = contact->separation + contact->rate_distance,
        .edge_reach = contact->separation + (continuous_edges ? 0 : contact->rate_distance),
        .margin = johnsen->margin,
        .continuous_edges = continuous_edges,
    };
    PalStatus status = pal_near_init(&johnsen->finder, kind, &rule, contact->surface, error);
    if (status != PAL_OK)
        pal_johnsen_destroy(contact);
    return status;
}

void pal_johnsen_destroy(PalContact *contact)
{
    PalJohnsen *johnsen = contact->own;
    contact->own = NULL;
    if (johnsen == NULL)
        return;
    pal_near_clear(&johnsen->finder);
    pal_array_clear(&johnsen->forces);
    pal_array_clear(&johnsen->pushed);
    pal_array_clear(&johnsen->order);
    pal_array_clear(&johnsen->scratch);
    pal_free(johnsen->slot);
    pal_free(johnsen->slot_stamp);
    pal_free(johnsen->told);
    pal_free(johnsen);
}

PalSight pal_johnsen_sight(const PalContact *contact)
{
    const PalJohnsen *johnsen = contact->own;
    return (PalSight){johnsen->margin, PAL_NEAR_TRAVELS};
}

void pal_johnsen_begin(PalContact *contact)
{
    PalJohnsen *johnsen = contact->own;
    ++johnsen->step_stamp;
}

// ---- one force per vertex ---------------------------------------------------------------

static PalPushed *pushed_of(PalJohnsen *johnsen, int32_t vertex)
{
    if (johnsen->slot_stamp[vertex] != johnsen->stamp) {
        johnsen->slot_stamp[vertex] = johnsen->stamp;
        johnsen->slot[vertex] = johnsen->pushed.count;
        johnsen->pushed.items[johnsen->pushed.count++] = (PalPushed){.vertex = vertex};
    }
    return &johnsen->pushed.items[johnsen->slot[vertex]];
}

static bool acts(const PalNearForce *force, int corner)
{
    PalVec3 push = force->push[corner], rub = force->rub[corner];
    return pal_vec3_dot(push, push) > 0 || pal_vec3_dot(rub, rub) > 0;
}

// Room for whatever the pairs may ask for.
static bool reserve(PalJohnsen *johnsen)
{
    int32_t found = johnsen->finder.found.count;
    johnsen->forces.count = johnsen->pushed.count = johnsen->order.count = 0;
    johnsen->scratch.count = 0;
    return pal_array_reserve(&johnsen->forces, found) &&
           pal_array_reserve(&johnsen->pushed, 4 * (int64_t)found) &&
           pal_array_reserve(&johnsen->order, 4 * (int64_t)found) &&
           pal_array_reserve(&johnsen->scratch, 4 * (int64_t)found);
}

// Lists the forces vertex by vertex, in the order of the pairs.
static void sort_by_vertex(PalJohnsen *johnsen)
{
    const PalNear *found = johnsen->finder.found.items;
    int32_t count = johnsen->finder.found.count;
    ++johnsen->stamp;
    for (int32_t t = 0; t < count; ++t)
        for (int a = 0; a < 4; ++a)
            if (acts(&johnsen->forces.items[t], a))
                ++pushed_of(johnsen, found[t].gap.vertices[a])->count;
    for (int32_t i = 0; i < johnsen->pushed.count; ++i) {
        PalPushed *pushed = &johnsen->pushed.items[i];
        pushed->first = johnsen->order.count;
        johnsen->order.count += pushed->count;
        pushed->count = 0;
    }
    for (int32_t t = 0; t < count; ++t)
        for (int a = 0; a < 4; ++a)
            if (acts(&johnsen->forces.items[t], a)) {
                PalPushed *pushed = pushed_of(johnsen, found[t].gap.vertices[a]);
                johnsen->order.items[pushed->first + pushed->count++] = 4 * t + a;
            }
}

// Sum of a vertex's pushes (or frictions) as algorithm 2 has it; share: see PalPushed.
static PalVec3 unite(PalJohnsen *johnsen, const PalPushed *pushed, bool rub, double *share)
{
    PalVec3 sum = {0, 0, 0}, *forces = johnsen->scratch.items;
    for (int32_t i = 0; i < pushed->count; ++i) {
        int32_t entry = johnsen->order.items[pushed->first + i];
        const PalNearForce *force = &johnsen->forces.items[entry / 4];
        forces[i] = rub ? force->rub[entry % 4] : force->push[entry % 4];
        sum = pal_vec3_add(sum, forces[i]);
    }
    *share = pal_johnsen_consolidate(forces, pushed->count);
    return pal_vec3_scale(*share, sum);
}

// Coulomb's law once more, for the one normal force that a node is left with.
static double within_cone(const PalJohnsen *johnsen, const PalPushed *pushed, PalVec3 push,
                          PalVec3 rub)
{
    double friction = 0, size = pal_vec3_length(rub);
    for (int32_t i = 0; i < pushed->count; ++i) {
        int32_t index = johnsen->order.items[pushed->first + i] / 4;
        friction = fmax(friction, johnsen->finder.found.items[index].friction);
    }
    double most = friction * pal_vec3_length(push);
    return size > most ? most / size : 1;
}

static void give(PalContact *contact, const PalContactStep *step, int32_t vertex, PalVec3 force)
{
    const double *inverse_mass = contact->carriers.inverse_mass[vertex];
    PalVec3 impulse = pal_vec3_scale(step->gain, force);
    PalVec3 *end = &contact->surface->end[vertex];
    contact->impulse[vertex] = pal_vec3_add(contact->impulse[vertex], impulse);
    end->x += step->step * inverse_mass[0] * impulse.x;
    end->y += step->step * inverse_mass[1] * impulse.y;
    end->z += step->step * inverse_mass[2] * impulse.z;
}

static void push_all(PalContact *contact, const PalContactStep *step, const PalPushRule *rule)
{
    PalJohnsen *johnsen = contact->own;
    for (int32_t t = 0; t < johnsen->finder.found.count; ++t) {
        const PalNear *near = &johnsen->finder.found.items[t];
        PalNearForce *force = &johnsen->forces.items[johnsen->forces.count++];
        pal_johnsen_push(contact, step, rule, near, force);
        pal_johnsen_rub(contact, step, near, force);
    }
    sort_by_vertex(johnsen);
    for (int32_t i = 0; i < johnsen->pushed.count; ++i) {
        PalPushed *pushed = &johnsen->pushed.items[i];
        PalVec3 push = unite(johnsen, pushed, false, &pushed->push_share);
        PalVec3 rub = unite(johnsen, pushed, true, &pushed->rub_share);
        double cut = within_cone(johnsen, pushed, push, rub);
        pushed->rub_share *= cut;
        give(contact, step, pushed->vertex, pal_vec3_add_scaled(push, cut, rub));
    }
}

// ---- what is told of it -----------------------------------------------------------------

// What the slave (0) or the master (1) of a near really received.
static PalVec3 received(const PalJohnsen *johnsen, int32_t index, int side, bool rub)
{
    const PalNear *near = &johnsen->finder.found.items[index];
    const PalNearForce *force = &johnsen->forces.items[index];
    int split = pal_kind_split(near->gap.kind);
    int first = side == 0 ? 0 : split, last = side == 0 ? split : 4;
    PalVec3 sum = {0, 0, 0};
    for (int a = first; a < last; ++a) {
        if (!acts(force, a))
            continue;
        const PalPushed *pushed = &johnsen->pushed.items[johnsen->slot[near->gap.vertices[a]]];
        sum = rub ? pal_vec3_add_scaled(sum, pushed->rub_share, force->rub[a])
                  : pal_vec3_add_scaled(sum, pushed->push_share, force->push[a]);
    }
    return sum;
}

// What cannot move feels the reaction; it is spread by the weights.
static void react(PalContact *contact, const PalContactStep *step, const PalNear *near, int side,
                  PalVec3 force)
{
    int split = pal_kind_split(near->gap.kind);
    int first = side == 0 ? 0 : split, last = side == 0 ? split : 4;
    for (int a = first; a < last; ++a) {
        PalVec3 *impulse = &contact->impulse[near->gap.vertices[a]];
        *impulse = pal_vec3_add_scaled(*impulse, step->gain * pal_gap_share(&near->gap, a), force);
    }
}

// Force on the slave: half the difference of what the two received, which would be equal and
// opposite if momentum were conserved.
static PalVec3 settle_force(PalContact *contact, const PalContactStep *step, int32_t index,
                            bool rub)
{
    const PalJohnsen *johnsen = contact->own;
    const PalNear *near = &johnsen->finder.found.items[index];
    const PalNearForce *force = &johnsen->forces.items[index];
    const bool *moves = rub ? force->rub_moves : force->push_moves;
    PalVec3 on[2] = {received(johnsen, index, 0, rub), received(johnsen, index, 1, rub)};
    for (int side = 0; side < 2; ++side)
        if (!moves[side]) {
            on[side] = pal_vec3_scale(-1, on[1 - side]);
            react(contact, step, near, side, on[side]);
        }
    return pal_vec3_scale(0.5, pal_vec3_sub(on[0], on[1]));
}

// The point of this pair: one that an earlier round has made, or a new one.
static PalContactPoint *find_point(PalContact *contact, const PalNear *near)
{
    PalJohnsen *johnsen = contact->own;
    const int32_t *object = contact->surface->vertex_object;
    int32_t slave = object[near->gap.vertices[0]], master = object[near->gap.vertices[3]];
    PalTold *told = &johnsen->told[near->key];
    if (told->stamp == johnsen->step_stamp && told->partner == near->partner &&
        contact->points[told->point].objects[0] == slave)
        return &contact->points[told->point];
    PalContactPoint *point = pal_contact_add_point(contact);
    if (point == NULL)
        return NULL;
    *told = (PalTold){johnsen->step_stamp, (int32_t)(point - contact->points), near->partner};
    *point = (PalContactPoint){.kind = near->gap.kind, .objects = {slave, master}};
    return point;
}

static PalStatus tell(PalContact *contact, const PalContactStep *step, int32_t index,
                      PalError *error)
{
    const PalJohnsen *johnsen = contact->own;
    const PalNear *near = &johnsen->finder.found.items[index];
    const PalNearForce *given = &johnsen->forces.items[index];
    PalVec3 between = pal_gap_difference(&near->gap, contact->surface->end);
    double gap = pal_vec3_dot(near->gap.normal, between);
    contact->report.penetration = fmax(contact->report.penetration, -gap);
    if (!(given->normal_force > 0))
        return PAL_OK;
    PalContactPoint *point = find_point(contact, near);
    if (point == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact points");
    PalVec3 push = settle_force(contact, step, index, false);
    PalVec3 rub = settle_force(contact, step, index, true);
    for (int side = 0; side < 2; ++side)
        point->position[side] = pal_gap_point(&near->gap, contact->surface->end, side);
    point->normal = near->gap.normal;
    point->force = pal_vec3_add(point->force, pal_vec3_add(push, rub));
    point->normal_force = fmax(0, pal_vec3_dot(point->force, point->normal));
    point->gap = gap;
    point->slips = point->slips || given->slips;
    return PAL_OK;
}

PalStatus pal_johnsen_respond(PalContact *contact, const PalContactStep *step,
                              const PalPushRule *rule, PalError *error)
{
    PalJohnsen *johnsen = contact->own;
    if (!reserve(johnsen))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact forces");
    push_all(contact, step, rule);
    contact->report.penetration = 0;
    for (int32_t t = 0; t < johnsen->finder.found.count; ++t)
        PAL_TRY(tell(contact, step, t, error));
    return PAL_OK;
}
