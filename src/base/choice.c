#include "base/choice.h"

#include <string.h>

int32_t pal_choice_find(const PalChoice *(*choice)(int32_t index), const char *name)
{
    for (int32_t i = 0; choice(i) != NULL; ++i)
        if (strcmp(choice(i)->name, name) == 0)
            return i;
    return PAL_NONE;
}
