// Contacts that a correction would run into. With the barrier alone the next correction would not
// know of them, and each would be cut short by the first of many. So the correction is found again
// with a spring across each such gap that ends at half the range, as long as it pushes.
// And contacts that act, when the range changes: docs/theory/barrier.md, 4
#include "contact/response/barrier/barrier.h"

#include <palpate/geometry.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WANTED 0.5   // of the range: gap that a contact expected is to have
#define CHORD  1e-4  // of a gap: nearer gaps have a slope, not a chord
#define GROWS  1.5   // a force by as much in a correction: it is found again
#define FALLS  0.1   // of a force: no less is left of it after one correction
#define LEAST  1e-5  // of the range: gaps expected are not smaller
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
        if (expected->acts || force_at(expected, gap) > 0)
            barrier->expected.items[kept++] = *expected;
    }
    bool changed = kept < barrier->expected.count;
    barrier->expected.count = kept;
    return changed;
}

static int compare_expected(const void *left, const void *right)
{
    const PalExpected *a = left, *b = right;
    return pal_feature_key_compare(&a->key, &b->key);
}

static void sort(PalBarrier *barrier)
{
    if (barrier->expected.count > 1)
        qsort(barrier->expected.items, (size_t)barrier->expected.count, sizeof(PalExpected),
              compare_expected);
}

static void put_place(PalExpected *expected, const PalNearness *near)
{
    memcpy(expected->weights, near->weights, sizeof expected->weights);
    expected->normal = near->normal;
    expected->start = near->distance;
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
                         .unit = item->stiffness,
                         .gap = WANTED * barrier->range};
    put_place(&fresh, &near);
    fresh.start = gap_of(contact, &fresh, false);
    fresh.stiffness = item->stiffness * pal_barrier_potential(fresh.gap, barrier->range).slope;
    fresh.grip = fmin(item->friction, 1) * fresh.stiffness;
    return pal_array_push(&barrier->expected, fresh);
}

// Gap and slope at which the barrier has this force.
static void put_force(PalExpected *expected, double force, double range)
{
    expected->gap = fmax(pal_barrier_distance(force / expected->unit, range), LEAST * range);
    PalBarrierPotential at = pal_barrier_potential(expected->gap, range);
    expected->force = expected->unit * at.force;
    expected->stiffness = expected->unit * at.slope;
}

// How the force falls from where the correction starts to the gap expected.
static void find_chord(PalExpected *expected)
{
    double way = expected->gap - expected->start;
    expected->stiffness = fabs(way) > CHORD * expected->start
                              ? (expected->push - expected->force) / way
                              : expected->slope;
}

// At the end of the whole correction.
static double end_force(const PalContact *contact, const PalExpected *expected)
{
    PalVec3 motion = motion_of(contact, &expected->features, expected->weights);
    double gap = expected->start + pal_vec3_dot(motion, expected->normal);
    return expected->acts ? expected->push - expected->stiffness * (gap - expected->start)
                          : force_at(expected, gap);
}

// Where forces grow by as much as they are, a gap would be run over: then they are expected to have
// grown.
static bool expect_more(PalContact *contact)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    bool changed = false;
    for (int32_t i = 0; i < barrier->expected.count; ++i) {
        PalExpected *expected = &barrier->expected.items[i];
        double force = end_force(contact, expected);
        if (!expected->acts || !(force > GROWS * fmax(expected->push, expected->force)))
            continue;
        put_force(expected, force, barrier->range);
        find_chord(expected);
        changed = true;
    }
    return changed;
}

bool pal_barrier_expect(PalContact *contact)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    bool pulled = drop_pulled(contact), more = expect_more(contact), good = true;
    int32_t known = barrier->expected.count;
    for (int32_t i = 0; i < barrier->items.count && good && barrier->expected.count < MOST; ++i) {
        const PalBarrierItem *item = item_at(barrier, i);
        if (barrier->parts.items[i] >= 1 || item->kind > PAL_NEAR_EDGES)
            continue;
        if (find(barrier, known, &item->key) == NULL)
            good = expect_item(contact, i);
    }
    bool changed = pulled || more || barrier->expected.count > known;
    sort(barrier);
    return changed && good;
}

// ---- what acts --------------------------------------------------------------------------

static void put_push(PalExpected *expected, const PalBarrierPush *push)
{
    expected->acts = true;
    expected->push = push->force;
    expected->slope = push->slope;
    find_chord(expected);
}

// Those of edges nearly parallel, and of a vertex near edges and corners, come and go.
static bool is_plain(const PalBarrierPush *push)
{
    return push->acts && push->factor == 1 && push->count == 1 && push->force > 0;
}

void pal_barrier_change_range(PalContact *contact, double range)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    double before = barrier->range;
    pal_barrier_prepare(contact, true);
    barrier->fresh = true;
    barrier->range = range;
    for (int32_t i = 0; i < barrier->items.count; ++i)
        barrier->items.items[i].stiffness *= before / range;
    for (int32_t i = 0; i < barrier->expected.count; ++i) {
        PalExpected *expected = &barrier->expected.items[i];
        expected->unit *= before / range;
        put_force(expected, expected->force, range);
    }
}

static bool list_acting(PalContact *contact)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    int32_t known = barrier->expected.count;
    for (int32_t i = 0; i < barrier->items.count; ++i) {
        const PalBarrierItem *item = item_at(barrier, i);
        const PalBarrierPush *push = &barrier->pushes.items[i];
        if (!is_plain(push))
            continue;
        PalExpected *there = find(barrier, known, &item->key);
        if (there != NULL) {
            put_place(there, &push->near);
            if (there->force < FALLS * push->force)
                put_force(there, FALLS * push->force, barrier->range);
            put_push(there, push);
            continue;
        }
        PalExpected fresh = {.key = item->key,
                             .kind = item->kind,
                             .features = item->features,
                             .unit = item->stiffness,
                             .force = push->force,
                             .gap = push->near.distance};
        put_place(&fresh, &push->near);
        put_push(&fresh, push);
        if (!pal_array_push(&barrier->expected, fresh))
            return false;
    }
    sort(barrier);
    return true;
}

void pal_barrier_prepare(PalContact *contact, bool all)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    int32_t kept = 0;
    bool fresh = barrier->fresh;
    barrier->fresh = false;
    pal_drags_prepare(contact, !all);
    for (int32_t i = 0; i < barrier->expected.count; ++i)
        barrier->expected.items[i].acts = false;
    if (!list_acting(contact))
        barrier->expected.count = 0;  // by forces as they are
    for (int32_t i = 0; i < barrier->expected.count; ++i) {
        PalExpected *expected = &barrier->expected.items[i];
        PalVec3 points[4];
        PalNearness near;
        if (!expected->acts) {
            pal_barrier_points(contact, &expected->features, points);
            if ((all && !fresh) || !pal_nearness_find(expected->kind, points, &near))
                continue;
            put_place(expected, &near);
        }
        barrier->expected.items[kept++] = *expected;
    }
    barrier->expected.count = kept;
}

void pal_barrier_went(PalContact *contact, double part)
{
    PalBarrier *barrier = pal_barrier_of(contact);
    for (int32_t i = 0; i < barrier->expected.count; ++i) {
        PalExpected *expected = &barrier->expected.items[i];
        double end = end_force(contact, expected);
        double force = expected->force + part * (end - expected->force);
        put_force(expected, fmax(force, FALLS * expected->force), barrier->range);
    }
}
