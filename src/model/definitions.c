// Defaults of the definitions a model is made from.
#include <palpate/model.h>

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
