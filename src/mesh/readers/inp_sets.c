#include "mesh/readers/inp.h"

#include <stdio.h>
#include <string.h>

bool pal_inp_field(PalToken *line, PalToken *field)
{
    if (line->size == 0)
        return false;
    size_t size = 0;
    while (size < line->size && line->text[size] != ',')
        ++size;
    *field = pal_token_trim((PalToken){line->text, size});
    size_t used = size < line->size ? size + 1 : size;
    line->text += used;
    line->size -= used;
    return true;
}

PalStatus pal_inp_set(PalInp *inp, PalInpSets *sets, PalToken name, int32_t *set)
{
    if (name.size >= 2 && name.text[0] == '"' && name.text[name.size - 1] == '"') {
        name.text += 1;
        name.size -= 2;
    }
    if (name.size == 0)
        return pal_cursor_fail(inp->cursor, name.text, "a set without a name, expected one");
    *set = pal_names_add(&sets->names, name, true);
    if (*set != PAL_NONE)
        return PAL_OK;
    if (sets->names.list.count == PAL_NAMES_MAX)
        return pal_cursor_fail(inp->cursor, name.text, "more than %d sets, expected fewer",
                               PAL_NAMES_MAX);
    return pal_cursor_no_memory(inp->cursor);
}

PalStatus pal_inp_add_entry(PalInp *inp, PalInpSets *sets, PalInpEntry entry)
{
    return pal_array_push(&sets->entries, entry) ? PAL_OK : pal_cursor_no_memory(inp->cursor);
}

static PalStatus parse_number(PalInp *inp, PalToken field, int64_t *number)
{
    const char *end = field.text + field.size;
    if (pal_parse_int(field.text, end, number) == end)
        return PAL_OK;
    return pal_cursor_fail(inp->cursor, field.text, "'%s' is not a whole number, expected one",
                           pal_token_quote(field).text);
}

// first, last[, step]
static PalStatus read_range(PalInp *inp, PalInpSets *sets, int32_t set, PalToken line)
{
    PalInpEntry entry = {.set = set, .nested = PAL_NONE, .step = 1, .where = line.text};
    int64_t *const parts[] = {&entry.first, &entry.last, &entry.step};
    PalToken field;
    int32_t count = 0;
    while (pal_inp_field(&line, &field)) {
        if (field.size == 0)
            continue;
        if (count == 3)
            return pal_cursor_fail(inp->cursor, field.text,
                                   "a fourth number, expected first, "
                                   "last, step");
        PAL_TRY(parse_number(inp, field, parts[count++]));
    }
    if (count == 1)
        entry.last = entry.first;
    if (entry.step <= 0 || entry.last < entry.first)
        return pal_cursor_fail(
            inp->cursor, entry.where, "the range %lld to %lld by %lld, expected one that ascends",
            (long long)entry.first, (long long)entry.last, (long long)entry.step);
    return pal_inp_add_entry(inp, sets, entry);
}

// A number, possibly after the name of an instance and a point, or the name of a set.
static PalStatus read_member(PalInp *inp, PalInpSets *sets, int32_t set, PalToken field)
{
    PalInpEntry entry = {.set = set, .nested = PAL_NONE, .where = field.text};
    const char *end = field.text + field.size, *number = end;
    while (number > field.text && number[-1] >= '0' && number[-1] <= '9')
        --number;
    bool plain = number == field.text || number[-1] == '.' ||
                 (number == field.text + 1 && (number[-1] == '-' || number[-1] == '+'));
    if (plain && number < end) {
        if (number > field.text && number[-1] != '.')
            --number;
        PAL_TRY(parse_number(inp, (PalToken){number, (size_t)(end - number)}, &entry.first));
        entry.last = entry.first;
        return pal_inp_add_entry(inp, sets, entry);
    }
    int32_t known = sets->names.list.count;
    PAL_TRY(pal_inp_set(inp, sets, field, &entry.nested));
    if (entry.nested >= known || entry.nested == set)
        return pal_cursor_fail(inp->cursor, field.text,
                               "'%s', expected a number or the name of a set defined before",
                               pal_token_quote(field).text);
    return pal_inp_add_entry(inp, sets, entry);
}

PalStatus pal_inp_read_set(PalInp *inp, PalInpSets *sets, int32_t set, bool generate)
{
    PalToken line, field;
    while (pal_inp_line(inp, false, &line)) {
        if (generate) {
            PAL_TRY(read_range(inp, sets, set, line));
            continue;
        }
        while (pal_inp_field(&line, &field))
            if (field.size > 0)
                PAL_TRY(read_member(inp, sets, set, field));
    }
    return PAL_OK;
}

// Members are counted so that a few lines cannot ask for unbounded memory.
typedef struct Budget {
    int64_t left;
} Budget;

static PalStatus put(PalInp *inp, PalInts *items, int32_t item, Budget *budget)
{
    if (--budget->left < 0)
        return pal_cursor_fail(inp->cursor, NULL,
                               "the sets have too many members in all, expected at most 64 for "
                               "each node and element of the mesh");
    return pal_array_push(items, item) ? PAL_OK : pal_cursor_no_memory(inp->cursor);
}

