// The first pass over a scene: does every value have the form its key asks for?
#include "scene/keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Characters to insert, remove, replace or swap to get from one word to the other.
static int32_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    size_t m = strlen(a), n = strlen(b);
    if (m >= LONGEST || n >= LONGEST)
        return LONGEST;
    int32_t d[LONGEST][LONGEST];
    for (size_t i = 0; i <= m; ++i)
        d[i][0] = (int32_t)i;
    for (size_t j = 0; j <= n; ++j)
        d[0][j] = (int32_t)j;
    for (size_t i = 1; i <= m; ++i)
        for (size_t j = 1; j <= n; ++j) {
            int32_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[m][n];
}

static void append(PalAdvice *advice, const char *text)
{
    size_t used = strlen(advice->text);
    snprintf(advice->text + used, sizeof advice->text - used, "%s", text);
}

// The known name that `name` looks like, at most one character in three being different.
static const char *nearest(const char *name, const char *const *known, int32_t count)
{
    const char *best = NULL;
    int32_t shortest = (int32_t)strlen(name) / 3;
    for (int32_t i = 0; i < count; ++i) {
        int32_t distance = edit_distance(name, known[i]);
        if (distance < shortest || (distance == shortest && best == NULL && distance > 0)) {
            shortest = distance;
            best = known[i];
        }
    }
    return best;
}

PalAdvice pal_advise(const char *name, const char *const *known, int32_t count)
{
    PalAdvice advice = {""};
    const char *alike = nearest(name, known, count);
    if (alike != NULL) {
        append(&advice, "did you mean ");
        append(&advice, pal_quoted(alike).text);
        append(&advice, "?");
        return advice;
    }
    if (count == 0) {
        append(&advice, "expected none: there are none");
        return advice;
    }
    enum { MOST = 24 };
    append(&advice, "expected ");
    for (int32_t i = 0; i < count && i < MOST; ++i) {
        append(&advice, i == 0 ? "" : i == count - 1 ? " or " : ", ");
        PalQuoted name_shown = pal_quoted(known[i]);
        name_shown.text[strlen(name_shown.text) - 1] = '\0';
        append(&advice, name_shown.text + 1);
    }
    if (count > MOST)
        append(&advice, ", ...");
    return advice;
}

enum { WORDS_MAX = 64 };

// The words a key takes; returns how many.
static int32_t take_words(const PalKey *key, const char *words[WORDS_MAX])
{
    int32_t count = 0;
    const PalChoice *choice;
    for (; count < WORDS_MAX && (choice = pal_key_choice(key, count)) != NULL; ++count)
        words[count] = choice->name;
    return count;
}

PalStatus pal_keys_unknown(const PalTree *tree, const PalTreeItem *item, const PalKeyTable *table,
                           PalError *error)
{
    const char *known[WORDS_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < table->key_count && count < WORDS_MAX; ++i)
        known[count++] = table->keys[i].name;
    return pal_tree_fail_at(tree, item, error, "unknown key %s in %s, %s",
                            pal_quoted(item->key).text, table->what,
                            pal_advise(item->key, known, count).text);
}

// ---- what was found, and what was expected, in words ---------------------------------------

static void describe_found(const PalTreeNode *node, char *text, size_t size)
{
    if (node->kind == PAL_TREE_MAP)
        snprintf(text, size, "a map");
    else if (node->kind == PAL_TREE_LIST)
        snprintf(text, size, "a list of %d", (int)node->count);
    else if (pal_tree_is_null(node))
        snprintf(text, size, "nothing");
    else if (node->quoted)
        snprintf(text, size, "the text %s", pal_quoted(node->text).text);
    else if (node->is_number && *node->text == '\0')  // not from a file of ours
        snprintf(text, size, "%g", node->number);
    else if (node->is_number && strlen(node->text) < 32)
        snprintf(text, size, "%s", node->text);
    else
        snprintf(text, size, "%s", pal_quoted(node->text).text);
}

static const char *range_words(PalRange range)
{
    static const char *const words[] = {"", " above 0", " of 0 or more", " above 0 and at most 1",
                                        " between 0 and 1"};
    return words[range];
}

