#include "base/choice.h"

#include <stdio.h>
#include <string.h>

int32_t pal_choice_find(const PalChoice *(*choice)(int32_t index), const char *name)
{
    for (int32_t i = 0; choice(i) != NULL; ++i)
        if (strcmp(choice(i)->name, name) == 0)
            return i;
    return PAL_NONE;
}

PalChoiceNames pal_choices_that(const PalChoice *(*choice)(int32_t index),
                                bool (*fits)(int32_t index, int32_t what), int32_t what)
{
    PalChoiceNames names = {""};
    int32_t left = 0;
    for (int32_t i = 0; choice(i) != NULL; ++i)
        left += fits(i, what);
    for (int32_t i = 0; left > 0; ++i) {
        size_t used = strlen(names.text);
        if (fits(i, what))
            snprintf(names.text + used, sizeof names.text - used, "%s%s", choice(i)->name,
                     --left == 0 ? ""
                     : left == 1 ? " or "
                                 : ", ");
    }
    return names;
}
