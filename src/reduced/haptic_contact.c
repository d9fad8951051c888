// From points that are near to rows, and from forces back to displacements of both bodies.
#include "base/assert.h"
#include "base/timer.h"
#include "reduced/haptic.h"
#include "reduced/haptic_lanes.h"
#include <math.h>
#include <string.h>

#define LITTLE 1e-5  // of the largest force on a node: the local part need not follow

#define FADE 0.05F  // of a row's compliance: how soon a crossing of edges fades

// What holds a near point: a node or an edge of one body, three nodes of the other.
typedef struct Hold {
    int32_t node;
    float weight;  // negative on the other body
} Hold;

static int32_t holds_of(const PalHaptic *haptic, const PalHapticNear *near, int32_t body,
                        Hold holds[3])
{
    if (body == near->side) {
        holds[0] = (Hold){near->node, 1 - near->part};
        holds[1] = (Hold){near->far_node, near->part};
        return near->far_node != PAL_NONE ? 2 : 1;
    }
    int32_t count = 0;
    for (int a = 0; a < 3; ++a)
        if (near->weights[a] > 0)
            holds[count++] = (Hold){haptic->bodies[body].facets[near->facet][a], -near->weights[a]};
    return count;
}

// What a row is made of: a point and the place next to it, a direction, and its part of the row.
typedef struct Member {
    const PalHapticNear *near;
    PalVec3 direction, place;
    double gap;
    double share;
} Member;

// Adds to a row of J of one body and to the touches of its local part. Returns what the present
// local part is along the direction.
static double add_body(PalHaptic *haptic, const Member *member, int32_t body, int32_t row)
{
    PalHapticRows *rows = &haptic->rows;
    PalHapticShape *shape = &haptic->shapes[body];
    const PalHapticBody *about = &haptic->bodies[body];
    PalMat3 back = pal_mat3_transpose(&haptic->frames[body].turn);
    PalVec3 own = pal_mat3_apply(&back, member->direction);
    if (about->mode_count == 0)
        return 0;
    Hold holds[3];
    int32_t count = holds_of(haptic, member->near, body, holds), width = rows->body_width[body];
    const float *parts[9];
    float factors[9];
    double present = 0;
    for (int32_t h = 0; h < count; ++h) {
        const float *first = about->rows + (int64_t)3 * holds[h].node * width;
        double w = member->share * (double)holds[h].weight;
        const double d[3] = {own.x, own.y, own.z};
        for (int i = 0; i < 3; ++i) {
            parts[3 * h + i] = first + (int64_t)i * width;
            factors[3 * h + i] = (float)(w * d[i]);
        }
        PalMat3 to_rest = pal_mat3_transpose(pal_haptic_patch(shape, holds[h].node));
        PalVec3 turned = pal_vec3_scale(w, pal_mat3_apply(&to_rest, own));
        PalVec3 local =
            pal_vec3_sub(pal_haptic_near_part(shape, holds[h].node), shape->bias[holds[h].node]);
        present += pal_vec3_dot(turned, local);
        pal_haptic_rows_touch(rows, body, row, holds[h].node, turned);
    }
    pal_rows_accumulate(parts, factors, 3 * count, width, pal_haptic_row(rows, row, body));
    return present;
}

static int32_t begin_row(PalHapticRows *rows)
{
    int32_t row = rows->row_count++;
    memset(rows->modes + (int64_t)row * rows->width, 0, (size_t)rows->width * sizeof(float));
    memset(rows->push[row], 0, sizeof rows->push[row]);
    rows->gap_made[row] = rows->soft[row] = 0;
    return row;
}

// The gap a row has without any forces is what remains when present displacements are taken away.
static void add_member(PalHaptic *haptic, int32_t row, const Member *member)
{
    PalHapticRows *rows = &haptic->rows;
    double gap = member->share * member->gap;
    for (int32_t body = 0; body < 2; ++body)
        gap -= add_body(haptic, member, body, row);
    double sign = member->near->side == 1 ? member->share : -member->share;
    PalVec3 push = pal_vec3_scale(sign, member->direction);
    PalVec3 turn = pal_vec3_cross(pal_vec3_sub(member->place, haptic->frames[1].at), push);
    const double wrench[6] = {push.x, push.y, push.z, turn.x, turn.y, turn.z};
    for (int k = 0; k < 6; ++k) {
        gap -= wrench[k] * haptic->moved[k];
        rows->push[row][k] += (float)wrench[k];
    }
    rows->gap_made[row] += (float)gap;
}

