// Rows four at a time: how solve.c has them laid out.
#ifndef PAL_CONTACT_RESPONSE_ROWS_GROUPS_H
#define PAL_CONTACT_RESPONSE_ROWS_GROUPS_H

#include "contact/response/rows/rows.h"

#include <string.h>

// Four rows that can be solved at once, each with the carriers of it that can move. Without
// friction, `along` has the normal in it; with friction, it is a matrix with this diagonal. Rows
// with fewer carriers have zeros, those with more than four have the rest elsewhere.
struct PalRowGroup {
    PalLanes along[4][PAL_LANES];
    uint32_t carriers[4][PAL_LANES];  // where their velocities are: pal_scaled_at
    PalLanes bias, floor, inverse, response;
    PalLanes impulse;
    PalLanes before, ahead;  // impulse before the last sweep, and where it goes: without friction
    int32_t rows[PAL_LANES];
    int32_t count;
    int32_t width;       // carriers of the row that has most, but for the rest
    int32_t rest_count;  // of further carriers, of the row that has most
    int32_t turn_count;  // of spins, likewise: with friction
};

enum { PAL_ROW_REST = PAL_ROW_CARRIERS - 4 + PAL_ROW_TURNS };

// The fifth and further carriers of rows, and spins where there is no friction. What a row does not
// have is nothing.
struct PalRestGroup {
    PalLanes along[PAL_ROW_REST][PAL_LANES];
    uint32_t carriers[PAL_ROW_REST][PAL_LANES];
};

// What their friction needs: components of vectors, of four rows side by side.
struct PalDragGroup {
    PalLanes normal[3];
    PalLanes predicted[3];  // how fast the sides part before any impulse
    PalLanes give[3];       // change of the velocity per impulse along the normal
    PalLanes tangent_inverse, tangent_response, friction;
    PalLanes drag[3];
    PalLanes before[3], ahead[3];  // whole impulse before the last sweep, and where it goes
};

// How rows with friction read and write spins.
struct PalTurnGroup {
    PalLanes columns[PAL_ROW_TURNS][PAL_LANES][3];
    uint32_t carriers[PAL_ROW_TURNS][PAL_LANES];
};

// Rows that share no carrier that could move with any others: an island, or some small ones. There
// are no more parts than rows / PAL_PART_ROWS + 1.
struct PalRowPart {
    int32_t first_row, row_count;        // in the order
    int32_t first_moving, moving_count;  // carriers
    int32_t first_group, group_count;
    int32_t sweep_count;            // that it took
    uint32_t nobody[4][PAL_LANES];  // carriers that places which stay empty point at
    bool rough;                     // some row has friction
    bool turning;                   // or moves the spin of a free rigid body
};

enum {
    PAL_PART_FEW = 32,  // rows that are not worth being parted
    PAL_PART_ROWS = 8,  // what has so many takes no more islands
    PAL_PART_NOBODY = 4 * PAL_LANES,
};

// Finds parts, and the carriers of each.
void pal_rows_part(PalRows *rows);

// Puts the rows of a part into groups.
void pal_rows_lay_out(PalRows *rows, PalRowPart *part);

// Vectors are handed over by code of the same instruction set only.
#define PAL_ROWS_INLINE static inline __attribute__((always_inline))

PAL_ROWS_INLINE double pal_lanes_sum(PalLanes a)
{
    return (a[0] + a[2]) + (a[1] + a[3]);
}

PAL_ROWS_INLINE PalLanes pal_lanes_load(const double *from)
{
    PalLanes lanes;
    memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

// A carrier's numbers are found by bytes, not by places: sweeps do nothing as often as that.
PAL_ROWS_INLINE uint32_t pal_scaled_bytes(int32_t place)
{
    return (uint32_t)place * (uint32_t)sizeof(PalLanes);
}

PAL_ROWS_INLINE PalLanes *pal_scaled_at(PalLanes *scaled, uint32_t bytes)
{
    return (void *)((char *)scaled + bytes);
}

#endif
