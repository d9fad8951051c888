// Two bodies that touch, step after step.
#include "reduced/haptic.h"

#include "base/choice.h"
#include "base/memory.h"
#include "base/timer.h"
#include "reduced/haptic_lanes.h"
#include <math.h>
#include <string.h>

#define SWEEPS       40
#define TOLERANCE    1e-5
#define FORCES_WORK  100000  // multiplications in a step for large displacements
#define TANGENT_WORK 400000  // and for their tangent
#define MARGIN       0.03    // of an edge: points that are nearer are looked at
#define MARGIN_DECAY 0.9     // of a wider one, in a step

static const PalChoice answers[] = {
    {"ours", "complementarity on the compliance of both surfaces, with friction and correction"},
    {"printed", "a penalty on the depth of points in a distance field, and superposition"},
};

PAL_CHOICE_ARRAY(haptic_answer, PalHapticAnswer, answers)

const char *pal_haptic_quality_name(PalHapticQuality quality)
{
    static const char *const names[] = {"full", "predicted", "coarse", "held"};
    return names[quality];
}

PalHapticDef pal_haptic_def_default(void)
{
    return (PalHapticDef){
        .correct = true,
        .both_shells = true,
        .step = 0.001,
        .observe = true,
        .contact_max = 1024,
    };
}

static PalStatus check(const PalHapticDef *def, PalError *error)
{
    for (int s = 0; s < 2; ++s)
        if ((def->books[s] == NULL) == (def->rigids[s] == NULL))
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "each of two bodies is a vademecum or a rigid surface");
    if (!(def->friction >= 0 && def->friction < 1e6) || !(def->coupling >= 0) ||
        !(def->coupling_turn >= 0) || !(def->penalty >= 0) || !(def->step > 0) ||
        !isfinite(def->coupling + def->coupling_turn + def->penalty + def->step))
        return pal_error_set(error, PAL_BAD_INPUT,
                             "friction, penalty and coupling are 0 or more, a step is above 0");
    for (int s = 0; s < 2; ++s)
        if (def->books[s] != NULL && def->books[s]->facts.method == PAL_VADEMECUM_PGD &&
            def->answer != PAL_HAPTIC_PRINTED)
            return pal_error_set(error, PAL_BAD_INPUT,
                                 "a vademecum of the method pgd can be answered as printed only");
    if (def->contact_max < 1 || def->contact_max > 1 << 20)
        return pal_error_set(error, PAL_BAD_INPUT, "there is room for 1 to %d contacts", 1 << 20);
    return PAL_OK;
}

static bool make_room(PalHaptic *haptic)
{
    PalHapticFinder *finder = &haptic->finder;
    size_t contacts = (size_t)haptic->def.contact_max, wide = 8, clusters = 1;
    bool enough = true;
    for (int s = 0; s < 2; ++s) {
        const PalHapticBody *body = &haptic->bodies[s];
        size_t nodes = (size_t)body->node_count;
        wide = (size_t)body->stride > wide ? (size_t)body->stride : wide;
        clusters = (size_t)body->cluster_count > clusters ? (size_t)body->cluster_count : clusters;
        finder->shapes[s] = &haptic->shapes[s];
        finder->frames[s] = &haptic->frames[s];
        finder->last_facet[s] = pal_alloc(nodes, sizeof(int32_t));
        finder->node_key[s] = pal_alloc(nodes, sizeof(double));
        finder->listed[s] = pal_alloc(nodes, sizeof(uint32_t));
        finder->cluster_key[s] = pal_alloc((size_t)body->cluster_count, sizeof(double));
        haptic->last_q[s] = pal_alloc((size_t)body->stride + 8, sizeof(float));
        haptic->memory[s] = pal_alloc(nodes, sizeof(PalHapticMemory));
        haptic->pull[s] = pal_alloc(nodes, sizeof(PalVec3));
        haptic->pulled[s] = pal_alloc(nodes, sizeof(int32_t));
        haptic->local_nodes[s] = pal_alloc(nodes, sizeof(int32_t));
        haptic->pull_step[s] = pal_alloc(nodes, sizeof(uint32_t));
        haptic->local_step[s] = pal_alloc(nodes, sizeof(uint32_t));
        enough = enough && finder->listed[s] != NULL && finder->node_key[s] != NULL &&
                 finder->cluster_key[s] != NULL && haptic->last_q[s] != NULL &&
                 finder->last_facet[s] != NULL && haptic->memory[s] != NULL &&
                 haptic->pull[s] != NULL && haptic->pulled[s] != NULL &&
                 haptic->local_nodes[s] != NULL && haptic->pull_step[s] != NULL &&
                 haptic->local_step[s] != NULL;
    }
    for (int i = 0; i < 4; ++i) {
        haptic->work[i] = pal_alloc(wide, sizeof(float));
        enough = enough && haptic->work[i] != NULL;
    }
    finder->queue = pal_alloc(clusters, sizeof(int32_t));
    finder->queue_facet = pal_alloc(clusters, sizeof(int32_t));
    finder->near = pal_alloc(contacts, sizeof(PalHapticNear));
    finder->near_max = haptic->def.contact_max;
    finder->context = haptic;
    haptic->links = pal_alloc(contacts, sizeof(PalHapticLink));
    haptic->carriers = pal_alloc(contacts, sizeof(int32_t));
    return enough && finder->queue != NULL && finder->queue_facet != NULL && finder->near != NULL &&
           haptic->links != NULL && haptic->carriers != NULL;
}

