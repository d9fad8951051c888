#include "contact/response/rows/groups.h"

#include "base/assert.h"
#include "base/memory.h"
#include "math/range.h"

#include <math.h>
#include <string.h>

// What is only used while rows are solved.
static void free_solution(PalRows *rows)
{
    void **arrays[] = {(void **)&rows->parts,      (void **)&rows->order,
                       (void **)&rows->row_island, (void **)&rows->island_part,
                       (void **)&rows->groups,     (void **)&rows->rest,
                       (void **)&rows->drags,      (void **)&rows->turns,
                       (void **)&rows->scaled,     (void **)&rows->scaled_ahead};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        pal_free(*arrays[i]);
        *arrays[i] = NULL;
    }
}

// Where there is no memory, all stays as it was. Groups have far more room than they use, as parts
// begin where their rows do.
static bool reserve_solution(PalRows *rows, int32_t capacity)
{
    size_t room = (size_t)capacity, parts = room / PAL_PART_ROWS + 2;
    size_t lanes = (size_t)rows->carriers->count + PAL_PART_NOBODY * parts;
    PalRows more = {
        .parts = pal_alloc_unset(parts, sizeof *rows->parts),
        .order = pal_alloc_unset(room, sizeof *rows->order),
        .row_island = pal_alloc_unset(room, sizeof *rows->row_island),
        .island_part = pal_alloc_unset(room, sizeof *rows->island_part),
        .groups = pal_alloc_unset(room, sizeof *rows->groups),
        .rest = pal_alloc_unset(room, sizeof *rows->rest),
        .drags = pal_alloc_unset(room, sizeof *rows->drags),
        .turns = pal_alloc_unset(room, sizeof *rows->turns),
        .scaled = pal_alloc_unset(lanes, sizeof *rows->scaled),
        .scaled_ahead = pal_alloc_unset(lanes, sizeof *rows->scaled_ahead),
    };
    if (more.parts == NULL || more.order == NULL || more.row_island == NULL ||
        more.island_part == NULL || more.groups == NULL || more.rest == NULL ||
        more.drags == NULL || more.turns == NULL || more.scaled == NULL ||
        more.scaled_ahead == NULL) {
        free_solution(&more);
        return false;
    }
    free_solution(rows);
    rows->parts = more.parts;
    rows->order = more.order;
    rows->row_island = more.row_island;
    rows->island_part = more.island_part;
    rows->groups = more.groups;
    rows->rest = more.rest;
    rows->drags = more.drags;
    rows->turns = more.turns;
    rows->scaled = more.scaled;
    rows->scaled_ahead = more.scaled_ahead;
    return true;
}

PalStatus pal_rows_init(PalRows *rows, const PalCarriers *carriers, PalError *error)
{
    size_t count = (size_t)carriers->count;
    *rows = (PalRows){
        .carriers = carriers,
        .touched = pal_alloc(count, sizeof *rows->touched),
        .velocity = pal_alloc(count, sizeof *rows->velocity),
        .predicted = pal_alloc(count, sizeof *rows->predicted),
        .stamps = pal_alloc(count, sizeof *rows->stamps),
        .scaled_before = pal_alloc(count, sizeof *rows->scaled_before),
        .last_group = pal_alloc(count, sizeof *rows->last_group),
        .moving = pal_alloc(count, sizeof *rows->moving),
        .place = pal_alloc(count, sizeof *rows->place),
        .above = pal_alloc(count, sizeof *rows->above),
    };
    if (rows->touched != NULL && rows->velocity != NULL && rows->predicted != NULL &&
        rows->stamps != NULL && rows->scaled_before != NULL && rows->last_group != NULL &&
        rows->moving != NULL && rows->place != NULL && rows->above != NULL)
        return PAL_OK;
    pal_rows_clear(rows);
    return pal_error_set(error, PAL_NO_MEMORY, "no memory for contact");
}

void pal_rows_clear(PalRows *rows)
{
    pal_free(rows->items);
    pal_free(rows->spins);
    pal_free(rows->touched);
    pal_free(rows->velocity);
    pal_free(rows->predicted);
    pal_free(rows->stamps);
    pal_free(rows->scaled_before);
    pal_free(rows->last_group);
    pal_free(rows->moving);
    pal_free(rows->place);
    pal_free(rows->above);
    free_solution(rows);
    *rows = (PalRows){0};
}

void pal_rows_begin(PalRows *rows)
{
    rows->count = rows->touched_count = 0;
    rows->no_memory = false;
    ++rows->stamp;
}

