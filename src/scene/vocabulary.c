#include "scene/vocabulary.h"

#include <stdlib.h>
#include <string.h>

char *pal_text_take(PalText *text)
{
    pal_text_put(text, "", 1);
    char *copy = text->no_memory ? NULL : malloc(text->length);
    if (copy != NULL)
        memcpy(copy, text->data, text->length);
    pal_text_clear(text);
    return copy;
}

// ---- in words -----------------------------------------------------------------------------------

static void add_range(PalText *text, PalRange range)
{
    static const char *const words[] = {"", " above 0", " at least 0", " above 0 and at most 1",
                                        " above 0 and below 1"};
    pal_text_add(text, words[range]);
}

static void add_part(PalText *text, const PalKeyTable *table, bool markdown)
{
    if (markdown)
        pal_text_add(text, "[");
    for (const char *c = table->name; *c != '\0'; ++c)
        pal_text_put(text, *c == '-' ? " " : c, 1);
    if (markdown)
        pal_text_print(text, "](#%s)", table->name);
}

static void add_words(PalText *text, const PalKey *key, bool markdown, const char *between)
{
    const PalChoice *choice;
    for (int32_t i = 0; (choice = pal_key_choice(key, i)) != NULL; ++i)
        pal_text_print(text, markdown ? "%s`%s`" : "%s%s", i > 0 ? between : "", choice->name);
}

static void add_numbers(PalText *text, const PalKey *key)
{
    if (key->length > 0)
        pal_text_print(text, "%d numbers", (int)key->length);
    else
        pal_text_add(text, key->length == PAL_NONE ? "numbers" : "1 to 3 whole numbers");
    add_range(text, key->range);
    pal_text_add(text, key->values & PAL_VALUE_NULLS ? " or null, as a list" : ", as a list");
}

static void add_rows(PalText *text, const PalKey *key)
{
    pal_text_add(text, "list of ");
    if (key->most > 0)
        pal_text_print(text, "%d ", (int)key->most);
    pal_text_print(text, "lists of %d numbers", (int)key->length);
}

// One of the forms a value may have.
static void add_form(PalText *text, const PalKey *key, uint32_t form, bool markdown)
{
    switch (form) {
    case PAL_VALUE_TEXT:
        pal_text_add(text, "text");
        break;
    case PAL_VALUE_WORD:
        add_words(text, key, markdown, " or ");
        break;
    case PAL_VALUE_FLAG:
        pal_text_add(text, markdown ? "`true` or `false`" : "true or false");
        break;
    case PAL_VALUE_NUMBER:
    case PAL_VALUE_WHOLE:
        pal_text_add(text, form == PAL_VALUE_WHOLE ? "whole number" : "number");
        add_range(text, key->range);
        break;
    case PAL_VALUE_MAP:
        add_part(text, key->table, markdown);
        break;
    case PAL_VALUE_NUMBERS:
        add_numbers(text, key);
        break;
    case PAL_VALUE_ROWS:
        add_rows(text, key);
        break;
    case PAL_VALUE_WORDS:
        pal_text_add(text, "list of ");
        add_words(text, key, markdown, ", ");
        break;
    case PAL_VALUE_NAMES:
        pal_text_print(text, "%d names, as a list", (int)key->length);
        break;
    case PAL_VALUE_MAPS:
        pal_text_add(text, "list of ");
        add_part(text, key->table, markdown);
        break;
    }
}

void pal_key_value(const PalKey *key, bool markdown, PalText *text)
{
    static const uint32_t forms[] = {PAL_VALUE_TEXT,    PAL_VALUE_WORD,  PAL_VALUE_FLAG,
                                     PAL_VALUE_NUMBER,  PAL_VALUE_WHOLE, PAL_VALUE_MAP,
                                     PAL_VALUE_NUMBERS, PAL_VALUE_ROWS,  PAL_VALUE_WORDS,
                                     PAL_VALUE_NAMES,   PAL_VALUE_MAPS};
    bool first = true;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
        if ((key->values & forms[i]) == 0)
            continue;
        pal_text_add(text, first ? "" : " or ");
        add_form(text, key, forms[i], markdown);
        first = false;
    }
    if (key->unit != NULL)
        pal_text_print(text, " (%s)", key->unit);
}

