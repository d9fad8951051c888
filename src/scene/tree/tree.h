// A YAML or JSON document as a tree of plain nodes, each with its place in the text.
#ifndef PAL_SCENE_TREE_TREE_H
#define PAL_SCENE_TREE_TREE_H

#include <palpate/base.h>

#define PAL_TREE_DEPTH_MAX 32
#define PAL_TREE_NODE_MAX  1000000
#define PAL_TREE_BYTES_MAX (64 << 20)

typedef enum PalTreeKind { PAL_TREE_SCALAR, PAL_TREE_LIST, PAL_TREE_MAP } PalTreeKind;

typedef struct PalTreeNode PalTreeNode;

typedef struct PalTreeItem {
    const char *key;  // NULL in a list
    int32_t line, column;
    PalTreeNode *value;
} PalTreeItem;

struct PalTreeNode {
    PalTreeKind kind;
    bool quoted;           // a scalar in quotes or in a block: always text
    int32_t line, column;  // from 1; column 0: not known
    const char *origin;    // what stands for file:line:column in messages; NULL: the file
    const char *text;      // scalar
    bool is_number;
    double number;
    int32_t count, capacity;
    PalTreeItem *items;
};

// Owns its nodes and texts: one clear frees all.
typedef struct PalTree {
    const char *path;  // for messages
    PalTreeNode *root;
    int32_t node_count;
    struct PalTreeChunk *chunks;
} PalTree;

// Fills `tree` (zeroed by the caller, path set) from text. `origin` marks every node; may be NULL.
// Errors read path:line:column: what, or begin with the origin.
PalStatus pal_tree_parse(PalTree *tree, const char *text, size_t size, const char *origin,
                         PalTreeNode **root, PalError *error);
void pal_tree_clear(PalTree *tree);

// Memory that lives as long as the tree, zeroed; NULL when there is none.
void *pal_tree_alloc(PalTree *tree, size_t count, size_t size);
char *pal_tree_text(PalTree *tree, const char *text, size_t length);

// New nodes stand where `place` does. NULL: no memory.
PalTreeNode *pal_tree_new(PalTree *tree, PalTreeKind kind, const PalTreeNode *place);
PalTreeNode *pal_tree_new_text(PalTree *tree, const PalTreeNode *place, const char *text);
PalTreeNode *pal_tree_new_number(PalTree *tree, const PalTreeNode *place, double number);
PalTreeNode *pal_tree_copy(PalTree *tree, const PalTreeNode *node);

// Appends to a list (key NULL) or sets a key of a map. False: no memory.
bool pal_tree_put(PalTree *tree, PalTreeNode *node, const char *key, PalTreeNode *value);
PalTreeItem *pal_tree_find(const PalTreeNode *map, const char *key);  // NULL: absent
PalTreeNode *pal_tree_get(const PalTreeNode *map, const char *key);   // NULL: absent

bool pal_tree_is_null(const PalTreeNode *node);  // an empty value, null or ~

// Sets is_number and number where the scalar is one; .inf and .nan count as numbers.
bool pal_tree_read_number(PalTreeNode *node);

// Fails with `place: message`.
PalStatus pal_tree_fail(const PalTree *tree, const PalTreeNode *place, PalError *error,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));
PalStatus pal_tree_fail_at(const PalTree *tree, const PalTreeItem *item, PalError *error,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));
PalStatus pal_tree_no_memory(PalError *error);

// "file:line:column", "file:line" or the origin.
void pal_tree_place(const PalTree *tree, const PalTreeNode *node, char *text, size_t size);

// A short, printable form of any text: quoted, cut at 40 bytes.
typedef struct PalQuoted {
    char text[64];
} PalQuoted;
PalQuoted pal_quoted(const char *text);

// Whether a text holds a control character of ASCII or of Unicode (U+0080 to U+009F).
bool pal_has_control(const char *text);

#endif
