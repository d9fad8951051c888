// How the rows of a part are laid out to be solved four at a time. Those that are solved at once
// have no carrier in common that could move, and otherwise come in their order: the result is that
// of one row after the other.
#include "contact/response/rows/groups.h"

#include <stddef.h>

#define STREAMS 12  // parts of the list gone through side by side

static const PalLanes none = {0, 0, 0, 0};

static void begin_group(PalRows *rows, const PalRowPart *part, int32_t g)
{
    PalRowGroup *group = &rows->groups[g];
    memset(group, 0, sizeof *group);
    if (part->rough)
        memset(&rows->drags[g], 0, sizeof rows->drags[g]);
    memcpy(group->carriers, part->nobody, sizeof part->nobody);
}

// The first group with room after all those that move a carrier of the row. All before `open` are
// full.
static int32_t group_for(PalRows *rows, PalRowPart *part, const PalRow *row, int32_t *open)
{
    int32_t places[PAL_ROW_CARRIERS], count = 0, group = *open;
    for (int32_t k = 0; k < row->count; ++k) {
        int32_t place = rows->place[row->carriers[k]];
        if (place == PAL_NONE)
            continue;
        places[count++] = place;
        group = rows->last_group[place] >= group ? rows->last_group[place] + 1 : group;
    }
    int32_t end = part->first_group + part->group_count;
    while (group < end && rows->groups[group].count == PAL_LANES)
        ++group;
    for (int32_t k = 0; k < count; ++k)
        rows->last_group[places[k]] = group;
    if (group == end) {
        begin_group(rows, part, group);
        ++part->group_count;
    }
    if (++rows->groups[group].count == PAL_LANES && group == *open)
        ++*open;
    return group;
}

// What is only needed with friction. `predicted`: how fast the sides part.
PAL_ROWS_INLINE void fill_drag(PalDragGroup *drags, int32_t lane, const PalRow *row, PalLanes give,
                               PalLanes predicted)
{
    for (int i = 0; i < 3; ++i) {
        drags->normal[i][lane] = row->normal[i];
        drags->give[i][lane] = give[i];
        drags->predicted[i][lane] = predicted[i];
        drags->drag[i][lane] = row->drag[i];
    }
    drags->tangent_inverse[lane] = row->tangent_inverse;
    drags->tangent_response[lane] = row->tangent_inverse > 0 ? 1 / row->tangent_inverse : 0;
    drags->friction[lane] = row->friction;
}

// Where a row is put.
typedef struct Slot {
    PalRows *rows;
    const PalRowPart *part;
    int32_t group, lane;
} Slot;

// One more carrier of a row: number `e` among the rest.
PAL_ROWS_INLINE void add_rest(const Slot *slot, int32_t e, int32_t place, PalLanes along)
{
    PalRestGroup *rest = &slot->rows->rest[slot->group];
    int32_t *rest_count = &slot->rows->groups[slot->group].rest_count;
    for (int32_t i = 0; i < PAL_LANES && e >= *rest_count; ++i) {
        rest->along[e][i] = none;
        rest->carriers[e][i] = slot->part->nobody[e % 4][i];
    }
    *rest_count = e >= *rest_count ? e + 1 : *rest_count;
    rest->along[e][slot->lane] = along;
    rest->carriers[e][slot->lane] = pal_scaled_bytes(place);
}

// With friction, spins have matrices.
PAL_ROWS_INLINE void add_turn(const Slot *slot, int32_t t, const PalTurn *turn)
{
    PalTurnGroup *turns = &slot->rows->turns[slot->group];
    int32_t *turn_count = &slot->rows->groups[slot->group].turn_count;
    for (int32_t i = 0; i < PAL_LANES && t >= *turn_count; ++i) {
        turns->carriers[t][i] = slot->part->nobody[t][i];
        for (int j = 0; j < 3; ++j)
            turns->columns[t][i][j] = none;
    }
    *turn_count = t >= *turn_count ? t + 1 : *turn_count;
    turns->carriers[t][slot->lane] = pal_scaled_bytes(slot->rows->place[turn->carrier]);
    memcpy(turns->columns[t][slot->lane], turn->columns, sizeof turn->columns);
}

