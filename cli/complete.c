// help --complete: what a shell may offer for the word that is being typed. Verbs and options come
// from their tables, the rest from what a scene may say.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void offer(const char *word, const char *help)
{
    printf("%s\t%s\n", word, help);
}

static void offer_scene_files(void)
{
    const char *ending;
    printf(":files");
    for (int32_t i = 0; (ending = pal_scene_extension(i)) != NULL; i++)
        printf(" %s", ending);
    printf("\n");
}

static void offer_verbs(void)
{
    for (int32_t i = 0; i < pal_cli_verb_count; i++)
        offer(pal_cli_verbs[i].name, pal_cli_verbs[i].summary);
}

static bool takes(const PalCliVerb *verb, const PalCliOption *option)
{
    return ((verb->options | PAL_CLI_HELP) & option->bit) != 0;
}

static void offer_options(const PalCliVerb *verb)
{
    for (int32_t i = 0; i < pal_cli_option_count; i++) {
        char word[64];
        snprintf(word, sizeof word, "--%s", pal_cli_options[i].name);
        if (takes(verb, &pal_cli_options[i]))
            offer(word, pal_cli_options[i].help);
    }
}

// ---- PATH=VALUE of --set ------------------------------------------------------------------------

// Words after the equal sign: what the key may be.
static void offer_values(const PalSceneKey *key, const char *path, int length)
{
    char word[400];
    for (int32_t i = 0; i < key->choice_count; i++) {
        snprintf(word, sizeof word, "%.*s=%s", length, path, key->choices[i].name);
        offer(word, key->choices[i].help);
    }
    for (int i = 0; i < 2 && strcmp(key->value, "true or false") == 0; i++) {
        snprintf(word, sizeof word, "%.*s=%s", length, path, i == 0 ? "true" : "false");
        offer(word, "");
    }
}

// The keys of a part, below the path so far; those with parts below them end with a dot.
static void offer_keys(const PalScenePart *part, const char *path, int length)
{
    char word[400];
    for (int32_t i = 0; i < part->key_count; i++) {
        const PalSceneKey *key = &part->keys[i];
        snprintf(word, sizeof word, "%.*s%s%s", length, path, key->name,
                 key->part == NULL ? "="
                 : key->list       ? ".0."
                                   : ".");
        offer(word, key->help);
    }
}

// Entries of a list, whose length is the scene's to tell.
static void offer_entries(const char *path, int length)
{
    char word[400];
    for (int i = 0; i < 10; i++) {
        snprintf(word, sizeof word, "%.*s%d.", length, path, i);
        offer(word, i == 0 ? "the first; a name does as well, where entries have one" : "");
    }
}

static void offer_changes(const PalVocabulary *vocabulary, const char *path)
{
    const PalScenePart *part = pal_vocabulary_part(vocabulary, 0);
    const char *at = path;
    bool list = false;  // an index or a name comes next
    while (part != NULL) {
        size_t length = strcspn(at, ".=");
        if (at[length] == '\0') {
            if (list)
                offer_entries(path, (int)(at - path));
            else
                offer_keys(part, path, (int)(at - path));
            return;
        }
        const PalSceneKey *key = NULL;
        for (int32_t i = 0; i < part->key_count && !list; i++)
            if (strlen(part->keys[i].name) == length &&
                strncmp(part->keys[i].name, at, length) == 0)
                key = &part->keys[i];
        if (key != NULL && at[length] == '=') {
            offer_values(key, path, (int)(at + length - path));
            return;
        }
        if (key == NULL && !list)
            return;
        part = list ? part : key->part == NULL ? NULL : pal_vocabulary_find(vocabulary, key->part);
        list = !list && key->list;
        at += length + 1;
    }
}

// ---- values and operands
// --------------------------------------------------------------------------

static void offer_value(const PalCliOption *option, const PalVocabulary *vocabulary,
                        const char *current)
{
    const char *word;
    for (int32_t i = 0; option->word != NULL && (word = option->word(i)) != NULL; i++)
        offer(word, "");
    if (option->bit == PAL_CLI_OUTPUT)
        printf(":folders\n");
    if (option->bit == PAL_CLI_SET)
        offer_changes(vocabulary, current);
    long cores = option->bit == PAL_CLI_THREADS ? sysconf(_SC_NPROCESSORS_ONLN) : 0;
    for (long n = 1; n <= cores; n++)
        printf("%ld\t\n", n);
}

// `first`: nothing stands between the verb and the word.
static void offer_operand(const PalCliVerb *verb, const PalVocabulary *vocabulary, bool first)
{
    if (strcmp(verb->operands, "SCENE") == 0)
        offer_scene_files();
    else if (verb->run == pal_cli_demo)
        pal_cli_offer_demos(offer);
    else if (verb->run == pal_cli_reproduce)
        pal_cli_offer_experiments(offer);
    else if (verb->run == pal_cli_vademecum && first)
        for (int32_t i = 0; i < pal_cli_vademecum_task_count; i++)
            offer(pal_cli_vademecum_tasks[i].name, pal_cli_vademecum_tasks[i].summary);
    else if (strcmp(verb->operands, "[LAW]") == 0)
        for (int32_t i = 0; i < pal_law_count(); i++)
            offer(pal_law_name(pal_law_at(i)), pal_law_summary(pal_law_at(i)));
    else if (strcmp(verb->operands, "[WORD]") == 0) {
        offer_verbs();
        for (int32_t i = 0; i < pal_vocabulary_part_count(vocabulary); i++)
            offer(pal_vocabulary_part(vocabulary, i)->name,
                  pal_vocabulary_part(vocabulary, i)->help);
    } else if (verb->run_raw == NULL)
        printf(":files\n");
}

// The option a word names, if a value must follow it.
static const PalCliOption *find_option(const PalCliVerb *verb, const char *word)
{
    for (int32_t i = 0; i < pal_cli_option_count; i++) {
        const PalCliOption *option = &pal_cli_options[i];
        bool named = word[0] == '-' && (word[1] == '-' ? strcmp(word + 2, option->name) == 0
                                                       : word[1] == option->letter && word[2] == 0);
        if (named && option->value != NULL && takes(verb, option))
            return option;
    }
    return NULL;
}

int pal_cli_complete(int count, char **words)
{
    if (count <= 1) {
        offer_verbs();
        offer("--help", "explain palpate");
        offer("--version", "print the version");
        return PAL_EXIT_DONE;
    }
    const PalCliVerb *verb = pal_cli_verb_find(words[0]);
    const char *current = words[count - 1];
    PalVocabulary *vocabulary = NULL;
    PalError error = {0};
    if (verb == NULL || pal_vocabulary_create(&vocabulary, &error) != PAL_OK)
        return PAL_EXIT_DONE;  // nothing to offer
    const PalCliOption *option = count > 2 ? find_option(verb, words[count - 2]) : NULL;
    if (option != NULL)
        offer_value(option, vocabulary, current);
    else if (current[0] == '-')
        offer_options(verb);
    else
        offer_operand(verb, vocabulary, count == 2);
    pal_vocabulary_destroy(vocabulary);
    return PAL_EXIT_DONE;
}
