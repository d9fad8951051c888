// An XML document as a tree of elements with their lines, for models that are read tag by tag.
// What is asked for is marked, so that what nobody asked for can be told at the end.
#ifndef PAL_SCENE_TREE_XML_H
#define PAL_SCENE_TREE_XML_H

#include "scene/tree/tree.h"

#define PAL_XML_DEPTH_MAX   64
#define PAL_XML_ELEMENT_MAX 1000000
#define PAL_XML_BYTES_MAX   (1 << 30)

typedef struct PalXmlAttribute {
    const char *name, *value;
    bool used;
} PalXmlAttribute;

typedef struct PalXmlNode PalXmlNode;

struct PalXmlNode {
    const char *name;
    int32_t line;
    int32_t attribute_count;
    PalXmlAttribute *attributes;
    PalXmlNode *first, *last, *next;  // children; the next sibling
    const char *text;                 // the first run that is not blank; "" without any
    int32_t text_line;                // where it begins
    int32_t comment_line;             // a comment interrupts the text; 0: none does
    int32_t second_line;              // a further run of text, which is not kept; 0: none
    bool used;
};

// Parses a document. Everything lives in `memory`, whose path serves the messages. No entities,
// no document types, nothing from the network.
PalStatus pal_xml_parse(PalTree *memory, const char *text, size_t size, PalXmlNode **root,
                        PalError *error);

// Names match whatever their case. What is found counts as used.
PalXmlNode *pal_xml_child(const PalXmlNode *node, const char *name);  // the first; NULL: none
PalXmlNode *pal_xml_next(const PalXmlNode *node);  // the next sibling of the same name
const char *pal_xml_attribute(const PalXmlNode *node, const char *name);  // NULL: none

// Whether there is one, without counting it as used.
bool pal_xml_has(const PalXmlNode *node, const char *name);
bool pal_xml_named(const PalXmlNode *node, const char *name);

#endif
