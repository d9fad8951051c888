// help on what a scene may say: a part of it, a key, or a choice.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_INDENT 4

// Prints help, which marks words of a scene `so`, without these marks.
static void print_help(const char *help, const char *name, int indent)
{
    char text[2000];
    size_t used = 0;
    if (name != NULL)
        used = (size_t)snprintf(text, sizeof text, "%s: ", name);
    for (const char *c = help; *c != '\0' && used + 1 < sizeof text; c++)
        if (*c != '`')
            text[used++] = *c;
    text[used] = '\0';
    printf("%*s", indent, "");
    pal_cli_wrap(text, indent, indent);
}

static void print_key(const PalSceneKey *key)
{
    char head[800];
    snprintf(head, sizeof head, "%s: %s%s%s", key->name, key->value,
             key->required              ? ", required"
             : key->standard[0] != '\0' ? "; by default "
                                        : "",
             key->required ? "" : key->standard);
    printf("  ");
    pal_cli_wrap(head, 2, 2 * KEY_INDENT);
    print_help(key->help, NULL, KEY_INDENT);
    for (int32_t i = 0; i < key->choice_count; i++)
        print_help(key->choices[i].help, key->choices[i].name, KEY_INDENT);
}

static const PalSceneKey *find_key(const PalScenePart *part, const char *name)
{
    for (int32_t i = 0; part != NULL && i < part->key_count; i++)
        if (strcmp(part->keys[i].name, name) == 0)
            return &part->keys[i];
    return NULL;
}

static void print_part(const PalVocabulary *vocabulary, const PalScenePart *part)
{
    bool whole = strcmp(part->name, "scene") == 0;
    printf(whole ? "a %s\n\n" : "%s, in a scene\n\n", part->name);
    print_help(part->help, NULL, 0);
    if (part->base != NULL)
        printf("All keys of a %s, and those below.\n", part->base);
    if (part->rule[0] != '\0') {
        printf("\n");
        pal_cli_wrap(part->rule, 0, 0);
    }
    printf("\nKeys:\n");
    const PalScenePart *base =
        part->base != NULL ? pal_vocabulary_find(vocabulary, part->base) : NULL;
    for (int32_t i = 0; i < part->key_count; i++)
        if (find_key(base, part->keys[i].name) == NULL)
            print_key(&part->keys[i]);
    if (!whole)
        return;
    printf("\n");
    pal_cli_wrap("'palpate help' with one of these words, such as 'palpate help contact', lists "
                 "the keys inside. It also knows shape, place, material, motion and where.",
                 0, 0);
}

// Whether a part has a key of its own by that name, which is not one of another's.
static const PalSceneKey *own_key(const PalVocabulary *vocabulary, const PalScenePart *part,
                                  const char *word)
{
    const PalSceneKey *key = find_key(part, word);
    bool inherited =
        part->base != NULL && find_key(pal_vocabulary_find(vocabulary, part->base), word) != NULL;
    return inherited ? NULL : key;
}

// A key, in every part that has it. False: there is none of that name.
static bool print_keys(const PalVocabulary *vocabulary, const char *word)
{
    bool found = false;
    for (int32_t i = 0; i < pal_vocabulary_part_count(vocabulary); i++) {
        const PalScenePart *part = pal_vocabulary_part(vocabulary, i);
        const PalSceneKey *key = own_key(vocabulary, part, word);
        if (key == NULL)
            continue;
        printf("%s%s, a key of %s\n\n", found ? "\n" : "", word, part->name);
        print_key(key);
        found = true;
    }
    return found;
}

// What else the name of a part means: keys that do not lead to it.
static void print_other_meanings(const PalVocabulary *vocabulary, const PalScenePart *shown)
{
    for (int32_t i = 0; i < pal_vocabulary_part_count(vocabulary); i++) {
        const PalScenePart *part = pal_vocabulary_part(vocabulary, i);
        const PalSceneKey *key = own_key(vocabulary, part, shown->name);
        if (key == NULL || (key->part != NULL && strcmp(key->part, shown->name) == 0))
            continue;
        char text[1200];
        snprintf(text, sizeof text, "%s is also a key of %s: %s. %s", key->name, part->name,
                 key->value, key->help);
        printf("\n");
        print_help(text, NULL, 0);
    }
}

// A word that is the value of a key, for every such key.
static bool print_choice(const PalVocabulary *vocabulary, const char *word)
{
    bool found = false;
    for (int32_t i = 0; i < pal_vocabulary_part_count(vocabulary); i++) {
        const PalScenePart *part = pal_vocabulary_part(vocabulary, i);
        for (int32_t k = 0; k < part->key_count && part->base == NULL; k++)
            for (int32_t c = 0; c < part->keys[k].choice_count; c++)
                if (strcmp(part->keys[k].choices[c].name, word) == 0) {
                    printf("%s%s, for the key %s of %s\n\n", found ? "\n" : "", word,
                           part->keys[k].name, part->name);
                    print_help(part->keys[k].choices[c].help, NULL, 2);
                    found = true;
                }
    }
    return found;
}

// What the parts are called by the lists that hold them, and some words of common use.
static const PalScenePart *find_part(const PalVocabulary *vocabulary, const char *word)
{
    static const char *const others[][2] = {
        {"contacts", "contact"},  {"rigids", "rigid"}, {"instrument", "rigid"},
        {"instruments", "rigid"}, {"scenes", "scene"}, {"solvers", "solver"},
    };
    const PalSceneKey *key = find_key(pal_vocabulary_part(vocabulary, 0), word);
    if (key != NULL && key->part != NULL)
        return pal_vocabulary_find(vocabulary, key->part);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(word, others[i][0]) == 0)
            word = others[i][1];
    return pal_vocabulary_find(vocabulary, word);
}

// Names of parts and of keys that are near to a mistyped word.
static int refuse_word(const PalVocabulary *vocabulary, const char *word)
{
    int32_t part_count = pal_vocabulary_part_count(vocabulary), count = 0, most = part_count;
    for (int32_t i = 0; i < part_count; i++)
        most += pal_vocabulary_part(vocabulary, i)->key_count;
    const char **names = malloc((size_t)most * sizeof *names);
    for (int32_t i = 0; i < part_count && names != NULL; i++) {
        const PalScenePart *part = pal_vocabulary_part(vocabulary, i);
        names[count++] = part->name;
        for (int32_t k = 0; k < part->key_count; k++)
            names[count++] = part->keys[k].name;
    }
    const char *nearest = pal_cli_nearest(word, names, count);
    free(names);
    return nearest != NULL
               ? pal_cli_refuse("no verb or part of a scene is called '%s'; did you mean '%s'?",
                                word, nearest)
               : pal_cli_unknown_verb(word);
}

int pal_cli_help_topic(const char *word)
{
    PalVocabulary *vocabulary = NULL;
    PalError error = {0};
    if (pal_vocabulary_create(&vocabulary, &error) != PAL_OK) {
        pal_cli_refuse("%s", error.text);
        return PAL_EXIT_FAILED;
    }
    int status = PAL_EXIT_DONE;
    const PalScenePart *part = find_part(vocabulary, word);
    if (part != NULL) {
        print_part(vocabulary, part);
        print_other_meanings(vocabulary, part);
    } else if (!print_keys(vocabulary, word) && !print_choice(vocabulary, word)) {
        status = refuse_word(vocabulary, word);
    }
    pal_vocabulary_destroy(vocabulary);
    return status;
}