static PalStatus fill(PalHaptic *haptic, PalError *error)
{
    const PalHapticDef *def = &haptic->def;
    for (int s = 0; s < 2; ++s) {
        PalHapticSurface rigid = {0};
        if (def->rigids[s] != NULL)
            rigid = (PalHapticSurface){def->rigids[s]->node_count, def->rigids[s]->facet_count,
                                       def->rigids[s]->nodes, def->rigids[s]->facets};
        PAL_TRY(pal_haptic_body_init(&haptic->bodies[s], def->books[s], &rigid, error));
        PAL_TRY(pal_haptic_shape_init(&haptic->shapes[s], &haptic->bodies[s], error));
        PAL_TRY(pal_haptic_balance_init(&haptic->balances[s], def->books[s], error));
        haptic->def.rigids[s] = NULL;  // was copied
        haptic->poses[s].rotation = pal_quaternion_identity();
    }
    const PalHapticBody *const bodies[2] = {&haptic->bodies[0], &haptic->bodies[1]};
    PAL_TRY(pal_haptic_rows_init(&haptic->rows, def->contact_max * (def->friction > 0 ? 3 : 1),
                                 bodies, error));
    if (!make_room(haptic))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a haptic loop");
    pal_haptic_reset(haptic);
    return PAL_OK;
}

PalStatus pal_haptic_create(const PalHapticDef *def, PalHaptic **haptic, PalError *error)
{
    *haptic = NULL;
    PAL_TRY(check(def, error));
    PalHaptic *made = pal_alloc(1, sizeof *made);
    if (made == NULL)
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for a haptic loop");
    made->def = *def;
    PalStatus status = fill(made, error);
    if (status == PAL_OK)
        *haptic = made;
    else
        pal_haptic_destroy(made);
    return status;
}

void pal_haptic_destroy(PalHaptic *haptic)
{
    if (haptic == NULL)
        return;
    for (int s = 0; s < 2; ++s) {
        pal_haptic_shape_clear(&haptic->shapes[s]);
        pal_haptic_balance_clear(&haptic->balances[s]);
        pal_haptic_body_clear(&haptic->bodies[s]);
        pal_free(haptic->finder.last_facet[s]);
        pal_free(haptic->finder.node_key[s]);
        pal_free(haptic->finder.listed[s]);
        pal_free(haptic->finder.cluster_key[s]);
        pal_free(haptic->last_q[s]);
        pal_free(haptic->memory[s]);
        pal_free(haptic->pull[s]);
        pal_free(haptic->pulled[s]);
        pal_free(haptic->local_nodes[s]);
        pal_free(haptic->pull_step[s]);
        pal_free(haptic->local_step[s]);
    }
    for (int i = 0; i < 4; ++i)
        pal_free(haptic->work[i]);
    pal_haptic_rows_clear(&haptic->rows);
    pal_free(haptic->finder.queue);
    pal_free(haptic->finder.queue_facet);
    pal_free(haptic->finder.near);
    pal_free(haptic->links);
    pal_free(haptic->carriers);
    pal_free(haptic);
}

