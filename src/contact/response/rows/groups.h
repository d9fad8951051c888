// Rows four at a time: how solve.c lays them out.
#ifndef PAL_CONTACT_RESPONSE_ROWS_GROUPS_H
#define PAL_CONTACT_RESPONSE_ROWS_GROUPS_H

#include "contact/response/rows/rows.h"

// Four rows that can be solved at once, each with the carriers of it that can move. Without
// friction, `along` has the normal in it; with friction, it is a matrix with this diagonal. Rows
// with fewer carriers have zeros, those with more than four have the rest elsewhere.
struct PalRowGroup {
    PalLanes along[4][PAL_LANES];
    int32_t carriers[4][PAL_LANES];
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
    int32_t carriers[PAL_ROW_REST][PAL_LANES];
};

// What their friction needs: components of vectors, of four rows side by side.
struct PalDragGroup {
    PalLanes normal[3], fixed[3];
    PalLanes give[3];  // change of the velocity per impulse along the normal
    PalLanes tangent_inverse, tangent_response, friction;
    PalLanes drag[3];
    PalLanes before[3], ahead[3];  // whole impulse before the last sweep, and where it goes
};

// How rows with friction read and write spins.
struct PalTurnGroup {
    PalLanes columns[PAL_ROW_TURNS][PAL_LANES][3];
    int32_t carriers[PAL_ROW_TURNS][PAL_LANES];
};

#endif
