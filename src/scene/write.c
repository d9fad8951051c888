// A scene's tree as YAML: keys in the order of the tables, short maps and lists on one line.
#include "scene/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WIDTH = 100 };

typedef struct Writer {
    PalTree *tree;
    char *text;
    size_t used, capacity;
    bool failed;
} Writer;

static void add(Writer *writer, const char *text, size_t length)
{
    if (writer->failed)
        return;
    if (writer->used + length + 1 > writer->capacity) {
        size_t capacity = (writer->capacity + length) * 2 + 256;
        char *more = realloc(writer->text, capacity);
        if (more == NULL) {
            writer->failed = true;
            return;
        }
        writer->text = more;
        writer->capacity = capacity;
    }
    memcpy(writer->text + writer->used, text, length);
    writer->used += length;
    writer->text[writer->used] = '\0';
}

static void add_text(Writer *writer, const char *text)
{
    add(writer, text, strlen(text));
}

// What older YAML takes for true or false.
static bool is_switch(const char *text)
{
    static const char *const words[] = {"y", "n", "yes", "no", "on", "off"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

// Plain where nothing in it could be taken for YAML, else in double quotes.
static void add_words(Writer *writer, const char *text, bool quoted)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/";
    if (!quoted && *text != '\0' && strchr(letters, *text) != NULL &&
        strspn(text, plain) == strlen(text) && !is_switch(text)) {
        add_text(writer, text);
        return;
    }
    add_text(writer, "\"");
    for (; *text != '\0'; ++text) {
        char escaped[8];
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", c);
        else if (c < 0x20 || c == 0x7F)
            snprintf(escaped, sizeof escaped, "\\x%02x", c);
        else
            snprintf(escaped, sizeof escaped, "%c", c);
        add_text(writer, escaped);
    }
    add_text(writer, "\"");
}

static void add_scalar(Writer *writer, const PalTreeNode *node)
{
    char number[32];
    if (node->is_number) {
        pal_scene_format_number(node->number, number);
        add_text(writer, number);
    } else if (pal_tree_is_null(node)) {
        add_text(writer, "null");
    } else {
        add_words(writer, node->text, node->quoted);
    }
}

static const PalKeyTable *law_table(Writer *writer, const PalKeyTable *table,
                                    const PalTreeNode *map)
{
    if (!table->material)
        return table;
    table = pal_material_keys(writer->tree, table, pal_law_find(pal_tree_get(map, "law")->text));
    writer->failed = writer->failed || table == NULL;
    return table;
}

static void add_flow(Writer *writer, const PalTreeNode *node, const PalKeyTable *table)
{
    if (node->kind == PAL_TREE_SCALAR) {
        add_scalar(writer, node);
        return;
    }
    bool first = true;
    if (node->kind == PAL_TREE_LIST) {
        add_text(writer, "[");
        for (int32_t i = 0; i < node->count && !writer->failed; ++i) {
            add_text(writer, i > 0 ? ", " : "");
            add_flow(writer, node->items[i].value, table);
        }
        add_text(writer, "]");
        return;
    }
    table = law_table(writer, table, node);
    add_text(writer, "{");
    for (int32_t i = 0; table != NULL && i < table->key_count && !writer->failed; ++i) {
        const PalTreeNode *value = pal_tree_get(node, table->keys[i].name);
        if (value == NULL)
            continue;
        add_text(writer, first ? "" : ", ");
        add_text(writer, table->keys[i].name);
        add_text(writer, ": ");
        add_flow(writer, value, table->keys[i].table);
        first = false;
    }
    add_text(writer, "}");
}

static void add_indent(Writer *writer, int32_t indent)
{
    for (int32_t i = 0; i < indent; ++i)
        add_text(writer, " ");
}

static void add_node(Writer *writer, const PalTreeNode *node, const PalKeyTable *table,
                     int32_t indent);

static void add_block_list(Writer *writer, const PalTreeNode *node, const PalKeyTable *table,
                           int32_t indent)
{
    add_text(writer, "\n");
    for (int32_t i = 0; i < node->count && !writer->failed; ++i) {
        add_indent(writer, indent);
        add_text(writer, "-");
        add_node(writer, node->items[i].value, table, indent + 2);
    }
}

static void add_block_map(Writer *writer, const PalTreeNode *node, const PalKeyTable *table,
                          int32_t indent, bool in_list)
{
    bool first = true;
    table = law_table(writer, table, node);
    if (!in_list && writer->used > 0)
        add_text(writer, "\n");
    for (int32_t i = 0; table != NULL && i < table->key_count && !writer->failed; ++i) {
        const PalTreeNode *value = pal_tree_get(node, table->keys[i].name);
        if (value == NULL)
            continue;
        if (in_list && first)
            add_text(writer, " ");
        else
            add_indent(writer, indent);
        add_text(writer, table->keys[i].name);
        add_text(writer, ":");
        add_node(writer, value, table->keys[i].table, indent + 2);
        first = false;
    }
}

// After "key:" or "-": on the same line where it fits, else below.
static void add_node(Writer *writer, const PalTreeNode *node, const PalKeyTable *table,
                     int32_t indent)
{
    size_t start = writer->used, line = start;
    while (line > 0 && writer->text[line - 1] != '\n')
        --line;
    add_text(writer, " ");
    add_flow(writer, node, table);
    bool body = table != NULL && pal_key_find(table, "materials") != NULL;
    bool fits = writer->used - line <= WIDTH && !body;
    if (writer->failed || fits || node->kind == PAL_TREE_SCALAR || node->count == 0) {
        add_text(writer, "\n");
        return;
    }
    bool in_list = start > 0 && writer->text[start - 1] == '-';
    writer->used = start;
    if (node->kind == PAL_TREE_LIST)
        add_block_list(writer, node, table, indent);
    else
        add_block_map(writer, node, table, indent, in_list);
}

char *pal_scene_write(PalTree *tree, const PalTreeNode *root)
{
    Writer writer = {.tree = tree};
    add_block_map(&writer, root, &pal_scene_keys, 0, false);
    if (writer.failed) {
        free(writer.text);
        return NULL;
    }
    return writer.text;
}
