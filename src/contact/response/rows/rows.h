// Constraints of a step, one row each, and their solution. A row knows how fast its two sides part:
// rate = normal . (sum of weights times velocities of carriers) >= bias, by an impulse >= 0 along
// the normal, and friction across it. Nothing here knows what a row represents.
#ifndef PAL_CONTACT_RESPONSE_ROWS_ROWS_H
#define PAL_CONTACT_RESPONSE_ROWS_ROWS_H

#include "base/assert.h"
#include "contact/surface/carriers.h"
#include "math/lanes.h"

#define PAL_ROW_CARRIERS 20
#define PAL_ROW_TURNS    2

// How a row reads the spin of a free rigid body: its side moves by the columns times the carrier's
// three numbers. The other way round, an impulse turns the body.
typedef struct PalTurn {
    int32_t carrier;
    PalVec3 arm;  // of the row's impulse, about the body's centre
    PalLanes columns[3];
} PalTurn;

// What every row needs comes first.
typedef struct PalRow {
    PalLanes normal;
    double bias;
    double floor;  // the impulse is no less: what is soft pushes by that much anyway
    double impulse;
    double friction;
    // By pal_rows_complete
    double rate;                      // as predicted
    double response;                  // change of rate per impulse
    double inverse, tangent_inverse;  // impulse per change of rate
    PalLanes drag;                    // impulse of friction
    PalLanes extra;      // velocity of the first side against the second that no carrier has
    PalLanes turning;    // the part of it that follows from what carriers do: the caller's
    int32_t source;      // what the row represents: the caller's number
    int32_t count;       // of carriers, at least one
    int32_t turn_count;  // of spins: pal_rows_turns
    int32_t carriers[PAL_ROW_CARRIERS];
    double weights[PAL_ROW_CARRIERS];
} PalRow;

typedef struct PalRowGroup PalRowGroup;    // groups.h
typedef struct PalRestGroup PalRestGroup;  // groups.h
typedef struct PalDragGroup PalDragGroup;  // groups.h
typedef struct PalTurnGroup PalTurnGroup;  // groups.h
typedef struct PalRowPart PalRowPart;      // groups.h

typedef struct PalRows {
    const PalCarriers *carriers;  // borrowed
    int32_t count, capacity;
    PalRow *items;
    PalTurn (*spins)[PAL_ROW_TURNS];  // of each row, as many as it says
    bool no_memory;                   // for one more row
    bool patient;    // without friction, the tolerance is to be reached however long it takes
    bool may_creep;  // many rows that hardly come nearer to it need not reach it
    int32_t touched_count;
    int32_t *touched;        // carriers that rows of this step speak of
    double (*velocity)[4];   // of these
    double (*predicted)[4];  // before any impulse
    int64_t *stamps;         // per carrier: the step it was touched in
    int64_t stamp;
    // Of the solution, in parts that have no carrier in common that could move
    int32_t thread_count;  // that may be at work; less than 2: the caller alone
    double tolerance;
    int32_t part_count;
    int32_t largest_part;  // it is begun with
    PalRowPart *parts;     // as many as rows may be parted into
    int32_t *order;        // rows, those of a part together; capacity as rows, and so the next two
    int32_t *row_island;   // of each row, while parts are found
    int32_t *island_part;  // and of each island
    // Carriers among the touched that can move, those of a part together
    int32_t moving_count;
    int32_t *moving;
    int32_t *place;  // of a touched carrier among them; PAL_NONE: it cannot move
    int32_t *above;  // union-find over them
    // What rows do to their velocities times the roots of masses, before the last sweep, and where
    // that goes; with room for what groups that are not full point at
    PalLanes *scaled, *scaled_before, *scaled_ahead;
    int32_t *last_group;  // of rows a carrier is in
    PalRowGroup *groups;  // capacity as rows, and so have the others
    PalRestGroup *rest;
    PalDragGroup *drags;
    PalTurnGroup *turns;
} PalRows;

PalStatus pal_rows_init(PalRows *rows, const PalCarriers *carriers, PalError *error);
void pal_rows_clear(PalRows *rows);

// A step begins: there are no rows, and no carrier is touched.
void pal_rows_begin(PalRows *rows);
// A carrier and its velocity as predicted; the first time in a step counts.
static inline bool pal_rows_is_touched(const PalRows *rows, int32_t carrier)
{
    return rows->stamps[carrier] == rows->stamp;
}
static inline void pal_rows_touch(PalRows *rows, int32_t carrier, PalVec3 velocity)
{
    PAL_ASSERT(carrier >= 0 && carrier < rows->carriers->count);
    if (pal_rows_is_touched(rows, carrier))
        return;
    rows->stamps[carrier] = rows->stamp;
    rows->touched[rows->touched_count++] = carrier;
    double *velocities[2] = {rows->predicted[carrier], rows->velocity[carrier]};
    for (int i = 0; i < 2; ++i) {
        velocities[i][0] = velocity.x;
        velocities[i][1] = velocity.y;
        velocities[i][2] = velocity.z;
        velocities[i][3] = 0;
    }
}
// Velocities are again as predicted.
void pal_rows_reset(PalRows *rows);

// Makes room for more rows.
bool pal_rows_grow(PalRows *rows);
// A row without carriers, spins, impulse or friction.
static inline void pal_row_clear(PalRow *row)
{
    row->count = row->turn_count = 0;
    row->bias = row->floor = row->impulse = row->friction = 0;
    row->drag = row->extra = row->turning = (PalLanes){0, 0, 0, 0};
}
// Room for one more row, which is clear; NULL: no memory. It counts once it is complete.
static inline PalRow *pal_rows_next(PalRows *rows)
{
    if (rows->count == rows->capacity && !pal_rows_grow(rows)) {
        rows->no_memory = true;
        return NULL;
    }
    PalRow *row = &rows->items[rows->count];
    pal_row_clear(row);
    return row;
}
// The spins of a row.
static inline PalTurn *pal_rows_turns(const PalRows *rows, const PalRow *row)
{
    return rows->spins[row - rows->items];
}
// Carriers, weights, turns and normal of that row are known, and its carriers are touched. False:
// nothing in it can give way, and it does not count.
bool pal_rows_complete(PalRows *rows);
// The same for any row, by several threads: none of them counts it.
bool pal_row_complete(const PalRows *rows, PalRow *row);
// How much a unit impulse on a carrier of this weight changes the rate, by the squares of the
// normal's components.
static inline double pal_row_response(const PalCarriers *carriers, int32_t carrier, double weight,
                                      const double squares[3])
{
    const double *m = carriers->inverse_mass[carrier];
    if (!carriers->moves[carrier])
        return 0;
    return weight * weight * (squares[0] * m[0] + squares[1] * m[1] + squares[2] * m[2]);
}

// Finds impulses from the velocities as predicted and the impulses the rows begin with, until no
// rate changes by more than the tolerance; with friction, and many sweeps, by some more. Leaves
// velocities. Rows that have to do with each other, by any number of others, are solved together;
// where there are many, apart from all others. Same bits for any number of threads.
void pal_rows_solve(PalRows *rows, double tolerance);

// Does nothing but stop where solved rows contradict themselves.
void pal_rows_validate(const PalRows *rows);

#endif
