// Every key of a scene as a JSON Schema: first as a tree, then as text.
#include "scene/vocabulary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Builder {
    PalTree tree;
    PalTreeNode place;  // of all nodes
    bool failed;        // no memory
} Builder;

// ---- growing the tree ---------------------------------------------------------------------------

static PalTreeNode *put(Builder *builder, PalTreeNode *node, const char *key, PalTreeNode *value)
{
    if (builder->failed || value == NULL || !pal_tree_put(&builder->tree, node, key, value))
        builder->failed = true;
    return value;
}

static PalTreeNode *map(Builder *builder)
{
    PalTreeNode *node = pal_tree_new(&builder->tree, PAL_TREE_MAP, &builder->place);
    builder->failed = builder->failed || node == NULL;
    return node;
}

static PalTreeNode *put_map(Builder *builder, PalTreeNode *node, const char *key)
{
    return put(builder, node, key, map(builder));
}

static PalTreeNode *put_list(Builder *builder, PalTreeNode *node, const char *key)
{
    return put(builder, node, key, pal_tree_new(&builder->tree, PAL_TREE_LIST, &builder->place));
}

// Numbers, true and false: as they stand.
static void put_plain(Builder *builder, PalTreeNode *node, const char *key, const char *text)
{
    const char *copy = pal_tree_text(&builder->tree, text, strlen(text));
    put(builder, node, key,
        copy != NULL ? pal_tree_new_text(&builder->tree, &builder->place, copy) : NULL);
}

static void put_count(Builder *builder, PalTreeNode *node, const char *key, int32_t count)
{
    char text[16];
    snprintf(text, sizeof text, "%d", (int)count);
    put_plain(builder, node, key, text);
}

static void put_string(Builder *builder, PalTreeNode *node, const char *key, const char *text)
{
    PalTreeNode *string = pal_tree_new_text(&builder->tree, &builder->place, text);
    if (string != NULL)
        string->quoted = true;
    put(builder, node, key, string);
}

// ---- values -------------------------------------------------------------------------------------

static void put_number(Builder *builder, PalTreeNode *schema, const char *type, PalRange range)
{
    put_string(builder, schema, "type", type);
    if (range == PAL_RANGE_NOT_NEGATIVE)
        put_plain(builder, schema, "minimum", "0");
    else if (range != PAL_RANGE_ANY)
        put_plain(builder, schema, "exclusiveMinimum", "0");
    if (range == PAL_RANGE_FRACTION)
        put_plain(builder, schema, "maximum", "1");
    if (range == PAL_RANGE_BELOW_ONE)
        put_plain(builder, schema, "exclusiveMaximum", "1");
}

// An array of so many items, 0: any; returns the schema of these.
static PalTreeNode *put_array(Builder *builder, PalTreeNode *schema, int32_t least, int32_t most)
{
    put_string(builder, schema, "type", "array");
    PalTreeNode *items = put_map(builder, schema, "items");
    if (least > 0)
        put_count(builder, schema, "minItems", least);
    if (most > 0)
        put_count(builder, schema, "maxItems", most);
    return items;
}

static void put_part(Builder *builder, PalTreeNode *schema, const PalKeyTable *table)
{
    char target[80];
    snprintf(target, sizeof target, "#/$defs/%s", table->name);
    const char *copy = pal_tree_text(&builder->tree, target, strlen(target));
    put_string(builder, schema, "$ref", copy != NULL ? copy : "");
}

static void put_text(Builder *builder, PalTreeNode *schema, const PalKey *key)
{
    put_string(builder, schema, "type", "string");
    put_count(builder, schema, "minLength", 1);
    if (key->most > 0)
        put_count(builder, schema, "maxLength", key->most);
    if (key->pattern != NULL)
        put_string(builder, schema, "pattern", key->pattern);
}

static void put_numbers(Builder *builder, PalTreeNode *schema, const PalKey *key)
{
    int32_t least = key->length > 0 ? key->length : 1;
    int32_t most = key->length > 0 ? key->length : key->length == PAL_NONE ? 0 : 3;
    PalTreeNode *items = put_array(builder, schema, least, most);
    if (key->values & PAL_VALUE_NULLS) {
        PalTreeNode *either = put_list(builder, items, "oneOf");
        put_number(builder, put_map(builder, either, NULL), "number", key->range);
        put_string(builder, put_map(builder, either, NULL), "type", "null");
        return;
    }
    put_number(builder, items, key->length == 0 ? "integer" : "number", key->range);
}

