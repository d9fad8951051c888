// Every key the reader knows, as lines of text.
#include "scene/keys.h"

#include <stdio.h>
#include <string.h>

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    if (used < size)
        snprintf(text + used, size - used, "%s", more);
}

static void append_words(char *text, size_t size, const char *const *words)
{
    append(text, size, "(");
    for (int32_t i = 0; words[i] != NULL; ++i) {
        append(text, size, i > 0 ? " " : "");
        append(text, size, words[i]);
    }
    append(text, size, ")");
}

void pal_key_describe(const PalKey *key, char *text, size_t size)
{
    static const char *const ranges[] = {"", ">0", ">=0", ">0<=1", ">0<1"};
    char numbers[48];
    text[0] = '\0';
    if (key->values & PAL_VALUE_TEXT)
        append(text, size, " text");
    if (key->values & PAL_VALUE_WORD) {
        append(text, size, " word");
        append_words(text, size, key->words);
    }
    if (key->values & PAL_VALUE_FLAG)
        append(text, size, " flag");
    if (key->values & (PAL_VALUE_NUMBER | PAL_VALUE_WHOLE)) {
        append(text, size, key->values & PAL_VALUE_WHOLE ? " whole" : " number");
        append(text, size, ranges[key->range]);
    }
    if (key->values & PAL_VALUE_NUMBERS) {
        snprintf(numbers, sizeof numbers,
                 key->length > 0           ? " numbers[%d]"
                 : key->length == PAL_NONE ? " numbers"
                                           : " wholes",
                 (int)key->length);
        append(text, size, numbers);
        append(text, size, key->values & PAL_VALUE_NULLS ? "|null" : "");
        append(text, size, ranges[key->range]);
    }
    if (key->values & PAL_VALUE_ROWS) {
        snprintf(numbers, sizeof numbers, " rows[%d]", (int)key->length);
        append(text, size, numbers);
    }
    if (key->values & PAL_VALUE_WORDS) {
        append(text, size, " words");
        append_words(text, size, key->words);
    }
    if (key->values & PAL_VALUE_NAMES) {
        snprintf(numbers, sizeof numbers, " names[%d]", (int)key->length);
        append(text, size, numbers);
    }
    append(text, size, key->values & PAL_VALUE_MAP ? " map" : "");
    append(text, size, key->values & PAL_VALUE_MAPS ? " maps" : "");
    append(text, size, key->required ? " required" : "");
}

static void list_one_of(const char *path, const char *const *names, PalKeyVisit visit,
                        void *context)
{
    if (names[0] == NULL)
        return;
    char line[512];
    snprintf(line, sizeof line, "%s one of", path[0] != '\0' ? path : ".");
    for (int32_t i = 0; i < PAL_ONE_OF_MAX && names[i] != NULL; ++i) {
        append(line, sizeof line, " ");
        append(line, sizeof line, names[i]);
    }
    visit(context, line);
}

static PalStatus list_table(PalTree *tree, const char *path, const PalKeyTable *table,
                            PalKeyVisit visit, void *context)
{
    if (table->material) {
        table = pal_material_keys(tree, table, NULL);
        if (table == NULL)
            return PAL_NO_MEMORY;
    }
    for (size_t i = 0; i < sizeof table->one_of / sizeof *table->one_of; ++i)
        list_one_of(path, table->one_of[i], visit, context);
    for (int32_t i = 0; i < table->key_count; ++i) {
        const PalKey *key = &table->keys[i];
        char below[160], values[256], line[512];
        snprintf(below, sizeof below, "%s%s%s", path, path[0] != '\0' ? "." : "", key->name);
        pal_key_describe(key, values, sizeof values);
        snprintf(line, sizeof line, "%s%s", below, values);
        visit(context, line);
        if (key->table != NULL)
            PAL_TRY(list_table(tree, below, key->table, visit, context));
    }
    return PAL_OK;
}

PalStatus pal_keys_list(PalTree *tree, PalKeyVisit visit, void *context)
{
    return list_table(tree, "", &pal_scene_keys, visit, context);
}
