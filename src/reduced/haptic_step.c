// A step. Whatever does not need the new pose is done before it is known: after a step the loop
// looks for near points, makes rows and their compliance (pal_haptic_prepare). The new pose shifts
// gaps, which is exact to first order, and only the complementarity problem is left to be solved.
#include "base/timer.h"
#include "reduced/haptic.h"
#include "reduced/haptic_lanes.h"
#include <math.h>
#include <string.h>

#define SWEEPS       40
#define SWEEP_WORK   250000   // multiplications of sweeps over many rows while the force is due
#define SWEEP_AHEAD  1500000  // and before
#define TOLERANCE    1e-5
#define FORCES_WORK  400000   // multiplications in a step for large displacements
#define TANGENT_WORK 1600000  // and for their tangent
#define FEW          64       // near points: with more there is a quarter of this
#define BEHIND       0.05     // of displacements: what is left of corrections to come
#define DEFECT_WORK  120000   // and for corrections near contact
#define NEW_POINTS   6        // that may begin to touch in a step, where time is short
#define EDGES_FULL   100      // near nodes: up to so many edges count in full
#define EDGES_NONE   200      // and from so many on not at all
#define EDGES_RATE   0.05     // of the change of their weight, in a step
#define MARGIN       0.03     // of an edge: points that are nearer are looked at
#define MARGIN_WAYS  3        // and of how far bodies moved in the last step
#define MARGIN_DECAY 0.9      // of a wider one, in a step
#define SHIFT_MOST   0.8      // of the margin: farther, points are looked for again

bool pal_haptic_is_late(void *context)
{
    const PalHaptic *haptic = context;
    return haptic->end_time > 0 && pal_timer_seconds() > haptic->end_time;
}

static double time_left(const PalHaptic *haptic)
{
    return haptic->end_time > 0 ? haptic->end_time - pal_timer_seconds() : INFINITY;
}

// Whether large displacements of a body are corrected.
static bool is_corrected(const PalHaptic *haptic, int32_t body)
{
    const PalHapticBalance *balance = &haptic->balances[body];
    return haptic->def.correct && balance->used && !balance->beyond;
}

// Phi' of the forces of contact.
static const float *load_of(PalHaptic *haptic, int32_t body)
{
    const PalHapticBody *about = &haptic->bodies[body];
    float *load = haptic->work[3];
    memset(load, 0, (size_t)about->stride * sizeof *load);
    for (int32_t i = 0; i < haptic->pulled_count[body] && haptic->balances[body].switched; ++i) {
        int32_t node = haptic->pulled[body][i];
        PalVec3 f =
            pal_mat3_apply(pal_haptic_patch(&haptic->shapes[body], node), haptic->pull[body][node]);
        const float factors[3] = {(float)f.x, (float)f.y, (float)f.z};
        pal_rows_add(about->rows + (int64_t)3 * node * about->stride, factors, 3, about->stride,
                     load);
    }
    return load;
}

static void balance_body(PalHaptic *haptic, int32_t body)
{
    PalHapticShape *shape = &haptic->shapes[body];
    PalHapticBalance *balance = &haptic->balances[body];
    if (!is_corrected(haptic, body) || shape->q_length == 0)
        return;
    int32_t part = haptic->finder.near_count > FEW ? 4 : 1;
    pal_haptic_balance_advance(balance, shape->q_short, FORCES_WORK / part);
    pal_haptic_balance_follow(balance, shape->q_short, TANGENT_WORK / part);
    pal_haptic_balance_glide(balance, shape->q, load_of(haptic, body));
}

// Whether corrections are only on their way, as after a brisk motion: the force is off by once to
// twice that part.
static bool is_behind(const PalHapticBalance *balance, const float *q)
{
    double left = 0, size = 0;
    for (int32_t k = 0; k < balance->stride; ++k) {
        double way = (double)balance->goal[k] - (double)balance->star[k];
        left += way * way;
        size += (double)q[k] * (double)q[k];
    }
    return left > BEHIND * BEHIND * size;
}