static void put_choices(Builder *builder, PalTreeNode *list, const PalKey *key)
{
    const PalChoice *choice;
    for (int32_t i = 0; (choice = pal_key_choice(key, i)) != NULL; ++i) {
        PalTreeNode *one = put_map(builder, list, NULL);
        put_string(builder, one, "const", choice->name);
        put_string(builder, one, "description", choice->help);
    }
}

static void put_rows(Builder *builder, PalTreeNode *schema, const PalKey *key)
{
    PalTreeNode *row = put_array(builder, schema, 2, key->most);
    put_number(builder, put_array(builder, row, key->length, key->length), "number", PAL_RANGE_ANY);
    if (key->rows_help != NULL)
        put_string(builder, schema, "description", key->rows_help);
}

// One of the forms a value may have; words are put elsewhere.
static void put_form(Builder *builder, PalTreeNode *schema, const PalKey *key, uint32_t form)
{
    switch (form) {
    case PAL_VALUE_TEXT:
        put_text(builder, schema, key);
        break;
    case PAL_VALUE_FLAG:
        put_string(builder, schema, "type", "boolean");
        break;
    case PAL_VALUE_NUMBER:
        put_number(builder, schema, "number", key->range);
        break;
    case PAL_VALUE_WHOLE:
        put_number(builder, schema, "integer", key->range);
        break;
    case PAL_VALUE_NUMBERS:
        put_numbers(builder, schema, key);
        break;
    case PAL_VALUE_ROWS:
        put_rows(builder, schema, key);
        break;
    case PAL_VALUE_WORDS:
        put_choices(builder, put_list(builder, put_array(builder, schema, 0, 0), "oneOf"), key);
        put_plain(builder, schema, "uniqueItems", "true");
        break;
    case PAL_VALUE_NAMES:
        put_text(builder, put_array(builder, schema, key->length, key->length), key);
        break;
    case PAL_VALUE_MAP:
        put_part(builder, schema, key->table);
        break;
    case PAL_VALUE_MAPS:
        put_part(builder, put_array(builder, schema, key->least, key->most), key->table);
        break;
    }
}

// ---- keys and parts -----------------------------------------------------------------------------

static void put_default(Builder *builder, PalTreeNode *schema, const char *standard)
{
    bool word = strchr("[-.0123456789", *standard) == NULL && strcmp(standard, "true") != 0 &&
                strcmp(standard, "false") != 0;
    if (word)
        put_string(builder, schema, "default", standard);
    else
        put_plain(builder, schema, "default", standard);
}

static void put_key(Builder *builder, PalTreeNode *properties, const PalKey *key)
{
    PalTreeNode *schema = put_map(builder, properties, key->name);
    uint32_t forms = key->values & ~(uint32_t)PAL_VALUE_NULLS;
    bool single = (forms & (forms - 1)) == 0 && forms != PAL_VALUE_WORD;
    PalTreeNode *either = single ? NULL : put_list(builder, schema, "oneOf");
    if (forms & PAL_VALUE_WORD)
        put_choices(builder, either, key);
    for (uint32_t form = 1; form <= forms; form <<= 1)
        if ((forms & form) != 0 && form != PAL_VALUE_WORD)
            put_form(builder, single ? schema : put_map(builder, either, NULL), key, form);
    if (key->standard != NULL)
        put_default(builder, schema, key->standard);
    char help[1200];
    snprintf(help, sizeof help, key->unit != NULL ? "%s Unit: %s." : "%s", key->help, key->unit);
    const char *copy = pal_tree_text(&builder->tree, help, strlen(help));
    put_string(builder, schema, "description", copy != NULL ? copy : "");
}

static void put_rules(Builder *builder, PalTreeNode *schema, const PalKeyTable *table)
{
    bool both = pal_key_one_of(table, 2, 0) != NULL;
    PalTreeNode *all = both ? put_list(builder, schema, "allOf") : NULL;
    for (int32_t one_of = 1; one_of <= PAL_ONE_OF_MAX; ++one_of) {
        const PalKey *key = pal_key_one_of(table, one_of, 0);
        if (key == NULL)
            continue;
        PalTreeNode *owner = both ? put_map(builder, all, NULL) : schema;
        PalTreeNode *either = put_list(builder, owner, "oneOf");
        for (int32_t i = 0; (key = pal_key_one_of(table, one_of, i)) != NULL; ++i)
            put_string(builder, put_list(builder, put_map(builder, either, NULL), "required"), NULL,
                       key->name);
    }
    if (table->not_both[0] == NULL)
        return;
    PalTreeNode *names = put_list(builder, put_map(builder, schema, "not"), "required");
    for (int i = 0; i < 2; ++i)
        put_string(builder, names, NULL, table->not_both[i]);
}

