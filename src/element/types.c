// The table of elements. A new one is a file with its row, a line here and a name in
// PalElementKind.
#include "element/type.h"

#include "base/assert.h"

#include <pthread.h>
#include <string.h>

static const PalElementType *const types[] = {
    [PAL_ELEMENT_T4] = &pal_element_t4,
    [PAL_ELEMENT_T4_ANP] = &pal_element_t4_anp,
    [PAL_ELEMENT_H8] = &pal_element_h8,
};

enum { TYPE_COUNT = sizeof types / sizeof types[0] };

const PalElementType *pal_element_type(PalElementKind kind)
{
    PAL_ASSERT((int)kind >= 0 && (int)kind < TYPE_COUNT);
    return types[kind];
}

const char *pal_element_name(PalElementKind kind)
{
    return pal_element_type(kind)->choice.name;
}

bool pal_element_find(const char *name, PalElementKind *kind)
{
    for (int i = 0; i < TYPE_COUNT; ++i)
        if (strcmp(name, types[i]->choice.name) == 0) {
            *kind = (PalElementKind)i;
            return true;
        }
    return false;
}

static PalChoice choices[TYPE_COUNT];
static pthread_once_t gathered = PTHREAD_ONCE_INIT;

static void gather_choices(void)
{
    for (int i = 0; i < TYPE_COUNT; ++i)
        choices[i] = types[i]->choice;
}

const PalChoice *pal_element_choices(int32_t *count)
{
    pthread_once(&gathered, gather_choices);
    *count = TYPE_COUNT;
    return choices;
}

const PalElementTraits *pal_element_traits(PalElementKind kind)
{
    return &pal_element_type(kind)->traits;
}

PalCellKind pal_element_cell(PalElementKind kind)
{
    return pal_element_type(kind)->traits.cell;
}

bool pal_element_for_cell(PalCellKind cell, PalElementKind *kind)
{
    for (int i = 0; i < TYPE_COUNT; ++i)
        if (types[i]->traits.cell == cell) {
            *kind = (PalElementKind)i;
            return true;
        }
    return false;
}