void pal_table_rule(const PalKeyTable *table, bool markdown, PalText *text)
{
    const char *form = markdown ? "%s`%s`" : "%s%s";
    const PalKey *key;
    bool first = true;
    for (int32_t one_of = 1; one_of <= PAL_ONE_OF_MAX; ++one_of) {
        for (int32_t i = 0; (key = pal_key_one_of(table, one_of, i)) != NULL; ++i)
            pal_text_print(text, form,
                           i > 0   ? ", "
                           : first ? "Exactly one of "
                                   : ". Exactly one of ",
                           key->name);
        first = first && pal_key_one_of(table, one_of, 0) == NULL;
    }
    if (table->not_both[0] != NULL) {
        pal_text_print(text, form, first ? "Not both of " : ". Not both of ", table->not_both[0]);
        pal_text_print(text, form, " and ", table->not_both[1]);
        first = false;
    }
    pal_text_add(text, first ? "" : ".");
}

// ---- collecting the parts -----------------------------------------------------------------------

// The text as a string in the tree; clears it. NULL: no memory.
static const char *keep(PalVocabulary *vocabulary, PalText *text)
{
    const char *kept =
        text->no_memory
            ? NULL
            : pal_tree_text(&vocabulary->tree, text->data != NULL ? text->data : "", text->length);
    pal_text_clear(text);
    return kept;
}

static bool fill_key(PalVocabulary *vocabulary, const PalKey *key, PalSceneKey *shown)
{
    PalText value = {0};
    pal_key_value(key, false, &value);
    *shown = (PalSceneKey){
        .name = key->name,
        .value = keep(vocabulary, &value),
        .standard = key->standard != NULL ? key->standard : "",
        .help = key->help,
        .required = key->required,
        .part = key->table != NULL ? key->table->name : NULL,
        .list = (key->values & PAL_VALUE_MAPS) != 0,
    };
    while (pal_key_choice(key, shown->choice_count) != NULL)
        ++shown->choice_count;
    PalChoice *choices =
        pal_tree_alloc(&vocabulary->tree, (size_t)shown->choice_count, sizeof *choices);
    for (int32_t i = 0; i < shown->choice_count && choices != NULL; ++i)
        choices[i] = *pal_key_choice(key, i);
    shown->choices = choices;
    return shown->value != NULL && choices != NULL;
}

static bool add_table(PalVocabulary *vocabulary, const PalKeyTable *table)
{
    if (pal_vocabulary_find(vocabulary, table->name) != NULL)
        return true;
    if (vocabulary->part_count == PAL_PART_MAX)
        return false;
    if (table->material)
        table = pal_material_keys(&vocabulary->tree, table, NULL);
    PalSceneKey *keys =
        table == NULL ? NULL
                      : pal_tree_alloc(&vocabulary->tree, (size_t)table->key_count, sizeof *keys);
    if (keys == NULL)
        return false;
    PalText rule = {0};
    pal_table_rule(table, false, &rule);
    int32_t index = vocabulary->part_count++;
    PalScenePart *part = &vocabulary->parts[index];
    *part = (PalScenePart){.name = table->name,
                           .help = table->help,
                           .rule = keep(vocabulary, &rule),
                           .base = table->base != NULL ? table->base->name : NULL,
                           .key_count = table->key_count,
                           .keys = keys};
    vocabulary->tables[index] = table;
    bool done = part->rule != NULL;
    for (int32_t i = 0; i < table->key_count && done; ++i)
        done = fill_key(vocabulary, &table->keys[i], &keys[i]) &&
               (table->keys[i].table == NULL || add_table(vocabulary, table->keys[i].table));
    return done;
}

PalStatus pal_vocabulary_create(PalVocabulary **result, PalError *error)
{
    PalVocabulary *vocabulary = calloc(1, sizeof *vocabulary);
    if (vocabulary == NULL || !add_table(vocabulary, &pal_scene_keys)) {
        pal_vocabulary_destroy(vocabulary);
        *result = NULL;
        return pal_tree_no_memory(error);
    }
    *result = vocabulary;
    return PAL_OK;
}

void pal_vocabulary_destroy(PalVocabulary *vocabulary)
{
    if (vocabulary == NULL)
        return;
    pal_tree_clear(&vocabulary->tree);
    free(vocabulary);
}

int32_t pal_vocabulary_part_count(const PalVocabulary *vocabulary)
{
    return vocabulary->part_count;
}

const PalScenePart *pal_vocabulary_part(const PalVocabulary *vocabulary, int32_t index)
{
    return index >= 0 && index < vocabulary->part_count ? &vocabulary->parts[index] : NULL;
}

const PalScenePart *pal_vocabulary_find(const PalVocabulary *vocabulary, const char *name)
{
    for (int32_t i = 0; i < vocabulary->part_count; ++i)
        if (strcmp(vocabulary->parts[i].name, name) == 0)
            return &vocabulary->parts[i];
    return NULL;
}