static void forget_gaps(PalHaptic *haptic, int s)
{
    const PalHapticBody *body = &haptic->bodies[s];
    haptic->finder.way = 0;
    for (int32_t n = 0; n < body->node_count; ++n) {
        haptic->finder.node_key[s][n] = -INFINITY;
        haptic->radius[s] = fmax(haptic->radius[s], pal_vec3_length(body->rest[n]));
    }
    for (int32_t c = 0; c < body->cluster_count; ++c)
        haptic->finder.cluster_key[s][c] = -INFINITY;
}

void pal_haptic_reset(PalHaptic *haptic)
{
    for (int s = 0; s < 2; ++s) {
        PalHapticShape *shape = &haptic->shapes[s];
        size_t nodes = (size_t)haptic->bodies[s].node_count;
        memset(shape->q, 0, (size_t)haptic->bodies[s].stride * sizeof(double));
        memset(shape->q_short, 0, 3 * (size_t)haptic->bodies[s].stride * sizeof(float));
        memset(shape->local, 0, nodes * sizeof *shape->local);
        memset(haptic->memory[s], 0, nodes * sizeof *haptic->memory[s]);
        memset(haptic->pull_step[s], 0, nodes * sizeof(uint32_t));
        memset(haptic->local_step[s], 0, nodes * sizeof(uint32_t));
        forget_gaps(haptic, s);
        for (size_t n = 0; n < nodes; ++n) {
            haptic->finder.last_facet[s][n] = PAL_NONE;
            shape->turn[n] = pal_mat3_identity();
        }
        shape->local_most = 0;
        haptic->local_count[s] = 0;
        pal_haptic_balance_rest(&haptic->balances[s]);
        pal_haptic_shape_moved(shape);
    }
    memset(haptic->moved, 0, sizeof haptic->moved);
    haptic->answer = (PalHapticForce){0};
    haptic->finder.near_count = haptic->carrier_count = 0;
    haptic->watch.known = false;
    haptic->margin = haptic->deepest = 0;
    haptic->step = 1;
    pal_haptic_set_frames(haptic);
}

bool pal_haptic_set_pose(PalHaptic *haptic, int32_t body, const PalHapticPose *pose)
{
    PalQuaternion q = pose->rotation;
    double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (body < 0 || body > 1 || !pal_vec3_is_finite(pose->position) ||
        !(square > 0.25 && square < 4) || pal_vec3_length(pose->position) > 1e12)
        return false;
    haptic->poses[body].position = pose->position;
    haptic->poses[body].rotation = pal_quaternion_normalise(q);
    return true;
}

PalHapticPose pal_haptic_pose(const PalHaptic *haptic, int32_t body)
{
    return haptic->poses[body];
}

void pal_haptic_set_velocity(PalHaptic *haptic, PalVec3 velocity, PalVec3 spin)
{
    if (!pal_vec3_is_finite(velocity) || !pal_vec3_is_finite(spin))
        return;
    haptic->watch.velocity = velocity;
    haptic->watch.spin = spin;
    haptic->watch.told = true;
}

// The tool is where the device is, moved by the coupling.
void pal_haptic_set_frames(PalHaptic *haptic)
{
    for (int s = 0; s < 2; ++s) {
        haptic->frames[s].turn = pal_quaternion_matrix(haptic->poses[s].rotation);
        haptic->frames[s].at = haptic->poses[s].position;
    }
    const double *m = haptic->moved;
    PalVec3 way = pal_vec3(m[0], m[1], m[2]), half = pal_vec3(m[3] / 2, m[4] / 2, m[5] / 2);
    PalQuaternion turn = pal_quaternion_normalise((PalQuaternion){1, half.x, half.y, half.z});
    haptic->frames[1].turn =
        pal_quaternion_matrix(pal_quaternion_multiply(turn, haptic->poses[1].rotation));
    haptic->frames[1].at = pal_vec3_add(haptic->poses[1].position, way);
}

bool pal_haptic_is_late(void *context)
{
    const PalHaptic *haptic = context;
    return haptic->end_time > 0 && pal_timer_seconds() > haptic->end_time;
}

static double time_left(const PalHaptic *haptic)
{
    return haptic->end_time > 0 ? haptic->end_time - pal_timer_seconds() : INFINITY;
}

static void balance_body(PalHaptic *haptic, int32_t body)
{
    PalHapticShape *shape = &haptic->shapes[body];
    PalHapticBalance *balance = &haptic->balances[body];
    if (!haptic->def.correct || !balance->used || shape->q_length == 0)
        return;
    pal_haptic_balance_advance(balance, shape->q_short, FORCES_WORK);
    pal_haptic_balance_follow(balance, shape->q_short, TANGENT_WORK);
}