static void finish_row(PalHaptic *haptic, int32_t row)
{
    PalHapticRows *rows = &haptic->rows;
    double soft = haptic->def.coupling > 0 ? 1 / haptic->def.coupling : 0;
    double soft_turn = haptic->def.coupling_turn > 0 ? 1 / haptic->def.coupling_turn : 0;
    float *coupling = pal_haptic_row(rows, row, 2);
    for (int k = 0; k < 6; ++k)
        coupling[k] = (float)(sqrt(k < 3 ? soft : soft_turn) * (double)rows->push[row][k]);
    for (int32_t body = 0; body < 2; ++body) {
        float by_modes = 0;
        if (rows->body_width[body] > 0)
            pal_rows_dot(pal_haptic_row(rows, row, body), 1, rows->body_width[body],
                         haptic->work[body], &by_modes);
        rows->gap_made[row] -= by_modes;
    }
    rows->gap[row] = rows->gap_made[row];
}

static void add_row(PalHaptic *haptic, const Member *member)
{
    int32_t row = begin_row(&haptic->rows);
    add_member(haptic, row, member);
    finish_row(haptic, row);
}

// Where a part of the way from a near point's node to the other end of its edge is, in space.
static PalVec3 point_on(PalHaptic *haptic, const PalHapticNear *near, double part)
{
    PalHapticShape *shape = &haptic->shapes[near->side];
    PalVec3 at = pal_haptic_position(shape, near->node);
    if (near->far_node != PAL_NONE)
        at = pal_vec3_add_scaled(at, part,
                                 pal_vec3_sub(pal_haptic_position(shape, near->far_node), at));
    at = pal_mat3_apply(&haptic->frames[near->side].turn, at);
    return pal_vec3_add(at, haptic->frames[near->side].at);
}

static PalVec3 place_on(PalHaptic *haptic, int32_t body, int32_t facet, const float weights[3])
{
    PalVec3 at = {0, 0, 0};
    for (int a = 0; a < 3; ++a)
        at = pal_vec3_add_scaled(
            at, (double)weights[a],
            pal_haptic_position(&haptic->shapes[body], haptic->bodies[body].facets[facet][a]));
    at = pal_mat3_apply(&haptic->frames[body].turn, at);
    return pal_vec3_add(at, haptic->frames[body].at);
}

// Where a point holds on by friction.
static void stick(PalHapticMemory *memory, const PalHapticNear *near)
{
    memory->facet = near->facet;
    memory->part = near->part;
    memcpy(memory->weights, near->weights, sizeof memory->weights);
}

// Two rows along the surface, the first along the friction there was. The gap is the way from
// where the point sticks.
static void add_friction(PalHaptic *haptic, const PalHapticNear *near, PalHapticLink *link,
                         PalVec3 place)
{
    PalHapticRows *rows = &haptic->rows;
    PalHapticMemory *memory = pal_haptic_memory_of(haptic, near);
    PalVec3 anchor = place, along = {0, 0, 0};
    PalVec3 point = pal_vec3_add_scaled(place, near->gap, near->normal);
    if (memory->step + 1 == haptic->step) {
        if (near->far_node != PAL_NONE)
            point = point_on(haptic, near, (double)memory->part);
        anchor = place_on(haptic, 1 - near->side, memory->facet, memory->weights);
        along = pal_vec3_add_scaled(memory->along, -pal_vec3_dot(memory->along, near->normal),
                                    near->normal);
    } else {
        stick(memory, near);
    }
    double length = pal_vec3_length(along);
    link->tangents[0] =
        length > 0 ? pal_vec3_scale(1 / length, along) : pal_vec3_any_across(near->normal);
    link->tangents[1] = pal_vec3_cross(near->normal, link->tangents[0]);
    float most = (float)(haptic->def.friction *
                         (memory->step + 1 == haptic->step ? (double)memory->force[0] : 0));
    for (int i = 0; i < 2; ++i) {
        int32_t row = rows->row_count;
        PalVec3 t = link->tangents[i];
        Member member = {near, t, place, pal_vec3_dot(t, pal_vec3_sub(point, anchor)), 1};
        add_row(haptic, &member);
        rows->low[row] = -most;
        rows->high[row] = most;
        rows->force[row] = (float)pal_vec3_dot(t, along);
    }
}

