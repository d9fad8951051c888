// The table of elements. A new one is a file with its row, a line here and a name in
// PalElementKind.
#include "element/type.h"

#include "base/choice.h"

static const PalElementType *const types[] = {
    [PAL_ELEMENT_T4] = &pal_element_t4,
    [PAL_ELEMENT_T4_ANP] = &pal_element_t4_anp,
    [PAL_ELEMENT_H8] = &pal_element_h8,
    [PAL_ELEMENT_EBST] = &pal_element_ebst,
    [PAL_ELEMENT_MEMBRANE] = &pal_element_membrane,
    [PAL_ELEMENT_T10] = &pal_element_t10,
    [PAL_ELEMENT_MIXED] = &pal_element_mixed,
};

enum { TYPE_COUNT = sizeof types / sizeof types[0] };

const PalElementType *pal_element_type(PalElementKind kind)
{
    return (int)kind >= 0 && (int)kind < TYPE_COUNT ? types[kind] : NULL;
}

const PalElementType *pal_element_row(PalElementKind kind, PalHourglassControl control)
{
    const PalElementType *type = pal_element_type(kind);
    return type == &pal_element_h8 && control == PAL_HOURGLASS_NONE ? &pal_element_h8_full : type;
}

const PalChoice *pal_element_choice(int32_t index)
{
    return index >= 0 && index < TYPE_COUNT ? &types[index]->choice : NULL;
}

PAL_CHOICE_NAMES(element, PalElementKind)

const PalElementTraits *pal_element_traits(PalElementKind kind)
{
    const PalElementType *type = pal_element_type(kind);
    return type != NULL ? &type->traits : NULL;
}

PalCellKind pal_element_cell(PalElementKind kind)
{
    const PalElementType *type = pal_element_type(kind);
    return type != NULL ? type->traits.cell : (PalCellKind)PAL_NONE;
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
