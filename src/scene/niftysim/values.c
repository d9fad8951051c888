// Words, numbers and lists of indices in the tags of a model.
#include "scene/niftysim/model.h"

#include "base/array.h"
#include "mesh/readers/cursor.h"

#include <math.h>
#include <string.h>

enum { NAMED_MAX = 50000000 };

PalStatus pal_nifty_need(PalNifty *nifty, const PalXmlNode *parent, const char *name,
                         PalXmlNode **child)
{
    *child = pal_xml_child(parent, name);
    if (*child != NULL)
        return PAL_OK;
    return pal_nifty_fail(nifty, parent->line, "<%s> without <%s>, expected one",
                          pal_token_quote((PalToken){parent->name, strlen(parent->name)}).text,
                          name);
}

PalStatus pal_nifty_need_attribute(PalNifty *nifty, const PalXmlNode *node, const char *name,
                                   const char **value)
{
    *value = pal_xml_attribute(node, name);
    if (*value != NULL)
        return PAL_OK;
    return pal_nifty_fail(nifty, node->line, "<%s> without the attribute %s, expected it",
                          node->name, name);
}

// ---- numbers ----------------------------------------------------------------------------------

// A word of an element's text, and where it is.
typedef struct Words {
    const char *at, *end;
    int32_t line;
} Words;

static Words words_of(const PalXmlNode *node)
{
    return (Words){node->text, node->text + strlen(node->text), node->text_line};
}

static bool next_word(Words *words, PalToken *word)
{
    for (; words->at < words->end && pal_is_blank(*words->at); ++words->at)
        words->line += *words->at == '\n';
    word->text = words->at;
    while (words->at < words->end && !pal_is_blank(*words->at))
        ++words->at;
    word->size = (size_t)(words->at - word->text);
    return word->size > 0;
}

static int32_t word_count(const PalXmlNode *node)
{
    Words words = words_of(node);
    PalToken word;
    int32_t count = 0;
    while (count < INT32_MAX && next_word(&words, &word))
        ++count;
    return count;
}

static void warn_of_text(PalNifty *nifty, const PalXmlNode *node)
{
    if (node->comment_line > 0)
        pal_nifty_warn(nifty, node->comment_line,
                       "a comment inside the list of <%s> counts as a blank; NiftySim joins what "
                       "is before and after it",
                       node->name);
    if (node->second_line > 0)
        pal_nifty_warn(nifty, node->second_line,
                       "further text of <%s> behind its first tag is not read", node->name);
}

static PalStatus no_number(PalNifty *nifty, const PalXmlNode *node, int32_t line, PalToken word)
{
    bool comma = memchr(word.text, ',', word.size) != NULL;
    return pal_nifty_fail(
        nifty, line, "'%s' in <%s>, expected %s", pal_token_quote(word).text, node->name,
        comma ? "numbers with blanks, not commas, between them" : "a finite number");
}

PalStatus pal_nifty_numbers(PalNifty *nifty, const PalXmlNode *node, PalNiftyNumbers *numbers)
{
    int32_t room = word_count(node);
    Words words = words_of(node);
    PalToken word;
    *numbers = (PalNiftyNumbers){0};
    numbers->items = pal_tree_alloc(nifty->memory, (size_t)room, sizeof *numbers->items);
    if (numbers->items == NULL)
        return pal_nifty_no_memory(nifty);
    warn_of_text(nifty, node);
    while (numbers->count < room && next_word(&words, &word)) {
        double value;
        const char *end = word.text + word.size;
        if (pal_parse_double(word.text, end, &value) != end || !isfinite(value))
            return no_number(nifty, node, words.line, word);
        numbers->items[numbers->count++] = value;
    }
    return PAL_OK;
}

PalStatus pal_nifty_exactly(PalNifty *nifty, const PalXmlNode *node, int32_t count, double *values)
{
    PalNiftyNumbers numbers;
    PAL_TRY(pal_nifty_numbers(nifty, node, &numbers));
    if (numbers.count != count)
        return pal_nifty_fail(nifty, node->line, "<%s> holds %d number%s, expected %d", node->name,
                              (int)numbers.count, numbers.count == 1 ? "" : "s", (int)count);
    memcpy(values, numbers.items, (size_t)count * sizeof *values);
    return PAL_OK;
}

PalStatus pal_nifty_vector(PalNifty *nifty, const PalXmlNode *node, PalVec3 *value)
{
    double numbers[3];
    PAL_TRY(pal_nifty_exactly(nifty, node, 3, numbers));
    *value = (PalVec3){numbers[0], numbers[1], numbers[2]};
    return PAL_OK;
}

PalStatus pal_nifty_scalar(PalNifty *nifty, const PalXmlNode *parent, const char *name,
                           double *value)
{
    const PalXmlNode *child = pal_xml_child(parent, name);
    return child == NULL ? PAL_OK : pal_nifty_exactly(nifty, child, 1, value);
}

PalStatus pal_nifty_flag(PalNifty *nifty, const PalXmlNode *parent, const char *name, bool *value)
{
    double number = 0;
    const PalXmlNode *child = pal_xml_child(parent, name);
    *value = false;
    if (child == NULL)
        return PAL_OK;
    PAL_TRY(pal_nifty_exactly(nifty, child, 1, &number));
    if (number != 0 && number != 1)
        return pal_nifty_fail(nifty, child->line, "<%s> is %g, expected 0 or 1", name, number);
    *value = number == 1;
    return PAL_OK;
}

// ---- counts and indices -----------------------------------------------------------------------