// Normals follow with half of their change, lest they turn to and fro where a surface gives way
// beneath a single point.
static void steady_normal(const PalHaptic *haptic, PalHapticNear *near)
{
    const PalHapticMemory *memory = pal_haptic_memory_of(haptic, near);
    if (memory->step + 1 != haptic->step)
        return;
    PalVec3 mean = pal_vec3_normalise(pal_vec3_add_scaled(near->normal, 3, memory->normal));
    double along = pal_vec3_dot(mean, near->normal);
    if (along < 0.7)
        return;
    near->gap *= along;
    near->normal = mean;
}

static void add_group(PalHaptic *haptic, const PalHapticGroup *group, int32_t leader)
{
    PalHapticRows *rows = &haptic->rows;
    int32_t row = begin_row(rows);
    float force = 0;
    for (int32_t c = leader; c != PAL_NONE; c = haptic->links[c].next) {
        const PalHapticNear *near = &haptic->finder.near[c];
        PalHapticLink *link = &haptic->links[c];
        link->first_row = row;
        link->share = group->sum > 0 ? link->share / group->sum : 1;
        Member member = {near, near->normal, link->place, near->gap, (double)link->share};
        force += pal_haptic_last_force(haptic, near);
        add_member(haptic, row, &member);
    }
    finish_row(haptic, row);
    rows->low[row] = 0;
    rows->high[row] = INFINITY;
    rows->force[row] = force;
}

static void add_single(PalHaptic *haptic, int32_t c)
{
    PalHapticRows *rows = &haptic->rows;
    const PalHapticNear *near = &haptic->finder.near[c];
    PalHapticLink *link = &haptic->links[c];
    Member member = {near, near->normal, link->place, near->gap, 1};
    int32_t row = link->first_row = rows->row_count;
    link->share = 1;
    add_row(haptic, &member);
    rows->soft[row] = FADE * (1 / near->weight - 1);
    rows->low[row] = 0;
    rows->high[row] = INFINITY;
    rows->force[row] = pal_haptic_last_force(haptic, near);
    if (haptic->def.friction > 0)
        add_friction(haptic, near, link, link->place);
}

void pal_haptic_make_rows(PalHaptic *haptic)
{
    PalHapticFinder *finder = &haptic->finder;
    pal_haptic_rows_reset(&haptic->rows);
    for (int32_t c = 0; c < finder->near_count; ++c) {
        PalHapticNear *near = &finder->near[c];
        steady_normal(haptic, near);
        haptic->links[c].place = place_on(haptic, 1 - near->side, near->facet, near->weights);
    }
    bool grouped = pal_haptic_make_groups(haptic);
    for (int32_t c = 0; c < finder->near_count; ++c) {
        if (!grouped) {
            add_single(haptic, c);
            continue;
        }
        const PalHapticGroup *group = pal_haptic_group_of(haptic, &finder->near[c]);
        int32_t leader = group->first != PAL_NONE ? group->first : group->nearest;
        if (leader == c)
            add_group(haptic, group, leader);
    }
}

// The normal force on a near point.
float pal_haptic_force_on(const PalHaptic *haptic, int32_t near)
{
    const PalHapticLink *link = &haptic->links[near];
    return link->first_row != PAL_NONE ? link->share * haptic->rows.force[link->first_row] : 0;
}

// ---- back ---------------------------------------------------------------------------------

static void pull_node(PalHaptic *haptic, int32_t body, int32_t node, PalVec3 force)
{
    PalVec3 *pull = &haptic->pull[body][node];
    if (haptic->pull_step[body][node] != haptic->step) {
        haptic->pull_step[body][node] = haptic->step;
        haptic->pulled[body][haptic->pulled_count[body]++] = node;
        *pull = pal_vec3(0, 0, 0);
    }
    *pull = pal_vec3_add(*pull, force);
}

