#include "scene/tree/xml.h"

#include "base/array.h"
#include "mesh/readers/markup.h"

#include <string.h>

typedef struct Parser {
    PalTree *memory;
    PalError *error;
    PalMarkup markup;
    PalXmlNode *root;
    PalXmlNode *open[PAL_XML_DEPTH_MAX];
    int32_t depth, count;
    PAL_ARRAY(char) run;  // text since the last tag
    int32_t run_line;
    int32_t comment_at, comment_line;  // the first comment behind some word of the run
} Parser;

static PalStatus fail(const Parser *parser, const char *what)
{
    return pal_error_set(parser->error, PAL_BAD_INPUT, "%s:%d: %s", parser->memory->path,
                         (int)parser->markup.line, what);
}

// ---- text -------------------------------------------------------------------------------------

static void start_run(Parser *parser)
{
    parser->run.count = 0;
    parser->run_line = pal_markup_line_now(&parser->markup);
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

static PalStatus add_text(Parser *parser, PalToken text)
{
    if (text.size == 0 || parser->depth == 0)
        return PAL_OK;
    if (text.size > INT32_MAX || !pal_array_reserve(&parser->run, (int64_t)text.size))
        return pal_tree_no_memory(parser->error);
    memcpy(parser->run.items + parser->run.count, text.text, text.size);
    parser->run.count += (int32_t)text.size;
    return PAL_OK;
}

// A comment parts the words around it; the run goes on.
static PalStatus add_comment(Parser *parser)
{
    const char *run = parser->run.items;
    PalToken comment = parser->markup.text;
    if (parser->depth == 0)
        return PAL_OK;
    if (parser->comment_line == 0 && parser->run.count > 0 &&
        pal_token_trim((PalToken){run, (size_t)parser->run.count}).size > 0) {
        parser->comment_at = parser->run.count;
        parser->comment_line = parser->markup.line;
    }
    PAL_TRY(add_text(parser, (PalToken){" ", 1}));
    for (size_t i = 0; i < comment.size; ++i)  // lines must still be counted
        if (comment.text[i] == '\n')
            PAL_TRY(add_text(parser, (PalToken){"\n", 1}));
    return PAL_OK;
}

// ---- elements ---------------------------------------------------------------------------------

static char *keep(Parser *parser, PalToken token)
{
    return pal_tree_text(parser->memory, token.text, token.size);
}

static PalStatus copy_attributes(Parser *parser, PalXmlNode *node)
{
    int32_t count = parser->markup.attribute_count;
    node->attributes = pal_tree_alloc(parser->memory, (size_t)count, sizeof *node->attributes);
    if (node->attributes == NULL)
        return pal_tree_no_memory(parser->error);
    for (int32_t i = 0; i < count; ++i) {
        const PalMarkupAttribute *found = &parser->markup.attributes[i];
        PalXmlAttribute *attribute = &node->attributes[node->attribute_count++];
        attribute->name = keep(parser, found->name);
        attribute->value = keep(parser, found->value);
        if (attribute->name == NULL || attribute->value == NULL)
            return pal_tree_no_memory(parser->error);
    }
    return PAL_OK;
}

static PalStatus start_element(Parser *parser)
{
    PAL_TRY(end_run(parser));
    if (parser->depth == PAL_XML_DEPTH_MAX)
        return fail(parser, "tags nested too deeply, expected at most 64 levels");
    if (++parser->count > PAL_XML_ELEMENT_MAX)
        return fail(parser, "more than a million tags, expected fewer");
    PalXmlNode *node = pal_tree_alloc(parser->memory, 1, sizeof *node);
    if (node == NULL || (node->name = keep(parser, parser->markup.name)) == NULL)
        return pal_tree_no_memory(parser->error);
    node->line = parser->markup.line;
    node->text = "";
    PAL_TRY(copy_attributes(parser, node));
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
    start_run(parser);
    return PAL_OK;
}

static PalStatus end_element(Parser *parser)
{
    PAL_TRY(end_run(parser));
    --parser->depth;
    start_run(parser);
    return PAL_OK;
}

static PalStatus take_piece(Parser *parser)
{
    switch (parser->markup.kind) {
    case PAL_MARKUP_OPEN:
        return start_element(parser);
    case PAL_MARKUP_CLOSE:
        return end_element(parser);
    case PAL_MARKUP_TEXT:
        return add_text(parser, parser->markup.text);
    case PAL_MARKUP_COMMENT:
        return add_comment(parser);
    case PAL_MARKUP_DOCUMENT_TYPE:
        return fail(parser, "a <!DOCTYPE, expected none in a model");
    default:
        return PAL_OK;
    }
}

static PalStatus take_pieces(Parser *parser, const char *text, size_t size)
{
    PalMarkup *markup = &parser->markup;
    PalStatus status = pal_markup_init(markup, text, size);
    while (status == PAL_OK) {
        status = pal_markup_next(markup);
        if (status == PAL_OK && markup->kind == PAL_MARKUP_FINISH)
            return PAL_OK;
        if (status == PAL_OK)
            PAL_TRY(take_piece(parser));
    }
    if (status == PAL_NO_MEMORY)
        return pal_tree_no_memory(parser->error);
    return pal_error_set(parser->error, PAL_BAD_INPUT, "%s:%d:%d: %s, expected well-formed XML",
                         parser->memory->path, (int)markup->trouble_line,
                         (int)markup->trouble_column, markup->trouble);
}

PalStatus pal_xml_parse(PalTree *memory, const char *text, size_t size, PalXmlNode **root,
                        PalError *error)
{
    Parser parser = {.memory = memory, .error = error};
    *root = NULL;
    if (size > PAL_XML_BYTES_MAX)
        return pal_error_set(error, PAL_BAD_INPUT, "%s: more than 1 GB, expected a smaller model",
                             memory->path);
    PalStatus status = take_pieces(&parser, text, size);
    pal_markup_clear(&parser.markup);
    pal_array_clear(&parser.run);
    *root = status == PAL_OK ? parser.root : NULL;
    return status;
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
