#include "scene/tree/tree.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 65536

struct PalTreeChunk {
    struct PalTreeChunk *next;
    size_t used, size;
    max_align_t data[];
};

void *pal_tree_alloc(PalTree *tree, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / 4 / size)
        return NULL;
    size_t bytes = (count * size + sizeof(max_align_t)) / sizeof(max_align_t) * sizeof(max_align_t);
    struct PalTreeChunk *chunk = tree->chunks;
    if (chunk == NULL || chunk->size - chunk->used < bytes) {
        size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        chunk = calloc(1, sizeof *chunk + room);
        if (chunk == NULL)
            return NULL;
        chunk->size = room;
        chunk->next = tree->chunks;
        tree->chunks = chunk;
    }
    void *memory = (char *)chunk->data + chunk->used;
    chunk->used += bytes;
    return memory;
}

void pal_tree_clear(PalTree *tree)
{
    while (tree->chunks != NULL) {
        struct PalTreeChunk *next = tree->chunks->next;
        free(tree->chunks);
        tree->chunks = next;
    }
    *tree = (PalTree){0};
}

char *pal_tree_text(PalTree *tree, const char *text, size_t length)
{
    char *copy = pal_tree_alloc(tree, length + 1, 1);
    if (copy != NULL && length > 0)
        memcpy(copy, text, length);
    return copy;
}

PalTreeNode *pal_tree_new(PalTree *tree, PalTreeKind kind, const PalTreeNode *place)
{
    PalTreeNode *node = pal_tree_alloc(tree, 1, sizeof *node);
    if (node == NULL)
        return NULL;
    node->kind = kind;
    node->text = "";
    if (place != NULL) {
        node->line = place->line;
        node->column = place->column;
        node->origin = place->origin;
    }
    tree->node_count += 1;
    return node;
}

PalTreeNode *pal_tree_new_text(PalTree *tree, const PalTreeNode *place, const char *text)
{
    PalTreeNode *node = pal_tree_new(tree, PAL_TREE_SCALAR, place);
    if (node == NULL)
        return NULL;
    node->text = pal_tree_text(tree, text, strlen(text));
    return node->text != NULL ? node : NULL;
}

PalTreeNode *pal_tree_new_number(PalTree *tree, const PalTreeNode *place, double number)
{
    PalTreeNode *node = pal_tree_new(tree, PAL_TREE_SCALAR, place);
    if (node == NULL)
        return NULL;
    node->is_number = true;
    node->number = number;
    return node;
}

PalTreeNode *pal_tree_copy(PalTree *tree, const PalTreeNode *node)
{
    if (tree->node_count >= PAL_TREE_NODE_MAX)
        return NULL;
    PalTreeNode *copy = pal_tree_new(tree, node->kind, node);
    if (copy == NULL)
        return NULL;
    copy->quoted = node->quoted;
    copy->is_number = node->is_number;
    copy->number = node->number;
    copy->text = node->text;
    copy->items = pal_tree_alloc(tree, (size_t)node->count, sizeof *copy->items);
    if (copy->items == NULL)
        return NULL;
    copy->capacity = node->count;
    for (; copy->count < node->count; ++copy->count) {
        PalTreeItem *item = &copy->items[copy->count];
        *item = node->items[copy->count];
        item->value = pal_tree_copy(tree, item->value);
        if (item->value == NULL)
            return NULL;
    }
    return copy;
}

bool pal_tree_put(PalTree *tree, PalTreeNode *node, const char *key, PalTreeNode *value)
{
    if (value == NULL)
        return false;
    PalTreeItem *old = key != NULL ? pal_tree_find(node, key) : NULL;
    if (old != NULL) {
        old->value = value;
        return true;
    }
    if (node->count == node->capacity) {
        int32_t capacity = node->capacity < 4 ? 8 : node->capacity * 2;
        PalTreeItem *items = pal_tree_alloc(tree, (size_t)capacity, sizeof *items);
        if (items == NULL)
            return false;
        if (node->count > 0)
            memcpy(items, node->items, (size_t)node->count * sizeof *items);
        node->items = items;
        node->capacity = capacity;
    }
    node->items[node->count++] =
        (PalTreeItem){.key = key, .line = value->line, .column = value->column, .value = value};
    return true;
}

PalTreeItem *pal_tree_find(const PalTreeNode *map, const char *key)
{
    if (map->kind != PAL_TREE_MAP)
        return NULL;
    for (int32_t i = 0; i < map->count; ++i)
        if (strcmp(map->items[i].key, key) == 0)
            return &map->items[i];
    return NULL;
}