static void expect(PalAdvice *advice, const char *format, const PalKey *key)
{
    char text[160];
    if (advice->text[0] != '\0')
        append(advice, " or ");
    snprintf(text, sizeof text, format, (int)key->length);
    append(advice, text);
}

static PalAdvice describe_expected(const PalKey *key)
{
    PalAdvice advice = {""};
    if (key->values & PAL_VALUE_TEXT)
        expect(&advice, "text", key);
    if (key->values & PAL_VALUE_WORD) {
        const char *words[WORDS_MAX];
        int32_t count = take_words(key, words);
        for (int32_t i = 0; i < count; ++i) {
            append(&advice, i == 0 ? "" : i == count - 1 ? " or " : ", ");
            append(&advice, words[i]);
        }
    }
    if (key->values & PAL_VALUE_FLAG)
        expect(&advice, "true or false", key);
    if (key->values & (PAL_VALUE_NUMBER | PAL_VALUE_WHOLE)) {
        expect(&advice, key->values & PAL_VALUE_WHOLE ? "a whole number" : "a number", key);
        append(&advice, range_words(key->range));
    }
    if (key->values & PAL_VALUE_NUMBERS) {
        expect(&advice,
               key->length == 0          ? "a list of up to three whole numbers"
               : key->length == PAL_NONE ? "a list of numbers"
                                         : "a list of %d numbers",
               key);
        append(&advice, key->length == 0 ? "" : range_words(key->range));
        append(&advice, key->values & PAL_VALUE_NULLS ? " or nulls" : "");
    }
    if (key->values & PAL_VALUE_ROWS)
        expect(&advice, "a list of lists of %d numbers", key);
    if (key->values & PAL_VALUE_WORDS)
        expect(&advice, "a list of words", key);
    if (key->values & PAL_VALUE_NAMES)
        expect(&advice, "a list of %d names", key);
    if (key->values & PAL_VALUE_MAP)
        expect(&advice, "a map", key);
    if (key->values & PAL_VALUE_MAPS)
        expect(&advice, "a list of maps", key);
    return advice;
}

// "0,5": somebody's decimal comma.
static bool has_comma(const PalTreeNode *node)
{
    const char *text = node->kind == PAL_TREE_SCALAR ? node->text : NULL;
    size_t whole = text != NULL ? strspn(text, "+-0123456789") : 0;
    return whole > 0 && text[whole] == ',' && text[whole + 1] != '\0' &&
           strspn(text + whole + 1, "0123456789eE+-") == strlen(text + whole + 1);
}

static PalStatus wrong_form(const PalTree *tree, const PalTreeNode *node, const PalKey *key,
                            PalError *error)
{
    char found[80];
    describe_found(node, found, sizeof found);
    bool comma = key->values & PAL_VALUE_NUMBER && has_comma(node);
    return pal_tree_fail(tree, node, error, "%s is %s, expected %s%s", key->name, found,
                         describe_expected(key).text,
                         comma ? "; decimals come after a point, not a comma" : "");
}

// ---- numbers and words -----------------------------------------------------------------------

static bool in_range(double number, PalRange range)
{
    switch (range) {
    case PAL_RANGE_ANY:
        return true;
    case PAL_RANGE_POSITIVE:
        return number > 0;
    case PAL_RANGE_NOT_NEGATIVE:
        return number >= 0;
    case PAL_RANGE_FRACTION:
        return number > 0 && number <= 1;
    case PAL_RANGE_BELOW_ONE:
        return number > 0 && number < 1;
    }
    return false;
}

static PalStatus check_number(const PalTree *tree, PalTreeNode *node, const PalKey *key, bool whole,
                              PalError *error)
{
    if (!pal_tree_read_number(node))
        return wrong_form(tree, node, key, error);
    if (!isfinite(node->number))
        return pal_tree_fail(tree, node, error, "%s is %s, expected a finite number", key->name,
                             pal_quoted(node->text).text);
    if (!in_range(node->number, key->range))
        return wrong_form(tree, node, key, error);
    if (whole && (node->number != floor(node->number) || fabs(node->number) > 1e15))
        return wrong_form(tree, node, key, error);
    return PAL_OK;
}

