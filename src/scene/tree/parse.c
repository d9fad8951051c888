// From text to a tree, by the events of YAML: no recursion, so that hostile nesting costs nothing.
#include "base/utf8.h"
#include "scene/tree/tree.h"
#include "scene/tree/yaml.h"

#include <stdio.h>
#include <string.h>

typedef struct Anchor {
    const char *name;
    const PalTreeNode *node;
    struct Anchor *next;
} Anchor;

typedef struct Parse {
    PalTree *tree;
    const char *origin;
    PalError *error;
    bool json;
    int32_t depth;
    PalTreeNode *stack[PAL_TREE_DEPTH_MAX];
    PalTreeItem pending[PAL_TREE_DEPTH_MAX];  // the key whose value comes next
    int32_t line, column;                     // of the event at hand
    PalTreeNode *root;
    Anchor *anchors;
    int32_t anchor_count;
} Parse;

// Maps and anchors are searched one by one: enough for any scene, too few to waste time on.
enum { KEYS_MAX = 1000, ANCHORS_MAX = 1000 };

static PalStatus fail_here(const Parse *parse, const char *what)
{
    PalTreeNode place = {.origin = parse->origin, .line = parse->line, .column = parse->column};
    return pal_tree_fail(parse->tree, &place, parse->error, "%s", what);
}

static bool inside_map(const Parse *parse)
{
    return parse->depth > 0 && parse->stack[parse->depth - 1]->kind == PAL_TREE_MAP;
}

// Takes the keys of another map that this one does not have.
static bool merge_map(Parse *parse, PalTreeNode *map, const PalTreeNode *from)
{
    for (int32_t i = 0; i < from->count; ++i) {
        if (pal_tree_find(map, from->items[i].key) != NULL)
            continue;
        if (map->count >= KEYS_MAX)
            return false;
        PalTreeNode *copy = pal_tree_copy(parse->tree, from->items[i].value);
        if (!pal_tree_put(parse->tree, map, from->items[i].key, copy))
            return false;
    }
    return true;
}

// `<<: *other` and `<<: [*one, *two]`.
static PalStatus merge(Parse *parse, PalTreeNode *map)
{
    PalTreeItem *item = pal_tree_find(map, "<<");
    if (item == NULL)
        return PAL_OK;
    PalTreeNode *from = item->value;
    memmove(item, item + 1, (size_t)(&map->items[map->count] - (item + 1)) * sizeof *item);
    map->count -= 1;
    bool list = from->kind == PAL_TREE_LIST;
    for (int32_t i = 0; i < (list ? from->count : 1); ++i) {
        const PalTreeNode *one = list ? from->items[i].value : from;
        if (one->kind != PAL_TREE_MAP)
            return pal_tree_fail(parse->tree, one, parse->error,
                                 "<< merges maps, expected an alias of a map");
        if (!merge_map(parse, map, one))
            return fail_here(parse, "the merged maps are too large");
    }
    return PAL_OK;
}

static PalStatus add_value(Parse *parse, PalTreeNode *node)
{
    if (parse->depth == 0) {
        parse->root = node;
        return PAL_OK;
    }
    PalTreeNode *parent = parse->stack[parse->depth - 1];
    PalTreeItem *pending = &parse->pending[parse->depth - 1];
    if (parent->kind == PAL_TREE_LIST)
        return pal_tree_put(parse->tree, parent, NULL, node) ? PAL_OK
                                                             : pal_tree_no_memory(parse->error);
    if (pending->key == NULL) {
        if (node->kind != PAL_TREE_SCALAR)
            return fail_here(parse, "a key must be plain text, found a list or a map");
        if (parent->count >= KEYS_MAX)
            return fail_here(parse, "too many keys in one map, expected at most 1000");
        const PalTreeItem *old = pal_tree_find(parent, node->text);
        if (old != NULL) {
            char what[160];
            snprintf(what, sizeof what,
                     "the key %s is given twice, first on line %d: expected it once",
                     pal_quoted(node->text).text, (int)old->line);
            return fail_here(parse, what);
        }
        *pending = (PalTreeItem){.key = node->text, .line = node->line, .column = node->column};
        return PAL_OK;
    }
    if (!pal_tree_put(parse->tree, parent, pending->key, node))
        return pal_tree_no_memory(parse->error);
    parent->items[parent->count - 1].line = pending->line;
    parent->items[parent->count - 1].column = pending->column;
    pending->key = NULL;
    return PAL_OK;
}

