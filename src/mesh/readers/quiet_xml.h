// libxml2 prints troubles of encodings that it has no parser to tell: not while this is on.
#ifndef PAL_MESH_READERS_QUIET_XML_H
#define PAL_MESH_READERS_QUIET_XML_H

#include <libxml/xmlerror.h>
#include <stddef.h>

// What was set before, of this thread.
typedef struct PalQuietXml {
    xmlStructuredErrorFunc report;
    void *context;
} PalQuietXml;

static inline void pal_quiet_xml_ignore(void *context, xmlErrorPtr error)
{
    (void)context, (void)error;
}

static inline PalQuietXml pal_quiet_xml_begin(void)
{
    PalQuietXml before = {xmlStructuredError, xmlStructuredErrorContext};
    xmlSetStructuredErrorFunc(NULL, pal_quiet_xml_ignore);
    return before;
}

static inline void pal_quiet_xml_end(PalQuietXml before)
{
    xmlSetStructuredErrorFunc(before.context, before.report);
}

#endif
