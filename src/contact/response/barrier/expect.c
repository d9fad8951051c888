// Contacts that a correction would run into. With the barrier alone the next correction would not
// know of them, and each would be cut short by the first of many. So the correction is found again
// with a spring across each such gap that ends at half the range, as long as it pushes.
#include "contact/response/barrier/barrier.h"

#include <palpate/geometry.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WANTED 0.5  // of the range: gap that a contact expected is to have
#define OWN    0.9  // of the range: the barrier pushes by itself
#define MOST   20000

static const PalBarrierItem *item_at(const PalBarrier *barrier, int32_t index)
{
    return &barrier->items.items[index];
}

// The gap along the normal where vertices are, and instruments at their end.
static double gap_of(const PalContact *contact, const PalExpected *expected, bool led)
{
    PalVec3 sum = {0, 0, 0}, origin = contact->trial->place[expected->features.vertices[0]];
    for (int k = 0; k < 4; ++k) {
        int32_t v = expected->features.vertices[k];
        PalVec3 at = contact->trial->place[v];
        if (led)
            at = pal_vec3_add(at, pal_trial_rest(contact, v));
        sum = pal_vec3_add_scaled(sum, expected->weights[k], pal_vec3_sub(at, origin));
    }
    return pal_vec3_dot(sum, expected->normal);
}

double pal_expected_force(const PalContact *contact, const PalExpected *expected)
{
    double wanted = WANTED * pal_barrier_of(contact)->range;
    return expected->stiffness * (wanted - gap_of(contact, expected, true));
}

// The same at the end of the whole correction.
static double force_at_end(const PalContact *contact, const PalExpected *expected)
{
    const PalContactSurface *surface = contact->surface;
    double moved = 0, wanted = WANTED * pal_barrier_of(contact)->range;
    for (int k = 0; k < 4; ++k) {
        int32_t v = expected->features.vertices[k];
        PalVec3 way = pal_vec3_sub(surface->end[v], surface->start[v]);
        moved += expected->weights[k] * pal_vec3_dot(way, expected->normal);
    }
    double gap = gap_of(contact, expected, false) + moved / contact->trial->limit;
    return expected->stiffness * (wanted - gap);
}

static void drop_pulled(PalContact *contact, bool *changed)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    int32_t kept = 0;
    for (int32_t i = 0; i < barrier->expected.count; ++i)
        if (force_at_end(contact, &barrier->expected.items[i]) > 0)
            barrier->expected.items[kept++] = barrier->expected.items[i];
    *changed = kept < barrier->expected.count;
    barrier->expected.count = kept;
}

static bool is_expected(const PalBarrier *barrier, int32_t count, const PalFeatureKey *key)
{
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int order = pal_feature_key_compare(&barrier->expected.items[middle].key, key);
        if (order == 0)
            return true;
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return false;
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
    PalExpected fresh = {.key = item->key, .features = item->features, .normal = near.normal};
    memcpy(fresh.weights, near.weights, sizeof fresh.weights);
    fresh.friction = item->friction;
    fresh.stiffness =
        item->stiffness * pal_barrier_potential(WANTED * barrier->range, barrier->range).slope;
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
    bool changed = false, good = true;
    drop_pulled(contact, &changed);
    int32_t known = barrier->expected.count;
    for (int32_t i = 0; i < barrier->items.count && good && barrier->expected.count < MOST; ++i) {
        const PalBarrierItem *item = item_at(barrier, i);
        if (barrier->parts.items[i] >= 1 || item->kind > PAL_NEAR_EDGES)
            continue;
        if (!is_expected(barrier, known, &item->key))
            good = expect_item(contact, i);
    }
    changed = changed || barrier->expected.count > known;
    if (barrier->expected.count > 1)
        qsort(barrier->expected.items, (size_t)barrier->expected.count, sizeof(PalExpected),
              compare_expected);
    return changed && good;
}

void pal_barrier_drop_expected(PalContact *contact, bool all)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    int32_t kept = 0;
    for (int32_t i = 0; i < barrier->expected.count && !all; ++i) {
        PalExpected *expected = &barrier->expected.items[i];
        PalVec3 points[4];
        PalNearness near;
        pal_barrier_points(contact, &expected->features, points);
        PalNearKind kind = expected->features.kind == PAL_CONTACT_NODE_FACET ? PAL_NEAR_VERTEX_FACET
                                                                             : PAL_NEAR_EDGES;
        if (!pal_nearness_find(kind, points, &near) || near.distance < OWN * barrier->range)
            continue;
        memcpy(expected->weights, near.weights, sizeof expected->weights);
        expected->normal = near.normal;
        barrier->expected.items[kept++] = *expected;
    }
    barrier->expected.count = kept;
}
