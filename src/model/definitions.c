// Names and defaults of the definitions a model is made from.
#include "base/choice.h"
#include <palpate/model.h>

static const PalChoice elements[] = {
    [PAL_ELEMENT_T4] = {"t4", "Linear tetrahedron."},
    [PAL_ELEMENT_T4_ANP] = {"t4-anp", "Linear tetrahedron with averaged nodal pressure, for "
                                      "near-incompressible tissue."},
    [PAL_ELEMENT_H8] = {"h8", "Hexahedron with one integration point and hourglass control."},
};

PAL_CHOICE_ARRAY(element, PalElementKind, elements)

PalCellKind pal_element_cell(PalElementKind kind)
{
    return kind == PAL_ELEMENT_H8 ? PAL_CELL_HEXAHEDRON : PAL_CELL_TETRAHEDRON;
}

PalBodyDef pal_body_def_default(void)
{
    return (PalBodyDef){.name = "body", .element = PAL_ELEMENT_T4, .hourglass = 0.1};
}

PalConditionDef pal_condition_def_default(void)
{
    return (PalConditionDef){
        .kind = PAL_CONDITION_FIX,
        .where = pal_where_all(),
        .axes = {true, true, true},
        .ramp = {.kind = PAL_RAMP_SMOOTH},
    };
}

PalRigidDef pal_rigid_def_default(void)
{
    return (PalRigidDef){
        .name = "rigid",
        .motion = {.axis = {0, 0, 1}, .ramp = {.kind = PAL_RAMP_SMOOTH}},
    };
}

PalModelDef pal_model_def_default(void)
{
    return (PalModelDef){.end_time = 1};
}
