// Groups of candidates: those of two patches each. What is marked in them is put in order.
#include "base/memory.h"
#include "contact/response/lagrange/lagrange.h"

#include <math.h>
#include <string.h>

#define FEW 12  // that are put in order one by one

void pal_groups_clear(PalGroups *groups)
{
    pal_array_clear(&groups->list);
    pal_array_clear(&groups->due);
    pal_array_clear(&groups->followed);
    pal_array_clear(&groups->resting);
    pal_array_clear(&groups->waking);
    pal_free(groups->bits);
    pal_free(groups->woken[0]);
    pal_free(groups->woken[1]);
    pal_free(groups->table);
    *groups = (PalGroups){.spare = PAL_NONE, .until = INFINITY};
}

void pal_groups_empty(PalGroups *groups)
{
    groups->list.count = groups->followed.count = groups->resting.count = 0;
    groups->spare = PAL_NONE;
    groups->until = INFINITY;
    if (groups->table != NULL)
        memset(groups->table, 0, (size_t)groups->table_size * sizeof *groups->table);
}

void pal_groups_dissolve(PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    for (int32_t g = 0; g < groups->list.count; ++g) {
        const PalCandidateGroup *group = &groups->list.items[g];
        for (int32_t s = group->first; s < group->first + group->count; ++s)
            lagrange->now.wakes[s] -= group->odometer;
    }
    pal_groups_empty(groups);
}

// The same numbers with more room.
static int32_t *longer(int32_t *numbers, int32_t count, size_t room)
{
    int32_t *more = pal_alloc_unset(room, sizeof *more);
    if (more != NULL && count > 0)
        memcpy(more, numbers, (size_t)count * sizeof *more);
    pal_free(numbers);
    return more;
}

bool pal_groups_match(PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    int32_t capacity = lagrange->now.capacity;
    if (capacity <= groups->capacity)
        return true;
    size_t room = (size_t)capacity;
    int32_t *awake = longer(lagrange->awake, lagrange->awake_count, room);
    int32_t *carrying = longer(lagrange->carrying, lagrange->carrying_count, room);
    pal_free(lagrange->hits);
    pal_free(lagrange->order);
    pal_free(groups->bits);
    pal_free(groups->woken[0]);
    pal_free(groups->woken[1]);
    lagrange->awake = awake;
    lagrange->carrying = carrying;
    lagrange->hits = pal_alloc_unset(room, sizeof *lagrange->hits);
    lagrange->order = pal_alloc_unset(room, sizeof *lagrange->order);
    groups->bits = pal_alloc(room / 64 + 1, sizeof *groups->bits);
    groups->woken[0] = pal_alloc_unset(room, sizeof *groups->woken[0]);
    groups->woken[1] = pal_alloc_unset(room, sizeof *groups->woken[1]);
    bool good = awake != NULL && carrying != NULL && lagrange->hits != NULL &&
                lagrange->order != NULL && groups->bits != NULL && groups->woken[0] != NULL &&
                groups->woken[1] != NULL;
    groups->capacity = good ? capacity : 0;
    return good;
}

// ---- finding ----------------------------------------------------------------------------

