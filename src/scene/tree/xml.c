#include "scene/tree/xml.h"

#include "base/array.h"
#include "mesh/readers/cursor.h"
#include "mesh/readers/quiet_xml.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdio.h>
#include <string.h>

typedef struct Parser {
    PalTree *memory;
    PalError *error;
    xmlParserCtxtPtr xml;
    PalStatus status;
    PalXmlNode *root;
    PalXmlNode *open[PAL_XML_DEPTH_MAX];
    int32_t depth, count;
    PAL_ARRAY(char) run;  // text since the last tag
    int32_t run_line;
    char trouble[240];                 // the first error: line:column: message
    int32_t comment_at, comment_line;  // the first comment behind some word of the run
} Parser;

static int32_t current_line(const Parser *parser)
{
    return xmlSAX2GetLineNumber(parser->xml);
}

static void stop(Parser *parser, PalStatus status)
{
    if (parser->status == PAL_OK && status != PAL_OK) {
        parser->status = status;
        xmlStopParser(parser->xml);
    }
}

static PalStatus fail(const Parser *parser, const char *what)
{
    return pal_error_set(parser->error, PAL_BAD_INPUT, "%s:%d: %s", parser->memory->path,
                         (int)current_line(parser), what);
}

// ---- text -------------------------------------------------------------------------------------

static void start_run(Parser *parser)
{
    parser->run.count = 0;
    parser->run_line = current_line(parser);
    parser->comment_at = parser->comment_line = 0;
}

// Gives the text since the last tag to the element that is open, if it is not blank.
static PalStatus end_run(Parser *parser)
{
    PalToken token = {parser->run.items, (size_t)parser->run.count};
    const char *begin = token.text;
    if (parser->depth == 0 || token.size == 0)
        return PAL_OK;
    token = pal_token_trim(token);
    if (token.size == 0)
        return PAL_OK;
    PalXmlNode *node = parser->open[parser->depth - 1];
    int32_t line = parser->run_line;
    for (const char *c = begin; c < token.text; ++c)
        line += *c == '\n';
    if (*node->text != '\0') {
        node->second_line = node->second_line == 0 ? line : node->second_line;
        return PAL_OK;
    }
    node->text = pal_tree_text(parser->memory, token.text, token.size);
    node->text_line = line;
    if (token.text + token.size > begin + parser->comment_at)
        node->comment_line = parser->comment_line;
    return node->text != NULL ? PAL_OK : pal_tree_no_memory(parser->error);
}

static void on_text(void *context, const xmlChar *text, int size)
{
    Parser *parser = context;
    if (parser->status != PAL_OK || size <= 0 || parser->depth == 0)
        return;
    if (!pal_array_reserve(&parser->run, size)) {
        stop(parser, pal_tree_no_memory(parser->error));
        return;
    }
    memcpy(parser->run.items + parser->run.count, text, (size_t)size);
    for (int i = 0; i < size; ++i)  // a zero byte would end the text early
        if (text[i] == 0)
            parser->run.items[parser->run.count + i] = ' ';
    parser->run.count += size;
}

// A comment parts the words around it; the run goes on.
static void on_comment(void *context, const xmlChar *text)
{
    Parser *parser = context;
    const char *run = parser->run.items;
    if (parser->status != PAL_OK || parser->depth == 0)
        return;
    if (parser->comment_line == 0 && parser->run.count > 0 &&
        pal_token_trim((PalToken){run, (size_t)parser->run.count}).size > 0) {
        parser->comment_at = parser->run.count;
        parser->comment_line = current_line(parser);
    }
    on_text(context, (const xmlChar *)" ", 1);
    for (const char *c = (const char *)text; *c != '\0'; ++c)  // lines must still be counted
        if (*c == '\n')
            on_text(context, (const xmlChar *)"\n", 1);
}

// ---- elements ---------------------------------------------------------------------------------

static PalStatus copy_attributes(Parser *parser, PalXmlNode *node, int count, const xmlChar **list)
{
    node->attributes = pal_tree_alloc(parser->memory, (size_t)count, sizeof *node->attributes);
    if (node->attributes == NULL)
        return pal_tree_no_memory(parser->error);
    for (int i = 0; i < count; ++i) {
        const char *name = (const char *)list[5 * i], *value = (const char *)list[5 * i + 3];
        size_t size = (size_t)((const char *)list[5 * i + 4] - value);
        PalXmlAttribute *attribute = &node->attributes[node->attribute_count++];
        attribute->name = pal_tree_text(parser->memory, name, strlen(name));
        attribute->value = pal_tree_text(parser->memory, value, size);
        if (attribute->name == NULL || attribute->value == NULL)
            return pal_tree_no_memory(parser->error);
    }
    return PAL_OK;
}