static PalStatus check_numbers(const PalTree *tree, PalTreeNode *list, const PalKey *key,
                               PalError *error)
{
    bool right = key->length > 0
                     ? list->count == key->length
                     : list->count >= 1 && (key->length == PAL_NONE || list->count <= 3);
    if (!right)
        return wrong_form(tree, list, key, error);
    char name[128];
    const PalKey one = {.name = name,
                        .values = key->length == 0 ? PAL_VALUE_WHOLE : PAL_VALUE_NUMBER,
                        .range = key->range};
    for (int32_t i = 0; i < list->count; ++i) {
        PalTreeNode *entry = list->items[i].value;
        if (key->values & PAL_VALUE_NULLS && pal_tree_is_null(entry))
            continue;
        snprintf(name, sizeof name, "entry %d of %s", (int)i + 1, key->name);
        PAL_TRY(check_number(tree, entry, &one, key->length == 0, error));
    }
    return PAL_OK;
}

static PalStatus check_rows(const PalTree *tree, PalTreeNode *list, const PalKey *key,
                            PalError *error)
{
    const PalKey row = {.name = key->name, .values = PAL_VALUE_NUMBERS, .length = key->length};
    if (list->count < 2)
        return pal_tree_fail(tree, list, error, "%s is a list of %d, expected at least two",
                             key->name, (int)list->count);
    for (int32_t i = 0; i < list->count; ++i) {
        PalTreeNode *entry = list->items[i].value;
        if (entry->kind != PAL_TREE_LIST)
            return pal_tree_fail(tree, entry, error,
                                 "entry %d of %s is not a list, expected a list of %d numbers",
                                 (int)i + 1, key->name, (int)key->length);
        PAL_TRY(check_numbers(tree, entry, &row, error));
    }
    return PAL_OK;
}

static PalStatus check_word(const PalTree *tree, const PalTreeNode *node, const PalKey *key,
                            PalError *error)
{
    for (int32_t i = 0; key->later_words != NULL && key->later_words[i] != NULL; ++i)
        if (strcmp(node->text, key->later_words[i]) == 0)
            return pal_tree_fail(tree, node, error,
                                 "this version of palpate has no %s %s yet, expected %s", key->name,
                                 node->text, describe_expected(key).text);
    const char *words[WORDS_MAX];
    int32_t count = take_words(key, words);
    for (int32_t i = 0; i < count; ++i)
        if (strcmp(node->text, words[i]) == 0)
            return PAL_OK;
    bool only_words = key->values == PAL_VALUE_WORD || key->values == PAL_VALUE_WORDS;
    bool names = (key->values & PAL_VALUE_NAMES) != 0;  // which may be like a word
    if (!only_words && (names || nearest(node->text, words, count) == NULL))
        return wrong_form(tree, node, key, error);
    return pal_tree_fail(tree, node, error, "%s is %s, %s", key->name, pal_quoted(node->text).text,
                         pal_advise(node->text, words, count).text);
}

static PalStatus check_words(const PalTree *tree, PalTreeNode *list, const PalKey *key,
                             PalError *error)
{
    for (int32_t i = 0; i < list->count; ++i) {
        const PalTreeNode *entry = list->items[i].value;
        if (entry->kind != PAL_TREE_SCALAR)
            return wrong_form(tree, entry, key, error);
        PAL_TRY(check_word(tree, entry, key, error));
        for (int32_t j = 0; j < i; ++j)
            if (strcmp(list->items[j].value->text, entry->text) == 0)
                return pal_tree_fail(tree, entry, error, "%s has %s twice, expected it once",
                                     key->name, entry->text);
    }
    return PAL_OK;
}

// ---- values and maps -------------------------------------------------------------------------

