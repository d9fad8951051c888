// Friction with the normal forces and directions of an earlier shape: then it is a potential,
//   limit f(|u|),  f' = (2 - |u|/e) |u|/e below the slip e, 1 beyond
// of the way u that the sides have slid along each other: in the step, and before it as far as that
// still holds.   docs/theory/barrier.md, 5
#include "contact/response/barrier/barrier.h"

#include <math.h>
#include <string.h>

#define USED  0.9   // of the slip: who has slid so far is expected to slide on
#define AHEAD 0.1   // edges: as far as that
#define MORE  1.05  // times its limit: a friction that would be larger is not one that holds
#define TURNS 0.9   // cosine of the angle by which it may turn
#define FEW   0.02  // of all frictions, that may be wrongly expected

PalVec3 pal_drag_way(const PalContact *contact, const PalDrag *drag)
{
    const PalTrial *trial = contact->trial;
    PalVec3 way = drag->before;
    for (int k = 0; k < 4; ++k) {
        int32_t v = drag->features.vertices[k];
        way = pal_vec3_add_scaled(way, drag->weights[k],
                                  pal_vec3_sub(trial->place[v], trial->first[v]));
    }
    return pal_vec3_add_scaled(way, -pal_vec3_dot(drag->normal, way), drag->normal);
}

static const PalDrag *find(const PalDrag *drags, int32_t count, const PalFeatureKey *key)
{
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int order = pal_feature_key_compare(&drags[middle].key, key);
        if (order == 0)
            return &drags[middle];
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

bool pal_drag_find(const PalBarrier *barrier, const PalFeatureKey *key)
{
    return find(barrier->drags.items, barrier->drags.count, key) != NULL;
}

// f' / |u|
static double grip(double length, double slip)
{
    return length < slip ? (2 - length / slip) / slip : 1 / length;
}

PalVec3 pal_drag_force(const PalDrag *drag, PalVec3 way, double slip)
{
    return pal_vec3_scale(-drag->limit * grip(pal_vec3_length(way), slip), way);
}

static void stiffness_of(const PalDrag *drag, PalVec3 way, double slip, double K[3][3])
{
    double length = pal_vec3_length(way), across = drag->limit * grip(length, slip);
    double along = length < slip ? drag->limit * 2 * (1 - length / slip) / slip : 0;
    PalVec3 ahead = length > 0 ? pal_vec3_scale(1 / length, way) : way;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double n = pal_vec3_at(drag->normal, i) * pal_vec3_at(drag->normal, j);
            double u = pal_vec3_at(ahead, i) * pal_vec3_at(ahead, j);
            K[i][j] = across * ((i == j) - n) + (along - across) * u;
        }
}

void pal_drag_curve(const PalDrag *drag, PalVec3 way, double slip,
                    double matrix[PAL_NEAR_SIZE * PAL_NEAR_SIZE])
{
    double K[3][3];
    stiffness_of(drag, way, slip, K);
    for (int k = 0; k < PAL_NEAR_SIZE * PAL_NEAR_SIZE; ++k) {
        int p = k / PAL_NEAR_SIZE, q = k % PAL_NEAR_SIZE;
        matrix[k] = drag->weights[p / 3] * drag->weights[q / 3] * K[p % 3][q % 3];
    }
}

// Adds what frictions could bear at most to sums of vertices, as vectors along the normals.
static void add_limits(const PalBarrier *barrier, double sign)
{
    for (int32_t i = 0; i < barrier->drags.count; ++i) {
        const PalDrag *drag = &barrier->drags.items[i];
        for (int k = 0; k < 4; ++k) {
            PalVec3 *sum = &barrier->sums[drag->features.vertices[k]];
            *sum = pal_vec3_add_scaled(*sum, sign * drag->limit * drag->weights[k], drag->normal);
        }
    }
}

static double total(const PalBarrier *barrier)
{
    double sum = 0;
    for (int32_t i = 0; i < barrier->drags.count; ++i)
        for (int k = 0; k < 4; ++k)
            sum += barrier->drags.items[i].limit * fabs(barrier->drags.items[i].weights[k]);
    return sum;
}

// The normal force falls by slope times the change of the gap, and friction with it.
void pal_drags_couple(const PalContact *contact, const PalVec3 *motion, PalVec3 *force)
{
    const PalBarrier *barrier = pal_barrier_of(contact);
    for (int32_t i = 0; i < barrier->drags.count; ++i) {
        const PalDrag *drag = &barrier->drags.items[i];
        PalVec3 way = pal_drag_way(contact, drag), move = {0, 0, 0};
        int32_t nodes[4];
        for (int k = 0; k < 4; ++k) {
            int32_t v = drag->features.vertices[k];
            nodes[k] = pal_trial_is_soft(contact, v) ? contact->surface->vertex_node[v] : PAL_NONE;
            if (nodes[k] != PAL_NONE)
                move = pal_vec3_add_scaled(move, drag->weights[k], motion[nodes[k]]);
        }
        double fall = drag->slope * pal_vec3_dot(drag->normal, move);
        double part = fall * grip(pal_vec3_length(way), barrier->slip);
        for (int k = 0; k < 4; ++k)
            if (nodes[k] != PAL_NONE)
                force[nodes[k]] =
                    pal_vec3_add_scaled(force[nodes[k]], -part * drag->weights[k], way);
    }
}