static PalStatus start_element(Parser *parser, const char *name, int count, const xmlChar **list)
{
    PAL_TRY(end_run(parser));
    if (parser->depth == PAL_XML_DEPTH_MAX)
        return fail(parser, "tags nested too deeply, expected at most 64 levels");
    if (++parser->count > PAL_XML_ELEMENT_MAX)
        return fail(parser, "more than a million tags, expected fewer");
    PalXmlNode *node = pal_tree_alloc(parser->memory, 1, sizeof *node);
    if (node == NULL || (node->name = pal_tree_text(parser->memory, name, strlen(name))) == NULL)
        return pal_tree_no_memory(parser->error);
    node->line = current_line(parser);
    node->text = "";
    PAL_TRY(copy_attributes(parser, node, count, list));
    if (parser->depth > 0) {
        PalXmlNode *parent = parser->open[parser->depth - 1];
        if (parent->last != NULL)
            parent->last->next = node;
        else
            parent->first = node;
        parent->last = node;
    } else {
        parser->root = node;
    }
    parser->open[parser->depth++] = node;
    return PAL_OK;
}

// NOLINTNEXTLINE(readability-function-size): the parameters are libxml2's
static void on_start(void *context, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri,
                     int namespace_count, const xmlChar **namespaces, int attribute_count,
                     int defaulted, const xmlChar **list)
{
    (void)prefix, (void)uri, (void)namespace_count, (void)namespaces, (void)defaulted;
    Parser *parser = context;
    if (parser->status != PAL_OK)
        return;
    stop(parser, start_element(parser, (const char *)local, attribute_count, list));
    start_run(parser);
}

static void on_end(void *context, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri)
{
    (void)local, (void)prefix, (void)uri;
    Parser *parser = context;
    if (parser->status != PAL_OK || parser->depth == 0)
        return;
    stop(parser, end_run(parser));
    --parser->depth;
    start_run(parser);
}

static void on_document_type(void *context, const xmlChar *name, const xmlChar *external,
                             const xmlChar *system)
{
    (void)name, (void)external, (void)system;
    Parser *parser = context;
    stop(parser, fail(parser, "a <!DOCTYPE, expected none in a model"));
}

// Later errors only follow from the first.
static void on_error(void *context, xmlErrorPtr error)
{
    Parser *parser = context;
    if (parser->trouble[0] != '\0' || error->level < XML_ERR_ERROR || error->message == NULL)
        return;
    snprintf(parser->trouble, sizeof parser->trouble, "%d:%d: %.*s", error->line, error->int2,
             (int)strcspn(error->message, "\n"), error->message);
    for (char *c = parser->trouble; *c != '\0'; ++c)  // it may quote the file
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = '?';
}

PalStatus pal_xml_parse(PalTree *memory, const char *text, size_t size, PalXmlNode **root,
                        PalError *error)
{
    Parser parser = {.memory = memory, .error = error};
    *root = NULL;
    if (size > PAL_XML_BYTES_MAX)
        return pal_error_set(error, PAL_BAD_INPUT, "%s: more than 1 GB, expected a smaller model",
                             memory->path);
    parser.xml = xmlCreateMemoryParserCtxt(size > 0 ? text : " ", size > 0 ? (int)size : 1);
    if (parser.xml == NULL)
        return pal_tree_no_memory(error);
    xmlCtxtUseOptions(parser.xml,
                      XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    xmlSAXHandler *sax = parser.xml->sax;
    memset(sax, 0, sizeof *sax);
    sax->initialized = XML_SAX2_MAGIC;
    sax->startElementNs = on_start;
    sax->endElementNs = on_end;
    sax->characters = on_text;
    sax->cdataBlock = on_text;
    sax->comment = on_comment;
    sax->internalSubset = on_document_type;
    sax->serror = on_error;
    parser.xml->userData = &parser;
    PalQuietXml before = pal_quiet_xml_begin();
    xmlParseDocument(parser.xml);
    pal_quiet_xml_end(before);
    if (parser.status == PAL_OK && (!parser.xml->wellFormed || parser.root == NULL))
        parser.status =
            pal_error_set(error, PAL_BAD_INPUT, "%s:%s, expected well-formed XML", memory->path,
                          parser.trouble[0] != '\0' ? parser.trouble : "1: no XML");
    xmlFreeParserCtxt(parser.xml);
    pal_array_clear(&parser.run);
    *root = parser.root;
    return parser.status;
}

// ---- looking things up ------------------------------------------------------------------------

bool pal_xml_named(const PalXmlNode *node, const char *name)
{
    return pal_token_is_like((PalToken){node->name, strlen(node->name)}, name);
}

static PalXmlNode *find(PalXmlNode *node, const char *name)
{
    while (node != NULL && !pal_xml_named(node, name))
        node = node->next;
    return node;
}

static PalXmlNode *use(PalXmlNode *node)
{
    if (node != NULL)
        node->used = true;
    return node;
}

PalXmlNode *pal_xml_child(const PalXmlNode *node, const char *name)
{
    return use(find(node->first, name));
}

PalXmlNode *pal_xml_next(const PalXmlNode *node)
{
    return use(find(node->next, node->name));
}

bool pal_xml_has(const PalXmlNode *node, const char *name)
{
    return find(node->first, name) != NULL;
}

const char *pal_xml_attribute(const PalXmlNode *node, const char *name)
{
    for (int32_t i = 0; i < node->attribute_count; ++i) {
        PalXmlAttribute *attribute = &node->attributes[i];
        if (!pal_token_is_like((PalToken){attribute->name, strlen(attribute->name)}, name))
            continue;
        attribute->used = true;
        return attribute->value;
    }
    return NULL;
}
