// Names and defaults of the definitions a model is made from.
#include <palpate/model.h>
#include <string.h>

static const char *const element_names[] = {"t4", "t4-anp", "h8"};

const char *pal_element_name(PalElementKind kind)
{
    return element_names[kind];
}

bool pal_element_find(const char *name, PalElementKind *kind)
{
    for (int i = 0; i < 3; ++i)
        if (strcmp(name, element_names[i]) == 0) {
            *kind = (PalElementKind)i;
            return true;
        }
    return false;
}

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
        .ramp = {.kind = PAL_RAMP_STEP},
    };
}

PalModelDef pal_model_def_default(void)
{
    return (PalModelDef){.end_time = 1};
}
