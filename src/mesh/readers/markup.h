// XML, as much of it as meshes and models are written in: elements, attributes, text, CDATA,
// comments and instructions, characters by number and the five names every XML file may use. A
// document type is told and not read, so that a file can define nothing. It goes through the text
// once, asks for memory only where values must be rewritten, and says when there is none.
#ifndef PAL_MESH_READERS_MARKUP_H
#define PAL_MESH_READERS_MARKUP_H

#include "base/array.h"
#include "mesh/readers/cursor.h"

#define PAL_MARKUP_DEPTH_MAX     128
#define PAL_MARKUP_ATTRIBUTE_MAX 64

typedef enum PalMarkupKind {
    PAL_MARKUP_FINISH,  // the root is closed, and nothing is left
    PAL_MARKUP_OPEN,    // a tag that opens an element; its close follows even if it is empty
    PAL_MARKUP_CLOSE,
    PAL_MARKUP_TEXT,  // some of an element's text; more may follow
    PAL_MARKUP_COMMENT,
    PAL_MARKUP_DOCUMENT_TYPE,  // <!DOCTYPE: do not go on
} PalMarkupKind;

typedef struct PalMarkupAttribute {
    PalToken name, value;
} PalMarkupAttribute;

typedef struct PalMarkup {
    // what was found last
    PalMarkupKind kind;
    int32_t line;   // where it begins
    PalToken name;  // of an element, without prefix
    PalToken text;  // of text and comments
    int32_t attribute_count;
    PalMarkupAttribute attributes[PAL_MARKUP_ATTRIBUTE_MAX];
    int32_t depth;  // elements that are open, this one counted
    // what is wrong, where
    char trouble[160];
    int32_t trouble_line, trouble_column;
    // the rest belongs to markup.c
    const char *begin, *at, *end;
    const char *counted;  // `counted_line` is the line of this place
    int32_t counted_line;
    bool empty, rooted;
    PalToken open[PAL_MARKUP_DEPTH_MAX];
    char character[4];
    PAL_ARRAY(char) values;  // attributes that had to be rewritten
    char *converted;
} PalMarkup;

// The text must live as long as the markup: names and most texts are pieces of it. It is UTF-8
// unless it says otherwise: ISO-8859-1, windows-1252, US-ASCII, or UTF-16 with a mark.
// PAL_BAD_INPUT: `trouble` says what is wrong. Clear in any case.
PalStatus pal_markup_init(PalMarkup *markup, const char *text, size_t size);
void pal_markup_clear(PalMarkup *markup);

// Goes to the next piece. After PAL_MARKUP_FINISH or a failure there is none.
PalStatus pal_markup_next(PalMarkup *markup);

int32_t pal_markup_line_now(PalMarkup *markup);  // where the next piece begins

// An attribute of the last PAL_MARKUP_OPEN; empty when it has none of that name.
PalToken pal_markup_attribute(const PalMarkup *markup, const char *name);

#endif