static void pull_nodes(PalHaptic *haptic, int32_t body)
{
    const PalHapticRows *rows = &haptic->rows;
    haptic->pulled_count[body] = 0;
    for (int32_t t = 0; t < rows->touch_count[body]; ++t) {
        const PalHapticTouch *touch = &rows->touches[body][t];
        double force = (double)rows->force[touch->row];
        if (force != 0)
            pull_node(haptic, body, touch->node,
                      pal_vec3(force * (double)touch->direction[0],
                               force * (double)touch->direction[1],
                               force * (double)touch->direction[2]));
    }
}

// Adds the local part that a change of a node's force gives to those near it.
static void spread_node(PalHaptic *haptic, int32_t body, int32_t node, PalVec3 f)
{
    const PalVademecum *book = haptic->bodies[body].book;
    PalHapticShape *shape = &haptic->shapes[body];
    for (int32_t j = book->local_start[node]; j < book->local_start[node + 1]; ++j) {
        const float *b = book->local_block + (int64_t)9 * j;
        int32_t near = book->local_node[j];
        if (near >= haptic->bodies[body].node_count && !haptic->defects[body].used)
            break;  // inner nodes come last
        PalVec3 *u = &shape->local[near];
        if (haptic->local_step[body][near] == 0) {
            haptic->local_step[body][near] = 1;
            haptic->local_nodes[body][haptic->local_count[body]++] = near;
        }
        // symmetric: the block's transpose is that of the other node against this one
        u->x += (double)b[0] * f.x + (double)b[3] * f.y + (double)b[6] * f.z;
        u->y += (double)b[1] * f.x + (double)b[4] * f.y + (double)b[7] * f.z;
        u->z += (double)b[2] * f.x + (double)b[5] * f.y + (double)b[8] * f.z;
    }
}

// The forces that the local part was made with follow those that act, where they differ by more
// than a little.
static void follow_forces(PalHaptic *haptic, int32_t body)
{
    PalHapticLocal *local = &haptic->local[body];
    double most = 0;
    for (int32_t i = 0; i < haptic->pulled_count[body]; ++i) {
        int32_t node = haptic->pulled[body][i];
        most = fmax(most, pal_vec3_dot(haptic->pull[body][node], haptic->pull[body][node]));
        if (!local->listed[node]) {
            local->listed[node] = true;
            local->nodes[local->count++] = node;
        }
    }
    double little = LITTLE * LITTLE * most;
    int32_t kept = 0;
    for (int32_t i = 0; i < local->count; ++i) {
        int32_t node = local->nodes[i];
        bool acts = haptic->pull_step[body][node] == haptic->step;
        PalVec3 now = acts ? haptic->pull[body][node] : pal_vec3(0, 0, 0);
        PalVec3 change = pal_vec3_sub(now, local->force[node]);
        double square = pal_vec3_dot(change, change);
        if (square > little || (!acts && square > 0)) {
            spread_node(haptic, body, node, change);
            local->force[node] = now;
        }
        local->listed[node] = acts;
        if (acts)
            local->nodes[kept++] = node;
    }
    local->count = kept;
}

// The local part of all nodes near those that are pulled, and how much it changes at most. A node
// leaves the list where nothing but rounding is left.
static void spread_local(PalHaptic *haptic, int32_t body)
{
    const PalVademecum *book = haptic->bodies[body].book;
    PalHapticShape *shape = &haptic->shapes[body];
    int32_t *list = haptic->local_nodes[body], old_count = haptic->local_count[body];
    PalVec3 *before = haptic->local_before[body];
    if (book == NULL || book->size.local_count == 0)
        return;
    for (int32_t i = 0; i < old_count; ++i)
        before[list[i]] = shape->local[list[i]];
    follow_forces(haptic, body);
    double most = 0, change = 0, least = 1e-24 * shape->local_most * shape->local_most;
    int32_t kept = 0;
    for (int32_t i = 0; i < haptic->local_count[body]; ++i) {
        int32_t node = list[i];
        PalVec3 step = pal_vec3_sub(shape->local[node], before[node]);
        double square = pal_vec3_dot(shape->local[node], shape->local[node]);
        change = fmax(change, pal_vec3_dot(step, step));
        before[node] = pal_vec3(0, 0, 0);
        if (!(square > least) || haptic->local[body].count == 0) {
            shape->local[node] = pal_vec3(0, 0, 0);
            haptic->local_step[body][node] = 0;
            continue;
        }
        most = fmax(most, square);
        list[kept++] = node;
    }
    haptic->local_count[body] = kept;
    haptic->limits[body].near_passed = sqrt(most) > shape->near_most;
    shape->local_most = fmin(sqrt(most), shape->near_most);
    shape->local_change += sqrt(change);
}

