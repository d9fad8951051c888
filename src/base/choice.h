// Things that are chosen by name: the functions that ask a table or rows for them.
#ifndef PAL_BASE_CHOICE_H
#define PAL_BASE_CHOICE_H

#include <palpate/base.h>

// The index of the choice with this name, or PAL_NONE.
int32_t pal_choice_find(const PalChoice *(*choice)(int32_t index), const char *name);

// The names of the choices that fit, whatever `what` means to `fits`: "a, b or c".
typedef struct PalChoiceNames {
    char text[200];
} PalChoiceNames;
PalChoiceNames pal_choices_that(const PalChoice *(*choice)(int32_t index),
                                bool (*fits)(int32_t index, int32_t what), int32_t what);

// Defines pal_THING_name and pal_THING_find for an enumeration whose values are the indices of
// pal_THING_choice, which rows define for themselves.
// NOLINTBEGIN(bugprone-macro-parentheses): types and names cannot have them
#define PAL_CHOICE_NAMES(thing, Kind)                                                              \
    const char *pal_##thing##_name(Kind kind)                                                      \
    {                                                                                              \
        const PalChoice *choice = pal_##thing##_choice((int32_t)kind);                             \
        return choice != NULL ? choice->name : NULL;                                               \
    }                                                                                              \
                                                                                                   \
    bool pal_##thing##_find(const char *name, Kind *kind)                                          \
    {                                                                                              \
        int32_t found = pal_choice_find(pal_##thing##_choice, name);                               \
        if (found != PAL_NONE)                                                                     \
            *kind = (Kind)found;                                                                   \
        return found != PAL_NONE;                                                                  \
    }

// The same, and pal_THING_choice from an array of choices.
#define PAL_CHOICE_ARRAY(thing, Kind, array)                                                       \
    const PalChoice *pal_##thing##_choice(int32_t index)                                           \
    {                                                                                              \
        bool known = index >= 0 && index < (int32_t)(sizeof(array) / sizeof *(array));             \
        return known ? &(array)[index] : NULL;                                                     \
    }                                                                                              \
                                                                                                   \
    PAL_CHOICE_NAMES(thing, Kind)

// The same from a table of pointers to rows, each with its choice; and pal_THING_row, which is NULL
// where there is none of this number.
#define PAL_CHOICE_ROWS(thing, Kind, Row, table)                                                   \
    const Row *pal_##thing##_row(Kind kind)                                                        \
    {                                                                                              \
        bool known = (int)kind >= 0 && (size_t)kind < sizeof(table) / sizeof(table)[0];            \
        return known ? (table)[kind] : NULL;                                                       \
    }                                                                                              \
                                                                                                   \
    const PalChoice *pal_##thing##_choice(int32_t index)                                           \
    {                                                                                              \
        const Row *row = pal_##thing##_row((Kind)index);                                           \
        return row != NULL ? &row->choice : NULL;                                                  \
    }                                                                                              \
                                                                                                   \
    PAL_CHOICE_NAMES(thing, Kind)
// NOLINTEND(bugprone-macro-parentheses)

#endif