static PalStatus check_scalar(const PalTree *tree, PalTreeNode *node, const PalKey *key,
                              PalError *error)
{
    bool number = pal_tree_read_number(node);
    if (number && key->values & (PAL_VALUE_NUMBER | PAL_VALUE_WHOLE))
        return check_number(tree, node, key, (key->values & PAL_VALUE_WHOLE) != 0, error);
    if (pal_tree_is_null(node))
        return wrong_form(tree, node, key, error);
    if (key->values & PAL_VALUE_TEXT) {
        node->is_number = false;  // a name may look like a number
        return *node->text != '\0'
                   ? PAL_OK
                   : pal_tree_fail(tree, node, error, "%s is empty, expected some text", key->name);
    }
    if (key->values & PAL_VALUE_WORD)
        return check_word(tree, node, key, error);
    if (key->values & PAL_VALUE_FLAG && !node->quoted &&
        (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0))
        return PAL_OK;
    return wrong_form(tree, node, key, error);
}

static PalStatus check_names(const PalTree *tree, PalTreeNode *list, const PalKey *key,
                             PalError *error)
{
    if (list->count != key->length)
        return wrong_form(tree, list, key, error);
    char name[128];
    const PalKey one = {.name = name, .values = PAL_VALUE_TEXT};
    for (int32_t i = 0; i < list->count; ++i) {
        PalTreeNode *entry = list->items[i].value;
        snprintf(name, sizeof name, "entry %d of %s", (int)i + 1, key->name);
        if (entry->kind != PAL_TREE_SCALAR)
            return wrong_form(tree, entry, &one, error);
        PAL_TRY(check_scalar(tree, entry, &one, error));
    }
    return PAL_OK;
}

static PalStatus check_maps(PalTree *tree, PalTreeNode *list, const PalKey *key, PalError *error)
{
    for (int32_t i = 0; i < list->count; ++i) {
        PalTreeNode *entry = list->items[i].value;
        if (entry->kind != PAL_TREE_MAP) {
            char found[80];
            describe_found(entry, found, sizeof found);
            return pal_tree_fail(tree, entry, error, "entry %d of %s is %s, expected a map",
                                 (int)i + 1, key->name, found);
        }
        PAL_TRY(pal_keys_check(tree, entry, key->table, error));
    }
    return PAL_OK;
}

static PalStatus check_value(PalTree *tree, PalTreeNode *node, const PalKey *key, PalError *error)
{
    if (node->kind == PAL_TREE_SCALAR)
        return check_scalar(tree, node, key, error);
    if (node->kind == PAL_TREE_MAP)
        return key->values & PAL_VALUE_MAP ? pal_keys_check(tree, node, key->table, error)
                                           : wrong_form(tree, node, key, error);
    if (key->values & PAL_VALUE_MAPS)
        return check_maps(tree, node, key, error);
    if (key->values & PAL_VALUE_WORDS)
        return check_words(tree, node, key, error);
    if (key->values & PAL_VALUE_NAMES)
        return check_names(tree, node, key, error);
    if (key->values & PAL_VALUE_ROWS)
        return check_rows(tree, node, key, error);
    if (key->values & PAL_VALUE_NUMBERS)
        return check_numbers(tree, node, key, error);
    return wrong_form(tree, node, key, error);
}

// The one that came later: from a change, or further down in the file.
static const PalTreeItem *later_item(const PalTreeItem *a, const PalTreeItem *b)
{
    if (a->value->origin != NULL || b->value->origin != NULL)
        return b->value->origin != NULL ? b : a;
    return b->line > a->line || (b->line == a->line && b->column > a->column) ? b : a;
}

// Of the keys with this number exactly one must be given.
static PalStatus check_one_of(const PalTree *tree, const PalTreeNode *map, const PalKeyTable *table,
                              int32_t one_of, PalError *error)
{
    const PalTreeItem *given = NULL;
    const char *names[WORDS_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < table->key_count && count < WORDS_MAX; ++i) {
        if (table->keys[i].one_of != one_of)
            continue;
        const PalTreeItem *item = pal_tree_find(map, table->keys[i].name);
        if (item != NULL && given != NULL)
            return pal_tree_fail_at(tree, later_item(given, item), error,
                                    "both %s and %s in %s, expected one of them", given->key,
                                    item->key, table->what);
        given = item != NULL ? item : given;
        names[count++] = table->keys[i].name;
    }
    if (count == 0 || given != NULL)
        return PAL_OK;
    PalAdvice list = {""};
    for (int32_t i = 0; i < count; ++i) {
        append(&list, i == 0 ? "" : i == count - 1 ? " and " : ", ");
        append(&list, names[i]);
    }
    return pal_tree_fail(tree, map, error, "%s with none of %s, expected one of them", table->what,
                         list.text);
}

