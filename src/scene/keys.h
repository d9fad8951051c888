// What a scene may say: the parts it is made of, their keys, and the values these take. The tables
// (vocabulary_*.c) are all there is: the reader checks by them, and the schema, the reference, the
// program's help and completion are made from them.
#ifndef PAL_SCENE_KEYS_H
#define PAL_SCENE_KEYS_H

#include "scene/tree/tree.h"
#include <palpate/material.h>

// What a value may be; a key accepts any of the bits.
enum {
    PAL_VALUE_TEXT = 1,
    PAL_VALUE_WORD = 2,  // one of the choices
    PAL_VALUE_FLAG = 4,  // true or false
    PAL_VALUE_NUMBER = 8,
    PAL_VALUE_WHOLE = 16,    // a whole number
    PAL_VALUE_NUMBERS = 32,  // a list of `length` numbers; 0: one to three whole numbers;
                             // PAL_NONE: one or more
    PAL_VALUE_NULLS = 64,    // the numbers of the list may be null
    PAL_VALUE_ROWS = 128,    // a list of at least two lists of `length` numbers
    PAL_VALUE_WORDS = 256,   // a list of choices, each at most once
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

#define PAL_ONE_OF_MAX 2

typedef struct PalKeyTable PalKeyTable;

typedef struct PalKey {
    const char *name;
    const char *help;  // full sentences
    uint32_t values;
    const char *older;  // a name that it had; still read, as this one. NULL: none
    PalRange range;
    bool required;
    const char *unit;      // "length"; NULL: a number, or the help tells
    const char *standard;  // what holds without the key; NULL: nothing, or the help tells
    int32_t length;
    // The reader has words of its own for what breaks these three.
    int32_t least, most;  // entries of a list of maps or rows; `most` of a text: bytes. 0: any
    const char *pattern;  // of a text, as a regular expression; NULL: any
    const PalChoice *(*choice)(int32_t index);  // NULL after the last one
    int32_t listed_count;                       // choices that are no enumeration of the library
    const PalChoice *listed;                    // come as a list
    const char *const *later_words;             // known, but not in this version; ends with NULL
    const char *rows_help;                      // of a value that may be rows
    const PalKeyTable *table;
    int32_t one_of;  // 1 to PAL_ONE_OF_MAX: of the table's keys with this number exactly one must
                     // be given; 0: none of these
} PalKey;

struct PalKeyTable {
    const char *name;  // of the part: "body"
    const char *what;  // "a body"
    const char *help;  // full sentences
    int32_t key_count;
    const PalKey *keys;
    const char *not_both[2];
    const PalKeyTable *base;  // a part whose keys this one has as well; NULL: none
    bool material;            // further keys come from the material's law
};

#define PAL_NAME_BYTES_MAX 100  // of a body, an instrument, a probe

extern const PalKeyTable pal_scene_keys;  // the whole file: vocabulary_run.c, as the next four
extern const PalKeyTable pal_solver_keys, pal_probe_keys, pal_output_keys, pal_vademecum_keys;
extern const PalKeyTable pal_body_keys, pal_rigid_keys;                        // .._bodies.c
extern const PalKeyTable pal_shape_keys, pal_place_keys;                       // .._shapes.c
extern const PalKeyTable pal_condition_keys, pal_where_keys, pal_motion_keys;  // .._conditions.c
extern const PalKeyTable pal_contact_keys;                                     // .._contact.c

const PalKey *pal_key_find(const PalKeyTable *table, const char *name);  // NULL: unknown
const PalChoice *pal_key_choice(const PalKey *key, int32_t index);       // NULL after the last one

// Of the table's keys numbered `one_of`: the one at `index`, counted among them; NULL: there are
// fewer. And which of them the map has; PAL_NONE: none.
const PalKey *pal_key_one_of(const PalKeyTable *table, int32_t one_of, int32_t index);
int32_t pal_key_given(const PalTreeNode *map, const PalKeyTable *table, int32_t one_of);

// The keys of a material with this law; of all laws, and with help, when NULL. Vectors' three
// parameters are one key. Valid as long as `tree` is. NULL: no memory.
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

#endif