// ---- expected slips ---------------------------------------------------------------------

static PalVec3 times(double K[3][3], PalVec3 x)
{
    return pal_vec3(K[0][0] * x.x + K[0][1] * x.y + K[0][2] * x.z,
                    K[1][0] * x.x + K[1][1] * x.y + K[1][2] * x.z,
                    K[2][0] * x.x + K[2][1] * x.y + K[2][2] * x.z);
}

PalVec3 pal_drag_lead(const PalDrag *drag, PalVec3 way, double slip)
{
    double K[3][3];
    PalVec3 there = pal_vec3_add(way, drag->ahead);
    stiffness_of(drag, there, slip, K);
    PalVec3 change =
        pal_vec3_sub(pal_drag_force(drag, there, slip), pal_drag_force(drag, way, slip));
    return pal_vec3_add(change, times(K, drag->ahead));
}

void pal_drags_prepare(PalContact *contact, bool lead)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    for (int32_t i = 0; i < barrier->drags.count; ++i) {
        PalDrag *drag = &barrier->drags.items[i];
        PalVec3 way = pal_drag_way(contact, drag);
        double length = pal_vec3_length(way);
        bool slides = lead && length > USED * barrier->slip;
        drag->ahead = pal_vec3_scale(slides ? AHEAD * contact->edge / length : 0, way);
    }
}

// How far the two would slide along each other in the whole correction.
static PalVec3 slide_of(const PalContact *contact, const PalDrag *drag)
{
    const PalContactSurface *surface = contact->surface;
    PalVec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        int32_t v = drag->features.vertices[k];
        sum = pal_vec3_add_scaled(sum, drag->weights[k] / contact->trial->limit,
                                  pal_vec3_sub(surface->end[v], surface->start[v]));
    }
    return pal_vec3_add_scaled(sum, -pal_vec3_dot(drag->normal, sum), drag->normal);
}

// One friction after a correction was found; true: it is another than was expected.
static bool expect_slide(PalDrag *drag, PalVec3 way, PalVec3 slide, double slip, double length)
{
    PalVec3 old = drag->ahead, end = pal_vec3_add(way, slide);
    if (pal_vec3_dot(old, old) > 0) {
        double far = pal_vec3_length(end);
        bool back = pal_vec3_dot(slide, old) < 0;
        drag->ahead = pal_vec3_scale(back || !(far > slip) ? 0 : length / far, end);
        return pal_vec3_dot(drag->ahead, old) < TURNS * length * length;
    }
    double K[3][3];
    stiffness_of(drag, way, slip, K);
    PalVec3 force = pal_vec3_sub(pal_drag_force(drag, way, slip), times(K, slide));
    double most = pal_vec3_length(force);
    if (!(most > MORE * drag->limit))
        return false;
    drag->ahead = pal_vec3_scale(-length / most, force);
    return true;
}

bool pal_drags_slide(PalContact *contact)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    double all = 0, changed = 0;
    for (int32_t i = 0; i < barrier->drags.count; ++i) {
        PalDrag *drag = &barrier->drags.items[i];
        all += drag->limit;
        if (expect_slide(drag, pal_drag_way(contact, drag), slide_of(contact, drag), barrier->slip,
                         AHEAD * contact->edge))
            changed += drag->limit;
    }
    return changed > FEW * all;
}

// ---- from step to step ------------------------------------------------------------------

static const PalGrip *find_grip(const PalBarrier *barrier, const PalFeatureKey *key)
{
    int32_t low = 0, high = barrier->grips.count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int order = pal_feature_key_compare(&barrier->grips.items[middle].key, key);
        if (order == 0)
            return &barrier->grips.items[middle];
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

// Contacts come and go as surfaces slide from facet to facet; vertices remember for them.
static PalVec3 recall(const PalContact *contact, const PalDrag *drag)
{
    const PalBarrier *barrier = pal_barrier_of(contact);
    const PalGrip *own = find_grip(barrier, &drag->key);
    if (own != NULL)
        return pal_vec3_scale(barrier->slip, own->strain);
    PalVec3 sum = {0, 0, 0};
    double weight = 0;
    for (int k = 0; k < 4; ++k) {
        PalVec3 strain = barrier->strains[drag->features.vertices[k]];
        if (!pal_trial_is_soft(contact, drag->features.vertices[k]) ||
            !(pal_vec3_dot(strain, strain) > 0))
            continue;
        sum = pal_vec3_add_scaled(sum, drag->weights[k], strain);
        weight += fabs(drag->weights[k]);
    }
    return weight > 0 ? pal_vec3_scale(barrier->slip / weight, sum) : sum;
}

void pal_drags_change_slip(PalContact *contact, double slip)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    for (int32_t i = 0; i < barrier->drags.count; ++i) {
        PalDrag *drag = &barrier->drags.items[i];
        PalVec3 way = pal_drag_way(contact, drag);
        double held = fmin(barrier->slip, pal_vec3_length(way));  // and the rest was slid
        double less = held > 0 ? (slip / barrier->slip - 1) * held / pal_vec3_length(way) : 0;
        drag->before = pal_vec3_add_scaled(drag->before, less, way);
    }
    barrier->slip = slip;
}

