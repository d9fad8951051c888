// report.html: one page that works without a network.
#ifndef PAL_OUTPUT_REPORT_H
#define PAL_OUTPUT_REPORT_H

#include "output/file.h"
#include "output/frame.h"
#include "output/summary.h"

typedef struct PalReportDef {
    const PalFrame *last;
    const PalSummary *summary;
    const PalText *picture;   // a PNG, or empty
    const bool *see_through;  // per body; NULL: none
} PalReportDef;

// Reads history.csv and log.txt of the directory again.
PalStatus pal_report_write(const PalDirectory *directory, const PalReportDef *def, PalError *error);

#endif