// work = q - q*, where q* is what the modes would come to without contact.
static void prepare_modes(PalHaptic *haptic, int32_t body)
{
    PalHapticShape *shape = &haptic->shapes[body];
    PalHapticBalance *balance = &haptic->balances[body];
    float *difference = haptic->work[body];
    int32_t stride = haptic->bodies[body].stride;
    memcpy(difference, shape->q_short, (size_t)stride * sizeof(float));
    haptic->predicted = haptic->predicted || (haptic->def.correct && balance->beyond);
    if (!is_corrected(haptic, body) || shape->q_length == 0)
        return;
    double start = haptic->end_time > 0 ? pal_timer_seconds() : 0;
    if (!haptic->prepared && time_left(haptic) < 3 * haptic->forces_seconds[body]) {
        haptic->predicted = true;
        haptic->forces_seconds[body] *= 0.9;
    } else if (!haptic->prepared) {
        balance_body(haptic, body);
        if (haptic->end_time > 0)
            haptic->forces_seconds[body] = pal_timer_seconds() - start;
    }
    haptic->predicted = haptic->predicted || is_behind(balance, shape->q_short);
    for (int32_t k = 0; k < stride; ++k)
        difference[k] -= balance->star[k];
}

// Rows of J in the coordinates in which the tangent is the identity.
static void turn_rows(PalHaptic *haptic, int32_t body)
{
    PalHapticRows *rows = &haptic->rows;
    const PalHapticBalance *balance = &haptic->balances[body];
    if (rows->row_count > 0)
        pal_rows_turn(balance->turn, balance->mode_count, balance->stride,
                      pal_haptic_row(rows, 0, body), rows->row_count, rows->width);
}

static bool turns(const PalHaptic *haptic, int32_t body)
{
    return is_corrected(haptic, body) && haptic->balances[body].turned;
}

// q = q* + T' (T J)' f, but no farther in one step than a part of what was computed before.
static void move_modes(PalHaptic *haptic, int32_t body, bool turned)
{
    PalHapticShape *shape = &haptic->shapes[body];
    int32_t count = haptic->bodies[body].mode_count;
    const float *sum = haptic->rows.sum + haptic->rows.first[body];
    if (turned) {
        pal_haptic_balance_turn_back(&haptic->balances[body], sum, haptic->work[2]);
        sum = haptic->work[2];
    }
    double length = 0;
    for (int32_t k = 0; k < count; ++k) {
        double step = (double)sum[k] - (double)haptic->work[body][k];
        length += step * step;
    }
    double most = haptic->balances[body].used ? 0.3 * haptic->balances[body].reach : INFINITY;
    length = sqrt(length);
    double part = length > most && most > 0 ? most / length : 1;
    for (int32_t k = 0; k < count; ++k)
        shape->q[k] += part * ((double)sum[k] - (double)haptic->work[body][k]);
    haptic->limits[body].way_left -= haptic->bodies[body].widest * part * length;
    pal_haptic_limit_modes(haptic, body);
    // Nothing holds it, and it has come to rest but for rounding.
    if (haptic->rows.row_count == 0 &&
        (!haptic->balances[body].known || length < 1e-5 * haptic->balances[body].reach)) {
        memset(shape->q, 0, (size_t)count * sizeof *shape->q);
        pal_haptic_balance_rest(&haptic->balances[body]);
    }
}

static void list_carriers(PalHaptic *haptic)
{
    haptic->carrier_count = haptic->pair_carrier_count = 0;
    for (int32_t c = 0; c < haptic->finder.near_count; ++c) {
        const PalHapticNear *near = &haptic->finder.near[c];
        if (!(pal_haptic_force_on(haptic, c) > 0))
            continue;
        if (near->pair != PAL_NONE)
            haptic->pair_carriers[haptic->pair_carrier_count++] = near->pair;
        else
            haptic->carriers[haptic->carrier_count++] =
                near->side == 1 ? -1 - near->node : near->node;
    }
}

// Brings the deepest of the points from `first` on to the front, so many of them.
static void deepest_first(PalHapticFinder *finder, int32_t first, int32_t count)
{
    for (int32_t i = first; i < first + count && i < finder->near_count; ++i) {
        int32_t best = i;
        for (int32_t c = i + 1; c < finder->near_count; ++c)
            best = finder->near[c].gap < finder->near[best].gap ? c : best;
        PalHapticNear swapped = finder->near[i];
        finder->near[i] = finder->near[best];
        finder->near[best] = swapped;
    }
}