// Spins of free rigid bodies. Without friction they are carriers like others, after those among
// the rest. Adds what an impulse along the normal does to the velocity by turning.
PAL_ROWS_INLINE PalLanes add_turns(const Slot *slot, const PalRow *row, int32_t rest_count,
                                   PalLanes *give)
{
    PalRows *rows = slot->rows;
    PalLanes predicted = none;
    for (int32_t t = 0; t < row->turn_count; ++t) {
        const PalTurn *turn = &pal_rows_turns(rows, row)[t];
        PalLanes along = none;
        for (int j = 0; j < 3; ++j) {
            along[j] = pal_lanes_sum(turn->columns[j] * row->normal);
            *give += along[j] * turn->columns[j];
            predicted += rows->velocity[turn->carrier][j] * turn->columns[j];
        }
        if (slot->part->rough)
            add_turn(slot, t, turn);
        else
            add_rest(slot, rest_count + t, rows->place[turn->carrier], along);
    }
    return predicted;
}

PAL_ROWS_INLINE void add_row(PalRows *rows, PalRowPart *part, int32_t r, int32_t *open, bool rough)
{
    const PalRow *row = &rows->items[r];
    Slot slot = {rows, part, group_for(rows, part, row, open), 0};
    PalRowGroup *group = &rows->groups[slot.group];
    int32_t lane = slot.lane = group->count - 1, moving = 0;
    PalLanes predicted = row->extra, give = none;
    for (int32_t k = 0; k < row->count; ++k) {
        int32_t c = row->carriers[k], place = rows->place[c];
        predicted += row->weights[k] * pal_lanes_load(rows->velocity[c]);
        if (place == PAL_NONE)
            continue;
        PalLanes along = row->weights[k] * pal_lanes_load(rows->carriers->root_inverse[c]);
        along = rough ? along : along * row->normal;
        give += along * along;
        if (moving < 4) {
            group->along[moving][lane] = along;
            group->carriers[moving][lane] = pal_scaled_bytes(place);
        } else {
            add_rest(&slot, moving - 4, place, along);
        }
        ++moving;
    }
    int32_t width = moving < 4 ? moving : 4;
    group->width = group->width > width ? group->width : width;
    give *= row->normal;
    if (row->turn_count > 0)
        predicted += add_turns(&slot, row, moving - width, &give);
    group->rows[lane] = r;
    group->bias[lane] = rough ? row->bias : row->bias - pal_lanes_sum(predicted * row->normal);
    group->inverse[lane] = row->inverse;
    group->response[lane] = row->response;
    group->floor[lane] = row->floor;
    group->impulse[lane] = row->impulse;
    if (rough)
        fill_drag(&rows->drags[slot.group], lane, row, give, predicted);
}

// Rows are far apart where parts of the list are gone through side by side.
PAL_ROWS_INLINE void fetch_row(const PalRow *row)
{
    for (size_t b = 0; b < offsetof(PalRow, weights[4]); b += 64)
        __builtin_prefetch((const char *)row + b);
}

// Neighbours in the list share carriers, so that parts of it are gone through side by side.
PAL_ROWS_INLINE void add_rows(PalRows *rows, PalRowPart *part, bool rough)
{
    const int32_t *order = rows->order + part->first_row;
    int32_t stride = (part->row_count + STREAMS - 1) / STREAMS, open = part->first_row;
    for (int32_t p = part->first_moving; p < part->first_moving + part->moving_count; ++p)
        rows->last_group[p] = PAL_NONE;
    for (int32_t i = 0; i < stride; ++i)
        for (int32_t r = i; r < part->row_count; r += stride) {
            if (r + 1 < part->row_count)
                fetch_row(&rows->items[order[r + 1]]);
            add_row(rows, part, order[r], &open, rough);
        }
}

PAL_CLONES static void add_smooth(PalRows *rows, PalRowPart *part)
{
    add_rows(rows, part, false);
}

PAL_CLONES static void add_rough(PalRows *rows, PalRowPart *part)
{
    add_rows(rows, part, true);
}

void pal_rows_lay_out(PalRows *rows, PalRowPart *part)
{
    if (part->rough)
        add_rough(rows, part);
    else
        add_smooth(rows, part);
}
