// Contacts that a correction would run into. With the barrier alone the next correction would not
// know of them, and each would be cut short by the first of many. So the correction is found again
// with a spring across each such gap that ends at half the range, as long as it pushes.
// And contacts that act, when the range changes: docs/theory/barrier.md, 4
#include "contact/response/barrier/barrier.h"

#include <palpate/geometry.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WANTED 0.5    // of the range: gap that a contact expected is to have
#define OWN    0.9    // of the range: the barrier pushes by itself
#define LEAST  0.003  // of the range: gaps expected are not smaller
#define MOST   20000

static const PalBarrierItem *item_at(const PalBarrier *barrier, int32_t index)
{
    return &barrier->items.items[index];
}

// Where a vertex is, with instruments at their end.
static PalVec3 led_place(const PalContact *contact, int32_t vertex)
{
    return pal_vec3_add(contact->trial->place[vertex], pal_trial_rest(contact, vertex));
}

// The gap along the normal where vertices are, and instruments at their end.
static double gap_of(const PalContact *contact, const PalExpected *expected, bool led)
{
    PalVec3 sum = {0, 0, 0}, origin = contact->trial->place[expected->features.vertices[0]];
    for (int k = 0; k < 4; ++k) {
        int32_t v = expected->features.vertices[k];
        PalVec3 at = led ? led_place(contact, v) : contact->trial->place[v];
        sum = pal_vec3_add_scaled(sum, expected->weights[k], pal_vec3_sub(at, origin));
    }
    return pal_vec3_dot(sum, expected->normal);
}

static double force_at(const PalExpected *expected, double gap)
{
    return expected->force + expected->stiffness * (expected->gap - gap);
}

double pal_expected_force(const PalContact *contact, const PalExpected *expected)
{
    return force_at(expected, gap_of(contact, expected, true));
}

// How far two sides move against each other in the whole correction.
static PalVec3 motion_of(const PalContact *contact, const PalFeatures *features,
                         const double weights[4])
{
    const PalContactSurface *surface = contact->surface;
    PalVec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        int32_t v = features->vertices[k];
        sum =
            pal_vec3_add_scaled(sum, weights[k], pal_vec3_sub(surface->end[v], surface->start[v]));
    }
    return pal_vec3_scale(1 / contact->trial->limit, sum);
}

// Those that would pull at the end of the correction are dropped.
static bool drop_pulled(PalContact *contact)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    int32_t kept = 0;
    for (int32_t i = 0; i < barrier->expected.count; ++i) {
        const PalExpected *expected = &barrier->expected.items[i];
        PalVec3 motion = motion_of(contact, &expected->features, expected->weights);
        double gap = gap_of(contact, expected, false) + pal_vec3_dot(motion, expected->normal);
        if (expected->instead || force_at(expected, gap) > 0)
            barrier->expected.items[kept++] = *expected;
    }
    bool changed = kept < barrier->expected.count;
    barrier->expected.count = kept;
    return changed;
}

static PalExpected *find(const PalBarrier *barrier, int32_t count, const PalFeatureKey *key)
{
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int order = pal_feature_key_compare(&barrier->expected.items[middle].key, key);
        if (order == 0)
            return &barrier->expected.items[middle];
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

const PalExpected *pal_expected_find(const PalBarrier *barrier, const PalFeatureKey *key)
{
    return find(barrier, barrier->expected.count, key);
}

// Directions are those when the two would meet.
static bool expect_item(PalContact *contact, int32_t index)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    const PalContactSurface *surface = contact->surface;
    const PalBarrierItem *item = item_at(barrier, index);
    PalNearness near;
    PalVec3 points[4];
    for (int k = 0; k < 4; ++k) {
        int32_t v = item->features.vertices[k];
        PalVec3 way = pal_vec3_sub(surface->end[v], surface->start[v]);
        points[k] = pal_vec3_add_scaled(surface->start[v], barrier->parts.items[index], way);
    }
    if (!pal_nearness_find(item->kind, points, &near))
        return true;
    PalExpected fresh = {.key = item->key,
                         .kind = item->kind,
                         .features = item->features,
                         .normal = near.normal,
                         .gap = WANTED * barrier->range};
    memcpy(fresh.weights, near.weights, sizeof fresh.weights);
    fresh.stiffness = item->stiffness * pal_barrier_potential(fresh.gap, barrier->range).slope;
    fresh.grip = fmin(item->friction, 1) * fresh.stiffness;
    return pal_array_push(&barrier->expected, fresh);
}

static int compare_expected(const void *left, const void *right)
{
    const PalExpected *a = left, *b = right;
    return pal_feature_key_compare(&a->key, &b->key);
}

bool pal_barrier_expect(PalContact *contact)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    bool changed = drop_pulled(contact), good = true;
    int32_t known = barrier->expected.count;
    for (int32_t i = 0; i < barrier->items.count && good && barrier->expected.count < MOST; ++i) {
        const PalBarrierItem *item = item_at(barrier, i);
        if (barrier->parts.items[i] >= 1 || item->kind > PAL_NEAR_EDGES)
            continue;
        if (find(barrier, known, &item->key) == NULL)
            good = expect_item(contact, i);
    }
    changed = changed || barrier->expected.count > known;
    if (barrier->expected.count > 1)
        qsort(barrier->expected.items, (size_t)barrier->expected.count, sizeof(PalExpected),
              compare_expected);
    return changed && good;
}

bool pal_barrier_change_range(PalContact *contact, double range)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    barrier->expected.count = 0;
    barrier->fresh = true;
    double before = barrier->range;
    barrier->range = range;
    for (int32_t i = 0; i < barrier->items.count; ++i) {
        const PalBarrierItem *item = item_at(barrier, i);
        const PalBarrierPush *push = &barrier->pushes.items[i];
        if (!push->acts || push->factor != 1 || push->count != 1 || !(push->force > 0))
            continue;
        PalExpected fresh = {.key = item->key,
                             .kind = item->kind,
                             .features = item->features,
                             .normal = push->near.normal,
                             .instead = true};
        double scale = item->stiffness * before / range;
        memcpy(fresh.weights, push->near.weights, sizeof fresh.weights);
        fresh.gap = fmax(pal_barrier_distance(push->force / scale, range), LEAST * range);
        PalBarrierPotential at = pal_barrier_potential(fresh.gap, range);
        fresh.force = scale * at.force;
        fresh.stiffness = scale * at.slope;
        if (!pal_array_push(&barrier->expected, fresh))
            return false;
    }
    for (int32_t i = 0; i < barrier->items.count; ++i)
        barrier->items.items[i].stiffness *= before / range;
    if (barrier->expected.count > 1)
        qsort(barrier->expected.items, (size_t)barrier->expected.count, sizeof(PalExpected),
              compare_expected);
    return true;
}

void pal_barrier_drop_expected(PalContact *contact, bool all)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    int32_t kept = 0;
    bool fresh = barrier->fresh;
    barrier->fresh = false;
    for (int32_t i = 0; i < barrier->expected.count && (fresh || !all); ++i) {
        PalExpected *expected = &barrier->expected.items[i];
        PalVec3 points[4];
        PalNearness near;
        pal_barrier_points(contact, &expected->features, points);
        if (!pal_nearness_find(expected->kind, points, &near) || expected->instead != fresh)
            continue;
        if (!expected->instead && near.distance < OWN * barrier->range)
            continue;
        memcpy(expected->weights, near.weights, sizeof expected->weights);
        expected->normal = near.normal;
        barrier->expected.items[kept++] = *expected;
    }
    barrier->expected.count = kept;
}
