#include "mesh/readers/names.h"

#include "base/memory.h"

#include <string.h>

static char clean(char c)
{
    return (c >= 0 && c < ' ') || c == 127 ? '_' : c;
}

static char folded(char c, bool any_case)
{
    c = clean(c);
    return any_case && c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool same(const char *stored, PalToken name, bool any_case)
{
    for (size_t i = 0; i < name.size; ++i)
        if (stored[i] == '\0' || folded(stored[i], any_case) != folded(name.text[i], any_case))
            return false;
    return stored[name.size] == '\0';
}

// The slot that holds the name, or the free one where it belongs.
static int32_t *slot_of(const PalNames *names, PalToken name, bool any_case)
{
    uint32_t hash = 2166136261U;
    for (size_t i = 0; i < name.size; ++i)
        hash = (hash ^ (uint8_t)folded(name.text[i], any_case)) * 16777619U;
    uint32_t s = (hash ^ hash >> 15) & (names->slot_count - 1);
    while (names->slots[s] != 0 && !same(names->list.items[names->slots[s] - 1], name, any_case))
        s = (s + 1) & (names->slot_count - 1);
    return &names->slots[s];
}

int32_t pal_names_find(const PalNames *names, PalToken name, bool any_case)
{
    return names->slots == NULL ? PAL_NONE : *slot_of(names, name, any_case) - 1;
}

// Keeps half of the slots free.
static bool make_room(PalNames *names, bool any_case)
{
    uint32_t needed = 2 * ((uint32_t)names->list.count + 1);
    if (needed <= names->slot_count)
        return true;
    uint32_t slot_count = names->slot_count == 0 ? 64 : 4 * names->slot_count;
    int32_t *slots = pal_alloc(slot_count, sizeof *slots);
    if (slots == NULL)
        return false;
    pal_free(names->slots);
    names->slots = slots;
    names->slot_count = slot_count;
    for (int32_t i = 0; i < names->list.count; ++i) {
        const char *name = names->list.items[i];
        *slot_of(names, (PalToken){name, strlen(name)}, any_case) = i + 1;
    }
    return true;
}

int32_t pal_names_add(PalNames *names, PalToken name, bool any_case)
{
    if (!make_room(names, any_case))
        return PAL_NONE;
    int32_t *slot = slot_of(names, name, any_case);
    if (*slot != 0)
        return *slot - 1;
    if (names->list.count == PAL_NAMES_MAX || !pal_array_reserve(&names->list, 1))
        return PAL_NONE;
    char *copy = pal_alloc(name.size + 1, 1);
    if (copy == NULL)
        return PAL_NONE;
    for (size_t i = 0; i < name.size; ++i)
        copy[i] = clean(name.text[i]);
    names->list.items[names->list.count++] = copy;
    *slot = names->list.count;
    return names->list.count - 1;
}

void pal_names_clear(PalNames *names)
{
    for (int32_t i = 0; i < names->list.count; ++i)
        pal_free(names->list.items[i]);
    pal_array_clear(&names->list);
    pal_free(names->slots);
    names->slots = NULL;
    names->slot_count = 0;
}