static bool parse_count(const char *text, int32_t *count)
{
    PalToken word = pal_token_trim((PalToken){text, strlen(text)});
    int64_t value;
    const char *end = word.text + word.size;
    if (word.size == 0 || pal_parse_int(word.text, end, &value) != end || value < 0 ||
        value > INT32_MAX)
        return false;
    *count = (int32_t)value;
    return true;
}

PalStatus pal_nifty_count(PalNifty *nifty, const PalXmlNode *node, const char *name, int32_t *count)
{
    const char *text;
    PAL_TRY(pal_nifty_need_attribute(nifty, node, name, &text));
    if (parse_count(text, count))
        return PAL_OK;
    return pal_nifty_fail(nifty, node->line, "%s of <%s> is %s, expected a whole number from 0",
                          name, node->name, pal_quoted(text).text);
}

static PalStatus read_index(PalNifty *nifty, const PalXmlNode *node, int32_t line, PalToken word,
                            int64_t *index)
{
    const char *end = word.text + word.size;
    if (pal_parse_int(word.text, end, index) == end)
        return PAL_OK;
    bool comma = memchr(word.text, ',', word.size) != NULL;
    return pal_nifty_fail(nifty, line, "'%s' in <%s>, expected %s", pal_token_quote(word).text,
                          node->name,
                          comma ? "indices with blanks, not commas, between them"
                                : "an index, a whole number from 0");
}

static PalStatus out_of_range(PalNifty *nifty, int32_t line, const char *what, int64_t index,
                              int32_t total)
{
    return pal_nifty_fail(nifty, line, "%s %lld, but there are %d: expected 0 to %d", what,
                          (long long)index, (int)total, (int)total - 1);
}

// Reads every word of a text as an index below `total`.
static PalStatus read_indices(PalNifty *nifty, const PalXmlNode *node, const char *what,
                              int32_t total, PalNiftyIndices *indices)
{
    int32_t room = word_count(node);
    Words words = words_of(node);
    PalToken word;
    *indices = (PalNiftyIndices){0};
    indices->items = pal_tree_alloc(nifty->memory, (size_t)room, sizeof *indices->items);
    if (indices->items == NULL)
        return pal_nifty_no_memory(nifty);
    warn_of_text(nifty, node);
    while (indices->count < room && next_word(&words, &word)) {
        int64_t index;
        PAL_TRY(read_index(nifty, node, words.line, word, &index));
        if (index < 0 || index >= total)
            return out_of_range(nifty, words.line, what, index, total);
        indices->items[indices->count++] = (int32_t)index;
    }
    return PAL_OK;
}

PalStatus pal_nifty_name_more(PalNifty *nifty, int32_t line, int32_t count)
{
    nifty->named += count;
    if (nifty->named <= NAMED_MAX)
        return PAL_OK;
    return pal_nifty_fail(nifty, line,
                          "ranges, all and normals name more than %d nodes, elements and faces in "
                          "the model, expected fewer",
                          NAMED_MAX);
}

static PalStatus fill_range(PalNifty *nifty, int32_t line, int32_t first, int32_t count,
                            PalNiftyIndices *indices)
{
    PAL_TRY(pal_nifty_name_more(nifty, line, count));
    indices->items = pal_tree_alloc(nifty->memory, (size_t)count, sizeof *indices->items);
    if (indices->items == NULL)
        return pal_nifty_no_memory(nifty);
    for (int32_t i = 0; i < count; ++i)
        indices->items[i] = first + i;
    indices->count = count;
    return PAL_OK;
}

PalStatus pal_nifty_indices(PalNifty *nifty, const PalXmlNode *owner, const PalXmlNode *list,
                            const PalNiftyRange *range, PalNiftyIndices *indices)
{
    const char *text;
    int32_t count;
    *indices = (PalNiftyIndices){0};
    PAL_TRY(pal_nifty_need_attribute(nifty, owner, range->attribute, &text));
    if (range->all && strcmp(text, "all") == 0) {
        indices->all = true;
        return fill_range(nifty, owner->line, 0, range->total, indices);
    }
    if (!parse_count(text, &count))
        return pal_nifty_fail(nifty, owner->line, "%s of <%s> is %s, expected a count%s",
                              range->attribute, owner->name, pal_quoted(text).text,
                              range->all ? " or all" : "");
    if (list == NULL)
        return pal_nifty_fail(nifty, owner->line, "<%s> without a list, expected %d %s indices",
                              owner->name, (int)count, range->what);
    PAL_TRY(read_indices(nifty, list, range->what, range->total, indices));
    if (indices->count == count)
        return PAL_OK;
    int32_t first = indices->count == 1 ? indices->items[0] : 0;
    if (indices->count != 1)
        return pal_nifty_fail(nifty, owner->line,
                              "%s of <%s> is %d, but the list holds %d, expected as many, or the "
                              "first of a range",
                              range->attribute, owner->name, (int)count, (int)indices->count);
    if (count > range->total - first)
        return out_of_range(nifty, owner->line, range->what, (int64_t)first + count - 1,
                            range->total);
    return fill_range(nifty, owner->line, first, count, indices);
}

PalStatus pal_nifty_rows(PalNifty *nifty, const PalXmlNode *node, int32_t width, int32_t total,
                         PalNiftyIndices *rows)
{
    PAL_TRY(read_indices(nifty, node, "node", total, rows));
    if (rows->count % width != 0)
        return pal_nifty_fail(nifty, node->line, "<%s> holds %d indices, expected a multiple of %d",
                              node->name, (int)rows->count, (int)width);
    return PAL_OK;
}
