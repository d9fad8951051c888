// The one field a picture shows: a value per point and the range of its colours.
#ifndef PAL_OUTPUT_SHOWN_H
#define PAL_OUTPUT_SHOWN_H

#include "output/frame.h"

typedef struct PalShown {
    double *values;  // per point; 0 on rigids
    double highest;  // of all values
    double top;  // where the colours end, a round number; below `highest` when few points are far
                 // above it
    int32_t steps;  // of the legend, from 0 to there; 0: all values are 0
} PalShown;

typedef enum PalShownField {
    PAL_SHOWN_VON_MISES,
    PAL_SHOWN_DISPLACEMENT,
    PAL_SHOWN_CONTACT,  // force of contact over the area around each node
} PalShownField;

const char *pal_shown_name(PalShownField field);

PalStatus pal_shown_init(const PalFrame *frame, PalShownField field, bool failed, PalShown *shown,
                         PalError *error);
void pal_shown_clear(PalShown *shown);

#endif
