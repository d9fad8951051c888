// report.html: one page that works without a network.
#ifndef PAL_OUTPUT_REPORT_H
#define PAL_OUTPUT_REPORT_H

#include "output/file.h"
#include "output/frame.h"
#include "output/summary.h"

// Reads history.csv and log.txt of the directory again. `picture` is a PNG, or empty.
PalStatus pal_report_write(const PalDirectory *directory, const PalFrame *last,
                           const PalSummary *summary, const PalText *picture, PalError *error);

#endif
