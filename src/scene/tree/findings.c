#include "scene/tree/findings.h"

#include <stdarg.h>
#include <stdio.h>

void pal_findings_add(PalFindings *findings, PalFindingKind kind, const char *format, ...)
{
    PalFinding finding = {.kind = kind};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding.text, sizeof finding.text, format, arguments);
    va_end(arguments);
    if (!pal_array_push(&findings->list, finding))
        findings->failed = true;
}
