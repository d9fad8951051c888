#include "scene/keys.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const PalKey *pal_key_find(const PalKeyTable *table, const char *name)
{
    for (int32_t i = 0; i < table->key_count; ++i)
        if (strcmp(table->keys[i].name, name) == 0)
            return &table->keys[i];
    return NULL;
}

const PalChoice *pal_key_choice(const PalKey *key, int32_t index)
{
    if (key->choice != NULL)
        return key->choice(index);
    return index >= 0 && index < key->listed_count ? &key->listed[index] : NULL;
}

const PalKey *pal_key_one_of(const PalKeyTable *table, int32_t one_of, int32_t index)
{
    for (int32_t i = 0; i < table->key_count; ++i)
        if (table->keys[i].one_of == one_of && index-- == 0)
            return &table->keys[i];
    return NULL;
}

int32_t pal_key_given(const PalTreeNode *map, const PalKeyTable *table, int32_t one_of)
{
    const PalKey *key;
    for (int32_t i = 0; (key = pal_key_one_of(table, one_of, i)) != NULL; ++i)
        if (pal_tree_get(map, key->name) != NULL)
            return i;
    return PAL_NONE;
}

// ---- what laws add ------------------------------------------------------------------------------

int32_t pal_law_vector_first(const PalMaterialLaw *law, int32_t index)
{
    for (int32_t first = index > 2 ? index - 2 : 0; first <= index; ++first)
        if (pal_law_vector_stem(law, first) > 0)
            return first;
    return PAL_NONE;
}

// Where a law has a key's parameter, or PAL_NONE.
static int32_t parameter_of(const PalMaterialLaw *law, const char *key)
{
    for (int32_t i = 0; i < pal_law_parameter_count(law); ++i) {
        const char *name = pal_law_parameter(law, i)->name;
        size_t stem = pal_law_vector_stem(law, i), length = stem > 0 ? stem : strlen(name);
        if (strlen(key) == length && strncmp(key, name, length) == 0)
            return i;
        i += stem > 0 ? 2 : 0;
    }
    return PAL_NONE;
}

typedef struct Sentence {
    char text[1000];
} Sentence;

static void add(Sentence *sentence, const char *text)
{
    size_t used = strlen(sentence->text);
    snprintf(sentence->text + used, sizeof sentence->text - used, "%s", text);
}

static const char *finish(PalTree *tree, Sentence *sentence)
{
    sentence->text[0] = (char)toupper((unsigned char)sentence->text[0]);
    return pal_tree_text(tree, sentence->text, strlen(sentence->text));
}

// What a parameter means: in the first law that has it, then in those where it means another thing.
static const char *parameter_help(PalTree *tree, const char *key)
{
    Sentence help = {""}, laws = {""};
    const char *meaning = NULL;
    int32_t others = 0, count = 0;
    for (int32_t l = 0; l < pal_law_count(); ++l) {
        const PalMaterialLaw *law = pal_law_at(l);
        int32_t index = parameter_of(law, key);
        if (index == PAL_NONE)
            continue;
        add(&laws, count++ > 0 ? ", " : "");
        add(&laws, pal_law_name(law));
        const char *here = pal_law_parameter(law, index)->meaning;
        if (meaning == NULL) {
            add(&help, pal_law_vector_stem(law, index) > 0 ? "direction " : "");
            add(&help, meaning = here);
        } else if (strcmp(here, meaning) != 0) {
            add(&help, others++ > 0 ? "; " : " (");
            add(&help, pal_law_name(law));
            add(&help, ": ");
            add(&help, here);
        }
    }
    add(&help, others > 0 ? "). Laws: " : ". Laws: ");
    add(&help, count == pal_law_count() ? "all laws" : laws.text);
    add(&help, ".");
    return finish(tree, &help);
}