// Fewer points where there is no time for all of them: those that carried force, which are first,
// and the deepest of the others.
static void thin_out(PalHaptic *haptic)
{
    PalHapticFinder *finder = &haptic->finder;
    double room = 0.7 * time_left(haptic), each = haptic->row_seconds[haptic->prepared];
    if (!(each * finder->near_count > room))
        return;
    int32_t keep = room > 0 ? (int32_t)(room / each) : 0;
    int32_t carriers = haptic->carrier_count + haptic->pair_carrier_count,
            least = carriers + NEW_POINTS;
    keep = keep < least ? least : keep;
    if (keep >= finder->near_count)
        return;
    deepest_first(finder, carriers, keep - carriers);
    finder->near_count = keep;
    finder->coarse = true;
}

// How far any point can have moved since then: with its body, which may turn.
static double way_of_frame(const PalHaptic *haptic, int32_t body, const PalHapticFrame *since)
{
    const PalHapticFrame *frame = &haptic->frames[body];
    double turned = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double change = frame->turn.m[i][j] - since->turn.m[i][j];
            turned += change * change;
        }
    double far = haptic->radius[body] + haptic->shapes[body].reach;
    return pal_vec3_distance(frame->at, since->at) + sqrt(turned) * far;
}

// Adds how far any point can have moved since the last search: with its body, by modes, and by the
// local part.
static void add_way(PalHaptic *haptic)
{
    haptic->last_way = 0;
    for (int s = 0; s < 2; ++s) {
        PalHapticShape *shape = &haptic->shapes[s];
        float *change = haptic->work[2];
        int32_t stride = haptic->bodies[s].stride;
        shape->reach =
            pal_haptic_shape_reach(shape, shape->q_short) + shape->local_most + shape->bias_most;
        double way = way_of_frame(haptic, s, &haptic->last_frames[s]);
        haptic->last_way += way;
        for (int32_t k = 0; k < stride; ++k)
            change[k] = shape->q_short[k] - haptic->last_q[s][k];
        haptic->finder.way +=
            way + pal_haptic_shape_reach(shape, change) + shape->local_change + shape->turn_change;
        memcpy(haptic->last_q[s], shape->q_short, (size_t)stride * sizeof(float));
        shape->local_change = shape->turn_change = 0;
        haptic->last_frames[s] = haptic->frames[s];
    }
}

// What is remembered of pairs of edges that were not met lately is of others.
static void forget_others(PalHaptic *haptic)
{
    PalHapticFinder *finder = &haptic->finder;
    for (int32_t c = 0; c < finder->near_count; ++c) {
        int32_t pair = finder->near[c].pair;
        if (pair != PAL_NONE && finder->crossings.pairs[pair].fresh)
            haptic->pair_memory[pair] = (PalHapticMemory){0};
        if (pair != PAL_NONE)
            finder->crossings.pairs[pair].fresh = false;
    }
}

// Two edges no longer cross: the node that came over the other edge goes on with their force.
// Shares of groups follow forces; single rows need no start.
static void hand_over(PalHaptic *haptic, int32_t pair, const double parts[2])
{
    PalHapticMemory *from = &haptic->pair_memory[pair];
    const PalHapticPair *edges = &haptic->finder.crossings.pairs[pair];
    int32_t which = fabs(parts[0] - 0.5) > fabs(parts[1] - 0.5) ? 0 : 1, side = 1 - which;
    int32_t node = haptic->bodies[side].edges[edges->edges[which]].nodes[parts[which] > 0.5];
    PalHapticMemory *to = &haptic->memory[side][node];
    if (fabs(parts[which] - 0.5) < 0.5 || haptic->group_level == 0 || !(from->force[0] > 0))
        return;
    PalVec3 normal = pal_vec3_scale(side == 1 ? 1 : -1, from->normal);
    if (to->step + 1 != haptic->step)
        *to = (PalHapticMemory){.step = haptic->step - 1};
    normal = pal_vec3_scale((double)from->force[0], normal);
    normal = pal_vec3_add_scaled(normal, (double)to->force[0], to->normal);
    to->normal = pal_vec3_normalise(normal);
    to->force[0] += from->force[0];
    from->force[0] = 0;
}