static uint32_t hash(int32_t a, int32_t b)
{
    uint64_t key = (uint64_t)(uint32_t)a << 32 | (uint64_t)(uint32_t)b;
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

// Where the group of two patches is in the table, or would be.
static int32_t *look_up(const PalGroups *groups, int32_t a, int32_t b)
{
    uint32_t mask = (uint32_t)groups->table_size - 1, place = hash(a, b) & mask;
    for (;; place = (place + 1) & mask) {
        int32_t g = groups->table[place] - 1;
        if (g < 0 ||
            (groups->list.items[g].patches[0] == a && groups->list.items[g].patches[1] == b))
            return &groups->table[place];
    }
}

static void fill_table(PalGroups *groups)
{
    if (groups->table_size > 0)
        memset(groups->table, 0, (size_t)groups->table_size * sizeof *groups->table);
    for (int32_t g = 0; g < groups->list.count; ++g) {
        const PalCandidateGroup *group = &groups->list.items[g];
        if (group->patches[0] != PAL_NONE)
            *look_up(groups, group->patches[0], group->patches[1]) = g + 1;
    }
}

// At most half of the table is used.
static bool grow_table(PalGroups *groups)
{
    int32_t size = groups->table_size > 0 ? groups->table_size : 256;
    while (size / 2 <= groups->list.count + 1)
        size *= 2;
    if (size == groups->table_size)
        return true;
    pal_free(groups->table);
    groups->table = pal_alloc((size_t)size, sizeof *groups->table);
    groups->table_size = groups->table != NULL ? size : 0;
    if (groups->table != NULL)
        fill_table(groups);
    return groups->table != NULL;
}

// For one more, in memory that keeps to lines of the cache.
static bool make_room(PalCandidateGroups *list)
{
    if (list->count < list->capacity)
        return true;
    int32_t capacity = list->capacity < INT32_MAX / 4 ? 2 * list->capacity + 64 : INT32_MAX;
    PalCandidateGroup *more = pal_alloc_unset((size_t)capacity, sizeof *more);
    if (more == NULL || list->count == INT32_MAX) {
        pal_free(more);
        return false;
    }
    if (list->count > 0)
        memcpy(more, list->items, (size_t)list->count * sizeof *more);
    pal_free(list->items);
    list->items = more;
    list->capacity = capacity;
    return true;
}

int32_t pal_groups_find(PalGroups *groups, int32_t a, int32_t b)
{
    if (!grow_table(groups))
        return PAL_NONE;
    int32_t *place = look_up(groups, a, b), g = groups->spare;
    if (*place > 0)
        return *place - 1;
    groups->waking.count = 0;
    if (!pal_array_reserve(&groups->followed, groups->list.count + 1) ||
        !pal_array_reserve(&groups->resting, groups->list.count + 1) ||
        !pal_array_reserve(&groups->waking, groups->list.count + 1))
        return PAL_NONE;
    PalCandidateGroup fresh = {
        .patches = {a, b}, .fresh = true, .wake = INFINITY, .limit = -INFINITY};
    if (g != PAL_NONE) {
        groups->spare = groups->list.items[g].next[0];
        groups->list.items[g] = fresh;
    } else if (make_room(&groups->list)) {
        g = groups->list.count++;
        groups->list.items[g] = fresh;
    }
    *place = g + 1;
    if (g != PAL_NONE)
        groups->followed.items[groups->followed.count++] = g;
    return g;
}

void pal_groups_follow_all(PalGroups *groups)
{
    for (int32_t i = 0; i < groups->resting.count; ++i)
        pal_groups_follow(groups, groups->resting.items[i]);
    groups->resting.count = 0;
    groups->until = INFINITY;
}

void pal_groups_sweep(PalLagrange *lagrange)
{
    PalGroups *groups = &lagrange->groups;
    int32_t carrying_count = 0;
    pal_groups_follow_all(groups);
    groups->followed.count = 0;
    for (int32_t i = 0; i < lagrange->carrying_count; ++i) {
        int32_t c = lagrange->carrying[i];
        if (groups->list.items[lagrange->now.looks[c].group].stamp == groups->stamp)
            lagrange->carrying[carrying_count++] = c;
    }
    lagrange->carrying_count = carrying_count;
    for (int32_t g = 0; g < groups->list.count; ++g) {
        PalCandidateGroup *group = &groups->list.items[g];
        if (group->patches[0] == PAL_NONE)
            continue;
        if (group->stamp == groups->stamp) {
            groups->followed.items[groups->followed.count++] = g;
            continue;
        }
        lagrange->lister.listed_count -= group->count;
        *group = (PalCandidateGroup){
            .patches = {PAL_NONE, PAL_NONE},
            .next = {groups->spare, PAL_NONE},
            .wake = INFINITY,
            .limit = INFINITY,
        };
        groups->spare = g;
    }
    fill_table(groups);
}

// ---- making -----------------------------------------------------------------------------

static bool assign(const PalContact *contact, PalLagrange *lagrange)
{
    const PalCandidates *from = &lagrange->spare;
    PalGroups *groups = &lagrange->groups;
    for (int32_t c = 0; c < from->count; ++c) {
        PalLook *look = &from->looks[c];
        const PalFeatures *features = &from->items[c].features;
        int32_t a = pal_patches_of(&lagrange->patches, features, 0),
                b = pal_patches_of(&lagrange->patches, features, 1);
        int32_t g = pal_groups_find(groups, a < b ? a : b, a < b ? b : a);
        if (g == PAL_NONE)
            return false;
        PalCandidateGroup *group = &groups->list.items[g];
        look->group = g;
        look->flat = pal_lagrange_is_flat(contact, lagrange, features);
        ++group->count;
        group->flat_count += look->flat;
        group->wake = pal_min(group->wake, from->wakes[c]);
    }
    return true;
}

// Puts what is known of each group side by side, flat edges last, in their order.
static void arrange(PalLagrange *lagrange)
{
    PalCandidates *now = &lagrange->now;
    const PalCandidates *from = &lagrange->spare;
    PalGroups *groups = &lagrange->groups;
    int32_t first = 0;
    for (int32_t g = 0; g < groups->list.count; ++g) {
        PalCandidateGroup *group = &groups->list.items[g];
        group->first = first;
        first += group->room = group->count;
        group->next[0] = group->first;
        group->next[1] = group->first + group->count - group->flat_count;
        group->limit = INFINITY;
        group->soonest = group->wake;
    }
    for (int32_t c = 0; c < from->count; ++c) {
        const PalLook *look = &from->looks[c];
        int32_t slot = groups->list.items[look->group].next[look->flat]++;
        lagrange->order[c] = slot;
        now->items[slot] = from->items[c];
        now->keys[slot] = from->keys[c];
        now->turns[slot] = 0;
        now->looks[slot] = *look;
        now->wakes[slot] = from->wakes[c];
    }
    now->count = from->count;
}

bool pal_groups_make(const PalContact *contact, PalLagrange *lagrange)
{
    pal_groups_empty(&lagrange->groups);
    lagrange->carrying_count = 0;
    if (!assign(contact, lagrange))
        return false;
    arrange(lagrange);
    return true;
}

// ---- order ------------------------------------------------------------------------------

static void sort_few(PalWoken *woken, int32_t count)
{
    for (int32_t i = 1; i < count; ++i) {
        PalWoken one = woken[i];
        int32_t place = i;
        for (; place > 0 && woken[place - 1].key > one.key; --place)
            woken[place] = woken[place - 1];
        woken[place] = one;
    }
}

// By merging, from a few on. Where they are in the end.
static const PalWoken *sort(PalWoken *woken, PalWoken *spare, int32_t count)
{
    for (int32_t i = 0; i < count; i += FEW)
        sort_few(woken + i, count - i < FEW ? count - i : FEW);
    for (int32_t size = FEW; size < count; size *= 2) {
        for (int32_t i = 0; i < count; i += 2 * size) {
            int32_t a = i, middle = i + size < count ? i + size : count, b = middle;
            int32_t end = i + 2 * size < count ? i + 2 * size : count;
            for (int32_t to = i; to < end; ++to)
                spare[to] = b == end || (a < middle && woken[a].key < woken[b].key) ? woken[a++]
                                                                                    : woken[b++];
        }
        PalWoken *sorted = spare;
        spare = woken;
        woken = sorted;
    }
    return woken;
}

void pal_groups_mark_nothing(PalLagrange *lagrange)
{
    if (lagrange->groups.bits != NULL)
        memset(lagrange->groups.bits, 0,
               ((size_t)lagrange->now.count / 64 + 1) * sizeof *lagrange->groups.bits);
}

// Those that were awake before are in order, but where lists are new.
int32_t pal_groups_list(const PalLagrange *lagrange, int32_t *candidates)
{
    const PalGroups *groups = &lagrange->groups;
    const uint64_t *keys = lagrange->now.keys;
    uint64_t *bits = groups->bits;
    int32_t count = 0, fresh_count = 0, slots = lagrange->now.count;
    for (int32_t i = 0; i < lagrange->awake_count; ++i) {
        int32_t s = lagrange->awake[i];
        if (s >= slots || !(bits[s / 64] >> s % 64 & 1) ||
            (count > 0 && keys[s] < keys[candidates[count - 1]]))
            continue;
        bits[s / 64] &= ~(UINT64_C(1) << s % 64);
        candidates[count++] = s;
    }
    for (int32_t word = 0; 64 * word < slots; ++word)
        for (uint64_t left = bits[word]; left != 0; left &= left - 1) {
            int32_t s = 64 * word + __builtin_ctzll(left);
            groups->woken[0][fresh_count++] = (PalWoken){keys[s], s};
        }
    const PalWoken *fresh = sort(groups->woken[0], groups->woken[1], fresh_count);
    int32_t total = count + fresh_count;
    for (int32_t to = total - 1; fresh_count > 0; --to)
        candidates[to] = count > 0 && keys[candidates[count - 1]] > fresh[fresh_count - 1].key
                             ? candidates[--count]
                             : fresh[--fresh_count].slot;
    return total;
}

static void mark(const PalGroups *groups, int32_t slot)
{
    groups->bits[slot / 64] |= UINT64_C(1) << slot % 64;
}

void pal_groups_find_moved(PalLagrange *lagrange)
{
    const PalGroups *groups = &lagrange->groups;
    pal_groups_mark_nothing(lagrange);
    for (int32_t i = 0; i < lagrange->awake_count; ++i) {
        int32_t s = lagrange->awake[i];
        if (!groups->list.items[lagrange->now.looks[s].group].due)
            mark(groups, s);
    }
    for (int32_t i = 0; i < groups->due.count; ++i) {
        const PalCandidateGroup *group = &groups->list.items[groups->due.items[i]];
        for (int32_t s = group->first; s < group->first + group->count; ++s)
            if (lagrange->now.looks[s].row != PAL_ASLEEP)
                mark(groups, s);
    }
    lagrange->awake_count = pal_groups_list(lagrange, lagrange->awake);
}

void pal_groups_find_awake(PalLagrange *lagrange)
{
    const PalGroups *groups = &lagrange->groups;
    pal_groups_mark_nothing(lagrange);
    for (int32_t g = 0; g < groups->list.count; ++g) {
        const PalCandidateGroup *group = &groups->list.items[g];
        for (int32_t s = group->first; s < group->first + group->count; ++s) {
            int32_t row = lagrange->now.looks[s].row;
            if (row >= 0)
                lagrange->rows.items[row].source = s;
            if (row != PAL_ASLEEP)
                mark(groups, s);
        }
    }
    lagrange->awake_count = 0;
    lagrange->awake_count = pal_groups_list(lagrange, lagrange->awake);
}
