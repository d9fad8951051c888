// The schema that ships and the tables the reader goes by say the same.
#include "check.h"
#include "scene/keys.h"

#define SCHEMA PAL_SCENES "/../docs/scene.schema.json"

enum { LINES_MAX = 1000, LINE_MAX = 600 };

typedef struct Lines {
    int32_t count;
    char text[LINES_MAX][LINE_MAX];
} Lines;

static void add_line(void *context, const char *line)
{
    Lines *lines = context;
    assert_true(lines->count < LINES_MAX && strlen(line) < LINE_MAX);
    strcpy(lines->text[lines->count++], line);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(a, b);
}

typedef struct Walk {
    const PalTreeNode *root;
    Lines *lines;
} Walk;

static void append(char *text, const char *more)
{
    assert_true(strlen(text) + strlen(more) < 256);
    strcat(text, more);
}

static const char *text_at(const PalTreeNode *map, const char *key)
{
    const PalTreeNode *node = pal_tree_get(map, key);
    return node != NULL ? node->text : "";
}

static const PalTreeNode *follow(const Walk *walk, const PalTreeNode *schema)
{
    const char *name = strrchr(text_at(schema, "$ref"), '/');
    assert_non_null(name);
    const PalTreeNode *target = pal_tree_get(pal_tree_get(walk->root, "$defs"), name + 1);
    if (target == NULL)
        fail_msg("nothing called %s in $defs", name + 1);
    return target;
}

static const char *range_of(const PalTreeNode *schema)
{
    const char *above = text_at(schema, "exclusiveMinimum"), *least = text_at(schema, "minimum");
    const char *below = text_at(schema, "exclusiveMaximum"), *most = text_at(schema, "maximum");
    if (strcmp(above, "0") == 0)
        return strcmp(below, "1") == 0 ? ">0<1" : strcmp(most, "1") == 0 ? ">0<=1" : ">0";
    return strcmp(least, "0") == 0 ? ">=0" : "";
}

// What the parts of a description are collected in, one for each kind of value.
typedef struct Parts {
    char text[256], words[256], flag[256], number[256], numbers[256], rows[256], list[256],
        names[256], map[256], maps[256];
    const PalTreeNode *below;  // the schema of a map or of a list's maps
} Parts;

static void describe_list(const Walk *walk, const PalTreeNode *schema, Parts *parts)
{
    const PalTreeNode *items = pal_tree_get(schema, "items");
    const char *type = text_at(items, "type");
    char text[64];
    if (pal_tree_get(items, "$ref") != NULL) {
        append(parts->maps, " maps");
        parts->below = follow(walk, items);
    } else if (pal_tree_get(items, "enum") != NULL) {
        const PalTreeNode *words = pal_tree_get(items, "enum");
        append(parts->list, " words(");
        for (int32_t i = 0; i < words->count; ++i) {
            append(parts->list, i > 0 ? " " : "");
            append(parts->list, words->items[i].value->text);
        }
        append(parts->list, ")");
    } else if (strcmp(type, "array") == 0) {
        snprintf(text, sizeof text, " rows[%s]", text_at(items, "minItems"));
        append(parts->rows, text);
    } else if (strcmp(type, "string") == 0) {
        assert_string_equal(text_at(schema, "minItems"), text_at(schema, "maxItems"));
        snprintf(text, sizeof text, " names[%s]", text_at(schema, "minItems"));
        append(parts->names, text);
    } else if (strcmp(type, "integer") == 0) {
        append(parts->numbers, " wholes");
        append(parts->numbers, range_of(items));
    } else if (pal_tree_get(schema, "maxItems") == NULL) {
        append(parts->numbers, " numbers");
        append(parts->numbers, range_of(items));
    } else {
        assert_string_equal(text_at(schema, "minItems"), text_at(schema, "maxItems"));
        snprintf(text, sizeof text, " numbers[%s]", text_at(schema, "minItems"));
        append(parts->numbers, text);
        append(parts->numbers, pal_tree_get(items, "oneOf") != NULL ? "|null" : "");
        append(parts->numbers, range_of(items));
    }
}

static void describe_one(const Walk *walk, const PalTreeNode *schema, Parts *parts)
{
    const char *type = text_at(schema, "type");
    if (pal_tree_get(schema, "const") != NULL) {
        append(parts->words, parts->words[0] != '\0' ? " " : " word(");
        append(parts->words, text_at(schema, "const"));
    } else if (pal_tree_get(schema, "$ref") != NULL) {
        append(parts->map, " map");
        parts->below = follow(walk, schema);
    } else if (strcmp(type, "string") == 0) {
        append(parts->text, " text");
    } else if (strcmp(type, "boolean") == 0) {
        append(parts->flag, " flag");
    } else if (strcmp(type, "array") == 0) {
        describe_list(walk, schema, parts);
    } else {
        append(parts->number, strcmp(type, "integer") == 0 ? " whole" : " number");
        append(parts->number, range_of(schema));
    }
}

static void list_one_of(const Walk *walk, const char *path, const PalTreeNode *choices)
{
    char line[256];
    snprintf(line, sizeof line, "%s one of", path[0] != '\0' ? path : ".");
    for (int32_t i = 0; i < choices->count; ++i) {
        append(line, " ");
        append(line, pal_tree_get(choices->items[i].value, "required")->items[0].value->text);
    }
    add_line(walk->lines, line);
}

