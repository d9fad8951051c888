// Candidates of two patches sleep together. One that is farther apart than its patches can come
// nearer needs neither a row nor the guard. Vertices that carry force are predicted to go far, into
// what they lie on, and hardly move in the end: for rows, groups are judged by the motion that the
// last step's forces let expect, and for the guard by the corrected one.
#include "base/memory.h"
#include "contact/response/lagrange/lagrange.h"
#include "math/range.h"

#include <math.h>
#include <string.h>

#define AHEAD 1.5  // weights of a gap may lie a little outside the facet, and normals may lean

void pal_groups_clear(PalGroups *groups)
{
    pal_array_clear(&groups->list);
    pal_free(groups->members);
    pal_free(groups->bits);
    pal_free(groups->table);
    *groups = (PalGroups){0};
}

// ---- making -----------------------------------------------------------------------------

void pal_groups_dissolve(PalLagrange *lagrange)
{
    PalCandidates *now = &lagrange->now;
    for (int32_t c = 0; c < now->count; ++c)
        if (now->group[c] != PAL_NONE)
            now->wake[c] -= lagrange->groups.list.items[now->group[c]].odometer;
    lagrange->groups.list.count = 0;
}

static bool make_room(PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    int32_t capacity = lagrange->now.capacity;
    if (capacity <= groups->capacity)
        return true;
    pal_free(groups->members);
    pal_free(groups->bits);
    groups->members = pal_alloc((size_t)capacity, sizeof *groups->members);
    groups->bits = pal_alloc((size_t)capacity / 64 + 1, sizeof *groups->bits);
    groups->capacity = groups->members != NULL && groups->bits != NULL ? capacity : 0;
    return groups->capacity > 0;
}

typedef struct Key {
    int32_t a, b;
    bool flat;
} Key;