static void put_table(Builder *builder, PalTreeNode *schema, const PalKeyTable *table)
{
    put_string(builder, schema, "type", "object");
    put_string(builder, schema, "description", table->help);
    PalTreeNode *properties = put_map(builder, schema, "properties");
    PalTreeNode *required = NULL;
    for (int32_t i = 0; i < table->key_count; ++i)
        put_key(builder, properties, &table->keys[i]);
    put_plain(builder, schema, "additionalProperties", "false");
    for (int32_t i = 0; i < table->key_count; ++i) {
        if (!table->keys[i].required)
            continue;
        required = required != NULL ? required : put_list(builder, schema, "required");
        put_string(builder, required, NULL, table->keys[i].name);
    }
    put_rules(builder, schema, table);
}

// ---- the text -----------------------------------------------------------------------------------

enum { WIDTH = 100 };

static void add_string(PalText *text, const char *string)
{
    pal_text_add(text, "\"");
    for (; *string != '\0'; ++string) {
        if (*string == '"' || *string == '\\')
            pal_text_add(text, "\\");
        pal_text_put(text, string, 1);
    }
    pal_text_add(text, "\"");
}

static void add_flat(PalText *text, const PalTreeNode *node)
{
    if (node->kind == PAL_TREE_SCALAR) {
        if (node->quoted)
            add_string(text, node->text);
        else
            pal_text_add(text, node->text);
        return;
    }
    pal_text_add(text, node->kind == PAL_TREE_MAP ? "{" : "[");
    for (int32_t i = 0; i < node->count; ++i) {
        pal_text_add(text, i > 0 ? ", " : "");
        if (node->kind == PAL_TREE_MAP) {
            add_string(text, node->items[i].key);
            pal_text_add(text, ": ");
        }
        add_flat(text, node->items[i].value);
    }
    pal_text_add(text, node->kind == PAL_TREE_MAP ? "}" : "]");
}

// On the line that has been begun where it fits, else item by item.
static void add_node(PalText *text, const PalTreeNode *node, int32_t indent)
{
    size_t start = text->length, line = start;
    while (line > 0 && text->data[line - 1] != '\n')
        --line;
    add_flat(text, node);
    bool fits = text->length - line < WIDTH;  // with a comma
    if (text->no_memory || fits || node->kind == PAL_TREE_SCALAR || node->count == 0)
        return;
    text->length = start;
    pal_text_add(text, node->kind == PAL_TREE_MAP ? "{" : "[");
    for (int32_t i = 0; i < node->count; ++i) {
        pal_text_print(text, "%s\n%*s", i > 0 ? "," : "", (int)indent + 2, "");
        if (node->kind == PAL_TREE_MAP) {
            add_string(text, node->items[i].key);
            pal_text_add(text, ": ");
        }
        add_node(text, node->items[i].value, indent + 2);
    }
    pal_text_print(text, "\n%*s%s", (int)indent, "", node->kind == PAL_TREE_MAP ? "}" : "]");
}

char *pal_vocabulary_schema(const PalVocabulary *vocabulary)
{
    Builder builder = {.place = {.line = 1}};
    PalTreeNode *root = map(&builder);
    put_string(&builder, root, "$schema", "https://json-schema.org/draft/2020-12/schema");
    put_string(&builder, root, "title", "palpate scene");
    put_table(&builder, root, vocabulary->tables[0]);
    PalTreeNode *parts = put_map(&builder, root, "$defs");
    for (int32_t i = 1; i < vocabulary->part_count; ++i)
        put_table(&builder, put_map(&builder, parts, vocabulary->parts[i].name),
                  vocabulary->tables[i]);
    PalText text = {0};
    if (!builder.failed)
        add_node(&text, root, 0);
    pal_text_add(&text, "\n");
    text.no_memory = text.no_memory || builder.failed;
    pal_tree_clear(&builder.tree);
    return pal_text_take(&text);
}