// Those that carried force come first: where time is short there will be no others.
static void find_carriers(PalHaptic *haptic)
{
    PalHapticFinder *finder = &haptic->finder;
    for (int32_t i = 0; i < haptic->pair_carrier_count; ++i) {
        double parts[2];
        int32_t pair = haptic->pair_carriers[i];
        if (!pal_haptic_find_pair(finder, pair, parts))
            hand_over(haptic, pair, parts);
    }
    for (int32_t i = 0; i < haptic->carrier_count; ++i) {
        int32_t carrier = haptic->carriers[i];
        pal_haptic_find_point(finder, carrier < 0 ? 1 : 0, carrier < 0 ? -1 - carrier : carrier);
    }
}

// Where many nodes carry force, edges between them count for little, and would cost much: they
// fade.
static void weigh_crossings(PalHaptic *haptic)
{
    PalHapticCrossings *crossings = &haptic->finder.crossings;
    int32_t nodes = haptic->finder.near_count - haptic->pair_carrier_count;
    double wish = (EDGES_NONE - nodes) / (double)(EDGES_NONE - EDGES_FULL);
    wish = fmin(1, fmax(0, wish));
    crossings->weight += EDGES_RATE * (wish - crossings->weight);
    if (wish == 0 && crossings->weight < EDGES_RATE)
        crossings->weight = 0;
}

static void find_within(PalHaptic *haptic, double margin)
{
    PalHapticFinder *finder = &haptic->finder;
    finder->margin = margin;
    finder->near_count = 0;
    finder->full = false;
    finder->crossings.close_count = 0;
    ++finder->search;
    find_carriers(haptic);
    pal_haptic_find(finder, 1);
    if (haptic->def.both_shells)
        pal_haptic_find(finder, 0);
    if (finder->crossings.used)
        weigh_crossings(haptic);
    if (finder->crossings.weight > 0 && !finder->coarse)
        pal_haptic_find_crossings(finder);
    forget_others(haptic);
}

// All points that can come to touch in this step have to be among the rows: surfaces give way by as
// much as the deepest point is inside, and those beside it follow.
void pal_haptic_look(PalHaptic *haptic)
{
    PalHapticFinder *finder = &haptic->finder;
    double edge = fmin(haptic->bodies[0].edge, haptic->bodies[1].edge), deepest = 0;
    finder->coarse = false;
    finder->visited = 0;
    finder->late = haptic->end_time > 0 ? pal_haptic_is_late : NULL;
    add_way(haptic);
    haptic->margin = fmax(MARGIN * edge + MARGIN_WAYS * fmin(haptic->last_way, edge),
                          MARGIN_DECAY * haptic->margin);
    find_within(haptic, haptic->margin);
    for (int32_t c = 0; c < finder->near_count; ++c)
        deepest = fmax(deepest, -finder->near[c].gap);
    // What was as deep before does not give way, such as two bodies that are held where they
    // overlap.
    double sunk = fmax(0, deepest - haptic->deepest);
    haptic->deepest = deepest;
    if (sunk > 0.5 * haptic->margin && !finder->coarse) {
        haptic->margin = fmin(2 * sunk + MARGIN * edge, 2 * edge);
        find_within(haptic, haptic->margin);
    }
}

// ---- rows ---------------------------------------------------------------------------------

// Modes and memories of the last step's forces. None of it is needed to hand the force over.
static void take_up(PalHaptic *haptic)
{
    pal_haptic_rows_sum(&haptic->rows);
    for (int32_t body = 0; body < 2; ++body) {
        move_modes(haptic, body, haptic->rows_turned[body]);
        pal_haptic_shape_moved(&haptic->shapes[body]);
    }
    pal_haptic_remember(haptic);
    list_carriers(haptic);
    // where a point was when bodies were in each other may be another side of a thin part
    haptic->touched = haptic->touched || haptic->finder.near_count > 0;
    if (haptic->touched && haptic->finder.near_count == 0 &&
        haptic->shapes[0].q_length + haptic->shapes[1].q_length == 0)
        pal_haptic_forget(haptic);
}

// Displacements of the last step's forces.
void pal_haptic_settle(PalHaptic *haptic)
{
    if (haptic->settled)
        return;
    take_up(haptic);
    pal_haptic_spread(haptic);
    for (int32_t body = 0; body < 2; ++body)
        pal_haptic_shape_moved(&haptic->shapes[body]);
    haptic->settled = true;
}