static uint32_t hash(Key key_of)
{
    uint64_t key = (uint64_t)(uint32_t)key_of.a << 33 | (uint64_t)(uint32_t)key_of.b << 1 |
                   (uint64_t)key_of.flat;
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static bool is_of(const PalCandidateGroup *group, Key key)
{
    return group->patches[0] == key.a && group->patches[1] == key.b && group->flat == key.flat;
}

// Where a group is in the table, or would be.
static int32_t *look_up(const PalGroups *groups, Key key)
{
    uint32_t mask = (uint32_t)groups->table_size - 1, place = hash(key) & mask;
    for (;; place = (place + 1) & mask) {
        int32_t g = groups->table[place] - 1;
        if (g < 0 || is_of(&groups->list.items[g], key))
            return &groups->table[place];
    }
}

// At most half of the table is used.
static bool grow_table(PalGroups *groups)
{
    int32_t size = groups->table_size > 0 ? groups->table_size : 256;
    while (size / 2 <= groups->list.count)
        size *= 2;
    if (size == groups->table_size)
        return true;
    pal_free(groups->table);
    groups->table = pal_alloc((size_t)size, sizeof *groups->table);
    groups->table_size = groups->table != NULL ? size : 0;
    for (int32_t g = 0; g < groups->list.count && groups->table != NULL; ++g) {
        const PalCandidateGroup *group = &groups->list.items[g];
        *look_up(groups, (Key){group->patches[0], group->patches[1], group->flat}) = g + 1;
    }
    return groups->table != NULL;
}

// The group of this key, which may be new; PAL_NONE: no memory.
static int32_t group_of(PalGroups *groups, Key key)
{
    int32_t *place = look_up(groups, key);
    if (*place > 0)
        return *place - 1;
    PalCandidateGroup fresh = {.patches = {key.a, key.b}, .flat = key.flat, .wake = INFINITY};
    if (!pal_array_push(&groups->list, fresh))
        return PAL_NONE;
    *place = groups->list.count;
    return grow_table(groups) ? groups->list.count - 1 : PAL_NONE;
}

static bool assign(const PalContact *contact, PalLagrange *lagrange)
{
    PalCandidates *now = &lagrange->now;
    PalGroups *groups = &lagrange->groups;
    const int32_t *of = lagrange->patches.of;
    for (int32_t c = 0; c < now->count; ++c) {
        const PalFeatures *features = &now->items[c].features;
        int32_t other = features->vertices[pal_kind_split(features->kind)];
        Key key = {of[features->vertices[0]], of[other],
                   pal_lagrange_is_flat(contact, lagrange, features)};
        int32_t g = now->group[c] = group_of(groups, key);
        if (g == PAL_NONE)
            return false;
        ++groups->list.items[g].count;
        groups->list.items[g].wake = pal_min(groups->list.items[g].wake, now->wake[c]);
    }
    return true;
}

bool pal_groups_make(const PalContact *contact, PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    PalCandidates *now = &lagrange->now;
    groups->list.count = 0;
    if (groups->table != NULL)
        memset(groups->table, 0, (size_t)groups->table_size * sizeof *groups->table);
    for (int32_t c = 0; c < now->count; ++c)
        now->group[c] = PAL_NONE;
    if (!make_room(lagrange) || !grow_table(groups) || !assign(contact, lagrange))
        return false;
    int32_t first = 0;
    for (int32_t g = 0; g < groups->list.count; ++g) {
        PalCandidateGroup *group = &groups->list.items[g];
        group->first = first;
        first += group->count;
        group->count = 0;
    }
    for (int32_t c = 0; c < now->count; ++c) {
        PalCandidateGroup *group = &groups->list.items[now->group[c]];
        groups->members[group->first + group->count++] = c;
    }
    return true;
}

// ---- marking ----------------------------------------------------------------------------

static void mark_nothing(PalLagrange *lagrange)
{
    if (lagrange->groups.bits != NULL)
        memset(lagrange->groups.bits, 0,
               ((size_t)lagrange->now.count / 64 + 1) * sizeof *lagrange->groups.bits);
}

// All candidates that wake before the odometer shows this. Written so that what is no number wakes.
static void mark(PalLagrange *lagrange, PalCandidateGroup *group, double shown)
{
    const int32_t *members = lagrange->groups.members + group->first;
    const double *wake = lagrange->now.wake;
    double first = INFINITY;
    if (group->wake > shown)
        return;
    for (int32_t k = 0; k < group->count; ++k) {
        int32_t c = members[k];
        first = pal_min(first, wake[c]);
        if (!(wake[c] > shown))
            lagrange->groups.bits[c / 64] |= UINT64_C(1) << c % 64;
    }
    group->wake = first;
}

void pal_groups_mark_expected(PalContact *contact, PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    double closer = (1 - 1e-9) * (pal_lagrange_margin(contact, PAL_CONTACT_EDGE_EDGE) -
                                  pal_lagrange_kept_by_edges(contact));
    mark_nothing(lagrange);
    for (int32_t g = 0; g < groups->list.count; ++g) {
        PalCandidateGroup *group = &groups->list.items[g];
        if (group->flat) {  // it is the start of the step that matters
            mark(lagrange, group, group->odometer - closer);
            continue;
        }
        double nearer = pal_patches_expected(&lagrange->patches, contact->surface,
                                             group->patches[0], group->patches[1]);
        mark(lagrange, group, group->odometer + AHEAD * nearer);
    }
}

void pal_groups_mark_corrected(PalContact *contact, PalLagrange *lagrange, double room)
{
    PalGroups *groups = &lagrange->groups;
    mark_nothing(lagrange);
    pal_patches_correct(&lagrange->patches);
    for (int32_t g = 0; g < groups->list.count; ++g) {
        PalCandidateGroup *group = &groups->list.items[g];
        group->nearer =
            pal_patches_corrected(&lagrange->patches, contact->surface, lagrange->rows.stamp,
                                  group->patches[0], group->patches[1]);
        mark(lagrange, group, group->odometer + group->nearer - room);
    }
}

void pal_groups_pass(PalLagrange *lagrange)
{
    for (int32_t g = 0; g < lagrange->groups.list.count; ++g)
        lagrange->groups.list.items[g].odometer += lagrange->groups.list.items[g].nearer;
}

int32_t pal_groups_next(const PalLagrange *lagrange, int32_t from)
{
    const uint64_t *bits = lagrange->groups.bits;
    int32_t count = lagrange->now.count, word = from / 64;
    if (from >= count)
        return count;
    uint64_t left = bits[word] & ~UINT64_C(0) << from % 64;
    while (left == 0 && ++word <= (count - 1) / 64)
        left = bits[word];
    return left != 0 ? 64 * word + __builtin_ctzll(left) : count;
}
