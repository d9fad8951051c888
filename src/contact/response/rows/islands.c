// Which rows have to do with each other. Two rows that move the same carrier do, and all that are
// joined so are an island. Islands are solved each by itself: one that has come to rest does not go
// on because another has not, and several threads may be at work.
#include "contact/response/rows/groups.h"

#include <string.h>

// Most are right below the root: nothing is written then.
static int32_t root_of(int32_t *above, int32_t place)
{
    for (;;) {
        int32_t next = above[place], after = above[next];
        if (after == next)
            return next;
        place = above[place] = after;
    }
}

static void list_moving(PalRows *rows)
{
    int32_t count = 0;
    for (int32_t i = 0; i < rows->touched_count; ++i) {
        int32_t c = rows->touched[i];
        bool moves = rows->carriers->moves[c];
        rows->moving[count] = c;
        rows->place[c] = moves ? count : PAL_NONE;
        count += moves;
    }
    rows->moving_count = count;
}

// One more carrier of a row whose others are below this root; PAL_NONE: it has none yet. Returns
// the root of all: the lowest, so that new ones, which come later, are right below it.
static int32_t join(PalRows *rows, int32_t root, int32_t carrier)
{
    int32_t place = rows->place[carrier];
    if (place == PAL_NONE)
        return root;
    int32_t other = root_of(rows->above, place);
    if (root == PAL_NONE || root == other)
        return other;
    int32_t low = root < other ? root : other, high = root < other ? other : root;
    rows->above[high] = low;
    return low;
}

// `row_island` has a carrier of each row then.
static void join_rows(PalRows *rows)
{
    for (int32_t p = 0; p < rows->moving_count; ++p)
        rows->above[p] = p;
    for (int32_t r = 0; r < rows->count; ++r) {
        const PalRow *row = &rows->items[r];
        int32_t root = PAL_NONE;
        for (int32_t k = 0; k < row->count; ++k)
            root = join(rows, root, row->carriers[k]);
        for (int32_t t = 0; t < row->turn_count; ++t)
            root = join(rows, root, pal_rows_turns(rows, row)[t].carrier);
        PAL_ASSERT(root != PAL_NONE);
        rows->row_island[r] = root;
    }
}

// Numbers islands in the order of their first rows; how many there are. `order` has how many rows
// each one has, and `last_group` of the topmost carrier of each its number.
static int32_t number_islands(PalRows *rows)
{
    int32_t count = 0, *numbers = rows->last_group;
    for (int32_t p = 0; p < rows->moving_count; ++p)
        numbers[p] = PAL_NONE;
    for (int32_t r = 0; r < rows->count; ++r) {
        int32_t *island = &numbers[root_of(rows->above, rows->row_island[r])];
        if (*island == PAL_NONE) {
            rows->order[count] = 0;
            *island = count++;
        }
        rows->row_island[r] = *island;
        ++rows->order[*island];
    }
    return count;
}

static PalRowPart *begin_part(PalRows *rows, int32_t first_row)
{
    int32_t first = rows->carriers->count + PAL_PART_NOBODY * rows->part_count;
    PalRowPart *part = &rows->parts[rows->part_count++];
    *part = (PalRowPart){.first_row = first_row, .first_group = first_row};
    memset(&rows->scaled[first], 0, PAL_PART_NOBODY * sizeof *rows->scaled);
    memset(&rows->scaled_ahead[first], 0, PAL_PART_NOBODY * sizeof *rows->scaled_ahead);
    for (int32_t i = 0; i < PAL_PART_NOBODY; ++i)
        part->nobody[i / PAL_LANES][i % PAL_LANES] = pal_scaled_bytes(first + i);
    return part;
}

// Small islands go together, so that rows can be solved four at a time.
static void make_parts(PalRows *rows, int32_t island_count)
{
    int32_t row_count = 0;
    PalRowPart *part = NULL;
    for (int32_t i = 0; i < island_count; ++i) {
        if (part == NULL || row_count - part->first_row >= PAL_PART_ROWS)
            part = begin_part(rows, row_count);
        rows->island_part[i] = rows->part_count - 1;
        row_count += rows->order[i];
    }
}

static void note_kind(PalRowPart *part, const PalRow *row)
{
    part->rough |= row->friction > 0;
    part->turning |= row->turn_count > 0;
}

// Rows keep their order in a part, and so do carriers.
static void sort_rows(PalRows *rows)
{
    for (int32_t r = 0; r < rows->count; ++r) {
        PalRowPart *part = &rows->parts[rows->island_part[rows->row_island[r]]];
        rows->order[part->first_row + part->row_count++] = r;
        note_kind(part, &rows->items[r]);
    }
}

// What no row moves is left out. Numbers of islands give way to those of parts.
static void sort_carriers(PalRows *rows)
{
    int32_t first = 0, *part_of = rows->last_group, *unsorted = rows->above;
    for (int32_t p = 0; p < rows->moving_count; ++p)
        rows->above[p] = root_of(rows->above, p);
    for (int32_t p = 0; p < rows->moving_count; ++p)
        rows->above[p] = rows->last_group[rows->above[p]];
    for (int32_t p = 0; p < rows->moving_count; ++p) {
        int32_t island = rows->above[p];
        part_of[p] = island != PAL_NONE ? rows->island_part[island] : PAL_NONE;
        if (island != PAL_NONE)
            ++rows->parts[part_of[p]].moving_count;
        unsorted[p] = rows->moving[p];
    }
    for (int32_t p = 0; p < rows->part_count; ++p) {
        rows->parts[p].first_moving = first;
        first += rows->parts[p].moving_count;
        rows->parts[p].moving_count = 0;
    }
    for (int32_t p = 0; p < rows->moving_count; ++p) {
        if (part_of[p] == PAL_NONE)
            continue;
        PalRowPart *part = &rows->parts[part_of[p]];
        int32_t place = part->first_moving + part->moving_count++;
        rows->place[unsorted[p]] = place;
        rows->moving[place] = unsorted[p];
    }
}

static void make_one_part(PalRows *rows)
{
    PalRowPart *part = begin_part(rows, 0);
    part->row_count = rows->count;
    part->moving_count = rows->moving_count;
    for (int32_t r = 0; r < rows->count; ++r) {
        rows->order[r] = r;
        note_kind(part, &rows->items[r]);
    }
}

void pal_rows_part(PalRows *rows)
{
    rows->part_count = 0;
    if (rows->count == 0)
        return;
    list_moving(rows);
    int32_t island_count = 1;
    if (rows->count > PAL_PART_FEW) {
        join_rows(rows);
        island_count = number_islands(rows);
    }
    if (island_count == 1) {
        make_one_part(rows);
        return;
    }
    make_parts(rows, island_count);
    sort_rows(rows);
    sort_carriers(rows);
}