static void list_object(const Walk *walk, const char *path, const PalTreeNode *schema);

static void list_key(const Walk *walk, const char *path, const PalTreeItem *item,
                     const PalTreeNode *required)
{
    static const char *const unions[] = {"oneOf", "anyOf"};
    Parts parts = {.text = ""};
    char below[160], line[11 * 256] = "";
    const PalTreeNode *choices = NULL;
    for (int i = 0; i < 2; ++i)
        choices = choices != NULL ? choices : pal_tree_get(item->value, unions[i]);
    if (choices == NULL)
        describe_one(walk, item->value, &parts);
    for (int32_t i = 0; choices != NULL && i < choices->count; ++i)
        describe_one(walk, choices->items[i].value, &parts);
    bool is_required = false;
    for (int32_t i = 0; required != NULL && i < required->count; ++i)
        is_required = is_required || strcmp(required->items[i].value->text, item->key) == 0;
    snprintf(below, sizeof below, "%s%s%s", path, path[0] != '\0' ? "." : "", item->key);
    if (parts.words[0] != '\0')
        append(parts.words, ")");
    const char *const order[] = {below,        parts.text,    parts.words, parts.flag,
                                 parts.number, parts.numbers, parts.rows,  parts.list,
                                 parts.names,  parts.map,     parts.maps};
    for (size_t i = 0; i < sizeof order / sizeof *order; ++i)
        strcat(line, order[i]);
    strcat(line, is_required ? " required" : "");
    add_line(walk->lines, line);
    if (pal_tree_get(item->value, "description") == NULL)
        fail_msg("%s has no description", below);
    if (parts.below != NULL)
        list_object(walk, below, parts.below);
}

static void list_object(const Walk *walk, const char *path, const PalTreeNode *schema)
{
    const PalTreeNode *properties = pal_tree_get(schema, "properties");
    const PalTreeNode *one_of = pal_tree_get(schema, "oneOf"),
                      *all_of = pal_tree_get(schema, "allOf");
    assert_string_equal(text_at(schema, "additionalProperties"), "false");
    if (one_of != NULL)
        list_one_of(walk, path, one_of);
    for (int32_t i = 0; all_of != NULL && i < all_of->count; ++i)
        list_one_of(walk, path, pal_tree_get(all_of->items[i].value, "oneOf"));
    for (int32_t i = 0; i < properties->count; ++i)
        list_key(walk, path, &properties->items[i], pal_tree_get(schema, "required"));
}

static void read_schema(PalTree *tree)
{
    FILE *file = fopen(SCHEMA, "rb");
    assert_non_null(file);
    static char text[1 << 20];
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    PalError error = {0};
    *tree = (PalTree){.path = SCHEMA};
    check_ok(pal_tree_parse(tree, text, size, NULL, &tree->root, &error), &error);
}

static void schema_and_reader_agree(void **state)
{
    (void)state;
    PalTree tree, scratch = {0};
    read_schema(&tree);
    Lines *reader = calloc(1, sizeof *reader), *schema = calloc(1, sizeof *schema);
    assert_int_equal(pal_keys_list(&scratch, add_line, reader), PAL_OK);
    list_object(&(Walk){tree.root, schema}, "", tree.root);
    qsort(reader->text, (size_t)reader->count, LINE_MAX, compare_lines);
    qsort(schema->text, (size_t)schema->count, LINE_MAX, compare_lines);
    assert_true(reader->count > 100);
    for (int32_t i = 0; i < reader->count || i < schema->count; ++i)
        assert_string_equal(schema->text[i], reader->text[i]);
    free(reader);
    free(schema);
    pal_tree_clear(&scratch);
    pal_tree_clear(&tree);
}

// Each law's description tells what the law is and names every parameter it takes.
static void schema_describes_laws(void **state)
{
    (void)state;
    PalTree tree;
    read_schema(&tree);
    const PalTreeNode *material = pal_tree_get(pal_tree_get(tree.root, "$defs"), "material");
    const PalTreeNode *laws =
        pal_tree_get(pal_tree_get(pal_tree_get(material, "properties"), "law"), "oneOf");
    assert_int_equal(laws->count, pal_law_count());
    for (int32_t i = 0; i < laws->count; ++i) {
        const char *text = text_at(laws->items[i].value, "description");
        const PalMaterialLaw *law = pal_law_at(i);
        // the description begins with a capital
        if (strncmp(text + 1, pal_law_summary(law) + 1, strlen(pal_law_summary(law)) - 1) != 0)
            fail_msg("%s: the schema says %s", pal_law_summary(law), text);
        for (int32_t k = 0; k < pal_law_parameter_count(law); ++k) {
            char name[64];
            snprintf(name, sizeof name, " %s", pal_law_parameter(law, k)->name);
            if (pal_law_vector_first(law, k) != PAL_NONE)
                name[strlen(name) - 2] = '\0';
            if (strstr(text, name) == NULL)
                fail_msg("the schema's %s does not name%s", pal_law_name(law), name);
        }
    }
    pal_tree_clear(&tree);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(schema_and_reader_agree),
    cmocka_unit_test(schema_describes_laws),
};
CHECK_GROUP(tests, NULL, NULL)