static PalStatus keep_anchor(Parse *parse, const PalYamlEvent *event, const PalTreeNode *node)
{
    if (event->anchor == NULL)
        return PAL_OK;
    if (parse->anchor_count++ >= ANCHORS_MAX)
        return fail_here(parse, "too many anchors, expected at most 1000");
    Anchor *anchor = pal_tree_alloc(parse->tree, 1, sizeof *anchor);
    if (anchor == NULL)
        return pal_tree_no_memory(parse->error);
    *anchor = (Anchor){pal_tree_text(parse->tree, event->anchor, event->anchor_size), node,
                       parse->anchors};
    parse->anchors = anchor;
    return anchor->name != NULL ? PAL_OK : pal_tree_no_memory(parse->error);
}

static PalStatus add_alias(Parse *parse, const PalYamlEvent *event)
{
    const Anchor *anchor = parse->anchors;
    while (anchor != NULL && (strlen(anchor->name) != event->text_size ||
                              memcmp(anchor->name, event->text, event->text_size) != 0))
        anchor = anchor->next;
    if (anchor == NULL)
        return fail_here(parse,
                         "an alias of an anchor that is not there, expected one given above");
    for (int32_t d = 0; d < parse->depth; ++d)
        if (parse->stack[d] == anchor->node)
            return fail_here(parse, "an alias inside its own anchor, which has no end");
    PalTreeNode *copy = pal_tree_copy(parse->tree, anchor->node);
    if (copy == NULL)
        return fail_here(parse, "the aliases repeat too much text, expected fewer than a million "
                                "values in all");
    copy->line = parse->line;
    copy->column = parse->column;
    return add_value(parse, copy);
}

static PalStatus add_scalar(Parse *parse, const PalYamlEvent *event)
{
    PalTreeNode *node = pal_tree_new(parse->tree, PAL_TREE_SCALAR, NULL);
    if (node == NULL)
        return pal_tree_no_memory(parse->error);
    node->text = pal_tree_text(parse->tree, event->text, event->text_size);
    if (node->text == NULL)
        return pal_tree_no_memory(parse->error);
    if (strlen(node->text) != event->text_size)
        return fail_here(parse, "text with a zero byte");
    node->quoted = event->style != PAL_YAML_PLAIN;
    node->origin = parse->origin;
    node->line = parse->line;
    node->column = parse->column;
    if (event->style == PAL_YAML_QUOTED && node->column > 1)
        node->column -= 1;
    PAL_TRY(keep_anchor(parse, event, node));
    return add_value(parse, node);
}

static PalStatus open_node(Parse *parse, PalTreeKind kind, const PalYamlEvent *event)
{
    if (parse->depth == PAL_TREE_DEPTH_MAX)
        return fail_here(parse, "nested too deeply, expected at most 32 levels");
    PalTreeNode *node = pal_tree_new(parse->tree, kind, NULL);
    if (node == NULL)
        return pal_tree_no_memory(parse->error);
    node->origin = parse->origin;
    node->line = parse->line;
    node->column = parse->column;
    PAL_TRY(keep_anchor(parse, event, node));
    PAL_TRY(add_value(parse, node));
    parse->stack[parse->depth] = node;
    parse->pending[parse->depth++].key = NULL;
    return PAL_OK;
}

static PalStatus close_node(Parse *parse)
{
    PalTreeNode *node = parse->stack[--parse->depth];
    return node->kind == PAL_TREE_MAP ? merge(parse, node) : PAL_OK;
}