void pal_rows_reset(PalRows *rows)
{
    for (int32_t i = 0; i < rows->touched_count; ++i)
        memcpy(rows->velocity[rows->touched[i]], rows->predicted[rows->touched[i]],
               sizeof *rows->velocity);
}

bool pal_rows_grow(PalRows *rows)
{
    int32_t capacity = rows->capacity + rows->capacity / 2 + 256;
    PalRow *items = pal_alloc_unset((size_t)capacity, sizeof *items);
    PalTurn(*spins)[PAL_ROW_TURNS] = pal_alloc_unset((size_t)capacity, sizeof *spins);
    if (items == NULL || spins == NULL || !reserve_solution(rows, capacity)) {
        pal_free(items);
        pal_free(spins);
        return false;
    }
    if (rows->count > 0) {
        memcpy(items, rows->items, (size_t)rows->count * sizeof *items);
        memcpy(spins, rows->spins, (size_t)rows->count * sizeof *spins);
    }
    pal_free(rows->items);
    pal_free(rows->spins);
    rows->items = items;
    rows->spins = spins;
    rows->capacity = capacity;
    return true;
}

static double dot(PalLanes a, PalLanes b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// What spins add: a unit impulse along the normal turns the body by columns . normal.
static void add_turn(const PalRows *rows, const PalRow *row, const PalTurn *turn, double *tangent,
                     double *response, double *rate)
{
    const double *spin = rows->velocity[turn->carrier];
    for (int j = 0; j < 3; ++j) {
        double along = dot(turn->columns[j], row->normal);
        *response += along * along;
        *rate += along * spin[j];
        *tangent += dot(turn->columns[j], turn->columns[j]);
    }
}

bool pal_row_complete(const PalRows *rows, PalRow *row)
{
    double response = 0, tangent = 0, rate = 0;
    double x = row->normal[0], y = row->normal[1], z = row->normal[2];
    const double squares[3] = {x * x, y * y, z * z};
    PAL_ASSERT(row->count >= 1 && row->count <= PAL_ROW_CARRIERS);
    for (int32_t k = 0; k < row->count; ++k) {
        int32_t c = row->carriers[k];
        PAL_ASSERT(pal_rows_is_touched(rows, c));
        const double *u = rows->velocity[c];
        double w = row->weights[k];
        rate += w * (x * u[0] + y * u[1] + z * u[2]);
        response += pal_row_response(rows->carriers, c, w, squares);
        if (row->friction > 0 && rows->carriers->moves[c]) {
            const double *m = rows->carriers->inverse_mass[c];
            tangent += w * w * pal_max(m[0], pal_max(m[1], m[2]));
        }
    }
    for (int32_t t = 0; t < row->turn_count; ++t)
        add_turn(rows, row, &pal_rows_turns(rows, row)[t], &tangent, &response, &rate);
    if (!(response > 0))
        return false;
    row->rate = rate + dot(row->extra, row->normal);
    row->response = response;
    row->inverse = 1 / response;
    row->tangent_inverse = row->friction > 0 ? 1 / tangent : 0;
    return true;
}

bool pal_rows_complete(PalRows *rows)
{
    bool good = pal_row_complete(rows, &rows->items[rows->count]);
    rows->count += good;
    return good;
}

void pal_rows_validate(const PalRows *rows)
{
#ifndef NDEBUG
    const double nothing = 1e-150;  // squares of less are lost
    double largest = 0;             // what is small beside it is rounding
    for (int32_t r = 0; r < rows->count; ++r)
        largest = pal_max(largest, rows->items[r].impulse);
    for (int32_t r = 0; r < rows->count; ++r) {
        const PalRow *row = &rows->items[r];
        double drag = sqrt(dot(row->drag, row->drag)), limit = row->friction * row->impulse;
        PAL_ASSERT(row->count >= 1 && row->count <= PAL_ROW_CARRIERS);
        PAL_ASSERT(row->turn_count >= 0 && row->turn_count <= PAL_ROW_TURNS);
        for (int32_t k = 0; k < row->count; ++k)
            PAL_ASSERT(pal_rows_is_touched(rows, row->carriers[k]));
        for (int32_t t = 0; t < row->turn_count; ++t)
            PAL_ASSERT(pal_rows_is_touched(rows, pal_rows_turns(rows, row)[t].carrier));
        PAL_ASSERT(!(row->floor < 0) && !(row->impulse < row->floor) && !(row->response <= 0));
        PAL_ASSERT(!(drag > limit * (1 + 1e-9) + nothing));
        PAL_ASSERT(!(fabs(dot(row->drag, row->normal)) > 1e-9 * largest + nothing));
    }
#else
    (void)rows;
#endif
}