PalTreeNode *pal_tree_get(const PalTreeNode *map, const char *key)
{
    PalTreeItem *item = pal_tree_find(map, key);
    return item != NULL ? item->value : NULL;
}

bool pal_tree_is_null(const PalTreeNode *node)
{
    if (node->kind != PAL_TREE_SCALAR || node->quoted || node->is_number)
        return false;
    const char *text = node->text;
    return strcmp(text, "") == 0 || strcmp(text, "~") == 0 || strcmp(text, "null") == 0 ||
           strcmp(text, "Null") == 0 || strcmp(text, "NULL") == 0;
}

static bool special_number(const char *text, double *number)
{
    double sign = *text == '-' ? -1 : 1;
    if (*text == '-' || *text == '+')
        ++text;
    if (*text == '.')
        ++text;
    static const char *const infinities[] = {"inf", "Inf", "INF", "infinity", "Infinity"};
    for (size_t i = 0; i < sizeof infinities / sizeof *infinities; ++i)
        if (strcmp(text, infinities[i]) == 0) {
            *number = sign * HUGE_VAL;
            return true;
        }
    if (strcmp(text, "nan") == 0 || strcmp(text, "NaN") == 0 || strcmp(text, "NAN") == 0) {
        *number = NAN;
        return true;
    }
    return false;
}

bool pal_tree_read_number(PalTreeNode *node)
{
    if (node->is_number)
        return true;
    if (node->kind != PAL_TREE_SCALAR || node->quoted || *node->text == '\0')
        return false;
    if (special_number(node->text, &node->number))
        return node->is_number = true;
    // no hexadecimal, no spaces, no locale's own digits
    size_t length = strlen(node->text);
    if (strspn(node->text, "0123456789+-.eE") != length)
        return false;
    char *end;
    node->number = strtod(node->text, &end);
    return node->is_number = *end == '\0';
}

// Bytes of the control character at a place: 0 when it is another one.
static size_t control_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0)  // U+0080 to U+009F: terminals obey some
        return 2;
    return (c[0] != '\0' && c[0] < 0x20) || c[0] == 0x7F;
}

bool pal_has_control(const char *text)
{
    while (*text != '\0' && control_length(text) == 0)
        ++text;
    return *text != '\0';
}

PalQuoted pal_quoted(const char *text)
{
    enum { LONGEST = 40 };
    PalQuoted quoted = {"\""};
    size_t length = strlen(text), kept = length > LONGEST ? LONGEST : length;
    // a cut must not split a UTF-8 sequence
    while (kept < length && kept > 0 && ((unsigned char)text[kept] & 0xC0) == 0x80)
        --kept;
    for (size_t i = 0, masked = 0; i < kept; ++i) {
        size_t control = control_length(text + i);
        masked = control > 0 ? control : masked;
        quoted.text[i + 1] = masked > 0 ? '?' : text[i];
        masked -= masked > 0;
    }
    memcpy(&quoted.text[kept + 1], kept < length ? "...\"" : "\"", kept < length ? 5 : 2);
    return quoted;
}

void pal_tree_place(const PalTree *tree, const PalTreeNode *node, char *text, size_t size)
{
    if (node->origin != NULL)
        snprintf(text, size, "%s", node->origin);
    else if (node->column > 0)
        snprintf(text, size, "%s:%d:%d", tree->path, (int)node->line, (int)node->column);
    else
        snprintf(text, size, "%s:%d", tree->path, (int)node->line);
}

static PalStatus fail(const PalTree *tree, const PalTreeNode *place, PalError *error,
                      const char *format, va_list arguments)
{
    char where[512], what[sizeof error->text];
    pal_tree_place(tree, place, where, sizeof where);
    vsnprintf(what, sizeof what, format, arguments);
    return pal_error_set(error, PAL_BAD_INPUT, "%s: %s", where, what);
}

PalStatus pal_tree_fail(const PalTree *tree, const PalTreeNode *place, PalError *error,
                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    PalStatus status = fail(tree, place, error, format, arguments);
    va_end(arguments);
    return status;
}

PalStatus pal_tree_fail_at(const PalTree *tree, const PalTreeItem *item, PalError *error,
                           const char *format, ...)
{
    PalTreeNode place = *item->value;
    place.line = item->line;
    place.column = item->column;
    va_list arguments;
    va_start(arguments, format);
    PalStatus status = fail(tree, &place, error, format, arguments);
    va_end(arguments);
    return status;
}

PalStatus pal_tree_no_memory(PalError *error)
{
    return pal_error_set(error, PAL_NO_MEMORY, "no memory left to read the scene");
}