void pal_haptic_prepare(PalHaptic *haptic)
{
    for (int32_t body = 0; body < 2; ++body)
        balance_body(haptic, body);
    haptic->prepared = true;
}

// work = q - q*, where q* is what the modes would come to without contact.
static void prepare_modes(PalHaptic *haptic, int32_t body)
{
    PalHapticShape *shape = &haptic->shapes[body];
    PalHapticBalance *balance = &haptic->balances[body];
    float *difference = haptic->work[body];
    int32_t stride = haptic->bodies[body].stride;
    memcpy(difference, shape->q_short, (size_t)stride * sizeof(float));
    if (!haptic->def.correct || !balance->used || shape->q_length == 0)
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
    for (int32_t k = 0; k < stride; ++k)
        difference[k] -= balance->star[k];
}

// Rows of J in the coordinates in which the tangent is the identity.
static void turn_rows(PalHaptic *haptic, int32_t body)
{
    PalHapticRows *rows = &haptic->rows;
    int32_t width = rows->width[body];
    for (int32_t row = 0; row < rows->row_count; ++row) {
        float *j = rows->modes[body] + (int64_t)row * width;
        pal_haptic_balance_turn(&haptic->balances[body], j, haptic->work[2]);
        memcpy(j, haptic->work[2], (size_t)width * sizeof *j);
    }
}

static bool turns(const PalHaptic *haptic, int32_t body)
{
    return haptic->def.correct && haptic->balances[body].used && haptic->balances[body].turned;
}

// Never farther than anything that was computed before could have come.
static void limit_modes(PalHaptic *haptic, int32_t body)
{
    PalHapticShape *shape = &haptic->shapes[body];
    int32_t count = haptic->bodies[body].mode_count;
    double most = 3 * haptic->balances[body].reach, sum = 0;
    for (int32_t k = 0; k < count; ++k)
        sum += shape->q[k] * shape->q[k];
    if (!haptic->balances[body].used || sum <= most * most)
        return;
    double part = isfinite(sum) ? most / sqrt(sum) : 0;
    for (int32_t k = 0; k < count; ++k)
        shape->q[k] = part > 0 ? part * shape->q[k] : 0;
    pal_haptic_balance_rest(&haptic->balances[body]);
}

// q = q* + T' (T J)' f, but no farther in one step than a part of what was computed before.
static void move_modes(PalHaptic *haptic, int32_t body, bool turned)
{
    PalHapticShape *shape = &haptic->shapes[body];
    int32_t count = haptic->bodies[body].mode_count;
    const float *sum = haptic->rows.sum[body];
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
    limit_modes(haptic, body);
    // Nothing holds it, and it has come to rest but for rounding.
    if (haptic->rows.row_count == 0 &&
        (!haptic->balances[body].known || length < 1e-5 * haptic->balances[body].reach)) {
        memset(shape->q, 0, (size_t)count * sizeof *shape->q);
        pal_haptic_balance_rest(&haptic->balances[body]);
    }
}

static void list_carriers(PalHaptic *haptic)
{
    haptic->carrier_count = 0;
    for (int32_t c = 0; c < haptic->finder.near_count; ++c) {
        const PalHapticNear *near = &haptic->finder.near[c];
        if (haptic->rows.force[haptic->links[c].first_row] > 0)
            haptic->carriers[haptic->carrier_count++] =
                near->side == 1 ? -1 - near->node : near->node;
    }
}

// Fewer points where there is no time for all of them.
static void thin_out(PalHaptic *haptic)
{
    PalHapticFinder *finder = &haptic->finder;
    double room = 0.7 * time_left(haptic);
    if (!(haptic->row_seconds * finder->near_count > room))
        return;
    int32_t keep = room > 0 ? (int32_t)(room / haptic->row_seconds) : 0;
    keep = keep < 1 ? 1 : keep;
    keep = keep < haptic->carrier_count ? haptic->carrier_count : keep;
    if (keep >= finder->near_count)
        return;
    finder->near_count = keep;  // those that carried force are first
    finder->coarse = true;
}

