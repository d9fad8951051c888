// history.csv: rows at output times, and at others between them.
#ifndef PAL_OUTPUT_HISTORY_H
#define PAL_OUTPUT_HISTORY_H

#include "output/text.h"

#include <palpate/output.h>

typedef struct PalHistoryRow {
    double time;
    int64_t steps;
    double step;
    PalEnergy energy;
    PalVec3 momentum, angular_momentum;
    double load;  // time on their ramps at which loads are taken
    double penetration;
    int64_t contacts;
    int64_t frame;  // its number, or PAL_NONE for a row between frames
    int32_t probe_count;
    const PalVec3 *probes;
} PalHistoryRow;

// Columns before those of the probes, and the name of each.
int32_t pal_history_column_count(void);
const char *pal_history_column_name(int32_t column_index);

// Whether a probe of this name would repeat columns that are always there.
bool pal_history_has_name(const char *probe_name);

void pal_history_head(int32_t probe_count, const char *const *names, PalText *text);
// Refuses a row with a number that is none, or infinite, and names it: the run has come to its end.
PalStatus pal_history_check(const PalHistoryRow *row, PalError *error);
void pal_history_row(const PalHistoryRow *row, PalText *text);

// The next row from `*place` on that belongs to a frame: where the text of its time starts and how
// long it is. Moves on to the row after it; false: there is none.
bool pal_history_next_frame(const PalText *text, size_t *place, size_t *start, size_t *length);

// Numbers of a history read back: rows of `column_count`, at most `row_limit` of them, evenly
// chosen with the first and the last among them. The caller frees values with free().
typedef struct PalHistoryTable {
    int32_t column_count, row_count;
    double *values;
} PalHistoryTable;

PalStatus pal_history_parse(const PalText *text, int32_t row_limit, PalHistoryTable *table,
                            PalError *error);

#endif