// Corrections where contact is, by the full equations.
static void correct_near(PalHaptic *haptic, int32_t body)
{
    PalHapticDefect *defect = &haptic->defects[body];
    PalHapticShape *shape = &haptic->shapes[body];
    PalHapticPulls pulls = {haptic->pulled_count[body], haptic->pulled[body], haptic->pull[body]};
    bool moved = defect->used && defect->biased_count > 0;
    if (!defect->used)
        return;
    // nothing that moves a point farther than a patch is a correction
    if (pulls.count == 0 || !is_corrected(haptic, body) ||
        !(shape->bias_most < haptic->bodies[body].book->facts.patch))
        pal_haptic_defect_rest(defect, shape, &haptic->balances[body]);
    else
        moved =
            pal_haptic_defect_advance(defect, shape, &haptic->balances[body], &pulls, DEFECT_WORK);
    if (moved)
        pal_haptic_shape_moved(shape);
}

// Near points and their compliance, where bodies are now.
static void make_ready(PalHaptic *haptic, double deadline)
{
    double end = haptic->end_time;
    pal_haptic_settle(haptic);
    for (int32_t body = 0; body < 2 && (end == 0 || haptic->prepared); ++body)
        correct_near(haptic, body);
    if (end > 0)
        haptic->end_time = end - (haptic->prepared ? 0.3 : 0.6) * deadline;  // to find points
    pal_haptic_look(haptic);
    haptic->end_time = end;
    haptic->found_time = end > 0 ? pal_timer_seconds() : 0;
    haptic->predicted = false;
    for (int32_t body = 0; body < 2; ++body)
        prepare_modes(haptic, body);
    if (end > 0)
        thin_out(haptic);
    pal_haptic_make_rows(haptic);
    const PalHapticBody *const bodies[2] = {&haptic->bodies[0], &haptic->bodies[1]};
    bool few = haptic->rows.row_count <= PAL_HAPTIC_DENSE;
    for (int32_t body = 0; body < 2; ++body) {
        haptic->rows_turned[body] = few && turns(haptic, body);
        if (haptic->rows_turned[body])
            turn_rows(haptic, body);
        haptic->made_frames[body] = haptic->frames[body];
    }
    pal_haptic_rows_couple(&haptic->rows, bodies);
    haptic->ready = true;
}

// How many sweeps over many rows are so many multiplications.
static int32_t sweeps_of(const PalHaptic *haptic, int32_t operations)
{
    const PalHapticRows *rows = &haptic->rows;
    int32_t sweeps = operations / (rows->row_count * rows->width + 1);
    return sweeps < 1 ? 1 : sweeps > SWEEPS ? SWEEPS : sweeps;
}

// How long a near point took, lately.
static void note_seconds(PalHaptic *haptic)
{
    double *mean = &haptic->row_seconds[haptic->prepared];
    if (!(haptic->end_time > 0) || haptic->finder.near_count == 0)
        return;
    double seconds = (pal_timer_seconds() - haptic->found_time) / haptic->finder.near_count;
    double old = *mean > 0 ? *mean : 1e-6;
    *mean = 0.9 * old + 0.1 * fmin(seconds, 4 * old);  // others may interrupt
}

void pal_haptic_prepare(PalHaptic *haptic)
{
    pal_haptic_prepare_within(haptic, 0);
}

void pal_haptic_prepare_within(PalHaptic *haptic, double seconds)
{
    if (haptic->prepared || haptic->def.answer == PAL_HAPTIC_PRINTED)
        return;
    haptic->end_time = seconds > 0 ? pal_timer_seconds() + seconds : 0;
    pal_haptic_settle(haptic);
    pal_haptic_set_frames(haptic);
    for (int32_t body = 0; body < 2; ++body)
        balance_body(haptic, body);
    haptic->prepared = true;
    make_ready(haptic, seconds);
    haptic->rows.late = seconds > 0 ? pal_haptic_is_late : NULL;
    haptic->rows.context = haptic;
    pal_haptic_rows_shift(&haptic->rows, haptic->last_moved);  // as if it went on as before
    pal_haptic_rows_expect(&haptic->rows, TOLERANCE);
    if (haptic->rows.row_count > PAL_HAPTIC_DENSE)
        pal_haptic_rows_solve(&haptic->rows, sweeps_of(haptic, SWEEP_AHEAD), TOLERANCE, false);
    note_seconds(haptic);
}