static PalStatus check_presence(const PalTree *tree, const PalTreeNode *map,
                                const PalKeyTable *table, PalError *error)
{
    for (int32_t i = 0; i < table->key_count; ++i)
        if (table->keys[i].required && pal_tree_find(map, table->keys[i].name) == NULL)
            return pal_tree_fail(tree, map, error, "%s without %s, expected %s: %s", table->what,
                                 table->keys[i].name, table->keys[i].name,
                                 describe_expected(&table->keys[i]).text);
    for (int32_t one_of = 1; one_of <= PAL_ONE_OF_MAX; ++one_of)
        PAL_TRY(check_one_of(tree, map, table, one_of, error));
    const char *const *pair = table->not_both;
    if (pair[0] != NULL && pal_tree_find(map, pair[0]) != NULL &&
        pal_tree_find(map, pair[1]) != NULL)
        return pal_tree_fail_at(tree, pal_tree_find(map, pair[1]), error,
                                "both %s and %s in %s, expected one of them", pair[0], pair[1],
                                table->what);
    return PAL_OK;
}

// The law decides which other keys there may be, so it is looked at first.
static PalStatus find_material_table(PalTree *tree, const PalTreeNode *map,
                                     const PalKeyTable **table, PalError *error)
{
    PalTreeNode *law = pal_tree_get(map, "law");
    const PalMaterialLaw *found =
        law != NULL && law->kind == PAL_TREE_SCALAR ? pal_law_find(law->text) : NULL;
    *table = pal_material_keys(tree, *table, found);
    if (*table == NULL)
        return pal_tree_no_memory(error);
    if (law == NULL)
        return check_presence(tree, map, *table, error);
    return found != NULL ? PAL_OK : check_value(tree, law, pal_key_find(*table, "law"), error);
}

// Gives keys with a name of earlier their present one.
static PalStatus rename_older(const PalTree *tree, PalTreeNode *map, const PalKeyTable *table,
                              PalError *error)
{
    for (int32_t k = 0; k < table->key_count; ++k) {
        const PalKey *key = &table->keys[k];
        for (int32_t i = 0; key->older != NULL && i < map->count; ++i) {
            PalTreeItem *item = &map->items[i];
            if (strcmp(item->key, key->older) != 0)
                continue;
            if (pal_tree_find(map, key->name) != NULL)
                return pal_tree_fail_at(tree, item, error,
                                        "both %s and %s, its name of earlier, expected %s",
                                        key->name, key->older, key->name);
            item->key = key->name;
        }
    }
    return PAL_OK;
}

// {time: 0,5} is a time of 0 and a key 5 without a value.
static PalStatus check_commas(const PalTree *tree, const PalTreeNode *map, PalError *error)
{
    for (int32_t i = 1; i < map->count; ++i) {
        const PalTreeItem *item = &map->items[i], *before = &map->items[i - 1];
        if (pal_tree_is_null(item->value) && item->key[0] != '\0' &&
            strspn(item->key, "0123456789") == strlen(item->key))
            return pal_tree_fail_at(tree, item, error,
                                    "%s after a comma, expected a key; decimals come after a "
                                    "point, as in %s: 0.5",
                                    pal_quoted(item->key).text, before->key);
    }
    return PAL_OK;
}

PalStatus pal_keys_check(PalTree *tree, PalTreeNode *map, const PalKeyTable *table, PalError *error)
{
    if (table->material)
        PAL_TRY(find_material_table(tree, map, &table, error));
    PAL_TRY(rename_older(tree, map, table, error));
    PAL_TRY(check_commas(tree, map, error));
    for (int32_t i = 0; i < map->count; ++i) {
        const PalTreeItem *item = &map->items[i];
        const PalKey *key = pal_key_find(table, item->key);
        if (key == NULL)
            return pal_keys_unknown(tree, item, table, error);
        PAL_TRY(check_value(tree, item->value, key, error));
    }
    return check_presence(tree, map, table, error);
}
