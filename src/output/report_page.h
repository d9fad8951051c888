// The report's page without its data, made from viewer/ by the build.
#ifndef PAL_OUTPUT_REPORT_PAGE_H
#define PAL_OUTPUT_REPORT_PAGE_H

#include <stddef.h>

typedef struct PalReportPart {
    const unsigned char *text;
    size_t size;
} PalReportPart;

extern const PalReportPart pal_report_head, pal_report_tail;

#endif
