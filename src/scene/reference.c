// Every key of a scene as a page of Markdown.
#include "scene/vocabulary.h"

#include <string.h>

// Text in a cell of a table.
static void add_cell(PalText *text, const char *words)
{
    for (; *words != '\0'; ++words) {
        if (*words == '|')
            pal_text_add(text, "\\");
        pal_text_put(text, words, 1);
    }
}

static void add_key(PalText *text, const PalKey *key)
{
    pal_text_print(text, "| `%s` | ", key->name);
    pal_key_value(key, true, text);
    if (key->required)
        pal_text_add(text, " | **required** | ");
    else
        pal_text_print(text, key->standard != NULL ? " | `%s` | " : " | %s | ",
                       key->standard != NULL ? key->standard : "");
    add_cell(text, key->help);
    const PalChoice *choice;
    for (int32_t i = 0; (choice = pal_key_choice(key, i)) != NULL; ++i) {
        pal_text_print(text, "<br>`%s`: ", choice->name);
        add_cell(text, choice->help);
    }
    if (key->rows_help != NULL) {
        pal_text_add(text, "<br>A list: ");
        add_cell(text, key->rows_help);
    }
    pal_text_add(text, " |\n");
}

static void add_section(PalText *text, const PalKeyTable *table, const PalKeyTable *base)
{
    pal_text_print(text, "\n## %s\n\n%s", table->name, table->help);
    if (base != NULL)
        pal_text_print(text, " All keys of a [%s](#%s), and:", base->name, base->name);
    PalText rule = {0};
    pal_table_rule(table, true, &rule);
    if (rule.length > 0) {
        pal_text_add(text, "\n\n");
        pal_text_put(text, rule.data, rule.length);
    }
    text->no_memory = text->no_memory || rule.no_memory;
    pal_text_clear(&rule);
    pal_text_add(text, "\n\n| key | value | default | meaning |\n|---|---|---|---|\n");
    for (int32_t i = 0; i < table->key_count; ++i)
        if (base == NULL || pal_key_find(base, table->keys[i].name) == NULL)
            add_key(text, &table->keys[i]);
}

// The part whose keys this one has as well, with those of all laws; NULL: none.
static const PalKeyTable *base_of(const PalVocabulary *vocabulary, int32_t index)
{
    const PalKeyTable *base = vocabulary->tables[index]->base;
    for (int32_t i = 0; i < vocabulary->part_count && base != NULL; ++i)
        if (strcmp(vocabulary->parts[i].name, base->name) == 0)
            return vocabulary->tables[i];
    return NULL;
}

char *pal_vocabulary_reference(const PalVocabulary *vocabulary)
{
    PalText text = {0};
    pal_text_add(
        &text,
        "# Scene reference\n\nThis page lists every key of a scene; `palpate help --reference` "
        "writes it. The unit of a number is in brackets. With `scene.schema.json` (`palpate help "
        "--schema`), editors can check a scene as it is typed.\n");
    for (int32_t i = 0; i < vocabulary->part_count; ++i)
        add_section(&text, vocabulary->tables[i], base_of(vocabulary, i));
    return pal_text_take(&text);
}
