// Every key a scene may hold: its name, the values it takes, and which keys exclude each other.
// docs/scene.schema.json says the same, and a test compares the two.
#ifndef PAL_SCENE_KEYS_H
#define PAL_SCENE_KEYS_H

#include "scene/tree/tree.h"
#include <palpate/material.h>

// What a value may be; a key accepts any of the bits.
enum {
    PAL_VALUE_TEXT = 1,
    PAL_VALUE_WORD = 2,  // one of `words`
    PAL_VALUE_FLAG = 4,  // true or false
    PAL_VALUE_NUMBER = 8,
    PAL_VALUE_WHOLE = 16,    // a whole number
    PAL_VALUE_NUMBERS = 32,  // a list of `length` numbers; 0: one to three whole numbers;
                             // PAL_NONE: one or more
    PAL_VALUE_NULLS = 64,    // the numbers of the list may be null
    PAL_VALUE_ROWS = 128,    // a list of at least two lists of `length` numbers
    PAL_VALUE_WORDS = 256,   // a list of words
    PAL_VALUE_MAP = 512,     // of `table`
    PAL_VALUE_MAPS = 1024,   // a list of maps
    PAL_VALUE_NAMES = 2048,  // a list of `length` texts
};

typedef enum PalRange {
    PAL_RANGE_ANY,
    PAL_RANGE_POSITIVE,
    PAL_RANGE_NOT_NEGATIVE,
    PAL_RANGE_FRACTION,   // above 0, at most 1
    PAL_RANGE_BELOW_ONE,  // above 0, below 1
} PalRange;

typedef struct PalKeyTable PalKeyTable;

typedef struct PalKey {
    const char *name;
    uint32_t values;
    bool required;
    PalRange range;
    int32_t length;
    const char *const *words;        // ends with NULL
    const char *const *later_words;  // known, but not in this version; ends with NULL
    const PalKeyTable *table;
} PalKey;

#define PAL_ONE_OF_MAX 8

struct PalKeyTable {
    const char *what;  // "a body"
    int32_t key_count;
    const PalKey *keys;
    const char *one_of[2][PAL_ONE_OF_MAX];  // of each list exactly one must be given
    const char *not_both[2];
    bool material;  // further keys come from the material's law
};

extern const PalKeyTable pal_scene_keys;  // the whole file

const PalKey *pal_key_find(const PalKeyTable *table, const char *name);  // NULL: unknown

// The keys of a material with this law; of all laws when NULL. Vectors' three parameters are one
// key. Valid as long as `tree` is. NULL: no memory.
const PalKeyTable *pal_material_keys(PalTree *tree, const PalKeyTable *table,
                                     const PalMaterialLaw *law);

// The first of the three parameters NAME-x, NAME-y, NAME-z that the one at `index` belongs to;
// PAL_NONE when it is a single number.
int32_t pal_law_vector_first(const PalMaterialLaw *law, int32_t index);

// Checks types, ranges, unknown, missing and conflicting keys of everything below `map`.
PalStatus pal_keys_check(PalTree *tree, PalTreeNode *map, const PalKeyTable *table,
                         PalError *error);

// Says that `name` is none of the known ones, with the nearest of them or all.
PalStatus pal_keys_unknown(const PalTree *tree, const PalTreeItem *item, const PalKeyTable *table,
                           PalError *error);

// "did you mean X?" or "expected A, B or C", for `name` out of `known` names.
typedef struct PalAdvice {
    char text[400];
} PalAdvice;
PalAdvice pal_advise(const char *name, const char *const *known, int32_t count);

// One line per key: path, values, required; for the test that compares with the schema.
typedef void (*PalKeyVisit)(void *context, const char *line);
PalStatus pal_keys_list(PalTree *tree, PalKeyVisit visit, void *context);
void pal_key_describe(const PalKey *key, char *text, size_t size);

#endif