// How the tool has moved against body 0 since rows were made, about where it was then.
static void moved_since(const PalHaptic *haptic, double moved[6])
{
    PalVec3 way[2], turn[2];
    for (int s = 0; s < 2; ++s) {
        const PalHapticFrame *made = &haptic->made_frames[s];
        PalMat3 back = pal_mat3_transpose(&made->turn);
        PalMat3 change = pal_mat3_multiply(&haptic->frames[s].turn, &back);
        way[s] = pal_vec3_sub(haptic->frames[s].at, made->at);
        turn[s] = pal_vec3(0.5 * (change.m[2][1] - change.m[1][2]),
                           0.5 * (change.m[0][2] - change.m[2][0]),
                           0.5 * (change.m[1][0] - change.m[0][1]));
    }
    PalVec3 arm = pal_vec3_sub(haptic->made_frames[1].at, haptic->made_frames[0].at);
    PalVec3 by_turn = pal_vec3_add(way[0], pal_vec3_cross(turn[0], arm));
    PalVec3 along = pal_vec3_sub(way[1], by_turn), about = pal_vec3_sub(turn[1], turn[0]);
    const double all[6] = {along.x, along.y, along.z, about.x, about.y, about.z};
    memcpy(moved, all, sizeof all);
}

// Whether rows that were made before serve for the new poses.
static bool rows_serve(const PalHaptic *haptic)
{
    if (!haptic->ready || (haptic->finder.coarse && !haptic->prepared))
        return false;
    double way = 0;
    for (int32_t body = 0; body < 2; ++body)
        way += way_of_frame(haptic, body, &haptic->made_frames[body]);
    return way <= SHIFT_MOST * haptic->margin;
}

// Starts anew from rest, with the last force.
static void start_over(PalHaptic *haptic)
{
    PalHapticForce last = haptic->answer;
    uint32_t step = haptic->step;
    bool told = haptic->watch.told;
    pal_haptic_reset(haptic);
    haptic->watch.told = told;
    haptic->answer = last;
    haptic->step = step;
    haptic->quality = PAL_HAPTIC_HELD;
}

static void answer_ours(PalHaptic *haptic, double deadline)
{
    PalHapticRows *rows = &haptic->rows;
    double moved[6];
    if (!rows_serve(haptic))
        make_ready(haptic, deadline);
    moved_since(haptic, moved);
    memcpy(haptic->last_moved, moved, sizeof moved);
    pal_haptic_rows_shift(rows, moved);
    rows->late = haptic->end_time > 0 ? pal_haptic_is_late : NULL;
    rows->context = haptic;
    bool ahead = haptic->prepared && rows->row_count > PAL_HAPTIC_DENSE;
    pal_haptic_rows_solve(rows, ahead ? sweeps_of(haptic, SWEEP_WORK) : SWEEPS, TOLERANCE, ahead);
    if (!pal_haptic_limit_forces(haptic)) {
        start_over(haptic);
        return;
    }
    pal_haptic_take_forces(haptic);
    haptic->settled = haptic->ready = false;
    haptic->answer.residual = rows->change;
    if (!haptic->prepared)
        note_seconds(haptic);
    haptic->quality = pal_haptic_is_beyond(haptic)                   ? PAL_HAPTIC_BEYOND
                      : haptic->finder.coarse || haptic->finder.full ? PAL_HAPTIC_COARSE
                      : haptic->predicted                            ? PAL_HAPTIC_PREDICTED
                                                                     : PAL_HAPTIC_FULL;
}

PalHapticQuality pal_haptic_step(PalHaptic *haptic, double deadline)
{
    haptic->end_time = deadline > 0 ? pal_timer_seconds() + deadline : 0;
    pal_haptic_set_frames(haptic);
    if (deadline > 0 && deadline < 2e-6)
        haptic->quality = PAL_HAPTIC_HELD;
    else if (haptic->def.answer == PAL_HAPTIC_PRINTED)
        pal_haptic_printed_step(haptic);
    else
        answer_ours(haptic, deadline);
    ++haptic->step;
    haptic->prepared = false;
    pal_haptic_watch(haptic);
    return haptic->quality;
}