static PalStatus tell_trouble(Parse *parse, const PalYamlEvent *event)
{
    char what[256];
    const char *expected = parse->json ? "JSON" : "YAML";
    parse->line = event->line > 0 ? event->line : parse->line;
    parse->column = event->line > 0 ? event->column : parse->column;
    int size = event->text_size < 200 ? (int)event->text_size : 200;
    if (size > 0)
        snprintf(what, sizeof what, "%.*s, expected %s", size, event->text, expected);
    else
        snprintf(what, sizeof what, "not %s", expected);
    return fail_here(parse, what);
}

static PalStatus take_event(void *context, const PalYamlEvent *event)
{
    Parse *parse = context;
    if (event->kind == PAL_YAML_TROUBLE)
        return tell_trouble(parse, event);
    if (event->line > 0) {
        parse->line = event->line;
        parse->column = event->column;
    } else if (event->kind == PAL_YAML_SCALAR && inside_map(parse)) {
        // nothing after a key: the key's place is the nearest there is
        const PalTreeItem *key = &parse->pending[parse->depth - 1];
        parse->line = key->key != NULL ? key->line : parse->line;
        parse->column = key->key != NULL ? key->column : parse->column;
    }
    if (parse->tree->node_count >= PAL_TREE_NODE_MAX)
        return fail_here(parse, "too many values, expected fewer than a million");
    switch (event->kind) {
    case PAL_YAML_DOCUMENT:
        return parse->root == NULL ? PAL_OK
                                   : fail_here(parse, "a second document, expected only one");
    case PAL_YAML_SCALAR:
        return add_scalar(parse, event);
    case PAL_YAML_ALIAS:
        parse->column -= parse->column > 1;
        return add_alias(parse, event);
    case PAL_YAML_MAP:
        return open_node(parse, PAL_TREE_MAP, event);
    case PAL_YAML_LIST:
        return open_node(parse, PAL_TREE_LIST, event);
    case PAL_YAML_CLOSE:
        return close_node(parse);
    default:
        return PAL_OK;
    }
}

// Text only: UTF-8 without control characters or directives. A binary file ends here.
static PalStatus check_bytes(Parse *parse, const char *text, size_t size)
{
    parse->line = 1;
    parse->column = 1;
    for (size_t i = 0; i < size;) {
        unsigned char c = (unsigned char)text[i];
        int length = pal_utf8_length(&text[i], size - i);
        bool control = (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F;
        if (length == 0 || control) {
            char what[96];
            snprintf(what, sizeof what, "the byte 0x%02x is not text, expected a YAML or JSON file",
                     c);
            return fail_here(parse, what);
        }
        // libfyaml can loop for ever in a broken one
        if (c == '%' && parse->column == 1)
            return fail_here(parse,
                             "a directive, expected a scene without lines that begin with %");
        parse->column = c == '\n' ? 1 : parse->column + 1;
        parse->line += c == '\n';
        i += (size_t)length;
    }
    return PAL_OK;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

PalStatus pal_tree_parse(PalTree *tree, const char *text, size_t size, const char *origin,
                         PalTreeNode **root, PalError *error)
{
    Parse parse = {.tree = tree, .origin = origin, .error = error, .line = 1, .column = 1};
    if (size > PAL_TREE_BYTES_MAX)
        return fail_here(&parse, "too large for a scene, expected less than 64 MiB");
    PAL_TRY(check_bytes(&parse, text, size));
    parse.line = parse.column = 1;
    parse.json = origin == NULL && ends_with(tree->path, ".json");
    PalYamlText yaml = {text, size, parse.json};
    PalStatus status = pal_yaml_read(&yaml, take_event, &parse);
    if (status == PAL_NO_MEMORY)
        return pal_tree_no_memory(error);
    if (status != PAL_OK)
        return status;
    if (parse.root == NULL) {
        parse.line = parse.column = 1;
        return fail_here(&parse, "the file holds no keys, expected a map of keys and values");
    }
    *root = parse.root;
    return PAL_OK;
}