PalStatus pal_drags_accept(PalContact *contact, PalError *error)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    size_t vertices = (size_t)contact->surface->vertex_count;
    if (!pal_array_reserve(&barrier->grips, barrier->drags.count))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for friction");
    barrier->grips.count = barrier->drags.count;
    memset(barrier->strains, 0, vertices * sizeof *barrier->strains);
    memset(barrier->strain_weights, 0, vertices * sizeof *barrier->strain_weights);
    for (int32_t i = 0; i < barrier->drags.count; ++i) {
        const PalDrag *drag = &barrier->drags.items[i];
        PalVec3 way = pal_drag_way(contact, drag);
        PalVec3 strain = pal_vec3_scale(1 / fmax(barrier->slip, pal_vec3_length(way)), way);
        barrier->grips.items[i] = (PalGrip){drag->key, strain};
        for (int k = 0; k < 4; ++k) {
            int32_t v = drag->features.vertices[k];
            double share = drag->limit * drag->weights[k];
            barrier->strains[v] = pal_vec3_add_scaled(barrier->strains[v], share, strain);
            barrier->strain_weights[v] += drag->limit * fabs(drag->weights[k]);
        }
    }
    for (size_t v = 0; v < vertices; ++v)
        if (barrier->strain_weights[v] > 0)
            barrier->strains[v] =
                pal_vec3_scale(1 / barrier->strain_weights[v], barrier->strains[v]);
    return PAL_OK;
}

// ---- renewal ----------------------------------------------------------------------------

static PalDrag drag_of(const PalContact *contact, int32_t index)
{
    const PalBarrier *barrier = pal_barrier_of(contact);
    const PalBarrierItem *item = &barrier->items.items[index];
    const PalBarrierPush *push = &barrier->pushes.items[index];
    PalDrag drag = {.key = item->key, .features = item->features, .normal = push->near.normal};
    const PalExpected *expected = pal_expected_find(barrier, &item->key);
    drag.push = expected != NULL && expected->acts ? expected->force : push->factor * push->force;
    drag.limit = item->friction * drag.push;
    drag.slope = item->friction * push->factor * push->slope;
    memcpy(drag.weights, push->near.weights, sizeof drag.weights);
    const PalDrag *old = find(barrier->old_drags.items, barrier->old_drags.count, &item->key);
    drag.before = old != NULL ? old->before : recall(contact, &drag);
    return drag;
}

PalStatus pal_drags_renew(PalContact *contact, double *change, PalError *error)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    int32_t vertices = contact->surface->vertex_count;
    memset(barrier->sums, 0, (size_t)vertices * sizeof *barrier->sums);
    add_limits(barrier, -1);
    double before = total(barrier), changed = 0;
    if (!pal_array_reserve(&barrier->old_drags, barrier->drags.count))
        return pal_error_set(error, PAL_NO_MEMORY, "no memory for friction");
    barrier->old_drags.count = barrier->drags.count;
    if (barrier->drags.count > 0)
        memcpy(barrier->old_drags.items, barrier->drags.items,
               (size_t)barrier->drags.count * sizeof(PalDrag));
    barrier->drags.count = 0;
    for (int32_t i = 0; i < barrier->items.count; ++i) {
        const PalBarrierItem *item = &barrier->items.items[i];
        const PalBarrierPush *push = &barrier->pushes.items[i];
        if (!push->acts || !(item->friction > 0) || !(push->force > 0))
            continue;
        PalDrag drag = drag_of(contact, i);
        if (!pal_array_push(&barrier->drags, drag))
            return pal_error_set(error, PAL_NO_MEMORY, "no memory for friction");
    }
    add_limits(barrier, 1);
    for (int32_t v = 0; v < vertices; ++v)
        changed += pal_vec3_length(barrier->sums[v]);
    double scale = fmax(before, total(barrier));
    *change = scale > 0 ? changed / scale : 0;
    return PAL_OK;
}