// Friction on a near point, in space.
static PalVec3 friction_on(const PalHaptic *haptic, int32_t c)
{
    const PalHapticLink *link = &haptic->links[c];
    const float *force = haptic->rows.force + link->first_row;
    return pal_vec3_add(pal_vec3_scale((double)force[1], link->tangents[0]),
                        pal_vec3_scale((double)force[2], link->tangents[1]));
}

static void remember(PalHaptic *haptic, int32_t c)
{
    const PalHapticNear *near = &haptic->finder.near[c];
    PalHapticMemory *memory = pal_haptic_memory_of(haptic, near);
    memory->step = haptic->step - 1;
    memory->normal = near->normal;
    memory->force[0] = pal_haptic_force_on(haptic, c);
    if (!(haptic->def.friction > 0))
        return;
    memory->along = friction_on(haptic, c);
    double most = (double)haptic->rows.high[haptic->links[c].first_row + 1];
    bool slips = pal_vec3_length(memory->along) >= most;
    if (slips)
        stick(memory, near);
}

void pal_haptic_remember(PalHaptic *haptic)
{
    for (int32_t c = 0; c < haptic->finder.near_count; ++c)
        remember(haptic, c);
}

static void add_up(PalHaptic *haptic)
{
    PalHapticForce *answer = &haptic->answer;
    answer->contact_force = answer->contact_torque = pal_vec3(0, 0, 0);
    answer->contacts = 0;
    answer->candidates = haptic->finder.near_count;
    answer->deepest = 0;
    for (int32_t c = 0; c < haptic->finder.near_count; ++c) {
        const PalHapticNear *near = &haptic->finder.near[c];
        double force = (double)pal_haptic_force_on(haptic, c);
        answer->deepest = fmax(answer->deepest, -near->gap);
        if (force == 0)
            continue;
        ++answer->contacts;
        PalVec3 push = pal_vec3_scale(force, near->normal);
        if (haptic->def.friction > 0)
            push = pal_vec3_add(push, friction_on(haptic, c));
        push = pal_vec3_scale(near->side == 1 ? 1 : -1, push);
        PalVec3 arm = pal_vec3_sub(haptic->links[c].place, haptic->poses[1].position);
        answer->contact_force = pal_vec3_add(answer->contact_force, push);
        answer->contact_torque = pal_vec3_add(answer->contact_torque, pal_vec3_cross(arm, push));
    }
}

void pal_haptic_take_forces(PalHaptic *haptic)
{
    const PalHapticRows *rows = &haptic->rows;
    PalHapticForce last = haptic->answer;
    double moved[6];
    memcpy(moved, haptic->moved, sizeof moved);
    add_up(haptic);
    double soft = haptic->def.coupling > 0 ? 1 / haptic->def.coupling : 0;
    double soft_turn = haptic->def.coupling_turn > 0 ? 1 / haptic->def.coupling_turn : 0;
    for (int k = 0; k < 6; ++k) {
        double each = k < 3 ? soft : soft_turn, sum = 0;
        for (int32_t row = 0; row < rows->row_count && each > 0; ++row)
            sum += (double)rows->force[row] * (double)rows->push[row][k];
        haptic->moved[k] = each * sum;
    }
    pal_haptic_limit_change(haptic, &last, moved);
}

void pal_haptic_spread(PalHaptic *haptic)
{
    for (int32_t body = 0; body < 2; ++body) {
        pull_nodes(haptic, body);
        spread_local(haptic, body);
    }
}
