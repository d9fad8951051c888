// What a scene can choose about contact, and what it gets without choosing.
#include "base/choice.h"
#include <palpate/contact.h>

static const PalChoice schedules[] = {
    [PAL_SCHEDULE_EVERY_STEP] = {"every-step", "In every step."},
};

static const PalChoice hierarchies[] = {
    [PAL_HIERARCHY_AABB2] = {"aabb2", "Boxes along the axes, two children each."},
    [PAL_HIERARCHY_AABB4] = {"aabb4", "The same with four."},
    [PAL_HIERARCHY_OBB2] = {"obb2", "Boxes that may be turned, two children each."},
};

static const PalChoice updates[] = {
    [PAL_UPDATE_FRONT] = {"front",
                          "Candidates are kept, and looked for again only where motion needs it."},
    [PAL_UPDATE_UPDATE_NODES] = {"update-nodes", "Only what moved, as published in 2015."},
    [PAL_UPDATE_LARSSON] = {"larsson", "The upper half each step, the rest when visited."},
    [PAL_UPDATE_EXHAUSTIVE] = {"exhaustive", "Every volume each step."},
};

static const PalChoice cones[] = {
    [PAL_CONE_NARROWEST] = {"narrowest", "The narrowest that holds both."},
    [PAL_CONE_PROVOT] = {"provot", "Axis halfway between the two."},
};

static const PalChoice self_tests[] = {
    [PAL_SELF_TEST_SOUND] = {"sound",
                             "A narrow cone over the whole step, and a rim that cannot cross "
                             "itself."},
    [PAL_SELF_TEST_CONE] = {"cone", "A narrow cone alone, which neglects the rim."},
    [PAL_SELF_TEST_EXHAUSTIVE] = {"exhaustive", "Never: everything is searched."},
};

PAL_CHOICE_ARRAY(schedule, PalScheduleKind, schedules)
PAL_CHOICE_ARRAY(hierarchy, PalHierarchyKind, hierarchies)
PAL_CHOICE_ARRAY(update, PalUpdateKind, updates)
PAL_CHOICE_ARRAY(cone, PalConeKind, cones)
PAL_CHOICE_ARRAY(self_test, PalSelfTest, self_tests)

PalContactDef pal_contact_def_default(void)
{
    return (PalContactDef){
        .schedule = PAL_SCHEDULE_EVERY_STEP,
        .hierarchy = PAL_HIERARCHY_AABB2,
        .update = PAL_UPDATE_FRONT,
        .cone = PAL_CONE_NARROWEST,
        .self_test = PAL_SELF_TEST_SOUND,
        .response = PAL_RESPONSE_LAGRANGE,
    };
}