// The numbers of a range that exist. A range far wider than the mesh costs no more than the mesh.
static PalStatus put_range(PalInp *inp, const PalIdMap *ids, const PalInpEntry *entry,
                           PalInts *items, Budget *budget)
{
    uint64_t steps = ((uint64_t)entry->last - (uint64_t)entry->first) / (uint64_t)entry->step;
    if (steps < (uint64_t)ids->entries.count) {
        for (uint64_t i = 0; i <= steps; ++i) {
            int32_t item = pal_id_map_find(ids, entry->first + (int64_t)i * entry->step);
            if (item != PAL_NONE)
                PAL_TRY(put(inp, items, item, budget));
        }
        return PAL_OK;
    }
    for (int32_t i = 0; i < ids->entries.count; ++i) {
        int64_t id = ids->entries.items[i].id;
        if (id >= entry->first && id <= entry->last &&
            ((uint64_t)id - (uint64_t)entry->first) % (uint64_t)entry->step == 0)
            PAL_TRY(put(inp, items, ids->entries.items[i].index, budget));
    }
    return PAL_OK;
}

static PalStatus resolve_entry(PalInp *inp, PalInpSets *sets, const PalInpEntry *entry,
                               Budget *budget)
{
    const PalIdMap *ids = sets->of_elements ? &inp->element_ids : &inp->node_ids;
    PalInts *items = &sets->items.items[entry->set];
    if (entry->nested != PAL_NONE) {
        int32_t count = sets->items.items[entry->nested].count;
        for (int32_t i = 0; i < count; ++i)
            PAL_TRY(put(inp, items, sets->items.items[entry->nested].items[i], budget));
        return PAL_OK;
    }
    if (entry->indices) {
        for (int64_t i = entry->first; i <= entry->last; ++i)
            PAL_TRY(put(inp, items, (int32_t)i, budget));
        return PAL_OK;
    }
    if (entry->step > 0)
        return put_range(inp, ids, entry, items, budget);
    int32_t item = pal_id_map_find(ids, entry->first);
    if (item == PAL_NONE)
        return pal_cursor_fail(inp->cursor, entry->where,
                               "there is no %s %lld, expected one that is defined",
                               sets->of_elements ? "element" : "node", (long long)entry->first);
    return put(inp, items, item, budget);
}

static PalStatus resolve(PalInp *inp, PalInpSets *sets)
{
    int32_t set_count = sets->names.list.count;
    Budget budget = {64 * ((int64_t)inp->raw->nodes.count + inp->elements.count) + 1000000};
    if (!pal_array_reserve(&sets->items, set_count))
        return pal_cursor_no_memory(inp->cursor);
    for (int32_t s = 0; s < set_count; ++s)
        sets->items.items[sets->items.count++] = (PalInts){0};
    for (int32_t i = 0; i < sets->entries.count; ++i)
        PAL_TRY(resolve_entry(inp, sets, &sets->entries.items[i], &budget));
    return PAL_OK;
}

PalStatus pal_inp_group(PalInp *inp, const char *name, const char *suffix, int32_t *group)
{
    char apart[256];
    snprintf(apart, sizeof apart, "%.200s%s", name, suffix);
    const char *own = inp->raw->sets_apart && suffix[0] != '\0' ? apart : name;
    return pal_raw_group(inp->raw, inp->cursor, (PalToken){own, strlen(own)}, group);
}

static PalStatus make_groups(PalInp *inp, const PalInpSets *sets)
{
    for (int32_t s = 0; s < sets->items.count; ++s) {
        const char *name = sets->names.list.items[s];
        // a set of nodes and one of elements may differ in case only
        int32_t twin = sets->of_elements ? pal_names_find(&inp->node_sets.names,
                                                          (PalToken){name, strlen(name)}, true)
                                         : PAL_NONE;
        if (twin != PAL_NONE)
            name = inp->node_sets.names.list.items[twin];
        int32_t group;
        PAL_TRY(pal_inp_group(inp, name, twin != PAL_NONE ? " elements" : "", &group));
        const PalInts *items = &sets->items.items[s];
        for (int32_t i = 0; i < items->count; ++i) {
            if (!sets->of_elements) {
                PAL_TRY(pal_raw_join(&inp->raw->node_members, inp->cursor, group, items->items[i]));
                continue;
            }
            const PalInpElement *element = &inp->elements.items[items->items[i]];
            if (element->kind != PAL_RAW_OTHER)
                PAL_TRY(pal_raw_join(&inp->raw->members[element->kind], inp->cursor, group,
                                     element->cell));
        }
    }
    return PAL_OK;
}

PalStatus pal_inp_finish_sets(PalInp *inp)
{
    PAL_TRY(resolve(inp, &inp->node_sets));
    PAL_TRY(resolve(inp, &inp->element_sets));
    PAL_TRY(make_groups(inp, &inp->node_sets));
    return make_groups(inp, &inp->element_sets);
}

void pal_inp_clear_sets(PalInpSets *sets)
{
    pal_names_clear(&sets->names);
    pal_array_clear(&sets->entries);
    for (int32_t s = 0; s < sets->items.count; ++s)
        pal_array_clear(&sets->items.items[s]);
    pal_array_clear(&sets->items);
}
