// The parts of a scene, collected from the tables, and their keys in words.
#ifndef PAL_SCENE_VOCABULARY_H
#define PAL_SCENE_VOCABULARY_H

#include "output/text.h"
#include "scene/keys.h"
#include <palpate/scene.h>

#define PAL_PART_MAX 64

struct PalVocabulary {
    PalTree tree;  // holds everything
    int32_t part_count;
    PalScenePart parts[PAL_PART_MAX];         // the scene, and what stands below it
    const PalKeyTable *tables[PAL_PART_MAX];  // the same, with the keys of all laws
};

// What a key takes, in words; Markdown has links to parts and marks words.
void pal_key_value(const PalKey *key, bool markdown, PalText *text);

// Which keys of a table need or exclude each other, in words; nothing where there is no rule.
void pal_table_rule(const PalKeyTable *table, bool markdown, PalText *text);

// The text as a string of its own, to be freed with free(); clears it. NULL: no memory.
char *pal_text_take(PalText *text);

#endif