// Adds how far any point can have moved since the last search: with its body, which may turn, by
// modes, and by the local part.
static void add_way(PalHaptic *haptic)
{
    for (int s = 0; s < 2; ++s) {
        PalHapticShape *shape = &haptic->shapes[s];
        PalHapticFrame *last = &haptic->last_frames[s];
        double turned = 0, by_modes = 0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                double change = haptic->frames[s].turn.m[i][j] - last->turn.m[i][j];
                turned += change * change;
            }
        for (int32_t k = 0; k < haptic->bodies[s].mode_count; ++k) {
            double change = (double)shape->q_short[k] - (double)haptic->last_q[s][k];
            by_modes += change * change;
            haptic->last_q[s][k] = shape->q_short[k];
        }
        double far = haptic->radius[s] + haptic->bodies[s].widest * shape->q_length;
        haptic->finder.way += pal_vec3_distance(haptic->frames[s].at, last->at) +
                              sqrt(turned) * far + haptic->bodies[s].widest * sqrt(by_modes) +
                              shape->local_most + haptic->last_local[s];
        haptic->last_local[s] = shape->local_most;
        *last = haptic->frames[s];
    }
}

static void find_within(PalHaptic *haptic, double margin)
{
    PalHapticFinder *finder = &haptic->finder;
    finder->margin = margin;
    finder->near_count = 0;
    finder->full = false;
    ++finder->search;
    // Those that carried force come first: where time is short there will be no others.
    for (int32_t i = 0; i < haptic->carrier_count; ++i) {
        int32_t carrier = haptic->carriers[i];
        pal_haptic_find_point(finder, carrier < 0 ? 1 : 0, carrier < 0 ? -1 - carrier : carrier);
    }
    pal_haptic_find(finder, 1);
    if (haptic->def.both_shells)
        pal_haptic_find(finder, 0);
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
    haptic->margin = fmax(MARGIN * edge, MARGIN_DECAY * haptic->margin);
    add_way(haptic);
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

static void answer_ours(PalHaptic *haptic, double deadline)
{
    double end = haptic->end_time;
    if (end > 0)
        haptic->end_time = end - 0.6 * deadline;  // time to find points
    pal_haptic_look(haptic);
    haptic->end_time = end;
    haptic->predicted = false;
    for (int32_t body = 0; body < 2; ++body)
        prepare_modes(haptic, body);
    if (end > 0)
        thin_out(haptic);
    double start = end > 0 ? pal_timer_seconds() : 0;
    pal_haptic_make_rows(haptic);
    const PalHapticBody *const bodies[2] = {&haptic->bodies[0], &haptic->bodies[1]};
    bool few = haptic->rows.row_count <= PAL_HAPTIC_DENSE, turned[2];
    for (int32_t body = 0; body < 2; ++body) {
        turned[body] = few && turns(haptic, body);
        if (turned[body])
            turn_rows(haptic, body);
    }
    pal_haptic_rows_couple(&haptic->rows, bodies, true);
    pal_haptic_rows_solve(&haptic->rows, SWEEPS, TOLERANCE);
    pal_haptic_take_forces(haptic);
    for (int32_t body = 0; body < 2; ++body) {
        move_modes(haptic, body, turned[body]);
        pal_haptic_shape_moved(&haptic->shapes[body]);
    }
    haptic->answer.residual = haptic->rows.change;
    if (end > 0 && haptic->finder.near_count > 0) {  // an interruption by others should not count
        double seconds = (pal_timer_seconds() - start) / haptic->finder.near_count;
        double old = haptic->row_seconds > 0 ? haptic->row_seconds : 1e-6;
        haptic->row_seconds = 0.9 * old + 0.1 * fmin(seconds, 4 * old);
    }
    list_carriers(haptic);
    haptic->quality = haptic->finder.coarse || haptic->finder.full ? PAL_HAPTIC_COARSE
                      : haptic->predicted                          ? PAL_HAPTIC_PREDICTED
                                                                   : PAL_HAPTIC_FULL;
}

PalHapticQuality pal_haptic_step(PalHaptic *haptic, double deadline)
{
    haptic->end_time = deadline > 0 ? pal_timer_seconds() + deadline : 0;
    ++haptic->step;
    pal_haptic_set_frames(haptic);
    if (deadline > 0 && deadline < 2e-6)
        haptic->quality = PAL_HAPTIC_HELD;
    else if (haptic->def.answer == PAL_HAPTIC_PRINTED)
        pal_haptic_printed_step(haptic);
    else
        answer_ours(haptic, deadline);
    haptic->prepared = false;
    pal_haptic_watch(haptic);
    return haptic->quality;
}