// The range in all laws that have the parameter.
static PalRange parameter_range(const char *key)
{
    PalRange range = PAL_RANGE_ANY;
    bool first = true;
    for (int32_t l = 0; l < pal_law_count(); ++l) {
        int32_t index = parameter_of(pal_law_at(l), key);
        if (index == PAL_NONE)
            continue;
        const PalLawParameter *parameter = pal_law_parameter(pal_law_at(l), index);
        PalRange here = parameter->lowest != 0    ? PAL_RANGE_ANY
                        : parameter->above_lowest ? PAL_RANGE_POSITIVE
                                                  : PAL_RANGE_NOT_NEGATIVE;
        range = first || here == range ? here : PAL_RANGE_ANY;
        first = false;
    }
    return range;
}

// Adds the keys of one law; with help where `help` is set.
static bool add_law_keys(PalTree *tree, PalKeyTable *table, PalKey *keys, const PalMaterialLaw *law,
                         bool help)
{
    for (int32_t i = 0; i < pal_law_parameter_count(law); ++i) {
        const char *name = pal_law_parameter(law, i)->name;
        size_t stem = pal_law_vector_stem(law, i);
        PalKey key = {.name = name, .values = PAL_VALUE_NUMBER};
        if (stem > 0) {
            key = (PalKey){.values = PAL_VALUE_NUMBERS, .length = 3};
            key.name = pal_tree_text(tree, name, stem);
            if (key.name == NULL)
                return false;
            i += 2;
        }
        if (pal_key_find(table, key.name) != NULL)
            continue;
        if (help && (key.help = parameter_help(tree, key.name)) == NULL)
            return false;
        if (help && stem == 0)
            key.range = parameter_range(key.name);
        keys[table->key_count++] = key;
    }
    return true;
}

// What a law is and what it takes.
static const char *law_help(PalTree *tree, const PalMaterialLaw *law)
{
    Sentence help = {""};
    add(&help, pal_law_summary(law));
    add(&help, ". Takes ");
    for (int32_t i = 0; i < pal_law_parameter_count(law); ++i) {
        const PalLawParameter *parameter = pal_law_parameter(law, i);
        size_t stem = pal_law_vector_stem(law, i);
        char name[64];
        snprintf(name, sizeof name, "%.*s", stem > 0 ? (int)stem : (int)sizeof name - 1,
                 parameter->name);
        add(&help, i > 0 ? ", " : "");
        add(&help, name);
        add(&help, parameter->optional ? " (optional)" : "");
        i += stem > 0 ? 2 : 0;
    }
    if (parameter_of(law, "shear") != PAL_NONE && parameter_of(law, "bulk") != PAL_NONE)
        add(&help, "; young and poisson may be given instead of shear and bulk");
    add(&help, ".");
    return finish(tree, &help);
}

static bool list_laws(PalTree *tree, PalKey *key, bool help)
{
    int32_t count = pal_law_count();
    PalChoice *choices = pal_tree_alloc(tree, (size_t)count, sizeof *choices);
    if (choices == NULL)
        return false;
    for (int32_t i = 0; i < count; ++i) {
        const PalMaterialLaw *law = pal_law_at(i);
        choices[i].name = pal_law_name(law);
        choices[i].help = help ? law_help(tree, law) : pal_law_summary(law);
        if (choices[i].help == NULL)
            return false;
    }
    key->listed = choices;
    key->listed_count = count;
    return true;
}

const PalKeyTable *pal_material_keys(PalTree *tree, const PalKeyTable *table,
                                     const PalMaterialLaw *law)
{
    int32_t law_count = law != NULL ? 1 : pal_law_count();
    size_t most = (size_t)table->key_count + (size_t)law_count * PAL_LAW_PARAMETER_MAX;
    PalKeyTable *all = pal_tree_alloc(tree, 1, sizeof *all);
    PalKey *keys = pal_tree_alloc(tree, most, sizeof *keys);
    if (all == NULL || keys == NULL)
        return NULL;
    *all = *table;
    all->keys = keys;
    all->material = false;
    memcpy(keys, table->keys, (size_t)table->key_count * sizeof *keys);
    for (int32_t i = 0; i < all->key_count; ++i)
        if (strcmp(keys[i].name, "law") == 0 && !list_laws(tree, &keys[i], law == NULL))
            return NULL;
    for (int32_t i = 0; i < law_count; ++i)
        if (!add_law_keys(tree, all, keys, law != NULL ? law : pal_law_at(i), law == NULL))
            return NULL;
    return all;
}
