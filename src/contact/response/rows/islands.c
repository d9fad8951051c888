// Which rows have to do with each other. Two rows that move the same carrier do, and all that are
// joined so are an island. Islands are solved each by itself: one that has come to rest does not go
// on because another has not, and several threads may be at work.
#include "contact/response/rows/groups.h"

static int32_t root_of(int32_t *above, int32_t carrier)
{
    while (above[carrier] != carrier)
        carrier = above[carrier] = above[above[carrier]];
    return carrier;
}

// The lower number is above the higher one.
static int32_t join(const PalRows *rows, int32_t root, int32_t carrier)
{
    int32_t *above = rows->above;
    if (above[carrier] == root || !rows->carriers->moves[carrier])
        return root;
    int32_t other = root_of(above, carrier);
    if (root == PAL_NONE || root == other)
        return other;
    int32_t low = root < other ? root : other;
    above[root] = above[other] = low;
    return low;
}

void pal_rows_join(PalRows *rows, const PalRow *row)
{
    int32_t root = PAL_NONE;
    for (int32_t k = 0; k < row->count; ++k)
        root = join(rows, root, row->carriers[k]);
    for (int32_t t = 0; t < row->turn_count; ++t)
        root = join(rows, root, pal_rows_turns(rows, row)[t].carrier);
    PAL_ASSERT(root != PAL_NONE);
    rows->row_carrier[row - rows->items] = root;
    rows->rough |= row->friction > 0;
    rows->turning |= row->turn_count > 0;
}

// Numbers islands in the order of their first rows; how many there are. `order` has how many rows
// each one has, and `last_group` of the topmost carrier of each its number.
static int32_t number_islands(PalRows *rows)
{
    int32_t count = 0, *numbers = rows->last_group;
    for (int32_t i = 0; i < rows->touched_count; ++i)
        numbers[rows->touched[i]] = PAL_NONE;
    for (int32_t r = 0; r < rows->count; ++r) {
        int32_t *island = &numbers[root_of(rows->above, rows->row_carrier[r])];
        if (*island == PAL_NONE) {
            rows->order[count] = 0;
            *island = count++;
        }
        rows->row_island[r] = *island;
        ++rows->order[*island];
    }
    return count;
}

// Small islands go together, so that rows can be solved four at a time.
static void make_parts(PalRows *rows, int32_t island_count)
{
    int32_t row_count = 0;
    rows->part_count = 0;
    for (int32_t i = 0; i < island_count; ++i) {
        if (i == 0 || rows->parts[rows->part_count - 1].row_count >= PAL_PART_ROWS)
            rows->parts[rows->part_count++] = (PalRowPart){.first_row = row_count};
        rows->island_part[i] = rows->part_count - 1;
        rows->parts[rows->part_count - 1].row_count += rows->order[i];
        row_count += rows->order[i];
    }
}

// Rows keep their order in a part, and so do carriers.
static void sort_rows(PalRows *rows)
{
    for (int32_t p = 0; p < rows->part_count; ++p)
        rows->parts[p].row_count = 0;
    for (int32_t r = 0; r < rows->count; ++r) {
        PalRowPart *part = &rows->parts[rows->island_part[rows->row_island[r]]];
        rows->order[part->first_row + part->row_count++] = r;
        part->rough |= rows->rough && rows->items[r].friction > 0;
        part->turning |= rows->turning && rows->items[r].turn_count > 0;
    }
}

// What no row moves is left out.
static void sort_carriers(PalRows *rows)
{
    int32_t first = 0;
    for (int32_t i = 0; i < rows->touched_count; ++i) {
        int32_t c = rows->touched[i], island = rows->last_group[root_of(rows->above, c)];
        bool counts = rows->carriers->moves[c] && island != PAL_NONE;
        rows->place[c] = counts ? rows->island_part[island] : PAL_NONE;
        if (counts)
            ++rows->parts[rows->place[c]].moving_count;
    }
    for (int32_t p = 0; p < rows->part_count; ++p) {
        rows->parts[p].first_moving = first;
        first += rows->parts[p].moving_count;
        rows->parts[p].moving_count = 0;
    }
    for (int32_t i = 0; i < rows->touched_count; ++i) {
        int32_t c = rows->touched[i];
        if (rows->place[c] == PAL_NONE)
            continue;
        PalRowPart *part = &rows->parts[rows->place[c]];
        rows->place[c] = part->first_moving + part->moving_count++;
        rows->moving[rows->place[c]] = c;
    }
}

void pal_rows_part(PalRows *rows)
{
    make_parts(rows, number_islands(rows));
    sort_rows(rows);
    sort_carriers(rows);
}
